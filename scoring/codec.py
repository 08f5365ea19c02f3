"""Typed values to plain JSON data and back, led by the type hints of frozen dataclasses.

A dataclass becomes an object of its fields; inside a union it also carries ``"type"``, its class name. Tuples become
lists, enums their values, mappings objects. A field that equals its default is left out, so an older log stays
readable when a type gains a field with a default. Floats pass unchanged (JSON keeps their shortest exact form).
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from scoring.errors import LogError

Json = None | bool | int | float | str | list[Any] | dict[str, Any]
"""Plain data as `json.loads` gives it."""


def to_json(value: object, hint: Any = None) -> Json:
    """Plain data for a value of the described types.

    Parameters
    ----------
    value
        A dataclass, tuple, mapping, enum, string, number or None.
    hint
        Declared type of the place that holds the value; a union there makes dataclasses say their type.

    Raises
    ------
    TypeError
        For any other type, and for numbers that JSON cannot hold.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        data: dict[str, Any] = {"type": type(value).__name__} if _is_open_union(hint) else {}
        hints = _hints(type(value))
        for f in dataclasses.fields(value):
            item = getattr(value, f.name)
            if not _is_default(f, item):
                data[f.name] = to_json(item, hints[f.name])
        return data
    if isinstance(value, Enum):
        return to_json(value.value)
    if isinstance(value, tuple):
        inner = _item_hints(hint, len(value))
        return [to_json(v, h) for v, h in zip(value, inner, strict=True)]
    if isinstance(value, Mapping):
        args = get_args(hint)
        return {str(k): to_json(v, args[1] if len(args) == 2 else None) for k, v in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise TypeError(f"{value} has no place in JSON")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"cannot encode a {type(value).__name__}")


def from_json(data: Any, hint: Any) -> Any:
    """The typed value that `to_json` turned into `data`.

    Raises
    ------
    LogError
        Where the data does not fit the type; the message names the key.
    """
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _from_union(data, get_args(hint))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _from_object(data, hint)
    if origin is tuple:
        if not isinstance(data, list):
            raise LogError(f"a list was expected, not {_short(data)}")
        inner = _item_hints(hint, len(data))
        if len(inner) != len(data):
            raise LogError(f"a list of {len(inner)} was expected, not of {len(data)}")
        return tuple(from_json(v, h) for v, h in zip(data, inner, strict=True))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise LogError(f"an object was expected, not {_short(data)}")
        return {k: from_json(v, get_args(hint)[1]) for k, v in data.items()}
    return _from_plain(data, hint)


def _from_plain(data: Any, hint: Any) -> Any:
    if hint is None or hint is type(None):
        if data is None:
            return None
    elif isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(data)
        except ValueError as error:
            raise LogError(f"{_short(data)} is no {hint.__name__}") from error
    elif hint is float:
        if isinstance(data, int | float) and not isinstance(data, bool):
            return data if isinstance(data, float) else float(data)
    elif hint is int:
        if isinstance(data, int) and not isinstance(data, bool):
            return data
    elif isinstance(hint, type) and isinstance(data, hint):
        return data
    raise LogError(f"{getattr(hint, '__name__', hint)} was expected, not {_short(data)}")


def _from_union(data: Any, members: tuple[Any, ...]) -> Any:
    if isinstance(data, dict) and "type" in data and any(dataclasses.is_dataclass(m) for m in members):
        for member in members:
            if isinstance(member, type) and member.__name__ == data["type"] and dataclasses.is_dataclass(member):
                return _from_object(data, member)
        raise LogError(f"nothing is known of the type {_short(data['type'])}")
    # An int is also a valid float; keep the type that JSON shows.
    order = sorted(members, key=lambda m: m is float and isinstance(data, int))
    problem: LogError | None = None
    for member in order:
        try:
            return from_json(data, member)
        except LogError as error:
            problem = problem if member is type(None) else error
    raise problem or LogError(f"{_short(data)} fits no type")


def _from_object(data: Any, kind: type) -> Any:
    if not isinstance(data, dict):
        raise LogError(f"an object ({kind.__name__}) was expected, not {_short(data)}")
    hints = _hints(kind)
    values = {}
    for f in dataclasses.fields(kind):
        if f.name in data:
            try:
                values[f.name] = from_json(data[f.name], hints[f.name])
            except LogError as error:
                raise LogError(f"{f.name}: {error.message}") from error
        elif f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise LogError(f"{f.name}: is missing in {kind.__name__}")
    unknown = data.keys() - hints.keys() - {"type"}
    if unknown:
        raise LogError(f"{min(unknown)}: is no part of {kind.__name__}; a newer release may have written this")
    return kind(**values)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_open_union(hint: Any) -> bool:
    if get_origin(hint) not in (Union, types.UnionType):
        return False
    return sum(isinstance(m, type) and dataclasses.is_dataclass(m) for m in get_args(hint)) > 1


def _is_default(f: dataclasses.Field[Any], item: object) -> bool:
    if f.default is not dataclasses.MISSING:
        return type(item) is type(f.default) and item == f.default
    return f.default_factory is not dataclasses.MISSING and item == f.default_factory()


def _item_hints(hint: Any, count: int) -> list[Any]:
    args = get_args(hint) if get_origin(hint) is tuple else ()
    if get_origin(hint) in (Union, types.UnionType):
        tuples = [m for m in get_args(hint) if get_origin(m) is tuple]
        args = get_args(tuples[0]) if len(tuples) == 1 else ()
    if len(args) == 2 and args[1] is Ellipsis:
        return [args[0]] * count
    return list(args) or [None] * count


def _short(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else text[:37] + "…"
