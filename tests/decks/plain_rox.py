"""Rox decks drawn in a moment, each by other means than the others: for learning a copy from photographs.

    python -m tests.decks.plain_rox OUT [NAME ...]

`tune-*` and `lab-*` are for tuning, `measure-*` and `blind-*` for measuring. Values are written in
typefaces of the computer.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from calibration.art.canvas import rgb
from calibration.art.deal import Card, deal, ring_places
from calibration.art.folder import lay_out_json, save_picture
from calibration.art.numerals import numeral
from calibration.art.rox import VALUES
from calibration.art.symbols import Symbol, silhouette
from tests.decks.plain_rox_emblems import EMBLEMS, shield
from tests.decks.plain_rox_print import Plain
from tests.decks.plain_rox_styles import STYLES
from tests.render.textures import noise

Floats = NDArray[np.float32]
NAMES = ("fire", "water", "earth", "air", "magic")
_PX = 7.0  # pixels a mm
_DRAWN: dict[tuple[int, int], tuple[Floats, Floats]] = {}


def _lay(face: Floats, mask: Floats, colour: Any) -> None:
    m = np.clip(mask, 0, 1)[..., None]
    face[:] = face * (1 - m) + np.asarray(colour, np.float32) * m


def _symbol_masks(symbol: Symbol, px: int) -> tuple[Floats, Floats]:
    """The symbol's area and its outline, (px, px)."""
    key = (id(symbol), px)
    if key not in _DRAWN:
        _DRAWN[key] = _drawn(symbol, px)
    return _DRAWN[key]


def _drawn(symbol: Symbol, px: int) -> tuple[Floats, Floats]:
    n = 4 * px
    full = silhouette(symbol, (n, n), n / 225)
    solid = (full > 0.5).astype(np.uint8)
    thick = max(3, n // 14)
    line = cv2.dilate(solid, np.ones((3, 3), np.uint8), iterations=thick // 4) - cv2.erode(
        solid, np.ones((3, 3), np.uint8), iterations=thick // 2
    )
    down = [cv2.resize(m.astype(np.float32), (px, px), interpolation=cv2.INTER_AREA) for m in (full, line)]
    return np.asarray(down[0], np.float32), np.asarray(down[1], np.float32)


def _stamp(face: Floats, mask: Floats, colour: Any, at: tuple[float, float], turn_deg: float = 0.0) -> None:
    n = mask.shape[0]
    side = round(1.5 * n) + 3
    corner = np.maximum(np.round(np.array(at) - side / 2).astype(int), 0)
    part = face[corner[1] : corner[1] + side, corner[0] : corner[0] + side]
    M = cv2.getRotationMatrix2D(((n - 1) / 2, (n - 1) / 2), -turn_deg, 1.0)
    M[:, 2] += np.array(at) - corner - (n - 1) / 2
    _lay(part, np.asarray(cv2.warpAffine(mask, M, part.shape[1::-1], flags=cv2.INTER_LINEAR), np.float32), colour)


def _disc(px: int, square: float = 2.0) -> Floats:
    u = np.linspace(-1.05, 1.05, 4 * px)
    x, y = np.meshgrid(u, u)
    inside = (np.abs(x) ** square + np.abs(y) ** square < 1).astype(np.float32)
    return np.asarray(cv2.resize(inside, (px, px), interpolation=cv2.INTER_AREA), np.float32)


def _inked(face: Floats, style: Plain, kind: int, px: int, at: tuple[float, float], turn: float = 0.0) -> None:
    """The symbol outlined, with its details."""
    full, _ = _symbol_masks(style.symbols[kind], px)
    wide = np.pad(full, px // 8)
    grown = cv2.dilate(wide, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * (px // 20) + 3,) * 2))
    _stamp(face, np.asarray(grown, np.float32), rgb(style.outline), at, turn)
    _stamp(face, full, rgb(style.colours[kind]), at, turn)
    _details(face, style, kind, px, at, turn)


def _details(face: Floats, style: Plain, kind: int, px: int, at: tuple[float, float], turn: float = 0.0) -> None:
    """The symbol's light and dark parts, within it."""
    symbol, colour = style.symbols[kind], np.array(rgb(style.colours[kind]))
    dark = np.array(rgb(style.accents[kind])) if style.accents else 0.6 * colour
    full, _ = _symbol_masks(symbol, px)
    for part, shade in (
        (Symbol(symbol.light, bold=symbol.light_lines), 0.35 * colour + 0.65 * np.array(rgb(style.paper))),
        (Symbol(symbol.dark), dark),
        (Symbol(bold=symbol.dark_lines), rgb(style.outline)),
    ):
        if part.solid or part.bold:
            _stamp(face, np.asarray(_drawn(part, px)[0] * (full > 0.3), np.float32), shade, at, turn)


def _ring_symbol(face: Floats, style: Plain, kind: int, at: tuple[float, float], turn: float) -> None:
    px = round(style.symbol_mm * _PX)
    colour = np.array(rgb(style.colours[kind]))
    full, line = _symbol_masks(style.symbols[kind], px)
    if style.look == "line":
        _stamp(face, line, colour, at, turn)
    elif style.look == "badge":
        _stamp(face, _disc(px), colour, at)
        small, _ = _symbol_masks(style.symbols[kind], round(0.68 * px))
        _stamp(face, small, (248, 246, 238), at, turn)
    elif style.look == "pebble":
        _stamp(face, _disc(px, 2.6), colour * 0.55, at, turn)
        _stamp(face, _disc(round(0.86 * px), 2.6), colour, at, turn)
        small, _ = _symbol_masks(style.symbols[kind], round(0.5 * px))
        _stamp(face, small, colour * 0.3, at, turn)
    elif style.look == "ink":
        _inked(face, style, kind, px, at, turn)
    elif style.look in ("block", "tile", "cameo"):
        square = 2.0 if style.look == "cameo" else 7.0
        ground = colour if style.look == "block" else rgb(style.paper)
        sign = rgb(style.paper) if style.look == "block" else colour
        _stamp(face, _disc(px, square), colour if style.look == "cameo" else rgb(style.outline), at, turn / 3)
        _stamp(face, _disc(round(0.9 * px), square), ground, at, turn / 3)
        _stamp(face, _symbol_masks(style.symbols[kind], round(0.68 * px))[0], sign, at, turn)
    elif style.look == "shield":
        _stamp(face, shield(round(1.08 * px)), rgb(style.outline), at, turn)
        _stamp(face, shield(round(0.94 * px)), colour, at, turn)
        _stamp(face, _symbol_masks(style.symbols[kind], round(0.6 * px))[0], rgb(style.paper), at, turn)
    elif style.look == "sticker":
        wide = np.asarray(cv2.dilate(np.pad(full, px // 6), _disc(2 * (px // 11) + 1).astype(np.uint8)), np.float32)
        below = (at[0] + px / 24, at[1] + px / 14)
        _stamp(face, 0.5 * cv2.GaussianBlur(wide, (0, 0), px / 20), (8, 8, 16), below, turn)
        _stamp(face, wide, rgb(style.paper), at, turn)
        _stamp(face, full, colour, at, turn)
        _details(face, style, kind, px, at, turn)
    elif style.look == "riso":
        _stamp(face, full, colour, (at[0] + style.misfit_mm[0] * _PX, at[1] + style.misfit_mm[1] * _PX), turn)
        _stamp(face, line, rgb(style.outline), at, turn)
        details = Symbol(style.symbols[kind].dark, bold=style.symbols[kind].dark_lines)
        if details.solid or details.bold:
            _stamp(face, np.asarray(_drawn(details, px)[0] * (full > 0.3), np.float32), rgb(style.outline), at, turn)
    elif style.look == "glow":
        wide = np.pad(full, px // 2)
        _stamp(face, np.clip(cv2.GaussianBlur(wide, (0, 0), px / 8) * 0.9, 0, 0.8), colour, at, turn)
        _stamp(face, full, 0.45 * colour + 140, at, turn)
    else:
        _stamp(face, full, colour, at, turn)


def _middle(face: Floats, style: Plain, kind: int, rng: np.random.Generator) -> None:
    h, w = face.shape[:2]
    colour = np.array(rgb(style.colours[kind]))
    inner_w = w - 2 * (style.inset_mm + 0.62 * style.symbol_mm) * _PX
    inner_h = h - 2 * (style.inset_mm + 0.62 * style.symbol_mm) * _PX
    y, x = np.mgrid[:h, :w]
    u, v = (x - (w - 1) / 2) / (inner_w / 2), (y - (h - 1) / 2) / (inner_h / 2)
    big = round(0.62 * min(inner_w, inner_h))
    full, line = _symbol_masks(style.symbols[kind], big)
    at = ((w - 1) / 2, (h - 1) / 2)
    if style.stone == "sign":
        _stamp(face, *((line, colour) if style.look == "line" else (full, colour)), at)
        return
    if style.stone == "banner":
        _lay(face, ((np.abs(u) < 1) & (np.abs(v) < 1)).astype(np.float32), colour)
        _stamp(face, full, (250, 248, 240), at)
        return
    if style.stone == "window":
        _lay(face, ((np.abs(u) < 0.9) & (np.abs(v) < 0.9)).astype(np.float32), (35, 32, 30))
        _lay(face, ((np.abs(u) < 0.82) & (np.abs(v) < 0.84)).astype(np.float32), colour)
        _stamp(face, full, (35, 32, 30), at)
        return
    if style.stone in EMBLEMS:
        body, ring = EMBLEMS[style.stone](u, v)
        _lay(face, ring, rgb(style.outline))
        _lay(face, body, colour)
        large = _symbol_masks(style.symbols[kind], round(0.78 * big))[0]
        if style.stone == "burst":
            _stamp(face, _disc(round(1.2 * big)), rgb(style.paper), at)
        _stamp(face, large, colour if style.stone == "burst" else rgb(style.paper), at)
        return
    if style.stone in ("porthole", "block", "globe", "plate", "arch", "vase"):
        _place(face, style, kind, (u, v), round(0.9 * min(inner_w, inner_h)))
        return
    shape = ((np.abs(u) / (0.62 + 0.16 * v)) ** 2.6 + np.abs(v / 0.95) ** 4 < 1).astype(np.float32)
    shape = cv2.GaussianBlur(shape, (0, 0), 1.0)
    body = colour if style.stone == "tinted" else np.array([138.0, 134.0, 128.0])
    grain = noise(rng, h, w, 14.0, 3)
    grain = grain[..., 0] if grain.ndim == 3 else grain
    grain = (grain - grain.mean()) / (grain.std() + 1e-6)
    _lay(face, shape, np.clip(body * (1 + 0.12 * grain[..., None]), 0, 255))
    sign = colour if style.stone == "grey" else (250, 246, 235) if colour.sum() < 620 else colour * 0.3
    _stamp(face, full, sign, at)


def _place(face: Floats, style: Plain, kind: int, where: tuple[Any, Any], big: int) -> None:
    """The middle as a thing that holds the large sign; `where` is -1..1 over what the ring leaves."""
    u, v = where
    colour, paper, outline = (np.array(rgb(c)) for c in (style.colours[kind], style.paper, style.outline))
    at = ((face.shape[1] - 1) / 2, (face.shape[0] - 1) / 2)
    sign = _symbol_masks(style.symbols[kind], round(0.62 * big))[0]
    if style.stone in ("arch", "vase"):
        outlines = []
        for k in (1.0, 0.9):
            if style.stone == "arch":
                top = np.abs(u / k) ** 2 + ((v + 0.3) / (0.65 * k)) ** 2 < 1
                outlines.append(top | ((np.abs(u) < k) & (v > -0.3) & (v < 0.05 + 0.9 * k)))
            else:
                waist = 0.46 + 0.4 * np.cos(1.75 * (v - 0.1)) ** 3 + 0.5 * np.clip(-v - 0.72, 0, 1)
                outlines.append((np.abs(u) < waist - 1.1 * (1 - k)) & (np.abs(v) < k))
        for shape, shade in zip(outlines, (outline, colour), strict=True):
            _lay(face, cv2.GaussianBlur(shape.astype(np.float32), (0, 0), 1.0), shade)
        _stamp(face, sign, outline if colour.sum() > 480 and style.stone == "vase" else paper, at)
        return
    square = 7.0 if style.stone == "block" else 2.0
    rings = {"plate": (paper, 0.9 * paper, paper), "globe": (outline, colour, paper)}
    for k, shade in zip((1.0, 0.94, 0.82), rings.get(style.stone, (outline, paper, colour)), strict=True):
        _stamp(face, _disc(round(k * big), square), shade, at)
    if style.stone == "plate":
        _inked(face, style, kind, round(0.74 * big), at)
        return
    _stamp(face, sign, colour if style.stone == "globe" else paper, at)


def _framed(face: Floats, style: Plain) -> None:
    if style.frame:
        b = round(style.frame * _PX)
        inside = np.zeros(face.shape[:2], np.float32)
        inside[b:-b, b:-b] = 1
        _lay(face, 1 - inside, (250, 248, 243))


def _worn(face: Floats, style: Plain, rng: np.random.Generator) -> NDArray[np.uint8]:
    """The print paler, its rim rubbed white, with scratches."""
    if style.wear:
        h, w = face.shape[:2]
        face[:] = face * (1 - 0.25 * style.wear) + 250 * 0.25 * style.wear
        rub = noise(rng, h, w, 20.0, 3)
        rub = rub[..., 0] if rub.ndim == 3 else rub
        rub = (rub - rub.min()) / (np.ptp(rub) + 1e-6)
        y, x = np.mgrid[:h, :w]
        rim = np.minimum(np.minimum(x, w - 1 - x), np.minimum(y, h - 1 - y)) / _PX
        _lay(face, np.asarray((rim < 1.6 * rub * style.wear).astype(np.float32) * 0.8, np.float32), (245, 242, 235))
        for _ in range(int(6 * style.wear)):
            p = rng.uniform(0, 1, (2, 2)) * [w, h]
            mask = np.zeros((h, w), np.uint8)
            cv2.line(mask, tuple(map(int, p[0])), tuple(map(int, p[0] + rng.normal(0, 60, 2))), 255, 2, cv2.LINE_AA)
            _lay(face, np.asarray(mask / 255 * 0.6, np.float32), (240, 238, 232))
    return np.asarray(np.clip(np.round(face), 0, 255), np.uint8)


def draw_card(style: Plain, card: Card, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One element card."""
    w, h = (round(v * _PX) for v in style.size_mm)
    face = style.ground((h, w), card.center, rng)
    _framed(face, style)
    _middle(face, style, card.center, rng)
    columns, rows = style.ring
    xs = np.linspace(style.inset_mm, style.size_mm[0] - style.inset_mm, columns) * _PX
    ys = np.linspace(style.inset_mm, style.size_mm[1] - style.inset_mm, rows) * _PX
    for (c, r), kind in zip(ring_places(columns, rows), card.ring, strict=True):
        dx, dy, da = rng.normal(0, 1, 3)
        mm, degrees = style.scatter
        _ring_symbol(face, style, kind, (xs[c] + dx * mm * _PX, ys[r] + dy * mm * _PX), da * degrees)
    return _worn(face, style, rng)


def _text(value: int, style: Plain, px: int) -> Floats:
    """The number as a square mask."""
    text = str(value)
    if not Path(style.typeface).exists():
        return _symbol_masks(numeral(value), px)[0]
    font = ImageFont.truetype(style.typeface, 3 * px)
    image = Image.new("L", (8 * px, 8 * px))
    pen = ImageDraw.Draw(image)
    pen.text((4 * px, 4 * px), text, fill=255, font=font, anchor="mm")
    if text in ("6", "9"):
        x0, _, x1, y1 = pen.textbbox((4 * px, 4 * px), text, font=font, anchor="mm")
        pen.rectangle((x0, y1 + px // 4, x1, y1 + px // 4 + px // 6), fill=255)
    x0, y0, x1, y1 = image.getbbox() or (0, 0, 1, 1)
    side = max(x1 - x0, y1 - y0)
    out = np.zeros((side, side), np.float32)
    cut = np.asarray(image, np.float32)[y0:y1, x0:x1] / 255
    oy, ox = (side - cut.shape[0]) // 2, (side - cut.shape[1]) // 2
    out[oy : oy + cut.shape[0], ox : ox + cut.shape[1]] = cut
    return np.asarray(cv2.resize(out, (px, px), interpolation=cv2.INTER_AREA), np.float32)


def draw_value(style: Plain, value: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """One scoring card."""
    w, h = (round(v * _PX) for v in style.size_mm)
    face = style.ground((h, w), None, rng)
    _framed(face, style)
    ink = rgb(style.ink)
    if style.numbers in ("both", "middle"):
        if style.plaque:
            _stamp(face, _disc(round(0.7 * w)), rgb(style.plaque), ((w - 1) / 2, (h - 1) / 2))
        _stamp(face, _text(value, style, round(0.4 * w)), ink, ((w - 1) / 2, (h - 1) / 2))
    if style.numbers in ("both", "corners"):
        small = _text(value, style, round(0.17 * w))
        at = (0.15 * w, 0.15 * w)
        _stamp(face, small, ink, at)
        _stamp(face, small, ink, (w - 1 - at[0], h - 1 - at[1]), 180.0)
    return _worn(face, style, rng)


def write_deck(name: str, style: Plain, folder: Path) -> None:
    """Draw all cards and write the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    cards = deal(np.random.default_rng(style.seed))
    faces = []
    for i, card in enumerate(cards, 1):
        save_picture(folder / f"R{i:02d}.jpg", draw_card(style, card, np.random.default_rng([style.seed, i])), _PX, 92)
        edge = {n: c for n, c in zip(NAMES, card.counts(), strict=True) if c}
        faces.append({"id": f"R{i:02d}", "image": f"R{i:02d}.jpg", "center": NAMES[card.center], "edge": edge})
    scoring = []
    for i, value in enumerate(VALUES, 1):
        picture = draw_value(style, value, np.random.default_rng([style.seed, 100 + i]))
        save_picture(folder / f"P{i:02d}.jpg", picture, _PX, 92)
        scoring.append({"id": f"P{i:02d}", "image": f"P{i:02d}.jpg", "value": value})
    deck: dict[str, Any] = {
        "format": 1,
        "game": "rox",
        "name": name,
        "card_mm": list(style.size_mm),
        "corner_radius_mm": 3.0,
        "elements": list(NAMES),
        "faces": faces,
        "scoring_cards": {"card_mm": list(style.size_mm), "faces": scoring},
    }
    (folder / "deck.json").write_text(lay_out_json(deck), encoding="utf-8")


def main() -> None:
    """Draw the named decks, or all."""
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("out", type=Path)
    a.add_argument("names", nargs="*", help=f"of {', '.join(STYLES)}; all by default")
    o = a.parse_args()
    for name in o.names or STYLES:
        write_deck(name, STYLES[name], o.out / name)
        print(o.out / name)


if __name__ == "__main__":
    main()
