"""What a picture that was read for itself cannot know: the cards below others, and which of two came first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import shapely

from scoring import geometry
from scoring.games.conex_same import compatible, still
from scoring.table import Placement, Side, TableState

HIDDEN_SHARE = 0.3
"""A card of which so much lies below others may well be missed in a picture that knows nothing of it."""

Pair = tuple[str, str]


def carried(known: TableState, table: TableState, *, free: bool) -> TableState:
    """The table of a single picture with what the match knows of it already.

    Parameters
    ----------
    known
        The table as the match knows it.
    table
        The later one, with the keys of the match.
    free
        Whether a card may have been taken off since: then one whose place a new card covers is not said to lie there.

    Returns
    -------
    TableState
        A card that is not in the picture lies where it lay, unseen, if those that lie on it cover enough of it. Cards
        that lie as they lay lie on each other as they did, and what is new lies above them.
    """
    old = {p.key: p for p in known.placements}
    lying = {p.key for p in table.placements if p.key in old and _lies(old[p.key], p)}
    fresh = {p.key for p in table.placements if p.key not in old and p.side is not Side.BACK}
    hidden = tuple(
        replace(p, visible=0.0)
        for p in known.placements
        if p.key not in {q.key for q in table.placements}
        and p.side is not Side.BACK
        and _covered_share(p, _lids(p, known, table, lying, set() if free else fresh)) >= HIDDEN_SHARE
    )
    stays = lying | {p.key for p in hidden}
    covers = {pair for pair in known.covers if stays.issuperset(pair)}
    covers |= {_upright(pair, fresh, stays) for pair in table.covers if not stays.issuperset(pair)}
    covers |= {(q.key, p.key) for p in hidden for q in table.placements if q.key in fresh and _meet(p, q)}
    level = _levels([p.key for p in (*table.placements, *hidden)], covers)
    placements = tuple(replace(p, layer=level[p.key]) for p in (*table.placements, *hidden))
    return replace(table, placements=placements, covers=tuple(sorted(covers)))


def _lies(before: Placement, after: Placement) -> bool:
    return still(before, after) and compatible(before, after)


def _lids(
    piece: Placement, known: TableState, table: TableState, lying: set[str], fresh: set[str]
) -> tuple[Placement, ...]:
    """What lies on a card that is not in the picture: what lay on it before and does still, and what is new."""
    above = {upper for upper, lower in known.covers if lower == piece.key} & lying
    return tuple(p for p in table.placements if p.key in above or p.key in fresh)


def _covered_share(piece: Placement, lids: Iterable[Placement]) -> float:
    card = geometry.polygon(piece.corners())
    lid = shapely.union_all([geometry.polygon(p.corners()) for p in lids])
    return float(card.intersection(lid).area / card.area)


def _meet(a: Placement, b: Placement) -> bool:
    return geometry.overlap_mm2(a.corners(), b.corners()) > 0


def _upright(pair: Pair, fresh: set[str], stays: set[str]) -> Pair:
    """The pair with the card that came later above."""
    upper, lower = pair
    return (lower, upper) if upper in stays and lower in fresh else pair


def _levels(keys: Iterable[str], covers: Iterable[Pair]) -> dict[str, int]:
    """Layers: a card lies one above the highest that it covers; a ring of covers ends where it began."""
    below: dict[str, set[str]] = {key: set() for key in keys}
    for upper, lower in covers:
        if upper in below and lower in below:
            below[upper].add(lower)
    level = dict.fromkeys(below, 0)
    for _ in below:
        again = {k: 1 + max((level[u] for u in under), default=-1) for k, under in below.items()}
        if again == level:
            break
        level = again
    return level
