"""Where frames come from: a camera, a recording, a stream, a folder of pictures, or a phone's browser.

A recording is read frame by frame and nothing is dropped. Whatever is live is read by a thread of its own that
keeps only the newest frame, so that a slow look at one frame never makes the next one stale.
"""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2

from scoring.errors import RefereeError
from vision.sources.devices import next_picture, open_camera, open_device, open_stream
from vision.sources.photos import PICTURE_SUFFIXES, load_bytes, load_photo
from vision.types import Frame, Rgb

PUSHED_PIXELS_MAX = 24_000_000
"""A frame of a moving picture is no larger; more is made to fill the memory."""
PUSHED = "push"
"""The address of a source whose frames are pushed, as by the page on a phone."""

_STREAM = re.compile(r"^(https?|rtsps?|rtmp)://", re.IGNORECASE)
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 5.0


class SourceError(RefereeError):
    """A source that cannot be used at all; the message names it and the mend in one line."""


class SourceState(StrEnum):
    """How a source is doing."""

    CONNECTED = "connected"
    LOST = "lost"
    ENDED = "ended"


class Source(ABC):
    """Frames, one after the other.

    Attributes
    ----------
    name
        What the user called it.
    live
        True where time passes whether a frame is read or not.
    stills
        True where every frame is a picture taken for itself, not one of a moving picture.
    """

    live = False
    stills = False

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    @abstractmethod
    def state(self) -> SourceState: ...

    @property
    def dropped(self) -> int:
        """How many frames came and were never read."""
        return 0

    @abstractmethod
    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame, upright and RGB; None where none came in time: `state` says why."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the device; the state is then `ENDED`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def open_source(spec: str | int, *, realtime: bool = False) -> Source:
    """Open a source of frames.

    Parameters
    ----------
    spec
        Camera number, video file, picture, folder of pictures, http(s)/rtsp address, or `PUSHED`.
    realtime
        Play a recording or a folder as a camera would: in its own time, dropping what was not read.

    Raises
    ------
    SourceError
        Where `spec` names nothing that could be opened. A camera or a stream that is away is no error but `LOST`:
        it may come.
    """
    name = str(spec).strip()
    if name == PUSHED:
        return PushedSource()
    if name.isascii() and name.isdigit():
        return LiveSource(name, lambda: open_camera(int(name)))
    if _STREAM.match(name):
        return LiveSource(name, lambda: open_stream(name), snapshots=name.lower().startswith("http"))
    path = Path(name)
    if path.is_char_device():
        return LiveSource(name, lambda: open_device(name))
    if path.is_dir():
        pictures = _pictures(path)
        if not pictures:
            raise SourceError(f"{path}: no pictures in this folder; put photos (JPEG, PNG, HEIC) into it")
        return FolderSource(name, pictures)
    if not path.exists():
        raise SourceError(
            f"{name}: no such source; give a camera number (0), a video file, a folder of pictures "
            "or an http://, https:// or rtsp:// address"
        )
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return FolderSource(name, [path])
    file = FileSource(name)
    return PacedSource(file) if realtime else file


class FileSource(Source):
    """A recording, read frame by frame; `at_s` is the time in the recording."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._capture = cv2.VideoCapture(name)
        if not self._capture.isOpened():
            raise SourceError(f"{name}: cannot be read as a video; give an MP4, MOV, AVI or MKV file")
        fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._period_s = 1.0 / fps if 0.1 < fps < 1000 else 1.0 / 25
        total = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self.frames: int | None = total if total > 0 else None
        self._index = 0
        self._last_s = -1.0
        self._ended = False

    @property
    def state(self) -> SourceState:
        return SourceState.ENDED if self._ended else SourceState.CONNECTED

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        if self._ended:
            return None
        rgb = next_picture(self._capture)
        if rgb is None:
            if self._index == 0:
                self.close()
                raise SourceError(f"{self.name}: the video holds no frame that can be read; record or copy it again")
            self.close()
            return None
        # Phones record with a varying rate: the file's own time stamps are true, where it has any.
        at_s = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        if at_s <= self._last_s:
            at_s = self._index * self._period_s if self._index == 0 else self._last_s + self._period_s
        frame = Frame(rgb, at_s, self._index, self.name)
        self._index += 1
        self._last_s = at_s
        return frame

    def close(self) -> None:
        self._ended = True
        self._capture.release()


class FolderSource(Source):
    """Pictures in the order of their names; a second apart."""

    stills = True

    def __init__(self, name: str, pictures: list[Path]) -> None:
        super().__init__(name)
        self._pictures = pictures
        self.frames: int | None = len(pictures)
        self._index = 0
        self._ended = False

    @property
    def state(self) -> SourceState:
        return SourceState.ENDED if self._ended else SourceState.CONNECTED

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next picture.

        Raises
        ------
        PhotoError
            Where it cannot be read; the next call goes on behind it.
        """
        if self._ended or self._index == len(self._pictures):
            self._ended = True
            return None
        index = self._index
        self._index += 1
        return Frame(load_photo(self._pictures[index]), float(index), index, str(self._pictures[index]))

    def close(self) -> None:
        self._ended = True


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

    def push(self, data: bytes) -> None:
        """Hand over one encoded picture.

        Raises
        ------
        PhotoError
            Where it cannot be decoded; the source goes on.
        """
        rgb = load_bytes(data, "pushed frame", PUSHED_PIXELS_MAX)
        self._pushed_s = time.monotonic()
        self._offer(rgb)


def _pictures(folder: Path) -> list[Path]:
    """The pictures of a folder as people count: 2.jpg before 10.jpg."""

    def order(path: Path) -> list[tuple[bool, int, str]]:
        parts = re.findall(r"\d+|\D+", path.name.lower())
        return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]

    found = [p for p in folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and not p.name.startswith(".")]
    return sorted(found, key=order)
