"""Pieces that do not hang: on the table, in heaps, or fallen against a base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.render.cactus_game import Game, SetArt
from tests.render.cactus_geometry import Plate, gap
from tests.render.scene import Array


@dataclass(slots=True, eq=False)
class Lying:
    """A piece on the table, or fallen somewhere, with its pose in the world."""

    name: str
    pose: Array

    def plate(self, art: SetArt) -> Plate:
        """It in the world."""
        return Plate(art.forms[self.name], self.pose, art.thickness)


def lying_at(art: SetArt, name: str, at: tuple[float, float, float], flipped: bool, others: Sequence[Lying]) -> Lying:
    """A piece flat on the table at (x mm, y mm, angle), on top of what lies there already."""
    x, y, angle = at
    t = art.thickness
    level = 0
    for other in others:
        d = np.hypot(other.pose[0, 3] - x, other.pose[1, 3] - y)
        if other.name != name and d < 0.7 * (art.forms[name].radius + art.forms[other.name].radius):
            level = max(level, round((other.pose[2, 3] - t / 2) / t) + 1)
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    if flipped:
        R = R @ np.diag([-1.0, 1.0, -1.0])
    return Lying(name, np.c_[R, [x, y, t / 2 + 0.02 + level * t]])


def leaning(game: Game, name: str, foot: Array) -> Lying | None:
    """A fallen piece aslant between the table and the front edge of the base of the cactus at `foot`."""
    rng, art = game.rng, game.art
    h, d = art.data["base"]["height_mm"], art.data["base"]["depth_mm"]
    turned = game.turned(rng.uniform(-np.pi, np.pi), bool(rng.random() < 0.5))
    outline = art.forms[name].outline @ turned[:2, :2].T
    length = float(np.ptp(outline[:, 1]))
    slope = np.arcsin(min(0.9, (h + 1.0) / (0.62 * length)))
    c, s = np.cos(slope), np.sin(slope)
    up = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    world = np.array([foot[:, 0], -foot[:, 2], [0, 0, 1.0]]).T
    pose = np.c_[world @ up @ turned, foot[:, 3]]
    low = Plate(art.forms[name], pose, art.thickness).rings(art.forms[name].outline)
    pose[:, 3] += [rng.normal(0, 5), 0, 0.05 - low[:, 2].min()]
    pose[:, 3] += foot[:, 2] * (d / 2 + 0.25 * length * c)
    for _ in range(40):
        plate = Plate(art.forms[name], pose, art.thickness)
        if gap_all(game, plate, [*game.cacti, *game.hung], True) > 0.02:
            return Lying(name, pose)
        pose[:, 3] += foot[:, 2] * 0.6
    return None


def gap_all(game: Game, plate: Plate, names: list[str], bases: bool = False) -> float:
    """Smallest gap between a plate and others; with the bases of the cacti among them too if asked."""
    others = [game.plate(n) for n in names]
    if bases:
        others += [game.base(n) for n in names if n in game.cacti]
    return min((gap(plate, o) for o in others), default=np.inf)
