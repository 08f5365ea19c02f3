"""The lasting map of a table: places in the picture become millimetres that mean the same in every picture.

Each look estimates the plane anew, more or less exactly, and with an origin of its own. As the camera stands still, the
best estimate so far serves all looks; where it is replaced by a better one, the new one is laid so that what nobody
touched, the board before all, stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.table import Placement, Point, Pose
from vision.plane import fit_rectangle
from vision.scene import Observation
from vision.tracking.drift import Motion
from vision.tracking.memory import Seen
from vision.types import Quad

Array = NDArray[np.float64]
ToPlane = Callable[[Array], Array]
"""(n, 2) px -> (n, 2) mm on the plane of one look."""

BOARD_COUNTS = 2.0
"""A board is known as exactly as two cards, and holds the map as firmly."""
_NO_PLANE = 0.25
"""Worth of a look whose pieces share no plane, against one whose pieces do."""
_AS_GOOD = 0.6
"""Looks that tell of at least so many pieces as the best one, as a share, are averaged."""
_SHEETS = 6
"""... so many of them, the newest."""


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """A piece that nobody touched: its outline in the present picture, and where it lies on the map."""

    quad_px: Quad
    size_mm: tuple[float, float]
    pose: Pose
    weight: float = 1.0

    def corners(self) -> Array:
        """(4, 2) its corners on the map."""
        return np.array(Placement("", None, self.pose, self.size_mm).corners())


@dataclass(slots=True, eq=False)
class _Sheet:
    """The plane of one look: (3, 3) from the present picture to that look's, and from its plane to the map.

    `eye` is where the camera stands on that plane, and how high; None where it is not known.
    """

    plane: ToPlane
    worth: float
    turn: Array
    shift: Array
    back: Array
    eye: Array | None = None

    def __call__(self, points_px: Array) -> Array:
        return self.plane(Motion(self.back)(points_px)) @ self.turn.T + self.shift


class Chart:
    """Turns places of the present picture into lasting millimetres."""

    def __init__(self) -> None:
        self._sheets: list[_Sheet] = []
        self._bumped = False

    @property
    def known(self) -> bool:
        """Whether there is a map yet."""
        return bool(self._sheets)

    def follow(self, motion: Motion) -> None:
        """The picture moved: the same millimetres are elsewhere in it."""
        back = np.linalg.inv(motion.matrix)
        for sheet in self._sheets:
            sheet.back = sheet.back @ back
        self._bumped |= motion.bumped

    def consider(self, observation: Observation, found: Sequence[Seen], fixed: Sequence[Fixed]) -> None:
        """Take in the plane of a new look, if it is about as well known as those that the map goes by."""
        worth = sum(1.0 for s in found if s.placement.face is not None) + 0.1 * len(found)
        if observation.board is not None and observation.table.board is not None:
            worth += BOARD_COUNTS
        plane: ToPlane | None
        if observation.plane is not None:
            plane = observation.plane.unproject
        else:
            worth *= _NO_PLANE
            plane = _plane_of(observation, found)
        # Seen from elsewhere, any newer estimate is better.
        best = 0.0 if self._bumped else max((sheet.worth for sheet in self._sheets), default=0.0)
        if plane is None or worth <= 0 or worth < _AS_GOOD * best:
            return
        if observation.plane is None and worth <= best:
            return  # beyond its pieces such a map is worth little
        turn, shift = self._laid(plane, found, fixed)
        eye = None if observation.plane is None else observation.plane.camera_at()
        new = _Sheet(plane, worth, turn, shift, np.eye(3), eye)
        kept = [] if self._bumped else [s for s in self._sheets if s.worth >= _AS_GOOD * worth]
        self._sheets = [*kept[-_SHEETS + 1 :], new]
        self._bumped = False

    def _laid(self, plane: ToPlane, found: Sequence[Seen], fixed: Sequence[Fixed]) -> tuple[Array, Array]:
        """The turn and shift of a new plane with which all that nobody touched stays where it is."""
        if fixed:
            quads = [f.quad_px for f in fixed]
            here = np.concatenate([f.corners() for f in fixed])
            weights = np.repeat([f.weight for f in fixed], 4)
        elif self._sheets and found and not self._bumped:
            # All pieces are new, but they are seen by the same camera.
            quads = [s.quad_px for s in found]
            here = self.mm(np.concatenate(quads))
            weights = np.ones(len(here))
        else:
            return np.eye(2), np.zeros(2)
        return _rigid(plane(np.concatenate(quads)), here, weights)

    def mm(self, points_px: ArrayLike) -> Array:
        """(n, 2) pixels of the present picture -> (n, 2) lasting mm; needs a map."""
        p = np.asarray(points_px, np.float64).reshape(-1, 2)
        if not len(p):
            return p
        weights = np.array([sheet.worth**2 for sheet in self._sheets])
        return np.asarray(np.tensordot(weights / weights.sum(), [sheet(p) for sheet in self._sheets], 1))

    def lowered(self, points_mm: Array, depth_mm: float) -> Array:
        """Where points really are that seem to lie on the map but lie `depth_mm` below it, (n, 2) mm."""
        eye = next((s.eye for s in reversed(self._sheets) if s.eye is not None), None)
        if eye is None:
            return points_mm
        sheet = next(s for s in reversed(self._sheets) if s.eye is eye)
        foot = sheet.turn @ eye[:2] + sheet.shift
        return np.asarray(points_mm + (points_mm - foot) * depth_mm / eye[2])

    def pose(self, quad_px: Quad, size_mm: tuple[float, float]) -> Pose:
        """Where a piece of that size lies."""
        centre, angle, _ = fit_rectangle(self.mm(quad_px)[None], np.array([size_mm]))
        return Pose(float(centre[0, 0]), float(centre[0, 1]), float(angle[0]))


def _plane_of(observation: Observation, found: Sequence[Seen]) -> ToPlane | None:
    """The map from a look's pixels to its mm, from the pieces that are known in both."""
    quads = [s.quad_px for s in found]
    corners = [s.placement.corners() for s in found]
    if observation.board is not None and observation.table.board is not None:
        quads.append(np.asarray(observation.board.quad_px, np.float64))
        corners.append(observation.table.board.corners())
    if not quads:
        return None
    matrix, _ = cv2.findHomography(np.concatenate(quads), np.concatenate([np.array(c) for c in corners]), 0)
    if matrix is None or not np.isfinite(matrix).all():
        return None
    return Motion(np.asarray(matrix, np.float64))


def aligned(there: Sequence[Placement], here: Sequence[Placement]) -> Callable[[Sequence[Point]], tuple[Point, ...]]:
    """The rigid map from a look's own mm to lasting ones, from the same pieces in both; none leaves all as it is."""
    if not there:
        return tuple
    p = np.concatenate([np.array(t.corners()) for t in there])
    q = np.concatenate([np.array(h.corners()) for h in here])
    turn, shift = _rigid(p, q, np.ones(len(p)))

    def to_map(points: Sequence[Point]) -> tuple[Point, ...]:
        return tuple((float(x), float(y)) for x, y in np.array(points).reshape(-1, 2) @ turn.T + shift)

    return to_map


def _rigid(there: Array, here: Array, weights: Array) -> tuple[Array, Array]:
    """(2, 2) turn and (2,) shift that carry points onto others with the least squares of distances."""
    w = weights[:, None] / weights.sum()
    a, b = (w * there).sum(0), (w * here).sum(0)
    p, q = there - a, here - b
    angle = np.arctan2((w[:, 0] * (p[:, 0] * q[:, 1] - p[:, 1] * q[:, 0])).sum(), (w * p * q).sum())
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s], [s, c]])
    return turn, b - turn @ a
