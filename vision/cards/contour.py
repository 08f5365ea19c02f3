"""Where exactly a flat card lies: its known edges laid onto the edges of the picture.

A plain card has nearly no print to align, but a long outline. On a known plane its pose has three unknowns, and each
point of an edge tells one of them: how far, across the edge, the picture's own edge lies from where it should be. All
cards of a picture are fitted at once (iteratively reweighted least squares with Tukey's weights).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel
from vision.cards.edges import EdgeModel
from vision.cards.profiles import edge_offsets
from vision.plane import Plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_REACHES_MM = (6.0, 3.0, 1.6, 1.6)  # how far from its place an edge is looked for, pass by pass
_FAINT = 20.0  # grey levels of a step that is believed half
_INDEPENDENT = 3.0  # neighbouring points share blur and print: about one in so many is independent
_TURNS = 5  # of reweighting
_AT_ONCE = 60  # pieces whose profiles are read in one go
_LEAST = 12  # points that must agree before a pose is believed
_LEAST_SIDE = 7  # ... and a side


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
        off_px, strength, inside = edge_offsets(self.rgb, p, n, per_mm, reach_mm, self.steps, self.rims)
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
