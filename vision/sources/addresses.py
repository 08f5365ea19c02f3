"""An address of a network camera as a person types it: its scheme is told where it is left out."""

from __future__ import annotations

import re
from pathlib import Path

_NUMBER = r"(?:\d{1,3}\.){3}\d{1,3}"
_NAME = r"(?=[\d.-]*[a-z])[a-z\d](?:[a-z\d.-]*[a-z\d])?"
_PLACE = re.compile(
    rf"(?:[^\s/@]+@)?(?:{_NUMBER}|(?:{_NUMBER}|{_NAME}|\[[\da-f:.]+\]):(?P<port>\d{{1,5}}))(?:[/?]\S*)?", re.IGNORECASE
)
"""A host with a port, or the four numbers of one: a name without a port is rather that of a file."""
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


def _is_here(name: str) -> bool:
    """Whether a file of this computer has that name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False
