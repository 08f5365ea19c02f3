"""Cards with a printed frame of nearly their table's colour: photos that lost it are told by those that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.capture.cards import LaidCard
from calibration.capture.deck import Photo
from calibration.capture.grounds import lab_of
from vision.cards.rectify import apply, homography
from vision.types import Rgb

Array = NDArray[np.float64]

_STEP_MM = 0.1
_DEPTHS = np.arange(-1.2, 6.0, _STEP_MM)  # mm inside of an outline at which a card is looked at
_TOP_MM = 1.2  # how far from an outline what is no ground is seen best
_ALONG = np.linspace(0.15, 0.85, 60)  # of a side: its ends are rounded, or hold a corner
_MIDDLE = np.linspace(0.2, 0.8, 24)  # of a card: where its ground is
_STANDS_OUT = 12.0  # difference in Lab at which a frame stands out from the ground
_FRAMED_MM, _LOST = 0.6, 0.35  # the least frame, and the share of it that a photo may show whose outlines lost it
_MOST = 0.5  # share of the cards that must show a frame


def drawn_round_frames(photos: Sequence[Photo], cards: Sequence[LaidCard]) -> tuple[list[LaidCard], float]:
    """The cards, those of a photo drawn out to where most photos show that a printed frame ends; and its width, mm.

    On a table of the frame's colour the frame's inner edge is all that is seen; there all cards of a photo are too
    small by one width.
    """
    seen = {p: _ground_begins(photos[p].rgb, [c for c in cards if c.photo == p]) for p in {c.photo for c in cards}}
    depth = np.array([seen[c.photo] for c in cards])
    framed = depth > _FRAMED_MM
    if framed.mean() <= _MOST:
        return list(cards), 0.0
    usual = float(np.median(depth[framed]))
    return [_wider(c, usual - seen[c.photo]) if seen[c.photo] < _LOST * usual else c for c in cards], usual


def _ground_begins(rgb: Rgb, cards: Sequence[LaidCard]) -> float:
    """How far inside of the outlines of a photo's cards their ground begins, mm; 0 where nothing stands out from it."""
    usual = np.median(np.concatenate([_border(rgb, c) for c in cards]), 0)
    top = float(usual[np.abs(_DEPTHS) <= _TOP_MM].max())
    if top < _STANDS_OUT:
        return 0.0
    inside = np.flatnonzero((usual < 0.5 * top) & (_DEPTHS > -0.5 * _TOP_MM))
    return max(float(_DEPTHS[inside[0]]), 0.0) if len(inside) else 0.0


def _border(rgb: Rgb, card: LaidCard) -> Array:
    """(4, depths) how different from the card's ground it is along each side, so far inside of it."""
    w, h = card.size_mm
    H = homography(np.array([[0, 0], [w, 0], [w, h], [0, h]], float), card.quad_px)
    ground = np.median(_seen(rgb, H, np.stack(np.meshgrid(_MIDDLE * w, _MIDDLE * h), -1)), (0, 1))
    t, d = np.meshgrid(_ALONG, _DEPTHS)
    sides = ((t * w, d), (w - d, t * h), (t * w, h - d), (d, t * h))
    shown = [np.median(_seen(rgb, H, np.stack(side, -1)), 1) for side in sides]
    return np.asarray(np.linalg.norm(np.stack(shown) - ground, axis=2))


def _seen(rgb: Rgb, H: Array, at_mm: Array) -> Array:
    """(rows, columns, 3) Lab at points (rows, columns, 2) of a card."""
    px = apply(H, at_mm.reshape(-1, 2)).reshape(at_mm.shape).astype(np.float32)
    return lab_of(cv2.remap(rgb, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def _wider(card: LaidCard, by_mm: float) -> LaidCard:
    """The card whose outline lies so far within its edge."""
    w, h = card.size_mm
    inner = np.array([[by_mm, by_mm], [w - by_mm, by_mm], [w - by_mm, h - by_mm], [by_mm, h - by_mm]])
    edge = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    return replace(card, quad_px=np.asarray(apply(homography(inner, card.quad_px), edge)))
