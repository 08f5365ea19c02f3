"""The measure of Cactus itself: it finds nothing wrong with the truth, and every fault where it is."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.measure import cactus
from tests.measure.cactus_figures import Figures, Verdicts
from tests.measure.rox import Share

Json = dict[str, Any]


def _square(x: float, y: float) -> list[list[float]]:
    return [[x, y], [x + 30, y], [x + 30, y + 30], [x, y + 30]]


def _contact(a: str, b: str | None, kind: str, mm: float, **more: Any) -> Json:
    verdict = "touching" if mm < 0.1 else "clear"
    plain = {"a": a, "b": b, "kind": kind, "gap_mm": mm, "verdict": verdict, "close": False, "overlap_in_view": False}
    return plain | more


def photo() -> Json:
    """The labels of a photo: a touching pair, one that crosses in view, one near the base, a piece that fell."""
    return {
        "cacti": [{"id": "K1", "base": _square(0, 300)}],
        "pieces": [
            {"id": "sun-red", "cactus": "K1", "outline": _square(0, 0), "visible": 1.0},
            {"id": "moon-red", "cactus": "K1", "outline": _square(30, 0), "visible": 0.7},
            {"id": "moon-blue", "cactus": "K1", "outline": _square(40, 0), "visible": 0.3},
        ],
        "contacts": [
            _contact("sun-red", "moon-red", "same-color", 0.0),
            _contact("moon-red", "moon-blue", "same-shape", 4.0, overlap_in_view=True),
            _contact("sun-red", None, "base", 3.0),
        ],
        "event": "touch-color",
        "placed": "sun-red",
        "fallen": ["star-pink"],
        "violations": [{"rule": "same-color", "pieces": ["moon-red", "sun-red"]}],
        "claims": [],
        "penalties": [{"why": "fallen", "flowers": -1}],
    }


def missed(told: Json, truth: Json | None = None) -> set[str]:
    """Names of the figures that missed."""
    figures = Figures()
    figures.add(truth or photo(), told, "case/01.jpg")
    return {name for name, _ in figures.missed}


def test_the_truth_is_right_in_every_figure() -> None:
    """The labels told back count as right everywhere."""
    figures = Figures()
    figures.add(photo(), photo())
    figures.add_second(photo(), photo())
    assert not figures.missed
    for name in figures.__slots__:
        value = getattr(figures, name)
        if isinstance(value, Verdicts):
            assert value.right.hits == value.right.total > 0
        elif isinstance(value, Share) and name != "penalised":
            assert value.hits == value.total > 0
    assert figures.iou == [1.0, 1.0]
    assert any("same-color touching" in line for line in figures.lines())


def _verdict(i: int, word: str) -> Callable[[Json], None]:
    def change(told: Json) -> None:
        told["contacts"][i]["verdict"] = word

    return change


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda t: t["cacti"].clear(), {"cactus"}),
        (lambda t: t["pieces"].pop(0), {"piece"}),
        (lambda t: t["pieces"].pop(2), set()),
        (lambda t: t["pieces"][1].update(cactus="K2"), {"piece"}),
        (lambda t: t["pieces"][1].update(outline=_square(45, 0)), {"outline"}),
        (lambda t: t["pieces"].append({"id": "arch-blue", "cactus": "K1"}), {"invented"}),
        (lambda t: t.update(placed="moon-red"), {"placed"}),
        (lambda t: t.update(fallen=[]), {"fallen"}),
        (_verdict(0, "clear"), {"contact WRONG"}),
        (_verdict(0, "unsure"), {"contact unsure"}),
        (_verdict(1, "unsure"), set()),
        (_verdict(1, "touching"), {"contact WRONG"}),
        (_verdict(2, "touching"), {"contact WRONG"}),
        (lambda t: t["contacts"].pop(0), {"contact unsure"}),
        (lambda t: t["contacts"].pop(2), set()),
        (lambda t: t["contacts"].append(_contact("a", "b", "same-shape", 0.0)), {"touching invented"}),
        (lambda t: t.update(violations=[]), {"violations"}),
        (lambda t: t.update(claims=[{"why": "color-3", "flowers": 1}]), {"claims"}),
        (lambda t: t.update(penalties=[]), {"penalties"}),
    ],
)
def test_a_fault_is_counted_where_it_is(change: Callable[[Json], Any], names: set[str]) -> None:
    """One thing told otherwise misses that figure and no other; pieces hardly seen are not asked for."""
    told = copy.deepcopy(photo())
    change(told)
    assert missed(told) == names


def test_what_is_close_may_be_called_either_way() -> None:
    """A gap within the photo's resolution is right as touching, clear or unsure, and no violation is asked of it."""
    truth = photo()
    truth["contacts"][0].update(gap_mm=0.4, verdict="clear", close=True)
    for word in ("touching", "clear", "unsure"):
        told = copy.deepcopy(truth)
        told["contacts"][0]["verdict"] = word
        told["violations"] = []
        assert missed(told, truth) == set()


def test_a_violation_that_is_none_is_counted_apart() -> None:
    """A stated violation in a rightful turn is the worst miss and has its own share."""
    truth = photo() | {"violations": []}
    truth["contacts"][0].update(gap_mm=2.0, verdict="clear")
    told = copy.deepcopy(truth) | {"violations": [{"rule": "same-color", "pieces": ["a", "b"]}]}
    figures = Figures()
    figures.add(truth, told)
    assert (figures.penalised.hits, figures.penalised.total) == (1, 1)


def test_kept_answers_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Answers that were kept are held against their case, photo by photo; one that is missing misses everything."""
    case = tmp_path / "cactus" / "000-a"
    case.mkdir(parents=True)
    photos = [{"photo": f"0{i}.jpg", **photo()} for i in (0, 1)]
    (case / "truth.json").write_text(json.dumps({"deck": "a", "photos": photos}), encoding="utf-8")
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "000-a.jsonl").write_text(json.dumps(photos[0] | {"photo": "some/where/00.jpg"}), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["cactus", str(tmp_path), "--answers", str(kept)])
    cactus.run()
    told = capsys.readouterr().out
    assert "1 sequences, 2 photos" in told
    assert "| placed piece | 0.500 (1 of 2) |" in told
    assert "placed: 000-a/01.jpg touch-color: sun-red told None" in told
