"""The middle of Rox cards: five kinds of stones, sorted by what they look like and matched with the edge symbols."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.rox.kinds import KINDS, grouped_into_five
from calibration.capture.rox.ring import Ring, as_lab, upright
from calibration.capture.rox.signs import match_kinds, shape_likeness

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_GRID = (20, 14)  # rows and columns in which the middle is compared
_TURNS = 6
_SIGN, _FINE, _NOISE = 12.0, 0.25, 1.5  # weight of a sign against colour, its width as a share of the stone's, and haze
_MOST = 0.85  # share of the cards that tell how good a way to sort them is: a reflection lies on some
_INSET = 0.72  # of the distance from the rim to the far side of the symbols: where the middle begins
_SAME_SIGN = 0.8  # share of the cards on which stone and symbol show the same sign
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
    signs = np.stack([_sign(upright(ring.evened[i], int(ring.turned[i])), ring) for i in mine])
    large = np.stack([_enclosed(upright(ring.evened[i], int(ring.turned[i])), ring) for i in mine])
    like = shape_likeness(np.stack([as_lab(one[None])[0] for one in large]), ring.looks)
    shown = (like - like.mean(0)).argmax(1)
    kinds, cost = _sorted(middles, signs, shown)
    ordered = np.sort(cost, 1)
    doubt = ordered[:, 0] / np.maximum(ordered[:, 1], 1e-6)
    looks = np.stack([middles[kinds == k].mean(0) for k in range(KINDS)])
    signs = np.stack(
        [np.median(as_lab(large[kinds == k]), axis=0) if (kinds == k).any() else 0 * large[0] for k in range(KINDS)]
    )
    partner, clearness = match_kinds(_own_colours(looks), _own_colours(ring.looks), shape_likeness(signs, ring.looks))
    same = float((shown == partner[kinds]).mean())
    if same > _SAME_SIGN:
        # card by card the sign on the stone is that of the symbol, whatever the colours say
        clearness = max(clearness, same)
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


def _sign(face: Floats, ring: Ring) -> Floats:
    """(40, 28) the sign on the stone, as strong on one in pale light as on others."""
    h, w = 2 * _GRID[0], 2 * _GRID[1]
    small = cv2.resize(_enclosed(face, ring), (w, h), interpolation=cv2.INTER_AREA)
    lab = as_lab(np.asarray(small, np.float32)[None])[0] * np.array([0.5, 1, 1], np.float32)
    fine = np.linalg.norm(lab - cv2.GaussianBlur(lab, (0, 0), _FINE * w), axis=2)
    return np.asarray(_SIGN * fine / (np.sqrt((fine**2).mean()) + _NOISE), np.float32)


def _sorted(middles: Floats, signs: Floats, shown: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array]:
    """(n,) kind and (n, 5) cost of each, by colour and sign: of several first guesses what scatters least.

    `shown`: number of the edge symbol that each one's sign is most like.
    """
    colour, sign = middles.reshape(len(middles), -1), signs.reshape(len(signs), -1)
    both = np.concatenate([colour, sign], 1)
    tried = [
        _settled(both, first)
        for first in (shown, grouped_into_five(colour), grouped_into_five(sign), grouped_into_five(both))
    ]
    return min(tried, key=lambda t: t[2])[:2]


def _settled(flat: Floats, kinds: NDArray[np.intp]) -> tuple[NDArray[np.intp], Array, float]:
    """Kinds (n,) and costs (n, 5) settled from a first guess, and how far most cards are from their kinds' looks."""
    cost = np.zeros((len(flat), KINDS))
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
    off = np.sort(((flat - looks[kinds]) ** 2).mean(1))
    return kinds, cost, float(off[: max(1, round(_MOST * len(off)))].mean())


def _own_colours(looks: Floats) -> Array:
    """(5, 3) in which direction of Lab each of five looks (5, rows, columns, 3) differs from the others."""
    off = looks - looks.mean(0)
    weight = np.linalg.norm(off, axis=3) ** 2
    colour = (off * weight[..., None]).sum((1, 2)) / weight.sum((1, 2))[:, None]
    return np.asarray(colour * np.array([0.5, 1, 1]), float)
