"""What people state in a match of Cactus, and the events that follow from it."""

from __future__ import annotations

from dataclasses import replace

from scoring.commands import Declare
from scoring.errors import RefereeError
from scoring.events import Event, FactDeclared, RoundEdited, Ruled
from scoring.games.cactus_apply import apply
from scoring.games.cactus_check import check_fact, check_setting, refusal
from scoring.games.cactus_judge import hindrances, judge_turn
from scoring.games.cactus_look import rolling
from scoring.games.cactus_play import CactusPlay, TurnRecord
from scoring.games.cactus_stand import stand_of
from scoring.games.turns import Events
from scoring.moves import (
    Declared,
    DeclaredCall,
    DeclaredClaim,
    DeclaredContact,
    DeclaredDie,
    DeclaredFace,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredReroll,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.play import Phase


def phase_of(play: CactusPlay) -> Phase:
    """Where the match stands."""
    if play.finished:
        return Phase.FINISHED
    turn = play.turn
    if turn is None:
        return Phase.LAYOUT
    if rolling(play, turn):
        return Phase.ROLLING
    placed = turn.impossible or stand_of(play.deck, turn, play.options.sure).placed is not None
    return Phase.VERDICT if placed else Phase.TURN


def ruled(play: CactusPlay, events: Events, step: int, at: str) -> Events:
    """The events, and the ruling on the running turn after them, if there is anything to judge in it."""
    for event in events:
        play = apply(play, event)
    turn = play.turn
    if turn is None:
        return events
    ruling = judge_turn(play, turn)
    if not ruling.verdicts and turn.ruling is None:
        return events
    return (*events, Ruled(step, at, turn.number, ruling))


def acceptable(play: CactusPlay) -> bool:
    """Whether the die can be passed: the piece hangs as the rules ask, and nothing that matters is open."""
    turn = play.turn
    if turn is None or turn.ruling is None or phase_of(play) is not Phase.VERDICT:
        return False
    return turn.ruling.is_settled and not hindrances(turn.ruling)


def declare(play: CactusPlay, command: Declare, step: int) -> Events:
    """The events of a statement, about the running turn or an earlier one; raises RefereeError where it cannot be."""
    phase, what, at = phase_of(play), command.what, command.at
    turn = play.stated_turn(command.round)
    said = FactDeclared(step, at, turn.number, Declared(what))
    if isinstance(what, DeclaredFlowers | DeclaredSpecials):
        check_setting(play, what)
        return (replace(said, round=len(play.turns)),)
    if isinstance(what, DeclaredReroll):
        if not play.can_reroll or turn is not play.turns[-1]:
            raise RefereeError("Only a roll for which no basic piece is left is repeated.")
        return (said,)
    if turn.closed or play.finished:
        return _edit(play, turn, command, step)
    if isinstance(what, DeclaredDie) and turn.rolled is None:
        raise refusal("The die cannot be put right", phase)
    if isinstance(what, DeclaredHung) and phase is Phase.ROLLING:
        raise refusal("No piece can be hung", phase)
    if isinstance(what, DeclaredClaim | DeclaredImpossible | DeclaredCall) and phase is not Phase.VERDICT:
        raise refusal("That cannot be stated", phase)
    check_fact(play, turn, what)
    if isinstance(what, DeclaredFace) and what.key in {p.key for p in turn.before.placements}:
        return _name_again(play, turn, command, what, step)
    return ruled(play, (said,), step, at)


def _name_again(play: CactusPlay, turn: TurnRecord, command: Declare, what: DeclaredFace, step: int) -> Events:
    """A piece that hung before this turn is really another one: the turn in which it was hung is put right."""
    if what.face is None:
        raise RefereeError("A piece that hung before has a name; say which one it really is.")
    old = turn.before.placement(what.key).face
    for earlier in play.turns[: turn.number - 1]:
        here = earlier.own == old and earlier.hung_on is not None
        if here and stand_of(play.deck, earlier, play.options.sure).placed == what.key:
            return _edit(play, earlier, command, step)
    said = FactDeclared(step, command.at, turn.number, Declared(what))
    return _judged_anew(play, (said,), 0, step, command.at)


def _judged_anew(play: CactusPlay, events: Events, number: int, step: int, at: str) -> Events:
    """The events, and new rulings on the turns after that number where they follow: totals may be others."""
    for event in events:
        play = apply(play, event)
    found: list[Event] = []
    for turn in play.turns[number:]:
        if turn.ruling is None:
            continue
        ruling = judge_turn(play, turn)
        if ruling != turn.ruling and (ruling.is_settled or not turn.closed):
            found.append(Ruled(step, at, turn.number, ruling))
    return (*events, *found)


def _edit(play: CactusPlay, turn: TurnRecord, command: Declare, step: int) -> Events:
    """A turn that is over is put right: its flowers, and the name of its piece; what follows from it follows anew."""
    what = command.what
    stand = stand_of(play.deck, turn, play.options.sure)
    match what:
        case DeclaredFall() if what.piece in turn.gone and what.what is not Fall.HANGS:
            pass
        case DeclaredFace() if what.key == stand.placed and what.face is not None:
            if what.face in play.ledger.hung and what.face != turn.own:
                raise RefereeError(f"The piece {what.face} hangs already.")
        case DeclaredTouches() | DeclaredClaim() | DeclaredContact():
            pass
        case _:
            raise RefereeError(f"Turn {turn.number} is over: that cannot be corrected in it.")
    if not turn.confirmed:
        raise RefereeError(f"Turn {turn.number} is over: that cannot be corrected in it.")
    check_fact(play, turn, what)
    after = replace(turn, declarations=(*turn.declarations, what))
    edited = RoundEdited(step, command.at, turn.number, Declared(what), judge_turn(play, after))
    return _judged_anew(play, (edited,), turn.number, step, command.at)
