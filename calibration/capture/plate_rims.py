"""Outlines of flat plates' upper faces: each rim refined where it lies, and rims of one form made one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calibration.capture.plate_edges import Profiles, even, explain, free_reach, sampled, smooth_way
from calibration.capture.plate_forms import simple
from calibration.capture.plate_view import ROUNDED, SOFTNESS, PlateView, Traced, colours_at

Array = NDArray[np.float64]

_ROUNDS = ((4.0, 0.5), (1.5, 0.25))
"""Pixels within which a rim is sought, and in what steps."""
_EVERY = 1.5  # pixels between the places of a rim
_EVEN = 0.6  # pixels over which a rim is smoothed before each round
_OUTSIDE = 3.0  # pixels of the table that a profile shows
_FAR = 40.0  # what a place may tell at most
_LIKE_FACE, _NOISE = 0.08, 2.5  # of the difference from face to table, and of noise: what is as near to the face is it
_WIDTHS = 2  # widths of sides to a pixel


def refine_rims(
    traced: Traced, view: PlateView, starts: Sequence[Array], thick_px: float, soft: float | None = None
) -> list[Array]:
    """Outlines (n, 2) in px of the upper faces, from rough ones."""
    out = list(starts)
    for span, step in _ROUNDS:
        rims = [even(o, _EVERY, _EVEN) for o in out]
        points, normals = (np.vstack([r[i] for r in rims]) for i in (0, 1))
        faces = np.vstack([np.repeat(f[None], len(p), 0) for f, (p, _) in zip(traced.faces, rims, strict=True)])
        wider = np.zeros(len(points))
        if span > _ROUNDS[-1][0]:
            wider = _face_beyond(traced, view, points, normals, faces)
        at = np.arange(-span, span + wider.max(initial=0.0) + step / 2, step)
        if soft is None:
            some = slice(None, None, 6)
            costs = [
                _cost(traced, view, points[some], normals[some], faces[some], at, s, thick_px).min(1).sum()
                for s in SOFTNESS
            ]
            soft = SOFTNESS[int(np.argmin(costs))]
        cost = _cost(traced, view, points, normals, faces, at, soft, thick_px)
        out_of_reach = at[None] > span + wider[:, None] + step / 2
        cost -= np.where(out_of_reach, np.inf, cost).min(1, keepdims=True)
        cost = np.where(out_of_reach, 2 * _FAR, np.minimum(cost, _FAR))
        begin = 0
        for k, (p, n) in enumerate(rims):
            way = smooth_way(cost[begin : begin + len(p)], at)
            out[k] = p + n * at[way][:, None]
            begin += len(p)
    return [simple(o) for o in out]


def _face_beyond(traced: Traced, view: PlateView, points: Array, normals: Array, faces: Array) -> Array:
    """(n,) how far outside of a rim its face may go on, in px: the side's width where the face is seen there."""
    side = np.maximum((view.side(points) * normals).sum(1), 0.0)
    beyond = colours_at(traced.picture, points + normals * side[:, None] / 2)
    contrast = np.linalg.norm(faces - colours_at(traced.table, points), axis=1)
    return np.where(np.linalg.norm(beyond - faces, axis=1) < np.maximum(_LIKE_FACE * contrast, _NOISE), side, 0.0)


def _cost(
    traced: Traced,
    view: PlateView,
    points: Array,
    normals: Array,
    faces: Array,
    at: Array,
    soft: float,
    thick_px: float,
) -> Array:
    width = np.round(np.maximum((view.side(points) * normals).sum(1), 0) * _WIDTHS) / _WIDTHS
    table = colours_at(traced.table, points)
    cost = np.zeros((len(points), len(at)))
    for w in np.unique(width):
        mine = width == w
        outside = float(at[-1] + w + _OUTSIDE)
        profiles = Profiles(
            sampled(traced.picture, points[mine], normals[mine], outside),
            faces[mine],
            table[mine],
            free_reach(traced.covered, points[mine], normals[mine], outside),
        )
        cost[mine] = explain(profiles, float(w), at, soft, ROUNDED * thick_px)
    return cost
