"""What the page shows, as one immutable value: the runner publishes it, Flask's threads read it.

Numbers, ids and calls only; the words come from `webui.texts` when a page is rendered. `/api/snapshot` gives the same
value as JSON (`as_json`); a field is only ever added, never renamed.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from scoring.table import Point
from webui.cactus.snapshot import LiveCactus
from webui.conex.snapshot import LiveConex
from webui.rox.snapshot import ScoringView
from webui.shown.head import Head

Quad = tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class CameraView:
    """How the source of pictures is doing.

    Parameters
    ----------
    state
        ``connected``, ``lost``, ``ended``, or ``none`` where only photos are judged.
    dropped
        Frames that came and were never looked at; a high number only says that the computer is slow.
    live
        Whether it gives the picture that is shown now; a photo that was sent is none of its pictures.
    """

    state: str
    dropped: int = 0
    live: bool = False


@dataclass(frozen=True, slots=True)
class CardSeen:
    """An outline over the live picture.

    Parameters
    ----------
    quad
        Corners in pixels: printed top-left, top-right, bottom-right, bottom-left.
    kind
        ``row``, ``pool``, ``scoring``, ``back`` or ``unknown``.
    face
        Face id, or None.
    center
        Element at the centre of an element card.
    value
        Points on a scoring card.
    confidence
        Probability that the face is right.
    sure
        Whether the referee would rely on the reading.
    """

    quad: Quad
    kind: str
    face: str | None
    center: str | None = None
    value: int | None = None
    confidence: float = 0.0
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the page shows at one moment.

    Parameters
    ----------
    state
        ``no-camera``, ``looking``, ``moving``, ``settled``, ``checking``, ``verdict``, ``judged``, ``by-hand`` or
        ``out-of-step``.
    hint
        A key of `webui.texts.HINTS`, or empty.
    camera
        The source.
    picture_size
        Width and height in pixels of the picture that `cards` refer to.
    cards
        Outlines; empty while something moves, so that no old outline lies over a new picture.
    match
        The match at this table, or None.
    seen_scoring
        Scoring cards that are read on the table now, highest first.
    demo
        Whether a demonstration plays by itself.
    conex
        The table of CONEX as it lies now, or None.
    cactus
        The cacti as they stand now, or None.
    strangers
        How many cards lie there where none, or hardly one, is of the deck that is played with; else 0.
    version
        Grows with every change.
    """

    state: str
    hint: str
    camera: CameraView
    picture_size: tuple[int, int] | None
    cards: tuple[CardSeen, ...]
    match: Head | None
    seen_scoring: tuple[ScoringView, ...]
    demo: bool = False
    conex: LiveConex | None = None
    cactus: LiveCactus | None = None
    strangers: int = 0
    version: int = 0


class Board:
    """The newest snapshot, for any number of readers who may wait for the next one."""

    def __init__(self, first: Snapshot) -> None:
        self._changed = threading.Condition()
        self._snapshot = first

    def publish(self, snapshot: Snapshot) -> None:
        """Make this the newest, if it says anything new."""
        with self._changed:
            fresh = replace(snapshot, version=self._snapshot.version)
            if fresh != self._snapshot:
                self._snapshot = replace(fresh, version=fresh.version + 1)
                self._changed.notify_all()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        with self._changed:
            return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot:
        """The newest snapshot, as soon as its version is not `after`, at the latest when the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version != after, timeout_s)
            return self._snapshot


def as_json(value: object) -> Any:
    """A snapshot, or any part of it, as plain data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(v) for v in value]
    return value
