"""Properties of the whole ruling: what must never change a call, and what may only make it unsure."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.events import DealtCard
from scoring.games.rox import judge_round
from scoring.table import TableState
from scoring.verdicts import Call, Ruling
from tests.scoring.layouts import MadeTable, make_table, moved

LENGTHS = {"south": 6, "west": 3, "north": 5, "east": 4}


def made(seed: int) -> MadeTable:
    rng = random.Random(seed)
    seats = rng.sample(sorted(LENGTHS), rng.randint(2, 4))
    broken = {s: rng.randint(1, 4) for s in seats if rng.random() < 0.5}
    return make_table(seed, {s: LENGTHS[s] for s in seats}, pool=rng.randint(3, 8), broken=broken)


def ruling(made_table: MadeTable, table: TableState | None = None) -> Ruling:
    seats = tuple(made_table.rows)
    dealt = [DealtCard(v) for v in (9, 5, 2)[: len(seats) - 1]]
    return judge_round(table or made_table.table, made_table.deck, seats, seats[0], dealt)


def calls(said: Ruling) -> dict[str, list[tuple[str, Call | None]]]:
    return {r.seat: [(c.key, c.link) for c in r.cards] for r in said.rows}


@settings(max_examples=25)
@given(st.integers(0, 400), st.floats(-2000, 2000), st.floats(-2000, 2000), st.floats(-math.pi, math.pi))
def test_moving_and_turning_the_whole_table_changes_no_call(seed: int, dx: float, dy: float, turn: float) -> None:
    """The camera may stand anywhere."""
    m = made(seed)
    assert calls(ruling(m, moved(m.table, dx, dy, turn))) == calls(ruling(m))


@settings(max_examples=25)
@given(st.integers(0, 400), st.randoms(use_true_random=False))
def test_the_order_of_the_placements_changes_no_call(seed: int, rng: random.Random) -> None:
    """A detector reports cards in any order."""
    m = made(seed)
    pieces = list(m.table.placements)
    rng.shuffle(pieces)
    shuffled = ruling(m, replace(m.table, placements=tuple(pieces)))
    assert shuffled == ruling(m)


@settings(max_examples=25)
@given(st.integers(0, 400), st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=6))
def test_a_larger_doubt_only_moves_a_call_towards_unsure(seed: int, doubts: list[tuple[int, float]]) -> None:
    """Lower confidence makes a link unsure or leaves it; it never turns valid into broken or back."""
    m = made(seed)
    sure = calls(ruling(m))
    pieces = list(m.table.placements)
    for at, confidence in doubts:
        piece = pieces[at % len(pieces)]
        pieces[at % len(pieces)] = replace(piece, confidence=min(piece.confidence, confidence))
    doubtful = calls(ruling(m, replace(m.table, placements=tuple(pieces))))
    assert sure.keys() == doubtful.keys()
    for seat, links in sure.items():
        for (key, before), (same_key, after) in zip(links, doubtful[seat], strict=True):
            assert key == same_key
            assert after in (before, Call.UNCERTAIN)


@settings(max_examples=25)
@given(st.integers(0, 400), st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=6))
def test_a_doubtful_table_gives_the_sure_hand_out_or_asks(seed: int, doubts: list[tuple[int, float]]) -> None:
    """Doubt never hands a scoring card to somebody else."""
    m = made(seed)
    pieces = list(m.table.placements)
    for at, confidence in doubts:
        piece = pieces[at % len(pieces)]
        pieces[at % len(pieces)] = replace(piece, confidence=min(piece.confidence, confidence))
    doubtful = ruling(m, replace(m.table, placements=tuple(pieces)))
    if doubtful.is_settled:
        assert doubtful.awards == ruling(m).awards
    else:
        assert doubtful.awards == ()
        assert any(q.blocking for q in doubtful.questions)


@settings(max_examples=25)
@given(st.integers(0, 400))
def test_awards_follow_from_the_rows_alone(seed: int) -> None:
    """Taking the loose cards off the table changes nothing that counts."""
    m = made(seed)
    bare = replace(m.table, placements=tuple(p for p in m.table.placements if p.key not in m.pool))
    assert ruling(m, bare).awards == ruling(m).awards
