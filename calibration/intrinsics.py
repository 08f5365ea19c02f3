"""Learn a camera's lens from pictures of known points, and say in plain words how well that went.

The points may be the corners of the printed target (`find_target`) or anything flat whose places are known in mm,
such as the corners of cards: `estimate_camera` takes any `View`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grades import Calibration, Rejected, View
from calibration.sheets.target import board
from vision.camera import CameraModel
from vision.types import Failure, Rgb

Array = NDArray[np.float64]

LEAST_VIEWS = 5
MOST_VIEWS = 40
_LEAST_POINTS = 12
_SPOTS = 400
_CELLS = (6, 4)  # the picture is divided into these to see where the target has been


def find_target(rgb: Rgb, name: str = "") -> View | Failure:
    """Find the printed target in a picture.

    Returns
    -------
    View, or Failure with reason `no-target`, `too-few-corners` (too little of it is seen) or `one-line` (the corners
    seen lie on one line).
    """
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(grey)
    if ids is None or len(ids) == 0:
        return Failure("no-target", "the target was not found")
    px = np.asarray(corners, np.float64).reshape(-1, 2)
    mm = np.asarray(board().getChessboardCorners(), np.float64)[np.asarray(ids).ravel(), :2]
    if len(px) < _LEAST_POINTS:
        return Failure(
            "too-few-corners", f"only {len(px)} corners of the target can be seen, {_LEAST_POINTS} are needed"
        )
    if np.linalg.svd(mm - mm.mean(axis=0), compute_uv=False)[1] < 1.0:
        return Failure("one-line", "all corners seen lie on one line")
    return View(name, mm, px, (int(grey.shape[1]), int(grey.shape[0])))


def collect_views(
    pictures: Iterable[tuple[str, Rgb]], said: Callable[[int], None] | None = None
) -> tuple[list[View], list[Rejected]]:
    """Look for the target in every picture.

    Parameters
    ----------
    pictures
        Names and pictures; frames of a camera as well as photos.
    said
        Called with the number of pictures looked at.

    Returns
    -------
    The views, and the pictures without one.
    """
    views: list[View] = []
    rejected: list[Rejected] = []
    for i, (name, rgb) in enumerate(pictures, start=1):
        view = find_target(rgb, name)
        if isinstance(view, View):
            views.append(view)
        else:
            rejected.append(Rejected(name, view.detail))
        if said:
            said(i)
    return views, rejected


def estimate_camera(views: Sequence[View], before: Sequence[Rejected] = ()) -> Calibration | Failure:
    """Estimate focal length, centre and radial distortion from several views.

    Pixels are taken as square and tangential distortion as zero: what both cost is far below what a few views can
    tell. Views that do not fit the others are left out, and so are views that say nothing new.

    Parameters
    ----------
    views
        At least five of one camera. Where picture sizes differ, those of the commonest size count.
    before
        Pictures rejected earlier, to be listed with the others.

    Returns
    -------
    Calibration, or Failure with reason `too-few-views` or `no-solution`.
    """
    rejected = list(before)
    sizes = Counter(v.size_px for v in views)
    usual = max(sizes, key=lambda size: sizes[size], default=(0, 0))
    for v in views:
        if v.size_px != usual:
            w, h = v.size_px
            rejected.append(Rejected(v.name, f"is {w} × {h} px where most are {usual[0]} × {usual[1]}"))
    views = [v for v in views if v.size_px == usual]
    fresh = _different(views)
    kept = fresh[:MOST_VIEWS]
    chosen = {id(v) for v in kept}
    rejected += [
        Rejected(v.name, "shows nothing that another picture does not show") for v in views if id(v) not in chosen
    ]
    while True:
        if len(kept) < LEAST_VIEWS:
            return Failure(
                "too-few-views",
                f"{len(kept)} different, usable views of the target; at least {LEAST_VIEWS} are needed, ten are better",
            )
        fit = _fit(kept)
        if not isinstance(fit, _Fit):
            return fit
        limit = max(3.0 * float(np.median(fit.errors)), 2.5e-4 * kept[0].size_px[0])
        worst = int(np.argmax(fit.errors))
        if fit.errors[worst] <= limit:
            break
        rejected.append(Rejected(kept[worst].name, f"does not fit the others ({fit.errors[worst]:.1f} px off)"))
        kept = [v for i, v in enumerate(kept) if i != worst]
    names = tuple(v.name for v in kept)
    points = np.concatenate([v.points_px for v in kept])
    return Calibration(
        fit.camera,
        fit.error,
        coverage_of(points, usual),
        fit.focal_sigma,
        names,
        tuple(rejected),
        thinned(np.c_[points, fit.off]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    camera: CameraModel
    error: float
    errors: Array
    focal_sigma: float
    off: Array


def _fit(views: Sequence[View]) -> _Fit | Failure:
    objects = [np.column_stack([v.points_mm, np.zeros(len(v.points_mm))]).astype(np.float32) for v in views]
    images = [v.points_px.astype(np.float32).reshape(-1, 1, 2) for v in views]
    w, h = views[0].size_px
    base = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3 | cv2.CALIB_USE_INTRINSIC_GUESS
    # a second radial term that bends the picture's corners back is noise: then only the first is fitted
    for flags in (base, base | cv2.CALIB_FIX_K2):
        guess = np.array([[0.9 * w, 0, (w - 1) / 2], [0, 0.9 * w, (h - 1) / 2], [0, 0, 1.0]])
        try:
            error, k, dist, turns, shifts, deviations, _, errors = cv2.calibrateCameraExtended(
                objects, images, (w, h), guess, np.zeros(5), flags=flags
            )
        except cv2.error:
            return Failure("no-solution", "the views contradict each other; are all of the same camera and target?")
        K, dist = np.asarray(k, np.float64), np.asarray(dist, np.float64).ravel()[:5]
        if _bends_back(K, dist, (w, h)):
            continue
        fx = float(K[0, 0])
        centre = np.hypot(K[0, 2] - (w - 1) / 2, K[1, 2] - (h - 1) / 2) / np.hypot(w, h)
        if not (np.isfinite(error) and 0.3 * w < fx < 6 * w and centre < 0.2):
            break
        sigma = float(np.ravel(deviations)[0]) / fx
        off = [
            image.reshape(-1, 2) - cv2.projectPoints(points, turn, shift, K, dist)[0].reshape(-1, 2)
            for points, image, turn, shift in zip(objects, images, turns, shifts, strict=True)
        ]
        misses = np.concatenate(off).astype(np.float64)
        return _Fit(CameraModel((w, h), K, dist), float(error), np.ravel(errors), sigma, misses)
    return Failure("no-solution", "no lens explains these views; tilt the target to different sides and try again")


def _bends_back(K: Array, dist: Array, size: tuple[int, int]) -> bool:
    """Whether the radial distortion turns round inside the picture, so that it could not be undone."""
    corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]], np.float64)
    reach = float(np.max(np.hypot((corners[:, 0] - K[0, 2]) / K[0, 0], (corners[:, 1] - K[1, 2]) / K[1, 1])))
    r = np.linspace(0, reach * 1.15, 100)
    slope = 1 + 3 * dist[0] * r**2 + 5 * dist[1] * r**4
    return bool(np.any(slope <= 0.05))


def _different(views: Sequence[View]) -> list[View]:
    """The views, most telling first: each next one is the least like those before; near copies are left out."""
    if not views:
        return []
    corners = np.array([outline_of(v) for v in views])
    left = list(range(len(views)))
    first = int(np.argmax([len(v.points_px) for v in views]))
    order = [first]
    left.remove(first)
    while left:
        gaps = [min(float(np.abs(corners[i] - corners[j]).mean()) for j in order) for i in left]
        best = int(np.argmax(gaps))
        if gaps[best] < 0.006 * views[0].size_px[0]:
            break
        order.append(left.pop(best))
    return [views[i] for i in order]


def outline_of(view: View) -> Array:
    """(4, 2) px: where four fixed points of the plane lie, by the homography of the view."""
    lo, hi = view.points_mm.min(axis=0), view.points_mm.max(axis=0)
    try:
        h, _ = cv2.findHomography(view.points_mm, view.points_px)
    except cv2.error:
        h = None
    if h is None:
        return np.repeat(view.points_px.mean(axis=0)[None], 4, axis=0)
    box = np.array([[lo, [hi[0], lo[1]], hi, [lo[0], hi[1]]]], np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(box, h), np.float64).reshape(4, 2)


def coverage_of(points_px: Array, size_px: tuple[int, int]) -> float:
    """Share of the picture, cut into a few cells, in which there are points."""
    seen = np.zeros(_CELLS, bool)
    cell = np.floor(points_px / np.array(size_px) * np.array(_CELLS)).astype(int)
    cell = np.clip(cell, 0, np.array(_CELLS) - 1)
    seen[cell[:, 0], cell[:, 1]] = True
    return float(seen.mean())


def thinned(spots: Array, most: int = _SPOTS) -> Array:
    """At most so many rows, spread over all of them."""
    return spots[:: max(1, -(-len(spots) // most))]
