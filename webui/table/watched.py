"""Games in which every move is watched: each picture that stands still and tells something new is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scoring.commands import AcceptTable, Command, RecordTable
from scoring.match import MatchState
from scoring.play import Phase
from scoring.rules import Rules
from scoring.table import Point, TableState, TokenKind
from webui.table.seeing import Reading

SURE = 0.9
"""Confidence from which on the referee would rely on a reading."""

TOLD_FIRST = ("roll", "open")
"""Reasons for which a table does not follow until people have told something: the die, or the answer to a question."""

Known = Callable[[MatchState, Reading], Reading]


def as_read(state: MatchState, reading: Reading) -> Reading:
    """The reading itself, where the match knows the pieces by the names with which they are read."""
    return reading


@dataclass(frozen=True, slots=True)
class WatchedMoves:
    """A watched game behind the `playing.Recording` protocol.

    Parameters
    ----------
    rules
        Tell what is new on a table.
    nothing_new
        The answer where a picture tells nothing.
    known_as
        The reading as the match would record it.
    asks_first
        Whether a match begins on such a table only where people say so: what is seen there may be left over from the
        match before, or is not all that the game has.
    """

    rules: Rules
    nothing_new: str
    known_as: Known = as_read
    asks_first: Callable[[MatchState, TableState], bool] = lambda state, table: False

    def awaits(self, state: MatchState, reading: Reading) -> bool:
        """Once the match has begun: whatever changed."""
        if state.phase in (Phase.LAYOUT, Phase.FINISHED):
            return False
        return self.rules.news(state.play, self.known(state, reading).table)

    def judges(self, state: MatchState, reading: Reading) -> bool:
        """A photo that was asked for begins the match, or tells what a settled picture would.

        What people must be asked about first is only shown: the page asks.
        """
        if state.phase is Phase.LAYOUT:
            return not self.asks_first(state, reading.table)
        return state.phase is not Phase.FINISHED

    def refuses(self, state: MatchState, reading: Reading) -> str:
        """Where nothing has changed there is nothing to judge."""
        if state.phase is Phase.LAYOUT or self.awaits(state, reading):
            return ""
        if self.rules.out_of_step(state.play, self.known(state, reading).table) is not None:
            return ""  # the rules refuse it, and say why
        return self.nothing_new

    def waits_for(self, state: MatchState, reading: Reading) -> str:
        """The die, or the answer to a question about the move before."""
        if state.phase in (Phase.LAYOUT, Phase.FINISHED):
            return ""
        astray = self.rules.out_of_step(state.play, self.known(state, reading).table)
        return astray.reason if astray is not None and astray.reason in TOLD_FIRST else ""

    def known(self, state: MatchState, reading: Reading) -> Reading:
        """The reading as the match would record it."""
        return self.known_as(state, reading)

    def command(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """A move is judged; the first table is where the match begins."""
        return AcceptTable(at, table, evidence) if state.phase is Phase.LAYOUT else RecordTable(at, table, evidence)

    def accept(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """The table is taken as it is."""
        return AcceptTable(at, table, evidence)


def die_shown(table: TableState) -> str | None:
    """What the die on a table shows, where there is one and it is read."""
    dice = [t for t in table.tokens if t.kind is TokenKind.DIE and t.confidence >= SURE]
    return dice[0].name if len(dice) == 1 else None


def rounded(points: Iterable[Point]) -> tuple[Point, ...]:
    """Points of the picture, to a tenth of a pixel."""
    return tuple((round(x, 1), round(y, 1)) for x, y in points)
