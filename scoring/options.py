"""House rules of any game: what their names and words can be, and the rules as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from scoring.errors import RefereeError
from scoring.events import OptionValue


def check_name(game: str, options: type[Any], name: str) -> None:
    """Raises RefereeError where a game has no such option."""
    names = [f.name for f in fields(options)]
    if name not in names:
        raise RefereeError(f"{game} has no option {name}; it has {', '.join(names[:-1])} and {names[-1]}.")


def check_word(name: str, value: OptionValue, words: Sequence[str]) -> None:
    """Raises RefereeError where the value is none of the words that the option can be."""
    if value not in words:
        raise RefereeError(f"The option {name} can be {' or '.join(w for w in words if w)}, not {value}.")


def plain(options: Any) -> dict[str, Any]:
    """The options as plain values."""
    return {f.name: getattr(options, f.name) for f in fields(options)}
