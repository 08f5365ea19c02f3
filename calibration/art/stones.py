"""Standing stones: the large piece in the middle of a card."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from calibration.art.canvas import BLACK, Canvas, Colour, darker, lighter, mix
from calibration.art.paths import Points, box, circle, smooth
from calibration.art.textures import clouds


class Stone(StrEnum):
    """Kinds of stones."""

    MENHIR = "menhir"
    OBELISK = "obelisk"
    CAIRN = "cairn"
    DOLMEN = "dolmen"
    TOTEM = "totem"
    SLAB = "slab"


def menhir(x: float, top: float, width: float, height: float, rng: np.random.Generator, lean: float = 0.0) -> Points:
    """Outline of one upright rough stone; `top` is the y of its upper end."""
    left, right = [], []
    shoulder = 0.12 + 0.08 * rng.random()
    for t in (0.0, shoulder, 0.35, 0.6, 0.85, 1.0):
        half = width / 2 * (0.42 if t == 0 else min(1.0, 0.72 + 0.30 * t))
        left.append((x + lean * (1 - t) - half * (1 + 0.10 * (rng.random() - 0.5)), top + t * height))
        right.append((x + lean * (1 - t) + half * (1 + 0.10 * (rng.random() - 0.5)), top + t * height))
    peak = (x + lean + width * 0.16 * (rng.random() - 0.5), top - height * 0.035)
    base = (x, top + height * 1.015)
    return smooth([peak, *right, base, *left[::-1]], 10)


def cracks(canvas: Canvas, outline: Points, rng: np.random.Generator, colour: Colour, count: int) -> None:
    """A few fine cracks on a stone, each different."""
    lo, hi = outline.min(axis=0), outline.max(axis=0)
    size = float(min(hi - lo))
    for _ in range(count):
        at = lo + (hi - lo) * (0.14 + 0.72 * rng.random(2))
        heading = rng.random() * 2 * np.pi
        points = [at]
        for _ in range(int(rng.integers(3, 6))):
            heading += rng.normal(0, 0.7)
            points.append(points[-1] + size * 0.07 * np.array([np.cos(heading), np.sin(heading)]))
        line = np.array(points)
        canvas.line([line + size * 0.008], size * 0.012, lighter(colour, 0.55), 0.5, within=[outline])
        canvas.line([line], size * 0.013, darker(colour, 0.65), 0.75, within=[outline])


def draw_stone(
    canvas: Canvas,
    kind: Stone,
    frame: tuple[float, float, float, float],
    colour: Colour,
    rng: np.random.Generator,
    ink: Colour | None = (30.0, 26.0, 32.0),
) -> tuple[float, float, float]:
    """Draw a stone standing in the frame (x0, y0, x1, y1) mm.

    Returns
    -------
    Middle (x, y) and size of the place for the symbol, in mm.
    """
    x0, y0, x1, y1 = frame
    w, h, x = x1 - x0, y1 - y0, (x0 + x1) / 2
    line = 0.018 * w + 0.25
    at = (x, y0 + 0.46 * h, 0.62 * w)
    if kind is Stone.MENHIR:
        bodies = [menhir(x, y0 + 0.04 * h, w * 0.92, h * 0.93, rng, rng.normal(0, 0.03) * w)]
        at = (x, y0 + 0.48 * h, 0.60 * w)
    elif kind is Stone.OBELISK:
        bodies = [
            np.array(
                [
                    [x, y0],
                    [x + 0.30 * w, y0 + 0.13 * h],
                    [x + 0.42 * w, y1 - 0.1 * h],
                    [x - 0.42 * w, y1 - 0.1 * h],
                    [x - 0.30 * w, y0 + 0.13 * h],
                ]
            ),
            box(x - 0.5 * w, y1 - 0.1 * h, x + 0.5 * w, y1, 0.02 * w),
        ]
        at = (x, y0 + 0.50 * h, 0.52 * w)
    elif kind is Stone.CAIRN:
        bodies = []
        for k, (share, tall) in enumerate(((0.62, 0.17), (0.84, 0.42), (1.0, 0.30))):
            top = y0 + h * (0.02, 0.19, 0.62)[k]
            wob = rng.normal(0, 0.015) * w
            bodies.append(_pebble(x + wob, top + tall * h / 2, share * w, tall * h, rng))
        at = (x, y0 + 0.405 * h, 0.42 * min(w, h))
    elif kind is Stone.DOLMEN:
        bodies = [
            menhir(x - 0.34 * w, y0 + 0.20 * h, 0.27 * w, 0.78 * h, rng),
            menhir(x + 0.34 * w, y0 + 0.20 * h, 0.27 * w, 0.78 * h, rng),
            _pebble(x, y0 + 0.13 * h, 1.02 * w, 0.24 * h, rng),
        ]
        at = (x, y0 + 0.62 * h, 0.46 * w)
    elif kind is Stone.TOTEM:
        bodies = [
            box(x - 0.30 * w, y0, x + 0.30 * w, y0 + 0.2 * h, 0.05 * w),
            box(x - 0.44 * w, y0 + 0.2 * h, x + 0.44 * w, y0 + 0.74 * h, 0.06 * w),
            box(x - 0.36 * w, y0 + 0.74 * h, x + 0.36 * w, y0 + 0.88 * h, 0.03 * w),
            box(x - 0.5 * w, y0 + 0.88 * h, x + 0.5 * w, y1, 0.03 * w),
        ]
        at = (x, y0 + 0.47 * h, 0.60 * w)
    else:
        bodies = [
            np.vstack(
                [
                    [x - 0.46 * w, y1],
                    [x - 0.46 * w, y0 + 0.28 * h],
                    circle(x, y0 + 0.28 * h, 0.46 * w)[32:],
                    [x + 0.46 * w, y0 + 0.28 * h],
                    [x + 0.46 * w, y1],
                ]
            )
        ]
        at = (x, y0 + 0.50 * h, 0.60 * w)
    for body in bodies:
        _body(canvas, body, colour, rng, ink, line, w)
    if kind is Stone.DOLMEN:  # the symbol hangs between the pillars, so it gets a plate of its own
        canvas.fill([circle(at[0], at[1], at[2] * 0.42)], darker(colour, 0.25))
    if kind is Stone.TOTEM:
        for s in (-1, 1):
            canvas.fill([circle(x + s * 0.12 * w, y0 + 0.1 * h, 0.045 * w)], mix(colour, BLACK, 0.7))
    return at


def _body(
    canvas: Canvas, body: Points, colour: Colour, rng: np.random.Generator, ink: Colour | None, line: float, w: float
) -> None:
    tint = mix(colour, lighter(colour, 0.3), 0.3 * rng.random())
    if ink is not None:
        canvas.line([body], 2 * line, ink, closed=True)
    canvas.relief([body], tint, 0.16 * w, clouds((160, 110), rng, 50, 5, 0.6), 0.26)
    cracks(canvas, body, rng, colour, 2)


def _pebble(x: float, y: float, w: float, h: float, rng: np.random.Generator) -> Points:
    a = np.arange(12) * np.pi / 6
    power = 0.72  # between an ellipse (1) and a box (0)
    px = np.sign(np.cos(a)) * np.abs(np.cos(a)) ** power
    py = np.sign(np.sin(a)) * np.abs(np.sin(a)) ** power
    r = 1 + 0.07 * (rng.random(12) - 0.5)
    return smooth(np.column_stack([x + px * r * w / 2, y + py * r * h / 2]), 8)
