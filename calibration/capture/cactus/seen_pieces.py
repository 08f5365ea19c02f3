"""Flat pieces on a table told by their colours: what is no shadow and no gleam, each by itself."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

LEAST, MOST = 0.0008, 0.12
"""Of the picture's area: what a piece covers."""
FINE = 2
"""Times the picture's scale at which pieces are cut out."""
_STANDS_OUT = 4.5  # times the table's own scatter
_LEAST_OFF = 6.0  # grey levels of Lab from which anything stands out
_SHADOW = 0.45  # change of colour as a share of the loss of light, up to which it is a shadow
_LAB_BLACK = 16.0  # lightness below 0 at which Lab's tints of one colour under less and less light meet
_TINTED = 12.0  # difference in a* and b* from which a piece is told from the table by its tint alone
_ONE_PAINT, _ONE_SHARE = (
    22.0,
    0.25,
)  # difference in Lab within one paint's face, and the share it has of all that stands out
_SOFT = 0.4  # pixels of the picture by which it is softened before that
_HALF = 0.5  # share of the way from the table's colour to the piece's
_BLACK = 0.45  # of the table's lightness: no broad shadow is darker
_BROAD_BLACK, _BROAD_DARK = 0.008, 0.017  # of the picture's long side: no shadow so dark is as broad
_MARGIN = 0.4  # of a piece's longer side: how much more of it there may be than stands out at once


@dataclass(frozen=True, slots=True, eq=False)
class SeenPiece:
    """A piece with its side, at `FINE` times the picture's scale.

    `whole` (h, w) is the face and what is seen of the side, `origin` the picture's pixel at its top left, `lab` and
    `table` are the colours of the face and of what it lies on, `rim` (n, 2) is the face's outline in px where it was
    told by more than colour.
    """

    whole: Mask
    origin: tuple[int, int]
    lab: Array
    table: Array
    rim: Array | None = None


def standing_out(lab: Array, table: Array, inside: Mask) -> Mask:
    """1 where something lies that is no shadow."""
    dimmed = (lab[..., :1] + _LAB_BLACK) / (table[..., :1] + _LAB_BLACK)
    # in a shadow the table's own tint fades as its light does
    off = lab - table * np.concatenate([np.ones_like(dimmed), dimmed, dimmed], axis=2)
    scatter = np.median(np.abs(off[inside > 0]), axis=0) * 1.4826 + 0.5
    light, colour = off[..., 0], np.hypot(off[..., 1], off[..., 2])
    colour_noise = float(np.hypot(scatter[1], scatter[2]))
    tinted = colour > max(_LEAST_OFF, _STANDS_OUT * colour_noise)
    brighter = light > max(_LEAST_OFF, _STANDS_OUT * float(scatter[0]))
    darker = light < -max(3 * _LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))
    shadow = (light < 0) & (colour < _SHADOW * np.abs(light))
    mask = ((tinted | brighter | darker) & ~shadow).astype(np.uint8) * inside
    size = max(3, round(0.004 * max(lab.shape[:2])) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)
    # a black or dark piece is darker than shadows are, and broader than they are where they are darkest
    black = lab[..., 0] < _BLACK * table[..., 0]
    dark = darker | (black & (light < -max(_LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))))
    for there, broad in ((black & darker, _BROAD_BLACK), (dark, _BROAD_DARK)):
        own = there.astype(np.uint8) * inside
        size = max(5, round(broad * max(lab.shape[:2])) | 1)
        core = cv2.morphologyEx(own, cv2.MORPH_OPEN, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
        mask = np.maximum(mask, np.minimum(np.asarray(cv2.dilate(core, kernel), np.uint8), own))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    own = np.asarray(cv2.morphologyEx((tinted & ~shadow).astype(np.uint8) * inside, cv2.MORPH_OPEN, kernel), np.uint8)
    return _without_gleams(mask, own)


def _without_gleams(mask: Mask, tinted: Mask) -> Mask:
    """The mask; of what goes on beyond the picture, as a lamp's gleam on the table does, only what has another tint."""
    edge = np.zeros_like(mask)
    edge[[0, -1]] = edge[:, [0, -1]] = 1
    _, labels = cv2.connectedComponents(mask, connectivity=4)
    beyond = np.isin(labels, np.unique(labels[(edge > 0) & (mask > 0)])) & (mask > 0)
    return np.where(beyond, mask & tinted, mask)


def apart(lab: Array, table: Array, mask: Mask, inside: Mask) -> list[SeenPiece]:
    """What of a mask may be a piece, each by itself; what reaches the end of what they lie on may go on there."""
    end = cv2.morphologyEx(np.pad(inside, 1), cv2.MORPH_GRADIENT, np.ones((5, 5), np.uint8))[1:-1, 1:-1]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    area = lab.shape[0] * lab.shape[1]
    seen: list[SeenPiece] = []
    for i in range(1, count):
        x, y, w, h, covered = stats[i]
        touches = x == 0 or y == 0 or x + w == lab.shape[1] or y + h == lab.shape[0]
        if not LEAST * area < covered < MOST * area or touches:
            continue
        if end[y : y + h, x : x + w][labels[y : y + h, x : x + w] == i].any():
            continue
        rest = np.asarray(labels == i, np.uint8)
        box: tuple[int, int, int, int] | None = (int(x), int(y), int(w), int(h))
        while box is not None and (one := _seen(lab, table, rest, box)) is not None:
            seen.append(one)
            rest, box = _left(rest, one, LEAST * area)
    return seen


def _left(mask: Mask, one: SeenPiece, least: float) -> tuple[Mask, tuple[int, int, int, int] | None]:
    """What a mask holds besides a piece, broader than sides and shadows are, and its box; None where there is none."""
    h, w = (n // FINE for n in one.whole.shape)
    x, y = one.origin
    whole = cv2.resize(one.whole, (w, h), interpolation=cv2.INTER_AREA)
    size = max(5, round(_BROAD_DARK * max(mask.shape)) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    taken = np.zeros_like(mask)
    taken[y : y + h, x : x + w] = whole
    rest = mask * (1 - np.asarray(cv2.dilate(taken, np.ones((3, 3), np.uint8)), np.uint8))
    core = np.asarray(cv2.morphologyEx(rest, cv2.MORPH_OPEN, kernel), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(core, connectivity=4)
    if count < 2 or stats[1:, cv2.CC_STAT_AREA].max() < least:
        return core, None
    k = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    left, top, wide, high, _ = stats[k].tolist()
    return np.asarray(labels == k, np.uint8), (left, top, wide, high)


def _seen(lab: Array, table: Array, mask: Mask, box: tuple[int, int, int, int]) -> SeenPiece | None:
    """The piece under a mask, told from table and shadow to a fraction of a pixel."""
    pad = max(8, round(_MARGIN * max(box[2:])))
    x, y, w, h = box
    rows = slice(max(0, y - pad), y + h + pad)
    columns = slice(max(0, x - pad), x + w + pad)
    part, own, below = lab[rows, columns], mask[rows, columns], table[rows, columns]
    depth = cv2.distanceTransform(own, cv2.DIST_L2, 5)
    core = depth > 0.4 * depth.max()
    if core.sum() < 20:
        return None
    # two pieces may hang together by a shadow between them: that with the deepest place comes first
    deepest = part[np.unravel_index(int(depth.argmax()), depth.shape)]
    alike = core & (np.linalg.norm(part - deepest, axis=2) < _ONE_PAINT)
    core = alike if alike.sum() > _ONE_SHARE * core.sum() else core
    colour = np.median(part[core], 0)
    ground = np.median(below[core], 0)
    # a tinted piece is told by its tint, which neither its side nor a shadow changes much
    weight = np.array([0.25, 1, 1]) if np.hypot(*(colour - ground)[1:]) > _TINTED else np.ones(3)
    way = (colour - ground) * weight
    big = cv2.resize(part.astype(np.float32), None, fx=FINE, fy=FINE, interpolation=cv2.INTER_CUBIC).astype(float)
    share = ((big - ground) * weight) @ way / float(way @ way)
    near = (cv2.GaussianBlur(share, (0, 0), _SOFT * FINE) > _HALF).astype(np.uint8)
    _, labels, _, _ = cv2.connectedComponentsWithStats(near, connectivity=4)
    mine = np.bincount(labels[np.repeat(np.repeat(core, FINE, 0), FINE, 1)].ravel())
    if len(mine) < 2:
        return None
    whole = (labels == 1 + int(np.argmax(mine[1:]))).astype(np.uint8)
    return SeenPiece(whole, (columns.start, rows.start), np.asarray(colour), np.asarray(ground))


def is_table(one: SeenPiece) -> bool:
    """Whether a colour is that of the table below it, or under less light: a patch between shadows is no face."""
    dimmed = (one.lab[0] + _LAB_BLACK) / (one.table[0] + _LAB_BLACK)
    off = one.lab - one.table * [1, dimmed, dimmed]
    told = np.hypot(max(off[0], 0.0), np.hypot(*off[1:]))
    return bool(told < max(_SHADOW * max(-off[0], 0.0), _LEAST_OFF))


def contour(mask: Mask, origin: tuple[int, int]) -> Array | None:
    """The longest outline of a mask at `FINE` times the picture's scale, in px of the picture."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if not contours:
        return None
    longest = max(contours, key=cv2.contourArea)[:, 0].astype(float)
    return None if len(longest) < 12 else (longest + 0.5) / FINE - 0.5 + origin
