"""Photographs of a CONEX table with exact truth, for tests of the eye: the bundled deck, a board, cards in layers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Polygon

from tests.render.conex_geometry import BOARD, ConexArt, Pose
from tests.render.scene import Laid, Sensor, Table, View, look_at
from tests.render.textures import laminate, wood
from vision.camera import CameraModel
from vision.plane import Plane
from vision.types import Frame

SIZE = (960, 540)
CARD = (59.0, 92.0)
SIDE = 120.0
LAYER_MM = 0.35
"""Thickness of a card."""
GAME: tuple[tuple[str, Pose], ...] = (
    ("C05", (-104.0, 20.0, 1.25)),
    ("C17", (84.0, -64.0, -0.5)),
    ("C29", (-158.0, -34.0, 0.35)),
    ("C40", (146.0, -22.0, 2.45)),
    ("C11", (72.0, 94.0, -0.75)),
    ("C23", (150.0, 66.0, 0.5)),
    ("C34", (-214.0, 84.0, -2.2)),
    ("C48", (-50.0, -94.0, 1.75)),
)
"""A table of eight: cards on the board, cards on cards, one alone; from the lowest to the highest."""


@dataclass(frozen=True, eq=False)
class PlainPhoto:
    """A drawn photograph and its truth.

    Parameters
    ----------
    rgb
        The picture.
    view
        The camera.
    laid
        What lies there with the board, from the lowest to the highest; foreign cards are no card of the deck.
    visible
        Share of each that the picture shows.
    """

    rgb: NDArray[np.uint8]
    view: View
    laid: tuple[Laid, ...]
    visible: tuple[float, ...]

    @property
    def frame(self) -> Frame:
        return Frame(self.rgb)

    @cached_property
    def cards(self) -> dict[str, Laid]:
        """The cards of the deck, by face."""
        return {c.name: c for c in self.laid if c.face_up and c.name != BOARD}

    @property
    def board(self) -> Laid:
        return next(c for c in self.laid if c.name == BOARD)

    @property
    def plane(self) -> Plane:
        """The table as the camera truly sees it."""
        v = self.view
        return Plane(CameraModel(v.size_px, v.K, np.array([v.k1, v.k2, 0, 0, 0])), v.homography(), 0.0)

    def pose(self, name: str) -> NDArray[np.float64]:
        """(3,) centre in mm and angle."""
        c = next(c for c in self.laid if c.name == name)
        return np.array([c.x_mm, c.y_mm, c.angle_rad])

    def covers(self, least_mm2: float = 0.0) -> set[tuple[str, str]]:
        """Pairs (upper, lower) of faces whose outlines share more than that."""
        shapes = {n: Polygon(box(c)) for n, c in self.cards.items()}
        names = list(shapes)
        return {
            (b, a)
            for i, a in enumerate(names)
            for b in names[i + 1 :]
            if shapes[a].intersection(shapes[b]).area > least_mm2
        }


def box(card: Laid) -> NDArray[np.float64]:
    """(4, 2) corners of a card in mm on the table."""
    c, s = np.cos(card.angle_rad), np.sin(card.angle_rad)
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(card.size_mm) / 2
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + [card.x_mm, card.y_mm])


def photograph(
    art: ConexArt,
    cards: Iterable[tuple[str, Pose]] = GAME,
    board: Pose | None = (0.0, 0.0, 0.2),
    *,
    distance_mm: float = 470.0,
    tilt_deg: float = 14.0,
    around_deg: float = 30.0,
    k1: float = -0.04,
    size_px: tuple[int, int] = SIZE,
    surface: str | Sequence[float] = "wood",
    shadow: tuple[float, float, float] = (0.8, 0.9, 0.35),
    foreign: Iterable[tuple[NDArray[np.uint8], Pose]] = (),
    sensor: Sensor | None = None,
    layered: bool = True,
    made_mm: float = 0.0,
    curl_mm: float = 0.0,
    seed: int = 3,
) -> PlainPhoto:
    """Lay a board and cards on a table and take a picture.

    Parameters
    ----------
    cards
        Face and pose in mm and rad, from the lowest to the highest.
    board
        Its pose; None for a table without.
    surface
        ``wood``, ``white`` or a colour 0..1.
    shadow
        Offset in mm, and depth.
    foreign
        Cards of no deck: a picture and a pose each, laid last.
    layered
        Whether a card that lies on others lies higher than they do.
    made_mm
        How far, at one sigma, each card is cut and laid off the pose that the truth says.
    curl_mm
        How far the sides of every third card stand up.
    """
    rng = np.random.default_rng(seed)
    view = look_at(size_px, 62, distance_mm, tilt_deg, around_deg, 3, (0, 0), k1)
    w, h = size_px
    if surface == "wood":
        top = wood(np.random.default_rng(12), h, w)
    elif surface == "white":
        top = laminate(np.random.default_rng(1), h, w)
    else:
        top = np.tile(np.asarray(surface, np.float32), (h, w, 1))
    table = Table.start(rng, view, top, 2, warp_surface=False)
    shapes: list[tuple[Polygon, float]] = []

    def lay(name: str, picture: NDArray[np.uint8], size: tuple[float, float], pose: Pose, up: bool) -> None:
        shape = Polygon(box(Laid(name, *pose, size, np.zeros((4, 2)))))
        z = max((z for s, z in shapes if s.intersects(shape)), default=0.0) + LAYER_MM if layered else 0.0
        shapes.append((shape, z))
        slip = rng.normal(0, made_mm, 2) if made_mm and name != BOARD else np.zeros(2)
        at = (pose[0] + slip[0], pose[1] + slip[1], pose[2])
        curl = curl_mm if len(shapes) % 3 == 0 else 0.0
        n = table.lay(name, picture, size, at, art.radius, curl, shadow, face_up=up, lift_mm=z)
        flat = view.project(np.c_[box(Laid(name, *pose, size, np.zeros((4, 2)))), np.full(4, -z)])
        table.cards[n] = Laid(name, *pose, size, flat, up)

    if board is not None:
        lay(BOARD, art.pictures[BOARD][..., :3], (SIDE, SIDE), board, True)
    for face, pose in cards:
        lay(face, art.pictures[face][..., :3], CARD, pose, True)
    for picture, pose in foreign:
        lay("foreign", picture, CARD, pose, False)
    rgb, owner = table.finish(rng, sensor or Sensor(blur=0.6, noise=2.0, jpeg=92))
    return PlainPhoto(rgb, view, tuple(table.cards), tuple(table.visible(owner)))
