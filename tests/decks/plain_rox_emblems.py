"""Middles of the printings in `plain_rox_games` that are outlines of their own, and the shield of ring symbols.

An emblem is drawn over u, v: -1 to 1 over what the ring leaves of the card. It gives the weights of its coloured body
and of the body with its rim.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def _soft(inside: Any) -> Floats:
    return np.asarray(cv2.GaussianBlur(np.asarray(inside, np.float32), (0, 0), 1.0), np.float32)


def shield(px: int) -> Floats:
    """A coat of arms as a mask (px, px)."""
    n = 4 * px
    x, y = np.meshgrid(np.linspace(-1.05, 1.05, n), np.linspace(-1.05, 1.05, n))
    half = np.where(y < -0.1, 0.86, 0.86 * np.sqrt(np.clip(1 - ((y + 0.1) / 1.1) ** 2, 0, 1)) ** 1.2)
    inside = ((np.abs(x) < half) & (y > -0.95)).astype(np.float32)
    return np.asarray(cv2.resize(inside, (px, px), interpolation=cv2.INTER_AREA), np.float32)


def _burst(u: Any, v: Any) -> tuple[Floats, Floats]:
    """Rays from the middle outwards."""
    angle, r = np.arctan2(v, u), np.hypot(u, v)
    rays = (np.cos(18 * angle) > -0.15) & (r < 0.98)
    return _soft(rays), _soft(r < 0.98)


def _medal(u: Any, v: Any) -> tuple[Floats, Floats]:
    """A rosette with two ribbons."""
    angle, r = np.arctan2(v + 0.08, u), np.hypot(u, v + 0.08)
    body, rim = r < 0.68 + 0.03 * np.cos(20 * angle), r < 0.76 + 0.04 * np.cos(20 * angle)
    tails = (np.abs(np.abs(u) - 0.15 - 0.28 * v) < 0.15) & (v > 0.2) & (v < 0.98 - 0.12 * np.cos(12 * u))
    return _soft(body), _soft(rim | tails)


def _pennant(u: Any, v: Any) -> tuple[Floats, Floats]:
    """A flag with a swallow's tail that hangs from a pole."""
    body = (np.abs(u) < 0.74) & (v > -0.86) & (v < 0.56 + 0.36 * np.abs(u) / 0.74)
    rim = (np.abs(u) < 0.82) & (v > -0.9) & (v < 0.62 + 0.38 * np.abs(u) / 0.82)
    pole = (np.abs(u) < 0.98) & (np.abs(v + 0.92) < 0.045)
    return _soft(body & ~pole), _soft(rim | pole)


EMBLEMS: dict[str, Callable[[Any, Any], tuple[Floats, Floats]]] = {
    "burst": _burst,
    "medal": _medal,
    "pennant": _pennant,
}
"""What the middle is printed as, by name: "burst" (coloured sign on a pale disc), the others with a pale sign."""
