"""Labelled sequences of CONEX that another renderer made, with a deck of their own, judged by the command itself."""

from __future__ import annotations

import contextlib
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webui.cli import DONE, main

SAMPLES = Path(__file__).parents[2] / "sample_images"
GAMES = sorted((SAMPLES / "golden").glob("conex-*"))
READABLE = 0.9
Json = dict[str, Any]


def truth_of(game: Path) -> Json:
    truth: Json = json.loads((game / "truth.json").read_text(encoding="utf-8"))
    return truth


@cache
def judge(game: Path) -> list[Json]:
    """What `referee judge conex` prints of a sequence."""
    truth = truth_of(game)
    area = " ".join(f"{x},{y}" for x, y in truth["area"])
    photos = [str(game / photo["photo"]) for photo in truth["photos"]]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert (
            main(["judge", "conex", "--deck", str(SAMPLES / "decks" / truth["deck"]), "--area", area, *photos]) == DONE
        )
    return [json.loads(line) for line in out.getvalue().splitlines()]


def pairs(game: Path) -> list[tuple[Json, Json]]:
    return list(zip(truth_of(game)["photos"], judge(game), strict=True))


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_every_card_that_can_be_seen_is_named_where_it_lies(game: Path) -> None:
    """Within two pixels at the corners, usually within half of one, and nothing is invented."""
    errors: list[float] = []
    for truth, told in pairs(game):
        seen = {card["id"]: card["quad"] for card in told["cards"]}
        assert set(seen) <= {card["id"] for card in truth["cards"]}
        for card in truth["cards"]:
            if card["visible"] >= READABLE:
                errors += np.linalg.norm(np.array(seen[card["id"]]) - card["quad"], axis=1).tolist()
    assert float(np.median(errors)) < 0.6
    assert float(np.percentile(errors, 95)) < 2.0


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_placements_are_read_and_no_verdict_is_wrong(game: Path) -> None:
    """Card, ground and corner of every placement; a verdict may be unsure, never the opposite of the truth."""
    right = laid = 0
    for truth, told in pairs(game):
        assert told["removed"] == truth["removed"]
        want, got = truth["placement"], told["placement"]
        assert (want is None) == (got is None)
        if want is None:
            continue
        assert (got["card"], got["onto"], got["corner"]) == (want["card"], want["onto"], want["corner"])
        laid += 1
        right += got["verdict"] == want["verdict"]
        if not want.get("close"):
            assert got["verdict"] in (want["verdict"], "unsure")
        if got["verdict"] == want["verdict"] == "illegal":
            assert {v["rule"] for v in got["violations"]} == {v["rule"] for v in want["violations"]}
        if got["verdict"] == want["verdict"] == "legal":
            assert got["points"] == want["points"]
    assert right >= laid - 1


@pytest.mark.parametrize("game", GAMES, ids=lambda path: path.name)
def test_pawns_and_stars_stand_where_they_stand(game: Path) -> None:
    """All but those that even a person hardly sees."""
    for truth, told in pairs(game):
        faint = {pawn["color"] for pawn in truth["pawns"] if pawn.get("faint")}
        want = {(p["color"], p["square"]) for p in truth["pawns"] if p["color"] not in faint}
        assert {(p["color"], p["square"]) for p in told["pawns"] if p["color"] not in faint} == want
        assert {(s["kind"], s["on"]) for s in told["stars"]} == {(s["kind"], s["on"]) for s in truth["stars"]}
