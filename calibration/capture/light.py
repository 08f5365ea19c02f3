"""Faces cleaned of the light they were photographed in, so that what is printed alike looks alike."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_GRID = 24  # rows and columns in which light is told from print
_DARK = 6.0  # grey levels: what is darker tells nothing of the light
_TURNS = 8


def light_fields(faces: Sequence[NDArray[np.uint8]]) -> list[Array]:
    """For each face how its light differs from the usual one: (3, 3) coefficients of 1, x, y for each channel.

    The faces share most of their print. Where one differs from the usual face, most of its places tell the same light,
    and the others show another print.
    """
    small = np.stack([cv2.resize(f, (_GRID, _GRID), interpolation=cv2.INTER_AREA) for f in faces]).astype(float)
    logs = np.log(np.maximum(small, _DARK)).reshape(len(faces), -1, 3)
    y, x = np.mgrid[:_GRID, :_GRID]
    A = np.c_[np.ones(_GRID**2), x.ravel() / (_GRID - 1) - 0.5, y.ravel() / (_GRID - 1) - 0.5]
    fits = [np.zeros((3, 3)) for _ in faces]
    for _ in range(2):
        usual = np.median(logs - np.stack([A @ f for f in fits]), axis=0)
        fits = [_robust(A, one - usual) for one in logs]
    return fits


def _robust(A: Array, off: Array) -> Array:
    fit = np.zeros((3, 3))
    weight = np.ones(len(A))
    for turn in range(_TURNS):
        columns = A[:, :1] if turn < 2 else A
        solved = np.linalg.lstsq(columns * weight[:, None], off * weight[:, None], rcond=None)[0]
        fit = np.zeros((3, 3))
        fit[: len(solved)] = solved
        miss = np.abs(off - A @ fit).max(1)
        weight = 1 / (1 + (miss / max(1.5 * float(np.median(miss)), 0.03)) ** 2)
    return fit


def relit(face: NDArray[np.uint8], fit: Array) -> Floats:
    """The face in the usual light, (rows, columns, 3) float32."""
    h, w = face.shape[:2]
    y, x = np.mgrid[:h, :w]
    u, v = (x / max(w - 1, 1) - 0.5)[..., None], (y / max(h - 1, 1) - 0.5)[..., None]
    return np.asarray(face * np.exp(-(fit[0] + u * fit[1] + v * fit[2])), np.float32)


def averaged(faces: Sequence[Floats]) -> NDArray[np.uint8]:
    """The mean of pictures of one face; of three and more the median, which no reflection reaches."""
    stack = np.stack(faces)
    mean = np.median(stack, 0) if len(faces) > 2 else stack.mean(0)
    return np.asarray(np.clip(np.round(mean), 0, 255), np.uint8)
