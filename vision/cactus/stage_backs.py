"""Cacti that show their backs: the mirror image of an outline, turned round."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusLook, CactusSet
from vision.cactus.upright import Rigid

Array = NDArray[np.float64]

_GRID_MM = 0.5
_ALIKE = 0.95  # overlap from which an outline is its own mirror image

AROUND = np.diag([-1.0, 1.0, -1.0])
"""Half a turn about the upright."""


@lru_cache(maxsize=4)
def with_backs(cactus_set: CactusSet) -> CactusSet:
    """The set with the backs of its cacti after their fronts, except where one looks like the other."""
    backs = tuple(
        CactusLook(c.id, c.outline_mm * [-1.0, 1.0], c.rgb) for c in cactus_set.cacti if not _symmetric(c.outline_mm)
    )
    return replace(cactus_set, cacti=cactus_set.cacti + backs)


def turned(pose: Rigid) -> Rigid:
    """The pose of a back from that of its front, and the other way round."""
    return Rigid(np.asarray(pose.R @ AROUND, np.float64), pose.t)


def shows_back(pose: Rigid) -> bool:
    """Whether a cactus in that pose turns its back to the camera."""
    return float(pose.R[:, 2] @ pose.t) > 0


def _symmetric(outline_mm: Array) -> bool:
    """Whether an outline covers its mirror image about the middle of its base."""
    reach = float(np.abs(outline_mm[:, 0]).max())
    size = (int(outline_mm[:, 1].max() / _GRID_MM) + 2, int(2 * reach / _GRID_MM) + 2)
    seen = []
    for side in (1.0, -1.0):
        picture = np.zeros(size, np.uint8)
        at = (outline_mm * [side, 1.0] + [reach, 0.0]) / _GRID_MM
        cv2.fillPoly(picture, [np.rint(at).astype(np.int32)], 1)
        seen.append(picture > 0)
    return float((seen[0] & seen[1]).sum() / max(1, (seen[0] | seen[1]).sum())) > _ALIKE
