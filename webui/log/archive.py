"""A match as JSON Lines: its head, its events, its pictures, one a line; for a backup and for another computer."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import IO

from webui.log.store import FORMAT, Json, MatchRecord, Picture, Store, StoredEvent

MAX_LINE = 24 * 1024 * 1024
"""Characters in one line; a picture of 16 MB in base64 fits."""
MAX_LINES = 50_000

_HEAD = {"id": 32, "game": 32, "title": 200, "deck": 200, "created_at": 40}
_ID = re.compile(r"[0-9a-z-]{1,32}")


class ArchiveError(ValueError):
    """A file is no export of a match; the message names the line."""


def write_archive(store: Store, match: str, with_pictures: bool = True) -> Iterator[str]:
    """The lines of a match. Raises `webui.log.store.UnknownMatchError` on the first line."""
    r = store.record(match)
    head = {"id": r.id, "game": r.game, "title": r.title, "deck": r.deck, "created_at": r.created_at}
    yield _line({"kind": "match", "format": FORMAT, **head})
    for e in store.events(match):
        yield _line({"kind": "event", "seq": e.seq, "at": e.at, "command": e.command, "body": e.body})
    if not with_pictures:
        return
    for name in store.picture_ids(match):
        if p := store.picture(match, name):
            data = base64.b64encode(p.data).decode("ascii")
            yield _line({"kind": "picture", "id": p.id, "mime": p.mime, "marks": p.marks, "base64": data})


def read_archive(lines: IO[str]) -> tuple[MatchRecord, tuple[StoredEvent, ...], tuple[Picture, ...]]:
    """The match in an export; nothing of it is trusted before it has its form.

    Raises
    ------
    ArchiveError
        If a line is not part of an export.
    """
    head: MatchRecord | None = None
    events: list[StoredEvent] = []
    pictures: list[Picture] = []
    for number in range(1, MAX_LINES + 2):
        line = lines.readline(MAX_LINE + 1)
        if not line:
            break
        if len(line) > MAX_LINE or number > MAX_LINES:
            raise ArchiveError(f"line {number}: the file is too large for a match")
        if not line.strip():
            continue
        try:
            item = json.loads(line, parse_constant=_refuse)
            _line(item).encode()  # half a surrogate pair or a number beyond all bounds could not be stored
            kind = item["kind"]
            if head is None:
                if kind != "match" or item["format"] != FORMAT:
                    raise ArchiveError(f"line {number}: this is no exported match of format {FORMAT}")
                head = _head(item)
            elif kind == "event":
                if item["seq"] != len(events) + 1 or not isinstance(item["body"], dict):
                    raise ArchiveError(f"line {number}: event {len(events) + 1} is missing or damaged")
                command = None if item.get("command") is None else _text(item, "command", 64)
                events.append(StoredEvent(item["seq"], _text(item, "at", 40), item["body"], command))
            elif kind == "picture":
                data = base64.b64decode(item["base64"], validate=True)
                picture = Picture.of(data, _text(item, "mime", 64), item["marks"])
                known = picture.mime in ("image/jpeg", "image/png") and isinstance(picture.marks, dict)
                if picture.id != item["id"] or not known:
                    raise ArchiveError(f"line {number}: the picture is damaged")
                pictures.append(picture)
            else:
                raise ArchiveError(f"line {number}: unknown kind {str(kind)[:40]!r}")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as e:
            if isinstance(e, ArchiveError):
                raise
            raise ArchiveError(f"line {number}: not a line of an exported match") from e
    if head is None:
        raise ArchiveError("line 1: the file is empty")
    return head, tuple(events), tuple(pictures)


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and infinities are no JSON


def _text(item: Json, key: str, length: int) -> str:
    value = item[key]
    if not isinstance(value, str) or len(value) > length or "\0" in value:
        raise ValueError(key)
    return value


def _head(item: Json) -> MatchRecord:
    name, game, title, deck, created_at = (_text(item, key, length) for key, length in _HEAD.items())
    if not _ID.fullmatch(name):
        raise ValueError("id")
    return MatchRecord(name, game, title, deck, created_at)


def _line(item: Json) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
