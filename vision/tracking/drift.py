"""How the whole picture moved between two looks, told by what lies still: a camera that sags, or that was bumped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.cards.quads import signed_area
from vision.types import Quad

Array = NDArray[np.float64]

_SMALL = 0.06
"""A picture that moved by less than this share of a card's side has drifted; more is a bump."""
_AGREE = 0.012
"""Pieces whose movements differ by less than this share of a card's side may have moved with the picture."""
_SIGMA_TURN = 5e-4
"""How far a camera that stands in one place usually turns about its axis (rad), or comes nearer (share)."""
_MOST = 0.6
"""Share of the pieces' corners that must agree on how the camera was bumped."""


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A piece that was seen before and is seen now.

    Parameters
    ----------
    before, now
        (4, 2) its corners in pixels of the picture before and of the present one.
    sigma_px
        Standard deviation of a corner's movement if the piece lies still.
    weight
        Its say in what has lain still.
    """

    before: Quad
    now: Quad
    sigma_px: float
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """How the picture moved.

    Parameters
    ----------
    matrix
        (3, 3) from pixels of the picture before to pixels of the present one.
    bumped
        Whether it moved so far that the camera looks at the table from elsewhere.
    """

    matrix: Array
    bumped: bool = False

    def __call__(self, points_px: ArrayLike) -> Array:
        """(n, 2) where the present picture shows what the one before showed there."""
        p = np.asarray(points_px, np.float64).reshape(-1, 2)
        if not len(p):
            return p
        q = np.c_[p, np.ones(len(p))] @ self.matrix.T
        return np.asarray(q[:, :2] / q[:, 2:3])

    @property
    def none(self) -> bool:
        """Whether nothing moved."""
        return bool((self.matrix == np.eye(3)).all())


STILL = Motion(np.eye(3))


def estimate_motion(anchors: Sequence[Anchor], whole_px: Array | None = None) -> Motion:
    """How the picture moved, where most of the pieces agree on it.

    Parameters
    ----------
    anchors
        The pieces that were seen in both pictures. Some of them may have been pushed or laid elsewhere.
    whole_px
        (3, 3) how the picture as a whole seems to have moved, where that is known; believed where the pieces say
        nothing.

    Returns
    -------
    Motion
        `STILL` where nothing moved, or where nothing can be said.
    """
    drift = _drift(anchors)
    if drift is not None:
        return drift
    if len(anchors) >= 2:
        bump = _bump(anchors)
        if bump is not None:
            return bump
    return STILL if whole_px is None else Motion(whole_px, bumped=True)


def _drift(anchors: Sequence[Anchor]) -> Motion | None:
    """The small movement that at least half of the pieces share; None where there is no such."""
    if not anchors:
        return None
    before = np.stack([a.before for a in anchors])
    moved = np.stack([a.now for a in anchors]) - before
    centres = moved.mean(1)
    side = np.array([np.sqrt(max(abs(signed_area(a.before)), 1.0)) for a in anchors])
    sigma = np.array([a.sigma_px for a in anchors])
    weight = np.array([a.weight for a in anchors])
    near = np.maximum(3 * sigma, _AGREE * side)

    def agreeing(motion: Array) -> NDArray[np.bool_]:
        """Which pieces moved like that, with every corner: one that turned about its middle did not."""
        return np.asarray(np.hypot(*np.moveaxis(moved - motion, 2, 0)).max(1) < near)

    best: tuple[float, float, int] | None = None
    for i in np.flatnonzero(np.hypot(*centres.T) < _SMALL * side):
        agree = agreeing(centres[i])
        # Of two equal parties the one that moved less is the table.
        rank = (-float(weight[agree].sum()), float(np.hypot(*centres[i])), int(i))
        best = min(best, rank) if best is not None else rank
    if best is None or -best[0] < 0.5 * weight.sum():
        return None
    agree = agreeing(centres[best[2]])
    matrix = np.eye(3)
    for _ in range(2):
        matrix = _fitted(before[agree].reshape(-1, 2), moved[agree].reshape(-1, 2), np.repeat(sigma[agree], 4))
        closer = agreeing(Motion(matrix)(before.reshape(-1, 2)).reshape(before.shape) - before)
        if not closer.any() or (closer == agree).all():
            break
        agree = closer
    return Motion(matrix)


def _fitted(before: Array, moved: Array, sigma: Array) -> Array:
    """Shift, and as far as the points tell it a turn and a scale: least squares with a camera's usual habits."""
    centre = np.average(before, axis=0, weights=sigma**-2)
    d = before - centre
    one, none = np.ones(len(d)), np.zeros(len(d))
    # dx = tx + a x - b y, dy = ty + b x + a y
    rows = np.concatenate([np.c_[one, none, d[:, 0], -d[:, 1]], np.c_[none, one, d[:, 1], d[:, 0]]])
    w = 1 / np.r_[sigma, sigma]
    rows, right = rows * w[:, None], np.r_[moved[:, 0], moved[:, 1]] * w
    prior = np.diag([0.0, 0.0, _SIGMA_TURN**-2, _SIGMA_TURN**-2])
    tx, ty, a, b = np.linalg.solve(rows.T @ rows + prior, rows.T @ right)
    turn = np.array([[1 + a, -b], [b, 1 + a]])
    out = np.eye(3)
    out[:2, :2] = turn
    out[:2, 2] = centre + (tx, ty) - turn @ centre
    return out


def _bump(anchors: Sequence[Anchor]) -> Motion | None:
    """The large movement that most corners agree on; None where there is no such."""
    before = np.concatenate([a.before for a in anchors])
    now = np.concatenate([a.now for a in anchors])
    limit = 0.05 * float(np.sqrt(max(abs(signed_area(anchors[0].before)), 1.0)))
    least = max(5, _MOST * len(before))
    cv2.setRNGSeed(0)  # the same pieces always tell the same motion
    matrix, inliers = cv2.estimateAffinePartial2D(before, now, ransacReprojThreshold=limit)
    if matrix is not None and np.isfinite(matrix).all() and np.count_nonzero(inliers) >= least:
        return Motion(np.vstack([matrix, [0.0, 0.0, 1.0]]), bumped=True)
    if len(anchors) < 3:
        return None
    # Seen from another side.
    whole, inliers = cv2.findHomography(before, now, cv2.RANSAC, limit)
    if whole is None or not np.isfinite(whole).all() or np.count_nonzero(inliers) < least:
        return None
    return Motion(np.asarray(whole, np.float64), bumped=True)
