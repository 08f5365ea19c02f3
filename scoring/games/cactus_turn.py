"""One turn of Cactus as it is recorded: the roll, what hangs, what fell, what was judged, and what people stated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from scoring.games.turns import earlier, said
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredClaim,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredImpossible,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.table import Placement, TableState
from scoring.verdicts import Ruling

Setting = DeclaredFlowers | DeclaredSpecials
"""What people set to another state, whatever the record says."""


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
        What hung when the turn began, by the record.
    table
        The settled table that is judged, with the names that the record knows, or None.
    evidence
        Where the picture of that table is kept.
    placed
        Key of the hung piece in `table`, or None.
    own
        Id of the piece that hangs in this turn (or hung, where `placed` is None), as far as it has a name.
    held
        Id of the piece that was taken back or fell, and is to be hung again; None before that.
    rolled
        What the die showed, or None.
    void
        Rolls before that, for which no piece was left (where such a roll is repeated).
    hidden
        Ids of pieces that hang out of sight as people said: they are not missed.
    late
        Ids of pieces that fell before the die was rolled: nobody pays for them.
    fell
        Ids of pieces that certainly hung no more on a table of this turn.
    declarations
        What people stated about this turn, in order.
    settings
        What people set before the turn counted: flowers, the row of specials.
    afterwards
        What they set when it counted already.
    ruling
        The ruling in force, or None where nothing was judged.
    versions
        Earlier rulings of this turn, oldest first, all overruled.
    confirmed
        Whether the die was passed: what was judged counts.
    closed
        Whether the turn is over.
    gone
        Ids of the pieces that hang no more after it, in the order of their falls.
    left
        What hangs after it.
    """

    number: int
    seat: str
    before: TableState
    table: TableState | None = None
    evidence: str = ""
    placed: str | None = None
    own: str | None = None
    held: str | None = None
    rolled: CactusDie | None = None
    void: tuple[CactusDie, ...] = ()
    hidden: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    fell: tuple[str, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    settings: tuple[Setting, ...] = ()
    afterwards: tuple[Setting, ...] = ()
    ruling: Ruling | None = None
    versions: tuple[Ruling, ...] = ()
    confirmed: bool = False
    closed: bool = False
    gone: tuple[str, ...] = ()
    left: TableState | None = None

    @property
    def base(self) -> TableState:
        """What the next picture is compared with: what hung before, without what fell late."""
        return without(self.before, self.lost)

    @property
    def lost(self) -> tuple[str, ...]:
        """Ids of the pieces that fell before the die was rolled, but for those that hang as people say."""
        return tuple(p for p in self.late if self.falls.get(p) is not Fall.HANGS)

    @property
    def known(self) -> TableState:
        """What hangs as the match knows it in this turn, with the piece that is being judged."""
        if self.left is not None:
            return self.left
        return self.base if self.table is None else self.table

    @property
    def hung_on(self) -> str | None:
        """Cactus on which the piece of this turn hangs when the turn is over; None where it was given up."""
        left = self.left.placements if self.left is not None and self.own is not None else ()
        return next((p.pose.plane for p in left if p.face == self.own), None)

    @property
    def touches(self) -> int:
        """How many times the hand touched a cactus or a hung piece, as stated last."""
        stated = [d.times for d in self.declarations if isinstance(d, DeclaredTouches)]
        return stated[-1] if stated else 0

    @property
    def claimed(self) -> tuple[str, ...]:
        """What the player claimed flowers for in this turn."""
        return tuple(dict.fromkeys(w for d in self.declarations if isinstance(d, DeclaredClaim) for w in d.whys))

    @property
    def impossible(self) -> bool:
        """Whether all agreed that the piece cannot be hung as the rules ask."""
        return any(isinstance(d, DeclaredImpossible) for d in self.declarations)

    @property
    def falls(self) -> dict[str, Fall]:
        """What people stated of each piece."""
        return {d.piece: d.what for d in self.declarations if isinstance(d, DeclaredFall)}

    @property
    def untouched(self) -> bool:
        """Whether nothing has happened in this turn."""
        return not (self.rolled or self.void or self.late or self.fell or self.table or self.declarations)

    def ruled(self, ruling: Ruling) -> TurnRecord:
        """The turn with a new ruling; one that it does not merely add to is kept as overruled."""
        old = self.ruling
        adds = old is None or (said(old) <= said(ruling) and _costs(old) <= _costs(ruling))
        return replace(self, ruling=ruling, versions=earlier(self, adds=adds))


def _costs(ruling: Ruling) -> Counter[object]:
    return Counter((*ruling.penalties, *ruling.awards))


def without(table: TableState, pieces: Collection[str]) -> TableState:
    """The table without those pieces (ids), and without what touched them."""
    if not pieces:
        return table
    return keeping(table, [p for p in table.placements if p.face not in pieces])


def keeping(table: TableState, placements: Collection[Placement]) -> TableState:
    """The table with these placements only, and what touches between them."""
    keys = {p.key for p in placements}
    contacts = tuple(c for c in table.contacts if c.a in keys and (c.b is None or c.b in keys))
    return replace(table, placements=tuple(placements), contacts=contacts, tokens=())
