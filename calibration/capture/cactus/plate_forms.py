"""Outlines of one form, seen several times whichever way they lie, made one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.optimize import least_squares
from shapely.geometry import Polygon
from skimage.measure import find_contours

from calibration.capture.cactus.plate_edges import even

Array = NDArray[np.float64]

_CELLS = 280
"""Cells of a field's side."""
_TURNS = 36
_SHARE_OFF = 0.006  # of a form's length: deviations beyond this weigh less
_SCALE_SPREAD = 0.02  # by which two sightings of one form may differ in scale
_SAME = 0.02  # of a form's length: what an outline may be off from the common one on average


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """How a form lies where it was seen: mirrored or not, then turned, scaled and shifted."""

    mirrored: bool
    turn: float
    scale: float
    shift: Array

    def there(self, points: Array) -> Array:
        """Points of the form where it was seen."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        flip = points * [-1.0 if self.mirrored else 1.0, 1.0]
        return np.asarray(flip @ np.array([[c, s], [-s, c]]) * self.scale + self.shift)

    def back(self, points: Array) -> Array:
        """The inverse of `there`."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        flip = (points - self.shift) @ np.array([[c, -s], [s, c]]) / self.scale
        return np.asarray(flip * [-1.0 if self.mirrored else 1.0, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Signed distance from an outline, negative inside, on a grid about its middle."""

    values: Array
    middle: Array
    cell: float

    @classmethod
    def of(cls, outline: Array, middle: Array, half: float) -> Field:
        """The field of an outline over a square of half the side `half`."""
        cell = 2 * half / _CELLS
        fine = 3
        at = ((outline - middle + half) / cell) * fine - 0.5
        mask = np.zeros((_CELLS * fine, _CELLS * fine), np.uint8)
        cv2.fillPoly(mask, [np.round(at * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        to, within = (cv2.distanceTransform(m, cv2.DIST_L2, cv2.DIST_MASK_PRECISE) for m in (1 - mask, mask))
        out = np.asarray(to - within, float)
        out = (out - np.sign(out) * 0.5).reshape(_CELLS, fine, _CELLS, fine).mean((1, 3))
        # a filled polygon covers the cells that its edge runs through
        return cls((out + 0.5) * cell / fine, middle, cell)

    def outline(self) -> Array | None:
        """The longest line of no distance, (n, 2)."""
        rings = find_contours(self.values, 0.0)
        if not rings:
            return None
        ring = max(rings, key=lambda r: cv2.contourArea(r.astype(np.float32)))[:-1, ::-1]
        return np.asarray((ring + 0.5) * self.cell - self.cell * _CELLS / 2 + self.middle)

    def at(self, points: Array) -> Array:
        """(n,) distances at points."""
        half = self.cell * _CELLS / 2
        cells = (points - self.middle + half) / self.cell - 0.5
        return np.asarray(map_coordinates(self.values, [cells[:, 1], cells[:, 0]], order=1, mode="nearest"))


def simple(outline: Array) -> Array:
    """The outline without places where it crosses itself."""
    low, high = outline.min(0), outline.max(0)
    field = Field.of(outline, (low + high) / 2, 0.55 * float((high - low).max()))
    ring = field.outline()
    return outline if ring is None else ring


def few_points(outline: Array, off: float) -> Array:
    """An outline with fewer points, nowhere farther than `off` from itself, that encloses one part.

    It does so with two decimals, too, as decks are written.
    """
    for share in (1.0, 0.5, 0.25):
        few = cv2.approxPolyDP(outline.astype(np.float32)[:, None], off * share, True)[:, 0].astype(float)
        if len(few) >= 3 and Polygon(np.round(few, 2)).is_valid:
            return few
    # what touches or crosses itself is opened where it is narrowest
    parts: Any = Polygon(outline).buffer(0)
    for wide in (0.0, off, 4 * off):
        opened: Any = parts.buffer(-wide).buffer(wide).simplify(off / 4)
        whole = max(getattr(opened, "geoms", [opened]), key=lambda g: float(g.area))
        ring = np.array(whole.exterior.coords)[:-1] if not whole.is_empty else outline
        if Polygon(np.round(ring, 2)).is_valid:
            break
    return np.asarray(ring, float)


def join(outlines: Sequence[Array]) -> tuple[Array, list[Laid], list[float]]:
    """One outline for several of one form, each (n, 2) in about one scale.

    Returns
    -------
    The form, how it lies in each of the outlines, and by how much each is off from it on average.
    """
    lengths = [float(np.ptp(o, axis=0).max()) for o in outlines]
    first = int(np.argsort([cv2.contourArea(o.astype(np.float32)) for o in outlines])[len(outlines) // 2])
    form = np.asarray(outlines[first])
    step = float(np.median(lengths)) / 150
    laid: list[Laid] = []
    for turn in range(2):
        middle = (form.min(0) + form.max(0)) / 2
        half = 0.62 * float(np.hypot(*np.ptp(form, axis=0))) + step
        field = Field.of(form, middle, half)
        laid = [_fit(o, form, field, laid[i] if turn else None, step) for i, o in enumerate(outlines)]
        # the form keeps the mean scale of all
        scale = float(np.exp(np.mean([np.log(k.scale) for k in laid])))
        back = [k.back(o) for k, o in zip(laid, outlines, strict=True)]
        fields = np.stack([Field.of(b, middle, half).values for b in back])
        mean = np.median(fields, 0) if len(fields) > 2 else fields.mean(0)
        ring = Field(mean, middle, field.cell).outline()
        if ring is None:
            break
        form = ring * scale
        laid = [Laid(k.mirrored, k.turn, k.scale / scale, k.shift) for k in laid]
    middle = (form.min(0) + form.max(0)) / 2
    field = Field.of(form, middle, 0.62 * float(np.hypot(*np.ptp(form, axis=0))) + step)
    off = [float(np.abs(field.at(k.back(even(o, step, 0.0)[0]))).mean()) for k, o in zip(laid, outlines, strict=True)]
    return form, laid, off


def is_same(form: Array, off: float) -> bool:
    """Whether an outline that is so far off from a form shows it."""
    return off < _SAME * float(np.ptp(form, axis=0).max())


def _fit(outline: Array, form: Array, field: Field, start: Laid | None, step: float) -> Laid:
    points = even(outline, step * 1.5, 0.0)[0]
    to, own = _centre(form), _centre(outline)
    loose = _SHARE_OFF * float(np.ptp(form, axis=0).max())
    starts = [start] if start is not None else []
    if start is None:
        tries = []
        for mirrored in (False, True):
            for k in range(_TURNS):
                laid = _about(mirrored, 2 * np.pi * k / _TURNS, 0.0, own, to)
                tries.append((float(np.minimum(np.abs(field.at(laid.back(points))), 8 * loose).mean()), k, mirrored))
        tries.sort(key=lambda t: t[0])
        starts = [_about(m, 2 * np.pi * k / _TURNS, 0.0, own, to) for _, k, m in tries[:3]]
    best: tuple[float, Laid] | None = None
    for one in starts:
        s0 = one

        def miss(x: Array, s0: Laid = s0) -> Array:
            laid = Laid(s0.mirrored, s0.turn + x[2], s0.scale * np.exp(x[3]), s0.shift + x[:2])
            grown = x[3] / _SCALE_SPREAD * np.sqrt(len(points)) / 20
            return np.asarray(np.r_[field.at(laid.back(points)) / loose, grown], np.float64)

        fit = least_squares(miss, np.zeros(4), loss="soft_l1", x_scale=[loose, loose, 0.02, 0.01], max_nfev=30)
        x = fit.x
        if best is None or fit.cost < best[0]:
            best = (
                float(fit.cost),
                Laid(s0.mirrored, s0.turn + float(x[2]), s0.scale * float(np.exp(x[3])), s0.shift + x[:2]),
            )
    assert best is not None
    return best[1]


def _about(mirrored: bool, turn: float, grown: float, own: Array, to: Array) -> Laid:
    laid = Laid(mirrored, turn, float(np.exp(grown)), np.zeros(2))
    return Laid(mirrored, turn, laid.scale, own - laid.there(to[None])[0])


def _centre(outline: Array) -> Array:
    m = cv2.moments(outline.astype(np.float32))
    area = m["m00"] or 1e-6
    return np.array([m["m10"] / area, m["m01"] / area])
