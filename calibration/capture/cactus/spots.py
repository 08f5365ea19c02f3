"""Spots of a table that look like pieces: what is printed on it again and again, and what least looks like one."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from calibration.capture.cactus.pieces import Found
from calibration.capture.cactus.shapes import likeness
from calibration.capture.cactus.told_faces import SURE

Array = NDArray[np.float64]

_AGAIN = 4  # alike on one photo: a game has no two pieces of one colour and shape, two copies may lie there by mistake
_ALIKE = 0.88  # likeness of two outlines from which they may be of one spot printed again
_LARGER = 1.4  # times: by how much one may look larger than another, as a camera sees them aslant
_COLOUR = 14.0  # difference in Lab up to which two may be of one colour, lit a little otherwise


def without_pattern(found: Sequence[Found]) -> tuple[list[Found], int]:
    """What lies on each photo without what is there again and again; also how many that were."""
    kept = []
    for one in found:
        again = _printed(one.traced.outer, np.reshape(one.labs, (-1, 3)))
        kept.append(one.only(np.flatnonzero(~again).tolist()))
    return kept, sum(map(len, found)) - sum(map(len, kept))


def without_unlikely(found: Sequence[Found], most: int) -> tuple[list[Found], int]:
    """What lies on each photo without as many of the least likely pieces as there are more than `most`.

    What surely is a piece stays: a piece may lie on two photos. Also the number of those that were left out.
    """
    chances = sorted(c for f in found for c in f.chances)
    more = max(0, len(chances) - most)
    unlikely = [c for c in chances[:more] if c < SURE]
    least = unlikely[-1] if unlikely else -1.0
    return [f.only([i for i, c in enumerate(f.chances) if c > least]) for f in found], len(unlikely)


def _printed(outlines: Sequence[Array], labs: Array) -> NDArray[np.bool_]:
    """(n,) whether at least `_AGAIN` on a photo are of one colour, shape and size."""
    if len(outlines) < _AGAIN:
        return np.zeros(len(outlines), np.bool_)
    area = np.log([max(cv2.contourArea(o.astype(np.float32)), 1.0) for o in outlines])
    alike = (
        (likeness(outlines) > _ALIKE)
        & (np.abs(area[:, None] - area) < np.log(_LARGER))
        & (np.linalg.norm(labs[:, None] - labs, axis=2) < _COLOUR)
    )
    _, group = connected_components(alike, directed=False)
    return np.asarray(np.bincount(group)[group] >= _AGAIN, np.bool_)
