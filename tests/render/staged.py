"""A few cards on a table, photographed: what tests of the eye need, in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tests.render.rox_table import DeckArt, Pose, framed_view
from tests.render.scene import Laid, Sensor, Table, View, clutter
from tests.render.textures import laminate, wood
from vision.types import Detection, Frame

SIZE = (960, 540)
REGION_MM = (400.0, 225.0)
"""The part of the table that the picture shows: cards of 40 mm are about 90 px wide."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A drawn photograph and its truth.

    Parameters
    ----------
    rgb
        The picture.
    cards
        What lies there, in the order in which it was laid.
    visible
        Share of each card that the picture shows.
    view
        The camera.
    """

    rgb: NDArray[np.uint8]
    cards: tuple[Laid, ...]
    visible: tuple[float, ...]
    view: View

    @property
    def frame(self) -> Frame:
        return Frame(self.rgb)

    @property
    def named(self) -> dict[str, Laid]:
        """The cards that lie face up, by name."""
        return {c.name: c for c in self.cards if c.face_up}


def rows(
    faces: Sequence[str], columns: int = 6, pitch_mm: tuple[float, float] = (62.0, 72.0)
) -> list[tuple[str, Pose]]:
    """The faces laid out in rows, none on another, each turned a little differently."""
    lines = -(-len(faces) // columns)
    found = []
    for n, face in enumerate(faces):
        row, column = divmod(n, columns)
        x = (column - (columns - 1) / 2) * pitch_mm[0]
        y = (row - (lines - 1) / 2) * pitch_mm[1]
        found.append((face, (x, y, 0.12 * np.sin(2.3 * n))))
    return found


def photograph(
    art: DeckArt,
    cards: Iterable[tuple[str, Pose]],
    *,
    size_px: tuple[int, int] = SIZE,
    region_mm: tuple[float, float] = REGION_MM,
    tilt_deg: float = 12.0,
    hfov_deg: float = 64.0,
    k1: float = 0.0,
    table: str = "wood",
    curl_mm: float = 0.0,
    sleeve_mm: float = 0.0,
    things: Iterable[tuple[str, tuple[float, float]]] = (),
    foreign: Iterable[tuple[NDArray[np.uint8], Pose]] = (),
    sensor: Sensor | None = None,
    seed: int = 3,
    scale: int = 1,
) -> Photo:
    """Lay cards of a deck on a table and take a picture.

    Parameters
    ----------
    cards
        Face id (or ``back``) and pose in mm and rad, from the lowest to the highest.
    table
        ``wood``, ``white`` or ``dark``.
    curl_mm, sleeve_mm
        How far the sides of every card stand up; how much larger than the card its sleeve is.
    things
        Clutter and where it lies.
    foreign
        Cards of no deck: a picture and a pose each, laid last.
    sensor
        Light and camera; default: slight blur and noise, JPEG 92.
    """
    rng = np.random.default_rng(seed)
    view = framed_view(rng, region_mm, size_px, tilt_deg, hfov_deg, k1)
    if table == "wood":
        surface = wood(np.random.default_rng(12), size_px[1], size_px[0])
    else:
        surface = laminate(np.random.default_rng({"white": 1, "dark": 5}[table]), size_px[1], size_px[0])
    canvas = Table.start(rng, view, surface, scale, warp_surface=False)
    radius = float(art.data.get("corner_radius_mm", 3))
    sizes = dict.fromkeys(art.pictures, art.size_mm)
    scoring = art.data.get("scoring_cards", {})
    sizes |= {f["id"]: tuple(scoring["card_mm"]) for f in scoring.get("faces", [])}

    def lay(name: str, picture: NDArray[np.uint8], pose: Pose, size: tuple[float, float], face_up: bool) -> None:
        canvas.lay(
            name,
            picture,
            size,
            pose,
            radius,
            curl_mm,
            (1.2, 1.5, 0.35),
            face_up=face_up,
            grow_mm=sleeve_mm,
            sleeve=0.25 if sleeve_mm else 0.0,
        )

    for face, pose in cards:
        lay(face, art.pictures[face], pose, sizes[face], face != "back")
    for picture, pose in foreign:
        lay("foreign", picture, pose, art.size_mm, False)
    for kind, at in things:
        clutter(rng, canvas, at, kind)
    rgb, owner = canvas.finish(rng, sensor or Sensor(blur=0.5, noise=1.5, jpeg=92))
    return Photo(rgb, tuple(canvas.cards), tuple(canvas.visible(owner)), view)


def enlarged(photo: Photo, factor: int) -> Photo:
    """The same photograph with more pixels."""
    rgb = np.repeat(np.repeat(photo.rgb, factor, 0), factor, 1)
    cards = tuple(replace(c, quad_px=(c.quad_px + 0.5) * factor - 0.5) for c in photo.cards)
    return Photo(rgb, cards, photo.visible, photo.view)


def corner_error(found: Detection, truth: Laid) -> float:
    """The largest distance of a corner from where it is, in px."""
    return float(np.linalg.norm(found.quad_px - truth.quad_px, axis=1).max())
