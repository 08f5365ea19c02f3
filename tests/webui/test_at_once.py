"""Many browsers at one match at the same moment, and a folder that takes nothing: clear answers, nothing lost."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from scoring.deck import RoxDeck
from tests.webui.at_table import token_of
from tests.webui.conftest import Art, Table
from tests.webui.fakes import FakeEye, FakeSource
from webui import cli, create_app
from webui.log.store import Store
from webui.rox.snapshot import MatchRox
from webui.security import Door
from webui.services import Services
from webui.table.requests import Outcome, Reply
from webui.table.runner import Runner

BROWSERS, TAPS = 8, 3


@pytest.mark.parametrize("same", [True, False])
def test_taps_at_one_moment_are_carried_out_once_or_told(tmp_path: Path, deck: RoxDeck, same: bool) -> None:
    """Of those who saw the same state one changes it and the others are told; a tap that is sent twice counts once."""
    store = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    runner = Runner(store, FakeEye(), deck, FakeSource())
    app = create_app(Services(store, runner, Art(deck), Door(store.secret(), None), [], "program"))
    runner.start()
    try:
        first = app.test_client()
        form = {"player-south": "Anna", "player-west": "Ben", "min_row": "3", "rounds": "5", "token": token_of(first)}
        assert first.post("/matches/new", data=form).status_code == 303
        match = runner.board.snapshot.match
        assert isinstance(match, MatchRox)
        values = [str(v) for v in sorted((c.value for c in deck.scoring_cards.values()), reverse=True)[: match.deals]]
        told: list[int] = []
        ready = threading.Barrier(BROWSERS)

        def tap(n: int) -> None:
            client = app.test_client()
            headers = {"Accept": "application/json", "X-Referee-Token": token_of(client)}
            data = {"command": "start", "seq": str(match.seq), "value": values}
            data |= {"command_id": "same-tap-of-all" if same else f"tap-of-browser-{n}"}
            ready.wait()
            for _ in range(TAPS):
                told.append(client.post(f"/matches/{match.id}/do", data=data, headers=headers).status_code)

        threads = [threading.Thread(target=tap, args=(n,)) for n in range(BROWSERS)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        counted = Counter(told)
        assert len(told) == BROWSERS * TAPS
        # Whoever sends his own tap again is told that it was carried out; all others that the match had moved on.
        assert counted == ({200: BROWSERS * TAPS} if same else {200: TAPS, 409: (BROWSERS - 1) * TAPS})
        after = runner.board.snapshot.match
        assert after is not None
        assert after.phase == "racing"
        assert len(store.events(match.id)) == after.seq
    finally:
        runner.stop()
        store.close()


def test_a_database_that_takes_nothing_is_told_and_loses_nothing(tmp_path: Path, deck: RoxDeck) -> None:
    """As in a folder without the right to write: the page says so, shows what it showed, and goes on when it can."""
    store = Store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    runner = Runner(store, FakeEye(), deck, FakeSource())
    app = create_app(Services(store, runner, Art(deck), Door(store.secret(), None), [], "program"))
    runner.start()
    client = app.test_client()
    form = {"player-south": "Anna", "player-west": "Ben", "min_row": "3", "rounds": "5", "token": token_of(client)}
    closed = True

    def refuse(conn: object, cursor: object, statement: str, *_: object) -> None:
        if closed and statement.split()[0] in ("INSERT", "UPDATE", "DELETE"):
            raise OperationalError(statement, {}, Exception("attempt to write a readonly database"))

    event.listen(store._engine, "before_cursor_execute", refuse)
    try:
        refused = client.post("/matches/new", data=form)
        assert refused.status_code == 422
        assert "nothing was changed" in refused.text
        assert 'value="Anna"' in refused.text, "what was typed stays"
        assert client.get("/matches").status_code == 200
        closed = False
        assert client.post("/matches/new", data=form).status_code == 303
        closed = True
        match = runner.board.snapshot.match
        assert match is not None
        headers = {"Accept": "application/json", "X-Referee-Token": token_of(client)}
        data = {"command": "finish", "seq": str(match.seq)}
        answer = client.post(f"/matches/{match.id}/do", data=data, headers=headers)
        assert answer.status_code == 422
        assert "nothing was changed" in answer.get_json()["message"]
        assert runner.board.snapshot.match is not None
        assert runner.board.snapshot.match.seq == match.seq
        closed = False
        assert client.post(f"/matches/{match.id}/do", data=data, headers=headers).status_code == 200
    finally:
        runner.stop()
        store.close()


@pytest.mark.parametrize("command", [["enroll", "any"], ["calibrate", "--game", "rox"]])
def test_a_place_that_takes_nothing_is_told_before_the_work(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for what could not be kept: one line names the place and the mend."""
    monkeypatch.setattr("webui.paths.os.access", lambda path, mode: False)
    out = tmp_path / "there" / "deck"
    assert cli.main([*command, "--out", str(out), str(tmp_path / "a.jpg")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line
    assert "--out" in line
    assert list(tmp_path.iterdir()) == []


def test_a_busy_referee_keeps_what_was_typed(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The form of a new match comes back as it was filled in."""
    monkeypatch.setattr(table.runner, "submit", lambda *_: Reply(Outcome.BUSY))
    form = {"player-south": "Anna", "player-west": "Ben", "min_row": "2", "rounds": "5", "token": table.token()}
    answer = table.client.post("/matches/new", data=form)
    assert answer.status_code == 503
    for said in ('value="Anna"', 'value="Ben"', "The referee is busy"):
        assert said in answer.text
