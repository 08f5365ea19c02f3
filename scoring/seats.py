"""Seats: where players can sit round a table, and who sits where."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.errors import RefereeError
from scoring.events import Player

SIDES = ("south", "west", "north", "east")
"""The sides of a table that is seen from above, clockwise: seats of Rox and of CONEX."""


def taken(seats: Sequence[str], players: Sequence[Player]) -> tuple[str, ...]:
    """Those of the seats at which somebody sits."""
    return tuple(s for s in seats if any(p.seat == s for p in players))


def beginning_with(seats: tuple[str, ...], first: str) -> tuple[str, ...]:
    """The same seats in the same circle, from `first` on."""
    start = seats.index(first)
    return (*seats[start:], *seats[:start])


def check_seat(seats: Sequence[str], seat: str) -> None:
    """Raises RefereeError where nobody sits there."""
    if seat not in seats:
        raise RefereeError(f"Nobody sits at {seat}; the players sit at {', '.join(seats)}.")


def check_starter(players: Sequence[Player], start: str) -> None:
    """Raises RefereeError where nobody sits where the first player should; an empty `start` leaves it open."""
    if start and all(p.seat != start for p in players):
        raise RefereeError(f"Nobody sits at {start}, who should start.")
