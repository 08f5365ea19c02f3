"""Words that every game's match shares: phases and the standing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """Where a match stands.

    All games: SETUP (no match yet), VERDICT (a ruling waits for the players), FINISHED. Rox: DEALING, RACING, CHECKING,
    BETWEEN. CONEX: LAYOUT (the table at the start is yet to be seen), TURN (a seat may lay, draw, pass, use lightning),
    ROLLING (a die card counts, the die is to be told), ENDING (all done, but the lightning star may still be used).
    Cactus: LAYOUT, ROLLING (the die is to be told), TURN (a piece is to be hung), VERDICT until the die is passed.
    """

    SETUP = "setup"
    DEALING = "dealing"
    RACING = "racing"
    CHECKING = "checking"
    VERDICT = "verdict"
    BETWEEN = "between"
    FINISHED = "finished"
    LAYOUT = "layout"
    TURN = "turn"
    ROLLING = "rolling"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's points: a sum that is worked out anew each time, never stored.

    Parameters
    ----------
    seat, name
        The player.
    rounds
        Points of each confirmed round (Rox), or of each confirmed turn of this player (CONEX, Cactus), in order.
    total
        Their sum; in Cactus what the player's flowers are worth.
    place
        1 for the most points; players of equal total share a place.
    """

    seat: str
    name: str
    rounds: tuple[int, ...]
    total: int
    place: int


def ranked(
    names: Mapping[str, str], rounds: Mapping[str, Sequence[int]], totals: Mapping[str, int]
) -> tuple[Standing, ...]:
    """Everybody's standing, best first; in the order of `names` among equals.

    Parameters
    ----------
    names
        What each seat's player is called.
    rounds, totals
        Points of each seat, and what they come to.
    """
    return tuple(
        Standing(s, names[s], tuple(rounds[s]), totals[s], 1 + sum(t > totals[s] for t in totals.values()))
        for s in sorted(names, key=lambda s: -totals[s])
    )


@dataclass(frozen=True, slots=True)
class OutOfStep:
    """Why a settled table does not follow from the match.

    Parameters
    ----------
    reason
        One word of the game, for a sentence that says what to do.
    faces
        Faces of the cards concerned, as far as they have names.
    keys
        Keys of those of them that lie on the table.
    """

    reason: str
    faces: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
