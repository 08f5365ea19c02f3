"""What can be said about a match of Cactus and what cannot, in the sentences that a refusal says."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.errors import RefereeError
from scoring.games.cactus_count import Why
from scoring.games.cactus_look import Stray
from scoring.games.cactus_play import CactusPlay
from scoring.games.cactus_stand import stand_of
from scoring.games.cactus_turn import TurnRecord
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredCall,
    DeclaredClaim,
    DeclaredContact,
    DeclaredDie,
    DeclaredFace,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredSpecials,
    DeclaredTouches,
    DieFace,
)
from scoring.play import OutOfStep, Phase
from scoring.seats import check_seat
from scoring.verdicts import Call

MOST_TOUCHES = 20
"""More than a hand touches in one turn."""

_STRAY: Mapping[Stray, str] = {
    Stray.SEVERAL: "More than one piece was hung{pieces}: first the die is passed, then the next one is hung.",
    Stray.ROLL: "The die comes first{pieces}: tell what it shows.",
    Stray.ELSEWHERE: "A piece hangs on another cactus than before{pieces}: hang it back.",
    Stray.FALLEN: "A piece that fell hangs there{pieces}: take it away.",
    Stray.EMPTY: "No cactus can be seen.",
}
_WHY: Mapping[Phase, str] = {
    Phase.LAYOUT: "the cacti were not seen yet",
    Phase.ROLLING: "the die is to be told first",
    Phase.TURN: "no piece was hung in this turn",
    Phase.VERDICT: "the piece of this turn hangs already",
    Phase.FINISHED: "the match is over",
}


def stray_words(astray: OutOfStep) -> str:
    """What is wrong with the table and what to do, in one sentence."""
    pieces = f" ({', '.join(astray.faces)})" if astray.faces else ""
    return _STRAY[Stray(astray.reason)].format(pieces=pieces)


def refusal(what: str, phase: Phase) -> RefereeError:
    """The refusal of a command that is not possible now."""
    return RefereeError(f"{what}: {_WHY[phase]}.")


def check_die(face: DieFace | CactusDie) -> None:
    """Raises RefereeError for a face of another game's die."""
    if not isinstance(face, CactusDie):
        raise RefereeError(f"The die of Cactus has no face {face}; it has {', '.join(CactusDie)}.")


def check_setting(play: CactusPlay, what: DeclaredFlowers | DeclaredSpecials) -> None:
    """Raises RefereeError for flowers or a row that there cannot be."""
    if isinstance(what, DeclaredSpecials):
        row = play.ledger.row
        if sorted(what.pieces) != sorted(row):
            raise RefereeError(f"The row of specials must name each once: {', '.join(row)}.")
        return
    check_seat(play.seats, what.seat)
    bank = play.ledger.bank
    if what.flowers < 0 or bank.hold(what.seat, what.flowers).values[what.seat] != what.flowers:
        raise RefereeError(f"There are not flowers worth {what.flowers} for one player.")


def check_fact(play: CactusPlay, turn: TurnRecord, what: Declaration) -> None:
    """Whether that can be said of this turn; raises RefereeError with the reason where not."""
    stand = stand_of(play.deck, turn, play.options.sure)
    keys = {p.key for p in stand.table.placements}
    match what:
        case DeclaredFace():
            if what.key not in keys:
                raise RefereeError(f"There is no piece {what.key} in the picture.")
            if what.face is not None:
                _check_piece(play, what.face)
                hangs = [p.key for p in stand.table.placements if p.face == what.face and p.face in stand.hung]
                if any(key != what.key for key in hangs):
                    raise RefereeError(f"The piece {what.face} hangs already.")
        case DeclaredCall():
            if what.key != stand.placed:
                raise RefereeError(f"The piece {what.key} was not hung in this turn.")
            if what.call is not Call.LEGAL:
                raise RefereeError("The players can allow what the referee does not; what they forbid they put right.")
        case DeclaredContact():
            if what.a not in keys or (what.b is not None and what.b not in keys) or what.a == what.b:
                raise RefereeError("These two do not hang in the picture.")
        case DeclaredFall():
            _check_piece(play, what.piece)
            before = {p.face for p in turn.before.placements}
            if what.piece not in before:
                raise RefereeError(f"The piece {what.piece} did not hang when the turn began.")
        case DeclaredHung():
            _check_piece(play, what.piece)
            if what.cactus not in play.deck.cacti:
                raise RefereeError(f"There is no cactus {what.cactus}; there is {', '.join(play.deck.cacti)}.")
        case DeclaredTouches():
            if not 0 <= what.times <= MOST_TOUCHES:
                raise RefereeError(f"Nobody touches {what.times} times in a turn.")
        case DeclaredClaim():
            for why in what.whys:
                if why not in tuple(Why):
                    raise RefereeError(f"Nobody can claim {why}; there is {', '.join(Why)}.")
        case DeclaredImpossible():
            if play.options.impossible == "off":
                raise RefereeError("By the rules of this match what touches is put right, whatever it takes.")
        case DeclaredDie():
            check_die(what.face)
        case _:
            raise RefereeError(f"Nobody can state {type(what).__name__} in Cactus.")


def _check_piece(play: CactusPlay, piece: str) -> None:
    if piece not in play.deck.pieces:
        raise RefereeError(f"The set has no piece {piece}.")
