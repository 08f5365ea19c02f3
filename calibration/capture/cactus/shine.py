"""Paints without the shine of lamps: what a lamp mirrors in a face lies over its paint like a white veil.

Pieces of one paint shine differently, as they lie. The paint is what the least of them show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]

_SHINES = np.linspace(0.0, 0.24, 49)
"""Shares of white that a lamp may lay over a paint ..."""
_MEAN = 1 / 150
"""... their mean, had nothing been seen of them, in the spread's square ..."""
_SPREAD = 0.06
"""... by which a colour is seen otherwise than it is, in logarithms."""
_LIT = 0.25
"""By how much more or less light falls on one piece than on another beside it, in logarithms."""
_FLOOR = 0.006
"""Share of white below which differences tell nothing."""
_DIM = 0.05
"""Of a darker channel most is shine."""
_PURE = 0.2
"""The share of the pieces of one paint that show the least of each channel tell it at first."""
_LEAST = 0.1
"""... and that share of them have no shine."""
_BLACK = 1e-3
_TRUST = 0.01
"""Shine with which a piece tells half as much as without any."""
_TURNS = 10


def without_shine(light: Array, photos: Kinds, kinds: Kinds, count: int) -> tuple[Array, Array]:
    """The paints of pieces, and how the light of photos was taken wrong.

    Parameters
    ----------
    light
        (n, 3) red, green and blue of each piece, in its photo's light as it is known, the lightest about 1.
    photos, kinds
        (n,) numbers of its photo and of its paint.
    count
        Of photos.

    Returns
    -------
    (paints, 3) each paint, zeros where no piece has it; and (count, 3) by how much more light each photo has than was
    known, in logarithms.
    """
    more = np.zeros((count, 3))
    paints = np.zeros((int(kinds.max()) + 1, 3))
    there = np.unique(kinds)
    for k in there:
        own = light[kinds == k]
        brightest = own.max(axis=1, keepdims=True)
        paints[k] = np.quantile(own / brightest, _PURE, axis=0) * np.median(brightest)
    for _ in range(_TURNS):
        even = light * np.exp(-more[photos])
        lit, shine = _explained(even, paints[kinds])
        for k in there:
            mine = kinds == k
            lit[mine] /= np.median(lit[mine])
            most = np.maximum(shine[mine] - np.quantile(shine[mine], _LEAST), 0.0)
            pure = np.maximum((even[mine] - most[:, None]) / lit[mine][:, None], _BLACK)
            paints[k] = _middle(pure, 1 / (shine[mine] + _TRUST))
        shown = paints[kinds] * lit[:, None] + shine[:, None]
        off = np.where(shown > _DIM, np.log(light / shown), np.nan)
        for p in np.unique(photos):
            told = off[photos == p]
            for channel in range(3):
                if np.isfinite(told[:, channel]).any():
                    more[p, channel] = np.nanmedian(told[:, channel])
        more[np.unique(photos)] -= more[np.unique(photos)].mean(axis=0)
    return paints, more


def _explained(even: Array, paint: Array) -> tuple[Array, Array]:
    """(n,) how much light falls on each piece, and its shine, as they explain its colour best."""
    under = even[:, None] - _SHINES[:, None]
    lit = np.maximum((under * paint[:, None]).sum(2) / (paint**2).sum(1, keepdims=True), _DIM)
    shown = paint[:, None] * lit[..., None] + _SHINES[:, None]
    off = np.log((shown + _FLOOR) / (even[:, None] + _FLOOR))
    cost = (off**2).sum(2) / _SPREAD**2 + _SHINES / _MEAN + (np.log(lit) / _LIT) ** 2
    best = cost.argmin(axis=1)
    return lit[np.arange(len(even)), best], _SHINES[best]


def _middle(values: Array, weight: Array) -> Array:
    """(3,) the weighted median of each column."""
    order = np.argsort(values, axis=0)
    below = np.cumsum(weight[order], axis=0)
    at = (below < below[-1] / 2).sum(axis=0)
    columns = np.arange(values.shape[1])
    return np.asarray(values[order[at, columns], columns], np.float64)
