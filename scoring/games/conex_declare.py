"""What people state in a match of CONEX, and the events that follow from it."""

from __future__ import annotations

from dataclasses import replace

from scoring.commands import Declare
from scoring.errors import RefereeError
from scoring.events import Drew, Event, FactDeclared, Passed, RoundEdited, Ruled, TableRecorded, TurnEnded, Withdrawn
from scoring.games.conex_apply import apply
from scoring.games.conex_check import check_count, check_turn_fact, refusal
from scoring.games.conex_judge import before_deed, judge_turn, lightning_disputed
from scoring.games.conex_play import DOUBLE, ConexPlay, Deed, TurnRecord
from scoring.games.conex_same import follow
from scoring.games.conex_track import die_due
from scoring.games.turns import Events
from scoring.moves import (
    Declared,
    DeclaredCall,
    DeclaredDie,
    DeclaredFace,
    DeclaredGround,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredSeat,
    DeclaredStar,
)
from scoring.play import Phase
from scoring.seats import check_seat


def phase_of(play: ConexPlay) -> Phase:
    """Where the match stands."""
    if play.finished:
        return Phase.FINISHED
    turn = play.turn
    if turn is None:
        return Phase.LAYOUT
    if turn.waiting or lightning_disputed(turn):
        return Phase.VERDICT
    if turn.action is None:
        return Phase.TURN
    return Phase.ROLLING if die_due(play, turn) else Phase.ENDING


def ruled(play: ConexPlay, events: Events, step: int, at: str) -> Events:
    """The events, and the ruling on the running turn after them, if there is anything to judge in it."""
    number = len(play.turns)
    for event in events:
        play = apply(play, event)
    if number == 0:
        return events
    turn = play.turns[number - 1]
    if turn.table is None and turn.lightning is None and turn.settled_points is None:
        return events
    return (*events, Ruled(step, at, number, judge_turn(play, turn)))


def declare(play: ConexPlay, command: Declare, step: int) -> Events:
    """The events of a statement, about the running turn or an earlier one; raises RefereeError where it cannot be."""
    phase, what, at = phase_of(play), command.what, command.at
    turn = play.stated_turn(command.round)
    if turn.closed or play.finished:
        return _edit(play, turn, command, step)
    said = FactDeclared(step, at, turn.number, Declared(what))
    if isinstance(what, DeclaredHand | DeclaredPile | DeclaredStar):
        check_count(play, what)
        return (said,)
    if isinstance(what, DeclaredSeat):
        return _reseat(play, turn, what.seat, step, at)
    star = before_deed(play, turn, Deed.LAID).stars[DOUBLE].usable
    check_turn_fact(play, turn, what, star)
    if isinstance(what, DeclaredDie):
        raise refusal("The die cannot be put right", phase)
    if isinstance(what, DeclaredPoints) and phase not in (Phase.TURN, Phase.VERDICT):
        raise refusal("The points cannot be stated", phase)
    if turn.confirmed and not lightning_disputed(turn):
        raise refusal("Nothing can be corrected", phase)
    return ruled(play, (said,), step, at)


def _edit(play: ConexPlay, turn: TurnRecord, command: Declare, step: int) -> Events:
    """A turn that is over is put right; what follows from it follows anew."""
    what = command.what
    if turn.action is not Deed.LAID or isinstance(what, DeclaredSeat | DeclaredHand | DeclaredPile | DeclaredStar):
        raise RefereeError(f"Turn {turn.number} is over: that cannot be corrected in it.")
    star = before_deed(play, turn, Deed.LAID).stars[DOUBLE].usable
    check_turn_fact(play, turn, what, star)
    after = replace(turn, declarations=(*turn.declarations, what))
    ruling = judge_turn(play, after)
    if not ruling.awards:
        raise RefereeError(
            f"That change would leave turn {turn.number} without points that count; state its points instead."
        )
    return (RoundEdited(step, command.at, turn.number, Declared(what), ruling),)


def _reseat(play: ConexPlay, turn: TurnRecord, seat: str, step: int, at: str) -> Events:
    """The waiting card was laid by another seat: those before it drew, or passed where nothing was left."""
    check_seat(play.seats, seat)
    table, placed, evidence = turn.table, turn.placed, turn.evidence
    if table is None or placed is None or turn.confirmed:
        raise refusal("Nobody else can have laid a card", phase_of(play))
    if seat == turn.seat:
        raise RefereeError("The card counts for that player already.")
    if turn.lightning is not None:
        raise RefereeError("This player used the lightning star in this turn: undo that first.")
    events: list[Event] = [Withdrawn(step, at, turn.number)]
    play = apply(play, events[0])
    while play.to_play != seat:
        number = len(play.turns)
        event: Event = Drew(step, at, number) if play.ledger.pile else Passed(step, at, number)
        for e in (event, TurnEnded(step, at, number)):
            if not play.finished and len(play.turns) == number:
                events.append(e)
                play = apply(play, e)
        if play.finished:
            raise RefereeError("The match would be over before that player's turn.")
    number, base = len(play.turns), play.turns[-1].base
    table = follow(base, table) if base is not None else table
    recorded = TableRecorded(step, at, number, table, evidence, placed)
    kept = [d for d in turn.declarations if isinstance(d, DeclaredFace | DeclaredGround | DeclaredCall)]
    said = [FactDeclared(step, at, number, Declared(d)) for d in kept]
    return (*events, *ruled(play, (recorded, *said), step, at))
