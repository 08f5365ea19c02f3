"""House rules of a match of CONEX: where the printed rules leave a choice, the table chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.errors import RefereeError
from scoring.events import OptionValue
from scoring.options import check_name, check_word, plain

MOST_GOAL = 1000


@dataclass(frozen=True, slots=True)
class ConexOptions:
    """House rules of a match.

    Parameters
    ----------
    touch_band_mm
        A gap or overlap up to this is too close to call: the players decide. Doubt of the measurement widens it.
    exact
        ``on``: the overlap of card and ground must be the corner's region, within `tolerance_mm`. ``off``: the corner
        lies on its colour and nothing else of the card reaches over the ground by more than `tolerance_mm`.
    tolerance_mm
        How far hands may miss.
    contact
        ``one``: a card laid on a card touches neither another card nor the board. ``board-too``: it may touch
        the board as well.
    sure
        Probability from which on a reading is taken for certain.
    goal
        Number of the goal square; 0 takes the deck's.
    start
        Seat of the start player (the youngest); empty: the player who is named first.
    hand
        Cards that each player is dealt.
    accept
        ``next``: the next player's card accepts a legal card about which nothing is open. ``tap``: each is accepted on
        the page.
    """

    touch_band_mm: float = 1.0
    exact: str = "off"
    tolerance_mm: float = 3.0
    contact: str = "one"
    sure: float = 0.9
    goal: int = 0
    start: str = ""
    hand: int = 5
    accept: str = "next"

    @classmethod
    def of(cls, values: Mapping[str, OptionValue]) -> ConexOptions:
        """The options of a match, checked; raises RefereeError naming the option at fault."""
        for name, value in values.items():
            check_name("CONEX", cls, name)
            if name in _WORDS:
                check_word(name, value, _WORDS[name])
                continue
            low, high, whole = _RANGES[name]
            number = not isinstance(value, bool | str) and low <= value <= high
            if not number or (whole and not isinstance(value, int)):
                kind = "a whole number from" if whole else "from"
                raise RefereeError(f"The option {name} can be {kind} {low:g} to {high:g}, not {value}.")
        kept = {n: float(v) if n in _RANGES and not _RANGES[n][2] else v for n, v in values.items()}
        return cls(**kept)  # type: ignore[arg-type]  # every name and type was checked above

    def as_mapping(self) -> dict[str, OptionValue]:
        """The options as plain values."""
        return plain(self)


_WORDS: Mapping[str, tuple[str, ...]] = {
    "exact": ("off", "on"),
    "contact": ("one", "board-too"),
    "start": ("", "south", "west", "north", "east"),
    "accept": ("next", "tap"),
}
_RANGES: Mapping[str, tuple[float, float, bool]] = {
    "touch_band_mm": (0.0, 10.0, False),
    "tolerance_mm": (0.5, 10.0, False),
    "sure": (0.51, 0.999, False),
    "goal": (0, MOST_GOAL, True),
    "hand": (0, 20, True),
}
"""Least and greatest value, and whether it is a whole number."""
