"""Which of five stones belongs to which of five edge symbols: by colour, and by the shape of the sign on the stone."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_SIZES = np.geomspace(0.28, 0.95, 7)  # of the middle's shorter side: how large a sign may be
_RIM = (0.8, 1.05)  # of a symbol's reach: where its ground is seen
_INK = 0.25  # share of the strongest deviation from the ground that belongs to a symbol
_OFF = 0.2  # of the middle: how far off its centre a sign may stand
_FLAT = (0.05, 1.0)  # spread below which a symbol or a channel shows nothing
_LEAST_PX = 8
_SHAPE = 2.0  # weight of a likeness of shape beside that of colour
_MISSED = 0.1  # what the best pairing is expected to miss


def shape_likeness(middles: Floats, symbols: Floats) -> Array:
    """(stones, symbols) correlation of each symbol's shape with what stands in the middle of each stone.

    Parameters
    ----------
    middles
        (stones, rows, columns, 3) what the ring encloses, in Lab.
    symbols
        (symbols, side, side, 3) looks of the edge symbols, in Lab.
    """
    masks = [_mask(s) for s in symbols]
    h, w = middles.shape[1:3]
    out = np.zeros((len(middles), len(symbols)))
    for size in sorted({round(s * min(h, w)) for s in _SIZES}):
        if size < _LEAST_PX:
            continue
        patterns = [_pattern(m, size) for m in masks]
        for i, middle in enumerate(middles):
            channels = [np.ascontiguousarray(middle[..., c]) for c in range(3)]
            channels = [c for c in channels if c.std() > _FLAT[1]]
            for k, pattern in enumerate(patterns):
                if pattern is not None:
                    out[i, k] = max([out[i, k], *(_best(c, pattern) for c in channels)])
    return out


def _mask(look: Floats) -> Floats:
    """How far each pixel of a symbol is from its ground, 0 to 1."""
    u = np.linspace(-1, 1, look.shape[0])
    r = np.hypot(*np.meshgrid(u, u))
    ground = np.median(look[(r > _RIM[0]) & (r < _RIM[1])], axis=0)
    mask = np.linalg.norm(look - ground, axis=2) * (r < 0.5 * sum(_RIM))
    return np.asarray(mask / max(float(mask.max()), 1e-6), np.float32)


def _pattern(mask: Floats, size: int) -> Floats | None:
    """A symbol of that size without the empty ground round it; None where nothing of it is left."""
    small = np.asarray(cv2.resize(mask, (size, size), interpolation=cv2.INTER_AREA), np.float32)
    rows, columns = np.nonzero(small > _INK)
    if not len(rows) or small.std() < _FLAT[0]:
        return None
    y, x = max(int(rows.min()) - 1, 0), max(int(columns.min()) - 1, 0)
    return np.ascontiguousarray(small[y : rows.max() + 2, x : columns.max() + 2])


def _best(channel: Floats, pattern: Floats) -> float:
    """The best correlation, light or dark, of a pattern with a channel near its middle."""
    (h, w), (ph, pw) = channel.shape, pattern.shape
    if ph > h or pw > w:
        return 0.0
    like = cv2.matchTemplate(channel, pattern, cv2.TM_CCOEFF_NORMED)
    y, x = np.mgrid[: like.shape[0], : like.shape[1]]
    off = np.hypot((y + (ph - h) / 2) / h, (x + (pw - w) / 2) / w)
    near = np.abs(like[(off < _OFF) & np.isfinite(like)])
    return float(near.max(initial=0.0))


def match_kinds(a: Array, b: Array, shapes: Array | None = None) -> tuple[NDArray[np.intp], float]:
    """For each row of `a` the row of `b` that is its partner, one to one, and how clear that is, 0 and up.

    Partners point the same way; `shapes`, (len(a), len(b)), tells how alike they are otherwise. It is clear where any
    other way to pair them fits less by more than by what the best one misses.
    """

    def unit(v: Array) -> Array:
        return np.asarray(v / (np.linalg.norm(v, axis=1, keepdims=True) + 1e-9))

    colour = unit(a) @ unit(b).T
    partner, clear = _paired(colour, colour)
    if shapes is None:
        return partner, clear
    own = shapes - shapes.mean(1, keepdims=True) - shapes.mean(0, keepdims=True) + shapes.mean()
    other, clearer = _paired(colour + _SHAPE * own, colour)
    if (partner == other).all():
        return partner, max(clear, clearer)
    return (other, clearer - clear) if clearer > clear else (partner, clear - clearer)


def _paired(like: Array, colour: Array) -> tuple[NDArray[np.intp], float]:
    """The best pairing, and by how much it is better than any other against what its colours miss."""
    rows, columns = linear_sum_assignment(-like)
    best = like[rows, columns].sum()
    second = -np.inf
    for i in range(len(like)):
        barred = like.copy()
        barred[i, columns[i]] = -10
        r, c = linear_sum_assignment(-barred)
        second = max(second, float(barred[r, c].sum()))
    missed = len(like) - float(colour[rows, columns].sum())
    return np.asarray(columns), float(best - second) / (_MISSED + missed)
