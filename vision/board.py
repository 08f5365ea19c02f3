"""The board: one large printed square, found by its print wherever it lies and whichever way round.

Its distinctive patches (SIFT, Lowe 2004) are compared one to one with the picture's; those that agree on one
perspective tell where it lies, and the print is aligned there. Pawns and cards may stand on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import LookSet
from vision.faces import Freedom, align, compare, face_bank
from vision.quads import is_convex, side_lengths, signed_area
from vision.rectify import Pyramid, apply, face_to_px
from vision.types import Quad

Array = NDArray[np.float64]

_DISTINCT = 0.82  # how much nearer a patch must be to its likeness than to the next best
_LEAST = 8  # patches that must agree on one perspective
_LEFT_MOST = 0.6  # unexplained share of contrast up to which the print is believed
_SIDE_PX = 260  # side of the board's own picture from which patches are taken


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A found board: corners in printed order, unexplained share of its contrast, standard deviation of a corner."""

    quad_px: Quad
    left: float
    sigma_px: float


@lru_cache(maxsize=8)
def _print_of(looks: LookSet) -> tuple[Array, NDArray[np.float32]]:
    """Places in mm (n, 2) and descriptors (n, 128) of the board's patches, at two sizes."""
    look = looks.looks[0]
    places, found = [], []
    for side in (_SIDE_PX, _SIDE_PX // 2):
        scale = side / look.size_mm[0]
        gray = cv2.resize(look.print, (side, round(look.size_mm[1] * scale)), interpolation=cv2.INTER_AREA)
        at, d = _patches(np.asarray(gray, np.uint8), None)
        places.append((at + 0.5) / scale)
        found.append(d)
    return np.concatenate(places), np.concatenate(found)


def _patches(gray: NDArray[np.uint8], mask: NDArray[np.uint8] | None) -> tuple[Array, NDArray[np.float32]]:
    # OpenCV's type information does not know its own SIFT
    sift: Any = cv2.SIFT_create(nfeatures=1500, contrastThreshold=0.02)  # type: ignore[attr-defined]
    points, found = sift.detectAndCompute(gray, mask)
    if found is None:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    found = np.sqrt(found / (found.sum(1, keepdims=True) + 1e-6))
    return np.array([p.pt for p in points], float), np.asarray(found, np.float32)


def find_board(pyramid: Pyramid, looks: LookSet, region: NDArray[np.uint8] | None = None) -> Board | None:
    """The board in a picture.

    Parameters
    ----------
    pyramid
        The picture.
    looks
        The set of one look of kind "board".
    region
        (H, W) nonzero where it may lie; default everywhere.

    Returns
    -------
    Board or None
        None where its print is not found.
    """
    rgb = pyramid.rgb
    low = np.zeros(2, int)
    part = rgb
    mask = None
    if region is not None:
        ys, xs = np.nonzero(region)
        if not len(xs):
            return None
        low = np.array([xs.min(), ys.min()])
        part = np.ascontiguousarray(rgb[low[1] : ys.max() + 1, low[0] : xs.max() + 1])
        mask = np.ascontiguousarray(region[low[1] : ys.max() + 1, low[0] : xs.max() + 1])
    at, found = _patches(np.asarray(cv2.cvtColor(part, cv2.COLOR_RGB2GRAY), np.uint8), mask)
    places, own = _print_of(looks)
    if len(at) < _LEAST or len(own) < _LEAST:
        return None
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(found, own, 3)
    good = []
    for best, *others in pairs:
        # the next best of another place: the same place is listed at two sizes
        rival = next((o for o in others if np.hypot(*(places[o.trainIdx] - places[best.trainIdx])) > 3.0), None)
        if rival is None or best.distance < _DISTINCT * rival.distance:
            good.append((best.queryIdx, best.trainIdx))
    if len(good) < _LEAST:
        return None
    source = places[[t for _, t in good]].astype(np.float32)
    target = (at[[q for q, _ in good]] + low).astype(np.float32)
    side = float(looks.size_mm[0])
    H, agree = cv2.findHomography(source, target, cv2.USAC_MAGSAC, 3.0, maxIters=2000, confidence=0.999)
    if H is None or agree is None or int(agree.sum()) < _LEAST:
        return None
    w, h = looks.size_mm
    quad = apply(np.asarray(H, float), np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
    if not np.isfinite(quad).all() or not is_convex(quad) or signed_area(quad) < (0.05 * side) ** 2:
        return None
    sides = side_lengths(quad)
    if min(sides) < 0.25 * max(sides):
        return None
    return _aligned(pyramid, looks, quad)


def _aligned(pyramid: Pyramid, looks: LookSet, quad: Quad) -> Board | None:
    bank = face_bank(looks)
    found = None
    for layer in (bank.coarse, bank.fine):
        try:
            H = face_to_px(quad, layer.grid)
        except ValueError:
            return None
        inside = pyramid.inside(H, layer.grid.shape).astype(np.float32)
        a = align(pyramid, H, layer, 0, inside, 8, Freedom.PERSPECTIVE, precise=layer is bank.fine)
        if a is None:
            return None
        quad, found = a.quad_px, a
    assert found is not None
    c = compare(pyramid.patch(found.H, bank.fine.grid.shape), np.ones(bank.fine.grid.shape, np.float32), bank.fine)
    left = float(c.error[0])
    if left > _LEFT_MOST:
        return None
    return Board(quad, left, float(np.sqrt(max(np.trace(found.covariance), 1e-6) / 8)))
