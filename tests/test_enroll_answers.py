"""Answers of `referee enroll`: what cannot be understood, or means nothing, is said with its file, part and field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from calibration.capture.deck import Enrolled, Part
from webui import cli
from webui.sight.copies.readers import READERS


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A photo that shows nothing."""
    path = tmp_path / "a.png"
    Image.new("RGB", (64, 64)).save(path)
    return path


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"R02": {"cneter": "fire"}}', "R02: has no 'cneter'; what can be stated is center, edge, id, value"),
        ('{"all": {"tpo": "as laid"}}', "all: has no 'tpo'; what can be stated is center, edge, top"),
        ('{"all": {"top": "as liad"}}', "all: top: 'as liad' is no answer; write \"as laid\""),
        ('{"R01": {"edge": {"fire": 1' + "0" * 400 + "}}}", 'R01: edge: {"fire": 1000'),
        ('{"R01": {"edge": [1]}}', "R01: edge: [1] is no answer; write how many there are of each symbol"),
        ('{"R01": {"edge": {"kind-1": true}}}', 'R01: edge: {"kind-1": true} is no answer'),
        ('{"R01": {"edge": {"x": 1.5, "y": -3}}}', 'R01: edge: {"x": 1.5, "y": -3} is no answer'),
        ('{"R01": {"id": "../../evil"}}', 'R01: id: "../../evil" is no answer; write a name in quotes'),
        ('{"R01": {"center": {"a": 1}}}', 'R01: center: {"a": 1} is no answer; write a name in quotes'),
        ('{"R01": {"center": "a\\u001b[2J"}}', "R01: center: "),
        ('{"P01": {"value": "3"}}', 'P01: value: "3" is no answer; write a whole number'),
        ('{"R02": {"image": "R01.jpg"}}', "R02: image is no answer"),
        ('{"R02": {"image": "../evil.jpg"}}', "R02: image is no answer"),
    ],
)
def test_an_answer_that_no_part_has_is_refused(
    said: str, why: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the photos are read, with the file and the key."""
    file, out = tmp_path / "a.json", tmp_path / "o"
    file.write_text(said)
    assert cli.main(["enroll", "rox", "--out", str(out), "--answers", str(file), str(photo)]) == 2
    assert f"{file}: {why}" in capsys.readouterr().err


def test_an_answer_about_nothing_that_was_read_is_refused(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read is named, nothing is written; a field of another sort of card is refused, too."""

    def reader(*_: object) -> Enrolled:
        return Enrolled({"name": "x"}, (Part("R01", "faces", {}, ()), Part("P01", "scoring", {}, ())))

    monkeypatch.setitem(READERS, "rox", reader)
    file, out = tmp_path / "a.json", tmp_path / "o"
    argv = ["enroll", "rox", "--out", str(out), "--answers", str(file), str(photo)]
    for said, why in (
        ({"R99": {"center": "fire"}}, "R99: nothing of this id was read; there are R01, P01. Nothing was written"),
        ({"P01": {"center": "fire"}}, "P01: has no 'center'; what can be stated is id, value"),
    ):
        file.write_text(json.dumps(said))
        assert cli.main(argv) == 2
        assert f"{file}: {why}" in capsys.readouterr().err
        assert not out.exists()
    file.write_text('{"R01": {"center": "fire"}, "P01": {"value": 3}, "all": {"top": "as laid", "edge": "as read"}}')
    assert cli.main(argv) == 0
    assert (out / "deck.json").exists()


@pytest.mark.parametrize("said", ['{"R01": {"value": NaN}}', '{"R01": {"value": 1e999}}', '{"R01": {"id": "\\ud800"}}'])
def test_what_no_deck_can_hold_is_refused(
    said: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No number, or half a letter: in one line, before the photos are read."""
    (tmp_path / "a.json").write_text(said)
    answers = ["--answers", str(tmp_path / "a.json")]
    assert cli.main(["enroll", "rox", "--out", str(tmp_path / "o"), *answers, str(photo)]) == 2
    assert "a.json: cannot be read as JSON" in capsys.readouterr().err


_CORNER = '{"color": "red", "value": null, "region": []}'


@pytest.mark.parametrize(
    ("game", "said", "why"),
    [
        ("conex", '{"board": {"stars": 7}}', 'board: stars: 7 is no answer; write "as read" or "swapped"'),
        ("conex", '{"board": {"goal": "last"}}', 'board: goal: "last" is no answer; write the number of'),
        ("conex", '{"board": {"track": [[1, 2], [3, 4]]}}', "board: track: [[1, 2], [3, 4]] is no answer"),
        (
            "conex",
            '{"board": {"pawns": {"red": "dark"}}}',
            'board: pawns: {"red": "dark"} is no answer; write the colour',
        ),
        ("conex", '{"board": {"id": "plan"}}', "board: has no 'id'; what can be stated is"),
        ("conex", '{"board": {"size_mm": 12}}', "from 38 to 380; about 120 are usual"),
        ("conex", '{"C01": {"symbol": "bomb"}}', 'C01: symbol: "bomb" is no answer; write "plus2" or "die", or null'),
        (
            "conex",
            '{"C01": {"corners": [{"colour": "red"}]}}',
            'each {"color": "red", "value": 3, "region": [[x, y], …]}',
        ),
        ("conex", f'{{"C01": {{"corners": [{_CORNER}]}}}}', f"C01: corners: [{_CORNER}] is no answer"),
        (
            "cactus",
            '{"K1": {"height_mm": 8.5}}',
            "K1: height_mm: 8.5 is no answer; write a number of mm from 27 to 270",
        ),
        ("cactus", '{"ring-red": {"length_mm": 0}}', "ring-red: length_mm: 0 is no answer"),
        ("cactus", '{"ring-red": {"length_mm": -40}}', "ring-red: length_mm: -40 is no answer"),
        ("cactus", '{"K1": {"thickness_mm": 35}}', "K1: thickness_mm: 35 is no answer"),
        ("cactus", '{"K1": {"base": {"width_mm": 40}}}', 'K1: base: {"width_mm": 40} is no answer'),
        (
            "cactus",
            '{"K1": {"base": {"width_mm": 4, "height_mm": 0.8, "depth_mm": 1.4}}}',
            "write an object of mm with width_mm (13 to 200), height_mm (1.5 to 70), depth_mm (4.5 to 130)",
        ),
        ("cactus", '{"ring-red": {"outline": [[0, 0]]}}', "ring-red: outline: [[0, 0]] is no answer"),
        ("rox", '{"R01": {"center": "a"}, "R01": {"center": "b"}}', "'R01' is written twice"),
    ],
)
def test_what_could_have_no_effect_is_refused(
    game: str, said: str, why: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the photos are read: stars in numbers, centimetres, half a base, the same part twice."""
    file = tmp_path / "a.json"
    file.write_text(said)
    assert cli.main(["enroll", game, "--out", str(tmp_path / "o"), "--answers", str(file), str(photo)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert why in line


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"C01": {"color": "rde"}}, 'C01: color: "rde" is none of red, blue; write one of them'),
        (
            {"C01": {"corners": [{"color": "x", "value": 1, "region": [[0, 0], [9, 0], [0, 9]]}]}},
            'C01: corners: "x" is',
        ),
        ({"board": {"spaces": [{"color": "x", "region": [[0, 0], [9, 0], [0, 9]]}]}}, 'board: spaces: "x" is none of'),
        ({"board": {"goal": 3}}, "board: goal: 3 is no square of the track, which has 3"),
        ({"K1": {"color": "green"}}, 'K1: color: "green" is no colour of a cactus; write one such as "#2f8f3a"'),
        ({"ring": {"special": True}}, "ring: special: a special piece is one without a shape; state its shape instead"),
        ({"odd": {"special": False}}, "odd: special: a special piece is one without a shape"),
        ({"ring": {"color": "green"}}, 'ring: color: "green" is none of red, blue'),
    ],
)
def test_what_means_nothing_beside_what_was_read_is_refused(
    said: dict[str, object],
    why: str,
    photo: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A colour that no kind is called, a goal beside the track, a special piece of a shape; nothing is written."""
    cactus = not {"C01", "board"} & said.keys()
    shaped, odd = ({"color": "red", "shape": shape} for shape in ("ring", None))
    parts = [Part("ring", "pieces", shaped, ()), Part("odd", "pieces", odd, ()), Part("K1", "cacti", {}, ())]
    board = Part("board", "board", {"track": [[1, 1], [2, 2], [3, 3]]}, ())
    found = Enrolled(
        {"colors": {"red": "#ff0000", "blue": "#0000ff"}},
        tuple(parts) if cactus else (Part("C01", "faces", {}, ()),),
        {},
        (),
        None if cactus else board,
    )
    game = "cactus" if cactus else "conex"
    monkeypatch.setitem(READERS, game, lambda *_: found)
    monkeypatch.setattr("webui.commands.enroll.nonsense", lambda *_: "")
    file, out = tmp_path / "a.json", tmp_path / "o"
    file.write_text(json.dumps(said))
    assert cli.main(["enroll", game, "--out", str(out), "--answers", str(file), str(photo)]) == 2
    err = capsys.readouterr().err
    assert f"{file}: {why}" in err
    assert "Nothing was written" in err
    assert not out.exists()


def test_what_changes_nothing_is_remarked_on(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A confirmation of another game, and empty braces: neither is a reason to read nothing."""
    file = tmp_path / "a.json"
    file.write_text('{"all": {"top": "as laid", "edge": "as read"}, "R01": {}}')
    cli.main(["enroll", "rox", "--out", str(tmp_path / "o"), "--answers", str(file), str(photo)])
    err = capsys.readouterr().err
    assert f"{file}: all: top: changes nothing in rox; leave it out" in err
    assert f"{file}: all: edge" not in err
    assert f"{file}: R01: states nothing" in err


@pytest.mark.parametrize(
    ("size", "why"),
    [
        (
            ["--cactus-height", "8.5"],
            "--cactus-height: 8.5 mm is no size of a cactus over its base, about 85 mm are usual",
        ),
        (["--card-mm", "5.9", "9.2"], "--card-mm: 5.9 mm is no size of a card, about 60 mm are usual"),
    ],
)
def test_centimetres_are_no_millimetres(
    size: list[str], why: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Told with the option and with what is usual, before the photos are looked at."""
    assert cli.main(["enroll", "cactus", "--out", str(tmp_path / "out"), *size, str(photo)]) == 2
    assert why in capsys.readouterr().err


def test_an_option_of_another_game_is_said_to_be_passed_over(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever gave it believes that it counts."""
    argv = ["--out", str(tmp_path / "out"), "--board", str(photo), "--cactus-height", "90", str(photo)]
    cli.main(["enroll", "rox", *argv])
    err = capsys.readouterr().err
    assert "--board: tells nothing of rox" in err
    assert "--cactus-height: tells nothing of rox" in err
    assert "--card-mm" not in err.splitlines()[0]
