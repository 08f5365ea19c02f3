"""The pose of one piece to a fraction of a pixel: its painted face's edge against the steps of the picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_search import Guess, Shape
from vision.cactus.upright import Rigid, Stage
from vision.types import Rgb

Array = NDArray[np.float64]

_SPACING_MM = 1.2
_STEP_PX = 0.5
_INNER_PX = 2.0
_STEP_LEAST = 12.0
"""RGB levels by which a profile must change to be an edge."""
_TILT_SIGMA = 0.07
DEPTH_SIGMA_MM = 3.0
"""Spread of the depths of pieces about the plane of their cactus."""
_EDGE_SIGMA_PX = 0.5
ROUGH = ((2.5, 3), (2.0, 3), (1.2, 6))
"""Reach of the search along the normals in mm and number of unknowns, turn by turn: to tell shapes apart."""
EXACT = ((1.2, 6), (0.8, 6), (0.8, 6), (0.8, 6))
"""The same, to place the one that was chosen."""
AGAIN = ((0.8, 6),)
"""The same, where it was a picture ago."""
_MOST_TILT = 0.35
_LEVEL = 1e-12
_ORDER = np.array([0, 1, 3, 2, 4, 5])
"""Place and turn first, then what a single view tells worst."""
_PRIOR = np.array([1e-6, 1e-6, 1e-6, 1e-6, _TILT_SIGMA**-2, _TILT_SIGMA**-2])
_HELD = np.array([0, 0, 0, 1, 1, 1])
_FLOOR_MM = 0.08
_DEPTH_FLOOR_MM = 1.0
"""What a camera's blur does to the size of an outline is worth so much depth."""
_ON_EDGE_MM = 0.5
_BESIDE_MM = 1.5
"""An edge nearer than the first to the outline is its own, one nearer than the second belies it."""
_HERE = Rigid(np.eye(3), np.zeros(3))


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Six numbers of a piece in the frame of its cactus: place of its shape's centre, turn, two tilts."""

    shape: Shape
    numbers: Array
    thickness_mm: float

    def rigid(self) -> Rigid:
        """From the shape's centred frame (z = 0 in the middle of the plate) to the cactus."""
        x, y, z, angle, a, b = self.numbers.tolist()
        c, s = math.cos(angle), math.sin(angle)
        # A turn about (a, b, 0) by its length, after that in the plane.
        lean = math.hypot(a, b)
        u, v, up = (a / lean, b / lean, math.cos(lean)) if lean > _LEVEL else (1.0, 0.0, 1.0)
        out, bend = math.sin(lean), 1.0 - up
        xx, xy, yy = up + bend * u * u, bend * u * v, up + bend * v * v
        R = [
            [xx * c + xy * s, xy * c - xx * s, out * v],
            [xy * c + yy * s, yy * c - xy * s, -out * u],
            [out * (u * s - v * c), out * (v * s + u * c), up],
        ]
        return Rigid(np.array(R), np.array([x, y, z]))

    def to_cactus(self) -> Rigid:
        """From the piece's frame, mirrored first where flipped, to the cactus."""
        r = self.rigid()
        return Rigid(r.R, r.t - r.R @ np.array([*self.shape.centre_mm, 0.0]))

    def face_mm(self, outline_mm: Array) -> Array:
        """(n, 2) of the centred outline -> (n, 3) its painted face towards the viewer, in the frame of the cactus."""
        return self.rigid().apply(np.column_stack([outline_mm, np.full(len(outline_mm), self.thickness_mm / 2)]))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A pose and how well it is known.

    Parameters
    ----------
    pose
        The pose.
    sigma_mm
        Standard deviation of a point of the outline along the picture.
    depth_mm, depth_sigma_mm
        Where along z the size of the outline alone would have it, and the standard deviation of that.
    rms_mm
        Scatter of the edges about the outline.
    seen, astray
        Shares of the outline at which an edge was seen on it, and beside it.
    on, beside
        (n,) at which of the points of `edge_of` that was; empty where no picture was asked.
    """

    pose: Pose
    sigma_mm: float
    depth_mm: float
    depth_sigma_mm: float
    rms_mm: float
    seen: float
    astray: float
    on: NDArray[np.bool_]
    beside: NDArray[np.bool_]


def at_sight(pose: Pose) -> Fit:
    """A pose that no edge was asked about, as if all bore it out."""
    nowhere = np.zeros(0, np.bool_)
    return Fit(pose, 1.0, 0.0, 9.0, 0.0, 0.0, 0.0, nowhere, nowhere)


def pose_of(guess: Guess, thickness_mm: float, depth_mm: float = 0.0) -> Pose:
    """The pose of a guess, upright in the plane of its cactus."""
    return Pose(guess.shape, np.array([guess.x_mm, guess.y_mm, depth_mm, guess.angle_rad, 0.0, 0.0]), thickness_mm)


def pose_from(shape: Shape, to_cactus: Rigid, thickness_mm: float) -> Pose:
    """The pose of a piece whose motion into the frame of its cactus is known."""
    R = to_cactus.R
    lean = float(np.arccos(np.clip(R[2, 2], -1.0, 1.0)))
    a, b = (0.0, 0.0) if lean < 1e-9 else np.array([-R[1, 2], R[0, 2]]) * lean / np.hypot(R[0, 2], R[1, 2])
    flat = cv2.Rodrigues(np.array([a, b, 0.0]))[0].T @ R
    x, y, z = to_cactus.apply(np.array([[*shape.centre_mm, 0.0]]))[0]
    return Pose(shape, np.array([x, y, z, np.arctan2(flat[1, 0], flat[0, 0]), a, b]), thickness_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Where a fit begins.

    Parameters
    ----------
    pose
        The pose.
    to_camera
        From its cactus to the camera.
    paint
        (3,) the piece's colour in this picture, RGB 0..255.
    px_mm
        Pixels of a millimetre there.
    """

    pose: Pose
    to_camera: Rigid
    paint: Array
    px_mm: float


def fit_poses(
    rgb: Rgb,
    stage: Stage,
    starts: Sequence[Start],
    turns: tuple[tuple[float, int], ...] = EXACT,
    depth_sigma_mm: float | Array = DEPTH_SIGMA_MM,
) -> list[Fit]:
    """Move poses until their edges lie on the picture's, each by itself.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    stage
        The camera.
    starts
        Where to start.
    turns
        Reach of the search along the normals in mm and number of unknowns, turn by turn.
    depth_sigma_mm
        Standard deviation of the depth of the poses, or (k,) of each.
    """
    return _Fitting(rgb, stage, starts, depth_sigma_mm).run(turns) if starts else []


class _Fitting:
    """The poses of one call; arrays run over the points of all their edges, for one is done as fast as many."""

    def __init__(self, rgb: Rgb, stage: Stage, starts: Sequence[Start], depth_sigma_mm: float | Array) -> None:
        self.rgb, self.stage = rgb, stage
        self.poses = [s.pose for s in starts]
        edges = [edge_of(p.shape) for p in self.poses]
        counts = [len(e[0]) for e in edges]
        self.of = np.repeat(np.arange(len(starts)), counts)
        self.first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.count = np.array(counts, np.float64)
        half = [p.thickness_mm / 2 for p in self.poses]
        self.face = np.column_stack([np.concatenate([e[0] for e in edges]), np.repeat(half, counts)])
        self.normal = np.column_stack([np.concatenate([e[1] for e in edges]), np.zeros(len(self.of))])
        self.turn = np.array([s.to_camera.R for s in starts])
        self.away = np.array([s.to_camera.t for s in starts])
        self.paint = np.array([s.paint for s in starts], np.float32)[self.of]
        self.px_mm = np.array([s.px_mm for s in starts])
        self.rest = np.zeros((len(starts), 6))
        self.rest[:, 3] = [p.numbers[2] for p in self.poses]
        self.prior = np.tile(_PRIOR, (len(starts), 1))
        self.prior[:, 3] = depth_sigma_mm**-2.0

    def run(self, turns: tuple[tuple[float, int], ...]) -> list[Fit]:
        """Turn by turn; then what the edges say of where each pose came to lie."""
        for reach_mm, free in turns:
            reach = np.maximum(reach_mm * self.px_mm, 2.0)
            _, offset, weight, J = self.look(reach)
            spread = np.maximum(0.6, 0.3 * reach_mm * self.px_mm)[self.of]
            A, pull = self.pulled(J, offset, weight / (1 + (offset / spread) ** 2) / _EDGE_SIGMA_PX**2 / 2.0)
            numbers = np.array([p.numbers for p in self.poses])
            gradient = pull + self.prior * (self.rest - numbers[:, _ORDER]) * _HELD
            A = A + self.prior[:, :, None] * np.eye(6)
            numbers[:, _ORDER[:free]] += _solved(A[:, :free, :free], gradient[:, :free])
            numbers[:, 4:] = np.clip(numbers[:, 4:], -_MOST_TILT, _MOST_TILT)
            self.poses = [replace(p, numbers=n) for p, n in zip(self.poses, numbers, strict=True)]
        return self.told()

    def told(self) -> list[Fit]:
        """The poses as they are, with how well each is known."""
        numbers, offset, weight, J = self.look(np.maximum(_BESIDE_MM * self.px_mm, 2.0))
        on = np.abs(offset) < _ON_EDGE_MM * self.px_mm[self.of]
        told = [(weight > 0) & there for there in (on, ~on)]
        seen, astray = (self.sum(there) / self.count for there in told)
        rms = np.sqrt(self.sum(weight * offset**2) / np.maximum(self.sum(weight), 1e-9)) / self.px_mm
        free, pull = self.pulled(J, offset, weight / (1 + (offset / 0.6) ** 2) / _EDGE_SIGMA_PX**2 / 2.0)
        free = free + np.diag(_PRIOR)
        pull = _solved(free, pull - _PRIOR * numbers[:, _ORDER] * _HELD)
        cov = np.linalg.inv(free + (self.prior - _PRIOR)[:, :, None] * np.eye(6))
        moved = np.einsum("ni,nij,nj->n", J, cov[self.of], J)
        sigma = np.sqrt(np.maximum(self.sum(moved) / self.count, 0.0)) / self.px_mm
        depth_sigma = np.hypot(np.sqrt(np.linalg.inv(free)[:, 3, 3]), _DEPTH_FLOOR_MM)
        return [
            Fit(
                pose,
                float(np.hypot(sigma[k], _FLOOR_MM)),
                float(pose.numbers[2] + pull[k, 3]),
                float(depth_sigma[k]),
                float(rms[k]),
                float(seen[k]),
                float(astray[k]),
                *(there[self.of == k] for there in told),
            )
            for k, pose in enumerate(self.poses)
        ]

    def sum(self, values: NDArray[Any]) -> Array:
        """Sums over the points of each edge."""
        return np.asarray(np.add.reduceat(values.astype(np.float64), self.first, axis=0), np.float64)

    def pulled(self, J: Array, offset: Array, weight: Array) -> tuple[Array, Array]:
        """(k, 6, 6) and (k, 6) normal equations."""
        W = J * weight[:, None]
        return self.sum(W[:, :, None] * J[:, None]), self.sum(W * offset[:, None])

    def look(self, reach_px: Array) -> tuple[Array, Array, Array, Array]:
        """(k, 6) the poses' numbers; how far off each edge is, its weight, (n, 6) how far each number moves it.

        The lens's distortion is left out of the last: over a piece it is a matter of a hundredth.
        """
        rigid = [p.rigid() for p in self.poses]
        R, t = np.array([r.R for r in rigid]), np.array([r.t for r in rigid])
        whole = (self.turn @ R)[self.of]
        arm, normal = _each(whole, self.face), _each(whole, self.normal)
        there = arm + (_each(self.turn, t) + self.away)[self.of]
        px = self.stage.project(there, _HERE)
        per_mm = np.diag(self.stage.camera.K)[:2] / there[:, 2:]
        slant = there[:, :2] / there[:, 2:]
        out = (normal[:, :2] - slant * normal[:, 2:]) * per_mm
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
        offset, weight = _edges(self.rgb, px, out, self.paint, reach_px, self.of)
        pull = out * per_mm
        force = np.column_stack([pull, -(pull * slant).sum(axis=1)])
        back = self.turn.transpose(0, 2, 1)[self.of]
        shift, twist = _each(back, force), _each(back, _crossed(arm, force))
        J = np.empty((len(px), 6))
        J[:, [0, 1, 3]] = shift
        J[:, 2] = (R[:, :, 2][self.of] * twist).sum(axis=1)
        J[:, 4:] = twist[:, :2]
        return np.array([p.numbers for p in self.poses]), offset, weight, J


def _crossed(a: Array, b: Array) -> Array:
    """The cross products of (n, 3) and (n, 3)."""
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def _each(turns: Array, vectors: Array) -> Array:
    """(n, 3, 3) and (n, 3) -> (n, 3)."""
    return np.asarray(np.einsum("nij,nj->ni", turns, vectors), np.float64)


def _solved(A: Array, b: Array) -> Array:
    """(k, m, m) and (k, m) -> (k, m)."""
    return np.asarray(np.linalg.solve(A, b[..., None])[..., 0], np.float64)


def _edges(
    rgb: Rgb, at: Array, out: Array, paint: NDArray[np.float32], reach_px: Array, of: NDArray[np.intp]
) -> tuple[Array, Array]:
    """Offset along each normal of the step from the paint to something else, and its weight.

    The reach is that of each outline; `of` tells whose each point is.
    """
    n = int(np.ceil((reach_px.max() + _INNER_PX) / _STEP_PX))
    t = (np.arange(-n, n + 1) * _STEP_PX).astype(np.float32)
    x, y = (at[:, k : k + 1].astype(np.float32) + out[:, k : k + 1].astype(np.float32) * t for k in (0, 1))
    value = cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    away = value - paint[:, None]
    d = np.sqrt(np.einsum("ijk,ijk->ij", away, away))
    slope = np.zeros_like(d)
    slope[:, 2:-2] = (d[:, 4:] + d[:, 3:-1] - d[:, 1:-3] - d[:, :-4]) / 2
    slope *= (np.abs(t) <= reach_px[:, None] + 1e-6)[of]
    inner = round(_INNER_PX / _STEP_PX)
    good = slope > _STEP_LEAST
    good[:, 1:] &= slope[:, 1:] >= slope[:, :-1]
    good[:, :-1] &= slope[:, :-1] > slope[:, 1:]
    good[:, inner:] &= d[:, :-inner] < np.maximum(0.5 * slope[:, inner:], 18.0)
    good[:, :inner] = good[:, -1] = False
    strength = good * slope * np.exp(-0.5 * (t / reach_px[:, None].astype(np.float32)) ** 2)[of]
    strongest = strength.max(axis=1)
    first = (strength > 0.5 * strongest[:, None]).argmax(axis=1)
    i = np.arange(len(d))
    k = np.clip(first, 1, d.shape[1] - 2)
    a, b, c = slope[i, k - 1], slope[i, k], slope[i, k + 1]
    curve = a - 2 * b + c
    fine = np.where(np.abs(curve) > 1e-6, 0.5 * (a - c) / np.where(np.abs(curve) > 1e-6, curve, 1), 0)
    offset = t[k] + np.clip(fine, -0.5, 0.5) * _STEP_PX
    weight = np.where(strongest > 0, np.minimum(strongest / 40.0, 1.0), 0)
    return np.asarray(offset, np.float64), np.asarray(weight, np.float64)


@lru_cache(maxsize=256)
def edge_of(shape: Shape) -> tuple[Array, Array]:
    """Points at even distances along a shape's edge, and the unit normals outward: (n, 2) mm about its centre."""
    return along_edge(shape.outline_mm, _SPACING_MM)


def along_edge(outline_mm: Array, spacing_mm: float) -> tuple[Array, Array]:
    """Points about `spacing_mm` apart along a closed outline, and the unit normals outward: (n, 2) each."""
    closed = np.vstack([outline_mm, outline_mm[:1]])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    count = max(24, round(length[-1] / spacing_mm))
    s = (np.arange(count) + 0.5) * length[-1] / count
    points = np.stack([np.interp(s, length, closed[:, k]) for k in (0, 1)], axis=1)
    k = np.clip(np.searchsorted(length, s, side="right") - 1, 0, len(outline_mm) - 1)
    along = (closed[1:] - closed[:-1])[k]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    x, y = outline_mm.T
    turn = 1.0 if x @ np.roll(y, -1) - y @ np.roll(x, -1) > 0 else -1.0
    return points, turn * np.stack([along[:, 1], -along[:, 0]], axis=1)
