"""Sources in which time passes whether a frame is read or not: a thread of their own keeps the newest frame only.

So a slow look at one frame never makes the next one stale.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import cv2

from vision.sources.devices import next_picture
from vision.sources.photos import PhotoError, load_bytes
from vision.sources.recorded import FileSource
from vision.sources.source import Source, SourceError, SourceState
from vision.types import Frame, Rgb

PUSHED_PIXELS_MAX = 24_000_000
"""A frame of a moving picture is no larger; more is made to fill the memory."""
PUSHED_SIDE_LEAST_PX, PUSHED_LONG_MAX = 32, 4.0
"""A frame with a shorter side, or so many times as long as wide, is none of a camera."""
PUSHED = "push"
"""The address of a source whose frames are pushed, as by the page on a phone."""

_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 5.0


class _Newest(Source):
    """What the live sources share: a place for the newest frame, guarded."""

    live = True

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._changed = threading.Condition()
        self._frame: Frame | None = None
        self._count = 0
        self._dropped = 0
        self._state = SourceState.LOST
        self._opened_s = time.monotonic()

    @property
    def state(self) -> SourceState:
        with self._changed:
            return self._state

    @property
    def dropped(self) -> int:
        with self._changed:
            return self._dropped

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        with self._changed:
            before = self._state
            self._changed.wait_for(lambda: self._frame is not None or self._state != before, timeout_s)
            frame, self._frame = self._frame, None
            return frame

    def _offer(self, rgb: Rgb, at_s: float | None = None) -> None:
        if at_s is None:
            at_s = time.monotonic() - self._opened_s
        with self._changed:
            if self._state is SourceState.ENDED:
                return
            self._state = SourceState.CONNECTED
            self._dropped += self._frame is not None
            self._frame = Frame(rgb, at_s, self._count, self.name)
            self._count += 1
            self._changed.notify_all()

    def _become(self, state: SourceState) -> None:
        with self._changed:
            if self._state is not SourceState.ENDED and self._state is not state:
                self._state = state
                self._changed.notify_all()

    def close(self) -> None:
        self._become(SourceState.ENDED)
        with self._changed:
            self._frame = None


class LiveSource(_Newest):
    """A camera or a stream, read by a thread; where it goes away it is tried again until it comes back.

    Parameters
    ----------
    name
        What the user called it.
    connect
        Opens the device; a capture that is not opened where it is away.
    snapshots
        True where an address may give a single picture a time, as many network cameras do; such an address is asked
        again at once.
    """

    def __init__(self, name: str, connect: Callable[[], cv2.VideoCapture], *, snapshots: bool = False) -> None:
        super().__init__(name)
        self._connect = connect
        self._snapshots = snapshots
        self._stop = threading.Event()
        # A daemon: a driver that hangs in a read must not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name=f"camera {name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._stop.is_set():
            capture = self._connect()
            frames = 0
            while not self._stop.is_set():
                rgb = next_picture(capture) if capture.isOpened() else None
                if rgb is None:
                    break
                frames += 1
                pause_s = _FIRST_PAUSE_S
                self._offer(rgb)
            capture.release()
            if not (self._snapshots and frames == 1):
                self._become(SourceState.LOST)
            self._stop.wait(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S) if frames == 0 else _FIRST_PAUSE_S

    def close(self) -> None:
        super().close()
        self._stop.set()
        self._thread.join(timeout=2.0)


class PacedSource(_Newest):
    """A recording played as a camera would give it."""

    def __init__(self, file: FileSource) -> None:
        super().__init__(file.name)
        self._file = file
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"play {file.name}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        start_s = time.monotonic()
        try:
            while (frame := self._file.read()) is not None:
                if self._stop.wait(max(0.0, start_s + frame.at_s - time.monotonic())):
                    break
                self._offer(frame.rgb, frame.at_s)
        except SourceError:
            pass  # no frame at all: it ends at once
        self.fault = self._file.fault
        self._file.close()
        self._become(SourceState.ENDED)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2.0)
        super().close()


class PushedSource(_Newest):
    """Frames that somebody else sends, as a phone's browser does; lost where none came for a while."""

    def __init__(self, name: str = PUSHED, *, patience_s: float = 5.0) -> None:
        super().__init__(name)
        self._patience_s = patience_s
        self._pushed_s = float("-inf")

    @property
    def state(self) -> SourceState:
        with self._changed:
            late = time.monotonic() - self._pushed_s > self._patience_s
            return SourceState.LOST if late and self._state is SourceState.CONNECTED else self._state

    def rest(self) -> None:
        """Count as lost until the next picture is pushed."""
        self._pushed_s = float("-inf")
        with self._changed:
            self._frame = None

    def push(self, data: bytes) -> None:
        """Hand over one encoded picture.

        Raises
        ------
        PhotoError
            Where it cannot be decoded, or has a size that no camera gives; the source goes on.
        """
        rgb = load_bytes(data, "pushed frame", PUSHED_PIXELS_MAX)
        short, long = sorted(rgb.shape[:2])
        if short < PUSHED_SIDE_LEAST_PX or long > PUSHED_LONG_MAX * short:
            raise PhotoError(f"pushed frame: {rgb.shape[1]} x {rgb.shape[0]} pixels are no picture of a camera")
        self._pushed_s = time.monotonic()
        self._offer(rgb)
