"""What a symbol is made of, and the ways in which it can be printed.

Drawings (`calibration.art.signs`) are made in a box from -100 to 100, y down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import cv2
import numpy as np

from calibration.art.canvas import BLACK, Colour, Layer, darker, lighter, mask_of, mask_of_line, mix
from calibration.art.paths import Points, box, circle, moved

Stroke = tuple[Points, float]
"""A line and its width."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """What a symbol looks like.

    Parameters
    ----------
    solid
        Closed outlines filled with the symbol's colour (each added to the others).
    holes
        Closed outlines cut out of them.
    bold
        Thick lines that belong to the silhouette.
    light, dark
        Closed outlines of lighter and darker parts on the silhouette.
    light_lines, dark_lines
        The same as lines.
    """

    solid: tuple[Points, ...] = ()
    holes: tuple[Points, ...] = ()
    bold: tuple[Stroke, ...] = ()
    light: tuple[Points, ...] = ()
    dark: tuple[Points, ...] = ()
    light_lines: tuple[Stroke, ...] = ()
    dark_lines: tuple[Stroke, ...] = ()


class Finish(StrEnum):
    """How a symbol is printed."""

    INK = "ink"  # shaded colour with a dark outline and details
    FLAT = "flat"  # one colour, no outline
    LINE = "line"  # outline and details only
    TOKEN = "token"  # pale on a coloured disc
    TILE = "tile"  # pale on a coloured square
    GLOW = "glow"  # bright with a halo


@dataclass(frozen=True, slots=True)
class Print:
    """Colours and line weights of a printed symbol; widths in the units of the drawings."""

    finish: Finish = Finish.INK
    ink: Colour = (38.0, 32.0, 40.0)
    pale: Colour = (250.0, 246.0, 232.0)
    outline: float = 9.0
    details: bool = field(default=True)


def silhouette(symbol: Symbol, shape: tuple[int, int], unit: float) -> Layer:
    """Weights of the symbol's silhouette in a picture whose middle is the drawing's origin; `unit` px a unit."""
    place = _placer(shape, unit)
    m = np.zeros(shape, np.float32)
    for c in symbol.solid:
        m = np.maximum(m, mask_of(shape, [place(c)]))
    for c in symbol.holes:
        m = m * (1 - mask_of(shape, [place(c)]))
    for line, width in symbol.bold:
        m = np.maximum(m, mask_of_line(shape, [place(line)], width * unit))
    return m


def sprite(symbol: Symbol, colour: Colour, how: Print, size_px: int = 300) -> Layer:
    """Draw the symbol as a premultiplied RGBA square; the drawing's box of 200 units fills 80 % of it.

    Returns
    -------
    (size_px, size_px, 4) float32, alpha 0 to 1, colours 0 to 255 times alpha.
    """
    n = size_px * 2
    shape = (n, n)
    unit = n / 250
    out = np.zeros((n, n, 4), np.float32)
    if how.finish in (Finish.TOKEN, Finish.TILE):
        unit *= 0.66
        ground = circle(0, 0, 100 / 0.66) if how.finish is Finish.TOKEN else box(-140, -140, 140, 140, 34)
        _lay(out, mask_of(shape, [_placer(shape, unit)(ground)]), how.ink)
        shrink = moved(ground, scale=1 - how.outline / 140)
        _lay(out, mask_of(shape, [_placer(shape, unit)(shrink)]), _shade(n, colour, 0.10))
        _body(out, symbol, unit, how, how.pale, mix(how.pale, colour, 0.55), how.pale)
        return _half(out)
    mask = silhouette(symbol, shape, unit)
    if how.finish is Finish.GLOW:
        halo = cv2.GaussianBlur(mask, (0, 0), 14 * unit)
        _lay(out, np.clip(halo * 0.85, 0, 0.75), lighter(colour, 0.15))
        _lay(out, mask, colour)
        core = cv2.GaussianBlur(mask, (0, 0), 7 * unit)
        _lay(out, mask * np.clip(core * 2.2 - 1.35, 0, 1) * 0.7, lighter(colour, 0.7))
    elif how.finish is Finish.LINE:
        edge = _grown(mask, how.outline * unit * 0.5) - _grown(mask, -how.outline * unit * 0.5)
        _lay(out, mask * 0.22, colour)
        _lay(out, np.clip(edge, 0, 1), colour)
        if how.details:
            _details(out, symbol, unit, mask, None, colour)
    elif how.finish is Finish.FLAT:
        _lay(out, mask, colour)
        if how.details:
            _details(out, symbol, unit, mask, how.pale, darker(colour, 0.45))
    else:
        _lay(out, _grown(mask, how.outline * unit), how.ink)
        _body(out, symbol, unit, how, _shade(n, colour, 0.22), darker(colour, 0.42), lighter(colour, 0.52))
    return _half(out)


def _body(
    out: Layer, symbol: Symbol, unit: float, how: Print, main: Colour | Layer, dark: Colour, light: Colour
) -> None:
    mask = silhouette(symbol, out.shape[:2], unit)
    _lay(out, mask, main)
    if how.finish is Finish.INK:
        shadow = mask - np.roll(mask, (round(-9 * unit), round(-7 * unit)), axis=(0, 1))
        _lay(out, cv2.GaussianBlur(np.clip(shadow, 0, 1), (0, 0), 3 * unit) * mask * 0.35, BLACK)
    if how.details:
        _details(out, symbol, unit, mask, light if how.finish is Finish.INK else None, dark)


def _details(out: Layer, symbol: Symbol, unit: float, mask: Layer, light: Colour | None, dark: Colour) -> None:
    shape = (out.shape[0], out.shape[1])
    place = _placer(shape, unit)
    if light is not None:
        for c in symbol.light:
            _lay(out, mask_of(shape, [place(c)]) * mask, light)
        for line, width in symbol.light_lines:
            _lay(out, mask_of_line(shape, [place(line)], width * unit) * mask, light)
    for c in symbol.dark:
        _lay(out, mask_of(shape, [place(c)]) * mask, dark)
    for line, width in symbol.dark_lines:
        _lay(out, mask_of_line(shape, [place(line)], width * unit) * mask, dark)


def _placer(shape: tuple[int, int], unit: float) -> Callable[[Points], Points]:
    middle = np.array([(shape[1] - 1) / 2, (shape[0] - 1) / 2])

    def place(points: Points) -> Points:
        return np.asarray(points * unit + middle)

    return place


def _shade(n: int, colour: Colour, amount: float) -> Layer:
    """The colour, lighter at the top left and darker at the bottom right."""
    y, x = np.mgrid[-1 : 1 : n * 1j, -1 : 1 : n * 1j].astype(np.float32)
    t = np.clip(-(x + 1.6 * y) / 1.6, -1, 1)[..., None] * amount
    c = np.asarray(colour, np.float32)
    return np.asarray(np.where(t > 0, c + (255 - c) * t, c * (1 + t)), np.float32)


def _lay(out: Layer, weight: Layer, colour: Colour | Layer) -> None:
    w = weight[..., None]
    out[..., :3] = out[..., :3] * (1 - w) + np.asarray(colour, np.float32) * w
    out[..., 3:] = out[..., 3:] * (1 - w) + w


def _grown(mask: Layer, by: float) -> Layer:
    """The mask grown (or shrunk, by < 0) by a distance, edges kept smooth."""
    inside = (mask >= 0.5).astype(np.uint8)
    d = cv2.distanceTransform(1 - inside, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    d = d - cv2.distanceTransform(inside, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    return np.asarray(np.clip(by - d + 0.5, 0, 1), np.float32)


def _half(out: Layer) -> Layer:
    n = out.shape[0] // 2
    return np.asarray(cv2.resize(out, (n, n), interpolation=cv2.INTER_AREA), np.float32)
