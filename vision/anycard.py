"""Cards of no known deck: which of the outlines are cards, as far as shape, size and company tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.plane import Plane, estimate_plane
from vision.quads import is_convex, side_lengths
from vision.types import Detection, Quad, Rgb

if TYPE_CHECKING:
    from vision.locate import Outline

Array = NDArray[np.float64]

_PROPORTIONS = (1.0, 1.25, 1.4, 1.55, 1.72)
"""Height to width of cards that are sold: square, tarot-like, bridge and poker, narrow."""
_TOO_SQUARE, _TOO_LONG = 0.8, 2.0
_MISFIT = 0.09  # of the short side: how far the corners may be from a card of the common size
_SMALLEST = 0.022  # of the picture's long side


def plausible(rgb: Rgb, outlines: Sequence[Outline]) -> list[Detection]:
    """The outlines that are cards, as detections without a name.

    A card is whole, lies inside the picture, its four sides are edges, and it is of one size with its company.
    """
    h, w = rgb.shape[:2]
    good = [o for o in outlines if o.whole and is_convex(o.quad) and _inside(o.quad, w, h) and _card_like(o.quad, max(w, h))]
    good = [o for o in good if o.proposal.belief > 0.55]
    if len(good) >= 3:
        fitting = _company([o.quad for o in good], (w, h))
        good = [o for o, fits in zip(good, fitting, strict=True) if fits]
    out = []
    for o in good:
        confidence = float(np.clip(o.proposal.belief * o.fitted.support.mean(), 0, 1))
        out.append(Detection(_from_top_left(o.quad), None, confidence, float(min(1.0, o.proposal.visible)), o.fitted.sigma_px))
    return out


def _inside(quad: Quad, w: int, h: int) -> bool:
    """Whether all corners are in the picture: where a card leaves it, its corners would be invented."""
    return bool((quad > -1).all() and (quad[:, 0] < w).all() and (quad[:, 1] < h).all())


def _card_like(quad: Quad, long_side: int) -> bool:
    a, b = side_lengths(quad)
    short, long = min(a, b), max(a, b)
    return short > _SMALLEST * long_side and long / short < _TOO_LONG / _TOO_SQUARE


def _upright(quad: Quad) -> Quad:
    """The quad rolled so that sides 0 and 2 are the shorter pair."""
    a, b = side_lengths(quad)
    return np.roll(quad, -1, 0) if a > b else quad


def _company(quads: list[Quad], size_px: tuple[int, int]) -> list[bool]:
    """Which of the quads are cards of one common size on one plane."""
    upright = [_upright(q) for q in quads]
    best: tuple[float, Plane, tuple[float, float]] | None = None
    for proportion in _PROPORTIONS:
        mm = (60.0, 60.0 * proportion)
        plane = estimate_plane(upright, [mm] * len(quads), size_px, None, 1.5)
        if plane and (best is None or plane.residual_px < best[0]):
            best = (plane.residual_px, plane, mm)
    if best is None:
        return [True] * len(quads)
    _, plane, mm = best
    misfit = np.array([min(plane.pose_of(np.roll(q, -k, 0), mm)[1] for k in (0, 1)) for q in quads])
    fits = misfit < _MISFIT * mm[0] + 1.5 * float(np.median(misfit))
    return [bool(v) for v in fits]


def _from_top_left(quad: Quad) -> Quad:
    """The quad rolled to start at the corner nearest to the picture's top-left."""
    return np.roll(quad, -int(np.argmin(quad.sum(1))), 0)
