"""Who reads the photographs of a copy of which game."""

from __future__ import annotations

from collections.abc import Callable

from calibration.capture.cactus.deck import enroll_cactus
from calibration.capture.conex.deck import enroll_conex
from calibration.capture.deck import Enrolled, Photo, Said, Wishes
from calibration.capture.deck_any import enroll_any
from calibration.capture.rox.deck import enroll_rox

Reader = Callable[[list[Photo], Wishes, Said], Enrolled]
READERS: dict[str, Reader] = {
    "rox": enroll_rox,
    "conex": enroll_conex,
    "cactus": enroll_cactus,
    "any": enroll_any,
}
_MORE = {"rox": (0.8, 0.6), "conex": (0.9, 2.0, 0.1, 1.6), "cactus": (0.1, 1.5, 0.3), "any": (0.5, 0.3, 0.2)}
"""What the steps behind the photos take for each photo, in looks at one: about, to tell how long it still takes.

Those of CONEX end with the board, whose reading is told by no step.
"""


def costs(game: str, photos: int) -> list[float]:
    """What each step of reading so many photos takes, in looks at a photo."""
    return [1.0] * photos + [share * photos for share in _MORE[game]]
