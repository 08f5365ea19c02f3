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
_LEAST_MM2 = 18.0  # a corner has at least this area
_NEAR = 14.0  # difference in a* and b* at which a pixel counts half for a colour
_STRAIGHT_MM = 0.8  # how far an outline may be from straight
_SNAP_MM = 2.2  # from the card's edge or corner: an outline that comes so near reaches it
_BESIDE_MM = 4.0  # how far beside a corner the light is taken from the ground
_STEADY_GAIN, _STEADY_VEIL = 0.25, 0.1  # how readily a place is darker, and paler, than the usual one
_FRAME_MM = 0.9  # what is left out along a corner's inner sides when its number is looked for
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
        How clear its colour is, and its Lab as seen.
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
    lab = lab_of(_smoothed(face))
    return [_number(lab, c.cover, c.colour, c.rough_mm if roughly else c.region_mm, size_mm) for c in corners]


def _smoothed(face: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.bilateralFilter(face, 5, 30, 3), np.uint8)


def _off_ground(lab: Array, ground: int, palette: Array) -> Array:
    """(rows, columns) 0 on the ground, 1 on another colour or ink."""
    weight = np.array([0.55, 1, 1])
    # the ground's own colour here, which a lamp shades smoothly
    own = np.median(lab.reshape(-1, 3), axis=0)
    near = np.linalg.norm((lab - own) * [0.3, 1, 1], axis=2) < 22
    shade = lab.copy()
    shade[~near] = 0
    small = cv2.resize(np.dstack([shade, near.astype(float)]), None, fx=0.2, fy=0.2, interpolation=cv2.INTER_AREA)
    blur = cv2.GaussianBlur(small, (0, 0), 0.2 * 9 * PX_PER_MM)
    blur = cv2.resize(blur, (lab.shape[1], lab.shape[0]), interpolation=cv2.INTER_LINEAR)
    local = blur[..., :3] / np.maximum(blur[..., 3:], 1e-3)
    local[blur[..., 3] < 1e-3] = own
    others = np.delete(palette, ground, 0)
    reach = float(np.min(np.linalg.norm((others - palette[ground]) * weight, axis=1)))
    off = np.linalg.norm((lab - local) * weight, axis=2)
    return np.asarray(off / (2 * _OTHER * min(max(reach, 1.0), 60.0)))


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
    """The ink on a corner."""
    off = np.linalg.norm((lab - colour) * [0.8, 1, 1], axis=2)
    within = np.asarray(_within_frame(off, filled, region, size_mm), np.bool_)
    if within.sum() < 40:
        return None
    top = float(np.percentile(off[within], 96))
    if top < 12:
        return None
    rows, columns = np.nonzero(filled)
    part = (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))
    ink = np.asarray(np.clip(off / top, 0, 1) * filled, np.float32)
    return NumberInk(ink[part], within[part], tuple(_outwards(region, size_mm)))


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
