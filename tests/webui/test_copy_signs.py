"""Doubtful symbols of many cards are looked at together, one sheet for each kind, and answered by one tap."""

from __future__ import annotations

import json
import re
from typing import Any

import cv2
import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select

from tests.webui.browsing import MARKS, errors_in, fits, resize, until
from tests.webui.test_owncopy import Desk, desk, site
from webui.owncopy.own_copy import OwnCopy

__all__ = ["desk", "site"]

NAMES = ("fire", "water", "earth", "air", "magic")
SIGNS = (("kind-1",), ("kind-1", "kind-2"), ("kind-2",), (), ())


@pytest.fixture
def key(desk: Desk) -> str:
    """A copy of Rox of five cards: three ask about their edge because of doubtful symbols, one about its stone."""
    folder = desk.folder / "copies" / "worn"
    (folder / "read").mkdir(parents=True)
    picture = cv2.imencode(".jpg", np.full((60, 60, 3), 90, np.uint8))[1].tobytes()
    kinds = [{"sort": "elements", "key": f"kind-{n + 1}", "part": n} for n in range(5)]
    parts, number = [], 0
    for n, own in enumerate(SIGNS):
        at = 100.0 * n
        quad = [[at, 0.0], [at + 60, 0.0], [at + 60, 90.0], [at, 90.0]]
        edge = {"kind-1": 6, "kind-2": 7, "kind-3": 3}
        fields = {"id": f"R{n}", "image": f"R{n}.jpg", "center": f"kind-{n + 1}", "edge": edge}
        signs = [{"number": number + i, "kind": kind} for i, kind in enumerate(own)]
        number += len(own)
        part: dict[str, Any] = {"id": f"R{n}", "group": "faces", "fields": fields, "signs": signs}
        parts.append(
            part
            | {
                "asks": ["edge"] if own else ["center"] if n == 3 else [],
                "sightings": [{"photo": "00.jpg", "quad": quad}],
            }
        )
        (folder / "read" / f"part-{n}.jpg").write_bytes(picture)
    for n in range(5):
        (folder / "read" / f"kind-{n}.jpg").write_bytes(picture)
        (folder / "read" / f"sign-{n}.jpg").write_bytes(picture)
    (folder / "00.jpg").write_bytes(picture)
    deck = {"game": "rox", "elements": [k["key"] for k in kinds], "faces": [p["fields"] for p in parts]}
    data = {"parts": parts, "kinds": kinds, "twins": [], "matrices": 0, "remarks": []}
    (folder / "read" / "parts.json").write_text(json.dumps(data))
    (folder / "read" / "deck.json").write_text(json.dumps(deck))
    copy = {"name": "Worn", "game": "rox", "card_mm": [59, 92], "cactus_mm": None, "photos": ["00.jpg"], "next": 1}
    copy |= {"board": False, "names": [], "answers": [], "read": ["00.jpg"], "problem": "", "saved": False}
    (folder / "copy.json").write_text(json.dumps(copy))
    desk.post("/copies/worn/do", what="names", **{f"name-{n}": name for n, name in enumerate(NAMES)})
    return "worn"


def now(desk: Desk, key: str) -> OwnCopy:
    one = desk.keeper.copy(key)
    assert one is not None
    return one


def chosen(page: str) -> dict[str, str]:
    """What the form would send as it stands."""
    return dict(re.findall(r'<select name="(sign-\d)".*?<option value="(\d)" selected', page))


def test_one_tap_confirms_all_that_look_alike(desk: Desk, key: str) -> None:
    """A sheet for each kind with a picture of each doubtful symbol; sent as it stands, all edges are as read."""
    one = now(desk, key)
    assert [(s.kind, [o.number for o in s.signs]) for s in one.sheets] == [("fire", [0, 1]), ("water", [2, 3])]
    page = desk.table.client.get(f"/copies/{key}").text
    assert "These look like fire. Tap those that are not." in page
    assert desk.table.client.get(f"/copies/{key}/sign/3.jpg").status_code == 200
    assert chosen(page) == {"sign-0": "0", "sign-1": "0", "sign-2": "1", "sign-3": "1"}
    assert desk.post(f"/copies/{key}/signs", reading=one.reading, **chosen(page)).status_code == 303
    after = now(desk, key)
    assert [p.id for p in after.open] == ["R3"], "a stone is asked about by itself"
    assert [p.fields["edge"] for p in after.parts] == [p.fields["edge"] for p in one.parts]
    assert "Is this right?" in desk.table.client.get(f"/copies/{key}").text
    desk.post(f"/copies/{key}/do", what="undo")
    assert len(now(desk, key).open) == 4, "all of it was one step"


def test_those_that_are_not_count_as_another_kind(desk: Desk, key: str) -> None:
    """A symbol of another kind is moved on its card; a card with one that cannot be told is asked by itself."""
    said = {"sign-0": "4", "sign-1": "0", "sign-2": "0", "sign-3": ""}
    desk.post(f"/copies/{key}/signs", **said)
    one = now(desk, key)
    assert one.parts[0].fields["edge"] == {"fire": 5, "water": 7, "earth": 3, "magic": 1}
    assert one.parts[1].fields["edge"] == {"fire": 7, "water": 6, "earth": 3}
    assert [(p.id, p.asks) for p in one.open] == [("R2", ("edge",)), ("R3", ("center",))]
    assert one.sheets == ()
    assert 'name="p2-edge-0"' in desk.table.client.get(f"/copies/{key}").text
    desk.post(f"/copies/{key}/do", what="name", kind="kind-5", name="moss")
    assert now(desk, key).parts[0].fields["edge"]["moss"] == 1


def test_only_what_was_seen_is_confirmed(desk: Desk, key: str) -> None:
    """A card of which a symbol was not on the page stays open; kinds that are none and old pages are refused."""
    for wrong in ({}, {"sign-0": "5"}, {"sign-0": "fire"}):
        assert desk.post(f"/copies/{key}/signs", **wrong).status_code == 400, wrong
    for other in ({"sign-0": "0", "reading": "old"}, {"sign-9": "0"}, {"sign-1": "0"}):
        assert desk.post(f"/copies/{key}/signs", **other).status_code == 303
    assert len(now(desk, key).open) == 4
    desk.post(f"/copies/{key}/signs", **{"sign-0": "0", "sign-1": "0"})
    one = now(desk, key)
    assert [p.id for p in one.open] == ["R1", "R2", "R3"]
    assert one.sheets == (), "two cards are asked about one by one"


def test_doubtful_stones_are_a_sheet_of_their_own(desk: Desk, key: str) -> None:
    """Stones that look alike are one question; one that is another takes its name, and symbols stay as they were."""
    file = desk.folder / "copies" / "worn" / "read" / "parts.json"
    data = json.loads(file.read_text())
    for n in range(3):
        data["parts"][n] |= {
            "asks": ["center"],
            "signs": [{"number": n, "kind": f"kind-{n + 1}", "field": "center"}],
        }
    file.write_text(json.dumps(data))
    one = now(desk, key)
    assert [(s.field, s.kind, s.signs[0].number) for s in one.sheets] == [
        ("center", name, n) for n, name in enumerate(NAMES[:3])
    ]
    assert one.questions == 4, "the sheets, and the card that is asked about by itself"
    page = desk.table.client.get(f"/copies/{key}").text
    assert "These stones look like water. Tap those that are not." in page
    desk.post(f"/copies/{key}/signs", reading=one.reading, **chosen(page) | {"sign-1": "4"})
    after = now(desk, key)
    assert [p.fields["center"] for p in after.parts[:3]] == ["fire", "magic", "earth"]
    assert [p.fields["edge"] for p in after.parts] == [p.fields["edge"] for p in one.parts]
    assert [p.id for p in after.open] == ["R3"]


@MARKS[0]
@MARKS[1]
def test_a_thumb_and_keys_do(browser: WebDriver, site: str, desk: Desk, key: str) -> None:
    """On a phone the pictures wrap; the choice covers its picture, takes the focus, and one button sends all."""
    resize(browser, 390, 844)
    browser.get(f"{site}/copies/{key}")
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, ".copy-sign select")) == 4)
    fits(browser, "copy-signs")
    select, picture = (browser.find_element(By.CSS_SELECTOR, f".copy-sign {what}") for what in ("select", "img"))
    assert select.rect["width"] >= picture.rect["width"] >= 44
    assert select.rect["height"] > picture.rect["height"]
    assert browser.find_element(By.ID, "right").text == "All are right"
    Select(select).select_by_visible_text("magic")
    assert browser.find_element(By.ID, "right").text == "All the others are right"
    browser.find_element(By.ID, "right").click()
    until(browser, lambda d: "R3" in d.find_element(By.ID, "ask").text)
    assert now(desk, key).parts[0].fields["edge"]["magic"] == 1
    assert errors_in(browser) == []
