"""Cards of one's own copy, laid apart: their outlines, exactly, without knowing what is printed on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.card_company import SAME, find_company, find_proposed
from calibration.capture.card_edges import ROUNDED, as_pose, edge_along, edge_support, settled
from calibration.capture.margins import with_margins
from vision.cards.quads import overlap
from vision.cards.rectify import homography
from vision.plane import Plane, estimate_plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

WORKING_SIDE = 2400  # a longer picture is looked at in this size; a card has enough pixels then
_LEFT = 0.45  # share of the edge along outlines as they were found that is left at least along a frame's outer edge
_BETTER = 1.05  # by how much more edge there must be along outlines that were not balanced to be taken
_AROUND = np.arange(1.1, 2.6, 0.012)  # how much wider cards may be than what is printed in their middle
_LEAST_AROUND, _AS_STATED = 0.6, 0.5  # how much of an edge must be there, and of that of what is in the middle


@dataclass(frozen=True, slots=True, eq=False)
class LaidCard:
    """One card of one photograph.

    Parameters
    ----------
    photo
        Number of the photograph.
    quad_px
        (4, 2) corners in pixels, clockwise; which of the two short sides is the top is not known.
    size_mm
        Width and height.
    """

    photo: int
    quad_px: Quad
    size_mm: tuple[float, float]


def find_laid_cards(
    rgb: Rgb, photo: int, sizes_mm: Sequence[tuple[float, float]], radius_share: float = ROUNDED
) -> list[LaidCard]:
    """The cards of a photograph on which nothing but cards of one size lies.

    Parameters
    ----------
    rgb
        The photograph.
    photo
        Its number, which the cards carry.
    sizes_mm
        Width and height of the cards; the size that fits best is taken. Where none fits, the proportion is measured
        and the first size's shorter side kept.
    radius_share
        Radius of the corners as a share of the shorter side: there no edge is looked for.
    """
    scale = min(1.0, WORKING_SIDE / max(rgb.shape[:2]))
    small = rgb if scale == 1.0 else cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = np.asarray(small, np.uint8)
    edge = radius_share * min(sizes_mm[0])
    proposed = find_proposed(small)
    size_px = (small.shape[1], small.shape[0])
    found = find_company(proposed, sizes_mm, size_px)
    if found is None:
        return []
    best = _best_settled(small, found, edge)
    if found[0] not in sizes_mm:
        # no size of a card: what is printed in the middle of cards, perhaps
        round_it = _round_it(small, best, sizes_mm[0])
        if round_it is not None:
            other = _best_settled(small, round_it, edge)
            if other.support > _AS_STATED * best.support:
                best = other
    plane, poses, size = best.plane, best.poses, best.size_mm
    out: list[Quad] = []
    for p in poses:
        quad = plane.quad_of(as_pose(p), size)
        if all(overlap(quad, q) < SAME for q in out):
            out.append(quad)
    return [LaidCard(photo, (q + 0.5) / scale - 0.5, size) for q in with_margins(small, out)]


def cut_out(rgb: Rgb, card: LaidCard, px_per_mm: float) -> NDArray[np.uint8]:
    """The face seen from straight above, one of its short sides up, (rows, columns, 3)."""
    w, h = (round(v * px_per_mm) for v in card.size_mm)
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float) - 0.5
    H = homography(corners, card.quad_px)
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpPerspective(rgb, H, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class _Settled:
    """Cards of one size on a plane, poses (n, 3), and how much of an edge runs along them."""

    plane: Plane
    poses: Array
    size_mm: tuple[float, float]
    support: float


def _best_settled(rgb: Rgb, company: tuple[tuple[float, float], Plane, list[Quad]], radius_mm: float) -> _Settled:
    """The cards by their edges: with outlines balanced first, or as they are if that has clearly more of an edge.

    Where less of an edge is left than ran along the outlines as they were found, the edges farther out were the
    table's, as stripes of wood are, and none is looked for there.
    """
    size, plane, quads = company

    def so(balance: bool, outward: bool) -> _Settled:
        own, poses = settled(rgb, plane, quads, size, max(radius_mm, 1.0), balance, outward)
        return _Settled(own, poses, size, edge_support(rgb, own, poses, size))

    out = [so(balance, True) for balance in (True, False)]
    best = out[int(out[1].support > _BETTER * out[0].support)]
    if best.support < _LEFT * edge_along(rgb, plane, quads, size):
        return max((so(balance, False) for balance in (True, False)), key=lambda s: s.support)
    return best


def _round_it(
    rgb: Rgb, inner: _Settled, size: tuple[float, float]
) -> tuple[tuple[float, float], Plane, list[Quad]] | None:
    """Cards of the stated size round what was found in their middle, all as much larger; None where no edges are."""
    best: tuple[float, float] | None = None
    for larger in _AROUND * inner.size_mm[0] / size[0]:
        outer = (size[0] * larger, size[1] * larger)
        if outer[1] > inner.size_mm[1]:
            support = edge_support(rgb, inner.plane, inner.poses, outer)
            best = max(best or (0.0, 0.0), (support, float(larger)))
    if best is None or best[0] < _LEAST_AROUND:
        return None
    quads = [inner.plane.quad_of(as_pose(p), (size[0] * best[1], size[1] * best[1])) for p in inner.poses]
    plane = estimate_plane(quads, [size] * len(quads), (rgb.shape[1], rgb.shape[0]), None, 1.5)
    return (size, plane, quads) if plane else None
