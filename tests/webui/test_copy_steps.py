"""A copy is learned in steps: one is open, the others are folded away, and loading the page again loses nothing."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import cast

import cv2
import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from tests.webui.browsing import MARKS, errors_in, fits, resize, serving, until
from tests.webui.conftest import Table
from webui import create_app
from webui.owncopy.copying import Copyist
from webui.owncopy.own_copy import CopyPart, CopyStage, Count, Kind, OwnCopy
from webui.owncopy.words import beside

ELEMENTS = ("fire", "water", "earth", "air", "magic")
KINDS = tuple(Kind(n, "elements", f"kind-{n}", name) for n, name in enumerate(ELEMENTS))


def _card(n: int, *asks: str) -> CopyPart:
    fields = {"id": f"R{n:02d}", "center": "fire", "edge": {"fire": 5, "water": 3}}
    return CopyPart(n, f"R{n:02d}", "faces", fields, asks)


READ = OwnCopy(
    "ours",
    "Ours",
    "rox",
    CopyStage.READ,
    photos=("00.jpg",),
    parts=tuple(_card(n, "edge") for n in range(3)),
    kinds=KINDS,
    counts=(Count("faces", 3, 60),),
    reading="one",
)
UNNAMED = dataclasses.replace(
    READ, kinds=tuple(dataclasses.replace(k, name="") for k in KINDS), suggested={"elements": ELEMENTS}
)
ANSWERED = dataclasses.replace(READ, parts=tuple(_card(n) for n in range(3)))


class _Shown:
    """A copy as it is given."""

    def __init__(self, one: OwnCopy) -> None:
        self.one = one

    def copies(self) -> tuple[OwnCopy, ...]:
        return (self.one,)

    def copy(self, key: str) -> OwnCopy | None:
        return self.one

    def picture(self, key: str, what: str, number: int) -> bytes | None:
        return cv2.imencode(".jpg", np.full((92, 59, 3), 90, np.uint8))[1].tobytes()


def show(table: Table, one: OwnCopy) -> str:
    """The page of a copy."""
    copyist = cast(Copyist, _Shown(one))
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], copyist=copyist))
    return str(table.client.get("/copies/ours").text)


@pytest.mark.parametrize(
    ("one", "step", "number", "later"),
    [
        (dataclasses.replace(READ, stage=CopyStage.EMPTY, photos=(), parts=(), kinds=()), "photos", 1, 3),
        (dataclasses.replace(READ, stage=CopyStage.READING), "photos", 1, 3),
        (dataclasses.replace(READ, stage=CopyStage.UNREAD), "photos", 1, 1),
        (dataclasses.replace(READ, stage=CopyStage.READING, parts=(), measuring=True), "questions", 3, 1),
        (UNNAMED, "names", 2, 1),
        (READ, "questions", 3, 0),
        (ANSWERED, "save", 4, 0),
    ],
)
def test_what_is_next_is_open_and_nothing_else(table: Table, one: OwnCopy, step: str, number: int, later: int) -> None:
    """The first step that is not done is open; what cannot be done yet is only named."""
    page = show(table, one)
    assert re.findall(r'<details class="panel copy-step[^>]*id="step-(\w+)"[^>]* open>', page) == [step]
    assert f"Step {number} of 4" in page
    assert page.count("comes later") == later


def test_measuring_anew_stays_where_it_was_asked_for(table: Table) -> None:
    """How far it is, is told once, in the step of the questions."""
    page = show(table, dataclasses.replace(READ, game="cactus", stage=CopyStage.READING, parts=(), measuring=True))
    assert page.count('id="copy-sentence"') == 1
    assert page.index('id="step-questions"') < page.index('id="copy-sentence"')
    assert "being measured" in page


@pytest.mark.parametrize(("game", "drawings"), [("rox", 3), ("conex", 3), ("cactus", 3)])
def test_what_to_lay_is_shown_before_photos_are_taken(table: Table, game: str, drawings: int) -> None:
    """In drawings of each game; a copy of Cactus warns of a table without paper, also before it is begun."""
    page = show(table, dataclasses.replace(READ, game=game, stage=CopyStage.EMPTY, photos=(), parts=(), kinds=()))
    assert page.count("<figure") == drawings
    assert ("measured worse" in page) == (game == "cactus")
    assert "measured worse" in table.client.get("/copies").text


def test_the_board_has_its_photo_shown(table: Table) -> None:
    """Beside the photos of the cards; another one is known to take its place."""
    page = show(table, dataclasses.replace(READ, game="conex", board=True))
    assert 'src="/copies/ours/board/0.jpg"' in page
    assert "Another photo of the board" in page
    assert table.client.get("/copies/ours/board/0.jpg").headers["Cache-Control"] == "no-cache"


def test_a_saved_copy_has_no_step_left(table: Table) -> None:
    """All steps are done, and the last one, which leads to the table, is open."""
    page = show(table, dataclasses.replace(ANSWERED, saved=True))
    assert "All 4 steps are done" in page
    assert re.search(r'id="step-save"[^>]* open>', page)


def test_what_was_read_is_told_in_words_and_only_opened_to_be_put_right(table: Table) -> None:
    """Three questions are three rows; one of which a value is missing stands open."""
    page = show(table, READ)
    assert page.count('<details class="copy-asked">') == 3
    assert "5 fire" in " ".join(re.sub(r"<[^>]*>", "", page).split())
    parts = (*READ.parts[:2], dataclasses.replace(READ.parts[2], fields={"id": "R02", "center": "fire", "edge": {}}))
    assert show(table, dataclasses.replace(READ, parts=parts)).count('<details class="copy-asked" open>') == 1


@pytest.mark.parametrize(
    ("region", "at"),
    [
        ([(0, 30), (12, 40), (0, 50)], (-5.0, 40.0)),
        ([(59, 30), (47, 40), (59, 50)], (64.0, 40.0)),
        ([(20, 0), (30, 12), (40, 0)], (30.0, -5.0)),
        ([(20, 92), (30, 80), (40, 92)], (30.0, 97.0)),
    ],
)
def test_letter_of_a_corner_stands_beside_the_card(region: list[tuple[float, float]], at: tuple[float, float]) -> None:
    """Over the edge that the corner is at, so that it covers nothing of the card."""
    x, y = beside(region, (59.0, 92.0))
    assert (x, y - 2.0) == pytest.approx(at)


@pytest.fixture
def site(table: Table) -> Iterator[str]:
    """The running page of a copy with three questions."""
    show(table, READ)
    with serving(table.app) as url:
        yield url


@MARKS[0]
@MARKS[1]
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_nothing_is_lost_when_the_page_is_loaded_again(browser: WebDriver, site: str, width: int, height: int) -> None:
    """What was written and not sent stays, and so does the step that was opened; a link opens what is folded."""
    resize(browser, width, height)
    browser.get(f"{site}/copies/ours")
    fits(browser, f"copy-steps-{width}")
    browser.find_element(By.CSS_SELECTOR, ".copy-asked summary").click()
    field = browser.find_element(By.NAME, "p0-edge-1")
    until(browser, lambda d: field.is_displayed())
    field.clear()
    field.send_keys("7")
    browser.refresh()
    until(browser, lambda d: d.find_element(By.NAME, "p0-edge-1").get_attribute("value") == "7")
    browser.find_element(By.CSS_SELECTOR, "#found > summary").click()
    until(browser, lambda d: not d.find_element(By.ID, "ask").is_displayed())
    browser.refresh()
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, "#found .copy-group").is_displayed())
    assert not browser.find_element(By.ID, "ask").is_displayed()
    browser.get(f"{site}/copies/ours?#part-1")
    until(browser, lambda d: d.find_element(By.ID, "part-1").is_displayed())
    assert errors_in(browser) == []
