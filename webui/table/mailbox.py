"""What is handed over to the runner's thread: requests that wait for an answer, and the newest frame."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future

from webui.table.picture import Frame
from webui.table.requests import Outcome, Reply, Request

WAITING_MAX = 64
"""Requests that may wait; more are turned away instead of filling the memory."""

Letter = tuple[Request, Future[Reply]]


class Mailbox:
    """Any thread may put something in; one takes everything out."""

    def __init__(self) -> None:
        self._bell = threading.Condition()
        self._letters: deque[Letter] = deque()
        self._frame: Frame | None = None
        self._closed = threading.Event()

    @property
    def closed(self) -> bool:
        """Whether nothing is taken in any more."""
        return self._closed.is_set()

    def submit(self, request: Request, timeout_s: float) -> Reply:
        """Hand over a request and wait for its outcome."""
        answer: Future[Reply] = Future()
        with self._bell:
            if len(self._letters) >= WAITING_MAX or self.closed:
                return Reply(Outcome.BUSY)
            self._letters.append((request, answer))
            self._bell.notify_all()
        try:
            return answer.result(timeout_s)
        except TimeoutError:
            # Taken back, so that "nothing was changed" is true; what has begun is waited for.
            return Reply(Outcome.BUSY) if answer.cancel() else answer.result()

    def offer(self, frame: Frame) -> None:
        """Make `frame` the newest."""
        with self._bell:
            self._frame = frame
            self._bell.notify_all()

    def take(self, timeout_s: float) -> tuple[list[Letter], Frame | None]:
        """All that waits, as soon as anything does, at the latest when the time is over."""
        with self._bell:
            self._bell.wait_for(lambda: bool(self._letters) or self._frame is not None or self.closed, timeout_s)
            letters = list(self._letters)
            self._letters.clear()
            frame, self._frame = self._frame, None
        return letters, frame

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end."""
        self._closed.wait(seconds)

    def close(self) -> None:
        """Take in nothing more; whoever waits for something to come is woken."""
        self._closed.set()
        with self._bell:
            self._bell.notify_all()

    def turn_away(self) -> None:
        """Answer what nobody will carry out any more."""
        while self._letters:
            answer = self._letters.popleft()[1]
            if answer.set_running_or_notify_cancel():
                answer.set_result(Reply(Outcome.BUSY))
