"""Words of Rox playthroughs: what a step means, and what can be said of a match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.commands import (
    CallEnd,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    Declare,
    FinishMatch,
    RecordTable,
    StartRace,
    Undo,
)
from scoring.deck import RoxDeck
from scoring.events import DealtCard, Player, ScoringSource
from scoring.games.rox import read_scoring
from scoring.games.rox_play import RoxPlay
from scoring.match import MatchState
from scoring.moves import (
    Declaration,
    DeclaredAwards,
    DeclaredCaller,
    DeclaredFace,
    DeclaredLink,
    DeclaredRow,
    RowCard,
    Source,
)
from scoring.verdicts import Award, Call, RowRuling
from tests.scoring.layouts import tidy_table

COMMANDS: Mapping[str, CommandName] = {
    "deal": CommandName.DEAL_SCORING,
    "deal seen": CommandName.DEAL_SCORING,
    "race": CommandName.START_RACE,
    "call": CommandName.CALL_END,
    "table": CommandName.RECORD_TABLE,
    "confirm": CommandName.CONFIRM_ROUND,
    "finish": CommandName.FINISH_MATCH,
    "undo": CommandName.UNDO,
}
"""Words whose commands need no more than the word, and their names."""


def command_of(step: dict[str, Any], deck: RoxDeck, at: str) -> Command:
    """The command that the words of a step mean."""
    match step["do"]:
        case "create":
            players = tuple(Player(name, seat) for seat, name in step["players"].items())
            source = ScoringSource(step.get("scoring", "declared"))
            return CreateMatch(at, "rox", players, deck, step.get("options", {}), source)
        case "deal":
            return DealScoring(at, tuple(DealtCard(v) for v in step["values"]))
        case "deal seen":
            table = tidy_table(deck, {}, scoring=tuple(step["ids"]))
            return DealScoring(at, read_scoring(table, deck), Source.CAMERA)
        case "race":
            return StartRace(at)
        case "call":
            return CallEnd(at, step["seat"])
        case "table":
            table = tidy_table(deck, step["rows"], step.get("confidence"), tuple(step.get("pool", ())))
            return RecordTable(at, table, step.get("evidence", f"{at}.jpg"))
        case "confirm":
            return ConfirmRound(at)
        case "undo":
            return Undo(at)
        case "finish":
            return FinishMatch(at)
    return Declare(at, _declaration(step), step.get("round"))


def _declaration(step: dict[str, Any]) -> Declaration:
    match step["do"]:
        case "state face":
            return DeclaredFace(step["card"], step["face"])
        case "state link":
            return DeclaredLink(step["card"], Call(step["is"]))
        case "state row":
            cards = [RowCard(None, c[1:]) if c.startswith("+") else RowCard(c) for c in step["cards"]]
            return DeclaredRow(step["seat"], tuple(cards))
        case "state caller":
            return DeclaredCaller(step["seat"])
        case "state awards":
            return DeclaredAwards(tuple(Award(s, p) for s, p in step["awards"].items()))
    raise ValueError(f"no such step: {step['do']}")


def summary(state: MatchState, step: dict[str, Any]) -> dict[str, Any]:
    """The part of a match that the step's "then" speaks of, in the same words."""
    then = step.get("then", {})
    if not then:
        return {}
    assert state.play is None or isinstance(state.play, RoxPlay)
    rounds = state.play.rounds if state.play is not None else ()
    number = step.get("round")
    record = rounds[number - 1] if number else rounds[-1] if rounds else None
    ruling = record.ruling if record else None
    said: dict[str, Any] = {"phase": str(state.phase), "round": len(rounds)}
    said["standing"] = {s.seat: list(s.rounds) for s in state.standing}
    said["winners"] = sorted(state.winners)
    if ruling is not None and record is not None:
        said["status"] = str(ruling.status)
        said["rows"] = {r.seat: _row_words(r) for r in ruling.rows}
        said["ranking"] = [r.seat for r in ruling.ranking]
        said["awards"] = {a.seat: a.points for a in ruling.awards}
        said["left_over"] = list(ruling.left_over)
        said["asks"] = [[q.rule, q.seat, *q.about[-1:]] for q in ruling.questions if q.blocking]
        said["versions"] = len(record.versions)
    return {k: said.get(k) for k in then}


def _row_words(row: RowRuling) -> str:
    word = {Call.LEGAL: "valid", Call.VIOLATION: "broken", Call.UNCERTAIN: "unsure"}[row.call]
    return f"{word} {row.valid_length}"
