"""Cards found by what is printed on them, where their outlines cannot be told.

Small distinctive patches (SIFT, Lowe 2004) of the picture are compared with those of the deck's faces. One patch says
little, since symbols repeat; but each that matches tells where the middle of its card would lie, how it is turned
and how large it is, and where many say the same, a card lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import LookSet
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_WORDS = 900  # kinds of patches kept of a deck
_NEAR = 0.75  # how much of the mean distance between kinds a patch may be off its kind
_MOST_PLACES = 40  # a kind that is printed in more places of a card tells nothing
_FINE_ENOUGH = 1.2  # px per mm
_LEAST = 2.2  # votes (each patch has one) that make a guess


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """A card that the patches speak for: outline in px, printed order, and the votes for it."""

    quad_px: Quad
    votes: float


@dataclass(frozen=True, slots=True, eq=False)
class _Vocabulary:
    """Kinds of patches and where on a card each is printed: offset to the middle in mm, direction, size in mm."""

    words: NDArray[np.float32]
    places: tuple[Array, ...]  # per word (n, 4): dx, dy in mm from the patch to the card's middle, angle, size
    reach: float


def _patches(gray: NDArray[np.uint8], mask: NDArray[np.uint8] | None, count: int) -> tuple[Array, NDArray[np.float32]]:
    """Distinctive patches: (n, 4) x, y in px, angle in rad, size in px; and their descriptors (n, 128)."""
    # OpenCV's type information does not know its own SIFT
    sift: Any = cv2.SIFT_create(nfeatures=count, contrastThreshold=0.025)  # type: ignore[attr-defined]
    points, found = sift.detectAndCompute(gray, mask)
    if found is None:
        return np.zeros((0, 4)), np.zeros((0, 128), np.float32)
    return np.array([(p.pt[0], p.pt[1], np.radians(p.angle), p.size) for p in points]), _root(found)


def _root(d: NDArray[np.float32]) -> NDArray[np.float32]:
    """Square roots of normalised descriptors compare better than the descriptors (Arandjelovic and Zisserman, 2012)."""
    return np.asarray(np.sqrt(d / (d.sum(1, keepdims=True) + 1e-6)), np.float32)


@lru_cache(maxsize=16)
def _vocabulary(looks: LookSet) -> _Vocabulary | None:
    w, h = looks.size_mm
    descriptors, where = [], []
    for look in looks.looks:
        if look.kind == "back":
            continue
        scale = look.print.shape[1] / w
        p, found = _patches(look.print, None, 220)
        descriptors.append(found)
        where.append(np.c_[w / 2 - (p[:, 0] + 0.5) / scale, h / 2 - (p[:, 1] + 0.5) / scale, p[:, 2], p[:, 3] / scale])
    if sum(map(len, where)) < 60:
        return None
    d, at = np.concatenate(descriptors), np.concatenate(where)
    k = min(_WORDS, len(d) // 4)
    rng = np.random.default_rng(0)
    words = d[rng.choice(len(d), k, replace=False)]
    for _ in range(4):
        label = np.argmax(d @ words.T - 0.5 * (words**2).sum(1), 1)
        total = np.zeros_like(words)
        np.add.at(total, label, d)
        count = np.bincount(label, minlength=k)
        words = np.where(count[:, None] > 0, total / np.maximum(count, 1)[:, None], words)
    label = np.argmax(d @ words.T - 0.5 * (words**2).sum(1), 1)
    reach = float(np.sqrt(((d - words[label]) ** 2).sum(1)).mean()) / _NEAR
    places = []
    for i in range(k):
        mine = at[label == i]
        # the same spot on many faces is one place
        key = np.round(np.c_[mine[:, :2] / 2.0, mine[:, 2] / 0.3]).astype(int)
        _, first = np.unique(key, axis=0, return_index=True)
        places.append(mine[first])
    return _Vocabulary(np.ascontiguousarray(words, dtype=np.float32), tuple(places), reach)


def guess_by_print(
    rgb: Rgb, looks: LookSet, mask: NDArray[np.uint8] | None = None, px_per_mm: float | None = None, most: int = 40
) -> list[Guess]:
    """Outlines of cards by their print, the best supported first.

    Parameters
    ----------
    rgb
        The picture.
    looks
        The faces to look for.
    mask
        (H, W) nonzero where to look; default everywhere.
    px_per_mm
        Scale of the picture, where it is known: a needlessly fine one is made coarser first.
    most
        How many guesses to return.
    """
    vocabulary = _vocabulary(looks)
    if vocabulary is None:
        return []
    gray = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8)
    shrink = 1.0 if px_per_mm is None else min(1.0, _FINE_ENOUGH / px_per_mm)
    if shrink < 0.9:
        gray = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        if mask is not None:
            mask = np.asarray(cv2.resize(mask, gray.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
    else:
        shrink = 1.0
    points, d = _patches(gray, mask, 5000)
    if len(points) < 10:
        return []
    likeness = d @ vocabulary.words.T - 0.5 * (vocabulary.words**2).sum(1)
    word = np.argmax(likeness, 1)
    far = np.sqrt(np.maximum((d**2).sum(1) - 2 * likeness[np.arange(len(d)), word], 0))
    votes = []
    for i in np.nonzero(far < 1.6 * vocabulary.reach)[0]:
        places = vocabulary.places[word[i]]
        if not 0 < len(places) <= _MOST_PLACES:
            continue
        px, py, angle, size = points[i]
        scale = size / places[:, 3]
        turn = angle - places[:, 2]
        c, s = np.cos(turn), np.sin(turn)
        x = px + scale * (c * places[:, 0] - s * places[:, 1])
        y = py + scale * (s * places[:, 0] + c * places[:, 1])
        votes.append(np.c_[x, y, turn, np.log(scale), np.full(len(places), 1 / len(places)), np.full(len(places), i)])
    if not votes:
        return []
    found = _peaks(np.concatenate(votes), looks, most)
    return [Guess((g.quad_px + 0.5) / shrink - 0.5, g.votes) for g in found]


def _peaks(votes: Array, looks: LookSet, most: int) -> list[Guess]:
    """Where votes for the same pose pile up."""
    # the commonest size of a card in this picture; others are chance
    hist, edges = np.histogram(votes[:, 3], np.arange(-3, 4, 0.15), weights=votes[:, 4])
    smooth = np.convolve(hist, [0.5, 1, 0.5], "same")
    middle = float(edges[int(np.argmax(smooth))] + 0.075)
    votes = votes[np.abs(votes[:, 3] - middle) < 0.45]
    scale = float(np.exp(middle))
    w, h = looks.size_mm
    step = 0.14 * min(w, h) * scale
    out: list[Guess] = []
    alive = np.ones(len(votes), bool)
    turns = 16
    for _ in range(most):
        v = votes[alive]
        if len(v) < 4:
            break
        gx, gy = np.floor(v[:, 0] / step).astype(int), np.floor(v[:, 1] / step).astype(int)
        ga = np.floor((v[:, 2] % (2 * np.pi)) / (2 * np.pi) * turns).astype(int) % turns
        x0, y0 = gx.min(), gy.min()
        gx, gy = gx - x0, gy - y0
        shape = (int(gx.max()) + 1, int(gy.max()) + 1, turns)
        if np.prod(shape) > 4_000_000:
            break
        grid = np.bincount(np.ravel_multi_index((gx, gy, ga), shape), v[:, 4], int(np.prod(shape))).reshape(shape)
        wide = (grid + np.roll(grid, 1, 2) + np.roll(grid, -1, 2)).astype(np.float32)
        if shape[0] > 2:
            wide = np.asarray(3 * cv2.blur(wide.reshape(shape[0], -1), (1, 3)).reshape(shape), np.float32)
        cell = np.unravel_index(int(np.argmax(wide)), shape)
        cx, cy = (cell[0] + 0.5 + x0) * step, (cell[1] + 0.5 + y0) * step
        ca = (cell[2] + 0.5) / turns * 2 * np.pi
        near = np.zeros(len(votes), bool)
        for _ in range(3):
            off = np.angle(np.exp(1j * (votes[:, 2] - ca)))
            near = alive & (np.hypot(votes[:, 0] - cx, votes[:, 1] - cy) < 1.3 * step) & (np.abs(off) < 0.4)
            if not near.any():
                break
            weight = votes[near, 4]
            cx, cy = np.average(votes[near, 0], weights=weight), np.average(votes[near, 1], weights=weight)
            ca = ca + float(np.average(off[near], weights=weight))
        total = float(votes[near, 4].sum()) if near.any() else 0.0
        if total < _LEAST:
            break
        size = float(np.exp(np.average(votes[near, 3], weights=votes[near, 4])))
        c, s = np.cos(ca), np.sin(ca)
        local = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 * size
        out.append(Guess(local @ np.array([[c, s], [-s, c]]) + [cx, cy], total))
        # a patch has spoken once it has helped to find a card
        used = np.unique(votes[near, 5])
        alive &= ~np.isin(votes[:, 5], used) & ~near
    return out
