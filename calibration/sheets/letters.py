"""Words as outlines: a program that cuts or engraves has no font to draw them with."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from skimage.measure import approximate_polygon, find_contours

from calibration.art.paths import Points

_PX = 64
"""Height of the letters while they are drawn; so many pixels are the size of the font."""
_RIM_PX = 4
_OFF_PX = 0.5
"""An outline is off by no more than this."""


def outlines(words: str, x_mm: float, foot_mm: float, size_mm: float) -> list[Points]:
    """Closed outlines of a line of words, holes too, for filling by the even-odd rule.

    Parameters
    ----------
    words
        What is written; accents are left out, and a letter that the font does not have is a box.
    x_mm, foot_mm
        Where the line begins, and the y on which its letters stand, y down.
    size_mm
        Size of the font.

    Returns
    -------
    list of (n, 2) arrays in mm.
    """
    scale = size_mm / _PX
    plain = "".join(c for c in unicodedata.normalize("NFKD", words) if not unicodedata.combining(c))
    return [line * scale + (x_mm, foot_mm) for line in _drawn(plain)]


@lru_cache(maxsize=256)
def _drawn(words: str) -> tuple[Points, ...]:
    """The outlines in pixels, from the beginning of the line and the foot of its letters."""
    font = ImageFont.load_default(_PX)
    left, top, right, bottom = (int(v) for v in font.getbbox(words, anchor="ls"))
    if right <= left or bottom <= top:
        return ()
    corner = (left - _RIM_PX, top - _RIM_PX)
    picture = Image.new("L", (right - left + 2 * _RIM_PX, bottom - top + 2 * _RIM_PX))
    ImageDraw.Draw(picture).text((-corner[0], -corner[1]), words, 255, font, anchor="ls")
    return tuple(
        approximate_polygon(line, _OFF_PX)[:-1, ::-1] + corner for line in find_contours(np.asarray(picture), 127.5)
    )
