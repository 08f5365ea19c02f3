"""The numbers of a copy's CONEX corners: those that stand clear are read, and tell what the copy's digits look like.

With the copy's own digits as patterns the others are found, too: where a frame touches them or an edge cuts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture_digits import DigitReading, read_digit

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DIGITS = "12345"
_TURN_STEP = np.radians(10)
_TURN_SIGMA = np.radians(28)  # how far a number's head may point from straight out of the card
_CLEAN = 0.5  # probability from which a reading becomes a pattern
_PLAIN = 0.82  # ... and from which it needs no pattern
_HEIGHT = 26  # rows of a pattern's ink
_MARGIN = 5  # rows and columns of paper round it
_SCALES = (0.7, 0.8, 0.9, 1.0, 1.12, 1.25)  # of the usual height
_TURNS = np.radians(np.arange(-50, 51, 10))
_SURE = 0.06  # by how much the best pattern must be more alike than any other


@dataclass(frozen=True, slots=True, eq=False)
class NumberInk:
    """The ink of one corner.

    Parameters
    ----------
    ink
        (rows, columns) 0 paper to 1 ink, the whole corner with its frame.
    within
        (rows, columns) True off the frame.
    outwards_rad
        Directions in which the number's head may point, clockwise from up.
    """

    ink: Floats
    within: NDArray[np.bool_]
    outwards_rad: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """What is written on a corner, and whether that is certain."""

    value: int
    sure: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Clean:
    reading: DigitReading
    part: Floats  # the digit alone
    height_px: float


def read_numbers(corners: Sequence[NumberInk]) -> list[Number | None]:
    """The number on each corner; None where there is no ink."""
    clean = [_clean(c) for c in corners]
    good = [c for c in clean if c is not None and c.reading.probability > _CLEAN]
    patterns = _patterns(good)
    usual = float(np.median([c.height_px for c in good])) if good else 0.0
    out: list[Number | None] = []
    for corner, one in zip(corners, clean, strict=True):
        if one is not None and one.reading.probability > _PLAIN:
            out.append(Number(one.reading.digit, True))
            continue
        found = _matched(corner, patterns, usual) if len(patterns) > 1 and usual else None
        if found is not None:
            value, margin = found
            agrees = one is not None and one.reading.digit == value and one.reading.probability > _CLEAN
            out.append(Number(value, bool(margin > _SURE or (agrees and margin > 0.3 * _SURE))))
        elif one is not None:
            out.append(Number(one.reading.digit, False))
        else:
            out.append(None)
    return out


def _clean(corner: NumberInk) -> _Clean | None:
    """The largest piece of ink off the frame, and what digit it is."""
    ink = corner.ink * corner.within
    solid = (ink > 0.5).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    if count < 2:
        return None
    depth = cv2.distanceTransform(np.pad(corner.within.astype(np.uint8), 1), cv2.DIST_L2, 5)[1:-1, 1:-1]
    weight = [float(depth[labels == i].max()) * np.sqrt(stats[i, cv2.CC_STAT_AREA]) for i in range(1, count)]
    best = 1 + int(np.argmax(weight))
    x, y, w, h, area = stats[best]
    if area < 12:
        return None
    near = cv2.dilate((labels == best).astype(np.uint8), np.ones((3, 3), np.uint8))
    part = np.asarray((ink * near)[max(0, y - 2) : y + h + 2, max(0, x - 2) : x + w + 2], np.float32)
    turns = np.arange(-np.pi, np.pi - 1e-6, _TURN_STEP)
    weights = np.full(len(turns), 0.02)
    for out in corner.outwards_rad:
        away = (turns - out + np.pi) % (2 * np.pi) - np.pi
        weights = np.maximum(weights, np.exp(-0.5 * (away / _TURN_SIGMA) ** 2))
    reading = read_digit(part, turns, weights, DIGITS)
    if reading is None:
        return None
    upright = _turned(part, reading.turn_rad)
    rows = np.nonzero((upright > 0.5).any(1))[0]
    return _Clean(reading, part, float(np.ptp(rows) + 1) if len(rows) else 0.0)


def _turned(ink: Floats, turn_rad: float) -> Floats:
    """The ink with its head up."""
    side = int(np.ceil(np.hypot(*ink.shape))) + 2
    h, w = ink.shape
    M = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), float(np.degrees(turn_rad)), 1.0)
    M = M + np.array([[0, 0, (side - w) / 2], [0, 0, (side - h) / 2]])
    return np.asarray(cv2.warpAffine(ink, M, (side, side), flags=cv2.INTER_LINEAR), np.float32)


def _patterns(good: Sequence[_Clean]) -> dict[int, Floats]:
    """The copy's own digits, paper around them: the usual one of each value."""
    by_value: dict[int, list[Floats]] = {}
    for c in good:
        upright = _turned(c.part, c.reading.turn_rad)
        rows, columns = np.nonzero(upright > 0.5)
        if not len(rows):
            continue
        part = upright[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        width = max(4, round(_HEIGHT * part.shape[1] / part.shape[0]))
        by_value.setdefault(c.reading.digit, []).append(
            np.asarray(cv2.resize(part, (width, _HEIGHT), interpolation=cv2.INTER_AREA), np.float32)
        )
    out = {}
    for value, pictures in by_value.items():
        width = int(np.median([p.shape[1] for p in pictures]))
        same = [cv2.resize(p, (width, _HEIGHT)) for p in pictures if abs(p.shape[1] - width) < 0.25 * width]
        if same:
            out[value] = np.pad(np.median(same, axis=0).astype(np.float32), _MARGIN)
    return out


def _matched(corner: NumberInk, patterns: dict[int, Floats], usual_px: float) -> tuple[int, float] | None:
    """The value whose pattern is found in the corner, and by how much more alike it is than any other."""
    scores = dict.fromkeys(patterns, -1.0)
    room = _MARGIN + 2
    own = corner.ink * cv2.dilate(corner.within.astype(np.uint8), np.ones((3, 3), np.uint8))
    for out in corner.outwards_rad:
        for turn in _TURNS:
            upright = _turned(own, out + float(turn))
            inside = _turned(corner.within.astype(np.float32), out + float(turn))
            for scale in _SCALES:
                f = _HEIGHT / (usual_px * scale)
                big = cv2.resize(upright, None, fx=f, fy=f, interpolation=cv2.INTER_LINEAR)
                deep = cv2.resize(inside, None, fx=f, fy=f, interpolation=cv2.INTER_LINEAR)
                big, deep = np.pad(big, room), np.pad(deep, room)
                for value, pattern in patterns.items():
                    ph, pw = pattern.shape
                    if big.shape[0] < ph or big.shape[1] < pw:
                        continue
                    like = cv2.matchTemplate(big, pattern, cv2.TM_CCOEFF_NORMED)
                    # a digit stands within its corner
                    centre = deep[ph // 2 : ph // 2 + like.shape[0], pw // 2 : pw // 2 + like.shape[1]]
                    like = np.where(np.isfinite(like) & (centre > 0.5), like, -1)
                    bias = 1 - 0.08 * abs(float(turn)) / np.radians(50) - 0.05 * abs(np.log(scale)) / 0.3
                    scores[value] = max(scores[value], float(like.max()) * bias)
    ordered = sorted(scores.values())
    value = max(scores, key=lambda v: scores[v])
    if scores[value] < 0.35:
        return None
    return value, ordered[-1] - ordered[-2]
