"""On the plane of which cactus a piece hangs: where cacti stand behind one another, its size tells that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.cactus.piece_fit import Pose, pose_of
from vision.cactus.piece_read import Reading
from vision.cactus.piece_search import Guess
from vision.cactus.piece_view import View

Array = NDArray[np.float64]

_OFF_MM, _NEARER = 20.0, 0.6
"""What is so far from the plane of its cactus by its size, and so much nearer to that of another, hangs on that one."""
_ALIKE = 0.6
"""Least quality of a guess of which that is asked."""


def moved_to(view: View, pose: Pose, cactus: int, other: int) -> Pose:
    """The pose, known in the frame of one cactus, where the line of sight through it meets the plane of another."""
    upright = view.stage.cacti[other]
    there = upright.to_camera.inverse().after(view.stage.cacti[cactus].to_camera).after(pose.rigid())
    eye = upright.to_camera.inverse().t
    at = eye + (there.t - eye) * (eye[2] / (eye[2] - there.t[2]))
    angle = float(np.arctan2(there.R[1, 0], there.R[0, 0]))
    return pose_of(Guess(pose.shape, float(at[0]), float(at[1]), angle, 0.0), pose.thickness_mm)


def sized_mm(view: View, reading: Reading) -> Array:
    """(cacti,) how far before the plane of each cactus a fitted reading is by its size, wherever it was fitted."""
    R, eyes = view.backs
    eye, at = eyes[reading.cactus], reading.fit.pose.numbers[:3]
    sized = eye + (at - eye) * (eye[2] - reading.fit.depth_mm) / (eye[2] - at[2])
    return np.asarray((R @ view.stage.cacti[reading.cactus].to_camera.apply(sized[None])[0] + eyes)[:, 2], np.float64)


def elsewhere(view: View, guess: Reading, fit: Reading) -> tuple[int, Pose] | None:
    """Another cactus on which a piece hangs by the size that it was fitted with, and its pose there.

    Parameters
    ----------
    view
        The view.
    guess
        The reading before it was fitted: its size is not asked there, so it lies where it should.
    fit
        The same, fitted.
    """
    if abs(fit.fit.depth_mm) < _OFF_MM or guess.quality < _ALIKE:
        return None
    off = np.abs(sized_mm(view, fit))
    other = int(off.argmin())
    if off[other] > _NEARER * off[guess.cactus]:
        return None
    return other, moved_to(view, guess.fit.pose, guess.cactus, other)
