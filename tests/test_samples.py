"""The sample photographs that the README names: judged by the command itself and held against their labels.

A label beside a photo has the shape of the command's answer, with `visible` for each card; CONEX has one label for a
sequence of photos. They were drawn by
``python -m tests.render.rox_table OUT --decks calibration/decks/rox-proxy --count 8 --seed 2026`` (numbers 7, 4, 5) and
``python -m tests.render.conex_table OUT --decks calibration/decks/conex-proxy --count 7 --seed 2026`` (number 6).
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from webui.cli import DONE, main

SAMPLES = Path(__file__).parent.parent / "sample_images"
LABELS = sorted(SAMPLES.glob("rox-*.json"))
SEQUENCES = sorted(SAMPLES.glob("conex-*.json"))
READABLE = 0.9
"""Share of a card that must be seen for its name to be asked of the eye."""
CORNER_PX = 2.0


@pytest.mark.parametrize("label", LABELS, ids=lambda path: path.stem)
def test_a_sample_photograph_is_judged_as_labelled(label: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows, seats, cards, links and scoring cards are those on the table, and every corner lies where it was drawn."""
    truth = json.loads(label.read_text(encoding="utf-8"))
    assert main(["judge", truth["game"], str(label.with_suffix(".jpg"))]) == DONE
    told = json.loads(capsys.readouterr().out)

    assert _rows(told) == _rows(truth)
    seen = {card["id"]: card for card in _cards(told)}
    drawn = {card["id"]: card for card in _cards(truth)}
    assert set(seen) - {None} <= set(drawn)
    assert {name for name, card in drawn.items() if card["visible"] >= READABLE} <= set(seen)
    values = {card["id"]: card["value"] for card in truth["scoring_cards"]}
    assert all(values[card["id"]] == card["value"] for card in told["scoring_cards"])
    for row in truth["rows"]:
        for card in row["cards"]:
            pairs = zip(card["quad"], seen[card["id"]]["quad"], strict=True)
            assert max(math.dist(a, b) for a, b in pairs) < CORNER_PX, card["id"]


def test_there_are_three_labelled_samples() -> None:
    """A test over no photos would find nothing wrong; together they show a wrong link and a full row of six."""
    rows = [row for label in LABELS for row in json.loads(label.read_text(encoding="utf-8"))["rows"]]
    assert len(LABELS) >= 3
    assert {row["verdict"] for row in rows} == {"valid", "broken"}
    assert max(row["valid_length"] for row in rows) == 6


@pytest.mark.parametrize("label", SEQUENCES, ids=lambda path: path.stem)
def test_a_sample_sequence_is_judged_as_labelled(label: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each photo against the one before: cards, what they lie on, the placement and what it breaks, pawns, stars."""
    truth = json.loads(label.read_text(encoding="utf-8"))
    area = " ".join(f"{x},{y}" for x, y in truth["area"])
    photos = [str(SAMPLES / photo["photo"]) for photo in truth["photos"]]
    assert main(["judge", "conex", "--area", area, *photos]) == DONE
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for told, drawn in zip(answers, truth["photos"], strict=True):
        assert _laid(told) == _laid(drawn)
        assert told["removed"] == drawn["removed"]
        seen = {card["id"]: card for card in told["cards"]}
        assert set(seen) == {card["id"] for card in drawn["cards"]}
        for card in drawn["cards"]:
            assert sorted(seen[card["id"]]["covered_by"]) == sorted(card["covered_by"])
            pairs = zip(card["quad"], seen[card["id"]]["quad"], strict=True)
            assert max(math.dist(a, b) for a, b in pairs) < CORNER_PX, card["id"]
        faint = {p["color"] for p in drawn["pawns"] if p.get("faint")}
        assert _standing(told, faint) == _standing(drawn, faint)
        assert told["stars"] == drawn["stars"]


def test_there_is_a_sample_sequence_with_a_bonus_and_a_violation() -> None:
    """Three photos or more show a legal card with its bonus, and one that touches another."""
    photos = [p for label in SEQUENCES for p in json.loads(label.read_text(encoding="utf-8"))["photos"]]
    assert len(photos) >= 3
    laid = [p["placement"] for p in photos if p["placement"] is not None]
    assert any(p["verdict"] == "legal" and p["bonus"] for p in laid)
    assert any(v["rule"] == "single-contact" for p in laid for v in p["violations"])


def _laid(photo: dict[str, Any]) -> dict[str, Any] | None:
    """The placement but for measured gaps."""
    laid = photo["placement"]
    if laid is None:
        return None
    return {**laid, "violations": [(v["rule"], v["other"]) for v in laid["violations"]]}


def _standing(photo: dict[str, Any], faint: set[str]) -> set[tuple[str, int]]:
    """Pawns that a person sees, on their squares."""
    return {(p["color"], p["square"]) for p in photo["pawns"] if p["color"] not in faint}


def _rows(photo: dict[str, Any]) -> dict[str, Any]:
    """By seat: the call, and the cards from the owner's left with their links."""
    return {
        row["seat"]: (
            row["verdict"],
            row["valid_length"],
            row["counts"],
            row["break_at"],
            [(card["id"], card["center"], card["next"], card["link"]) for card in row["cards"]],
        )
        for row in photo["rows"]
    }


def _cards(photo: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *(card for row in photo["rows"] for card in row["cards"]),
        *photo["pool"],
        *photo["scoring_cards"],
    ]
