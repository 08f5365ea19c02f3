"""The plan: a table of CONEX drawn to scale, as immutable values; see `webui.shown.snapshot`.

All in millimetres on the table, x to the right, y down, as the camera sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.table import Point


@dataclass(frozen=True, slots=True)
class CornerView:
    """One CONEX corner of a face: its region in face mm, where its number is written, and how high."""

    index: int
    color: str
    value: int
    region: tuple[Point, ...]
    label: Point
    height: float


@dataclass(frozen=True, slots=True)
class FaceView:
    """A card of the deck: ground, symbol (``plus2``, ``die`` or None) and corners."""

    id: str
    color: str
    symbol: str | None
    corners: tuple[CornerView, ...]

    @property
    def name(self) -> str:
        """The id, for templates that show any card."""
        return self.id


@dataclass(frozen=True, slots=True)
class DeckView:
    """What of a deck the page needs to draw it: sizes in mm, colours as ``#rrggbb`` by name.

    Parameters
    ----------
    card_mm, radius_mm
        A card, and the radius of its corners.
    colors, pawns
        Grounds, and pawns.
    board_mm
        Side of the board.
    spaces
        Its coloured spaces: colour, region, and where the index is written.
    track, goal
        Centres of the squares, and the index of the goal.
    star_mm
        Side of a star.
    """

    card_mm: tuple[float, float]
    radius_mm: float
    colors: Mapping[str, str]
    pawns: Mapping[str, str]
    board_mm: float
    spaces: tuple[tuple[str, tuple[Point, ...], Point], ...]
    track: tuple[Point, ...]
    goal: int
    star_mm: float


@dataclass(frozen=True, slots=True)
class PlanCard:
    """A card on the plan.

    Parameters
    ----------
    key
        Key of its placement.
    face
        What it is, or None where it was not read.
    x, y, turn
        Centre in mm, and degrees clockwise.
    mark
        ``last`` (the card of the running turn), ``free``, ``covered``, ``guess`` (not sure), ``down`` (face down).
    """

    key: str
    face: FaceView | None
    x: float
    y: float
    turn: float
    mark: str = "free"


@dataclass(frozen=True, slots=True)
class PlanPawn:
    """A pawn: its colour, where it stands, the square that it stands on, or None."""

    color: str
    x: float
    y: float
    square: int | None


@dataclass(frozen=True, slots=True)
class PlanStar:
    """A star: ``2x`` or ``lightning``, and where it lies."""

    kind: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlanBoard:
    """The board: centre and turn."""

    x: float
    y: float
    turn: float


@dataclass(frozen=True, slots=True)
class PlanPlace:
    """A place that a rule speaks of.

    Parameters
    ----------
    call
        ``violation`` or ``uncertain``.
    points
        Two ends of a gap, or an outline.
    gap_mm
        The measured gap, or None.
    at, tag
        Its middle, and where its tag stands.
    """

    call: str
    points: tuple[Point, ...]
    gap_mm: float | None
    at: Point
    tag: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class PlanSpot:
    """A place where a card could be laid: its number from the best one on, and what it brings.

    `onto` is what it would lie on, in words; `card` is the card as it would lie.
    """

    number: int
    points: int
    corner: int
    onto: str
    bonus: int
    card: PlanCard


@dataclass(frozen=True, slots=True)
class PlanView:
    """A table to scale.

    Parameters
    ----------
    box
        Left, top, width and height of what is shown, in mm.
    board
        The board, or None where it was not seen.
    cards
        From the lowest to the topmost.
    pawns, stars
        See their types.
    area
        Outline of the playing area, or empty.
    places
        Places that the ruling speaks of.
    spots
        Where the chosen card could be laid.
    """

    box: tuple[float, float, float, float]
    board: PlanBoard | None = None
    cards: tuple[PlanCard, ...] = ()
    pawns: tuple[PlanPawn, ...] = ()
    stars: tuple[PlanStar, ...] = ()
    area: tuple[Point, ...] = ()
    places: tuple[PlanPlace, ...] = ()
    spots: tuple[PlanSpot, ...] = ()
