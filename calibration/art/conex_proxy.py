"""The bundled CONEX deck "conex-proxy": ``python -m calibration.art.conex_proxy [FOLDER]`` draws it anew.

Plain grounds in four colours that are steps of lightness as well; each CONEX corner looks like the corner of another
card that was pushed over this one: in that card's colour, framed along its edges, and the number upright
as that card lies.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from calibration.art.canvas import Canvas, mix, rgb
from calibration.art.conex import ConexStyle, Ground, write_deck
from calibration.art.conex_board import describe_board, draw_board
from calibration.art.conex_tokens import INK, IVORY, SILVER, die, lightning, plus2, star, times_two
from calibration.art.paths import box, moved

GROUNDS = (
    Ground("yellow", "#ffd028", INK),
    Ground("red", "#da313d", IVORY),
    Ground("turquoise", "#2bb5ad", IVORY),
    Ground("purple", "#52298c", IVORY),
)
PAWNS = {"white": "#f4f2ec", "black": "#1c1c20", "green": "#188038", "blue": "#1f4fb5"}
STAR_MM = 24.0
_SPACES = ("purple", "yellow", "turquoise", "red")


def board(canvas: Canvas) -> None:
    """The board in the deck's colours."""
    colour = {g.name: rgb(g.colour) for g in GROUNDS}
    draw_board(canvas, tuple(colour[n] for n in _SPACES))


def back(canvas: Canvas) -> None:
    """The back: cards turned about the middle, one in the other, the same after half a turn."""
    w, h = canvas.size_mm
    canvas.ground(np.full((8, 8, 3), INK, np.float32))
    rim = [box(3.2, 3.2, w - 3.2, h - 3.2, 2.2)]
    colours = [rgb(g.colour) for g in GROUNDS]
    for k in range(26):
        card = moved(box(-w / 2, -h / 2, w / 2, h / 2, 4.0), w / 2, h / 2, 1.15 * 0.92**k, 0.24 * k)
        canvas.fill([card], mix(INK, colours[k % 4], 0.85), within=rim)
        canvas.line([card], 0.7, INK, closed=True, within=rim)
    canvas.line(rim, 0.5, SILVER, closed=True)


def style() -> ConexStyle:
    """The style of the bundled deck."""
    return ConexStyle(
        name="conex-proxy",
        grounds=GROUNDS,
        symbols={"plus2": plus2, "die": die},
        back=back,
        board=(describe_board(_SPACES), board),
        stars={
            "2x": (STAR_MM, lambda: star(5, 0.62, times_two, STAR_MM)),
            "lightning": (STAR_MM, lambda: star(8, 0.74, lightning, STAR_MM)),
        },
        pawns=PAWNS,
        seed=2017,
    )


if __name__ == "__main__":
    write_deck(style(), Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "decks" / "conex-proxy")
