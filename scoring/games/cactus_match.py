"""The course of a match of Cactus: turn after turn, a roll, a piece taken and hung, and the die passed on."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.commands import (
    AcceptTable,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    Declare,
    FinishMatch,
    RecordTable,
    RollDie,
)
from scoring.deck import CactusDeck
from scoring.errors import RefereeError
from scoring.events import (
    Event,
    MatchCreated,
    MatchFinished,
    OptionValue,
    Rolled,
    RoundConfirmed,
    TableAccepted,
    TableRecorded,
)
from scoring.games.cactus_apply import apply
from scoring.games.cactus_check import check_die, refusal, stray_words
from scoring.games.cactus_declare import acceptable, declare, phase_of, ruled
from scoring.games.cactus_judge import FALLEN, GAME, RULE_IDS, hindrances, judge_turn
from scoring.games.cactus_look import Seen, dropped_in, look, worth
from scoring.games.cactus_options import SEATS, CactusOptions
from scoring.games.cactus_play import CactusPlay, TurnRecord
from scoring.games.turns import Events, judged, judged_again
from scoring.play import OutOfStep, Phase, Standing, ranked
from scoring.seats import check_starter
from scoring.table import TableState
from scoring.verdicts import Ruling


class CactusRules:
    """Cactus behind the `rules.Rules` protocol. A round of the log is a turn; round 0 is the time before the first."""

    game = GAME
    rule_ids = RULE_IDS
    seats = SEATS
    players = (2, 5)
    phases = (Phase.LAYOUT, Phase.ROLLING, Phase.TURN, Phase.VERDICT, Phase.FINISHED)
    commands = (
        CommandName.RECORD_TABLE,
        CommandName.ACCEPT_TABLE,
        CommandName.ROLL_DIE,
        CommandName.DECLARE,
        CommandName.EDIT_ROUND,
        CommandName.CONFIRM_ROUND,
        CommandName.FINISH_MATCH,
    )

    def check_setup(self, command: CreateMatch) -> Mapping[str, OptionValue]:
        """All options of a new match; raises RefereeError for an impossible one."""
        if not isinstance(command.deck, CactusDeck):
            raise RefereeError("Cactus needs a set of Cactus.")
        options = CactusOptions.of(command.options)
        options.check(command.deck)
        check_starter(command.players, options.start)
        return options.as_mapping()

    def begin(self, created: MatchCreated) -> CactusPlay:
        """The match before the cacti were seen."""
        assert isinstance(created.deck, CactusDeck)
        return CactusPlay(created.players, CactusOptions.of(created.options), created.deck)

    def phase(self, play: CactusPlay) -> Phase:
        """Where the match stands."""
        return phase_of(play)

    def apply(self, play: CactusPlay, event: Event) -> CactusPlay:
        """The match after one more event; raises LogError where the event does not follow."""
        return apply(play, event)

    def decide(self, play: CactusPlay, command: Command, step: int) -> Events:
        """The events that a command causes; raises RefereeError where it is impossible now."""
        phase, at, number = self.phase(play), command.at, len(play.turns)
        match command:
            case RecordTable():
                return self._record(play, command, step)
            case AcceptTable():
                if phase is Phase.FINISHED:
                    raise refusal("The table cannot be taken as it lies", phase)
                if command.opening and phase is not Phase.LAYOUT:
                    raise RefereeError("The match has already begun.")
                _check_seen(play, command.table)
                accepted = TableAccepted(step, at, number, look(play, command.table).table, command.evidence)
                return ruled(play, (accepted,), step, at)
            case RollDie():
                if phase is not Phase.ROLLING:
                    raise refusal("The die is not rolled now", phase)
                check_die(command.face)
                return (Rolled(step, at, number, command.face, command.source),)
            case Declare():
                return declare(play, command, step)
            case ConfirmRound():
                self._check_pass(play, phase)
                return (RoundConfirmed(step, at, number),)
            case FinishMatch():
                if phase is Phase.FINISHED:
                    raise refusal("The match cannot be ended", phase)
                return (MatchFinished(step, at, command.early),)
        raise RefereeError(f"Cactus knows no command {type(command).__name__}.")

    def legal_commands(self, play: CactusPlay) -> tuple[CommandName, ...]:
        """Commands that are possible now, in the order in which a page would show them."""
        phase = self.phase(play)
        names: list[CommandName] = []
        if acceptable(play):
            names.append(CommandName.CONFIRM_ROUND)
        if phase is Phase.ROLLING:
            names.append(CommandName.ROLL_DIE)
        if phase is not Phase.FINISHED:
            names += [CommandName.RECORD_TABLE, CommandName.ACCEPT_TABLE]
        if phase is not Phase.LAYOUT:
            names.append(CommandName.DECLARE)
        if any(t.confirmed for t in play.turns):
            names.append(CommandName.EDIT_ROUND)
        if phase is not Phase.FINISHED:
            names.append(CommandName.FINISH_MATCH)
        return tuple(names)

    def judge(self, play: CactusPlay, table: TableState) -> Ruling:
        """The ruling on a table as it lies now; withheld where it shows nothing that could be judged."""
        return judged(GAME, lambda: self._record(play, RecordTable("", table), 0))

    def audit(self, play: CactusPlay, number: int) -> Ruling | None:
        """The rules run again over what is recorded of a turn; None where nothing of it was judged."""
        return judged_again(play.turns, number, lambda turn: judge_turn(play, turn))

    def news(self, play: CactusPlay, table: TableState) -> bool:
        """Whether recording this settled table would tell something new."""
        seen = look(play, table)
        if seen.seen is not Seen.AGAIN:
            return seen.seen not in (Seen.NOTHING, Seen.ASTRAY)
        turn = play.turn
        if turn is None or turn.impossible:
            return False
        if worth(turn, seen) or set(dropped_in(play, turn, seen.table)) - {*turn.late, *turn.fell}:
            return True
        # Nothing moved: only what is certain now, or certainly another thing, is worth recording.
        now, then = self.judge(play, table), turn.ruling
        return _broken(now) != _broken(then) or _open(now) < _open(then) or _open(now, FALLEN) != _open(then, FALLEN)

    def out_of_step(self, play: CactusPlay, table: TableState) -> OutOfStep | None:
        """Why this settled table does not follow from the match, or None."""
        return look(play, table).astray

    def standing(self, play: CactusPlay) -> tuple[Standing, ...]:
        """What everybody's flowers are worth, best first, in the order of play among equals."""
        ledger, names = play.ledger, {p.seat: p.name for p in play.players}
        return ranked({s: names[s] for s in play.seats}, ledger.changes, ledger.bank.values)

    def _record(self, play: CactusPlay, command: RecordTable, step: int) -> Events:
        """What a settled table tells, as events."""
        at, number = command.at, len(play.turns)
        if play.finished:
            raise refusal("The table cannot be judged", Phase.FINISHED)
        seen = look(play, command.table)
        match seen.seen:
            case Seen.ASTRAY if seen.astray is not None:
                raise RefereeError(stray_words(seen.astray))
            case Seen.NOTHING:
                raise RefereeError("Nothing new hangs on the cacti.")
            case Seen.START:
                _check_seen(play, seen.table)
                return (TableAccepted(step, at, number, seen.table, command.evidence),)
        recorded = TableRecorded(step, at, number, seen.table, command.evidence, seen.placed)
        return ruled(play, (recorded,), step, at)

    def _check_pass(self, play: CactusPlay, phase: Phase) -> None:
        turn = play.turn
        if phase is not Phase.VERDICT or turn is None:
            raise refusal("The die cannot be passed", phase)
        if not acceptable(play):
            raise RefereeError(
                "The die cannot be passed before what is wrong is put right, or the players allow it."
                if hindrances(turn.ruling)
                else "The die cannot be passed before the open questions are answered."
            )


CACTUS = CactusRules()


def _check_seen(play: CactusPlay, table: TableState) -> None:
    if not table.cacti and not any(p.pose.plane in play.deck.cacti for p in table.placements):
        raise RefereeError("No cactus can be seen.")
    for cactus in table.cacti:
        if cactus not in play.deck.cacti:
            raise RefereeError(f"There is no cactus {cactus}; there is {', '.join(play.deck.cacti)}.")


def _broken(ruling: Ruling | None) -> set[tuple[str, tuple[str, ...]]]:
    return {(v.rule, v.about) for v in hindrances(ruling)}


def _open(ruling: Ruling | None, rule: str = "") -> set[tuple[str, tuple[str, ...]]]:
    return set() if ruling is None else {(q.rule, q.about) for q in ruling.questions if rule in ("", q.rule)}


__all__ = ["CACTUS", "CactusPlay", "CactusRules", "TurnRecord"]
