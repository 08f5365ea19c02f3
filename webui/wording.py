"""What the rules and the runner say in English, known again by its words, so that the page says it in any language.

In a wording ``%(name)s`` stands for a word that is said again, and ``…`` for anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_HOLE = re.compile(r"(?P<any>…)|%\((?P<name>\w+)\)s")
_STOP = re.compile(r"[:;,]")
NOT_NOW = "Not now: "


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sentence as it is said, and its text in the catalogue."""

    said: re.Pattern[str]
    text: str


def same(text: str) -> Refusal:
    """One that is said word for word as the catalogue has it."""
    return Refusal(_pattern(text), text)


def begins(text: str) -> Refusal:
    """One that is said with the same beginning, up to the first colon, semicolon or comma."""
    stop = _STOP.search(text)
    assert stop is not None
    return Refusal(_pattern(f"{text[: stop.end()]}…"), text)


def not_now(text: str) -> Refusal:
    """One that says in place of ``Not now`` what was asked for."""
    assert text.startswith(NOT_NOW)
    return Refusal(re.compile("[^:]+: " + _pattern(text.removeprefix(NOT_NOW)).pattern), text)


def other(said: str, text: str) -> Refusal:
    """One that is said in other words than the catalogue has."""
    return Refusal(_pattern(said), text)


def _pattern(wording: str) -> re.Pattern[str]:
    parts, end = [], 0
    for hole in _HOLE.finditer(wording):
        parts.append(re.escape(wording[end : hole.start()]))
        parts.append(".*" if hole["any"] else rf"(?P<{hole['name']}>\S+)")
        end = hole.end()
    return re.compile("".join(parts) + re.escape(wording[end:]))
