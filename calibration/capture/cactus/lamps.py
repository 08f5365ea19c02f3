"""Paints of flat pieces as they are in one light, though each photograph was taken under a lamp of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.shine import without_shine
from calibration.capture.grounds import lab_of, rgb_of

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]

_FULL = 252.5  # of 255: a channel beyond this tells nothing any more
_DIM = 0.05  # of white: of a darker channel most is shine
_LEAST = 0.0004  # of white: no surface is darker
_LINKED = 2  # paints that tell in each channel how the lamps of photos differ
_TURNS = 8
_WHITE = 0.85  # of all light: what the lightest paint throws back
_WARM = np.array([1.0, 0.0, -1.0]) / np.sqrt(2)
"""Lamps differ from warm to cold, in logarithms of red, green and blue ..."""
_GREEN = np.array([-1.0, 2.0, -1.0]) / np.sqrt(6)
"""... and little from green to purple."""
_LAMPS = np.array([0.3, 0.07])
"""Spread of lamps along both."""
_NEVER = 1e-12  # the likelihood of what cannot be
_FINE = 0.02
"""In what steps a lamp's tint is sought."""


@dataclass(frozen=True, slots=True)
class _Usual:
    """How surfaces of some kind look, in logarithms.

    Parameters
    ----------
    share
        Of all there are.
    tint, tints
        (2,) their usual tint along both ways of lamps, and its spread.
    dark, darks
        Their light beside that of the lightest paint, and its spread.
    """

    share: float
    tint: tuple[float, float]
    tints: tuple[float, float]
    dark: float = 0.0
    darks: float = 1.0

    def odds(self, tint: Array, dark: float = 0.0) -> Array:
        """The likelihood (...) of tints (..., 2) of such a surface, whose light is `dark`."""
        off = (((tint - self.tint) / self.tints) ** 2).sum(-1) + ((dark - self.dark) / self.darks) ** 2
        return np.asarray(self.share * np.exp(-0.5 * off) / (np.prod(self.tints) * self.darks))


_PAPER = _Usual(0.55, (0.0, 0.0), (0.04, 0.04), 0.0, 0.25)
_WOOD = _Usual(0.25, (0.55, 0.0), (0.2, 0.08), -0.9, 0.5)
_CLOTH = _Usual(0.2, (0.0, 0.0), (0.5, 0.5), -1.2, 0.8)
_NEARLY_WHITE = _Usual(0.5, (0.0, 0.0), (0.15, 0.1))
_SAME_TABLE, _SAME_TINTS = 0.5, (0.08, 0.05)
"""Share of photos that lie on the table of another one, and how far tables of one kind differ in tint."""
_ANY_PAINT = _Usual(0.5, (0.6, 0.2), (1.2, 0.6))


def linear(rgb: Array) -> Array:
    """Light of RGB 0..255, as a share of white."""
    s = rgb / 255
    return np.asarray(np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4))


def lab_of_light(light: Array) -> Array:
    """(..., 3) Lab of red, green and blue light, as shares of white."""
    v = np.clip(light, 0, 1)
    s = np.where(v <= 0.0031308, v * 12.92, 1.055 * np.maximum(v, 1e-9) ** (1 / 2.4) - 0.055)
    return lab_of(s * 255)


def even_paints(labs: Array, tables: Array, photos: Kinds, kinds: Kinds) -> tuple[Array, NDArray[np.bool_]]:
    """Each piece's colour in white light.

    Parameters
    ----------
    labs
        (n, 3) its colour in its photo, Lab.
    tables
        (n, 3) the colour of the table where it lies, Lab.
    photos, kinds
        (n,) numbers of its photo and of its colour; -1 for a colour that nothing else has.

    Returns
    -------
    (n, 3) red, green and blue light, as shares of white, and (n,) which of them are sure: the others are overexposed.
    Pieces of one colour that are sure have one paint, without the shine that a lamp lays over some. The lightest of the
    colours that pieces share is nearly white.
    """
    bare = np.maximum(linear(rgb_of(labs)), _LEAST)
    seen = np.log(bare)
    ground = np.log(np.maximum(linear(rgb_of(tables)), _LEAST))
    count = int(photos.max()) + 1
    usual = np.stack([np.median(ground[photos == p], 0) if (photos == p).any() else np.zeros(3) for p in range(count)])
    seen -= ground - usual[photos]
    sure = rgb_of(labs).max(1) < _FULL
    brightest = np.array([bare[photos == p].max(initial=_LEAST) for p in range(count)])
    lit = np.exp(seen) > _DIM * brightest[photos][:, None]
    told, linked = _differences(np.where(lit, seen, np.nan), sure & (kinds >= 0), photos, kinds, count)
    lamps = np.zeros((count, 3))
    if linked.any():
        use = sure & (kinds >= 0) & linked[photos]
        paints = np.stack([np.median((seen - told[photos])[use & (kinds == k)], 0) for k in np.unique(kinds[use])])
        lightest = paints[paints.max(1).argmax()]
        common = _lamp((usual - told)[linked], np.full(linked.sum(), lightest.max()), told[linked].mean(0), lightest)
        lamps[linked] = told[linked] + common
    for p in np.flatnonzero(~linked):
        lamps[p] = _lamp(usual[[p]], np.log(brightest[[p]]), tables=(usual - lamps)[linked])
    sure &= linked[photos] | (kinds < 0)
    light = np.exp(seen - lamps[photos])
    shared = np.unique(kinds[kinds >= 0])
    use = sure & (kinds >= 0) & linked[photos]
    if use.any():
        lightest = max(float(np.median(light[use & (kinds == k)], 0).max()) for k in np.unique(kinds[use]))
        paints, more = without_shine(light[use] / lightest, photos[use], kinds[use], count)
        light *= np.exp(-more[photos])
        light[use] = paints[kinds[use]] * lightest
    if len(shared):
        lightest = max(float(common_paint(light[kinds == k], sure[kinds == k]).max()) for k in shared)
        light[(kinds >= 0) | linked[photos]] *= _WHITE / lightest
    return light, sure


def common_paint(light: Array, sure: NDArray[np.bool_]) -> Array:
    """(3,) the paint that pieces (n, 3) have in common."""
    return np.asarray(np.median(light[sure] if sure.any() else light, axis=0))


def _differences(
    seen: Array, use: NDArray[np.bool_], photos: Kinds, kinds: Kinds, count: int
) -> tuple[Array, NDArray[np.bool_]]:
    """(photos, 3) how much more light each has than the usual one, and (photos,) which of them are known."""
    gains = np.zeros((count, 3))
    shown = [[set(kinds[use & (photos == p) & np.isfinite(c)].tolist()) for c in seen.T] for p in range(count)]
    linked = np.array([min(len(k) for k in channels) >= _LINKED for channels in shown])
    use = use & linked[photos]
    for _ in range(_TURNS if use.any() else 0):
        even = seen - gains[photos]
        own = np.zeros_like(seen)
        for k in np.unique(kinds[use]):
            own[kinds == k] = _middle(even[use & (kinds == k)])
        for p in np.flatnonzero(linked):
            more = _middle((seen - own)[use & (photos == p)])
            gains[p] = np.where(np.isfinite(more), more, gains[p])
        gains[linked] -= gains[linked].mean(0)
    return gains, linked


def _middle(values: Array) -> Array:
    """(3,) the median of each column of those that are known, NaN without any."""
    return np.array([np.median(c[np.isfinite(c)]) if np.isfinite(c).any() else np.nan for c in values.T])


def _lamp(
    ground: Array,
    lightest: Array,
    known: Array | None = None,
    paint: Array | None = None,
    tables: Sequence[Array] | Array = (),
) -> Array:
    """(3,) the tint, in logarithms, of the lamp that photos have in common.

    Parameters
    ----------
    ground
        (n, 3) logarithm of the light of what pieces lie on, in the photos' common light.
    lightest
        (n,) that of the lightest paint there.
    known
        (3,) what the lamps of these photos have in common with each other already.
    paint
        (3,) logarithm of the lightest of the paints that pieces share.
    tables
        (m, 3) logarithms of what pieces lie on in other photos, in white light.

    The likeliest: of lamps, of grounds as people have them, and of a paint that is nearly white in most sets.
    """
    warm, green = np.mgrid[-1.5:1.5:_FINE, -0.5:0.5:_FINE]
    tint = np.stack([warm, green], -1)
    axes = np.stack([_WARM, _GREEN], 1)
    told = np.zeros(2) if known is None else known @ axes
    total = -0.5 * (((tint + told) / _LAMPS) ** 2).sum(-1)
    kinds = [_PAPER, _WOOD, _CLOTH]
    for table in tables:
        warmth, greenness = (table @ axes).tolist()
        kinds.append(_Usual(_SAME_TABLE / len(tables), (warmth, greenness), _SAME_TINTS))
    for own, light in zip(ground, lightest, strict=True):
        seen, dark = own @ axes - tint, float(own.max() - light)
        odds = sum(kind.odds(seen, dark) for kind in kinds)
        # photos of an evening show one table
        total += np.log(odds + _NEVER) / len(ground)
    if paint is not None:
        total += np.log(_NEARLY_WHITE.odds(paint @ axes - tint) + _ANY_PAINT.odds(paint @ axes - tint) + _NEVER)
    return np.asarray(axes @ tint.reshape(-1, 2)[int(total.argmax())])
