"""A table of CONEX as shapes: the laid card, every other thing with its corners, and the gaps between them, in mm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import shapely

from scoring import geometry
from scoring.beliefs import Belief, beliefs
from scoring.deck import ConexDeck, ConexFace
from scoring.geometry import Grown
from scoring.measure import GUARD, Measurement, above
from scoring.table import BOARD, Placement, Point, Pose, Side, TableState
from scoring.verdicts import Call

NEAR_MM = 30.0
"""Gaps beyond this are not told: they say nothing to a player."""
SCALE_SIGMA = 0.012
"""Doubt of a long distance, as a share of it: a map of a table is drawn from the cards that lie on it."""
_SLIVER_MM = 0.3
"""What stays visible beside a covering card by less than this is an error of two poses, not a part of a card."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A card or the board.

    Parameters
    ----------
    piece
        As it lies.
    rect
        Its full rectangle.
    shape
        Its outline with rounded corners.
    belief
        Probability of each face; for the board, that it is the board.
    larger
        How much larger it lies there than its deck says: a board that nobody has measured.
    """

    piece: Placement
    rect: tuple[Point, ...]
    shape: Grown
    belief: Belief
    larger: float = 1.0

    @property
    def key(self) -> str:
        """Key of the placement."""
        return self.piece.key

    @property
    def is_board(self) -> bool:
        """Whether this is the board."""
        return self.piece.key == BOARD

    @property
    def sure(self) -> float:
        """Probability that it is a thing of this deck at all."""
        return min(sum(self.belief.values()), 1.0)

    def on_plane(self, region: Iterable[Point]) -> tuple[Point, ...]:
        """Points of the face as they lie; see `on_plane`."""
        k = self.larger
        return on_plane(self.piece.pose, self.piece.size_mm, ((x * k, y * k) for x, y in region))


@dataclass(frozen=True, slots=True)
class Gap:
    """A signed gap with its doubt, what it says, and the place (none beyond `NEAR_MM`)."""

    gap_mm: float
    sigma_mm: float
    call: Call
    where: tuple[Point, ...]


class Scene:
    """What lies round one card.

    Parameters
    ----------
    table
        The settled table.
    piece
        The laid card; it need not be on the table.
    deck
        The deck that lies there.
    band_mm
        Least half-width of the guard band of a gap.
    """

    def __init__(self, table: TableState, piece: Placement, deck: ConexDeck, band_mm: float) -> None:
        self.deck = deck
        self.band_mm = band_mm
        self.area, self.area_sigma_mm = table.area, table.area_sigma_mm
        self.board_known = table.board is not None
        # A card that lies face down is of the pile or of a hand, not of the picture that is laid.
        cards = [p for p in table.placements if p.side is not Side.BACK and p.key != piece.key]
        believed = beliefs(table, deck.faces)
        self.card = self._thing(piece, believed.get(piece.key, {}))
        others = [self._thing(p, believed[p.key]) for p in cards]
        if table.board is not None:
            board = self._thing(table.board, {BOARD: table.board.confidence})
            others.append(replace(board, larger=table.board.size_mm[0] / deck.board.size_mm))
        # In an order of their own, so that the order in which a detector tells them changes nothing.
        self.others: tuple[Thing, ...] = tuple(sorted(others, key=lambda t: t.key))
        self._covers = set(table.covers)
        self._regions: dict[tuple[str, str, int], tuple[Point, ...]] = {}

    def _thing(self, piece: Placement, belief: Belief) -> Thing:
        return Thing(piece, piece.corners(), geometry.rounded(piece, self.deck.corner_radius_mm), belief)

    def sigma_mm(self, *things: Thing) -> float:
        """Doubt of a distance between the laid card and these things (none: something without doubt)."""
        return math.hypot(self.card.piece.sigma_mm, *(t.piece.sigma_mm for t in things))

    def half_mm(self, *things: Thing) -> float:
        """Half-width of the guard band of such a distance."""
        return max(GUARD * self.sigma_mm(*things), self.band_mm)

    def near(self, within_mm: float = NEAR_MM) -> tuple[Thing, ...]:
        """Other things that may lie within that distance of the card."""
        return tuple(t for t in self.others if _between(self.card, t) <= within_mm)

    def gap_to(self, other: Thing) -> Gap:
        """Gap between the outlines of the card and another thing.

        What other cards cover of a thing cannot be touched: where only that lies near, what stays visible counts.
        """
        return self._gap(other, other.shape)

    def gap_to_corner(self, other: Thing, face: ConexFace, index: int) -> Gap | None:
        """Gap to a corner of another card read as `face`; None beyond `NEAR_MM`."""
        region = self.region(other, face, index)
        if len(region) < 3:
            return None
        shape = geometry.polygon(region)
        hull = geometry.largest_part(shape.convex_hull)
        gap = self._gap(other, Grown(hull))
        if gap.gap_mm > NEAR_MM:
            return None
        if gap.call is not Call.LEGAL and shape.area < 0.999 * shape.convex_hull.area:
            # A hollow outline: its hull is nearer than itself.
            gap = self._measured(geometry.signed_gap_mm(_ring(self.card.shape), region), other, Grown(hull))
        return gap

    def region(self, thing: Thing, face: ConexFace, index: int) -> tuple[Point, ...]:
        """Outline of a corner as it lies, cut at the rounded outline of its card."""
        name = (thing.key, face.id, index)
        if name not in self._regions:
            lies = geometry.polygon(thing.on_plane(face.corners[index].region))
            self._regions[name] = geometry.largest_part(lies.intersection(thing.shape.shape()))
        return self._regions[name]

    def is_above(self, upper: Thing, lower: Thing) -> bool:
        """Whether one thing lies on another, by what was seen or else by the layers."""
        if (upper.key, lower.key) in self._covers:
            return True
        return (lower.key, upper.key) not in self._covers and upper.piece.layer > lower.piece.layer

    def _gap(self, other: Thing, shape: Grown) -> Gap:
        gap = self._measured(geometry.grown_gap_mm(self.card.shape, shape), other, shape)
        if gap.call is Call.LEGAL:
            return gap
        lids = [t for t in self.others if t is not other and self.is_above(t, other) and _between(t, other) <= 0]
        if not lids:
            return gap
        open_part = shape.shape().difference(shapely.union_all([t.shape.shape() for t in lids]))
        open_part = open_part.buffer(-_SLIVER_MM).buffer(_SLIVER_MM)
        pieces = [_ring_of(p) for p in getattr(open_part, "geoms", (open_part,)) if not p.is_empty]
        outline = _ring(self.card.shape)
        seen = min((geometry.signed_gap_mm(outline, p) for p in pieces), default=math.inf)
        if not math.isfinite(seen):
            return Gap(math.inf, self.sigma_mm(other), Call.LEGAL, ())
        visible = self._measured(seen, other, shape)
        return gap if visible.call is gap.call else visible

    def _measured(self, gap_mm: float, other: Thing, shape: Grown) -> Gap:
        sigma = math.hypot(self.sigma_mm(other), SCALE_SIGMA * gap_mm)
        call = above(Measurement(gap_mm, sigma), 0.0, band=self.band_mm)
        if gap_mm > NEAR_MM:
            return Gap(gap_mm, sigma, call, ())
        overlap = () if gap_mm > 0 else geometry.largest_part(self.card.shape.shape().intersection(shape.shape()))
        return Gap(gap_mm, sigma, call, overlap or geometry.nearest(self.card.shape, shape))


def on_plane(pose: Pose, size_mm: tuple[float, float], region: Iterable[Point]) -> tuple[Point, ...]:
    """Points of a face, in mm from its printed top-left corner, as they lie on the plane."""
    w, h = size_mm
    c, s = math.cos(pose.angle_rad), math.sin(pose.angle_rad)
    return tuple(
        (pose.x_mm + (u - w / 2) * c - (v - h / 2) * s, pose.y_mm + (u - w / 2) * s + (v - h / 2) * c)
        for u, v in region
    )


def faces_of(belief: Mapping[str, float], deck: ConexDeck) -> Sequence[tuple[ConexFace | None, float]]:
    """The readings of a card as faces, likeliest first; None stands for what is unread."""
    known = sorted(((deck.faces[f], p) for f, p in belief.items() if f in deck.faces), key=lambda x: (-x[1], x[0].id))
    rest = 1.0 - sum(p for _, p in known)
    return [*known, (None, rest)] if rest > 1e-9 else known


def _between(a: Thing, b: Thing) -> float:
    """Lower bound of the gap of two things, from their centres."""
    reach = (math.hypot(*a.piece.size_mm) + math.hypot(*b.piece.size_mm)) / 2
    return math.dist((a.piece.pose.x_mm, a.piece.pose.y_mm), (b.piece.pose.x_mm, b.piece.pose.y_mm)) - reach


def _ring(shape: Grown) -> tuple[Point, ...]:
    return geometry.largest_part(shape.shape())


def _ring_of(shape: shapely.Geometry) -> tuple[Point, ...]:
    return geometry.largest_part(shape)
