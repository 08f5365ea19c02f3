"""Shapes of flat pieces, whichever way they lie and whichever side is up: which are alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SIDE = 40  # rows and columns in which shapes are compared
_TURNS = 60
_ALIKE = 0.8  # overlap of two outlines of one shape, at least
_FEWEST = 3  # pieces of a basic shape that must have been found


def likeness(outlines: Sequence[Array]) -> Array:
    """(n, n) overlap (IoU) of each two outlines, turned and mirrored to fit best and brought to one area."""
    upright = np.stack([_mask(o, 0.0, False) for o in outlines]).reshape(len(outlines), -1)
    area = upright.sum(1)
    out = np.zeros((len(outlines), len(outlines)))
    for i, o in enumerate(outlines):
        every = np.stack(
            [_mask(o, 2 * np.pi * k / _TURNS, mirrored).ravel() for k in range(_TURNS) for mirrored in (False, True)]
        )
        common = every @ upright.T
        union = every.sum(1)[:, None] + area[None] - common
        out[i] = (common / np.maximum(union, 1e-6)).max(0)
    return np.asarray((out + out.T) / 2)


def _mask(outline: Array, turn: float, mirrored: bool) -> NDArray[np.float32]:
    centred = _centred(outline)
    if mirrored:
        centred = centred * [-1, 1]
    c, s = np.cos(turn), np.sin(turn)
    at = centred @ np.array([[c, s], [-s, c]]) * _SIDE * 0.2 + (_SIDE - 1) / 2
    canvas = np.zeros((_SIDE, _SIDE), np.uint8)
    cv2.fillPoly(canvas, [np.round(at * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return np.asarray(canvas / np.float32(255), np.float32)


def _centred(outline: Array) -> Array:
    """The outline about its centre of area, as large as a square of side 2."""
    m = cv2.moments(outline.astype(np.float32))
    area = max(m["m00"], 1e-6)
    return np.asarray((outline - [m["m10"] / area, m["m01"] / area]) * 2 / np.sqrt(area))


def sort_shapes(outlines: Sequence[Array], colours: Sequence[int], shapes: int) -> tuple[NDArray[np.intp], Array]:
    """Number of each piece's basic shape, -1 for a special piece, and how doubtful that is, 0 to 1.

    Of a basic shape there is a piece in every colour; a special piece is alone.
    """
    like = likeness(outlines)
    n = len(outlines)
    groups = [[i] for i in range(n)]
    while True:
        best: tuple[float, int, int] | None = None
        for a in range(len(groups)):
            for b in range(a):
                if {colours[i] for i in groups[a]} & {colours[i] for i in groups[b]}:
                    continue
                mean = float(like[np.ix_(groups[a], groups[b])].mean())
                if mean > _ALIKE and (best is None or mean > best[0]):
                    best = (mean, a, b)
        if best is None:
            break
        _, a, b = best
        groups[b] += groups[a]
        del groups[a]
    groups.sort(key=lambda g: (-len(g), -float(like[np.ix_(g, g)].mean())))
    basic = [g for g in groups[:shapes] if len(g) >= _FEWEST]
    kinds = np.full(n, -1)
    for k, g in enumerate(basic):
        kinds[g] = k
    doubt = np.zeros(n)
    for i in range(n):
        own = max(
            (float(like[i, [j for j in g if j != i]].mean()) for k, g in enumerate(basic) if kinds[i] == k), default=0.0
        )
        other = max((float(like[i, g].mean()) for k, g in enumerate(basic) if kinds[i] != k), default=0.0)
        # a special piece must be unlike all basic shapes, another unlike the others
        doubt[i] = other / max(own, _ALIKE)
    return kinds, doubt
