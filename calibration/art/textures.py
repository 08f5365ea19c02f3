"""Grain, clouds and grounds made of noise. Every function is repeatable: the same generator state, the same picture."""

from __future__ import annotations

import itertools

import cv2
import numpy as np

from calibration.art.canvas import Colour, Layer, mix


def clouds(shape: tuple[int, int], rng: np.random.Generator, cell: float, octaves: int = 4, fade: float = 0.5) -> Layer:
    """Fractal noise from 0 to 1.

    Parameters
    ----------
    shape
        (height, width).
    cell
        Size of the largest lumps, in pixels.
    octaves
        How often finer lumps are added, each half as large and `fade` times as strong.
    """
    h, w = shape
    total = np.zeros(shape, np.float32)
    weight = 1.0
    for i in range(octaves):
        step = max(1.0, cell / 2**i)
        grid = rng.random((int(h / step) + 3, int(w / step) + 3)).astype(np.float32)
        big = cv2.resize(grid, None, fx=step, fy=step, interpolation=cv2.INTER_CUBIC)
        total += weight * big[:h, :w]
        weight *= fade
    lo, hi = np.percentile(total, [0.5, 99.5])
    return np.asarray(np.clip((total - lo) / max(hi - lo, 1e-6), 0, 1), np.float32)


def blend(a: Colour, b: Colour, t: Layer) -> Layer:
    """Colours between a and b by the weights t; (H, W, 3)."""
    low, high = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return np.asarray(low + (high - low) * t[..., None], np.float32)


def vertical(shape: tuple[int, int], stops: list[tuple[float, Colour]]) -> Layer:
    """A gradient from top (0) to bottom (1) through the stops."""
    h, w = shape
    y = np.linspace(0, 1, h)
    at = [s for s, _ in stops]
    column = np.stack([np.interp(y, at, [c[i] for _, c in stops]) for i in range(3)], axis=-1)
    return np.repeat(column[:, None, :], w, axis=1).astype(np.float32)


def paper(shape: tuple[int, int], rng: np.random.Generator, base: Colour, shade: Colour, strength: float) -> Layer:
    """Soft mottled paper with a fine fibre grain."""
    lumps = clouds(shape, rng, shape[1] / 3, 5, 0.6)
    fibre = cv2.GaussianBlur(rng.random(shape).astype(np.float32), (0, 0), 1.2) - 0.5
    return blend(base, mix(base, shade, strength), lumps) + fibre[..., None] * 22 * strength


def slate(shape: tuple[int, int], rng: np.random.Generator, base: Colour, light: Colour) -> Layer:
    """Dark stone: lumps lit from the top left, with specks."""
    h = clouds(shape, rng, shape[1] / 4, 6, 0.62)
    gy, gx = np.gradient(cv2.GaussianBlur(h, (0, 0), 1.0))
    lit = np.clip(0.35 + 0.35 * h + 9.0 * (gx + gy), 0, 1).astype(np.float32)
    specks = (rng.random(shape) > 0.9985).astype(np.float32)
    specks = cv2.GaussianBlur(specks, (0, 0), 0.8) * 2.5
    return blend(base, light, np.clip(lit + specks, 0, 1).astype(np.float32))


def planks(shape: tuple[int, int], rng: np.random.Generator, base: Colour, dark: Colour, boards: int) -> Layer:
    """Wooden boards running down the card."""
    h, w = shape
    out = np.zeros((h, w, 3), np.float32)
    edges = np.linspace(0, w, boards + 1).astype(int)
    for x0, x1 in itertools.pairwise(edges):
        warp = clouds((h, x1 - x0), rng, h / 4, 3)
        x = np.arange(x1 - x0, dtype=np.float32)[None, :] / w
        rings = 0.5 + 0.5 * np.sin((x * (60 + 30 * rng.random()) + warp * 9) * 2 * np.pi * 0.5)
        fine = cv2.GaussianBlur(rng.random((h, x1 - x0)).astype(np.float32), (0, 0), sigmaX=0.7, sigmaY=9)
        tone = 0.55 * rings + 2.2 * (fine - 0.5) + 0.25 * rng.random()
        out[:, x0:x1] = blend(base, dark, np.clip(tone, 0, 1).astype(np.float32))
        out[:, x0 : x0 + 2] *= 0.45
    return out


def pebbles(shape: tuple[int, int], rng: np.random.Generator, tones: list[Colour], count: int) -> Layer:
    """A gravel bed that looks like a photograph: rounded cells lit from one side, out of focus towards the rim."""
    h, w = shape
    seeds = rng.random((count, 2)) * (w, h)
    small = (max(8, h // 2), max(8, w // 2))
    y, x = np.mgrid[0 : small[0], 0 : small[1]].astype(np.float32) * 2
    wobble = (clouds(small, rng, 20, 3) - 0.5) * 12
    first = np.full(small, 1e9, np.float32)
    second = first.copy()
    owner = np.zeros(small, np.int32)
    for i, (sx, sy) in enumerate(seeds):
        d = (np.hypot(x - sx, (y - sy) * 1.15) + wobble).astype(np.float32)
        nearer = d < first
        second = np.where(nearer, first, np.minimum(second, d))
        first = np.where(nearer, d, first)
        owner[nearer] = i
    dome = np.clip((second - first) / (0.55 * np.sqrt(w * h / count)), 0, 1)
    height = cv2.GaussianBlur(np.sqrt(dome), (0, 0), 1.5)
    gy, gx = np.gradient(height)
    palette = np.asarray(tones, np.float32)[rng.integers(0, len(tones), count)]
    palette = palette * (0.75 + 0.5 * rng.random((count, 1)).astype(np.float32))
    colour = palette[owner] * (0.9 + 0.2 * clouds(small, rng, 6, 3)[..., None])
    lit = np.clip(0.35 + 0.6 * height + 2.5 * (gx + gy), 0.12, 1.3)[..., None]
    return np.asarray(cv2.resize(colour * lit, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)


def bokeh(shape: tuple[int, int], rng: np.random.Generator, base: Layer, tones: list[Colour], count: int) -> Layer:
    """Blurred points of light over a ground, as a lens out of focus draws them."""
    h, w = shape
    out = base.copy()
    for _ in range(count):
        r = w * (0.02 + 0.09 * rng.random())
        x, y = rng.random() * w, rng.random() * h
        m = np.zeros(shape, np.float32)
        cv2.circle(m, (int(x), int(y)), max(2, int(r)), 1.0, -1, cv2.LINE_AA)
        m = cv2.GaussianBlur(m, (0, 0), max(0.8, r * 0.12)) * (0.12 + 0.3 * rng.random())
        out += (np.asarray(tones[int(rng.integers(len(tones)))], np.float32) - out) * m[..., None]
    return out


def vignette(picture: Layer, strength: float) -> Layer:
    """The picture, darker towards its corners."""
    h, w = picture.shape[:2]
    y, x = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    return np.asarray(picture * (1 - strength * np.clip(x**2 + y**2 - 0.4, 0, None) / 1.6)[..., None], np.float32)
