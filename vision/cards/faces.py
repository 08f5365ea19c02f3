"""Which card is it, and exactly where: a patch of the picture against every face of the deck.

Light differs from lamp to lamp and across a card, so each colour channel of the picture is compared up to a gain of
its own after slow changes are taken off. Poses are refined by aligning the known face (inverse compositional
Gauss-Newton after Baker and Matthews, 2004) with weights that ignore what covers the card.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from vision.cards.face_bank import Floats, Layer, high_pass
from vision.cards.quads import signed_area
from vision.cards.rectify import Pyramid, apply, quad_of
from vision.types import Quad

Array = NDArray[np.float64]

_NOISE = 3.0  # grey levels that a good picture scatters
_INDEPENDENT = 5.0  # neighbouring samples share noise and blur: about one in so many is independent
_SIGMA_BEND = 0.02  # usual bend of a card on a table, in half widths


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One patch against all looks of a bank.

    Parameters
    ----------
    error
        (m,) what each look leaves unexplained, as a share of the patch's own contrast, 0 (perfect) to 1.
    samples
        Number of samples compared.
    """

    error: Array
    samples: float


def compare(patch: Floats, mask: Floats, layer: Layer) -> Comparison:
    """A patch (rows, columns, 3) against all looks, where `mask` (rows, columns) 0..1 says what is visible."""
    m = mask[layer.rim]
    p = high_pass(patch, layer.rim, layer.slow_weight)[layer.rim]
    weighted = np.maximum(m, 1e-3)
    total = left = 0.0
    for c in range(3):
        pw = p[:, c] * weighted
        cross = layer.fast[c] @ pw
        norm = layer.fast2[c] @ weighted + _NOISE**2 * weighted.sum() * 0.05
        power = float(pw @ p[:, c]) + 1e-6
        total = total + power
        left = left + power - np.maximum(cross, 0) ** 2 / norm
    floor = 3 * float(weighted.sum()) * _NOISE**2 * 0.25
    return Comparison(np.clip((left + floor) / (total + 2 * floor), 1e-4, 1.0), float(weighted.sum()))


class Freedom(IntEnum):
    """How many numbers of a pose an alignment may change."""

    AFFINE = 6
    PERSPECTIVE = 8
    BEND = 12


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """A face laid onto the picture.

    Parameters
    ----------
    H
        (3, 3) from samples of the grid to px.
    quad_px
        (4, 2) printed corners.
    covariance
        (8, 8) of the corners (x0, y0, x1, …) in px squared; zero unless it was asked for.
    bend
        (2, 2) how far the middles of the sides across and along are off the chord, in half widths and half heights.
    agreement
        Share of the followed samples that look as they should.
    """

    H: Array
    quad_px: Quad
    covariance: Array
    bend: Array
    agreement: float


def align(
    pyramid: Pyramid,
    H: Array,
    layer: Layer,
    look: int,
    mask: Floats | None = None,
    iterations: int = 8,
    freedom: Freedom = Freedom.PERSPECTIVE,
    precise: bool = False,
) -> Alignment | None:
    """Refine a pose by laying face number `look` onto the picture.

    Parameters
    ----------
    H
        (3, 3) first guess, samples of the layer's grid -> px; right to about a symbol's half width.
    mask
        (rows, columns) 0..1 where the card is visible; default everywhere.
    freedom
        What may change: little for cards of which little is seen, all for whole ones, which may be curled.
    precise
        Also say how exact the corners are; left out on the way to an answer, for it takes as long as two steps.

    Returns
    -------
    Alignment or None
        None where the guess leads nowhere.
    """
    rows, columns = layer.grid.shape
    to_unit = np.array([[2 / (columns - 1), 0, -1], [0, 2 / (rows - 1), -1], [0, 0, 1.0]])
    from_unit = np.linalg.inv(to_unit)
    track = layer.tracks[look]
    k = int(freedom)
    bend = np.zeros((2, 2))
    J = np.ascontiguousarray(track.jacobian[:, :k])
    seen = np.ones(len(J), np.float32) if mask is None else mask.ravel()[track.pick]
    start = quad_of(H, layer.grid)
    size = float(np.sqrt(abs(signed_area(start))))
    w = seen
    normal = np.eye(k)
    contrast = float(track.tone.std())
    half = np.array([(columns - 1) / 2, (rows - 1) / 2])
    variance = 0.0
    for n in range(iterations):
        at = track.at
        if bend.any():
            u = track.unit
            at = at + ((u[:, :1] ** 2) * bend[0] + (u[:, 1:] ** 2) * bend[1]) * half
        patch = pyramid.sample(H, at)
        use = w * np.where(patch.max(1) >= 252, np.float32(0.3), np.float32(1))
        residual, gain = _relit(np.asarray(patch @ layer.tone, np.float32), track.tone, track.light, use)
        if gain <= 0.02:
            return None
        spread = np.abs(residual)
        s = max(4.0, 1.5 * _median(spread))
        # strict only once the pose is good: at first what is merely displaced looks like something that covers the card
        reach = 1.7 * s + contrast * 0.6 ** (n + 1)
        w = np.asarray(seen / (1 + (spread / reach) ** 2) ** 2, np.float32)
        Jw = J * w[:, None]
        normal = (Jw.T @ J).astype(float)
        normal[np.diag_indices(k)] *= 1.001
        variance = float((residual**2) @ w / max(float(w.sum()), 1.0))
        slope = (Jw.T @ residual).astype(float)
        if k == Freedom.BEND:
            # cards are flat unless the picture says otherwise
            stiff = (variance + 1.0) * _INDEPENDENT / _SIGMA_BEND**2
            normal[range(8, 12), range(8, 12)] += stiff
            slope[8:] += stiff * bend.ravel()
        try:
            step = np.linalg.solve(normal, slope)
        except np.linalg.LinAlgError:
            return None
        D = np.eye(3)
        D[0] += step[0:3]
        D[1] += step[3:6]
        if k >= 8:
            D[2, :2] += step[6:8]
        if k == Freedom.BEND:
            bend = bend - step[8:].reshape(2, 2)
        if not np.isfinite(D).all() or abs(np.linalg.det(D)) < 0.2:
            return None
        H = H @ from_unit @ np.linalg.inv(D) @ to_unit
        H = H / H[2, 2]
        if n >= 3 and np.abs(step[:6]).max() * size / 2 < 0.01:
            break
    quad = apply(H @ from_unit, _corners(layer) + bend.sum(0))
    if (
        not np.isfinite(quad).all()
        or np.abs(quad - start).max() > 0.35 * size
        or abs(signed_area(quad)) < 0.3 * size * size
    ):
        return None
    doubt = _covariance(normal, variance, H, from_unit, layer, k) if precise else np.zeros((8, 8))
    return Alignment(H, quad, doubt, bend, float((w > 0.3).mean()))


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card as the picture shows it, laid flat, upright and in the deck's own light.

    Parameters
    ----------
    flat
        (rows, columns, 3) in the face's grey levels; 0 off the rim.
    weight
        (rows, columns) how much each sample agrees with the face, 0 to 1.
    """

    flat: Floats
    weight: Floats


def lay_flat(patch: Floats, layer: Layer, look: int, seen: Floats) -> Laid:
    """Take the light off an aligned patch and say which of its samples agree with face number `look`."""
    T, raw = layer.raw[look], patch[layer.rim]
    w = seen[layer.rim]
    whole = w
    residual = np.empty_like(T)
    for _ in range(2):
        for c in range(3):
            A = np.concatenate([T[:, c : c + 1], layer.basis], 1)
            residual[:, c], _ = _relit(raw[:, c], T[:, c], A, w)
        spread = np.abs(residual).mean(1)
        s = max(4.0, 1.5 * _median(spread))
        w = whole / (1 + (spread / (1.7 * s)) ** 2) ** 2
    flat = np.zeros((*layer.rim.shape, 3), np.float32)
    flat[layer.rim] = residual + T
    weight = np.zeros(layer.rim.shape, np.float32)
    weight[layer.rim] = w
    return Laid(flat, weight)


def _median(values: Floats) -> float:
    """The upper median; `np.median` spends most of its time on what does not matter here."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def _relit(values: Floats, tone: Floats, light: Floats, w: Floats) -> tuple[Floats, float]:
    """Residual (n,) after the best gain, offset and slope of light, in the face's grey levels; and the gain."""
    if float(w.sum()) < 4:
        return np.zeros_like(values), 0.0
    Aw = light * w[:, None]
    N = (Aw.T @ light).astype(float)
    N[np.diag_indices(4)] += 1e-3 * np.trace(N) / 4 * np.array([1e-3, 1e-3, 1e-2, 1e-2]) + 1e-9
    x = np.linalg.solve(N, (Aw.T @ values).astype(float))
    g = float(x[0])
    return (values - light[:, 1:] @ x[1:].astype(np.float32)) / np.float32(max(g, 0.08)) - tone, g


def _corners(layer: Layer) -> Array:
    """(4, 2) corners of the face in the coordinates of the alignment: the outermost samples are at -1 and 1."""
    rows, columns = layer.grid.shape
    return np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * [columns / (columns - 1), rows / (rows - 1)]


def _covariance(normal: Array, variance: float, H: Array, from_unit: Array, layer: Layer, k: int) -> Array:
    """Covariance of the four corners in px, from how sharply the match peaks."""
    C = np.linalg.pinv(normal) * (variance + 1.0) * _INDEPENDENT
    unit = _corners(layer)
    G = H @ from_unit
    p = apply(G, unit)
    out = np.zeros((8, k))
    eps = 1e-4
    for j in range(min(k, 8)):
        D = np.eye(3)
        D.reshape(-1)[j] += eps
        out[:, j] = (apply(G @ D, unit) - p).reshape(-1) / eps
    for j in range(8, k):
        out[:, j] = (apply(G, unit + eps * np.eye(2)[j % 2]) - p).reshape(-1) / eps
    return np.asarray(out @ C @ out.T)
