"""How tables of Cactus are told: each against the one before, as one turn with all that it broke, earned and cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from scoring.deck import CactusDeck
from scoring.games.cactus_count import TurnCount, contact_call, count_turn, hung
from scoring.games.cactus_course import Course, Fresh, fresh_of
from scoring.games.cactus_since import PUSHED_MM, since
from scoring.moves import Shifted, diff
from scoring.table import Contact, Placement, TableState
from scoring.verdicts import Call
from webui.reports import Json, Outline, Seen, Told, quad

CONTACT_WORDS = {Call.LEGAL: "clear", Call.VIOLATION: "touching", Call.UNCERTAIN: "unsure"}
"""The three words of contacts."""

PIECE_SURE = 0.2
"""A piece of which it is less sure that it hangs there is not told."""


NO_TURN: Mapping[str, Any] = {
    "placed": None, "moved": [], "fallen": [], "violations": [], "claims": [], "penalties": [],
}  # fmt: skip
"""What is told of a table on which nothing was done."""


class CactusReport:
    """Cactus behind the `reports.Report` protocol. The first table is the starting state.

    Parameters
    ----------
    deck
        The set.
    turns
        Whether each table is one turn later than the one before: then the order of the cacti tells of several new
        pieces which was hung last.
    """

    sequence = True

    def __init__(self, deck: CactusDeck, *, turns: bool = False) -> None:
        self._deck = deck
        self._before: TableState | None = None
        self._course = Course() if turns else None
        self._untold: tuple[Json, TableState, TableState] | None = None

    def tell(self, seen: Seen) -> Told:
        """What stands and hangs, what comes near what, and the turn."""
        seen = replace(seen, table=_named(seen.table))
        turn: Json = dict(NO_TURN)
        fresh = Fresh(None)
        if self._before is not None:
            before = seen.with_overlooked(self._before)
            fresh = fresh_of(self._deck, before, seen.table, self._course)
            before = _overlooking(seen, fresh.older).with_overlooked(before)
            seen = replace(seen, table=since(before, seen.table))
            turn = turn_told(count_turn(self._deck, before, seen.table), _pushed(before, seen.table))
        table = {**cactus_table(self._deck, seen.table, seen.quads), **turn}
        events: list[tuple[str, Json]] = []
        if turn["placed"] is not None or turn["moved"] or turn["fallen"]:
            events.append(("turn", {"turn": {"game": "cactus", **table}}))
        mended = self._mended(fresh.missed, seen)
        open_ = self._course is not None and self._before is not None and turn["placed"] is None
        return Told(table, _subject(table, seen.table), tuple(events), mended, open_)

    def accept(self, seen: Seen, told: Told) -> None:
        """The next table is told against this one."""
        now, then = _named(seen.table), self._before
        if self._course is not None and then is not None:
            placed = hung(now, self._deck).get(told.table["placed"] or "")
            self._course = self._course.after(placed, now.cacti)
            several = hung(now, self._deck).keys() - hung(then, self._deck).keys()
            self._untold = None if placed or several else (told.table, then, now)
        self._before = now

    def _mended(self, missed: str | None, now: Seen) -> Json | None:
        """What the table before is told as, once it is known which piece hung there unseen."""
        if missed is None or self._untold is None:
            return None
        table, before, after = self._untold
        if missed in hung(before, self._deck):
            return None
        turn = count_turn(self._deck, before, _overlooking(now, (missed,)).with_overlooked(after), missed)
        return {**table, **turn_told(turn, table["moved"])}


def cactus_table(deck: CactusDeck, table: TableState, quads: Mapping[str, Outline]) -> Json:
    """Cacti, pieces and contacts as they are, without any rule.

    Parameters
    ----------
    deck
        The set.
    table
        The settled table.
    quads
        Outline of each piece in pixels, by key, and front of the base of each cactus, by its name.
    """
    names = {p.key: p.face for p in table.placements}
    return {
        "cacti": [{"id": name, "base": quad(quads[name])} for name in table.cacti if name in quads],
        "pieces": [
            _piece(deck, p, quads) for p in table.placements if p.face in deck.pieces and p.pose.plane in deck.cacti
        ],
        "contacts": [_contact(c, names) for c in table.contacts if c.a in names and (c.b is None or c.b in names)],
    }


def turn_told(count: TurnCount, moved: list[str]) -> Json:
    """One turn in words of the contract.

    Parameters
    ----------
    count
        What the turn broke, earned and cost.
    moved
        Pieces that hang otherwise than before; the placed one is not named among them.
    """
    return {
        "placed": count.placed,
        "moved": [piece for piece in moved if piece != count.placed],
        "fallen": list(count.fallen),
        "violations": [{"rule": v.rule, "pieces": list(v.pieces)} for v in count.violations],
        "claims": [{"why": str(c.why), "flowers": c.flowers} for c in count.claims],
        "penalties": [{"why": loss.why, "flowers": loss.flowers, "piece": loss.piece} for loss in count.penalties],
    }


def _piece(deck: CactusDeck, placement: Placement, quads: Mapping[str, Outline]) -> Json:
    piece = deck.pieces[str(placement.face)]
    return {
        "id": piece.id,
        "color": piece.color,
        "shape": piece.shape,
        "special": piece.special,
        "cactus": placement.pose.plane,
        "outline": quad(quads[placement.key]),
        "confidence": round(placement.confidence, 4),
    }


def _contact(contact: Contact, names: Mapping[str, str | None]) -> Json:
    return {
        "a": names[contact.a],
        "b": None if contact.b is None else names[contact.b],
        "kind": str(contact.kind),
        "gap_mm": round(contact.gap_mm, 2),
        "sigma_mm": round(contact.sigma_mm, 2),
        "verdict": CONTACT_WORDS[contact_call(contact)],
    }


def _named(table: TableState) -> TableState:
    """The table without what is rather not there."""
    kept = tuple(p for p in table.placements if p.confidence >= PIECE_SURE)
    return table if len(kept) == len(table.placements) else replace(table, placements=kept)


def _overlooking(seen: Seen, pieces: Collection[str]) -> Seen:
    """The same table, of which these pieces hung there before."""
    return replace(seen, overlooked=frozenset(p.key for p in seen.table.placements if p.face in pieces))


def _pushed(before: TableState, after: TableState) -> list[str]:
    moves = diff(before, after, PUSHED_MM)
    return [m.after.face for m in moves if isinstance(m, Shifted) and m.after.face is not None]


def _subject(table: Json, state: TableState) -> Any:
    where = sorted((str(p.face), p.pose.plane) for p in state.placements)
    turn = [table[k] for k in ("placed", "moved", "fallen", "claims")]
    broken = [(v["rule"], v["pieces"]) for v in table["violations"]]
    near = [c for c in table["contacts"] if c["verdict"] != "clear"]
    calls = sorted((c["kind"], c["a"], c["b"] or "", c["verdict"]) for c in near)
    return (where, turn, broken, calls)
