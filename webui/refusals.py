"""Refusals in the reader's language: sentences that the rules and the runner say in English."""

from __future__ import annotations

from webui.cactus.refusals import REFUSALS_CACTUS
from webui.conex.refusals import REFUSALS_CONEX
from webui.texts import Translations, mark
from webui.wording import begins, not_now, other, same

REFUSALS = (
    same(mark("Two players have the same name.")),
    same(mark("There is nothing to take back.")),
    same(mark("The same card was named twice.")),
    same(mark("The round cannot be confirmed before the open questions are answered.")),
    same(mark("A row has at most %(n)s cards.")),
    begins(mark("That change would leave round %(n)s undecided; state the whole row or the awards instead.")),
    same(mark("No scoring card with %(points)s points is left in round %(n)s.")),
    same(mark("Scoring card %(card)s was already dealt in round %(n)s.")),
    other(
        "This deck has %(have)s scoring card… with %(points)s points, and %(gone)s of them …",
        mark("Check the numbers. Scoring cards with %(points)s points: the deck has %(have)s, %(gone)s were dealt."),
    ),
    same(mark("This match is not at this table.")),
    begins(mark("There is no picture to judge: no camera sends one. Send a photo of the table.")),
    begins(mark("This table plays another game: start the referee for that one.")),
    begins(mark("A match with another deck is being played at this table: put it aside first.")),
    begins(mark("This table has not the deck of this match: start the referee with --deck and its folder.")),
    same(mark("The demonstration is played with its own deck.")),
    same(mark("This deck is not there any more.")),
    same(mark("Name at least two players.")),
    same(mark("Type the points of the scoring cards.")),
    same(mark("No cards can be read in this picture.")),
    same(mark("The race is on: first tap who called.")),
    same(mark("A name has at most 32 letters, none of them a comma, slash or plus.")),
    same(mark("Two of them have the same name: give each one of its own.")),
    same(mark("Send fewer photos at once.")),
    same(mark("Nobody sits where the start player should sit.")),
    other("… knows no command ….", mark("That cannot be done in this game.")),
    other("Nobody can state … in ….", mark("That cannot be done in this game.")),
    other("… is for %(least)s to %(most)s players, …", mark("This game is for %(least)s to %(most)s players.")),
    other(
        "…: the database was moved or deleted while it was in use; …",
        mark("The database was moved or deleted while it was in use. Nothing was changed; start the referee anew."),
    ),
    other("Nobody sits at …, who should start.", mark("Nobody sits where the start player should sit.")),
    same(mark("The playing area needs 3 to %(n)s corners.")),
    same(mark("The playing area is too small or crosses itself: draw it again.")),
    same(mark("The picture has another shape than when this page was opened: draw the area again.")),
    same(mark("Turn %(n)s is over: that cannot be corrected in it.")),
    same(mark("Turn %(n)s has not been played.")),
    not_now(mark("Not now: the die is to be told first.")),
    not_now(mark("Not now: the match is over.")),
)
"""Refusals that a person can meet, as the rules and the runner word them, and the same for the catalogue."""


def refusal(message: str, t: Translations) -> str:
    """A refusal in the reader's language; one that is not known stays in English."""
    for known in (*REFUSALS_CACTUS, *REFUSALS, *REFUSALS_CONEX):
        if found := known.said.fullmatch(message):
            return t.gettext(known.text) % found.groupdict()
    return message
