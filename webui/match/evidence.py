"""The evidence picture with its outlines: the whole, and the place where some cards lie."""

from __future__ import annotations

from dataclasses import dataclass

from webui.log.store import Json
from webui.services import services

OUTLINE_MAX = 2000
"""More corners than the outline of a piece has."""


@dataclass(frozen=True, slots=True)
class Closeup:
    """A part of the evidence picture: SVG view box, the whole picture's size, the cards' outlines, turn in degrees."""

    view: str
    width: int
    height: int
    outlines: tuple[str, ...]
    turn: int


def closeup(match: str, picture: str, keys: tuple[str, ...], seat: str | None = None) -> Closeup | None:
    """The place in the evidence picture where these cards lie, with some room around, as the row's owner sees it."""
    marks = marks_of(match, picture)
    known = [k for k in keys if k in marks["quads"]] if marks else []
    quads = [marks["quads"][k] for k in known] if marks else []
    if not marks or not quads:
        return None
    turn = {"north": 180, "west": -90, "east": 90}.get(seat or "", 0)
    cos, sin = {0: (1, 0), 180: (-1, 0), -90: (0, -1), 90: (0, 1)}[turn]
    # Turned round the picture's corner: (x, y) becomes (x cos - y sin, x sin + y cos), as SVG's rotate does.
    points = [(x * cos - y * sin, x * sin + y * cos) for q in quads for x, y in q]
    left, right = min(p[0] for p in points), max(p[0] for p in points)
    top, bottom = min(p[1] for p in points), max(p[1] for p in points)
    room = 0.12 * max(right - left, bottom - top)
    view = (left - room, top - room, right - left + 2 * room, bottom - top + 2 * room)
    outlines = tuple(points_of(marks["outlines"].get(k, marks["quads"][k])) for k in known)
    return Closeup(" ".join(f"{v:.1f}" for v in view), marks["size"][0], marks["size"][1], outlines, turn)


def marks_of(match: str, picture: str) -> Json | None:
    """The outlines stored with a picture, if they have their form: an import may carry anything."""
    if not picture:
        return None
    marks = services().store.marks(match, picture)
    try:
        width, height = marks["size"]
        if not (0 < float(width) < 1e5 and 0 < float(height) < 1e5):
            return None
        quads = {str(k): [(float(x), float(y)) for x, y in q] for k, q in marks["quads"].items()}
        loops = {str(k): [(float(x), float(y)) for x, y in q] for k, q in marks.get("outlines", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return {
        "size": (int(width), int(height)),
        "quads": {k: q for k, q in quads.items() if len(q) == 4},
        "outlines": {k: q for k, q in loops.items() if 3 <= len(q) <= OUTLINE_MAX},
    }


def points_of(quad: list[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in quad)
