"""What the next player must do in Cactus, as data: the pieces that may be taken, and the cactus."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.games.cactus_play import CactusPlay, Ledger, allowed, ledger_of
from scoring.games.cactus_turn import TurnRecord, without
from scoring.moves import CactusDie, DeclaredHung, Fall


@dataclass(frozen=True, slots=True)
class Asked:
    """What a roll asks for.

    Parameters
    ----------
    color, shape, special
        Colour or shape of the piece, or the id of the special one; all None for the first piece, which is free.
    reference
        Id of the piece whose colour or shape it is, or None.
    """

    color: str | None = None
    shape: str | None = None
    special: str | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Must:
    """What the seat to play takes, and where it hangs it.

    Parameters
    ----------
    seat
        Whose turn it is.
    roll
        Whether the die is to be rolled first; then `pieces` is empty.
    die
        What it showed, or None.
    pieces
        Ids of the pieces that may be taken, in the order of the set; the one in the hand where it is hung again.
    cacti
        Ids of the cacti on which it may be hung.
    asked
        What the roll asks for.
    held
        Id of the piece that fell or was taken back and is hung again, or None.
    """

    seat: str
    roll: bool
    die: CactusDie | None
    pieces: tuple[str, ...]
    cacti: tuple[str, ...]
    asked: Asked
    held: str | None = None


def opening(play: CactusPlay, turn: TurnRecord) -> Ledger:
    """The ledger when the piece of this turn was to be taken: before it hung, and without what has fallen since."""
    # A piece that people state as the one of this turn was not hung before it.
    stated = [d.piece for d in turn.declarations if isinstance(d, DeclaredHung)]
    off = tuple(p for p in dict.fromkeys((*turn.late, *turn.fell, *turn.falls)) if turn.falls.get(p) is not Fall.HANGS)
    bare = TurnRecord(turn.number, turn.seat, without(turn.before, stated), late=off, settings=turn.settings)
    return ledger_of(play, (*play.turns[: turn.number - 1], bare))


def free(play: CactusPlay, turn: TurnRecord) -> bool:
    """Whether nothing was placed before this turn: no roll, any basic piece, any cactus."""
    return all(t.hung_on is None for t in play.turns[: turn.number - 1])


def must_of(play: CactusPlay) -> Must | None:
    """What the seat to play takes and where it hangs it; None before the first turn and after the last."""
    turn = play.turn
    if turn is None:
        return None
    before = opening(play, turn)
    there = play.after(before.cactus)
    cacti = play.order if there is None else (there,)
    if turn.rolled is None and not free(play, turn):
        return Must(turn.seat, True, None, (), cacti, Asked())
    may = allowed(play, before, turn.rolled)
    held = turn.held if turn.held in may else None
    asked = asked_of(play, before, turn.rolled)
    return Must(turn.seat, False, turn.rolled, may if held is None else (held,), cacti, asked, held)


def asked_of(play: CactusPlay, before: Ledger, die: CactusDie | None) -> Asked:
    """What a roll asks for."""
    pieces, last, basic = play.deck.pieces, before.last, before.last_basic
    if die is CactusDie.COLOR and last is not None:
        return Asked(color=pieces[last].color, reference=last)
    if die is CactusDie.SHAPE and basic is not None:
        return Asked(shape=pieces[basic].shape, reference=basic)
    return Asked(special=before.row[0] if before.row else None) if die is CactusDie.SPECIAL else Asked()
