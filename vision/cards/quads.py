"""Outlines to a fraction of a pixel: the four sides of a proposed card, fitted as lines where the picture changes."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_STATIONS = 28  # profiles across each side
_ENDS = 0.13  # share of a side left out at both ends, where corners are round
_CLOSE_PX = 0.4  # a line that moved less than this is not fitted again
_EQUAL = 0.7  # share of the best line's score from which another line is as good
_PRIOR = 0.035  # how far the proposal is usually off, as a share of the card's size


@dataclass(frozen=True, slots=True, eq=False)
class FittedQuad:
    """A quad whose sides were fitted to edges of the picture.

    Parameters
    ----------
    quad_px
        (4, 2) corners in pixels, in the order of the proposal.
    support
        (4,) share of each side (0 top, 1 right, 2 bottom, 3 left of the proposal's order) that lies on an edge.
    sigma_px
        Standard deviation of a corner, from the scatter of the edge points about their lines.
    steps
        (4, 3) how the colour changes outwards across each side.
    """

    quad_px: Array
    support: Array
    sigma_px: float
    steps: Array


def signed_area(quad: Array) -> float:
    """Area of a polygon (n, 2); positive when it runs clockwise in a picture (y down)."""
    x, y = quad[:, 0], quad[:, 1]
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def side_lengths(quad: Array) -> tuple[float, float]:
    """Mean length of sides 0 and 2, and of sides 1 and 3."""
    d = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    return float(d[0] + d[2]) / 2, float(d[1] + d[3]) / 2


def overlap(a: Quad, b: Quad) -> float:
    """Intersection over union of two outlines."""
    if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
        return 0.0
    p, q = Polygon(a).buffer(0), Polygon(b).buffer(0)
    union = p.union(q).area
    return float(p.intersection(q).area / union) if union else 0.0


def is_convex(quad: Array) -> bool:
    """Whether the quad is convex and runs clockwise."""
    d = np.roll(quad, -1, 0) - quad
    e = np.roll(d, -1, 0)
    return bool((d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0] > 0).all())


def fit_quad(
    rgb: Rgb,
    quad: Array,
    edge: NDArray[np.float32] | None = None,
    cell_px: tuple[float, float] = (1.0, 1.0),
    search: float = 0.1,
    prior: float = _PRIOR,
    outwards: Array | None = None,
) -> FittedQuad:
    """Move the sides of `quad` onto the edges nearby.

    Parameters
    ----------
    rgb
        The picture.
    quad
        (4, 2) proposed corners, clockwise.
    edge, cell_px
        The network's probability of a card's edge and the size of its cells; steers the search away from printed
        frames.
    search
        How far to look, as a share of the card's size.
    prior
        How far the proposal is usually off, as a share of the card's size.
    outwards
        (3,) the colour direction in which all sides must change outwards, where the picture's other cards tell it.

    Returns
    -------
    FittedQuad
        Sides that found no edge stay where the proposal had them, with support 0.
    """
    long_x, long_y = side_lengths(quad)

    def fit(i: int, towards: Array | None = None) -> _Side:
        depth = long_y if i % 2 == 0 else long_x
        return _fit_side(rgb, quad[i], quad[(i + 1) % 4], depth, edge, cell_px, search, prior, towards)

    sides = [fit(i, outwards) for i in range(4)]
    # a card is lighter than its table on all sides, or darker: a side where it is the other way round is a neighbour's
    steps = np.array([s.step * s.support for s in sides])
    common = np.median(steps, 0)
    for i in range(4) if outwards is None else ():
        others = np.delete(steps, i, 0)
        if steps[i] @ common < 0 and (others @ common > 0).all():
            turned = fit(i, common / (np.linalg.norm(common) + 1e-9))
            if turned.support > 0.5:
                sides[i] = turned
    lines = [s.line for s in sides]
    support = np.array([s.support for s in sides])
    out = np.empty((4, 2))
    for i in range(4):
        p = np.cross(lines[i - 1], lines[i])
        out[i] = p[:2] / p[2] if abs(p[2]) > 1e-9 else quad[i]
    if not is_convex(out) or np.abs(out - quad).max() > 2.5 * search * max(long_x, long_y):
        return FittedQuad(quad, np.zeros(4), 0.05 * min(long_x, long_y), steps)
    return FittedQuad(out, support, float(np.mean([s.sigma_px for s in sides])), np.array([s.step for s in sides]))


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """A fitted side: homogeneous line (3,), share of stations on it, deviation in px, mean colour step (3,)."""

    line: Array
    support: float
    sigma_px: float
    step: Array


def _fit_side(
    rgb: Rgb,
    p: Array,
    q: Array,
    depth: float,
    edge: NDArray[np.float32] | None,
    cell_px: tuple[float, float],
    search: float,
    prior: float,
    towards: Array | None,
) -> _Side:
    """Fit the side from `p` to `q`; `towards` (3,) is the colour direction in which it must change outwards."""
    along = q - p
    length = float(np.hypot(*along))
    along = along / max(length, 1e-9)
    out = np.array([along[1], -along[0]])  # outwards for a clockwise quad
    reach = search * depth
    step = max(0.5, reach / 28)
    offsets = np.arange(-reach, reach + step / 2, step)
    k = len(offsets)
    t = np.linspace(_ENDS, 1 - _ENDS, _STATIONS)
    grid = p + along * (t * length)[:, None, None] + out * offsets[None, :, None]
    gx, gy = grid[..., 0].astype(np.float32), grid[..., 1].astype(np.float32)
    samples = cv2.remap(rgb, gx, gy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    inside = (gx >= 0) & (gy >= 0) & (gx <= rgb.shape[1] - 1) & (gy <= rgb.shape[0] - 1)
    smooth = cv2.GaussianBlur(samples, (0, 0), sigmaX=max(0.6, 0.8 / step), sigmaY=0.8)
    g = np.zeros((_STATIONS, k), np.float32)
    signed = (smooth[:, 2:] - smooth[:, :-2]) / (2 * step)
    g[:, 1:-1] = np.abs(signed).sum(2) if towards is None else np.maximum(signed @ towards, 0) * 1.7
    g[~inside] = 0
    noise = float(np.median(g)) + 1.0
    value = np.sqrt(g / noise)
    value = np.minimum(value, 3.5)
    if edge is not None:
        e = cv2.remap(
            edge,
            ((gx + 0.5) / cell_px[0] - 0.5),
            ((gy + 0.5) / cell_px[1] - 0.5),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        value = value * (0.25 + e)
    # all lines from an offset at the first station to one at the last: the best mean wins
    slope = max(1, int(0.07 * length / step))
    first = np.repeat(np.arange(k), 2 * slope + 1)
    last = first + np.tile(np.arange(-slope, slope + 1), k)
    keep = (last >= 0) & (last < k)
    first, last = first[keep], last[keep]
    f = np.linspace(0, 1, _STATIONS)
    idx = np.round(first[:, None] * (1 - f) + last[:, None] * f).astype(np.intp)
    score = value[np.arange(_STATIONS), idx].mean(1)
    middle = (offsets[first] + offsets[last]) / 2
    score = score * np.exp(-0.5 * (middle / (prior * depth + 1.0)) ** 2 * 0.5)
    best = int(np.argmax(score))
    # where a neighbour lies close by, its edge is as good as the card's own: of equals the innermost is the card's
    equals = np.nonzero(score >= _EQUAL * score[best])[0]
    inner = middle[equals].min()
    near = equals[middle[equals] <= inner + max(2.0, 2.5 * step)]
    best = int(near[np.argmax(score[near])])
    d = offsets[first[best]] * (1 - f) + offsets[last[best]] * f
    fallback = np.cross([*p, 1.0], [*q, 1.0])
    x = (t - 0.5) * length
    # the line chosen above is right to a pixel or two: peaks are taken next to it, then next to the line through them
    fitted = None
    for _ in range(2):
        fitted = _through_peaks(g, offsets, d, x, noise)
        if fitted is None:
            return _Side(fallback, 0.0, 0.04 * depth, np.zeros(3))
        moved, d = d, fitted.m0 + fitted.m1 * x
        if np.abs(d - moved).max() < _CLOSE_PX:
            break
    assert fitted is not None
    m0, m1, r, strong, j = fitted.m0, fitted.m1, fitted.residual, fitted.strong, fitted.at
    row = np.arange(_STATIONS)
    on = strong & (np.abs(r) < 1.2)
    a0 = p + along * (length / 2 - length / 2) + out * (m0 - m1 * length / 2)
    b0 = p + along * length + out * (m0 + m1 * length / 2)
    sigma = float(np.sqrt(np.mean(r[on] ** 2)) / np.sqrt(max(on.sum() / 2, 1))) if on.any() else 0.04 * depth
    across = np.median(signed[row, j - 1], 0).astype(float)
    return _Side(np.cross([*a0, 1.0], [*b0, 1.0]), float(on.mean()), max(sigma, 0.05), across)


@dataclass(frozen=True, slots=True, eq=False)
class _Peaks:
    """A line through the peaks of profiles.

    Parameters
    ----------
    m0, m1
        The line: offset m0 + m1 * x.
    residual
        (n,) how far each peak is from it.
    strong
        (n,) which peaks are edges at all.
    at
        (n,) sample at which each peak lies.
    """

    m0: float
    m1: float
    residual: Array
    strong: NDArray[np.bool_]
    at: NDArray[np.intp]


def _through_peaks(g: NDArray[np.float32], offsets: Array, d: Array, x: Array, noise: float) -> _Peaks | None:
    """The robust line through the sub-pixel peaks of `g` (stations, offsets) next to `d`; None where there are few."""
    step, k = float(offsets[1] - offsets[0]), len(offsets)
    near = np.abs(offsets[None] - d[:, None]) <= max(1.6, 2 * step)
    j = np.clip(np.argmax(np.where(near, g, -1), 1), 1, k - 2)
    row = np.arange(len(g))
    a, b, c = g[row, j - 1], g[row, j], g[row, j + 1]
    bend = a - 2 * b + c
    shift = np.where(bend < -1e-6, 0.5 * (a - c) / np.where(bend < -1e-6, bend, -1), 0)
    peak = offsets[j] + np.clip(shift, -1, 1) * step
    strong = b > 2.0 * noise
    if strong.sum() < 6:
        return None
    w = np.where(strong, np.minimum(b / noise, 12), 0.0)
    m0, m1 = float(np.average(d, weights=w)), 0.0
    for _ in range(6):
        r = peak - (m0 + m1 * x)
        s = max(0.25, 1.4826 * float(np.median(np.abs(r[strong]))))
        v = w * (np.abs(r) < 3 * s) / (1 + (r / s) ** 2)
        if v.sum() <= 0:
            return None
        A = np.array([[v.sum(), v @ x], [v @ x, v @ (x * x)]])
        y = np.array([v @ peak, v @ (x * peak)])
        if np.linalg.det(A) < 1e-6:
            break
        m0, m1 = np.linalg.solve(A, y)
    return _Peaks(float(m0), float(m1), peak - (m0 + m1 * x), strong, j)
