"""Digits drawn as lines, so that no font is needed."""

from __future__ import annotations

import numpy as np

from calibration.art.paths import moved, path
from calibration.art.symbols import Symbol

_DIGITS = {
    "0": "M 0,-50 C 40,-50 40,50 0,50 C -40,50 -40,-50 0,-50 Z",
    "1": "M -18,-30 C -8,-34 0,-40 4,-50 L 4,50 M -16,50 L 24,50",
    "2": "M -27,-24 C -27,-60 29,-60 29,-22 C 29,4 -12,22 -29,50 L 31,50",
    "3": "M -26,-38 C -12,-56 27,-56 27,-26 C 27,-6 8,-4 -6,-4 C 10,-4 30,2 30,24 C 30,58 -16,58 -29,36",
    "4": "M 13,50 L 13,-50 L -31,20 L 33,20",
    "5": "M 25,-50 L -19,-50 L -23,-6 C -8,-20 31,-18 31,16 C 31,56 -14,58 -29,38",
    "6": "M 19,-50 C -12,-38 -29,-8 -29,17 C -29,61 30,61 30,18 C 30,-20 -20,-20 -29,17",
    "7": "M -29,-50 L 29,-50 C 8,-16 -4,16 -9,50",
    "8": "M 0,-4 C -32,-10 -32,-50 0,-50 C 32,-50 32,-10 0,-4 C -38,2 -40,51 0,51 C 40,51 38,2 0,-4",
    "9": "M -19,50 C 12,38 29,8 29,-17 C 29,-61 -30,-61 -30,-18 C -30,20 20,20 29,-17",
}
_ADVANCE = {"1": 62.0}


def numeral(value: int, weight: float = 17.0, underline: bool | None = None) -> Symbol:
    """The number as one symbol, about 120 units high and centred.

    Parameters
    ----------
    weight
        Thickness of the lines.
    underline
        Draw a line under it; by default where the number can be read upside down as another (6 and 9).
    """
    text = str(value)
    if underline is None:
        underline = text in ("6", "9")
    widths = [_ADVANCE.get(c, 82.0) for c in text]
    x = -sum(widths) / 2
    bold = []
    for c, w in zip(text, widths, strict=True):
        bold += [(moved(p, x + w / 2), weight) for p in path(_DIGITS[c])]
        x += w
    if underline:
        bold.append((np.array([[-30.0, 82.0], [30.0, 82.0]]), weight * 0.7))
    return Symbol(bold=tuple(bold))
