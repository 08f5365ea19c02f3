"""Recordings and folders of pictures: read frame by frame, and nothing is dropped."""

from __future__ import annotations

from pathlib import Path

import cv2

from vision.sources.devices import next_picture
from vision.sources.photos import load_photo
from vision.sources.source import Source, SourceError, SourceState
from vision.types import Frame

_MISSING_S = 1.0
"""So much may be missing at the end of a recording before it is told."""


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
            self.fault = self._missing()
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

    def _missing(self) -> str:
        """What a recording that gives no further frame still owes; empty where that is nothing worth a word.

        By frames and by time: files without an index only estimate the one, and a varying rate blurs the other.
        """
        if self.frames is None or self._index >= self.frames:
            return ""
        whole_s, read_s = self.frames * self._period_s, self._last_s + self._period_s
        if whole_s - read_s < _MISSING_S:
            return ""
        return f"only {read_s:.1f} of {whole_s:.1f} s can be read; copy or convert it again"

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
