"""What of the hung pieces comes near what it must not touch, and whether it touches.

A single picture tells exactly where outlines are, but hardly how far away. So a piece is thought to be moved along the
line of sight, as far as its depth is unknown, and each place is weighed: by how likely it is, and by how well it
agrees with the fact that solid plates never share space. Where all likely places touch, or none does, depth is of no
matter; where one plate may hang in front of the other it is, and then the probability says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scoring.table import Contact, ContactKind
from vision.cactus_set import CactusSet
from vision.plates import Block, Plate, gaps
from vision.upright import HungPiece, Stage

Array = NDArray[np.float64]

NEAR_MM = 8.0
"""What is farther apart than this is not worth a word."""
TOUCH_MM = 0.25
"""Plates nearer than this touch as far as anybody can tell."""
_EDGES_PER_MM = 15.0
"""How many pieces lean with their edges on each other for each that comes by with a gap of a given millimetre."""
_FACES_PER_MM = 1.5
"""How many lie flat on each other, for each that hangs before the other at a distance of a given millimetre."""
_MODEL_SIGMA_MM = 0.15
"""What outlines of cut wood and the lens add to the doubt about a gap."""
_PLACES = 25
_FEW = 5
"""So many places are enough to see that plates are nowhere near each other."""
_FAR_MM = 3.0
"""Plates that keep such a distance in few places are looked at no closer."""
_REACH = 2.5
"""Standard deviations of depth that are looked at on both sides."""
_DEPTH_MAX_MM = 12.0
"""No piece hangs farther from the middle of its cactus than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """A gap over all the places that are possible."""

    gap_mm: float
    sigma_mm: float
    touching: float


def find_contacts(cactus_set: CactusSet, stage: Stage, hung: Sequence[HungPiece]) -> tuple[Contact, ...]:
    """Every pair that must not touch and comes near, and every piece that comes near base or table.

    Parameters
    ----------
    cactus_set
        The set on the table.
    stage
        The cacti of the picture.
    hung
        The pieces that hang there; a contact names its two in this order.
    """
    sights = {u.id: u.to_camera.inverse().t for u in stage.cacti}
    width, height, depth = cactus_set.base_mm
    base = Block(np.array([-width / 2, -height, -depth / 2]), np.array([width / 2, 0.0, depth / 2]))
    looks = {p.id: p for p in cactus_set.pieces}
    known = [h for h in hung if h.id in looks and h.cactus in sights]
    plates = {h.id: Plate.of(looks[h.id], cactus_set.thickness_mm, h) for h in known}
    found: list[Contact] = []
    for a, b in combinations(known, 2):
        if a.cactus != b.cactus or a.id == b.id:
            continue
        one, other = looks[a.id], looks[b.id]
        kinds = [ContactKind.SAME_COLOR] if one.color == other.color else []
        if one.shape is not None and one.shape == other.shape:
            kinds.append(ContactKind.SAME_SHAPE)
        if kinds:
            near = between(plates[a.id], plates[b.id], a, b, sights[a.cactus])
            found += [Contact(kind, a.id, b.id, near.gap_mm, near.sigma_mm, near.touching) for kind in kinds]
    for h in known:
        near = to_base(plates[h.id], base, h, sights[h.cactus])
        found.append(Contact(ContactKind.BASE, h.id, None, near.gap_mm, near.sigma_mm, near.touching))
        near = to_table(plates[h.id], height, h, sights[h.cactus])
        found.append(Contact(ContactKind.TABLE, h.id, None, near.gap_mm, near.sigma_mm, near.touching))
    return tuple(c for c in found if c.gap_mm < NEAR_MM)


def between(a: Plate, b: Plate, hung_a: HungPiece, hung_b: HungPiece, sight_mm: Array) -> Near:
    """How near two plates are, seen from `sight_mm` in the frame of their cactus."""
    if not _reach(a, b):
        return Near(float("inf"), 0.0, 0.0)
    sigma = math.hypot(hung_a.sigma_mm, hung_b.sigma_mm)
    return _near(a, b, sight_mm, math.hypot(hung_a.depth_sigma_mm, hung_b.depth_sigma_mm), sigma)


def to_base(plate: Plate, base: Block, hung: HungPiece, sight_mm: Array) -> Near:
    """How near a plate is to the block below its cactus."""
    if plate.rim_mm[:, 1].min() > NEAR_MM + hung.depth_sigma_mm:
        return Near(float("inf"), 0.0, 0.0)
    return _near(plate, base, sight_mm, hung.depth_sigma_mm, hung.sigma_mm)


def to_table(plate: Plate, height_mm: float, hung: HungPiece, sight_mm: Array) -> Near:
    """How near a plate is to the table, `height_mm` below the top of the base."""
    lowest = float(plate.rim_mm[:, 1].min()) + height_mm
    if lowest > NEAR_MM + hung.depth_sigma_mm:
        return Near(float("inf"), 0.0, 0.0)
    shifts, weights = _places(plate, sight_mm, hung.depth_sigma_mm, _PLACES)
    return weighed(lowest + shifts[:, 1], weights, hung.sigma_mm)


def weighed(gaps_mm: Array, weights: Array, sigma_mm: float, slope: Array | float = 0.0) -> Near:
    """Gap and probability of touch over places of which each has a gap and a weight.

    Parameters
    ----------
    gaps_mm
        (k,) gap at each place; negative where it is impossible.
    weights
        (k,) how likely each place is by itself.
    sigma_mm
        Standard deviation of the gap at a place.
    slope
        (k,) how far it is faces that would touch, 0 to 1, and not edges.
    """
    sigma = math.hypot(sigma_mm, _MODEL_SIGMA_MM)
    often = _EDGES_PER_MM + (_FACES_PER_MM - _EDGES_PER_MM) * slope**2
    touch = weights * often * np.exp(-0.5 * (gaps_mm / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    clear = weights * _beyond((gaps_mm - TOUCH_MM) / sigma)
    total = float((touch + clear).sum())
    if total < 1e-9 * float(weights.sum()):
        # Solid as they are, no place fits: something about them is misread.
        return Near(max(float(gaps_mm.max()), 0.0), float(sigma + np.ptp(gaps_mm)), 0.5)
    touching = float(touch.sum()) / total
    share = clear / max(float(clear.sum()), 1e-12)
    apart = np.maximum(gaps_mm, 0.0)
    mean = float((share * apart).sum())
    spread = float((share * (apart - mean) ** 2).sum())
    gap = (1 - touching) * mean
    variance = sigma**2 + (1 - touching) * spread + touching * (1 - touching) * mean**2
    return Near(gap, math.sqrt(variance), touching)


def _near(a: Plate, b: Plate | Block, sight_mm: Array, depth_sigma_mm: float, sigma_mm: float) -> Near:
    for count in (_FEW, _PLACES):
        shifts, weights = _places(a, sight_mm, depth_sigma_mm, count)
        apart = gaps(a, b, shifts)
        if apart.min() > _FAR_MM + 4 * sigma_mm:
            break
    return weighed(apart, weights, sigma_mm, _slope(apart, shifts))


def _slope(gaps_mm: Array, shifts_mm: Array) -> Array:
    """(k,) how much a gap changes with depth, 0 to 1: little where edges meet, as much as depth where faces do."""
    return np.clip(np.abs(np.gradient(gaps_mm, shifts_mm[:, 2])), 0.0, 1.0)


def _places(plate: Plate, sight_mm: Array, depth_sigma_mm: float, count: int) -> tuple[Array, Array]:
    """Shifts of a plate along the line of sight, (k, 3) mm, and how likely each is."""
    middle = plate.rim_mm.mean(0)
    along = sight_mm - middle
    along = along / max(abs(float(along[2])), 1e-6)
    steps = np.linspace(-_REACH, _REACH, count)
    sigma = min(max(depth_sigma_mm, 1e-3), _DEPTH_MAX_MM)
    return steps[:, None] * sigma * along, np.exp(-0.5 * steps**2)


def _reach(a: Plate, b: Plate) -> bool:
    """Whether two plates come near enough in the plane of the cactus to look closer."""
    low = np.maximum(a.rim_mm[:, :2].min(0), b.rim_mm[:, :2].min(0))
    high = np.minimum(a.rim_mm[:, :2].max(0), b.rim_mm[:, :2].max(0))
    return bool((low - high).max() < NEAR_MM + 2.0)


def _beyond(z: Array) -> Array:
    """Share of a normal distribution below z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(z), np.float64)
