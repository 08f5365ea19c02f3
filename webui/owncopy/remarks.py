"""What whoever read a copy's photos remarked on, in the reader's words; what the page tells anyway is left out."""

from __future__ import annotations

import re

from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.services import words
from webui.texts import mark
from webui.wording import Refusal

_NUMBER = r"[\d.]+"


def _remark(said: str, text: str) -> Refusal:
    return Refusal(re.compile(said), text)


REMARKS = (
    _remark(
        ".*: no square board with four coloured spaces found",
        mark(
            "The board could not be read on its photo. Photograph it again: whole, from above, without glare, and"
            " beside it nothing but both stars and one card."
        ),
    ),
    _remark(
        "without a photo of the board no match can be played: .*",
        mark("There is no photo of the board yet; without one no match can be played. Add it to the photos."),
    ),
    _remark(
        "(?P<photos>.*): in its light some elements look alike: .*",
        mark("%(photos)s: in that light some elements look alike. Take it out, and photograph again in softer light."),
    ),
    _remark(
        "stones and edge symbols could not be paired: .*",
        mark("Which symbol belongs to which stone could not be told: look closely at the cards that are asked about."),
    ),
    _remark(
        "that is much: measure the tallest cactus again, .*",
        mark("What tells the sizes disagrees: measure the tallest cactus again, and photograph all pieces lying flat."),
    ),
    _remark(
        f"the heights stated of K(?P<a>\\d+) and K(?P<b>\\d+) contradict each other by (?P<share>{_NUMBER}%): .*",
        mark(
            "The heights stated of cactus %(a)s and cactus %(b)s contradict each other by %(share)s. Measure both"
            " again, over their bases."
        ),
    ),
    _remark(
        f"(?P<first>{_NUMBER}) mm were stated for the tallest cactus, and (?P<mm>{_NUMBER}) mm for K(?P<a>\\d+), .*",
        mark(
            "%(first)s mm were stated for the tallest cactus, but %(mm)s mm for cactus %(a)s, which is the tallest."
            " Measure it again, over its base."
        ),
    ),
    _remark(
        f"the lengths stated of .+ contradict each other by (?P<share>{_NUMBER}%): .*",
        mark("The lengths of pieces that were stated contradict each other by %(share)s. Measure them again."),
    ),
    _remark(
        f"the photos tell (?P<seen>{_NUMBER}) mm for the tallest cactus, (?P<stated>{_NUMBER}) mm were stated",
        mark(
            "The photos tell %(seen)s mm for the tallest cactus, %(stated)s mm were stated. Measure it again, over its"
            " base."
        ),
    ),
)
"""Remarks of the readers of all games that a person can do something about, and how the page says them."""
_PHOTO = re.compile(r"[\w-]+\.jpg")


def remark_words(one: OwnCopy) -> list[str]:
    """The remarks on a copy, as its photos are now, that are worth a person's look."""
    out = []
    for remark in one.remarks if one.stage is CopyStage.READ else ():
        shown = _PHOTO.sub(lambda at: _called(one, at[0]), remark)
        found = ((known.said.fullmatch(shown), known.text) for known in REMARKS)
        out += [words().gettext(text) % said.groupdict() for said, text in found if said is not None]
    return out


def _called(one: OwnCopy, photo: str) -> str:
    """A photo as the page numbers it."""
    if photo not in one.photos:
        return photo
    return words().gettext(mark("Photo %(n)d")) % {"n": one.photos.index(photo) + 1}
