"""What is seen across the rim of a flat plate: the face, its side, and the table darkened by a shadow.

Each position and width of the three is weighed by how well it explains the colours there, whatever colours side and
shadow have.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

STEP = 0.5
"""Pixels between two samples of a profile."""
_NOISE = 3.0  # neighbouring samples of a profile tell the same: variance of one, in units of the picture's noise
_FACE_TONE, _RIM_TONE, _SIDE_TONE, _TABLE_TONE = (
    0.04,
    0.25,
    0.35,
    0.4,
)  # shares by which brightness may differ from the usual
_TINT = 0.08  # share of a colour by which its tint may differ
_SIDE_LOSS = 0.2  # share of the light that a side usually lacks
_CONTACT_PX = 2.0  # pixels over which the shadow under a rim fades


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """Colours across a rim.

    Parameters
    ----------
    colours
        (n, m, 3) from inside to outside, in units of the picture's noise.
    face, table
        (n, 3) the colours of the face and of the table beside it, without shadow.
    """

    colours: Array
    face: Array
    table: Array


def explain(profiles: Profiles, width: float, at: Array, soft: float, broken: float, inside: float) -> Array:
    """(n, k) how badly a rim at each of the positions (k,), in px, explains each profile; `width` is the side's.

    The colours of side and table may differ from what they usually are, by their brightness more than by their tint:
    the evidence of a linear model with normal priors, to a constant.
    """
    x = np.arange(profiles.colours.shape[1]) * STEP - inside
    edge = at[:, None]
    rim, foot = _step((x - edge) / soft), _step((x - edge - width) / soft)
    inner = _step((x - edge + broken) / soft)
    away = np.maximum(x - edge - width, 0.0)
    waves = np.stack([1 - inner, rim - foot, foot, foot * np.exp(-away / _CONTACT_PX), foot * away / 4, inner - rim], 1)
    face, table = profiles.face, profiles.table
    usual = np.stack([face, face * (1 - _SIDE_LOSS), table, 0 * table, 0 * table, face], 1)
    tints = [np.broadcast_to(row, face.shape) for row in np.eye(3)]
    tone_f, tone_t = (np.linalg.norm(c, axis=1, keepdims=True) * _TINT for c in (face, table))
    columns = [(0, face * _FACE_TONE), (1, face * _SIDE_TONE), (2, table * _TABLE_TONE)]
    columns += [(3, table * _TABLE_TONE), (4, table * _TABLE_TONE)]
    columns += [(5, face * _RIM_TONE)] + [(5, t * tone_f) for t in tints]
    columns += [(1, t * tone_f) for t in tints] + [(2, t * tone_t) for t in tints]
    wave = np.array([c[0] for c in columns])
    U = np.stack([c[1] for c in columns], 1)
    UU = np.einsum("nic,njc->nij", U, U)
    gram = waves @ waves.transpose(0, 2, 1)
    seen = np.tensordot(profiles.colours, waves, ([1], [2])).transpose(0, 2, 3, 1)
    expected = np.tensordot(usual, gram, ([1], [2])).transpose(0, 2, 3, 1)
    told = seen - expected
    square = (profiles.colours**2).sum((1, 2))[:, None] - ((seen + told) * usual[:, None]).sum((2, 3))
    bb = np.einsum("neic,nic->nei", told[:, :, wave], U)
    A = gram[None][:, :, wave[:, None], wave[None]] * UU[:, None] + _NOISE * np.eye(len(wave))
    root = np.linalg.cholesky(A)
    half = np.linalg.solve(root, bb[..., None])[..., 0]
    spread = 2 * np.log(np.diagonal(root, axis1=-2, axis2=-1)).sum(-1)
    return np.asarray((square - (half**2).sum(-1)) / _NOISE + spread)


def _step(x: Array) -> Array:
    return np.asarray((1 + erf(x / np.sqrt(2))) / 2)


def sampled(picture: Floats, points: Array, normals: Array, outside: float, inside: float) -> Array:
    """(n, m, channels) of a picture along the normals of a rim, from inside to `outside` px."""
    x = np.arange(-inside, outside + STEP / 2, STEP)
    at = (points[:, None] + normals[:, None] * x[None, :, None]).astype(np.float32)
    seen = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, float)


def even(outline: Array, step: float, soft: float) -> tuple[Array, Array]:
    """Points of a closed outline every `step` px, smoothed over `soft` px, and its outward normals."""
    closed = np.vstack([outline, outline[:1]])
    along = np.r_[0.0, np.cumsum(np.hypot(*np.diff(closed, axis=0).T))]
    n = max(12, round(along[-1] / step))
    where = np.linspace(0, along[-1], n, endpoint=False)
    points = np.stack([np.interp(where, along, closed[:, i]) for i in (0, 1)], 1)
    points = _smoothed(points, soft / step)
    ahead = _smoothed(np.roll(points, -1, 0) - np.roll(points, 1, 0), 1.2 / step)
    normals = np.stack([ahead[:, 1], -ahead[:, 0]], 1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    area = float(points[:, 0] @ np.roll(points[:, 1], -1) - points[:, 1] @ np.roll(points[:, 0], -1))
    return points, normals if area > 0 else -normals


def _smoothed(points: Array, sigma: float) -> Array:
    if sigma < 0.05:
        return points
    half = int(np.ceil(3 * sigma))
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / sigma) ** 2)
    padded = np.take(points, np.arange(-half, len(points) + half), axis=0, mode="wrap")
    kernel /= kernel.sum()
    return np.stack([np.convolve(padded[:, i], kernel, "valid") for i in (0, 1)], 1)
