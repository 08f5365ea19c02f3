"""Digits of any typeface, read from the shape of their ink.

A small network (one hidden layer) was trained on the digits of many typefaces, upright and a little slanted; it also
knows what is no upright digit. It was trained by `tests/training/train_digits.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

MODEL = Path(__file__).parents[1] / "models" / "digits.npz"
SIDE = 20
"""Rows and columns in which a digit is read."""
FILLED = 16
"""Of those how many its longer side fills."""
NONE = 10
"""The class of what is no upright digit."""


@dataclass(frozen=True, slots=True)
class DigitReading:
    """A digit, the direction its head points to (rad, 0 is up, clockwise), and how sure it is against all others."""

    digit: int
    turn_rad: float
    probability: float


@lru_cache(maxsize=1)
def _weights() -> tuple[Floats, ...]:
    with np.load(MODEL) as data:
        return tuple(data[k].astype(np.float32) for k in ("w1", "b1", "w2", "b2", "w3", "b3"))


def probabilities(pictures: Floats) -> Floats:
    """(n, 11) of pictures (n, 20, 20), 0 paper to 1 ink: the ten digits, and no upright digit."""
    w1, b1, w2, b2, w3, b3 = _weights()
    x = np.maximum(pictures.reshape(len(pictures), -1) @ w1 + b1, 0)
    x = np.maximum(x @ w2 + b2, 0)
    z = x @ w3 + b3
    e = np.exp(z - z.max(1, keepdims=True))
    return np.asarray(e / e.sum(1, keepdims=True), np.float32)


def framed(ink: Floats, turn_rad: float = 0.0) -> Floats | None:
    """(20, 20) the ink turned upright and brought to one size; None where there is none.

    Parameters
    ----------
    ink
        (rows, columns) 0 paper to 1 ink.
    turn_rad
        Direction of the digit's head, clockwise from up.
    """
    if turn_rad:
        side = int(np.ceil(np.hypot(*ink.shape))) + 2
        M = cv2.getRotationMatrix2D(((ink.shape[1] - 1) / 2, (ink.shape[0] - 1) / 2), float(np.degrees(turn_rad)), 1.0)
        M = M + np.array([[0, 0, (side - ink.shape[1]) / 2], [0, 0, (side - ink.shape[0]) / 2]])
        ink = np.asarray(cv2.warpAffine(ink, M, (side, side), flags=cv2.INTER_LINEAR), np.float32)
    rows, columns = np.nonzero(ink > 0.5)
    if len(rows) < 6:
        return None
    x0, x1, y0, y1 = columns.min(), columns.max(), rows.min(), rows.max()
    scale = FILLED / (max(x1 - x0, y1 - y0) + 1)
    M = np.array(
        [
            [scale, 0, (SIDE - 1) / 2 - scale * (x0 + x1) / 2],
            [0, scale, (SIDE - 1) / 2 - scale * (y0 + y1) / 2],
        ]
    )
    if scale < 1:
        ink = np.asarray(cv2.GaussianBlur(ink, (0, 0), 0.4 / scale), np.float32)
    return np.asarray(cv2.warpAffine(ink, M, (SIDE, SIDE), flags=cv2.INTER_LINEAR), np.float32)


def turned_probabilities(ink: Floats, turns_rad: NDArray[np.float64]) -> tuple[NDArray[np.intp], Floats]:
    """Numbers (n,) of those directions in which there is ink, and (n, 11) what it is if its head points there."""
    pictures, kept = [], []
    for k, turn in enumerate(turns_rad):
        one = framed(ink, float(turn))
        if one is not None:
            pictures.append(one)
            kept.append(k)
    if not pictures:
        return np.zeros(0, np.intp), np.zeros((0, NONE + 1), np.float32)
    return np.array(kept, np.intp), probabilities(np.stack(pictures))


def likeliest(p: Floats, turns_rad: NDArray[np.float64], digits: str = "0123456789") -> DigitReading:
    """The digit of greatest weight (n, 11) in some direction (n,)."""
    allowed = [int(d) for d in digits]
    best = p[:, allowed].max(0)
    winner = int(best.argmax())
    turn = int(p[:, allowed[winner]].argmax())
    others = float(np.sort(best)[-2]) if len(best) > 1 else 0.0
    certainty = float(best[winner]) * float(best[winner]) / (float(best[winner]) + others + 1e-9)
    return DigitReading(allowed[winner], float(turns_rad[turn]), certainty)
