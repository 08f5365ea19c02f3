"""Players of Cactus who play whole games by the printed rules and keep their own account.

What a bot counts is a second implementation of the rules of play, written apart from the first: plain numbers and lists
that are changed as things happen.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from scoring.deck import CactusDeck

Step = dict[str, Any]
DIE = ("color", "color", "shape", "shape", "special", "special")
SURE_END = 400
"""More turns than a game has."""


class Bot:
    """All players of one game.

    Parameters
    ----------
    deck
        The set.
    seats
        In the order of play.
    rng
        Rolls and chooses.
    options
        House rules: `claims`, `specials`, `fallen` and `no_piece`.
    clumsy
        Chance that something goes wrong in a turn.
    die
        Its faces.
    """

    def __init__(
        self,
        deck: CactusDeck,
        seats: tuple[str, ...],
        rng: random.Random,
        options: dict[str, str] | None = None,
        clumsy: float = 0.2,
        die: tuple[str, ...] = DIE,
    ) -> None:
        self.deck, self.seats, self.rng, self.clumsy, self.die = deck, seats, rng, clumsy, die
        self.options = options or {}
        self.cacti = list(deck.cacti)
        self.pile = [p.id for p in deck.pieces.values() if not p.special]
        self.row = [p.id for p in deck.pieces.values() if p.special]
        self.out: list[str] = []
        self.hung: dict[str, str] = {}
        self.flowers = dict.fromkeys(seats, 3)
        self.last = self.basic = ""
        self.at = -1
        self.ended = ""

    def game(self) -> Iterator[Step]:
        """The steps of a whole game, each yielded when it has happened here."""
        players = {s: f"P{s}" for s in self.seats}
        yield {"do": "create", "players": players, "options": self.options}
        yield {"do": "table", "then": {"phase": "turn", "supply": len(self.pile), "row": self.row}}
        for number in range(SURE_END):
            yield from self.turn(number, self.seats[number % len(self.seats)])
            if self.ended:
                return

    def turn(self, number: int, seat: str) -> Iterator[Step]:
        """One turn of one player."""
        if number and self.hung and self.slip():
            fell = self.drop(1)
            yield {"do": "table", "fall": fell, "then": {"phase": "rolling", "flowers": dict(self.flowers)}}
        may = list(self.pile)
        if number:
            face = self.rng.choice(self.die)
            may = self.may(face)
            while not may and self.options.get("no_piece") == "reroll" and self.pile:
                yield {"do": "roll", "face": face, "then": {"phase": "rolling"}}
                face = self.rng.choice(self.die)
                may = self.may(face)
            if not may:
                self.ended = "basics"
                yield {"do": "roll", "face": face, "then": {"phase": "finished", "ending": "basics", **self.account()}}
                return
            yield {"do": "roll", "face": face, "then": {"phase": "turn", "pieces": self.sorted(may)}}
        piece = self.rng.choice(may)
        self.at = (self.at + 1) % len(self.cacti) if number else self.rng.randrange(len(self.cacti))
        cactus = self.cacti[self.at]
        if number and self.slip():
            other = self.rng.choice([c for c in self.cacti if c != cactus])
            yield {"do": "table", "hang": {piece: other}, "then": {"broken": ["cactus.cactus"], "phase": "verdict"}}
            yield {"do": "table", "fall": [piece], "then": {"phase": "turn", "pieces": [piece], "held": piece}}
            # It was the right piece, so it is hung again.
        fell = self.drop(self.rng.choice((1, 1, 2))) if self.hung and self.slip() else []
        touches = self.rng.choice((1, 2)) if self.slip() else 0
        self.pile = [p for p in self.pile if p != piece]
        self.row = [p for p in self.row if p != piece]
        self.hung[piece] = cactus
        earned = {} if fell else self.earned(piece, cactus)
        yield {"do": "table", "hang": {piece: cactus}, "fall": fell, "then": {"phase": "verdict", "own": piece}}
        if touches:
            yield {"do": "state touches", "times": touches, "then": {"phase": "verdict"}}
        if self.options.get("claims") == "strict":
            whys = ["color-3", "color-5", "shape-3", "shape-5", "all-colors"]
            claimed = [w for w in whys if self.rng.random() < (0.7 if w in earned else 0.1)]
            earned = {w: n for w, n in earned.items() if w in claimed}
            if claimed:
                yield {"do": "claim", "for": claimed, "then": {"awards": [[w, n] for w, n in earned.items()]}}
        self.flowers[seat] = max(self.flowers[seat] - len(fell) - touches, 0) + sum(earned.values())
        self.last = piece
        if not self.deck.pieces[piece].special:
            self.basic = piece
        if not self.row:
            self.ended = "specials"
        yield {"do": "pass the die", "then": {"ending": self.ended or None, **self.account()}}

    def slip(self) -> bool:
        return self.rng.random() < self.clumsy

    def may(self, face: str) -> list[str]:
        """Pieces that may be taken after that roll."""
        look = self.deck.pieces
        if face == "special":
            return self.row[:1]
        if face == "color":
            return [p for p in self.pile if look[p].color == look[self.last].color]
        return [p for p in self.pile if look[p].shape == look[self.basic].shape]

    def drop(self, count: int) -> list[str]:
        """That many hung pieces fall."""
        fell = self.rng.sample(sorted(self.hung), min(count, len(self.hung)))
        for piece in sorted(fell):
            del self.hung[piece]
            if self.deck.pieces[piece].special:
                self.row.append(piece)
            elif self.options.get("fallen") == "return":
                self.pile.append(piece)
            else:
                self.out.append(piece)
        return fell

    def earned(self, piece: str, cactus: str) -> dict[str, int]:
        """What a piece brings that hangs on that cactus now."""
        apart = self.options.get("specials") == "none"
        own = self.deck.pieces[piece]
        counted = [self.deck.pieces[p] for p in self.hung if not (apart and self.deck.pieces[p].special)]
        here = Counter(p.color for p in counted if self.hung[p.id] == cactus)
        won: dict[str, int] = {}
        if own in counted:
            same = sum(p.color == own.color for p in counted)
            won |= {"color-3": 1} if same == 3 else {"color-5": 2} if same == 5 else {}
        if own.shape:
            alike = sum(p.shape == own.shape for p in counted)
            won |= {"shape-3": 1} if alike == 3 else {"shape-5": 2} if alike == 5 else {}
        if own in counted and len(here) == len(self.deck.colors) and here[own.color] == 1:
            won["all-colors"] = 2
        return won

    def account(self) -> dict[str, Any]:
        """What the match must say too."""
        return {
            "flowers": dict(self.flowers),
            "supply": len(self.pile),
            "row": list(self.row),
            "discarded": list(self.out),
            "hung": dict(self.hung),
        }

    def sorted(self, pieces: list[str]) -> list[str]:
        """In the order of the set."""
        return [p for p in self.deck.pieces if p in pieces]
