"""CONEX in a real browser: a game by keyboard on a phone's and a laptop's screen, outlines, dialogs, the border."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from scoring.verdicts import Call
from tests.webui.browsing import MARKS, fits, heading, press, resize, until
from tests.webui.conex_fakes import DECK, ConexEye, Layout, _spoiled, draw_conex, load_conex
from tests.webui.turn_site import Site, sit_down, site_of
from webui.sight.decks.art import DeckArt

pytestmark = MARKS


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site[Layout]]:
    """A table with the board and all pawns."""
    deck = load_conex()
    with site_of(tmp_path, ConexEye(), deck, DeckArt(DECK, deck), Layout(), draw_conex) as made:
        yield made


def begin(browser: WebDriver, site: Site[Layout]) -> None:
    """Fill in the form of a new match, and begin with the table as it lies."""
    sit_down(browser, site, {"north": "Felix", "west": "Max", "south": "Nele"}, "The board is found.")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_game_is_played_by_keyboard(browser: WebDriver, site: Site[Layout], width: int, height: int) -> None:
    """From the form to the end without a mouse; nothing is wider than the screen on the way."""
    resize(browser, width, height)
    begin(browser, site)
    fits(browser, "conex-layout")
    press(browser, "s")
    heading(browser, "Nele's turn")
    fits(browser, "conex-turn")
    site.pieces.lay("C01")
    site.show()
    heading(browser, "Allowed")
    until(browser, lambda d: "Allowed" in d.find_element(By.ID, "announce").get_property("textContent"))
    fits(browser, "conex-legal")
    press(browser, "a")
    heading(browser, "Max's turn")
    press(browser, "d")
    heading(browser, "Felix's turn")
    die = next(f for f, known in load_conex().faces.items() if known.symbol == "die" and site.pieces.places(f))
    site.pieces.lay(die)
    site.show()
    heading(browser, "Allowed")
    press(browser, "a")
    heading(browser, "Felix rolls the die")
    fits(browser, "conex-die")
    press(browser, "4")
    heading(browser, "Nele's turn")
    until(browser, lambda d: "Felix" in d.find_element(By.CSS_SELECTOR, ".facts").text)
    face, pose, ground = _spoiled(site.pieces.table, Call.VIOLATION, frozenset({"conex.single-contact"}))
    site.pieces.put(face, pose, ground)
    site.show()
    heading(browser, "Not allowed")
    fits(browser, "conex-violation")
    place = browser.find_elements(By.CSS_SELECTOR, "#plan .place.violation")
    assert place
    assert "✕ −" in place[0].get_property("textContent")
    press(browser, "y")
    heading(browser, "the players say so")
    press(browser, "u")
    until(
        browser, lambda d: site.match.turn is not None and site.match.turn.laid and not site.match.turn.laid.overruled
    )
    fits(browser, "conex-undone")


def test_places_are_marked_in_the_picture(browser: WebDriver, site: Site[Layout]) -> None:
    """Outline and measure of what is not allowed lie over the live picture; they go while hands move."""
    resize(browser, 1366, 768)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    site.pieces.lay("C01")
    face, pose, ground = _spoiled(site.pieces.table, Call.VIOLATION, frozenset({"conex.single-contact"}))
    site.show()
    heading(browser, "Allowed")
    press(browser, "a")
    heading(browser, "Max's turn")
    site.pieces.put(face, pose, ground)
    site.show()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, "#overlay .place.violation text"))
    label = browser.find_element(By.CSS_SELECTOR, "#overlay .place.violation text").get_property("textContent")
    assert label.startswith("✕ −")
    assert label.endswith(" mm")
    assert browser.find_elements(By.CSS_SELECTOR, "#overlay .last")
    assert browser.find_elements(By.CSS_SELECTOR, "#overlay .area")
    site.show(moving=True)
    until(browser, lambda d: not d.find_elements(By.CSS_SELECTOR, "#overlay g"))
    assert browser.find_elements(By.CSS_SELECTOR, "#plan .place.violation"), "the judged plan stays"


def test_corner_is_put_right_in_two_taps(browser: WebDriver, site: Site[Layout]) -> None:
    """A tap opens the choice over the match, a tap on the right corner closes it, and the ruling is new."""
    resize(browser, 390, 844)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    site.pieces.lay("C01")
    site.show()
    heading(browser, "Allowed")
    until(browser, lambda d: not d.find_element(By.ID, "stage").get_attribute("aria-busy"))
    fix = browser.find_element(By.ID, "fix-ground")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", fix)
    fix.click()
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, "dialog[open] h1").text == "Which corner lies on what?")
    fits(browser, "conex-ground")
    other = next(
        b
        for b in browser.find_elements(By.CSS_SELECTOR, "dialog .pick[name=corner]")
        if not b.get_attribute("aria-pressed")
    )
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", other)
    other.click()
    until(browser, lambda d: not d.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    until(browser, lambda d: "the correction" in d.find_element(By.ID, "undo").text)


def test_border_is_dragged_over_the_picture(browser: WebDriver, site: Site[Layout]) -> None:
    """A corner follows the pointer or the arrow keys, and what is agreed lies over the live picture."""
    resize(browser, 1366, 768)
    begin(browser, site)
    browser.find_element(By.CSS_SELECTOR, ".tools a").click()
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, ".handle")) == 4)
    browser.find_element(By.ID, "more-corners").click()
    handles = browser.find_elements(By.CSS_SELECTOR, ".handle")
    assert len(handles) == 5
    field = browser.find_element(By.ID, "area")
    before = field.get_property("value").split()
    webdriver.ActionChains(browser).drag_and_drop_by_offset(handles[0], 60, 40).perform()
    after = field.get_property("value").split()
    assert after[1:] == before[1:]
    (x0, y0), (x1, y1) = (tuple(float(v) for v in p[0].split(",")) for p in (before, after))
    assert x1 - x0 > 40
    assert y1 - y0 > 25
    browser.execute_script("document.querySelectorAll('.handle')[2].focus()")
    webdriver.ActionChains(browser).send_keys(Keys.ARROW_LEFT).perform()
    assert float(field.get_property("value").split()[2].split(",")[0]) < float(after[2].split(",")[0])
    fits(browser, "conex-area")
    browser.find_element(By.ID, "agree").click()
    heading(browser, "Lay out the table")
    assert len(site.runner._desk.area()) == 5


def test_coach_fits_the_screen(browser: WebDriver, site: Site[Layout]) -> None:
    """On a phone the coach shows the card, its places to scale and the list, all within the screen."""
    resize(browser, 390, 844)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    browser.find_element(By.ID, "coach").click()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, ".deckgrid a"))
    fits(browser, "conex-coach-choice")
    browser.find_elements(By.CSS_SELECTOR, ".deckgrid a")[0].click()
    until(browser, lambda d: d.find_elements(By.CSS_SELECTOR, ".spots li"))
    points = [int(e.text) for e in browser.find_elements(By.CSS_SELECTOR, ".spots .points")]
    assert points == sorted(points, reverse=True)
    assert len(browser.find_elements(By.CSS_SELECTOR, ".spot .badge")) == len(points)
    fits(browser, "conex-coach")


def test_settings_stay_open(browser: WebDriver, site: Site[Layout]) -> None:
    """Hands, pile and stars are set one after the other; each says that it was."""
    resize(browser, 1366, 768)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    browser.find_element(By.LINK_TEXT, "Cards and stars differ?").click()
    for field, value in (("pile", "20"), ("hand-west", "2")):
        until(browser, lambda d, field=field: d.find_element(By.CSS_SELECTOR, f"dialog[open] #{field}"))
        box = browser.find_element(By.CSS_SELECTOR, f"dialog[open] #{field}")
        box.clear()
        box.send_keys(value)
        box.send_keys(Keys.ENTER)
        until(browser, lambda d, field=field: d.find_element(By.CSS_SELECTOR, f"dialog[open] form.done #{field}"))
    until(browser, lambda d: (site.match.pile, site.match.player("west").cards) == (20, 2))


@pytest.mark.parametrize("call", [Call.LEGAL, Call.VIOLATION, Call.UNCERTAIN])
def test_what_to_tap_is_seen_without_scrolling(browser: WebDriver, site: Site[Layout], call: Call) -> None:
    """On a laptop's low screen every button of a verdict lies within the window."""
    resize(browser, 1366, 768)
    begin(browser, site)
    press(browser, "s")
    heading(browser, "Nele's turn")
    site.pieces.lay("C01")
    site.show()
    heading(browser, "Allowed")
    if call is not Call.LEGAL:
        press(browser, "a")
        heading(browser, "Max's turn")
        site.pieces.put(*_spoiled(site.pieces.table, call, frozenset({"conex.single-contact"})))
        site.show()
        heading(browser, "Not allowed" if call is Call.VIOLATION else "Please look")
    buttons = browser.execute_script(
        "return [...document.querySelectorAll('#stage .actions button')].map(b => b.getBoundingClientRect().bottom)"
    )
    assert buttons
    assert max(buttons) <= 768
    fits(browser, f"conex-told-{call}")
    pictures = browser.execute_script(
        "return [...document.querySelectorAll('#screen, .plan, #stage .magnified')]"
        ".map(p => p.getBoundingClientRect()).map(b => [b.width, b.bottom])"
    )
    assert len(pictures) == (3 if call is Call.UNCERTAIN else 2)
    assert min(width for width, _ in pictures) >= 400, "large enough to be looked at"
    assert max(bottom for _, bottom in pictures) <= 768
