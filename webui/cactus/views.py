"""From a match and a table of Cactus as the rules know them to what the page shows; see `webui.cactus.snapshot`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.deck_cactus import CactusDeck
from scoring.errors import RefereeError
from scoring.games.cactus_count import contact_call, forbidden, names_of
from scoring.games.cactus_judge import CLAIM
from scoring.games.cactus_must import asked_of, must_of, opening
from scoring.games.cactus_play import CactusPlay, Ending, Ledger
from scoring.games.cactus_stand import Stand, stand_of
from scoring.games.cactus_todo import Job, Todo, checklist
from scoring.games.cactus_turn import TurnRecord
from scoring.match import MatchState, Step
from scoring.moves import DeclaredContact, DeclaredHung
from scoring.table import Contact, ContactKind, TableState
from scoring.verdicts import Call, Ruling
from webui.cactus.snapshot import (
    CellView,
    LackingView,
    MatchCactus,
    PlayerCactus,
    RewardView,
    TallyView,
    TodoView,
    TurnCactus,
)
from webui.cactus.snapshot_stand import CactusView, PieceView, SceneView, SetView, TouchView
from webui.cactus.stand import scene_of, set_view, touch_at
from webui.log.store import MatchRecord
from webui.shown.common_views import head_fields, player_fields, turn_fields, turns_fields

CALLS = {Call.VIOLATION: "touching", Call.LEGAL: "clear", Call.UNCERTAIN: "unsure"}


def play_of(state: MatchState) -> CactusPlay:
    """The state of a match of Cactus; raises RefereeError for another game's."""
    if not isinstance(state.play, CactusPlay):
        raise RefereeError("This is no match of Cactus.")
    return state.play


def view_cactus(record: MatchRecord, state: MatchState, seq: int) -> MatchCactus:
    """A match of Cactus for the page.

    Parameters
    ----------
    record
        Its head.
    state
        The fold of its events.
    seq
        How many events that are.
    """
    play = play_of(state)
    look, ledger = set_view(play.deck, play.order), play.ledger
    turns = tuple(_turn(play, t, look) for t in play.turns)
    running = turns[-1] if play.turn is not None else None
    head = head_fields(record, state, seq)
    if state.undoable:
        head["undo"] = _undo(state.undoable)
    return MatchCactus(
        **head,
        players=_players(play, state, ledger),
        **turns_fields(play, state, turns),
        scene=_scene(play, play.turns[-1] if play.turns else None, now=True),
        tally=_tally(look, ledger, hidden=play.options.claims == "strict" and not play.finished),
        todo=tuple(_todo(look, running, t) for t in checklist(play)),
        reserve=ledger.bank.reserve,
        strict=play.options.claims == "strict",
        lacking=_lacking(play),
        look=look,
    )


def _undo(step: Step) -> str:
    """What taking that step back takes back: a piece that was told to hang is no mere correction."""
    return DeclaredHung.__name__ if step.said == DeclaredHung.__name__ else step.kinds[0]


def tally_with(play: CactusPlay, table: TableState) -> TallyView:
    """The pieces as they would be counted if the match began with this table."""
    begun = replace(play, start=table)
    return _tally(set_view(play.deck, begun.order), begun.ledger, hidden=play.options.claims == "strict")


def live_scene(play: CactusPlay | None, deck: CactusDeck, table: TableState) -> SceneView:
    """The cacti as they stand now, with what the match says of the running turn."""
    turn = play.turn if play is not None else None
    if play is None or turn is None:
        order = play.order if play is not None else ()
        return scene_of(deck, table.placements, _touches(deck, table), seen=table.cacti or None, order=order)
    stand = stand_of(deck, turn, play.options.sure)
    return scene_of(
        deck,
        [p for p in table.placements if p.face not in stand.gone],
        _touches(deck, table, play.options.specials_count, play.options.sure),
        active=_due(play),
        placed=stand.placed,
        fallen=_fallen(stand),
        seen=table.cacti or None,
        order=play.order,
    )


def _scene(play: CactusPlay, turn: TurnRecord | None, *, now: bool = False) -> SceneView:
    """The cacti as a turn left them, or as they stand in the running one."""
    deck, options = play.deck, play.options
    if turn is None:
        table = play.start
        hanging = table.placements if table is not None else ()
        touches = _touches(deck, table, options.specials_count, options.sure) if table is not None else {}
        return scene_of(deck, hanging, touches, order=play.order)
    stand = stand_of(deck, turn, options.sure)
    table = turn.left if turn.closed and turn.left is not None else stand.table
    gone = stand.gone
    stated = {(d.kind, frozenset((d.a, d.b))) for d in turn.declarations if isinstance(d, DeclaredContact)}
    return scene_of(
        deck,
        [p for p in table.placements if p.face not in gone],
        _touches(deck, stand.table, options.specials_count, options.sure, stated),
        active=_due(play) if now and not turn.closed else (),
        placed=stand.placed,
        fallen=_fallen(stand),
        order=play.order,
    )


def _due(play: CactusPlay) -> tuple[str, ...]:
    """The cactus on which the piece of this turn is hung; all of them where any will do."""
    must = must_of(play)
    return () if must is None or play.finished else must.cacti


def _fallen(stand: Stand) -> tuple[str, ...]:
    return tuple(f.piece for f in stand.falls if not f.hangs)


def _touches(
    deck: CactusDeck,
    table: TableState,
    specials: bool = True,
    sure: float = 0.9,
    stated: set[tuple[ContactKind, frozenset[str | None]]] | None = None,
) -> dict[str, list[TouchView]]:
    """What must not touch and is near, by cactus."""
    names, pieces = names_of(table, deck), {p.key: p for p in table.placements}
    found: dict[str, list[TouchView]] = {}
    for c in table.contacts:
        a = pieces.get(c.a)
        if a is None or not _matters(deck, c, names, specials):
            continue
        call = CALLS[contact_call(c, sure)]
        if c.b is None and call == "clear":
            continue  # everything is far enough from the table: nothing to tell
        at = touch_at(deck, a, pieces.get(c.b or ""), str(c.kind))
        known = stated is None or (c.kind, frozenset((c.a, c.b))) not in stated
        gap, sigma = (round(c.gap_mm, 1), round(c.sigma_mm, 2)) if known else (None, None)
        found.setdefault(a.pose.plane, []).append(TouchView(str(c.kind), c.a, c.b, call, gap, sigma, at))
    return found


def _matters(deck: CactusDeck, contact: Contact, names: dict[str, str], specials: bool) -> bool:
    if contact.b is None:
        return True
    a, b = names.get(contact.a), names.get(contact.b)
    return a is not None and b is not None and forbidden(deck.pieces[a], deck.pieces[b], contact.kind, specials)


def _todo(look: SetView, turn: TurnCactus | None, todo: Todo) -> TodoView:
    rules = turn.rules if turn is not None else ()
    pieces = _pieces(look, todo.pieces)
    rule = next((r for r in rules if r.rule == todo.rule and r.about == todo.about), None)
    return TodoView(
        str(todo.job),
        str(todo.state),
        _by_shape(look, pieces) if todo.job is Job.TAKE else pieces,
        tuple(look.cacti[c] for c in todo.cacti if c in look.cacti),
        rule,
        dict(todo.facts),
    )


def _players(play: CactusPlay, state: MatchState, ledger: Ledger) -> tuple[PlayerCactus, ...]:
    standing = {s.seat: s for s in state.standing}
    return tuple(
        PlayerCactus(
            **player_fields(int(seat), standing[seat]),
            ones=ledger.bank.purses[seat].ones,
            threes=ledger.bank.purses[seat].threes,
            last=ledger.changes[seat][-1] if ledger.changes[seat] else None,
            wrong_claims=_wrong_claims(play, seat),
        )
        for seat in sorted(standing)
    )


def _lacking(play: CactusPlay) -> LackingView | None:
    """The roll that ended the match because no such piece is left, or None."""
    last = play.turns[-1] if play.turns else None
    if play.ending is not Ending.BASICS or last is None or last.rolled is None:
        return None
    asked = asked_of(play, opening(play, last), last.rolled)
    return LackingView(str(last.rolled), asked.color or asked.shape, play.can_reroll)


def _wrong_claims(play: CactusPlay, seat: str) -> int | None:
    """How many claims of a player were not earned, where the house counts them."""
    if play.options.claims != "strict" or play.options.wrong_claims != "counted":
        return None
    rulings = [t.ruling for t in play.turns if t.seat == seat and t.ruling is not None]
    return sum(v.rule == CLAIM and v.call is Call.VIOLATION for r in rulings for v in r.verdicts)


def _turn(play: CactusPlay, record: TurnRecord, look: SetView) -> TurnCactus:
    ruling = record.ruling
    stand = stand_of(play.deck, record, play.options.sure)
    own = stand.own or (record.own if record.confirmed else None)
    fallen = [f for f in stand.falls if f.call is Call.VIOLATION]
    return TurnCactus(
        **turn_fields(record),
        void=tuple(str(v) for v in record.void),
        piece=look.pieces.get(own or ""),
        cactus=_where(look, stand, own),
        key=stand.placed,
        rewards=_rewards(ruling, record),
        claimed=record.claimed,
        touches=record.touches,
        fallen=_pieces(look, [f.piece for f in fallen]),
        late=_pieces(look, record.late),
        earned=sum(a.points for a in ruling.awards) if ruling is not None else 0,
        paid=sum(p.points for p in ruling.penalties) if ruling is not None else 0,
        impossible=record.impossible,
        scene=_scene(play, record),
    )


def _where(look: SetView, stand: Stand, own: str | None) -> CactusView | None:
    return look.cacti.get(stand.hung.get(own or "", ""))


def _rewards(ruling: Ruling | None, record: TurnRecord) -> tuple[RewardView, ...]:
    """What the turn brings, as the ruling tells it."""
    if ruling is None:
        return ()
    return tuple(RewardView(a.item or "", a.points, (a.item or "") in record.claimed) for a in ruling.awards)


def _by_shape(look: SetView, pieces: tuple[PieceView, ...]) -> tuple[PieceView, ...]:
    """Pieces in the order of the grid: shape by shape, the colours of each in the order of the set."""
    shapes, colors = list(look.shapes), list(look.colors)
    return tuple(sorted(pieces, key=lambda p: (shapes.index(p.shape) if p.shape else -1, colors.index(p.color))))


def _pieces(look: SetView, ids: Sequence[str]) -> tuple[PieceView, ...]:
    return tuple(look.pieces[p] for p in dict.fromkeys(ids) if p in look.pieces)


def _tally(look: SetView, ledger: Ledger, *, hidden: bool) -> TallyView:
    """What hangs; without the totals where the players are to count them themselves."""

    def cell(piece: PieceView | None) -> CellView:
        if piece is None:
            return CellView(None, "none")
        cactus = look.cacti.get(ledger.hung.get(piece.id, ""))
        if cactus is not None:
            return CellView(piece, "hung", cactus.number)
        return CellView(piece, "gone" if piece.id in ledger.discarded else "supply")

    row = [look.pieces[p] for p in ledger.row if p in look.pieces]
    rest = [p for p in look.specials if p not in row]
    return TallyView(
        tuple((name, None if hidden else n) for name, n in ledger.totals.colors.items()),
        tuple((name, None if hidden else n) for name, n in ledger.totals.shapes.items()),
        tuple(tuple(cell(look.piece(s, c)) for s in look.shapes) for c in look.colors),
        tuple(cell(p) for p in (*row, *rest)),
    )
