"""What nearly touches what where two pictures were laid on each other: gaps in space, with what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scoring.table import Contact, ContactKind
from vision.cactus.cactus_set import CactusSet, PieceLook
from vision.cactus.contacts import NEAR_MM
from vision.cactus.held import TOUCH_MM, Near
from vision.cactus.joint_fit import Fitted
from vision.cactus.plates import Outline, Plate, gaps
from vision.cactus.two_views import stepped
from vision.cactus.upright import Rigid

Array = NDArray[np.float64]

_MODEL_SIGMA_MM = 0.12
"""What outlines of cut wood and the lens add to the doubt about a gap."""
_EDGES_PER_MM, _FACES_PER_MM = 5.0, 1.5
"""How many touch, with their edges or with their faces, for each pair that has a gap of a given millimetre."""
_WIDER = 1.05
"""By so much what a fit says of its own exactness is too good ..."""
_DOUBTED = 6.0
"""... and by so much more where the pictures bear out nothing of a piece."""
_ASTRAY, _ASTRAY_MM = 0.04, 2.5
"""Share of the gaps that are off by much more, for an edge was taken for another's, and by how much."""
_REACH = 3.0
_PLACES = 25
_FITS = 0.05
"""Where less than this share of the possible places has room for both, they are told unsure."""
_SHIFT_MM = 0.2
_NOWHERE, _STILL = np.zeros((1, 3)), np.zeros(6)
_FAR = Near(2 * NEAR_MM, 1.0, 0.0)
_WORTH = 0.02
_OVERLOOKED = 0.4
"""How often a piece rests on something that nobody found."""
_LOW_MM = 1.0
"""What is no higher above the base may stand on it."""


def joint_contacts(cactus_set: CactusSet, fitted: Fitted, told: Container[str]) -> tuple[Contact, ...]:
    """Contacts between pieces that both pictures show.

    Parameters
    ----------
    cactus_set
        The set.
    fitted
        The pieces in space, with their covariance.
    told
        Names of those of them that are to be told of.
    """
    found: list[Contact] = []
    looks = {p.id: p for p in cactus_set.pieces}
    space = _Space(cactus_set, fitted)
    for (i, a), (j, b) in combinations(enumerate(fitted.pieces), 2):
        if a.cactus != b.cactus or a.id not in told or b.id not in told:
            continue
        kinds = _kinds(looks[a.id], looks[b.id])
        near = space.near(i, j) if kinds else _FAR
        if near.gap_mm < NEAR_MM:
            touching = near.touching
            if touching > _WORTH:
                # Were they apart, each of them would have to rest on something else.
                held = space.held(i, j) * space.held(j, i)
                touching = touching / (touching + (1 - touching) * held)
            found += [Contact(kind, a.id, b.id, near.gap_mm, near.sigma_mm, touching) for kind in kinds]
    return tuple(found)


def _kinds(one: PieceLook, other: PieceLook) -> list[ContactKind]:
    kinds = [ContactKind.SAME_COLOR] if one.color == other.color else []
    if one.shape is not None and one.shape == other.shape:
        kinds.append(ContactKind.SAME_SHAPE)
    return kinds


class _Space:
    """What hangs where, and how near any two are; each pair is looked at once."""

    def __init__(self, cactus_set: CactusSet, fitted: Fitted) -> None:
        self._fitted = fitted
        self._thickness_mm = cactus_set.thickness_mm
        trunks = [s for s in fitted.solids if s.pose is None]
        self._solids = [*fitted.pieces, *trunks]
        self._outlines = [_outline(s.outline_mm.tobytes()) for s in self._solids]
        self._rims = [self.plate(k, _STILL).rim_mm for k in range(len(self._solids))]
        self._known: dict[tuple[int, int], Near] = {}

    def plate(self, k: int, step: Array) -> Plate:
        """One of the solids, after a step of (6,) mm and rad."""
        pose = self._solids[k].pose
        at = Rigid(np.eye(3), np.zeros(3)) if pose is None else stepped(pose, step)
        return Plate.placed(self._outlines[k], self._thickness_mm, at)

    def near(self, i: int, j: int) -> Near:
        """How near two are."""
        i, j = min(i, j), max(i, j)
        if (i, j) not in self._known:
            self._known[i, j] = self._near(i, j)
        return self._known[i, j]

    def held(self, i: int, but: int) -> float:
        """How likely it is that a piece rests on something else than that one."""
        alone = 1.0 - _OVERLOOKED
        if self._rims[i][:, 1].min() < _LOW_MM:
            return 1.0
        for k, solid in enumerate(self._solids):
            if k not in (i, but) and solid.cactus == self._solids[i].cactus:
                alone *= 1.0 - self.near(i, k).touching
        return 1.0 - alone

    def _near(self, i: int, j: int) -> Near:
        low = np.maximum(self._rims[i].min(0), self._rims[j].min(0))
        high = np.minimum(self._rims[i].max(0), self._rims[j].max(0))
        apart = float(np.linalg.norm(np.maximum(low - high, 0.0)))
        if apart > NEAR_MM:
            return _FAR
        supports = self._fitted.support
        moving = [k for k in (i, j) if k < len(supports)]
        at = np.concatenate([np.arange(6 * k, 6 * k + 6) for k in moving])
        covariance = self._fitted.covariance[np.ix_(at, at)]

        def gap_mm(step: Array, shift: Array = _NOWHERE) -> Array:
            full = np.concatenate([step, np.zeros(12 - len(step))])
            return gaps(self.plate(i, full[:6]), self.plate(j, full[6:]), shift)

        return _between(gap_mm, covariance, min(supports[k].share for k in moving))


@lru_cache(maxsize=256)
def _outline(outline_mm: bytes) -> Outline:
    return Outline.of(np.frombuffer(outline_mm).reshape(-1, 2))


def _between(gap_mm: Callable[..., Array], covariance: Array, share: float) -> Near:
    """How near two are whose poses together have that (n, n) covariance.

    Parameters
    ----------
    gap_mm
        The gap after a step of (n,) of the poses, for each of (k, 3) mm by which the first is shifted besides.
    covariance
        Of the poses.
    share
        How far the pictures bear them out.
    """
    n = len(covariance)
    here = float(gap_mm(np.zeros(n))[0])
    if here > NEAR_MM + 4:
        return _FAR
    wider = _WIDER * (1 + _DOUBTED * (1 - share) ** 2)
    L = np.asarray(np.linalg.cholesky(covariance + 1e-10 * np.eye(n)) * wider, np.float64)
    ways = np.array([float(gap_mm(0.5 * L[:, k])[0] - gap_mm(-0.5 * L[:, k])[0]) for k in range(n)])
    sigma = float(np.linalg.norm(ways))
    along = L @ ways / max(sigma, 1e-9)
    at, weights = _places(sigma)
    apart = _along(lambda k: float(gap_mm(k * along)[0]), at / max(sigma, 1e-9), here, sigma)
    forth, back = gap_mm(np.zeros(n), _SHIFT_MM * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    # How far it is faces that are near each other, and not edges.
    flatness = min(abs(float(forth - back)) / (2 * _SHIFT_MM), 1.0)
    return _weighed(apart, weights, flatness)


def _places(sigma_mm: float) -> tuple[Array, Array]:
    """By how much a gap may be off, (k,) mm, and how likely that is."""
    sigma = max(sigma_mm, 1e-3)
    wide = math.hypot(sigma, _ASTRAY_MM)
    near = np.linspace(-_REACH, _REACH, _PLACES) * sigma
    far = np.geomspace(_REACH * sigma, _REACH * wide, 8)[1:]
    at = np.concatenate([-far[::-1], near, far])
    shares = (1 - _ASTRAY) * np.exp(-0.5 * (at / sigma) ** 2) / sigma
    shares += _ASTRAY * np.exp(-0.5 * (at / wide) ** 2) / wide
    return at, np.asarray(shares * np.gradient(at), np.float64)


def _along(gap_mm: Callable[[float], float], at: Array, here: float, sigma_mm: float) -> Array:
    """The gap at so many standard deviations along the way on which it changes most, from a few that are measured."""
    few = np.array([-_REACH, -1.5, 0.0, 1.5, _REACH])
    known = np.array([here if k == 0 else gap_mm(float(k)) for k in few])
    inner = np.interp(at, few, known)
    beyond = np.sign(at) * np.maximum(np.abs(at) - _REACH, 0) * sigma_mm
    return np.asarray(inner + beyond, np.float64)


def _weighed(gaps_mm: Array, weights: Array, flatness: float) -> Near:
    """Gap and probability of touch over places of which each has a gap and a weight."""
    from scipy.special import ndtr

    sigma = _MODEL_SIGMA_MM
    meet = _EDGES_PER_MM + (_FACES_PER_MM - _EDGES_PER_MM) * flatness**2
    touch = weights * meet * np.exp(-0.5 * (gaps_mm / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    clear = weights * ndtr((gaps_mm - TOUCH_MM) / sigma)
    touching = float(touch.sum()) / max(float((touch + clear).sum()), 1e-300)
    fits = float((weights * np.exp(-0.5 * (np.minimum(gaps_mm, 0.0) / sigma) ** 2)).sum() / weights.sum())
    touching = 0.5 + (touching - 0.5) * min(fits / _FITS, 1.0)
    share = clear / max(float(clear.sum()), 1e-12)
    apart = np.maximum(gaps_mm, 0.0)
    mean = float((share * apart).sum())
    spread = float((share * (apart - mean) ** 2).sum())
    variance = sigma**2 + (1 - touching) * spread + touching * (1 - touching) * mean**2
    return Near((1 - touching) * mean, math.sqrt(variance), touching)
