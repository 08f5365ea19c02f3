"""Reading a deck folder: what is wrong with it is told in one line with the file, the key and the mend."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from scoring.errors import DeckError
from vision.deck_file import card_size, inside, is_number, json_object, json_objects, read_json, read_picture

WHERE = "decks/mine/deck.json"


def refused(call: Callable[[], object], key: str, where: str = WHERE) -> str:
    """The mend of a refusal, whose line names file and key."""
    with pytest.raises(DeckError) as caught:
        call()
    error = caught.value
    assert (error.file, error.key) == (where, key)
    line = str(error)
    assert line.startswith(f"{where}: {key}: " if key else f"{where}: ")
    assert "\n" not in line
    assert len(error.mend) > 10
    return error.mend


# ---- the file --------------------------------------------------------------------------------------------------------


def test_json_is_read_as_it_is(tmp_path: Path) -> None:
    """Whatever JSON holds is handed on; letters beyond ASCII too."""
    path = tmp_path / "deck.json"
    path.write_bytes('{"name": "Würfel", "faces": [1, 2.5, null]}'.encode())
    assert read_json(path) == {"name": "Würfel", "faces": [1, 2.5, None]}


@pytest.mark.parametrize("data", [b"", b"{", b"{'name': 1}", b"\xff\xfe\x00", b'{"a": 1} x'])
def test_what_is_no_json(tmp_path: Path, data: bytes) -> None:
    """Torn, empty and binary files are named with their path."""
    path = tmp_path / "deck.json"
    path.write_bytes(data)
    assert "JSON" in refused(lambda: read_json(path), "", str(path))


def test_a_deck_that_is_not_there(tmp_path: Path) -> None:
    """A missing file, and a folder in its place: name a folder that holds a deck.json."""
    for path in (tmp_path / "none" / "deck.json", tmp_path):
        assert "deck.json" in refused(lambda path=path: read_json(path), "", str(path))  # type: ignore[misc]


def test_a_deck_nested_without_end(tmp_path: Path) -> None:
    """A hundred thousand brackets are refused like any other mistake."""
    path = tmp_path / "deck.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    refused(lambda: read_json(path), "", str(path))


# ---- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [[], "x", 1, None, True])
def test_an_object_is_wanted(value: Any) -> None:
    """Anything but braces is refused."""
    assert "braces" in refused(lambda: json_object(value, WHERE, "board"), "board")
    assert json_object({"a": 1}, WHERE, "board") == {"a": 1}


def test_a_list_of_objects_is_wanted() -> None:
    """No list names the key, a wrong entry its number."""
    assert json_objects([{"a": 1}, {}], WHERE, "faces") == [{"a": 1}, {}]
    assert json_objects([], WHERE, "faces") == []
    assert "list" in refused(lambda: json_objects({"a": 1}, WHERE, "faces"), "faces")
    refused(lambda: json_objects([{}, {}, 3], WHERE, "faces"), "faces[2]")


@pytest.mark.parametrize(
    "value", [None, 59, "59x92", [59], [59, 92, 1], ["59", "92"], [59, 4.9], [1001, 92], [True, 92], [float("nan"), 92]]
)
def test_a_card_has_two_lengths(value: Any) -> None:
    """Two numbers from 5 to 1000 mm, or an example is given."""
    assert "[59, 92]" in refused(lambda: card_size(value, WHERE, "card_mm"), "card_mm")


def test_a_card_size_is_floating() -> None:
    """Whole numbers are lengths too."""
    assert card_size([59, 92.5], WHERE, "card_mm") == (59.0, 92.5)
    assert all(isinstance(v, float) for v in card_size([59, 92], WHERE, "card_mm"))


def test_what_a_number_is() -> None:
    """Numbers are; truth values and digits in quotes are none."""
    assert is_number(3)
    assert is_number(0.5)
    for value in (True, "3", None, [3]):
        assert not is_number(value)


# ---- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["face.png", "art/face.png", "art\\face.png", "one..two.png"])
def test_a_picture_inside_the_folder(name: str) -> None:
    """A relative path, in a folder of the deck or not, is handed on as written."""
    assert inside(name, WHERE, "faces[0].image") == name


@pytest.mark.parametrize(
    "name",
    ["", None, 3, "/etc/face.png", "../face.png", "art/../../face.png", "C:\\face.png", "..\\face.png", "\\\\host\\x"],
)
def test_a_picture_outside_the_folder(name: Any) -> None:
    """Absolute paths, drives and ways out are refused before anything is opened."""
    assert "inside the deck folder" in refused(lambda: inside(name, WHERE, "back"), "back")
    refused(lambda: read_picture(name, Path("nowhere"), WHERE, "back"), "back")


def saved(folder: Path, picture: NDArray[Any], name: str = "face.png") -> str:
    (folder / name).write_bytes(cv2.imencode(Path(name).suffix, picture)[1].tobytes())
    return name


BGR = (30, 120, 220)


def test_colours_are_red_green_blue_and_opaque(tmp_path: Path) -> None:
    """A picture without opacity shows all of itself, its channels in the order of the eye."""
    name = saved(tmp_path, np.full((8, 6, 3), BGR, np.uint8))
    picture = read_picture(name, tmp_path, WHERE, "back")
    assert picture.dtype == np.uint8
    np.testing.assert_array_equal(picture, np.full((8, 6, 4), (220, 120, 30, 255)))


def test_opacity_is_kept(tmp_path: Path) -> None:
    """A star's picture is clear around the star."""
    name = saved(tmp_path, np.full((8, 6, 4), (*BGR, 70), np.uint8))
    np.testing.assert_array_equal(read_picture(name, tmp_path, WHERE, "back"), np.full((8, 6, 4), (220, 120, 30, 70)))


def test_grey_and_deep_pictures_are_pictures(tmp_path: Path) -> None:
    """A grey one, and one of 16 bits a channel, come out in eight bits and three colours."""
    grey = read_picture(saved(tmp_path, np.full((8, 6), 90, np.uint8)), tmp_path, WHERE, "back")
    np.testing.assert_array_equal(grey, np.full((8, 6, 4), (90, 90, 90, 255)))
    deep = np.zeros((8, 6, 3), np.uint16)
    deep[:4], deep[4:] = 65535, 32768
    picture = read_picture(saved(tmp_path, deep, "deep.png"), tmp_path, WHERE, "back")
    assert picture[0, 0].tolist() == [255] * 4
    assert picture[7, 0].tolist() == [128, 128, 128, 255]


def test_a_jpeg_in_a_folder_of_the_deck(tmp_path: Path) -> None:
    """Any usual format, anywhere inside."""
    (tmp_path / "art").mkdir()
    saved(tmp_path / "art", np.full((40, 30, 3), BGR, np.uint8), "face.jpg")
    picture = read_picture("art/face.jpg", tmp_path, WHERE, "back")
    assert np.abs(picture[20, 15].astype(int) - (220, 120, 30, 255)).max() < 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_has_no_end_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe in the place of a picture or of the deck itself is refused."""
    os.mkfifo(tmp_path / "face.png")
    refused(lambda: read_picture("face.png", tmp_path, WHERE, "back"), "back")
    with pytest.raises(DeckError, match="is no file"):
        read_json(tmp_path / "face.png")


def test_a_picture_made_to_fill_the_memory(tmp_path: Path) -> None:
    """It is refused by what its header says, before it is opened."""
    bomb = bytearray(cv2.imencode(".png", np.zeros((8, 6), np.uint8))[1].tobytes())
    bomb[16:24] = (20_000).to_bytes(4, "big") * 2
    bomb[29:33] = zlib.crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    (tmp_path / "bomb.png").write_bytes(bomb)
    assert "20000 x 20000" in refused(lambda: read_picture("bomb.png", tmp_path, WHERE, "back"), "back")


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    """The name, with the advice to put it there; a folder or an impossible name is no picture either."""
    assert "'none.png'" in refused(
        lambda: read_picture("none.png", tmp_path, WHERE, "faces[3].image"), "faces[3].image"
    )
    (tmp_path / "folder.png").mkdir()
    refused(lambda: read_picture("folder.png", tmp_path, WHERE, "back"), "back")
    refused(lambda: read_picture("nul\0.png", tmp_path, WHERE, "back"), "back")


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + bytes(40)])
def test_a_picture_that_cannot_be_opened_is_named(tmp_path: Path, data: bytes) -> None:
    """Empty, foreign and torn files: the name, and in which format to save it."""
    (tmp_path / "face.png").write_bytes(data)
    mend = refused(lambda: read_picture("face.png", tmp_path, WHERE, "back"), "back")
    assert "'face.png'" in mend
    assert "PNG" in mend
