"""CONEX as the public contract tells it: a sequence of tables, each against the one before."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from scoring.table import BOARD, Placement, Side, TableState
from scoring.verdicts import Call, Ground, PlacementRuling, Verdict
from tests.conex_table import board, card, deck, pawn, star, table
from webui.conex.report import ConexReport, conex_table, placement_told
from webui.reports import Seen
from webui.telling import report_of

A = card("1", "C01", 200, 0)
B = card("2", "C02", 230, 100, 0.5)


def seen(state: TableState) -> Seen:
    pieces = [*state.placements, *([state.board] if state.board else [])]
    return Seen(state, {p.key: np.array(p.corners()) + 500 for p in pieces})


def told(*states: TableState) -> list[dict]:
    report = ConexReport(deck())
    answers = []
    for state in states:
        answer = report.tell(seen(state))
        report.accept(seen(state), answer)
        answers.append(answer.table)
    json.dumps(answers, allow_nan=False)
    return answers


def test_first_table_is_the_starting_state() -> None:
    """Cards of the first photo are no placement, and every key of the contract is there."""
    (answer,) = told(table(A, tokens=(pawn("white", 3), star("2x", "1"))))
    assert set(answer) == {"board", "cards", "placement", "removed", "pawns", "stars"}
    assert (answer["placement"], answer["removed"]) == (None, [])
    assert answer["board"]["quad"][0] == [440.0, 440.0]
    assert [(c["id"], c["covered_by"]) for c in answer["cards"]] == [("C01", [])]
    assert set(answer["cards"][0]) == {"id", "quad", "confidence", "covered_by"}
    assert answer["pawns"] == [{"color": "white", "square": 3}]
    assert answer["stars"] == [{"kind": "2x", "on": "C01"}]


def test_laid_card_is_the_placement() -> None:
    """The card that was not there before is judged; the next table knows it."""
    first, second, third = told(table(A), table(A, B, covers=(("2", "1"),)), table(A, B))
    assert first["placement"] is None
    assert second["placement"]["card"] == "C02"
    assert set(second["placement"]) == {
        "card",
        "onto",
        "corner",
        "verdict",
        "violations",
        "value",
        "bonus",
        "points",
    }
    assert [c["covered_by"] for c in second["cards"]] == [["C02"], []]
    assert (third["placement"], third["removed"]) == (None, [])


def test_card_overlooked_before_was_laid_by_nobody() -> None:
    """A card that the eye finds only now where nothing happened is part of the table, and no placement."""
    report = ConexReport(deck())
    report.accept(seen(table(A)), report.tell(seen(table(A))))
    answer = report.tell(replace(seen(table(A, B)), overlooked=frozenset({"2"})))
    assert (answer.table["placement"], answer.events) == (None, ())
    assert [c["id"] for c in answer.table["cards"]] == ["C01", "C02"]


def test_removed_card_is_named() -> None:
    """A card that was taken off is told by its id, and nothing was placed."""
    answer = told(table(A, B), table(A))[1]
    assert (answer["placement"], answer["removed"]) == (None, ["C02"])


def test_card_laid_anew_is_removed_and_placed() -> None:
    """A card that was taken up and laid elsewhere in one step is both."""
    answer = told(table(A, B), table(A, card("2", "C02", 150, 180)))[1]
    assert answer["removed"] == ["C02"]
    assert answer["placement"]["card"] == "C02"


def test_unnamed_card_is_null_and_unsure() -> None:
    """A laid card that nobody can name is told as null and never as illegal; a suspicion and a back are not told."""
    unread = card("7", None, 150, 180, confidence=0.8)
    vague = card("8", None, -200, 180, confidence=0.3)
    down = card("9", None, -200, -180, side=Side.BACK)
    answer = told(table(A), table(A, unread, vague, down))[1]
    assert (answer["placement"]["card"], answer["placement"]["verdict"]) == (None, "unsure")
    assert [c["id"] for c in answer["cards"]] == ["C01", None]


def test_missing_board_and_unread_pawn_are_not_made_up() -> None:
    """No board is null, a pawn between squares has no square, a token that is hardly one is left out."""
    state = TableState((A,), table().view, tokens=(pawn("blue", None), pawn("green", 4, 0.2)))
    answer = conex_table(state, seen(state).quads)
    assert answer["board"] is None
    assert answer["pawns"] == [{"color": "blue", "square": None}]


def test_violations_are_told_with_rule_other_and_gap() -> None:
    """Only sure violations are listed: the rule without the game's name, what it is about, and the gap."""
    ruling = PlacementRuling("2", "C02", Ground(key="1"), 0, Call.VIOLATION, 4, 2, True, 12)
    verdicts = (
        Verdict("conex.color", Call.LEGAL, ("2", "1")),
        Verdict("conex.single-contact", Call.VIOLATION, ("2", BOARD), facts={"gap_mm": -3.1234}),
        Verdict("conex.single-contact", Call.UNCERTAIN, ("2", "3"), facts={"gap_mm": 0.2}),
        Verdict("conex.corner-covered", Call.VIOLATION, ("2", "3"), facts={"gap_mm": -1.0, "corner": 1}),
        Verdict("conex.out-of-bounds", Call.VIOLATION, ("2", "area"), facts={"gap_mm": -2.5}),
        Verdict("conex.color", Call.VIOLATION, ("2", "3")),
    )
    answer = placement_told(ruling, verdicts, {"1": "C01", "2": "C02", "3": "C03"})
    assert answer == {
        "card": "C02",
        "onto": {"card": "C01"},
        "corner": 0,
        "verdict": "illegal",
        "violations": [
            {"rule": "single-contact", "other": {"board": True}, "gap_mm": -3.12},
            {"rule": "corner-covered", "other": {"card": "C03", "corner": 1}, "gap_mm": -1.0},
            {"rule": "out-of-bounds", "other": None, "gap_mm": -2.5},
            {"rule": "color", "other": {"card": "C03"}, "gap_mm": None},
        ],
        "value": 4,
        "bonus": 2,
        "points": 12,
    }
    on_board = PlacementRuling("2", "C02", Ground(space=3), 0, Call.LEGAL, 4, 0, False, 4)
    assert placement_told(on_board, (), {})["onto"] == {"space": 3}


def events(*states: TableState) -> list[tuple[str, dict]]:
    report, names = report_of(deck()), []
    for state in states:
        answer = report.tell(seen(state))
        report.accept(seen(state), answer)
        names += list(answer.events)
    return names


def test_events_of_a_sequence() -> None:
    """A placement carries what was removed in the same step; a mere removal is an event of its own."""
    again = card("2", "C02", 150, 180)
    happened = events(table(A), table(A), table(A, B), table(A, again), table(A))
    assert [name for name, _ in happened] == ["placement", "placement", "removed"]
    assert [body["removed"] for _, body in happened] == [[], ["C02"], ["C02"]]


def test_two_cards_at_once_are_out_of_step() -> None:
    """A second card of the same step was a move that nobody saw."""
    happened = events(table(A), table(A, B, card("3", "C03", -200, 0)))
    assert [name for name, _ in happened] == ["placement", "out-of-step"]
    assert happened[1][1]["cards"] == ["C03"]


def test_subject_ignores_pixels_and_shades() -> None:
    """The same placement seen a pixel elsewhere and a shade surer is no news."""
    report = ConexReport(deck())
    report.accept(seen(table(A)), report.tell(seen(table(A))))
    nudged = Placement("2", "C02", card("2", "C02", 230.2, 100, 0.5).pose, B.size_mm, 0.3, 0.95)
    assert report.tell(seen(table(A, B))).subject == report.tell(seen(table(A, nudged))).subject
    assert report.tell(seen(table(A, B))).subject != report.tell(seen(table(A))).subject


def test_board_outline_is_where_the_board_was_seen() -> None:
    """A board that is remembered without a place in the picture has no outline to tell."""
    state = TableState((), table().view, board=board())
    assert conex_table(state, {})["board"] is None


def test_cards_laid_at_once_are_not_held_against_each_other() -> None:
    """Which of two cards came later is not known: that they touch breaks no rule for certain; the board's is broken."""
    pair = (card("2", "C02", 230, 100, 0.5), card("3", "C03", 235, 105, 0.5))
    (_, after) = told(table(A), table(A, *pair, covers=(("3", "2"), ("2", "1"))))
    alone = told(table(A, pair[0]), table(A, *pair, covers=(("3", "2"), ("2", "1"))))[1]
    assert alone["placement"]["verdict"] == "illegal"
    assert {v["other"]["card"] for v in alone["placement"]["violations"] if v["other"]} >= {"C02"}
    placed = after["placement"]
    other = {"C02", "C03"} - {placed["card"]}
    assert all(v["other"] is None or v["other"].get("card") not in other for v in placed["violations"])
    assert (placed["verdict"] == "illegal") == bool(placed["violations"])
