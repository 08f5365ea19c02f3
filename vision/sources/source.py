"""What every source of frames can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from types import TracebackType
from typing import Self

from scoring.errors import RefereeError
from vision.types import Frame


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
    fault
        Why it ended before its end, in a sentence with the mend; empty where nothing is known to be missing.
    """

    live = False
    stills = False
    fault = ""

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
