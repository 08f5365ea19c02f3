"""Pieces that their paint does not tell from what is behind them, found by the shade that they have in this picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_again import hide, look_where, looks_again, shades_off
from vision.cactus.piece_known import about_as_before, recognised
from vision.cactus.piece_patch import near_cells, patches_of, readings_of
from vision.cactus.piece_read import Reading, covers, mark
from vision.cactus.piece_search import FINE_MM, Bank, Sheet
from vision.cactus.piece_view import View, sheet_of
from vision.cactus.upright import HungPiece
from vision.types import Rgb

Array = NDArray[np.float64]

_PROMISING = 0.5
"""Least quality of a guess that is worth a fit."""
_AREA = (0.4, 2.5)
"""Shares of the smallest and of the largest piece between which a patch may be."""
_AT_MM = 4.0
"""It is no farther from what stands or hangs."""
_LARGEST = 3
"""So many patches of one shade near one cactus, the largest, are looked at."""
_FAR, _PLATE = 2.5, 0.05
"""What is farther from its paint, in spreads, and looks less like a plate is ground."""
_STILL = 0.6
"""So likely a piece hangs where it hung, once all else is found."""


def find_in_own_shade(
    view: View,
    sheets: list[Sheet],
    bank: Bank,
    known: Sequence[HungPiece],
    thickness_mm: float,
    named: set[str],
    *,
    last: bool = False,
) -> list[list[Reading]]:
    """Pieces that hang where they hung, by the shade that their place has; at last also those that are less clear."""
    found: list[list[Reading]] = []
    for piece in (p for p in known if p.id not in named):
        label = next(view.label_of(s) for shapes in bank.shapes.values() for s in shapes if s.piece.id == piece.id)
        again = look_where(view, piece.outline_px - view.corner, label)
        far = float(shades_off(view, again.paint.shades[label][None])[0, label])
        copies = [replace(s, labels=s.labels.copy()) for s in sheets]
        for group in recognised(again, copies, bank, [piece], thickness_mm, about_as_before):
            told = group[0].chance >= _STILL if last else group[0].stands_out()
            if told and _is_plate(group[0], far):
                mark(view, sheets, group[0])
                hide(view, group[0].outline_px)
                found.append(group)
    return found


def find_overlooked(
    view: View,
    sheets: list[Sheet],
    bank: Bank,
    thickness_mm: float,
    taken: set[str],
    before: Rgb | None,
    missed: Sequence[Array],
) -> list[list[Reading]]:
    """Pieces before something of nearly their own colour, the clearest first."""
    least, most = (_AREA[0] * bank.smallest_mm2 / FINE_MM**2, _AREA[1] * bank.largest_mm2 / FINE_MM**2)
    near = [near_cells(view, sheet, _AT_MM) for sheet in sheets]
    waiting: list[tuple[float, list[Reading]]] = []
    for look in looks_again(view, bank, before, missed):
        sheet = sheet_of(look.view, look.cactus)
        patches = patches_of(look.view, sheet, look.cactus, least, (look.label,))
        patches = [p for p in patches if np.count_nonzero(p.cells) < most and (p.cells & near[look.cactus]).any()]
        for patch in sorted(patches, key=lambda p: -np.count_nonzero(p.cells))[:_LARGEST]:
            readings = readings_of(look.view, sheet, patch, bank, thickness_mm, taken, _PROMISING)
            waiting.append(
                (look.far, [r for r in readings if r.stands_out(before is not None) and _is_plate(r, look.far)])
            )
    found: list[list[Reading]] = []
    while any(group for _, group in waiting):
        _, best = max((w for w in waiting if w[1]), key=lambda w: w[1][0].strength / (1 + w[0]))
        found.append(best)
        mark(view, sheets, best[0])
        hide(view, best[0].outline_px)
        waiting = [(far, [r for r in group if r.id != best[0].id and not covers(r, best[0])]) for far, group in waiting]
    return found


def _is_plate(reading: Reading, far: float) -> bool:
    """Whether what has a shade so many spreads from its paint may be a piece: ground is often somewhat of a paint."""
    return far < _FAR or (np.isfinite(far) and reading.plate >= _PLATE)
