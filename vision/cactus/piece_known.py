"""Pieces that are known to hang somewhere, found again: from the same place, or from another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.cactus.piece_fit import AGAIN, DEPTH_SIGMA_MM, EXACT, ROUGH, Pose, pose_from
from vision.cactus.piece_read import Reading, fitted, judged, mark
from vision.cactus.piece_search import Bank, Sheet
from vision.cactus.piece_view import View
from vision.cactus.upright import HungPiece

Known = tuple[int, Pose, float]
"""The index of a cactus, a pose on it, and the standard deviation of its depth in mm."""
Look = Callable[[View, Sequence[Known]], list[Reading]]

_RIM_MM = 4.0
"""Farther about an outline nothing tells of it."""
_STILL_MM = 0.4
"""Standard deviation of the depth of a piece that was known a picture ago."""
_STRAY = 0.1
"""Share of an outline beside which edges are seen, from which a piece has moved a little."""
_MOVED_MM = 6.0
"""From another place nothing that hangs seems farther from where it was than its unknown depth explains."""


def recognised(
    view: View, sheets: list[Sheet], bank: Bank, known: Sequence[HungPiece], thickness_mm: float, look: Look
) -> list[list[Reading]]:
    """Pieces that hang where they are known to hang, the clearest first; `look` fits them."""
    names = [c.id for c in view.stage.cacti]
    poses = [
        (names.index(piece.cactus), pose_from(shape, piece.to_cactus, thickness_mm), piece.depth_sigma_mm)
        for piece in known
        for shapes in bank.shapes.values()
        for shape in shapes
        if (shape.piece.id, shape.flipped) == (piece.id, piece.flipped) and piece.cactus in names
    ]
    found: list[list[Reading]] = []
    taken = np.zeros((0, 4))
    within = _RIM_MM * max(view.px_mm, default=1.0)
    for first in sorted(look(view, poses), key=lambda r: -r.strength):
        low, high = first.outline_px.min(axis=0), first.outline_px.max(axis=0)
        near = (low < taken[:, 2:] + within) & (high > taken[:, :2] - within)
        reading = judged(view, first.cactus, first.fit) if near.all(axis=1).any() else first
        if reading.stands:
            found.append([reading])
            taken = np.vstack([taken, [*low, *high]])
            mark(view, sheets, reading)
    return found


def as_before(view: View, known: Sequence[Known]) -> list[Reading]:
    """Pieces on another photo from the same place, those that are as clear as any that nobody knew of.

    What is less clear may have been pushed.
    """
    return [r for r in about_as_before(view, known) if r.convinces]


def about_as_before(view: View, known: Sequence[Known]) -> list[Reading]:
    """Pieces on another photo from the same place."""
    poses = [(cactus, pose) for cactus, pose, _ in known]
    readings = fitted(view, poses, AGAIN, _STILL_MM)
    nudged = [i for i, r in enumerate(readings) if not r.stands or r.fit.astray > _STRAY]
    for i, reading in zip(nudged, fitted(view, [poses[i] for i in nudged], EXACT, _STILL_MM), strict=True):
        readings[i] = reading
    return readings


def from_aside(view: View, known: Sequence[Known]) -> list[Reading]:
    """Pieces on a photo from another place, those that are as clear as any that nobody knew of."""
    return [r for r in hardly(view, known) if r.convinces and r.fit.astray <= _STRAY]


def hardly(view: View, known: Sequence[Known]) -> list[Reading]:
    """Pieces on a photo from another place, those too that are just borne out."""
    poses = [(cactus, pose) for cactus, pose, _ in known]
    deep = np.clip([sigma for _, _, sigma in known], _STILL_MM, DEPTH_SIGMA_MM)
    readings = fitted(view, poses, ROUGH, np.asarray(deep, np.float64))
    off = [np.linalg.norm(r.fit.pose.numbers[:2] - p.numbers[:2]) for r, (_, p) in zip(readings, poses, strict=True)]
    return [r for r, mm in zip(readings, off, strict=True) if mm < _MOVED_MM]
