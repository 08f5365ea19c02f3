"""Symbols that are not clearly of one kind are cut out of the pictures of their cards."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.capture.deck import CENTER, Enrolled, Part, Sign
from calibration.capture.rox.doubtful import doubtful_signs, doubtful_stone
from calibration.capture.rox.ring import WIDTH, Ring
from webui.sight.copies.found import load_reading
from webui.sight.copies.reading import keep_reading

ROWS, LARGER = 240, 2
KINDS = ["fire"] * 8 + ["water"] * 8


@pytest.fixture
def ring() -> Ring:
    """Two cards that show one face, the second one on its head: on it the symbol at the fourth place is clearer."""
    xs = np.linspace(16, 143, 5)
    places = [(x, 16.0) for x in xs] + [(143.0, y) for y in (68, 120, 172)] + [(x, 223.0) for x in xs[::-1]]
    places += [(16.0, y) for y in (172, 120, 68)]
    doubt = np.zeros((2, 16))
    doubt[0, 3], doubt[1, 3 + 8], doubt[1, 3] = 0.9, 0.5, 1.0
    known = np.ones(2, bool)
    evened, looks = np.zeros((2, ROWS, WIDTH, 3), np.float32), np.zeros((5, 24, 24, 3), np.float32)
    turned = np.array([0, 2])
    return Ring(np.array(places), 9.0, known, ~known, np.zeros((2, 16), np.intp), doubt, turned, evened, looks)


def upright(ring: Ring, shade: int) -> np.ndarray:
    """A card's picture, twice as large, brighter than white beside a disc at the fourth place."""
    picture = np.full((ROWS * LARGER, WIDTH * LARGER, 3), 300.0, np.float32)
    x, y = np.round((ring.places[3] + 0.5) * LARGER - 0.5).astype(int).tolist()
    cv2.circle(picture, (x, y), 12, (float(shade),) * 3, -1)
    return picture


def test_a_doubtful_symbol_is_shown_where_it_is_seen_best(ring: Ring) -> None:
    """It is cut out at its place, from that card on which it is clearest, and white stays white."""
    doubtful = np.arange(16) == 3
    (sign,) = doubtful_signs(ring, [0, 1], KINDS, doubtful, {0: upright(ring, 60), 1: upright(ring, 120)})
    middle = sign.picture.shape[0] // 2
    assert (sign.kind, sign.picture.dtype) == ("fire", np.uint8)
    assert sign.picture[middle, middle] == pytest.approx(120, abs=2)
    assert sign.picture[0, 0].tolist() == [255, 255, 255]
    assert 2 * 9 * LARGER < len(sign.picture) < 3 * 9 * LARGER


def test_a_card_that_is_doubtful_as_a_whole_is_no_matter_of_its_symbols(ring: Ring) -> None:
    """Where most of its symbols are doubtful none is shown by itself."""
    pictures = {0: upright(ring, 60)}
    assert len(doubtful_signs(ring, [0], KINDS, np.arange(16) < 8, pictures)) == 8
    assert doubtful_signs(ring, [0], KINDS, np.arange(16) < 9, pictures) == ()


def test_a_doubtful_stone_is_what_the_symbols_enclose(ring: Ring) -> None:
    """Its picture is the middle of the card without the symbols, small enough to be shown beside others."""
    picture = upright(ring, 60)
    x0, y0 = ((ring.places.min(0) + ring.radius + 2) * LARGER).astype(int)
    x1, y1 = ((ring.places.max(0) - ring.radius - 1) * LARGER).astype(int)
    picture[y0:y1, x0:x1] = 40
    stone = doubtful_stone(ring, "fire", picture)
    assert (stone.kind, stone.field) == ("fire", CENTER)
    assert max(stone.picture.shape[:2]) <= 240
    assert (stone.picture == 40).mean() > 0.9


def test_symbols_are_kept_with_what_was_read(tmp_path: Path) -> None:
    """Each doubtful symbol is numbered through all cards and has a picture of that number."""
    face = np.full((90, 60, 3), 128, np.uint8)
    parts = []
    for n, shades in enumerate(((10, 90), (200,))):
        signs = tuple(Sign("kind-1", np.full((20, 20, 3), v, np.uint8)) for v in shades)
        fields = {"id": f"R{n}", "image": f"R{n}.jpg", "center": "kind-1", "edge": {"kind-1": 16}}
        seen = ({"photo": "00.jpg", "quad": [[0, 0], [60, 0], [60, 90], [0, 90]]},)
        parts.append(Part(f"R{n}", "faces", fields, seen, ("edge",), face, signs=signs))
    deck = {"elements": ["kind-1"], "faces": [p.fields for p in parts], "card_mm": [60, 90]}
    keep_reading(Enrolled(deck, tuple(parts)), [], "rox", tmp_path)
    reading = load_reading(tmp_path)
    assert reading is not None
    assert [[s["number"] for s in p["signs"]] for p in reading.parts] == [[0, 1], [2]]
    shown = [cv2.imread(str(tmp_path / f"sign-{n}.jpg")) for n in range(3)]
    assert [round(float(np.mean(s))) for s in shown if s is not None] == pytest.approx([10, 90, 200], abs=2)
