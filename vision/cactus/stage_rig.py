"""Cacti on one table before one camera, with as few unknowns as that has.

The camera looks down at the plane of the tops of all bases; each cactus stands upright on it. So the whole picture has
the lens (focal length, one distortion), the camera's pitch, roll and height, and of each cactus two coordinates on the
table and its turn about the upright.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.cactus.upright import Rigid
from vision.camera import CameraModel

Array = NDArray[np.float64]
Index = NDArray[np.intp]

SHARED = 5
"""Unknowns that all cacti share: log focal length, k1, pitch, roll, log height."""
EACH = 3
"""Unknowns of one cactus: x and y on the table in units of the camera's height, turn in rad."""

_STRIDE = 0.2  # no step moves anything by much more than this share of the camera's height


@dataclass(frozen=True, slots=True)
class Prior:
    """What is known of a camera beforehand, as values and standard deviations.

    Parameters
    ----------
    focal_px, focal
        Focal length, and the deviation of its logarithm.
    k1, k1_spread
        Distortion.
    pitch_rad, pitch_spread
        How far the camera looks down.
    roll_spread
        How far it is turned about its axis, about none.
    """

    focal_px: float
    focal: float
    k1: float
    k1_spread: float
    pitch_rad: float = 0.25
    pitch_spread: float = 0.25
    roll_spread: float = 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """A camera before standing cacti.

    Parameters
    ----------
    lens
        Camera whose centre and distortion hold; its focal length is `focal_px`, its k1 `k1`.
    focal_px, k1
        As `CameraModel`.
    pitch_rad
        How far the camera looks down.
    roll_rad
        How far it is turned about its axis.
    height_mm
        How far it is above the plane of the tops of the bases.
    spots
        (m, 3) of each cactus: x to the right and y away from the camera in mm, turn about the upright in rad (zero:
        faces the camera's own direction, positive: turned to its left as seen from above).
    """

    lens: CameraModel
    focal_px: float
    k1: float
    pitch_rad: float
    roll_rad: float
    height_mm: float
    spots: Array

    def camera(self) -> CameraModel:
        """The lens as a camera model."""
        K = self.lens.K.copy()
        K[1, 1] *= self.focal_px / K[0, 0]
        K[0, 0] = self.focal_px
        dist = self.lens.dist.copy()
        dist[0] = self.k1
        return CameraModel(self.lens.size_px, K, dist)

    def to_camera(self, k: int) -> Rigid:
        """From the frame of cactus `k` to that of the camera."""
        x, y, turn = self.spots[k]
        axes = self.table()
        c, s = np.cos(turn), np.sin(turn)
        # columns: right, up and towards the viewer, in (right, away, up) of the table
        frame = np.array([[c, 0.0, s], [s, 0.0, -c], [0.0, 1.0, 0.0]])
        return Rigid(axes @ frame, axes @ np.array([x, y, -self.height_mm]))

    def project(self, points_mm: Array, of: Index) -> Array:
        """Where points of the cacti are in the picture: (n, 3) mm, (n,) index of the cactus -> (n, 2) px."""
        seen = (self._spots(of) + self._from_spot(points_mm, of)) @ self.table().T
        depth = np.maximum(seen[:, 2], 1.0)
        u, v = seen[:, 0] / depth, seen[:, 1] / depth
        _, k2, p1, p2, k3 = (float(d) for d in self.lens.dist)
        r2 = u * u + v * v
        radial = 1 + r2 * (self.k1 + r2 * (k2 + r2 * k3))
        ud = u * radial + 2 * p1 * u * v + p2 * (r2 + 2 * u * u)
        vd = v * radial + p1 * (r2 + 2 * v * v) + 2 * p2 * u * v
        K = self.lens.K
        return np.stack([ud * self.focal_px + K[0, 2], vd * self._fy + K[1, 2]], axis=1)

    def only(self, keep: list[int]) -> Rig:
        """The same camera before some of the cacti."""
        return replace(self, spots=self.spots[keep])

    def moved(self, shared: Array, each: Array) -> Rig:
        """Change the unknowns: (5,) and (m, 3), see `SHARED` and `EACH`."""
        height = self.height_mm * float(np.exp(np.clip(shared[4], -1, 1)))
        spots = self.spots.copy()
        spots[:, :2] = spots[:, :2] * (height / self.height_mm) + each[:, :2] * height
        spots[:, 2] += each[:, 2]
        return replace(
            self,
            focal_px=self.focal_px * float(np.exp(np.clip(shared[0], -1, 1))),
            k1=self.k1 + float(shared[1]),
            pitch_rad=self.pitch_rad + float(shared[2]),
            roll_rad=self.roll_rad + float(shared[3]),
            height_mm=height,
            spots=spots,
        )

    def slopes(self, points_mm: Array, of: Index) -> Array:
        """Change of projections by the unknowns: (n, 2, 8), the shared five first, then its cactus's three."""
        axes, spot, arm = self.table(), self._spots(of), self._from_spot(points_mm, of)
        seen = (spot + arm) @ axes.T
        z = np.maximum(seen[:, 2], 1.0)
        u, v = seen[:, 0] / z, seen[:, 1] / z
        _, k2, p1, p2, k3 = (float(d) for d in self.lens.dist)
        r2 = u * u + v * v
        radial = 1 + r2 * (self.k1 + r2 * (k2 + r2 * k3))
        steep = self.k1 + r2 * (2 * k2 + 3 * k3 * r2)
        cross = 2 * (u * v * steep + p1 * u + p2 * v)
        across = radial + 2 * u * u * steep + 2 * p1 * v + 6 * p2 * u
        down = radial + 2 * v * v * steep + 6 * p1 * v + 2 * p2 * u
        fx, fy = self.focal_px, self._fy

        def shown(x: Array | float, y: Array | float, z_: Array | float) -> Array:
            """(n, 2) px by which points move in the picture that move by so many mm in the camera's frame."""
            a, b = (x - u * z_) / z, (y - v * z_) / z
            return np.stack([fx * (across * a + cross * b), fy * (cross * a + down * b)], axis=1)

        c, s = np.cos(self.roll_rad), np.sin(self.roll_rad)
        bent = [
            u * radial + 2 * p1 * u * v + p2 * (r2 + 2 * u * u),
            v * radial + p1 * (r2 + 2 * v * v) + 2 * p2 * u * v,
        ]
        ways = [
            np.stack([fx * bent[0], fy * bent[1]], axis=1),
            np.stack([fx * u * r2, fy * v * r2], axis=1),
            shown(s * seen[:, 2], -c * seen[:, 2], c * seen[:, 1] - s * seen[:, 0]),
            shown(-seen[:, 1], seen[:, 0], 0.0),
            shown(*(spot @ axes.T).T),
            shown(*self.height_mm * axes[:, 0]),
            shown(*self.height_mm * axes[:, 1]),
            shown(*(np.stack([-arm[:, 1], arm[:, 0]], axis=1) @ axes[:, :2].T).T),
        ]
        return np.stack(ways, axis=2)

    def _spots(self, of: Index) -> Array:
        """(n, 3) mm the feet of cacti in the frame of the table, whose origin is where the camera is."""
        out = np.full((len(of), 3), -self.height_mm)
        out[:, :2] = self.spots[of, :2]
        return out

    def _from_spot(self, points_mm: Array, of: Index) -> Array:
        """(n, 3) mm points of cacti from their feet, along the axes of the table."""
        turn = self.spots[of, 2]
        c, s = np.cos(turn), np.sin(turn)
        px, py, pz = points_mm.T
        return np.stack([c * px + s * pz, s * px - c * pz, py], axis=1)

    @property
    def _fy(self) -> float:
        """Focal length downwards, px."""
        return float(self.focal_px * self.lens.K[1, 1] / self.lens.K[0, 0])

    def table(self) -> Array:
        """Right, away and up of the table in the camera's frame, as columns."""
        c, s = np.cos(self.pitch_rad), np.sin(self.pitch_rad)
        flat = np.array([[1.0, 0.0, 0.0], [0.0, -s, -c], [0.0, c, -s]])
        cr, sr = np.cos(self.roll_rad), np.sin(self.roll_rad)
        return np.asarray(np.array([[cr, -sr, 0.0], [sr, cr, 0.0], [0.0, 0.0, 1.0]]) @ flat, np.float64)


def rig_from_poses(camera: CameraModel, poses: list[Rigid]) -> Rig:
    """The rig whose cacti stand nearest to where these poses put them."""
    up = np.mean([p.R[:, 1] for p in poses], axis=0)
    up /= np.linalg.norm(up)
    height = -float(np.mean([up @ p.t for p in poses]))
    pitch = float(np.arcsin(np.clip(-up[2], -1, 1)))
    roll = float(np.arctan2(up[0], -up[1]))
    rig = Rig(camera, float(camera.K[0, 0]), float(camera.dist[0]), pitch, roll, height, np.zeros((len(poses), 3)))
    axes = rig.table()
    spots = np.zeros((len(poses), 3))
    for k, p in enumerate(poses):
        spots[k, :2] = (axes.T @ p.t)[:2]
        right = axes.T @ p.R[:, 0]
        spots[k, 2] = np.arctan2(right[1], right[0])
    return replace(rig, spots=spots)


def spread(J: Array, of: Index, m: int) -> Array:
    """(n, s + 3m) slopes by all unknowns, the shared ones first.

    Parameters
    ----------
    J
        (n, s + 3) slopes by the shared unknowns, then by those of its cactus.
    of
        (n,) index of its cactus.
    m
        How many cacti there are.
    """
    shared = J.shape[1] - EACH
    out = np.zeros((len(J), shared + EACH * m))
    out[:, :shared] = J[:, :shared]
    own = shared + EACH * of[:, None] + np.arange(EACH)
    np.put_along_axis(out, own, J[:, shared:], axis=1)
    return out


def normal(J: Array, residual: Array, weight: Array) -> tuple[Array, Array]:
    """Normal equations: (n, k) slopes, (n,) residuals and weights -> (k, k) and (k,)."""
    W = J * weight[:, None]
    return np.asarray(W.T @ J, np.float64), np.asarray(W.T @ residual, np.float64)


def add_prior(N: Array, b: Array, rig: Rig, prior: Prior, facing: float) -> None:
    """Add to normal equations what is known beforehand.

    Parameters
    ----------
    N, b
        Of `normal`; changed in place.
    rig
        Where the unknowns are.
    prior
        What is known of the camera.
    facing
        Standard deviation of the cacti's turns in rad, about none.
    """
    wanted = np.array(
        [
            np.log(prior.focal_px / rig.focal_px),
            prior.k1 - rig.k1,
            prior.pitch_rad - rig.pitch_rad,
            -rig.roll_rad,
        ]
    )
    trust = np.array([prior.focal, prior.k1_spread, prior.pitch_spread, prior.roll_spread]) ** -2.0
    camera = np.arange(4)
    N[camera, camera] += trust
    b[camera] += trust * wanted
    first = len(b) - EACH * len(rig.spots)
    N[4, 4] += _STRIDE**-2
    rest = np.arange(first, len(b))
    N[rest, rest] += _STRIDE**-2
    turns = first + EACH * np.arange(len(rig.spots)) + 2
    N[turns, turns] += facing**-2
    b[turns] -= rig.spots[:, 2] * facing**-2


def add_own(N: Array, b: Array, rig: Rig, facing: float) -> None:
    """The same for (m, 3, 3) and (m, 3) normal equations of each cactus by itself."""
    N += np.diag([_STRIDE**-2, _STRIDE**-2, _STRIDE**-2 + facing**-2])
    b[:, 2] -= rig.spots[:, 2] * facing**-2
