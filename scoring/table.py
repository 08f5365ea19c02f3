"""The shared vocabulary: what lies where on the table, in millimetres.

No pixel and no rule lives here. Vision fills these types, the rules read them.
The plane has x to the right and y down as the camera sees it, so clockwise stays clockwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

Point = tuple[float, float]
"""(x, y) in millimetres on a plane."""


class Side(StrEnum):
    """Which side of a card is up."""

    FACE = "face"
    BACK = "back"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the centre of a flat piece lies and which way the x axis of its face points.

    Parameters
    ----------
    x_mm, y_mm
        Centre of the piece on its plane.
    angle_rad
        Direction of the face's x axis (printed left to right); positive is clockwise as seen by the camera.
    plane
        Name of the plane; the table top, or the upright plane of one cactus.
    """

    x_mm: float
    y_mm: float
    angle_rad: float
    plane: str = "table"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a piece: a face id (None: nothing of this deck) and its probability."""

    face: str | None
    probability: float


@dataclass(frozen=True, slots=True)
class Placement:
    """One piece as it lies on the table.

    Parameters
    ----------
    key
        Name of this placement within its table state; stable over time once tracked.
    face
        Face id of the deck, or None where the piece could not be named.
    pose
        Centre and direction; see `Pose`.
    size_mm
        Width and height of the face.
    sigma_mm
        Standard deviation of the position of a corner.
    confidence
        Probability that `face` is right, 0 to 1.
    candidates
        All readings worth keeping, likeliest first; their probabilities sum to at most 1.
    visible
        Share of the piece that can be seen, 0 to 1.
    side
        Which side is up; `Side.UNKNOWN` where it could not be told.
    layer
        0 lies on the table, larger numbers lie above.
    """

    key: str
    face: str | None
    pose: Pose
    size_mm: tuple[float, float]
    sigma_mm: float = 0.5
    confidence: float = 1.0
    candidates: tuple[Candidate, ...] = ()
    visible: float = 1.0
    side: Side = Side.FACE
    layer: int = 0

    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Printed top-left, top-right, bottom-right and bottom-left corner, in mm on the plane."""
        c, s = math.cos(self.pose.angle_rad), math.sin(self.pose.angle_rad)
        w, h = self.size_mm[0] / 2, self.size_mm[1] / 2

        def at(dx: float, dy: float) -> Point:
            return (self.pose.x_mm + dx * c - dy * s, self.pose.y_mm + dx * s + dy * c)

        return (at(-w, -h), at(w, -h), at(w, h), at(-w, h))


class TokenKind(StrEnum):
    """What kind of small thing a token is."""

    PAWN = "pawn"
    STAR = "star"
    DIE = "die"


@dataclass(frozen=True, slots=True)
class Token:
    """A small thing on the table that is no card.

    Parameters
    ----------
    kind
        Pawn, star or die.
    name
        Colour of the pawn, kind of the star, or the face that the die shows.
    at
        Where it stands or lies, in mm on the plane.
    on
        Key of the placement below it, `BOARD` for the board, or None for the bare table.
    square
        Index on the board's track, for a pawn that stands on one.
    confidence
        Probability that name, `on` and `square` are right; what is below the reader's demand is asked, not told.
    """

    kind: TokenKind
    name: str
    at: Point
    on: str | None = None
    square: int | None = None
    confidence: float = 1.0


BOARD = "board"
"""Key (and face) of the placement of a board."""


class ContactKind(StrEnum):
    """What must not touch: two pieces of one colour, two of one shape, a piece and a base, a piece and the table."""

    SAME_COLOR = "same-color"
    SAME_SHAPE = "same-shape"
    BASE = "base"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Contact:
    """Two upright pieces that come near each other, or one that comes near its base or the table.

    Parameters
    ----------
    kind
        Why it matters.
    a, b
        Keys of the two placements, `a` before `b`; `b` is None for base and table.
    gap_mm
        Shortest distance in space, as well as it could be measured; 0 where they touch.
    sigma_mm
        Its standard deviation; large where the depth of one before the other is not known.
    touching
        Probability that they touch, all evidence together.
    """

    kind: ContactKind
    a: str
    b: str | None
    gap_mm: float
    sigma_mm: float
    touching: float


@dataclass(frozen=True, slots=True)
class TableState:
    """A settled table: every piece that was seen, and the part of the plane that the camera sees.

    Parameters
    ----------
    placements
        The pieces, in no particular order.
    view
        Outline of the visible part of the plane (or of the agreed playing area) as four points in mm:
        the picture's top-left, top-right, bottom-right and bottom-left corner. Its sides name the seats.
    covers
        Pairs (upper key, lower key): the first lies on the second.
    board
        The board as a placement of key `BOARD`, or None where the game has none or it was not found.
    tokens
        Pawns, stars and dice.
    area
        Outline of the agreed playing area in mm, in order, or empty where none was agreed.
    area_sigma_mm
        Standard deviation of that outline.
    cacti
        Names of the upright planes that were seen, from left to right; a hung piece's pose names its plane.
    contacts
        What hangs so near to what it must not touch that it is worth a word.
    """

    placements: tuple[Placement, ...]
    view: tuple[Point, Point, Point, Point]
    covers: tuple[tuple[str, str], ...] = ()
    board: Placement | None = None
    tokens: tuple[Token, ...] = ()
    area: tuple[Point, ...] = ()
    area_sigma_mm: float = 0.0
    cacti: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()

    def placement(self, key: str) -> Placement:
        """The placement of that key; raises KeyError where there is none."""
        for p in self.placements:
            if p.key == key:
                return p
        raise KeyError(key)
