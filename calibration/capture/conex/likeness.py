"""Squares of a track that look like most of those already found: told by the outline that all have in common."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from calibration.capture.conex.squares import pitch
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_REACH = 0.8  # squares: how far from its middle the look of one is compared
_STRONG = 6.0  # difference of colour from pixel to pixel beyond which an edge counts no more
_BLUR = 0.0016  # of the board's side: by how much outlines may be out of place
_KIN = 0.5  # likeness from which two found places are of one kind
_LEAST = 0.3  # likeness from which a place is looked at
_ALIKE = 0.58  # ... and from which it is one more square, as a share of that of most squares
_LOOSE = 2  # squares of a set that may lie apart from the others
_FEW = 4  # squares from which their distance is known
_PLAIN = 0.04  # share of the variance of a square below which a place is plain
_HERE = 0.25  # squares: by how much two ways to find one may differ
_APART = 0.8  # of the distance of neighbours: nearer together there are no two squares
_NEIGHBOUR = 1.4  # ... and how far a square is from the next at most


def edges_of(face: NDArray[np.uint8]) -> Floats:
    """(rows, columns) how strongly the colour changes at each place of a board."""
    lab = lab_of(cv2.bilateralFilter(face, 5, 20, 3)).astype(np.float32)
    across, down = (np.linalg.norm(cv2.Sobel(lab, cv2.CV_32F, *way, ksize=3), axis=2) for way in ((1, 0), (0, 1)))
    slope = np.minimum(np.hypot(across, down) / 8, _STRONG).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(slope, (0, 0), _BLUR * face.shape[1]), np.float32)


def completed(edges: Floats, middles: Array, size: float, certain: bool) -> Array:
    """The squares (n, 2) that look like most of those given, and those given that lie apart where they are certain."""
    places, like = alike(edges, middles, size)
    near = np.linalg.norm(places[:, None] - middles[None], axis=2).min(1, initial=np.inf) < _HERE * size
    likely = places[like > _ALIKE * np.median(like[near])] if near.any() else places[:0]
    if len(likely) < _FEW:
        return middles if certain else likely
    side = pitch(likely)
    squares = _spread(np.concatenate([likely, middles]) if certain else likely, _APART * side)
    near = np.linalg.norm(squares[:, None] - squares[None], axis=2) < _NEIGHBOUR * side
    return np.asarray(squares[near.sum(1) > 1])


def linked(squares: Array) -> bool:
    """Whether nearly all of the squares (n, 2) hang together by neighbours."""
    near = np.linalg.norm(squares[:, None] - squares[None], axis=2) < _NEIGHBOUR * pitch(squares)
    return bool(np.bincount(connected_components(near)[1]).max() >= len(squares) - _LOOSE)


def _spread(places: Array, apart: float) -> Array:
    """Places, the first first, that are no nearer to each other."""
    out: list[Array] = []
    for one in places:
        if all(np.hypot(*(one - o)) > apart for o in out):
            out.append(one)
    return np.array(out)


def alike(edges: Floats, middles: Array, size: float) -> tuple[Array, Array]:
    """Middles (n, 2) of all places that look like most of those given, the likeliest first, and how much (n,).

    What was taken for a square and is none has no part in it, and neither has what is written in the squares: that
    is another in each.
    """
    half = round(_REACH * size)
    looks = np.stack([cv2.getRectSubPix(edges, (2 * half + 1,) * 2, (float(x), float(y))) for x, y in middles])
    flat = looks.reshape(len(looks), -1)
    flat = flat - flat.mean(1, keepdims=True)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True) + 1e-6
    kin = flat @ flat.T > _KIN
    look = np.median(looks[kin[kin.sum(1).argmax()]], axis=0)
    look = (look + look[::-1] + look[:, ::-1] + look[::-1, ::-1]) / 4
    wide = cv2.copyMakeBorder(edges, half, half, half, half, cv2.BORDER_REPLICATE)
    like = cv2.matchTemplate(wide, look.astype(np.float32), cv2.TM_CCOEFF_NORMED)
    # where nothing is to be seen it is like anything
    window = (2 * half + 1,) * 2
    spread = cv2.blur(edges**2, window) - cv2.blur(edges, window) ** 2
    like[spread < _PLAIN * look.var()] = 0.0
    around = np.ones((2 * (half // 2) + 1,) * 2, np.uint8)
    y, x = np.nonzero((like == cv2.dilate(like, around)) & (like > _LEAST))
    order = np.argsort(-like[y, x], kind="stable")
    return np.c_[x, y][order].astype(float), like[y, x][order].astype(float)
