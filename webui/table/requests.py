"""What Flask's threads ask of the runner, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scoring.commands import Command, CreateMatch
from scoring.table import Point


class Outcome(StrEnum):
    """What became of a request."""

    DONE = "done"
    REPEATED = "repeated"
    STALE = "stale"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request; what it says is on disk when the outcome is `DONE`."""

    outcome: Outcome
    match: str = ""
    seq: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """Carry out commands on a match that has `seq` events; another number means that the sender saw old news."""

    match: str
    seq: int
    commands: tuple[Command, ...]
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class Begin:
    """Start a match and bring it to this table."""

    title: str
    command: CreateMatch


@dataclass(frozen=True, slots=True)
class Attend:
    """Bring a match to this table's camera."""

    match: str


@dataclass(frozen=True, slots=True)
class Look:
    """Judge what the camera shows now, whether it counts as still or not.

    `lying` judges the picture that lies still as it was read, where it tells something new.
    """

    match: str
    seq: int
    lying: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """Judge this photo."""

    match: str
    seq: int
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class SecondPhoto:
    """Hold this photo, taken from another place, against the picture that was judged."""

    match: str
    seq: int
    data: bytes


@dataclass(frozen=True, slots=True)
class TakeTable:
    """Take the table as the camera shows it now for the state of the game, without judging it.

    `sure` says that people saw what the page asks before a match begins with such a table, and want it so.
    """

    match: str
    seq: int
    sure: bool = False


@dataclass(frozen=True, slots=True)
class AgreeArea:
    """From now on this is the playing area, in pixels of the picture of now; empty: the whole picture."""

    match: str
    area: tuple[Point, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Import:
    """Take in an exported match."""

    text: str


@dataclass(frozen=True, slots=True)
class LayDeck:
    """Play with this deck from now on.

    `aside` puts the match that is being played with another one aside: it stays in the list and can be gone on with.
    """

    key: str
    aside: bool = False


@dataclass(frozen=True, slots=True)
class TakeOver:
    """Stop the demonstration's director; from now on people decide."""


@dataclass(frozen=True, slots=True)
class NewCamera:
    """Another camera gives the pictures: what the one before showed last says nothing of what is to come."""


Request = (
    Do | Begin | Attend | Look | Photo | SecondPhoto | TakeTable | AgreeArea | Import | LayDeck | TakeOver | NewCamera
)
