"""A deck of CONEX: the cards with their corners, the board, the pawns and the stars. All lengths are millimetres.

Regions are polygons in the face's own millimetres: origin at the printed top-left corner, x right, y down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.deck_check import LARGEST, Check, parse_colors, show
from scoring.errors import DeckError
from scoring.table import BOARD, Point

PAWN_COLOURS = {
    "white": "#efede6",
    "black": "#1e1e20",
    "red": "#b8282e",
    "blue": "#2a56a8",
    "green": "#2e8b3d",
    "yellow": "#e0bf30",
    "orange": "#e07f2a",
    "purple": "#6a3a8a",
    "pink": "#d77aa5",
    "brown": "#7a5230",
    "grey": "#8a8c90",
    "turquoise": "#2f9a9a",
}
"""Colours that pawns are usually painted in."""
SYMBOLS = ("plus2", "die")
STARS = ("2x", "lightning")
MOST_CORNERS = 4
EDGE_MM = 0.5
"""How far a region may reach over the edge of its face: a polygon read off a picture is never exact."""
_LEAST_REGION_MM2 = 1.0
_MOST_POINTS = 120
"""Points of an outline: each side is held against every other."""
_MOST_SQUARES = 1000


@dataclass(frozen=True, slots=True)
class Corner:
    """One CONEX corner: its colour, the number printed on it, and its outline on the face."""

    color: str
    value: int
    region: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ConexFace:
    """One card.

    Parameters
    ----------
    id
        Unique name within the deck.
    image
        Path of its picture, relative to the deck folder.
    color
        Colour of its ground.
    symbol
        ``plus2``, ``die`` or None.
    corners
        Its CONEX corners.
    """

    id: str
    image: str
    color: str
    symbol: str | None
    corners: tuple[Corner, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """One coloured space of the board."""

    color: str
    region: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ConexBoard:
    """The board.

    Parameters
    ----------
    image
        Path of its picture, relative to the deck folder.
    size_mm
        Side of the square.
    spaces
        Coloured spaces on which a card may be laid.
    track
        Centres of the squares of the track; index 0 is the start.
    goal
        Index of the goal on the track.
    """

    image: str
    size_mm: float
    spaces: tuple[Space, ...]
    track: tuple[Point, ...]
    goal: int


@dataclass(frozen=True, slots=True)
class Star:
    """One star token: its picture, the side of that square picture, and whether that is only what such stars look like.

    A star that nobody has photographed may be overlooked on the table.
    """

    image: str
    size_mm: float
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class ConexDeck:
    """One copy of CONEX.

    Parameters
    ----------
    name
        Name of the deck.
    card_mm
        Width and height of a card as printed.
    corner_radius_mm
        Radius of the corners of the cards and of the board.
    colors
        Name of each colour to its ``#rrggbb``.
    faces
        Cards by id.
    board
        The board.
    stars
        Star tokens by kind, ``2x`` and ``lightning``.
    pawns
        Name of each pawn's colour to its ``#rrggbb``.
    back
        Path of the picture of the back, or None.
    """

    name: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    colors: Mapping[str, str]
    faces: Mapping[str, ConexFace]
    board: ConexBoard
    stars: Mapping[str, Star]
    pawns: Mapping[str, str]
    back: str | None = None
    game: str = "conex"

    def size_mm(self, face: str | None) -> tuple[float, float]:
        """Width and height of a face of this deck, or of the board."""
        return (self.board.size_mm, self.board.size_mm) if face == BOARD else self.card_mm


def parse_conex(check: Check, top: Mapping[str, Any]) -> ConexDeck:
    """The deck that a ``deck.json`` of CONEX describes; raises DeckError for the first thing that is wrong."""
    name = check.text("name", top.get("name"))
    card_mm = check.size("card_mm", top.get("card_mm"))
    radius = check.radius("corner_radius_mm", top.get("corner_radius_mm"), card_mm)
    colors = parse_colors(check, "colors", top.get("colors"))
    used = {BOARD: "the board"}
    faces: dict[str, ConexFace] = {}
    for i, item in enumerate(check.items("faces", top.get("faces"))):
        at = f"faces[{i}]"
        face = _parse_face(check, at, check.mapping(at, item), card_mm, colors)
        check.unique(f"{at}.id", face.id, used)
        faces[face.id] = face
    board = _parse_board(check, check.mapping("board", top.get("board")), colors)
    stars = {}
    for kind, item in check.mapping("stars", top.get("stars", {})).items():
        at = f"stars.{kind}"
        if kind not in STARS:
            check.fail(at, f"is no star of the game; there is {' and '.join(STARS)}")
        entry = check.mapping(at, item)
        stars[kind] = Star(
            check.image(f"{at}.image", entry.get("image")),
            _side_mm(check, f"{at}.size_mm", entry.get("size_mm")),
            bool(entry.get("alike")),
        )
    pawns = parse_colors(check, "pawns", top["pawns"]) if top.get("pawns") else {}
    back = None if top.get("back") is None else check.image("back", top["back"])
    return ConexDeck(name, card_mm, radius, colors, faces, board, stars, pawns, back)


def is_face(entry: Mapping[str, Any], card_mm: tuple[float, float], colors: Mapping[str, str]) -> bool:
    """Whether a deck with cards of that size (mm) and these colours may have a face: all of it is known."""
    try:
        _parse_face(Check(""), "", entry, card_mm, colors)
    except DeckError:
        return False
    return True


def _parse_face(
    check: Check, at: str, entry: Mapping[str, Any], card_mm: tuple[float, float], colors: Mapping[str, str]
) -> ConexFace:
    face_id = check.text(f"{at}.id", entry.get("id"))
    image = check.image(f"{at}.image", entry.get("image"))
    color = _color(check, f"{at}.color", entry.get("color"), colors, f"card {face_id}")
    symbol = entry.get("symbol")
    if symbol is not None and symbol not in SYMBOLS:
        check.fail(f"{at}.symbol", f"{show(symbol)} of card {face_id} is none of null, {', '.join(SYMBOLS)}")
    corners = []
    for k, item in enumerate(check.items(f"{at}.corners", entry.get("corners"))):
        here = f"{at}.corners[{k}]"
        corner = check.mapping(here, item)
        corners.append(
            Corner(
                _color(check, f"{here}.color", corner.get("color"), colors, f"a corner of card {face_id}"),
                check.whole(f"{here}.value", corner.get("value"), least=0),
                _region(check, f"{here}.region", corner.get("region"), card_mm),
            )
        )
    if len(corners) > MOST_CORNERS:
        check.fail(f"{at}.corners", f"card {face_id} has {len(corners)} corners; a card has at most {MOST_CORNERS}")
    return ConexFace(face_id, image, color, symbol, tuple(corners))


def _parse_board(check: Check, entry: Mapping[str, Any], colors: Mapping[str, str]) -> ConexBoard:
    image = check.image("board.image", entry.get("image"))
    side = _side_mm(check, "board.size_mm", entry.get("size_mm"))
    spaces = []
    for i, item in enumerate(check.items("board.spaces", entry.get("spaces"))):
        at = f"board.spaces[{i}]"
        space = check.mapping(at, item)
        color = _color(check, f"{at}.color", space.get("color"), colors, "a space of the board")
        spaces.append(Space(color, _region(check, f"{at}.region", space.get("region"), (side, side))))
    centres = check.items("board.track", entry.get("track"))
    track = tuple(_point(check, f"board.track[{i}]", p, (side, side)) for i, p in enumerate(centres))
    if len(track) > _MOST_SQUARES:
        check.fail("board.track", f"has {len(track)} squares; a track has at most {_MOST_SQUARES}")
    if len(track) < 2:
        check.fail("board.track", "has one square; a track has a start (index 0) and a goal")
    goal = check.whole("board.goal", entry.get("goal"), least=1)
    if goal >= len(track):
        check.fail("board.goal", f"{goal} is no square of the track; the last one has index {len(track) - 1}")
    return ConexBoard(image, side, tuple(spaces), track, goal)


def _color(check: Check, key: str, value: object, colors: Mapping[str, str], whose: str) -> str:
    color = check.text(key, value)
    if color not in colors:
        check.fail(key, f"{show(color)} of {whose} is none of {', '.join(colors)}")
    return color


def _side_mm(check: Check, key: str, value: object) -> float:
    side = check.number(key, value, least=0.0)
    if not 5 <= side <= 1000:
        check.fail(key, f"{side:g} mm is no side of a board or star; give it in mm")
    return side


def _point(check: Check, key: str, value: object, size_mm: tuple[float, float]) -> Point:
    if not isinstance(value, list | tuple) or len(value) != 2:
        check.fail(key, f"must be a point [x, y] in mm, this deck says {show(value)}")
    x, y = (check.number(key, v, least=-LARGEST) for v in value)
    if not (-EDGE_MM <= x <= size_mm[0] + EDGE_MM and -EDGE_MM <= y <= size_mm[1] + EDGE_MM):
        check.fail(
            key,
            f"[{x:g}, {y:g}] lies outside of the {size_mm[0]:g} × {size_mm[1]:g} mm of its face;"
            " give mm from its top-left corner, y down",
        )
    return (x, y)


def _region(check: Check, key: str, value: object, size_mm: tuple[float, float]) -> tuple[Point, ...]:
    region = tuple(_point(check, f"{key}[{i}]", p, size_mm) for i, p in enumerate(check.items(key, value)))
    if len(region) > _MOST_POINTS:
        check.fail(key, f"has {len(region)} points; an outline needs at most {_MOST_POINTS}")
    if len(region) < 3:
        check.fail(key, f"has {len(region)} points; an outline needs at least three")
    if _crosses_itself(region):
        check.fail(key, "crosses itself; give its points in order round the outline")
    if _area_mm2(region) < _LEAST_REGION_MM2:
        check.fail(key, "has no area; give its points in order round the outline, in mm")
    return region


def _area_mm2(region: tuple[Point, ...]) -> float:
    pairs = zip(region, (*region[1:], region[0]), strict=True)
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2


def _crosses_itself(region: tuple[Point, ...]) -> bool:
    n = len(region)
    sides = [(region[i], region[(i + 1) % n]) for i in range(n)]
    return any(_cross(sides[i], sides[j]) for i in range(n) for j in range(i + 2, n) if not (i == 0 and j == n - 1))


def _cross(s: tuple[Point, Point], t: tuple[Point, Point]) -> bool:
    def turn(a: Point, b: Point, c: Point) -> float:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    return turn(*s, t[0]) * turn(*s, t[1]) < 0 and turn(*t, s[0]) * turn(*t, s[1]) < 0
