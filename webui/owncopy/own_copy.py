"""A copy of a game as the page tells it: what was read of it, what is asked, and how far it is."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

TOGETHER_FROM = 3
"""From so many cards on doubtful symbols and stones are shown together, not card by card."""


class CopyStage(StrEnum):
    """How far a copy is."""

    EMPTY = "empty"
    UNREAD = "unread"
    READING = "reading"
    READ = "read"
    FAILED = "failed"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Sign:
    """A doubtful symbol or stone: the number of its picture, the name of the kind that it was read as, and its field.

    `field` is "edge" where it is a symbol round the edge, and "center" where it is the stone.
    """

    number: int
    kind: str
    field: str = "edge"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Doubtful symbols, or stones, that were read as one kind: looked at together, confirmed by one tap."""

    field: str
    kind: str
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class CopyPart:
    """A face or piece as it is known now.

    Parameters
    ----------
    number
        Its place among the parts, from 0: names its picture.
    id
        Its name.
    group
        "faces", "scoring", "pieces", "cacti" or "board".
    fields
        What the deck will say of it.
    asks
        Fields that a person must still confirm.
    seen
        How often it was seen.
    out
        Whether a person said that it is none.
    corrected
        Whether a person said anything of it.
    signs
        Its doubtful symbols and stone, where they are looked at together with those of other parts.
    """

    number: int
    id: str
    group: str
    fields: Mapping[str, Any]
    asks: tuple[str, ...] = ()
    seen: int = 1
    out: bool = False
    corrected: bool = False
    signs: tuple[Sign, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """Symbols, colours or shapes that were found alike.

    Parameters
    ----------
    number
        Its place among the kinds, from 0: names its picture.
    sort
        "elements", "colors" or "shapes".
    key
        What it is called while nobody named it.
    name
        What a person called it, or empty.
    hint
        What it might be called, or empty.
    part
        Number of the part that shows it best, or -1.
    """

    number: int
    sort: str
    key: str
    name: str = ""
    hint: str = ""
    part: int = -1


@dataclass(frozen=True, slots=True)
class Count:
    """How many were found of a group, and how many the game has."""

    group: str
    found: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Twins:
    """Numbers of two parts that look alike, how much (0 to 1), and whether they were read as the very same."""

    a: int
    b: int
    similarity: float
    same: bool


@dataclass(frozen=True, slots=True)
class OwnCopy:
    """A copy as the page tells it.

    Parameters
    ----------
    key
        Names its folder and its address.
    name, game
        What it is called, and of which game it is.
    stage
        How far it is.
    done, left_s
        While it is read: the share that is done, and how many seconds it still takes, None where that is not known.
    steps
        While it is read: how many steps are done, one a photo and then those of `webui.owncopy.steps.READING`.
    behind
        While it waits to be read: the name of the copy that is read first.
    photos
        Names of its photographs, in their order.
    board
        Whether there is a photo of the board.
    problem
        Why reading failed: a key of `COPY_PROBLEMS`; of a damaged copy one of `DAMAGES`.
    parts, kinds, counts, twins
        What was read.
    unplayable
        Why no match can be played with it yet, or empty.
    fault
        Number of the part and the field for which no match can be played with it, where it is one part.
    saved
        Whether the deck folder is there as all is now.
    kept
        Whether a deck folder of it is there, as it was saved once.
    suggested
        Usual names of each sort of kinds.
    on_photo
        How many cards or pieces were found on a photograph, for those that were looked through.
    card_mm
        Width and height of a card.
    undo
        Whether there is a name or statement to be taken back.
    matrices
        How many pictures there are of which parts look alike.
    reading
        Names the reading: with another one the numbers of parts and kinds are others.
    cactus_mm
        Height of the tallest cactus over its base; None where nobody stated it, and sizes are a guess.
    deck
        The name of its deck folder: its key, unless another deck has that name.
    remarks
        What whoever read the photos remarked on, in English.
    measuring
        Whether it is read once more for nothing but sizes that were stated: what was answered stays.
    to_measure
        Whether all photos were read, but not with the heights of cacti that were stated since.
    """

    key: str
    name: str
    game: str
    stage: CopyStage = CopyStage.EMPTY
    done: float = 0.0
    left_s: float | None = None
    steps: int = 0
    behind: str = ""
    photos: tuple[str, ...] = ()
    board: bool = False
    problem: str = ""
    parts: tuple[CopyPart, ...] = ()
    kinds: tuple[Kind, ...] = ()
    counts: tuple[Count, ...] = ()
    twins: tuple[Twins, ...] = ()
    missing: tuple[str, ...] = ()
    unplayable: str = ""
    fault: tuple[int, str] | None = None
    saved: bool = False
    kept: bool = False
    suggested: Mapping[str, Sequence[str]] = field(default_factory=dict)
    on_photo: Mapping[str, int] = field(default_factory=dict)
    card_mm: tuple[float, float] = (59.0, 92.0)
    undo: bool = False
    matrices: int = 0
    reading: str = ""
    cactus_mm: float | None = None
    deck: str = ""
    remarks: tuple[str, ...] = ()
    measuring: bool = False
    to_measure: bool = False

    @property
    def shares(self) -> tuple[tuple[str, int, bool], ...]:
        """How many cards there are of each element or colour, and whether that is odd: not as many as of most."""
        sort, field = ("elements", "center") if self.game == "rox" else ("colors", "color")
        cards = [p.fields.get(field) for p in self.parts if p.group == "faces" and not p.out]
        counts = {name: cards.count(name) for name in self.names(sort)} if cards else {}
        usual = statistics.mode(counts.values()) if counts else 0
        return tuple((name, n, n != usual) for name, n in counts.items())

    @property
    def open(self) -> tuple[CopyPart, ...]:
        """What a person must still confirm."""
        return tuple(p for p in self.parts if p.asks and not p.out)

    @property
    def specials(self) -> tuple[CopyPart, ...]:
        """The pieces of Cactus that have a shape of their own."""
        return tuple(p for p in self.parts if p.group == "pieces" and not p.out and p.fields.get("special"))

    @property
    def sheets(self) -> tuple[Sheet, ...]:
        """The doubtful symbols and stones by the kind they were read as, where one by one tires: on so many cards."""
        own = [p for p in self.parts if p.signs]
        if len(own) < TOGETHER_FROM:
            return ()
        signs = [s for p in own for s in p.signs]
        every = (
            Sheet(field, name, tuple(s for s in signs if (s.field, s.kind) == (field, name)))
            for field in ("center", "edge")
            for name in self.names("elements")
        )
        return tuple(sheet for sheet in every if sheet.signs)

    @property
    def questions(self) -> int:
        """How many questions are open: a sheet of what looks alike is one."""
        sheets = self.sheets
        shown = {p.number: {s.field for s in p.signs} if sheets else set() for p in self.open}
        return len(sheets) + sum(not set(p.asks) <= shown[p.number] for p in self.open)

    def names(self, sort: str) -> tuple[str, ...]:
        """The kinds of a sort by their names."""
        return tuple(k.name or k.key for k in self.kinds if k.sort == sort)
