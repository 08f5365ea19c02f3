"""The paint of a cactus as one picture shows it, whatever the lamp: its own face is the witness."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_LIKE = 26.0  # levels between two samples of one paint in even light
_SEEDS = 20  # samples that are tried as the paint
_SHADE = 0.4  # a difference that light and shadow explain counts so much
_NEAR = 16.0  # levels from the paint at which belief falls to 0.6, on a dark paint ...
_GLARE = 0.06  # ... and this share of its brightness more
MOST_DOUBT = 0.25
"""A camera without colours, or a deck with wrong ones, is no proof that nothing stands there."""
_BLACK = 3.0  # levels that any surface has
_SAME_HUE = 0.1  # logarithmic difference of hue that shadows and reflections make
_LAMP = 0.6  # ... and that lamps make
_PER_HUE, _PER_LAMP = 0.6, 0.3
_BRIGHT = 1.0  # least length of a colour


def common_paint(samples: Floats) -> tuple[Array, float]:
    """The colour that most samples share, and the share of those that do.

    Parameters
    ----------
    samples
        (n, 3) RGB read inside the outline; some of them may show things in front of it.
    """
    if not len(samples):
        return np.zeros(3), 0.0
    seeds = samples[:: max(1, len(samples) // _SEEDS)]
    far = _apart_each(samples, seeds)
    near = far[int(np.argmax((far < _LIKE).sum(axis=1)))] < _LIKE
    colour = middle(samples[near])
    near = _apart(samples, colour[None].astype(np.float32)) < _LIKE
    return middle(samples[near]) if near.any() else colour, float(near.mean())


def middle(samples: NDArray[Any]) -> Array:
    """The median of each column of (n, k) samples, at least one: (k,)."""
    low, high = (len(samples) - 1) // 2, len(samples) // 2
    parted = np.partition(samples, (low, high), axis=0)
    return np.asarray((parted[low].astype(np.float64) + parted[high]) / 2, np.float64)


def painted(colours: Floats, paint: Floats, shade: float = _SHADE) -> Floats:
    """Belief 0 to 1 that a colour is this paint: (..., 3), (..., 3) -> (...).

    A difference that light and shadow explain counts `shade` of its size.
    """
    length = np.maximum(np.sqrt((paint * paint).sum(axis=-1)), _BRIGHT)
    return np.asarray(np.exp(-0.5 * (_apart(colours, paint, shade) / (_NEAR + _GLARE * length)) ** 2), np.float32)


def doubts(paints: Floats, deck: Array) -> Array:
    """How strange it would be for one lamp to show the deck's paints like this: (m,) from 0 to `MOST_DOUBT`.

    Parameters
    ----------
    paints, deck
        (m, 3) RGB of the same paints in the picture and in the deck.
    """
    gain = np.log(paints + _BLACK) - np.log(deck + _BLACK)
    hue = gain - gain.mean(axis=1, keepdims=True)
    lamp = np.median(hue, axis=0)
    apart = np.abs(hue - lamp).max(axis=1)
    strange = _PER_HUE * np.maximum(0, apart - _SAME_HUE) + _PER_LAMP * max(0.0, float(np.ptp(lamp)) - _LAMP)
    return np.asarray(np.minimum(MOST_DOUBT, strange), np.float64)


def _apart(colours: Floats, paint: Floats, shade: float = _SHADE) -> Floats:
    """How far colours are from a paint, across its shades and, for less, along them."""
    paint2 = np.maximum(np.einsum("...i,...i->...", paint, paint), np.float32(_BRIGHT))
    both = np.einsum("...i,...i->...", colours, paint)
    across2 = np.maximum(np.einsum("...i,...i->...", colours, colours) - both * both / paint2, 0)
    along2 = (both / paint2 - 1) ** 2 * paint2
    return np.asarray(np.sqrt(across2 + np.float32(shade**2) * along2), np.float32)


def _apart_each(colours: Floats, paints: Floats) -> Floats:
    """(k, n) `_apart` of each of (n, 3) colours from each of (k, 3) paints."""
    paint2 = np.maximum(np.einsum("ij,ij->i", paints, paints), np.float32(_BRIGHT))[:, None]
    both = paints @ colours.T
    across2 = np.maximum(np.einsum("ij,ij->i", colours, colours) - both * both / paint2, 0)
    along2 = (both / paint2 - 1) ** 2 * paint2
    return np.asarray(np.sqrt(across2 + np.float32(_SHADE**2) * along2), np.float32)
