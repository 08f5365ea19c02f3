"""Sorting symbols that nobody has described into five kinds, by how they look: those of one kind look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

KINDS = 5
SYMBOLS = 16
QUARTER = SYMBOLS // 4
"""Symbols on a quarter of a card's ring."""
PATCH = 24
"""Rows and columns of the picture of one symbol."""

_TURNS = 6
_TURNED_COST = 1.15
_SMALL_GROUPS = 14
_ENOUGH = 6  # cards of a photo that may show all kinds
_FEW = 30.0  # symbols of a kind on a photo that tell its looks there as well as those on all others do
_STRAY = 4  # samples of a patch by which a symbol may stand beside its place
_SHIFTS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))  # samples by which a symbol is tried beside its place
_MORE_SHIFTS = tuple((x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x) + abs(y) <= 3)
_HOLD = 4.0  # how far looks must spread to tell a contrast, in grey levels squared


def round_features(flat: Floats) -> Floats:
    """(m, d) what a patch looks like however it is turned: mean and spread of its colour, ring by ring."""
    u = np.linspace(-1, 1, PATCH)
    r = np.hypot(*np.meshgrid(u, u))
    parts = []
    for a, b in ((0, 0.3), (0.3, 0.55), (0.55, 0.8)):
        inside = flat[:, (r >= a) & (r < b)]
        weight = np.sqrt(((r >= a) & (r < b)).mean())
        parts += [inside.mean(1) * weight * 2, inside.std(1) * weight]
    return np.concatenate(parts, 1)


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
class Sorted:
    """Symbols of cards sorted into kinds.

    Parameters
    ----------
    kinds, doubt
        (n, 16) number of each one's kind, and 0 where that is clear, 1 where another fits as well.
    turned
        (n,) by how many quarters, counter-clockwise, a card must be turned to lie like most.
    looks
        (5, 24, 24, channels) how each kind looks.
    shown
        (photos, 5, 24, 24, channels) how each kind looks in the light of each photo.
    sharp
        (24, 24, 1) how well each sample tells the kinds apart.
    """

    kinds: NDArray[np.intp]
    doubt: Array
    turned: NDArray[np.intp]
    looks: Floats
    shown: Floats
    sharp: Floats


def sorted_into_kinds(patches: Floats, ways: Sequence[int], photos: NDArray[np.intp]) -> Sorted:
    """Sort the symbols into kinds: from several first guesses, and the result is taken whose kinds scatter least.

    Parameters
    ----------
    patches
        (n, 16, 24, 24, channels) what stands at each place of each card.
    ways
        By how many quarters a card may be turned.
    photos
        (n,) number of the photo of each card, each taken under a lamp of its own.
    """
    n = len(patches)
    features = _featured(patches)
    inner = features[:, : features.shape[1] * 2 // 3]
    firsts = [
        grouped_into_five(features),
        grouped_into_five(inner),
        _grouped(inner, KINDS),
        _grouped(features, KINDS),
    ]
    tried = [settled(patches, first.reshape(n, SYMBOLS), ways, photos) for first in firsts]
    alone = _clearest_alone(patches, ways, photos)
    if alone is not None:
        # what is told apart in one light tells what to look for in another
        costs = all_ways(patches, alone.looks, alone.sharp, ways)
        way = costs.min(3).sum(2).argmin(0)
        first = _back(costs, way, ways).argmin(2)
        tried.append(settled(patches, first, ways, photos, way))
    return min(tried, key=lambda t: _scatter(patches, t, photos))


def _scatter(patches: Floats, found: Sorted, photos: NDArray[np.intp]) -> float:
    """How far the symbols are from the looks of their kinds, in grey levels squared."""
    laid = np.stack([_turned(p[None], int(q))[0] for p, q in zip(patches, found.turned, strict=True)])
    names = np.stack([np.roll(k, -QUARTER * int(q)) for k, q in zip(found.kinds, found.turned, strict=True)])
    looks = found.shown[photos[:, None], names]
    inside = _disc()[..., None]
    off = [(((laid - np.roll(looks, (dy, dx), (2, 3))) ** 2) * inside).sum((2, 3, 4)) for dx, dy in _SHIFTS]
    return float(np.min(off, axis=0).mean())


def _featured(patches: Floats) -> Floats:
    n = len(patches)
    features = round_features(patches.reshape(-1, *patches.shape[2:])).reshape(n, SYMBOLS, -1)
    return np.asarray((features - features.mean(0)).reshape(n * SYMBOLS, -1))


def _clearest_alone(patches: Floats, ways: Sequence[int], photos: NDArray[np.intp]) -> Sorted | None:
    """The symbols of that photo whose cards are sorted most clearly by themselves; None where no photo shows enough."""
    tried = []
    for p in np.unique(photos):
        mine = patches[photos == p]
        if _ENOUGH <= len(mine) < len(patches):
            first = grouped_into_five(_featured(mine)).reshape(len(mine), SYMBOLS)
            tried.append(settled(mine, first, ways, np.zeros(len(mine), np.intp)))
    return min(tried, key=lambda t: float(t.doubt.mean()), default=None)


def settled(
    patches: Floats,
    kinds: NDArray[np.intp],
    ways: Sequence[int],
    photos: NDArray[np.intp],
    way: NDArray[np.intp] | None = None,
) -> Sorted:
    """The kinds (n, 16) settled: looks of kinds, ways the cards lie and kinds, each from the others by turns."""
    n = len(patches)
    every_way = np.stack([_turned(patches, q) for q in ways])  # way round, card, place
    known = way is not None
    way = np.zeros(n, np.intp) if way is None else way
    every = np.arange(n)
    for turn in range(_TURNS):
        laid = every_way[way, every]
        names = np.stack([np.roll(kinds, -QUARTER * q, 1) for q in ways])[way, every]
        looks, sharp = _looks(laid, names)
        shown = _in_each_light(laid, names, looks, photos)
        costs = np.stack([_costs_in_each(p, shown, sharp, photos) for p in every_way])
        if turn or known:
            way = costs.min(3).sum(2).argmin(0)
        back = _back(costs, way, ways)
        before, kinds = kinds, back.argmin(2)
        if turn > 1 and (kinds == before).all():
            break
    ordered = np.sort(back, 2)
    doubt = ordered[..., 0] / np.maximum(ordered[..., 1], 1e-6)
    return Sorted(kinds, doubt, np.asarray(ways, np.intp)[way], looks, shown, sharp)


def _back(costs: Array, way: NDArray[np.intp], ways: Sequence[int]) -> Array:
    """(n, 16, kinds) costs of the cards as they lie, from those of the cards turned each way."""
    cost = costs[way, np.arange(costs.shape[1])]
    return np.stack([np.roll(cost, QUARTER * q, 1) for q in ways])[way, np.arange(costs.shape[1])]


def _in_each_light(laid: Floats, names: NDArray[np.intp], looks: Floats, photos: NDArray[np.intp]) -> Floats:
    """(photos, 5, 24, 24, channels) looks of the kinds on each photo: as it shows them, or as its light would."""
    out = np.repeat(looks[None], int(photos.max()) + 1, 0)
    inside = _disc()
    for p in np.unique(photos):
        mine, named = laid[photos == p], names[photos == p]
        count = np.bincount(named.ravel(), minlength=KINDS).astype(np.float32)
        own = np.stack([mine[named == k].mean(0) if count[k] else looks[k] for k in range(KINDS)])
        lit = np.empty_like(looks)
        weight = np.repeat(count / count.sum(), int(inside.sum()))
        for c in range(looks.shape[3]):
            x, y = looks[..., c][:, inside].ravel(), own[..., c][:, inside].ravel()
            mx, my = np.average(x, weights=weight), np.average(y, weights=weight)
            hold = _HOLD * inside.sum()
            gain = ((weight * (x - mx) * (y - my)).sum() + hold) / ((weight * (x - mx) ** 2).sum() + hold)
            lit[..., c] = my + gain * (looks[..., c] - mx)
        share = (count / (count + _FEW))[:, None, None, None]
        out[p] = share * own + (1 - share) * lit
    return np.asarray(out, np.float32)


def _disc() -> NDArray[np.bool_]:
    u = np.linspace(-1, 1, PATCH)
    return np.asarray(np.hypot(*np.meshgrid(u, u)) < 0.9)


def _costs_in_each(patches: Floats, shown: Floats, sharp: Floats, photos: NDArray[np.intp]) -> Array:
    """(n, 16, kinds) how badly each kind fits each patch in the light of its photo."""
    out = np.empty((*patches.shape[:2], shown.shape[1]))
    for p in np.unique(photos):
        out[photos == p] = _costs(patches[photos == p], shown[p], sharp)
    return out


def _turned(patches: Floats, quarters: int) -> Floats:
    """The same cards turned by quarters, counter-clockwise."""
    return np.asarray(np.rot90(np.roll(patches, -QUARTER * quarters, 1), quarters, (2, 3)))


def _looks(laid: Floats, names: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(5, 24, 24, channels) mean look of each kind, and (24, 24, 1) how well each sample tells the kinds apart."""
    disc = _disc().astype(np.float32)
    looks = np.stack([laid[names == k].mean(0) if (names == k).any() else laid.mean((0, 1)) for k in range(KINDS)])
    within = np.mean([laid[names == k].var(0) for k in range(KINDS) if (names == k).any()], axis=0).sum(2)
    between = looks.var(0).sum(2)
    sharp = between / (within + 0.1 * float(within.mean()) + 1.0)
    sharp = np.mean([np.rot90(np.sqrt(sharp), k) for k in range(4)], axis=0) * disc
    return np.asarray(looks, np.float32), np.asarray(sharp / sharp.mean(), np.float32)[..., None]


def all_ways(
    patches: Floats, looks: Floats, sharp: Floats, ways: Sequence[int], photos: NDArray[np.intp] | None = None
) -> Array:
    """(ways, n, 16, kinds) costs of the cards turned each way; with `photos` each has looks of its own."""
    if photos is None:
        return np.stack([_costs(_turned(patches, q), looks, sharp) for q in ways])
    return np.stack([_costs_in_each(_turned(patches, q), looks, sharp, photos) for q in ways])


def off_places(
    patches: Floats, shown: Floats, sharp: Floats, photos: NDArray[np.intp], turned: NDArray[np.intp]
) -> Array:
    """(n, 16, 2) how far right and down of its place each symbol stands, as a share of the patches' width."""
    laid = np.stack([_turned(p[None], int(q))[0] for p, q in zip(patches, turned, strict=True)])
    inner = slice(_STRAY, PATCH - _STRAY)
    root = np.sqrt(sharp)[inner, inner]
    best = np.full(laid.shape[:2], np.inf)
    out = np.zeros((*laid.shape[:2], 2))
    for dy in range(-_STRAY, _STRAY + 1):
        for dx in range(-_STRAY, _STRAY + 1):
            there = laid[:, :, inner.start + dy : inner.stop + dy, inner.start + dx : inner.stop + dx] * root
            a = there.reshape(*laid.shape[:2], -1)
            for p in np.unique(photos):
                mine = photos == p
                b = (shown[p][:, inner, inner] * root).reshape(KINDS, -1)
                d = ((a[mine] ** 2).sum(2)[..., None] - 2 * a[mine] @ b.T + (b * b).sum(1)).min(2)
                better = d < best[mine]
                best[mine] = np.where(better, d, best[mine])
                out[mine] = np.where(better[..., None], [dx, dy], out[mine])
    for i, q in enumerate(turned):
        for _ in range(int(q)):
            out[i] = np.stack([-out[i, :, 1], out[i, :, 0]], 1)
        out[i] = np.roll(out[i], QUARTER * int(q), 0)
    return np.asarray(out / PATCH)


def _costs(patches: Floats, looks: Floats, sharp: Floats) -> Array:
    """(n, 16, kinds) how badly each look fits each patch, shifted a little and turned by quarters."""
    n, places = patches.shape[:2]
    root = np.sqrt(sharp)
    a = (patches * root).reshape(n * places, -1)
    own = (a * a).sum(1)[:, None]
    out = np.full((n * places, len(looks)), np.inf)
    for quarter in range(4):
        turned = np.rot90(looks, quarter, (1, 2))
        for dx, dy in _SHIFTS if quarter else _MORE_SHIFTS:
            b = (np.roll(turned, (dy, dx), (1, 2)) * root).reshape(len(looks), -1)
            d = own - 2 * a @ b.T + (b * b).sum(1)[None]
            # a quarter turn is possible, not likely
            out = np.minimum(out, d * (_TURNED_COST if quarter else 1.0))
    return np.asarray((out / PATCH**2).reshape(n, places, -1))
