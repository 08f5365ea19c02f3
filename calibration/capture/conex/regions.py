"""Outlines of CONEX corners: what one or two straight lines cut off a card."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_RIM_MM = 2.6  # what lies nearer to the card's edge is none of a corner's inner sides
_STRAIGHT_MM = 0.9  # how far an inner side may be from straight in a rough outline
_LEAST_MM = 4.0  # length of an inner side
_BEND = np.radians(8)  # between two inner sides
_ROUND_MM = 1.5  # along an inner side from its end, where its corner is rounded by the picture's blur
_STEP_MM = 0.1
_NEAR_EDGE_MM = 1.5  # how near the card's edge an inner side is followed
_NEAR_BEND_MM = 0.8  # ... and how near the point where two of them meet
_SAMPLES = 60
_ABOUT_MM, _TILT_MM = 1.8, 2.6  # how far an inner side may be from the rough one in its middle, and farther at its ends
_FINE_MM = 0.05
_SOFT_MM = 0.2
_MOST_OFF = 1.5  # how different from its ground a corner may count
_OUTER = 0.5  # share of the clearest edge at which one farther out counts
_APART_MM = 0.45  # how far apart two edges are at least
_SINGLE = 0.8  # share of what two lines show at which one line is enough


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """An inner side of a corner: two points on its line, the direction out of the corner, and how clear its edge is."""

    ends: tuple[Array, Array]
    normal: Array
    clear: float

    @property
    def length(self) -> float:
        return float(np.hypot(*(self.ends[1] - self.ends[0])))


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
    middle = outline_mm.mean(0)
    soft = np.clip(off, 0, _MOST_OFF).astype(np.float32)
    tried = []
    for lines in _lines(chain):
        for turn in range(2):
            sides = [_fitted_to_edge(a, b, middle, soft, px_per_mm) for a, b in lines]
            lines = _extended([s.ends for s in sides], size_mm) if turn == 0 else lines
        total = sum(s.length for s in sides)
        tried.append((sum(s.clear * s.length for s in sides) / max(total, 1e-6), sides))
    if not tried:
        return None
    # lines that bend a little are one line that the picture shows bent
    clear, sides = tried[0]
    for other, more in tried[1:]:
        if clear < _SINGLE * other:
            clear, sides = other, more
    return within([(s.ends[0], s.normal) for s in sides], size_mm)


def within(sides: Iterable[tuple[Array, Array]], size_mm: tuple[float, float]) -> Array | None:
    """The part (n, 2) of a card within lines, each a point on it and the direction out of the part; None if none."""
    w, h = size_mm
    region = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    for at, normal in sides:
        region = clipped(region, at, normal)
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


def _lines(chain: Array) -> list[list[tuple[Array, Array]]]:
    """Ends of the one line, and of the two lines, that a chain of points may run along."""
    trim = round(_ROUND_MM / _STEP_MM)
    least = round(_LEAST_MM / _STEP_MM)
    out = []
    single = _line(chain)
    if single is not None and single[1] < _STRAIGHT_MM:
        out.append([single[0]])
    best: tuple[float, tuple[Array, Array], tuple[Array, Array]] | None = None
    for cut in range(least, len(chain) - least, 6):
        one = _line(chain[: max(cut - trim, least // 2)])
        two = _line(chain[min(cut + trim, len(chain) - least // 2) :])
        if one is None or two is None:
            continue
        miss = max(one[1], two[1])
        if best is None or miss < best[0]:
            best = miss, one[0], two[0]
    if best is not None and best[0] < _STRAIGHT_MM:
        directions = [np.arctan2(*(b - a)[::-1]) for a, b in best[1:]]
        if abs((directions[0] - directions[1] + np.pi) % (2 * np.pi) - np.pi) > _BEND:
            out.append([best[1], best[2]])
    return out


def _line(points: Array) -> tuple[tuple[Array, Array], float] | None:
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


def _extended(lines: Sequence[tuple[Array, Array]], size_mm: tuple[float, float]) -> list[tuple[Array, Array]]:
    """The lines from near the card's edge on to near where they meet."""
    out = []
    size = np.array(size_mm)
    for a, b in lines:
        along = (b - a) / max(float(np.hypot(*(b - a))), 1e-9)
        low, high = -np.inf, np.inf
        for axis in (0, 1):
            if abs(along[axis]) > 1e-6:
                t = sorted((v - a[axis]) / along[axis] for v in (_NEAR_EDGE_MM, size[axis] - _NEAR_EDGE_MM))
                low, high = max(low, t[0]), min(high, t[1])
        out.append((a + low * along, a + high * along) if high - low > _LEAST_MM else (a, b))
    if len(out) == 2:
        (a, b), (c, d) = out
        u, v = (q - p for p, q in out)
        cross = float(u[0] * v[1] - u[1] * v[0])
        if abs(cross) > 1e-6:
            meet = a + u * float((c - a)[0] * v[1] - (c - a)[1] * v[0]) / cross
            # the first runs towards the bend, the second from it on
            u, v = u / np.hypot(*u), v / np.hypot(*v)
            one, two = (a, meet - _NEAR_BEND_MM * u), (meet + _NEAR_BEND_MM * v, d)
            if (one[1] - one[0]) @ u > _LEAST_MM / 2 and (two[1] - two[0]) @ v > _LEAST_MM / 2:
                return [one, two]
            return list(lines)
    return out


def _fitted_to_edge(a: Array, b: Array, middle: Array, off: NDArray[np.float32], px_per_mm: float) -> _Side:
    """The straight edge near a line at which the card's ground begins."""
    length = max(float(np.hypot(*(b - a))), 1e-9)
    along = (b - a) / length
    normal = np.array([-along[1], along[0]])
    normal = normal if (middle - a) @ normal < 0 else -normal  # out of the corner
    t = np.linspace(0, 1, _SAMPLES)
    reach = _ABOUT_MM + _TILT_MM
    shifts = np.arange(-reach, reach + _FINE_MM / 2, _FINE_MM)
    grid = a + (b - a) * t[:, None, None] + normal * shifts[None, :, None]
    px = ((grid * px_per_mm) - 0.5).astype(np.float32)
    seen = cv2.remap(off, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    soft = cv2.GaussianBlur(seen, (0, 0), sigmaX=_SOFT_MM / _FINE_MM, sigmaY=0.01)
    fall = np.maximum(-np.gradient(soft, _FINE_MM, axis=1), 0)
    steps = round(_ABOUT_MM / _FINE_MM)
    centre = len(shifts) // 2
    tilts = np.arange(-_TILT_MM, _TILT_MM + 0.05, 0.1)
    rows = np.arange(_SAMPLES)[:, None]
    score = np.empty((len(tilts), 2 * steps + 1))
    for k, tilt in enumerate(tilts):
        at = centre + np.round(tilt * (2 * t - 1) / _FINE_MM).astype(int)[:, None] + np.arange(-steps, steps + 1)
        score[k] = fall[rows, np.clip(at, 0, fall.shape[1] - 1)].mean(0)
    best = score.max(0)
    top = float(best.max())
    if top <= 0:
        return _Side((a, b), normal, 0.0)
    near = round(_APART_MM / _FINE_MM)
    peaks = [
        i
        for i in range(len(best))
        if best[i] >= _OUTER * top and best[i] == best[max(0, i - near) : i + near + 1].max()
    ]
    i = peaks[-1]
    k = int(score[:, i].argmax())
    shift, tilt = (i - steps) * _FINE_MM, float(tilts[k])
    return _Side(
        (a + (shift - tilt) * normal, b + (shift + tilt) * normal), _turned(normal, along, tilt, length), float(best[i])
    )


def _turned(normal: Array, along: Array, tilt: float, length: float) -> Array:
    """The direction out of the corner after its side was tilted by so much at either end."""
    turned = normal * length - along * 2 * tilt
    return np.asarray(turned / np.hypot(*turned))


def inner_sides(region_mm: Array, size_mm: tuple[float, float]) -> list[tuple[Array, Array, Array]]:
    """Ends of those sides of a corner that are not the card's own, and the direction (2,) out of the corner."""
    out = []
    for p, q in zip(region_mm, np.roll(region_mm, -1, 0), strict=True):
        if any(abs(p[k] - v) < 1e-6 and abs(q[k] - v) < 1e-6 for k in (0, 1) for v in (0.0, size_mm[k])):
            continue
        along = (q - p) / max(float(np.hypot(*(q - p))), 1e-9)
        normal = np.array([-along[1], along[0]])
        out.append((p, q, normal if (region_mm.mean(0) - p) @ normal < 0 else -normal))
    return out


def clipped(region: Array, at: Array, normal: Array) -> Array:
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
