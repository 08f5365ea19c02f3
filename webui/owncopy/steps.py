"""The steps in which a copy is learned: which there are, how far each is, and which one is next."""

from __future__ import annotations

import math
from dataclasses import dataclass

from webui.owncopy.copying import COPY_PROBLEMS
from webui.owncopy.naming import is_nameless, tap
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.owncopy.words import kind_word
from webui.services import words
from webui.texts import mark

HOW_TO_LAY = {
    "rox": mark("Photograph all cards and scoring cards from above, laid as the pictures show."),
    "conex": mark("Photograph all cards from above, laid as the pictures show, and the board with its stars."),
    "cactus": mark("Photograph all pieces and cacti from above, laid on white paper as the pictures show."),
}
"""What is laid before the camera, for each game."""
TO_READ = mark("Add more photos, or read them when all are here.")
TO_MEASURE = mark("With the heights that were stated the photos must be read once more; all answers stay.")
BEING_READ = mark("The photos are being read. You may leave this page; it goes on.")
BEING_MEASURED = mark("With what you measured the cacti's outlines are measured anew. It goes on here by itself.")
BEHIND = mark("“%(name)s” is read first, then these photos. You may leave this page; it goes on.")
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Step:
    """A step: its key, its title, how far it is in the reader's words, whether it is done, whether it can be taken."""

    key: str
    title: str
    state: str
    done: bool
    ready: bool


def steps_of(one: OwnCopy) -> tuple[Step, ...]:
    """All steps in their order."""
    t, readable, read = words(), is_readable(one), one.stage is CopyStage.READ
    photos, unnamed, asked = len(one.photos), names_left(one), one.questions
    named = (readable and not unnamed) or one.measuring
    taken = t.ngettext("%(num)d photo", "%(num)d photos", photos) % {"num": photos}
    wanted = t.ngettext("%(num)d to be named", "%(num)d to be named", unnamed) % {"num": unnamed}
    given = ", ".join(kind_word(k.name) for k in one.kinds if k.name) if readable else ""
    asks = t.ngettext("%(num)d question left", "%(num)d questions left", asked) % {"num": asked}
    told = t.gettext(mark("being measured")) if one.measuring else asks if asked else ""
    saved = t.gettext(mark("saved")) if one.saved else ""
    return (
        Step("photos", t.gettext(mark("Photos")), taken if photos else "", read or one.measuring, True),
        Step("names", t.gettext(mark("Names")), wanted if unnamed and readable else given, named, readable),
        Step("questions", t.gettext(mark("Questions")), told, named and not (asked or one.measuring), named),
        Step("save", t.gettext(mark("Save and play")), saved, read and one.saved, read),
    )


def next_of(steps: tuple[Step, ...]) -> str:
    """The key of the step that is next: the first that is not done, else the last."""
    return next((s.key for s in steps if not s.done), steps[-1].key)


def is_readable(one: OwnCopy) -> bool:
    """Whether there is anything to be named and asked about."""
    return one.stage in (CopyStage.READ, CopyStage.UNREAD) and bool(one.parts)


def names_left(one: OwnCopy) -> int:
    """How many times a person is asked for names."""
    to_tap = tap(one)
    # the last name is the one that is left over, and all other words are given on one page
    return max(1, len(to_tap["kinds"]) - 1) if to_tap else int(is_nameless(one))


def left(one: OwnCopy) -> int:
    """How much a person is still asked: taps for names, questions, and what there is too much of."""
    return names_left(one) + one.questions + sum(max(0, c.found - c.wanted) for c in one.counts)


def tell(one: OwnCopy) -> dict[str, object]:
    """How far a copy is, in the reader's words."""
    sentence = {
        CopyStage.EMPTY: HOW_TO_LAY[one.game],
        CopyStage.UNREAD: TO_MEASURE if one.to_measure else TO_READ,
        CopyStage.READING: BEHIND if one.behind else BEING_MEASURED if one.measuring else BEING_READ,
        CopyStage.FAILED: COPY_PROBLEMS.get(one.problem, COPY_PROBLEMS["error"]),
        CopyStage.READ: mark("All photos are read."),
    }[one.stage]
    return {
        "stage": str(one.stage),
        "running": one.stage is CopyStage.READING,
        "done": round(one.done, 3),
        "left": "" if one.left_s is None else left_words(one.left_s),
        "sentence": words().gettext(sentence) % {"name": one.behind},
        "found": {photo: found_words(count) for photo, count in one.on_photo.items()},
    }


def found_words(count: int) -> str:
    """How much lies on a photo."""
    return words().ngettext("%(num)d found", "%(num)d found", count) % {"num": count}


def left_words(seconds: float) -> str:
    """How long something still takes, about, in the reader's words."""
    t = words()
    if seconds > _MINUTE_S:
        minutes = math.ceil(seconds / _MINUTE_S)
        return t.ngettext("about %(num)d minute left", "about %(num)d minutes left", minutes) % {"num": minutes}
    tens = math.ceil(seconds / 10) * 10
    return t.gettext(mark("about %(n)d seconds left")) % {"n": tens} if tens > 10 else t.gettext(mark("nearly done"))
