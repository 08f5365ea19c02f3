"""The scale of flat plates from a printed target that lies beside them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.plate_view import PlateView
from calibration.sheets.target import SQUARE_MM, board
from vision.types import Rgb

Array = NDArray[np.float64]

_FEWEST = 8
_AROUND_MM = 1.6 * SQUARE_MM
"""The sheet goes on this far beyond the corners that are found."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenTarget:
    """Corners of a target on a photo, (n, 2) px, and where they are on it, (n, 2) mm."""

    corners_px: Array
    corners_mm: Array

    def sheet(self) -> Array:
        """(4, 2) px around the sheet."""
        to_px, _ = cv2.findHomography(self.corners_mm, self.corners_px)
        low, high = self.corners_mm.min(0) - _AROUND_MM, self.corners_mm.max(0) + _AROUND_MM
        box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]], float)
        return np.asarray(cv2.perspectiveTransform(box[:, None], to_px)[:, 0], float)

    def mm_per_px(self, view: PlateView) -> float:
        """Millimetres on the plates' upper faces to a pixel of the view's flat picture.

        The target lies below them, and so looks smaller.
        """
        flat = view.flat(self.corners_px)
        a, b = np.triu_indices(len(flat), 1)
        long = np.linalg.norm(self.corners_mm[a] - self.corners_mm[b], axis=1)
        seen = np.linalg.norm(flat[a] - flat[b], axis=1)
        return float(np.median(long / seen)) / (1 + view.shrink)


def find_target(rgb: Rgb) -> SeenTarget | None:
    """The printed target on a photo, if it lies there."""
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(grey)
    if ids is None or len(ids) < _FEWEST:
        return None
    known = np.asarray(board().getChessboardCorners(), float)[np.ravel(ids), :2]
    if np.linalg.matrix_rank(known - known.mean(0)) < 2:
        return None
    return SeenTarget(np.asarray(corners, float).reshape(-1, 2), known)
