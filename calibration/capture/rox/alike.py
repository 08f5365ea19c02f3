"""Faces of a deck made clearer by one another: what is printed alike on many cards was seen many times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_FEW = 4  # cards that tell what a place looks like
_REACH, _EDGE = 1.2, 0.25  # of a symbol's reach: what is taken for it, and how softly it ends
_INSET = 1.6  # of the distance from the rim to the middles of the symbols: where the middle begins
_SHARE = 0.5  # how much of a clear face comes from the others
_CLEAR, _VEILED = 0.85, 0.55  # share of the usual contrast: what is a clear face, and what is seen through a veil


def clearer(
    faces: Sequence[Floats],
    places: Array,
    radius: float,
    kinds: NDArray[np.intp],
    doubt: Array,
    stones: NDArray[np.intp],
) -> list[Floats]:
    """Faces, each symbol and middle partly as it looks on all cards that show the same there.

    A face that was photographed through a veil of reflected or too much light is wholly made of what others show;
    where it is doubtful which symbol stands at a place, that stays as it is.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, upright, of one size and in one light.
    places, radius
        (16, 2) middles of the symbols and their reach, in pixels.
    kinds, doubt
        (n, 16) number of each symbol's kind, and how doubtful that is, 0 to 1.
    stones
        (n,) which stone each has.
    """
    stack = np.stack(faces)
    n, h, w, _ = stack.shape
    out = stack.copy()
    x, y = np.meshgrid(np.arange(w), np.arange(h))
    cells = [(np.hypot(x - px, y - py), kinds[:, k], doubt[:, k]) for k, (px, py) in enumerate(places)]
    ends = _REACH * radius
    masks = [(np.clip((ends - d) / (_EDGE * ends) + 1, 0, 1), kind, unsure) for d, kind, unsure in cells]
    inset = places.min(0) * _INSET
    inside = np.minimum(np.minimum(x - inset[0], w - inset[0] - x), np.minimum(y - inset[1], h - inset[1] - y))
    masks.append((np.clip(inside / (_EDGE * ends), 0, 1), stones, np.zeros(n)))
    clear = np.zeros((n, len(masks)))
    drawn = []
    for j, (mask, kind, _) in enumerate(masks):
        rows, columns = np.nonzero(mask > 0)
        box = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        usual: dict[int, Floats] = {}
        for k in np.unique(kind):
            mine = kind == k
            if mine.sum() >= _FEW:
                usual[int(k)] = np.asarray(np.median(stack[mine][:, box[0], box[1]], 0), np.float32)
                spread = stack[mine][:, box[0], box[1]].std((1, 2)).mean(1)
                clear[mine, j] = spread / max(float(np.median(spread)), 1e-6)
        drawn.append((box, usual))
    ranks = np.where(clear > 0, clear, np.nan)
    ranks[(clear <= 0).all(1)] = 1.0
    seen = np.nanmedian(ranks, 1)
    share = np.clip((_CLEAR - seen) / (_CLEAR - _VEILED), 0, 1) * (1 - _SHARE) + _SHARE
    for (mask, kind, unsure), (box, usual) in zip(masks, drawn, strict=True):
        for i in range(n):
            if int(kind[i]) in usual:
                by = mask[box][..., None] * share[i] * np.clip(1.2 - 2 * unsure[i], 0, 1)
                part = out[i][box]
                out[i][box] = part + by * (usual[int(kind[i])] - part)
    return [np.asarray(f, np.float32) for f in out]
