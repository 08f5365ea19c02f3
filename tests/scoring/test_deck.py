"""The deck check: what is right passes, what is wrong gets one line with the file, the key and the mend."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from scoring.deck import parse_deck
from scoring.errors import DeckError
from tests.scoring.deck_faults import WHERE, Change, assert_one_line, put, without

DECK: dict[str, Any] = json.loads(
    (Path(__file__).parent / "playthroughs" / "rox" / "deck.json").read_text(encoding="utf-8")
)


def test_a_right_deck_has_its_cards_and_values() -> None:
    """Sixty element cards with their leaders and fifteen scoring cards."""
    deck = parse_deck(DECK, WHERE)
    assert (len(deck.faces), len(deck.scoring_cards), deck.card_mm) == (60, 15, (59.0, 92.0))
    assert deck.faces["R01"].leader == max(deck.faces["R01"].edge, key=lambda e: deck.faces["R01"].edge[e])
    assert max(deck.scoring_values.values()) == 10


def test_scoring_cards_and_back_may_be_left_out() -> None:
    """A deck just enrolled has neither."""
    data = {k: v for k, v in DECK.items() if k != "scoring_cards"}
    deck = parse_deck(data, WHERE)
    assert (dict(deck.scoring_cards), deck.back, deck.scoring_card_mm) == ({}, None, None)


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (put(2, "format"), "format", "must be 1"),
        (without("format"), "format", "must be 1"),
        (put("chess", "game"), "game", "rox, conex, cactus"),
        (put("", "name"), "name", "name in quotes"),
        (put([59], "card_mm"), "card_mm", "[width, height]"),
        (put([0.59, 0.92], "card_mm"), "card_mm", "no size of a card"),
        (put("3", "corner_radius_mm"), "corner_radius_mm", "number"),
        (put(40, "corner_radius_mm"), "corner_radius_mm", "more than half"),
        (put(["fire", "water"], "elements"), "elements", "five"),
        (put(["fire", "fire", "a", "b", "c"], "elements"), "elements", "twice"),
        (put([], "faces"), "faces", "at least one"),
        (without("faces"), "faces", "list"),
        (without("faces", 3, "image"), "faces[3].image", "missing"),
        (put("../up.png", "faces", 3, "image"), "faces[3].image", "leaves the deck folder"),
        (put("/etc/x.png", "faces", 3, "image"), "faces[3].image", "leaves the deck folder"),
        (without("faces", 3, "id"), "faces[3].id", "name in quotes"),
        (put("R01", "faces", 3, "id"), "faces[3].id", "used twice"),
        (put("ether", "faces", 3, "center"), "faces[3].center", '"ether" of card R04'),
        (put(7, "faces", 3, "edge", "ether"), "faces[3].edge", '"ether" of card R04'),
        (put(-1, "faces", 3, "edge", "fire"), "faces[3].edge.fire", "whole number"),
        (put(1.5, "faces", 3, "edge", "fire"), "faces[3].edge.fire", "whole number"),
        (put(True, "faces", 3, "edge", "fire"), "faces[3].edge.fire", "whole number"),
        (put({}, "faces", 3, "edge"), "faces[3].edge", "no symbols"),
        (put({"fire": 8, "water": 8}, "faces", 3, "edge"), "faces[3].edge", "fire and water tie with 8"),
        (put({"fire": 9, "water": 8}, "faces", 3, "edge"), "faces[3].edge", "counts 17 symbols on card R04"),
        (put("both", "tied_leaders"), "tied_leaders", '"either"'),
        (put("R02", "scoring_cards", "faces", 0, "id"), "scoring_cards.faces[0].id", "used twice"),
        (without("scoring_cards", "faces", 0, "value"), "scoring_cards.faces[0].value", "whole number"),
        (without("scoring_cards", "card_mm"), "scoring_cards.card_mm", "[width, height]"),
        (put(5, "back"), "back", "name in quotes"),
    ],
)
def test_a_wrong_deck_gets_one_line(change: Change, key: str, words: str) -> None:
    """File, key and mend stand in one line, whatever is wrong."""
    assert_one_line(DECK, change, key, words)


@pytest.mark.parametrize("data", [None, [], "rox", 3])
def test_a_file_that_is_no_deck_is_refused(data: object) -> None:
    """The file holds JSON, but no object."""
    with pytest.raises(DeckError, match="must be an object"):
        parse_deck(data, WHERE)


def test_r11_a_deck_may_allow_tied_leaders() -> None:
    """With the deck's own word a tie is no reading error."""
    data = copy.deepcopy(DECK)
    data["tied_leaders"] = "either"
    data["faces"][3]["edge"] = {"water": 8, "fire": 8}
    deck = parse_deck(data, WHERE)
    assert deck.faces["R04"].leaders == ("fire", "water")
