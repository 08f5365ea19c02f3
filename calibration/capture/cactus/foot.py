"""How a cactus that was photographed lying stands: on its cut end."""

from __future__ import annotations

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.signal import find_peaks
from scipy.stats import theilslopes
from shapely.geometry import Polygon

from calibration.capture.cactus.plate_edges import even

Array = NDArray[np.float64]

_CUT_SHARE = 0.05  # of a cactus' length: shorter straight ends are not where it stands
_CORNER_SHARE = 0.06  # of a cactus' length: so far from an end's corner it is looked whether the outline rises
_STRAIGHT = 0.38  # of the end's width on either side of its middle: beyond, corners are rounded
_LOW, _HIGH = 0.12, 0.4  # of the end's width above it: where its walls are told
_TRUNK = 1.5  # widths of the end: how far up its walls tell
_EDGE_PX = 2.0  # by which an end may seem higher on one side, where its side is seen
_MOST = 2.2  # times as much it is not
_USUAL = 0.75  # of cacti are so; the others stand at any angle within as much
_ANY = np.radians(40.0)
_PLUMB, _BALANCED = np.radians(1.0), np.radians(1.5)  # spreads of walls and of the middle above the end
_STEP_PX = 0.7
_FEWEST = 6
_TURNS = 5
_TIP_SHARE, _TIP_PX = 0.1, 1.5  # of its height by which an arm's end stands out, and pixels within its outline


def standing(outline: Array) -> Array:
    """A cactus on its cut end: y upward from it, x from the end's middle, in px.

    The end is a long straight piece of the outline that has all the rest high on one side, and from whose corners the
    outline rises steeply; where a line leans on a round head or an arm, it rises little by little. A cactus is rather
    tall than wide, and its arms grow upward.
    """
    few = cv2.approxPolyDP(outline.astype(np.float32)[:, None], 2.0, True)[:, 0].astype(float)
    length = _extent(outline)
    best: tuple[float, Array, Array, float] | None = None
    for p, q in zip(few, np.roll(few, -1, 0), strict=True):
        side = float(np.hypot(*(q - p)))
        if side < _CUT_SHARE * length:
            continue
        along = (q - p) / side
        up = np.array([-along[1], along[0]])
        heights = (outline - p) @ up
        if abs(heights.min()) > abs(heights.max()):
            up, heights = -up, -heights
        if heights.min() < -0.03 * length or heights.max() < 0.55 * length:
            continue
        tall = float(heights.max() / np.ptp(outline @ along))
        score = side * float(heights.max()) * tall**2 * _rise(outline, (p, q), up, _CORNER_SHARE * length)
        score *= _tips_up(outline, up)
        if best is None or score > best[0]:
            best = (score, (p + q) / 2, up, side)
    if best is None:
        middle, up = outline.max(0), np.array([0.0, -1.0])
    else:
        _, middle, up, width = best
        middle, up = _along_end(outline, middle, up, width)
    right = np.array([-up[1], up[0]])
    flat = outline - middle
    return np.stack([flat @ right, np.maximum(flat @ up, 0.0)], 1)


def _tips_up(outline: Array, up: Array) -> float:
    """How many more arms end above than below, as a ratio: 1 for a cactus without any."""
    points, _ = even(outline, _STEP_PX, 0.0)
    heights = points @ up
    around = np.concatenate([heights, heights])
    face = Polygon(outline).buffer(0)
    counts = []
    for way in (1, -1):
        tops = find_peaks(around * way, prominence=_TIP_SHARE * float(np.ptp(heights)))[0] % len(heights)
        # what the outline holds below its top is an arm; elsewhere it is the notch beside one
        within = points[np.unique(tops)] - way * _TIP_PX * up
        counts.append(int(shapely.contains_xy(face, within[:, 0], within[:, 1]).sum()))
    return (1 + counts[0]) / (1 + counts[1])


def _rise(outline: Array, ends: tuple[Array, Array], up: Array, far: float) -> float:
    """How steeply the outline leaves a straight piece at its ends, at the flatter one: 1 where upright, 0 where not."""
    steps = np.hypot(*(np.roll(outline, -1, 0) - outline).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    closed = np.concatenate([outline, outline[:1]])
    rises = []
    for end, other in (ends, ends[::-1]):
        at = along[int(np.argmin(np.hypot(*(outline - end).T)))]
        ways = [np.array([np.interp((at + d) % along[-1], along, closed[:, i]) for i in (0, 1)]) for d in (far, -far)]
        away = max(ways, key=lambda w: float(np.hypot(*(w - other))))
        rises.append(float((away - end) @ up) / far)
    return max(min(rises), 0.0)


def _along_end(outline: Array, middle: Array, up: Array, width: float) -> tuple[Array, Array]:
    """The middle of the cut end and the direction up from it, by all the outline about it."""
    points, _ = even(outline, _STEP_PX, 0.0)
    for _ in range(_TURNS):
        right = np.array([-up[1], up[0]])
        x, y = (points - middle) @ right, (points - middle) @ up
        walls = (y > _LOW * width) & (y < _HIGH * width) & (np.abs(x) < width)
        left, far = x[walls & (x < 0)], x[walls & (x > 0)]
        if len(left) and len(far):
            beside = float(np.median(left) + np.median(far)) / 2
            middle, x = middle + right * beside, x - beside
        end = (np.abs(x) < _STRAIGHT * width) & (np.abs(y) < _LOW * width)
        if np.count_nonzero(end) < _FEWEST:
            break
        slope, above = theilslopes(y[end], x[end])[:2]
        middle = middle + up * float(above)
        up = (up - float(slope) * right) / np.hypot(1.0, slope)
    up = _upright(points, middle, up, width)
    return middle, np.asarray(up)


def _upright(points: Array, middle: Array, up: Array, width: float) -> Array:
    """The direction up from an end whose own direction is told no better than its edge is.

    As a rule the walls above the end are upright, and a cactus that stands is balanced.
    """
    right = np.array([-up[1], up[0]])
    x, y = (points - middle) @ right, (points - middle) @ up
    slopes = []
    for side in (x < 0, x > 0):
        wall = side & (y > _LOW * width) & (y < _TRUNK * width) & (np.abs(x) < width)
        if np.count_nonzero(wall) >= _FEWEST:
            slopes.append(float(np.polyfit(y[wall], x[wall], 1)[0]))
    flat = np.stack([x, y], 1).astype(np.float32)
    whole = cv2.moments(flat[:, None])
    told = [(np.arctan2(whole["m10"], whole["m01"]), _BALANCED)]
    if len(slopes) == 2:
        told.append((np.arctan(np.mean(slopes)), _PLUMB))
    loose = _EDGE_PX / width
    turns = np.linspace(-_MOST * loose, _MOST * loose, 201)
    cost = 0.5 * (turns / loose) ** 2
    for turn, spread in told:
        usual = _USUAL / (spread * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((turns - turn) / spread) ** 2)
        cost = cost - np.log(usual + (1 - _USUAL) / _ANY)
    turn = float(turns[int(np.argmin(cost))])
    return np.asarray(np.cos(turn) * up + np.sin(turn) * right)


def _extent(outline: Array) -> float:
    return float(max(cv2.minAreaRect(outline.astype(np.float32))[1]))
