"""Moves: what changed between two settled tables, or what a person declared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from scoring.table import ContactKind, Placement, TableState
from scoring.verdicts import Award, Call, Ground


class Source(StrEnum):
    """Who says so."""

    CAMERA = "camera"
    HUMAN = "human"


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece lies on the table that was not there before."""

    piece: Placement
    source: Source = Source.CAMERA


@dataclass(frozen=True, slots=True)
class Removed:
    """A piece is gone."""

    piece: Placement
    source: Source = Source.CAMERA


@dataclass(frozen=True, slots=True)
class Shifted:
    """A piece lies elsewhere on the same plane."""

    before: Placement
    after: Placement
    source: Source = Source.CAMERA


@dataclass(frozen=True, slots=True)
class Fell:
    """A piece left its upright plane for the table."""

    before: Placement
    after: Placement
    source: Source = Source.CAMERA


@dataclass(frozen=True, slots=True)
class DeclaredFace:
    """The card of that key is really `face`; None: nobody can read it, it counts as unreadable."""

    key: str
    face: str | None


@dataclass(frozen=True, slots=True)
class DeclaredLink:
    """The link onto the card of that key is legal or a violation, whatever the camera reads."""

    key: str
    call: Call


@dataclass(frozen=True, slots=True)
class RowCard:
    """A card of a declared row: the key of a seen placement, or a face that the camera missed (key None)."""

    key: str | None
    face: str | None = None


@dataclass(frozen=True, slots=True)
class DeclaredRow:
    """The row of that seat, from the owner's left; an empty row means that nothing lies there."""

    seat: str
    cards: tuple[RowCard, ...]


@dataclass(frozen=True, slots=True)
class DeclaredCaller:
    """Who ended the round."""

    seat: str


@dataclass(frozen=True, slots=True)
class DeclaredAwards:
    """The table settled the round by itself: these awards count in place of the computed ones."""

    awards: tuple[Award, ...]


class DieFace(StrEnum):
    """What the die of CONEX shows: cards to draw, or a star to take."""

    CARD = "card"
    TWO_CARDS = "two-cards"
    DOUBLE = "2x"
    LIGHTNING = "lightning"


class CactusDie(StrEnum):
    """What the die of Cactus shows: a piece of the same colour, of the same shape, or the leftmost special one (!!)."""

    COLOR = "color"
    SHAPE = "shape"
    SPECIAL = "special"


@dataclass(frozen=True, slots=True)
class DeclaredGround:
    """The card of that key was laid onto `onto` with its corner of that index; None leaves it to the camera."""

    key: str
    onto: Ground | None = None
    corner: int | None = None


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """Laying (or taking away) the card of that key is allowed or not, whatever the camera measured."""

    key: str
    call: Call


@dataclass(frozen=True, slots=True)
class DeclaredDouble:
    """The doubling star was used, or was not used, on the card of this turn."""

    doubled: bool


@dataclass(frozen=True, slots=True)
class DeclaredDie:
    """The die of that turn showed this."""

    face: DieFace | CactusDie


@dataclass(frozen=True, slots=True)
class DeclaredSeat:
    """The card was laid by that seat; those between whom nobody told of drew cards (or passed)."""

    seat: str


@dataclass(frozen=True, slots=True)
class DeclaredPoints:
    """The table settled the turn by itself: these points count in place of the computed ones."""

    points: int


@dataclass(frozen=True, slots=True)
class DeclaredHand:
    """That seat holds so many cards now."""

    seat: str
    cards: int


@dataclass(frozen=True, slots=True)
class DeclaredPile:
    """So many cards are left to draw now."""

    cards: int


@dataclass(frozen=True, slots=True)
class DeclaredStar:
    """That star (kind as in the deck) lies with that seat, or with nobody; it may be used at once."""

    kind: str
    seat: str | None


class Fall(StrEnum):
    """What became of a piece: it fell in this turn, it fell late (nobody pays), or it hangs still."""

    FELL = "fell"
    LATE = "late"
    HANGS = "hangs"


@dataclass(frozen=True, slots=True)
class DeclaredContact:
    """The pieces of those keys touch, or do not; with `b` None the piece and the base or the table."""

    kind: ContactKind
    a: str
    b: str | None
    touching: bool


@dataclass(frozen=True, slots=True)
class DeclaredFall:
    """What became of that piece (id of the set) in the turn."""

    piece: str
    what: Fall


@dataclass(frozen=True, slots=True)
class DeclaredHung:
    """The piece (id of the set) was hung on that cactus in this turn, whatever the camera sees."""

    piece: str
    cactus: str


@dataclass(frozen=True, slots=True)
class DeclaredTouches:
    """So many times the hand touched a cactus or a hung piece in this turn."""

    times: int


@dataclass(frozen=True, slots=True)
class DeclaredClaim:
    """What the player claims flowers for (``color-3`` …), added to what was claimed in this turn before."""

    whys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredImpossible:
    """All agree that what touches cannot be put right: the piece of this turn is taken back, without a reward."""


@dataclass(frozen=True, slots=True)
class DeclaredReroll:
    """All agree that the roll for which no basic piece is left is repeated, and does not end the match."""


@dataclass(frozen=True, slots=True)
class DeclaredFlowers:
    """That seat holds flowers worth so much now."""

    seat: str
    flowers: int


@dataclass(frozen=True, slots=True)
class DeclaredSpecials:
    """The row of special pieces runs like this now, from the left."""

    pieces: tuple[str, ...]


Declaration = (
    DeclaredFace
    | DeclaredLink
    | DeclaredRow
    | DeclaredCaller
    | DeclaredAwards
    | DeclaredGround
    | DeclaredCall
    | DeclaredDouble
    | DeclaredDie
    | DeclaredSeat
    | DeclaredPoints
    | DeclaredHand
    | DeclaredPile
    | DeclaredStar
    | DeclaredContact
    | DeclaredFall
    | DeclaredHung
    | DeclaredTouches
    | DeclaredClaim
    | DeclaredImpossible
    | DeclaredReroll
    | DeclaredFlowers
    | DeclaredSpecials
)


@dataclass(frozen=True, slots=True)
class Declared:
    """A hidden or misread fact that a person stated on the page."""

    what: Declaration
    source: Source = Source.HUMAN


Move = Placed | Removed | Shifted | Fell | Declared

TABLE = "table"
"""Name of the table's own plane."""


def diff(before: TableState, after: TableState, tolerance_mm: float = 3.0) -> tuple[Move, ...]:
    """What happened between two settled tables, in the order removed, fell, shifted, placed, then by key.

    Pieces are matched by key, which the tracker keeps stable.

    Parameters
    ----------
    before, after
        Two settled tables of one match.
    tolerance_mm
        A piece none of whose corners moved by more than this, or by more than three standard deviations of the
        two sightings together, lies still.
    """
    old = {p.key: p for p in before.placements}
    new = {p.key: p for p in after.placements}
    removed = [Removed(old[k]) for k in sorted(old.keys() - new.keys())]
    placed = [Placed(new[k]) for k in sorted(new.keys() - old.keys())]
    fell: list[Move] = []
    shifted: list[Move] = []
    for key in sorted(old.keys() & new.keys()):
        a, b = old[key], new[key]
        if a.pose.plane != b.pose.plane:
            (fell if b.pose.plane == TABLE else shifted).append(Fell(a, b) if b.pose.plane == TABLE else Shifted(a, b))
        elif _moved_mm(a, b) > max(tolerance_mm, 3 * math.hypot(a.sigma_mm, b.sigma_mm)):
            shifted.append(Shifted(a, b))
    return (*removed, *fell, *shifted, *placed)


def _moved_mm(a: Placement, b: Placement) -> float:
    return max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))
