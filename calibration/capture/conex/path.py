"""The way that a track takes over its squares: to a neighbour each time, along their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.squares import WORST

Array = NDArray[np.float64]

_NEIGHBOUR = 1.4  # squares: how far the next square is at most
_BEAM = 300  # ways that are followed at once
_LEFT_OUT = 4.0  # what a legible square costs that no way leads over, as a logarithm
_UNREAD, _FAINT = 1.0, 2.0  # ... and one in which nothing is legible, or only perhaps
_LEGIBLE = 0.5
_MOST_LEFT = 2  # squares that no way need lead over: the start, and the goal where they have no number


@dataclass(frozen=True, slots=True)
class Way:
    """The squares' indices in their order, from the square of number 1 on, and how well their numbers fit.

    `ahead` is by how much they fit better than along any other way.
    """

    squares: tuple[int, ...]
    fit: float
    ahead: float


def walked(cells: Array, table: Array, side: float) -> Way | None:
    """The way over squares that are a chain of neighbours; None where they are none.

    Parameters
    ----------
    cells
        (n, 2) middles.
    table
        (n, m) how likely each number stands in each square.
    side
        How far neighbours are apart.
    """
    n = len(cells)
    near = np.linalg.norm(cells[:, None] - cells[None], axis=2) < _NEIGHBOUR * side
    np.fill_diagonal(near, False)
    neighbours = [np.flatnonzero(row).tolist() for row in near]
    logs = np.log(np.maximum(table, WORST))
    price = np.where(table.max(1) > _LEGIBLE, _LEFT_OUT, _UNREAD + _FAINT * table.max(1))
    states: list[tuple[float, tuple[int, ...], int]] = [(float(logs[i, 1]), (i,), 1 << i) for i in range(n)]
    ends: list[tuple[float, tuple[int, ...]]] = []
    for number in range(2, min(n, table.shape[1] - 1) + 2):
        for score, way, over in states:
            left = float(sum(price[i] for i in range(n) if not over >> i & 1))
            if n - len(way) <= _MOST_LEFT:
                ends.append((score - left, way))
        if number >= table.shape[1]:
            break
        longer = [
            (score + float(logs[j, number]), (*way, j), over | 1 << j)
            for score, way, over in states
            for j in neighbours[way[-1]]
            if not over >> j & 1
        ]
        states = sorted(longer, key=lambda s: -s[0])[:_BEAM]
    ends.sort(key=lambda e: -e[0])
    if not ends:
        return None
    return Way(ends[0][1], ends[0][0], ends[0][0] - ends[1][0] if len(ends) > 1 else np.inf)
