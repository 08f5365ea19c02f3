"""What parts of a copy usually measure, so that a slip is asked about before anything rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usual:
    """A size as it usually is, and what is taken for a slip, all in mm.

    What is less than a third of the usual size was rather written in centimetres.
    """

    mm: float
    least_mm: float
    most_mm: float

    def holds(self, mm: float) -> bool:
        """Whether something may measure that; never true of NaN."""
        return self.least_mm <= mm <= self.most_mm


CARD = Usual(60, 15, 400)
BOARD = Usual(120, 38, 380)
PIECE = Usual(40, 13, 130)
CACTUS = Usual(85, 27, 270)
THICKNESS = Usual(3.5, 0.2, 12)
BASE: Mapping[str, Usual] = {
    "width_mm": Usual(40, 13, 200),
    "height_mm": Usual(8, 1.5, 70),
    "depth_mm": Usual(14, 4.5, 130),
}
"""The block in which a cactus stands, by the fields of a deck."""
