"""The numbers on the squares of CONEX's track: where they stand, and which each of them is."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.digits import NONE, framed, probabilities
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MOST = 60
"""Squares that a track has at most."""
PX = 960
"""Side in which the board is read."""
WORST = 1e-4
"""Probability of what is read as something else."""

_STROKES = (0.022, 0.035)  # of the board's side: how thick ink may be
_TALL = (0.016, 0.06)  # of the board's side: how tall a digit is
_WIDE = 0.05
_LEGIBLE = 0.6  # probability from which ink is a digit
_CLEAR = "234579"  # digits that look like none when they stand on their head or lie
_INSET = 0.1  # of a square: where its frame runs
_SNAP = 0.2  # of a square: how far a number stands from the middle of its square at most
_APART = 0.7  # of the usual distance of neighbours: nearer together there are no two squares
_USUAL = 80  # percentile of the distances to the next number
_CERTAIN = 0.95  # probability from which a number is one wherever it stands
_THIN = 0.3  # of a number's height: how much ink joins two digits that touch


def find_numbers(face: NDArray[np.uint8]) -> tuple[float, Array]:
    """How much can be read with this side up, and the middles (n, 2) of all numbers."""
    grey = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY)
    boxes: list[Array] = []
    likes: list[float] = []
    weight = 0.0
    for share in _STROKES:
        k = round(share * PX)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k, k))
        for how in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT):
            ink = cv2.morphologyEx(grey, how, kernel).astype(np.float32)
            more, p = _digits(ink / max(float(np.percentile(ink, 99)), 12.0))
            for one, like in zip(more, p, strict=True):
                x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
                if any(abs(x - b[0] - b[2] / 2) < b[2] / 2 and abs(y - b[1] - b[3] / 2) < b[3] / 2 for b in boxes):
                    continue
                boxes.append(one)
                likes.append(float(like[:NONE].max()))
                weight += float(like[[int(c) for c in _CLEAR]].max())
    if not boxes:
        return 0.0, np.zeros((0, 2))
    found = np.stack(boxes)
    # digits of about one height, and those side by side are one number
    tall = float(np.median(found[:, 3]))
    level = (found[:, 3] > 0.65 * tall) & (found[:, 3] < 1.5 * tall)
    found, sure = found[level], np.array(likes)[level]
    used = np.zeros(len(found), bool)
    out, certain = [], []
    for i in np.argsort(found[:, 0]):
        if used[i]:
            continue
        used[i] = True
        x, y, w, h = found[i]
        like = sure[i]
        for j in np.argsort(found[:, 0]):
            gap = found[j, 0] - (x + w)
            beside = abs(found[j, 1] + found[j, 3] / 2 - y - h / 2) < 0.3 * tall
            if not used[j] and beside and -0.3 * tall < gap < 0.4 * tall:
                used[j] = True
                w = found[j, 0] + found[j, 2] - x
                like = max(like, sure[j])
        out.append([x + w / 2 - 0.5, y + h / 2 - 0.5])
        certain.append(float(like))
    return weight, apart(np.array(out), np.array(certain))


def apart(middles: Array, certain: Array) -> Array:
    """Of middles nearer to each other than squares are the surer: paper between a number and a frame may look so."""
    if len(middles) < 3:
        return middles
    between = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(between, np.inf)
    # most numbers have a neighbour at the usual distance, and some have paper that looks like one nearer by
    least = _APART * float(np.percentile(between.min(1), _USUAL))
    kept: list[int] = []
    for i in np.argsort(-certain, kind="stable"):
        if certain[i] > _CERTAIN or all(between[i, k] > least for k in kept):
            kept.append(int(i))
    return np.asarray(middles[sorted(kept)])


def _digits(ink: Floats) -> tuple[list[Array], Floats]:
    """Boxes (x, y, w, h) of what is a digit for certain, and their probabilities."""
    solid = (ink > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    pictures, boxes = [], []
    for i in range(1, count):
        x, y, w, h, area = stats[i]
        if not _TALL[0] * PX < h < _TALL[1] * PX or w > _WIDE * PX or area < 0.1 * w * h:
            continue
        part = ink[y : y + h, x : x + w] * (labels[y : y + h, x : x + w] == i)
        one = framed(np.pad(np.clip(part, 0, 1), 2).astype(np.float32))
        if one is not None:
            pictures.append(one)
            boxes.append(stats[i, :4].astype(float))
    if not pictures:
        return [], np.zeros((0, NONE + 1), np.float32)
    p = probabilities(np.stack(pictures))
    good = p[:, :NONE].max(1) > _LEGIBLE
    return [b for b, g in zip(boxes, good, strict=True) if g], p[good]


def pitch(middles: Array) -> float:
    """How far neighbouring squares are apart."""
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(1)))


def in_rows(middles: Array, side: float) -> Array:
    """The squares' middles: in rows and columns where the numbers stand so, without those that stand off."""
    cells = middles.copy()
    on = np.ones(len(cells), bool)
    for axis in (0, 1):
        phase = np.angle(np.exp(2j * np.pi * cells[:, axis] / side).mean()) / (2 * np.pi) * side
        for _ in range(4):
            step = np.round((cells[:, axis] - phase) / side)
            miss = cells[:, axis] - phase - step * side
            near = np.abs(miss) < _SNAP * side
            if near.sum() < 3 or np.ptp(step[near]) == 0:
                break
            A = np.c_[step[near], np.ones(int(near.sum()))]
            (side_here, phase), *_ = np.linalg.lstsq(A, cells[near, axis], rcond=None)
            side = float(side_here) if 0.9 < side_here / side < 1.1 else side
        step = np.round((cells[:, axis] - phase) / side)
        near = np.abs(cells[:, axis] - phase - step * side) < _SNAP * side
        if near.mean() > 0.8:
            cells[near, axis] = phase + step[near] * side
            on &= near
    cells = cells[on]
    kept: list[Array] = []
    for c in cells:
        if all(float(np.hypot(*(c - k))) > 0.5 * side for k in kept):
            kept.append(c)
    return np.array(kept)


def number_at(face: NDArray[np.uint8], middle: Array, side: float) -> Array:
    """(MOST + 1,) how likely each number stands in a square."""
    half = (0.5 - _INSET) * side
    x0, y0 = (np.maximum(middle - half, 0)).astype(int)
    x1, y1 = np.ceil(middle + half).astype(int) + 1
    part = face[y0:y1, x0:x1].astype(np.float32)
    lab = lab_of(part)
    best = np.full(MOST + 1, WORST)
    for ground in _grounds(lab):
        off = np.linalg.norm((lab - ground) * [1, 0.7, 0.7], axis=2)
        ink = np.asarray(np.clip(off / max(float(np.percentile(off, 97)), 8.0), 0, 1), np.float32)
        best = np.maximum(best, _number_in(ink, float(middle[0] - x0)))
    return best


def _grounds(lab: Array) -> list[Array]:
    """Colours that a number may stand on: what surrounds it, and what covers the middle (a star, a disc)."""
    h, w = lab.shape[:2]
    middle = lab[h // 5 : h - h // 5, w // 5 : w - w // 5].reshape(-1, 3)
    out = [np.median(lab.reshape(-1, 3), 0), np.median(middle, 0)]
    order = np.argsort(middle[:, 0])
    out += [np.median(middle[order[: len(order) // 2]], 0), np.median(middle[order[len(order) // 2 :]], 0)]
    return out


def _number_in(ink: Floats, centre: float) -> Array:
    """(MOST + 1,) how likely each number is what this ink shows."""
    out = np.full(MOST + 1, WORST)
    h, w = ink.shape
    solid = (ink > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    parts = [
        i
        for i in range(1, count)
        if 0.2 * h < stats[i, 3] < 0.9 * h
        and stats[i, 0] > 0
        and stats[i, 1] > 0
        and stats[i, 0] + stats[i, 2] < w
        and stats[i, 1] + stats[i, 3] < h
        and abs(stats[i, 1] + stats[i, 3] / 2 - h / 2) < 0.2 * h
    ]
    if not 1 <= len(parts) <= 2:
        return out
    parts.sort(key=lambda i: stats[i, 0])
    left = stats[parts[0], 0]
    right = stats[parts[-1], 0] + stats[parts[-1], 2]
    if abs((left + right) / 2 - centre) > 0.2 * w:
        return out
    pieces = [np.asarray(np.where(labels == i, ink, 0)[_box(stats[i])], np.float32) for i in parts]
    if len(pieces) == 2:
        out[10:] = np.maximum(out[10:], _two(pieces[0], pieces[1]))
        return out
    one = framed(pieces[0])
    if one is not None:
        out[:NONE] = np.maximum(out[:NONE], probabilities(one[None])[0, :NONE])
    # digits that touch each other
    rows, columns = pieces[0].shape
    if columns > 0.8 * rows:
        for cut in range(round(0.25 * columns), round(0.75 * columns)):
            if pieces[0][:, cut].sum() < _THIN * rows:
                halves = np.pad(pieces[0][:, :cut], ((0, 0), (0, 1))), np.pad(pieces[0][:, cut:], ((0, 0), (1, 0)))
                out[10:] = np.maximum(out[10:], _two(*halves))
    return out


def _box(stats: NDArray[np.int32]) -> tuple[slice, slice]:
    """Rows and columns of a piece of ink with a little paper around."""
    x, y, w, h = (int(v) for v in stats[:4])
    return slice(y - 1, y + h + 1), slice(x - 1, x + w + 1)


def _two(tens: Floats, ones: Floats) -> Array:
    """(MOST - 9,) how likely two pieces of ink are each number from 10 on."""
    pictures = [framed(tens), framed(ones)]
    if pictures[0] is None or pictures[1] is None:
        return np.full(MOST - 9, WORST)
    p = probabilities(np.stack([pictures[0], pictures[1]])).astype(float)
    n = np.arange(10, MOST + 1)
    return np.asarray(p[0, n // 10] * p[1, n % 10])
