"""Cards whose printed line was taken for their edge: beyond it their own ground goes on, seen on all cards together."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.grounds import lab_of
from vision.cards.rectify import apply, homography
from vision.types import Quad, Rgb

Array = NDArray[np.float64]

_STEP = 0.004  # of a card's shorter side
_DEPTHS = np.arange(-0.1, 0.08, _STEP)  # of it: how far within an outline, negative outside
_ALONG = np.linspace(0.15, 0.85, 60)  # of a side: its ends are rounded, or hold something printed
_TABLE, _GROUND = -0.085, 0.045  # of it: as far outside lies the table, as far inside nothing of a line at the edge
_OWN = 0.5  # share of the way from the table's colour to the card's from which it is the card's
_TOLD, _NOISE = 2.5, 6.0  # difference in Lab, and that in noise, from which a card's ground is told from the table
_LINE = 0.05  # of it: so far outside a printed line may end
_LEAST, _EVEN = 0.008, 0.012  # of it: the least margin, and how far one side's may be from another's
_SHAPE = 0.02  # by how much cards with their margins may be longer or wider than their outlines, as a logarithm
_FEW = 3  # cards that tell a margin together


def with_margins(rgb: Rgb, quads: Sequence[Quad]) -> list[Quad]:
    """The outlines (4, 2) in px of a photo's cards, all of one size, as wide as their ground goes on beyond them.

    A line that is printed near the edge is easier seen than the edge itself where the table is nearly as light as the
    card. What goes on beyond it on all four sides and has the colour of the card's ground within is the card's margin:
    as far on each side, or so that cards with it are of the shape that they are known to be. A shadow lies on one side
    or two, and has the table's tint.
    """
    if len(quads) < _FEW:
        return list(quads)
    seen = [np.median([_side(rgb, quad, k) for quad in quads], axis=0) for k in range(4)]
    reach = np.array([_own_ground_to(side) for side in seen])
    if reach.min() < _LEAST:
        return list(quads)
    if np.ptp(reach) < _EVEN:
        reach[:] = np.median(reach)
        return [_wider(quad, reach) for quad in quads]
    out = [_wider(quad, reach) for quad in quads]
    known, now = (np.median([_proportion(q) for q in which]) for which in (quads, out))
    return out if abs(np.log(now / known)) < _SHAPE else list(quads)


def _own_ground_to(side: Array) -> float:
    """How far beyond the outline, or a line along it, colours (depths, 3) are the card's own, in its shorter sides."""
    table, ground = (np.median(side[np.abs(_DEPTHS - d) < 3.5 * _STEP], axis=0) for d in (_TABLE, _GROUND))
    way = ground - table
    noise = np.linalg.norm(np.diff(side[_DEPTHS < _TABLE + 3.5 * _STEP], axis=0), axis=1).mean()
    if np.linalg.norm(way) < max(_TOLD, _NOISE * noise):
        return 0.0
    share = (side - table) @ way / (way @ way)
    outside = np.flatnonzero(_DEPTHS < -0.5 * _STEP)[::-1]
    own = share[outside] > _OWN
    first = int(own.argmax())
    if not own[first] or -_DEPTHS[outside[first]] > _LINE or own[first:].all():
        return 0.0
    ends = first + int(own[first:].argmin())
    last, next_ = outside[ends - 1], outside[ends]
    return float(-np.interp(_OWN, share[[next_, last]], _DEPTHS[[next_, last]]))


def _side(rgb: Rgb, quad: Quad, k: int) -> Array:
    """(depths, 3) Lab along one side of a card, by how far within its outline."""
    (w, h), H = _sides(quad)
    t, d = np.meshgrid(_ALONG, _DEPTHS)
    at = ((t * w, d), (w - d, t * h), (t * w, h - d), (d, t * h))[k]
    px = apply(H, np.stack(at, -1).reshape(-1, 2)).reshape(*d.shape, 2).astype(np.float32)
    seen = cv2.remap(rgb, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(lab_of(seen), axis=1))


def _wider(quad: Quad, by: Array) -> Quad:
    """An outline wider by so much at its top, right, bottom and left (4,), in shorter sides."""
    (w, h), H = _sides(quad)
    top, right, bottom, left = by
    corners = [[-left, -top], [w + right, -top], [w + right, h + bottom], [-left, h + bottom]]
    return np.asarray(apply(H, np.array(corners)))


def _proportion(quad: Quad) -> float:
    (w, h), _ = _sides(quad)
    return float(w / h)


def _sides(quad: Quad) -> tuple[Array, Array]:
    """(2,) a card's sides, the shorter of which is 1, and (3, 3) what takes places on it to px."""
    sides = np.linalg.norm(quad - np.roll(quad, -1, axis=0), axis=1).reshape(2, 2).mean(0)
    w, h = sides / sides.min()
    return np.array([w, h]), homography(np.array([[0, 0], [w, 0], [w, h], [0, h]], float), quad)
