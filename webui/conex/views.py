"""From a match and a table of CONEX as the rules know them to what the page shows; see `webui.conex.snapshot`."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.deck import ConexDeck
from scoring.errors import RefereeError
from scoring.games.conex_judge import pawn_verdicts, square_of
from scoring.games.conex_play import SEATS, ConexPlay, TurnRecord
from scoring.games.conex_track import die_due
from scoring.match import MatchState
from scoring.moves import DeclaredCall
from scoring.table import TableState
from scoring.verdicts import Call, Ground, PlacementRuling, Ruling, Verdict
from webui.conex.plan import deck_view, face_view, plan_of
from webui.conex.snapshot import GroundView, LaidView, MatchConex, PlayerConex, StarView, TurnConex
from webui.conex.snapshot_plan import FaceView, PlanView
from webui.log.store import MatchRecord
from webui.shown.common_views import head_fields, player_fields, turn_fields, turns_fields

CANDIDATES_MAX = 6
EMPTY_PLAN = PlanView((0.0, 0.0, 400.0, 225.0))


def play_of(state: MatchState) -> ConexPlay:
    """The state of a match of CONEX; raises RefereeError for another game's."""
    if not isinstance(state.play, ConexPlay):
        raise RefereeError("This is no match of CONEX.")
    return state.play


def faces_of(deck: ConexDeck) -> Mapping[str, FaceView]:
    """The deck's cards as drawn, by id."""
    return {f.id: face_view(f) for f in deck.faces.values()}


def view_conex(record: MatchRecord, state: MatchState, seq: int, live: TableState | None = None) -> MatchConex:
    """A match of CONEX for the page.

    Parameters
    ----------
    record
        Its head.
    state
        The fold of its events.
    seq
        How many events that are.
    live
        The table as it lies now: its pawns are held against the log.
    """
    play = play_of(state)
    faces = faces_of(play.deck)
    turns = tuple(_turn(play, t, faces) for t in play.turns)
    ledger = play.ledger
    return MatchConex(
        **head_fields(record, state, seq),
        players=_players(play, state, live),
        **turns_fields(play, state, turns),
        round=max(len(play.turns) - 1, 0) // len(play.seats) + 1,
        last_round=play.last_round,
        goal=play.goal,
        stars=tuple(StarView(s.kind, s.holder, s.since, s.usable) for s in ledger.stars.values()),
        pile=ledger.pile,
        plan=_match_plan(play, faces),
        look=deck_view(play.deck),
        faces=faces,
    )


def table_of(record: TurnRecord) -> TableState | None:
    """The table that a turn is judged on, or that it began with."""
    return record.table if record.table is not None else record.base


def ruling_verdicts(record: TurnRecord | None) -> tuple[Verdict, ...]:
    """Verdicts of a turn whose ruling does not count yet: those that a place is marked for."""
    if record is None or record.ruling is None or record.confirmed:
        return ()
    return record.ruling.verdicts


def _match_plan(play: ConexPlay, faces: Mapping[str, FaceView]) -> PlanView:
    if play.table is None:
        return EMPTY_PLAN
    record = play.turns[-1] if play.turns else None
    return plan_of(play.table, play.deck, faces, record.placed if record else None, ruling_verdicts(record))


def _players(play: ConexPlay, state: MatchState, live: TableState | None) -> tuple[PlayerConex, ...]:
    ledger = play.ledger
    standing = {s.seat: s for s in state.standing}
    seats = [s for s in SEATS if s in standing]
    pawns = {p.seat: p.pawn for p in play.players}
    shown: dict[str, int] = {}
    record = play.turns[-1] if play.turns else None
    table = live if live is not None else (table_of(record) if record else None)
    if record is not None and table is not None:
        points = record.ruling.placement.points if record.ruling and record.ruling.placement else 0
        for v in pawn_verdicts(play, record, table, 0 if record.confirmed else points):
            square = v.facts.get("square")
            if v.call is Call.VIOLATION and v.seat is not None and isinstance(square, int):
                shown[v.seat] = square
    return tuple(
        PlayerConex(
            **player_fields(number, standing[s]),
            pawn=pawns.get(s),
            cards=ledger.hands[s],
            square=square_of(standing[s].total, play.goal),
            lap=max(standing[s].total - 1, 0) // play.goal,
            shown=shown.get(s),
            last=standing[s].rounds[-1] if standing[s].rounds else None,
        )
        for number, s in enumerate(seats, start=1)
    )


def _turn(play: ConexPlay, record: TurnRecord, faces: Mapping[str, FaceView]) -> TurnConex:
    ruling, table = record.ruling, table_of(record)
    placement = ruling.placement if ruling is not None else None
    laid = _laid(placement, table, play.deck, faces) if placement is not None else None
    verdicts = ruling.verdicts if ruling is not None else ()
    judged = turn_fields(record)
    judged["settled"] &= record.confirmed or (ruling is not None and bool(ruling.awards))
    return TurnConex(
        **judged,
        deed=str(record.action) if record.action is not None else None,
        laid=laid,
        points=_points(record, ruling),
        stated=record.settled_points,
        taken=faces.get(record.lightning.face or "") if record.lightning is not None else None,
        took=record.lightning is not None,
        rolls=record.waiting and die_due(play, record),
        corrected=_corrected(record),
        again=_again(record),
        plan=plan_of(table, play.deck, faces, record.placed, verdicts) if table is not None else None,
    )


def _corrected(record: TurnRecord) -> bool:
    """Whether people said otherwise than was read; the answer to a question is no correction."""
    if record.table is None:
        return False  # the players settled it by themselves, and that is told
    overruled = record.ruling is not None and record.ruling.placement is not None and record.ruling.placement.overruled
    return overruled or any(not isinstance(d, DeclaredCall) for d in record.declarations)


def _again(record: TurnRecord) -> int:
    """How often a card was laid that was not allowed, before the one that is."""
    fouls = [p.call is Call.VIOLATION for v in record.versions if (p := v.placement) is not None]
    return sum(foul and not before for foul, before in zip(fouls, [False, *fouls], strict=False))


def _points(record: TurnRecord, ruling: Ruling | None) -> int:
    if record.confirmed:
        return record.points
    return sum(a.points for a in ruling.awards if a.seat == record.seat) if ruling is not None else 0


def _laid(p: PlacementRuling, table: TableState | None, deck: ConexDeck, faces: Mapping[str, FaceView]) -> LaidView:
    pieces = {q.key: q for q in table.placements} if table is not None else {}

    def ground(onto: Ground) -> GroundView:
        if onto.space is not None:
            spaces = deck.board.spaces
            return GroundView(None, None, onto.space, spaces[onto.space].color if onto.space < len(spaces) else None)
        piece = pieces.get(onto.key or "")
        face = faces.get(piece.face or "") if piece is not None else None
        return GroundView(onto.key, face, None, face.color if face else None)

    piece = pieces.get(p.key)
    readings = [p.face, *(c.face for c in piece.candidates)] if piece is not None else [p.face]
    return LaidView(
        key=p.key,
        face=faces.get(p.face or ""),
        onto=ground(p.onto) if p.onto is not None else None,
        corner=p.corner,
        call=p.call.value,
        value=p.value,
        bonus=p.bonus,
        doubled=p.doubled,
        points=p.points,
        candidates=tuple((ground(onto), corner) for onto, corner in p.candidates),
        faces=tuple(f for f in dict.fromkeys(readings) if f is not None and f in faces)[:CANDIDATES_MAX],
        confidence=round(piece.confidence, 3) if piece is not None else 0.0,
        declared=p.declared,
        overruled=p.overruled,
    )
