"""Lamps, what each sees of a scene, and flat polygons drawn by their depth."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.render.scene import Array

Floats = NDArray[np.float32]
_MAP_PX = 1400
"""Side of the picture of what a lamp sees."""
BIAS_MM = 2.4
"""What is nearer to a shadow's caster than this is not in its shadow."""


@dataclass(frozen=True, slots=True, eq=False)
class Lamp:
    """A light of some size: its middle and radius in mm, its colour (3,), and what it looks at."""

    at: Array
    radius: float
    rgb: Array
    aim: Array
    reach: float

    def points(self, rng: np.random.Generator, n: int) -> Array:
        """Points of the lamp, (n, 3)."""
        d = rng.normal(size=(n, 3))
        return np.asarray(self.at + self.radius * d / np.linalg.norm(d, axis=1, keepdims=True) * rng.uniform(0.3, 1))

    def strength(self, points: Array, normals: Array) -> Array:
        """How bright it lights surfaces, (n,)."""
        d = self.at.astype(points.dtype) - points
        length = np.linalg.norm(d, axis=-1)
        cosine = np.clip((d * normals).sum(-1) / length, 0, None)
        return np.asarray(cosine * (float(np.linalg.norm(self.at - self.aim)) / length) ** 2)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a lamp sees from one of its points: projection (3, 4) of the world and nearness per pixel."""

    P: Array
    near: Floats

    @classmethod
    def start(cls, lamp: Lamp, at: Array) -> Seen:
        """An empty view from a point of the lamp."""
        z = lamp.aim - at
        distance = float(np.linalg.norm(z))
        z = z / distance
        x = np.cross(z, [0.0, 0.0, 1.0] if abs(z[2]) < 0.95 else [0.0, 1.0, 0.0])
        x = x / np.linalg.norm(x)
        R = np.stack([x, np.cross(z, x), z])
        f = _MAP_PX / 2 * distance / lamp.reach
        K = np.array([[f, 0, _MAP_PX / 2], [0, f, _MAP_PX / 2], [0, 0, 1.0]])
        return cls(K @ np.c_[R, -R @ at], np.zeros((_MAP_PX, _MAP_PX), np.float32))

    def copy(self) -> Seen:
        """The same view, to add to."""
        return Seen(self.P, self.near.copy())

    def put(self, polygon: Array) -> None:
        """Add a flat polygon of the world, (n, 3)."""
        q = polygon @ self.P[:, :3].T + self.P[:, 3]
        if q[:, 2].min() < 20:
            return
        put(self.near, q[:, :2] / q[:, 2:3], nearness(q[:, :2] / q[:, 2:3], 1 / q[:, 2]))


def nearness(px: Array, inverse: Array) -> Array:
    """(a, b, c) with 1/depth = a x + b y + c over a flat polygon, from its corners."""
    m = px.mean(0)
    A = np.c_[px - m, np.ones(len(px))]
    s = np.linalg.solve(A.T @ A + np.diag([1e-9, 1e-9, 0]), A.T @ inverse)
    return np.array([s[0], s[1], s[2] - s[0] * m[0] - s[1] * m[1]])


Patch = tuple[tuple[slice, slice], NDArray[np.bool_]]


def put(near: Floats, px: Array, plane: Array) -> Patch | None:
    """Draw a flat polygon where it is nearer than what is there; where it shows, as a window and a mask."""
    h, w = near.shape
    low, high = np.floor(px.min(0)).astype(int), np.ceil(px.max(0)).astype(int) + 1
    x0, y0, x1, y1 = max(0, low[0]), max(0, low[1]), min(w, high[0]), min(h, high[1])
    if x1 <= x0 or y1 <= y0:
        return None
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    corners = np.round((px - [x0, y0]) * 16).astype(np.int32)
    if len(px) == 4:
        cv2.fillConvexPoly(mask, corners, 1, cv2.LINE_8, 4)
    else:
        cv2.fillPoly(mask, [corners], 1, cv2.LINE_8, 4)
    a, b, c = plane
    depth = (a * np.arange(x0, x1, dtype=np.float32))[None] + (b * np.arange(y0, y1) + c).astype(np.float32)[:, None]
    there = near[y0:y1, x0:x1]
    shows = (depth > there) & (mask > 0)
    np.copyto(there, depth, where=shows)
    return (slice(y0, y1), slice(x0, x1)), shows
