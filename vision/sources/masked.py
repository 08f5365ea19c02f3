"""A source's name as it may be shown: an address of the network keeps its secrets."""

from __future__ import annotations

import re


def masked(source: object) -> str:
    """What a user calls a source, without user, password and query where it is an address."""
    name = str(source)
    scheme, apart, rest = name.partition("://")
    if not apart:
        return name
    place = re.sub(r"^[^/?#]*@", "", rest)
    shown = re.split(r"[?#]", place, maxsplit=1)[0]
    return f"{scheme}://{shown.rpartition('@')[2]}" + ("?…" if shown != place else "")
