"""The numbers of scoring cards, in whatever typeface, wherever on the card, whichever way each card lies.

All scoring cards of a copy are read together: their numbers stand in the same places and are of the same height, so
that what else looks like a digit here or there (a round mark, a bar) is told from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.digits import framed, probabilities

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

VALUES = range(1, 11)
"""What scoring cards are worth."""

_SHORT = 240  # pixels of a card's shorter side in which numbers are looked for
_HEIGHTS = (0.06, 0.75)  # of a digit, as a share of the shorter side
_WIDTHS = (0.1, 0.97)  # ... as a share of its height
_MOST = 30  # blots of one level, the largest
_LEVELS, _RANGE, _CONTRAST = 12, (0.5, 99.5), 16  # at how many levels of each channel blots are looked for
_FILL = (0.12, 1.01)  # share of its box that is ink

_DIGIT = 0.3  # probability below which ink is no digit
_NOUGHT = 0.6  # ... and from which what is right of a 1 makes it a 10
_LEVEL, _APART, _ALIKE = 0.14, 0.4, 0.8  # of two digits of a number, as shares of their height
_NEAR = (0.05, 0.3)  # of the shorter side, and of a number's height: how far apart numbers of one place may be
_TALL = 1.25  # ... and by what ratio their heights may differ
_SMALLER = 0.4
_PLACES = 3
_USUAL = 0.45  # share of the cards on which a place must show a number
_UNREAD = 0.03  # probability of a number where something else is read
_SELDOM = 0.7  # of what a blot that is certainly a digit counts
_SURE = 5.0  # how many times likelier than any other value
_READ = 0.02  # ... and how likely at all
_BAR = 8.0  # how much likelier a 6 or 9 stands on its bar than hangs from it
_LONG = 2.0  # a bar's length to its thickness
_BAR_WIDTH = (0.3, 1.1)  # ... and as a share of the number's height
_BAR_OFF, _BAR_AT = 0.15, (0.5, 0.95)  # ... how far aside, and how far off the number's middle it may lie
_BAR_SEEN = 3  # levels at which it must be seen
_STRAY = 0.25  # share of the other numbers that may seem to have a bar
_SQUARE = 1.05
_TURNABLE = (6, 9)


@dataclass(frozen=True, slots=True)
class Value:
    """What a scoring card is worth (None where nothing is read), and whether that is certain."""

    value: int | None
    sure: bool


@dataclass(frozen=True, slots=True)
class _Ink:
    """A blot in the frame of its card: middle and size in px, and what digit it is for each way round."""

    x: float
    y: float
    w: float
    h: float
    fill: float
    p: tuple[Floats, ...]


@dataclass(frozen=True, slots=True)
class _Number:
    """A number seen with one side of the card up: its middle and height as shares of the shorter side."""

    card: int
    way: int
    value: int
    p: float
    x: float
    y: float
    h: float


_Digit = tuple[float, float, float, float, Floats]
"""Middle, width and height of a blot with one side of the card up, and what digit it is."""


def read_values(faces: Sequence[NDArray[np.uint8]]) -> list[Value]:
    """The value of each card (rows, columns, 3), any side up."""
    if not faces:
        return []
    short, long = sorted(faces[0].shape[:2])
    ways = (0, 1, 2, 3) if long < _SQUARE * short else (0, 2)
    blots = [_blots(f, ways) for f in faces]
    numbers = [n for i, (f, b) in enumerate(zip(faces, blots, strict=True)) for n in _numbers(i, f, b, ways)]
    found = _places(numbers, len(faces))
    if not found:
        return [Value(None, False)] * len(faces)
    places = [_votes(place, len(faces), ways) for place in found]
    # large numbers that are read alike however they are looked at come first
    weight = [v.max((1, 2)).sum() * np.median([n.h for n in p]) ** 0.5 for v, p in zip(places, found, strict=True)]
    places = [places[i] for i in np.argsort(weight)[::-1]]
    main = found[int(np.argmax(weight))]
    bars = [
        _bars(f, b, [n for n in main if n.card == i], ways) for i, (f, b) in enumerate(zip(faces, blots, strict=True))
    ]
    chances = np.maximum(places[0], _UNREAD) * _telling(bars, places[0])
    for other in places[1:]:
        chances = chances * np.maximum(other, _misread(places[0], other))
    return [_value(c) for c in chances]


def _votes(place: Sequence[_Number], cards: int, ways: Sequence[int]) -> Array:
    """(cards, ways, values) how often a number is read at a place, as a share of the side up that tells most."""
    votes = np.zeros((cards, len(ways), len(VALUES)))
    for n in place:
        votes[n.card, ways.index(n.way), n.value - VALUES[0]] += n.p
    return np.asarray(votes / (votes.sum(2, keepdims=True).max(1, keepdims=True) + _SELDOM))


def _misread(main: Array, other: Array) -> float:
    """How often another place shows another number than the main one, of those that read the same no other way."""
    told = [_value(np.maximum(c, _UNREAD)) for c in main]
    right = counted = 0
    for i, t in enumerate(told):
        if not t.sure or t.value in _TURNABLE or t.value is None:
            continue
        way = int(main[i, :, t.value - VALUES[0]].argmax())
        right += VALUES[int(other[i, way].argmax())] == t.value and other[i, way].max() > 0
        counted += 1
    return 1 - right / (counted + 1)


def _value(chances: Array) -> Value:
    best = chances.max(0)
    order = np.argsort(best)[::-1]
    if best[order[0]] <= best.min() * 1.001:
        return Value(None, False)
    sure = best[order[0]] > _SURE * best[order[1]] and best.max() > _READ
    return Value(VALUES[int(order[0])], bool(sure))


def _blots(face: NDArray[np.uint8], ways: Sequence[int]) -> list[_Ink]:
    """Everything on a card that has the size of a digit and stands out from what is round it."""
    scale = _SHORT / min(face.shape[:2])
    small = np.asarray(cv2.resize(face, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    lab = cv2.cvtColor(small, cv2.COLOR_RGB2LAB)
    least, most = (v * _SHORT for v in _HEIGHTS)
    boxes: list[tuple[int, int, int, int]] = []
    masks: list[Floats] = []
    for channel in range(3):
        grey = lab[..., channel]
        low, high = np.percentile(grey, _RANGE)
        if high - low < _CONTRAST:
            continue
        for level in np.linspace(low, high, _LEVELS + 2)[1:-1]:
            for ink in (grey > level, grey < level):
                _, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=4)
                w, h, area = stats[:, 2], stats[:, 3], stats[:, 4]
                tall, thin, fill = np.maximum(w, h), np.minimum(w, h), area / (w * h)
                fits = (least <= tall) & (tall <= most) & (thin > _WIDTHS[0] * tall)
                fits &= (fill > _FILL[0]) & (fill < _FILL[1])
                fits &= (stats[:, 0] > 0) & (stats[:, 1] > 0)
                fits &= (stats[:, 0] + w < small.shape[1]) & (stats[:, 1] + h < small.shape[0])
                fits[0] = False
                likely = np.nonzero(fits)[0]
                for i in likely[np.argsort(area[likely])[::-1][:_MOST]]:
                    x, y = stats[i, 0], stats[i, 1]
                    part = labels[y : y + h[i], x : x + w[i]] == i
                    mask = np.pad(part.astype(np.float32), 1)
                    boxes.append((int(x), int(y), int(w[i]), int(h[i])))
                    masks.append(np.asarray(cv2.GaussianBlur(mask, (0, 0), max(0.5, tall[i] / 60)), np.float32))
    kept = [i for i, m in enumerate(masks) if framed(m) is not None]
    if not kept:
        return []
    p = {w: _read([np.rot90(masks[i], w) for i in kept]) for w in ways}
    out = []
    for k, i in enumerate(kept):
        x, y, w, h = boxes[i]
        fill = float(masks[i].sum() / (w * h))
        out.append(_Ink(x + (w - 1) / 2, y + (h - 1) / 2, w, h, fill, tuple(p[way][k] for way in ways)))
    return out


def _read(pictures: Sequence[Floats]) -> Floats:
    """(n, 11) what each picture shows as it stands."""
    ready = [framed(np.ascontiguousarray(m)) for m in pictures]
    return probabilities(np.stack([np.zeros((20, 20), np.float32) if r is None else r for r in ready]))


def _size(face: NDArray[np.uint8]) -> tuple[float, float]:
    """Width and height of a card's picture in which numbers are looked for."""
    scale = _SHORT / min(face.shape[:2])
    return face.shape[1] * scale, face.shape[0] * scale


def _turned(x: float, y: float, size: tuple[float, float], way: int) -> tuple[float, float]:
    """A point (x, y) of a card (width, height) in the frame of the card turned by quarters, counter-clockwise."""
    w, h = size
    return ((x, y), (y, w - 1 - x), (w - 1 - x, h - 1 - y), (h - 1 - y, x))[way]


def _numbers(card: int, face: NDArray[np.uint8], blots: Sequence[_Ink], ways: Sequence[int]) -> list[_Number]:
    """Every number that could stand on a card, for each side of it up."""
    size = _size(face)
    out: list[_Number] = []
    for k, way in enumerate(ways):
        digits: list[_Digit] = []
        for b in blots:
            x, y = _turned(b.x, b.y, size, way)
            w, h = (b.h, b.w) if way % 2 else (b.w, b.h)
            if h >= _HEIGHTS[0] * _SHORT and _WIDTHS[0] < w / h < _WIDTHS[1]:
                digits.append((x, y, w, h, b.p[k]))
        for digit in digits:
            x, y, _, h, p = digit
            tenth = any(float(o[4][0]) > _NOUGHT and o[0] > x and _beside(digit, o) for o in digits)
            for d in range(1, 10):
                if p[d] > _DIGIT and not (d == 1 and tenth):
                    out.append(_Number(card, way, d, float(p[d]), x / _SHORT, y / _SHORT, h / _SHORT))
        ones = [d for d in digits if d[4][1] > _DIGIT]
        noughts = [d for d in digits if d[4][0] > _DIGIT]
        for one in ones:
            right = [b for b in noughts if _beside(one, b) and b[0] > one[0]]
            if right:
                nought = max(right, key=lambda d: float(d[4][0]))
                x = ((one[0] - one[2] / 2) + (nought[0] + nought[2] / 2)) / 2
                both = float(np.sqrt(one[4][1] * nought[4][0]))
                at = (x / _SHORT, (one[1] + nought[1]) / 2 / _SHORT, max(one[3], nought[3]) / _SHORT)
                out.append(_Number(card, way, 10, both, *at))
    return out


def _beside(a: _Digit, b: _Digit) -> bool:
    """Whether two digits stand side by side as those of one number do."""
    tall = max(a[3], b[3])
    gap = abs(a[0] - b[0]) - (a[2] + b[2]) / 2
    level = abs(a[1] - b[1]) < _LEVEL * tall and min(a[3], b[3]) > _ALIKE * tall
    return -0.15 * tall < gap < _APART * tall and level


def _places(numbers: Sequence[_Number], cards: int) -> list[list[_Number]]:
    """The numbers of each place on which most cards show one, the best place first."""
    left = list(numbers)
    out: list[list[_Number]] = []
    while left and len(out) < _PLACES:
        at = np.array([[n.x, n.y, np.log(n.h) / np.log(_TALL)] for n in left])
        card, p = np.array([n.card for n in left]), np.array([n.p for n in left])
        value = np.array([n.value for n in left])
        best: tuple[float, NDArray[np.bool_]] | None = None
        for i in np.nonzero(value != 10)[0] if (value != 10).any() else range(len(left)):
            off = np.abs(at - at[i])
            off[:, :2] /= max(_NEAR[0], _NEAR[1] * left[i].h)
            off[value == 10, 2] *= _SMALLER  # two digits may be printed smaller than one
            near = off.max(1) < 1
            top = np.zeros(cards)
            np.maximum.at(top, card[near], p[near])
            # marks that are alike on all cards are no numbers
            variety = len(set(value[near & (p > 0.5)].tolist()))
            score = float(top.sum()) * (1.0 if variety >= 3 else 0.3)
            if best is None or score > best[0]:
                best = (score, near)
        assert best is not None
        if best[0] < _USUAL * cards:
            break
        inside = best[1]
        out.append([n for n, k in zip(left, inside, strict=True) if k])
        left = [n for n, k in zip(left, inside, strict=True) if not k]
    return out


def _bars(face: NDArray[np.uint8], blots: Sequence[_Ink], numbers: Sequence[_Number], ways: Sequence[int]) -> Array:
    """(ways,) 1 where a bar lies under the number seen with this side up, -1 where it lies over it, else 0."""
    out = np.zeros(len(ways))
    size = _size(face)
    for k, way in enumerate(ways):
        seen = [n for n in numbers if n.way == way]
        if not seen:
            continue
        n = max(seen, key=lambda n: n.p)
        height = n.h * _SHORT
        sides = [0, 0]
        for b in blots:
            x, y = _turned(b.x, b.y, size, way)
            w, h = (b.h, b.w) if way % 2 else (b.w, b.h)
            dx, dy = abs(x / _SHORT - n.x) / n.h, (y / _SHORT - n.y) / n.h
            level = w > _LONG * h and _BAR_WIDTH[0] < w / height < _BAR_WIDTH[1]
            if level and dx < _BAR_OFF and _BAR_AT[0] < abs(dy) < _BAR_AT[1]:
                sides[int(dy > 0)] += 1
        above, below = sides
        if max(sides) >= _BAR_SEEN and min(sides) < _BAR_SEEN:
            out[k] = 1.0 if below > above else -1.0
    return out


def _telling(bars: Sequence[Array], main: Array) -> Array:
    """(cards, ways, values) factors: a bar tells a 6 from a 9 where hardly another number has one."""
    out = np.ones_like(main)
    turnable = [v - VALUES[0] for v in _TURNABLE]
    others = [(b > 0).any() for b, m in zip(bars, main, strict=True) if int(m.max(0).argmax()) not in turnable]
    if sum(others) <= _STRAY * len(others):
        for k in turnable:
            out[..., k] = _BAR ** np.stack(bars)
    return out
