"""Which corner of a laid card lies on what: every way to read it, with its probability. Geometry in millimetres."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import shapely

from scoring import geometry
from scoring.deck import ConexFace
from scoring.games.conex_scene import Scene, Thing, faces_of
from scoring.table import Point
from scoring.verdicts import Ground

HAND_MM = 1.0
"""A corner that is laid this much worse is e times less likely to be the one that was meant."""
WRONG_COLOR = 0.05
"""How much rarer a corner is laid on a wrong colour than on its own. Only between equal fits this decides."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A ground under the card.

    Parameters
    ----------
    ground
        The card or the space.
    thing
        The card or the board that carries it.
    rect
        The outline that the laid corner is compared with: the card's, or that of the board's coloured part.
    region
        The space's outline, or None for a card.
    color
        The space's colour, or None for a card (its face tells).
    """

    ground: Ground
    thing: Thing
    rect: tuple[Point, ...]
    region: tuple[Point, ...] | None = None
    color: str | None = None


@dataclass(frozen=True, slots=True)
class Fit:
    """How well the overlap of card and ground is the corner's region, in mm.

    Parameters
    ----------
    reach_mm
        How far the card reaches over the ground beside the corner.
    miss_mm
        How far the corner reaches out of the ground.
    stray_mm
        How far the corner lies beside the space on the board.
    share
        Share of the corner's area that lies on the ground.
    overlap
        Outline of the overlap.
    """

    reach_mm: float
    miss_mm: float
    stray_mm: float
    share: float
    overlap: tuple[Point, ...]

    @property
    def worst_mm(self) -> float:
        """The greatest of the three distances."""
        return max(self.reach_mm, self.miss_mm, self.stray_mm)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the placement. `corner` is None where the face is unread, `fit` where it is not laid on anything.

    `stated` tells that a person named ground or corner.
    """

    face: ConexFace | None
    spot: Spot | None
    corner: int | None
    weight: float
    fit: Fit | None = None
    stated: bool = False


def spots_under(scene: Scene, touched: Sequence[Thing]) -> tuple[Spot, ...]:
    """The grounds that the touched things offer."""
    spots: list[Spot] = []
    for thing in touched:
        spots.extend(board_spots(scene, thing) if thing.is_board else [Spot(Ground(thing.key), thing, thing.rect)])
    return tuple(spots)


def board_spots(scene: Scene, thing: Thing) -> list[Spot]:
    """The spaces of the board as grounds.

    A board may have a plain border round its spaces; then a corner ends at the coloured part, not at the board's edge.
    """
    spaces = scene.deck.board.spaces
    xs = [x for s in spaces for x, _ in s.region]
    ys = [y for s in spaces for _, y in s.region]
    x0, x1, y0, y1 = min(xs), max(xs), min(ys), max(ys)
    rect = thing.on_plane([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return [
        Spot(Ground(space=i), thing, rect, thing.on_plane(space.region), space.color) for i, space in enumerate(spaces)
    ]


class _Fitter:
    """Compares the overlaps of a card and its grounds with the corners of the card; each shape is made once."""

    def __init__(self, card: Thing) -> None:
        self._card = card
        self._rect = geometry.polygon(card.rect)
        self._grounds: dict[str, tuple[shapely.Polygon, tuple[Point, ...]]] = {}
        self._corners: dict[tuple[str, int], tuple[tuple[Point, ...], shapely.Polygon]] = {}

    def fit(self, spot: Spot, face: ConexFace, index: int) -> Fit:
        """How well that corner is laid on that ground."""
        if spot.thing.key not in self._grounds:
            ground = geometry.polygon(spot.rect)
            self._grounds[spot.thing.key] = ground, geometry.largest_part(self._rect.intersection(ground))
        if (face.id, index) not in self._corners:
            lies = self._card.on_plane(face.corners[index].region)
            self._corners[face.id, index] = lies, geometry.polygon(lies)
        ground, overlap = self._grounds[spot.thing.key]
        lies, shape = self._corners[face.id, index]
        on_ground = shape.intersection(ground)
        stray, share = 0.0, float(on_ground.area / shape.area)
        if spot.region is not None:
            stray = geometry.reach_mm(geometry.largest_part(on_ground) or lies, spot.region)
            share = float(shape.intersection(geometry.polygon(spot.region)).area / shape.area)
        return Fit(_reach(overlap, shape), _reach(lies, ground), stray, share, overlap)


def _reach(points: Sequence[Point], shape: shapely.Polygon) -> float:
    """How far any of the points lies outside of a shape."""
    return (
        max((float(d) for d in shapely.distance(shapely.points(list(points)), shape)), default=0.0) if points else 0.0
    )


def find_readings(
    scene: Scene,
    touched: Sequence[Thing],
    corner: int | None = None,
    onto: Ground | None = None,
) -> tuple[Reading, ...]:
    """Every reading of what was laid where, likeliest first; their weights sum to 1.

    Parameters
    ----------
    scene
        The table round the card.
    touched
        Things that the card certainly or possibly touches.
    corner, onto
        What a person stated of it, or None.
    """
    spots = _stated_spots(scene, onto) or spots_under(scene, touched)
    fitter = _Fitter(scene.card)
    readings: list[Reading] = []
    for face, probability in faces_of(scene.card.belief, scene.deck):
        found = _of_face(scene, fitter, face, spots, corner)
        if onto is not None or corner is not None:
            found = [(Reading(r.face, r.spot, r.corner, r.weight, r.fit, stated=True), w) for r, w in found]
        most = max((w for _, w in found), default=0.0)
        shares = [math.exp(w - most) for _, w in found]
        for (r, _), share in zip(found, shares, strict=True):
            weight = probability * share / sum(shares)
            readings.append(Reading(r.face, r.spot, r.corner, weight, r.fit, r.stated))
    return tuple(sorted(readings, key=lambda r: (-round(r.weight, 9), _name(r))))


def same_color(scene: Scene, spot: Spot, color: str) -> tuple[float, float]:
    """Probabilities that a ground has that colour and that it has another; what is missing to 1 is unread."""
    if spot.color is not None:
        sure = spot.thing.sure
        return (sure, 0.0) if spot.color == color else (0.0, sure)
    same = other = 0.0
    for face, p in faces_of(spot.thing.belief, scene.deck):
        if face is not None and face.color == color:
            same += p
        elif face is not None:
            other += p
    return min(same, 1.0), min(other, 1.0)


def _stated_spots(scene: Scene, onto: Ground | None) -> tuple[Spot, ...]:
    if onto is None:
        return ()
    return tuple(s for s in spots_under(scene, scene.others) if s.ground == onto)


def _of_face(
    scene: Scene, fitter: _Fitter, face: ConexFace | None, spots: Sequence[Spot], corner: int | None
) -> list[tuple[Reading, float]]:
    """Readings of one face with the logarithm of their weight."""
    if face is None:
        return _unread(scene, spots, corner)
    corners = [corner] if corner is not None and corner < len(face.corners) else range(len(face.corners))
    found = []
    for spot in spots:
        for k in corners:
            printed = face.corners[k]
            fit = fitter.fit(spot, face, k)
            same, _ = same_color(scene, spot, printed.color)
            weight = math.log(same + WRONG_COLOR * (1 - same)) - fit.worst_mm / HAND_MM
            found.append((Reading(face, spot, k, 0.0, fit), weight))
    return found or [(Reading(face, None, None, 0.0), 0.0)]


def _unread(scene: Scene, spots: Sequence[Spot], corner: int | None) -> list[tuple[Reading, float]]:
    """A card without a face may lie on anything that it touches; of the board, on the space nearest to it."""
    found = []
    for spot in spots:
        if spot.region is not None:
            others = [s for s in spots if s.region is not None]
            best = min(others, key=lambda s: (_apart(scene, s), s.ground.space or 0))
            if spot is not best:
                continue
        found.append((Reading(None, spot, corner, 0.0), 0.0))
    return found or [(Reading(None, None, None, 0.0), 0.0)]


def _apart(scene: Scene, spot: Spot) -> float:
    region = geometry.polygon(spot.region or spot.rect)
    return float(region.distance(geometry.polygon(scene.card.rect)))


def _name(r: Reading) -> tuple[str, str, int, int]:
    ground = r.spot.ground if r.spot else Ground()
    space = -1 if ground.space is None else ground.space
    return (r.face.id if r.face else "", ground.key or "", space, -1 if r.corner is None else r.corner)
