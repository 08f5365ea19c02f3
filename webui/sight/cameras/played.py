"""A recording or a folder of pictures, shown in its own time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from vision.sources.source import Source, SourceState
from vision.types import Frame
from webui.table.director import Pace


class Played(Source):
    """A recording or a folder shown in its own time; behind its end its last picture stays, or it begins anew.

    Parameters
    ----------
    reopen
        Opens the recording; called again for each turn.
    period_s
        Time from one beginning to the next, at least as long as the recording; None plays it once.
    pace
        While it says that the director is behind, the recording shows its picture of now and waits. Once it says that
        the recording stands still for good, it has ended.
    clock
        Seconds, monotonic.
    """

    REST_S = 0.2
    LATE_S = 0.5

    def __init__(
        self,
        reopen: Callable[[], Source],
        *,
        period_s: float | None = None,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._reopen = reopen
        self._period_s = period_s
        self._pace = pace or Pace()
        self._clock = clock
        self._inner = reopen()
        super().__init__(self._inner.name)
        self.stills = self._inner.stills
        self._begun_s = clock()
        self._turn = 0
        self._skipped = 0
        self._last: Frame | None = None
        self._from = 0
        self.place = -1
        self._stop = threading.Event()

    @property
    def state(self) -> SourceState:
        """Ended when it was closed, and behind the last of several stills; a recording's last picture stays."""
        over = self._pace.frozen or (self.stills and self._inner.state is SourceState.ENDED)
        return SourceState.ENDED if over or self._stop.is_set() else SourceState.CONNECTED

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame when its time has come."""
        while self._last is not None and self._pace.ahead(self._last.at_s) and not self._stop.wait(0.02):
            pass
        if self._pace.frozen:
            return None
        if self._last is not None and self._pace.behind:
            self._stop.wait(self.REST_S)
            self._pace.held_s += self.REST_S
            self._last = replace(self._last, at_s=self._last.at_s + self.REST_S, index=self._last.index + 1)
            self._skipped += 1
            return None if self._stop.is_set() else self._last
        frame = self._next(timeout_s)
        if frame is not None:
            at_s = frame.at_s + self._turn * (self._period_s or 0.0) + self._pace.held_s
            frame = replace(frame, at_s=at_s, index=frame.index + self._skipped)
        elif self._last is None or self.stills:
            self._stop.wait(timeout_s)
            return None
        elif self._period_s is not None and self._last.at_s + self.REST_S >= self._next_turn_s():
            self._inner.close()
            self._inner = self._reopen()
            self._turn += 1
            self._skipped = 0
            return self.read(timeout_s)
        else:
            frame = replace(self._last, at_s=self._last.at_s + self.REST_S, index=self._last.index + 1)
        early_s = self._begun_s + frame.at_s - self._clock()
        if early_s < -self.LATE_S:
            # What a slow computer was late is not made up for: the rest would rush by.
            self._begun_s -= early_s
        self._stop.wait(max(0.0, early_s))
        self._last = frame
        return None if self._stop.is_set() else frame

    def skip_to(self, index: int) -> None:
        """Begin with the picture of that number; where there are fewer, with the last one. Before the first `read`."""
        self._from = index

    def _next(self, timeout_s: float) -> Frame | None:
        frame = self._inner.read(timeout_s)
        if frame is None:
            return None
        if frame.index < self._from:
            while frame.index < self._from and (later := self._inner.read(timeout_s)) is not None:
                frame = later
            self._begun_s = self._clock() - frame.at_s
            self._from = 0
        self.place = frame.index
        return frame

    def _next_turn_s(self) -> float:
        return (self._turn + 1) * (self._period_s or 0.0) + self._pace.held_s

    def close(self) -> None:
        """Stop."""
        self._stop.set()
        self._inner.close()
