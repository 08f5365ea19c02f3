"""The proportion of cards is seen on their photos, and their shorter side stated."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.capture.cards import LaidCard
from calibration.capture.deck import Photo, Wishes, cards_as_seen

STATED = (59.0, 92.0)


def photo(name: str, first: list[tuple[float, float]], again: tuple[float, float]) -> Photo:
    """A photo on which cards of some sizes were found, and as many once a size is looked for again."""
    quad = np.array([[0.0, 0], [60, 0], [60, 60], [0, 60]])
    found = {f"cards {size}": [LaidCard(0, quad, s) for s in own] for size, own in ((again, [again] * len(first)),)}
    found[f"cards {STATED}"] = [LaidCard(0, quad, s) for s in first]
    return Photo(name, np.zeros((8, 8, 3), np.uint8), found)


def said(what: str) -> None:
    """Nobody listens."""


@pytest.mark.parametrize(
    ("seen", "size"),
    [((59.0, 59.4), (59.0, 59.0)), ((59.0, 60.2), (59.0, 59.0)), ((59.0, 82.4), (59.0, 82.4))],
)
def test_cards_of_another_proportion_are_looked_for_as_such(
    seen: tuple[float, float], size: tuple[float, float]
) -> None:
    """What is hardly longer than wide is square; the stated shorter side stays, and all cards are of one size."""
    photos = [photo("0", [seen] * 12, size), photo("1", [(59.0, seen[1] + 0.3), seen, STATED], size)]
    wishes, cards = cards_as_seen(photos, Wishes(STATED), said)
    assert wishes.card_mm == size
    assert [c.size_mm for c in cards] == [size] * 15
    assert [c.photo for c in cards] == [0] * 12 + [1] * 3


def test_cards_of_the_stated_size_are_believed() -> None:
    """Some of another size, or many of sizes that agree on nothing, change nothing."""
    few = photo("0", [STATED] * 12 + [(59.0, 59.2)] * 11, STATED)
    astray = photo("1", [STATED] * 2 + [(59.0, 59.0 + 4 * n) for n in range(10)], STATED)
    for one in (few, astray):
        before = one.found[f"cards {STATED}"]
        wishes, cards = cards_as_seen([one], Wishes(STATED), said)
        assert wishes.card_mm == STATED
        assert len(cards) == len(before)
