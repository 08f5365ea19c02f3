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

from calibration.capture_evened import in_one_light, in_the_light_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

WIDTH = 160
"""Columns of the pictures in which symbols are read."""
KINDS = 5
SYMBOLS = 16
_QUARTER = SYMBOLS // 4

_PATCH = 24
_INSETS = np.arange(0.07, 0.24, 0.01)  # of the card's width: how far the outer symbols may be from its rim
_COLUMNS = (3, 4, 5, 6, 7)
_REACH = 0.52  # of the distance between two places: how far a symbol reaches from its middle
_VARIED = 0.5  # logarithm of how much more the places of cards with symbols differ than those of cards without
_ALIKE = 0.75  # share of equal kinds from which what is seen is no symbol
_UNLIKE = 1.5  # times the usual misfit of cards without symbols
_MIXED = (0.5, 0.6)  # ... and share of equal kinds, below which symbols are sure to be symbols
_STRANGE = 6.0  # times the usual misfit: what fits worse shows something else
_TURNS = 6
_ROUNDS, _RELIT = 3, 2
_TURNED_COST = 1.15
_CLEAR = 0.7  # share of the next best kind's misfit below which half of a card's symbols must be
_SMALL_GROUPS = 14
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


def read_ring(rgb: Floats) -> Ring | None:
    """Read the symbols of all cards (n, rows, WIDTH, 3); None where too few have symbols."""
    n = len(rgb)
    usual = np.median(rgb.reshape(n, -1, 3), axis=1)
    evened = np.asarray(rgb * (np.median(usual, 0) / np.maximum(usual, 4))[:, None, None], np.float32)
    places, pitch = _places(as_lab(evened))
    radius = _REACH * pitch
    evened = in_one_light(rgb, places, radius)
    patches = _patches(as_lab(evened), places, radius)
    ways = (0, 1, 2, 3) if rgb.shape[1] == rgb.shape[2] else (0, 2)
    flat = patches.reshape(n * SYMBOLS, _PATCH, _PATCH, 3)
    with_symbols = _with_symbols(flat, n)
    if with_symbols.sum() < KINDS:
        return None
    for _ in range(_ROUNDS):
        found = _sorted(patches[with_symbols], ways)
        # a card without symbols fits no kind better than another
        for _ in range(_RELIT):
            costs = _all_ways(patches, found.looks, found.sharp, ways)
            fit = np.sort(costs, 3)
            way = fit[..., 0].sum(2).argmin(0)
            cost = np.stack([np.roll(c, _QUARTER * q, 1) for c, q in zip(costs, ways, strict=True)])[way, np.arange(n)]
            ordered = np.sort(cost, 2)
            doubt = ordered[..., 0] / np.maximum(ordered[..., 1], 1e-6)
            evened = in_the_light_of(evened, places, radius, cost.argmin(2), doubt, with_symbols)
            patches = _patches(as_lab(evened), places, radius)
            found = _settled(patches[with_symbols], cost.argmin(2)[with_symbols], ways)
        costs = _all_ways(patches, found.looks, found.sharp, ways)
        best = np.sort(costs, 3)
        ratio = np.median(best[..., 0] / np.maximum(best[..., 1], 1e-6), axis=2).min(0)
        names = costs.argmin(3)
        alike = np.max([(names == k).sum(2).min(0) for k in range(KINDS)], axis=0)
        misfit = np.median(best[..., 0], axis=2).min(0)
        typical = float(np.median(misfit[with_symbols]))
        mixed = (ratio < _MIXED[0]) & (alike <= _MIXED[1] * SYMBOLS)
        clear = (ratio < _CLEAR) & (alike < _ALIKE * SYMBOLS) & ((misfit < _STRANGE * typical) | mixed)
        if (clear == with_symbols).all() or clear.sum() < KINDS:
            break
        with_symbols = clear
    else:
        found = _settled(patches[with_symbols], cost.argmin(2)[with_symbols], ways)
    odd = ~with_symbols & _unlike(misfit, alike, ~with_symbols)
    out_kinds = np.where(odd[:, None], cost.argmin(2), -1)
    out_doubt = np.where(odd[:, None], np.ones((n, SYMBOLS)), 0)
    out_turned = np.where(odd, np.asarray(ways)[way], 0)
    out_kinds[with_symbols], out_doubt[with_symbols], out_turned[with_symbols] = found.kinds, found.doubt, found.turned
    return Ring(places, radius, with_symbols, odd, out_kinds, out_doubt, out_turned, evened, found.looks)


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
    """(n, 16, 24, 24, 3) what stands at each place."""
    u = (np.arange(_PATCH) - (_PATCH - 1) / 2) / ((_PATCH - 1) / 2) * radius
    out = np.empty((len(lab), len(places), _PATCH, _PATCH, 3), np.float32)
    for k, (x, y) in enumerate(places):
        gx, gy = np.meshgrid((x + u).astype(np.float32), (y + u).astype(np.float32))
        for i, face in enumerate(lab):
            out[i, k] = cv2.remap(face, gx, gy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return out * np.array([_LIGHTNESS, 1, 1], np.float32)


def _round_features(flat: Floats) -> Floats:
    """(m, d) what a patch looks like however it is turned: mean and spread of its colour, ring by ring."""
    u = np.linspace(-1, 1, _PATCH)
    r = np.hypot(*np.meshgrid(u, u))
    parts = []
    for a, b in ((0, 0.3), (0.3, 0.55), (0.55, 0.8)):
        inside = flat[:, (r >= a) & (r < b)]
        weight = np.sqrt(((r >= a) & (r < b)).mean())
        parts += [inside.mean(1) * weight * 2, inside.std(1) * weight]
    return np.concatenate(parts, 1)


def _with_symbols(flat: Floats, n: int) -> NDArray[np.bool_]:
    """(n,) which cards have symbols: on the others all places look alike."""
    features = _round_features(flat).reshape(n, SYMBOLS, -1)
    features = features - features.mean(0)
    apart = np.linalg.norm(features[:, :, None] - features[:, None], axis=3)
    variety = np.log(np.median(apart.reshape(n, -1), axis=1) + 1e-3)
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


def _grouped(features: Floats, groups: int) -> NDArray[np.intp]:
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 60, 1e-3)
    _, labels, _ = cv2.kmeans(
        features.astype(np.float32), groups, np.zeros((len(features), 1), np.int32), stop, 30, cv2.KMEANS_PP_CENTERS
    )
    return np.asarray(labels[:, 0], np.intp)


def grouped_into_five(features: Floats) -> NDArray[np.intp]:
    """Five groups: many small ones, joined by twos until five are left."""
    groups = min(_SMALL_GROUPS, len(features))
    small = _grouped(features, groups)
    count = np.bincount(small, minlength=groups).astype(float)
    middle = np.stack([features[small == k].mean(0) for k in range(groups)])
    label = np.arange(groups)
    alive = list(range(groups))
    while len(alive) > KINDS:
        # the pair whose union scatters least more (Ward)
        _, a, b = min(
            (count[a] * count[b] / (count[a] + count[b]) * float(((middle[a] - middle[b]) ** 2).sum()), a, b)
            for i, a in enumerate(alive)
            for b in alive[i + 1 :]
        )
        middle[a] = (count[a] * middle[a] + count[b] * middle[b]) / (count[a] + count[b])
        count[a] += count[b]
        label[label == b] = a
        alive.remove(b)
    names = {k: i for i, k in enumerate(alive)}
    return np.array([names[int(label[k])] for k in small], np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Kinds and doubts (n, 16), quarters by which cards are turned, looks of the kinds and what tells them apart."""

    kinds: NDArray[np.intp]
    doubt: Array
    turned: NDArray[np.intp]
    looks: Floats
    sharp: Floats


def _sorted(patches: Floats, ways: Sequence[int]) -> _Sorted:
    """Sort the symbols into kinds: from several first guesses, and the clearest result is taken."""
    n = len(patches)
    features = _round_features(patches.reshape(-1, _PATCH, _PATCH, 3)).reshape(n, SYMBOLS, -1)
    features = (features - features.mean(0)).reshape(n * SYMBOLS, -1)
    inner = features[:, : features.shape[1] * 2 // 3]
    tried = [
        _settled(patches, first.reshape(n, SYMBOLS), ways)
        for first in (
            grouped_into_five(features),
            grouped_into_five(inner),
            _grouped(inner, KINDS),
            _grouped(features, KINDS),
        )
    ]
    return min(tried, key=lambda t: float(t.doubt.mean()))


def _settled(patches: Floats, kinds: NDArray[np.intp], ways: Sequence[int]) -> _Sorted:
    n = len(patches)
    every_way = np.stack([_turned(patches, q) for q in ways])  # way round, card, place
    way = np.zeros(n, np.intp)
    every = np.arange(n)
    for turn in range(_TURNS):
        laid = every_way[way, every]
        names = np.stack([np.roll(kinds, -_QUARTER * q, 1) for q in ways])[way, every]
        looks, sharp = _looks(laid, names)
        costs = np.stack([_costs(p, looks, sharp) for p in every_way])
        if turn:
            way = costs.min(3).sum(2).argmin(0)
        cost = costs[way, every]
        back = np.stack([np.roll(cost, _QUARTER * q, 1) for q in ways])[way, every]
        before, kinds = kinds, back.argmin(2)
        if turn > 1 and (kinds == before).all():
            break
    ordered = np.sort(back, 2)
    doubt = ordered[..., 0] / np.maximum(ordered[..., 1], 1e-6)
    return _Sorted(kinds, doubt, np.asarray(ways, np.intp)[way], looks, sharp)


def _turned(patches: Floats, quarters: int) -> Floats:
    """The same cards turned by quarters, counter-clockwise."""
    return np.asarray(np.rot90(np.roll(patches, -_QUARTER * quarters, 1), quarters, (2, 3)))


def _looks(laid: Floats, names: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(5, 24, 24, 3) mean look of each kind, and (24, 24, 1) how well each sample tells the kinds apart."""
    u = np.linspace(-1, 1, _PATCH)
    disc = (np.hypot(*np.meshgrid(u, u)) < 0.9).astype(np.float32)
    looks = np.stack([laid[names == k].mean(0) if (names == k).any() else laid.mean((0, 1)) for k in range(KINDS)])
    within = np.mean([laid[names == k].var(0) for k in range(KINDS) if (names == k).any()], axis=0).sum(2)
    between = looks.var(0).sum(2)
    sharp = between / (within + 0.1 * float(within.mean()) + 1.0)
    sharp = np.mean([np.rot90(np.sqrt(sharp), k) for k in range(4)], axis=0) * disc
    return np.asarray(looks, np.float32), np.asarray(sharp / sharp.mean(), np.float32)[..., None]


def _all_ways(patches: Floats, looks: Floats, sharp: Floats, ways: Sequence[int]) -> Array:
    """(ways, n, 16, kinds) costs of the cards turned each way."""
    return np.stack([_costs(_turned(patches, q), looks, sharp) for q in ways])


def _costs(patches: Floats, looks: Floats, sharp: Floats) -> Array:
    """(n, 16, kinds) how badly each look fits each patch, shifted a little and turned by quarters."""
    n, places = patches.shape[:2]
    root = np.sqrt(sharp)
    a = (patches * root).reshape(n * places, -1)
    own = (a * a).sum(1)[:, None]
    out = np.full((n * places, len(looks)), np.inf)
    for quarter in range(4):
        turned = np.rot90(looks, quarter, (1, 2))
        for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            b = (np.roll(turned, (dy, dx), (1, 2)) * root).reshape(len(looks), -1)
            d = own - 2 * a @ b.T + (b * b).sum(1)[None]
            # a quarter turn is possible, not likely
            out = np.minimum(out, d * (_TURNED_COST if quarter else 1.0))
    return np.asarray((out / _PATCH**2).reshape(n, places, -1))
