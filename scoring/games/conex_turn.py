"""One turn of CONEX as it is recorded: what happened in it, what was judged, and what people stated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from scoring.games.turns import earlier, said
from scoring.moves import (
    Declaration,
    DeclaredFace,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredStar,
    DieFace,
    Source,
)
from scoring.table import Placement, TableState
from scoring.verdicts import Ruling


class Deed(StrEnum):
    """What a seat did in its turn, in the order in which it happened."""

    LAID = "laid"
    DREW = "drew"
    PASSED = "passed"
    ROLLED = "rolled"
    LIGHTNING = "lightning"
    ENDED = "ended"


MAIN = (Deed.LAID, Deed.DREW, Deed.PASSED)
"""One of these is the turn; the others come with it."""

Happening = Deed | DeclaredHand | DeclaredPile | DeclaredStar


@dataclass(frozen=True, slots=True)
class Lightning:
    """A card taken off with the lightning star.

    Parameters
    ----------
    key, face
        The card, as it lay on the turn's `before` (`at_end`: on its `table` if there is one, else on its `base`).
    at_end
        Whether it was taken after the seat had laid or drawn.
    source
        Who says so.
    """

    key: str
    face: str | None
    at_end: bool
    source: Source = Source.HUMAN


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn of one seat.

    Parameters
    ----------
    number
        From 1, over all seats.
    seat
        Whose turn it is.
    before
        The table as it was accepted when the turn began; None where nobody saw it.
    base
        The table that the next picture is compared with: `before` without the card that lightning took.
    table
        The settled table that is judged, or None.
    evidence
        Where the picture of that table is kept.
    left
        The table at the end of the turn where it is another than `table` or `base`, or None.
    placed
        Key of the laid card in `table`, or None.
    lightning
        The card that the lightning star took, or None.
    rolled
        What the die showed, or None.
    story
        What happened, in order; a laid card is in it once it counts.
    declarations
        What people stated, in order.
    ruling
        The ruling in force, or None where nothing was judged.
    versions
        Earlier rulings of this turn, oldest first, all overruled.
    confirmed
        Whether what the seat laid, drew or passed counts.
    closed
        Whether the turn is over.
    """

    number: int
    seat: str
    before: TableState | None = None
    base: TableState | None = None
    table: TableState | None = None
    evidence: str = ""
    left: TableState | None = None
    placed: str | None = None
    lightning: Lightning | None = None
    rolled: DieFace | None = None
    story: tuple[Happening, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    ruling: Ruling | None = None
    versions: tuple[Ruling, ...] = ()
    confirmed: bool = False
    closed: bool = False

    @property
    def known(self) -> TableState | None:
        """The table as the match knows it in this turn, with the card that is being judged."""
        return next((t for t in (self.left, self.table, self.base) if t is not None), None)

    @property
    def waiting(self) -> bool:
        """Whether a laid card (or points that were stated) waits to be accepted."""
        return not self.confirmed and (self.placed is not None or self.settled_points is not None)

    @property
    def action(self) -> Deed | None:
        """Laid, drew or passed; None before that."""
        return next((d for d in self.story if isinstance(d, Deed) and d in MAIN), None)

    @property
    def points(self) -> int:
        """Points of this turn; 0 before they count."""
        if not self.confirmed or self.ruling is None:
            return 0
        return sum(a.points for a in self.ruling.awards if a.seat == self.seat)

    @property
    def settled_points(self) -> int | None:
        """The points by which the players settled the turn, or None."""
        stated = [d.points for d in self.declarations if isinstance(d, DeclaredPoints)]
        return stated[-1] if stated else None

    @property
    def untouched(self) -> bool:
        """Whether nothing has happened in this turn."""
        return not self.story and self.table is None and self.ruling is None and not self.declarations

    def ruled(self, ruling: Ruling) -> TurnRecord:
        """The turn with a new ruling; one that it does not merely add to is kept as overruled."""
        old = self.ruling
        adds = old is None or (old.placement in (None, ruling.placement) and said(old) <= said(ruling))
        return replace(self, ruling=ruling, versions=earlier(self, adds=adds))


def named(table: TableState, turn: TurnRecord) -> TableState:
    """The table with the cards named as people stated in this turn."""
    faces = {d.key: d.face for d in turn.declarations if isinstance(d, DeclaredFace)}
    if not faces:
        return table

    def name(piece: Placement) -> Placement:
        if piece.key not in faces:
            return piece
        face = faces[piece.key]
        return replace(piece, face=face, confidence=0.0 if face is None else 1.0, candidates=())

    return replace(table, placements=tuple(name(p) for p in table.placements))
