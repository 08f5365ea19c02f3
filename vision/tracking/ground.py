"""What carries the cards: how the camera stands, the board, the playing area, and the map of lasting millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, Placement, Point, Pose
from vision.scene import Observation
from vision.tracking.change import Change
from vision.tracking.chart import BOARD_COUNTS, Chart, Fixed
from vision.tracking.drift import Anchor, Motion, estimate_motion
from vision.tracking.memory import Seen, Track, posed, sighting
from vision.types import Quad

CARDS_ABOVE_MM, HEIGHT_SIGMA_MM = 1.0, 0.6
"""How high the cards of a game with a board lie above the table, and how much that differs."""
_LINE_MM = 0.4
"""How exactly a line on a table is told."""
_READABLE = 0.6
"""Probability from which a name tells that two sightings are one card, when the camera's movement is sought."""


class Ground:
    """The still things of a table.

    Parameters
    ----------
    area_px
        (n, 2) the agreed playing area in pixels of the first picture, or None.
    """

    def __init__(self, area_px: NDArray[np.float64] | None = None) -> None:
        self.area_px = area_px
        self._board: Track | None = None
        self._board_stays = False
        self.board_seen = False
        self._chart = Chart()

    @property
    def board_px(self) -> Quad | None:
        """The board's outline in the present picture."""
        return None if self._board is None else self._board.quad_px

    def follow_camera(
        self, tracks: Sequence[Track], observation: Observation, found: Sequence[Seen], change: Change | None
    ) -> Motion:
        """Tell how the picture moved, and move the outlines of everything that is remembered with it."""
        by_face: dict[str | None, Seen] = {
            s.placement.face: s for s in found if s.placement.face and s.placement.confidence > _READABLE
        }
        pairs = [(t, s) for t in tracks if (s := by_face.get(t.placement.face)) is not None]
        anchors = [Anchor(t.quad_px, s.quad_px, float(np.hypot(t.sigma_px, s.sigma_px))) for t, s in pairs]
        board = board_of(observation)
        if self._board is not None and board is not None:
            sigma = float(np.hypot(self._board.sigma_px, board.sigma_px))
            anchors.append(Anchor(self._board.quad_px, board.quad_px, sigma, BOARD_COUNTS))
        motion = estimate_motion(anchors, None if change is None else change.whole_px)
        if not motion.none:
            for track in (*tracks, *([self._board] if self._board is not None else [])):
                track.quad_px = motion(track.quad_px)
            if self.area_px is not None:
                self.area_px = motion(self.area_px)
            self._chart.follow(motion)
        return motion

    def take_board(self, observation: Observation) -> None:
        """Take in the board, where it was found."""
        seen = board_of(observation)
        self.board_seen = seen is not None
        if seen is None:
            self._board_stays = self._board is not None
        elif self._board is None:
            self._board = Track.of(BOARD, seen)
            self._board_stays = False
        else:
            self._board_stays = not self._board.take_outline(seen)
            self._board.placement = seen.placement

    def learn(self, observation: Observation, found: Sequence[Seen], still: Sequence[Track]) -> None:
        """Improve the map by a new look, in which the pieces of `still` lie where they lay."""
        fixed = [Fixed(t.quad_px, t.size_mm, t.pose) for t in still if t.pose is not None]
        if self._board is not None and self._board_stays and self._board.pose is not None:
            fixed.append(Fixed(self._board.quad_px, self._board.size_mm, self._board.pose, 2 * BOARD_COUNTS))
        self._chart.consider(observation, found, fixed)
        if self._board is not None:
            self._board.pose = self.pose(self._board)

    def pose(self, track: Track) -> Pose:
        """Where a piece lies on the map."""
        if not self._chart.known:
            return track.placement.pose
        return replace(self._chart.pose(track.quad_px, track.size_mm), plane=track.placement.pose.plane)

    def board(self) -> Placement | None:
        """The board as it lies on the map."""
        if self._board is None or self._board.pose is None:
            return None
        b = self._board
        return replace(posed(b.placement, self.pose(b), b.sigma_mm, b.placement.visible), key=BOARD, face=BOARD)

    def area(self) -> tuple[Point, ...]:
        """The agreed playing area on the map; empty where there is none, or no map.

        It is a line on the table, and the cards that tell the map lie on a board and on one another above it.
        """
        if self.area_px is None or not self._chart.known:
            return ()
        seen = self._chart.mm(self.area_px)
        return tuple((float(x), float(y)) for x, y in self._chart.lowered(seen, CARDS_ABOVE_MM))

    def area_sigma_mm(self) -> float:
        """How exactly the area is known, by the height of the cards and as a line that a hand drew."""
        if self.area_px is None or not self._chart.known:
            return 0.0
        seen = self._chart.mm(self.area_px)
        slope = np.hypot(*(self._chart.lowered(seen, 1.0) - seen).T)
        return float(np.hypot(_LINE_MM, HEIGHT_SIGMA_MM * slope.max(initial=0.0)))

    def mm(self, points_px: NDArray[np.float64]) -> tuple[Point, ...]:
        """Places of the present picture on the map; empty where there is no map."""
        if not self._chart.known:
            return ()
        return tuple((float(x), float(y)) for x, y in self._chart.mm(points_px))


def board_of(observation: Observation) -> Seen | None:
    """The board of an observation as a sighting."""
    if observation.board is None or observation.table.board is None:
        return None
    return sighting(observation.board, observation.table.board)
