"""From an outline to a name: whichever way the card lies, with an honest probability, and never a name by force."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.render.anycard import random_face
from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph, rows
from vision.cards.identify import Identity, Seen, identify, turns
from vision.cards.rectify import Pyramid
from vision.deck import DeckAppearance, LookSet

NAMES = ("R02", "R15", "R28", "R41", "back", "P14")
ALL = Seen(None, (4.0, 4.0))


@pytest.fixture(scope="module")
def photo(small_art: DeckArt) -> Photo:
    return photograph(small_art, rows(NAMES, 3, (60, 75)), region_mm=(260, 160))


def quad_of(photo: Photo, name: str) -> np.ndarray:
    return next(c.quad_px for c in photo.cards if c.name == name)


def name_at(photo: Photo, quad: np.ndarray, looks: LookSet, seen: Seen = ALL) -> Identity | None:
    return identify(Pyramid(photo.rgb), [(quad, looks)], seen)


@pytest.mark.parametrize("name", ["R02", "R28", "P14"])
@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_the_printed_top_left_comes_first(photo: Photo, small: DeckAppearance, name: str, first: int) -> None:
    """Wherever the outline starts and a few pixels off, the card gets its name and its corners in printed order."""
    true = quad_of(photo, name)
    found = name_at(photo, np.roll(true, first, 0) + [2.0, -1.5], small.sets[0])
    assert found is not None
    assert found.look.id == name
    assert np.linalg.norm(found.quad_px - true, axis=1).max() < 0.6
    assert found.belongs > 0.95
    assert found.left < 0.25


def test_readings_are_probabilities(photo: Photo, small: DeckAppearance) -> None:
    """Likeliest first, they sum to the probability that the card belongs to the deck."""
    found = name_at(photo, quad_of(photo, "R15"), small.sets[0])
    assert found is not None
    odds = [r.probability for r in found.readings]
    assert odds == sorted(odds, reverse=True)
    assert sum(odds) == pytest.approx(found.belongs, abs=0.02)
    assert found.confidence == odds[0] > 0.95


def test_a_back_is_recognised(photo: Photo, small: DeckAppearance) -> None:
    """The back is a look of its own."""
    found = name_at(photo, quad_of(photo, "back"), small.sets[0])
    assert found is not None
    assert found.look.kind == "back"
    assert found.belongs > 0.9


def test_cards_of_equal_value_share_their_probability(small_art: DeckArt, small: DeckAppearance) -> None:
    """P03 and P04 look alike: the picture cannot tell which it is, and the readings say so."""
    photo = photograph(small_art, [("P03", (0.0, 0.0, 0.2))], region_mm=(120, 70))
    found = name_at(photo, quad_of(photo, "P03"), small.sets[0])
    assert found is not None
    assert {r.face for r in found.readings[:2]} == {"P03", "P04"}
    assert found.readings[0].probability == pytest.approx(found.readings[1].probability, rel=0.3)


@pytest.mark.parametrize("turn", [0.0, 2.5, -3.0])
def test_a_face_whose_picture_is_askew_does_not_become_its_near_twin(
    small_art: DeckArt, small: DeckAppearance, turn: float
) -> None:
    """Of two that differ by one figure, as learned scoring cards do, the one that lies there is named."""
    layers = ("rough", "coarse", "fine")
    base = small.sets[0]
    own, other = (next(look for look in base.looks if look.id == name) for name in ("P06", "P08"))
    askew = replace(own, **{k: _askew(getattr(own, k), turn) for k in layers})
    twin = replace(other, **{k: _with_middle(getattr(own, k), getattr(other, k)) for k in layers})
    looks = tuple({"P06": askew, "P08": twin}.get(k.id, k) for k in base.looks if k.id not in ("P05", "P07"))
    photo = photograph(small_art, [("P06", (0.0, 0.0, 0.2))], region_mm=(120, 70))
    found = name_at(photo, quad_of(photo, "P06"), replace(base, looks=looks))
    assert found is not None
    assert found.look.id == "P06"
    assert found.confidence > 0.9


def _askew(picture: np.ndarray, turn: float) -> np.ndarray:
    h, w = picture.shape[:2]
    M = cv2.getRotationMatrix2D(((w - 1) / 2, (h - 1) / 2), turn, 1.0)
    M[:, 2] += np.sign(turn) * 0.015 * np.array([w, h])
    return cv2.warpAffine(picture, M, (w, h), borderMode=cv2.BORDER_REPLICATE)


def _with_middle(picture: np.ndarray, other: np.ndarray) -> np.ndarray:
    h, w = picture.shape[:2]
    y, x = round(0.45 * h), round(0.45 * w)
    out = picture.copy()
    out[y : h - y, x : w - x] = other[y : h - y, x : w - x]
    return out


@pytest.mark.parametrize("seed", range(4))
def test_a_foreign_card_does_not_belong(small_art: DeckArt, small: DeckAppearance, seed: int) -> None:
    """A card of no deck is not taken for one of this deck, though some face is always the most like it."""
    face = random_face(np.random.default_rng([9, seed]), 1.5)
    photo = photograph(small_art, [], foreign=[(face, (0.0, 0.0, 0.3))], region_mm=(120, 70))
    found = name_at(photo, photo.cards[0].quad_px, small.sets[0])
    assert found is None or found.belongs < 0.3


@pytest.mark.parametrize("what", ["table", "flat", "noise"])
def test_no_card_no_name(photo: Photo, small: DeckAppearance, what: str) -> None:
    """Where no card lies none is named, whatever is there."""
    rng = np.random.default_rng(2)
    rgb = {
        "table": photo.rgb,
        "flat": np.full_like(photo.rgb, 128),
        "noise": cv2.GaussianBlur(rng.integers(0, 255, photo.rgb.shape, np.uint8), (0, 0), 2),
    }[what]
    between = (quad_of(photo, "R02") + quad_of(photo, "R15")) / 2
    found = identify(Pyramid(rgb), [(between, small.sets[0])], ALL)
    assert found is None or found.belongs < 0.3


def test_changed_symbols_take_the_name_away(small_art: DeckArt, small: DeckAppearance) -> None:
    """A face with a few of its edge symbols painted over by others is no longer sure: the second opinion objects."""
    face, other = small_art.pictures["R02"].copy(), small_art.pictures["R28"]
    height = face.shape[0]
    face[: height // 6] = other[: height // 6]
    face[-(height // 6) :] = other[-(height // 6) :]
    pictures = {**small_art.pictures, "R02": face}
    forged = photograph(
        DeckArt(small_art.folder, small_art.data, pictures), [("R02", (0.0, 0.0, 0.1))], region_mm=(120, 70)
    )
    genuine = photograph(small_art, [("R02", (0.0, 0.0, 0.1))], region_mm=(120, 70))
    sure, doubted = (name_at(p, p.cards[0].quad_px, small.sets[0]) for p in (genuine, forged))
    assert sure is not None
    assert sure.confidence > 0.95
    assert doubted is None or doubted.confidence < 0.5


def test_masked_parts_are_not_compared(small_art: DeckArt, small: DeckAppearance) -> None:
    """Two fifths under another card: with the hidden part known, the name is found and the visible share is told."""
    cards = [("R02", (0.0, 0.0, 0.0)), ("R41", (26.0, 0.0, 0.05))]
    photo = photograph(small_art, cards, region_mm=(150, 90))
    quad, upper = (c.quad_px for c in photo.cards)
    h, w = photo.rgb.shape[:2]
    visible = np.zeros((h // 4, w // 4), np.uint8)
    cv2.fillConvexPoly(visible, np.round(quad / 4).astype(np.int32), 255)
    cv2.fillConvexPoly(visible, np.round(upper / 4).astype(np.int32), 0)
    found = identify(Pyramid(photo.rgb), [(quad, small.sets[0])], Seen(visible, (4.0, 4.0)))
    assert found is not None
    assert found.look.id == "R02"
    assert photo.visible[0] == pytest.approx(0.65, abs=0.04)
    assert 0.4 < found.visible < 0.75


def test_turns_of_a_card_by_its_sides(small: DeckAppearance) -> None:
    """An upright outline may be upside down, one across by a quarter turn either way; a square one any way."""
    w, h = small.card_mm
    upright = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    assert turns(upright, small.sets[0]) == (0, 2)
    assert turns(np.roll(upright, 1, 0), small.sets[0]) == (1, 3)
    assert turns(np.array([[0, 0], [w, 0], [w, w], [0, w]], float), small.sets[0]) == (0, 1, 2, 3)
    square = LookSet((50.0, 50.0), 3.0, ())
    assert turns(upright, square) == (0, 1, 2, 3)
