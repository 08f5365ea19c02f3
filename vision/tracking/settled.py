"""A table at rest, as the tracker tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, TableState
from vision.types import Quad


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A table at rest, with names that last.

    Parameters
    ----------
    table
        The pieces under their lasting keys; those that are hidden too. All its millimetres are those of one map that
        stays from look to look.
    quads_px
        Outline of each piece in this frame, by key; of hidden ones where they last were. The board's is under `BOARD`.
    seen
        Keys of the pieces that this frame shows.
    doubts
        Keys of the pieces for which another look at the same table is worth its time; also of suspicions that are no
        pieces of `table` yet.
    at_s
        Time of the frame.
    overlooked
        Keys of the cards that were not found at first, or not for a while, though they lay there: nothing changed
        where they lie.
    tokens_px
        Where in this frame each of the table's tokens is; empty where that is not known.
    area_px
        (n, 2) the agreed playing area in this frame, or None.
    """

    table: TableState
    quads_px: Mapping[str, Quad]
    seen: frozenset[str]
    doubts: frozenset[str]
    at_s: float
    overlooked: frozenset[str] = frozenset()
    tokens_px: tuple[tuple[float, float], ...] = ()
    area_px: NDArray[np.float64] | None = None

    @property
    def doubtful(self) -> bool:
        """Whether another look at the same table is worth its time."""
        return bool(self.doubts)

    @property
    def board_px(self) -> Quad | None:
        """The board's outline in this frame, or None."""
        return self.quads_px.get(BOARD)

    def without_doubts(self) -> TableState | None:
        """The table of the pieces that no further look could change; None where a suspicion may become a piece."""
        if self.doubts - self.quads_px.keys():
            return None
        kept = tuple(p for p in self.table.placements if p.key not in self.doubts)
        keys = {p.key for p in kept}
        return replace(self.table, placements=kept, covers=tuple(c for c in self.table.covers if keys.issuperset(c)))
