"""What a placement's reading says about its face: the probability of each card that it may be."""

from __future__ import annotations

import math
from collections.abc import Container

from scoring.table import Placement, Side, TableState

Belief = dict[str, float]
"""Face id to probability; what is missing to 1 is unread."""


def beliefs(table: TableState, faces: Container[str]) -> dict[str, Belief]:
    """Probability of each face, by placement.

    Parameters
    ----------
    table
        The settled table.
    faces
        The faces that count; a reading as anything else is unread.
    """
    single = _single_faces(table)
    return {p.key: _belief(p, faces, single.get(p.key)) for p in table.placements}


def _belief(piece: Placement, faces: Container[str], confidence: float | None) -> Belief:
    if piece.side is Side.BACK:
        return {}
    belief = {c.face: c.probability for c in piece.candidates if c.face is not None}
    if piece.face is not None:
        belief.pop(piece.face, None)
        named = piece.confidence if confidence is None else confidence
        rest = sum(belief.values())
        # The confidence in the named face has the last word; the other readings share what it leaves.
        room = max(0.0, 1.0 - named)
        if rest > room:
            belief = {f: p * room / rest for f, p in belief.items()}
        belief[piece.face] = named
    return {f: p for f, p in belief.items() if f in faces and p > 0}


def _single_faces(table: TableState) -> dict[str, float]:
    """Confidence of faces read at several places, given that a deck has each card once."""
    places: dict[str, list[Placement]] = {}
    for p in table.placements:
        if p.face is not None:
            places.setdefault(p.face, []).append(p)
    single: dict[str, float] = {}
    for group in places.values():
        if len(group) < 2:
            continue
        none = math.prod(1 - p.confidence for p in group)
        weights = [p.confidence * math.prod(1 - q.confidence for q in group if q is not p) for p in group]
        total = sum(weights) + none
        for p, w in zip(group, weights, strict=True):
            single[p.key] = w / total if total > 0 else 1 / len(group)
    return single
