"""Flat plates hanging in space, and how far apart two of them are. All in millimetres, in the frame of a cactus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from shapely.geometry import Polygon

from vision.cactus.cactus_set import PieceLook
from vision.cactus.upright import HungPiece, Rigid

Array = NDArray[np.float64]

STEP_MM = 0.6
"""Distance between neighbouring points with which an edge is felt."""
MAP_MM = 0.5
"""... and of those at which the distance from an edge is kept."""
_SKIP = 3
"""Of so many places in a row all points are looked at in one."""
_STEEP = 3.0
"""Two distances that change with the place at most as fast as it does, or half as fast again beyond a map."""
_FACING = 0.3
"""A plate whose normal has less than this in common with the line of sight is seen from its edge."""
_MARGIN_MM = 9.0
"""So far round an outline its map reaches; beyond, distances are a little too large."""
_ROW = 256
"""So many places are looked up in one row: a longer one would not be taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """An edge in its plane, with how far every place round it is outside.

    Parameters
    ----------
    edge_mm
        (n, 2) points along the edge.
    corner_mm
        (2,) where the map begins.
    far_mm
        (2,) the greatest x and y of the edge.
    outside_mm
        (h, w) distance from the edge at steps of `MAP_MM`, negative inside.
    """

    edge_mm: Array
    corner_mm: Array
    outside_mm: NDArray[np.float32]
    far_mm: Array

    @classmethod
    def of(cls, outline_mm: Array) -> Outline:
        """The map of an (n, 2) outline."""
        outline = Polygon(outline_mm)
        if not outline.is_valid:
            outline = outline.buffer(0)
            if isinstance(outline, shapely.MultiPolygon):
                outline = max(outline.geoms, key=lambda part: part.area)
        edge = shapely.get_coordinates(shapely.segmentize(outline.exterior, STEP_MM))[:-1]
        corner = edge.min(0) - _MARGIN_MM
        width, height = np.ceil((edge.max(0) + _MARGIN_MM - corner) / MAP_MM).astype(int) + 1
        x, y = np.meshgrid(corner[0] + MAP_MM * np.arange(width), corner[1] + MAP_MM * np.arange(height))
        shapely.prepare(outline)
        away = _away(shapely.get_coordinates(outline.exterior), np.column_stack([x.ravel(), y.ravel()]))
        away = away.reshape(x.shape)
        outside = np.where(shapely.contains_xy(outline, x, y), -away, away)
        return cls(edge, corner, outside.astype(np.float32), edge.max(0))

    def outside(self, points_mm: Array) -> Array:
        """How far (n, 2) points are outside; negative inside, in mm."""
        return self.outside_at(points_mm[:, 0], points_mm[:, 1])

    def outside_at(self, x_mm: Array, y_mm: Array) -> Array:
        """The same of (n,) x and y."""
        n = len(x_mm)
        rows = np.zeros((2, -(-n // _ROW), _ROW), np.float32)
        beyond = np.zeros(n)
        for at_mm, least_mm, last, row in zip(
            (x_mm, y_mm), self.corner_mm, self.outside_mm.shape[::-1], rows.reshape(2, -1), strict=True
        ):
            at = (at_mm - least_mm) / MAP_MM
            held = np.minimum(np.maximum(at, 0), last - 1)
            row[:n] = held
            beyond += (at - held) ** 2
        told = cv2.remap(self.outside_mm, rows[0], rows[1], cv2.INTER_LINEAR) if n else rows[0]
        return np.asarray(told.ravel()[:n] + np.sqrt(beyond) * MAP_MM, np.float64)

    def are_near(self, x_mm: Array, y_mm: Array, most_mm: float) -> NDArray[np.intp]:
        """Which of (n,) places are outside by less than that."""
        left, top = self.corner_mm + _MARGIN_MM - most_mm
        right, bottom = self.far_mm + most_mm
        near = np.flatnonzero((x_mm > left) & (x_mm < right) & (y_mm > top) & (y_mm < bottom))
        return near[self.outside_at(x_mm[near], y_mm[near]) < most_mm]


def _away(ring_mm: Array, points_mm: Array) -> Array:
    """Distance of (n, 2) points from a closed line."""
    ring = shapely.get_coordinates(shapely.segmentize(shapely.linestrings(ring_mm), STEP_MM))
    _, nearest = cKDTree(ring[:-1]).query(points_mm)
    best = np.full(len(points_mm), np.inf)
    for first in (nearest - 1, nearest):
        a = ring[:-1][first]
        along, to = ring[first % (len(ring) - 1) + 1] - a, points_mm - a
        share = np.clip((to * along).sum(1) / np.maximum((along**2).sum(1), 1e-12), 0.0, 1.0)
        best = np.minimum(best, np.hypot(*(to - share[:, None] * along).T))
    return best


@lru_cache(maxsize=256)
def outline_of(look: PieceLook) -> Outline:
    """The map of a piece's outline; made once."""
    return Outline.of(look.outline_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """One plate of even thickness.

    Parameters
    ----------
    outline
        Its edge in its own frame, as seen from its front.
    flipped
        Whether its back is in front: then its edge is mirrored in x.
    thickness_mm
        Its thickness, half of it on either side of z = 0.
    pose
        From its own frame to that of its cactus.
    rim_mm
        (n, 3) points along its edge in front, in the middle and at the back, in the frame of the cactus.
    """

    outline: Outline
    flipped: bool
    thickness_mm: float
    pose: Rigid
    rim_mm: Array

    @classmethod
    def of(cls, look: PieceLook, thickness_mm: float, hung: HungPiece) -> Plate:
        """The plate of a piece as it hangs."""
        return cls.placed(outline_of(look), thickness_mm, hung.to_cactus, flipped=hung.flipped)

    @classmethod
    def placed(cls, outline: Outline, thickness_mm: float, pose: Rigid, *, flipped: bool = False) -> Plate:
        """A plate of that outline somewhere."""
        return cls(outline, flipped, thickness_mm, pose, pose.apply(_rim(outline, thickness_mm, flipped=flipped)))

    def passed(self, points_mm: Array, along: Array, shifts_mm: Array, most_mm: float) -> Array:
        """(k,) how far the nearest of (n, 3) points is outside at each shift along a line; at most `most_mm`."""
        half = self.thickness_mm / 2
        inverse = self.pose.inverse()
        R, t = inverse.R, inverse.t
        if self.flipped:
            R, t = R * np.array([[-1.0], [1.0], [1.0]]), t * np.array([-1.0, 1.0, 1.0])
        x, y, z = R @ points_mm.T + t[:, None]
        right, down, ahead = R @ along
        if abs(ahead) > _FACING:
            # Where its line meets the plate's own plane each point is as near to the outline as it comes, about.
            away = z / ahead
            near = self.outline.are_near(x - away * right, y - away * down, (most_mm + half) / abs(ahead))
            x, y, z = x[near], y[near], z[near]
        if not len(x):
            return np.full(len(shifts_mm), most_mm)
        above = (np.abs(z + shifts_mm[:, None] * ahead) - half).ravel()
        at = np.flatnonzero(above < most_mm)
        k, n = np.divmod(at, len(x))
        shift = shifts_mm[k]
        out = np.full(len(above), most_mm)
        out[at] = _outside(self.outline.outside_at(x[n] + shift * right, y[n] + shift * down), above[at])
        return np.asarray(np.minimum(out.reshape(-1, len(x)).min(1), most_mm), np.float64)

    def outside(self, points_mm: Array) -> Array:
        """How far (n, 3) points of the cactus's frame are outside the plate; negative inside it, in mm."""
        own = self.pose.inverse().apply(points_mm)
        aside = self.outline.outside(own[:, :2] * _mirror(self.flipped))
        return _outside(aside, np.abs(own[:, 2]) - self.thickness_mm / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block with sides along the axes: from its least to its greatest corner."""

    least_mm: Array
    most_mm: Array

    def outside(self, points_mm: Array) -> Array:
        """How far (n, 3) points are outside the block; negative inside it, in mm."""
        off = np.maximum(self.least_mm - points_mm, points_mm - self.most_mm)
        return np.asarray(np.linalg.norm(np.maximum(off, 0), axis=1) + np.minimum(off.max(1), 0), np.float64)

    def passed(self, points_mm: Array, along: Array, shifts_mm: Array, most_mm: float) -> Array:
        """(k,) how far the nearest of (n, 3) points is outside at each shift along a line; at most `most_mm`."""
        off = np.maximum(self.least_mm[:2] - points_mm[:, :2], points_mm[:, :2] - self.most_mm[:2]).max(1)
        points = points_mm[off < most_mm + np.abs(shifts_mm).max() * float(np.abs(along[:2]).max())]
        if not len(points):
            return np.full(len(shifts_mm), most_mm)
        moved = (points[None] + shifts_mm[:, None, None] * along).reshape(-1, 3)
        nearest = self.outside(moved).reshape(len(shifts_mm), -1).min(1)
        return np.asarray(np.minimum(nearest, most_mm), np.float64)

    def edges_mm(self) -> Array:
        """(n, 3) points along its twelve edges."""
        a, b = self.least_mm, self.most_mm
        points = []
        for axis in range(3):
            along = np.arange(a[axis], b[axis] + STEP_MM / 2, STEP_MM)
            others = [i for i in range(3) if i != axis]
            for u in (a[others[0]], b[others[0]]):
                for v in (a[others[1]], b[others[1]]):
                    edge = np.empty((len(along), 3))
                    edge[:, axis], edge[:, others[0]], edge[:, others[1]] = along, u, v
                    points.append(edge)
        return np.concatenate(points)


def gaps(a: Plate, b: Plate | Block, shifts_mm: Array) -> Array:
    """Distance between `a` and `b` for each of (k, 3) shifts of `a`, in mm; negative where they would meet in depth.

    Where they run into each other it is about minus the shortest way to part them.
    """
    other = b.edges_mm() if isinstance(b, Block) else b.rim_mm
    return np.minimum(_nearest(a.rim_mm, b, shifts_mm), _nearest(other, a, -shifts_mm))


def _nearest(points_mm: Array, body: Plate | Block, shifts_mm: Array) -> Array:
    """(k,) how far the nearest of (n, 3) points is outside a body, for each of (k, 3) shifts of the points."""
    out = np.empty(len(shifts_mm))
    some = np.arange(0, len(shifts_mm), _SKIP)
    far = _outsides(points_mm, body, shifts_mm[some])
    out[some] = far.min(1)
    rest = np.setdiff1d(np.arange(len(shifts_mm)), some)
    if len(rest):
        # A point that is much farther than the nearest is so after a small shift too.
        apart = np.linalg.norm(shifts_mm[rest, None] - shifts_mm[some], axis=2)
        by = np.zeros(len(some))
        np.maximum.at(by, apart.argmin(1), apart.min(1))
        near = (far <= (out[some] + _STEEP * by)[:, None]).any(0)
        out[rest] = _outsides(points_mm[near], body, shifts_mm[rest]).min(1)
    return out


def _outsides(points_mm: Array, body: Plate | Block, shifts_mm: Array) -> Array:
    """(k, n) how far each of (n, 3) points is outside a body, for each of (k, 3) shifts of the points."""
    moved = (points_mm + shifts_mm[:, None]).reshape(-1, 3)
    return body.outside(moved).reshape(len(shifts_mm), -1)


def gaps_along(a: Plate, b: Plate | Block, along: Array, shifts_mm: Array, most_mm: float) -> Array:
    """As `gaps`, for (k,) shifts of `a` along one line, where only gaps below `most_mm` are of interest.

    Whatever passes by the other at a greater distance, however far along the line, is left out.
    """
    gap = np.full(len(shifts_mm), most_mm)
    pairs = ((a, b, 1.0), (b, a, -1.0))
    for one, other, sign in pairs:
        points = one.edges_mm() if isinstance(one, Block) else one.rim_mm
        gap = np.minimum(gap, other.passed(points, sign * along, shifts_mm, most_mm))
    return gap


@lru_cache(maxsize=256)
def _rim(outline: Outline, thickness_mm: float, *, flipped: bool) -> Array:
    """(3 n, 3) points along the edge of a plate in its own frame: at its back, in its middle, in front."""
    edge, half = outline.edge_mm * _mirror(flipped), thickness_mm / 2
    return np.concatenate([np.column_stack([edge, np.full(len(edge), z)]) for z in (-half, 0.0, half)])


def _mirror(flipped: bool) -> Array:
    return np.array([-1.0, 1.0]) if flipped else np.array([1.0, 1.0])


def _outside(aside: Array, above: Array) -> Array:
    both = np.sqrt(np.maximum(aside, 0) ** 2 + np.maximum(above, 0) ** 2)
    return np.asarray(both + np.minimum(np.maximum(aside, above), 0), np.float64)
