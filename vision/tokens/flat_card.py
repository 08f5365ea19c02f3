"""A card laid flat and compared with its own face: what lies on it that is not printed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards.rectify import apply, homography
from vision.tokens.token_looks import TokenLooks
from vision.types import Quad, Rgb

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

_ODD = 17.0  # least difference from what should be there, of 255
_ODD_TIMES = 5.0  # the same, in usual differences of that card
_RIM_MM = 1.5  # where the cut varies and a corner is rounded
_TURNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class CardInView:
    """A card as the caller knows it: key of its placement, face id (None: not known) and (4, 2) corners in px."""

    key: str
    face: str | None
    quad_px: Quad


@dataclass(frozen=True, slots=True, eq=False)
class FlatCard:
    """How far a card is from its face in the light there, sample by sample, and the way from samples to px."""

    key: str
    quad: Quad
    to_px: Array
    from_px: Array
    differs: Floats
    limit: float
    sample_mm: float

    @classmethod
    def of(cls, rgb: Rgb, card: CardInView, looks: TokenLooks) -> FlatCard | None:
        """None for a card that is seen from its edge or not in the picture."""
        quad = np.asarray(card.quad_px, float)
        step = looks.face_sample_mm
        face = looks.faces.get(card.face or "")
        columns, rows = round(looks.card_mm[0] / step), round(looks.card_mm[1] / step)
        if face is not None:
            rows, columns = face.shape[:2]
        corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], float) - 0.5
        try:
            to_px = homography(corners, quad)
        except ValueError:
            return None
        flat = _laid_flat(rgb, quad, to_px, rows, columns)
        if flat is None:
            return None
        if face is None:
            expected = np.broadcast_to(np.median(flat.reshape(-1, 3), axis=0), flat.shape).astype(np.float32)
        else:
            expected = _in_that_light(flat, cv2.GaussianBlur(face, (0, 0), 0.7).astype(np.float32))
        differs = cv2.blur(largest_channel(cv2.absdiff(flat, expected)), (3, 3))
        rim = max(1, round(_RIM_MM / step))
        differs[:rim] = differs[-rim:] = differs[:, :rim] = differs[:, -rim:] = 0
        limit = max(_ODD, _ODD_TIMES * float(np.median(differs)))
        return cls(
            card.key, quad, to_px, np.asarray(np.linalg.inv(to_px), float), np.asarray(differs, np.float32), limit, step
        )

    def spots(self, others: Sequence[Quad], least_mm2: float, most_mm2: float) -> list[Array]:
        """Middles in px of spots of such an area that do not look like the face, outside the other cards."""
        odd = np.asarray(self.differs > self.limit, np.uint8)
        for quad in others:
            there = apply(self.from_px, quad)
            if (there.max(0) > 0).all() and (there.min(0) < odd.shape[::-1]).all() and np.isfinite(there).all():
                there = there.mean(0) + (there - there.mean(0)) * 1.03
                cv2.fillConvexPoly(odd, np.clip(there, -9999, 9999).round().astype(np.int32), 0)
        opened = cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, _, stats, middles = cv2.connectedComponentsWithStats(opened)
        area = stats[:, cv2.CC_STAT_AREA] * self.sample_mm**2
        keep = [i for i in range(1, count) if least_mm2 <= area[i] <= most_mm2]
        return list(apply(self.to_px, np.asarray(middles[keep], float))) if keep else []

    def misfit(self, at_px: Array, radius_mm: float) -> float | None:
        """Mean difference from the face in a ring round a place, or None where the place is not on the card."""
        x, y = apply(self.from_px, at_px[None])[0]
        h, w = self.differs.shape
        if not (0 <= x < w and 0 <= y < h):
            return None
        rows, columns = np.mgrid[0:h, 0:w]
        away = np.hypot(rows - y, columns - x) * self.sample_mm
        ring = (away > radius_mm) & (away < 1.4 * radius_mm)
        return float(self.differs[ring].mean()) if ring.any() else 0.0


def largest_channel(values: NDArray[Any]) -> NDArray[Any]:
    """The largest of three channels: (..., 3) -> (...)."""
    return np.asarray(np.maximum(np.maximum(values[..., 0], values[..., 1]), values[..., 2]))


def _laid_flat(rgb: Rgb, quad: Quad, to_px: Array, rows: int, columns: int) -> Floats | None:
    """(rows, columns, 3) of a card, smoothed where samples are farther apart than pixels."""
    h, w = rgb.shape[:2]
    low = np.clip(np.floor(quad.min(0)).astype(int) - 2, 0, [w, h])
    high = np.clip(np.ceil(quad.max(0)).astype(int) + 3, 0, [w, h])
    part = rgb[low[1] : high[1], low[0] : high[0]]
    if part.size == 0:
        return None
    per_sample = float(np.sqrt(cv2.contourArea(quad.astype(np.float32)) / (rows * columns)))
    if per_sample > 1.3:
        part = np.asarray(cv2.GaussianBlur(part, (0, 0), 0.4 * per_sample), np.uint8)
    shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(part, shift @ to_px, (columns, rows), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, np.float32)


def _in_that_light(seen: Floats, face: Floats) -> Floats:
    """The face as the lamp shows it: gain with a gradient and haze, fitted to most of what is seen."""
    h, w = face.shape[:2]
    x, y = np.meshgrid(np.linspace(-1, 1, w), np.linspace(-1, 1, h))
    shape = np.stack([np.ones_like(x), x, y], -1)
    step = max(1, min(h, w) // 16)
    take = (slice(step, -step, step), slice(step, -step, step))
    b = shape[take].reshape(-1, 3)
    r, o = face[take].reshape(-1, 3).astype(float), seen[take].reshape(-1, 3).astype(float)
    # (3, n, 6): the light of each channel is fitted by itself, all with one weight a sample
    M = np.concatenate([b[None] * r.T[:, :, None] / 255, np.broadcast_to(b, (3, *b.shape))], 2)
    calm = np.eye(6) * len(b) * 1e-3
    start = np.zeros((3, 6, 1))
    start[:, 0, 0] = 255 * np.clip(np.median(o / np.maximum(r, 8), axis=0), 0.1, 1.5)
    weight = np.ones(len(b))
    k = start
    for _ in range(_TURNS):
        W = (M * weight[:, None]).transpose(0, 2, 1)
        k = np.linalg.solve(W @ M + calm, W @ o.T[:, :, None] + calm @ start)
        miss = (((M @ k)[..., 0] - o.T) ** 2).sum(0)
        scale = float(np.sqrt(np.median(miss))) + 2
        weight = 1 / (1 + miss / (2 * scale) ** 2) ** 2
    light = k[..., 0].T.astype(np.float32)
    shape = shape.astype(np.float32)
    return np.asarray((shape @ light[:3]) * face / 255 + shape @ light[3:], np.float32)
