"""A copy of Rox from photographs of its cards: stones, edge symbols and values read without knowing the artwork."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.capture.cards import LaidCard
from calibration.capture.deck import (
    CENTER,
    EDGE,
    Enrolled,
    Json,
    Part,
    Photo,
    Said,
    Sign,
    Wishes,
    cards_as_seen,
    faces_of,
    px_per_mm,
    same_size,
    sighting,
)
from calibration.capture.light import averaged, light_fields, relit
from calibration.capture.rox.alike import clearer
from calibration.capture.rox.centre import Centres, read_centres
from calibration.capture.rox.counted import counted_values
from calibration.capture.rox.doubtful import doubtful_signs, doubtful_stone
from calibration.capture.rox.evened import evenly_printed, stones_alike
from calibration.capture.rox.kinds import KINDS
from calibration.capture.rox.layouts import two_layouts
from calibration.capture.rox.names import name_elements
from calibration.capture.rox.printed import by_their_print, in_line, moved, outline_of
from calibration.capture.rox.ring import WIDTH, Ring, at_width, read_ring, upright
from calibration.capture.rox.values import read_values

CARDS, SCORING_CARDS = 60, 15
"""What the game has."""

_DOUBTFUL = 0.35  # misfit of the best kind as a share of the next best's from which a symbol is asked about
_STONE_DOUBTFUL = 0.2
_MISREAD = 1  # symbols that may differ between two readings of one card, if they are doubtful ones
_WEAK = 0.5
_COMMON, _RARE = 20.0, 0.2  # symbols of a kind that a photo should show, and the share of them that is too few


@dataclass(slots=True, eq=False)
class _Face:
    """One element card: numbers of its sightings, kinds and doubts of its symbols, its stone."""

    cards: list[int]
    kinds: NDArray[np.intp]
    doubt: NDArray[np.float64]
    stone: int
    stone_doubt: float


def enroll_rox(photos: Sequence[Photo], wishes: Wishes, said: Said) -> Enrolled:
    """Read a copy of Rox; see the contract of `referee enroll`."""
    stated = wishes.card_mm
    wishes, cards = cards_as_seen(photos, wishes, said)
    alike = [i for i, c in enumerate(cards) if same_size(c.size_mm, wishes.card_mm)]
    cards = by_their_print([p.rgb for p in photos], cards, alike)
    element = [c for c in cards if same_size(c.size_mm, wishes.card_mm)]
    other = [c for c in cards if not same_size(c.size_mm, wishes.card_mm)]
    remarks: list[str] = []
    if wishes.card_mm != stated:
        remarks.append(
            f"the cards are not {stated[0]:g} x {stated[1]:g} mm: as these photos show them they are "
            f"{wishes.card_mm[0]:g} x {wishes.card_mm[1]:g} mm if their shorter side is as stated"
        )
    if len(element) < KINDS:
        remarks.append(f"only {len(element)} cards of {wishes.card_mm[0]:g} x {wishes.card_mm[1]:g} mm found")
        return Enrolled({}, (), {}, tuple(remarks))
    scale = px_per_mm(element)
    faces = faces_of(photos, element, scale)
    rgb = at_width(faces)
    ring = read_ring(rgb, [c.photo for c in element], two_layouts(faces))
    if ring is None:
        return Enrolled({}, (), {}, ("no card with symbols round its edge found",))
    said("symbols")
    numbers = _scoring(photos, [element[i] for i in np.nonzero(~ring.has_symbols)[0]], scale)
    # what is unlike a scoring card and shows no value is taken for an element card, and asked about
    scoring = np.zeros(len(element), bool)
    scoring[~ring.has_symbols] = [not p.asks for p in numbers]
    scoring |= ~ring.has_symbols & ~ring.odd
    numbers = [p for p, is_one in zip(numbers, scoring[~ring.has_symbols], strict=True) if is_one]
    ring = replace(ring, has_symbols=~scoring)
    centres = read_centres(ring)
    named = name_elements(wishes.examples, element, ring, centres)
    names = named.elements
    for i, kind in named.stones.items():
        centres.kinds[i], centres.doubt[i] = kind, 0.0
    found = _faces(ring, centres)
    with_ring = [int(i) for i in np.nonzero(ring.has_symbols)[0]]
    standing = [upright(faces[i], int(ring.turned[i])) for i in with_ring]
    ways = in_line(standing)
    standing = [moved(f, by) for f, by in zip(standing, ways, strict=True)]
    outlines = {
        i: outline_of(np.roll(element[i].quad_px, -int(ring.turned[i]), 0), by, f.shape)
        for i, by, f in zip(with_ring, ways, standing, strict=True)
    }
    lit = [relit(f, fit) for f, fit in zip(standing, light_fields(standing), strict=True)]
    larger = faces[0].shape[1] / WIDTH
    kinds, doubt = (np.stack(v) for v in zip(*(ring.upright(i) for i in with_ring), strict=True))
    places = (ring.places + 0.5) * larger - 0.5
    even = evenly_printed(lit, places, ring.radius * larger, kinds)
    stones_of = centres.kinds[with_ring]
    clear = clearer(stones_alike(even, places, stones_of), places, ring.radius * larger, kinds, doubt, stones_of)
    shown = dict(zip(with_ring, lit, strict=True))
    clean = dict(zip(with_ring, clear, strict=True))
    parts: list[Part] = []
    for number, face in enumerate(found, 1):
        seen = tuple(sighting(photos[element[i].photo], outlines[i]) for i in face.cards)
        part = _part(f"R{number:02d}", face, names, seen, averaged([clean[i] for i in face.cards]))
        parts.append(replace(part, signs=_signs(ring, centres, face, names, shown)))
    parts = [_asked_where_nameless(p, named.nameless) for p in _ask_odd_ones(parts)]
    remarks += [f"{photos[e.photo].name}: where {e.name} points no element card was found" for e in named.unplaced]
    pale = _without_a_kind(ring, [c.photo for c in element])
    if pale:
        parts = [_asked_where_pale(p, f, element, pale) for p, f in zip(parts, found, strict=True)]
        names_of = ", ".join(photos[n].name for n in sorted(pale))
        remarks.append(f"{names_of}: in its light some elements look alike: take it again in softer light")
    if not centres.matched:
        # the examples name stones; where stones and symbols cannot be paired, the symbols' names are a guess
        parts = [replace(p, asks=("center", "edge"), signs=()) for p in parts]
        remarks.append("stones and edge symbols could not be paired: give an example of each edge symbol, too")
    if len(numbers) > len(other) > 0:
        # scoring cards are all of one size
        said_of = ", ".join(photos[n].name for n in sorted({c.photo for c in other}))
        remarks.append(f"{said_of}: {len(other)} shapes of other sizes are taken for no cards")
        other = []
    numbers += _scoring(photos, other, px_per_mm(other)) if other else []
    numbers = counted_values(numbers, SCORING_CARDS)
    parts += [_numbered(p, n) for n, p in enumerate(numbers, 1)]
    parts = [p.answered(wishes.answers) for p in parts]
    said("faces")
    if len(found) != CARDS:
        remarks.append(f"{len(found)} element cards found, the game has {CARDS}")
    if len(numbers) != SCORING_CARDS:
        remarks.append(f"{len(numbers)} scoring cards found, the game has {SCORING_CARDS}")
    size = other[0].size_mm if other and not scoring.any() else wishes.card_mm
    return Enrolled(_deck(wishes, names, parts, size), tuple(parts), {}, tuple(remarks))


def _faces(ring: Ring, centres: Centres) -> list[_Face]:
    """The faces: cards that show the same are one, seen more than once."""
    out: list[_Face] = []
    for i in np.nonzero(ring.has_symbols)[0]:
        kinds, doubt = ring.upright(int(i))
        for face in out:
            differ = face.kinds != kinds
            if differ.sum() <= _MISREAD and (np.maximum(face.doubt, doubt)[differ] > _WEAK).all():
                if centres.kinds[i] != face.stone and max(centres.doubt[i], face.stone_doubt) < _WEAK:
                    continue
                better = doubt < face.doubt
                face.kinds, face.doubt = np.where(better, kinds, face.kinds), np.minimum(doubt, face.doubt)
                if centres.doubt[i] < face.stone_doubt:
                    face.stone, face.stone_doubt = int(centres.kinds[i]), float(centres.doubt[i])
                face.cards.append(int(i))
                break
        else:
            out.append(_Face([int(i)], kinds, doubt, int(centres.kinds[i]), float(centres.doubt[i])))
    return out


def _part(name: str, face: _Face, names: Sequence[str], seen: tuple[Json, ...], picture: NDArray[np.uint8]) -> Part:
    counts = Counter(names[k] for k in face.kinds)
    edge = {n: counts[n] for n in names if counts[n]}
    asks = []
    if face.stone_doubt > _STONE_DOUBTFUL or face.doubt.min() > _STONE_DOUBTFUL:
        asks.append("center")
    if face.doubt.max() > _DOUBTFUL:
        asks.append("edge")
    fields = {"id": name, "image": f"{name}.jpg", "center": names[face.stone], "edge": edge}
    return Part(name, "faces", fields, seen, tuple(asks), picture)


def _signs(
    ring: Ring, centres: Centres, face: _Face, names: Sequence[str], pictures: Mapping[int, NDArray[Any]]
) -> tuple[Sign, ...]:
    """What is doubtful of a face, to be looked at beside what looks alike; none of a card in doubt as a whole."""
    signs = doubtful_signs(ring, face.cards, [names[k] for k in face.kinds], face.doubt > _DOUBTFUL, pictures)
    if face.stone_doubt > _STONE_DOUBTFUL >= face.doubt.min():
        clearest = min(face.cards, key=lambda i: float(centres.doubt[i]))
        return (*signs, doubtful_stone(ring, names[face.stone], pictures[clearest]))
    return signs


def _ask_odd_ones(parts: list[Part]) -> list[Part]:
    """A card on which two elements tie for most is asked about where that is no habit of this copy."""

    def tied(part: Part) -> bool:
        counts = sorted(part.fields["edge"].values())
        return len(counts) > 1 and counts[-1] == counts[-2]

    odd = [p for p in parts if tied(p)]
    if len(odd) > len(parts) // 4:
        return parts
    stones = [tuple(s for s in p.signs if s.field == CENTER) for p in parts]
    return [
        replace(p, asks=tuple(dict.fromkeys([*p.asks, EDGE])), signs=own) if tied(p) else p
        for p, own in zip(parts, stones, strict=True)
    ]


def _without_a_kind(ring: Ring, photos: Sequence[int]) -> set[int]:
    """The photos on which hardly a symbol is of a kind that others have often: a lamp makes it look like another."""
    on = np.array(photos)
    counts = {
        n: np.bincount(ring.kinds[ring.has_symbols & (on == n)].ravel(), minlength=KINDS)
        for n in set(on[ring.has_symbols].tolist())
    }
    whole = np.sum(list(counts.values()), axis=0)
    out = set()
    for n, count in counts.items():
        others = whole - count
        expected = others / max(int(others.sum()), 1) * count.sum()
        if ((expected > _COMMON) & (count < _RARE * expected)).any():
            out.add(n)
    return out


def _asked_where_pale(part: Part, face: _Face, cards: Sequence[LaidCard], pale: set[int]) -> Part:
    """The part, asked about where it was seen on such photos only."""
    if not all(cards[i].photo in pale for i in face.cards):
        return part
    return replace(part, asks=("center", "edge"), signs=())


def _asked_where_nameless(part: Part, nameless: frozenset[str]) -> Part:
    """The part, asked about what shows an element that nobody named though others were."""
    asks = [CENTER] if part.fields["center"] in nameless else []
    asks += [EDGE] if nameless & set(part.fields["edge"]) else []
    return replace(part, asks=tuple(dict.fromkeys([*part.asks, *asks])))


def _numbered(part: Part, number: int) -> Part:
    name = f"P{number:02d}"
    fields = {"id": name, "image": f"{name}.jpg", **part.fields}
    return replace(part, id=name, fields=fields)


def _scoring(photos: Sequence[Photo], cards: Sequence[LaidCard], scale: float) -> list[Part]:
    """The scoring cards with what is written on them."""
    if not cards:
        return []
    faces = faces_of(photos, cards, scale)
    clean = [averaged([relit(f, fit)]) for f, fit in zip(faces, light_fields(faces), strict=True)]
    out = []
    for card, face, read in zip(cards, clean, read_values(clean), strict=True):
        fields: Json = {"value": read.value}
        seen = (sighting(photos[card.photo], card.quad_px),)
        out.append(Part("", "scoring", fields, seen, () if read.sure else ("value",), face))
    return out


def _deck(wishes: Wishes, names: Sequence[str], parts: Sequence[Part], scoring_mm: tuple[float, float]) -> Json:
    deck: Json = {
        "format": 1,
        "game": "rox",
        "name": "my-rox",
        "card_mm": list(wishes.card_mm),
        "corner_radius_mm": round(0.05 * min(wishes.card_mm), 1),
        "elements": list(names),
        "faces": [p.fields for p in parts if p.group == "faces"],
    }
    scoring = [p.fields for p in parts if p.group == "scoring"]
    if scoring:
        deck["scoring_cards"] = {"card_mm": list(scoring_mm), "faces": scoring}
    return deck
