"""What the runner asks of the eye and of the camera. Both are injected, so the page needs no word of vision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from scoring.table import Point, TableState
from webui.shown.snapshot import Quad
from webui.table.picture import Frame


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A settled picture understood.

    Parameters
    ----------
    table
        What lies where, in mm.
    quads
        Corners of each placement in pixels of the picture, by key.
    size
        Width and height of the picture.
    frame
        The picture itself.
    final
        Whether a further look would not change it: good enough to be judged.
    unseen
        Keys of pieces that are remembered and not seen now, for instance under a hand.
    area
        Outline of the agreed playing area in pixels of the picture, or empty.
    project
        Points in mm of `table` to pixels of the picture, or None where that is not known.
    alone
        Whether the picture was read for itself: what lies hidden in it, it does not know.
    outlines
        Outlines in pixels of pieces that are no rectangles, by key.
    """

    table: TableState
    quads: Mapping[str, Quad]
    size: tuple[int, int]
    frame: Frame
    final: bool = True
    unseen: frozenset[str] = frozenset()
    area: tuple[Point, ...] = ()
    project: Callable[[Sequence[Point]], list[Point]] | None = None
    alone: bool = False
    outlines: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What the eye makes of one frame.

    Parameters
    ----------
    word
        ``looking``, ``moving`` or ``settled``.
    hint
        What is wrong with the picture, or empty; a key of `webui.texts.HINTS`.
    reading
        The table, where it lies still and was read; holds as long as nothing moves.
    doubt
        How the table contradicts the calibration of the camera, or empty; a key of `webui.texts.HINTS`.
    """

    word: str
    hint: str = ""
    reading: Reading | None = None
    doubt: str = ""


class Eye(Protocol):
    """All seeing, injected. Every method runs in the runner's thread, save where it says otherwise."""

    def look(self, frame: Frame) -> Sight:
        """The next frame of a moving picture."""
        ...

    def read(self, frame: Frame) -> Sight:
        """A picture taken for itself, read whatever moved before."""
        ...

    def second(self, frame: Frame) -> Sight:
        """The picture that was read last, with what this one of the same table from another place settles of it."""
        ...

    def open(self, data: bytes) -> Frame:
        """Decode a photo; raises RefereeError where it is none or too large."""
        ...

    def encode(self, frame: Frame) -> bytes:
        """A JPEG for the live view. For any thread."""
        ...

    def evidence(self, frame: Frame) -> bytes:
        """A JPEG good enough to settle a quarrel."""
        ...

    def reset(self) -> None:
        """Forget the past: the source was lost or changed."""
        ...

    def take_up(self, look: object) -> None:
        """Another deck is played with: `look` is what `webui.decks.here.OpenDeck` says of it. The past is forgotten."""
        ...

    def agree(self, area: tuple[Point, ...]) -> None:
        """From now on this is the playing area, in pixels of the pictures of now; empty: the whole picture."""
        ...

    def size(self, frame: Frame) -> tuple[int, int]:
        """Width and height of a picture in pixels. For any thread."""
        ...

    def camera(self, frame: Frame) -> str:
        """The lasting name of the camera that gave a picture. For any thread."""
        ...

    def propose_area(self, frame: Frame) -> tuple[Point, ...]:
        """The table's edge in pixels, where it is found, as a playing area to be confirmed; else empty.

        For any thread.
        """
        ...


class Source(Protocol):
    """Where frames come from; see `vision.sources.sources`."""

    @property
    def state(self) -> str:
        """``connected``, ``lost`` or ``ended``."""
        ...

    @property
    def dropped(self) -> int:
        """Frames that came and were never read."""
        ...

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame, or None where none came in time."""
        ...

    def close(self) -> None:
        """Let go of the device."""
        ...
