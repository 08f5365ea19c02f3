"""Which of the pieces that are remembered is which of those that were just seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.tracking.evidence import Evidence
from vision.tracking.memory import STAYED, Seen, Track, agreement

_NEAR = 0.3
"""Cards whose centres lie closer than this share of a card's side may be one card."""
_SURE_ELSEWHERE = 0.9
"""A reading as sure as this is believed though the card should still lie where it lay."""
_FAR = 10.0


def match(
    tracks: Sequence[Track], found: Sequence[Seen], evidence: Evidence, *, lasting: bool = False
) -> list[tuple[int, int]]:
    """Pairs (index of a track, index of a sighting) that are one piece.

    Parameters
    ----------
    tracks, found
        What is remembered, moved with the picture, and what was just seen.
    evidence
        What changed in the picture: a card whose place did not change lies nowhere else.
    lasting
        Whether a card that surely reads and lies otherwise is another one, laid in the place of the first.
    """
    if not tracks or not found:
        return []
    cost = np.full((len(tracks), len(found)), _FAR)
    for t, track in enumerate(tracks):
        centre = track.quad_px.mean(axis=0)
        for n, seen in enumerate(found):
            away = float(np.hypot(*(seen.quad_px.mean(axis=0) - centre))) / track.side_px
            agree = agreement(track.shares, seen.shares)
            if away < _NEAR:
                if not (lasting and _other(track, seen)):
                    cost[t, n] = away + 0.5 * (1 - agree)
            elif agree > _SURE_ELSEWHERE or (agree > 0.5 and evidence.movable(track)):
                # The card itself, laid somewhere else.
                cost[t, n] = 1.0 + 0.1 * min(away, 5.0) - 0.5 * agree
    rows, columns = linear_sum_assignment(cost)
    return [(int(t), int(n)) for t, n in zip(rows, columns, strict=True) if cost[t, n] < _FAR]


def _other(track: Track, seen: Seen) -> bool:
    """Whether a sighting so near is another card, or says nothing of this one: an outline around a hand on it."""
    if track.exchanged(seen):
        return True
    return track.unread(seen) and not near(track, track.turned(seen))


def near(track: Track, seen: Seen) -> bool:
    """Whether a sighting shows a piece about where it lay."""
    return track.off(seen.quad_px) <= STAYED * track.side_px
