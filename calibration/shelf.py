"""Profiles by name, one file each in a folder of the user's, found again by the camera that they belong to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from calibration.profile import Profile, ProfileError, load_profile, save_profile
from scoring.errors import RefereeError

NAME_MAX = 60


def file_of(folder: Path, name: str) -> Path:
    """Where the profile of that name is kept.

    Raises
    ------
    RefereeError
        Where the name has nothing that a file's name could be made of.
    """
    plain = re.sub(r"[^\w-]+", "-", name.strip().lower())[:NAME_MAX].strip("-_")
    if not plain:
        raise RefereeError(f"{name[:NAME_MAX]!r}: is no name; use letters and digits")
    return folder / f"{plain}.json"


def load_all(folder: Path, unread: Callable[[ProfileError], None] | None = None) -> tuple[Profile, ...]:
    """Every profile that can be read, the newest first; `unread` is told of each that cannot."""
    found = []
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            found.append(load_profile(file))
        except ProfileError as error:
            if unread is not None:
                unread(error)
    return tuple(sorted(found, key=lambda p: p.made_at, reverse=True))


def find_for(folder: Path, camera_id: str) -> Profile | None:
    """The newest profile of that camera, or None; no camera has none."""
    return next((p for p in load_all(folder) if camera_id and p.camera_id == camera_id), None)


def save_named(folder: Path, profile: Profile) -> Path:
    """Keep the profile under its name, in place of one that had it; raises RefereeError."""
    file = file_of(folder, profile.name)
    save_profile(profile, file)
    return file


def forget(folder: Path, name: str) -> Path:
    """Remove the profile of that name.

    Raises
    ------
    RefereeError
        Where there is none, or where it cannot be removed.
    """
    file = file_of(folder, name)
    try:
        file.unlink()
    except FileNotFoundError:
        known = ", ".join(p.name for p in load_all(folder)) or "there are none"
        raise RefereeError(f"{name}: no calibration has this name ({known}); see referee calibrate --list") from None
    except OSError as error:
        raise RefereeError(f"{file}: cannot be removed ({error.strerror})") from error
    return file
