"""The colours of a set in one picture: what light the cacti show, and which pixels have whose paint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.plate_map import Chances
from vision.cactus.upright import Stage, Upright
from vision.paint import middle
from vision.types import Rgb

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]

OTHER = 255
"""Label of a pixel that has no paint of the set."""
_BITS = 6
_CHROMA = 0.026
"""Spread of the share of a channel among pixels of one paint."""
_BRIGHT = 0.17
"""Spread of the logarithm of brightness over plates that stand differently to the lamp."""
_NEAR = 3.2
"""So many spreads away is another paint."""
_CERTAIN = 0.7
"""Probability of a plate's face that is certain enough."""
_OWN = 0.8
"""So many spreads about a paint no stranger is believed."""
_DOUBT = 0.35
"""So many spreads nearer than a paint must a stranger's colour be."""
_COMMON = 0.02
"""Share of a large thing from which a colour counts as its own."""
_SAMPLE = 700
"""So many pixels tell the colour of a cactus."""
_VEILS = np.linspace(-0.04, 0.04, 17)
"""Shine over every paint, in linear light; below none where the set's own cacti were photographed with some."""
_EDGE_SHARE = 0.08
"""A step of this share of the full range within two pixels parts two things of nearly one colour."""


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """The paints of a set under the light of one picture.

    Parameters
    ----------
    names
        The set's colours, in the order of the labels.
    shades
        (n + c, 3) RGB 0..1 of each colour, then of each cactus.
    cacti
        How many of the shades are those of cacti.
    """

    names: tuple[str, ...]
    shades: Array
    cacti: int

    def label(
        self,
        seen: Colours,
        strangers: Sequence[Stranger] = (),
        bodies: Labels | None = None,
        plates: Chances | None = None,
    ) -> Labels:
        """(h, w) the paint of each pixel: index of a colour, `len(names)` for a cactus, or `OTHER`.

        `bodies` tells which cactus has each pixel within its outline, from 1; only there is its paint looked for.
        `plates` tells how probably each pixel shows a plate's face, 255 for 1: what certainly does is no stranger.
        """
        flat, used = seen.flat, seen.used
        far = _squares(seen.features, self.shades)
        n = len(self.names)
        best, near = far[:n].argmin(axis=0), _root(far[:n].min(axis=0))
        table = np.full(1 << 3 * _BITS, OTHER, np.uint8)
        table[used] = np.where(near < _NEAR, best, OTHER)
        labels = np.take(table, flat)
        there = np.zeros(len(table), np.bool_)
        for stranger in strangers:
            box, inside = stranger.within(flat.shape[::-1])
            there[used] = near >= _root(_squares(seen.features, stranger.colors).min(axis=0)) + _DOUBT
            labels[box][inside & np.take(there, flat[box])] = OTHER
        if plates is not None:
            plain = certain(plates) & (labels == OTHER)
            labels[plain] = np.take(table, flat[plain])
        if bodies is None:
            return labels
        for k in range(self.cacti):
            left, top, width, height = cv2.boundingRect((bodies == k + 1).view(np.uint8))
            part = np.s_[top : top + height, left : left + width]
            body = _root(far[n + k])
            there[used] = (body < _NEAR) & (body < near)
            labels[part][(bodies[part] == k + 1) & np.take(there, flat[part])] = n
        return labels

    def distance(self, colors: Array) -> Array:
        """(m, 3) RGB 0..1 -> (m, n + c) how many spreads each is from each paint."""
        return np.asarray(distances(colors, self.shades), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Stranger:
    """Something large whose colours are near a paint's: there they are not taken for it.

    Parameters
    ----------
    colors
        (s, 3) RGB 0..1 of its common colours.
    outline_px
        (k, 2) what it lies within, convex.
    reach_px
        So far beyond that its colours may still be its own.
    """

    colors: Array
    outline_px: Array
    reach_px: float

    def within(self, size_px: tuple[int, ...]) -> tuple[tuple[slice, slice], NDArray[np.bool_]]:
        """A box of a picture of that width and height, and which of the box's pixels it may have."""
        low = np.maximum(np.floor(self.outline_px.min(axis=0) - self.reach_px), 0).astype(int)
        high = np.minimum(np.ceil(self.outline_px.max(axis=0) + self.reach_px) + 1, size_px).astype(int)
        mask = np.zeros(np.maximum(high - low, 0)[::-1], np.uint8)
        edge = [np.round(self.outline_px - low).astype(np.int32)]
        cv2.fillPoly(mask, edge, 1)
        cv2.polylines(mask, edge, True, 1, max(1, round(2 * self.reach_px)))
        return np.s_[low[1] : high[1], low[0] : high[0]], mask.view(np.bool_)

    def scaled(self, by: float) -> Stranger:
        """The same in a picture so many times as large."""
        return Stranger(self.colors, self.outline_px * by, self.reach_px * by)


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """The colours of a picture, told apart no finer than needed.

    Parameters
    ----------
    flat
        (h, w) the colour of each pixel as one number.
    used
        (m,) the numbers that there are.
    features
        (6, m) what tells how far each of these is from any paint, see `_squares`.
    """

    flat: NDArray[np.intp]
    used: NDArray[np.intp]
    features: NDArray[np.float32]

    @classmethod
    def of(cls, rgb: Rgb) -> Colours:
        """The colours of a picture."""
        flat = _codes(rgb)
        there = np.zeros(1 << 3 * _BITS, np.bool_)
        there[flat] = True
        used = np.flatnonzero(there)
        step = 1 << (8 - _BITS)
        channels = np.stack([used >> 2 * _BITS, used >> _BITS & (1 << _BITS) - 1, used & (1 << _BITS) - 1], axis=1)
        return cls(flat, used, _features(((channels * step + (step - 1) / 2) / 255).astype(np.float32)))


def distances(colors: NDArray[Any], shades: Array) -> NDArray[Any]:
    """(m, 3) and (k, 3) RGB 0..1 -> (m, k) how many spreads of one paint each colour is from each shade."""
    return np.asarray(_root(_squares(_features(colors), shades)).T)


def _features(colors: NDArray[Any]) -> NDArray[Any]:
    """(m, 3) RGB 0..1 -> (6, m)."""
    chroma, bright = _split(colors)
    return np.stack([(chroma**2).sum(axis=1), *chroma.T, bright**2, bright, np.ones_like(bright)])


def _squares(features: NDArray[Any], shades: Array) -> NDArray[Any]:
    """Features of m colours and (k, 3) RGB 0..1 -> (k, m) squares of how many spreads each is from each shade."""
    own, own_bright = _split(shades)
    narrow = 1 / (_CHROMA * (1 + 0.12 / np.maximum(np.exp(own_bright), 0.05))) ** 2
    paint = np.column_stack(
        [
            narrow,
            -2 * own * narrow[:, None],
            np.full(len(own), _BRIGHT**-2),
            -2 * own_bright * _BRIGHT**-2,
            (own**2).sum(axis=1) * narrow + own_bright**2 * _BRIGHT**-2,
        ]
    )
    return np.asarray(paint.astype(features.dtype) @ features)


def _root(squares: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.sqrt(np.maximum(squares, 0)))


def _codes(rgb: Rgb) -> NDArray[np.intp]:
    """(h, w) the colour of each pixel as one number of `3 * _BITS` bits, red first."""
    row = np.array([[1 << 2 * _BITS, 1 << _BITS, 1]], np.float32)
    return cv2.transform((rgb >> (8 - _BITS)).astype(np.float32), row).astype(np.intp)


def certain(plates: Chances) -> NDArray[np.bool_]:
    """(h, w) where a plate's face is certain."""
    return np.asarray(cv2.erode(plates, np.ones((3, 3), np.uint8)) > _CERTAIN * 255)


def find_stranger(rgb: Rgb, mask: NDArray[np.bool_], paint: Paint, reach_px: float) -> Stranger | None:
    """An area that is something else, unless all its common colours are those of paints themselves."""
    count = cv2.calcHist([rgb], [0, 1, 2], mask.view(np.uint8), [32] * 3, [0, 256] * 3)
    common = (np.argwhere(count > _COMMON * np.count_nonzero(mask)) * 8 + 3.5) / 255
    apart = paint.distance(common)[:, : len(paint.names)].min(axis=1) > _OWN
    if not apart.any():
        return None
    (edge, *_), _ = cv2.findContours(mask.view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return Stranger(common[apart], cv2.convexHull(edge)[:, 0].astype(np.float64), reach_px)


def estimate_paint(rgb: Rgb, cactus_set: CactusSet, stage: Stage) -> Paint:
    """What the set's colours look like in this picture, from the known colours of the cacti that stand in it."""
    looks = {c.id: c for c in cactus_set.cacti}
    seen = [_shade_of(rgb, stage, u, looks[u.id].outline_mm) for u in stage.cacti]
    known = [linear(np.array(looks[u.id].rgb) / 255) for u in stage.cacti]
    pairs = [(linear(s), k) for s, k in zip(seen, known, strict=True) if s is not None]
    gain, veil = _light(np.array([s for s, _ in pairs]), np.array([k for _, k in pairs])) if pairs else (np.ones(3), 0)
    names = tuple(cactus_set.colors)
    albedo = np.array([linear(np.array(cactus_set.colors[n]) / 255) for n in names] + known)
    shades = np.clip(gamma(gain * np.maximum(albedo + max(veil, 0.0), 1e-4)), 0.01, 1.0)
    paint = Paint(names, shades, len(known))
    for k, shade in enumerate(seen, len(names)):
        if shade is not None and paint.distance(shade[None])[0, k] < _NEAR:
            shades[k] = np.clip(shade, 0.01, 1.0)
    return paint


def part_edges(rgb: Rgb) -> NDArray[np.bool_]:
    """(h, w) where the picture steps from one colour to another."""
    soft = cv2.GaussianBlur(rgb, (0, 0), 1.0)
    kernel = np.ones((3, 3), np.uint8)
    red, green, blue = cv2.split(cv2.subtract(cv2.dilate(soft, kernel), cv2.erode(soft, kernel)))
    return np.asarray(cv2.max(cv2.max(red, green), blue) > _EDGE_SHARE * 255)


def _shade_of(rgb: Rgb, stage: Stage, upright: Upright, outline_mm: Array) -> Array | None:
    """The commonest colour within a cactus: pieces cover some of it."""
    px = stage.project(np.column_stack([outline_mm, np.zeros(len(outline_mm))]), upright.to_camera)
    low, high = np.floor(px.min(axis=0)).astype(int), np.ceil(px.max(axis=0)).astype(int) + 1
    x0, y0 = np.clip(low, 0, None)
    part = rgb[y0 : max(high[1], y0), x0 : max(high[0], x0)]
    if not part.size:
        return None
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(px - (x0, y0)).astype(np.int32)], 1)
    inner = cv2.erode(mask, np.ones((5, 5), np.uint8), borderValue=0) > 0
    found = part[inner]
    if len(found) < 30:
        return None
    pixels = found[:: 1 + len(found) // _SAMPLE].astype(np.float64) / 255
    centre = middle(pixels)
    for _ in range(4):
        near = np.linalg.norm(pixels - centre, axis=1)
        centre = middle(pixels[near <= max(_share_below(near, 0.6), 0.02)])
    return np.asarray(centre)


def _share_below(values: Array, share: float) -> float:
    """The value below which that share of them is."""
    at = share * (len(values) - 1)
    low, high = int(at), min(int(at) + 1, len(values) - 1)
    parted = np.partition(values, (low, high))
    return float(parted[low] + (parted[high] - parted[low]) * (at - low))


def _light(seen: Array, known: Array) -> tuple[Array, float]:
    """Gain of each channel and the veil that shine lays over every paint, or less than none, both in linear light."""
    lit = np.maximum(known + _VEILS[:, None, None], 1e-4)
    ratio = np.log(np.maximum(seen, 1e-4) / lit)
    each = ratio - np.median(ratio, axis=2, keepdims=True)
    cost = np.abs(each - np.median(each, axis=1, keepdims=True)).mean(axis=(1, 2)) + 0.5 * np.abs(_VEILS)
    best = int(cost.argmin())
    return np.exp(np.median(ratio[best], axis=0)), float(_VEILS[best])


def _split(colors: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    total = np.maximum(colors.sum(axis=1), 0.03)
    return colors[:, :2] / total[:, None], np.log(total)


def linear(srgb: Array) -> Array:
    """Light of RGB 0..1."""
    return np.asarray(np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4))


def gamma(light: Array) -> Array:
    """RGB 0..1 of light."""
    return np.asarray(np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055))
