"""What of the hung pieces comes near what it must not touch, and whether it touches.

A single picture tells exactly where outlines are, but hardly how far away. So a piece is thought to be moved along the
line of sight, as far as its depth is unknown, and each place is weighed: by how likely it is, and by how well it
agrees with the fact that solid plates never share space. Where all likely places touch, or none does, depth is of no
matter; where one plate may hang in front of the other it is, and then the probability says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scoring.table import Contact, ContactKind
from vision.cactus.cactus_set import CactusSet, PieceLook
from vision.cactus.held import (
    EDGES_PER_MM,
    FACES_PER_MM,
    FITS,
    MODEL_SIGMA_MM,
    STANDS_PER_MM,
    TOUCH_MM,
    Hanging,
    Near,
    trunk_of,
    weigh_held,
)
from vision.cactus.plates import Block, Plate, gaps
from vision.cactus.upright import HungPiece, Stage, Upright

Array = NDArray[np.float64]

NEAR_MM = 8.0
"""What is farther apart than this is not worth a word."""
_HIDDEN = 0.2
"""Where faces would touch, so much doubt is left whatever was measured."""
_PLACES = 19
_FEW = 5
"""So many places are enough to see that plates are nowhere near each other."""
_FAR_MM = 3.0
"""Plates that keep such a distance in few places are looked at no closer."""
_ASTRAY, _ASTRAY_MM = 0.06, 3.0
"""Share of the pieces whose depth is thought to be known and is off by much more, and by how much."""
_ASTRAY_TWICE = 0.03
"""... and of those that two views agree on."""
_BLENDED = 0.03
"""How often two of one colour only seem to touch: the edge between them hardly shows."""
_REACH = 2.5
"""Standard deviations of depth that are looked at on both sides."""
_DEPTH_MAX_MM = 12.0
"""No piece hangs farther from the middle of its cactus than this."""


def find_contacts(
    cactus_set: CactusSet,
    stage: Stage,
    hung: Sequence[HungPiece],
    before: Set[tuple[str, str]] = frozenset(),
    sized: Sequence[HungPiece] = (),
) -> tuple[Contact, ...]:
    """Every pair that must not touch and comes near, and every piece that comes near base or table, from one picture.

    Parameters
    ----------
    cactus_set
        The set on the table.
    stage
        The cacti of the picture.
    hung
        The pieces that hang there; a contact names its two in this order.
    before
        Names of those that are seen before others, with these: pieces of one cactus, or it and a piece.
    sized
        The pieces where their size in the picture has them, if they were moved into layers.
    """
    placed = {h.id: spread_of(stage, h) for h in hung}
    spreads = {name: spread for name, spread in placed.items() if spread is not None}
    plates = _plates(cactus_set, hung)
    held = _held(cactus_set, stage, hung, plates, before, sized)
    return weigh_contacts(cactus_set, hung, spreads, held=held, plates=plates)


def _plates(cactus_set: CactusSet, hung: Sequence[HungPiece]) -> dict[str, Plate]:
    """The pieces of the set as they hang, by their names."""
    looks = {p.id: p for p in cactus_set.pieces}
    return {h.id: Plate.of(looks[h.id], cactus_set.thickness_mm, h) for h in hung if h.id in looks}


def _held(
    cactus_set: CactusSet,
    stage: Stage,
    hung: Sequence[HungPiece],
    plates: Mapping[str, Plate],
    before: Set[tuple[str, str]],
    sized: Sequence[HungPiece],
) -> dict[tuple[str, str], Near]:
    """All that may meet on each cactus, weighed together."""
    looks = {p.id: p for p in cactus_set.pieces}
    own = {h.id: h for h in sized}
    cacti: list[Hanging] = []
    for upright in stage.cacti:
        pieces = [h for h in hung if h.cactus == upright.id and h.id in plates]
        trunk = next((c for c in cactus_set.cacti if c.id == upright.id), None)
        if not pieces or trunk is None:
            continue
        along = np.mean([sight(upright, h) for h in pieces], axis=0)
        along = along / max(float(np.linalg.norm(along)), 1e-9)
        asked = {
            (i, j) for i, j in combinations(range(len(pieces)), 2) if _kinds(looks[pieces[i].id], looks[pieces[j].id])
        }
        index: dict[str, int | None] = {upright.id: None} | {h.id: i for i, h in enumerate(pieces)}
        order = {(index[a], index[b]) for a, b in before if a in index and b in index}
        wood = trunk_of(trunk, cactus_set.thickness_mm)
        sizes = [own.get(h.id, h) for h in pieces]
        mine = [plates[h.id] for h in pieces]
        cacti.append(Hanging(mine, pieces, along, wood, _block(cactus_set), asked, order, sizes))
    found: dict[tuple[str, str], Near] = {}
    for cactus, held in zip(cacti, weigh_held(cacti), strict=True):
        names = [h.id for h in cactus.hung]
        for (i, j), n in held.pairs.items():
            alike = looks[names[i]].color == looks[names[j]].color
            found[names[i], names[j]] = replace(n, touching=n.touching * (1 - _BLENDED)) if alike else n
        found |= {(names[i], ContactKind.BASE): n for i, n in held.base.items()}
        found |= {(names[i], ContactKind.TABLE): n for i, n in held.table.items()}
    return found


def _kinds(one: PieceLook, other: PieceLook) -> list[ContactKind]:
    """Why two pieces must not touch."""
    kinds = [ContactKind.SAME_COLOR] if one.color == other.color else []
    if one.shape is not None and one.shape == other.shape:
        kinds.append(ContactKind.SAME_SHAPE)
    return kinds


def _block(cactus_set: CactusSet) -> Block:
    width, height, depth = cactus_set.base_mm
    return Block(np.array([-width / 2, -height, -depth / 2]), np.array([width / 2, 0.0, depth / 2]))


def spread_of(stage: Stage, piece: HungPiece) -> Array | None:
    """(3, 3) covariance of where a piece hangs on its cactus, seen in one picture; None without that cactus."""
    upright = next((u for u in stage.cacti if u.id == piece.cactus), None)
    if upright is None:
        return None
    along = sight(upright, piece)
    depth = min(max(piece.depth_sigma_mm, piece.sigma_mm), _DEPTH_MAX_MM)
    return piece.sigma_mm**2 * np.eye(3) + (depth**2 - piece.sigma_mm**2) * np.outer(along, along)


def sight(upright: Upright, piece: HungPiece) -> Array:
    """(3,) direction from a piece to the camera, of length 1, in the frame of its cactus."""
    away = upright.to_camera.inverse().t - piece.to_cactus.t
    return np.asarray(away / max(float(np.linalg.norm(away)), 1e-9), np.float64)


def weigh_contacts(
    cactus_set: CactusSet,
    hung: Sequence[HungPiece],
    spreads: Mapping[str, Array],
    shared: Mapping[str, Array] | None = None,
    held: Mapping[tuple[str, str], Near] | None = None,
    plates: Mapping[str, Plate] | None = None,
) -> tuple[Contact, ...]:
    """Contacts of pieces that are known to hang somewhere.

    Parameters
    ----------
    cactus_set, hung
        See `find_contacts`.
    spreads
        (3, 3) covariance of the place of each piece against the others of its cactus, in mm; those without one are
        left out.
    shared
        (3, 3) what those that have it have in common: it counts against all else, base and table too.
    held
        What is known already of two pieces, or of a piece and `ContactKind.BASE` or `ContactKind.TABLE`.
    plates
        The pieces as they hang, where they were made already.
    """
    common, told = shared or {}, held or {}
    height = cactus_set.base_mm[1]
    base = _block(cactus_set)
    looks = {p.id: p for p in cactus_set.pieces}
    known = [h for h in hung if h.id in looks and h.id in spreads]
    plates = plates or _plates(cactus_set, known)
    found: list[Contact] = []
    for a, b in combinations(known, 2):
        if a.cactus != b.cactus or a.id == b.id:
            continue
        kinds = _kinds(looks[a.id], looks[b.id])
        if kinds and _reach(plates[a.id], plates[b.id]):
            spread = spreads[a.id] + spreads[b.id]
            if (a.id in common) != (b.id in common):
                spread = spread + common.get(a.id, 0.0) + common.get(b.id, 0.0)
            astray = _ASTRAY_TWICE if a.id in common and b.id in common else _ASTRAY
            near = told.get((a.id, b.id)) or between(plates[a.id], plates[b.id], spread, astray)
            found += [Contact(kind, a.id, b.id, near.gap_mm, near.sigma_mm, near.touching) for kind in kinds]
    for h in known:
        plate, spread = plates[h.id], spreads[h.id]
        spread = spread + common.get(h.id, 0.0)
        reach = NEAR_MM + _REACH * math.sqrt(float(spread[1, 1]))
        if plate.rim_mm[:, 1].min() < reach:
            near = told.get((h.id, ContactKind.BASE)) or between(plate, base, spread, often=STANDS_PER_MM)
            found.append(Contact(ContactKind.BASE, h.id, None, near.gap_mm, near.sigma_mm, near.touching))
        if plate.rim_mm[:, 1].min() + height < reach:
            near = told.get((h.id, ContactKind.TABLE)) or to_table(plate, height, spread)
            found.append(Contact(ContactKind.TABLE, h.id, None, near.gap_mm, near.sigma_mm, near.touching))
    return tuple(c for c in found if c.gap_mm < NEAR_MM)


def between(a: Plate, b: Plate | Block, spread: Array, astray: float = _ASTRAY, often: float = EDGES_PER_MM) -> Near:
    """How near two are whose places to each other have that (3, 3) covariance in mm.

    `astray` is the probability that they are farther from there than it says; `often` see `weighed`.
    """
    along, depth, sigma = _axis(spread)
    for few in (True, False):
        at, weights = _places(depth, few=few, astray=astray)
        apart = gaps(a, b, at[:, None] * along)
        if apart.min() > _FAR_MM + 4 * sigma:
            break
    slope = np.clip(np.abs(np.gradient(apart, at)), 0.0, 1.0)
    return weighed(apart, weights, sigma, slope, often)


def to_table(plate: Plate, height_mm: float, spread: Array) -> Near:
    """How near a plate is to the table, `height_mm` below the top of the base."""
    along, depth, sigma = _axis(spread)
    at, weights = _places(depth, few=False)
    lowest = float(plate.rim_mm[:, 1].min()) + height_mm
    return weighed(lowest + at * along[1], weights, sigma, often=STANDS_PER_MM)


def weighed(
    gaps_mm: Array, weights: Array, sigma_mm: float, slope: Array | float = 0.0, often: float = EDGES_PER_MM
) -> Near:
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
    often
        How many touch with their edges for each that comes by with a gap of a given millimetre.
    """
    sigma = math.hypot(sigma_mm, MODEL_SIGMA_MM)
    meet = often + (FACES_PER_MM - often) * slope**2
    touch = weights * meet * np.exp(-0.5 * (gaps_mm / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    clear = weights * _beyond((gaps_mm - TOUCH_MM) / sigma)
    touching = float(touch.sum()) / max(float((touch + clear).sum()), 1e-300)
    # That faces lie on each other nobody sees from before them: it is never told for certain.
    faces = float((touch * slope**2).sum()) / max(float(touch.sum()), 1e-300)
    touching = min(touching, 1.0 - _HIDDEN * faces)
    # Solid as they are, hardly a place may fit: then something about them is misread.
    fits = float((weights * np.exp(-0.5 * (np.minimum(gaps_mm, 0.0) / sigma) ** 2)).sum() / weights.sum())
    touching = 0.5 + (touching - 0.5) * min(fits / FITS, 1.0)
    share = clear / max(float(clear.sum()), 1e-12)
    apart = np.maximum(gaps_mm, 0.0)
    mean = float((share * apart).sum())
    spread = float((share * (apart - mean) ** 2).sum())
    gap = (1 - touching) * mean
    variance = sigma**2 + (1 - touching) * spread + touching * (1 - touching) * mean**2
    return Near(gap, math.sqrt(variance), touching)


def _axis(spread: Array) -> tuple[Array, float, float]:
    """The direction in which a place is least known, its standard deviation there, and the next largest."""
    values, axes = np.linalg.eigh(spread)
    values = np.sqrt(np.maximum(values, 1e-6))
    return np.asarray(axes[:, 2], np.float64), float(values[2]), float(values[1])


def _places(sigma_mm: float, *, few: bool, astray: float = _ASTRAY) -> tuple[Array, Array]:
    """How far a plate may be along the line on which its place is least known, (k,) mm, and how likely each is."""
    wide = math.hypot(sigma_mm, _ASTRAY_MM)
    near = np.linspace(-_REACH, _REACH, _FEW if few else _PLACES) * sigma_mm
    far = np.linspace(_REACH * sigma_mm, _REACH * wide, 2 if few else _FEW)[1:]
    at = np.concatenate([-far[::-1], near, far])
    shares = (1 - astray) * np.exp(-0.5 * (at / sigma_mm) ** 2) / sigma_mm
    shares += astray * np.exp(-0.5 * (at / wide) ** 2) / wide
    return at, np.asarray(shares * np.gradient(at), np.float64)


def _reach(a: Plate, b: Plate) -> bool:
    """Whether two plates come near enough in the plane of the cactus to look closer."""
    low = np.maximum(a.rim_mm[:, :2].min(0), b.rim_mm[:, :2].min(0))
    high = np.minimum(a.rim_mm[:, :2].max(0), b.rim_mm[:, :2].max(0))
    return bool((low - high).max() < NEAR_MM + 2.0)


def _beyond(z: Array) -> Array:
    """Share of a normal distribution below z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(z), np.float64)
