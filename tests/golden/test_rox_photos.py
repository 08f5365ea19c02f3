"""Labelled photographs that another renderer made, with a deck of their own, judged by the command itself."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps

from vision.cards.quads import overlap
from webui.cli import DONE, main

SAMPLES = Path(__file__).parents[2] / "sample_images"
LABELS = sorted((SAMPLES / "golden").glob("*.json"))
DECK = SAMPLES / "decks" / "rox-stone"
READABLE = 0.9
Json = dict[str, Any]


@cache
def judge(photo: Path) -> Json:
    """What `referee judge rox` prints of one photo."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["judge", "rox", "--deck", str(DECK), str(photo)]) == DONE
    (line,) = out.getvalue().splitlines()
    told: Json = json.loads(line)
    return told


def labels_of(path: Path) -> Json:
    truth: Json = json.loads(path.read_text(encoding="utf-8"))
    return truth


def calls(told: Json) -> Json:
    """By seat what the referee said of its row."""
    return {
        row["seat"]: {
            "verdict": row["verdict"],
            "valid_length": row["valid_length"],
            "counts": row["counts"],
            "break_at": row["break_at"],
            "cards": [card["id"] for card in row["cards"]],
            "links": [card["link"] for card in row["cards"]],
        }
        for row in told["rows"]
    }


def corner_errors(truth: Json, told: Json) -> np.ndarray:
    """Distance of every corner of a row card from where it is, in px."""
    seen = {card["id"]: card["quad"] for row in told["rows"] for card in row["cards"]}
    cards = [card for row in truth["rows"] for card in row["cards"]]
    return np.array([np.linalg.norm(np.subtract(seen[c["id"]], c["quad"]), axis=1) for c in cards]).ravel()


def test_there_are_three_labelled_photos() -> None:
    """A test over no photos would find nothing wrong; together they show broken and valid rows and scoring cards."""
    truths = [labels_of(path) for path in LABELS]
    assert len(truths) == 3
    assert {row["verdict"] for t in truths for row in t["rows"]} == {"valid", "broken"}
    assert any(t["scoring_cards"] for t in truths)
    assert any("hand" in t["occluders"] for t in truths)


@pytest.mark.parametrize("label", LABELS, ids=lambda path: path.stem)
def test_rows_and_verdicts(label: Path) -> None:
    """Seats, rows from the owner's left, links, break, counting length and scoring cards are those on the table."""
    truth, told = labels_of(label), judge(label.with_suffix(".jpg"))
    assert calls(told) == calls(truth)
    for row, true_row in zip(
        sorted(told["rows"], key=lambda r: r["seat"]), sorted(truth["rows"], key=lambda r: r["seat"]), strict=True
    ):
        for card, true_card in zip(row["cards"], true_row["cards"], strict=True):
            assert {k: card[k] for k in ("center", "edge", "next")} == {
                k: true_card[k] for k in ("center", "edge", "next")
            }
            assert card["confidence"] > 0.5
    assert sorted(c["value"] for c in told["scoring_cards"]) == sorted(c["value"] for c in truth["scoring_cards"])
    errors = corner_errors(truth, told)
    assert np.median(errors) < 0.6
    assert np.percentile(errors, 95) < 2.0


@pytest.mark.parametrize("label", LABELS, ids=lambda path: path.stem)
def test_the_pool(label: Path) -> None:
    """Open cards of the heap are named, none is named that is not there, and no outline lies where no card lies."""
    truth, told = labels_of(label), judge(label.with_suffix(".jpg"))
    lying = {card["id"]: card for card in truth["pool"]}
    named = {card["id"] for card in told["pool"] if card["id"] is not None}
    assert named <= set(lying)
    readable = {name for name, card in lying.items() if card["visible"] >= READABLE}
    assert len(readable - named) <= 0.04 * len(readable)
    everything = [*truth["pool"], *truth["scoring_cards"], *truth["face_down"]]
    for card in told["pool"]:
        assert max(overlap(np.array(card["quad"]), np.array(c["quad"])) for c in everything) > 0.4


def test_the_other_way_round(tmp_path: Path) -> None:
    """From the other side of the table the same photograph has the same rows: only the seats change places."""
    label = LABELS[1]
    with Image.open(label.with_suffix(".jpg")) as photo:
        photo.transpose(Image.Transpose.ROTATE_180).save(tmp_path / "turned.png", compress_level=0)
    opposite = {"south": "north", "north": "south", "west": "east", "east": "west"}
    truth = calls(labels_of(label))
    assert calls(judge(tmp_path / "turned.png")) == {opposite[seat]: row for seat, row in truth.items()}


def test_a_mirrored_photo_is_not_judged(tmp_path: Path) -> None:
    """A mirrored picture, as some webcams give, has no card of this deck: nothing but a chance likeness is named."""
    with Image.open(LABELS[1].with_suffix(".jpg")) as photo:
        ImageOps.mirror(photo).save(tmp_path / "mirrored.png", compress_level=0)
    told = judge(tmp_path / "mirrored.png")
    assert [card["id"] for row in told["rows"] for card in row["cards"] if card["confidence"] > 0.5] == []
    assert sum(card["id"] is not None for card in told["pool"]) <= 1


@pytest.mark.parametrize("quality", [25, 60])
def test_a_worse_photo_is_never_judged_wrong(tmp_path: Path, quality: int) -> None:
    """Half the pixels and hard compression: a call may become unsure, it does not become another one."""
    label = LABELS[0]
    with Image.open(label.with_suffix(".jpg")) as photo:
        photo.resize((photo.width // 2, photo.height // 2)).save(tmp_path / "worse.jpg", quality=quality)
    truth = calls(labels_of(label))
    for seat, row in calls(judge(tmp_path / "worse.jpg")).items():
        assert row["verdict"] in (truth[seat]["verdict"], "unsure")
        assert set(row["cards"]) - {None} <= set(truth[seat]["cards"])
