"""What is no copy of a game at all: it is refused with the photo's name and the mend, and nothing is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.capture.deck import Enrolled, Part
from calibration.capture.sense import nonsense
from webui import cli
from webui.sight.copies.readers import READERS

CARD_MM = (59.0, 92.0)


def part(group: str, asks: tuple[str, ...] = (), *, sides: tuple[float, float] = (59, 92), **fields: Any) -> Part:
    w, h = sides
    seen = {"photo": "a.jpg", "quad": [[0.0, 0.0], [w, 0.0], [w, h], [0.0, h]]}
    return Part("X", group, fields, (seen,), asks)


SENSE = {
    "rox": part("faces", ("center", "edge")),
    "conex": part("faces", corners=[{"color": "red", "value": 3}]),
    "cactus": part("pieces", shape="shape-1"),
    "any": part("faces"),
}
NONSENSE = {
    "conex": part("faces", ("corners",), corners=[{"color": "red", "value": None}]),
    "cactus": part("pieces", shape=None),
    "any": part("faces", sides=(80, 84)),
}


@pytest.mark.parametrize("game", list(READERS))
def test_things_of_another_kind_are_no_copy(game: str) -> None:
    """Where hardly anything is read of what was found it is nonsense; a copy of which something is read is not."""
    if game not in NONSENSE:
        assert nonsense(game, Enrolled({}, (SENSE[game],)), CARD_MM) == "", "asked about, and no nonsense"
        return
    good, bad = SENSE[game], NONSENSE[game]
    assert nonsense(game, Enrolled({}, (bad,) * 9), CARD_MM)
    assert nonsense(game, Enrolled({}, (good,) * 5 + (bad,) * 4), CARD_MM) == ""


def test_a_whole_deck_in_bad_light_is_a_copy() -> None:
    """So many cards are the game, though each must be asked about; cacti without any piece are a part of it."""
    assert nonsense("conex", Enrolled({}, (NONSENSE["conex"],) * 52), CARD_MM) == ""
    assert nonsense("cactus", Enrolled({}, (part("cacti"),)), CARD_MM) == ""


def test_as_many_things_without_any_corner_are_no_cards_of_conex() -> None:
    """However many there are: in bad light a corner is seen, though its number is not read."""
    bare = part("faces", ("corners",), corners=[])
    assert nonsense("conex", Enrolled({}, (bare,) * 70), CARD_MM)
    assert nonsense("conex", Enrolled({}, (bare,) * 35 + (NONSENSE["conex"],) * 35), CARD_MM) == ""


@pytest.mark.parametrize("game", list(READERS))
def test_junk_is_refused_and_nothing_is_written(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names the photo and says how to take a better one; there is no folder and no line of JSON."""
    photo = tmp_path / "holiday.png"
    cv2.imwrite(str(photo), np.zeros((64, 64, 3), np.uint8))
    out = tmp_path / "deck"
    found = Enrolled({}, (NONSENSE[game],)) if game in NONSENSE else Enrolled({}, (), {}, ("only 2 found",))
    reads: list[Enrolled] = []
    monkeypatch.setitem(READERS, game, lambda photos, wishes, said: reads[-1])
    for read in (found, replace(found, parts=(), remarks=("only 2 found",))):
        reads.append(read)
        assert cli.main(["enroll", game, "--out", str(out), str(photo)]) == 2
        told = capsys.readouterr()
        (line,) = told.err.splitlines()
        for said in ("holiday.png", "apart", "Nothing was written"):
            assert said in line
        assert told.out == ""
        assert not out.exists()


def test_a_photo_without_anything_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are read all the same."""
    photos = [tmp_path / "a.png", tmp_path / "empty.png"]
    for k, photo in enumerate(photos):  # one photo given twice would be one
        cv2.imwrite(str(photo), np.full((64, 64, 3), k, np.uint8))
    one = replace(SENSE["any"], sightings=({**SENSE["any"].sightings[0], "photo": str(photos[0])},))
    monkeypatch.setitem(READERS, "any", lambda photos, wishes, said: Enrolled({"name": "x"}, (one,)))
    assert cli.main(["enroll", "any", "--out", str(tmp_path / "deck"), *map(str, photos)]) == 0
    told = capsys.readouterr()
    assert [line for line in told.err.splitlines() if "nothing of the game" in line and "empty.png" in line]
    assert "a.png" not in told.err
    assert (tmp_path / "deck" / "deck.json").is_file()
