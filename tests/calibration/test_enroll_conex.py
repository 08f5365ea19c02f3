"""A copy of CONEX is learned from photographs of its cards laid apart and of its board."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.capture.conex.deck import answered_board, enroll_conex, exchanged, known_faces
from calibration.capture.conex.frames import on_the_frame
from calibration.capture.conex.numbers import NumberInk, read_numbers
from calibration.capture.conex.regions import cut_off
from calibration.capture.conex.stars import find_stars, usual_stars
from calibration.capture.deck import Enrolled, Example, Photo, Wishes
from calibration.capture.digits import NONE, framed, likeliest, probabilities, turned_probabilities
from calibration.capture.grounds import lab_of, sort_grounds, sort_under_lamps
from scoring.deck import parse_deck
from tests.render.enroll_cards import Json, photograph, read
from vision.cards.quads import overlap
from webui.sight.copies.reading import keep_reading

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


def test_what_is_learned_can_be_played_though_faces_are_not_known(copy: Copy) -> None:
    """Faces without corners, or with one whose number nobody knows, are told and left out; the others make a deck."""
    _, enrolled, _ = copy
    size = (float(enrolled.deck["card_mm"][0]), float(enrolled.deck["card_mm"][1]))
    first, second, *others = enrolled.parts
    no_number = [{**second.fields["corners"][0], "value": None}]
    parts = [
        dataclasses.replace(first, fields={**first.fields, "corners": []}),
        dataclasses.replace(second, fields={**second.fields, "corners": no_number}),
        *others,
    ]
    faces, unknown = known_faces(parts, size, enrolled.deck["colors"])
    assert unknown == [first.id, second.id]
    deck = parse_deck({**enrolled.deck, "faces": faces, "board": copy[0]["board"]}, "deck.json")
    assert set(deck.faces) == {p.id for p in others}


def test_the_page_is_given_the_board(copy: Copy, tmp_path: Path) -> None:
    """What is kept for the page holds the board as the last part, its picture seen from above, and both stars."""
    _, enrolled, truth = copy
    blank = np.full((1500, 2000, 3), 200, np.uint8)
    keep_reading(enrolled, [Photo(f"{n:02d}.jpg", blank) for n in range(len(truth))], "conex", tmp_path)
    board = json.loads((tmp_path / "parts.json").read_text())["parts"][-1]
    assert enrolled.board is not None
    assert (board["group"], board["asks"]) == ("board", list(enrolled.board.asks))
    assert board["fields"]["track"] == enrolled.deck["board"]["track"]
    shown = cv2.imread(str(tmp_path / f"part-{len(enrolled.parts)}.jpg"))
    assert shown is not None
    above = enrolled.pictures["board.png"][..., ::-1]
    same = cv2.resize(above, shown.shape[1::-1], interpolation=cv2.INTER_AREA).astype(int)
    assert np.median(np.abs(shown.astype(int) - same)) < 4
    assert {p.name for p in tmp_path.glob("star-?.jpg")} == {"star-0.jpg", "star-1.jpg"}


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


def test_what_is_answered_of_the_board_counts(copy: Copy) -> None:
    """Stars the other way round, and a shorter track, which ends at its last square."""
    _, enrolled, _ = copy
    assert enrolled.board is not None
    track = [[30.0, 30.0], [60.0, 30.0], [60.0, 60.0]]
    for said, goal in (({"track": track}, 2), ({"track": track, "goal": 1}, 1)):
        told = answered_board(enrolled.board, {"board": said}).fields
        assert (told["track"], told["goal"]) == (track, goal)
    stars = enrolled.deck["stars"]
    assert exchanged(stars) == {"2x": stars["lightning"], "lightning": stars["2x"]}


def test_track_is_read_in_the_order_of_its_numbers(copy: Copy) -> None:
    """The start, every square and the goal are where the deck has them, and the copy can be played with."""
    data, enrolled, _ = copy
    board = enrolled.deck["board"]
    assert board["goal"] == data["board"]["goal"]
    off = np.array(board["track"]) / board["size_mm"] - np.array(data["board"]["track"]) / data["board"]["size_mm"]
    assert np.abs(off).max() < 0.02
    assert enrolled.board is not None
    assert "track" not in enrolled.board.asks
    parse_deck(enrolled.deck, "deck.json")


def test_stars_beside_the_board_are_cut_out_and_told_apart() -> None:
    """A 2x star and one with lightning, whichever way they lie; what was not photographed is drawn."""
    stars = json.loads((DECK / "deck.json").read_text())["stars"]
    rgb = np.full((500, 800, 3), (96, 70, 48), np.uint8)
    board = np.array([[60, 40], [460, 40], [460, 440], [60, 440.0]])
    cv2.fillPoly(rgb, [board.astype(np.int32)], (230, 225, 210))
    for kind, y, turn in (("2x", 60, 70), ("lightning", 260, 200)):
        picture = cv2.imread(str(DECK / stars[kind]["image"]), cv2.IMREAD_UNCHANGED)
        assert picture is not None
        small = cv2.resize(picture[..., [2, 1, 0, 3]], (80, 80), interpolation=cv2.INTER_AREA)
        small = cv2.warpAffine(small, cv2.getRotationMatrix2D((39.5, 39.5), turn, 0.9), (80, 80))
        cover = small[..., 3:] / 255
        part = rgb[y : y + 80, 520:600]
        part[:] = np.asarray(small[..., :3] * cover + part * (1 - cover), np.uint8)
    found = find_stars(np.asarray(cv2.GaussianBlur(rgb, (0, 0), 0.6), np.uint8), board, 120.0)
    assert {s.kind: round(float(s.outline_px[:, 1].mean())) // 200 for s in found} == {"2x": 0, "lightning": 1}
    assert all(19 < s.size_mm < 25 and s.picture[0, 0, 3] == 0 for s in found)
    assert set(usual_stars()) == {"2x", "lightning"}


def test_upright_numbers_tell_how_a_card_lies() -> None:
    """Where all numbers stand upright, a card on its head is known by them; elsewhere heads point outwards."""

    def corner(value: int, turn: int, outwards: float) -> NumberInk:
        ink = np.zeros((40, 40), np.uint8)
        cv2.putText(ink, str(value), (11, 30), cv2.FONT_HERSHEY_SIMPLEX, 0.9, 255, 3, cv2.LINE_AA)
        turned = np.rot90(ink.astype(np.float32) / 255, turn)
        return NumberInk(np.ascontiguousarray(turned), np.ones((40, 40), bool), (outwards,))

    cards = [[corner(a, 0, 0.0), corner(b, 0, np.pi)] for a, b in ((2, 3), (4, 5), (3, 4))]
    cards.append([corner(2, 2, 0.0), corner(5, 2, np.pi)])
    numbers = read_numbers(cards)
    assert numbers.head == [1, 1, 1, -1]
    assert [[n and n.value for n in row] for row in numbers.of_card] == [[2, 3], [4, 5], [3, 4], [2, 5]]
    heads = [
        [n is not None and n.head_rad is not None and np.cos(n.head_rad) > 0.8 for n in r] for r in numbers.of_card
    ]
    assert heads == [[True, True]] * 3 + [[False, False]]
    outwards = read_numbers([[corner(2, 0, 0.0), corner(3, 2, np.pi)], [corner(4, 0, 0.0), corner(5, 2, np.pi)]])
    assert outwards.head == [0, 0]
    assert [[n and n.value for n in row] for row in outwards.of_card] == [[2, 3], [4, 5]]


def test_corner_is_cut_off_by_straight_lines() -> None:
    """The outline of a corner is where two lines meet, though the first guess is round and too small."""
    truth = np.array([[0, 0], [15, 0], [18, 16], [0, 18.0]])
    face = np.zeros((460, 295), np.float32)
    cv2.fillPoly(face, [np.round(truth * 5 - 0.5).astype(np.int32)], 1.0)
    off = cv2.GaussianBlur(face, (0, 0), 2.0).astype(float)
    rough = np.array([[0, 0], [14.4, 0], [16.8, 14], [16.2, 15.4], [0, 17.4]])
    region = cut_off(rough, off, 5.0, (59.0, 92.0))
    assert region is not None
    assert overlap(region, truth) > 0.97


def test_corner_ends_where_its_frame_ends() -> None:
    """A dark frame is as wide on every card: where it cannot be told from a dark ground its inner edge tells, too."""
    size, scale = (59.0, 92.0), 5.0
    true = np.array([[38.0, 0.0], [59.0, 0.0], [59.0, 22.0]])
    inner = np.array([[39.66, 0.0], [59.0, 0.0], [59.0, 20.26]])  # of a frame of 1.2 mm
    faces, rough = [], []
    for ground in [(225, 170, 20), (40, 160, 160), (215, 55, 60), (46, 40, 60)]:
        face = np.full((round(size[1] * scale), round(size[0] * scale), 3), ground, np.uint8)
        for region, colour in ((true, (40, 36, 52)), (inner, (110, 60, 140))):
            px = np.round((region * scale - 0.5) * 16).astype(np.int32)
            cv2.fillPoly(face, [px], colour, cv2.LINE_AA, 4)
        faces.append(np.asarray(cv2.GaussianBlur(face, (0, 0), 1.5), np.uint8))
        rough.append([inner if ground[0] == 46 else true + [0.4, 0.0]])
    for some in on_the_frame(faces, [0] * len(faces), rough, size, scale):
        assert overlap(some[0], true) > 0.95


def test_lamps_over_two_photos_do_not_mix_the_colours() -> None:
    """Grounds seen under a warm and under a cold lamp are still four colours."""
    rng = np.random.default_rng(1)
    four = np.array([[60, 50, 30], [50, -40, -5], [45, 40, -50], [80, 0, 70.0]])
    kinds = np.tile(np.arange(4), 6)
    cast = np.where(np.arange(24)[:, None] < 12, [0, 0, -12.0], [0, 4, 14.0])
    found = sort_grounds(list(four[kinds] + cast + rng.normal(0, 2, (24, 3))), [0] * 12 + [1] * 12)
    pairs = set(zip(kinds.tolist(), found.kinds.tolist(), strict=True))
    assert len(pairs) == 4


def test_grounds_are_sorted_under_a_lamp_that_makes_one_look_like_another() -> None:
    """Mustard under a red lamp is nearer to rust under a white one than to itself, and still is mustard."""
    rng = np.random.default_rng(3)
    four = np.array([[201, 154, 46], [168, 69, 44], [42, 127, 134], [91, 51, 88.0]])
    kinds = np.concatenate([np.tile(np.arange(4), 3), [0, 0, 1, 1, 2, 2, 2, 3, 3, 0, 1, 3]])
    lamp = np.where(np.arange(24)[:, None] < 12, [1.0, 1.0, 1.0], [1.2, 0.72, 0.6])
    seen = lab_of(np.clip(four[kinds] * lamp + rng.normal(0, 2, (24, 3)), 0, 255))
    found = sort_under_lamps(list(seen), [0] * 12 + [1] * 12)
    pairs = set(zip(kinds.tolist(), found.kinds.tolist(), strict=True))
    assert len(pairs) == 4
    assert found.doubt.max() < 0.6


def test_a_reflection_makes_no_other_colour() -> None:
    """A turquoise card under a lamp's reflection, pale as it is, is turquoise."""
    four = np.array([[40, 200, 205], [110, 70, 160], [220, 50, 50], [240, 205, 20.0]])
    seen = np.concatenate([np.repeat(four, 3, axis=0), [0.5 * four[0] + 0.5 * 255]])
    found = sort_under_lamps(list(lab_of(seen)), [0] * 13)
    assert found.kinds[12] == found.kinds[0]


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
    turns = np.array([0.0, np.pi / 2])
    kept, weights = turned_probabilities(np.rot90(two, -1).copy(), turns)
    assert len(kept)
    said = likeliest(weights, turns[kept])
    assert said.digit == 2
    assert said.turn_rad == pytest.approx(np.pi / 2)
    assert not len(turned_probabilities(np.zeros((20, 20), np.float32), np.array([0.0]))[0])
    blob = framed(np.ones((20, 20), np.float32))
    assert blob is not None
    assert probabilities(blob[None])[0].argmax() == NONE or probabilities(blob[None])[0].max() < 0.9
