"""Pieces before something of nearly their own colour: what is of one shade and bounded is looked at by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.segmentation import felzenszwalb

from vision.cactus.piece_hold import APART_MM
from vision.cactus.piece_paint import OTHER, distances
from vision.cactus.piece_search import Bank
from vision.cactus.piece_view import View
from vision.paint import middle
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_LEAST, _MOST = 0.12, 1.3
"""Shares of the smallest and of the largest piece between which a part of one shade can be of a piece."""
_SEED = 0.3
"""The least share of it that a part must have for its shade to be looked for."""
_FAR = 4.0
"""So many spreads of a paint may its shade be from what the light of the cacti makes of it ..."""
_NEXT = 0.7
"""... and so many farther than from the nearest of the paints."""
_ALIKE, _AKIN = 0.5, 1.0
"""So many spreads apart two parts have one shade, and may have where little is looked at."""
_SHARP = 30.0
"""Levels between neighbours beside which a pixel says half as much of the shade of its part."""
_OF_SHADE = 1.3
"""So many spreads from the shade of a part are pixels of its own, noise and edges included."""
_CHANGED = 8.0
"""Levels, of the mean over a few pixels, by which two pictures differ where something came or went."""
_OVER = 0.5
"""Share of a part that is near enough, and changed."""
_HELD = 0.3
"""Share of a part beyond which it is of what is known already."""
_RIM_MM = 3.0
"""So far about what is looked at its surroundings matter."""
_NUDGED_MM = 5.0
"""So far from where it hung a piece that is found no more is looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A shade near one cactus.

    Parameters
    ----------
    cactus
        Index of the cactus.
    label
        The paint that it is taken for.
    far
        So many spreads it is from that.
    view
        The view in which nothing else has that label.
    """

    cactus: int
    label: int
    far: float
    view: View


def looks_again(view: View, bank: Bank, before: Rgb | None = None, missed: Sequence[Array] = ()) -> Iterator[Look]:
    """The shades near the cacti that bounded parts of a view have.

    Parameters
    ----------
    view, bank
        Where to look, and for what.
    before
        The picture before, from the same place: only what differs from it is looked at ...
    missed
        ... and what is near such outlines, px.
    """
    half = _half(view.rgb)
    fresh = _changed(half, view, before)
    for outline in missed:
        edge = [np.round(outline / 2).astype(np.int32)]
        cv2.fillPoly(fresh, edge, 1)
        cv2.polylines(fresh, edge, True, 1, round(_NUDGED_MM * max(view.px_mm)))
    held = _held(view, fresh.shape)
    near = cv2.distanceTransform(1 - held, cv2.DIST_L2, 3) < APART_MM * max(view.px_mm) / 2
    left, top, width, height = cv2.boundingRect(fresh * (near & (held == 0)))
    if not width:
        return
    rim = round(_RIM_MM * max(view.px_mm) / 2)
    x0, y0 = max(left - rim, 0), max(top - rim, 0)
    box = np.s_[y0 : top + height + rim, x0 : left + width + rim]
    parts = _Parts.of(view, half[box], (fresh[box], held[box], near[box]), (x0, y0), bank)
    soft = np.asarray(cv2.medianBlur(view.rgb, 3), np.uint8)
    n = len(view.paint.names)
    far = shades_off(view, parts.mean)
    for cactus in range(len(view.stage.cacti)):
        here = parts.good & (parts.cactus == cactus)
        for k in range(n):
            fit = np.flatnonzero(here & parts.large & np.isfinite(far[:, k]))
            used = np.zeros(len(here), np.bool_)
            for seed in fit[np.argsort(-parts.area[fit], kind="stable")]:
                if used[seed]:
                    continue
                apart = distances(parts.mean, parts.mean[seed][None])[:, 0]
                used |= here & (apart < _ALIKE)
                for alike in (_ALIKE,) if before is None else (_ALIKE, _AKIN):
                    mask = parts.mask(here & (apart < alike))
                    yield Look(cactus, k, float(far[seed, k]), _shaded(view, soft, mask, parts.mean[seed], k))


def shades_off(view: View, shades: Array) -> Array:
    """(n, paints) how many spreads (n, 3) shades are from each paint; infinite where they are none of it."""
    far = distances(shades, view.paint.shades)[:, : len(view.paint.names)]
    return np.where((far < _FAR) & (far < far.min(axis=1, keepdims=True) + _NEXT), far, np.inf)


def look_where(view: View, outline_px: Array, label: int) -> View:
    """The view where what has the shade of most of the inside of an outline, about it too, is of a paint."""
    height, width = view.labels.shape
    rim = round(_RIM_MM * max(view.px_mm)) + 1
    low = np.clip(np.floor(outline_px.min(axis=0)).astype(int) - rim, 0, (width - 2, height - 2))
    high = np.clip(np.ceil(outline_px.max(axis=0)).astype(int) + rim + 1, low + 2, (width, height))
    box = np.s_[low[1] : high[1], low[0] : high[0]]
    inside = np.zeros(tuple(high - low)[::-1], np.uint8)
    cv2.fillPoly(inside, [np.round(outline_px - low).astype(np.int32)], 1)
    free = (view.labels[box] != view.explained) & (view.labels[box] != len(view.paint.names))
    soft = view.rgb.copy()
    soft[box] = cv2.medianBlur(np.ascontiguousarray(view.rgb[box]), 3)
    own = soft[box][(inside > 0) & free]
    if not len(own):
        return view
    return _shaded(view, soft, (box, np.ones(inside.shape, np.bool_)), middle(own) / 255, label)


def hide(view: View, outline_px: Array) -> None:
    """Nothing within an outline is left to explain."""
    inside = np.zeros(view.labels.shape, np.uint8)
    cv2.fillPoly(inside, [np.round(outline_px).astype(np.int32)], 1)
    view.labels[(inside > 0) & (view.labels != len(view.paint.names))] = view.explained


def _shaded(view: View, soft: Rgb, mask: tuple[tuple[slice, slice], Mask], shade: Array, label: int) -> View:
    """The view where only what is within a mask and of a shade has a label."""
    box, inside = mask
    labels, seen = view.labels.copy(), view.seen.copy()
    labels[labels == label] = OTHER
    seen[seen == label] = OTHER
    part = soft[box]
    near = distances(part[inside].astype(np.float32) / 255, shade[None])[:, 0] < _OF_SHADE
    own = inside.copy()
    own[inside] = near
    own &= labels[box] != view.explained
    own &= labels[box] != len(view.paint.names)
    labels[box][own] = label
    seen[box][own] = label
    shades = view.paint.shades.copy()
    shades[label] = shade
    common = tuple(0.0 if k == label else c for k, c in enumerate(view.common))
    return replace(view, labels=labels, seen=seen, paint=replace(view.paint, shades=shades), common=common)


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Parts of one shade of half a picture."""

    segments: NDArray[np.intp]
    corner: tuple[int, int]
    full: tuple[int, int]
    area: NDArray[np.intp]
    mean: Array
    cactus: NDArray[np.intp]
    good: Mask
    large: Mask
    small: Mask

    @classmethod
    def of(
        cls,
        view: View,
        half: Rgb,
        where: tuple[NDArray[np.uint8], NDArray[np.uint8], Mask],
        corner: tuple[int, int],
        bank: Bank,
    ) -> _Parts:
        fresh, held, near = where
        segments = felzenszwalb(half, scale=60, sigma=0.5, min_size=12)
        flat = segments.ravel()
        n = int(flat.max()) + 1
        area = np.bincount(flat, minlength=n)

        def mean(values: NDArray[Any]) -> Array:
            return np.asarray(np.bincount(flat, values.ravel(), n) / area)

        red, green, blue = cv2.split(cv2.morphologyEx(half, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)))
        weight = 1 / (1 + (cv2.max(cv2.max(red, green), blue) / _SHARP) ** 2)
        color = np.stack([mean(half[:, :, c] * weight) for c in range(3)], axis=1) / mean(weight)[:, None] / 255
        x0, y0 = corner
        mm2 = area / (max(view.px_mm) / 2) ** 2
        good = (mm2 > _LEAST * bank.smallest_mm2) & (mm2 < _MOST * bank.largest_mm2)
        good &= (mean(near) > _OVER) & (mean(held) < _HELD) & (mean(fresh) > _OVER)
        rows, columns = np.indices(segments.shape)
        at = np.stack([mean(columns) + x0, mean(rows) + y0], axis=1) * 2
        cactus = np.zeros(n, np.intp)
        for i in np.flatnonzero(good):
            point = (float(at[i, 0]), float(at[i, 1]))
            cactus[i] = np.argmin(
                [
                    -cv2.pointPolygonTest(f.astype(np.float32), point, True) / s
                    for f, s in zip(view.faces_px, view.px_mm, strict=True)
                ]
            )
        return cls(
            segments,
            corner,
            view.labels.shape,
            area,
            color,
            cactus,
            good,
            mm2 > _SEED * bank.smallest_mm2,
            mm2 < bank.largest_mm2,
        )

    def mask(self, group: Mask) -> tuple[tuple[slice, slice], Mask]:
        """A box of the picture, and what of it is in a group of parts or just beside them."""
        core, small = (np.pad(some[self.segments].astype(np.uint8), 2) for some in (group, self.small))
        left, top, width, height = cv2.boundingRect(core)
        box = np.s_[top - 2 : top + height + 2, left - 2 : left + width + 2]
        near, far = (cv2.dilate(core, np.ones((k, k), np.uint8))[box] for k in (3, 5))
        core = np.asarray(cv2.max(near, cv2.min(far, np.ascontiguousarray(small[box]))), np.uint8)
        x0, y0 = 2 * (self.corner[0] + left - 4), 2 * (self.corner[1] + top - 4)
        wide = cv2.resize(core, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
        cut = wide[max(-y0, 0) : self.full[0] - y0, max(-x0, 0) : self.full[1] - x0]
        x0, y0 = max(x0, 0), max(y0, 0)
        return np.s_[y0 : y0 + cut.shape[0], x0 : x0 + cut.shape[1]], cut > 0


def _held(view: View, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """(h, w) 1 where half a view shows what is explained already, or a cactus."""
    labels = view.labels[::2, ::2]
    labels = np.pad(labels, [(0, shape[0] - labels.shape[0]), (0, shape[1] - labels.shape[1])], mode="edge")
    return np.asarray((labels == view.explained) | (labels == len(view.paint.names)), np.uint8)


def _half(rgb: Rgb) -> Rgb:
    height, width = rgb.shape[:2]
    small = cv2.resize(rgb, (-(-width // 2), -(-height // 2)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.medianBlur(np.asarray(small, np.uint8), 3), np.uint8)


def _changed(half: Rgb, view: View, before: Rgb | None) -> NDArray[np.uint8]:
    """(h, w) 1 where half a view is not as it was."""
    if before is None:
        return np.ones(half.shape[:2], np.uint8)
    x0, y0 = view.corner
    height, width = view.rgb.shape[:2]
    then = _half(before[y0 : y0 + height, x0 : x0 + width])
    if then.shape != half.shape:
        return np.ones(half.shape[:2], np.uint8)
    now, old = (np.asarray(cv2.blur(p, (3, 3)), np.float32) for p in (half, then))
    gain = np.median(now[::4, ::4] + 4, axis=(0, 1)) / np.median(old[::4, ::4] + 4, axis=(0, 1))
    red, green, blue = cv2.split(cv2.absdiff(now, old * gain.astype(np.float32)))
    apart = cv2.max(cv2.max(red, green), blue) > _CHANGED
    solid = cv2.morphologyEx(apart.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return np.asarray(cv2.dilate(solid, np.ones((3, 3), np.uint8)), np.uint8)
