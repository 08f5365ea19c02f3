"""A picture of a deck for a page or a README: ``python -m calibration.art.showcase DECK_FOLDER OUT.jpg``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.art import textures as t
from calibration.art.canvas import SHIFT, fixed, rgb
from calibration.art.paths import box

SIZE = (1400, 640)  # px


def showcase(folder: Path, seed: int = 3) -> NDArray[np.uint8]:
    """Cards of a Rox deck fanned out on green felt, RGB; the fan holds one card of each element."""
    deck = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    firsts = {f["center"]: f["image"] for f in reversed(deck["faces"])}
    scoring = deck["scoring_cards"]["faces"]
    rng = np.random.default_rng(seed)
    felt = t.paper((SIZE[1], SIZE[0]), rng, rgb("#2d5a48"), rgb("#1d3f33"), 0.9)
    table = t.vignette(felt, 0.5)
    tall = SIZE[1] * 0.60
    fan = [firsts[e] for e in deck["elements"]]
    for k, image in enumerate(fan):
        angle = np.radians((k - 2) * 9.0)
        middle = (496 + 1010 * np.sin(angle), 1310 - 1010 * np.cos(angle))
        _lay(table, folder / image, middle, tall, angle)
    _lay(table, folder / deck["back"], (1090, 205), tall * 0.62, np.radians(-12))
    for k, pick in enumerate((0, len(scoring) // 2, len(scoring) - 1)):
        _lay(
            table, folder / scoring[pick]["image"], (1040 + 118 * k, 420 + 10 * k), tall * 0.78, np.radians(-6 + 7 * k)
        )
    return np.asarray(np.clip(table, 0, 255), np.uint8)


def _lay(table: NDArray[np.float32], file: Path, middle: tuple[float, float], tall: float, angle: float) -> None:
    bgr = cv2.imdecode(np.frombuffer(file.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if bgr is None:
        raise ValueError(f"{file} is no picture")
    scale = tall / bgr.shape[0]
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)[..., ::-1].astype(np.float32)
    h, w = small.shape[:2]
    mask = np.zeros((h, w), np.uint8)
    cv2.fillPoly(mask, [fixed(box(1, 1, w - 2, h - 2, 0.05 * w))], 255, cv2.LINE_AA, SHIFT)
    c, s = float(np.cos(angle)), float(np.sin(angle))
    m = np.array([[c, -s, middle[0] - c * w / 2 + s * h / 2], [s, c, middle[1] - s * w / 2 - c * h / 2]])
    cover = np.asarray(cv2.warpAffine(mask, m, SIZE), np.float32) / 255
    card = cv2.warpAffine(small, m, SIZE, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shadow = cv2.GaussianBlur(np.roll(cover, (7, 5), axis=(0, 1)), (0, 0), 8) * 0.55
    table *= 1 - shadow[..., None]
    table += (card - table) * cover[..., None]


if __name__ == "__main__":
    picture = showcase(Path(sys.argv[1]))
    cv2.imwrite(sys.argv[2], picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 86])
