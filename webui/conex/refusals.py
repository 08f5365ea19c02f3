"""Refusals of CONEX that a person can meet, as the rules word them, and the same for the catalogue."""

from __future__ import annotations

from webui.conex.texts import ASTRAY
from webui.texts import mark

REFUSALS_CONEX = (
    (r"Two players have the same pawn\.", mark("Two players have the same pawn.")),
    (r"Two players have the \S+ pawn\.", mark("Two players have the same pawn.")),
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
    (
        r"[^:]+: the turn is done but for the lightning star\.",
        mark("Not now: the turn is done but for the lightning star."),
    ),
    (r"More than one card was laid.*", ASTRAY["several"]),
    (r"A card is gone.*", ASTRAY["gone"]),
    (r"A card that counts was laid elsewhere.*", ASTRAY["moved"]),
    (r"The last card is not put right yet: .*", ASTRAY["wrong"]),
    (r"The last card is not accepted yet: .*", ASTRAY["open"]),
    (r"The die comes first: .*", ASTRAY["roll"]),
    (r"The card that the lightning star took lies on the table.*", ASTRAY["still-lies"]),
)
