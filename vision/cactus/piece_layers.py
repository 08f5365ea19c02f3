"""Which of the pieces on a cactus hang before which: whole plates apart, told by what hides what and by size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]

_LEVELS = np.arange(-2, 3)
_PITCH = 1.08
"""Plates before one another are so many thicknesses apart."""
_APART_COST = np.array([2.5, 1.0, 0.0, 1.0, 2.5])
"""What it costs to hang at each of them, in units of log likelihood."""
_FREE_COST = 1.5
"""What it costs besides where nothing in the picture keeps it there."""
_BROKEN_COST = 6.0
_LEAST_MM2 = 4.0
"""Overlaps in the picture of less than this may be tilt or error."""
_CLEAR_RATIO = 3.0
_LEAST_PX = 6
_KEPT = 300
_LEVEL_SIGMA_MM = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A plate in the picture.

    Parameters
    ----------
    shape
        Its outline, px.
    label
        The label of its paint.
    depth_mm, sigma_mm
        Where along z its size has it, and the standard deviation of that.
    px_mm
        Pixels of a millimetre there.
    """

    shape: Polygon
    label: int
    depth_mm: float
    sigma_mm: float
    px_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Who is seen before whom: 1 before, -1 behind, 0 where they cross and colour does not tell.

    Parameters
    ----------
    body
        Of each piece against the cactus, None where they do not cross.
    pairs
        Of each two pieces that cross, by their indices.
    """

    body: tuple[int | None, ...]
    pairs: dict[tuple[int, int], int]


def order_of(labels: Labels, body: Leaf, leaves: Sequence[Leaf]) -> Order:
    """What a picture's (h, w) paints tell of a cactus and the pieces on it."""
    boxes = shapely.bounds([leaf.shape for leaf in leaves]).reshape(-1, 4)
    meet = (boxes[:, None, :2] < boxes[:, 2:]).all(2) & (boxes[:, None, 2:] > boxes[:, :2]).all(2)
    pairs = {
        (i, j): o
        for j in range(len(leaves))
        for i in map(int, np.flatnonzero(meet[:j, j]))
        if (o := _order(labels, leaves[i], leaves[j], leaves)) is not None
    }
    return Order(tuple(_order(labels, leaf, body, leaves) for leaf in leaves), pairs)


def settle_depths(order: Order, leaves: Sequence[Leaf], thickness_mm: float) -> list[tuple[float, float]]:
    """Depth and standard deviation in mm of each of the pieces on one cactus.

    Parameters
    ----------
    order
        Of `order_of`.
    leaves
        The pieces on it.
    thickness_mm
        Thickness of plates.
    """
    if not leaves:
        return []
    pitch = thickness_mm * _PITCH
    bound = {k for pair in order.pairs for k in pair} | {k for k, o in enumerate(order.body) if o is not None}
    costs, states = np.zeros(1), np.zeros((1, 0), np.int64)
    for k, leaf in enumerate(leaves):
        off = (_LEVELS * pitch - leaf.depth_mm) / np.hypot(leaf.sigma_mm, _LEVEL_SIGMA_MM)
        alone = 0.5 * np.minimum(off**2, 16.0) + _APART_COST
        alone += np.where(_LEVELS == 0, 0.0, 0.0 if k in bound else _FREE_COST)
        own = order.body[k]
        if own is not None:
            alone += _broken(_LEVELS, own)
        grown = costs[:, None] + alone
        for (i, j), o in order.pairs.items():
            if j == k:
                grown += _broken(states[:, i : i + 1] - _LEVELS, o)
        best = np.argsort(grown, axis=None, kind="stable")[:_KEPT]
        costs = grown.ravel()[best]
        states = np.column_stack([states[best // len(_LEVELS)], _LEVELS[best % len(_LEVELS)]])
    odds = np.exp(costs[0] - costs)
    odds /= odds.sum()
    depths = states * pitch
    middle = odds @ depths
    sigma = np.sqrt(odds @ (depths - middle) ** 2 + _LEVEL_SIGMA_MM**2)
    return [(float(z), float(s)) for z, s in zip(middle, sigma, strict=True)]


def _broken(ahead: NDArray[np.int64], order: int) -> Array:
    """Cost of being so many plates before another that one is in front of (1), behind (-1), or either (0)."""
    fine = ahead * order > 0 if order else ahead != 0
    return np.where(fine, 0.0, _BROKEN_COST)


def _order(labels: Labels, a: Leaf, b: Leaf, leaves: Sequence[Leaf]) -> int | None:
    """1 where a is seen before b, -1 behind it, 0 where they cross and colour does not tell, None where they do not."""
    shared = a.shape.intersection(b.shape)
    if shared.area < _LEAST_MM2 * a.px_mm**2:
        return None
    inner = shared.buffer(-0.35 * a.px_mm)
    if inner.is_empty:
        return None
    for third in leaves:
        # What hangs before both in the paint of one of them would be taken for that one.
        if third is not a and third is not b and third.label in (a.label, b.label):
            inner = inner.difference(third.shape)
    if inner.is_empty:
        return 0
    x0, y0, x1, y1 = (int(v) for v in np.floor(inner.bounds))
    mask = np.zeros((y1 - y0 + 2, x1 - x0 + 2), np.uint8)
    for part in getattr(inner, "geoms", [inner]):
        ring = np.round((np.array(part.exterior.coords) - (x0, y0)) * 16).astype(np.int32)
        cv2.fillPoly(mask, [ring], 1, shift=4)
    height, width = labels.shape
    top, left = max(y0, 0), max(x0, 0)
    here = labels[top : y0 + mask.shape[0], left : x0 + mask.shape[1]]
    seen = here[mask[top - y0 : top - y0 + here.shape[0], left - x0 : left - x0 + here.shape[1]] > 0]
    if a.label == b.label or not height or not width:
        return 0
    mine, other = int((seen == a.label).sum()), int((seen == b.label).sum())
    if mine >= _LEAST_PX and mine > _CLEAR_RATIO * other:
        return 1
    if other >= _LEAST_PX and other > _CLEAR_RATIO * mine:
        return -1
    return 0
