"""The course of a Rox match: deal, race, call, check, confirm, five times over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from scoring.commands import (
    CallEnd,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    Declare,
    FinishMatch,
    RecordTable,
    StartRace,
)
from scoring.deck import RoxDeck
from scoring.errors import LogError, RefereeError
from scoring.events import (
    Called,
    Event,
    FactDeclared,
    MatchCreated,
    MatchFinished,
    OptionValue,
    RaceStarted,
    RoundConfirmed,
    RoundEdited,
    Ruled,
    ScoringDealt,
    TableRecorded,
)
from scoring.games import rox
from scoring.games.rox import GAME, RULE_IDS, SEATS, RoxOptions
from scoring.games.rox_play import RoundRecord, RoxPlay, check_deal, check_declaration
from scoring.moves import Declared, DeclaredCaller
from scoring.play import OutOfStep, Phase, Standing, ranked
from scoring.seats import check_seat
from scoring.table import TableState
from scoring.verdicts import Ruling, RulingStatus

EMPTY_TABLE = TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))
"""Stands for the table where no camera saw it and the players state the rows themselves."""


class RoxRules:
    """Rox behind the `rules.Rules` protocol."""

    game = GAME
    rule_ids = RULE_IDS
    seats = SEATS
    players = (2, 4)
    phases = (Phase.DEALING, Phase.RACING, Phase.CHECKING, Phase.VERDICT, Phase.BETWEEN, Phase.FINISHED)
    commands = (
        CommandName.DEAL_SCORING,
        CommandName.START_RACE,
        CommandName.CALL_END,
        CommandName.RECORD_TABLE,
        CommandName.DECLARE,
        CommandName.EDIT_ROUND,
        CommandName.CONFIRM_ROUND,
        CommandName.FINISH_MATCH,
    )

    def check_setup(self, command: CreateMatch) -> Mapping[str, OptionValue]:
        """All options of a new match; raises RefereeError for an impossible one."""
        if not isinstance(command.deck, RoxDeck):
            raise RefereeError("Rox needs a Rox deck.")
        return RoxOptions.of(command.options).as_mapping()

    def begin(self, created: MatchCreated) -> RoxPlay:
        """The match before its first deal."""
        if not isinstance(created.deck, RoxDeck):
            raise LogError("a match of Rox has a deck of Rox")
        return RoxPlay(created.players, RoxOptions.of(created.options), created.deck, created.scoring)

    def phase(self, play: RoxPlay) -> Phase:
        """Where the match stands."""
        if play.finished:
            return Phase.FINISHED
        if not play.rounds:
            return Phase.DEALING
        last = play.rounds[-1]
        if last.confirmed:
            return Phase.BETWEEN
        if not last.started:
            return Phase.DEALING
        if last.caller is None:
            return Phase.RACING
        return Phase.CHECKING if last.ruling is None else Phase.VERDICT

    def apply(self, play: RoxPlay, event: Event) -> RoxPlay:
        """The match after one more event; raises LogError where the event does not follow."""
        if isinstance(event, MatchFinished):
            return replace(play, finished=True, early=event.early)
        if isinstance(event, ScoringDealt) and event.round == len(play.rounds) + 1:
            return replace(play, rounds=(*play.rounds, RoundRecord(event.round, event.cards)))
        number = getattr(event, "round", 0)
        if not 1 <= number <= len(play.rounds):
            raise LogError(f"the event {type(event).__name__} speaks of round {number}, which has not begun")
        record = _apply_to_round(play.rounds[number - 1], event)
        return replace(play, rounds=(*play.rounds[: number - 1], record, *play.rounds[number:]))

    def decide(self, play: RoxPlay, command: Command, step: int) -> tuple[Event, ...]:
        """The events that a command causes; raises RefereeError where it is impossible now."""
        phase = self.phase(play)
        at = command.at
        number = len(play.rounds)
        match command:
            case DealScoring():
                return self._deal(play, command, step)
            case StartRace():
                if phase is not Phase.DEALING or number == 0:
                    raise RefereeError(_refusal("The race cannot start", phase, number))
                return (RaceStarted(step, at, number),)
            case CallEnd():
                return self._call(play, command, step)
            case RecordTable():
                if phase not in (Phase.CHECKING, Phase.VERDICT):
                    raise RefereeError(_refusal("The table cannot be judged", phase, number))
                recorded = TableRecorded(step, at, number, command.table, command.evidence)
                return self._with_ruling(play, recorded, step, at)
            case Declare():
                return self._declare(play, command, step)
            case ConfirmRound():
                return self._confirm(play, step, at)
            case FinishMatch():
                if phase not in (Phase.DEALING, Phase.BETWEEN):
                    raise RefereeError(_refusal("The match cannot be ended", phase, number))
                return (MatchFinished(step, at, early=True),)
        raise RefereeError(f"Rox knows no command {type(command).__name__}.")

    def legal_commands(self, play: RoxPlay) -> tuple[CommandName, ...]:
        """Commands that are possible now, in the order in which a page would show them."""
        phase = self.phase(play)
        names: list[CommandName] = []
        if phase is Phase.DEALING and play.rounds:
            names.append(CommandName.START_RACE)
        if phase in (Phase.DEALING, Phase.BETWEEN, Phase.RACING, Phase.CHECKING, Phase.VERDICT):
            names.append(CommandName.DEAL_SCORING)
        if phase in (Phase.RACING, Phase.CHECKING, Phase.VERDICT):
            names.append(CommandName.CALL_END)
        if phase in (Phase.CHECKING, Phase.VERDICT):
            names += [CommandName.RECORD_TABLE, CommandName.DECLARE]
        ruling = play.rounds[-1].ruling if play.rounds else None
        if phase is Phase.VERDICT and ruling is not None and ruling.is_settled:
            names.append(CommandName.CONFIRM_ROUND)
        if any(r.confirmed for r in play.rounds):
            names.append(CommandName.EDIT_ROUND)
        if phase in (Phase.DEALING, Phase.BETWEEN):
            names.append(CommandName.FINISH_MATCH)
        return tuple(names)

    def judge(self, play: RoxPlay, table: TableState) -> Ruling:
        """The ruling on a table as it lies now, for a live page.

        Withheld until somebody has called: while the race runs nobody is told a count.
        """
        if self.phase(play) not in (Phase.CHECKING, Phase.VERDICT):
            return Ruling(GAME, RulingStatus.WITHHELD)
        return _judge(play, replace(play.rounds[-1], table=table, declarations=()))

    def audit(self, play: RoxPlay, number: int) -> Ruling | None:
        """The rules run again over what is recorded of a round; None where it was never judged."""
        record = play.rounds[number - 1]
        if record.ruling is None:
            return None
        return replace(_judge(play, record), status=record.ruling.status)

    def news(self, play: RoxPlay, table: TableState) -> bool:
        """A table is recorded where it is asked for: once after the call."""
        return self.phase(play) is Phase.CHECKING

    def out_of_step(self, play: RoxPlay, table: TableState) -> OutOfStep | None:
        """Cards are picked and laid freely: no table contradicts the round that runs."""
        return None

    def standing(self, play: RoxPlay) -> tuple[Standing, ...]:
        """Points of all players, best first, seats clockwise from south among equals."""
        points: dict[str, list[int]] = {s: [] for s in play.seats}
        for record in play.rounds:
            if record.confirmed and record.ruling is not None:
                won = Counter[str]()
                for award in record.ruling.awards:
                    won[award.seat] += award.points
                for seat, history in points.items():
                    history.append(won[seat])
        totals = {s: sum(history) for s, history in points.items()}
        names = {p.seat: p.name for p in play.players}
        return ranked({s: names[s] for s in play.seats}, points, totals)

    def _deal(self, play: RoxPlay, command: DealScoring, step: int) -> tuple[Event, ...]:
        phase = self.phase(play)
        if phase is Phase.FINISHED:
            raise RefereeError(_refusal("Scoring cards cannot be dealt", phase, len(play.rounds)))
        number = len(play.rounds) + (1 if phase is Phase.BETWEEN or not play.rounds else 0)
        cards = check_deal(play, command.cards, number)
        dealt = ScoringDealt(step, command.at, number, cards, command.source)
        return self._with_ruling(play, dealt, step, command.at)

    def _call(self, play: RoxPlay, command: CallEnd, step: int) -> tuple[Event, ...]:
        phase = self.phase(play)
        if phase not in (Phase.RACING, Phase.CHECKING, Phase.VERDICT):
            raise RefereeError(_refusal("Nobody can call the end", phase, len(play.rounds)))
        check_seat(play.seats, command.seat)
        called = Called(step, command.at, len(play.rounds), command.seat)
        return self._with_ruling(play, called, step, command.at)

    def _with_ruling(self, play: RoxPlay, event: Event, step: int, at: str) -> tuple[Event, ...]:
        """The event, and a new ruling where the round is judged already or the event asks for it."""
        after = self.apply(play, event)
        record = after.rounds[-1]
        asks = isinstance(event, TableRecorded | FactDeclared)
        if not asks and record.ruling is None:
            return (event,)
        return (event, Ruled(step, at, record.number, _judge(after, record)))

    def _declare(self, play: RoxPlay, command: Declare, step: int) -> tuple[Event, ...]:
        phase = self.phase(play)
        number = command.round if command.round is not None else len(play.rounds)
        if not 1 <= number <= len(play.rounds):
            raise RefereeError(f"Round {number} has not been played.")
        record = play.rounds[number - 1]
        if not record.confirmed and phase not in (Phase.CHECKING, Phase.VERDICT):
            raise RefereeError(_refusal("Nothing can be corrected", phase, number))
        check_declaration(play, record, command.what)
        move = Declared(command.what)
        if not record.confirmed:
            return self._with_ruling(play, FactDeclared(step, command.at, number, move), step, command.at)
        after = replace(record, declarations=(*record.declarations, command.what))
        ruling = _judge(play, after)
        if not ruling.is_settled:
            raise RefereeError(
                f"That change would leave round {number} undecided; state the whole row or the awards instead."
            )
        return (RoundEdited(step, command.at, number, move, replace(ruling, status=RulingStatus.CONFIRMED)),)

    def _confirm(self, play: RoxPlay, step: int, at: str) -> tuple[Event, ...]:
        phase, number = self.phase(play), len(play.rounds)
        if phase is not Phase.VERDICT:
            raise RefereeError(_refusal("There is nothing to confirm", phase, number))
        ruling = play.rounds[-1].ruling
        if ruling is None or not ruling.is_settled:
            raise RefereeError("The round cannot be confirmed before the open questions are answered.")
        confirmed = RoundConfirmed(step, at, number)
        if number < play.options.rounds:
            return (confirmed,)
        return (confirmed, MatchFinished(step, at))


ROX = RoxRules()

__all__ = ["EMPTY_TABLE", "ROX", "RoundRecord", "RoxPlay", "RoxRules"]


def _apply_to_round(record: RoundRecord, event: Event) -> RoundRecord:
    match event:
        case ScoringDealt():
            return replace(record, dealt=event.cards, agreed=record.table is not None)
        case RaceStarted():
            return replace(record, started=True)
        case Called():
            return replace(record, caller=event.seat)
        case TableRecorded():
            # What was stated about another picture says nothing about this one, except who called.
            kept = tuple(d for d in record.declarations if isinstance(d, DeclaredCaller))
            return replace(record, table=event.table, evidence=event.evidence, declarations=kept)
        case Ruled():
            return record.ruled(event.ruling)
        case FactDeclared():
            return replace(record, declarations=(*record.declarations, event.move.what))
        case RoundConfirmed():
            if record.ruling is None:
                raise LogError(f"round {record.number} is confirmed without a ruling")
            return replace(record, confirmed=True, ruling=replace(record.ruling, status=RulingStatus.CONFIRMED))
        case RoundEdited():
            edited = replace(record, declarations=(*record.declarations, event.move.what))
            return edited.ruled(event.ruling)
    raise LogError(f"Rox knows no event {type(event).__name__}")


def _judge(play: RoxPlay, record: RoundRecord) -> Ruling:
    if record.ender is None:
        return Ruling(GAME, RulingStatus.WITHHELD)
    table = record.table if record.table is not None else EMPTY_TABLE
    return rox.judge_round(table, play.deck, play.seats, record.ender, record.dealt, play.options, record.declarations)


def _refusal(what: str, phase: Phase, number: int) -> str:
    why = {
        Phase.SETUP: "there is no match yet",
        Phase.DEALING: "the scoring cards are not dealt yet" if number == 0 else "the race has not started",
        Phase.RACING: "the race is still running",
        Phase.CHECKING: "the round is being checked",
        Phase.VERDICT: "the round is judged and waits to be confirmed",
        Phase.BETWEEN: "the next round has not begun",
        Phase.FINISHED: "the match is over",
    }
    return f"{what}: {why[phase]}."
