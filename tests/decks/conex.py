"""Random CONEX decks: ``python -m tests.decks.conex OUT_DIR [names...]``.

Each name stands for one deck that is drawn the same every time: colours, frames, digits, signs, card size, roundness
and board differ from deck to deck as much as printed games could. `tune-*` decks are for tuning, `measure-*` decks
for measuring: nothing may be fitted to the latter.
"""

from __future__ import annotations

import argparse
import colorsys
import itertools
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import cv2
import numpy as np
from shapely.geometry import Polygon
from shapely.ops import polylabel
from tqdm import tqdm

from calibration.art.canvas import Canvas, Colour, Paint, darker, lighter, mix, rgb
from calibration.art.numerals import numeral
from calibration.art.paths import Points, box
from calibration.art.symbols import Finish, Print, Symbol, sprite
from tests.decks.conex_board import board_face, star_faces
from tests.decks.lettering import lettered

Json = dict[str, Any]

TUNING = tuple(f"tune-{n}" for n in ("plain", "ivory", "narrow", "coast", "slate", "orchard", "neon", "paper"))
MEASURING = tuple(
    f"measure-{n}"
    for n in ("amber", "brick", "cedar", "dune", "ember", "fjord", "grape", "heath", "iris", "jade", "kelp", "lilac")
)

_USUAL = {"yellow": 48.0, "red": 357.0, "turquoise": 178.0, "purple": 275.0}
"""Hues of the colours that the game is said to have, in degrees; a deck's own are up to 10 degrees away."""
_OTHER: tuple[dict[str, str], ...] = (
    {"orange": "#ee7f1b", "blue": "#2464b4", "green": "#3f9b46", "pink": "#d65a9a"},
    {"mustard": "#c99a2e", "rust": "#a8452c", "teal": "#2a7f86", "plum": "#5b3358"},
    {"lemon": "#f2e14c", "coral": "#f2705a", "mint": "#62c6a4", "violet": "#8a68c8"},
    {"sand": "#dcb878", "scarlet": "#c41f2f", "navy": "#27408b", "forest": "#2f6b3d"},
)
_SIZES = ((59.0, 92.0), (56.0, 87.0), (63.0, 88.0))
_PAWNS = (
    {"white": "#efede6", "black": "#1e1e20", "green": "#2e8b3d", "blue": "#2a56a8"},
    {"yellow": "#f0c020", "red": "#cc2a2a", "blue": "#2560b8", "green": "#2f8f46"},
    {"orange": "#e8792a", "grey": "#85888c", "black": "#222226", "pink": "#d76ba0"},
    {"white": "#f2f0ea", "red": "#b8282e", "brown": "#6f4a2c", "blue": "#3a78c0"},
)


@dataclass(frozen=True, slots=True)
class Look:
    """How one deck is printed."""

    name: str
    colors: dict[str, str]
    card_mm: tuple[float, float]
    radius_mm: float
    frame: Colour
    frame_mm: float
    frame_all_round: bool
    digit_font: int | None
    digit_weight: float
    digit_share: float
    digit_upright: bool
    tone: float
    border_mm: float
    silver: Colour
    cube: bool
    sign_mm: float
    board_mm: float
    pawns: dict[str, str]
    px_per_mm: float
    typeface: Path | None = None


def look(name: str, px_per_mm: float = 7.0) -> Look:
    """The look of the deck of that name, the same each time."""
    rng = np.random.default_rng(crc32(name.encode()))
    if rng.random() < 0.7:
        colors = {}
        for k, hue in _USUAL.items():
            value = {"yellow": 0.96, "red": 0.84, "turquoise": 0.66, "purple": 0.55}[k] * rng.uniform(0.9, 1.05)
            saturation = {"yellow": 1.0, "red": 0.82, "turquoise": 0.8, "purple": 0.6}[k] * rng.uniform(0.88, 1.0)
            colors[k] = _hex(colorsys.hsv_to_rgb(((hue + rng.uniform(-10, 10)) % 360) / 360, saturation, min(1, value)))
    else:
        colors = dict(_OTHER[int(rng.integers(len(_OTHER)))])
    frames: tuple[Colour, ...] = (
        (246.0, 241.0, 226.0),
        (255.0, 255.0, 255.0),
        (40.0, 40.0, 46.0),
        (188.0, 192.0, 198.0),
        (252.0, 246.0, 200.0),
    )
    fonts = (None, None, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX)
    return Look(
        name,
        colors,
        _SIZES[int(rng.choice(3, p=[0.5, 0.25, 0.25]))],
        float(rng.choice([0.0, 2.0, 3.0, 4.0, 5.0], p=[0.1, 0.2, 0.35, 0.2, 0.15])),
        frames[int(rng.choice(5, p=[0.4, 0.25, 0.12, 0.13, 0.1]))],
        float(rng.uniform(0.45, 1.1)),
        bool(rng.random() < 0.7),
        fonts[int(rng.integers(len(fonts)))],
        float(rng.uniform(12, 21)),
        float(rng.uniform(1.35, 1.62)),
        bool(rng.random() < 0.25),
        float(rng.choice([0.0, 0.03, 0.07], p=[0.6, 0.25, 0.15])),
        float(rng.choice([0.0, 0.0, 0.0, 1.6])),
        mix((176.0, 180.0, 186.0), (206.0, 208.0, 212.0), float(rng.random())),
        bool(rng.random() < 0.4),
        float(rng.uniform(15, 24)),
        float(rng.choice([100.0, 105.0, 110.0, 120.0])),
        dict(_PAWNS[int(rng.integers(len(_PAWNS)))]),
        px_per_mm,
    )


def _hex(c: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * v):02x}" for v in c)


# ---- regions -------------------------------------------------------------------------------------------------------


def _turned(region: Points, k: int, size: tuple[float, float]) -> Points:
    """A region of the top-left corner or top edge of a card, carried to corner or edge k (clockwise)."""
    w, h = size
    x, y = region[:, 0], region[:, 1]
    return np.column_stack([(x, y), (w - y, x), (w - x, h - y), (y, h - x)][k])


def random_regions(rng: np.random.Generator, size: tuple[float, float], count: int) -> list[Points]:
    """Regions of a card's CONEX corners in face mm, well apart from one another."""
    out: list[Points] = []
    while len(out) < count:
        k = int(rng.integers(4))
        along = size[k % 2]
        kind = rng.choice(3, p=[0.42, 0.22, 0.36])
        if kind == 0:  # another card's corner over this card's corner
            vx, vy, t = rng.uniform(12, 18), rng.uniform(12, 18), np.tan(np.radians(rng.uniform(-32, 32)))
            region = np.array([[0, 0], [vx + vy * t, 0], [vx, vy], [0, vy - vx * t]])
            if min(region[1, 0], region[3, 1]) < 8 or max(region[1, 0], region[3, 1]) > 25:
                continue
        elif kind == 1:  # one edge across this card's corner
            region = np.array([[0, 0], [rng.uniform(19, 26), 0], [0, rng.uniform(19, 26)]])
        else:  # another card's corner over this card's edge
            depth, a = rng.uniform(11.5, 14.5), np.radians(rng.uniform(30, 60))
            left, right = depth / np.tan(a), depth * np.tan(a)
            if left + right > 34 or along < left + right + 16:
                continue
            s = rng.uniform(left + 7, along - right - 7)
            region = np.array([[s - left, 0], [s + right, 0], [s, depth]])
        moved = _turned(region, k, size)
        if all(Polygon(moved).distance(Polygon(o)) > 6 for o in out):
            out.append(np.round(moved, 3))
        elif rng.random() < 0.05:
            out.clear()  # these leave no room for another
    return out


# ---- faces ---------------------------------------------------------------------------------------------------------


def _digit(style: Look, value: int, colour: Colour) -> Any:
    """The number as a square RGBA picture, 0.4 of which is its height."""
    if style.typeface is not None:
        return lettered(style.typeface, value, colour, 0.4)
    if style.digit_font is None:
        return sprite(numeral(value, style.digit_weight, underline=False), colour, Print(Finish.FLAT), 200)
    n, text = 200, str(value)
    thick = 12
    (w, h), _ = cv2.getTextSize(text, style.digit_font, 5.0, thick)
    mask = np.zeros((n * 2, n * 2), np.uint8)
    scale = 5.0 * 160 / h
    (w, h), _ = cv2.getTextSize(text, style.digit_font, scale, thick)
    cv2.putText(
        mask, text, (n - w // 2, n + h // 2), style.digit_font, scale, 255, int(style.digit_weight * 1.6), cv2.LINE_AA
    )
    m = cv2.resize(mask, (n, n), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
    return np.concatenate([m * np.asarray(colour, np.float32), m], axis=2)


def _draw_corner(canvas: Canvas, style: Look, region: Points, colour: Colour, value: int) -> None:
    w, h = style.card_mm
    canvas.fill([region], colour)
    ring = np.vstack([region, region[:1]])
    if style.frame_all_round:
        canvas.line([ring], 2 * style.frame_mm, style.frame, within=[region])
    else:
        for a, b in itertools.pairwise(ring):
            middle = (a + b) / 2
            if min(middle[0], w - middle[0], middle[1], h - middle[1]) > 0.01:
                canvas.line([np.array([a, b])], 2 * style.frame_mm, style.frame, within=[region])
    inner = Polygon(region).buffer(-style.frame_mm * (1.0 if style.frame_all_round else 0.6))
    at = polylabel(inner, 0.05)
    room = inner.exterior.distance(at)
    pale = 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] > 150
    ink: Colour = (38.0, 36.0, 40.0) if pale else (250.0, 248.0, 242.0)
    # the digit's foot points to the edge that the region lies on
    turn = 0.0
    if not style.digit_upright:
        sides = np.array([region[:, 1].min(), w - region[:, 0].max(), h - region[:, 1].max(), region[:, 0].min()])
        on = np.flatnonzero(sides < 0.01)
        turn = {(0,): 0.0, (1,): 90.0, (2,): 180.0, (3,): 270.0, (0, 1): 0.0, (0, 3): 0.0}.get(tuple(on), 180.0)
    canvas.stamp(_digit(style, value, ink), at.x, at.y, 2 * room * style.digit_share, np.radians(turn))


def _plus_two(silver: Colour, weight: float) -> Any:
    digit = numeral(2, weight, underline=False)
    lines = [(p + [42.0, 0.0], w) for p, w in digit.bold]
    cross = [
        (np.array([[-82.0, 4.0], [-22.0, 4.0]]), weight * 0.9),
        (np.array([[-52.0, -26.0], [-52.0, 34.0]]), weight * 0.9),
    ]
    sign = Symbol(bold=tuple(lines + cross))
    return sprite(sign, silver, Print(Finish.INK, ink=darker(silver, 0.25), outline=3), 400)


def draw_die(canvas: Canvas, x: float, y: float, size: float, silver: Colour, cube: bool) -> None:
    """A die as a sign: a rounded square with pips, or a cube seen from a corner."""
    line = darker(silver, 0.35)
    if cube:
        r = size / 2
        a = np.radians(np.arange(6) * 60 - 90)
        p = np.column_stack([x + r * np.cos(a), y + r * np.sin(a)])
        c = np.array([x, y])
        for face, tone in (((5, 0, 1), 0.25), ((1, 2, 3), -0.12), ((3, 4, 5), 0.0)):
            q = np.array([p[face[0]], p[face[1]], p[face[2]], c])
            canvas.fill([q], lighter(silver, tone) if tone > 0 else darker(silver, -tone))
            canvas.line([q], 0.45, line, closed=True)
            m = q.mean(0)
            for s in (-0.26, 0.0, 0.26):
                _pip(canvas, m + s * (q[0] - q[2]), r * 0.085, line)
    else:
        r = size * 0.42
        canvas.fill([box(x - r, y - r, x + r, y + r, r * 0.3)], silver)
        canvas.line([box(x - r, y - r, x + r, y + r, r * 0.3)], 0.6, line, closed=True)
        for u, v in ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)):
            _pip(canvas, np.array([x + 0.5 * u * r, y + 0.5 * v * r]), r * 0.15, line)


def _pip(canvas: Canvas, at: Points, r: float, colour: Colour) -> None:
    a = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    canvas.fill([np.column_stack([at[0] + r * np.cos(a), at[1] + r * np.sin(a)])], colour)


def _ground(style: Look, base: Colour, rng: np.random.Generator) -> Paint:
    if not style.tone:
        return base
    a, f = rng.uniform(0, 2 * np.pi), rng.uniform(0.05, 0.12)

    def paint(x: Any, y: Any) -> Any:
        t = np.sin((x * np.cos(a) + y * np.sin(a)) * f)[..., None]
        return np.asarray(base, np.float32) * (1 + style.tone * t)

    return paint


def draw_face(style: Look, face: Json, rng: np.random.Generator) -> Any:
    """One card, RGB (H, W, 3) uint8."""
    w, h = style.card_mm
    canvas = Canvas(style.card_mm, style.px_per_mm, 2)
    base = rgb(style.colors[face["color"]])
    canvas.fill([box(-1, -1, w + 1, h + 1)], _ground(style, base, rng))
    if style.border_mm:
        canvas.line([box(0, 0, w, h)], 2 * style.border_mm, darker(base, 0.22), closed=True)
    for corner in face["corners"]:
        _draw_corner(
            canvas, style, np.asarray(corner["region"], float), rgb(style.colors[corner["color"]]), corner["value"]
        )
    if face["symbol"] == "plus2":
        canvas.stamp(_plus_two(style.silver, style.digit_weight), w / 2, h / 2, style.sign_mm * 1.5)
    elif face["symbol"] == "die":
        draw_die(canvas, w / 2, h / 2, style.sign_mm * 0.95, style.silver, style.cube)
    return canvas.finish()


def random_faces(style: Look, rng: np.random.Generator) -> list[Json]:
    """What is on the 52 cards: 13 of each ground, two or three corners in other colours, values 1 to 5."""
    names = list(style.colors)
    faces = []
    signs = ["plus2"] * 8 + ["die"] * 8 + [None] * 36
    rng.shuffle(signs)
    for i, sign in enumerate(signs):
        color = names[i % 4]
        others = [n for n in names if n != color]
        regions = random_regions(rng, style.card_mm, int(rng.choice([1, 2, 3, 4], p=[0.03, 0.47, 0.46, 0.04])))
        corners = [
            {
                "color": others[int(rng.integers(3))],
                "value": 5 if sign == "plus2" else int(rng.choice([1, 2, 3, 4, 5], p=[0.2, 0.26, 0.26, 0.2, 0.08])),
                "region": r.tolist(),
            }
            for r in regions
        ]
        name = f"C{i + 1:02d}"
        faces.append({"id": name, "image": f"faces/{name}.png", "color": color, "symbol": sign, "corners": corners})
    return faces


def write_deck(style: Look, folder: Path) -> None:
    """Draw the deck's pictures and write its `deck.json`, in the form of the contract's section 1."""
    rng = np.random.default_rng(crc32(style.name.encode()) + 1)
    (folder / "faces").mkdir(parents=True, exist_ok=True)
    faces = random_faces(style, rng)
    for face in tqdm(faces, desc=style.name, unit="card", leave=False):
        _save(folder / face["image"], draw_face(style, face, rng))
    board, picture = board_face(rng, style.colors, style.board_mm, style.px_per_mm, style.typeface)
    _save(folder / "board.png", picture)
    stars = {}
    for kind, (size, star) in star_faces(rng, style.silver).items():
        stars[kind] = {"image": f"star-{kind}.png", "size_mm": size}
        _save(folder / f"star-{kind}.png", star)
    data = {
        "format": 1,
        "game": "conex",
        "name": style.name,
        "card_mm": list(style.card_mm),
        "corner_radius_mm": style.radius_mm,
        "colors": style.colors,
        "pawns": style.pawns,
        "faces": faces,
        "board": {"image": "board.png", **board},
        "stars": stars,
    }
    (folder / "deck.json").write_text(json.dumps(data, indent=1), encoding="utf-8")


def _save(path: Path, picture: Any) -> None:
    order = [2, 1, 0, 3][: picture.shape[2]]
    cv2.imwrite(str(path), picture[..., order])


def ensure_deck(cache: Path, name: str, px_per_mm: float = 7.0, typeface: Path | None = None) -> Path:
    """Folder of the deck of that name, drawn into `cache` unless it is there already."""
    folder = cache / name
    if not (folder / "deck.json").exists():
        write_deck(replace(look(name, px_per_mm), typeface=typeface), folder)
    return folder


def main() -> None:
    """Draw the named decks, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("names", nargs="*", help=f"of {', '.join((*TUNING, *MEASURING))}, or any other; all by default")
    parser.add_argument("--px-per-mm", type=float, default=7.0)
    parser.add_argument("--typeface", type=Path, help="a file of a typeface for all numbers")
    args = parser.parse_args()
    for name in args.names or (*TUNING, *MEASURING):
        print(ensure_deck(args.out_dir, name, args.px_per_mm, args.typeface))


if __name__ == "__main__":
    main()
