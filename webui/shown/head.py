"""What the page shows of every match, whatever its game; see `webui.shown.snapshot`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player: `number` (1 to 4) is the key to press and the emblem, clockwise from the bottom of the picture."""

    number: int
    seat: str
    name: str
    total: int
    place: int
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RuleView:
    """One judged rule of a laid card.

    Parameters
    ----------
    rule, call
        Rule id and ``legal``, ``violation`` or ``uncertain``.
    about
        Keys of what it speaks of.
    facts
        The numbers behind it.
    """

    rule: str
    call: str
    about: tuple[str, ...]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Head:
    """What every game's match tells.

    Parameters
    ----------
    id, title, game, deck, created_at
        Its head.
    seq
        Number of its events; a command names it, so that a second tap is refused.
    phase
        Where it stands; see `scoring.play.Phase`.
    players
        Clockwise from the bottom of the picture.
    options
        House rules by name.
    winners
        Seats, once the match is finished.
    undo
        What an undo takes back: type of the event, or None.
    """

    id: str
    title: str
    game: str
    deck: str
    created_at: str
    seq: int
    phase: str
    players: tuple[PlayerView, ...]
    options: Mapping[str, int | float | str]
    winners: tuple[str, ...]
    undo: str | None

    def player(self, seat: str | None) -> PlayerView | None:
        """The player of a seat, or None."""
        return next((p for p in self.players if p.seat == seat), None)

    def name(self, seat: str) -> str:
        """The name of a seat's player."""
        player = self.player(seat)
        return player.name if player else seat


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """What every turn tells, in games that go turn by turn.

    Parameters
    ----------
    number, seat
        From 1 over all seats; whose it was.
    rolled
        What the die showed, or None.
    status
        Of its ruling: ``provisional``, ``confirmed``, …, or empty.
    rules
        Every judged rule, the kept ones too.
    open
        Indexes into `rules` of those that the players must decide.
    settled
        Whether the ruling can be accepted.
    confirmed
        Whether it counts.
    evidence
        Id of the evidence picture, or empty.
    versions
        How many rulings it had.
    """

    number: int
    seat: str
    rolled: str | None
    status: str
    rules: tuple[RuleView, ...]
    open: tuple[int, ...]
    settled: bool
    confirmed: bool
    evidence: str
    versions: int


T = TypeVar("T", bound=JudgedTurn)


@dataclass(frozen=True, slots=True)
class TurnsHead(Head, Generic[T]):
    """What every match tells that goes turn by turn.

    Parameters
    ----------
    to_play
        Whose turn it is, or None.
    turn
        The running turn, or None.
    turns
        Turns that are over, oldest first.
    order
        Seats in the order of play.
    ending
        Why it is over, or empty.
    can
        Names of the commands that are possible now.
    """

    to_play: str | None
    turn: T | None
    turns: tuple[T, ...]
    order: tuple[str, ...]
    ending: str
    can: tuple[str, ...]

    def turn_of(self, number: int) -> T | None:
        """The turn of that number, running or over."""
        known = (*self.turns, *((self.turn,) if self.turn else ()))
        return next((t for t in known if t.number == number), None)
