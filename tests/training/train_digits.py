"""Train the network that reads digits: ``python -m tests.training.train_digits --out calibration/models/digits.npz``.

Every typeface that the computer has is drawn from; digits are thickened, thinned, slanted, squeezed and blurred, and
turned ones teach it what is no upright digit.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from tqdm import tqdm

from calibration.art.numerals import numeral
from calibration.art.symbols import Finish, Print, sprite
from calibration.capture.digits import NONE, SIDE, framed

Floats = NDArray[np.float32]
_UNUSABLE = ("emoji", "symbol", "dingbat", "math", "icon", "pictogram", "braille", "music", "mono-hb", "hb-test")
_LARGE = 72


def typefaces() -> list[Path]:
    """Files of typefaces, those with no usual digits left out."""
    found = []
    for folder in (Path("/usr/share/fonts"), Path.home() / ".fonts"):
        for end in ("*.ttf", "*.otf"):
            found += [p for p in folder.rglob(end) if not any(w in p.name.lower() for w in _UNUSABLE)]
    return sorted(found)


def glyphs() -> list[list[Floats]]:
    """The ten digits of each typeface, 0 paper to 1 ink."""
    out = []
    seen: set[bytes] = set()
    for path in typefaces():
        try:
            font = ImageFont.truetype(str(path), _LARGE)
        except OSError:
            continue
        ten = []
        for d in range(10):
            image = Image.new("L", (2 * _LARGE, 2 * _LARGE))
            ImageDraw.Draw(image).text((_LARGE // 2, _LARGE // 3), str(d), fill=255, font=font)
            ten.append(np.asarray(np.asarray(image, np.float32) / 255, np.float32))
        shapes = {t.tobytes() for t in ten}
        key = ten[2].tobytes() + ten[5].tobytes()
        # a typeface without digits shows ten times the same box
        if len(shapes) < 10 or key in seen or min(float(t.sum()) for t in ten) < 50:
            continue
        seen.add(key)
        out.append(ten)
    for weight in (12.0, 17.0, 22.0, 27.0):
        how = Print(Finish.FLAT)
        ten = [
            sprite(numeral(d, weight, False), (0.0, 0.0, 0.0), how, 130)[..., 3].astype(np.float32) for d in range(10)
        ]
        out.append([np.asarray(t / max(float(t.max()), 1e-6), np.float32) for t in ten])
    for face in (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX):
        for thick in (3, 6, 9):
            ten = []
            for d in range(10):
                canvas = np.zeros((120, 120), np.uint8)
                cv2.putText(canvas, str(d), (30, 95), face, 3.0, 255, thick, cv2.LINE_AA)
                ten.append(np.asarray(canvas / 255, np.float32))
            out.append(ten)
    return out


def sample(rng: np.random.Generator, faces: list[list[Floats]]) -> tuple[Floats, int] | None:
    """One digit as a camera might show it, and its class."""
    digit = int(rng.integers(10))
    ink = faces[int(rng.integers(len(faces)))][digit]
    size = float(rng.uniform(9, 44))
    h = float((ink > 0.5).any(1).sum())
    scale = size / max(h, 1)
    squeeze, slant = rng.normal(1, 0.09), rng.normal(0, 0.07)
    if rng.random() < 0.25:
        # what is turned by more than a little is no digit; a turned 0, 1, 6, 8 and 9 looks like one
        turn = float(rng.uniform(35, 325))
        label = NONE
        if (digit in (0, 8, 6, 9) and abs(turn - 180) < 30) or (digit in (0, 1) and abs((turn % 180) - 90) > 60):
            return None
    else:
        turn, label = float(rng.normal(0, 6)), digit
    side = int(np.hypot(*ink.shape) * scale * 1.2) + 8
    M = cv2.getRotationMatrix2D((0, 0), turn, scale)
    M[:, :2] = M[:, :2] @ np.array([[squeeze, slant], [0, 1]])
    M[:, 2] = side / 2 - M[:, :2] @ (np.array(ink.shape[::-1]) / 2)
    turned = cv2.warpAffine(ink, M, (side, side), flags=cv2.INTER_AREA)
    small = np.asarray(cv2.GaussianBlur(turned, (0, 0), float(rng.uniform(0.3, 0.09 * size))), float)
    top = float(small.max())
    if top < 0.2:
        return None
    # the level at which ink begins, and noise
    small = small / top
    middle, soft = float(rng.uniform(0.32, 0.62)), float(rng.uniform(0.1, 0.5))
    small = np.clip(0.5 + (small - middle) / soft * 0.5, 0, 1)
    small = np.clip(small + rng.normal(0, float(rng.uniform(0, 0.1)), small.shape), 0, 1)
    one = framed(small.astype(np.float32))
    return None if one is None else (one, label)


def examples(rng: np.random.Generator, faces: list[list[Floats]], count: int) -> tuple[Floats, NDArray[np.intp]]:
    """Many samples and their classes."""
    x: list[Floats] = []
    y: list[int] = []
    with tqdm(total=count, unit="digit", leave=False) as bar:
        while len(x) < count:
            one = sample(rng, faces)
            if one is not None:
                x.append(one[0])
                y.append(one[1])
                bar.update()
    return np.stack(x), np.array(y)


def train(x: Floats, y: NDArray[np.intp], rng: np.random.Generator, epochs: int) -> list[Floats]:
    """Weights of the network, by Adam."""
    sizes = [SIDE * SIDE, 96, 48, NONE + 1]
    params: list[Floats] = []
    for a, b in itertools.pairwise(sizes):
        params += [rng.normal(0, np.sqrt(2 / a), (a, b)).astype(np.float32), np.zeros(b, np.float32)]
    m, v = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    flat, step = x.reshape(len(x), -1), 0
    for epoch in tqdm(range(epochs), unit="epoch"):
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        order = rng.permutation(len(x))
        for batch in np.array_split(order, len(x) // 256):
            step += 1
            a0 = flat[batch]
            # a sample of ink is lost now and then, and the digit may sit a pixel off
            a0 = np.roll(a0.reshape(-1, SIDE, SIDE), rng.integers(-1, 2, 2), (1, 2)).reshape(len(batch), -1)
            z1 = a0 @ params[0] + params[1]
            a1 = np.maximum(z1, 0)
            z2 = a1 @ params[2] + params[3]
            a2 = np.maximum(z2, 0)
            z3 = a2 @ params[4] + params[5]
            p = np.exp(z3 - z3.max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            target = np.full_like(p, 0.02 / (NONE + 1))
            target[np.arange(len(batch)), y[batch]] += 0.98
            d3 = (p - target) / len(batch)
            d2 = (d3 @ params[4].T) * (z2 > 0)
            d1 = (d2 @ params[2].T) * (z1 > 0)
            grads = [a0.T @ d1, d1.sum(0), a1.T @ d2, d2.sum(0), a2.T @ d3, d3.sum(0)]
            for k, g in enumerate(grads):
                g = g + (1e-4 * params[k] if k % 2 == 0 else 0)
                m[k] = 0.9 * m[k] + 0.1 * g
                v[k] = 0.999 * v[k] + 0.001 * g * g
                params[k] -= (rate * (m[k] / (1 - 0.9**step)) / (np.sqrt(v[k] / (1 - 0.999**step)) + 1e-8)).astype(
                    np.float32
                )
    return params


def main() -> None:
    """Train, write the weights and print how many digits of unseen typefaces are read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()
    rng = np.random.default_rng(7)
    faces = glyphs()
    order = rng.permutation(len(faces))
    held = [faces[i] for i in order[: len(faces) // 8]]
    used = [faces[i] for i in order[len(faces) // 8 :]]
    print(f"{len(used)} typefaces to learn from, {len(held)} to measure with")
    params = train(*examples(rng, used, args.count), rng, args.epochs)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    names = ("w1", "b1", "w2", "b2", "w3", "b3")
    weights: dict[str, Any] = {k: p.astype(np.float16) for k, p in zip(names, params, strict=True)}
    np.savez_compressed(args.out, **weights)
    from calibration.capture.digits import probabilities

    x, y = examples(rng, held, 4000)
    said = probabilities(x).argmax(1)
    mixed = (said != y) & (said < NONE) & (y < NONE)
    print(f"right: {(said == y).mean():.4f}; digits taken for others: {mixed.mean():.4f}")


if __name__ == "__main__":
    main()
