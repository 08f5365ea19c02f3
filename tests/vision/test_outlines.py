"""Proposals: where the network sees cards, as outlines in pixels of the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.render.anycard import random_face
from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph, rows
from tests.render.textures import cloth, granular, laminate, wood
from vision.cards.outlines import STRIDE, Outline, Proposal, estimate_cells, find_outlines, typical_short_side
from vision.cards.quads import is_convex, overlap

SIDE = 640


@pytest.fixture(scope="module")
def photo(small_art: DeckArt) -> Photo:
    """Cards of no deck, one half over another."""
    faces = [random_face(np.random.default_rng([3, n]), 1.5) for n in range(9)]
    places = [pose for _, pose in rows(["any"] * 8, 4, (80, 80))]
    x, y, _ = places[0]
    return photograph(small_art, [], foreign=list(zip(faces, [*places, (x + 22.0, y + 8.0, 0.2)], strict=True)))


def proposals(rgb: np.ndarray, side: int = SIDE) -> list[Proposal]:
    return find_outlines(estimate_cells(rgb, side))


def best(found: list[Proposal], quad: np.ndarray) -> Proposal:
    return max(found, key=lambda p: overlap(p.quad_px, quad))


def test_cells_cover_the_picture(photo: Photo) -> None:
    """Maps of probabilities on a grid whose cells, laid side by side, are the picture."""
    cells = estimate_cells(photo.rgb, SIDE)
    h, w = cells.card.shape
    assert cells.edge.shape == (h, w)
    assert cells.field.shape[1:] == (h, w)
    assert (w * cells.cell_px[0], h * cells.cell_px[1]) == pytest.approx((960, 540))
    assert w * STRIDE == pytest.approx(SIDE, abs=16)
    for map_ in (cells.card, cells.edge):
        assert 0 <= map_.min() <= map_.max() <= 1


def test_open_cards_are_proposed_whole(photo: Photo) -> None:
    """Cards that no deck has are outlined within a few percent, with little doubt, and convex."""
    found = proposals(photo.rgb)
    good = 0
    for card, visible in zip(photo.cards[1:], photo.visible[1:], strict=True):
        assert visible > 0.9
        p = best(found, card.quad_px)
        assert is_convex(p.quad_px)
        good += overlap(p.quad_px, card.quad_px) > 0.85 and p.belief > 0.6 and p.visible > 0.8
    # a picture above a block of text may look like two cards
    assert good >= 7


def test_hidden_parts_are_outlined_too(photo: Photo) -> None:
    """The covered card keeps its own outline, and the visible share is about what can be seen."""
    under = photo.cards[0]
    p = best(proposals(photo.rgb), under.quad_px)
    assert photo.visible[0] < 0.65
    assert overlap(p.quad_px, under.quad_px) > 0.75
    assert p.visible == pytest.approx(photo.visible[0], abs=0.2)


def test_votes_lie_on_their_card(photo: Photo) -> None:
    """The cells that voted for a card are cells of that card."""
    for p in proposals(photo.rgb):
        polygon = p.quad_px.astype(np.float32).reshape(-1, 1, 2)
        far = [cv2.pointPolygonTest(polygon, (float(x), float(y)), True) < -12 for x, y in p.cells]
        assert np.mean(far) < 0.05


def test_fitted_sides_are_exact(photo: Photo) -> None:
    """Moved onto the picture's edges, outlines of open cards are right to two pixels and known to be whole."""
    cells = estimate_cells(photo.rgb, SIDE)
    outlines = [Outline(p, photo.rgb, cells) for p in find_outlines(cells)]
    errors = []
    for card in photo.cards[1:8]:
        o = max(outlines, key=lambda o: overlap(o.quad, card.quad_px))
        assert o.whole
        errors.append(min(np.linalg.norm(np.roll(o.quad, k, 0) - card.quad_px, axis=1).max() for k in range(4)))
    assert np.median(errors) < 1.5


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_the_size_of_the_picture_does_not_matter(photo: Photo, factor: float) -> None:
    """The same scene in half or twice as many pixels has the same outlines, in its own pixels."""
    rgb = cv2.resize(photo.rgb, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    found = [(p.quad_px + 0.5) / factor - 0.5 for p in proposals(rgb)]
    assert sum(max(overlap(q, card.quad_px) for q in found) > 0.85 for card in photo.cards[1:]) >= 7


def test_the_typical_size_is_measured(photo: Photo) -> None:
    """The short side of the cards, in pixels of the network's picture, to a tenth."""
    short = np.median([np.linalg.norm(c.quad_px[1] - c.quad_px[0]) for c in photo.cards]) * SIDE / 960
    assert typical_short_side(estimate_cells(photo.rgb, SIDE)) == pytest.approx(short, rel=0.12)


@pytest.mark.parametrize("surface", [wood, cloth, laminate, granular])
def test_empty_tables_propose_next_to_nothing(surface: object) -> None:
    """Grain, weave and stone are no cards: nothing is proposed whole with any belief."""
    rgb = (surface(np.random.default_rng(4), 540, 960) * 255).astype(np.uint8)  # type: ignore[operator]
    assert [p for p in proposals(rgb) if p.visible > 0.8 and p.belief > 0.7] == []


def test_a_flat_picture_proposes_nothing() -> None:
    """No cell votes, no size is made up."""
    cells = estimate_cells(np.full((540, 960, 3), 90, np.uint8), 256)
    assert find_outlines(cells) == []
    assert typical_short_side(cells) is None
