"""Readings of one table from two planes are laid onto each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.align import AGREE_MM, STAY, Rigid, alignment
from scoring.table import Placement, TableState
from tests.conex_table import board, card, table

moves = st.builds(Rigid, st.floats(-3.1, 3.1), st.floats(-500, 500), st.floats(-500, 500))


def apart(a: TableState, b: TableState) -> float:
    return max(
        math.dist(p, q)
        for x, y in zip(a.placements, b.placements, strict=True)
        for p, q in zip(x.corners(), y.corners(), strict=True)
    )


CARDS = (card("1", "C01", 100, 0), card("2", "C02", 210, 40, 0.4), card("3", "C03", -150, 90, 2.0))


@given(moves)
def test_moved_plane_is_moved_back(move: Rigid) -> None:
    """The same table on another plane lies where it lay, whatever the plane; a hair's breadth is left alone."""
    lay = table(*CARDS)
    moved = move.table(lay)
    found = alignment(lay, moved)
    assert apart(found.table(moved), lay) <= (AGREE_MM + 1e-9 if found is STAY else 1e-6)


@given(moves, st.tuples(st.floats(-300, 300), st.floats(-300, 300)))
def test_back_undoes_a_move(move: Rigid, point: tuple[float, float]) -> None:
    """There and back again is where one was."""
    assert math.dist(move.back()(move(point)), point) < 1e-6


def test_what_lies_still_is_not_moved_by_a_card_laid_anew() -> None:
    """One card that was laid elsewhere and one that is new change nothing for the others."""
    before = table(*CARDS[:2])
    after = table(CARDS[0], card("2", "C02", -60, 200), CARDS[2])
    assert alignment(before, after) is STAY


def test_card_laid_anew_on_a_moved_plane_stands_alone() -> None:
    """The pieces that agree tell the move; the one that was laid elsewhere does not pull at it."""
    before = table(*CARDS)
    after = Rigid(0.2, 30, -40).table(table(*CARDS[:2], card("3", "C03", 20, 200)))
    back = alignment(before, after).table(after)
    assert apart(TableState(back.placements[:2], back.view), TableState(CARDS[:2], back.view)) < 1e-6
    assert back.board is not None
    assert back.board.pose.x_mm == pytest.approx(board().pose.x_mm, abs=1e-6)


def test_doubtful_names_and_strangers_tell_nothing() -> None:
    """Without a piece that is surely in both tables they stay as they are."""
    doubtful = Placement("1", "C01", CARDS[1].pose, CARDS[1].size_mm, confidence=0.3)
    view = table().view
    assert alignment(TableState((CARDS[0],), view), TableState((doubtful, CARDS[2]), view)) is STAY
