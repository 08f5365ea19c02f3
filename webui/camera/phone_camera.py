"""Which phone is the table's camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

AWAY_S = 5.0
"""A phone that sent nothing for so long has left its place to any other."""


@dataclass(slots=True)
class PhoneCamera:
    """One phone at a time is the camera: who started last.

    Parameters
    ----------
    push
        Takes an encoded picture; raises RefereeError where it is none.
    clock
        Seconds, monotonic.
    """

    push: Callable[[bytes], None]
    clock: Callable[[], float] = time.monotonic
    _holder: str = ""
    _sent_away: str = ""
    _seen_s: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def may(self, sender: str, *, start: bool) -> bool:
        """Whether a picture of that sender would be taken now, so that another one's need not even be read."""
        if self.was_sent_away(sender) and not start:
            return False
        return sender == self._holder or start or self.clock() - self._seen_s >= AWAY_S

    def was_sent_away(self, sender: str) -> bool:
        """Whether another camera took that sender's place, and nobody tapped there since."""
        return bool(sender) and sender == self._sent_away

    def send_away(self) -> None:
        """Another camera is chosen: the phone that is the camera now is none until somebody taps there again."""
        with self._lock:
            self._sent_away, self._holder, self._seen_s = self._holder, "", float("-inf")

    def take(self, sender: str, data: bytes, *, start: bool) -> bool:
        """Hand over a picture; False where another phone is the camera.

        Parameters
        ----------
        sender
            Name of the page that sends, new each time it is opened.
        data
            The encoded picture.
        start
            Whether somebody just tapped there: then it takes the place of any other.

        Raises
        ------
        RefereeError
            Where `data` is no picture.
        """
        # One picture at a time: many senders at once fill no memory.
        with self._lock:
            if not self.may(sender, start=start):
                return False
            self.push(data)  # whoever sends no picture takes nobody's place
            self._holder, self._seen_s, self._sent_away = sender, self.clock(), ""
        return True
