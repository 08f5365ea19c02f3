"""What comes while the photographs of a copy are read, or while that is cut off, is never taken for read."""

from __future__ import annotations

import io
import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.webui.test_copy_editor import boarded, hung, key, now
from tests.webui.test_owncopy import Desk, desk, grainy
from webui.owncopy.own_copy import CopyStage
from webui.sight.copies import readings
from webui.sight.copies.keeper import CopyKeeper

__all__ = ["boarded", "desk", "hung", "key"]

Json = dict[str, Any]


class Reader:
    """Stands in for what reads photographs: goes on when it is told to, and finds what was found before."""

    def __init__(self) -> None:
        self.gate, self.begun = threading.Semaphore(0), threading.Semaphore(0)
        self.given: list[Json] = []
        self.last = False  # whether no step follows that could be told of an end

    def __call__(self, copy: Json, folder: Path, new: Path, looks: Any, said: Any, sizes: Json) -> bool:
        self.given.append(sizes)
        self.begun.release()
        assert self.gate.acquire(timeout=20)
        if self.last:
            new.mkdir(parents=True)
            return True
        said("")
        shutil.copytree(folder / "read", new, dirs_exist_ok=True)
        return True


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr(readings, "read_photos", made)
    return made


def until(what: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    assert what()


def ended(desk: Desk, copy: str) -> CopyStage:
    """How far the copy is when nobody reads any more."""
    until(lambda: now(desk, copy).stage is not CopyStage.READING)
    return now(desk, copy).stage


def test_a_board_replaced_while_the_old_one_is_read_is_yet_to_be_read(desk: Desk, boarded: str, reader: Reader) -> None:
    """Neither that reading nor an earlier one counts for it; the next one does."""
    desk.keeper.add(boarded, grainy(90), board=True)
    assert now(desk, boarded).stage is CopyStage.UNREAD
    for stage in (CopyStage.UNREAD, CopyStage.READ):
        desk.keeper.read(boarded)
        assert reader.begun.acquire(timeout=20)
        if stage is CopyStage.UNREAD:
            desk.keeper.add(boarded, grainy(120), board=True)
        reader.gate.release()
        assert ended(desk, boarded) is stage


def test_a_board_of_an_earlier_release_stays_read(desk: Desk, boarded: str, reader: Reader) -> None:
    """It was counted by its name alone; one in its place is told from it all the same."""
    file = desk.folder / "copies" / boarded / "copy.json"
    copy = json.loads(file.read_text())
    file.write_text(json.dumps(copy | {"board": True, "read": ["00.jpg", "board.jpg"]}))
    assert now(desk, boarded).stage is CopyStage.READ
    desk.keeper.add(boarded, grainy(90), board=True)
    assert now(desk, boarded).stage is CopyStage.UNREAD


def test_measuring_anew_that_was_cut_off_is_offered_again(desk: Desk, hung: str, reader: Reader) -> None:
    """The program is ended meanwhile: the copy is not said to be read, says why, and a tap reads it with the height."""
    desk.keeper.answer_all(hung, {2: {"height_mm": 80.0}})
    assert reader.begun.acquire(timeout=20)
    left = json.loads((desk.folder / "copies" / hung / "copy.json").read_text())
    desk.keeper.read(hung)  # ends the one that goes on, as the end of the program would
    reader.gate.release(2)
    ended(desk, hung)
    (desk.folder / "copies" / hung / "copy.json").write_text(json.dumps(left))
    anew = CopyKeeper(lambda: desk.folder / "copies", lambda: desk.folder / "decks")
    one = anew.copy(hung)
    assert one is not None
    assert one.stage is CopyStage.UNREAD
    assert [c.stage for c in anew.copies()] == [CopyStage.UNREAD]
    page = desk.table.client.get(f"/copies/{hung}").text
    assert "With the heights that were stated the photos must be read once more" in page
    assert 'value="read"' in page
    reader.gate.release()
    anew.read(hung)
    until(lambda: (one := anew.copy(hung)) is not None and one.stage is CopyStage.READ)
    assert reader.given[-1] == {"K1": {"height_mm": 80.0}}


def test_a_height_put_right_while_it_is_measured_counts(desk: Desk, hung: str, reader: Reader) -> None:
    """What goes on with the old one begins anew."""
    for height in (80.0, 90.0):
        desk.keeper.answer_all(hung, {2: {"height_mm": height}})
        assert reader.begun.acquire(timeout=20) if height == 80.0 else True
    reader.gate.release(2)
    assert ended(desk, hung) is CopyStage.READ
    assert [s["K1"]["height_mm"] for s in reader.given] == [80.0, 90.0]
    assert np.ptp([y for _, y in now(desk, hung).parts[2].fields["outline"]]) == pytest.approx(90.0)


def test_a_photo_that_comes_twice_is_taken_once(desk: Desk) -> None:
    """A second tab, or the same file chosen again; what was taken out may come again."""
    copy = desk.keeper.begin("Twice", "rox", (59.0, 92.0), None)
    for photo, refused in ((grainy(90), False), (grainy(110), False), (grainy(90), True)):
        desk.post(f"/copies/{copy}/photos", photo=(io.BytesIO(photo), "a.jpg"))
        page = desk.table.client.get(f"/copies/{copy}").text
        assert ("a.jpg: This photo is here already." in page) is refused
    assert now(desk, copy).photos == ("00.jpg", "01.jpg")
    desk.keeper.drop(copy, "00.jpg")
    desk.keeper.add(copy, grainy(90))
    assert now(desk, copy).photos == ("01.jpg", "02.jpg")
    desk.keeper.stop()


def test_a_copy_forgotten_while_it_is_read_leaves_nothing(desk: Desk, boarded: str, reader: Reader) -> None:
    """What the last step still writes is swept away, so that the name is free again."""
    reader.last = True
    desk.keeper.read(boarded)
    assert reader.begun.acquire(timeout=20)
    thread = next(t for t in threading.enumerate() if t.name == "copyist")
    desk.keeper.forget(boarded)
    reader.gate.release()
    thread.join(20)
    assert not (desk.folder / "copies" / boarded).exists()


def test_the_editor_is_not_lost_while_photos_are_read_anew(desk: Desk, hung: str, reader: Reader) -> None:
    """It leads to the copy's page, which says so."""
    desk.keeper.answer_all(hung, {2: {"height_mm": 80.0}})
    assert desk.table.client.get(f"/copies/{hung}/part/1").location == f"/copies/{hung}"
    reader.gate.release(2)
    ended(desk, hung)
    assert desk.table.client.get(f"/copies/{hung}/part/1").status_code == 200


def test_a_photo_that_cannot_be_read_any_more_is_told(desk: Desk, hung: str) -> None:
    """It is no error of the program, and something can be done about it."""
    (desk.folder / "copies" / hung / "00.jpg").write_bytes(b"gone")
    desk.keeper.read(hung)
    assert ended(desk, hung) is CopyStage.FAILED
    assert "One of these photos cannot be read any more" in desk.table.client.get(f"/copies/{hung}").text
