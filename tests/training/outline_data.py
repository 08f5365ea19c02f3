"""Training pictures of the outline network: random cards of no deck on random tables, with per-cell targets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.render.anycard import Face, random_face
from tests.render.scene import CLUTTER, Table, clutter, look_at, random_sensor
from tests.render.textures import any_surface
from tests.training.plain_tables import attached, lay_board, lay_tape, palette, plain_face, tinted
from vision.cards.outlines import STRIDE, UNIT_PX

PLAIN = 0.4
"""Share of pictures of plain cards."""

Target = NDArray[np.float32]
"""(11, h, w): card, boundary, offset x, y, shape xx, xy, yy, cos 4a, sin 4a, size, weight."""


def _layout(rng: np.random.Generator, w: float, h: float, span: float) -> list[tuple[float, float, float]]:
    """Poses of cards around the origin: heaps, rows, grids, fans, single cards."""
    kind = rng.choice(["heap", "rows", "grid", "fan", "single", "loose"], p=[0.3, 0.25, 0.18, 0.07, 0.08, 0.12])
    base = rng.uniform(0, 2 * np.pi)
    out: list[tuple[float, float, float]] = []
    if kind == "single":
        return [(rng.uniform(-0.3, 0.3) * span, rng.uniform(-0.3, 0.3) * span, base)]
    if kind in ("rows", "grid"):
        gap_x, gap_y = (rng.uniform(-6, 26) if rng.random() < 0.8 else rng.uniform(-0.7 * w, 0) for _ in range(2))
        jitter, turn = rng.uniform(0, 6), rng.uniform(0, 0.12)
        nx, ny = max(1, int(span / (w + gap_x))), (max(1, int(span / (h + abs(gap_y)))) if kind == "grid" else 1)
        c, s = np.cos(base), np.sin(base)
        for row in range(ny):
            for col in range(min(nx, 9)):
                if rng.random() < 0.08:
                    continue
                x, y = (col - min(nx, 9) / 2) * (w + gap_x), (row - ny / 2) * (h + abs(gap_y))
                x, y = x + rng.normal(0, jitter), y + rng.normal(0, jitter)
                out.append((x * c - y * s, x * s + y * c, base + rng.normal(0, turn) + np.pi * rng.integers(0, 2)))
    if kind == "fan":
        for i in range(int(rng.integers(3, 8))):
            a = base + i * rng.uniform(0.1, 0.3)
            out.append((np.sin(a) * h * 0.9, -np.cos(a) * h * 0.9, a))
    n = {"heap": int(rng.integers(4, 26)), "loose": int(rng.integers(2, 12))}.get(str(kind), int(rng.integers(0, 6)))
    spread = span * (rng.uniform(0.12, 0.4) if kind == "heap" else 0.5)
    cx, cy = rng.uniform(-0.25, 0.25, 2) * span
    out += [(cx + rng.normal(0, spread), cy + rng.normal(0, spread), rng.uniform(0, 2 * np.pi)) for _ in range(n)]
    return out


def picture(rng: np.random.Generator, faces: list[Face], size: int = 288) -> tuple[NDArray[np.uint8], Target]:
    """One training picture (size, size, 3) and its target at a quarter of the resolution."""
    aspect = 1.0 if rng.random() < 0.1 else rng.uniform(1.3, 1.78)
    w_mm = 60.0
    sides = [(w_mm, w_mm * aspect)]
    short_px = float(np.exp(rng.uniform(np.log(17), np.log(105 if rng.random() < 0.85 else 170))))
    hfov = rng.uniform(25, 75)
    f = size / 2 / np.tan(np.radians(hfov) / 2)
    distance = f * w_mm / short_px
    tilt = abs(rng.normal(0, 22)) if rng.random() < 0.8 else 0.0
    k1 = rng.uniform(-0.15, 0.12) if rng.random() < 0.4 else 0.0
    view = look_at(
        (size, size),
        hfov,
        distance,
        min(tilt, 52),
        rng.uniform(0, 360) if rng.random() < 0.4 else rng.normal(0, 15),
        rng.uniform(0, 360),
        (0, 0),
        k1,
    )
    surface, usual = any_surface(rng, size + 4, size + 4)
    plain = rng.random() < PLAIN
    colours = palette(rng)
    if plain and rng.random() < 0.4:
        surface, usual = tinted(rng, surface, colours[0]), True
    table = Table.start(rng, view, surface)
    span = size / short_px * w_mm
    poses = [] if rng.random() < (0.1 if usual else 0.75) else _layout(rng, *sides[0], span)
    if plain:
        board = w_mm * rng.uniform(1.5, 2.3)
        if rng.random() < 0.35:
            lay_tape(rng, table, span)
        if rng.random() < 0.75:
            lay_board(rng, table, board, colours)
        poses = attached(rng, *sides[0], board, int(rng.integers(0, 14))) if rng.random() < 0.8 else poses
    flat = rng.random() < 0.5
    pool = [faces[i] for i in rng.choice(len(faces), size=40, replace=False)]
    ratio = [abs(p.shape[0] / p.shape[1] - aspect) for p in pool]
    pool = [pool[i] for i in np.argsort(ratio)[:14]]
    if plain:
        pool = [plain_face(rng, aspect, colours) for _ in range(12)]
    if rng.random() < 0.35:
        pool = pool[: int(rng.integers(1, 4))]
    things = [] if rng.random() < (0.35 if poses else 0.1) else list(rng.choice(CLUTTER, size=int(rng.integers(1, 5))))
    under = [t for t in things if t in ("sheet", "book", "plate") or rng.random() < 0.5]

    def somewhere() -> tuple[float, float]:
        return (rng.uniform(-0.6, 0.6) * span, rng.uniform(-0.6, 0.6) * span)

    for t in under:
        clutter(rng, table, somewhere(), str(t))
    light = rng.normal(0, 1.6, 2)
    depth = rng.uniform(0, 0.7)
    radius = rng.choice([0.0, 2.0, 3.0, 4.0, 6.0]) * rng.uniform(0.8, 1.2)
    for x, y, a in poses:
        w, h = sides[0] if rng.random() < 0.95 else (w_mm * rng.uniform(0.7, 1.1), w_mm * rng.uniform(1.0, 1.6))
        face = pool[int(rng.integers(0, len(pool)))]
        sleeved = rng.random() < 0.06
        table.lay(
            "",
            face,
            (w, h),
            (x, y, a),
            float(radius),
            0.0 if flat or rng.random() < 0.6 else rng.uniform(1, 7),
            (float(light[0]), float(light[1]), float(depth)),
            float(rng.choice([0, rng.uniform(0, 0.25)])),
            grow_mm=2.0 if sleeved else 0.0,
            sleeve=0.3 * sleeved,
        )
    for t in things:
        if t not in under:
            clutter(rng, table, somewhere(), str(t))
    rgb, owner = table.finish(rng, random_sensor(rng))
    if rng.random() < 0.09:
        rgb = np.repeat(rgb.mean(2, keepdims=True), 3, 2).astype(np.uint8)
    return rgb, target(table, owner)


def target(table: Table, owner: NDArray[np.int16]) -> Target:
    """What the network should say of every cell of `STRIDE` pixels."""
    n = STRIDE
    h, w = owner.shape[0] // n, owner.shape[1] // n
    cells = owner[n // 2 :: n, n // 2 :: n][:h, :w]
    block = owner[: h * n, : w * n].reshape(h, n, w, n).transpose(0, 2, 1, 3).reshape(h, w, n * n)
    edge = (block.max(2) != block.min(2)) & (block.max(2) >= 0)
    out = np.zeros((11, h, w), np.float32)
    out[0], out[1] = cells >= 0, edge
    counts = np.bincount(owner[owner >= 0].ravel(), minlength=len(table.cards))
    centres = (np.stack(np.meshgrid(np.arange(w), np.arange(h)), 0) * n + n // 2).astype(np.float32)
    for i, c in enumerate(table.cards):
        here = cells == i
        if not here.any():
            continue
        c_, s_ = np.cos(c.angle_rad), np.sin(c.angle_rad)
        half = np.array([[c_, s_], [-s_, c_]]) * np.array(c.size_mm)[:, None] / 2
        at = np.array([c.x_mm, c.y_mm])
        p = table.view.project(np.array([at, at + half[0], at - half[0], at + half[1], at - half[1]]))
        u, v = (p[1] - p[2]) / 2, (p[3] - p[4]) / 2
        m = root(np.outer(u, u) + np.outer(v, v))
        q = sum(np.exp(4j * np.arctan2(d[1], d[0])) for d in (u, v))
        q /= abs(q) + 1e-9
        out[2:4, here] = (p[0][:, None] - centres[:, here]) / UNIT_PX
        out[4:9, here] = np.array([m[0, 0], m[0, 1], m[1, 1], 0, 0])[:, None] / UNIT_PX
        out[7, here], out[8, here] = q.real, q.imag
        size = np.sqrt(np.hypot(*u) * np.hypot(*v))
        out[9, here] = size / UNIT_PX
        share = counts[i] / (4 * size * size + 1)
        # slivers of a card deep in a heap say little about its centre; large cards must not drown small ones
        out[10, here] = np.clip(share * 2, 0.1, 1) * np.clip(24 / size, 0.35, 1.6)
    return out


def root(a: NDArray[np.float64]) -> NDArray[np.float64]:
    """Square root of a symmetric positive (2, 2) matrix."""
    s = np.sqrt(max(np.linalg.det(a), 1e-12))
    t = np.sqrt(max(np.trace(a) + 2 * s, 1e-12))
    return np.asarray((a + s * np.eye(2)) / t)


def face_pool(rng: np.random.Generator, n: int) -> list[Face]:
    """Random faces of all usual proportions."""
    return [random_face(rng, 1.0 if rng.random() < 0.12 else rng.uniform(1.3, 1.78)) for _ in range(n)]
