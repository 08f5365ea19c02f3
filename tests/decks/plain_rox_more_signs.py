"""More signs of the decks in `plain_rox_games`: of the sky, of the garden and of a castle."""

from __future__ import annotations

import numpy as np

from calibration.art.paths import box, circle, moved
from calibration.art.symbols import Symbol
from tests.decks.plain_rox_signs import _both, _l, _oval, _p, _poly

_FLAME = _p("M -22,52 C -20,78 -8,88 0,108 C 8,88 20,78 22,52 Z")
_FINS = _both(_poly((34, 2), (82, 62), (76, 92), (26, 54)))
ROCKET = Symbol(
    solid=(
        *_p("M 0,-106 C 36,-78 46,-30 42,24 L 30,58 L -30,58 L -42,24 C -46,-30 -36,-78 0,-106 Z"),
        *_FINS,
        *_FLAME,
    ),
    light=(circle(0, -24, 18),),
    dark=(*_FLAME, *_FINS),
)
_ORBIT = moved(_oval(0, 0, 106, 30), turn=-0.38)
PLANET = Symbol(
    solid=(circle(0, 0, 60),),
    bold=((np.vstack([_ORBIT, _ORBIT[:1]]), 15),),
    light=(moved(_oval(0, -36, 40, 9), turn=-0.38),),
    dark_lines=((moved(_oval(0, 6, 62, 24)[4:26], turn=-0.38), 8.0),),
)
COMET = Symbol(
    solid=(
        circle(40, 42, 54),
        _poly((-14, 58), (-104, -30), (-38, -10), (-100, -104), (8, -28), (-8, -88), (76, 10)),
    ),
    light=(circle(48, 50, 30),),
)
SAUCER = Symbol(
    solid=(_oval(0, 22, 104, 34), _oval(0, -16, 54, 50), *_both(_poly((44, 44), (64, 42), (82, 88), (66, 94)))),
    light=_p("M -42,-14 C -36,-52 36,-52 42,-14 C 20,-6 -20,-6 -42,-14 Z"),
    dark=tuple(circle(x, y, 10) for x, y in ((-70, 22), (-25, 34), (25, 34), (70, 22))),
)
SATELLITE = Symbol(
    solid=tuple(
        moved(q, turn=-0.6)
        for q in (box(-26, -36, 26, 36, 8), *_both(box(42, -26, 106, 26)), *_p("M -40,86 C -30,44 30,44 40,86 Z"))
    ),
    bold=tuple((moved(q, turn=-0.6), w) for q, w in (*_l("M -60,0 L 60,0", 12), *_l("M 0,20 L 0,60", 12))),
    dark_lines=tuple(
        (moved(q, turn=-0.6), w)
        for q, w in (*_l("M 74,-26 L 74,26", 7), *_l("M -74,-26 L -74,26", 7), *_l("M -20,-8 L 20,-8", 7))
    ),
)
_FEELERS = (*_l("M 12,-80 C 18,-98 30,-104 42,-104", 9), *_l("M -12,-80 C -18,-98 -30,-104 -42,-104", 9))
LADYBIRD = Symbol(
    solid=(_oval(0, 20, 82, 76), circle(0, -58, 36)),
    bold=_FEELERS,
    dark=(
        circle(0, -64, 36),
        *(circle(x, y, r) for x, y, r in ((-42, 2, 17), (42, 2, 17), (-34, 52, 14), (34, 52, 14))),
    ),
    dark_lines=_l("M 0,-40 L 0,96", 10),
)
_WINGS = _both(moved(_oval(58, 0, 52, 27), y=-18, turn=-0.45))
BEE = Symbol(
    solid=(_oval(0, 24, 44, 72), circle(0, -58, 29), *_WINGS, _poly((-14, 86), (14, 86), (0, 108))),
    bold=_FEELERS,
    light=_WINGS,
    dark=(circle(0, -62, 29), *(box(-46, y, 46, y + 17) for y in (-4, 32, 66))),
)
BUTTERFLY = Symbol(
    solid=(
        *_both(*_p("M 6,-6 C 18,-66 66,-104 100,-84 C 110,-36 74,2 10,6 Z")),
        *_both(*_p("M 8,4 C 52,0 88,32 78,66 C 62,98 22,82 6,26 Z")),
        _oval(0, 6, 12, 60),
    ),
    bold=(*_l("M 2,-46 C 8,-76 20,-92 34,-100", 8), *_l("M -2,-46 C -8,-76 -20,-92 -34,-100", 8)),
    light=_both(circle(70, -56, 17), circle(52, 48, 13)),
    dark=(_oval(0, 6, 12, 60),),
)
SNAIL = Symbol(
    solid=(
        circle(20, -10, 66),
        *_p(
            "M -102,-22 C -100,-46 -62,-46 -60,-18 C -58,26 -40,54 10,58 L 60,58 C 84,58 98,72 106,92 L -48,92"
            " C -96,84 -90,26 -102,-22 Z"
        ),
    ),
    bold=(*_l("M -88,-34 L -102,-84", 9), *_l("M -74,-36 L -64,-86", 9)),
    dark_lines=_l(
        "M 62,42 C 92,10 76,-54 24,-58 C -30,-60 -44,10 4,30 C 40,42 64,2 36,-24 C 14,-40 -10,-8 10,4 L 22,0", 10
    ),
)
DRAGONFLY = Symbol(
    solid=(
        circle(0, -80, 25),
        *_both(moved(_oval(60, 0, 48, 17), y=-34, turn=-0.22), moved(_oval(54, 0, 44, 15), y=2, turn=0.3)),
    ),
    bold=(*_l("M 0,-60 L 0,104", 19),),
    light=_both(moved(_oval(66, 0, 30, 8), y=-34, turn=-0.22), moved(_oval(60, 0, 26, 7), y=2, turn=0.3)),
    dark_lines=(*_l("M -8,34 L 8,34", 6), *_l("M -8,58 L 8,58", 6), *_l("M -8,82 L 8,82", 6)),
)
SWORD = Symbol(
    solid=(
        _poly((0, -108), (17, -82), (17, 36), (-17, 36), (-17, -82)),
        box(-60, 28, 60, 50, 10),
        box(-11, 46, 11, 86),
        circle(0, 92, 18),
    ),
    dark_lines=_l("M 0,-80 L 0,24", 7),
)
CROWN = Symbol(
    solid=(
        _poly((-98, -44), (-50, 2), (0, -78), (50, 2), (98, -44), (78, 78), (-78, 78)),
        *(circle(x, y, 15) for x, y in ((-98, -50), (0, -86), (98, -50))),
    ),
    dark=tuple(circle(x, 46, r) for x, r in ((-46, 11), (0, 15), (46, 11))),
)
TOWER = Symbol(
    solid=(
        box(-54, -44, 54, 100),
        box(-76, -60, 76, -32),
        *(box(x - 18, -98, x + 18, -40) for x in (-58, 0, 58)),
    ),
    holes=_p("M -22,101 L -22,46 C -22,18 22,18 22,46 L 22,101 Z"),
)
CHALICE = Symbol(
    solid=(
        *_p(
            "M -68,-98 L 68,-98 C 68,-30 44,0 13,8 L 13,62 C 42,66 58,80 60,98 L -60,98 C -58,80 -42,66 -13,62"
            " L -13,8 C -44,0 -68,-30 -68,-98 Z"
        ),
        circle(0, 32, 20),
    ),
    dark_lines=_l("M -56,-66 L 56,-66", 9),
)
HORSESHOE = Symbol(
    bold=_l("M -46,92 C -108,-16 -78,-84 0,-84 C 78,-84 108,-16 46,92", 38),
    dark=tuple(circle(x, y, 7) for x, y in ((-66, 36), (66, 36), (-74, -18), (74, -18), (-40, -72), (40, -72))),
)
