"""The pose of one piece to a fraction of a pixel: its painted face's edge against the steps of the picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.piece_search import Guess, Shape
from vision.types import Rgb
from vision.upright import Rigid, Stage

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


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Six numbers of a piece in the frame of its cactus: place of its shape's centre, turn, two tilts."""

    shape: Shape
    numbers: Array
    thickness_mm: float

    def rigid(self) -> Rigid:
        """From the shape's centred frame (z = 0 in the middle of the plate) to the cactus."""
        x, y, z, angle, a, b = self.numbers
        tilt, _ = cv2.Rodrigues(np.array([a, b, 0.0]))
        c, s = np.cos(angle), np.sin(angle)
        return Rigid(tilt @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([x, y, z]))

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
    """

    pose: Pose
    sigma_mm: float
    depth_mm: float
    depth_sigma_mm: float
    rms_mm: float
    seen: float
    astray: float


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


def fit_pose(
    rgb: Rgb,
    stage: Stage,
    to_camera: Rigid,
    pose: Pose,
    paint: Array,
    px_mm: float,
    turns: tuple[tuple[float, int], ...] = EXACT,
    depth_sigma_mm: float = DEPTH_SIGMA_MM,
) -> Fit:
    """Move a pose until its edge lies on the picture's.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    stage
        The camera.
    to_camera
        From the cactus to the camera.
    pose
        Where to start.
    paint
        (3,) the piece's colour in this picture, RGB 0..255.
    px_mm
        Pixels of a millimetre there.
    turns
        Reach of the search along the normals in mm and number of unknowns, turn by turn.
    depth_sigma_mm
        Standard deviation of the depth of `pose`.
    """
    outline, normal = _evenly(pose.shape)
    rest = np.array([0.0, 0.0, 0.0, pose.numbers[2], 0.0, 0.0])
    prior = _PRIOR.copy()
    prior[3] = depth_sigma_mm**-2
    for reach_mm, free in turns:
        px, out, J = _sight(stage, to_camera, pose, outline, normal)
        offset, weight = _edges(rgb, px, out, paint, max(reach_mm * px_mm, 2.0))
        spread = max(0.6, 0.3 * reach_mm * px_mm)
        w = weight / (1 + (offset / spread) ** 2) / _EDGE_SIGMA_PX**2 / 2.0
        now = pose.numbers[_ORDER]
        A = (J * w[:, None]).T @ J + np.diag(prior)
        gradient = (J * w[:, None]).T @ offset + prior * (rest - now) * _HELD
        numbers = pose.numbers.copy()
        numbers[_ORDER[:free]] += np.linalg.solve(A[:free, :free], gradient[:free])
        numbers[4:] = np.clip(numbers[4:], -_MOST_TILT, _MOST_TILT)
        pose = replace(pose, numbers=numbers)
    px, out, J = _sight(stage, to_camera, pose, outline, normal)
    offset, weight = _edges(rgb, px, out, paint, max(_BESIDE_MM * px_mm, 2.0))
    on = np.abs(offset) < _ON_EDGE_MM * px_mm
    seen, astray = float(((weight > 0) & on).mean()), float(((weight > 0) & ~on).mean())
    rms = float(np.sqrt((weight * offset**2).sum() / max(weight.sum(), 1e-9))) / px_mm
    w = weight / (1 + (offset / 0.6) ** 2) / _EDGE_SIGMA_PX**2 / 2.0
    free = (J * w[:, None]).T @ J + np.diag(_PRIOR)
    pull = np.linalg.solve(free, (J * w[:, None]).T @ offset - _PRIOR * pose.numbers[_ORDER] * _HELD)
    cov = np.linalg.inv(free + np.diag(prior - _PRIOR))
    sigma = float(np.sqrt(max(((J @ cov) * J).sum() / len(J), 0.0))) / px_mm
    depth_sigma = float(np.hypot(np.sqrt(np.linalg.inv(free)[3, 3]), _DEPTH_FLOOR_MM))
    return Fit(
        pose,
        float(np.hypot(sigma, _FLOOR_MM)),
        float(pose.numbers[2] + pull[3]),
        depth_sigma,
        rms,
        seen,
        astray,
    )


def _sight(stage: Stage, to_camera: Rigid, pose: Pose, outline: Array, normal: Array) -> tuple[Array, Array, Array]:
    """(n, 2) px of the outline, (n, 2) its unit normals there, (n, 6) how far each number moves it along them.

    The lens's distortion is left out of the last two: over a piece it is a matter of a hundredth.
    """
    rigid = pose.rigid()
    face = np.column_stack([outline, np.full(len(outline), pose.thickness_mm / 2)])
    arm = face @ rigid.R.T
    there = to_camera.apply(arm + rigid.t)
    px = stage.project(arm + rigid.t, to_camera)
    focal = stage.camera.K[0, 0], stage.camera.K[1, 1]
    z = there[:, 2]

    def shifted(moved: Array) -> Array:
        m = moved @ to_camera.R.T
        return np.stack([focal[k] * (m[..., k] - there[:, k] / z * m[..., 2]) / z for k in (0, 1)], axis=-1)

    ways = np.empty((6, *arm.shape))
    ways[[0, 1, 3]] = np.eye(3)[:, None]
    for k, axis in ((2, rigid.R[:, 2]), (4, np.array([1.0, 0, 0])), (5, np.array([0, 1.0, 0]))):
        ways[k] = arm @ np.array([[0, axis[2], -axis[1]], [-axis[2], 0, axis[0]], [axis[1], -axis[0], 0]])
    out = shifted(np.column_stack([normal, np.zeros(len(normal))]) @ rigid.R.T)
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    return px, out, (shifted(ways) * out).sum(axis=-1).T


def _edges(rgb: Rgb, at: Array, out: Array, paint: Array, reach_px: float) -> tuple[Array, Array]:
    """Offset along each normal of the step from the paint to something else, and its weight."""
    n = int(np.ceil((reach_px + _INNER_PX) / _STEP_PX))
    t = np.arange(-n, n + 1) * _STEP_PX
    where = (at[:, None] + out[:, None] * t[None, :, None]).astype(np.float32)
    value = cv2.remap(rgb, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    away = value - paint.astype(np.float32)
    d = np.sqrt(np.einsum("ijk,ijk->ij", away, away))
    slope = np.zeros_like(d)
    slope[:, 2:-2] = (d[:, 4:] + d[:, 3:-1] - d[:, 1:-3] - d[:, :-4]) / 2
    slope[np.abs(t)[None].repeat(len(d), 0) > reach_px + 1e-9] = 0
    inner = round(_INNER_PX / _STEP_PX)
    local = (slope >= np.roll(slope, 1, 1)) & (slope > np.roll(slope, -1, 1))
    before = np.roll(d, inner, 1)
    clean = before < np.maximum(0.5 * slope, 18.0)
    good = local & clean & (slope > _STEP_LEAST)
    strength = np.where(good, slope * np.exp(-0.5 * (t / max(reach_px, 1.0)) ** 2), 0)
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
def _evenly(shape: Shape) -> tuple[Array, Array]:
    """Points at even distances along an edge, and the unit normals outward."""
    outline = shape.outline_mm
    closed = np.vstack([outline, outline[:1]])
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    count = max(24, round(length[-1] / _SPACING_MM))
    s = (np.arange(count) + 0.5) * length[-1] / count
    point = np.stack([np.interp(s, length, closed[:, k]) for k in (0, 1)], axis=1)
    k = np.clip(np.searchsorted(length, s, side="right") - 1, 0, len(outline) - 1)
    along = (closed[1:] - closed[:-1])[k]
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    x, y = outline.T
    turn = 1.0 if x @ np.roll(y, -1) - y @ np.roll(x, -1) > 0 else -1.0
    return point, turn * np.stack([along[:, 1], -along[:, 0]], axis=1)
