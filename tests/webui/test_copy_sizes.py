"""A size that can hardly be is asked again, with what is usual: centimetres for millimetres, and what is no size."""

from __future__ import annotations

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from scoring.usual_sizes import BASE, BOARD, CACTUS, CARD, PIECE, THICKNESS, Usual
from tests.webui.browsing import MARKS, until
from tests.webui.test_copy_editor import boarded, hung, key, now
from tests.webui.test_owncopy import Desk, desk, site
from webui.owncopy.sizes import SIZES

__all__ = ["boarded", "desk", "hung", "key", "site"]


@pytest.mark.parametrize("usual", [CARD, BOARD, PIECE, CACTUS, *BASE.values()])
def test_centimetres_of_what_is_usual_are_no_millimetres(usual: Usual) -> None:
    """Nor is what is no number; what is half or twice as large as usual may be."""
    assert usual in [u for _, u in SIZES.values()]
    for wrong in (usual.mm / 10, usual.mm * 10, 0.0, -usual.mm, float("nan"), float("inf")):
        assert not usual.holds(wrong)
    for right in (usual.mm / 2, usual.mm, usual.mm * 2):
        assert usual.holds(right)
    assert THICKNESS.holds(0.4), "of paper"


@pytest.mark.parametrize("said", ["4", "3,8", "0", "-40", "nan", "inf", "1e3", "４", "", "forty"])
def test_a_length_that_can_hardly_be_is_told_with_what_is_usual(desk: Desk, hung: str, said: str) -> None:
    """Nothing of the form is kept; the page is there again, and names the field."""
    base = {"p2-base-width": "50", "p2-base-height": "9", "p2-base-depth": "20", "p2-thickness": "3"}
    answer = desk.post(f"/copies/{hung}/answers", **base, **{"p0-length": said})
    assert (answer.status_code, answer.location) == (303, f"/copies/{hung}#ask")
    assert len(now(desk, hung).open) == 2
    page = desk.table.client.get(f"/copies/{hung}").text
    assert f"Length of the piece: “{said}” can hardly be in millimetres. About 40 mm are usual" in page


def test_a_height_in_centimetres_is_not_taken(desk: Desk, hung: str) -> None:
    """Neither of a new copy, nor put right later; the form of a new one is there again."""
    answer = desk.post("/copies", name="Mine", game="cactus", cactus="8.5")
    assert answer.status_code == 400
    assert "Tallest cactus over its base: “8.5” can hardly be" in answer.text
    assert 'value="8.5"' in answer.text
    desk.post(f"/copies/{hung}/do", what="measure", cactus="15")
    assert now(desk, hung).cactus_mm is None
    german = desk.table.client.get(f"/copies/{hung}", headers={"Accept-Language": "de"}).text
    assert "Tallest cactus over its base: “15” can hardly be" in german, "said when it was sent"


def test_a_board_that_can_hardly_be_leads_back_to_its_editor(desk: Desk, boarded: str) -> None:
    """Where it was typed."""
    answer = desk.post(f"/copies/{boarded}/part/4", size="10.5", stars="swapped")
    assert answer.location == f"/copies/{boarded}/part/4"
    assert "Side of the board: “10.5” can hardly be" in desk.table.client.get(answer.location).text
    assert json.loads((desk.folder / "copies" / boarded / "copy.json").read_text())["answers"] == []


@MARKS[0]
@MARKS[1]
def test_a_slip_is_told_before_it_is_sent(browser: WebDriver, site: str, desk: Desk, hung: str) -> None:
    """So that nothing else is lost; what is left out need not be measured."""
    browser.get(f"{site}/copies/{hung}")
    field = browser.find_element(By.NAME, "p0-length")
    send = browser.find_element(By.ID, "right")
    field.send_keys("4")
    for name in ("base-width", "base-height", "base-depth", "thickness"):
        browser.find_element(By.NAME, f"p2-{name}").send_keys({"base-height": "9", "thickness": "3"}.get(name, "30"))
    send.click()
    assert "“4” can hardly be" in str(field.get_property("validationMessage"))
    assert len(now(desk, hung).open) == 2
    field.clear()
    browser.find_element(By.NAME, "p0-out").click()
    assert not field.is_enabled()
    send.click()
    until(browser, lambda _: not now(desk, hung).open)
    assert now(desk, hung).parts[0].out
    assert now(desk, hung).parts[2].fields["base"]["width_mm"] == 30
