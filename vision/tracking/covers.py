"""Who lies on whom, from where the cards lie, which of them came later, and what the picture shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.quads import signed_area

Array = NDArray[np.float64]
Pair = tuple[str, str]

_CERTAIN = 2.0
"""Standard deviations by which outlines must overlap to count as lying on each other."""
_LATER = 3.0
"""Weight of having come later."""
_SHOWN = 2.5
"""... of being seen on top by the eye."""
_WHOLE = 2.0
"""... of being the one of two that is seen whole, at most."""
_VISIBLE_SIGMA = 0.02
"""Standard deviation of the share of a card that is said to be visible."""


@dataclass(frozen=True, slots=True, eq=False)
class Lying:
    """A card as it lies.

    Parameters
    ----------
    key
        Its lasting name.
    corners_mm
        (4, 2) its outline.
    sigma_mm
        Standard deviation of a corner.
    laid
        Number of the look in which it came to lie there.
    visible
        Share of it that the picture shows; None where that says nothing of its neighbours, as under an arm.
    """

    key: str
    corners_mm: Array
    sigma_mm: float
    laid: int
    visible: float | None


@dataclass(slots=True, eq=False)
class _Said:
    laid: tuple[int, int]
    votes: float = 0.0
    looks: float = 0.0


@dataclass(slots=True, eq=False)
class _Meeting:
    """Two cards of which one lies on the other; `score` is positive where `first` is the upper one."""

    first: int
    second: int
    shares: tuple[float, float]
    score: float


class Stack:
    """Remembers what the looks said of who lies on whom."""

    def __init__(self) -> None:
        self._said: dict[Pair, _Said] = {}

    def find(self, cards: Sequence[Lying], shown: Sequence[Pair] = ()) -> tuple[Pair, ...]:
        """Pairs (upper, lower) of cards of which one lies on the other.

        Parameters
        ----------
        cards
            The cards on the table.
        shown
            What the newest look shows: pairs (upper, lower) of keys.
        """
        self._hear({card.key: card for card in cards}, shown)
        meetings = self._meetings(cards)
        _by_what_is_seen(cards, meetings)
        pairs = []
        for m in meetings:
            upper, lower = (m.first, m.second) if m.score >= 0 else (m.second, m.first)
            pairs.append((cards[upper].key, cards[lower].key))
        return tuple(pairs)

    def _hear(self, cards: Mapping[str, Lying], shown: Sequence[Pair]) -> None:
        self._said = {
            pair: said
            for pair, said in self._said.items()
            if all(key in cards for key in pair) and said.laid == _laid(cards, pair)
        }
        for upper, lower in shown:
            if upper not in cards or lower not in cards or upper == lower:
                continue
            pair = (min(upper, lower), max(upper, lower))
            said = self._said.setdefault(pair, _Said(_laid(cards, pair)))
            said.votes += 1.0 if pair[0] == upper else -1.0
            said.looks += 1.0

    def _meetings(self, cards: Sequence[Lying]) -> list[_Meeting]:
        low = np.array([c.corners_mm.min(0) for c in cards]).reshape(-1, 2)
        high = np.array([c.corners_mm.max(0) for c in cards]).reshape(-1, 2)
        found = []
        for i, a in enumerate(cards):
            near = ((low[i] < high) & (low < high[i])).all(1)
            for j in (int(k) + i + 1 for k in np.flatnonzero(near[i + 1 :])):
                b = cards[j]
                said = self._said.get((min(a.key, b.key), max(a.key, b.key)))
                depth = overlap_depth(a.corners_mm, b.corners_mm)
                if depth <= (0.0 if said else _CERTAIN * float(np.hypot(a.sigma_mm, b.sigma_mm))):
                    continue
                score = _LATER * float(np.sign(a.laid - b.laid))
                if said is not None:
                    score += _SHOWN * said.votes / said.looks * (1.0 if a.key < b.key else -1.0)
                common, _ = cv2.intersectConvexConvex(a.corners_mm.astype(np.float32), b.corners_mm.astype(np.float32))
                areas = (abs(signed_area(a.corners_mm)), abs(signed_area(b.corners_mm)))
                found.append(_Meeting(i, j, (common / areas[0], common / areas[1]), score))
        return found


def _laid(cards: Mapping[str, Lying], pair: Pair) -> tuple[int, int]:
    return cards[pair[0]].laid, cards[pair[1]].laid


def _by_what_is_seen(cards: Sequence[Lying], meetings: Sequence[_Meeting]) -> None:
    """Weigh what is visible of the cards: the lower one of two misses what they share.

    Each meeting is weighed as if the others were settled as they now are, the clearest first; twice around is enough
    for the few cards that hang together.
    """
    prior = [m.score for m in meetings]
    for _ in range(2):
        for n in sorted(range(len(meetings)), key=lambda n: -max(meetings[n].shares)):
            m = meetings[n]
            seen = (cards[m.first].visible, cards[m.second].visible)
            if None in seen:
                continue
            others = [o for k, o in enumerate(meetings) if k != n and o.score != 0]
            cost = []
            for first_above in (True, False):
                cost.append(0.0)
                for which, index in enumerate((m.first, m.second)):
                    hidden = sum(_hidden(o, index) for o in others)
                    hidden += m.shares[which] if (which == 1) == first_above else 0.0
                    visible = seen[which]
                    assert visible is not None
                    cost[-1] += (visible - max(0.0, 1 - hidden)) ** 2
            evidence = (cost[1] - cost[0]) / (2 * _VISIBLE_SIGMA**2)
            m.score = prior[n] + float(np.clip(evidence, -_WHOLE, _WHOLE))


def _hidden(meeting: _Meeting, index: int) -> float:
    """The share of that card that the other one of a meeting hides."""
    if index == meeting.first:
        return meeting.shares[0] if meeting.score < 0 else 0.0
    if index == meeting.second:
        return meeting.shares[1] if meeting.score > 0 else 0.0
    return 0.0


def overlap_depth(a: Array, b: Array) -> float:
    """The shortest way to part two convex outlines (n, 2); negative where they lie apart."""
    depth = np.inf
    for outline in (a, b):
        d = np.roll(outline, -1, 0) - outline
        length = np.hypot(d[:, 0], d[:, 1])
        normals = np.c_[d[:, 1], -d[:, 0]][length > 0] / length[length > 0, None]
        p, q = a @ normals.T, b @ normals.T
        # For each direction the shorter of the two ways out.
        ways = np.minimum(p.max(0) - q.min(0), q.max(0) - p.min(0))
        depth = min(depth, float(ways.min()))
    return depth


def layers(keys: Sequence[str], covers: Sequence[Pair]) -> dict[str, int]:
    """How many cards lie below each one, in the highest pile under it."""
    level = dict.fromkeys(keys, 0)
    # More rounds than cards would only go around where cards lie on each other in a ring.
    for _ in range(len(level)):
        steady = True
        for upper, lower in covers:
            if level[upper] <= level[lower] < len(level) - 1:
                level[upper] = level[lower] + 1
                steady = False
        if steady:
            break
    return level
