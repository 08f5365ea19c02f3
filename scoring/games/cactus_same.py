"""The same pieces on two tables of Cactus: which is which, under the names that the record knows."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from scoring.deck_cactus import CactusDeck
from scoring.table import Placement, TableState

SPOT_MM = 4.0
"""Two pieces cannot hang closer than this at one place: what is read there is the same piece."""
NUDGE_MM = 2.5
"""A piece none of whose corners moved by more than this was not touched."""
NAME_SURE = 0.9
PIECE_SURE = 0.5
"""What has no name is a piece only where it is rather one than not."""


def follow(
    deck: CactusDeck,
    known: Iterable[Placement],
    table: TableState,
    trusted: Collection[str] = (),
    own: str | None = None,
) -> TableState:
    """The table with the keys and names by which the record knows its hung pieces.

    Parameters
    ----------
    deck
        The set.
    known
        What hangs by the record.
    table
        A settled table.
    trusted
        Ids that people stated: a piece that hangs where one of these hung keeps that name.
    own
        Key of the piece of this turn: hung anew, it is still that piece where the new reading has no name.

    Returns
    -------
    TableState
        Hung pieces of the record come first. A further one that carries the name of a hung piece has no name.
    """
    old = list(known)
    new = [p for p in table.placements if p.pose.plane in deck.cacti]
    pairs = match(old, new, trusted)
    _pair_own(old, new, pairs, own)
    names: dict[str, str] = {new_key: o.key for new_key, o in pairs.items()}
    used = {o.key for o in old}
    placements: list[Placement] = []
    taken = {o.face for o in pairs.values()}
    for p in table.placements:
        o = pairs.get(p.key) if p.pose.plane in deck.cacti else None
        if o is not None:
            renamed = p if o.face in (None, p.face) else replace(p, face=o.face, confidence=1.0, candidates=())
            placements.append(replace(renamed, key=o.key))
            continue
        key = p.key
        while key in used:
            key += "~"
        used.add(key)
        names.setdefault(p.key, key)
        fresh = replace(p, key=key)
        if p.pose.plane in deck.cacti and p.face is not None and p.face in taken:
            fresh = replace(fresh, face=None, candidates=tuple(c for c in p.candidates if c.face != p.face))
        placements.append(fresh)
    contacts = tuple(
        replace(c, a=names[c.a], b=None if c.b is None else names[c.b])
        for c in table.contacts
        if c.a in names and (c.b is None or c.b in names)
    )
    placements.sort(key=lambda p: p.key not in {o.key for o in old})
    return replace(table, placements=tuple(placements), contacts=contacts)


def match(old: Iterable[Placement], new: Iterable[Placement], trusted: Collection[str]) -> dict[str, Placement]:
    """Which piece of the record each new placement is, by the new key: by place and name, by place, then by name."""
    left, right = list(old), list(new)
    found: dict[str, Placement] = {}

    def pair(candidates: Iterable[tuple[Placement, Placement]]) -> None:
        for o, n in candidates:
            if o in left and n in right:
                found[n.key] = o
                left.remove(o)
                right.remove(n)

    near = [(o, n) for o in left for n in right if o.pose.plane == n.pose.plane and apart_mm(o, n) <= SPOT_MM]
    near.sort(key=lambda both: (both[0].face != both[1].face, apart_mm(*both)))
    pair((o, n) for o, n in near if o.face == n.face or o.face in trusted)
    pair([(o, n) for o in left for n in right if _named(o, n) and o.pose.plane == n.pose.plane])
    pair((o, n) for o, n in near if _weak(o, n))
    pair([(o, n) for o in left for n in right if _named(o, n)])
    return found


def _pair_own(old: list[Placement], new: list[Placement], pairs: dict[str, Placement], own: str | None) -> None:
    """The piece of this turn where it was hung anew on its cactus and the one new reading there has no name."""
    found = {o.key for o in pairs.values()}
    mine = next((o for o in old if o.key == own and own not in found), None)
    rest = [n for n in new if n.key not in pairs]
    if mine is not None and len(rest) == 1 and rest[0].pose.plane == mine.pose.plane and _weak(mine, rest[0]):
        pairs[rest[0].key] = mine


def _weak(o: Placement, n: Placement) -> bool:
    return o.face is None or n.face is None or n.confidence < NAME_SURE


def apart_mm(a: Placement, b: Placement) -> float:
    """Distance of the centres."""
    return math.hypot(a.pose.x_mm - b.pose.x_mm, a.pose.y_mm - b.pose.y_mm)


def moved(a: Placement, b: Placement, limit_mm: float = NUDGE_MM) -> bool:
    """Whether a piece hangs otherwise than before, beyond the doubt of both sightings."""
    if a.pose == b.pose:
        return False
    if a.pose.plane != b.pose.plane:
        return True
    off = max(math.dist(p, q) for p, q in zip(a.corners(), b.corners(), strict=True))
    return off > max(limit_mm, 3 * math.hypot(a.sigma_mm, b.sigma_mm))


def _named(a: Placement, b: Placement) -> bool:
    return a.face is not None and a.face == b.face
