"""Which pieces hang on the cacti that stand in view, and exactly where."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.cactus.cactus_set import CactusSet
from vision.cactus.piece_fit import AGAIN, pose_from
from vision.cactus.piece_hold import hanging
from vision.cactus.piece_known import about_as_before, as_before, from_aside, hardly, recognised
from vision.cactus.piece_overlooked import find_in_own_shade, find_overlooked
from vision.cactus.piece_patch import Patch, near_cells, patches_of, readings_of
from vision.cactus.piece_read import Reading, fitted, mark, rivals
from vision.cactus.piece_search import FINE_MM, Bank, Sheet, bank_of
from vision.cactus.piece_view import View, look_at, sheet_of
from vision.cactus.upright import HungPiece, Stage, Strange
from vision.types import Rgb

Array = NDArray[np.float64]

_LEAST = 0.12
"""Share of the smallest piece below which nothing is searched for."""


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
    before: Rgb | None = None,
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
    before
        That photo, if it was taken from the same place: only what differs from it is looked at by shades of its own.

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
    if not aside:
        still += find_in_own_shade(view, sheets, bank, known, cactus_set.thickness_mm, {g[0].id for g in still})
    patches = [
        patch
        for i, sheet in enumerate(sheets)
        for patch in patches_of(view, sheet, i, _LEAST * bank.smallest_mm2 / FINE_MM**2)
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
    left_out = [piece for piece in known if piece.id not in named]
    missed = [piece.outline_px - view.corner for piece in left_out]
    found += find_overlooked(view, sheets, bank, cactus_set.thickness_mm, named, before, missed)
    named = {g[0].id for g in found}
    if not aside:
        found += find_in_own_shade(view, sheets, bank, known, cactus_set.thickness_mm, named, last=True)
        named = {g[0].id for g in found}
    lost = [piece for piece in left_out if piece.id not in named]
    found += recognised(view, sheets, bank, lost, cactus_set.thickness_mm, hardly if aside else about_as_before)
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
        near = {c: near_cells(view, sheets[c]) for c in {p.cactus for p in patches}}
        ready = [p for p in patches if (p.cells & near[p.cactus]).any()]
        patches = [p for p in patches if not any(p is r for r in ready)]
        for p in ready:
            readings = readings_of(view, sheets[p.cactus], p, bank, thickness_mm, taken)
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


def _overlap(readings: list[Reading], box: tuple[float, float, float, float]) -> bool:
    """Whether any of the readings reaches into a box."""
    sides = [(*r.outline_px.min(axis=0), *r.outline_px.max(axis=0)) for r in readings]
    return any(x0 < box[2] and x1 > box[0] and y0 < box[3] and y1 > box[1] for x0, y0, x1, y1 in sides)


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
