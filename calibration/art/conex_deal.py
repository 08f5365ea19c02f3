"""Which CONEX corners are on which card: colours, numbers, places and shapes, without any art.

The smaller a corner, the more it is worth: a card laid by a small corner reaches far out over the table, so it is the
hardest to lay without touching another card. The three ways to overlap are worth different amounts too: a cut slides
along an edge of the card below, while tip and poke need one of its corners free.

All four grounds have the same numbers, so no colour is better than another. The shapes of the cards of one ground are
drawn by chance, many times over, and of these the ones are kept that are least like the other cards, the right way up
and upside down, among those on which later cards still find room.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.art.conex_shapes import Kind, Shape, cut, inscribed, near, poke, tip, turned
from calibration.art.paths import Points, box

SIZE_MM = (59.0, 92.0)
GAP_MM = 6.0
"""Least distance of two CONEX corners of a card, so that one of them can be laid without touching the other."""
ROOM_MM = 3.0
"""A card laid on this one stays so far from its CONEX corners when we ask whether there is room."""
AREA_MM2 = {1: 235.0, 2: 215.0, 3: 195.0, 4: 175.0, 5: 155.0}
SPACE_MM = 30.5
"""No side of an overlap on the lower piece is longer, so that each fits on the coloured spaces of the board."""
RADIUS_MM = 4.7
"""Least radius of a circle in a corner: what a number needs to be read from above."""
MIDDLE = box(17.5, 34.0, 41.5, 58.0)
"""Kept free for the symbols of the action cards."""

CARDS: tuple[tuple[str | None, tuple[int, ...]], ...] = (
    (None, (5, 1)),
    (None, (4, 3)),
    (None, (4, 2)),
    (None, (3, 2)),
    (None, (4, 2, 1)),
    (None, (4, 3, 1)),
    (None, (3, 2, 1)),
    (None, (4, 3, 2)),
    (None, (5, 2, 1)),
    ("plus2", (5, 3)),
    ("plus2", (5, 4, 2)),
    ("die", (3, 1)),
    ("die", (4, 2, 1)),
)
"""Symbol and numbers of the thirteen cards of each ground."""

_KINDS = {1: (0.2, 0.65, 0.15), 2: (0.25, 0.6, 0.15), 3: (0.4, 0.4, 0.2), 4: (0.6, 0.15, 0.25), 5: (0.7, 0.0, 0.3)}
"""How often a number has which kind (tip, cut, poke) before places are weighed."""
ENOUGH_MM2 = 640.0
"""Faces that differ so much are told apart easily; beyond it, room for later cards counts more."""
LEAST_ROOM = (2, 0.45)
"""Free corners of a card, and share of all overlaps that it takes, at least."""
_CELL_MM = 2.0
_ROUNDS = 2
_TRIES = 110

Labels = NDArray[np.uint8]
"""(rows, columns) 0 on the ground, else 10 × colour + number; cells of `_CELL_MM`."""


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """One CONEX corner: its colour (index of a ground), its number and its shape."""

    colour: int
    value: int
    shape: Shape


@dataclass(frozen=True, slots=True, eq=False)
class ConexCard:
    """One card: its ground, `plus2`, `die` or None, and its corners, the best first."""

    ground: int
    symbol: str | None
    marks: tuple[Mark, ...]


def deal(rng: np.random.Generator, size_mm: tuple[float, float] = SIZE_MM) -> list[ConexCard]:
    """Make a deck of 52, thirteen of each ground, the cards of a ground in random order."""
    cards = []
    for ground in range(4):
        one = _ground(rng, ground, size_mm)
        cards += [one[k] for k in rng.permutation(len(one))]
    return cards


def difference(a: Labels, b: Labels) -> float:
    """How much of two faces differs, in mm², the right way up or upside down, whichever is less.

    Where only the numbers differ a part of the area counts, about what a number covers.
    """
    return min(_differ(a, b), _differ(a, b[::-1, ::-1]))


def labels(marks: tuple[Mark, ...] | list[Mark], size_mm: tuple[float, float] = SIZE_MM) -> Labels:
    """The corners of a face on a coarse grid."""
    w, h = size_mm
    picture = np.zeros((round(h / _CELL_MM), round(w / _CELL_MM)), np.uint8)
    for m in marks:
        _paint(picture, m.shape.region, 10 * (m.colour + 1) + m.value)
    return picture


def room(marks: tuple[Mark, ...] | list[Mark], size_mm: tuple[float, float] = SIZE_MM) -> tuple[int, float]:
    """How many of a card's four corners are free for any overlap, and the share of all overlaps that it takes."""
    w, h = size_mm
    taken = np.zeros((round(h / _CELL_MM), round(w / _CELL_MM)), np.uint8)
    for m in marks:
        _paint(taken, m.shape.region, 1)
    far = int(np.ceil(ROOM_MM / _CELL_MM))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * far + 1, 2 * far + 1))
    taken = np.asarray(cv2.dilate(taken, disc), np.uint8)
    probes, corner = _probes(size_mm)
    free = ~np.any(probes & (taken.ravel() > 0), axis=1)
    return sum(bool(np.all(free[corner == k])) for k in range(4)), float(free.mean())


def _ground(rng: np.random.Generator, ground: int, size_mm: tuple[float, float]) -> list[ConexCard]:
    colours = _colours(rng, [c for c in range(4) if c != ground])
    chosen: dict[int, tuple[list[Mark], Labels]] = {}
    for turn in range(_ROUNDS * len(CARDS)):
        k = turn % len(CARDS)
        others = [seen for j, (_, seen) in chosen.items() if j != k]
        best = _worth(*chosen[k], others, size_mm) if k in chosen else -1.0
        tried = 0
        while tried < _TRIES or k not in chosen:
            tried += 1
            marks = _marks(rng, colours[k], CARDS[k][1], size_mm)
            if marks is None:
                continue
            seen = labels(marks, size_mm)
            worth = _worth(marks, seen, others, size_mm)
            if worth > best:
                best = worth
                chosen[k] = (marks, seen)
    return [ConexCard(ground, CARDS[k][0], tuple(chosen[k][0])) for k in range(len(CARDS))]


def _worth(marks: list[Mark], seen: Labels, others: list[Labels], size_mm: tuple[float, float]) -> float:
    """Least difference to the other cards and to itself upside down, as far as it matters, and room for later cards."""
    corners, share = room(marks, size_mm)
    if corners < LEAST_ROOM[0] or share < LEAST_ROOM[1]:
        return -1.0
    least = min([_differ(seen, seen[::-1, ::-1]), *(difference(seen, other) for other in others)])
    return min(least, ENOUGH_MM2) + 0.1 * least + 300 * share


def _differ(a: Labels, b: Labels) -> float:
    colour = a // 10 != b // 10
    return _CELL_MM**2 * float(np.count_nonzero(colour) + 0.2 * np.count_nonzero((a != b) & ~colour))


def _colours(rng: np.random.Generator, others: list[int]) -> list[list[int]]:
    """Colours of the corners of thirteen cards: all three equally often and of nearly equal worth."""
    best: list[list[int]] = []
    least = np.inf
    for _ in range(400):
        dealt = [[others[i] for i in rng.permutation(3)[: len(values)]] for _, values in CARDS]
        worth = {c: [0, 0] for c in others}
        for (_, values), colours in zip(CARDS, dealt, strict=True):
            for v, c in zip(values, colours, strict=True):
                worth[c][0] += 1
                worth[c][1] += v
        counts, sums = zip(*worth.values(), strict=True)
        uneven = 3 * (max(counts) - min(counts)) + max(sums) - min(sums)
        if uneven < least:
            best, least = dealt, uneven
    return best


def _marks(
    rng: np.random.Generator, colours: list[int], values: tuple[int, ...], size_mm: tuple[float, float]
) -> list[Mark] | None:
    """Corners by chance; None where they come too near to each other or to the middle."""
    marks: list[Mark] = []
    for colour, value in zip(colours, values, strict=True):
        shape = _shape(rng, value, size_mm)
        if shape is None or any(near(shape.region, m.shape.region, GAP_MM) for m in marks):
            return None
        if near(shape.region, MIDDLE, 1.0) or inscribed(shape.region)[1] < RADIUS_MM:
            return None
        marks.append(Mark(colour, value, shape))
    return marks


def _shape(rng: np.random.Generator, value: int, size_mm: tuple[float, float]) -> Shape | None:
    kind = list(Kind)[int(rng.choice(3, p=_KINDS[value]))]
    quarter = int(rng.integers(4))
    size = AREA_MM2[value]
    if kind is Kind.TIP:
        tilt = float(rng.uniform(0.17, 0.62)) * (1 if rng.random() < 0.5 else -1)
        shape = tip(float(np.exp(rng.uniform(-0.3, 0.3))), size, tilt)
        if min(shape.region[1, 0], shape.region[3, 1]) < 7.0:
            return None
    elif kind is Kind.CUT:
        tilt = float(rng.uniform(0.6, np.pi / 2 - 0.6))
        shape = cut(min(size, SPACE_MM**2 * np.sin(tilt) * np.cos(tilt) / 2), tilt)
    else:
        edge = size_mm[quarter % 2]
        tilt = float(rng.uniform(0.55, np.pi / 2 - 0.55))
        base = float(np.sqrt(2 * size / (np.sin(tilt) * np.cos(tilt))))
        rim = 11.0
        if edge - 2 * rim - base < 0:
            return None
        shape = poke(float(rng.uniform(rim, edge - rim - base)), size, tilt)
    shape = turned(shape, quarter, size_mm)
    return Shape(shape.kind, np.round(shape.region, 2), shape.inner, shape.up)


@cache
def _probes(size_mm: tuple[float, float]) -> tuple[NDArray[np.bool_], NDArray[np.int_]]:
    """Overlaps that a card may be asked for: (n, cells) masks, and (n,) the card's corner or -1 for an edge."""
    w, h = size_mm
    masks, where = [], []
    for quarter in range(4):
        for size in (AREA_MM2[2], AREA_MM2[4]):
            shapes = [(cut(size, t), quarter) for t in (0.65, 0.9)]  # what a poke takes of the card below
            shapes += [(tip(1.0, size, t), quarter) for t in (-0.45, -0.2, 0.2, 0.45)]
            edge, base = size_mm[quarter % 2], float(np.sqrt(4 * size))
            shapes += [(poke(at, size, np.pi / 4), -1) for at in np.arange(6.0, edge - base - 6.0, 7.0)]
            for shape, corner in shapes:
                mask = np.zeros((round(h / _CELL_MM), round(w / _CELL_MM)), np.uint8)
                _paint(mask, turned(shape, quarter, size_mm).region, 1)
                masks.append(mask.ravel() > 0)
                where.append(corner)
    return np.array(masks), np.array(where)


def _paint(picture: Labels, region: Points, value: int) -> None:
    corners = np.round((region / _CELL_MM - 0.5) * 16).astype(np.int32)
    cv2.fillConvexPoly(picture, corners.reshape(-1, 1, 2), value, cv2.LINE_8, 4)
