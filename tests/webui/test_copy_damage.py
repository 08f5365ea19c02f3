"""A file of a copy that was changed by hand, or broken, hides no other copy, and is put aside like any damaged one."""

from __future__ import annotations

import json
import os
import threading
from typing import Any

import pytest

from tests.webui.test_copy_editor import boarded, hung, key, now
from tests.webui.test_copy_places import Shelf, shelf
from tests.webui.test_owncopy import Desk, desk
from webui.owncopy.own_copy import CopyStage

__all__ = ["boarded", "desk", "hung", "key", "shelf"]

HALF = "\ud800"
AT = {"photo": "00.jpg", "at": [29.5, 46.0]}
DAMAGES: dict[str, dict[str, Any]] = {
    "name": {"name": f"a{HALF}b"},
    "problem": {"problem": HALF},
    "answer": {"answers": [{**AT, "fields": {"center": HALF}}]},
    "kind": {"names": [{**AT, "sort": "elements", "name": HALF, "leader": False}]},
    "place": {"answers": [{**AT, "at": [10**400, 45], "fields": {}}]},
    "place of a name": {"names": [{**AT, "at": [10**400, 45], "sort": "elements", "name": "Elk", "leader": False}]},
    "number of the next photo": {"next": -5},
    "height": {"game": "cactus", "cactus_mm": 10**400},
}


@pytest.mark.parametrize("what", DAMAGES)
def test_what_cannot_be_shown_or_written_is_a_damaged_copy(shelf: Shelf, what: str) -> None:
    """It is listed so beside whole ones, another one begins meanwhile, and it is put aside."""
    client, post = shelf.table.client, {"token": shelf.table.token()}
    shelf.put("q1")
    shelf.put("q2", **DAMAGES[what])
    listed = client.get("/copies")
    assert (listed.status_code, listed.text.count("copy-damaged")) == (200, 1)
    assert 'href="/copies/q1"' in listed.text
    assert client.get("/copies/q2").status_code == 404
    assert shelf.keeper.begin("Q3", "rox", (59, 92), None) == "q3"
    assert "q2.damaged" in client.post("/copies/q2/aside", data=post, follow_redirects=True).text
    assert "copy-damaged" not in client.get("/copies").text


def test_half_a_letter_in_a_reading_is_read_again(shelf: Shelf) -> None:
    """The copy stays, and its photos are to be read once more."""
    shelf.put("q2")
    file = shelf.file("q2", "read/parts.json")
    file.write_text(file.read_text().replace('"R01"', '"\\ud800"'))
    assert shelf.one("q2").stage is CopyStage.UNREAD
    assert shelf.page("q2").status_code == 200


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["copy.json", "read/parts.json"])
def test_a_pipe_is_not_waited_for(shelf: Shelf, name: str) -> None:
    """Only files are read: the list comes at once."""
    shelf.put("q2")
    shelf.file("q2", name).unlink()
    os.mkfifo(shelf.file("q2", name))
    asked = threading.Thread(target=lambda: (shelf.keeper.copies(), shelf.keeper.copy("q2")), daemon=True)
    asked.start()
    asked.join(5)
    waits = asked.is_alive()
    if waits:
        shelf.file("q2", name).write_text("{}")
    assert not waits
    assert [c.stage is CopyStage.DAMAGED for c in shelf.keeper.copies()] == [name == "copy.json"]


def test_a_byte_order_mark_is_no_damage(shelf: Shelf) -> None:
    """Editors put one before what they write; decks are read with it, too."""
    shelf.put("q2", name="Öur own")
    text = shelf.file("q2").read_text()
    shelf.file("q2").write_text(text, encoding="utf-8-sig")
    assert shelf.one("q2").name == json.loads(text)["name"]


@pytest.mark.parametrize("lost", ["cactus_mm", "read"])
def test_a_field_that_is_gone_is_no_error_of_the_page(shelf: Shelf, lost: str) -> None:
    """Neither in the list nor on the copy's own page; what is not known to be read is read again."""
    shelf.put("q2")
    data = json.loads(shelf.file("q2").read_text())
    del data[lost]
    shelf.file("q2").write_text(json.dumps(data))
    assert shelf.table.client.get("/copies").status_code == 200
    assert shelf.page("q2").status_code == 200
    assert shelf.one("q2").stage is (CopyStage.UNREAD if lost == "read" else CopyStage.READ)


def test_a_piece_without_its_outline_is_read_again(desk: Desk, hung: str) -> None:
    """No editor is opened for it."""
    file = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(file.read_text())
    del data["parts"][0]["fields"]["outline"]
    file.write_text(json.dumps(data))
    assert desk.table.client.get(f"/copies/{hung}/part/0").status_code == 404
    assert now(desk, hung).stage is CopyStage.UNREAD


@pytest.mark.parametrize("track", [[[1]], [["a", 2]], [], "0,0", {"x": 1}, [[1, 2], [3, 10**400]]])
def test_a_board_whose_track_is_damaged_is_read_again(desk: Desk, boarded: str, track: object) -> None:
    """As any other reading of CONEX that cannot be drawn."""
    file = desk.folder / "copies" / boarded / "read" / "parts.json"
    data = json.loads(file.read_text())
    data["parts"][4]["fields"]["track"] = track
    file.write_text(json.dumps(data))
    for path in ("/copies", f"/copies/{boarded}"):
        assert desk.table.client.get(path).status_code == 200
    assert now(desk, boarded).stage is CopyStage.UNREAD
    assert now(desk, boarded).parts == ()
