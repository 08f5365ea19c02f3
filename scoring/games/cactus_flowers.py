"""The flowers of Cactus: wooden tokens worth 1 (dot down) or 3 (dot up), which change by being turned over.

Each player begins with three worth 1, and ten lie in the reserve. Nobody goes below nothing, and what is paid goes to
the reserve. Where the reserve is empty, three that are worth 1 become one that is worth 3 and two for the reserve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

EACH = 3
"""Flowers with which a player begins, each worth 1."""
RESERVE = 10
WORTH = 3
"""What a flower is worth with its dot up."""


@dataclass(frozen=True, slots=True)
class Purse:
    """One player's flowers: how many are worth 1 and how many are worth 3."""

    ones: int = EACH
    threes: int = 0

    @property
    def value(self) -> int:
        """What they are worth together."""
        return self.ones + WORTH * self.threes


@dataclass(frozen=True, slots=True)
class Bank:
    """All flowers of a match; their number never changes.

    Parameters
    ----------
    purses
        Flowers by seat.
    reserve
        Tokens that nobody holds.
    """

    purses: Mapping[str, Purse]
    reserve: int = RESERVE

    @classmethod
    def of(cls, seats: Sequence[str]) -> Bank:
        """The flowers at the beginning."""
        return cls({s: Purse() for s in seats})

    @property
    def values(self) -> dict[str, int]:
        """What each seat's flowers are worth."""
        return {s: p.value for s, p in self.purses.items()}

    @property
    def tokens(self) -> int:
        """Number of wooden flowers, held or not."""
        return self.reserve + sum(p.ones + p.threes for p in self.purses.values())

    @property
    def run_out(self) -> bool:
        """Whether all flowers lie on the side that is worth 3 and the reserve is empty."""
        return sum(self.values.values()) >= WORTH * self.tokens

    def give(self, seat: str, flowers: int) -> Bank:
        """The bank after that seat received flowers worth so much, or as much as can be given."""
        tries = (self._moved(seat, n) for n in range(min(flowers, WORTH * self.tokens), 0, -1))
        return next((bank for bank in tries if bank.reserve >= 0), self)

    def take(self, seat: str, flowers: int) -> Bank:
        """The bank after that seat paid flowers worth so much, or all that it had."""
        most = min(flowers, self.purses[seat].value)
        tries = (self._moved(seat, -n) for n in range(most, 0, -1))
        return next((bank for bank in tries if bank.reserve >= 0), self)

    def hold(self, seat: str, flowers: int) -> Bank:
        """The bank where that seat holds flowers worth so much, as far as there are that many."""
        now = self.purses[seat].value
        return self.give(seat, flowers - now) if flowers >= now else self.take(seat, now - flowers)

    def _moved(self, seat: str, flowers: int) -> Bank:
        """The bank with so much more (or less) at that seat; a negative reserve: there are too few flowers."""
        ones, threes = flowers, 0
        while self.purses[seat].ones + ones < 0:
            ones, threes = ones + WORTH, threes - 1
        return self._with(seat, ones, threes)._changed(seat)

    def _with(self, seat: str, ones: int, threes: int) -> Bank:
        """So many more flowers at that seat, fewer in the reserve."""
        purse = self.purses[seat]
        after = Purse(purse.ones + ones, purse.threes + threes)
        return Bank({**self.purses, seat: after}, self.reserve - ones - threes)

    def _changed(self, seat: str) -> Bank:
        """The bank after as much changing as the reserve needs: this seat's flowers first, then where most lie."""
        bank = self
        while bank.reserve < 0:
            order = sorted(bank.purses, key=lambda s: (s != seat, -bank.purses[s].ones))
            rich = next((s for s in order if bank.purses[s].ones >= WORTH), None)
            if rich is None:
                break
            bank = bank._with(rich, -WORTH, 1)
        return bank
