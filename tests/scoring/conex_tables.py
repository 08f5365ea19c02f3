"""Made-up tables of CONEX whose gaps can be worked out by hand: right-angled corners laid corner on corner."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace

from scoring.deck import ConexBoard, ConexDeck, ConexFace, Corner, Space, Star
from scoring.table import BOARD, Candidate, Placement, Point, Pose, TableState, Token, TokenKind

CARD = (60.0, 90.0)
RADIUS = 3.0
SIDE = 110.0
SPACE = 32.0
REGION = (20.0, 15.0)
"""Width and height of the overlap that a right-angled corner pictures."""
COLORS = {"yellow": "#f0c020", "red": "#d03030", "turquoise": "#20a0a0", "purple": "#704090"}
VIEW: tuple[Point, Point, Point, Point] = ((-400.0, -300.0), (400.0, -300.0), (400.0, 300.0), (-400.0, 300.0))

_W, _H = CARD
_X, _Y = REGION
REGIONS: dict[str, tuple[Point, ...]] = {
    "tl": ((0, 0), (_X, 0), (_X, _Y), (0, _Y)),
    "tr": ((_W - _X, 0), (_W, 0), (_W, _Y), (_W - _X, _Y)),
    "br": ((_W - _X, _H - _Y), (_W, _H - _Y), (_W, _H), (_W - _X, _H)),
    "bl": ((0, _H - _Y), (_X, _H - _Y), (_X, _H), (0, _H)),
    "left": ((0, 35), (10, 45), (0, 55)),
    "right": ((_W, 35), (_W, 55), (_W - 10, 45)),
    "cut": ((0, 0), (21, 0), (0, 28)),
}
"""Four right-angled corners, two triangles at the edge with a right angle inside, one corner cut off by a line."""
SIGNS = {"tl": (-1, -1), "tr": (1, -1), "br": (1, 1), "bl": (-1, 1)}
OPPOSITE = {"tl": "br", "tr": "bl", "br": "tl", "bl": "tr"}


def face(face_id: str, color: str, *corners: tuple[str, int, str], symbol: str | None = None) -> ConexFace:
    """A card of that ground colour; each corner as (colour, value, name of its region)."""
    made = tuple(Corner(c, v, tuple((float(x), float(y)) for x, y in REGIONS[r])) for c, v, r in corners)
    return ConexFace(face_id, f"{face_id}.png", color, symbol, made)


def deck_of(faces: Iterable[ConexFace]) -> ConexDeck:
    """A deck of these cards with a board whose spaces are yellow, red, turquoise and purple, clockwise."""
    far = SIDE - SPACE
    corners = [(0.0, 0.0), (far, 0.0), (far, far), (0.0, far)]
    spaces = tuple(
        Space(color, ((x, y), (x + SPACE, y), (x + SPACE, y + SPACE), (x, y + SPACE)))
        for color, (x, y) in zip(COLORS, corners, strict=True)
    )
    track = tuple((40.0 + 10 * (i % 4), 40.0 + 10 * (i // 4)) for i in range(16))
    board = ConexBoard("board.png", SIDE, spaces, track, 15)
    stars = {"2x": Star("2x.png", 20.0), "lightning": Star("lightning.png", 20.0)}
    return ConexDeck("made-up", CARD, RADIUS, COLORS, {f.id: f for f in faces}, board, stars, {"white": "#ffffff"})


def card(face_id: str, x: float, y: float, angle: float = 0.0, sigma: float = 0.2, **more: object) -> Placement:
    """A card whose key is its face."""
    placement = Placement(face_id, face_id, Pose(x, y, angle), CARD, sigma, candidates=(Candidate(face_id, 1.0),))
    return replace(placement, **more)  # type: ignore[arg-type]  # fields by name


def board(x: float = 0.0, y: float = 0.0, angle: float = 0.0, sigma: float = 0.2) -> Placement:
    """The board."""
    return Placement(BOARD, BOARD, Pose(x, y, angle), (SIDE, SIDE), sigma)


def laid(face_id: str, corner: str, onto: Placement, shift: Point = (0.0, 0.0), **more: object) -> Placement:
    """A card whose corner `corner` (tl, tr, br, bl) covers just its picture of the opposite corner of `onto`.

    `shift` moves it in the directions of the ground's own sides; (+, +) to the ground's bottom right.
    """
    sx, sy = SIGNS[OPPOSITE[corner]]
    w, h = onto.size_mm
    u = sx * (w / 2 - REGION[0] + CARD[0] / 2) + shift[0]
    v = sy * (h / 2 - REGION[1] + CARD[1] / 2) + shift[1]
    c, s = math.cos(onto.pose.angle_rad), math.sin(onto.pose.angle_rad)
    x, y = onto.pose.x_mm + u * c - v * s, onto.pose.y_mm + u * s + v * c
    return card(face_id, x, y, onto.pose.angle_rad, **more)  # type: ignore[arg-type]  # see `card`


def table(
    *cards: Placement,
    on: Placement | None = None,
    covers: tuple[tuple[str, str], ...] = (),
    star: tuple[str, float] | None = None,
    area: tuple[Point, ...] = (),
) -> TableState:
    """A settled table; `on` is the board, `star` the key of the card under the 2x star and how sure that is."""
    tokens = () if star is None else (Token(TokenKind.STAR, "2x", (0.0, 0.0), star[0], confidence=star[1]),)
    return TableState(cards, VIEW, covers, on, tokens, area)


def moved(state: TableState, dx: float, dy: float, turn: float) -> TableState:
    """The whole table turned about the origin and then shifted."""
    c, s = math.cos(turn), math.sin(turn)

    def point(p: Point) -> Point:
        return (p[0] * c - p[1] * s + dx, p[0] * s + p[1] * c + dy)

    def piece(p: Placement) -> Placement:
        x, y = point((p.pose.x_mm, p.pose.y_mm))
        return replace(p, pose=Pose(x, y, p.pose.angle_rad + turn))

    return replace(
        state,
        placements=tuple(piece(p) for p in state.placements),
        board=piece(state.board) if state.board else None,
        tokens=tuple(replace(t, at=point(t.at)) for t in state.tokens),
        area=tuple(point(p) for p in state.area),
    )


def random_deck(rng: random.Random, cards: int = 24) -> ConexDeck:
    """Cards with two or three corners of all shapes in other colours than their ground."""
    faces = []
    for i in range(cards):
        color = list(COLORS)[i % 4]
        places = rng.sample([["tl", "cut"][rng.randrange(2)], "tr", "br", "bl", "left", "right"], rng.randint(2, 3))
        corners = [(rng.choice([c for c in COLORS if c != color]), rng.randint(1, 5), r) for r in places]
        symbol = rng.choice([None, None, None, "plus2", "die"])
        faces.append(face(f"K{i:02d}", color, *corners, symbol=symbol))
    return deck_of(faces)


def random_table(rng: random.Random, deck: ConexDeck, cards: int = 5, sigma: float = 0.2) -> tuple[TableState, str]:
    """A board, some cards hung to it and to each other by their corners more or less well, and the last one laid."""
    lying = [board(sigma=sigma)]
    ids = rng.sample(sorted(deck.faces), cards)
    for face_id in ids:
        regions = [c.region for c in deck.faces[face_id].corners]
        printed = [name for name in SIGNS if REGIONS[name] in regions]
        corner = rng.choice(printed if printed and rng.random() < 0.9 else list(SIGNS))
        miss = rng.choice([0.5, 0.5, 2.5, 8.0])
        piece = laid(face_id, corner, rng.choice(lying), (rng.gauss(0, miss), rng.gauss(0, miss)), sigma=sigma)
        turn = rng.choice([0.0, 0.0, rng.gauss(0, 0.05), rng.uniform(-math.pi, math.pi)])
        pose = Pose(piece.pose.x_mm, piece.pose.y_mm, piece.pose.angle_rad + turn)
        lying.append(replace(piece, pose=pose, layer=len(lying)))
    # The right border passes the last card at every distance, often closely.
    right = max(x for x, _ in lying[-1].corners()) + rng.choice(
        [rng.uniform(-4, 6), rng.uniform(0, 120), rng.uniform(-20, 120)]
    )
    area = ((-400.0, -350.0), (right, -400.0), (right, 400.0), (-350.0, 350.0))
    return TableState(tuple(lying[1:]), VIEW, (), lying[0], (), area), ids[-1]
