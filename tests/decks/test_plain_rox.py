"""Printings of Rox: cards in their size, five kinds that differ, each printing another."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.art.deal import Card
from tests.decks.plain_rox import draw_card, draw_value
from tests.decks.plain_rox_emblems import EMBLEMS, shield
from tests.decks.plain_rox_games import GAMES
from tests.decks.plain_rox_styles import STYLES

_CARD = Card(1, (0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0))


@pytest.mark.parametrize("name", GAMES)
def test_a_printing_draws_its_cards(name: str) -> None:
    """Both kinds of card have the printing's size, and the middle shows which element it stands for."""
    style = GAMES[name]
    card = draw_card(style, _CARD, np.random.default_rng(3))
    other = draw_card(style, Card(2, _CARD.ring), np.random.default_rng(3))
    value = draw_value(style, 4, np.random.default_rng(3))
    assert card.shape == value.shape == (round(7 * style.size_mm[1]), round(7 * style.size_mm[0]), 3)
    h, w = card.shape[:2]
    middle = np.s_[h // 2 - 50 : h // 2 + 50, w // 2 - 50 : w // 2 + 50]
    assert np.abs(card[middle].astype(float) - other[middle]).mean() > 8


@pytest.mark.parametrize("name", EMBLEMS)
def test_an_emblem_lies_within_its_rim(name: str) -> None:
    """The coloured body is the larger part of what is printed, alike on both sides, and clear of the ring."""
    v, u = np.mgrid[-1.3:1.3:131j, -1.3:1.3:131j]
    body, rim = EMBLEMS[name](u, v)
    whole = np.maximum(body, rim)
    assert np.allclose(whole, whole[:, ::-1], atol=0.01)
    assert body.sum() > 0.4 * whole.sum()
    assert whole[(np.abs(u) > 1.1) | (np.abs(v) > 1.1)].max() < 0.05


def test_a_shield_is_wide_above_and_pointed_below() -> None:
    """Its rows get narrower downwards, and it stands in the middle."""
    mask = shield(60)
    rows = mask.sum(1)
    assert rows[15] > 45 > rows[45] > rows[55] > 0
    assert np.allclose(mask, mask[:, ::-1], atol=0.01)


def test_printings_differ() -> None:
    """Five signs and colours each, sixteen places, and no two printings alike."""
    for style in STYLES.values():
        assert len(set(style.symbols)) == len(set(style.colours)) == 5
        assert 2 * sum(style.ring) - 4 == 16
    for printed in ("seed", "size_mm", "colours", "typeface"):
        assert len({getattr(s, printed) for s in GAMES.values()}) == len(GAMES)
    assert len({s.seed for s in STYLES.values()}) == len(STYLES)
