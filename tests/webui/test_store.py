"""The log on disk: numbered, append-only, all or nothing."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from webui.log.archive import ArchiveError, read_archive, write_archive
from webui.log.database import StoreError
from webui.log.store import Picture, StaleError, Store, UnknownMatchError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(f"sqlite:///{tmp_path / 'log.sqlite'}")
    yield made
    made.close()


def test_events_come_back_in_order_with_their_numbers(store: Store) -> None:
    """What was appended is read back, numbered from 1 without gaps."""
    match = store.create("rox", "Tuesday", "stone").id
    assert store.append(match, 0, [{"kind": "a"}, {"kind": "b", "n": 1.5}]) == 2
    assert store.append(match, 2, [{"kind": "c", "word": "Grün"}]) == 3
    assert [(e.seq, e.body) for e in store.events(match)] == [
        (1, {"kind": "a"}),
        (2, {"kind": "b", "n": 1.5}),
        (3, {"kind": "c", "word": "Grün"}),
    ]
    assert [e.seq for e in store.events(match, after=2)] == [3]


def test_second_writer_is_refused(store: Store) -> None:
    """Whoever writes behind a number that is taken gets a StaleError and nothing is stored."""
    match = store.create("rox", "Tuesday", "stone").id
    store.append(match, 0, [{"kind": "a"}])
    with pytest.raises(StaleError):
        store.append(match, 0, [{"kind": "late"}], [Picture.of(b"late")])
    assert [e.body["kind"] for e in store.events(match)] == ["a"]
    assert store.picture_ids(match) == ()


def test_two_stores_share_one_database(tmp_path: Path) -> None:
    """Two processes on one database see each other's events and cannot overwrite them."""
    url = f"sqlite:///{tmp_path / 'club.sqlite'}"
    one, two = Store(url), Store(url)
    match = one.create("rox", "Table 1", "stone").id
    one.append(match, 0, [{"kind": "a"}])
    assert two.last_seq(match) == 1
    with pytest.raises(StaleError):
        two.append(match, 0, [{"kind": "b"}])
    assert two.append(match, 1, [{"kind": "b"}]) == 2
    one.close()
    two.close()


def test_events_and_pictures_are_stored_together_or_not_at_all(store: Store) -> None:
    """An event that cannot be written takes its picture with it."""
    match = store.create("rox", "Tuesday", "stone").id
    with pytest.raises(ValueError, match="JSON"):
        store.append(match, 0, [{"kind": "a"}, {"x": float("nan")}], [Picture.of(b"p")])
    assert store.events(match) == ()
    assert store.picture_ids(match) == ()


def test_file_is_durable_at_commit(tmp_path: Path) -> None:
    """The SQLite file is in WAL mode and waits for the disk at every commit."""
    store = Store(f"sqlite:///{tmp_path / 'log.sqlite'}")
    with store._engine.connect() as c:
        assert c.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert c.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert c.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    store.close()


def test_repeated_command_is_recognised(store: Store) -> None:
    """The name of a command that was carried out is remembered with its match."""
    match = store.create("rox", "Tuesday", "stone").id
    store.append(match, 0, [{"kind": "a"}], command="tap-1")
    assert store.has_command(match, "tap-1")
    assert not store.has_command(match, "tap-2")


def test_matches_are_listed_latest_played_first(store: Store) -> None:
    """The list starts with the match that was played last."""
    first, second = store.create("rox", "One", "d").id, store.create("rox", "Two", "d").id
    store.append(second, 0, [{"kind": "a"}])
    with store._engine.begin() as c:
        c.exec_driver_sql("UPDATE events SET at = '2001-01-01'")
        c.exec_driver_sql("UPDATE matches SET created_at = '2002-01-01' WHERE id = ?", (first,))
    assert [r.id for r in store.matches()] == [first, second]
    assert store.matches()[1].last_seq == 1
    with pytest.raises(UnknownMatchError):
        store.record("nothing")


def test_unusable_database_is_one_clear_line(tmp_path: Path) -> None:
    """A database that cannot be opened names itself, without its password."""
    for url in (f"sqlite:///{tmp_path}/no/such/folder.sqlite", "what", "mars://u:secret@h/x"):
        with pytest.raises(StoreError) as e:
            Store(url)
        assert "\n" not in str(e.value)
        assert "secret" not in str(e.value)
    torn = tmp_path / "torn.sqlite"
    torn.write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StoreError, match=r"torn\.sqlite"):
        Store(f"sqlite:///{torn}")


def test_export_and_import_keep_everything(store: Store, tmp_path: Path) -> None:
    """An export read into another database is the same match, pictures included."""
    match = store.create("rox", "Tuesday", "stone").id
    store.append(match, 0, [{"kind": "a"}, {"kind": "b"}], [Picture.of(b"\xff\xd8evidence")], command="tap")
    lines = list(write_archive(store, match))
    other = Store(f"sqlite:///{tmp_path / 'other.sqlite'}")
    taken = other.add(*read_archive(io.StringIO("".join(lines))))
    assert list(write_archive(other, taken.id)) == lines
    assert other.add(*read_archive(io.StringIO("".join(lines)))).id == taken.id, "the same match again is no second one"
    other.append(match, 2, [{"kind": "c"}])
    copy = other.add(*read_archive(io.StringIO("".join(lines))))
    assert copy.id != match, "a log that went on is never overwritten"
    assert len(other.events(match)) == 3
    other.close()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda items: [], 1),
        (lambda items: items[1:], 1),
        (lambda items: [{**items[0], "format": 99}, *items[1:]], 1),
        (lambda items: [{**items[0], "id": "../../etc"}, *items[1:]], 1),
        (lambda items: [items[0], items[2], items[3]], 2),
        (lambda items: [*items[:2], {**items[2], "body": "text"}], 3),
        (lambda items: [*items[:3], {**items[3], "base64": "AAAA"}], 4),
        (lambda items: [*items[:3], {**items[3], "mime": "text/html"}], 4),
        (lambda items: [*items, {"kind": "surprise"}], 5),
        (lambda items: [*items, ["list"]], 5),
    ],
)
def test_damaged_export_is_refused_with_its_line(store: Store, change: object, line: int) -> None:
    """A line that is no part of an export is named."""
    match = store.create("rox", "Tuesday", "stone").id
    store.append(match, 0, [{"kind": "a"}, {"kind": "b"}], [Picture.of(b"p")])
    items = [json.loads(text) for text in write_archive(store, match)]
    damaged = "".join(json.dumps(item) + "\n" for item in change(items))  # type: ignore[operator]
    with pytest.raises(ArchiveError, match=f"^line {line}: "):
        read_archive(io.StringIO(damaged))


def test_export_with_nan_or_torn_json_is_refused() -> None:
    """What is no JSON is refused as well."""
    for text in ('{"kind": NaN}', '{"kind": "match"', "\x00", "[" * 100_000):
        with pytest.raises(ArchiveError, match=r"^line 1: "):
            read_archive(io.StringIO(text))


def test_log_can_be_read_with_any_sqlite(store: Store) -> None:
    """The file is plain SQL: a user's own script reads the events."""
    match = store.create("rox", "Tuesday", "stone").id
    store.append(match, 0, [{"kind": "a"}])
    with sqlite3.connect(store._engine.url.database or "") as c:
        rows = c.execute("SELECT match, seq, body FROM events").fetchall()
    c.close()
    assert rows == [(match, 1, '{"kind":"a"}')]


def test_a_moved_file_is_noticed(tmp_path: Path) -> None:
    """What would be written to it nobody would find: nothing is written, and one line says what happened."""
    path = tmp_path / "log.sqlite"
    store = Store(f"sqlite:///{path}")
    match = store.create("rox", "Tuesday", "stone").id
    path.rename(tmp_path / "elsewhere.sqlite")
    for write in (lambda: store.append(match, 0, [{"kind": "a"}]), lambda: store.create("rox", "b", "c")):
        with pytest.raises(StoreError, match="moved or deleted"):
            write()
    (tmp_path / "elsewhere.sqlite").rename(path)
    assert store.append(match, 0, [{"kind": "a"}]) == 1
    path.rename(tmp_path / "elsewhere.sqlite")
    Store(f"sqlite:///{path}").close()
    with pytest.raises(StoreError, match="moved or deleted"):
        store.append(match, 1, [{"kind": "b"}])
    store.close()


def test_a_new_database_is_its_users_only(tmp_path: Path) -> None:
    """Nobody else on this computer reads the addresses of cameras in it, nor what is written beside it."""
    store = Store(f"sqlite:///{tmp_path / 'own.sqlite'}")
    store.remember("camera", "rtsp://user:secret@host/")
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o600}
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
@pytest.mark.parametrize(("was", "becomes"), [(0o644, 0o600), (0o640, 0o600), (0o664, 0o660), (0o600, 0o600)])
def test_a_database_that_was_there_is_closed_to_others(tmp_path: Path, was: int, becomes: int) -> None:
    """One of an earlier version is its user's only from then on; one that a group may write stays that group's."""
    path = tmp_path / "matches.sqlite"
    Store(f"sqlite:///{path}").close()
    path.chmod(was)
    Store(f"sqlite:///{path}").close()
    assert path.stat().st_mode & 0o777 == becomes
