"""What the page asks of whoever learns a copy of a game: injected, so that the page needs no word of vision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from scoring.deck import Deck
from webui.owncopy.own_copy import OwnCopy
from webui.texts import mark


class Copyist(Protocol):
    """Learns copies of games from photographs, keeping all in the user's data folder. For Flask's threads."""

    def copies(self) -> tuple[OwnCopy, ...]:
        """All that were begun; one whose file cannot be read is there as damaged, with what is left of it."""
        ...

    def copy(self, key: str) -> OwnCopy | None:
        """One of them; None where there is none."""
        ...

    def begin(self, name: str, game: str, card_mm: tuple[float, float], cactus_mm: float | None) -> str:
        """Begin one and give its key; one of that name is gone on with. Raises RefereeError."""
        ...

    def measure(self, key: str, cactus_mm: float) -> None:
        """State the height of the tallest cactus anew, in mm; its photographs must then be read again."""
        ...

    def add(self, key: str, data: bytes, *, board: bool = False) -> None:
        """Take in a photograph; raises RefereeError where it is none, or where there are too many."""
        ...

    def drop(self, key: str, photo: str) -> None:
        """Take a photograph out."""
        ...

    def read(self, key: str) -> None:
        """Read all photographs, in a thread of its own."""
        ...

    def name(self, key: str, kind: str, name: str) -> None:
        """Call a kind by a name; an empty one takes the name away."""
        ...

    def answer_all(self, key: str, stated: Mapping[int, Mapping[str, Any]]) -> None:
        """State fields of parts, by their numbers: one step, as far as taking it back goes."""
        ...

    def undo(self, key: str) -> None:
        """Take back the last name or statement."""
        ...

    def picture(self, key: str, what: str, number: int) -> bytes | None:
        """JPEG of a ``part``, ``kind``, ``photo``, ``star``, ``sign``, the ``board``'s photo, or of near ``twins``."""
        ...

    def save(self, key: str, in_play: Callable[[Deck], bool]) -> str:
        """Write the deck folder and give its name, a free one where that of the copy is taken; raises RefereeError.

        `in_play` tells whether a match is played with a deck: it stays where the match could not go on with this one.
        """
        ...

    def files(self, key: str) -> Mapping[str, Path]:
        """What is kept of it, by names within its folder: its photographs, answers, and what was read of them."""
        ...

    def forget(self, key: str) -> None:
        """Forget photographs and answers; a deck folder that was written stays."""
        ...

    def set_aside(self, key: str) -> str:
        """Take a damaged copy out of the list and give the folder in which all its files stay; raises RefereeError."""
        ...

    def stop(self) -> None:
        """End reading; what was given stays."""
        ...


COPY_PROBLEMS = {
    "nothing": mark(
        "Too little was found in these photos. Lay the cards or pieces apart, none on another, and avoid glare."
    ),
    "photo": mark("One of these photos cannot be read any more: take it out, and send it again."),
    "error": mark("That failed because of an error in the program. Photos and answers are kept."),
}

DAMAGES = {
    "unreadable": mark("What is known of it cannot be read."),
    "changed": mark("What is known of it was changed or is not whole."),
}
"""What is wrong with a damaged copy."""

GROUPS = {
    "faces": mark("Cards"),
    "scoring": mark("Scoring cards"),
    "pieces": mark("Pieces"),
    "cacti": mark("Cacti"),
    "board": mark("The board"),
}

FIELDS = {
    "center": mark("stone"),
    "edge": mark("symbols round the edge"),
    "value": mark("value"),
    "color": mark("colour"),
    "symbol": mark("sign"),
    "corners": mark("corners"),
    "shape": mark("shape"),
}

SHAPE_WORDS = (
    mark("ring"),
    mark("moon"),
    mark("sun"),
    mark("star"),
    mark("heart"),
    mark("drop"),
    mark("flower"),
    mark("leaf"),
    mark("arch"),
    mark("wave"),
    mark("zigzag"),
    mark("hook"),
    mark("comb"),
    mark("bow"),
    mark("bone"),
    mark("cross"),
)
"""What basic shapes of Cactus may be called, to be tapped on."""

# What whoever learns copies may refuse, in words that are translated.
NO_LETTERS = mark("A copy's name needs letters or digits.")
TOO_MANY = mark("Too many copies are begun: forget one.")
OTHER_GAME = mark("A copy of another game has this name.")
FULL = mark("These are as many photos as a copy may have.")
NO_PHOTO = mark("This is no photo that can be read.")
SENT_BEFORE = mark("This photo is here already.")
TOO_SMALL = mark("This photo is too small: nothing could be read on it.")
GONE = mark("This copy is not there any more.")
NOT_KEPT = mark("It could not be kept: the folder of this program's data cannot be written.")
STILL_ASKED = mark("Some cards or pieces still wait for an answer.")
NOT_READ = mark("There are photos that were not read yet.")
