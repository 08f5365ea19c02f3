"""A drawing surface in millimetres with smooth edges.

Everything is drawn at a multiple of the wanted resolution and averaged down at the end. Colours are RGB, 0 to 255.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.art.paths import Points

Colour = tuple[float, float, float]
Layer = NDArray[np.float32]
"""(H, W) weights or (H, W, 3) colours."""
Paint = Colour | Callable[[Layer, Layer], Layer]
"""One colour, or a function of x and y in mm, two (h, w) arrays, giving (h, w, 3) colours."""

SHIFT = 4  # fixed-point bits of cv2's drawing coordinates


def rgb(text: str) -> Colour:
    """Colour of ``#rrggbb``."""
    return (float(int(text[1:3], 16)), float(int(text[3:5], 16)), float(int(text[5:7], 16)))


def mix(a: Colour, b: Colour, t: float) -> Colour:
    """Colour between a (t = 0) and b (t = 1)."""
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


WHITE: Colour = (255.0, 255.0, 255.0)
BLACK: Colour = (0.0, 0.0, 0.0)


def lighter(c: Colour, t: float) -> Colour:
    """The colour with a share t of white."""
    return mix(c, WHITE, t)


def darker(c: Colour, t: float) -> Colour:
    """The colour with a share t of black."""
    return mix(c, BLACK, t)


def fixed(points: Points) -> NDArray[np.int32]:
    """Pixel coordinates as cv2's fixed-point integers, shape (n, 1, 2)."""
    return np.round(points * (1 << SHIFT)).astype(np.int32).reshape(-1, 1, 2)


def mask_of(shape: tuple[int, int], contours: Sequence[Points]) -> Layer:
    """1 inside the contours (even-odd) and 0 outside; points in pixels."""
    m = np.zeros(shape, np.uint8)
    cv2.fillPoly(m, [fixed(c) for c in contours], 255, cv2.LINE_AA, SHIFT)
    return np.asarray(m / 255, np.float32)


def mask_of_line(shape: tuple[int, int], lines: Sequence[Points], width: float, closed: bool = False) -> Layer:
    """1 along the lines with round ends and joints; points and width in pixels."""
    m = np.zeros(shape, np.uint8)
    cv2.polylines(m, [fixed(p) for p in lines], closed, 255, max(1, round(width)), cv2.LINE_AA, SHIFT)
    return np.asarray(m / 255, np.float32)


class Canvas:
    """A card-sized drawing surface.

    Parameters
    ----------
    size_mm
        Width and height.
    px_per_mm
        Resolution of the finished picture.
    oversample
        How many times finer the drawing itself is done.
    """

    def __init__(self, size_mm: tuple[float, float], px_per_mm: float, oversample: int = 3) -> None:
        self.size_mm = size_mm
        self.px_per_mm = px_per_mm
        self._oversample = oversample
        self._out = (round(size_mm[0] * px_per_mm), round(size_mm[1] * px_per_mm))
        self.pixels: Layer = np.full((self._out[1] * oversample, self._out[0] * oversample, 3), 255, np.float32)
        self.scale = px_per_mm * oversample

    def ground(self, picture: Layer) -> None:
        """Cover everything with a picture of any size."""
        h, w = self.pixels.shape[:2]
        self.pixels = np.asarray(cv2.resize(picture, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)

    def fill(
        self,
        contours: Sequence[Points],
        paint: Paint,
        alpha: float = 1.0,
        blur_mm: float = 0.0,
        within: Sequence[Points] | None = None,
    ) -> None:
        """Fill closed contours (even-odd, mm), softened by `blur_mm`, kept inside `within` if given."""
        window = self._window(contours, 3 * blur_mm)
        if window is None:
            return
        x0, y0, w, h = window
        mask = mask_of((h, w), [self._px(c) - (x0, y0) for c in contours])
        self._apply(window, mask, paint, alpha, blur_mm, within)

    def line(
        self,
        lines: Sequence[Points],
        width_mm: float,
        paint: Paint,
        alpha: float = 1.0,
        blur_mm: float = 0.0,
        closed: bool = False,
        within: Sequence[Points] | None = None,
    ) -> None:
        """Draw lines with round ends (mm)."""
        window = self._window(lines, 3 * blur_mm + width_mm)
        if window is None:
            return
        x0, y0, w, h = window
        mask = mask_of_line((h, w), [self._px(c) - (x0, y0) for c in lines], width_mm * self.scale, closed)
        self._apply(window, mask, paint, alpha, blur_mm, within)

    def relief(
        self,
        contours: Sequence[Points],
        colour: Colour,
        bevel_mm: float,
        grain: Layer | None = None,
        rough: float = 0.3,
    ) -> None:
        """Fill contours as a body lit from the top left: rounded edges, and a rough surface where `grain` is given.

        Parameters
        ----------
        bevel_mm
            How far the rounding reaches inwards.
        grain
            (h, w) noise from 0 to 1, stretched over the body.
        rough
            How strongly the noise shows.
        """
        window = self._window(contours, 1.0)
        if window is None:
            return
        x0, y0, w, h = window
        mask = mask_of((h, w), [self._px(c) - (x0, y0) for c in contours])
        inside = np.pad((mask > 0.5).astype(np.uint8), 1)
        depth = cv2.distanceTransform(inside, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)[1:-1, 1:-1]
        reach = bevel_mm * self.scale
        t = np.clip(depth / reach, 0, 1)
        height = reach * np.sqrt(np.clip(1 - (1 - t) ** 2, 0, 1)).astype(np.float32)
        tone = np.ones((h, w), np.float32)
        if grain is not None:
            g = cv2.resize(grain, (w, h), interpolation=cv2.INTER_CUBIC)
            height += g * reach * rough * 1.4
            tone += (g - 0.5) * rough
        height = cv2.GaussianBlur(height, (0, 0), max(0.6, 0.08 * self.scale))
        gy, gx = np.gradient(height)
        lit = (0.55 + 0.62 * gx + 0.68 * gy) / np.sqrt(1 + gx**2 + gy**2)
        lit = np.clip(lit / 0.55, 0, 2.2)[..., None]
        base = np.asarray(colour, np.float32) * tone[..., None]
        shaded = np.where(lit < 1, base * (0.28 + 0.72 * lit), base + (255 - base) * np.clip(lit - 1, 0, 1) * 0.62)
        view = self.pixels[y0 : y0 + h, x0 : x0 + w]
        view += (np.clip(shaded, 0, 255).astype(np.float32) - view) * mask[..., None]

    def stamp(self, sprite: Layer, x_mm: float, y_mm: float, size_mm: float, turn_rad: float = 0.0) -> None:
        """Lay a square RGBA picture (premultiplied, 0 to 1 in alpha) centred at a place, turned clockwise."""
        n = sprite.shape[0]
        k = size_mm * self.scale / n
        reach = int(np.ceil(size_mm * self.scale * 0.75)) + 2
        cx, cy = x_mm * self.scale - 0.5, y_mm * self.scale - 0.5
        ix, iy = int(np.floor(cx)), int(np.floor(cy))
        c, s = np.cos(turn_rad) * k, np.sin(turn_rad) * k
        m = np.array([[c, -s, 0.0], [s, c, 0.0]])
        m[:, 2] = np.array([cx - ix + reach, cy - iy + reach]) - m[:, :2] @ np.full(2, (n - 1) / 2)
        if k < 0.5:  # avoid aliasing where the sprite is far larger than its place
            sprite = np.asarray(cv2.GaussianBlur(sprite, (0, 0), 0.35 / k), np.float32)
        patch = cv2.warpAffine(sprite, m, (2 * reach + 1, 2 * reach + 1), flags=cv2.INTER_LINEAR)
        h, w = self.pixels.shape[:2]
        x0, y0 = max(0, ix - reach), max(0, iy - reach)
        x1, y1 = min(w, ix + reach + 1), min(h, iy + reach + 1)
        if x0 >= x1 or y0 >= y1:
            return
        patch = patch[y0 - iy + reach : y1 - iy + reach, x0 - ix + reach : x1 - ix + reach]
        view = self.pixels[y0:y1, x0:x1]
        view *= 1 - patch[..., 3:]
        view += patch[..., :3]

    def finish(self) -> NDArray[np.uint8]:
        """The picture, RGB (H, W, 3) at the wanted resolution."""
        small = cv2.resize(self.pixels, self._out, interpolation=cv2.INTER_AREA)
        return np.asarray(np.clip(small + 0.5, 0, 255), np.uint8)

    def _px(self, points: Points) -> Points:
        return np.asarray(points) * self.scale - 0.5

    def _window(self, contours: Sequence[Points], margin_mm: float) -> tuple[int, int, int, int] | None:
        p = np.vstack([self._px(c) for c in contours])
        m = margin_mm * self.scale + 2
        lo = np.floor(p.min(axis=0) - m).astype(int)
        hi = np.ceil(p.max(axis=0) + m).astype(int) + 1
        h, w = self.pixels.shape[:2]
        x0, y0 = max(0, int(lo[0])), max(0, int(lo[1]))
        x1, y1 = min(w, int(hi[0])), min(h, int(hi[1]))
        return (x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None

    def _apply(
        self,
        window: tuple[int, int, int, int],
        mask: Layer,
        paint: Paint,
        alpha: float,
        blur_mm: float,
        within: Sequence[Points] | None,
    ) -> None:
        x0, y0, w, h = window
        if blur_mm > 0:
            soft = cv2.GaussianBlur(mask, (0, 0), blur_mm * self.scale, borderType=cv2.BORDER_REPLICATE)
            mask = np.asarray(soft, np.float32)
        if within is not None:
            mask = mask * mask_of((h, w), [self._px(c) - (x0, y0) for c in within])
        weight = (mask * alpha)[..., None]
        view = self.pixels[y0 : y0 + h, x0 : x0 + w]
        if callable(paint):
            y, x = np.mgrid[y0 : y0 + h, x0 : x0 + w].astype(np.float32)
            colour: Layer = paint((x + 0.5) / np.float32(self.scale), (y + 0.5) / np.float32(self.scale))
        else:
            colour = np.asarray(paint, np.float32)
        view += (colour - view) * weight
