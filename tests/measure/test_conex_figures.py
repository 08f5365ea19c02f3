"""The measure of CONEX itself: it finds nothing wrong with the truth, and every fault where it is."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.measure.conex_figures import Figures, StatedGap
from tests.measure.rox import Share

Json = dict[str, Any]


def _quad(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 59, y], [x + 59, y + 92], [x, y + 92]]


def photo(**placement: Any) -> Json:
    """The labels of a photo: three cards, one hardly seen, a laid card, two pawns of which one is faint, a star."""
    laid = {
        "card": "C02",
        "onto": {"card": "C01"},
        "corner": 1,
        "verdict": "legal",
        "violations": [],
        "points": 3,
    }
    return {
        "board": {"quad": [[300, 300], [420, 300], [420, 420], [300, 420]]},
        "cards": [
            {"id": "C01", "quad": _quad(0, 0), "visible": 0.95},
            {"id": "C02", "quad": _quad(50, 80), "visible": 1.0},
            {"id": "C03", "quad": _quad(200, 0), "visible": 0.4},
        ],
        "placement": {**laid, **placement},
        "removed": ["C09"],
        "pawns": [{"color": "white", "square": 3, "faint": True}, {"color": "blue", "square": 7}],
        "stars": [{"kind": "2x", "on": "C02"}],
    }


ILLEGAL = {
    "verdict": "illegal",
    "violations": [{"rule": "single-contact", "other": {"board": True}, "gap_mm": -3.0}],
}


def measure(truth: Json, told: Json) -> Figures:
    figures = Figures()
    figures.add(truth, told, "case/01.jpg", "legal")
    return figures


def bad(figures: Figures) -> set[str]:
    """Names of the figures that missed, and of the faults that were counted."""
    faults = {"unsure", "wrong", "penalty"}
    shares = {n: s for n in figures.__slots__ if isinstance(s := getattr(figures, n), Share)}
    missed = {n for n, s in shares.items() if (s.hits if n in faults else s.total - s.hits)}
    return missed | ({"invented"} if figures.invented else set())


@pytest.mark.parametrize("truth", [photo(), photo(**ILLEGAL), {**photo(), "placement": None}])
def test_the_truth_itself_is_faultless(truth: Json) -> None:
    """What is exactly right misses nothing, and a card hardly seen is not asked for."""
    told = copy.deepcopy(truth)
    del told["cards"][2]
    figures = measure(truth, told)
    assert bad(figures) == set()
    assert figures.missed == []
    assert figures.found.total == 2
    assert max(figures.corners_px) == 0


def _set(key: str, value: Any) -> Callable[[Json], None]:
    def change(told: Json) -> None:
        told["placement"][key] = value

    return change


def _renamed(told: Json) -> None:
    told["cards"][0]["id"] = "C44"


def _lost(told: Json) -> None:
    del told["cards"][1]


def _more(told: Json) -> None:
    told["cards"].append({"id": "C30", "quad": _quad(600, 600)})


def _pawn(told: Json) -> None:
    told["pawns"][1]["square"] = 8


def _faint_pawn(told: Json) -> None:
    told["pawns"][0]["square"] = 30


def _star(told: Json) -> None:
    told["stars"] = []


def _removed(told: Json) -> None:
    told["removed"] = []


def _no_board(told: Json) -> None:
    told["board"] = None


def _nothing_laid(told: Json) -> None:
    told["placement"] = None


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        (_renamed, {"named"}),
        (_lost, {"found", "named"}),
        (_more, {"invented"}),
        (_pawn, {"pawns"}),
        (_faint_pawn, set()),
        (_star, {"stars"}),
        (_removed, {"removals"}),
        (_no_board, {"board"}),
        (_set("card", "C05"), {"card"}),
        (_set("onto", {"space": 0}), {"onto"}),
        (_set("corner", 0), {"corner"}),
        (_set("points", 5), {"points"}),
        (_set("verdict", "unsure"), {"right", "unsure"}),
        (_set("verdict", "illegal"), {"right", "wrong", "penalty"}),
        (_nothing_laid, {"card", "onto", "corner", "right", "unsure", "points"}),
    ],
)
def test_every_fault_is_counted_where_it_is(change: Callable[[Json], None], faults: set[str]) -> None:
    """One thing told wrongly spoils the figures that are about it and no other."""
    truth = photo()
    told = copy.deepcopy(truth)
    change(told)
    figures = measure(truth, told)
    assert bad(figures) == faults
    assert bool(figures.missed) == bool(faults)


def test_a_violation_missed_is_no_wrong_penalty() -> None:
    """An illegal card told to be legal is a wrong verdict; another rule named is a violation not named."""
    truth = photo(**ILLEGAL)
    told = copy.deepcopy(truth)
    told["placement"] |= {"verdict": "legal", "violations": []}
    assert bad(measure(truth, told)) == {"right", "wrong", "violations"}
    told = copy.deepcopy(truth)
    told["placement"]["violations"][0]["rule"] = "color"
    assert bad(measure(truth, told)) == {"violations"}


def test_a_close_call_may_be_called_either_way() -> None:
    """Where the photograph cannot tell, every word is right, and no penalty is wrong; silence is not right."""
    truth = photo(close=True)
    for word in ("legal", "illegal", "unsure"):
        told = copy.deepcopy(truth)
        told["placement"]["verdict"] = word
        assert bad(measure(truth, told)) == set()
    assert "right" in bad(measure(truth, {**truth, "placement": None}))


def test_a_placement_told_where_none_was_is_invented() -> None:
    """Without a placement in the truth nothing is asked but that nothing is told."""
    truth = {**photo(), "placement": None}
    assert bad(measure(truth, photo())) == {"nothing"}


def test_the_band_is_two_sigmas_wide() -> None:
    """A stated gap holds when the truth lies within 1.96 of its sigmas."""
    assert StatedGap("out-of-bounds", 2.0, 0.5, 2.9).held
    assert not StatedGap("out-of-bounds", 2.0, 0.4, 2.9).held
    figures = Figures(gaps=[StatedGap("single-contact", 1.0, 0.2, 1.1), StatedGap("single-contact", 1.0, 0.2, 3.0)])
    assert any("stated 95 % band holds | 0.500 (1 of 2)" in line for line in figures.lines())
