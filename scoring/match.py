"""A match as the fold of its events, and the step from a command to events. Pure: no clock, no file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scoring.commands import Command, CommandName, CreateMatch, Undo
from scoring.deck import Deck
from scoring.errors import LogError, RefereeError
from scoring.events import Event, FactDeclared, MatchCreated, OptionValue, Player, RoundEdited, Ruled, Undone
from scoring.play import OutOfStep, Phase, Standing
from scoring.rules import Play, Record, Rules, rules_of
from scoring.table import TableState
from scoring.verdicts import Ruling, RulingStatus


@dataclass(frozen=True, slots=True)
class Step:
    """What one command caused, as the log lists it.

    Parameters
    ----------
    number
        Its number, from 1.
    at
        When it happened.
    kinds
        Class names of its events.
    undone
        Whether it was taken back.
    said
        Class name of what a person stated in it; empty where nothing was.
    """

    number: int
    at: str
    kinds: tuple[str, ...]
    undone: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match as its events tell it; immutable.

    Parameters
    ----------
    created
        How it began, or None before that.
    play
        The game's own state, or None.
    steps
        All steps with whether they were taken back, oldest first.
    """

    created: MatchCreated | None = None
    play: Play | None = None
    steps: tuple[Step, ...] = ()

    @property
    def rules(self) -> Rules:
        """Rules of this match's game; raises RefereeError before the match was created."""
        if self.created is None:
            raise RefereeError("There is no match yet.")
        return rules_of(self.created.game)

    @property
    def phase(self) -> Phase:
        """Where the match stands."""
        return Phase.SETUP if self.play is None else self.rules.phase(self.play)

    @property
    def players(self) -> tuple[Player, ...]:
        """The players in the order in which they were named."""
        return () if self.created is None else self.created.players

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """House rules in force."""
        return {} if self.created is None else self.created.options

    @property
    def deck(self) -> Deck | None:
        """The deck, as it was when the match began."""
        return None if self.created is None else self.created.deck

    @property
    def rounds(self) -> tuple[Record, ...]:
        """All rounds (turns of CONEX) so far, the running one last."""
        return () if self.play is None else self.play.rounds

    @property
    def round(self) -> Record | None:
        """The running round or turn, or the last one."""
        return self.rounds[-1] if self.rounds else None

    @property
    def ruling(self) -> Ruling | None:
        """The ruling in force of the running round."""
        return self.round.ruling if self.round else None

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Points of all players with the history by rounds, best first."""
        return () if self.play is None else self.rules.standing(self.play)

    @property
    def winners(self) -> tuple[str, ...]:
        """Seats that share the victory; empty before the end."""
        if self.phase is not Phase.FINISHED:
            return ()
        return tuple(s.seat for s in self.standing if s.place == 1)

    @property
    def next_step(self) -> int:
        """Number of the next step."""
        return self.steps[-1].number + 1 if self.steps else 1

    @property
    def undoable(self) -> Step | None:
        """The step that an undo would take back: the last one that stands, never the creation nor an undo."""
        for step in reversed(self.steps):
            if not step.undone and not {"Undone", "MatchCreated"} & set(step.kinds):
                return step
        return None


def fold(events: Iterable[Event]) -> MatchState:
    """The match that these events tell.

    Raises
    ------
    LogError
        Where the events do not follow each other.
    """
    log = tuple(events)
    undone = _undone_steps(log)
    created: MatchCreated | None = None
    play: Play | None = None
    for event in log:
        if event.step in undone or isinstance(event, Undone):
            continue
        if isinstance(event, MatchCreated):
            if created is not None:
                raise LogError("the match begins twice in this log")
            created = event
            play = rules_of(event.game).begin(event)
        elif created is None or play is None:
            raise LogError(f"the log starts with {type(event).__name__} instead of the beginning of a match")
        else:
            play = rules_of(created.game).apply(play, event)
    return MatchState(created, play, _steps(log, undone))


def decide(state: MatchState, command: Command) -> tuple[Event, ...]:
    """The events that a command causes; append them to the log and fold again.

    Parameters
    ----------
    state
        The match as it stands.
    command
        What is asked; it carries its time.

    Raises
    ------
    RefereeError
        Where the command is impossible now, with a sentence that says why.
    """
    step = state.next_step
    if isinstance(command, CreateMatch):
        return (_create(state, command, step),)
    if state.created is None or state.play is None:
        raise RefereeError("There is no match yet.")
    if isinstance(command, Undo):
        last = state.undoable
        if last is None:
            raise RefereeError("There is nothing to take back.")
        return (Undone(step, command.at, last.number),)
    return state.rules.decide(state.play, command, step)


def legal_commands(state: MatchState) -> tuple[CommandName, ...]:
    """Commands that are possible now, so that a page knows which buttons to show."""
    if state.play is None:
        return (CommandName.CREATE_MATCH,)
    names = state.rules.legal_commands(state.play)
    return (*names, CommandName.UNDO) if state.undoable else names


def judge_live(state: MatchState, table: TableState) -> Ruling:
    """The ruling on the table as it lies now, without recording anything; withheld where a rule keeps it secret."""
    if state.play is None:
        return Ruling("", RulingStatus.WITHHELD)
    return state.rules.judge(state.play, table)


def news(state: MatchState, table: TableState) -> bool:
    """Whether a settled table tells something that is not recorded yet, so that it is worth a `RecordTable`."""
    return state.play is not None and state.rules.news(state.play, table)


def out_of_step(state: MatchState, table: TableState) -> OutOfStep | None:
    """Why a settled table cannot follow from the match, with the cards concerned; None where it can."""
    return None if state.play is None else state.rules.out_of_step(state.play, table)


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded ruling that today's rules would not repeat.

    Parameters
    ----------
    step, at, round
        Which event recorded it.
    recorded, now
        The two rulings.
    parts
        Names of the fields of `Ruling` that differ.
    """

    step: int
    at: str
    round: int
    recorded: Ruling
    now: Ruling
    parts: tuple[str, ...]


PARTS = ("rows", "ranking", "awards", "left_over", "penalties", "questions", "verdicts", "placement")


def rejudge(events: Iterable[Event], deck: Deck | None = None) -> tuple[Difference, ...]:
    """Run the rules again over every recorded table that still stands.

    Parameters
    ----------
    events
        The log of one match.
    deck
        Judge by this deck instead of the one in the log.

    Returns
    -------
    tuple of Difference
        Empty where today's rules say the same.
    """
    log = tuple(events)
    undone = _undone_steps(log)
    play: Play | None = None
    rules: Rules | None = None
    differences: list[Difference] = []
    for event in log:
        if event.step in undone or isinstance(event, Undone):
            continue
        if isinstance(event, MatchCreated):
            if deck is not None and deck.game != event.game:
                raise RefereeError(f"This deck is one of {deck.game}; the match is one of {event.game}.")
            rules = rules_of(event.game)
            play = rules.begin(event if deck is None else replace(event, deck=deck))
            continue
        if play is None or rules is None:
            raise LogError("the log does not start with the beginning of a match")
        play = rules.apply(play, event)
        if isinstance(event, Ruled | RoundEdited):
            now = rules.audit(play, event.round)
            if now is not None:
                differences += _compare(event, now)
    return tuple(differences)


def _compare(event: Ruled | RoundEdited, now: Ruling) -> list[Difference]:
    parts = tuple(p for p in PARTS if getattr(event.ruling, p) != getattr(now, p))
    return [Difference(event.step, event.at, event.round, event.ruling, now, parts)] if parts else []


def _undone_steps(log: tuple[Event, ...]) -> frozenset[int]:
    return frozenset(e.undoes for e in log if isinstance(e, Undone))


def _steps(log: tuple[Event, ...], undone: frozenset[int]) -> tuple[Step, ...]:
    steps: dict[int, Step] = {}
    for e in log:
        kinds = (*steps[e.step].kinds, type(e).__name__) if e.step in steps else (type(e).__name__,)
        said = type(e.move.what).__name__ if isinstance(e, FactDeclared) else ""
        said = said or (steps[e.step].said if e.step in steps else "")
        steps[e.step] = Step(e.step, e.at, kinds, e.step in undone, said)
    return tuple(steps.values())


def check_creation(command: CreateMatch) -> Mapping[str, OptionValue]:
    """All options of a new match, with those that were not named; raises RefereeError where it cannot begin so."""
    rules = rules_of(command.game)
    least, most = rules.players
    if not least <= len(command.players) <= most:
        raise RefereeError(f"{rules.game.capitalize()} is for {least} to {most} players, not {len(command.players)}.")
    for player in command.players:
        if player.seat not in rules.seats:
            raise RefereeError(f"There is no seat {player.seat}; there are {', '.join(rules.seats)}.")
        if not player.name.strip():
            raise RefereeError(f"The player at {player.seat} needs a name.")
    if len({p.seat for p in command.players}) != len(command.players):
        raise RefereeError("Two players cannot sit at the same side.")
    if len({p.name.strip() for p in command.players}) != len(command.players):
        raise RefereeError("Two players have the same name.")
    return rules.check_setup(command)


def _create(state: MatchState, command: CreateMatch, step: int) -> MatchCreated:
    if state.created is not None:
        raise RefereeError("The match has already begun.")
    options = check_creation(command)
    return MatchCreated(step, command.at, command.game, command.players, options, command.deck, command.scoring)
