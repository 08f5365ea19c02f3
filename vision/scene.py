"""A scene: what is known of it before a frame is looked at, and what the frame tells of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.table import TableState
from vision.board_side import BoardSide
from vision.cactus.cactus_set import CactusSet
from vision.cactus.upright import HungPiece, Stage, Strange
from vision.camera import CameraModel
from vision.deck import DeckAppearance
from vision.plane import LensPrior, Plane
from vision.types import Detection, Quad, Rgb, Standing


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
    `standing` tells whether what was seen agrees with the calibration of the camera. `side` is how large the board is,
    where the deck does not know it.
    """

    detections: tuple[Detection, ...]
    table: TableState
    at_s: float = 0.0
    notes: tuple[str, ...] = ()
    board: Detection | None = None
    tokens_px: tuple[tuple[float, float], ...] = ()
    plane: Plane | None = None
    stage: Stage | None = None
    hung: tuple[HungPiece, ...] = ()
    strange: tuple[Strange, ...] = ()
    standing: Standing = Standing.UNKNOWN
    side: BoardSide | None = None
