"""Flat solids as two cameras see them: where their edges should be in each picture, and where they are.

Everything stands in the frame of the first camera. A solid is a plate that belongs to a cactus: the cactus itself or
a piece that hangs on it. Of each only the edge of the face towards a camera is looked at, where nothing is before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from vision.cactus.piece_fit import along_edge
from vision.cactus.upright import Rigid, Stage
from vision.camera import CameraModel

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Picture = NDArray[np.float32]
"""(h, w, 3) RGB 0..255."""

_SPACING_MM = 1.0
_CORNER = 0.9
"""Where the normals of neighbours have a smaller cosine there is a corner, which blur makes round."""
_CLEAR_PX = 2.2
"""So near the outline of another solid an edge may be that one's."""
_BORDER_PX = 4.0
_STEP_PX = 0.5
_WEAK = 10.0
"""RGB levels by which neighbouring parts of a profile must differ to be an edge."""
_FULL = 40.0
"""... and by which one is seen as well as can be."""
_APART_PX, _ABOUT_PX = 1.5, 0.8
"""Two edges that are so far apart are two steps of colour, and their distance is known to so much."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A plate that belongs to a cactus.

    Parameters
    ----------
    id
        Name of the piece, or of the cactus.
    cactus
        Name of its cactus.
    outline_mm
        (n, 2) its edge in its own frame, mirrored where its back is in front.
    color
        What it is painted with.
    half_mm
        Half its thickness.
    pose
        From its frame to that of its cactus; None for the cactus itself.
    points_mm, normals
        (k, 2) evenly along the edge but for its corners, and the directions outward.
    """

    id: str
    cactus: str
    outline_mm: Array
    color: str
    half_mm: float
    pose: Rigid | None
    points_mm: Array
    normals: Array

    @classmethod
    def of(cls, key: str, cactus: str, outline_mm: Array, color: str, thickness_mm: float, pose: Rigid | None) -> Solid:
        """The solid of an outline."""
        points, normals = _evenly(outline_mm)
        return cls(key, cactus, outline_mm, color, thickness_mm / 2, pose, points, normals)

    def face(self, flat_mm: Array, side: float) -> Array:
        """(k, 2) of its plane -> (k, 3) on the face of that side, in its own frame."""
        return np.column_stack([flat_mm, np.full(len(flat_mm), side * self.half_mm)])


def _evenly(outline_mm: Array) -> tuple[Array, Array]:
    """Points along an edge, and the directions outward, but at its corners."""
    points, normals = along_edge(outline_mm, _SPACING_MM)
    straight = [(np.roll(normals, by, axis=0) * normals).sum(1) > _CORNER for by in (1, -1)]
    good = straight[0] & straight[1]
    return points[good], normals[good]


@dataclass(frozen=True, slots=True, eq=False)
class Cameras:
    """Two cameras, and the cacti before them.

    Parameters
    ----------
    lenses
        Both lenses.
    second
        From the first camera's frame to that of the second.
    cacti
        From the frame of each cactus to that of the first camera.
    """

    lenses: tuple[CameraModel, CameraModel]
    second: Rigid
    cacti: dict[str, Rigid]

    def to_camera(self, solid: Solid, view: int) -> Rigid:
        """From a solid's frame to that of a camera."""
        motion = self.cacti[solid.cactus]
        motion = self.second.after(motion) if view else motion
        return motion if solid.pose is None else motion.after(solid.pose)

    def project(self, points_mm: Array, view: int) -> Array:
        """(n, 3) mm of a camera's frame -> (n, 2) px of its picture."""
        return Stage(self.lenses[view], ()).project(points_mm, _HERE)

    def moved(self, lens: Array, second: Array, cacti: Array) -> Cameras:
        """The cameras after a small change.

        Parameters
        ----------
        lens
            (4,) of the first and the second lens: relative change of the focal length, and change of k1.
        second
            (6,) shift in mm and turn in rad.
        cacti
            (c, 6) the same for each cactus.
        """
        lenses = [_stretched(self.lenses[v], lens[2 * v : 2 * v + 2]) for v in (0, 1)]
        places = {name: stepped(place, cacti[k]) for k, (name, place) in enumerate(self.cacti.items())}
        return replace(self, lenses=(lenses[0], lenses[1]), second=stepped(self.second, second), cacti=places)


_HERE = Rigid(np.eye(3), np.zeros(3))


def _stretched(lens: CameraModel, change: Array) -> CameraModel:
    K, dist = lens.K.copy(), lens.dist.copy()
    K[(0, 1), (0, 1)] *= np.exp(change[0])
    dist[0] += change[1]
    return replace(lens, K=K, dist=dist)


def stepped(motion: Rigid, step: Array) -> Rigid:
    """A motion after a small step: (6,) a shift in mm, and a turn in rad about where it puts the origin."""
    turn, _ = cv2.Rodrigues(step[3:])
    return Rigid(np.asarray(turn @ motion.R, np.float64), motion.t + step[:3])


def seen_alone(cameras: Cameras, solids: Sequence[Solid], view: int) -> list[Mask]:
    """For each solid at which of its points nothing is before the edge and no other outline is near."""
    shapes = [_silhouette(cameras, s, view) for s in solids]
    boxes = np.array([s.bounds for s in shapes]) + np.array([-1, -1, 1, 1]) * _CLEAR_PX
    width, height = cameras.lenses[view].size_px
    told = []
    for i, solid in enumerate(solids):
        _, points, _, rim = _lines(cameras, solid, view, np.ones(len(solid.points_mm), np.bool_))
        px = cameras.project(points, view)
        far = np.array([width, height]) - 1 - _BORDER_PX
        good = np.asarray(((px > _BORDER_PX) & (px < far)).all(1), np.bool_)
        apart = (boxes[:, :2] > boxes[i, 2:]).any(1) | (boxes[:, 2:] < boxes[i, :2]).any(1)
        for j in map(int, np.flatnonzero(~apart)):
            if j == i:
                continue
            inside = shapely.contains_xy(shapes[j], px[:, 0], px[:, 1])
            at = np.flatnonzero(inside | (_beside(boxes[j], px)))
            if not len(at):
                continue
            edge = shapely.distance(shapes[j].boundary, shapely.points(px[at])) < _CLEAR_PX
            behind = _depth_of(cameras, solids[j], view, px[at]) > points[at, 2]
            if solids[j].color == solid.color:
                # Before its own colour an edge shows only where the cut side does.
                behind &= rim[at] > _APART_PX
            good[at] &= ~edge & (~inside[at] | behind)
        told.append(good)
    return told


def _beside(box: Array, px: Array) -> Mask:
    return np.asarray((px > box[:2]).all(1) & (px < box[2:]).all(1), np.bool_)


def _silhouette(cameras: Cameras, solid: Solid, view: int) -> BaseGeometry:
    there = cameras.to_camera(solid, view)
    faces = [Polygon(cameras.project(there.apply(solid.face(solid.outline_mm, s)), view)).buffer(0) for s in (1, -1)]
    shape = faces[0].union(faces[1])
    shapely.prepare(shape)
    return shape


def _depth_of(cameras: Cameras, solid: Solid, view: int, px: Array) -> Array:
    """How far along the camera's axis the middle of a solid is where it is seen at these places."""
    there, K = cameras.to_camera(solid, view), cameras.lenses[view].K
    rays = np.column_stack([(cameras.lenses[view].undistort(px) - K[:2, 2]) / K[(0, 1), (0, 1)], np.ones(len(px))])
    across = rays @ there.R[:, 2]
    return np.asarray(there.t @ there.R[:, 2] / np.where(np.abs(across) < 1e-6, 1e-6, across), np.float64)


def side_of(there: Rigid) -> float:
    """Which face of a solid a camera sees: 1 where the one with the greater z."""
    return 1.0 if there.inverse().t[2] > 0 else -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """The edge of one solid in one picture.

    Parameters
    ----------
    off_px
        (k,) how far outward the picture has it.
    weight
        (k,) 0 where it has none, 1 where it is clear.
    arms_mm
        (k, 3) its points in the solid's frame.
    there_mm
        (k, 3) the same in the camera's frame.
    out
        (k, 2) the direction outward in the picture.
    """

    off_px: Array
    weight: Array
    arms_mm: Array
    there_mm: Array
    out: Array


def edges_of(
    rgb: Picture, cameras: Cameras, solid: Solid, view: int, at: Mask, reach_px: float, *, bare: bool = False
) -> Edges:
    """Where the picture has the edge of a solid, looked for within reach of where it should be.

    Parameters
    ----------
    rgb
        The picture.
    cameras, solid, view
        Which solid in which picture.
    at
        (n,) at which of its points to look.
    reach_px
        How far off an edge may be.
    bare
        Whether the cut side of the plate looks like its face, so that the edge behind it is the one that is seen.
    """
    arms, points, out, rim = _lines(cameras, solid, view, at)
    px = cameras.project(points, view)
    wide = np.maximum(rim, 0.0)
    if bare:
        found = _steps(rgb, px + out * wide[:, None], out, reach_px)
        off, weight = found.nearest(np.zeros(len(px)))
    else:
        found = _steps(rgb, px, out, reach_px)
        off, weight = found.nearest(wide)
        # Where the cut side is narrow both its edges are one step, somewhere between them.
        weight = weight / (1 + np.where(wide < _APART_PX, wide, 0.0) ** 2)
    return Edges(off, weight, arms, points, out)


def twofold(rgb: Picture, cameras: Cameras, solid: Solid, view: int, at: Mask, reach_px: float) -> tuple[int, int]:
    """At how many points of a solid both edges of its cut side are seen, and at how many they should be."""
    _, points, out, rim = _lines(cameras, solid, view, at)
    wide = rim > _APART_PX
    if not wide.any():
        return 0, 0
    found = _steps(rgb, cameras.project(points[wide], view), out[wide], reach_px + float(rim.max()))
    any_edge, both = found.pairs(rim[wide])
    return int(both.sum()), int(any_edge.sum())


def _lines(cameras: Cameras, solid: Solid, view: int, at: Mask) -> tuple[Array, Array, Array, Array]:
    """Points of an edge in the solid's frame and the camera's, the way outward, and how wide the cut side looks."""
    there = cameras.to_camera(solid, view)
    side = side_of(there)
    arms = solid.face(solid.points_mm[at], side)
    points = there.apply(arms)
    ways = np.column_stack([solid.normals[at], np.zeros(len(arms))]) @ there.R.T
    focal = cameras.lenses[view].K[(0, 1), (0, 1)]
    slant = points[:, :2] / points[:, 2:]
    out = focal * (ways[:, :2] - slant * ways[:, 2:])
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    deep = -2 * solid.half_mm * side * there.R[:, 2]
    rim = (out * focal * (deep[:2] - slant * deep[2])).sum(1) / points[:, 2]
    return arms, points, out, np.asarray(rim, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """Steps of colour along lines: (k, m) how steep, and where along each line that is a step of its own."""

    t: NDArray[np.float32]
    slope: NDArray[np.float32]
    tops: Mask
    reach_px: float

    def nearest(self, wide_px: Array) -> tuple[Array, Array]:
        """The step nearest to the middle of each line, or the one so far inward of it, and how clear it is."""
        near = np.exp(-2.0 * (self.t / self.reach_px) ** 2) * np.maximum(self.slope / _WEAK, 1.0)
        i = np.arange(len(self.slope))
        k = np.where(self.tops, near, 0).argmax(1)
        found = self.tops[i, k]
        inner, there = self._other(k, -wide_px)
        k = np.where((wide_px > _APART_PX) & there, inner, k)
        k = np.clip(k, 1, len(self.t) - 2)
        a, b, c = self.slope[i, k - 1], self.slope[i, k], self.slope[i, k + 1]
        curve = a - 2 * b + c
        fine = np.where(np.abs(curve) > 1e-6, 0.5 * (a - c) / np.where(np.abs(curve) > 1e-6, curve, 1), 0)
        off = self.t[k] + np.clip(fine, -0.5, 0.5) * _STEP_PX
        weight = np.where(found, np.minimum(b / _FULL, 1.0), 0)
        return np.asarray(off, np.float64), np.asarray(weight, np.float64)

    def pairs(self, wide_px: Array) -> tuple[Mask, Mask]:
        """Where there is a step at all, and where there is another one so far from it."""
        k = np.where(self.tops, self.slope, 0).argmax(1)
        found = self.tops[np.arange(len(k)), k]
        inward, outward = self._other(k, -wide_px)[1], self._other(k, wide_px)[1]
        return found, np.asarray(found & (inward | outward), np.bool_)

    def _other(self, k: NDArray[np.intp], away_px: Array) -> tuple[NDArray[np.intp], Mask]:
        """The steepest step about so far from one, and whether there is any."""
        want = self.t[k] + away_px
        near = self.tops & (np.abs(self.t - want[:, None]) < _ABOUT_PX)
        other = np.where(near, self.slope, 0).argmax(1)
        return other, np.asarray(near.any(1), np.bool_)


def _steps(rgb: Picture, px: Array, out: Array, reach_px: float) -> _Steps:
    """The steps along lines through (k, 2) places."""
    n = int(np.ceil((reach_px + 4 * _STEP_PX) / _STEP_PX))
    t = (np.arange(-n, n + 1) * _STEP_PX).astype(np.float32)
    x, y = (px[:, k : k + 1].astype(np.float32) + out[:, k : k + 1].astype(np.float32) * t for k in (0, 1))
    value = cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    step = (value[:, 4:] + value[:, 3:-1] - value[:, 1:-3] - value[:, :-4]) / 2
    slope = np.zeros(value.shape[:2], np.float32)
    slope[:, 2:-2] = np.sqrt(np.einsum("ijk,ijk->ij", step, step))
    tops = (slope >= np.roll(slope, 1, 1)) & (slope > np.roll(slope, -1, 1)) & (slope > _WEAK)
    return _Steps(t, slope, np.asarray(tops & (np.abs(t) <= reach_px), np.bool_), reach_px)
