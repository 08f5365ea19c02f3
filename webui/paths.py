"""Where this user's matches are kept."""

from __future__ import annotations

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
