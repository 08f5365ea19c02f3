"""What is asked of a copy next: of which parts, and in which way. The template only draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from webui.owncopy.own_copy import CopyPart, OwnCopy, Sheet

AT_ONCE = 6
"""So many faces or pieces are asked about on one page."""
RULED = ("length_mm", "height_mm", "base", "thickness_mm")
"""Fields that no photo tells: somebody measures them with a ruler."""
OF_ALL = ("base", "thickness_mm")
"""Those of them that are the same for the whole set, whichever cactus they are asked of."""
CHOSEN = ("center", "color", "symbol", "shape")
"""Fields that one tap tells."""
NEVER_EMPTY = ("symbol", "shape")
"""Fields that say something where they are empty, too: no sign, no basic shape."""


class PageSort(StrEnum):
    """How a page of questions asks."""

    NONE = "none"
    SIGNS = "signs"
    CHOICE = "choice"
    PARTS = "parts"
    RULER = "ruler"
    VALUES = "values"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one part.

    Parameters
    ----------
    part
        Of which.
    fields
        Which of its fields.
    """

    part: CopyPart
    fields: tuple[str, ...]

    @property
    def told(self) -> bool:
        """Whether all of it was read as something, so that it is confirmed as it is shown; else it must be stated."""
        return self.part.group != "board" and all(is_told(self.part, field) for field in self.fields)

    @property
    def of_all(self) -> bool:
        """Whether it is no question about this part: what is asked is the same for the whole set."""
        return all(field in OF_ALL for field in self.fields)


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """The questions that are asked at once.

    Parameters
    ----------
    sort
        How they are asked.
    asked
        Of which parts; none where nothing is asked or `sheets` are shown.
    sheets
        Doubtful symbols and stones of many cards.
    """

    sort: PageSort
    asked: tuple[Question, ...] = ()
    sheets: tuple[Sheet, ...] = ()


def next_page(one: OwnCopy) -> QuestionPage:
    """What is asked next: what looks alike together, what is uncertain, what is to be measured, what is written."""
    if one.sheets:
        return QuestionPage(PageSort.SIGNS, sheets=one.sheets)
    written = [p for p in one.open if p.group == "scoring"]
    others = [p for p in one.open if p.group != "scoring"]
    doubtful = _of(others, lambda field: field not in RULED)
    measured = _of(others, lambda field: field in RULED)
    if len(others) == 1 and len(doubtful) == 1 and len(others[0].asks) == 1 and others[0].asks[0] in CHOSEN:
        return QuestionPage(PageSort.CHOICE, doubtful)
    if doubtful:
        return QuestionPage(PageSort.PARTS, doubtful[:AT_ONCE])
    if measured:
        # what holds for the whole set is asked by itself, whichever cactus it is noted with
        own, all_ = _of(others, lambda f: f in RULED and f not in OF_ALL), _of(others, lambda f: f in OF_ALL)
        return QuestionPage(PageSort.RULER, own + all_)
    if written:
        return QuestionPage(PageSort.VALUES, _of(written, lambda _: True))
    return QuestionPage(PageSort.NONE)


def is_told(part: CopyPart, field: str) -> bool:
    """Whether a field of a part was read as something that can be shown in words."""
    value = part.fields.get(field)
    if field in RULED:
        return False
    if field == "corners":
        return bool(value) and all(corner["value"] is not None for corner in value or ())
    return field in NEVER_EMPTY or bool(value)


def _of(parts: Sequence[CopyPart], is_wanted: Callable[[str], bool]) -> tuple[Question, ...]:
    """The questions about these parts, of the fields that are wanted."""
    asked = [Question(p, tuple(field for field in p.asks if is_wanted(field))) for p in parts]
    return tuple(question for question in asked if question.fields)
