"""The track on the board of CONEX: its numbered squares in order, the start before the first, and the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture_digits import NONE, framed, probabilities
from calibration.capture_grounds import lab_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MOST = 60
"""Squares that a track has at most."""

_PX = 960  # side in which the board is read
_STROKES = (0.022, 0.035)  # of the board's side: how thick ink may be
_TALL = (0.016, 0.06)  # of the board's side: how tall a digit is
_WIDE = 0.05
_LEGIBLE = 0.6  # probability from which ink is a digit
_FAINT = 0.25  # probability from which a square that stands out less is one
_CLEAR = "234579"  # digits that look like none when they stand on their head or lie
_INSET = 0.1  # of a square: where its frame runs
_SNAP = 0.2  # of a square: how far a number stands from the middle of its square at most
_TOUCHING = 0.4  # of a square: how far the start may lie from the first square
_EQUAL = 0.12  # by how much fields of one start differ in size
_FULL = 0.7  # share of the rectangle round a field that it fills
_START = (0.7, 2.6)  # of a square's side: how wide the start is
_NEIGHBOUR = 1.3  # squares: how far the next square is at most
_THIN = 0.3  # of a number's height: how much ink joins two digits that touch
_WORST = 1e-4  # probability of what is read as something else
_AGREE = 0.75  # share of the numbers that must be read as they stand in order


@dataclass(frozen=True, slots=True, eq=False)
class ReadTrack:
    """The track.

    Parameters
    ----------
    squares
        (n, 2) middles as shares of the board's side, the start first, the goal last.
    quarter
        How many quarter turns to the left bring the board upright.
    sure
        Whether the order is certain.
    """

    squares: Array
    quarter: int
    sure: bool


def read_track(board: NDArray[np.uint8], taken: Sequence[Array] = ()) -> ReadTrack | None:
    """The track of a board seen straight from above, whichever side is up; None where there are no numbers.

    Parameters
    ----------
    taken
        Outlines (n, 2), as shares of the board's side, of what is none of the track.
    """
    best: tuple[float, int, Array] | None = None
    for quarter in range(4):
        face = _at_size(np.rot90(board, quarter))
        weight, middles = _numbers(face)
        if best is None or weight > best[0]:
            best = (weight, quarter, middles)
    assert best is not None
    _, quarter, middles = best
    if len(middles) < 4:
        return None
    face = _at_size(np.rot90(board, quarter))
    side = _pitch(middles)
    cells = _in_rows(middles, side)
    table = np.stack([_number_at(face, c, side) for c in cells])
    cells, table = _with_neighbours(face, cells, table, side)
    squares, sure = _ordered(cells, table, side)
    mine = [_rotated(np.asarray(t, float), quarter) * _PX for t in taken]
    squares, clear = _ends(squares, _fields(face, squares, side, mine), side)
    return ReadTrack(squares / _PX, quarter, sure and clear)


def _rotated(points: Array, quarter: int) -> Array:
    """Places as shares of the side, after quarter turns to the left."""
    for _ in range(quarter):
        points = np.stack([points[:, 1], 1 - points[:, 0]], 1)
    return points


def _at_size(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(np.ascontiguousarray(board), (_PX, _PX), interpolation=cv2.INTER_AREA), np.uint8)


def _numbers(face: NDArray[np.uint8]) -> tuple[float, Array]:
    """How much can be read with this side up, and the middles (n, 2) of all numbers."""
    grey = cv2.cvtColor(face, cv2.COLOR_RGB2GRAY)
    boxes: list[Array] = []
    weight = 0.0
    for share in _STROKES:
        k = round(share * _PX)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (k, k))
        for how in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT):
            ink = cv2.morphologyEx(grey, how, kernel).astype(np.float32)
            found, p = _digits(ink / max(float(np.percentile(ink, 99)), 12.0))
            for one, like in zip(found, p, strict=True):
                x, y = one[0] + one[2] / 2, one[1] + one[3] / 2
                if any(abs(x - b[0] - b[2] / 2) < b[2] / 2 and abs(y - b[1] - b[3] / 2) < b[3] / 2 for b in boxes):
                    continue
                boxes.append(one)
                weight += float(like[[int(c) for c in _CLEAR]].max())
    if not boxes:
        return 0.0, np.zeros((0, 2))
    found = np.stack(boxes)
    # digits of about one height, and those side by side are one number
    tall = float(np.median(found[:, 3]))
    found = found[(found[:, 3] > 0.65 * tall) & (found[:, 3] < 1.5 * tall)]
    used = np.zeros(len(found), bool)
    out = []
    for i in np.argsort(found[:, 0]):
        if used[i]:
            continue
        used[i] = True
        x, y, w, h = found[i]
        for j in np.argsort(found[:, 0]):
            gap = found[j, 0] - (x + w)
            level = abs(found[j, 1] + found[j, 3] / 2 - y - h / 2) < 0.3 * tall
            if not used[j] and level and -0.3 * tall < gap < 0.4 * tall:
                used[j] = True
                w = found[j, 0] + found[j, 2] - x
        out.append([x + w / 2 - 0.5, y + h / 2 - 0.5])
    return weight, np.array(out)


def _digits(ink: Floats) -> tuple[list[Array], Floats]:
    """Boxes (x, y, w, h) of what is a digit for certain, and their probabilities."""
    solid = (ink > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    pictures, boxes = [], []
    for i in range(1, count):
        x, y, w, h, area = stats[i]
        if not _TALL[0] * _PX < h < _TALL[1] * _PX or w > _WIDE * _PX or area < 0.1 * w * h:
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


def _pitch(middles: Array) -> float:
    """How far neighbouring squares are apart."""
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(apart.min(1)))


def _in_rows(middles: Array, side: float) -> Array:
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


def _number_at(face: NDArray[np.uint8], middle: Array, side: float) -> Array:
    """(MOST + 1,) how likely each number stands in a square."""
    half = (0.5 - _INSET) * side
    x0, y0 = (np.maximum(middle - half, 0)).astype(int)
    x1, y1 = np.ceil(middle + half).astype(int) + 1
    part = face[y0:y1, x0:x1].astype(np.float32)
    lab = lab_of(part)
    best = np.full(MOST + 1, _WORST)
    for ground in _grounds(lab):
        off = np.linalg.norm((lab - ground) * [1, 0.7, 0.7], axis=2)
        ink = np.asarray(np.clip(off / max(float(np.percentile(off, 97)), 8.0), 0, 1), np.float32)
        best = np.maximum(best, _number_in(ink, float(middle[0] - x0)))
    return best


def _with_neighbours(face: NDArray[np.uint8], cells: Array, table: Array, side: float) -> tuple[Array, Array]:
    """The squares and those next to them in which something can be read, too."""
    for _ in range(2):
        more: list[Array] = []
        for c in cells:
            for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                at = c + np.array(step) * side
                if at.min() < side / 2 or at.max() > _PX - side / 2:
                    continue
                if all(float(np.hypot(*(at - k))) > 0.5 * side for k in (*cells, *more)):
                    more.append(at)
        read = [(at, t) for at in more if (t := _number_at(face, at, side)).max() > _FAINT]
        if not read:
            break
        cells = np.concatenate([cells, [at for at, _ in read]])
        table = np.concatenate([table, [t for _, t in read]])
    return cells, table


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
    out = np.full(MOST + 1, _WORST)
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
        return np.full(MOST - 9, _WORST)
    p = probabilities(np.stack([pictures[0], pictures[1]])).astype(float)
    n = np.arange(10, MOST + 1)
    return np.asarray(p[0, n // 10] * p[1, n % 10])


def _ordered(cells: Array, table: Array, side: float) -> tuple[Array, bool]:
    """The squares in the order of their numbers, from 1 on, and whether that is certain."""
    last = _last(cells, table)
    numbers = np.arange(1, last + 1)
    cost = -np.log(np.maximum(table[:, numbers], _WORST))
    rows, columns = linear_sum_assignment(cost)
    places: dict[int, Array] = {int(numbers[c]): cells[r] for r, c in zip(rows, columns, strict=True)}
    read = {int(numbers[c]): table[r].argmax() == numbers[c] for r, c in zip(rows, columns, strict=True)}
    # what fits badly and stands apart from its neighbours is none of the track
    for n in [n for n, ok in read.items() if not ok]:
        near = [m for m in (n - 1, n + 1) if m in places]
        if any(np.hypot(*(places[n] - places[m])) > _NEIGHBOUR * side for m in near):
            del places[n], read[n]
    sure = True
    for n in numbers:
        if int(n) in places:
            continue
        gap = _between(places.get(int(n) - 1), places.get(int(n) + 1), list(places.values()), side)
        if gap is None:
            sure = False
            continue
        places[int(n)] = gap
        sure = sure and int(n) - 1 in read and int(n) + 1 in read
    order = sorted(places)
    squares = np.array([places[n] for n in order])
    steps = np.hypot(*np.diff(squares, axis=0).T)
    sure = sure and bool((steps < _NEIGHBOUR * side).all()) and float(np.mean(list(read.values()))) > _AGREE
    return squares, sure


def _last(cells: Array, table: Array) -> int:
    """The greatest number on the track: up to it almost every number is found."""
    best, score = len(cells), -np.inf
    # of two squares with one number one is none
    certain = [int(t.argmax()) for t in table if t.max() > 0.5]
    for last in range(max(4, len(cells) - 3), min(MOST, len(cells) + 4) + 1):
        good = len({n for n in certain if 1 <= n <= last}) - sum(n > last for n in certain)
        value = good - 0.5 * (last - good)
        if value > score:
            best, score = last, value
    return best


def _between(before: Array | None, after: Array | None, taken: Sequence[Array], side: float) -> Array | None:
    """The one free place next to two squares."""
    if before is None or after is None:
        return None
    steps = [np.array(s) * side for s in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    out = [
        before + s
        for s in steps
        if np.hypot(*(before + s - after)) < _NEIGHBOUR * side
        and all(np.hypot(*(before + s - t)) > 0.5 * side for t in taken)
    ]
    return out[0] if len(out) == 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """A field without a number: its middle and its width and height, in pixels."""

    middle: Array
    size: Array

    def gap(self, to: Array, side: float) -> float:
        """How far it lies from a square."""
        return float(np.hypot(*np.maximum(np.abs(to - self.middle) - self.size / 2 - side / 2, 0)))


def _fields(face: NDArray[np.uint8], squares: Array, side: float, taken: Sequence[Array]) -> list[_Field]:
    """What is about as large as a square and has an outline, but no number."""
    lab = lab_of(cv2.bilateralFilter(face, 7, 25, 4))
    dx = np.linalg.norm(cv2.Sobel(lab, cv2.CV_64F, 1, 0, ksize=3), axis=2)
    dy = np.linalg.norm(cv2.Sobel(lab, cv2.CV_64F, 0, 1, ksize=3), axis=2)
    slope = np.hypot(dx, dy) / 8
    found: list[_Field] = []
    for level in (1.2, 2.0, 3.5):
        contours, _ = cv2.findContours((slope < level).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            x, y, w, h = cv2.boundingRect(contour)
            if min(w, h) < _START[0] * side or max(w, h) > _START[1] * side or max(w, h) > 1.35 * min(w, h):
                continue
            field = _Field(np.array([x + w / 2 - 0.5, y + h / 2 - 0.5]), np.array([w, h], float))
            if (
                cv2.contourArea(contour) < _FULL * w * h
                or (np.abs(squares - field.middle) < field.size / 2).all(1).any()
            ):
                continue
            if any((t.min(0) - 1 <= field.middle).all() and (field.middle <= t.max(0) + 1).all() for t in taken):
                continue
            found.append(field)
    # a field in a field is its ornament
    found.sort(key=lambda f: -float(f.size.prod()))
    out: list[_Field] = []
    for f in found:
        if all((np.abs(f.middle - o.middle) > o.size / 2).any() for o in out):
            out.append(f)
    return out


def _ends(squares: Array, fields: Sequence[_Field], side: float) -> tuple[Array, bool]:
    """The squares with the start before them, and a goal without a number after them; whether both are certain."""
    near = sorted(fields, key=lambda f: f.gap(squares[0], side))
    if not near:
        return squares, False
    start = near[0]
    sure = start.gap(squares[0], side) < _TOUCHING * side
    beyond = [
        f for f in near[1:] if f.gap(squares[-1], side) < _TOUCHING * side and f.size.max() < _START[0] * 2 * side
    ]
    last = [f.middle for f in beyond[:1]]
    return np.array([_block(start, near, side), *squares, *last]), sure and not beyond


def _block(start: _Field, fields: Sequence[_Field], side: float) -> Array:
    """Middle of the start, which may be a field for each player."""
    block, grown = [start], True
    while grown:
        more = [
            f
            for f in fields
            if all(f is not b for b in block)
            and np.abs(f.size / start.size - 1).max() < _EQUAL
            and min(f.gap(b.middle, float(b.size.max())) for b in block) < _TOUCHING * side
        ]
        block, grown = block + more, bool(more)
    return np.asarray(np.mean([b.middle for b in block], axis=0))
