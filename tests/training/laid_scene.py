"""Flat plates that lie on a table, as a camera above them sees them: what each sample shows, and where faces end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, MultiPoint, Point
from shapely.ops import unary_union

from tests.decks.cactus_shapes import BASIC, CACTI, SPECIAL, cactus_outline, outline_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]
Field = TypeVar("Field", Floats, Numbers)

SAMPLES = 2
"""Samples to a pixel of the picture, each way."""
REACH = 4.0
"""Pixels from a face's rim up to which distances are told."""
LONGEST_SIDE = 40.0
"""Samples of a plate's side that are seen at most."""
_FINE = 2  # cells to a sample, each way, in which outlines are filled
_FAR = 40.0  # samples: no distance from a rim counts beyond
_PAD = 44  # samples about the picture, so that what lies beside it is there
_TRIES = 5  # places tried for a plate
_BEVEL_STEPS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Relief:
    """What each sample (h, w) of a picture shows.

    Parameters
    ----------
    rim
        Distance within a plate's outline, at the height where its rim begins to be rounded, in samples; negative
        outside of it. That is where a face ends for whoever looks at it, a rounded rim being part of it.
    whose
        Number of the plate whose outline is nearest or about it, from 1; 0 far from any.
    plate
        Number of the plate that is seen, from 1; 0 for the table.
    depth
        How far below the upper face that place is, in thicknesses.
    normal
        (h, w, 3) x right, y down, z up.
    broken
        Whether it belongs to the rounded rim.
    foot
        Distance from the nearest plate's foot, on the table, in samples; negative beneath a plate.
    thick
        The plates' thickness in samples.
    """

    rim: Floats
    whose: Numbers
    plate: Numbers
    depth: Floats
    normal: Floats
    broken: NDArray[np.bool_]
    foot: Floats
    thick: float


def odd_outline(rng: np.random.Generator) -> Array:
    """A form that nobody has a name for: a few strokes and spots that hang together, corners round or sharp."""
    at = rng.normal(0, 9, (int(rng.integers(3, 7)), 2))
    parts = []
    for a, b in pairwise(at):
        parts.append(LineString([a, b]).buffer(rng.uniform(1.8, 5.0), cap_style=int(rng.integers(1, 4))))
    for a in at[: int(rng.integers(0, 4))]:
        n = int(rng.integers(3, 9))
        turn = rng.uniform(0, 2 * np.pi) + np.arange(n) * 2 * np.pi / n
        spot = a + np.c_[np.cos(turn), np.sin(turn)] * rng.uniform(3, 9)
        parts.append(MultiPoint(spot).convex_hull if n < 8 else Point(a).buffer(rng.uniform(3, 9)))
    whole = unary_union(parts)
    if rng.random() < 0.6:
        soft = rng.uniform(0.3, 1.2)
        whole = whole.buffer(soft, 4).buffer(-2 * soft, 4).buffer(soft, 4)
    return outline_of(whole, float(rng.uniform(24, 46)))


def outlines(rng: np.random.Generator, count: int) -> list[Array]:
    """Forms of pieces and of cacti, (n, 2) mm about their middle."""
    out: list[Array] = []
    while len(out) < count:
        kind = rng.random()
        try:
            if kind < 0.45:
                every = (*BASIC, *SPECIAL)
                make = every[int(rng.integers(len(every)))]
                one = outline_of(make(rng, float(rng.uniform(4.0, 9.5))), float(rng.uniform(24, 46)))
            elif kind < 0.68:
                grow = CACTI[int(rng.integers(len(CACTI)))]
                one = cactus_outline(grow(rng, float(rng.uniform(8, 19)), float(rng.uniform(65, 110))))
            else:
                one = odd_outline(rng)
        except (ValueError, AttributeError):  # strokes of which nothing is left
            continue
        if len(one) >= 3:
            out.append(one - (one.min(0) + one.max(0)) / 2)
    return out


def distance(outline: Array, shape: tuple[int, int]) -> tuple[Floats, tuple[slice, slice]] | None:
    """Distance within an outline (in samples), negative outside, in the part of the picture about it."""
    low = np.maximum(np.floor(outline.min(0) - _FAR).astype(int), 0)
    high = np.minimum(np.ceil(outline.max(0) + _FAR).astype(int) + 1, shape[::-1])
    if (high - low < 2).any():
        return None
    size = high - low
    mask = np.zeros((size[1] * _FINE, size[0] * _FINE), np.uint8)
    at = (outline - low + 0.5) * _FINE - 0.5
    cv2.fillPoly(mask, [np.round(at * 64).astype(np.int32)], 1, cv2.LINE_8, 6)
    within, to = (cv2.distanceTransform(m, cv2.DIST_L2, 5) for m in (mask, 1 - mask))
    # a filled polygon covers the cells that its edge runs through
    signed = np.where(mask > 0, within - 0.5, 0.5 - to) - 0.5
    signed = np.clip(signed, -_FAR * _FINE, _FAR * _FINE)
    fine = cv2.resize(signed.astype(np.float32), tuple(size.tolist()), interpolation=cv2.INTER_AREA) / _FINE
    return np.asarray(fine, np.float32), (slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0])))


class Bench:
    """Where plates are laid one after the other, none on another."""

    def __init__(self, size: int) -> None:
        self.side = size * SAMPLES + 2 * _PAD
        self.rim: Floats = np.full((self.side, self.side), -_FAR, np.float32)
        self.plate: Numbers = np.zeros((self.side, self.side), np.int32)
        self.count = 0

    def lay(self, rng: np.random.Generator, outline: Array, gap: float, squeeze: Array, near: bool) -> bool:
        """Lay a plate somewhere, `gap` samples from others at least and, if `near`, hardly more."""
        turn = rng.uniform(0, 2 * np.pi)
        c, s = np.cos(turn), np.sin(turn)
        form = outline @ np.array([[c, s], [-s, c]]) @ squeeze
        margin = _PAD * 0.3
        for _ in range(_TRIES):
            at = rng.uniform(margin, self.side - margin, 2)
            if self._free(form + at, gap):
                if near and self.count:
                    at = self._pushed(rng, form, at, gap)
                self._put(form + at)
                return True
        return False

    def _pushed(self, rng: np.random.Generator, form: Array, at: Array, gap: float) -> Array:
        """As near to another plate as it goes."""
        there = np.argwhere(self.rim > 0)
        aim = there[int(rng.integers(len(there)))][::-1]
        free, taken = 0.0, 1.0
        for _ in range(7):
            k = (free + taken) / 2
            if self._free(form + at + (aim - at) * k, gap):
                free = k
            else:
                taken = k
        return np.asarray(at + (aim - at) * free)

    def _free(self, outline: Array, gap: float) -> bool:
        low = np.maximum(np.floor(outline.min(0)).astype(int), 0)
        high = np.minimum(np.ceil(outline.max(0)).astype(int) + 1, self.side)
        if (high - low < 2).any():
            return False
        mask = np.zeros((high - low)[::-1], np.uint8)
        cv2.fillPoly(mask, [np.round((outline - low) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        there = self.rim[low[1] : high[1], low[0] : high[0]][mask > 0]
        return bool(there.size and there.max() < -gap)

    def _put(self, outline: Array) -> None:
        found = distance(outline, self.rim.shape)
        if found is None:
            return
        own, box = found
        self.count += 1
        nearer = own > self.rim[box]
        self.plate[box][nearer] = self.count
        np.maximum(self.rim[box], own, out=self.rim[box])

    def seen(self, thick: float, side: Array, bevel: float, profile: int) -> Relief:
        """What a camera sees: `side` (2,) samples from upper rims to lower ones, `bevel` the samples of the round."""
        share = min(1.0, bevel / max(thick, 1e-6))
        depths = [0.0]
        if bevel > 0.05:
            depths += [share * (k + 0.5) / _BEVEL_STEPS for k in range(_BEVEL_STEPS)]
        count = int(np.ceil(np.hypot(*side) * (1 - share) * 1.3)) + 1
        depths += [share + (1 - share) * k / count for k in range(count + 1)]
        inner = slice(_PAD, self.side - _PAD)
        n = self.side - 2 * _PAD
        level = np.full((n, n), 255, np.uint8)
        for k, d in enumerate(depths):
            u = min(1.0, d / share) if share > 0 else 1.0
            inset = bevel * (1 - np.sqrt(max(0.0, 1 - (1 - u) ** 2)) if profile > 1 else 1 - u)
            level[(self._moved(self.rim, side * d, n) > inset) & (level == 255)] = k
        rows, columns = np.nonzero((level > 0) & (level < 255))
        there = level[rows, columns]
        shifts = np.round(np.array(depths)[:, None] * side).astype(int)
        y = rows + _PAD - shifts[there, 1]
        x = columns + _PAD - shifts[there, 0]
        normal = np.zeros((n, n, 3), np.float32)
        normal[..., 2] = 1
        out = np.stack([self.rim[y, x - 2] - self.rim[y, x + 2], self.rim[y - 2, x] - self.rim[y + 2, x]], 1)
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-3)
        up = np.array([_up(d, share, profile) for d in depths], np.float32)[there]
        normal[rows, columns] = np.c_[out * np.sqrt(1 - up**2)[:, None], up]
        plate = np.where(level == 0, self.plate[inner, inner], 0).astype(np.int32)
        plate[rows, columns] = self.plate[y, x]
        depth = np.append(np.array(depths, np.float32), np.zeros(256 - len(depths), np.float32))
        depth[255] = 1.0
        return Relief(
            self._moved(self.rim, side * share, n),
            self._moved(self.plate, side * share, n),
            plate,
            depth[level],
            normal,
            (level > 0) & (depth[level] < share),
            -self._moved(self.rim, side, n),
            thick,
        )

    def _moved(self, field: Field, by: Array, n: int) -> Field:
        x, y = np.round(by).astype(int)
        return field[_PAD - y : _PAD - y + n, _PAD - x : _PAD - x + n]


def _up(depth: float, share: float, profile: int) -> float:
    """How far a rim looks upward at a depth: round, in a few facets, or one."""
    if depth >= share:
        return 0.0
    u = depth / share
    if profile == 1:
        return float(np.sqrt(0.5))
    if profile == 2:
        return float(np.cos(np.radians(30 if u < 0.3 else 60)))
    return 1 - u


def laid(
    rng: np.random.Generator, size: int, forms: Sequence[Array], px_per_mm: float, slant: float, squeeze: float
) -> tuple[Bench, Array]:
    """Plates laid in a picture, and the way (2,) towards the point below the camera."""
    bench = Bench(size)
    turn = rng.uniform(0, 2 * np.pi)
    way = np.array([np.cos(turn), np.sin(turn)])
    flat = px_per_mm * SAMPLES * (np.eye(2) - np.outer(way, way) * squeeze)
    crowd = rng.random()
    near = rng.random() < 0.35
    gap = SAMPLES * (float(rng.uniform(-0.2, 3)) if near else float(rng.uniform(2, 14)))
    for _ in range(int(rng.integers(1, 3 if crowd < 0.3 else 9))):
        bench.lay(rng, forms[int(rng.integers(len(forms)))], gap, flat, near)
    return bench, way * slant
