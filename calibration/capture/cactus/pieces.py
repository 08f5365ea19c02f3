"""Flat pieces on a table: their outlines in pixels, the upper face alone, without edge and shadow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.laid import cut_out
from calibration.capture.cactus.plate_edges import Floats
from calibration.capture.cactus.plate_rims import clearest
from calibration.capture.cactus.plate_scale import SeenTarget, find_target
from calibration.capture.cactus.plate_sheet import SeenSheet, find_sheet
from calibration.capture.cactus.plate_view import PlateView, SideSigns, Traced, read_sides
from calibration.capture.cactus.seen_pieces import FINE, SeenPiece, apart, contour, standing_out
from calibration.capture.cactus.told_faces import chance_of, told_faces, with_faces
from calibration.capture.grounds import lab_of
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

_ENOUGH_PX = 1920  # long side of the picture in which outlines are found
_SIDE = 480  # long side of the picture in which the table is told from what lies on it
_EDGE = 0.004  # of the picture's long side: as near to a sheet's edge nothing is looked for
_EVENED = 0.001  # of the picture's long side by which it is softened before anything is told from the table
_COARSE = 4.0  # pixels from which what differs is no noise
_LEAST_NOISE = 2 / 255


@dataclass(frozen=True, slots=True, eq=False)
class LaidPiece:
    """One piece: the photo's number, its outline (n, 2) in px, the colours (Lab) of its face and of the table there."""

    photo: int
    outline_px: Array
    lab: Array
    table: Array


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What lies on one photo, row by row: colours (Lab) of faces and of the table there, places, and what sides tell.

    `chances` are those of each to be a piece rather than a spot of the table. All but `in_photo` is in px of the photo
    made smaller by `zoom`.
    """

    labs: tuple[Array, ...]
    tables: tuple[Array, ...]
    wholes: tuple[tuple[Mask, tuple[int, int]], ...]
    rims: tuple[Array | None, ...]
    traced: Traced
    sides: SideSigns
    zoom: float
    target: SeenTarget | None
    chances: tuple[float, ...]
    sheet: SeenSheet | None = None

    def __len__(self) -> int:
        return len(self.labs)

    def only(self, which: Sequence[int]) -> Found:
        """Some of what lies there; what all sides tell of the view stays."""
        t = self.traced
        traced = replace(t, outer=tuple(t.outer[i] for i in which), faces=t.faces[list(which)])
        return replace(
            self,
            labs=tuple(self.labs[i] for i in which),
            tables=tuple(self.tables[i] for i in which),
            wholes=tuple(self.wholes[i] for i in which),
            chances=tuple(self.chances[i] for i in which),
            rims=tuple(self.rims[i] for i in which),
            traced=traced,
        )

    def in_photo(self, outline: Array) -> Array:
        """An outline in px of the photo itself, which may be finer than what was looked at."""
        return np.asarray((outline + 0.5) / self.zoom - 0.5)

    def rough(self, view: PlateView) -> list[Array]:
        """Outlines (n, 2) in px of the faces alone: as they were told, or the whole without what its side shows."""
        out = []
        for (whole, origin), rim, outer in zip(self.wholes, self.rims, self.traced.outer, strict=True):
            face = _without_side(whole, view.side(outer.mean(0, keepdims=True))[0])
            seen = contour(face, origin)
            ways = [o for o in (rim, seen) if o is not None] or [outer]
            out.append(ways[0] if len(ways) < 2 else clearest(self.traced, view, ways))
        return out


def find_pieces(rgb: Rgb) -> Found:
    """Every piece that lies apart on a table of one material."""
    zoom = min(1.0, _ENOUGH_PX / max(rgb.shape[:2]))
    if zoom < 1:
        rgb = np.asarray(cv2.resize(rgb, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_AREA), np.uint8)
    lab = lab_of(rgb)
    even = lab_of(cv2.GaussianBlur(rgb, (0, 0), _EVENED * max(rgb.shape)))
    sheet = find_sheet(rgb)
    inside = np.ones(rgb.shape[:2], np.uint8)
    if sheet is not None:
        inside = sheet.inside(rgb.shape, _EDGE * max(rgb.shape))
    table = _table(lab, inside)
    bare = np.asarray(cv2.cvtColor(table.astype(np.float32), cv2.COLOR_Lab2RGB), np.float32)
    target = find_target(rgb)
    standing = standing_out(even, table, inside)
    if target is not None:
        cv2.fillPoly(standing, [np.round(target.sheet()).astype(np.int32)], 0)
    cut = cut_out(rgb, np.clip(bare, 0, 1))
    seen = with_faces(apart(lab, table, standing, inside), told_faces(cut, lab, table, inside, target), cut.plate)
    covered = np.zeros(rgb.shape[:2], np.uint8)
    kept: list[tuple[SeenPiece, Array]] = []
    for one in seen:
        outer = contour(one.whole, one.origin)
        if outer is not None:
            kept.append((one, outer))
            cv2.fillPoly(covered, [np.round(outer * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    kept.sort(key=lambda k: _reading_order(k[1], rgb.shape[0]))
    units = _noise_units(rgb, np.maximum(covered, 1 - inside))
    light = np.asarray(rgb.astype(np.float32) / np.float32(255), np.float32)
    faces = [cv2.cvtColor(k.lab.astype(np.float32)[None, None], cv2.COLOR_Lab2RGB)[0, 0] @ units for k, _ in kept]
    traced = Traced(
        (rgb.shape[1], rgb.shape[0]),
        np.asarray(light @ units, np.float32),
        np.asarray(bare @ units, np.float32),
        light,
        np.asarray(np.clip(bare, 0, 1), np.float32),
        covered,
        tuple(o for _, o in kept),
        np.array(faces, float).reshape(-1, 3),
    )
    wholes = tuple((k.whole, k.origin) for k, _ in kept)
    labs, tables = tuple(k.lab for k, _ in kept), tuple(k.table for k, _ in kept)
    chances = tuple(chance_of(k, cut.plate) for k, _ in kept)
    rims = tuple(k.rim for k, _ in kept)
    return Found(labs, tables, wholes, rims, traced, read_sides(traced), zoom, target, chances, sheet)


def _noise_units(rgb: Rgb, covered: Mask) -> Floats:
    """(3, 3) what takes RGB 0..1 to colours in units of the bare table's own scatter."""
    light = rgb.astype(np.float32) / 255
    fine = light - cv2.GaussianBlur(light, (0, 0), _COARSE)
    bare = fine[cv2.dilate(covered, np.ones((25, 25), np.uint8)) == 0]
    most = np.abs(bare).max(1) if len(bare) else np.zeros(0)
    bare = bare[most <= np.percentile(most, 90)] if len(bare) > 100 else np.zeros((2, 3), np.float32)
    scatter = np.cov(bare.T) * 1.5 + np.eye(3) * _LEAST_NOISE**2
    return np.asarray(np.linalg.cholesky(np.linalg.inv(scatter)), np.float32)


def _reading_order(outline: Array, rows: int) -> tuple[int, float]:
    x, y = outline.mean(0)
    return int(y / rows * 5), float(x)


def _table(lab: Array, inside: Mask) -> Array:
    """The table as it would be with nothing on it: a smooth surface through most of what pieces may lie on."""
    scale = _SIDE / max(lab.shape[:2])
    small = cv2.resize(lab.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(float)
    h, w = small.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    terms = [np.ones_like(x), x, y, x * x, x * y, y * y]
    A = np.stack([t.ravel() for t in terms], 1)
    b = small.reshape(-1, 3)
    own = cv2.resize(inside, (w, h), interpolation=cv2.INTER_NEAREST).ravel() > 0
    A, b = A[own], b[own]
    weight = np.ones(len(b))
    fit: Array = np.zeros((6, 3))
    for _ in range(12):
        fit = np.asarray(np.linalg.lstsq(A * weight[:, None], b * weight[:, None], rcond=None)[0], np.float64)
        miss = np.linalg.norm(b - A @ fit, axis=1)
        s = max(1.5, 1.4826 * float(np.median(miss)))
        weight = np.where(miss < 4 * s, 1 / (1 + (miss / s) ** 2), 0.0)
    surface = (np.stack([t.ravel() for t in terms], 1) @ fit).reshape(h, w, 3).astype(np.float32)
    return np.asarray(cv2.resize(surface, lab.shape[1::-1], interpolation=cv2.INTER_CUBIC), float)


def _without_side(whole: Mask, side_px: Array) -> Mask:
    """The face alone: the whole without what its lower edge, moved by `side_px`, shows of its side."""
    v = side_px * FINE
    steps = max(1, int(np.ceil(np.hypot(*v) / 1.5)))
    h, w = whole.shape
    out = whole.copy()
    for k in range(1, steps + 1):
        dx, dy = v * k / steps
        M = np.array([[1.0, 0, -dx], [0, 1.0, -dy]])
        out = np.minimum(out, np.asarray(cv2.warpAffine(whole, M, (w, h), flags=cv2.INTER_NEAREST), np.uint8))
    return out
