"""A copy of CONEX is learned from photographs of its cards laid apart and of its board."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.capture_digits import NONE, framed, probabilities, read_digit
from calibration.capture_grounds import sort_grounds
from calibration.deck_capture import Enrolled, Example, Photo, Wishes
from calibration.deck_capture_conex import enroll_conex
from tests.render.enroll_cards import Json, photograph, read
from vision.quads import overlap

DECK = Path(__file__).parent.parent.parent / "calibration" / "decks" / "conex-proxy"
BOARD = 2
"""Seed of a table on which the board is found."""
Copy = tuple[Json, Enrolled, list[list[Json]]]


@pytest.fixture(scope="module")
def copy() -> Copy:
    """Two dozen cards of the bundled deck and its board, as read, and where the cards lie."""
    data = json.loads((DECK / "deck.json").read_text())
    faces = [(f["id"], read(DECK / f["image"])) for f in data["faces"][::2][:24]]
    rng = np.random.default_rng(4)
    size = (float(data["card_mm"][0]), float(data["card_mm"][1]))
    photos, truth = [], []
    for n, part in enumerate((faces[::2], faces[1::2])):
        rgb, where = photograph(rng, part, size, float(data["corner_radius_mm"]), 4)
        photos.append(Photo(f"{n:02d}.jpg", rgb))
        truth.append(where)
    side = float(data["board"]["size_mm"])
    rgb, _ = photograph(
        np.random.default_rng(BOARD), [("board", read(DECK / data["board"]["image"]))], (side, side), 0.5, 1
    )
    by_id = {f["id"]: f for f in data["faces"]}
    examples: dict[str, Example] = {}
    for n, cards in enumerate(truth):
        for card in cards:
            face = by_id[card["id"]]
            x, y = np.mean(card["quad"], axis=0)
            examples.setdefault(face["color"], Example(face["color"], n, (float(x), float(y))))
    wishes = Wishes(size, tuple(examples.values()), board=Photo("board.jpg", rgb))
    return data, enroll_conex(photos, wishes, lambda _: None), truth


def test_cards_are_read_or_asked(copy: Copy) -> None:
    """Ground, sign, corners' colours and numbers: what nobody is asked about is right."""
    data, enrolled, truth = copy
    by_id = {f["id"]: f for f in data["faces"]}
    met = 0
    for n, cards in enumerate(truth):
        for card in cards:
            face = by_id[card["id"]]
            for part in enrolled.parts:
                seen = part.sightings[0]
                if seen["photo"] != f"{n:02d}.jpg" or overlap(np.array(card["quad"]), np.array(seen["quad"])) < 0.9:
                    continue
                met += 1
                said = part.told()
                assert said["color"] == face["color"], face["id"]
                assert said["symbol"] == face["symbol"] or "symbol" in said["asks"], face["id"]
                want = sorted((c["color"], c["value"]) for c in face["corners"])
                read_ = sorted((c["color"], c["value"]) for c in said["corners"])
                assert read_ == want or "corners" in said["asks"], face["id"]
    assert met == 24
    assert sum(bool(p.asks) for p in enrolled.parts) <= 8


def test_board_is_cut_out_with_its_spaces(copy: Copy) -> None:
    """Each of the four spaces has the colour of the cards that may be laid on it, whichever side is up."""
    data, enrolled, _ = copy
    assert enrolled.pictures["board.png"].shape[0] == enrolled.pictures["board.png"].shape[1]
    read_, true = ([s["color"] for s in b["spaces"]] for b in (enrolled.deck["board"], data["board"]))
    assert sorted(read_) == sorted(true)
    for space in enrolled.deck["board"]["spaces"]:
        size = np.ptp(np.array(space["region"]), axis=0) / enrolled.deck["board"]["size_mm"]
        want = np.ptp(np.array(data["board"]["spaces"][0]["region"]), axis=0) / data["board"]["size_mm"]
        assert np.abs(size - want).max() < 0.03


def test_lamps_over_two_photos_do_not_mix_the_colours() -> None:
    """Grounds seen under a warm and under a cold lamp are still four colours."""
    rng = np.random.default_rng(1)
    four = np.array([[60, 50, 30], [50, -40, -5], [45, 40, -50], [80, 0, 70.0]])
    kinds = np.tile(np.arange(4), 6)
    cast = np.where(np.arange(24)[:, None] < 12, [0, 0, -12.0], [0, 4, 14.0])
    found = sort_grounds(list(four[kinds] + cast + rng.normal(0, 2, (24, 3))), [0] * 12 + [1] * 12)
    pairs = set(zip(kinds.tolist(), found.kinds.tolist(), strict=True))
    assert len(pairs) == 4


def test_digit_is_read_with_its_direction() -> None:
    """A 2 that lies on its side is a 2 with its head to the right; what is no ink is nothing."""
    two = np.zeros((24, 18), np.float32)
    for (x0, y0), (x1, y1) in zip(
        [(3, 7), (4, 4), (8, 2), (12, 4), (13, 8), (8, 14), (3, 20)],
        [(4, 4), (8, 2), (12, 4), (13, 8), (8, 14), (3, 20), (14, 20)],
        strict=True,
    ):
        for t in np.linspace(0, 1, 30):
            x, y = round(x0 + t * (x1 - x0)), round(y0 + t * (y1 - y0))
            two[y : y + 2, x : x + 2] = 1
    said = read_digit(np.rot90(two, -1).copy(), np.array([0.0, np.pi / 2]))
    assert said is not None
    assert said.digit == 2
    assert said.turn_rad == pytest.approx(np.pi / 2)
    assert read_digit(np.zeros((20, 20), np.float32), np.array([0.0])) is None
    blob = framed(np.ones((20, 20), np.float32))
    assert blob is not None
    assert probabilities(blob[None])[0].argmax() == NONE or probabilities(blob[None])[0].max() < 0.9
