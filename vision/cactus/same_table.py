"""Whether a second picture shows the same table: the same cacti, the right way round, with the same pieces on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.contacts import sight
from vision.cactus.hung_table import px_per_mm
from vision.cactus.joint_start import Sighted
from vision.cactus.piece_fit import ROUGH, pose_from
from vision.cactus.piece_read import fitted
from vision.cactus.piece_search import bank_of
from vision.cactus.piece_view import View, look_at
from vision.cactus.sight import EDGE_MM, inner_points, uncovered
from vision.cactus.upright import HungPiece, Rigid, Stage, Upright
from vision.types import Failure

Array = NDArray[np.float64]

_MOST_REVERSED = 0.5
"""Share of the pairs of cacti that may have changed sides on the way round them."""
_MOVED_MM = 10.0
"""A piece that hangs so far from where it hung, seen from the front of its cactus, is not where it was."""
_MOST_MOVED = 0.25
"""Share of the pieces of which that may be said by mistake."""
_SURE, _SHOWN = 0.9, 0.7
"""A piece of such confidence, of which such a share is seen, is not told by mistake."""
_FREE = 0.5
"""Least share of its place that nothing hides in the other picture."""
_OWN, _GONE = 0.6, 0.1
"""Share of a place that has a piece's colour where it hangs, and where it does not ..."""
_DEEPER_MM = np.array([0.0, -4.0, 4.0, -8.0, 8.0])
"""... wherever it is along the first camera's line of sight."""
_REACH_MM = 300.0
"""No piece hangs farther from the foot of its cactus."""
_SAME_RAD = 0.04
"""Two cameras that stand so little apart, seen from the cacti, see the same: measured places are off by half of it."""
_TRACED = 0.5
"""Share of an outline along which edges are seen, from which on something of its shape is there."""


def another_table(cactus_set: CactusSet, first: Sighted, second: Sighted) -> Failure | None:
    """Why two pictures cannot be of one table; None where nothing speaks against it.

    Parameters
    ----------
    cactus_set
        The set.
    first, second
        Both pictures.
    """
    if first.rgb is not None and second.rgb is not None and np.array_equal(first.rgb, second.rgb):
        return Failure("same picture", "it is the very photo that is judged")
    ours, theirs = ({u.id: u for u in s.stage.cacti} for s in (first, second))
    shared = [name for name in ours if name in theirs]
    if not shared:
        return Failure("no shared cactus", "it shows none of these cacti")
    if _is_mirrored([(ours[name], theirs[name]) for name in shared]):
        return Failure("mirrored", "it shows the cacti mirrored, or from behind")
    hung, there = {h.id: h for h in first.hung}, {h.id: h for h in second.hung}
    both = [name for name in hung if name in there and hung[name].cactus in theirs and there[name].cactus in ours]
    moved = [name for name in both if _is_moved(hung[name], there[name])]
    if len(moved) > max(1.0, _MOST_MOVED * len(both)):
        return Failure("another table", f"{moved[0]} and others hang elsewhere there")
    missed = _missed(cactus_set, first, second, moved) or _missed(cactus_set, second, first, moved)
    if missed:
        return Failure("another table", f"{missed} hangs in one of the photos only")
    if _is_same_place([(ours[name], theirs[name]) for name in shared]):
        return Failure("same view", "it was taken from where the photo that is judged was taken")
    return None


def _is_same_place(pairs: Sequence[tuple[Upright, Upright]]) -> bool:
    """Whether most cacti were looked at from one side: then a second picture tells no more than the first."""
    apart = []
    for a, b in pairs:
        p, q = a.to_camera.inverse().t, b.to_camera.inverse().t
        apart.append(float(np.arctan2(np.linalg.norm(np.cross(p, q)), p @ q)))
    return float(np.median(apart)) < _SAME_RAD


def _is_mirrored(pairs: Sequence[tuple[Upright, Upright]]) -> bool:
    """Whether most cacti turn their other side, or stand in the other order from left to right."""
    sides = [a.to_camera.inverse().t[2] * b.to_camera.inverse().t[2] < 0 for a, b in pairs]
    turned = [(_aside(a) - _aside(c)) * (_aside(b) - _aside(d)) < 0 for (a, b), (c, d) in combinations(pairs, 2)]
    return float(np.mean(sides)) > _MOST_REVERSED or (len(pairs) > 2 and float(np.mean(turned)) > _MOST_REVERSED)


def _aside(upright: Upright) -> float:
    x, _, z = upright.to_camera.t
    return float(x / z)


def _is_moved(a: HungPiece, b: HungPiece) -> bool:
    off = float(np.hypot(*(a.to_cactus.t - b.to_cactus.t)[:2]))
    return a.cactus != b.cactus or (a.flipped == b.flipped and off > _MOVED_MM)


def _missed(cactus_set: CactusSet, here: Sighted, there: Sighted, moved: Sequence[str]) -> str | None:
    """A piece that clearly hangs in one picture, where the other clearly shows something else."""
    found = {h.id for h in there.hung} - set(moved)
    asked = [h for h in here.hung if h.id not in found and h.confidence >= _SURE and h.visible >= _SHOWN]
    if not asked or here.rgb is None or there.rgb is None:
        return None
    bank = bank_of(cactus_set)
    views = [look_at(s.rgb, cactus_set, s.stage, bank) for s in (here, there) if s.rgb is not None]
    for piece in asked:
        own = _share(cactus_set, views[0], here, piece)
        if own is None or own < _OWN:
            continue
        places = _places(here.stage, piece)
        shares = [_share(cactus_set, views[1], there, place) for place in places]
        if any(share is None for share, place in zip(shares, places, strict=True) if place.cactus == piece.cactus):
            continue
        empty = all(share is None or share <= _GONE for share in shares)
        if empty and not any(_has_edges(cactus_set, views[1], there, place) for place in places):
            return piece.id
    return None


def _places(stage: Stage, piece: HungPiece) -> list[HungPiece]:
    """Where a piece may hang that was seen in one picture: nearer or farther than it seems, or on another cactus."""
    upright = next((u for u in stage.cacti if u.id == piece.cactus), None)
    if upright is None:
        return []
    along = sight(upright, piece)
    poses = [(upright.id, Rigid(piece.to_cactus.R, piece.to_cactus.t + along * mm)) for mm in _DEEPER_MM]
    for other in (u for u in stage.cacti if u is not upright):
        back = other.to_camera.inverse()
        pose, eye = back.after(upright.to_camera.after(piece.to_cactus)), back.t
        share = eye[2] / (eye[2] - pose.t[2]) if abs(eye[2] - pose.t[2]) > 1.0 else 0.0
        t = eye + (pose.t - eye) * share
        if share > 0 and np.abs(t[:2]).max() < _REACH_MM:
            poses.append((other.id, Rigid(pose.R, t)))
    return [replace(piece, cactus=name, to_cactus=pose) for name, pose in poses]


def _has_edges(cactus_set: CactusSet, view: View, sighted: Sighted, piece: HungPiece) -> bool:
    """Whether something of its outline hangs where a piece may hang, in whatever colour it is seen."""
    names = [u.id for u in sighted.stage.cacti]
    shapes = bank_of(cactus_set).shapes[cactus_set.piece(piece.id).color]
    own = [s for s in shapes if (s.piece.id, s.flipped) == (piece.id, piece.flipped)]
    if piece.cactus not in names or not own:
        return False
    pose = pose_from(own[0], piece.to_cactus, cactus_set.thickness_mm)
    (reading,) = fitted(view, [(names.index(piece.cactus), pose)], ROUGH)
    return reading.fit.seen >= _TRACED


def _share(cactus_set: CactusSet, view: View, sighted: Sighted, piece: HungPiece) -> float | None:
    """Share of a piece's place that has its colour in a picture; None where too little of it can be seen."""
    stage: Stage = sighted.stage
    upright = next((u for u in stage.cacti if u.id == piece.cactus), None)
    if upright is None:
        return None
    look = cactus_set.piece(piece.id)
    flat = inner_points(look) * ([-1.0, 1.0] if piece.flipped else [1.0, 1.0])
    points = stage.project(np.column_stack([flat, np.zeros(len(flat))]), upright.to_camera.after(piece.to_cactus))
    others = [h.outline_px for h in sighted.hung if h.id != piece.id]
    free = uncovered(points, others, EDGE_MM * px_per_mm(piece, stage))
    x, y = (np.round(points - view.corner).astype(int)).T
    height, width = view.seen.shape
    free &= (x >= 0) & (y >= 0) & (x < width) & (y < height)
    seen = view.seen[y[free], x[free]]
    seen = seen[seen != len(view.paint.names)]
    if len(seen) < max(_FREE * len(points), 6):
        return None
    return float((seen == view.paint.names.index(look.color)).mean())
