"""The random CONEX decks are decks of the game: what the rules read of them is sound, and no two are alike."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from shapely.geometry import Polygon

from scoring.deck import parse_deck
from scoring.deck_conex import ConexDeck
from tests.decks.conex import MEASURING, TUNING, ensure_deck, look, random_faces, random_regions


def test_a_look_is_the_same_every_time_and_another_for_every_name() -> None:
    """What a deck looks like hangs on its name alone; none of those for measuring is one of those for tuning."""
    looks = [look(name) for name in (*TUNING, *MEASURING)]
    assert looks == [look(name) for name in (*TUNING, *MEASURING)]
    assert len({tuple(s.colors.items()) for s in looks}) > len(looks) / 2
    assert not set(TUNING) & set(MEASURING)


def test_regions_lie_on_the_outline_apart_from_one_another() -> None:
    """Each region is a convex piece of the card that reaches its outline; no two come near each other."""
    size = (59.0, 92.0)
    card = Polygon([(0, 0), (59, 0), (59, 92), (0, 92)])
    for seed in range(30):
        regions = [Polygon(r) for r in random_regions(np.random.default_rng(seed), size, 3)]
        for i, region in enumerate(regions):
            assert region.is_valid
            assert card.buffer(0.01).contains(region)
            assert region.convex_hull.area == pytest.approx(region.area, rel=1e-6)
            assert region.exterior.intersection(card.exterior.buffer(0.01)).length > 8
            assert all(region.distance(o) > 5.9 for o in regions[:i])


@pytest.mark.parametrize("name", [TUNING[0], MEASURING[0]])
def test_the_cards_are_those_of_the_game(name: str) -> None:
    """52 cards, 13 of each ground; corners in other colours than their card, worth 1 to 5."""
    style = look(name)
    faces = random_faces(style, np.random.default_rng(3))
    assert Counter(f["color"] for f in faces) == dict.fromkeys(style.colors, 13)
    for face in faces:
        assert 1 <= len(face["corners"]) <= 4
        assert all(c["color"] != face["color"] and 1 <= c["value"] <= 5 for c in face["corners"])
    assert {f["symbol"] for f in faces} == {None, "plus2", "die"}


def test_a_drawn_deck_can_be_read(tmp_path: Path) -> None:
    """The folder is one that the rules accept, drawn once, with a picture for everything that it names."""
    folder = ensure_deck(tmp_path, TUNING[1], px_per_mm=2)
    data = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    deck = parse_deck(data, str(folder / "deck.json"))
    assert isinstance(deck, ConexDeck)
    assert len(deck.faces) == 52
    assert deck.board.goal == len(deck.board.track) - 1
    named = [f["image"] for f in data["faces"]] + [
        data["board"]["image"],
        *(s["image"] for s in data["stars"].values()),
    ]
    assert all((folder / image).is_file() for image in named)
    before = (folder / "board.png").stat().st_mtime_ns
    assert ensure_deck(tmp_path, TUNING[1]) == folder
    assert (folder / "board.png").stat().st_mtime_ns == before
