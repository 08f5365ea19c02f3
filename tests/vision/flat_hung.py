"""Hung pieces for tests: where they are is stated, and the picture shows their outlines in flat colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.deck import CactusDeck
from tests.scoring.cactus_tables import FILE, set_of
from vision.cactus.cactus_set import CactusSet, load_cactus_set
from vision.cactus.hung_table import understood
from vision.cactus.upright import HungPiece, Rigid, Stage, Upright
from vision.camera import CameraModel
from vision.scene import Observation
from vision.types import Frame, Rgb

SIZE_PX = (1280, 720)
CACTI = ("K1", "K2", "K3", "K4", "K5")
STEP_MM = 95.0


def cactus_set() -> CactusSet:
    """The set of the tests of the rules, as the eye knows it."""
    return load_cactus_set(FILE.parent)


def deck() -> CactusDeck:
    """The same set as the rules know it."""
    return set_of()


def stage(turn: float = 0.0, down: float = 0.17, far_mm: float = 620.0, seen: Sequence[str] = CACTI) -> Stage:
    """Five cacti in a row before a camera that looks down a little, from `turn` radians to the side."""
    K = np.array([[1300.0, 0, 639.5], [0, 1300.0, 359.5], [0, 0, 1.0]])
    c, s, cd, sd = np.cos(turn), np.sin(turn), np.cos(down), np.sin(down)
    beside = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    over = np.array([[1, 0, 0], [0, cd, -sd], [0, sd, cd]])
    R = np.diag([1.0, -1.0, -1.0]) @ over @ beside
    middle = np.array([0.0, 50.0, 0.0])
    cacti = []
    for i, name in enumerate(CACTI):
        foot = np.array([(i - 2) * STEP_MM, 0.0, 0.0])
        if name in seen:
            cacti.append(Upright(name, Rigid(R, R @ (foot - middle) + [0, 0, far_mm]), 0.3, 0.99))
    return Stage(CameraModel(SIZE_PX, K, np.zeros(5)), tuple(cacti))


def hang(
    name: str,
    cactus: str,
    at: tuple[float, float],
    angle: float = 0.0,
    *,
    z: float = 0.0,
    flipped: bool = False,
    tilt: float = 0.0,
    sigma_mm: float = 0.2,
    depth_sigma_mm: float = 1.0,
    visible: float = 1.0,
    confidence: float = 0.99,
    view: Stage | None = None,
) -> HungPiece:
    """A piece that hangs with its origin at `at` (x, y up) on its cactus, turned by `angle`, tilted about x."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(tilt), np.sin(tilt)
    R = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]]) @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    pose = Rigid(R, np.array([*at, z]))
    piece = HungPiece(name, cactus, flipped, pose, np.zeros((3, 2)), visible, confidence, sigma_mm, depth_sigma_mm)
    return replace(piece, outline_px=outline_px(piece, view or stage()))


def outline_px(piece: HungPiece, view: Stage) -> np.ndarray:
    """Its outline in the picture of a stage."""
    upright = next(u for u in view.cacti if u.id == piece.cactus)
    flat = cactus_set().piece(piece.id).outline_mm * ([-1.0, 1.0] if piece.flipped else [1.0, 1.0])
    points = np.column_stack([flat, np.zeros(len(flat))])
    return view.project(points, upright.to_camera.after(piece.to_cactus))


@cache
def _noise(seed: int) -> NDArray[np.float64]:
    """(H, W, 3) what a sensor adds to a picture."""
    return np.random.default_rng(seed).normal(0, 2, (SIZE_PX[1], SIZE_PX[0], 3))


def picture(
    hung: Sequence[HungPiece], view: Stage | None = None, light: float = 1.0, seed: int = 1, *, bare: bool = True
) -> Rgb:
    """Pieces in their colours before a grey wall, the nearer over the farther, under more or less light.

    The cacti are drawn among them unless `bare`.
    """
    view = view or stage()
    canvas = np.full((SIZE_PX[1], SIZE_PX[0], 3), 150.0)
    known = cactus_set()
    sides = {u.id: float(np.sign(u.to_camera.inverse().t[2])) for u in view.cacti}
    drawn = [
        (float(h.to_cactus.t[2]) * sides[h.cactus], outline_px(h, view), known.colors[known.piece(h.id).color])
        for h in hung
    ]
    if not bare:
        looks = {c.id: c for c in known.cacti}
        for u in view.cacti:
            flat = looks[u.id].outline_mm
            drawn.append(
                (0.0, view.project(np.column_stack([flat, np.zeros(len(flat))]), u.to_camera), looks[u.id].rgb)
            )
    for _, outline, color in sorted(drawn, key=lambda d: d[0]):
        mask = np.zeros(canvas.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(outline).astype(np.int32)], 1)
        canvas[mask > 0] = color
    return np.asarray(np.clip(canvas * light + _noise(seed), 0, 255), np.uint8)


def observation(hung: Sequence[HungPiece], view: Stage | None = None) -> Observation:
    """What the eye makes of these pieces."""
    view = view or stage()
    frame = Frame(np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8))
    return understood(frame, cactus_set(), view, tuple(hung))
