"""Words that every game's match shares: phases and the standing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """Where a match stands."""

    SETUP = "setup"
    DEALING = "dealing"
    RACING = "racing"
    CHECKING = "checking"
    VERDICT = "verdict"
    BETWEEN = "between"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's points: a sum that is worked out anew each time, never stored.

    Parameters
    ----------
    seat, name
        The player.
    rounds
        Points of each confirmed round, in order.
    total
        Their sum.
    place
        1 for the most points; players of equal total share a place.
    """

    seat: str
    name: str
    rounds: tuple[int, ...]
    total: int
    place: int
