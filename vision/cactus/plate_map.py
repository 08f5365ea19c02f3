"""Where a picture shows the painted face of a thin plate, by a small network that has seen no set anyone plays with.

Every paint of a set may also be that of a wall, a cloth or a box. What tells a plate from those is its even face with
a thin rim and the shadow behind it: `tests/training` teaches that with paints and grounds that change from picture to
picture, so colours mean nothing to it.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.network import session
from vision.types import Rgb

Chances = NDArray[np.uint8]

MODEL = Path(__file__).parents[1] / "models" / "plates.onnx"
_PER_MM = 1.0
"""Pixels of a millimetre that the network looks at."""
_STEP_PX = 32
"""Its pictures' sides are whole numbers of so many pixels."""


def estimate_plates(rgb: Rgb, px_mm: float, model: Path = MODEL) -> Chances:
    """Probability that each pixel shows a plate's face.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture, or a part of it.
    px_mm
        Pixels of a millimetre at the plates.
    model
        The network.

    Returns
    -------
    (h, w) uint8
        The probability, 255 for 1.
    """
    height, width = rgb.shape[:2]
    by = min(_PER_MM / px_mm, 1.0)
    h, w = (max(_STEP_PX, round(n * by / _STEP_PX) * _STEP_PX) for n in (height, width))
    small = cv2.resize(rgb, (w, h), interpolation=cv2.INTER_AREA if by < 1 else cv2.INTER_LINEAR)
    x = small.astype(np.float32).transpose(2, 0, 1)[None] / np.float32(255)
    odds = session(model, threads=1).run(["plates"], {"rgb": x})[0][0, 0]
    chance = np.float32(255) / (1 + np.exp(-np.clip(odds, -20, 20)))
    return np.asarray(cv2.resize(chance.astype(np.uint8), (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)
