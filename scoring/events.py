"""Events: what happened in a match, append-only, and their form as JSON.

Every event says to which step it belongs; a step is what one command caused and what one undo takes back. ``at`` is
the time as text, given from outside: no rule looks at it. ``round`` is the number of what is judged and confirmed as
one: a round of Rox, a turn of CONEX or Cactus (0: before the first turn).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, get_args

from scoring.codec import Json, from_json, to_json
from scoring.deck import Deck
from scoring.errors import LogError
from scoring.moves import CactusDie, Declared, DieFace, Source
from scoring.table import TableState
from scoring.verdicts import Ruling

VERSION = 1
"""Version of the stored form."""

OptionValue = int | float | str
"""Value of one house rule or setting."""


class ScoringSource(StrEnum):
    """How the match learns which scoring cards are dealt."""

    DECLARED = "declared"
    SEEN = "seen"


@dataclass(frozen=True, slots=True)
class Player:
    """A person, the side of the picture at which that person sits, and the colour of the pawn where there is one."""

    name: str
    seat: str
    pawn: str | None = None


@dataclass(frozen=True, slots=True)
class DealtCard:
    """A scoring card that lies open: its points, and its id where it is known."""

    value: int
    id: str | None = None


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """The match begins. The deck's rules side is part of the log, so that it can be judged again for ever."""

    step: int
    at: str
    game: str
    players: tuple[Player, ...]
    options: Mapping[str, OptionValue]
    deck: Deck
    scoring: ScoringSource = ScoringSource.DECLARED


@dataclass(frozen=True, slots=True)
class ScoringDealt:
    """The round's scoring cards lie open; a second deal of the same round replaces the first."""

    step: int
    at: str
    round: int
    cards: tuple[DealtCard, ...]
    source: Source = Source.HUMAN


@dataclass(frozen=True, slots=True)
class RaceStarted:
    """All begin to pick cards."""

    step: int
    at: str
    round: int


@dataclass(frozen=True, slots=True)
class Called:
    """That seat called the end of the round; a second call event corrects the first."""

    step: int
    at: str
    round: int
    seat: str


@dataclass(frozen=True, slots=True)
class TableRecorded:
    """The settled table that is judged, where its picture is kept, and the key of what was laid or hung."""

    step: int
    at: str
    round: int
    table: TableState
    evidence: str = ""
    placed: str | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """The rules' answer; it replaces the ruling before it."""

    step: int
    at: str
    round: int
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class FactDeclared:
    """A person corrected a card, overruled a link, stated a row or settled the awards of the running round."""

    step: int
    at: str
    round: int
    move: Declared


@dataclass(frozen=True, slots=True)
class RoundConfirmed:
    """The players accept the ruling; it counts from now on."""

    step: int
    at: str
    round: int


@dataclass(frozen=True, slots=True)
class RoundEdited:
    """A confirmed round was changed later; the earlier ruling stays in the log and in the round's versions."""

    step: int
    at: str
    round: int
    move: Declared
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Undone:
    """The step `undoes` counts as never taken; it stays in the log."""

    step: int
    at: str
    undoes: int


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """The match is over; `early` where the players stopped before the last round."""

    step: int
    at: str
    early: bool = False


@dataclass(frozen=True, slots=True)
class TableAccepted:
    """The table as it lies is the state of the game, unjudged: the beginning, or the players said so."""

    step: int
    at: str
    round: int
    table: TableState
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What was laid in that turn was taken back before it counted; `lightning`: the card that it took lies again."""

    step: int
    at: str
    round: int
    lightning: bool = False


@dataclass(frozen=True, slots=True)
class Drew:
    """The seat to play drew two cards, or what was left."""

    step: int
    at: str
    round: int


@dataclass(frozen=True, slots=True)
class Passed:
    """The seat to play could neither lay nor draw."""

    step: int
    at: str
    round: int


@dataclass(frozen=True, slots=True)
class Rolled:
    """What the die showed: after a die card (CONEX), or at the beginning of a turn (Cactus)."""

    step: int
    at: str
    round: int
    face: DieFace | CactusDie
    source: Source = Source.HUMAN


@dataclass(frozen=True, slots=True)
class LightningUsed:
    """The seat to play took that card off with the lightning star; each other player with cards gave one."""

    step: int
    at: str
    round: int
    key: str
    source: Source = Source.HUMAN
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The seat to play did nothing more."""

    step: int
    at: str
    round: int


Event = (
    MatchCreated
    | ScoringDealt
    | RaceStarted
    | Called
    | TableRecorded
    | Ruled
    | FactDeclared
    | RoundConfirmed
    | RoundEdited
    | Undone
    | MatchFinished
    | TableAccepted
    | Withdrawn
    | Drew
    | Passed
    | Rolled
    | LightningUsed
    | TurnEnded
)

EVENT_TYPES: tuple[type, ...] = get_args(Event)


def last_ruling(events: Iterable[Event]) -> Ruling | None:
    """The ruling that the last of these events holds, or None."""
    return next((e.ruling for e in reversed(tuple(events)) if isinstance(e, Ruled)), None)


def encode(event: Event) -> dict[str, Any]:
    """The event as plain JSON data with its version and type."""
    data = to_json(event, Event)
    if not isinstance(data, dict):
        raise TypeError(f"{event!r} is no event")
    return {"version": VERSION, **data}


def decode(data: Json) -> Event:
    """The event that `encode` made.

    Raises
    ------
    LogError
        With a clear sentence, where the data is of a newer version, of an unknown type or torn.
    """
    if not isinstance(data, dict):
        raise LogError("a stored event must be a JSON object")
    version = data.get("version")
    if version != VERSION:
        raise LogError(f"this event was written in format {version}, this release reads format {VERSION}")
    kinds = {kind.__name__: kind for kind in EVENT_TYPES}
    kind = kinds.get(str(data.get("type")))
    if kind is None:
        raise LogError(f"nothing is known of the event type {data.get('type')!r}")
    try:
        event: Event = from_json({k: v for k, v in data.items() if k != "version"}, kind)
    except LogError as error:
        raise LogError(f"event {kind.__name__}: {error.message}") from error
    return event
