"""Drawings of signs: what stands for an element in one deck or another.

Made in a box from -100 to 100, y down. All are original.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.art.paths import Points, box, circle, moved, path, regular, smooth, spiral
from calibration.art.symbols import Stroke, Symbol


def _p(text: str) -> tuple[Points, ...]:
    return tuple(path(text))


def _l(text: str, width: float) -> tuple[Stroke, ...]:
    return tuple((p, width) for p in path(text))


FLAME = Symbol(
    solid=_p(
        "M 6,-100 C 18,-58 66,-38 66,22 C 66,70 36,97 0,97 C -38,97 -66,70 -66,26 C -66,-2 -50,-20 -46,-52"
        " C -30,-38 -22,-26 -20,-8 C -6,-34 10,-62 6,-100 Z"
    ),
    light=_p(
        "M 6,-8 C 12,20 34,32 34,58 C 34,78 18,88 0,88 C -18,88 -34,78 -32,56 C -30,44 -22,38 -16,26"
        " C -8,30 -4,34 -2,40 C 4,26 8,10 6,-8 Z"
    ),
)
WAVE = Symbol(
    solid=_p(
        "M -98,70 C -92,-10 -58,-84 14,-84 C 70,-84 100,-48 94,-8 C 84,-32 60,-40 44,-28 C 22,-12 38,28 98,30 L 98,70"
        " C 70,84 -70,84 -98,70 Z"
    ),
    light_lines=(
        *_l("M -60,62 C -54,4 -30,-50 16,-58", 11),
        *_l("M -18,62 C -20,22 -12,-10 10,-28", 11),
    ),
)
PEAKS = Symbol(
    solid=_p(
        "M -98,78 C -84,50 -62,-8 -46,-26 C -40,-33 -34,-31 -28,-24 L -14,-6 C 0,-36 14,-66 24,-80"
        " C 30,-88 36,-88 42,-78 C 60,-46 84,30 98,78 Z"
    ),
    light=_p("M 33,-100 L 70,-22 L 52,-34 L 38,-14 L 22,-34 L 2,-18 Z"),
    dark_lines=(*_l("M -42,10 L -56,44", 8), *_l("M 40,20 L 54,54", 8), *_l("M 6,32 L -6,58", 8)),
)
GUST = Symbol(
    bold=(
        *_l("M -92,-18 L 22,-18 C 74,-18 76,-84 32,-84 C 6,-84 0,-58 16,-50", 25),
        *_l("M -72,24 L 62,24 C 104,24 104,84 66,84 C 44,84 40,64 54,56", 25),
        *_l("M -92,64 L 6,64", 25),
    )
)
SPARK = Symbol(
    solid=(regular(4, 106, inner=40), regular(4, 82, turn=np.pi / 4, inner=40)),
    light=(regular(4, 56, inner=17),),
)
DROP = Symbol(
    solid=_p("M 0,-100 C 16,-56 66,-8 66,36 C 66,74 36,98 0,98 C -36,98 -66,74 -66,36 C -66,-8 -16,-56 0,-100 Z"),
    light_lines=_l("M -38,34 C -38,56 -26,70 -8,74", 13),
)
LEAF = Symbol(
    solid=_p("M -70,92 C -100,0 -60,-76 84,-94 C 90,40 30,96 -48,64 L -58,98 Z"),
    dark_lines=(
        *_l("M -60,90 C -40,30 0,-20 46,-56", 9),
        *_l("M -30,30 L -34,-14", 7),
        *_l("M -8,4 L 36,0", 7),
        *_l("M -34,42 L 12,46", 7),
    ),
)
CLOUD = Symbol(
    solid=(circle(-46, 22, 46), circle(44, 24, 44), circle(2, -22, 56), box(-48, 10, 48, 68)),
    light_lines=_l("M -34,-26 C -24,-52 4,-60 22,-50", 11),
    dark_lines=_l("M -52,48 L 44,48", 8),
)
MOON = Symbol(
    solid=_p(
        "M 30,-96 C -50,-98 -96,-50 -92,8 C -88,66 -40,100 22,94 C 56,90 80,72 92,46"
        " C 40,62 -6,44 -16,2 C -26,-40 -4,-78 30,-96 Z"
    ),
    light=(moved(regular(4, 40, inner=11), 48, -34),),
)
SUN = Symbol(
    solid=(
        circle(0, 0, 52),
        *(moved(np.array([[-16.0, -62], [0, -102], [16, -62]]), turn=i * np.pi / 4) for i in range(8)),
    ),
    light=(circle(0, 0, 26),),
)
FISH = Symbol(
    solid=_p(
        "M -98,-46 C -84,-24 -76,-14 -62,-2 C -30,-58 44,-64 98,0 C 44,64 -30,58 -62,2"
        " C -76,16 -84,26 -98,48 C -88,16 -88,-16 -98,-46 Z"
    ),
    light=(circle(56, -12, 9),),
    dark_lines=(*_l("M 28,-38 C 14,-12 14,12 28,38", 9), *_l("M -8,-22 C -18,-8 -18,8 -8,22", 8)),
)
ACORN = Symbol(
    solid=_p(
        "M -70,-18 C -74,-58 -30,-70 -8,-72 L -12,-98 L 14,-100 L 10,-72 C 32,-70 76,-58 70,-18"
        " L 58,-12 C 56,40 22,78 0,98 C -22,78 -56,40 -58,-12 Z"
    ),
    dark=_p("M -70,-18 C -74,-58 -30,-70 0,-72 C 30,-70 74,-58 70,-18 C 30,-2 -30,-2 -70,-18 Z"),
    light_lines=_l("M -30,10 C -28,36 -16,54 -6,66", 10),
)
FEATHER = Symbol(
    solid=_p("M 62,-98 C 96,-40 60,50 -34,66 L -66,98 L -78,88 L -46,54 C -50,-20 -10,-80 62,-98 Z"),
    dark_lines=(
        *_l("M -60,84 C -20,40 20,-10 50,-64", 8),
        *_l("M 0,18 L 46,20", 7),
        *_l("M 22,-14 L 64,-24", 7),
        *_l("M -10,22 L -16,-24", 7),
    ),
)
GEM = Symbol(
    solid=(np.array([[-50.0, -84], [50, -84], [96, -24], [0, 96], [-96, -24]]),),
    light=(np.array([[-42.0, -72], [0, -72], [-30, -26], [-78, -26]]),),
    dark_lines=(*_l("M -90,-24 L 90,-24", 7), *_l("M -34,-24 L 0,84", 6), *_l("M 34,-24 L 0,84", 6)),
)
DISC = Symbol(solid=(circle(0, 0, 84),), dark=(circle(0, 0, 34),))
SQUARE = Symbol(solid=(box(-76, -76, 76, 76, 10),), dark=(box(-30, -30, 30, 30),))
TRIANGLE = Symbol(solid=(moved(regular(3, 108), 0, 24),), dark=(moved(regular(3, 44), 0, 22),))
CROSS = Symbol(solid=(box(-92, -30, 92, 30, 6), box(-30, -92, 30, 92, 6)), dark=(circle(0, 0, 18),))
RING = Symbol(solid=(circle(0, 0, 92),), holes=(circle(0, 0, 46),))
HEX = Symbol(solid=(regular(6, 98),), holes=(regular(6, 44),))
CHEVRON = Symbol(
    solid=(np.array([[-90.0, -20], [0, -96], [90, -20], [90, 48], [0, -26], [-90, 48]]), box(-60, 66, 60, 96))
)
RUNE_FIRE = Symbol(bold=(*_l("M -40,90 L -40,-90", 22), *_l("M -40,-86 L 54,-20 L -40,34", 22)))
RUNE_WATER = Symbol(bold=(*_l("M 0,92 L 0,-90 L 58,-30", 22), *_l("M 0,-30 L 58,30", 22)))
RUNE_EARTH = Symbol(bold=(*_l("M 0,-92 L 62,0 L 0,92 L -62,0 L 0,-92", 22), *_l("M -62,0 L 62,0", 18)))
RUNE_AIR = Symbol(
    bold=(*_l("M 0,90 L 0,-90", 22), *_l("M -64,-62 L 0,-14 L 64,-62", 22), *_l("M -64,-8 L 0,40 L 64,-8", 20))
)
RUNE_MAGIC = Symbol(bold=(*_l("M -66,-88 L 66,88", 22), *_l("M 66,-88 L -66,88", 22), *_l("M 0,-94 L 0,-50", 18)))
SHELL = Symbol(
    solid=_p(
        "M 0,92 C -20,92 -28,84 -30,74 C -90,30 -110,-40 -62,-66 C -52,-92 -22,-98 0,-88"
        " C 22,-98 52,-92 62,-66 C 110,-40 90,30 30,74 C 28,84 20,92 0,92 Z"
    ),
    dark_lines=(*_l("M 0,66 L 0,-70", 8), *_l("M -14,64 L -46,-52", 8), *_l("M 14,64 L 46,-52", 8)),
)
MUSHROOM = Symbol(
    solid=_p(
        "M -94,6 C -92,-60 -44,-92 0,-92 C 44,-92 92,-60 94,6 C 70,18 50,20 28,18 C 28,50 36,70 40,92"
        " L -40,92 C -36,70 -28,50 -28,18 C -50,20 -70,18 -94,6 Z"
    ),
    light=(circle(-44, -28, 16), circle(10, -54, 18), circle(52, -20, 13)),
    dark_lines=_l("M -24,20 L 24,20", 7),
)
BIRD = Symbol(
    solid=_p(
        "M -98,-30 C -60,-74 -20,-54 0,-6 C 20,-54 60,-74 98,-30 C 70,-34 48,-20 34,6"
        " C 26,34 14,52 0,84 C -14,52 -26,34 -34,6 C -48,-20 -70,-34 -98,-30 Z"
    ),
    dark_lines=_l("M 0,10 L 0,50", 8),
)
HAND = Symbol(
    solid=_p(
        "M 0,-30 C 30,-40 60,-44 76,-34 C 96,-20 92,20 70,40 C 50,58 30,66 0,66 C -30,66 -50,58 -70,40"
        " C -92,20 -96,-20 -76,-34 C -60,-44 -30,-40 0,-30 Z"
    ),
    light=(circle(0, 10, 32),),
    dark=(circle(0, 10, 15),),
)
EMBER = Symbol(
    solid=(
        moved(
            smooth(
                [
                    (0, -96),
                    (34, -60),
                    (20, -26),
                    (62, -34),
                    (74, 20),
                    (46, 78),
                    (0, 92),
                    (-46, 78),
                    (-74, 20),
                    (-52, -36),
                    (-20, -22),
                    (-34, -62),
                ]
            )
        ),
    ),
    light=(moved(smooth([(0, -14), (24, 20), (18, 62), (-18, 62), (-24, 20)])),),
)
SWIRL = Symbol(bold=((spiral(2.15, 6, 84, start=0.4), 24),))
BITMAPS = {
    "fire": ("...#....", "...##...", "..###.#.", ".######.", ".##..###", "##....##", "###..###", ".######."),
    "water": ("........", ".##...##", "####.###", "#..###..", "........", ".##...##", "####.###", "#..###.."),
    "earth": ("...##...", "..####..", "..####..", ".######.", ".######.", "########", "...##...", "...##..."),
    "air": ("########", "#......#", "#.####.#", "#.#..#.#", "#.#.##.#", "#.#....#", "#.######", "#......."),
    "magic": ("#......#", ".#.##.#.", "..#..#..", ".#.##.#.", ".#.##.#.", "..#..#..", ".#.##.#.", "#......#"),
}


def bitmap(rows: Sequence[str]) -> Symbol:
    """A symbol made of squares, one a `#`."""
    n = len(rows)
    k = 184 / n
    squares = []
    for r, row in enumerate(rows):
        for c, mark in enumerate(row):
            if mark == "#":
                x, y = (c - n / 2) * k, (r - n / 2) * k
                squares.append(box(x - 0.5, y - 0.5, x + k + 0.5, y + k + 0.5))
    return Symbol(solid=tuple(squares))
