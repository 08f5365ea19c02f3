"""The bundled set of Cactus "cactus-proxy": ``python -m calibration.art.cactus_proxy [FOLDER]`` draws it anew.

Five basic shapes in five colours that are steps of lightness as well, ten things one meets in a desert, and five cacti
with faces. What is engraved or printed on them (`marks`: lines in mm, drawn 0.6 mm wide) is for the eye only.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cv2
import numpy as np

from calibration.art.cactus_shapes import BASIC, CACTI, SPECIAL
from calibration.art.canvas import Canvas, darker, mix, rgb
from calibration.art.folder import lay_out_json, save_picture
from calibration.art.paths import Points, box, circle

COLORS = {"plum": "#471a52", "blue": "#2458a4", "coral": "#f07c58", "yellow": "#f8c636", "cream": "#faf4e6"}
"""From dark to light."""
GREENS = {"K1": "#2f7f4b", "K2": "#6a9c3c", "K3": "#3f9a78", "K4": "#4c7a35", "K5": "#23655a"}
THICKNESS_MM = 3.0
BASE_MM = (46.0, 9.0, 21.0)
"""Width, height and depth: seven layers of the pieces' material, one of them the cactus itself."""
FACES = {"K1": (0.0, 70.0), "K2": (0.0, 28.0), "K3": (-1.0, 22.0), "K4": (-0.5, 69.0), "K5": (0.0, 57.0)}
"""Middle of each face, in the frame of its cactus."""
_INK = (38.0, 34.0, 40.0)
_WOOD = (196.0, 158.0, 112.0)
_SHEET_PX_PER_MM = 5.0


def _arc(x: float, y: float, r: float, first: float, last: float, n: int = 9) -> Points:
    a = np.radians(np.linspace(first, last, n))
    return np.column_stack([x + r * np.cos(a), y + r * np.sin(a)])


def face_marks(key: str) -> list[Points]:
    """Eyes and mouth of a cactus; each looks in its own way."""
    x, y = FACES[key]
    eyes = {
        "K1": [circle(x + k * 2.7, y + 1.6, 0.55, 12) for k in (-1, 1)],
        "K2": [_arc(x + k * 4.0, y + 2.0, 1.5, 25, 155) for k in (-1, 1)],
        "K3": [circle(x + k * 3.6, y + 1.8, 0.6, 12) for k in (-1, 1)],
        "K4": [circle(x - 2.4, y + 1.8, 0.5, 12), _arc(x + 2.4, y + 1.4, 1.2, 20, 160)],
        "K5": [_arc(x + k * 3.2, y + 2.4, 1.2, 200, 340) for k in (-1, 1)],
    }[key]
    mouth = {
        "K1": _arc(x, y - 0.6, 2.6, 215, 325),
        "K2": _arc(x, y - 0.4, 4.4, 205, 335, 13),
        "K3": circle(x, y - 2.6, 1.15, 16),
        "K4": _arc(x, y - 1.0, 2.4, 225, 330),
        "K5": _arc(x, y - 0.6, 2.4, 200, 340),
    }[key]
    closed = [np.vstack([e, e[:1]]) if len(e) > 9 else e for e in (*eyes, mouth)]
    return [np.round(m, 2) for m in closed]


def spines(outline: Points, key: str) -> list[Points]:
    """Little spines all over a cactus, two to a place, clear of its edge and its face."""
    fx, fy = FACES[key]
    out = []
    edge = outline.astype(np.float32)
    for row, y in enumerate(np.arange(7.0, outline[:, 1].max(), 9.0)):
        for x in np.arange(-34.5 + 4.5 * (row % 2), 35, 9.0):
            if cv2.pointPolygonTest(edge, (float(x), float(y)), True) > 2.6 and np.hypot(x - fx, y - fy) > 8.4:
                out += [np.array([[x, y], [x + k * 0.9, y + 1.3]]) for k in (-1, 1)]
    return [np.round(m, 2) for m in out]


def describe() -> dict[str, object]:
    """What `deck.json` says."""
    pieces: list[dict[str, object]] = []
    for shape, make in BASIC.items():
        outline = make().outline()
        pieces += [
            {"id": f"{shape}-{c}", "color": c, "shape": shape, "special": False, "outline": outline} for c in COLORS
        ]
    names = list(COLORS)
    for i, (name, make) in enumerate(SPECIAL.items()):
        outline = make().outline()
        pieces.append(
            {"id": name, "color": names[(2 * i + i // 5) % 5], "shape": None, "special": True, "outline": outline}
        )
    cacti = []
    for key, make in CACTI.items():
        edge = make().outline(centred=False)
        marks = [*face_marks(key), *spines(np.array(edge), key)]
        face = list(FACES[key])
        cacti.append(
            {"id": key, "color": GREENS[key], "face": face, "outline": edge, "marks": [m.tolist() for m in marks]}
        )
    return {
        "format": 1,
        "game": "cactus",
        "name": "cactus-proxy",
        "colors": COLORS,
        "thickness_mm": THICKNESS_MM,
        "base": dict(zip(("width_mm", "height_mm", "depth_mm"), BASE_MM, strict=True)),
        "sheet": "sheet.png",
        "pieces": pieces,
        "cacti": cacti,
    }


def picture(deck: dict[str, object]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The whole set at a glance: cacti on their bases, and below them all pieces by shape."""
    canvas = Canvas((330.0, 318.0), _SHEET_PX_PER_MM)
    canvas.fill([box(0, 0, 330, 318)], (250.0, 246.0, 236.0))
    pieces, cacti = deck["pieces"], deck["cacti"]
    assert isinstance(pieces, list)
    assert isinstance(cacti, list)
    for i, c in enumerate(cacti):
        x, y, tone = 36.0 + 64.5 * i, 100.0, rgb(c["color"])
        canvas.fill([box(x - BASE_MM[0] / 2, y, x + BASE_MM[0] / 2, y + BASE_MM[1], 0.6)], _WOOD)
        canvas.fill([np.array(c["outline"]) * [1, -1] + [x, y]], tone)
        lines = [np.array(m) * [1, -1] + [x, y] for m in c["marks"]]
        many = len(face_marks(c["id"]))
        canvas.line(lines[many:], 0.5, mix(darker(tone, 0.35), tone, 0.2))
        canvas.line(lines[:many], 0.75, _INK)
    for i, p in enumerate(pieces):
        row, column = (i // 5, i % 5) if i < 25 else (i - 25, 5)
        x, y = 28.0 + 44.0 * column, 132.0 + 40.0 * row
        if i >= 25:
            x, y = 250.0 + 48.0 * ((i - 25) // 5), 131.0 + 42.0 * ((i - 25) % 5)
        ring = np.array(p["outline"]) * [1, -1]
        ring = ring - (ring.max(0) + ring.min(0)) / 2 + [x, y]
        canvas.fill([ring], rgb(COLORS[p["color"]]))
        canvas.line([ring], 0.35, mix(_WOOD, _INK, 0.15), closed=True)
    return canvas.finish()


def write_set(folder: Path) -> None:
    """Write `deck.json` and the picture of the whole set."""
    folder.mkdir(parents=True, exist_ok=True)
    deck = describe()
    (folder / "deck.json").write_text(lay_out_json(deck), encoding="utf-8")
    save_picture(folder / "sheet.png", picture(deck), _SHEET_PX_PER_MM)


if __name__ == "__main__":
    write_set(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "decks" / "cactus-proxy")
