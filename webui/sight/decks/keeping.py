"""A deck folder that is whole or is not there: it is built aside and then moved into its place."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from calibration.capture.deck import Enrolled, save_enrolled
from scoring.errors import RefereeError
from webui.paths import replace_folder

if sys.platform != "win32":
    import fcntl

_LEFT_S = 3600.0
"""Nobody writes one deck for so long: what is older was cut off with its program."""


def keep_deck(found: Enrolled, folder: Path, *, over: bool = False) -> None:
    """Write a deck as a whole.

    Parameters
    ----------
    found
        What was read.
    folder
        Where the deck comes to lie. What else is there stays.
    over
        Whether a deck that is there is replaced; its own pictures stay with it until the new one is whole.

    Raises
    ------
    RefereeError
        If it cannot be written, or if another deck is there that is not to be replaced.
    """
    place = folder.resolve()
    try:
        if not place.exists():
            _as_new(found, folder, over)
        elif over and (place / "deck.json").exists():
            _over(found, place)
        else:
            _into(found, folder, over)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        mend = "free some space, or name" if full else "name"
        raise RefereeError(
            f"{folder}: the deck cannot be written ({error.strerror or error}); {mend} another folder with --out"
        ) from error


def _as_new(found: Enrolled, folder: Path, over: bool) -> None:
    place = folder.resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    with _aside(place.parent, place.name) as new:
        save_enrolled(found, new)
        try:
            new.rename(place)  # refused where a folder is there that holds anything
        except OSError:
            if not place.exists():
                raise
            if not over:
                raise _came(folder) from None
            _over(found, place)


def _over(found: Enrolled, place: Path) -> None:
    with _aside(place.parent, place.name) as new:
        shutil.copytree(place, new, symlinks=True)
        save_enrolled(found, new)
        replace_folder(new, place)


def _into(found: Enrolled, folder: Path, over: bool) -> None:
    """Into a folder of other things, which are not touched; `deck.json` comes last."""
    place = folder.resolve()
    with _aside(place, place.name) as new:
        save_enrolled(found, new)
        with _alone_in(place):
            if (place / "deck.json").exists() and not over:
                raise _came(folder)
            files = [p.relative_to(new) for p in new.rglob("*") if p.is_file()]
            for file in sorted(files, key=lambda f: f == Path("deck.json")):
                (place / file).parent.mkdir(parents=True, exist_ok=True)
                (new / file).replace(place / file)


def _came(folder: Path) -> RefereeError:
    return RefereeError(
        f"{folder}: meanwhile something else was written there, which stays; "
        "name another folder with --out, or write over it with --force"
    )


@contextlib.contextmanager
def _aside(where: Path, name: str) -> Iterator[Path]:
    """A folder yet to be made, on the same disk, gone in the end; what earlier ones left is removed."""
    for left in where.glob(f".{name}.new-*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_S:
                shutil.rmtree(left, ignore_errors=True)
    beside = where / f".{name}.new-{uuid4().hex}"
    beside.mkdir()
    try:
        yield beside / "deck"
    finally:
        shutil.rmtree(beside, ignore_errors=True)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """No other program moves a deck into this folder meanwhile, where the system has such locks."""
    if sys.platform == "win32":
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)
