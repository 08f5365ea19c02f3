"""What `referee enroll` tells while it reads, and of kinds that nobody named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.capture.deck import Enrolled, Part, Photo, Said, Wishes
from webui import cli
from webui.commands import steps_said as steps
from webui.commands.enroll_answers import read_answers
from webui.commands.nameless import nameless
from webui.sight.copies.readers import READERS

MOON = [[100, 60], [200, 60], [200, 160], [100, 160], [100, 140], [180, 140], [180, 80], [100, 80]]
"""Its middle is none of it."""


def part(name: str, photo: str, outline: list[list[int]], **fields: Any) -> Part:
    return Part(name, "pieces", {"id": name, **fields}, ({"photo": photo, "outline": outline},))


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    path = tmp_path / "a.png"
    cv2.imwrite(str(path), np.full((200, 300, 3), (0, 0, 200), np.uint8))
    return path


def test_a_kind_without_a_name_is_shown(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a picture in the deck's folder, where it lies, and an example that names it when it is given back."""
    found = part("shape-2-kind-3", str(photo), MOON, color="kind-3", shape="shape-2")
    named = part("sun-red", str(photo), MOON, color="red", shape="sun")
    monkeypatch.setitem(READERS, "cactus", lambda *_: Enrolled({"game": "cactus"}, (named, found, found)))
    monkeypatch.setattr("webui.commands.enroll.nonsense", lambda *_: "")
    out = tmp_path / "deck"
    cli.main(["enroll", "cactus", "--out", str(out), str(photo)])
    said = capsys.readouterr()
    assert [json.loads(line)["id"] for line in said.out.splitlines()] == ["sun-red"] + ["shape-2-kind-3"] * 2
    (colour,) = [line for line in said.err.splitlines() if "kind-3 is a colour without a name" in line]
    (shape,) = [line for line in said.err.splitlines() if "shape-2 is a shape without a name" in line]
    assert str(out / "kinds" / "shape-shape-2.png") in shape
    picture = cv2.imread(str(out / "kinds" / "colour-kind-3.png"))
    assert picture is not None
    assert picture[50, 50].tolist() == [0, 0, 200]
    example = json.loads(colour[colour.index("{") : colour.rindex("}") + 1])
    x, y = example["NAME OF THE COLOUR"]["at"]
    assert cv2.pointPolygonTest(np.array(MOON, np.float32), (float(x), float(y)), True) > 5
    assert example["NAME OF THE COLOUR"]["photo"] == "a.png"


def test_a_named_copy_has_nothing_to_be_shown() -> None:
    """Nor has a special piece, whose shape is none."""
    assert nameless([part("a", "a.png", MOON, color="red", shape=None), Part("P01", "scoring", {"value": 3}, ())]) == ()


def test_the_middle_of_a_card_names_it() -> None:
    """Where no stone was read as anything else."""
    card = Part("R01", "faces", {"center": "kind-1"}, ({"photo": "a", "quad": [[0, 0], [60, 0], [60, 90], [0, 90]]},))
    (kind,) = nameless([card])
    assert np.abs(np.subtract(kind.at_px, (30, 45))).max() <= 2
    assert kind.sort == "stone"


def test_reading_tells_how_far_it_is(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line after each step that took long; standard output holds nothing but what was read."""
    monkeypatch.setattr(steps, "QUIET_S", 0.0)

    def reader(photos: list[Photo], _: Wishes, said: Said) -> Enrolled:
        said(photos[0].name)
        said("colours")
        return Enrolled({}, (), {}, ("no pieces found",))

    monkeypatch.setitem(READERS, "cactus", reader)
    assert cli.main(["enroll", "cactus", "--out", str(tmp_path / "o"), str(photo)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    first, second, _ = said.err.splitlines()
    assert (first, second) == (
        "referee: reading: 1 of 4 steps done (a.png)",
        "referee: reading: 2 of 4 steps done (colours)",
    )


def test_what_is_quick_tells_no_steps(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines come at most every few seconds."""
    times = iter((0.0, 3.0, 4.5, 5.0, 9.0))
    with steps.steps_said("reading", 4, clock=lambda: next(times)) as said:
        for name in "abcd":
            said(name)
    assert capsys.readouterr().err.splitlines() == [
        "referee: reading: 2 of 4 steps done (b)",
        "referee: reading: 4 of 4 steps done (d)",
    ]


def test_a_cactus_that_may_be_a_part_of_one_is_told(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to do, and the answer that confirms it where it is so small."""
    seen = ({"photo": str(photo), "outline": MOON},)
    found = [Part(name, "cacti", {"id": name}, seen, asks) for name, asks in (("K1", ()), ("K2", ("whole",)))]
    monkeypatch.setitem(READERS, "cactus", lambda *_: Enrolled({"game": "cactus"}, tuple(found)))
    monkeypatch.setattr("webui.commands.enroll.nonsense", lambda *_: "")
    assert cli.main(["enroll", "cactus", "--out", str(tmp_path / "deck"), str(photo)]) == 0
    said = capsys.readouterr().err
    assert "K2 is far smaller than the other cacti" in said
    answers = tmp_path / "answers.json"
    answers.write_text(said[said.index('{"K2"') : said.index("}}") + 2])
    assert read_answers(answers, "cactus") == {"K2": {"whole": True}}
    assert "K1 is far smaller" not in said
