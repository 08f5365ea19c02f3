"""From rough places of pieces to the best ones near them, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_STEPS = ((1.5, 0.09), (0.75, 0.05), (0.4, 0.025))
"""Sides of the steps of the climb: mm and rad."""
_MOVES = np.tile([-1.0, 0.0, 1.0], (3, 1))
"""Of x, y and angle."""
_OWN = 0.5
"""Cells that are worth more have the colour of the pieces."""
_LEAST_GAIN = 1e-9
_MOST_STEPS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """What each cell of a plane is worth to a piece that covers it.

    Parameters
    ----------
    worth
        (rows, columns) 1 where it has the colour of the pieces, and less elsewhere; rows go down.
    left_mm, top_mm
        x and y of the middle of the first cell.
    cell_mm
        Side of a cell.
    """

    worth: Floats
    left_mm: float
    top_mm: float
    cell_mm: float


def climb(start: Array, shapes: Sequence[tuple[Array, Array]], grid: Grid) -> tuple[Array, Array]:
    """The best places near some, and their scores.

    Parameters
    ----------
    start
        (g, 3) x, y and angle of each, mm and rad, y up.
    shapes
        Of each (m, 2) points within it and (k, 2) points just outside it, mm.
    grid
        The plane.

    Returns
    -------
    tuple of ndarray
        (g, 3) places and (g,) scores: the mean worth of the points within less the share of the others that have the
        colour too.
    """
    at = start.copy()
    if not len(at):
        return at, np.zeros(0)
    points = _Points.of(shapes, grid.cell_mm)
    best = points.scored(at, np.zeros((3, 1)), grid)[:, 0]
    for mm, rad in _STEPS:
        moves = _MOVES * [[mm], [mm], [rad]]
        rising = np.arange(len(at))
        for _ in range(_MOST_STEPS):
            scores = points.only(rising).scored(at[rising], moves, grid)
            k = scores.argmax(axis=1)
            found = scores[np.arange(len(k)), k]
            up = found > best[rising] + _LEAST_GAIN
            rising, k = rising[up], k[up]
            if not len(rising):
                break
            best[rising] = found[up]
            at[rising] += moves[np.arange(3)[:, None], np.unravel_index(k, (3, 3, 3))].T
    return at, best


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Points of several shapes, as many of each as of the one that has most.

    Parameters
    ----------
    cells
        (g, n, 2) the points, in cells.
    inside, around
        (g, n) what each counts of those within its shape, and of those just outside it.
    """

    cells: Array
    inside: Floats
    around: Floats

    @classmethod
    def of(cls, shapes: Sequence[tuple[Array, Array]], cell_mm: float) -> _Points:
        """The points of shapes, see `climb`."""
        most = max(len(within) + len(beside) for within, beside in shapes)
        cells, inside, around = np.zeros((len(shapes), most, 2)), *np.zeros((2, len(shapes), most), np.float32)
        for k, (within, beside) in enumerate(shapes):
            m, n = len(within), len(within) + len(beside)
            cells[k, :n] = np.vstack([within, beside]) / cell_mm
            inside[k, :m], around[k, m:n] = 1 / m, 1 / max(n - m, 1)
        return cls(cells, inside, around)

    def only(self, some: NDArray[np.intp]) -> _Points:
        """Those of some of the shapes."""
        return _Points(self.cells[some], self.inside[some], self.around[some])

    def scored(self, at: Array, moves: Array, grid: Grid) -> Array:
        """(g, k * k * k) mean worth inside, less the share of the ring that has its colour, at places about one each.

        `moves` has k of each of x, y and angle; those places that differ in angle are side by side.
        """
        height, width = grid.worth.shape
        g, n = self.inside.shape
        x, y, angle = (at[:, i, None] + moves[i] for i in range(3))
        c, s = np.cos(angle)[:, :, None], np.sin(angle)[:, :, None]
        px, py = self.cells[:, None, :, 0], self.cells[:, None, :, 1]
        column = (c * px - s * py)[:, None] + ((x - grid.left_mm) / grid.cell_mm + 0.5)[:, :, None, None]
        row = (-s * px - c * py)[:, None] + ((grid.top_mm - y) / grid.cell_mm + 0.5)[:, :, None, None]
        columns = np.minimum(np.maximum(column, 0), width - 1).astype(np.intp)
        rows = np.minimum(np.maximum(row, 0), height - 1).astype(np.intp) * width
        value = np.take(grid.worth, (columns[:, :, None] + rows[:, None]).reshape(g, -1, n))
        mean = value @ self.inside[:, :, None]
        share = (value > _OWN).astype(np.float32) @ self.around[:, :, None]
        return np.asarray((mean - share)[:, :, 0], np.float64)
