"""House rules of a match of Cactus: where the printed rules leave a choice, the table chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.deck_cactus import CactusDeck
from scoring.errors import RefereeError
from scoring.events import OptionValue
from scoring.options import check_name, check_word, plain

SEATS = ("1", "2", "3", "4", "5")
"""Possible seats, clockwise: the camera looks at the cacti, not at the players."""


@dataclass(frozen=True, slots=True)
class CactusOptions:
    """House rules of a match.

    Parameters
    ----------
    claims
        ``coach``: the referee announces what a turn brings. ``strict``: only what the player claims before the die is
        passed counts, and nothing is told before.
    wrong_claims
        ``free``: as printed. ``counted``: they cost nothing either, but the page shows how many each player made.
    specials
        ``color``: special pieces count for their colour. ``none``: they count for nothing.
    fallen
        ``discard``: fallen basic pieces are out of the game. ``return``: they go back to the supply (a longer game).
        Special pieces always go back, to the far right of their row.
    no_piece
        What a roll means that no basic piece is left for: ``end`` of the game, or ``reroll``.
    impossible
        ``discard``: where all agree that a contact cannot be put right, the piece is taken back and out of the turn,
        without a reward. ``off``: it is put right.
    sure
        Probability from which on a reading is taken for certain.
    start
        Seat of the first player; empty: the first seat that is taken.
    order
        Ids of the cacti clockwise as seen from above, parted by commas; empty: from left to right as they are seen at
        the start, or as the set lists them.
    row
        Ids of the special pieces from the left, parted by commas; empty: as they lie at the start where all are seen,
        or as the set lists them.
    """

    claims: str = "coach"
    wrong_claims: str = "free"
    specials: str = "color"
    fallen: str = "discard"
    no_piece: str = "end"
    impossible: str = "discard"
    sure: float = 0.9
    start: str = ""
    order: str = ""
    row: str = ""

    @classmethod
    def of(cls, values: Mapping[str, OptionValue]) -> CactusOptions:
        """The options of a match, checked; raises RefereeError naming the option at fault."""
        for name, value in values.items():
            check_name("Cactus", cls, name)
            if name in _WORDS:
                check_word(name, value, _WORDS[name])
            if name == "sure" and (isinstance(value, bool | str) or not _LEAST <= value <= _MOST):
                raise RefereeError(f"The option {name} can be from {_LEAST} to {_MOST}, not {value}.")
            if name in ("order", "row") and not isinstance(value, str):
                raise RefereeError(f"The option {name} is a list of names, not {value}.")
        return cls(**values)  # type: ignore[arg-type]  # every name and type was checked above

    def as_mapping(self) -> dict[str, OptionValue]:
        """The options as plain values."""
        return plain(self)

    @property
    def specials_count(self) -> bool:
        """Whether special pieces count for colour."""
        return self.specials == "color"

    @property
    def cacti(self) -> tuple[str, ...]:
        """The order of the cacti as it was stated, or empty."""
        return _listed(self.order)

    @property
    def specials_row(self) -> tuple[str, ...]:
        """The row of specials as it was stated, or empty."""
        return _listed(self.row)

    def check(self, deck: CactusDeck) -> None:
        """Raises RefereeError where the set has other cacti or other specials."""
        if self.order and sorted(self.cacti) != sorted(deck.cacti):
            raise RefereeError(f"The order of the cacti must name each once: {', '.join(deck.cacti)}.")
        if self.row and sorted(self.specials_row) != sorted(deck.specials):
            raise RefereeError(f"The row of specials must name each once: {', '.join(deck.specials)}.")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


_LEAST, _MOST = 0.51, 0.999
_WORDS: Mapping[str, tuple[str, ...]] = {
    "claims": ("coach", "strict"),
    "wrong_claims": ("free", "counted"),
    "specials": ("color", "none"),
    "fallen": ("discard", "return"),
    "no_piece": ("end", "reroll"),
    "impossible": ("discard", "off"),
    "start": ("", *SEATS),
}
