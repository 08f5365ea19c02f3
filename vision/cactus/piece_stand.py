"""Where a piece could stand on the base behind its cactus, which hides most of it: how high it stands is known."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_climb import Grid, climb
from vision.cactus.piece_search import FINE_MM, Bank, Guess, Shape, Sheet, turned

Array = NDArray[np.float64]

_ANGLES = 36
_STEP_MM = 2.0
_POINTS = 45
"""So many points of a shape are looked at."""
_KEPT = 8
_LEAST_OWN = 0.12
"""Least share of a piece that has its colour."""


def find_standing(
    bank: Bank,
    color: str,
    sheet: Sheet,
    label: int,
    hiders: NDArray[np.bool_],
    taken: Container[str],
    low_mm: float,
) -> list[Guess]:
    """Pieces of one colour that could stand on a base, best first.

    Parameters
    ----------
    bank, color
        What is searched for.
    sheet
        The plane of the cactus.
    label
        The colour's label.
    hiders
        (256,) which labels may lie before a piece of this colour.
    taken
        Names of pieces that are found already.
    low_mm
        At which height of the plane the lowest point of what stands there is seen.
    """
    worth = np.where(hiders, 0.0, -1.0).astype(np.float32)
    worth[label] = 1.0
    cells = worth[sheet.labels]
    half = bank.base_mm[0] / 2
    places_mm = np.arange(-half, half + _STEP_MM / 2, _STEP_MM)
    found: list[Guess] = []
    for shape in [s for s in bank.shapes[color] if s.piece.id not in taken]:
        found += _stood(shape, cells, sheet, low_mm, places_mm)
    found = sorted(found, key=lambda g: -g.score)[:_KEPT]
    start = np.array([[g.x_mm, g.y_mm, g.angle_rad] for g in found]).reshape(-1, 3)
    grid = Grid(cells, sheet.left_mm, sheet.top_mm, FINE_MM)
    places, scores = climb(start, [(g.shape.inside_mm, g.shape.ring_mm) for g in found], grid)
    climbed = [
        Guess(g.shape, float(x), float(y), float(a), float(s))
        for g, (x, y, a), s in zip(found, places, scores, strict=True)
    ]
    return sorted(climbed, key=lambda g: -g.score)


def _stood(shape: Shape, cells: NDArray[np.float32], sheet: Sheet, low_mm: float, x_mm: Array) -> Sequence[Guess]:
    """The best places of one shape at its two best angles."""
    angles = 2 * np.pi * np.arange(_ANGLES // 2 if shape.half else _ANGLES) / _ANGLES
    y_mm = np.array([low_mm - float(turned(shape.outline_mm, angle)[:, 1].min()) for angle in angles])
    shift = np.round(x_mm / FINE_MM).astype(int)[None, :, None] + 1
    around = np.pad(cells, 1, constant_values=-1.0)
    height, width = around.shape
    seen = []
    for points in (shape.inside_mm, shape.ring_mm):
        some = points[:: max(1, len(points) // _POINTS)]
        there = [turned(some, angle) + (0.0, y) for angle, y in zip(angles, y_mm, strict=True)]
        column, row = np.moveaxis(np.round(sheet.cell(np.array(there).reshape(-1, 2))).astype(int), 1, 0)
        column, row = column.reshape(len(angles), 1, -1), row.reshape(len(angles), 1, -1)
        columns = np.minimum(np.maximum(column + shift, 0), width - 1)
        rows = np.minimum(np.maximum(row + 1, 0), height - 1)
        seen.append(around.take(rows * width + columns))
    own = (seen[0] > 0).mean(axis=2)
    scores = np.where(own > _LEAST_OWN, seen[0].mean(axis=2) - (seen[1] > 0).mean(axis=2), -1.0)
    best = [
        Guess(shape, float(x_mm[k]), float(y), float(angle), float(score[k]))
        for angle, y, score, k in zip(angles, y_mm, scores, scores.argmax(axis=1), strict=True)
    ]
    return sorted((g for g in best if g.score > 0), key=lambda g: -g.score)[:2]
