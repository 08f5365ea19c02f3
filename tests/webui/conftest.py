"""A table without a camera, and a browser's view of its page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from flask import Flask
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from selenium.webdriver.remote.webdriver import WebDriver

from scoring.deck import RoxDeck
from tests.webui.at_table import AtTable, at_table
from tests.webui.browsing import errors_in, open_browser
from tests.webui.cactus_fakes import CactusTable, cactus_table
from tests.webui.conex_fakes import ConexTable, conex_table
from tests.webui.fakes import FakeEye, FakeFrame, chain, lay, load_deck
from webui.log.store import Store
from webui.rox.snapshot import MatchRox


class Compiled(BytecodeCache):
    """Templates as they were compiled for an earlier page."""

    def __init__(self) -> None:
        self._known: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._known:
            bucket.bytecode_from_string(self._known[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._known[bucket.key] = bucket.bytecode_to_string()


# Each test makes a page of its own; to compile its templates takes longer than most tests.
Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": Compiled()}


class Art:
    """Pictures that are not looked at."""

    def __init__(self, deck: RoxDeck) -> None:
        self._known = {*deck.faces, *deck.scoring_cards}

    def has(self, face: str) -> bool:
        return face in self._known

    def card(self, face: str) -> tuple[bytes, str] | None:
        return (b"\xff\xd8 a card", "image/jpeg") if face in self._known else None


@dataclass
class Table(AtTable):
    """A table of Rox."""

    deck: RoxDeck

    @property
    def app(self) -> Flask:
        """The page; another one is looked at by a new browser."""
        return self.client.application

    @app.setter
    def app(self, app: Flask) -> None:
        self.client = app.test_client()

    @property
    def match(self) -> MatchRox:
        match = self.snapshot.match
        assert isinstance(match, MatchRox)
        return match

    def begin(self, **fields: str) -> MatchRox:
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

    def to_verdict(self, frame: FakeFrame, seat: str = "south", values: tuple[int, ...] = ()) -> MatchRox:
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
    yield Table(*at_table(store, FakeEye(), deck, Art(deck)), deck)
    store.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[WebDriver]:
    """A browser of our own, for all tests: to start one takes longer than most of them."""
    yield from open_browser()


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """No script error and no refused address, whatever a test does in a browser."""
    yield
    if "browser" in request.fixturenames:
        driver: WebDriver = request.getfixturevalue("browser")
        assert errors_in(driver) == []
        driver.delete_all_cookies()
        driver.get("about:blank")  # no page goes on asking a server that is gone


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
