"""Where the outline of a cactus could stand in a picture: proposals from the directions of edges alone.

Paint and lamp tell nothing here. Each pixel of a small picture carries the direction of its edge as a doubled angle
(dark to light and light to dark count alike) with a length between nothing and one; the outline carries its own, and
their correlation says which share of the outline runs along edges of the picture. It is read at several sizes and
slants, each at the resolution at which the cactus is equally tall, so that a near and a far one cost alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import fft

from vision.cactus.cactus_set import CactusSet
from vision.paint import painted
from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Spectra = NDArray[np.complex64]
Fits = Callable[[Array, float], NDArray[np.bool_]]

_TALL = 44.0  # px of the tallest cactus in the small pictures
_SIZES = (0.10, 0.42)  # height of the tallest cactus as a share of the picture's width: smallest and largest
_STEP = 1.14  # from size to size
_SLANTS_RAD = (-0.1, 0.0, 0.1)
_BESIDE_PX = 4  # an outline may reach this far beyond the small picture
_LEAST = 0.25  # share of an outline that must run along edges
_KEPT = 16  # proposals a cactus
_SAME = 0.25  # two proposals nearer than this share of a height are one
_LIT = 0.8  # where the paint is known under this very lamp, shadow explains little
_FEWER = 0.6  # ... and less of an outline will do
_FINER = 1.08  # step where the sizes are known nearly
_AROUND = (3, 7)  # px: surroundings lie between these grown insides
_TAPS = ((-1, 0.25), (0, 0.5), (1, 0.25))  # an edge may lie a pixel off


@dataclass(frozen=True, slots=True)
class Proposal:
    """A cactus that might stand there.

    Parameters
    ----------
    cactus
        Its index in the set.
    x, y
        Middle of its foot (the top of the base) in px.
    px_per_mm
        Its size in the picture.
    slant_rad
        How far its upright leans to the right.
    score
        Share of its outline that runs along edges, 0 to 1.
    """

    cactus: int
    x: float
    y: float
    px_per_mm: float
    slant_rad: float
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Pattern:
    cactus: int
    slant_rad: float
    kernel: Floats  # (2, h, w) directions of the edge
    body: Floats  # (h, w) inside less around
    foot: tuple[int, int]  # column and row of the foot in the kernel


def propose_cacti(
    rgb: Rgb,
    cactus_set: CactusSet,
    px_per_mm: tuple[float, float] | None = None,
    only: Sequence[int] | None = None,
    paints: Floats | None = None,
    fits: Fits | None = None,
) -> list[Proposal]:
    """Propose places for the cacti of a set, the likeliest first.

    Parameters
    ----------
    rgb
        (H, W, 3) picture.
    px_per_mm
        Smallest and largest size to be looked for; default what five cacti in one picture can have.
    only
        Indices of the cacti to be looked for; default all.
    paints
        (m, 3) RGB of every cactus in this picture, where that is known: then the score is the mean of the edges' share
        and of how much more of the inside has this paint than of the surroundings.
    fits
        Which feet (n, 2) px at a size are to be proposed; default all.
    """
    width = rgb.shape[1]
    tallest = max(float(c.outline_mm[:, 1].max()) for c in cactus_set.cacti)
    low, high = (s * width / tallest for s in _SIZES) if px_per_mm is None else px_per_mm
    step = _STEP if px_per_mm is None else _FINER
    count = max(1, int(np.ceil(np.log(high / low) / np.log(step))) + 1)
    patterns = [p for p in _patterns(cactus_set) if only is None or p.cactus in only]
    found: list[Proposal] = []
    for size in np.geomspace(low, high, count) if count > 1 else [low]:
        found += _at_size(rgb, patterns, float(size), _TALL / tallest, paints, fits)
    return _thinned(found, tallest)


def _at_size(
    rgb: Rgb, patterns: list[_Pattern], size: float, wanted: float, paints: Floats | None, fits: Fits | None
) -> list[Proposal]:
    """Proposals where a millimetre has `size` px, in a picture where it has `wanted`."""
    shrink = wanted / size
    h, w = round(rgb.shape[0] * shrink), round(rgb.shape[1] * shrink)
    how = cv2.INTER_AREA if shrink < 1 else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(rgb, (w, h), interpolation=how), np.uint8)
    tall = max(p.kernel.shape[1] for p in patterns)
    wide = max(p.kernel.shape[2] for p in patterns)
    shape = (fft.next_fast_len(h + tall), fft.next_fast_len(w + wide, real=True))
    edges = fft.rfft2(edge_directions(small).transpose(2, 0, 1), shape)
    painted_there: dict[int, Spectra] = {}
    if paints is not None:
        for k in {p.cactus for p in patterns}:
            painted_there[k] = fft.rfft2(painted(small.astype(np.float32), paints[k], _LIT), shape)
    out: list[Proposal] = []
    for p in patterns:
        rows, columns = h - p.kernel.shape[1] + _BESIDE_PX, w - p.kernel.shape[2] + _BESIDE_PX
        if rows < 1 or columns < 1:
            continue
        product = (edges * _mirrored(p.kernel, shape)).sum(axis=0)
        if p.cactus in painted_there:
            product = 0.5 * (product + painted_there[p.cactus] * _mirrored(p.body, shape))
        there = fft.ifft(product, axis=0, overwrite_x=True)[:rows]
        score = np.ascontiguousarray(fft.irfft(there, shape[1], axis=1)[:, :columns], np.float32)
        least = _LEAST if paints is None else _FEWER * _LEAST
        peak = (score >= cv2.dilate(score, np.ones((7, 7), np.uint8))) & (score > least)
        ys, xs = np.nonzero(peak)
        feet = (np.c_[xs, ys] + p.foot + 0.5) / shrink - 0.5
        value = score[ys, xs]
        if fits is not None and len(feet):
            good = fits(feet, size)
            feet, value = feet[good], value[good]
        best = np.argsort(-value)[: 2 * _KEPT]
        out += [
            Proposal(p.cactus, float(feet[i, 0]), float(feet[i, 1]), size, p.slant_rad, float(value[i])) for i in best
        ]
    return out


def _mirrored(kernel: Floats, shape: tuple[int, int]) -> Spectra:
    """The conjugate spectra of (..., h, w) kernels in a picture of that shape."""
    whole = np.zeros((*kernel.shape[:-2], shape[0], shape[1] // 2 + 1), np.complex64)
    whole[..., : kernel.shape[-2], :] = fft.rfft(kernel, shape[1])
    return np.asarray(np.conj(fft.fft(whole, axis=-2, overwrite_x=True)), np.complex64)


def edge_directions(rgb: Rgb) -> Floats:
    """(h, w, 2) the doubled angle of the edge at each pixel, of length 0 (no edge) to 1."""
    soft = cv2.GaussianBlur(rgb.astype(np.float32), (0, 0), 0.7)
    gx = cv2.Scharr(soft, cv2.CV_32F, 1, 0, scale=1 / 32)
    gy = cv2.Scharr(soft, cv2.CV_32F, 0, 1, scale=1 / 32)
    along = (gx * gx - gy * gy).sum(axis=2)
    cross = 2 * (gx * gy).sum(axis=2)
    strength = np.hypot(along, cross)
    return np.asarray(np.dstack([along, cross]) / (strength + 2 * np.median(strength) + 30)[..., None], np.float32)


@lru_cache(maxsize=4)
def _patterns(cactus_set: CactusSet) -> tuple[_Pattern, ...]:
    tallest = max(float(c.outline_mm[:, 1].max()) for c in cactus_set.cacti)
    return tuple(
        _pattern(i, c.outline_mm, _TALL / tallest, slant)
        for i, c in enumerate(cactus_set.cacti)
        for slant in _SLANTS_RAD
    )


def _pattern(cactus: int, outline_mm: Array, px_per_mm: float, slant: float) -> _Pattern:
    at, normal = walk(outline_mm, 0.7 / px_per_mm)
    above = at[:, 1] > 2 / px_per_mm  # the foot's own edge lies on the base
    c, s = np.cos(slant), np.sin(slant)
    turn = np.array([[c, s], [-s, c]])
    at = (at[above] * [1, -1]) @ turn * px_per_mm
    normal = (normal[above] * [1, -1]) @ turn
    weight = np.c_[normal[:, 0] ** 2 - normal[:, 1] ** 2, 2 * normal[:, 0] * normal[:, 1]] / len(at)
    start = np.floor(at.min(axis=0)).astype(int) - 3
    size = np.ceil(at.max(axis=0)).astype(int) + 4 - start
    kernel = np.zeros((2, size[1], size[0]), np.float32)
    cell = np.rint(at).astype(int) - start
    for dy, v in _TAPS:
        for dx, u in _TAPS:
            for layer, by in zip(kernel, weight.T, strict=True):
                np.add.at(layer, (cell[:, 1] + dy, cell[:, 0] + dx), u * v * by)
    figure = (outline_mm * [1, -1]) @ turn * px_per_mm - start
    inside = np.zeros(kernel.shape[1:], np.uint8)
    cv2.fillPoly(inside, [np.rint(figure * 16).astype(np.int32)], 1, shift=4)
    near, far = (cv2.dilate(inside, np.ones((k, k), np.uint8)) for k in _AROUND)
    around = (far > 0) & (near == 0)
    body = np.asarray(inside / max(1, int(inside.sum())) - around / max(1, int(around.sum())), np.float32)
    return _Pattern(cactus, slant, kernel, body, (-int(start[0]), -int(start[1])))


def walk(outline_mm: Array, step_mm: float) -> tuple[Array, Array]:
    """Evenly spaced points of a closed outline and its outward normals: (n, 2) and (n, 2), y upward."""
    closed = np.vstack([outline_mm, outline_mm[:1]])
    edge = np.diff(closed, axis=0)
    length = np.hypot(edge[:, 0], edge[:, 1])
    keep = length > 1e-6
    start, edge, length = outline_mm[keep], edge[keep], length[keep]
    ends = np.cumsum(length)
    count = max(8, int(ends[-1] / step_mm))
    along = (np.arange(count) + 0.5) * ends[-1] / count
    k = np.minimum(np.searchsorted(ends, along), len(ends) - 1)
    direction = edge[k] / length[k, None]
    at = start[k] + direction * (along - ends[k] + length[k])[:, None]
    x, y = closed[:, 0], closed[:, 1]
    area = float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))
    side = 1.0 if area > 0 else -1.0
    return at, side * np.c_[direction[:, 1], -direction[:, 0]]


def _thinned(found: list[Proposal], tallest: float) -> list[Proposal]:
    """The best of each heap, at most so many a cactus."""
    out: list[Proposal] = []
    for p in sorted(found, key=lambda p: -p.score):
        mine = [q for q in out if q.cactus == p.cactus]
        if len(mine) >= _KEPT:
            continue
        near = _SAME * tallest * p.px_per_mm
        if all(max(abs(p.x - q.x), abs(p.y - q.y)) > near for q in mine):
            out.append(p)
    return out
