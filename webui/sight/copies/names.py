"""The names that a person gives to what was found alike: kept by where it was seen, so that they outlive a reading.

So do answers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from webui.sight.copies.deck import kinds_of
from webui.sight.copies.found import Reading, kind_at, part_of, place_of, raw_kind, seen_at
from webui.sight.copies.reading import sorts_of

Json = dict[str, Any]

PLACES_MAX = 80
"""So many places of a kind, or of a part, are kept: more than a kind has cards, and some of them twice."""
SHOW_KINDS = ("faces", "pieces")
"""Groups whose parts show a kind."""


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
        there, _ = kind_at(reading, said, field) if said["sort"] == sort else (None, 0)
        return there is None or (there != kind and said["name"] != name)

    kept = [said for said in names if stays(said)]
    if not name:
        return kept
    kept.append(_said(reading, own, field, name))
    return completed(game, reading, kept, sort, usual)


def completed(
    game: str, reading: Reading, names: Sequence[Json], sort: str, usual: Mapping[str, Sequence[str]]
) -> list[Json]:
    """The names with that of the last kind of a sort, where only one usual name is left for it."""
    field, kept = dict(sorts_of(game))[sort], list(names)
    kinds = [k for k in kinds_of(game, reading, kept) if k.sort == sort]
    left = [n for n in usual.get(sort, ()) if n not in {k.name for k in kinds}]
    nameless = [k for k in kinds if not k.name]
    if len(nameless) == len(left) == 1 and len(kinds) == len(usual[sort]):
        kept.append(_said(reading, reading.kinds[nameless[0].number], field, left[0]))
    return kept


def remembered(game: str, reading: Reading, names: Sequence[Json]) -> list[Json]:
    """The names with all places where their kinds are seen, so that they outlive the photo on which they were given."""
    fields, out = dict(sorts_of(game)), []
    for said in names:
        field = fields[said["sort"]]
        kind, _ = kind_at(reading, said, field)
        own = [p for p in reading.parts if p["group"] in SHOW_KINDS and raw_kind(p, field, said["leader"]) == kind]
        # where each is seen first comes first
        rounds = itertools.zip_longest(*(seen_at(p) for p in own))
        places = [place for seen in rounds for place in seen if place is not None]
        out.append({**said, "more": places[:PLACES_MAX]} if own else said)
    return out


def placed(reading: Reading, answers: Sequence[Json]) -> list[Json]:
    """The answers with all places where their parts are seen now; those where they were seen before stay, too."""
    out = []
    for said in answers:
        n = part_of(reading, said)
        now = [] if n is None else seen_at(reading.parts[n])
        was = [{k: place[k] for k in ("photo", "at")} for place in (said, *said.get("more", ()))]
        first, *more = [*now, *(place for place in was if place not in now)][:PLACES_MAX]
        out.append({**said, **first, "more": more} if more else said)
    return out


def keep_places(copy: Json, reading: Reading) -> Json:
    """Names and answers, also those that can be taken back to, with the places of the reading that is replaced."""

    def kept(said: Json) -> Json:
        names = remembered(copy["game"], reading, said["names"])
        return {"names": names, "answers": placed(reading, said["answers"])}

    return kept(copy) | {"before": [said | kept(said) for said in copy.get("before", [])]}


def _said(reading: Reading, kind: Json, field: str, name: str) -> Json:
    part = reading.parts[kind["part"]]
    by_leader = str(part["fields"].get(field)) != kind["key"]
    return {**place_of(part), "sort": kind["sort"], "name": name, "leader": by_leader}
