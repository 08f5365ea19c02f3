"""What is printed alike on all cards: pictures of how much is printed where, and how one of them fits the usual one.

Such a picture is the same in any light, so cards of which neither the light nor the place is known are told by it.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_INSET = 0.06  # of the width: nearer to the rim the edge tells where a card lies, not the print
_FINE = 0.09  # of the width: what changes within it is print, what changes slower is light
_LIGHTNESS = 0.6  # weight of lightness against colour
_FULL = 90  # per cent of a card that has less ink than what counts as full
_STEPS, _EPS = 60, 1e-4


def inked(seen: NDArray[Any], margin: int = 0) -> Floats:
    """How much is printed where in a picture of a card with a margin of so many pixels, 0 to 1."""
    lab = cv2.cvtColor(seen.astype(np.float32) / np.float32(255), cv2.COLOR_RGB2Lab)
    soft = cv2.GaussianBlur(lab, (0, 0), _FINE * (seen.shape[1] - 2 * margin), borderType=cv2.BORDER_REPLICATE)
    fine = lab - soft
    ink = np.linalg.norm(fine * np.array([_LIGHTNESS, 1, 1], np.float32), axis=2)
    ink = np.asarray(cv2.GaussianBlur(np.asarray(ink, np.float32), (0, 0), 1.0), np.float32)
    return np.asarray(np.minimum(ink / max(float(np.percentile(inner(ink, margin), _FULL)), 1.0), 1), np.float32)


def inner(ink: Floats, margin: int = 0) -> Floats:
    """What lies within a card's rim, in a picture with a margin."""
    edge = inset(ink, margin)
    return np.ascontiguousarray(ink[edge:-edge, edge:-edge])


def inset(ink: Floats, margin: int = 0) -> int:
    """How many pixels of a picture with a margin lie outside of the card or on its rim."""
    return margin + round(_INSET * (int(ink.shape[1]) - 2 * margin))


def ink_of(face: Rgb, width: int) -> Floats:
    """How much is printed where on a card cut out upright, in so many columns, whatever the light; without its rim."""
    size = (width, round(width * face.shape[0] / face.shape[1]))
    return inner(inked(np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_AREA))))


def likeness(a: Floats, b: Floats) -> float:
    """How alike two pictures of one size are, -1 to 1."""
    return float(cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED)[0, 0])


def fitted(ink: Floats, usual: Floats, start: Array) -> tuple[float, Array]:
    """How alike a picture is to the usual one where it fits best, and the map (2, 3) from the usual one to it.

    `start` is the map to begin with; where nothing fits the likeness is 0.
    """
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _STEPS, _EPS)
    try:
        _, found = cv2.findTransformECC(usual, ink, start.astype(np.float32), cv2.MOTION_AFFINE, stop)
    except cv2.error:
        return 0.0, start
    flags, size = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, (usual.shape[1], usual.shape[0])
    there = cv2.warpAffine(ink, found, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return likeness(np.asarray(there, np.float32), usual), np.asarray(found, float)
