"""Numbers in a typeface of the computer's, for decks that are drawn to be learned from photographs."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from calibration.art.canvas import Colour

_LARGE = 160


@lru_cache(maxsize=4)
def _typeface(path: Path) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), _LARGE)


def lettered(path: Path, value: int, colour: Colour, share: float) -> Any:
    """The number as a square RGBA picture (premultiplied, 0 to 1 in alpha), `share` of which is a digit's height.

    Raises
    ------
    OSError
        If there is no such typeface.
    """
    font = _typeface(path)
    text = str(value)
    left, top, right, bottom = (round(v) for v in font.getbbox(text))
    tall = max(font.getbbox(c)[3] - font.getbbox(c)[1] for c in text)
    side = max(round(tall / share), right - left + 8, bottom - top + 8)
    image = Image.new("L", (side, side))
    ImageDraw.Draw(image).text(
        ((side - (right - left)) / 2 - left, (side - (bottom - top)) / 2 - top), text, fill=255, font=font
    )
    m = np.asarray(image, np.float32)[..., None] / 255
    return np.concatenate([m * np.asarray(colour, np.float32), m], axis=2)
