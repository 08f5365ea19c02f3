"""Random sets of Cactus: what the rules need of a set, the same each time, and unlike one another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shapely.geometry import Polygon

from scoring.deck import parse_deck
from scoring.deck_cactus import CactusDeck
from tests.decks.cactus_sets import MEASURING, TUNING, ensure_set, look, make_set
from vision.cactus.cactus_set import load_cactus_set


@pytest.mark.parametrize("name", [*TUNING, *MEASURING])
def test_a_set_can_be_read(name: str, tmp_path: Path) -> None:
    """25 basic pieces in five colours and shapes, ten specials, five cacti; rules and eye accept it."""
    folder = ensure_set(tmp_path, name)
    deck = parse_deck(json.loads((folder / "deck.json").read_text(encoding="utf-8")), str(folder))
    assert isinstance(deck, CactusDeck)
    assert len(deck.pieces) == 35
    assert len(deck.shapes) == 5
    assert len(deck.specials) == 10
    assert len(load_cactus_set(folder).cacti) == 5
    for piece in deck.pieces.values():
        assert Polygon(piece.outline).is_valid
        assert 25 < max(deck.size_mm(piece.id)) < 50
    for cactus in deck.cacti.values():
        foot = [x for x, y in cactus.outline if y < 0.01]
        assert 8 < max(foot) - min(foot) < deck.base.width_mm
        assert min(y for _, y in cactus.outline) == pytest.approx(0)


def test_sets_differ_and_stay_the_same() -> None:
    """A name means one set; two names mean other outlines; none is for tuning and measuring at once."""
    assert make_set(look(TUNING[0])) == make_set(look(TUNING[0]))
    every = [make_set(look(n)) for n in (*TUNING, *MEASURING)]
    assert len({json.dumps(s["cacti"][0]["outline"]) for s in every}) == len(every)
    assert len({json.dumps(s["pieces"][0]["outline"]) for s in every}) == len(every)
    assert not set(TUNING) & set(MEASURING)
