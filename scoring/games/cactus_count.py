"""What one turn of Cactus breaks, brings and costs: counted on what hung before it and what hangs after it.

Pure counting, without a match: the rules of a match rest on it, and so does a report on photographs alone. Pieces are
called by their ids throughout. How the printed rules are read:

- "If your piece brings the total of a colour on the five cacti to 3, you receive a flower; to 5, two": pieces in all,
  wherever they hang, your own among them; 4, 6 and 7 bring nothing. The same for shapes. What several rewards bring
  adds up.
- "If your piece makes a single cactus have a piece of each colour, two flowers": at least one of each, and without
  your piece it would not be so.
- Special pieces count for colour (unless the table plays otherwise) and never for shape.
- Whatever made pieces of one colour or one shape touch on the cactus of this turn, it is to be put right in this turn.
- A piece that hung before and hangs no more has fallen, from whichever cactus; so has one that was pushed down onto the
  base or the table. One flower each, and no reward in that turn. Your own piece costs nothing: it is hung again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.deck_cactus import CactusDeck, CactusPiece
from scoring.measure import likely
from scoring.moves import Shifted, diff
from scoring.table import Contact, ContactKind, TableState
from scoring.verdicts import Call

SURE = 0.9
"""Probability from which on a contact is called: a wrong call weighs ten times as much as an unsure one."""
FALLEN_COST = 1
"""Flowers for each fallen piece."""


class Why(StrEnum):
    """What a placed piece earns flowers for."""

    COLOR_3 = "color-3"
    COLOR_5 = "color-5"
    SHAPE_3 = "shape-3"
    SHAPE_5 = "shape-5"
    ALL_COLORS = "all-colors"


FLOWERS: Mapping[Why, int] = {Why.COLOR_3: 1, Why.COLOR_5: 2, Why.SHAPE_3: 1, Why.SHAPE_5: 2, Why.ALL_COLORS: 2}
"""Flowers that each of them brings."""
BROKEN: Mapping[ContactKind, str] = {
    ContactKind.SAME_COLOR: "same-color",
    ContactKind.SAME_SHAPE: "same-shape",
    ContactKind.BASE: "touches-base",
    ContactKind.TABLE: "touches-table",
}
"""Name of the rule that a contact breaks."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the placed piece earns."""

    why: Why
    flowers: int


@dataclass(frozen=True, slots=True)
class Loss:
    """What a fallen piece costs; `flowers` is negative."""

    piece: str
    flowers: int
    why: str = "fallen"


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that two pieces break by touching, or one by touching base or table.

    Parameters
    ----------
    rule
        ``same-color``, ``same-shape``, ``touches-base`` or ``touches-table``.
    pieces
        Ids of the pieces concerned.
    call
        Violation, or uncertain where the picture does not settle it.
    contact
        What was measured.
    """

    rule: str
    pieces: tuple[str, ...]
    call: Call
    contact: Contact


@dataclass(frozen=True, slots=True)
class Totals:
    """Pieces that hang on all cacti, by colour and by shape; every colour and shape of the set is named."""

    colors: Mapping[str, int]
    shapes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TurnCount:
    """One turn, counted.

    Parameters
    ----------
    placed
        The piece that was hung, or None.
    fallen
        Pieces that fell, in the order of their ids.
    violations
        What is certainly broken and must be put right.
    unsure
        What may be broken: the players look.
    claims
        What the piece earns; empty where pieces fell.
    penalties
        What the fallen pieces cost.
    totals
        What hangs now.
    """

    placed: str | None
    fallen: tuple[str, ...]
    violations: tuple[Broken, ...]
    unsure: tuple[Broken, ...]
    claims: tuple[Claim, ...]
    penalties: tuple[Loss, ...]
    totals: Totals


def hung(table: TableState, deck: CactusDeck) -> dict[str, str]:
    """Where each named piece hangs: piece id to cactus id; pieces on the table are left out."""
    return {
        p.face: p.pose.plane
        for p in table.placements
        if p.face is not None and p.face in deck.pieces and p.pose.plane in deck.cacti
    }


def count_turn(
    deck: CactusDeck,
    before: TableState,
    after: TableState,
    placed: str | None = None,
    sure: float = SURE,
    specials: bool = True,
) -> TurnCount:
    """Count one turn between two settled tables.

    Parameters
    ----------
    deck
        The set.
    before, after
        The tables before and after the turn; `after` has the contacts.
    placed
        Id of the piece that was hung, where it is known. Without it, the one named piece that hangs now and did not
        before; None where there are several.
    sure
        Probability from which on a contact is called.
    specials
        Whether special pieces count for colour.
    """
    old, new = hung(before, deck), hung(after, deck)
    if placed is None:
        fresh = sorted(new.keys() - old.keys())
        placed = fresh[0] if len(fresh) == 1 else None
        # What touched base or table before the turn already was pushed there by nobody now.
    pushed = {p for p in _low(after, deck, sure) - _low(before, deck, sure) if p in old and p != placed}
    fallen = tuple(sorted((old.keys() - new.keys()) | pushed))
    stays = {piece: cactus for piece, cactus in new.items() if piece not in pushed}
    active = {new[placed]} if placed in new else _moved(before, after)
    broken = broken_rules(deck, after, placed, active, sure, specials)
    return TurnCount(
        placed,
        fallen,
        tuple(b for b in broken if b.call is Call.VIOLATION),
        tuple(b for b in broken if b.call is Call.UNCERTAIN),
        () if fallen or placed is None else rewards(deck, stays, placed, specials),
        tuple(Loss(piece, -FALLEN_COST) for piece in fallen),
        totals(deck, stays, specials),
    )


def contact_call(contact: Contact, sure: float = SURE) -> Call:
    """Violation where the two touch beyond doubt, legal where they do not, else uncertain."""
    return likely(1 - contact.touching, contact.touching, sure)


def broken_rules(
    deck: CactusDeck,
    table: TableState,
    placed: str | None,
    cacti: Collection[str],
    sure: float = SURE,
    specials: bool = True,
) -> tuple[Broken, ...]:
    """Every contact that matters on these cacti, the clear ones too, in the order of rules and pieces.

    Parameters
    ----------
    deck
        The set.
    table
        Its contacts, between pieces of any names; one with a piece that has no name says nothing yet.
    placed
        The piece of this turn: the only one that is asked about base and table.
    cacti
        Cacti on which what touches is to be put right.
    sure, specials
        See `count_turn`.
    """
    where = hung(table, deck)
    names = names_of(table, deck)
    found = []
    for contact in table.contacts:
        a = names.get(contact.a)
        b = None if contact.b is None else names.get(contact.b)
        if a is None or where.get(a) not in cacti:
            continue
        if contact.b is None:
            matters = a == placed and contact.kind in (ContactKind.BASE, ContactKind.TABLE)
            pieces: tuple[str, ...] = (a,)
        else:
            beside = b is not None and where.get(b) == where[a]
            matters = beside and forbidden(deck.pieces[a], deck.pieces[b or ""], contact.kind, specials)
            pieces = (a, b or "")
        if matters:
            found.append(Broken(BROKEN[contact.kind], pieces, contact_call(contact, sure), contact))
    order = list(BROKEN.values())
    return tuple(sorted(found, key=lambda broken: (order.index(broken.rule), broken.pieces)))


def forbidden(a: CactusPiece, b: CactusPiece, kind: ContactKind, specials: bool = True) -> bool:
    """Whether these two must not touch, for that reason."""
    if kind is ContactKind.SAME_COLOR:
        return a.color == b.color and (specials or not (a.special or b.special))
    return kind is ContactKind.SAME_SHAPE and a.shape is not None and a.shape == b.shape


def totals(deck: CactusDeck, pieces: Iterable[str], specials: bool = True) -> Totals:
    """How many of these pieces have each colour and each shape."""
    hanging = [deck.pieces[p] for p in pieces]
    colors = Counter(p.color for p in hanging if specials or not p.special)
    shapes = Counter(p.shape for p in hanging)
    return Totals({c: colors[c] for c in deck.colors}, {s: shapes[s] for s in deck.shapes})


def rewards(deck: CactusDeck, where: Mapping[str, str], placed: str, specials: bool = True) -> tuple[Claim, ...]:
    """What the piece `placed` earns by hanging where it does.

    Parameters
    ----------
    deck
        The set.
    where
        Cactus of each piece that hangs, `placed` among them.
    placed
        The piece of this turn.
    specials
        Whether special pieces count for colour.
    """
    if placed not in where:
        return ()
    piece, now = deck.pieces[placed], totals(deck, where, specials)
    earned = []
    if specials or not piece.special:
        earned += [w for n, w in ((3, Why.COLOR_3), (5, Why.COLOR_5)) if now.colors[piece.color] == n]
    if piece.shape is not None:
        earned += [w for n, w in ((3, Why.SHAPE_3), (5, Why.SHAPE_5)) if now.shapes[piece.shape] == n]
    if specials or not piece.special:
        beside = [deck.pieces[p] for p, cactus in where.items() if cactus == where[placed] and p != placed]
        others = {p.color for p in beside if specials or not p.special}
        if piece.color not in others and others | {piece.color} == set(deck.colors):
            earned.append(Why.ALL_COLORS)
    return tuple(Claim(why, FLOWERS[why]) for why in earned)


def names_of(table: TableState, deck: CactusDeck) -> dict[str, str]:
    """Id of each named piece by the key of its placement."""
    return {p.key: p.face for p in table.placements if p.face is not None and p.face in deck.pieces}


def _low(table: TableState, deck: CactusDeck, sure: float) -> set[str]:
    """Pieces that touch base or table beyond doubt."""
    names = names_of(table, deck)
    low = {names.get(c.a) for c in table.contacts if c.b is None and contact_call(c, sure) is Call.VIOLATION}
    return {p for p in low if p is not None}


def _moved(before: TableState, after: TableState) -> set[str]:
    """Cacti on which a piece hangs otherwise than before."""
    moves = diff(before, after)
    return {m.after.pose.plane for m in moves if isinstance(m, Shifted)}
