"""Names and corrections stay with their cards when photos come and go, and when the program is ended meanwhile."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.webui.test_copy_places import STONES, Shelf, card, shelf
from webui.owncopy.own_copy import CopyStage
from webui.paths import replace_folder
from webui.sight.copies import readings
from webui.sight.copies.keeper import CopyKeeper
from webui.sight.copies.work import StoppedError

__all__ = ["shelf"]

Json = dict[str, Any]
WORDS = ("Key", "Ink", "Oar", "Elk", "Yew")


def _write(file: Path, shown: dict[str, Sequence[int]]) -> None:
    """The cards that were seen on each photo; those five apart have the same stone."""
    parts = []
    for n in sorted({n for numbers in shown.values() for n in numbers}):
        part = card(n, STONES[n % 5])
        quad = part["sightings"][0]["quad"]
        part["sightings"] = [{"photo": photo, "quad": quad} for photo, numbers in shown.items() if n in numbers]
        parts.append(part)
    read = json.loads(file.read_text()) | {"parts": parts}
    file.write_text(json.dumps(read))


@pytest.fixture
def shown(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> dict[str, Sequence[int]]:
    """A copy q2 of five cards that are all seen on two photos; on which photo another reading will find which."""
    shelf.put("q2", photos=["00.jpg", "01.jpg"], next=2, read=["00.jpg", "01.jpg"])
    found: dict[str, Sequence[int]] = {"00.jpg": range(5), "01.jpg": range(5)}
    _write(shelf.file("q2", "read/parts.json"), found)

    def read_photos(copy: Json, folder: Path, new: Path, *_: object) -> bool:
        shutil.copytree(folder / "read", new)
        _write(new / "parts.json", {photo: found[photo] for photo in copy["photos"]})
        return True

    monkeypatch.setattr(readings, "read_photos", read_photos)
    return found


def _read(made: CopyKeeper) -> None:
    made.read("q2")
    for thread in [t for t in threading.enumerate() if t.name == "copyist"]:
        thread.join(10)


def test_names_outlive_an_end_of_the_program_while_a_reading_is_put_in_place(
    shelf: Shelf, shown: dict[str, Sequence[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were given on a photo that is gone, and the reading that told where else their kinds are is gone, too."""
    shown["01.jpg"] = range(5, 10)
    _write(shelf.file("q2", "read/parts.json"), shown)
    for key, word in zip(STONES, WORDS, strict=True):
        shelf.keeper.name("q2", key, word)
    shelf.keeper.drop("q2", "00.jpg")
    ended = []

    def ends(new: Path, place: Path) -> None:
        replace_folder(new, place)
        ended.append(True)
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(readings, "replace_folder", ends)
        _read(shelf.keeper)
    assert ended
    anew = CopyKeeper(lambda: shelf.folder / "copies", lambda: shelf.folder / "decks")
    for stage in (CopyStage.UNREAD, CopyStage.READ):
        one = anew.copy("q2")
        assert one is not None
        assert (one.stage, tuple(k.name for k in one.kinds)) == (stage, WORDS)
        _read(anew)


def test_a_correction_follows_its_card_by_any_photo(shelf: Shelf, shown: dict[str, Sequence[int]]) -> None:
    """The photo on which the card was seen first is taken out; so may what was taken back be."""
    shelf.keeper.answer_all("q2", {0: {"center": STONES[2]}})
    shelf.keeper.answer_all("q2", {0: {"center": STONES[3]}, 1: {"out": True}})
    shelf.keeper.drop("q2", "00.jpg")
    _read(shelf.keeper)
    assert shelf.one("q2").stage is CopyStage.READ
    assert [p.fields["center"] for p in shelf.one("q2").parts] == [STONES[3], *STONES[1:]]
    assert [p.number for p in shelf.one("q2").parts if p.out] == [1]
    shelf.keeper.undo("q2")
    assert shelf.one("q2").parts[0].fields["center"] == STONES[2]


def test_a_correction_follows_its_card_to_a_photo_that_came_later(
    shelf: Shelf, shown: dict[str, Sequence[int]]
) -> None:
    """It was made when the card was on one photo; another one came, then the first was taken out."""
    _write(shelf.file("q2", "read/parts.json"), {"00.jpg": range(5)})
    shelf.keeper.answer_all("q2", {0: {"center": STONES[2]}})
    _read(shelf.keeper)
    shelf.keeper.drop("q2", "00.jpg")
    _read(shelf.keeper)
    assert shelf.one("q2").stage is CopyStage.READ
    assert shelf.one("q2").parts[0].fields["center"] == STONES[2]
