"""The tables of the log, and how a database is opened."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Engine,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    select,
)
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

_TABLES = MetaData()
MATCHES = Table(
    "matches",
    _TABLES,
    Column("id", String(32), primary_key=True),
    Column("game", String(32), nullable=False),
    Column("title", String(200), nullable=False),
    Column("deck", String(200), nullable=False),
    Column("created_at", String(40), nullable=False),
)
EVENTS = Table(
    "events",
    _TABLES,
    Column("match", String(32), ForeignKey("matches.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", String(40), nullable=False),
    # Name that the sender gave to the command, so that a repeated post after a lost answer is recognised.
    Column("command", String(64), nullable=True),
    Column("body", Text, nullable=False),
)
PICTURES = Table(
    "pictures",
    _TABLES,
    Column("match", String(32), ForeignKey("matches.id"), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("mime", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    # Where the pieces lie on the picture, so that a ruling can point at them.
    Column("marks", Text, nullable=False),
)

SETTINGS = Table(
    "settings",
    _TABLES,
    Column("name", String(100), primary_key=True),
    Column("value", String(200), nullable=False),
)


class StoreError(Exception):
    """The database cannot be used; the message says which and why."""


def open_database(url: str) -> Engine:
    """A database with the tables of the log, made where they lack; see `webui.log.store.Store` for the address.

    Raises
    ------
    StoreError
        Where it cannot be opened, or holds other tables of these names; later, whenever it cannot be used.
    """
    engine = _engine_of(url)
    try:
        _TABLES.create_all(engine)
        with engine.connect() as c:
            for table in _TABLES.sorted_tables:  # a foreign table of the same name lacks the columns
                c.execute(select(table).limit(0))
    except SQLAlchemyError as e:
        name, reason = _without_password(url), _reason(e)
        raise StoreError(f"{name}: the database cannot be opened ({reason}); name another one") from e
    _translate_errors(engine, _without_password(url))
    return engine


def _engine_of(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True)
        in_memory = parsed.database in (None, "", ":memory:")
        if in_memory:
            engine = create_engine(parsed, poolclass=StaticPool, connect_args={"check_same_thread": False})
        else:
            _keep_private(Path(parsed.database or ""))
            engine = create_engine(parsed)
    except (ArgumentError, ImportError, SQLAlchemyError) as e:
        raise StoreError(f"{_without_password(url)}: not a database that can be used here ({_reason(e)})") from e

    @event.listens_for(engine, "connect")
    def _pragmas(connection: Any, _record: Any) -> None:
        # FULL: a commit is on the disk when it returns, so a call that was answered survives a power cut.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _keep_private(path: Path) -> None:
    """A database is its user's only, also one that was there: it keeps names, pictures and the addresses of cameras.

    One that its group may write is shared with that group on purpose, and is closed to all others only.
    """
    if not path.name or str(path).startswith("file:"):
        return
    with contextlib.suppress(OSError):  # there already, or told when it is opened
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    for file in (path, *(path.with_name(path.name + more) for more in ("-wal", "-shm"))):
        with contextlib.suppress(OSError):  # not there, or somebody else's
            mode = file.stat().st_mode
            closed = mode & ~(stat.S_IRWXO if mode & stat.S_IWGRP else stat.S_IRWXG | stat.S_IRWXO)
            if stat.S_ISREG(mode) and closed != mode:
                file.chmod(stat.S_IMODE(closed))


def _translate_errors(engine: Engine, name: str) -> None:
    @event.listens_for(engine, "handle_error")
    def _say(context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        # A broken key is how a second writer shows itself; everything else is the disk's or the server's.
        if not isinstance(error, IntegrityError):
            reason = _reason(error or context.original_exception)
            raise StoreError(f"{name}: the database cannot be used now ({reason}); nothing was changed")


def _without_password(url: str) -> str:
    """The address without its password."""
    try:
        return make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return "--database"


def _reason(e: BaseException) -> str:
    return str(getattr(e, "orig", None) or e).strip().splitlines()[0]
