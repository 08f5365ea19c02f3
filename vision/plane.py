"""The table's plane: the only place where pixels become millimetres and back.

No calibration is needed. Cards are rectangles of known size, so where many of them lie on one plane their corners tell
the tilt, the focal length and the lens. The camera is assumed to have square pixels and its axis in the picture's
middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares

from scoring.table import Pose
from vision.camera import CameraModel
from vision.cards.quads import signed_area
from vision.types import Failure, Quad

Array = NDArray[np.float64]

_HFOV = np.radians(64)  # what webcams and phones have; the long side of the picture
_SIGMA_LOG_F = 0.22
_SIGMA_K1 = 0.06


@dataclass(frozen=True, slots=True)
class LensPrior:
    """What is known of a lens before a picture is looked at; each value with its standard deviation.

    Parameters
    ----------
    log_f, sigma_log_f
        Logarithm of the focal length in units of the picture's longer side.
    k1, sigma_k1
        First radial distortion coefficient.
    """

    log_f: float
    sigma_log_f: float
    k1: float
    sigma_k1: float

    def loosened(self, factor: float = 1.5, least: float = 0.02) -> LensPrior:
        """The same knowledge for another picture: a lens that focuses anew changes a little."""
        return replace(
            self,
            sigma_log_f=max(least, factor * self.sigma_log_f),
            sigma_k1=max(least, factor * self.sigma_k1),
        )


ANY_LENS = LensPrior(float(-np.log(2 * np.tan(_HFOV / 2))), _SIGMA_LOG_F, 0.0, _SIGMA_K1)
"""What webcams and phones have."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A plane seen by a camera.

    Parameters
    ----------
    camera
        Focal length and lens, estimated or given.
    to_px
        (3, 3) homography from (x, y, 1) mm to ideal (undistorted) px.
    residual_px
        Root mean square distance of the cards' corners from the fit.
    lens
        What the fit tells of the lens, or None where it was given.
    """

    camera: CameraModel
    to_px: Array
    residual_px: float
    lens: LensPrior | None = None

    def project(self, points_mm: ArrayLike) -> Array:
        """(n, 2) mm on the plane -> (n, 2) px of the picture."""
        p = np.asarray(points_mm, float).reshape(-1, 2)
        q = np.c_[p, np.ones(len(p))] @ self.to_px.T
        return self.camera.distort(q[:, :2] / q[:, 2:3])

    def unproject(self, points_px: ArrayLike) -> Array:
        """(n, 2) px of the picture -> (n, 2) mm on the plane."""
        p = self.camera.undistort(points_px)
        q = np.c_[p, np.ones(len(p))] @ np.linalg.inv(self.to_px).T
        return np.asarray(q[:, :2] / q[:, 2:3])

    def px_per_mm(self, point_mm: ArrayLike) -> float:
        """Scale at a point: square root of the area that a square millimetre has in the picture."""
        p = np.asarray(point_mm, float).reshape(2)
        q = self.project(np.array([p, p + [1, 0], p + [0, 1]]))
        a, b = q[1] - q[0], q[2] - q[0]
        return float(np.sqrt(abs(a[0] * b[1] - a[1] * b[0])))

    def pose_of(self, quad_px: Quad, size_mm: tuple[float, float]) -> tuple[Pose, float]:
        """The rigid pose whose corners fit the quad best, and the root mean square misfit in mm."""
        m = self.unproject(quad_px)
        centre, angle, rms = fit_rectangle(m[None], np.array([size_mm]))
        return Pose(float(centre[0, 0]), float(centre[0, 1]), float(angle[0])), float(rms[0])

    def quad_of(self, pose: Pose, size_mm: tuple[float, float]) -> Quad:
        """(4, 2) px: printed top-left, top-right, bottom-right, bottom-left corner of a card at that pose."""
        c, s = np.cos(pose.angle_rad), np.sin(pose.angle_rad)
        local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size_mm) / 2
        return self.project(local @ np.array([[c, s], [-s, c]]) + [pose.x_mm, pose.y_mm])

    def camera_at(self) -> Array:
        """(3,) where the camera is, in mm: its foot on the plane and its height above it.

        What stands up hides the plane behind it: its point at height h is seen where the plane's point
        p + (p - foot) h / (height - h) would be.
        """
        m = np.linalg.inv(self.camera.K) @ self.to_px
        m = m * np.sign(m[2, 2]) / np.sqrt(np.linalg.norm(m[:, 0]) * np.linalg.norm(m[:, 1]))
        axes = np.c_[m[:, :2], np.cross(m[:, 0], m[:, 1])]
        at = -np.linalg.inv(axes) @ m[:, 2]
        return np.array([at[0], at[1], abs(at[2])])

    def scaled(self, width: int, height: int) -> Plane:
        """The same plane in pictures of another size."""
        lens = self.camera.scaled(width, height)
        residual = self.residual_px * width / self.camera.size_px[0]
        return Plane(lens, lens.K @ np.linalg.inv(self.camera.K) @ self.to_px, residual, self.lens)

    def moved(self, dx_mm: float, dy_mm: float) -> Plane:
        """The same plane with its origin at (dx, dy) of the old coordinates."""
        shift = np.array([[1, 0, dx_mm], [0, 1, dy_mm], [0, 0, 1.0]])
        return Plane(self.camera, self.to_px @ shift, self.residual_px, self.lens)


def fit_rectangle(corners_mm: Array, sizes_mm: Array) -> tuple[Array, Array, Array]:
    """Rigid rectangles through corners: (n, 4, 2), (n, 2) -> centres (n, 2), angles (n,), rms misfit (n,) mm."""
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * sizes_mm[:, None, :] / 2
    centre = corners_mm.mean(1)
    d = corners_mm - centre[:, None]
    cos = (d * local).sum((1, 2))
    sin = (local[..., 0] * d[..., 1] - local[..., 1] * d[..., 0]).sum(1)
    angle = np.arctan2(sin, cos)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    model = np.stack([local[..., 0] * c - local[..., 1] * s, local[..., 0] * s + local[..., 1] * c], -1)
    return centre, angle, np.sqrt(((d - model) ** 2).sum(2).mean(1))


def _homography(params: Array, size_px: tuple[int, int]) -> tuple[Array, Array]:
    """Intrinsic matrix and plane homography (mm -> ideal px) of (log f, tilt x, tilt y, log px per mm)."""
    log_f, ax, ay, log_s = params[:4]
    f = np.exp(log_f)
    w, h = size_px
    K = np.array([[f, 0, (w - 1) / 2], [0, f, (h - 1) / 2], [0, 0, 1.0]])
    cx, sx, cy, sy = np.cos(ax), np.sin(ax), np.cos(ay), np.sin(ay)
    R = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    t = np.array([0, 0, f / np.exp(log_s)])
    return K, K @ np.c_[R[:, 0], R[:, 1], t]


def _straighten(points: Array, K: Array, k1: float) -> Array:
    """Undistort (…, 2) px for one radial coefficient, by fixed-point iteration (exact enough for |k1| < 0.2)."""
    f, c = K[0, 0], K[:2, 2]
    d = (points - c) / f
    n = d
    for _ in range(6 if k1 else 0):
        n = d / (1 + k1 * (n**2).sum(-1, keepdims=True))
    return np.asarray(n * f + c)


def upright_on_a_plane(quads: Sequence[Quad], size_mm: tuple[float, float], size_px: tuple[int, int]) -> list[Quad]:
    """The quads rolled so that side 0 is a card's width, judged together.

    On a tilted table a card's longer side may look the shorter one. So usual tilts are tried, and the one on which all
    quads look most like cards of that size decides.
    """
    q = np.stack([np.asarray(v, float) for v in quads])
    both = np.stack([q, np.roll(q, -1, 1)])
    f = max(size_px) / 2 / np.tan(_HFOV / 2)
    best: tuple[float, NDArray[np.intp]] | None = None
    for tilt in (0.0, 0.3, 0.6):
        for around in np.arange(0, 2 * np.pi, np.pi / 4) if tilt else (0.0,):
            _, H = _homography(np.array([np.log(f), tilt * np.cos(around), tilt * np.sin(around), 0.0]), size_px)
            m = np.concatenate([both, np.ones((*both.shape[:3], 1))], -1) @ np.linalg.inv(H).T
            m = m[..., :2] / m[..., 2:3]
            area = (
                np.abs(
                    np.cross(
                        np.pad(m[..., 2, :] - m[..., 0, :], ((0, 0), (0, 0), (0, 1))),
                        np.pad(m[..., 3, :] - m[..., 1, :], ((0, 0), (0, 0), (0, 1))),
                    )[..., 2]
                )
                / 2
            )
            m = m * np.sqrt(size_mm[0] * size_mm[1] / np.maximum(area, 1e-9))[..., None, None]
            misfit = np.stack([fit_rectangle(v, np.tile(size_mm, (len(q), 1)))[2] for v in m])
            cost = float(np.median(misfit.min(0)))
            if best is None or cost < best[0]:
                best = (cost, misfit.argmin(0))
    assert best is not None
    return [both[k, i] for i, k in enumerate(best[1])]


def estimate_plane(
    quads: Sequence[Quad],
    sizes_mm: Sequence[tuple[float, float]],
    size_px: tuple[int, int],
    camera: CameraModel | None = None,
    sigma_px: float = 1.0,
    prior: LensPrior = ANY_LENS,
) -> Plane | Failure:
    """Plane, scale and lens from cards of known size.

    Parameters
    ----------
    quads
        (4, 2) corners in px each, printed order (a half turn does not matter).
    sizes_mm
        Width and height of each card.
    size_px
        Width and height of the picture.
    camera
        A calibrated camera; then only the plane is estimated.
    sigma_px
        How exact the corners are; balances them against what is known of the lens.
    prior
        What is known of the lens where `camera` is None.

    Returns
    -------
    Plane or Failure
        Failure where the corners belong to no common plane. The plane's origin is where the optical axis meets it.

    Notes
    -----
    For given camera and tilt each card's pose follows in closed form (a Procrustes fit), so only five numbers are
    searched.
    """
    if not quads:
        return Failure("no cards", "the plane needs at least one card of known size")
    q = np.stack([np.asarray(v, float) for v in quads])
    sizes = np.array(sizes_mm, float)
    w, h = size_px
    f0 = max(w, h) * float(np.exp(prior.log_f))
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * sizes[:, None, :] / 2

    if camera is not None:
        q = camera.undistort(q.reshape(-1, 2)).reshape(q.shape)
        f0 = float(camera.K[0, 0])

    def full(p: Array) -> tuple[Array, Array, float]:
        if camera is None:
            K, H = _homography(p, size_px)
            return K, H, float(p[4])
        _, H = _homography(np.array([np.log(f0), *p[:3]]), size_px)
        K0 = np.array([[f0, 0, (w - 1) / 2], [0, f0, (h - 1) / 2], [0, 0, 1.0]])
        return camera.K, camera.K @ np.linalg.inv(K0) @ H, 0.0

    def residuals(p: Array) -> Array:
        K, H, k1 = full(p)
        u = _straighten(q, K, k1)
        m = np.concatenate([u, np.ones((*u.shape[:2], 1))], -1) @ np.linalg.inv(H).T
        with np.errstate(all="ignore"):
            m = m[..., :2] / m[..., 2:3]
        if not np.isfinite(m).all():
            return np.full(q.size + 2, 1e3)
        centre, angle, _ = fit_rectangle(m, sizes)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        model = (
            np.stack([local[..., 0] * c - local[..., 1] * s, local[..., 0] * s + local[..., 1] * c], -1)
            + centre[:, None]
        )
        back = np.concatenate([model, np.ones((*model.shape[:2], 1))], -1) @ H.T
        back = back[..., :2] / back[..., 2:3]
        r = np.clip((back - u).reshape(-1) / sigma_px, -1e3, 1e3)
        known = (
            [(p[0] - np.log(f0)) / prior.sigma_log_f, (p[4] - prior.k1) / prior.sigma_k1]
            if camera is None
            else [0.0, 0.0]
        )
        return np.concatenate([r, known])

    area = np.median([abs(signed_area(v)) / (s[0] * s[1]) for v, s in zip(q, sizes, strict=True)])
    log_s = 0.5 * np.log(max(area, 1e-6))
    best = None
    for ax, ay in ((-0.3, 0.0), (0.3, 0.0), (0.0, 0.3), (0.0, -0.3), (0.0, 0.0)):
        start = np.array([np.log(f0), ax, ay, log_s, prior.k1])[
            (0 if camera is None else 1) : (5 if camera is None else 4)
        ]
        cost = float(np.minimum(np.abs(residuals(start)), 30).sum())
        if best is None or cost < best[0]:
            best = (cost, start)
    assert best is not None
    fit = least_squares(residuals, best[1], loss="soft_l1", method="trf", max_nfev=40, x_scale=0.1, ftol=1e-4)
    K, H, k1 = full(fit.x)
    r = residuals(fit.x)[: q.size].reshape(-1, 2) * sigma_px
    # half of the cards decide: a few that lie tilted on others must not spoil the figure
    rms = float(np.sqrt(np.median((r**2).sum(1))))
    scale = float(np.sqrt(max(area, 1e-9)))
    if not np.isfinite(rms) or rms > 0.12 * scale * float(sizes.min()):
        return Failure("no common plane", f"the cards' corners miss every plane by {rms:.1f} px")
    lens = camera or CameraModel(size_px, K, np.array([k1, 0, 0, 0, 0.0]))
    return Plane(
        lens, H, rms, None if camera is not None else _told_of_lens(fit.x, fit.jac, max(w, h), max(1.0, rms / sigma_px))
    )


def _told_of_lens(p: Array, jacobian: Array, longer_px: float, doubt: float) -> LensPrior:
    """The lens of a fit and how exactly it is known; `doubt` is by how much the corners miss what was expected."""
    spread = doubt * np.sqrt(np.maximum(np.diag(np.linalg.pinv(jacobian.T @ jacobian)), 0))
    return LensPrior(float(p[0] - np.log(longer_px)), float(spread[0]), float(p[4]), float(spread[4]))
