"""Cards of no known deck: outlined on any table; what is no card is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.render.anycard import random_face
from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph, rows
from tests.render.textures import chessboard, coins, print_page, tiles, wood
from vision.cards.quads import is_convex, overlap, signed_area
from vision.observe import observe
from vision.scene import Observation, SceneModel
from vision.types import Detection, Frame


def found_in(rgb: np.ndarray) -> tuple[Detection, ...]:
    got = observe(Frame(rgb), SceneModel())
    assert isinstance(got, Observation)
    return got.detections


def some_cards(art: DeckArt, seed: int, count: int = 8, **scene: object) -> Photo:
    faces = [random_face(np.random.default_rng([seed, n]), 1.5) for n in range(count)]
    places = [pose for _, pose in rows(["any"] * count, 4, (85, 85))]
    return photograph(art, [], foreign=list(zip(faces, places, strict=True)), seed=seed, **scene)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "scene", [{}, {"tilt_deg": 35}, {"table": "white"}, {"table": "dark"}], ids=["wood", "tilted", "white", "dark"]
)
def test_cards_of_any_kind_are_outlined(small_art: DeckArt, scene: dict) -> None:
    """Faces that were drawn for this picture alone: nearly all found, exact to a percent of the card, none invented."""
    photo = some_cards(small_art, 21, **scene)
    found = found_in(photo.rgb)
    errors = []
    for d in found:
        truth = max(photo.cards, key=lambda c: overlap(c.quad_px, d.quad_px))
        assert overlap(truth.quad_px, d.quad_px) > 0.7, "an outline where no card lies"
        off = min(np.linalg.norm(np.roll(d.quad_px, k, 0) - truth.quad_px, axis=1).max() for k in range(4))
        errors.append(off / np.linalg.norm(truth.quad_px[2] - truth.quad_px[0]))
    assert len(found) >= 7
    assert np.median(errors) < 0.012


def test_outlines_start_top_left_and_run_clockwise(small_art: DeckArt) -> None:
    """Without a deck nothing is printed: the corner nearest to the picture's top-left comes first."""
    found = found_in(some_cards(small_art, 22).rgb)
    assert found
    for d in found:
        assert d.face is None
        assert not d.is_back
        assert np.argmin(d.quad_px.sum(1)) == 0
        assert signed_area(d.quad_px) > 0
        assert is_convex(d.quad_px)
        assert 0 < d.confidence <= 1
        assert 0.8 < d.visible <= 1


def test_placements_have_no_face(small_art: DeckArt) -> None:
    """The observation carries the outlines as pieces that nobody named."""
    got = observe(some_cards(small_art, 23).frame, SceneModel())
    assert isinstance(got, Observation)
    assert len(got.table.placements) == len(got.detections) > 0
    assert all(p.face is None and p.candidates == () for p in got.table.placements)


def test_a_card_that_leaves_the_picture_is_not_outlined(small_art: DeckArt) -> None:
    """Its corners could only be invented."""
    faces = [random_face(np.random.default_rng([7, n]), 1.5) for n in range(5)]
    places = [(-60.0, 0.0, 0.1), (40.0, 10.0, 0.3), (120.0, -20.0, 0.0), (-236.0, 0.0, 0.2), (60.0, 132.0, 0.1)]
    photo = photograph(small_art, [], foreign=list(zip(faces, places, strict=True)))
    assert all(((c.quad_px < 0) | (c.quad_px > [959, 539])).any() for c in photo.cards[3:])
    assert all(v > 0.3 for v in photo.visible[3:])
    for d in found_in(photo.rgb):
        truth = max(photo.cards, key=lambda c: overlap(c.quad_px, d.quad_px))
        assert truth in photo.cards[:3]
        assert (d.quad_px > -1).all()
        assert (d.quad_px < [960, 540]).all()


@pytest.mark.parametrize("surface", [chessboard, tiles, print_page, coins, wood])
def test_boards_pages_and_grain_are_no_cards(surface: object) -> None:
    """Squares of a board, bricks, lines of print, coins, planks: at most one outline in three pictures."""
    invented = 0
    for seed in range(3):
        rgb = (surface(np.random.default_rng([8, seed]), 480, 640) * 255).astype(np.uint8)  # type: ignore[operator]
        invented += len(found_in(rgb))
    assert invented <= 1


def test_an_empty_table_with_things_on_it(small_art: DeckArt) -> None:
    """Mug, pencil, phone and hand are no cards."""
    things = [("mug", (-100, 20)), ("pencil", (0, 60)), ("phone", (90, 0)), ("hand", (0, -40))]
    assert len(found_in(photograph(small_art, [], things=things).rgb)) <= 1
