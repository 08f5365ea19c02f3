"""A match of Cactus for tests, told in few words: what hangs, what touches, and what people say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scoring.commands import (
    AcceptTable,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    Declare,
    RecordTable,
    RollDie,
    Undo,
)
from scoring.events import Event, OptionValue, Player
from scoring.games.cactus_must import Must, must_of
from scoring.games.cactus_play import CactusPlay, Ledger
from scoring.games.cactus_turn import TurnRecord
from scoring.match import MatchState, decide, fold, legal_commands
from scoring.moves import CactusDie, Declaration
from scoring.play import Phase
from scoring.table import Contact, Placement, TableState
from scoring.verdicts import Call, Ruling, Verdict
from tests.scoring.cactus_tables import contact, piece, set_of, table

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve")
DECK = set_of()


class Game:
    """A match and what really hangs; the cacti are seen and the match has begun.

    Parameters
    ----------
    players
        How many; they sit at the seats from 1 on.
    hung
        What hangs at the beginning: piece to cactus.
    options
        House rules.
    """

    def __init__(self, players: int = 2, hung: dict[str, str] | None = None, **options: OptionValue) -> None:
        self.log: list[Event] = []
        self.state: MatchState = fold(())
        self.hung: dict[str, Placement] = {p: piece(p, c) for p, c in (hung or {}).items()}
        self.lying: dict[str, Placement] = {}
        self.touch: tuple[Contact, ...] = ()
        people = tuple(Player(n, str(i)) for i, n in enumerate(NAMES[:players], start=1))
        self.do(CreateMatch("t", "cactus", people, DECK, options))
        self.do(RecordTable("t", self.table()))

    def do(self, command: Command) -> MatchState:
        """Carry out a command; raises RefereeError where it is refused."""
        self.log += decide(self.state, command)
        self.state = fold(self.log)
        return self.state

    def table(self) -> TableState:
        """What is to be seen now."""
        keys = {p.key for p in self.hung.values()}
        touch = tuple(c for c in self.touch if c.a in keys and (c.b is None or c.b in keys))
        return replace(table({}, touch), placements=(*self.hung.values(), *self.lying.values()))

    def see(self) -> MatchState:
        """The table as it is now is recorded."""
        return self.do(RecordTable("t", self.table()))

    def hang(
        self,
        name: str,
        cactus: str,
        *touch: tuple[str, str, str | None, float],
        see: bool = True,
        before: str | None = None,
    ) -> None:
        """That piece is hung there (`before` another one's place), and these contacts are to be seen from now on."""
        self.lying.pop(name, None)
        at = None if before is None else piece(before, cactus).pose
        self.hung[name] = piece(name, cactus, None if at is None else (at.x_mm + 5, at.y_mm))
        self.touching(*touch)
        if see:
            self.see()

    def touching(self, *touch: tuple[str, str, str | None, float]) -> None:
        """From now on these contacts are to be seen: kind, piece, other, probability."""
        self.touch = tuple(contact(a, b, kind, p) for kind, a, b, p in touch)

    def push(self, name: str, dx: float = 0.0, dy: float = -12.0) -> None:
        """That piece hangs elsewhere on its cactus."""
        old = self.hung[name]
        pose = replace(old.pose, x_mm=old.pose.x_mm + dx, y_mm=old.pose.y_mm + dy)
        self.hung[name] = replace(old, pose=pose)

    def fall(self, *names: str) -> None:
        """Those pieces lie on the table."""
        for name in names:
            self.hung.pop(name, None)
            self.lying[name] = piece(name, "table")

    def take(self, *names: str) -> None:
        """Those pieces are nowhere to be seen."""
        for name in names:
            self.hung.pop(name, None)
            self.lying.pop(name, None)

    def roll(self, face: str) -> Must:
        """The die shows that; returns what is to be done now."""
        self.do(RollDie("t", CactusDie(face)))
        return self.must

    def pass_(self) -> None:
        """The die is passed."""
        self.do(ConfirmRound("t"))

    def say(self, what: Declaration, turn: int | None = None) -> MatchState:
        """A person states that."""
        return self.do(Declare("t", what, turn))

    def undo(self) -> None:
        """The last step is taken back."""
        self.do(Undo("t"))

    def accept(self) -> None:
        """The table is taken as it lies."""
        self.do(AcceptTable("t", self.table()))

    def turns(self, *moves: tuple[str, str, str]) -> None:
        """Whole turns without a word: die (empty for none), piece, cactus."""
        for die, name, cactus in moves:
            if die:
                self.roll(die)
            self.hang(name, cactus)
            self.pass_()

    @property
    def play(self) -> CactusPlay:
        assert isinstance(self.state.play, CactusPlay)
        return self.state.play

    @property
    def turn(self) -> TurnRecord:
        return self.play.turns[-1]

    @property
    def must(self) -> Must:
        must = must_of(self.play)
        assert must is not None
        return must

    @property
    def ledger(self) -> Ledger:
        return self.play.ledger

    @property
    def ruling(self) -> Ruling:
        assert self.state.ruling is not None
        return self.state.ruling

    def ended(self) -> str:
        """Why the match is over; empty while it runs."""
        return str(self.play.ending or "")

    def in_phase(self, phase: Phase) -> bool:
        """Whether the match stands there."""
        return self.state.phase is phase

    @property
    def flowers(self) -> dict[str, int]:
        return {s.seat: s.total for s in sorted(self.state.standing, key=lambda s: s.seat)}

    @property
    def can_pass(self) -> bool:
        return CommandName.CONFIRM_ROUND in legal_commands(self.state)

    def verdicts(self, rule: str) -> list[Verdict]:
        """Verdicts of that rule (without the game's name)."""
        return [v for v in self.ruling.verdicts if v.rule == f"cactus.{rule}"]

    def calls(self, rule: str) -> list[Call]:
        """Calls of that rule."""
        return [v.call for v in self.verdicts(rule)]

    @property
    def earned(self) -> list[str]:
        return [a.item or "" for a in self.ruling.awards]

    @property
    def costs(self) -> list[tuple[str, int]]:
        return [(p.rule.removeprefix("cactus."), p.points) for p in self.ruling.penalties]


def at_start(pieces: Iterable[str], cacti: Iterable[str] = ("K2", "K3", "K4", "K5")) -> dict[str, str]:
    """Those pieces on these cacti in turn."""
    order = list(cacti)
    return {p: order[i % len(order)] for i, p in enumerate(pieces)}
