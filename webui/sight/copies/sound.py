"""Whether what was kept of a copy is whole: files that were changed by hand, or broken, are no surprise later."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from webui.owncopy.copying import GROUPS

Json = dict[str, Any]

NUMBER_MAX = 1e9
"""No number in such a file is larger: pixels, mm, counts."""


def load_json(path: Path) -> Any:
    """What a file says; raises OSError or ValueError where it is none, or where it could not be written again so."""
    if path.exists() and not path.is_file():
        raise ValueError(path.name)  # a pipe or a device has no end
    written = path.read_text(encoding="utf-8-sig")
    said = json.loads(written)
    if "\\ud" in written.lower():  # half a letter may stand there
        json.dumps(said, ensure_ascii=False).encode()
    return said


def is_read(deck: Any, data: Any) -> bool:
    """Whether the raw deck and `parts.json` hold what a reading holds."""
    if not isinstance(deck, dict) or not isinstance(data, dict):
        return False
    parts, kinds, twins = (data.get(k) for k in ("parts", "kinds", "twins"))
    count = len(parts) if isinstance(parts, list) else 0
    return (
        _all(parts, _is_part)
        and _all(kinds, lambda k: _texts(k, "sort", "key") and _number(k.get("part", -1)) and k.get("part", -1) < count)
        and _all(twins, lambda t: all(_below(t.get(k), count) for k in "ab") and _number(t.get("similarity")))
        and all(isinstance(t.get("same"), bool) for t in twins or ())
        and _below(data.get("matrices", 0), 100)
    )


def is_said(entry: Any) -> bool:
    """Whether an answer or a name tells where on which photo what it is of was seen."""
    return (
        _is_place(entry)
        and ("fields" not in entry or isinstance(entry["fields"], dict))
        and ("sort" not in entry or (_texts(entry, "sort", "name") and isinstance(entry.get("leader"), bool)))
        and ("sort" in entry or "fields" in entry)
        and _all(entry.get("more", []), _is_place)
    )


def are_sizes(sizes: Any) -> bool:
    """Whether these are sizes that were stated, by the ids of parts."""
    return isinstance(sizes, dict) and all(isinstance(own, dict) for own in sizes.values())


def _is_place(entry: Any) -> bool:
    at = entry.get("at") if isinstance(entry, dict) else None
    return _texts(entry, "photo") and isinstance(at, list) and len(at) == 2 and all(map(_number, at))


def _is_part(part: Any) -> bool:
    if not _texts(part, "id", "group") or part["group"] not in GROUPS:
        return False
    asks, fields, seen = (part.get(k) for k in ("asks", "fields", "sightings"))
    return (
        isinstance(asks, list)
        and all(isinstance(a, str) for a in asks)
        and isinstance(fields, dict)
        and all(check(fields[name]) for name, check in FIELDS.items() if name in fields)
        and any(fields.keys() >= due for due in DUE[part["group"]])
        and _all(seen, _is_sighting)
        and len(seen) > 0
    )


def _is_sighting(seen: Any) -> bool:
    return _texts(seen, "photo") and _points(seen.get("quad", seen.get("outline")))


def _texts(entry: Any, *names: str) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(n), str) for n in names)


def _all(entries: Any, check: Callable[[Any], bool]) -> bool:
    return isinstance(entries, list) and all(isinstance(e, dict) and check(e) for e in entries)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) <= NUMBER_MAX


def _below(value: Any, count: int) -> bool:
    return isinstance(value, int) and 0 <= value < count


def _points(value: Any, more_than: int = 2) -> bool:
    return (
        isinstance(value, list)
        and len(value) > more_than
        and all(isinstance(p, list) and len(p) == 2 and all(map(_number, p)) for p in value)
    )


def _word(value: Any) -> bool:
    return value is None or isinstance(value, str)


FIELDS: Mapping[str, Callable[[Any], bool]] = {
    "id": lambda v: isinstance(v, str),
    "center": _word,
    "color": _word,
    "shape": _word,
    "symbol": _word,
    "edge": lambda v: isinstance(v, dict) and all(map(_number, v.values())),
    "value": lambda v: v is None or _number(v),
    "corners": lambda v: _all(v, lambda c: _texts(c, "color") and _points(c.get("region"))),
    "outline": _points,
    "size_mm": lambda v: _number(v) and v > 0,
    "track": lambda v: _points(v, 0),
    "spaces": lambda v: _all(v, lambda s: _points(s.get("region"))),
}
"""What the fields of a part may hold, of those that the program counts on."""
DUE: Mapping[str, tuple[set[str], ...]] = {
    "faces": ({"center", "edge"}, {"color", "symbol", "corners"}),
    "scoring": ({"value"},),
    "pieces": ({"color", "shape", "outline"},),
    "cacti": ({"outline"},),
    "board": ({"size_mm", "spaces"},),
}
"""The fields that a part of each group has, for faces those of either game."""
