"""The protocol that every game follows, and the explicit list of games.

A game imports the vocabulary, never this module; this module imports the games. So there is no cycle, and a new game
is one module and one entry in `GAMES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from scoring.commands import Command, CommandName, CreateMatch
from scoring.errors import RefereeError
from scoring.events import Event, MatchCreated, OptionValue
from scoring.games.cactus_match import CACTUS
from scoring.games.cactus_play import CactusPlay
from scoring.games.cactus_turn import TurnRecord as CactusTurn
from scoring.games.conex_match import CONEX
from scoring.games.conex_play import ConexPlay, TurnRecord
from scoring.games.rox_match import ROX
from scoring.games.rox_play import RoundRecord, RoxPlay
from scoring.play import OutOfStep, Phase, Standing
from scoring.table import TableState
from scoring.verdicts import Ruling

Play = RoxPlay | ConexPlay | CactusPlay
"""The state of any game's match; `rounds` is what is judged and confirmed as one, the running one last."""
Record = RoundRecord | TurnRecord | CactusTurn
"""What is judged and confirmed as one: a round of Rox, a turn of CONEX or of Cactus."""


class Rules(Protocol):
    """One game. Nothing here mutates its arguments, and `judge` and `audit` never raise for a bad move.

    Attributes
    ----------
    game
        Name of the game, as in decks and commands.
    rule_ids
        Every rule id that its verdicts can carry.
    seats
        Possible seats, clockwise as seen from above.
    players
        Least and greatest number of players.
    phases
        Every phase that a match of it can be in, without `Phase.SETUP`.
    commands
        Every command that it can ask for, without the creation and the undo, which all games share.
    """

    @property
    def game(self) -> str: ...

    @property
    def rule_ids(self) -> tuple[str, ...]: ...

    @property
    def seats(self) -> tuple[str, ...]: ...

    @property
    def players(self) -> tuple[int, int]: ...

    @property
    def phases(self) -> tuple[Phase, ...]: ...

    @property
    def commands(self) -> tuple[CommandName, ...]: ...

    def check_setup(self, command: CreateMatch) -> Mapping[str, OptionValue]:
        """All options of a new match; raises RefereeError for an impossible one."""
        ...

    # Each game has its own state; the union of all states is `Play`, and a match never mixes games.
    def begin(self, created: MatchCreated) -> Any:
        """The match before its first move."""
        ...

    def phase(self, play: Any) -> Phase:
        """Where the match stands."""
        ...

    def apply(self, play: Any, event: Event) -> Any:
        """The match after one more event; raises LogError where the event does not follow."""
        ...

    def decide(self, play: Any, command: Command, step: int) -> tuple[Event, ...]:
        """The events that a command causes; raises RefereeError where it is impossible now."""
        ...

    def legal_commands(self, play: Any) -> tuple[CommandName, ...]:
        """Commands that are possible now, without undo."""
        ...

    def judge(self, play: Any, table: TableState) -> Ruling:
        """The ruling on a table as it lies now; withheld where a rule keeps it secret."""
        ...

    def audit(self, play: Any, number: int) -> Ruling | None:
        """The rules run again over what is recorded of round (or turn) `number`."""
        ...

    def news(self, play: Any, table: TableState) -> bool:
        """Whether this settled table is worth recording without being asked."""
        ...

    def out_of_step(self, play: Any, table: TableState) -> OutOfStep | None:
        """Why this settled table cannot follow from the match, or None."""
        ...

    def standing(self, play: Any) -> tuple[Standing, ...]:
        """Points of all players, best first."""
        ...


GAMES: tuple[Rules, ...] = (ROX, CONEX, CACTUS)


def rules_of(game: str) -> Rules:
    """The rules of that game; raises RefereeError naming the games that there are."""
    for rules in GAMES:
        if rules.game == game:
            return rules
    raise RefereeError(f"There is no game {game}; there is {', '.join(r.game for r in GAMES)}.")
