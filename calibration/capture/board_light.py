"""The board's picture as bright as the cards': its coloured spaces are printed like their grounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.capture.grounds import rgb_of
from calibration.capture.lamps import linear

Array = NDArray[np.float64]

_TELLS = 0.05  # of white: from which a channel tells how bright it is
_BRIGHT, _FULL = 98, 0.95  # percentile of a picture that stays below this share of white
_LEAST = 0.5  # to which share of its light a picture is darkened at most


def as_bright_as_cards(face: NDArray[np.uint8], seen: Array, printed: Array) -> NDArray[np.uint8]:
    """The board as bright as if it lay beside the cards; its tint stays, for the cards' own lamps are no whiter.

    Parameters
    ----------
    face
        (rows, columns, 3) the board seen straight from above.
    seen, printed
        (n, 3) Lab of its spaces as they look, and of the cards' grounds of their colours.
    """
    a, b = linear(rgb_of(seen)), linear(rgb_of(printed))
    tells = (a > _TELLS) & (b > _TELLS)
    if not tells.any():
        return face
    light = linear(face.astype(float))
    room = _FULL / max(float(np.percentile(light.max(2), _BRIGHT)), 1e-3)
    gain = max(min(float(np.median(b[tells] / a[tells])), max(room, 1.0)), _LEAST)
    light = np.clip(light * gain, 0, 1)
    shown = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(shown * 255), np.uint8)
