"""The public contract: shapes and words of what is printed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from scoring.deck import RoxDeck, RoxFace, ScoringCard
from scoring.errors import RefereeError
from scoring.rules import GAMES
from scoring.table import Candidate, Placement, Pose, Side, TableState
from webui.reports import card_list, quad
from webui.rox.report import rox_table, subject
from webui.telling import REPORTS, check_told

ELEMENTS = ("fire", "water", "earth", "air", "magic")
SIZE_MM = (60.0, 60.0)
FACES = {
    f"R{n}": RoxFace(f"R{n}", "", ELEMENTS[n], {ELEMENTS[(n + 1) % 5]: 5, ELEMENTS[n]: 3}, (ELEMENTS[(n + 1) % 5],))
    for n in range(5)
}
DECK = RoxDeck("test", SIZE_MM, 3.0, ELEMENTS, FACES, {"P1": ScoringCard("P1", "", 7)}, SIZE_MM)


def piece(face: str | None, x: float, y: float, **more: object) -> Placement:
    return Placement(f"{face}@{x:g}", face, Pose(x, y, 0.0), SIZE_MM, **more)  # type: ignore[arg-type]


def state(*pieces: Placement) -> tuple[TableState, dict[str, np.ndarray]]:
    """A table of 800 x 450 mm and the outlines of its pieces at 2 pixels per mm."""
    quads = {p.key: np.array(p.corners()) * 2 + 0.123456 for p in pieces}
    return TableState(pieces, ((0, 0), (800, 0), (800, 450), (0, 450))), quads


def row(*faces: str | None, **more: object) -> list[Placement]:
    """A row of the player at the south."""
    return [piece(face, 200 + 65 * n, 400, **more) for n, face in enumerate(faces)]


def told(*pieces: Placement, **options: int) -> dict:
    return rox_table(*state(*pieces), DECK, options)


def test_valid_row_has_all_that_the_contract_says() -> None:
    """Every key of the contract, and no other; links of a right row are valid."""
    answer = told(*row("R0", "R1", "R2"), piece("R4", 400, 150, confidence=0.9), piece("P1", 600, 100))
    assert list(answer) == ["rows", "pool", "scoring_cards"]
    (south,) = answer["rows"]
    assert {k: v for k, v in south.items() if k != "cards"} == {
        "seat": "south",
        "verdict": "valid",
        "valid_length": 3,
        "counts": True,
        "break_at": None,
    }
    assert [c["id"] for c in south["cards"]] == ["R0", "R1", "R2"]
    assert [c["link"] for c in south["cards"]] == [None, "valid", "valid"]
    first = south["cards"][0]
    assert set(first) == {"id", "quad", "center", "edge", "next", "link", "confidence"}
    assert (first["center"], first["edge"], first["next"]) == ("fire", {"water": 5, "fire": 3}, "water")
    assert first["quad"][0] == [340.12, 740.12]
    assert [(c["id"], set(c)) for c in answer["pool"]] == [("R4", {"id", "quad"})]
    assert [(c["id"], c["value"], set(c)) for c in answer["scoring_cards"]] == [("P1", 7, {"id", "value", "quad"})]
    json.dumps(answer, allow_nan=False)


def test_wrong_link_breaks_the_row_where_it_is() -> None:
    """`break_at` is the first card that does not fit; the cards before it are the valid length."""
    (south,) = told(*row("R0", "R1", "R4"))["rows"]
    assert (south["verdict"], south["valid_length"], south["break_at"], south["counts"]) == ("broken", 2, 2, False)
    assert [c["link"] for c in south["cards"]] == [None, "valid", "broken"]


def test_other_printing_counts_two_cards() -> None:
    """`--min-row 2` lets a valid row of two count."""
    assert not told(*row("R0", "R1"))["rows"][0]["counts"]
    assert told(*row("R0", "R1"), min_row=2)["rows"][0]["counts"]


def test_doubtful_card_makes_an_unsure_row() -> None:
    """A reading that is not sure breaks nothing: the row says unsure, and no place where it breaks."""
    cards = row("R0", "R1", "R4")
    doubtful = Placement("x", "R4", cards[2].pose, SIZE_MM, 0.5, 0.6, (Candidate("R4", 0.6), Candidate("R2", 0.4)))
    (south,) = told(cards[0], cards[1], doubtful)["rows"]
    assert (south["verdict"], south["valid_length"], south["break_at"]) == ("unsure", 2, None)
    assert south["cards"][2]["link"] == "unsure"


def test_unreadable_card_of_a_row_has_no_made_up_fields() -> None:
    """What was not read is null or empty, and judged unsure."""
    cards = row("R0", None, "R2")
    hidden = Placement("x", None, cards[1].pose, SIZE_MM, 0.5, 0.8, (), 1.0, Side.UNKNOWN)
    (south,) = told(cards[0], hidden, cards[2])["rows"]
    middle = south["cards"][1]
    assert (middle["id"], middle["center"], middle["edge"], middle["next"]) == (None, None, {}, None)
    assert south["verdict"] == "unsure"


def test_card_without_name_is_told_only_where_it_is_rather_a_card() -> None:
    """A face-down card outside the rows is in the pool without an id; a mere suspicion is not told."""
    down = Placement("d", None, Pose(400, 150, 0.2), SIZE_MM, 0.5, 0.9, (), 1.0, Side.BACK)
    vague = Placement("v", None, Pose(600, 200, 0.4), SIZE_MM, 0.5, 0.2, (), 1.0, Side.UNKNOWN)
    assert [c["id"] for c in told(down, vague)["pool"]] == [None]


def test_empty_table_is_told() -> None:
    """Nothing on the table: three empty lists."""
    assert told() == {"rows": [], "pool": [], "scoring_cards": []}


def test_card_list_has_the_keys_of_the_contract() -> None:
    """`referee cards` tells outline, name, confidence and visible share."""
    table, quads = state(piece("R1", 100, 100, confidence=0.98765, visible=0.8), piece(None, 300, 100, confidence=0.7))
    named, unnamed = card_list(table.placements, quads)
    assert named == {"quad": quad(quads["R1@100"]), "id": "R1", "confidence": 0.9877, "visible": 0.8}
    assert unnamed["id"] is None


def test_subject_ignores_pixels_and_shades() -> None:
    """A change of outlines or of confidence is no news; another card or verdict is."""
    one = told(*row("R0", "R1"))
    moved = [
        Placement(p.key, p.face, Pose(p.pose.x_mm + 2, p.pose.y_mm, 0.02), SIZE_MM, 0.5, 0.97) for p in row("R0", "R1")
    ]
    assert subject(told(*moved)) == subject(one)
    assert subject(told(*row("R0", "R1", "R2"))) != subject(one)
    assert subject(told(*row("R0", "R2"))) != subject(one)


def test_every_game_is_told() -> None:
    """A game that has rules has a report; one that has none is refused with what there is."""
    assert {rules.game for rules in GAMES} <= set(REPORTS)
    with pytest.raises(RefereeError, match=r"^chess: not yet in this version of table-referee, which plays rox"):
        check_told("chess")
