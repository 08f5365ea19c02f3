"""Which pieces hang on the cacti that stand in view, and exactly where."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.cactus_set import CactusSet
from vision.piece_fit import AGAIN, ROUGH, at_sight, pose_from, pose_of
from vision.piece_hold import APART_MM, hanging
from vision.piece_known import about_as_before, as_before, from_aside, hardly, recognised
from vision.piece_read import Reading, fitted, judged, mark, rivals
from vision.piece_search import FINE_MM, Bank, Guess, Sheet, bank_of, find_guesses
from vision.piece_stand import find_standing
from vision.piece_view import View, look_at, sheet_of
from vision.types import Rgb
from vision.upright import HungPiece, Stage, Strange

Array = NDArray[np.float64]

_LEAST = 0.12
"""Share of the smallest piece below which nothing is searched for."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What hangs, and what looks like pieces and is none."""

    hung: tuple[HungPiece, ...]
    strange: tuple[Strange, ...]


def find_hung(
    rgb: Rgb,
    cactus_set: CactusSet,
    stage: Stage,
    known: Sequence[HungPiece] = (),
    strange: Sequence[Strange] = (),
    *,
    aside: bool = False,
) -> Found:
    """The pieces that hang on the cacti of a stage.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    cactus_set
        The set.
    stage
        Where the cacti stand, and the camera.
    known
        What hung there on the photo before: looked for first, where it was.
    strange
        What was none of the pieces then: only where more of it is seen now is it looked at again.
    aside
        Whether that photo was taken from another place: then how deep pieces hang is known no better than they say.

    Returns
    -------
    Found
        Each piece of the set at most once.
    """
    if not stage.cacti:
        return Found((), ())
    bank = bank_of(cactus_set)
    view = look_at(rgb, cactus_set, stage, bank)
    sheets = [sheet_of(view, i) for i in range(len(stage.cacti))]
    still = recognised(view, sheets, bank, known, cactus_set.thickness_mm, from_aside if aside else as_before)
    patches = [
        patch
        for i, sheet in enumerate(sheets)
        for patch in _patches(view, sheet, i, _LEAST * bank.smallest_mm2 / FINE_MM**2)
    ]
    taken = {g[0].id for g in still}
    fresh, old = _told_apart(view, patches, strange, _LEAST * bank.smallest_mm2 / FINE_MM**2)
    again = [p for p, s in old if _clears_up(view, p, s, bank, cactus_set.thickness_mm, taken)]
    old = [(p, s) for p, s in old if not any(p is a for a in again)]
    found, dull = _explain(view, sheets, fresh + again, [p for p, _ in old], bank, cactus_set.thickness_mm, taken)
    left = [s for p, s in old if any(p is d for d in dull)]
    left += [p.strange(view) for p in dull if not any(p is o for o, _ in old)]
    found = still + found
    named = {g[0].id for g in found}
    missed = [piece for piece in known if piece.id not in named]
    found += recognised(view, sheets, bank, missed, cactus_set.thickness_mm, hardly if aside else about_as_before)
    return Found(hanging(view, _assign(found), cactus_set), tuple(left))


def _told_apart(
    view: View, patches: list[Patch], strange: Sequence[Strange], least: float
) -> tuple[list[Patch], list[tuple[Patch, Strange]]]:
    """The patches that are to be explained, and those that were looked at a picture ago, with what they were then."""
    fresh, old = [], []
    for patch in patches:
        name, color = view.stage.cacti[patch.cactus].id, view.paint.names[patch.label]
        before = next(
            (s for s in strange if (s.cactus, s.color) == (name, color) and s.is_still(patch.cells, least)), None
        )
        if before is None:
            fresh.append(patch)
        else:
            old.append((patch, before))
    return fresh, old


def _clears_up(
    view: View, patch: Patch, before: Strange, bank: Bank, thickness_mm: float, taken: Container[str]
) -> bool:
    """Whether a patch that might have been a piece a picture ago, and looks as it did then, is to be explained now."""
    shapes = {(s.piece.id, s.flipped): s for s in bank.shapes[before.color]}
    ways = [(shapes[name, back], to_cactus) for name, back, to_cactus in before.perhaps if (name, back) in shapes]
    if any(shape.piece.id in taken for shape, _ in ways):
        return True
    poses = [(patch.cactus, pose_from(shape, to_cactus, thickness_mm)) for shape, to_cactus in ways]
    return any(r.convinces for r in rivals(fitted(view, poses, AGAIN)))


def _patches(view: View, sheet: Sheet, cactus: int, least: float) -> list[Patch]:
    """What has one colour and hangs together, near one cactus."""
    coarse = np.ascontiguousarray(sheet.labels[::_SKIP, ::_SKIP])
    found = []
    for label in range(len(view.paint.names)):
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


def _explain(
    view: View,
    sheets: list[Sheet],
    patches: list[Patch],
    dull: list[Patch],
    bank: Bank,
    thickness_mm: float,
    taken: set[str],
) -> tuple[list[list[Reading]], list[Patch]]:
    """The pieces that explain the patches, the clearest first, each with the readings that compete for it; the rest.

    Of `dull` patches it is known that no piece explains them as they are.
    """
    least = _LEAST * bank.smallest_mm2 / FINE_MM**2
    found: list[list[Reading]] = []
    waiting: list[tuple[list[Reading], Patch]] = []
    while True:
        near = {c: _near(view, sheets[c]) for c in {p.cactus for p in patches}}
        ready = [p for p in patches if (p.cells & near[p.cactus]).any()]
        patches = [p for p in patches if not any(p is r for r in ready)]
        for p in ready:
            readings = _read(view, sheets[p.cactus], p, bank, thickness_mm, taken)
            good = [r for r in readings if r.convinces]
            if good:
                waiting.append((good, p))
            else:
                dull = [*dull, replace(p, tried=tuple(readings))]
        if not waiting:
            return found, dull
        readings, patch = max(waiting, key=lambda w: w[0][0].strength)
        (first,) = fitted(view, [(patch.cactus, readings[0].fit.pose)])
        first = replace(first, rival=readings[0].rival, least=readings[0].least)
        readings = [first if first.convinces else readings[0], *readings[1:]]
        found.append(readings)
        touched = mark(view, sheets, readings[0])
        again = [p for o, p in waiting if p.label == patch.label and (p is patch or _overlap(o, touched))]
        again += [p for p in dull if p.label == patch.label]
        waiting = [w for w in waiting if not any(w[1] is p for p in again)]
        for p in again:
            left = p.cells & (sheets[p.cactus].labels == p.label)
            changed = np.count_nonzero(left) < np.count_nonzero(p.cells)
            if changed:
                dull = [d for d in dull if d is not p]
            if left.sum() >= least and (changed or not (p is patch or any(p is d for d in dull))):
                patches.append(Patch(p.cactus, p.label, left))


def _near(view: View, sheet: Sheet) -> NDArray[np.bool_]:
    """Cells no farther from cacti and from what hangs on them than anything that hangs can be."""
    held = ((sheet.labels == view.explained) | (sheet.labels == len(view.paint.names)))[::_SKIP, ::_SKIP]
    away = cv2.distanceTransform(1 - held.astype(np.uint8), cv2.DIST_L2, 3)
    return _spread(away < APART_MM / (FINE_MM * _SKIP), sheet.labels.shape)


def _overlap(readings: list[Reading], box: tuple[float, float, float, float]) -> bool:
    """Whether any of the readings reaches into a box."""
    sides = [(*r.outline_px.min(axis=0), *r.outline_px.max(axis=0)) for r in readings]
    return any(x0 < box[2] and x1 > box[0] and y0 < box[3] and y1 > box[1] for x0, y0, x1, y1 in sides)


def _read(view: View, sheet: Sheet, patch: Patch, bank: Bank, thickness_mm: float, taken: set[str]) -> list[Reading]:
    """What could explain a patch, the clearest first."""
    color = view.paint.names[patch.label]
    hiders = view.hiders(patch.label)
    guesses = find_guesses(bank, color, sheet, patch.cells, patch.label, hiders, taken)
    guesses = [g for g in guesses if g.score > _LEAST_WORTH and _covers(sheet, g, patch)]
    poses = [pose_of(g, thickness_mm) for g in guesses]
    first = [judged(view, patch.cactus, at_sight(p)) for p in poses]
    likely = sorted((r for r in first if r.quality > _PROMISING), key=lambda r: -r.chance)[:_TRIED]
    readings = rivals(fitted(view, [(patch.cactus, r.fit.pose) for r in likely], ROUGH))
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


def _assign(groups: list[list[Reading]]) -> list[tuple[Reading, list[Reading]]]:
    """Each piece to at most one of the patches, each with the readings that it was chosen from."""
    if not groups:
        return []
    names = sorted({r.id for g in groups for r in g})
    worth = np.zeros((len(groups), len(names)))
    best: dict[tuple[int, int], Reading] = {}
    for i, group in enumerate(groups):
        for r in group:
            k = names.index(r.id)
            if r.strength > worth[i, k]:
                worth[i, k], best[i, k] = r.strength, r
    rows, columns = linear_sum_assignment(-worth)
    return [(best[i, k], groups[i]) for i, k in zip(rows, columns, strict=True) if (i, k) in best]
