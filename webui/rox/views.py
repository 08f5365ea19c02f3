"""From a match and a table of Rox as the rules know them to what the page shows; see `webui.shown.snapshot`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from scoring.deck import RoxDeck, RoxFace
from scoring.errors import RefereeError
from scoring.events import DealtCard
from scoring.games.rox import SEATS, read_scoring
from scoring.games.rox_play import RoundRecord, RoxPlay
from scoring.match import MatchState
from scoring.moves import DeclaredAwards
from scoring.play import Phase
from scoring.rows import find_rows
from scoring.table import Side, TableState
from scoring.verdicts import CardRuling, RowRuling, RulingStatus
from webui.log.store import MatchRecord
from webui.rox.snapshot import (
    AwardView,
    CardView,
    MatchRox,
    QuestionView,
    RowView,
    RulingView,
    ScoringView,
    VerdictView,
)
from webui.shown.common_views import head_fields, player_fields
from webui.shown.head import PlayerView
from webui.shown.snapshot import CardSeen, Quad

SURE = 0.9
"""Confidence from which on the referee would rely on a reading."""
CANDIDATES_MAX = 6


def view_rox(record: MatchRecord, state: MatchState, seq: int) -> MatchRox:
    """A match of Rox for the page.

    Parameters
    ----------
    record
        Its head.
    state
        The fold of its events.
    seq
        How many events that are.
    """
    phase = state.phase
    standing = {s.seat: s for s in state.standing}
    seats = [s for s in SEATS if s in standing]
    players = tuple(PlayerView(**player_fields(number, standing[s])) for number, s in enumerate(seats, start=1))
    rounds = _rounds(state)
    last = rounds[-1] if rounds else None
    running = last if last is not None and not last.confirmed else None
    play = state.play
    deck = _deck(state)
    return MatchRox(
        **head_fields(record, state, seq),
        round=len(rounds) + (1 if phase is Phase.BETWEEN or not rounds else 0),
        rounds=int(state.options.get("rounds", 5)),
        players=players,
        deals=len(players) - 1,
        dealt=_scoring(running.dealt) if running else (),
        caller=running.ender if running else None,
        ruling=_ruling(running, state) if running else None,
        rounds_played=tuple(r for record in rounds if record.confirmed and (r := _ruling(record, state))),
        early=bool(play is not None and play.early),
        faces=tuple((f.id, f.center, _counts(f, deck)) for f in deck.faces.values()),
    )


def look_at(
    table: TableState, quads: Mapping[str, Quad], deck: RoxDeck, seats: tuple[str, ...] | None
) -> tuple[CardSeen, ...]:
    """Outlines for the live picture: what a card is, never what it counts, for the race may be running.

    Parameters
    ----------
    table
        The settled table.
    quads
        Corners in pixels by key.
    deck
        The deck that lies there.
    seats
        Seats of the players, or None where no match runs.
    """
    layout = find_rows(table, deck, seats)
    in_rows = {key for row in layout.rows for key in row.keys}
    seen = []
    for p in table.placements:
        if p.key not in quads or p.visible == 0.0:
            continue
        element = deck.faces.get(p.face or "")
        scoring = deck.scoring_cards.get(p.face or "")
        if p.side is Side.BACK:
            kind = "back"
        elif scoring is not None:
            kind = "scoring"
        elif element is None:
            kind = "unknown"
        else:
            kind = "row" if p.key in in_rows else "pool"
        seen.append(
            CardSeen(
                quads[p.key],
                kind,
                p.face,
                element.center if element else None,
                scoring.value if scoring else None,
                round(p.confidence, 3),
                p.confidence >= SURE,
            )
        )
    return tuple(seen)


def rows_hidden(table: TableState, unseen: frozenset[str], state: MatchState) -> bool:
    """Whether a card of a row is only remembered now: a hand lies over it."""
    if not unseen:
        return False
    layout = find_rows(table, _deck(state), tuple(p.seat for p in state.players))
    return any(key in unseen for row in layout.rows for key in row.keys)


def seen_scoring(table: TableState, deck: RoxDeck, state: MatchState | None) -> tuple[ScoringView, ...]:
    """The scoring cards that lie on the table for the round to come, without those of earlier rounds; highest first."""
    gone: set[str | None] = set()
    for r in _rounds(state) if state is not None else ():
        if r.confirmed:
            # What lay there when a round was judged is handed out or out of the game, whatever was typed.
            gone.update(c.id for c in (*r.dealt, *(read_scoring(r.table, deck) if r.table else ())))
    return tuple(c for c in _scoring(read_scoring(table, deck)) if c.id not in gone)


def _pictured(record: RoundRecord, state: MatchState) -> tuple[ScoringView, ...]:
    """Scoring cards that the judged picture surely shows, where as many others were dealt and nobody settled it."""
    settled = record.confirmed or record.agreed or any(isinstance(d, DeclaredAwards) for d in record.declarations)
    if settled or record.table is None:
        return ()
    seen = seen_scoring(record.table, _deck(state), state)
    differ = Counter(c.value for c in seen) != Counter(c.value for c in record.dealt)
    return seen if differ and len(seen) == len(record.dealt) else ()


def out_of_step(state: MatchState, table: TableState | None) -> bool:
    """Whether other scoring cards surely lie on the table than were dealt for the running round."""
    rounds = _rounds(state)
    if table is None or not rounds or state.phase not in (Phase.RACING, Phase.CHECKING):
        return False
    seen = Counter(c.value for c in seen_scoring(table, _deck(state), state))
    return bool(seen - Counter(c.value for c in rounds[-1].dealt))


def _rounds(state: MatchState) -> tuple[RoundRecord, ...]:
    return state.play.rounds if isinstance(state.play, RoxPlay) else ()


def _deck(state: MatchState) -> RoxDeck:
    if not isinstance(state.deck, RoxDeck):
        raise RefereeError("Rox needs a Rox deck.")
    return state.deck


def _scoring(cards: tuple[DealtCard, ...]) -> tuple[ScoringView, ...]:
    return tuple(ScoringView(c.value, c.id) for c in cards)


def _ruling(record: RoundRecord, state: MatchState) -> RulingView | None:
    ruling = record.ruling
    if ruling is None or ruling.status is RulingStatus.WITHHELD:
        return None
    deck = _deck(state)
    readings: dict[str, tuple[str, ...]] = {}
    for p in record.table.placements if record.table else ():
        faces = [c.face for c in p.candidates if c.face in deck.faces]
        if p.face in deck.faces:
            faces.insert(0, p.face)
        readings[p.key] = tuple(f for f in dict.fromkeys(faces) if f is not None)[:CANDIDATES_MAX]
    ranks = {r.seat: (i, r) for i, r in enumerate(ruling.ranking, start=1)}
    awards = []
    for place, award in enumerate(ruling.awards, start=1):
        rank = ranks.get(award.seat)
        awards.append(
            AwardView(
                award.seat,
                award.points,
                award.item,
                rank[0] if rank else place,
                rank[1].length if rank else None,
                rank[1].tied_with if rank else (),
            )
        )
    judged = {row.seat for row in ruling.rows}
    return RulingView(
        round=record.number,
        status=ruling.status.value,
        caller=record.ender or "",
        evidence=record.evidence,
        rows=tuple(_row(row, deck, readings) for row in ruling.rows),
        questions=tuple(QuestionView(q.rule, q.about, q.seat, q.blocking) for q in ruling.questions),
        verdicts=tuple(VerdictView(v.rule, v.call.value, v.about, v.seat, dict(v.facts)) for v in ruling.verdicts),
        awards=tuple(awards),
        left_over=ruling.left_over,
        settled=ruling.is_settled,
        missing=tuple(p.seat for p in state.players if p.seat not in judged),
        versions=1 + len(record.versions),
        dealt=_scoring(record.dealt),
        pictured=_pictured(record, state),
    )


def _row(row: RowRuling, deck: RoxDeck, readings: Mapping[str, tuple[str, ...]]) -> RowView:
    return RowView(
        row.seat,
        tuple(_card(card, _part(i, row), deck, readings.get(card.key, ())) for i, card in enumerate(row.cards)),
        row.call.value,
        row.valid_length,
        row.break_at,
        row.counts,
        row.possible_lengths,
    )


def _part(index: int, row: RowRuling) -> str:
    if index < row.valid_length:
        return "valid"
    if row.break_at is not None:
        return "wrong" if index == row.break_at else "after"
    return "open" if index < row.possible_lengths[-1] else "after"


def _card(card: CardRuling, part: str, deck: RoxDeck, readings: tuple[str, ...]) -> CardView:
    face = deck.faces.get(card.face or "")
    return CardView(
        key=card.key,
        face=card.face,
        center=face.center if face else None,
        counts=_counts(face, deck) if face else (),
        link=card.link.value if card.link else None,
        part=part,
        confidence=round(card.confidence, 4),
        declared=card.declared,
        overruled=card.overruled,
        candidates=readings,
    )


def _counts(face: RoxFace, deck: RoxDeck) -> tuple[tuple[str, int], ...]:
    order = {e: i for i, e in enumerate(deck.elements)}
    return tuple(sorted(face.edge.items(), key=lambda item: (-item[1], order[item[0]])))
