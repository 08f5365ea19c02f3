"""Small photographs of cacti with pieces on them, drawn in true depth, and the stage that is known to be true."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from tests.render.cactus_game import Game, Hung, SetArt
from tests.render.cactus_geometry import seen
from tests.render.cactus_room import front_view
from tests.render.cactus_scene import Canvas, Lamp, linear
from tests.render.cactus_supply import Lying, lying_at
from tests.render.scene import Sensor, View
from vision.cactus.cactus_set import CactusSet, load_cactus_set
from vision.cactus.upright import HungPiece, Rigid, Stage, Upright
from vision.camera import CameraModel

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class At:
    """Where a piece is drawn: cactus, mm and rad in its frame."""

    name: str
    cactus: str
    x: float
    y: float
    z: float = 0.0
    angle: float = 0.0
    back: bool = False
    tilt: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photograph and its truth."""

    rgb: NDArray[np.uint8]
    cactus_set: CactusSet
    stage: Stage
    game: Game
    view: View

    def outline_px(self, name: str) -> Array:
        """The true outline of a piece."""
        return seen(self.game.plate(name), self.view)

    def overlap(self, piece: HungPiece) -> float:
        """Intersection over union of a piece that was found with the true one."""
        a, b = Polygon(self.outline_px(piece.id)).buffer(0), Polygon(piece.outline_px).buffer(0)
        return float(a.intersection(b).area / a.union(b).area)


def _empty(warm: float, wall: tuple[float, float, float], px_mm: float, turn: float) -> Canvas:
    tint = np.array([1 + warm, 1.0, 1 - warm])
    lamp = Lamp(np.array([-300.0, -900, 700]), 60.0, 0.7 * tint, np.array([0.0, 0, 40]), 620.0)
    view = front_view((720, 480), px_mm, 620, 0.22, 0.05 + turn, 0.005, np.array([0.0, 0, 62]), -0.02)
    canvas = Canvas.start(np.random.default_rng(2), view, [lamp], 0.5 * tint).again(view)
    ground = np.array([[-700.0, -400, 0], [700, -400, 0], [700, 250, 0], [-700, 250, 0]])
    back = np.array([[-700.0, 250, 0], [700, 250, 0], [700, 250, 700], [-700, 250, 700]])
    for corners, normal, shade in ((ground, (0, 0, 1.0), (0.3, 0.22, 0.15)), (back, (0, -1.0, 0), wall)):
        canvas.polygon(corners, canvas.surface(shade, corners.mean(axis=0), np.array(normal)))
    return canvas


def photograph(
    folder: Path,
    hung: tuple[At, ...],
    lying: tuple[tuple[str, float, float, float], ...] = (),
    warm: float = 0.1,
    wall: tuple[float, float, float] = (0.35, 0.36, 0.38),
    noise: float = 2.0,
    px_mm: float = 2.1,
    turn: float = 0.0,
    farther_mm: float = 6.0,
) -> Photo:
    """Three cacti of a set in a row with these pieces on them, from `turn` radians to the side.

    Each cactus stands `farther_mm` farther away than the one to its left.
    """
    art = SetArt.load(folder)
    height = float(art.data["base"]["height_mm"])
    names = [c["id"] for c in art.data["cacti"]][:3]
    cacti = {
        n: np.array([[1.0, 0, 0, -90.0 + 90 * i], [0, 0, -1, farther_mm * i], [0, 1.0, 0, height]])
        for i, n in enumerate(names)
    }
    game = Game(np.random.default_rng(0), art, cacti)
    for a in hung:
        pose = np.c_[game.turned(a.angle, a.back, a.tilt), [a.x, a.y, a.z]]
        game.hung[a.name] = Hung(a.name, a.cactus, pose)
    canvas = _empty(warm, wall, px_mm, turn)
    view = canvas.view
    colors = {k: linear(v) for k, v in art.data["colors"].items()}
    rim = np.array([0.3, 0.18, 0.08])
    for n in names:
        canvas.plate(game.plate(n), linear(art.facts[n]["color"]), rim)
        canvas.plate(game.base(n), rim, rim)
    for n in game.hung:
        canvas.plate(game.plate(n), colors[art.facts[n]["color"]], rim)
    there: list[Lying] = []
    for n, x, y, angle in lying:
        there.append(lying_at(art, n, (x, y, angle), False, there))
        canvas.plate(there[-1].plate(art), colors[art.facts[n]["color"]], rim)
    rgb = canvas.photograph(np.random.default_rng(4), Sensor(noise=noise), 0.75, 0.0)
    lens = CameraModel(view.size_px, view.K, np.array([view.k1, 0.0, 0.0, 0.0, 0.0]))
    world = Rigid(view.R, view.t)
    stage = Stage(lens, tuple(Upright(n, world.after(Rigid(m[:, :3], m[:, 3])), 0.2, 1.0) for n, m in cacti.items()))
    return Photo(rgb, load_cactus_set(folder), stage, game, view)
