"""Cards of two layouts are told apart whichever side of them is up."""

from __future__ import annotations

import numpy as np

from calibration.capture.rox.layouts import two_layouts
from vision.types import Rgb


def _card(marks: list[tuple[int, int]], turns: int, seed: int) -> Rgb:
    """A square white card with dark marks, a little noise, turned by quarters."""
    face = np.full((96, 96, 3), 235.0) + np.random.default_rng(seed).normal(0, 3, (96, 96, 3))
    for x, y in marks:
        face[y : y + 14, x : x + 22] = 40
    return np.ascontiguousarray(np.rot90(np.clip(face, 0, 255).astype(np.uint8), turns))


def test_square_cards_that_lie_a_quarter_turned_are_of_their_own_layout() -> None:
    """Most lie one way; some were laid with another side up."""
    ringed = [(4, 4), (37, 4), (70, 4), (4, 24), (37, 24), (70, 24)]
    cards = [_card(ringed, 1 if n % 3 == 0 else 0, n) for n in range(20)]
    cards += [_card([(37, 41)], n % 4, 50 + n) for n in range(8)]
    parted = two_layouts(cards)
    assert parted is not None
    assert sorted([set(parted[:20].tolist()), set(parted[20:].tolist())], key=str) == [{False}, {True}]
