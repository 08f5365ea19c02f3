"""Training strips for the network that finds rims: what is seen across rough outlines of drawn plates."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from scipy.ndimage import gaussian_filter1d
from skimage.measure import find_contours

from calibration.capture.cactus.plate_edges import even
from calibration.capture.cactus.rim_net import EVERY, SMOOTH, strip
from tests.training.laid_data import Drawer, Levels, Scene, by_lot, kept, table_of
from tests.training.laid_scene import SAMPLES, Array, Floats

PLACES = 128
"""Places along a strip."""
FARTHEST = 8.0
"""Pixels from an outline within which its rim is told."""
LEAST = 60
"""Places of an outline."""
_SHOTS = 3
_ROUGH = 2  # rough outlines of a plate
_FAR_OFF, _OFF = 0.7, 1.2  # how often, and up to how many px, all of a rough outline lies inside or outside:
# those told before err by what the picture shows, too, so that nearness to one must not count as evidence
_MIXED = 400  # strips among which the next one is drawn by lot
_MARGIN = 2.0  # pixels from the picture's edge: what is nearer is not seen whole


class Strips:
    """Draws training strips without end."""

    def __init__(self, rng: np.random.Generator, drawer: Drawer | None = None) -> None:
        self.rng = rng
        self.drawer = drawer or Drawer(rng)

    def draw(self, size: int) -> list[tuple[Levels, Floats]]:
        """Strips (10, PLACES, k) of one scene, and (2, PLACES) how far outward rims lie, in px, and 1 if known."""
        rng, scene = self.rng, self.drawer.scene(size)
        rims = _rims(scene)
        out = []
        for _ in range(_SHOTS):
            levels = kept(rng, scene.light, size)
            table = table_of(rng, levels, scene.bare).astype(np.float32) / 255
            picture = levels.astype(np.float32) / 255
            side = scene.side * np.exp(rng.normal(0, 0.12)) + rng.normal(0, 0.5, 2) * (rng.random() < 0.5)
            if rng.random() < 0.12:  # nobody knows from where the photo was taken
                side = np.zeros(2)
            for rim, number in rims:
                for _ in range(_ROUGH):
                    points, normals = even(rough(rng, *even(rim, EVERY, SMOOTH), scene.side), EVERY, SMOOTH)
                    if len(points) < LEAST:
                        continue
                    shown = strip(picture, table, points, normals, np.broadcast_to(side, points.shape))
                    told = _told(scene, points, normals, number, size)
                    out += cut(rng, shown, told)
        return out

    def mixed(self, size: int) -> Iterator[tuple[Levels, Floats]]:
        """Strips without end; those of one scene do not follow each other."""
        return by_lot(self.rng, lambda: self.draw(size), _MIXED)


def _rims(scene: Scene) -> list[tuple[Array, int]]:
    """The outlines (n, 2) in px of a scene's plates, and their numbers."""
    out = []
    relief = scene.relief
    for k in np.unique(relief.whose[relief.rim > 0]).tolist():
        own = np.where(relief.whose == k, relief.rim, np.minimum(-np.abs(relief.rim), -0.5))
        rings = find_contours(np.pad(own, 1, constant_values=-4.0), 0.0)
        if rings:
            ring = max(rings, key=lambda r: cv2.contourArea(r.astype(np.float32)))[:-1, ::-1] - 1
            out.append(((np.asarray(ring, np.float64) + 0.5) / SAMPLES - 0.5, int(k)))
    return out


def rough(rng: np.random.Generator, points: Array, normals: Array, side: Array) -> Array:
    """An outline as it may have been told before: off as a whole, and here and there, or with a plate's side."""
    n = len(points)
    most = rng.choice([0.25, 0.7, 1.6], p=[0.45, 0.35, 0.2])
    off = np.full(n, rng.normal(0, 0.6 * most))
    if rng.random() < _FAR_OFF:
        off += rng.uniform(-_OFF, _OFF)
    for _ in range(2):
        wave = gaussian_filter1d(rng.normal(size=n), float(np.exp(rng.uniform(np.log(1.5), np.log(30)))), mode="wrap")
        off += wave / max(float(wave.std()), 1e-6) * rng.uniform(0, 0.8) * most
    if rng.random() < 0.35:  # a side, or a shadow, was taken for a part of it
        turn = rng.uniform(0, 2 * np.pi)
        way = side if rng.random() < 0.6 else np.array([np.cos(turn), np.sin(turn)]) * rng.uniform(0, 8)
        off += np.maximum(normals @ way, 0) * rng.uniform(0.2, 1.1) ** (rng.random() < 0.6)
    return np.asarray(points + normals * np.clip(off, -FARTHEST, FARTHEST)[:, None], np.float64)


def _told(scene: Scene, points: Array, normals: Array, number: int, size: int) -> Floats:
    """(2, n) how far outward a plate's rim lies, in px, and 1 where that is known."""
    x = np.arange(-FARTHEST - 0.5, FARTHEST + 0.75, 0.25)
    at = ((points[:, None] + normals[:, None] * x[None, :, None] + 0.5) * SAMPLES - 0.5).astype(np.float32)
    relief = scene.relief
    own = np.where(relief.whose == number, relief.rim, np.minimum(relief.rim, -0.5)).astype(np.float32)
    field = cv2.remap(own, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    ends = (field[:, :-1] > 0) & (field[:, 1:] <= 0)
    share = field[:, :-1] / np.maximum(field[:, :-1] - field[:, 1:], 1e-6)
    where = np.where(ends, x[:-1] + share * 0.25, np.inf)
    nearest = np.abs(where).argmin(1)
    off = where[np.arange(len(points)), nearest]
    inside = ((points > _MARGIN) & (points < size - 1 - _MARGIN)).all(1)
    known = np.isfinite(off) & (np.abs(off) <= FARTHEST) & inside
    return np.stack([np.where(known, off, 0.0), known]).astype(np.float32)


def cut(rng: np.random.Generator, shown: Floats, told: Floats) -> list[tuple[Levels, Floats]]:
    """A closed strip in parts of `PLACES`, some of them backwards."""
    n = shown.shape[1]
    out = []
    begin = int(rng.integers(n))
    for k in range(max(1, n // PLACES)):
        which = (begin + k * PLACES + np.arange(PLACES)) % n
        if rng.random() < 0.5:
            which = which[::-1]
        if told[1, which].mean() > 0.3:
            levels = np.asarray(shown[:, which] * 255 + 0.5, np.uint8)
            out.append((levels, np.ascontiguousarray(told[:, which])))
    return out
