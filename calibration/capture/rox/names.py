"""Names of the five elements of a copy of Rox, by symbols and stones that a person pointed at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.capture.cards import LaidCard
from calibration.capture.deck import Example, pointed_at
from calibration.capture.rox.centre import Centres
from calibration.capture.rox.kinds import KINDS
from calibration.capture.rox.ring import WIDTH, Ring
from vision.cards.rectify import apply, homography


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the elements by the numbers of their kinds.

    Parameters
    ----------
    elements
        Each kind's name; a made-up one where it has none.
    nameless
        The made-up ones, where somebody named others: what shows them must be asked about.
    stones
        Kinds of stones that examples show, by the numbers of their cards.
    unplaced
        Examples that point where no card with symbols was found.
    """

    elements: tuple[str, ...]
    nameless: frozenset[str]
    stones: Mapping[int, int]
    unplaced: tuple[Example, ...]


def name_elements(examples: Sequence[Example], cards: Sequence[LaidCard], ring: Ring, centres: Centres) -> Names:
    """Understand all examples together: one that is misread takes no other's name; the last name is the last kind's."""
    called = list(dict.fromkeys(e.name for e in examples))
    likely = np.zeros((len(called), KINDS))
    shown: list[tuple[int, int]] = []
    unplaced = []
    for example in examples:
        i = pointed_at(example, cards)
        if i is None or not ring.has_symbols[i]:
            unplaced.append(example)
            continue
        place = _symbol_at(example.at_px, cards[i], ring)
        name = called.index(example.name)
        if place is None:
            likely[name] += centres.likely[i]
            shown.append((i, name))
        else:
            likely[name, ring.kinds[i, place]] += 1.0
    rows, columns = linear_sum_assignment(-likely)
    kind_of = {int(r): int(c) for r, c in zip(rows, columns, strict=True) if likely[r].any()}
    names = {kind: called[name] for name, kind in kind_of.items()}
    if len(names) == KINDS - 1 and len(called) == KINDS:
        names[next(k for k in range(KINDS) if k not in names)] = next(n for n in called if n not in names.values())
    elements = tuple(names.get(k, f"kind-{k + 1}") for k in range(KINDS))
    nameless = frozenset(elements[k] for k in range(KINDS) if examples and k not in names)
    stones = {i: kind_of[name] for i, name in shown if name in kind_of}
    return Names(elements, nameless, stones, tuple(unplaced))


def _symbol_at(at_px: tuple[float, float], card: LaidCard, ring: Ring) -> int | None:
    """The place of the symbol at a pixel, None where it shows the stone."""
    h = WIDTH * card.size_mm[1] / card.size_mm[0]
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, h], [0, h]]) - 0.5
    at = apply(homography(card.quad_px, corners), np.array([at_px]))[0]
    inside = (at > ring.places.min(0) * 1.7).all() and (at < [WIDTH, h] - ring.places.min(0) * 1.7).all()
    return None if inside else int(np.hypot(*(ring.places - at).T).argmin())
