"""A second implementation of the geometry, in cells 0.1 mm wide, agrees on thousands of random tables.

Every shape is a cloud of cells on its own face, moved to where it lies. Distances are those of the nearest cells,
depths the least shift over many directions that parts two clouds: neither outlines nor formulas are shared.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_erosion
from scipy.spatial import ConvexHull, cKDTree

from scoring.deck import ConexDeck
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import (
    COLOR,
    CORNER_COVERED,
    NOT_ATTACHED,
    OUT_OF_BOUNDS,
    SINGLE_CONTACT,
    judge_placement,
)
from scoring.table import BOARD, Placement, Pose, TableState
from scoring.verdicts import Call, Ground, Verdict
from tests.scoring.conex_tables import random_deck, random_table

Floats = NDArray[np.float64]

TABLES = 1500
CELL = 0.1
ERROR = 0.25
"""What two clouds of cells can be wrong by."""
CLEARLY = 6.0
"""By how much the next best reading must be worse before both implementations have to read the same."""
SCALE = 1 / 3
"""Small cards hold fewer cells and have all the same geometry."""
OPTIONS = ConexOptions(touch_band_mm=0.5, tolerance_mm=1.5)
SIGMA = 0.05
TURNS = np.linspace(0, 2 * math.pi, 721)[:-1]
DIRECTIONS = np.stack([np.cos(TURNS), np.sin(TURNS)])


def small_deck(deck: ConexDeck) -> ConexDeck:
    def region(points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((x * SCALE, y * SCALE) for x, y in points)

    faces = {
        f.id: replace(f, corners=tuple(replace(c, region=region(c.region)) for c in f.corners))
        for f in deck.faces.values()
    }
    spaces = tuple(replace(s, region=region(s.region)) for s in deck.board.spaces)
    return replace(
        deck,
        faces=faces,
        card_mm=(deck.card_mm[0] * SCALE, deck.card_mm[1] * SCALE),
        corner_radius_mm=deck.corner_radius_mm * SCALE,
        board=replace(deck.board, spaces=spaces, size_mm=deck.board.size_mm * SCALE),
    )


def small_table(state: TableState) -> TableState:
    def piece(p: Placement) -> Placement:
        pose = Pose(p.pose.x_mm * SCALE, p.pose.y_mm * SCALE, p.pose.angle_rad)
        # All on one layer: what another card hides is another matter.
        return replace(p, pose=pose, size_mm=(p.size_mm[0] * SCALE, p.size_mm[1] * SCALE), layer=0)

    assert state.board is not None
    return replace(
        state,
        placements=tuple(piece(p) for p in state.placements),
        board=piece(state.board),
        area=tuple((x * SCALE, y * SCALE) for x, y in state.area),
    )


@cache
def rim(size: tuple[float, float], radius: float, region: tuple[tuple[float, float], ...] | None = None) -> Floats:
    """Centres of the cells at the border of a rounded rectangle or of the part of it in a region, from its centre."""
    w, h = size
    u, v = np.meshgrid(np.arange(CELL / 2, w, CELL), np.arange(CELL / 2, h, CELL))
    inside = np.ones(u.shape, bool)
    if radius:
        du, dv = np.abs(u - w / 2) - (w / 2 - radius), np.abs(v - h / 2) - (h / 2 - radius)
        inside = ~((du > 0) & (dv > 0) & (np.hypot(du, dv) > radius))
    if region is not None:
        inside &= within(np.stack([u, v], -1).reshape(-1, 2), np.array(region)).reshape(u.shape)
    inside &= ~binary_erosion(inside)
    return np.stack([u[inside] - w / 2, v[inside] - h / 2], -1)


def within(points: Floats, polygon: Floats) -> NDArray[np.bool_]:
    """Which points lie in a polygon: a ray to the right crosses its sides an odd number of times."""
    x, y = points[:, 0], points[:, 1]
    odd = np.zeros(len(points), bool)
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        crosses = (y0 > y) != (y1 > y)
        if y0 != y1:
            odd ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return odd


@cache
def hull(size: tuple[float, float], radius: float, region: tuple[tuple[float, float], ...] | None) -> Floats:
    """Those of the border cells that can be the outermost ones in some direction."""
    cells = rim(size, radius, region)
    return np.asarray(cells[ConvexHull(cells).vertices])


@dataclass(frozen=True, eq=False)
class Cloud:
    """The border cells of a card, or of a region of it, where it lies, and the outermost of them."""

    rim: Floats
    hull: Floats


def cloud(p: Placement, radius: float, region: tuple[tuple[float, float], ...] | None = None) -> Cloud:
    """The cells of a card, or of a region of it, where it lies."""
    c, s = math.cos(p.pose.angle_rad), math.sin(p.pose.angle_rad)
    turn, at = np.array([[c, s], [-s, c]]), (p.pose.x_mm, p.pose.y_mm)
    return Cloud(rim(p.size_mm, radius, region) @ turn + at, hull(p.size_mm, radius, region) @ turn + at)


def gap(a: Cloud, b: Cloud) -> float:
    """Distance of two clouds, or the negative length of the least shift that parts them."""
    apart = float(((b.hull @ DIRECTIONS).min(0) - (a.hull @ DIRECTIONS).max(0)).max())
    return float(cKDTree(a.rim).query(b.rim)[0].min()) - CELL if apart > 0 else apart - CELL


def clearance(a: Floats, area: Floats) -> float:
    """How far a cloud stays inside a polygon; negative: how far it reaches out."""
    ends = zip(area, np.roll(area, -1, axis=0), strict=True)
    line = np.concatenate([np.linspace(p, q, int(np.hypot(*(q - p)) / CELL) + 2) for p, q in ends])
    close = np.abs(line - a.mean(0)).max(1) < 60
    border = cKDTree(line[close] if close.any() else line)
    inside = within(a, area)
    if inside.all():
        return float(border.query(a)[0].min()) - CELL / 2
    return -float(border.query(a[~inside])[0].max()) - CELL / 2


def farthest(points: Floats, from_points: Floats) -> float:
    """The greatest distance of any of some points from the nearest of others."""
    if not len(points):
        return 0.0
    return float(cKDTree(from_points).query(points)[0].max()) if len(from_points) else math.inf


def on_face(p: Placement, points: Floats) -> Floats:
    """Points of the plane in mm from the printed top-left corner of a card."""
    c, s = math.cos(p.pose.angle_rad), math.sin(p.pose.angle_rad)
    turned = (points - (p.pose.x_mm, p.pose.y_mm)) @ np.array([[c, -s], [s, c]])
    return np.asarray(turned + (p.size_mm[0] / 2, p.size_mm[1] / 2))


def in_rect(p: Placement, points: Floats) -> NDArray[np.bool_]:
    at = on_face(p, points)
    return np.asarray(((at >= 0) & (at <= p.size_mm)).all(1))


@dataclass
class Fit:
    ground: Ground
    key: str
    corner: int
    fit: float
    stray: float
    same_color: bool

    @property
    def worst(self) -> float:
        return max(self.fit, self.stray)


def fits_of(deck: ConexDeck, me: Placement, touched: list[Placement]) -> list[Fit]:
    """How badly each corner fits each ground, from cells alone."""
    found = []
    face = deck.faces[me.face or ""]
    mine = cloud(me, 0.0).rim
    for other in touched:
        theirs = cloud(other, 0.0).rim
        overlap = np.concatenate([mine[in_rect(other, mine)], theirs[in_rect(me, theirs)]])
        for k, corner in enumerate(face.corners):
            region = cloud(me, 0.0, corner.region).rim
            off = ~in_rect(other, region)
            fit = max(
                farthest(overlap[~within(on_face(me, overlap), np.array(corner.region))], region)
                if len(overlap)
                else 0,
                farthest(region[off], theirs),
            )
            if other.key != BOARD:
                same = deck.faces[other.face or ""].color == corner.color
                found.append(Fit(Ground(other.key), other.key, k, fit, 0.0, same))
                continue
            for i, space in enumerate(deck.board.spaces):
                on = region[~off] if (~off).any() else region
                out = on[~within(on_face(other, on), np.array(space.region))]
                stray = farthest(out, cloud(other, 0.0, space.region).rim)
                found.append(Fit(Ground(space=i), BOARD, k, fit, stray, space.color == corner.color))
    return sorted(found, key=lambda f: f.worst)


def three(value: float, half: float) -> Call | None:
    """The call on a value that must be above 0; None where cells are too coarse to tell."""
    if min(abs(value - half), abs(value + half)) < ERROR:
        return None
    return Call.LEGAL if value > half else Call.VIOLATION if value < -half else Call.UNCERTAIN


def agree(told: Verdict, value: float, unless: Call | None = None) -> None:
    assert isinstance(told.facts["gap_mm"], float)
    assert abs(told.facts["gap_mm"] - value) < ERROR
    assert three(value, OPTIONS.touch_band_mm) in (told.call, None) or told.call is unless


def test_cells_agree_with_the_rules_on_thousands_of_tables() -> None:
    """Every gap, depth and clearance, which corner lies on what, and the call."""
    rng = random.Random(7)
    decks = [random_deck(rng) for _ in range(3)]
    outcomes: dict[object, int] = {}
    read = 0
    for _ in range(TABLES):
        whole = rng.choice(decks)
        state, key = random_table(rng, whole, cards=rng.randint(2, 3), sigma=SIGMA)
        state, deck = small_table(state), small_deck(whole)
        ruling, verdicts = judge_placement(state, key, deck, OPTIONS)
        me = state.placement(key)
        mine = cloud(me, deck.corner_radius_mm)
        told = {(v.rule, v.about, v.facts.get("corner")): v for v in verdicts}

        assert state.board is not None
        others = [p for p in state.placements if p.key != key] + [state.board]
        gaps = {p.key: gap(mine, cloud(p, deck.corner_radius_mm)) for p in others}
        expected: list[Call | None] = []
        touched = [p for p in others if three(gaps[p.key], OPTIONS.touch_band_mm) is not Call.LEGAL]
        fits = fits_of(deck, me, touched)
        best = fits[0] if fits else None

        for p in others:
            verdict = told.get((SINGLE_CONTACT, (key, p.key), None))
            if verdict is not None:
                # Where it is unclear what was laid on what, a touch need not be a wrong one.
                agree(verdict, gaps[p.key], unless=Call.UNCERTAIN)
            is_ground = ruling.onto is not None and p.key == (ruling.onto.key or BOARD)
            if verdict is None and not is_ground:
                assert gaps[p.key] > 30 - ERROR or p in touched
            if best is None or p.key != best.key:
                expected.append(three(gaps[p.key], OPTIONS.touch_band_mm))
            if p.key == BOARD:
                continue
            for k, corner in enumerate(deck.faces[p.face or ""].corners):
                value = gap(mine, cloud(p, deck.corner_radius_mm, corner.region))
                verdict = told.get((CORNER_COVERED, (key, p.key), k))
                assert verdict is not None or value > 30 - ERROR
                if verdict is not None:
                    agree(verdict, value)
                    expected.append(three(value, OPTIONS.touch_band_mm))
        border = clearance(mine.rim, np.array(state.area))
        agree(told[OUT_OF_BOUNDS, (key, "area"), None], border)
        expected.append(three(border, OPTIONS.touch_band_mm))

        allowed = OPTIONS.tolerance_mm + OPTIONS.touch_band_mm
        if best is None:
            assert told[NOT_ATTACHED, (key,), None].call is Call.VIOLATION
            assert (ruling.onto, ruling.points) == (None, 0)
            outcomes["alone"] = outcomes.get("alone", 0) + 1
            continue
        sure = best.worst < allowed - ERROR and all(f.worst > best.worst + CLEARLY for f in fits[1:])
        sure = sure and gaps[best.key] < -OPTIONS.touch_band_mm - ERROR
        if not sure:
            continue
        read += 1
        assert (ruling.onto, ruling.corner) == (best.ground, best.corner)
        assert told[NOT_ATTACHED, (key,), None].call is Call.LEGAL
        assert told[COLOR, (key, best.key), None].call is (Call.LEGAL if best.same_color else Call.VIOLATION)
        face = deck.faces[key]
        plus = best.key != BOARD and deck.faces[best.key].symbol == "plus2"
        assert (ruling.value, ruling.bonus) == (face.corners[best.corner].value, 2 if plus else 0)
        expected.append(Call.LEGAL if best.same_color else Call.VIOLATION)
        if Call.VIOLATION in expected:
            assert ruling.call is Call.VIOLATION
        elif None not in expected:
            assert ruling.call is (Call.UNCERTAIN if Call.UNCERTAIN in expected else Call.LEGAL)
        outcomes[ruling.call] = outcomes.get(ruling.call, 0) + 1
    assert read > TABLES / 5
    assert min(outcomes.get(name, 0) for name in ("alone", *Call)) >= 8
