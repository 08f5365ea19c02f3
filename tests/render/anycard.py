"""Faces of cards that no deck has: the training set of the outline network sees a new one in every picture.

All faces are RGB uint8 with the width `FACE_W`.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.render.textures import colour, noise

FACE_W = 160
Face = NDArray[np.uint8]


def _shape(rng: np.random.Generator, kind: int, n: int = 48) -> NDArray[np.float64]:
    """A closed outline in the unit square around 0."""
    a = np.linspace(0, 2 * np.pi, n, endpoint=False)
    if kind == 0:
        r = np.ones(n)
    elif kind == 1:
        k = rng.integers(3, 8)
        r = 0.72 + 0.28 * np.cos(k * a)
    elif kind == 2:
        k = int(rng.integers(3, 7))
        r = np.cos(np.pi / k) / np.cos((a % (2 * np.pi / k)) - np.pi / k)
    elif kind == 3:
        r = 0.55 + 0.45 * (np.abs(((a * 5 / (2 * np.pi)) % 1) - 0.5) * 2)
    elif kind == 4:
        r = 0.35 + 0.65 * np.abs(np.cos(a / 2)) ** rng.uniform(0.5, 3)
    else:
        r = np.clip(0.75 + 0.25 * np.cumsum(rng.standard_normal(n)) * 0.15, 0.35, 1)
    return np.stack([r * np.cos(a), r * np.sin(a) * rng.uniform(0.55, 1.0)], 1)


def _stamp(
    img: NDArray[np.float32],
    outline: NDArray[np.float64],
    at: tuple[float, float],
    size: float,
    angle: float,
    fill: NDArray[np.float32],
    line: NDArray[np.float32] | None,
    hollow: bool,
) -> None:
    c, s = np.cos(angle), np.sin(angle)
    p = outline @ np.array([[c, s], [-s, c]]) * size + np.array(at)
    pts = [np.round(p * 16).astype(np.int32)]
    if not hollow:
        cv2.fillPoly(img, pts, fill.tolist(), cv2.LINE_AA, 4)
    if line is not None or hollow:
        cv2.polylines(
            img, pts, True, (line if line is not None else fill).tolist(), max(1, int(size * 0.12)), cv2.LINE_AA, 4
        )


def _ground(rng: np.random.Generator, h: int, w: int) -> NDArray[np.float32]:
    u = rng.random()
    if u < 0.4:
        base = np.clip(1 - np.abs(rng.normal(0, 0.06, 3)), 0, 1).astype(np.float32)
    elif u < 0.6:
        base = np.array([rng.uniform(0.7, 0.98), rng.uniform(0.65, 0.92), rng.uniform(0.5, 0.85)], np.float32)
    else:
        base = colour(rng, (0.1, 0.98), (0.0, 0.9))
    img = np.tile(base, (h, w, 1)).astype(np.float32)
    if rng.random() < 0.55:
        img *= 1 + noise(rng, h, w, rng.uniform(4, 90), 3)[..., None] * rng.uniform(0.01, 0.12)
    if rng.random() < 0.15:
        other = colour(rng, (0.1, 1), (0, 0.9))
        t = np.linspace(0, 1, h, dtype=np.float32)[:, None, None]
        img = img * (1 - t) + other * t
    return np.clip(img, 0, 1).astype(np.float32)


def _ring(rng: np.random.Generator, img: NDArray[np.float32]) -> None:
    """Small symbols round the edge, something large in the middle."""
    h, w = img.shape[:2]
    kinds = [
        (_shape(rng, int(rng.integers(0, 6))), colour(rng, (0.15, 0.95), (0.3, 1)))
        for _ in range(int(rng.integers(2, 7)))
    ]
    line = colour(rng, (0, 0.3), (0, 0.5)) if rng.random() < 0.6 else None
    cols, rows = int(rng.integers(3, 7)), int(rng.integers(4, 9))
    size = min(w / cols, h / rows) * rng.uniform(0.25, 0.42)
    m = size * rng.uniform(1.1, 1.8)
    for i in range(cols):
        for j in range(rows):
            if i in (0, cols - 1) or j in (0, rows - 1):
                k = kinds[int(rng.integers(0, len(kinds)))]
                at = (m + (w - 2 * m) * i / (cols - 1), m + (h - 2 * m) * j / (rows - 1))
                _stamp(img, k[0], at, size, rng.uniform(-0.4, 0.4) - np.pi / 2, k[1], line, False)
    k = kinds[int(rng.integers(0, len(kinds)))]
    if rng.random() < 0.7:
        x0, y0 = int(w * rng.uniform(0.2, 0.33)), int(h * rng.uniform(0.16, 0.3))
        if rng.random() < 0.5:
            cv2.rectangle(
                img,
                (x0, y0),
                (w - x0, h - y0),
                colour(rng, (0.2, 0.8), (0, 0.6)).tolist(),
                max(1, w // 80),
                cv2.LINE_AA,
            )
        _stamp(
            img,
            _shape(rng, int(rng.integers(0, 6))),
            (w / 2, h / 2),
            w * rng.uniform(0.2, 0.32),
            -np.pi / 2,
            k[1],
            line,
            False,
        )
    _stamp(
        img,
        k[0],
        (w / 2, h / 2),
        w * rng.uniform(0.08, 0.2),
        -np.pi / 2,
        np.ones(3, np.float32) * rng.uniform(0.7, 1),
        line,
        False,
    )


def _pips(rng: np.random.Generator, img: NDArray[np.float32]) -> None:
    """Playing card or SET: a few equal shapes on a column or grid, small marks in the corners."""
    h, w = img.shape[:2]
    if rng.random() < 0.5:
        img[:] = 1 - abs(rng.normal(0, 0.04))
    c = colour(rng, (0.05, 0.9), (0.0, 1))
    s = _shape(rng, int(rng.integers(0, 6)))
    n, cols = int(rng.integers(1, 6)), int(rng.choice([1, 1, 1, 2, 3]))
    hollow = rng.random() < 0.35
    size = min(w / cols, h / n) * rng.uniform(0.25, 0.42)
    for i in range(cols):
        for j in range(n):
            _stamp(
                img,
                s,
                (w * (i + 1) / (cols + 1), h * (j + 1) / (n + 1)),
                size,
                0.0 if rng.random() < 0.8 else np.pi / 2,
                c,
                None,
                hollow,
            )
    if rng.random() < 0.5:
        for at, a in (((w * 0.1, h * 0.07), 0.0), ((w * 0.9, h * 0.93), np.pi)):
            _stamp(img, s, at, w * 0.05, a, c, None, False)
            mask = np.zeros((h, w), np.uint8)
            cv2.putText(
                mask,
                chr(int(rng.integers(48, 90))),
                (int(at[0] - w * 0.05), int(at[1] + h * 0.1 * (1 if a == 0 else -0.6))),
                cv2.FONT_HERSHEY_SIMPLEX,
                w / 320,
                255,
                2,
                cv2.LINE_AA,
            )
            img += (c - img) * (mask[..., None].astype(np.float32) / 255)


def _art(rng: np.random.Generator, img: NDArray[np.float32]) -> None:
    """A picture: coloured noise with shapes, full bleed or framed, maybe with lines of text."""
    h, w = img.shape[:2]
    a, b, c = (colour(rng, (0.05, 1), (0, 1)) for _ in range(3))
    t = np.clip(0.5 + 0.4 * noise(rng, h, w, rng.uniform(15, 90), 4), 0, 1)[..., None]
    u = np.clip(0.5 + 0.4 * noise(rng, h, w, rng.uniform(15, 120), 3), 0, 1)[..., None]
    pic = (a * (1 - t) + b * t) * (1 - u) + c * u
    for _ in range(int(rng.integers(0, 12))):
        _stamp(
            pic,
            _shape(rng, int(rng.integers(0, 6))),
            (rng.uniform(0, w), rng.uniform(0, h)),
            rng.uniform(0.03, 0.35) * w,
            rng.uniform(0, 6.3),
            colour(rng, (0.05, 1), (0, 1)),
            colour(rng, (0, 0.4), (0, 1)) if rng.random() < 0.3 else None,
            False,
        )
    m = 0 if rng.random() < 0.4 else int(w * rng.uniform(0.03, 0.13))
    y0, y1 = m, h - m
    if m and rng.random() < 0.5:
        y0, y1 = int(h * rng.uniform(0.05, 0.2)), int(h * rng.uniform(0.5, 0.8))
        ink = colour(rng, (0, 0.4), (0, 0.6))
        for y in range(y1 + int(h * 0.05), h - m, max(4, int(h * 0.035))):
            x = m * 1.5
            while x < w - 2 * m:
                step = rng.uniform(0.03, 0.14) * w
                cv2.line(img, (int(x), y), (int(min(w - m, x + step)), y), ink.tolist(), max(1, w // 70), cv2.LINE_AA)
                x += step + w * 0.03
    img[y0:y1, m : w - m] = pic[y0:y1, m : w - m]


def _flat(rng: np.random.Generator, img: NDArray[np.float32]) -> None:
    """One flat colour with coloured corners or wedges."""
    h, w = img.shape[:2]
    img[:] = colour(rng, (0.4, 1), (0.4, 1))
    for _ in range(int(rng.integers(1, 4))):
        corner = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)[int(rng.integers(0, 4))]
        inward = np.array([w / 2, h / 2]) - corner
        p = np.array(
            [
                corner,
                corner + [np.sign(inward[0]) * rng.uniform(0.2, 0.6) * w, 0],
                corner + [0, np.sign(inward[1]) * rng.uniform(0.15, 0.5) * h],
            ]
        )
        cv2.fillPoly(img, [np.round(p * 16).astype(np.int32)], colour(rng, (0.3, 1), (0.4, 1)).tolist(), cv2.LINE_AA, 4)
        if rng.random() < 0.5:
            cv2.polylines(img, [np.round(p * 16).astype(np.int32)], True, (0.1, 0.1, 0.1), 2, cv2.LINE_AA, 4)
    if rng.random() < 0.4:
        _stamp(
            img, _shape(rng, 3), (w / 2, h / 2), w * 0.15, 0, np.full(3, rng.uniform(0.5, 0.9), np.float32), None, False
        )


def _back(rng: np.random.Generator, img: NDArray[np.float32]) -> None:
    """A back: lattice, rays or spirals over one colour, often with a plain border."""
    h, w = img.shape[:2]
    a, b = colour(rng, (0.1, 0.8), (0.1, 1)), colour(rng, (0.3, 1), (0, 0.8))
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    p = rng.uniform(6, 30)
    kind = rng.integers(0, 3)
    if kind == 0:
        t = (np.sin((xx + yy) / p * 3) * np.sin((xx - yy) / p * 3) > rng.uniform(-0.2, 0.5)).astype(np.float32)
    elif kind == 1:
        ang = np.arctan2(yy - h / 2, xx - w / 2)
        t = (np.sin(ang * rng.integers(3, 20) + np.hypot(yy - h / 2, xx - w / 2) / p) > 0).astype(np.float32)
    else:
        t = (noise(rng, h, w, p * 2, 2) > 0.3).astype(np.float32)
    t = cv2.GaussianBlur(t, (0, 0), 0.8)[..., None] * rng.uniform(0.3, 1)
    m = int(w * rng.uniform(0.0, 0.12)) if rng.random() < 0.6 else 0
    img[m : h - m, m : w - m] = (a * (1 - t) + b * t)[m : h - m, m : w - m]


def random_face(rng: np.random.Generator, aspect: float) -> Face:
    """A face of height = `aspect` x width."""
    w = FACE_W
    h = round(w * aspect)
    img = _ground(rng, h, w)
    makers = (_ring, _pips, _art, _flat, _back)
    makers[int(rng.choice(5, p=[0.3, 0.33, 0.16, 0.11, 0.1]))](rng, img)
    if rng.random() < 0.25:
        m = int(w * rng.uniform(0.02, 0.1))
        cv2.rectangle(
            img,
            (m, m),
            (w - 1 - m, h - 1 - m),
            colour(rng, (0, 1), (0, 0.9)).tolist(),
            max(1, int(w * rng.uniform(0.008, 0.03))),
            cv2.LINE_AA,
        )
    return np.round(np.clip(img, 0, 1) * 255).astype(np.uint8)
