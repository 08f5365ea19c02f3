"""The measure itself: it finds nothing wrong with the truth, and every fault once."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.measure.rox import Figures, Share

SAMPLE = Path(__file__).parents[2] / "sample_images" / "rox-four-rows.json"
Json = dict[str, Any]


@pytest.fixture
def truth() -> Json:
    """The labels of a photo with four rows of 14 cards, one of them broken."""
    labels: Json = json.loads(SAMPLE.read_text(encoding="utf-8"))
    return labels


def measure(truth: Json, told: Json) -> Figures:
    figures = Figures()
    figures.add(truth, told)
    return figures


def bad(figures: Figures) -> dict[str, int]:
    """How often each figure missed."""
    missed = {
        name: share.total - share.hits
        for name in ("found", "named", "pool", "scoring", "rows", "right")
        if isinstance(share := getattr(figures, name), Share)
    }
    counted = {name: getattr(figures, name).hits for name in ("unsure", "wrong", "misnamed")}
    return {k: v for k, v in {**missed, **counted, "invented": figures.invented}.items() if v}


def test_the_truth_itself_is_faultless(truth: Json) -> None:
    """What is exactly right misses nothing."""
    figures = measure(truth, copy.deepcopy(truth))
    assert bad(figures) == {}
    assert figures.found.total == 14
    assert max(figures.corners_px) == 0
    assert any("1.000 (4 of 4)" in line for line in figures.lines())


def _wrong_verdict(told: Json) -> None:
    told["rows"][0]["verdict"] = "broken"


def _wrong_length(told: Json) -> None:
    told["rows"][2]["valid_length"] += 1


def _unsure(told: Json) -> None:
    told["rows"][0]["verdict"] = "unsure"


def _wrong_name(told: Json) -> None:
    told["rows"][0]["cards"][1]["id"] = "R99"


def _nameless(told: Json) -> None:
    told["rows"][0]["cards"][1]["id"] = None


def _wrong_seat(told: Json) -> None:
    told["rows"][1]["seat"] = "north"


def _row_lost(told: Json) -> None:
    del told["rows"][1]


def _invented(told: Json) -> None:
    told["pool"].append({"id": None, "quad": [[5, 5], [65, 5], [65, 95], [5, 95]]})


def _moved(told: Json) -> None:
    for corner in told["pool"][0]["quad"]:
        corner[0] += 40


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (_wrong_verdict, {"right": 1, "wrong": 1}),
        (_wrong_length, {"right": 1, "wrong": 1}),
        (_unsure, {"right": 1, "unsure": 1}),
        (_wrong_name, {"named": 1, "rows": 1, "misnamed": 1}),
        (_nameless, {"named": 1, "rows": 1}),
        (_wrong_seat, {"rows": 1}),
        (_row_lost, {"found": 2, "named": 2, "rows": 1, "right": 1, "unsure": 1}),
        (_invented, {"invented": 1}),
        (_moved, {"pool": 1}),
    ],
)
def test_every_fault_is_counted_once(fault: Callable[[Json], None], found: dict[str, int], truth: Json) -> None:
    """Wrong, unsure, lost, invented and misnamed are told apart."""
    told = copy.deepcopy(truth)
    fault(told)
    assert bad(measure(truth, told)) == found


def test_corner_errors_are_distances(truth: Json) -> None:
    """A card that is told 3 px right and 4 px down has four errors of 5 px."""
    told = copy.deepcopy(truth)
    for corner in told["rows"][0]["cards"][0]["quad"]:
        corner[0] += 3
        corner[1] += 4
    figures = measure(truth, told)
    assert sorted(figures.corners_px)[-4:] == pytest.approx([5.0] * 4)
    assert len(figures.corners_px) == 4 * 14
