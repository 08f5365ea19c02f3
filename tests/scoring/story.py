"""Plays a match from a JSON file: commands in short words, and what must hold after each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.commands import (
    CallEnd,
    Command,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    Declare,
    FinishMatch,
    RecordTable,
    StartRace,
    Undo,
)
from scoring.deck import RoxDeck, parse_deck
from scoring.events import DealtCard, Event, Player, ScoringSource
from scoring.games.rox import read_scoring
from scoring.match import MatchState, decide, fold
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

FOLDER = Path(__file__).parent / "playthroughs"


def load_deck(game: str = "rox") -> RoxDeck:
    """The deck that a game's playthroughs use."""
    file = FOLDER / game / "deck.json"
    return parse_deck(json.loads(file.read_text(encoding="utf-8")), str(file))


def playthroughs(game: str) -> list[Path]:
    """All golden matches of a game."""
    return sorted(p for p in (FOLDER / game).glob("*.json") if p.name != "deck.json")


@dataclass
class Told:
    """One step of a story: the words, the events it caused, and the match after it."""

    step: dict[str, Any]
    events: tuple[Event, ...]
    state: MatchState


def tell(file: Path) -> Iterator[Told]:
    """Play a file step by step; a step with "refused" must raise and is not played (its events are empty)."""
    story = json.loads(file.read_text(encoding="utf-8"))
    deck = load_deck(story["game"])
    log: list[Event] = []
    for number, step in enumerate(story["steps"]):
        command = command_of(step, deck, f"t{number}")
        if "refused" in step:
            yield Told(step, (), fold(log))
            continue
        events = decide(fold(log), command)
        log += events
        yield Told(step, events, fold(log))


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
    number = step.get("round")
    record = state.rounds[number - 1] if number else state.round
    ruling = record.ruling if record else None
    said: dict[str, Any] = {"phase": str(state.phase), "round": len(state.rounds)}
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
