"""The playing area as the picture shows it: the table's edge, a mat, or a line drawn or taped round the game.

Only a proposal, which a person confirms or draws anew. The pieces are flooded from inside and the picture's rim from
outside, over the steps of colour; where the two floods meet, there is the strongest closed border between them. It is
proposed only if it is made of a few straight sides on the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.segmentation import watershed

from vision.plane import Plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_SIDE_PX = 480  # longer side of the picture that is searched
_SIDES = (3, 12)
_BEND = 0.012  # by which a side may miss the border, in square roots of the area
_STRAIGHT = 0.8  # share of the sides along which the border must run
_EACH = 0.35  # the same of each side
_LONG = 0.12  # least length of a long side, as `_BEND`
_RIM = 2.5  # samples by which a piece's rim is blurred
_STRONG = 2.5  # how much stronger the border must be than what is inside
_HOLDS = 0.75  # share of the pieces whose middle must lie inside
_LARGER = 1.5  # times the pieces' own area
_STEPS = 6  # points that a side is given with, so that a bent lens is followed


def propose_area(rgb: Rgb, plane: Plane | None, pieces: Sequence[Quad], board: Quad | None = None) -> Array | None:
    """Find the border round the pieces.

    Parameters
    ----------
    rgb
        (H, W, 3) picture.
    plane
        The table's plane, on which the sides are straight; None takes the picture itself.
    pieces
        (4, 2) px outlines of the cards.
    board
        (4, 2) px outline of the board, if there is one.

    Returns
    -------
    (n, 2) array or None
        Polygon in px, in order; None where no closed border of a few straight sides is seen, as where the table goes on
        beyond the picture.
    """
    quads = [np.asarray(q, float) for q in (*pieces, *([] if board is None else [board]))]
    if not quads:
        return None
    h, w = rgb.shape[:2]
    scale = min(1.0, _SIDE_PX / max(h, w))
    steps = _steps(rgb, scale)
    # a card that lies over the border opens it, so the board alone is tried then
    for inside in (quads, [np.asarray(board, float)] if board is not None and len(quads) > 1 else []):
        if not inside:
            continue
        outline = _border(steps, [(q + 0.5) * scale - 0.5 for q in quads], [(q + 0.5) * scale - 0.5 for q in inside])
        found = None if outline is None else _judged(outline, steps, scale, plane, quads)
        if found is not None:
            return found
    return None


def _steps(rgb: Rgb, scale: float) -> Floats:
    """How much colour changes within a sample's neighbours, on the reduced picture; light counts less than hue."""
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB).astype(np.float32) * np.array([0.6, 1, 1], np.float32)
    lab = np.asarray(cv2.GaussianBlur(lab, (0, 0), 0.7), np.float32)
    kernel = np.ones((3, 3), np.uint8)
    return np.asarray((cv2.dilate(lab, kernel) - cv2.erode(lab, kernel)).max(2), np.float32)


def _border(steps: Floats, pieces: Sequence[Array], inside: Sequence[Array]) -> Array | None:
    """(n, 2) outline in samples of what is flooded from inside, or None."""
    ground = steps.copy()
    for quad in pieces:
        _fill(ground, quad, 0.0)
    markers = np.zeros(steps.shape, np.int32)
    markers[0] = markers[-1] = markers[:, 0] = markers[:, -1] = 2
    for quad in inside:
        _fill(markers, quad, 1)
    labels = watershed(ground, markers)
    mask = cv2.morphologyEx((labels == 1).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    return np.asarray(max(contours, key=cv2.contourArea).reshape(-1, 2), float)


def _fill(canvas: NDArray[Any], quad: Array, value: float) -> None:
    """Fill a piece and the blur of its rim."""
    away = quad - quad.mean(0)
    grown = quad + away / np.linalg.norm(away, axis=1, keepdims=True) * _RIM
    cv2.fillConvexPoly(canvas, grown.round().astype(np.int32), value)


def _judged(outline: Array, steps: Floats, scale: float, plane: Plane | None, pieces: Sequence[Quad]) -> Array | None:
    """The polygon of a border in px; None where it is no strong border of a few straight sides."""
    px = (outline + 0.5) / scale - 0.5
    flat = plane.unproject(px) if plane is not None else px
    polygon = _polygon(flat)
    if polygon is None:
        return None
    size = float(np.sqrt(abs(cv2.contourArea(polygon.astype(np.float32)))))
    support = np.array([_supported(a, b, flat, _BEND * size) for a, b in _sides(polygon)])
    length = np.array([np.linalg.norm(b - a) for a, b in _sides(polygon)])
    straight = float((support * length).sum() / length.sum())
    at = outline[_distance(flat, polygon) < _BEND * size].astype(int)
    strong = float(np.percentile(steps[at[:, 1], at[:, 0]], 20)) / _usual(steps, outline) if len(at) else 0.0
    middles = np.array([q.mean(0) for q in pieces])
    middles = plane.unproject(middles) if plane is not None else middles
    holds = np.mean(
        [cv2.pointPolygonTest(polygon.astype(np.float32), (float(x), float(y)), False) >= 0 for x, y in middles]
    )
    taken = sum(
        abs(cv2.contourArea((plane.unproject(q) if plane is not None else q).astype(np.float32))) for q in pieces
    )
    if (
        straight < _STRAIGHT
        or support.min() < _EACH
        or strong < _STRONG
        or holds < _HOLDS
        or size * size < _LARGER * taken
    ):
        return None
    along = np.linspace(0, 1, _STEPS, endpoint=False)[:, None]
    dense = np.concatenate([a + (b - a) * along for a, b in zip(polygon, np.roll(polygon, -1, 0), strict=True)])
    return plane.project(dense) if plane is not None else dense


def _usual(steps: Floats, outline: Array) -> float:
    """How much colour usually changes inside an outline."""
    inside = np.zeros(steps.shape, np.uint8)
    cv2.fillPoly(inside, [outline.astype(np.int32)], 1)
    return max(float(np.median(steps[inside > 0])), 1.0)


def _polygon(flat: Array) -> Array | None:
    """(n, 2) corners of a few straight sides along a closed outline; bulges on a side are passed over."""
    closed = flat.astype(np.float32)
    size = float(np.sqrt(max(cv2.contourArea(cv2.convexHull(closed)), 1e-9)))
    rough = cv2.approxPolyDP(closed, _BEND * size, True).reshape(-1, 2).astype(float)
    if len(rough) < 3:
        return None
    if _turn(rough) < 0:
        rough = rough[::-1]
    ends = np.roll(rough, -1, 0)
    long = [i for i in range(len(rough)) if np.linalg.norm(ends[i] - rough[i]) > _LONG * size]
    lines = [_line(rough[i], ends[i], flat, _BEND * size) for i in long]
    if len(lines) < 2:
        return None
    out: list[Array] = []
    for k, i in enumerate(long):
        j = long[(k + 1) % len(long)]
        p, q = lines[k], lines[(k + 1) % len(long)]
        if _same(p, q, size):
            continue  # one side, with something that lies over it between its parts
        between = [rough[m % len(rough)] for m in range(i + 1, (j if j > i else j + len(rough)) + 1)]
        out += _corner(p, q, between, size)
    polygon = np.array(out)
    return polygon if _SIDES[0] <= len(polygon) <= _SIDES[1] and _turn(polygon) > 0 else None


def _corner(p: tuple[Array, Array], q: tuple[Array, Array], between: Sequence[Array], size: float) -> list[Array]:
    """What lies between two long sides: where they meet, or the short sides of a corner that is cut off."""
    (a, u), (b, v) = p, q
    cross = float(u[0] * v[1] - u[1] * v[0])
    if abs(cross) < 0.05:
        return list(between)
    meet = a + u * ((b - a)[0] * v[1] - (b - a)[1] * v[0]) / cross
    first, last = between[0], between[-1]
    if len(between) > 1 and min(np.linalg.norm(meet - first), np.linalg.norm(meet - last)) > 2 * _BEND * size:
        cut = [a + u * ((first - a) @ u), *between[1:-1], b + v * ((last - b) @ v)]
        inside = all(_left(a, u, c) > -_BEND * size and _left(b, v, c) > -_BEND * size for c in cut)
        if inside and _turn(np.array([*cut, meet])) < 0:
            return cut
    return [meet]


def _line(a: Array, b: Array, flat: Array, width: float) -> tuple[Array, Array]:
    """A point and the direction of the line through what lies along a side."""
    length = float(np.linalg.norm(b - a))
    u = (b - a) / length
    t = (flat - a) @ u / length
    off = np.abs((flat - a) @ np.array([-u[1], u[0]]))
    along = flat[(t > 0.05) & (t < 0.95) & (off < 1.5 * width)]
    if len(along) < 8:
        return a, u
    vx, vy, x, y = cv2.fitLine(along.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    v = np.array([vx, vy], float)
    return np.array([x, y], float), v if v @ u > 0 else -v


def _same(p: tuple[Array, Array], q: tuple[Array, Array], size: float) -> bool:
    """Whether two sides are parts of one."""
    (a, u), (b, v) = p, q
    return bool(u @ v > 0.995 and max(abs(_left(a, u, b)), abs(_left(b, v, a))) < 2 * _BEND * size)


def _left(a: Array, u: Array, point: Array) -> float:
    """Distance of a point from a line, positive on the inner side of an outline that runs clockwise in the picture."""
    return float(u[0] * (point - a)[1] - u[1] * (point - a)[0])


def _turn(polygon: Array) -> float:
    """Twice the signed area; positive where it runs clockwise in the picture."""
    x, y = polygon[:, 0], polygon[:, 1]
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _sides(polygon: Array) -> list[tuple[Array, Array]]:
    return list(zip(polygon, np.roll(polygon, -1, 0), strict=True))


def _supported(a: Array, b: Array, flat: Array, width: float) -> float:
    """Share of a side along which the outline runs."""
    points = a + (b - a) * np.linspace(0.02, 0.98, 40)[:, None]
    d = np.linalg.norm(points[:, None] - flat[None, ::3], axis=2).min(1)
    return float((d < 1.5 * width).mean())


def _distance(points: Array, polygon: Array) -> Array:
    """(n,) distance of points from a closed polygon."""
    best = np.full(len(points), np.inf)
    for a, b in zip(polygon, np.roll(polygon, -1, 0), strict=True):
        t = np.clip((points - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-9), 0, 1)
        best = np.minimum(best, np.linalg.norm(points - a - t[:, None] * (b - a), axis=1))
    return best
