"""Other paints, grounds, lamps and cameras for a drawn photograph."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Labels = NDArray[np.uint8]


def any_color(rng: np.random.Generator) -> Any:
    """Linear light of a paint: gaudy, pale, or dark."""
    kind = rng.random()
    if kind < 0.45:
        hsv = np.array([[[rng.uniform(0, 180), rng.uniform(90, 250), rng.uniform(90, 250)]]], np.uint8)
        return (cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0] / 255.0) ** 2.2
    if kind < 0.85:
        return np.clip(rng.uniform(0.3, 0.9) * (1 + rng.normal(0, 0.12, 3)), 0.02, 1)
    return np.clip(rng.uniform(0.02, 0.15) * (1 + rng.normal(0, 0.3, 3)), 0.01, 1)


def repainted(rng: np.random.Generator, picture: Floats, faces: Labels, paints: Any, albedos: Any) -> Floats:
    """The same picture with other paints on its plates; some are those of the ground."""
    there = faces > 0
    if np.count_nonzero(there) < 50:
        return picture
    old = albedos[paints][faces]
    light = (picture[there] / np.maximum(old[there], 0.02)).mean(axis=0)
    tint = light / max(float(light.mean()), 1e-6)
    ground = picture[~there]
    new = np.array(albedos)
    for k in range(len(new)):
        kind = rng.random()
        if kind < 0.25:
            continue
        if kind < 0.45 and len(ground):
            at = ground[int(rng.integers(len(ground)))] / np.maximum(light, 1e-3)
            new[k] = np.clip(at * (1 + rng.normal(0, 0.08)) + rng.normal(0, 0.01, 3), 0.01, 1)
        else:
            new[k] = any_color(rng)
    weigh = np.array([0.3, 0.5, 0.2])
    shade = (picture @ weigh.astype(np.float32)) / np.maximum(old @ weigh, 0.01) / max(float(tint @ weigh), 0.1)
    target = new[paints][faces] * (shade[..., None] * tint)
    inner = cv2.erode(there.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.float32)
    change = np.asarray((target - picture) * inner[..., None], np.float32)
    # the change is carried outwards from each face, so that mixed pixels at its edge change by their share of it
    amount = cv2.GaussianBlur(inner, (0, 0), 1.2)
    carried = cv2.GaussianBlur(change, (0, 0), 1.2) / np.maximum(amount, 0.05)[..., None]
    full = np.where(inner[..., None] > 0, change, carried)
    share = cv2.GaussianBlur(there.astype(np.float32), (0, 0), 0.6)[..., None]
    return np.asarray(np.clip(picture + full * share, 0, 1.5), np.float32)


def _pattern(rng: np.random.Generator, size: int) -> Floats:
    """A woven, striped, spotted or plain ground, (size, size, 3) about 1."""
    y, x = np.mgrid[:size, :size].astype(np.float32)
    turn = rng.uniform(0, np.pi)
    lean = rng.uniform(0, 0.8)
    u, v = x * np.cos(turn) + y * np.sin(turn), -x * np.sin(turn) + y * np.cos(turn)
    squeeze = 1 + lean * (size - y) / size
    u, v = u * squeeze, v * squeeze * rng.uniform(1, 2)
    step = float(np.exp(rng.uniform(np.log(5), np.log(60))))
    kind = int(rng.integers(4))
    if kind == 0:
        index = (np.floor(u / step) + np.floor(v / step)) % 2
    elif kind == 1:
        index = (np.floor(u / step) % 2 + np.floor(v / step) % 2) / 2
    elif kind == 2:
        index = np.floor(u / step) % 2
    else:
        field = cv2.GaussianBlur(rng.normal(size=(size, size)).astype(np.float32), (0, 0), step / 3)
        index = (field > float(np.quantile(field, rng.uniform(0.3, 0.85)))).astype(np.float32)
    a, b = (np.asarray(any_color(rng), np.float32) for _ in range(2))
    if rng.random() < 0.5:
        b = a * np.float32(rng.uniform(0.5, 1.6))
    out = a + (b - a) * index[..., None].astype(np.float32)
    return np.asarray(cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 2.0)), np.float32)


def relit(rng: np.random.Generator, picture: Floats, faces: Labels) -> Floats:
    """The same picture on another ground and under another lamp."""
    ground = (1 - cv2.GaussianBlur((faces > 0).astype(np.float32), (0, 0), 0.6))[..., None]
    kind = rng.random()
    if kind < 0.2:
        level = picture.mean(axis=2, keepdims=True)
        shade = level / max(float(np.median(level)), 1e-3)
        other = _pattern(rng, len(picture)) * (shade if rng.random() < 0.7 else shade**0.5)
        part = np.ones((*picture.shape[:2], 1), np.float32)
        if rng.random() < 0.6:
            line = rng.uniform(0, len(picture))
            part[: int(line)] = 0
            part = part if rng.random() < 0.5 else 1 - part
        picture = picture + (other - picture) * ground * part
    elif kind < 0.5:
        mix = np.eye(3) + rng.normal(0, 0.25, (3, 3))
        other = np.clip(picture @ mix.T.astype(np.float32), 0.003, 1) * np.float32(np.exp(rng.normal(0, 0.5)))
        picture = picture + (other - picture) * ground
    picture = picture * _shadows(rng, len(picture))[..., None]
    gain = np.exp(rng.normal(0.05, 0.4)) * np.exp(rng.normal(0, 0.15, 3))
    height, width = faces.shape
    y, x = np.mgrid[:height, :width].astype(np.float32) / height - 0.5
    fall = 1 + np.float32(rng.normal(0, 0.25)) * x + np.float32(rng.normal(0, 0.25)) * y
    veil = max(0.0, rng.normal(0, 0.02))
    return np.asarray(
        picture * gain.astype(np.float32) * np.maximum(fall, 0.2)[..., None] + np.float32(veil), np.float32
    )


def _shadows(rng: np.random.Generator, size: int) -> Floats:
    """How much light soft unevenness and a few shadows leave, (size, size)."""
    out = np.ones((size, size), np.float32)
    if rng.random() < 0.4:
        coarse = rng.normal(0, 0.25, (5, 5)).astype(np.float32)
        out *= np.exp(cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC))
    for _ in range(int(rng.integers(0, 4)) if rng.random() < 0.5 else 0):
        turn = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
        around = (
            np.stack([np.cos(turn), np.sin(turn)], 1) * rng.uniform(0.03, 0.3) * rng.uniform(0.4, 1.5, (len(turn), 1))
        )
        points = (rng.uniform(0, 1, 2) + around) * size
        mask = np.zeros((size, size), np.float32)
        cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1.0)
        out *= 1 - np.float32(rng.uniform(0.15, 0.6)) * cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.5, 6.0))
    return np.asarray(out, np.float32)


def spoiled(rng: np.random.Generator, picture: Floats) -> Labels:
    """The same picture as a camera would keep it, RGB uint8."""
    out: Any = np.power(np.clip(picture, 0, 1.3), np.float32(1 / rng.uniform(1.8, 2.6)))
    if rng.random() < 0.5:
        out = np.where(out > 0.8, 0.8 + 0.2 * np.tanh((out - 0.8) / 0.2), out)
    if rng.random() < 0.6:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.3))
    if rng.random() < 0.3:
        out = out + rng.uniform(0.2, 1.0) * (out - cv2.GaussianBlur(out, (0, 0), 1.0))
    if rng.random() < 0.15:
        out = np.repeat(out.mean(axis=2, keepdims=True), 3, axis=2)
    noise = rng.normal(0, rng.uniform(0.002, 0.03), out.shape).astype(np.float32)
    if rng.random() < 0.5:
        noise = cv2.GaussianBlur(noise, (0, 0), 0.7)
    levels = np.asarray(np.clip((out + noise) * 255 + 0.5, 0, 255), np.uint8)
    if rng.random() < 0.5:
        _, data = cv2.imencode(".jpg", levels, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(55, 96))])
        levels = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return levels
