"""Refusals of CONEX that a person can meet, as the rules word them, and the same for the catalogue."""

from __future__ import annotations

from webui.conex.texts import ASTRAY
from webui.texts import mark
from webui.wording import begins, not_now, other, same

REFUSALS_CONEX = (
    same(mark("Two players have the same pawn.")),
    other("Two players have the … pawn.", mark("Two players have the same pawn.")),
    same(mark("The card counts for that player already.")),
    other("There is no card … ….", mark("There is no such card on the table.")),
    other("The card … was not laid in this turn.", mark("This card was not laid in this turn.")),
    other("The deck has no card …", mark("The deck has no such card.")),
    same(mark("A turn cannot bring %(n)s points.")),
    other("There cannot be … cards.", mark("There cannot be so many cards.")),
    same(mark("The 2x star goes onto a card that was laid in this turn.")),
    same(mark("The die is rolled after a die card was laid.")),
    same(mark("Nothing new lies on the table.")),
    same(mark("Neither the board nor a card can be seen.")),
    begins(mark("No card is left to draw: lay one, pass, or correct the count of the pile.")),
    same(mark("Nobody can pass: the pile has %(n)s cards to draw by the count.")),
    same(mark("The card cannot be accepted before the open questions are answered.")),
    begins(mark("What was done is not allowed: it is put right, or the players state that it is allowed.")),
    same(mark("The match ends with the card before this one: accept that one.")),
    same(mark("The 2x star is not this player's to use in this turn.")),
    other("The lightning star …; this player cannot use it now.", mark("The lightning star cannot be used now.")),
    begins(mark("That change would leave turn %(n)s without points that count; state its points instead.")),
    same(mark("This player used the lightning star in this turn: undo that first.")),
    same(mark("The match would be over before that player's turn.")),
    not_now(mark("Not now: the table at the start was not seen yet.")),
    not_now(mark("Not now: nothing was laid in this turn.")),
    not_now(mark("Not now: what was done in this turn waits to be accepted.")),
    not_now(mark("Not now: the turn is done but for the lightning star.")),
    other("More than one card was laid…", ASTRAY["several"]),
    other("A card is gone…", ASTRAY["gone"]),
    other("A card that counts was laid elsewhere…", ASTRAY["moved"]),
    other("The last card is not put right yet: …", ASTRAY["wrong"]),
    other("The last card is not accepted yet: …", ASTRAY["open"]),
    other("The die comes first: …", ASTRAY["roll"]),
    other("The card that the lightning star took lies on the table…", ASTRAY["still-lies"]),
)
