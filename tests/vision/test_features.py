"""Cards guessed by their print, where outlines cannot be told."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph
from vision.cards.features import guess_by_print
from vision.cards.quads import overlap
from vision.deck import DeckAppearance


@pytest.fixture(scope="module")
def heap(small_art: DeckArt) -> Photo:
    """Ten cards thrown on each other."""
    rng = np.random.default_rng(6)
    places = [(float(rng.normal(0, 55)), float(rng.normal(0, 30)), float(rng.uniform(0, 6.28))) for _ in range(10)]
    return photograph(small_art, [(f"R{5 * n + 3:02d}", p) for n, p in enumerate(places)], region_mm=(260, 150))


def found(guesses: list, photo: Photo, least: float) -> list[bool]:
    """Whether each card that can be seen well is among the guesses."""
    seen = [c for c, v in zip(photo.cards, photo.visible, strict=True) if v > least]
    return [max((overlap(g.quad_px, c.quad_px) for g in guesses), default=0.0) > 0.7 for c in seen]


def test_cards_of_a_heap_are_guessed(heap: Photo, small: DeckAppearance) -> None:
    """Most cards of which most is seen are among the guesses; guesses come with the best supported first."""
    guesses = guess_by_print(heap.rgb, small.sets[0])
    told = found(guesses, heap, 0.7)
    assert len(told) >= 4
    assert np.mean(told) >= 0.7
    votes = [g.votes for g in guesses]
    assert votes[0] == max(votes)


def test_guesses_are_in_printed_order(heap: Photo, small: DeckAppearance) -> None:
    """The best guess of an open card starts near its printed top-left corner, whichever way it lies."""
    guesses = guess_by_print(heap.rgb, small.sets[0])
    right = []
    for card, visible in zip(heap.cards, heap.visible, strict=True):
        near = [g for g in guesses if overlap(g.quad_px, card.quad_px) > 0.7]
        if visible > 0.7 and near:
            best = max(near, key=lambda g: g.votes)
            size = np.linalg.norm(card.quad_px[2] - card.quad_px[0])
            right.append(np.linalg.norm(best.quad_px - card.quad_px, axis=1).max() < 0.3 * size)
    assert len(right) >= 3
    assert np.mean(right) >= 0.6


def test_a_mask_says_where_to_look(heap: Photo, small: DeckAppearance) -> None:
    """Nothing is guessed where nobody asked."""
    mask = np.zeros(heap.rgb.shape[:2], np.uint8)
    mask[:, :480] = 255
    guesses = guess_by_print(heap.rgb, small.sets[0], mask)
    assert guesses
    assert all(g.quad_px[:, 0].min() < 480 for g in guesses)


def test_a_picture_without_print_gives_no_guess(small: DeckAppearance) -> None:
    """A flat picture has nothing that speaks for a card."""
    assert guess_by_print(np.full((300, 400, 3), 120, np.uint8), small.sets[0]) == []


@pytest.mark.parametrize("px_per_mm", [None, 3.5])
def test_a_known_scale_changes_no_place(heap: Photo, small: DeckAppearance, px_per_mm: float | None) -> None:
    """Where the picture is made coarser first, the answer is still in its own pixels."""
    guesses = guess_by_print(heap.rgb, small.sets[0], None, px_per_mm)
    assert np.mean(found(guesses, heap, 0.7)) >= 0.5
