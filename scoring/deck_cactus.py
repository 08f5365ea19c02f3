"""A set of Cactus: the pieces to hang, the cacti to hang them on, and the bases. All lengths are millimetres.

Outlines have y upward. That of a cactus starts at the top of its base (y = 0); that of a piece is seen from its painted
front, and its back is the mirror image, painted alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.deck_check import LARGEST, Check, parse_colors, show
from scoring.table import Point

COLORS = 5
"""The game has five colours, and as many basic shapes."""
_MOST_POINTS = 2000
_MOST_MM = 1000.0
_LEAST_AREA_MM2 = 20.0
_LONGEST_ID = 64
PLANES = ("table", "base")
"""Names that no cactus may have."""


@dataclass(frozen=True, slots=True)
class CactusPiece:
    """One flat piece.

    Parameters
    ----------
    id
        Unique name within the set.
    color
        One of the five colours.
    shape
        Name of its basic shape; None for a special piece, whose shape is its own.
    outline
        Its edge as seen from the front, y upward.
    """

    id: str
    color: str
    shape: str | None
    outline: tuple[Point, ...]

    @property
    def special(self) -> bool:
        """Whether it is one of the desert's own pieces, which count for colour and never for shape."""
        return self.shape is None


@dataclass(frozen=True, slots=True)
class Cactus:
    """One cactus: its edge above the base, and its ``#rrggbb``."""

    id: str
    color: str
    outline: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class CactusBase:
    """The block in which a cactus stands."""

    width_mm: float
    height_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True)
class CactusDeck:
    """One copy of Cactus.

    Parameters
    ----------
    name
        Name of the set.
    colors
        Name of each of the five colours to its ``#rrggbb``.
    thickness_mm
        Thickness of pieces and cacti.
    pieces
        Pieces by id, in the order of the file; the specials' order is that of their row, the leftmost first.
    cacti
        Cacti by id, in playing order: clockwise as seen from above, from left to right in the picture.
    base
        The block below each cactus.
    """

    name: str
    colors: Mapping[str, str]
    thickness_mm: float
    pieces: Mapping[str, CactusPiece]
    cacti: Mapping[str, Cactus]
    base: CactusBase
    game: str = "cactus"

    @property
    def shapes(self) -> tuple[str, ...]:
        """Names of the basic shapes, in the order of the file."""
        return tuple(dict.fromkeys(p.shape for p in self.pieces.values() if p.shape is not None))

    @property
    def specials(self) -> tuple[str, ...]:
        """Ids of the special pieces, in the order of the file."""
        return tuple(p.id for p in self.pieces.values() if p.special)

    def size_mm(self, piece: str | None) -> tuple[float, float]:
        """Width and height of the piece's outline; of a middling one where the piece has no name."""
        outlines = [p.outline for p in self.pieces.values() if piece in (None, p.id)]
        sizes = [
            (max(x for x, _ in o) - min(x for x, _ in o), max(y for _, y in o) - min(y for _, y in o)) for o in outlines
        ]
        return sorted(sizes)[len(sizes) // 2]


def parse_cactus(check: Check, top: Mapping[str, Any]) -> CactusDeck:
    """The set that a ``deck.json`` of Cactus describes; raises DeckError for the first thing that is wrong."""
    name = check.text("name", top.get("name"))
    colors = parse_colors(check, "colors", top.get("colors"))
    if len(colors) != COLORS:
        check.fail("colors", f"names {len(colors)} colours; the game has {COLORS}")
    thickness = _length(check, "thickness_mm", top.get("thickness_mm"), 0.2, 20)
    base = check.mapping("base", top.get("base"))
    block = CactusBase(
        *(_length(check, f"base.{k}", base.get(k), 1, 300) for k in ("width_mm", "height_mm", "depth_mm"))
    )
    used: dict[str, str] = dict.fromkeys(PLANES, "a name of this program")
    pieces: dict[str, CactusPiece] = {}
    for i, item in enumerate(check.items("pieces", top.get("pieces"))):
        at = f"pieces[{i}]"
        piece = _piece(check, at, check.mapping(at, item), colors)
        check.unique(f"{at}.id", piece.id, used)
        pieces[piece.id] = piece
    _check_twins(check, pieces)
    cacti: dict[str, Cactus] = {}
    for i, item in enumerate(check.items("cacti", top.get("cacti"))):
        at = f"cacti[{i}]"
        entry = check.mapping(at, item)
        key = _name(check, f"{at}.id", entry.get("id"))
        check.unique(f"{at}.id", key, used)
        shade = parse_colors(check, at, {"color": entry.get("color")})["color"]
        cacti[key] = Cactus(key, shade, _outline(check, f"{at}.outline", entry.get("outline")))
    return CactusDeck(name, colors, thickness, pieces, cacti, block)


def _piece(check: Check, at: str, entry: Mapping[str, Any], colors: Mapping[str, str]) -> CactusPiece:
    key = _name(check, f"{at}.id", entry.get("id"))
    color = check.text(f"{at}.color", entry.get("color"))
    if color not in colors:
        check.fail(f"{at}.color", f"{show(color)} of piece {key} is none of {', '.join(colors)}")
    shape = None if entry.get("shape") is None else check.text(f"{at}.shape", entry["shape"])
    if entry.get("special", shape is None) is not (shape is None):
        check.fail(f"{at}.special", f"piece {key} must either have a shape or be special, not both and not neither")
    return CactusPiece(key, color, shape, _outline(check, f"{at}.outline", entry.get("outline")))


def _name(check: Check, key: str, value: object) -> str:
    """An id as it can be told among others, typed on the page, and told from what people state."""
    name = check.text(key, value)
    spaced = name != " ".join(name.split())
    if spaced or len(name) > _LONGEST_ID or name.startswith("+") or name in (".", "..") or set(name) & set(",/\\"):
        check.fail(key, f"must have at most {_LONGEST_ID} letters, no comma, slash or + before it, spaces only within")
    return name


def _check_twins(check: Check, pieces: Mapping[str, CactusPiece]) -> None:
    seen: dict[tuple[str, str], str] = {}
    for i, piece in enumerate(pieces.values()):
        if piece.shape is None:
            continue
        kind = (piece.color, piece.shape)
        if kind in seen:
            check.fail(
                f"pieces[{i}]", f"{piece.id} and {seen[kind]} are both {kind[0]} and {kind[1]}; there is one of each"
            )
        seen[kind] = piece.id


def _length(check: Check, key: str, value: object, least: float, most: float) -> float:
    length = check.number(key, value, least=least)
    if length > most:
        check.fail(key, f"{length:g} mm is more than {most:g}; give it in mm")
    return length


def _outline(check: Check, key: str, value: object) -> tuple[Point, ...]:
    from shapely.geometry import Polygon  # here, because the help of the command line need not wait for it

    points = check.items(key, value)
    if not 3 <= len(points) <= _MOST_POINTS:
        check.fail(key, f"has {len(points)} points; an outline has 3 to {_MOST_POINTS}")
    outline = []
    for i, point in enumerate(points):
        if not isinstance(point, list | tuple) or len(point) != 2:
            check.fail(f"{key}[{i}]", f"must be a point [x, y] in mm, this deck says {show(point)}")
        x, y = (check.number(f"{key}[{i}]", v, least=-LARGEST) for v in point)
        if max(abs(x), abs(y)) > _MOST_MM:
            check.fail(f"{key}[{i}]", f"[{x:g}, {y:g}] is too far away; give the outline in mm")
        outline.append((x, y))
    polygon = Polygon(outline)
    if not polygon.is_valid or polygon.area < _LEAST_AREA_MM2:
        check.fail(key, "encloses nothing or crosses itself; list the edge once around, in mm")
    return tuple(outline)
