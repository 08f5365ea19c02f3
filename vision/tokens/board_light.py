"""The light of a board's picture: a photographed board lies darker than the cards, and pawns' colours are not its."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

_INNER = 0.6  # of a space, where its colour is told
_LEAST = 3  # spaces that tell a light
_LEAST_GAIN, _MOST = 1.08, 3.0  # a light that differs by less is the same
_BRIGHT = 98  # percentile of the picture that stays below white
_WHITE = 250.0


def as_bright_as_cards(
    picture: Picture, side_mm: float, spaces: Sequence[tuple[Array, tuple[int, int, int]]]
) -> Picture:
    """The board's picture no darker than the cards: its coloured spaces are printed like their grounds.

    Parameters
    ----------
    picture
        (n, n, 3) RGB.
    side_mm
        Side of the board.
    spaces
        Outline (k, 2) in mm and the colour of the cards of each coloured space.

    Returns
    -------
    (n, n, 3) RGB; the picture itself where it is not darker, or its light cannot be told.
    """
    seen, want = [], []
    for region, colour in spaces:
        inner = (region.mean(0) + _INNER * (region - region.mean(0))) / side_mm * len(picture)
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillPoly(mask, [inner.round().astype(np.int32)], 1)
        if mask.any():
            seen.append(np.median(picture[mask > 0], axis=0))
            want.append(np.array(colour, float))
    if len(seen) < _LEAST:
        return picture
    a, b = np.array(seen), np.array(want)
    # a bright channel tells the light, a dark one mostly shine; the tint stays, for the cards' lamp is no whiter
    gain = float((a * b).sum() / max((a * a).sum(), 1))
    room = _WHITE / max(float(np.percentile(picture.max(2), _BRIGHT)), 1)
    gain = min(gain, room, _MOST)
    return picture if gain < _LEAST_GAIN else np.asarray(np.clip(np.round(picture * gain), 0, 255), np.uint8)
