"""One picture cut to what is near the cacti: its paints, and how each upright plane shows them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cactus.cactus_set import CactusSet
from vision.cactus.piece_lamp import in_light_of_plates
from vision.cactus.piece_paint import OTHER, Colours, Paint, certain, estimate_paint, find_stranger, part_edges
from vision.cactus.piece_search import FINE_MM, Bank, Labels, Shape, Sheet
from vision.cactus.plate_map import Chances, estimate_plates
from vision.cactus.upright import Stage, Upright
from vision.types import Rgb

Array = NDArray[np.float64]

_UP_MM = 110.0
"""So far above a cactus the pieces on it may reach."""
_ASIDE_MM = 65.0
_DOWN_MM = 4.0
"""So far below the table's edge of a base, seen from the front, something that hangs may show."""
_LARGEST = 3.0
"""Nothing of more than so many of the largest pieces is pieces."""
_BLUR_MM = 8.0
"""So far beyond a large thing its colours are still expected: shade, shine and parts that hang on by a thread."""
_GRID = 8
"""So many cells apart the lens is asked where a plane is."""
_NO_MAP: Any = None


@dataclass(frozen=True, eq=False)
class View:
    """The part of a picture where pieces can hang.

    Parameters
    ----------
    rgb
        (h, w, 3) its pixels.
    labels
        (h, w) their paints; what is explained becomes `explained`.
    seen
        (h, w) their paints.
    stage
        The stage with the camera of the part.
    corner
        Where the part begins in the picture, px.
    paint
        The paints.
    plates
        (h, w) how probably each pixel shows a plate's face, 255 for 1.
    common
        How much more of each colour is seen than all its pieces could show: the logarithm of ten of that, or 0.
    faces_px
        The outline of each cactus.
    px_mm
        Pixels of a millimetre at each cactus.
    reach_mm
        Left, right, lower and upper limit of what may hang on each cactus, on its plane.
    """

    rgb: Rgb
    labels: Labels
    seen: Labels
    stage: Stage
    corner: tuple[int, int]
    paint: Paint
    plates: Chances
    common: tuple[float, ...]
    faces_px: tuple[Array, ...]
    px_mm: tuple[float, ...]
    reach_mm: tuple[tuple[float, float, float, float], ...]

    @cached_property
    def backs(self) -> tuple[Array, Array]:
        """(c, 3, 3) and (c, 3): from the camera into the frame of each cactus; the latter is where the camera is."""
        back = [u.to_camera.inverse() for u in self.stage.cacti]
        return np.array([b.R for b in back]), np.array([b.t for b in back])

    @property
    def explained(self) -> int:
        """Label of what a piece that was found covers."""
        return len(self.paint.names) + 1

    def label_of(self, shape: Shape) -> int:
        """The label of a shape's colour."""
        return self.paint.names.index(shape.piece.color)

    def hiders(self, label: int) -> NDArray[np.bool_]:
        """(256,) labels that may lie before a piece of this colour."""
        hide = np.zeros(256, bool)
        hide[: self.explained + 1] = True
        hide[label] = False
        return hide


def look_at(rgb: Rgb, cactus_set: CactusSet, stage: Stage, bank: Bank) -> View:
    """Cut and label a picture."""
    looks = {c.id: c for c in cactus_set.cacti}
    face = cactus_set.thickness_mm / 2
    corners, reaches = [], []
    for upright in stage.cacti:
        (left, _), (right, high) = (f(looks[upright.id].outline_mm, axis=0) for f in (np.min, np.max))
        low = -cactus_set.base_mm[1] - _DOWN_MM
        reaches.append((float(left) - _ASIDE_MM, float(right) + _ASIDE_MM, low, float(high) + _UP_MM))
        box = np.array([[x, y] for x in reaches[-1][:2] for y in reaches[-1][2:]])
        corners.append(stage.project(on_plane(box, 0.0), upright.to_camera))
    points = np.vstack(corners)
    height, width = rgb.shape[:2]
    x0, y0 = (int(v) for v in np.clip(np.floor(points.min(axis=0)) - 4, 0, (width - 2, height - 2)))
    x1, y1 = (int(v) for v in np.clip(np.ceil(points.max(axis=0)) + 5, (x0 + 2, y0 + 2), (width, height)))
    crop = rgb[y0:y1, x0:x1]
    camera = stage.camera
    shifted = camera.K - np.array([[0.0, 0.0, x0], [0.0, 0.0, y0], [0.0, 0.0, 0.0]])
    part = Stage(replace(camera, K=shifted, size_px=(x1 - x0, y1 - y0)), stage.cacti)
    faces = tuple(part.project(on_plane(looks[u.id].outline_mm, face), u.to_camera) for u in part.cacti)
    scale = tuple(_scale(part, u, float(looks[u.id].outline_mm[:, 1].max()) / 2) for u in part.cacti)
    paint = estimate_paint(crop, cactus_set, part)
    plates = estimate_plates(crop, float(np.median(scale)))
    bodies = _bodies(crop.shape[:2], faces)
    paint = in_light_of_plates(paint, crop, plates, bodies, float(np.median(scale)))
    labels = _labelled(
        crop, paint, bodies, plates, _LARGEST * bank.largest_mm2 * max(scale) ** 2, _BLUR_MM * max(scale)
    )
    common = _common(labels, [bank.paint_mm2[name] for name in paint.names], float(np.median(scale)))
    return View(crop, labels, labels.copy(), part, (x0, y0), paint, plates, common, faces, scale, tuple(reaches))


def sheet_of(view: View, index: int) -> Sheet:
    """The labels on the plane of one cactus."""
    left, right, low, up = view.reach_mm[index]
    step = _GRID * FINE_MM
    x, y = np.arange(left, right + step, step), np.arange(up, low - step, -step)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    px = view.stage.project(on_plane(grid, 0.0), view.stage.cacti[index].to_camera)
    maps = px.reshape(len(y), len(x), 2).astype(np.float32)
    size = ((len(x) - 1) * _GRID + 1, (len(y) - 1) * _GRID + 1)
    fine = cv2.remap(maps, _between(*size), _NO_MAP, cv2.INTER_LINEAR)
    labels = cv2.remap(view.labels, fine, _NO_MAP, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT, borderValue=OTHER)
    return Sheet(np.asarray(labels, np.uint8), float(left), float(up))


@lru_cache(maxsize=16)
def _between(width: int, height: int) -> NDArray[np.float32]:
    """(height, width, 2) where cells are between the places that the lens is asked for."""
    c, r = (np.arange(n, dtype=np.float32) / _GRID for n in (width, height))
    return np.stack(np.meshgrid(c, r), axis=-1)


def on_plane(points_mm: Array, z_mm: float) -> Array:
    """(n, 2) -> (n, 3) mm at one depth."""
    return np.column_stack([points_mm, np.full(len(points_mm), z_mm)])


def _scale(stage: Stage, upright: Upright, y_mm: float) -> float:
    """Pixels of a millimetre at a height of a cactus."""
    p = stage.project(np.array([[0.0, y_mm, 0.0], [10.0, y_mm, 0.0], [0.0, y_mm + 10, 0.0]]), upright.to_camera)
    return float(np.linalg.norm(p[1:] - p[0], axis=1).mean() / 10)


def _common(labels: Labels, most_mm2: list[float], px_mm: float) -> tuple[float, ...]:
    """See `View.common`."""
    seen = np.bincount(labels.ravel(), minlength=len(most_mm2))
    return tuple(float(np.log10(max(n / (most * px_mm**2), 1.0))) for n, most in zip(seen, most_mm2, strict=False))


def _bodies(size: tuple[int, ...], faces_px: tuple[Array, ...]) -> Labels:
    """(h, w) which cactus has each pixel within its outline, from 1."""
    bodies = np.zeros(size, np.uint8)
    for k, face in enumerate(faces_px):
        edge = [np.round(face).astype(np.int32)]
        cv2.fillPoly(bodies, edge, k + 1)
        cv2.polylines(bodies, edge, True, k + 1, 3)
    return bodies


def _labelled(crop: Rgb, paint: Paint, bodies: Labels, plates: Chances, most_px: float, reach_px: float) -> Labels:
    """The paint of each pixel, once the common colours of large things are known for what they are."""
    n = len(paint.names)
    half = np.asarray(cv2.resize(crop, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    edges = part_edges(half)
    large = np.zeros(half.shape[:2], np.uint8)
    colours = Colours.of(half)
    areas = _large(paint.label(colours), edges, n, most_px / 4)
    near = [s for s in (find_stranger(half, area, paint, reach_px / 2) for area in areas) if s is not None]
    if near:
        areas = _large(paint.label(colours, near), edges, n, most_px / 4)
    for area in areas:
        large |= area.astype(np.uint8)
    soft = np.asarray(cv2.medianBlur(crop, 3), np.uint8)
    labels = paint.label(Colours.of(soft), [s.scaled(2.0) for s in near], bodies, plates)
    if large.any():
        grown = cv2.resize(
            cv2.dilate(large, np.ones((3, 3), np.uint8)), crop.shape[1::-1], None, 0, 0, cv2.INTER_NEAREST
        )
        labels[(grown > 0) & (labels < n) & ~certain(plates)] = OTHER
    return labels


def _large(labels: Labels, edges: NDArray[np.bool_], colors: int, most_px: float) -> list[NDArray[np.bool_]]:
    """What is of one paint and too large to be pieces, up to its own edges."""
    found = []
    for k in range(colors):
        whole = (labels == k).view(np.uint8)
        whole[edges] = 0
        if cv2.countNonZero(whole) <= most_px:
            continue
        count, areas = cv2.connectedComponents(whole, connectivity=4)
        size = np.bincount(areas.ravel(), minlength=count)
        found += [areas == i for i in range(1, count) if size[i] > most_px]
    return found
