"""Faces of a deck made clearer by one another: what is printed alike on many cards was seen many times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.rectify import apply, homography

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_WIDTH = 120  # pixels of a face that is brought in line with the others
_MOST_OFF = 0.04  # of its width: farther off no card is cut out
_TURNS, _LEAST_GAIN = 60, 1e-5
_SOFT = 5  # pixels over which it is compared
_LIKELY = 0.03  # how much more alike a face must be for it
_FEW = 4  # cards that tell what a place looks like
_REACH, _EDGE = 1.2, 0.25  # of a symbol's reach: what is taken for it, and how softly it ends
_INSET = 1.6  # of the distance from the rim to the middles of the symbols: where the middle begins
_SHARE = 0.5  # how much of a clear face comes from the others
_CLEAR, _VEILED = 0.85, 0.55  # share of the usual contrast: what is a clear face, and what is seen through a veil


def in_line(faces: Sequence[Floats]) -> list[Array | None]:
    """How upright faces lie to what is printed alike on all of them.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, of one size.

    Returns
    -------
    For each a (2, 3) map from the pixels where its print belongs to those where it is; None where it is in line, or
    nothing tells.
    """
    h, w = faces[0].shape[:2]
    scale = _WIDTH / w
    size = (_WIDTH, round(h * scale))
    small = [cv2.GaussianBlur(_contrast(cv2.resize(f, size, interpolation=cv2.INTER_AREA)), (0, 0), 0.8) for f in faces]
    usual = np.asarray(np.median(small, 0), np.float32)
    everywhere = np.full(usual.shape, 255, np.uint8)
    out: list[Array | None] = []
    for face in small:
        before = _alike(face, usual)
        try:
            criteria = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, _TURNS, _LEAST_GAIN)
            start = np.eye(2, 3, dtype=np.float32)
            after, found = cv2.findTransformECC(usual, face, start, cv2.MOTION_AFFINE, criteria, everywhere, _SOFT)
        except cv2.error:
            out.append(None)
            continue
        corners = np.array([[0, 0, 1], [size[0], 0, 1], [*size, 1], [0, size[1], 1]], float)
        moved = np.hypot(*(corners @ np.asarray(found, float).T - corners[:, :2]).T).max()
        if after - before < _LIKELY or moved > _MOST_OFF * _WIDTH:
            out.append(None)
            continue
        full = np.asarray(found, float)
        full[:, 2] = (full[:, 2] + full[:, :2].sum(1) * 0.5 - 0.5) / scale - full[:, :2].sum(1) * 0.5 + 0.5
        out.append(full)
    return out


def moved(face: Floats, by: Array | None) -> Floats:
    """A face with its print where it belongs."""
    if by is None:
        return face
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(
        cv2.warpAffine(face, by, face.shape[1::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32
    )


def outline_of(quad_px: Array, by: Array | None, shape: tuple[int, ...]) -> Array:
    """The corners (4, 2) in its photo of a card cut out as `shape` (rows, columns, ...), as its print tells."""
    if by is None:
        return quad_px
    h, w = shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5
    return apply(homography(corners, quad_px), np.c_[corners, np.ones(4)] @ by.T)


def clearer(
    faces: Sequence[Floats],
    places: Array,
    radius: float,
    kinds: NDArray[np.intp],
    doubt: Array,
    stones: NDArray[np.intp],
) -> list[Floats]:
    """Faces, each symbol and middle partly as it looks on all cards that show the same there.

    A face that was photographed through a veil of reflected or too much light is wholly made of what others show;
    where it is doubtful which symbol stands at a place, that stays as it is.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, upright, of one size and in one light.
    places, radius
        (16, 2) middles of the symbols and their reach, in pixels.
    kinds, doubt
        (n, 16) number of each symbol's kind, and how doubtful that is, 0 to 1.
    stones
        (n,) which stone each has.
    """
    stack = np.stack(faces)
    n, h, w, _ = stack.shape
    out = stack.copy()
    x, y = np.meshgrid(np.arange(w), np.arange(h))
    cells = [(np.hypot(x - px, y - py), kinds[:, k], doubt[:, k]) for k, (px, py) in enumerate(places)]
    ends = _REACH * radius
    masks = [(np.clip((ends - d) / (_EDGE * ends) + 1, 0, 1), kind, unsure) for d, kind, unsure in cells]
    inset = places.min(0) * _INSET
    inside = np.minimum(np.minimum(x - inset[0], w - inset[0] - x), np.minimum(y - inset[1], h - inset[1] - y))
    masks.append((np.clip(inside / (_EDGE * ends), 0, 1), stones, np.zeros(n)))
    clear = np.zeros((n, len(masks)))
    drawn = []
    for j, (mask, kind, _) in enumerate(masks):
        rows, columns = np.nonzero(mask > 0)
        box = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
        usual: dict[int, Floats] = {}
        for k in np.unique(kind):
            mine = kind == k
            if mine.sum() >= _FEW:
                usual[int(k)] = np.asarray(np.median(stack[mine][:, box[0], box[1]], 0), np.float32)
                spread = stack[mine][:, box[0], box[1]].std((1, 2)).mean(1)
                clear[mine, j] = spread / max(float(np.median(spread)), 1e-6)
        drawn.append((box, usual))
    ranks = np.where(clear > 0, clear, np.nan)
    ranks[(clear <= 0).all(1)] = 1.0
    seen = np.nanmedian(ranks, 1)
    share = np.clip((_CLEAR - seen) / (_CLEAR - _VEILED), 0, 1) * (1 - _SHARE) + _SHARE
    for (mask, kind, unsure), (box, usual) in zip(masks, drawn, strict=True):
        for i in range(n):
            if int(kind[i]) in usual:
                by = mask[box][..., None] * share[i] * np.clip(1.2 - 2 * unsure[i], 0, 1)
                part = out[i][box]
                out[i][box] = part + by * (usual[int(kind[i])] - part)
    return [np.asarray(f, np.float32) for f in out]


def _contrast(rgb: NDArray[Any]) -> Floats:
    grey = rgb.mean(2)
    return np.asarray((grey - grey.mean()) / max(float(grey.std()), 1e-6), np.float32)


def _alike(a: NDArray[Any], b: NDArray[Any]) -> float:
    return float(
        np.corrcoef(cv2.GaussianBlur(a, (_SOFT, _SOFT), 0).ravel(), cv2.GaussianBlur(b, (_SOFT, _SOFT), 0).ravel())[
            0, 1
        ]
    )
