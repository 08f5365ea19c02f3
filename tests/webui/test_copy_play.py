"""A copy that is learned can be played with at once, whatever game was played before."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

from scoring.deck import Deck, RoxDeck
from tests.webui.at_table import SteppedRunner
from tests.webui.conftest import Art, Table
from tests.webui.fakes import FakeEye, FakeSource
from tests.webui.test_decks import LightShelf
from webui import create_app
from webui.log.store import Store
from webui.owncopy.copying import Copyist
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.security import Door
from webui.services import Services
from webui.sight.decks.folders import bundled_deck


class _Learned:
    """One copy of CONEX, learned and not saved yet."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def copies(self) -> tuple[OwnCopy, ...]:
        return ()

    def copy(self, key: str) -> OwnCopy | None:
        saved = (self._folder / key).exists()
        return OwnCopy(key, "Ours", "conex", CopyStage.READ, photos=("00.jpg",), saved=saved, deck=key)

    def save(self, key: str, in_play: Callable[[Deck], bool]) -> str:
        shutil.copytree(bundled_deck("conex"), self._folder / key)
        return key


def test_a_copy_of_another_game_is_played_with_at_once(tmp_path: Path, deck: RoxDeck) -> None:
    """At a table of Rox a copy of CONEX is saved and laid in one tap, where CONEX can be played there too."""
    store, eye, source = Store("sqlite://"), FakeEye(), FakeSource()
    shelf = LightShelf("rox", None, lambda: tmp_path, others=("conex",))
    runner = SteppedRunner(store, eye, deck, source, decks=shelf)
    services = Services(store, runner, Art(deck), Door(store.secret()), [], "test")
    app = create_app(dataclasses.replace(services, copyist=cast(Copyist, _Learned(tmp_path))))
    table = Table(store, eye, source, runner, app.test_client(), deck)
    page = table.client.get("/copies/ours").text
    assert "Save, and play CONEX with this copy now" in page
    answer = table.client.post("/copies/ours/do", data={"what": "play", "token": table.token()})
    assert answer.location == "/matches/new"
    assert (runner.deck.key, runner.deck.deck.game) == ("ours", "conex")
    store.close()


def test_a_table_of_one_game_only_saves_copies_of_others(tmp_path: Path, deck: RoxDeck) -> None:
    """Where CONEX cannot be played the copy is saved, and the command that plays with it is told."""
    store, eye, source = Store("sqlite://"), FakeEye(), FakeSource()
    runner = SteppedRunner(store, eye, deck, source, decks=LightShelf("rox", None, lambda: tmp_path))
    services = Services(store, runner, Art(deck), Door(store.secret()), [], "test")
    app = create_app(dataclasses.replace(services, copyist=cast(Copyist, _Learned(tmp_path))))
    table = Table(store, eye, source, runner, app.test_client(), deck)
    page = table.client.get("/copies/ours").text
    assert 'value="play"' not in page
    assert table.client.post("/copies/ours/do", data={"what": "save", "token": table.token()}).status_code == 303
    assert "referee play conex --deck ours" in table.client.get("/copies/ours").text
    store.close()
