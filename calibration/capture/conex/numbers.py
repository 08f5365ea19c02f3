"""The numbers of a copy's CONEX corners: those that stand clear are read, and tell what the copy's digits look like.

With the copy's own digits as patterns the others are found, too: where a frame touches them or an edge cuts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.digits import DigitReading, likeliest, turned_probabilities

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DIGITS = "12345"
_TURN_STEP = np.radians(10)
_TURN_SIGMA = np.radians(28)  # how far a number's head may point from straight out of the card
_UPRIGHT_SIGMA = np.radians(14)  # ... from straight up, where all stand upright
_TELLS = 0.3  # by how much more legible a card's numbers must be one way up than the other to tell how it lies
_CLEAN = 0.5  # probability from which a reading becomes a pattern
_PLAIN = 0.82  # ... and from which it needs no pattern
_HEIGHT = 26  # rows of a pattern's ink
_MARGIN = 5  # rows and columns of paper round it
_SCALES = (0.7, 0.8, 0.9, 1.0, 1.12, 1.25)  # of the usual height
_TURNS = np.radians(np.arange(-50, 51, 10))
_SLANTS = np.radians(np.arange(-30, 31, 6))
_SAME = 0.92  # correlation from which a piece of ink as a whole is a pattern's digit
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
class Numbers:
    """The numbers of all cards, None where there is no ink.

    Parameters
    ----------
    of_card
        The numbers of each card's corners.
    head
        Of each card: 1 where its numbers stand upright, -1 where they stand on their heads, 0 where they do not tell.
    """

    of_card: list[list[Number | None]]
    head: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class _Ink:
    """One piece of ink: the digit alone, and what it is if its head points in each of some directions."""

    part: Floats
    turns_rad: Array
    p: Floats

    def read(self, heads_rad: Sequence[float], sigma_rad: float) -> _Clean:
        """What it is if its head points about in one of some directions."""
        weights = np.full(len(self.turns_rad), 0.02)
        for head in heads_rad:
            away = (self.turns_rad - head + np.pi) % (2 * np.pi) - np.pi
            weights = np.maximum(weights, np.exp(-0.5 * (away / sigma_rad) ** 2))
        reading = likeliest(np.asarray(self.p * weights[:, None], np.float32), self.turns_rad, DIGITS)
        rows = np.nonzero((_turned(self.part, reading.turn_rad) > 0.5).any(1))[0]
        return _Clean(reading, self.part, float(np.ptp(rows) + 1) if len(rows) else 0.0, tuple(heads_rad))


@dataclass(frozen=True, slots=True, eq=False)
class _Clean:
    reading: DigitReading
    part: Floats  # the digit alone
    height_px: float
    heads_rad: tuple[float, ...]


def read_numbers(cards: Sequence[Sequence[NumberInk | None]]) -> Numbers:
    """The number on each corner of each card."""
    ink = [[None if c is None else _ink(c) for c in corners] for corners in cards]
    # a copy prints its numbers one way: heads out of the card, into it, or all upright
    ways = [_by_corner(cards, ink, 0.0), _by_corner(cards, ink, np.pi), _upright(ink)]
    worth = [_worth(clean) for clean, _ in ways]
    clean, head = ways[int(np.argmax(worth))]
    good = [c for row in clean for c in row if c is not None and c.reading.probability > _CLEAN]
    patterns = _patterns(good)
    usual = float(np.median([c.height_px for c in good])) if good else 0.0
    out = [
        [
            None if corner is None else _number(corner, one, patterns, usual)
            for corner, one in zip(corners, row, strict=True)
        ]
        for corners, row in zip(cards, clean, strict=True)
    ]
    return Numbers(out, head)


def settled(first: Numbers, second: Numbers) -> Numbers:
    """What was read, and where that is not certain what a second look at the same corners says."""
    out: list[list[Number | None]] = []
    for row, more in zip(first.of_card, second.of_card, strict=True):
        out.append([])
        for a, b in zip(row, more, strict=True):
            if b is None or (a is not None and a.sure):
                out[-1].append(a)
            else:
                out[-1].append(Number(b.value, b.sure and (a is None or a.value == b.value)))
    return Numbers(out, first.head)


_Row = list[_Clean | None]


def _by_corner(
    cards: Sequence[Sequence[NumberInk | None]], ink: Sequence[Sequence[_Ink | None]], turn: float
) -> tuple[list[_Row], list[int]]:
    """Readings with the heads out of the card, or turned from there; such numbers do not tell how a card lies."""
    out: list[_Row] = []
    for corners, row in zip(cards, ink, strict=True):
        out.append(
            [
                None if c is None or i is None else i.read([o + turn for o in c.outwards_rad], _TURN_SIGMA)
                for c, i in zip(corners, row, strict=True)
            ]
        )
    return out, [0] * len(out)


def _upright(ink: Sequence[Sequence[_Ink | None]]) -> tuple[list[_Row], list[int]]:
    """Readings with all heads of a card up, or all down, and which of both."""
    out: list[_Row] = []
    head = []
    for row in ink:
        both: list[_Row] = [
            [None if i is None else i.read([turn], _UPRIGHT_SIGMA) for i in row] for turn in (0.0, np.pi)
        ]
        up, down = (float(sum(c.reading.probability for c in b if c is not None)) for b in both)
        out.append(both[0] if up >= down else both[1])
        head.append(0 if abs(up - down) < _TELLS else 1 if up > down else -1)
    return out, head


def _worth(clean: Sequence[_Row]) -> float:
    """How legible all numbers are."""
    p = [c.reading.probability for row in clean for c in row if c is not None]
    return float(np.mean(p)) if p else 0.0


def _number(corner: NumberInk, one: _Clean | None, patterns: dict[int, Floats], usual: float) -> Number | None:
    # a piece of the frame looks like a 1
    plain = one is not None and one.reading.probability > _PLAIN
    if one is not None and plain and (one.reading.digit != 1 or not patterns):
        return Number(one.reading.digit, True)
    heads = one.heads_rad if one is not None else corner.outwards_rad
    found = _matched(corner, heads, patterns, usual) if len(patterns) > 1 and usual else None
    if found is not None:
        value, margin = found
        if one is not None and plain and (value == one.reading.digit or margin < _SURE):
            return Number(one.reading.digit, value == one.reading.digit)
        agrees = one is not None and one.reading.digit == value and one.reading.probability > _CLEAN
        alike = one is not None and _like_own(one, patterns) == value
        return Number(value, bool(margin > _SURE or alike or (agrees and margin > 0.3 * _SURE)))
    return None if one is None else Number(one.reading.digit, plain)


def _ink(corner: NumberInk) -> _Ink | None:
    """The largest piece of ink off the frame."""
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
    kept, p = turned_probabilities(part, turns)
    return _Ink(part, turns[kept], p) if len(kept) else None


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
        own = _at_height(_turned(c.part, c.reading.turn_rad))
        if own is not None:
            by_value.setdefault(c.reading.digit, []).append(own)
    out = {}
    for value, pictures in by_value.items():
        width = int(np.median([p.shape[1] for p in pictures]))
        same = [cv2.resize(p, (width, _HEIGHT)) for p in pictures if abs(p.shape[1] - width) < 0.25 * width]
        if same:
            out[value] = np.pad(np.median(same, axis=0).astype(np.float32), _MARGIN)
    return out


def _like_own(one: _Clean, patterns: dict[int, Floats]) -> int | None:
    """The value whose pattern a piece of ink as a whole looks like; None where it looks like none."""
    best: tuple[float, int | None] = (_SAME, None)
    for head in one.heads_rad:
        for turn in _SLANTS:
            own = _at_height(_turned(one.part, head + float(turn)))
            if own is not None:
                own = np.pad(own, _MARGIN)
                best = max([best, *((_alike(own, p), v) for v, p in patterns.items())], key=lambda b: b[0])
    return best[1]


def _alike(a: Floats, b: Floats) -> float:
    """Correlation of two digits of one height, middle on middle."""
    width = max(a.shape[1], b.shape[1])
    wide = []
    for one in (a, b):
        more = width - one.shape[1]
        full = np.pad(one, ((0, 0), (more // 2, more - more // 2)))
        wide.append((full - full.mean()).ravel())
    return float(wide[0] @ wide[1] / max(float(np.linalg.norm(wide[0]) * np.linalg.norm(wide[1])), 1e-9))


def _at_height(upright: Floats) -> Floats | None:
    """The ink alone, at a pattern's height; None where there is none."""
    rows, columns = np.nonzero(upright > 0.5)
    if not len(rows):
        return None
    part = upright[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    width = max(4, round(_HEIGHT * part.shape[1] / part.shape[0]))
    how = cv2.INTER_AREA if part.shape[0] > _HEIGHT else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (width, _HEIGHT), interpolation=how), np.float32)


def _matched(
    corner: NumberInk, heads_rad: Sequence[float], patterns: dict[int, Floats], usual_px: float
) -> tuple[int, float] | None:
    """The value whose pattern is found in the corner, and by how much more alike it is than any other."""
    scores = dict.fromkeys(patterns, -1.0)
    room = _MARGIN + 2
    own = corner.ink * cv2.dilate(corner.within.astype(np.uint8), np.ones((3, 3), np.uint8))
    for out in heads_rad:
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
