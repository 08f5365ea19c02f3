"""Faults that tests make in a deck file, and the one line that each must bring."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from scoring.deck import parse_deck
from scoring.errors import DeckError

WHERE = "my-deck/deck.json"
Change = Callable[[Any], None]


def without(*path: str | int) -> Change:
    """Something is left out of the file."""

    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        del data[path[-1]]

    return change


def put(value: object, *path: str | int) -> Change:
    """Something else stands in its place."""

    def change(data: Any) -> None:
        for step in path[:-1]:
            data = data[step]
        data[path[-1]] = value

    return change


def assert_one_line(deck: dict[str, Any], change: Change, key: str, words: str) -> None:
    """File, key and mend of the changed deck stand in one line."""
    data = copy.deepcopy(deck)
    change(data)
    with pytest.raises(DeckError) as caught:
        parse_deck(data, WHERE)
    assert str(caught.value).startswith(f"{WHERE}: {key}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (caught.value.file, caught.value.key) == (WHERE, key)
