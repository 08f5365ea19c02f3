"""The five paints of Cactus: the colours of all pieces, sorted however differently the photographs were lit.

Whatever the lamp, the exposure and the table around, a photograph shows every paint by the same share of red, of green
and of blue lighter or darker than another photograph does; and of no paint there are more pieces than the game has.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.capture.grounds import Grounds, lab_of, rgb_of

Array = NDArray[np.float64]
Kinds = NDArray[np.intp]

_DARK = 12.0  # of 255: what a dark channel is brightened by before shares are compared
_AXES = np.array([[1, 1, 1], [1, -1, 0], [1, 1, -2]]) / np.sqrt([[3], [2], [6]])
_SCALE = np.array([0.5, 1, 1]) * 60.0  # so that differences are about those of Lab, lightness telling less than tint
_FAR = 40.0  # difference from which a piece is simply of none of the paints
_STEADY = np.array([0.004, 0.03, 0.06])  # how much less likely light is the more it adds: exposure, warmth, green
_VEILS = np.arange(0.0, 0.45, 0.05)  # shares of white that a lamp's reflection adds
_VEIL_COST = 25.0
_ROUNDS = 6


def sort_paints(seen: Sequence[Array], photos: Sequence[int], paints: int, most: int) -> Grounds:
    """Sort the colours (Lab) of pieces into paints, of none of which there are more than `most` pieces.

    Many beginnings are tried, the colours of each photo by itself among them.
    """
    lab = np.array(seen)
    photo = np.array(photos)
    shares = _shares(lab)
    every = [np.ones(len(photo), bool), *(photo == p for p in np.unique(photo))]
    tried = [
        _explained(shares, photo, start, most)
        for mine in every
        if mine.sum() >= paints
        for start in _grouped(shares[mine], paints)
    ]
    _, kinds, middles, light = min(tried, key=lambda t: t[0])
    distance = _distance(shares, photo, middles, light)
    kinds = _assigned(distance**2, most)
    own = distance[np.arange(len(lab)), kinds]
    other = np.where(np.arange(paints)[None] == kinds[:, None], np.inf, distance).min(1)
    palettes = np.stack(
        [
            [
                np.median(lab[mine], 0) if (mine := (photo == p) & (kinds == k)).any() else _lab_of(middles[k] + one)
                for k in range(paints)
            ]
            for p, one in enumerate(light)
        ]
    )
    usual = _lab_of(middles)
    doubt = np.minimum(own / np.maximum(other, 1e-6), 1.0)
    return Grounds(kinds, usual, palettes.mean(1) - usual.mean(0), doubt, palettes)


def _shares(lab: Array) -> Array:
    """(n, 3) in which light adds the same to all paints."""
    return np.asarray(np.log(rgb_of(lab) + _DARK) @ _AXES.T * _SCALE)


def _lab_of(shares: Array) -> Array:
    return lab_of(np.clip(np.exp(shares / _SCALE @ _AXES) - _DARK, 0, 255))


def _distance(shares: Array, photo: Kinds, middles: Array, light: Array) -> Array:
    """(n, paints) how far each piece is from each paint, as it is lit, overexposed, veiled by a reflection."""
    out = np.full((len(shares), len(middles)), np.inf)
    for p in np.unique(photo):
        mine = photo == p
        shown = np.clip(np.exp((middles + light[p]) / _SCALE @ _AXES) - _DARK, 0, 255)
        for veil in _VEILS:
            paler = np.log((1 - veil) * shown + veil * 255 + _DARK) @ _AXES.T * _SCALE
            off = np.linalg.norm(shares[mine][:, None] - paler[None], axis=2) + _VEIL_COST * veil
            out[mine] = np.minimum(out[mine], off)
    return out


def _grouped(data: Array, paints: int) -> list[Array]:
    """Beginnings: (paints, 3) middles of groups."""
    out = []
    for seed in (1, 2):
        cv2.setRNGSeed(seed)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
        start = np.zeros((len(data), 1), np.int32)
        _, labels, _ = cv2.kmeans(data.astype(np.float32), paints, start, stop, 10, cv2.KMEANS_PP_CENTERS)
        out.append(np.stack([np.median(data[labels[:, 0] == k], axis=0) for k in range(paints)]))
    return out


def _explained(shares: Array, photo: Kinds, middles: Array, most: int) -> tuple[float, Kinds, Array, Array]:
    """How badly paints and the light of each photo explain all pieces; the paints' numbers, the paints, the light."""
    light = np.zeros((int(photo.max()) + 1, 3))
    kinds = np.zeros(len(shares), np.intp)
    for _ in range(_ROUNDS):
        light = _lights(shares, photo, middles, light)
        kinds = _assigned((((shares - light[photo])[:, None] - middles[None]) ** 2).sum(2), most)
        own = shares - light[photo]
        middles = np.stack(
            [np.median(own[kinds == k], axis=0) if (kinds == k).any() else middles[k] for k in range(len(middles))]
        )
        usual = np.median(light[np.unique(photo)], 0)
        light, middles = light - usual, middles + usual
    off = (((shares - light[photo]) - middles[kinds]) ** 2).sum(1)
    cost = float(np.minimum(off, _FAR**2).sum())
    return cost + float((_STEADY * light[photo] ** 2).sum()), kinds, middles, light


def _assigned(square: Array, most: int) -> Kinds:
    """(n,) the paint of each piece, of none of which there are more than `most`."""
    distance = np.minimum(square, _FAR**2)
    if len(distance) > distance.shape[1] * most:
        return np.asarray(distance.argmin(1), np.intp)
    rows, seats = linear_sum_assignment(np.repeat(distance, most, axis=1))
    kinds = np.zeros(len(distance), np.intp)
    kinds[rows] = seats // most
    return kinds


def _lights(shares: Array, photo: Kinds, middles: Array, before: Array) -> Array:
    """What the light of each photo adds, of all that make one piece of it one of the paints."""
    out = before.copy()
    for p in np.unique(photo):
        mine = shares[photo == p]
        tried = np.concatenate([before[p][None], np.zeros((1, 3)), (mine[:, None] - middles[None]).reshape(-1, 3)])
        near = (((mine[None] - tried[:, None])[:, :, None] - middles) ** 2).sum(3)
        cost = np.minimum(near.min(2), _FAR**2).sum(1) + len(mine) * (_STEADY * tried**2).sum(1)
        kinds = near[int(cost.argmin())].argmin(1)
        out[p] = np.median(mine - middles[kinds], axis=0)
    return out
