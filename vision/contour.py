"""Where exactly a flat card lies: its known edges laid onto the edges of the picture.

A plain card has nearly no print to align, but a long outline. On a known plane its pose has three unknowns, and each
point of an edge tells one of them: how far, across the edge, the picture's own edge lies from where it should be. All
cards of a picture are fitted at once (iteratively reweighted least squares with Tukey's weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.plane import Plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_STEP_PX, _COARSE_STEP_PX = 0.5, 1.0  # between two samples of a profile, for a near and a far edge
_COARSE_MM = 2.0  # reach from which an edge is far
_HALF_PX = 1.0  # half the width over which the slope of a profile is measured
_REACHES_MM = (6.0, 3.0, 1.6, 1.6)  # how far from its place an edge is looked for, pass by pass
_FAINT = 20.0  # grey levels of a step that is believed half
_NOISE = 2.5  # grey levels of a step that is nothing
_SPACING_MM = 1.5  # between two points of an outline
_INDEPENDENT = 3.0  # neighbouring points share blur and print: about one in so many is independent
_OWN_COLOUR_MM = 4.5  # reach from which a card's own colour is known to lie inside its outline
_DEEP_MM = (1.8, 3.2)  # how deep inside
_RIM_MM = (0.35, 0.65)  # ... and what counts as the rim
_OTHER_COLOUR = 22.0  # grey levels at which a colour is half another one
_LEAST_TRUST = 0.45  # what is left of an edge that begins at another colour: corners have frames of their own
_FARTHEST_PX = 60.0  # from an edge's place: a wild guess must not fill the memory
_TURNS = 5  # of reweighting
_AT_ONCE = 60  # pieces whose profiles are read in one go
_LEAST = 12  # points that must agree before a pose is believed
_LEAST_SIDE = 7  # ... and a side


@dataclass(frozen=True, slots=True, eq=False)
class EdgeModel:
    """Points on the edges of a flat piece.

    Parameters
    ----------
    points_mm
        (n, 2) from the piece's centre, x right, y down as printed.
    normals
        (n, 2) unit vectors across the edge; outward on the outline.
    steps
        (n, 3) change of colour along the normal in grey levels; zero where it is not known, as on the outline.
    sides
        (n,) side of the outline that a point lies on: 0 top, 1 right, 2 bottom, 3 left, -1 for print.
    rims
        (n, 3) printed colour right at the rim against that a little deeper, per channel; 1 where they are alike.
    """

    points_mm: Array
    normals: Array
    steps: Floats
    sides: NDArray[np.intp]
    rims: Floats

    def __add__(self, other: EdgeModel) -> EdgeModel:
        """Both sets of points."""
        return EdgeModel(
            np.r_[self.points_mm, other.points_mm],
            np.r_[self.normals, other.normals],
            np.r_[self.steps, other.steps],
            np.r_[self.sides, other.sides],
            np.r_[self.rims, other.rims],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The pose that the edges agree on.

    Parameters
    ----------
    pose
        (3,) centre x and y in mm and angle in rad.
    covariance
        (3, 3) of it, from the scatter of the edges alone.
    support
        Share of the points that could be looked for and found their edge.
    scatter_mm
        Robust standard deviation of the points' distances from their edges.
    found
        (n,) which points of the model found their edge.
    searched
        (n,) which points were looked for.
    edges_px
        (n, 2) where the picture's edge lies nearest to each point; NaN where none was found.
    """

    pose: Array
    covariance: Array
    support: float
    scatter_mm: float
    found: NDArray[np.bool_]
    searched: NDArray[np.bool_]
    edges_px: Array


def outline_edges(
    size_mm: tuple[float, float], radius_mm: float, pictures: Sequence[NDArray[np.uint8]] = ()
) -> EdgeModel:
    """The outline of a card with rounded corners.

    Parameters
    ----------
    size_mm, radius_mm
        Width and height, and radius of the corners.
    pictures
        (rows, columns, 3) what may be printed on it: one face, or all that it may be.
    """
    w, h = size_mm
    r = min(radius_mm, min(w, h) / 2)
    points, normals, sides = [], [], []
    for side, ((x0, y0), (x1, y1), n) in enumerate(
        (
            ((-w / 2 + r, -h / 2), (w / 2 - r, -h / 2), (0, -1)),
            ((w / 2, -h / 2 + r), (w / 2, h / 2 - r), (1, 0)),
            ((w / 2 - r, h / 2), (-w / 2 + r, h / 2), (0, 1)),
            ((-w / 2, h / 2 - r), (-w / 2, -h / 2 + r), (-1, 0)),
        )
    ):
        count = max(2, round(np.hypot(x1 - x0, y1 - y0) / _SPACING_MM))
        t = (np.arange(count) + 0.5) / count
        points.append(np.c_[x0 + t * (x1 - x0), y0 + t * (y1 - y0)])
        normals.append(np.tile(np.array(n, float), (count, 1)))
        sides.append(np.full(count, side))
    p = np.concatenate(points)
    across = np.concatenate(normals)
    unknown = np.zeros((len(p), 3), np.float32)
    return EdgeModel(p, across, unknown, np.concatenate(sides), _rims(p, across, size_mm, pictures))


def _rims(points: Array, normals: Array, size_mm: tuple[float, float], pictures: Sequence[NDArray[np.uint8]]) -> Floats:
    """Printed colour at the rim against that a little deeper, the usual one of the pictures."""
    if not pictures:
        return np.ones((len(points), 3), np.float32)
    found = []
    for picture in pictures:
        scale = picture.shape[1] / size_mm[0]
        at_rim, deep = (
            np.mean([_picked(picture, (points - d * normals + np.array(size_mm) / 2) * scale) for d in depths], axis=0)
            for depths in (_RIM_MM, np.linspace(*_DEEP_MM, 4))
        )
        found.append((at_rim + 12.0) / (deep + 12.0))
    return np.asarray(np.median(found, axis=0), np.float32)


def _picked(picture: NDArray[np.uint8], at_px: Array) -> Array:
    x, y = np.round(at_px - 0.5).astype(int).T
    return np.asarray(picture[np.clip(y, 0, len(picture) - 1), np.clip(x, 0, picture.shape[1] - 1)], float)


def printed_edges(picture: NDArray[np.uint8], size_mm: tuple[float, float], most: int = 90) -> EdgeModel:
    """The strongest edges of what is printed on a card, off its rim.

    Parameters
    ----------
    picture
        (rows, columns, 3) the face, about three pixels a mm.
    most
        How many points to keep; they are spread over the face.
    """
    scale = picture.shape[1] / size_mm[0]
    soft = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 0.45 * scale)
    gx, gy = (cv2.Sobel(soft, cv2.CV_32F, dx, dy, ksize=3, scale=1 / 8) for dx, dy in ((1, 0), (0, 1)))
    xx, yy, xy = (gx * gx).sum(2), (gy * gy).sum(2), (gx * gy).sum(2)
    turn = 0.5 * np.arctan2(2 * xy, xx - yy)
    strength = np.sqrt(np.maximum(0.5 * (xx + yy + np.hypot(xx - yy, 2 * xy)), 0))
    nx, ny = np.cos(turn), np.sin(turn)
    rows, columns = strength.shape
    X, Y = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
    ahead, behind = (
        cv2.remap(strength, X + s * nx.astype(np.float32), Y + s * ny.astype(np.float32), cv2.INTER_LINEAR)
        for s in (1.0, -1.0)
    )
    rim = np.minimum.reduce([X, Y, columns - 1 - X, rows - 1 - Y]) > 2.2 * scale
    top = (strength > ahead) & (strength >= behind) & rim & (strength > 3.0)
    ys, xs = np.nonzero(top)
    if not len(ys):
        return EdgeModel(
            np.zeros((0, 2)),
            np.zeros((0, 2)),
            np.zeros((0, 3), np.float32),
            np.zeros(0, np.intp),
            np.zeros((0, 3), np.float32),
        )
    curve = ahead[ys, xs] + behind[ys, xs] - 2 * strength[ys, xs]
    off = np.where(curve < -1e-6, 0.5 * (behind[ys, xs] - ahead[ys, xs]) / curve, 0.0)
    off = np.clip(off, -0.7, 0.7)
    n = np.c_[nx[ys, xs], ny[ys, xs]].astype(float)
    at = np.c_[xs, ys] + off[:, None] * n
    points = (at + 0.5) / scale - np.array(size_mm) / 2
    slope = gx[ys, xs] * n[:, :1] + gy[ys, xs] * n[:, 1:]
    # a step that is twice as far away on the picture's slope is about the height of the step itself
    steps = np.asarray(slope * (2 * 0.45 * scale * 1.25), np.float32)
    order = np.argsort(-strength[ys, xs])
    kept: list[int] = []
    cells: dict[tuple[int, int], int] = {}
    for i in order:
        cell = (int(points[i, 0] // 1.4), int(points[i, 1] // 1.4))
        if cells.get(cell, 0) >= 1:
            continue
        cells[cell] = 1
        kept.append(int(i))
        if len(kept) >= most:
            break
    k = np.array(kept, int)
    return EdgeModel(points[k], n[k], steps[k], np.full(len(k), -1), np.ones((len(k), 3), np.float32))


def fit_edges(
    rgb: Rgb,
    plane: Plane,
    poses: Array,
    models: Sequence[EdgeModel],
    hidden: Sequence[NDArray[np.bool_]] | None = None,
    reaches_mm: Sequence[float] = _REACHES_MM,
) -> list[Fit | None]:
    """Lay the edges of pieces onto the edges of the picture.

    Parameters
    ----------
    rgb
        (H, W, 3) the picture.
    plane
        The plane they lie on.
    poses
        (n, 3) first guesses: centre x and y in mm, angle in rad; right to a few mm.
    models
        The edges of each piece.
    hidden
        For each piece which of its points cannot be seen; default none.
    reaches_mm
        How far from its place an edge is looked for, pass by pass.

    Returns
    -------
    list of Fit or None
        None where too few edges agree on a pose.
    """
    if not len(poses):
        return []
    out: list[Fit | None] = []
    for first in range(0, len(poses), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        work = _Work(rgb, plane, np.array(poses[part], float), models[part], None if hidden is None else hidden[part])
        for reach in reaches_mm:
            work.step(reach)
        out += work.fits()
    return out


class _Work:
    """All pieces of one call; the arrays run over the points of all of them."""

    def __init__(
        self,
        rgb: Rgb,
        plane: Plane,
        poses: Array,
        models: Sequence[EdgeModel],
        hidden: Sequence[NDArray[np.bool_]] | None,
    ) -> None:
        self.rgb, self.plane, self.poses = rgb, plane, poses
        self.of = np.repeat(np.arange(len(models)), [len(m.points_mm) for m in models])
        self.local = np.concatenate([m.points_mm for m in models])
        self.normal = np.concatenate([m.normals for m in models])
        self.steps = np.concatenate([m.steps for m in models])
        self.sides = np.concatenate([m.sides for m in models])
        self.rims = np.concatenate([m.rims for m in models])
        self.open = np.ones(len(self.of), bool) if hidden is None else ~np.concatenate(hidden)
        self.count = len(models)
        self.found = np.zeros(len(self.of), bool)
        self.searched = np.zeros(len(self.of), bool)
        self.covariance = np.tile(np.eye(3) * 1e3, (self.count, 1, 1))
        self.scatter = np.full(self.count, np.inf)
        self.alive = np.ones(self.count, bool)
        self.edges_px = np.full((len(self.of), 2), np.nan)

    def step(self, reach_mm: float) -> None:
        """One pass: look for every edge within reach, then move every piece to where its edges are."""
        usable, strength, J, off = self.look(reach_mm)
        self.found = np.zeros(len(self.of), bool)
        for k in range(self.count):
            mine = np.nonzero((self.of == k) & usable)[0]
            if self.alive[k]:
                self.alive[k] = self._move(k, mine, J, off, strength)

    def look(self, reach_mm: float) -> tuple[NDArray[np.bool_], Array, Array, Array]:
        """Look for every edge: which points found one, how strong it is, what moves it, and how far off it is in mm."""
        c, s = np.cos(self.poses[self.of, 2]), np.sin(self.poses[self.of, 2])
        arm = np.c_[self.local[:, 0] * c - self.local[:, 1] * s, self.local[:, 0] * s + self.local[:, 1] * c]
        across = np.c_[self.normal[:, 0] * c - self.normal[:, 1] * s, self.normal[:, 0] * s + self.normal[:, 1] * c]
        at = self.poses[self.of, :2] + arm
        both = self.plane.project(np.r_[at, at + across])
        p, q = both[: len(at)], both[len(at) :]
        per_mm = np.hypot(*(q - p).T)
        with np.errstate(all="ignore"):
            n = (q - p) / per_mm[:, None]
        off_px, strength, inside = _edge_offsets(self.rgb, p, n, per_mm, reach_mm, self.steps, self.rims)
        off = off_px / np.maximum(per_mm, 1e-9)
        self.edges_px = p + off_px[:, None] * n
        usable = self.open & inside & np.isfinite(off)
        J = np.c_[across, across[:, 1] * arm[:, 0] - across[:, 0] * arm[:, 1]]
        self.searched = self.open & inside
        return usable, strength, J, off

    def _move(self, k: int, mine: NDArray[np.intp], J: Array, off: Array, strength: Array) -> bool:
        if len(mine) < _LEAST:
            return False
        A, b = J[mine], off[mine]
        w0 = strength[mine] / (strength[mine] + _FAINT)
        # start from the fit of all points, then let those that miss their edge go
        x: Array = np.zeros(3)
        w = w0
        scale = np.inf
        for _ in range(_TURNS):
            N = A.T @ (A * w[:, None])
            N[np.diag_indices(3)] += 1e-6 * np.trace(N)
            x = np.asarray(np.linalg.solve(N, A.T @ (b * w)), float)
            r = np.abs(b - A @ x)
            scale = max(0.05, 1.4826 * _weighted_median(r, w0))
            w = w0 * np.maximum(0.0, 1 - (r / (4.0 * scale)) ** 2) ** 2
            if (w > 0).sum() < _LEAST:
                return False
        good = np.abs(b - A @ x) < max(2.5 * scale, 0.25)
        N = A.T @ (A * w[:, None])
        self.covariance[k] = np.linalg.pinv(N) * scale**2 * _INDEPENDENT
        self.scatter[k] = scale
        self.poses[k] += x
        self.found[mine[good]] = True
        return True

    def fits(self) -> list[Fit | None]:
        out: list[Fit | None] = []
        for k in range(self.count):
            mine = self.of == k
            searched = self.searched[mine]
            found = self.found[mine]
            if not self.alive[k] or not np.isfinite(self.poses[k]).all() or searched.sum() < _LEAST:
                out.append(None)
                continue
            out.append(
                Fit(
                    self.poses[k].copy(),
                    self.covariance[k],
                    float(found.sum() / max(1, searched.sum())),
                    float(self.scatter[k]),
                    found,
                    searched,
                    self.edges_px[mine],
                )
            )
        return out


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(total, total[-1] / 2)]])


def _edge_offsets(
    rgb: Rgb, at: Array, normal: Array, per_mm: Array, reach_mm: float, steps: Floats, rims: Floats
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """How far along its normal each point's edge lies in px, how strong it is, and whether the picture shows the place.

    NaN where no edge was found.
    """
    h, w = rgb.shape[:2]
    known = np.abs(steps).sum(1) > 0
    reach_px = reach_mm * per_mm
    deep_px = _DEEP_MM[1] * per_mm
    step = _STEP_PX if reach_mm <= _COARSE_MM else _COARSE_STEP_PX
    outside = int(np.ceil(min(float(np.nanmax(reach_px, initial=1.0)), _FARTHEST_PX) / step)) + 4
    within = int(np.ceil(min(float(np.nanmax(np.maximum(reach_px, deep_px), initial=1.0)), _FARTHEST_PX) / step)) + 4
    s = np.asarray(np.arange(-within, outside + 1) * step, np.float64)
    x = (at[:, :1] + normal[:, :1] * s).astype(np.float32)
    y = (at[:, 1:] + normal[:, 1:] * s).astype(np.float32)
    inside = (at[:, 0] > 1) & (at[:, 1] > 1) & (at[:, 0] < w - 2) & (at[:, 1] < h - 2)
    inside &= np.isfinite(at).all(1) & np.isfinite(normal).all(1)
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    lines = cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    k = round(_HALF_PX / step)
    # three neighbouring samples are one: noise would have peaks of its own
    soft = np.asarray((lines[:, :-2] + 2 * lines[:, 1:-1] + lines[:, 2:]) / 4, np.float32)
    slope = soft[:, 2 * k :] - soft[:, : -2 * k]
    s = s[1 + k : -1 - k]
    size = np.sqrt(np.einsum("nsc,nsc->ns", slope, slope) / 3)
    if known.any():
        e = steps[known]
        length = np.sqrt((e**2).sum(1))[:, None] + 1e-6
        size[known] = (slope[known] * (e / length)[:, None, :]).sum(2) / np.sqrt(3)
    score = size * np.exp(-0.5 * (s[None] / (0.75 * reach_px[:, None])) ** 2)
    if reach_mm <= _OWN_COLOUR_MM and not known.all():
        open_ = ~known
        score[open_] *= _of_the_card(soft[open_], s, k, per_mm[open_], rims[open_])
    # only where the slope itself peaks, so that what steers the choice does not move the edge
    peak = np.zeros(size.shape, bool)
    peak[:, 1:-1] = (size[:, 1:-1] >= size[:, :-2]) & (size[:, 1:-1] >= size[:, 2:])
    score[~peak | (np.abs(s)[None] > reach_px[:, None])] = -1.0
    best = np.clip(score.argmax(1), 1, len(s) - 2)
    i = np.arange(len(best))
    a, b, c = size[i, best - 1], size[i, best], size[i, best + 1]
    curve = a + c - 2 * b
    with np.errstate(all="ignore"):
        fine = np.where(curve < 0, 0.5 * (a - c) / curve, 0.0)
    off = s[best] + np.clip(fine, -1, 1) * step
    ok = (b > _NOISE) & (score[i, best] > 0) & (b >= a) & (b >= c)
    return np.where(ok & inside, off, np.nan), b.astype(float), inside


def _of_the_card(soft: Floats, s: Array, k: int, per_mm: Array, rims: Floats) -> Floats:
    """How much each sample (n, m) of a profile is where the card's own colour ends: a shadow's edge lies beyond it."""
    depth = -s[None] / per_mm[:, None]
    deep = (depth > _DEEP_MM[0]) & (depth < _DEEP_MM[1])
    middle = soft[:, k : k + len(s)]
    weight = deep / np.maximum(deep.sum(1), 1)[:, None]
    own = np.minimum(np.einsum("nsc,ns->nc", middle, weight) * rims, 255)
    # just inside of the sample: a little more than half of the width over which the slope is measured
    step = float(s[1] - s[0])
    back = round((_HALF_PX + step) / step)
    before = soft[:, k - back + 1 : k - back + 1 + len(s)] if k >= back - 1 else middle
    off = before - own[:, None].astype(np.float32)
    off2 = np.einsum("nsc,nsc->ns", off, off) / 3
    return np.asarray(_LEAST_TRUST + (1 - _LEAST_TRUST) * (1 / (1 + off2 / _OTHER_COLOUR**2)), np.float32)


def free_corners(
    rgb: Rgb,
    plane: Plane,
    poses: Array,
    models: Sequence[EdgeModel],
    hidden: Sequence[NDArray[np.bool_]] | None = None,
    reach_mm: float = 4.0,
) -> list[Quad | None]:
    """Corners where straight lines through the edges near an outline meet, whatever the plane says of its size.

    A wrong plane makes all cards too large or too small in a part of the picture; each side by itself still finds its
    edge, so these corners tell a better plane.

    Parameters
    ----------
    rgb, plane, poses, models, hidden
        As for `fit_edges`.
    reach_mm
        How far from its place a side is looked for.

    Returns
    -------
    list of (4, 2) corners in px or None
        None where a side has too few points on one line.
    """
    out: list[Quad | None] = []
    for first in range(0, len(poses), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        work = _Work(rgb, plane, np.array(poses[part], float), models[part], None if hidden is None else hidden[part])
        usable, strength = work.look(reach_mm)[:2]
        for k in range(work.count):
            lines = []
            for side in range(4):
                mine = np.nonzero((work.of == k) & usable & (work.sides == side))[0]
                lines.append(_line(plane.camera.undistort(work.edges_px[mine]), strength[mine]) if len(mine) else None)
            out.append(_crossings(lines, plane.camera))
    return out


def _line(points: Array, strength: Array) -> tuple[Array, Array] | None:
    """A point and the direction of the line that most of the points (n, 2) lie on, the stronger ones first."""
    if len(points) < _LEAST_SIDE:
        return None
    weight = strength / (strength + _FAINT)
    best: tuple[float, NDArray[np.bool_]] | None = None
    step = max(1, len(points) // 10)
    for i in range(0, len(points), step):
        for j in range(i + len(points) // 3, len(points), step):
            d = points[j] - points[i]
            length = float(np.hypot(*d))
            if length < 1e-6:
                continue
            off = np.abs((points - points[i]) @ np.array([-d[1], d[0]])) / length
            near = off < 1.0
            score = float(weight[near].sum())
            if best is None or score > best[0]:
                best = (score, near)
    if best is None or best[1].sum() < max(_LEAST_SIDE, 0.4 * len(points)):
        return None
    p, w = points[best[1]], weight[best[1]]
    middle = np.average(p, 0, weights=w)
    direction = np.linalg.svd((p - middle) * np.sqrt(w)[:, None])[2][0]
    return middle, direction


def _crossings(lines: Sequence[tuple[Array, Array] | None], camera: CameraModel) -> Quad | None:
    corners = []
    for a, b in ((3, 0), (0, 1), (1, 2), (2, 3)):
        one, other = lines[a], lines[b]
        if one is None or other is None:
            return None
        M = np.stack([one[1], -other[1]], 1)
        if abs(np.linalg.det(M)) < 0.05:
            return None
        corners.append(one[0] + np.linalg.solve(M, other[0] - one[0])[0] * one[1])
    return camera.distort(np.array(corners))
