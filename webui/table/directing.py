"""Carries out the script of a demonstration at a table, in the runner's thread."""

from __future__ import annotations

from collections.abc import Callable

from scoring.commands import CreateMatch
from scoring.errors import RefereeError
from scoring.play import Phase
from webui.log.store import now
from webui.table.desk import Desk, ruling_of
from webui.table.director import Director, TakeNow
from webui.table.judging import Judging
from webui.table.requests import Begin, Do, Outcome, Reply, TakeTable


class Directing:
    """See the module.

    Parameters
    ----------
    director
        Says what is due.
    desk
        The match at this table.
    judging
        Makes records of pictures.
    carry_out
        Carries out the command of a match.
    """

    def __init__(self, director: Director, desk: Desk, judging: Judging, carry_out: Callable[[Do], Reply]) -> None:
        self.pace = director.pace
        self._director = director
        self._desk = desk
        self._judging = judging
        self._carry_out = carry_out
        self._demo = ""

    def at(self, at_s: float) -> None:
        """The frame of that time was looked at: what is due is done, and the recording may go on."""
        self._do_due(at_s)
        self.pace.seen_s = at_s

    def stop(self) -> None:
        """The recording stands still for good."""
        self.pace.frozen, self.pace.behind, self.pace.seen_s = True, False, None

    def _do_due(self, at_s: float) -> None:
        state = self._desk.current.state if self._desk.current is not None else None
        judged = state is not None and state.phase is Phase.VERDICT
        command = self._director.due(at_s, now(), judged, ruling_of(state) if state is not None else None)
        if command is None:
            return
        try:
            current = self._desk.current
            if isinstance(command, CreateMatch):
                reply = self._desk.begin(Begin("Demo", command))
                # Each turn of the recording is the same match: it takes the place of the one before.
                self._desk.drop(self._demo)
                self._demo = reply.match
            elif current is None:
                return
            elif isinstance(command, TakeNow):
                if self._judging.sight.reading is None:
                    return
                reply = self._judging.take(TakeTable(current.record.id, current.seq, sure=True), lost=False)
            else:
                reply = self._carry_out(Do(current.record.id, current.seq, (command,)))
        except RefereeError:
            return  # too early: the match waits for the picture; tried again with the next frame
        if reply.outcome is Outcome.DONE:
            self._director.done()
