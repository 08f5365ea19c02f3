"""The names that a person gives to what was found alike: kept by where it was seen, so that they outlive a reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webui.commands.copy_deck import Reading, kinds_of, part_at, place_of, raw_kind
from webui.commands.copy_reading import sorts_of

Json = dict[str, Any]


def named(
    game: str, reading: Reading, names: Sequence[Json], kind: str, name: str, usual: Mapping[str, Sequence[str]]
) -> list[Json]:
    """The names with another one.

    Parameters
    ----------
    game, reading
        Of what.
    names
        Those so far.
    kind
        Which kind is named; one of the reading's.
    name
        How; empty takes its name away.
    usual
        Usual names of each sort: the last kind is named by the one that is left over.
    """
    own = next(k for k in reading.kinds if k["key"] == kind)
    sort, field = own["sort"], dict(sorts_of(game))[own["sort"]]

    def stays(said: Json) -> bool:
        n = part_at(reading, said)
        if said["sort"] != sort or n is None:
            return True
        return raw_kind(reading.parts[n], field, said["leader"]) != kind and said["name"] != name

    kept = [said for said in names if stays(said)]
    if not name:
        return kept
    kept.append(_said(reading, own, field, name))
    kinds = [k for k in kinds_of(game, reading, kept) if k.sort == sort]
    left = [n for n in usual.get(sort, ()) if n not in {k.name for k in kinds}]
    nameless = [k for k in kinds if not k.name]
    if len(nameless) == len(left) == 1 and len(kinds) == len(usual[sort]):
        kept.append(_said(reading, reading.kinds[nameless[0].number], field, left[0]))
    return kept


def _said(reading: Reading, kind: Json, field: str, name: str) -> Json:
    part = reading.parts[kind["part"]]
    by_leader = str(part["fields"].get(field)) != kind["key"]
    return {**place_of(part), "sort": kind["sort"], "name": name, "leader": by_leader}
