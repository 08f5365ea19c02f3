"""What on one cactus touches what, told for all of it together: nothing hangs in the air.

A piece is thought to be moved along the line of sight, as far as its depth is unknown. Each two that may meet say how
likely they touch, or are clear, at each place of one to the other; each piece must touch something that holds it.
Probabilities of places and touches are passed along until all agree (sum-product on the graph of what may meet).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEP_MM = 0.5
"""Distance of neighbouring places of a piece."""
REACH_MM = 10.0
"""A piece is thought to be at most so far from where it was measured."""
_ROUNDS = 12
_KEEP = 0.3
"""Share of an old message that is kept, so that all settle."""
_LEAST = 1e-12

PLACES_MM = np.arange(-REACH_MM, REACH_MM + STEP_MM / 2, STEP_MM)
"""(k,) places of a piece along the line of sight, from where it was measured towards the viewer."""
APART_MM = np.arange(-2 * REACH_MM, 2 * REACH_MM + STEP_MM / 2, STEP_MM)
"""(2k - 1,) places of one piece to another."""


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """Two that may meet, or a piece and something that stands fast.

    Parameters
    ----------
    a, b
        The pieces, by index; `b` is None for what stands fast.
    touch, clear
        How likely they touch and do not, and all that was measured, at each of `APART_MM` of `a` before `b`, or at
        each of `PLACES_MM` of `a`.
    """

    a: int
    b: int | None
    touch: Array
    clear: Array


@dataclass(frozen=True, slots=True, eq=False)
class Met:
    """What became of a meeting: probability of each place of the one to the other, touching and clear."""

    touch: Array
    clear: Array

    @property
    def touching(self) -> float:
        """Probability that they touch."""
        return float(self.touch.sum())


_NOBODY = np.repeat([[[1.0], [0.0]]], len(PLACES_MM), axis=2)
"""What a meeting that is none says: nothing touches there, wherever the piece is."""


def settle(places: Sequence[Array], meetings: Sequence[Meeting], unheld: Sequence[float]) -> list[Met]:
    """Probabilities of all meetings together.

    Parameters
    ----------
    places
        (k,) for each piece how likely each of `PLACES_MM` is by itself.
    meetings
        What may meet.
    unheld
        How likely each piece is to touch nothing that is known, against one for which that would be no matter.
    """
    if not meetings:
        return []
    graph = _Graph(meetings, len(places))
    at, loose = np.asarray(places), np.asarray(unheld)[:, None]
    inward = np.concatenate([np.full((len(graph.ends), 2, len(PLACES_MM)), 0.5), _NOBODY])
    told = inward[:-1]
    for _ in range(_ROUNDS):
        told = _said(at, inward[graph.slots], loose)[graph.own]
        inward[:-1] = _KEEP * inward[:-1] + (1 - _KEEP) * graph.heard(told)
    return graph.met(told)


class _Graph:
    """What may meet: each end of a meeting hears from it and tells it, all of them in one step.

    Parameters
    ----------
    meetings
        What may meet.
    count
        How many pieces there are.
    """

    def __init__(self, meetings: Sequence[Meeting], count: int) -> None:
        k = len(PLACES_MM)
        self._meetings = meetings
        pairs = [(m, m.a, m.b) for m in meetings if m.b is not None]
        self._pairs = len(pairs)
        self._fast = np.array([[m.clear, m.touch] for m in meetings if m.b is None]).reshape(-1, 2, k)
        self.ends = [a for _, a, _ in pairs] + [b for _, _, b in pairs] + [m.a for m in meetings if m.b is None]
        """Whose they are: of the first of each pair, of the second, of each that meets what stands fast."""
        mine: list[list[int]] = [[] for _ in range(count)]
        slot = []
        for end, i in enumerate(self.ends):
            slot.append(len(mine[i]))
            mine[i].append(end)
        most = max(map(len, mine))
        self.slots = np.array([ends + [len(self.ends)] * (most - len(ends)) for ends in mine]).T
        """(slots, pieces) the ends of each piece, filled up with the meeting that is none."""
        self.own = (np.array(slot), np.array(self.ends))
        """Slot and piece of each end."""
        at = np.arange(k)
        curves = np.array([[m.clear, m.touch] for m, _, _ in pairs]).reshape(-1, 2, len(APART_MM))
        tables = curves[:, :, at[:, None] - at[None] + k - 1]
        self._tables = np.concatenate([tables, tables.transpose(0, 1, 3, 2)])
        """(2 pairs, 2, k, k) clear and touching, for places of the one that hears and of the other."""

    def heard(self, told: Array) -> Array:
        """(ends, 2, k) what each end hears from its meeting when each has told as much."""
        n = self._pairs
        other = np.concatenate([told[n : 2 * n], told[:n]])[..., None]
        out = np.concatenate([(self._tables @ other)[..., 0], self._fast])
        return np.asarray(out / np.maximum(out.sum(axis=(1, 2), keepdims=True), _LEAST), np.float64)

    def met(self, told: Array) -> list[Met]:
        """What became of each meeting when each end has told (2, k) of its places."""
        pair, fast = 0, 2 * self._pairs
        found = []
        for m in self._meetings:
            if m.b is None:
                clear, touch = told[fast] * (m.clear, m.touch)
                fast += 1
            else:
                a, b = told[pair], told[self._pairs + pair, :, ::-1]
                clear, touch = m.clear * np.convolve(a[0], b[0]), m.touch * np.convolve(a[1], b[1])
                pair += 1
            total = max(float(clear.sum() + touch.sum()), _LEAST)
            found.append(Met(touch / total, clear / total))
        return found


def _said(places: Array, heard: Array, unheld: Array) -> Array:
    """(slots, pieces, 2, k) what each piece tells each of its meetings: touching nothing or this at its places.

    Parameters
    ----------
    places
        (pieces, k) how likely each place is by itself.
    heard
        (slots, pieces, 2, k) what each heard from each of its meetings.
    unheld
        (pieces, 1) see `settle`.
    """
    free, none = _others(heard[:, :, 0] + heard[:, :, 1]), _others(heard[:, :, 0])
    told = np.empty_like(heard)
    told[:, :, 0], told[:, :, 1] = places * (free - (1 - unheld) * none), places * free
    return np.asarray(told / np.maximum(told.sum(axis=(2, 3), keepdims=True), _LEAST), np.float64)


def _others(factors: Array) -> Array:
    """(slots, pieces, k) the product over all slots but each."""
    out = np.ones_like(factors)
    before, after = out[0].copy(), out[0].copy()
    for first, last in zip(range(len(factors)), reversed(range(len(factors))), strict=True):
        out[first] *= before
        out[last] *= after
        before *= factors[first]
        after *= factors[last]
    return out
