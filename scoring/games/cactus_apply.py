"""How each event changes a match of Cactus."""

from __future__ import annotations

from dataclasses import replace

from scoring.deck_cactus import CactusDeck
from scoring.errors import LogError
from scoring.events import (
    Event,
    FactDeclared,
    MatchFinished,
    Rolled,
    RoundConfirmed,
    RoundEdited,
    Ruled,
    TableAccepted,
    TableRecorded,
)
from scoring.games.cactus_judge import PIECE
from scoring.games.cactus_look import dropped_in, late_on, rolling
from scoring.games.cactus_must import opening
from scoring.games.cactus_play import CactusPlay, Ending, allowed, ending_of
from scoring.games.cactus_rename import on_table, renamed
from scoring.games.cactus_same import moved
from scoring.games.cactus_stand import stand_of
from scoring.games.cactus_turn import TurnRecord, keeping
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredCall,
    DeclaredContact,
    DeclaredDie,
    DeclaredFace,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredReroll,
    DeclaredSpecials,
    DeclaredTouches,
    DieFace,
)
from scoring.table import TableState
from scoring.verdicts import Call, RulingStatus


def apply(play: CactusPlay, event: Event) -> CactusPlay:
    """The match after one more event; raises LogError where the event does not follow."""
    if isinstance(event, MatchFinished):
        return replace(play, stopped=Ending.EARLY if event.early else Ending.AGREED)
    if isinstance(event, TableAccepted) and play.start is None and event.round == 0:
        play = replace(play, start=event.table)
        return replace(play, turns=(TurnRecord(1, play.seat_of(1), _hanging(play.deck, event.table)),))
    turn = play.turn_of(event)
    if isinstance(event, RoundEdited):
        return _settle(_edited(play, event))
    what = event.move.what if isinstance(event, FactDeclared) else None
    if isinstance(what, DeclaredFace) and what.key in {p.key for p in turn.before.placements}:
        play = _named_before(play, turn, what)
        turn = play.turn_of(event)
    return _settle(_with(play, _apply(play, turn, event)))


def _with(play: CactusPlay, turn: TurnRecord) -> CactusPlay:
    return replace(play, turns=play.turns_with(turn))


def _apply(play: CactusPlay, turn: TurnRecord, event: Event) -> TurnRecord:
    match event:
        case TableAccepted():
            return _accepted(play, turn, event)
        case TableRecorded():
            return _recorded(play, turn, event)
        case Rolled():
            return _rolled(play, turn, event.face)
        case Ruled():
            return turn.ruled(event.ruling)
        case FactDeclared():
            return _declared(play, turn, event.move.what)
        case RoundConfirmed():
            if turn.ruling is None:
                raise LogError(f"the die is passed in turn {turn.number} without a ruling")
            ruling = replace(turn.ruling, status=RulingStatus.CONFIRMED)
            return _closed(play, replace(turn, ruling=ruling, confirmed=True, closed=True))
    raise LogError(f"Cactus knows no event {type(event).__name__}")


def _hanging(deck: CactusDeck, table: TableState) -> TableState:
    """What hangs on a table, as the record keeps it."""
    return keeping(table, [p for p in table.placements if p.pose.plane in deck.cacti])


def _accepted(play: CactusPlay, turn: TurnRecord, event: TableAccepted) -> TurnRecord:
    """The turn in which the table is taken as it lies: what hangs no more cost nobody anything."""
    before = _hanging(play.deck, event.table)
    hangs = {p.face for p in before.placements}
    gone = [p.face for p in turn.before.placements if p.face is not None and p.face not in (*hangs, *turn.late)]
    late = (*(p for p in turn.late if p not in hangs), *gone)
    kept = tuple(d for d in turn.declarations if isinstance(d, DeclaredTouches))
    turn = replace(_overruled(turn), before=before, table=None, evidence="", placed=None, own=None, held=None)
    turn = replace(turn, late=late, fell=(), declarations=kept)
    if turn.rolled is not None and not allowed(play, opening(play, turn), turn.rolled):
        # Another table, another supply: the roll is told anew.
        turn = replace(turn, rolled=None)
    return turn


def _recorded(play: CactusPlay, turn: TurnRecord, event: TableRecorded) -> TurnRecord:
    gone = dropped_in(play, turn, event.table)
    hangs = {p.face for p in event.table.placements if p.pose.plane in play.deck.cacti}
    if rolling(play, turn):
        return replace(turn, late=late_on(turn, hangs, gone))
    fell = (*turn.fell, *(p for p in gone if p not in (*turn.late, *turn.fell)))
    placed = None
    if event.placed is not None:
        placed = next((p for p in event.table.placements if p.key == event.placed), None)
        if placed is None:
            raise LogError(f"the piece that was hung in turn {turn.number} is not on its table")
    mine = placed.face if placed is not None else None
    late = tuple(p for p in turn.late if p not in hangs or p == mine)
    turn = replace(turn, declarations=_kept(turn, event), late=late)
    named = [d.face for d in turn.declarations if isinstance(d, DeclaredFace) and d.key == event.placed]
    own = placed.face if placed is not None else turn.own
    held = turn.own if placed is None and _taken_rightly(turn) else turn.held
    return replace(
        turn,
        table=event.table,
        evidence=event.evidence,
        placed=event.placed,
        own=named[-1] if named else own,
        held=held,
        fell=fell,
    )


def _taken_rightly(turn: TurnRecord) -> bool:
    verdicts = turn.ruling.verdicts if turn.ruling is not None and turn.placed is not None else ()
    return any(v.rule == PIECE and v.call is Call.LEGAL for v in verdicts)


def _kept(turn: TurnRecord, event: TableRecorded) -> tuple[Declaration, ...]:
    """What people stated and what still holds on a new table."""
    then = {p.key: p for p in turn.table.placements} if turn.table is not None else {}
    now = {p.key: p for p in event.table.placements}
    placed = now.get(event.placed or "")

    def still(key: str) -> bool:
        return key in then and key in now and not moved(then[key], now[key])

    def holds(said: Declaration) -> bool:
        match said:
            case DeclaredFace():
                return said.key in now
            case DeclaredCall():
                return said.key == event.placed and (said.key not in then or then[said.key].face == now[said.key].face)
            case DeclaredContact():
                return still(said.a) and (said.b is None or still(said.b))
            case DeclaredHung():
                # The camera sees now what was stated before it did.
                return placed is None or placed.face != said.piece or placed.pose.plane != said.cactus
            case DeclaredImpossible():
                return False
        return True

    return tuple(d for d in turn.declarations if holds(d))


def _rolled(play: CactusPlay, turn: TurnRecord, face: DieFace | CactusDie) -> TurnRecord:
    """The turn after a roll: a piece to take, a roll that is repeated, or the end of the game."""
    if not isinstance(face, CactusDie):
        raise LogError(f"the die of Cactus has no face {face}")
    before = opening(play, turn)
    if allowed(play, before, face):
        return replace(turn, rolled=face)
    again = play.options.no_piece == "reroll" and before.supply
    if again or face is CactusDie.SPECIAL:
        return replace(turn, void=(*turn.void, face))
    return replace(turn, rolled=face, closed=True)


def _declared(play: CactusPlay, turn: TurnRecord, what: Declaration) -> TurnRecord:
    if isinstance(what, DeclaredFlowers | DeclaredSpecials):
        if turn.closed:
            return replace(turn, afterwards=(*turn.afterwards, what))
        return replace(turn, settings=(*turn.settings, what))
    if isinstance(what, DeclaredReroll):
        return replace(turn, rolled=None, closed=False, void=(*turn.void, *((turn.rolled,) if turn.rolled else ())))
    if isinstance(what, DeclaredDie):
        return _rolled(play, replace(turn, rolled=None), what.face)
    turn = replace(turn, declarations=(*turn.declarations, what))
    if isinstance(what, DeclaredHung):
        turn = replace(turn, own=what.piece)
    if isinstance(what, DeclaredFace) and what.key == turn.placed:
        turn = replace(turn, own=what.face)
    return turn


def _closed(play: CactusPlay, turn: TurnRecord) -> TurnRecord:
    """The turn with what hangs after it and what hangs no more."""
    stand = stand_of(play.deck, turn, play.options.sure)
    gone = stand.gone
    if turn.impossible and turn.own is not None:
        gone = (*gone, turn.own)
    return replace(turn, gone=gone, left=stand.left(play.deck, turn.base), own=stand.own or turn.own)


def _edited(play: CactusPlay, event: RoundEdited) -> CactusPlay:
    """A turn that is over is put right; a piece that got its right name has it in all later turns too."""
    turn, what = play.turns[event.round - 1], event.move.what
    old = turn.own
    turn = replace(turn, declarations=(*turn.declarations, what)).ruled(event.ruling)
    if not isinstance(what, DeclaredFace):
        return _with(play, _closed(play, turn))
    play = _with(play, _closed(play, replace(turn, own=what.face)))
    return renamed(play, what.key, old, what.face, event.round)


def _named_before(play: CactusPlay, turn: TurnRecord, what: DeclaredFace) -> CactusPlay:
    """A piece that hung at the beginning of the match gets its right name, in all turns."""
    old = next(p.face for p in turn.before.placements if p.key == what.key)
    assert play.start is not None
    play = replace(play, start=on_table(play.start, what.key, old, what.face))
    return renamed(play, what.key, old, what.face, 0)


def _overruled(turn: TurnRecord) -> TurnRecord:
    if turn.ruling is None:
        return turn
    old = replace(turn.ruling, status=RulingStatus.OVERRULED)
    return replace(turn, ruling=None, versions=(*turn.versions, old))


def _settle(play: CactusPlay) -> CactusPlay:
    """Open the next turn where the last one is done and the match goes on, or take it back where it does not."""
    last = play.turns[-1]
    if not last.closed and last.number > 1 and last.untouched and ending_of(play, play.turns[:-1]) is not None:
        # A later correction of an earlier turn ended the match.
        return replace(play, turns=play.turns[:-1])
    if last.closed and ending_of(play, play.turns) is None:
        assert last.left is not None
        hidden = stand_of(play.deck, last, play.options.sure).hidden(play.deck, last)
        after = TurnRecord(last.number + 1, play.seat_of(last.number + 1), last.left, hidden=hidden)
        return replace(play, turns=(*play.turns, after))
    return play
