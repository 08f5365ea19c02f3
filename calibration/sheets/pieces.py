"""What CONEX needs besides its cards, to print and cut out: board, stars, pawns, a die to fold, a start player card."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.art import canvas as art
from calibration.art.conex_tokens import DIE_FACES, PAWN_MM, die_face, draw_start_card, pawn
from calibration.sheets.page import MARGIN_MM, STRIP_MM, draw_line, draw_picture, paper_size
from scoring.deck import ConexDeck
from scoring.errors import RefereeError

DIE_MM = 18.0
PAWN_SETS = 2
TAB_MM = 5.0
_GAP_MM = 7.0
_WORDS_MM = 7.0
_PAWN_STEP_MM = PAWN_MM + 4.0
_START_PX_PER_MM = 8.0
_STARS = {"2x": ("2x star", "2x-Stern"), "lightning": ("Lightning star", "Blitz-Stern")}

Draw = Callable[[Canvas, float, float, float], None]
"""Draws a piece on a page of a height in mm, with its top-left corner at x and y in mm."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to cut out: its size in mm, what draws it, and the words below it, a line a language."""

    size_mm: tuple[float, float]
    draw: Draw
    words: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece lies: page (from 0), and its top-left corner in mm."""

    piece: Piece
    page: int
    x: float
    y: float


def conex_pieces(deck: ConexDeck, folder: Path) -> list[Piece]:
    """Board, stars, die and pawns of a deck, in this order.

    Parameters
    ----------
    folder
        Where the deck's pictures are.
    """
    side, radius = deck.board.size_mm, deck.corner_radius_mm
    pieces = [Piece((side, side), _cut_square(folder / deck.board.image, side, radius), ("Board", "Spielplan"))]
    for kind, star in deck.stars.items():
        words = _STARS.get(kind, (kind, kind))
        size = (star.size_mm, star.size_mm)
        pieces.append(Piece(size, _plain(folder / star.image, size), words))
    net = (4 * DIE_MM + TAB_MM, 3 * DIE_MM + 2 * TAB_MM)
    pieces.append(Piece(net, _die, ("Die: cut out, fold, glue", "Würfel: ausschneiden, falten, kleben")))
    if deck.pawns:
        rows = (len(deck.pawns) * _PAWN_STEP_MM, PAWN_SETS * _PAWN_STEP_MM)
        words = (
            "Pawns: each twice, for both sides of a piece of cardboard",
            "Spielfiguren: je zweimal, für beide Seiten einer Pappscheibe",
        )
        pieces.append(Piece(rows, _pawns(tuple(deck.pawns.values())), words))
    return pieces


def start_card(deck: ConexDeck) -> Image.Image:
    """The start player card in the colours of a deck."""
    canvas = art.Canvas(deck.card_mm, _START_PX_PER_MM)
    draw_start_card(canvas, tuple(art.rgb(c) for c in deck.colors.values()))
    return Image.fromarray(canvas.finish())


def arrange(pieces: list[Piece], paper: str) -> list[Place]:
    """Lay pieces in rows on upright pages, in their order; the ruler's strip is below.

    Raises
    ------
    RefereeError
        If the paper is unknown or a piece is larger than it.
    """
    width, height = paper_size(paper)
    right, bottom = width - MARGIN_MM - 1.0, height - MARGIN_MM - STRIP_MM
    places: list[Place] = []
    page, x, y, row = 0, MARGIN_MM + 1.0, MARGIN_MM + 5.0, 0.0
    for piece in pieces:
        w, h = piece.size_mm[0], piece.size_mm[1] + _WORDS_MM
        if x + w > right:
            x, y, row = MARGIN_MM + 1.0, y + row + _GAP_MM, 0.0
        if y + h > bottom and places:
            page, x, y, row = page + 1, MARGIN_MM + 1.0, MARGIN_MM + 5.0, 0.0
        if x + w > right or y + h > bottom:
            raise RefereeError(f"a piece of {w:g} × {piece.size_mm[1]:g} mm does not fit on {paper} paper")
        places.append(Place(piece, page, x, y))
        x, row = x + w + _GAP_MM, max(row, h)
    return places


def draw_place(canvas: Canvas, place: Place, page_h: float) -> None:
    """Draw a piece where it lies, with its words."""
    place.piece.draw(canvas, page_h, place.x, place.y)
    canvas.setFillGray(0.25)
    canvas.setFont("Helvetica", 6)
    for k, line in enumerate(place.piece.words):
        foot = place.y + place.piece.size_mm[1] + 3.4 + 2.5 * k
        canvas.drawString((place.x + 1.2) * mm, (page_h - foot) * mm, line)  # clear of the cut marks
    canvas.setFillGray(0)


def draw_rounding(canvas: Canvas, page_h: float, box_mm: tuple[float, float, float, float], radius: float) -> None:
    """A faint arc in each corner of a box (left, top, width, height in mm), for those who round what they cut."""
    if radius <= 0:
        return
    x, y, w, h = box_mm
    canvas.saveState()
    canvas.setLineWidth(0.1 * mm)
    canvas.setStrokeGray(0.6)
    left, low, right, high = x * mm, (page_h - y - h) * mm, (x + w) * mm, (page_h - y) * mm
    d = 2 * radius * mm
    canvas.arc(left, low, left + d, low + d, 180, 90)
    canvas.arc(right - d, low, right, low + d, 270, 90)
    canvas.arc(right - d, high - d, right, high, 0, 90)
    canvas.arc(left, high - d, left + d, high, 90, 90)
    canvas.restoreState()


def _plain(picture: Path, size_mm: tuple[float, float]) -> Draw:
    def draw(canvas: Canvas, page_h: float, x: float, y: float) -> None:
        draw_picture(canvas, page_h, picture, (x, y, *size_mm))

    return draw


def _cut_square(picture: Path, side: float, radius: float) -> Draw:
    def draw(canvas: Canvas, page_h: float, x: float, y: float) -> None:
        draw_picture(canvas, page_h, picture, (x, y, side, side))
        draw_rounding(canvas, page_h, (x, y, side, side), radius)
        canvas.setLineWidth(0.1 * mm)
        for px in (x, x + side):
            draw_line(canvas, page_h, px, y - 1.0, px, y - 4.0)
            draw_line(canvas, page_h, px, y + side + 1.0, px, y + side + 4.0)
        for py in (y, y + side):
            draw_line(canvas, page_h, x - 1.0, py, x - 4.0, py)
            draw_line(canvas, page_h, x + side + 1.0, py, x + side + 4.0, py)

    return draw


def _pawns(colours: tuple[str, ...]) -> Draw:
    def draw(canvas: Canvas, page_h: float, x: float, y: float) -> None:
        for row in range(PAWN_SETS):
            for k, colour in enumerate(colours):
                disc = Image.fromarray(pawn(art.rgb(colour), k))
                draw_picture(canvas, page_h, disc, (x + k * _PAWN_STEP_MM, y + row * _PAWN_STEP_MM, PAWN_MM, PAWN_MM))

    return draw


def _die(canvas: Canvas, page_h: float, x: float, y: float) -> None:
    """The net of the die with the six faces of CONEX."""
    for what, (cx, cy) in zip(DIE_FACES, net_cells(x, y), strict=True):
        draw_picture(canvas, page_h, Image.fromarray(die_face(what, DIE_MM)), (cx, cy, DIE_MM, DIE_MM))
    draw_net(canvas, page_h, x, y)


def net_cells(x: float, y: float) -> list[tuple[float, float]]:
    """Top-left corners of the six faces of a die whose net lies at x, y: four in a row, one above and one below."""
    s, y0 = DIE_MM, y + DIE_MM + TAB_MM
    return [(x, y0), (x + s, y0), (x + 2 * s, y0), (x + 3 * s, y0), (x + s, y0 - s), (x + s, y0 + s)]


def draw_net(canvas: Canvas, page_h: float, x: float, y: float) -> None:
    """Where to cut and fold a die: four sides in a row, the two others above and below the second, seven tabs."""
    s, t = DIE_MM, TAB_MM
    y0 = y + s + t
    cells = net_cells(x, y)
    top, low = cells[4], cells[5]
    folds = [((x + k * s, y0), (x + k * s, y0 + s)) for k in (1, 2, 3)]
    folds += [((x + s, y0), (x + 2 * s, y0)), ((x + s, y0 + s), (x + 2 * s, y0 + s))]
    tabs = [
        ((x + 4 * s, y0), (x + 4 * s, y0 + s)),
        *(((c[0], c[1] + s), c) for c in (top, low)),
        *(((c[0] + s, c[1]), (c[0] + s, c[1] + s)) for c in (top, low)),
        (top, (top[0] + s, top[1])),
        ((low[0] + s, low[1] + s), (low[0], low[1] + s)),
    ]
    cuts = [
        ((x, y0), (x, y0 + s)),
        *(((x + a * s, yy), (x + b * s, yy)) for yy in (y0, y0 + s) for a, b in ((0, 1), (2, 4))),
    ]
    canvas.setLineWidth(0.15 * mm)
    for (ax, ay), (bx, by) in cuts:
        draw_line(canvas, page_h, ax, ay, bx, by)
    for a, b in tabs:
        ends = np.array([a, b])
        along = (ends[1] - ends[0]) / s
        out = np.array([along[1], -along[0]]) * t  # to the left of the way, which has the die on its right
        corners = [ends[0], ends[0] + out + along * t, ends[1] + out - along * t, ends[1]]
        for p, q in itertools.pairwise(corners):
            draw_line(canvas, page_h, float(p[0]), float(p[1]), float(q[0]), float(q[1]))
    canvas.setDash(1.2 * mm, 0.8 * mm)
    for (ax, ay), (bx, by) in (*folds, *tabs):
        draw_line(canvas, page_h, ax, ay, bx, by)
    canvas.setDash()
