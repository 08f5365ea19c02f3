"""What on one cactus touches what, told for all of it together: nothing hangs in the air.

A piece is thought to be moved along the line of sight, as far as its depth is unknown. Each two that may meet say how
likely they touch, or are clear, at each place of one to the other; each piece must touch something that holds it.
Probabilities of places and touches are passed along until all agree (sum-product on the graph of what may meet).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def settle(places: Sequence[Array], meetings: Sequence[Meeting], unheld: float) -> list[Met]:
    """Probabilities of all meetings together.

    Parameters
    ----------
    places
        (k,) for each piece how likely each of `PLACES_MM` is by itself.
    meetings
        What may meet.
    unheld
        How likely a piece that touches nothing that is known is, against one for which that would be no matter.
    """
    k = len(PLACES_MM)
    tables = [_tables(m) for m in meetings]
    flat = np.full((k, 2), 0.5)
    inward: dict[tuple[int, int], Array] = {}
    for e, m in enumerate(meetings):
        for i in _ends(m):
            inward[e, i] = flat
    mine: list[list[int]] = [[e for e, m in enumerate(meetings) if i in _ends(m)] for i in range(len(places))]
    outward: dict[tuple[int, int], Array] = {}
    for _ in range(_ROUNDS):
        for i, place in enumerate(places):
            outward |= _said(place, i, mine[i], inward, unheld)
        for e, m in enumerate(meetings):
            for i in _ends(m):
                inward[e, i] = _KEEP * inward[e, i] + (1 - _KEEP) * _heard(tables[e], m, i, e, outward)
    return [_met(tables[e], m, e, outward) for e, m in enumerate(meetings)]


def _ends(m: Meeting) -> tuple[int, ...]:
    return (m.a,) if m.b is None else (m.a, m.b)


def _tables(m: Meeting) -> tuple[Array, Array]:
    """(k, k) for places of a and of b, clear and touching; (k, 1) for what stands fast."""
    if m.b is None:
        return m.clear[:, None], m.touch[:, None]
    at = np.arange(len(PLACES_MM))
    apart = at[:, None] - at[None] + len(at) - 1
    return m.clear[apart], m.touch[apart]


def _said(
    place: Array, i: int, mine: list[int], inward: dict[tuple[int, int], Array], unheld: float
) -> dict[tuple[int, int], Array]:
    """(k, 2) what a piece tells each of its meetings of its places, touching nothing or this in it."""
    if not mine:
        return {}
    heard = np.array([inward[e, i] for e in mine])
    own = np.eye(len(mine), dtype=np.bool_)[:, :, None]
    free = np.where(own, 1.0, heard.sum(axis=2)).prod(axis=1)
    none = np.where(own, 1.0, heard[:, :, 0]).prod(axis=1)
    told = np.stack([place * (free - (1 - unheld) * none), place * free], axis=2)
    told /= np.maximum(told.sum(axis=(1, 2)), _LEAST)[:, None, None]
    return {(e, i): t for e, t in zip(mine, told, strict=True)}


def _heard(tables: tuple[Array, Array], m: Meeting, i: int, e: int, outward: dict[tuple[int, int], Array]) -> Array:
    """(k, 2) what a meeting tells one of its two."""
    if m.b is None:
        told = np.column_stack([t[:, 0] for t in tables])
    elif i == m.a:
        told = np.column_stack([t @ outward[e, m.b][:, n] for n, t in enumerate(tables)])
    else:
        told = np.column_stack([t.T @ outward[e, m.a][:, n] for n, t in enumerate(tables)])
    return np.asarray(told / max(float(told.sum()), _LEAST), np.float64)


def _met(tables: tuple[Array, Array], m: Meeting, e: int, outward: dict[tuple[int, int], Array]) -> Met:
    beliefs = []
    for n, table in enumerate(tables):
        belief = outward[e, m.a][:, n : n + 1] * table
        if m.b is not None:
            belief = belief * outward[e, m.b][:, n]
        beliefs.append(belief)
    total = max(float(sum(b.sum() for b in beliefs)), _LEAST)
    fold: Callable[[Array], Array] = _diagonals if m.b is not None else lambda b: b[:, 0]
    clear, touch = (fold(b / total) for b in beliefs)
    return Met(touch, clear)


def _diagonals(belief: Array) -> Array:
    """Sums of (k, k) over places of the same distance: (2k - 1,), at `APART_MM`."""
    k = len(belief)
    at = np.arange(k)
    return np.asarray(np.bincount((at[:, None] - at[None] + k - 1).ravel(), belief.ravel(), 2 * k - 1), np.float64)
