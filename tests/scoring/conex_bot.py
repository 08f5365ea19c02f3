"""Players of CONEX who know every card: they play whole games by the printed rules and keep their own account.

What a bot counts is a second implementation of the rules of play, written apart from the first: plain numbers that are
changed as things happen. Only whether a card may lie where it lies is asked of the judge.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from scoring.deck import ConexDeck
from scoring.games.conex_place import judge_placement
from scoring.table import BOARD
from scoring.verdicts import Call
from tests.scoring.conex_tables import OPPOSITE, REGIONS, board, laid
from tests.scoring.story_conex import Desk

Step = dict[str, Any]
PLACES = {tuple(REGIONS[name]): name for name in OPPOSITE}
NEAR_MM = 3.0
"""Players keep clear of what they could touch by more than this."""
DIE = ("card", "two-cards", "2x", "2x", "lightning", "lightning")


class Bot:
    """All players of one game.

    Parameters
    ----------
    deck
        Cards whose corners are the four right-angled ones.
    seats
        In the order of play.
    rng
        Shuffles, rolls and chooses.
    reach
        Half width and height of the playing area in mm.
    dull
        Chance to draw although a card could be laid.
    """

    def __init__(
        self,
        deck: ConexDeck,
        seats: tuple[str, ...],
        rng: random.Random,
        reach: tuple[float, float] = (380.0, 290.0),
        dull: float = 0.15,
    ) -> None:
        self.deck, self.seats, self.rng, self.dull = deck, seats, rng, dull
        self.pile = rng.sample(sorted(deck.faces), len(deck.faces))
        self.hands = {s: [self.pile.pop() for _ in range(5)] for s in seats}
        self.totals = dict.fromkeys(seats, 0)
        self.stars: dict[str, str | None] = {"2x": None, "lightning": None}
        self.fresh: set[str] = set()
        self.desk = Desk(deck)
        self.area = [reach[0], reach[1]]
        self.passes = 0
        self.over = False

    def game(self, most: int = 200) -> Iterator[Step]:
        """The steps of a whole game, each yielded when it has happened here."""
        yield self._seen({"do": "table", "area": self.area})
        for number in range(most):
            seat = self.seats[number % len(self.seats)]
            self.fresh = set()
            yield from self._turn(seat, last=number % len(self.seats) == len(self.seats) - 1)
            full = (number + 1) % len(self.seats) == 0
            if full and max(self.totals.values()) >= self.deck.board.goal:
                self.over = True
            if self.passes == len(self.seats):
                self.over = True
            if self.over:
                return

    @property
    def winners(self) -> list[str]:
        """Who has most."""
        return sorted(s for s in self.seats if self.totals[s] == max(self.totals.values()))

    def _turn(self, seat: str, last: bool) -> Iterator[Step]:
        mine = {k for k, owner in self.stars.items() if owner == seat}
        if "lightning" in mine and self.rng.random() < 0.3 and self._free():
            mine.discard("lightning")
            yield self._lightning(seat)
        choice = None if self.rng.random() < self.dull and self.pile else self._choose(seat)
        if choice is None:
            yield from self._draw(seat)
            ended = False
        else:
            yield from self._lay(seat, choice, "2x" in mine and self.rng.random() < 0.7)
            ended = last and max(self.totals.values()) >= self.deck.board.goal
            if self.deck.faces[choice[0]].symbol == "die" and not ended:
                yield self._roll(seat)
        if "lightning" in mine and self.stars["lightning"] == seat and not ended and self.passes < len(self.seats):
            if self.rng.random() < 0.4 and self._free():
                yield self._lightning(seat)
            else:
                yield {"do": "end turn"}

    def _draw(self, seat: str) -> Iterator[Step]:
        if not self.pile:
            self.passes += 1
            yield {"do": "pass"}
            return
        self.passes = 0
        for _ in range(min(2, len(self.pile))):
            self.hands[seat].append(self.pile.pop())
        yield {"do": "draw"}

    def _lay(self, seat: str, choice: tuple[str, int, str, str], double: bool) -> Iterator[Step]:
        name, corner, place, onto = choice
        self.passes = 0
        self.hands[seat].remove(name)
        points = self.deck.faces[name].corners[corner].value
        if onto != BOARD and self.deck.faces[onto].symbol == "plus2":
            points += 2
        step: Step = {"do": "table", "lay": {name: [place, onto]}}
        if double:
            step["star"] = {"2x": name}
            points *= 2
            self.stars["2x"] = None
        yield self._seen(step)
        self.totals[seat] += points
        yield {"do": "accept"}

    def _roll(self, seat: str) -> Step:
        face = self.rng.choice(DIE)
        if face in self.stars:
            self.stars[face] = seat
        for _ in range(min({"card": 1, "two-cards": 2}.get(face, 0), len(self.pile))):
            self.hands[seat].append(self.pile.pop())
        return {"do": "roll", "face": face}

    def _lightning(self, seat: str) -> Step:
        name = self.rng.choice(self._free())
        self.stars["lightning"] = None
        self.pile.insert(0, name)
        for other in self.seats:
            if other != seat and self.hands[other]:
                self.pile.insert(0, self.hands[other].pop(0))
        return self._seen({"do": "table", "take": [name]})

    def _free(self) -> list[str]:
        below = {lower for _, lower in self.desk.table().covers}
        return sorted(n for n in self.desk.cards if n not in below)

    def _choose(self, seat: str) -> tuple[str, int, str, str] | None:
        """A card, its corner (index and place) and the ground, that the judge allows."""
        ways = []
        for name in self.hands[seat]:
            for k, corner in enumerate(self.deck.faces[name].corners):
                ways += [(name, k, PLACES[corner.region], onto) for onto in (BOARD, *self.desk.cards)]
        self.rng.shuffle(ways)
        for name, k, place, onto in ways:
            if onto != BOARD and self.deck.faces[onto].color != self.deck.faces[name].corners[k].color:
                continue
            if not self._clear(name, place, onto):
                continue
            trial = Desk(self.deck)
            trial.cards, trial.area = dict(self.desk.cards), self.desk.area
            seen = trial.laid({"lay": {name: [place, onto]}})["seen"]
            ruling, _ = judge_placement(seen, name, self.deck)
            if ruling.call is Call.LEGAL and ruling.corner == k:
                return name, k, place, onto
        return None

    def _clear(self, name: str, place: str, onto: str) -> bool:
        """Whether nothing but the ground is near; all cards lie straight, so that their sides tell it at once."""
        ground = board() if onto == BOARD else self.desk.cards[onto]
        new = laid(name, place, ground)
        for other in (board(), *self.desk.cards.values()):
            dx = abs(other.pose.x_mm - new.pose.x_mm) - (other.size_mm[0] + new.size_mm[0]) / 2
            dy = abs(other.pose.y_mm - new.pose.y_mm) - (other.size_mm[1] + new.size_mm[1]) / 2
            if other.key != ground.key and max(dx, dy) < NEAR_MM:
                return False
        return True

    def _seen(self, step: Step) -> Step:
        self.desk.laid(step)
        return step
