"""The paints of pieces as a picture shows them, where its own plates tell them better than the cacti do.

A set that was learned from photographs knows its pieces well beside one another, and its cacti; but both lay on
photographs of their own, under lamps of their own, and how their light differed is told by nothing but the tables.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_paint import Paint, certain, distances, gamma, linear, part_edges
from vision.cactus.plate_map import Chances
from vision.paint import middle
from vision.types import Rgb

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]

_PER_MM = 1.3
"""Pixels of a millimetre that are looked at."""
_LEAST_MM2, _ENOUGH_MM2 = 20.0, 120.0
"""What is seen of one plate tells nothing below the one, and all it can from the other on."""
_CACTUS = 2.0
"""So many spreads about the paint of a cactus is a cactus."""
_BODY = 0.4
"""Share of a cactus from which what is of one colour is the cactus itself."""
_MOST = 3.2
"""So many spreads from every paint is something else."""
_CLEAR = 2.0
"""... but for what is so many times as far from one, and as much farther from all others."""
_LIT = 0.4
"""... and that light falls on about as much, in logarithms."""
_FEWEST, _PAINTS = 3, 2
"""Plates, and paints among them, that tell together how they are lit."""
_GAIN = 6.0
"""Squares of spreads that light must explain to be believed."""
_AXES = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 2.0, -1.0]]) / np.sqrt([[3.0], [2.0], [6.0]])
_SPREAD = np.array([0.5, 0.5, 0.15])
"""By how much the light of one photograph is brighter, warmer and greener than that of another, in logarithms."""
_VEILS = (0.0, 0.012, 0.025, 0.04)
"""Shares of white that a lamp may have laid over all paints of a set when it was photographed ..."""
_VEIL = 0.03
"""... of which so much is as unlikely as a spread of light."""
_BLACK = 0.003
"""Share of white that any paint throws back."""
_TURNS = 3
_FITS = 1.0
"""So many spreads about what a set says its paint is as the set says."""
_OWN = 0.75
"""Plates that count for what a set says of one paint beside the others."""
_FARTHEST = 0.7
"""By how much one paint may differ from what a set says, in logarithms of red, green and blue."""


def in_light_of_plates(paint: Paint, rgb: Rgb, plates: Chances, bodies: Labels, px_mm: float) -> Paint:
    """The paints as the plates in a picture show them.

    Parameters
    ----------
    paint
        The paints as the cacti tell them.
    rgb, plates
        (h, w, 3) the picture and (h, w) how probably each of its pixels shows a plate's face.
    bodies
        (h, w) which cactus has each pixel within its outline, from 1.
    px_mm
        Pixels of a millimetre.
    """
    seen, weight = _faces(paint, rgb, plates, bodies, px_mm)
    if len(seen) < _FEWEST or len(paint.names) < _PAINTS:
        return paint
    told = linear(paint.shades[: len(paint.names)])
    white = told[int(told.sum(axis=1).argmax())]
    ways = [_light(np.maximum(told - veil * white, _BLACK), seen, weight, veil) for veil in _VEILS]
    cost, lit = min(ways, key=lambda w: w[0])
    if float(_costs(told[None], seen, weight)[0]) - cost < _GAIN:
        lit = told
    far = _far(lit, seen)
    kinds, (near, second) = far.argmin(axis=1), np.sort(far, axis=1)[:, :2].T
    brighter = np.abs(np.log(seen.sum(axis=1) / gamma(lit)[kinds].sum(axis=1)))
    use = (near < _MOST) | ((near < _CLEAR * _MOST) & (near < second - _MOST) & (brighter < _LIT))
    if use.sum() < _FEWEST or len(set(kinds[use].tolist())) < _PAINTS:
        return paint
    shades = paint.shades.copy()
    for k, own in enumerate(lit):
        mine = use & (kinds == k)
        if mine.any():
            own = _own_tint(own, seen[mine], weight[mine])
        shades[k] = np.clip(gamma(own), 0.01, 1.0)
    return replace(paint, shades=shades)


def _own_tint(own: Array, seen: Array, weight: Array) -> Array:
    """One paint, (3,) light, in the tint that its plates show where most do not fit it; as bright as it was told."""
    shade = gamma(own)
    even = np.clip(seen * (shade.sum() / seen.sum(axis=1, keepdims=True)), 0.01, 1.0)
    strange = distances(even, shade[None])[:, 0] > _FITS
    if 2 * weight[strange].sum() <= weight.sum():
        return own
    trust = weight.sum() / (weight.sum() + _OWN)
    off = trust * middle(np.log(linear(even) / own))
    return np.asarray(own * np.exp(np.clip(off, -_FARTHEST, _FARTHEST)))


def _faces(paint: Paint, rgb: Rgb, plates: Chances, bodies: Labels, px_mm: float) -> tuple[Array, Array]:
    """(m, 3) RGB 0..1 of what certainly is of plates and of one colour each, and how much each tells."""
    by = min(_PER_MM / px_mm, 1.0)
    rgb = np.asarray(cv2.resize(rgb, None, fx=by, fy=by, interpolation=cv2.INTER_AREA), np.uint8)
    size = rgb.shape[1::-1]
    plates = np.asarray(cv2.resize(plates, size, interpolation=cv2.INTER_AREA), np.uint8)
    bodies = np.asarray(cv2.resize(bodies, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    px_mm = px_mm * by
    inner = (certain(plates) & ~part_edges(rgb)).view(np.uint8)
    count, parts, stats, _ = cv2.connectedComponentsWithStats(inner, connectivity=4)
    seen, weight, standing = [], [], []
    for i in range(1, count):
        left, top, width, height, area = stats[i].tolist()
        if area < _LEAST_MM2 * px_mm**2:
            continue
        box = np.s_[top : top + height, left : left + width]
        own = parts[box] == i
        colour = middle(rgb[box][own]) / 255
        seen.append(np.maximum(colour, 0.01))
        weight.append(area / (_ENOUGH_MM2 * px_mm**2))
        standing.append(int(np.argmax(np.bincount(bodies[box][own]))))
    colours, sizes, on = np.array(seen).reshape(-1, 3), np.array(weight), np.array(standing)
    cacti = paint.shades[len(paint.names) :]
    for k in set(standing) - {0}:
        largest = np.flatnonzero(on == k)[sizes[on == k].argmax()]
        if sizes[largest] * _ENOUGH_MM2 * px_mm**2 > _BODY * np.count_nonzero(bodies == k):
            cacti = np.vstack([cacti, colours[largest]])
    free = distances(colours, cacti).min(axis=1, initial=np.inf) >= _CACTUS
    return colours[free], np.minimum(sizes[free], 1.0)


def _light(known: Array, seen: Array, weight: Array, veil: float) -> tuple[float, Array]:
    """How badly paints (n, 3) explain plates under the light that does it best, and the paints in that light."""

    def best_of(ways: Array) -> tuple[float, Array]:
        costs = _costs(known * np.exp(ways)[:, None], seen, weight) + ((ways @ _AXES.T / _SPREAD) ** 2).sum(axis=1)
        return float(costs.min()), ways[int(costs.argmin())]

    ways = np.log(linear(seen)[:, None] / known).reshape(-1, 3)
    cost, best = best_of(np.vstack([np.zeros(3), ways]))
    for _ in range(_TURNS):
        far = _far(known * np.exp(best), seen)
        kinds, use = far.argmin(axis=1), far.min(axis=1) < _MOST
        if not use.any():
            break
        told = np.log(linear(seen[use]) / known[kinds[use]])
        cost, best = best_of(np.array([best, np.average(told, axis=0, weights=weight[use]), middle(told)]))
    return cost + veil / _VEIL, known * np.exp(best)


def _costs(lights: Array, seen: Array, weight: Array) -> Array:
    """How badly each of (k, n, 3) paints explain plates: squares of spreads, of each at most what is something else."""
    near = _far(lights.reshape(-1, 3), seen).reshape(len(seen), *lights.shape[:2]).min(axis=2)
    return np.asarray(weight @ np.minimum(near, _MOST) ** 2, np.float64)


def _far(light: Array, seen: Array) -> Array:
    """(m, n) how many spreads each colour that is seen is from each paint."""
    return distances(seen, np.clip(gamma(light), 0.01, 1.0))
