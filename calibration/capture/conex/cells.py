"""The fields of a board that have an outline of their own and are all of one size: the squares of a track."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.likeness import completed, edges_of, linked
from calibration.capture.conex.squares import MOST
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

FEWEST = 8
"""Squares of a track."""

_SLOPES = (0.8, 1.2, 1.8, 2.6, 3.6, 5.0)  # difference of colour from pixel to pixel below which a place is even
_WIDE = (0.032, 0.064)  # of the board's side: what a place is held against
_LIGHTER = (2.0, 4.0, 7.0, 12.0)  # L*: by how much it stands out there
_LEAST, _MOST = 0.02, 0.13  # of the board's side
_LONG = 1.35  # how much longer than wide a square may seem: there are hexagons, too
_FULL = 0.68  # share of the rectangle round it that it fills: a triangle has half
_WHOLE = 0.8  # ... and of the convex outline round it
_SIZES = 0.06  # steps of sizes, as logarithms
_ONE_SIZE = 0.12  # by how much squares seem larger or smaller, as a logarithm
_CLEAN = 0.9  # share of those of one size that are found in more than one way
_LARGER = 1.25  # size beside what was found before from which it is something else
_ONE_PLACE, _THE_SAME = 0.15, 0.8  # sizes from middle to middle, and share of them: squares, with and without outline
_TRIED = 4  # sets of squares among which their numbers decide
_AS_MANY = 0.6  # figures to a square, or less: what is larger and at least so often there holds what is smaller


def find_cells(face: NDArray[np.uint8]) -> Iterator[tuple[Array, float]]:
    """Middles (n, 2) and side, in px, of what may be the squares of a board seen from above, the likeliest first.

    The figures on them are found as well, but less clearly, and so are ornaments: squares are the largest of what is
    there often and always found in more than one way. Those that their numbers or the light hide look like the others.
    """
    found = np.array(list(_fields(face)))
    if len(found) < 2 * FEWEST:
        return
    best: tuple[Array, float] | None = None
    most = 0
    others: list[tuple[Array, float]] = []
    for size in np.exp(np.arange(np.log(_LEAST), np.log(_MOST), _SIZES)) * face.shape[1]:
        middles, times = _places(found[np.abs(np.log(found[:, 2] / size)) < _ONE_SIZE], 0.5 * size)
        clear = times > 1
        if clear.sum() < FEWEST:
            continue
        others.append((middles, float(size)))
        if clear.mean() < _CLEAN:
            continue
        clearly = middles[clear], float(size)
        if best is None or (_holds(clearly, best[0]) if size > best[1] * _LARGER else times.sum() > most):
            best, most = clearly, int(times.sum())
    yield from _completed(edges_of(face), best, others[::-1])


def _completed(
    edges: NDArray[np.float32], clear: tuple[Array, float] | None, others: Sequence[tuple[Array, float]]
) -> Iterator[tuple[Array, float]]:
    """Sets of squares with those that look like them: the one that is clear, then others, of which none is twice."""
    tried: list[Array] = []
    for middles, size in [clear] if clear is not None else []:
        tried.append(completed(edges, middles, size, certain=True))
        yield tried[-1], size
    for middles, size in others:
        squares = completed(edges, middles, size, certain=False)
        if FEWEST <= len(squares) <= MOST and linked(squares) and not any(_the_same(squares, t, size) for t in tried):
            tried.append(squares)
            yield squares, size
        if len(tried) >= _TRIED:
            break


def _the_same(squares: Array, others: Array, size: float) -> bool:
    """Whether squares are where others are."""
    apart = np.linalg.norm(squares[:, None] - others[None], axis=2)
    return len(squares) == len(others) and float(apart.min(1).max()) < _ONE_PLACE * size


def _holds(larger: tuple[Array, float], smaller: Array) -> bool:
    """Whether squares hold what was found before, rather than being some of it with their outlines."""
    middles, size = larger
    apart = np.linalg.norm(middles[:, None] - smaller[None], axis=2).min(1)
    same = len(middles) < len(smaller) and float(np.mean(apart < _ONE_PLACE * size)) > _THE_SAME
    return len(middles) > _AS_MANY * len(smaller) and not same


def _fields(face: NDArray[np.uint8]) -> Iterator[tuple[float, float, float]]:
    """Middle and size, in px, of whatever is about as wide as high and fills its outline."""
    side = face.shape[1]
    for mask in _masks(face):
        contours, _ = cv2.findContours(mask.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            x, y, w, h = cv2.boundingRect(contour)
            if not _LEAST * side < max(w, h) < _MOST * side:
                continue
            hull = cv2.convexHull(contour)
            area = cv2.contourArea(hull)
            a, b = cv2.minAreaRect(hull)[1]
            if max(a, b) < _LONG * min(a, b) and area > _FULL * a * b and cv2.contourArea(contour) > _WHOLE * area:
                yield x + w / 2 - 0.5, y + h / 2 - 0.5, float(np.sqrt(area))


def _masks(face: NDArray[np.uint8]) -> Iterator[Mask]:
    """What is even, and what is lighter or darker than what is round it, each for several levels."""
    lab = lab_of(cv2.bilateralFilter(face, 5, 20, 3)).astype(np.float32)
    across, down = (np.linalg.norm(cv2.Sobel(lab, cv2.CV_32F, *way, ksize=3), axis=2) for way in ((1, 0), (0, 1)))
    slope = np.hypot(across, down) / 8
    for level in _SLOPES:
        yield slope < level
    light = np.asarray(np.clip(lab[..., 0] * 2.55, 0, 255), np.uint8)
    for share in _WIDE:
        usual = cv2.medianBlur(light, round(share * face.shape[1]) // 2 * 2 + 1)
        off = (light.astype(np.float32) - usual) / 2.55
        for level in _LIGHTER:
            yield from (off > level, off < -level, off < level, off > -level)


def _places(found: Array, apart: float) -> tuple[Array, NDArray[np.intp]]:
    """Where one or more were found, (n, 2), and how many (n,) each time."""
    places: list[list[Array]] = []
    for one in found:
        for place in places:
            if np.hypot(*(one[:2] - place[0][:2])) < apart:
                place.append(one)
                break
        else:
            places.append([one])
    middles = [np.median([p[:2] for p in place], axis=0) for place in places]
    return np.array(middles).reshape(-1, 2), np.array([len(p) for p in places], np.intp)
