"""Where a fit over two pictures begins: from what the eye found in each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.joint_fit import FINE, ROUGH, Fitted, Joint
from vision.cactus.two_views import Cameras, Solid
from vision.cactus.upright import HungPiece, Rigid, Stage
from vision.types import Rgb

Array = NDArray[np.float64]

_MOST_PX = 20.0
"""An outline farther off than this is not a little off: then it does not matter by how much."""
_BETTER_PX = 0.5
_ALIKE_MM = 0.7
"""Places that differ by less than this are one."""


@dataclass(frozen=True, slots=True, eq=False)
class Sighted:
    """What one picture shows: its cacti, and what hangs on them; and the picture, where there is one."""

    stage: Stage
    hung: tuple[HungPiece, ...]
    rgb: Rgb | None = None


def fit_both(cactus_set: CactusSet, first: Sighted, second: Sighted, agreed: Sequence[HungPiece]) -> Fitted | None:
    """Lay cameras, cacti and pieces on both pictures at once; None without pictures or a cactus that both show.

    Parameters
    ----------
    cactus_set
        The set.
    first, second
        Both pictures.
    agreed
        Pieces of the first where the outlines of both views have them.
    """
    if first.rgb is None or second.rgb is None:
        return None
    cameras = _cameras(cactus_set, first.stage, second.stage)
    if cameras is None:
        return None
    looks = {c.id: c for c in cactus_set.cacti}
    thickness = cactus_set.thickness_mm
    solids = [Solid.of(k, k, looks[k].outline_mm, k, thickness, None) for k in cameras.cacti]
    places: list[list[Rigid]] = []
    there = {h.id: h for h in second.hung}
    known = {h.id: h for h in agreed}
    for piece in first.hung:
        if piece.cactus not in cameras.cacti:
            continue
        also = [h for h in (known.get(piece.id), there.get(piece.id)) if h is not None and _same_way(piece, h)]
        mirror = [-1.0, 1.0] if piece.flipped else [1.0, 1.0]
        look = cactus_set.piece(piece.id)
        outline = look.outline_mm * mirror
        places.append(_apart([h.to_cactus for h in (*also, piece)], outline))
        solids.append(Solid.of(piece.id, piece.cactus, outline, look.color, thickness, places[-1][0]))
    pictures = (first.rgb.astype(np.float32), second.rgb.astype(np.float32))
    joint = Joint(pictures, cameras, solids)
    try:
        joint.run(ROUGH, pieces=False)
        _choose(joint, places, len(solids) - len(places))
        fitted = joint.told(joint.run(FINE))
    except (np.linalg.LinAlgError, shapely.errors.GEOSException):
        return None  # pictures that show something else altogether
    return fitted if np.isfinite(fitted.covariance).all() else None


def _choose(joint: Joint, places: list[list[Rigid]], first: int) -> None:
    """Hang each piece where the pictures bear it out best, of the places at which it may hang."""
    best: list[tuple[float, Rigid | None]] = [(-1.0, None)] * len(places)
    for turn in range(max((len(p) for p in places), default=0)):
        for k, options in enumerate(places):
            if turn < len(options):
                joint.solids[first + k] = replace(joint.solids[first + k], pose=options[turn])
            else:
                joint.solids[first + k] = replace(joint.solids[first + k], pose=best[k][1])
        joint.run((*ROUGH, FINE[0]), stage=False)
        for k, support in enumerate(joint.support()):
            if support.share > best[k][0]:
                best[k] = support.share, joint.solids[first + k].pose
    for k, (_, pose) in enumerate(best):
        joint.solids[first + k] = replace(joint.solids[first + k], pose=pose)


def _same_way(a: HungPiece, b: HungPiece) -> bool:
    return a.cactus == b.cactus and a.flipped == b.flipped


def _apart(places: list[Rigid], outline_mm: Array) -> list[Rigid]:
    """Those that put the outline to places of its own."""
    rim = np.column_stack([outline_mm, np.zeros(len(outline_mm))])
    kept: list[Rigid] = []
    for place in places:
        if all(np.linalg.norm(place.apply(rim) - k.apply(rim), axis=1).max() > _ALIKE_MM for k in kept):
            kept.append(place)
    return kept


def _cameras(cactus_set: CactusSet, first: Stage, second: Stage) -> Cameras | None:
    """Both cameras before the cacti of the first picture: the second stands where most cacti agree."""
    ours = {u.id: u.to_camera for u in first.cacti}
    theirs = {u.id: u.to_camera for u in second.cacti}
    shared = [name for name in ours if name in theirs]
    if not shared:
        return None
    rims = {
        c.id: np.column_stack([c.outline_mm, np.zeros(len(c.outline_mm))])
        for c in cactus_set.cacti
        if c.id in ours or c.id in theirs
    }

    def off_px(stage: Stage, name: str, a: Rigid, b: Rigid) -> float:
        apart = stage.project(rims[name], a) - stage.project(rims[name], b)
        return min(float(np.linalg.norm(apart, axis=1).mean()), _MOST_PX)

    relations = [theirs[name].after(ours[name].inverse()) for name in shared]
    costs = [sum(off_px(second, name, r.after(ours[name]), theirs[name]) for name in shared) for r in relations]
    relation = relations[int(np.argmin(costs))]
    for name in shared:
        # From one side a plate that is turned to the left looks much like one that is turned to the right.
        turned = relation.inverse().after(theirs[name])
        here = off_px(second, name, relation.after(ours[name]), theirs[name])
        if off_px(first, name, turned, ours[name]) < here - _BETTER_PX:
            ours[name] = turned
    width, height = second.camera.size_px
    for name in [name for name in ours if name not in theirs]:
        # What was not found there is looked for where it must be, if that is in the picture.
        px = second.project(rims[name], relation.after(ours[name]))
        if (px < 0).any() or (px > [width - 1, height - 1]).any():
            del ours[name]
    return Cameras((first.camera, second.camera), relation, ours)
