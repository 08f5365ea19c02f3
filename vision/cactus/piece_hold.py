"""What holds a piece that was found: its cactus, and how far before or behind it hangs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon, box

from vision.cactus.cactus_set import CactusSet
from vision.cactus.piece_fit import Pose
from vision.cactus.piece_layers import Leaf, order_of, settle_depths
from vision.cactus.piece_plane import moved_to, sized_mm
from vision.cactus.piece_read import Reading, fitted, refitted
from vision.cactus.piece_view import View
from vision.cactus.upright import HungPiece

Array = NDArray[np.float64]
Shapes = NDArray[np.object_]

APART_MM = 25.0
"""What stands upright is of a cactus if it is in the picture no farther from it, its base or what hangs on it."""
_LOOSE_MM = 4.0
"""What touches nothing within this is less sure to be there."""
_LOOSE = 0.7
"""So sure is it then, at most."""
_VIA_MM = 1.0
"""So much nearer a piece must be to what hangs on another cactus than to a cactus."""
_SPREAD_MM, _ASIDE_MM, _MOST_ASTRAY = 5.0, 0.2, 4.0
"""So far from the plane of its cactus its size may have a piece; so far aside each squared deviation counts, up to so
many: less in all than that what it touches hangs on another."""
_SUREST = 0.995
_DOUBTED = 4
"""What so few pieces have in common may be chance."""
_SAME_MM = 0.6
"""A depth that differs by less needs no other fit."""
_SUNK_MM = 1.5
"""What shows so far below the top of a base, before its front, lies against it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A reading with its rivals, its cactus, and how sure that is."""

    reading: Reading
    rivals: list[Reading]
    cactus: int
    sureness: float


def hanging(view: View, chosen: list[tuple[Reading, list[Reading]]], cactus_set: CactusSet) -> tuple[HungPiece, ...]:
    """What is in touch with a cactus, by whatever hangs between, and which."""
    faces = _shapes(view.faces_px)
    hangs = [c for c in chosen if not _against_base(c[0].fit.pose, cactus_set.base_mm)]
    held = _held(view, hangs, faces, cactus_set.base_mm)
    held = [h if h.reading.cactus == h.cactus else replace(h, reading=_moved(view, h.reading, h.cactus)) for h in held]
    depths = _depths(view, held, faces, cactus_set.thickness_mm)
    off = [i for i, (h, (z, _)) in enumerate(zip(held, depths, strict=True)) if abs(h.reading.depth_mm - z) > _SAME_MM]
    moved = refitted(view, [(held[i].reading, *depths[i]) for i in off])
    for i, reading in zip(off, moved, strict=True):
        held[i] = replace(held[i], reading=reading)
    return tuple(_piece(view, h, sigma) for h, (_, sigma) in zip(held, depths, strict=True))


def _shapes(outlines_px: Sequence[Array]) -> Shapes:
    """The areas within outlines."""
    return np.asarray(shapely.buffer(np.array([Polygon(o) for o in outlines_px], object), 0), object)


def _held(
    view: View,
    chosen: list[tuple[Reading, list[Reading]]],
    faces: Shapes,
    base_mm: tuple[float, float, float],
) -> list[_Held]:
    """What is near enough to a cactus or to what hangs on it, the nearest first."""
    shapes = _shapes([r.outline_px for r, _ in chosen])
    trunks = shapely.union(faces, np.array([_base(view, k, base_mm) for k in range(len(faces))], object))
    apart = _apart(shapes[:, None], trunks, np.array(view.px_mm))
    astray = _astray(view, [r for r, _ in chosen], apart)
    held: list[_Held] = []
    free = set(range(len(chosen)))
    while free:
        i, c = min(((i, c) for i in free for c in range(len(trunks))), key=lambda k: apart[k] + astray[k])
        if apart[i, c] > APART_MM:
            break
        held.append(_Held(*chosen[i], c, _LOOSE if apart[i, c] > _LOOSE_MM else 1.0))
        free.remove(i)
        left = sorted(free)
        via = _apart(shapes[left], shapes[i], np.array(view.px_mm[c])) + _VIA_MM
        apart[left, c] = np.minimum(apart[left, c], via)
    return held


def _astray(view: View, readings: Sequence[Reading], apart: Array) -> Array:
    """(readings, cacti) how little each hangs as far away as each cactus by its size, against the best, in mm aside."""
    if not readings:
        return np.zeros_like(apart)
    depths = np.array([sized_mm(view, reading) for reading in readings])
    nearest = depths[np.arange(len(readings)), apart.argmin(axis=1)]
    depths -= np.median(nearest) * len(readings) / (len(readings) + _DOUBTED)
    sigma = np.hypot([r.fit.depth_sigma_mm for r in readings], _SPREAD_MM)[:, None]
    off = _ASIDE_MM * np.minimum((depths / sigma) ** 2, _MOST_ASTRAY)
    return np.asarray(off - off.min(axis=1, keepdims=True), np.float64)


def _apart(some: Shapes, others: Shapes, px_mm: Array) -> Array:
    """How far shapes are apart, mm; of those too far to be held only that is known."""
    one, other = np.moveaxis(shapely.bounds(some), -1, 0), np.moveaxis(shapely.bounds(others), -1, 0)
    boxes = np.max([one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3]], axis=0) / px_mm
    some, others, px_mm = np.broadcast_arrays(some, others, px_mm)
    near = boxes <= APART_MM
    boxes[near] = shapely.distance(some[near], others[near]) / px_mm[near]
    return np.asarray(boxes, np.float64)


def _depths(view: View, held: list[_Held], faces: Shapes, thickness_mm: float) -> list[tuple[float, float]]:
    """Depth of each piece before its cactus and its standard deviation, mm.

    A lens out of focus makes everything seem a little larger and so nearer: what all have in common is taken off.
    """
    bodies = [Leaf(f, len(view.paint.names), 0.0, 0.0, m) for f, m in zip(faces, view.px_mm, strict=True)]
    shapes = _shapes([h.reading.outline_px for h in held])
    leaves = [_leaf(view, h.reading, shape) for h, shape in zip(held, shapes, strict=True)]
    groups = [[i for i, h in enumerate(held) if h.cactus == c] for c in range(len(bodies))]
    orders = [order_of(view.seen, b, [leaves[i] for i in mine]) for b, mine in zip(bodies, groups, strict=True)]
    out = [(0.0, 0.0)] * len(held)
    common = 0.0
    for _ in range(2):
        for order, mine in zip(orders, groups, strict=True):
            nearer = [replace(leaves[i], depth_mm=leaves[i].depth_mm - common) for i in mine]
            for i, settled in zip(mine, settle_depths(order, nearer, thickness_mm), strict=True):
                out[i] = settled
        if held:
            off = [h.reading.fit.depth_mm - z for h, (z, _) in zip(held, out, strict=True)]
            common = float(np.median(off)) * len(held) / (len(held) + _DOUBTED)
    return out


def _leaf(view: View, reading: Reading, shape: Polygon) -> Leaf:
    fit = reading.fit
    label = view.label_of(fit.pose.shape)
    return Leaf(shape, label, fit.depth_mm, fit.depth_sigma_mm, view.px_mm[reading.cactus])


def _base(view: View, cactus: int, base_mm: tuple[float, float, float]) -> Polygon:
    """The front of a base in the view."""
    width, height, depth = base_mm
    corners = np.array([[-1.0, 0], [1, 0], [1, -1], [-1, -1]]) * (width / 2, height)
    return Polygon(
        view.stage.project(np.column_stack([corners, np.full(4, depth / 2)]), view.stage.cacti[cactus].to_camera)
    )


def _against_base(pose: Pose, base_mm: tuple[float, float, float]) -> bool:
    """Whether a piece shows before the front of a base, where nothing that hangs can be."""
    edge = pose.face_mm(pose.shape.outline_mm)[:, :2]
    if edge[:, 1].min() >= -_SUNK_MM:
        return False
    face = Polygon(edge).buffer(0)
    front = box(1.0 - base_mm[0] / 2, -base_mm[1], base_mm[0] / 2 - 1.0, -_SUNK_MM)
    return bool(face.intersection(front).area > _SUNK_MM**2)


def _piece(view: View, held: _Held, depth_sigma_mm: float) -> HungPiece:
    reading, rivals, cactus = held.reading, held.rivals, held.cactus
    fit = reading.fit
    top = reading.strength
    others: dict[str, float] = {}
    for r in rivals:
        if r.id != reading.id and r.strength > 0:
            others[r.id] = max(others.get(r.id, 0.0), float(np.exp((r.strength - top) / (0.05 * max(top, 1.0)))))
    sure = min(reading.chance, _SUREST)
    total = 1 + sum(others.values())
    ranked = sorted(((k, v / total) for k, v in others.items() if v / total > 0.01), key=lambda p: -p[1])
    return HungPiece(
        reading.id,
        view.stage.cacti[cactus].id,
        fit.pose.shape.flipped,
        fit.pose.to_cactus(),
        reading.outline_px + view.corner,
        reading.visible,
        held.sureness * sure / total,
        fit.sigma_mm,
        depth_sigma_mm,
        tuple(ranked),
    )


def _moved(view: View, reading: Reading, cactus: int) -> Reading:
    """The same piece, fitted anew in the frame of another cactus."""
    pose = moved_to(view, reading.fit.pose, reading.cactus, cactus)
    (moved,) = fitted(view, [(cactus, pose)])
    return replace(reading, cactus=cactus, fit=moved.fit, outline_px=moved.outline_px)
