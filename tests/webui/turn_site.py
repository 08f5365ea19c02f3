"""A running server at whose table a game is played turn by turn, before a camera that tests hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from scoring.deck import Deck
from scoring.table import TableState
from tests.webui.browsing import heading, playing
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource
from webui.log.store import Store
from webui.security import Door
from webui.services import Art, Services
from webui.table.runner import Runner


class Pieces(Protocol):
    """What lies or hangs there, as a test puts it."""

    table: TableState

    def frame(self, **more: Any) -> FakeFrame:
        """A picture of it."""
        ...


P = TypeVar("P", bound=Pieces)


@dataclass
class Site(Generic[P]):
    """A server with its table, and the pieces on it."""

    url: str
    runner: Runner
    source: FakeSource
    pieces: P
    draw: Callable[[TableState], NDArray[np.uint8]]

    def show(self, **more: Any) -> None:
        """The pieces as they are, before the camera."""
        # A drawn picture only where somebody will look at it: it costs a second or two.
        drawn = self.draw(self.pieces.table) if os.environ.get("REFEREE_SCREENSHOTS") else None
        self.source.show(self.pieces.frame(rgb=drawn, **more))

    @property
    def match(self) -> Any:
        """The match that is shown."""
        return self.runner.board.snapshot.match


@contextmanager
def site_of(
    folder: Path, eye: FakeEye, deck: Deck, art: Art, pieces: P, draw: Callable[[TableState], NDArray[np.uint8]]
) -> Iterator[Site[P]]:
    """The running page of a table with those pieces; its database is in the folder."""
    store, source = Store(f"sqlite:///{folder / 'site.sqlite'}"), FakeSource()
    runner = Runner(store, eye, deck, source)
    with playing(Services(store, runner, art, Door(store.secret()), [], "program")) as url:
        made = Site(url, runner, source, pieces, draw)
        made.show()
        yield made


def sit_down(browser: WebDriver, site: Site[Any], names: dict[str, str], then: str) -> None:
    """Fill in the form of a new match by keyboard, the last seat last, and wait for the next heading."""
    browser.get(f"{site.url}/matches/new")
    for seat, name in names.items():
        browser.find_element(By.ID, f"player-{seat}").send_keys(name)
    browser.find_element(By.ID, f"player-{seat}").send_keys(Keys.ENTER)
    heading(browser, then)
