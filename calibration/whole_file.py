"""Files that are whole or are not there."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

from scoring.errors import RefereeError


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
    place = out.resolve()
    beside = place.with_name(f".{uuid4().hex}")
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            shutil.copymode(place, beside)
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
