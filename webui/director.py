"""Plays a demonstration: a list of commands, each at its time in the recording.

A step that the match refuses is tried again with the next frame, so a demonstration waits for a slow computer instead
of losing its thread.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from scoring.commands import CallEnd, Command, ConfirmRound, DealScoring, StartRace
from scoring.errors import RefereeError
from scoring.events import DealtCard

ACTIONS = ("deal", "start", "call", "confirm")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the script.

    Parameters
    ----------
    at_s
        Earliest time in the recording.
    action
        ``deal`` (with `values`), ``start``, ``call`` (with `seat`) or ``confirm``.
    seat
        Who calls.
    values
        Points of the scoring cards that lie open.
    """

    at_s: float
    action: str
    seat: str = ""
    values: tuple[int, ...] = ()

    def command(self, at: str) -> Command:
        """The command of this step, given now."""
        match self.action:
            case "deal":
                return DealScoring(at, tuple(DealtCard(v) for v in self.values))
            case "start":
                return StartRace(at)
            case "call":
                return CallEnd(at, self.seat)
            case _:
                return ConfirmRound(at)


@dataclass(frozen=True, slots=True)
class Script:
    """A whole demonstration.

    Parameters
    ----------
    players
        Names by seat.
    steps
        In the order of their time.
    loop_s
        The recording begins anew after so long and the steps with it; None holds its last picture.
    """

    players: dict[str, str]
    steps: tuple[Step, ...]
    loop_s: float | None = None


class Director:
    """Says which command is due. Holds the place in the script; `done` moves it on.

    Parameters
    ----------
    script
        What to play.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._next = 0

    def due(self, at_s: float, at: str) -> Command | None:
        """The command whose time has come, or None.

        Parameters
        ----------
        at_s
            Seconds since the recording began the first time.
        at
            The time of the clock, for the log.
        """
        steps = self._script.steps
        if not steps or (self._script.loop_s is None and self._next >= len(steps)):
            return None
        turn, index = divmod(self._next, len(steps))
        step = steps[index]
        return step.command(at) if at_s >= turn * (self._script.loop_s or 0.0) + step.at_s else None

    def done(self) -> None:
        """The command that was due has been carried out."""
        self._next += 1


def load_script(path: Path) -> Script:
    """Read a script: ``{"players": {seat: name}, "loop_s": null, "steps": [{"at_s", "do", "seat", "values"}]}``.

    Raises
    ------
    RefereeError
        Naming the file and what is wrong in it.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        steps = [
            Step(float(s["at_s"]), str(s["do"]), str(s.get("seat", "")), tuple(int(v) for v in s.get("values", ())))
            for s in data["steps"]
        ]
        players = {str(seat): str(name) for seat, name in data["players"].items()}
        loop_s = None if data.get("loop_s") is None else float(data["loop_s"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise RefereeError(f"{path}: this is no script of a demonstration ({type(e).__name__}: {e})") from e
    for step in steps:
        if step.action not in ACTIONS:
            raise RefereeError(f'{path}: "do" must be one of {", ".join(ACTIONS)}, this script says "{step.action}"')
    return Script(players, tuple(sorted(steps, key=lambda s: s.at_s)), loop_s)
