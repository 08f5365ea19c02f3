"""Signs of the decks in `plain_rox_games`, in a box from -100 to 100, y down; `dark` is printed in a second colour."""

from __future__ import annotations

import numpy as np

from calibration.art.paths import Points, box, circle, moved, path, regular, smooth
from calibration.art.symbols import Stroke, Symbol


def _p(text: str) -> tuple[Points, ...]:
    return tuple(path(text))


def _l(text: str, width: float) -> tuple[Stroke, ...]:
    return tuple((p, width) for p in path(text))


def _poly(*corners: tuple[float, float]) -> Points:
    return np.array(corners, np.float64)


def _both(*shapes: Points) -> tuple[Points, ...]:
    """Each shape and its mirror image."""
    return tuple(s * k for s in shapes for k in (np.array([1.0, 1.0]), np.array([-1.0, 1.0])))


def _oval(x: float, y: float, rx: float, ry: float) -> Points:
    return np.asarray(circle(0, 0, 1) * [rx, ry] + [x, y])


def _round(x: float, y: float, r: float, width: float) -> Stroke:
    c = circle(x, y, r)
    return np.vstack([c, c[:1]]), width


ANCHOR = Symbol(
    solid=_both(_poly((-102, 44), (-84, -4), (-54, 40))),
    bold=(
        *_l("M 0,-56 L 0,88", 24),
        *_l("M -46,-26 L 46,-26", 20),
        *_l("M -82,26 C -76,78 -34,88 0,88 C 34,88 76,78 82,26", 24),
        _round(0, -76, 18, 15),
    ),
)
BOAT = Symbol(
    solid=(
        *_p("M -94,42 L 94,42 C 82,76 66,92 40,94 L -40,94 C -66,92 -82,76 -94,42 Z"),
        *_p("M 4,-100 L 4,28 L 86,28 C 78,-30 46,-72 4,-100 Z"),
        *_p("M -10,-74 L -10,28 L -74,28 C -62,-14 -40,-48 -10,-74 Z"),
    ),
    light=_p("M 4,-100 L 4,28 L 86,28 C 78,-30 46,-72 4,-100 Z"),
    dark_lines=_l("M -78,62 L 78,62", 9),
)
STARFISH = Symbol(
    solid=(smooth(regular(5, 100, inner=46)),),
    light=(circle(0, 0, 13), *(moved(circle(0, -48, 9), turn=i * 2 * np.pi / 5) for i in range(5))),
)
WHALE = Symbol(
    solid=_p(
        "M -62,0 C -44,-40 0,-56 46,-42 C 92,-28 106,12 90,44 C 74,76 0,88 -40,66 C -72,48 -78,20 -82,-6"
        " C -98,-12 -102,-34 -98,-54 C -84,-52 -76,-46 -70,-36 C -62,-48 -50,-54 -36,-54 C -36,-30 -46,-12 -62,0 Z"
    ),
    bold=(*_l("M 42,-58 C 42,-78 30,-92 12,-88", 13), *_l("M 42,-58 C 42,-78 56,-92 74,-88", 13)),
    light=(circle(66, 2, 9), *_p("M 92,36 C 60,44 20,44 -28,70 C 10,86 76,76 92,36 Z")),
)
LIGHTHOUSE = Symbol(
    solid=(
        _poly((-36, 84), (-22, -36), (22, -36), (36, 84)),
        box(-58, 74, 58, 98),
        box(-40, -48, 40, -30),
        box(-20, -78, 20, -44),
        _poly((-32, -72), (0, -104), (32, -72)),
        *_both(_poly((30, -64), (100, -92), (100, -36))),
    ),
    light=(
        _poly((-33, 50), (-29, 18), (29, 18), (33, 50)),
        box(-10, -70, 10, -52),
        *_both(_poly((30, -64), (100, -92), (100, -36))),
    ),
)
HEART = Symbol(
    solid=_p(
        "M 0,94 C -40,54 -98,14 -98,-36 C -98,-72 -68,-90 -42,-88 C -20,-86 -6,-70 0,-54"
        " C 6,-70 20,-86 42,-88 C 68,-90 98,-72 98,-36 C 98,14 40,54 0,94 Z"
    )
)
KEY = Symbol(
    solid=(circle(0, -54, 46), box(-14, -20, 14, 100), box(10, 42, 52, 62), box(10, 78, 44, 98)),
    holes=(circle(0, -54, 20),),
)
UMBRELLA = Symbol(
    solid=_p(
        "M -100,12 C -94,-58 -42,-90 0,-90 C 42,-90 94,-58 100,12 Q 66,-18 34,12 Q 0,-18 -34,12 Q -66,-18 -100,12 Z"
    ),
    bold=(*_l("M 0,0 L 0,72 C 0,100 42,100 42,70", 15), *_l("M 0,-86 L 0,-104", 13)),
)
BOW = Symbol(
    solid=(
        *_p("M -4,-4 C -36,-66 -84,-78 -98,-60 L -98,34 C -84,52 -36,40 -4,-4 Z"),
        *_p("M 4,-4 C 36,-66 84,-78 98,-60 L 98,34 C 84,52 36,40 4,-4 Z"),
        circle(0, -6, 20),
        *_both(_poly((-2, 8), (-52, 98), (-24, 86), (-8, 100))),
    )
)
TULIP = Symbol(
    solid=(
        *_p("M -56,-88 L -27,-58 L 0,-100 L 27,-58 L 56,-88 C 68,-28 52,2 0,6 C -52,2 -68,-28 -56,-88 Z"),
        *_both(*_p("M 2,98 C -66,92 -84,44 -82,22 C -44,30 -6,54 2,98 Z")),
    ),
    bold=_l("M 0,0 L 0,98", 13),
)
QUATREFOIL = Symbol(
    solid=tuple(moved(circle(0, -48, 48), turn=i * np.pi / 2) for i in range(4)),
    dark=(circle(0, 0, 22),),
)
STAR8 = Symbol(
    solid=(regular(4, 104), regular(4, 104, turn=np.pi / 4)),
    dark=(regular(4, 48), regular(4, 48, turn=np.pi / 4)),
)
FAN = Symbol(
    solid=_p("M 0,96 L -100,-14 C -84,-70 -42,-94 0,-94 C 42,-94 84,-70 100,-14 Z"),
    dark=(
        _poly((-4, 66), (-62, -30), (-34, -56)),
        _poly((4, 66), (62, -30), (34, -56)),
        _poly((0, 62), (-12, -64), (12, -64)),
    ),
)
HOURGLASS = Symbol(
    solid=(_poly((-84, -94), (84, -94), (18, 0), (84, 94), (-84, 94), (-18, 0)),),
    dark=(_poly((-38, -66), (38, -66), (0, -18)), _poly((-38, 66), (38, 66), (0, 18))),
)
ZIGZAG = Symbol(
    bold=(
        *_l("M -92,-14 L -46,-66 L 0,-14 L 46,-66 L 92,-14", 34),
        *_l("M -92,66 L -46,14 L 0,66 L 46,14 L 92,66", 34),
    ),
)
SNOWFLAKE = Symbol(
    bold=tuple(
        (moved(line, turn=i * np.pi / 3), w)
        for i in range(6)
        for line, w in (*_l("M 0,0 L 0,-96", 17), *_l("M -30,-88 L 0,-58 L 30,-88", 14))
    )
)
PINE = Symbol(
    solid=(
        _poly((0, -102), (46, -38), (-46, -38)),
        _poly((0, -72), (66, 14), (-66, 14)),
        _poly((0, -30), (88, 68), (-88, 68)),
        box(-16, 60, 16, 100),
    )
)
MITTEN = Symbol(
    solid=(
        *_p(
            "M -54,56 L -62,-30 C -64,-82 -36,-100 -6,-100 C 30,-100 44,-70 44,-18 C 54,-46 96,-46 94,-12"
            " C 92,14 60,32 48,56 Z"
        ),
        box(-64, 66, 58, 100, 10),
    )
)
SNOWMAN = Symbol(
    solid=(circle(0, 46, 52), circle(0, -28, 36), box(-46, -66, 46, -52), box(-27, -104, 27, -56)),
    bold=(*_l("M -46,24 L -94,-12", 11), *_l("M 46,24 L 94,-12", 11)),
    dark=(circle(0, 32, 8), circle(0, 62, 8), circle(-13, -34, 6), circle(13, -34, 6)),
)
BELL = Symbol(
    solid=(
        *_p(
            "M 0,-84 C 48,-80 58,-36 60,10 C 62,36 78,46 92,62 L -92,62 C -78,46 -62,36 -60,10"
            " C -58,-36 -48,-80 0,-84 Z"
        ),
        circle(0, 80, 20),
    ),
    bold=(_round(0, -86, 13, 11),),
)
_CARROT_TOP = (
    *_p("M -2,-36 C -40,-46 -58,-76 -48,-100 C -24,-92 -6,-70 -2,-36 Z"),
    *_p("M 2,-36 C 40,-46 58,-76 48,-100 C 24,-92 6,-70 2,-36 Z"),
    *_p("M 0,-36 C -20,-60 -16,-92 0,-106 C 16,-92 20,-60 0,-36 Z"),
)
CARROT = Symbol(
    solid=(*_p("M -46,-28 C -34,-50 34,-50 46,-28 C 48,16 22,74 0,104 C -22,74 -48,16 -46,-28 Z"), *_CARROT_TOP),
    dark=_CARROT_TOP,
    dark_lines=(*_l("M -40,-4 L -12,-2", 7), *_l("M 36,18 L 10,22", 7), *_l("M -28,42 L -8,44", 7)),
)
_APPLE_LEAF = _p("M 4,-54 C 6,-90 40,-106 70,-98 C 66,-70 38,-54 4,-54 Z")
APPLE = Symbol(
    solid=(
        *_p(
            "M 0,-46 C 22,-72 96,-68 92,8 C 88,68 46,100 22,94 C 8,90 -8,90 -22,94 C -46,100 -88,68 -92,8"
            " C -96,-68 -22,-72 0,-46 Z"
        ),
        *_APPLE_LEAF,
    ),
    dark=_APPLE_LEAF,
    light_lines=_l("M -64,14 C -66,-12 -56,-28 -36,-34", 14),
    dark_lines=_l("M 0,-34 C -2,-56 -10,-72 -20,-84", 10),
)
CHEESE = Symbol(
    solid=(_poly((-98, 14), (58, -72), (98, 14), (98, 84), (-98, 84)),),
    dark=(circle(-48, 50, 15), circle(16, 42, 19), circle(64, 62, 12), _oval(36, -16, 18, 11)),
    dark_lines=_l("M -92,14 L 92,14", 8),
)
_AUBERGINE_CAP = _p(
    "M -26,-34 C -12,-52 4,-56 10,-104 L 34,-98 C 32,-70 52,-56 64,-28 C 46,-30 36,-18 30,-4 C 16,-26 -6,-32 -26,-34 Z"
)
AUBERGINE = Symbol(
    solid=(
        *_p("M 44,-40 C 92,4 84,100 2,100 C -64,100 -92,58 -68,22 C -50,-4 -24,-14 -8,-46 Z"),
        *_AUBERGINE_CAP,
    ),
    dark=_AUBERGINE_CAP,
    light_lines=_l("M -50,58 C -54,40 -44,28 -30,18", 13),
)
_BROCCOLI_STEM = _p("M -34,-6 C -18,20 -22,60 -32,94 L 32,94 C 22,60 18,20 34,-6 Z")
BROCCOLI = Symbol(
    solid=(
        *_BROCCOLI_STEM,
        *(circle(x, y, r) for x, y, r in ((-56, -16, 40), (56, -16, 40), (-26, -58, 40), (28, -58, 40), (0, -16, 36))),
    ),
    dark=_p("M -30,20 C -24,44 -26,70 -32,94 L 32,94 C 26,70 24,44 30,20 C 12,26 -12,26 -30,20 Z"),
    dark_lines=(
        *_l("M -62,-22 C -50,-34 -40,-30 -34,-20", 7),
        *_l("M 10,-58 C 22,-68 34,-64 38,-52", 7),
        *_l("M 38,-4 C 50,-14 60,-10 64,0", 7),
    ),
)
_GRAIN = _p("M 5,0 C 40,-6 56,-30 50,-58 C 18,-50 4,-28 5,0 Z")[0]
WHEAT = Symbol(
    solid=(
        *_p("M 0,-38 C -24,-58 -18,-88 0,-106 C 18,-88 24,-58 0,-38 Z"),
        *_both(*(moved(_GRAIN, y=y) for y in (-12, 26, 64))),
    ),
    bold=_l("M 0,100 L 0,-40", 10),
)
PUMPKIN = Symbol(
    solid=(
        *_both(_oval(50, 28, 48, 54)),
        _oval(0, 28, 48, 64),
        *_p("M -14,-24 C -10,-56 -22,-72 -34,-80 L -4,-98 C 12,-80 16,-56 16,-24 Z"),
    ),
    light_lines=(*_l("M -30,-16 C -48,10 -48,46 -30,72", 8), *_l("M 30,-16 C 48,10 48,46 30,72", 8)),
)
GRAPES = Symbol(
    solid=(
        *(
            circle(x, y, 22)
            for y, xs in ((-22, (-63, -21, 21, 63)), (16, (-42, 0, 42)), (53, (-21, 21)), (84, (0,)))
            for x in xs
        ),
        *_p("M -2,-44 C -20,-104 -76,-100 -92,-62 C -60,-68 -30,-40 -2,-44 Z"),
        *_p("M 4,-44 C 16,-84 52,-96 78,-78 C 56,-72 34,-42 4,-44 Z"),
    ),
    bold=_l("M 0,-30 L 6,-100", 10),
)
MILL = Symbol(
    solid=(_poly((-46, 100), (-26, -30), (26, -30), (46, 100)), circle(0, -30, 26)),
    holes=(box(-13, 60, 13, 101),),
    bold=(*_l("M -82,-98 L 82,38", 19), *_l("M 82,-98 L -82,38", 19)),
)
TREE = Symbol(
    solid=(
        *(circle(x, y, r) for x, y, r in ((-50, -4, 42), (50, -4, 42), (-24, -50, 44), (26, -50, 44), (0, -2, 40))),
        _poly((-16, 20), (16, 20), (26, 100), (-26, 100)),
    )
)
