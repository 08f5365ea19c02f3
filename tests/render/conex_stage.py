"""What stays the same over a sequence of CONEX photographs: table top, border, light, lens noise, a mug."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from shapely.geometry import MultiPoint, Polygon

from calibration.art.canvas import rgb
from tests.render.conex_geometry import Array, ConexArt, turn
from tests.render.scene import Sensor, View, look_at
from tests.render.textures import Picture, cloth, colour, granular, laminate, noise, wood


def disc(x: float, y: float, r: float, z: float, n: int = 40) -> Array:
    """A circle at height -z, (n, 3) mm."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([x + r * np.cos(a), y + r * np.sin(a), np.full(n, z)])


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
        rims = np.concatenate([disc(self.x, self.y, self.radius, -z) for z in (0.0, self.height)])
        return Polygon(MultiPoint(view.table_points(view.project(rims))).convex_hull).buffer(22)


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


def random_area(rng: np.random.Generator) -> Array:
    """The agreed area in mm: a table, turned a little, sometimes with its corners cut."""
    w, h = rng.uniform(560, 860), rng.uniform(380, 560)
    p = np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2
    if rng.random() < 0.2:
        c = rng.uniform(25, 60)
        p = np.concatenate(
            [[q + (r - q) / np.hypot(*(r - q)) * c for r in (p[i - 1], p[(i + 1) % 4])] for i, q in enumerate(p)]
        )
    return np.asarray(p @ turn(float(np.radians(rng.normal(0, 9)))).T)


def random_view(rng: np.random.Generator, area: Array) -> View | None:
    """A camera as near as it can be with the whole area in the picture; None where cards would be hardly legible."""
    size = [(1280, 720), (1920, 1080)][int(rng.random() < 0.3)]
    tilt = float(min(42, abs(rng.normal(14, 14))))
    k1 = float(rng.uniform(-0.13, 0.05)) if rng.random() < 0.7 else 0.0
    hfov, around, roll = float(rng.uniform(55, 78)), float(rng.normal(0, 12)), float(rng.normal(0, 6))
    edge = rng.uniform(6, 40)
    near, far = 250.0, 3000.0
    view = None
    for _ in range(22):
        middle, aim = (near + far) / 2, np.zeros(2)
        for _ in range(3):
            v = look_at(size, hfov, middle, tilt, around, roll, (float(aim[0]), float(aim[1])), k1, k1 * k1)
            p = v.project(area)
            aim = v.table_points(np.array(size)[None] / 2 + (p.min(0) + p.max(0) - np.array(size)) / 2)[0]
        if bool((p.min(0) > edge).all() and (p.max(0) < np.array(size) - edge).all()):
            far, view = middle, v
        else:
            near = middle
    if view is None:
        return None
    px = np.diff(view.project([area.mean(0), area.mean(0) + [1, 0]]), axis=0)[0]
    return view if np.hypot(*px) > 1.3 else None
