"""Refusals in the reader's language: sentences that the rules and the runner say in English."""

from __future__ import annotations

import re

from webui.cactus.refusals import REFUSALS_CACTUS
from webui.conex.texts import ASTRAY
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
    (r"Send fewer photos at once\.", mark("Send fewer photos at once.")),
    # CONEX
    (r"Two players have the same pawn\.", mark("Two players have the same pawn.")),
    (r"Two players have the \S+ pawn\.", mark("Two players have the same pawn.")),
    (
        r"Nobody sits where the start player should sit\.",
        mark("Nobody sits where the start player should sit."),
    ),
    (
        r"Turn (?P<n>\d+) is over: that cannot be corrected in it\.",
        mark("Turn %(n)s is over: that cannot be corrected in it."),
    ),
    (r"Turn (?P<n>\d+) has not been played\.", mark("Turn %(n)s has not been played.")),
    (r"\S+ knows no command \w+\.", mark("That cannot be done in this game.")),
    (r"Nobody can state \w+ in \S+\.", mark("That cannot be done in this game.")),
    (r"The card counts for that player already\.", mark("The card counts for that player already.")),
    (r"There is no card \S+ (on the table|in the picture)\.", mark("There is no such card on the table.")),
    (r"The card \S+ was not laid in this turn\.", mark("This card was not laid in this turn.")),
    (r"The deck has no card .*", mark("The deck has no such card.")),
    (r"A turn cannot bring (?P<n>\d+) points\.", mark("A turn cannot bring %(n)s points.")),
    (r"There cannot be -?\d+ cards\.", mark("There cannot be so many cards.")),
    (
        r"The 2x star goes onto a card that was laid in this turn\.",
        mark("The 2x star goes onto a card that was laid in this turn."),
    ),
    (
        r"The die is rolled after a die card was laid\.",
        mark("The die is rolled after a die card was laid."),
    ),
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
    (r"Nothing new lies on the table\.", mark("Nothing new lies on the table.")),
    (
        r"Neither the board nor a card can be seen\.",
        mark("Neither the board nor a card can be seen."),
    ),
    (
        r"No card is left to draw: .*",
        mark("No card is left to draw: lay one, pass, or correct the count of the pile."),
    ),
    (
        r"Nobody can pass: the pile has (?P<n>\d+) cards to draw by the count\.",
        mark("Nobody can pass: the pile has %(n)s cards to draw by the count."),
    ),
    (
        r"The card cannot be accepted before the open questions are answered\.",
        mark("The card cannot be accepted before the open questions are answered."),
    ),
    (
        r"What was done is not allowed: .*",
        mark("What was done is not allowed: it is put right, or the players state that it is allowed."),
    ),
    (
        r"The match ends with the card before this one: accept that one\.",
        mark("The match ends with the card before this one: accept that one."),
    ),
    (
        r"The 2x star is not this player's to use in this turn\.",
        mark("The 2x star is not this player's to use in this turn."),
    ),
    (r"The lightning star .*; this player cannot use it now\.", mark("The lightning star cannot be used now.")),
    (
        r"That change would leave turn (?P<n>\d+) without points that count; .*",
        mark("That change would leave turn %(n)s without points that count; state its points instead."),
    ),
    (
        r"This player used the lightning star in this turn: undo that first\.",
        mark("This player used the lightning star in this turn: undo that first."),
    ),
    (
        r"The match would be over before that player's turn\.",
        mark("The match would be over before that player's turn."),
    ),
    (
        r"[^:]+: the table at the start was not seen yet\.",
        mark("Not now: the table at the start was not seen yet."),
    ),
    (r"[^:]+: nothing was laid in this turn\.", mark("Not now: nothing was laid in this turn.")),
    (
        r"[^:]+: what was done in this turn waits to be accepted\.",
        mark("Not now: what was done in this turn waits to be accepted."),
    ),
    (r"[^:]+: the die is to be told first\.", mark("Not now: the die is to be told first.")),
    (
        r"[^:]+: the turn is done but for the lightning star\.",
        mark("Not now: the turn is done but for the lightning star."),
    ),
    (r"[^:]+: the match is over\.", mark("Not now: the match is over.")),
    (r"More than one card was laid.*", ASTRAY["several"]),
    (r"A card is gone.*", ASTRAY["gone"]),
    (r"A card that counts was laid elsewhere.*", ASTRAY["moved"]),
    (r"The last card is not put right yet: .*", ASTRAY["wrong"]),
    (r"The last card is not accepted yet: .*", ASTRAY["open"]),
    (r"The die comes first: .*", ASTRAY["roll"]),
    (r"The card that the lightning star took lies on the table.*", ASTRAY["still-lies"]),
)
"""Refusals that a person can meet, as the rules and the runner word them, and the same for the catalogue."""


def refusal(message: str, t: Translations) -> str:
    """A refusal in the reader's language; one that is not known stays in English."""
    for pattern, text in (*REFUSALS_CACTUS, *REFUSALS):
        if found := re.fullmatch(pattern, message):
            return t.gettext(text) % found.groupdict()
    return message
