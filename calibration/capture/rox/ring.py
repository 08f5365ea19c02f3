"""The edge symbols of Rox cards that nobody has described: where they stand, and which of five kinds each one is.

All cards of a copy are read together. A place of a symbol is a place on which the cards differ; symbols of one kind
look alike wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.rox.evened import in_one_light, in_the_light_of
from calibration.capture.rox.kinds import (
    KINDS,
    PATCH,
    QUARTER,
    SYMBOLS,
    Sorted,
    all_ways,
    off_places,
    round_features,
    settled,
    sorted_into_kinds,
)

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

WIDTH = 160
"""Columns of the pictures in which symbols are read."""

_INSETS = np.arange(0.07, 0.24, 0.01)  # of the card's width: how far the outer symbols may be from its rim
_COLUMNS = (3, 4, 5, 6, 7)
_REACH = 0.52  # of the distance between two places: how far a symbol reaches from its middle at most
_LEAST_REACH = 0.2  # ... and at least
_SPREADS = 0.15  # share of what differs most from card to card that differs where a symbol ends
_MARGIN = 1.2  # how much more than a symbol is looked at
_MOST_CARDS = 0.65  # share of the cards from which on those of one layout have the symbols: 60 of 75
_VARIED = 0.5  # logarithm of how much more the places of cards with symbols differ than those of cards without
_ALIKE = 0.75  # share of equal kinds from which what is seen is no symbol
_UNLIKE = 1.5  # times the usual misfit of cards without symbols
_MIXED = (0.5, 0.6)  # ... and share of equal kinds, below which symbols are sure to be symbols
_STRANGE = 6.0  # times the usual misfit: what fits worse shows something else
_ROUNDS, _RELIT = 3, 2
_FITS, _HELD, _LEAST_PX = 5, 0.5, 0.5  # how the places of a card's symbols are fitted: stiffly, and most of them
_CLEAR = 0.7  # share of the next best kind's misfit below which half of a card's symbols must be
_GROUND, _WITHIN = (0.75, 1.0), 0.9  # of a symbol's reach: where its ground is seen, and where its shape
_SHAPE, _SOFT, _NOISE = 20.0, 0.8, 1.5  # weight of shape against colour, its blur in samples, and what is no ink
_LIGHTNESS = 0.6  # weight of lightness against colour: light changes it most


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """What stands round the edge of each card.

    Parameters
    ----------
    places
        (16, 2) middles in columns and rows of the pictures.
    radius
        How far a symbol reaches from its middle, in pixels.
    has_symbols
        (n,) which cards have symbols at all.
    odd
        (n,) which of the others are unlike those others: what they have is only a guess.
    kinds
        (n, 16) number of the kind of each symbol, -1 on cards without any.
    doubt
        (n, 16) 0 where the kind is clear, 1 where another fits as well.
    turned
        (n,) by how many quarters, counter-clockwise, a card must be turned to lie like most.
    evened
        (n, rows, WIDTH, 3) RGB of the cards as if under one lamp.
    looks
        (5, 24, 24, 3) mean look of each kind, in Lab.
    """

    places: Array
    radius: float
    has_symbols: NDArray[np.bool_]
    odd: NDArray[np.bool_]
    kinds: NDArray[np.intp]
    doubt: Array
    turned: NDArray[np.intp]
    evened: Floats
    looks: Floats

    def upright(self, i: int) -> tuple[NDArray[np.intp], Array]:
        """(16,) kinds and (16,) doubts of a card's symbols, in the order in which they stand once it is turned."""
        back = -QUARTER * int(self.turned[i])
        return np.roll(self.kinds[i], back), np.roll(self.doubt[i], back)


def upright(face: NDArray[Any], quarters: int) -> NDArray[Any]:
    """A card's picture turned by quarters, counter-clockwise."""
    return np.ascontiguousarray(np.rot90(face, quarters))


def at_width(faces: Sequence[NDArray[np.uint8]]) -> Floats:
    """(n, rows, WIDTH, 3) RGB 0..255 of faces of one size."""
    h = round(WIDTH * faces[0].shape[0] / faces[0].shape[1])
    return np.stack([cv2.resize(f, (WIDTH, h), interpolation=cv2.INTER_AREA) for f in faces]).astype(np.float32)


def as_lab(rgb: NDArray[np.float32]) -> Floats:
    """(n, rows, columns, 3) Lab of RGB 0..255."""
    return np.stack([cv2.cvtColor(np.clip(f / np.float32(255), 0, 1), cv2.COLOR_RGB2Lab) for f in rgb])


def read_ring(rgb: Floats, photos: Sequence[int], layouts: NDArray[np.bool_] | None = None) -> Ring | None:
    """Read the symbols of all cards (n, rows, WIDTH, 3) of photos (n,); None where too few have symbols.

    `layouts`, (n,), tells cards of two layouts apart where that is known: those of one of them have symbols.
    """
    n, photo = len(rgb), np.asarray(photos, np.intp)
    usual = np.median(rgb.reshape(n, -1, 3), axis=1)
    evened = np.asarray(rgb * (np.median(usual, 0) / np.maximum(usual, 4))[:, None, None], np.float32)
    places, pitch = _places(as_lab(evened))
    evened = in_one_light(rgb, places, _REACH * pitch)
    radius = _reach(as_lab(evened), places, pitch)
    evened = in_one_light(rgb, places, radius)
    patches = _patches(as_lab(evened), places, radius)
    ways = (0, 1, 2, 3) if rgb.shape[1] == rgb.shape[2] else (0, 2)
    flat = patches[..., :3].reshape(n * SYMBOLS, PATCH, PATCH, 3)
    with_symbols = _with_symbols(flat, n) if layouts is None else _with_more(layouts, flat)
    if with_symbols.sum() < KINDS:
        return None
    for _ in range(_ROUNDS):
        found = sorted_into_kinds(patches[with_symbols], ways, photo[with_symbols])
        # a card without symbols fits no kind better than another
        for _ in range(_RELIT):
            costs = all_ways(patches, _looks_on(found, photo), found.sharp, ways, photo)
            fit = np.sort(costs, 3)
            way = fit[..., 0].sum(2).argmin(0)
            cost = np.stack([np.roll(c, QUARTER * q, 1) for c, q in zip(costs, ways, strict=True)])[way, np.arange(n)]
            ordered = np.sort(cost, 2)
            doubt = ordered[..., 0] / np.maximum(ordered[..., 1], 1e-6)
            evened = in_the_light_of(evened, places, radius, cost.argmin(2), doubt, with_symbols)
            off = off_places(patches, _looks_on(found, photo), found.sharp, photo, np.asarray(ways)[way])
            evened = np.where(with_symbols[:, None, None, None], _in_place(evened, places, 2 * radius * off), evened)
            patches = _patches(as_lab(evened), places, radius)
            found = settled(patches[with_symbols], cost.argmin(2)[with_symbols], ways, photo[with_symbols])
        costs = all_ways(patches, _looks_on(found, photo), found.sharp, ways, photo)
        best = np.sort(costs, 3)
        ratio = np.median(best[..., 0] / np.maximum(best[..., 1], 1e-6), axis=2).min(0)
        names = costs.argmin(3)
        alike = np.max([(names == k).sum(2).min(0) for k in range(KINDS)], axis=0)
        misfit = np.median(best[..., 0], axis=2).min(0)
        typical = float(np.median(misfit[with_symbols]))
        mixed = (ratio < _MIXED[0]) & (alike <= _MIXED[1] * SYMBOLS)
        clear = (ratio < _CLEAR) & (alike < _ALIKE * SYMBOLS) & ((misfit < _STRANGE * typical) | mixed)
        if layouts is not None or (clear == with_symbols).all() or clear.sum() < KINDS:
            break
        with_symbols = clear
    else:
        found = settled(patches[with_symbols], cost.argmin(2)[with_symbols], ways, photo[with_symbols])
    odd = ~with_symbols & _unlike(misfit, alike, ~with_symbols) & (layouts is None)
    out_kinds = np.where(odd[:, None], cost.argmin(2), -1)
    out_doubt = np.where(odd[:, None], np.ones((n, SYMBOLS)), 0)
    out_turned = np.where(odd, np.asarray(ways)[way], 0)
    out_kinds[with_symbols], out_doubt[with_symbols], out_turned[with_symbols] = found.kinds, found.doubt, found.turned
    return Ring(places, radius, with_symbols, odd, out_kinds, out_doubt, out_turned, evened, found.looks[..., :3])


def _in_place(rgb: Floats, places: Array, off: Array) -> Floats:
    """The cards (n, rows, columns, 3), moved so that symbols that stand so far off (n, 16, 2) stand at their places."""
    h, w = rgb.shape[1:3]
    A = np.c_[np.ones(len(places)), (places - [w / 2, h / 2]) / w]
    hold = np.diag([0.0, _HELD, _HELD])
    out = np.empty_like(rgb)
    for i, one in enumerate(off):
        weight = np.ones(len(A))
        for _ in range(_FITS):
            fit = np.linalg.solve((A * weight[:, None]).T @ A + hold, (A * weight[:, None]).T @ one)
            miss = np.linalg.norm(one - A @ fit, axis=1)
            weight = 1 / (1 + (miss / max(float(np.median(miss)), _LEAST_PX)) ** 2)
        # where a pixel of the mended picture lies in the one that is there
        across = np.eye(2) + fit[1:].T / w
        whole = np.c_[across, fit[0] - fit[1:].T @ [0.5, 0.5 * h / w]]
        out[i] = cv2.warpAffine(
            rgb[i], whole, (w, h), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        )
    return out


def _looks_on(found: Sorted, photo: NDArray[np.intp]) -> Floats:
    """(photos, 5, 24, 24, 4) looks of the kinds on each photo, also on those that show no symbols."""
    more = int(photo.max()) + 1 - len(found.shown)
    return np.concatenate([found.shown, np.repeat(found.looks[None], more, 0)]) if more > 0 else found.shown


def _unlike(misfit: Array, alike: NDArray[np.intp], plain: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) which cards are unlike most of those without symbols, whose places all show the same."""
    if not plain.any():
        return plain
    usual = float(np.median(misfit[plain]))
    return np.asarray((alike < _ALIKE * SYMBOLS) | (misfit > _UNLIKE * usual) | (misfit * _UNLIKE < usual))


def _places(lab: Floats) -> tuple[Array, float]:
    """(16, 2) where the symbols stand, clockwise from the top left, and how far apart they are."""
    h, w = lab.shape[1:3]
    both = np.concatenate([lab, lab[:, ::-1, ::-1]])
    soft = np.stack([cv2.GaussianBlur(f, (0, 0), 0.012 * w) for f in both])
    spread = np.abs(soft - np.median(soft, 0)).mean(0) @ np.array([_LIGHTNESS, 1, 1], np.float32)
    spread = cv2.GaussianBlur(spread, (0, 0), 0.03 * w)
    best: tuple[float, Array, float] | None = None
    for columns in _COLUMNS:
        rows = SYMBOLS // 2 + 2 - columns
        for ex in _INSETS:
            for ey in _INSETS:
                ring, between = _ring(columns, rows, ex * w, ey * w, (w, h))
                if ring is None:
                    continue
                at, gap = (
                    spread[
                        np.clip(np.round(p[:, 1]).astype(int), 0, h - 1),
                        np.clip(np.round(p[:, 0]).astype(int), 0, w - 1),
                    ]
                    for p in (ring, between)
                )
                score = float((np.sort(at)[:8].mean() + at.mean()) / 2 - gap.mean())
                if best is None or score > best[0]:
                    pitch = float(np.hypot(*np.diff(ring, axis=0).T).min())
                    best = (score, ring, pitch)
    assert best is not None
    return best[1], best[2]


def _reach(lab: Floats, places: Array, pitch: float) -> float:
    """How far the symbols reach from their middles: beyond, cards differ no more, whatever their middles show."""
    spread = np.abs(lab - np.median(lab, 0)).mean(0) @ np.array([_LIGHTNESS, 1, 1], np.float32)
    most = round(_REACH * pitch)
    u = np.arange(-most, most + 1)
    r = np.hypot(*np.meshgrid(u, u))
    around = []
    for x, y in places:
        gx, gy = np.meshgrid((x + u).astype(np.float32), (y + u).astype(np.float32))
        around.append(cv2.remap(spread, gx, gy, cv2.INTER_LINEAR))
    typical = np.median(around, 0)
    profile = np.array([np.median(typical[(r >= k) & (r < k + 1)]) for k in range(most)])
    low = float(profile.min())
    ends = low + _SPREADS * (float(profile.max()) - low)
    last = int(np.nonzero(profile[: int(profile.argmax()) + 1] >= ends)[0].max())
    while last + 1 < most and profile[last + 1] >= ends:
        last += 1
    return float(np.clip(_MARGIN * (last + 1), _LEAST_REACH * pitch, _REACH * pitch))


def _ring(columns: int, rows: int, ex: float, ey: float, size: tuple[int, int]) -> tuple[Array | None, Array]:
    """Places of a ring clockwise, and the middles between neighbours; None where they would overlap."""
    w, h = size
    xs, ys = np.linspace(ex, w - 1 - ex, columns), np.linspace(ey, h - 1 - ey, rows)
    top = [(x, ys[0]) for x in xs]
    right = [(xs[-1], y) for y in ys[1:]]
    bottom = [(x, ys[-1]) for x in xs[-2::-1]]
    left = [(xs[0], y) for y in ys[-2:0:-1]]
    ring = np.array(top + right + bottom + left)
    steps = np.hypot(*(np.roll(ring, -1, 0) - ring).T)
    if steps.min() < 0.45 * steps.max():
        return None, ring
    return ring, (ring + np.roll(ring, -1, 0)) / 2


def _patches(lab: Floats, places: Array, radius: float) -> Floats:
    """(n, 16, 24, 24, 4) what stands at each place: Lab, and its shape as it is in any light."""
    u = (np.arange(PATCH) - (PATCH - 1) / 2) / ((PATCH - 1) / 2) * radius
    out = np.empty((len(lab), len(places), PATCH, PATCH, 3), np.float32)
    for k, (x, y) in enumerate(places):
        gx, gy = np.meshgrid((x + u).astype(np.float32), (y + u).astype(np.float32))
        for i, face in enumerate(lab):
            out[i, k] = cv2.remap(face, gx, gy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    out *= np.array([_LIGHTNESS, 1, 1], np.float32)
    return np.concatenate([out, _shapes(out)[..., None]], 4)


def _shapes(patches: Floats) -> Floats:
    """(n, 16, 24, 24) where a symbol differs from its ground, as strong on pale symbols as on others."""
    u = np.linspace(-1, 1, PATCH)
    r = np.hypot(*np.meshgrid(u, u))
    ground = np.median(patches[:, :, (r > _GROUND[0]) & (r < _GROUND[1])], axis=2)[:, :, None, None]
    ink = np.linalg.norm(patches - ground, axis=4) * (r < _WITHIN)
    ink = np.stack([[cv2.GaussianBlur(one.astype(np.float32), (0, 0), _SOFT) for one in card] for card in ink])
    strength = np.sqrt((ink[:, :, r < _WITHIN] ** 2).mean(2))[:, :, None, None]
    return np.asarray(_SHAPE * ink / (strength + _NOISE), np.float32)


def _variety(flat: Floats, n: int) -> Array:
    """(n,) logarithm of how much the places of each card differ."""
    features = round_features(flat).reshape(n, SYMBOLS, -1)
    features = features - features.mean(0)
    apart = np.linalg.norm(features[:, :, None] - features[:, None], axis=3)
    return np.asarray(np.log(np.median(apart.reshape(n, -1), axis=1) + 1e-3))


def _with_more(layouts: NDArray[np.bool_], flat: Floats) -> NDArray[np.bool_]:
    """(n,) the cards of that layout that has the symbols: of which there are far more, or else more varied ones."""
    many = float(layouts.mean())
    if max(many, 1 - many) > _MOST_CARDS:
        return layouts if many > 0.5 else ~layouts
    variety = _variety(flat, len(layouts))
    return layouts if np.median(variety[layouts]) > np.median(variety[~layouts]) else ~layouts


def _with_symbols(flat: Floats, n: int) -> NDArray[np.bool_]:
    """(n,) which cards have symbols: on the others all places look alike."""
    variety = _variety(flat, n)
    order = np.sort(variety)
    # two groups far apart, the smaller spread of each far less than what lies between
    best: tuple[float, float] | None = None
    for i in range(1, n):
        low, high = order[:i], order[i:]
        within = low.var() * i + high.var() * (n - i)
        if best is None or within < best[0]:
            best = (float(within), float((low.mean() + high.mean()) / 2))
            gap = float(high.mean() - low.mean())
    if best is None or gap < _VARIED:
        return np.ones(n, bool)
    return np.asarray(variety > best[1])
