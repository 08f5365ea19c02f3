"""Random sets of Cactus: ``python -m tests.decks.cactus_sets OUT_DIR [names...]``.

Each name stands for one set that is drawn the same every time: outlines, colours, thickness and bases differ from set
to set as much as home-made ones could. `tune-*` sets are for tuning, `measure-*` sets for measuring: nothing may be
fitted to the latter.
"""

from __future__ import annotations

import argparse
import colorsys
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from shapely.geometry import Polygon

from tests.decks.cactus_shapes import BASIC, CACTI, SPECIAL, cactus_outline, outline_of

Json = dict[str, Any]

TUNING = tuple(f"tune-{n}" for n in ("agave", "broom", "cholla", "datura"))
MEASURING = tuple(f"measure-{n}" for n in ("ember", "fennel", "gorse", "hazel", "indigo", "juniper", "kapok", "lupin"))

_COLORS: tuple[dict[str, str], ...] = (
    {"red": "#cc3a34", "yellow": "#eebb2a", "blue": "#2f6ab0", "pink": "#e48fae", "white": "#ece4d2"},
    {"orange": "#e2762a", "violet": "#6f4a9a", "lemon": "#f2de4a", "black": "#2a2a2e", "aqua": "#4ab6b0"},
    {"rust": "#a8482c", "sand": "#dcbc86", "navy": "#273e74", "rose": "#d6657c", "sky": "#86b8dc"},
    {"scarlet": "#d42a2e", "gold": "#d9a51e", "teal": "#1f7f86", "lilac": "#b79ad6", "chalk": "#f0ece4"},
    {"coral": "#f07a62", "mustard": "#c79a28", "cobalt": "#2a4fb4", "mauve": "#8e5a86", "ivory": "#efe6c8"},
    {"red": "#b8282c", "orange": "#ee8a2c", "purple": "#56357e", "magenta": "#c43a86", "silver": "#b9bec4"},
)
_CACTI: tuple[tuple[str, ...], ...] = (
    ("#3e8849", "#2f7459", "#6ca04d", "#4b9777", "#577f3b"),
    ("#2f8a4a",) * 5,
    ("#7a5230",) * 5,
    ("#a8d4b4", "#c4dca0", "#9cc8c4", "#d6dca8", "#b4d0a0"),
    ("#4a6b34",) * 5,
    ("#8a6a44", "#6b4a2c", "#a58258", "#5a4630", "#94704a"),
    ("#1f5a3a", "#2a6b50", "#16482e", "#3a6a3a", "#20584a"),
    ("#63a83c", "#3f9a8c", "#8bb03a", "#2d7d46", "#52b06a"),
)


@dataclass(frozen=True, slots=True)
class Look:
    """How one set is made; lengths in mm."""

    name: str
    colors: dict[str, str]
    cacti: tuple[str, ...]
    thickness: float
    stroke: float
    size: float
    trunk: float
    height: float
    base: tuple[float, float, float]
    faces: bool


def look(name: str) -> Look:
    """The look of the set of that name, the same each time."""
    rng = np.random.default_rng(crc32(name.encode()))
    place = [*TUNING, *MEASURING].index(name) if name in (*TUNING, *MEASURING) else int(rng.integers(99))
    colors = {k: _varied(rng, v) for k, v in _COLORS[place % len(_COLORS)].items()}
    cacti = tuple(_CACTI[(place + place // len(_CACTI)) % len(_CACTI)])
    return Look(
        name,
        colors,
        cacti,
        float(rng.choice([3.0, 3.2, 3.5, 4.0])),
        float((5.0, 7.5, 6.2, 8.5)[place % 4] * rng.uniform(0.92, 1.08)),
        float(rng.uniform(31, 40)),
        float((12.5, 9.0, 16.0)[place % 3] * rng.uniform(0.9, 1.1)),
        float(rng.uniform(76, 98)),
        (float(rng.integers(34, 56)), float(rng.integers(7, 12)), float(rng.integers(12, 30))),
        bool(rng.random() < 0.7),
    )


def _varied(rng: np.random.Generator, hexed: str) -> str:
    rgb = [int(hexed[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    h, s, v = colorsys.rgb_to_hsv(*rgb)
    rgb = list(
        colorsys.hsv_to_rgb((h + rng.normal(0, 0.008)) % 1, s * rng.uniform(0.92, 1.04), v * rng.uniform(0.94, 1.03))
    )
    return "#" + "".join(f"{min(255, round(255 * c)):02x}" for c in rgb)


def make_set(style: Look) -> Json:
    """The set's `deck.json`, in the form of the contract's section 1."""
    rng = np.random.default_rng(crc32(style.name.encode()) + 1)
    makers = [BASIC[i] for i in rng.permutation(len(BASIC))]
    basics: list[tuple[str, np.ndarray[Any, Any]]] = []
    for make in makers:
        if len(basics) < 5:
            outline = outline_of(make(rng, style.stroke * rng.uniform(0.9, 1.1)), style.size * rng.uniform(0.84, 1.0))
            if Polygon(outline).is_valid and all(_apart(outline, o) for _, o in basics):
                basics.append((make.__name__, outline))
    taken = {n for n, _ in basics}
    colors = list(style.colors)
    pieces: list[Json] = [
        {"id": f"{n}-{c}", "color": c, "shape": n, "special": False, "outline": o.tolist()}
        for n, o in basics
        for c in colors
    ]
    order = [SPECIAL[i] for i in rng.permutation(len(SPECIAL))]
    specials = [m for m in order if m.__name__ not in taken][:10]
    for i, make in enumerate(specials):
        outline = outline_of(make(rng, style.stroke * rng.uniform(0.85, 1.05)), style.size * rng.uniform(0.92, 1.15))
        pieces.append(
            {"id": make.__name__, "color": colors[i % 5], "shape": None, "special": True, "outline": outline.tolist()}
        )
    cacti = []
    kinds = rng.permutation(len(CACTI))[:5]
    for i, k in enumerate(kinds):
        outline = cactus_outline(
            CACTI[k](rng, style.trunk * rng.uniform(0.85, 1.15), style.height * rng.uniform(0.88, 1.08))
        )
        entry: Json = {"id": f"K{i + 1}", "color": style.cacti[i], "outline": outline.tolist()}
        if style.faces:
            entry["face"] = _face(outline)
        cacti.append(entry)
    w, h, d = style.base
    return {
        "format": 1,
        "game": "cactus",
        "name": style.name,
        "colors": style.colors,
        "thickness_mm": style.thickness,
        "pieces": pieces,
        "cacti": cacti,
        "base": {"width_mm": w, "height_mm": h, "depth_mm": d},
    }


def _apart(a: Any, b: Any) -> bool:
    """Whether two shapes differ however they are turned and flipped."""
    p = Polygon(a)
    for flip in (1, -1):
        for t in np.radians(np.arange(0, 360, 15)):
            c, s = np.cos(t), np.sin(t)
            q = Polygon((b * [flip, 1]) @ np.array([[c, s], [-s, c]]))
            if p.intersection(q).area / p.union(q).area > 0.72:
                return False
    return True


def _face(outline: Any) -> list[float]:
    """Where a face has room: high up, in the middle of the widest place there."""
    body = Polygon(outline)
    best = (0.0, 0.0, 0.0)
    for y in np.arange(0.3, 0.95, 0.04) * outline[:, 1].max():
        for x in np.arange(-12, 13, 2.0):
            from shapely.geometry import Point

            if body.contains(Point(x, y)):
                room = body.exterior.distance(Point(x, y))
                if min(room, 7.0) + 0.01 * y > best[0]:
                    best = (min(room, 7.0) + 0.01 * y, float(x), float(y))
    return [round(best[1], 1), round(best[2], 1)]


def ensure_set(cache: Path, name: str) -> Path:
    """Folder of the set of that name, written into `cache` unless it is there already."""
    folder = cache / name
    if not (folder / "deck.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "deck.json").write_text(json.dumps(make_set(look(name)), indent=1), encoding="utf-8")
    return folder


def main() -> None:
    """Write the named sets, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", type=Path)
    parser.add_argument("names", nargs="*", help=f"of {', '.join((*TUNING, *MEASURING))}, or any other; all by default")
    args = parser.parse_args()
    for name in args.names or (*TUNING, *MEASURING):
        print(ensure_set(args.out_dir, name))


if __name__ == "__main__":
    main()
