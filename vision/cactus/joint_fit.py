"""Both cameras, the cacti and what hangs on them at once, laid on the edges of two pictures.

The cacti are known in size and shape, so they tell where the second camera stood, and the lenses of both. Each piece
is a plate with six numbers. All of them together are moved until what either picture shows of their edges lies where
it should, and the covariance of the whole says how well the pieces are known against each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.cactus.two_views import Cameras, Edges, Mask, Picture, Solid, edges_of, seen_alone, stepped, twofold

Array = NDArray[np.float64]

Turn = tuple[float, float]
ROUGH: tuple[Turn, ...] = ((5.0, 2.0), (3.5, 1.5), (2.5, 1.0))
"""Reach of the search for edges and how far off an edge still counts in full, in pixels, turn by turn."""
FINE: tuple[Turn, ...] = ((1.8, 0.7), (1.5, 0.6), (1.5, 0.6), (1.5, 0.6))
_SIGMA_PX = 0.5
"""What one point of an edge is worth: neighbours err alike."""
_SWELL_PX, _SWELL_SIGMA_PX = 0.13, 0.2
"""By so much a camera shows a thing larger all round, and how much that differs from one to the next."""
_FOCAL, _BEND = 0.05, 0.05
"""Standard deviations of the focal lengths as a share, and of the lenses' k1."""
_STAND_MM, _STAND_RAD = 30.0, 0.3
"""No step of a camera or a cactus is much longer than this."""
_PLACE_MM = 20.0
_TURN_RAD = 30.0
_TILT_RAD = 0.1
"""Standard deviations of a piece before any picture: of its place, of its turn, and of its tilt."""
_LEAST_POINTS = 6
_ON_EDGE_PX = 0.7
_TWOFOLD = 0.3
"""Where both edges of its cut side are seen at less than this share of the points a plate's cut looks like its face."""
_LENS, _SECOND = 4, 6


@dataclass(frozen=True, slots=True, eq=False)
class Support:
    """How far both pictures bear out a solid.

    Parameters
    ----------
    share
        Of the points that should be seen, those at which there is an edge; in the picture where that is less.
    points
        How many should be seen, in the picture with fewer.
    """

    share: float
    points: int


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What two pictures say together.

    Parameters
    ----------
    cameras
        The cameras and the cacti.
    solids
        The cacti first, then the pieces.
    covariance
        (6 p, 6 p) of the pieces' poses in the frames of their cacti, in mm and rad, as `stepped` takes them.
    support
        Of each piece.
    """

    cameras: Cameras
    solids: tuple[Solid, ...]
    covariance: Array
    support: tuple[Support, ...]

    @property
    def pieces(self) -> tuple[Solid, ...]:
        """The pieces."""
        return tuple(s for s in self.solids if s.pose is not None)


class Joint:
    """The fit while it goes on.

    Parameters
    ----------
    pictures
        Both pictures.
    cameras
        Where cameras and cacti are thought to be.
    solids
        The cacti, then the pieces where they are thought to hang.
    """

    def __init__(self, pictures: tuple[Picture, Picture], cameras: Cameras, solids: Sequence[Solid]) -> None:
        self._pictures = pictures
        self.cameras, self.solids = cameras, list(solids)
        self._rest = cameras.lenses
        self._row = {name: k for k, name in enumerate(cameras.cacti)}
        self._first = _LENS + _SECOND + 6 * len(self._row)
        self._pieces = [k for k, s in enumerate(solids) if s.pose is not None]
        self._size = self._first + 6 * len(self._pieces)
        self._alone: list[list[Mask]] = []
        self._bare = [False] * len(self.solids)

    def run(self, turns: Iterable[Turn], *, stage: bool = True, pieces: bool = True) -> Array:
        """Move what is free, the cameras with the cacti or the pieces or both; (n, n) the last normal matrix."""
        H = np.zeros((self._size, self._size))
        free = np.arange(0 if stage else self._first, self._size if pieces else self._first)
        for k, (reach, full) in enumerate(turns):
            if k % 2 == 0:
                self._alone = [seen_alone(self.cameras, self.solids, v) for v in (0, 1)]
                self._bare = [self._looks_bare(i) for i in range(len(self.solids))]
            H, g = self._priors()
            for view in (0, 1):
                for i, solid in enumerate(self.solids):
                    if self._alone[view][i].sum() >= _LEAST_POINTS and (pieces or solid.pose is None):
                        self._add(H, g, i, view, reach, full)
            step = np.zeros(self._size)
            step[free] = np.linalg.solve(H[np.ix_(free, free)], g[free])
            self._move(step)
        return H

    def told(self, H: Array) -> Fitted:
        """Where everything came to lie, with the normal matrix of the last turn."""
        covariance = np.asarray(np.linalg.inv(H), np.float64)[self._first :, self._first :]
        return Fitted(self.cameras, tuple(self.solids), covariance, tuple(self.support()))

    def support(self) -> list[Support]:
        """How far the pictures bear out each piece where it is now."""
        shares = np.ones((2, len(self._pieces)))
        counts = np.zeros((2, len(self._pieces)), int)
        for view in (0, 1):
            alone = seen_alone(self.cameras, self.solids, view)
            for k, i in enumerate(self._pieces):
                counts[view, k] = alone[i].sum()
                if counts[view, k] < _LEAST_POINTS:
                    shares[view, k] = 0.0
                    continue
                e = self._edges(i, view, alone[i], FINE[0][0])
                off = e.off_px - _SWELL_PX
                weight = e.weight / _SIGMA_PX**2 / (1 + (off / FINE[0][1]) ** 2)
                off -= float(weight @ off) / (weight.sum() + _SWELL_SIGMA_PX**-2)
                on = (e.weight > 0) & (np.abs(off) < _ON_EDGE_PX)
                shares[view, k] = on.mean()
        return [Support(float(s), int(c)) for s, c in zip(shares.min(0), counts.min(0), strict=True)]

    def _edges(self, i: int, view: int, at: Mask, reach_px: float) -> Edges:
        return edges_of(self._pictures[view], self.cameras, self.solids[i], view, at, reach_px, bare=self._bare[i])

    def _looks_bare(self, i: int) -> bool:
        """Whether the cut side of a solid looks like its face: then only one of its edges is seen anywhere."""
        told = [
            twofold(self._pictures[v], self.cameras, self.solids[i], v, self._alone[v][i], FINE[0][0]) for v in (0, 1)
        ]
        both, seen = np.sum(told, axis=0)
        return bool(seen >= _LEAST_POINTS and both < _TWOFOLD * seen)

    def _add(self, H: Array, g: Array, i: int, view: int, reach: float, full: float) -> None:
        """Add what one picture says of the edge of one solid."""
        e = self._edges(i, view, self._alone[view][i], reach)
        off = e.off_px - _SWELL_PX
        weight = e.weight / _SIGMA_PX**2 / (1 + (off / full) ** 2)
        columns, J = self._moves(i, view, e)
        # How much larger this one is shown is one more unknown, of which nothing else depends.
        swell = weight.sum() + _SWELL_SIGMA_PX**-2
        lever, pull = J.T @ weight, float(weight @ off)
        H[np.ix_(columns, columns)] += (J * weight[:, None]).T @ J - np.outer(lever, lever) / swell
        g[columns] += J.T @ (weight * off) - lever * pull / swell

    def _moves(self, i: int, view: int, e: Edges) -> tuple[NDArray[np.intp], Array]:
        """Which unknowns move the edge of a solid, and (k, m) how far each moves it outward.

        The lens's distortion is left out: over a piece it is a matter of a hundredth.
        """
        solid = self.solids[i]
        cameras = self.cameras
        z = e.there_mm[:, 2]
        slant = e.there_mm[:, :2] / z[:, None]
        focal = cameras.lenses[view].K[(0, 1), (0, 1)]
        pull = e.out * focal / z[:, None]
        ways = np.column_stack([pull, -(pull * slant).sum(1)])
        ray = (e.out * focal * slant).sum(1)
        parts = [np.column_stack([ray, ray * (slant**2).sum(1)])]
        columns = [np.arange(2 * view, 2 * view + 2)]
        if view:
            parts += [ways, np.cross(e.there_mm - cameras.second.t, ways)]
            columns.append(np.arange(_LENS, _LENS + _SECOND))
            ways = ways @ cameras.second.R
        cactus = cameras.cacti[solid.cactus]
        arms = e.arms_mm if solid.pose is None else solid.pose.apply(e.arms_mm)
        parts += [ways, np.cross(arms @ cactus.R.T, ways)]
        first = _LENS + _SECOND + 6 * self._row[solid.cactus]
        columns.append(np.arange(first, first + 6))
        if solid.pose is not None:
            ways = ways @ cactus.R
            parts += [ways, np.cross(e.arms_mm @ solid.pose.R.T, ways)]
            first = self._first + 6 * self._pieces.index(i)
            columns.append(np.arange(first, first + 6))
        return np.concatenate(columns), np.hstack(parts)

    def _priors(self) -> tuple[Array, Array]:
        """(n, n) and (n,) normal equations of what is known without the pictures."""
        H, g = 1e-9 * np.eye(self._size), np.zeros(self._size)
        standing = np.arange(_LENS, self._first)
        H[standing, standing] += np.tile([_STAND_MM**-2.0] * 3 + [_STAND_RAD**-2.0] * 3, len(standing) // 6)
        for view, (now, rest) in enumerate(zip(self.cameras.lenses, self._rest, strict=True)):
            off = np.array([np.log(rest.K[0, 0] / now.K[0, 0]), rest.dist[0] - now.dist[0]])
            worth = np.array([_FOCAL, _BEND]) ** -2.0
            at = np.arange(2 * view, 2 * view + 2)
            H[at, at] += worth
            g[at] += worth * off
        for k, i in enumerate(self._pieces):
            pose = self.solids[i].pose
            assert pose is not None
            place = slice(self._first + 6 * k, self._first + 6 * k + 3)
            turn = slice(place.stop, place.stop + 3)
            normal = pose.R[:, 2]
            plane = np.eye(3) - np.outer(normal, normal)
            H[place, place] += np.eye(3) / _PLACE_MM**2
            H[turn, turn] += np.eye(3) / _TURN_RAD**2 + plane / _TILT_RAD**2
            g[turn] += plane @ np.cross(normal, [0.0, 0.0, 1.0]) / _TILT_RAD**2
        return H, g

    def _move(self, step: Array) -> None:
        second = _LENS + _SECOND
        self.cameras = self.cameras.moved(step[:_LENS], step[_LENS:second], step[second : self._first].reshape(-1, 6))
        for k, i in enumerate(self._pieces):
            pose = self.solids[i].pose
            assert pose is not None
            own = step[self._first + 6 * k : self._first + 6 * k + 6]
            self.solids[i] = replace(self.solids[i], pose=stepped(pose, own))
