"""What an attacker tried: large uploads, broken headers, manipulated matches, a database that fails."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame
from webui.log.archive import write_archive
from webui.log.database import StoreError
from webui.log.store import Store
from webui.table.runner import Runner

JSON = {"Accept": "application/json"}


def test_a_photo_of_a_phone_is_not_too_large(table: Table, three_rows: FakeFrame) -> None:
    """Werkzeug's limit of a form's text once turned away every photo of more than 64 kB."""
    match = table.begin()
    table.eye.photo = three_rows
    data = {"seq": str(match.seq), "photo": (io.BytesIO(b"\xff\xd8" + b"x" * 300_000), "a.jpg")}
    answer = table.client.post(
        f"/matches/{match.id}/photo", data=data, headers={**JSON, "X-Referee-Token": table.token()}
    )
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("origin", ["http://[", "null", "//localhost", "http://localhost.evil.example"])
def test_a_broken_or_foreign_origin_is_refused(table: Table, origin: str) -> None:
    """Also where it is no address at all."""
    headers = {"Origin": origin, "X-Referee-Token": table.token()}
    assert table.client.post("/matches/new", headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["x" * 9000, "a" * 64 + ".example", "evil.example", "a b"])
def test_a_host_of_no_name_is_refused_in_a_line(table: Table, host: str) -> None:
    """Also where no address can be made of it, with which an error's page would begin its links."""
    answer = table.client.get("/matches", headers={"Host": host})
    assert answer.status_code == 400
    assert "<html" not in answer.text


def test_a_way_back_that_is_no_address_leads_home(table: Table) -> None:
    """And not to an error."""
    answer = table.client.get("/language/de?back=http://[")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")


def manipulated(table: Table) -> list[dict[str, Any]]:
    """An exported match whose deck lacks an element that its cards show."""
    lines = [json.loads(line) for line in write_archive(table.store, table.match.id)]
    lines[0]["id"] = "manipulated"
    lines[1]["body"]["deck"]["elements"].pop()
    return lines


def test_an_import_that_cannot_be_shown_is_refused(table: Table, three_rows: FakeFrame) -> None:
    """It folds, but no page could show it."""
    table.begin()
    table.to_verdict(three_rows)
    content = "\n".join(json.dumps(line) for line in manipulated(table)).encode()
    data = {"token": table.token(), "file": (io.BytesIO(content), "x.jsonl")}
    answer = table.client.post("/matches/import", data=data, headers=JSON)
    assert (answer.status_code, "cannot be shown" in answer.json["message"]) == (422, True)


def test_a_damaged_match_in_the_database_stops_no_table(table: Table, three_rows: FakeFrame) -> None:
    """It cannot be brought to the table, and a program that starts on it goes on without it."""
    table.begin()
    table.to_verdict(three_rows)
    match, body = table.match.id, json.dumps(manipulated(table)[1]["body"])
    with table.store._engine.begin() as c:
        c.execute(text("UPDATE events SET body = :body WHERE seq = 1"), {"body": body})
    runner = Runner(table.store, table.eye, table.deck, table.source)
    runner.resume()
    assert runner.board.snapshot.match is None
    assert match not in ("", None)


def test_a_database_that_fails_is_named(tmp_path: Path) -> None:
    """A table of another program, and a file that became read-only, are no errors of this program."""
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as c:
        c.execute("CREATE TABLE matches (a INTEGER)")
    with pytest.raises(StoreError, match="no such column"):
        Store(f"sqlite:///{foreign}")
    store = Store(f"sqlite:///{tmp_path / 'own.sqlite'}")
    with store._engine.connect() as c:
        c.execute(text("PRAGMA query_only = ON"))
    with pytest.raises(StoreError, match="readonly"):
        store.create("rox", "A match", "A deck")
    store.close()


@pytest.mark.parametrize("title", ["\ud800", "a\0b"])
def test_text_that_no_database_holds_is_refused(table: Table, three_rows: FakeFrame, title: str) -> None:
    """Half a surrogate pair, a zero byte."""
    table.begin()
    lines = manipulated(table)
    lines[0]["title"] = title
    content = "\n".join(json.dumps(line) for line in lines).encode()
    data = {"token": table.token(), "file": (io.BytesIO(content), "x.jsonl")}
    answer = table.client.post("/matches/import", data=data, headers=JSON)
    assert (answer.status_code, "line 1" in answer.json["message"]) == (422, True)
