"""A sheet of paper below flat plates: its edges tell the scale and from where the photograph was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cactus.plate_view import PlateView
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

PAPERS = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Shorter and longer side in mm."""
_SIDE = 480  # long side of the picture in which a sheet is looked for
_LEVELS = 9  # lightnesses from which a sheet is tried to begin
_LEAST, _MOST = 0.15, 0.95  # of the picture's area: what a sheet covers
_FILLED = 0.5  # of a sheet's area at least shows paper
_STRAIGHT = 0.965  # overlap of its outline's hull with four straight sides
_CLEAR_PX = 3.0  # of the small picture that are seen beyond its corners
_CORNER = np.radians(35.0)  # by which its corners may seem to be off a right angle
_SPAN_PX, _STEP_PX = 8.0, 0.5  # of the picture: where an edge is sought
_EVERY = 80  # places along an edge
_EDGED = 0.6  # of them at least show the edge
_CONTRAST = 12.0  # grey levels from table to paper
_OFF_PX = 1.5  # of a place from its edge's line
_SAME, _OTHER = 0.03, 0.045  # logarithms of shapes within which a sheet is of a paper, and beyond which of no other one
_USUAL_PIECE = (24.0, 48.0)
"""Longer side in mm of a middling piece: on a larger or smaller sheet than these, pieces would look otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenSheet:
    """Corners (4, 2) px of a sheet of paper on a photo, in order round it."""

    corners_px: Array

    def inside(self, shape: tuple[int, ...], margin_px: float) -> Mask:
        """(h, w) 1 on the paper, but for a margin along its edges."""
        mask = np.zeros(shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(self.corners_px).astype(np.int32)], 1)
        size = 2 * max(1, round(margin_px)) + 1
        return np.asarray(cv2.erode(mask, np.ones((size, size), np.uint8)), np.uint8)

    def growth(self, middle: Array) -> Array:
        """(2,) how the scale grows across the photo at its middle: its logarithm per px."""
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]], np.float32)
        back = cv2.getPerspectiveTransform(self.corners_px.astype(np.float32), square)
        a, b, c = back[2]
        depth = a * middle[0] + b * middle[1] + c
        return np.array([a, b]) / depth if abs(depth) > 1e-9 else np.zeros(2)

    def paper(self, view: PlateView, piece_px: float) -> tuple[str, float] | None:
        """Which paper it is and the mm of a plate's upper face to a pixel of the view's flat picture.

        None where its shape is none's, or where pieces, `piece_px` long there, would be of an unusual size.
        """
        flat = view.flat(self.corners_px)
        sides = np.hypot(*(np.roll(flat, -1, 0) - flat).T)
        one, other = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
        shape = float(np.log(max(one, other) / min(one, other)))
        off = {name: abs(shape - float(np.log(long / short))) for name, (short, long) in PAPERS.items()}
        best, *rest = sorted(off, key=lambda name: off[name])
        if off[best] > _SAME or any(off[name] < _OTHER for name in rest):
            return None
        # the paper lies below the faces, and so looks smaller
        mm_per_px = float(np.sqrt(np.prod(PAPERS[best]) / (one * other))) / (1 + view.shrink)
        return (best, mm_per_px) if _USUAL_PIECE[0] < piece_px * mm_per_px < _USUAL_PIECE[1] else None


def find_sheet(rgb: Rgb) -> SeenSheet | None:
    """The light sheet on a darker table that most of a photo shows, with all of its corners."""
    grey = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), np.uint8)
    scale = min(1.0, _SIDE / max(grey.shape))
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    small = np.asarray(cv2.GaussianBlur(small, (0, 0), 1.0), np.uint8)
    low, high = np.percentile(small, [2, 98])
    best: tuple[float, Array] | None = None
    for level in np.linspace(low, high, _LEVELS + 2)[1:-1]:
        for quad in _quads((small > level).astype(np.uint8)):
            area = float(cv2.contourArea(quad.astype(np.float32)))
            if best is None or area > best[0]:
                refined = _refined(grey.astype(np.float32), (quad + 0.5) / scale - 0.5)
                if refined is not None:
                    best = (area, refined)
    return None if best is None else SeenSheet(best[1])


def _quads(mask: Mask) -> list[Array]:
    """Four-sided light regions of the small picture."""
    h, w = mask.shape
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    out = []
    for contour in contours:
        if cv2.contourArea(contour) < _FILLED * _LEAST * h * w:
            continue
        hull = cv2.convexHull(contour)
        area = float(cv2.contourArea(hull))
        few = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True)[:, 0].astype(float)
        if len(few) != 4 or not _LEAST * h * w < area < _MOST * h * w:
            continue
        four = float(cv2.contourArea(few.astype(np.float32)))
        away = np.minimum(few, [w - 1, h - 1] - few).min()
        shown = np.zeros_like(mask)
        cv2.fillPoly(shown, [few.astype(np.int32)], 1)
        filled = float((mask & shown).sum()) / max(float(shown.sum()), 1.0)
        if min(four, area) / max(four, area) > _STRAIGHT and away > _CLEAR_PX and filled > _FILLED and _is_square(few):
            out.append(few)
    return out


def _is_square(quad: Array) -> bool:
    """Whether all corners are about right angles."""
    ahead, back = np.roll(quad, -1, 0) - quad, np.roll(quad, 1, 0) - quad
    cosines = (ahead * back).sum(1) / (np.hypot(*ahead.T) * np.hypot(*back.T))
    return bool((np.abs(np.arcsin(np.clip(cosines, -1, 1))) < _CORNER).all())


def _refined(grey: NDArray[np.float32], quad: Array) -> Array | None:
    """The corners as straight lines along the four edges tell them; None where an edge is not there."""
    middle = quad.mean(0)
    lines = []
    for p, q in zip(quad, np.roll(quad, -1, 0), strict=True):
        line = _line(grey, p, q, middle)
        if line is None:
            return None
        lines.append(line)
    return _crossings(lines)


def _line(grey: NDArray[np.float32], p: Array, q: Array, middle: Array) -> tuple[Array, Array] | None:
    """A point and the direction of the edge from about p to q; the paper is on the side of `middle`."""
    along = (q - p) / np.hypot(*(q - p))
    out = np.array([along[1], -along[0]])
    out = out if out @ (p - middle) > 0 else -out
    points = p + (q - p) * np.linspace(0.06, 0.94, _EVERY)[:, None]
    x = np.arange(-_SPAN_PX, _SPAN_PX + _STEP_PX / 2, _STEP_PX)
    at = (points[:, None] + out * x[None, :, None]).astype(np.float32)
    seen = cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    wide = round(2.0 / _STEP_PX)
    drop = seen[:, :-wide] - seen[:, wide:]
    best = drop.argmax(1)
    clear = drop[np.arange(len(points)), best] > _CONTRAST
    if clear.mean() < _EDGED:
        return None
    found = (points + out * (x[best] + 1.0)[:, None])[clear]
    start, way = found.mean(0), along
    for _ in range(6):
        across = np.abs((found - start) @ np.array([-way[1], way[0]]))
        near = across <= max(_OFF_PX, float(np.percentile(across, 60)))
        vx, vy, x0, y0 = cv2.fitLine(found[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        start, way = np.array([x0, y0], float), np.array([vx, vy], float)
    across = np.abs((found - start) @ np.array([-way[1], way[0]]))
    return (start, way) if np.count_nonzero(across < _OFF_PX) > _EDGED * _EVERY else None


def _crossings(lines: Sequence[tuple[Array, Array]]) -> Array | None:
    out = []
    for (p, u), (q, v) in zip([lines[-1], *lines[:-1]], lines, strict=True):
        turn = float(u[0] * v[1] - u[1] * v[0])
        if abs(turn) < 0.3:
            return None
        d = q - p
        out.append(p + u * float(d[0] * v[1] - d[1] * v[0]) / turn)
    return np.array(out)
