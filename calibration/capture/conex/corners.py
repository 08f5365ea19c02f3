"""What is printed on a CONEX card along its edge: corners with their outlines, colours and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.numbers import NumberInk
from calibration.capture.conex.regions import cut_off, inner_sides
from calibration.capture.grounds import lab_of, rgb_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

PX_PER_MM = 5.0
"""Scale at which cards are read."""

_RIM_MM = 1.1  # what lies nearer to the card's edge may be the table's
_FRAME_BLUR_MM = 0.6  # how far a frame round the card reaches beyond its own width
_OTHER = 0.34  # share of the way to the nearest other colour from which a pixel is no longer ground
_OFF_WEIGHT = np.array([0.55, 1.0, 1.0])  # of lightness and colour, between ground and corners
_COARSE = 0.2  # scale at which a card's light is told
_NEAR_GROUND = 9.0  # difference within which a place is ground
_HIDDEN = 0.1  # share of ground around a place below which it tells nothing
_REACHES = (10.0, 60.0)  # difference of the nearest other colour, at least and at most
_LEAST_MM2 = 18.0  # a corner has at least this area
_NEAR = 14.0  # difference in a* and b* at which a pixel counts half for a colour
_STRAIGHT_MM = 0.8  # how far an outline may be from straight
_SNAP_MM = 2.2  # from the card's edge or corner: an outline that comes so near reaches it
_BESIDE_MM = 4.0  # how far beside a corner the light is taken from the ground
_STEADY_GAIN, _STEADY_VEIL = 0.25, 0.1  # how readily a place is darker, and paler, than the usual one
_FRAME_MM = 0.9  # what is left out along a corner's inner sides when its number is looked for
_GRAIN_MM = 0.18
_INK_WEIGHT = np.array([0.8, 1.0, 1.0])  # of lightness and colour
_MIDDLE = 0.35  # of a corner's depth: from where on it is its middle
_ONE_COLOUR = 5.0  # difference within which all is one colour
_STRONG = 0.6  # share of what differs most from a corner's colour at which it tells the ink's
_LEAST_INK = 7.0  # difference at which there is ink
_LEVEL = 0.02  # how much less likely a corner's colour changes from end to end
_FRAME_DEPTHS = np.arange(0.3, 2.4, 0.15)  # mm from an inner side at which its frame may still run
_FRAME_SHARE = 0.55  # share of a line along it that is ink


@dataclass(frozen=True, slots=True, eq=False)
class ReadCorner:
    """One corner.

    Parameters
    ----------
    kind
        Number of its colour.
    region_mm, rough_mm
        Its outline (n, 2), and about where it is.
    colour_doubt, colour
        How clear its colour is, and the Lab that it should have there.
    cover
        (rows, columns) 1 on it.
    """

    kind: int
    region_mm: Array
    colour_doubt: float
    colour: Array
    cover: NDArray[np.uint8]
    rough_mm: Array


def read_corners(
    face: NDArray[np.uint8], size_mm: tuple[float, float], ground: int, palette: Array, frame_mm: float = 0.0
) -> list[ReadCorner]:
    """The corners of a card.

    Parameters
    ----------
    face
        (rows, columns, 3) at `PX_PER_MM`.
    ground
        Number of the card's own colour.
    palette
        (4, 3) Lab of the four colours in this photo's light.
    frame_mm
        Width of a frame that is printed round the whole card.
    """
    lab = lab_of(_smoothed(face))
    other = _off_ground(lab, ground, palette)
    h, w = other.shape
    rim = round(max(_RIM_MM, frame_mm + _FRAME_BLUR_MM) * PX_PER_MM)
    mask = (other > 0.5).astype(np.uint8)
    mask[:rim], mask[h - rim :], mask[:, :rim], mask[:, w - rim :] = 0, 0, 0, 0
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), np.uint8)
    # the blur of the picture takes as much of the print as the threshold leaves out
    mask = np.asarray(cv2.dilate(mask, np.ones((5, 5), np.uint8)), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    out = []
    for i in range(1, count):
        x, y, cw, ch, area = stats[i]
        at_edge = x <= rim + 2 or y <= rim + 2 or x + cw >= w - rim - 2 or y + ch >= h - rim - 2
        if area < _LEAST_MM2 * PX_PER_MM**2 or not at_edge:
            continue
        if max(cw / w, ch / h) > 0.75:
            continue
        near = max(_SNAP_MM, rim / PX_PER_MM + _SNAP_MM - _RIM_MM)
        corner = _corner((labels == i).astype(np.uint8), lab, other, size_mm, ground, palette, near)
        if corner is not None:
            out.append(corner)
    return out


def inks_of(
    face: NDArray[np.uint8], corners: Sequence[ReadCorner], size_mm: tuple[float, float], roughly: bool = False
) -> list[NumberInk | None]:
    """The ink of the number on each corner of a card at `PX_PER_MM`, within its outline or the rough one."""
    # thin strokes are no noise: nothing but the grain is taken out
    lab = lab_of(cv2.GaussianBlur(face, (0, 0), _GRAIN_MM * PX_PER_MM))
    return [_number(lab, c.cover, c.colour, c.rough_mm if roughly else c.region_mm, size_mm) for c in corners]


def _smoothed(face: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.bilateralFilter(face, 5, 30, 3), np.uint8)


def _off_ground(lab: Array, ground: int, palette: Array) -> Array:
    """(rows, columns) 0 on the ground, 1 on another colour or ink."""
    size = (lab.shape[1], lab.shape[0])
    coarse = cv2.resize(lab, None, fx=_COARSE, fy=_COARSE, interpolation=cv2.INTER_AREA)
    own = _own_ground(np.asarray(coarse, float))
    reach = np.clip(_reach(own, ground, palette), *_REACHES)
    local = cv2.resize(own, size, interpolation=cv2.INTER_LINEAR)
    off = np.linalg.norm((lab - local) * _OFF_WEIGHT, axis=2)
    return np.asarray(off / (2 * _OTHER * cv2.resize(reach, size, interpolation=cv2.INTER_LINEAR)))


def _own_ground(lab: Array) -> Array:
    """(rows, columns, 3) the ground's own colour everywhere on a card, which a lamp shades smoothly."""
    h, w = lab.shape[:2]
    y, x = (v.ravel() for v in np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j])
    A = np.stack([np.ones(h * w), x, y, x * x, x * y, y * y], 1)
    flat = lab.reshape(-1, 3)
    fit = np.zeros((6, 3))
    fit[0] = np.median(flat, 0)
    for free in (1, 1, 3, 3, 3, 6, 6, 6):
        miss = np.linalg.norm((flat - A @ fit) * _OFF_WEIGHT, axis=1)
        weight = 1 / (1 + (miss / max(float(np.median(miss)), 1.0)) ** 2) ** 2
        weighted = A[:, :free] * weight[:, None]
        steady = 1e-3 * len(flat) * np.diag([0.0, 1, 1, 1, 1, 1])[:free, :free]
        fit[:free] = np.linalg.solve(weighted.T @ A[:, :free] + steady, weighted.T @ flat)
    smooth = (A @ fit).reshape(h, w, 3)
    miss = np.linalg.norm((lab - smooth) * _OFF_WEIGHT, axis=2)
    near = (miss < max(_NEAR_GROUND, 3 * float(np.median(miss)))).astype(float)
    blur = cv2.GaussianBlur(np.dstack([lab * near[..., None], near]), (0, 0), _COARSE * 9 * PX_PER_MM)
    share = blur[..., 3:]
    # where something else covers the card the ground is what it is around
    return np.asarray((blur[..., :3] + _HIDDEN * smooth) / (share + _HIDDEN))


def _reach(own: Array, ground: int, palette: Array) -> Array:
    """(rows, columns) how far the nearest other colour is from the ground where a reflection makes both paler."""
    want, seen = rgb_of(palette[ground]), rgb_of(own)
    a, b = (255 * v for v in (_STEADY_GAIN, _STEADY_VEIL))
    normal = np.array([[want @ want + a * a, 255 * want.sum()], [255 * want.sum(), 3 * 255.0**2 + b * b]])
    right = np.stack([seen @ want + a * a, 255 * seen.sum(2)], -1)
    gain, veil = (v[..., None] for v in np.moveaxis(right @ np.linalg.inv(normal), -1, 0))
    shown = [lab_of(np.clip(np.maximum(gain, 0) * rgb_of(c) + veil * 255, 0, 255)) for c in palette]
    apart = [np.linalg.norm((c - shown[ground]) * _OFF_WEIGHT, axis=2) for k, c in enumerate(shown) if k != ground]
    return np.asarray(np.min(apart, 0))


def _corner(
    mask: NDArray[np.uint8],
    lab: Array,
    off: Array,
    size_mm: tuple[float, float],
    ground: int,
    palette: Array,
    near_mm: float,
) -> ReadCorner | None:
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=cv2.contourArea))
    filled = np.asarray(cv2.fillConvexPoly(np.zeros_like(mask), hull, 1), np.uint8)
    if mask.sum() < 0.55 * filled.sum():
        return None
    outline = _simple(hull[:, 0].astype(float))
    rough = _to_edge((outline + 0.5) / PX_PER_MM, size_mm, near_mm)
    straight = cut_off(rough, off, PX_PER_MM, size_mm)
    region = rough if straight is None else np.round(straight, 2)
    if cv2.contourArea(region.astype(np.float32)) < _LEAST_MM2:
        return None
    palette = _palette_here(lab, filled, off, ground, palette)
    depth = np.asarray(cv2.distanceTransform(filled, cv2.DIST_L2, 5), float)
    inside = (depth > _FRAME_MM * PX_PER_MM) & (mask > 0)
    pixels = lab[inside]
    if len(pixels) < 30:
        return None
    colour = pixels[:, 1:]
    distance = np.linalg.norm(colour[:, None] - palette[None, :, 1:], axis=2)
    # what is printed on the corner is of no colour or another: the colour that covers most of it counts
    distance[:, ground] = np.inf
    votes = np.bincount(distance.argmin(1), weights=1 / (1 + (distance.min(1) / _NEAR) ** 4), minlength=len(palette))
    ordered = np.sort(votes)
    kind = int(votes.argmax())
    doubt = float(ordered[-2] / max(ordered[-1], 1e-6))
    return ReadCorner(kind, region, doubt, palette[kind], filled, rough)


def _palette_here(lab: Array, filled: NDArray[np.uint8], off: Array, ground: int, palette: Array) -> Array:
    """(4, 3) the four colours as the ground beside a corner tells that they look there: paler, brighter or darker."""
    reach = 2 * round(_BESIDE_MM * PX_PER_MM) + 1
    beside = (cv2.dilate(filled, np.ones((reach, reach), np.uint8)) > 0) & (filled == 0) & (off < 0.5)
    if beside.sum() < 50:
        return palette
    seen, want = (rgb_of(v) for v in (np.median(lab[beside], 0), palette[ground]))
    # a lamp's reflection adds to all colours alike, a shadow takes a share of each
    A = np.concatenate([np.stack([want, np.full(3, 255.0)], 1), np.diag([_STEADY_GAIN, _STEADY_VEIL]) * 255])
    b = np.concatenate([seen, [_STEADY_GAIN * 255, 0]])
    gain, veil = np.linalg.lstsq(A, b, rcond=None)[0]
    return lab_of(np.clip(gain * rgb_of(palette) + veil * 255, 0, 255))


def _simple(points: Array) -> Array:
    """An outline of few corners: as few as stay within a small distance of it."""
    eps = _STRAIGHT_MM * PX_PER_MM
    while True:
        few = cv2.approxPolyDP(points.astype(np.float32)[:, None], eps, True)[:, 0].astype(float)
        if len(few) <= 6 or eps > 20:
            return np.asarray(few if len(few) >= 3 else points)
        eps *= 1.15


def _to_edge(points: Array, size_mm: tuple[float, float], near_mm: float) -> Array:
    """Outline in mm, drawn out to the card's edge and corner where it comes near."""
    size = np.array(size_mm)
    p = points.copy()
    for axis in (0, 1):
        p[p[:, axis] < near_mm, axis] = 0.0
        p[p[:, axis] > size[axis] - near_mm, axis] = size[axis]
    touched = [(p[:, 0] == 0).any(), (p[:, 0] == size[0]).any(), (p[:, 1] == 0).any(), (p[:, 1] == size[1]).any()]
    corners = [
        np.array([x, y])
        for x, y, sides in (
            (0.0, 0.0, (0, 2)),
            (size[0], 0.0, (1, 2)),
            (0.0, size[1], (0, 3)),
            (size[0], size[1], (1, 3)),
        )
        if touched[sides[0]] and touched[sides[1]]
    ]
    both = np.concatenate([p, *[c[None] for c in corners]]) if corners else p
    hull = cv2.convexHull(both.astype(np.float32))[:, 0].astype(float)
    few = cv2.approxPolyDP(hull.astype(np.float32)[:, None], 0.35, True)[:, 0].astype(float)
    return np.round(few if len(few) >= 3 else hull, 2)


def _number(
    lab: Array, filled: NDArray[np.uint8], colour: Array, region: Array, size_mm: tuple[float, float]
) -> NumberInk | None:
    """The ink on a corner: what differs from the corner's own colour, all in one direction."""
    rows, columns = np.nonzero(filled)
    part = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    off = (lab[part] - _paper(lab[part], filled[part], colour)) * _INK_WEIGHT
    size = np.linalg.norm(off, axis=2)
    far = np.zeros(filled.shape)
    far[part] = size
    within = np.asarray(_within_frame(far, filled, region, size_mm), np.bool_)[part]
    if within.sum() < 40:
        return None
    # what is left of a frame lies at the side, the number in the middle
    depth = cv2.distanceTransform(np.pad(within.astype(np.uint8), 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    middle = depth > _MIDDLE * depth.max()
    strong = off[middle & (size > _STRONG * float(np.percentile(size[middle], 97)))]
    way = np.linalg.svd(strong, full_matrices=False)[2][0]
    # a sharpened picture has a pale line round dark ink, and the other way round: more of the ink itself is there
    along = off @ (way if float(((strong @ way) ** 3).sum()) > 0 else -way)
    top = float(np.percentile(along[middle], 96))
    if top < _LEAST_INK:
        return None
    ink = np.asarray(np.clip(along / top, 0, 1) * filled[part], np.float32)
    return NumberInk(ink, within, tuple(_outwards(region, size_mm)))


def _paper(lab: Array, filled: NDArray[np.uint8], colour: Array) -> Array:
    """(rows, columns, 3) the colour that most of a corner has, about its own; light may change it from end to end."""
    h, w = filled.shape
    y, x = np.mgrid[:h, :w]
    A = np.stack([np.ones((h, w)), x / w - 0.5, y / h - 0.5], -1)
    depth = cv2.distanceTransform(np.pad(filled, 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    inside = depth > _FRAME_MM * PX_PER_MM
    inside = inside if inside.sum() >= 30 else filled > 0
    columns, seen = A[inside], lab[inside]
    # what is printed may cover half of it: what is all of one colour counts, and what is nearer to the corner's
    few = seen[:: max(1, len(seen) // 250)] * _INK_WEIGHT
    close = np.linalg.norm(few[:, None] - few[None], axis=2) < _ONE_COLOUR
    fit = np.zeros((3, 3))
    own = 1 / (1 + (np.linalg.norm(few[:, 1:] - colour[1:], axis=1) / _NEAR) ** 2)
    fit[0] = np.median(few[close[(close.sum(1) * own).argmax()]], 0) / _INK_WEIGHT
    for turn in range(6):
        miss = np.linalg.norm((seen - columns @ fit) * _INK_WEIGHT, axis=1)
        weight = 1 / (1 + (miss / min(max(float(np.median(miss)), 1.0), _ONE_COLOUR)) ** 2)
        free = 1 if turn < 2 else 3
        more = np.diag([0.0, _LEVEL, _LEVEL])[:free, :free] * len(seen)
        weighted = columns[:, :free] * weight[:, None]
        fit[:free] = np.linalg.solve(weighted.T @ columns[:, :free] + more, weighted.T @ seen)
    return np.asarray(A @ fit)


def _within_frame(off: Array, filled: NDArray[np.uint8], region: Array, size_mm: tuple[float, float]) -> Array:
    """(rows, columns) True within a corner and off the frame that runs along its inner sides."""
    h, w = filled.shape
    y, x = np.mgrid[:h, :w]
    at = np.stack([(x + 0.5) / PX_PER_MM, (y + 0.5) / PX_PER_MM], -1)
    inner = filled > 0
    top = float(np.percentile(off[inner], 96))
    for p, q, out in inner_sides(region, size_mm):
        into = -out
        along = (q - p) / max(float(np.hypot(*(q - p))), 1e-9)
        depth = (at - p) @ into
        along_it = (at - p) @ along / max(float(np.hypot(*(q - p))), 1e-9)
        mine = inner & (along_it > 0.15) & (along_it < 0.85)
        cut = _FRAME_MM
        for d in _FRAME_DEPTHS:
            line = mine & (np.abs(depth - d) < 0.6 / PX_PER_MM)
            if not line.any() or float((off[line] > 0.5 * top).mean()) < _FRAME_SHARE:
                break
            cut = max(cut, float(d) + 0.3)
        inner = inner & (depth > cut)
    return np.asarray(inner)


def _outwards(region: Array, size_mm: tuple[float, float]) -> list[float]:
    """Directions (rad, 0 up, clockwise) in which a corner's number may have its head: out over a side it touches."""
    w, h = size_mm
    out = []
    if (region[:, 1] <= 0).any():
        out.append(0.0)
    if (region[:, 0] >= w).any():
        out.append(np.pi / 2)
    if (region[:, 1] >= h).any():
        out.append(np.pi)
    if (region[:, 0] <= 0).any():
        out.append(-np.pi / 2)
    return out
