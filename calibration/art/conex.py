"""Draw a CONEX deck in a given style and write its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.art.canvas import Canvas, Colour, Layer, rgb
from calibration.art.conex_deal import SIZE_MM, ConexCard, Mark, deal
from calibration.art.conex_shapes import Shape, inscribed, inset
from calibration.art.conex_tokens import TOKEN_PX_PER_MM
from calibration.art.folder import lay_out_json, save_picture
from calibration.art.numerals import numeral
from calibration.art.paths import Points
from calibration.art.symbols import Finish, Print, sprite

PX_PER_MM = 8.0
_BLEED_MM = 2.0
_FRAME_MM = 0.9


@dataclass(frozen=True, slots=True)
class Ground:
    """One of the four colours.

    Parameters
    ----------
    name
        Its name.
    colour
        ``#rrggbb``.
    ink
        What is printed on it: numbers and frames.
    """

    name: str
    colour: str
    ink: Colour


@dataclass(frozen=True, slots=True, eq=False)
class ConexStyle:
    """Everything that makes one printing of CONEX look different from another.

    Parameters
    ----------
    name
        Name of the deck and of its folder.
    grounds
        The four colours.
    symbols
        What draws `plus2` and `die` in the middle of a card.
    back
        Draws the back.
    board
        What the `deck.json` says of the board, and a function that draws it.
    stars
        Kind to side in mm and a function that draws the token; what it leaves clear is not there.
    pawns
        Name to ``#rrggbb``.
    size_mm, corner_mm
        Card size and radius of its corners.
    seed
        Of all chance in the deck.
    """

    name: str
    grounds: tuple[Ground, Ground, Ground, Ground]
    symbols: Mapping[str, Callable[[Canvas], None]]
    back: Callable[[Canvas], None]
    board: tuple[Mapping[str, object], Callable[[Canvas], None]]
    stars: Mapping[str, tuple[float, Callable[[], NDArray[np.uint8]]]]
    pawns: Mapping[str, str]
    size_mm: tuple[float, float] = SIZE_MM
    corner_mm: float = 3.0
    seed: int = 1


def draw_face(style: ConexStyle, card: ConexCard) -> NDArray[np.uint8]:
    """One card as RGB."""
    canvas = Canvas(style.size_mm, PX_PER_MM)
    canvas.ground(np.full((8, 8, 3), rgb(style.grounds[card.ground].colour), np.float32))
    if card.symbol is not None:
        style.symbols[card.symbol](canvas)
    for mark in card.marks:
        _corner(canvas, mark, style.grounds[mark.colour])
    return canvas.finish()


def describe(style: ConexStyle, cards: list[ConexCard]) -> dict[str, object]:
    """Content of the `deck.json` of these cards in this style."""
    names = [g.name for g in style.grounds]
    faces = [
        {
            "id": f"C{i:02d}",
            "image": f"C{i:02d}.png",
            "color": names[card.ground],
            "symbol": card.symbol,
            "corners": [
                {"color": names[m.colour], "value": m.value, "region": m.shape.region.tolist()} for m in card.marks
            ],
        }
        for i, card in enumerate(cards, start=1)
    ]
    return {
        "format": 1,
        "game": "conex",
        "name": style.name,
        "card_mm": list(style.size_mm),
        "corner_radius_mm": style.corner_mm,
        "colors": {g.name: g.colour for g in style.grounds},
        "faces": faces,
        "board": {"image": "board.png", **style.board[0]},
        "stars": {k: {"image": f"star-{k}.png", "size_mm": size} for k, (size, _) in style.stars.items()},
        "pawns": dict(style.pawns),
        "back": "back.png",
    }


def write_deck(style: ConexStyle, folder: Path) -> None:
    """Draw everything and write the folder with its `deck.json`, which comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    cards = deal(np.random.default_rng(style.seed), style.size_mm)
    for i, card in enumerate(cards, start=1):
        save_picture(folder / f"C{i:02d}.png", draw_face(style, card), PX_PER_MM)
    for kind, (_, draw) in style.stars.items():
        save_picture(folder / f"star-{kind}.png", draw(), TOKEN_PX_PER_MM)
    side = float(str(style.board[0]["size_mm"]))
    for name, size, paint in (("board", (side, side), style.board[1]), ("back", style.size_mm, style.back)):
        canvas = Canvas(size, PX_PER_MM)
        paint(canvas)
        save_picture(folder / f"{name}.png", canvas.finish(), PX_PER_MM)
    (folder / "deck.json").write_text(lay_out_json(describe(style, cards)), encoding="utf-8")


def _corner(canvas: Canvas, mark: Mark, ground: Ground) -> None:
    """A CONEX corner: the ground of another card, framed where its edges would run, with the number along them."""
    shape = mark.shape
    centre, radius = inscribed(inset(shape.region, (_FRAME_MM,) * len(shape.region)))  # off the card's edge as well
    # the frame is what a smaller region leaves of a larger one, so that its joints are sharp
    canvas.fill([_moved_in(shape, 0.0)], ground.ink)
    canvas.fill([_moved_in(shape, _FRAME_MM)], rgb(ground.colour))
    turn = float(np.arctan2(shape.up[0], -shape.up[1]))
    height = 1.52 * radius
    canvas.stamp(_digit(mark.value, ground.ink), float(centre[0]), float(centre[1]), height * 250 / 120, turn)


def _moved_in(shape: Shape, by_mm: float) -> Points:
    """The region, its sides within the face moved inwards; the others run over the card's edge."""
    return inset(shape.region, tuple(by_mm if inner else -_BLEED_MM for inner in shape.inner))


@cache
def _digit(value: int, ink: Colour) -> Layer:
    return sprite(numeral(value, 21), ink, Print(Finish.FLAT), 320)
