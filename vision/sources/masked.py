"""A source's name as it may be shown: an address of the network keeps its secrets."""

from __future__ import annotations

import re

_NUMBER_OF_A_CAMERA = re.compile(r"([A-Za-z_]{1,20})=(\d{1,2})")
"""What tells one camera of an address from another; so short a number is no secret."""


def masked(source: object) -> str:
    """What a user calls a source, without user, password and query where it is an address."""
    name = str(source)
    scheme, apart, rest = name.partition("://")
    if not apart:
        return name
    place = re.sub(r"^[^/?#]*@", "", rest)
    shown = re.split(r"[?#]", place, maxsplit=1)[0]
    return f"{scheme}://{shown.rpartition('@')[2]}" + ("?…" if shown != place else "")


def lasting_address(address: str) -> str:
    """An address of the network as the lasting name of its camera: without user, password, and query.

    Of the query the short numbers stay, as of a channel, that tell apart the cameras of one recorder.
    """
    place, apart, _ = masked(address).partition("?…")
    query = address.partition("?")[2].partition("#")[0] if apart else ""
    numbers = [part for part in query.split("&") if _NUMBER_OF_A_CAMERA.fullmatch(part)]
    return place + "?" * bool(numbers) + "&".join(numbers)
