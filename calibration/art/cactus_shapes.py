"""The outlines of the bundled set of Cactus: five basic shapes, ten special ones, five cacti. All in mm, y up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.art.paths import Points
from calibration.art.silhouettes import Silhouette

HEIGHTS_MM = {"K1": 90.0, "K2": 72.0, "K3": 84.0, "K4": 88.0, "K5": 80.0}


def _arc(x: float, y: float, r: float, first: float, last: float, n: int = 40) -> Points:
    a = np.radians(np.linspace(first, last, n))
    return np.column_stack([x + r * np.cos(a), y + r * np.sin(a)])


# ---- five basic shapes, each with something to hang it by ----------------------------------------------------------


def cane() -> Silhouette:
    """A walking stick with a curled end."""
    stick = np.vstack([_arc(-6.4, 8, 7.2, 205, 0), [[0.8, -18]]])
    return Silhouette().bar(stick, 6.4).soften(0.8)


def wave() -> Silhouette:
    """One and a half waves."""
    x = np.linspace(-14.4, 14.4, 80)
    return Silhouette().bar(np.column_stack([x, 6.6 * np.sin(x / 14.4 * 1.5 * np.pi)]), 6.4).soften(0.8)


def comb() -> Silhouette:
    """A back with three teeth, the middle one longer."""
    s = Silhouette().bar(_arc(0, -28, 36, 113, 67), 7.0)
    for x, y in ((-11.6, -9.0), (0.0, -14.0), (11.6, -9.0)):
        s.bar([(x, 5.5), (x, y)], 5.6)
    return s.soften(1.0)


def bow() -> Silhouette:
    """A ribbon tied in a bow."""
    s = Silhouette().disc(0, 0, 4.6)
    for k in (-1, 1):
        s.patch([(0, 1.6), (k * 17, 10.6), (k * 15.4, 0), (k * 17, -10.6), (0, -1.6)], rounded=False)
    return s.soften(1.5)


def clover() -> Silhouette:
    """Four leaves and no stalk."""
    s = Silhouette().disc(0, 0, 5.0)
    for a in np.radians((45, 135, 225, 315)):
        s.disc(float(9.0 * np.cos(a)), float(9.0 * np.sin(a)), 7.3)
    return s.soften(1.0)


# ---- ten special shapes --------------------------------------------------------------------------------------------


def tortoise() -> Silhouette:
    """Shell, head and short legs."""
    s = Silhouette().patch([*map(tuple, _arc(0, -3, 14, 0, 180, 24)), (-14, -5), (14, -5)], rounded=False)
    s.bar([(12, -3), (15.6, 2.5)], 5.0).disc(16.8, 4.6, 3.9)
    for x in (-9.0, 8.0):
        s.bar([(x, -5), (x + 1.5, -10)], 5.4)
    return s.bar([(-13, -4), (-16.8, -6.2)], 2.8).soften(0.9)


def kettle() -> Silhouette:
    """A kettle with a handle that is open below, and its spout."""
    s = Silhouette().patch([(-8.5, -12), (10.5, -12), (12, -2), (7.5, 6), (-5.5, 6), (-10, -2)])
    s.bar([(-6, 4), (-13, 7.4), (-17.4, 2.4), (-16.4, -6)], 3.4, rounded=True)
    s.bar([(10, -5), (15.6, 0), (17.6, 8)], 4.4, rounded=True)
    return s.bar([(0, 5), (0, 10)], 3.0).disc(0, 10.6, 2.8).soften(0.8)


def lantern() -> Silhouette:
    """A lantern with a hook to hang it by."""
    s = Silhouette().patch([(-8, -14), (8, -14), (9.5, -10), (6.6, 6), (-6.6, 6), (-9.5, -10)], rounded=False)
    s.patch([(-9.5, 6), (9.5, 6), (3, 12), (-3, 12)], rounded=False).bar(
        [(0, 11), *map(tuple, _arc(0.4, 17.4, 4.6, -110, 130, 24))], 3.0
    )
    return s.bar([(-10, -14.5), (10, -14.5)], 4.0).soften(0.8)


def feather() -> Silhouette:
    """A bent feather with two notches."""
    s = Silhouette().patch([(-15, -15), (-9, -14), (2, -9), (12, 2), (17, 17), (4, 13), (-6, 4), (-11, -6)])
    s.bar([(-11, -11), (-19, -19)], 2.8)
    return s.bar([(9.5, -7.5), (5, 0)], 1.7, away=True).bar([(-9, 8.5), (-3, 4)], 1.7, away=True).soften(0.6)


def cat() -> Silhouette:
    """A cat that sits, its tail in the air."""
    s = Silhouette().patch([(-7, -13), (8, -13), (9, -4), (4, 6), (-3, 8), (-7, 0)])
    s.patch([(-11, 8), (-9.6, 20), (-4.6, 15), (0.4, 15), (5.4, 20), (6, 9), (-1, 3), (-6, 3.5)], rounded=False)
    s.bar([(5, -11), (13, -11), (17, -4), (14, 3)], 6.0, rounded=True)
    return s.soften(0.8)


def moth() -> Silhouette:
    """Two pairs of wings and feelers."""
    s = Silhouette().bar([(0, -10), (0, 9)], 5.0)
    for k in (-1, 1):
        s.patch([(0, 6), (k * 9, 14), (k * 18, 11), (k * 16, 1), (k * 3, -1)])
        s.patch([(0, 0), (k * 10, -2), (k * 14, -9), (k * 8, -14), (k * 1, -7)])
        s.bar([(k * 1, 8), (k * 3, 14), (k * 6.4, 18)], 2.2, rounded=True)
    return s.soften(0.6)


def snail() -> Silhouette:
    """A snail with its house."""
    s = Silhouette().disc(-2, 3, 11.6).bar([(-14.6, -10), (13, -10)], 6.0)
    s.bar([(11, -10), (15.6, -4), (15.6, 5)], 5.6, rounded=True)
    s.bar([(14.8, 5), (12.6, 12)], 2.2).bar([(16.4, 5), (18.8, 11.4)], 2.2)
    return s.soften(0.8)


def comet() -> Silhouette:
    """A star with a tail of three streaks."""
    a = np.pi / 2 + 0.3 + np.arange(10) * np.pi / 5
    r = np.where(np.arange(10) % 2 == 0, 11.5, 5.6)
    s = Silhouette().patch(np.column_stack([9 + r * np.cos(a), 7 + r * np.sin(a)]), rounded=False)
    for (x, y), w in (((-18.0, -6.0), 3.0), ((-15.0, -14.0), 3.6), ((-7.0, -18.0), 3.0)):
        s.bar([(9, 7), (x, y)], w)
    return s.soften(0.8)


def heron() -> Silhouette:
    """A heron on one leg."""
    s = Silhouette().patch([(-13, -2), (-6, 5), (4, 5), (9, -1), (3, -6), (-7, -6)])
    s.bar([(6, 1), (8.6, 8), (4, 13), (6, 18)], 3.8, rounded=True).disc(7.2, 18.6, 3.4)
    s.patch([(8, 20.6), (20, 17.4), (8, 16.4)], rounded=False)
    s.bar([(-1, -5), (0, -19)], 2.8).bar([(0, -19), (5, -19)], 2.8)
    return s.bar([(2, -6), (7.4, -11), (2.6, -14)], 2.6).soften(0.6)


def gourd() -> Silhouette:
    """A bottle gourd on a string."""
    s = Silhouette().disc(0, -8, 10.4).disc(0, 6.2, 6.4).bar([(0, -3), (0, 5)], 7.0)
    s.bar([(0, 11), (1, 15), (5, 18), (10, 16.4), (11.4, 11)], 3.2, rounded=True)
    return s.soften(0.7)


# ---- five cacti, upward from the top of their base -----------------------------------------------------------------


def _stand() -> Silhouette:
    return Silhouette(low_mm=-15.0)


def _done(s: Silhouette, foot: float) -> Silhouette:
    """Rounded, and with a foot that stands wide on its base."""
    s.patch([(-foot, -2), (foot, -2), (foot, 1.6), (-foot, 1.6)], rounded=False)
    return s.soften(1.4).above(0.0)


def post() -> Silhouette:
    """K1: tall, three arms at three heights."""
    s = _stand().bar([(0, -6), (0, 82.2)], 15.5)
    s.bar([(0, 33), (-18, 33), (-22.6, 38), (-22.6, 56)], 10.0).bar([(0, 25), (17, 25), (21, 29), (21, 41)], 9.6)
    return _done(s.bar([(0, 56), (15, 59), (18.4, 71)], 8.6), 8.0)


def barrel() -> Silhouette:
    """K2: round and small, with three sprouts."""
    s = _stand().patch(
        [(-10, -2), (-20, 12), (-21.5, 27), (-13, 44), (0, 49), (13, 44), (21.5, 27), (20, 12), (10, -2)]
    )
    s.bar([(-13, 40), (-23, 56), (-23, 62)], 8.4).bar([(1, 44), (3.4, 67.6)], 8.8).bar(
        [(12, 40), (25, 48), (27.6, 58)], 7.8
    )
    return _done(s, 11.0)


def pads() -> Silhouette:
    """K3: pads that grow on one another."""
    s = _stand().patch([(-7, -3), (-14, 12), (-11, 31), (1, 38), (12, 29), (13, 12), (7, -3)])
    s.patch([(-9, 33), (-23, 37), (-29, 50), (-22, 61), (-12, 54)]).patch(
        [(7, 33), (10, 47), (16, 60), (27, 60), (27, 44), (17, 35)]
    )
    s.bar([(-9, 27), (-16, 42)], 8.0).bar([(8, 27), (16, 42)], 8.0)
    s.patch([(14, 60), (6, 71), (9, 83), (18, 82), (20, 70), (19, 60)]).bar([(19, 52), (15, 66)], 7.0)
    return _done(s, 8.0)


def dancer() -> Silhouette:
    """K4: a bent trunk, one arm up and one down."""
    s = _stand().bar([(0, -6), (1, 8), (-6, 27), (5, 50), (-1, 68), (4, 81)], 13.6, rounded=True)
    s.bar([(-4, 33), (-18, 30), (-25, 41), (-21, 53)], 8.8, rounded=True)
    return _done(s.bar([(4, 55), (18, 60), (27, 52), (27, 40)], 8.6, rounded=True), 8.6)


def trident() -> Silhouette:
    """K5: a wide fork with a short middle and a ball on it."""
    s = _stand().bar([(0, -6), (0, 54)], 14.4).bar(np.vstack([[[-23, 62]], _arc(0, 43, 23, 180, 360), [[23, 74]]]), 9.6)
    return _done(s.disc(0, 58, 10.2), 9.0)


BASIC: dict[str, Callable[[], Silhouette]] = {f.__name__: f for f in (cane, wave, comb, bow, clover)}
SPECIAL: dict[str, Callable[[], Silhouette]] = {
    f.__name__: f for f in (tortoise, kettle, lantern, feather, cat, moth, snail, comet, heron, gourd)
}
CACTI: dict[str, Callable[[], Silhouette]] = {"K1": post, "K2": barrel, "K3": pads, "K4": dancer, "K5": trident}
