"""Parts that the decks for tuning and measuring are put together from."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from calibration.art.canvas import WHITE, Canvas, Colour, Layer, darker, lighter, rgb
from calibration.art.numerals import numeral
from calibration.art.paths import box, circle, moved
from calibration.art.rox import Element
from calibration.art.stones import Stone, draw_stone
from calibration.art.symbols import Finish, Print, Symbol, sprite

Ground = Callable[[Canvas, Element | None, np.random.Generator], None]
Middle = Callable[[Canvas, Element, np.random.Generator], None]
Scoring = Callable[[Canvas, int, np.random.Generator], None]
Back = Callable[[Canvas, np.random.Generator], None]
Texture = Callable[[tuple[int, int], np.random.Generator], Layer]

SYMBOLIC = ("fire", "water", "earth", "air", "magic")


@cache
def _sign(symbol: Symbol, colour: Colour, how: Print) -> Layer:
    """The sign of a stone, which a dozen cards of a deck share."""
    return sprite(symbol, colour, how, 400)


def five(
    names: tuple[str, ...], drawings: tuple[Symbol, ...], colours: tuple[str, ...]
) -> tuple[Element, Element, Element, Element, Element]:
    a, b, c, d, e = (Element(n, g, rgb(h)) for n, g, h in zip(names, drawings, colours, strict=True))
    return a, b, c, d, e


def ground(
    texture: Texture, border_mm: float = 0.0, border: Colour = WHITE, radius_mm: float = 2.0, line: Colour | None = None
) -> Ground:
    """A texture over the card, framed by a border where its width is not zero."""

    def draw(canvas: Canvas, element: Element | None, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        canvas.ground(texture((round(h * canvas.px_per_mm), round(w * canvas.px_per_mm)), rng))
        if border_mm:
            inner = box(border_mm, border_mm, w - border_mm, h - border_mm, radius_mm)
            canvas.fill([box(-1, -1, w + 1, h + 1), inner], border)
            if line is not None:
                canvas.line([inner], 0.35, line, closed=True)

    return draw


def stone(
    kind: Stone,
    frame: tuple[float, float, float, float],
    how: Print,
    before: Ground | None = None,
    ink: Colour | None = (30.0, 26.0, 32.0),
    pale: Colour | None = None,
    share: float = 1.25,
) -> Middle:
    """A stone in the frame (shares of the card: x0, y0, x1, y1) with the symbol on it."""

    def draw(canvas: Canvas, element: Element, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        if before is not None:
            before(canvas, element, rng)
        x0, y0, x1, y1 = frame
        x, y, size = draw_stone(canvas, kind, (x0 * w, y0 * h, x1 * w, y1 * h), element.colour, rng, ink)
        bright = sum(element.colour) > 640  # a pale sign would vanish on a pale stone
        colour = pale or (darker(element.colour, 0.6) if bright else lighter(element.colour, 0.85))
        canvas.stamp(_sign(element.symbol, colour, how), x, y, size * share)

    return draw


def scoring(under: Ground, colour: Colour, how: Print, mark: Symbol, mark_colour: Colour, weight: float) -> Scoring:
    """A large number in the middle, small ones in two corners, and as many marks round it as it is worth."""

    def draw(canvas: Canvas, value: int, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        under(canvas, None, rng)
        small = sprite(mark, mark_colour, how, 200)
        for k in range(value):
            a = 2 * np.pi * k / value - np.pi / 2
            canvas.stamp(small, w / 2 + 0.36 * w * np.sin(a), h / 2 + 0.36 * h * -np.cos(a), 0.15 * w)
        big = sprite(numeral(value, weight), colour, how, 500)
        canvas.stamp(big, w / 2, h / 2, 0.66 * w)
        corner = sprite(numeral(value, weight * 1.2), colour, how, 200)
        canvas.stamp(corner, 0.13 * w, 0.09 * h, 0.17 * w)
        canvas.stamp(corner, 0.87 * w, 0.91 * h, 0.17 * w, np.pi)

    return draw


def rosette(under: Ground, colour: Colour, petals: int, thin: float) -> Back:
    """A back: turned ellipses round the middle, the same after half a turn."""

    def draw(canvas: Canvas, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        under(canvas, None, rng)
        for k in range(petals):
            e = circle(0, 0, 1.0, 90) * np.array([0.40 * w, 0.14 * w])
            canvas.line([moved(e, w / 2, h / 2, turn=np.pi * k / petals)], thin, colour, closed=True)
        canvas.line([circle(w / 2, h / 2, 0.44 * w, 120)], thin * 2, colour, closed=True)

    return draw


def lattice(under: Ground, colour: Colour, pitch_mm: float, mark: Symbol) -> Back:
    """A back: rows of small marks."""

    def draw(canvas: Canvas, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        under(canvas, None, rng)
        small = sprite(mark, colour, Print(Finish.FLAT, details=False), 120)
        for r, y in enumerate(np.arange(pitch_mm, h - pitch_mm / 2, pitch_mm)):
            for x in np.arange(pitch_mm * (1 + 0.5 * (r % 2)), w - pitch_mm / 2, pitch_mm):
                canvas.stamp(small, float(x), float(y), pitch_mm * 0.7)

    return draw


def panel(x0: float, y0: float, x1: float, y1: float, tint: float, line: Colour, arch: bool = False) -> Ground:
    """A field behind the stone in a pale shade of the element's colour."""

    def draw(canvas: Canvas, element: Element | None, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        shape = box(x0 * w, y0 * h, x1 * w, y1 * h, 0.5 * (x1 - x0) * w if arch else 1.5)
        base = element.colour if element is not None else (128.0, 128.0, 128.0)
        canvas.fill([shape], lighter(base, tint) if tint >= 0 else darker(base, -tint))
        canvas.line([shape], 0.5, line, closed=True)

    return draw


def halo(x: float, y: float, r: float) -> Ground:
    """Light in the element's colour behind the stone."""

    def draw(canvas: Canvas, element: Element | None, rng: np.random.Generator) -> None:
        w, h = canvas.size_mm
        assert element is not None
        canvas.fill([circle(x * w, y * h, r * w)], lighter(element.colour, 0.25), 0.55, blur_mm=0.10 * w)

    return draw
