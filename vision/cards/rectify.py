"""Patches of the picture, laid flat: the picture seen in the coordinates of a card's face."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Grid
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_FINER = 0.25  # samples are 0.8 to 1.6 pixels apart on the level that is read


@dataclass(frozen=True, eq=False)
class Pyramid:
    """A picture and its halvings, so that a patch is read where its samples are about a pixel apart."""

    rgb: Rgb

    @cached_property
    def levels(self) -> tuple[Rgb, ...]:
        """The picture, a half, a quarter … of it; a pixel at x lies at x / 2 one level up."""
        out = [self.rgb]
        while min(out[-1].shape[:2]) > 64 and len(out) < 7:
            out.append(np.asarray(cv2.pyrDown(out[-1]), np.uint8))
        return tuple(out)

    def patch(self, H: Array, shape: tuple[int, int], bend: Array | None = None) -> NDArray[np.float32]:
        """(rows, columns, 3) float32 0..255 under the homography (column, row, 1) -> px of the picture.

        `bend` (2, 2): how far a curled face is displaced at its sides and at its ends, in half widths and half heights.
        """
        rows, columns = shape
        level, S = self._level(H, columns / 2, rows / 2)
        if bend is not None and bend.any():
            x, y = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(-1, 1, rows))
            off = (x * x)[..., None] * bend[0] + (y * y)[..., None] * bend[1]
            at = np.stack(
                [(x + off[..., 0] + 1) * (columns - 1) / 2, (y + off[..., 1] + 1) * (rows - 1) / 2], -1
            ).reshape(-1, 2)
            p = apply(S @ H, at).reshape(rows, columns, 2).astype(np.float32)
            return np.asarray(
                cv2.remap(self.levels[level], p[..., 0], p[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
                np.float32,
            )
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        out = cv2.warpPerspective(
            self.levels[level], S @ H, (columns, rows), flags=flags, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(out, np.float32)

    def sample(self, H: Array, points: Array) -> NDArray[np.float32]:
        """(n, 3) float32 0..255 at points (n, 2) of the grid, under the homography (column, row, 1) -> px."""
        level, S = self._level(H, *points[len(points) // 2])
        p = apply(S @ H, points).astype(np.float32)
        out = cv2.remap(self.levels[level], p[:, :1], p[:, 1:], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(out[:, 0], np.float32)

    def _level(self, H: Array, x: float, y: float) -> tuple[int, Array]:
        """Which halving to read, with its scaling, where samples next to (x, y) are about a pixel apart."""
        w = H[2, 0] * x + H[2, 1] * y + H[2, 2]
        u, v = (H[0, 0] * x + H[0, 1] * y + H[0, 2]) / w, (H[1, 0] * x + H[1, 1] * y + H[1, 2]) / w
        det = (H[0, 0] - u * H[2, 0]) * (H[1, 1] - v * H[2, 1]) - (H[0, 1] - u * H[2, 1]) * (H[1, 0] - v * H[2, 0])
        step = max(abs(det) / (w * w), 1e-12) ** 0.5
        # a level that is too coarse blurs the picture more than the deck's own samples are, and that shrinks the fit
        level = min(max(int(np.floor(np.log2(step) + _FINER)), 0), len(self.levels) - 1)
        return level, np.diag([0.5**level, 0.5**level, 1.0])

    def inside(self, H: Array, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """(rows, columns) True where the sample lies in the picture."""
        h, w = self.rgb.shape[:2]
        rows, columns = shape
        x, y = np.meshgrid(np.arange(columns), np.arange(rows))
        p = apply(H, np.c_[x.ravel(), y.ravel()].astype(float))
        ok = (p[:, 0] >= -0.5) & (p[:, 1] >= -0.5) & (p[:, 0] <= w - 0.5) & (p[:, 1] <= h - 0.5)
        return np.asarray(ok.reshape(rows, columns))


def apply(H: Array, points: Array) -> Array:
    """(n, 2) points through a (3, 3) homography."""
    q = points @ H[:, :2].T + H[:, 2]
    return np.asarray(q[:, :2] / q[:, 2:3])


def homography(source: Array, target: Array) -> Array:
    """(3, 3) that takes four points to four points; raises ValueError where no such map exists.

    `cv2.getPerspectiveTransform` returns finite nonsense for points on a line, so the shape is checked here once.
    """
    for p in (source, target):
        if not np.isfinite(p).all():
            raise ValueError("a corner is not on the plane: its line of sight does not meet it")
        d = np.roll(p, -1, 0) - p
        cross = d[:, 0] * np.roll(d, -1, 0)[:, 1] - d[:, 1] * np.roll(d, -1, 0)[:, 0]
        if np.abs(cross).min() < 1e-9:
            raise ValueError("three of four corners lie on a line")
    return np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32)), float)


def face_to_px(quad: Quad, grid: Grid) -> Array:
    """(3, 3) from samples of the grid (column, row, 1) to px, for a card whose corners are at `quad`."""
    w, h = grid.size_mm
    return homography(np.array([[0, 0], [w, 0], [w, h], [0, h]], float), np.asarray(quad, float)) @ grid.to_mm()


def quad_of(H: Array, grid: Grid) -> Quad:
    """The inverse of `face_to_px`: (4, 2) corners in px."""
    w, h = grid.size_mm
    return apply(H @ np.linalg.inv(grid.to_mm()), np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
