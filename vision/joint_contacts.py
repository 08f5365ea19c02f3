"""What nearly touches what where two pictures were laid on each other: gaps in space, with what is known of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scoring.table import Contact, ContactKind
from vision.cactus_set import CactusSet, PieceLook
from vision.contacts import NEAR_MM, TOUCH_MM, Near
from vision.joint_fit import Fitted, Support
from vision.plates import Plate, gaps, outline_of
from vision.two_views import Solid, stepped
from vision.upright import HungPiece

Array = NDArray[np.float64]

_MODEL_SIGMA_MM = 0.12
"""What outlines of cut wood and the lens add to the doubt about a gap."""
_EDGES_PER_MM, _FACES_PER_MM = 5.0, 1.5
"""How many touch, with their edges or with their faces, for each pair that has a gap of a given millimetre."""
_WIDER = 1.3
"""By so much what a fit says of its own exactness is too good ..."""
_DOUBTED = 3.0
"""... and by so much more where the pictures bear out nothing of a piece."""
_ASTRAY, _ASTRAY_MM = 0.04, 2.5
"""Share of the gaps that are off by much more, for an edge was taken for another's, and by how much."""
_REACH = 3.0
_PLACES = 25
_FITS = 0.05
"""Where less than this share of the possible places has room for both, they are told unsure."""
_SHIFT_MM = 0.2
_NOWHERE = np.zeros((1, 3))


def joint_contacts(cactus_set: CactusSet, fitted: Fitted, hung: Mapping[str, HungPiece]) -> tuple[Contact, ...]:
    """Contacts between pieces that both pictures show.

    Parameters
    ----------
    cactus_set
        The set.
    fitted
        The pieces in space, with their covariance.
    hung
        Those of them that are to be told of, by name.
    """
    found: list[Contact] = []
    looks = {p.id: p for p in cactus_set.pieces}
    for (i, a), (j, b) in combinations(enumerate(fitted.pieces), 2):
        if a.cactus != b.cactus or a.id not in hung or b.id not in hung:
            continue
        kinds = _kinds(looks[a.id], looks[b.id])
        if not kinds:
            continue
        at = np.concatenate([np.arange(6 * i, 6 * i + 6), np.arange(6 * j, 6 * j + 6)])
        covariance = fitted.covariance[np.ix_(at, at)]
        near = _between(
            _Pair(cactus_set, (a, b), (hung[a.id].flipped, hung[b.id].flipped)),
            covariance,
            (fitted.support[i], fitted.support[j]),
        )
        if near.gap_mm < NEAR_MM:
            found += [Contact(kind, a.id, b.id, near.gap_mm, near.sigma_mm, near.touching) for kind in kinds]
    return tuple(found)


def _kinds(one: PieceLook, other: PieceLook) -> list[ContactKind]:
    kinds = [ContactKind.SAME_COLOR] if one.color == other.color else []
    if one.shape is not None and one.shape == other.shape:
        kinds.append(ContactKind.SAME_SHAPE)
    return kinds


class _Pair:
    """Two plates, and their gap after small steps of both."""

    def __init__(self, cactus_set: CactusSet, solids: tuple[Solid, Solid], flipped: tuple[bool, bool]) -> None:
        self._solids, self._flipped = solids, flipped
        self._outlines = [outline_of(cactus_set.piece(s.id)) for s in solids]
        self._thickness_mm = cactus_set.thickness_mm

    def plates(self, step: Array) -> tuple[Plate, Plate]:
        """Both after a step of (12,) mm and rad."""
        placed = []
        for k, solid in enumerate(self._solids):
            assert solid.pose is not None
            pose = stepped(solid.pose, step[6 * k : 6 * k + 6])
            placed.append(Plate.placed(self._outlines[k], self._thickness_mm, pose, flipped=self._flipped[k]))
        return placed[0], placed[1]

    def gap_mm(self, step: Array) -> float:
        """The gap after a step."""
        return float(gaps(*self.plates(step), _NOWHERE)[0])

    def flatness(self) -> float:
        """How far it is faces that are near each other, 0 to 1, and not edges."""
        a, b = self.plates(np.zeros(12))
        there = gaps(a, b, _SHIFT_MM * np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
        return float(min(abs(there[0] - there[1]) / (2 * _SHIFT_MM), 1.0))


def _between(pair: _Pair, covariance: Array, support: tuple[Support, Support]) -> Near:
    """How near two are whose poses together have that (12, 12) covariance."""
    share = min(s.share for s in support)
    wider = _WIDER * (1 + _DOUBTED * (1 - share) ** 2)
    L = np.asarray(np.linalg.cholesky(covariance + 1e-10 * np.eye(12)) * wider, np.float64)
    here = pair.gap_mm(np.zeros(12))
    if here > NEAR_MM + 4:
        return Near(here, 1.0, 0.0)
    ways = np.array([pair.gap_mm(0.5 * L[:, k]) - pair.gap_mm(-0.5 * L[:, k]) for k in range(12)])
    sigma = float(np.linalg.norm(ways))
    along = np.asarray(L @ ways / max(sigma, 1e-9), np.float64)
    at, weights = _places(sigma)
    apart = _along(lambda k: pair.gap_mm(k * along), at / max(sigma, 1e-9), here, sigma)
    return _weighed(apart, weights, pair.flatness())


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
