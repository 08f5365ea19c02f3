"""Plays a demonstration: a list of commands, each at its time in the recording.

A step that the match refuses is tried again with the next frame, so a demonstration waits for a slow computer instead
of losing its thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scoring.commands import (
    CallEnd,
    Command,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    DrawTwo,
    EndTurn,
    FinishMatch,
    RollDie,
    StartRace,
)
from scoring.deck import Deck
from scoring.errors import RefereeError
from scoring.events import DealtCard, Player
from scoring.moves import CactusDie, DieFace
from scoring.verdicts import Call, Ruling

ACTIONS = ("deal", "start", "call", "confirm", "begin", "roll", "draw", "end", "finish")
FACES: Mapping[str, DieFace | CactusDie] = {str(face): face for face in (*DieFace, *CactusDie)}
"""Every face of a die, CONEX and Cactus, by its word."""
READ_S = 6.0
"""A verdict is shown for so long at least."""
PAUSE_S = 15.0
"""Between the end of a recording and its next beginning."""


BEHIND_S = 1.0
"""A step may be so late before the recording waits for it."""
AHEAD_S = 0.15
"""So far may the recording be ahead of what was looked at."""


@dataclass(slots=True)
class Pace:
    """Lets a recording wait for a slow computer, so that no move is missed.

    Parameters
    ----------
    behind
        Whether a step is due that could not be carried out yet, or something is to be read: the recording shows its
        picture of now.
    held_s
        How long it has stood still for that, all in all.
    seen_s
        Time of the last frame that was looked at; None where nobody says.
    frozen
        Whether the recording stands still for good: people play on.
    """

    behind: bool = False
    held_s: float = 0.0
    seen_s: float | None = None
    frozen: bool = False

    def ahead(self, at_s: float) -> bool:
        """Whether a frame of that time is far ahead of what was looked at."""
        return self.seen_s is not None and at_s - self.seen_s > AHEAD_S


@dataclass(frozen=True, slots=True)
class TakeNow:
    """Begin with the table as it lies now."""


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the script.

    Parameters
    ----------
    at_s
        Earliest time in the recording.
    action
        Rox: ``deal`` (with `values`), ``start``, ``call`` (with `seat`). CONEX: ``begin`` (with the table as it lies),
        ``roll`` (with `face`), ``draw``, ``end`` (of the turn), ``finish`` (no card can be laid). Cactus: ``begin``,
        ``roll``, ``finish`` (`early`: the players stop here). All: ``confirm``.
    seat
        Who calls.
    values
        Points of the scoring cards that lie open.
    face
        What the die shows.
    early
        Whether the match is stopped before its end by the rules.
    """

    at_s: float
    action: str
    seat: str = ""
    values: tuple[int, ...] = ()
    face: str = ""
    early: bool = False

    def command(self, at: str) -> Command | TakeNow:
        """The command of this step, given now."""
        match self.action:
            case "begin":
                return TakeNow()
            case "roll":
                return RollDie(at, FACES[self.face])
            case "draw":
                return DrawTwo(at)
            case "end":
                return EndTurn(at)
            case "finish":
                return FinishMatch(at, early=self.early)
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
    pawns
        Colours of the pawns by seat, in a game that has some.
    """

    players: dict[str, str]
    steps: tuple[Step, ...]
    loop_s: float | None = None
    pawns: Mapping[str, str] = field(default_factory=dict)

    @property
    def period_s(self) -> float | None:
        """Time from one beginning to the next: the recording, and some time to look at how it ended."""
        return None if self.loop_s is None else self.loop_s + PAUSE_S

    def create(self, deck: Deck, at: str) -> CreateMatch:
        """The match that is played: as many rounds as the script agrees to, so that it comes to its end."""
        players = tuple(Player(name, seat, self.pawns.get(seat)) for seat, name in self.players.items())
        if deck.game != "rox":
            return CreateMatch(at, deck.game, players, deck)
        rounds = sum(step.action == "confirm" for step in self.steps)
        return CreateMatch(at, deck.game, players, deck, {"rounds": min(max(rounds, 1), 5)})


class Director:
    """Says which command is due. Holds the place in the script; `done` moves it on.

    Parameters
    ----------
    script
        What to play.
    create
        Makes the command of a new match, given the time of the clock; each turn of a looping script begins with one.
        None plays on with the match that is there.
    pace
        Shared with the recording, so that it waits for what the match is not ready for.
    """

    def __init__(
        self, script: Script, create: Callable[[str], CreateMatch] | None = None, pace: Pace | None = None
    ) -> None:
        self._script = script
        self._create = create
        self.pace = pace or Pace()
        self._turn = -1
        self._next = 0
        self._begun = False
        self._read_s = 0.0
        self._ruling: Ruling | None = None

    @property
    def turn(self) -> int:
        """How often the recording has begun anew."""
        return max(self._turn, 0)

    def due(self, at_s: float, at: str, judged: bool = False, ruling: Ruling | None = None) -> Command | TakeNow | None:
        """The command whose time has come, or None.

        Parameters
        ----------
        at_s
            Seconds since the recording began the first time.
        at
            The time of the clock, for the log.
        judged
            Whether a verdict is shown; it stays for a while, so that people can read it, before it is agreed to.
        ruling
            The ruling that is shown. A new one stays as long; where it tells of more than what is right, the recording
            waits for its readers.
        """
        fresh = ruling is not None and ruling != self._ruling
        self._ruling = ruling
        if fresh or not (judged or ruling is not None):
            self._read_s = at_s + READ_S
        at_script_s = at_s - self.pace.held_s
        period_s = self._script.period_s
        turn, since_s = (0, at_script_s) if period_s is None else divmod(at_script_s, period_s)
        if turn != self._turn:
            # Whatever the turn before left open, for instance a row that nobody could read, is left behind.
            self._turn, self._next, self._begun = int(turn), 0, self._create is None
        if not self._begun and self._create is not None:
            return self._create(at)
        steps = self._script.steps
        reading = at_s < self._read_s and ruling is not None and any(v.call is not Call.LEGAL for v in ruling.verdicts)
        self.pace.behind = reading or (self._next < len(steps) and since_s > steps[self._next].at_s + BEHIND_S)
        if self._next >= len(steps) or since_s < steps[self._next].at_s:
            return None
        if steps[self._next].action == "confirm" and at_s < self._read_s:
            return None
        return steps[self._next].command(at)

    def done(self) -> None:
        """The command that was due has been carried out."""
        if self._begun:
            self._next += 1
        self._begun = True
        self.pace.behind = False


def load_script(path: Path) -> Script:
    """Read a script: ``{"players": {seat: name}, "pawns": {…}, "loop_s": null, "steps": [{"at_s", "do", …}]}``.

    Raises
    ------
    RefereeError
        Naming the file and what is wrong in it.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
        steps = [
            Step(
                float(s["at_s"]),
                str(s["do"]),
                str(s.get("seat", "")),
                tuple(int(v) for v in s.get("values", ())),
                str(s.get("face", "")),
                bool(s.get("early", False)),
            )
            for s in data["steps"]
        ]
        pawns = {str(seat): str(color) for seat, color in data.get("pawns", {}).items()}
        players = {str(seat): str(name) for seat, name in data["players"].items()}
        loop_s = None if data.get("loop_s") is None else float(data["loop_s"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise RefereeError(f"{path}: this is no script of a demonstration ({type(e).__name__}: {e})") from e
    for step in steps:
        if step.action not in ACTIONS:
            raise RefereeError(f'{path}: "do" must be one of {", ".join(ACTIONS)}, this script says "{step.action}"')
        if step.action == "roll" and step.face not in FACES:
            raise RefereeError(f'{path}: the die has no face "{step.face}"; it has {", ".join(FACES)}')
    return Script(players, tuple(sorted(steps, key=lambda s: s.at_s)), loop_s, pawns)
