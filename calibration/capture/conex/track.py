"""The track on the board of CONEX: its numbered squares in order, the start before the first, and the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture.conex.cells import find_cells
from calibration.capture.conex.path import Way, walked
from calibration.capture.conex.squares import MOST, PX, WORST, find_numbers, in_rows, number_at, pitch
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
_FAINT = 0.25  # probability from which a square that stands out less is one
_TOUCHING = 0.4  # of a square: how far the start may lie from the first square
_EQUAL = 0.3  # by how much the outlines of the fields of one start may seem to differ in size
_FULL = 0.7  # share of the rectangle round a field that it fills
_START = (0.7, 2.6)  # of a square's side: how wide the start is
_OWN = 0.8  # of the distance of neighbours: how wide a square is
_NEIGHBOUR = 1.3  # squares: how far the next square is at most
_AGREE = 0.75  # share of the numbers that must be read as they stand in order
_GUESSED = -6.0  # how well numbers fit that are not there, as a logarithm each
_AHEAD = 2.5  # by how much numbers must fit better than along any other way, as a logarithm


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


@dataclass(frozen=True, slots=True, eq=False)
class _Chain:
    """Numbered squares in order: quarter turns to the left, (n, 2) middles in px, and how far neighbours are apart.

    `fit` is how well the numbers fit each, as a logarithm; `left` (m, 2) are squares like them without a number.
    """

    quarter: int
    squares: Array
    side: float
    sure: bool
    fit: float
    left: Array

    @classmethod
    def along(cls, way: Way, quarter: int, cells: Array, table: Array, side: float) -> _Chain:
        """Squares in the order of a way; certain where most numbers are read as they stand and fit no other."""
        read = [int(table[i].argmax()) == n for n, i in enumerate(way.squares, 1)]
        left = [k for k in range(len(cells)) if k not in way.squares]
        sure = float(np.mean(read)) > _AGREE and way.ahead > _AHEAD
        return cls(quarter, cells[list(way.squares)], side, sure, way.fit / len(way.squares), cells[left])


def read_track(board: NDArray[np.uint8], taken: Sequence[Array] = ()) -> ReadTrack | None:
    """The track of a board seen straight from above, whichever side is up; None where there are no numbers.

    Parameters
    ----------
    taken
        Outlines (n, 2), as shares of the board's side, of what is none of the track.
    """
    told = _chained(board)
    if told is None or not told.sure:
        read = _by_numbers(board)
        if told is None or (read is not None and read.sure and len(read.squares) >= len(told.squares)):
            told = read
    if told is None:
        return None
    face = _at_size(np.rot90(board, told.quarter))
    mine = [_rotated(np.asarray(t, float), told.quarter) * PX for t in taken]
    squares, clear = _ends(told.squares, _fields(face, told, mine), told.side)
    return ReadTrack(squares / PX, told.quarter, told.sure and clear)


def _chained(board: NDArray[np.uint8]) -> _Chain | None:
    """A track whose squares have outlines and are a chain of neighbours, whichever side up its numbers fit best."""
    chains: list[_Chain] = []
    for middles, wide in find_cells(_at_size(board)):
        chain = _upright(board, middles, wide)
        chains += [] if chain is None else [chain]
        if chain is not None and chain.sure:
            break
    # each square counts by how much its number fits better than one that is not there
    return max(chains, key=lambda c: (c.sure, (c.fit - _GUESSED) * len(c.squares)), default=None)


def _upright(board: NDArray[np.uint8], middles: Array, wide: float) -> _Chain | None:
    """The way over such squares; None where they are no chain, or where nothing is written on them."""
    best: tuple[float, _Chain] | None = None
    for quarter in range(4):
        face = _at_size(np.rot90(board, quarter))
        cells = _rotated((middles + 0.5) / PX, quarter) * PX - 0.5
        side = pitch(cells)
        table = np.stack([number_at(face, c, wide) for c in cells])
        way = walked(cells, table, side)
        if way is not None and (best is None or way.fit > best[0]):
            chain = _Chain.along(way, quarter, cells, table, side)
            # a number next to a square and in none tells that a square was not found
            whole = not chain.sure or len(_with_neighbours(face, cells, table, side)[0]) == len(cells)
            best = way.fit, replace(chain, sure=chain.sure and whole)
    # squares that nothing is written on have no order
    return best[1] if best is not None and best[1].fit > _GUESSED else None


def _by_numbers(board: NDArray[np.uint8]) -> _Chain | None:
    """A track of which nothing but its numbers stands out."""
    best: tuple[float, int, Array] | None = None
    for quarter in range(4):
        weight, middles = find_numbers(_at_size(np.rot90(board, quarter)))
        if best is None or weight > best[0]:
            best = (weight, quarter, middles)
    assert best is not None
    _, quarter, middles = best
    if len(middles) < 4:
        return None
    face = _at_size(np.rot90(board, quarter))
    side = pitch(middles)
    cells = in_rows(middles, side)
    table = np.stack([number_at(face, c, side) for c in cells])
    cells, table = _with_neighbours(face, cells, table, side)
    way = walked(cells, table, side)
    if way is None:
        squares, sure = _ordered(cells, table, side)
        return _Chain(quarter, squares, side, sure, 0.0, np.zeros((0, 2)))
    return _Chain.along(way, quarter, cells, table, side)


def _rotated(points: Array, quarter: int) -> Array:
    """Places as shares of the side, after quarter turns to the left."""
    for _ in range(quarter):
        points = np.stack([points[:, 1], 1 - points[:, 0]], 1)
    return points


def _at_size(board: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(np.ascontiguousarray(board), (PX, PX), interpolation=cv2.INTER_AREA), np.uint8)


def _with_neighbours(face: NDArray[np.uint8], cells: Array, table: Array, side: float) -> tuple[Array, Array]:
    """The squares and those next to them in which something can be read, too."""
    for _ in range(2):
        more: list[Array] = []
        for c in cells:
            for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                at = c + np.array(step) * side
                if at.min() < side / 2 or at.max() > PX - side / 2:
                    continue
                if all(float(np.hypot(*(at - k))) > 0.5 * side for k in (*cells, *more)):
                    more.append(at)
        read = [(at, t) for at in more if (t := number_at(face, at, side)).max() > _FAINT]
        if not read:
            break
        cells = np.concatenate([cells, [at for at, _ in read]])
        table = np.concatenate([table, [t for _, t in read]])
    return cells, table


def _ordered(cells: Array, table: Array, side: float) -> tuple[Array, bool]:
    """The squares in the order of their numbers, from 1 on, and whether that is certain."""
    last = _last(cells, table)
    numbers = list(range(1, last + 1))
    cost = -np.log(np.maximum(table[:, numbers], WORST))
    rows, columns = linear_sum_assignment(cost)
    places: dict[int, Array] = {numbers[c]: cells[r] for r, c in zip(rows, columns, strict=True)}
    read = {numbers[c]: table[r].argmax() == numbers[c] for r, c in zip(rows, columns, strict=True)}
    # what fits badly and stands apart from its neighbours is none of the track
    for n in [n for n, ok in read.items() if not ok]:
        near = [m for m in (n - 1, n + 1) if m in places]
        if any(np.hypot(*(places[n] - places[m])) > _NEIGHBOUR * side for m in near):
            del places[n], read[n]
    sure = True
    for n in numbers:
        if n in places:
            continue
        gap = _between(places.get(n - 1), places.get(n + 1), list(places.values()), side)
        if gap is None:
            sure = False
            continue
        places[n] = gap
        sure = sure and n - 1 in read and n + 1 in read
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


def _fields(face: NDArray[np.uint8], told: _Chain, taken: Sequence[Array]) -> list[_Field]:
    """What is about as large as a square and has an outline, but no number."""
    squares, side = told.squares, told.side
    lab = lab_of(cv2.bilateralFilter(face, 7, 25, 4))
    dx = np.linalg.norm(cv2.Sobel(lab, cv2.CV_64F, 1, 0, ksize=3), axis=2)
    dy = np.linalg.norm(cv2.Sobel(lab, cv2.CV_64F, 0, 1, ksize=3), axis=2)
    slope = np.hypot(dx, dy) / 8
    found = [_Field(m, np.full(2, _OWN * side)) for m in told.left]
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
