"""The match log on disk: append-only events and the pictures that prove them.

Nothing here knows a rule. An event is a JSON object; the store numbers it, keeps it and gives it back. The unique key
(match, seq) makes a double write impossible, whoever shares the database.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from webui.log.database import EVENTS, MATCHES, PICTURES, SETTINGS, StoreError, open_database
from webui.log.database_file import DatabaseFile

Json = Mapping[str, Any]
"""A JSON object."""

FORMAT = 1
"""Version of the tables and of the export."""


class StaleError(Exception):
    """Somebody else wrote first: the match has moved on since the writer looked."""


class UnknownMatchError(KeyError):
    """No match has that id."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """The head of a match: what is known without reading its events."""

    id: str
    game: str
    title: str
    deck: str
    created_at: str
    last_seq: int = 0
    last_at: str = ""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One line of the log. `seq` counts from 1 without gaps."""

    seq: int
    at: str
    body: Json
    command: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """An evidence picture; its id is the SHA-256 of its bytes.

    `marks` is a JSON object: ``size`` ([width, height] in pixels) and ``quads`` (key of a placement -> four corners).
    """

    id: str
    mime: str
    data: bytes
    marks: Json = field(default_factory=dict)

    @staticmethod
    def of(data: bytes, mime: str = "image/jpeg", marks: Json | None = None) -> Picture:
        """The picture with the id that its bytes give it."""
        return Picture(hashlib.sha256(data).hexdigest(), mime, data, marks or {})


def now() -> str:
    """The time in UTC as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """Matches in one database.

    Parameters
    ----------
    url
        Any SQLAlchemy URL; ``sqlite:///file`` by default of the program. ``sqlite://`` lives in memory.

    Raises
    ------
    StoreError
        If the database cannot be opened, or holds a newer format.
    """

    def __init__(self, url: str) -> None:
        self._engine = open_database(url)
        self._file = DatabaseFile.of(url)

    def _check_there(self) -> None:
        if self._file is not None and not self._file.is_there:
            raise StoreError(
                f"{self._file.path}: the database was moved or deleted while it was in use; nothing was changed. "
                "Put it back, or start the referee anew"
            )

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def create(self, game: str, title: str, deck: str) -> MatchRecord:
        """A new match without events."""
        self._check_there()
        record = MatchRecord(secrets.token_hex(6), game, title[:200], deck[:200], now())
        with self._engine.begin() as c:
            _insert_match(c, record)
        return record

    def rename(self, match: str, title: str) -> None:
        """Give a match another title."""
        with self._engine.begin() as c:
            done = c.execute(update(MATCHES).where(MATCHES.c.id == match).values(title=title[:200]))
            if done.rowcount != 1:
                raise UnknownMatchError(match)

    def remove(self, match: str) -> None:
        """Delete a match with its log and its pictures, all or nothing; nothing where there is none."""
        with self._engine.begin() as c:
            for table in (EVENTS, PICTURES):
                c.execute(delete(table).where(table.c.match == match))
            c.execute(delete(MATCHES).where(MATCHES.c.id == match))

    def append(
        self,
        match: str,
        after: int,
        bodies: Sequence[Json],
        pictures: Iterable[Picture] = (),
        command: str | None = None,
    ) -> int:
        """Add events behind number `after`, with their pictures, all or nothing; on disk when this returns.

        Returns
        -------
        int
            The number of the last event.

        Raises
        ------
        StaleError
            If the log has not exactly `after` events: somebody else wrote.
        """
        self._check_there()
        at = now()
        try:
            with self._engine.begin() as c:
                if _last_seq(c, match) != after:
                    raise StaleError(match)
                for p in pictures:
                    _insert_picture(c, match, p)
                for i, body in enumerate(bodies, start=after + 1):
                    c.execute(
                        insert(EVENTS).values(match=match, seq=i, at=at, command=command, body=_dumps(body)),
                    )
        except IntegrityError as e:
            raise StaleError(match) from e
        return after + len(bodies)

    def record(self, match: str) -> MatchRecord:
        """The head of one match; raises `UnknownMatchError`."""
        for r in self._records(match):
            return r
        raise UnknownMatchError(match)

    def matches(self) -> tuple[MatchRecord, ...]:
        """All matches, the latest played first."""
        return tuple(sorted(self._records(None), key=lambda r: (r.last_at or r.created_at, r.id), reverse=True))

    def _records(self, match: str | None) -> list[MatchRecord]:
        last = (
            select(EVENTS.c.match, func.max(EVENTS.c.seq).label("seq"), func.max(EVENTS.c.at).label("at"))
            .group_by(EVENTS.c.match)
            .subquery()
        )
        query = select(MATCHES, last.c.seq, last.c.at).outerjoin(last, last.c.match == MATCHES.c.id)
        if match is not None:
            query = query.where(MATCHES.c.id == match)
        with self._engine.connect() as c:
            rows = c.execute(query).all()
        return [MatchRecord(r.id, r.game, r.title, r.deck, r.created_at, r.seq or 0, r.at or "") for r in rows]

    def last_seq(self, match: str) -> int:
        """The number of events of a match."""
        with self._engine.connect() as c:
            return _last_seq(c, match)

    def events(self, match: str, after: int = 0) -> tuple[StoredEvent, ...]:
        """The events behind number `after`, in order."""
        query = select(EVENTS).where(EVENTS.c.match == match, EVENTS.c.seq > after).order_by(EVENTS.c.seq)
        with self._engine.connect() as c:
            return tuple(StoredEvent(r.seq, r.at, json.loads(r.body), r.command) for r in c.execute(query))

    def has_command(self, match: str, command: str) -> bool:
        """Whether a command of that name was carried out already."""
        query = select(EVENTS.c.seq).where(EVENTS.c.match == match, EVENTS.c.command == command).limit(1)
        with self._engine.connect() as c:
            return c.execute(query).first() is not None

    def picture(self, match: str, picture: str) -> Picture | None:
        """An evidence picture, or None."""
        query = select(PICTURES).where(PICTURES.c.match == match, PICTURES.c.id == picture)
        with self._engine.connect() as c:
            row = c.execute(query).first()
        return None if row is None else Picture(row.id, row.mime, row.data, json.loads(row.marks))

    def marks(self, match: str, picture: str) -> Json:
        """Where the pieces lie on an evidence picture; empty where there is no such picture."""
        query = select(PICTURES.c.marks).where(PICTURES.c.match == match, PICTURES.c.id == picture)
        with self._engine.connect() as c:
            row = c.execute(query).first()
        return {} if row is None else dict(json.loads(row.marks))

    def secret(self) -> bytes:
        """A random key of this database, made when it is first asked for."""
        if self.recall("secret") is None:
            try:
                with self._engine.begin() as c:
                    c.execute(insert(SETTINGS).values(name="secret", value=secrets.token_hex(32)))
            except IntegrityError:
                pass  # another process made it just now
        return bytes.fromhex(self.recall("secret") or "")

    def recall(self, name: str) -> str | None:
        """A remembered setting, or None."""
        with self._engine.connect() as c:
            value = c.execute(select(SETTINGS.c.value).where(SETTINGS.c.name == name)).scalar()
        return None if value is None else str(value)

    def remember(self, name: str, value: str) -> None:
        """Keep a setting; the last one of a name counts."""
        with self._engine.begin() as c:
            if not c.execute(update(SETTINGS).where(SETTINGS.c.name == name).values(value=value)).rowcount:
                c.execute(insert(SETTINGS).values(name=name, value=value))

    def picture_ids(self, match: str) -> tuple[str, ...]:
        """The ids of all pictures of a match."""
        query = select(PICTURES.c.id).where(PICTURES.c.match == match).order_by(PICTURES.c.id)
        with self._engine.connect() as c:
            return tuple(row.id for row in c.execute(query))

    def add(self, head: MatchRecord, events: Sequence[StoredEvent], pictures: Iterable[Picture]) -> MatchRecord:
        """Take in a whole match, all or nothing. One that is here already keeps its log: the newcomer gets a new id."""
        try:
            known = self.record(head.id)
        except UnknownMatchError:
            pass
        else:
            if [(e.seq, e.body) for e in self.events(known.id)] == [(e.seq, e.body) for e in events]:
                return known
            head = replace(head, id=secrets.token_hex(6))
        with self._engine.begin() as c:
            _insert_match(c, head)
            for p in pictures:
                _insert_picture(c, head.id, p)
            for e in events:
                row = {"match": head.id, "seq": e.seq, "at": e.at, "command": e.command, "body": _dumps(e.body)}
                c.execute(insert(EVENTS).values(row))
        return self.record(head.id)


def _dumps(body: Json) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _last_seq(c: Connection, match: str) -> int:
    return c.execute(select(func.max(EVENTS.c.seq)).where(EVENTS.c.match == match)).scalar() or 0


def _insert_match(c: Connection, r: MatchRecord) -> None:
    c.execute(insert(MATCHES).values(id=r.id, game=r.game, title=r.title, deck=r.deck, created_at=r.created_at))


def _insert_picture(c: Connection, match: str, p: Picture) -> None:
    known = select(PICTURES.c.id).where(PICTURES.c.match == match, PICTURES.c.id == p.id)
    if c.execute(known).first() is None:
        c.execute(insert(PICTURES).values(match=match, id=p.id, mime=p.mime, data=p.data, marks=_dumps(p.marks)))
