"""Rows are found by how cards lie, for any card size, side, sloppiness and heap."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from scoring.rows import find_rows
from scoring.seats import SIDES
from scoring.table import Side, TableState
from tests.scoring.layouts import SIZES, MadeTable, card, make_deck, make_table, moved, tidy_table

SEEDS = range(80)


def found(made: MadeTable, table: TableState | None = None) -> dict[str, tuple[str, ...]]:
    return {r.seat: r.keys for r in find_rows(table or made.table, made.deck).rows}


def test_rows_of_random_tables_are_read_exactly() -> None:
    """All but the few heaps in which a loose card by chance continues a row as a player would have laid it."""
    wrong = [seed for seed in SEEDS if found(made := make_table(seed)) != made.rows]
    assert len(wrong) <= 0.025 * len(SEEDS), wrong


@pytest.mark.parametrize("size", SIZES)
def test_every_card_size_works(size: tuple[float, float]) -> None:
    """Also squares, small cards and long ones."""
    wrong = [s for s in range(300, 306) if found(made := make_table(s, size=size)) != made.rows]
    assert len(wrong) <= 1, wrong


def test_pool_scoring_and_unknown_cards_are_told_apart() -> None:
    """Every placement is in exactly one part of the layout."""
    made = make_table(3)
    layout = find_rows(made.table, made.deck)
    parts = [k for r in layout.rows for k in r.keys] + [*layout.pool, *layout.scoring, *layout.other]
    assert sorted(parts) == sorted(p.key for p in made.table.placements)
    assert set(layout.pool) == set(made.pool)
    assert all(made.table.placement(k).face in made.deck.scoring_cards for k in layout.scoring)
    assert all(made.table.placement(k).face is None for k in layout.other)


@pytest.mark.parametrize("seed", [1, 8, 21])
@pytest.mark.parametrize("turn", [0.4, math.pi / 2, -2.5])
def test_moving_and_turning_the_whole_table_changes_nothing(seed: int, turn: float) -> None:
    """The view turns with the table, so the seats stay too."""
    made = make_table(seed)
    assert found(made, moved(made.table, 310.0, -70.0, turn)) == found(made)


@pytest.mark.parametrize("seed", [2, 9, 30])
def test_the_order_of_the_placements_changes_nothing(seed: int) -> None:
    """A detector may report cards in any order."""
    made = make_table(seed)
    assert found(made, replace(made.table, placements=made.table.placements[::-1])) == found(made)


@pytest.mark.parametrize("seat", SIDES)
def test_a_row_that_lies_upside_down_belongs_to_the_side_where_it_lies(seat: str) -> None:
    """Where a row lies says more than which way its cards were turned."""
    deck = make_deck()
    row = list(deck.faces)[:4]
    table = tidy_table(deck, {seat: row}, pool=tuple(list(deck.faces)[10:18]))
    over = tuple(
        replace(p, pose=replace(p.pose, angle_rad=p.pose.angle_rad + math.pi)) if p.key in row else p
        for p in table.placements
    )
    (got,) = find_rows(TableState(over, table.view), deck).rows
    assert (got.seat, list(got.keys)) == (seat, row)


@pytest.mark.parametrize("seed", range(40, 50))
def test_an_unreadable_card_stays_in_its_row(seed: int) -> None:
    """An outline without a name, turned either way, keeps its place among named cards."""
    made = make_table(seed, lengths={"south": 5, "east": 4}, pool=14)
    key = made.rows["south"][seed % 5]
    blind = tuple(
        replace(
            p, face=None, side=Side.UNKNOWN, pose=replace(p.pose, angle_rad=p.pose.angle_rad + math.pi * (seed % 2))
        )
        if p.key == key
        else p
        for p in made.table.placements
    )
    assert found(made, replace(made.table, placements=blind))["south"] == made.rows["south"]


def test_an_outline_without_a_name_may_give_its_sides_in_either_order() -> None:
    """Without a face nobody knows which side is the top."""
    deck = make_deck()
    row = list(deck.faces)[:5]
    table = tidy_table(deck, {"west": row}, confidence={row[2]: 0})
    p = table.placement(row[2])
    swapped = replace(p, size_mm=p.size_mm[::-1], pose=replace(p.pose, angle_rad=p.pose.angle_rad + math.pi / 2))
    table = replace(table, placements=tuple(swapped if q.key == p.key else q for q in table.placements))
    assert find_rows(table, deck).rows[0].keys == tuple(row)


def test_outlines_without_names_alone_are_no_row() -> None:
    """Four face-down cards beside each other are nobody's row, and other things are no cards at all."""
    deck = make_deck()
    row = list(deck.faces)[:4]
    table = tidy_table(deck, {"south": row}, confidence=dict.fromkeys(row, 0.0))
    layout = find_rows(table, deck)
    assert (layout.rows, layout.pool, sorted(layout.other)) == ((), (), sorted(row))


def test_a_phone_beside_a_row_is_no_card_of_it() -> None:
    """An outline of another size at the end of a row stays outside."""
    deck = make_deck()
    row = list(deck.faces)[:3]
    table = tidy_table(deck, {"south": row})
    last = table.placement(row[-1])
    phone = card("phone", None, (last.pose.x_mm + 75, last.pose.y_mm), 0.0, (72.0, 150.0))
    layout = find_rows(TableState((*table.placements, phone), table.view), deck)
    assert (layout.rows[0].keys, layout.other) == (tuple(row), ("phone",))


def test_a_lone_card_at_its_side_is_a_row_and_one_in_the_middle_is_not() -> None:
    """At the start each player has one card in front."""
    deck = make_deck()
    a, b, c = list(deck.faces)[:3]
    table = tidy_table(deck, {"south": [a], "west": [b]}, pool=(c,))
    layout = find_rows(table, deck)
    assert {r.seat: r.keys for r in layout.rows} == {"south": (a,), "west": (b,)}
    assert layout.pool == (c,)


def test_scoring_cards_in_a_row_of_their_own_are_never_a_row() -> None:
    """Even where they lie at a side, straight and beside each other."""
    deck = make_deck()
    table = tidy_table(deck, {"north": ["P01", "P02", "P03"], "south": list(deck.faces)[:3]})
    layout = find_rows(table, deck)
    assert [r.seat for r in layout.rows] == ["south"]
    assert layout.scoring == ("P01", "P02", "P03")


def test_a_row_has_six_cards_at_most() -> None:
    """A seventh card beside six is none of the row."""
    deck = make_deck()
    table = tidy_table(deck, {"south": list(deck.faces)[:7]})
    (row,) = find_rows(table, deck).rows
    assert len(row.keys) == 6


def test_only_taken_seats_have_rows_where_the_seats_are_known() -> None:
    """Cards straight in front of an empty chair are loose cards."""
    deck = make_deck()
    faces = list(deck.faces)
    table = tidy_table(deck, {"south": faces[:3], "north": faces[3:6], "east": faces[6:9]})
    layout = find_rows(table, deck, ("south", "north"))
    assert [r.seat for r in layout.rows] == ["south", "north"]
    assert set(layout.pool) == set(faces[6:9])


def test_an_empty_table_has_no_rows() -> None:
    """Nothing lies there."""
    layout = find_rows(TableState((), ((0.0, 0.0), (9.0, 0.0), (9.0, 5.0), (0.0, 5.0))), make_deck())
    assert (layout.rows, layout.pool, layout.scoring, layout.other) == ((), (), (), ())
