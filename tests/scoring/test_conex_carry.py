"""A picture read for itself keeps what the match knows: cards below others, and the order in which they were laid."""

from __future__ import annotations

from dataclasses import replace

from scoring.games.conex_carry import HIDDEN_SHARE, carried
from scoring.table import TableState
from tests.scoring.conex_tables import card, table

BELOW = card("max", 0, 0)
LEFT = card("nele", -40, 0)
RIGHT = card("plus", 40, 0)
KNOWN = table(BELOW, LEFT, RIGHT, covers=(("nele", "max"), ("plus", "max")))
"""Two thirds of a card lie below two others: only a strip of it can be seen."""


def seen(*pieces: object, covers: tuple[tuple[str, str], ...] = ()) -> TableState:
    return table(*pieces, covers=covers)  # type: ignore[arg-type]


def test_a_card_below_others_stays_unseen() -> None:
    """It lies where it lay, in its layer; nobody can have taken it."""
    now = carried(KNOWN, seen(LEFT, RIGHT), free=False)
    assert {p.key: (p.visible, p.layer) for p in now.placements} == {"max": (0, 0), "nele": (1, 1), "plus": (1, 1)}
    assert set(now.covers) == set(KNOWN.covers)
    assert now.placement("max").pose == BELOW.pose


def test_a_card_in_the_open_is_gone() -> None:
    """What hardly lies below anything would be seen if it lay there."""
    aside = replace(KNOWN, placements=(BELOW, card("nele", -55, 0)), covers=(("nele", "max"),))
    now = carried(aside, seen(card("nele", -55, 0)), free=False)
    assert [p.key for p in now.placements] == ["nele"]
    taken = carried(KNOWN, seen(BELOW, RIGHT, covers=(("plus", "max"),)), free=False)
    assert {p.key for p in taken.placements} == {"max", "plus"}
    assert 5 / 60 < HIDDEN_SHARE < 20 / 60


def test_a_card_whose_lid_was_moved_is_not_invented() -> None:
    """Where nothing lies any more nothing is hidden."""
    now = carried(KNOWN, seen(card("nele", -90, 0), card("plus", 90, 0)), free=False)
    assert {p.key for p in now.placements} == {"nele", "plus"}


def test_a_new_card_hides_one_unless_it_may_have_been_taken() -> None:
    """With the lightning star in hand a card may be gone and another lie in its place: then nothing is said."""
    known, new = table(BELOW), card("big", 5, 5)
    assert carried(known, seen(new), free=False).covers == (("big", "max"),)
    assert {p.key for p in carried(known, seen(new), free=True).placements} == {"big"}


def test_what_lies_as_it_lay_lies_on_the_same() -> None:
    """The picture read it the other way round; a new card lies above, whatever was read."""
    new = card("big", 0, 80)
    turned = seen(BELOW, LEFT, RIGHT, new, covers=(("max", "nele"), ("max", "plus"), ("max", "big")))
    now = carried(KNOWN, turned, free=False)
    assert set(now.covers) == {("nele", "max"), ("plus", "max"), ("big", "max")}
    assert now.placement("max").layer == 0


def test_a_ring_of_covers_has_an_end() -> None:
    """An error of reading costs no time."""
    a, b, c = card("max", 0, 0), card("nele", 30, 0), card("plus", 60, 0)
    ring = (("max", "nele"), ("nele", "plus"), ("plus", "max"))
    assert len(carried(table(), seen(a, b, c, covers=ring), free=False).placements) == 3
