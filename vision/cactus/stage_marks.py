"""What is looked for of a cactus in a picture: points of its edges with their directions, and points of its face."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.stage_propose import walk

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_SPACING_MM = 2.0  # between points of an edge
_FACE_MM = 2.2  # between points of the face
_INSET_MM = 1.6  # of the points of the face from the edge
_CORNER_MM = 1.0  # of an edge of the base is left out at either end


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Points of one cactus, in its frame, in mm.

    Parameters
    ----------
    at, along, out
        (n, 3) points of edges, their edge's direction and the direction away from the part.
    painted
        (n,) whether the part is the cactus; the base otherwise.
    face
        (k, 3) points of the cactus's face well within its edge.
    """

    at: Array
    along: Array
    out: Array
    painted: NDArray[np.bool_]
    face: Array


@lru_cache(maxsize=4)
def marks_of(cactus_set: CactusSet) -> tuple[Marks, ...]:
    """The marks of every cactus of the set."""
    front = cactus_set.thickness_mm / 2
    out = []
    for look in cactus_set.cacti:
        at, normal = walk(look.outline_mm, _SPACING_MM)
        level = np.full(len(at), front)
        flat = np.zeros(len(at))
        along = np.c_[-normal[:, 1], normal[:, 0]]
        foot = look.outline_mm[look.outline_mm[:, 1] < _CORNER_MM]
        stem = (float(foot[:, 0].min()), float(foot[:, 0].max())) if len(foot) else (0.0, 0.0)
        base, base_along, base_out = _base(cactus_set.base_mm, stem)
        out.append(
            Marks(
                np.r_[np.c_[at, level], base],
                np.r_[np.c_[along, flat], base_along],
                np.r_[np.c_[normal, flat], base_out],
                np.r_[np.ones(len(at), bool), np.zeros(len(base), bool)],
                _face(look.outline_mm, front),
            )
        )
    return tuple(out)


def _base(size_mm: tuple[float, float, float], stem: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Points of the edges of the block that a viewer from the front and above sees."""
    w, h, d = size_mm[0] / 2, size_mm[1], size_mm[2] / 2
    sides = [
        ((-w, -h, d), (w, -h, d), (0, -1, 0)),
        ((-w, 0, d), (-w, -h, d), (-1, 0, 0)),
        ((w, 0, d), (w, -h, d), (1, 0, 0)),
        ((-w, 0, -d), (stem[0] - _CORNER_MM, 0, -d), (0, 0, -1)),
        ((stem[1] + _CORNER_MM, 0, -d), (w, 0, -d), (0, 0, -1)),
    ]
    at, along, out = [], [], []
    for start, end, away in sides:
        a, b = np.array(start, float), np.array(end, float)
        length = float(np.linalg.norm(b - a))
        if length < 3 * _CORNER_MM or b[0] < a[0]:
            continue
        n = max(2, int((length - 2 * _CORNER_MM) / _SPACING_MM))
        t = np.linspace(_CORNER_MM, length - _CORNER_MM, n) / length
        at.append(a + (b - a) * t[:, None])
        along.append(np.tile((b - a) / length, (n, 1)))
        out.append(np.tile(np.array(away, float), (n, 1)))
    return np.concatenate(at), np.concatenate(along), np.concatenate(out)


def _face(outline_mm: Array, front: float) -> Array:
    low, high = outline_mm.min(axis=0), outline_mm.max(axis=0)
    x, y = np.meshgrid(*(np.arange(a + _FACE_MM / 2, b, _FACE_MM) for a, b in zip(low, high, strict=True)))
    grid = np.c_[x.ravel(), y.ravel()]
    contour = outline_mm.astype(np.float32).reshape(-1, 1, 2)
    deep = np.array([cv2.pointPolygonTest(contour, (float(p[0]), float(p[1])), True) for p in grid])
    inside = grid[deep > _INSET_MM]
    return np.asarray(np.c_[inside, np.full(len(inside), front)], np.float64)
