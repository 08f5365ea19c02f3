"""More pieces than the game has are not believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.capture.cactus.spots import _printed, without_unlikely

PIECES = 35


@dataclass
class _Photo:
    chances: tuple[float, ...]

    def only(self, which: list[int]) -> _Photo:
        return _Photo(tuple(self.chances[i] for i in which))


def test_the_least_likely_of_too_many_are_left_out() -> None:
    """As many as there are too many, on whichever photo they are."""
    kept, spots = without_unlikely([_Photo((0.95,) * 20 + (0.8, 0.85)), _Photo((0.94,) * 15 + (0.75,))], PIECES)  # type: ignore[list-item]
    assert spots == 3
    assert [len(p.chances) for p in kept] == [20, 15]


def test_a_piece_that_lies_on_two_photos_stays() -> None:
    """What surely is a piece is none too many; and nothing is left out where there are not too many."""
    for photos in ([_Photo((0.97,) * 20), _Photo((0.96,) * 20)], [_Photo((0.8,) * PIECES)]):
        assert without_unlikely(photos, PIECES) == (photos, 0)  # type: ignore[arg-type]


def test_what_is_there_again_and_again_is_no_piece() -> None:
    """Dots of one colour and size are a cloth's; a piece of another colour, form or size among them is none of them."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    dot = np.stack([np.cos(angle), np.sin(angle)], 1) * 20
    bar = np.array([[-40.0, -8], [40, -8], [40, 8], [-40, 8]])
    outlines = [dot + 50 * i for i in range(5)] + [dot, 1.5 * dot, bar]
    labs = np.array([[80.0, 0, 0]] * 5 + [[40.0, 40, 20]] + [[80.0, 0, 0]] * 2)
    assert _printed(outlines, labs).tolist() == [True] * 5 + [False] * 3
    assert not _printed(outlines[:3], labs[:3]).any()
