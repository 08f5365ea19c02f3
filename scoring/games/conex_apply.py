"""How each event changes a match of CONEX."""

from __future__ import annotations

from dataclasses import replace

from scoring.errors import LogError
from scoring.events import (
    Drew,
    Event,
    FactDeclared,
    LightningUsed,
    MatchFinished,
    Passed,
    Rolled,
    RoundConfirmed,
    RoundEdited,
    Ruled,
    TableAccepted,
    TableRecorded,
    TurnEnded,
    Withdrawn,
)
from scoring.games.conex_judge import lightning_disputed
from scoring.games.conex_play import LIGHTNING, ConexPlay, Deed, Ending, Lightning, TurnRecord, ending_of, named
from scoring.games.conex_same import NUDGE_MM, moved, without
from scoring.games.conex_track import die_due
from scoring.moves import CactusDie, DeclaredDie, DeclaredHand, DeclaredPile, DeclaredStar, DieFace
from scoring.table import TableState
from scoring.verdicts import RulingStatus


def apply(play: ConexPlay, event: Event) -> ConexPlay:
    """The match after one more event; raises LogError where the event does not follow."""
    if isinstance(event, MatchFinished):
        return replace(play, stopped=Ending.EARLY if event.early else Ending.AGREED)
    if isinstance(event, TableAccepted) and play.start is None and event.round == 0:
        return replace(play, start=event.table, turns=(_turn(play, 1, event.table),))
    play = replace(play, turns=play.turns_with(_apply(play, play.turn_of(event), event)))
    return play if isinstance(event, TableRecorded | FactDeclared) else _settle(play)


def _apply(play: ConexPlay, turn: TurnRecord, event: Event) -> TurnRecord:
    match event:
        case TableAccepted():
            return replace(_taken_back(turn), before=event.table, base=event.table)
        case TableRecorded():
            return _recorded(turn, event)
        case Ruled():
            return turn.ruled(event.ruling)
        case FactDeclared():
            return _declared(turn, event)
        case RoundConfirmed():
            if turn.ruling is None:
                raise LogError(f"turn {turn.number} is accepted without a ruling")
            return _counts(turn, Deed.LAID)
        case Drew():
            return _counts(turn, Deed.DREW)
        case Passed():
            return _counts(turn, Deed.PASSED)
        case Rolled():
            return replace(turn, rolled=_die(event.face), story=(*turn.story, Deed.ROLLED))
        case LightningUsed():
            return _lightning(turn, event)
        case TurnEnded():
            return replace(turn, story=(*turn.story, Deed.ENDED))
        case Withdrawn():
            back = _taken_back(turn)
            if not event.lightning or back.lightning is None:
                return back
            story = tuple(d for d in back.story if d is not Deed.LIGHTNING)
            overruled = _overruled(back) if back.ruling is not None else back
            return replace(overruled, lightning=None, base=back.before, left=None, story=story)
        case RoundEdited():
            return _edited(turn, event)
    raise LogError(f"CONEX knows no event {type(event).__name__}")


def _turn(play: ConexPlay, number: int, table: TableState | None) -> TurnRecord:
    return TurnRecord(number, play.seat_of(number), before=table, base=table)


def _counts(turn: TurnRecord, deed: Deed) -> TurnRecord:
    """The turn in which that counts now."""
    ruling = None if turn.ruling is None else replace(turn.ruling, status=RulingStatus.CONFIRMED)
    return replace(turn, confirmed=True, ruling=ruling, story=(*turn.story, deed))


def _recorded(turn: TurnRecord, event: TableRecorded) -> TurnRecord:
    if event.placed is None or all(p.key != event.placed for p in event.table.placements):
        raise LogError(f"the card that was laid in turn {turn.number} is not on its table")
    kept = turn.declarations
    if not _lies_still(turn, event):
        # What was stated about another card or place says nothing about this one.
        kept = ()
    return replace(turn, table=event.table, evidence=event.evidence, placed=event.placed, declarations=kept)


def _lies_still(turn: TurnRecord, event: TableRecorded) -> bool:
    if turn.table is None or turn.placed is None:
        # What was stated before a card was laid: names of cards that lie there.
        return turn.placed is None
    old = {p.key: p for p in turn.table.placements}
    new = {p.key: p for p in event.table.placements}
    if turn.placed != event.placed or turn.placed not in old or turn.placed not in new:
        return False
    return not moved(old[turn.placed], new[turn.placed], NUDGE_MM)


def _taken_back(turn: TurnRecord) -> TurnRecord:
    """The turn without the card that was judged in it and did not count."""
    if turn.confirmed:
        return turn
    return replace(_overruled(turn), table=None, evidence="", placed=None, declarations=())


def _overruled(turn: TurnRecord) -> TurnRecord:
    if turn.ruling is None:
        return turn
    old = replace(turn.ruling, status=RulingStatus.OVERRULED)
    return replace(turn, ruling=None, versions=(*turn.versions, old))


def _declared(turn: TurnRecord, event: FactDeclared) -> TurnRecord:
    what = event.move.what
    if isinstance(what, DeclaredHand | DeclaredPile | DeclaredStar):
        return replace(turn, story=(*turn.story, what))
    return replace(turn, declarations=(*turn.declarations, what))


def _lightning(turn: TurnRecord, event: LightningUsed) -> TurnRecord:
    table = turn.known
    if table is None:
        raise LogError(f"a card is taken in turn {turn.number} off a table that nobody saw")
    face = next((p.face for p in table.placements if p.key == event.key), None)
    at_end = turn.action is not None
    taken = Lightning(event.key, face, at_end, event.source)
    story = (*turn.story, Deed.LIGHTNING)
    if at_end:
        return replace(turn, lightning=taken, story=story, left=without(table, event.key))
    return replace(turn, lightning=taken, story=story, base=without(table, event.key))


def _edited(turn: TurnRecord, event: RoundEdited) -> TurnRecord:
    what = event.move.what
    turn = replace(turn, declarations=(*turn.declarations, what)).ruled(event.ruling)
    if not isinstance(what, DeclaredDie):
        return turn
    story = turn.story
    if Deed.ROLLED not in story:
        at = story.index(Deed.LAID) + 1
        story = (*story[:at], Deed.ROLLED, *story[at:])
    return replace(turn, rolled=_die(what.face), story=story)


def _die(face: DieFace | CactusDie) -> DieFace:
    if not isinstance(face, DieFace):
        raise LogError(f"the die of CONEX has no face {face}")
    return face


def _settle(play: ConexPlay) -> ConexPlay:
    """Close the running turn where it is done, open the next one, and stop where the match is over."""
    last = play.turns[-1]
    if not last.closed:
        if _done(play, last):
            last = replace(last, closed=True)
            play = replace(play, turns=(*play.turns[:-1], last))
        elif last.untouched and ending_of(play, play.turns[:-1]) is not None:
            # A later correction of an earlier turn ended the match.
            return replace(play, turns=play.turns[:-1])
    if last.closed and ending_of(play, play.turns) is None:
        return replace(play, turns=(*play.turns, _turn(play, last.number + 1, _left(last))))
    return play


def _done(play: ConexPlay, turn: TurnRecord) -> bool:
    if turn.action is None or lightning_disputed(turn):
        return False
    if ending_of(play, play.turns) is not None:
        return True  # "as soon as": nothing that could still be done in this turn changes the winner
    if die_due(play, turn):
        return False
    return Deed.ENDED in turn.story or not play.ledger.stars[LIGHTNING].usable


def _left(turn: TurnRecord) -> TableState | None:
    """The table that the next seat finds, with the names that people stated."""
    if turn.action is Deed.LAID and turn.placed is None:
        return None  # the players settled the turn; nobody saw what lies there
    known = turn.known
    return None if known is None else named(known, turn)
