"""Which of two plates of one colour hangs before the other: only the nearer one shows its edge where they cross."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon

from vision.types import Rgb

Array = NDArray[np.float64]

_STEP_MM = 0.35
"""Distance of the places along an edge that are looked at."""
_ASIDE_MM = 0.45
"""So far on both sides of an edge colours are compared."""
_INNER_MM = 0.5
"""So far within an outline its own edge is not seen."""
_LEAST_PLACES = 6
_CLEARLY = 1.8
"""The edge of the nearer one must be so many times as plain as that of the other."""
_PLAIN = 6.0
"""... and at least as plain as that, of 255."""
_ALONE = 20.0
"""... or as that, where the other cannot be seen."""


def nearer(rgb: Rgb, one_px: Array, other_px: Array, others: Sequence[Polygon], px_mm: float) -> int:
    """1 where the first of two outlines that cross is seen before the second, -1 behind it, 0 where it is not told.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    one_px, other_px
        (n, 2) outlines of both faces, px.
    others
        What may hide either, px.
    px_mm
        Pixels of a millimetre.
    """
    mine = _plain(rgb, one_px, other_px, others, px_mm)
    theirs = _plain(rgb, other_px, one_px, others, px_mm)
    if mine is None or theirs is None:
        return int((mine or 0.0) > _ALONE) - int((theirs or 0.0) > _ALONE)
    if mine > max(_PLAIN, _CLEARLY * theirs):
        return 1
    return -1 if theirs > max(_PLAIN, _CLEARLY * mine) else 0


def _plain(rgb: Rgb, edge_px: Array, within_px: Array, others: Sequence[Polygon], px_mm: float) -> float | None:
    """How plain an edge is, 0 to 255, where it runs within another outline; None where it hardly does."""
    inner = Polygon(within_px).buffer(0).buffer(-_INNER_MM * px_mm, quad_segs=2)
    if inner.is_empty:
        return None
    points = shapely.get_coordinates(shapely.segmentize(shapely.linearrings(edge_px), _STEP_MM * px_mm))[:-1]
    run = np.roll(points, -1, 0) - np.roll(points, 1, 0)
    aside = np.column_stack([run[:, 1], -run[:, 0]]) / np.maximum(np.linalg.norm(run, axis=1), 1e-9)[:, None]
    kept = shapely.contains_xy(inner, points[:, 0], points[:, 1])
    for other in others:
        kept &= ~shapely.contains_xy(other, points[:, 0], points[:, 1])
    if np.count_nonzero(kept) < _LEAST_PLACES:
        return None
    off = max(_ASIDE_MM * px_mm, 1.0) * aside[kept]
    step = _looked_up(rgb, points[kept] + off) - _looked_up(rgb, points[kept] - off)
    return float(np.median(np.abs(step).max(1)))


def _looked_up(rgb: Rgb, px: Array) -> Array:
    """(n, 3) colours between pixels."""
    height, width = rgb.shape[:2]
    at = np.clip(px, 0, [width - 1.001, height - 1.001])
    low = np.floor(at).astype(int)
    x, y = (at - low).T[..., None]
    left, top = low.T
    above = rgb[top, left] * (1 - x) + rgb[top, left + 1] * x
    below = rgb[top + 1, left] * (1 - x) + rgb[top + 1, left + 1] * x
    return np.asarray(above * (1 - y) + below * y, np.float64)
