"""Cacti standing in view, and the pieces that hang on them, in space.

The frame of a cactus has its origin in the middle of the top of its base, x to the right and y up as seen from the
front, z towards the viewer; all in millimetres. A `Rigid` motion takes points of a part into the camera's frame
(x right, y down, z away from the camera, in millimetres).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel

Array = NDArray[np.float64]

_SAME = 0.6
"""Of a thing that is still there as much is seen."""
_ELSEWHERE = 0.02
"""Share of a picture's width by which the cacti are elsewhere in it, where another camera or place took it."""
_FOOT = np.zeros((1, 3))
_RIM = 5
"""Side of a square of cells within which an edge may seem to move."""


@dataclass(frozen=True, slots=True, eq=False)
class Rigid:
    """A rigid motion: `points @ R.T + t`.

    Parameters
    ----------
    R
        (3, 3) rotation.
    t
        (3,) translation in mm.
    """

    R: Array
    t: Array

    def apply(self, points_mm: Array) -> Array:
        """(n, 3) mm -> (n, 3) mm."""
        return np.asarray(points_mm @ self.R.T + self.t, np.float64)

    def after(self, first: Rigid) -> Rigid:
        """The motion that does `first`, then this one."""
        return Rigid(self.R @ first.R, self.R @ first.t + self.t)

    def inverse(self) -> Rigid:
        """The motion back."""
        return Rigid(self.R.T, -self.R.T @ self.t)


@dataclass(frozen=True, slots=True, eq=False)
class Upright:
    """One cactus standing in view.

    Parameters
    ----------
    id
        Its name within the set.
    to_camera
        From the frame of the cactus to that of the camera.
    sigma_px
        Standard deviation of a point of its outline in the picture.
    confidence
        Probability that this cactus stands there.
    """

    id: str
    to_camera: Rigid
    sigma_px: float
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The cacti of one picture and the camera that saw them.

    Parameters
    ----------
    camera
        The lens, given or estimated.
    cacti
        The cacti that were found, from left to right.
    spare
        What stands there besides of a second set.
    """

    camera: CameraModel
    cacti: tuple[Upright, ...]
    spare: tuple[Upright, ...] = ()

    def project(self, points_mm: Array, to_camera: Rigid) -> Array:
        """Where points of a part are in the picture: (n, 3) mm -> (n, 2) px."""
        x, y, z = to_camera.apply(points_mm).T
        z = np.maximum(z, 1.0)
        return self.camera.show(x / z, y / z)


def is_elsewhere(before: Stage, now: Stage) -> bool:
    """Whether the camera of a picture stands or looks elsewhere than that of an earlier one."""
    if before.camera.size_px != now.camera.size_px:
        return True
    feet = {u.id: before.project(_FOOT, u.to_camera)[0] for u in before.cacti}
    off = [float(np.hypot(*(now.project(_FOOT, u.to_camera)[0] - feet[u.id]))) for u in now.cacti if u.id in feet]
    return not off or float(np.median(off)) > _ELSEWHERE * now.camera.size_px[0]


@dataclass(frozen=True, slots=True, eq=False)
class HungPiece:
    """One piece that hangs on a cactus.

    Parameters
    ----------
    id
        Its name within the set.
    cactus
        Name of its cactus.
    flipped
        Whether its back (the mirror image of its outline) is towards the viewer.
    to_cactus
        From the piece's frame (its outline's x and y with z = 0 in the middle of the plate, mirrored in x first where
        flipped, z towards the viewer) to that of its cactus.
    outline_px
        (n, 2) the whole outline in the picture, the hidden part too.
    visible
        Share of the piece that the picture shows.
    confidence
        Probability that this very piece hangs there.
    sigma_mm
        Standard deviation of a point of its outline along the picture.
    depth_sigma_mm
        Standard deviation of its place along the line of sight.
    readings
        Other names with their probabilities, likeliest first.
    """

    id: str
    cactus: str
    flipped: bool
    to_cactus: Rigid
    outline_px: Array
    visible: float
    confidence: float
    sigma_mm: float
    depth_sigma_mm: float
    readings: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Strange:
    """Something near a cactus that has the colour of pieces and is none of them.

    Parameters
    ----------
    cactus
        Name of the cactus.
    color
        Name of the colour.
    cells
        (h, w) where it is on the plane of that cactus, in cells that are the same for all pictures.
    perhaps
        Pieces that it might yet be, though it did not convince: names, whether their backs are seen, and where they
        would hang.
    """

    cactus: str
    color: str
    cells: NDArray[np.bool_]
    perhaps: tuple[tuple[str, bool, Rigid], ...] = ()

    def is_still(self, cells: NDArray[np.bool_], most: float) -> bool:
        """Whether such cells are this very thing: most of it, and fewer than so many beside it."""
        if cells.shape != self.cells.shape or np.count_nonzero(cells) < _SAME * np.count_nonzero(self.cells):
            return False
        about = cv2.dilate(self.cells.astype(np.uint8), np.ones((_RIM, _RIM), np.uint8))
        return bool(np.count_nonzero(cells & (about == 0)) < most)
