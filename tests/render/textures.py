"""Table tops and other surfaces, drawn from noise: every call gives another one.

All pictures are float32 RGB in 0..1, (H, W, 3).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]


def noise(rng: np.random.Generator, h: int, w: int, cell: float, octaves: int = 3, aspect: float = 1.0) -> Picture:
    """Smooth noise with zero mean and unit deviation; `cell` is the size of the coarsest blob in pixels."""
    out = np.zeros((h, w), np.float32)
    amplitude = 1.0
    for _ in range(octaves):
        gh, gw = max(2, int(h / cell) + 2), max(2, int(w / (cell * aspect)) + 2)
        grid = rng.standard_normal((min(gh, h), min(gw, w))).astype(np.float32)
        out += amplitude * cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC)
        amplitude *= 0.55
        cell = max(1.0, cell / 2.3)
    return (out - out.mean()) / (out.std() + 1e-6)


def colour(rng: np.random.Generator, value: tuple[float, float], saturation: tuple[float, float]) -> Picture:
    """A random colour of given lightness and saturation ranges, (3,)."""
    hsv = np.array([[[rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value)]]], np.float32)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0], np.float32)


def rotated(rng: np.random.Generator, picture: Picture, angle_deg: float | None = None) -> Picture:
    """The texture turned by any angle, cropped to the same size (reflected at the border)."""
    h, w = picture.shape[:2]
    angle = rng.uniform(0, 180) if angle_deg is None else angle_deg
    m = cv2.getRotationMatrix2D((w / 2, h / 2), angle, 1.25)
    return np.asarray(cv2.warpAffine(picture, m, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))


def wood(rng: np.random.Generator, h: int, w: int) -> Picture:
    """Planks or a veneer with grain along one direction."""
    light = np.array([rng.uniform(0.35, 0.85), 0, 0], np.float32)
    light[1] = light[0] * rng.uniform(0.68, 0.88)
    light[2] = light[1] * rng.uniform(0.55, 0.85)
    dark = light * rng.uniform(0.45, 0.85)
    if rng.random() < 0.3:
        light, dark = light * 0.45, dark * 0.4
    cell = rng.uniform(4, 26)
    t = noise(rng, h, w, cell, 4, aspect=rng.uniform(8, 25)) * 0.7 + noise(rng, h, w, cell * 8, 2, aspect=4) * 0.5
    if rng.random() < 0.4:
        t = np.sin(t * rng.uniform(1.5, 3.5))
    t = np.clip(0.5 + 0.25 * t, 0, 1)[..., None]
    out = dark * (1 - t) + light * t
    if rng.random() < 0.35:
        step = int(rng.uniform(0.08, 0.3) * h) + 8
        for y in range(int(rng.uniform(0, step)), h, step):
            out[y : y + step] *= rng.uniform(0.85, 1.12)
            out[y : y + max(1, step // 60)] *= rng.uniform(0.4, 0.8)
    return rotated(rng, out.astype(np.float32))


def cloth(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A woven or felted plain cloth."""
    base = colour(rng, (0.08, 0.9), (0.0, 0.9))
    t = rng.standard_normal((h, w)).astype(np.float32)
    if rng.random() < 0.5:
        period = rng.uniform(2.5, 7)
        yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
        t = t * 0.4 + np.sin(xx * 2 * np.pi / period) + np.sin(yy * 2 * np.pi / period)
    t = cv2.GaussianBlur(t, (0, 0), rng.uniform(0.5, 1.3))
    folds = noise(rng, h, w, rng.uniform(80, 300), 2) * rng.uniform(0, 0.06)
    return np.clip(base * (1 + (t * rng.uniform(0.02, 0.14) + folds)[..., None]), 0, 1).astype(np.float32)


def pattern(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A patterned cloth: checks, stripes, dots or a lattice."""
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    a, b = colour(rng, (0.1, 0.95), (0.0, 0.8)), colour(rng, (0.1, 0.95), (0.0, 0.8))
    p = rng.uniform(14, 90)
    kind = rng.integers(0, 5)
    sx, sy = (xx / p) % 1, (yy / p) % 1
    if kind == 0:
        t = ((sx < 0.5).astype(np.float32) + (sy < 0.5)) / 2
    elif kind == 1:
        t = (sx < rng.uniform(0.15, 0.6)).astype(np.float32)
    elif kind == 2:
        t = (np.hypot(sx - 0.5, sy - 0.5) < rng.uniform(0.12, 0.42)).astype(np.float32)
    elif kind == 3:
        t = ((sx < 0.08) | (sy < 0.08)).astype(np.float32)
    else:
        t = (np.sin(xx / p * 6) * np.sin(yy / p * 6) + 0.4 * noise(rng, h, w, p / 2, 2) > 0.2).astype(np.float32)
    t = cv2.GaussianBlur(t, (0, 0), rng.uniform(0.4, 1.5))[..., None]
    out = a * (1 - t) + b * t + (rng.standard_normal((h, w, 1)) * 0.015).astype(np.float32)
    return rotated(rng, np.clip(out, 0, 1).astype(np.float32))


def chessboard(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A chess board on a table: squares are no cards."""
    out = wood(rng, h, w) if rng.random() < 0.6 else laminate(rng, h, w)
    n = int(rng.integers(4, 11))
    a, b = colour(rng, (0.45, 1), (0, 0.7)), colour(rng, (0.02, 0.5), (0, 0.8))
    squares = np.indices((n, n)).sum(0) % 2
    board = np.where(squares[..., None] > 0, a, b).astype(np.float32)
    s = int(min(h, w) * rng.uniform(0.5, 1.1))
    big = cv2.resize(board, (s, s), interpolation=cv2.INTER_NEAREST)
    edge = int(s * rng.uniform(0.0, 0.09))
    big = cv2.copyMakeBorder(big, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=[float(v) for v in b * 0.7])
    s = big.shape[0]
    m = cv2.getRotationMatrix2D((s / 2, s / 2), rng.uniform(-20, 20), 1)
    m[:, 2] += [w / 2 - s / 2 + rng.uniform(-0.15, 0.15) * w, h / 2 - s / 2 + rng.uniform(-0.15, 0.15) * h]
    mask = cv2.warpAffine(np.ones((s, s), np.float32), m, (w, h))[..., None]
    out = out * (1 - mask) + cv2.warpAffine(big, m, (w, h)) * mask
    for _ in range(int(rng.integers(0, 24))):
        x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0.1, 0.5) * s / n
        c = colour(rng, (0.03, 0.9), (0, 0.5))
        cv2.ellipse(
            out,
            (int(x), int(y)),
            (int(r), int(r * rng.uniform(0.8, 1.8))),
            rng.uniform(0, 30),
            0,
            360,
            c.tolist(),
            -1,
            cv2.LINE_AA,
        )
        cv2.circle(
            out,
            (int(x - r / 4), int(y - r / 3)),
            max(1, int(r / 3)),
            np.clip(c * 1.5 + 0.1, 0, 1).tolist(),
            -1,
            cv2.LINE_AA,
        )
    return out.astype(np.float32)


def tiles(rng: np.random.Generator, h: int, w: int) -> Picture:
    """Bricks, tiles or planks of wood: rectangles without end, and no cards."""
    base, joint = colour(rng, (0.2, 0.9), (0, 0.5)), colour(rng, (0.1, 0.9), (0, 0.2))
    th = rng.uniform(18, 90)
    tw = th * rng.uniform(1, 4)
    out = np.tile(base, (h, w, 1)).astype(np.float32)
    gap = max(1, int(th * rng.uniform(0.03, 0.14)))
    for row, y in enumerate(np.arange(-th, h + th, th)):
        for x in np.arange(-tw * (1 + 0.5 * (row % 2)), w + tw, tw):
            out[max(0, int(y)) : max(0, int(y + th)), max(0, int(x)) : max(0, int(x + tw))] *= rng.uniform(0.8, 1.15)
            out[max(0, int(y)) : max(0, int(y + th)), max(0, int(x)) : max(0, int(x) + gap)] = joint
        out[max(0, int(y)) : max(0, int(y) + gap)] = joint
    out *= 1 + noise(rng, h, w, rng.uniform(2, 20), 3)[..., None] * rng.uniform(0.02, 0.12)
    return rotated(rng, np.clip(out, 0, 1).astype(np.float32))


def laminate(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A plain top: white laminate, parchment, painted, dark gloss."""
    u = rng.random()
    if u < 0.4:
        base = np.clip(np.array([rng.uniform(0.72, 0.98)] * 3) * rng.uniform(0.9, 1.0, 3), 0, 1).astype(np.float32)
    elif u < 0.6:
        base = colour(rng, (0.01, 0.16), (0, 0.5))
    else:
        base = colour(rng, (0.15, 0.95), (0, 0.7))
    t = noise(rng, h, w, rng.uniform(10, 250), 3) * rng.uniform(0.0, 0.06) + rng.standard_normal((h, w)) * rng.uniform(
        0, 0.02
    )
    return np.clip(base * (1 + t[..., None]), 0, 1).astype(np.float32)


def granular(rng: np.random.Generator, h: int, w: int) -> Picture:
    """Stone, gravel, grass, carpet."""
    a, b = colour(rng, (0.05, 0.5), (0, 0.6)), colour(rng, (0.4, 0.95), (0, 0.5))
    t = np.clip(0.5 + 0.3 * noise(rng, h, w, rng.uniform(2, 22), 4, aspect=rng.uniform(0.4, 2.5)), 0, 1)[..., None]
    return (a * (1 - t) + b * t).astype(np.float32)


def print_page(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A printed or written page that fills the picture: lines of words, perhaps a heading."""
    out = np.tile(np.clip(colour(rng, (0.6, 1), (0, 0.12)), 0, 1), (h, w, 1)).astype(np.float32)
    ink = colour(rng, (0.0, 0.35), (0, 0.6)).tolist()
    size = rng.uniform(6, 40)
    y = rng.uniform(0, 2) * size
    while y < h:
        x = rng.uniform(0, 3) * size
        while x < w:
            letters = int(rng.integers(2, 10))
            for _ in range(letters):
                dx, dy = rng.uniform(0.2, 0.55) * size, rng.uniform(0.5, 1.0) * size
                p = [(int(x + rng.uniform(0, 1) * dx), int(y + rng.uniform(0, 1) * dy)) for _ in range(3)]
                for a, b in ((p[0], p[1]), (p[1], p[2])):
                    cv2.line(out, a, b, ink, max(1, int(size * 0.11)), cv2.LINE_AA)
                x += dx * 1.15
            x += 0.5 * size
        y += size * rng.uniform(1.5, 2.2)
    out *= 1 + noise(rng, h, w, rng.uniform(60, 300), 2)[..., None] * rng.uniform(0, 0.1)
    return np.clip(out, 0, 1).astype(np.float32)


def coins(rng: np.random.Generator, h: int, w: int) -> Picture:
    """Round things in rows on cloth."""
    out = cloth(rng, h, w) if rng.random() < 0.5 else laminate(rng, h, w)
    r = rng.uniform(12, 45)
    for cy in np.arange(r * 1.6, h, r * rng.uniform(2.4, 3.4)):
        for cx in np.arange(r * 1.6, w, r * 2.8):
            c, at, q = (
                colour(rng, (0.3, 0.95), (0, 0.6)),
                (int(cx + rng.normal(0, 2)), int(cy + rng.normal(0, 2))),
                r * rng.uniform(0.7, 1),
            )
            cv2.circle(out, at, int(q), c.tolist(), -1, cv2.LINE_AA)
            cv2.circle(
                out,
                at,
                int(q * 0.85),
                np.clip(c * rng.uniform(0.6, 1.3), 0, 1).tolist(),
                int(rng.choice([1, 2, -1])),
                cv2.LINE_AA,
            )
    t = noise(rng, h, w, r / 3, 3)[..., None] * rng.uniform(0.03, 0.15)
    return np.clip(out * (1 + t), 0, 1).astype(np.float32)


NO_PLACE_FOR_CARDS = (chessboard, print_page, coins)
"""Surfaces on which cards seldom lie: mostly shown empty, so that their squares and letters are learned as no cards."""

_TABLES = (
    (wood, 0.26),
    (laminate, 0.26),
    (cloth, 0.14),
    (pattern, 0.1),
    (granular, 0.06),
    (tiles, 0.05),
    (chessboard, 0.08),
    (print_page, 0.03),
    (coins, 0.02),
)


def any_surface(rng: np.random.Generator, h: int, w: int) -> tuple[Picture, bool]:
    """Any table, float32 RGB (h, w, 3), and whether cards usually lie on such a thing."""
    makers, weights = zip(*_TABLES, strict=True)
    maker = makers[int(rng.choice(len(makers), p=np.array(weights)))]
    return maker(rng, h, w), maker not in NO_PLACE_FOR_CARDS


def table_top(rng: np.random.Generator, h: int, w: int) -> Picture:
    """A table on which cards lie, float32 RGB (h, w, 3)."""
    while True:
        picture, usual = any_surface(rng, h, w)
        if usual:
            return picture
