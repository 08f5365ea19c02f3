"""Commands: what a person or the runner asks of a match. `match.decide` turns one into events or refuses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.deck import Deck
from scoring.events import DealtCard, OptionValue, Player, ScoringSource
from scoring.moves import CactusDie, Declaration, DieFace, Source
from scoring.table import TableState


@dataclass(frozen=True, slots=True)
class CreateMatch:
    """Begin a match; `options` may leave out what has a default."""

    at: str
    game: str
    players: tuple[Player, ...]
    deck: Deck
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    scoring: ScoringSource = ScoringSource.DECLARED


@dataclass(frozen=True, slots=True)
class DealScoring:
    """Lay out the scoring cards of the next round, or correct those of the running one."""

    at: str
    cards: tuple[DealtCard, ...]
    source: Source = Source.HUMAN


@dataclass(frozen=True, slots=True)
class StartRace:
    """All begin."""

    at: str


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A seat calls the end of the round ("Rox!"), or the call is put right."""

    at: str
    seat: str


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Judge this settled table. A new picture of the same round drops what was declared about the old one."""

    at: str
    table: TableState
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Declare:
    """State a fact about the running round, or (with `round`) about an earlier one."""

    at: str
    what: Declaration
    round: int | None = None


@dataclass(frozen=True, slots=True)
class ConfirmRound:
    """Accept the ruling; in Cactus: pass the die."""

    at: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the last step that is not taken back yet."""

    at: str


@dataclass(frozen=True, slots=True)
class FinishMatch:
    """Stop before the last round; not `early` where the rules end it (CONEX: all agree that no card can be laid)."""

    at: str
    early: bool = True


@dataclass(frozen=True, slots=True)
class AcceptTable:
    """Take the table as it lies for the state of the game, without judging it: the way out of an out-of-step match.

    With `opening` only where the match has not begun: a table that was stated, and not seen, is no way out.
    """

    at: str
    table: TableState
    evidence: str = ""
    opening: bool = False


@dataclass(frozen=True, slots=True)
class DrawTwo:
    """The seat to play draws two cards instead of laying one (what is left, where the pile has fewer)."""

    at: str


@dataclass(frozen=True, slots=True)
class Pass:
    """The seat to play can neither lay nor draw."""

    at: str


@dataclass(frozen=True, slots=True)
class RollDie:
    """What the die shows: after a die card was laid (CONEX), or before a piece is taken (Cactus)."""

    at: str
    face: DieFace | CactusDie
    source: Source = Source.HUMAN


@dataclass(frozen=True, slots=True)
class UseLightning:
    """The seat to play takes the card of that key off the table with the lightning star."""

    at: str
    key: str


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The seat to play does nothing more: it keeps the lightning star that it could still use."""

    at: str


Command = (
    CreateMatch
    | DealScoring
    | StartRace
    | CallEnd
    | RecordTable
    | Declare
    | ConfirmRound
    | Undo
    | FinishMatch
    | AcceptTable
    | DrawTwo
    | Pass
    | RollDie
    | UseLightning
    | EndTurn
)


class CommandName(StrEnum):
    """Name of each command, for the page's buttons."""

    CREATE_MATCH = "create_match"
    DEAL_SCORING = "deal_scoring"
    START_RACE = "start_race"
    CALL_END = "call_end"
    RECORD_TABLE = "record_table"
    DECLARE = "declare"
    EDIT_ROUND = "edit_round"
    CONFIRM_ROUND = "confirm_round"
    UNDO = "undo"
    FINISH_MATCH = "finish_match"
    ACCEPT_TABLE = "accept_table"
    DRAW_TWO = "draw_two"
    PASS = "pass"
    ROLL_DIE = "roll_die"
    USE_LIGHTNING = "use_lightning"
    END_TURN = "end_turn"
