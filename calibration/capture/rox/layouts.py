"""Which cards of a copy are printed alike, whatever the light: cards with symbols all round, and scoring cards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.capture.rox.prints import ink_of
from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_WIDTH = 64  # columns in which cards are compared
_FEW = 5  # cards of a layout, at least
_TURNS = 6
_CLEAR = 0.16  # by how much more nearly all cards are like their own layout than like the other
_NEARLY = 5  # per cent of cards that may be less clear
_ALIKE = 0.87  # correlation of most cards with their layout, at least


def two_layouts(faces: Sequence[Rgb]) -> NDArray[np.bool_] | None:
    """(n,) of which of two layouts each face is, none where they are not clearly two.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, of one size, either short side up.
    """
    if len(faces) < 2 * _FEW:
        return None
    inks = np.stack([_even(ink_of(f, _WIDTH)) for f in faces])
    like = _likeness(inks, inks)
    mine = _parted(like)
    for _ in range(_TURNS):
        patterns = np.stack([_even(np.median(inks[m], axis=0)) for m in (mine, ~mine)])
        like = _likeness(inks, patterns)
        before, mine = mine, like[:, 0] > like[:, 1]
        if min(mine.sum(), (~mine).sum()) < _FEW:
            return None
        if (mine == before).all():
            break
    own, other = like.max(1), like.min(1)
    clear = min(float(np.percentile((own - other)[m], _NEARLY)) for m in (mine, ~mine))
    return mine if clear > _CLEAR and np.median(own) > _ALIKE else None


def _even(ink: NDArray[np.floating]) -> Floats:
    """A picture without its mean and of length 1."""
    off = ink - ink.mean()
    return np.asarray(off / max(float(np.linalg.norm(off)), 1e-6), np.float32)


def _likeness(a: Floats, b: Floats) -> Array:
    """(len(a), len(b)) correlation of pictures, whichever short side of a card is up: any side of a square one."""
    flat = a.reshape(len(a), -1)
    ways = range(0, 4, 1 if b.shape[1] == b.shape[2] else 2)
    return np.asarray(np.max([flat @ np.rot90(b, q, (1, 2)).reshape(len(b), -1).T for q in ways], axis=0), float)


def _parted(like: Array) -> NDArray[np.bool_]:
    """(n,) the two groups that likeness (n, n) parts most clearly."""
    off = like - like.mean(0) - like.mean(1)[:, None] + like.mean()
    along = np.linalg.eigh((off + off.T) / 2)[1][:, -1]
    order = np.sort(along)
    cuts = range(_FEW, len(order) - _FEW + 1)
    cut = min(cuts, key=lambda k: float(order[:k].var() * k + order[k:].var() * (len(order) - k)))
    return np.asarray(along > (order[cut - 1] + order[cut]) / 2)
