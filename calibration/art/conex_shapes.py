"""The shapes of CONEX corners: each is exactly what a card covers of another one that lies under it at an angle.

Two cards overlap in three ways, seen from the card on top, which bears the picture of the overlap:

* `Kind.TIP`: each has a corner inside the other. Four sides, two of them on the edges of the card on top.
* `Kind.CUT`: only the corner of the card on top is inside. A triangle, cut off by the lower card's edge.
* `Kind.POKE`: only the corner of the lower card is inside. A triangle with its longest side on an edge.

Shapes are made at the top left corner or the top edge and then turned to their place.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from calibration.art.paths import Points


class Kind(StrEnum):
    """How the two cards overlap."""

    TIP = "tip"
    CUT = "cut"
    POKE = "poke"


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A CONEX corner on the face.

    Parameters
    ----------
    kind
        How the cards overlap.
    region
        (3 or 4, 2) outline in mm.
    inner
        For each side, from its point to the next, whether it crosses the face (False: it lies on the card's edge).
    up
        (2,) unit vector along the lower card, towards this card's edge: where the head of the number points.
    """

    kind: Kind
    region: Points
    inner: tuple[bool, ...]
    up: Points


def poke(at_mm: float, area_mm2: float, tilt_rad: float) -> Shape:
    """The lower card's corner over the top edge.

    Parameters
    ----------
    at_mm
        Where the longest side begins on the edge.
    area_mm2
        Size of the triangle.
    tilt_rad
        Angle between the edge and the lower card's side that begins there, between 0 and π/2.
    """
    c, s = np.cos(tilt_rad), np.sin(tilt_rad)
    base = np.sqrt(2 * area_mm2 / (c * s))
    region = np.array([[at_mm, 0.0], [at_mm + base, 0.0], [at_mm + base * c * c, base * c * s]])
    # of the lower card's two directions the one that is nearer to the edge's outward direction
    up = np.array([s, -c]) if tilt_rad < np.pi / 4 else np.array([-c, -s])
    return Shape(Kind.POKE, region, (False, True, True), up)


def cut(area_mm2: float, tilt_rad: float) -> Shape:
    """The top left corner, cut off by a line at an angle to the top edge between 0 and π/2."""
    c, s = np.cos(tilt_rad), np.sin(tilt_rad)
    long = np.sqrt(2 * area_mm2 / (c * s))
    region = np.array([[0.0, 0.0], [long * c, 0.0], [0.0, long * s]])
    return Shape(Kind.CUT, region, (False, True, False), np.array([-s, -c]))


def tip(aspect: float, area_mm2: float, tilt_rad: float) -> Shape:
    """The top left corner with the lower card's corner inside.

    Parameters
    ----------
    aspect
        Width through height of where the lower card's corner lies.
    area_mm2
        Size of the region.
    tilt_rad
        How far the lower card is turned; between -π/4 and π/4, but not 0.

    Raises
    ------
    ValueError
        If a corner at this place and angle does not reach over both edges.
    """
    t = np.tan(tilt_rad)
    x, y = np.sqrt(aspect), 1 / np.sqrt(aspect)
    top, left = x + y * t, y - x * t
    if min(top, left) <= 0:
        raise ValueError("the lower card's corner leaves this card")
    region = np.array([[0.0, 0.0], [top, 0.0], [x, y], [0.0, left]])
    region *= np.sqrt(area_mm2 / area(region))
    up = np.array([np.sin(tilt_rad), -np.cos(tilt_rad)])
    return Shape(Kind.TIP, region, (False, True, True, False), up)


def turned(shape: Shape, quarter: int, size_mm: tuple[float, float]) -> Shape:
    """The shape of the top left corner or top edge at the place that is so many quarter turns clockwise further on."""
    (w, h), (x, y) = size_mm, shape.region.T
    ux, uy = shape.up
    region, up = (
        (np.column_stack([x, y]), (ux, uy)),
        (np.column_stack([w - y, x]), (-uy, ux)),
        (np.column_stack([w - x, h - y]), (-ux, -uy)),
        (np.column_stack([y, h - x]), (uy, -ux)),
    )[quarter % 4]
    return Shape(shape.kind, region, shape.inner, np.array(up))


def area(region: Points) -> float:
    """Area of a polygon."""
    x, y = region.T
    return float(abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2)


def inscribed(region: Points) -> tuple[Points, float]:
    """Centre (2,) and radius of the largest circle in a convex polygon."""
    side = np.roll(region, -1, axis=0) - region
    if len(region) == 3:
        opposite = np.hypot(side[:, 0], side[:, 1])[[1, 2, 0], None]
        return (opposite * region).sum(axis=0) / opposite.sum(), float(2 * area(region) / opposite.sum())
    normal = np.column_stack([-side[:, 1], side[:, 0]]) / np.linalg.norm(side, axis=1, keepdims=True)
    if np.mean(normal * (region.mean(axis=0) - region)) < 0:
        normal = -normal  # inwards
    reach = np.einsum("ij,ij->i", normal, region)
    best, most = region.mean(axis=0), 0.0
    for k in itertools.combinations(range(len(region)), 3):  # the circle touches three sides: n·c - r = n·p
        rows = np.column_stack([normal[list(k)], -np.ones(3)])
        if abs(np.linalg.det(rows)) < 1e-9:
            continue
        x, y, r = np.linalg.solve(rows, reach[list(k)])
        if r > most and np.all(normal @ (x, y) - reach >= r - 1e-9):
            best, most = np.array([x, y]), float(r)
    return best, most


def gap(a: Points, b: Points) -> float:
    """Distance of two convex polygons; 0 where they overlap."""
    for p in (a, b):
        side = np.roll(p, -1, axis=0) - p
        for nx, ny in np.column_stack([-side[:, 1], side[:, 0]]):
            if min(a @ (nx, ny)) > max(b @ (nx, ny)) or max(a @ (nx, ny)) < min(b @ (nx, ny)):
                return min(_from_points(a, b), _from_points(b, a))
    return 0.0


def near(a: Points, b: Points, limit_mm: float) -> bool:
    """Whether two convex polygons are nearer to each other than so much."""
    apart = np.maximum(a.min(axis=0) - b.max(axis=0), b.min(axis=0) - a.max(axis=0))
    return bool(apart.max() < limit_mm) and gap(a, b) < limit_mm


def _from_points(a: Points, b: Points) -> float:
    """Least distance of the points of a from the sides of b."""
    start, side = b, np.roll(b, -1, axis=0) - b
    t = np.einsum("ijk,jk->ij", a[:, None] - start, side) / np.einsum("jk,jk->j", side, side)
    foot = start + np.clip(t, 0, 1)[..., None] * side
    return float(np.linalg.norm(a[:, None] - foot, axis=2).min())


def inset(region: Points, by: tuple[float, ...]) -> Points:
    """A convex polygon with each side (from its point to the next) moved inwards by so much, or outwards if below 0."""
    side = np.roll(region, -1, axis=0) - region
    normal = np.column_stack([-side[:, 1], side[:, 0]]) / np.linalg.norm(side, axis=1, keepdims=True)
    if np.mean(normal * (region.mean(axis=0) - region)) < 0:
        normal = -normal
    reach = np.einsum("ij,ij->i", normal, region) + np.array(by)
    return np.array([np.linalg.solve(normal[[i - 1, i]], reach[[i - 1, i]]) for i in range(len(region))])
