"""How far before or behind its cactus each piece hangs, told from who hides whom.

A single picture hardly tells depth, but solid plates say much of it: where the outlines of two cross, the one that is
seen is nearer by at least a plate's thickness, and where a piece only rests with its edge on another, both are in one
layer. Things hang as near to the cactus as that allows, or they would not hang on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from vision.cactus.cactus_set import CactusLook, CactusSet, PieceLook
from vision.cactus.contacts import sight
from vision.cactus.edge_order import nearer
from vision.cactus.upright import HungPiece, Rigid, Stage, Upright
from vision.paint import middle
from vision.types import Rgb

Array = NDArray[np.float64]

_EDGE_MM = 0.6
"""So near an edge colours are mixed."""
_CROSS_MM, _CROSS_MM2 = 0.3, 1.0
"""Outlines that cross by less than this on both sides, or by no more than this area within, may only touch."""
_GRID_MM, _CLOSE_MM = 1.2, 0.6
"""Distance of places that are looked at, and where few are to be seen."""
_REACH_MM = 1000.0
_SIMPLER_MM = 0.15
_LEAST_POINTS = 6
_APART = 0.14
"""Colours that differ by less than this share of white cannot be told apart."""
_SHADED, _SHADE = (0.5, 1.1), 0.35
"""How dark and how bright one paint may be where a shadow falls on it, and what that costs beside its own hue."""
_CLEARLY = 0.75
_SLACK_MM = 0.3
"""Air, tilt and paint between two plates of which one hangs before the other."""
_LAYER_SIGMA_MM = 0.7
_REST_MM = 1.0
"""A piece whose edge is so near that of another in the picture may rest on it."""
_REST_SIGMA_MM = 1.2
_MOST_SIGMAS = 2.5


@dataclass(slots=True, eq=False)
class _Body:
    """The cactus or a piece: its outline on the plane of the cactus, with what is mixed with it; points well within."""

    shape: BaseGeometry
    about: BaseGeometry
    points: Array | None = None
    outline_px: Array | None = None
    paint: Array | None = None
    looked: bool = False
    z: float | None = None
    sigma: float = _LAYER_SIGMA_MM
    over: list[int] = field(default_factory=list)
    under: list[int] = field(default_factory=list)
    near: list[int] = field(default_factory=list)
    apart: Array = field(default_factory=lambda: np.zeros(0))
    open: bool = False


@dataclass(frozen=True, slots=True)
class Layered:
    """Pieces in their layers.

    Parameters
    ----------
    hung
        The pieces.
    before
        Who is seen before whom, by the names of both; of a cactus and its pieces too.
    """

    hung: tuple[HungPiece, ...]
    before: frozenset[tuple[str, str]]


def in_layers(cactus_set: CactusSet, stage: Stage, hung: Sequence[HungPiece], rgb: Rgb) -> Layered:
    """The pieces, moved along their line of sight into the layer in which they hang, where that can be told.

    Parameters
    ----------
    cactus_set
        The set.
    stage
        The cacti of the picture.
    hung
        The pieces.
    rgb
        (h, w, 3) the picture: where two outlines cross it shows who is nearer.
    """
    told = {h.id: h for h in hung}
    before: set[tuple[str, str]] = set()
    for upright in stage.cacti:
        pieces = [h for h in hung if h.cactus == upright.id]
        if pieces:
            moved, order = _on_cactus(cactus_set, stage, upright, pieces, rgb)
            told |= moved
            before |= order
    return Layered(tuple(told[h.id] for h in hung), frozenset(before))


def _on_cactus(
    cactus_set: CactusSet, stage: Stage, upright: Upright, pieces: list[HungPiece], rgb: Rgb
) -> tuple[dict[str, HungPiece], set[tuple[str, str]]]:
    eye = upright.to_camera.inverse().t
    # Layers are counted towards the eye, which looks at the back of a cactus that was turned round.
    side = 1.0 if eye[2] > 0 else -1.0
    cactus = next(c for c in cactus_set.cacti if c.id == upright.id)
    trunk = _trunk(cactus)
    shapes = [trunk[0], *(_seen_from(eye, cactus_set, h) for h in pieces)]
    grown = shapely.buffer(shapes[1:], _EDGE_MM, quad_segs=2)
    bodies = [_Body(*trunk), *(_Body(shape, about) for shape, about in zip(shapes[1:], grown, strict=True))]
    for body, piece in zip(bodies[1:], pieces, strict=True):
        body.outline_px = piece.outline_px
    bodies[0].z, bodies[0].sigma = 0.0, 0.0
    shapely.prepare([b.about for b in bodies])
    apart = _apart(shapes)
    for i, body in enumerate(bodies):
        body.apart = apart[i]
        body.near = [int(k) for k in np.flatnonzero(apart[i] < _EDGE_MM) if k != i]
    for i, one in enumerate(bodies):
        for j in [k for k in one.near if k < i]:
            _compare(bodies, i, j, one.shape.intersection(bodies[j].shape), stage, upright, rgb)
    names = [upright.id, *(h.id for h in pieces)]
    before = {(names[i], names[j]) for i, body in enumerate(bodies) for j in body.over}
    _layer(bodies, cactus_set.thickness_mm + _SLACK_MM)
    out = {}
    for piece, body in zip(pieces, bodies[1:], strict=True):
        if body.z is None or body.open:
            continue
        off = side * body.z - float(piece.to_cactus.t[2])
        if abs(off) > _MOST_SIGMAS * piece.depth_sigma_mm + body.sigma:
            continue  # the outline's size says that it hangs elsewhere
        along = sight(upright, piece)
        t = piece.to_cactus.t + along * off * side / max(side * float(along[2]), 0.2)
        depth = min(body.sigma, piece.depth_sigma_mm)
        out[piece.id] = replace(piece, to_cactus=Rigid(piece.to_cactus.R, t), depth_sigma_mm=depth)
    return out, before


def _apart(shapes: list[BaseGeometry]) -> Array:
    """(n, n) how far shapes are apart, mm; of those that are nowhere near each other only that."""
    boxes = shapely.bounds(shapes)
    apart = np.maximum(boxes[:, None, :2] - boxes[:, 2:], boxes[:, :2] - boxes[:, None, 2:]).max(2)
    i, j = np.nonzero(np.triu(apart < _REST_MM, 1))
    some = np.array(shapes)
    apart[i, j] = apart[j, i] = shapely.distance(some[i], some[j])
    return np.asarray(apart, np.float64)


@lru_cache(maxsize=16)
def _trunk(cactus: CactusLook) -> tuple[BaseGeometry, BaseGeometry, Array]:
    """The outline of a cactus, that with what is mixed with it, and points well within it."""
    shape = Polygon(cactus.outline_mm).buffer(0).simplify(_SIMPLER_MM)
    return shape, _grown(shape, _EDGE_MM), _points_within(_grown(shape, -_EDGE_MM))


def _seen_from(eye: Array, cactus_set: CactusSet, hung: HungPiece) -> BaseGeometry:
    """A piece's outline where its lines of sight meet the plane of the cactus."""
    flat = _simpler(cactus_set.piece(hung.id)) * ([-1.0, 1.0] if hung.flipped else [1.0, 1.0])
    rim = hung.to_cactus.apply(np.column_stack([flat, np.zeros(len(flat))]))
    off = eye[2] - rim[:, 2]
    share = eye[2] / np.copysign(np.maximum(np.abs(off), 1.0), eye[2])
    seen = Polygon((eye + (rim - eye) * share[:, None])[:, :2])
    return seen if seen.is_valid else seen.buffer(0)


@lru_cache(maxsize=256)
def _simpler(look: PieceLook) -> Array:
    """(n, 2) a piece's outline with no more points than it needs."""
    shape = Polygon(look.outline_mm).buffer(0).simplify(_SIMPLER_MM)
    if shape.geom_type != "Polygon":
        return look.outline_mm
    return np.asarray(shapely.get_coordinates(shape.exterior)[:-1], np.float64)


def _paint(bodies: list[_Body], i: int, stage: Stage, upright: Upright, rgb: Rgb) -> None:
    """The colour of a body, from where no other may hide it."""
    body = bodies[i]
    body.looked = True
    others = [bodies[k].about for k in body.near]
    points = _points_within(_grown(body.shape, -_EDGE_MM)) if body.points is None else body.points
    seen = _colours(points, others, stage, upright, rgb)
    if len(seen) >= _LEAST_POINTS:
        body.paint = middle(seen)


def _compare(bodies: list[_Body], i: int, j: int, both: BaseGeometry, stage: Stage, upright: Upright, rgb: Rgb) -> None:
    """Note who is nearer where two outlines cross."""
    if both.area < _CROSS_MM2 or _grown(both, -_CROSS_MM).area < _CROSS_MM2:
        return
    one, other = bodies[i], bodies[j]
    for k in (i, j):
        if not bodies[k].looked:
            _paint(bodies, k, stage, upright, rgb)
    third = [bodies[k].about for k in {*one.near, *other.near} - {i, j}]
    share = 0.5
    a, b = one.paint, other.paint
    if one.outline_px is not None and other.outline_px is not None and _alike(a, b):
        outlines = [bodies[k].outline_px for k in {*one.near, *other.near} - {i, j}]
        px_mm = float(stage.camera.K[0, 0]) / max(float(upright.to_camera.t[2]), 1.0)
        hide = [Polygon(o).buffer(_EDGE_MM * px_mm, quad_segs=2) for o in outlines if o is not None]
        share = 0.5 + 0.5 * nearer(rgb, one.outline_px, other.outline_px, hide, px_mm)
    if a is not None and b is not None and not _alike(a, b):
        inner = _grown(both, -_EDGE_MM)
        seen = _colours(_points_within(inner), third, stage, upright, rgb)
        if len(seen) < _LEAST_POINTS:
            seen = _colours(_points_within(inner, _CLOSE_MM), third, stage, upright, rgb)
        if len(seen) >= _LEAST_POINTS:
            share = float((_unlike(seen, a) < _unlike(seen, b)).mean())
    if share >= _CLEARLY:
        one.over.append(j)
        other.under.append(i)
    elif share <= 1 - _CLEARLY:
        one.under.append(j)
        other.over.append(i)
    else:
        for k in (i, j):
            bodies[k].open = k > 0


def _unlike(seen: Array, paint: Array) -> Array:
    """(n,) how little colours seem to be that paint, in light or in shadow."""
    whole = max(float(paint @ paint), 1.0)
    light = np.clip(seen @ paint / whole, *_SHADED)
    off = np.linalg.norm(seen - light[:, None] * paint, axis=1)
    return np.asarray(off + _SHADE * np.abs(1 - light) * math.sqrt(whole), np.float64)


def _alike(a: Array | None, b: Array | None) -> bool:
    return a is None or b is None or bool(np.abs(a - b).max() <= _APART * 255)


def _grown(shape: BaseGeometry, by_mm: float) -> BaseGeometry:
    return shape.buffer(by_mm, quad_segs=2)


def _colours(points: Array, others: Sequence[BaseGeometry], stage: Stage, upright: Upright, rgb: Rgb) -> Array:
    """(n, 3) colours of the picture at (n, 2) points of the plane of the cactus, without those within others."""
    for other in others:
        left, low, right, high = other.bounds
        x, y = points.T
        near = np.flatnonzero((x > left) & (x < right) & (y > low) & (y < high))
        free = np.ones(len(points), np.bool_)
        free[near] = ~shapely.contains_xy(other, x[near], y[near])
        points = points[free]
    if not len(points):
        return np.zeros((0, 3))
    px = np.round(stage.project(np.column_stack([points, np.zeros(len(points))]), upright.to_camera)).astype(int)
    height, width = rgb.shape[:2]
    inside = (px >= 0).all(1) & (px[:, 0] < width) & (px[:, 1] < height)
    return np.asarray(rgb[px[inside, 1], px[inside, 0]], np.float64)


def _points_within(where: BaseGeometry, step_mm: float = _GRID_MM) -> Array:
    """(n, 2) an even grid within an area."""
    left, low, right, high = where.bounds
    if where.is_empty or max(right - left, high - low) > _REACH_MM:
        return np.zeros((0, 2))  # nothing, or a pose gone wrong: no piece reaches so far
    points = np.stack(np.meshgrid(np.arange(left, right, step_mm), np.arange(low, high, step_mm)), -1).reshape(-1, 2)
    shapely.prepare(where)
    return np.asarray(points[shapely.contains_xy(where, points[:, 0], points[:, 1])], np.float64)


def _layer(bodies: list[_Body], step_mm: float) -> None:
    """Give each body the depth nearest to the cactus that those whom it hides and is hidden by allow."""
    for _ in range(len(bodies)):
        changed = False
        for i, body in enumerate(bodies):
            if i == 0 or body.open:
                continue
            z, sigma = _place(bodies, i, step_mm)
            changed |= z != body.z
            body.z, body.sigma = z, sigma
        if not changed:
            break


def _place(bodies: list[_Body], i: int, step_mm: float) -> tuple[float | None, float]:
    body = bodies[i]
    behind = [bodies[k] for k in body.over if bodies[k].z is not None and not bodies[k].open]
    before = [bodies[k] for k in body.under if bodies[k].z is not None and not bodies[k].open]
    low = [(b.z + step_mm, b.sigma) for b in behind if b.z is not None]
    high = [(b.z - step_mm, b.sigma) for b in before if b.z is not None]
    if 0 in body.over and 0 not in body.under:
        z, sigma = max(low)
        return z, float(np.hypot(sigma, _LAYER_SIGMA_MM))
    if 0 in body.under and 0 not in body.over:
        z, sigma = min(high)
        return z, float(np.hypot(sigma, _LAYER_SIGMA_MM))
    rests = [
        b
        for k, b in enumerate(bodies)
        if k not in (i, *body.over, *body.under)
        and b.z is not None
        and not b.open
        and body.apart[k] < _REST_MM
        and i not in b.over
    ]
    if rests:
        places = [b.z for b in rests if b.z is not None]
        z, wide = float(np.mean(places)), float(np.hypot(_REST_SIGMA_MM, min(b.sigma for b in rests)))
        floor = max(low)[0] if low else -np.inf
        top = min(high)[0] if high else np.inf
        if np.ptp(places) > 1.0 or z < floor - 0.5 or z > top + 0.5:
            return None, wide  # it rests in several layers, or hides one of its own: it leans, nobody knows how
        return z, wide
    if low and not high:
        z, sigma = max(low)
        return z, float(np.hypot(sigma, _LAYER_SIGMA_MM))
    if high and not low:
        z, sigma = min(high)
        return z, float(np.hypot(sigma, _LAYER_SIGMA_MM))
    return None, 0.0
