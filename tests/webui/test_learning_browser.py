"""Learning the camera and reporting a fault in a real browser."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver

from tests.webui.browsing import MARKS, errors_in, fits, resize, serving, until
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from tests.webui.test_learning import FakeTeacher
from webui import create_app
from webui.camera.learning import Known, Lesson, Stage

pytestmark = MARKS


@dataclass(frozen=True, slots=True)
class Site:
    """A running page whose camera can be learned."""

    url: str
    teacher: FakeTeacher


@pytest.fixture
def site(table: Table, three_rows: FakeFrame) -> Iterator[Site]:
    """The page of a table with cards before its camera."""
    table.runner.see(three_rows)
    fake = FakeTeacher()
    app = create_app(dataclasses.replace(table.app.extensions["referee"], teacher=fake))
    with serving(app) as url:
        yield Site(url, fake)


def said(browser: WebDriver) -> str:
    return browser.find_element(By.ID, "learn").text


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768)])
def test_the_target_is_learned_with_one_tap(browser: WebDriver, site: Site, width: int, height: int) -> None:
    """The views are counted while they come, the next step is told, and at the end the page knows the camera."""
    resize(browser, width, height)
    browser.get(f"{site.url}/camera")
    assert "nothing is needed" in said(browser)
    fits(browser, f"camera-{width}")
    browser.find_element(By.CSS_SELECTOR, "button[value=target]").click()
    until(browser, lambda d: "3 of 10 good views" in said(d))
    site.teacher.lesson = Lesson(Stage.SHOW, 7, 10, found=False)
    until(browser, lambda d: "7 of 10 good views" in said(d) and "not seen now" in said(d))
    site.teacher.lesson = Lesson(Stage.LAY, 10, 10, found=True)
    until(browser, lambda d: "lay the target flat on the table" in said(d))
    fits(browser, f"lesson-{width}")
    spots = tuple((40.0 * n, 30.0 * n, 0.4, -0.3) for n in range(20))
    site.teacher.of = Known("Desk", "good", 0.24, "2026-01-02T20:15:00+01:00", (960, 540), True, spots)
    site.teacher.lesson = Lesson(Stage.DONE, 10, 10)
    until(browser, lambda d: "Learned and kept" in said(d) and "Desk" in said(d))
    browser.find_element(By.CSS_SELECTOR, "#learn summary").click()
    assert len(browser.find_elements(By.CSS_SELECTOR, "#learn svg line")) == 20
    fits(browser, f"known-{width}")
    assert site.teacher.asked == ["target"]
    assert errors_in(browser) == []


def test_setting_up_goes_step_by_step(browser: WebDriver, site: Site) -> None:
    """From the camera to the last step: skip, learn, drag, tap; all fits, and what was done is kept."""
    browser.get(f"{site.url}/camera")
    browser.find_element(By.CSS_SELECTOR, "a[href$='/camera/guide']").click()
    heading = "return document.querySelector('h1').textContent"

    def at(title: str) -> None:
        until(browser, lambda d: d.execute_script(heading) == title)
        for width, height in ((1366, 768), (390, 844)):
            resize(browser, width, height)
            fits(browser, f"guide-{title.replace(' ', '-').strip('?')}")

    at("The lens")
    browser.find_element(By.CSS_SELECTOR, "button[value=table]").click()
    until(browser, lambda d: "3 of 10 good views" in said(d))
    site.teacher.of = Known("Desk", "good", 0.24, "", (1456, 819), False)
    site.teacher.lesson = Lesson(Stage.DONE, 2, what="table")
    until(browser, lambda d: "Off by 0.2 pixels" in said(d))
    browser.find_element(By.ID, "on").click()
    at("The table and its scale")
    browser.find_element(By.ID, "on").click()
    at("Who sits where?")
    browser.find_element(By.ID, "player-south").send_keys("Anna")
    browser.find_element(By.ID, "sit").click()
    at("Playing area")
    handle = browser.find_element(By.CSS_SELECTOR, ".handle[data-index='0']")
    ActionChains(browser).drag_and_drop_by_offset(handle, 30, 20).perform()
    browser.find_element(By.ID, "agree").click()
    at("Light and colours")
    picture = browser.find_element(By.CSS_SELECTOR, "[data-point]")
    ActionChains(browser).move_to_element_with_offset(picture, 20, -30).click().perform()
    until(browser, lambda d: "red 230" in said(d))
    browser.find_element(By.ID, "on").click()
    at("That is all")
    assert "Anna" in said(browser)
    place = site.teacher.here
    assert place.seats == {"south": "Anna"}
    assert place.area_size is not None
    assert place.area[0] != place.area[1]
    assert place.area[0][0] > 0.05 * place.area_size[0]
    assert site.teacher.asked[0] == "table"


def test_a_report_is_looked_through_before_it_is_saved(browser: WebDriver, site: Site) -> None:
    """Reached from every page; each part has its size and can be left out."""
    resize(browser, 360, 740)
    browser.get(f"{site.url}/camera")
    browser.find_element(By.LINK_TEXT, "Report a fault").click()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, "input[name=file]"))
    fits(browser, "report")
    names = [box.get_attribute("value") for box in browser.find_elements(By.CSS_SELECTOR, "input[name=file]")]
    assert "versions.json" in names
    assert all(box.is_selected() for box in browser.find_elements(By.CSS_SELECTOR, "input[name=file]"))
    assert errors_in(browser) == []
