"""Today's light: what white looks like in it, read off paper, cards, or a colour chart that lies there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.colour_chart import find_chart
from calibration.sheets.target import COLUMNS, MARKER_MM, ROWS, SQUARE_MM
from vision.cards.rectify import apply, homography
from vision.deck import DeckAppearance
from vision.types import Detection, Rgb

Array = NDArray[np.float64]

CHART, TARGET, CARDS, PAPER = "colour-chart", "target", "cards", "paper"
"""What white was read off; the first is the surest, and the last is what a person pointed at."""

_DARK = 60.0
_END = 253
_CLIPPED = 0.3
"""Share of the samples at the sensor's end above which white is burnt out."""
_WARM = 1.25
_PRINT_WHITE = 215
"""Least of red, green and blue of what is white in a face's picture."""
_LEAST = 40
_SPOT = 0.008
"""Half the side of what is looked at where a person points, as a share of the picture's longer side."""
_NO_WHITE, _COLOURED = 48.0, 3.0
"""What is darker, or whose strongest colour is so many times the weakest, is no white in any light."""


@dataclass(frozen=True, slots=True)
class Light:
    """What white looks like: red, green and blue, 255 at the sensor's end, and what it was seen on.

    `clipped` is the share of what was seen that was at that end, so that nobody knows how much brighter it is.
    """

    white: tuple[float, float, float]
    seen_on: str
    clipped: float = 0.0

    def advice(self) -> tuple[str, ...]:
        """What would make colours surer, in plain sentences; empty where nothing would."""
        r, g, b = self.white
        out = []
        if max(self.white) < _DARK:
            out.append("White looks dark grey: switch on a lamp that does not shine into the lens.")
        if self.clipped > _CLIPPED:
            out.append("White is burnt out: turn the lamp away, or lower the camera's exposure.")
        elif r > _WARM * b:
            out.append("The light is warm: colours are read against what is white; daylight or a white lamp is surer.")
        elif b > _WARM * r:
            out.append(
                "The light is bluish: colours are read against what is white; daylight or a white lamp is surer."
            )
        elif g > _WARM * max(r, b):
            out.append("The light is greenish: switch the camera's white balance to automatic.")
        return tuple(out)

    def in_words(self) -> str:
        """The white in one line."""
        names = {CHART: "the colour chart", TARGET: "the target's paper", CARDS: "the cards", PAPER: "paper"}
        return (
            f"white looks like rgb({', '.join(f'{v:.0f}' for v in self.white)}) on {names.get(self.seen_on, 'paper')}"
        )


def chart_light(rgb: Rgb) -> Light | None:
    """The light by a colour chart of 24 patches that lies in the picture; None where there is none."""
    colours = find_chart(rgb)
    return None if colours is None else _light(colours[-1, 0], CHART)


def target_light(rgb: Rgb, to_px: Array) -> Light | None:
    """The light by the target's white squares, between their edges and their markers.

    Parameters
    ----------
    to_px
        (3, 3) from mm on the target to px.
    """
    rim = (SQUARE_MM - MARKER_MM) / 4
    squares = [(c, r) for r in range(ROWS) for c in range(COLUMNS) if (r + c) % 2]
    along = np.linspace(0.2, 0.8, 9) * SQUARE_MM
    at = [(c * SQUARE_MM + x, r * SQUARE_MM + rim) for c, r in squares for x in along]
    return _light(_sampled(rgb, apply(to_px, np.array(at))), TARGET)


def cards_light(rgb: Rgb, detections: Sequence[Detection], deck: DeckAppearance) -> Light | None:
    """The light by what is printed white on the cards, or None where nothing on them is."""
    looks = {look.id: look for look in deck.looks}
    found, ends = [], []
    for d in detections:
        look = looks.get(d.face or "")
        if look is None or d.visible < 0.9:
            continue
        face = look.colour
        h, w = face.shape[:2]
        step = max(1, min(h, w) // 40)
        ys, xs = np.nonzero(cv2.erode((face.min(2) >= _PRINT_WHITE).astype(np.uint8), np.ones((5, 5), np.uint8)))
        if len(xs) < _LEAST:
            continue
        corners = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]])
        points = np.c_[xs, ys][::step].astype(np.float64)
        seen = _sampled(rgb, apply(homography(corners, d.quad_px), points))
        # what is printed is not quite white: it counts by what it would be
        found.append(np.median(seen, axis=0) * 255 / np.median(face[ys, xs], axis=0))
        ends.append(_clipped(seen))
    if not found:
        return None
    return _light(np.array(found), CARDS, float(np.median(ends)))


def spot_light(rgb: Rgb, at_px: tuple[float, float]) -> Light | None:
    """The light by something white that a person points at; None where that is not white in any light."""
    half = max(2, round(_SPOT * max(rgb.shape[:2])))
    x, y = round(at_px[0]), round(at_px[1])
    spot = rgb[max(0, y - half) : max(0, y + half + 1), max(0, x - half) : max(0, x + half + 1)]
    light = _light(np.asarray(spot, np.float64), PAPER)
    if light is None or max(light.white) < _NO_WHITE or max(light.white) > _COLOURED * max(min(light.white), 1.0):
        return None
    return light


def _light(samples: Array, seen_on: str, clipped: float | None = None) -> Light | None:
    samples = np.asarray(samples, np.float64).reshape(-1, 3)
    if not len(samples):
        return None
    r, g, b = (round(float(v), 1) for v in np.median(samples, axis=0))
    return Light((r, g, b), seen_on, _clipped(samples) if clipped is None else clipped)


def _clipped(samples: Array) -> float:
    return float((samples >= _END).any(1).mean()) if len(samples) else 0.0


def _sampled(rgb: Rgb, at_px: Array) -> Array:
    h, w = rgb.shape[:2]
    p = np.round(at_px).astype(int)
    inside = (p >= 0).all(1) & (p[:, 0] < w) & (p[:, 1] < h)
    return np.asarray(rgb[p[inside, 1], p[inside, 0]], np.float64)
