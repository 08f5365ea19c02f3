"""How far a long command is: a bar at a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from webui.cli import complain

QUIET_S = 4.0
"""So long nothing need be told where no terminal shows a bar."""


@contextmanager
def steps_said(what: str, total: int, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[str], None]]:
    """What is called with the name of each step that is done.

    Parameters
    ----------
    what
        What is done, as it stands before its numbers.
    total
        Of how many steps.
    clock
        Seconds, monotonic.
    """
    shown, done, told_s = sys.stderr.isatty(), 0, clock()
    with tqdm(desc=what, total=total, file=sys.stderr, unit="step", leave=False, disable=not shown) as bar:

        def said(step: str) -> None:
            nonlocal done, told_s
            done += 1
            bar.set_description(f"{what}: {Path(step).name}")
            bar.update()
            if not shown and (now_s := clock()) - told_s >= QUIET_S:
                told_s = now_s
                complain(f"{what}: {done} of {total} steps done ({Path(step).name})")

        yield said
