"""Outlines of CONEX corners: what one or two straight lines cut off a card."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_RIM_MM = 2.6  # what lies nearer to the card's edge is none of a corner's inner sides
_STRAIGHT_MM = 0.55  # how far an inner side may be from straight
_LEAST_MM = 4.0  # length of an inner side
_BEND = np.radians(8)  # between two inner sides
_ROUND_MM = 1.5  # along an inner side from its end, where its corner is rounded by the picture's blur
_ABOUT_MM = 1.3  # how far from the first guess an inner side may be
_STEP_MM = 0.1
_OUTER = 0.5  # share of the steepest slope at which the outermost edge counts


def cut_off(outline_mm: Array, off: Array, px_per_mm: float, size_mm: tuple[float, float]) -> Array | None:
    """The part (n, 2) of a card that lines along a rough outline cut off, mm; None where no such lines fit.

    Parameters
    ----------
    outline_mm
        (n, 2) outline, convex, about where the corner is.
    off
        (rows, columns) how different from the card's ground the picture is.
    """
    chain = _inner(outline_mm, size_mm)
    if chain is None:
        return None
    lines = _lines(chain)
    if lines is None:
        return None
    middle = outline_mm.mean(0)
    w, h = size_mm
    region = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    for a, b in lines:
        along = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
        normal = np.array([-along[1], along[0]])
        normal = normal if (middle - a) @ normal < 0 else -normal  # out of the corner
        shift = _edge(a, b, normal, off, px_per_mm)
        region = _clipped(region, a + shift * normal, normal)
        if len(region) < 3:
            return None
    return region


def _inner(outline_mm: Array, size_mm: tuple[float, float]) -> Array | None:
    """Points (n, 2) a tenth of a millimetre apart along those sides that are not the card's."""
    size = np.array(size_mm)
    pieces = []
    for p, q in zip(outline_mm, np.roll(outline_mm, -1, 0), strict=True):
        count = max(2, int(np.hypot(*(q - p)) / _STEP_MM))
        pieces.append(p + (q - p) * np.linspace(0, 1, count, endpoint=False)[:, None])
    points = np.concatenate(pieces)
    inner = (points > _RIM_MM).all(1) & (points < size - _RIM_MM).all(1)
    if inner.sum() * _STEP_MM < _LEAST_MM or inner.all():
        return None
    # begin where the outline leaves the card's edge; the longest piece counts
    start = int(np.flatnonzero(~inner)[0])
    points, inner = np.roll(points, -start, 0), np.roll(inner, -start)
    ends = np.flatnonzero(np.diff(np.concatenate([[0], inner.astype(int), [0]])))
    first, last = max(zip(ends[::2], ends[1::2], strict=True), key=lambda e: e[1] - e[0])
    chain = points[first:last]
    return chain if len(chain) * _STEP_MM >= _LEAST_MM else None


def _lines(chain: Array) -> list[tuple[Array, Array]] | None:
    """Ends of the one or two lines that a chain of points runs along."""
    trim = round(_ROUND_MM / _STEP_MM)
    least = round(_LEAST_MM / _STEP_MM)
    single = _fitted(chain)
    if single is not None and single[1] < _STRAIGHT_MM / 2:
        return [single[0]]
    best: tuple[float, tuple[Array, Array], tuple[Array, Array]] | None = None
    for cut in range(least, len(chain) - least, 6):
        one = _fitted(chain[: max(cut - trim, least // 2)])
        two = _fitted(chain[min(cut + trim, len(chain) - least // 2) :])
        if one is None or two is None:
            continue
        miss = max(one[1], two[1])
        if best is None or miss < best[0]:
            best = miss, one[0], two[0]
    if best is None or best[0] > _STRAIGHT_MM:
        return [single[0]] if single is not None and single[1] < _STRAIGHT_MM else None
    directions = [np.arctan2(*(b - a)[::-1]) for a, b in best[1:]]
    if abs((directions[0] - directions[1] + np.pi) % (2 * np.pi) - np.pi) < _BEND:
        return [single[0]] if single is not None and single[1] < _STRAIGHT_MM else None
    return [best[1], best[2]]


def _fitted(points: Array) -> tuple[tuple[Array, Array], float] | None:
    """Ends of the line through points, and how far they are from it."""
    if len(points) < 8:
        return None
    vx, vy, x, y = cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel().astype(float)
    along, at = np.array([vx, vy]), np.array([x, y])
    t = (points - at) @ along
    if (t[-1] - t[0]) < 0:
        along, t = -along, -t
    miss = np.abs((points - at) @ np.array([-along[1], along[0]]))
    return (at + along * t.min(), at + along * t.max()), float(np.percentile(miss, 90))


def _edge(a: Array, b: Array, normal: Array, off: Array, px_per_mm: float) -> float:
    """How far outside a line, mm, the ground begins."""
    t = np.linspace(0.12, 0.88, 60)
    shifts = np.arange(-_ABOUT_MM, _ABOUT_MM + _STEP_MM / 2, _STEP_MM)
    grid = a + (b - a) * t[:, None, None] + normal * shifts[None, :, None]
    px = (grid * px_per_mm - 0.5).astype(np.float32)
    seen = cv2.remap(off.astype(np.float32), px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    fall = -np.gradient(np.median(np.clip(seen, 0, 1.5), 0))
    steep = float(fall.max())
    if steep <= 0:
        return 0.0
    peaks = [
        i
        for i in range(1, len(fall) - 1)
        if fall[i] >= _OUTER * steep and fall[i] >= fall[i - 1] and fall[i] >= fall[i + 1]
    ]
    return float(shifts[peaks[-1]]) if peaks else 0.0


def _clipped(region: Array, at: Array, normal: Array) -> Array:
    """The part of a convex outline that does not lie beyond a line."""
    depth = (region - at) @ normal
    out = []
    for i in range(len(region)):
        j = (i + 1) % len(region)
        if depth[i] <= 0:
            out.append(region[i])
        if (depth[i] <= 0) != (depth[j] <= 0):
            t = depth[i] / (depth[i] - depth[j])
            out.append(region[i] + t * (region[j] - region[i]))
    return np.array(out) if out else np.zeros((0, 2))
