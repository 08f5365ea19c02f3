"""A settled table against a match of CONEX: the same cards under other keys, and what happened since.

Nothing is guessed: what cannot be one move of the seat to play is `OutOfStep`, with the cards to look at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from scoring.games.conex_judge import lightning_disputed
from scoring.games.conex_place import doubling
from scoring.games.conex_play import LIGHTNING, ConexPlay, Deed, TurnRecord, named
from scoring.games.conex_same import (
    NUDGE_MM,
    apart_mm,
    compatible,
    follow,
    keys_in_match,
    match_keys,
    moved,
    on_play,
    renamed,
    still,
)
from scoring.games.conex_step import Step, read_step
from scoring.moves import DeclaredDouble, Source
from scoring.play import OutOfStep
from scoring.table import Placement, TableState
from scoring.verdicts import Call

PUSHED_SHARE = 0.25
"""A card that counts and lies elsewhere by less than this share of its shorter side was pushed, not laid anew."""


class Seen(StrEnum):
    """What a settled table tells a match.

    NOTHING new. START: the first table, or the first after one that nobody saw. LAID: a card was laid, or laid anew
    before it counted. AGAIN: the card that waits lies as before. NEXT: a further card, which accepts the one that waits
    or ends the turn. WITHDRAWN: the card that waits was taken back. TAKEN: a card was taken off that the lightning star
    may take; TAKEN_AND_LAID: and a card was laid. RETURNED: the card that lightning took lies again. ASTRAY: the table
    does not follow.
    """

    NOTHING = "nothing"
    START = "start"
    LAID = "laid"
    AGAIN = "again"
    NEXT = "next"
    WITHDRAWN = "withdrawn"
    TAKEN = "taken"
    TAKEN_AND_LAID = "taken-and-laid"
    RETURNED = "returned"
    ASTRAY = "astray"


class Stray(StrEnum):
    """Why a table does not follow from the match.

    SEVERAL: more than one card was laid. GONE: a card is gone, and nobody may take one. MOVED: a card that counts was
    laid elsewhere. WRONG: the last card is not allowed; first it is taken back, laid anew or accepted. OPEN: first the
    question about the last card is answered (or the card accepted on the page). ROLL: first the die is told.
    STILL_LIES: the card that lightning took lies there still (or again).
    """

    SEVERAL = "several"
    GONE = "gone"
    MOVED = "moved"
    WRONG = "wrong"
    OPEN = "open"
    ROLL = "roll"
    STILL_LIES = "still-lies"


@dataclass(frozen=True, slots=True)
class Look:
    """What a settled table tells a match.

    Parameters
    ----------
    seen
        In one word.
    table
        The table with the names that the match knows.
    placed
        Key of the card that was laid, in `table`.
    taken
        Key of the card that is gone, as the match knows it.
    astray
        Why the table does not follow, where it does not.
    """

    seen: Seen
    table: TableState
    placed: str | None = None
    taken: str | None = None
    astray: OutOfStep | None = None


def look(play: ConexPlay, table: TableState) -> Look:
    """What a settled table tells a match; judges nothing and never raises."""
    turn = play.turn
    if turn is None or turn.base is None:
        start = play.start is None or turn is not None
        return Look(Seen.START if start else Seen.NOTHING, table)
    return _Glance(play, turn, turn.base, renamed(table, as_known(play, table))).look()


def as_known(play: ConexPlay, table: TableState) -> dict[str, str]:
    """The keys by which the match calls the cards of a table, by those that they have there; see `keys_in_match`.

    A single picture and a restarted program count their cards anew: without this a card that is laid could have the key
    of one that lies, and what people state about the one would be taken for the other.
    """
    turn, known = play.turns[-1] if play.turns else None, play.table
    if turn is None or known is None:
        return {}
    tables = (turn.before, turn.base, turn.table, turn.left)
    return keys_in_match(known, (p for t in tables if t is not None for p in t.placements), table)


def is_news(play: ConexPlay, table: TableState) -> bool:
    """Whether the table tells something that is not recorded yet and can be."""
    seen = look(play, table)
    if seen.seen is not Seen.AGAIN:
        return seen.seen not in (Seen.NOTHING, Seen.ASTRAY)
    turn = play.turn
    if turn is None or turn.table is None or turn.placed is None or seen.placed is None:
        return False
    if put_right(turn, seen.table, seen.placed):
        return True
    if any(isinstance(d, DeclaredDouble) for d in turn.declarations):
        return False
    sure = play.options.sure
    return doubling(seen.table, seen.placed, sure) is Call.LEGAL is not doubling(turn.table, turn.placed, sure)


def put_right(turn: TurnRecord, table: TableState, placed: str) -> bool:
    """Whether the card that waits, or one that lies with it, was moved by hand since it was judged."""
    if turn.table is None or turn.placed is None:
        return False
    new = {p.key: p for p in table.placements}
    pairs = {**match_keys(turn.table, table), turn.placed: placed}
    pairs = pairs if turn.ruling is not None and not turn.ruling.awards else {turn.placed: placed}
    old = {p.key: p for p in turn.table.placements}
    return any(moved(old[a], new[b], NUDGE_MM) for a, b in pairs.items() if a in old and b in new)


def accepts_itself(play: ConexPlay, turn: TurnRecord) -> bool:
    """Whether the next card may accept the one that waits: the rules allow it, and nothing is open."""
    ruling = turn.ruling
    if play.options.accept != "next" or ruling is None or not ruling.is_settled or not ruling.awards:
        return False
    return not any(v.call is not Call.LEGAL and v.rule == "conex.star" for v in ruling.verdicts)


def die_due(play: ConexPlay, turn: TurnRecord) -> bool:
    """Whether the card of this turn lets the seat roll and nobody told what the die showed."""
    placement = turn.ruling.placement if turn.ruling is not None else None
    face = play.deck.faces.get(placement.face or "") if placement is not None else None
    return face is not None and face.symbol == "die" and Deed.ROLLED not in turn.story


class _Glance:
    """One look of one turn at one table."""

    def __init__(self, play: ConexPlay, turn: TurnRecord, base: TableState, table: TableState) -> None:
        self.play = play
        self.turn = turn
        self.base = named(base, turn)
        self.table = follow(self.base, on_play(table))
        self.faces = {p.key: p.face for p in self.table.placements}
        self.may_take = play.ledger.stars[LIGHTNING].usable

    def look(self) -> Look:
        returned = self._returned()
        if returned is not None:
            return returned
        if self.turn.action is not None:
            return self._after()
        if self.turn.placed is not None and self.turn.table is not None:
            return self._waiting(self.turn.table, self.turn.placed)
        return self._open()

    def _open(self) -> Look:
        """Nothing is laid yet."""
        turn = self.turn
        step, keys = self._step(self.base)
        if step.quiet:
            return self._told(Seen.NOTHING)
        if lightning_disputed(turn) or turn.waiting:
            return self._astray(Stray.WRONG if lightning_disputed(turn) else Stray.OPEN)
        if step.relaid:
            return self._astray(Stray.MOVED, step.placed)
        if step.others:
            return self._astray(Stray.SEVERAL, step.placed, *step.others)
        taken = keys[step.removed[0].key] if step.removed else None
        if len(step.removed) > 1 or (taken is not None and not self.may_take):
            return self._astray(Stray.GONE, *step.removed)
        if step.placed is None:
            return self._told(Seen.TAKEN, taken=taken)
        return self._told(Seen.LAID if taken is None else Seen.TAKEN_AND_LAID, step.placed.key, taken)

    def _returned(self) -> Look | None:
        """A card that lightning took lies where it lay: it was put back, or never taken off."""
        turn = self.turn
        for owner in self.play.turns[max(turn.number - 2, 0) :]:
            taken = owner.lightning
            if taken is None:
                continue
            where = owner.before
            if taken.at_end:
                where = owner.table if owner.table is not None else owner.base
            lies = self._lies(where, taken.key) if where is not None else None
            if lies is None or where is None:
                continue
            undone = owner is turn and taken.source is Source.CAMERA and self._step(named(where, turn))[0].quiet
            return self._told(Seen.RETURNED) if undone else self._astray(Stray.STILL_LIES, lies)
        return None

    def _waiting(self, judged: TableState, placed: str) -> Look:
        """A card was judged and waits."""
        step, keys = self._step(judged)
        if step.quiet:
            now = next((new for new, old in keys.items() if old == placed), placed)
            return self._told(Seen.AGAIN, now)
        whole = self._step(self.base)[0]
        if whole.quiet:
            return self._told(Seen.WITHDRAWN)
        if step.placed is not None and not step.removed and not step.others:
            why = self._hindrance()
            return self._astray(why, step.placed) if why else self._told(Seen.NEXT, step.placed.key)
        if whole.placed is not None and not whole.removed and not whole.others:
            return self._told(Seen.LAID, whole.placed.key)
        if len(step.removed) == 1 and step.placed is None:
            taken = keys[step.removed[0].key]
            why = self._hindrance() if self.may_take and taken != placed else Stray.GONE
            return self._astray(why, *step.removed) if why else self._told(Seen.TAKEN, taken=taken)
        return self._muddle(whole)

    def _after(self) -> Look:
        """The seat has laid, drawn or passed; it may still have to roll, or use lightning."""
        known = self.turn.known
        assert known is not None
        step, keys = self._step(named(known, self.turn))
        if step.quiet:
            return self._told(Seen.NOTHING)
        if step.others or step.relaid or len(step.removed) > 1 or (step.removed and step.placed is not None):
            return self._muddle(step)
        rolls = die_due(self.play, self.turn) and self.turn.action is Deed.LAID
        if rolls:
            return self._astray(Stray.ROLL, step.placed)
        if lightning_disputed(self.turn):
            return self._astray(Stray.WRONG)
        if step.placed is not None:
            return self._told(Seen.NEXT, step.placed.key)
        if not self.may_take:
            return self._astray(Stray.GONE, *step.removed)
        return self._told(Seen.TAKEN, taken=keys[step.removed[0].key])

    def _muddle(self, step: Step) -> Look:
        if step.relaid:
            return self._astray(Stray.MOVED, step.placed)
        if step.removed:
            return self._astray(Stray.GONE, *step.removed)
        return self._astray(Stray.SEVERAL, step.placed, *step.others)

    def _hindrance(self) -> Stray | None:
        """Why the waiting card cannot count without a word of the players."""
        placement = self.turn.ruling.placement if self.turn.ruling is not None else None
        if self.turn.settled_points is None and placement is not None and placement.call is Call.VIOLATION:
            return Stray.WRONG
        if not accepts_itself(self.play, self.turn):
            return Stray.OPEN
        return Stray.ROLL if die_due(self.play, self.turn) else None

    def _step(self, before: TableState) -> tuple[Step, dict[str, str]]:
        """What happened since `before`, and its keys by those that its cards have in the step."""
        new = match_keys(before, self.table)
        fresh = {p.key for p in self.table.placements}
        names = {p.key: new.get(p.key, p.key if p.key not in fresh else f"{p.key}~") for p in before.placements}
        return _unpushed(read_step(renamed(before, names), self.table)), {v: k for k, v in names.items()}

    def _lies(self, before: TableState, key: str) -> Placement | None:
        """The card of that key of an earlier table, where it lies now just as it lay then."""
        old = next((p for p in before.placements if p.key == key), None)
        if old is None:
            return None
        return next((p for p in self.table.placements if still(old, p) and compatible(old, p)), None)

    def _told(self, seen: Seen, placed: str | None = None, taken: str | None = None) -> Look:
        return Look(seen, self.table, placed, taken)

    def _astray(self, why: Stray, *pieces: Placement | None) -> Look:
        there = [p for p in pieces if p is not None]
        faces = tuple(p.face for p in there if p.face is not None)
        keys = tuple(p.key for p in there if p.key in self.faces)
        return Look(Seen.ASTRAY, self.table, astray=OutOfStep(why, faces, keys))


def _unpushed(step: Step) -> Step:
    """The step without a card that only seems to be taken up and laid anew: it was pushed."""
    laid = [p for p in (step.placed, *step.others) if p is not None]
    gone = list(step.removed)
    for new in list(laid):
        for old in list(gone):
            if old.key == new.key and apart_mm(old, new) <= PUSHED_SHARE * min(new.size_mm):
                laid.remove(new)
                gone.remove(old)
    return replace(step, placed=laid[0] if laid else None, others=tuple(laid[1:]), removed=tuple(gone))
