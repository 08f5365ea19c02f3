"""Which card is which in two settled tables of CONEX, where a key is no proof: after a restart, or in single photos."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count

from scoring import geometry
from scoring.games.conex_step import CARD_SURE, STILL_MM
from scoring.table import BOARD, Candidate, Placement, TableState

NUDGE_MM = 1.0
"""A waiting card that was moved by more than this was put right: it is judged again."""


def on_play(table: TableState) -> TableState:
    """The table without cards that lie wholly outside the agreed playing area: they are not in the game."""
    try:
        geometry.polygon(table.area)
    except ValueError:
        return table  # no area was agreed
    inside = tuple(p for p in table.placements if geometry.overlap_mm2(p.corners(), table.area) > 0)
    return replace(table, placements=inside)


def match_keys(before: TableState, after: TableState) -> dict[str, str]:
    """Which card is which: keys of `before` to keys of `after`.

    A tracker keeps keys, but single photos and a restart do not. So a card is first known by its key where its face or
    its place says the same, then by its face (each card exists once), then by its place, and by its key alone last.
    """
    old = {p.key: p for p in before.placements}
    new = {p.key: p for p in after.placements}
    pairs: dict[str, str] = {}
    for key in old.keys() & new.keys():
        if still(old[key], new[key]) or _same_face(old[key], new[key]):
            pairs[key] = key
    for same in (_same_face, _same_place, _same_key):
        for a in sorted(old.keys() - pairs.keys()):
            free = [b for b in sorted(new.keys() - set(pairs.values())) if same(old[a], new[b])]
            if free:
                pairs[a] = free[0]
    return pairs


def keys_in_match(known: TableState, former: Iterable[Placement], table: TableState) -> dict[str, str]:
    """The keys by which a match calls the cards of a table, by the keys that they have there.

    Parameters
    ----------
    known
        The table as the match knows it.
    former
        Further cards that a key of the match means: those that lay there and are gone.
    table
        Another table. A card that is none of these keeps its key where no other card of the match has it.
    """
    names = {new: old for old, new in match_keys(known, table).items()}
    lay = list(former)
    taken = {BOARD, *(p.key for p in known.placements), *(p.key for p in lay)}
    fresh = [p for p in table.placements if p.key not in names]
    for piece in sorted(fresh, key=lambda p: p.key):
        back = next((p.key for p in lay if _same_place(p, piece) and p.key not in names.values()), None)
        names[piece.key] = back or next(k for k in _keys_like(piece.key) if k not in taken)
        taken.add(names[piece.key])
    return names


def _keys_like(key: str) -> Iterator[str]:
    yield key
    for n in count(2):
        yield f"{key}.{n}"


def follow(before: TableState, after: TableState) -> TableState:
    """The later table with the names that the earlier one knew.

    A card that lies where it lay keeps the name that was accepted; where a picture surely says otherwise the name is in
    doubt from now on. A new card with the name of one that still lies has no name: each card exists once.
    """
    pairs = {new: old for old, new in match_keys(before, after).items()}
    old = {p.key: p for p in before.placements}
    known = {old[k].face for k in pairs.values()} - {None}

    def name(piece: Placement) -> Placement:
        if piece.key not in pairs:
            if piece.face not in known:
                return piece
            return replace(piece, face=None, confidence=max(piece.confidence, CARD_SURE), candidates=())
        was = old[pairs[piece.key]]
        if was.face is None or was.face == piece.face:
            return replace(piece, confidence=max(piece.confidence, was.confidence)) if was.face else piece
        doubt = piece.face is not None and piece.confidence >= was.confidence and was.confidence < 1
        if not doubt:
            return replace(piece, face=was.face, confidence=was.confidence, candidates=was.candidates)
        both = (Candidate(was.face, 0.5), Candidate(piece.face, 0.5))
        return replace(piece, face=was.face, confidence=0.5, candidates=both)

    return replace(after, placements=tuple(name(p) for p in after.placements))


def renamed(table: TableState, names: dict[str, str]) -> TableState:
    """The table with other keys; what has no new name keeps its own."""
    return replace(
        table,
        placements=tuple(replace(p, key=names.get(p.key, p.key)) for p in table.placements),
        covers=tuple((names.get(a, a), names.get(b, b)) for a, b in table.covers),
        tokens=tuple(t if t.on is None else replace(t, on=names.get(t.on, t.on)) for t in table.tokens),
    )


def without(table: TableState, key: str) -> TableState:
    """The table without that card and what lay on it: nobody saw yet where that was put."""
    return replace(
        table,
        placements=tuple(p for p in table.placements if p.key != key),
        covers=tuple(c for c in table.covers if key not in c),
        tokens=tuple(t for t in table.tokens if t.on != key),
    )


def moved(a: Placement, b: Placement, limit_mm: float) -> bool:
    """Whether a corner lies elsewhere by more than the limit, and by more than the doubt of the two sightings."""
    return apart_mm(a, b) > max(limit_mm, 3 * math.hypot(a.sigma_mm, b.sigma_mm))


def apart_mm(a: Placement, b: Placement) -> float:
    """The farthest that a corner moved."""
    return max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))


def still(a: Placement, b: Placement) -> bool:
    """Whether the two lie in one place."""
    return not moved(a, b, STILL_MM)


def compatible(a: Placement, b: Placement) -> bool:
    """Whether the two may be one card, by what was read."""
    return a.face is None or b.face is None or a.face == b.face or min(a.confidence, b.confidence) < CARD_SURE


def _same_face(a: Placement, b: Placement) -> bool:
    return a.face is not None and a.face == b.face and min(a.confidence, b.confidence) >= CARD_SURE


def _same_place(a: Placement, b: Placement) -> bool:
    return still(a, b) and compatible(a, b)


def _same_key(a: Placement, b: Placement) -> bool:
    return a.key == b.key and compatible(a, b)
