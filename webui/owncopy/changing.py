"""What a person changed in a part's editor, whose form sends all that it showed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webui.owncopy.about import said_now
from webui.owncopy.own_copy import CopyPart

Outline = list[list[float]]


def changed(part: CopyPart, stated: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an editor's form that are not as the part is now, or that are asked: leaving those confirms them.

    What nobody touched is not stated: it goes on following from what is read or measured later.
    """
    return {k: v for k, v in stated.items() if k in part.asks or v != as_sent(part, k)}


def as_sent(part: CopyPart, field: str) -> Any:
    """A field as the editor's form sends it where nothing was changed."""
    now = said_now(part, field)
    match field:
        case "edge":
            return {name: n for name, n in (now or {}).items() if n}
        case "outline":
            return _rounded(now, 2)
        case "corners":
            return [{**c, "region": _rounded(c["region"], 2)} for c in now or ()]
        case "track":
            side = float(part.fields["size_mm"])
            return _rounded([[v / side for v in _point(p, 2)] for p in now or ()], 5)
        case "size_mm":
            return None if part.fields.get("size_taken") else float(f"{now:g}")
        case "stars":
            return now or "so"
        case _:
            return now


def _rounded(points: Outline | None, digits: int) -> Outline:
    return [_point(p, digits) for p in points or ()]


def _point(point: list[float], digits: int) -> list[float]:
    return [round(v, digits) for v in point]
