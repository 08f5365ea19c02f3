"""Where the edge of a painted part lies along lines across it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.paint import common_paint, painted
from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]

_FAINT = 12.0  # levels of a step that is believed half
_AHEAD_PX = 0.75  # a step is the difference so far before and behind it
_BODY_PX = 1.0  # the paint is asked for so far behind the step
_CREST_PX = 1.5  # how far the steepest place may be from where the paint ends
_BEHIND_MM = 1.4  # from its edge a part shows its paint, if nothing hides it
_BRIGHT = 190.0  # level that the brightest places of a picture should reach ...
_MOST_GAIN = 5.0  # ... if its noise allows
_LEAST_REACH_PX = 1.5
_ROW = 256
_LINE = (6, 24)  # fewest and most samples on either side
_SAMPLE_PX = 0.5
_BESIDE_PX = 24  # a picture is smoothed so far about what is read of it
_RIM_PX = 4  # ... and so far about that it counts


class Soft:
    """The levels of a picture, a little smoothed, made only where they are asked for.

    Parameters
    ----------
    rgb
        (H, W, 3) the picture.
    """

    def __init__(self, rgb: Rgb) -> None:
        self.height, self.width = rgb.shape[:2]
        self._rgb = rgb
        self._levels = np.zeros(rgb.shape, np.float32)
        self._box = (0, 0, 0, 0)

    def read(self, x: Array | Floats, y: Array | Floats) -> Floats:
        """Colours at points of the picture: (n,) or (n, k) each -> (..., 3)."""
        shape = np.shape(x)
        count = int(np.prod(shape))
        rows = -(-count // _ROW)  # OpenCV reads no more than 32767 rows or columns at once
        maps = np.zeros((2, rows * _ROW), np.float32)
        maps[0, :count], maps[1, :count] = np.ravel(x), np.ravel(y)
        if count:
            self._reach(maps[:, :count])
        mx, my = maps.reshape(2, rows, _ROW)
        seen = cv2.remap(self._levels, mx, my, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.float32).reshape(-1, 3)[:count].reshape(*shape, 3)

    def _reach(self, at: Floats) -> None:
        """Smooth the picture where it is going to be read, and a little about it for the next time."""
        most = (self.width, self.height)
        low, high = (np.clip(np.nan_to_num(f.reduce(at, axis=1)), 0, most) for f in (np.fmin, np.fmax))
        x0, y0, x1, y1 = self._box
        near, far = np.maximum(low - 1, 0), np.minimum(high + 2, most)
        if x0 <= near[0] and y0 <= near[1] and x1 >= far[0] and y1 >= far[1]:
            return
        low, high = np.floor(low).astype(int) - _BESIDE_PX, np.ceil(high).astype(int) + _BESIDE_PX
        if x1 > x0:
            low, high = np.minimum(low, (x0, y0)), np.maximum(high, (x1, y1))
        (x0, y0), (x1, y1) = np.maximum(low, 0), np.minimum(high, most)
        self._box = int(x0), int(y0), int(x1), int(y1)
        rim = (max(x0 - _RIM_PX, 0), max(y0 - _RIM_PX, 0))
        part = cv2.GaussianBlur(self._rgb[rim[1] : y1 + _RIM_PX, rim[0] : x1 + _RIM_PX], (0, 0), 0.7)
        self._levels[y0:y1, x0:x1] = part[y0 - rim[1] : y1 - rim[1], x0 - rim[0] : x1 - rim[0]]


def brighten(rgb: Rgb) -> Rgb:
    """A picture taken in the dark as a longer exposure would show it."""
    high = float(np.percentile(rgb[::8, ::8].max(axis=2), 95))
    gain = min(_MOST_GAIN, _BRIGHT / max(high, 1.0))
    return rgb if gain <= 1 else cv2.convertScaleAbs(rgb, alpha=gain).astype(np.uint8)


def paints_at(soft: Soft, at_px: Array, of: Index, m: int) -> tuple[Floats, Array]:
    """The paint of each of `m` faces and the share of each that shows it: (m, 3) and (m,)."""
    colours = soft.read(at_px[:, 0], at_px[:, 1])
    found = [common_paint(colours[of == k]) for k in range(m)]
    return np.array([f[0] for f in found], np.float32).reshape(-1, 3), np.array([f[1] for f in found])


def find_steps(
    soft: Soft, at: Array, across: Array, reach_px: float, paint: Floats, is_painted: Mask
) -> tuple[Array, Array]:
    """How far along `across` the picture's edge lies from `at`, and how far to trust it.

    Parameters
    ----------
    soft
        The picture.
    at, across
        (n, 2) where an edge should be, and its outward unit normal.
    reach_px
        How far from there it is looked for.
    paint
        (n, 3) what lies behind the edge.
    is_painted
        (n,) whether that paint must be there; elsewhere any step will do.

    Returns
    -------
    tuple of ndarray
        (n,) offsets in px and (n,) trust from 0 to 1.
    """
    if not (np.isfinite(reach_px) and np.isfinite(at).all() and np.isfinite(across).all()):
        return np.zeros(len(at)), np.zeros(len(at))  # nothing is seen of what stands nowhere
    reach_px = max(reach_px, _LEAST_REACH_PX)
    half = int(np.clip(np.ceil(reach_px / _SAMPLE_PX), *_LINE))
    step = reach_px / half
    ahead, body = max(1, round(_AHEAD_PX / step)), max(1, round(_BODY_PX / step))
    pad = ahead + body
    count = 2 * half + 1
    t = (np.arange(-half - pad, half + pad + 1) * step).astype(np.float32)
    x = at[:, :1].astype(np.float32) + across[:, :1].astype(np.float32) * t
    y = at[:, 1:].astype(np.float32) + across[:, 1:].astype(np.float32) * t
    colours = soft.read(x, y)
    change = colours[:, pad + ahead : pad + ahead + count] - colours[:, pad - ahead : pad - ahead + count]
    size = np.sqrt(np.einsum("ijk,ijk->ij", change, change))
    belief = painted(colours[:, : pad - ahead + count], paint[:, None])
    behind = np.minimum(belief[:, :count], belief[:, pad - ahead :])
    behind[~is_painted] = 1
    score = size * behind * np.exp(-0.5 * (t[pad : pad + count] / (0.6 * reach_px)) ** 2)
    best = np.clip(score.argmax(axis=1), 1, count - 2)
    strength = (size * behind)[np.arange(len(at)), best].astype(np.float64)
    off = (_summit(score, best) - half) * step
    # The belief in the paint ends a little before its edge, alike all around: by how much, the steepest places say.
    steepest = (_summit(size, _climb(size, best, max(1, round(_CREST_PX / step)))) - half) * step
    off[is_painted] += weighted_median((steepest - off)[is_painted], strength[is_painted])
    w, h = soft.width, soft.height
    shown = (x.min(axis=1) > 0) & (y.min(axis=1) > 0) & (x.max(axis=1) < w - 1) & (y.max(axis=1) < h - 1)
    trust = strength**2 / (strength**2 + _FAINT**2) * (shown & (np.abs(off) < 0.97 * reach_px))
    return off, trust


def paint_behind(soft: Soft, at: Array, across: Array, per_mm: Array, paint: Floats) -> Floats:
    """Belief 0 to 1 that the paint is seen a little behind each point of an edge; see `find_steps`.

    Parameters
    ----------
    per_mm
        (n,) px to a mm across the edge.
    """
    behind = at - across * (_BEHIND_MM * per_mm)[:, None]
    return painted(soft.read(behind[:, 0], behind[:, 1]), paint)


def weighted_median(values: Array, weights: Array) -> float:
    """The value with half of the weight below it; 0 where there is no weight."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    if not len(values) or total[-1] <= 0:
        return 0.0
    return float(values[order][np.searchsorted(total, total[-1] / 2)])


def _climb(size: Floats, at: Index, most: int) -> Index:
    """From `at` to the nearest steepest place of each row, at most so many samples on."""
    row = np.arange(len(size))
    for _ in range(most):
        here, left, right = (size[row, at + k] for k in (0, -1, 1))
        at = at + np.where((right > here) & (right >= left), 1, np.where(left > here, -1, 0))
        at = np.clip(at, 1, size.shape[1] - 2)
    return at


def _summit(values: Floats, at: Index) -> Array:
    """Where between the samples each row of `values` is highest near `at`."""
    row = np.arange(len(values))
    a, b, c = (values[row, at + k].astype(np.float64) for k in (-1, 0, 1))
    bend = a - 2 * b + c
    return np.asarray(at + np.where(bend < -1e-6, np.clip(0.5 * (a - c) / np.minimum(bend, -1e-6), -0.5, 0.5), 0.0))
