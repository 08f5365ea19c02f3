"""Rims of flat plates' upper faces, to a fraction of a pixel, from rough outlines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.plate_edges import even
from calibration.capture.cactus.plate_forms import simple
from calibration.capture.cactus.plate_view import PlateView, Traced
from calibration.capture.cactus.rim_net import EVERY, SMOOTH, strip, told_offsets

Array = NDArray[np.float64]

_LOOKS = 2
"""So often a rim is looked at, each time from nearer to it."""


def refine_rims(traced: Traced, view: PlateView, starts: Sequence[Array]) -> list[Array]:
    """Outlines (n, 2) in px of the upper faces, from rough ones."""
    return [simple(_told(traced, view, o)[0]) for o in starts]


def clearest(traced: Traced, view: PlateView, rims: Sequence[Array]) -> Array:
    """Of rough outlines (n, 2) of one face that from which its rim is told with the least doubt."""
    return min(rims, key=lambda r: _told(traced, view, r)[1])


def _told(traced: Traced, view: PlateView, rim: Array) -> tuple[Array, float]:
    """A rim (n, 2), and its doubt (px), as a rule."""
    doubt = np.zeros(0)
    for _ in range(_LOOKS):
        points, normals = even(rim, EVERY, SMOOTH)
        off, doubt = told_offsets(strip(traced.rgb, traced.bare, points, normals, view.side(points)))
        rim = points + normals * off[:, None]
    return rim, float(doubt.mean())
