"""The faces of a deck made ready to be compared with a patch of the picture: one layer of samples a grid."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Grid, Look, LookSet

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_SLOW = 0.16  # light that changes over this share of the card's width or more is taken off


_PICK = 0.22  # share of a face's samples that are followed while aligning


def _slow_sigma(rim: NDArray[np.bool_]) -> float:
    return max(1.5, _SLOW * float(min(rim.shape)))


def _slow_weight(rim: NDArray[np.bool_]) -> Floats:
    """(rows, columns, 1) how much of the neighbourhood of each sample is on the card's face."""
    return np.asarray(cv2.GaussianBlur(rim.astype(np.float32), (0, 0), _slow_sigma(rim))[..., None] + 1e-3, np.float32)


def high_pass(picture: Floats, rim: NDArray[np.bool_], weight: Floats) -> Floats:
    """Take the slow part off a picture (rows, columns, 3); samples off the card's face are left out of it."""
    m = rim[..., None]
    slow = cv2.GaussianBlur(picture * m, (0, 0), _slow_sigma(rim))
    return np.asarray((picture - slow / weight) * m, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _Track:
    """The samples of one face by which its pose can be told best, in one tone.

    Parameters
    ----------
    pick
        (n,) indices into the flattened grid.
    at
        (n, 2) the same as column and row.
    unit
        (n, 2) the same in the coordinates of the alignment, -1 to 1.
    tone
        (n,) the face in that tone.
    jacobian
        (n, 12) change of the tone with the pose: eight numbers of a homography, four of a bend.
    light
        (n, 4) tone, 1, x, y: what a lamp can do to it.
    """

    pick: NDArray[np.intp]
    at: Array
    unit: Array
    tone: Floats
    jacobian: Floats
    light: Floats


@dataclass(frozen=True, eq=False)
class Layer:
    """All faces of a set on one grid, ready to be compared: samples inside the rim only."""

    grid: Grid
    rim: NDArray[np.bool_]
    raw: Floats  # (m, n, 3)
    fast: Floats  # (3, m, n) high-passed
    fast2: Floats  # squares of it
    basis: Floats  # (n, 3): 1, x, y
    slow_weight: Floats
    tone: Floats  # (3,) the mixture of channels in which the faces' edges are strongest
    tracks: tuple[_Track, ...]


@dataclass(frozen=True, eq=False)
class FaceBank:
    """The looks of one card size on three grids."""

    looks: tuple[Look, ...]
    rough: Layer
    coarse: Layer
    fine: Layer


def _layer(looks: LookSet, grid: Grid, pictures: list[Floats]) -> Layer:
    rim = grid.rim(looks.radius_mm)
    stack = np.stack([np.asarray(cv2.GaussianBlur(p, (0, 0), 0.6), np.float32) for p in pictures])
    weight = _slow_weight(rim)
    fast = np.stack([high_pass(p, rim, weight) for p in stack])[:, rim].transpose(2, 0, 1)
    rows, columns = grid.shape
    x, y = np.meshgrid(np.linspace(-1, 1, columns, dtype=np.float32), np.linspace(-1, 1, rows, dtype=np.float32))
    slopes = [
        (cv2.Scharr(p, cv2.CV_32F, 1, 0, scale=1 / 32), cv2.Scharr(p, cv2.CV_32F, 0, 1, scale=1 / 32)) for p in stack
    ]
    both = np.concatenate([v[rim] for pair in slopes for v in pair])
    tone = np.linalg.eigh(both.T @ both)[1][:, -1].astype(np.float32)
    tone *= np.float32(np.sign(tone.sum()) or 1) / np.abs(tone).sum()
    where = np.nonzero(rim.ravel())[0]
    tracks = []
    for p, (sx, sy) in zip(stack, slopes, strict=True):
        gx, gy = ((v @ tone).ravel()[where] for v in (sx, sy))
        # most of a face is flat: its edges tell the pose, a tenth of the rest tells the light
        strong = np.argsort(-(gx**2 + gy**2))[: max(150, int(_PICK * len(where)))]
        pick = np.union1d(strong, np.arange(0, len(where), 10))
        gx, gy = gx[pick] * (columns - 1) / 2, gy[pick] * (rows - 1) / 2
        at = where[pick]
        X, Y, T = x.ravel()[at], y.ravel()[at], (p @ tone).ravel()[at]
        k = -(X * gx + Y * gy)
        J = np.stack(
            [X * gx, Y * gx, gx, X * gy, Y * gy, gy, X * k, Y * k, X * X * gx, X * X * gy, Y * Y * gx, Y * Y * gy], -1
        )
        grid_at = np.stack([at % columns, at // columns], -1).astype(float)
        tracks.append(
            _Track(at, grid_at, np.stack([X, Y], -1).astype(float), T, J, np.stack([T, np.ones_like(T), X, Y], -1))
        )
    basis = np.stack([np.ones_like(x)[rim], x[rim], y[rim]], -1)
    return Layer(
        grid,
        rim,
        stack[:, rim],
        np.ascontiguousarray(fast),
        np.ascontiguousarray(fast**2),
        basis,
        weight,
        tone,
        tuple(tracks),
    )


@lru_cache(maxsize=16)
def face_bank(looks: LookSet) -> FaceBank:
    """The comparable form of a set; made once per deck."""
    return FaceBank(
        looks.looks,
        _layer(looks, looks.rough, [v.rough for v in looks.looks]),
        _layer(looks, looks.coarse, [v.coarse for v in looks.looks]),
        _layer(looks, looks.fine, [v.fine for v in looks.looks]),
    )
