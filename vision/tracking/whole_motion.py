"""How the picture as a whole moved, told from two small grey pictures: a camera that was pushed, turned or zoomed."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_Grey = NDArray[np.float32]
Array = NDArray[np.float64]

_LEAST_SHIFT = 0.15
_LEAST_MOTION = 0.8
"""Small pixels that a point moves at least: a shift is told more exactly than a turn."""
_EXPLAINED = 0.7
"""What is left of the difference when the motion is undone, at most."""
_BETTER = 0.85
"""A turn must leave so much less than a shift: the simpler motion is told more exactly."""
_POINTS, _LEAST_POINTS = 160, 14
_AGREE = 0.6
"""Share of the followed points that must agree on a turn or a zoom."""
_OFF = 0.8
_RANGE = 0.35
"""Relief, as a fraction of the brightness around, that is told apart."""


def find_whole_motion(before: _Grey, after: _Grey) -> Array | None:
    """How the whole picture moved, if that explains what changed.

    Parameters
    ----------
    before, after
        (h, w) relief of the pictures: brightness against its surroundings.

    Returns
    -------
    (3, 3) from pixels of `before` to those of `after`; None where the picture stands still, or where no motion of the
    whole explains the difference.
    """
    shift, turn = _shift(before, after), _turn(before, after)
    left = 1.0 if shift is None else _left(shift, before, after)
    # a shift explains part of a turn, too
    if turn is not None and _left(turn, before, after) < min(_BETTER * left, _EXPLAINED):
        return turn
    return shift if left < _EXPLAINED else None


def _shift(before: _Grey, after: _Grey) -> Array | None:
    window = cv2.createHanningWindow((before.shape[1], before.shape[0]), cv2.CV_32F)
    # Copies: OpenCV lays the window over its arguments in place.
    (dx, dy), _ = cv2.phaseCorrelate(before.copy(), after.copy(), window)
    if np.hypot(dx, dy) < _LEAST_SHIFT:
        return None
    return np.array([[1, 0, dx], [0, 1, dy], [0, 0, 1.0]])


def _turn(before: _Grey, after: _Grey) -> Array | None:
    """A shift with a turn and a zoom, by points that are followed from one picture to the other."""
    old, new = (np.clip(127 + 127 / _RANGE * relief, 0, 255).astype(np.uint8) for relief in (before, after))
    points = cv2.goodFeaturesToTrack(old, _POINTS, 0.02, 5)
    if points is None or len(points) < _LEAST_POINTS:
        return None
    there, found, _ = cv2.calcOpticalFlowPyrLK(old, new, points, np.zeros_like(points), winSize=(15, 15), maxLevel=4)
    back, again, _ = cv2.calcOpticalFlowPyrLK(new, old, there, np.zeros_like(points), winSize=(15, 15), maxLevel=4)
    closed = np.hypot(*(back - points).reshape(-1, 2).T) < _OFF
    kept = (found.ravel() == 1) & (again.ravel() == 1) & closed
    if np.count_nonzero(kept) < _LEAST_POINTS:
        return None
    cv2.setRNGSeed(0)
    matrix, inliers = cv2.estimateAffinePartial2D(points[kept], there[kept], ransacReprojThreshold=_OFF)
    if matrix is None or not np.isfinite(matrix).all() or np.count_nonzero(inliers) < _AGREE * np.count_nonzero(kept):
        return None
    h, w = before.shape
    corners = np.array([[0, 0, 1], [w, 0, 1], [w, h, 1], [0, h, 1.0]])
    if np.hypot(*(corners @ matrix.T - corners[:, :2]).T).max() < _LEAST_MOTION:
        return None
    return np.vstack([matrix, [0.0, 0.0, 1.0]])


def _left(motion: Array, before: _Grey, after: _Grey) -> float:
    """Share of the difference between the pictures that is left when the motion is undone."""
    h, w = before.shape
    moved = cv2.warpAffine(before, motion[:2], (w, h), borderMode=cv2.BORDER_REPLICATE)
    # what came into the picture at its edge could not be known
    known = cv2.warpAffine(np.ones((h, w), np.uint8), motion[:2], (w, h)) > 0
    if not known.any():
        return 1.0
    whole = float(cv2.absdiff(before, after)[known].mean())
    return float(cv2.absdiff(moved, after)[known].mean()) / max(whole, 1e-9)
