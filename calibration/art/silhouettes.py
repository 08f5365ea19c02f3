"""Outlines put together from bars, discs and smooth patches, as one closed line in millimetres, y up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from skimage.measure import approximate_polygon, find_contours

from calibration.art.paths import Points, circle, smooth

_PX_PER_MM = 16.0
_HALF_MM = 62.0
_EVEN_MM = 0.08
_SMOOTH_MM = 0.28
_STEP_MM = 0.02
"""How far the written line may be from the drawn edge."""

At = tuple[float, float]


@dataclass(slots=True, eq=False)
class Silhouette:
    """A shape in the making, round its origin or upward from it; parts are added to it or taken away."""

    low_mm: float = -_HALF_MM
    _mask: NDArray[np.uint8] = field(init=False)

    def __post_init__(self) -> None:
        side = round(2 * _HALF_MM * _PX_PER_MM)
        self._mask = np.zeros((side, side), np.uint8)

    def _px(self, points: Points) -> NDArray[np.int32]:
        p = (np.asarray(points, float) - [-_HALF_MM, self.low_mm]) * _PX_PER_MM
        return np.round(p * 16).astype(np.int32)

    def patch(self, points: Sequence[At] | Points, rounded: bool = True, away: bool = False) -> Silhouette:
        """A closed area: through the points in curves, or with straight sides."""
        line = smooth(points) if rounded else np.asarray(points, float)
        cv2.fillPoly(self._mask, [self._px(line)], 0 if away else 255, cv2.LINE_8, 4)
        return self

    def disc(self, x: float, y: float, r: float, away: bool = False) -> Silhouette:
        """A disc."""
        return self.patch(circle(x, y, r, 120), False, away)

    def bar(self, points: Sequence[At] | Points, width: float, away: bool = False, rounded: bool = False) -> Silhouette:
        """A line of some width with round ends, straight from point to point or in curves."""
        line = smooth(points, closed=False) if rounded else np.asarray(points, float)
        thin = np.full(self._mask.shape, 255, np.uint8)
        cv2.polylines(thin, [self._px(line)], False, 0, 1, cv2.LINE_8, 4)
        far = cv2.distanceTransform(thin, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
        self._mask[far < width / 2 * _PX_PER_MM] = 0 if away else 255
        return self

    def soften(self, mm: float) -> Silhouette:
        """Round what is sharp, inside and outside, to about that radius."""
        r = mm * _PX_PER_MM
        for grow, shrink in ((0, 255), (255, 0)):  # first close what is narrow, then open
            near = cv2.distanceTransform(
                np.where(self._mask == grow, 255, 0).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE
            )
            self._mask[near <= r] = shrink
            near = cv2.distanceTransform(
                np.where(self._mask == shrink, 255, 0).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE
            )
            self._mask[near <= r] = grow
        return self

    def above(self, y: float) -> Silhouette:
        """Cut off what is below a height."""
        self._mask[: round((y - self.low_mm) * _PX_PER_MM)] = 0
        return self

    def outline(self, centred: bool = True) -> list[list[float]]:
        """Its outer edge, counter-clockwise, (x, y) in mm to a hundredth; the middle of its area at (0, 0) if asked.

        Raises
        ------
        ValueError
            If it is in several parts.
        """
        soft = cv2.GaussianBlur(self._mask.astype(np.float32), (0, 0), 2.6)
        lines = sorted(find_contours(soft, 127.5), key=len)
        outer = np.asarray(lines[-1])[:, ::-1]
        if any(
            cv2.pointPolygonTest(outer.astype(np.float32), tuple(map(float, r[0, ::-1])), False) < 0 for r in lines[:-1]
        ):
            raise ValueError("a shape must be in one part")
        points = (outer + 0.5) / _PX_PER_MM + [-_HALF_MM, self.low_mm]
        points = np.asarray(approximate_polygon(_smoothed(points[:-1]), _STEP_MM))[:-1]
        x, y = points.T
        cross = x * np.roll(y, -1) - y * np.roll(x, -1)
        if cross.sum() < 0:
            points = points[::-1]
            x, y = points.T
            cross = x * np.roll(y, -1) - y * np.roll(x, -1)
        if not centred:
            points = np.column_stack([points[:, 0], np.where(points[:, 1] < 0.15, 0.0, points[:, 1])])
        else:
            m = [((v + np.roll(v, -1)) * cross).sum() / (3 * cross.sum()) for v in (x, y)]
            points = points - m
        return [[round(float(a), 2) + 0.0, round(float(b), 2) + 0.0] for a, b in points]


def _smoothed(points: Points) -> Points:
    """A closed line without the steps of pixels, its first point repeated at its end."""
    ring = np.vstack([points, points[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    even = np.arange(0, along[-1], _EVEN_MM)
    dense = np.column_stack([np.interp(even, along, ring[:, k]) for k in (0, 1)])
    soft = np.asarray(gaussian_filter1d(dense, _SMOOTH_MM / _EVEN_MM, axis=0, mode="wrap"))
    return np.vstack([soft, soft[:1]])
