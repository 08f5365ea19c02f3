"""Boards and stars of the random CONEX decks: other tracks, other sizes, other signs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from calibration.art.canvas import Canvas, Colour, darker, lighter, rgb
from calibration.art.numerals import numeral
from calibration.art.paths import Points, box, moved, regular
from calibration.art.symbols import Finish, Print, Symbol, sprite
from tests.decks.lettering import lettered

Json = dict[str, Any]


def _serpentine(n: int, cell: float) -> list[tuple[float, float]]:
    """Places of an n x n field walked to and fro, from the top left, about its middle."""
    out = []
    for row in range(n):
        cells = range(n) if row % 2 == 0 else range(n - 1, -1, -1)
        out += [((c - (n - 1) / 2) * cell, (row - (n - 1) / 2) * cell) for c in cells]
    return out


def _inward(n: int, cell: float) -> list[tuple[float, float]]:
    """Places of an n x n field walked round and round towards its middle."""
    left = {(r, c) for r in range(n) for c in range(n)}
    r, c, dr, dc = 0, -1, 0, 1
    out = []
    while left:
        if (r + dr, c + dc) not in left:
            dr, dc = dc, -dr
        r, c = r + dr, c + dc
        left.discard((r, c))
        out.append(((c - (n - 1) / 2) * cell, (r - (n - 1) / 2) * cell))
    return out


def _ring(n: int, cell: float) -> list[tuple[float, float]]:
    """Places round a field with n on each side, walked clockwise."""
    h = (n - 1) / 2 * cell
    side = [(-h + i * cell, -h) for i in range(n - 1)]
    out = []
    for _ in range(4):
        out += side
        side = [(-y, x) for x, y in side]
    return out


def board_face(
    rng: np.random.Generator, colors: dict[str, str], size: float, px_per_mm: float, typeface: Path | None = None
) -> tuple[Json, Any]:
    """A board: what the deck file says of it, and its picture RGB (H, W, 3)."""
    layout = rng.choice(3, p=[0.5, 0.3, 0.2])
    corner = float(round(rng.uniform(0.26, 0.30) * size, 1))
    if layout == 2:
        n = 7
        corner = float(round(0.25 * size, 1))
        cell = (size - 2 * corner) / n
        places = _ring(n, cell)
    else:
        n = int(rng.choice([5, 6]))
        cell = min((size - 2 * corner) / n, 9.6)
        places = (_serpentine if layout == 0 else _inward)(n, cell)
    if rng.random() < 0.5:
        places = [(y, x) for x, y in places]
    track = [(round(size / 2 + x, 2), round(size / 2 + y, 2)) for x, y in places]
    paper = [(232.0, 226.0, 211.0), (250.0, 250.0, 248.0), (205.0, 210.0, 214.0), (58.0, 62.0, 74.0)][
        int(rng.choice(4, p=[0.4, 0.3, 0.15, 0.15]))
    ]
    dark = sum(paper) < 380
    ink: Colour = (235.0, 235.0, 230.0) if dark else (52.0, 52.0, 56.0)
    canvas = Canvas((size, size), px_per_mm, 2)
    canvas.fill([box(-1, -1, size + 1, size + 1)], paper)
    names = list(colors)
    rng.shuffle(names)
    spaces = []
    for k, name in enumerate(names):
        x, y = (0.0, size - corner)[k in (1, 2)], (0.0, size - corner)[k in (2, 3)]
        region = box(x, y, x + corner, y + corner)
        spaces.append({"color": name, "region": np.round(region, 3).tolist()})
        canvas.fill([region], rgb(colors[name]))
    if rng.random() < 0.4:
        for k in range(4):
            x, y = (0.0, size - corner)[k in (1, 2)], (0.0, size - corner)[k in (2, 3)]
            canvas.line([box(x, y, x + corner, y + corner)], 0.8, lighter(paper, 0.5), closed=True)
    _decorate(rng, canvas, size, ink)
    shades = (lighter(paper, 0.55), darker(paper, 0.07)) if not dark else (lighter(paper, 0.08), lighter(paper, 0.18))
    half = cell / 2
    weight = float(rng.uniform(12, 18))
    for i, (x, y) in enumerate(track):
        edge = box(x - half, y - half, x + half, y + half)
        fill = shades[i % 2]
        if i == len(track) - 1:
            fill = (150.0, 156.0, 166.0)
        canvas.fill([edge], fill)
        canvas.line([edge], 0.35, ink, closed=True)
        if i == 0:
            arrow = moved(regular(3, cell * 0.32), x, y, turn=float(rng.uniform(0, 6)))
            canvas.fill([arrow], darker((150.0, 156.0, 166.0), 0.1))
        else:
            colour = ink if i < len(track) - 1 else (250.0, 250.0, 250.0)
            if typeface is None:
                digits = sprite(numeral(i, weight, underline=False), colour, Print(Finish.FLAT), 160)
            else:
                digits = lettered(typeface, i, colour, 0.4)
            canvas.stamp(digits, x, y, cell * 0.78)
    data = {"size_mm": size, "spaces": spaces, "track": [list(p) for p in track], "goal": len(track) - 1}
    return data, canvas.finish()


def _decorate(rng: np.random.Generator, canvas: Canvas, size: float, ink: Colour) -> None:
    kind = rng.integers(3)
    for k in range(4):
        a = k * np.pi / 2
        for s in (-6.0, 0.0, 6.0):
            at = np.array([s, -0.42 * size])
            c, v = np.cos(a), np.sin(a)
            x, y = size / 2 + at[0] * c - at[1] * v, size / 2 + at[0] * v + at[1] * c
            if kind == 0:
                canvas.fill([moved(regular(3, 2.0), x, y, turn=a)], lighter(ink, 0.35))
            elif kind == 1:
                canvas.fill([moved(regular(4, 1.8), x, y, turn=a)], lighter(ink, 0.25))


def star_faces(rng: np.random.Generator, silver: Colour) -> dict[str, tuple[float, Any]]:
    """Both stars: side in mm and RGBA picture (H, W, 4), transparent round the star."""
    size = float(rng.choice([20.0, 22.0, 24.0, 26.0]))
    points, inner = int(rng.choice([5, 5, 6])), float(rng.uniform(46, 60))
    out = {}
    for kind in ("2x", "lightning"):
        n = 300
        star = regular(points, 100.0, inner=inner)
        body = Symbol(solid=(star,))
        picture = sprite(body, darker(silver, 0.28), Print(Finish.FLAT), n)
        _over(picture, sprite(Symbol(solid=(star * 0.86,)), silver, Print(Finish.FLAT), n))
        _over(picture, sprite(_two_times() if kind == "2x" else _bolt(), (42.0, 42.0, 48.0), Print(Finish.FLAT), n))
        alpha = picture[..., 3:]
        plain = np.where(alpha > 0.004, picture[..., :3] / np.maximum(alpha, 0.004), 255.0)
        rgba = np.concatenate([plain, alpha * 255], axis=2)
        cut = round(n * 0.1)  # the sprite leaves a tenth free on each side
        out[kind] = (size, np.clip(np.round(rgba[cut:-cut, cut:-cut]), 0, 255).astype(np.uint8))
    return out


def _over(under: Any, top: Any) -> None:
    under *= 1 - top[..., 3:]
    under += top


def _two_times() -> Symbol:
    two: list[tuple[Points, float]] = [
        (p * 0.55 + [-22.0, 4.0], 11.0) for p, _ in numeral(2, 17.0, underline=False).bold
    ]
    cross = [(np.array([[6.0, -6.0], [36.0, 30.0]]), 10.0), (np.array([[36.0, -6.0], [6.0, 30.0]]), 10.0)]
    return Symbol(bold=tuple(two + cross))


def _bolt() -> Symbol:
    return Symbol(
        solid=(np.array([[22.0, -52.0], [-34.0, 10.0], [-4.0, 10.0], [-20.0, 58.0], [36.0, -8.0], [6.0, -8.0]]),)
    )
