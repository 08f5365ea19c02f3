"""Small pictures of the table as it was: what changed since a piece was seen, and whether its place is bare again.

A card that the eye does not find may lie under glare, under a hand or a mug, or be gone. The pictures tell which: under
glare its place looks as it did, something held over it reaches beyond its outline, and where it was taken away its
place looks as it did before it was laid, or like the table around.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tracking.change import Change, Mask, find_regions, small_corners
from vision.tracking.drift import Motion
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
_Shares = NDArray[np.float32]

_WIDTH = 480
_CONTRAST = 0.1
"""A change of a small pixel's colour, as a share of the brightness there."""
_LEAST_AREA = 1.5e-4
"""Smallest change that counts, as a share of the picture."""
_SAME_LIGHT = 0.01
_TELLING = 0.1
"""Share of a place in which two pictures of it must differ before they can tell what lies there."""


@dataclass(slots=True, eq=False)
class _Picture:
    rgb: Rgb
    size_px: tuple[int, int]
    to_now: Array

    @property
    def scale(self) -> tuple[float, float]:
        return self.size_px[0] / self.rgb.shape[1], self.size_px[1] / self.rgb.shape[0]


class Album:
    """The newest picture, and older ones as long as somebody asks for them by their names."""

    def __init__(self) -> None:
        self._pictures: dict[int, _Picture] = {}
        self._changes: dict[int, Change] = {}
        self._newest = -1

    def add(self, rgb: Rgb, motion: Motion) -> int:
        """Take in the present picture; the older ones were moved by `motion`. Gives its name."""
        size = (rgb.shape[1], rgb.shape[0])
        if any(p.size_px != size for p in self._pictures.values()):
            self._pictures.clear()  # taken by another camera
        for picture in self._pictures.values():
            picture.to_now = motion.matrix @ picture.to_now
        self._newest += 1
        self._pictures[self._newest] = _Picture(_small(rgb), size, np.eye(3))
        self._changes.clear()
        return self._newest

    def keep(self, names: Iterable[int | None]) -> None:
        """Forget all pictures but these and the newest."""
        wanted = {*names, self._newest}
        self._pictures = {name: p for name, p in self._pictures.items() if name in wanted}

    def change(self, since: int | None) -> Change | None:
        """What changed since that picture; None where it is not known any more."""
        if since is None or since not in self._pictures:
            return None
        if since not in self._changes:
            self._changes[since] = self._compare(since)
        return self._changes[since]

    def _compare(self, since: int) -> Change:
        old, now = self._pictures[since], self._pictures[self._newest]
        before = self._as_now(old)
        off = _difference(before, now.rgb)
        limit = _CONTRAST
        return find_regions(_cleaned(off > limit), _cleaned(off > limit / 2), now.scale, now.size_px, _LEAST_AREA)

    def _as_now(self, old: _Picture) -> Rgb:
        """An older picture where the present one shows things, in the present light."""
        now = self._pictures[self._newest]
        before = old.rgb
        if not (old.to_now == np.eye(3)).all():
            s = np.array(
                [[now.scale[0], 0, now.scale[0] / 2 - 0.5], [0, now.scale[1], now.scale[1] / 2 - 0.5], [0, 0, 1]]
            )
            matrix = np.linalg.inv(s) @ old.to_now @ s
            h, w = before.shape[:2]
            warped = cv2.warpPerspective(
                before, matrix, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
            before = np.asarray(warped, np.uint8)
        some = np.s_[::8, ::8]
        gain = np.median((now.rgb[some] + 1.0) / (before[some] + 1.0), axis=(0, 1))
        if np.abs(gain - 1).max() < _SAME_LIGHT:
            return before
        return np.asarray(cv2.multiply(before, np.append(gain, 0.0)), np.uint8)

    def bare(self, quad_px: Quad, seen: int | None, bare: int | None, without: Sequence[Quad]) -> float | None:
        """How far a piece's place looks bare now, rather than as it did with the piece, 0 to 1.

        Parameters
        ----------
        quad_px
            Outline of the piece in the present picture.
        seen
            Name of the picture in which it was last seen.
        bare
            Name of the picture in which its place was last seen without it; None goes by what surrounds it.
        without
            Outlines in the present picture that say nothing: what lies there now.

        Returns
        -------
        float or None
            None where the two cannot be told apart, or one of the pictures is not known any more.
        """
        if seen is None or seen not in self._pictures:
            return None
        now = self._pictures[self._newest]
        inside = _filled(quad_px, now)
        whole = np.count_nonzero(inside)
        for other in without:
            inside &= ~_filled(other, now)
        inside = cv2.erode(inside.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        with_piece = self._as_now(self._pictures[seen])
        if bare is not None and bare in self._pictures:
            before = self._as_now(self._pictures[bare])
            off_bare = _difference(before, now.rgb)
        else:
            # What lies around as it did is the table; an arm that lies there now says nothing.
            around = _around(quad_px, now, without) & (_difference(with_piece, now.rgb) < _CONTRAST)
            if np.count_nonzero(around) < 0.2 * whole:
                return None
            table = now.rgb[around].astype(np.float32)
            middle = np.median(table, axis=0)
            spread = np.percentile(np.abs(table - middle), 90, axis=0)
            before = np.empty_like(now.rgb)
            before[:] = np.round(middle)
            beyond = cv2.subtract(cv2.absdiff(now.rgb, before), np.append(spread, 0.0))
            off_bare = _relative(np.asarray(beyond, np.uint8), now.rgb)
        telling = inside & (_relative(np.asarray(cv2.absdiff(before, with_piece), np.uint8), now.rgb) > _CONTRAST)
        count = np.count_nonzero(telling)
        if count < max(9, _TELLING * whole):
            return None
        off_seen = _difference(with_piece, now.rgb)
        return float(np.count_nonzero(telling & (off_bare < _CONTRAST) & (off_bare < off_seen)) / count)


def _small(rgb: Rgb) -> Rgb:
    height, width = rgb.shape[:2]
    wanted = min(_WIDTH, width)
    size = (wanted, max(1, round(height * wanted / width)))
    while rgb.shape[1] >= 2 * wanted:
        # Exact halves are the mean of 2 x 2 pixels, and many times faster than one step to any size.
        half = cv2.resize(rgb, (rgb.shape[1] // 2, rgb.shape[0] // 2), interpolation=cv2.INTER_LINEAR)
        rgb = np.asarray(half, np.uint8)
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)


def _difference(before: Rgb, now: Rgb) -> _Shares:
    """How far each pixel is off from all that the other picture shows next to it, as a share of its brightness.

    A picture that is off by a fraction of a small pixel shows the same things in the neighbouring ones.
    """
    kernel = np.ones((3, 3), np.uint8)
    # Of bytes the subtraction ends at 0.
    over = cv2.subtract(now, cv2.dilate(before, kernel))
    under = cv2.subtract(cv2.erode(before, kernel), now)
    return _relative(np.asarray(cv2.max(over, under), np.uint8), now)


def _relative(off: Rgb, now: Rgb) -> _Shares:
    level = _largest(now)
    floor = max(8.0, 0.25 * float(level.mean()))
    return _largest(off) / (level + np.float32(floor))


def _largest(of: Rgb) -> _Shares:
    """(h, w) the largest of the three colours; many times faster than a reduction along the last axis."""
    red, green, blue = cv2.split(of)
    return np.asarray(cv2.max(cv2.max(red, green), blue), np.float32)


def _cleaned(off: Mask) -> Mask:
    """Without single pixels, which are noise, and joined over small gaps."""
    single = off.astype(np.uint8)
    around = cv2.filter2D(single, cv2.CV_16S, np.ones((3, 3), np.int16), borderType=cv2.BORDER_REPLICATE)
    kept = single & (around >= 3).astype(np.uint8)
    return cv2.morphologyEx(kept, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)) > 0


def _filled(quad_px: Quad, picture: _Picture) -> Mask:
    canvas = np.zeros(picture.rgb.shape[:2], np.uint8)
    cv2.fillConvexPoly(canvas, small_corners(quad_px, picture.scale), 1)
    return canvas > 0


def _around(quad_px: Quad, picture: _Picture, without: Sequence[Quad]) -> Mask:
    """A band around an outline, half as wide as it, without what lies there."""
    centre = quad_px.mean(axis=0)
    band = _filled(centre + 1.5 * (quad_px - centre), picture) & ~_filled(centre + 1.1 * (quad_px - centre), picture)
    for other in without:
        middle = other.mean(axis=0)
        band &= ~_filled(middle + 1.1 * (other - middle), picture)
    return band
