"""The bundled Rox deck "rox-proxy": ``python -m calibration.art.rox_proxy [FOLDER]`` draws it anew.

A ring of sixteen signs on pale limestone, and in its middle an arched window onto a landscape in the element's light,
with a standing stone that bears the element's sign. Scoring cards show as many stones under the moon as they are worth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from calibration.art import signs as s
from calibration.art import textures as t
from calibration.art.canvas import WHITE, Canvas, Colour, Layer, darker, lighter, mix, rgb
from calibration.art.numerals import numeral
from calibration.art.paths import Points, box, circle, moved, regular, smooth, spiral
from calibration.art.rox import Element, RoxStyle, write_deck
from calibration.art.stones import cracks, menhir
from calibration.art.symbols import Finish, Print, sprite

SIZE = (59.0, 92.0)
INK = rgb("#2a2430")
IVORY = rgb("#f4ecd8")
GOLD = rgb("#c79a3b")
WINDOW = (16.2, 17.0, 42.8, 75.4)  # x0, y0, x1, y1 in mm

FIRE, WATER, EARTH, AIR, MAGIC = (
    Element("fire", s.FLAME, rgb("#ff8344")),
    Element("water", s.WAVE, rgb("#2668b6")),
    Element("earth", s.PEAKS, rgb("#205633")),
    Element("air", s.GUST, rgb("#ffd75e")),
    Element("magic", s.SPARK, rgb("#431369")),
)


def window() -> Points:
    """Outline of the arched window."""
    x0, y0, x1, y1 = WINDOW
    r = (x1 - x0) / 2
    top = circle((x0 + x1) / 2, y0 + r, r, 96)[48:]
    return np.vstack([[x0, y1], top, [x1, y0 + r], [x1, y1]])


def limestone(canvas: Canvas, element: Element | None, rng: np.random.Generator) -> None:
    """The card's ground: pale stone with faintly carved spirals."""
    w, h = canvas.size_mm
    shape = (round(h * canvas.px_per_mm), round(w * canvas.px_per_mm))
    canvas.ground(t.vignette(t.paper(shape, rng, IVORY, rgb("#cdb98c"), 0.55), 0.16))
    carve = mix(IVORY, rgb("#b79a63"), 0.55)
    for x, y, turn in ((0.0, 0.0, 0.4), (w, 0.0, 2.0), (w, h, 3.6), (0.0, h, 5.1), (0.0, h / 2, 1.0), (w, h / 2, 4.1)):
        canvas.line([moved(spiral(3.2, 0.6, 11.5, turn), x, y)], 0.45, carve, 0.32)
    for d in (2.0, 2.7):
        canvas.line([box(d, d, w - d, h - d, 2.2)], 0.22, mix(IVORY, GOLD, 0.75), 0.9, closed=True)


def hills(x0: float, x1: float, y: float, swing: float, rng: np.random.Generator, waves: int = 3) -> Points:
    """A rolling horizon closed below."""
    x = np.linspace(x0, x1, 60)
    line = sum(
        np.sin((x - x0) / (x1 - x0) * 2 * np.pi * (k + rng.random()) + 6.3 * rng.random()) / k
        for k in range(1, waves + 1)
    )
    return np.vstack([np.column_stack([x, y + swing * np.asarray(line) / 2]), [x1, 100], [x0, 100]])


def sky(stops: list[tuple[float, Colour]]) -> Callable[[Layer, Layer], Layer]:
    """A paint from the window's top to its foot."""
    at = [a for a, _ in stops]

    def paint(x: Layer, y: Layer) -> Layer:
        f = (y - WINDOW[1]) / (WINDOW[3] - WINDOW[1])
        return np.stack([np.interp(f, at, [c[i] for _, c in stops]) for i in range(3)], axis=-1).astype(np.float32)

    return paint


def _fire(canvas: Canvas, rng: np.random.Generator, inside: list[Points]) -> None:
    x0, y0, x1, _ = WINDOW
    canvas.fill(inside, sky([(0, rgb("#3d1d33")), (0.35, rgb("#a33a3a")), (0.68, rgb("#ffb45c")), (1, rgb("#ffe9a8"))]))
    canvas.fill([circle(29.5, 44, 13.5)], rgb("#ffdf94"), 0.85, 0.5, inside)
    peak = 20.0 + 3 * rng.random() if rng.random() < 0.5 else 36.0 + 3 * rng.random()
    cone = np.array([[peak - 15, 68], [peak - 2.4, 43], [peak + 2.4, 43], [peak + 15, 68]])
    canvas.fill([cone], rgb("#5b2430"), 1, 0.15, inside)
    canvas.line(
        [np.array([[peak, 43], [peak - 1 + 2 * rng.random(), 50], [peak + 2, 56], [peak + 1, 66]])],
        0.9,
        rgb("#ff7a2e"),
        1,
        0.1,
        within=inside,
    )
    for k in range(5):  # smoke
        canvas.fill(
            [circle(peak + k * 1.2 * rng.random(), 41 - 3.6 * k, 1.6 + 0.7 * k)], rgb("#4a2638"), 0.30, 0.9, inside
        )
    for _ in range(36):
        canvas.fill(
            [circle(x0 + (x1 - x0) * rng.random(), y0 + 52 * rng.random(), 0.12 + 0.22 * rng.random())],
            rgb("#ffd27a"),
            0.9,
            within=inside,
        )
    canvas.fill([hills(x0, x1, 65.5, 2.2, rng)], rgb("#3c1a26"), within=inside)


def _water(canvas: Canvas, rng: np.random.Generator, inside: list[Points]) -> None:
    x0, _, x1, _ = WINDOW
    canvas.fill(inside, sky([(0, rgb("#7fb9dd")), (0.45, rgb("#dcf0f2")), (0.62, rgb("#fff3d6")), (1, rgb("#bfe3e6"))]))
    canvas.fill([circle(29.5, 40, 11.5)], rgb("#fffbe8"), 0.95, 0.4, inside)
    _clouds(canvas, rng, inside, WHITE, 3, (20, 36))
    canvas.fill([box(x0, 54, x1, 80)], sky([(0.6, rgb("#8ccbd9")), (1, rgb("#1d6f96"))]), within=inside)
    canvas.fill([hills(x0, x0 + 13, 53.0, 2.4, rng, 2)], rgb("#8fb7c4"), 0.9, within=[box(x0, 40, x0 + 13, 54.4)])
    for k in range(11):
        y = 55.5 + k * 1.5 + 0.4 * rng.random()
        x = x0 + (x1 - x0) * rng.random()
        length = 3 + 5 * rng.random()
        ripple = np.column_stack([np.linspace(x, x + length, 14), y + 0.35 * np.sin(np.linspace(0, 7, 14))])
        canvas.line([ripple], 0.3, WHITE, 0.75, within=inside)
    canvas.fill([hills(x0, x1, 68.0, 1.4, rng)], rgb("#d9c38a"), within=inside)


def _earth(canvas: Canvas, rng: np.random.Generator, inside: list[Points]) -> None:
    x0, _, x1, _ = WINDOW
    canvas.fill(inside, sky([(0, rgb("#bfe0e0")), (0.5, rgb("#f5f3cf")), (1, rgb("#f3e6a8"))]))
    canvas.fill([circle(29.5, 40, 11.5)], rgb("#fffbe0"), 0.9, 0.6, inside)
    canvas.fill([hills(x0, x1, 49, 4.0, rng)], rgb("#b7d09a"), within=inside)
    canvas.fill([hills(x0, x1, 55, 3.2, rng)], rgb("#8fb873"), within=inside)
    ridge = hills(x0, x1, 60, 2.4, rng)
    for _ in range(16):
        k = int(rng.integers(2, 58))
        x, y = ridge[k]
        tall = 2.4 + 2.4 * rng.random()
        for j in range(3):
            top = y - tall * (0.35 + 0.32 * j)
            half = tall * (0.26 - 0.06 * j)
            canvas.fill(
                [np.array([[x, top - tall * 0.35], [x + half, top + tall * 0.12], [x - half, top + tall * 0.12]])],
                rgb("#3d6b46"),
                within=inside,
            )
    canvas.fill([ridge], rgb("#6b9a55"), within=inside)
    canvas.fill([hills(x0, x1, 67, 1.6, rng)], rgb("#4c7a3a"), within=inside)


def _air(canvas: Canvas, rng: np.random.Generator, inside: list[Points]) -> None:
    x0, _, x1, _ = WINDOW
    canvas.fill(inside, sky([(0, rgb("#4f8fc4")), (0.4, rgb("#8dbfe3")), (0.75, rgb("#d5e9f2")), (1, rgb("#f3f4e6"))]))
    for j in range(3):
        y = 26 + 9 * j + 3 * rng.random()
        x = x0 - 4 + 14 * rng.random()
        canvas.line([moved(s.GUST.bold[0][0], x + 8, y, 0.075)], 0.5, WHITE, 0.85, within=inside)
    _clouds(canvas, rng, inside, WHITE, 6, (30, 62))
    peaks = [(x0 - 3, 74.0)]
    for j in range(7):
        peaks.append((x0 + 1 + j * 4.6, 53.0 + 7 * (j % 2) + 3 * rng.random()))
    far = np.array([*peaks, (x1 + 3, 74.0)])
    canvas.fill([far], rgb("#6f9cba"), 0.9, within=inside)
    for _ in range(4):
        x, y, k = x0 + 3 + 20 * rng.random(), 22 + 14 * rng.random(), 0.9 + 0.6 * rng.random()
        bird = smooth(
            [
                (x - 1.4 * k, y - 0.5 * k),
                (x - 0.6 * k, y - 0.7 * k),
                (x, y),
                (x + 0.6 * k, y - 0.7 * k),
                (x + 1.4 * k, y - 0.5 * k),
            ],
            6,
            False,
        )
        canvas.line([bird], 0.26, rgb("#2f4a63"), within=inside)
    canvas.fill([hills(x0, x1, 67, 1.8, rng)], rgb("#8fa860"), within=inside)


def _magic(canvas: Canvas, rng: np.random.Generator, inside: list[Points]) -> None:
    x0, y0, x1, _ = WINDOW
    canvas.fill(inside, sky([(0, rgb("#1c1140")), (0.4, rgb("#5a3790")), (0.75, rgb("#d9a6e0")), (1, rgb("#ffd9e6"))]))
    for k in range(3):  # northern lights
        across = np.linspace(x0, x1, 24)
        fold = 27 + 4.5 * k + 2.4 * np.sin(across * 0.35 + 6 * rng.random())
        ribbon = np.vstack([np.column_stack([across, fold]), np.column_stack([across, fold + 6])[::-1]])
        canvas.fill([ribbon], (rgb("#7df0c8"), rgb("#9ad7ff"), rgb("#f3a6ff"))[k], 0.30, 1.1, inside)
    canvas.fill([circle(29.5, 41, 13.0)], rgb("#fdf3ff"), 0.55, 3.0, inside)
    canvas.fill([circle(29.5, 41, 11.0)], rgb("#fff6e3"), 0.95, 0.25, inside)
    for _ in range(46):
        x, y = x0 + (x1 - x0) * rng.random(), y0 + 34 * rng.random()
        if np.hypot(x - 29.5, y - 41) > 12:
            canvas.fill([circle(x, y, 0.10 + 0.16 * rng.random())], WHITE, 0.95, within=inside)
    for _ in range(5):
        x, y = x0 + 3 + 22 * rng.random(), y0 + 5 + 12 * rng.random()
        canvas.fill([moved(regular(4, 1.5, inner=0.28), x, y)], WHITE, within=inside)
    canvas.fill([hills(x0, x1, 60, 3.0, rng)], rgb("#8e5fb0"), within=inside)
    canvas.fill([hills(x0, x1, 67, 1.8, rng)], rgb("#43306b"), within=inside)


SCENES = {"fire": _fire, "water": _water, "earth": _earth, "air": _air, "magic": _magic}
GRASS = {"fire": "#2a0f18", "water": "#9c8a4e", "earth": "#2f5a2a", "air": "#5d7a35", "magic": "#2a1a4d"}


def _clouds(
    canvas: Canvas, rng: np.random.Generator, inside: list[Points], colour: Colour, count: int, y: tuple[float, float]
) -> None:
    for _ in range(count):
        cx, cy, k = WINDOW[0] + 28 * rng.random(), y[0] + (y[1] - y[0]) * rng.random(), 0.7 + 0.7 * rng.random()
        puffs = [(-3.2, 0.2, 1.5), (-1.2, -0.8, 2.1), (1.2, -0.5, 1.9), (3.2, 0.3, 1.3)]
        for dx, dy, r in puffs:
            canvas.fill([circle(cx + dx * k, cy + dy * k, r * k)], colour, 0.85, 0.25, inside)


def standing_stone(canvas: Canvas, element: Element, rng: np.random.Generator) -> None:
    """The window with its landscape, the stone and its sign."""
    arch = window()
    inside = [arch]
    canvas.line([arch + 0.5], 2.2, rgb("#6b5a3a"), 0.35, 0.5, closed=True)
    SCENES[element.name](canvas, rng, inside)
    x, top, width, height = 29.5, 25.5, 17.6, 45.0
    body = menhir(x, top, width, height, rng, float(rng.normal(0, 0.5)))
    foot = np.column_stack(
        [x + 10.8 * np.cos(np.linspace(0, 2 * np.pi, 40)), top + height + 1.6 * np.sin(np.linspace(0, 2 * np.pi, 40))]
    )
    canvas.fill([foot + np.array([1.2, 0.3])], darker(rgb(GRASS[element.name]), 0.5), 0.55, 0.6, inside)
    canvas.line([body], 1.1, INK, closed=True, within=inside)
    canvas.relief([body], element.colour, 3.4, t.clouds((220, 110), rng, 44, 5, 0.6), 0.16)
    cracks(canvas, body, rng, element.colour, 3)
    for _ in range(46):  # grass at the foot
        gx = x + 22 * (rng.random() - 0.5)
        gy = top + height + 0.9 + 1.2 * rng.random()
        tip = (gx + rng.normal(0, 0.8), gy - 1.6 - 2.0 * rng.random())
        canvas.line(
            [np.array([[gx, gy], [(gx + tip[0]) / 2 + 0.15, (gy + tip[1]) / 2], tip])],
            0.34,
            mix(rgb(GRASS[element.name]), WHITE, 0.22 * rng.random()),
            within=inside,
        )
    pale = Print(Finish.INK, ink=INK, outline=8)
    canvas.stamp(sprite(element.symbol, rgb("#fbf4df"), pale, 500), x, top + 0.49 * height, 16.5)
    canvas.line([arch], 1.7, INK, closed=True)
    canvas.line([arch], 1.0, GOLD, closed=True)
    canvas.line([moved(arch - (29.5, 46), 29.5, 46, 0.985)], 0.16, lighter(GOLD, 0.6), 0.9, closed=True)


def _night(canvas: Canvas, rng: np.random.Generator) -> None:
    w, h = canvas.size_mm
    shape = (round(h * canvas.px_per_mm), round(w * canvas.px_per_mm))
    base = t.vertical(shape, [(0, rgb("#0f1f3d")), (0.55, rgb("#27507a")), (0.82, rgb("#8fb0b8")), (1, rgb("#d9cfa8"))])
    canvas.ground(base + (t.clouds(shape, rng, shape[1] / 2, 5)[..., None] - 0.5) * 14)
    for _ in range(90):
        canvas.fill([circle(w * rng.random(), 0.62 * h * rng.random(), 0.08 + 0.16 * rng.random())], WHITE, 0.9)


def moonlit(canvas: Canvas, value: int, rng: np.random.Generator) -> None:
    """A scoring card: the value in the moon, and as many stones on the hill."""
    w, h = canvas.size_mm
    _night(canvas, rng)
    moon = circle(w / 2, 37, 19.5, 120)
    canvas.fill([circle(w / 2, 37, 24)], rgb("#fff4cf"), 0.40, 3.5)
    canvas.fill([moon], rgb("#fdf3d2"))
    for _ in range(9):
        a, r = 2 * np.pi * rng.random(), 17 * np.sqrt(rng.random())
        canvas.fill(
            [circle(w / 2 + r * np.cos(a), 37 + r * np.sin(a), 1 + 2.2 * rng.random())],
            rgb("#e3d3a0"),
            0.45,
            0.25,
            [moon],
        )
    canvas.line([moon], 0.5, GOLD, closed=True)
    canvas.stamp(
        sprite(numeral(value, 19), rgb("#233a5e"), Print(Finish.FLAT), 600), w / 2, 37.4, 36 if value < 10 else 38
    )
    canvas.fill([hills(-1, w + 1, 70, 3.0, rng)], rgb("#3f6470"))
    near = hills(-1, w + 1, 77.5, 1.2, rng, 2)
    step = min(7.4, 50.0 / value)
    for k in range(value):
        x = w / 2 + (k - (value - 1) / 2) * step
        y = float(np.interp(x, near[:60, 0], near[:60, 1])) + 1
        tall = (10.5 + 1.4 * rng.random()) * (1.0 if step > 6 else 0.92)
        body = menhir(x, y - tall, min(5.0, step * 0.82), tall, rng)
        canvas.line([body], 0.5, INK, closed=True)
        canvas.relief([body], rgb("#cfc7b4"), 1.0, t.clouds((60, 30), rng, 14, 4), 0.2)
    canvas.fill([near], rgb("#1d3b34"))
    for _ in range(70):
        gx = w * rng.random()
        gy = float(np.interp(gx, near[:60, 0], near[:60, 1]))
        canvas.line(
            [np.array([[gx, gy + 0.6], [gx + rng.normal(0, 0.6), gy - 1.0 - 1.2 * rng.random()]])], 0.3, rgb("#1d3b34")
        )
    corner = sprite(numeral(value, 21), rgb("#ffe9b0"), Print(Finish.INK, ink=rgb("#0c1830"), outline=9), 200)
    canvas.stamp(corner, 8.6, 10.2, 11.5)
    canvas.stamp(corner, w - 8.6, h - 10.2, 11.5, np.pi)
    for d, width in ((2.0, 0.45), (2.9, 0.2)):
        canvas.line([box(d, d, w - d, h - d, 2.2)], width, GOLD, closed=True)


def back(canvas: Canvas, rng: np.random.Generator) -> None:
    """The back: carved spirals and the five signs, the same after half a turn."""
    w, h = canvas.size_mm
    shape = (round(h * canvas.px_per_mm), round(w * canvas.px_per_mm))
    grain = t.slate(shape, rng, rgb("#16363b"), rgb("#4d7f80"))
    canvas.ground(t.vignette(np.asarray((grain + grain[::-1, ::-1]) / 2, np.float32), 0.35))
    pale = rgb("#e9d9a6")

    def both(points: Points, width: float, colour: Colour, alpha: float = 1.0) -> None:
        for p in (points, np.array([w, h]) - points):
            canvas.line([p + 0.25], width, rgb("#071a1d"), 0.6 * alpha, 0.12)
            canvas.line([p], width, colour, alpha)

    for d, width in ((2.2, 0.6), (3.2, 0.25)):
        both(np.vstack([box(d, d, w - d, h - d, 2.4)] * 2), width, GOLD)
    cx, cy = w / 2, h / 2
    for k in range(3):
        turn = np.pi * k / 3
        curl = moved(spiral(2.4, 0.3, 3.6, np.pi), cx + 7.4 * np.cos(turn), cy + 7.4 * np.sin(turn), 1.0, turn)
        both(curl, 0.6, pale, 0.8)
    both(circle(cx, cy, 21.6, 140), 0.7, GOLD)
    both(circle(cx, cy, 23.0, 140), 0.25, GOLD)
    for x, y, turn in ((w * 0.25, 14.0, 0.0), (w * 0.75, 14.0, 2.0)):
        both(moved(spiral(3.0, 0.4, 8.0, turn), x, y), 0.6, pale, 0.5)
    flat = Print(Finish.INK, ink=rgb("#071a1d"), outline=7)
    for k, e in enumerate((FIRE, WATER, EARTH, AIR, MAGIC)):
        mark = sprite(e.symbol, lighter(e.colour, 0.15), flat, 250)
        a = np.pi * (k + 0.5) / 5 + np.pi
        x, y = cx + 17.0 * np.cos(a), cy + 17.0 * np.sin(a)
        canvas.stamp(mark, x, y, 8.2, a + np.pi / 2)
        canvas.stamp(mark, w - x, h - y, 8.2, a + np.pi * 1.5)


def style() -> RoxStyle:
    """The style of the bundled deck."""
    return RoxStyle(
        name="rox-proxy",
        size_mm=SIZE,
        corner_mm=3.0,
        elements=(FIRE, WATER, EARTH, AIR, MAGIC),
        how=Print(Finish.INK, ink=INK, outline=8),
        ring=(4, 6),
        symbol_mm=11.4,
        edge_mm=(8.8, 9.2),
        ground=limestone,
        middle=standing_stone,
        scoring=moonlit,
        back=back,
        scatter=(0.12, 3.0),
        quality=80,
        seed=2015,
    )


if __name__ == "__main__":
    write_deck(style(), Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "decks" / "rox-proxy")
