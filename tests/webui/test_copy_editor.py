"""Correcting what was read of a copy: outlines that are dragged, questions that are answered together, and undo."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from calibration.capture.conex.deck import USUAL_PAWNS
from scoring.deck_conex import PAWN_COLOURS
from tests.webui.browsing import MARKS, errors_in, fits, resize, until
from tests.webui.test_owncopy import Desk, desk, site
from webui.owncopy.own_copy import CopyStage, OwnCopy

__all__ = ["desk", "site"]

REGION = [[0.0, 0.0], [20.0, 0.0], [0.0, 20.0]]
NAMES = ("red", "blue", "yellow", "green")


def part(n: int, **fields: Any) -> dict[str, Any]:
    """A card of CONEX that was seen at a place of its own."""
    at = 100.0 * n
    quad = [[at, 0.0], [at + 60, 0.0], [at + 60, 90.0], [at, 90.0]]
    known: dict[str, Any] = {"id": f"C{n:02d}", "image": f"C{n:02d}.jpg", "color": f"kind-{n + 1}", "symbol": None}
    known["corners"] = [{"color": "kind-2", "value": 3, "region": REGION}]
    asks = fields.pop("asks", [])
    return {
        "id": known["id"],
        "group": "faces",
        "fields": {**known, **fields},
        "asks": asks,
        "sightings": [{"photo": "00.jpg", "quad": quad}],
    }


@pytest.fixture
def key(desk: Desk) -> str:
    """A copy of CONEX that was read, without any photo having been looked at."""
    folder = desk.folder / "copies" / "worn"
    (folder / "read").mkdir(parents=True)
    kinds = [{"sort": "colors", "key": f"kind-{n + 1}", "part": n} for n in range(4)]
    parts = [part(0), part(1, asks=["color"]), part(2, asks=["symbol", "corners"], symbol="die"), part(3)]
    deck = {
        "game": "conex",
        "colors": dict(zip((k["key"] for k in kinds), ("#d02020", "#2458b0", "#f5cc20", "#2f8f3a"), strict=True)),
        "faces": [p["fields"] for p in parts],
    }
    data = {"parts": parts, "kinds": kinds, "twins": [], "matrices": 0, "remarks": []}
    (folder / "read" / "parts.json").write_text(json.dumps(data))
    (folder / "read" / "deck.json").write_text(json.dumps(deck))
    picture = cv2.imencode(".jpg", np.full((180, 120, 3), 90, np.uint8))[1].tobytes()
    for n in range(4):
        (folder / "read" / f"part-{n}.jpg").write_bytes(picture)
        (folder / "read" / f"kind-{n}.jpg").write_bytes(picture)
    (folder / "00.jpg").write_bytes(picture)
    names = [{"photo": "00.jpg", "at": [30.0, 45.0], "sort": "colors", "name": "red", "leader": False}]
    copy = {
        "name": "Worn",
        "game": "conex",
        "card_mm": [59, 92],
        "cactus_mm": None,
        "photos": ["00.jpg"],
        "next": 1,
        "board": False,
        "names": names,
        "answers": [],
        "read": ["00.jpg"],
        "problem": "",
        "saved": False,
    }
    (folder / "copy.json").write_text(json.dumps(copy))
    return "worn"


SQUARES = [[60.0, 60.0], [40.0, 60.0], [40.0, 40.0], [60.0, 20.0]]


@pytest.fixture
def boarded(desk: Desk, key: str) -> str:
    """The same copy, all its cards certain, with a board of which order, size and stars are asked."""
    folder = desk.folder / "copies" / key
    data = json.loads((folder / "read" / "parts.json").read_text())
    board: dict[str, Any] = {"id": "board", "image": "board.png", "size_mm": 120.0, "size_taken": True}
    board["spaces"] = [{"color": "kind-1", "region": [[0.0, 0.0], [30.0, 0.0], [30.0, 30.0], [0.0, 30.0]]}]
    board |= {"track": SQUARES, "goal": 3}
    seen = [{"photo": "board.jpg", "quad": [[0, 0], [400, 0], [400, 400], [0, 400]]}]
    parts = [p | {"asks": []} for p in data["parts"]]
    parts.append(
        {"id": "board", "group": "board", "fields": board, "asks": ["track", "size_mm", "stars"], "sightings": seen}
    )
    (folder / "read" / "parts.json").write_text(json.dumps(data | {"parts": parts}))
    deck = json.loads((folder / "read" / "deck.json").read_text())
    stars = {k: {"image": f"star-{k}.png", "size_mm": mm} for k, mm in (("2x", 24.0), ("lightning", 26.0))}
    board = {k: v for k, v in board.items() if k != "id"}
    (folder / "read" / "deck.json").write_text(
        json.dumps(deck | {"board": board, "stars": stars, "pawns": USUAL_PAWNS})
    )
    for name in ("part-4.jpg", "star-0.jpg", "star-1.jpg"):
        (folder / "read" / name).write_bytes((folder / "read" / "part-0.jpg").read_bytes())
    desk.post(f"/copies/{key}/do", what="names", **{f"name-{n}": name for n, name in enumerate(NAMES)})
    return key


def saved(desk: Desk, key: str) -> dict[str, Any]:
    """The deck as it is written."""
    desk.post(f"/copies/{key}/do", what="save")
    deck: dict[str, Any] = json.loads((desk.folder / "decks" / key / "deck.json").read_text())
    return deck


def now(desk: Desk, key: str) -> OwnCopy:
    one = desk.keeper.copy(key)
    assert one is not None
    return one


def test_colours_are_called_by_what_they_look_like(desk: Desk, key: str) -> None:
    """Words that fit are offered; one tap keeps them, in the language of whoever reads them."""
    page = desk.table.client.get(f"/copies/{key}").text
    assert re.findall(r'name="name-\d" value="(\w+)"', page.split('id="called"')[1])[:4] == list(NAMES[:4])
    german = desk.table.client.get(f"/copies/{key}", headers={"Accept-Language": "de"}).text
    assert 'value="blau"' in german
    fields = {f"name-{n}": name for n, name in enumerate(("red", "blue", "yellow", "moss"))}
    assert desk.post(f"/copies/{key}/do", what="names", **fields).status_code == 303
    assert now(desk, key).names("colors") == ("red", "blue", "yellow", "moss")
    assert "Of each:" in desk.table.client.get(f"/copies/{key}").text


def test_questions_are_answered_together(desk: Desk, key: str) -> None:
    """One tap confirms all that is right; what cannot be is refused whole, and nothing of it is kept."""
    assert "3 questions left" in desk.table.client.get(f"/copies/{key}").text, "giving names is one of them"
    fields = {f"name-{n}": name for n, name in enumerate(NAMES)}
    desk.post(f"/copies/{key}/do", what="names", **fields)
    page = desk.table.client.get(f"/copies/{key}").text
    assert "Are these right?" in page
    assert "2 questions left" in page
    assert ">A</text>" in page, "a corner's letter is no value"
    corner = {"p2-corner-0-color": "blue", "p2-corner-0-value": "4", "p2-corner-0-region": "0,0 20,0 0,20"}
    for wrong in (
        {"p1-color": "gold"},
        {"p1-color": "red", "p2-symbol": "bomb"},
        {"p1-color": "red", **corner, "p2-corner-0-value": "-3"},
        {"p9-color": "red"},
        {},
    ):
        assert desk.post(f"/copies/{key}/answers", **wrong).status_code == 400, wrong
    assert len(now(desk, key).open) == 2
    desk.post(f"/copies/{key}/answers", **{"p1-color": "green", "p2-symbol": "", **corner})
    one = now(desk, key)
    assert one.open == ()
    assert (one.parts[1].fields["color"], one.parts[2].fields["symbol"]) == ("green", None)
    assert one.parts[2].fields["corners"][0]["value"] == 4
    assert [(n, odd) for n, _, odd in one.shares if odd] == [("blue", True), ("green", True)]
    desk.post(f"/copies/{key}/do", what="undo")
    assert len(now(desk, key).open) == 2, "all of it was one step"


def test_the_board_is_asked_about(desk: Desk, boarded: str) -> None:
    """One tap confirms the track and the stars; another size makes everything on the board larger."""
    page = desk.table.client.get(f"/copies/{boarded}").text
    assert re.search(r">0</text>.*>3</text>", page, re.DOTALL)
    assert desk.table.client.get(f"/copies/{boarded}/star/1.jpg").status_code == 200
    track = re.search(r'name="p4-track" value="([^"]+)"', page)
    assert track is not None
    right = {"p4-track": track[1], "p4-size": "105", "p4-stars": "so"}
    for wrong in ({"p4-stars": "both"}, {"p4-track": "1,2 3,4"}, {"p4-track": "1,2 3,4 125,6"}):
        assert desk.post(f"/copies/{boarded}/answers", **{**right, **wrong}).status_code == 400, wrong
    assert now(desk, boarded).open[0].asks == ("track", "size_mm", "stars")
    desk.post(f"/copies/{boarded}/answers", **right)
    assert now(desk, boarded).open == ()
    deck = saved(desk, boarded)
    assert deck["board"]["size_mm"] == 105
    assert deck["board"]["track"] == [[52.5, 52.5], [35.0, 52.5], [35.0, 35.0], [52.5, 17.5]]
    assert deck["board"]["spaces"] == [{"color": "red", "region": [[0, 0], [26.25, 0], [26.25, 26.25], [0, 26.25]]}]
    assert deck["stars"]["2x"]["size_mm"] == 24.0


def test_a_board_may_be_left_to_be_measured_in_play(desk: Desk, boarded: str) -> None:
    """Without an answer the deck says that its size was only taken; a size that is stated later counts."""
    page = desk.table.client.get(f"/copies/{boarded}").text
    track = re.search(r'name="p4-track" value="([^"]+)"', page)
    assert track is not None
    desk.post(f"/copies/{boarded}/answers", **{"p4-track": track[1], "p4-size": "", "p4-stars": "so"})
    assert now(desk, boarded).open == ()
    board = saved(desk, boarded)["board"]
    assert (board["size_mm"], board["size_taken"]) == (120, True)
    desk.post(f"/copies/{boarded}/part/4", size="105")
    board = saved(desk, boarded)["board"]
    assert (board["size_mm"], board["size_taken"]) == (105, False)


def test_the_board_is_always_part_of_the_game(desk: Desk, boarded: str) -> None:
    """Neither where it is asked about nor where it is corrected can it be left out by a slip, as a card can."""
    asked, edited, card = (desk.table.client.get(f"/copies/{boarded}{p}").text for p in ("", "/part/4", "/part/0"))
    assert 'name="p4-track"' in asked
    assert ["no part of the game" in text for text in (asked, edited, card)] == [False, False, True]


def test_stars_that_were_not_seen_are_told(desk: Desk, boarded: str) -> None:
    """The program's own drawings are not shown as if they were the person's; nothing of that is in the deck."""
    told = "Neither star was seen beside the board"
    assert told not in desk.table.client.get(f"/copies/{boarded}").text
    path = desk.folder / "copies" / boarded / "read" / "parts.json"
    data = json.loads(path.read_text())
    data["parts"][4]["fields"]["usual_stars"] = ["2x", "lightning"]
    data["parts"][4]["asks"] = []
    path.write_text(json.dumps(data))
    assert told in desk.table.client.get(f"/copies/{boarded}").text
    assert desk.table.client.get(f"/copies/{boarded}/part/4").text.count("a drawing of the program") == 2
    assert "usual_stars" not in saved(desk, boarded)["board"]


def test_the_list_tells_what_is_saved_and_in_use(desk: Desk, boarded: str) -> None:
    """A copy is not saved yet, saved, or changed since; the one on the table is marked."""

    def listed() -> str:
        return desk.table.client.get("/copies").text

    assert "not saved yet" in listed()
    desk.post(f"/copies/{boarded}/part/4", size="60", stars="so")
    desk.keeper.answer_all(boarded, {4: {"track": [[0.5, 0.5]] * 4}})
    saved(desk, boarded)
    assert re.search(r"· saved\b", listed())
    assert "lies on the table" not in listed()
    desk.table.runner.deck.key = boarded
    assert "lies on the table" in listed()
    desk.post(f"/copies/{boarded}/part/4", size="70", stars="so")
    assert "changed since it was saved" in listed()


def test_pawns_of_other_colours_are_stated_at_the_board(desk: Desk, boarded: str) -> None:
    """The usual four until somebody says what is in the box; what was said stays when something else is put right."""
    assert "white, black, green, blue" in desk.table.client.get(f"/copies/{boarded}").text
    where = f"/copies/{boarded}/part/4"
    desk.post(where, track=" ".join(f"{x},{y}" for x, y in SQUARES), size="120", stars="so")
    assert set(saved(desk, boarded)["pawns"]) == {"white", "black", "green", "blue"}
    desk.post(where, pawns="sent", **{"pawn-red": "on", "pawn-orange": "on", "pawn-white": "on"})
    desk.post(where, size="110")
    assert saved(desk, boarded)["pawns"] == {n: PAWN_COLOURS[n] for n in ("white", "red", "orange")}
    page = desk.table.client.get(where).text
    assert re.findall(r'name="pawn-(\w+)" checked', page) == ["white", "red", "orange"]
    desk.post(where, pawns="sent")
    assert "Every player has a pawn" in desk.table.client.get(where).text
    assert len(saved(desk, boarded)["pawns"]) == 3


def test_the_board_is_corrected(desk: Desk, boarded: str) -> None:
    """Squares in another order, stars the other way round, or no board at all; all of it can be taken back."""
    turned = " ".join(f"{x},{y}" for x, y in (*SQUARES[::-1], (80.0, 20.0)))
    assert 'data-outlines="track"' in desk.table.client.get(f"/copies/{boarded}/part/4").text
    desk.post(f"/copies/{boarded}/part/4", track=turned, size="120", stars="swapped")
    deck = saved(desk, boarded)
    assert (deck["board"]["track"], deck["board"]["goal"]) == ([*SQUARES[::-1], [80.0, 20.0]], 4)
    assert (deck["stars"]["2x"]["size_mm"], deck["stars"]["lightning"]["size_mm"]) == (26.0, 24.0)
    desk.post(f"/copies/{boarded}/part/4", size="60")
    assert saved(desk, boarded)["board"]["track"][-1] == [40.0, 10.0]
    desk.post(f"/copies/{boarded}/part/4", out="yes")
    assert "board" not in saved(desk, boarded)
    for _ in range(3):
        desk.post(f"/copies/{boarded}/do", what="undo")
    assert now(desk, boarded).parts[4].fields["track"] == SQUARES


@MARKS[0]
@MARKS[1]
@pytest.mark.parametrize("width", [390, 1366])
def test_an_outline_is_dragged(browser: WebDriver, site: str, desk: Desk, key: str, width: int) -> None:
    """A point follows the finger, the numbers follow the point, and what is kept can be taken back."""
    resize(browser, width, 844 if width < 1000 else 768)
    browser.get(f"{site}/copies/{key}/part/0")
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, "circle.point")) == 3)
    fits(browser, "copy-outline")
    point = browser.find_elements(By.CSS_SELECTOR, "circle.point")[1]
    face = browser.find_element(By.CSS_SELECTOR, "svg.copy-face")
    per_mm = face.rect["height"] / 100
    ActionChains(browser).move_to_element(point).click_and_hold().move_by_offset(
        round(10 * per_mm), 0
    ).release().perform()
    field = browser.find_element(By.NAME, "corner-0-region")
    told = [tuple(map(float, p.split(","))) for p in (field.get_attribute("value") or "").split()]
    assert told[1] == pytest.approx((30, 0), abs=1.0)
    assert [told[0], told[2]] == [(0, 0), (0, 20)]
    browser.find_element(By.CSS_SELECTOR, "form .button.main").click()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, ".copy-undo button"))
    assert now(desk, key).parts[0].fields["corners"][0]["region"][1] == pytest.approx([30, 0], abs=1.0)
    browser.find_element(By.CSS_SELECTOR, ".copy-undo button").click()
    until(browser, lambda d: not d.find_elements(By.CSS_SELECTOR, ".copy-undo button"))
    assert now(desk, key).parts[0].fields["corners"][0]["region"] == REGION
    assert errors_in(browser) == []


@pytest.fixture
def hung(desk: Desk, key: str) -> str:
    """A copy of Cactus with two pieces, whose length is asked, and a cactus, whose base and thickness are."""
    folder = desk.folder / "copies" / key
    square = [[0.0, 0.0], [30.0, 0.0], [30.0, 40.0], [0.0, 40.0]]
    parts = []
    for n, (name, group, asks) in enumerate(
        (("a", "pieces", ["length_mm"]), ("b", "pieces", []), ("K1", "cacti", ["base", "thickness_mm"]))
    ):
        fields: dict[str, Any] = {"id": name, "color": "kind-1", "outline": square}
        if group == "pieces":
            fields |= {"shape": None, "special": True}
        seen = [{"photo": "00.jpg", "outline": [[90.0 * n, 0], [90.0 * n + 60, 0], [90.0 * n + 60, 80]]}]
        parts.append({"id": name, "group": group, "fields": fields, "asks": asks, "sightings": seen})
    deck: dict[str, Any] = {"game": "cactus", "colors": {"kind-1": "#d02020"}, "thickness_mm": 3.5}
    deck |= {"base": {"width_mm": 40, "height_mm": 8, "depth_mm": 14}, "pieces": [], "cacti": []}
    data = {"parts": parts, "kinds": [], "twins": [], "matrices": 0, "remarks": []}
    (folder / "read" / "parts.json").write_text(json.dumps(data))
    (folder / "read" / "deck.json").write_text(json.dumps(deck))
    copy = json.loads((folder / "copy.json").read_text())
    (folder / "copy.json").write_text(json.dumps(copy | {"game": "cactus", "names": []}))
    return key


BASE = {"width_mm": 50.0, "height_mm": 9.5, "depth_mm": 20.0}


def test_more_cacti_than_the_game_has_may_be_arms(desk: Desk, hung: str) -> None:
    """It is told that one may have lost its arms, after the surplus was left out as well."""
    told = "arms may have been cut off"
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(path.read_text())
    more = json.loads(json.dumps(data["parts"][2])) | {"asks": []}
    for n in range(3, 8):
        assert told not in desk.table.client.get(f"/copies/{hung}").text
        outline = [[90.0 * n, 0], [90.0 * n + 60, 0], [90.0 * n + 60, 80]]
        data["parts"].append({**more, "id": f"K{n - 1}", "sightings": [{"photo": "00.jpg", "outline": outline}]})
        path.write_text(json.dumps(data))
    page = desk.table.client.get(f"/copies/{hung}").text
    assert (told in page, "3 questions left" in page) == (True, True), "one too many is asked about, too"
    desk.post(f"/copies/{hung}/part/7", out="yes")
    page = desk.table.client.get(f"/copies/{hung}").text
    assert (told in page, "2 questions left" in page, "5 of 5" in page) == (True, True, True)


def test_colours_and_shapes_to_choose_from_show_what_they_are(desk: Desk, hung: str) -> None:
    """A kind has no name yet that says anything: its picture, or the silhouette of a piece, stands on each choice."""
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(path.read_text())
    sorts = (("colors", "kind-1", 0), ("shapes", "shape-1", 0), ("shapes", "shape-2", 1), ("shapes", "shape-3", -1))
    data["kinds"] = [{"sort": sort, "key": name, "part": part} for sort, name, part in sorts]
    path.write_text(json.dumps(data))
    page = desk.table.client.get(f"/copies/{hung}/part/1").text
    chips = {c.partition("</legend>")[0]: c for c in page.split('<fieldset class="copy-chips"><legend>')[1:]}
    assert "/kind/0.jpg" in chips["colour"].partition("</fieldset>")[0]
    shapes = chips["shape"].partition("</fieldset>")[0]
    assert shapes.count('<svg class="copy-silhouette"') == 2
    assert "/kind/3.jpg" in shapes, "of a shape that no piece shows there is its picture"


def test_a_part_of_a_cactus_is_confirmed_or_left_out(desk: Desk, hung: str) -> None:
    """One that is far smaller than the others: one tap confirms it, and leaving it out asks nothing more of it."""
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(path.read_text())
    data["parts"][0]["asks"] = []
    data["parts"][2]["asks"] = ["whole"]
    path.write_text(json.dumps(data))
    page = " ".join(desk.table.client.get(f"/copies/{hung}").text.split())
    assert "Is this a whole cactus?" in page
    assert 'name="p2-out"' in page
    assert desk.post(f"/copies/{hung}/answers", **{"p2-whole": "yes", "p2-out": "yes"}).status_code == 303
    assert (now(desk, hung).open, now(desk, hung).parts[2].out) == ((), True)
    desk.post(f"/copies/{hung}/do", what="undo")
    assert desk.post(f"/copies/{hung}/answers", **{"p2-whole": "yes"}).status_code == 303
    assert (now(desk, hung).open, now(desk, hung).parts[2].out) == ((), False)
    assert "whole" not in saved(desk, hung)["cacti"][0]


def test_sizes_are_asked_once_and_hold_for_all(desk: Desk, hung: str) -> None:
    """The length of one piece, the base of one cactus; what no ruler tells is refused."""
    page = desk.table.client.get(f"/copies/{hung}").text
    assert "How long is this piece, in mm?" in page
    base = {"p2-base-width": "50", "p2-base-height": "9,5", "p2-base-depth": "20", "p2-thickness": "3"}
    assert desk.post(f"/copies/{hung}/answers", **base, **{"p0-length": "6"}).status_code == 303
    assert len(now(desk, hung).open) == 2
    assert desk.post(f"/copies/{hung}/answers", **base, **{"p0-length": "60"}).status_code == 303
    assert now(desk, hung).open == ()
    deck = saved(desk, hung)
    assert deck["base"] == {"width_mm": 50, "height_mm": 9.5, "depth_mm": 20}
    assert deck["thickness_mm"] == 3
    assert deck["pieces"][1]["outline"][2] == [36, 48]
    assert deck["cacti"][0]["outline"][2] == [30, 40]
    assert "base" not in deck["cacti"][0]
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(path.read_text())
    data["parts"].append({**data["parts"][2], "id": "K2", "sightings": [{"photo": "01.jpg", "outline": [[0, 0]] * 3}]})
    data["parts"][2]["asks"] = []
    path.write_text(json.dumps(data))
    assert now(desk, hung).open == (), "another reading asks another cactus, and it is answered already"


def test_special_pieces_are_named(desk: Desk, hung: str) -> None:
    """Beside the other names, or in a piece's editor; what is taken or no name is refused, an empty one frees."""
    page = desk.table.client.get(f"/copies/{hung}").text
    assert 'placeholder="special piece 2"' in page

    def names() -> list[str]:
        return [p.id for p in now(desk, hung).parts if p.group == "pieces"]

    assert (
        desk.post(f"/copies/{hung}/do", what="names", **{"special-0": "Snake", "special-1": " snake"}).status_code
        == 400
    )
    assert desk.post(f"/copies/{hung}/do", what="names", **{"special-0": "a,b"}).status_code == 400
    desk.post(f"/copies/{hung}/do", what="names", **{"special-0": " Big  snake ", "special-1": ""})
    assert names() == ["Big snake", "special-kind-1-1"]
    assert desk.post(f"/copies/{hung}/part/1", called="big snake").status_code == 400
    desk.post(f"/copies/{hung}/part/1", called="Bone")
    assert names() == ["Big snake", "Bone"]
    assert "kind-1 Bone ★" in desk.table.client.get(f"/copies/{hung}/part/1").text
    desk.post(f"/copies/{hung}/part/0", called="")
    assert names() == ["special-kind-1-1", "Bone"]
    desk.keeper.answer_all(hung, {0: {"length_mm": 60.0}, 2: {"base": BASE, "thickness_mm": 3.0}})
    assert [(p["id"], "called" in p) for p in saved(desk, hung)["pieces"]] == [
        ("special-kind-1-1", False),
        ("Bone", False),
    ]


def test_a_stated_height_measures_the_outlines_anew(desk: Desk, hung: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The photos are read once more with it, and once more without it where it is taken back; answers stay."""
    given: list[dict[str, Any]] = []

    def read_photos(copy: Any, folder: Path, new: Path, looks: Any, said: Any, sizes: dict[str, Any]) -> bool:
        given.append(sizes)
        shutil.copytree(folder / "read", new)
        return True

    monkeypatch.setattr("webui.sight.copies.readings.read_photos", read_photos)

    def read() -> OwnCopy:
        until = time.monotonic() + 20
        while now(desk, hung).stage is CopyStage.READING and time.monotonic() < until:
            time.sleep(0.01)
        return now(desk, hung)

    base = {"p2-base-width": "50", "p2-base-height": "9", "p2-base-depth": "20", "p2-thickness": "3"}
    desk.post(f"/copies/{hung}/answers", **base)
    assert given == [], "no height was stated"
    desk.keeper.answer_all(hung, {2: {"height_mm": 80.0}})
    assert (read().stage, given) == (CopyStage.READ, [{"K1": {"height_mm": 80.0}}])
    assert now(desk, hung).parts[2].fields["base"]["width_mm"] == 50
    assert max(y for _, y in now(desk, hung).parts[2].fields["outline"]) == 80
    desk.keeper.answer_all(hung, {2: {"height_mm": 80.0}})
    assert len(given) == 1
    desk.keeper.undo(hung)
    assert (read().stage, given[1:]) == (CopyStage.READ, [{}])


def test_each_corner_that_is_asked_about_is_shown_by_itself(desk: Desk, key: str) -> None:
    """Beside its colour and number, as folded as opened: a piece of the card's picture round its outline."""
    desk.post(f"/copies/{key}/do", what="names", **{f"name-{n}": name for n, name in enumerate(NAMES)})
    page = desk.table.client.get(f"/copies/{key}").text
    spots = re.findall(r'<svg class="copy-spot" viewBox="([^"]*)"', page)
    assert [list(map(float, s.split())) for s in spots] == [[-2.0, -2.0, 24.0, 24.0]] * 2


def test_what_is_to_be_measured_is_not_asked_for_as_if_it_were_read(desk: Desk, hung: str) -> None:
    """Above rulers' fields stands what to do with them; without any, only whether what was read is right."""
    page = desk.table.client.get(f"/copies/{hung}").text
    assert "What does the ruler say?" in page
    assert page.count('class="copy-drawn"') == 2, "base and thickness have a drawing each"
    assert "Are these right?" not in page
