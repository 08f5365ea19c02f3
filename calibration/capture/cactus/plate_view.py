"""From where photographs of flat plates were taken: the point below each camera, and how thick plates look from there.

The camera sees of a plate the sides that look towards the point below it, the more of them the farther the plate lies
from there. Plates of one outline on a photo grow towards that point. All photos show plates of one thickness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from calibration.capture.cactus.plate_edges import STEP, Floats, Profiles, even, explain, sampled

Array = NDArray[np.float64]

USUAL_FOCAL = 0.83
"""Focal length of a hand-held camera in long sides of its picture: about 62 degrees."""
_ROUNDED_PX, _SOFT_PX = 0.75, 1.2  # over which a rim is usually rounded, and blurred by a lens
_FOCAL_SPREAD = 0.1  # of its logarithm
_THICK_SPREAD = 0.12
_THIN = 1.5  # what it costs plates to be of another thickness than they usually are
_DEEP_PX, _OUT_PX = 13.0, 6.0  # what a profile shows on either side of a piece's outer edge
_NEAR_PX = 1.5  # ... up to which what it shows within is all piece
_FEW = 6.0  # pixels between profiles
_ENOUGH = 14.0  # evidence from which a profile says no more
_TOLD_TWICE = 1000.0  # profiles that err alike: a shadow is taken for a side on all pieces of a photo
_BELOW, _BELOW_SPREAD, _BESIDE_SPREAD = 0.13, 0.12, 0.05  # long sides: where the point below usually is
_AREA_SPREAD = 0.02  # of an area's logarithm


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """Pieces of one photo with their sides, roughly.

    Parameters
    ----------
    size_px
        Width and height of the picture.
    picture
        (h, w, 3) its colours in units of its noise.
    table
        (h, w, 3) the same as it would be with nothing on the table.
    rgb, bare
        (h, w, 3) both as RGB 0..1.
    covered
        (h, w) 1 where a piece lies.
    outer
        Outlines (n, 2) in px of pieces and what is seen of their sides.
    faces
        (pieces, 3) the colours of their upper faces.
    """

    size_px: tuple[int, int]
    picture: Floats
    table: Floats
    rgb: Floats
    bare: Floats
    covered: NDArray[np.uint8]
    outer: tuple[Array, ...]
    faces: Array

    @property
    def middle(self) -> Array:
        """(2,) px."""
        return (np.array(self.size_px) - 1) / 2

    @property
    def long_px(self) -> int:
        """The picture's long side."""
        return max(self.size_px)


@dataclass(frozen=True, slots=True, eq=False)
class PlateView:
    """How one photo sees plates.

    Parameters
    ----------
    below_px
        The point of the picture below the camera.
    shrink
        Thickness as a share of the camera's height.
    focal_px
        Focal length.
    middle_px
        The picture's middle.
    """

    below_px: Array
    shrink: float
    focal_px: float
    middle_px: Array

    @property
    def slant(self) -> float:
        """How much larger plates are in the flat picture than in the middle of the photo, by the root of their area."""
        return float((1 + ((self.below_px - self.middle_px) ** 2).sum() / self.focal_px**2) ** 0.75)

    @classmethod
    def of(cls, below_px: Array, thick_px: float, focal_px: float, middle_px: Array) -> PlateView:
        """The view in which plates are so many pixels thick, in the scale of the photo's middle."""
        view = cls(below_px, 0.0, focal_px, middle_px)
        return replace(view, shrink=thick_px * view.slant / focal_px)

    def side(self, points: Array) -> Array:
        """(n, 2) px from the upper rim at these points to the lower one."""
        nearer = 1 + (points - self.middle_px) @ (self.below_px - self.middle_px) / self.focal_px**2
        return np.asarray(self.shrink * nearer[:, None] * (self.below_px - points))

    def flat(self, points: Array) -> Array:
        """Points of the picture on the faces' plane, in px as the picture shows them below the camera's middle ray."""
        n = np.r_[(self.below_px - self.middle_px) / self.focal_px, 1.0]
        n /= np.linalg.norm(n)
        right = np.cross([0.0, 1.0, 0.0], n)
        right /= np.linalg.norm(right)
        down = np.cross(n, right)
        rays = np.c_[(points - self.middle_px) / self.focal_px, np.ones(len(points))]
        depth = rays @ n
        return np.asarray(np.stack([rays @ right, rays @ down], 1) / depth[:, None] * self.focal_px)

    def seen(self, flat: Array) -> Array:
        """The inverse of `flat`."""
        n = np.r_[(self.below_px - self.middle_px) / self.focal_px, 1.0]
        n /= np.linalg.norm(n)
        right = np.cross([0.0, 1.0, 0.0], n)
        right /= np.linalg.norm(right)
        down = np.cross(n, right)
        at = n + (flat[:, :1] * right + flat[:, 1:] * down) / self.focal_px
        return np.asarray(at[:, :2] / at[:, 2:] * self.focal_px + self.middle_px)


@dataclass(frozen=True, slots=True, eq=False)
class SideSigns:
    """What the rims of a photo tell of the width of sides.

    Parameters
    ----------
    points, normals
        (n, 2) places of outer edges and their directions outward.
    widths
        (k,) px.
    cost
        (n, k) how badly a side of that width explains what is seen there.
    """

    points: Array
    normals: Array
    widths: Array
    cost: Array

    def against(self, view: PlateView) -> float:
        """How badly sides fit with a view."""
        if not len(self.points):
            return 0.0
        w = np.clip((view.side(self.points) * self.normals).sum(1), 0, self.widths[-1]) / (
            self.widths[1] - self.widths[0]
        )
        i = np.minimum(w.astype(int), len(self.widths) - 2)
        share = w - i
        rows = np.arange(len(w))
        return float((self.cost[rows, i] * (1 - share) + self.cost[rows, i + 1] * share).sum()) / _TOLD_TWICE


def read_sides(traced: Traced) -> SideSigns:
    """How wide the sides of a photo's pieces look, at many places."""
    widths = np.arange(0.0, _DEEP_PX - 2.0 + 0.1, 1.0)
    if not traced.outer:
        return SideSigns(np.zeros((0, 2)), np.zeros((0, 2)), widths, np.zeros((0, len(widths))))
    rims = [even(o, 1.0, 1.0) for o in traced.outer]
    step = int(_FEW)
    points = np.vstack([p[::step] for p, _ in rims])
    normals = np.vstack([n[::step] for _, n in rims])
    face = np.vstack([np.repeat(f[None], len(p[::step]), 0) for f, (p, _) in zip(traced.faces, rims, strict=True)])
    there = sampled(traced.covered.astype(np.float32), points, normals, _OUT_PX, _DEEP_PX) > 0.5
    there = there.reshape(len(points), -1)
    deep = there[:, : round((_DEEP_PX - _NEAR_PX) / STEP)].all(1)
    again = (there & np.maximum.accumulate(~there, axis=1)).any(1)  # a piece, behind where this one ends
    use = deep & ~again
    points, normals, face = points[use], normals[use], face[use]
    cost = np.zeros((len(points), len(widths)))
    if not len(points):
        return SideSigns(points, normals, widths, cost)
    profiles = Profiles(
        sampled(traced.picture, points, normals, _OUT_PX, _DEEP_PX),
        face,
        colours_at(traced.table, points),
    )
    outer = np.arange(-3, 3.1, 0.5)
    for j, width in enumerate(widths):
        cost[:, j] = explain(profiles, float(width), outer - width, _SOFT_PX, _ROUNDED_PX, _DEEP_PX).min(1)
    cost -= cost.min(1, keepdims=True)
    return SideSigns(points, normals, widths, np.minimum(cost, _ENOUGH))


def colours_at(picture: Floats, points: Array) -> Array:
    """(n, 3) of a picture at points."""
    at = points.astype(np.float32)[:, None]
    return np.asarray(cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR)[:, 0], float)


def settle_views(
    traced: Sequence[Traced],
    signs: Sequence[SideSigns],
    scales: Sequence[float],
    tilts: Sequence[tuple[Array, Array]],
    focal_share: float | None = None,
    usual_offset: Array | None = None,
    thickness: float | None = None,
) -> tuple[list[PlateView], float]:
    """The views of all photos together.

    Parameters
    ----------
    scales
        Pixels per mm in the middle of each photo, to a common unknown factor.
    tilts
        For each photo how the scale grows across it, (2,) its logarithm per px, and (2, 2) how certain that is (the
        inverse of its covariance).
    focal_share
        Focal length in long sides, where it is known.
    usual_offset
        (2,) where the point below the camera usually lies from the picture's middle, in long sides.
    thickness
        As thick plates look in the unit of the scales, where that is known.

    Returns
    -------
    The views, and the thickness in the unit of the scales.
    """
    usual = 3.5  # mm: what a plate is cut from
    held = np.array([0.0, _BELOW]) if usual_offset is None else usual_offset
    starts = [(one.middle, one.long_px, sign) for one, sign in zip(traced, signs, strict=True)]
    focals = USUAL_FOCAL * np.exp(_FOCAL_SPREAD * np.array([-1.5, -0.75, 0, 0.75, 1.5]))

    def of_photo(k: int, focal: float, thick: float, below: Array) -> float:
        middle, long, sign = starts[k]
        f = focal * long
        view = PlateView.of(below, thick * scales[k], f, middle)
        offset = (below - middle) / long
        prior = 0.5 * float((((offset - held) / [_BESIDE_SPREAD, _BELOW_SPREAD]) ** 2).sum())
        grown, certain = tilts[k]
        miss = (below - middle) / f**2 - grown
        return sign.against(view) + prior + 0.5 * float(miss @ certain @ miss)

    def best_below(k: int, focal: float, thick: float, start: Array | None) -> tuple[float, Array]:
        middle, long, _ = starts[k]
        if start is None:
            grid = [middle + long * np.array([x, y]) for x in (-0.05, 0, 0.05) for y in np.arange(-0.05, 0.46, 0.05)]
            grid.append(middle + tilts[k][0] * (focal * long) ** 2)
            start = min(grid, key=lambda b: of_photo(k, focal, thick, b))
        corners = start + long * np.array([[0, 0], [0.02, 0], [0, 0.02]])
        fit = minimize(
            lambda b: of_photo(k, focal, thick, b),
            start,
            method="Nelder-Mead",
            options={"initial_simplex": corners, "xatol": 1.0, "fatol": 0.02},
        )
        return float(fit.fun), np.asarray(fit.x)

    best: tuple[float, float, float, list[Array]] | None = None
    tried = np.r_[0.0, 0.12, 0.25, 0.5, np.exp(_THICK_SPREAD * np.arange(-2, 2.1, 0.5))]
    for focal in focals if focal_share is None else [focal_share]:
        for thick in usual * tried if thickness is None else [thickness]:
            total = 0.5 * (np.log(focal / USUAL_FOCAL) / _FOCAL_SPREAD) ** 2
            # printed on paper, pieces are as thin as that
            if thickness is None:
                total += min(_THIN, 0.5 * (np.log(max(thick / usual, 0.01)) / _THICK_SPREAD) ** 2)
            found = []
            for k in range(len(traced)):
                cost, below = best_below(k, float(focal), float(thick), None)
                total += cost
                found.append(below)
            if best is None or total < best[0]:
                best = (total, float(focal), float(thick), found)
    assert best is not None
    _, focal, thick, found = best
    views = [
        PlateView.of(below, thick * scale, focal * one.long_px, one.middle)
        for one, below, scale in zip(traced, found, scales, strict=True)
    ]
    return views, thick


def growth(
    areas: Array, middles: Array, photos: NDArray[np.intp], kinds: NDArray[np.intp], count: int
) -> tuple[list[tuple[Array, Array]], Array]:
    """How the scale grows across each photo, from the areas (n,) in px of pieces of one outline (kinds, -1 for none).

    Also each photo's scale, to a common factor: (count,), NaN where no outline tells.
    """
    use = kinds >= 0
    y = np.log(np.maximum(areas[use], 1.0))
    photo, kind = photos[use], kinds[use]
    shapes = int(kind.max()) + 1 if use.any() else 0
    A = np.zeros((len(y), 3 * count + shapes))
    rows = np.arange(len(y))
    A[rows, 3 * photo] = 1
    A[rows, 3 * photo + 1] = 3 * middles[use, 0]
    A[rows, 3 * photo + 2] = 3 * middles[use, 1]
    A[rows, 3 * count + kind] = 1
    # what is not told stays where it usually is: no tilt sideways, little else
    loose = np.r_[np.tile([1e-3, 600.0, 600.0], count), np.full(shapes, 1e-3)]
    weight = np.ones(len(y))
    solved: Array = np.zeros(A.shape[1])
    normal = np.diag(loose**2)
    for _ in range(6):
        normal = (A * weight[:, None]).T @ A / _AREA_SPREAD**2 + np.diag(loose**2)
        solved = np.asarray(np.linalg.solve(normal, (A * weight[:, None]).T @ y / _AREA_SPREAD**2), np.float64)
        miss = np.abs(y - A @ solved) / _AREA_SPREAD
        weight = 1 / (1 + (miss / 2) ** 2)
    spread = np.linalg.inv(normal)
    tilts: list[tuple[Array, Array]] = []
    scales: Array = np.full(count, np.nan)
    for k in range(count):
        part = slice(3 * k + 1, 3 * k + 3)
        certain = np.linalg.inv(spread[part, part]) - np.diag(loose[part] ** 2)
        tilts.append((solved[part], np.asarray(certain, np.float64)))
        if (photo == k).any():
            scales[k] = np.exp(solved[3 * k] / 2)
    return tilts, scales
