"""Who reads the photographs of a copy of which game."""

from __future__ import annotations

from collections.abc import Callable

from calibration.capture.deck import Enrolled, Photo, Said, Wishes
from calibration.capture.deck_any import enroll_any
from calibration.capture.deck_cactus import enroll_cactus
from calibration.capture.deck_conex import enroll_conex
from calibration.capture.deck_rox import enroll_rox

Reader = Callable[[list[Photo], Wishes, Said], Enrolled]
READERS: dict[str, Reader] = {
    "rox": enroll_rox,
    "conex": enroll_conex,
    "cactus": enroll_cactus,
    "any": enroll_any,
}
STEPS_MORE = 3
"""Steps that a reader tells besides one a photo."""
