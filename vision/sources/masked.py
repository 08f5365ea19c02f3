"""A source's name as it may be shown: an address of the network keeps its secrets."""

from __future__ import annotations

import re

_NUMBER_OF_A_CAMERA = re.compile(r"([A-Za-z_]{1,20})=(\d{1,2})")
"""What tells one camera of an address from another; so short a number is no secret, save where it is called one."""
_SECRET = (
    r"(?:user|usr|login|account|pass|pwd|psw|pw|code|token|key|secret|auth|cred|sign|session"
    r"|(?<![a-z])pin|pin(?![a-z]))"
)
_CALLED_SECRET = re.compile(rf".*{_SECRET}.*|[upk]", re.IGNORECASE)
_IN_PATH = re.compile(rf"({_SECRET}[\w-]*(?:=|%3d))[^/;&,]*?(?=$|[/;&,]|_[a-z]+=)", re.IGNORECASE)
"""A secret among the names and values of a path, which `_`, `&`, `;` or `,` part."""
_HOST = re.compile(r"(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?", re.IGNORECASE)


def masked(source: object) -> str:
    """What a user calls a source, without user, password and query where it is an address."""
    shown, query = _parted(str(source))
    return shown + ("?…" if query is not None else "")


def lasting_address(address: str) -> str:
    """An address of the network as the lasting name of its camera: without user, password, and query.

    Of the query the short numbers stay, as of a channel, that tell apart the cameras of one recorder.
    """
    shown, query = _parted(address)
    numbers = [part for part in (query or "").partition("#")[0].split("&") if _tells_a_camera(part)]
    return shown + "?" * bool(numbers) + "&".join(numbers)


def _parted(source: str) -> tuple[str, str | None]:
    """What of a source may be shown, and what follows its path; None where nothing does."""
    scheme, apart, rest = source.partition("://")
    if not apart:
        return source, None
    start, slash, more = rest.partition("/")
    before = re.split(r"[?#]", start, maxsplit=1)[0]
    behind = start[len(before) :]
    # a password may hold the marks of a query, save where a host and a query with values stand there
    if "@" in start and not ("@" not in before and "=" in behind and _HOST.fullmatch(before)):
        rest = start.rpartition("@")[2] + slash + more
    place, *follows = re.split(r"[?#]", rest, maxsplit=1)
    query = rest[len(place) + 1 :] if follows else None
    place = _IN_PATH.sub(r"\1…", place.rpartition("@")[2])
    return f"{scheme}://{place}", query


def _tells_a_camera(part: str) -> bool:
    found = _NUMBER_OF_A_CAMERA.fullmatch(part)
    return found is not None and not _CALLED_SECRET.fullmatch(found[1])
