"""The five cacti drawn from their outlines, as immutable values; see `webui.shown.snapshot`.

All in millimetres as the camera in front sees it: x to the right from the middle of a cactus, y down from the top of
its base, so that what hangs has a negative y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.table import Point

Box = tuple[float, float, float, float]
"""Left, top, width and height."""


@dataclass(frozen=True, slots=True)
class PieceView:
    """A piece of the set.

    Parameters
    ----------
    id, color
        Its name and the name of its colour.
    shape
        Name of its basic shape, or None for a special piece.
    outline
        Its front, with y downward.
    box
        Round the outline.
    """

    id: str
    color: str
    shape: str | None
    outline: tuple[Point, ...]
    box: Box

    @property
    def special(self) -> bool:
        """Whether it is one of the special pieces."""
        return self.shape is None


@dataclass(frozen=True, slots=True)
class CactusView:
    """A cactus of the set: its number in playing order from 1, its colour, its outline, and where a face has room.

    `face` is the middle and the radius of the largest circle in it.
    """

    id: str
    number: int
    color: str
    outline: tuple[Point, ...]
    face: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class SetView:
    """What of a set the page needs to draw it.

    Parameters
    ----------
    colors
        Names of colours to ``#rrggbb``.
    shapes
        Names of the basic shapes.
    pieces, cacti
        By id.
    base
        Width and height of the block below a cactus, in mm.
    """

    colors: Mapping[str, str]
    shapes: tuple[str, ...]
    pieces: Mapping[str, PieceView]
    cacti: Mapping[str, CactusView]
    base: tuple[float, float]

    def piece(self, shape: str, color: str) -> PieceView | None:
        """The basic piece of that shape and colour, or None where the set lacks it."""
        return next((p for p in self.pieces.values() if p.shape == shape and p.color == color), None)

    def shade(self, color: str) -> str:
        """The ``#rrggbb`` of a colour; grey for one that the set does not name, as in a log that was tampered with."""
        return self.colors.get(color, "#888888")

    @property
    def specials(self) -> tuple[PieceView, ...]:
        """The special pieces."""
        return tuple(p for p in self.pieces.values() if p.special)


@dataclass(frozen=True, slots=True)
class HungView:
    """A piece as it hangs.

    Parameters
    ----------
    key
        Key of its placement.
    piece
        What it is, or None where it was not read.
    outline
        Where it hangs.
    middle
        Inside its outline's box.
    mark
        ``placed`` (the piece of the running turn), ``hung``, ``guess`` (not sure) or ``told`` (by people: its place is
        not known).
    """

    key: str
    piece: PieceView | None
    outline: tuple[Point, ...]
    middle: Point
    mark: str = "hung"


@dataclass(frozen=True, slots=True)
class TouchView:
    """Two things that come near each other.

    Parameters
    ----------
    kind
        ``same-color``, ``same-shape``, ``base`` or ``table``.
    a, b
        Keys of the placements; `b` is None for base and table.
    call
        ``touching``, ``clear`` or ``unsure``.
    gap_mm, sigma_mm
        The gap and its standard deviation; None where people stated the call.
    at, tag
        Where it is, and where its measure is written.
    """

    kind: str
    a: str
    b: str | None
    call: str
    gap_mm: float | None
    sigma_mm: float | None
    at: Point
    tag: Point = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class StandView:
    """One cactus with all that hangs on it.

    Parameters
    ----------
    cactus
        The cactus.
    hung
        From the rearmost to the foremost.
    touches
        What is near what it must not touch.
    active
        Whether the piece of this turn belongs here.
    seen
        Whether the cactus stands on the table that was looked at last.
    """

    cactus: CactusView
    hung: tuple[HungView, ...] = ()
    touches: tuple[TouchView, ...] = ()
    active: bool = False
    seen: bool = True


@dataclass(frozen=True, slots=True)
class SceneView:
    """All cacti in the order of play, and the pieces that fell in this turn.

    Parameters
    ----------
    box
        What is shown of each cactus.
    stands
        See `StandView`.
    fallen
        Pieces that fell in this turn and lie below.
    """

    box: Box
    stands: tuple[StandView, ...]
    fallen: tuple[PieceView, ...] = ()

    def hung(self, key: str | None) -> HungView | None:
        """The hung piece of that key, or None."""
        return next((h for s in self.stands for h in s.hung if h.key == key), None)

    def stand(self, cactus: str | None) -> StandView | None:
        """The stand of that cactus, or None."""
        return next((s for s in self.stands if s.cactus.id == cactus), None)
