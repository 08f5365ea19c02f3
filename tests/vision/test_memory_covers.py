"""Who lies on whom, apart from any picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.geometry import signed_gap_mm
from vision.tracking.covers import Lying, Stack, layers, overlap_depth

places = st.tuples(st.floats(-80, 80), st.floats(-80, 80), st.floats(0, 360))


def outline(x: float, y: float, deg: float = 0.0) -> np.ndarray:
    a = np.radians(deg)
    local = np.array([[-30.0, -45.0], [30.0, -45.0], [30.0, 45.0], [-30.0, 45.0]])
    return local @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + [x, y]


def card(key: str, x: float, y: float, laid: int = 1, visible: float | None = None, sigma_mm: float = 0.2) -> Lying:
    return Lying(key, outline(x, y), sigma_mm, laid, visible)


@given(places, places)
@settings(max_examples=200, deadline=None)
def test_depth_is_the_shortest_way_apart(a: tuple[float, float, float], b: tuple[float, float, float]) -> None:
    """The depth of an overlap agrees with the rules' own geometry; outlines apart have none."""
    p, q = outline(*a), outline(*b)
    gap = signed_gap_mm([tuple(v) for v in p], [tuple(v) for v in q])
    if gap < 0:
        assert overlap_depth(p, q) == pytest.approx(-gap, abs=1e-6)
    elif gap > 1e-6:
        assert overlap_depth(p, q) < 0


def test_outlines_that_may_just_touch_are_no_pile() -> None:
    """An overlap within what is uncertain of the outlines counts only where the eye sees one card on the other."""
    a, b = card("a", 0, 0), card("b", 59.6, 0, laid=2)
    assert Stack().find([a, b]) == ()
    assert Stack().find([a, b], [("b", "a")]) == (("b", "a"),)
    assert Stack().find([a, card("b", 57, 0, laid=2)]) == (("b", "a"),)
    assert Stack().find([a, card("b", 61, 0)], [("b", "a")]) == ()


def test_later_card_lies_above() -> None:
    """Whatever the order in which the cards are told."""
    a, b = card("a", 0, 0, laid=3), card("b", 40, 0, laid=2)
    assert Stack().find([a, b]) == Stack().find([b, a]) == (("a", "b"),)


def test_card_seen_whole_lies_above() -> None:
    """Of two cards laid at the same time the one that misses what they share lies below."""
    share = 20 * 90 / (60 * 90)
    cards = [card("a", 0, 0, visible=1 - share), card("b", 40, 0, visible=1.0)]
    assert Stack().find(cards) == (("b", "a"),)
    cards = [card("a", 0, 0, visible=1.0), card("b", 40, 0, visible=1 - share)]
    assert Stack().find(cards) == (("a", "b"),)


def test_row_of_overlapping_cards_is_told_as_a_whole() -> None:
    """What a card misses may be hidden by either neighbour: all are weighed together."""
    share = 20 / 60
    visible = {"a": 1 - share, "b": 1.0, "c": 1 - 2 * share, "d": 1.0}
    cards = [card(key, 40.0 * n, 0, visible=v) for n, (key, v) in enumerate(visible.items())]
    assert set(Stack().find(cards)) == {("b", "a"), ("b", "c"), ("d", "c")}


def test_hidden_card_says_nothing_of_its_neighbours() -> None:
    """A card under an arm is not the lower one because little of it is seen."""
    cards = [card("a", 0, 0, laid=2, visible=None), card("b", 40, 0, laid=1, visible=1.0)]
    assert Stack().find(cards) == (("a", "b"),)


def test_what_was_shown_is_remembered_until_a_card_is_laid_anew() -> None:
    """A look that says nothing changes nothing; a card that was moved starts afresh; a single contrary look loses."""
    stack = Stack()
    a, b = card("a", 0, 0), card("b", 40, 0)
    for _ in range(3):
        assert stack.find([a, b], [("a", "b")]) == (("a", "b"),)
    assert stack.find([a, b]) == (("a", "b"),)
    assert stack.find([a, b], [("b", "a")]) == (("a", "b"),)
    assert stack.find([a, card("b", 40, 0, laid=2)]) == (("b", "a"),)


def test_unknown_keys_are_ignored() -> None:
    """Cards that are not told cover nothing."""
    assert Stack().find([card("a", 0, 0)], [("x", "a"), ("a", "a")]) == ()


def test_layers_of_a_pile() -> None:
    """The highest pile below counts; cards that lie on each other in a ring end somewhere."""
    assert layers("abcd", [("b", "a"), ("c", "b"), ("c", "a"), ("d", "a")]) == {"a": 0, "b": 1, "c": 2, "d": 1}
    ring = layers("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert all(0 <= level <= 2 for level in ring.values())
    assert layers("", []) == {}
