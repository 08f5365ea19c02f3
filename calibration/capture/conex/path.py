"""The way that a track takes over its squares: to a neighbour each time, along their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.squares import WORST

Array = NDArray[np.float64]

_NEIGHBOUR = 1.3  # squares: how far the next square is at most
_BEAM = 300  # ways that are followed at once
_LEFT_OUT = 4.0  # what a legible square costs that no way leads over, as a logarithm
_UNREAD = 1.0  # ... and one in which nothing is legible
_LEGIBLE = 0.5
_MOST_LEFT = 2  # squares that no way need lead over: the start, and the goal where they have no number


def walked(cells: Array, table: Array, side: float) -> list[int] | None:
    """The squares' numbers in their order, from the square of number 1 on; None where they are no chain of neighbours.

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
    price = np.where(table.max(1) > _LEGIBLE, _LEFT_OUT, _UNREAD)
    states: list[tuple[float, tuple[int, ...], int]] = [(float(logs[i, 1]), (i,), 1 << i) for i in range(n)]
    best: tuple[float, tuple[int, ...]] | None = None
    for number in range(2, min(n, table.shape[1] - 1) + 2):
        for score, way, over in states:
            left = float(sum(price[i] for i in range(n) if not over >> i & 1))
            if n - len(way) <= _MOST_LEFT and (best is None or score - left > best[0]):
                best = score - left, way
        if number >= table.shape[1]:
            break
        longer = [
            (score + float(logs[j, number]), (*way, j), over | 1 << j)
            for score, way, over in states
            for j in neighbours[way[-1]]
            if not over >> j & 1
        ]
        states = sorted(longer, key=lambda s: -s[0])[:_BEAM]
    return None if best is None else list(best[1])
