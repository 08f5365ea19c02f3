"""What is confirmed of a copy is seen before: corners large and upright, the board whole, and what was put right."""

from __future__ import annotations

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select

from tests.webui.browsing import MARKS, errors_in, fits, resize, until
from tests.webui.test_copy_editor import NAMES, REGION, boarded, hung, key
from tests.webui.test_owncopy import Desk, desk, site
from webui.commands.report import _offer
from webui.owncopy.words import upright_deg

__all__ = ["boarded", "desk", "hung", "key", "site"]

pytestmark = MARKS


def name_all(desk: Desk, key: str) -> None:
    desk.post(f"/copies/{key}/do", what="names", **{f"name-{n}": name for n, name in enumerate(NAMES)})


def test_a_corner_is_turned_by_the_head_of_its_number() -> None:
    """As it was read; else out over the edge that the corner is at."""
    card = (59.0, 92.0)
    assert upright_deg({"region": REGION, "head_deg": 137}, card) == -137
    assert upright_deg({"region": REGION, "head_deg": 0}, card) == 0
    sides = {(0, 40): 90, (50, 40): -90, (25, 0): 0, (25, 83): 180}
    for (x, y), turn in sides.items():
        region = [[x, y], [x + 9, y], [x + 9, y + 9], [x, y + 9]]
        assert upright_deg({"region": region, "head_deg": None}, card) == turn


def test_which_way_a_number_stands_outlasts_its_correction(desk: Desk, key: str) -> None:
    """Only colour and value are stated; its picture stays upright."""
    path = desk.folder / "copies" / key / "read" / "parts.json"
    data = json.loads(path.read_text())
    data["parts"][2]["fields"]["corners"][0]["head_deg"] = 90
    path.write_text(json.dumps(data))
    name_all(desk, key)
    assert 'transform="rotate(-90.0 10.0 10.0)"' in desk.table.client.get(f"/copies/{key}").text
    region = " ".join(f"{x},{y}" for x, y in REGION)
    corner = {"corner-0-color": "blue", "corner-0-value": "4", "corner-0-region": region}
    desk.post(f"/copies/{key}/answers", **{f"p2-{k}": v for k, v in corner.items()}, **{"p2-symbol": "die"})
    one = desk.keeper.copy(key)
    assert one is not None
    assert one.parts[2].fields["corners"] == [{"color": "blue", "value": 4, "region": REGION, "head_deg": 90}]


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_confirmed_is_seen(browser: WebDriver, site: str, desk: Desk, key: str, width: int) -> None:
    """Each corner is large beside its words; what was put right says so when it is closed, and can be left as read."""
    name_all(desk, key)
    resize(browser, width, 844)
    browser.get(f"{site}/copies/{key}#ask")
    spots = browser.find_elements(By.CSS_SELECTOR, ".copy-reads .copy-spot")
    assert [min(s.size["width"], s.size["height"]) >= 150 for s in spots] == [True]
    asked = browser.find_elements(By.CSS_SELECTOR, "details.copy-asked")[-1]
    assert "Corner A is read as\nblue 3" in asked.text
    fits(browser, "corners")
    asked.find_element(By.CLASS_NAME, "copy-mend").click()
    until(browser, lambda _: "Done, close it" in asked.text)
    value = asked.find_element(By.NAME, "p2-corner-0-value")
    value.clear()
    value.send_keys("4")
    fits(browser, "corners-open")
    asked.find_element(By.CLASS_NAME, "copy-shut").click()
    until(browser, lambda _: "Put right by you" in asked.text and "blue 3" not in asked.text)
    asked.find_element(By.CLASS_NAME, "copy-mend").click()
    Select(asked.find_element(By.NAME, "p2-corner-0-color")).select_by_visible_text("red")
    asked.find_element(By.CLASS_NAME, "copy-as-read").click()
    until(browser, lambda _: "blue 3" in asked.text and "Put right by you" not in asked.text)
    assert errors_in(browser) == []


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_board_is_seen_whole(
    browser: WebDriver, site: str, desk: Desk, boarded: str, width: int, beside: bool
) -> None:
    """As wide as the page, by itself as beside cards, larger by a tap; what its numbers are is told in words."""
    if beside:
        path = desk.folder / "copies" / boarded / "read" / "parts.json"
        data = json.loads(path.read_text())
        data["parts"][1]["asks"] = ["color"]
        data["parts"][4]["asks"] = ["size_mm"]
        path.write_text(json.dumps(data))
    resize(browser, width, 844)
    browser.get(f"{site}/copies/{boarded}#ask")
    board = browser.find_element(By.CSS_SELECTOR, "#ask .copy-board")
    usual = board.size["width"]
    assert usual >= 0.78 * min(width, 800)
    assert "the numbers in the picture are the referee's" in browser.find_element(By.ID, "ask").text.casefold()
    fits(browser, "board")
    browser.find_element(By.CSS_SELECTOR, "label[for=board-large]").click()
    until(browser, lambda _: board.size["width"] > 1.2 * usual)
    fits(browser, "board-large")
    assert errors_in(browser) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_measured_is_drawn_large(browser: WebDriver, site: str, desk: Desk, hung: str, width: int) -> None:
    """Base and thickness stand in a box of their own, beside no cactus; how many names are wanted is told."""
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    data = json.loads(path.read_text())
    data["parts"][2]["asks"] = ["height_mm", "base", "thickness_mm"]
    path.write_text(json.dumps(data))
    resize(browser, width, 844)
    browser.get(f"{site}/copies/{hung}")
    fits(browser, "ruler")
    boxes = {b.find_element(By.TAG_NAME, "h3").text: b for b in browser.find_elements(By.CSS_SELECTOR, ".copy-ruled")}
    assert "The base, and the thickness" in boxes
    assert "the base in which" not in boxes["Cactus 1"].text
    drawn = browser.find_elements(By.CSS_SELECTOR, ".copy-ruled .copy-looks > *")
    assert len(drawn) == 5
    assert all(min(d.size["width"], d.size["height"]) >= 200 for d in drawn)
    assert errors_in(browser) == []


def test_the_names_that_are_wanted_are_counted(desk: Desk, hung: str) -> None:
    """As many as there are boxes; special pieces, each with its colour, need none."""
    path = desk.folder / "copies" / hung / "read" / "parts.json"
    kinds = [{"sort": "colors", "key": "kind-1", "part": 0}]
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kinds": kinds}))
    page = desk.table.client.get(f"/copies/{hung}").text
    assert "1 to be named, 2 more if you like" in page
    assert page.count('<span class="small">red</span>') == 2


def test_a_copy_is_told_with_its_game(
    desk: Desk, key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it may go into a report, and where a match is begun: people call their copies anything."""
    monkeypatch.setattr("webui.commands.report.copies_folder", lambda: desk.folder / "copies")
    _offer([])
    assert f"your copy {key} of CONEX is left out" in capsys.readouterr().err
    assert f"your copy “CONEX: {desk.keeper.copies()[0].name}”" in desk.table.client.get("/report").text
    assert "</strong> (Rox)" in desk.table.client.get("/matches/new").text
