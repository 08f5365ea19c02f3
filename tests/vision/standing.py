"""Plain drawings of cacti on a table, seen through a known camera: flat paint, no light."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, Point
from shapely.ops import unary_union

from vision.cactus.cactus_set import CactusLook, CactusSet
from vision.cactus.stage_rig import Rig
from vision.camera import CameraModel

Array = NDArray[np.float64]

BASE_MM = (44.0, 9.0, 16.0)
_FINER = 3
_SHIFT = 6


def _grown(lines: list[list[tuple[float, float]]], width: float, discs: list[tuple[float, float, float]]) -> Array:
    parts = [LineString(line).buffer(width / 2) for line in lines] + [Point(x, y).buffer(r) for x, y, r in discs]
    ground = LineString([(-60, -30), (60, -30)]).buffer(30, cap_style="flat")
    whole = unary_union(parts).difference(ground)
    return np.array(whole.exterior.coords[:-1], np.float64)


OUTLINES = {
    "tall": _grown([[(0, -5), (0, 78)], [(0, 30), (22, 34), (22, 58)], [(0, 44), (-20, 44), (-20, 66)]], 10, []),
    "fork": _grown([[(0, -5), (0, 40)], [(0, 30), (-24, 62)], [(0, 34), (20, 74)]], 9, [(0, 30, 13)]),
    "round": _grown([[(0, -5), (0, 20)], [(12, 44), (26, 60)]], 10, [(0, 28, 19), (-4, 54, 14), (28, 66, 9)]),
    "trident": _grown([[(0, -5), (0, 84)], [(-22, 64), (-22, 40), (22, 40), (22, 70)]], 9, []),
    "bent": _grown(
        [[(0, -5), (2, 30), (-6, 50), (4, 86)], [(-4, 48), (-26, 52)], [(2, 24), (24, 22), (24, 42)]], 10, []
    ),
}
PAINTS = {
    "green": [(62, 138, 74), (46, 116, 90), (110, 164, 78), (76, 154, 122), (88, 128, 60)],
    "bright": [(196, 84, 60), (70, 110, 190), (120, 70, 140), (60, 150, 150), (210, 170, 60)],
    "blue": [(70, 100, 170)] * 5,
}


def drawn_set(paints: str = "green") -> CactusSet:
    """A set of five cacti without pieces."""
    cacti = tuple(
        CactusLook(name, outline, (float(rgb[0]), float(rgb[1]), float(rgb[2])))
        for (name, outline), rgb in zip(OUTLINES.items(), PAINTS[paints], strict=True)
    )
    return CactusSet({"red": (207.0, 56.0, 50.0)}, 3.5, (), cacti, BASE_MM)


@dataclass(frozen=True, slots=True)
class Standing:
    """One cactus on the table: index in the set, x and y in mm from below the camera, turn in degrees."""

    cactus: int
    x: float
    y: float
    turn: float = 0.0


ROW = tuple(Standing(k, -170 + 85 * k, 470 + 14 * (k % 2), (-8.0, 4.0, 0.0, 9.0, -5.0)[k]) for k in range(5))
ARC = tuple(Standing(k, -160 + 80 * k, 480 - (k - 2) ** 2 * 15, (k - 2) * -6.0) for k in range(5))


def rig_of(stands: tuple[Standing, ...], focal: float = 1000.0, pitch: float = 14.0, k1: float = 0.0) -> Rig:
    """The camera before those cacti."""
    K = np.array([[focal, 0, 639.5], [0, focal, 359.5], [0, 0, 1]])
    lens = CameraModel((1280, 720), K, np.array([k1, 0, 0, 0, 0.0]))
    spots = np.array([[s.x, s.y, np.radians(s.turn)] for s in stands]).reshape(-1, 3)
    return Rig(lens, focal, k1, np.radians(pitch), np.radians(1.0), 150.0, spots)


def draw(
    cactus_set: CactusSet,
    stands: tuple[Standing, ...],
    rig: Rig,
    lamp: tuple[float, float, float] = (1.0, 1.0, 1.0),
    hung: tuple[tuple[int, float, float], ...] = (),
    seed: int = 0,
) -> NDArray[np.uint8]:
    """Draw a picture.

    Parameters
    ----------
    cactus_set, stands, rig
        What stands where.
    lamp
        Gain of red, green and blue.
    hung
        Discs that hide: index of a standing cactus, and their middle in mm.
    seed
        Of noise and clutter.
    """
    rng = np.random.default_rng(seed)
    w, h = 1280, 720
    big = np.empty((h * _FINER, w * _FINER, 3), np.float32)
    big[:] = (205, 200, 190)
    big[int(0.42 * h * _FINER) :] = (168, 132, 96)
    for _ in range(14):  # leaves and boxes behind
        centre = rng.uniform((0, 0), (w, 0.4 * h)) * _FINER
        axes = rng.uniform(8, 45, 2) * _FINER
        leaf = cv2.ellipse2Poly(tuple(centre.astype(int)), tuple(axes.astype(int)), int(rng.uniform(0, 180)), 0, 360, 6)
        cv2.fillPoly(big, [np.asarray(leaf)], tuple(float(v) for v in rng.uniform((30, 80, 30), (120, 170, 110))))
    front = cactus_set.thickness_mm / 2
    for k in np.argsort([-s.y for s in stands]):
        look = cactus_set.cacti[stands[k].cactus]
        bw, bh, bd = cactus_set.base_mm[0] / 2, cactus_set.base_mm[1], cactus_set.base_mm[2] / 2
        near = 1 if np.cos(np.radians(stands[k].turn)) > 0 else -1  # the side towards the camera
        top = np.array([(-bw, 0, -bd), (bw, 0, -bd), (bw, 0, bd), (-bw, 0, bd)], float)
        face = np.array([(-bw, 0, bd), (bw, 0, bd), (bw, -bh, bd), (-bw, -bh, bd)], float) * [1, 1, near]
        edge = np.c_[look.outline_mm, np.full(len(look.outline_mm), near * front)]
        for points, colour in ((face, (190, 160, 120)), (top, (215, 188, 150)), (edge * [1, 1, -1], (200, 170, 130))):
            _fill(big, rig, int(k), points, colour)
        _fill(big, rig, int(k), edge, look.rgb)
        for x, y in [(x, y) for j, x, y in hung if j == k]:
            a = np.linspace(0, 2 * np.pi, 40, endpoint=False)
            disc = np.c_[x + 9 * np.cos(a), y + 9 * np.sin(a), np.full(40, 5.0)]
            _fill(big, rig, int(k), disc, (205, 60, 55))
    small = cv2.resize(big, (w, h), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), 0.6) * np.array(lamp, np.float32)
    return np.clip(small + rng.normal(0, 2.0, small.shape), 0, 255).astype(np.uint8)


def _fill(big: NDArray[np.float32], rig: Rig, k: int, points_mm: Array, colour: tuple[float, ...]) -> None:
    px = (rig.project(points_mm, np.full(len(points_mm), k)) + 0.5) * _FINER - 0.5
    cv2.fillPoly(big, [np.rint(px * 2**_SHIFT).astype(np.int32)], tuple(float(v) for v in colour), shift=_SHIFT)
