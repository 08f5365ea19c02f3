"""What an attacker tried with Cactus: sets whose names or marks are nonsense."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calibration.sheets.cactus_parts import parts_of
from scoring.deck import CactusDeck, parse_deck
from scoring.errors import DeckError
from tests.decks.cactus_sets import look, make_set
from vision.cactus.cactus_set import load_cactus_set
from webui.sight.decks.folders import read_deck


@cache
def _drawn() -> str:
    return json.dumps(make_set(look("tune-agave")))


def a_set() -> dict[str, Any]:
    """A set that is drawn the same each time."""
    return dict(json.loads(_drawn()))


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "a\nb", "x" * 1000])
@pytest.mark.parametrize("where", ["name", "piece", "shape", "cactus"])
def test_a_name_that_no_page_can_show_is_refused(where: str, name: str) -> None:
    """Half a letter, a control character, or pages of text; the refusal itself can be printed."""
    data = a_set()
    match where:
        case "name":
            data["name"] = name
        case "piece":
            data["pieces"][0]["id"] = name
        case "shape":
            data["pieces"][0]["shape"] = name
        case "cactus":
            data["cacti"][0]["id"] = name
    with pytest.raises(DeckError) as refused:
        parse_deck(data, "deck.json")
    assert len(str(refused.value).encode()) < 400


@pytest.mark.parametrize("name", ["+cane", "K1,K2", " K1", "K 1 ", "K  1", "../K1", "..", "x" * 65])
@pytest.mark.parametrize("where", ["pieces", "cacti"])
def test_an_id_that_cannot_be_told_or_listed_is_refused(where: str, name: str) -> None:
    """Lists part names by commas, forms tidy spaces, and a plus marks what people state."""
    data = a_set()
    data[where][0]["id"] = name
    with pytest.raises(DeckError, match=r"\[0\]\.id"):
        parse_deck(data, "deck.json")


@pytest.mark.parametrize(
    "marks", [5, True, 1e308, "x", {"a": 1}, [10**400], [[[10**400, 1], [2, 3]]], [[[1e308, 1], [2, 3]]], [[[1, 2], 3]]]
)
def test_marks_that_are_no_lines_are_left_out(tmp_path: Path, marks: Any) -> None:
    """Also in a file with a mark of order before it."""
    data = a_set()
    data["cacti"][0]["marks"] = marks
    data["cacti"][1]["marks"] = [[[0, 10], [0, 20]]]
    (tmp_path / "deck.json").write_text("\ufeff" + json.dumps(data))
    deck = read_deck(tmp_path)
    assert isinstance(deck, CactusDeck)
    cacti, _ = parts_of(deck, tmp_path)
    assert [len(c.marks) for c in cacti[:2]] == [0, 1]


@pytest.mark.parametrize("value", [10**400, 1e308, float("nan"), float("inf")])
def test_an_outline_beyond_all_bounds_is_refused_by_the_eye_too(tmp_path: Path, value: float) -> None:
    """By a command that needs only what the set looks like."""
    data = a_set()
    data["pieces"][0]["outline"][0][0] = value
    (tmp_path / "deck.json").write_text(json.dumps(data))
    with pytest.raises(DeckError, match="outline"):
        load_cactus_set(tmp_path)
