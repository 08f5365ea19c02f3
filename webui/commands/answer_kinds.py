"""Of which kind an answer about a field is: a name, a number, counts, an outline."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from calibration.capture.cactus.sizes import BASE, BASE_SIDES, HEIGHT, LENGTH, THICKNESS
from calibration.capture.deck import CENTER, EDGE

_NAME_MAX = 100
_WHOLE_MAX = 999
_MM_MAX = 1000.0
_LARGEST = 1e9


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(value.strip()) and len(value) <= _NAME_MAX


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _is_name(value) and not value.startswith(".") and not set(value) & set("/\\")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _WHOLE_MAX


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _is_mm(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MM_MAX


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_name(k) and _is_whole(n) for k, n in value.items())


def _are_sides(value: object) -> bool:
    return isinstance(value, dict) and all(k in BASE_SIDES and _is_mm(v) for k, v in value.items())


def _is_outline(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(p, list) and len(p) == 2 and all(_is_number(v) for v in p) for p in value
    )


_Kind = tuple[Callable[[object], bool], str]
_NAME: _Kind = (_is_name, 'a name in quotes, such as "fire"')
_NAME_OR_NONE: _Kind = (lambda v: v is None or _is_name(v), 'a name in quotes, such as "ring", or null')
_SIZE: _Kind = (_is_mm, f"a number of mm up to {_MM_MAX:g}, such as 38.5")
_OBJECTS: _Kind = (lambda v: isinstance(v, list) and all(isinstance(o, dict) for o in v), "a list of objects in braces")
KINDS: Mapping[str, _Kind] = {
    "id": (_is_id, 'a name in quotes without strokes, such as "R01"'),
    CENTER: _NAME,
    EDGE: (_are_counts, 'how many there are of each symbol, such as {"fire": 3}'),
    "value": (_is_whole, f"a whole number from 0 to {_WHOLE_MAX}"),
    "color": _NAME,
    "symbol": _NAME_OR_NONE,
    "shape": _NAME_OR_NONE,
    "special": (lambda v: isinstance(v, bool), "true or false"),
    "corners": _OBJECTS,
    "outline": (_is_outline, "a list of points [x, y] in mm"),
    "size_mm": _SIZE,
    LENGTH: _SIZE,
    HEIGHT: _SIZE,
    THICKNESS: _SIZE,
    BASE: (_are_sides, f"an object of mm with {', '.join(BASE_SIDES)}"),
}


def unlike(field: str, value: object) -> str:
    """What is wanted of a field in the place of such a value; empty where it may be."""
    kind = KINDS.get(field)
    if kind is not None and not kind[0](value):
        return kind[1]
    return "" if _holds_plain_numbers(value) else f"numbers up to {_LARGEST:g}"


def _holds_plain_numbers(value: object) -> bool:
    if isinstance(value, dict | list):
        return all(_holds_plain_numbers(v) for v in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, bool) or not isinstance(value, int | float) or _is_number(value)
