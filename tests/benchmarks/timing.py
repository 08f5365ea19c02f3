"""Times as ratios, so that the figure is the same on a fast computer and on a slow one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def ratio(work: Callable[[], object], yardstick: Callable[[], object], rounds: int, times: int = 1) -> float:
    """How many times as long `work` takes as `yardstick`.

    The two take turns, so that whatever else the computer does meets both. The fastest third of each is kept, for a
    busy computer only ever makes things slower, and the medians of those are compared.

    Parameters
    ----------
    rounds
        How often each is measured.
    times
        How often each is done in one measurement; more for what is over in no time.
    """
    work()
    yardstick()
    taken: dict[Callable[[], object], list[float]] = {work: [], yardstick: []}
    for _ in range(rounds):
        for what, seconds in taken.items():
            begun = time.perf_counter()
            for _ in range(times):
                what()
            seconds.append(time.perf_counter() - begun)
    best = {what: statistics.median(sorted(seconds)[: max(1, rounds // 3)]) for what, seconds in taken.items()}
    return best[work] / best[yardstick]
