"""The newest picture of the camera, encoded once for all who watch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Frame(Protocol):
    """A picture from a source; what is in it concerns only the eye."""

    @property
    def at_s(self) -> float:
        """Seconds since the source was opened."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """A picture as sent to a browser: `number` grows with every frame that the camera gave."""

    number: int
    jpeg: bytes


class LivePicture:
    """Holds the newest frame. One thread shows frames, any number of others look.

    A frame is encoded when the first viewer asks for it, so that nobody watching costs nothing and a hundred watching
    cost one encoding.

    Parameters
    ----------
    encode
        Makes a JPEG of a frame.
    clock
        Seconds, monotonic.
    """

    def __init__(self, encode: Callable[[Frame], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._encode = encode
        self._clock = clock
        self._changed = threading.Condition()
        self._encoding = threading.Lock()
        self._frame: Frame | None = None
        self._number = 0
        self._shown_at = 0.0
        self._encoded: Encoded | None = None
        self._sent = False

    def show(self, frame: Frame, *, sent: bool = False) -> int:
        """Make `frame` the newest; returns its number. `sent` where it is a photo, and no picture of the camera."""
        with self._changed:
            self._frame = frame
            self._sent = sent
            self._number += 1
            self._shown_at = self._clock()
            self._changed.notify_all()
            return self._number

    def empty_of_photo(self) -> bool:
        """Forget the newest frame where it is a photo that was sent; tells whether it was one."""
        with self._changed:
            if not self._sent:
                return False
            self._frame, self._sent = None, False
            self._changed.notify_all()
            return True

    @property
    def number(self) -> int:
        """Number of the newest frame; 0 where there is none."""
        with self._changed:
            return 0 if self._frame is None else self._number

    @property
    def newest(self) -> Frame | None:
        """The newest frame, or None before the first."""
        with self._changed:
            return self._frame

    @property
    def of_camera(self) -> bool:
        """Whether the newest frame is one that the camera gave."""
        with self._changed:
            return self._frame is not None and not self._sent

    @property
    def age_s(self) -> float | None:
        """Seconds since the newest frame came, or None before the first."""
        with self._changed:
            return None if self._frame is None else self._clock() - self._shown_at

    def look(self, after: int = -1, timeout_s: float = 0.0) -> Encoded | None:
        """The newest picture if it is newer than `after`, waiting up to `timeout_s` for one; else None."""
        with self._changed:
            self._changed.wait_for(lambda: self._number > after and self._frame is not None, timeout_s)
            if self._frame is None or self._number <= after:
                return None
        with self._encoding:
            # Whoever waited here finds the work done; the frame is read again, for it may be a newer one by now.
            with self._changed:
                frame, number = self._frame, self._number
            if self._encoded is None or self._encoded.number != number:
                self._encoded = Encoded(number, self._encode(frame))
            return self._encoded
