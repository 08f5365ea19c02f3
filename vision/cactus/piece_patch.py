"""What has one colour and hangs together near a cactus, and which pieces could explain it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_fit import ROUGH, at_sight, pose_of
from vision.cactus.piece_hold import APART_MM
from vision.cactus.piece_plane import elsewhere
from vision.cactus.piece_read import Reading, fitted, judged, rivals
from vision.cactus.piece_search import FINE_MM, Bank, Guess, Sheet, find_guesses
from vision.cactus.piece_stand import find_standing
from vision.cactus.piece_view import View
from vision.cactus.upright import Strange

Array = NDArray[np.float64]

_TRIED = 5
_LEAST_WORTH = 0.08
_PROMISING = 0.3
"""Least quality of a guess that is worth a fit."""
_IN_PATCH = 0.1
"""Least share of what is seen of a guess in the patch that it is to explain."""
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)
_SOLID = 4
"""So many cells of a patch, with those beside them, must have its colour: a thin fringe is no piece."""
_LOW_MM = 5.0
"""What shows nowhere so far above the top of a base does not hang."""
_BEHIND, _SUNK_MM = 1.08, 3.0
"""What stands behind a cactus is so many plates behind it, and shows at most so far below the top of its base."""
_GLIMPSE = 0.2
"""Share of what stands there that must be seen to name it."""
_CUT = np.ones((5, 5), np.uint8)
_HOPELESS = 0.1
"""What is as likely as this to be a piece is looked at again on the next picture, where it might be."""
_SKIP = 2
"""Patches are told apart on every other cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """Cells of one colour that hang together on the plane of one cactus.

    `tried` is what was tried for it.
    """

    cactus: int
    label: int
    cells: NDArray[np.bool_]
    tried: tuple[Reading, ...] = ()

    def strange(self, view: View) -> Strange:
        """The patch as something that is no piece, or was not clear enough as one."""
        likely = any(r.chance >= _HOPELESS for r in self.tried)
        ways = [(r.id, r.fit.pose.shape.flipped, r.fit.pose.to_cactus()) for r in self.tried if likely]
        return Strange(view.stage.cacti[self.cactus].id, view.paint.names[self.label], self.cells, tuple(ways))


def patches_of(view: View, sheet: Sheet, cactus: int, least: float, labels: Sequence[int] | None = None) -> list[Patch]:
    """What has one colour, one of some, and hangs together, near one cactus."""
    coarse = np.ascontiguousarray(sheet.labels[::_SKIP, ::_SKIP])
    found = []
    for label in range(len(view.paint.names)) if labels is None else labels:
        cells = np.asarray(cv2.inRange(coarse, label, label)) // 255
        if cv2.countNonZero(cells) * _SKIP**2 < least:
            continue
        left, top, width, height = cv2.boundingRect(cells)
        box = np.s_[top : top + height, left : left + width]
        part = np.pad(cells[box], 1)
        count, areas = cv2.connectedComponents(part)
        amount = np.bincount(areas.ravel(), minlength=count) * _SKIP**2
        solid = np.bincount(areas[cv2.erode(part, _CROSS) > 0], minlength=count)
        for k in range(1, count):
            if amount[k] < least or solid[k] < _SOLID:
                continue
            here = areas[1:-1, 1:-1] == k
            m = cv2.moments(here.view(np.uint8), binaryImage=True)
            centre = np.array([left + m["m10"] / m["m00"], top + m["m01"] / m["m00"]]) * _SKIP
            high = sheet.top_mm - (int(here.any(axis=1).argmax()) + top) * _SKIP * FINE_MM
            if high > _LOW_MM and _is_nearest(view, sheet, cactus, centre):
                found.append(Patch(cactus, label, _cells(sheet, label, here, left * _SKIP, top * _SKIP)))
    return found


def _cells(sheet: Sheet, label: int, coarse: NDArray[np.bool_], left: int, top: int) -> NDArray[np.bool_]:
    """The cells of one colour that a part of the coarser grid has."""
    out = np.zeros(sheet.labels.shape, np.bool_)
    box = np.s_[top : top + _SKIP * coarse.shape[0], left : left + _SKIP * coarse.shape[1]]
    here = sheet.labels[box] == label
    out[box] = _spread(coarse, here.shape) & here
    return out


def _spread(cells: NDArray[np.bool_], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Cells of a coarser grid on the fine one."""
    size = (_SKIP * cells.shape[1], _SKIP * cells.shape[0])
    fine = cv2.resize(cells.view(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    return fine[: shape[0], : shape[1]].view(np.bool_)


def near_cells(view: View, sheet: Sheet, within_mm: float = APART_MM) -> NDArray[np.bool_]:
    """Cells no farther from cacti and from what hangs on them than anything that hangs can be."""
    held = ((sheet.labels == view.explained) | (sheet.labels == len(view.paint.names)))[::_SKIP, ::_SKIP]
    away = cv2.distanceTransform(1 - held.astype(np.uint8), cv2.DIST_L2, 3)
    return _spread(away < within_mm / (FINE_MM * _SKIP), sheet.labels.shape)


def readings_of(
    view: View,
    sheet: Sheet,
    patch: Patch,
    bank: Bank,
    thickness_mm: float,
    taken: set[str],
    promising: float = _PROMISING,
) -> list[Reading]:
    """What could explain a patch, the clearest first."""
    color = view.paint.names[patch.label]
    hiders = view.hiders(patch.label)
    guesses = find_guesses(bank, color, sheet, patch.cells, patch.label, hiders, taken)
    guesses = [g for g in guesses if g.score > _LEAST_WORTH and _covers(sheet, g, patch)]
    poses = [pose_of(g, thickness_mm) for g in guesses]
    first = [judged(view, patch.cactus, at_sight(p)) for p in poses]
    likely = sorted((r for r in first if r.quality > promising), key=lambda r: -r.chance)[:_TRIED]
    readings = fitted(view, [(patch.cactus, r.fit.pose) for r in likely], ROUGH)
    if not any(r.convinces for r in readings):
        others = [elsewhere(view, r, f) for r, f in zip(likely, readings, strict=True)]
        readings += fitted(view, [o for o in others if o is not None], ROUGH)
    readings = rivals(readings)
    if not any(r.convinces for r in readings) and _is_cut(view, sheet, patch, bank):
        _, height, away = view.backs[1][patch.cactus]
        seen_mm = _BEHIND * thickness_mm * float(height / max(abs(away), 1.0))
        guesses = find_standing(bank, color, sheet, patch.label, hiders, taken, seen_mm)
        stand = [(patch.cactus, pose_of(g, thickness_mm)) for g in guesses if _covers(sheet, g, patch)]
        stood = [replace(r, least=_GLIMPSE) for r in fitted(view, stand, ROUGH)]
        readings = rivals([*readings, *stood])
    return sorted(readings, key=lambda r: -r.strength)


def _is_cut(view: View, sheet: Sheet, patch: Patch, bank: Bank) -> bool:
    """Whether what has that colour ends at the edge of its cactus, so low that it may stand on the base behind it."""
    rows, columns = np.flatnonzero(patch.cells.any(axis=1)), np.flatnonzero(patch.cells.any(axis=0))
    low, left, right = sheet.top_mm - rows[-1] * FINE_MM, *(sheet.left_mm + columns[[0, -1]] * FINE_MM)
    beside = (bank.base_mm[0] + bank.longest_mm) / 2
    if not (-_SUNK_MM < low < bank.longest_mm / 2 and -beside < left and right < beside):
        return False
    box = np.s_[max(rows[0] - 2, 0) : rows[-1] + 3, max(columns[0] - 2, 0) : columns[-1] + 3]
    about = cv2.dilate(patch.cells[box].astype(np.uint8), _CUT)
    return bool(np.count_nonzero(about[sheet.labels[box] == len(view.paint.names)]))


def _covers(sheet: Sheet, guess: Guess, patch: Patch) -> bool:
    """Whether much of what is seen of a guess is in a patch."""
    column, row = np.round(sheet.cell(guess.inside_mm())).astype(int).T
    height, width = patch.cells.shape
    good = (column >= 0) & (row >= 0) & (column < width) & (row < height)
    own = int(np.count_nonzero(sheet.labels[row[good], column[good]] == patch.label))
    return int(np.count_nonzero(patch.cells[row[good], column[good]])) > _IN_PATCH * max(own, 1)


def _is_nearest(view: View, sheet: Sheet, cactus: int, centre: Array) -> bool:
    """Whether no other cactus is nearer to a cell of a sheet."""
    x = sheet.left_mm + float(centre[0]) * FINE_MM
    y = sheet.top_mm - float(centre[1]) * FINE_MM
    at = view.stage.project(np.array([[x, y, 0.0]]), view.stage.cacti[cactus].to_camera)[0]
    away = [
        -cv2.pointPolygonTest(f.astype(np.float32), (float(at[0]), float(at[1])), True) / s
        for f, s in zip(view.faces_px, view.px_mm, strict=True)
    ]
    return int(np.argmin(away)) == cactus
