"""Who leads on which card: the numbers of a Rox deck, without any art."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PLACES = 16


@dataclass(frozen=True, slots=True)
class Card:
    """One element card: the stone's element and the ring's elements, clockwise from the top left (as indices)."""

    center: int
    ring: tuple[int, ...]

    def counts(self) -> tuple[int, ...]:
        """How often each of the five elements stands on the ring."""
        return tuple(self.ring.count(e) for e in range(5))


def deal(rng: np.random.Generator, per_center: int = 12) -> list[Card]:
    """Make a deck: every element equally often at the centre and as the leader, a third leading by exactly one.

    Leaders have 4 to 8 of the sixteen places. The places of each card are shuffled so that it differs as much as
    can be from every other card, the right way up and upside down.
    """
    total = 5 * per_center
    margins = np.array([1] * (total // 3) + [2 + i % 3 for i in range(total - total // 3)])
    rng.shuffle(margins)
    cards: list[Card] = []
    rings: list[np.ndarray] = []
    shift = np.arange(per_center)
    for i in range(total):
        center = i % 5
        # each stone's leaders run through all elements in turn, so that no element is rarer than another
        leader = (center + shift[i // 5]) % 5
        counts = _counts(rng, int(leader), int(margins[i]))
        ring = _apart(rng, counts, rings)
        rings.append(ring)
        cards.append(Card(center, tuple(int(e) for e in ring)))
    order = rng.permutation(total)
    return [cards[k] for k in order]


def _counts(rng: np.random.Generator, leader: int, margin: int) -> list[int]:
    """Counts of the five elements where `leader` leads by exactly `margin`."""
    while True:
        most = int(rng.integers(4, 9))
        rest = PLACES - most
        top = most - margin
        if top < 0 or rest > 4 * top or rest < top:
            continue
        others = [top, 0, 0, 0]
        left = rest - top
        for k in range(1, 4):
            low = max(0, left - top * (3 - k))
            others[k] = int(rng.integers(low, min(top, left) + 1)) if k < 3 else left
            left -= others[k]
        if left or max(others) != top:
            continue
        shuffled = [others[int(j)] for j in rng.permutation(4)]
        shuffled.insert(leader, most)
        return shuffled


def _apart(rng: np.random.Generator, counts: list[int], rings: list[np.ndarray], tries: int = 60) -> np.ndarray:
    """Of many shuffles the one that is least like the rings before, and like itself upside down."""
    base = np.repeat(np.arange(5), counts)
    best, best_gap = base, -1
    seen = np.array(rings + [np.roll(r, PLACES // 2) for r in rings]).reshape(-1, PLACES)
    for _ in range(tries):
        ring = rng.permutation(base)
        gap = int((ring != np.roll(ring, PLACES // 2)).sum())
        if len(seen):
            gap = min(gap, int((seen != ring).sum(axis=1).min()))
        if gap > best_gap:
            best, best_gap = ring, gap
    return np.asarray(best)


def ring_places(columns: int, rows: int) -> list[tuple[int, int]]:
    """(column, row) of the places round the edge, clockwise from the top left."""
    top = [(c, 0) for c in range(columns)]
    right = [(columns - 1, r) for r in range(1, rows)]
    bottom = [(c, rows - 1) for c in range(columns - 2, -1, -1)]
    left = [(0, r) for r in range(rows - 2, 0, -1)]
    return top + right + bottom + left
