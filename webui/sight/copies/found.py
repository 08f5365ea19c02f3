"""What was found on the photographs of a copy, as it was kept, and where on them each part and kind was seen."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from webui.sight.copies.reading import leader
from webui.sight.copies.sound import is_read, load_json

Json = dict[str, Any]

DAMAGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What comes of a reading that was changed by hand."""
_NEAR = 0.35  # of its extent: how far a part may be found from where it was when something was said of it


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What was read: the raw deck, `parts.json`, a name that another reading has not, and what was remarked on."""

    deck: Json
    parts: Sequence[Json]
    kinds: Sequence[Json]
    twins: Sequence[Json]
    matrices: int = 0
    name: str = ""
    remarks: tuple[str, ...] = ()


def load_reading(folder: Path) -> Reading | None:
    """What was kept of a reading; None where there is none, or where it is damaged."""
    try:
        data, deck = load_json(folder / "parts.json"), load_json(folder / "deck.json")
        if not is_read(deck, data):
            return None
        return Reading(
            deck,
            data["parts"],
            data["kinds"],
            data["twins"],
            int(data.get("matrices", 0)),
            _name((folder / "parts.json").read_bytes()),
            tuple(r for r in data.get("remarks", ()) if isinstance(r, str)),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _name(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:8]


def place_of(part: Json) -> Json:
    """Where a part was seen first, and all other places, so that it is known again when photos come and go."""
    first, *more = seen_at(part)
    return {**first, "more": more} if more else first


def seen_at(part: Json) -> list[Json]:
    """All places where a part was seen."""
    middles = [(s["photo"], np.mean(np.asarray(s.get("quad", s.get("outline")), float), 0)) for s in part["sightings"]]
    return [{"photo": photo, "at": [round(float(v), 1) for v in middle]} for photo, middle in middles]


def part_at(reading: Reading, place: Json) -> int | None:
    """The number of the part that was seen at a place."""
    best: tuple[float, int] | None = None
    for n, part in enumerate(reading.parts):
        for seen in part["sightings"]:
            if seen["photo"] != place["photo"]:
                continue
            outline = np.asarray(seen.get("quad", seen.get("outline")), float)
            off = float(np.hypot(*(outline.mean(0) - place["at"])))
            if off < _NEAR * float(np.ptp(outline, axis=0).min()) and (best is None or off < best[0]):
                best = (off, n)
    return None if best is None else best[1]


def part_of(reading: Reading, answer: Json) -> int | None:
    """The number of the part that an answer is of: the one at the first of its places that is on a photo."""
    found = (part_at(reading, place) for place in (answer, *answer.get("more", ())))
    return next((n for n in found if n is not None), None)


def kind_at(reading: Reading, said: Json, field: str) -> tuple[str | None, int]:
    """The kind that a name was given to, by the places where it was seen, and how many of them show it."""
    parts = {part_at(reading, place) for place in (said, *said.get("more", ()))} - {None}
    shown = Counter(raw_kind(reading.parts[n], field, said["leader"]) for n in parts if n is not None)
    return shown.most_common(1)[0] if shown else (None, 0)


def raw_kind(part: Json, field: str, by_leader: bool) -> str:
    """The kind that a part shows, as it was read."""
    return leader(part["fields"]) if by_leader else str(part["fields"].get(field))
