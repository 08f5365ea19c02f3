"""A picture of upright plates on a table: exact depth, two lamps with soft shadows, a lens.

The room that stays the same over a sequence is drawn once on a `Canvas`; each photograph starts from a copy of it and
adds plates. A canvas keeps what each of its pixels shows (a surface or the room) and how near it is; light is
reckoned at the end from the depth of every pixel, with the shadows that plates and room throw from several points of
each lamp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tests.render.cactus_geometry import Plate
from tests.render.cactus_light import BIAS_MM, Lamp, Seen, nearness, put
from tests.render.scene import Array, Sensor, View
from tests.render.textures import Picture, noise

Floats = NDArray[np.float32]
ROOM = 0
"""Surface number of everything that stays."""


def linear(hexed: str) -> Array:
    """`#rrggbb` as linear light, (3,)."""
    v = np.array([int(hexed[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(v**2.2)


@dataclass(slots=True, eq=False)
class Canvas:
    """A picture in the making, `scale` times finer than the photograph and with a margin round it."""

    view: View
    scale: float
    margin: int
    lamps: list[Lamp]
    ambient: Array
    near: Floats
    ids: NDArray[np.uint16]
    rgb: Floats
    base: Floats
    """How brightly the surroundings and each lamp light the room, (1 + lamps, H, W)."""
    seen: list[list[Seen]]
    surfaces: list[tuple[Array, Array]] = field(default_factory=list)
    areas: dict[int, float] = field(default_factory=dict)

    @classmethod
    def start(cls, rng: np.random.Generator, view: View, lamps: list[Lamp], ambient: Array, samples: int = 8) -> Canvas:
        """An empty canvas."""
        w, h = view.size_px
        scale = 2.0 if w <= 1280 else 1.5
        border = np.array([[x, y] for x in (0, w / 2, w - 1) for y in (0, h / 2, h - 1)])
        u = view.straighten(border)
        margin = int(max(0, -u.min(), (u[:, 0] - w + 1).max(), (u[:, 1] - h + 1).max())) + 2
        cw, ch = int((w + 2 * margin) * scale), int((h + 2 * margin) * scale)
        return cls(
            view,
            scale,
            margin,
            lamps,
            ambient,
            np.zeros((ch, cw), np.float32),
            np.zeros((ch, cw), np.uint16),
            np.zeros((ch, cw, 3), np.float32),
            np.zeros((1 + len(lamps), ch, cw), np.float32),
            [[Seen.start(lamp, p) for p in lamp.points(rng, samples)] for lamp in lamps],
        )

    def again(self, view: View) -> Canvas:
        """A copy to add plates to; `view` may differ from the canvas's own by a hair."""
        return Canvas(
            view,
            self.scale,
            self.margin,
            self.lamps,
            self.ambient,
            self.near.copy(),
            self.ids.copy(),
            self.rgb,
            self.base,
            [[s.copy() for s in one] for one in self.seen],
            [(np.zeros(3), np.zeros(1 + len(self.lamps)))],
        )

    def project(self, world: Array) -> tuple[Array, Array]:
        """Points of the world -> (n, 2) px of the canvas and their 1/depth, (n,)."""
        c = world @ self.view.R.T + self.view.t
        inverse = 1 / np.maximum(c[:, 2], 1.0)
        ideal = c[:, :2] * inverse[:, None] * self.view.K[0, 0] + self.view.K[:2, 2]
        return (ideal + self.margin + 0.5) * self.scale - 0.5, inverse

    def rays(self) -> tuple[Floats, Floats]:
        """Directions of the canvas's columns (x) and rows (y) at depth 1 in the camera's frame."""
        ch, cw = self.near.shape
        k, m = self.view.K, self.margin
        x = ((np.arange(cw) + 0.5) / self.scale - 0.5 - m - k[0, 2]) / k[0, 0]
        y = ((np.arange(ch) + 0.5) / self.scale - 0.5 - m - k[1, 2]) / k[1, 1]
        return x.astype(np.float32), y.astype(np.float32)

    def lit(self, at: Array, normal: Array) -> Array:
        """How the surroundings and each lamp light a surface, (1 + lamps,)."""
        up = 0.78 + 0.22 * normal[2] - 0.12 * normal[1]
        return np.array([up] + [float(lamp.strength(at, normal)) for lamp in self.lamps])

    def surface(self, rgb: ArrayLike, at: Array, normal: Array) -> int:
        """A new surface number for a flat patch of one colour."""
        self.surfaces.append((np.asarray(rgb, float), self.lit(at, normal)))
        return len(self.surfaces) - 1

    def polygon(self, world: Array, number: int, lift: float = 1.0) -> None:
        """Draw a flat polygon of the world."""
        px, inverse = self.project(world)
        patch = put(self.near, px, nearness(px, inverse) * lift)
        if patch is not None:
            self.ids[patch[0]][patch[1]] = number

    def show(self, where: Any, rgb: ArrayLike, light: Array) -> None:
        """Colour pixels of the room: `where` picks them, `light` is (1 + lamps,) or that for each of them."""
        self.rgb[where] = rgb
        for k, one in enumerate(light):
            self.base[k][where] = one

    def plate(
        self, plate: Plate, paint: ArrayLike, rim: ArrayLike, marks: list[Array] | None = None
    ) -> tuple[int, int]:
        """Draw a plate, with dark marks on its painted front; the surface numbers of the face that shows."""
        eye = -self.view.R.T @ self.view.t
        h = plate.thickness / 2
        outline = plate.form.outline
        n = plate.pose[:, 2]
        side = 1.0 if (eye - plate.pose[:, 3]) @ n > 0 else -1.0
        first = len(self.surfaces)
        number = self.surface(paint, plate.pose[:, 3], n * side)
        face = plate.world(outline, side * h)
        self.polygon(face, number)
        px, _ = self.project(face)
        self.areas[number] = abs(float(_area(px)))
        if marks and side > 0:
            ink = self.surface(np.full(3, 0.012), plate.pose[:, 3], n * side)
            for mark in marks:
                self.polygon(plate.world(mark, h), ink, 1.0 + 1e-5)
        turn = 1.0 if _area(outline) > 0 else -1.0
        edge = np.roll(outline, -1, axis=0) - outline
        flat = np.c_[edge[:, 1], -edge[:, 0]] * turn
        flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9)
        out = flat @ plate.pose[:, :2].T
        middle = plate.world((outline + np.roll(outline, -1, axis=0)) / 2, 0.0)
        shown = np.flatnonzero(((eye - middle) * out).sum(1) > 0)
        first_wall = len(self.surfaces)
        lit = [0.78 + 0.22 * out[shown, 2] - 0.12 * out[shown, 1]]
        lit += [lamp.strength(middle[shown], out[shown]) for lamp in self.lamps]
        self.surfaces += [(np.asarray(rim, float), one) for one in np.stack(lit, axis=1)]
        near, far = (self.project(plate.world(outline, z))[0] for z in (h, -h))
        normals, points = out[shown] @ self.view.R.T, middle[shown] @ self.view.R.T + self.view.t
        planes = self._planes(normals, (normals * points).sum(1))
        for k, i in enumerate(shown.tolist()):
            j = (i + 1) % len(outline)
            patch = put(self.near, np.array([near[i], near[j], far[j], far[i]]), planes[k])
            if patch is not None:
                self.ids[patch[0]][patch[1]] = first_wall + k
        self.shade([face, plate.world(outline, -side * h)])
        return first, number

    def _planes(self, normals: Array, offsets: Array) -> Array:
        """(a, b, c) with 1/depth = a x + b y + c on the canvas, for planes normal . point = offset of the camera."""
        f, k = self.view.K[0, 0], self.scale
        cx, cy = ((self.view.K[i, 2] + self.margin + 0.5) * k - 0.5 for i in (0, 1))
        n = normals / np.where(np.abs(offsets) < 1e-9, 1e-9, offsets)[:, None]
        a, b = n[:, 0] / (f * k), n[:, 1] / (f * k)
        return np.stack([a, b, n[:, 2] - a * cx - b * cy], axis=1)

    def shade(self, polygons: list[Array]) -> None:
        """Let these polygons throw shadows."""
        for one in self.seen:
            for s in one:
                for p in polygons:
                    s.put(p)

    def share(self, number: int) -> float:
        """Share of a plate's face that the picture shows."""
        h, w = self.ids.shape
        m = int(self.margin * self.scale)
        inner = self.ids[m : h - m, m : w - m]
        return float(min(1.0, np.count_nonzero(inner == number) / max(1.0, self.areas[number])))

    def light(self) -> Floats:
        """The lit picture at the canvas's size, linear."""
        strength = np.array([s[1] for s in self.surfaces], np.float32)
        albedo = np.array([s[0] for s in self.surfaces], np.float32)
        plates = self.ids > 0
        where = self.ids[plates]
        rgb = self.rgb.copy()
        rgb[plates] = albedo[where]
        total = np.zeros_like(rgb)
        for k in range(1 + len(self.lamps)):
            amount = self.base[k].copy()
            amount[plates] = strength[where, k]
            if k:
                amount *= self._free(k - 1)
                tone = self.lamps[k - 1].rgb
            else:
                tone = self.ambient
            for c in range(3):
                total[..., c] += amount * np.float32(tone[c])
        return np.asarray(rgb * total, np.float32)

    def _free(self, k: int) -> Floats:
        """Share of the lamp that each pixel sees; every pixel asks some of the lamp's points, neighbours the others."""
        x, y = self.rays()
        R, t = self.view.R, self.view.t
        out = np.empty(self.near.shape, np.float32)
        maps = self.seen[k]
        each = max(1, len(maps) // 4)
        for i in range(4):
            rows, columns = slice(i // 2, None, 2), slice(i % 2, None, 2)
            inverse = np.ascontiguousarray(self.near[rows, columns])
            depth = 1 / np.maximum(inverse, 1e-6)
            xs, ys = x[columns], y[rows]
            free = np.zeros_like(inverse)
            for s in maps[i * each : (i + 1) * each]:
                M = s.P[:, :3] @ R.T
                v = s.P[:, 3] - M @ t
                q = [
                    (
                        ((np.float32(M[j, 0]) * xs + np.float32(M[j, 2]))[None] + (np.float32(M[j, 1]) * ys)[:, None])
                        * depth
                        + np.float32(v[j])
                    )
                    for j in range(3)
                ]
                back = 1 / np.maximum(q[2], 1.0)
                hit = cv2.remap(s.near, q[0] * back, q[1] * back, cv2.INTER_NEAREST, borderValue=0)
                free += hit * (q[2] - np.float32(BIAS_MM)) <= 1.0
            out[rows, columns] = free / each
        return out

    def photograph(self, rng: np.random.Generator, sensor: Sensor, exposure: float, soft: float) -> NDArray[np.uint8]:
        """The finished photograph, RGB (H, W, 3) uint8; `soft` is how fast the lens loses focus, in px."""
        w, h = self.view.size_px
        picture: Any = self.light() * np.float32(exposure)
        small = (w + 2 * self.margin, h + 2 * self.margin)
        picture = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
        if soft > 0.1:
            near = cv2.resize(self.near, small, interpolation=cv2.INTER_AREA)
            focus = np.median(self.near[self.ids > 0]) if (self.ids > 0).any() else np.median(near)
            away = np.clip(np.abs(near / focus - 1) * 3 * soft, 0, 1)[..., None]
            picture += (cv2.GaussianBlur(picture, (0, 0), 1.0 + 2.2 * soft) - picture) * away
        xx, yy = np.meshgrid(np.arange(0, w + 8, 8), np.arange(0, h + 8, 8))
        u = (self.view.straighten(np.c_[xx.ravel(), yy.ravel()]) + self.margin).reshape(*xx.shape, 2).astype(np.float32)
        gx, gy = np.meshgrid(np.arange(w, dtype=np.float32) / 8, np.arange(h, dtype=np.float32) / 8)
        full = cv2.remap(u, gx, gy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        picture = cv2.remap(picture, full[..., 0], full[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
        picture = np.power(np.clip(picture, 0, 1.6), np.float32(1 / 2.2))
        picture = np.where(picture > 0.8, 0.8 + 0.2 * np.tanh((picture - 0.8) / 0.2 * 0.8), picture)
        grain = noise(rng, h, w, 3, 2)[..., None] * 0.006
        return sensor.expose(rng, np.asarray(picture * (1 + grain), np.float32))


def _area(p: Array) -> float:
    x, y = p[:, 0], p[:, 1]
    return float(0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def surface_picture(picture: Picture) -> Floats:
    """A texture as linear light."""
    return np.asarray(np.power(np.clip(picture, 0.004, 1), 2.2), np.float32)
