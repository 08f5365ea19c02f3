"""What can be said about a match of CONEX and what cannot, in the sentences that a refusal says."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.deck_conex import STARS
from scoring.errors import RefereeError
from scoring.events import Player
from scoring.games.conex_play import ConexPlay, Deed, TurnRecord
from scoring.games.conex_track import Stray
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredCall,
    DeclaredDie,
    DeclaredDouble,
    DeclaredFace,
    DeclaredGround,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredStar,
    DieFace,
)
from scoring.play import OutOfStep, Phase
from scoring.seats import check_seat
from scoring.table import TableState
from scoring.verdicts import Call

MOST_POINTS = 99
"""More than any turn can bring."""
MOST_CARDS = 999

_STRAY: Mapping[Stray, str] = {
    Stray.SEVERAL: "More than one card was laid{cards}: leave only the one of the player whose turn it is.",
    Stray.GONE: "A card is gone{cards}: put it back; only the lightning star takes one free card.",
    Stray.MOVED: "A card that counts was laid elsewhere{cards}: put it back where it lay.",
    Stray.WRONG: "The last card is not put right yet: take it back, lay it anew, or accept it as it lies.",
    Stray.OPEN: "The last card is not accepted yet: answer the question about it first.",
    Stray.ROLL: "The die comes first: tell what it shows.",
    Stray.STILL_LIES: "The card that the lightning star took lies on the table{cards}: take it off, or undo.",
}

_WHY: Mapping[Phase, str] = {
    Phase.LAYOUT: "the table at the start was not seen yet",
    Phase.TURN: "nothing was laid in this turn",
    Phase.VERDICT: "what was done in this turn waits to be accepted",
    Phase.ROLLING: "the die is to be told first",
    Phase.ENDING: "the turn is done but for the lightning star",
    Phase.FINISHED: "the match is over",
}


def stray_words(astray: OutOfStep) -> str:
    """What is wrong with the table and what to do, in one sentence."""
    cards = f" ({', '.join(astray.faces)})" if astray.faces else ""
    return _STRAY[Stray(astray.reason)].format(cards=cards)


def refusal(what: str, phase: Phase) -> RefereeError:
    """The refusal of a command that is not possible now."""
    return RefereeError(f"{what}: {_WHY[phase]}.")


def check_pawns(players: tuple[Player, ...], pawns: Mapping[str, str]) -> None:
    """Raises RefereeError where two players have one pawn, or one has a pawn that the deck does not."""
    chosen = [p.pawn for p in players if p.pawn is not None]
    for pawn in chosen:
        if pawn not in pawns:
            raise RefereeError(f"The deck has no pawn {pawn}; it has {', '.join(pawns)}.")
        if chosen.count(pawn) > 1:
            raise RefereeError(f"Two players have the {pawn} pawn.")


def check_count(play: ConexPlay, what: DeclaredHand | DeclaredPile | DeclaredStar) -> None:
    """Raises RefereeError for a count or a star that there cannot be."""
    if isinstance(what, DeclaredStar):
        if what.kind not in STARS:
            raise RefereeError(f"There is no star {what.kind}; there is {' and '.join(STARS)}.")
        if what.seat is not None:
            check_seat(play.seats, what.seat)
        return
    if isinstance(what, DeclaredHand):
        check_seat(play.seats, what.seat)
    if not 0 <= what.cards <= MOST_CARDS:
        raise RefereeError(f"There cannot be {what.cards} cards.")


def check_die(face: DieFace | CactusDie) -> None:
    """Raises RefereeError for a face of another game's die."""
    if not isinstance(face, DieFace):
        raise RefereeError(f"The die of CONEX has no face {face}; it has {', '.join(DieFace)}.")


def check_turn_fact(play: ConexPlay, turn: TurnRecord, what: Declaration, star_usable: bool) -> None:
    """Whether that can be said of this turn; raises RefereeError with the reason where not."""
    match what:
        case DeclaredFace():
            _check_key(turn.table if turn.table is not None else turn.known, what.key)
            if what.face is not None and what.face not in play.deck.faces:
                raise RefereeError(f"The deck has no card {what.face}.")
        case DeclaredGround():
            _check_placed(turn, what.key)
            _check_ground(play, turn, what)
        case DeclaredCall():
            taken = turn.lightning.key if turn.lightning is not None else None
            if what.key != taken:
                _check_placed(turn, what.key)
            if what.call is Call.UNCERTAIN:
                raise RefereeError("A card can be stated as allowed or as not allowed.")
        case DeclaredDouble():
            if turn.placed is None:
                raise RefereeError("The 2x star goes onto a card that was laid in this turn.")
            if what.doubled and not star_usable:
                raise RefereeError("The 2x star is not this player's to use in this turn.")
        case DeclaredDie():
            if turn.action is not Deed.LAID:
                raise RefereeError("The die is rolled after a die card was laid.")
            check_die(what.face)
        case DeclaredPoints():
            if not 0 <= what.points <= MOST_POINTS:
                raise RefereeError(f"A turn cannot bring {what.points} points.")
        case _:
            raise RefereeError(f"Nobody can state {type(what).__name__} in CONEX.")


def _check_key(table: TableState | None, key: str) -> None:
    if table is None or all(p.key != key for p in table.placements):
        raise RefereeError(f"There is no card {key} in the picture.")


def _check_placed(turn: TurnRecord, key: str) -> None:
    if turn.placed is None or key != turn.placed:
        raise RefereeError(f"The card {key} was not laid in this turn.")


def _check_ground(play: ConexPlay, turn: TurnRecord, what: DeclaredGround) -> None:
    spaces = play.deck.board.spaces
    if what.onto is not None:
        onto = what.onto
        if (onto.key is None) == (onto.space is None):
            raise RefereeError("A card lies on one card or on one space of the board.")
        if onto.key is not None:
            _check_key(turn.table, onto.key)
            if onto.key == what.key:
                raise RefereeError("A card cannot lie on itself.")
        elif onto.space is not None and not 0 <= onto.space < len(spaces):
            raise RefereeError(f"The board has no space {onto.space}.")
    if what.corner is not None:
        face = next((p.face for p in turn.table.placements if p.key == what.key), None) if turn.table else None
        stated = [d.face for d in turn.declarations if isinstance(d, DeclaredFace) and d.key == what.key]
        known = play.deck.faces.get((stated[-1] if stated else face) or "")
        corners = len(known.corners) if known is not None else max(len(f.corners) for f in play.deck.faces.values())
        if not 0 <= what.corner < corners:
            raise RefereeError(f"The card has no corner {what.corner}.")
