"""What the eye passes on from step to step: frames, outlines, detections and failures.

Pixels: origin at the top-left, x right, y down, pixel centres at integers. Arrays are RGB `uint8` (H, W, 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Rgb = NDArray[np.uint8]
"""(H, W, 3) RGB picture."""
Quad = NDArray[np.float64]
"""(4, 2) corners in pixels: printed top-left, top-right, bottom-right, bottom-left. Of a piece that is no card the
(n, 2) outline."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One upright picture of the table, with its time in seconds since the source was opened."""

    rgb: Rgb
    at_s: float = 0.0
    index: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A fit or a frame that failed in ordinary use. Falsy, so `if not result` reads well."""

    reason: str
    detail: str = ""

    def __bool__(self) -> Literal[False]:
        return False


class Standing(StrEnum):
    """How a picture and the calibration of its camera agree."""

    AS_CALIBRATED = "as-calibrated"
    UNKNOWN = "unknown"
    MOVED = "camera-stands-elsewhere"
    LENS = "lens-changed"
    SHAPE = "other-picture-shape"


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible identity of a detection: face id (None: nothing of this deck) and probability."""

    face: str | None
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """One card found in one frame.

    Parameters
    ----------
    quad_px
        (4, 2) corners of the full rectangle before rounding; see `Quad`.
    face
        Face id, or None where the deck explains nothing (or no deck was given).
    confidence
        Probability that this is a card with that face, 0 to 1.
    visible
        Share of the card that the photo shows.
    sigma_px
        Standard deviation of a corner.
    readings
        All readings worth keeping, likeliest first.
    is_back
        True where the deck's back was recognised.
    """

    quad_px: Quad
    face: str | None
    confidence: float
    visible: float = 1.0
    sigma_px: float = 0.5
    readings: tuple[Reading, ...] = ()
    is_back: bool = False
