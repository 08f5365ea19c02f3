"""Training pictures for the network that cuts out laid pieces: drawn plates on drawn tables, and where faces end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.training.laid_looks import lit, textures
from tests.training.laid_scene import LONGEST_SIDE, REACH, SAMPLES, Array, Floats, Relief, laid, outlines

Levels = NDArray[np.uint8]

_FORMS, _TEXTURES = 500, 140
_SHOTS = 4
_MIXED = 60  # pictures among which the next one is drawn by lot
_NEAR = 6.0  # samples from a plate within which the table is not as elsewhere
_PER_MM = (1.6, 8.0)
"""Pixels of a millimetre."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Plates that lie on a table: what each sample shows, its linear light, and `side` (2,) px to their lower rims."""

    relief: Relief
    light: Floats
    side: Array
    bare: Levels
    """(size, size) 1 where the table is as it is elsewhere."""


class Drawer:
    """Draws training pictures without end."""

    def __init__(self, rng: np.random.Generator, forms: int = _FORMS, kinds: int = _TEXTURES) -> None:
        self.rng = rng
        self.forms = outlines(rng, forms)
        self.textures = textures(rng, kinds)

    def draw(self, size: int) -> list[tuple[Levels, Floats]]:
        """One scene as `_SHOTS` cameras keep it: picture and table (size, size, 6), and (2, size, size) what is shown.

        That is how deep within a face each pixel lies, up to `REACH` px, and its share that shows a plate, sides and
        all.
        """
        rng = self.rng
        scene = self.scene(size)
        half = (size, size)
        rim = cv2.resize(scene.relief.rim, half, interpolation=cv2.INTER_AREA) / SAMPLES
        body = cv2.resize((scene.relief.plate > 0).astype(np.float32), half, interpolation=cv2.INTER_AREA)
        truth = np.stack([np.clip(rim, -REACH, REACH), body]).astype(np.float32)
        out = []
        for _ in range(_SHOTS):
            levels = kept(rng, scene.light, size)
            told = np.dstack([levels, table_of(rng, levels, scene.bare)])
            out.append(_turned(int(rng.integers(8)), told, truth))
        return out

    def scene(self, size: int) -> Scene:
        """Some plates on a table, as large as a picture of `size` pixels."""
        rng = self.rng
        per_mm = float(np.clip(np.exp(rng.normal(np.log(4.0), 0.35)), *_PER_MM))
        thick = float(rng.uniform(2.2, 5.0)) if rng.random() < 0.88 else float(rng.uniform(0.2, 2.2))
        slant = float(min(1.0, abs(rng.normal(0, 0.4))))
        bench, way = laid(rng, size, self.forms, per_mm, slant, 0.6 * (1 - 1 / np.hypot(1, slant)))
        bevel = min(0.0 if rng.random() < 0.12 else float(rng.uniform(0.1, 0.75)), thick * 0.45)
        samples = per_mm * SAMPLES
        side = way * thick * samples
        side *= min(1.0, LONGEST_SIDE / max(float(np.hypot(*side)), 1e-6))
        relief = bench.seen(thick * samples, side, bevel * samples, int(rng.integers(1, 4)))
        bare = cv2.resize((relief.foot > _NEAR).astype(np.uint8), (size, size), interpolation=cv2.INTER_NEAREST)
        return Scene(relief, lit(rng, relief, self.textures), side / SAMPLES, np.asarray(bare, np.uint8))

    def mixed(self, size: int) -> Iterator[tuple[Levels, Floats]]:
        """Pictures without end; those of one scene do not follow each other."""
        return by_lot(self.rng, lambda: self.draw(size), _MIXED)


def by_lot(
    rng: np.random.Generator, draw: Callable[[], list[tuple[Levels, Floats]]], among: int
) -> Iterator[tuple[Levels, Floats]]:
    """What is drawn, without end, each taken by lot among so many that wait."""
    waiting: list[tuple[Levels, Floats]] = []
    while True:
        while len(waiting) < among:
            waiting += draw()
        yield waiting.pop(int(rng.integers(len(waiting))))


def _turned(turn: int, levels: Levels, truth: Floats) -> tuple[Levels, Floats]:
    """A picture and what it shows, mirrored and turned by right angles in one of eight ways."""
    if turn & 1:
        levels, truth = levels[:, ::-1], truth[:, :, ::-1]
    levels, truth = np.rot90(levels, turn // 2), np.rot90(truth, turn // 2, (1, 2))
    return np.ascontiguousarray(levels), np.ascontiguousarray(truth)


def table_of(rng: np.random.Generator, levels: Levels, bare: Levels) -> Levels:
    """(h, w, 3) what is known of the table's colours, more or less exactly, from where nothing lies."""
    small = cv2.resize(levels, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA).astype(np.float32)
    h, w = small.shape[:2]
    own = cv2.resize(bare, (w, h), interpolation=cv2.INTER_NEAREST) > 0
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    count = int(rng.choice([1, 3, 6])) if own.mean() > 0.15 else 1
    terms = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y][:count], -1)
    if not own.any():
        own[:] = True
    even = np.diag([0.0, 8, 8, 30, 30, 30][:count])
    A = terms[own]
    fit = np.linalg.solve(A.T @ A + even + 1e-6 * np.eye(count), A.T @ small[own])
    off = rng.normal(0, rng.choice([1.0, 4.0, 9.0]), (1, 3)) * 0.5 + rng.normal(0, rng.choice([1.0, 5.0, 12.0]))
    table = cv2.resize((terms @ fit + off).astype(np.float32), levels.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(table + 0.5, 0, 255), np.uint8)


def kept(rng: np.random.Generator, light: Floats, size: int) -> Levels:
    """What a camera keeps of linear light, (size, size, 3) RGB: blur, exposure, noise, sharpening, JPEG."""
    out: Any = light
    if rng.random() < 0.3:  # other colours
        out = out[..., rng.permutation(3)]
    if rng.random() < 0.85:
        out = cv2.GaussianBlur(out, (0, 0), SAMPLES * float(rng.uniform(0.25, 1.3)))
    out = cv2.resize(out, (size, size), interpolation=cv2.INTER_AREA)
    white = float(np.percentile(out.max(2), 98))
    out = out * np.float32(np.exp(rng.normal(-0.25, 0.35)) / max(white, 1e-3))
    gain = np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    out = out * gain + np.float32(max(0.0, rng.normal(0, 0.01)))
    out = np.power(np.maximum(out, 0), np.float32(1 / rng.uniform(1.9, 2.5)))
    if rng.random() < 0.35:  # lights and darks pressed together
        out = out + np.float32(rng.uniform(0, 0.25)) * np.sin(2 * np.pi * np.clip(out, 0, 1)) * -0.5
    if rng.random() < 0.3:
        out = np.where(out > 0.8, 0.8 + 0.2 * np.tanh((out - 0.8) / 0.2), out)
    if rng.random() < 0.06:
        out = np.repeat(out.mean(axis=2, keepdims=True), 3, axis=2)
    if rng.random() < 0.5:
        out = cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.25, 0.9)))
    noise = rng.standard_normal(out.shape, dtype=np.float32)
    if rng.random() < 0.7:
        noise = 0.6 * noise + cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(0.6, 1.4)))
    out = out + noise * np.float32(rng.uniform(0.002, 0.022)) * (0.6 + 0.4 * np.sqrt(np.clip(out, 0, 1) * 2))
    if rng.random() < 0.6:
        out = out + np.float32(rng.uniform(0, 1.0)) * (
            out - cv2.GaussianBlur(out, (0, 0), float(rng.uniform(0.8, 1.6)))
        )
    levels = np.asarray(np.clip(out * 255 + 0.5, 0, 255), np.uint8)
    if rng.random() < 0.12:  # as a denoiser leaves it
        levels = np.asarray(cv2.medianBlur(levels, 3), np.uint8)
    if rng.random() < 0.8:
        _, data = cv2.imencode(".jpg", levels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(62, 97))])
        levels = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return levels
