"""Where along a rough outline a laid piece's face ends, told by a small network to a fraction of a pixel.

What is seen across an outline is laid out beside one another, place by place along it. `tests/training/train_rims.py`
teaches the network, with drawn plates on drawn tables, which of the lines in it is the rim: rounded, bright on one side
and dark on the other, beside a side and a shadow of any colour.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.plate_edges import STEP, sampled
from vision.network import session

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MODEL = Path(__file__).parents[2] / "models" / "rims.onnx"
EVERY = 1.0
"""Pixels between two places along an outline."""
INSIDE, OUTSIDE = 10.0, 10.0
"""What is seen across it, in px."""
SAMPLES_ACROSS = round((INSIDE + OUTSIDE) / STEP) + 1
"""... in so many samples."""
SMOOTH = 0.6
"""Pixels over which an outline is smoothed before."""
LONGEST_SIDE = 20.0
"""A piece's side of so many pixels is as long as any."""
ROUND = 32
"""Places of a closed outline that are shown again at its ends."""


def strip(picture: Floats, table: Floats, points: Array, normals: Array, sides: Array) -> Floats:
    """(10, n, k) what is seen across an outline, in 0..1: the picture, the table, the face's colour, and the side.

    Parameters
    ----------
    picture, table
        (h, w, 3) RGB 0..1, and as it would be with nothing on the table.
    points, normals
        (n, 2) places along the outline and their directions outward.
    sides
        (n, 2) px from the upper rim to the lower one at each place, as far as is known.
    """
    seen, bare = (sampled(one, points, normals, OUTSIDE, INSIDE) for one in (picture, table))
    inner = seen[:, : round((INSIDE - 2) / STEP)].reshape(-1, 3)
    face = np.broadcast_to(np.median(inner, 0), seen.shape)
    width = (sides * normals).sum(1) / (2 * LONGEST_SIDE) + 0.5
    out = np.dstack([seen, bare, face, np.broadcast_to(width[:, None, None], (*seen.shape[:2], 1))])
    return np.ascontiguousarray(np.clip(out, 0, 1).transpose(2, 0, 1), np.float32)


def told_offsets(shown: Floats, model: Path = MODEL) -> tuple[Array, Array]:
    """How far outward the rim lies at each place (n,) of a closed outline, in px, and how doubtful (n,) that is."""
    n = shown.shape[1]
    around = np.take(shown, np.arange(-ROUND, n + ROUND), axis=1, mode="wrap")
    told = session(model).run(["rim"], {"strip": np.ascontiguousarray(around)[None]})[0][0, :, ROUND : ROUND + n]
    return np.asarray(told[0], np.float64), np.exp(np.asarray(told[1], np.float64))
