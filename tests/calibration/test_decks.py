"""The bundled deck and the decks of the closed loop keep what the game needs of its cards."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from calibration.art import rox_proxy
from calibration.art.canvas import Canvas
from calibration.art.colours import DEFICIENCIES, lab
from calibration.art.deal import PLACES, deal
from calibration.art.rox import VALUES, describe, draw_face
from calibration.art.symbols import sprite
from scoring.deck import parse_deck
from tests.decks.draw import ensure_deck
from tests.decks.styles import STYLES
from vision.deck import load_appearance

PROXY = Path(rox_proxy.__file__).parents[1] / "decks" / "rox-proxy"


def picture(file: Path) -> NDArray[np.float64]:
    """(H, W, 3) RGB of a picture file."""
    with Image.open(file) as image:
        return np.asarray(image.convert("RGB"), np.float64)


def small_pictures(folder: Path, prefix: str) -> NDArray[np.float64]:
    """Every picture of the deck whose name starts so, as a coarse grid of colours."""
    files = sorted(folder.glob(f"{prefix}*.jpg"))
    grids = [cv2.resize(picture(f), (24, 36), interpolation=cv2.INTER_AREA) for f in files]
    return np.array(grids)


def test_bundled_deck_is_the_game_that_the_rules_describe() -> None:
    """60 cards, 12 a centre, 16 symbols, one leader of 4 to 8, a third leading by one; 15 scoring cards of 1 to 10."""
    deck = parse_deck(json.loads((PROXY / "deck.json").read_text(encoding="utf-8")), "deck.json")
    assert Counter(f.center for f in deck.faces.values()) == dict.fromkeys(deck.elements, 12)
    assert Counter(f.leader for f in deck.faces.values()) == dict.fromkeys(deck.elements, 12)
    counts = [sorted(f.edge.values(), reverse=True) for f in deck.faces.values()]
    assert {sum(c) for c in counts} == {PLACES}
    assert {c[0] for c in counts} == {4, 5, 6, 7, 8}
    assert sum(c[0] - c[1] == 1 for c in counts) == 20
    values = [c.value for c in deck.scoring_cards.values()]
    assert len(values) == 15
    assert set(values) == set(range(1, 11))
    assert deck.card_mm == (59, 92)


def test_bundled_pictures_are_complete_and_small() -> None:
    """Every picture opens at 8 px a millimetre, and the whole deck stays below 6 MB."""
    appearance = load_appearance(PROXY)
    assert len(appearance.looks) == 76
    files = list(PROXY.iterdir())
    assert sum(f.stat().st_size for f in files) < 6_000_000
    assert {picture(f).shape for f in files if f.suffix == ".jpg"} == {(736, 472, 3)}


def test_no_two_faces_look_alike_even_upside_down() -> None:
    """Every face differs from every other and from its own half turn by more than noise."""
    faces = small_pictures(PROXY, "R")
    turned = faces[:, ::-1, ::-1]
    for i, face in enumerate(faces):
        others = np.abs(np.delete(faces, i, axis=0) - face).mean(axis=(1, 2, 3))
        upside_down = np.abs(turned - face).mean(axis=(1, 2, 3))
        assert others.min() > 6
        assert upside_down.min() > 6


def test_back_is_the_same_after_half_a_turn() -> None:
    """The back does not give away how a card was turned."""
    back, face = picture(PROXY / "back.jpg"), picture(PROXY / "R01.jpg")
    assert np.abs(back - back[::-1, ::-1]).mean() < 6
    assert np.abs(face - face[::-1, ::-1]).mean() > 20


def test_elements_are_told_apart_by_all_eyes() -> None:
    """With common vision and three colour deficiencies the five lightnesses are clear steps and no pair is alike."""
    for eyes in (None, *DEFICIENCIES):
        colours = [lab(e.colour, eyes) for e in rox_proxy.style().elements]
        steps = np.diff(sorted(c[0] for c in colours))
        assert steps.min() > 9, eyes
        gaps = [float(np.linalg.norm(a - b)) for i, a in enumerate(colours) for b in colours[:i]]
        assert min(gaps) > 15, eyes


def test_known_colours_have_known_lightness() -> None:
    """L*a*b* of white, of pure red, and grey under every deficiency are what the standards say."""
    np.testing.assert_allclose(lab((255, 255, 255)), [100, 0, 0], atol=0.02)
    np.testing.assert_allclose(lab((255, 0, 0)), [53.24, 80.09, 67.20], atol=0.05)
    for eyes in DEFICIENCIES:
        np.testing.assert_allclose(lab((119, 119, 119), eyes), lab((119, 119, 119)), atol=0.05)


def test_bundled_files_are_what_the_script_draws() -> None:
    """The committed pictures come from the committed script."""
    style = rox_proxy.style()
    cards = deal(np.random.default_rng(style.seed))
    assert json.loads((PROXY / "deck.json").read_text(encoding="utf-8")) == describe(style, cards)
    sprites = [sprite(e.symbol, e.colour, style.how) for e in style.elements]
    face = draw_face(style, cards[7], sprites, np.random.default_rng([style.seed, 7]))
    assert np.abs(face.astype(float) - picture(PROXY / "R08.jpg")).mean() < 2.5
    canvas = Canvas(style.size_mm, style.px_per_mm)
    style.scoring(canvas, VALUES[9], np.random.default_rng([style.seed, 109]))
    assert np.abs(canvas.finish().astype(float) - picture(PROXY / "P10.jpg")).mean() < 2.5


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=5, deadline=None)
def test_every_deal_is_a_fair_deck(seed: int) -> None:
    """Whatever the seed: balanced centres and leaders, unique leaders, a third by one, and rings far apart."""
    cards = deal(np.random.default_rng(seed))
    ordered = [sorted(c.counts(), reverse=True) for c in cards]
    assert all(sum(c) == PLACES and 4 <= c[0] <= 8 and c[0] > c[1] for c in ordered)
    assert sum(c[0] - c[1] == 1 for c in ordered) == 20
    assert Counter(c.center for c in cards) == dict.fromkeys(range(5), 12)
    assert Counter(int(np.argmax(c.counts())) for c in cards) == dict.fromkeys(range(5), 12)
    rings = np.array([c.ring for c in cards])
    for i, ring in enumerate(rings):
        both = np.vstack([np.delete(rings, i, axis=0), np.roll(rings, PLACES // 2, axis=1)])
        assert (both != ring).sum(axis=1).min() >= 3


@pytest.mark.parametrize("name", STYLES)
def test_decks_of_the_closed_loop_are_valid_and_drawable(name: str) -> None:
    """Each style's deck is accepted by the rules, is called by its name, and its face shows its stone's colour."""
    style = dataclasses.replace(STYLES[name](), px_per_mm=2.0)
    cards = deal(np.random.default_rng(style.seed))
    deck = parse_deck(describe(style, cards), name)
    assert deck.name == name
    assert len(deck.faces) == 60
    sprites = [sprite(e.symbol, e.colour, style.how, 80) for e in style.elements]
    face = draw_face(style, cards[0], sprites, np.random.default_rng(1))
    assert face.shape == (round(style.size_mm[1] * 2), round(style.size_mm[0] * 2), 3)
    for (x, y), e in zip(style.places(), cards[0].ring, strict=True):
        near = (
            face[round(y * 2) - 8 : round(y * 2) + 9, round(x * 2) - 8 : round(x * 2) + 9].reshape(-1, 3).astype(float)
        )
        gap = np.abs(near - np.array(style.elements[e].colour)).max(axis=1).min()
        assert gap < 60, f"{style.elements[e].name} is missing at {x:.0f}, {y:.0f} mm"


def test_decks_for_tuning_and_measuring_are_apart() -> None:
    """At least three decks each, of different sizes, with seeds of their own."""
    tune = [STYLES[n]() for n in STYLES if n.startswith("tune-")]
    measure = [STYLES[n]() for n in STYLES if n.startswith("measure-")]
    assert len(tune) >= 3
    assert len(measure) >= 3
    assert len({s.size_mm for s in measure}) == len(measure)
    assert any(s.ring == (5, 5) for s in tune)
    assert any(s.ring == (5, 5) for s in measure)
    assert len({s.seed for s in tune + measure}) == len(tune + measure)


def test_a_drawn_deck_loads_and_is_drawn_once(tmp_path: Path) -> None:
    """A deck drawn into a cache is complete for rules and eye, and a second call leaves it alone."""
    folder = ensure_deck(tmp_path, "small", px_per_mm=1.0)
    parse_deck(json.loads((folder / "deck.json").read_text(encoding="utf-8")), "deck.json")
    looks = load_appearance(folder).looks
    assert Counter(look.kind for look in looks) == {"face": 60, "scoring": 15, "back": 1}
    stamp = (folder / "R01.jpg").stat().st_mtime_ns
    assert ensure_deck(tmp_path, "small", px_per_mm=1.0) == folder
    assert (folder / "R01.jpg").stat().st_mtime_ns == stamp


def test_the_same_seed_draws_the_same_picture() -> None:
    """Drawing is repeatable to the last bit, so that figures can be compared."""
    style = dataclasses.replace(STYLES["measure-dusk"](), px_per_mm=1.5)

    def drawn() -> NDArray[np.uint8]:
        card = deal(np.random.default_rng(style.seed))[3]
        sprites = [sprite(e.symbol, e.colour, style.how, 60) for e in style.elements]
        return draw_face(style, card, sprites, np.random.default_rng([style.seed, 3]))

    np.testing.assert_array_equal(drawn(), drawn())
