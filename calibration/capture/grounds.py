"""The four colours of CONEX: the grounds of all cards, sorted in spite of different lamps over different photos."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

Array = NDArray[np.float64]

COLOURS = 4
_TURNS = 8
_ROUNDS = 4
_FAR = 30.0  # difference from which a card is simply of none of the colours
_STEADY = np.array([0.03, 0.3, 0.1])
"""How much less likely a lamp is the more it adds: lamps differ in brightness, less from warm to cold, least from red
to green."""
_DARK = 12.0  # of 255: what a dark channel is brightened by before shares are compared
_SHARE_LIGHTNESS = 0.5  # weight of lightness against colour
_VEILS = np.arange(0.0, 0.65, 0.1)  # shares of white that a lamp's reflection adds
_VEIL_COST = 12.0
_LIGHTNESS = 0.35  # weight of lightness against colour


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """Colours of all cards.

    Parameters
    ----------
    kinds
        (n,) number of each card's ground.
    lab
        (4, 3) the colours, in the light of the usual photo.
    cast
        (photos, 3) what the lamp of each photo adds to them.
    doubt
        (n,) 0 where the colour is clear, 1 where another is as near.
    palettes
        (photos, 4, 3) the colours in the light of each photo: as its cards show them, or else as its lamp would.
    """

    kinds: NDArray[np.intp]
    lab: Array
    cast: Array
    doubt: Array
    palettes: Array

    def palette(self, photo: int) -> Array:
        """(4, 3) the colours in the light of a photo."""
        return np.asarray(self.palettes[photo])


def lab_of(rgb: ArrayLike) -> Array:
    """(..., 3) Lab of RGB 0..255; there may be none."""
    if not np.size(rgb):
        return np.zeros(np.shape(rgb))
    flat = np.asarray(rgb, np.float32).reshape(1, -1, 3) / np.float32(255)
    return np.asarray(cv2.cvtColor(flat, cv2.COLOR_RGB2Lab), float).reshape(np.shape(rgb))


def rgb_of(lab: ArrayLike) -> Array:
    """(..., 3) RGB 0..255 of Lab."""
    flat = np.asarray(lab, np.float32).reshape(1, -1, 3)
    rgb = np.clip(cv2.cvtColor(flat, cv2.COLOR_Lab2RGB), 0, 1) * 255
    return np.asarray(rgb, float).reshape(np.shape(lab))


def ground_of(face: NDArray[np.uint8]) -> Array:
    """(3,) Lab of the colour that covers most of a face."""
    h, w = face.shape[:2]
    inner = face[h // 12 : h - h // 12, w // 12 : w - w // 12].reshape(-1, 3)
    lab = lab_of(inner[:: max(1, len(inner) // 4000)])
    middle = np.median(lab, 0)
    for _ in range(5):
        near = np.linalg.norm((lab - middle) * [_LIGHTNESS, 1, 1], axis=1)
        middle = np.median(lab[near <= max(6.0, float(np.percentile(near, 50)))], 0)
    return np.asarray(middle)


def sort_grounds(
    grounds: Sequence[Array],
    photos: Sequence[int],
    colours: int = COLOURS,
    lightness: float = _LIGHTNESS,
    most: int = 0,
) -> Grounds:
    """Sort the cards' grounds (Lab) into four colours, or some other number; each photo may have a lamp of its own.

    Where there are at most `most` of a colour, no colour gets more.
    """
    seen = np.array(grounds)
    photo = np.array(photos)
    weight = np.array([lightness, 1, 1])
    cast = np.zeros((int(photo.max()) + 1, 3))
    kinds = np.zeros(len(seen), np.intp)
    lab = np.zeros((colours, 3))
    for _ in range(_TURNS):
        data = ((seen - cast[photo]) * weight).astype(np.float32)
        cv2.setRNGSeed(1)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
        start = np.zeros((len(data), 1), np.int32)
        _, labels, _ = cv2.kmeans(data, colours, start, stop, 20, cv2.KMEANS_PP_CENTERS)
        kinds = np.asarray(labels[:, 0], np.intp)
        lab = np.stack([np.median((seen - cast[photo])[kinds == k], axis=0) for k in range(colours)])
        off = seen - lab[kinds]
        again = np.stack(
            [np.median(off[photo == p], 0) if (photo == p).any() else np.zeros(3) for p in range(len(cast))]
        )
        again -= np.median(again[np.unique(photo)], 0)
        if np.abs(again - cast).max() < 0.3:
            break
        cast = again
    for _ in range(3 if 0 < len(seen) <= colours * most else 0):
        distance = np.linalg.norm(((seen - cast[photo])[:, None] - lab[None]) * weight, axis=2)
        rows, seats = linear_sum_assignment(np.repeat(distance**2, most, axis=1))
        kinds[rows] = seats // most
        lab = np.stack([np.median((seen - cast[photo])[kinds == k], axis=0) for k in range(colours)])
        off = seen - lab[kinds]
        cast = np.stack([np.median(off[photo == p], 0) if (photo == p).any() else cast[p] for p in range(len(cast))])
        cast -= np.median(cast[np.unique(photo)], 0)
    distance = np.linalg.norm(((seen - cast[photo])[:, None] - lab[None]) * weight, axis=2)
    own = distance[np.arange(len(seen)), kinds]
    other = np.where(np.arange(colours)[None] == kinds[:, None], np.inf, distance).min(1)
    palettes = np.stack(
        [
            [
                np.median(seen[mine], 0) if (mine := (photo == p) & (kinds == k)).any() else lab[k] + cast[p]
                for k in range(colours)
            ]
            for p in range(len(cast))
        ]
    )
    return Grounds(kinds, lab, cast, np.minimum(own / np.maximum(other, 1e-6), 1.0), palettes)


def sort_under_lamps(grounds: Sequence[Array], photos: Sequence[int]) -> Grounds:
    """Sort the cards' grounds (Lab) into four colours, however different the lamps of the photos are.

    A lamp takes a share of each of red, green and blue. Many beginnings are tried, the colours of each photo by itself
    among them: under lamps far apart one colour looks like another.
    """
    seen = _shares(np.array(grounds))
    photo = np.array(photos)
    every = [np.ones(len(photo), bool), *(photo == p for p in np.unique(photo))]
    tried = [_explained(seen, photo, _grouped(seen[m])) for m in every if m.sum() >= COLOURS]
    _, colours, lamps = min(tried, key=lambda t: t[0])
    distance = _veiled_distance(seen, photo, colours, lamps)
    kinds = np.asarray(distance.argmin(1), np.intp)
    own, other = np.sort(distance, 1)[:, :2].T
    lab = np.array(grounds)
    palettes = np.stack(
        [
            [
                np.median(lab[mine], 0)
                if (mine := (photo == p) & (kinds == k)).any()
                else _lab_of_shares(colours[k] + lamps[p])
                for k in range(COLOURS)
            ]
            for p in range(len(lamps))
        ]
    )
    usual_lab = _lab_of_shares(colours)
    return Grounds(kinds, usual_lab, palettes.mean(1) - usual_lab.mean(0), own / np.maximum(other, 1e-6), palettes)


_AXES = np.array([[1, 1, 1], [1, -1, 0], [1, 1, -2]]) / np.sqrt([[3], [2], [6]])
_SCALE = np.array([_SHARE_LIGHTNESS, 1, 1]) * 60.0  # so that differences are about those of Lab


def _shares(lab: Array) -> Array:
    """(n, 3) in which a lamp adds the same to all colours."""
    return np.asarray(np.log(rgb_of(lab) + _DARK) @ _AXES.T * _SCALE)


def _lab_of_shares(shares: Array) -> Array:
    return lab_of(np.clip(np.exp(shares / _SCALE @ _AXES) - _DARK, 0, 255))


def _veiled_distance(seen: Array, photo: NDArray[np.intp], colours: Array, lamps: Array) -> Array:
    """(n, 4) how far each card is from each colour, which a lamp's reflection may have made paler."""
    out = np.full((len(seen), COLOURS), np.inf)
    white = np.log(255 + _DARK) * _AXES.sum(1) * _SCALE
    for p in np.unique(photo):
        mine = photo == p
        shown = np.exp((np.concatenate([colours, white[None]]) + lamps[p]) / _SCALE @ _AXES) - _DARK
        for veil in _VEILS:
            paler = np.log(np.clip((1 - veil) * shown[:-1] + veil * shown[-1], 0, 255) + _DARK) @ _AXES.T * _SCALE
            off = np.linalg.norm(seen[mine][:, None] - paler[None], axis=2) + _VEIL_COST * veil
            out[mine] = np.minimum(out[mine], off)
    return out


def _grouped(data: Array) -> Array:
    """(4, 3) middles of four groups."""
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    start = np.zeros((len(data), 1), np.int32)
    _, labels, _ = cv2.kmeans(data.astype(np.float32), COLOURS, start, stop, 10, cv2.KMEANS_PP_CENTERS)
    return np.stack([np.median(data[labels[:, 0] == k], axis=0) for k in range(COLOURS)])


def _explained(seen: Array, photo: NDArray[np.intp], colours: Array) -> tuple[float, Array, Array]:
    """How badly colours and lamps explain all photos, and both, from some colours on."""
    lamps = np.zeros((int(photo.max()) + 1, 3))
    for _ in range(_ROUNDS):
        lamps = _lamps(seen, photo, colours, lamps)
        kinds = np.linalg.norm((seen - lamps[photo])[:, None] - colours[None], axis=2).argmin(1)
        colours = np.stack(
            [
                np.median((seen - lamps[photo])[kinds == k], axis=0) if (kinds == k).any() else colours[k]
                for k in range(COLOURS)
            ]
        )
    usual = np.median(lamps[np.unique(photo)], 0)
    lamps, colours = lamps - usual, colours + usual
    off = ((seen - lamps[photo])[:, None] - colours[None]) ** 2
    near = np.minimum(off.sum(2).min(1), _FAR**2)
    return float(near.sum() + (lamps[photo] ** 2 @ _STEADY).sum()), colours, lamps


def _lamps(seen: Array, photo: NDArray[np.intp], colours: Array, before: Array) -> Array:
    """What each lamp adds, of all that make one card of its photo one of the colours."""
    out = before.copy()
    for p in np.unique(photo):
        mine = seen[photo == p]
        tried = np.concatenate([before[p][None], np.zeros((1, 3)), (mine[:, None] - colours[None]).reshape(-1, 3)])
        near = (((mine[None] - tried[:, None])[:, :, None] - colours) ** 2).sum(3)
        cost = np.minimum(near.min(2), _FAR**2).sum(1) + len(mine) * (tried**2 @ _STEADY)
        kinds = near[int(cost.argmin())].argmin(1)
        out[p] = np.median(mine - colours[kinds], axis=0)
    return out
