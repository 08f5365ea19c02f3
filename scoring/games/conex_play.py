"""The state of a match of CONEX: its turns, and what follows from them.

Only what happened is kept. Totals, hands, the pile, the stars and the end are worked out anew from the turns, so a turn
that is corrected later corrects all that came of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from scoring.deck import ConexDeck
from scoring.deck_conex import STARS
from scoring.events import Player
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_turn import Deed, Happening, Lightning, TurnRecord, named
from scoring.games.turns import TurnByTurn
from scoring.moves import DeclaredHand, DeclaredPile, DeclaredStar, DieFace
from scoring.seats import SIDES as SEATS
from scoring.seats import beginning_with, taken
from scoring.table import Side, TableState

__all__ = [
    "DOUBLE",
    "LIGHTNING",
    "SEATS",
    "ConexPlay",
    "Deed",
    "Ending",
    "Ledger",
    "Lightning",
    "StarState",
    "TurnRecord",
    "ending_of",
    "ledger_of",
    "named",
]

DOUBLE, LIGHTNING = STARS
DRAWN = 2
"""Cards that a player draws instead of laying one."""


@dataclass(frozen=True, slots=True)
class StarState:
    """One star.

    Parameters
    ----------
    kind
        As in the deck: ``2x`` or ``lightning``.
    holder
        The seat that has it, or None where it lies beside the pile.
    since
        Number of the turn in which that seat won it; 0 where there is no waiting time.
    usable
        Whether the seat to play may use it in this turn.
    """

    kind: str
    holder: str | None = None
    since: int = 0
    usable: bool = False


@dataclass(frozen=True, slots=True)
class Ledger:
    """What the turns add up to.

    Parameters
    ----------
    totals
        Points by seat; they never lose a lap of the track.
    hands
        Cards in hand by seat, as counted.
    pile
        Cards left to draw, as counted.
    stars
        The stars by kind.
    """

    totals: Mapping[str, int]
    hands: Mapping[str, int]
    pile: int
    stars: Mapping[str, StarState]


class Ending(StrEnum):
    """Why a match is over."""

    GOAL = "goal"
    PASSES = "passes"
    AGREED = "agreed"
    EARLY = "early"


@dataclass(frozen=True, slots=True)
class ConexPlay(TurnByTurn[TurnRecord]):
    """A match of CONEX as it stands.

    Parameters
    ----------
    players, options, deck
        As the match began.
    start
        The table at the beginning, or None before it was seen.
    turns
        All turns so far; the running one last, unless the match is over.
    stopped
        Why the players ended it, or None.
    """

    players: tuple[Player, ...]
    options: ConexOptions
    deck: ConexDeck
    start: TableState | None = None
    turns: tuple[TurnRecord, ...] = ()
    stopped: Ending | None = None

    @property
    def seats(self) -> tuple[str, ...]:
        """Taken seats in the order of play: clockwise from the start player."""
        return beginning_with(taken(SEATS, self.players), self.options.start or self.players[0].seat)

    @property
    def goal(self) -> int:
        """Number of the goal square."""
        return self.options.goal or self.deck.board.goal

    @property
    def ledger(self) -> Ledger:
        """Totals, hands, pile and stars now."""
        return ledger_of(self, self.turns)

    @property
    def ending(self) -> Ending | None:
        """Why the match is over, or None while it runs."""
        return self.stopped or (ending_of(self, self.turns) if self.turns and self.turns[-1].closed else None)

    @property
    def early(self) -> bool:
        """Whether the players stopped before the end."""
        return self.stopped is Ending.EARLY

    @property
    def last_round(self) -> bool:
        """Whether the goal is reached and the round is only played to its end."""
        return not self.finished and max(self.ledger.totals.values(), default=0) >= self.goal

    @property
    def table(self) -> TableState | None:
        """The table as the match knows it: what lies there by what was accepted or is being judged."""
        last = self.turns[-1] if self.turns else None
        if last is None:
            return self.start
        return None if last.known is None else named(last.known, last)


def ledger_of(play: ConexPlay, turns: tuple[TurnRecord, ...]) -> Ledger:
    """What these turns add up to; the stars may be used as of the last of them."""
    seats = play.seats
    totals = dict.fromkeys(seats, 0)
    hands = dict.fromkeys(seats, play.options.hand)
    lying = (
        0 if play.start is None else sum(p.side is not Side.BACK and p.face is not None for p in play.start.placements)
    )
    pile = max(len(play.deck.faces) - play.options.hand * len(seats) - lying, 0)
    stars = {kind: StarState(kind) for kind in STARS}
    for turn in turns:
        totals[turn.seat] += turn.points
        for what in turn.story:
            pile = _happen(turn, what, hands, pile, stars)
    last = turns[-1] if turns else None
    for kind, star in stars.items():
        usable = last is not None and star.holder == last.seat and star.since < last.number
        stars[kind] = replace(star, usable=usable)
    return Ledger(totals, hands, pile, stars)


def _happen(turn: TurnRecord, what: Happening, hands: dict[str, int], pile: int, stars: dict[str, StarState]) -> int:
    """Carry out one happening on hands and stars; returns the pile after it."""

    def draw(wanted: int) -> int:
        drawn = min(wanted, pile)
        hands[turn.seat] += drawn
        return pile - drawn

    match what:
        case Deed.LAID:
            hands[turn.seat] = max(hands[turn.seat] - 1, 0)
            if turn.ruling is not None and turn.ruling.placement is not None and turn.ruling.placement.doubled:
                stars[DOUBLE] = StarState(DOUBLE)
        case Deed.DREW:
            return draw(DRAWN)
        case Deed.ROLLED if turn.rolled is DieFace.CARD:
            return draw(1)
        case Deed.ROLLED if turn.rolled is DieFace.TWO_CARDS:
            return draw(2)
        case Deed.ROLLED if turn.rolled is not None:
            kind = DOUBLE if turn.rolled is DieFace.DOUBLE else LIGHTNING
            if stars[kind].holder != turn.seat:
                stars[kind] = StarState(kind, turn.seat, turn.number)
        case Deed.LIGHTNING:
            stars[LIGHTNING] = StarState(LIGHTNING)
            givers = [s for s in hands if s != turn.seat and hands[s] > 0]
            for seat in givers:
                hands[seat] -= 1
            return pile + 1 + len(givers)
        case DeclaredHand():
            hands[what.seat] = what.cards
        case DeclaredPile():
            return what.cards
        case DeclaredStar():
            stars[what.kind] = StarState(what.kind, what.seat)
    return pile


def ending_of(play: ConexPlay, turns: tuple[TurnRecord, ...]) -> Ending | None:
    """Why the match is over after these turns, or None.

    The goal ends the match with the round, so that all have had as many turns; a whole round of passes ends it at once.
    """
    count = len(play.seats)
    passed = len(turns) >= count and all(t.action is Deed.PASSED for t in turns[-count:])
    if not turns or (len(turns) % count and not passed):
        return None
    ledger = ledger_of(play, turns)
    if len(turns) % count == 0 and max(ledger.totals.values()) >= play.goal:
        return Ending.GOAL
    return Ending.PASSES if passed and ledger.pile == 0 else None
