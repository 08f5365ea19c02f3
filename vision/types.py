"""What the eye passes on: frames, detections, observations and failures.

Pixels: origin at the top-left, x right, y down, pixel centres at integers. Arrays are RGB `uint8` (H, W, 3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scoring.table import TableState
    from vision.cactus.cactus_set import CactusSet
    from vision.cactus.upright import HungPiece, Stage, Strange
    from vision.camera import CameraModel
    from vision.deck import DeckAppearance
    from vision.plane import LensPrior, Plane

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


@dataclass(frozen=True, slots=True, eq=False)
class SceneModel:
    """All that is known before a frame is looked at.

    Parameters
    ----------
    deck
        What the cards look like; None finds outlines of any card.
    camera
        Lens and focal length where a calibration is given.
    area_px
        (n, 2) polygon of the agreed playing area in pixels, or None for the whole picture.
    lens
        What earlier pictures of the same camera told of its lens, where there is no calibration.
    board_px
        Where the board was in an earlier picture of the same camera: it is looked for there first.
    cactus
        The set of Cactus on the table, where that is played; then there is no deck of cards.
    stage
        Where the cacti stood in an earlier picture of the same camera.
    hung
        What hung on them.
    strange
        What seemed to hang on them and did not.
    picture
        (h, w, 3) that picture, where the camera stands still.
    table
        The table's plane as it was calibrated with that lens, in pixels of the pictures of then.
    off_share
        How far that calibration may be off, as a share of the picture's longer side; widens what is measured.
    """

    deck: DeckAppearance | None = None
    camera: CameraModel | None = None
    area_px: NDArray[np.float64] | None = None
    lens: LensPrior | None = None
    board_px: Quad | None = None
    cactus: CactusSet | None = None
    stage: Stage | None = None
    hung: tuple[HungPiece, ...] = ()
    strange: tuple[Strange, ...] = ()
    picture: Rgb | None = None
    table: Plane | None = None
    off_share: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One frame understood: detections in pixels and the table in millimetres.

    `table.placements[i]` is `detections[i]`, and its key is `str(i)` until the tracker names it. `board` is the
    detection behind `table.board`, and `tokens_px` holds the place of each of `table.tokens` in the picture. `plane` is
    what the table was measured on, in pixels of the frame; None where the cards share no plane. Of Cactus there are
    `stage` and `hung`, in pixels of the frame; `hung[i]` is `detections[i]`, and the keys are the pieces' names;
    `strange` is what seemed to be pieces and is not.
    `standing` tells whether what was seen agrees with the calibration of the camera.
    """

    detections: tuple[Detection, ...]
    table: TableState
    at_s: float = 0.0
    notes: tuple[str, ...] = field(default=())
    board: Detection | None = None
    tokens_px: tuple[tuple[float, float], ...] = ()
    plane: Plane | None = None
    stage: Stage | None = None
    hung: tuple[HungPiece, ...] = ()
    strange: tuple[Strange, ...] = ()
    standing: Standing = Standing.UNKNOWN
