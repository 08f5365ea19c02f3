"""What a printing of a Rox deck is made of, and grounds to print on, for `plain_rox`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.art.canvas import rgb
from calibration.art.symbols import Symbol
from tests.render.textures import noise

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """One printing.

    Parameters
    ----------
    size_mm, ring, symbol_mm, inset_mm
        The card, columns and rows of its ring, size of a symbol, and how far symbols' middles are from the rim.
    symbols, colours
        Of the five kinds.
    look
        How a ring symbol is printed: "flat", "line", "badge" (pale on a disc), "pebble" (coloured stones), "glow",
        "ink" (outlined, with details), "block" (pale on a square), "tile" (on a pale square), "cameo" (on a pale disc),
        "shield" (pale on a coat of arms), "sticker" (cut out with a pale rim), "riso" (line and colour misfit).
    ground
        Draws (rows, columns, 3) 0..255 for an element's number, None on scoring cards.
    stone
        How the middle is printed: "tinted" (stone in the colour, pale sign), "grey" (grey stone, coloured sign),
        "sign" (the large symbol alone), "window" (a frame full of colour, dark sign), "banner" (all that the ring
        leaves is coloured), "porthole" (a rimmed disc of colour, pale sign), "block" (a large tile), "vase" (in the
        colour, pale sign), "globe" (the sign on a pale disc), "plate" (on a plate), "arch" (a gate of colour), or one
        of `plain_rox_emblems`.
    typeface, ink, frame
        File of the numbers' typeface (drawn lines where it is missing), their colour, and a frame's width in mm.
    numbers
        "middle" or "corners" (two corners only) or "both".
    outline, paper, accents
        Colours of outlines, of pale parts, and of the five kinds' dark parts (a darker shade of the kind's by default).
    plaque
        Colour of a disc under the middle number, none by default.
    misfit_mm
        How far the colour of a "riso" print is from its line.
    """

    size_mm: tuple[float, float]
    ring: tuple[int, int]
    symbol_mm: float
    inset_mm: float
    symbols: tuple[Symbol, ...]
    colours: tuple[str, ...]
    look: str
    ground: Callable[[tuple[int, int], int | None, np.random.Generator], Floats]
    stone: str
    typeface: str
    ink: str
    frame: float = 0.0
    numbers: str = "both"
    wear: float = 0.0
    scatter: tuple[float, float] = (0.2, 3.0)
    seed: int = 1
    outline: str = "#26222a"
    paper: str = "#fbf8ee"
    accents: tuple[str, ...] = ()
    plaque: str = ""
    misfit_mm: tuple[float, float] = (0.35, -0.3)


def even(colour: str) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    return lambda shape, _, __: np.full((*shape, 3), rgb(colour), np.float32)


def checks(a: str, b: str, cell: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    def draw(shape: tuple[int, int], _: int | None, __: np.random.Generator) -> Floats:
        y, x = np.mgrid[: shape[0], : shape[1]]
        odd = ((x // cell + y // cell) % 2)[..., None]
        return np.asarray(np.where(odd, rgb(a), rgb(b)), np.float32)

    return draw


def clouded(a: str, b: str, cell: float, same: bool) -> Callable[[tuple[int, int], int | None, Any], Floats]:
    """Noise between two colours; the same on all cards, or another on each."""

    def draw(shape: tuple[int, int], _: int | None, rng: np.random.Generator) -> Floats:
        n = noise(np.random.default_rng(4) if same else rng, *shape, cell, 4)
        n = (n - n.min()) / (np.ptp(n) + 1e-6)
        n = n[..., 0] if n.ndim == 3 else n
        return np.asarray(np.array(rgb(a)) * n[..., None] + np.array(rgb(b)) * (1 - n[..., None]), np.float32)

    return draw


def own_ground(
    colours: tuple[str, ...], share: float, bare: str
) -> Callable[[tuple[int, int], int | None, Any], Floats]:
    """Paper in a hint of the stone's colour."""

    def draw(shape: tuple[int, int], kind: int | None, _: np.random.Generator) -> Floats:
        c = np.array(rgb(bare))
        if kind is not None:
            c = c * (1 - share) + np.array(rgb(colours[kind])) * share
        return np.full((*shape, 3), c, np.float32)

    return draw


def stripes(a: str, b: str, width: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Upright stripes, evenly on both sides of the middle."""

    def draw(shape: tuple[int, int], _: int | None, __: np.random.Generator) -> Floats:
        x = np.broadcast_to(np.arange(shape[1]) - shape[1] // 2 + width // 2, shape)
        return np.asarray(np.where((x // width % 2)[..., None], rgb(a), rgb(b)), np.float32)

    return draw


def waves(a: str, b: str, high: int, long: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Rows of waves, from the one colour above to the other below."""

    def draw(shape: tuple[int, int], _: int | None, __: np.random.Generator) -> Floats:
        y, x = np.mgrid[: shape[0], : shape[1]]
        row = np.floor((y + 0.3 * high * np.sin(2 * np.pi * x / long)) / high)
        t = np.clip(row * high / shape[0] + 0.06 * (row % 2), 0, 1)[..., None]
        return np.asarray(np.array(rgb(a)) * (1 - t) + np.array(rgb(b)) * t, np.float32)

    return draw


def dotted(a: str, b: str, cell: int, r: float) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Dots of the second colour in staggered rows; or, where `cell` is 0, strewn over the card."""

    def draw(shape: tuple[int, int], _: int | None, rng: np.random.Generator) -> Floats:
        face = np.full((*shape, 3), rgb(a), np.float32)
        y, x = np.mgrid[: shape[0], : shape[1]]
        if cell:
            u, v = (x + cell // 2 * (y // cell % 2)) % cell - cell / 2, y % cell - cell / 2
            face[u * u + v * v < r * r] = rgb(b)
            return face
        for px, py, s in rng.uniform([0, 0, 0.3], [shape[1], shape[0], 1], (shape[0] * shape[1] // 2500, 3)):
            face[(x - px) ** 2 + (y - py) ** 2 < (r * s) ** 2] = rgb(b)
        return face

    return draw


def planks(a: str, b: str, width: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Boards with an upright grain."""

    def draw(shape: tuple[int, int], _: int | None, __: np.random.Generator) -> Floats:
        n = noise(np.random.default_rng(9), shape[1], shape[0], 14.0, 3, aspect=18.0).T
        t = np.clip(0.5 + 0.22 * n, 0, 1)[..., None]
        face = np.asarray(np.array(rgb(a)) * t + np.array(rgb(b)) * (1 - t), np.float32)
        face[:, width // 2 :: width] *= 0.7
        face[:, width // 2 + 1 :: width] *= 0.8
        return face

    return draw


def starry(a: str, b: str, stars: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """A sky from the one colour above to the other below, with `stars` stars strewn anew on each card."""

    def draw(shape: tuple[int, int], _: int | None, rng: np.random.Generator) -> Floats:
        y, x = np.mgrid[: shape[0], : shape[1]]
        mist = noise(np.random.default_rng(5), *shape, 120, 3)
        mist = mist[..., 0] if mist.ndim == 3 else mist
        t = np.clip((x / shape[1] + 2 * y / shape[0]) / 3 + 0.12 * mist, 0, 1)[..., None]
        face = np.asarray(np.array(rgb(a)) * (1 - t) + np.array(rgb(b)) * t, np.float32)
        for px, py, s in rng.uniform([0, 0, 0], [shape[1], shape[0], 1], (stars, 3)):
            r = 0.8 + 2.4 * s**4
            face[(x - px) ** 2 + (y - py) ** 2 < r * r] = 160 + 90 * s
        return face

    return draw


def fibres(a: str, b: str, count: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Handmade paper: `count` fibres of the second colour."""

    def draw(shape: tuple[int, int], _: int | None, rng: np.random.Generator) -> Floats:
        face = np.full((*shape, 3), rgb(a), np.float32)
        for px, py, turn, s in rng.uniform([0, 0, 0, 0.3], [shape[1], shape[0], 2 * np.pi, 1], (count, 4)):
            t = np.linspace(0, 1, 40)
            bend = turn + 1.4 * t * (s - 0.6)
            xs, ys = px + 60 * s * t * np.cos(bend), py + 60 * s * t * np.sin(bend)
            keep = (xs >= 0) & (ys >= 0) & (xs < shape[1]) & (ys < shape[0])
            face[ys[keep].astype(int), xs[keep].astype(int)] = rgb(b)
        return face

    return draw


def lozenges(a: str, b: str, cell: int) -> Callable[[tuple[int, int], int | None, np.random.Generator], Floats]:
    """Diamonds in two shades, twice as high as wide, with a dot where they meet."""

    def draw(shape: tuple[int, int], _: int | None, __: np.random.Generator) -> Floats:
        y, x = np.mgrid[: shape[0], : shape[1]]
        p, q = (x - shape[1] // 2) / cell + y / (2 * cell), (x - shape[1] // 2) / cell - y / (2 * cell)
        face = np.where(((np.floor(p) + np.floor(q)) % 2)[..., None] > 0, rgb(a), rgb(b)).astype(np.float32)
        near = np.hypot(p - np.round(p), q - np.round(q)) < 0.1
        face[near] = 0.55 * face[near] + 0.45 * np.array([230.0, 200.0, 130.0])
        return face

    return draw
