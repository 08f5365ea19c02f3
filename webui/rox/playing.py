"""Rox at the table: after the call the first picture that lies still is judged."""

from __future__ import annotations

from scoring.commands import Command, RecordTable
from scoring.deck import Deck, RoxDeck
from scoring.errors import RefereeError
from scoring.match import MatchState
from scoring.play import Phase
from scoring.table import TableState
from webui.rox.views import look_at, out_of_step, rows_hidden, seen_scoring, view_rox
from webui.table.desk import Current
from webui.table.playing import Playing, Shown
from webui.table.seeing import Reading, Sight

CALL_FIRST = "The race is on: first tap who called."


class RoxRecording:
    """Rox behind the `playing.Recording` protocol."""

    def awaits(self, state: MatchState, reading: Reading) -> bool:
        """After the call."""
        return state.phase is Phase.CHECKING

    def judges(self, state: MatchState, reading: Reading) -> bool:
        """After the call, as often as people want."""
        return state.phase in (Phase.CHECKING, Phase.VERDICT)

    def refuses(self, state: MatchState, reading: Reading) -> str:
        """While the race runs nothing is judged."""
        return CALL_FIRST if state.phase is Phase.RACING else ""

    def waits_for(self, state: MatchState, reading: Reading) -> str:
        """Nothing: who called is told with the race still running, and the rows are judged as they lie after it."""
        return ""

    def known(self, state: MatchState, reading: Reading) -> Reading:
        """Each table of Rox stands for itself."""
        return reading

    def command(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """The table is judged."""
        return RecordTable(at, table, evidence)

    def accept(self, state: MatchState, table: TableState, at: str, evidence: str) -> Command:
        """Rows are always judged."""
        raise RefereeError("In Rox the table is judged, not taken as it lies.")


class RoxDisplay:
    """Rox behind the `playing.Display` protocol."""

    def show(self, current: Current | None, reading: Reading | None, deck: Deck) -> Shown:
        """The match, the outlines, and the scoring cards that lie there."""
        state = current.state if current else None
        deck = (state.deck if state else None) or deck
        if not isinstance(deck, RoxDeck):
            return Shown(current, current.seq if current else 0, reading)
        table = reading.table if reading else None
        seats = tuple(p.seat for p in state.players) if state else None
        return Shown(
            current,
            current.seq if current else 0,
            reading,
            match=view_rox(current.record, current.state, current.seq) if current else None,
            cards=look_at(reading.table, reading.quads, deck, seats) if reading else (),
            scoring=seen_scoring(table, deck, state) if table else (),
            phase=state.phase if state else None,
            hidden=bool(reading and state and rows_hidden(reading.table, reading.unseen, state)),
            astray=bool(state and out_of_step(state, table)),
        )

    def word(self, shown: Shown, sight: Sight, still: str) -> tuple[str, str]:
        """The step of the round goes before the state of the picture."""
        if shown.astray:
            return "out-of-step", "scoring"
        if shown.phase is Phase.VERDICT:
            return "verdict", ""
        if shown.phase is Phase.CHECKING:
            return "checking", sight.hint or ("hands" if sight.word == "moving" or shown.hidden else "")
        return sight.word, sight.hint or still


ROX_PLAYING = Playing(RoxRecording(), RoxDisplay())
