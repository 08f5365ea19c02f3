"""Where this user's matches are kept."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import threading
from pathlib import Path

from scoring.errors import RefereeError

NAME_MAX = 64
"""Letters of a deck's name; one with a longer name is called as its folder is."""

_moves = threading.RLock()
"""Held while a folder takes another one's place."""


def data_folder() -> Path:
    """The folder for this program's data, by the custom of the system; made where it is missing."""
    home = Path.home()
    system = platform.system()
    if system == "Windows":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif system == "Darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    folder = base / "table-referee"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def default_database() -> str:
    """Address of the database where none is given."""
    return f"sqlite:///{data_folder() / 'matches.sqlite'}"


def calibrations_folder() -> Path:
    """The folder of what was learned of this user's cameras; it need not be there."""
    return data_folder() / "calibrations"


def decks_folder() -> Path:
    """The folder of this user's own decks; it need not be there."""
    return data_folder() / "decks"


def copies_folder() -> Path:
    """The folder of what is learned of copies of games: photographs and answers; it need not be there."""
    return data_folder() / "copies"


def can_be_written(folder: Path) -> bool:
    """Whether files can be put into a folder, which need not be there yet."""
    place = folder.absolute()
    there = next((p for p in (place, *place.parents) if p.exists()), place)
    return there.is_dir() and os.access(there, os.W_OK)


def check_leads_somewhere(path: Path, option: str = "--out") -> None:
    """Raise RefereeError for a path with a link on its way that leads to nothing, or round in a circle.

    What is written there would come to lie where nobody looks for it, or nowhere after all the work.
    """
    place = path.absolute()
    lost = next((p for p in (place, *place.parents) if p.is_symlink() and not p.exists()), None)
    if lost is not None:
        raise RefereeError(f"{path}: the link {lost} leads nowhere; name another place with {option}, or mend the link")


def own_deck(named: str) -> Path:
    """A deck folder by its path, or one of this user's own by its name."""
    path = Path(named)
    own = decks_folder() / named
    with contextlib.suppress(OSError):  # no name that a folder can have: said where it is read
        if path.name == named and not path.exists() and (own / "deck.json").is_file():
            return own
    return path


def own_decks(game: str, folder: Path | None = None) -> list[tuple[str, str]]:
    """Own decks of a game: the name of the folder, by which a command knows it, and what it is called."""
    folder = folder or decks_folder()
    bring_back(folder)
    found = []
    for path in sorted(folder.glob("[!.]*/deck.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(data, dict) and data.get("game") == game:
            name = data.get("name")
            plain = isinstance(name, str) and name.isprintable() and 0 < len(name) <= NAME_MAX
            found.append((path.parent.name, called(str(name) if plain else "", game, path.parent)))
    return found


def called(name: str, game: str, folder: Path) -> str:
    """What a deck is called: as a person called it, else as its folder is."""
    return folder.resolve().name if name in ("", f"my-{game}") else name


def bring_back(folder: Path) -> None:
    """Put back folders that were being replaced when the program was ended between the moves of `replace_folder`."""
    with _moves:
        for old in folder.glob(".*.old"):
            place = folder / old.name[1 : -len(".old")]
            if not place.exists():
                with contextlib.suppress(OSError):
                    old.rename(place)


def replace_folder(new: Path, place: Path) -> None:
    """Let a new folder take the place of one that may be there, which is lost at no moment; raises OSError."""
    old = place.with_name(f".{place.name}.old")
    with _moves:
        bring_back(place.parent)
        shutil.rmtree(old, ignore_errors=True)
        if place.exists():
            place.rename(old)
        try:
            new.rename(place)
        except OSError:
            bring_back(place.parent)
            raise
    shutil.rmtree(old, ignore_errors=True)


def decks_of(game: str) -> list[str]:
    """Names of this user's own decks of a game."""
    return [key for key, _ in own_decks(game)]
