"""Draw a Rox deck in a given style and write its folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.art.canvas import Canvas, Colour, Layer
from calibration.art.deal import Card, deal, ring_places
from calibration.art.folder import lay_out_json, save_picture
from calibration.art.symbols import Print, Symbol, sprite

VALUES = (1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 10)
"""Fifteen scoring cards: middle values twice, so that a good round is worth more than a lucky one."""


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """One of the five kinds: its name, symbol and colour."""

    name: str
    symbol: Symbol
    colour: Colour


@dataclass(frozen=True, slots=True, eq=False)
class RoxStyle:
    """Everything that makes one printing of Rox look different from another.

    Parameters
    ----------
    name
        Name of the deck and of its folder.
    size_mm, corner_mm
        Card size and radius of its corners.
    elements
        The five kinds.
    how
        How the symbols of the ring are printed.
    ring
        Columns and rows of the ring of places.
    symbol_mm
        Size of a ring symbol's sprite (its drawing fills 80 % of it).
    edge_mm
        Distance of the outer symbols' centres from the left and top edge.
    ground
        Draws what lies under everything: canvas, centre element (None on scoring cards), generator.
    middle
        Draws the standing stone with its symbol.
    scoring, back
        Draw a scoring card of a value, and the back.
    outward
        True turns each symbol's foot to the nearest edge of the card.
    scatter
        Standard deviation of a symbol's place in mm and of its direction in degrees.
    scoring_mm
        Size of the scoring cards.
    quality
        JPEG quality, or None for PNG.
    px_per_mm
        Resolution of the pictures.
    """

    name: str
    size_mm: tuple[float, float]
    corner_mm: float
    elements: tuple[Element, Element, Element, Element, Element]
    how: Print
    ring: tuple[int, int]
    symbol_mm: float
    edge_mm: tuple[float, float]
    ground: Callable[[Canvas, Element | None, np.random.Generator], None]
    middle: Callable[[Canvas, Element, np.random.Generator], None]
    scoring: Callable[[Canvas, int, np.random.Generator], None]
    back: Callable[[Canvas, np.random.Generator], None]
    outward: bool = False
    scatter: tuple[float, float] = (0.0, 0.0)
    scoring_mm: tuple[float, float] | None = None
    quality: int | None = 90
    px_per_mm: float = 8.0
    seed: int = 1

    def places(self) -> list[tuple[float, float]]:
        """Centres of the ring's places in mm, clockwise from the top left."""
        (columns, rows), (w, h), (ex, ey) = self.ring, self.size_mm, self.edge_mm
        xs, ys = np.linspace(ex, w - ex, columns), np.linspace(ey, h - ey, rows)
        return [(float(xs[c]), float(ys[r])) for c, r in ring_places(columns, rows)]


def draw_face(style: RoxStyle, card: Card, sprites: list[Layer], rng: np.random.Generator) -> NDArray[np.uint8]:
    """One element card as RGB."""
    canvas = Canvas(style.size_mm, style.px_per_mm)
    style.ground(canvas, style.elements[card.center], rng)
    style.middle(canvas, style.elements[card.center], rng)
    for (x, y), place, e in zip(style.places(), ring_places(*style.ring), card.ring, strict=True):
        turn = _outward(place, style.ring) if style.outward else 0.0
        dx, dy, da = rng.normal(0, 1, 3)
        mm, degrees = style.scatter
        canvas.stamp(sprites[e], x + dx * mm, y + dy * mm, style.symbol_mm, turn + np.radians(da * degrees))
    return canvas.finish()


def describe(style: RoxStyle, cards: list[Card]) -> dict[str, object]:
    """Content of the `deck.json` of these cards in this style."""
    end = "png" if style.quality is None else "jpg"
    names = [e.name for e in style.elements]
    faces = []
    for i, card in enumerate(cards, start=1):
        edge = {n: c for n, c in zip(names, card.counts(), strict=True) if c}
        faces.append({"id": f"R{i:02d}", "image": f"R{i:02d}.{end}", "center": names[card.center], "edge": edge})
    scoring = [{"id": f"P{i:02d}", "image": f"P{i:02d}.{end}", "value": v} for i, v in enumerate(VALUES, start=1)]
    return {
        "format": 1,
        "game": "rox",
        "name": style.name,
        "card_mm": list(style.size_mm),
        "corner_radius_mm": style.corner_mm,
        "elements": names,
        "faces": faces,
        "scoring_cards": {"card_mm": list(style.scoring_mm or style.size_mm), "faces": scoring},
        "back": f"back.{end}",
    }


def write_deck(style: RoxStyle, folder: Path, said: Callable[[int, int], None] | None = None) -> None:
    """Draw all cards of a deck and write the folder with its `deck.json`, which comes last.

    Parameters
    ----------
    said
        Called with the number of finished pictures and of all pictures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cards = deal(np.random.default_rng(style.seed))
    sprites = [sprite(e.symbol, e.colour, style.how) for e in style.elements]
    end = "png" if style.quality is None else "jpg"
    total = len(cards) + len(VALUES) + 1

    def keep(name: str, picture: NDArray[np.uint8], done: int) -> None:
        save_picture(folder / f"{name}.{end}", picture, style.px_per_mm, style.quality)
        if said:
            said(done, total)

    for i, card in enumerate(cards):
        face = draw_face(style, card, sprites, np.random.default_rng([style.seed, i]))
        keep(f"R{i + 1:02d}", face, i + 1)
    for i, value in enumerate(VALUES):
        canvas = Canvas(style.scoring_mm or style.size_mm, style.px_per_mm)
        style.scoring(canvas, value, np.random.default_rng([style.seed, 100 + i]))
        keep(f"P{i + 1:02d}", canvas.finish(), len(cards) + i + 1)
    canvas = Canvas(style.size_mm, style.px_per_mm)
    style.back(canvas, np.random.default_rng([style.seed, 200]))
    keep("back", canvas.finish(), total)
    (folder / "deck.json").write_text(lay_out_json(describe(style, cards)), encoding="utf-8")


def _outward(place: tuple[int, int], ring: tuple[int, int]) -> float:
    column, row = place
    if row == 0:
        return np.pi
    if row == ring[1] - 1:
        return 0.0
    return np.pi / 2 if column == 0 else -np.pi / 2
