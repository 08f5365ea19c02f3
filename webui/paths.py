"""Where this user's matches are kept."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path


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


def own_deck(named: str) -> Path:
    """A deck folder by its path, or one of this user's own by its name."""
    path = Path(named)
    if path.exists() or path.name != named:
        return path
    own = decks_folder() / named
    return own if (own / "deck.json").is_file() else path


def own_decks(game: str, folder: Path | None = None) -> list[tuple[str, str]]:
    """Own decks of a game: the name of the folder, by which a command knows it, and what it is called."""
    found = []
    for path in sorted((folder or decks_folder()).glob("[!.]*/deck.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(data, dict) and data.get("game") == game:
            found.append((path.parent.name, str(data.get("name") or path.parent.name)))
    return found


def decks_of(game: str) -> list[str]:
    """Names of this user's own decks of a game."""
    return [key for key, _ in own_decks(game)]
