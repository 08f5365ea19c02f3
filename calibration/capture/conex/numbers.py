"""The numbers of a copy's CONEX corners: those that stand clear are read, and tell what the copy's digits look like.

With the copy's own digits as patterns the others are found, too: where a frame touches them or an edge cuts them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.own_digits import found_within, likeness, patterns_of, turned
from calibration.capture.digits import DigitReading, likeliest, turned_probabilities

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DIGITS = "12345"
_TURN_STEP = np.radians(10)
_TURN_SIGMA = np.radians(28)  # how far a number's head may point from straight out of the card
_UPRIGHT_SIGMA = np.radians(14)  # ... from straight up, where all stand upright
_EITHER_WAY, _TELLS = 0.1, 3.0  # a floor of what is legible, and the logarithm of odds from which a card's way is told
_CLEAN = 0.5  # probability from which a reading becomes a pattern
_PLAIN = 0.82  # ... and from which it needs no pattern
_THIN = 0.33  # of full ink: what a thin stroke is at least
_ROUNDS = 2  # of learning the copy's digits and reading with them
_SAME = 0.8  # correlation from which a piece of ink as a whole is a pattern's digit
_ONE = 0.6  # probability by the network alone from which a 1 is one
_SPREAD = 0.05  # how far likenesses of one digit scatter
_DOUBT = 0.03  # how much the network may be wrong
_CERTAIN = 0.9  # probability of both together from which a number is sure
_AS_HIGH = (0.6, 1.6)  # of the usual height: ink that is lower or higher is no number
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
    """What is written on a corner, whether that is certain, and where its head points: rad, clockwise from up."""

    value: int
    sure: bool
    head_rad: float | None = None


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
        p = np.asarray(self.p * weights[:, None], np.float32)
        reading = likeliest(p, self.turns_rad, DIGITS)
        rows = np.nonzero((turned(self.part, reading.turn_rad) > 0.5).any(1))[0]
        height = float(np.ptp(rows) + 1) if len(rows) else 0.0
        return _Clean(reading, self.part, height, tuple(heads_rad), {int(d): float(p[:, int(d)].max()) for d in DIGITS})


@dataclass(frozen=True, slots=True, eq=False)
class _Clean:
    reading: DigitReading
    part: Floats  # the digit alone
    height_px: float
    heads_rad: tuple[float, ...]
    p: Mapping[int, float]  # of each digit


@dataclass(frozen=True, slots=True, eq=False)
class _Own:
    """The copy's own digits: their patterns, their usual height, and how alike each digit is to all patterns."""

    patterns: Mapping[int, Floats]
    height_px: float
    usual: Mapping[int, Array]

    def judge(self, one: _Clean) -> _Judged:
        """What a piece of ink is, by the network and by what the copy's digits look like."""
        like = likeness(one.part, one.heads_rad, self.patterns)
        # whatever is slender is much like a 1; a 3 is like a 3, too, and a 1 is not
        off = {v: (_profile(like) - usual) / _SPREAD for v, usual in self.usual.items()}
        p = {v: (one.p[v] + _DOUBT) * np.exp(-0.5 * float(d @ d)) for v, d in off.items()}
        value = max(p, key=lambda v: p[v])
        low, high = (f * self.height_px for f in _AS_HIGH)
        fits = like[value][0] > _SAME and low < one.height_px < high
        # what has lost its thin strokes is much like a 1
        fits = fits and (value != 1 or one.p[1] > _ONE)
        fits = fits and (one.p[value] == max(one.p.values()) or max(one.p.values()) < _PLAIN)
        return _Judged(value, float(p[value] / max(sum(p.values()), 1e-30)), fits, like[value][1])


def _profile(like: Mapping[int, tuple[float, float]]) -> Array:
    """How alike a piece of ink is to all patterns, in their order."""
    return np.array([like[v][0] for v in sorted(like)])


@dataclass(frozen=True, slots=True)
class _Judged:
    """The likeliest value, its probability, whether the ink has its form and size, and where its head points."""

    value: int
    p: float
    fits: bool
    turn_rad: float

    @property
    def certain(self) -> bool:
        return self.fits and self.p > _CERTAIN


def read_numbers(cards: Sequence[Sequence[NumberInk | None]]) -> Numbers:
    """The number on each corner of each card."""
    ink = [[None if c is None else _ink(c) for c in corners] for corners in cards]
    # a copy prints its numbers one way: heads out of the card, into it, or all upright
    ways = [_by_corner(cards, ink, 0.0), _by_corner(cards, ink, np.pi), _upright(ink)]
    worth = [_worth(clean) for clean, _ in ways]
    clean, head = ways[int(np.argmax(worth))]
    own = _own(clean)
    out = [
        [None if corner is None else _number(corner, one, own) for corner, one in zip(corners, row, strict=True)]
        for corners, row in zip(cards, clean, strict=True)
    ]
    return Numbers(out, head)


def _own(clean: Sequence[_Row]) -> _Own | None:
    """The copy's own digits, of those that are read clearly, and then of those that look like them, too."""
    every = [c for row in clean for c in row if c is not None]
    good = [c for c in every if c.reading.probability > _CLEAN]
    read = [(c.reading.digit, c.part, c.reading.turn_rad) for c in good]
    own = None
    for _ in range(_ROUNDS):
        patterns = patterns_of(read)
        if len(patterns) < 2:
            return own
        shown: dict[int, list[Array]] = {}
        for value, part, turn in read:
            if value in patterns:
                shown.setdefault(value, []).append(_profile(likeness(part, [turn], patterns)))
        usual = {v: np.median(np.stack(some), 0) for v, some in shown.items()}
        own = _Own(patterns, float(np.median([c.height_px for c in good])), usual)
        judged = [(c, own.judge(c)) for c in every]
        read = [(j.value, c.part, j.turn_rad) for c, j in judged if j.certain]
    return own


def settled(first: Numbers, second: Numbers) -> Numbers:
    """What was read, and where that is not certain what a second look says; where both are certain they must agree."""
    out: list[list[Number | None]] = []
    for row, more in zip(first.of_card, second.of_card, strict=True):
        out.append([])
        for a, b in zip(row, more, strict=True):
            if a is not None and b is not None and a.sure and b.sure and a.value != b.value:
                # a piece of the frame looks like a 1
                out[-1].append(Number(b.value, False, b.head_rad) if a.value == 1 else replace(a, sure=False))
            elif b is None or (a is not None and a.sure):
                out[-1].append(a)
            else:
                out[-1].append(replace(b, sure=b.sure and (a is None or a.value == b.value)))
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
        up, down = ([0.0 if c is None else c.reading.probability for c in b] for b in both)
        out.append(both[0] if sum(up) >= sum(down) else both[1])
        # what is legible either way, or neither, tells nothing
        odds = float(np.sum(np.log(np.add(up, _EITHER_WAY)) - np.log(np.add(down, _EITHER_WAY))))
        head.append(0 if abs(odds) < _TELLS else 1 if odds > 0 else -1)
    return out, head


def _worth(clean: Sequence[_Row]) -> float:
    """How legible all numbers are."""
    p = [c.reading.probability for row in clean for c in row if c is not None]
    return float(np.mean(p)) if p else 0.0


def _number(corner: NumberInk, one: _Clean | None, own: _Own | None) -> Number | None:
    if own is None:
        reading = None if one is None else one.reading
        return None if reading is None else Number(reading.digit, reading.probability > _PLAIN, reading.turn_rad)
    judged = None if one is None else own.judge(one)
    if judged is not None and judged.certain:
        return Number(judged.value, True, judged.turn_rad)
    # where a frame touches it or an edge cuts it, a number is part of the ink
    heads = one.heads_rad if one is not None else corner.outwards_rad
    found = found_within(corner.ink, corner.within, heads, own.patterns, own.height_px)
    if found is not None:
        value, margin = found
        agrees = judged is not None and judged.value == value and judged.fits
        sure = (margin > _SURE and value != 1) or (agrees and margin > 0.3 * _SURE)
        return Number(value, sure, judged.turn_rad if judged is not None else None)
    return None if judged is None else Number(judged.value, False, judged.turn_rad)


def _ink(corner: NumberInk) -> _Ink | None:
    """The largest piece of ink off the frame, with its thin strokes."""
    ink = corner.ink * corner.within
    solid = cv2.dilate((ink > _THIN).astype(np.uint8), np.ones((2, 2), np.uint8))
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
