"""Where along a line across an edge the picture's own edge lies."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.edges import DEEP_MM
from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_STEP_PX, _COARSE_STEP_PX = 0.5, 1.0  # between two samples of a profile, for a near and a far edge
_COARSE_MM = 2.0  # reach from which an edge is far
_HALF_PX = 1.0  # half the width over which the slope of a profile is measured
_NOISE = 2.5  # grey levels of a step that is nothing
_OWN_COLOUR_MM = 4.5  # reach from which a card's own colour is known to lie inside its outline
_OTHER_COLOUR = 22.0  # grey levels at which a colour is half another one
_LEAST_TRUST = 0.45  # what is left of an edge that begins at another colour: corners have frames of their own
_FARTHEST_PX = 60.0  # from an edge's place: a wild guess must not fill the memory


def edge_offsets(
    rgb: Rgb, at: Array, normal: Array, per_mm: Array, reach_mm: float, steps: Floats, rims: Floats
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """How far along its normal each point's edge lies in px, how strong it is, and whether the picture shows the place.

    NaN where no edge was found.
    """
    h, w = rgb.shape[:2]
    known = np.abs(steps).sum(1) > 0
    reach_px = reach_mm * per_mm
    deep_px = DEEP_MM[1] * per_mm
    step = _STEP_PX if reach_mm <= _COARSE_MM else _COARSE_STEP_PX
    outside = int(np.ceil(min(float(np.nanmax(reach_px, initial=1.0)), _FARTHEST_PX) / step)) + 4
    within = int(np.ceil(min(float(np.nanmax(np.maximum(reach_px, deep_px), initial=1.0)), _FARTHEST_PX) / step)) + 4
    s = np.asarray(np.arange(-within, outside + 1) * step, np.float64)
    x = (at[:, :1] + normal[:, :1] * s).astype(np.float32)
    y = (at[:, 1:] + normal[:, 1:] * s).astype(np.float32)
    inside = (at[:, 0] > 1) & (at[:, 1] > 1) & (at[:, 0] < w - 2) & (at[:, 1] < h - 2)
    inside &= np.isfinite(at).all(1) & np.isfinite(normal).all(1)
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    lines = cv2.remap(rgb, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    k = round(_HALF_PX / step)
    # three neighbouring samples are one: noise would have peaks of its own
    soft = np.asarray((lines[:, :-2] + 2 * lines[:, 1:-1] + lines[:, 2:]) / 4, np.float32)
    slope = soft[:, 2 * k :] - soft[:, : -2 * k]
    s = s[1 + k : -1 - k]
    size = np.sqrt(np.einsum("nsc,nsc->ns", slope, slope) / 3)
    if known.any():
        e = steps[known]
        length = np.sqrt((e**2).sum(1))[:, None] + 1e-6
        size[known] = (slope[known] * (e / length)[:, None, :]).sum(2) / np.sqrt(3)
    score = size * np.exp(-0.5 * (s[None] / (0.75 * reach_px[:, None])) ** 2)
    if reach_mm <= _OWN_COLOUR_MM and not known.all():
        open_ = ~known
        score[open_] *= _of_the_card(soft[open_], s, k, per_mm[open_], rims[open_])
    # only where the slope itself peaks, so that what steers the choice does not move the edge
    peak = np.zeros(size.shape, bool)
    peak[:, 1:-1] = (size[:, 1:-1] >= size[:, :-2]) & (size[:, 1:-1] >= size[:, 2:])
    score[~peak | (np.abs(s)[None] > reach_px[:, None])] = -1.0
    best = np.clip(score.argmax(1), 1, len(s) - 2)
    i = np.arange(len(best))
    a, b, c = size[i, best - 1], size[i, best], size[i, best + 1]
    curve = a + c - 2 * b
    with np.errstate(all="ignore"):
        fine = np.where(curve < 0, 0.5 * (a - c) / curve, 0.0)
    off = s[best] + np.clip(fine, -1, 1) * step
    ok = (b > _NOISE) & (score[i, best] > 0) & (b >= a) & (b >= c)
    return np.where(ok & inside, off, np.nan), b.astype(float), inside


def _of_the_card(soft: Floats, s: Array, k: int, per_mm: Array, rims: Floats) -> Floats:
    """How much each sample (n, m) of a profile is where the card's own colour ends: a shadow's edge lies beyond it."""
    depth = -s[None] / per_mm[:, None]
    deep = (depth > DEEP_MM[0]) & (depth < DEEP_MM[1])
    middle = soft[:, k : k + len(s)]
    weight = deep / np.maximum(deep.sum(1), 1)[:, None]
    own = np.minimum(np.einsum("nsc,ns->nc", middle, weight) * rims, 255)
    # just inside of the sample: a little more than half of the width over which the slope is measured
    step = float(s[1] - s[0])
    back = round((_HALF_PX + step) / step)
    before = soft[:, k - back + 1 : k - back + 1 + len(s)] if k >= back - 1 else middle
    off = before - own[:, None].astype(np.float32)
    off2 = np.einsum("nsc,nsc->ns", off, off) / 3
    return np.asarray(_LEAST_TRUST + (1 - _LEAST_TRUST) * (1 / (1 + off2 / _OTHER_COLOUR**2)), np.float32)
