"""Where a card of CONEX could be laid on today's table, for those who learn the game. Poses in millimetres.

A corner is a picture of the overlap: its inner sides are edges of the ground. One inner side may slide along any edge
of a ground of its colour; two inner sides that meet at a right angle fit the four corners of a ground. So there are
few places to try, and each is tried against the rules with room for a hand that misses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scoring import geometry
from scoring.deck import ConexDeck, ConexFace, Corner
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import (
    CORNER_COVERED,
    OUT_OF_BOUNDS,
    PLUS_TWO,
    SINGLE_CONTACT,
    judge_placement,
)
from scoring.games.conex_readings import Spot, board_spots
from scoring.games.conex_scene import NEAR_MM, Scene, Thing, on_plane
from scoring.geometry import Grown
from scoring.table import Candidate, Placement, Point, Pose, TableState
from scoring.verdicts import Call, Ground

HAND_MM = 1.0
"""Room that a place keeps beyond what would be too close to call."""
ROOMY_MM = 10.0
"""More room than this makes no place better."""
SLIDE_MM = 3.0
"""Steps along an edge."""
_ON_EDGE_MM = 1.0
_RIGHT_RAD = math.radians(6)
_KEY = "+coach"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A place where a card can be laid.

    Parameters
    ----------
    pose
        How the card lies there.
    ground
        What it is laid onto.
    corner
        Index of the corner to lay.
    value, bonus, points
        The number on the corner, the points for the ground, and their sum.
    margin_mm
        Least gap to anything that it must not touch, at most `NEAR_MM`.
    """

    pose: Pose
    ground: Ground
    corner: int
    value: int
    bonus: int
    points: int
    margin_mm: float


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why a corner cannot be laid today.

    Parameters
    ----------
    corner
        Index of the corner.
    color
        Its colour.
    why
        ``ground``: nothing of its colour lies there. ``shape``: no edge or corner of a card fits its outline.
        ``room``: wherever it fits, the card would come too near to something.
    rule
        For ``room``, the rule that the best of these places would break.
    """

    corner: int
    color: str
    why: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    pose: Pose
    spot: Spot
    corner: int
    bonus: int
    margin_mm: float
    rule: str | None
    """The rule of what is nearest."""


def legal_places(
    table: TableState, face: str, deck: ConexDeck, options: ConexOptions | None = None, limit: int = 12
) -> tuple[Suggestion, ...]:
    """Places where a card can be laid legally, most points first, then most room; see `advise`."""
    return advise(table, face, deck, options, limit)[0]


def advise(
    table: TableState, face: str, deck: ConexDeck, options: ConexOptions | None = None, limit: int = 12
) -> tuple[tuple[Suggestion, ...], tuple[NoPlace, ...]]:
    """Where a card can be laid, and why some of its corners cannot.

    Parameters
    ----------
    table
        The settled table. A card of that face on it is taken to be the one that is shown, and left out.
    face
        Face id; KeyError for one that the deck does not have.
    deck
        The deck that lies on the table.
    options
        House rules; None plays the defaults.
    limit
        Most places to tell.

    Returns
    -------
    tuple of Suggestion
        Most points first, then most room; much the same place is told once.
    tuple of NoPlace
        The corners that have no place, by index.
    """
    options = options or ConexOptions()
    printed = deck.faces[face]
    table = replace(table, placements=tuple(p for p in table.placements if p.face != face))
    sigma = max((p.sigma_mm for p in table.placements), default=table.board.sigma_mm if table.board else 0.0)
    shown = Placement(_KEY, face, Pose(0.0, 0.0, 0.0), deck.card_mm, sigma, 1.0, (Candidate(face, 1.0),))
    room = _Room(table, shown, deck, options)
    found: list[_Place] = []
    reasons: list[NoPlace] = []
    for k, corner in enumerate(printed.corners):
        spots = room.spots(corner.color)
        tried = [room.judged(pose, spot, k) for spot in spots for pose in _poses(deck.card_mm, corner, spot)]
        free = [p for p in tried if p.margin_mm >= room.least_mm]
        found += free
        if not spots:
            reasons.append(NoPlace(k, corner.color, "ground"))
        elif not tried:
            reasons.append(NoPlace(k, corner.color, "shape"))
        elif not free:
            reasons.append(NoPlace(k, corner.color, "room", max(tried, key=lambda p: p.margin_mm).rule))
    return tuple(_chosen(found, room, printed, limit)), tuple(reasons)


class _Room:
    """What a card to be laid must keep away from."""

    def __init__(self, table: TableState, shown: Placement, deck: ConexDeck, options: ConexOptions) -> None:
        self.table, self.shown, self.deck, self.options = table, shown, deck, options
        self.scene = Scene(table, shown, deck, options.touch_band_mm)
        self.least_mm = max((self.scene.half_mm(t) for t in self.scene.others), default=options.touch_band_mm) + HAND_MM
        self.reach = math.hypot(*deck.card_mm) / 2
        self.things = [(t, _center(t), math.hypot(*t.piece.size_mm) / 2) for t in self.scene.others]
        self.corners: list[tuple[Thing, Grown, Point, float]] = []
        for t in self.scene.others:
            for name in t.belief:
                face = deck.faces.get(name)
                for k in range(len(face.corners)) if face else ():
                    hull = geometry.polygon(self.scene.region(t, face, k)).convex_hull  # type: ignore[arg-type]  # no corners without a face
                    at = (float(hull.centroid.x), float(hull.centroid.y))
                    ring = geometry.largest_part(hull)
                    self.corners.append((t, Grown(ring), at, max(math.dist(at, p) for p in ring)))

    def spots(self, color: str) -> list[Spot]:
        """Grounds that are of that colour beyond doubt."""
        sure = self.options.sure
        spots: list[Spot] = []
        for t in self.scene.others:
            if t.is_board:
                spots += [s for s in board_spots(self.scene, t) if s.color == color and t.sure >= sure]
            elif self._share(t, lambda f: f.color == color) >= sure:
                spots.append(Spot(Ground(t.key), t, t.rect))
        return spots

    def judged(self, pose: Pose, spot: Spot, corner: int) -> _Place:
        """A place with its least margin; the search for it ends with the first that is too small."""
        shape = geometry.rounded(replace(self.shown, pose=pose), self.deck.corner_radius_mm)
        at = (pose.x_mm, pose.y_mm)
        margin, rule = NEAR_MM, None
        on_card = not spot.thing.is_board
        for thing, center, reach in self.things:
            skipped = thing is spot.thing or (thing.is_board and on_card and self.options.contact == "board-too")
            if not skipped and math.dist(at, center) - reach - self.reach < margin:
                gap = geometry.grown_gap_mm(shape, thing.shape)
                if gap < margin:
                    margin, rule = gap, SINGLE_CONTACT
        for _, hull, center, reach in self.corners:
            if margin >= self.least_mm and math.dist(at, center) - reach - self.reach < margin:
                gap = geometry.grown_gap_mm(shape, hull)
                if gap < margin:
                    margin, rule = gap, CORNER_COVERED
        if margin >= self.least_mm and len(self.table.area) >= 3:
            clear, _ = geometry.clearance_mm(shape, self.table.area)
            if clear < margin:
                margin, rule = clear, OUT_OF_BOUNDS
        plus = on_card and self._share(spot.thing, lambda f: f.symbol == "plus2") >= self.options.sure
        return _Place(pose, spot, corner, PLUS_TWO if plus else 0, margin, rule)

    def is_legal(self, place: _Place) -> bool:
        """What the referee would say of it."""
        laid = replace(self.shown, pose=place.pose)
        table = replace(self.table, placements=(*self.table.placements, laid))
        ruling, _ = judge_placement(table, _KEY, self.deck, self.options)
        return (ruling.call, ruling.onto, ruling.corner) == (Call.LEGAL, place.spot.ground, place.corner)

    def _share(self, thing: Thing, holds: Callable[[ConexFace], bool]) -> float:
        faces = self.deck.faces
        return sum(p for f, p in thing.belief.items() if f in faces and holds(faces[f]))


def _chosen(found: Sequence[_Place], room: _Room, face: ConexFace, limit: int) -> Iterator[Suggestion]:
    def worth(p: _Place) -> int:
        return face.corners[p.corner].value + p.bonus

    kept: list[_Place] = []
    apart = min(room.deck.card_mm) / 2
    for place in sorted(found, key=lambda p: (-worth(p), -min(p.margin_mm, ROOMY_MM))):
        if len(kept) >= limit:
            return
        alike = any(
            (p.corner, p.spot.ground) == (place.corner, place.spot.ground)
            and math.dist((p.pose.x_mm, p.pose.y_mm), (place.pose.x_mm, place.pose.y_mm)) < apart
            for p in kept
        )
        if alike or not room.is_legal(place):
            continue
        kept.append(place)
        value = face.corners[place.corner].value
        yield Suggestion(
            place.pose, place.spot.ground, place.corner, value, place.bonus, value + place.bonus, place.margin_mm
        )


def _poses(card_mm: tuple[float, float], corner: Corner, spot: Spot) -> Iterator[Pose]:
    """Poses in which the corner is exactly the overlap with a ground."""
    chain = _inner_sides(card_mm, corner)
    edges = list(zip(spot.rect, (*spot.rect[1:], spot.rect[0]), strict=True))

    def lies(pose: Pose) -> bool:
        # On the board an edge of the coloured part passes several spaces.
        if spot.region is None:
            return True
        return geometry.reach_mm(on_plane(pose, card_mm, corner.region), spot.region) <= _ON_EDGE_MM

    if len(chain) == 2:
        p, q = chain
        long = math.dist(p, q)
        for a, b in edges:
            free = math.dist(a, b) - long
            steps = max(1, math.ceil(free / SLIDE_MM))
            for i in range(steps + 1) if free >= 0 else ():
                share = free * i / steps / math.dist(a, b)
                start = (a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share)
                pose = _pose(card_mm, _turn(p, q, a, b), p, start)
                if lies(pose):
                    yield pose
    if len(chain) == 3 and _is_right(*chain):
        p, q, r = chain
        for (a, b), (_, c) in zip(edges, (*edges[1:], edges[0]), strict=True):
            first, second = _turn(p, q, a, b), _turn(q, r, b, c)
            turn = first + math.remainder(second - first, math.tau) / 2
            pose = _pose(card_mm, turn, q, b)
            if lies(pose):
                yield pose


def _inner_sides(card_mm: tuple[float, float], corner: Corner) -> tuple[Point, ...]:
    """The part of a corner's outline that runs inside the card, clockwise as seen; empty where there is none."""
    ring = list(corner.region)
    if _doubled_area(ring) < 0:
        ring.reverse()
    n = len(ring)
    inner = [not _along_edge(card_mm, ring[i], ring[(i + 1) % n]) for i in range(n)]
    starts = [i for i in range(n) if inner[i] and not inner[i - 1]]
    if len(starts) != 1:
        return ()
    chain = [ring[starts[0]]]
    for step in range(n):
        i = (starts[0] + step) % n
        if not inner[i]:
            break
        chain.append(ring[(i + 1) % n])
    return tuple(_straightened(chain))


def _straightened(chain: list[Point]) -> list[Point]:
    """Without the points at which a line goes on straight."""
    kept = chain[:1]
    for i in range(1, len(chain) - 1):
        (x0, y0), (x1, y1), (x2, y2) = kept[-1], chain[i], chain[i + 1]
        away = abs((x2 - x0) * (y1 - y0) - (y2 - y0) * (x1 - x0)) / max(math.dist(kept[-1], chain[i + 1]), 1e-9)
        if away > _ON_EDGE_MM / 2:
            kept.append(chain[i])
    return [*kept, chain[-1]]


def _along_edge(card_mm: tuple[float, float], p: Point, q: Point) -> bool:
    (x0, y0), (x1, y1) = p, q
    w, h = card_mm
    return any(
        max(abs(a - edge), abs(b - edge)) <= _ON_EDGE_MM
        for a, b, edge in ((x0, x1, 0.0), (x0, x1, w), (y0, y1, 0.0), (y0, y1, h))
    )


def _is_right(p: Point, q: Point, r: Point) -> bool:
    """Whether the outline turns by a right angle to its inside at q."""
    turn = math.atan2(r[1] - q[1], r[0] - q[0]) - math.atan2(q[1] - p[1], q[0] - p[0])
    return abs(math.remainder(turn - math.pi / 2, math.tau)) <= _RIGHT_RAD


def _turn(p: Point, q: Point, a: Point, b: Point) -> float:
    """By how much p → q must turn to run along a → b."""
    return math.atan2(b[1] - a[1], b[0] - a[0]) - math.atan2(q[1] - p[1], q[0] - p[0])


def _pose(card_mm: tuple[float, float], turn: float, at: Point, lies: Point) -> Pose:
    """The pose of a card turned so, whose face point `at` lies on the plane's point `lies`."""
    c, s = math.cos(turn), math.sin(turn)
    u, v = card_mm[0] / 2 - at[0], card_mm[1] / 2 - at[1]
    return Pose(lies[0] + u * c - v * s, lies[1] + u * s + v * c, math.remainder(turn, math.tau))


def _doubled_area(ring: Sequence[Point]) -> float:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))


def _center(thing: Thing) -> Point:
    return (thing.piece.pose.x_mm, thing.piece.pose.y_mm)
