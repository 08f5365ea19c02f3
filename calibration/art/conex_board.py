"""The board of the bundled CONEX deck: four coloured spaces, and between them a track that runs round and round."""

from __future__ import annotations

import numpy as np

from calibration.art.canvas import Canvas, Colour, darker, lighter, mix, rgb
from calibration.art.conex_tokens import INK, IVORY
from calibration.art.numerals import numeral
from calibration.art.paths import Points, box, circle, moved, regular
from calibration.art.symbols import Finish, Print, sprite

SIDE_MM = 120.0
SPACE_MM = 33.0
CELL_MM = 13.5
_RIM_MM = (SIDE_MM - 8 * CELL_MM) / 2
FIELD = rgb("#e6e3ec")
SQUARE = rgb("#aeaabf")
# one arm of the cross as seen from its first inner corner, in cells: (column, row) on the left, upwards
_ARM = ((2, 5), (1, 5), (0, 5), (0, 4), (1, 4), (1, 3), (0, 3), (0, 2), (1, 2))


def track() -> list[tuple[float, float]]:
    """Centres of the squares in mm: the start in the middle, then 36 in a ring, so that lap follows lap."""
    cells = []
    for quarter in range(4):
        for column, row in _ARM:
            c, r = column - 3.5, row - 3.5
            for _ in range(quarter):
                c, r = -r, c
            cells.append((c, r))
    middle = SIDE_MM / 2
    return [(middle, middle), *((middle + c * CELL_MM, middle + r * CELL_MM) for c, r in cells)]


def spaces() -> list[Points]:
    """The four coloured spaces, clockwise from the top left."""
    a, b = SPACE_MM, SIDE_MM - SPACE_MM
    return [box(0, 0, a, a), box(b, 0, SIDE_MM, a), box(b, b, SIDE_MM, SIDE_MM), box(0, b, a, SIDE_MM)]


def describe_board(names: tuple[str, ...]) -> dict[str, object]:
    """What the `deck.json` says of the board, without its picture; names of the spaces clockwise from the top left."""
    squares = track()
    return {
        "size_mm": SIDE_MM,
        "spaces": [{"color": n, "region": s.tolist()} for n, s in zip(names, spaces(), strict=True)],
        "track": [[round(x, 3), round(y, 3)] for x, y in squares],
        "goal": len(squares) - 1,
    }


def draw_board(canvas: Canvas, colours: tuple[Colour, ...]) -> None:
    """The board; colours of the spaces clockwise from the top left."""
    canvas.ground(np.full((8, 8, 3), FIELD, np.float32))
    for space, colour in zip(spaces(), colours, strict=True):
        canvas.fill([space], colour)
    squares = np.array(track())
    ring = squares[1:]
    canvas.line([ring], CELL_MM - 5.0, mix(FIELD, SQUARE, 0.55), closed=True)
    half = CELL_MM / 2 - 0.55
    for k, (x, y) in enumerate(ring, start=1):
        last = k == len(ring)
        tone = lighter(SQUARE, 0.38) if k % 5 == 0 or last else SQUARE  # light enough for pawns of any colour
        outline = box(x - half, y - half, x + half, y + half, 2.0)
        canvas.fill([outline], tone)
        if last:
            canvas.fill([moved(regular(5, half * 0.98, inner=half * 0.56), x, y + 0.3)], INK)
            _number(canvas, k, x, y + 0.3, 3.6, IVORY)
        else:
            _number(canvas, k, x, y, 5.0, darker(INK, 0.1))
    _start(canvas, squares[0], squares[1])


def _start(canvas: Canvas, middle: Points, first: Points) -> None:
    """Where the pawns begin: room for four, and an arrow to the first square."""
    x, y = middle
    reach, half = CELL_MM - 0.4, CELL_MM / 2 - 0.55
    canvas.fill([box(x - reach, y - reach, x + reach, y + reach, 4.0)], lighter(SQUARE, 0.38))
    for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        canvas.line([circle(x + 6.6 * dx, y + 6.6 * dy, 5.9, 72)], 0.45, INK, closed=True)
    # the way to the first square leaves on its side of the start and turns down to it
    fx, fy = first
    bend = np.array([[x - reach, y + CELL_MM / 2], [fx, y + CELL_MM / 2], [fx, fy - half - 3.4]])
    canvas.line([bend], 2.2, INK)
    canvas.fill([np.array([[fx - 3.2, fy - half - 3.8], [fx + 3.2, fy - half - 3.8], [fx, fy - half - 0.3]])], INK)
    canvas.fill([moved(regular(4, 2.6), x, y)], INK)


def _number(canvas: Canvas, value: int, x: float, y: float, height_mm: float, ink: Colour) -> None:
    mark = sprite(numeral(value, 19, underline=False), ink, Print(Finish.FLAT), 300)
    canvas.stamp(mark, x, y, height_mm * 250 / 120)
