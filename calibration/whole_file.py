"""Files that are whole or are not there."""

from __future__ import annotations

import contextlib
import errno
import filecmp
import itertools
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from scoring.errors import RefereeError

if sys.platform != "win32":
    import fcntl

NO_FILE = "this is a device or a pipe, no file"
_UNFINISHED = re.compile(r"\.referee-[0-9a-f]{32}")
_EVER = re.compile(r"\.(referee-)?[0-9a-f]{32}")
"""... and as such files were called once."""


def is_endless(path: Path) -> bool:
    """Whether reading a path might never end: a device, or a pipe of the file system that nobody may write into.

    A pipe that a shell made for a command, as in ``<(…)`` or before ``/dev/stdin``, has its writer and no name.
    """
    if not path.exists() or path.is_file() or path.is_dir():
        return False
    return not path.is_fifo() or Path(os.path.realpath(path)).exists()


@contextlib.contextmanager
def writing(out: Path) -> Iterator[IO[bytes]]:
    """A file to be written; it takes its place when it is whole, and one that was there before stays until then.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    if out.exists() and not out.is_file():  # a pipe or a terminal has no place beside it
        with out.open("wb") as file:
            yield file
        return
    place = _followed(out)
    beside = place.with_name(f".referee-{uuid4().hex}")
    sweep(place.parent)
    try:
        with beside.open("xb") as file:
            _hold(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if place.exists():
                shutil.copymode(place, beside)
            if sys.platform != "win32":  # while it is held, so that nobody sweeps it away
                beside.replace(place)
        if sys.platform == "win32":  # an open file is not moved there
            beside.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def write_whole(out: Path, data: bytes) -> None:
    """Write a file; one that was there before stays as it was where the new one cannot be written to its end.

    Raises
    ------
    RefereeError
        If it cannot be written.
    """
    try:
        with writing(out) as file:
            file.write(data)
    except OSError as e:
        raise RefereeError(f"{out}: cannot be written ({e.strerror or e}); name another place") from None


@contextlib.contextmanager
def keeping(out: Path) -> Iterator[list[Path]]:
    """Whatever is replaced at `out` meanwhile by something else stays beside it, as `out.1`, `out.2` and so on.

    Yields
    ------
    list of Path
        Afterwards the file that what was there before is now; empty where nothing was lost.

    Raises
    ------
    OSError
        If no place is found for it; then nothing was replaced yet.
    """
    kept: list[Path] = []
    if not out.is_file():
        yield kept
        return
    place = _followed(out)
    beside = _beside(place)
    try:
        yield kept
    except BaseException:
        beside.unlink()  # a whole file is written or none, so what was there is there still
        raise
    if place.is_file() and filecmp.cmp(place, beside, shallow=False):
        beside.unlink()
    else:
        kept.append(beside)


def _followed(out: Path) -> Path:
    """Where a link leads in the end; raises OSError for one that leads round in a circle."""
    try:
        return out.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(out)) from None


def _beside(place: Path) -> Path:
    """The same file under the first free number."""
    for n in itertools.count(1):
        beside = place.with_name(f"{place.name}.{n}")
        if beside.exists():
            continue
        try:
            beside.hardlink_to(place)
        except FileExistsError:
            continue
        except OSError:  # not every file system knows links
            with place.open("rb") as old, beside.open("xb") as new:
                shutil.copyfileobj(old, new)
            shutil.copystat(place, beside)
        return beside
    raise AssertionError


def sweep(folder: Path, *, own: bool = False) -> int:
    """Remove what writings left in a folder that were cut off with their program; how many there were.

    What another program writes at this moment is left alone. In an `own` folder, where nobody else puts anything, also
    what earlier releases left.
    """
    swept, pattern = 0, _EVER if own else _UNFINISHED
    with contextlib.suppress(OSError):
        for left in [p for p in folder.iterdir() if pattern.fullmatch(p.name)]:
            with contextlib.suppress(OSError):
                with left.open("rb") as file:
                    _hold(file)  # refused while somebody writes it
                left.unlink()  # refused there by Windows
                swept += 1
    return swept


def _hold(file: IO[bytes]) -> None:
    """Mark an open file as being written for as long as it is open; raises OSError where another one has marked it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError) or not file.writable():
                raise
            # a place that knows no locks can be written all the same
