"""Words of the page in the reader's language: catalogues, names, and one sentence per rule id and call.

The English sentence is the key of the catalogue. Rules give numbers and ids only; here they become sentences.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scoring.verdicts import Call, Verdict

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""Languages of the page; the first one is that of the program."""
CATALOGUES = Path(__file__).parent / "catalogues"

Translations = gettext.NullTranslations


def mark(text: str) -> str:
    """The text itself; marks it for the catalogue where it is translated later."""
    return text


@cache
def translations(language: str) -> Translations:
    """The catalogue of a language; texts that it lacks appear in English."""
    return gettext.translation("messages", CATALOGUES, [language], fallback=True)


def name_in(names: Mapping[str, str], name: str | None, t: Translations) -> str:
    """The word for a colour or a thing; a deck's own names stay as they are."""
    if name is None:
        return "?"
    return t.gettext(names[name]) if name in names else name


ELEMENTS = {
    "fire": mark("fire"),
    "water": mark("water"),
    "earth": mark("earth"),
    "air": mark("air"),
    "magic": mark("magic"),
}

SIDES = {
    "south": mark("bottom of the picture"),
    "west": mark("left of the picture"),
    "north": mark("top of the picture"),
    "east": mark("right of the picture"),
}

STATES = {
    "no-camera": (mark("No camera"), mark("Waiting for the camera to come back. A photo works too.")),
    "looking": (mark("Looking"), mark("Taking in the table.")),
    "moving": (mark("Moving"), mark("Something moves on the table.")),
    "settled": (mark("Settled"), mark("The table lies still.")),
    "checking": (mark("Checking"), mark("Hands off the table, please. The rows are being read.")),
    "verdict": (mark("Verdict"), mark("The rows are judged.")),
    "judged": (mark("Judged"), mark("The laid card is judged.")),
    "by-hand": (mark("By hand"), mark("The points were set by the players.")),
    "out-of-step": (mark("Out of step"), mark("The table does not match the record.")),
}

HINTS = {
    "dark": mark("It is too dark to read anything. More light, please."),
    "bright": mark("The picture is far too bright. Turn the lamp away or close the shutter."),
    "blurred": mark("The picture is out of focus."),
    "light": mark("The light has changed."),
    "camera-moved": mark("The camera was moved. The table is read anew."),
    "camera-stands-elsewhere": mark(
        "The camera stands elsewhere than when it was calibrated: the table is measured by the cards alone. "
        "It can be learned anew under “Camera”."
    ),
    "lens-changed": mark(
        "The camera is zoomed or focused otherwise than when it was calibrated: that calibration is not used."
    ),
    "other-picture-shape": mark(
        "The camera gives another shape of picture than when it was calibrated: that calibration is not used."
    ),
    "two-sets": mark("Two sets stand there: one of them is judged. Take the other one out of the picture."),
    "ended": mark("The recording is over; its last picture stays."),
    "taken-over": mark(
        "You have taken over: the recording stands still here and is judged no more. "
        "The match goes on by hand or by photos."
    ),
    "another-deck": mark("The cards that lie there are not of the deck that is played with."),
    "unread": mark("No cards can be read in this picture."),
    "hands": mark("Hands off the table, please. The rows are judged as soon as it lies still."),
    "scoring": mark("Other scoring cards lie on the table than were dealt. Put them right, or deal again."),
    "put-back": mark("What lies on the table does not follow from the record. See what to do."),
    "by-photo": mark("Lay a card, then take a photo: no camera sends pictures."),
    "awaits-photo": mark("Nothing is read before you send a photo of the whole table."),
    "awaits-word": mark(
        "This picture was taken back and is not judged again by itself: tap “Judge now”, or send a photo."
    ),
    "hung": mark("What hangs is judged."),
    "no-cactus": mark("No cactus is found in this picture. All five stand in front of the camera, upright."),
    "photo": mark("This is a photo. Take another one when the table has changed."),
    "kept-roll": mark("The photo is kept: it is judged as soon as you tell what the die shows."),
    "kept-open": mark("The photo is kept: it is judged as soon as the question about the last card is answered."),
    "photo-read": mark("The photo is being looked at …"),
    "not-here": mark("This match is not at this table's camera right now."),
    "failed": mark("The picture could not be read because of an error in the program. A photo may work."),
}

WAITING = mark("Waiting")
WAITS = ("awaits-photo", "awaits-word", "kept-roll", "kept-open")
"""Hints with which the state is called so."""

BY_PHOTO = {
    "rox": mark("No camera sends pictures: take a photo after the call."),
    "cactus": mark("No camera sends pictures: take a photo of the cacti after each turn, or tap what was hung."),
}
"""Stands for the hint ``by-photo`` in games that say it otherwise."""

CALLS = {
    Call.LEGAL: mark("fits"),
    Call.VIOLATION: mark("does not fit"),
    Call.UNCERTAIN: mark("unsure"),
}

SENTENCES: Mapping[tuple[str, Call], str] = {
    ("rox.link", Call.LEGAL): mark(
        "Most symbols round the card before are %(leader)s (%(leader_count)d). This stone shows %(center)s: it fits."
    ),
    ("rox.link", Call.VIOLATION): mark(
        "Most symbols round the card before are %(leader)s (%(leader_count)d), so this stone must show %(leader)s. "
        "It shows %(center)s."
    ),
    ("rox.link", Call.UNCERTAIN): mark(
        "The picture does not show well enough whether these two cards fit. Please look yourselves."
    ),
    ("rox.min-row", Call.LEGAL): mark("%(length)d valid cards; a row needs %(needs)d to count."),
    ("rox.min-row", Call.VIOLATION): mark("%(length)d valid cards are too few; a row needs %(needs)d to count."),
    ("rox.min-row", Call.UNCERTAIN): mark(
        "Whether this row has the %(needs)d valid cards that it needs is still open."
    ),
    ("rox.six-cards", Call.LEGAL): mark("%(player)s called with %(cards)d cards, as the rules ask."),
    ("rox.six-cards", Call.VIOLATION): mark(
        "%(player)s called with only %(cards)d cards; the rules ask for %(needs)d."
    ),
    ("rox.six-cards", Call.UNCERTAIN): mark(
        "%(player)s called, and the picture shows %(cards)d cards where the rules ask for %(needs)d. "
        "If a card was missed, add it to the row."
    ),
    ("rox.row-seen", Call.LEGAL): mark("The row of %(player)s was found."),
    ("rox.row-seen", Call.VIOLATION): mark("%(player)s has no row."),
    ("rox.row-seen", Call.UNCERTAIN): mark("No row of %(player)s was found. Is there none, or was it missed?"),
    ("rox.one-of-each", Call.LEGAL): mark("Every card was read once."),
    ("rox.one-of-each", Call.VIOLATION): mark("The card %(face)s lies on the table %(seen)d times."),
    ("rox.one-of-each", Call.UNCERTAIN): mark(
        "The card %(face)s was read at %(seen)d places, but there is only one of it: one reading is wrong."
    ),
    ("rox.tie", Call.LEGAL): mark(
        "Equal rows of %(length)d cards: who called comes first, then clockwise from the caller's left: %(order)s."
    ),
    ("rox.hand-out", Call.LEGAL): mark("The longest row takes the most valuable scoring card, and so on."),
}
"""The sentence of each rule id and call."""


def element(name: str, t: Translations) -> str:
    """The name of an element; a deck's own names stay as they are."""
    return t.gettext(ELEMENTS[name]) if name in ELEMENTS else name


def explain(verdict: Verdict, players: Mapping[str, str], t: Translations) -> str:
    """A verdict in words.

    Parameters
    ----------
    verdict
        What the rules said.
    players
        Names by seat.
    t
        The reader's catalogue.
    """
    text = SENTENCES.get((verdict.rule, verdict.call))
    if text is None:
        return f"{verdict.rule}: {verdict.call}"
    facts: dict[str, Any] = dict(verdict.facts)
    if verdict.rule == "rox.link" and verdict.call is not Call.UNCERTAIN and not {"leader", "center"} <= facts.keys():
        # A person stated the link where a card could not be read: there are no counts to speak of.
        return t.gettext(mark("The players looked: it fits.") if verdict.call is Call.LEGAL else DECIDED_WRONG)
    for key in ("leader", "center"):
        if key in facts:
            facts[key] = element(str(facts[key]), t)
    if isinstance(order := facts.get("order"), Mapping):
        facts["order"] = ", ".join(players.get(s, s) for s in sorted(order, key=lambda s: order[s]))
    if verdict.seat is not None:
        facts["player"] = players.get(verdict.seat, verdict.seat)
    return t.gettext(text) % facts


DECIDED_WRONG = mark("The players looked: it does not fit.")
