"""Outlines on a plane, in millimetres, over shapely. Distances and areas, never touching predicates on floats."""

from __future__ import annotations

import math
from collections.abc import Sequence

import shapely
from shapely import affinity
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry import Point as ShapelyPoint

from scoring.table import Placement, Point

Outline = Sequence[Point]
"""Corners of a simple polygon in mm, not closed, in either direction of turn."""


def polygon(outline: Outline) -> Polygon:
    """The outline as a valid shapely polygon; raises ValueError for fewer than three corners or no area."""
    if len(outline) < 3:
        raise ValueError(f"an outline needs three corners, this one has {len(outline)}")
    shape = Polygon(outline)
    if not shape.is_valid:
        shape = shape.buffer(0)
        if isinstance(shape, MultiPolygon):
            shape = max(shape.geoms, key=lambda part: float(part.area))
    if shape.is_empty or shape.area <= 0:
        raise ValueError("an outline needs an area")
    return shape


def outline_of(piece: Placement) -> tuple[Point, ...]:
    """The full rectangle of a card."""
    return piece.corners()


def area_mm2(outline: Outline) -> float:
    """Area of an outline in square millimetres."""
    return float(polygon(outline).area)


def overlap_mm2(a: Outline, b: Outline) -> float:
    """Area that two outlines share."""
    return float(polygon(a).intersection(polygon(b)).area)


def signed_gap_mm(a: Outline, b: Outline) -> float:
    """Distance between two outlines; negative is the depth of their overlap.

    The depth is the length of the shortest shift that parts the two shapes. It is exact for convex outlines
    (the least overlap of their projections on the normals of all sides, the separating-axis theorem). For a
    concave outline the depth is that of the overlap region: the least shift that clears every convex part of it.
    """
    shape_a, shape_b = polygon(a), polygon(b)
    distance = float(shape_a.distance(shape_b))
    if distance > 0:
        return distance
    if _is_convex(shape_a) and _is_convex(shape_b):
        return -_convex_depth(_ring(shape_a), _ring(shape_b))
    common = shape_a.intersection(shape_b)
    parts = [p for p in getattr(common, "geoms", (common,)) if isinstance(p, Polygon) and p.area > 0]
    return -max((_least_width(_ring(p.convex_hull)) for p in parts), default=0.0)


def pairwise(outlines: Sequence[Outline], pairs: Sequence[tuple[int, int]]) -> tuple[list[float], list[float]]:
    """Distance (0 where they meet) and shared area of many pairs of convex outlines at once.

    Parameters
    ----------
    outlines
        Outlines with areas and equally many corners each.
    pairs
        Indices into `outlines`.

    Returns
    -------
    tuple of two lists
        Distances in mm and shared areas in square millimetres, in the order of the pairs.
    """
    if not pairs:
        return [], []
    shapes = shapely.polygons([list(o) for o in outlines])
    a, b = (shapes[[p[k] for p in pairs]] for k in (0, 1))
    return shapely.distance(a, b).tolist(), shapely.area(shapely.intersection(a, b)).tolist()


def contained_share(inner: Outline, outer: Outline) -> float:
    """Share of `inner`'s area that lies inside `outer`, 0 to 1."""
    return overlap_mm2(inner, outer) / area_mm2(inner)


def stick_out_mm(inner: Outline, outer: Outline) -> float:
    """How far `inner` reaches out of `outer`: positive outside, negative is the clearance to the border."""
    border = polygon(outer)
    reach = [_outside_mm(border, p) for p in _ring(polygon(inner))]
    return max(reach)


def transformed(outline: Outline, dx_mm: float, dy_mm: float, angle_rad: float) -> tuple[Point, ...]:
    """The outline turned about the origin by `angle_rad` (positive from x to y) and then shifted."""
    turned = affinity.rotate(polygon(outline), math.degrees(angle_rad), origin=(0, 0))
    return tuple((x + dx_mm, y + dy_mm) for x, y in _ring(turned))


def _outside_mm(border: Polygon, at: Point) -> float:
    point = ShapelyPoint(at)
    edge = float(border.exterior.distance(point))
    return -edge if border.covers(point) else edge


def _ring(shape: Polygon) -> list[Point]:
    return [(float(x), float(y)) for x, y, *_ in shape.exterior.coords[:-1]]


def _is_convex(shape: Polygon) -> bool:
    return not shape.interiors and float(shape.convex_hull.area - shape.area) <= 1e-9 * float(shape.area)


def _normals(ring: Sequence[Point]) -> list[Point]:
    normals = []
    for (x0, y0), (x1, y1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        if length > 0:
            normals.append(((y1 - y0) / length, (x0 - x1) / length))
    return normals


def _spread(ring: Sequence[Point], axis: Point) -> tuple[float, float]:
    along = [x * axis[0] + y * axis[1] for x, y in ring]
    return min(along), max(along)


def _convex_depth(a: Sequence[Point], b: Sequence[Point]) -> float:
    depth = math.inf
    for axis in [*_normals(a), *_normals(b)]:
        (a0, a1), (b0, b1) = _spread(a, axis), _spread(b, axis)
        depth = min(depth, a1 - b0, b1 - a0)
    return max(depth, 0.0)


def _least_width(ring: Sequence[Point]) -> float:
    return min((hi - lo for lo, hi in (_spread(ring, n) for n in _normals(ring))), default=0.0)
