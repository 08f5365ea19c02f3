"""The two stars of CONEX, photographed beside the board: cut out of the table, and told apart by what is on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.art.numerals import numeral
from calibration.capture.digits import turned_probabilities
from calibration.capture.grounds import lab_of
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

DOUBLE, LIGHTNING = "2x", "lightning"
_PX_PER_MM = 8.0
_ROUND_MM = 90.0  # how far from the board stars are looked for
_BESIDE_MM = 2.5
_SIDE_MM = (13.0, 36.0)
_LONGER = 1.3  # how much longer one side of a star's extent may be than the other
_HOLLOW = (0.45, 0.9)  # share of its hull that a star fills
_LEAST_OFF, _SPREADS = 9.0, 2.0  # difference from the table: at least, and in usual differences of the table
_LEVELS = (1.0, 1.6, 2.5, 4.0)  # times that
_DRAWN_PX = 480
_EDGE, _SILVER, _PRINT = (130, 133, 138), (180, 183, 188), (42, 42, 46)
_USUAL = ((24.0, 5), (22.0, 5), (20.0, 5), (26.0, 5), (22.0, 6), (25.0, 6), (24.0, 8))  # sides in mm and rays
_INNER = {5: 0.27, 6: 0.29, 8: 0.37}  # how far from the middle a star is between two of its rays, of its side
_CLEAR = 0.1  # by how much more one star must look like a 2 than the other


@dataclass(frozen=True, slots=True, eq=False)
class SeenStar:
    """One star: kind, side of its square picture in mm, the picture (n, n, 4) RGB and opacity, outline in px."""

    kind: str
    size_mm: float
    picture: NDArray[np.uint8]
    outline_px: Array
    sure: bool


def find_stars(rgb: Rgb, board: Quad, side_mm: float) -> list[SeenStar]:
    """The stars that lie beside a board, at most one of each kind.

    Parameters
    ----------
    board
        Its outline in pixels, (4, 2).
    side_mm
        Its side.
    """
    flat, to_px, shown = _from_above(rgb, board, side_mm)
    near = round(_ROUND_MM * _PX_PER_MM)
    reach = round(_BESIDE_MM * _PX_PER_MM)
    end = near + round(side_mm * _PX_PER_MM)
    shown[max(0, near - reach) : end + reach, max(0, near - reach) : end + reach] = 0
    lab = lab_of(cv2.medianBlur(flat, 5))
    free = shown > 0
    if free.sum() < 1000:
        return []
    off = _off_table(lab, free)
    usual = float(np.percentile(off[free], 70))
    found: list[tuple[float, Array, float, cv2.typing.MatLike]] = []
    for share in _LEVELS:
        mask = ((off > share * max(_LEAST_OFF, _SPREADS * usual)) & free).astype(np.uint8)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)), np.uint8)
        mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8)), np.uint8)
        for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
            (cx, cy), radius = cv2.minEnclosingCircle(contour)
            w, h = cv2.minAreaRect(contour)[1]
            full = cv2.contourArea(contour) / max(cv2.contourArea(cv2.convexHull(contour)), 1.0)
            big = _SIDE_MM[0] <= 2 * radius / _PX_PER_MM <= _SIDE_MM[1]
            new = all(np.hypot(cx - f[1][0], cy - f[1][1]) > radius for f in found)
            if big and new and max(w, h) < _LONGER * min(w, h) and _HOLLOW[0] < full < _HOLLOW[1]:
                found.append((cv2.contourArea(contour), np.array([cx, cy]), float(radius), contour))
    found.sort(key=lambda f: -f[0])
    cut = [(_cut(flat, at, radius, contour), at, radius, contour) for _, at, radius, contour in found[:2]]
    twos = [_like_two(picture) for picture, *_ in cut]
    kinds = _kinds(twos)
    out = []
    for (picture, _, radius, contour), (kind, sure) in zip(cut, kinds, strict=True):
        outline = cv2.perspectiveTransform(cv2.approxPolyDP(contour, 2, True).astype(np.float32), to_px)[:, 0]
        out.append(SeenStar(kind, round(2 * radius / _PX_PER_MM, 1), picture, outline.astype(float), sure))
    return out


def _from_above(rgb: Rgb, board: Quad, side_mm: float) -> tuple[NDArray[np.uint8], Array, NDArray[np.uint8]]:
    """The table round the board seen from above, the way back to pixels of the photo, and what the photo shows."""
    a, b = _ROUND_MM * _PX_PER_MM, (_ROUND_MM + side_mm) * _PX_PER_MM
    n = round((2 * _ROUND_MM + side_mm) * _PX_PER_MM)
    corners = np.array([[a, a], [b, a], [b, b], [a, b]], np.float32)
    to_px = cv2.getPerspectiveTransform(corners, board.astype(np.float32))
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(rgb, to_px, (n, n), flags=how, borderMode=cv2.BORDER_REPLICATE)
    shown = cv2.warpPerspective(np.ones(rgb.shape[:2], np.uint8), to_px, (n, n), flags=how)
    return np.asarray(flat, np.uint8), np.asarray(to_px), np.asarray(cv2.erode(shown, np.ones((9, 9))), np.uint8)


def _off_table(lab: Array, free: NDArray[np.bool_]) -> Array:
    """(rows, columns) how much each place differs from the table round about."""
    small = np.where(free[..., None], lab, np.nan)[8::16, 8::16]
    usual = np.nanmedian(small.reshape(-1, 3), axis=0)
    h, w = small.shape[:2]
    y, x = np.mgrid[:h, :w]
    A = np.c_[np.ones(h * w), x.ravel() / w, y.ravel() / h]
    flat = small.reshape(-1, 3)
    good = np.isfinite(flat).all(1)
    near = good & (np.linalg.norm(np.nan_to_num(flat) - usual, axis=1) < 40)
    for _ in range(4):
        fit = np.linalg.lstsq(A[near], flat[near], rcond=None)[0]
        miss = np.linalg.norm(np.nan_to_num(flat) - A @ fit, axis=1)
        near = good & (miss <= np.percentile(miss[good], 75))
    rows, columns = lab.shape[:2]
    yy, xx = np.mgrid[:rows, :columns]
    table = fit[0] + (xx / columns)[..., None] * fit[1] + (yy / rows)[..., None] * fit[2]
    return np.asarray(np.linalg.norm(lab - table, axis=2))


def _cut(flat: NDArray[np.uint8], at: Array, radius: float, contour: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """(n, n, 4) the star, nothing round it."""
    n = round(2 * radius)
    shift = np.array([[1, 0, radius - 0.5 - at[0]], [0, 1, radius - 0.5 - at[1]]])
    cover = np.zeros(flat.shape[:2], np.uint8)
    cv2.drawContours(cover, [contour], -1, 255, cv2.FILLED)
    whole = np.dstack([flat, cv2.GaussianBlur(cover, (0, 0), 1.0)])
    return np.asarray(cv2.warpAffine(whole, shift, (n, n), flags=cv2.INTER_LINEAR), np.uint8)


def _like_two(star: NDArray[np.uint8]) -> float:
    """How much some piece of a star's print looks like a 2, whichever way it lies."""
    inside = cv2.erode((star[..., 3] > 200).astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    lab = lab_of(star[..., :3])
    if inside.sum() < 100:
        return 0.0
    off = np.linalg.norm(lab - np.median(lab[inside], 0), axis=2) * inside
    ink = np.asarray(np.clip(off / max(float(np.percentile(off[inside], 97)), 6.0), 0, 1), np.float32)
    count, labels, stats, _ = cv2.connectedComponentsWithStats((ink > 0.5).astype(np.uint8), connectivity=8)
    turns = np.arange(-np.pi, np.pi - 1e-6, np.radians(10))
    best = 0.0
    for i in range(1, count):
        if stats[i, cv2.CC_STAT_AREA] < 0.01 * star.shape[0] ** 2:
            continue
        x, y, w, h = stats[i, :4]
        part = np.where(labels == i, ink, 0)[max(0, y - 2) : y + h + 2, max(0, x - 2) : x + w + 2]
        kept, p = turned_probabilities(np.asarray(part, np.float32), turns)
        if len(kept):
            best = max(best, float(np.sort(p[:, 2])[-3:].mean()))
    return best


def _kinds(twos: Sequence[float]) -> list[tuple[str, bool]]:
    """The kinds of one or two stars, and whether they are certain."""
    if len(twos) == 2:
        first = twos[0] >= twos[1]
        sure = abs(twos[0] - twos[1]) > _CLEAR
        return [(DOUBLE, sure), (LIGHTNING, sure)] if first else [(LIGHTNING, sure), (DOUBLE, sure)]
    return [(DOUBLE, t > 0.5 + _CLEAR) if t > 0.5 else (LIGHTNING, t < 0.5 - _CLEAR) for t in twos]


def usual_stars() -> dict[str, list[tuple[float, NDArray[np.uint8]]]]:
    """What stars may look like that nobody has photographed, likeliest first: side in mm, picture (n, n, 4) RGBA."""
    return {kind: [(side, _drawn(kind, rays)) for side, rays in _USUAL] for kind in (DOUBLE, LIGHTNING)}


def _drawn(kind: str, rays: int) -> NDArray[np.uint8]:
    n = _DRAWN_PX
    angle = np.radians(np.arange(2 * rays) * 180 / rays - 90)
    reach = np.where(np.arange(2 * rays) % 2 == 0, 0.5, _INNER[rays])
    star = np.stack([reach * np.cos(angle), reach * np.sin(angle)], 1)
    rgb = np.full((n, n, 3), _EDGE, np.uint8)
    cover = np.zeros((n, n), np.uint8)
    _fill(cover, star, 255)
    _fill(rgb, star * 0.87, _SILVER)
    if kind == DOUBLE:
        strokes = [(p * 0.55 + [-22, 4], 11.0) for p, _ in numeral(2, underline=False).bold]
        strokes += [(np.array([[6, -6], [36, 30.0]]), 10.0), (np.array([[36, -6], [6, 30.0]]), 10.0)]
        for points, weight in strokes:
            px = np.round((points / 200 + 0.5) * n).astype(np.int32)
            cv2.polylines(rgb, [px], False, _PRINT, round(weight / 200 * n), cv2.LINE_AA)
    else:
        bolt = np.array([[22, -52], [-34, 10], [-4, 10], [-20, 58], [36, -8], [6, -8]]) / 200
        _fill(rgb, bolt, _PRINT)
    whole = np.dstack([rgb, cover])
    return np.asarray(cv2.resize(whole, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _fill(picture: NDArray[np.uint8], outline: Array, colour: int | tuple[int, int, int]) -> None:
    """Fill an outline (n, 2) in shares of the side from the middle."""
    px = np.round((outline + 0.5) * len(picture)).astype(np.int32)
    cv2.fillPoly(picture, [px], colour, cv2.LINE_AA)
