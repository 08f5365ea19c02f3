"""What the page shows of a match and a table together, and the plain word for the state."""

from __future__ import annotations

from dataclasses import dataclass

from scoring.deck import Deck
from scoring.events import Event
from scoring.match import MatchState
from scoring.play import Phase
from webui.seeing import Reading, Sight
from webui.snapshot import CardSeen, MatchView, ScoringView
from webui.store import MatchRecord
from webui.views import look_at, out_of_step, rows_hidden, seen_scoring, view_match


@dataclass(slots=True)
class Current:
    """A match, folded."""

    record: MatchRecord
    events: tuple[Event, ...]
    state: MatchState

    @property
    def seq(self) -> int:
        """Number of its events."""
        return len(self.events)


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What was worked out of a match and a reading; holds until one of them changes.

    Parameters
    ----------
    current, seq, reading
        What it was worked out of.
    match, cards, scoring
        As in `webui.snapshot.Snapshot`.
    phase
        Where the match stands, or None.
    hidden
        Whether a card of a row is only remembered: a hand lies over it.
    astray
        Whether the table contradicts the record.
    """

    current: Current | None = None
    seq: int = 0
    reading: Reading | None = None
    match: MatchView | None = None
    cards: tuple[CardSeen, ...] = ()
    scoring: tuple[ScoringView, ...] = ()
    phase: Phase | None = None
    hidden: bool = False
    astray: bool = False

    def is_of(self, current: Current | None, reading: Reading | None) -> bool:
        """Whether neither the match nor the reading has changed since."""
        seq = current.seq if current else 0
        return self.reading is reading and self.current is current and self.seq == seq


def show(current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
    """Work out what the page shows.

    Parameters
    ----------
    current
        The match at this table, or None.
    reading
        The table as it lies, or None where it moves or was not read.
    deck
        The deck on this table, where no match says otherwise.
    """
    state = current.state if current else None
    deck = (state.deck if state else None) or deck
    table = reading.table if reading else None
    seats = tuple(p.seat for p in state.players) if state else None
    return Shown(
        current,
        current.seq if current else 0,
        reading,
        match=view_match(current.record, current.state, current.seq) if current else None,
        cards=look_at(reading.table, reading.quads, deck, seats) if reading else (),
        scoring=seen_scoring(table, deck, state) if table else (),
        phase=state.phase if state else None,
        hidden=bool(reading and state and rows_hidden(reading.table, reading.unseen, state)),
        astray=bool(state and out_of_step(state, table)),
    )


def plain_word(shown: Shown, sight: Sight, lost: bool, still: str) -> tuple[str, str]:
    """The plain word for the state (`Snapshot.state`), and the key of a hint.

    Parameters
    ----------
    shown
        What is shown.
    sight
        What the eye made of the newest frame.
    lost
        Whether no picture comes.
    still
        Hint where no other picture is to be expected: ``photo``, ``ended`` or empty.
    """
    if lost:
        return "no-camera", ""
    if shown.astray:
        return "out-of-step", "scoring"
    if shown.phase is Phase.VERDICT:
        return "verdict", ""
    if shown.phase is Phase.CHECKING:
        return "checking", sight.hint or ("hands" if sight.word == "moving" or shown.hidden else "")
    return sight.word, sight.hint or still
