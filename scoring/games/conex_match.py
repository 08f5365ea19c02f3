"""The course of a match of CONEX: turn after turn, each a card laid, two drawn or a pass, with stars and die."""

from __future__ import annotations

from collections.abc import Mapping

from scoring.commands import (
    AcceptTable,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    Declare,
    DrawTwo,
    EndTurn,
    FinishMatch,
    Pass,
    RecordTable,
    RollDie,
    UseLightning,
)
from scoring.deck import ConexDeck
from scoring.errors import RefereeError
from scoring.events import (
    Drew,
    Event,
    LightningUsed,
    MatchCreated,
    MatchFinished,
    OptionValue,
    Passed,
    Rolled,
    RoundConfirmed,
    TableAccepted,
    TableRecorded,
    TurnEnded,
    Withdrawn,
)
from scoring.games.conex_apply import apply
from scoring.games.conex_check import check_die, check_pawns, refusal, stray_words
from scoring.games.conex_declare import declare, phase_of, ruled
from scoring.games.conex_judge import GAME, RULE_IDS, judge_turn, lightning_disputed
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_play import LIGHTNING, SEATS, ConexPlay, Deed, TurnRecord
from scoring.games.conex_same import follow, on_play, renamed
from scoring.games.conex_track import Seen, as_known, is_news, look
from scoring.games.turns import Events, judged, judged_again
from scoring.moves import Source
from scoring.play import OutOfStep, Phase, Standing, ranked
from scoring.seats import check_starter
from scoring.table import TableState
from scoring.verdicts import Ruling


class ConexRules:
    """CONEX behind the `rules.Rules` protocol. A round of the log is a turn; round 0 is the time before the first."""

    game = GAME
    rule_ids = RULE_IDS
    seats = SEATS
    players = (2, 4)
    phases = (Phase.LAYOUT, Phase.TURN, Phase.VERDICT, Phase.ROLLING, Phase.ENDING, Phase.FINISHED)
    commands = (
        CommandName.RECORD_TABLE,
        CommandName.ACCEPT_TABLE,
        CommandName.DECLARE,
        CommandName.EDIT_ROUND,
        CommandName.CONFIRM_ROUND,
        CommandName.DRAW_TWO,
        CommandName.PASS,
        CommandName.ROLL_DIE,
        CommandName.USE_LIGHTNING,
        CommandName.END_TURN,
        CommandName.FINISH_MATCH,
    )

    def check_setup(self, command: CreateMatch) -> Mapping[str, OptionValue]:
        """All options of a new match; raises RefereeError for an impossible one."""
        if not isinstance(command.deck, ConexDeck):
            raise RefereeError("CONEX needs a CONEX deck.")
        options = ConexOptions.of(command.options)
        check_starter(command.players, options.start)
        if not (options.goal or command.deck.board.goal):
            raise RefereeError("The deck does not say which square is the goal: state its number.")
        check_pawns(command.players, command.deck.pawns)
        return options.as_mapping()

    def begin(self, created: MatchCreated) -> ConexPlay:
        """The match before the table was seen."""
        assert isinstance(created.deck, ConexDeck)
        return ConexPlay(created.players, ConexOptions.of(created.options), created.deck)

    def phase(self, play: ConexPlay) -> Phase:
        """Where the match stands."""
        return phase_of(play)

    def apply(self, play: ConexPlay, event: Event) -> ConexPlay:
        """The match after one more event; raises LogError where the event does not follow."""
        return apply(play, event)

    def decide(self, play: ConexPlay, command: Command, step: int) -> Events:
        """The events that a command causes; raises RefereeError where it is impossible now."""
        phase, at = self.phase(play), command.at
        number = len(play.turns)
        match command:
            case RecordTable():
                return self._record(play, command, step)
            case AcceptTable():
                if phase not in (Phase.LAYOUT, Phase.TURN, Phase.VERDICT):
                    raise refusal("The table cannot be taken as it lies", phase)
                table = on_play(command.table)
                if play.table is not None:
                    table = follow(play.table, renamed(table, as_known(play, table)))
                _check_start(table)
                accepted = TableAccepted(step, at, number, table, command.evidence)
                return ruled(play, (accepted,), step, at)
            case DrawTwo():
                self._need(play, Phase.TURN, "Nobody can draw")
                if play.ledger.pile == 0:
                    raise RefereeError("No card is left to draw: lay one, pass, or correct the count of the pile.")
                return (Drew(step, at, number),)
            case Pass():
                self._need(play, Phase.TURN, "Nobody can pass")
                if (left := play.ledger.pile) > 0:
                    raise RefereeError(f"Nobody can pass: the pile has {left} cards to draw by the count.")
                return (Passed(step, at, number),)
            case RollDie():
                self._need(play, Phase.ROLLING, "The die is not rolled now")
                check_die(command.face)
                return (Rolled(step, at, number, command.face, command.source),)
            case UseLightning():
                return self._take(play, command, step)
            case EndTurn():
                self._need(play, Phase.ENDING, "The turn cannot be ended")
                return (TurnEnded(step, at, number),)
            case Declare():
                return declare(play, command, step)
            case ConfirmRound():
                self._check_confirm(play)
                return (RoundConfirmed(step, at, number),)
            case FinishMatch():
                if phase not in (Phase.LAYOUT, Phase.TURN):
                    raise refusal("The match cannot be ended", phase)
                return (MatchFinished(step, at, command.early),)
        raise RefereeError(f"CONEX knows no command {type(command).__name__}.")

    def legal_commands(self, play: ConexPlay) -> tuple[CommandName, ...]:
        """Commands that are possible now, in the order in which a page would show them."""
        phase, turn = self.phase(play), play.turn
        names: list[CommandName] = []
        if phase is Phase.VERDICT and turn is not None and _acceptable(turn):
            names.append(CommandName.CONFIRM_ROUND)
        if phase is Phase.TURN:
            names.append(CommandName.DRAW_TWO if play.ledger.pile else CommandName.PASS)
        if phase is Phase.ROLLING:
            names.append(CommandName.ROLL_DIE)
        if phase in (Phase.TURN, Phase.ENDING) and play.ledger.stars[LIGHTNING].usable and play.table is not None:
            names.append(CommandName.USE_LIGHTNING)
        if phase is Phase.ENDING:
            names.append(CommandName.END_TURN)
        if phase is not Phase.FINISHED:
            names.append(CommandName.RECORD_TABLE)
        if phase in (Phase.LAYOUT, Phase.TURN, Phase.VERDICT):
            names.append(CommandName.ACCEPT_TABLE)
        if phase not in (Phase.LAYOUT, Phase.FINISHED):
            names.append(CommandName.DECLARE)
        if any((t.closed or play.finished) and t.action is Deed.LAID for t in play.turns):
            names.append(CommandName.EDIT_ROUND)
        if phase in (Phase.LAYOUT, Phase.TURN):
            names.append(CommandName.FINISH_MATCH)
        return tuple(names)

    def judge(self, play: ConexPlay, table: TableState) -> Ruling:
        """The ruling on a table as it lies now; withheld where it shows no move that could be judged."""
        return judged(GAME, lambda: self._record(play, RecordTable("", table), 0))

    def audit(self, play: ConexPlay, number: int) -> Ruling | None:
        """The rules run again over what is recorded of a turn; None where nothing of it was judged."""
        return judged_again(play.turns, number, lambda turn: judge_turn(play, turn))

    def news(self, play: ConexPlay, table: TableState) -> bool:
        """Whether recording this settled table would tell something new."""
        return is_news(play, table)

    def out_of_step(self, play: ConexPlay, table: TableState) -> OutOfStep | None:
        """Why this settled table does not follow from the match, or None."""
        return look(play, table).astray

    def standing(self, play: ConexPlay) -> tuple[Standing, ...]:
        """Points of all players, best first, in the order of play among equals."""
        points = {s: tuple(t.points for t in play.turns if t.seat == s and t.confirmed) for s in play.seats}
        totals = {s: sum(points[s]) for s in play.seats}
        names = {p.seat: p.name for p in play.players}
        return ranked({s: names[s] for s in play.seats}, points, totals)

    def _record(self, play: ConexPlay, command: RecordTable, step: int) -> Events:
        """What a settled table tells, as events; each is applied before the next is worked out."""
        turn, at = play.turn, command.at
        if play.finished:
            raise refusal("The table cannot be judged", Phase.FINISHED)
        seen = look(play, command.table)
        number = len(play.turns)
        match seen.seen:
            case Seen.ASTRAY if seen.astray is not None:
                raise RefereeError(stray_words(seen.astray))
            case Seen.NOTHING:
                raise RefereeError("Nothing new lies on the table.")
            case Seen.START:
                table = on_play(seen.table)
                _check_start(table)
                return (TableAccepted(step, at, number, table, command.evidence),)
            case Seen.RETURNED:
                return ruled(play, (Withdrawn(step, at, number, lightning=True),), step, at)
            case Seen.WITHDRAWN:
                return ruled(play, (Withdrawn(step, at, number),), step, at)
            case Seen.NEXT | Seen.TAKEN if turn is not None and turn.waiting:
                return self._then(play, RoundConfirmed(step, at, number), command, step)
            case Seen.NEXT:
                return self._then(play, TurnEnded(step, at, number), command, step)
        events: Events = ()
        if seen.taken is not None:
            events = (LightningUsed(step, at, number, seen.taken, Source.CAMERA, command.evidence),)
        if seen.placed is not None:
            events = (*events, TableRecorded(step, at, number, seen.table, command.evidence, seen.placed))
        return ruled(play, events, step, at)

    def _then(self, play: ConexPlay, first: Event, command: RecordTable, step: int) -> Events:
        """An event that the table implies, and what the table tells after it."""
        after = apply(play, first)
        if after.finished:
            raise RefereeError("The match ends with the card before this one: accept that one.")
        return (first, *self._record(after, command, step))

    def _take(self, play: ConexPlay, command: UseLightning, step: int) -> Events:
        phase = self.phase(play)
        if phase not in (Phase.TURN, Phase.ENDING):
            raise refusal("The lightning star cannot be used", phase)
        star = play.ledger.stars[LIGHTNING]
        if not star.usable:
            holder = f"is with {star.holder}" if star.holder else "lies beside the pile"
            won = ", who won it in this turn" if star.holder == play.to_play else ""
            raise RefereeError(f"The lightning star {holder}{won}; this player cannot use it now.")
        table = play.table
        if table is None or all(p.key != command.key for p in table.placements):
            raise RefereeError(f"There is no card {command.key} on the table.")
        used = LightningUsed(step, command.at, len(play.turns), command.key)
        return ruled(play, (used,), step, command.at)

    def _need(self, play: ConexPlay, phase: Phase, what: str) -> None:
        if self.phase(play) is not phase:
            raise refusal(what, self.phase(play))

    def _check_confirm(self, play: ConexPlay) -> None:
        turn = play.turn
        if self.phase(play) is not Phase.VERDICT or turn is None:
            raise refusal("There is nothing to accept", self.phase(play))
        if not _acceptable(turn):
            open_ = turn.ruling is not None and not turn.ruling.is_settled
            raise RefereeError(
                "The card cannot be accepted before the open questions are answered."
                if open_
                else "What was done is not allowed: it is put right, or the players state that it is allowed."
            )


CONEX = ConexRules()


def _acceptable(turn: TurnRecord) -> bool:
    ruling = turn.ruling
    return turn.waiting and ruling is not None and bool(ruling.awards) and not lightning_disputed(turn)


def _check_start(table: TableState) -> None:
    if table.board is None and not table.placements:
        raise RefereeError("Neither the board nor a card can be seen.")


__all__ = ["CONEX", "ConexPlay", "ConexRules", "TurnRecord"]
