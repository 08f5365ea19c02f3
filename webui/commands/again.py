"""How the program is started once more, with something besides."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from vision.sources.addresses import completed
from vision.sources.masked import masked


def with_phones(argv: Sequence[str]) -> str:
    """The command that lets phones in and is otherwise the one by which this program was started.

    Empty where that is not known. An address that holds a secret is only hinted at: the command stands on a page.
    """
    return f"referee {shlex.join(_shown(a) for a in argv)} --host 0.0.0.0" if argv else ""


def _shown(argument: str) -> str:
    option, equals, value = argument.partition("=") if argument.startswith("-") else ("", "", argument)
    address = completed(value)  # one whose scheme was left out may hold a secret, too
    return argument if masked(address) == address else f"{option}{equals}{address.partition('://')[0]}://…"
