"""The drawing of the cacti: from what hangs where, in mm, to what the page draws."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from scoring.deck_cactus import Cactus, CactusDeck, CactusPiece
from scoring.games.cactus_stand import STATED
from scoring.geometry import Grown, nearest
from scoring.table import Placement, Point, Side
from webui.cactus.snapshot_stand import Box, CactusView, HungView, PieceView, SceneView, SetView, StandView, TouchView

MARGIN_MM = 7.0
LEAST_HALF_MM = 36.0
MOST_MM = 400.0
"""What hangs farther away than that from its cactus is an error of reading and is not drawn."""
SURE = 0.9
"""Probability from which on a piece's name is shown without a question mark."""
TOLD_MM = ((-26.0, 8.0), (26.0, 8.0), (-26.0, 40.0), (26.0, 40.0), (0.0, -10.0))
"""Where pieces are drawn that were told and not seen: to the top of their cactus."""
TOLD_STEP_MM = 24.0
FACE_STEPS = 24
TAG_MM = (34.0, 10.5)
"""Room that the tag of a contact takes."""


class _Keyed:
    """A deck as a key: by identity, and kept as long as what was worked out of it."""

    def __init__(self, deck: CactusDeck) -> None:
        self.deck = deck

    def __hash__(self) -> int:
        return id(self.deck)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.deck is self.deck


def set_view(deck: CactusDeck, order: Sequence[str] = ()) -> SetView:
    """The set as the page draws it, worked out once a set; its cacti are numbered in `order`, or as in the set."""
    return _looks(_Keyed(deck), tuple(order))


@lru_cache(maxsize=8)
def _looks(key: _Keyed, order: tuple[str, ...]) -> SetView:
    deck = key.deck
    names = [*(c for c in order if c in deck.cacti), *(c for c in deck.cacti if c not in order)]
    cacti = {c: _cactus(deck.cacti[c], n) for n, c in enumerate(names, start=1)}
    pieces = {p.id: piece_view(p) for p in deck.pieces.values()}
    return SetView(deck.colors, deck.shapes, pieces, cacti, (deck.base.width_mm, deck.base.height_mm))


def piece_view(piece: CactusPiece) -> PieceView:
    """A piece of the set as the page draws it."""
    outline = tuple(_round(x, -y) for x, y in piece.outline)
    return PieceView(piece.id, piece.color, piece.shape, outline, _box_of(outline))


def hung_outline(piece: CactusPiece, placement: Placement) -> tuple[Point, ...]:
    """The outline of a piece where it hangs, on the plane of its cactus (y down)."""
    pose = placement.pose
    flip = -1.0 if placement.side is Side.BACK else 1.0
    c, s = math.cos(pose.angle_rad), math.sin(pose.angle_rad)
    points = ((flip * x, -y) for x, y in piece.outline)
    return tuple(_round(pose.x_mm + x * c - y * s, pose.y_mm + x * s + y * c) for x, y in points)


def scene_of(
    deck: CactusDeck,
    hanging: Iterable[Placement],
    touches: Mapping[str, Sequence[TouchView]] | None = None,
    *,
    active: Collection[str] = (),
    placed: str | None = None,
    fallen: Iterable[str] = (),
    seen: Collection[str] | None = None,
    order: Sequence[str] = (),
) -> SceneView:
    """The drawing of a table.

    Parameters
    ----------
    deck
        The set.
    hanging
        Placements on cacti; those on the table are left out.
    touches
        Contacts by cactus; places are worked out by `touch_at`.
    active
        Cacti on which the piece of this turn may hang.
    placed
        Key of the piece of the running turn.
    fallen
        Pieces that fell in this turn.
    seen
        Cacti that were seen; None: all.
    order
        Cacti in the order of play; empty: as in the set.
    """
    look = set_view(deck, order)
    pieces: dict[str, list[HungView]] = {c: [] for c in look.cacti}
    told: dict[str, int] = {}
    for p in sorted(hanging, key=lambda p: (p.key == placed, p.layer)):
        if p.pose.plane in pieces and max(abs(p.pose.x_mm), abs(p.pose.y_mm)) < MOST_MM:
            if p.key.startswith(STATED):
                n = told[p.pose.plane] = told.get(p.pose.plane, -1) + 1
                p = _spread(p, n)
            pieces[p.pose.plane].append(_hung(p, deck, look, placed))
    box = _room(look, [h for hung in pieces.values() for h in hung])
    stands = tuple(
        StandView(
            cactus,
            tuple(pieces[c]),
            _tagged((touches or {}).get(c, ()), box),
            c in active,
            seen is None or c in seen,
        )
        for c, cactus in look.cacti.items()
    )
    return SceneView(box, stands, tuple(look.pieces[f] for f in fallen if f in look.pieces))


def touch_at(deck: CactusDeck, a: Placement | None, b: Placement | None, kind: str) -> Point:
    """Where a contact is: between two pieces, or where one is lowest."""
    one, other = _outline(deck, a), _outline(deck, b)
    if one and other:
        p, q = nearest(Grown(one), Grown(other))
        return _round((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    if one:
        low = max(one, key=lambda p: p[1])
        return _round(low[0], min(low[1], deck.base.height_mm if kind == "table" else 0.0))
    return (0.0, 0.0)


def _tagged(touches: Iterable[TouchView], box: Box) -> tuple[TouchView, ...]:
    """The contacts with their tags at the sides, where nothing hangs; none upon another. What is wrong comes last."""
    told: list[TouchView] = []
    left, top, width, height = box
    for touch in sorted(touches, key=lambda t: t.at[1]):
        ways = sorted((left, left + width), key=lambda x: abs(x - touch.at[0]))
        spots = [
            (x + math.copysign(TAG_MM[0] / 2 + 1, -x), touch.at[1] + lift)
            for lift in (-6.0, 4.0, -16.0, 14.0, -26.0, 24.0)
            for x in ways
        ]
        free = [s for s in spots if top + TAG_MM[1] / 2 < s[1] < top + height - TAG_MM[1] / 2 and not _on(s, told)]
        told.append(replace(touch, tag=_round(*(free or spots)[0])))
    return tuple(sorted(told, key=lambda t: ("clear", "unsure", "touching").index(t.call)))


def _on(spot: Point, told: Iterable[TouchView]) -> bool:
    return any(abs(spot[0] - t.tag[0]) < TAG_MM[0] and abs(spot[1] - t.tag[1]) < TAG_MM[1] for t in told)


def _outline(deck: CactusDeck, placement: Placement | None) -> tuple[Point, ...]:
    piece = deck.pieces.get(placement.face or "") if placement is not None else None
    if placement is None:
        return ()
    return hung_outline(piece, placement) if piece is not None else placement.corners()


def _spread(p: Placement, n: int) -> Placement:
    """A piece that people told of: nobody knows where on its cactus it hangs, so it is drawn beside the others."""
    dx, dy = TOLD_MM[n % len(TOLD_MM)]
    lift = -TOLD_STEP_MM * (n // len(TOLD_MM))
    return replace(p, pose=replace(p.pose, x_mm=dx, y_mm=p.pose.y_mm + dy + lift))


def _hung(p: Placement, deck: CactusDeck, look: SetView, placed: str | None) -> HungView:
    outline = _outline(deck, p)
    left, top, width, height = _box_of(outline)
    mark = "guess" if p.face not in look.pieces or p.confidence < SURE else "hung"
    if p.key.startswith(STATED):
        mark = "told"
    return HungView(
        p.key,
        look.pieces.get(p.face or ""),
        outline,
        _round(left + width / 2, top + height / 2),
        "placed" if p.key == placed else mark,
    )


def _cactus(cactus: Cactus, number: int) -> CactusView:
    outline = tuple(_round(x, -y) for x, y in cactus.outline)
    return CactusView(cactus.id, number, cactus.color, outline, _face(outline))


def _face(outline: Sequence[Point]) -> tuple[float, float, float]:
    """Middle and radius of the largest circle in an outline; of about equal ones the highest."""
    left, top, width, height = _box_of(outline)
    sides = list(zip(outline, (*outline[1:], outline[0]), strict=True))
    best = (0.0, left + width / 2, top + height / 2, 0.0)
    for i in range(1, FACE_STEPS):
        for k in range(1, FACE_STEPS):
            x, y = left + width * i / FACE_STEPS, top + height * k / FACE_STEPS
            if not _inside((x, y), sides):
                continue
            radius = min(_distance((x, y), *side) for side in sides)
            worth = radius - 0.03 * (y - top)
            if worth > best[0]:
                best = (worth, x, y, radius)
    return (round(best[1], 1), round(best[2], 1), round(best[3], 1))


def _inside(p: Point, sides: Sequence[tuple[Point, Point]]) -> bool:
    x, y = p
    crossed = False
    for (x1, y1), (x2, y2) in sides:
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
            crossed = not crossed
    return crossed


def _distance(p: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    share = 0.0 if length == 0 else max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length))
    return math.dist(p, (a[0] + share * dx, a[1] + share * dy))


def _room(look: SetView, hung: Sequence[HungView]) -> Box:
    """What is shown of each cactus: the same of all, so that all have one scale."""
    points = [p for c in look.cacti.values() for p in c.outline]
    points += [p for h in hung for p in h.outline]
    half = max(max((abs(x) for x, _ in points), default=0.0), look.base[0] / 2, LEAST_HALF_MM) + MARGIN_MM
    top = min((y for _, y in points), default=-80.0) - MARGIN_MM
    # In whole steps, so that the drawing does not change its scale with every reading.
    half, top = 5.0 * math.ceil(half / 5), 5.0 * math.floor(top / 5)
    low = max(look.base[1], max((y for _, y in points), default=0.0)) + MARGIN_MM
    return (-half, top, 2 * half, round(low - top, 1))


def _box_of(points: Sequence[Point]) -> Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return (min(xs), min(ys), round(max(xs) - min(xs), 2), round(max(ys) - min(ys), 2))


def _round(x: float, y: float) -> Point:
    return (round(float(x), 1), round(float(y), 1))
