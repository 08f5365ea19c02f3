"""Outlines for random sets of Cactus: pieces and cacti of any proportions, (n, 2) mm, y up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from shapely import affinity
from shapely.geometry import LineString, MultiPolygon, Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import unary_union

Array = NDArray[np.float64]
Rng = np.random.Generator


def _bar(points: list[tuple[float, float]], width: float) -> BaseGeometry:
    return LineString(points).buffer(width / 2, quad_segs=6)


def _arc(
    r: float, a0: float, a1: float, at: tuple[float, float] = (0.0, 0.0), n: int = 24
) -> list[tuple[float, float]]:
    a = np.radians(np.linspace(a0, a1, n))
    return [(float(at[0] + r * np.cos(v)), float(at[1] + r * np.sin(v))) for v in a]


def _star(n: int, outer: float, inner: float) -> Polygon:
    a = np.pi / 2 + np.arange(2 * n) * np.pi / n
    r = np.where(np.arange(2 * n) % 2 == 0, outer, inner)
    return Polygon(np.c_[r * np.cos(a), r * np.sin(a)])


def hook(g: Rng, w: float) -> BaseGeometry:
    """A walking stick."""
    r = g.uniform(5.5, 8)
    return _bar([(r, -g.uniform(14, 20)), *_arc(r, 0, g.uniform(170, 215))], w)


def moon(g: Rng, w: float) -> BaseGeometry:
    """A crescent, fat or thin."""
    r = g.uniform(13, 16)
    return Point(0, 0).buffer(r, 16).difference(Point(w * g.uniform(0.9, 1.3), 0).buffer(r * g.uniform(0.82, 0.92), 16))


def loop(g: Rng, w: float) -> BaseGeometry:
    """A ring with a gap."""
    half = g.uniform(18, 55)
    return _bar(_arc(g.uniform(9, 11.5), half, 360 - half, n=36), w)


def bone(g: Rng, w: float) -> BaseGeometry:
    """A bone, a dumb-bell."""
    d, r = g.uniform(11, 15), w * g.uniform(0.6, 0.85)
    knobs = [Point(x, y).buffer(r, 10) for x in (-d, d) for y in (-r * 0.75, r * 0.75)]
    return unary_union([_bar([(-d, 0), (d, 0)], w * 0.8), *knobs])


def bolt(g: Rng, w: float) -> BaseGeometry:
    """A zigzag of three or four strokes."""
    n, step, high = int(g.integers(4, 6)), g.uniform(8, 11), g.uniform(7, 11)
    return _bar([((i - (n - 1) / 2) * step, high * (-1) ** i) for i in range(n)], w)


def arch(g: Rng, w: float) -> BaseGeometry:
    """A horseshoe."""
    r, leg = g.uniform(8, 10.5), g.uniform(5, 13)
    return _bar([(r, -leg), *_arc(r, 0, 180), (-r, -leg)], w)


def tee(g: Rng, w: float) -> BaseGeometry:
    """The letter T."""
    return unary_union([_bar([(-13, 8), (13, 8)], w), _bar([(0, 8), (0, -g.uniform(10, 18))], w)])


def plus(g: Rng, w: float) -> BaseGeometry:
    """A cross with arms of one or two lengths."""
    a, b = g.uniform(11, 16), g.uniform(8, 16)
    return unary_union([_bar([(-a, 0), (a, 0)], w), _bar([(0, -b), (0, b)], w)])


def snake(g: Rng, w: float) -> BaseGeometry:
    """A wave."""
    x = np.linspace(-18, 18, 40)
    y = g.uniform(5, 8) * np.sin(x / 18 * np.pi * g.uniform(1.0, 1.5))
    return _bar([(float(p), float(q)) for p, q in zip(x, y, strict=True)], w)


def star(g: Rng, w: float) -> BaseGeometry:
    """A star with rounded points."""
    n = int(g.integers(4, 7))
    return _star(n, g.uniform(15, 19), 3.0 + w * 0.7).buffer(-0.6).buffer(1.2, 4)


def heart(g: Rng, w: float) -> BaseGeometry:
    """A heart."""
    r = g.uniform(6.5, 8.5)
    sides = [Point(s * r * 0.86, r * 0.4).buffer(r, 14) for s in (-1, 1)]
    return unary_union([*sides, Polygon([(-r * 1.7, 0), (r * 1.7, 0), (0, -r * 2.1)])]).buffer(-0.7).buffer(0.7, 4)


def drop(g: Rng, w: float) -> BaseGeometry:
    """A drop, a leaf."""
    r = g.uniform(7, 10)
    return unary_union([Point(0, -4).buffer(r, 16), Polygon([(-r * 0.93, -1), (0, g.uniform(13, 19)), (r * 0.93, -1)])])


def angle(g: Rng, w: float) -> BaseGeometry:
    """A corner, a boomerang."""
    a = np.radians(g.uniform(60, 125) / 2)
    return _bar([(-19 * np.sin(a), -19 * np.cos(a)), (0, 0), (19 * np.sin(a), -19 * np.cos(a))], w)


def key(g: Rng, w: float) -> BaseGeometry:
    """A key with a full head."""
    r = g.uniform(6, 8)
    teeth = [box(x, -w * 0.4 - 5, x + 2.6, 0) for x in (8, 13)]
    return unary_union([Point(-10, 0).buffer(r, 14), _bar([(-10, 0), (16, 0)], w * 0.8), *teeth])


def fork(g: Rng, w: float) -> BaseGeometry:
    """A trident."""
    t = w * 0.75
    prongs = [_bar([(x, 2), (x, 15)], t) for x in (-9, 0, 9)]
    return unary_union([_bar([(-9, 2), (9, 2)], t), _bar([(0, 2), (0, -17)], t), *prongs])


def ess(g: Rng, w: float) -> BaseGeometry:
    """A hook at both ends."""
    r = g.uniform(5.5, 7.5)
    return _bar([*_arc(r, -20, 190, (0, r), 20), *_arc(r, 90, -150, (0, -r), 20)][::1], w * 0.9)


def spade(g: Rng, w: float) -> BaseGeometry:
    """A mushroom."""
    r = g.uniform(11, 15)
    cap = Point(0, 2).buffer(r, 16).intersection(box(-20, 2, 20, 20))
    return unary_union([cap, box(-w * 0.6, -g.uniform(10, 14), w * 0.6, 3)]).buffer(-0.5).buffer(1.0, 4)


def fish(g: Rng, w: float) -> BaseGeometry:
    """A fish."""
    body = affinity.scale(Point(0, 0).buffer(10, 16), 1.25, g.uniform(0.6, 0.85))
    return unary_union([body, Polygon([(9, 0), (20, 8), (17, 0), (20, -8)])]).buffer(0.6, 4)


def hat(g: Rng, w: float) -> BaseGeometry:
    """A hat with a broad brim."""
    return unary_union([_bar(_arc(26, 230, 310, (0, 20)), w * 0.9), box(-8, -6, 8, g.uniform(7, 12))]).buffer(0.4, 4)


def bird(g: Rng, w: float) -> BaseGeometry:
    """Spread wings."""
    s = g.uniform(3, 8)
    wings = _bar([(-19, s), (-9, 4), (0, -2), (9, 4), (19, s)], w * 0.85)
    return unary_union([wings, affinity.scale(Point(0, -4).buffer(7, 12), 0.7, 1.4)])


def jug(g: Rng, w: float) -> BaseGeometry:
    """A bottle."""
    r = g.uniform(7, 9)
    return unary_union([Point(0, -6).buffer(r, 14), box(-w * 0.45, -4, w * 0.45, 16), box(-w * 0.7, 12, w * 0.7, 16)])


def bug(g: Rng, w: float) -> BaseGeometry:
    """A spider of four or six legs."""
    legs = []
    for y in (-5, 1, 7)[: int(g.integers(2, 4))]:
        for s in (-1, 1):
            legs.append(_bar([(0, y), (s * 10, y + 3), (s * 15, y - 3)], 3.0))
    return unary_union([affinity.scale(Point(0, 1).buffer(7, 12), 0.8, 1.4), *legs])


def boot(g: Rng, w: float) -> BaseGeometry:
    """A boot."""
    t = g.uniform(9, 12)
    return unary_union([box(-7, -12, -7 + t, 15), box(-7, -12, g.uniform(10, 15), -4)]).buffer(-0.6).buffer(1.2, 4)


def house(g: Rng, w: float) -> BaseGeometry:
    """A tent with two poles that cross."""
    return unary_union(
        [Polygon([(-14, -12), (14, -12), (0, 12)]), _bar([(-9, -4), (4, 18)], 2.6), _bar([(9, -4), (-4, 18)], 2.6)]
    )


def comb(g: Rng, w: float) -> BaseGeometry:
    """A back with teeth."""
    teeth = [_bar([(x, 5), (x, -10)], 3.2) for x in np.linspace(-14, 14, int(g.integers(3, 5)))]
    return unary_union([_bar([(-15, 6), (15, 6)], w), *teeth])


def wheel(g: Rng, w: float) -> BaseGeometry:
    """A cog."""
    n = int(g.integers(6, 10))
    return _star(n, g.uniform(13, 16), g.uniform(9, 11)).buffer(-0.5).buffer(1.0, 4)


BASIC: tuple[Callable[[Rng, float], BaseGeometry], ...] = (
    hook, moon, loop, bone, bolt, arch, tee, plus, snake, star, heart, drop, angle, key, fork, ess, spade,
)  # fmt: skip
SPECIAL: tuple[Callable[[Rng, float], BaseGeometry], ...] = (
    fish, hat, bird, jug, bug, boot, house, comb, wheel, fork, key, spade, ess, heart,
)  # fmt: skip


def outline_of(shape: BaseGeometry, size: float | None = None, centre: bool = True) -> Array:
    """The outer edge of a shape, its middle at (0, 0), `size` mm from end to end where given."""
    if isinstance(shape, MultiPolygon):
        shape = max(shape.geoms, key=lambda p: p.area)
    whole = Polygon(shape.exterior).simplify(0.06)
    x0, y0, x1, y1 = whole.bounds
    if size is not None:
        k = size / max(x1 - x0, y1 - y0)
        whole = affinity.scale(whole, k, k, origin=(0, 0))
    if centre:
        c = whole.centroid
        whole = affinity.translate(whole, -c.x, -c.y)
    ring = np.asarray(whole.exterior.coords)[:-1]
    if not whole.exterior.is_ccw:
        ring = ring[::-1]
    return np.round(ring, 2)


# ---- cacti ---------------------------------------------------------------------------------------------------------


def saguaro(g: Rng, w: float, h: float) -> BaseGeometry:
    """A trunk with an elbow at either side."""
    parts = [_bar([(0, -4), (0, h - w / 2)], w)]
    for s in (-1, 1):
        if g.random() < 0.92:
            y, out, up = g.uniform(0.28, 0.55) * h, g.uniform(0.8, 1.2) * w + 9, g.uniform(0.12, 0.34) * h
            arm = w * g.uniform(0.6, 0.85)
            lift = 0.0 if g.random() < 0.6 else g.uniform(-6, 8)
            parts.append(_bar([(0, y), (s * out, y + lift), (s * out, y + lift + up)], arm))
    return unary_union(parts)


def candelabra(g: Rng, w: float, h: float) -> BaseGeometry:
    """Arms that bend upward in a round."""
    r = g.uniform(17, 25)
    y = h * g.uniform(0.3, 0.4) + r
    arms = _bar([(-r, y + g.uniform(4, 16)), *_arc(r, 180, 360, (0, y)), (r, y + g.uniform(4, 16))], w * 0.7)
    return unary_union([_bar([(0, -4), (0, h - w / 2)], w), arms])


def paddles(g: Rng, w: float, h: float) -> BaseGeometry:
    """Flat pads that grow on one another."""
    a = h * g.uniform(0.24, 0.3)
    pads = [affinity.scale(Point(0, a * 0.9).buffer(a, 20), g.uniform(0.55, 0.8), 1.0)]
    for s in (-1, 1):
        x, y, r = s * g.uniform(12, 20), h * g.uniform(0.58, 0.75), h * g.uniform(0.13, 0.19)
        pads += [
            affinity.rotate(affinity.scale(Point(x, y).buffer(r, 16), 0.75, 1.1), -s * 18),
            _bar([(0, a), (x, y)], 7.0),
        ]
    pads.append(Point(s * g.uniform(18, 28), h * g.uniform(0.9, 0.97)).buffer(h * 0.07, 12))
    pads.append(_bar([(x, y), (s * 22, h * 0.93)], 6.0))
    return unary_union([*pads, box(-w * 0.55, -2, w * 0.55, 8)])


def head(g: Rng, w: float, h: float) -> BaseGeometry:
    """A trunk with a ball on top and two short arms."""
    r = w * g.uniform(0.75, 1.05)
    y = h * g.uniform(0.38, 0.55)
    out = g.uniform(20, 28)
    arms = _bar(
        [(-out, y + g.uniform(6, 16)), (-out, y), (0, y - g.uniform(-3, 6)), (out, y), (out, y + g.uniform(6, 16))],
        w * 0.6,
    )
    return unary_union([_bar([(0, -4), (0, h - r)], w * 0.95), Point(0, h - r).buffer(r, 20), arms])


def bent(g: Rng, w: float, h: float) -> BaseGeometry:
    """A trunk with bends and an arm on each side at other heights."""
    x = g.uniform(-9, 9, 3)
    trunk = _bar([(0, -4), (x[0], h * 0.3), (x[1], h * 0.62), (x[2], h - w / 2)], w)
    a = _bar([(x[0], h * 0.34), (x[0] + 20, h * 0.36), (x[0] + 24, h * g.uniform(0.5, 0.62))], w * 0.65)
    b = _bar([(x[1], h * 0.6), (x[1] - 18, h * g.uniform(0.6, 0.7)), (x[1] - 24, h * g.uniform(0.46, 0.82))], w * 0.6)
    return unary_union([trunk, a, b])


def barrel(g: Rng, w: float, h: float) -> BaseGeometry:
    """A fat body with a few fingers."""
    y = h * 0.34
    body = affinity.scale(Point(0, y).buffer(y, 20), g.uniform(0.6, 0.8), 1.05)
    fingers = [_bar([(0, y), (x, h * g.uniform(0.75, 0.96))], w * 0.62) for x in (-20.0, g.uniform(-4, 4), 20.0)]
    return unary_union([body, *fingers, box(-w * 0.7, -2, w * 0.7, 6)])


def ladder(g: Rng, w: float, h: float) -> BaseGeometry:
    """A thin post with pegs, as a hat stand."""
    pegs = [
        _bar([(0, t * h), (s * g.uniform(14, 24), t * h + g.uniform(2, 9))], w * 0.5)
        for t, s in ((0.4, 1), (0.55, -1), (0.72, 1), (0.85, -1))
    ]
    return unary_union([_bar([(0, -4), (0, h - w / 2)], w * 0.8), *pegs])


CACTI: tuple[Callable[[Rng, float, float], BaseGeometry], ...] = (
    saguaro, candelabra, paddles, head, bent, barrel, ladder, saguaro,
)  # fmt: skip


def cactus_outline(shape: BaseGeometry) -> Array:
    """The edge of a cactus above its base (y = 0), corners a little rounded, the foot at least 10 mm wide."""
    whole = unary_union([shape, box(-6, -2, 6, 5)]).buffer(1.2, 4).buffer(-1.2, 4).intersection(box(-100, 0, 100, 300))
    return outline_of(whole, None, centre=False)
