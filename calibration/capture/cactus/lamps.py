"""Paints of flat pieces as they are in one light, though each photograph was taken under a lamp of its own."""

from __future__ import annotations

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
_LAMPS = np.array([0.35, 0.07])
"""Spread of lamps along both."""
_PAPER, _PAPERS = 0.04, 0.7
"""Spread of what is laid out for this: white, grey or black; and its share."""
_CLOTH = 0.5
"""Spread of grounds of any colour."""


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
    tints, trust = zip(*(_lamp(g) for g in usual), strict=True)
    lamps = np.array(tints)
    if linked.any():
        off = (lamps - told + told.mean(1, keepdims=True))[linked]
        lamps[linked] = told[linked] + np.average(off, axis=0, weights=np.array(trust)[linked])
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


def _lamp(ground: Array) -> tuple[Array, float]:
    """(3,) the lamp's tint as the ground tells it, in logarithms, and how far that may be trusted.

    The ground is white or grey as a rule. Where it would have to be lit by a lamp such as there is none, it is taken
    for coloured.
    """
    tint = np.array([ground @ _WARM, ground @ _GREEN])
    paper, cloth = _LAMPS**2 + _PAPER**2, _LAMPS**2 + _CLOTH**2
    odds = [
        share * float(np.exp(-0.5 * (tint**2 / spread).sum()) / np.sqrt(spread.prod()))
        for share, spread in ((_PAPERS, paper), (1 - _PAPERS, cloth))
    ]
    trust = odds[0] / max(sum(odds), 1e-12)
    by = trust * _LAMPS**2 / paper + (1 - trust) * _LAMPS**2 / cloth
    warm, green = tint * by
    return warm * _WARM + green * _GREEN, max(trust, 1e-3)
