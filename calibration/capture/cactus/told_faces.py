"""Flat pieces told by more than their colour, beside those that are told by it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.laid import Cut, Face, faces_on
from calibration.capture.cactus.plate_scale import SeenTarget
from calibration.capture.cactus.seen_pieces import FINE, LEAST, MOST, SeenPiece, is_table

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

_CUT = 1.5  # px: what ends as near to the end of what pieces lie on may go on there
_INNER = 0.6  # of a face's depth: where its own colour is seen
_AGREED = 0.8  # overlap from which two outlines are of one piece
_SAME_PLACE = 0.3  # of the smaller one: what covers as much of another cannot lie beside it
SURE, _UNLIKELY = 0.9, 0.7
"""Chances of a piece from which it may look like the table, and up to which its colour is the table's own."""


def told_faces(cut: Cut, lab: Array, table: Array, inside: Mask, target: SeenTarget | None) -> list[SeenPiece]:
    """Every piece whose face is told by more than colour and ends before what it lies on does.

    `table` is the table as Lab, as it would be with nothing on it.
    """
    free = inside.copy()
    if target is not None:
        cv2.fillPoly(free, [np.round(target.sheet()).astype(np.int32)], 0)
    size = 2 * int(np.ceil(_CUT)) + 1
    end = cv2.erode(free, np.ones((size, size), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    area = lab.shape[0] * lab.shape[1]
    out = []
    for face in faces_on(cut, free, LEAST * area, FINE):
        if _is_whole(face.rim, np.asarray(end, np.uint8), MOST * area):
            out.append(SeenPiece(face.whole, face.origin, *_colours(face, lab, table), face.rim))
    return out


def with_faces(by_colour: list[SeenPiece], faces: list[SeenPiece], plate: Floats) -> list[SeenPiece]:
    """What is seen by its colour, but where its form is not that of the faces there; and faces by themselves.

    By its colour, a shadow, a gleam or a neighbour of one paint may be told as a part, and a table of nearly its colour
    may lose some of it. Where both agree the piece has both outlines, and its rim is sought from either. `plate` (h, w)
    is the chance that a pixel shows a piece: a spot of the table has a colour of its own, and is none; a piece may have
    the table's.
    """
    out = [one for one in by_colour if chance_of(one, plate) > _UNLIKELY]
    # what was told whole is settled before its crumbs are
    for face in sorted(faces, key=lambda f: -int(f.whole.sum())):
        shares = [_overlap(face, one) for one in out]
        agreed = [both / (a + b - both) for both, a, b in shares]
        taken = [both > _SAME_PLACE * min(a, b) for both, a, b in shares]
        if max(agreed, default=0.0) > _AGREED:
            k = int(np.argmax(agreed))
            out[k] = replace(out[k], rim=face.rim)
            out = [one for i, one in enumerate(out) if i == k or not taken[i]]
            continue
        if any(there and one.rim is not None for one, there in zip(out, taken, strict=True)):
            continue
        if not any(taken) and is_table(face) and chance_of(face, plate) < SURE:
            continue
        out = [one for one, there in zip(out, taken, strict=True) if not there] + [face]
    return out


def chance_of(one: SeenPiece, plate: Floats) -> float:
    """The chance that a piece is one, over all that is seen of it."""
    h, w = (n // FINE for n in one.whole.shape)
    x, y = one.origin
    mask = cv2.resize(one.whole, (w, h), interpolation=cv2.INTER_NEAREST)
    return float(plate[y : y + h, x : x + w][mask > 0].mean())


def _overlap(a: SeenPiece, b: SeenPiece) -> tuple[int, int, int]:
    """Pixels that two pieces cover both, and each."""
    left, top = np.maximum(a.origin, b.origin)
    parts = []
    ends = [np.array(one.origin) + np.array(one.whole.shape[::-1]) // FINE for one in (a, b)]
    right, low = np.minimum(*ends)
    if right <= left or low <= top:
        return 0, int(a.whole.sum()), int(b.whole.sum())
    for one in (a, b):
        x, y = (left - one.origin[0]) * FINE, (top - one.origin[1]) * FINE
        parts.append(one.whole[y : y + (low - top) * FINE, x : x + (right - left) * FINE])
    return int((parts[0] & parts[1]).sum()), int(a.whole.sum()), int(b.whole.sum())


def _is_whole(rim: Array, within: Mask, most: float) -> bool:
    """Whether a face lies where it cannot go on beyond the end of what it lies on, and is no larger than pieces are."""
    x, y = np.clip(np.round(rim).astype(int), 0, np.array(within.shape[::-1]) - 1).T
    return bool(within[y, x].all()) and cv2.contourArea(rim.astype(np.float32)) < most


def _colours(face: Face, lab: Array, table: Array) -> tuple[Array, Array]:
    """The colours of a face, and of the table below it."""
    low = np.floor(face.rim.min(0)).astype(int)
    high = np.ceil(face.rim.max(0)).astype(int) + 1
    mask = np.zeros((high - low)[::-1], np.uint8)
    cv2.fillPoly(mask, [np.round((face.rim - low) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    core = deep >= _INNER * float(deep.max())
    box = np.s_[low[1] : high[1], low[0] : high[0]]
    return np.median(lab[box][core], 0), np.median(table[box][core], 0)
