"""Of which kind an answer about a field is: a name, a number, counts, an outline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from calibration.capture.cactus.sizes import BASE, BASE_SIDES, HEIGHT, LENGTH, THICKNESS, WHOLE
from calibration.capture.conex.deck import PAWNS, STARS, SWAPPED
from calibration.capture.deck import AS_READ, CENTER, EDGE
from scoring.deck_conex import SYMBOLS
from scoring.usual_sizes import BASE as USUAL_BASE
from scoring.usual_sizes import BOARD, CACTUS, PIECE, Usual
from scoring.usual_sizes import THICKNESS as USUAL_THICKNESS

_NAME_MAX = 100
_WHOLE_MAX = 999
_LARGEST = 1e9
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_POINTS_LEAST = 3


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(value.strip()) and len(value) <= _NAME_MAX


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _is_name(value) and not value.startswith(".") and not set(value) & set("/\\")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _WHOLE_MAX


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(_is_name(k) and _is_whole(n) for k, n in value.items())


def _is_size(value: object, usual: Usual) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and usual.holds(value)


def _are_sides(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == set(BASE_SIDES)
        and all(_is_size(value[side], usual) for side, usual in USUAL_BASE.items())
    )


def _are_points(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) >= _POINTS_LEAST
        and all(isinstance(p, list) and len(p) == 2 and all(_is_number(v) for v in p) for p in value)
    )


def _are_coloured(value: object, *more: str) -> bool:
    """Whether it is a list of coloured regions that tell nothing but their colour, the region, and what else is due."""
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and set(one) == {"color", "region", *more}
        and _is_name(one["color"])
        and _are_points(one["region"])
        and all(_is_whole(one[name]) for name in more)
        for one in value
    )


def _are_colours(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(_is_name(k) and isinstance(v, str) and _COLOUR.fullmatch(v) is not None for k, v in value.items())
    )


_Kind = tuple[Callable[[object], bool], str]


def _size(usual: Usual) -> _Kind:
    likely = f"a number of mm from {usual.least_mm:g} to {usual.most_mm:g}; about {usual.mm:g} are usual"
    return (lambda value: _is_size(value, usual), likely)


_NAME: _Kind = (_is_name, 'a name in quotes, such as "fire"')
_NAME_OR_NONE: _Kind = (lambda v: v is None or _is_name(v), 'a name in quotes, such as "ring", or null')
_SIDES = ", ".join(f"{side} ({usual.least_mm:g} to {usual.most_mm:g})" for side, usual in USUAL_BASE.items())
_CORNER = '{"color": "red", "value": 3, "region": [[x, y], …]}'
KINDS: Mapping[str, _Kind] = {
    "id": (_is_id, 'a name in quotes without strokes, such as "R01"'),
    CENTER: _NAME,
    EDGE: (_are_counts, 'how many there are of each symbol, such as {"fire": 3}'),
    "value": (_is_whole, f"a whole number from 0 to {_WHOLE_MAX}"),
    "color": _NAME,
    "symbol": (lambda v: v is None or v in SYMBOLS, f"{' or '.join(json.dumps(s) for s in SYMBOLS)}, or null"),
    "shape": _NAME_OR_NONE,
    "special": (lambda v: isinstance(v, bool), "true or false"),
    "corners": (lambda v: _are_coloured(v, "value"), f"a list of corners in mm, each {_CORNER}"),
    "outline": (_are_points, "a list of three or more points [x, y] in mm"),
    "size_mm": _size(BOARD),
    "spaces": (_are_coloured, 'a list of spaces in mm, each {"color": "red", "region": [[x, y], …]}'),
    "track": (_are_points, "the middles of its squares [x, y] in mm, from the start on"),
    "goal": (_is_whole, "the number of the goal's square, from 0"),
    PAWNS: (_are_colours, 'the colour of each pawn, such as {"red": "#b8282e"}'),
    STARS: (lambda v: v in (AS_READ, SWAPPED), f'"{AS_READ}" or "{SWAPPED}"'),
    LENGTH: _size(PIECE),
    HEIGHT: _size(CACTUS),
    THICKNESS: _size(USUAL_THICKNESS),
    WHOLE: (lambda v: v is True, "true; where it is only a part, photograph the cacti again"),
    BASE: (_are_sides, f"an object of mm with {_SIDES}"),
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
