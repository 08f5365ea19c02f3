"""True outlines of flat pieces from several photographs: views, rims and forms settled together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.pieces import Found, LaidPiece
from calibration.capture.cactus.plate_forms import is_same, join
from calibration.capture.cactus.plate_rims import refine_rims
from calibration.capture.cactus.plate_view import USUAL_FOCAL, PlateView, SideSigns, growth, settle_views

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]
Told = tuple[str, float]
Tilt = tuple[Array, Array]

USUAL_PIECE_MM = 34.0
"""Longer side of a middling piece where nothing tells the scale."""
USUAL_THICKNESS_MM = 3.5
"""What pieces are cut from."""
_USUAL_CACTUS_MM = 85.0
_BELOW_OFF = 0.015  # long sides: by which a sheet may err where the point below the camera is
_TILTED, _TILT_STEP = 0.24, 0.01  # long sides: how far heights may move the point below the camera, and in what steps
_TOLD_OFF = 0.04  # long sides: how far that point is moved to see what heights tell of it
_HEIGHT_OFF = 0.006  # by which a height that was measured may be off
_ROUNDS = 2
_FEW = 2  # pieces that make a form together


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
    views, scales
        How each of the photos was taken, by its number, and its pixels to a mm of `flat` where a form tells them.
    grown
        What of known size lies there, and by how much it says that all are larger.
    """

    pieces: tuple[LaidPiece, ...]
    flat: tuple[Array, ...]
    kinds: Kinds
    doubt: Array
    focal_share: float
    offset: Array
    thickness_mm: float
    views: Mapping[int, PlateView]
    scales: Mapping[int, float]
    grown: tuple[Told, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StandingCacti:
    """The cacti of a photo.

    Parameters
    ----------
    laid
        As they lie.
    upright_px
        Each as it stands, (n, 2) in px of the flat picture, y upward from its base.
    thickness_mm
        As far as their sides tell, if the tallest is as high as was said.
    scale
        Pixels to a mm of the pieces' outlines, where pieces lie beside them.
    mm_per_px
        What of known size lies there, and what it tells.
    flat
        Whether a sheet of paper tells how the photo was taken.
    telling
        Number of the one whose height, beside the tallest one's, tells most of how the photo was taken.
    """

    laid: tuple[LaidPiece, ...]
    upright_px: tuple[Array, ...]
    thickness_mm: float | None
    scale: float | None
    mm_per_px: tuple[Told, ...]
    flat: bool
    telling: int | None

    @property
    def tallest_px(self) -> float:
        """Height of the tallest one."""
        return max(float(np.ptp(u[:, 1])) for u in self.upright_px)


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
    views, _ = settle_views([f.traced for f in found], signs, scales.tolist(), _with_sheets(found, none))
    rims = [o for f, v in zip(found, views, strict=True) for o in f.rough(v)]
    kinds, doubt = sort(rims)
    thickness, tied, flat_scales = USUAL_THICKNESS_MM, np.zeros(len(found), bool), scales
    for again in range(_ROUNDS):
        scales, tied, views, thickness = _settled(found, signs, rims, photos, kinds, scales)
        starts = [[r for r, p in zip(rims, photos, strict=True) if p == k] for k in range(len(found))]
        rims = [o for f, v, s in zip(found, views, starts, strict=True) for o in refine_rims(f.traced, v, s)]
        flat_scales = scales * [v.slant for v in views]
        flat = [views[p].flat(o) / flat_scales[p] for o, p in zip(rims, photos, strict=True)]
        if not again:
            kinds, doubt = sort(flat)
    for k in range(int(kinds.max(initial=-1)) + 1):
        mine = np.flatnonzero(kinds == k)
        if len(mine) < _FEW:
            continue
        form, laid, off = join([flat[i] for i in mine])
        for i, where, miss in zip(mine, laid, off, strict=True):
            if is_same(form, miss):
                rims[i] = views[photos[i]].seen(where.there(form) * flat_scales[photos[i]])
                flat[i] = form
    colours = [c for f in found for c in zip(f.labs, f.tables, strict=True)]
    pieces = [LaidPiece(numbers[p], found[p].in_photo(o), *c) for o, p, c in zip(rims, photos, colours, strict=True)]
    told = [
        (name, mm * scale)
        for f, v, scale, k in zip(found, views, flat_scales.tolist(), tied, strict=True)
        for name, mm in (_told_mm_per_px(f, v, USUAL_PIECE_MM * scale) if k else ())
    ]
    offset = np.mean([(v.below_px - v.middle_px) / f.traced.long_px for f, v in zip(found, views, strict=True)], axis=0)
    focal = views[0].focal_px / found[0].traced.long_px
    return Outlined(
        tuple(pieces),
        tuple(flat),
        kinds,
        doubt,
        focal,
        offset,
        thickness,
        dict(zip(numbers, views, strict=True)),
        {n: float(s) for n, s, k in zip(numbers, flat_scales, tied, strict=True) if k},
        tuple(told),
    )


def outline_cacti(
    found: Found,
    number: int,
    height_mm: float,
    standing: Callable[[Array], Array],
    like: Outlined,
    grown: float | None = None,
    heights: Mapping[int, float] | None = None,
) -> StandingCacti:
    """The same for the cacti of a photo, taken with the camera of the pieces' photos: the tallest has that height.

    Where it is known by how much the pieces are larger than they were taken to be, cacti look as thick as they do.
    Heights of some, by their numbers among those found, tell how the photo was taken.
    """
    none = [(np.zeros(2), np.zeros((2, 2)))]
    scale = max(_extent(o) for o in found.traced.outer) / height_mm
    thickness = None
    if number in like.views:
        view = like.views[number]
    else:
        tilts = _with_sheets([found], none)
        known = None if grown is None else like.thickness_mm * grown
        (view,), thickness = settle_views(
            [found.traced], [found.sides], [scale], tilts, like.focal_share, like.offset, known
        )
    rims = refine_rims(found.traced, view, found.rough(view))
    upright = [standing(view.flat(o)) for o in rims]
    telling = _telling(view, rims, standing)
    if heights and found.sheet is None:
        tallest = max(range(len(rims)), key=lambda i: float(np.ptp(upright[i][:, 1])))
        view = _tilted(view, rims, standing, {tallest: height_mm, **heights})
        rims = refine_rims(found.traced, view, rims)
        upright = [standing(view.flat(o)) for o in rims]
    piece_px = float(np.median([_extent(o) for o in rims])) * USUAL_PIECE_MM / _USUAL_CACTUS_MM
    colours = zip(found.labs, found.tables, strict=True)
    pieces = [LaidPiece(number, found.in_photo(o), *c) for o, c in zip(rims, colours, strict=True)]
    return StandingCacti(
        tuple(pieces),
        tuple(upright),
        thickness,
        like.scales.get(number),
        _told_mm_per_px(found, view, piece_px),
        found.sheet is not None,
        telling,
    )


def _telling(view: PlateView, rims: Sequence[Array], standing: Callable[[Array], Array]) -> int | None:
    """Which height beside the tallest one's changes most with how the photo was taken; None where there is no other."""
    long, thick_px = float(view.middle_px.max()) * 2, view.shrink * view.focal_px / view.slant
    off = np.array([0.0, _TOLD_OFF * long])
    ways = [PlateView.of(view.below_px + way * off, thick_px, view.focal_px, view.middle_px) for way in (-1, 0, 1)]
    low, now, high = (np.log([np.ptp(standing(one.flat(o))[:, 1]) for o in rims]) for one in ways)
    change = high - low
    tallest = int(now.argmax())
    apart = np.abs(change - change[tallest])
    return int(apart.argmax()) if len(rims) > 1 else None


def _tilted(
    view: PlateView, rims: Sequence[Array], standing: Callable[[Array], Array], heights: Mapping[int, float]
) -> PlateView:
    """The view in which cacti of known heights (mm) are as high as they are, as far as that can be."""
    long = float(view.middle_px.max()) * 2
    thick_px = view.shrink * view.focal_px / view.slant
    best = (np.inf, view)
    for off in np.arange(-_TILTED, _TILTED + 1e-6, _TILT_STEP):
        below = view.below_px + [0.0, off * long]
        one = PlateView.of(below, thick_px, view.focal_px, view.middle_px)
        told = [np.log(np.ptp(standing(one.flat(rims[i]))[:, 1]) / mm) for i, mm in heights.items()]
        cost = float(np.var(told)) / _HEIGHT_OFF**2 + (off / _TILTED) ** 2
        if cost < best[0]:
            best = (cost, one)
    return best[1]


def _told_mm_per_px(found: Found, view: PlateView, piece_px: float) -> tuple[Told, ...]:
    """What lies on a photo and is of known size tells how large a pixel is; a middling piece is `piece_px` long."""
    out: list[Told] = []
    if found.target is not None:
        out.append(("the printed target", found.target.mm_per_px(view)))
    paper = None if found.sheet is None else found.sheet.paper(view, piece_px)
    if paper is not None:
        out.append((f"the {paper[0]} sheet", paper[1]))
    return tuple(out)


def _with_sheets(found: Sequence[Found], tilts: Sequence[Tilt]) -> list[Tilt]:
    """How the scale grows across photos, where a sheet of paper tells it too."""
    out: list[Tilt] = []
    for f, (grown, certain) in zip(found, tilts, strict=True):
        if f.sheet is not None:
            own = np.eye(2) * (f.traced.long_px * USUAL_FOCAL**2 / _BELOW_OFF) ** 2
            both = np.linalg.solve(certain + own, certain @ grown + own @ f.sheet.growth(f.traced.middle))
            out.append((np.asarray(both, np.float64), np.asarray(certain + own, np.float64)))
        else:
            out.append((grown, certain))
    return out


def _settled(
    found: Sequence[Found],
    signs: Sequence[SideSigns],
    rims: Sequence[Array],
    photos: Kinds,
    kinds: Kinds,
    scales: Array,
) -> tuple[Array, NDArray[np.bool_], list[PlateView], float]:
    """Scales by the areas of pieces of one form, which of them are told so, views, and the thickness."""
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
    views, thickness = settle_views([f.traced for f in found], signs, scales.tolist(), _with_sheets(found, tilts))
    return scales, known, views, thickness


def _extent(outline: Array) -> float:
    return float(max(cv2.minAreaRect(outline.astype(np.float32))[1]))
