"""What the runner must know of a game: when it waits for a picture, what becomes of one, and what the page shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from scoring.commands import Command
from scoring.deck import Deck
from scoring.match import MatchState
from scoring.play import Phase
from scoring.table import TableState
from webui.cactus.snapshot import LiveCactus
from webui.conex.snapshot import LiveConex
from webui.rox.snapshot import ScoringView
from webui.shown.head import Head
from webui.shown.snapshot import CardSeen
from webui.table.desk import Current
from webui.table.seeing import Reading, Sight


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What was worked out of a match and a reading; holds until one of them changes.

    Parameters
    ----------
    current, seq, reading
        What it was worked out of.
    match, cards, scoring
        As in `webui.shown.snapshot.Snapshot`.
    phase
        Where the match stands, or None.
    hidden
        Whether a card that matters is only remembered: a hand lies over it.
    astray
        Whether the table contradicts the record.
    conex
        The table of CONEX as it lies now, or None.
    cactus
        The cacti as they stand now, or None.
    """

    current: Current | None = None
    seq: int = 0
    reading: Reading | None = None
    match: Head | None = None
    cards: tuple[CardSeen, ...] = ()
    scoring: tuple[ScoringView, ...] = ()
    phase: Phase | None = None
    hidden: bool = False
    astray: bool = False
    conex: LiveConex | None = None
    cactus: LiveCactus | None = None

    def is_of(self, current: Current | None, reading: Reading | None) -> bool:
        """Whether neither the match nor the reading has changed since."""
        seq = current.seq if current else 0
        return self.reading is reading and self.current is current and self.seq == seq

    def of_the_past(self) -> Shown:
        """The same of a picture that is older than the match: where they differ, nothing is wrong."""
        return replace(
            self,
            astray=False,
            conex=self.conex and replace(self.conex, astray=None),
            cactus=self.cactus and replace(self.cactus, astray=None),
        )


class Recording(Protocol):
    """When a game waits for a picture, and what becomes of one in its log."""

    def awaits(self, state: MatchState, reading: Reading) -> bool:
        """Whether this settled picture is judged without being asked."""
        ...

    def judges(self, state: MatchState, reading: Reading) -> bool:
        """Whether a picture that a person asks for is recorded now; else it is only looked at."""
        ...

    def refuses(self, state: MatchState, reading: Reading) -> str:
        """Why a picture that a person asks for cannot be judged now, or empty."""
        ...

    def waits_for(self, state: MatchState, reading: Reading) -> str:
        """What people are to tell before this picture can be judged, as one word of the game, or empty."""
        ...

    def accept(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """The table is taken as it lies, unjudged; raises RefereeError in a game that has no such thing."""
        ...

    def known(self, state: MatchState, reading: Reading) -> Reading:
        """The reading as the match would record it: on its plane, and with the keys by which it knows the pieces."""
        ...

    def command(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """What a picture that is judged becomes."""
        ...


class Display(Protocol):
    """What the page shows of a game."""

    def show(self, current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
        """What the page shows of a match (or of a table without one)."""
        ...

    def word(self, shown: Shown, sight: Sight, still: str) -> tuple[str, str]:
        """The plain word for the state (`Snapshot.state`) and the key of a hint, where a camera sends pictures.

        `still` is the hint where no other picture is to be expected: ``photo``, ``ended`` or empty.
        """
        ...


@dataclass(frozen=True, slots=True)
class Playing:
    """One game at the table."""

    recording: Recording
    display: Display
