"""A real browser: the program, its switches, and what tests do with it."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait
from werkzeug.serving import make_server

from webui import create_app
from webui.services import Services

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--lang=en",
)

MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no Chromium with its driver on this computer"),
]
"""For the modules whose tests drive it."""


def open_browser(more: tuple[str, ...] = ()) -> Iterator[WebDriver]:
    """A browser of our own, with `more` switches."""
    options = Options()
    options.binary_location = CHROMIUM or ""
    for switch in (*SWITCHES, *more):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@contextmanager
def serving(app: Flask) -> Iterator[str]:
    """The running page's address."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server.daemon_threads = True  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    server.server_close()


@contextmanager
def playing(services: Services) -> Iterator[str]:
    """The address of a running page at whose table the runner works; both and the store end with it."""
    services.runner.start()
    with serving(create_app(services)) as url:
        yield url
    services.runner.stop()
    services.store.close()


def errors_in(driver: WebDriver) -> list[str]:
    """What went wrong on the page since it was asked last, save what a cut connection explains."""
    logged = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    # What fails while the connection is cut on purpose is no error of the page.
    cut = (
        "net::ERR_CONNECTION",
        "net::ERR_INTERNET_DISCONNECTED",
        "net::ERR_EMPTY_RESPONSE",
        "net::ERR_SOCKET_NOT_CONNECTED",
    )
    return [m for m in logged if not any(c in m for c in cut)]


def resize(browser: WebDriver, width: int, height: int) -> None:
    """The width that the page sees; a headless window cannot be made as narrow as a phone."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def until(browser: WebDriver, what: Callable[[WebDriver], object]) -> None:
    WebDriverWait(browser, 40, poll_frequency=0.1, ignored_exceptions=(Exception,)).until(what)


def heading(browser: WebDriver, text: str) -> None:
    """Wait until the round's part of the page has this heading."""
    until(browser, lambda d: text in d.find_element(By.CSS_SELECTOR, "#stage").text)


def press(browser: WebDriver, key: str) -> None:
    """A key, to whatever has the focus, once the page takes taps."""
    until(browser, lambda d: not d.find_element(By.ID, "stage").get_attribute("aria-busy"))
    webdriver.ActionChains(browser).send_keys(key).perform()


def fits(browser: WebDriver, name: str) -> None:
    """Nothing is wider than the screen. With REFEREE_SCREENSHOTS a picture of it is kept in that folder."""
    wide = browser.execute_script(
        "return [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .unseen, svg, .skip')"
        " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 120))"
    )
    assert wide == []
    folder = os.environ.get("REFEREE_SCREENSHOTS")
    if folder:
        width = browser.execute_script("return innerWidth")
        browser.save_screenshot(str(Path(folder) / f"{width}-{name}.png"))
