"""The page in a real browser: a round played by keyboard, at a phone's and a laptop's width."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from werkzeug.serving import BaseWSGIServer, make_server

from scoring.deck import RoxDeck
from tests.webui.browsing import MARKS, fits, heading, press, resize, until
from tests.webui.conftest import Art
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource
from webui import create_app
from webui.log.store import Store
from webui.security import Door
from webui.services import Services
from webui.table.runner import Runner

pytestmark = MARKS


@dataclass
class Site:
    """A server with its table."""

    url: str
    store: Store
    runner: Runner
    source: FakeSource
    server: BaseWSGIServer


def serve(store: Store, deck: RoxDeck, source: FakeSource, port: int = 0) -> Site:
    """A running page."""
    runner = Runner(store, FakeEye(), deck, source)
    runner.resume()
    runner.start()
    services = Services(store, runner, Art(deck), Door(store.secret()), [], f"program-{os.urandom(3).hex()}")
    server = make_server("127.0.0.1", port, create_app(services), threaded=True)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return Site(f"http://127.0.0.1:{server.port}", store, runner, source, server)


@pytest.fixture
def site(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> Iterator[Site]:
    """A table at which nothing lies yet that counts."""
    store = Store(f"sqlite:///{tmp_path / 'site.sqlite'}")
    made = serve(store, deck, FakeSource(replace(three_rows, moving=True)))
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.runner.stop()
    store.close()


def stage_name(browser: WebDriver) -> str:
    return browser.find_element(By.CSS_SELECTOR, "#stage h2").text.split(":")[0].replace(" ", "-")


def begin(browser: WebDriver, site: Site) -> None:
    """Fill in the form of a new match by keyboard alone, and submit it with Enter."""
    browser.get(f"{site.url}/matches/new")
    for side, name in (("north", "Clara"), ("west", "Ben"), ("south", "Anna")):
        browser.find_element(By.ID, f"player-{side}").send_keys(name)
    browser.find_element(By.ID, "player-south").send_keys(Keys.ENTER)
    heading(browser, "Round 1: the scoring cards")


@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768)])
def test_round_is_played_by_keyboard(
    browser: WebDriver, site: Site, three_rows: FakeFrame, width: int, height: int
) -> None:
    """From the form to the standing without a mouse; nothing is wider than the screen on the way."""
    resize(browser, width, height)
    begin(browser, site)

    fits(browser, stage_name(browser))
    for number, value in enumerate(("10", "9")):
        browser.find_element(By.ID, f"value-{number}").send_keys(value)
    press(browser, Keys.ENTER)
    heading(browser, "The race is on!")
    fits(browser, stage_name(browser))
    assert "valid" not in browser.find_element(By.ID, "stage").text
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, "#statebar strong").text == "Moving")
    press(browser, "1")
    heading(browser, "Anna calls")
    fits(browser, stage_name(browser))
    top, scrolled = browser.execute_script(
        "return [document.getElementById('stage').getBoundingClientRect().top, scrollY]"
    )
    assert 0 <= top < 0.8 * height, "what stands there now is seen from its beginning"
    assert width < 1000 or scrolled == 0, "and where it was seen already nothing moves"
    site.source.show(three_rows)
    heading(browser, "The verdict on round 1")
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, "#statebar strong").text == "Verdict")
    stage = browser.find_element(By.ID, "stage").text
    assert "6 valid cards" in stage
    assert "Card 4 is the first that does not fit" in stage
    spoken = browser.find_element(By.ID, "announce").get_property("textContent")
    assert spoken == "Verdict. Anna gets 10 points. Clara gets 9 points."
    fits(browser, stage_name(browser))
    press(browser, "2")
    assert "Anna called" in browser.find_element(By.ID, "stage").text, "a hidden button has no key"
    press(browser, "c")
    heading(browser, "Round 2: the scoring cards")
    fits(browser, stage_name(browser))
    totals = [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, ".standing .total")]
    assert totals == ["10", "0", "9"]
    press(browser, "u")
    heading(browser, "The verdict on round 1")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_what_the_race_waits_for_is_said(browser: WebDriver, site: Site, width: int, height: int) -> None:
    """Beside the button stands that the cards' points are missing, emphasized after a tap, until they are there."""
    resize(browser, width, height)
    begin(browser, site)
    told = browser.find_element(By.CSS_SELECTOR, "#stage .missing")
    assert told.text == "Type the points of 2 scoring cards: then the race can start."
    weight = told.value_of_css_property("font-weight")
    press(browser, "s")
    until(browser, lambda d: told.value_of_css_property("font-weight") != weight)
    fits(browser, "missing")
    for number, value in enumerate(("10", "9")):
        browser.find_element(By.ID, f"value-{number}").send_keys(value)
    assert not told.is_displayed()


def test_double_tap_does_nothing_twice(browser: WebDriver, site: Site) -> None:
    """Two quick taps start the race once, and the second one does not fall on a button that came in its place."""
    resize(browser, 1366, 768)
    begin(browser, site)
    for number, value in enumerate(("10", "9")):
        browser.find_element(By.ID, f"value-{number}").send_keys(value)
    # Taps come every 20 ms until a while after the stage has changed.
    browser.execute_script(
        "const started = performance.now(); let changed = 0;"
        "const timer = setInterval(() => {"
        "  const call = document.getElementById('call-1'); if (call && !changed) changed = performance.now();"
        "  (call || document.getElementById('start')).click();"
        "  if (changed && performance.now() - changed > 200) { clearInterval(timer); window.tapped = true; }"
        "}, 20);"
    )
    until(browser, lambda d: d.execute_script("return window.tapped"))
    heading(browser, "The race is on!")
    match = site.runner.board.snapshot.match
    assert match is not None
    assert (match.phase, match.seq) == ("racing", 3)


def test_outlines_lie_over_the_live_picture(browser: WebDriver, site: Site, three_rows: FakeFrame) -> None:
    """The picture comes with an outline for each card and a name for each card of a row; both go while hands move."""
    resize(browser, 1366, 768)
    begin(browser, site)
    site.source.show(three_rows)
    count = len(three_rows.table.placements)
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, "#overlay g")) == count)
    until(browser, lambda d: d.find_element(By.ID, "picture").is_displayed())
    assert browser.find_element(By.ID, "picture").get_attribute("src").startswith("blob:")
    names = browser.execute_script(
        "return [...document.querySelectorAll('#overlay text')].map((text) => text.textContent);"
    )
    assert len(names) == 15
    assert set(names) <= {"fire", "water", "earth", "air", "magic"}
    site.source.show(replace(three_rows, moving=True))
    until(browser, lambda d: not d.find_elements(By.CSS_SELECTOR, "#overlay g"))


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1366, 768)])
def test_names_stand_beside_the_cards(
    browser: WebDriver, site: Site, three_rows: FakeFrame, width: int, height: int
) -> None:
    """No name covers another's card or another name, all can be read, and few are left out where no place is free."""
    resize(browser, 1366, 768)
    begin(browser, site)
    site.source.show(three_rows)
    resize(browser, width, height)
    until(browser, lambda d: len(d.find_elements(By.CSS_SELECTOR, "#overlay text")) == 15)
    if not browser.find_element(By.ID, "picture").is_displayed():
        browser.execute_script("document.querySelectorAll('details:has(#overlay)').forEach((d) => { d.open = true; });")
    measured = (
        "const out = []; const boxes = [];"
        "const shapes = [...document.querySelectorAll('#overlay polygon.edge')];"
        "const scale = document.getElementById('overlay').getScreenCTM().a;"
        "for (const text of document.querySelectorAll('#overlay text:not([visibility])')) {"
        "  const b = text.getBBox(); let on = 0;"
        "  for (let i = 0; i <= 8; i++) for (let j = 1; j <= 3; j++) {"
        "    const at = new DOMPoint(b.x + b.width * i / 8, b.y + b.height * j / 4);"
        "    on += shapes.some((shape) => { if (shape.parentNode === text.parentNode) return false;"
        "      shape.style.fill = '#fff'; const hit = shape.isPointInFill(at);"
        "      shape.style.fill = ''; return hit; });"
        "  }"
        "  const mid = [b.x + b.width / 2, b.y + b.height / 2];"
        "  on += boxes.some(([x, y]) => Math.hypot(x - mid[0], y - mid[1]) < b.height / 2); boxes.push(mid);"
        "  out.push([on, parseFloat(text.getAttribute('font-size')) * scale]);"
        "}"
        "return out;"
    )
    until(browser, lambda d: len(d.execute_script(measured)) >= 12)
    browser.execute_script("document.getElementById('overlay').scrollIntoView({block: 'center'});")
    fits(browser, f"names-{width}")
    laid = browser.execute_script(measured)
    assert [on for on, _ in laid] == [0] * len(laid)
    assert min(size for _, size in laid) > 8.9


def test_card_is_corrected_in_two_taps(browser: WebDriver, site: Site, three_rows: FakeFrame) -> None:
    """A tap on the card opens the choice, a tap on the right card closes it and the verdict is new."""
    resize(browser, 360, 740)
    begin(browser, site)
    for number, value in enumerate(("10", "9")):
        browser.find_element(By.ID, f"value-{number}").send_keys(value)
    press(browser, "\ue007")
    heading(browser, "The race is on!")
    press(browser, "3")
    site.source.show(three_rows)
    heading(browser, "The verdict on round 1")
    card = browser.find_elements(By.CSS_SELECTOR, "#stage .judged:nth-of-type(1) .playing")[1]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", card)
    card.click()
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, "dialog[open] h1").text == "Which card is it?")
    choice = browser.find_elements(By.CSS_SELECTOR, "dialog .deckgrid button.playing")
    other = next(b for b in choice if b.is_displayed())
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", other)
    other.click()
    until(browser, lambda d: not d.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    heading(browser, "The verdict on round 1")
    until(browser, lambda d: "the correction" in d.find_element(By.ID, "undo").text)


def test_lost_connection_is_said_and_found_again(
    browser: WebDriver, site: Site, deck: RoxDeck, three_rows: FakeFrame
) -> None:
    """When the program is gone the page says so and locks its buttons; when it is back the page goes on by itself."""
    resize(browser, 1366, 768)
    begin(browser, site)
    port = site.server.port
    site.server.shutdown()
    site.server.server_close()
    site.runner.stop()
    # What keeps a connection open past the server's end is cut as the end of a process would.
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    # A last answer may still be on its way: both are waited for together.
    until(
        browser,
        lambda d: d.find_element(By.ID, "offline").is_displayed() and not d.find_element(By.ID, "start").is_enabled(),
    )
    again = serve(site.store, deck, FakeSource(three_rows), port)
    try:
        browser.execute_cdp_cmd(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        )
        until(browser, lambda d: not d.find_element(By.ID, "offline").is_displayed())
        heading(browser, "Round 1: the scoring cards")
        until(browser, lambda d: d.find_element(By.ID, "start").is_enabled())
    finally:
        again.server.shutdown()
        again.server.server_close()
        again.runner.stop()
