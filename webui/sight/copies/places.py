"""Which folder a copy takes, and its deck: never one that holds anything else."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scoring.deck import Deck, parse_deck
from scoring.errors import DeckError, RefereeError
from webui.decks.here import alike
from webui.sight.decks.folders import read_deck

Json = dict[str, Any]

KEY_MAX = 40


def places(key: str) -> Iterator[str]:
    """The names of folders that a key may take, one after the other: its own, then with a number behind it."""
    yield key
    for n in itertools.count(2):
        yield f"{key[: KEY_MAX - 1 - len(str(n))].rstrip('-')}-{n}"


def is_taken(folder: Path) -> bool:
    """Whether anything is at a place."""
    return folder.exists() or folder.is_symlink()


def files_in(folder: Path) -> dict[str, Path]:
    """What is kept of a copy, by names within its folder; not the small pictures, which are cut out of its photos."""
    found = [*sorted(folder.glob("*.jpg")), *sorted(folder.glob("*.json")), *sorted(folder.glob("read/*.json"))]
    return {path.relative_to(folder).as_posix(): path for path in found if path.is_file()}


def deck_place(copy: Json, key: str, decks: Path, stays: Callable[[Path], bool]) -> str:
    """The folder for a copy's deck: that of its own earlier save, else the first one that is free.

    A folder of its name that it did not write, or that was changed since, is somebody's deck and stays as it is; so
    does one that `stays` tells of.
    """
    own = copy.get("deck")
    if isinstance(own, str) and own:
        ours = sum_of(decks / own) in (copy.get("deck_sum"), copy.get("deck_next"))
        if not is_taken(decks / own) or (ours and not stays(decks / own)):
            return own
    return next(name for name in places(key) if not is_taken(decks / name))


def deck_called(name: str, key: str, place: str) -> str:
    """What a deck is called: as its copy is, with the number of its folder where that is not the copy's own."""
    return name if place == key else f"{name} ({place.rsplit('-', 1)[1]})"


def is_left(before: Path, now: Json, in_play: Callable[[Deck], bool]) -> bool:
    """Whether the deck in a folder is one that a match is played with, and the new one could not go on with it."""
    try:
        old = read_deck(before)
    except RefereeError:
        return False
    try:
        if alike(old, parse_deck(now, "deck.json")):
            return False
    except DeckError:
        pass  # no match at all can be played with it
    return in_play(old)


def sum_of(folder: Path) -> str:
    """A short sum of what a deck folder says; empty where it says nothing."""
    try:
        return hashlib.blake2s((folder / "deck.json").read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""
