"""Flat plates in space: exact gaps between them, and where a camera sees them.

The world has x to the right, y away from the viewer and z up, in millimetres; the table is z = 0. The pose of a plate
is a (3, 4) matrix that takes its own frame (outline in x and y, z out of its painted front) to the world.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from tests.render.scene import Array, View

_FAR_MM = 12.0
"""Gaps beyond this are given roughly."""


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """An outline, (n, 2) mm, and points along it at most `step` mm apart."""

    outline: Array
    dense: Array
    radius: float

    @classmethod
    def of(cls, outline: Array, step: float = 0.7) -> Form:
        """Prepare an outline for measuring."""
        parts = []
        for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            n = max(1, int(np.ceil(np.hypot(*(b - a)) / step)))
            parts.append(a + (b - a) * np.linspace(0, 1, n, endpoint=False)[:, None])
        return cls(outline, np.concatenate(parts), float(np.hypot(*outline.T).max()))

    def signed(self, points: Array) -> Array:
        """Distance of (m, 2) points from the outline, negative inside it, (m,)."""
        a, b = self.outline, np.roll(self.outline, -1, axis=0)
        d = b - a
        rx = points[:, None, 0] - a[:, 0]
        ry = points[:, None, 1] - a[:, 1]
        t = np.clip((rx * d[:, 0] + ry * d[:, 1]) / np.maximum((d**2).sum(1), 1e-12), 0, 1)
        far = np.sqrt(((rx - t * d[:, 0]) ** 2 + (ry - t * d[:, 1]) ** 2).min(1))
        crosses = (a[:, 1] > points[:, None, 1]) != (b[:, 1] > points[:, None, 1])
        slope = d[:, 0] / np.where(d[:, 1] == 0, 1e-12, d[:, 1])
        inside = (crosses & (rx < ry * slope)).sum(1) % 2 == 1
        return np.asarray(np.where(inside, -far, far))


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """An outline of some thickness somewhere in space; its pose is that of the middle of the plate."""

    form: Form
    pose: Array
    thickness: float

    def world(self, flat: Array, z: float) -> Array:
        """Points (n, 2) of its own frame at height z above its middle -> (n, 3) in the world."""
        return np.asarray(flat @ self.pose[:, :2].T + self.pose[:, 3] + z * self.pose[:, 2])

    def rings(self, flat: Array) -> Array:
        """A closed line of its own frame on the front, on the back and half way between."""
        h = self.thickness / 2
        return np.concatenate([self.world(flat, z) for z in (h, -h, 0.0)])

    def signed(self, points: Array) -> Array:
        """Distance of (m, 3) points of the world from the plate, negative inside it."""
        local = (points - self.pose[:, 3]) @ self.pose[:, :3]
        across = np.abs(local[:, 2]) - self.thickness / 2
        flat = self.form.signed(local[:, :2])
        return np.asarray(
            np.hypot(np.maximum(flat, 0), np.maximum(across, 0)) + np.minimum(np.maximum(flat, across), 0)
        )

    def moved(self, by: Array) -> Plate:
        """The same plate shifted in the world."""
        return Plate(self.form, np.c_[self.pose[:, :3], self.pose[:, 3] + by], self.thickness)

    @property
    def front(self) -> float:
        """+1 where its painted front faces the viewer (world -y), -1 where its back does."""
        return 1.0 if self.pose[1, 2] < 0 else -1.0

    def shown(self) -> Array:
        """Outline of the face towards the viewer, (n, 3) in the world."""
        return self.world(self.form.outline, self.front * self.thickness / 2)


def gap(a: Plate, b: Plate) -> float:
    """Shortest way in mm from one plate to the other; negative where they run into each other."""
    apart = float(np.linalg.norm(a.pose[:, 3] - b.pose[:, 3])) - a.form.radius - b.form.radius - a.thickness
    if apart > _FAR_MM:
        return apart
    best = np.inf
    near: list[NDArray[np.intp]] = []
    for one, other in ((a, b), (b, a)):
        d = other.signed(one.rings(one.form.dense))
        best = min(best, float(d.min()))
        n = len(one.form.dense)
        near.append(np.flatnonzero(d < max(best, 0) + 1.0) % n)
    if best <= 0 or best > _FAR_MM:
        return best
    return min(best, _edges_apart(a, np.unique(near[0]), b, np.unique(near[1])))


def _edges_apart(a: Plate, at_a: NDArray[np.intp], b: Plate, at_b: NDArray[np.intp]) -> float:
    """Exact distance between those short pieces of the rims of two plates."""
    ends = []
    for plate, at in ((a, at_a), (b, at_b)):
        dense = plate.form.dense
        at = np.unique(np.concatenate([at, (at - 1) % len(dense)])).astype(int)
        if not len(at):
            return np.inf
        nxt = (at + 1) % len(dense)
        h = plate.thickness / 2
        ends.append(
            [np.concatenate([plate.world(dense[i], z) for z in (h, -h)]) for i in (at, nxt)],
        )
    (p, q), (r, s) = ends
    u, v = q - p, s - r
    w = p[:, None] - r[None]
    uu, vv, uv = (u * u).sum(1)[:, None], (v * v).sum(1)[None], u @ v.T
    uw, vw = (u[:, None] * w).sum(2), (v[None] * w).sum(2)
    den = np.maximum(uu * vv - uv * uv, 1e-12)
    t = np.clip((uv * vw - vv * uw) / den, 0, 1)
    k = np.clip((uv * t + vw) / np.maximum(vv, 1e-12), 0, 1)
    t = np.clip((uv * k - uw) / np.maximum(uu, 1e-12), 0, 1)
    d = w + t[..., None] * u[:, None] - k[..., None] * v[None]
    return float(np.sqrt((d * d).sum(2).min()))


def table_gap(plate: Plate) -> float:
    """Height in mm of its lowest point above the table."""
    return float(plate.rings(plate.form.outline)[:, 2].min())


def seen(plate: Plate, view: View) -> Array:
    """Outline in pixels of the face towards the viewer."""
    return view.project(plate.shown())


def silhouette(plate: Plate, view: View) -> Polygon:
    """What a plate covers in the picture."""
    h = plate.thickness / 2
    faces = [Polygon(view.project(plate.world(plate.form.outline, z))).buffer(0) for z in (h, -h)]
    return faces[0].union(faces[1])


def in_view(a: Plate, b: Plate, view: View) -> tuple[float, bool]:
    """Gap in pixels between two plates in the picture, and whether they cross there."""
    p, q = silhouette(a, view), silhouette(b, view)
    return float(p.distance(q)), bool(p.intersection(q).area > 4.0)


def depth_gap(a: Plate, b: Plate, view: View) -> float:
    """How far one plate is behind the other in mm along the line of sight, where they cross in view or nearly do."""
    eye = -view.R.T @ view.t
    towards = eye - (a.pose[:, 3] + b.pose[:, 3]) / 2
    towards = towards / np.linalg.norm(towards)
    p, q = Polygon(seen(a, view)).buffer(0.5), Polygon(seen(b, view)).buffer(0.5)
    both = p.intersection(q)
    if both.is_empty:
        n = b.pose[:, 2]
        return max(0.0, abs(float((a.pose[:, 3] - b.pose[:, 3]) @ n)) - (a.thickness + b.thickness) / 2)
    low = []
    x0, y0, x1, y1 = both.bounds
    grid = np.stack(np.meshgrid(np.linspace(x0, x1, 9), np.linspace(y0, y1, 9)), -1).reshape(-1, 2)
    rays = np.c_[view.straighten(grid), np.ones(len(grid))] @ np.linalg.inv(view.K).T @ view.R
    for plate in (a, b):
        n = plate.pose[:, 2]
        depth = (plate.pose[:, 3] - eye) @ n / (rays @ n)
        length = depth * np.linalg.norm(rays, axis=1)
        slant = plate.thickness / np.abs(rays @ n / np.linalg.norm(rays, axis=1))
        low.append((length, slant))
    away = np.abs(low[0][0] - low[1][0]) - (low[0][1] + low[1][1]) / 2
    return max(0.0, float(away.min()))
