"""Pictures of a CONEX table: surfaces with an edge, a mat or a drawn line, lamps and glare, a mug, pawns and stars.

A `Stage` is what stays the same over the photographs of one sequence; `draw` adds what lies on it at the moment.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import LineString, MultiPoint, Polygon

from calibration.art.canvas import rgb
from tests.render.conex_geometry import BOARD, ConexArt, Pose, on_table, turn
from tests.render.scene import OTHER, TABLE, Array, Sensor, Table, View, hand
from tests.render.textures import Picture, cloth, colour, granular, laminate, noise, wood

CARD_MM = 0.35
"""Thickness of a card."""
BOARD_MM = 0.8
"""Thickness of the board."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Table, light and camera of a sequence."""

    surface: Picture
    floor: Picture | None
    edge_mm: Array | None
    area_mm: Array
    tape: tuple[float, tuple[float, float, float]] | None
    light: tuple[float, float]
    softness: float
    shadow: float
    glare: tuple[tuple[float, float, float, float, float], ...]
    table_gloss: float
    card_gloss: float
    sensor: Sensor
    mug: Mug | None
    pawn_kind: int
    curls: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Mug:
    """Where a mug stands, in mm, and what colour it has."""

    x: float
    y: float
    radius: float
    height: float
    handle_rad: float
    color: tuple[float, float, float]
    inside: tuple[float, float, float]

    def hull(self, view: View) -> Polygon:
        """What the camera cannot see of the table because of it."""
        rims = np.concatenate([_disc(self.x, self.y, self.radius, -z) for z in (0.0, self.height)])
        return Polygon(MultiPoint(view.table_points(view.project(rims))).convex_hull).buffer(22)


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


def _disc(x: float, y: float, r: float, z: float, n: int = 40) -> Array:
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([x + r * np.cos(a), y + r * np.sin(a), np.full(n, z)])


def tinted(rng: np.random.Generator, h: int, w: int, base: Picture) -> Picture:
    """A plain surface of a given colour, woven, speckled or smooth."""
    t = np.zeros((h, w), np.float32)
    kind = int(rng.integers(3))
    if kind == 0:
        t = cv2.GaussianBlur(rng.standard_normal((h, w)).astype(np.float32), (0, 0), 0.8)
    elif kind == 1:
        t = noise(rng, h, w, rng.uniform(4, 14), 3)
    t = t * rng.uniform(0.02, 0.08) + noise(rng, h, w, rng.uniform(150, 400), 2) * rng.uniform(0.0, 0.04)
    return np.clip(base * (1 + t[..., None]), 0, 1).astype(np.float32)


def random_surface(rng: np.random.Generator, art: ConexArt, h: int, w: int) -> tuple[Picture, float]:
    """A table top and how much it shines: wood, laminate, cloth, dark gloss, or nearly the colour of a card."""
    kind = rng.choice(6, p=[0.28, 0.16, 0.14, 0.06, 0.14, 0.22])
    if kind == 0:
        return wood(rng, h, w), float(rng.uniform(0.0, 0.5))
    if kind == 1:
        return laminate(rng, h, w), float(rng.uniform(0.1, 0.6))
    if kind == 2:
        return cloth(rng, h, w), 0.0
    if kind == 3:
        return granular(rng, h, w), 0.1
    if kind == 4:
        return tinted(rng, h, w, colour(rng, (0.03, 0.12), (0.0, 0.3))), float(rng.uniform(0.7, 1.3))
    return tinted(rng, h, w, _beside_a_card(rng, art)), float(rng.choice([0.0, 0.4]))


def _beside_a_card(rng: np.random.Generator, art: ConexArt) -> Picture:
    """A colour near one of the deck's, but none that a person could not tell from it."""
    deck = np.array([rgb(c) for c in art.data["colors"].values()], np.float32) / 255
    lab = cv2.cvtColor(deck[None], cv2.COLOR_RGB2Lab)[0]
    base = deck[int(rng.integers(len(deck)))]
    while True:
        near = np.clip(base * rng.uniform(0.6, 1.15) + rng.normal(0, 0.06, 3), 0.03, 0.93).astype(np.float32)
        apart = np.linalg.norm(lab - cv2.cvtColor(near[None, None], cv2.COLOR_RGB2Lab)[0, 0], axis=1).min()
        if 11 < apart < 24:
            return near


def random_sensor(rng: np.random.Generator, brightness: float) -> Sensor:
    """A lamp's cast and fall-off, a webcam's exposure for a table of that brightness, noise, softness, sharpening."""
    n = 24
    yy, xx = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    a = rng.uniform(0, 2 * np.pi)
    light = 1 + rng.uniform(0, 0.22) * (np.cos(a) * xx + np.sin(a) * yy)
    out = np.repeat(light[..., None], 3, axis=2)
    for _ in range(int(rng.integers(0, 3))):
        cx, cy, r = rng.uniform(-1.1, 1.1), rng.uniform(-1.1, 1.1), rng.uniform(0.5, 1.3)
        spot = rng.uniform(-0.25, 0.45) * np.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / (2 * r * r))
        warmth = rng.uniform(0, 0.35)
        out += spot[..., None] * np.array([1 + warmth, 1, 1 - warmth])
    out *= (1 - rng.uniform(0, 0.25) * (xx**2 + yy**2) / 2)[..., None]
    out = np.minimum(out / out.mean(), 1.3)
    cast = rng.choice(3, p=[0.45, 0.4, 0.15])
    warm = (rng.normal(0, 0.03), rng.uniform(0.06, 0.18), -rng.uniform(0.05, 0.14))[int(cast)]
    e = min(1.1, (0.45 / (0.5 * brightness + 0.22)) ** 0.7) * rng.uniform(0.88, 1.08)
    return Sensor(
        out.astype(np.float32),
        None,
        (e * (1 + warm), e * (1 + rng.normal(0, 0.02)), e * (1 - 1.15 * warm)),
        float(rng.uniform(0.8, 1.3)),
        float(rng.uniform(0.3, 1.0)),
        float(rng.uniform(0.8, 5.5)),
        float(rng.choice([0.0, rng.uniform(0.2, 0.8)])),
        100,
    )


def _as_large_as(picture: Picture, scale: int) -> Picture:
    h, w = picture.shape[:2]
    return np.asarray(cv2.resize(picture, (w * scale, h * scale), interpolation=cv2.INTER_LINEAR), np.float32)


def random_stage(
    rng: np.random.Generator, art: ConexArt, view: View, area_mm: Array, free_mm: tuple[float, float], scale: int = 2
) -> Stage:
    """Surface, kind of border, light and things beside the game; `free_mm` is where a mug might stand."""
    w, h = view.size_px
    sh, sw = int(h * 1.15), int(w * 1.15)
    surface, gloss = random_surface(rng, art, sh, sw)
    border = rng.choice(4, p=[0.3, 0.22, 0.33, 0.15])
    floor = edge = tape = None
    if border == 0:  # the table's edge
        maker = (cloth, granular, wood, laminate)[int(rng.integers(4))]
        floor, edge = (
            cv2.GaussianBlur(maker(rng, sh, sw), (0, 0), rng.uniform(1, 4)) * np.float32(rng.uniform(0.5, 1)),
            area_mm,
        )
    elif border == 1:  # a mat on a table
        floor, edge = random_surface(rng, art, sh, sw)[0], area_mm
    elif border == 2:  # a line of tape
        tone = surface.mean((0, 1))
        options = np.array([[0.92, 0.9, 0.86], [0.1, 0.1, 0.12], [0.15, 0.22, 0.5], [0.75, 0.15, 0.12]])
        far = options[np.argsort(-np.abs(options - tone).sum(1))[int(rng.integers(2))]]
        tape = (float(rng.uniform(5, 12)), (float(far[0]), float(far[1]), float(far[2])))
    a, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.1, 1.1)
    lamps = []
    middle = area_mm.mean(0)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.45, 0.4, 0.15]))):
        at = middle + rng.uniform(-0.75, 0.75, 2) * np.ptp(area_mm, axis=0) / 2
        square = float(rng.random() < 0.35)
        lamps.append((float(at[0]), float(at[1]), float(rng.uniform(25, 90)), float(rng.uniform(0.15, 0.7)), square))
    mug = None
    if rng.random() < 0.35:
        c, inner = colour(rng, (0.25, 0.95), (0, 0.8)), colour(rng, (0.05, 0.5), (0.2, 0.8))
        mug = Mug(
            free_mm[0],
            free_mm[1],
            float(rng.uniform(36, 45)),
            float(rng.uniform(80, 110)),
            float(rng.uniform(0, 6.28)),
            (float(c[0]), float(c[1]), float(c[2])),
            (float(inner[0]), float(inner[1]), float(inner[2])),
        )
    return Stage(
        _as_large_as(surface, scale),
        None if floor is None else _as_large_as(floor, scale),
        edge,
        area_mm,
        tape,
        (float(reach * np.cos(a)), float(reach * np.sin(a))),
        float(rng.uniform(0.1, 0.5)),
        float(rng.uniform(0.15, 0.5)),
        tuple(lamps),
        gloss,
        float(rng.choice([0.2, 0.45, 0.8], p=[0.4, 0.4, 0.2])),
        random_sensor(rng, float(surface.mean())),
        mug,
        int(rng.integers(3)),
    )


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


def _px_per_mm(table: Table, at: Array) -> float:
    p = table.to_canvas(table.view.ideal(np.array([at, np.asarray(at) + [1.0, 0.0]])))
    return float(np.hypot(*(p[1] - p[0])))


def _cast(table: Table, stage: Stage, rims: Array, height: float, depth: float) -> None:
    """The shadow of an upright thing whose rims at the bottom and the top are given."""
    ground = rims[:, :2] + np.column_stack([-rims[:, 2] * stage.light[0], -rims[:, 2] * stage.light[1]])
    outline = np.asarray(MultiPoint(table.to_canvas(table.view.ideal(ground))).convex_hull.exterior.coords)[:-1]
    px = _px_per_mm(table, ground[0])
    table.shadow(outline, (0, 0), max(1.0, stage.softness * height * 0.25 * px), depth)


def _stack(table: Table, x: float, y: float, profile: list[tuple[float, float]], tone: Array, side: float) -> None:
    """A turned body: ellipses of the given (height, radius), lit from one side, from the bottom up."""
    top = profile[-1][0]
    for z, r in profile:
        lit = 0.62 + 0.38 * z / top
        table.cover(table.to_canvas(table.view.ideal(_disc(x, y, r, -z))), np.clip(tone * lit, 0, 1), side, OTHER)


def draw_pawn(table: Table, stage: Stage, pawn: Pawn, tone: Array, base_mm: float) -> None:
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
    rims = np.concatenate([_disc(pawn.x, pawn.y, r, 0.0), _disc(pawn.x, pawn.y, r * 0.5, -(top - base_mm))])
    _cast(table, stage, rims, top, stage.shadow)
    side = 0.28 if stage.light[0] > 0 else -0.28
    _stack(table, pawn.x, pawn.y, profile, tone, -side)
    shine = _disc(
        pawn.x - 0.18 * r * np.sign(stage.light[0]), pawn.y - 0.18 * r * np.sign(stage.light[1]), 0.16 * r, -top
    )
    table.cover(table.to_canvas(table.view.ideal(shine)), (1.0, 1.0, 1.0), 0.0, OTHER, 0.35)


def draw_mug(table: Table, stage: Stage, mug: Mug) -> None:
    """A mug with its handle, its long shadow and a dark drink."""
    rims = np.concatenate([_disc(mug.x, mug.y, mug.radius, 0.0), _disc(mug.x, mug.y, mug.radius, -mug.height)])
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
    table.cover(table.to_canvas(rim.ideal(_disc(mug.x, mug.y, mug.radius * 0.9, -mug.height))), tone * 0.55, side)
    table.cover(table.to_canvas(rim.ideal(_disc(mug.x, mug.y, mug.radius * 0.86, -mug.height + 8))), mug.inside, 0.1)


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
    gloss[table.owner == OTHER] = 0.2
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


def draw(
    rng: np.random.Generator,
    art: ConexArt,
    stage: Stage,
    view: View,
    lying: list[Lying],
    pawns: list[Pawn],
    stars: list[LaidStar],
    hands: list[tuple[float, float, float]],
    scale: int = 2,
) -> tuple[NDArray[np.uint8], dict[str, tuple[Array, float]]]:
    """One photograph, RGB (H, W, 3) uint8, and for every card and the board its quad in px and its visible share.

    `lying` is drawn in its order; `hands` are fingertips (x, y) in mm and the direction the arm comes from.
    """
    table = lay_area(rng, stage, view, scale)
    numbers = {}
    for item in lying:
        drop = min(item.z_mm, 2.0)
        shadow = (stage.light[0] * drop, stage.light[1] * drop, stage.shadow * 0.9)
        _edge_of_card(table, art, item)
        numbers[item.name] = table.lay(
            item.name,
            art.pictures[item.name],
            art.size(item.name),
            item.pose,
            art.radius if art.radius else 0.05,
            stage.curls.get(item.name, 0.0),
            shadow,
            lift_mm=item.z_mm,
        )
    for star in stars:
        side = float(art.data["stars"][star.kind]["size_mm"])
        px = _px_per_mm(table, np.array(star.pose[:2]))
        ring = _disc(star.pose[0], star.pose[1], side * 0.3, -star.z_mm)
        drop = (stage.light[0] * 1.5 * px, stage.light[1] * 1.5 * px)
        table.shadow(table.to_canvas(view.ideal(ring)), drop, 1.5 * px, stage.shadow * 0.8)
        picture = art.pictures[star.kind]
        table.lay(
            star.kind, picture, (side, side), star.pose, 0.05, 0.0, (0, 0, 0), lift_mm=star.z_mm + 1.2, cut_out=True
        )
    for pawn in sorted(pawns, key=lambda p: -float(view.lift_per_mm(view.ideal([[p.x, p.y]]))[0] @ [p.x, p.y])):
        tone = np.array(rgb(art.data["pawns"][pawn.color])) / 255
        draw_pawn(table, stage, pawn, tone, BOARD_MM)
    if stage.mug is not None:
        draw_mug(table, stage, stage.mug)
    add_glare(table, stage)
    for x, y, towards in hands:
        shade = rng.uniform(0.4, 0.9)
        skin = (shade, shade * rng.uniform(0.64, 0.8), shade * rng.uniform(0.48, 0.66))
        px = _px_per_mm(table, np.array([x, y]))
        hand(
            table,
            (x, y),
            towards,
            skin,
            colour(rng, (0.05, 0.8), (0, 0.7)),
            (stage.light[0] * 15 * px, stage.light[1] * 15 * px),
        )
    gain = tuple(float(g * (1 + rng.normal(0, 0.008))) for g in stage.sensor.gain)
    rgb_px, owner = table.finish(rng, replace(stage.sensor, gain=(gain[0], gain[1], gain[2])))
    shares = table.visible(owner)
    out = {}
    size = np.array(view.size_px)
    for name, n in numbers.items():
        w, h = art.size(name)
        quad = table.cards[n].quad_px
        inside = bool((quad > -0.5).all() and (quad < size - 0.5).all())
        share = min(1.0, shares[n] / (1 - (4 - np.pi) * art.radius**2 / (w * h)))
        out[name] = (quad, share if inside else min(share, 0.89))
    return rgb_px, out


def reach_of(pose: Pose, size: tuple[float, float]) -> Polygon:
    """The rectangle of a laid card."""
    w, h = size
    return Polygon(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ turn(pose[2]).T + pose[:2])
