"""Files that are whole or are not there."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from uuid import uuid4

from scoring.errors import RefereeError


def write_whole(out: Path, data: bytes) -> None:
    """Write a file; one that was there before stays as it was where the new one cannot be written to its end.

    Raises
    ------
    RefereeError
        If it cannot be written.
    """
    try:
        if out.exists() and not out.is_file():
            out.write_bytes(data)  # a pipe or a terminal has no place beside it
            return
        place = out.resolve()
        beside = place.with_name(f".{uuid4().hex}")
        try:
            with beside.open("xb") as f:
                f.write(data)
                f.flush()
                os.fsync(f.fileno())
            if place.exists():
                shutil.copymode(place, beside)
            beside.replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
    except OSError as e:
        raise RefereeError(f"{out}: cannot be written ({e.strerror or e}); name another place") from None
