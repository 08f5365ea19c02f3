"""All drawing on pictures: outlines with names, and the evidence for one link between two cards.

Nothing is told by colour alone: each mark has its own colour, line and sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import Quad, Rgb

Array = NDArray[np.float64]


class Mark(StrEnum):
    """What is said of a thing in the picture."""

    PLAIN = "plain"
    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class _Style:
    """Colour, line and sign of a mark. The colours differ in brightness too, for eyes that see hues alike."""

    rgb: tuple[int, int, int]
    dash: float  # length of a dash in line widths; 0 draws through
    sign: str


_STYLES = {
    Mark.PLAIN: _Style((240, 240, 240), 0.0, ""),
    Mark.RIGHT: _Style((80, 200, 255), 0.0, "check"),
    Mark.WRONG: _Style((255, 90, 60), 0.0, "cross"),
    Mark.UNSURE: _Style((255, 205, 40), 4.0, "question"),
    Mark.HIDDEN: _Style((170, 170, 170), 3.0, ""),
}
_DARK = (20, 20, 20)


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """One outline to draw.

    Parameters
    ----------
    quad_px
        Printed top-left, top-right, bottom-right and bottom-left corner; a bar marks the printed top.
    text
        Short plain text, such as a card's id; characters that the built-in font lacks are left out.
    mark
        See `Mark`.
    """

    quad_px: Quad
    text: str = ""
    mark: Mark = Mark.PLAIN


def draw_labels(rgb: Rgb, labels: Sequence[Label]) -> Rgb:
    """Draw outlines and names over a picture.

    Parameters
    ----------
    rgb
        The picture; it is not changed.
    labels
        What to draw, in its pixels.

    Returns
    -------
    Rgb
        A copy with the drawing.
    """
    canvas = rgb.copy()
    width = _line_width(rgb)
    for label in labels:
        draw_outline(canvas, label.quad_px, label.mark, width)
    # Texts last, so that no outline crosses one.
    for label in labels:
        _draw_tag(canvas, label, width)
    return canvas


def draw_outline(canvas: Rgb, quad_px: Quad, mark: Mark, width: int) -> None:
    """Draw one outline into `canvas`, dark below and the mark's colour above, so that it shows on any ground."""
    style = _STYLES[mark]
    corners = np.asarray(quad_px, np.float64)
    top = corners[:2] + 0.06 * (corners[[3, 2]] - corners[:2])
    for colour, extra in ((_DARK, 2), (style.rgb, 0)):
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            _draw_line(canvas, a, b, colour, width + extra, style.dash * width)
        _draw_line(canvas, top[0], top[1], colour, width + extra, 0.0)


def rectify(rgb: Rgb, quad_px: Quad, size_px: tuple[int, int]) -> Rgb:
    """Cut one card out of a picture, upright.

    Parameters
    ----------
    rgb
        The picture.
    quad_px
        See `Label`.
    size_px
        Width and height of the result.
    """
    w, h = size_px
    goal = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(np.asarray(quad_px, np.float32), goal)
    return np.asarray(cv2.warpPerspective(rgb, matrix, size_px, flags=cv2.INTER_AREA), np.uint8)


def draw_link_evidence(
    rgb: Rgb, before: Label, after: Label, mark: Mark, *, height_px: int = 320, ratio: float | None = None
) -> Rgb:
    """Show why a link was called right, wrong or unsure.

    Above, the part of the picture with both cards outlined; below, both cards cut out and turned upright, side by
    side, with the sign of the call between them.

    Parameters
    ----------
    rgb
        The whole picture.
    before, after
        The two cards with their names.
    mark
        The call on the link between them.
    height_px
        Height of each half.
    ratio
        Width of a card divided by its height; None takes it from the outlines.

    Returns
    -------
    Rgb
        About twice `height_px` high.
    """
    ratio = ratio or _ratio(before.quad_px)
    card = (max(8, round(height_px * ratio)), height_px)
    upright = [rectify(rgb, label.quad_px, card) for label in (before, after)]
    gap = np.full((height_px, max(64, height_px // 4), 3), 245, np.uint8)
    _draw_sign(gap, (gap.shape[1] / 2, gap.shape[0] / 2), 0.36 * gap.shape[1], mark)
    below = np.hstack([upright[0], gap, upright[1]])
    crop, offset, scale = _crop(rgb, np.concatenate([before.quad_px, after.quad_px]), height_px)
    shown = [Label((np.asarray(x.quad_px) - offset) * scale, x.text, x.mark) for x in (before, after)]
    above = draw_labels(crop, shown)
    wide = max(above.shape[1], below.shape[1])
    rule = np.full((6, wide, 3), 245, np.uint8)
    return np.vstack([_centred(above, wide), rule, _centred(below, wide)])


def _crop(rgb: Rgb, points: Array, height_px: int) -> tuple[Rgb, Array, float]:
    """The part of the picture around some points, scaled; with its offset and scale."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.25 * float((high - low).max())
    h, w = rgb.shape[:2]
    x0, y0 = (int(v) for v in np.clip(np.floor(low - margin), 0, [w - 2, h - 2]))
    x1, y1 = (int(v) for v in np.clip(np.ceil(high + margin), [x0 + 2, y0 + 2], [w, h]))
    part = rgb[y0:y1, x0:x1]
    scale = height_px / part.shape[0]
    size = (max(2, round(part.shape[1] * scale)), height_px)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(part, size, interpolation=how), np.uint8), np.array([x0, y0], np.float64), scale


def _ratio(quad_px: Quad) -> float:
    sides = np.hypot(*(np.roll(quad_px, -1, axis=0) - quad_px).T)
    return float(np.clip((sides[0] + sides[2]) / max(sides[1] + sides[3], 1e-6), 0.2, 5.0))


def _centred(rgb: Rgb, width: int) -> Rgb:
    left = (width - rgb.shape[1]) // 2
    right = width - rgb.shape[1] - left
    return np.asarray(cv2.copyMakeBorder(rgb, 0, 0, left, right, cv2.BORDER_CONSTANT, value=(245, 245, 245)), np.uint8)


def _line_width(rgb: Rgb) -> int:
    longest: int = max(rgb.shape[:2])
    return max(2, round(longest / 500))


def _draw_line(canvas: Rgb, a: Array, b: Array, colour: tuple[int, int, int], width: int, dash: float) -> None:
    length = float(np.hypot(*(b - a)))
    if dash <= 0 or length <= dash:
        steps = np.array([0.0, 1.0])
    else:
        pieces = max(1, round(length / dash / 2))
        steps = np.linspace(0.0, 1.0, 2 * pieces)
    # OpenCV takes no corners far outside; nothing is drawn there anyway.
    ends = np.clip(a + steps[:, None] * (b - a), -10000, 10000)
    for start, end in zip(ends[::2], ends[1::2], strict=False):
        cv2.line(canvas, _at(start), _at(end), colour, width, cv2.LINE_AA)


def _draw_tag(canvas: Rgb, label: Label, width: int) -> None:
    """The name on a dark plate in the middle of the card, with the sign of its mark before it."""
    text = "".join(c for c in label.text if " " <= c <= "~")
    style = _STYLES[label.mark]
    if not text and not style.sign:
        return
    size = 0.35 * width
    font = cv2.FONT_HERSHEY_SIMPLEX
    (text_w, text_h), base = cv2.getTextSize(text, font, size, max(1, width - 1)) if text else ((0, 10 * width), 0)
    sign_w = round(1.4 * text_h) if style.sign else 0
    pad = width + 2
    centre = np.asarray(label.quad_px).mean(axis=0)
    x, y = _at(np.clip(centre, -10000, 10000) - [(text_w + sign_w) / 2, -text_h / 2])
    plate = (x - pad, y - text_h - pad), (x + sign_w + text_w + pad, y + base + pad)
    cv2.rectangle(canvas, *plate, _DARK, cv2.FILLED)
    if style.sign:
        _draw_sign(canvas, (x + 0.5 * text_h, y - 0.5 * text_h), 0.5 * text_h, label.mark)
    if text:
        cv2.putText(canvas, text, (x + sign_w, y), font, size, style.rgb, max(1, width - 1), cv2.LINE_AA)


def _draw_sign(canvas: Rgb, centre: tuple[float, float], radius: float, mark: Mark) -> None:
    """A check, a cross or a question mark."""
    style = _STYLES[mark]
    middle = np.array(centre)
    thick = max(2, round(radius / 4))

    def stroke(*points: tuple[float, float]) -> None:
        path = [_at(middle + radius * np.array(p)) for p in points]
        for colour, extra in ((_DARK, 2), (style.rgb, 0)):
            cv2.polylines(canvas, [np.array(path, np.int32)], False, colour, thick + extra, cv2.LINE_AA)

    if style.sign == "check":
        stroke((-0.8, 0.1), (-0.25, 0.7), (0.8, -0.7))
    elif style.sign == "cross":
        stroke((-0.7, -0.7), (0.7, 0.7))
        stroke((0.7, -0.7), (-0.7, 0.7))
    elif style.sign == "question":
        bow = np.linspace(np.pi, 2.6 * np.pi, 12)
        arc = [(0.5 * float(np.cos(t)), -0.4 + 0.5 * float(np.sin(t))) for t in bow]
        stroke(*arc, (0.0, 0.35))
        stroke((0.0, 0.75), (0.0, 0.8))


def _at(point: Array) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))
