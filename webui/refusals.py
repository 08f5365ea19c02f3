"""Refusals in the reader's language: sentences that the rules and the runner say in English."""

from __future__ import annotations

import re

from webui.cactus.refusals import REFUSALS_CACTUS
from webui.conex.refusals import REFUSALS_CONEX
from webui.texts import Translations, mark

REFUSALS = (
    (r"Two players have the same name\.", mark("Two players have the same name.")),
    (r"There is nothing to take back\.", mark("There is nothing to take back.")),
    (r"The same card was named twice\.", mark("The same card was named twice.")),
    (
        r"The round cannot be confirmed before the open questions are answered\.",
        mark("The round cannot be confirmed before the open questions are answered."),
    ),
    (r"A row has at most (?P<n>\d+) cards\.", mark("A row has at most %(n)s cards.")),
    (
        r"That change would leave round (?P<n>\d+) undecided; .*",
        mark("That change would leave round %(n)s undecided; state the whole row or the awards instead."),
    ),
    (
        r"No scoring card with (?P<points>\d+) points is left in round (?P<n>\d+)\.",
        mark("No scoring card with %(points)s points is left in round %(n)s."),
    ),
    (
        r"Scoring card (?P<card>\S+) was already dealt in round (?P<n>\d+)\.",
        mark("Scoring card %(card)s was already dealt in round %(n)s."),
    ),
    (
        r"This deck has (?P<have>\d+) scoring cards? with (?P<points>\d+) points, and (?P<gone>\d+) of them .*",
        mark("Check the numbers. Scoring cards with %(points)s points: the deck has %(have)s, %(gone)s were dealt."),
    ),
    (r"This match is not at this table\.", mark("This match is not at this table.")),
    (
        r"There is no picture to judge: .*",
        mark("There is no picture to judge: no camera sends one. Send a photo of the table."),
    ),
    (
        r"This table plays another game: .*",
        mark("This table plays another game: start the referee for that one."),
    ),
    (
        r"A match with another deck is being played at this table: .*",
        mark("A match with another deck is being played at this table: put it aside first."),
    ),
    (
        r"This table has not the deck of this match: .*",
        mark("This table has not the deck of this match: start the referee with --deck and its folder."),
    ),
    (r"The demonstration is played with its own deck\.", mark("The demonstration is played with its own deck.")),
    (r"This deck is not there any more\.", mark("This deck is not there any more.")),
    (r"Name at least two players\.", mark("Name at least two players.")),
    (r"Type the points of the scoring cards\.", mark("Type the points of the scoring cards.")),
    (r"No cards can be read in this picture\.", mark("No cards can be read in this picture.")),
    (r"The race is on: first tap who called\.", mark("The race is on: first tap who called.")),
    (
        r"The field \S+ must be a number of millimetres from (?P<least>\S+) to (?P<most>\S+)\.",
        mark("What a ruler tells is a number of millimetres from %(least)s to %(most)s."),
    ),
    (r"A size is a number of millimetres from 15 to 400\.", mark("A size is a number of millimetres from 15 to 400.")),
    (
        r"A name has at most 32 letters, none of them a comma, slash or plus\.",
        mark("A name has at most 32 letters, none of them a comma, slash or plus."),
    ),
    (
        r"Two of them have the same name: give each one of its own\.",
        mark("Two of them have the same name: give each one of its own."),
    ),
    (r"Send fewer photos at once\.", mark("Send fewer photos at once.")),
    (
        r"Nobody sits where the start player should sit\.",
        mark("Nobody sits where the start player should sit."),
    ),
    (r"\S+ knows no command \w+\.", mark("That cannot be done in this game.")),
    (r"Nobody can state \w+ in \S+\.", mark("That cannot be done in this game.")),
    (r"\S+ is for (?P<least>\d) to (?P<most>\d) players, .*", mark("This game is for %(least)s to %(most)s players.")),
    (
        r".*: the database was moved or deleted while it was in use; .*",
        mark("The database was moved or deleted while it was in use. Nothing was changed; start the referee anew."),
    ),
    (r"Nobody sits at \S+, who should start\.", mark("Nobody sits where the start player should sit.")),
    (r"The playing area needs 3 to (?P<n>\d+) corners\.", mark("The playing area needs 3 to %(n)s corners.")),
    (
        r"The playing area is too small or crosses itself: draw it again\.",
        mark("The playing area is too small or crosses itself: draw it again."),
    ),
    (
        r"The picture has another shape than when this page was opened: draw the area again\.",
        mark("The picture has another shape than when this page was opened: draw the area again."),
    ),
    (
        r"Turn (?P<n>\d+) is over: that cannot be corrected in it\.",
        mark("Turn %(n)s is over: that cannot be corrected in it."),
    ),
    (r"Turn (?P<n>\d+) has not been played\.", mark("Turn %(n)s has not been played.")),
    (r"[^:]+: the die is to be told first\.", mark("Not now: the die is to be told first.")),
    (r"[^:]+: the match is over\.", mark("Not now: the match is over.")),
)
"""Refusals that a person can meet, as the rules and the runner word them, and the same for the catalogue."""


def refusal(message: str, t: Translations) -> str:
    """A refusal in the reader's language; one that is not known stays in English."""
    for pattern, text in (*REFUSALS_CACTUS, *REFUSALS, *REFUSALS_CONEX):
        if found := re.fullmatch(pattern, message):
            return t.gettext(text) % found.groupdict()
    return message
