"""Silver dice for tests: one seen over a corner, and one seen from above."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cube(size: tuple[int, int], beside: Any) -> Floats:
    """(rows, columns, 3) a card of that width and height with a die over its corner, some pixels off its middle."""
    face, middle = _card(size, beside)
    angle = np.radians(np.arange(6) * 60 - 90)
    six = middle + 45 * np.stack([np.cos(angle), np.sin(angle)], 1)
    for (a, b, c), tone in zip(((5, 0, 1), (1, 2, 3), (3, 4, 5)), (225, 140, 180), strict=True):
        cv2.fillPoly(face, [np.round([middle, six[a], six[b], six[c]]).astype(np.int32)], (tone, tone, tone))
    return face


def square(size: tuple[int, int], beside: Any) -> Floats:
    """The same with five pips of a die seen from above."""
    face, middle = _card(size, beside)
    low, high = ((middle + d).astype(int).tolist() for d in (-35, 35))
    cv2.rectangle(face, low, high, (185, 188, 192), -1)
    for u, v in ((-18, -18), (18, -18), (0, 0), (-18, 18), (18, 18)):
        cv2.circle(face, (middle + [u, v]).astype(int).tolist(), 6, (90, 90, 96), -1)
    return face


def _card(size: tuple[int, int], beside: Any) -> tuple[Floats, Floats]:
    face = np.full((size[1], size[0], 3), (90.0, 50, 130))
    return face, np.array([(size[0] - 1) / 2, (size[1] - 1) / 2]) + beside
