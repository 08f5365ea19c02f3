"""Real photographs by other people, with cards of no deck that the program knows, and without any."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.cards.quads import overlap
from webui.cli import DONE, main

PHOTOS = Path(__file__).parents[2] / "sample_images" / "photos"


def cards_in(photo: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    """What `referee cards` prints of one photo."""
    assert main(["cards", *options, str(photo)]) == DONE
    (line,) = capsys.readouterr().out.splitlines()
    cards: list[dict[str, Any]] = json.loads(line)["cards"]
    return cards


def test_cards_of_a_game_that_nobody_taught(capsys: pytest.CaptureFixture[str]) -> None:
    """Twelve cards on light wood, outlined by hand: all are found to a percent of their diagonal, and nothing else."""
    truth = [np.array(q) for q in json.loads((PHOTOS / "set-cards.json").read_text())["quads"]]
    found = cards_in(PHOTOS / "set-cards.jpg", capsys)
    errors = []
    for quad in truth:
        best = max((np.array(c["quad"]) for c in found), key=lambda q: overlap(q, quad))
        assert overlap(best, quad) > 0.85
        off = min(np.linalg.norm(np.roll(best, k, 0) - quad, axis=1).mean() for k in range(4))
        errors.append(off / np.linalg.norm(quad[2] - quad[0]))
    assert np.median(errors) < 0.006
    assert len(found) == len(truth) == 12
    for card in found:
        assert card["id"] is None
        assert card["visible"] > 0.8
        assert np.argmin(np.sum(card["quad"], axis=1)) == 0


def test_a_chess_board_has_no_cards(capsys: pytest.CaptureFixture[str]) -> None:
    """64 squares in a row are no cards, though each has four sides."""
    assert len(cards_in(PHOTOS / "chess-board.jpg", capsys)) <= 1


@pytest.mark.parametrize("photo", ["set-cards.jpg", "chess-board.jpg"])
def test_nothing_of_a_deck_is_seen_in_them(photo: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Judged as a table of Rox they have no card with a name, and no row is broken."""
    assert main(["judge", "rox", str(PHOTOS / photo)]) == DONE
    told = json.loads(capsys.readouterr().out)
    cards = [card for row in told["rows"] for card in row["cards"]] + told["pool"]
    assert {card["id"] for card in cards} <= {None}
    assert told["scoring_cards"] == []
    assert [row for row in told["rows"] if row["verdict"] == "broken"] == []
