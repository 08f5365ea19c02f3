"""Somebody who taps and types on the page in a real browser, and who is counted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE_S = 600.0
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Tried:
    """What a try took.

    Parameters
    ----------
    taps
        Taps besides naming: buttons, links, photos chosen, players' fields and corrections.
    named
        Taps that name a kind.
    typed
        Fields that something was typed into.
    waited_s
        Seconds from a tap to its answer, by what was waited for.
    machine_s
        Seconds of the program's own computing by then.
    questions, corrected
        Fields that were asked about, and those of them that were read wrongly.
    verdict
        What the page said at the end.
    """

    game: str
    taps: int = 0
    named: int = 0
    typed: int = 0
    questions: int = 0
    corrected: int = 0
    waited_s: dict[str, float] = field(default_factory=dict)
    machine_s: dict[str, float] = field(default_factory=dict)
    verdict: str = ""


def machine_s(pid: int) -> float:
    """Seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


class Person:
    """Somebody who taps and types, and who is counted.

    Parameters
    ----------
    browser
        Theirs.
    tried
        Where it is counted.
    pid
        The program.
    shots
        A folder for pictures of the screen, or None.
    """

    def __init__(self, browser: WebDriver, tried: Tried, pid: int, shots: Path | None = None) -> None:
        self.browser, self.tried, self._pid, self._shots = browser, tried, pid, shots

    def see(self, css: str) -> list[WebElement]:
        """What there is now."""
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def tap(self, css: str, *, names: bool = False) -> None:
        """Tap the first that there is, once it is there."""
        self.until(lambda d: any(e.is_displayed() for e in self.see(css)) and not self.see("#stage[aria-busy]"))
        element = next(e for e in self.see(css) if e.is_displayed())
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        if names:
            self.tried.named += 1
        else:
            self.tried.taps += 1
        element.click()

    def send(self, css: str, *files: Path) -> None:
        """Choose files: one tap, and the system's own dialogue."""
        self.until(lambda d: bool(self.see(css)))
        self.tried.taps += 1
        self.see(css)[0].send_keys("\n".join(str(f.resolve()) for f in files))

    def type(self, element: WebElement, text: object) -> None:
        """Type into a field."""
        self.tried.typed += 1
        element.clear()
        element.send_keys(str(text))

    def until(self, what: Callable[[WebDriver], object]) -> None:
        """Wait for the page, which may be another one meanwhile: one that is not there to its end tells nothing."""

        def seen(browser: WebDriver) -> object:
            return browser.execute_script("return document.readyState !== 'loading'") and what(browser)

        try:
            WebDriverWait(self.browser, PATIENCE_S, 0.2, ignored_exceptions=(Exception,)).until(seen)
        except TimeoutException:
            self.shoot("stuck")
            raise

    def wait(self, name: str, what: Callable[[WebDriver], object]) -> None:
        """Wait for the referee, and be counted."""
        begun, used = time.monotonic(), machine_s(self._pid)
        self.until(what)
        for took, spent in (
            (self.tried.waited_s, time.monotonic() - begun),
            (self.tried.machine_s, machine_s(self._pid) - used),
        ):
            took[name] = round(took.get(name, 0.0) + spent, 1)

    def shoot(self, name: str) -> None:
        """Keep a picture of the screen."""
        if self._shots is not None:
            self.browser.save_screenshot(str(self._shots / f"{self.tried.game}-{name}.png"))
