"""Whether what a person points at as white can be white: held against the deck in the same light, or its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.daylight import Light
from calibration.shades import Shade
from vision.types import Rgb

Array = NDArray[np.float64]


class Doubt(StrEnum):
    """What speaks against a white; `NONE` where nothing does.

    `TINTED` is certain, by what the deck shows, and so is `DARK`: much of the picture is far brighter. Of the others
    nobody knows: `WHITER` where something in the picture is brighter in every colour and of another tint, `COLOURED`
    where it is coloured, as the light may be.
    """

    NONE = ""
    TINTED = "tinted"
    DARK = "dark"
    WHITER = "whiter"
    COLOURED = "coloured"


_TINTED_WHITE, _TINTED_SHADES = 1.14, 1.3
"""By so much a white's own tint may differ from that of the deck's white, or from what the deck's colours say."""
_COLOURED = 1.2
_CLIPPED = 0.3
"""Share of the cards' white at the sensor's end above which its tint tells nothing."""
_WHITER, _LEAST_SHARE = 1.12, 0.004
_FAR_BRIGHTER, _DARK_SHARE = 1.6, 0.02
_SMALL_PX = 200
_BRIGHT = 60.0
"""A colour of the deck tells the light in the channels in which it is brighter."""


def doubt_of(rgb: Rgb, light: Light, cards: Light | None, shades: Sequence[Shade]) -> Doubt:
    """What speaks against that white.

    Parameters
    ----------
    rgb
        The picture.
    light
        What was pointed at.
    cards
        What is printed white on the cards in the same light, or None.
    shades
        The deck's colours in the same light.
    """
    white = np.array(light.white)
    if cards is not None and cards.clipped <= _CLIPPED:
        return Doubt.TINTED if _tint(white, np.array(cards.white)) > _TINTED_WHITE else Doubt.NONE
    told = white_by(shades)
    if told is not None:
        return Doubt.TINTED if _tint(white, told) > _TINTED_SHADES else Doubt.NONE
    if _whiter_share(rgb, white, _FAR_BRIGHTER) > _DARK_SHARE:
        return Doubt.DARK
    if _whiter_share(rgb, white) > _LEAST_SHARE:
        return Doubt.WHITER
    return Doubt.COLOURED if _tint(white, np.full(3, 255.0)) > _COLOURED else Doubt.NONE


def white_by(shades: Sequence[Shade]) -> Array | None:
    """White as the deck's colours let expect it: red, green and blue; None where too few tell."""
    known, seen = np.array([s.known for s in shades]), np.array([s.seen for s in shades])
    if len(shades) < 2:
        return None
    told = known >= _BRIGHT
    if (told.sum(0) < 2).any():
        return None
    return np.array([255 * np.median(seen[told[:, c], c] / known[told[:, c], c]) for c in range(3)])


def _tint(a: Array, b: Array) -> float:
    """How differently two colours are tinted, whatever their brightness; 1 where they are not."""
    ratio = np.maximum(a, 1.0) / np.maximum(b, 1.0)
    return float(ratio.max() / ratio.min())


def _whiter_share(rgb: Rgb, white: Array, brighter: float = 0.95) -> float:
    """Share of the picture that is so many times as bright in every colour, and tinted otherwise."""
    small = rgb
    scale = _SMALL_PX / max(rgb.shape[:2])
    if scale < 1:
        small = np.asarray(cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    ratio = np.maximum(small.reshape(-1, 3), 1.0) / np.maximum(white, 1.0)
    low, high = ratio.min(1), ratio.max(1)
    return float(((low > brighter) & (high > _WHITER * low)).mean())
