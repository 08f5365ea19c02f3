"""A table without a camera, and a browser's view of its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from selenium.webdriver.remote.webdriver import WebDriver
from werkzeug.test import TestResponse

from scoring.deck import RoxDeck
from tests.webui.browsing import errors_in, open_browser
from tests.webui.cactus_fakes import CactusTable, cactus_table
from tests.webui.conex_fakes import ConexTable, conex_table
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource, chain, lay, load_deck
from tests.webui.turn_table import SteppedRunner, token_of
from webui import create_app
from webui.security import Door
from webui.services import Services
from webui.snapshot import MatchView, Snapshot
from webui.store import Store


class Art:
    """Pictures that are not looked at."""

    def __init__(self, deck: RoxDeck) -> None:
        self._known = {*deck.faces, *deck.scoring_cards}

    def has(self, face: str) -> bool:
        return face in self._known

    def card(self, face: str) -> tuple[bytes, str] | None:
        return (b"\xff\xd8 a card", "image/jpeg") if face in self._known else None


@dataclass
class Table:
    """Everything at one table."""

    store: Store
    eye: FakeEye
    source: FakeSource
    runner: SteppedRunner
    deck: RoxDeck
    app: Flask
    client: FlaskClient

    @property
    def snapshot(self) -> Snapshot:
        return self.runner.board.snapshot

    @property
    def match(self) -> MatchView:
        assert self.snapshot.match is not None
        return self.snapshot.match

    def token(self) -> str:
        """The command token of the page, read as the page's script reads it."""
        return token_of(self.client)

    def begin(self, **fields: str) -> MatchView:
        """A match of Anna, Ben and Clara."""
        form = {
            "player-south": "Anna",
            "player-west": "Ben",
            "player-north": "Clara",
            "min_row": "3",
            "rounds": "5",
            **fields,
        }
        answer = self.client.post("/matches/new", data={**form, "token": self.token()})
        assert answer.status_code == 303, answer.text
        return self.match

    def do(self, command: str, seq: int | None = None, **fields: Any) -> TestResponse:
        """Press a button, as the page's script does."""
        match = self.match
        data = {"command": command, "seq": str(match.seq if seq is None else seq), **fields}
        headers = {"Accept": "application/json", "X-Referee-Token": self.token()}
        return self.client.post(f"/matches/{match.id}/do", data=data, headers=headers)

    def to_verdict(self, frame: FakeFrame, seat: str = "south", values: tuple[int, ...] = ()) -> MatchView:
        """Deal, race, call, and look at the settled table."""
        if not values:
            stock = sorted((c.value for c in self.deck.scoring_cards.values()), reverse=True)
            gone = sum(len(r.dealt) for r in self.match.rounds_played)
            values = tuple(stock[gone : gone + self.match.deals])
        assert self.do("start", value=[str(v) for v in values]).status_code == 200
        assert self.do("call", seat=seat).status_code == 200
        self.runner.see(frame)
        assert self.match.phase == "verdict"
        return self.match


@pytest.fixture(scope="session")
def deck() -> RoxDeck:
    """The bundled deck."""
    return load_deck()


@pytest.fixture
def table(deck: RoxDeck) -> Iterator[Table]:
    """A table whose runner runs when it is told to."""
    store = Store("sqlite://")
    eye, source = FakeEye(), FakeSource()
    runner = SteppedRunner(store, eye, deck, source)
    app = create_app(Services(store, runner, Art(deck), Door(store.secret()), [], "test"))
    app.testing = True
    yield Table(store, eye, source, runner, deck, app, app.test_client())
    store.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[WebDriver]:
    """A browser of our own."""
    yield from open_browser()


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """No script error and no refused address, whatever a test does in a browser."""
    yield
    if "browser" in request.fixturenames:
        driver: WebDriver = request.getfixturevalue("browser")
        assert errors_in(driver) == []
        driver.delete_all_cookies()


@pytest.fixture
def conex() -> Iterator[ConexTable]:
    """A table of CONEX whose runner runs when it is told to."""
    store = Store("sqlite://")
    yield conex_table(store)
    store.close()


@pytest.fixture
def cactus() -> Iterator[CactusTable]:
    """A table of Cactus whose runner runs when it is told to."""
    store = Store("sqlite://")
    yield cactus_table(store)
    store.close()


@pytest.fixture(scope="session")
def three_rows(deck: RoxDeck) -> FakeFrame:
    """Anna (south) has six valid cards, Ben (west) three and then a wrong one, Clara (north) five."""
    used: set[str] = set()
    ids = list(deck.faces)
    rows = {
        "south": chain(deck, 6, ids[0], used),
        "west": chain(deck, 4, ids[13], used, wrong_at=3),
        "north": chain(deck, 5, ids[30], used),
    }
    pool = [f for f in ids if f not in used][:8]
    return FakeFrame(lay(rows, (), pool))
