"""The check of a CONEX deck: what is right passes, what is wrong gets one line with the file, the key and the mend."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from scoring.codec import from_json, to_json
from scoring.deck import ConexDeck, Deck, RoxDeck, parse_deck
from scoring.table import BOARD
from tests.scoring.deck_faults import WHERE, Change, assert_one_line, put, without
from tests.scoring.layouts import make_deck

DECK: dict[str, Any] = {
    "format": 1,
    "game": "conex",
    "name": "small",
    "card_mm": [60, 90],
    "corner_radius_mm": 3,
    "colors": {"red": "#D02030", "blue": "#2030d0"},
    "faces": [
        {
            "id": "A",
            "image": "a.png",
            "color": "red",
            "symbol": None,
            "corners": [
                {"color": "blue", "value": 4, "region": [[0, 0], [20, 0], [0, 15]]},
                {"color": "red", "value": 0, "region": [[60, 40], [60, 60], [50, 50]]},
            ],
        },
        {
            "id": "B",
            "image": "b.png",
            "color": "blue",
            "symbol": "plus2",
            "corners": [{"color": "red", "value": 5, "region": [[60, 90], [45, 90], [45, 70], [60, 70]]}],
        },
    ],
    "board": {
        "image": "board.png",
        "size_mm": 100,
        "spaces": [{"color": "red", "region": [[0, 0], [30, 0], [30, 30], [0, 30]]}],
        "track": [[40, 40], [50, 40], [60, 40]],
        "goal": 2,
    },
    "stars": {"2x": {"image": "2x.png", "size_mm": 20}},
    "pawns": {"white": "#ffffff"},
}


def parsed(data: dict[str, Any] = DECK) -> ConexDeck:
    deck = parse_deck(data, WHERE)
    assert isinstance(deck, ConexDeck)
    return deck


def test_a_right_deck_has_its_cards_board_and_tokens() -> None:
    """Colours, values and regions in mm; a corner of the card's own colour and a value of 0 are tolerated."""
    deck = parsed()
    assert [c.value for c in deck.faces["A"].corners] == [4, 0]
    assert deck.faces["A"].corners[0].region == ((0.0, 0.0), (20.0, 0.0), (0.0, 15.0))
    assert (deck.faces["B"].symbol, deck.faces["B"].color) == ("plus2", "blue")
    assert (deck.board.goal, len(deck.board.track), deck.board.spaces[0].color) == (2, 3, "red")
    assert (deck.stars["2x"].size_mm, deck.pawns["white"], deck.back) == (20.0, "#ffffff", None)
    assert (deck.size_mm("A"), deck.size_mm(None), deck.size_mm(BOARD)) == ((60, 90), (60, 90), (100, 100))


def test_stars_and_pawns_may_be_left_out() -> None:
    """A deck just learned from photographs has neither yet."""
    data = {k: v for k, v in DECK.items() if k not in ("stars", "pawns")}
    deck = parsed(data)
    assert (dict(deck.stars), dict(deck.pawns)) == ({}, {})


def test_a_region_read_off_a_picture_may_reach_a_little_over_the_edge() -> None:
    """Half a millimetre is an error of measurement."""
    data = copy.deepcopy(DECK)
    data["faces"][0]["corners"][0]["region"] = [[-0.4, -0.4], [20, -0.4], [-0.4, 15]]
    assert parsed(data).faces["A"].corners[0].region[0] == (-0.4, -0.4)


CORNER = ("faces", 0, "corners", 0)
REGION = (*CORNER, "region")


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (without("card_mm"), "card_mm", "[width, height]"),
        (put(31, "corner_radius_mm"), "corner_radius_mm", "more than half"),
        (put({}, "colors"), "colors", "names no colour"),
        (put("red", "colors", "red"), "colors.red", '"#d8262f"'),
        (put("#12345", "colors", "red"), "colors.red", '"#d8262f"'),
        (put([], "faces"), "faces", "at least one"),
        (put("A", "faces", 1, "id"), "faces[1].id", "used twice"),
        (put("board", "faces", 1, "id"), "faces[1].id", "first at the board"),
        (put("/a.png", "faces", 0, "image"), "faces[0].image", "leaves the deck folder"),
        (put("green", "faces", 0, "color"), "faces[0].color", "none of red, blue"),
        (put("plus3", "faces", 0, "symbol"), "faces[0].symbol", "null, plus2, die"),
        (put([], "faces", 0, "corners"), "faces[0].corners", "at least one"),
        (put([DECK["faces"][0]["corners"][0]] * 5, "faces", 0, "corners"), "faces[0].corners", "at most 4"),
        (put("green", *CORNER, "color"), "faces[0].corners[0].color", "a corner of card A"),
        (put(-1, *CORNER, "value"), "faces[0].corners[0].value", "at least 0"),
        (put(2.5, *CORNER, "value"), "faces[0].corners[0].value", "whole number"),
        (without(*REGION), "faces[0].corners[0].region", "list"),
        (put([[0, 0], [20, 0]], *REGION), "faces[0].corners[0].region", "at least three"),
        (put([[0, 0], [20, 0], [61, 15]], *REGION), "faces[0].corners[0].region[2]", "lies outside of the 60 × 90"),
        (put([[0, 0], [20, "x"], [0, 15]], *REGION), "faces[0].corners[0].region[1]", "a number"),
        (put([[0, 0], [20, 0, 1], [0, 15]], *REGION), "faces[0].corners[0].region[1]", "a point [x, y]"),
        (put([[0, 0], [20, 15], [20, 0], [0, 15]], *REGION), "faces[0].corners[0].region", "crosses itself"),
        (put([[0, 0], [20, 0], [40, 0]], *REGION), "faces[0].corners[0].region", "has no area"),
        (put([[n / 10, n * n / 1000] for n in range(121)], *REGION), "faces[0].corners[0].region", "at most 120"),
        (put([[40, 40]] * 1001, "board", "track"), "board.track", "at most 1000"),
        (without("board"), "board", "an object"),
        (put(2, "board", "size_mm"), "board.size_mm", "no side of a board"),
        (put([], "board", "spaces"), "board.spaces", "at least one"),
        (put([[0, 0], [130, 0], [0, 30]], "board", "spaces", 0, "region"), "board.spaces[0].region[1]", "100 × 100"),
        (put([[40, 40]], "board", "track"), "board.track", "one square"),
        (put([[40, 40], [140, 40]], "board", "track"), "board.track[1]", "lies outside"),
        (put(3, "board", "goal"), "board.goal", "the last one has index 2"),
        (put(0, "board", "goal"), "board.goal", "at least 1"),
        (put({"3x": {}}, "stars"), "stars.3x", "2x and lightning"),
        (without("stars", "2x", "size_mm"), "stars.2x.size_mm", "a number"),
        (put({"white": "white"}, "pawns"), "pawns.white", "a colour like"),
        (put(7, "back"), "back", "name in quotes"),
    ],
)
def test_a_wrong_deck_gets_one_line(change: Change, key: str, words: str) -> None:
    """File, key and mend stand in one line, whatever is wrong."""
    assert_one_line(DECK, change, key, words)


def test_a_deck_comes_back_from_the_log() -> None:
    """Of either game, by way of text."""
    for deck in (parsed(), make_deck()):
        assert from_json(json.loads(json.dumps(to_json(deck, Deck))), Deck) == deck


def test_a_log_that_knew_only_rox_is_still_read() -> None:
    """Its deck does not say its type."""
    deck = make_deck()
    old = to_json(deck, RoxDeck)
    assert isinstance(old, dict)
    assert "type" not in old
    assert from_json(old, Deck) == deck
