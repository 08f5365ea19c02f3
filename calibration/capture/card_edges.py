"""The edges along outlines of cards that lie on a plane, and the outlines drawn to them, all cards together."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import Pose
from vision.cards.contour import fit_edges
from vision.cards.edges import outline_edges
from vision.plane import Plane, estimate_plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_SHIFTS = (0.09, 0.06)  # of a card's shorter side: how far outside the outlines its edge may lie, pass by pass
_STEP = 0.004  # ... and how finely the edge is looked for
_ASTRAY = (0.08, 0.06)  # ... and how far a single outline may lie from its place
_UNBALANCED = 0.03  # of a card's shorter side: how far an outline may be astray between a frame and the card's edge
_FRAMED = 0.04  # ... and how far from its sides a frame's edge and the card's may lie
_ASKEW = 1.3  # by how much more alike opposite sides must be elsewhere
_LOST = 0.6  # share of the edge close by, and of the other cards' edge, below which an outline has lost its card
_INWARD = 0.3  # ... and how far inside, as a share of that
_CLOSE = 0.012  # of a card's shorter side: how far the common edge may be from the outlines found
_CLEAR = ((0.4, 1.1), (0.14, 1.5))
"""An edge farther out is the card's if it has this share of the other's support, and so much more than lies between."""
_REACHES = ((0.03, 0.02), (0.025, 0.015))
"""Of a card's shorter side: how far its edge may be from the common outline, pass by pass."""
ROUNDED = 0.05
"""Radius of a card's corners, of its shorter side, where nobody states it."""


def edge_along(rgb: Rgb, plane: Plane, quads: Sequence[Quad], size_mm: tuple[float, float]) -> float:
    """How much of an edge there is along all sides of outlines of cards on a plane, 0 to 1."""
    return edge_support(rgb, plane, np.array([pose_on(plane, q, size_mm) for q in quads]).reshape(-1, 3), size_mm)


def drawn_to_edges(rgb: Rgb, plane: Plane, quads: Sequence[Quad], size_mm: tuple[float, float]) -> list[list[Quad]]:
    """Outlines of cards on a plane moved to the edges close by: each by itself, and all of them with their plane."""
    poses = np.array([pose_on(plane, q, size_mm) for q in quads]).reshape(-1, 3)
    radius = max(ROUNDED * min(size_mm), 1.0)
    model = outline_edges(size_mm, radius)
    fits = fit_edges(rgb, plane, poses, [model] * len(poses), None, [r * min(size_mm) for r in _REACHES[1]])
    each = np.array([p if f is None else f.pose for p, f in zip(poses, fits, strict=True)])
    every, together = settled(rgb, plane, list(quads), size_mm, radius, False)
    return [[p.quad_of(as_pose(v), size_mm) for v in there] for p, there in ((plane, each), (every, together))]


def settled(
    rgb: Rgb,
    plane: Plane,
    quads: list[Quad],
    size: tuple[float, float],
    radius_mm: float,
    balance: bool,
    outward: bool = True,
) -> tuple[Plane, Array]:
    """The plane and the cards' poses (n, 3) on it, by their edges.

    `balance`: outlines may lie half on a frame; `outward`: they may be frames, and the cards' edges farther out.
    """
    poses = np.array([pose_on(plane, q, size) for q in quads]).reshape(-1, 3)
    for far, astray, reach in zip(_SHIFTS, _ASTRAY, _REACHES, strict=True):
        if balance:
            poses = _balanced(rgb, plane, poses, size)
        grow = _farther_out(rgb, plane, poses, size, far) if outward else 0.0
        fitted = (size[0] + 2 * grow, size[1] + 2 * grow)
        poses = _gathered(rgb, plane, poses, fitted, astray)
        model = outline_edges(fitted, radius_mm)
        fits = fit_edges(rgb, plane, poses, [model] * len(poses), None, [r * min(size) for r in reach])
        poses = np.array([p if f is None else f.pose for p, f in zip(poses, fits, strict=True)]).reshape(-1, 3)
        quads = [plane.quad_of(as_pose(p), fitted) for p in poses]
        again = estimate_plane(quads, [size] * len(quads), (rgb.shape[1], rgb.shape[0]), None, 0.7)
        if not again:
            break
        plane = again
        poses = np.array([pose_on(plane, q, size) for q in quads])
    return plane, poses


def edge_support(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float]) -> float:
    """How much of an edge there is along all four sides of the cards, against what lies round it, 0 to 1."""
    around = np.arange(-12, 13)
    p = _profiles(rgb, plane, poses, size, np.asarray(around * _STEP * min(size), np.float64))
    return float(np.sqrt(p[..., np.abs(around) <= 1].max(2).prod(1)).mean())


def _farther_out(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], far: float) -> float:
    """By how many mm the cards' edge lies outside the outlines found: a printed frame is an edge, too.

    Looked for on all cards and sides together: on every side there is an edge at the same distance, and of such
    edges the outermost is the card's.
    """
    short = min(size)
    offsets = np.arange(-round(_INWARD * far / _STEP), round(far / _STEP) + 1) * _STEP * short
    profiles = _profiles(rgb, plane, poses, size, np.asarray(offsets, np.float64))
    # the side of the picture on which each lies: shadows fall to one side of all cards
    side = (np.arange(4)[None] + np.round(poses[:, 2:] / (np.pi / 2)).astype(int)) % 4
    near = np.stack([profiles[side == k].mean(0) for k in range(4)])
    support = cv2.GaussianBlur(np.sort(near, 0)[1][None], (0, 0), sigmaX=1.0)[0]
    # of the edges close to the outlines found the clearest, and then those farther out
    peak = int(np.where(np.abs(offsets) <= _CLOSE * short, support, -1).argmax())
    for i in range(peak + 1, len(offsets) - 1):
        valley = support[peak : i + 1].min()
        stands_out = support[i] > max(support[i - 1], support[i + 1])
        if stands_out and any(support[i] > max(c * support[peak], v * valley) for c, v in _CLEAR):
            peak = i
    return float(offsets[peak])


def _balanced(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float]) -> Array:
    """The poses (n, 3), moved to where opposite sides show the same edges as far out, a frame's inner edge and outer.

    An outline that runs along the frame on one side and along the card's edge on the other is half a frame astray.
    """
    short = min(size)
    reach, within = round(_UNBALANCED / _STEP), round(_FRAMED / _STEP)
    offsets = np.arange(-within - reach, within + reach + 1) * _STEP * short
    p = _profiles(rgb, plane, poses, size, np.asarray(offsets, np.float64))
    p = np.stack([cv2.GaussianBlur(side, (0, 0), sigmaX=1.0, sigmaY=0.01) for side in p])
    shifts = np.arange(-reach, reach + 1)
    middle = slice(reach, len(offsets) - reach)

    def alike(first: Array, second: Array) -> Array:
        """(n,) by how much each card is astray towards the second of two opposite sides."""
        score = np.stack([(np.roll(first, k, 1) * np.roll(second, -k, 1))[:, middle].sum(1) for k in shifts], 1)
        best = score.argmax(1)
        clear = score.max(1) > _ASKEW * score[:, reach]
        return np.asarray(np.where(clear, shifts[best], 0) * _STEP * short)

    dy, dx = alike(p[:, 0], p[:, 2]), alike(p[:, 3], p[:, 1])
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.asarray(poses + np.stack([dx * c - dy * s, dx * s + dy * c, 0 * dx], 1))


def _gathered(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], astray: float) -> Array:
    """The poses (n, 3), those moved that have a clear edge on all sides not here but close by."""
    short = min(size)
    reach = round(astray / _STEP)
    shifts = np.arange(-reach, reach + 1)
    p = _profiles(rgb, plane, poses, size, np.asarray(shifts * _STEP * short, np.float64))
    p = np.stack([cv2.dilate(side, np.ones((1, 3))) for side in p])
    upright, across = np.sqrt(p[:, 0, ::-1] * p[:, 2]), np.sqrt(p[:, 3, ::-1] * p[:, 1])
    here = np.sqrt(upright[:, reach] * across[:, reach])
    best = np.sqrt(upright.max(1) * across.max(1))
    move = here < np.minimum(_LOST * best, _LOST * float(np.median(here)))
    dy = np.where(move, shifts[upright.argmax(1)], 0) * _STEP * short
    dx = np.where(move, shifts[across.argmax(1)], 0) * _STEP * short
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.asarray(poses + np.stack([dx * c - dy * s, dx * s + dy * c, 0 * dx], 1))


def _profiles(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], offsets: Array) -> Array:
    """(n, 4, offsets) how much of an edge there is along each side, so far outside it, 0 to 1.

    Changes are added up along a side before they are measured, so that the table's grain cancels out.
    """
    model = outline_edges(size, 0.12 * min(size))
    out = np.zeros((len(poses), 4, len(offsets)))
    for k, pose in enumerate(poses):
        c, s = np.cos(pose[2]), np.sin(pose[2])
        turn = np.array([[c, -s], [s, c]])
        grid = (model.points_mm[:, None] + model.normals[:, None] * offsets[None, :, None]) @ turn.T + pose[:2]
        px = plane.project(grid.reshape(-1, 2)).reshape(*grid.shape[:2], 2).astype(np.float32)
        v = cv2.remap(rgb, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(float)
        for side in range(4):
            # four pieces of a side: an edge runs along all of them
            pieces = np.array_split(v[model.sides == side], 4)
            steady = np.sort([np.abs(_slope(piece.mean(0))).sum(1) for piece in pieces], 0)[1:3].mean(0)
            out[k, side] = steady / (steady.max() + 3.0)
    return out


def _slope(row: Array) -> Array:
    """How a row (n, 3) of samples changes from one to the next but one, (n, 3)."""
    soft = cv2.GaussianBlur(row[None], (0, 0), sigmaX=1.2)[0]
    out = np.zeros_like(soft)
    out[1:-1] = soft[2:] - soft[:-2]
    return np.asarray(out)


def pose_on(plane: Plane, quad: Quad, size: tuple[float, float]) -> Array:
    """Where the card of an outline lies on a plane: x and y in mm and the angle in rad, (3,)."""
    pose, _ = plane.pose_of(quad, size)
    return np.array([pose.x_mm, pose.y_mm, pose.angle_rad])


def as_pose(p: Array) -> Pose:
    """The same as a pose."""
    return Pose(float(p[0]), float(p[1]), float(p[2]))
