"""Outlines on a plane, in millimetres, over shapely. Distances and areas, never touching predicates on floats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import shapely
from shapely import affinity
from shapely.geometry import MultiPolygon, Polygon
from shapely.geometry import Point as ShapelyPoint
from shapely.ops import nearest_points

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


@dataclass(frozen=True, slots=True)
class Grown:
    """A convex outline grown by a radius on all sides: how a card with rounded corners lies.

    Gaps between grown outlines are exact: the gap of the cores without both radii, be it a distance or a depth.

    Parameters
    ----------
    core
        Corners of a convex outline in mm, in order; it may be as thin as a line.
    radius_mm
        What it is grown by.
    """

    core: tuple[Point, ...]
    radius_mm: float = 0.0

    def shape(self) -> Polygon:
        """As a shapely polygon, its arcs drawn to better than 0.01 mm for a card."""
        return Polygon(self.core).buffer(self.radius_mm, quad_segs=16) if self.radius_mm else Polygon(self.core)


def rounded(piece: Placement, radius_mm: float) -> Grown:
    """The outline of a card with rounded corners."""
    w, h = piece.size_mm
    radius = min(radius_mm, w / 2, h / 2)
    return Grown(replace(piece, size_mm=(w - 2 * radius, h - 2 * radius)).corners(), radius)


def grown_gap_mm(a: Grown, b: Grown) -> float:
    """Distance between two grown outlines; negative is the length of the shortest shift that parts them."""
    return convex_gap_mm(a.core, b.core) - a.radius_mm - b.radius_mm


def convex_gap_mm(a: Sequence[Point], b: Sequence[Point]) -> float:
    """`signed_gap_mm` for convex outlines, without shapely and fast."""
    apart = -_convex_overlap(a, b)
    if apart <= 0:
        return apart
    return min(_least_distance(a, b), _least_distance(b, a))


def nearest(a: Grown, b: Grown) -> tuple[Point, Point]:
    """The point of each of two grown outlines that is nearest to the other, where they lie apart."""
    p, q = nearest_points(_solid(a.core), _solid(b.core))
    length = p.distance(q)
    if length <= 0:
        return (p.x, p.y), (q.x, q.y)
    ux, uy = (q.x - p.x) / length, (q.y - p.y) / length
    return (p.x + ux * a.radius_mm, p.y + uy * a.radius_mm), (q.x - ux * b.radius_mm, q.y - uy * b.radius_mm)


def clearance_mm(inner: Grown, border: Outline) -> tuple[float, tuple[Point, ...]]:
    """How far a grown outline stays inside a border of any shape.

    Returns
    -------
    float
        Distance to the border; negative is how far the outline reaches over it.
    tuple of points
        The two ends of the gap, or the outline of the largest part outside.
    """
    area, core = polygon(border), _solid(inner.core)
    outside = core.difference(area)
    beyond = [] if outside.is_empty else [(area.distance(ShapelyPoint(p)), p) for p in _vertices(outside)]
    reach = max((d for d, _ in beyond), default=0.0)
    clear = (-reach if reach > 0 else float(core.distance(area.exterior))) - inner.radius_mm
    if clear >= 0:
        p, q = nearest_points(core, area.exterior)
        length = max(p.distance(q), 1e-9)
        share = inner.radius_mm / length
        return clear, ((p.x + (q.x - p.x) * share, p.y + (q.y - p.y) * share), (q.x, q.y))
    return clear, largest_part(inner.shape().difference(area))


def largest_part(shape: shapely.Geometry) -> tuple[Point, ...]:
    """Outline of the largest polygon of a shapely result; empty where it has no area."""
    parts = [p for p in getattr(shape, "geoms", (shape,)) if isinstance(p, Polygon) and p.area > 0]
    return tuple(_ring(max(parts, key=lambda p: float(p.area)))) if parts else ()


def reach_mm(inner: Outline, outer: Outline) -> float:
    """How far `inner` reaches out of `outer`: the greatest distance of its corners from it, 0 where it lies inside."""
    return float(max(shapely.distance(shapely.points(list(inner)), polygon(outer)), default=0.0)) if inner else 0.0


def _solid(core: Sequence[Point]) -> shapely.Geometry:
    shape = Polygon(core)
    return shape if shape.area > 0 else shapely.LineString([*core, core[0]])


def _vertices(shape: shapely.Geometry) -> list[Point]:
    return [(float(x), float(y)) for x, y in shapely.get_coordinates(shape)]


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
    return max(_convex_overlap(a, b), 0.0)


def _convex_overlap(a: Sequence[Point], b: Sequence[Point]) -> float:
    """The least overlap of the projections on the normals of all sides; negative where a side parts the outlines."""
    least = math.inf
    for axis in [*_normals(a), *_normals(b)]:
        (a0, a1), (b0, b1) = _spread(a, axis), _spread(b, axis)
        least = min(least, a1 - b0, b1 - a0)
    return least


def _least_distance(points: Sequence[Point], ring: Sequence[Point]) -> float:
    """From any of the points to any side of the ring."""
    least = math.inf
    for (x0, y0), (x1, y1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        dx, dy = x1 - x0, y1 - y0
        square = dx * dx + dy * dy
        for x, y in points:
            along = ((x - x0) * dx + (y - y0) * dy) / square if square > 0 else 0.0
            along = min(max(along, 0.0), 1.0)
            least = min(least, math.hypot(x - x0 - along * dx, y - y0 - along * dy))
    return least


def _least_width(ring: Sequence[Point]) -> float:
    return min((hi - lo for lo, hi in (_spread(ring, n) for n in _normals(ring))), default=0.0)
