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
    """Kinds and doubts (n, 16), how often cards are turned by a quarter, looks of kinds and what tells them apart."""

    kinds: NDArray[np.intp]
    doubt: Array
    turned: NDArray[np.intp]
    looks: Floats
    sharp: Floats


def sorted_into_kinds(patches: Floats, ways: Sequence[int]) -> Sorted:
    """Sort the symbols into kinds: from several first guesses, and the clearest result is taken."""
    n = len(patches)
    features = round_features(patches.reshape(-1, PATCH, PATCH, 3)).reshape(n, SYMBOLS, -1)
    features = (features - features.mean(0)).reshape(n * SYMBOLS, -1)
    inner = features[:, : features.shape[1] * 2 // 3]
    tried = [
        settled(patches, first.reshape(n, SYMBOLS), ways)
        for first in (
            grouped_into_five(features),
            grouped_into_five(inner),
            _grouped(inner, KINDS),
            _grouped(features, KINDS),
        )
    ]
    return min(tried, key=lambda t: float(t.doubt.mean()))


def settled(patches: Floats, kinds: NDArray[np.intp], ways: Sequence[int]) -> Sorted:
    """The kinds (n, 16) settled: looks of kinds, ways the cards lie and kinds, each from the others by turns."""
    n = len(patches)
    every_way = np.stack([_turned(patches, q) for q in ways])  # way round, card, place
    way = np.zeros(n, np.intp)
    every = np.arange(n)
    for turn in range(_TURNS):
        laid = every_way[way, every]
        names = np.stack([np.roll(kinds, -QUARTER * q, 1) for q in ways])[way, every]
        looks, sharp = _looks(laid, names)
        costs = np.stack([_costs(p, looks, sharp) for p in every_way])
        if turn:
            way = costs.min(3).sum(2).argmin(0)
        cost = costs[way, every]
        back = np.stack([np.roll(cost, QUARTER * q, 1) for q in ways])[way, every]
        before, kinds = kinds, back.argmin(2)
        if turn > 1 and (kinds == before).all():
            break
    ordered = np.sort(back, 2)
    doubt = ordered[..., 0] / np.maximum(ordered[..., 1], 1e-6)
    return Sorted(kinds, doubt, np.asarray(ways, np.intp)[way], looks, sharp)


def _turned(patches: Floats, quarters: int) -> Floats:
    """The same cards turned by quarters, counter-clockwise."""
    return np.asarray(np.rot90(np.roll(patches, -QUARTER * quarters, 1), quarters, (2, 3)))


def _looks(laid: Floats, names: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(5, 24, 24, 3) mean look of each kind, and (24, 24, 1) how well each sample tells the kinds apart."""
    u = np.linspace(-1, 1, PATCH)
    disc = (np.hypot(*np.meshgrid(u, u)) < 0.9).astype(np.float32)
    looks = np.stack([laid[names == k].mean(0) if (names == k).any() else laid.mean((0, 1)) for k in range(KINDS)])
    within = np.mean([laid[names == k].var(0) for k in range(KINDS) if (names == k).any()], axis=0).sum(2)
    between = looks.var(0).sum(2)
    sharp = between / (within + 0.1 * float(within.mean()) + 1.0)
    sharp = np.mean([np.rot90(np.sqrt(sharp), k) for k in range(4)], axis=0) * disc
    return np.asarray(looks, np.float32), np.asarray(sharp / sharp.mean(), np.float32)[..., None]


def all_ways(patches: Floats, looks: Floats, sharp: Floats, ways: Sequence[int]) -> Array:
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
    return np.asarray((out / PATCH**2).reshape(n, places, -1))
