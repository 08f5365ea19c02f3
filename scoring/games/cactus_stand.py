"""What hangs in a turn of Cactus, and what became of each piece that hung before.

The record, the picture and what people stated are put together here. A piece that hung and is seen to lie has fallen,
and so has one whose place is seen to be empty. One that may hang behind another is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from scoring.deck_cactus import CactusDeck
from scoring.games.cactus_count import contact_call, hung, names_of
from scoring.games.cactus_same import SPOT_MM, apart_mm, moved
from scoring.games.cactus_since import since
from scoring.games.cactus_turn import TurnRecord, keeping
from scoring.geometry import signed_gap_mm
from scoring.moves import DeclaredContact, DeclaredFace, DeclaredHung, Fall
from scoring.table import Contact, Placement, Pose, TableState
from scoring.verdicts import Call

WELL_SEEN = 0.5
"""A piece of which more than this share was seen is missed where its place is empty."""
STATED = "+"
"""Begins the key of a piece that a person stated and the camera did not see."""


class How(StrEnum):
    """What tells that a piece fell.

    LIES: it is seen to lie. GONE: its place is empty, or (uncertain) it is out of sight. LOW: it touches base or table
    since this turn. BACK: it hung no more and hangs again. LATE: it fell before the die was rolled. STATED: people said
    so.
    """

    LIES = "lies"
    GONE = "gone"
    LOW = "low"
    BACK = "back"
    LATE = "late"
    STATED = "stated"


@dataclass(frozen=True, slots=True)
class FallOf:
    """One piece that fell or may have fallen.

    Parameters
    ----------
    piece
        Its id.
    call
        Violation: it fell in this turn and costs a flower. Legal: nobody pays. Uncertain: the players look.
    how
        What tells.
    hangs
        Whether it still counts as hanging.
    """

    piece: str
    call: Call
    how: How
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Stand:
    """How things stand in a turn.

    Parameters
    ----------
    table
        The table with the names and contacts that people stated.
    hung
        Cactus of each piece that hangs, by id; one that may have fallen hangs until it is answered.
    own
        Id of the piece of this turn where it hangs and has a name, or None.
    placed
        Key of the piece of this turn in `table`, or None where it does not hang.
    falls
        Pieces that fell or may have fallen, in the order in which they are told.
    """

    table: TableState
    hung: Mapping[str, str]
    own: str | None
    placed: str | None
    falls: tuple[FallOf, ...]

    @property
    def gone(self) -> tuple[str, ...]:
        """Ids of the pieces that hang no more."""
        return tuple(f.piece for f in self.falls if not f.hangs)

    def hidden(self, deck: CactusDeck, turn: TurnRecord) -> tuple[str, ...]:
        """Ids of the pieces that hang and are not to be seen.

        One that people said to hang stays among them while little of it is seen: they are not asked about it again.
        """
        seen = set(hung(self.table, deck)) if turn.table is not None else set()
        told = {*turn.hidden, *(p for p, said in turn.falls.items() if said is Fall.HANGS)}
        seen -= {p.face for p in self.table.placements if p.face in told and p.visible < WELL_SEEN}
        stated = {p.face for p in self.table.placements if p.key.startswith(STATED) and p.visible <= 0}
        unseen = turn.hidden if turn.table is None else tuple(p for p in self.hung if p not in seen)
        return tuple(p for p in self.hung if p in unseen or p in stated)

    def left(self, deck: CactusDeck, before: TableState) -> TableState:
        """What hangs after the turn; a piece that hangs out of sight stays where it was, unseen."""
        hanging = [p for p in self.table.placements if p.pose.plane in deck.cacti and p.key != self.placed]
        keep = [p for p in hanging if p.face is None or p.face in self.hung]
        keep += [p for p in self.table.placements if p.key == self.placed and p.face in self.hung]
        seen = {p.face for p in keep}
        hidden = [p for p in before.placements if p.face in self.hung and p.face not in seen]
        keys = {p.key for p in keep}
        keep += [replace(p, visible=0.0, key=p.key if p.key not in keys else f"{p.key}~") for p in hidden]
        return keeping(self.table, keep)


def stand_of(deck: CactusDeck, turn: TurnRecord, sure: float) -> Stand:
    """How things stand in a turn as it is recorded, with all that people stated."""
    table = stated_table(deck, turn)
    before = hung(turn.base, deck)
    placed, own = _own(deck, turn, table)
    falls = [FallOf(p, Call.LEGAL, How.LATE) for p in turn.lost]
    falls += _falls(deck, turn, table, own, sure)
    off = {f.piece for f in falls if not f.hangs} - {own}
    where = {p: c for p, c in {**before, **hung(table, deck)}.items() if p not in off}
    if placed is None or turn.impossible:
        lost = turn.own
        if lost is not None and (turn.impossible or lost not in before):
            where.pop(lost, None)
        placed, own = None, None
    return Stand(table, where, own if own in where else None, placed, tuple(falls))


def stated_table(deck: CactusDeck, turn: TurnRecord) -> TableState:
    """The table of a turn (or what hung before, where none was seen) as people corrected it."""
    table = since(turn.base, turn.table) if turn.table is not None else turn.base
    for said in turn.declarations:
        match said:
            case DeclaredFace():
                table = _named(table, said)
            case DeclaredHung():
                table = _hung(deck, table, said, turn.placed)
            case DeclaredContact():
                table = _settled(table, said)
    return table


def _own(deck: CactusDeck, turn: TurnRecord, table: TableState) -> tuple[str | None, str | None]:
    """Key and id of the piece of this turn."""
    stated = [d.piece for d in turn.declarations if isinstance(d, DeclaredHung)]
    names = names_of(table, deck)
    if stated:
        key = next((k for k, name in names.items() if name == stated[-1]), None)
        return key, stated[-1]
    hanging = {p.key for p in table.placements if p.pose.plane in deck.cacti}
    key = turn.placed if turn.placed in hanging else None
    return key, None if key is None else names.get(key)


def _falls(deck: CactusDeck, turn: TurnRecord, table: TableState, own: str | None, sure: float) -> list[FallOf]:
    before, now = hung(turn.base, deck), hung(table, deck)
    then = {p.face: p for p in turn.base.placements}
    there = {p.face: p for p in table.placements if p.pose.plane in deck.cacti}
    low, lay_low = _low(table, deck, sure), _low(turn.base, deck, sure)
    found = []
    for piece in before:
        stated = turn.falls.get(piece)
        if stated is Fall.HANGS or (piece == own and piece not in turn.fell):
            continue
        if stated is not None:
            found.append(FallOf(piece, Call.VIOLATION if stated is Fall.FELL else Call.LEGAL, How.STATED))
        elif piece == own:
            # It fell, went back to the supply, and was taken again.
            found.append(FallOf(piece, Call.VIOLATION, How.LIES, hangs=True))
        elif piece in now and piece in turn.fell:
            found.append(FallOf(piece, Call.UNCERTAIN, How.BACK, hangs=True))
        elif piece in now:
            call = low.get(piece, Call.LEGAL)
            # Nobody pushed what lay low before, or hangs as it did.
            pushed = lay_low.get(piece, Call.LEGAL) is Call.LEGAL and moved(then[piece], there[piece])
            if call is not Call.LEGAL and pushed:
                found.append(FallOf(piece, call, How.LOW, hangs=call is Call.UNCERTAIN))
        elif piece in turn.fell:
            lies = any(p.face == piece for p in table.placements)
            found.append(FallOf(piece, Call.VIOLATION, How.LIES if lies else How.GONE))
        elif piece not in turn.hidden and turn.table is not None and _in_view(deck, then[piece], table):
            found.append(FallOf(piece, Call.UNCERTAIN, How.GONE, hangs=True))
    order = {piece: n for n, piece in enumerate(dict.fromkeys((*turn.fell, *turn.falls)))}
    return sorted(found, key=lambda f: order.get(f.piece, len(order)))


def dropped(deck: CactusDeck, turn: TurnRecord, table: TableState, lay: TableState | None, sure: float) -> set[str]:
    """Ids of the pieces that hung when the turn began and certainly hang no more.

    Parameters
    ----------
    deck, turn, sure
        As in `stand_of`.
    table
        A settled table with the names of the record.
    lay
        The last table before this turn, or None: what lay there under the name of a hung piece is another piece.
    """
    hangs = hung(table, deck)
    down = [p for p in table.placements if p.pose.plane not in deck.cacti and p.confidence >= sure]
    old = [p for p in (lay.placements if lay is not None else ()) if p.pose.plane not in deck.cacti]
    lies = {p.face for p in down if not any(p.face == q.face and apart_mm(p, q) <= SPOT_MM for q in old)}
    gone = set()
    for was in turn.before.placements:
        if was.face is None or was.face in hangs or was.face not in deck.pieces:
            continue
        seen_empty = was.face not in turn.hidden and _in_view(deck, was, table) and _in_sight(deck, was, turn, table)
        sure_empty = seen_empty and was.confidence >= sure and not _perhaps(deck, was, turn, table, sure)
        if was.face in lies or sure_empty:
            gone.add(was.face)
    return gone


def _in_view(deck: CactusDeck, was: Placement, table: TableState) -> bool:
    """Whether the cactus on which it hung is in the picture."""
    return was.pose.plane in (table.cacti or tuple(deck.cacti))


def _in_sight(deck: CactusDeck, was: Placement, turn: TurnRecord, table: TableState) -> bool:
    """Whether it was well to be seen, and nothing hangs before its place that did not before."""
    if was.visible < WELL_SEEN:
        return False
    then = {p.key: p for p in turn.before.placements}
    here = [p for p in table.placements if p.pose.plane == was.pose.plane]
    new = [p for p in here if p.key not in then or moved(then[p.key], p)]
    return all(signed_gap_mm(p.corners(), was.corners()) > 0 for p in new)


def _perhaps(deck: CactusDeck, was: Placement, turn: TurnRecord, table: TableState, sure: float) -> bool:
    """Whether something hangs elsewhere that was not certainly read and may be that piece."""
    then = {p.key for p in turn.before.placements}
    fresh = [p for p in table.placements if p.pose.plane in deck.cacti and p.key not in then and p.confidence < sure]
    return any(was.face in {c.face for c in p.candidates} or (p.face is None and not p.candidates) for p in fresh)


def _low(table: TableState, deck: CactusDeck, sure: float) -> dict[str, Call]:
    """How surely each piece touches base or table, by id; the worse of the two."""
    names = names_of(table, deck)
    low: dict[str, Call] = {}
    for c in table.contacts:
        piece = names.get(c.a)
        if c.b is None and piece is not None:
            call = contact_call(c, sure)
            if low.get(piece) is not Call.VIOLATION and call is not Call.LEGAL:
                low[piece] = call
    return low


def _named(table: TableState, said: DeclaredFace) -> TableState:
    """The table where the placement of that key has that name; another one of the same name loses it."""

    def name(p: Placement) -> Placement:
        if p.key == said.key:
            return replace(p, face=said.face, confidence=0.0 if said.face is None else 1.0, candidates=())
        if said.face is not None and p.face == said.face:
            return replace(p, face=None, confidence=0.0, candidates=())
        return p

    return replace(table, placements=tuple(name(p) for p in table.placements))


def _hung(deck: CactusDeck, table: TableState, said: DeclaredHung, placed: str | None) -> TableState:
    """The table on which that piece hangs on that cactus; its place is not known where the camera did not see it."""
    seen = next((p for p in table.placements if p.face == said.piece and p.pose.plane in deck.cacti), None)
    if seen is None:
        # What was seen to be hung is that piece, under whatever name.
        seen = next((p for p in table.placements if p.key == placed and p.pose.plane in deck.cacti), None)
        if seen is not None:
            table = _named(table, DeclaredFace(seen.key, said.piece))
    if seen is not None:
        here = tuple(
            replace(p, pose=replace(p.pose, plane=said.cactus)) if p.key == seen.key else p for p in table.placements
        )
        return replace(table, placements=here)
    others = tuple(p for p in table.placements if p.face != said.piece)
    pose = Pose(0.0, -max(y for _, y in deck.cacti[said.cactus].outline), 0.0, said.cactus)
    there = Placement(f"{STATED}{said.piece}", said.piece, pose, deck.size_mm(said.piece), visible=0.0)
    return keeping(table, (*others, there))


def _settled(table: TableState, said: DeclaredContact) -> TableState:
    """The table on which these two touch, or do not, beyond doubt."""
    pair, kind = {said.a, said.b}, said.kind
    others = [c for c in table.contacts if not (c.kind is kind and {c.a, c.b} == pair)]
    old = next((c for c in table.contacts if c.kind is kind and {c.a, c.b} == pair), None)
    gap = old.gap_mm if old is not None else 0.0
    new = Contact(kind, said.a, said.b, gap, old.sigma_mm if old is not None else 0.0, 1.0 if said.touching else 0.0)
    return replace(table, contacts=(*others, new))
