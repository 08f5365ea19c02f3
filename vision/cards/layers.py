"""Which of two overlapping cards lies on the other, and which parts of a card others may hide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.cards.contour import Fit
from vision.cards.edges import EdgeModel
from vision.cards.face_bank import face_bank
from vision.cards.rectify import Pyramid, face_to_px
from vision.deck import LookSet
from vision.plane import Plane
from vision.types import Quad

Array = NDArray[np.float64]

_RIM_MM = 1.0  # so close to another card its edge is taken for this card's
_LEAST = 12  # samples that two cards must share to say which is on top
_CLEAR = 1.5  # how much worse the lower card must explain the place
_LEAST_GAIN, _MOST_GAIN = 0.5, 1.6
_FLAT = 25.0  # variance of a face, in grey levels squared, that is as good as none


class OnEdges(Protocol):
    """A card that was laid onto its edges; see `vision.cards.laid.Laid`."""

    @property
    def looks(self) -> LookSet: ...
    @property
    def fit(self) -> Fit: ...
    @property
    def look(self) -> int: ...
    @property
    def belongs(self) -> float: ...
    def quad(self, plane: Plane) -> Quad: ...


def hidden_points(
    poses: Array,
    sizes_mm: Sequence[tuple[float, float]],
    models: Sequence[EdgeModel],
    covers: Sequence[tuple[int, int]],
) -> list[NDArray[np.bool_]]:
    """For each piece which of its points lie under another one.

    Parameters
    ----------
    poses
        (n, 3) centre in mm and angle.
    sizes_mm
        Width and height of each.
    models
        Their edge points.
    covers
        Pairs (upper, lower).
    """
    out = []
    for k, model in enumerate(models):
        at = _turned(model.points_mm, poses[k])
        hidden = np.zeros(len(at), bool)
        for j in [upper for upper, lower in covers if lower == k]:
            w, h = sizes_mm[j]
            local = _back(at, poses[j])
            hidden |= (np.abs(local[:, 0]) < w / 2 + _RIM_MM) & (np.abs(local[:, 1]) < h / 2 + _RIM_MM)
        out.append(hidden)
    return out


def order_of(pyramid: Pyramid, plane: Plane, cards: Sequence[OnEdges]) -> tuple[tuple[int, int], ...]:
    """Pairs (upper, lower) of cards that overlap: the one whose face the shared place shows lies above."""
    pairs = []
    for a in range(len(cards)):
        for b in range(a + 1, len(cards)):
            upper = _upper(pyramid, plane, cards[a], cards[b])
            if upper is not None:
                pairs.append((a, b) if upper == 0 else (b, a))
    return tuple(pairs)


def _upper(pyramid: Pyramid, plane: Plane, a: OnEdges, b: OnEdges) -> int | None:
    wa, wb = a.looks.size_mm, b.looks.size_mm
    if np.hypot(*(a.fit.pose - b.fit.pose)[:2]) > (np.hypot(*wa) + np.hypot(*wb)) / 2:
        return None
    errors = []
    for mine, other in ((a, b), (b, a)):
        error = _misfit(pyramid, plane, mine, other)
        if error is None:
            return None
        errors.append(error)
    if max(errors) < _CLEAR * (min(errors) + _FLAT):
        return None  # the place looks the same whichever lies above
    return int(errors[1] < errors[0])


def _misfit(pyramid: Pyramid, plane: Plane, mine: OnEdges, other: OnEdges) -> float | None:
    """How far the picture is from `mine` where the two overlap, in its own light; None where they do not."""
    fine = face_bank(mine.looks).fine
    w, h = other.looks.size_mm
    local = _back(_turned(_samples(mine.looks), mine.fit.pose), other.fit.pose)
    shared = (np.abs(local[:, 0]) < w / 2 - 0.5) & (np.abs(local[:, 1]) < h / 2 - 0.5)
    shared = shared.reshape(fine.grid.shape) & fine.rim
    if shared.sum() < _LEAST:
        return None
    rows, columns = fine.grid.shape
    H = face_to_px(mine.quad(plane), fine.grid)
    patch = pyramid.patch(H, fine.grid.shape)
    face = np.zeros((rows, columns, 3), np.float32)
    face[fine.rim] = fine.raw[mine.look]
    own = fine.rim & ~shared
    left = 0.0
    for c in range(3):
        # the offset is that of the place itself, because glare adds light; the gain is roughly that of the whole card
        usual = _gain(face[own][:, c], patch[own][:, c])
        a, b = face[shared][:, c] - face[shared][:, c].mean(), patch[shared][:, c] - patch[shared][:, c].mean()
        gain = float(a @ b) / (float(a @ a) + _FLAT * len(a))
        left += float(((b - np.clip(gain, _LEAST_GAIN * usual, _MOST_GAIN * usual) * a) ** 2).mean())
    return left


@lru_cache(maxsize=16)
def _samples(looks: LookSet) -> Array:
    """(n, 2) samples of the fine grid in mm from the card's centre."""
    rows, columns = looks.fine.shape
    w, h = looks.size_mm
    x, y = np.meshgrid((np.arange(columns) + 0.5) * w / columns - w / 2, (np.arange(rows) + 0.5) * h / rows - h / 2)
    return np.asarray(np.c_[x.ravel(), y.ravel()])


def visible_samples(
    poses: Array, looks: Sequence[LookSet], covers: Sequence[tuple[int, int]]
) -> list[NDArray[np.float32]]:
    """For each card (rows, columns) of its fine grid: 1 where nothing lies on it, else 0; see `hidden_points`."""
    out = []
    for k, mine in enumerate(looks):
        at = _turned(_samples(mine), poses[k])
        clear = np.ones(len(at), np.float32)
        for j in [upper for upper, lower in covers if lower == k]:
            w, h = looks[j].size_mm
            local = _back(at, poses[j])
            clear[(np.abs(local[:, 0]) < w / 2 + _RIM_MM) & (np.abs(local[:, 1]) < h / 2 + _RIM_MM)] = 0
        out.append(clear.reshape(mine.fine.shape))
    return out


def _gain(face: NDArray[np.float32], seen: NDArray[np.float32]) -> float:
    """What the day's light makes of a difference of printed grey levels."""
    a, b = face - face.mean(), seen - seen.mean()
    return float(np.clip(float(a @ b) / (float(a @ a) + _FLAT * len(a)), 0.2, 1.5))


def _turned(points: Array, pose: Array) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray(points @ np.array([[c, s], [-s, c]]) + pose[:2])


def _back(points: Array, pose: Array) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.asarray((points - pose[:2]) @ np.array([[c, -s], [s, c]]))
