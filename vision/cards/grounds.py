"""Where the picture has the colours of a plain deck: places to look for cards whose outline nothing else proposed.

The board is printed in known colours, so it tells how the day's light and the camera change them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Rgb

Array = NDArray[np.float64]

_SIDE = 360  # long side of the small picture in which colours are compared
_NEAR = 17.0  # distance in a* and b* up to which a pixel has a colour
_LIGHTER, _DARKER = 34.0, 30.0  # how much lighter by glare or darker by shadow a card may be
_FULL = 0.62  # share of its box that a patch must fill
_GREATEST_GAIN = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """What light and camera make of printed colours: a gain for each channel, in linear light."""

    gain: Array

    def seen(self, rgb: Array) -> Array:
        """Printed colours (n, 3) 0..255 as this picture shows them."""
        return _encoded(_linear(rgb) * self.gain)


def estimate_light(printed: Array, seen: Array) -> Light:
    """The light from samples (n, 3) of colours as printed and as seen, 0..255; robust to a few that are covered."""
    p, s = _linear(printed), _linear(seen)
    bright = p.max(1) > 0.05
    if bright.sum() < 8:
        return Light(np.ones(3))
    ratio = (s[bright] + 0.01) / (p[bright] + 0.01)
    weight = p[bright]
    gain = np.array([_weighted_median(ratio[:, c], weight[:, c]) for c in range(3)])
    return Light(np.clip(gain, 1 / _GREATEST_GAIN / 3, _GREATEST_GAIN))


def find_coloured(rgb: Rgb, colours: Array, taken: list[Array], least_px2: float) -> list[tuple[Array, float]]:
    """Patches of a deck's ground colours that no known piece explains.

    Parameters
    ----------
    rgb
        (H, W, 3) the picture.
    colours
        (k, 3) ground colours as this picture shows them, 0..255.
    taken
        Outlines (n, 2) in px of the pieces that are known.
    least_px2
        Area that a patch must have.

    Returns
    -------
    list of (centre (2,) px, angle in rad)
        Middle and direction of the longer side of each patch, largest first.
    """
    scale = min(1.0, _SIDE / max(rgb.shape[:2]))
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), 1.0).astype(np.float32) / np.float32(255)
    lab = cv2.cvtColor(soft, cv2.COLOR_RGB2Lab)
    wanted = cv2.cvtColor((colours[None] / 255.0).astype(np.float32), cv2.COLOR_RGB2Lab)[0]
    free = np.ones(lab.shape[:2], np.uint8)
    for quad in taken:
        cv2.fillPoly(free, [np.round((quad + 0.5) * scale - 0.5).astype(np.int32)], 0)
    found: list[tuple[float, Array, float]] = []
    for colour in wanted:
        off = np.hypot(lab[..., 1] - colour[1], lab[..., 2] - colour[2])
        lighter = lab[..., 0] - colour[0]
        # glare takes the colour away as it makes light
        reach = _NEAR + 0.35 * np.maximum(lighter, 0)
        mask = ((off < reach) & (lighter < _LIGHTER) & (lighter > -_DARKER)).astype(np.uint8) & free
        size = max(3, int(0.16 * np.sqrt(least_px2) * scale) | 1)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((size, size), np.uint8)), np.uint8)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        for i in range(1, count):
            area = float(stats[i, cv2.CC_STAT_AREA]) / scale**2
            if not least_px2 < area < 8 * least_px2:
                continue
            ys, xs = np.nonzero(labels == i)
            (cx, cy), (w, h), turn = cv2.minAreaRect(np.stack([xs, ys], 1).astype(np.float32))
            if len(xs) < _FULL * (w + 1) * (h + 1):
                continue  # what is left of a card has straight sides; grain and shadows have none
            angle = np.radians(turn) + (0.0 if w >= h else np.pi / 2)
            found.append((area, (np.array([cx, cy]) + 0.5) / scale - 0.5, float(angle)))
    found.sort(key=lambda f: -f[0])
    return [(centre, angle) for _, centre, angle in found]


def _linear(rgb: Array) -> Array:
    v = np.asarray(rgb, float) / 255.0
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def _encoded(v: Array) -> Array:
    v = np.clip(v, 0, 1)
    return 255.0 * np.where(v <= 0.0031308, 12.92 * v, 1.055 * v ** (1 / 2.4) - 0.055)


def _weighted_median(values: Array, weights: Array) -> float:
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(total, total[-1] / 2))]])
