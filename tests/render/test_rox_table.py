"""Drawn tables of Rox obey the rules that they are to be judged by."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from scoring.deck import parse_deck
from tests.render.rox_table import SEATS, DeckArt, chain, draw, framed_view, random_scene, truth_of
from tests.render.scene import Sensor

DECK = Path(__file__).parents[2] / "calibration" / "decks" / "rox-proxy"


@pytest.fixture(scope="module")
def deck() -> DeckArt:
    return DeckArt.load(DECK)


def test_the_art_is_the_deck(deck: DeckArt) -> None:
    """Every card has its picture, in the proportions of the card; leaders are those of the rules."""
    rules = parse_deck(deck.data, str(DECK / "deck.json"))
    for face in rules.faces.values():
        h, w = deck.pictures[face.id].shape[:2]
        assert w / h == pytest.approx(deck.size_mm[0] / deck.size_mm[1], rel=0.01)
        assert deck.leader(face.id) == face.leader
    assert "back" in deck.pictures


def test_chains_follow_the_rule_unless_they_slip(deck: DeckArt) -> None:
    """Without slips every card shows what the one before asks for; cards are taken out of the free ones."""
    rng = np.random.default_rng(3)
    free = [f["id"] for f in deck.data["faces"]]
    row = chain(rng, deck, 6, free, 0.0)
    assert len(row) == 6
    assert not set(row) & set(free)
    assert len(free) == 54
    for before, after in pairwise(row):
        assert deck.face(after)["center"] == deck.leader(before)
    wrong = chain(rng, deck, 6, free, 1.0)
    assert all(deck.face(b)["center"] != deck.leader(a) for a, b in pairwise(wrong))


@pytest.mark.parametrize("seed", range(4))
def test_scenes_are_possible(deck: DeckArt, seed: int) -> None:
    """No card lies twice, seats are seats, rows have two to six cards and lie within the region."""
    scene = random_scene(np.random.default_rng(seed), deck)
    used = [f for row in scene.rows.values() for f, _ in row] + [f for f, _ in scene.pool + scene.scoring]
    assert len(used) == len(set(used))
    assert set(scene.rows) <= set(SEATS)
    assert len(scene.rows) >= 2
    for seat, row in scene.rows.items():
        assert 2 <= len(row) <= 6
        reach = np.hypot(*deck.size_mm) / 2
        half = np.array(scene.region_mm) / 2
        for _, (x, y, _) in row:
            assert (np.abs([x, y]) < half).all()
            toward = {"south": y, "north": -y, "east": x, "west": -x}[seat]
            assert toward > half[0 if seat in ("east", "west") else 1] - 2 * reach


@pytest.mark.parametrize("tilt", [0, 30])
def test_the_framed_view_shows_the_whole_region(tilt: float) -> None:
    """All of the region is in the picture, and it fills a good part of it."""
    view = framed_view(np.random.default_rng(1), (600, 350), (960, 540), tilt, 64, -0.05)
    corners = view.project(np.array([[-300, -175], [300, -175], [300, 175], [-300, 175.0]]))
    assert (corners > 0).all()
    assert (corners < [960, 540]).all()
    assert np.ptp(corners[:, 0]) > 0.6 * 960 or np.ptp(corners[:, 1]) > 0.6 * 540


def test_the_truth_is_told_in_the_shape_of_the_contract(deck: DeckArt) -> None:
    """Rows from the owner's left with links, prefix and break as the rules have them; shares between 0 and 1."""
    rng = np.random.default_rng(8)
    scene = random_scene(rng, deck)
    view = framed_view(rng, scene.region_mm, (480, 270), 10, 64)
    table, marks = draw(rng, scene, deck, view, scale=1)
    _, owner = table.finish(rng, Sensor(jpeg=100))
    truth = truth_of(scene, deck, table, owner, marks)
    assert {r["seat"] for r in truth["rows"]} == set(scene.rows)
    for row in truth["rows"]:
        ids = [c["id"] for c in row["cards"]]
        assert ids == [f for f, _ in scene.rows[row["seat"]]]
        links = [
            None if i == 0 else "valid" if deck.leader(ids[i - 1]) == deck.face(ids[i])["center"] else "broken"
            for i in range(len(ids))
        ]
        assert [c["link"] for c in row["cards"]] == links
        first = links.index("broken") if "broken" in links else None
        assert (row["break_at"], row["valid_length"]) == (first, len(ids) if first is None else first)
        assert row["counts"] == (row["valid_length"] >= 3)
        # from the owner's left to the owner's right, seen from the seat
        x, y = np.mean([c["quad"] for c in row["cards"]], axis=1).T
        along = {"south": x, "north": -x, "west": y, "east": -y}[row["seat"]]
        assert np.ptp(along) > 0
        assert (np.diff(along) > 0).all()
    cards = [c for r in truth["rows"] for c in r["cards"]] + truth["pool"] + truth["scoring_cards"]
    assert all(0 <= c["visible"] <= 1 for c in cards)
    assert len(truth["pool"]) == len(scene.pool)
    assert len(truth["face_down"]) == len(scene.face_down)
