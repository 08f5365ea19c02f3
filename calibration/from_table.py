"""Lens and table without any print, from the cards or the cacti themselves; and the table's plane and scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.grades import Calibration, Rejected, Shown, View
from calibration.intrinsics import coverage_of, thinned
from vision.cactus.upright import Stage
from vision.camera import CameraModel
from vision.plane import ANY_LENS, Plane, estimate_plane
from vision.tracking.recheck import Piece
from vision.types import Failure

Array = NDArray[np.float64]

LEAST_CARDS = 4
_BOARD = 2.5  # a piece so many times as long as the shortest is a board
_SIGMA_SHARE = 2.5e-4
"""Corners are no more exact than this share of the picture's longer side: cards are cut, and bent a little."""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """One picture of cards of known size on one table."""

    name: str
    pieces: tuple[Piece, ...]
    size_px: tuple[int, int]

    @property
    def enough(self) -> bool:
        """Whether it tells a plane: several cards, or fewer and a board, which is as wide as they lie apart."""
        sides = sorted((max(p.size_mm) for p in self.pieces), reverse=True)
        wide = len(sides) > 1 and sides[0] > _BOARD * sides[-1]
        return len(self.pieces) >= (2 if wide else LEAST_CARDS)


def estimate_from_cards(pictures: Sequence[Laid]) -> Calibration | Failure:
    """The lens from cards that lie on a table, picture by picture: each one tells what the ones before left open.

    Parameters
    ----------
    pictures
        All of one camera at one zoom. One is enough where the camera looks down at a slant; several from different
        sides are better.

    Returns
    -------
    Calibration, or Failure with reason `too-few-cards` or `no-common-plane`.
    """
    rejected = [
        Rejected(p.name, f"shows {len(p.pieces)} whole cards that are read for sure; at least {LEAST_CARDS} are needed")
        for p in pictures
        if not p.enough
    ]
    usable = sorted((p for p in pictures if p.enough), key=lambda p: -len(p.pieces))
    if usable:
        size = usable[0].size_px
        rejected += [Rejected(p.name, "has another size than the others") for p in usable if p.size_px != size]
        usable = [p for p in usable if p.size_px == size]
    prior, used = ANY_LENS, []
    for picture in usable:
        quads, sizes = [p.quad_px for p in picture.pieces], [p.size_mm for p in picture.pieces]
        plane = estimate_plane(quads, sizes, size, None, _sigma_px(picture), prior)
        if isinstance(plane, Failure) or plane.lens is None:
            rejected.append(Rejected(picture.name, "shows cards that share no table"))
            continue
        prior, camera = plane.lens, plane.camera
        used.append(picture)
    if not used:
        return Failure(
            "too-few-cards",
            f"no picture shows {LEAST_CARDS} whole cards of the deck on one table; lay some apart, face up, in light",
        )
    spots = np.concatenate([_spots(picture, camera) for picture in used])
    error = float(np.sqrt(np.median((spots[:, 2:] ** 2).sum(1)))) if len(spots) else float("inf")
    names = tuple(p.name for p in used)
    coverage = coverage_of(spots[:, :2], size)
    return Calibration(camera, error, coverage, prior.sigma_log_f, names, tuple(rejected), thinned(spots), Shown.TABLE)


def estimate_from_stages(stages: Sequence[tuple[str, Stage]]) -> Calibration | Failure:
    """The lens from standing cacti: each picture tells a focal length, and their spread how sure it is."""
    if not stages:
        return Failure("no-cacti", "no picture shows the cacti of this set; stand them up in front of the camera")
    size = stages[0][1].camera.size_px
    same = [(name, s) for name, s in stages if s.camera.size_px == size]
    rejected = [Rejected(n, "has another size than the others") for n, s in stages if s.camera.size_px != size]
    logs = np.array([np.log(s.camera.K[0, 0]) for _, s in same])
    # a single picture tells the focal length only as well as the cacti's depth shows: of six pictures to 1.7 %
    sigma = float(max(logs.std(), 0.02) / np.sqrt(len(logs)))
    K = same[0][1].camera.K.copy()
    K[0, 0] = K[1, 1] = float(np.exp(np.median(logs)))
    dist = np.median([s.camera.dist for _, s in same], axis=0)
    feet = [s.project(np.zeros((1, 3)), u.to_camera)[0] for _, s in same for u in s.cacti]
    tops = [s.project(np.array([[0.0, 60.0, 0.0]]), u.to_camera)[0] for _, s in same for u in s.cacti]
    error = float(np.median([u.sigma_px for _, s in same for u in s.cacti]))
    points = np.array(feet + tops)
    coverage = coverage_of(points, size)
    names = tuple(n for n, _ in same)
    return Calibration(CameraModel(size, K, dist), error, coverage, sigma, names, tuple(rejected), shown=Shown.CACTI)


def table_from_target(view: View, camera: CameraModel) -> Plane | Failure:
    """The table's plane from the target that lies on it, in the mm that its squares are printed with.

    Parameters
    ----------
    view
        What `find_target` found; of the camera's own picture size.
    camera
        The lens.

    Returns
    -------
    Plane, its origin where the camera's axis meets it and turned as the camera sees it, or Failure.
    """
    lens = camera.scaled(*view.size_px)
    ideal = lens.undistort(view.points_px)
    points = np.c_[view.points_mm, np.zeros(len(view.points_mm))]
    try:
        ok, turn, shift = cv2.solvePnP(points, ideal, lens.K, None, flags=cv2.SOLVEPNP_IPPE)
        if ok:
            turn, shift = cv2.solvePnPRefineLM(points, ideal, lens.K, None, turn, shift)
    except cv2.error:
        ok = False
    if not ok:
        return Failure("no-plane", "the target on the table does not fit the lens; lay it quite flat")
    R = cv2.Rodrigues(turn)[0]
    H = lens.K @ np.c_[R[:, 0], R[:, 1], np.ravel(shift)]
    plane = _normal(Plane(lens, np.asarray(H / H[2, 2], np.float64), 0.0))
    there = H @ np.c_[view.points_mm, np.ones(len(view.points_mm))].T
    off = lens.distort((there[:2] / there[2]).T) - view.points_px
    return replace(plane, residual_px=float(np.sqrt((off**2).sum(1).mean())))


def table_from_cards(picture: Laid, camera: CameraModel) -> Plane | Failure:
    """The table's plane and scale from cards whose size is known."""
    if not picture.enough:
        return Failure("too-few-cards", f"the table shows {len(picture.pieces)} whole cards; lay {LEAST_CARDS} or more")
    lens = camera.scaled(*picture.size_px)
    quads, sizes = [p.quad_px for p in picture.pieces], [p.size_mm for p in picture.pieces]
    plane = estimate_plane(quads, sizes, picture.size_px, lens, _sigma_px(picture))
    return plane if isinstance(plane, Failure) else _normal(plane)


def _sigma_px(picture: Laid) -> float:
    seen = float(np.median([p.sigma_px for p in picture.pieces]))
    return max(seen, _SIGMA_SHARE * max(picture.size_px))


def _spots(picture: Laid, camera: CameraModel) -> Array:
    """(n, 4) corners, and by how much the rigid cards on one table miss them."""
    plane = table_from_cards(picture, camera)
    if isinstance(plane, Failure):
        return np.zeros((0, 4))
    out = []
    for piece in picture.pieces:
        pose, _ = plane.pose_of(piece.quad_px, piece.size_mm)
        out.append(np.c_[piece.quad_px, piece.quad_px - plane.quad_of(pose, piece.size_mm)])
    return np.concatenate(out)


def _normal(plane: Plane) -> Plane:
    """The same plane with its origin where the camera's axis meets it, x to the right in the middle of the picture."""
    middle = plane.camera.K[:2, 2]
    at = plane.unproject(plane.camera.distort(middle[None]))[0]
    moved = plane.moved(float(at[0]), float(at[1]))
    a, b = moved.project(np.array([[0.0, 0.0], [1.0, 0.0]]))
    angle = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
    # a few turns: seen at a slant, an angle on the table is not quite one in the picture
    for _ in range(8):
        c, s = np.cos(angle), np.sin(angle)
        a, b = moved.project(np.array([[0.0, 0.0], [c, -s]]))
        off = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
        if abs(off) < 1e-9:
            break
        angle += off
    c, s = np.cos(angle), np.sin(angle)
    turned = moved.to_px @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]])
    return replace(moved, to_px=turned / turned[2, 2])
