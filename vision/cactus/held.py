"""What the pieces on one cactus touch when one picture shows them: all that may meet, weighed together."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from scoring.table import ContactKind
from vision.cactus.cactus_set import CactusLook
from vision.cactus.contact_graph import APART_MM, PLACES_MM, STEP_MM, Meeting, Met, settle
from vision.cactus.plates import Block, Outline, Plate, gaps_along
from vision.cactus.upright import HungPiece, Rigid

Array = NDArray[np.float64]

TOUCH_MM = 0.25
"""Plates nearer than this touch as far as anybody can tell."""
MODEL_SIGMA_MM = 0.15
"""What outlines of cut wood and the lens add to the doubt about a gap."""
EDGES_PER_MM = 5.0
"""How many pieces lean with their edges on each other for each that comes by with a gap of a given millimetre."""
STANDS_PER_MM = 40.0
"""The same for base and table, where hardly anything but a piece that stands there comes near."""
FACES_PER_MM = 1.5
"""How many lie flat on each other, for each that hangs before the other at a distance of a given millimetre."""
FITS = 0.03
"""Where less than this share of the possible places has room for both, they are told unsure."""
_LEAN_MM = 0.6
"""What the lean of plates, hardly seen from the front, adds to the doubt where faces meet."""
_UNHELD, _UNHELD_LOW = 0.05, 0.01
"""How likely it is that what holds a piece was not seen or is misread, against that it was; and near base or table."""
_EXACT, _EXACTLY = 0.7, 0.5
"""Share of the pieces whose depth is known better than it says, and by how much."""
_ASTRAY, _ASTRAY_MM = 0.06, 3.0
"""Share of those whose depth is off by much more, and by how much."""
_CONFUSED = 0.01
"""How often it is told wrongly who is seen before whom."""
_AHEAD_MM = 1.0
"""How far the places of two may differ from what they are where they cross."""
_BALANCE_MM, _BALANCED, _TIPPED = 1.4, 1.6, 0.25
"""What stands on an edge stands about in its middle: how far off, and how much more and less often edges meet so."""
_FACING = 0.2
_MISREAD = 0.04
"""How often what seems to touch does not, for something is not as it was read."""
_SIZED = 0.4
"""How often the size of a piece tells better how deep it hangs than what hides what."""
_MOST_MM = 9.0
"""Gaps beyond this are not measured."""
_ROOM_MM = 2.0
"""... and where only a touch matters, beyond this."""
_COARSE_MM = np.array([-13.0, -10, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13])
_SIGMAS = 3.0
_ASIDE_MM = 0.5
"""What reaches so far below the top of a base stands beside it: the base holds it no more than a wall does."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """A gap over all the places that are possible."""

    gap_mm: float
    sigma_mm: float
    touching: float


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The gap of two at places along the line of sight.

    Parameters
    ----------
    gap_mm
        (m,) the gap at `APART_MM`, or at `PLACES_MM` where the other stands fast; negative where it is impossible.
    sigma_mm
        Standard deviation of the gap across the line of sight.
    often
        How many touch with their edges for each that comes by with a gap of a given millimetre.
    ahead_mm
        (m,) how far one is before the other, towards the viewer; None where that says nothing.
    order
        1 where one is seen before the other, -1 behind it, 0 where that is not told.
    ground
        Whether it is to base or table: what seems to have sunk into them stands there, a little misread.
    aside
        (m,) share of a touch at each place that holds nothing, for it is against the side of a base.
    """

    gap_mm: Array
    sigma_mm: float
    often: float = EDGES_PER_MM
    ahead_mm: Array | None = None
    order: int = 0
    ground: bool = False
    aside: Array | None = None

    def near(self, met: Met, places: Array) -> Near:
        """The gap over all places, of which each is so likely by itself, after all was weighed."""
        fits = float((places * np.exp(-0.5 * (np.minimum(self.gap_mm, 0.0) / self.sigma_mm) ** 2)).sum())
        # Solid as they are, hardly a place may fit: then something about them is misread.
        touching = met.touching if self.ground else 0.5 + (met.touching - 0.5) * min(fits / FITS, 1.0)
        share = met.clear / max(float(met.clear.sum()), 1e-12)
        apart = np.maximum(self.gap_mm, 0.0)
        mean = float((share * apart).sum())
        spread = float((share * (apart - mean) ** 2).sum())
        variance = self.sigma_mm**2 + (1 - touching) * spread + touching * (1 - touching) * mean**2
        return Near((1 - touching) * mean, math.sqrt(variance), touching * (1 - _MISREAD))


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """How near the pieces on one cactus are, by their indices: to each other, to the base and to the table."""

    pairs: dict[tuple[int, int], Near]
    base: dict[int, Near]
    table: dict[int, Near]


@dataclass(frozen=True, slots=True, eq=False)
class Hanging:
    """What hangs on one cactus.

    Parameters
    ----------
    plates, hung
        The pieces on it.
    along
        (3,) direction towards the viewer in the frame of the cactus.
    trunk, base
        The cactus, and the block that it stands in.
    alike
        Pairs of which the gap is asked, not only whether they touch.
    before
        Pieces that are seen before others, with these; None is the cactus.
    sized
        The same pieces where their size in the picture has them, whatever hides what.
    """

    plates: Sequence[Plate]
    hung: Sequence[HungPiece]
    along: Array
    trunk: Plate
    base: Block
    alike: Set[tuple[int, int]]
    before: Set[tuple[int | None, int | None]] = frozenset()
    sized: Sequence[HungPiece] = ()


def weigh_held(cacti: Sequence[Hanging]) -> list[Held]:
    """Weigh all that may meet on each cactus together, for each of some cacti."""
    met = [_may_meet(c) for c in cacti]
    places = [_all_places(c) for c in cacti]
    weights = iter(_weights([m.curve for may in met for m in may]))
    meetings, unheld, aside, first = [], [], [], 0
    for may, own in zip(met, places, strict=True):
        for m in may:
            touch, clear = next(weights)
            beside = touch * (0.0 if m.curve.aside is None else m.curve.aside)
            meetings.append(Meeting(first + m.a, None if m.b is None else first + m.b, touch - beside, clear + beside))
            aside.append(beside / np.maximum(clear + beside, 1e-300))
        low = {m.a for m in may if m.told is not None}
        unheld += [_UNHELD_LOW if i in low else _UNHELD for i in range(len(own))]
        first += len(own)
    settled = settle([p for own in places for p in own], meetings, unheld)
    told = iter(Met(s.touch + s.clear * share, s.clear * (1 - share)) for s, share in zip(settled, aside, strict=True))
    return [_told(may, own, [next(told) for _ in may]) for may, own in zip(met, places, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class _May:
    """A piece that may meet another or what stands fast; of base and table it is told."""

    a: int
    b: int | None
    curve: Curve
    told: ContactKind | None = None


def _may_meet(cactus: Hanging) -> list[_May]:
    plates, hung, along, base = cactus.plates, cactus.hung, cactus.along, cactus.base
    ahead = [float(h.to_cactus.t[2] / along[2]) if abs(along[2]) > _FACING else None for h in hung]

    def curve(i: int, j: int | None, gap_mm: Array, sigma_mm: float) -> Curve:
        one, other = ahead[i], 0.0 if j is None else ahead[j]
        at = PLACES_MM if j is None else APART_MM
        before_mm = None if one is None or other is None else one - other + at
        order = ((i, j) in cactus.before) - ((j, i) in cactus.before)
        return Curve(gap_mm, sigma_mm, ahead_mm=before_mm, order=order)

    sigmas = [math.hypot(h.sigma_mm, MODEL_SIGMA_MM) for h in hung]
    sides = _sides(plates, along)
    met: list[_May] = []
    for i, j in combinations(range(len(hung)), 2):
        sigma = math.hypot(hung[i].sigma_mm, hung[j].sigma_mm, MODEL_SIGMA_MM)
        room = _MOST_MM if (i, j) in cactus.alike else _ROOM_MM + _SIGMAS * sigma
        if float((sides[i, 0] - sides[j, 1]).max()) < room and float((sides[j, 0] - sides[i, 1]).max()) < room:
            gap_mm = _gaps(plates[i], plates[j], along, APART_MM, room)
            met.append(_May(i, j, curve(i, j, gap_mm, sigma)))
    for i, sigma in enumerate(sigmas):
        room = _ROOM_MM + _SIGMAS * sigma
        gap_mm = _gaps(plates[i], cactus.trunk, along, PLACES_MM, room)
        met.append(_May(i, None, curve(i, None, gap_mm, sigma)))
    low = [float(p.rim_mm[:, 1].min()) for p in plates]
    reach = _MOST_MM - float(PLACES_MM[0]) * abs(float(along[1]))
    for i in [i for i, y in enumerate(low) if y < reach]:
        gap_mm = _gaps(plates[i], base, along, PLACES_MM, _MOST_MM)
        aside = ndtr((-_ASIDE_MM - low[i] - PLACES_MM * along[1]) / sigmas[i])
        met.append(_May(i, None, Curve(gap_mm, sigmas[i], STANDS_PER_MM, ground=True, aside=aside), ContactKind.BASE))
        height = low[i] - float(base.least_mm[1])
        if height < reach:
            gap_mm = height + PLACES_MM * along[1]
            met.append(_May(i, None, Curve(gap_mm, sigmas[i], STANDS_PER_MM, ground=True), ContactKind.TABLE))
    return met


def _all_places(cactus: Hanging) -> list[Array]:
    """(k,) for each piece how likely each of `PLACES_MM` is by itself."""
    hung, along = cactus.hung, cactus.along
    places = [_places(h) for h in hung]
    for i, piece in enumerate(cactus.sized):
        off = 0.0 if abs(along[2]) < _FACING else float(piece.to_cactus.t[2] - hung[i].to_cactus.t[2]) / float(along[2])
        off = float(np.clip(off, PLACES_MM[0], PLACES_MM[-1]))
        places[i] = (1 - _SIZED) * places[i] + _SIZED * _places(piece, off)
    return places


def _told(may: Sequence[_May], places: Sequence[Array], settled: Sequence[Met]) -> Held:
    """What became of all that may meet on one cactus."""
    held = Held({}, {}, {})
    for m, s in zip(may, settled, strict=True):
        if m.b is not None:
            held.pairs[m.a, m.b] = m.curve.near(s, np.convolve(places[m.a], places[m.b][::-1]))
        elif m.told is not None:
            (held.base if m.told is ContactKind.BASE else held.table)[m.a] = m.curve.near(s, places[m.a])
    return held


def _weights(curves: Sequence[Curve]) -> list[tuple[Array, Array]]:
    """How likely it is to touch and to be clear, at each place of each curve."""
    told: dict[int, tuple[Array, Array]] = {}
    for size in (len(PLACES_MM), len(APART_MM)):
        of = [n for n, c in enumerate(curves) if len(c.gap_mm) == size]
        if not of:
            continue
        gap = np.array([curves[n].gap_mm for n in of])
        sigma, often, order = np.array([[curves[n].sigma_mm, curves[n].often, curves[n].order] for n in of]).T[
            ..., None
        ]
        where = [curves[n].ahead_mm for n in of]
        known = np.array([[w is not None] for w in where])
        ahead = np.array([np.zeros(size) if w is None else w for w in where])
        slope = np.clip(np.abs(np.gradient(gap, STEP_MM, axis=1)), 0.0, 1.0)
        sigma = np.hypot(sigma, slope * _LEAN_MM)
        balance = np.maximum(_BALANCED * np.exp(-0.5 * (ahead / _BALANCE_MM) ** 2), _TIPPED)
        often = often * np.where(known, balance, 1.0)
        seen = _CONFUSED + (1 - _CONFUSED) * np.where(known, ndtr(order * ahead / _AHEAD_MM), 1.0)
        meet = often + (FACES_PER_MM - often) * slope**2
        touch = meet * np.exp(-0.5 * (gap / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
        clear = ndtr((gap - TOUCH_MM) / sigma)
        told |= {n: (t, c) for n, t, c in zip(of, touch * seen, clear * seen, strict=True)}
    return [told[n] for n in range(len(curves))]


@lru_cache(maxsize=32)
def trunk_of(look: CactusLook, thickness_mm: float) -> Plate:
    """A cactus in its own frame; made once."""
    return Plate.placed(Outline.of(look.outline_mm), thickness_mm, Rigid(np.eye(3), np.zeros(3)))


def _gaps(a: Plate, b: Plate | Block, along: Array, at_mm: Array, most_mm: float) -> Array:
    """(m,) gaps at places of `a` towards the viewer."""
    gap = np.interp(at_mm, _COARSE_MM, gaps_along(a, b, along, _COARSE_MM, most_mm))
    beyond = np.abs(at_mm) > _COARSE_MM[-1]
    gap[beyond] = np.maximum(gap[beyond], _ROOM_MM)
    return np.asarray(gap, np.float64)


def _sides(plates: Sequence[Plate], along: Array) -> Array:
    """(n, 2, 2) the least and the greatest place of each plate across the line of sight, in two directions."""
    across = np.linalg.svd(along[None])[2][1:]
    flat = [p.rim_mm @ across.T for p in plates]
    return np.array([(f.min(0), f.max(0)) for f in flat])


def _places(piece: HungPiece, off_mm: float = 0.0) -> Array:
    """(k,) how likely a piece is at each of `PLACES_MM`, of which it is thought to be at `off_mm`."""
    sigma = max(piece.depth_sigma_mm, piece.sigma_mm)
    parts = ((_EXACT, _EXACTLY * sigma), (1 - _EXACT - _ASTRAY, sigma), (_ASTRAY, math.hypot(sigma, _ASTRAY_MM)))
    share = sum(part * np.exp(-0.5 * ((PLACES_MM - off_mm) / wide) ** 2) / wide for part, wide in parts)
    return np.asarray(share / np.sum(share), np.float64)
