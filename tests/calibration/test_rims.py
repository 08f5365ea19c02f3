"""Rims of laid pieces, told from rough outlines on drawn photographs."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.capture.cactus.plate_edges import Floats
from calibration.capture.cactus.plate_rims import clearest, refine_rims
from calibration.capture.cactus.plate_view import PlateView, Traced

_SQUARE = np.array([[60, 60], [140, 60], [140, 130], [60, 130.0]])
_SIDE = 5
_ROUNDED = 5
"""Quarters of a pixel over which the rim is rounded."""
_VIEW = PlateView.of(np.array([100.0, 400.0]), 3.0, 300.0, np.array([100.0, 100.0]))


def _photo() -> Traced:
    """A red square on a grey table, rounded towards its darker side below it, and a soft shadow about it."""
    big = np.full((800, 800, 3), 0.62, np.float32)
    cv2.rectangle(big, (240, 260), (600, 590), (0.45, 0.45, 0.45), -1)
    big = cv2.GaussianBlur(big, (0, 0), 14)
    cv2.rectangle(big, (240, 240), (559, 519 + 4 * _SIDE), (0.42, 0.08, 0.06), -1)
    for row in range(240, 520):
        light = min(1.0, 0.56 + 0.44 * (519 - row) / _ROUNDED)
        big[row, 240:560] = np.array([0.75, 0.16, 0.12]) * light
    noise = np.random.default_rng(1).normal(0, 0.01, (200, 200, 3)).astype(np.float32)
    rgb: Floats = np.clip(
        cv2.resize(cv2.GaussianBlur(big, (0, 0), 3), (200, 200), interpolation=cv2.INTER_AREA) + noise, 0, 1
    )
    bare = np.full_like(rgb, 0.62)
    covered = np.zeros((200, 200), np.uint8)
    covered[60:135, 60:140] = 1
    return Traced((200, 200), rgb * 50, bare * 50, rgb, bare, covered, (_SQUARE,), np.array([[37, 8, 6.0]]))


def _sides(outline: np.ndarray) -> list[float]:
    """Where its left, upper, right and lower side are, halfway between the corners."""
    x, y = outline.T
    tall, wide = np.abs(y - 95) < 20, np.abs(x - 100) < 25
    return [
        float(np.median(v)) for v in (x[tall & (x < 100)], y[wide & (y < 95)], x[tall & (x > 100)], y[wide & (y > 95)])
    ]


@pytest.mark.parametrize("off", [-2.0, 1.5, 4.0])
def test_a_rim_is_found_from_a_rough_outline(off: float) -> None:
    """One that is too small as well as one that took the side for a part of the face, to a fraction of a pixel."""
    grown = _SQUARE + [[-1, -1], [1, -1], [1, 1], [-1, 1]] * np.array([1, 1]) * min(off, 1.5)
    grown[2:, 1] = _SQUARE[2:, 1] + off
    (told,) = refine_rims(_photo(), _VIEW, [grown])
    assert _sides(told) == pytest.approx([59.5, 59.5, 139.5, 129.5], abs=0.6)


def test_of_two_outlines_the_clearer_one_is_taken() -> None:
    """One that has lost half of the piece is told with more doubt."""
    lost = _SQUARE * [1, 0.5] + [0, 30]
    assert clearest(_photo(), _VIEW, [lost, _SQUARE]) is _SQUARE
