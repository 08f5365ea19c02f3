"""Cards that were photographed in different light, as if they lay under one lamp: what is printed alike looks alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_DARK = 6.0  # grey levels: what is darker tells nothing of the light
_CORE, _RIM = 0.55, (0.85, 1.1)  # of a symbol's reach: within, and round it
_BRIGHT = 90.0  # grey levels from which a place tells all of the light it lies in
_SYMBOL = 0.15  # how much the colour of a symbol tells beside that of the ground
_HOLD, _HOLD_VEILED = 0.08, 0.008  # how far samples must spread to tell a contrast
_CONTRAST, _VEILED = (0.5, 2.0), (0.7, 4.0)  # by how much a contrast may be changed
_TURNS = 5
_INSET = 1.6  # of the distance from the rim to the middles of the symbols: where the middle begins
_STONE_GRID, _STONE_SOFT = 20, 2.0  # samples across the middle, and how fine the light on it may be
_FEW = 4  # cards of one stone that tell its usual colour
_MOST_OFF = 0.8  # logarithm of the largest change of brightness


def in_one_light(rgb: Floats, places: Array, radius: float) -> Floats:
    """The cards as if under one lamp: what lies round the symbols has the usual colour of its place on all.

    The light may change across a card, smoothly.
    """
    n, h, w, _ = rgb.shape
    rim = _sampled(rgb, places, _RIM[0] * radius, _RIM[1] * radius, np.median)
    core = _sampled(rgb, places, 0.0, _CORE * radius, np.mean)
    logs = np.log(np.maximum(np.concatenate([rim, core], 1), 4.0))
    usual = np.median(logs, 0)
    # a dark ground tells little of the light, symbols differ
    tells = np.minimum(np.exp(usual).max(1) / _BRIGHT, 1) ** 2 * np.repeat([1.0, _SYMBOL], len(places))
    A = np.tile(np.c_[np.ones(len(places)), (places - [w / 2, h / 2]) / w], (2, 1))
    yy, xx = np.mgrid[:h, :w]
    out = np.empty_like(rgb)
    for i in range(n):
        off = logs[i] - usual
        weight = tells
        for _ in range(_TURNS):
            fit = np.linalg.lstsq(A * weight[:, None], off * weight[:, None], rcond=None)[0]
            miss = np.abs(off - A @ fit).max(1)
            weight = tells / (1 + (miss / max(float(np.median(miss)), 0.02)) ** 2)
        gain = np.exp(-(fit[0] + ((xx - w / 2) / w)[..., None] * fit[1] + ((yy - h / 2) / w)[..., None] * fit[2]))
        out[i] = rgb[i] * gain
    return out


def in_the_light_of(
    rgb: Floats, places: Array, radius: float, kinds: NDArray[np.intp], doubt: Array, usual: NDArray[np.bool_]
) -> Floats:
    """The cards, each with its colours brought to those that symbols of the same kinds have on all others.

    Parameters
    ----------
    rgb
        (n, rows, columns, 3).
    places, radius
        (16, 2) middles of the symbols and their reach, in pixels.
    kinds, doubt
        (n, 16) number of each symbol's kind, and how doubtful that is, 0 to 1.
    usual
        (n,) the cards that tell what is usual.
    """
    core = np.log(np.maximum(_sampled(rgb, places, 0.0, _CORE * radius, np.mean), _DARK))
    rim = np.log(np.maximum(_sampled(rgb, places, _RIM[0] * radius, _RIM[1] * radius, np.median), _DARK))
    usual_rim = np.broadcast_to(np.median(rim[usual], 0), rim.shape)
    usual_core = core.copy()
    for k in np.unique(kinds):
        mine = kinds == k
        told = mine & usual[:, None]
        usual_core[mine] = np.median(core[told if told.any() else mine], 0)
    x, y = np.concatenate([core, rim], 1), np.concatenate([usual_core, usual_rim], 1)
    sure = np.concatenate([np.clip(1.2 - doubt, 0, 1), np.full(doubt.shape, 0.5)], 1)
    out = np.empty_like(rgb)
    for i in range(len(rgb)):
        logs = np.log(np.maximum(rgb[i], _DARK))
        for channel in range(3):
            gain, shift = _fitted(x[i, :, channel], y[i, :, channel], sure[i])
            out[i, ..., channel] = np.exp(gain * logs[..., channel] + shift)
    return np.asarray(np.minimum(out, 400), np.float32)


def evenly_printed(faces: Sequence[Floats], places: Array, radius: float, kinds: NDArray[np.intp]) -> list[Floats]:
    """Upright faces without the veil that a lamp's reflection lays over some: symbols of a kind have one colour on all.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, of one size and in one light.
    places, radius
        (16, 2) middles of the symbols and their reach, in pixels of the faces.
    kinds
        (n, 16) number of each symbol's kind, as the faces stand.
    """
    core = np.stack([_sampled(f[None], places, 0.0, _CORE * radius, np.mean)[0] for f in faces])
    rim = np.stack([_sampled(f[None], places, _RIM[0] * radius, _RIM[1] * radius, np.median)[0] for f in faces])
    usual = core.copy()
    for k in np.unique(kinds):
        usual[kinds == k] = np.median(core[kinds == k], 0)
    x = np.concatenate([core, rim], 1)
    y = np.concatenate([usual, np.broadcast_to(np.median(rim, 0), rim.shape)], 1)
    out = []
    for i, face in enumerate(faces):
        clean = np.empty_like(face)
        for channel in range(3):
            a, b = x[i, :, channel] / 255, y[i, :, channel] / 255
            gain, shift = _fitted(a, b, np.ones(len(a)), _HOLD_VEILED, _VEILED)
            clean[..., channel] = face[..., channel] * gain + 255 * shift
        out.append(np.asarray(clean, np.float32))
    return out


def stones_alike(faces: Sequence[Floats], places: Array, kinds: NDArray[np.intp]) -> list[Floats]:
    """Upright faces, the middle of each as bright and of the colour that it usually has with its stone.

    What is finer than light, as a stone's grain, stays as it is on each card.

    Parameters
    ----------
    faces
        (rows, columns, 3) each, of one size and in one light.
    places
        (16, 2) middles of the symbols, which enclose the middle, in pixels of the faces.
    kinds
        (n,) which stone each has.
    """
    h, w = faces[0].shape[:2]
    inset = places.min(0) * _INSET
    side = _STONE_GRID
    x0, y0, x1, y1 = (round(float(v)) for v in (*inset, *(np.array([w, h]) - inset)))
    small = np.stack([cv2.resize(f[y0:y1, x0:x1], (side, side), interpolation=cv2.INTER_AREA) for f in faces])
    logs = np.log(np.maximum(small, _DARK))
    out = []
    for face, own, kind in zip(faces, logs, kinds, strict=True):
        mine = logs[kinds == kind]
        clean = np.array(face)
        if len(mine) >= _FEW:
            off = np.median(mine, 0) - own
            gain = np.exp(np.clip(cv2.GaussianBlur(off, (0, 0), _STONE_SOFT), -_MOST_OFF, _MOST_OFF))
            gain = cv2.resize(gain, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
            clean[y0:y1, x0:x1] = np.minimum(clean[y0:y1, x0:x1] * gain, 400)
        out.append(clean)
    return out


def _fitted(
    x: Array, y: Array, weight: Array, hold: float = _HOLD, limits: tuple[float, float] = _CONTRAST
) -> tuple[float, float]:
    """Contrast and shift that bring the samples x to y, most of them."""
    gain, shift = 1.0, 0.0
    trust = np.ones(len(x))
    for _ in range(_TURNS):
        w = weight * trust
        mx, my = np.average(x, weights=w), np.average(y, weights=w)
        cov, var = (w * (x - mx) * (y - my)).sum(), (w * (x - mx) ** 2).sum()
        gain = float(np.clip((cov + hold) / (var + hold), *limits))
        shift = float(my - gain * mx)
        miss = np.abs(y - gain * x - shift)
        trust = 1 / (1 + (miss / max(1.5 * float(np.median(miss)), 0.03)) ** 2)
    return gain, shift


def _sampled(rgb: Floats, places: Array, inner: float, outer: float, mean: Callable[..., Array]) -> Array:
    """(n, 16, 3) mean colour between two distances from each place."""
    h, w = rgb.shape[1:3]
    reach = int(np.ceil(outer))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    inside = (np.hypot(x, y) >= inner) & (np.hypot(x, y) <= outer)
    out = np.empty((len(rgb), len(places), 3))
    for k, (px, py) in enumerate(places):
        rows = np.clip(np.round(py + y[inside]).astype(int), 0, h - 1)
        columns = np.clip(np.round(px + x[inside]).astype(int), 0, w - 1)
        out[:, k] = mean(rgb[:, rows, columns], axis=1)
    return out
