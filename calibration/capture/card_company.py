"""Which outlines of a photograph are cards of one size that lie on one plane, and which size that is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar

from vision.cards.outlines import Outline, estimate_cells, find_outlines
from vision.cards.quads import overlap, side_lengths, signed_area
from vision.plane import Plane, estimate_plane, upright_on_a_plane
from vision.types import Quad, Rgb

_MISFIT = 0.12  # of a card's shorter side: what is farther from any card on the plane is none
_NO_PLANE = 1.0  # ... and what the search for a size reckons with where no plane is found
_PROPORTION = (0.6, 2.2)  # height to width of a card of unknown size
_SIDES = (384, 512, 640, 896)  # long sides of the pictures that the network looks at
_BELIEF, _VISIBLE = 0.5, 0.6  # the network's certainty of a card, and the share of it that must have voted
_MORE = 1.05  # by how much more of the picture the cards of another scale must cover
_BEYOND = 0.01  # of the picture: how far a corner may lie outside
SAME = 0.2
"""Overlap from which two outlines are one card."""


def find_company(
    proposed: Sequence[Sequence[Quad]], sizes_mm: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> tuple[tuple[float, float], Plane, list[Quad]] | None:
    """The outlines that are cards of one size on one plane: of every scale's proposals those that cover most."""
    best: tuple[float, tuple[float, float], Plane, list[Quad]] | None = None
    for quads in proposed:
        if not quads:
            continue
        size, plane, upright = _size_and_plane(quads, sizes_mm, size_px)
        if plane is None:
            continue
        kept = [q for q in upright if plane.pose_of(q, size)[1] < _MISFIT * min(size)]
        covered = sum(signed_area(q) for q in kept)
        if kept and (best is None or covered > _MORE * best[0]):
            best = (covered, size, plane, kept)
    if best is None:
        return None
    _, size, plane, kept = best
    for q in (q for quads in proposed for q in quads):
        # what another scale saw and this one missed
        turned = min((np.roll(q, -k, 0) for k in (0, 1)), key=lambda v: plane.pose_of(v, size)[1])
        fits = plane.pose_of(turned, size)[1] < _MISFIT * min(size)
        if fits and all(overlap(turned, k) < SAME / 2 for k in kept):
            kept.append(turned)
    return size, plane, kept


def find_proposed(rgb: Rgb) -> list[list[Quad]]:
    """What the network takes for cards at several scales, drawn to the edges close by."""
    size_px = (rgb.shape[1], rgb.shape[0])
    out = []
    for side in _SIDES:
        cells = estimate_cells(rgb, side)
        proposals = [p for p in find_outlines(cells) if p.belief > _BELIEF and p.visible > _VISIBLE]
        out.append([Outline(p, rgb, cells, twice=True).quad for p in proposals if _inside(p.quad_px, size_px)])
    return out


def _inside(quad: Quad, size_px: tuple[int, int]) -> bool:
    return bool((quad > -_BEYOND * size_px[0]).all() and (quad < np.array(size_px) * (1 + _BEYOND)).all())


def _size_and_plane(
    quads: Sequence[Quad], sizes_mm: Sequence[tuple[float, float]], size_px: tuple[int, int]
) -> tuple[tuple[float, float], Plane | None, list[Quad]]:
    """Which size the cards have, the plane they lie on, and their outlines with a short side first."""

    def misfit(size: tuple[float, float]) -> tuple[float, Plane | None, list[Quad]]:
        turned = upright_on_a_plane(quads, size, size_px)
        plane = estimate_plane(turned, [size] * len(turned), size_px, None, 1.5)
        if not plane:
            return np.inf, None, turned
        off = np.median([plane.pose_of(q, size)[1] for q in turned]) / min(size)
        return float(off), plane, turned

    best = min(((*misfit(s), s) for s in sizes_mm), key=lambda m: m[0])
    if best[0] > 0.02:
        short = min(sizes_mm[0])
        rough = float(np.median([max(side_lengths(q)) / min(side_lengths(q)) for q in quads]))
        found = minimize_scalar(
            lambda a: min(misfit((short, short * a))[0], _NO_PLANE),
            bounds=(max(1.0, rough * 0.85), min(_PROPORTION[1], rough * 1.18)),
            method="bounded",
            options={"xatol": 0.004, "maxiter": 14},
        )
        size = (short, round(short * float(found.x), 1))
        other = (*misfit(size), size)
        if other[0] < 0.6 * best[0]:
            best = other
    return best[3], best[1], best[2]
