"""A colour chart of 24 patches in a picture: found by its lattice of even squares, told by the order of its colours."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Rgb

Array = NDArray[np.float64]
Lattice = dict[tuple[int, int], int]

COLUMNS, ROWS = 6, 4
COLOURS = np.array(
    [
        [(115, 82, 68), (194, 150, 130), (98, 122, 157), (87, 108, 67), (133, 128, 177), (103, 189, 170)],
        [(214, 126, 44), (80, 91, 166), (193, 90, 99), (94, 60, 108), (157, 188, 64), (224, 163, 46)],
        [(56, 61, 150), (70, 148, 73), (175, 54, 60), (231, 199, 31), (187, 86, 149), (8, 133, 161)],
        [(243, 243, 242), (200, 200, 200), (160, 160, 160), (122, 122, 121), (85, 85, 85), (52, 52, 52)],
    ],
    np.float64,
)
"""(4, 6, 3) sRGB of the patches of the usual chart of 24 in daylight; white is the first of the last row."""

_SIDES_PX = (1200, 1920)
"""Longer sides in which the picture is searched, one after the other."""
_STEPS = (10, 22, 40)
"""Steps of brightness between neighbours above which a patch ends."""
_LEAST_SHARE, _MOST_SHARE = 6e-5, 0.04
"""Of the picture, that a patch covers."""
_FULL = 0.88
"""Share of its convex outline that a patch covers."""
_LONG = 3.0
"""Longer side of a patch seen at a slant, in shorter ones."""
_NEAR, _FAR = 0.6, 2.8
"""Distance of neighbours in sides of a square as large as a patch, which seen at a slant is longer than wide."""
_ALIKE = 1.7
"""Neighbours differ in size by less than this factor."""
_SLANT, _SKEW = 3.2, 0.35
"""Two steps of a lattice seen at a slant: how much longer one may be than the other, and their least sine."""
_NEIGHBOURS, _TRIES = 10, 8
"""Neighbours that may be the next ones of a patch, and patches, those with the most colours about first, to try."""
_HIT = 0.28
"""A neighbour lies so near to where the lattice expects it, in steps of the lattice."""
_LEAST, _MOST = 9, 32
"""Patches that a lattice has, with some that go on with it by chance: a larger pattern is no chart."""
_HOLDS = 0.75
"""Share of a lattice that lies within the chart: what lies beside it may go on with it by chance."""
_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Steps to the neighbours of a patch in the lattice."""
_INSIDE = 0.22
"""Half the side of what is looked at of each patch, in steps of the lattice."""
_AT = np.stack(np.meshgrid(np.linspace(-1, 1, COLUMNS), np.linspace(-1, 1, ROWS)), -1).reshape(-1, 2)
"""(24, 2) places of the patches on the chart, from -1 to 1."""
_SPOILT, _SLOPE, _ROUNDS = 3, 0.45, 4
"""Patches that a gleam may spoil, and how much more light than the middle the chart's edge may have, as a share."""
_OFF, _AHEAD = 0.16, 1.35
"""How far the colours may be off, as a share, and by which factor every other order must be worse."""
_STRONG = (0.6, 1.45)
"""How strong the colours may be, in those of the chart: a camera weakens or strengthens them a little."""
_SWAPPED, _MOVED = 0.4, 90.0
"""Two patches are swapped if so much nearer to each other's colour, as a share, and so far off together (of 255)."""
_TINTED, _GREYS = 0.09, 4
"""Share by which white's tint may differ from that of the next lighter greys, and how many these are, white with it."""


def find_chart(rgb: Rgb) -> Array | None:
    """Find the chart and read its patches.

    Parameters
    ----------
    rgb
        (H, W, 3) picture.

    Returns
    -------
    (4, 6, 3) array or None
        Red, green and blue of each patch as the picture shows it; None where no chart is seen for sure.
    """
    longest = max(rgb.shape[:2])
    for side in _SIDES_PX:
        scale = min(1.0, side / longest)
        small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgb
        for step in _STEPS:
            found = _on(np.asarray(small, np.uint8), step)
            if found is not None:
                return found if _white_is_white(found) and _in_their_places(found) else None
        if scale == 1.0:
            break
    return None


def is_mirrored(rgb: Rgb) -> bool:
    """Whether a picture shows the chart as a mirror does, with the order of its colours the other way round."""
    return find_chart(np.ascontiguousarray(rgb[:, ::-1])) is not None


def _on(rgb: NDArray[np.uint8], step: int) -> Array | None:
    centres, sides = _patches(rgb, step)
    if len(centres) < _LEAST:
        return None
    away = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1)) / sides[:, None]
    like = np.abs(np.log(sides[:, None] / sides[None])) < np.log(_ALIKE)
    tried = set()
    for first in np.argsort(-_variety(rgb, centres, like & (away < 2 * _FAR)))[:_TRIES]:
        for lattice in _lattices(int(first), centres, sides):
            pairs = _pairs(lattice)
            if pairs in tried:
                continue
            tried.add(pairs)
            colours = _told(lattice, centres, rgb)
            if colours is not None:
                return colours
    return None


def _variety(rgb: NDArray[np.uint8], centres: Array, near: NDArray[np.bool_]) -> Array:
    """(n,) how many neighbours each patch has, and how different their colours are: tiles and cloth have many alike."""
    x, y = np.round(centres).astype(int).T
    colours = cv2.blur(rgb, (3, 3))[y, x].astype(np.float64)
    count = near.sum(1)
    mean = near @ colours / count[:, None]
    spread = near @ (colours**2) / count[:, None] - mean**2
    return np.asarray(np.sqrt(np.maximum(spread, 0).sum(1)) * np.minimum(count, COLUMNS * ROWS))


def _patches(rgb: NDArray[np.uint8], step: int) -> tuple[Array, Array]:
    """(n, 2) middles and (n,) sides in px of all even squares."""
    smooth = cv2.medianBlur(rgb, 3)
    kernel = np.ones((3, 3), np.uint8)
    steps = (cv2.dilate(smooth, kernel) - cv2.erode(smooth, kernel)).max(2)
    count, labels, stats, middles = cv2.connectedComponentsWithStats((steps < step).astype(np.uint8), connectivity=4)
    size = rgb.shape[0] * rgb.shape[1]
    centres, sides = [], []
    for n in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[n])
        if not _LEAST_SHARE * size < area < _MOST_SHARE * size or max(w, h) > 3 * min(w, h):
            continue
        part = (labels[y : y + h, x : x + w] == n).astype(np.uint8)
        outlines, _ = cv2.findContours(part, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        hull = cv2.convexHull(max(outlines, key=len))
        _, (a, b), _ = cv2.minAreaRect(hull)
        whole = cv2.contourArea(hull) + 0.5 * cv2.arcLength(hull, True)
        if area < _FULL * whole or max(a, b) + 1 > _LONG * (min(a, b) + 1):
            continue
        centres.append(middles[n])
        sides.append(float(np.sqrt(area)))
    return np.array(centres, np.float64).reshape(-1, 2), np.array(sides)


def _lattices(first: int, centres: Array, sides: Array) -> Iterator[Lattice]:
    """Lattices that grow from a patch and two of its neighbours."""
    away = centres - centres[first]
    far = np.hypot(*away.T) / sides[first]
    like = (sides < _ALIKE * sides[first]) & (sides > sides[first] / _ALIKE)
    near = np.flatnonzero(like & (far > _NEAR) & (far < _FAR))
    near = near[np.argsort(far[near])][:_NEIGHBOURS]
    for i in near:
        for j in near:
            u, v = away[i], away[j]
            cross = u[0] * v[1] - u[1] * v[0]
            # clockwise, not far from square
            slanted = not 1 / _SLANT < np.hypot(*u) / np.hypot(*v) < _SLANT
            if cross < _SKEW * np.hypot(*u) * np.hypot(*v) or slanted:
                continue
            lattice = _grown(first, u, v, centres, sides)
            if _LEAST <= len(lattice) <= _MOST:
                yield lattice


def _grown(first: int, u: Array, v: Array, centres: Array, sides: Array) -> Lattice:
    lattice: Lattice = {(0, 0): first}
    steps = {(0, 0): (u, v)}
    waiting = deque([(0, 0)])
    while waiting:
        at = waiting.popleft()
        here, (u, v) = centres[lattice[at]], steps[at]
        for dx, dy in _AROUND:
            to = (at[0] + dx, at[1] + dy)
            if to in lattice or max(abs(to[0]), abs(to[1])) >= COLUMNS:
                continue
            step = dx * u + dy * v
            off = np.hypot(*(centres - here - step).T)
            n = int(off.argmin())
            alike = 1 / _ALIKE < sides[n] / sides[lattice[at]] < _ALIKE
            if off[n] > _HIT * np.hypot(*step) or not alike or n in lattice.values():
                continue
            got = centres[n] - here
            # The steps change slowly over a picture seen at a slant.
            steps[to] = (0.5 * (u + dx * got), v) if dx else (u, 0.5 * (v + dy * got))
            lattice[to] = n
            waiting.append(to)
    return lattice


def _pairs(lattice: Lattice) -> frozenset[tuple[int, int]]:
    """Which patches are next to each other: the same for a lattice that grew from elsewhere or another way round."""
    beside = ((n, lattice.get((x + dx, y + dy))) for (x, y), n in lattice.items() for dx, dy in _AROUND)
    return frozenset((n, other) for n, other in beside if other is not None)


def _told(lattice: Lattice, centres: Array, rgb: NDArray[np.uint8]) -> Array | None:
    """The colours of the patches in their order, where one order fits and no other does."""
    at = np.array(list(lattice), np.float64)
    px = centres[list(lattice.values())]
    fit, _ = cv2.findHomography(at, px, cv2.RANSAC, 0.2 * float(np.median(np.hypot(*np.diff(px, axis=0).T))))
    if fit is None or not np.isfinite(fit).all():
        return None
    lo, hi = at.min(0).astype(int), at.max(0).astype(int)
    fits: list[tuple[float, Array]] = []
    for columns, rows in ((COLUMNS, ROWS), (ROWS, COLUMNS)):
        for x in range(lo[0] - columns + 1, hi[0] + 1):
            for y in range(lo[1] - rows + 1, hi[1] + 1):
                inside = ((at >= [x, y]) & (at < [x + columns, y + rows])).all(1)
                read = _read(rgb, np.asarray(fit, np.float64), x, y, columns, rows) if inside.mean() >= _HOLDS else None
                if read is None:
                    continue
                for turns in range(4):
                    turned = np.rot90(read, turns)
                    if turned.shape[:2] == (ROWS, COLUMNS):
                        fits.append((_off(turned), turned))
    if not fits:
        return None
    fits.sort(key=lambda f: f[0])
    best, colours = fits[0]
    greys = colours[-1].mean(1)
    if best > _OFF or (len(fits) > 1 and fits[1][0] < _AHEAD * best) or not (np.diff(greys) < 0).all():
        return None
    return colours


def _white_is_white(read: Array) -> bool:
    """Whether the white patch has the tint of the greys, which one under a gleam or a note has not."""
    greys = read[-1, :_GREYS]
    tint = greys / np.maximum(greys.sum(1, keepdims=True), 1.0)
    others = np.median(tint[1:], axis=0)
    return bool((np.abs(tint[0] - others) <= _TINTED * others).all())


def _in_their_places(read: Array) -> bool:
    """Whether the colours are about as strong as those of the chart in this light, and no two of them are swapped."""
    light = read[-1, :_GREYS].sum(0) / COLOURS[-1, :_GREYS].sum(0)
    seen, meant = (c[:-1].reshape(-1, 3) for c in (read / np.maximum(light, 1e-3), COLOURS))
    here, there = (c - c.mean(1, keepdims=True) for c in (seen, meant))
    strength = np.median((here * there).sum(1) / (there**2).sum(1))
    off = np.linalg.norm(here[:, None] - there[None], axis=2)
    stay = off.diagonal()[:, None] + off.diagonal()[None]
    swapped = (off + off.T < _SWAPPED * stay) & (stay > _MOVED)
    return bool(_STRONG[0] <= strength <= _STRONG[1] and not swapped.any())


def _read(rgb: NDArray[np.uint8], fit: Array, x: int, y: int, columns: int, rows: int) -> Array | None:
    """(rows, columns, 3) what a lattice shows from that corner on; None where it reaches beyond the picture."""
    h, w = rgb.shape[:2]
    offsets = np.stack(np.meshgrid(*[np.linspace(-_INSIDE, _INSIDE, 5)] * 2), -1).reshape(-1, 2)
    nodes = np.stack(np.meshgrid(np.arange(x, x + columns), np.arange(y, y + rows)), -1).reshape(-1, 1, 2)
    points = cv2.perspectiveTransform((nodes + offsets).reshape(1, -1, 2).astype(np.float64), fit)[0]
    p = np.round(points).astype(int)
    if (p < 0).any() or (p >= [w, h]).any():
        return None
    seen = rgb[p[:, 1], p[:, 0]].reshape(rows, columns, len(offsets), 3)
    return np.asarray(np.median(seen, axis=2), np.float64)


def _off(read: Array) -> float:
    """How far the colours are off those of the chart in any light, as a share.

    The light may be stronger on one side of the chart, and a gleam or a shadow may lie on a few patches.
    """
    there, here = COLOURS.reshape(-1, 3), read.reshape(-1, 3)
    slope = np.zeros(2)
    kept = np.ones(len(here), bool)
    for _ in range(_ROUNDS):
        lit = there * (1 + _AT @ slope)[:, None]
        gain = (lit * here)[kept].sum(0) / (lit**2)[kept].sum(0)
        missed = here - gain * lit
        far = (missed**2).sum(1)
        kept = far <= np.partition(far, -_SPOILT - 1)[-_SPOILT - 1]
        # how much more light a patch has than the middle of the chart, by what is seen of it
        along = ((gain * there)[..., None] * _AT[:, None])[kept].reshape(-1, 2)
        more = (here - gain * there)[kept].reshape(-1)
        slope = np.clip(np.linalg.lstsq(along, more, rcond=None)[0], -_SLOPE, _SLOPE)
    return float(np.linalg.norm(missed[kept])) / max(float(np.linalg.norm(here[kept])), 1.0)
