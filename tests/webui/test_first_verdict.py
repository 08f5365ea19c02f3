"""An evening's first minutes in a real browser: nothing is known, and some taps later a photo is judged."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.measure.first_verdict import tried
from tests.render.enroll_cards import photograph, read
from tests.webui.browsing import MARKS
from webui.sight.decks.folders import bundled_deck

pytestmark = MARKS

SAMPLES = Path(__file__).parents[2] / "sample_images"
TABLE = "rox-four-rows"
COUNT = 24
TAPS_MAX, WAITED_MAX_S = 12, 180.0


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Photos of two dozen cards laid out, and a table on which some of them lie."""
    folder = bundled_deck("rox")
    data = json.loads((folder / "deck.json").read_text())
    chosen = data["faces"][:COUNT]
    rng = np.random.default_rng(5)
    laid_out, table = tmp_path / "enroll" / "own", tmp_path / "table"
    laid_out.mkdir(parents=True)
    table.mkdir()
    photos = []
    for n, first in enumerate(range(0, COUNT, 12)):
        cards = [(f["id"], read(folder / f["image"])) for f in chosen[first : first + 12]]
        rgb, where = photograph(rng, cards, tuple(data["card_mm"]), float(data["corner_radius_mm"]), 4)
        cv2.imwrite(str(laid_out / f"{n:02d}.jpg"), rgb[..., ::-1])
        photos.append({"photo": f"{n:02d}.jpg", "cards": [{"id": w["id"], "quad": w["quad"]} for w in where]})
    (laid_out / "truth.json").write_text(json.dumps({"game": "rox", "deck": "rox", "photos": photos}))
    (tmp_path / "decks").mkdir()
    (tmp_path / "decks" / "rox").symlink_to(folder)
    (table / "00.jpg").write_bytes((SAMPLES / f"{TABLE}.jpg").read_bytes())
    return tmp_path


def test_a_box_of_cards_becomes_a_verdict(cases: Path) -> None:
    """Photos, names, questions, one tap to save and play, two players, a call, a photo: and its row is judged."""
    one = tried("rox", cases, cases / "table")
    assert one.taps <= TAPS_MAX, one
    assert sum(one.waited_s[k] for k in ("reading", "to the table", "verdict")) <= WAITED_MAX_S, one
    assert one.named == 4
    assert "Round 1" in one.verdict
    assert "Ada" in one.verdict
