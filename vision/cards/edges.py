"""The edges of a flat piece as it is made: its outline and what is printed on it, in mm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DEEP_MM = (1.8, 3.2)
"""How deep inside an outline the colour counts as the card's own."""
_RIM_MM = (0.35, 0.65)  # what counts as the rim
_SPACING_MM = 1.5  # between two points of an outline


@dataclass(frozen=True, slots=True, eq=False)
class EdgeModel:
    """Points on the edges of a flat piece.

    Parameters
    ----------
    points_mm
        (n, 2) from the piece's centre, x right, y down as printed.
    normals
        (n, 2) unit vectors across the edge; outward on the outline.
    steps
        (n, 3) change of colour along the normal in grey levels; zero where it is not known, as on the outline.
    sides
        (n,) side of the outline that a point lies on: 0 top, 1 right, 2 bottom, 3 left, -1 for print.
    rims
        (n, 3) printed colour right at the rim against that a little deeper, per channel; 1 where they are alike.
    """

    points_mm: Array
    normals: Array
    steps: Floats
    sides: NDArray[np.intp]
    rims: Floats

    def __add__(self, other: EdgeModel) -> EdgeModel:
        """Both sets of points."""
        return EdgeModel(
            np.r_[self.points_mm, other.points_mm],
            np.r_[self.normals, other.normals],
            np.r_[self.steps, other.steps],
            np.r_[self.sides, other.sides],
            np.r_[self.rims, other.rims],
        )


def outline_edges(
    size_mm: tuple[float, float], radius_mm: float, pictures: Sequence[NDArray[np.uint8]] = ()
) -> EdgeModel:
    """The outline of a card with rounded corners.

    Parameters
    ----------
    size_mm, radius_mm
        Width and height, and radius of the corners.
    pictures
        (rows, columns, 3) what may be printed on it: one face, or all that it may be.
    """
    w, h = size_mm
    r = min(radius_mm, min(w, h) / 2)
    points, normals, sides = [], [], []
    for side, ((x0, y0), (x1, y1), n) in enumerate(
        (
            ((-w / 2 + r, -h / 2), (w / 2 - r, -h / 2), (0, -1)),
            ((w / 2, -h / 2 + r), (w / 2, h / 2 - r), (1, 0)),
            ((w / 2 - r, h / 2), (-w / 2 + r, h / 2), (0, 1)),
            ((-w / 2, h / 2 - r), (-w / 2, -h / 2 + r), (-1, 0)),
        )
    ):
        count = max(2, round(np.hypot(x1 - x0, y1 - y0) / _SPACING_MM))
        t = (np.arange(count) + 0.5) / count
        points.append(np.c_[x0 + t * (x1 - x0), y0 + t * (y1 - y0)])
        normals.append(np.tile(np.array(n, float), (count, 1)))
        sides.append(np.full(count, side))
    p = np.concatenate(points)
    across = np.concatenate(normals)
    unknown = np.zeros((len(p), 3), np.float32)
    return EdgeModel(p, across, unknown, np.concatenate(sides), _rims(p, across, size_mm, pictures))


def _rims(points: Array, normals: Array, size_mm: tuple[float, float], pictures: Sequence[NDArray[np.uint8]]) -> Floats:
    """Printed colour at the rim against that a little deeper, the usual one of the pictures."""
    if not pictures:
        return np.ones((len(points), 3), np.float32)
    found = []
    for picture in pictures:
        scale = picture.shape[1] / size_mm[0]
        at_rim, deep = (
            np.mean([_picked(picture, (points - d * normals + np.array(size_mm) / 2) * scale) for d in depths], axis=0)
            for depths in (_RIM_MM, np.linspace(*DEEP_MM, 4))
        )
        found.append((at_rim + 12.0) / (deep + 12.0))
    return np.asarray(np.median(found, axis=0), np.float32)


def _picked(picture: NDArray[np.uint8], at_px: Array) -> Array:
    x, y = np.round(at_px - 0.5).astype(int).T
    return np.asarray(picture[np.clip(y, 0, len(picture) - 1), np.clip(x, 0, picture.shape[1] - 1)], float)


def printed_edges(picture: NDArray[np.uint8], size_mm: tuple[float, float], most: int = 90) -> EdgeModel:
    """The strongest edges of what is printed on a card, off its rim.

    Parameters
    ----------
    picture
        (rows, columns, 3) the face, about three pixels a mm.
    most
        How many points to keep; they are spread over the face.
    """
    scale = picture.shape[1] / size_mm[0]
    soft = cv2.GaussianBlur(picture.astype(np.float32), (0, 0), 0.45 * scale)
    gx, gy = (cv2.Sobel(soft, cv2.CV_32F, dx, dy, ksize=3, scale=1 / 8) for dx, dy in ((1, 0), (0, 1)))
    xx, yy, xy = (gx * gx).sum(2), (gy * gy).sum(2), (gx * gy).sum(2)
    turn = 0.5 * np.arctan2(2 * xy, xx - yy)
    strength = np.sqrt(np.maximum(0.5 * (xx + yy + np.hypot(xx - yy, 2 * xy)), 0))
    nx, ny = np.cos(turn), np.sin(turn)
    rows, columns = strength.shape
    X, Y = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
    ahead, behind = (
        cv2.remap(strength, X + s * nx.astype(np.float32), Y + s * ny.astype(np.float32), cv2.INTER_LINEAR)
        for s in (1.0, -1.0)
    )
    rim = np.minimum.reduce([X, Y, columns - 1 - X, rows - 1 - Y]) > 2.2 * scale
    top = (strength > ahead) & (strength >= behind) & rim & (strength > 3.0)
    ys, xs = np.nonzero(top)
    if not len(ys):
        return EdgeModel(
            np.zeros((0, 2)),
            np.zeros((0, 2)),
            np.zeros((0, 3), np.float32),
            np.zeros(0, np.intp),
            np.zeros((0, 3), np.float32),
        )
    curve = ahead[ys, xs] + behind[ys, xs] - 2 * strength[ys, xs]
    off = np.where(curve < -1e-6, 0.5 * (behind[ys, xs] - ahead[ys, xs]) / curve, 0.0)
    off = np.clip(off, -0.7, 0.7)
    n = np.c_[nx[ys, xs], ny[ys, xs]].astype(float)
    at = np.c_[xs, ys] + off[:, None] * n
    points = (at + 0.5) / scale - np.array(size_mm) / 2
    slope = gx[ys, xs] * n[:, :1] + gy[ys, xs] * n[:, 1:]
    # a step that is twice as far away on the picture's slope is about the height of the step itself
    steps = np.asarray(slope * (2 * 0.45 * scale * 1.25), np.float32)
    order = np.argsort(-strength[ys, xs])
    kept: list[int] = []
    cells: dict[tuple[int, int], int] = {}
    for i in order:
        cell = (int(points[i, 0] // 1.4), int(points[i, 1] // 1.4))
        if cells.get(cell, 0) >= 1:
            continue
        cells[cell] = 1
        kept.append(int(i))
        if len(kept) >= most:
            break
    k = np.array(kept, int)
    return EdgeModel(points[k], n[k], steps[k], np.full(len(k), -1), np.ones((len(k), 3), np.float32))
