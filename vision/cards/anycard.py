"""Cards of no known deck: which of the outlines are cards, as far as shape, size and company tell."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.outlines import Cells, Outline, estimate_cells, find_outlines
from vision.cards.quads import is_convex, overlap, side_lengths, signed_area
from vision.plane import Plane, estimate_plane
from vision.types import Detection, Quad, Rgb

Array = NDArray[np.float64]

_PROPORTIONS = (1.0, 1.25, 1.4, 1.55, 1.72)
"""Height to width of cards that are sold: square, tarot-like, bridge and poker, narrow."""
_TOO_SQUARE, _TOO_LONG = 0.8, 2.0
_TOO_SQUARE_ALONE = 1.15  # square cards come in company; a lone square is something else
_MISFIT = 0.09  # of the short side: how far the corners may be from a card of the common size
_SMALLEST = 0.022  # of the picture's long side
_FEWEST_PX = 20.0
_SCALES = (256, 384, 576, 864)  # long sides of the pictures that the network looks at
_BELIEF, _EDGE = 0.55, 0.4  # the network's certainty of a card and of its weakest side
_BORDER = 0.03  # of a side: nearer to the border an end may be the picture's, not the card's
_SIDE, _SIDES = 0.55, 0.75  # share of the weakest side, and of all four, that lies on an edge
_WHOLE = (0.7, 1.35)  # share of the outline that voted for it
_LATTICE = 0.5  # share of sides that run on past their corners from which it is a board or a pattern
_AGREED = 0.75  # share of sides that must change in the same way before the others are held to it
_SAME = 0.3  # overlap (IoU) from which two outlines are one card


def find_any(rgb: Rgb) -> list[Detection]:
    """Outline the cards of any picture.

    The network looks at the picture at several scales, since nothing tells beforehand how large a card is. A card
    is whole,
    lies inside the picture, has four sides that are edges and end at its corners, and is of one size with its company.
    """
    h, w = rgb.shape[:2]
    found: list[tuple[float, Outline]] = []
    squares: list[Quad] = []
    outlines = []
    for side in _SCALES:
        if side <= 1.5 * max(h, w):
            cells = estimate_cells(rgb, side)
            outlines += [
                Outline(p, rgb, cells, twice=True)
                for p in find_outlines(cells)
                if p.belief > _BELIEF and _card_like(p.quad_px, max(w, h))
            ]
    outwards = _common_step(outlines)
    for o in outlines:
        if outwards is not None and ((o.fitted.steps @ outwards < 0) & (o.fitted.support > 0)).any():
            o = Outline(o.proposal, rgb, o.cells, outwards, twice=True)
        support = o.fitted.support
        if support.min() < _SIDE or support.mean() < _SIDES or not is_convex(o.quad) or not _inside(o.quad, w, h):
            continue
        if not _WHOLE[0] < _filled(o) < _WHOLE[1] or _edge_belief(o.quad, o.cells) < _EDGE:
            continue
        if _running_on(rgb, o.quad) < _LATTICE:
            found.append((_quality(o), o))
        elif all(overlap(o.quad, q) < _SAME for q in squares):
            squares.append(o.quad)
    found.sort(key=lambda f: -f[0])
    good: list[Outline] = []
    for _, o in found:
        if all(overlap(o.quad, g.quad) < _SAME for g in good):
            good.append(o)
    if len(good) <= 2 * len(squares):
        # most of what looks like a card here is a square of a board, and so are the few whose lines seem to end
        good = [o for o in good if not any(0.4 < signed_area(o.quad) / signed_area(q) < 2.5 for q in squares)]
    if len(good) >= 3:
        fitting = _company([o.quad for o in good], (w, h))
        good = [o for o, fits in zip(good, fitting, strict=True) if fits]
    else:
        good = [o for o in good if max(side_lengths(o.quad)) > _TOO_SQUARE_ALONE * min(side_lengths(o.quad))]
    out = []
    for o in good:
        confidence = float(np.clip(o.proposal.belief * o.fitted.support.mean(), 0, 1))
        out.append(
            Detection(_from_top_left(o.quad), None, confidence, float(min(1.0, o.proposal.visible)), o.fitted.sigma_px)
        )
    return out


def _common_step(outlines: list[Outline]) -> Array | None:
    """(3,) how the colour changes from the cards to the table, if nearly all sides agree on it."""
    steps = [o.fitted.steps[i] for o in outlines for i in range(4) if o.fitted.support.min() > _SIDE]
    if len(steps) < 8:
        return None
    v = np.array(steps)
    v = v / (np.linalg.norm(v, axis=1, keepdims=True) + 1e-9)
    common = np.median(v, 0)
    common = common / (np.linalg.norm(common) + 1e-9)
    return common if float((v @ common > 0.3).mean()) > _AGREED else None


def _quality(o: Outline) -> float:
    """How well an outline is supported: certain votes, all of the card, sides that are edges."""
    return float(
        o.proposal.belief
        * o.fitted.support.mean()
        * np.exp(-abs(np.log(max(_filled(o), 0.05))))
        * _edge_belief(o.quad, o.cells)
    )


def _filled(o: Outline) -> float:
    """Share of the fitted outline whose cells voted for it; about 1 for a card that lies open."""
    cell = o.cells.cell_px[0] * o.cells.cell_px[1]
    return float(len(o.proposal.cells) * cell / max(signed_area(o.quad), 1.0))


def _edge_belief(quad: Quad, cells: Cells) -> float:
    """How sure the network is that the weakest side is a card's edge, 0 to 1."""
    t = np.linspace(0.1, 0.9, 15)[:, None]
    worst = 1.0
    for i in range(4):
        p = quad[i] * (1 - t) + quad[(i + 1) % 4] * t
        q = cells.nearest(p, margin=1)
        near = np.max([cells.edge[q[:, 1] + dy, q[:, 0] + dx] for dx in (-1, 0, 1) for dy in (-1, 0, 1)], axis=0)
        worst = min(worst, float(near.mean()))
    return worst


def _running_on(rgb: Rgb, quad: Quad) -> float:
    """Share of the eight ends of sides at which the edge runs on past the corner, as on boards and tiles."""
    on = 0
    for i in range(4):
        p, q = quad[i], quad[(i + 1) % 4]
        along = (q - p) / max(float(np.hypot(*(q - p))), 1e-9)
        length = float(np.hypot(*(q - p)))
        across = np.array([-along[1], along[0]])
        offsets = np.arange(-4.0, 4.5, 1.0)
        strength = []
        for start, direction in ((p + along * 0.3 * length, along), (q, along), (p, -along)):
            reach = 0.4 * length if direction is along and not np.array_equal(start, q) else 0.32 * length
            skip = 0.0 if not (np.array_equal(start, q) or np.array_equal(start, p)) else 0.08 * length
            t = np.linspace(skip, reach, 18)
            grid = start + direction * t[:, None, None] + across * offsets[None, :, None]
            v = cv2.remap(
                rgb,
                grid[..., 0].astype(np.float32),
                grid[..., 1].astype(np.float32),
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            ).astype(np.float32)
            # a step across the line, measured from one side to the other; sign matters: it must not swing with the
            # texture
            step = v[:, 5:].mean(1) - v[:, :4].mean(1)
            strength.append(step)
        own = np.abs(strength[0]).sum(1).mean() + 1e-6
        for s in strength[1:]:
            steady = float(np.median(np.abs(s).sum(1)))
            on += bool(steady > max(0.45 * own, 12.0))
    return on / 8


def _inside(quad: Quad, w: int, h: int) -> bool:
    """Whether all corners are in the picture: where a card leaves it, its corners would be invented.

    A side that runs along the border is the picture's own end.
    """
    if not ((quad > -1).all() and (quad < np.array([w, h])).all()):
        return False
    margin = _BORDER * min(side_lengths(quad))
    at = np.c_[quad < margin, quad > np.array([w, h]) - 1 - margin]
    return not (at & np.roll(at, 1, 0)).any()


def _card_like(quad: Quad, long_side: int) -> bool:
    a, b = side_lengths(quad)
    short, long = min(a, b), max(a, b)
    return short > max(_SMALLEST * long_side, _FEWEST_PX) and long / short < _TOO_LONG / _TOO_SQUARE


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
