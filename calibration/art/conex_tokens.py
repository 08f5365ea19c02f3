"""The small things of CONEX, in silver and ink: symbols of the action cards, stars, pawns and the faces of the die."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calibration.art.canvas import BLACK, WHITE, Canvas, Colour, darker, lighter, mix, rgb
from calibration.art.numerals import numeral
from calibration.art.paths import Points, box, circle, moved, path, regular
from calibration.art.symbols import Finish, Print, sprite

INK = rgb("#2b2545")
IVORY = rgb("#fbf6e9")
SILVER = rgb("#b9bec8")
TOKEN_PX_PER_MM = 12.0
PAWN_MM = 11.0
DIE_FACES = ("card", "2x", "cards", "2x", "lightning", "lightning")
"""What the die shows: four sides in a row, then the two others."""
BOLT = path("M 20,-92 L -44,12 L -8,12 L -24,92 L 46,-22 L 8,-22 L 36,-92 Z")[0][:-1]
_FLAT = Print(Finish.FLAT)


def plus2(canvas: Canvas) -> None:
    """A silver +2 in the middle of a card."""
    x, y = canvas.size_mm[0] / 2, canvas.size_mm[1] / 2
    cross = [np.array([[x - 10.6, y], [x - 1.6, y]]), np.array([[x - 6.1, y - 4.5], [x - 6.1, y + 4.5]])]
    digit = sprite(numeral(2, 22), SILVER, Print(Finish.INK, ink=INK, outline=4.0), 700)
    canvas.line(cross, 4.0, INK)
    canvas.line(cross, 3.1, SILVER)
    canvas.stamp(digit, x + 5.6, y, 17.5 * 250 / 120)


def die(canvas: Canvas) -> None:
    """A silver die, seen over a corner, in the middle of a card."""
    x, y, r = canvas.size_mm[0] / 2, canvas.size_mm[1] / 2, 10.2
    six = moved(regular(6, r), x, y)
    middle = np.array([x, y])
    # top, right and left side: each has the middle and three corners of the hexagon
    tones = (lighter(SILVER, 0.45), darker(SILVER, 0.22), SILVER)
    pips: tuple[tuple[tuple[float, float], ...], ...] = (
        ((0.5, 0.5),),
        ((0.27, 0.27), (0.5, 0.5), (0.73, 0.73)),
        ((0.27, 0.73), (0.73, 0.27)),
    )
    canvas.line([six], 1.6, INK, closed=True)
    for (a, b, c), tone, places in zip(((5, 0, 1), (1, 2, 3), (3, 4, 5)), tones, pips, strict=True):
        canvas.fill([np.array([middle, six[a], six[b], six[c]])], tone)
        u, v = six[a] - middle, six[c] - middle
        for s, t in places:
            spot = circle(0, 0, 0.13)
            canvas.fill([middle + (spot[:, :1] + s) * u + (spot[:, 1:] + t) * v], INK)
    for k in (1, 3, 5):
        canvas.line([np.array([middle, six[k]])], 0.45, INK)


def star(points: int, inner: float, glyph: Callable[[Canvas], None], side_mm: float) -> NDArray[np.uint8]:
    """A silver star token with folded rays, RGBA, clear round the star."""
    outline = _star_outline(points, inner, side_mm)
    colours, cover = (Canvas((side_mm, side_mm), TOKEN_PX_PER_MM) for _ in range(2))
    cover.ground(np.zeros((8, 8, 3), np.float32))
    cover.fill([outline], WHITE)
    colours.ground(np.full((8, 8, 3), INK, np.float32))
    middle = np.full(2, side_mm / 2)
    inside = [(outline - middle) * (1 - 0.9 / (side_mm / 2)) + middle]
    corners = moved(regular(points, side_mm / 2, inner=inner * side_mm / 2), side_mm / 2, side_mm / 2)
    for k in range(2 * points):
        ray = np.array([middle, corners[k], corners[(k + 1) % (2 * points)]])
        # each ray is lit from the top left like a folded sheet
        out = ray[1:].mean(axis=0) - middle
        lit = 0.5 - 0.5 * float(out @ (0.5, 0.87)) / float(np.linalg.norm(out))
        tone = mix(darker(SILVER, 0.12), lighter(SILVER, 0.6), 0.35 * lit + (0.45 if k % 2 else 0.0))
        canvas_ray = (ray - middle) * 1.02 + middle
        colours.fill([canvas_ray], tone, within=inside)
    glyph(colours)
    return np.dstack([colours.finish(), cover.finish()[..., 0]])


def _star_outline(points: int, inner: float, side_mm: float) -> Points:
    """A star with blunt rays that is easy to cut out."""
    half = side_mm / 2
    corners = regular(points, half * 1.06, inner=inner * half)
    cut = []
    for k, corner in enumerate(corners):
        before, after = corners[k - 1], corners[(k + 1) % len(corners)]
        if k % 2:
            cut.append(corner)
        else:
            cut += [corner + (before - corner) * 0.13, corner + (after - corner) * 0.13]
    points_mm = np.array(cut)
    return np.asarray(points_mm * (half - 0.1) / np.abs(points_mm).max() + half)


def times_two(canvas: Canvas) -> None:
    """2× in ink."""
    x, y = canvas.size_mm[0] / 2, canvas.size_mm[1] / 2 + 0.5
    ink = Print(Finish.INK, ink=IVORY, outline=5.0, details=False)
    canvas.stamp(sprite(numeral(2, 22), INK, ink, 500), x - 2.4, y, 8.6 * 250 / 120)
    cross = [np.array([[x + 1.7, y - 1.4], [x + 5.3, y + 2.6]]), np.array([[x + 5.3, y - 1.4], [x + 1.7, y + 2.6]])]
    canvas.line(cross, 2.1, IVORY)
    canvas.line(cross, 1.5, INK)


def lightning(canvas: Canvas) -> None:
    """A flash in ink."""
    bolt = moved(BOLT, canvas.size_mm[0] / 2, canvas.size_mm[1] / 2, 0.078)
    canvas.line([bolt], 0.8, IVORY, closed=True)
    canvas.fill([bolt], INK)


def pawn(colour: Colour, number: int) -> NDArray[np.uint8]:
    """A pawn to cut out, RGBA: a disc of its colour with a rim and a small mark, each pawn its own.

    Parameters
    ----------
    colour
        The pawn's colour.
    number
        0, 1, 2 ... chooses the mark: ring, cross, triangle, square.
    """
    half = PAWN_MM / 2
    dark = sum(colour) / 3 < 150
    ink = IVORY if dark else INK
    colours, cover = (Canvas((PAWN_MM, PAWN_MM), TOKEN_PX_PER_MM) for _ in range(2))
    cover.ground(np.zeros((8, 8, 3), np.float32))
    cover.fill([circle(half, half, half - 0.05, 120)], WHITE)
    colours.ground(np.full((8, 8, 3), colour, np.float32))
    colours.line([circle(half, half, half - 0.35, 120)], 0.7, mix(colour, BLACK if dark else INK, 0.75), closed=True)
    if number % 4 == 0:
        colours.line([circle(half, half, 1.5)], 0.8, ink, closed=True)
    elif number % 4 == 1:
        cross = np.array([[-1.4, 0.0], [1.4, 0.0]])
        colours.line([cross + half, cross[:, ::-1] + half], 0.9, ink)
    else:
        colours.fill([moved(regular(3 if number % 4 == 2 else 4, 2.0), half, half)], ink)
    return np.dstack([colours.finish(), cover.finish()[..., 0]])


def die_face(what: str, side_mm: float) -> NDArray[np.uint8]:
    """A face of the die as RGB: `card`, `cards` (two), `2x` or `lightning`.

    Raises
    ------
    KeyError
        If the die has no such face.
    """
    canvas = Canvas((side_mm, side_mm), TOKEN_PX_PER_MM)
    canvas.ground(np.full((8, 8, 3), lighter(SILVER, 0.72), np.float32))
    half = side_mm / 2
    {"card": _card, "cards": _cards, "2x": _big_two, "lightning": _big_bolt}[what](canvas, half)
    return canvas.finish()


def _card(canvas: Canvas, half: float) -> None:
    _drawn_card(canvas, half, half, 0.0, half / 9)


def _cards(canvas: Canvas, half: float) -> None:
    _drawn_card(canvas, half - half * 0.22, half, -0.16, half / 9)
    _drawn_card(canvas, half + half * 0.26, half + half * 0.04, 0.2, half / 9)


def _drawn_card(canvas: Canvas, x: float, y: float, turn: float, scale: float) -> None:
    outline = moved(box(-3.6, -5.6, 3.6, 5.6, 0.9), x, y, scale, turn)
    corner = moved(np.array([[3.6, -5.6], [3.6, 0.2], [-0.4, -2.4], [0.6, -5.6]]), x, y, scale, turn)
    canvas.fill([outline], INK)
    canvas.fill([moved(box(-3.1, -5.1, 3.1, 5.1, 0.6), x, y, scale, turn)], SILVER)
    canvas.fill([corner], INK, within=[outline])


def _on_star(canvas: Canvas, half: float, points: int, inner: float) -> None:
    canvas.fill([moved(regular(points, 0.86 * half, inner=inner * 0.86 * half), half, half * 1.02)], INK)


def _big_two(canvas: Canvas, half: float) -> None:
    _on_star(canvas, half, 5, 0.62)
    k = half / 12
    canvas.stamp(sprite(numeral(2, 22), IVORY, _FLAT, 500), half - 2.0 * k, half + 0.5 * k, 7.6 * k * 250 / 120)
    x, y = half + 2.9 * k, half + 1.2 * k
    arm = np.array([[-1.5, -1.6], [1.5, 1.6]]) * k
    canvas.line([arm + (x, y), arm * (1, -1) + (x, y)], 1.3 * k, IVORY)


def _big_bolt(canvas: Canvas, half: float) -> None:
    _on_star(canvas, half, 8, 0.72)
    canvas.fill([moved(BOLT, half, half, 0.0053 * half)], IVORY)


def draw_start_card(canvas: Canvas, colours: tuple[Colour, ...]) -> None:
    """The start player card: the colours fanned out like a hand of cards, and the figure one."""
    w, h = canvas.size_mm
    k, x, y = w / 59, w / 2, h * 0.64
    canvas.ground(np.full((8, 8, 3), lighter(SILVER, 0.72), np.float32))
    canvas.line([box(3 * k, 3 * k, w - 3 * k, h - 3 * k, 2.4 * k)], 0.6 * k, INK, closed=True)
    for i, colour in enumerate(colours):
        card = moved(box(-7, -36, 7, -6, 1.6), x, y, k, (i - (len(colours) - 1) / 2) * 0.34)
        canvas.fill([card], colour)
        canvas.line([card], 0.6 * k, INK, closed=True)
    canvas.fill([circle(x, y, 11 * k, 96)], INK)
    canvas.stamp(sprite(numeral(1, 20), IVORY, _FLAT, 500), x - 0.4 * k, y, 12 * k * 250 / 120)
