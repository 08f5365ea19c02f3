"""True outlines of flat pieces from several photographs: views, rims and forms settled together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture_pieces import Found, LaidPiece
from calibration.plate_forms import is_same, join
from calibration.plate_rims import refine_rims
from calibration.plate_view import PlateView, SideSigns, growth, settle_views

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]

USUAL_PIECE_MM = 34.0
"""Longer side of a middling piece where nothing tells the scale."""
USUAL_THICKNESS_MM = 3.5
"""What pieces are cut from."""
_ROUNDS = 2
_FEW = 3  # pieces that make a form together


@dataclass(frozen=True, slots=True, eq=False)
class Outlined:
    """Pieces with the outlines of their faces.

    Parameters
    ----------
    pieces
        As they lie on the photos.
    flat
        (n, 2) the outline of each in mm, y down, as the deck shall have it; alike for pieces of one form.
    kinds, doubt
        Form of each piece, -1 for a piece like no other, and how doubtful that is.
    focal_share
        Focal length of the camera in long sides of its pictures.
    offset
        (2,) where the point below the camera lies from the middle of its pictures, as a rule, in long sides.
    thickness_mm
        As far as their sides tell.
    grown
        By how much a printed target says that all are larger; None where none was seen.
    """

    pieces: tuple[LaidPiece, ...]
    flat: tuple[Array, ...]
    kinds: Kinds
    doubt: Array
    focal_share: float
    offset: Array
    thickness_mm: float
    grown: float | None


def outline_pieces(
    found: Sequence[Found], numbers: Sequence[int], sort: Callable[[Sequence[Array]], tuple[Kinds, Array]]
) -> Outlined:
    """Outlines of all pieces on these photos; `sort` tells from rough ones which are of one form.

    Without a known scale a middling piece is as long as it usually is.
    """
    photos = np.concatenate([np.full(len(f.labs), k) for k, f in enumerate(found)])
    signs = [f.sides for f in found]
    none = [(np.zeros(2), np.zeros((2, 2)))] * len(found)
    sizes = [_extent(o) for f in found for o in f.traced.outer]
    scales = np.array(
        [np.median([s for s, p in zip(sizes, photos, strict=True) if p == k] or [1.0]) for k in range(len(found))]
    )
    scales /= USUAL_PIECE_MM
    views, _ = settle_views([f.traced for f in found], signs, scales.tolist(), none)
    rims = [o for f, v in zip(found, views, strict=True) for o in f.rough(v)]
    kinds, doubt = sort(rims)
    thickness = USUAL_THICKNESS_MM
    for again in range(_ROUNDS):
        scales, views, thickness = _settled(found, signs, rims, photos, kinds, scales)
        starts = [[r for r, p in zip(rims, photos, strict=True) if p == k] for k in range(len(found))]
        rims = [
            o
            for f, v, s, scale in zip(found, views, starts, scales, strict=True)
            for o in refine_rims(f.traced, v, s, thickness * scale)
        ]
        flat = [views[p].flat(o) / scales[p] for o, p in zip(rims, photos, strict=True)]
        if not again:
            kinds, doubt = sort(flat)
    for k in range(int(kinds.max(initial=-1)) + 1):
        mine = np.flatnonzero(kinds == k)
        if len(mine) < _FEW:
            continue
        form, laid, off = join([flat[i] for i in mine])
        for i, where, miss in zip(mine, laid, off, strict=True):
            if is_same(form, miss):
                rims[i] = views[photos[i]].seen(where.there(form) * scales[photos[i]])
                flat[i] = form
    colours = [c for f in found for c in zip(f.labs, f.tables, strict=True)]
    pieces = [LaidPiece(numbers[p], found[p].in_photo(o), *c) for o, p, c in zip(rims, photos, colours, strict=True)]
    told = [
        f.target.mm_per_px(v) * scale for f, v, scale in zip(found, views, scales, strict=True) if f.target is not None
    ]
    offset = np.mean([(v.below_px - v.middle_px) / f.traced.long_px for f, v in zip(found, views, strict=True)], axis=0)
    focal = views[0].focal_px / found[0].traced.long_px
    return Outlined(
        tuple(pieces), tuple(flat), kinds, doubt, focal, offset, thickness, float(np.median(told)) if told else None
    )


def outline_cacti(
    found: Found, number: int, height_mm: float, standing: Callable[[Array], Array], like: Outlined
) -> tuple[list[LaidPiece], list[Array], float]:
    """The same for the cacti of a photo, taken with the camera of the pieces' photos: the tallest has that height.

    Returns
    -------
    The cacti, each as `standing` sets it up, in mm, and their thickness in mm.
    """
    none = [(np.zeros(2), np.zeros((2, 2)))]
    scale = max(_extent(o) for o in found.traced.outer) / height_mm
    (view,), thickness = settle_views([found.traced], [found.sides], [scale], none, like.focal_share, like.offset)
    rims = refine_rims(found.traced, view, found.rough(view), thickness * scale)
    upright = [standing(view.flat(o)) for o in rims]
    scale = max(float(np.ptp(u[:, 1])) for u in upright) / height_mm
    colours = zip(found.labs, found.tables, strict=True)
    pieces = [LaidPiece(number, found.in_photo(o), *c) for o, c in zip(rims, colours, strict=True)]
    return pieces, [u / scale for u in upright], thickness


def _settled(
    found: Sequence[Found],
    signs: Sequence[SideSigns],
    rims: Sequence[Array],
    photos: Kinds,
    kinds: Kinds,
    scales: Array,
) -> tuple[Array, list[PlateView], float]:
    """Scales and views by the areas of pieces of one form, and the thickness."""
    areas = np.array([cv2.contourArea(o.astype(np.float32)) for o in rims])
    middles = np.array([o.mean(0) - found[p].traced.middle for o, p in zip(rims, photos, strict=True)])
    tilts, told = growth(areas, middles, photos, kinds, len(found))
    known = np.isfinite(told)
    if known.any():
        told *= np.exp(np.mean(np.log(scales[known] / told[known])))
    scales = np.where(known, told, scales)
    # a middling piece is as long as it usually is
    lengths = [_extent(o) / scales[p] for o, p in zip(rims, photos, strict=True)]
    scales = scales * float(np.median(lengths)) / USUAL_PIECE_MM
    views, thickness = settle_views([f.traced for f in found], signs, scales.tolist(), tilts)
    return scales, views, thickness


def _extent(outline: Array) -> float:
    return float(max(cv2.minAreaRect(outline.astype(np.float32))[1]))
