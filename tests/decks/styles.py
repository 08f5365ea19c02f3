"""Rox decks that differ from one another as much as printed games do.

Three are for tuning (`tune-*`), the others for measuring (`measure-*`): nothing may be fitted to the latter.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.art import signs as s
from calibration.art import textures as t
from calibration.art.canvas import BLACK, WHITE, Layer, mix, rgb
from calibration.art.rox import RoxStyle
from calibration.art.stones import Stone
from calibration.art.symbols import Finish, Print
from tests.decks.parts import SYMBOLIC, five, ground, halo, lattice, panel, rosette, scoring, stone


def _slate() -> RoxStyle:
    under = ground(lambda sh, g: t.slate(sh, g, rgb("#1f242b"), rgb("#5d6873")))
    how = Print(Finish.GLOW)
    return RoxStyle(
        "tune-slate",
        (56, 87),
        4.0,
        five(
            SYMBOLIC,
            (s.SUN, s.FISH, s.MUSHROOM, s.FEATHER, s.GEM),
            ("#ff5a36", "#3fa9f5", "#6fdc6f", "#ffe27a", "#d88bff"),
        ),
        how,
        (4, 6),
        12.0,
        (8.2, 8.6),
        under,
        stone(
            Stone.CAIRN, (0.30, 0.22, 0.70, 0.78), Print(Finish.INK, ink=rgb("#15181c"), outline=6), halo(0.5, 0.5, 0.2)
        ),
        scoring(under, rgb("#ffe9b0"), Print(Finish.GLOW), s.GEM, rgb("#8fd0ff"), 16),
        rosette(under, rgb("#9fb4c8"), 9, 0.35),
        scatter=(0.25, 5),
        seed=11,
    )


def _meadow() -> RoxStyle:
    def wash(sh: tuple[int, int], g: np.random.Generator) -> Layer:
        sky = t.vertical(sh, [(0, rgb("#cfe6f2")), (0.5, rgb("#f3efd6")), (1, rgb("#b9d39a"))])
        return sky + (t.clouds(sh, g, sh[1] / 3, 5, 0.6)[..., None] - 0.5) * 42

    under = ground(wash, 3.2, WHITE, 2.5, rgb("#8b8f7a"))
    how = Print(Finish.INK, ink=rgb("#3b342c"), outline=7)
    return RoxStyle(
        "tune-meadow",
        (63, 88),
        3.0,
        five(
            SYMBOLIC,
            (s.EMBER, s.DROP, s.ACORN, s.CLOUD, s.MOON),
            ("#e2452f", "#2f8fc9", "#8a5a2b", "#f7f7f2", "#7b4fa3"),
        ),
        how,
        (4, 6),
        10.6,
        (9.4, 9.8),
        under,
        stone(Stone.MENHIR, (0.30, 0.20, 0.70, 0.80), Print(Finish.FLAT, details=False)),
        scoring(under, rgb("#4a6b2a"), Print(Finish.INK, ink=WHITE, outline=8), s.ACORN, rgb("#c08a3e"), 20),
        lattice(
            ground(lambda sh, g: t.paper(sh, g, rgb("#7fa35a"), rgb("#4d6e36"), 0.8), 3.2), rgb("#e9f0cf"), 8.0, s.LEAF
        ),
        scatter=(0.4, 8),
        seed=12,
    )


def _tiles() -> RoxStyle:
    under = ground(lambda sh, g: np.full((*sh, 3), rgb("#f4f1ea"), np.float32), 2.2, rgb("#22252b"), 3.0)
    how = Print(Finish.FLAT, details=False)
    return RoxStyle(
        "tune-square",
        (70, 70),
        5.0,
        five(
            ("ember", "tide", "moss", "gale", "rune"),
            (s.TRIANGLE, s.DISC, s.SQUARE, s.CROSS, s.HEX),
            ("#d7263d", "#1b6ca8", "#3a7d44", "#f2a900", "#5b2a86"),
        ),
        how,
        (5, 5),
        9.5,
        (9.5, 9.5),
        under,
        stone(Stone.OBELISK, (0.30, 0.24, 0.70, 0.78), Print(Finish.FLAT, details=False), ink=None, pale=WHITE),
        scoring(under, rgb("#22252b"), how, s.HEX, rgb("#f2a900"), 22),
        rosette(ground(lambda sh, g: np.full((*sh, 3), rgb("#22252b"), np.float32)), rgb("#f2a900"), 6, 0.6),
        seed=13,
    )


def _woodcut() -> RoxStyle:
    under = ground(lambda sh, g: t.vignette(t.paper(sh, g, rgb("#ead9b0"), rgb("#b08d57"), 0.75), 0.35))
    how = Print(Finish.LINE, outline=15)
    return RoxStyle(
        "measure-woodcut",
        (44, 68),
        2.0,
        five(
            SYMBOLIC,
            (s.FLAME, s.SHELL, s.LEAF, s.BIRD, s.SPARK),
            ("#9c1f12", "#123f7a", "#1f4d1a", "#8a5a00", "#3c1053"),
        ),
        how,
        (4, 6),
        9.0,
        (6.2, 6.4),
        under,
        stone(
            Stone.SLAB,
            (0.29, 0.21, 0.71, 0.80),
            Print(Finish.INK, ink=rgb("#20160c"), outline=6),
            panel(0.25, 0.185, 0.75, 0.825, 0.7, rgb("#5c4526")),
        ),
        scoring(under, rgb("#5c2b0f"), Print(Finish.FLAT), s.SHELL, rgb("#9a7846"), 15),
        lattice(ground(lambda sh, g: t.paper(sh, g, rgb("#8a2f22"), rgb("#4a120c"), 0.7)), rgb("#e8c98a"), 5.5, s.HEX),
        scatter=(0.2, 4),
        scoring_mm=(44, 44),
        seed=21,
    )


def _gravel() -> RoxStyle:
    tones = [rgb(c) for c in ("#8c8377", "#6d675f", "#a89a86", "#56544f", "#b9b0a2", "#7d6a58")]
    under = ground(lambda sh, g: t.vignette(t.pebbles(sh, g, tones, 260), 0.4))
    how = Print(Finish.TOKEN, ink=rgb("#1b1b1d"), outline=8)
    return RoxStyle(
        "measure-gravel",
        (70, 120),
        4.0,
        five(
            SYMBOLIC,
            (s.RUNE_FIRE, s.RUNE_WATER, s.RUNE_EARTH, s.RUNE_AIR, s.RUNE_MAGIC),
            ("#c0392b", "#2471a3", "#1e8449", "#d4a017", "#76448a"),
        ),
        how,
        (4, 6),
        13.0,
        (9.5, 10.5),
        under,
        stone(Stone.MENHIR, (0.27, 0.2, 0.73, 0.82), Print(Finish.INK, ink=BLACK, outline=5)),
        scoring(under, rgb("#fff4d6"), Print(Finish.INK, ink=rgb("#1b1b1d"), outline=10), s.DISC, rgb("#d4a017"), 18),
        rosette(ground(lambda sh, g: t.slate(sh, g, rgb("#20302c"), rgb("#57756b"))), rgb("#c9b46a"), 12, 0.5),
        outward=True,
        scatter=(0.5, 10),
        seed=22,
    )


def _pixel() -> RoxStyle:
    under = ground(lambda sh, g: np.full((*sh, 3), rgb("#fdfdfb"), np.float32))
    icons = tuple(s.bitmap(s.BITMAPS[n]) for n in SYMBOLIC)
    how = Print(Finish.FLAT)
    return RoxStyle(
        "measure-pixel",
        (63, 63),
        3.0,
        five(SYMBOLIC, icons, ("#e8590c", "#1971c2", "#2b8a3e", "#868e96", "#9c36b5")),
        how,
        (5, 5),
        8.6,
        (7.5, 7.5),
        under,
        stone(Stone.TOTEM, (0.31, 0.23, 0.69, 0.79), Print(Finish.FLAT), ink=rgb("#212529"), pale=WHITE),
        scoring(under, rgb("#212529"), how, icons[4], rgb("#9c36b5"), 19),
        lattice(ground(lambda sh, g: np.full((*sh, 3), rgb("#e7f5ff"), np.float32)), rgb("#1971c2"), 7.0, icons[0]),
        quality=None,
        seed=23,
    )


def _dusk() -> RoxStyle:
    def sky(sh: tuple[int, int], g: np.random.Generator) -> Layer:
        base = t.vertical(
            sh,
            [
                (0, rgb("#140d2e")),
                (0.45, rgb("#4b2a63")),
                (0.72, rgb("#b5566a")),
                (0.8, rgb("#f0a35e")),
                (0.82, rgb("#1c2233")),
                (1, rgb("#0c1019")),
            ],
        )
        base += (t.clouds(sh, g, sh[1] / 2, 5)[..., None] - 0.5) * 26
        return t.bokeh(sh, g, base, [rgb("#ffe6b3"), rgb("#ff9d8a"), rgb("#a8c7ff")], 26)

    under = ground(sky)
    how = Print(Finish.TILE, ink=rgb("#0c1019"), pale=rgb("#fff8e7"), outline=10)
    return RoxStyle(
        "measure-dusk",
        (59, 92),
        3.5,
        five(
            ("blaze", "brine", "loam", "breeze", "dream"),
            (s.FLAME, s.WAVE, s.PEAKS, s.GUST, s.HAND),
            ("#e03131", "#1c7ed6", "#5c940d", "#e8a300", "#862e9c"),
        ),
        how,
        (4, 6),
        10.5,
        (7.6, 7.8),
        under,
        stone(Stone.DOLMEN, (0.27, 0.20, 0.73, 0.80), Print(Finish.GLOW), halo(0.5, 0.55, 0.2)),
        scoring(under, rgb("#ffd166"), Print(Finish.INK, ink=rgb("#0c1019"), outline=9), s.MOON, rgb("#ffe6b3"), 17),
        rosette(under, rgb("#ffd9a0"), 7, 0.45),
        seed=24,
    )


def _planks() -> RoxStyle:
    under = ground(
        lambda sh, g: t.planks(sh, g, rgb("#c79a62"), rgb("#7a4f28"), 4), 2.5, rgb("#f6ead2"), 1.0, rgb("#7a4f28")
    )
    how = Print(Finish.INK, ink=rgb("#fff6e0"), outline=10)
    return RoxStyle(
        "measure-planks",
        (63.5, 88.9),
        3.2,
        five(
            SYMBOLIC,
            (s.CHEVRON, s.RING, s.ACORN, s.SWIRL, s.MOON),
            ("#b3261e", "#155e9e", "#2e5d1f", "#f3f0e6", "#4c2a85"),
        ),
        how,
        (4, 6),
        10.5,
        (9.2, 9.6),
        under,
        stone(
            Stone.OBELISK,
            (0.28, 0.19, 0.72, 0.81),
            Print(Finish.INK, ink=rgb("#2a1a0c"), outline=6),
            panel(0.25, 0.17, 0.75, 0.83, 0.6, rgb("#7a4f28"), arch=True),
        ),
        scoring(under, rgb("#3d2410"), Print(Finish.INK, ink=rgb("#fff6e0"), outline=9), s.CHEVRON, rgb("#b3261e"), 21),
        lattice(
            ground(lambda sh, g: t.planks(sh, g, rgb("#5a3a1e"), rgb("#2c1a0b"), 3), 2.5, rgb("#f6ead2")),
            rgb("#d9b77c"),
            9.0,
            s.RING,
        ),
        scatter=(0.3, 6),
        scoring_mm=(59, 59),
        seed=25,
    )


def _mini() -> RoxStyle:
    under = ground(
        lambda sh, g: np.full((*sh, 3), mix(rgb("#dfe7e2"), WHITE, 0.2), np.float32), 1.5, rgb("#3a5a40"), 1.5
    )
    how = Print(Finish.INK, outline=7)
    return RoxStyle(
        "small",
        (40, 60),
        2.0,
        five(
            SYMBOLIC,
            (s.FLAME, s.DROP, s.LEAF, s.CLOUD, s.SPARK),
            ("#e4572e", "#2463a8", "#3f8f4a", "#f2b52c", "#5b2a86"),
        ),
        how,
        (4, 6),
        7.4,
        (6.0, 6.2),
        under,
        stone(Stone.MENHIR, (0.30, 0.20, 0.70, 0.80), Print(Finish.FLAT, details=False)),
        scoring(under, rgb("#3a5a40"), Print(Finish.FLAT), s.LEAF, rgb("#3f8f4a"), 18),
        lattice(ground(lambda sh, g: np.full((*sh, 3), rgb("#3a5a40"), np.float32)), rgb("#dfe7e2"), 6.0, s.SPARK),
        quality=80,
        seed=31,
    )


STYLES: dict[str, Callable[[], RoxStyle]] = {
    "tune-slate": _slate,
    "tune-meadow": _meadow,
    "tune-square": _tiles,
    "measure-woodcut": _woodcut,
    "measure-gravel": _gravel,
    "measure-pixel": _pixel,
    "measure-dusk": _dusk,
    "measure-planks": _planks,
    "small": _mini,
}
"""Name of a deck and what makes its style."""
