"""The parts of a set of Cactus to be cut out, as outlines in mm: for paper and for a laser cutter."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibration.art.paths import Points, box
from scoring.deck import Cactus, CactusDeck
from vision.deck_file import json_object, read_json

SHOULDER_MM = 1.0
"""The foot that goes into the base is this much narrower than the cactus, on either side, so that it rests on it."""

_GROUND_MM = 0.3
"""What of a cactus is nearer to its base than this stands on it."""
_FAR_MM = 1000.0
"""No mark lies farther away than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One thing to cut out.

    Parameters
    ----------
    name
        What it is.
    outline
        (n, 2) its edge in mm, y down, its bounding box beginning at (0, 0).
    color
        ``#rrggbb`` to paint it; None for bare wood.
    marks
        Lines to print or engrave, in the same place.
    """

    name: str
    outline: Points
    color: str | None
    marks: tuple[Points, ...] = ()

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height."""
        w, h = self.outline.max(axis=0)
        return float(w), float(h)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Where a part lies: page (from 0), and its top-left corner in mm."""

    part: Part
    page: int
    x: float
    y: float


def foot(cactus: Cactus) -> tuple[float, float]:
    """Left and right edge of the part of a cactus that goes into its base, in the frame of the cactus."""
    low = min(y for _, y in cactus.outline)
    ground = [x for x, y in cactus.outline if y < low + _GROUND_MM]
    left, right = min(ground), max(ground)
    inset = min(SHOULDER_MM, (right - left) / 6)
    return left + inset, right - inset


def cactus_part(cactus: Cactus, deck: CactusDeck, marks: list[Points]) -> Part:
    """A cactus with its foot."""
    deep = deck.base.height_mm
    left, right = foot(cactus)
    ring = np.array(cactus.outline, float)
    if ring[:, 0] @ np.roll(ring[:, 1], -1) < ring[:, 1] @ np.roll(ring[:, 0], -1):
        ring = ring[::-1]  # counter-clockwise: up the right side and down the left one
    low = float(ring[:, 1].min())
    ground = ring[:, 1] < low + _GROUND_MM
    corners = np.array([[ring[ground, 0].max(), low], [ring[ground, 0].min(), low]])
    last = int(np.flatnonzero(ground & ~np.roll(ground, -1))[-1])  # the way up begins behind it
    body = np.roll(ring, -last - 1, axis=0)
    body = body[body[:, 1] >= low + _GROUND_MM]
    tab = np.array([[left, low], [left, low - deep], [right, low - deep], [right, low]])
    return _part(cactus.id, np.vstack([corners[:1], body, corners[1:], tab]), cactus.color, marks)


def parts_of(deck: CactusDeck, folder: Path) -> tuple[list[Part], list[Part]]:
    """Cacti and pieces of a set, as seen from the front."""
    marks = _marks(folder)
    cacti = [cactus_part(c, deck, marks.get(c.id, [])) for c in deck.cacti.values()]
    pieces = [
        _part(p.id, np.array(p.outline, float), deck.colors[p.color], marks.get(p.id, [])) for p in deck.pieces.values()
    ]
    return cacti, pieces


def tally(number: int, x: float, y: float) -> list[Points]:
    """So many short upright strokes side by side, around a point: a number that needs no letters."""
    step, long = 1.6, 3.0
    at = [x + step * (k - (number - 1) / 2) for k in range(number)]
    return [np.array([[a, y - long / 2], [a, y + long / 2]]) for a in at]


def base_layers(deck: CactusDeck) -> tuple[int, list[Part]]:
    """How many whole layers each half of a base has, and all layers of all bases to cut from the pieces' material.

    A base is glued of these: one half, a layer with a gap in which the cactus stands, the other half. The parts beside
    the gap bear the number of their cactus, as strokes.
    """
    width, height, depth = deck.base.width_mm, deck.base.height_mm, deck.base.depth_mm
    half = max(1, round((depth / deck.thickness_mm - 1) / 2))
    whole = Part("base", box(0, 0, width, height), None)
    out: list[Part] = []
    for number, cactus in enumerate(deck.cacti.values(), start=1):
        left, right = foot(cactus)
        out += [whole] * (2 * half)
        sides = (left + width / 2, width / 2 - right)
        out += [_filler(side, height, number) for side in sides if side > 0]
    return half, out


def _filler(width: float, height: float, number: int) -> Part:
    marks = tally(number, width / 2, height / 2)
    inside = all(0.5 < float(m[0, 0]) < width - 0.5 for m in marks)
    return Part("filler", box(0, 0, width, height), None, tuple(marks) if inside else ())


def mirrored(part: Part) -> Part:
    """The same part seen from its back."""
    w = part.size_mm[0]
    turn = np.array([-1.0, 1.0])
    return Part(part.name, part.outline * turn + [w, 0], part.color, tuple(m * turn + [w, 0] for m in part.marks))


def pack(parts: list[Part], width: float, height: float, gap: float, rows: list[int] | None = None) -> list[Placed]:
    """Lay parts in rows from left to right and from the top down, in their order, on as many pages as it takes.

    Parameters
    ----------
    width, height
        Room on a page.
    gap
        Space between two parts.
    rows
        Indices of the parts that begin a new row, besides those for which there is no room.

    Raises
    ------
    ValueError
        If a part is larger than the page.
    """
    out: list[Placed] = []
    row: list[Placed] = []
    page, x, y, tall = 0, 0.0, 0.0, 0.0

    def level() -> None:
        out.extend(Placed(p.part, p.page, p.x, p.y + (tall - p.part.size_mm[1]) / 2) for p in row)
        row.clear()

    for i, part in enumerate(parts):
        w, h = part.size_mm
        if w > width or h > height:
            raise ValueError(part.name)
        if row and (x + w > width or i in (rows or [])):
            level()
            x, y, tall = 0.0, y + tall + gap, 0.0
        if y + max(h, tall) > height:
            for k, p in enumerate(row):  # the whole row goes to the next page
                row[k] = Placed(p.part, page + 1, p.x, 0.0)
            page, y = page + 1, 0.0
        row.append(Placed(part, page, x, y))
        x, tall = x + w + gap, max(tall, h)
    level()
    return out


def _part(name: str, up: Points, color: str | None, marks: list[Points]) -> Part:
    down = up * [1, -1]
    corner = down.min(axis=0)
    return Part(name, down - corner, color, tuple(m * [1, -1] - corner for m in marks))


def _marks(folder: Path) -> dict[str, list[Points]]:
    """Lines to print, by piece or cactus; what is no list of points is left out."""
    data = json_object(read_json(folder / "deck.json"), str(folder / "deck.json"), "")
    out: dict[str, list[Points]] = {}
    for entry in (*data.get("pieces", []), *data.get("cacti", [])):
        lines = entry.get("marks")
        for line in lines if isinstance(lines, list) else []:
            try:
                points = np.array(line, float)
            except (TypeError, ValueError, OverflowError):
                continue
            # Never true of NaN.
            if points.ndim == 2 and points.shape[1] == 2 and len(points) > 1 and bool((abs(points) <= _FAR_MM).all()):
                out.setdefault(entry["id"], []).append(points)
    return out
