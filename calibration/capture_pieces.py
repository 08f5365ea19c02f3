"""Flat pieces on a table: their outlines in pixels, the upper face alone, without edge and shadow."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture_grounds import lab_of
from vision.types import Rgb

Array = NDArray[np.float64]
Mask = NDArray[np.uint8]

_SIDE = 480  # long side of the picture in which the table is told from what lies on it
_LEAST, _MOST = 0.0008, 0.12  # of the picture's area: what a piece covers
_STANDS_OUT = 4.5  # times the table's own scatter
_LEAST_OFF = 6.0  # grey levels of Lab from which anything stands out
_SHADOW = 0.45  # change of colour as a share of the loss of light, up to which it is a shadow
_NEAR = 0.5  # share of the way from the face's colour to the table's up to which a pixel is the face
_NEAR_LIMITS = (6.0, 15.0)
_REGAINED = 0
_ROUGH = 0.5
_SIMPLE = 0.35  # pixels by which an outline may be simplified


@dataclass(frozen=True, slots=True, eq=False)
class LaidPiece:
    """One piece: the photo's number, its outline (n, 2) in px, and the colour (Lab) of its upper face."""

    photo: int
    outline_px: Array
    lab: Array


def find_pieces(rgb: Rgb, photo: int) -> list[LaidPiece]:
    """Every piece that lies apart on a table of one material, row by row."""
    lab = lab_of(rgb)
    table = _table(lab)
    off = lab - table
    scatter = np.median(np.abs(off), axis=(0, 1)) * 1.4826 + 0.5
    light, colour = off[..., 0], np.hypot(off[..., 1], off[..., 2])
    colour_noise = float(np.hypot(scatter[1], scatter[2]))
    tinted = colour > max(_LEAST_OFF, _STANDS_OUT * colour_noise)
    brighter = light > max(_LEAST_OFF, _STANDS_OUT * float(scatter[0]))
    darker = light < -max(3 * _LEAST_OFF, 2 * _STANDS_OUT * float(scatter[0]))
    shadow = (light < 0) & (colour < _SHADOW * np.abs(light))
    mask = ((tinted | brighter | darker) & ~shadow).astype(np.uint8)
    size = max(3, round(0.004 * max(rgb.shape[:2])) | 1)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, kernel), np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    area = rgb.shape[0] * rgb.shape[1]
    out = []
    for i in range(1, count):
        x, y, w, h, covered = stats[i]
        touches = x == 0 or y == 0 or x + w == rgb.shape[1] or y + h == rgb.shape[0]
        if not _LEAST * area < covered < _MOST * area or touches:
            continue
        piece = _face(lab, table, (labels == i).astype(np.uint8), (x, y, w, h), photo)
        if piece is not None:
            out.append(piece)
    return sorted(out, key=lambda p: _reading_order(p, rgb.shape[0]))


def _reading_order(piece: LaidPiece, rows: int) -> tuple[int, float]:
    x, y = piece.outline_px.mean(0)
    return int(y / rows * 5), float(x)


def _table(lab: Array) -> Array:
    """The table as it would be with nothing on it: a smooth surface through most of the picture."""
    scale = _SIDE / max(lab.shape[:2])
    small = cv2.resize(lab.astype(np.float32), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(float)
    h, w = small.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    terms = [np.ones_like(x), x, y, x * x, x * y, y * y]
    A = np.stack([t.ravel() for t in terms], 1)
    b = small.reshape(-1, 3)
    weight = np.ones(len(b))
    fit = np.zeros((6, 3))
    for _ in range(12):
        fit = np.linalg.lstsq(A * weight[:, None], b * weight[:, None], rcond=None)[0]
        miss = np.linalg.norm(b - A @ fit, axis=1)
        s = max(1.5, 1.4826 * float(np.median(miss)))
        weight = np.where(miss < 4 * s, 1 / (1 + (miss / s) ** 2), 0.0)
    surface = (A @ fit).reshape(h, w, 3).astype(np.float32)
    return np.asarray(cv2.resize(surface, lab.shape[1::-1], interpolation=cv2.INTER_CUBIC), float)


def _face(lab: Array, table: Array, mask: Mask, box: tuple[int, int, int, int], photo: int) -> LaidPiece | None:
    """The upper face of what lies under the mask."""
    pad = 6
    x, y, w, h = box
    rows = slice(max(0, y - pad), y + h + pad)
    columns = slice(max(0, x - pad), x + w + pad)
    part, own, below = lab[rows, columns], mask[rows, columns], table[rows, columns]
    depth = cv2.distanceTransform(own, cv2.DIST_L2, 5)
    core = depth > 0.45 * depth.max()
    if core.sum() < 20:
        return None
    colour = np.median(part[core], 0)
    away = float(np.median(np.linalg.norm(below[own > 0] - colour, axis=1)))
    inner = depth > 0.3 * depth.max()
    rough = float(np.percentile(np.linalg.norm(part[inner] - colour, axis=1), 80))
    reach = float(np.clip(_NEAR * away, *_NEAR_LIMITS)) + _ROUGH * rough
    fine = 3
    big = cv2.resize(part.astype(np.float32), None, fx=fine, fy=fine, interpolation=cv2.INTER_CUBIC)
    big = cv2.GaussianBlur(big, (0, 0), 0.5 * fine)
    near = (np.linalg.norm(big - colour.astype(np.float32), axis=2) < reach).astype(np.uint8)
    near = np.asarray(cv2.morphologyEx(near, cv2.MORPH_OPEN, np.ones((fine, fine), np.uint8)), np.uint8)
    near = np.asarray(cv2.morphologyEx(near, cv2.MORPH_CLOSE, np.ones((fine, fine), np.uint8)), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(near, connectivity=4)
    if count < 2:
        return None
    largest = 1 + int(np.argmax(stats[1:, cv2.CC_STAT_AREA]))
    whole = (labels == largest).astype(np.uint8)
    if _REGAINED:
        whole = np.asarray(cv2.dilate(whole, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2*_REGAINED+1,)*2)), np.uint8)
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=cv2.contourArea)
    simple = cv2.approxPolyDP(contour, _SIMPLE * fine, True)[:, 0].astype(float)
    if len(simple) < 3:
        return None
    outline = (simple + 0.5) / fine - 0.5 + [columns.start, rows.start]
    return LaidPiece(photo, outline, np.asarray(colour))
