"""What a command of the command line tells, run with an eye that knows what each picture shows."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scoring.errors import RefereeError
from webui import cli
from webui.commands import live, photos

Told = tuple[int, list[dict[str, Any]], str]
"""Exit status, the lines on standard output, and standard error."""
COMMANDS: dict[str, Callable[..., int]] = {"judge": photos.judge, "cards": photos.cards, "watch": live.watch}


def told_by(observe: Callable[..., Any], argv: list[str], capsys: pytest.CaptureFixture[str]) -> Told:
    """Run a command as the program does."""
    args = cli.build_parser().parse_args(argv)
    try:
        status = COMMANDS[args.command](args, observe)
    except RefereeError as error:
        cli.complain(error)
        status = cli.UNUSABLE
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err
