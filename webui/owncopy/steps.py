"""The steps in which a copy is learned: which there are, how far each is, and which one is next."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
TO_READ = mark(
    "What lies on each photo is only found and counted so far. Add more photos; when all are here, let them be read."
)
TO_MEASURE = mark("With the heights that were stated the photos must be read once more; all answers stay.")
LOOKED_THROUGH = mark("Step 1 of %(all)d: what lies on the photos is looked for; %(n)d of %(photos)d photos are done.")
BEING_READ = mark("Step %(step)d of %(all)d: %(what)s.")
GOES_ON = mark("You may leave this page; it goes on.")
READING: Mapping[str, tuple[str, ...]] = {
    "rox": (
        mark("the stones and all symbols are read and held against each other"),
        mark("the pictures of each card are put together"),
    ),
    "conex": (
        mark("corners and signs of the cards are read"),
        mark("the numbers on the corners are read"),
        mark("the pictures of each card are put together"),
        mark("the board is read"),
    ),
    "cactus": (
        mark("the colours are sorted"),
        mark("the outlines are measured and the shapes sorted"),
        mark("cacti and sizes are measured"),
    ),
}
"""What reading does when all photos are looked through, step by step."""
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
    wanted = _wanted_names(one) if unnamed else ""
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


def _wanted_names(one: OwnCopy) -> str:
    """How many names are asked for, and how many may be given besides."""
    t = words()
    count = names_left(one) if tap(one) else sum(not k.name for k in one.kinds if k.sort != "elements")
    wanted = t.ngettext("%(num)d to be named", "%(num)d to be named", count) % {"num": count}
    more = 0 if tap(one) else sum(not p.fields.get("called") for p in one.specials)
    besides = t.ngettext("%(num)d more if you like", "%(num)d more if you like", more) % {"num": more}
    return f"{wanted}, {besides}" if more else wanted


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
    read = one.stage is CopyStage.READ
    return {
        "stage": str(one.stage),
        "running": one.stage is CopyStage.READING,
        "done": round(one.done, 3),
        "left": "" if one.left_s is None else left_words(one.left_s),
        "sentence": _sentence(one),
        "found": {photo: found_words(count, read=read) for photo, count in one.on_photo.items()},
    }


def _sentence(one: OwnCopy) -> str:
    """What is to be done, or is being done."""
    t = words()
    match one.stage:
        case CopyStage.EMPTY:
            return t.gettext(HOW_TO_LAY[one.game])
        case CopyStage.UNREAD:
            return t.gettext(TO_MEASURE if one.to_measure else TO_READ)
        case CopyStage.READING:
            return _reading(one)
        case CopyStage.FAILED:
            return t.gettext(COPY_PROBLEMS.get(one.problem, COPY_PROBLEMS["error"]))
        case _:
            return t.gettext(mark("All photos are read."))


def _reading(one: OwnCopy) -> str:
    """Which step goes on of how many, or what is waited for."""
    t, later, photos = words(), READING[one.game], len(one.photos)
    if one.behind:
        return t.gettext(BEHIND) % {"name": one.behind}
    if one.measuring:
        return t.gettext(BEING_MEASURED)
    facts: dict[str, object] = {"all": 1 + len(later), "n": one.steps, "photos": photos}
    if one.steps < photos:
        return f"{t.gettext(LOOKED_THROUGH) % facts} {t.gettext(GOES_ON)}"
    at = min(one.steps - photos, len(later) - 1)
    facts |= {"step": 2 + at, "what": t.gettext(later[at])}
    return f"{t.gettext(BEING_READ) % facts} {t.gettext(GOES_ON)}"


def found_words(count: int, *, read: bool) -> str:
    """How much lies on a photo, and whether it is read yet."""
    t = words()
    found = t.ngettext("%(num)d found", "%(num)d found", count) % {"num": count}
    return found if read else t.gettext(mark("%(found)s, not read yet")) % {"found": found}


def left_words(seconds: float) -> str:
    """How long something still takes, about, in the reader's words."""
    t = words()
    if seconds > _MINUTE_S:
        minutes = math.ceil(seconds / _MINUTE_S)
        return t.ngettext("about %(num)d minute left", "about %(num)d minutes left", minutes) % {"num": minutes}
    tens = math.ceil(seconds / 10) * 10
    return t.gettext(mark("about %(n)d seconds left")) % {"n": tens} if tens > 10 else t.gettext(mark("nearly done"))
