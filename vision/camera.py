"""The camera as a lens: focal length, centre and radial distortion."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_EXACT = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 100, 1e-12)
"""OpenCV's own five turns leave half a pixel in the corners of a wide lens; each turn costs next to nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraModel:
    """Pinhole camera with OpenCV's distortion model.

    Parameters
    ----------
    size_px
        Width and height of the pictures that the numbers belong to.
    K
        (3, 3) intrinsic matrix in pixels.
    dist
        (5,) distortion coefficients k1, k2, p1, p2, k3 of OpenCV's model.
    """

    size_px: tuple[int, int]
    K: Array
    dist: Array

    def undistort(self, points_px: ArrayLike) -> Array:
        """Where a lens without distortion would show these points: (n, 2) px -> (n, 2) px.

        Exact wherever the lens shows anything. A strong barrel distortion bends no ray as far out as some pixels of a
        corner would be; their answer is finite and means nothing.
        """
        p = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        if not np.any(self.dist) or not len(p):
            return p.reshape(-1, 2).copy()
        out = cv2.undistortPoints(p, self.K, self.dist, P=self.K, criteria=_EXACT)
        return np.asarray(out, np.float64).reshape(-1, 2)

    def distort(self, points_px: ArrayLike) -> Array:
        """The inverse of `undistort`: (n, 2) ideal px -> (n, 2) px of the picture."""
        p = np.asarray(points_px, np.float64).reshape(-1, 2)
        return self.show((p[:, 0] - self.K[0, 2]) / self.K[0, 0], (p[:, 1] - self.K[1, 2]) / self.K[1, 1])

    def show(self, x: Array, y: Array) -> Array:
        """Where what is seen in a direction is in the picture: (n,) x / z and (n,) y / z -> (n, 2) px."""
        k1, k2, p1, p2, k3 = self.dist.tolist()
        (fx, _, cx), (_, fy, cy) = self.K[:2].tolist()
        out = np.empty((len(x), 2))
        if not (k1 or k2 or p1 or p2 or k3):
            out[:, 0], out[:, 1] = x * fx + cx, y * fy + cy
            return out
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        xd, yd = x * radial, y * radial
        if p1 or p2:
            xy = x * y
            xd += 2 * p1 * xy + p2 * (r2 + 2 * x * x)
            yd += p1 * (r2 + 2 * y * y) + 2 * p2 * xy
        out[:, 0], out[:, 1] = xd * fx + cx, yd * fy + cy
        return out

    def scaled(self, width: int, height: int) -> CameraModel:
        """The same lens for pictures of another size (pixel centres at integers)."""
        sx, sy = width / self.size_px[0], height / self.size_px[1]
        K = np.array(
            [
                [self.K[0, 0] * sx, 0.0, (self.K[0, 2] + 0.5) * sx - 0.5],
                [0.0, self.K[1, 1] * sy, (self.K[1, 2] + 0.5) * sy - 0.5],
                [0.0, 0.0, 1.0],
            ]
        )
        return CameraModel((width, height), K, self.dist)
