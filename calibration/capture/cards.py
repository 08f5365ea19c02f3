"""Cards of one's own copy, laid apart: their outlines, exactly, without knowing what is printed on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from scoring.table import Pose
from vision.cards.contour import fit_edges
from vision.cards.edges import outline_edges
from vision.cards.outlines import Outline, estimate_cells, find_outlines
from vision.cards.quads import overlap, side_lengths, signed_area
from vision.cards.rectify import homography
from vision.plane import Plane, estimate_plane, upright_on_a_plane
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

WORKING_SIDE = 2400  # a longer picture is looked at in this size; a card has enough pixels then
_MISFIT = 0.12  # of a card's shorter side: what is farther from any card on the plane is none
_NO_PLANE = 1.0  # ... and what the search for a size reckons with where no plane is found
_PROPORTION = (0.6, 2.2)  # height to width of a card of unknown size
_SHIFTS = (0.09, 0.06)  # of a card's shorter side: how far outside the outlines its edge may lie, pass by pass
_STEP = 0.004  # ... and how finely the edge is looked for
_ASTRAY = (0.08, 0.06)  # ... and how far a single outline may lie from its place
_UNBALANCED = 0.03  # of a card's shorter side: how far an outline may be astray between a frame and the card's edge
_FRAMED = 0.04  # ... and how far from its sides a frame's edge and the card's may lie
_ASKEW = 1.3  # by how much more alike opposite sides must be elsewhere
_BETTER = 1.05  # by how much more edge there must be along outlines that were not balanced to be taken
_AROUND = np.arange(1.1, 2.6, 0.012)  # how much wider cards may be than what is printed in their middle
_LEAST_AROUND, _AS_STATED = 0.6, 0.5  # how much of an edge must be there, and of that of what is in the middle
_LOST = 0.6  # share of the edge close by, and of the other cards' edge, below which an outline has lost its card
_INWARD = 0.3  # ... and how far inside, as a share of that
_CLOSE = 0.012  # of a card's shorter side: how far the common edge may be from the outlines found
_CLEAR = ((0.4, 1.1), (0.14, 1.5))
"""An edge farther out is the card's if it has this share of the other's support, and so much more than lies between."""
_REACHES = ((0.03, 0.02), (0.025, 0.015))
"""Of a card's shorter side: how far its edge may be from the common outline, pass by pass."""
_ROUNDED = 0.05  # of a card's shorter side: its corners' radius
_SIDES = (384, 512, 640, 896)  # long sides of the pictures that the network looks at
_BELIEF, _VISIBLE = 0.5, 0.6  # the network's certainty of a card, and the share of it that must have voted
_MORE = 1.05  # by how much more of the picture the cards of another scale must cover
_BEYOND = 0.01  # of the picture: how far a corner may lie outside
_SAME = 0.2  # overlap from which two outlines are one card


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
    rgb: Rgb, photo: int, sizes_mm: Sequence[tuple[float, float]], radius_share: float = _ROUNDED
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
    proposed = _proposed(small)
    size_px = (small.shape[1], small.shape[0])
    found = _company(proposed, sizes_mm, size_px)
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
        quad = plane.quad_of(_as_pose(p), size)
        if all(overlap(quad, q) < _SAME for q in out):
            out.append(quad)
    return [LaidCard(photo, (q + 0.5) / scale - 0.5, size) for q in out]


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
    """The cards by their edges: with outlines balanced first, or as they are if that has clearly more of an edge."""
    size, plane, quads = company
    out = []
    for balance in (True, False):
        own, poses = _settled(rgb, plane, quads, size, max(radius_mm, 1.0), balance)
        out.append(_Settled(own, poses, size, _supported(rgb, own, poses, size)))
    return out[int(out[1].support > _BETTER * out[0].support)]


def _settled(
    rgb: Rgb, plane: Plane, quads: list[Quad], size: tuple[float, float], radius_mm: float, balance: bool
) -> tuple[Plane, Array]:
    """The plane and the cards' poses (n, 3) on it, by their edges; `balance`: outlines may lie half on a frame."""
    poses = np.array([_pose(plane, q, size) for q in quads]).reshape(-1, 3)
    for far, astray, reach in zip(_SHIFTS, _ASTRAY, _REACHES, strict=True):
        if balance:
            poses = _balanced(rgb, plane, poses, size)
        grow = _farther_out(rgb, plane, poses, size, far)
        fitted = (size[0] + 2 * grow, size[1] + 2 * grow)
        poses = _gathered(rgb, plane, poses, fitted, astray)
        model = outline_edges(fitted, radius_mm)
        fits = fit_edges(rgb, plane, poses, [model] * len(poses), None, [r * min(size) for r in reach])
        poses = np.array([p if f is None else f.pose for p, f in zip(poses, fits, strict=True)]).reshape(-1, 3)
        quads = [plane.quad_of(_as_pose(p), fitted) for p in poses]
        again = estimate_plane(quads, [size] * len(quads), (rgb.shape[1], rgb.shape[0]), None, 0.7)
        if not again:
            break
        plane = again
        poses = np.array([_pose(plane, q, size) for q in quads])
    return plane, poses


def _round_it(
    rgb: Rgb, inner: _Settled, size: tuple[float, float]
) -> tuple[tuple[float, float], Plane, list[Quad]] | None:
    """Cards of the stated size round what was found in their middle, all as much larger; None where no edges are."""
    best: tuple[float, float] | None = None
    for larger in _AROUND * inner.size_mm[0] / size[0]:
        outer = (size[0] * larger, size[1] * larger)
        if outer[1] > inner.size_mm[1]:
            support = _supported(rgb, inner.plane, inner.poses, outer)
            best = max(best or (0.0, 0.0), (support, float(larger)))
    if best is None or best[0] < _LEAST_AROUND:
        return None
    quads = [inner.plane.quad_of(_as_pose(p), (size[0] * best[1], size[1] * best[1])) for p in inner.poses]
    plane = estimate_plane(quads, [size] * len(quads), (rgb.shape[1], rgb.shape[0]), None, 1.5)
    return (size, plane, quads) if plane else None


def _supported(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float]) -> float:
    """How much of an edge there is along all four sides of the cards, against what lies round it, 0 to 1."""
    around = np.arange(-12, 13)
    p = _profiles(rgb, plane, poses, size, np.asarray(around * _STEP * min(size), np.float64))
    return float(np.sqrt(p[..., np.abs(around) <= 1].max(2).prod(1)).mean())


def edge_along(rgb: Rgb, plane: Plane, quads: Sequence[Quad], size_mm: tuple[float, float]) -> float:
    """How much of an edge there is along all sides of outlines of cards on a plane, 0 to 1."""
    return _supported(rgb, plane, np.array([_pose(plane, q, size_mm) for q in quads]).reshape(-1, 3), size_mm)


def drawn_to_edges(rgb: Rgb, plane: Plane, quads: Sequence[Quad], size_mm: tuple[float, float]) -> list[list[Quad]]:
    """Outlines of cards on a plane moved to the edges close by: each by itself, and all of them with their plane."""
    poses = np.array([_pose(plane, q, size_mm) for q in quads]).reshape(-1, 3)
    radius = max(_ROUNDED * min(size_mm), 1.0)
    model = outline_edges(size_mm, radius)
    fits = fit_edges(rgb, plane, poses, [model] * len(poses), None, [r * min(size_mm) for r in _REACHES[1]])
    each = np.array([p if f is None else f.pose for p, f in zip(poses, fits, strict=True)])
    every, together = _settled(rgb, plane, list(quads), size_mm, radius, False)
    return [[p.quad_of(_as_pose(v), size_mm) for v in there] for p, there in ((plane, each), (every, together))]


def _proposed(rgb: Rgb) -> list[list[Quad]]:
    """What the network takes for cards at several scales, drawn to the edges close by."""
    size_px = (rgb.shape[1], rgb.shape[0])
    out = []
    for side in _SIDES:
        cells = estimate_cells(rgb, side)
        proposals = [p for p in find_outlines(cells) if p.belief > _BELIEF and p.visible > _VISIBLE]
        out.append([Outline(p, rgb, cells, twice=True).quad for p in proposals if _inside(p.quad_px, size_px)])
    return out


def _company(
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
        if fits and all(overlap(turned, k) < _SAME / 2 for k in kept):
            kept.append(turned)
    return size, plane, kept


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


def _pose(plane: Plane, quad: Quad, size: tuple[float, float]) -> Array:
    pose, _ = plane.pose_of(quad, size)
    return np.array([pose.x_mm, pose.y_mm, pose.angle_rad])


def _as_pose(p: Array) -> Pose:
    return Pose(float(p[0]), float(p[1]), float(p[2]))


def _farther_out(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], far: float) -> float:
    """By how many mm the cards' edge lies outside the outlines found: a printed frame is an edge, too.

    Looked for on all cards and sides together: on every side there is an edge at the same distance, and of such
    edges the outermost is the card's.
    """
    short = min(size)
    offsets = np.arange(-round(_INWARD * far / _STEP), round(far / _STEP) + 1) * _STEP * short
    profiles = _profiles(rgb, plane, poses, size, np.asarray(offsets, np.float64))
    # the side of the picture on which each lies: shadows fall to one side of all cards
    side = (np.arange(4)[None] + np.round(poses[:, 2:] / (np.pi / 2)).astype(int)) % 4
    near = np.stack([profiles[side == k].mean(0) for k in range(4)])
    support = cv2.GaussianBlur(np.sort(near, 0)[1][None], (0, 0), sigmaX=1.0)[0]
    # of the edges close to the outlines found the clearest, and then those farther out
    peak = int(np.where(np.abs(offsets) <= _CLOSE * short, support, -1).argmax())
    for i in range(peak + 1, len(offsets) - 1):
        valley = support[peak : i + 1].min()
        stands_out = support[i] > max(support[i - 1], support[i + 1])
        if stands_out and any(support[i] > max(c * support[peak], v * valley) for c, v in _CLEAR):
            peak = i
    return float(offsets[peak])


def _balanced(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float]) -> Array:
    """The poses (n, 3), moved to where opposite sides show the same edges as far out, a frame's inner edge and outer.

    An outline that runs along the frame on one side and along the card's edge on the other is half a frame astray.
    """
    short = min(size)
    reach, within = round(_UNBALANCED / _STEP), round(_FRAMED / _STEP)
    offsets = np.arange(-within - reach, within + reach + 1) * _STEP * short
    p = _profiles(rgb, plane, poses, size, np.asarray(offsets, np.float64))
    p = np.stack([cv2.GaussianBlur(side, (0, 0), sigmaX=1.0, sigmaY=0.01) for side in p])
    shifts = np.arange(-reach, reach + 1)
    middle = slice(reach, len(offsets) - reach)

    def alike(first: Array, second: Array) -> Array:
        """(n,) by how much each card is astray towards the second of two opposite sides."""
        score = np.stack([(np.roll(first, k, 1) * np.roll(second, -k, 1))[:, middle].sum(1) for k in shifts], 1)
        best = score.argmax(1)
        clear = score.max(1) > _ASKEW * score[:, reach]
        return np.asarray(np.where(clear, shifts[best], 0) * _STEP * short)

    dy, dx = alike(p[:, 0], p[:, 2]), alike(p[:, 3], p[:, 1])
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.asarray(poses + np.stack([dx * c - dy * s, dx * s + dy * c, 0 * dx], 1))


def _gathered(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], astray: float) -> Array:
    """The poses (n, 3), those moved that have a clear edge on all sides not here but close by."""
    short = min(size)
    reach = round(astray / _STEP)
    shifts = np.arange(-reach, reach + 1)
    p = _profiles(rgb, plane, poses, size, np.asarray(shifts * _STEP * short, np.float64))
    p = np.stack([cv2.dilate(side, np.ones((1, 3))) for side in p])
    upright, across = np.sqrt(p[:, 0, ::-1] * p[:, 2]), np.sqrt(p[:, 3, ::-1] * p[:, 1])
    here = np.sqrt(upright[:, reach] * across[:, reach])
    best = np.sqrt(upright.max(1) * across.max(1))
    move = here < np.minimum(_LOST * best, _LOST * float(np.median(here)))
    dy = np.where(move, shifts[upright.argmax(1)], 0) * _STEP * short
    dx = np.where(move, shifts[across.argmax(1)], 0) * _STEP * short
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.asarray(poses + np.stack([dx * c - dy * s, dx * s + dy * c, 0 * dx], 1))


def _profiles(rgb: Rgb, plane: Plane, poses: Array, size: tuple[float, float], offsets: Array) -> Array:
    """(n, 4, offsets) how much of an edge there is along each side, so far outside it, 0 to 1.

    Changes are added up along a side before they are measured, so that the table's grain cancels out.
    """
    model = outline_edges(size, 0.12 * min(size))
    out = np.zeros((len(poses), 4, len(offsets)))
    for k, pose in enumerate(poses):
        c, s = np.cos(pose[2]), np.sin(pose[2])
        turn = np.array([[c, -s], [s, c]])
        grid = (model.points_mm[:, None] + model.normals[:, None] * offsets[None, :, None]) @ turn.T + pose[:2]
        px = plane.project(grid.reshape(-1, 2)).reshape(*grid.shape[:2], 2).astype(np.float32)
        v = cv2.remap(rgb, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(float)
        for side in range(4):
            # four pieces of a side: an edge runs along all of them
            pieces = np.array_split(v[model.sides == side], 4)
            steady = np.sort([np.abs(_slope(piece.mean(0))).sum(1) for piece in pieces], 0)[1:3].mean(0)
            out[k, side] = steady / (steady.max() + 3.0)
    return out


def _slope(row: Array) -> Array:
    """How a row (n, 3) of samples changes from one to the next but one, (n, 3)."""
    soft = cv2.GaussianBlur(row[None], (0, 0), sigmaX=1.2)[0]
    out = np.zeros_like(soft)
    out[1:-1] = soft[2:] - soft[:-2]
    return np.asarray(out)
