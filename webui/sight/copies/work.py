"""A reading of a copy's photographs that goes on in a thread."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field


class StoppedError(Exception):
    """Reading is not wanted any more."""


@dataclass(slots=True)
class Work:
    """A reading that goes on."""

    end: threading.Event = field(default_factory=threading.Event)
    step: int = 0
    steps: int = 1
    again: bool = False
    thread: threading.Thread | None = None
