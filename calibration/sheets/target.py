"""The printed calibration target: a ChArUco board, the same on every paper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

COLUMNS, ROWS = 6, 9
SQUARE_MM, MARKER_MM = 27.0, 18.0
SIZE_MM = (COLUMNS * SQUARE_MM, ROWS * SQUARE_MM)
_MODULES = 6  # cells of a marker's side, its black border included


@cache
def board() -> cv2.aruco.CharucoBoard:
    """The board as OpenCV knows it, in mm from its top-left corner, y down."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), SQUARE_MM, MARKER_MM, dictionary)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A black rectangle of the target: left, top, width and height in mm from the board's top-left corner."""

    x: float
    y: float
    width: float
    height: float


def black_rectangles() -> tuple[Rectangle, ...]:
    """What is black on the target, exactly: the dark squares and the dark cells of the markers."""
    out = []
    for row in range(ROWS):
        for column in range(COLUMNS):
            if (row + column) % 2 == 0:
                out.append(Rectangle(column * SQUARE_MM, row * SQUARE_MM, SQUARE_MM, SQUARE_MM))
    dictionary = board().getDictionary()
    cell = MARKER_MM / _MODULES
    for number, corners in zip(np.ravel(board().getIds()), board().getObjPoints(), strict=True):
        left, top = (float(v) for v in np.min(np.asarray(corners), axis=0)[:2])
        bits = dictionary.generateImageMarker(int(number), _MODULES)
        for r in range(_MODULES):
            c = 0
            while c < _MODULES:
                run = c
                while run < _MODULES and bits[r, run] == 0:
                    run += 1
                if run > c:
                    out.append(Rectangle(left + c * cell, top + r * cell, (run - c) * cell, cell))
                c = max(run, c + 1)
    return tuple(out)


def target_picture(px_per_mm: float, margin_mm: float = 12.0) -> NDArray[np.uint8]:
    """The target as a grey picture with a white margin; for previews and for tests.

    Returns
    -------
    (H, W) uint8; pixel (i, j) shows the point ((j + 0.5) / px_per_mm - margin_mm, ...) of the board.
    """
    fine = 4
    scale = px_per_mm * fine
    w, h = (round((s + 2 * margin_mm) * px_per_mm) * fine for s in SIZE_MM)
    picture = np.full((h, w), 255, np.uint8)
    for r in black_rectangles():
        x0, x1 = (round((x + margin_mm) * scale) for x in (r.x, r.x + r.width))
        y0, y1 = (round((y + margin_mm) * scale) for y in (r.y, r.y + r.height))
        picture[y0:y1, x0:x1] = 0
    return np.asarray(cv2.resize(picture, (w // fine, h // fine), interpolation=cv2.INTER_AREA), np.uint8)
