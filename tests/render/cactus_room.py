"""The room behind a game of Cactus: table, wall or garden, boxes, pots, plants, a ball; lamps and cameras."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike

from tests.render.cactus_light import Floats, Lamp, nearness, put
from tests.render.cactus_scene import Canvas, surface_picture
from tests.render.scene import Array, View
from tests.render.textures import Picture, cloth, colour, granular, laminate, noise, pattern, wood

TEXTURE_PX = 1.3
"""Pixels of a texture to a millimetre of table or wall."""


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """What is chosen for one sequence; lengths in mm."""

    table: Picture
    wall: Picture | None
    wall_at: float
    garden: Picture | None
    base_rgb: Array
    rim_rgb: Array


def front_view(
    size_px: tuple[int, int],
    px_per_mm: float,
    distance: float,
    down: float,
    around: float,
    roll: float,
    aim: Array,
    k1: float = 0.0,
) -> View:
    """A camera `distance` mm before `aim`, looking down by `down`, from the side by `around` (all in rad)."""
    w, h = size_px
    f = px_per_mm * distance
    forward = np.array([np.sin(around) * np.cos(down), np.cos(around) * np.cos(down), -np.sin(down)])
    right = np.array([np.cos(around), -np.sin(around), 0.0])
    below = np.cross(forward, right)
    c, s = np.cos(roll), np.sin(roll)
    R = np.stack([c * right + s * below, c * below - s * right, forward])
    eye = aim - forward * distance
    K = np.array([[f, 0, w / 2 - 0.5], [0, f, h / 2 - 0.5], [0, 0, 1.0]])
    return View(size_px, K, R, -R @ eye, k1, 0.0)


def random_lamps(rng: np.random.Generator) -> tuple[list[Lamp], Array]:
    """One or two lamps and what light comes from everywhere, each with its tint."""
    warm = float(
        rng.choice([rng.normal(0, 0.04), rng.uniform(0.1, 0.34), -rng.uniform(0.05, 0.14)], p=[0.35, 0.45, 0.2])
    )

    def tint(w: float) -> Array:
        return np.array([1 + w, 1 + 0.1 * w, 1 - 1.25 * w])

    aim = np.array([0.0, 60.0, 40.0])
    lamps: list[Lamp] = []
    shares = (0.55, 0.3) if rng.random() < 0.75 else (0.75,)
    for i, share in enumerate(shares):
        side = rng.uniform(-1, 1) if i == 0 else -np.sign(lamps[0].at[0] + 1e-6) * rng.uniform(0.1, 1)
        at = np.array([side * 900, -rng.uniform(250, 1100), rng.uniform(450, 1300)])
        lamps.append(Lamp(at, float(rng.uniform(20, 110)), share * tint(warm + rng.normal(0, 0.03)), aim, 620.0))
    return lamps, rng.uniform(0.35, 0.7) * tint(warm * 0.7)


def random_room(rng: np.random.Generator, colors: list[str], h: int, w: int) -> Room:
    """Table top, background, and the wood of bases and rims."""
    kind = rng.choice(5, p=[0.42, 0.22, 0.2, 0.06, 0.1])
    table: Picture = (wood, laminate, cloth, granular, pattern)[int(kind)](rng, h, w)
    if kind == 0 and rng.random() < 0.5:
        table = np.asarray(cv2.GaussianBlur(table, (0, 0), 1.5), np.float32)
    wall: Picture | None
    garden = None
    if rng.random() < 0.78:
        c = colour(rng, (0.3, 0.85), (0.0, 0.22))
        wall = (c * (1 + 0.02 * noise(rng, h // 2, w // 2, rng.uniform(3, 60), 3)[..., None])).astype(np.float32)
        if rng.random() < 0.12:
            wall = np.asarray(cv2.GaussianBlur(pattern(rng, h // 2, w // 2), (0, 0), rng.uniform(2, 6)), np.float32)
    else:
        wall, garden = None, random_garden(rng, 360, 640)
    tone = float(rng.uniform(0.45, 0.8))
    base = np.array([tone, tone * rng.uniform(0.74, 0.86), tone * rng.uniform(0.5, 0.7)])
    if rng.random() < 0.25:
        base = np.asarray(colour(rng, (0.03, 0.9), (0.0, 0.5)), float)
    rim = np.array([0.7, 0.54, 0.36]) * rng.uniform(0.5, 1.1)
    return Room(table, wall, float(rng.uniform(160, 430)), garden, base**2.2, rim**2.2)


def random_garden(rng: np.random.Generator, h: int, w: int) -> Picture:
    """Something far away and out of focus: leaves and sky, a room, people."""
    out = np.tile(colour(rng, (0.15, 0.75), (0.1, 0.6)), (h, w, 1)).astype(np.float32)
    for _ in range(int(rng.integers(40, 160))):
        c = colour(rng, (0.05, 1.0), (0.0, 0.8))
        at, r = (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(rng.uniform(6, 60))
        cv2.ellipse(out, at, (r, max(3, int(r * rng.uniform(0.3, 1)))), rng.uniform(0, 180), 0, 360, c.tolist(), -1)
    if rng.random() < 0.5:
        for _ in range(int(rng.integers(1, 4))):
            x, s = rng.uniform(0.1, 0.9) * w, rng.uniform(0.1, 0.2) * h
            skin = np.array([1, 0.76, 0.62]) * rng.uniform(0.35, 0.95)
            cv2.ellipse(out, (int(x), int(h * 0.35)), (int(s * 0.75), int(s)), 0, 0, 360, skin.tolist(), -1)
            shirt = colour(rng, (0.1, 0.9), (0, 0.8)).tolist()
            cv2.ellipse(out, (int(x), int(h * 0.35 + s * 2.6)), (int(s * 1.5), int(s * 1.6)), 0, 0, 360, shirt, -1)
    return np.asarray(cv2.GaussianBlur(out, (0, 0), rng.uniform(3, 10)), np.float32)


def _light(canvas: Canvas, at: Any, normal: Any) -> Array:
    """How the surroundings and each lamp light points of curved or wide things, (1 + lamps, n)."""
    return np.stack(
        [0.78 + 0.22 * normal[..., 2] - 0.12 * normal[..., 1], *(lamp.strength(at, normal) for lamp in canvas.lamps)]
    )


def _plane(canvas: Canvas, origin: Array, u: Array, v: Array, size: tuple[float, float], texture: Floats) -> None:
    """A textured rectangle of the world from `origin` along the unit vectors u and v; the texture repeats."""
    n = np.cross(u, v)
    eye = -canvas.view.R.T @ canvas.view.t
    n = n if (eye - origin) @ n > 0 else -n
    d = float((origin - eye) @ n)
    if abs(d) < 1e-6:
        return
    x, y = canvas.rays()
    Rn = (canvas.view.R @ n).astype(np.float32)
    near = ((Rn[0] * x + Rn[2])[None] + (Rn[1] * y)[:, None]) / np.float32(d)
    rows, columns = np.nonzero(near > np.maximum(canvas.near, 1e-5))
    inv = near[rows, columns]
    depth = 1 / inv
    R = canvas.view.R.astype(np.float32)
    world = np.stack([x[columns] * depth, y[rows] * depth, depth], 1) @ R + eye.astype(np.float32)
    along = (world - origin.astype(np.float32)) @ np.stack([u, v], 1).astype(np.float32)
    inside = ((along >= 0) & (along < np.array(size, np.float32))).all(1)
    rows, columns, world, along = rows[inside], columns[inside], world[inside], along[inside]
    th, tw = texture.shape[:2]
    px = (along * np.float32(TEXTURE_PX)).astype(np.int32)
    tx, ty = (np.abs(px[:, i] % (2 * n - 2) - (n - 1)) for i, n in ((0, tw), (1, th)))
    canvas.near[rows, columns] = inv[inside]
    canvas.show(
        (rows, columns), texture[ty, tx], _light(canvas, world, np.broadcast_to(n.astype(np.float32), world.shape))
    )


def ellipsoid(canvas: Canvas, centre: Array, axes: Array, rgb: ArrayLike) -> None:
    """A solid ellipsoid; the columns of `axes` are its half axes in mm."""
    eye = -canvas.view.R.T @ canvas.view.t
    inverse = np.linalg.inv(axes)
    a = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ball = np.concatenate(
        [
            np.stack([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.full(12, np.sin(e))], 1)
            for e in (-1.2, -0.5, 0, 0.5, 1.2)
        ]
    )
    points = ball @ axes.T + centre
    px, _ = canvas.project(points)
    h, w = canvas.near.shape
    x0, y0 = np.maximum(np.floor(px.min(0) - 3), 0).astype(int)
    x1, y1 = np.minimum(np.ceil(px.max(0) + 4), [w, h]).astype(int)
    if x1 <= x0 or y1 <= y0:
        return
    x, y = canvas.rays()
    rays = np.stack(np.broadcast_arrays(x[None, x0:x1], y[y0:y1, None], np.float32(1)), -1) @ canvas.view.R
    o, d = inverse @ (eye - centre), rays @ inverse.T
    dd, od, oo = (d * d).sum(-1), d @ o, float(o @ o)
    disc = od * od - dd * (oo - 1)
    t = (-od - np.sqrt(np.maximum(disc, 0))) / dd
    shows = (disc > 0) & (t > 1) & (1 / np.maximum(t, 1) > canvas.near[y0:y1, x0:x1])
    rows, columns = np.nonzero(shows)
    if len(rows):
        t = t[shows]
        at = eye + rays[shows] * t[:, None]
        n = ((at - centre) @ inverse.T) @ inverse
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        where = (rows + y0, columns + x0)
        canvas.near[where] = 1 / t
        canvas.show(where, rgb, _light(canvas, at, n))
    for one in canvas.seen:
        for s in one:
            q = points @ s.P[:, :3].T + s.P[:, 3]
            hull = cv2.convexHull((q[:, :2] / q[:, 2:3]).astype(np.float32))[:, 0].astype(float)
            back = 1 / float(q[:, 2].mean())
            put(s.near, hull, np.array([0, 0, back]))


def box(canvas: Canvas, centre: Array, size: Array, yaw: float, rgb: ArrayLike) -> None:
    """A box that stands on the table."""
    c, s = np.cos(yaw), np.sin(yaw)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    for axis in range(3):
        u, v = (R[:, (axis + k) % 3] * size[(axis + k) % 3] / 2 for k in (1, 2))
        for sign in (-1, 1):
            n = R[:, axis] * sign
            m = centre + n * size[axis] / 2
            flat(canvas, np.array([m - u - v, m + u - v, m + u + v, m - u + v]), n, rgb)


def pot(
    canvas: Canvas, at: tuple[float, float], radius: float, height: float, rgb: ArrayLike, taper: float = 1.0
) -> None:
    """A pot, a tin or a glass: a cylinder of many narrow sides."""
    a = np.linspace(0, 2 * np.pi, 41)
    low = np.c_[at[0] + radius * taper * np.cos(a), at[1] + radius * taper * np.sin(a), np.zeros(41)]
    high = np.c_[at[0] + radius * np.cos(a), at[1] + radius * np.sin(a), np.full(41, height)]
    for i in range(40):
        quad = np.array([low[i], low[i + 1], high[i + 1], high[i]])
        m = (a[i] + a[i + 1]) / 2
        flat(canvas, quad, np.array([np.cos(m), np.sin(m), 0.0]), rgb)
    flat(canvas, high[:-1], np.array([0, 0, 1.0]), np.asarray(rgb) * 0.3)
    canvas.shade([high[:-1]])


def flat(canvas: Canvas, polygon: Array, normal: Array, rgb: ArrayLike) -> None:
    """One flat polygon of the room."""
    eye = -canvas.view.R.T @ canvas.view.t
    if (eye - polygon.mean(0)) @ normal <= 0:
        canvas.shade([polygon])
        return
    px, inverse = canvas.project(polygon)
    patch = put(canvas.near, px, nearness(px, inverse))
    if patch is not None:
        lit = canvas.lit(polygon.mean(0), normal)
        canvas.rgb[patch[0]][patch[1]] = rgb
        for k, one in enumerate(lit):
            canvas.base[k][patch[0]][patch[1]] = one
    canvas.shade([polygon])


def plant(rng: np.random.Generator, canvas: Canvas, at: tuple[float, float], size: float) -> None:
    """A plant in a pot."""
    clay = (
        np.array([0.5, 0.2, 0.11]) * rng.uniform(0.6, 1.2) if rng.random() < 0.7 else colour(rng, (0.1, 0.7), (0, 0.6))
    )
    pot(canvas, at, size * 0.5, size * 0.75, clay, float(rng.uniform(0.75, 1)))
    green = (
        np.array([0.05, 0.2, 0.05]) * rng.uniform(0.5, 1.8) * np.array([rng.uniform(0.6, 2), 1, rng.uniform(0.6, 1.5)])
    )
    for _ in range(int(rng.integers(14, 46))):
        c = np.array([at[0], at[1], size * 1.1]) + rng.normal(0, 1, 3) * np.array([0.34, 0.3, 0.42]) * size
        c[2] = max(c[2], size * 0.5)
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        half = size * np.array([rng.uniform(0.14, 0.26), rng.uniform(0.07, 0.12), rng.uniform(0.05, 0.1)])
        ellipsoid(canvas, c, q * half, green * rng.uniform(0.7, 1.3))


def person(rng: np.random.Generator, canvas: Canvas, x: float, y: float) -> None:
    """Somebody who sits behind the table: a head, a neck, shoulders, perhaps a hand on the table."""
    skin = (np.array([1, 0.74, 0.6]) * rng.uniform(0.35, 0.9)) ** 2.2
    shirt = np.asarray(colour(rng, (0.1, 0.9), (0, 0.8)), float) ** 2.2
    high = rng.uniform(190, 330)
    ellipsoid(canvas, np.array([x, y, 40.0]), np.diag([150.0, 40, high - 110]), shirt)
    ellipsoid(canvas, np.array([x, y - 20, high - 70]), np.diag([34.0, 30, 60]), skin * 0.9)
    ellipsoid(canvas, np.array([x, y - 25, high + 20]), np.diag([62.0, 50, 84]), skin)
    ellipsoid(canvas, np.array([x, y + 10, high + 55]), np.diag([68.0, 55, 66]), skin * rng.uniform(0.05, 0.4))
    if rng.random() < 0.5:
        side = x + rng.choice([-1, 1]) * 120
        for k in range(4):
            ellipsoid(canvas, np.array([side + 15 * k, y - 110, 11]), np.diag([8.0, 38, 9]), skin)
        ellipsoid(canvas, np.array([side + 22, y - 70, 16]), np.diag([38.0, 40, 15]), skin)


def furnish(rng: np.random.Generator, canvas: Canvas, room: Room) -> None:
    """Draw the room on an empty canvas: background, table, and things behind the game."""
    ch, cw = canvas.near.shape
    if room.garden is not None:
        big = cv2.resize(room.garden, (cw, ch), interpolation=cv2.INTER_LINEAR)
        canvas.rgb[:] = surface_picture(np.asarray(big, np.float32))
        canvas.near[:] = 1e-6
        canvas.base[0][:] = 1.4
    table, edge = surface_picture(room.table), room.wall_at
    _plane(
        canvas,
        np.array([-1500.0, edge - 2400, 0]),
        np.array([1.0, 0, 0]),
        np.array([0, 1.0, 0]),
        (3000.0, 2400.0),
        table,
    )
    if room.wall is not None:
        wall = surface_picture(room.wall)
        y = edge if rng.random() < 0.7 else edge + rng.uniform(100, 600)
        _plane(
            canvas, np.array([-2500.0, y, -600.0]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), (5000.0, 2600.0), wall
        )
        if rng.random() < 0.45:
            x, z, w, h = rng.uniform(-450, 450), rng.uniform(150, 330), rng.uniform(80, 260), rng.uniform(80, 200)
            frame, inner = colour(rng, (0.05, 0.8), (0, 0.7)), colour(rng, (0.2, 0.9), (0, 0.5))
            for grow, tone, d in ((12, frame, 8.0), (0, inner, 8.5)):
                q = np.array(
                    [
                        [x - w / 2 - grow, y - d, z - grow],
                        [x + w / 2 + grow, y - d, z - grow],
                        [x + w / 2 + grow, y - d, z + h + grow],
                        [x - w / 2 - grow, y - d, z + h + grow],
                    ]
                )
                flat(canvas, q, np.array([0, -1.0, 0]), tone**2.2)
        if rng.random() < 0.14:
            person(rng, canvas, float(rng.uniform(-380, 380)), y - 15)
    x = -420.0
    while x < 420:
        x += rng.uniform(60, 260)
        kind = rng.choice(6, p=[0.3, 0.22, 0.16, 0.12, 0.1, 0.1])
        y = float(rng.uniform(95, max(100, edge - 60)))
        thing = np.asarray(colour(rng, (0.1, 0.95), (0.0, 0.8)), float) ** 2.2
        if kind == 0:
            size = np.array([rng.uniform(50, 170), rng.uniform(30, 100), rng.uniform(20, 210)])
            if y - size[1] / 2 > 70 and y + size[1] / 2 < edge:
                box(canvas, np.array([x, y, size[2] / 2]), size, float(rng.normal(0, 0.2)), thing)
        elif kind == 1:
            plant(rng, canvas, (x, y), float(rng.uniform(60, 130)))
        elif kind == 2:
            r = rng.uniform(25, 60)
            ellipsoid(canvas, np.array([x, max(y, 75 + r), r]), np.eye(3) * r, thing)
        elif kind == 3:
            pot(canvas, (x, y), float(rng.uniform(25, 60)), float(rng.uniform(40, 130)), thing)
