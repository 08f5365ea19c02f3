"""Cactus as the public contract tells it: a sequence of tables, each against the one before."""

from __future__ import annotations

import json

import numpy as np

from scoring.table import Placement, TableState
from tests.scoring.cactus_tables import contact, piece, set_of, table
from webui.cactus.report import CactusReport
from webui.reports import Seen, Told
from webui.telling import report_of

KEYS = {"cacti", "pieces", "contacts", "placed", "moved", "fallen", "violations", "claims", "penalties"}
START = {"bar-red": "K1", "hook-blue": "K2"}


def seen(state: TableState, overlooked: frozenset[str] = frozenset()) -> Seen:
    quads = {p.key: np.array([[1, 2], [30.004, 2], [15, 40]]) for p in state.placements}
    quads |= {name: np.array([[0, 0], [40, 0], [40, 8], [0, 8.0]]) for name in state.cacti}
    return Seen(state, quads, overlooked)


def tell(*states: TableState | Seen, turns: bool = False) -> list[Told]:
    report = CactusReport(set_of(), turns=turns)
    answers = []
    for state in states:
        what = state if isinstance(state, Seen) else seen(state)
        answer = report.tell(what)
        report.accept(what, answer)
        answers.append(answer)
    json.dumps([a.table for a in answers], allow_nan=False)
    return answers


def last(*states: TableState | Seen) -> dict:
    return tell(*states)[-1].table


def test_first_table_is_the_starting_state() -> None:
    """Pieces of the first photo are no placement, whatever they touch, and every key of the contract is there."""
    (answer,) = tell(table({**START, "hook-red": "K1"}, [contact("bar-red", "hook-red", "color")]))
    assert set(answer.table) == KEYS
    assert (answer.table["placed"], answer.table["violations"], answer.events) == (None, [], ())
    assert answer.table["cacti"][0] == {"id": "K1", "base": [[0, 0], [40, 0], [40, 8], [0, 8]]}
    assert answer.table["pieces"][0] == {
        "id": "bar-red",
        "color": "red",
        "shape": "bar",
        "special": False,
        "cactus": "K1",
        "outline": [[1, 2], [30, 2], [15, 40]],
        "confidence": 1.0,
    }
    (near,) = answer.table["contacts"]
    assert (near["a"], near["b"], near["kind"], near["verdict"]) == ("bar-red", "hook-red", "same-color", "touching")


def test_placed_piece_is_a_turn() -> None:
    """The piece that hangs newly is told with what it earns; the next table knows it."""
    first, second, third = tell(
        table({"bar-red": "K1", "hook-red": "K2"}),
        table({"bar-red": "K1", "hook-red": "K2", "wedge-red": "K3"}),
        table({"bar-red": "K1", "hook-red": "K2", "wedge-red": "K3"}),
    )
    assert (first.table["placed"], second.table["placed"], third.table["placed"]) == (None, "wedge-red", None)
    assert second.table["claims"] == [{"why": "color-3", "flowers": 1}]
    ((name, body),) = second.events
    assert name == "turn"
    assert body["turn"]["game"] == "cactus"
    assert body["turn"]["placed"] == "wedge-red"
    assert third.events == ()


def test_fallen_pieces_cost_and_bar_the_claims() -> None:
    """Each piece that hangs no more costs a flower, and the turn earns nothing."""
    before = {"bar-red": "K1", "hook-red": "K2", "hook-blue": "K4"}
    answer = last(table(before), table({"bar-red": "K1", "hook-red": "K2", "wedge-red": "K3"}))
    assert answer["fallen"] == ["hook-blue"]
    assert answer["claims"] == []
    assert answer["penalties"] == [{"why": "fallen", "flowers": -1, "piece": "hook-blue"}]
    lying = last(table(before), table({"bar-red": "K1", "hook-red": "K2"}, lying=["hook-blue"]))
    assert lying["fallen"] == ["hook-blue"]


def test_certain_contact_is_a_violation_and_a_doubtful_one_is_told_as_unsure() -> None:
    """Only what touches beyond doubt is broken; all that comes near is told with its call."""
    now = {**START, "hook-red": "K1"}
    for touching, verdict, rules in ((0.97, "touching", ["same-color"]), (0.5, "unsure", []), (0.02, "clear", [])):
        answer = last(table(START), table(now, [contact("bar-red", "hook-red", "color", touching)]))
        assert answer["contacts"][0]["verdict"] == verdict
        assert [v["rule"] for v in answer["violations"]] == rules
    assert last(table(START), table(now, [contact("hook-red", None, "base")]))["violations"] == [
        {"rule": "touches-base", "pieces": ["hook-red"]}
    ]


def at(state: TableState, name: str, x: float) -> TableState:
    """The table with that piece somewhere else on its cactus."""
    pieces = [piece(p.key, p.pose.plane, (x, -40.0)) if p.key == name else p for p in state.placements]
    return TableState(tuple(pieces), state.view, cacti=state.cacti)


def test_pushed_piece_is_moved() -> None:
    """What hangs elsewhere is moved, the placed piece is not; by less than can be told nothing is."""
    before = at(table(START), "bar-red", 0.0)
    after = at(table({**START, "gate-blue": "K1"}), "bar-red", 6.0)
    answer = last(before, after)
    assert (answer["placed"], answer["moved"]) == ("gate-blue", ["bar-red"])
    assert last(before, at(table(START), "bar-red", 0.8))["moved"] == []


def test_overlooked_piece_is_not_placed() -> None:
    """A piece that hung there before and is found only now is not what the turn placed."""
    now = table({**START, "gate-blue": "K1", "stair-green": "K5"})
    assert last(table(START), seen(now, frozenset({"stair-green"})))["placed"] == "gate-blue"
    assert last(table(START), now)["placed"] is None


def test_piece_that_hid_for_a_turn_is_told_of_that_turn_once_it_is_found() -> None:
    """Of two new pieces the one on the later cactus is of this turn; the other one is what the turn before has hung."""
    start = {"bar-red": "K1", "hook-red": "K2"}
    first, second, third, fourth = (
        table(start),
        table({**start, "gate-blue": "K2"}),
        table({**start, "gate-blue": "K2"}),
        table({**start, "gate-blue": "K2", "wedge-red": "K3", "stair-green": "K4"}),
    )
    answers = tell(first, second, third, fourth, turns=True)
    assert [a.table["placed"] for a in answers] == [None, "gate-blue", None, "stair-green"]
    assert [a.open for a in answers] == [False, False, True, False]
    assert [a.before is None for a in answers] == [True, True, True, False]
    mended = answers[-1].before
    assert mended is not None
    assert set(mended) == KEYS
    assert (mended["placed"], mended["claims"]) == ("wedge-red", [{"why": "color-3", "flowers": 1}])
    assert "wedge-red" not in {p["id"] for p in mended["pieces"]}
    alone = tell(first, second, third, fourth)
    assert (alone[-1].table["placed"], alone[-1].before, alone[2].open) == (None, None, False)


def test_what_is_hardly_there_is_not_told() -> None:
    """A reading that is most likely wrong is no piece, and no turn."""
    weak: Placement = piece("gate-blue", "K1", confidence=0.1)
    state = table(START)
    answer = last(state, TableState((*state.placements, weak), state.view, cacti=state.cacti))
    assert answer["placed"] is None
    assert [p["id"] for p in answer["pieces"]] == ["bar-red", "hook-blue"]


def test_subject_ignores_pixels_and_shades() -> None:
    """A change of outlines, gaps or confidence is no news; another piece or verdict is."""

    def subject(*contacts: object, confidence: float = 1.0, **more: str) -> object:
        state = table({**START, "hook-red": "K1", **more}, contacts)  # type: ignore[arg-type]
        pieces = tuple(piece(p.key, p.pose.plane, confidence=confidence) for p in state.placements)
        return tell(table(START), TableState(pieces, state.view, cacti=state.cacti, contacts=state.contacts))[
            -1
        ].subject

    one = subject(contact("bar-red", "hook-red", "color", 0.97))
    assert subject(contact("bar-red", "hook-red", "color", 0.95), confidence=0.9) == one
    assert subject(contact("bar-red", "hook-red", "color", 0.5)) != one
    assert subject(contact("bar-red", "hook-red", "color", 0.97), **{"gate-blue": "K1"}) != one


def test_set_of_cactus_has_its_report() -> None:
    """The report is found by the deck."""
    assert isinstance(report_of(set_of()), CactusReport)
