"""An address of a network camera as a person types it: its scheme is told where it is left out."""

from __future__ import annotations

import re
from pathlib import Path

_NUMBER = r"(?:\d{1,3}\.){3}\d{1,3}"
_NAME = r"(?=[\d.-]*[a-z])[a-z\d](?:[a-z\d.-]*[a-z\d])?"
_PLACE = re.compile(
    rf"(?:[^\s/]+@)?(?:{_NUMBER}|(?:{_NUMBER}|{_NAME}|\[[\da-f:.]+\]):(?P<port>\d{{1,5}}))(?:[/?]\S*)?", re.IGNORECASE
)
"""A host with a port, or the four numbers of one: a name without a port is rather that of a file.

A password before it may hold an ``@``.
"""
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:]+)(?::(?P<port>.*))?")
_PORT_MAX = 65535
_SCHEMES = {"443": "https", "8443": "https", "554": "rtsp", "8554": "rtsp", "322": "rtsps", "1935": "rtmp"}
"""What usually answers at a port; pictures by http at every other one."""


def completed(spec: str) -> str:
    """What names a source, with the scheme of its address where that was left out.

    A file or folder of this name stays one, and so does whatever is no place in a network.
    """
    name = spec.strip()
    told = _PLACE.fullmatch(name)
    if told is None or _is_here(name):
        return spec
    return f"{_SCHEMES.get(told['port'] or '', 'http')}://{name}"


def fault_of(address: str) -> str:
    """What keeps an address with its scheme from ever leading to a camera; empty where nothing does."""
    start = address.partition("://")[2].partition("/")[0]
    told = _HOST.fullmatch(re.split(r"[?#]", start.rpartition("@")[2])[0])
    if told is None:
        return "names no host"
    port = told["port"]
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) <= _PORT_MAX):
        return f"{port} is no port, which is a number from 1 to {_PORT_MAX}"
    return ""


def _is_here(name: str) -> bool:
    """Whether a file of this computer has that name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False
