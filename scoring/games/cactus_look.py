"""A settled table against a match of Cactus: what it tells of the running turn, and where the two have parted.

Nothing is guessed: what cannot come of one turn is `OutOfStep`, with the pieces to look at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from scoring.games.cactus_count import hung
from scoring.games.cactus_must import free, opening
from scoring.games.cactus_play import CactusPlay, allowed
from scoring.games.cactus_same import PIECE_SURE, follow, moved
from scoring.games.cactus_stand import dropped, stated_table
from scoring.games.cactus_turn import TurnRecord
from scoring.moves import DeclaredFace, DeclaredHung
from scoring.play import OutOfStep
from scoring.table import Placement, TableState


class Seen(StrEnum):
    """What a settled table tells a match.

    NOTHING new. START: the first table. LATE: pieces fell (or hang again) before the die was rolled. HUNG: a piece was
    hung, or another one in its place. AGAIN: the piece of this turn hangs, as before or hung anew. FELL: pieces fell
    (or hang again), and none was hung. BACK: the piece of this turn fell or was taken back. ASTRAY: the table does not
    follow.
    """

    NOTHING = "nothing"
    START = "start"
    LATE = "late"
    HUNG = "hung"
    AGAIN = "again"
    FELL = "fell"
    BACK = "back"
    ASTRAY = "astray"


class Stray(StrEnum):
    """Why a table does not follow from the match.

    SEVERAL: more than one piece was hung. ROLL: the die comes first. ELSEWHERE: a piece hangs on another cactus than it
    did. FALLEN: a piece that fell, or was given up, hangs there still (or again). EMPTY: no cactus can be seen.
    """

    SEVERAL = "several"
    ROLL = "roll"
    ELSEWHERE = "elsewhere"
    FALLEN = "fallen"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Look:
    """What a settled table tells a match.

    Parameters
    ----------
    seen
        In one word.
    table
        The table with the keys and names that the match knows.
    placed
        Key of the piece of this turn in `table`, or None where it does not hang.
    astray
        Why the table does not follow, where it does not.
    """

    seen: Seen
    table: TableState
    placed: str | None = None
    astray: OutOfStep | None = None


def look(play: CactusPlay, table: TableState) -> Look:
    """What a settled table tells a match; judges nothing and never raises."""
    turn = play.turn
    if turn is None:
        return Look(Seen.START if play.start is None and not play.finished else Seen.NOTHING, table)
    if not table.cacti and not any(p.pose.plane in play.deck.cacti for p in table.placements):
        return Look(Seen.ASTRAY, table, astray=OutOfStep(Stray.EMPTY))
    return _glance(play, turn, table)


def rolling(play: CactusPlay, turn: TurnRecord) -> bool:
    """Whether the die of this turn is still to be told."""
    return turn.rolled is None and not free(play, turn)


def dropped_in(play: CactusPlay, turn: TurnRecord, table: TableState) -> tuple[str, ...]:
    """Ids of the pieces that hung when the turn began and certainly hang no more, those first that fell first."""
    earlier = play.turns[turn.number - 2].table if turn.number > 1 else play.start
    gone = dropped(play.deck, turn, table, earlier, play.options.sure)
    known = [p for p in (*turn.late, *turn.fell) if p in gone]
    return tuple(dict.fromkeys((*known, *sorted(gone))))


def late_on(turn: TurnRecord, hangs: Collection[str | None], gone: tuple[str, ...]) -> tuple[str, ...]:
    """Ids of the pieces that have fallen before the roll, on a table where these hang and those certainly do not."""
    known = tuple(p for p in turn.late if p not in hangs)
    return (*known, *(p for p in gone if p not in known))


def worth(old: TurnRecord, seen: Look) -> bool:
    """Whether the piece of this turn, or one that hangs with it, was moved by hand since it was judged."""
    if old.table is None or seen.placed is None:
        return True
    then = {p.key: p for p in old.table.placements}
    now = {p.key: p for p in seen.table.placements}
    if seen.placed not in then:
        return True
    cactus = now[seen.placed].pose.plane
    here = [k for k, p in now.items() if p.pose.plane == cactus]
    return any(k not in then or moved(then[k], now[k]) for k in here)


def _glance(play: CactusPlay, turn: TurnRecord, table: TableState) -> Look:
    may = () if rolling(play, turn) else allowed(play, opening(play, turn), turn.rolled)
    known = _expected(play, turn, table, may)
    if turn.table is not None and turn.placed is not None:
        known += [p for p in stated_table(play.deck, turn).placements if p.key == turn.placed]
    stated = {d.face for t in play.turns for d in t.declarations if isinstance(d, DeclaredFace)}
    stated |= {d.piece for t in play.turns for d in t.declarations if isinstance(d, DeclaredHung)}
    table = follow(play.deck, known, table, frozenset(s for s in stated if s is not None), turn.placed)
    keys = {p.key for p in known if p.key != turn.placed}
    there = {p.key: p for p in table.placements if p.pose.plane in play.deck.cacti}
    strayed = [p for p in known if p.key in keys and p.key in there and there[p.key].pose.plane != p.pose.plane]
    if strayed:
        return _astray(table, Stray.ELSEWHERE, strayed)
    fresh = [p for k, p in there.items() if k not in keys and (p.face is not None or p.confidence >= PIECE_SURE)]
    if len(fresh) > 1:
        # Where one of them has a name and the others have none, the others are no pieces.
        fresh = [p for p in fresh if p.face is not None] or fresh
    out = [p for p in fresh if p.face in _out(play, turn, may)]
    if out:
        return _astray(table, Stray.FALLEN, out)
    if rolling(play, turn):
        if fresh:
            return _astray(table, Stray.ROLL, fresh)
        late = late_on(turn, hung(table, play.deck), dropped_in(play, turn, table)) != turn.late
        return Look(Seen.LATE if late else Seen.NOTHING, table)
    if len(fresh) > 1:
        return _astray(table, Stray.SEVERAL, fresh)
    if fresh:
        again = turn.placed is not None and fresh[0].key == turn.placed
        return Look(Seen.AGAIN if again else Seen.HUNG, table, fresh[0].key)
    if turn.placed is not None and not turn.impossible:
        return Look(Seen.BACK, table)
    new = set(dropped_in(play, turn, table)) - {*turn.late, *turn.fell}
    return Look(Seen.FELL if new or _hangs_again(play, turn, table) else Seen.NOTHING, table)


def _hangs_again(play: CactusPlay, turn: TurnRecord, table: TableState) -> bool:
    """Whether a piece that fell in this turn is seen to hang, and did not when it was recorded last."""
    then = hung(turn.table, play.deck) if turn.table is not None else {}
    return bool((set(turn.fell) & set(hung(table, play.deck))) - set(then))


def _expected(play: CactusPlay, turn: TurnRecord, table: TableState, may: Collection[str]) -> list[Placement]:
    """What hung when the turn began, without what fell since and was taken up again to be hung."""
    where = hung(table, play.deck)
    back = {p for p in (*turn.late, *turn.fell) if p in where and (p in may or p in turn.late)}
    gone = [p for p in turn.before.placements if p.face in back]
    taken = {p.face for p in gone if (p.face in may and p.face in turn.late) or where[p.face or ""] != p.pose.plane}
    return [p for p in turn.before.placements if p.face not in taken]


def _out(play: CactusPlay, turn: TurnRecord, may: Collection[str]) -> set[str]:
    """Pieces that fell or were given up and cannot be taken in this turn."""
    last = play.turns[turn.number - 2].gone if turn.number > 1 else ()
    return {*opening(play, turn).discarded, *last, *turn.late} - set(may)


def _astray(table: TableState, why: Stray, pieces: Iterable[Placement]) -> Look:
    there = list(pieces)
    faces = tuple(p.face for p in there if p.face is not None)
    return Look(Seen.ASTRAY, table, astray=OutOfStep(why, faces, tuple(p.key for p in there)))
