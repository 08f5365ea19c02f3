"""The frame round the corners of CONEX: one width and one colour on all cards, which tells where each corner ends."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.capture.conex.regions import inner_sides, within
from calibration.capture.grounds import lab_of

Array = NDArray[np.float64]

_STEP_MM = 0.1
_INSIDE_MM, _OUTSIDE_MM = 2.6, 2.2  # of a corner's side: how far its surroundings are looked at
_BACK_MM, _ON_MM = 0.9, 1.7  # ... and how far it may have to be moved
_ALONG = np.linspace(0.15, 0.85, 40)
_WIDTHS = np.arange(0.4, 1.65, 0.2)  # mm
_UNEVEN_MM, _UNEVEN = (
    np.arange(-0.4, 0.45, 0.1),
    0.15,
)  # by how much a frame may seem wider than usual, and usually does
_BLURS = np.array([0.15, 0.25, 0.35, 0.42, 0.5, 0.7])  # mm
_BETTER = 0.7  # share of what no frame leaves unexplained at which there is one
_STANDS_OUT = 14.0  # difference in Lab at which a frame is seen beside what it parts
_STEADY = 0.08  # how much a frame's usual colour counts beside what is seen, as a share of the samples
_WEIGHT = np.array([0.6, 1.0, 1.0])  # of lightness and colour
_HOLD = 1e-3


def on_the_frame(
    faces: Sequence[NDArray[np.uint8]],
    photos: Sequence[int],
    regions: Sequence[Sequence[Array]],
    size_mm: tuple[float, float],
    px_per_mm: float,
) -> list[list[Array]]:
    """The corners' outlines (n, 2) of every card, mm, each inner side moved onto the outer edge of the frame.

    Parameters
    ----------
    faces, photos
        The cards, (rows, columns, 3) at that scale, and the number of the photo that each lies on.
    regions
        Outlines of the corners of each.
    """
    profiles: list[Array] = []
    lamps: list[int] = []
    sides: list[tuple[int, int, Array, Array]] = []
    for i, (face, photo, some) in enumerate(zip(faces, photos, regions, strict=True)):
        lab = lab_of(face).astype(np.float32)
        for k, region in enumerate(some):
            for a, b, out in inner_sides(region, size_mm):
                profiles.append(_across(lab, a, b, out, px_per_mm))
                lamps.append(photo)
                sides.append((i, k, a, out))
    moved: dict[tuple[int, int], list[tuple[Array, Array]]] = {}
    for (i, k, a, out), far in zip(sides, _moves(np.array(profiles), np.array(lamps)), strict=True):
        moved.setdefault((i, k), []).append((a + far * out, out))
    done = []
    for i, some in enumerate(regions):
        again = [within(moved.get((i, k), []), size_mm) for k in range(len(some))]
        done.append(
            [
                r if a is None or (i, k) not in moved else np.round(a, 2)
                for k, (r, a) in enumerate(zip(some, again, strict=True))
            ]
        )
    return done


def _across(lab: NDArray[np.float32], a: Array, b: Array, out: Array, px_per_mm: float) -> Array:
    """(n, 3) usual Lab colours across a corner's side a–b, from its inside to the ground."""
    shifts = np.arange(-_INSIDE_MM, _OUTSIDE_MM + _STEP_MM / 2, _STEP_MM)
    grid = a + (b - a) * _ALONG[:, None, None] + out * shifts[None, :, None]
    px = (grid * px_per_mm - 0.5).astype(np.float32)
    seen = cv2.remap(lab, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.median(seen, 0), float)


def _moves(seen: Array, photos: Array) -> Array:
    """(n,) how far out of the corner, mm, each side must be moved to run along the outer edge of the frame."""
    if not len(seen):
        return np.zeros(0)
    profiles = seen * _WEIGHT
    moves = np.arange(-_BACK_MM, _ON_MM + 1e-6, 0.05)
    plain = _left(profiles, photos, moves, 0.0)
    framed = {float(w): _left(profiles, photos, moves, float(w)) for w in _WIDTHS}
    # most sides tell, a few were taken for something else
    width = min(framed, key=lambda w: float(np.sqrt(framed[w][0]).sum()))
    left, blurs = framed[width]
    if np.sqrt(left).sum() > _BETTER * np.sqrt(plain[0]).sum():
        return np.array(
            [moves[_explained(p, moves, 0.0, b)[0].argmin()] for p, b in zip(profiles, plain[1], strict=True)]
        )
    colours = []
    for profile, blur in zip(profiles, blurs, strict=True):
        miss, solved = _explained(profile, moves, width, blur)
        colours.append(solved[int(miss.argmin())])
    usual = _usual_frame(np.stack(colours), photos)
    noise = float(np.median(left)) / profiles.shape[1]
    out = []
    for i, profile in enumerate(profiles):
        tried = []
        for more in _UNEVEN_MM:
            if width + more > 0.2:
                miss = _explained(profile, moves, width + more, blurs[i], usual.get(int(photos[i])))[0]
                best = int(miss.argmin())
                doubt = max(noise, left[i] / len(profile))
                tried.append((float(miss[best] / doubt + (more / _UNEVEN) ** 2), float(moves[best])))
        out.append(min(tried)[1])
    return np.array(out)


def _usual_frame(colours: Array, photos: Array) -> dict[int, Array]:
    """The frame's colour in each photo, of (n, 3, 3) the colours of corner, frame and ground of each side."""
    apart = np.minimum(*(np.linalg.norm(colours[:, 1] - colours[:, k], axis=1) for k in (0, 2)))
    shown = {int(p): colours[(photos == p) & (apart > _STANDS_OUT), 1] for p in np.unique(photos)}
    return {p: np.median(c, 0) for p, c in shown.items() if len(c)}


def _left(profiles: Array, photos: Array, moves: Array, width: float) -> tuple[Array, Array]:
    """(n,) what remains unexplained of each side, with the blur that suits its photo best, and that blur."""
    tried = np.stack([[_explained(p, moves, width, float(blur))[0].min() for p in profiles] for blur in _BLURS])
    best = {p: int(tried[:, photos == p].sum(1).argmin()) for p in np.unique(photos)}
    which = np.array([best[p] for p in photos])
    return np.asarray(tried[which, np.arange(len(profiles))]), np.asarray(_BLURS[which])


def _explained(
    profile: Array, moves: Array, width: float, blur: float, ink: Array | None = None
) -> tuple[Array, Array]:
    """(m,) what ground, frame and corner leave unexplained for each place of the side, and their colours (m, 3, 3)."""
    A = _blends(moves, width, blur, len(profile))
    b = np.broadcast_to(profile, (len(moves), *profile.shape))
    n = A.shape[2]
    # the frame's usual colour counts like so many more samples
    more = np.zeros((n, n))
    aim = np.zeros((n, 3))
    if ink is not None and n == 3:
        more[1, 1] = _STEADY * len(profile)
        aim[1] = more[1, 1] * ink
    normal = A.transpose(0, 2, 1) @ A + more + _HOLD * np.eye(n)
    colours = np.linalg.solve(normal, A.transpose(0, 2, 1) @ b + aim)
    miss = np.asarray(((A @ colours - b) ** 2).sum((1, 2)))
    if ink is not None and n == 3:
        miss += more[1, 1] * ((colours[:, 1] - ink) ** 2).sum(1)
    return miss, np.asarray(colours)


def _blends(moves: Array, width: float, blur: float, count: int) -> Array:
    """(m, count, 3) shares of corner, frame and ground across a side, for each place of it; two without a frame."""
    shifts = -_INSIDE_MM + _STEP_MM * np.arange(count)
    ground = ndtr((shifts[None] - moves[:, None]) / blur)
    corner = 1 - ndtr((shifts[None] - moves[:, None] + width) / blur)
    if not width:
        return np.stack([corner, ground], 2)
    return np.stack([corner, 1 - ground - corner, ground], 2)
