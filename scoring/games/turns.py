"""What games that go turn by turn have in common: whose turn it is, which one runs, and what was ruled on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from scoring.errors import LogError, RefereeError
from scoring.events import Event, last_ruling
from scoring.verdicts import Ruling, RulingStatus

Events = tuple[Event, ...]


class Turn(Protocol):
    """One turn of one seat as it is recorded.

    Attributes
    ----------
    number
        From 1, over all seats.
    seat
        Whose turn it is.
    rolled
        What the die showed, or None.
    evidence
        Where the picture of its table is kept.
    ruling
        The ruling in force, or None where nothing was judged.
    versions
        Earlier rulings of this turn, oldest first, all overruled.
    confirmed
        Whether what was done in it counts.
    closed
        Whether the turn is over.
    """

    @property
    def number(self) -> int: ...

    @property
    def seat(self) -> str: ...

    @property
    def rolled(self) -> StrEnum | None: ...

    @property
    def evidence(self) -> str: ...

    @property
    def ruling(self) -> Ruling | None: ...

    @property
    def versions(self) -> tuple[Ruling, ...]: ...

    @property
    def confirmed(self) -> bool: ...

    @property
    def closed(self) -> bool: ...


T = TypeVar("T", bound=Turn)


class TurnByTurn(Generic[T]):
    """What follows from the turns of a match alone. A game adds who plays, in which order, and why it is over."""

    __slots__ = ()

    turns: tuple[T, ...]
    stopped: StrEnum | None

    @property
    def seats(self) -> tuple[str, ...]:
        """Taken seats in the order of play."""
        raise NotImplementedError

    @property
    def ending(self) -> StrEnum | None:
        """Why the match is over, or None while it runs."""
        raise NotImplementedError

    @property
    def rounds(self) -> tuple[T, ...]:
        """The turns, under the name by which every game tells what is judged and confirmed as one."""
        return self.turns

    @property
    def turn(self) -> T | None:
        """The running turn; None before the first and after the last."""
        return self.turns[-1] if self.turns and not self.turns[-1].closed and self.stopped is None else None

    @property
    def to_play(self) -> str | None:
        """The seat whose turn it is, or None."""
        return self.turn.seat if self.turn else None

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return self.ending is not None

    def seat_of(self, number: int) -> str:
        """Whose turn the turn of that number is."""
        return self.seats[(number - 1) % len(self.seats)]

    def stated_turn(self, number: int | None) -> T:
        """The turn that a statement is about, None for the last; raises RefereeError where it was not played."""
        number = len(self.turns) if number is None else number
        if not 1 <= number <= len(self.turns):
            raise RefereeError(f"Turn {number} has not been played.")
        return self.turns[number - 1]

    def turn_of(self, event: Event) -> T:
        """The turn that an event changes; raises LogError where it has not begun."""
        number = getattr(event, "round", -1)
        if not 1 <= number <= len(self.turns):
            raise LogError(f"the event {type(event).__name__} speaks of turn {number}, which has not begun")
        return self.turns[number - 1]

    def turns_with(self, turn: T) -> tuple[T, ...]:
        """The turns, with that one in the place of the one of its number."""
        return (*self.turns[: turn.number - 1], turn, *self.turns[turn.number :])


def said(ruling: Ruling) -> frozenset[tuple[str, str, tuple[str, ...]]]:
    """The verdicts of a ruling by what they say."""
    return frozenset((v.rule, str(v.call), v.about) for v in ruling.verdicts)


def earlier(turn: Turn, *, adds: bool) -> tuple[Ruling, ...]:
    """Earlier rulings of a turn that gets a new one; the old one is overruled, unless the new one only `adds` to it."""
    older = () if adds or turn.ruling is None else (replace(turn.ruling, status=RulingStatus.OVERRULED),)
    return (*turn.versions, *older)


def judged(game: str, record: Callable[[], Events]) -> Ruling:
    """The ruling that recording a table would bring; withheld where it shows nothing that could be judged."""
    try:
        events = record()
    except RefereeError:
        events = ()
    return last_ruling(events) or Ruling(game, RulingStatus.WITHHELD)


def judged_again(turns: tuple[T, ...], number: int, judge: Callable[[T], Ruling]) -> Ruling | None:
    """The rules run again over what is recorded of a turn; None where nothing of it was judged."""
    turn = turns[number - 1] if 1 <= number <= len(turns) else None
    return None if turn is None or turn.ruling is None else judge(turn)
