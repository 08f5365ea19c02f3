"""Words of Cactus playthroughs: what hangs in the story, what a step means, and what can be said of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scoring.commands import (
    AcceptTable,
    Command,
    CommandName,
    ConfirmRound,
    CreateMatch,
    Declare,
    FinishMatch,
    RecordTable,
    RollDie,
    Undo,
)
from scoring.deck import CactusDeck, Deck
from scoring.events import Player
from scoring.games.cactus_must import must_of
from scoring.games.cactus_play import CactusPlay
from scoring.games.cactus_todo import JobState, checklist
from scoring.match import MatchState
from scoring.moves import (
    CactusDie,
    Declaration,
    DeclaredCall,
    DeclaredClaim,
    DeclaredContact,
    DeclaredDie,
    DeclaredFace,
    DeclaredFall,
    DeclaredFlowers,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.table import Contact, Placement, TableState
from scoring.verdicts import Call
from tests.scoring.cactus_tables import VIEW, contact, kind_of, piece

COMMANDS: Mapping[str, CommandName] = {
    "table": CommandName.RECORD_TABLE,
    "take the table": CommandName.ACCEPT_TABLE,
    "pass the die": CommandName.CONFIRM_ROUND,
    "roll": CommandName.ROLL_DIE,
    "finish": CommandName.FINISH_MATCH,
    "undo": CommandName.UNDO,
}
"""Words whose commands need no more than the word, and their names."""


class Desk:
    """What really hangs in a story.

    A step may say "hang": {piece: cactus}, "before": {piece: the piece before whose place it hangs}, "fall": [pieces
    that lie now], "take": [pieces that are nowhere to be seen], "back": [pieces that hang again as they did], "push":
    {piece: [dx, dy in mm]}, "sure": {piece: confidence}, "read as": {piece: another piece or null}, "touch": [[kind,
    piece, other or null, probability]], "cacti": [from the left].
    What touches is said anew in each step that says it, and stays until then.
    """

    def __init__(self, deck: Deck) -> None:
        assert isinstance(deck, CactusDeck)
        self.hung: dict[str, Placement] = {}
        self.before: dict[str, Placement] = {}
        self.lying: dict[str, Placement] = {}
        self.touch: tuple[Contact, ...] = ()
        self.cacti = tuple(deck.cacti)
        self.names: dict[str, str | None] = {}

    def laid(self, step: dict[str, Any]) -> dict[str, Any]:
        """The step with what hangs and lies after what the step says."""
        self.cacti = tuple(step.get("cacti", self.cacti))
        if {"fall", "take"} & step.keys():
            self.before = dict(self.hung)
        for name in step.get("fall", ()):
            self.hung.pop(name, None)
            self.lying[name] = piece(name, "table")
        for name in step.get("take", ()):
            self.hung.pop(name, None)
            self.lying.pop(name, None)
        for name in step.get("back", ()):
            self.hung[name] = self.before[name]
            self.lying.pop(name, None)
        for name, cactus in step.get("hang", {}).items():
            self.lying.pop(name, None)
            self.hung[name] = piece(name, cactus)
            if name in step.get("before", {}):
                place = piece(step["before"][name], cactus).pose
                self.hung[name] = piece(name, cactus, (place.x_mm + 5, place.y_mm))
        for name, (dx, dy) in step.get("push", {}).items():
            old = self.hung[name]
            pose = replace(old.pose, x_mm=old.pose.x_mm + dx, y_mm=old.pose.y_mm + dy)
            self.hung[name] = replace(old, pose=pose)
        for name, sure in step.get("sure", {}).items():
            here = self.hung if name in self.hung else self.lying
            here[name] = replace(here[name], confidence=sure)
        self.names |= step.get("read as", {})
        if "touch" in step:
            self.touch = tuple(contact(a, b, kind, p) for kind, a, b, p in step["touch"])
        return {**step, "seen": self.table()}

    def table(self) -> TableState:
        def read(p: Placement) -> Placement:
            return replace(p, face=self.names[p.key]) if p.key in self.names else p

        there = tuple(read(p) for p in (*self.hung.values(), *self.lying.values()))
        touch = tuple(c for c in self.touch if c.a in self.hung and (c.b is None or c.b in self.hung))
        return TableState(there, VIEW, cacti=self.cacti, contacts=touch)


def command_of(step: dict[str, Any], deck: Deck, at: str) -> Command:
    """The command that the words of a step mean."""
    match step["do"]:
        case "create":
            players = tuple(Player(name, seat) for seat, name in step["players"].items())
            return CreateMatch(at, "cactus", players, deck, step.get("options", {}))
        case "table":
            return RecordTable(at, step["seen"], f"{at}.jpg")
        case "take the table":
            return AcceptTable(at, step["seen"], f"{at}.jpg")
        case "pass the die":
            return ConfirmRound(at)
        case "roll":
            return RollDie(at, CactusDie(step["face"]))
        case "undo":
            return Undo(at)
        case "finish":
            return FinishMatch(at, step.get("early", True))
    return Declare(at, _declaration(step), step.get("turn"))


def _declaration(step: dict[str, Any]) -> Declaration:
    match step["do"]:
        case "state piece":
            return DeclaredFace(step["key"], step["piece"])
        case "state contact":
            return DeclaredContact(kind_of(step["kind"]), step["a"], step.get("b"), step["touching"])
        case "state fall":
            return DeclaredFall(step["piece"], Fall(step["is"]))
        case "state hung":
            return DeclaredHung(step["piece"], step["cactus"])
        case "state touches":
            return DeclaredTouches(step["times"])
        case "claim":
            return DeclaredClaim(tuple(step["for"]))
        case "allow":
            return DeclaredCall(step["key"], Call(step.get("is", "legal")))
        case "state impossible":
            return DeclaredImpossible()
        case "state flowers":
            return DeclaredFlowers(step["seat"], step["flowers"])
        case "state row":
            return DeclaredSpecials(tuple(step["row"]))
        case "state die":
            return DeclaredDie(CactusDie(step["face"]))
    raise ValueError(f"no such step: {step['do']}")


def summary(state: MatchState, step: dict[str, Any]) -> dict[str, Any]:
    """The part of a match that the step's "then" speaks of, in the same words."""
    then = step.get("then", {})
    play = state.play
    if not then or not isinstance(play, CactusPlay):
        return {}
    ledger, must = play.ledger, must_of(play)
    todo = checklist(play)
    said: dict[str, Any] = {
        "phase": str(state.phase),
        "turn": len(play.turns),
        "seat": play.to_play,
        "flowers": {s.seat: s.total for s in state.standing},
        "changes": {s.seat: list(s.rounds) for s in state.standing},
        "purses": {s: [p.ones, p.threes] for s, p in ledger.bank.purses.items()},
        "reserve": ledger.bank.reserve,
        "hung": dict(ledger.hung),
        "colors": {c: n for c, n in ledger.totals.colors.items() if n},
        "shapes": {s: n for s, n in ledger.totals.shapes.items() if n},
        "supply": len(ledger.supply),
        "discarded": list(ledger.discarded),
        "row": list(ledger.row),
        "last": [ledger.last, ledger.last_basic],
        "winners": sorted(state.winners),
        "ending": play.ending and str(play.ending),
        "now": [str(t.job) for t in todo if t.state is JobState.NOW],
        "todo": [f"{t.job} {t.state}" for t in todo],
    }
    if must is not None:
        said["pieces"] = list(must.pieces)
        said["cacti"] = list(must.cacti)
    number = step.get("turn")
    turn = play.turns[number - 1] if number else play.turns[-1] if play.turns else None
    if turn is not None:
        said |= {"versions": len(turn.versions), "void": [str(d) for d in turn.void], "late": list(turn.late)}
        said |= {"own": turn.own, "held": turn.held, "gone": list(turn.gone), "ruling": None}
    ruling = turn.ruling if turn is not None else None
    if ruling is not None:
        said["ruling"] = str(ruling.status)
        said["legal"] = sorted({v.rule for v in ruling.verdicts if v.call is Call.LEGAL})
        said["broken"] = sorted({v.rule for v in ruling.verdicts if v.call is Call.VIOLATION})
        said["unsure"] = sorted({v.rule for v in ruling.verdicts if v.call is Call.UNCERTAIN})
        said["asks"] = sorted({q.rule for q in ruling.questions})
        said["must answer"] = sorted({q.rule for q in ruling.questions if q.blocking})
        said["awards"] = [[a.item, a.points] for a in ruling.awards]
        said["costs"] = [[p.rule, p.points] for p in ruling.penalties]
    return {k: said.get(k) for k in then}
