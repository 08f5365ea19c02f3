"""Cactus in a real browser: turns by keyboard on a phone's and a laptop's screen, corrections, and the lesson."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from tests.webui.browsing import MARKS, fits, heading, press, resize, until
from tests.webui.cactus_fakes import CactusEye, Hanging, NoArt, draw_cacti, load_cactus
from tests.webui.turn_site import Site, sit_down, site_of

pytestmark = MARKS


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site[Hanging]]:
    """A table with bare cacti."""
    with site_of(tmp_path, CactusEye(), load_cactus(), NoArt(), Hanging(), draw_cacti) as made:
        yield made


def begin(browser: WebDriver, site: Site[Hanging]) -> None:
    """Fill in the form of a new match, and begin with the cacti as they stand."""
    sit_down(browser, site, {"2": "Max", "1": "Nele"}, "All cacti are found.")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_turns_are_played_by_keyboard(browser: WebDriver, site: Site[Hanging], width: int, height: int) -> None:
    """From the form over two turns without a mouse; nothing is wider than the screen on the way."""
    resize(browser, width, height)
    begin(browser, site)
    fits(browser, "cactus-layout")
    press(browser, "s")
    heading(browser, "Nele's turn")
    fits(browser, "cactus-first")
    screen, job = (browser.find_element(By.CSS_SELECTOR, css).rect for css in ("#screen", "#stage .turn h2"))
    assert screen["y"] + screen["height"] < height, "the camera's picture is on the first screen"
    assert job["y"] < height, "and so is what is to be done"
    site.pieces.hang("hook-red", "K1")
    site.show()
    heading(browser, "Hung on Cactus 1")
    fits(browser, "cactus-pass")
    press(browser, "p")
    heading(browser, "Roll the die. What does it show?")
    until(browser, lambda d: "Max's turn" in d.find_element(By.ID, "announce").get_property("textContent"))
    fits(browser, "cactus-roll")
    press(browser, "1")
    heading(browser, "Take a basic piece in red")
    fits(browser, "cactus-take")
    site.pieces.hang("moon-red", "K2")
    site.pieces.touch("base", "moon-red", gap=0.0)
    site.show()
    heading(browser, "It touches the base")
    fits(browser, "cactus-fix")
    assert browser.find_elements(By.CSS_SELECTOR, "#plan .touch.touching .ring")
    press(browser, "n")
    until(browser, lambda d: d.find_elements(By.ID, "pass"))
    press(browser, "h")
    heading(browser, "pays 1 flower")
    press(browser, "u")
    until(browser, lambda d: site.match.turn is not None and site.match.turn.touches == 0)
    fits(browser, "cactus-undone")


def test_turn_without_a_camera_is_tapped(browser: WebDriver, site: Site[Hanging]) -> None:
    """The piece and then its cactus, in a dialog over the match; what is told is drawn."""
    resize(browser, 390, 844)
    begin(browser, site)
    press(browser, "h")
    heading(browser, "Nele's turn")
    until(browser, lambda d: not d.find_element(By.ID, "stage").get_attribute("aria-busy"))
    top = browser.execute_script("return document.querySelector('#stage .turn h2').getBoundingClientRect().top")
    bar = browser.execute_script("return document.getElementById('statebar').getBoundingClientRect().bottom")
    assert bar <= top < 400, "what stands there now is seen from its beginning"
    browser.find_element(By.ID, "hang-hook-blue").click()
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, "dialog[open] .cactuschoice button")) == 5)
    browser.find_elements(By.CSS_SELECTOR, "dialog[open] .cactuschoice button")[2].click()
    heading(browser, "Hung on Cactus 3")
    assert not browser.find_elements(By.CSS_SELECTOR, "dialog[open]")
    fits(browser, "cactus-by-hand")
    press(browser, "p")
    heading(browser, "Max's turn")


def test_wrong_name_is_corrected_in_two_taps(browser: WebDriver, site: Site[Hanging]) -> None:
    """A tap opens all pieces of the set over the match, a tap on the right one closes it."""
    resize(browser, 1366, 768)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    site.pieces.hang("hook-red", "K1")
    site.show()
    heading(browser, "Hung on Cactus 1")
    until(browser, lambda d: not d.find_element(By.ID, "stage").get_attribute("aria-busy"))
    browser.find_element(By.ID, "fix-piece").click()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, "dialog[open] button[value='bolt-pink']"))
    browser.find_element(By.CSS_SELECTOR, "dialog[open] button[value='bolt-pink']").click()
    heading(browser, "Taken: pink bolt")


def test_lesson_is_done_with_a_piece_in_the_hand(browser: WebDriver, site: Site[Hanging]) -> None:
    """The piece is dragged by mouse and moved by keys; what it touches is told at once."""
    resize(browser, 1366, 768)
    browser.get(f"{site.url}/help/cactus/lesson?step=3")
    said = browser.find_element(By.ID, "trial-said")
    stage, piece = browser.find_element(By.ID, "trial"), browser.find_element(By.ID, "trial-piece")
    dx, dy = browser.execute_script(
        "const p = document.getElementById('trial-hung'), m = p.getScreenCTM(), q = p.points[0].matrixTransform(m),"
        " own = document.getElementById('trial-outline'), a = own.points[0].matrixTransform(own.getScreenCTM());"
        " return [q.x - a.x, q.y - a.y]"
    )
    webdriver.ActionChains(browser).drag_and_drop_by_offset(piece, round(dx), round(dy)).perform()
    until(browser, lambda d: "They touch, and have one colour" in said.text)
    assert "main" not in browser.find_element(By.ID, "next").get_attribute("class")
    assert browser.find_elements(By.CSS_SELECTOR, "#trial-mark.touching:not([hidden])")
    fits(browser, "cactus-lesson")
    for _ in range(60):
        if "Well hung!" in said.text:
            break
        stage.send_keys(Keys.ARROW_DOWN)
    assert "Well hung!" in said.text
    assert "main" in browser.find_element(By.ID, "next").get_attribute("class")
    for _ in range(40):
        stage.send_keys(Keys.ARROW_RIGHT)
    assert "No arm and no head carries it yet" in said.text
    assert "Next" in browser.find_element(By.ID, "next").text
    # In front of the trunk, below every arm and head: nothing bears it, though the outlines cross.
    away = browser.execute_script(
        "const b = [...document.getElementById('trial-body').points], own = document.getElementById('trial-piece'),"
        " t = own.transform.baseVal.consolidate().matrix; return [0 - t.e, Math.max(...b.map(p => p.y)) - 22 - t.f]"
    )
    for share, key in zip(away, ((Keys.ARROW_LEFT, Keys.ARROW_RIGHT), (Keys.ARROW_UP, Keys.ARROW_DOWN)), strict=True):
        for _ in range(round(abs(share) / 2)):
            stage.send_keys(key[share > 0])
    assert "No arm and no head carries it yet" in said.text
    stage.send_keys("r")
    assert "rotate(15)" in piece.get_attribute("transform")
    browser.find_element(By.ID, "next").click()
    until(browser, lambda d: "Do you earn flowers?" in d.find_element(By.TAG_NAME, "main").text)
