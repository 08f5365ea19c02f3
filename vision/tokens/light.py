"""A board's picture in the colours of the deck: the lamp's colour, its gradient, haze and gloss taken out.

The board's own print is the witness: wherever nothing lies on it, what is seen must be what is printed, under some
light.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.rectify import apply, homography
from vision.tokens.token_looks import BoardLook
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
BoardToPx = Callable[[Array], Array]
"""From (n, 2) mm on the board's face to (n, 2) px."""

_TURNS = 8
_CELLS = 3  # cells in which a shadow is told, between the centres of neighbouring squares
_PAPER = 90  # least of red, green and blue where the print is bright enough to tell a shadow
_SHADES = (0.35, 1.2)  # darkest shadow and brightest light
_LEAST_SEEN = 0.2  # share of the board that must be open


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """The board and its surroundings, sampled as its picture is.

    Parameters
    ----------
    colour
        (rows, columns, 3) float32: what is seen, in the deck's colours.
    ref
        (rows, columns, 3) float32: what is printed there.
    known
        (rows, columns) True where the board's print is to be seen, if nothing stands there.
    margin_mm
        How far the samples reach beyond the board.
    white
        (3,) a shine in the deck's colours.
    to_px
        From mm on the board to px.
    """

    colour: Floats
    ref: Floats
    known: NDArray[np.bool_]
    margin_mm: float
    white: Floats
    to_px: BoardToPx


def sample_board(
    rgb: Rgb, to_px: BoardToPx, board: BoardLook, covers: Sequence[Quad], margin_mm: float
) -> Sampled | None:
    """Sample the board with its surroundings; None where too little of it is open."""
    step = board.sample_mm
    beyond = round(margin_mm / step)
    margin_mm = beyond * step
    side = len(board.picture)
    n = side + 2 * beyond
    axis = (np.arange(n) + 0.5) * step - margin_mm
    x, y = np.meshgrid(axis, axis)
    at = to_px(np.c_[x.ravel(), y.ravel()]).reshape(n, n, 2)
    h, w = rgb.shape[:2]
    inside = (at[..., 0] >= 0) & (at[..., 1] >= 0) & (at[..., 0] <= w - 1) & (at[..., 1] <= h - 1)
    seen = _read(rgb, at)
    known = inside.copy()
    known[:beyond] = known[n - beyond :] = False
    known[:, :beyond] = known[:, n - beyond :] = False
    known &= ~_covered(at, covers)
    if known.sum() < _LEAST_SEEN * side * side:
        return None
    blurred = cv2.GaussianBlur(board.picture.astype(np.float32), (0, 0), 0.8)
    framed = cv2.copyMakeBorder(blurred, beyond, beyond, beyond, beyond, cv2.BORDER_REPLICATE)
    ref = np.asarray(framed, np.float32)
    fitted = _fit_light(seen, ref, known, beyond)
    if fitted is None:
        return None
    gain, haze = fitted
    colour = np.asarray((seen - haze) / np.maximum(gain, 0.08), np.float32)
    colour /= _shade(colour, ref, known, board.spacing_mm / step)
    return Sampled(
        np.clip(colour, -80, 400).astype(np.float32), ref, known, margin_mm, np.full(3, 250, np.float32), to_px
    )


def _read(rgb: Rgb, at: Array) -> Floats:
    """(rows, columns, 3) at px (rows, columns, 2), smoothed where samples are farther apart than pixels."""
    h, w = rgb.shape[:2]
    low = np.clip(np.floor(at.reshape(-1, 2).min(0)).astype(int) - 4, 0, [w - 1, h - 1])
    high = np.clip(np.ceil(at.reshape(-1, 2).max(0)).astype(int) + 5, low + 1, [w, h])
    part = rgb[low[1] : high[1], low[0] : high[0]]
    middle = at[len(at) // 2, len(at) // 2 :][:2]
    step = float(np.linalg.norm(middle[1] - middle[0]))
    if step > 1.2:
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), 0.4 * step), np.uint8)
    p = (at - low).astype(np.float32)
    return cv2.remap(part, p[..., 0], p[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)


def _covered(at: Array, covers: Sequence[Quad]) -> NDArray[np.bool_]:
    """(rows, columns) True where a card lies over the sample."""
    n = len(at)
    out = np.zeros((n, n), np.uint8)
    corners = at[[0, 0, -1, -1], [0, -1, -1, 0]]
    from_px = homography(corners, np.array([[0, 0], [n - 1, 0], [n - 1, n - 1], [0, n - 1]], float))
    low, high = corners.min(0), corners.max(0)
    for quad in covers:
        q = np.asarray(quad, float)
        if (q.max(0) < low).any() or (q.min(0) > high).any():
            continue
        there = apply(from_px, q.mean(0) + (q - q.mean(0)) * 1.02)
        if np.isfinite(there).all() and np.abs(there).max() < 50 * n:
            cv2.fillConvexPoly(out, there.round().astype(np.int32), 1)
    return out > 0


def _shade(colour: Floats, ref: Floats, known: NDArray[np.bool_], spacing: float) -> Floats:
    """(rows, columns, 3) how bright the paper round each sample is: the shadow of a mug, a lamp near by.

    It is what most of the neighbourhood agrees on, and the brighter part of that, so that a pawn is no shadow.
    """
    cell = max(1, round(spacing / _CELLS))
    n = len(colour) // cell
    if n < 3:
        return np.ones_like(colour)
    paper = known & (ref.min(2) > _PAPER)
    ratio = np.where(paper[..., None], np.clip(colour / np.maximum(ref, 1), 0, 2), 0)
    small = cv2.resize(ratio, (n, n), interpolation=cv2.INTER_AREA)
    share = cv2.resize(paper.astype(np.float32), (n, n), interpolation=cv2.INTER_AREA)
    level = np.where(share[..., None] > 0.3, small / np.maximum(share, 0.3)[..., None], 1.0)
    coded = np.asarray(np.clip(level * 100, 0, 255), np.uint8)
    width = (2 * _CELLS + 1) | 1
    calm = cv2.medianBlur(cv2.dilate(coded, np.ones((3, 3), np.uint8)), width)
    smooth = cv2.resize(cv2.blur(calm, (3, 3)), colour.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(smooth.astype(np.float32) / 100, *_SHADES), np.float32)


def _fit_light(seen: Floats, ref: Floats, known: NDArray[np.bool_], beyond: int) -> tuple[Floats, Floats] | None:
    """Gain and haze per sample and channel, so that seen = gain * print + haze on most of the board."""
    n = len(seen)
    axis = (np.arange(n) - beyond + 0.5) / (n - 2 * beyond) * 2 - 1
    axis = np.clip(axis, -1, 1)  # beyond the board the light goes on as at its rim
    x, y = np.meshgrid(axis, axis)
    bend = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], -1)
    take = np.zeros_like(known)
    take[::4, ::4] = known[::4, ::4]
    if take.sum() < 40:
        return None
    b, r, o = bend[take], ref[take].astype(float), seen[take].astype(float)
    weight = np.ones(len(b))
    # what the light may do freely, and what only strong reasons make it do
    loose = np.diag([0.0, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-5, 1.0, 1.0]) * len(b) * 0.01
    fits: list[Array] = []
    for _ in range(_TURNS):
        miss = np.zeros(len(b))
        fits = []
        for c in range(3):
            M = np.c_[b * r[:, c : c + 1] / 255, b[:, :3]]
            W = M * weight[:, None]
            k = np.linalg.solve(W.T @ M + loose + 1e-9 * np.eye(9), W.T @ o[:, c])
            fits.append(k)
            miss += (M @ k - o[:, c]) ** 2
        scale = float(np.sqrt(np.median(miss))) + 2
        weight = 1 / (1 + miss / (2 * scale) ** 2) ** 2
    k = np.stack(fits, 1)
    return (bend @ k[:6] / 255).astype(np.float32), (bend[..., :3] @ k[6:]).astype(np.float32)
