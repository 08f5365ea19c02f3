"""Refusals of Cactus that a person can meet, as the rules word them, and the same for the catalogue."""

from __future__ import annotations

from webui.cactus.laws import ASTRAY
from webui.texts import mark
from webui.wording import begins, not_now, other, same

REFUSALS_CACTUS = (
    same(mark("Nothing new hangs on the cacti.")),
    begins(mark("No cactus of the set that you play with is found: all five stand upright in front of the camera.")),
    other(
        "The second photo does not show …",
        mark("The second photo does not show the same cacti well enough: take it from beside the camera."),
    ),
    begins(mark("The second photo is mirrored, or was taken from behind: take it from beside the camera.")),
    begins(
        mark("The second photo was taken from the same place: take a step to the left or right, and take it there.")
    ),
    begins(mark("The second photo shows another table: take it of what hangs now, from beside the camera.")),
    begins(mark("The second photo settles nothing more: please look yourselves.")),
    same(mark("The match has already begun.")),
    other("No cactus can be seen.", ASTRAY["empty"]),
    other("More than one piece was hung…", ASTRAY["several"]),
    other("The die comes first (…", ASTRAY["roll"]),
    other("A piece hangs on another cactus than before…", ASTRAY["elsewhere"]),
    other("A piece that fell hangs there…", ASTRAY["fallen"]),
    begins(mark("A piece that hung before has a name; say which one it really is.")),
    begins(mark("The die cannot be passed before what is wrong is put right, or the players allow it.")),
    same(mark("The die cannot be passed before the open questions are answered.")),
    not_now(mark("Not now: the cacti were not seen yet.")),
    not_now(mark("Not now: no piece was hung in this turn.")),
    not_now(mark("Not now: the piece of this turn hangs already.")),
    other("The row of specials must name each once: …", mark("The row of special pieces must name each of them once.")),
    same(mark("There are not flowers worth %(n)s for one player.")),
    begins(mark("The players can allow what the referee does not; what they forbid they put right.")),
    same(mark("These two do not hang in the picture.")),
    other("The piece … did not hang when the turn began.", mark("That piece did not hang when the turn began.")),
    other("The piece … hangs already.", mark("That piece hangs already.")),
    begins(mark("By the rules of this match what touches is put right, whatever it takes.")),
    same(mark("Only a roll for which no basic piece is left is repeated.")),
    begins(mark("Give every cactus a number of its own, or none of them.")),
)
