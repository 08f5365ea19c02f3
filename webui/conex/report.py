"""How tables of CONEX are told: each against the one before, with the card that was laid and what was taken off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from scoring.deck import ConexDeck
from scoring.events import OptionValue
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import CORNER_COVERED, judge_placement
from scoring.games.conex_step import Step, read_step
from scoring.table import BOARD, Placement, Side, TableState, Token, TokenKind
from scoring.verdicts import Call, Ground, PlacementRuling, Verdict
from webui.reports import Json, Outline, Seen, Told, quad

CALL_WORDS = {Call.LEGAL: "legal", Call.VIOLATION: "illegal", Call.UNCERTAIN: "unsure"}
"""The three words of placements."""

TOKEN_SURE = 0.5
"""A token that is rather not what it is read as is not told."""
CARD_SURE = 0.5
"""An outline that has no name is told only where it is rather a card than not."""


class ConexReport:
    """CONEX behind the `reports.Report` protocol. The first table is the starting state."""

    sequence = True

    def __init__(self, deck: ConexDeck, options: Mapping[str, OptionValue] | None = None) -> None:
        self._deck = deck
        self._options = ConexOptions.of(options or {})
        self._before: TableState | None = None

    def tell(self, seen: Seen) -> Told:
        """Board, cards and tokens, the placement, and the cards that were taken off."""
        step = Step() if self._before is None else read_step(seen.with_overlooked(self._before), seen.table)
        placement = self._placement(seen.table, step)
        removed = _names(step.removed)
        table = {**conex_table(seen.table, seen.quads), "placement": placement, "removed": removed}
        events: list[tuple[str, Json]] = []
        if placement is not None:
            events.append(("placement", {"placement": placement, "removed": removed}))
        elif removed:
            events.append(("removed", {"removed": removed}))
        if step.others:
            events.append(("out-of-step", {"why": "several-cards", "cards": [p.face for p in step.others]}))
        return Told(table, _subject(placement, step), tuple(events))

    def accept(self, seen: Seen, told: Told) -> None:
        """The next table is told against this one."""
        self._before = seen.table

    def _placement(self, table: TableState, step: Step) -> Json | None:
        if step.placed is None:
            return None
        ruling, verdicts = judge_placement(table, step.placed.key, self._deck, self._options)
        ruling, verdicts = _without_order(ruling, verdicts, {p.key for p in step.others})
        return placement_told(ruling, verdicts, {p.key: p.face for p in table.placements})


def _without_order(
    ruling: PlacementRuling, verdicts: tuple[Verdict, ...], others: set[str]
) -> tuple[PlacementRuling, tuple[Verdict, ...]]:
    """What was laid in the same step may have come later: what it has to do with it is held against neither card."""
    verdicts = tuple(
        replace(v, call=Call.UNCERTAIN) if v.call is Call.VIOLATION and others & set(v.about[1:]) else v
        for v in verdicts
    )
    if ruling.call is Call.VIOLATION and all(v.call is not Call.VIOLATION for v in verdicts):
        ruling = replace(ruling, call=Call.UNCERTAIN)
    return ruling, verdicts


def conex_table(table: TableState, quads: Mapping[str, Outline]) -> Json:
    """Board, cards, pawns and stars as they lie, without any rule.

    Parameters
    ----------
    table
        The settled table.
    quads
        Outline of each placement in pixels, by key; of the board under `BOARD`.
    """
    faces = {p.key: p.face for p in table.placements}
    tokens = [t for t in table.tokens if t.confidence >= TOKEN_SURE]
    return {
        "board": {"quad": quad(quads[BOARD])} if table.board is not None and BOARD in quads else None,
        "cards": [
            {
                "id": p.face,
                "quad": quad(quads[p.key]),
                "confidence": round(p.confidence, 4),
                "covered_by": sorted(f for upper, k in table.covers if k == p.key and (f := faces.get(upper))),
            }
            for p in table.placements
            if p.side is not Side.BACK and (p.face is not None or p.confidence >= CARD_SURE)
        ],
        "pawns": sorted((_pawn(t) for t in tokens if t.kind is TokenKind.PAWN), key=lambda p: str(p["color"])),
        "stars": sorted((_star(t, faces) for t in tokens if t.kind is TokenKind.STAR), key=lambda s: str(s["kind"])),
    }


def placement_told(ruling: PlacementRuling, verdicts: Iterable[Verdict], faces: Mapping[str, str | None]) -> Json:
    """A laid card with its ruling. What could not be named may be no card at all: nothing is held against it.

    Parameters
    ----------
    ruling, verdicts
        What `judge_placement` said.
    faces
        Face id of each placement by key.
    """
    named = ruling.face is not None
    return {
        "card": ruling.face,
        "onto": _ground(ruling.onto, faces),
        "corner": ruling.corner,
        "verdict": CALL_WORDS[ruling.call if named else Call.UNCERTAIN],
        "violations": [
            {
                "rule": v.rule.removeprefix("conex."),
                "other": _other(v, faces),
                "gap_mm": _rounded(v.facts.get("gap_mm")),
            }
            for v in verdicts
            if v.call is Call.VIOLATION and named
        ],
        "value": ruling.value,
        "bonus": ruling.bonus,
        "points": ruling.points,
    }


def _ground(onto: Ground | None, faces: Mapping[str, str | None]) -> Json | None:
    if onto is None:
        return None
    return {"card": faces.get(onto.key)} if onto.key is not None else {"space": onto.space}


def _other(verdict: Verdict, faces: Mapping[str, str | None]) -> Json | None:
    key = verdict.about[1] if len(verdict.about) > 1 else ""
    if key == BOARD:
        return {"board": True}
    if key not in faces:
        return None
    if verdict.rule == CORNER_COVERED:
        return {"card": faces[key], "corner": verdict.facts.get("corner")}
    return {"card": faces[key]}


def _rounded(value: Any) -> float | None:
    return round(float(value), 2) if isinstance(value, int | float) else None


def _pawn(token: Token) -> Json:
    return {"color": token.name, "square": token.square}


def _star(token: Token, faces: Mapping[str, str | None]) -> Json:
    return {"kind": token.name, "on": faces.get(token.on) if token.on is not None else None}


def _names(pieces: Iterable[Placement]) -> list[str]:
    return sorted(p.face for p in pieces if p.face is not None)


def _subject(placement: Json | None, step: Step) -> Any:
    what = None
    if placement is not None:
        what = [placement[k] for k in ("card", "onto", "corner", "verdict", "points")]
        what.append([(v["rule"], v["other"]) for v in placement["violations"]])
    return (what, _names(step.removed), len(step.others))
