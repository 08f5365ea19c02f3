"""The plan of a CONEX table: from what lies where, in mm, to what the page draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scoring.deck import ConexDeck, ConexFace
from scoring.table import Placement, Point, Side, TableState, TokenKind
from scoring.verdicts import Call, Verdict
from webui.conex.snapshot_plan import (
    CornerView,
    DeckView,
    FaceView,
    PlanBoard,
    PlanCard,
    PlanPawn,
    PlanPlace,
    PlanSpot,
    PlanStar,
    PlanView,
)

MARGIN_MM = 12.0
ROOM_MM = 70.0
"""Shown round the cards: another one can be laid there."""
LEAST_MM = 420.0
SCREEN = 16 / 9
TOKEN_SURE = 0.5
CARD_SURE = 0.9
"""Probability from which on a card's name is shown without a question mark."""
TAG_MM = (64.0, 19.0)
"""Room that the tag of a place takes."""
MOST_MM = 5000.0
"""What lies farther away is an error of the plane and is not drawn."""


def face_view(face: ConexFace) -> FaceView:
    """A card of the deck as the page draws it."""
    corners = tuple(
        CornerView(i, c.color, c.value, c.region, _label(c.region), _height(c.region))
        for i, c in enumerate(face.corners)
    )
    return FaceView(face.id, face.color, face.symbol, corners)


def deck_view(deck: ConexDeck) -> DeckView:
    """The deck as the page draws it."""
    return DeckView(
        deck.card_mm,
        deck.corner_radius_mm,
        deck.colors,
        deck.pawns,
        deck.board.size_mm,
        tuple((s.color, s.region, _label(s.region)) for s in deck.board.spaces),
        deck.board.track,
        deck.board.goal,
        max((s.size_mm for s in deck.stars.values()), default=24.0),
    )


def plan_of(
    table: TableState,
    deck: ConexDeck,
    faces: Mapping[str, FaceView],
    last: str | None = None,
    verdicts: Iterable[Verdict] = (),
    spots: Sequence[PlanSpot] = (),
) -> PlanView:
    """The plan of a table.

    Parameters
    ----------
    table
        What lies where.
    deck
        The deck.
    faces
        Its cards as drawn, by id.
    last
        Key of the card of the running turn.
    verdicts
        What the rules say; those that are not kept or open mark their places.
    spots
        Where a card could be laid.
    """
    covered = {lower for _, lower in table.covers}
    cards = []
    for p in _from_below(table):
        if not _near(p):
            continue
        if p.side is Side.BACK:
            mark = "down"
        elif p.key == last:
            mark = "last"
        elif p.face is None or p.confidence < CARD_SURE:
            mark = "guess"
        else:
            mark = "covered" if p.key in covered else "free"
        cards.append(_card(p, faces.get(p.face or ""), mark))
    tokens = [t for t in table.tokens if t.confidence >= TOKEN_SURE and max(map(abs, t.at)) < MOST_MM]
    board = table.board if table.board is not None and _near(table.board) else None
    area = table.area if all(max(abs(x), abs(y)) < MOST_MM for x, y in table.area) else ()
    return PlanView(
        _box(table, area),
        PlanBoard(*_round(board.pose.x_mm, board.pose.y_mm), _degrees(board)) if board else None,
        tuple(cards),
        tuple(PlanPawn(t.name, *_round(*t.at), t.square) for t in tokens if t.kind is TokenKind.PAWN),
        tuple(PlanStar(t.name, *_round(*t.at)) for t in tokens if t.kind is TokenKind.STAR),
        tuple(_round(*p) for p in area),
        _tagged([place for v in verdicts if (place := _place(v)) is not None]),
        tuple(spots),
    )


def card_at(piece: Placement, face: FaceView | None, mark: str) -> PlanCard:
    """One card as it lies, or as it could lie."""
    return _card(piece, face, mark)


def _card(p: Placement, face: FaceView | None, mark: str) -> PlanCard:
    return PlanCard(p.key, face, *_round(p.pose.x_mm, p.pose.y_mm), _degrees(p), mark)


def _place(verdict: Verdict) -> PlanPlace | None:
    if verdict.call is Call.LEGAL or len(verdict.where) < 2:
        return None
    if not all(max(abs(x), abs(y)) < MOST_MM for x, y in verdict.where):
        return None
    gap = verdict.facts.get("gap_mm")
    points = tuple(_round(*p) for p in verdict.where)
    n = len(points)
    at = (sum(x for x, _ in points) / n, sum(y for _, y in points) / n)
    return PlanPlace(str(verdict.call), points, float(gap) if isinstance(gap, int | float) else None, _round(*at))


def _tagged(places: Sequence[PlanPlace]) -> tuple[PlanPlace, ...]:
    """The places with their tags beside them, none upon another."""
    told: list[PlanPlace] = []
    for place in sorted(places, key=lambda p: p.call != Call.VIOLATION):
        x, y = place.at
        ways = [(0, -26), (0, 26), (-52, -14), (52, -14), (-52, 16), (52, 16), (0, -46), (0, 46)]
        tag = next(
            (
                (x + dx, y + dy)
                for dx, dy in ways
                if all(abs(x + dx - p.tag[0]) > TAG_MM[0] or abs(y + dy - p.tag[1]) > TAG_MM[1] for p in told)
            ),
            (x, y - 26),
        )
        told.append(replace(place, tag=_round(*tag)))
    return tuple(told)


def _from_below(table: TableState) -> list[Placement]:
    """The cards, each behind those that it lies on."""
    below: dict[str, set[str]] = {p.key: set() for p in table.placements}
    for upper, lower in table.covers:
        if upper in below and lower in below and upper != lower:
            below[upper].add(lower)
    ordered: list[Placement] = []
    waiting = sorted(table.placements, key=lambda p: (p.layer, len(p.key), p.key))
    done: set[str] = set()
    while waiting:
        # A ring of covers is an error of reading: then the first one is drawn first.
        ready = next((p for p in waiting if below[p.key] <= done), waiting[0])
        waiting.remove(ready)
        done.add(ready.key)
        ordered.append(ready)
    return ordered


def _box(table: TableState, area: Sequence[Point]) -> tuple[float, float, float, float]:
    """What is shown: the cards with room to lay another one, no more than the area, in the shape of a screen."""
    pieces = [p for p in (*table.placements, *([table.board] if table.board else [])) if _near(p)]
    points = [c for p in pieces for c in p.corners()]
    room = ROOM_MM
    if not points:
        points = [*area] or [p for p in table.view if max(map(abs, p)) < MOST_MM] or [(0.0, 0.0), (400.0, 225.0)]
        room = MARGIN_MM
    left, right = min(x for x, _ in points) - room, max(x for x, _ in points) + room
    top, bottom = min(y for _, y in points) - room, max(y for _, y in points) + room
    if area:
        left, right = max(left, min(x for x, _ in area) - MARGIN_MM), min(right, max(x for x, _ in area) + MARGIN_MM)
        top, bottom = max(top, min(y for _, y in area) - MARGIN_MM), min(bottom, max(y for _, y in area) + MARGIN_MM)
        # A card that reaches beyond the area is shown whole all the same.
        corners = [c for p in pieces for c in p.corners()]
        left, right = min([left, *(x for x, _ in corners)]), max([right, *(x for x, _ in corners)])
        top, bottom = min([top, *(y for _, y in corners)]), max([bottom, *(y for _, y in corners)])
    width, height = max(right - left, LEAST_MM), max(bottom - top, LEAST_MM / SCREEN)
    width, height = max(width, height * SCREEN), max(height, width / SCREEN)
    # In whole steps, so that a plan does not jump by the last millimetre of every reading.
    x, y = (left + right - width) / 2, (top + bottom - height) / 2
    left, top = 10 * math.floor(x / 10), 10 * math.floor(y / 10)
    return (left, top, 10 * math.ceil((x + width) / 10) - left, 10 * math.ceil((y + height) / 10) - top)


def _label(region: Sequence[Point]) -> Point:
    """The middle of a region by area, where its number is written."""
    area = x = y = 0.0
    for (x1, y1), (x2, y2) in zip(region, (*region[1:], region[0]), strict=True):
        cross = x1 * y2 - x2 * y1
        area += cross / 2
        x += (x1 + x2) * cross / 6
        y += (y1 + y2) * cross / 6
    return _round(x / area, y / area) if abs(area) > 1e-6 else _round(*region[0])


def _height(region: Sequence[Point]) -> float:
    """How high a number can be that is written in a region."""
    pairs = zip(region, (*region[1:], region[0]), strict=True)
    area = abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2
    return round(min(max(0.68 * math.sqrt(area), 7.5), 14.0), 1)


def _near(piece: Placement) -> bool:
    return max(abs(piece.pose.x_mm), abs(piece.pose.y_mm)) < MOST_MM


def _degrees(piece: Placement) -> float:
    return round(math.degrees(piece.pose.angle_rad), 1)


def _round(x: float, y: float) -> Point:
    return (round(float(x), 1), round(float(y), 1))
