"""Where on an upright plane a piece of one colour could hang: every shape, side and angle against the labels."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import fft

from vision.cactus.cactus_set import CactusSet, PieceLook
from vision.cactus.piece_climb import Grid, climb

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]
Spectra = NDArray[np.complex64]

FINE_MM = 0.5
"""Side of a cell of the plane's labels."""
_COARSE = 4
"""So many fine cells along the side of one of the first search."""
_FULL = 15 * _COARSE**2
"""The mean of a coarse cell whose fine ones have this or nothing is a whole number."""
_ANGLES = 36
_SIZES = (54, 72, 100, 144, 256)
"""Sides of windows, in coarse cells."""
_RING_MM = 1.5
"""So far outside its edge a piece's colour must have ended."""
_HIDDEN_COST = 0.15
_BESIDE = 0.6
"""So much is a cell of the same colour worth that lies apart from those that are to be explained."""
_SYMMETRIC = 0.96
_KEPT = 10
_POINTS = 150
"""So many points of a shape are looked at in the climb."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One side of a piece.

    Parameters
    ----------
    piece
        The piece.
    flipped
        Whether its back is seen.
    outline_mm
        (n, 2) its edge as seen, y up, about `centre_mm`.
    centre_mm
        (2,) the point of the seen outline that is the origin here.
    inside_mm, ring_mm
        (m, 2) and (k, 2) points within it and just outside it.
    half
        Whether half a turn leaves it as it was.
    """

    piece: PieceLook
    flipped: bool
    outline_mm: Array
    centre_mm: Array
    inside_mm: Array
    ring_mm: Array
    half: bool


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """A piece at a place: where the centre of its shape is, in mm on the plane, turned by `angle_rad` leftwards."""

    shape: Shape
    x_mm: float
    y_mm: float
    angle_rad: float
    score: float

    def outline_mm(self) -> Array:
        """(n, 2) its edge on the plane, y up."""
        return turned(self.shape.outline_mm, self.angle_rad) + (self.x_mm, self.y_mm)

    def inside_mm(self) -> Array:
        """(m, 2) points within it on the plane, y up."""
        return turned(self.shape.inside_mm, self.angle_rad) + (self.x_mm, self.y_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The labels of a picture seen straight on an upright plane.

    Parameters
    ----------
    labels
        (rows, columns) labels of cells of `FINE_MM`.
    left_mm, top_mm
        x and y of the middle of the first cell; rows go down.
    """

    labels: Labels
    left_mm: float
    top_mm: float

    def cell(self, points_mm: Array) -> Array:
        """(n, 2) mm, y up -> (n, 2) column and row."""
        return np.asarray((points_mm - (self.left_mm, self.top_mm)) / (FINE_MM, -FINE_MM))


def turned(points: Array, angle_rad: float) -> Array:
    """Points turned leftwards about the origin."""
    c, s = np.cos(angle_rad), np.sin(angle_rad)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))


class Bank:
    """Every side of every piece of a set, ready to be searched for."""

    def __init__(self, cactus_set: CactusSet) -> None:
        self.longest_mm = max(float(np.linalg.norm(np.ptp(p.outline_mm, axis=0))) for p in cactus_set.pieces)
        self.largest_mm2 = max(_area(p.outline_mm) for p in cactus_set.pieces)
        self.smallest_mm2 = min(_area(p.outline_mm) for p in cactus_set.pieces)
        self.base_mm = cactus_set.base_mm
        self.paint_mm2 = {
            c: sum(_area(p.outline_mm) for p in cactus_set.pieces if p.color == c) for c in cactus_set.colors
        }
        self.shapes: dict[str, tuple[Shape, ...]] = {}
        for color in cactus_set.colors:
            of_color = [s for p in cactus_set.pieces if p.color == color for s in _sides(p)]
            self.shapes[color] = tuple(of_color)
        self._spectra: dict[tuple[str, bool, int], tuple[Spectra, Spectra]] = {}

    def spectra(self, shape: Shape, size: int) -> tuple[Spectra, Spectra]:
        """(angles, size, size // 2 + 1) of its inside and of its ring, the latter weighed like the former."""
        key = (shape.piece.id, shape.flipped, size)
        if key not in self._spectra:
            inside, ring = (_spectrum(tiles, size) for tiles in _drawn(shape))
            self._spectra[key] = (inside, ring)
        return self._spectra[key]


@lru_cache(maxsize=4)
def bank_of(cactus_set: CactusSet) -> Bank:
    """The bank of a set, made once."""
    return Bank(cactus_set)


def find_guesses(
    bank: Bank,
    color: str,
    sheet: Sheet,
    cells: NDArray[np.bool_],
    label: int,
    hiders: NDArray[np.bool_],
    taken: Container[str] = (),
) -> list[Guess]:
    """Pieces of one colour that could explain some cells, best first.

    Parameters
    ----------
    bank, color
        What is searched for.
    sheet
        The plane.
    cells
        (rows, columns) what is to be explained.
    label
        The colour's label.
    hiders
        (256,) which labels may lie before a piece of this colour.
    taken
        Names of pieces that are found already.
    """
    free = [shape for shape in bank.shapes[color] if shape.piece.id not in taken]
    box = cv2.boundingRect(cells.astype(np.uint8))
    reach = int(bank.longest_mm / FINE_MM)
    left, top = box[0] - reach // 2, box[1] - reach // 2
    need = max(box[2], box[3]) + reach
    size = -(-need // _COARSE) + reach // (2 * _COARSE)
    size = min(s for s in _SIZES if s >= min(size, _SIZES[-1]))
    wide = size * _COARSE
    here = _window(sheet.labels, left, top, wide)
    asked = _window(cells.view(np.uint8), left, top, wide) == 1
    own = (here == label).astype(np.float32)
    hid = hiders[here].astype(np.float32)
    coarse_own, coarse_hid, coarse_asked = _shrunk(own), _shrunk(hid), _shrunk(asked.astype(np.float32))
    sought = (1 + _BESIDE) * coarse_own + (1 - _BESIDE) * coarse_asked
    gain = fft.rfft2(sought + (1 - _HIDDEN_COST) * coarse_hid - 1).astype(np.complex64)
    own_there = fft.rfft2(coarse_own).astype(np.complex64)
    rows, columns = (min(-(-(n + reach) // _COARSE), size) for n in (box[3], box[2]))
    guesses = []
    for shape in free:
        inside, ring = bank.spectra(shape, size)
        product = inside * gain
        product -= ring * own_there
        there = fft.ifft(product, axis=1, overwrite_x=True)[:, :rows]
        score = fft.irfft(there, size)[:, :, :columns]
        flat = score.reshape(len(score), -1)
        peak = flat.argmax(axis=1)
        value = flat[np.arange(len(flat)), peak]
        for k in _peaks(value):
            row, column = divmod(int(peak[k]), columns)
            x = sheet.left_mm + (left + column * _COARSE + (_COARSE - 1) / 2) * FINE_MM
            y = sheet.top_mm - (top + row * _COARSE + (_COARSE - 1) / 2) * FINE_MM
            guesses.append(Guess(shape, x, y, 2 * np.pi * k / _ANGLES, float(value[k])))
    guesses = sorted((g for g in guesses if g.score > 0), key=lambda g: -g.score)[:_KEPT]
    worth = np.where(here == label, 1.0, -1 + (1 - _HIDDEN_COST) * hid).astype(np.float32)
    start = np.array([[g.x_mm, g.y_mm, g.angle_rad] for g in guesses]).reshape(-1, 3)
    grid = Grid(worth, sheet.left_mm + left * FINE_MM, sheet.top_mm - top * FINE_MM, FINE_MM)
    places, scores = climb(start, [(g.shape.inside_mm, g.shape.ring_mm) for g in guesses], grid)
    climbed = [
        Guess(g.shape, float(x), float(y), float(a), float(score))
        for g, (x, y, a), score in zip(guesses, places, scores, strict=True)
    ]
    return sorted(climbed, key=lambda g: -g.score)


def _peaks(value: Array) -> list[int]:
    """The best of a ring of angles and the best other peak."""
    first, ring = int(np.argmax(value)), value.tolist()
    for k in np.argsort(value)[::-1].tolist():
        away = abs(k - first)
        if min(away, len(ring) - away) >= _ANGLES // 9 and ring[k - 1] <= ring[k] >= ring[(k + 1) % len(ring)]:
            return [first, k]
    return [first]


def _window(labels: Labels, left: int, top: int, size: int) -> Labels:
    out = np.full((size, size), 255, np.uint8)
    height, width = labels.shape
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + size, width), min(top + size, height)
    if x1 > x0 and y1 > y0:
        out[y0 - top : y1 - top, x0 - left : x1 - left] = labels[y0:y1, x0:x1]
    return out


def _shrunk(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.resize(cells, None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA))


def _sides(piece: PieceLook) -> list[Shape]:
    front = _shape(piece, False)
    back = _shape(piece, True)
    reach = _reach(front.outline_mm)
    mask = _filled(front.outline_mm, reach)
    turns = (_filled(turned(back.outline_mm, 2 * np.pi * k / 72), reach) for k in range(72))
    return [front] if max(_alike(mask, m) for m in turns) > _SYMMETRIC else [front, back]


def _shape(piece: PieceLook, flipped: bool) -> Shape:
    seen = piece.outline_mm * ((-1.0, 1.0) if flipped else (1.0, 1.0))
    middle = seen.mean(axis=0)
    reach = _reach(seen - middle)
    m = cv2.moments(_filled(seen - middle, reach), binaryImage=True)
    area = max(m["m00"], 1.0)
    centre = middle + np.array([m["m10"] / area - reach, reach - m["m01"] / area]) * FINE_MM
    outline = seen - centre
    reach = _reach(outline) + round((_RING_MM + 1) / FINE_MM)
    mask = _filled(outline, reach)
    same = _alike(mask, _filled(-outline, reach))
    return Shape(piece, flipped, outline, centre, _points(mask), _points(_ring(mask)), same > _SYMMETRIC)


def _reach(outline: Array) -> int:
    """So many cells about the origin hold an outline, however it is turned."""
    return int(np.ceil(np.linalg.norm(outline, axis=1).max() / FINE_MM)) + 1


def _alike(a: Labels, b: Labels) -> float:
    """Overlap of two masks as a share of both together."""
    both = cv2.countNonZero(cv2.bitwise_and(a, b))
    return both / max(cv2.countNonZero(a) + cv2.countNonZero(b) - both, 1)


def _ring(mask: Labels) -> Labels:
    """What is just outside a mask."""
    return np.asarray(cv2.dilate(mask, _disc(_RING_MM + 1)) - cv2.dilate(mask, _disc(_RING_MM)), np.uint8)


def _filled(outline: Array, reach: int) -> Labels:
    """The cells within an outline, so many on all sides of the origin."""
    mask = np.zeros((2 * reach + 1, 2 * reach + 1), np.uint8)
    cv2.fillPoly(mask, [np.round((outline / FINE_MM * (1, -1) + reach) * 16).astype(np.int32)], 1, shift=4)
    return mask


def _points(mask: Labels) -> Array:
    """Cells of a mask, evenly thinned, in mm about its middle."""
    reach = len(mask) // 2
    rows, columns = np.nonzero(mask)
    step = max(1, round(len(rows) / _POINTS))
    order = ((rows - reach) * 7919 + (columns - reach) * 104729 + 334) % 1009
    keep = np.argsort(order, kind="stable")[::step]
    return np.stack([columns[keep] - float(reach), reach - rows[keep]], axis=1) * FINE_MM


@lru_cache(maxsize=8)
def _disc(radius_mm: float) -> Labels:
    k = round(radius_mm / FINE_MM)
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * k + 1, 2 * k + 1)), np.uint8)


@lru_cache(maxsize=128)
def _drawn(shape: Shape) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(angles, cells, cells) inside and ring at the coarse grid; the shape's centre is in the middle cell."""
    count = _ANGLES // 2 if shape.half else _ANGLES
    reach = float(np.linalg.norm(shape.outline_mm, axis=1).max()) + _RING_MM + 1
    cells = 2 * int(np.ceil(reach / (FINE_MM * _COARSE))) + 1
    side = cells * _COARSE
    fine = np.zeros((count * side, side), np.uint8)
    for k in range(count):
        px = turned(shape.outline_mm, 2 * np.pi * k / _ANGLES) / FINE_MM * (1, -1) + (side - 1) / 2
        cv2.fillPoly(fine[k * side : (k + 1) * side], [np.round(px * 16).astype(np.int32)], _FULL, shift=4)
    inside, rim = (_share(c).reshape(count, cells, cells) for c in (fine, _ring(fine)))
    weight = inside.sum(axis=(1, 2)) / np.maximum(rim.sum(axis=(1, 2)), 1.0)
    return inside, rim * weight[:, None, None]


def _share(cells: Labels) -> NDArray[np.float32]:
    """The share of fine cells that are full, in each coarse one."""
    small = cv2.resize(cells, None, fx=1 / _COARSE, fy=1 / _COARSE, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) / np.float32(_FULL)


def _spectrum(tiles: NDArray[np.float32], size: int) -> Spectra:
    """Conjugate spectra of tiles whose middle cells are at the first cell of a window, wrapped around."""
    half = tiles.shape[1] // 2
    at = np.arange(-half, half + 1) % size
    rows = np.zeros((len(tiles), tiles.shape[1], size), np.float32)
    rows[:, :, at] = tiles
    whole = np.zeros((len(tiles), size, size // 2 + 1), np.complex64)
    whole[:, at] = fft.rfft(rows)
    return np.asarray(np.conj(fft.fft(whole, axis=1, overwrite_x=True)), np.complex64)


def _area(outline: Array) -> float:
    x, y = outline.T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)
