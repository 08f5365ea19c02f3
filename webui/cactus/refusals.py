"""Refusals of Cactus that a person can meet, as the rules word them, and the same for the catalogue."""

from __future__ import annotations

from webui.cactus.laws import ASTRAY
from webui.texts import mark

REFUSALS_CACTUS = (
    (r"Nothing new hangs on the cacti\.", mark("Nothing new hangs on the cacti.")),
    (
        r"No cactus of the set that you play with is found: .*",
        mark("No cactus of the set that you play with is found: all five stand upright in front of the camera."),
    ),
    (
        r"The second photo does not show .*",
        mark("The second photo does not show the same cacti well enough: take it from beside the camera."),
    ),
    (
        r"The second photo is mirrored, .*",
        mark("The second photo is mirrored, or was taken from behind: take it from beside the camera."),
    ),
    (
        r"The second photo was taken from the same place: .*",
        mark("The second photo was taken from the same place: take a step to the left or right, and take it there."),
    ),
    (
        r"The second photo shows another table: .*",
        mark("The second photo shows another table: take it of what hangs now, from beside the camera."),
    ),
    (
        r"The second photo settles nothing more: .*",
        mark("The second photo settles nothing more: please look yourselves."),
    ),
    (r"The match has already begun\.", mark("The match has already begun.")),
    (r"No cactus can be seen\.", ASTRAY["empty"]),
    (r"More than one piece was hung.*", ASTRAY["several"]),
    (r"The die comes first \(.*", ASTRAY["roll"]),
    (r"A piece hangs on another cactus than before.*", ASTRAY["elsewhere"]),
    (r"A piece that fell hangs there.*", ASTRAY["fallen"]),
    (
        r"A piece that hung before has a name; .*",
        mark("A piece that hung before has a name; say which one it really is."),
    ),
    (
        r"The die cannot be passed before what is wrong is put right, .*",
        mark("The die cannot be passed before what is wrong is put right, or the players allow it."),
    ),
    (
        r"The die cannot be passed before the open questions are answered\.",
        mark("The die cannot be passed before the open questions are answered."),
    ),
    (r"[^:]+: the cacti were not seen yet\.", mark("Not now: the cacti were not seen yet.")),
    (r"[^:]+: no piece was hung in this turn\.", mark("Not now: no piece was hung in this turn.")),
    (r"[^:]+: the piece of this turn hangs already\.", mark("Not now: the piece of this turn hangs already.")),
    (
        r"The row of specials must name each once: .*",
        mark("The row of special pieces must name each of them once."),
    ),
    (
        r"There are not flowers worth (?P<n>\d+) for one player\.",
        mark("There are not flowers worth %(n)s for one player."),
    ),
    (
        r"The players can allow what the referee does not; .*",
        mark("The players can allow what the referee does not; what they forbid they put right."),
    ),
    (r"These two do not hang in the picture\.", mark("These two do not hang in the picture.")),
    (
        r"The piece \S+ did not hang when the turn began\.",
        mark("That piece did not hang when the turn began."),
    ),
    (r"The piece \S+ hangs already\.", mark("That piece hangs already.")),
    (
        r"By the rules of this match what touches is put right, .*",
        mark("By the rules of this match what touches is put right, whatever it takes."),
    ),
    (
        r"Only a roll for which no basic piece is left is repeated\.",
        mark("Only a roll for which no basic piece is left is repeated."),
    ),
    (
        r"Give every cactus a number of its own, .*",
        mark("Give every cactus a number of its own, or none of them."),
    ),
)
