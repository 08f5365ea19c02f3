"""Printable sheets, true to scale: a deck with cut marks and all that belongs to it, and the calibration target."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.sheets.cactus import write_cactus
from calibration.sheets.laser import write_laser
from calibration.sheets.page import (
    SENTENCES,
    Layout,
    Picture,
    draw_line,
    draw_notes,
    draw_picture,
    draw_ruler,
    lay_out,
    open_canvas,
    paper_size,
    save_canvas,
)
from calibration.sheets.pieces import arrange, conex_pieces, draw_place, draw_rounding, start_card
from calibration.sheets.target import SIZE_MM, SQUARE_MM, black_rectangles
from scoring.deck import CactusDeck, ConexDeck, Deck, RoxDeck, parse_deck
from scoring.errors import DeckError, RefereeError

TITLES = {"rox": "Rox", "conex": "CONEX"}


def write_sheet(
    game: str,
    deck_folder: Path,
    out: Path,
    paper: str = "A4",
    backs: bool = False,
    said: Callable[[int, int], None] | None = None,
) -> int:
    """Write a deck as a PDF to print, cut and play with: all its cards or pieces, and what else the game needs.

    Parameters
    ----------
    game
        Game that the deck must belong to.
    deck_folder
        Folder with `deck.json` and the pictures.
    out
        The PDF.
    paper
        A key of `PAPERS`.
    backs
        Follow each page of cards by one with the backs, for printing on both sides; Cactus always has them.
    said
        Called with the number of pages done and of all pages.

    Returns
    -------
    Number of pages.

    Raises
    ------
    DeckError
        If the deck cannot be read.
    RefereeError
        If the deck is of another game, the paper is unknown or the file cannot be written.
    """
    deck = _load(deck_folder)
    if deck.game != game:
        raise RefereeError(
            f"{deck_folder / 'deck.json'}: game: this is a deck of {deck.game}, not of {game}; name another"
        )
    if isinstance(deck, CactusDeck):
        return write_cactus(deck, deck_folder, out, paper, said)
    if backs and deck.back is None:
        raise RefereeError(f"{deck_folder / 'deck.json'}: back: the deck has no picture of a back; print without backs")
    sheets = [
        (layout, files[i : i + layout.places])
        for layout, files in ((lay_out(size, paper), files) for size, files in _groups(deck, deck_folder))
        for i in range(0, len(files), layout.places)
    ]
    places = arrange(conex_pieces(deck, deck_folder), paper) if isinstance(deck, ConexDeck) else []
    fronts = len(sheets) + (places[-1].page + 1 if places else 0)
    total = fronts + (len(sheets) if backs else 0)
    # Rox is printed without arcs: its cards only lie side by side, so their corners matter to nobody
    radius = deck.corner_radius_mm if isinstance(deck, ConexDeck) else 0.0
    canvas = open_canvas(out, f"{TITLES.get(game, game)}: {deck.name}")
    done = 0

    def finish(layout_mm: tuple[float, float], name: str, below: bool = True, mirrored: bool = False) -> None:
        nonlocal done
        draw_notes(canvas, layout_mm, name, below, mirrored)
        canvas.showPage()
        done += 1

    for number, (layout, files) in enumerate(sheets, start=1):
        _cards(canvas, layout, files, radius, mirrored=False)
        finish(layout.page_mm, f"{deck.name}, {number} / {fronts}", layout.ruler_below)
        if backs and deck.back is not None:
            _cards(canvas, layout, [deck_folder / deck.back] * len(files), 0.0, mirrored=True)
            edge = "long" if layout.page_mm[0] < layout.page_mm[1] else "short"
            name = f"{deck.name}, backs of {number}: print on both sides, flip on the {edge} edge"
            finish(layout.page_mm, name, layout.ruler_below, mirrored=True)
        if said:
            said(done, total)
    page = paper_size(paper)
    for number in range(len(sheets), fronts):
        canvas.setPageSize((page[0] * mm, page[1] * mm))
        for place in places:
            if place.page == number - len(sheets):
                draw_place(canvas, place, page[1])
        finish(page, f"{deck.name}, {number + 1} / {fronts}")
        if said:
            said(done, total)
    save_canvas(canvas, out)
    return total


def write_svg(game: str, deck_folder: Path, out: Path) -> tuple[float, float]:
    """Write a set for a laser cutter; returns width and height of the sheet in mm.

    Raises
    ------
    DeckError
        If the deck cannot be read.
    RefereeError
        If there is nothing to cut in that game, or the file cannot be written.
    """
    deck = _load(deck_folder)
    if game != "cactus" or not isinstance(deck, CactusDeck):
        raise RefereeError(
            f"{deck_folder / 'deck.json'}: only a set of Cactus is cut by laser; leave out --svg to print"
        )
    return write_laser(deck, deck_folder, out)


def write_target(out: Path, paper: str = "A4") -> int:
    """Write the calibration target as a PDF of one page; returns the number of pages.

    Raises
    ------
    RefereeError
        If the paper is unknown or the file cannot be written.
    """
    page = paper_size(paper)
    canvas = open_canvas(out, "Calibration target")
    canvas.setPageSize((page[0] * mm, page[1] * mm))
    left = (page[0] - SIZE_MM[0]) / 2
    top = 8.0
    shape = canvas.beginPath()
    for r in black_rectangles():  # one path, so that no viewer shows seams between neighbours
        shape.rect((left + r.x) * mm, (page[1] - top - r.y - r.height) * mm, r.width * mm, r.height * mm)
    canvas.drawPath(shape, stroke=0, fill=1)
    y = top + SIZE_MM[1] + 9.0
    draw_ruler(canvas, page[1], left + 31.0, y)
    canvas.setFont("Helvetica", 7)
    for k, sentence in enumerate(SENTENCES):
        canvas.drawCentredString(page[0] / 2 * mm, (page[1] - y - 6.5 - 3 * k) * mm, sentence)
    note = (
        f"Squares of {SQUARE_MM:g} mm. Lay it flat or glue it to a board; "
        "show it to the camera from ten sides, tilted, up to the picture's corners."
    )
    canvas.drawCentredString(page[0] / 2 * mm, (page[1] - y - 12.5) * mm, note)
    canvas.showPage()
    save_canvas(canvas, out)
    return 1


def _groups(deck: RoxDeck | ConexDeck, folder: Path) -> list[tuple[tuple[float, float], list[Picture]]]:
    """The pictures of the cards by size."""
    cards: list[Picture] = [folder / f.image for f in deck.faces.values()]
    groups = [(deck.card_mm, cards)]
    if isinstance(deck, ConexDeck):
        cards.append(start_card(deck))
        return groups
    scoring: list[Picture] = [folder / c.image for c in deck.scoring_cards.values()]
    if scoring and deck.scoring_card_mm == deck.card_mm:
        cards.extend(scoring)
    elif scoring and deck.scoring_card_mm is not None:
        groups.append((deck.scoring_card_mm, scoring))
    return groups


def _load(folder: Path) -> Deck:
    file = folder / "deck.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise DeckError(str(file), "", "no such deck; name a folder that holds a deck.json") from None
    except ValueError as e:
        raise DeckError(str(file), "", f"is not JSON ({e}); mend or restore it") from None
    return parse_deck(data, str(file))


def _cards(canvas: Canvas, layout: Layout, files: Sequence[Picture], radius: float, mirrored: bool) -> None:
    page_h = layout.page_mm[1]
    canvas.setPageSize((layout.page_mm[0] * mm, page_h * mm))
    w, h = layout.card_mm
    for place, file in enumerate(files):
        x, y = layout.corner(place, mirrored)
        draw_picture(canvas, page_h, file, (x, y, w, h))
        draw_rounding(canvas, page_h, (x, y, w, h), radius)
    used_rows = -(-len(files) // layout.columns)
    used_columns = min(layout.columns, len(files))
    left = layout.corner(0)[0] if not mirrored else layout.corner(used_columns - 1, True)[0]
    right, top, bottom = left + used_columns * w, layout.top, layout.top + used_rows * h
    canvas.setLineWidth(0.1 * mm)
    for k in range(used_columns + 1):
        x = left + k * w
        draw_line(canvas, page_h, x, top - 1.0, x, top - 5.0)
        draw_line(canvas, page_h, x, bottom + 1.0, x, bottom + 5.0)
    for k in range(used_rows + 1):
        y = top + k * h
        draw_line(canvas, page_h, left - 1.0, y, left - 5.0, y)
        draw_line(canvas, page_h, right + 1.0, y, right + 5.0, y)
