"""The middle of Rox cards: five kinds of stones, sorted by what they look like and matched with the edge symbols."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.kinds import KINDS, grouped_into_five
from calibration.capture.ring import Ring, as_lab, upright
from calibration.capture.signs import match_kinds, shape_likeness

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_GRID = (20, 14)  # rows and columns in which the middle is compared
_TURNS = 6
_INSET = 0.72  # of the distance from the rim to the far side of the symbols: where the middle begins
_CLOSE = 0.5  # clearness of the match below which it is doubtful


@dataclass(frozen=True, slots=True, eq=False)
class Centres:
    """What stands in the middle of each card.

    Parameters
    ----------
    kinds
        (n,) number of the edge symbols' kind that belongs to it; -1 on cards without symbols.
    doubt
        (n,) 0 where the stone is clear, 1 where another fits as well.
    likely
        (n, 5) how likely each kind is, 0 to 1.
    clearness
        How clearly stones and edge symbols match each other in colour and shape, 0 and up.
    """

    kinds: NDArray[np.intp]
    doubt: Array
    likely: Array
    clearness: float

    @property
    def matched(self) -> bool:
        """Whether stones and symbols belong together for certain."""
        return self.clearness > _CLOSE


def read_centres(ring: Ring) -> Centres:
    """Sort the middles of the cards that have symbols."""
    n = len(ring.kinds)
    mine = np.nonzero(ring.has_symbols)[0]
    middles = np.stack([_middle(upright(ring.evened[i], int(ring.turned[i])), ring) for i in mine])
    kinds, cost = _sorted(middles)
    ordered = np.sort(cost, 1)
    doubt = ordered[:, 0] / np.maximum(ordered[:, 1], 1e-6)
    looks = np.stack([middles[kinds == k].mean(0) for k in range(KINDS)])
    large = np.stack([_enclosed(upright(ring.evened[i], int(ring.turned[i])), ring) for i in mine])
    signs = np.stack(
        [np.median(as_lab(large[kinds == k]), axis=0) if (kinds == k).any() else 0 * large[0] for k in range(KINDS)]
    )
    partner, clearness = match_kinds(_own_colours(looks), _own_colours(ring.looks), shape_likeness(signs, ring.looks))
    all_kinds, all_doubt, likely = np.full(n, -1), np.zeros(n), np.zeros((n, KINDS))
    all_kinds[mine], all_doubt[mine] = partner[kinds], doubt
    likely[np.ix_(mine, partner)] = (1 / np.maximum(cost, 1e-6)) / (1 / np.maximum(cost, 1e-6)).sum(1, keepdims=True)
    return Centres(all_kinds, all_doubt, likely, clearness)


def _enclosed(face: Floats, ring: Ring) -> Floats:
    """What the symbols enclose."""
    h, w = face.shape[:2]
    x0, y0 = ring.places.min(0) * 2 * _INSET
    x1, y1 = w - 1 - x0, h - 1 - y0
    return face[int(y0) : int(np.ceil(y1)) + 1, int(x0) : int(np.ceil(x1)) + 1]


def _middle(face: Floats, ring: Ring) -> Floats:
    """(20, 14, 3) Lab of what the symbols enclose."""
    small = cv2.resize(_enclosed(face, ring), (_GRID[1], _GRID[0]), interpolation=cv2.INTER_AREA)
    return np.asarray(as_lab(np.asarray(small, np.float32)[None])[0] * np.array([0.5, 1, 1], np.float32), np.float32)


def _sorted(middles: Floats) -> tuple[NDArray[np.intp], Array]:
    """(n,) kind and (n, 5) cost of each."""
    n = len(middles)
    flat = middles.reshape(n, -1)
    kinds = grouped_into_five(flat)
    cost = np.zeros((n, KINDS))
    for _ in range(_TURNS):
        looks = np.stack(
            [np.median(flat[kinds == k], axis=0) if (kinds == k).any() else flat.mean(0) for k in range(KINDS)]
        )
        within = np.mean([flat[kinds == k].var(0) for k in range(KINDS) if (kinds == k).any()], axis=0)
        sharp = np.sqrt(looks.var(0) / (within + 0.1 * float(within.mean()) + 1.0))
        cost = (((flat[:, None] - looks[None]) ** 2) * sharp).mean(2)
        before, kinds = kinds, cost.argmin(1)
        if (kinds == before).all():
            break
    return kinds, cost


def _own_colours(looks: Floats) -> Array:
    """(5, 3) in which direction of Lab each of five looks (5, rows, columns, 3) differs from the others."""
    off = looks - looks.mean(0)
    weight = np.linalg.norm(off, axis=3) ** 2
    colour = (off * weight[..., None]).sum((1, 2)) / weight.sum((1, 2))[:, None]
    return np.asarray(colour * np.array([0.5, 1, 1]), float)
