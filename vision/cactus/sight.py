"""What the picture shows where a piece hangs: whether that is as it was tells of pieces that the eye overlooked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon

from vision.cactus.cactus_set import PieceLook
from vision.cactus.upright import HungPiece, Stage
from vision.paint import middle
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_GRID_MM = 1.2
EDGE_MM = 0.8
"""So near its edge a piece's colour is mixed with what is behind it."""
ALIKE = 0.1
"""Colours that differ by less than this share of white are alike: light flickers, and a camera's noise is less."""
SAME = 0.06
"""Colours of a place at which nothing happened between two pictures differ by less than this share of white."""
_LEAST_POINTS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """A settled picture with its cacti.

    Parameters
    ----------
    rgb
        The picture.
    stage
        Where the cacti stand in it.
    light
        (3,) how bright the picture is as a whole, channel by channel.
    """

    rgb: Rgb
    stage: Stage
    light: Array

    @classmethod
    def of(cls, rgb: Rgb, stage: Stage) -> Sight:
        """The sight of a picture."""
        return cls(rgb, stage, middle(rgb[::8, ::8].reshape(-1, 3)) + 4.0)

    def places(self, look: PieceLook, hung: HungPiece) -> Array | None:
        """(n, 2) px: points well inside the piece, were it to hang there in this picture; None without its cactus."""
        upright = next((u for u in self.stage.cacti if u.id == hung.cactus), None)
        if upright is None:
            return None
        flat = inner_points(look) * ([-1.0, 1.0] if hung.flipped else [1.0, 1.0])
        points = np.column_stack([flat, np.zeros(len(flat))])
        return self.stage.project(points, upright.to_camera.after(hung.to_cactus))

    def colours(self, places_px: Array) -> Array:
        """(n, 3) colours there as shares of the picture's light; NaN outside the picture."""
        height, width = self.rgb.shape[:2]
        at = np.round(places_px).astype(int)
        inside = (at >= 1).all(1) & (at[:, 0] < width - 1) & (at[:, 1] < height - 1)
        out = np.full((len(at), 3), np.nan)
        x, y = at[inside].T
        around = [dy * width + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
        near = np.take(self.rgb.reshape(-1, 3), (y * width + x)[:, None] + around, axis=0)
        out[inside] = near.sum(axis=1, dtype=np.int64) / 9 / self.light
        return out


@lru_cache(maxsize=256)
def inner_points(look: PieceLook) -> Array:
    """(n, 2) points of an even grid well inside a piece's outline, in mm."""
    outline = Polygon(look.outline_mm).buffer(0).buffer(-EDGE_MM)
    low, high = look.outline_mm.min(0), look.outline_mm.max(0)
    xs, ys = np.arange(low[0], high[0], _GRID_MM), np.arange(low[1], high[1], _GRID_MM)
    grid = np.stack(np.meshgrid(xs, ys), -1).reshape(-1, 2)
    return np.asarray(grid[shapely.contains_xy(outline, grid[:, 0], grid[:, 1])], np.float64)


def likeness(
    before: Array, after: Array, light: Array, within: float, free: Mask | None = None, *, shade: bool = False
) -> float | None:
    """Share of places whose colour is as it was; None where too few can be compared.

    Parameters
    ----------
    before, after
        (n, 3) colours of the same places, of `Sight.colours`.
    light
        (3,) how bright the later picture is, of `Sight.light`.
    within
        How alike colours must be, as a share of white.
    free
        (n,) which places count; all where None.
    shade
        Whether a shadow may have fallen on a place, or left it. Where it can be told from another paint, all but the
        shade must be the same.
    """
    usable = np.isfinite(before).all(1) & np.isfinite(after).all(1)
    if free is not None:
        usable &= free
    if usable.sum() < _LEAST_POINTS:
        return None
    old, new = before[usable], after[usable]
    limit = np.full(len(old), within)
    if shade:
        factor, told = _shade(old, new)
        old = old * factor[:, None]
        limit[told] = min(within, SAME)
    off = np.abs(old - new) * light / 255.0
    return float((off.max(1) < limit).mean())


def _shade(before: Array, after: Array) -> tuple[Array, Mask]:
    """By how much a place seems to lie in shadow, or out of it, since: (n,), and whether its colour can tell that.

    A pale one tells shade from no other paint.
    """
    pale = 1 - np.ptp(before, axis=1) / np.maximum(before.max(1), 1e-6)
    room = np.clip(0.75 - pale, 0.0, 0.5)
    factor = (before * after).sum(1) / np.maximum((before**2).sum(1), 1e-6)
    return np.clip(factor, 1 - room, 1 + room / 2), np.asarray(room > 0, np.bool_)


def own_places(colours: Array, visible: float, rgb: tuple[float, float, float]) -> Mask:
    """(n,) at which of its places a piece itself is seen, and not what hangs before it.

    Parameters
    ----------
    colours
        (n, 3) colours of its places, of `Sight.colours`.
    visible
        Share of the piece that is seen.
    rgb
        Its colour in the set.
    """
    known = np.asarray(np.isfinite(colours).all(1), np.bool_)
    if not known.any():
        return known
    hue = colours / np.maximum(colours.sum(1, keepdims=True), 1e-6)
    off = np.linalg.norm(hue - np.asarray(rgb) / sum(rgb), axis=1)
    likely = np.argsort(np.where(known, off, np.inf))[: max(1, int(0.8 * visible * known.sum()))]
    paint = middle(colours[likely])
    alike = np.abs(colours - paint).max(1) < 0.25 * max(float(paint.max()), 0.2)
    return np.asarray(known & alike, np.bool_)


def uncovered(places_px: Array, outlines_px: Sequence[Array], margin_px: float) -> Mask:
    """(n,) which places lie in none of these outlines, nor so near one that its colour bleeds over."""
    free = np.ones(len(places_px), np.bool_)
    for outline in outlines_px:
        contour = np.asarray(outline, np.float32).reshape(-1, 1, 2)
        low, high = contour[:, 0].min(0) - margin_px, contour[:, 0].max(0) + margin_px
        for i in np.flatnonzero(free & (places_px > low).all(1) & (places_px < high).all(1)):
            x, y = places_px[i]
            if cv2.pointPolygonTest(contour, (float(x), float(y)), True) >= -margin_px:
                free[i] = False
    return free
