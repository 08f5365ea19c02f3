"""Where a photograph shows the upper faces of flat pieces, by a small network that has seen no set anyone plays with.

Paint, table, shadow and the lights on a rounded rim may have any colours: `tests/training/train_laid.py` teaches the
network, with drawn plates on drawn tables, which lines are where a face ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from skimage.measure import find_contours
from skimage.segmentation import watershed

from vision.network import session
from vision.types import Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Mask = NDArray[np.uint8]

MODEL = Path(__file__).parents[2] / "models" / "laid.onnx"
BEYOND = -4.0
"""What is told of a pixel far from any face."""
_STEP_PX = 32
"""The network's pictures have sides of whole numbers of so many pixels."""
_ROOM_PX = 3  # round what is cut out
_PARTED = 1.0  # px: faces that touch hang together no deeper than this
_DEEP = 2.0  # px: how deep a face is somewhere at least
_PART = 0.6  # of the smallest face: what by itself is one of two that touch


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """What is told of each pixel (h, w).

    Parameters
    ----------
    depth
        How far within an upper face it lies from the rim, in px up to a few; negative outside.
    plate
        The chance that it shows a piece, be it the face or the side.
    """

    depth: Floats
    plate: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A piece: the outline (n, 2) of its face in px, and a mask of the face and what is seen of its side.

    The mask is at some times the picture's scale; `origin` is the picture's pixel at its top left.
    """

    rim: Array
    whole: Mask
    origin: tuple[int, int]


def faces_on(cut: Cut, inside: Mask, least_px: float, fine: int) -> list[Face]:
    """Every piece whose face covers at least so many pixels.

    Parameters
    ----------
    cut
        What is told of the picture's pixels.
    inside
        (h, w) 1 where pieces may lie.
    least_px
        Least area of a face.
    fine
        Times the picture's scale at which masks are given.
    """
    rims = face_rims(np.where(inside > 0, cut.depth, np.float32(BEYOND)), least_px)
    return [Face(rim, *whole) for rim, whole in zip(rims, _with_sides(rims, cut.plate, fine), strict=True)]


def cut_out(rgb: Rgb, table: Floats, model: Path = MODEL) -> Cut:
    """Tell faces from sides and from what they lie on.

    Parameters
    ----------
    rgb
        (h, w, 3) the picture.
    table
        (h, w, 3) RGB 0..1 of the table there, more or less as it would be with nothing on it.
    model
        The network.
    """
    h, w = rgb.shape[:2]
    both = np.dstack([rgb.astype(np.float32) / np.float32(255), table.astype(np.float32)])
    x = np.pad(both, ((0, -h % _STEP_PX), (0, -w % _STEP_PX), (0, 0)), mode="reflect").transpose(2, 0, 1)[None]
    told = session(model).run(["laid"], {"rgb": np.ascontiguousarray(x)})[0][0, :, :h, :w]
    plate = 1 / (1 + np.exp(-np.clip(told[1], -20, 20)))
    return Cut(np.asarray(told[0], np.float32), np.asarray(plate, np.float32))


def face_rims(depth: Floats, least_px: float) -> list[Array]:
    """Outlines (n, 2) in px of the faces that are as large as that, each by itself."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats((depth > 0).astype(np.uint8), connectivity=4)
    out = []
    for i in range(1, count):
        x, y, w, h, area = stats[i].tolist()
        if area < least_px:
            continue
        top, left = max(y - 2, 0), max(x - 2, 0)
        box = np.s_[top : y + h + 2, left : x + w + 2]
        own = np.where((labels[box] == i) | (depth[box] <= 0), depth[box], BEYOND)
        for face in _apart(own, least_px):
            if float(face.max()) < _DEEP:
                continue
            rings = find_contours(np.pad(face, 1, constant_values=BEYOND), 0.0)
            ring = max(rings, key=lambda r: cv2.contourArea(r.astype(np.float32)))[:-1, ::-1]
            out.append(np.asarray(ring, np.float64) + [left - 1, top - 1])
    return out


def _apart(depth: Floats, least_px: float) -> list[Floats]:
    """The depth within each of the faces that touch one another."""
    _, inner, stats, _ = cv2.connectedComponentsWithStats((depth > _PARTED).astype(np.uint8), connectivity=4)
    large = [k for k in range(1, len(stats)) if stats[k, cv2.CC_STAT_AREA] > _PART * least_px]
    if len(large) < 2:
        return [depth]
    seeds = np.zeros(inner.shape, np.int32)
    for n, k in enumerate(large, 1):
        seeds[inner == k] = n
    whose = watershed(-depth, seeds, mask=depth > 0)
    return [
        np.asarray(np.where((whose == n) | (depth <= 0), depth, -depth), np.float32) for n in range(1, len(large) + 1)
    ]


def _with_sides(rims: list[Array], plate: Floats, fine: int) -> list[tuple[Mask, tuple[int, int]]]:
    """Faces with what is seen of their sides, from the chance that a pixel shows a piece.

    Each is a mask at `fine` times the picture's scale, and the picture's pixel at its top left.
    """
    seeds = np.zeros(plate.shape, np.int32)
    for n, rim in enumerate(rims, 1):
        cv2.fillPoly(seeds, [np.round(rim * 16).astype(np.int32)], n, cv2.LINE_8, 4)
    chance = np.where(seeds > 0, np.maximum(plate, 0.6), plate).astype(np.float32)
    whose = watershed(-chance, seeds, mask=chance > 0.5)
    out = []
    for n in range(1, len(rims) + 1):
        mine = whose == n
        x, y = np.flatnonzero(mine.any(0)), np.flatnonzero(mine.any(1))
        left, top = max(int(x[0]) - _ROOM_PX, 0), max(int(y[0]) - _ROOM_PX, 0)
        box = np.s_[top : int(y[-1]) + 1 + _ROOM_PX, left : int(x[-1]) + 1 + _ROOM_PX]
        own = np.where(mine[box] | (chance[box] <= 0.5), chance[box], 0.0).astype(np.float32)
        # what belongs to a neighbour ends here, at once
        own[cv2.dilate(mine[box].astype(np.uint8), np.ones((3, 3), np.uint8)) == 0] = 0
        large = cv2.resize(own, None, fx=fine, fy=fine, interpolation=cv2.INTER_LINEAR)
        out.append(((large > 0.5).astype(np.uint8), (left, top)))
    return out
