"""The 2 of a card's silver +2, whatever the sign is printed on: it is read as a digit, either way up."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.digits import framed, probabilities

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_WIDE = 240  # columns in which the digit is looked for
_SOFT = 1.2  # of those, by which print is softened
_RANGE, _CONTRAST, _LEVELS = (1.0, 99.0), 12.0, 6  # at how many levels of each channel ink is looked for
_TALL, _BROAD, _FILL = (0.1, 0.6), (0.35, 1.1), 0.15  # a digit's height, its width and ink as shares
_SEEN = 3  # levels that must agree
_TWO = 2


def two_either_way(part: NDArray[np.uint8]) -> Array:
    """(2,) how surely a 2 stands right of the middle of a part (rows, columns, 3) of a card: as it is, on its head."""
    scale = _WIDE / part.shape[1]
    lab = cv2.cvtColor(
        np.asarray(cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8),
        cv2.COLOR_RGB2LAB,
    )
    blots = [blot for channel in range(3) for blot in _blots(np.asarray(lab[..., channel], np.uint8))]
    out = np.zeros(2)
    for way, side in enumerate((1, -1)):
        seen = [framed(np.ascontiguousarray(np.rot90(ink, 2 * way))) for ink, off in blots if side * off > 0]
        pictures = [one for one in seen if one is not None]
        if len(pictures) >= _SEEN:
            out[way] = float(np.sort(probabilities(np.stack(pictures))[:, _TWO])[-_SEEN:].mean())
    return out


def _blots(grey: NDArray[np.uint8]) -> list[tuple[Floats, float]]:
    """Everything of a digit's size that ends within a part: its ink, and how far right of the middle it stands, px."""
    h, w = grey.shape
    soft = cv2.GaussianBlur(grey, (0, 0), _SOFT)
    low, high = np.percentile(soft, _RANGE)
    out: list[tuple[Floats, float]] = []
    if high - low < _CONTRAST:
        return out
    for level in np.linspace(low, high, _LEVELS + 2)[1:-1]:
        for ink in (soft > level, soft < level):
            count, labels, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=4)
            for i in range(1, count):
                x, y, wide, tall, area = (int(v) for v in stats[i])
                ends = x > 0 and y > 0 and x + wide < w and y + tall < h
                fits = _TALL[0] < tall / h < _TALL[1] and _BROAD[0] < wide / tall < _BROAD[1]
                if ends and fits and area >= _FILL * wide * tall:
                    mask = np.pad((labels[y : y + tall, x : x + wide] == i).astype(np.float32), 1)
                    smooth = cv2.GaussianBlur(mask, (0, 0), max(0.5, tall / 60))
                    out.append((np.asarray(smooth, np.float32), x + wide / 2 - w / 2))
    return out
