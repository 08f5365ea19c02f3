"""A deck folder as the eye loads it: every picture on its grids, every mistake named with file, key and mend."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from scoring.errors import DeckError
from tests.colour_eye import CARD_MM
from tests.vision.small_things import write_deck
from vision.deck import DeckAppearance, Grid, load_appearance

CONEX = Path(__file__).parents[2] / "calibration" / "decks" / "conex-proxy"


@pytest.fixture
def folder(colour_deck: Path, tmp_path: Path) -> Path:
    """A deck folder of one's own to spoil."""
    return Path(shutil.copytree(colour_deck, tmp_path / "deck"))


def change(folder: Path, **keys: Any) -> None:
    """Set keys of the deck; None takes one out."""
    path = folder / "deck.json"
    data = {**json.loads(path.read_text()), **keys}
    path.write_text(json.dumps({k: v for k, v in data.items() if v is not None}))


def refused(folder: Path) -> DeckError:
    with pytest.raises(DeckError) as caught:
        load_appearance(folder)
    line = str(caught.value)
    assert "\n" not in line
    assert str(folder / "deck.json") in line
    return caught.value


# ---- what is loaded --------------------------------------------------------------------------------------------------


def test_every_picture_becomes_a_look(small: DeckAppearance) -> None:
    """60 faces with their symbols, 15 scoring cards and the back, each on grids of its own size."""
    kinds = [look.kind for look in small.looks]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"face": 60, "scoring": 15, "back": 1}
    assert small.game == "rox"
    assert small.card_mm == (40.0, 60.0)
    for looks in small.sets:
        for look in looks.looks:
            assert look.size_mm == looks.size_mm
            assert look.rough.shape == (*looks.rough.shape, 3)
            assert look.coarse.shape == (*looks.coarse.shape, 3)
            assert look.fine.shape == (*looks.fine.shape, 3)
            assert 0 <= look.fine.min() < look.fine.max() <= 255
    faces = [look for look in small.looks if look.kind == "face"]
    assert all(sum(look.edge.values()) == 16 and look.center in small.sets[0].elements for look in faces)
    assert len({look.id for look in small.looks}) == 76


def test_the_three_grids_show_the_same_picture(small: DeckAppearance) -> None:
    """Finer grids hold the coarser ones: shrunk, they agree."""
    look = small.looks[0]
    for fine, coarse in ((look.fine, look.coarse), (look.coarse, look.rough)):
        shrunk = cv2.resize(fine, coarse.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(shrunk - coarse).mean() < 8


def test_colours_are_red_green_blue(folder: Path) -> None:
    """A red picture is red for the eye: no swap of the channels on the way."""
    bgr = np.zeros((100, 70, 3), np.uint8)
    bgr[..., 2] = 200
    cv2.imwrite(str(folder / "F0.png"), bgr)
    look = next(v for v in load_appearance(folder).looks if v.id == "F0")
    np.testing.assert_allclose(look.fine.mean((0, 1)), [200, 0, 0])


def test_cards_of_another_size_make_a_set_of_their_own(folder: Path) -> None:
    """Scoring cards may be smaller than the others: then they are compared on their own grids."""
    data = json.loads((folder / "deck.json").read_text())
    change(folder, scoring_cards={**data["scoring_cards"], "card_mm": [40, 40]})
    sets = {s.size_mm: s for s in load_appearance(folder).sets}
    assert set(sets) == {CARD_MM, (40.0, 40.0)}
    assert [look.id for look in sets[40.0, 40.0].looks] == ["P9"]
    assert sets[40.0, 40.0].square
    assert not sets[CARD_MM].square


def test_scoring_cards_and_back_are_optional(folder: Path) -> None:
    """A deck may be faces only."""
    change(folder, scoring_cards=None, back=None)
    assert {look.kind for look in load_appearance(folder).looks} == {"face"}


@pytest.mark.parametrize("size", [(59.0, 92.0), (40.0, 60.0), (56.0, 56.0), (92.0, 59.0)])
@pytest.mark.parametrize("samples", [330, 1100, 3600])
def test_grids_have_square_cells_and_the_wanted_number(size: tuple[float, float], samples: int) -> None:
    """Cells are square to a twelfth and about as many as asked for; the first sample is half a cell from the corner."""
    grid = Grid.of(size, samples)
    rows, columns = grid.shape
    assert rows * columns == pytest.approx(samples, rel=0.12)
    assert size[0] / columns == pytest.approx(size[1] / rows, rel=1 / 12)
    np.testing.assert_allclose(grid.to_mm() @ [0, 0, 1], [size[0] / columns / 2, size[1] / rows / 2, 1])
    np.testing.assert_allclose(grid.to_mm() @ [columns - 0.5, rows - 0.5, 1], [*size, 1])


def test_the_rim_is_left_out_all_round() -> None:
    """Print and cut vary at the rim and corners are round: neither is compared, the middle is."""
    grid = Grid.of((59.0, 92.0), 3600)
    sharp, rounded = grid.rim(0.0), grid.rim(6.0)
    for rim in (sharp, rounded):
        assert not rim[0].any()
        assert not rim[-1].any()
        assert not rim[:, 0].any()
        assert not rim[:, -1].any()
        assert rim[rim.shape[0] // 2, rim.shape[1] // 2]
        assert 0.8 < rim.mean() < 0.97
        np.testing.assert_array_equal(rim, rim[::-1, ::-1])
    assert not (rounded & ~sharp).any()
    assert rounded.sum() < sharp.sum()


# ---- what is wrong ---------------------------------------------------------------------------------------------------


def test_no_deck(tmp_path: Path) -> None:
    """A folder without a deck says which file is wanted."""
    assert "deck.json" in refused(tmp_path / "none").mend


@pytest.mark.parametrize("text", [b"{", b"\xff\xfe\x00", b"", b"[1, 2]", b'"deck"', b"null"])
def test_no_json_object(folder: Path, text: bytes) -> None:
    """A file that is no JSON object is refused, whatever it is."""
    (folder / "deck.json").write_bytes(text)
    assert refused(folder).mend


@pytest.mark.parametrize("size", [None, [59], [59, 0], [59, -1], ["59", "92"], 59, [59, 92, 1], [True, 92]])
def test_card_size(folder: Path, size: Any) -> None:
    """Two positive numbers in mm, or the key is named and an example given."""
    change(folder, card_mm=size)
    error = refused(folder)
    assert error.key == "card_mm"
    assert "mm" in error.mend


def test_size_of_scoring_cards(folder: Path) -> None:
    """The inner key is named where the inner size is wrong."""
    data = json.loads((folder / "deck.json").read_text())
    change(folder, scoring_cards={**data["scoring_cards"], "card_mm": "small"})
    assert refused(folder).key == "scoring_cards.card_mm"


@pytest.mark.parametrize("radius", ["3", [3], -1])
def test_corner_radius(folder: Path, radius: Any) -> None:
    """A radius is a number that is not negative."""
    change(folder, corner_radius_mm=radius)
    assert refused(folder).key == "corner_radius_mm"


@pytest.mark.parametrize("faces", [{"a": 1}, "F0", [1], [None]])
def test_faces_are_a_list_of_objects(folder: Path, faces: Any) -> None:
    """Anything else is refused with the key."""
    change(folder, faces=faces)
    assert refused(folder).key.startswith("faces")


def test_a_missing_picture(folder: Path) -> None:
    """The face whose picture is missing is named by its place in the list, the picture by its name."""
    (folder / "F3.png").unlink()
    error = refused(folder)
    assert error.key == "faces[3].image"
    assert "F3.png" in error.mend


@pytest.mark.parametrize("data", [b"", b"no picture at all", b"\x89PNG\r\n\x1a\n"])
def test_a_picture_that_is_none(folder: Path, data: bytes) -> None:
    """Empty, torn and foreign files are named, those of scoring cards too."""
    (folder / "P9.png").write_bytes(data)
    error = refused(folder)
    assert error.key == "scoring_cards.faces[0].image"
    assert "P9.png" in error.mend


def test_a_face_without_a_picture(folder: Path) -> None:
    """A face that names no picture is named itself."""
    data = json.loads((folder / "deck.json").read_text())
    del data["faces"][1]["image"]
    change(folder, faces=data["faces"])
    assert refused(folder).key == "faces[1].image"


def test_a_missing_back(folder: Path) -> None:
    """The back is optional, but one that is named must be there."""
    change(folder, back="back.png")
    assert refused(folder).key == "back"


# ---- a board and its cards -------------------------------------------------------------------------------------------


@pytest.fixture
def board_folder(tmp_path: Path) -> Path:
    """A small deck with a board, to spoil."""
    return write_deck(tmp_path / "deck")


def change_board(folder: Path, **keys: Any) -> None:
    """Set keys of the board; None takes one out."""
    board = {**json.loads((folder / "deck.json").read_text())["board"], **keys}
    change(folder, board={k: v for k, v in board.items() if v is not None})


def test_the_board_is_a_look_of_its_own(conex: DeckAppearance) -> None:
    """It is no face: one square look of its own size, on its own grids, with the deck's corners."""
    assert conex.game == "conex"
    assert conex.board is not None
    (look,) = conex.board.looks
    assert (look.id, look.kind) == ("board", "board")
    assert conex.board.size_mm == look.size_mm == (120.0, 120.0)
    assert conex.board.square
    assert conex.board.radius_mm == conex.corner_radius_mm == 3.0
    assert look.fine.shape == (*conex.board.fine.shape, 3)
    assert all(v.kind != "board" for v in conex.looks)
    kinds = [v.kind for v in conex.looks]
    assert (kinds.count("face"), kinds.count("back")) == (52, 1)


def test_a_look_knows_its_colours(conex: DeckAppearance) -> None:
    """Three pixels a mm in colour for the edges, and the ground that covers most of the face."""
    data = json.loads((CONEX / "deck.json").read_text())
    printed = {f["id"]: np.array(bytearray.fromhex(data["colors"][f["color"]][1:])) for f in data["faces"]}
    for look in conex.looks:
        assert look.colour.shape == (276, 177, 3)
        assert look.colour.dtype == np.uint8
        if look.kind == "face":
            assert np.abs(np.array(look.ground) - printed[look.id]).max() < 12, look.id
            share = (np.abs(look.colour.astype(int) - np.array(look.ground)).max(2) < 25).mean()
            assert share > 0.5, look.id


def test_spaces_show_the_grounds_of_the_cards(conex: DeckAppearance) -> None:
    """One space a colour, where the board is printed in it, with the mean ground of its cards."""
    data = json.loads((CONEX / "deck.json").read_text())
    assert len(conex.spaces) == len(data["board"]["spaces"]) == 4
    assert conex.board is not None
    picture = conex.board.looks[0].colour
    for space, entry in zip(conex.spaces, data["board"]["spaces"], strict=True):
        assert space.region_mm.tolist() == entry["region"]
        faces = {f["id"] for f in data["faces"] if f["color"] == entry["color"]}
        grounds = [v.ground for v in conex.looks if v.id in faces]
        np.testing.assert_allclose(space.ground, np.mean(grounds, axis=0))
        x, y = (space.region_mm.mean(0) * 3).astype(int)
        assert np.abs(picture[y, x] - np.array(space.ground)).max() < 25


def test_small_things_are_loaded_with_the_deck(conex: DeckAppearance, board_folder: Path) -> None:
    """A deck with a board has pawns to look for."""
    for deck in (conex, load_appearance(board_folder)):
        assert deck.tokens is not None
        assert deck.tokens.board is not None
        assert deck.tokens.pawns
        assert len(deck.tokens.stars) == 2


def test_a_deck_without_a_board_has_none(small: DeckAppearance) -> None:
    """Rox: no board, no spaces, no small things."""
    assert small.board is None
    assert small.spaces == ()
    assert small.tokens is None


def test_spaces_are_optional(board_folder: Path) -> None:
    """A board without coloured spaces, or with spaces that no card has the colour of, is a board."""
    assert load_appearance(board_folder).spaces == ()
    change_board(board_folder, spaces=[{"color": "pink", "region": [[0, 0], [28, 0], [28, 28]]}])
    deck = load_appearance(board_folder)
    assert deck.board is not None
    assert deck.spaces == ()


@pytest.mark.parametrize("board", [[1], "board", 3])
def test_a_board_is_an_object(board_folder: Path, board: Any) -> None:
    """Anything else is refused with the key."""
    change(board_folder, board=board)
    assert refused(board_folder).key == "board"


@pytest.mark.parametrize("size", ["120", [120, 120], 5, 2000, True])
def test_size_of_the_board(board_folder: Path, size: Any) -> None:
    """A square's side in mm, within reason."""
    change_board(board_folder, size_mm=size)
    error = refused(board_folder)
    assert error.key == "board.size_mm"
    assert "mm" in error.mend


def test_the_boards_picture(board_folder: Path) -> None:
    """It must be named, and be there."""
    change_board(board_folder, image="none.png")
    error = refused(board_folder)
    assert error.key == "board.image"
    assert "none.png" in error.mend
    change_board(board_folder, image=None)
    assert refused(board_folder).key == "board.image"


@pytest.mark.parametrize(
    ("spaces", "key"),
    [
        ({"color": "red"}, "board.spaces"),
        ([1], "board.spaces[0]"),
        ([{"color": "red"}], "board.spaces[0].region"),
        ([{"color": "red", "region": [[0, 0], [28, 28]]}], "board.spaces[0].region"),
        ([{"color": "red", "region": [[0, 0], [28, 0], [28, "28"]]}], "board.spaces[0].region"),
        ([{"color": "red", "region": [[0, 0], [28, 0], [28]]}], "board.spaces[0].region"),
    ],
)
def test_spaces_of_the_board(board_folder: Path, spaces: Any, key: str) -> None:
    """A list of objects, each with the corners of its outline in mm."""
    change_board(board_folder, spaces=spaces)
    assert refused(board_folder).key == key
