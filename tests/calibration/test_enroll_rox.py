"""A copy of Rox is learned from photographs of its cards laid apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.capture.cards import find_laid_cards
from calibration.capture.deck import Enrolled, Example, Photo, Wishes, save_enrolled
from calibration.capture.deck_any import enroll_any
from calibration.capture.light import light_fields, relit
from calibration.capture.rox.deck import enroll_rox
from calibration.capture.rox.evened import stones_alike
from calibration.capture.rox.signs import match_kinds, shape_likeness
from scoring.deck import RoxDeck, parse_deck
from tests.render.enroll_cards import Json, photograph, read
from vision.cards.quads import overlap
from vision.deck import load_appearance

DECK = Path(__file__).parent.parent.parent / "calibration" / "decks" / "rox-proxy"
COUNT = 36


@pytest.fixture(scope="module")
def laid() -> tuple[Json, list[Photo], list[list[Json]]]:
    """Three dozen cards of the bundled deck, one dozen a photo and six of them once more, and where they lie."""
    data = json.loads((DECK / "deck.json").read_text())
    faces = [(f["id"], read(DECK / f["image"])) for f in data["faces"][:COUNT]]
    rng = np.random.default_rng(5)
    size = (float(data["card_mm"][0]), float(data["card_mm"][1]))
    photos, truth = [], []
    for n, part in enumerate([faces[:12], faces[12:24], faces[24:], faces[3:9]]):
        rgb, where = photograph(rng, part, size, float(data["corner_radius_mm"]), 4)
        photos.append(Photo(f"{n:02d}.jpg", rgb))
        truth.append(where)
    return data, photos, truth


@pytest.fixture(scope="module")
def enrolled(laid: tuple[Json, list[Photo], list[list[Json]]]) -> Enrolled:
    """The copy as read, its elements named by one stone each."""
    data, photos, truth = laid
    by_id = {f["id"]: f for f in data["faces"]}
    examples: dict[str, Example] = {}
    for n, cards in enumerate(truth):
        for card in cards:
            x, y = np.mean(card["quad"], axis=0)
            name = by_id[card["id"]]["center"]
            examples.setdefault(name, Example(name, n, (float(x), float(y))))
    wishes = Wishes((data["card_mm"][0], data["card_mm"][1]), tuple(examples.values()))
    return enroll_rox(photos, wishes, lambda _: None)


def pairs(laid: tuple[Json, list[Photo], list[list[Json]]], enrolled: Enrolled) -> Iterator[tuple[Json, Json, Json]]:
    """Each true face with what was read of it, and the sighting."""
    data, photos, truth = laid
    by_id = {f["id"]: f for f in data["faces"]}
    for photo, cards in zip(photos, truth, strict=True):
        for card in cards:
            quad = np.array(card["quad"])
            for part in enrolled.parts:
                for seen in part.sightings:
                    if seen["photo"] == photo.name and overlap(quad, np.array(seen["quad"])) > 0.9:
                        yield by_id[card["id"]], part.told(), seen


def test_every_card_is_found_where_it_lies(
    laid: tuple[Json, list[Photo], list[list[Json]]], enrolled: Enrolled
) -> None:
    """No card is missed, and none is invented."""
    assert len(list(pairs(laid, enrolled))) == COUNT + 6
    assert sum(len(p.sightings) for p in enrolled.parts) == COUNT + 6


def test_a_card_seen_twice_is_one_face(enrolled: Enrolled) -> None:
    """Six cards lay on two photos: they have two sightings, the others one."""
    assert Counter(len(p.sightings) for p in enrolled.parts) == {1: COUNT - 6, 2: 6}


def test_stones_and_symbols_are_read_or_asked(
    laid: tuple[Json, list[Photo], list[list[Json]]], enrolled: Enrolled
) -> None:
    """What nobody is asked about is right."""
    for face, said, _ in pairs(laid, enrolled):
        assert said["center"] == face["center"] or "center" in said["asks"], face["id"]
        want = {k: v for k, v in face["edge"].items() if v}
        assert said["edge"] == want or "edge" in said["asks"], face["id"]
    assert sum(bool(p.asks) for p in enrolled.parts) <= 3


def test_what_was_read_is_a_deck(enrolled: Enrolled, tmp_path: Path) -> None:
    """The folder can be played with and looked for."""
    save_enrolled(enrolled, tmp_path)
    deck = parse_deck(json.loads((tmp_path / "deck.json").read_text()), "deck.json")
    assert isinstance(deck, RoxDeck)
    assert len(deck.faces) == COUNT
    assert len(load_appearance(tmp_path).looks) == COUNT


def test_too_few_cards_are_told(enrolled: Enrolled) -> None:
    """The game has sixty element cards and fifteen with values."""
    assert any(str(COUNT) in r and "60" in r for r in enrolled.remarks)
    assert any("15" in r for r in enrolled.remarks)


def test_an_answer_settles_a_question(laid: tuple[Json, list[Photo], list[list[Json]]], enrolled: Enrolled) -> None:
    """A field that a person states is theirs, and no longer asked."""
    part = enrolled.parts[0].answered({enrolled.parts[0].id: {"center": "fire"}})
    assert part.told()["center"] == "fire"
    assert "center" not in part.asks


def test_cards_of_another_size_are_measured() -> None:
    """Where no given size fits, the proportion comes from the picture."""
    rng = np.random.default_rng(3)
    face = np.full((300, 300, 3), 230, np.uint8)
    face[90:210, 90:210] = (30, 60, 160)
    rgb, truth = photograph(rng, [(str(k), face) for k in range(8)], (60.0, 60.0), 3.0, 4)
    found = find_laid_cards(rgb, 0, [(60.0, 95.0)])
    assert len(found) >= 6
    assert abs(found[0].size_mm[1] / found[0].size_mm[0] - 1) < 0.04
    for card in found:
        assert max(overlap(card.quad_px, np.array(t["quad"])) for t in truth) > 0.95


def test_a_lamp_is_taken_out() -> None:
    """A face under a lamp looks like the same face without it."""
    rng = np.random.default_rng(1)
    faces = [rng.integers(60, 160, (48, 48, 3)).astype(np.uint8) for _ in range(1)] * 5
    lit = (faces[0] * np.linspace(0.7, 1.4, 48)[None, :, None]).astype(np.uint8)
    fits = light_fields([*faces, lit])
    assert np.abs(relit(lit, fits[-1]) - faces[0]).mean() < 3
    assert np.abs(lit.astype(float) - faces[0]).mean() > 15


def test_a_reflection_on_a_stone_is_taken_out() -> None:
    """A stone is as bright on each card as it usually is; a stone that few cards have stays as it is."""
    faces = [np.full((140, 100, 3), 120, np.float32) for _ in range(6)]
    faces[1][50:90, 35:65] *= 1.5
    faces[5][50:90, 35:65] *= 1.5
    places = np.array([[12, 12], [88, 12], [88, 128], [12, 128.0]])
    clean = stones_alike(faces, places, np.array([0, 0, 0, 0, 0, 1]))
    assert abs(clean[1][60:80, 45:55].mean() - 120) < 6
    assert clean[5][60:80, 45:55].mean() > 170
    assert (clean[1][:10] == faces[1][:10]).all()


def test_kinds_are_matched_one_to_one() -> None:
    """Five directions find their partners whatever their order, and two that are alike make it unclear."""
    rng = np.random.default_rng(2)
    a = rng.normal(0, 1, (5, 3))
    order = np.array([3, 0, 4, 1, 2])
    partner, clear = match_kinds(a[order], a)
    assert partner.tolist() == order.tolist()
    b = a.copy()
    b[1] = b[0] * 1.01
    assert match_kinds(b, b)[1] < 0.01 < clear


def test_stones_and_symbols_of_one_colour_are_matched_by_shape() -> None:
    """A bar, a cross and a square on grey stones are the bar, the cross and the square of the ring."""
    shapes = []
    for kind in range(3):
        mask = np.zeros((24, 24), np.float32)
        mask[9:15, 4:20] = 1
        if kind:
            mask[4:20, 9:15] = 1
        if kind == 2:
            mask[4:20, 4:20] = 1
        shapes.append(mask[..., None] * np.array([-60, 10, 5], np.float32) + np.array([90, 0, 0], np.float32))
    symbols = np.stack(shapes)
    stones = np.full((3, 80, 60, 3), 50, np.float32)
    stones[:, 20:60, 10:50] += np.stack([np.kron(s, np.ones((2, 2, 1)))[4:44, 4:44] for s in symbols]) * -0.4
    like = shape_likeness(stones[[2, 0, 1]], symbols)
    assert like.argmax(1).tolist() == [2, 0, 1]
    alike = np.tile([[10.0, 5.0, 1.0]], (3, 1))
    assert match_kinds(alike, alike, like)[0].tolist() == [2, 0, 1]
    assert match_kinds(alike, alike)[1] < 0.01 < match_kinds(alike, alike, like)[1]


def test_any_deck_has_faces_without_meaning(laid: tuple[Json, list[Photo], list[list[Json]]], tmp_path: Path) -> None:
    """What lies on two photos is one face, and the folder names cards."""
    data, photos, _ = laid
    enrolled = enroll_any([photos[0], photos[3]], Wishes((data["card_mm"][0], data["card_mm"][1])), lambda _: None)
    assert sum(len(p.sightings) for p in enrolled.parts) == 18
    assert len(enrolled.parts) == 12
    save_enrolled(enrolled, tmp_path)
    assert len(load_appearance(tmp_path).looks) == 12
