"""Files that a command writes over: what was there is kept beside, and that is said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.whole_file import keeping
from scoring.errors import RefereeError
from webui.cli import complain


@contextmanager
def kept_before(out: Path, *, force: bool) -> Iterator[None]:
    """What is replaced at `out` meanwhile stays beside it under a number, save with `force`.

    Raises
    ------
    RefereeError
        If nothing can be kept there; then nothing was replaced.
    """
    if force:
        yield
        return
    try:
        with keeping(out) as kept:
            yield
    except OSError as error:
        raise RefereeError(f"{out}: cannot be written ({error.strerror}); name another file") from error
    for beside in kept:
        where = beside if out.is_symlink() else beside.name
        complain(f"{out}: what was there before is now {where}; with --force it is not kept")
