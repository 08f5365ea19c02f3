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

from vision.cards.face_bank import face_bank
from vision.cards.faces import Freedom, align, compare
from vision.cards.quads import is_convex, side_lengths, signed_area
from vision.cards.rectify import Pyramid, apply, face_to_px
from vision.deck import LookSet
from vision.types import Quad

Array = NDArray[np.float64]

_DISTINCT = 0.82  # how much nearer a patch must be to its likeness than to the next best
_LEAST = 8  # patches that must agree on one perspective
_LEFT_MOST = 0.6  # unexplained share of contrast up to which the print is believed
_COVERED_MOST, _MANY = 0.8, 40  # ... and where so many patches agree
_FINE_ENOUGH = 1.6  # px per mm
_COLOUR_MM = 4.5  # size of a pixel in which coloured spaces are compared
_TURN = np.radians(10)
_NARROWED = (np.array([1.0, 0.95]), np.array([1.0, 0.8]))  # how a tilted table looks from the front
_CLEARLY = 0.45  # unexplained share up to which no other place needs to be tried
_TRIES = 6  # places that are looked at closely
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
        at, d = _patches(np.asarray(gray, np.uint8))
        places.append((at + 0.5) / scale)
        found.append(d)
    return np.concatenate(places), np.concatenate(found)


def _patches(gray: NDArray[np.uint8], mask: NDArray[np.uint8] | None = None) -> tuple[Array, NDArray[np.float32]]:
    # OpenCV's type information does not know its own SIFT
    sift: Any = cv2.SIFT_create(nfeatures=1500, contrastThreshold=0.02)  # type: ignore[attr-defined]
    points, found = sift.detectAndCompute(gray, mask)
    if found is None:
        return np.zeros((0, 2)), np.zeros((0, 128), np.float32)
    found = np.sqrt(found / (found.sum(1, keepdims=True) + 1e-6))
    return np.array([p.pt for p in points], float), np.asarray(found, np.float32)


def find_board(
    pyramid: Pyramid, looks: LookSet, px_per_mm: float | None = None, region: NDArray[np.uint8] | None = None
) -> Board | None:
    """The board in a picture, by its print.

    Parameters
    ----------
    pyramid
        The picture.
    looks
        The set of one look of kind "board".
    px_per_mm
        Scale of the picture, where it is known: a needlessly fine one is made coarser first.
    region
        (H, W) nonzero where to look, so that a table full of grain does not drown it; default everywhere.

    Returns
    -------
    Board or None
        None where its print is not found.
    """
    gray = np.asarray(cv2.cvtColor(pyramid.rgb, cv2.COLOR_RGB2GRAY), np.uint8)
    shrink = 1.0 if px_per_mm is None else min(1.0, _FINE_ENOUGH / px_per_mm)
    if shrink < 0.9:
        gray = np.asarray(cv2.resize(gray, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
    else:
        shrink = 1.0
    low = np.zeros(2, int)
    if region is not None:
        region = np.asarray(cv2.resize(region, gray.shape[::-1], interpolation=cv2.INTER_NEAREST), np.uint8)
        ys, xs = np.nonzero(region)
        if not len(xs):
            return None
        low = np.array([xs.min(), ys.min()])
        part = slice(low[1], ys.max() + 1), slice(low[0], xs.max() + 1)
        gray, region = np.ascontiguousarray(gray[part]), np.ascontiguousarray(region[part])
    at, found = _patches(gray, region)
    at = at + low
    at = (at + 0.5) / shrink - 0.5
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
    target = at[[q for q, _ in good]].astype(np.float32)
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
    # what lies on a board cannot be explained by its print, but many patches do not agree by chance
    return align_board(pyramid, looks, quad, _COVERED_MOST if int(agree.sum()) >= _MANY else _LEFT_MOST)


def find_board_by_colours(pyramid: Pyramid, looks: LookSet, px_per_mm: float) -> Board | None:
    """The board where its print is washed out: its coloured spaces, tried at every place and in every direction.

    Parameters
    ----------
    pyramid, looks
        As for `find_board`.
    px_per_mm
        About how large a mm is in the picture.

    Returns
    -------
    Board or None
        None where no place looks like it.
    """
    shrink = 1 / (_COLOUR_MM * px_per_mm)
    rgb = pyramid.rgb
    small = cv2.resize(rgb, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    side = looks.size_mm[0] / _COLOUR_MM
    face = looks.looks[0].colour
    tried: list[tuple[float, Quad]] = []
    for angle in np.arange(0, 2 * np.pi, _TURN):
        for narrow in _NARROWED:
            template, mask = _turned_template(face, side, float(angle), narrow)
            if any(a < b for a, b in zip(small.shape, template.shape, strict=True)):
                continue
            score = cv2.matchTemplate(small, template, cv2.TM_CCOEFF_NORMED, mask=mask)
            _, likeness, _, (x, y) = cv2.minMaxLoc(np.nan_to_num(score, posinf=-1, neginf=-1))
            c, s = np.cos(angle), np.sin(angle)
            square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * side / 2 @ np.array([[c, s], [-s, c]])
            quad = square * narrow + np.array([x, y]) + np.array(template.shape[1::-1]) / 2 - 0.5
            tried.append((float(likeness), (quad + 0.5) / shrink - 0.5))
    tried.sort(key=lambda t: -t[0])
    best: Board | None = None
    for _, quad in tried[:_TRIES]:
        found = align_board(pyramid, looks, quad)
        if found is not None and (best is None or found.left < best.left):
            best = found
        if best is not None and best.left < _CLEARLY:
            break
    return best


def _turned_template(
    face: NDArray[np.uint8], side: float, angle: float, narrow: Array
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The board's picture turned and narrowed as a tilted table shows it, and where in its box it lies."""
    c, s = np.cos(angle), np.sin(angle)
    n = len(face)
    reach = np.ceil(side * (abs(c) + abs(s)) * narrow).astype(int)
    scale = side / n
    turn = np.diag(narrow) @ np.array([[c, -s], [s, c]]) * scale
    shift = (reach - 1) / 2 - turn @ np.full(2, (n - 1) / 2)
    M = np.c_[turn, shift]
    box = (int(reach[0]), int(reach[1]))
    soft = cv2.GaussianBlur(face, (0, 0), 0.4 / scale)
    template = cv2.warpAffine(soft, M, box, flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(np.full(face.shape, 255, np.uint8), M, box, flags=cv2.INTER_NEAREST)
    return np.asarray(template, np.uint8), np.asarray(mask // 255, np.uint8)


def align_board(pyramid: Pyramid, looks: LookSet, quad: Quad, most: float = _LEFT_MOST) -> Board | None:
    """Align the board's print from a first guess (4, 2) px that is right to a few mm.

    None where more than `most` of the picture's contrast is left unexplained.
    """
    bank = face_bank(looks)
    found = None
    for layer, freedom in (
        (bank.rough, Freedom.AFFINE),
        (bank.coarse, Freedom.PERSPECTIVE),
        (bank.fine, Freedom.PERSPECTIVE),
    ):
        try:
            H = face_to_px(quad, layer.grid)
        except ValueError:
            return None
        inside = pyramid.inside(H, layer.grid.shape).astype(np.float32)
        a = align(pyramid, H, layer, 0, inside, 8, freedom, precise=layer is bank.fine)
        if a is None:
            return None
        quad, found = a.quad_px, a
    assert found is not None
    c = compare(pyramid.patch(found.H, bank.fine.grid.shape), np.ones(bank.fine.grid.shape, np.float32), bank.fine)
    left = float(c.error[0])
    if left > most:
        return None
    return Board(quad, left, float(np.sqrt(max(np.trace(found.covariance), 1e-6) / 8)))
