"""The silver sign in the middle of a CONEX card: a plus and a 2, a die, or none; and which way up it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.conex.corners import PX_PER_MM
from calibration.capture.conex.two import two_either_way
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]

_MIDDLE = (0.2, 0.8, 0.3, 0.7)  # left, right, top and bottom of the part of the card in which a sign stands, as shares
_LIGHTNESS = 0.55  # weight of lightness against colour
_LEAST_MM2 = 14.0
_SPECK_MM2 = 1.0
_CENTRED = 0.15  # of that part: how far a sign's middle may be from the card's
_TOP = 98.5  # percentile of the difference from the ground that a sign reaches
_SHARE = 0.45  # of that: where a sign begins
_STANDS_OUT = (5.0, 8.0)  # difference from the ground: at most of none, at least of a sign
_NOISE = (4.0, 6.0)  # the same in usual differences of the ground
_TWO = (
    0.6,
    0.45,
    0.85,
)  # how surely a 2 is read: from which it is one, at most of what is none, at least of a sure one
_FULL = (0.81, 0.84)  # share of its hull that a die fills: rather than anything else, and surely
_SOLID = 0.6  # of what its outline encloses: ink of a die that is not only outlined
_PIP_MM2, _PIPS = 0.5, 3  # a pip's area at least, and more parts of ink than a ring, a plus and a 2 are
_HEART = 0.18  # of the card's width: half the side of a sign's inside, within which it is compared with others
_SOFT_MM = 0.6
_BESIDE_MM = 1.0  # how far from the card's middle a sign's middle may be
_ALIKE = 0.65  # correlation of what is not the same on its head, from which two signs stand alike
_CHANGES = 0.25  # of what is printed: least that half a turn changes of a sign that has a top


@dataclass(frozen=True, slots=True, eq=False)
class Sign:
    """What stands in the middle of a card: "plus2", "die" or nothing; whether it stands on its head; how sure."""

    name: str | None
    turned: bool
    sure: bool


def read_sign(face: NDArray[np.uint8]) -> Sign:
    """The sign of a card cut out at `PX_PER_MM`, (rows, columns, 3)."""
    h, w = face.shape[:2]
    x0, x1, y0, y1 = (round(v * s) for v, s in zip(_MIDDLE, (w, w, h, h), strict=True))
    lab = lab_of(cv2.bilateralFilter(face, 5, 30, 3))[y0:y1, x0:x1]
    off, noise = _off_ground(lab)
    top = float(np.percentile(off, _TOP))
    if top < max(_STANDS_OUT[0], _NOISE[0] * noise):
        return Sign(None, False, True)
    solid = cv2.morphologyEx((off > _SHARE * top).astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(solid, connectivity=8)
    kept = [
        i
        for i in range(1, count)
        if stats[i, cv2.CC_STAT_AREA] > _SPECK_MM2 * PX_PER_MM**2
        and stats[i, 0] > 0
        and stats[i, 1] > 0
        and stats[i, 0] + stats[i, 2] < x1 - x0
        and stats[i, 1] + stats[i, 3] < y1 - y0
    ]
    sign = np.isin(labels, kept).astype(np.uint8)
    contours, _ = cv2.findContours(sign, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    area = sum(cv2.contourArea(c) for c in contours)
    if area < _LEAST_MM2 * PX_PER_MM**2:
        return Sign(None, False, area < 0.5 * _LEAST_MM2 * PX_PER_MM**2)
    at = np.array([np.nonzero(sign.any(axis))[0][[0, -1]].mean() for axis in (0, 1)]) / sign.shape[::-1]
    if np.abs(at - 0.5).max() > _CENTRED:
        return Sign(None, False, False)
    clear = top > max(_STANDS_OUT[1], _NOISE[1] * noise)
    two = two_either_way(face[y0:y1, x0:x1])
    if two.max() > _TWO[0]:
        return Sign("plus2", bool(two[1] > two[0]), bool(two.max() > _TWO[2] and two.min() < _TWO[1]))
    # a die fills its hull, however it is drawn; what does not and shows no 2 is rather wear than a sign
    full = area / cv2.contourArea(cv2.convexHull(np.concatenate(contours)))
    if full > _FULL[0]:
        # a ring round a 2 that cannot be read is as full: a die that is only outlined shows its pips
        pips = sum(a > _PIP_MM2 * PX_PER_MM**2 for a in stats[1:, cv2.CC_STAT_AREA])
        is_die = float(sign.sum()) > _SOLID * area or pips > _PIPS
        return Sign("die", False, bool(clear and full > _FULL[1] and two.max() < _TWO[1] and is_die))
    return Sign(None, False, False)


def _off_ground(lab: Array) -> tuple[Array, float]:
    """(rows, columns) how much a part differs from its ground, and how much the ground itself does."""
    h, w = lab.shape[:2]
    y, x = np.mgrid[:h, :w]
    A = np.c_[np.ones(h * w), x.ravel() / w - 0.5, y.ravel() / h - 0.5]
    flat = lab.reshape(-1, 3)
    weight = np.array([_LIGHTNESS, 1, 1])
    off = np.linalg.norm((flat - np.median(flat, 0)) * weight, axis=1)
    for _ in range(4):
        near = off <= np.percentile(off, 70)
        fit = np.linalg.lstsq(A[near], flat[near], rcond=None)[0]
        off = np.linalg.norm((flat - A @ fit) * weight, axis=1)
    return np.asarray(off.reshape(h, w)), float(np.median(off))


def heads_alike(faces: Sequence[NDArray[np.uint8]]) -> list[int]:
    """How each of some cards lies that bear the same sign: 1 as most of them, -1 on its head, 0 where it does not tell.

    Faces are cut out at `PX_PER_MM`. Only what changes by half a turn counts, so light and ground have no say.
    """
    if len(faces) < 2:
        return [0] * len(faces)
    changed = [_changed_by_half_a_turn(f) for f in faces]
    odd = np.stack([c for c, _ in changed])
    like = odd @ odd.T
    np.fill_diagonal(like, 0.0)
    way = np.linalg.eigh(like)[1][:, -1]
    way = np.sign(way) * (1 if np.sign(way).sum() >= 0 else -1)
    usual = way @ odd
    out = []
    for one, w, (_, share) in zip(odd, way, changed, strict=True):
        others = usual - w * one  # no card speaks for itself
        size = float(np.linalg.norm(others))
        own = float(one @ others) / size if size else 0.0
        out.append(0 if abs(own) < _ALIKE or share < _CHANGES else 1 if own > 0 else -1)
    return out


def _changed_by_half_a_turn(face: NDArray[np.uint8]) -> tuple[Array, float]:
    """The part of a sign's lightness that half a turn reverses, of length 1, and its share of all that is printed.

    A slope of the light is taken off, and the sign may stand a little beside the card's middle.
    """
    h, w = face.shape[:2]
    r, beside = round(_HEART * w), round(_BESIDE_MM * PX_PER_MM)
    light = lab_of(face)[..., 0]
    soft = cv2.GaussianBlur(light, (0, 0), _SOFT_MM * PX_PER_MM)
    y, x = np.mgrid[-r : r + 1, -r : r + 1]
    A = np.c_[np.ones(x.size), x.ravel(), y.ravel()]
    best = (np.zeros(x.size), np.inf)
    for dy in range(-beside, beside + 1):
        for dx in range(-beside, beside + 1):
            part = soft[h // 2 + dy - r : h // 2 + dy + r + 1, w // 2 + dx - r : w // 2 + dx + r + 1].ravel()
            part = np.asarray(part - A @ np.linalg.lstsq(A, part, rcond=None)[0], float)
            odd = 0.5 * (part - part[::-1])
            share = float(np.linalg.norm(odd)) / max(float(np.linalg.norm(part)), 1e-9)
            best = min(best, (odd, share), key=lambda b: b[1])
    odd, share = best
    return np.asarray(odd / max(float(np.linalg.norm(odd)), 1e-9)), share
