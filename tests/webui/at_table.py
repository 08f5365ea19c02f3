"""What the fakes of all games share: a runner that runs when it is told to, and a table whose match goes by turns."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, TypeVar

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from scoring.deck import Deck
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource
from webui import create_app
from webui.log.store import Store
from webui.security import Door
from webui.services import Art, Services
from webui.shown.snapshot import Snapshot
from webui.table.requests import Reply, Request
from webui.table.runner import Runner

E = TypeVar("E", bound=FakeEye)


class SteppedRunner(Runner):
    """A runner without a thread of its own: every request is carried out at once by whoever asks."""

    def submit(self, request: Request, timeout_s: float = 20.0) -> Reply:
        reply = self._answer(request)
        self.board.publish(self._snapshot())
        return reply

    def see(self, frame: FakeFrame) -> None:
        """Show a frame and look at it."""
        self.offer(frame)
        self.step()


def token_of(client: FlaskClient) -> str:
    """The command token of the page, read as the page's script reads it."""
    found = re.search(r'name="token" content="([0-9a-f]+)"', client.get("/matches").text)
    assert found
    return found[1]


@dataclass
class AtTable:
    """Everything at one table, with a browser's view of its page."""

    store: Store
    eye: FakeEye
    source: FakeSource
    runner: SteppedRunner
    client: FlaskClient

    @property
    def snapshot(self) -> Snapshot:
        return self.runner.board.snapshot

    @property
    def here(self) -> tuple[str, int]:
        """Id and number of events of the match at this table."""
        match = self.snapshot.match
        assert match is not None
        return match.id, match.seq

    def token(self) -> str:
        """The command token of the page, read as the page's script reads it."""
        return token_of(self.client)

    def post(self, path: str, **data: Any) -> TestResponse:
        headers = {"Accept": "application/json", "X-Referee-Token": self.token()}
        return self.client.post(f"/matches/{self.here[0]}/{path}", data=data, headers=headers)

    def do(self, command: str, seq: int | None = None, **fields: Any) -> TestResponse:
        """Press a button, as the page's script does."""
        return self.post("do", command=command, seq=str(self.here[1] if seq is None else seq), **fields)


def at_table(
    store: Store, eye: E, deck: Deck, art: Art, source: FakeSource | None = None
) -> tuple[Store, E, FakeSource, SteppedRunner, FlaskClient]:
    """The parts of an `AtTable` whose runner runs when it is told to."""
    source = source or FakeSource()
    runner = SteppedRunner(store, eye, deck, source)
    app = create_app(Services(store, runner, art, Door(store.secret()), [], "test"))
    app.testing = True
    return store, eye, source, runner, app.test_client()


@dataclass
class TurnTable(AtTable):
    """A table of a game that goes by turns."""

    def page(self, path: str = "") -> str:
        """A page of the match, without runs of white space."""
        answer = self.client.get(f"/matches/{self.here[0]}{path}")
        assert answer.status_code == 200, answer.text
        return " ".join(answer.text.split())

    def news(self) -> dict[str, Any]:
        answer = self.client.get(f"/matches/{self.here[0]}/news")
        assert answer.json is not None
        return dict(answer.json)

    def look(self, frame: Any) -> None:
        """Look at the table anew."""
        self.eye.reset()
        self.runner.see(frame)

    def sit_down(self, form: dict[str, str]) -> None:
        """Send the form of a new match."""
        answer = self.client.post("/matches/new", data=form)
        assert answer.status_code == 303, answer.text

    def photo(self, frame: Any) -> str:
        """Send a photo, and what is answered to it."""
        self.eye.photo = frame
        answer = self.post("photo", seq=str(self.here[1]), photo=(io.BytesIO(b"\xff\xd8 photo"), "a.jpg"))
        assert answer.json is not None
        return str(answer.json["message"])

    def take(self) -> None:
        """Begin with the table as it lies."""
        assert self.post("take", seq=str(self.here[1])).status_code == 200
        match = self.snapshot.match
        assert match is not None
        assert match.phase == "turn"

    def done(self, command: str, **fields: Any) -> None:
        """Press a button that works."""
        answer = self.do(command, **fields)
        assert answer.status_code == 200, answer.text
