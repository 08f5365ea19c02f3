"""A small printed token compared with a place in a picture, turned every way: its outline on a ground, its print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Levels = Sequence[NDArray[np.uint8]]
"""A grey picture and its halvings."""

_PLAIN = 2.0  # deviation of grey that is noise


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """A token turned every way, as weights on a patch of `side`² samples, (n, d) each.

    Parameters
    ----------
    near
        The token with a rim of what it lies on.
    inside
        The token alone.
    outline, print
        Of unit size, independent of each other and of the ground's colour.
    inner
        The print, independent of the token's own colour.
    side
        Samples along a patch.
    """

    near: Floats
    inside: Floats
    outline: Floats
    print: Floats
    inner: Floats
    side: int

    @classmethod
    def of(cls, rgba: NDArray[np.uint8], turns_deg: Array, over: int) -> Likeness:
        """Turn a square picture (n, n, 4) RGB and opacity, with `over` samples along its side."""
        side = int(np.ceil(over * 1.42)) + 2 | 1
        small = cv2.resize(rgba, (over, over), interpolation=cv2.INTER_AREA).astype(np.float32)
        middle = (over - 1) / 2
        rim = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * max(1, over // 8) + 1,) * 2)
        rows: list[tuple[Floats, ...]] = []
        for turn in turns_deg:
            m = cv2.getRotationMatrix2D((middle, middle), -float(turn), 1.0)
            to = np.asarray(m, float) + np.array([[0, 0, 1], [0, 0, 1.0]]) * ((side - 1) / 2 - middle)
            turned = np.asarray(cv2.warpAffine(small, to, (side, side), flags=cv2.INTER_LINEAR), np.float32)
            cover = np.asarray(turned[..., 3] / 255, np.float32)
            near = np.asarray(cv2.dilate(cover, rim) > 0.5, np.float32).ravel()
            inside = np.asarray(np.clip(2 * cover - 1, 0, 1), np.float32).ravel()
            gray = np.asarray(turned[..., :3].min(2).ravel() / np.maximum(cover.ravel(), 0.5), np.float32)
            outline = _unit(cover.ravel(), near)
            printed = _unit(gray * cover.ravel(), near, outline)
            rows.append((near, inside, outline, printed, _unit(gray, inside)))
        near, inside, outline, printed, inner = (np.array(column, np.float32) for column in zip(*rows, strict=True))
        return cls(near, inside, outline, printed, inner, side)

    def around(self, turn: int, reach: int) -> Likeness:
        """Only the likenesses up to `reach` turns from number `turn`."""
        i = np.arange(turn - reach, turn + reach + 1) % len(self.near)
        return Likeness(self.near[i], self.inside[i], self.outline[i], self.print[i], self.inner[i], self.side)

    def compare(self, patches: Floats) -> tuple[Floats, Floats]:
        """(m, d) grey -> (m, n) correlation with token and ground, 0 to 1, and of the inside with the print, -1 to 1.

        In the first the token may be brighter or darker than what it lies on.
        """
        squares = patches * patches
        whole = (patches @ self.outline.T) ** 2 + (patches @ self.print.T) ** 2
        alike = np.sqrt(whole / _power(patches, squares, self.near))
        inner = patches @ self.inner.T / np.sqrt(_power(patches, squares, self.inside))
        return np.asarray(alike, np.float32), np.asarray(inner, np.float32)


def _unit(values: Floats, weights: Floats, other: Floats | None = None) -> Floats:
    """Weighted values, independent of a constant and of another such vector, with unit size."""
    v = values - (weights * values).sum() / weights.sum()
    if other is not None:
        v = v - other * float((weights * v * other).sum())
    return np.asarray(weights * v / np.sqrt(max(float((weights * v * v).sum()), 1e-9)), np.float32)


def _power(patches: Floats, squares: Floats, weights: Floats) -> Floats:
    """(m, n) weighted square deviation of patches; at least what noise makes of a plain patch."""
    total = weights.sum(1)
    mean = patches @ weights.T / total
    return np.asarray(np.maximum(squares @ weights.T - mean * mean * total, _PLAIN**2 * total), np.float32)


def least_channel(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(h, w) the least of red, green and blue: what is silver stands out from every colour, and print from silver."""
    return np.asarray(cv2.min(cv2.min(rgb[..., 0], rgb[..., 1]), rgb[..., 2]), np.uint8)


def halvings(gray: NDArray[np.uint8], count: int = 5) -> Levels:
    """A grey picture and its halvings."""
    levels = [gray]
    while len(levels) < count and min(levels[-1].shape) > 16:
        levels.append(np.asarray(cv2.pyrDown(levels[-1]), np.uint8))
    return levels


def windows(levels: Levels, at_px: Array, step: Array, side: int, reach: int) -> tuple[Floats, int]:
    """(m, side²) grey of all squares of samples up to `reach` samples off a place, and how many are in a row.

    `step` (2, 2): px from one sample to the next to the right, and to the next below, as columns.
    """
    n = side + 2 * reach
    level = int(np.clip(np.round(np.log2(max(abs(np.linalg.det(step)), 1e-6)) / 2), 0, len(levels) - 1))
    to_px = np.c_[step, at_px - step @ np.full(2, (n - 1) / 2)] * 0.5**level
    patch = cv2.warpAffine(
        levels[level], to_px, (n, n), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    views = np.lib.stride_tricks.sliding_window_view(patch, (side, side))
    return views.reshape(-1, side * side), views.shape[1]
