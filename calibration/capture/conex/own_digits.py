"""What a copy's own digits look like: patterns of those that are read, and how alike other ink is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_HEIGHT = 26  # rows of a pattern's ink
_MARGIN = 5  # rows and columns of paper round it
_SCALES = (0.7, 0.8, 0.9, 1.0, 1.12, 1.25)  # of the usual height
_TURNS = np.radians(np.arange(-50, 51, 10))
_SLANTS = np.radians(np.arange(-24, 25, 8))
_ABOUT = (0.92, 1.0, 1.08)  # how exactly a piece of ink tells its own height
_BESIDE = 3  # rows and columns by which it may lie beside its pattern
_INK = 0.45  # where ink begins
_LEAST = 0.35  # correlation below which a pattern is not found


def turned(ink: Floats, turn_rad: float) -> Floats:
    """The ink with its head up."""
    side = int(np.ceil(np.hypot(*ink.shape))) + 2
    h, w = ink.shape
    M = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), float(np.degrees(turn_rad)), 1.0)
    M = M + np.array([[0, 0, (side - w) / 2], [0, 0, (side - h) / 2]])
    return np.asarray(cv2.warpAffine(ink, M, (side, side), flags=cv2.INTER_LINEAR), np.float32)


def patterns_of(read: Sequence[tuple[int, Floats, float]]) -> dict[int, Floats]:
    """The copy's own digits, paper around them: of each value the usual one of all that were read as it.

    Parameters
    ----------
    read
        Value, ink alone and direction of the head (rad, clockwise from up) of each.
    """
    by_value: dict[int, list[Floats]] = {}
    for value, part, turn in read:
        own = _ink_alone(turned(part, turn))
        if own is not None:
            by_value.setdefault(value, []).append(_at_height(own))
    out = {}
    for value, pictures in by_value.items():
        width = int(np.median([p.shape[1] for p in pictures]))
        same = [cv2.resize(p, (width, _HEIGHT)) for p in pictures if abs(p.shape[1] - width) < 0.25 * width]
        if same:
            out[value] = np.pad(np.median(same, axis=0).astype(np.float32), _MARGIN)
    return out


def likeness(
    part: Floats, heads_rad: Sequence[float], patterns: Mapping[int, Floats]
) -> dict[int, tuple[float, float]]:
    """For each value how alike a piece of ink as a whole is to its pattern, and where its head then points."""
    best = dict.fromkeys(patterns, (-1.0, 0.0))
    room = _MARGIN + _BESIDE
    for head in heads_rad:
        for slant in _SLANTS:
            upright = _ink_alone(turned(part, head + float(slant)))
            if upright is None:
                continue
            for about in _ABOUT:
                own = np.pad(_at_height(upright, about), room)
                for value, pattern in patterns.items():
                    more = max(0, pattern.shape[1] - own.shape[1] + 2)
                    wide = np.pad(own, ((0, 0), (more // 2, more - more // 2)))
                    alike = float(cv2.matchTemplate(wide, pattern, cv2.TM_CCOEFF_NORMED).max())
                    best[value] = max(best[value], (alike, head + float(slant)))
    return best


def _ink_alone(upright: Floats) -> Floats | None:
    """The part of a picture in which there is ink; None where there is none."""
    rows, columns = np.nonzero(upright > _INK)
    if not len(rows):
        return None
    return upright[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def _at_height(part: Floats, about: float = 1.0) -> Floats:
    """Ink at a pattern's height, or at a little more or less."""
    height = round(about * _HEIGHT)
    width = max(4, round(height * part.shape[1] / part.shape[0]))
    how = cv2.INTER_AREA if part.shape[0] > height else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (width, height), interpolation=how), np.float32)


def found_within(
    ink: Floats, within: NDArray[np.bool_], heads_rad: Sequence[float], patterns: Mapping[int, Floats], usual_px: float
) -> tuple[int, float] | None:
    """The value whose pattern is found in a corner, and by how much more alike it is than any other.

    Parameters
    ----------
    ink, within
        (rows, columns) the ink of a corner, and True off its frame.
    heads_rad
        Where the number's head may point.
    usual_px
        Usual height of the copy's numbers.
    """
    scores = dict.fromkeys(patterns, -1.0)
    room = _MARGIN + 2
    own = np.asarray(ink * cv2.dilate(within.astype(np.uint8), np.ones((3, 3), np.uint8)), np.float32)
    for out in heads_rad:
        for turn in _TURNS:
            upright = turned(own, out + float(turn))
            inside = turned(within.astype(np.float32), out + float(turn))
            for scale in _SCALES:
                f = _HEIGHT / (usual_px * scale)
                big = cv2.resize(upright, None, fx=f, fy=f, interpolation=cv2.INTER_LINEAR)
                deep = cv2.resize(inside, None, fx=f, fy=f, interpolation=cv2.INTER_LINEAR)
                big, deep = np.pad(big, room), np.pad(deep, room)
                for value, pattern in patterns.items():
                    ph, pw = pattern.shape
                    if big.shape[0] < ph or big.shape[1] < pw:
                        continue
                    like = cv2.matchTemplate(big, pattern, cv2.TM_CCOEFF_NORMED)
                    # a digit stands within its corner
                    centre = deep[ph // 2 : ph // 2 + like.shape[0], pw // 2 : pw // 2 + like.shape[1]]
                    like = np.where(np.isfinite(like) & (centre > 0.5), like, -1)
                    bias = 1 - 0.08 * abs(float(turn)) / np.radians(50) - 0.05 * abs(np.log(scale)) / 0.3
                    scores[value] = max(scores[value], float(like.max()) * bias)
    ordered = sorted(scores.values())
    value = max(scores, key=lambda v: scores[v])
    return (value, ordered[-1] - ordered[-2]) if scores[value] >= _LEAST else None
