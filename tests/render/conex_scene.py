"""Pictures of a CONEX table: cards in layers, upright pawns, stars, a mug and a hand on a `Stage`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, MultiPoint, Polygon

from calibration.art.canvas import rgb
from tests.render.conex_geometry import BOARD, ConexArt, Pose, on_table, turn
from tests.render.conex_stage import Mug, Stage, disc
from tests.render.scene import OTHER, TABLE, Array, Table, View, hand
from tests.render.textures import colour

CARD_MM = 0.35
"""Thickness of a card."""
BOARD_MM = 0.8
"""Thickness of the board."""
PAWN = -10
"""Owner of a pixel that shows the first pawn; the next ones follow downwards."""


@dataclass(frozen=True, slots=True)
class Lying:
    """A card or the board in one photograph: name, pose, height of its face above the table."""

    name: str
    pose: Pose
    z_mm: float


@dataclass(frozen=True, slots=True)
class Pawn:
    """A pawn on the board."""

    color: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class LaidStar:
    """A star on the table or on a card."""

    kind: str
    pose: Pose
    z_mm: float


def drifted(rng: np.random.Generator, view: View) -> View:
    """The camera a moment later: a touched table, a sagging arm; tenths of a millimetre and hundredths of a degree."""
    r = rng.normal(0, 5e-4, 3)
    small = cv2.Rodrigues(r)[0]
    return replace(view, R=small @ view.R, t=small @ view.t + rng.normal(0, 0.3, 3))


def lay_area(rng: np.random.Generator, stage: Stage, view: View, scale: int) -> Table:
    """The empty table."""
    table = Table.start(rng, view, stage.surface, scale)
    if stage.floor is not None and stage.edge_mm is not None:
        below = Table.start(rng, view, stage.floor, scale)
        outline = table.to_canvas(view.ideal(stage.edge_mm))
        px = _px_per_mm(table, stage.edge_mm.mean(0))
        below.shadow(outline, (stage.light[0] * 12 * px, stage.light[1] * 12 * px), 8 * px, 0.3)
        inside = np.zeros(table.owner.shape, np.float32)
        cv2.fillPoly(inside, [np.round(outline * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        table.rgb = np.ascontiguousarray(below.rgb + (table.rgb - below.rgb) * inside[..., None])
    if stage.tape is not None:
        width, tone = stage.tape
        ring = Polygon(stage.area_mm).exterior
        for a, b in zip(list(ring.coords)[:-1], list(ring.coords)[1:], strict=True):
            strip = LineString([a, b]).buffer(width / 2, cap_style="square")
            table.cover(table.to_canvas(view.ideal(np.asarray(strip.exterior.coords)[:-1])), tone, 0.04, TABLE)
    return table


def seen_again(base: Table, view: View) -> Table:
    """The empty table through a camera that has moved a little: what is flat need not be drawn anew."""
    m, s = base.margin, base.scale
    canvas = np.array([[s, 0, (m + 0.5) * s - 0.5], [0, s, (m + 0.5) * s - 0.5], [0, 0, 1.0]])
    move = canvas @ view.homography() @ np.linalg.inv(canvas @ base.view.homography())
    h, w = base.owner.shape
    rgb_px = cv2.warpPerspective(base.rgb, move, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    return Table(view, np.ascontiguousarray(rgb_px, np.float32), np.full((h, w), TABLE, np.int16), [], m, s)


def _px_per_mm(table: Table, at: Array) -> float:
    p = table.to_canvas(table.view.ideal(np.array([at, np.asarray(at) + [1.0, 0.0]])))
    return float(np.hypot(*(p[1] - p[0])))


def _cast(table: Table, stage: Stage, rims: Array, height: float, depth: float) -> None:
    """The shadow of an upright thing whose rims at the bottom and the top are given."""
    ground = rims[:, :2] + np.column_stack([-rims[:, 2] * stage.light[0], -rims[:, 2] * stage.light[1]])
    outline = np.asarray(MultiPoint(table.to_canvas(table.view.ideal(ground))).convex_hull.exterior.coords)[:-1]
    px = _px_per_mm(table, ground[0])
    table.shadow(outline, (0, 0), max(1.0, stage.softness * height * 0.25 * px), depth)


def _stack(
    table: Table,
    x: float,
    y: float,
    profile: list[tuple[float, float]],
    tone: Array,
    side: float,
    owner: int = OTHER,
) -> None:
    """A turned body: ellipses of the given (height, radius), lit from one side, from the bottom up."""
    top = profile[-1][0]
    for z, r in profile:
        lit = 0.62 + 0.38 * z / top
        table.cover(table.to_canvas(table.view.ideal(disc(x, y, r, -z))), np.clip(tone * lit, 0, 1), side, owner)


def draw_pawn(table: Table, stage: Stage, pawn: Pawn, tone: Array, base_mm: float, owner: int = OTHER) -> None:
    """A pawn: cone and ball, a peg with a head, or a low disc with a knob."""
    r = pawn.radius
    if stage.pawn_kind == 0:
        h = 4.2 * r
        profile = [(base_mm + t * 0.62 * h, r * (1 - 0.62 * t)) for t in np.linspace(0, 1, 12)]
        ball = 0.58 * r
        profile += [
            (base_mm + 0.62 * h + ball * (1 + np.sin(b)), max(0.15, ball * np.cos(b)))
            for b in np.linspace(-0.9, 1.4, 10)
        ]
    elif stage.pawn_kind == 1:
        h = 3.6 * r
        profile = [(base_mm + t * h, r * (1 - 0.18 * t)) for t in np.linspace(0, 1, 10)]
    else:
        h = 3.9 * r
        profile = [(base_mm + z, r) for z in (0.0, 1.0, 2.0, 3.0)]
        profile += [(base_mm + 3 + t * 0.5 * h, r * (0.72 - 0.3 * t)) for t in np.linspace(0, 1, 8)]
        ball = 0.5 * r
        profile += [
            (base_mm + 3 + 0.5 * h + ball * (1 + np.sin(b)), max(0.15, ball * np.cos(b)))
            for b in np.linspace(-0.8, 1.4, 9)
        ]
    top = profile[-1][0]
    rims = np.concatenate([disc(pawn.x, pawn.y, r, 0.0), disc(pawn.x, pawn.y, r * 0.5, -(top - base_mm))])
    _cast(table, stage, rims, top, stage.shadow)
    side = 0.28 if stage.light[0] > 0 else -0.28
    _stack(table, pawn.x, pawn.y, profile, tone, -side, owner)
    shine = disc(
        pawn.x - 0.18 * r * np.sign(stage.light[0]), pawn.y - 0.18 * r * np.sign(stage.light[1]), 0.16 * r, -top
    )
    table.cover(table.to_canvas(table.view.ideal(shine)), (1.0, 1.0, 1.0), 0.0, owner, 0.35)


def draw_mug(table: Table, stage: Stage, mug: Mug) -> None:
    """A mug with its handle, its long shadow and a dark drink."""
    rims = np.concatenate([disc(mug.x, mug.y, mug.radius, 0.0), disc(mug.x, mug.y, mug.radius, -mug.height)])
    _cast(table, stage, rims, mug.height, min(0.6, stage.shadow * 1.3))
    tone = np.array(mug.color)
    c, s = np.cos(mug.handle_rad), np.sin(mug.handle_rad)
    a = np.linspace(-np.pi / 2, np.pi / 2, 16)
    out = mug.radius - 3 + 24 * np.cos(a)
    arc = np.column_stack([mug.x + out * c, mug.y + out * s, -(0.52 + 0.3 * np.sin(a)) * mug.height])
    line = LineString(table.to_canvas(table.view.ideal(arc))).buffer(5.5 * _px_per_mm(table, np.array([mug.x, mug.y])))
    table.cover(np.asarray(line.exterior.coords)[:-1], np.clip(tone * 0.85, 0, 1), 0.15)
    side = 0.3 if stage.light[0] > 0 else -0.3
    _stack(table, mug.x, mug.y, [(t * mug.height, mug.radius) for t in np.linspace(0, 1, 24)], tone, -side)
    rim = table.view
    table.cover(table.to_canvas(rim.ideal(disc(mug.x, mug.y, mug.radius * 0.9, -mug.height))), tone * 0.55, side)
    table.cover(table.to_canvas(rim.ideal(disc(mug.x, mug.y, mug.radius * 0.86, -mug.height + 8))), mug.inside, 0.1)


def add_glare(table: Table, stage: Stage) -> None:
    """Lamps and windows mirrored in the surface, more by a glossy table than by the cards."""
    if not stage.glare:
        return
    h, w = table.owner.shape
    step = 8 * table.scale
    gy, gx = np.mgrid[0:h:step, 0:w:step].astype(np.float64)
    ideal = (np.column_stack([gx.ravel(), gy.ravel()]) + 0.5) / table.scale - 0.5 - table.margin
    q = np.c_[ideal, np.ones(len(ideal))] @ np.linalg.inv(table.view.homography()).T
    mm = q[:, :2] / q[:, 2:3]
    shine = np.zeros(gx.shape, np.float32)
    for x, y, r, power, square in stage.glare:
        d = (mm - [x, y]) / r
        blob = 1 / (1 + np.exp(5 * (np.abs(d).max(1) - 1))) if square else np.exp(-(d**2).sum(1) / 2)
        shine += (power * blob).reshape(gx.shape).astype(np.float32)
    whole = cv2.resize(shine, (w, h), interpolation=cv2.INTER_LINEAR)
    gloss = np.where(table.owner == TABLE, np.float32(stage.table_gloss), np.float32(stage.card_gloss))
    gloss[table.owner < TABLE] = 0.2
    table.rgb += (whole * cv2.blur(gloss, (3, 3)))[..., None]


def _edge_of_card(table: Table, art: ConexArt, item: Lying) -> None:
    """The card's cut edge, a fraction of a millimetre lower than its face."""
    w, h = art.size(item.name)
    ring = Polygon([(0, 0), (w, 0), (w, h), (0, h)])
    if art.radius:
        ring = ring.buffer(-art.radius).buffer(art.radius)
    mm = on_table(np.asarray(ring.exterior.coords)[:-1], (w, h), item.pose)
    thick = BOARD_MM if item.name == BOARD else CARD_MM
    low = np.column_stack([mm, np.full(len(mm), -(item.z_mm - thick))])
    table.cover(table.to_canvas(table.view.ideal(low)), (0.62, 0.6, 0.57), 0.05, len(table.cards))


def compose(
    art: ConexArt, stage: Stage, table: Table, lying: list[Lying], pawns: list[Pawn], stars: list[LaidStar]
) -> tuple[dict[str, int], dict[str, float]]:
    """Draw on an empty table what lies there, in its order.

    Returns the owner number of each card and of the board, and by colour the share of each pawn before which no other
    pawn stands.
    """
    view = table.view
    numbers = {}
    for item in lying:
        drop = min(item.z_mm, 2.0)
        _edge_of_card(table, art, item)
        numbers[item.name] = table.lay(
            item.name,
            art.pictures[item.name],
            art.size(item.name),
            item.pose,
            art.radius if art.radius else 0.05,
            stage.curls.get(item.name, 0.0),
            (stage.light[0] * drop, stage.light[1] * drop, stage.shadow * 0.9),
            lift_mm=item.z_mm,
        )
    for star in stars:
        side = float(art.data["stars"][star.kind]["size_mm"])
        px = _px_per_mm(table, np.array(star.pose[:2]))
        ring = disc(star.pose[0], star.pose[1], side * 0.3, -star.z_mm)
        shifted = table.to_canvas(view.ideal(ring))
        table.shadow(shifted, (stage.light[0] * 1.5 * px, stage.light[1] * 1.5 * px), 1.5 * px, stage.shadow * 0.8)
        picture, lift = art.pictures[star.kind], star.z_mm + 1.2
        table.lay(star.kind, picture, (side, side), star.pose, 0.05, 0.0, (0, 0, 0), lift_mm=lift, cut_out=True)
    far_first = sorted(pawns, key=lambda p: -float(view.lift_per_mm(view.ideal([[p.x, p.y]]))[0] @ [p.x, p.y]))
    whole = {}
    for i, pawn in enumerate(far_first):
        tone = np.array(rgb(art.data["pawns"][pawn.color])) / 255
        draw_pawn(table, stage, pawn, tone, BOARD_MM, PAWN - i)
        whole[pawn.color] = PAWN - i, int((table.owner == PAWN - i).sum())
    seen = {color: int((table.owner == n).sum()) / max(1, count) for color, (n, count) in whole.items()}
    if stage.mug is not None:
        draw_mug(table, stage, stage.mug)
    add_glare(table, stage)
    return numbers, seen


def draw(
    rng: np.random.Generator,
    art: ConexArt,
    stage: Stage,
    table: Table,
    lying: list[Lying],
    pawns: list[Pawn],
    stars: list[LaidStar],
    hands: list[tuple[float, float, float]],
) -> tuple[NDArray[np.uint8], dict[str, tuple[Array, float]], dict[str, float]]:
    """One photograph, RGB (H, W, 3) uint8; quad in px and visible share of every card and the board; and of pawns.

    `table` is the empty one and is drawn on; `hands` are fingertips (x, y) in mm and the direction the arm comes from.
    """
    numbers, standing = compose(art, stage, table, lying, pawns, stars)
    for x, y, towards in hands:
        shade = rng.uniform(0.4, 0.9)
        skin = (shade, shade * rng.uniform(0.64, 0.8), shade * rng.uniform(0.48, 0.66))
        drop = 15 * _px_per_mm(table, np.array([x, y]))
        sleeve = colour(rng, (0.05, 0.8), (0, 0.7))
        hand(table, (x, y), towards, skin, sleeve, (stage.light[0] * drop, stage.light[1] * drop))
    gain = tuple(float(g * (1 + rng.normal(0, 0.008))) for g in stage.sensor.gain)
    rgb_px, owner = table.finish(rng, replace(stage.sensor, gain=(gain[0], gain[1], gain[2])))
    shares = table.visible(owner)
    out = {}
    size = np.array(table.view.size_px)
    for name, n in numbers.items():
        w, h = art.size(name)
        quad = table.cards[n].quad_px
        inside = bool((quad > -0.5).all() and (quad < size - 0.5).all())
        share = min(1.0, shares[n] / (1 - (4 - np.pi) * art.radius**2 / (w * h)))
        out[name] = (quad, share if inside else min(share, 0.89))
    return rgb_px, out, standing


def reach_of(pose: Pose, size: tuple[float, float]) -> Polygon:
    """The rectangle of a laid card."""
    w, h = size
    return Polygon(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ turn(pose[2]).T + pose[:2])
