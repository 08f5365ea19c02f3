"""A match of CONEX at a made-up table: cards laid by hand, and the log that follows."""

from __future__ import annotations

from dataclasses import replace

from scoring.commands import (
    AcceptTable,
    Command,
    ConfirmRound,
    CreateMatch,
    Declare,
    DrawTwo,
    EndTurn,
    Pass,
    RecordTable,
    RollDie,
    Undo,
    UseLightning,
)
from scoring.deck import ConexDeck
from scoring.events import Event, OptionValue, Player
from scoring.games.conex_play import ConexPlay, TurnRecord
from scoring.geometry import signed_gap_mm
from scoring.match import MatchState, decide, fold
from scoring.moves import Declaration, DieFace
from scoring.play import Phase
from scoring.table import BOARD, Placement, TableState, Token, TokenKind
from scoring.verdicts import PlacementRuling, Verdict
from tests.scoring.conex_tables import VIEW, board, deck_of, face, laid

NAMES = {"south": "Ada", "west": "Ben", "north": "Cleo", "east": "Dan"}
PAWNS = {"south": "white", "west": "black", "north": "orange", "east": "green"}
GOAL = 15

FACES = (
    # Onto the board's spaces: yellow top left, red top right, turquoise bottom right, purple bottom left.
    face("max", "purple", ("red", 4, "bl"), ("yellow", 2, "tl")),
    face("nele", "red", ("purple", 4, "bl"), ("turquoise", 1, "tr")),
    face("plus", "yellow", ("turquoise", 5, "tl"), ("red", 5, "right"), symbol="plus2"),
    face("felix", "turquoise", ("yellow", 4, "tl"), ("red", 1, "br"), symbol="plus2"),
    face("rosso", "red", ("yellow", 3, "tl"), ("purple", 2, "bl")),
    face("die", "turquoise", ("purple", 3, "tr"), ("yellow", 1, "br"), symbol="die"),
    face("dice", "red", ("yellow", 2, "br"), ("turquoise", 2, "tr"), symbol="die"),
    face("low", "yellow", ("purple", 1, "tr"), ("red", 2, "bl")),
    face("big", "purple", ("turquoise", 5, "tr"), ("red", 5, "br")),
    face("tail", "red", ("turquoise", 3, "tr"), ("purple", 5, "br")),
    *(face(f"x{i:02d}", "yellow", ("red", 1, "bl"), ("purple", 1, "tr")) for i in range(42)),
)


def pawn_deck(goal: int = GOAL) -> ConexDeck:
    """52 cards, a board with a goal, four pawns."""
    made = deck_of(FACES)
    track = tuple((float(i), 0.0) for i in range(goal + 1))
    colors = {"white": "#ffffff", "black": "#000000", "orange": "#ff8800", "green": "#00aa00"}
    return replace(made, board=replace(made.board, track=track, goal=goal), pawns=colors)


DECK = pawn_deck()


class Table:
    """A match with its log, the cards that really lie there, and commands as a table would give them."""

    def __init__(self, *seats: str, deck: ConexDeck = DECK, start: bool = True, **options: OptionValue) -> None:
        self.log: list[Event] = []
        self.deck = deck
        self.cards: dict[str, Placement] = {}
        self.board = board()
        self.tokens: tuple[Token, ...] = ()
        self.area: tuple[tuple[float, float], ...] = ()
        players = tuple(Player(NAMES[s], s, PAWNS[s]) for s in seats or ("south", "west"))
        self.do(CreateMatch("t", "conex", players, deck, options))
        if start:
            self.see()

    @property
    def state(self) -> MatchState:
        return fold(self.log)

    @property
    def play(self) -> ConexPlay:
        play = self.state.play
        assert isinstance(play, ConexPlay)
        return play

    @property
    def phase(self) -> Phase:
        return self.state.phase

    @property
    def turn(self) -> TurnRecord:
        return self.play.turns[-1]

    @property
    def placement(self) -> PlacementRuling:
        assert self.turn.ruling is not None
        assert self.turn.ruling.placement is not None
        return self.turn.ruling.placement

    @property
    def totals(self) -> dict[str, int]:
        return {s.seat: s.total for s in self.state.standing}

    def verdict(self, rule: str) -> Verdict:
        """The only verdict of that rule in the running turn."""
        assert self.turn.ruling is not None
        (found,) = [v for v in self.turn.ruling.verdicts if v.rule == f"conex.{rule}"]
        return found

    def do(self, command: Command) -> tuple[Event, ...]:
        events = decide(self.state, command)
        self.log += events
        return events

    def table(self) -> TableState:
        """What lies there now; a later card lies on an earlier one that it overlaps by the corners."""
        names = list(self.cards)
        covers = [(a, b) for i, a in enumerate(names) for b in names[:i] if self._meet(a, b)]
        return TableState(tuple(self.cards.values()), VIEW, tuple(covers), self.board, self.tokens, self.area)

    def _meet(self, a: str, b: str) -> bool:
        return signed_gap_mm(self.cards[a].corners(), self.cards[b].corners()) < 0

    def put(self, name: str, corner: str, onto: str = BOARD, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        """Lay a card with that corner (tl, tr, br, bl) onto the opposite corner of a card or the board."""
        ground = self.board if onto == BOARD else self.cards[onto]
        self.cards[name] = laid(name, corner, ground, shift)

    def see(self) -> tuple[Event, ...]:
        """The camera records the table."""
        return self.do(RecordTable("t", self.table(), "evidence.jpg"))

    def lay(self, name: str, corner: str, onto: str = BOARD, shift: tuple[float, float] = (0.0, 0.0)) -> None:
        """Lay a card and record it."""
        self.put(name, corner, onto, shift)
        self.see()

    def laid(self, name: str, corner: str, onto: str = BOARD) -> None:
        """Lay a card, record it and accept it."""
        self.lay(name, corner, onto)
        self.do(ConfirmRound("t"))

    def take(self, name: str) -> None:
        """Take a card off, unrecorded."""
        del self.cards[name]

    def accept(self) -> None:
        self.do(ConfirmRound("t"))

    def draw(self) -> None:
        self.do(DrawTwo("t"))

    def pass_(self) -> None:
        self.do(Pass("t"))

    def roll(self, face: DieFace) -> None:
        self.do(RollDie("t", face))

    def lightning(self, name: str) -> None:
        """Take a card off with the star, as a person tells it."""
        self.do(UseLightning("t", name))

    def end_turn(self) -> None:
        self.do(EndTurn("t"))

    def undo(self) -> None:
        self.do(Undo("t"))

    def say(self, what: Declaration, turn: int | None = None) -> tuple[Event, ...]:
        return self.do(Declare("t", what, turn))

    def take_as_it_lies(self) -> None:
        self.do(AcceptTable("t", self.table()))

    def star(self, on: str | None, sure: float = 1.0) -> None:
        """The 2x star lies on that card, or on the bare table."""
        self.tokens = (Token(TokenKind.STAR, "2x", (0.0, 0.0), on, confidence=sure),)
