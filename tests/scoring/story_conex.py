"""Words of CONEX playthroughs: what lies on the story's table, what a step means, and what can be said of a match."""

from __future__ import annotations

import math
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
    DrawTwo,
    EndTurn,
    FinishMatch,
    Pass,
    RecordTable,
    RollDie,
    Undo,
    UseLightning,
)
from scoring.deck import Deck
from scoring.events import Player
from scoring.games.conex_play import ConexPlay
from scoring.geometry import signed_gap_mm
from scoring.match import MatchState
from scoring.moves import (
    Declaration,
    DeclaredCall,
    DeclaredDie,
    DeclaredDouble,
    DeclaredFace,
    DeclaredGround,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredSeat,
    DeclaredStar,
    DieFace,
)
from scoring.table import BOARD, Placement, TableState, Token, TokenKind
from scoring.verdicts import Call, Ground
from tests.scoring.conex_tables import VIEW, board, card, laid

COMMANDS: Mapping[str, CommandName] = {
    "table": CommandName.RECORD_TABLE,
    "take the table": CommandName.ACCEPT_TABLE,
    "accept": CommandName.CONFIRM_ROUND,
    "draw": CommandName.DRAW_TWO,
    "pass": CommandName.PASS,
    "roll": CommandName.ROLL_DIE,
    "lightning": CommandName.USE_LIGHTNING,
    "end turn": CommandName.END_TURN,
    "finish": CommandName.FINISH_MATCH,
    "undo": CommandName.UNDO,
}
"""Words whose commands need no more than the word, and their names."""


class Desk:
    """What really lies on the table of a story.

    A step may say "lay": {card: [its corner, onto what, dx, dy in mm]}, "at": {card: [x, y in mm, degrees]}, "take":
    [cards], "back": [cards that were taken and lie again as they lay], "star": {kind: card or null}, "pawns": {colour:
    square}, "sure": {card: confidence}; stars and pawns stay where they are until moved.
    """

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        self.cards: dict[str, Placement] = {}
        self.before: dict[str, Placement] = {}
        self.tokens: dict[str, Token] = {}
        self.area: tuple[tuple[float, float], ...] = ()

    def laid(self, step: dict[str, Any]) -> dict[str, Any]:
        """The step with the table as it lies after what the step says."""
        if "take" in step:
            self.before = dict(self.cards)
        for name in step.get("take", ()):
            del self.cards[name]
        if "back" in step:
            self.cards = {n: p for n, p in self.before.items() if n in self.cards or n in step["back"]}
        for name, (x, y, turn) in step.get("at", {}).items():
            self.cards[name] = card(name, x, y, math.radians(turn))
        for name, how in step.get("lay", {}).items():
            corner, onto, *shift = how
            ground = board() if onto == BOARD else self.cards[onto]
            self.cards.pop(name, None)
            self.cards[name] = laid(name, corner, ground, (shift[0], shift[1]) if shift else (0.0, 0.0))
        for name, sure in step.get("sure", {}).items():
            self.cards[name] = replace(self.cards[name], confidence=sure)
        for kind, on in step.get("star", {}).items():
            self.tokens[kind] = Token(TokenKind.STAR, kind, (0.0, 0.0), on, None, step.get("star sure", 1.0))
        for color, square in step.get("pawns", {}).items() if step.get("do") != "create" else ():
            self.tokens[color] = Token(TokenKind.PAWN, color, (0.0, 0.0), BOARD, square, step.get("pawn sure", 1.0))
        if "area" in step:
            x, y = step["area"]
            self.area = ((-x, -y), (x, -y), (x, y), (-x, y))
        return {**step, "seen": self.table()}

    def table(self) -> TableState:
        names = list(self.cards)
        covers = tuple((a, b) for i, a in enumerate(names) for b in names[:i] if _overlap(self.cards[a], self.cards[b]))
        tokens = tuple(t if t.on in (None, BOARD, *names) else replace(t, on=None) for t in self.tokens.values())
        return TableState(tuple(self.cards.values()), VIEW, covers, board(), tokens, self.area)


def _overlap(a: Placement, b: Placement) -> bool:
    far = math.hypot(a.pose.x_mm - b.pose.x_mm, a.pose.y_mm - b.pose.y_mm) > math.hypot(*a.size_mm)
    return not far and signed_gap_mm(a.corners(), b.corners()) < 0


def command_of(step: dict[str, Any], deck: Deck, at: str) -> Command:
    """The command that the words of a step mean."""
    match step["do"]:
        case "create":
            pawns = step.get("pawns", {})
            players = tuple(Player(name, seat, pawns.get(seat)) for seat, name in step["players"].items())
            return CreateMatch(at, "conex", players, deck, step.get("options", {}))
        case "table":
            return RecordTable(at, step["seen"], f"{at}.jpg")
        case "take the table":
            return AcceptTable(at, step["seen"], f"{at}.jpg")
        case "accept":
            return ConfirmRound(at)
        case "draw":
            return DrawTwo(at)
        case "pass":
            return Pass(at)
        case "roll":
            return RollDie(at, DieFace(step["face"]))
        case "lightning":
            return UseLightning(at, step["card"])
        case "end turn":
            return EndTurn(at)
        case "undo":
            return Undo(at)
        case "finish":
            return FinishMatch(at, step.get("early", True))
    return Declare(at, _declaration(step), step.get("turn"))


def _declaration(step: dict[str, Any]) -> Declaration:
    match step["do"]:
        case "state face":
            return DeclaredFace(step["card"], step["face"])
        case "state ground":
            onto = step.get("onto")
            ground = None if onto is None else Ground(space=onto) if isinstance(onto, int) else Ground(key=onto)
            return DeclaredGround(step["card"], ground, step.get("corner"))
        case "state call":
            return DeclaredCall(step["card"], Call(step["is"]))
        case "state double":
            return DeclaredDouble(step["is"])
        case "state die":
            return DeclaredDie(DieFace(step["face"]))
        case "state seat":
            return DeclaredSeat(step["seat"])
        case "state points":
            return DeclaredPoints(step["points"])
        case "state hand":
            return DeclaredHand(step["seat"], step["cards"])
        case "state pile":
            return DeclaredPile(step["cards"])
        case "state star":
            return DeclaredStar(step["kind"], step["seat"])
    raise ValueError(f"no such step: {step['do']}")


def summary(state: MatchState, step: dict[str, Any]) -> dict[str, Any]:
    """The part of a match that the step's "then" speaks of, in the same words."""
    then = step.get("then", {})
    play = state.play
    if not then or not isinstance(play, ConexPlay):
        return {}
    ledger = play.ledger
    said: dict[str, Any] = {
        "phase": str(state.phase),
        "turn": len(play.turns),
        "seat": play.to_play,
        "totals": {s.seat: s.total for s in state.standing},
        "points": {s.seat: list(s.rounds) for s in state.standing},
        "hands": dict(ledger.hands),
        "pile": ledger.pile,
        "stars": {k: s.holder for k, s in ledger.stars.items()},
        "usable": sorted(k for k, s in ledger.stars.items() if s.usable),
        "winners": sorted(state.winners),
        "ending": play.ending and str(play.ending),
        "last round": play.last_round,
    }
    number = step.get("turn")
    turn = play.turns[number - 1] if number else play.turns[-1] if play.turns else None
    ruling = turn.ruling if turn is not None else None
    if turn is not None:
        said["versions"] = len(turn.versions)
        said["taken"] = turn.lightning and turn.lightning.face
        said["ruling"] = ruling and str(ruling.status)
    if ruling is not None:
        said["broken"] = sorted({v.rule for v in ruling.verdicts if v.call is Call.VIOLATION})
        said["unsure"] = sorted({v.rule for v in ruling.verdicts if v.call is Call.UNCERTAIN})
        said["asks"] = sorted({q.rule for q in ruling.questions if q.blocking})
        said["awards"] = [a.points for a in ruling.awards]
        laid_card = ruling.placement
        if laid_card is not None:
            onto = laid_card.onto
            said["laid"] = [
                laid_card.face,
                str(laid_card.call),
                None if onto is None else onto.key if onto.key is not None else onto.space,
                laid_card.corner,
                laid_card.points,
            ]
    return {k: said.get(k) for k in then}
