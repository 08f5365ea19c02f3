"""Pawns and stars in drawn photographs: read where they can be, left out where not, never invented."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.errors import DeckError
from scoring.table import BOARD, TokenKind
from tests.render.scene import Sensor
from tests.vision.small_things import BOARD_MM, PawnAt, Picture, StarAt, Studio, track, write_deck
from vision.tokens.flat_card import CardInView
from vision.tokens.pawns import readable_pawns
from vision.tokens.token_looks import load_token_looks
from vision.tokens.tokens import read_tokens

SURE = 0.8


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Studio:
    """The deck of the tests, with its pictures."""
    return Studio.of(write_deck(tmp_path_factory.mktemp("deck")))


def on(name: str, square: int, dx: float = 0.0, dy: float = 0.0, height: float = 16.0) -> PawnAt:
    """A pawn on a square, a little off its middle."""
    x, y = track()[square]
    return PawnAt(name, x + dx, y + dy, height)


def squares(picture: Picture) -> dict[str, int | None]:
    """Colour to square of all pawns read, each of them surely."""
    pawns = [t for t in picture.read() if t.kind is TokenKind.PAWN]
    assert all(p.confidence >= SURE for p in pawns)
    return {p.name: p.square for p in pawns}


def stars(picture: Picture) -> dict[str, str | None]:
    """Kind to what it lies on, of all stars read, each of them surely."""
    found = [t for t in picture.read() if t.kind is TokenKind.STAR]
    assert all(s.confidence >= SURE for s in found)
    return {s.name: s.on for s in found}


# ---- the board's picture ---------------------------------------------------------------------------------------------


def _photographed_board(folder: Path, light: float, names: tuple[str, ...]) -> NDArray[np.uint8]:
    """The board's picture of a deck whose board was photographed in such a share of the cards' light."""
    path = write_deck(folder) / "deck.json"
    colours = {"yellow": "#f0c010", "red": "#d0262f", "turquoise": "#1fa9a6", "purple": "#6a3a8c"}
    data = json.loads(path.read_text(encoding="utf-8"))
    far = BOARD_MM - 28
    at = {"yellow": (0, 0), "red": (far, 0), "turquoise": (0, far), "purple": (far, far)}
    data["colors"] = colours
    data["board"]["spaces"] = [
        {"color": n, "region": [[x, y], [x + 28, y], [x + 28, y + 28], [x, y + 28]]}
        for n, (x, y) in at.items()
        if n in names
    ]
    path.write_text(json.dumps(data), encoding="utf-8")
    image = cv2.imread(str(folder / "board.png"), cv2.IMREAD_UNCHANGED)
    assert image is not None
    image[..., :3] = np.round(image[..., :3] * light)
    cv2.imwrite(str(folder / "board.png"), image)
    looks = load_token_looks(folder)
    assert looks is not None
    assert looks.board is not None
    return looks.board.picture


ALL = ("yellow", "red", "turquoise", "purple")


def test_a_board_photographed_in_the_dark_is_as_bright_as_the_cards(tmp_path: Path) -> None:
    """Its coloured spaces are printed like the cards: they tell how much light there was."""
    printed = _photographed_board(tmp_path / "printed", 1.0, ())
    seen = _photographed_board(tmp_path / "seen", 0.6, ALL)
    assert np.abs(seen.astype(int) - printed).mean() < 2


def test_a_board_keeps_its_light_where_that_is_the_cards_or_cannot_be_told(tmp_path: Path) -> None:
    """A board in the cards' light stays as it is to the last bit; so does a dark one of which too little is told."""
    printed = _photographed_board(tmp_path / "printed", 1.0, ())
    assert (_photographed_board(tmp_path / "same", 1.0, ALL) == printed).all()
    dark = _photographed_board(tmp_path / "dark", 0.6, ALL[:2])
    assert (dark == _photographed_board(tmp_path / "without", 0.6, ())).all()


# ---- pawns -----------------------------------------------------------------------------------------------------------

LIGHTS = {
    "warm": Sensor(gain=(1.15, 0.92, 0.62), noise=3, blur=0.7, jpeg=85),
    "cold": Sensor(gain=(0.85, 0.95, 1.2), noise=3, blur=0.7, jpeg=85),
    "dim": Sensor(gain=(0.5, 0.48, 0.42), noise=5, blur=0.9, jpeg=80),
    "bright": Sensor(gain=(1.25, 1.2, 1.15), noise=2, blur=0.5, jpeg=90),
}


@pytest.mark.parametrize("light", LIGHTS)
def test_pawns_are_read_in_any_light(studio: Studio, light: str) -> None:
    """Colour and square of four pawns, under a lamp of any colour and strength."""
    pawns = [on("black", 3), on("red", 9, 0.8, -0.6), on("green", 14, -1.0, 0.5), on("blue", 22)]
    picture = studio.photograph(pawns, sensor=LIGHTS[light])
    assert squares(picture) == {"black": 3, "red": 9, "green": 14, "blue": 22}


@pytest.mark.parametrize("around", [0.0, 80.0, 160.0, 250.0])
@pytest.mark.parametrize("tilt", [0.0, 20.0, 36.0])
def test_a_pawn_stands_where_its_base_is(studio: Studio, tilt: float, around: float) -> None:
    """Its head hides another square when the camera looks from the side; that changes nothing."""
    picture = studio.photograph([on("red", 8), on("blue", 15)], tilt_deg=tilt, around_deg=around)
    assert squares(picture) == {"red": 8, "blue": 15}
    for token in picture.read():
        # the place in px is the base's, to a third of a square
        x, y = track()[8 if token.name == "red" else 15]
        q = picture.board_to_px @ np.array([x, y, 1.0])
        one = picture.board_to_px @ np.array([x + 3.7, y, 1.0])
        third = np.linalg.norm(one[:2] / one[2] - q[:2] / q[2])
        assert np.linalg.norm(np.array(token.at_px) - q[:2] / q[2]) < third


@pytest.mark.parametrize("turn", np.arange(6) * np.pi / 3)
def test_the_board_may_lie_any_way_round(studio: Studio, turn: float) -> None:
    """Turning the board under its pawns changes no reading."""
    picture = studio.photograph([on("black", 5), on("green", 18)], board=(-60.0, 20.0, float(turn)))
    assert squares(picture) == {"black": 5, "green": 18}


@pytest.mark.parametrize("at", [(0.0, 0.0), (35.0, 10.0), (-30.0, 30.0)])
def test_the_shadow_of_a_mug_is_no_pawn(studio: Studio, at: tuple[float, float]) -> None:
    """It falls over part of the track; what stands in it and beside it is read as ever."""
    picture = studio.photograph([on("black", 8), on("green", 16)], mug_shadow_mm=at)
    assert squares(picture) == {"black": 8, "green": 16}


def test_two_pawns_share_a_square(studio: Studio) -> None:
    """They stand on its rims, side by side, and both are counted there."""
    picture = studio.photograph([on("red", 10, -4.7), on("blue", 10, 4.7), on("black", 2)], tilt_deg=8)
    read = {t.name: t.square for t in picture.read()}
    assert read == {"red": 10, "blue": 10, "black": 2}


@pytest.mark.parametrize(("red", "blue"), [(-2.5, 5.2), (-3.5, 5.5)])
def test_a_pawn_between_two_squares_shares_that_of_the_pawn_that_made_room(
    studio: Studio, red: float, blue: float
) -> None:
    """Where one of two stands on the rim and the other beside the middle, both are on that square."""
    picture = studio.photograph([on("red", 10, red), on("blue", 10, blue), on("black", 2)], tilt_deg=8)
    assert {t.name: t.square for t in picture.read()} == {"red": 10, "blue": 10, "black": 2}


def test_a_pawn_in_the_middle_of_its_square_makes_no_room(studio: Studio) -> None:
    """Beside it a pawn on the far half of the next square keeps its own."""
    picture = studio.photograph([on("red", 10), on("blue", 9, -3.0), on("black", 2)], tilt_deg=8)
    assert {t.name: t.square for t in picture.read()} == {"red": 10, "blue": 9, "black": 2}


def test_neighbours_that_hide_each_other_are_told_apart(studio: Studio) -> None:
    """Three pawns on three squares in a row, seen from the side."""
    picture = studio.photograph([on("black", 13), on("green", 14), on("blue", 15)], tilt_deg=32, around_deg=90)
    assert squares(picture) == {"black": 13, "green": 14, "blue": 15}


def test_flat_discs_are_pawns_too(studio: Studio) -> None:
    """Printed ones that were cut out of card."""
    picture = studio.photograph([on("red", 4, height=0), on("blue", 11, height=0)], tilt_deg=28)
    assert squares(picture) == {"red": 4, "blue": 11}


def test_no_pawn_is_invented(studio: Studio) -> None:
    """An empty track shows none; the shade of one colour is not another that is not there."""
    assert squares(studio.photograph(shadow=0.5)) == {}
    assert squares(studio.photograph([on("red", 7)], sensor=LIGHTS["dim"])) == {"red": 7}


def test_a_white_pawn_on_white_is_left_to_people(studio: Studio) -> None:
    """Its colour cannot be told from the board's paper, so it is not read, and it is known that it is not."""
    assert readable_pawns(studio.looks) == ("black", "red", "green", "blue")
    picture = studio.photograph([on("white", 9), on("blue", 12)])
    assert squares(picture) == {"blue": 12}


def test_a_pawn_beside_the_track_has_no_square(studio: Studio) -> None:
    """It stands on the board, on none of the squares."""
    picture = studio.photograph([PawnAt("red", BOARD_MM / 2, 16.0)], tilt_deg=10)
    (pawn,) = picture.read()
    assert (pawn.name, pawn.on, pawn.square) == ("red", BOARD, None)
    assert pawn.confidence < SURE


def test_a_pawn_between_two_squares_is_doubtful(studio: Studio) -> None:
    """A lone pawn on a line is read with little confidence, so that it is asked for."""
    picture = studio.photograph([on("red", 7, 5.4)], tilt_deg=0)
    (pawn,) = picture.read()
    assert pawn.square in (6, 7)
    assert pawn.confidence < SURE


def test_cards_on_the_track_are_no_pawns(studio: Studio) -> None:
    """A red card that covers half of the track is not a red pawn, and what stands beside it is still read."""
    picture = studio.photograph([on("blue", 0)], cards={"red": (38.0, 4.0, 0.2)})
    assert squares(picture) == {"blue": 0}


def test_without_a_board_no_pawn_is_read(studio: Studio) -> None:
    """Where no board was found, or it lies under cards, nothing is guessed."""
    picture = studio.photograph([on("red", 7)])
    hidden = replace(picture, cards=tuple(_over_the_board(picture)))
    assert squares(hidden) == {}
    assert read_tokens(picture.rgb, None, picture.plane, (), picture.looks) == ()


def _over_the_board(picture: Picture) -> list[CardInView]:
    """A card larger than the board."""
    corners = np.array([[-5, -5, 1], [BOARD_MM + 5, -5, 1], [BOARD_MM + 5, BOARD_MM + 5, 1], [-5, BOARD_MM + 5, 1]])
    q = corners @ picture.board_to_px.T
    return [CardInView("over", None, q[:, :2] / q[:, 2:3])]


# ---- stars -----------------------------------------------------------------------------------------------------------

CARDS = {"plain": (-150.0, 20.0, 0.4), "sign": (130.0, -30.0, -0.9)}


@pytest.mark.parametrize("turn", [0.0, 1.1, 2.5, 4.0, 5.6])
def test_a_star_on_a_card_is_read(studio: Studio, turn: float) -> None:
    """Its kind and the card below it, whichever way it is turned; the sign printed on the other card is no star."""
    picture = studio.photograph(stars=[StarAt("2x", (-145.0, 30.0, turn))], cards=CARDS, board=(0.0, -20.0, 0.1))
    assert stars(picture) == {"2x": "key-plain"}


@pytest.mark.parametrize("light", LIGHTS)
def test_both_stars_are_told_apart_in_any_light(studio: Studio, light: str) -> None:
    """One on a card beside its sign, one on the bare table."""
    laid = [StarAt("lightning", (148.0, -14.0, 0.7)), StarAt("2x", (60.0, 120.0, 2.0))]
    picture = studio.photograph(stars=laid, cards=CARDS, sensor=LIGHTS[light])
    assert stars(picture) == {"lightning": "key-sign", "2x": None}


def test_a_star_on_the_board_lies_on_no_card(studio: Studio) -> None:
    """It is read there as well, beside pawns."""
    picture = studio.photograph([on("red", 20)], [StarAt("lightning", (5.0, -38.0, 2.0))], board=(0.0, 0.0, 0.0))
    assert stars(picture) == {"lightning": None}
    assert {t.name: t.square for t in picture.read() if t.kind is TokenKind.PAWN} == {"red": 20}


def test_of_two_cards_the_upper_one_carries_the_star(studio: Studio) -> None:
    """The star lies on a card that lies over another's corner."""
    cards = {"plain": (-150.0, 0.0, 0.3), "red": (-115.0, 60.0, -0.5)}
    picture = studio.photograph(stars=[StarAt("2x", (-128.0, 42.0, 0.0))], cards=cards, board=(60.0, -20.0, 0.0))
    assert stars(picture) == {"2x": "key-red"}


def test_no_star_is_invented(studio: Studio) -> None:
    """Neither printed signs nor a lamp's reflection are stars, and a card taken for another does not make one."""
    picture = studio.photograph([on("red", 5)], cards=CARDS, glare_mm=(-150.0, 10.0))
    assert stars(picture) == {}
    renamed = tuple(replace(c, face="plain" if c.face == "sign" else None) for c in picture.cards)
    assert stars(replace(picture, cards=renamed)) == {}


# ---- what the deck says ----------------------------------------------------------------------------------------------


def test_a_deck_without_small_things_needs_none(tmp_path: Path) -> None:
    """A deck of another game has no looks of tokens."""
    (tmp_path / "deck.json").write_text('{"format": 1, "game": "rox", "faces": []}', encoding="utf-8")
    assert load_token_looks(tmp_path) is None


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"pawns": {"blue": "blue"}}, "pawns.blue"),
        ({"stars": {"2x": {"image": "2x.png"}}}, "stars.2x.size_mm"),
        ({"stars": {"2x": {"image": "gone.png", "size_mm": 24}}}, "stars.2x.image"),
        ({"stars": {"2x": {"image": "../2x.png", "size_mm": 24}}}, "stars.2x.image"),
        ({"board": {"image": "board.png", "size_mm": 110, "track": [[1, 2]]}}, "board.track"),
        ({"board": {"image": "board.png", "size_mm": 110, "track": [[1, 2], [3, 4]], "goal": 9}}, "board.goal"),
        ({"board": {"image": "deck.json", "size_mm": 110, "track": [[1, 2], [30, 4]]}}, "board.image"),
        ({"card_mm": 59}, "card_mm"),
    ],
)
def test_what_is_wrong_in_a_deck_is_named(studio: Studio, tmp_path: Path, change: dict[str, object], key: str) -> None:
    """The key at fault is told."""
    folder = write_deck(tmp_path)
    data = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    (folder / "deck.json").write_text(json.dumps(data | change), encoding="utf-8")
    with pytest.raises(DeckError) as told:
        load_token_looks(folder)
    assert told.value.key == key
