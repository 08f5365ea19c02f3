"""Checks that every kind of deck needs: what is wrong fails with the file, the key and the mend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from scoring.errors import DeckError

LARGEST = 1e9
"""No number of a deck is larger."""
LONGEST = 200
"""Letters of a name or of the path of a picture."""


def show(value: object) -> str:
    text = "nothing" if value is None else f'"{value}"' if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= 80 else f"{text[:79]}…"


@dataclass(frozen=True, slots=True)
class Check:
    """Reads plain data and fails with the file, the key and the mend."""

    where: str

    def fail(self, key: str, mend: str) -> NoReturn:
        raise DeckError(self.where, key, mend)

    def mapping(self, key: str, value: object) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self.fail(key, f"must be an object {{…}}, this deck says {show(value)}")
        return value

    def items(self, key: str, value: object) -> list[Any]:
        if not isinstance(value, list | tuple) or not value:
            self.fail(key, f"must be a list […] with at least one entry, this deck says {show(value)}")
        return list(value)

    def text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            self.fail(key, f"must be a name in quotes, this deck says {show(value)}")
        if len(value) > LONGEST or not all(c >= " " and not "\ud800" <= c <= "\udfff" for c in value):
            self.fail(
                key, f"must be a name of at most {LONGEST} letters that can be printed, this deck says {show(value)}"
            )
        return value

    def image(self, key: str, value: object) -> str:
        if value is None:
            self.fail(key, "is missing; write the path of the picture relative to the deck folder")
        path = self.text(key, value)
        if path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/") or ":" in path:
            self.fail(key, f"{show(path)} leaves the deck folder; write a path relative to it")
        return path

    def number(self, key: str, value: object, least: float) -> float:
        # Compared before it is made a float: a whole number may be too large for one, and NaN is never in between.
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= LARGEST:
            self.fail(key, f"must be a number of at least {least:g}, this deck says {show(value)}")
        return float(value)

    def whole(self, key: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.fail(key, f"must be a whole number of at least {least}, this deck says {show(value)}")
        return value

    def size(self, key: str, value: object) -> tuple[float, float]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            self.fail(key, f"must be [width, height] in mm, this deck says {show(value)}")
        sides = [self.number(key, v, least=0.0) for v in value]
        if min(sides) < 5 or max(sides) > 1000:
            self.fail(key, f"{sides[0]:g} × {sides[1]:g} mm is no size of a card; give [width, height] in mm")
        return (sides[0], sides[1])

    def radius(self, key: str, value: object, size_mm: tuple[float, float]) -> float:
        radius = self.number(key, value, least=0.0)
        if radius > min(size_mm) / 2:
            self.fail(key, f"{radius:g} is more than half of the card's shorter side; give the radius in mm")
        return radius

    def unique(self, key: str, name: str, used: dict[str, str]) -> None:
        if name in used:
            self.fail(key, f"{show(name)} is used twice (first at {used[name]}); each card has its own id")
        used[name] = key


def parse_colors(check: Check, at: str, value: object) -> dict[str, str]:
    """Names of colours, each with its ``#rrggbb``."""
    colors = {}
    for name, shade in check.mapping(at, value).items():
        if not (isinstance(shade, str) and re.fullmatch(r"#[0-9A-Fa-f]{6}", shade)):
            check.fail(f"{at}.{name}", f'must be a colour like "#d8262f", this deck says {show(shade)}')
        colors[check.text(at, name)] = shade
    if not colors:
        check.fail(at, 'names no colour; write each name with its "#rrggbb"')
    return colors
