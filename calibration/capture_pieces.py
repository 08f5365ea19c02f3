"""Flat pieces on a table: their outlines in pixels, the upper face alone, without edge and shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture_grounds import lab_of
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

_SIDE = 480  # long side of the picture in which the table is told from what lies on it
_LEAST, _MOST = 0.0008, 0.12  # of the picture's area: what a piece covers
_STANDS_OUT = 4.5  # times the table's own scatter
_LEAST_OFF = 6.0  # grey levels of Lab from which anything stands out
_SHADOW = 0.45  # change of colour as a share of the loss of light, up to which it is a shadow
_TINTED = 12.0  # difference in a* and b* from which a piece is told from the table by its tint alone
_SOFT = 0.4  # pixels of the picture by which it is softened before that
_HALF = 0.5  # share of the way from the table's colour to the piece's
_FINE = 2  # times the picture's scale
_SIDE_MOST, _SIDE_STEP = 7.0, 1.0  # pixels by which a lower edge may be seen beside the upper one
_BLURRED = 1.5  # pixels from its outline within which a piece is blurred into the table
_BELOW = 0.12  # of the picture's long side: how far below its middle the point below the camera usually is
_UNUSUAL = 0.6  # what it costs a piece that the camera looks twice as steeply, or straight down
_SIDE_CLEAR = 5.0  # times the face's scatter from which more says no more
_FACE_LIKE = 2.0  # times the face's scatter up to which a pixel is the face for certain
_SIDE_LIKE = 3.8  # times the face's scatter from which a pixel is rather its side
_SIMPLE = 0.35  # pixels by which an outline may be simplified


@dataclass(frozen=True, slots=True, eq=False)
class LaidPiece:
    """One piece: the photo's number, its outline (n, 2) in px, and the colour (Lab) of its upper face."""

    photo: int
    outline_px: Array
    lab: Array


def find_pieces(rgb: Rgb, photo: int) -> list[LaidPiece]:
    """Every piece that lies apart on a table of one material, row by row."""
    lab = lab_of(rgb)
    table = _table(lab)
    off = lab - table
    scatter = np.median(np.abs(off), axis=(0, 1)) * 1.4826 + 0.5
    light, colour = off[..., 0], np.hypot(off[..., 1], off[..., 2])
    colour_noise = float(np.hypot(scatter[1], scatter[2]))
    tinted = colour > max(_LEAST_OFF, _STANDS_OUT * colour_noise)
    brighter = light > max(_LEAST_OFF, _STANDS_OUT * float(scatter[0]))
    darker = light < -max(3 * _LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))
    shadow = (light < 0) & (colour < _SHADOW * np.abs(light))
    mask = ((tinted | brighter | darker) & ~shadow).astype(np.uint8)
    size = max(3, round(0.004 * max(rgb.shape[:2])) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    area = rgb.shape[0] * rgb.shape[1]
    seen: list[_Seen] = []
    for i in range(1, count):
        x, y, w, h, covered = stats[i]
        touches = x == 0 or y == 0 or x + w == rgb.shape[1] or y + h == rgb.shape[0]
        if not _LEAST * area < covered < _MOST * area or touches:
            continue
        one = _seen(lab, table, (labels == i).astype(np.uint8), (x, y, w, h))
        if one is not None:
            seen.append(one)
    if not seen:
        return []
    sides = _sides(seen, (rgb.shape[1], rgb.shape[0]))
    found = [_outline(one, side, photo) for one, side in zip(seen, sides, strict=True)]
    out = [p for p in found if p is not None]
    return sorted(out, key=lambda p: _reading_order(p, rgb.shape[0]))


def _reading_order(piece: LaidPiece, rows: int) -> tuple[int, float]:
    x, y = piece.outline_px.mean(0)
    return int(y / rows * 5), float(x)


def _table(lab: Array) -> Array:
    """The table as it would be with nothing on it: a smooth surface through most of the picture."""
    scale = _SIDE / max(lab.shape[:2])
    small = cv2.resize(lab.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(float)
    h, w = small.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    terms = [np.ones_like(x), x, y, x * x, x * y, y * y]
    A = np.stack([t.ravel() for t in terms], 1)
    b = small.reshape(-1, 3)
    weight = np.ones(len(b))
    fit: Array = np.zeros((6, 3))
    for _ in range(12):
        fit = np.asarray(np.linalg.lstsq(A * weight[:, None], b * weight[:, None], rcond=None)[0], np.float64)
        miss = np.linalg.norm(b - A @ fit, axis=1)
        s = max(1.5, 1.4826 * float(np.median(miss)))
        weight = np.where(miss < 4 * s, 1 / (1 + (miss / s) ** 2), 0.0)
    surface = (A @ fit).reshape(h, w, 3).astype(np.float32)
    return np.asarray(cv2.resize(surface, lab.shape[1::-1], interpolation=cv2.INTER_CUBIC), float)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A piece with its side, at `_FINE` times the picture's scale.

    `whole` (h, w) is the face and what is seen of the side, `off` (h, w) how far a pixel is from the face's colour in
    units of its scatter, `origin` the picture's pixel at its top left.
    """

    whole: Mask
    off: Array
    origin: tuple[int, int]
    lab: Array

    @property
    def middle(self) -> Array:
        h, w = self.whole.shape
        return np.array([self.origin[0] + w / 2 / _FINE, self.origin[1] + h / 2 / _FINE])


def _seen(lab: Array, table: Array, mask: Mask, box: tuple[int, int, int, int]) -> _Seen | None:
    """The piece under a mask, told from table and shadow to a fraction of a pixel."""
    pad = 8
    x, y, w, h = box
    rows = slice(max(0, y - pad), y + h + pad)
    columns = slice(max(0, x - pad), x + w + pad)
    part, own, below = lab[rows, columns], mask[rows, columns], table[rows, columns]
    depth = cv2.distanceTransform(own, cv2.DIST_L2, 5)
    core = depth > 0.4 * depth.max()
    if core.sum() < 20:
        return None
    colour = np.median(part[core], 0)
    ground = np.median(below[core], 0)
    # a tinted piece is told by its tint, which neither its side nor a shadow changes much
    weight = np.array([0.25, 1, 1]) if np.hypot(*(colour - ground)[1:]) > _TINTED else np.ones(3)
    way = (colour - ground) * weight
    big = cv2.resize(part.astype(np.float32), None, fx=_FINE, fy=_FINE, interpolation=cv2.INTER_CUBIC).astype(float)
    share = ((big - ground) * weight) @ way / float(way @ way)
    near = (cv2.GaussianBlur(share, (0, 0), _SOFT * _FINE) > _HALF).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=4)
    if count < 2:
        return None
    whole = (labels == 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))).astype(np.uint8)
    scatter = np.median(np.abs(part[core] - colour), axis=0) * 1.4826 + 0.8
    soft = cv2.GaussianBlur(big, (0, 0), 0.4 * _FINE)
    off = np.sqrt((((soft - colour) / scatter) ** 2).mean(2))
    return _Seen(whole, np.asarray(off), (columns.start, rows.start), np.asarray(colour))


def _without_side(whole: Mask, side_px: Array) -> Mask:
    """The face alone: the whole without what its lower edge, moved by `side_px`, shows of its side."""
    v = side_px * _FINE
    steps = max(1, int(np.ceil(np.hypot(*v) / 1.5)))
    h, w = whole.shape
    out = whole.copy()
    for k in range(1, steps + 1):
        dx, dy = v * k / steps
        M = np.array([[1.0, 0, -dx], [0, 1.0, -dy]])
        out = np.minimum(out, np.asarray(cv2.warpAffine(whole, M, (w, h), flags=cv2.INTER_NEAREST), np.uint8))
    return out


def _sides(seen: list[_Seen], size_px: tuple[int, int]) -> list[Array]:
    """(2,) for each piece by how far its lower edge is seen beside the upper one.

    The camera sees the sides that face the point below it: the same point for all pieces of a photo.
    """
    grid = np.arange(-_SIDE_MOST, _SIDE_MOST + 0.1, _SIDE_STEP)
    gains = np.zeros((len(seen), len(grid), len(grid)))
    for k, one in enumerate(seen):
        half = np.ascontiguousarray(one.whole[::2, ::2])
        # the outermost pixels are blurred into the table, side or not
        deep = cv2.distanceTransform(np.pad(half, 1), cv2.DIST_L2, 5)[1:-1, 1:-1] > _BLURRED * _FINE / 2
        gain = np.where(deep, np.clip(one.off[::2, ::2], 0, _SIDE_CLEAR) - _SIDE_LIKE, 0)
        for i, dy in enumerate(grid):
            for j, dx in enumerate(grid):
                face = _without_side(half, np.array([dx, dy]) / 2)
                removed = (half > 0) & (face == 0)
                gains[k, i, j] = float(gain[removed].sum()) / max(1.0, float(np.sqrt(half.sum())))
    middles = (np.array([s.middle for s in seen]) - np.array(size_px) / 2) / max(size_px)
    best: tuple[float, Array] | None = None
    every = np.arange(len(seen))
    for shrink in np.arange(0, 4 * _SIDE_MOST):
        for below in np.arange(-0.1, 0.45, 0.025):
            # the point below a camera that is held level lies under the picture's middle
            v = shrink * (np.array([0.0, below]) - middles)
            j = np.clip(np.round((v[:, 0] + _SIDE_MOST) / _SIDE_STEP).astype(int), 0, len(grid) - 1)
            i = np.clip(np.round((v[:, 1] + _SIDE_MOST) / _SIDE_STEP).astype(int), 0, len(grid) - 1)
            total = float(gains[every, i, j].sum()) - _UNUSUAL * len(seen) * ((below - _BELOW) / _BELOW) ** 2
            if best is None or total > best[0]:
                best = (total, v)
    assert best is not None
    return list(best[1])


def _outline(one: _Seen, side_px: Array, photo: int) -> LaidPiece | None:
    face = _without_side(one.whole, side_px)
    # a side that lies in the dark was taken for shadow: there the face itself ends the whole
    near = cv2.morphologyEx((one.off < _FACE_LIKE).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    face = np.maximum(face, one.whole & np.asarray(near, np.uint8))
    face = np.asarray(cv2.morphologyEx(face, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    contours, _ = cv2.findContours(face, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    simple = cv2.approxPolyDP(max(contours, key=cv2.contourArea), _SIMPLE * _FINE, True)[:, 0].astype(float)
    if len(simple) < 3:
        return None
    return LaidPiece(photo, (simple + 0.5) / _FINE - 0.5 + one.origin, one.lab)
