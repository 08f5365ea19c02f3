"""What the command line prints of a table: plain data in the shapes of the public contract.

Each game has a report of its own; what they share stands here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from scoring.table import Placement, TableState

Json = dict[str, Any]
Outline = Sequence[Sequence[float]] | Any
"""Corners in pixels: nested sequences or an array of (n, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A settled table and its picture.

    Parameters
    ----------
    table
        What lies where.
    quads
        Outline of each placement in pixels, by key; of the board too.
    overlooked
        Keys of pieces that were there before, though the eye did not find them then.
    """

    table: TableState
    quads: Mapping[str, Outline]
    overlooked: frozenset[str] = frozenset()

    def with_overlooked(self, before: TableState) -> TableState:
        """The table before, with the pieces that were there and are found only now: nobody moved them."""
        known = {p.key for p in before.placements}
        found = tuple(p for p in self.table.placements if p.key in self.overlooked and p.key not in known)
        return replace(before, placements=(*before.placements, *found)) if found else before


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """A table in words of the contract.

    Parameters
    ----------
    table
        All that is said of it.
    subject
        The part that another look must change to be news: names and verdicts, no pixels and no shades of certainty.
    events
        What is new against the table before: names of events, each with what it carries.
    before
        What the table before is told as, where this one tells more of it.
    open
        Whether the next table may tell more of this one.
    """

    table: Json
    subject: Any
    events: tuple[tuple[str, Json], ...] = ()
    before: Json | None = None
    open: bool = False


class Report(Protocol):
    """How one game's tables are told, one after the other."""

    @property
    def sequence(self) -> bool:
        """Whether a photo is judged against the ones before it; else each by itself."""
        ...

    def tell(self, seen: Seen) -> Told:
        """How this table is told, against the last one that was accepted. Changes nothing."""
        ...

    def accept(self, seen: Seen, told: Told) -> None:
        """From now on this is the table before; `told` is what was told of it."""
        ...


def quad(outline: Outline) -> list[list[float]]:
    """Corners rounded to a hundredth of a pixel."""
    points = outline if isinstance(outline, Sequence) else outline.tolist()
    return [[round(float(x), 2), round(float(y), 2)] for x, y in points]


def card_list(placements: Iterable[Placement], quads: Mapping[str, Outline]) -> list[Json]:
    """Every card by itself, without any rule."""
    return [
        {
            "quad": quad(quads[p.key]),
            "id": p.face,
            "confidence": round(p.confidence, 4),
            "visible": round(p.visible, 3),
        }
        for p in placements
    ]
