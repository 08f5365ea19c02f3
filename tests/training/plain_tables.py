"""Training tables of plain cards: one flat colour, framed corners of other colours, a printed board among them.

Such cards hardly differ from a table of their colour, and a board is full of rectangles that are no cards.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.render.anycard import FACE_W, Face
from tests.render.scene import OTHER, Table
from tests.render.textures import colour

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

Pose = tuple[float, float, float]
"""Centre in mm and angle."""


def palette(rng: np.random.Generator) -> list[Floats]:
    """Four ground colours that differ in hue."""
    first = rng.uniform(0, 180)
    hues = (first + np.array([0, 45, 90, 135]) + rng.normal(0, 9, 4)) % 180
    hsv = np.stack([hues, rng.uniform(90, 255, 4), rng.uniform(90, 255, 4)], -1)[None].astype(np.uint8)
    return [c.astype(np.float32) / 255 for c in cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0]]


def plain_face(rng: np.random.Generator, aspect: float, colours: Sequence[Floats]) -> Face:
    """A flat face with two or three framed corners or wedges that hold a number, maybe a silver sign."""
    w, h = FACE_W, round(FACE_W * aspect)
    own = int(rng.integers(0, len(colours)))
    img = np.tile(colours[own], (h, w, 1)).astype(np.float32)
    frame = np.full(3, rng.choice([0.05, 0.95]), np.float32)
    thick = int(rng.integers(0, 5))
    for k in rng.choice(8, size=int(rng.integers(1, 4)), replace=False):
        p = _region(rng, w, h, int(k))
        other = colours[(own + int(rng.integers(1, len(colours)))) % len(colours)]
        cv2.fillPoly(img, [np.round(p * 16).astype(np.int32)], other.tolist(), cv2.LINE_AA, 4)
        if thick:
            cv2.polylines(img, [np.round(p * 16).astype(np.int32)], True, frame.tolist(), thick, cv2.LINE_AA, 4)
        middle = p.mean(0)
        ink = frame if rng.random() < 0.7 else 1 - frame
        size = float(np.sqrt(abs(cv2.contourArea(p.astype(np.float32))))) / 60
        at = (int(middle[0] - 10 * size), int(middle[1] + 10 * size))
        _write(img, str(rng.integers(1, 6)), at, size, ink)
    if rng.random() < 0.4:
        grey = np.full(3, rng.uniform(0.5, 0.9), np.float32)
        if rng.random() < 0.5:
            box = cv2.boxPoints(((w / 2, h / 2), (w * 0.2, w * 0.2), float(rng.uniform(0, 90))))
            cv2.fillPoly(img, [np.round(box * 16).astype(np.int32)], grey.tolist(), cv2.LINE_AA, 4)
        else:
            at = (int(w * 0.3), int(h * 0.56))
            _write(img, "+2", at, 2.0, grey)
    return np.round(np.clip(img, 0, 1) * 255).astype(np.uint8)


def _write(img: Floats, text: str, at: tuple[int, int], size: float, ink: Floats) -> None:
    mask = np.zeros(img.shape[:2], np.uint8)
    cv2.putText(mask, text, at, cv2.FONT_HERSHEY_SIMPLEX, size, 255, max(2, round(3 * size)), cv2.LINE_AA)
    img += (ink - img) * (mask[..., None].astype(np.float32) / 255)


def _region(rng: np.random.Generator, w: int, h: int, k: int) -> Array:
    """A corner (k < 4) as triangle or quadrilateral, or a wedge on a side."""
    a, b = rng.uniform(0.18, 0.5) * w, rng.uniform(0.18, 0.5) * w
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    if k < 4:
        c = corners[k]
        inward = np.sign(np.array([w / 2, h / 2]) - c)
        tip = [] if rng.random() < 0.4 else [c + inward * [a * rng.uniform(0.5, 1), b * rng.uniform(0.5, 1)]]
        return np.array([c, c + inward * [a, 0], *tip, c + inward * [0, b]])
    p, q = corners[k - 4], corners[(k - 3) % 4]
    t0 = rng.uniform(0.15, 0.5)
    t1 = t0 + (a + b) / np.hypot(*(q - p))
    along = (q - p) / np.hypot(*(q - p))
    inward = np.array([-along[1], along[0]])
    tip = p + (q - p) * rng.uniform(t0, t1) + inward * rng.uniform(0.12, 0.3) * w
    return np.array([p + (q - p) * t0, p + (q - p) * t1, tip])


def tinted(rng: np.random.Generator, surface: Floats, near: Floats) -> Floats:
    """A table in nearly a card's colour that keeps some of its own grain."""
    grain = surface.mean(2, keepdims=True)
    grain = grain / max(float(grain.mean()), 1e-3)
    wanted = np.clip(near * rng.uniform(0.75, 1.25) + rng.normal(0, 0.04, 3), 0, 1)
    return np.clip(wanted * (1 + (grain - 1) * rng.uniform(0.1, 0.9)), 0, 1).astype(np.float32)


def attached(rng: np.random.Generator, w: float, h: float, board_mm: float, count: int) -> list[Pose]:
    """Cards that lie with a corner on the board or on one another, spreading outwards at odd angles."""
    turn = rng.uniform(0, 2 * np.pi)
    bases: list[tuple[Pose, tuple[float, float]]] = [((0.0, 0.0, turn), (board_mm, board_mm))]
    out: list[Pose] = []
    for _ in range(count):
        (x, y, a), (bw, bh) = bases[int(rng.integers(0, len(bases)))]
        on = np.array([rng.choice([-1, 1]) * bw, rng.choice([-1, 1]) * bh]) / 2 * rng.uniform(0.75, 1.0, 2)
        mine = np.array([rng.choice([-1, 1]) * w, rng.choice([-1, 1]) * h]) / 2 * rng.uniform(0.8, 1.0, 2)
        # the card lies beyond the corner it is laid on
        outward = np.arctan2(*(_turned(on, a))[::-1])
        angle = outward - np.arctan2(-mine[1], -mine[0]) + rng.normal(0, 0.5)
        centre = np.array([x, y]) + _turned(on, a) - _turned(mine, angle)
        out.append((float(centre[0]), float(centre[1]), float(angle)))
        bases.append((out[-1], (w, h)))
    return out


def lay_board(rng: np.random.Generator, table: Table, side: float, colours: Sequence[Floats]) -> None:
    """A square board in the middle: four coloured spaces and a track; it is no card."""
    turn = rng.uniform(0, 2 * np.pi)

    def put(points: Array, rgb: Floats) -> None:
        ideal = table.view.ideal(_turned(points, turn))
        table.cover(table.to_canvas(ideal), rgb, 0.03, OTHER)

    def box(x0: float, y0: float, x1: float, y1: float) -> Array:
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])

    half = side / 2
    light, saturation = ((0.75, 1.0), (0.0, 0.12)) if rng.random() < 0.8 else ((0.1, 0.9), (0.0, 0.6))
    paper = np.clip(colour(rng, light, saturation), 0, 1)
    put(box(-half, -half, half, half), paper)
    space = side * rng.uniform(0.2, 0.33)
    for k, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        x0, y0 = sx * half, sy * half
        put(box(x0, y0, x0 - sx * space, y0 - sy * space), colours[k % len(colours)])
    squares, cell = int(rng.integers(4, 8)), side * rng.uniform(0.06, 0.1)
    ring = rng.random() < 0.5
    for i in range(squares):
        for j in range(squares):
            if ring and 0 < i < squares - 1 and 0 < j < squares - 1:
                continue
            x, y = (i - squares / 2) * cell, (j - squares / 2) * cell
            put(box(x, y, x + cell * 0.9, y + cell * 0.9), np.clip(paper * rng.uniform(0.75, 1.05), 0, 1))
            put(box(x + cell * 0.3, y + cell * 0.2, x + cell * 0.6, y + cell * 0.7), paper * 0.4)


def lay_tape(rng: np.random.Generator, table: Table, span: float) -> None:
    """The lines of a playing area."""
    ink = colour(rng, (0.0, 1), (0, 0.9))
    turn, wide = rng.uniform(0, 2 * np.pi), rng.uniform(2, 9)
    a, b = rng.uniform(0.15, 0.5, 2) * span
    for x0, y0, x1, y1 in ((-a, -b, a, -b), (a, -b, a, b), (a, b, -a, b), (-a, b, -a, -b)):
        d = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
        n = np.array([-d[1], d[0]]) * wide / 2
        p, q = np.array([x0, y0]), np.array([x1, y1])
        line = np.array([p - n, q - n, q + n, p + n])
        table.cover(table.to_canvas(table.view.ideal(_turned(line, turn))), ink, 0.03, OTHER)


def _turned(points: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))
