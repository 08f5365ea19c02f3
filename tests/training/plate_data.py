"""Training pictures for the plate network: drawn photographs of Cactus, in other paints, on other grounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.training.plate_looks import relit, repainted, spoiled

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]

SCALE = 1.4
"""Pixels of a millimetre in what is kept."""
_ASIDE_MM, _UP_MM, _DOWN_MM = 80.0, 120.0, 45.0
"""What is kept about the cacti."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Part of a drawn photograph.

    Parameters
    ----------
    rgb
        (h, w, 3) its pixels, `SCALE` of them a millimetre.
    faces
        (h, w) the number of the plate whose painted face each pixel shows, from 1; 0 for anything else.
    paints
        (n + 1,) the number of each plate's paint; `albedos` (p, 3) their linear light.
    """

    rgb: Labels
    faces: Labels
    paints: NDArray[np.intp]
    albedos: Array


def samples(case: Path, decks: Path) -> Iterator[Sample]:
    """The photographs of one case."""
    told = json.loads((case / "truth.json").read_text(encoding="utf-8"))
    deck = json.loads((decks / Path(told["deck"]).name / "deck.json").read_text(encoding="utf-8"))
    for photo in told["photos"]:
        views = [(photo, told["camera"])]
        if "second" in photo:
            views.append((photo["second"], photo["second"]["camera"]))
        for seen, camera in views:
            bgr = cv2.imread(str(case / seen["photo"]))
            if bgr is not None:
                yield _sample(np.asarray(bgr[..., ::-1], np.uint8), seen, camera, deck)


def _sample(rgb: Labels, seen: Any, camera: Any, deck: Any) -> Sample:
    width = float(deck["base"]["width_mm"])
    bases = np.array([c["base"] for c in seen["cacti"]])
    per_mm = float(np.median(np.linalg.norm(bases[:, 1] - bases[:, 0], axis=1))) / width
    points = np.vstack([*(np.array(c["outline"]) for c in seen["cacti"]), *bases])
    low = np.floor(points.min(axis=0) - np.array([_ASIDE_MM, _UP_MM]) * per_mm)
    high = np.ceil(points.max(axis=0) + np.array([_ASIDE_MM, _DOWN_MM]) * per_mm)
    x0, y0 = np.maximum(low, 0).astype(int)
    x1, y1 = np.minimum(high, rgb.shape[1::-1]).astype(int)
    by = SCALE / per_mm
    size = (round((x1 - x0) * by), round((y1 - y0) * by))
    part = cv2.resize(rgb[y0:y1, x0:x1], size, interpolation=cv2.INTER_AREA if by < 1 else cv2.INTER_CUBIC)
    colors = list(deck["colors"])
    albedos = [_linear(deck["colors"][c]) for c in colors]
    albedos += [_linear(c["color"]) for c in deck["cacti"]]
    outlines = {p["id"]: p["outline"] for p in (*deck["pieces"], *deck["cacti"])}
    cacti = [c["id"] for c in deck["cacti"]]
    plates, paints = [], [0]
    for e in (*seen["cacti"], *seen["pieces"]):
        plates.append((np.array(outlines[e["id"]], float), np.array(e["pose"], float)))
        paints.append(colors.index(e["color"]) if "color" in e else len(colors) + cacti.index(e["id"]))
    fronts = [(c["base"], np.array(c["pose"], float)) for c in seen["cacti"]]
    drawing = _Drawing(camera, (x0, y0), size, by)
    faces = drawing.faces(plates, fronts, float(deck["thickness_mm"]), float(deck["base"]["depth_mm"]))
    return Sample(np.asarray(part, np.uint8), faces, np.array(paints), np.array(albedos))


def faces_of(camera: Any, size: tuple[int, int], plates: list[tuple[Array, Array]], thick: float) -> Labels:
    """(h, w) the number of the plate, (outline, pose) each, whose face a photograph shows; 0 for anything else."""
    return _Drawing(camera, (0, 0), size, 1.0).faces(plates, [], thick, 0.0)


class _Drawing:
    """Which plate each pixel of a part of a photograph shows."""

    def __init__(self, camera: Any, corner: tuple[int, int], size: tuple[int, int], by: float) -> None:
        self.K, self.dist = np.array(camera["K"], float), np.array(camera["dist"], float)
        motion = np.array(camera["RT"], float)
        self.R, self.t = motion[:, :3], motion[:, 3] * 1000
        self.corner, self.size, self.by = corner, size, by
        x, y = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
        px = (np.stack([x, y], -1).reshape(-1, 2) + 0.5) / by - 0.5 + corner
        rays = cv2.undistortPoints(px.reshape(-1, 1, 2), self.K, self.dist).reshape(size[1], size[0], 2)
        self.rays = np.dstack([rays, np.ones(size[::-1])])

    def faces(self, plates: list[tuple[Array, Array]], fronts: Any, thick: float, deep: float) -> Labels:
        """(h, w) numbers of the faces that are seen; what rims and bases hide is 0."""
        near = np.zeros(self.size[::-1])
        ids = np.zeros(self.size[::-1], np.uint8)
        eye = -self.R.T @ self.t
        for base, pose in fronts:
            self._put(near, ids, [self._here(np.array(base))], pose, deep / 2, 0)
        for number, (outline, pose) in enumerate(plates, 1):
            side = thick / 2 if (eye - pose[:, 3]) @ pose[:, 2] > 0 else -thick / 2
            front, back = self._project(outline, pose, side), self._project(outline, pose, -side)
            after = [np.roll(p, -1, axis=0) for p in (front, back)]
            walls = np.stack([front, after[0], after[1], back], axis=1)
            self._put(near, ids, list(walls), pose, 0.0, 0)
            self._put(near, ids, [front], pose, side, number)
        return ids

    def _put(self, near: Array, ids: Labels, polygons: list[Array], pose: Array, z: float, number: int) -> None:
        """Draw polygons that lie at a height of a plate where nothing nearer is."""
        points = np.vstack(polygons)
        x0, y0 = np.maximum(np.floor(points.min(axis=0)) - 1, 0).astype(int)
        x1, y1 = np.minimum(np.ceil(points.max(axis=0)) + 2, self.size).astype(int)
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        for polygon in polygons:
            cv2.fillPoly(mask, [np.round((polygon - (x0, y0)) * 16).astype(np.int32)], 1, shift=4)
        box = np.s_[y0:y1, x0:x1]
        normal = self.R @ pose[:, 2]
        at = self.R @ (pose[:, 3] + z * pose[:, 2]) + self.t
        there = self.rays[box] @ (normal / (normal @ at))
        shown = (mask > 0) & (there > near[box])
        near[box][shown], ids[box][shown] = there[shown], number

    def _project(self, outline: Array, pose: Array, z: float) -> Array:
        world = outline @ pose[:, :2].T + pose[:, 3] + z * pose[:, 2]
        px, _ = cv2.projectPoints(world, cv2.Rodrigues(self.R)[0], self.t, self.K, self.dist)
        return self._here(np.asarray(px[:, 0], np.float64))

    def _here(self, px: Array) -> Array:
        return np.asarray((px - self.corner + 0.5) * self.by - 0.5)


def _linear(hexed: str) -> Array:
    v = np.array([int(hexed[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.asarray(v**2.2)


def drawn(rng: np.random.Generator, sample: Sample, size: int, per_mm: tuple[float, float]) -> tuple[Labels, Labels]:
    """A training picture, (size, size, 3), and which pixels show a face and which an edge, (2, size, size)."""
    scale = float(np.exp(rng.uniform(*np.log(per_mm)))) / SCALE
    turn = rng.normal(0, 0.04)
    flip = -1.0 if rng.random() < 0.5 else 1.0
    height, width = sample.faces.shape
    half = size / 2 / scale
    x = rng.uniform(min(half, width / 2), max(width - half, width / 2))
    y = rng.uniform(min(half, height / 2), max(height - half, height / 2))
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    M = np.array([[flip * c, -flip * s, 0], [s, c, 0]])
    M[:, 2] = size / 2 - M[:, :2] @ (x, y)
    warp: Any = {"borderMode": cv2.BORDER_REFLECT_101}
    soft = cv2.GaussianBlur(sample.rgb, (0, 0), 0.35 / scale) if scale < 0.8 else sample.rgb
    rgb = cv2.warpAffine(soft, M, (size, size), flags=cv2.INTER_LINEAR, **warp)
    faces = np.asarray(cv2.warpAffine(sample.faces, M, (size, size), flags=cv2.INTER_NEAREST, **warp), np.uint8)
    picture = np.asarray((rgb / 255.0) ** 2.2, np.float32)
    if rng.random() < 0.75:
        picture = repainted(rng, picture, faces, sample.paints, sample.albedos)
    picture = relit(rng, picture, faces)
    steps = np.zeros(faces.shape, np.uint8)
    kernel = np.ones((3, 3), np.uint8)
    steps[cv2.dilate(faces, kernel) != cv2.erode(faces, kernel)] = 1
    return spoiled(rng, picture), np.stack([(faces > 0).astype(np.uint8), steps])
