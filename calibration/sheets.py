"""Printable sheets, true to scale: the cards of a deck with cut marks, and the calibration target."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from calibration.target import SIZE_MM, SQUARE_MM, black_rectangles
from scoring.deck import RoxDeck, parse_deck
from scoring.errors import DeckError, RefereeError

PAPERS: dict[str, tuple[float, float]] = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Width and height in mm, upright."""

MARGIN_MM = 6.0  # most home printers leave 3 to 5 mm blank
RULER_MM = 100.0
_STRIP_MM = 15.0  # room for the ruler and the sentence
_SENTENCES = (
    'Print at 100 % ("actual size", not "fit to page"). This line must measure 100 mm.',
    "Mit 100 % drucken („tatsächliche Größe“, nicht „an Seite anpassen“). Diese Linie muss 100 mm lang sein.",
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How cards of one size lie on a page, in mm from the page's top-left corner.

    Parameters
    ----------
    page_mm
        Width and height of the page as it is printed (landscape or upright).
    card_mm
        Width and height of a card.
    columns, rows
        Cards side by side and one below the other; they touch, so that one cut serves two cards.
    left, top
        Corner of the grid.
    ruler_below
        True where the ruler's strip lies below the cards, False where it lies on the left.
    """

    page_mm: tuple[float, float]
    card_mm: tuple[float, float]
    columns: int
    rows: int
    left: float
    top: float
    ruler_below: bool

    @property
    def places(self) -> int:
        """Cards on a page."""
        return self.columns * self.rows

    def corner(self, place: int, mirrored: bool = False) -> tuple[float, float]:
        """Top-left corner of a card; `mirrored` is the same place seen from the back of the sheet."""
        column, row = place % self.columns, place // self.columns
        x, y = self.left + column * self.card_mm[0], self.top + row * self.card_mm[1]
        return (self.page_mm[0] - x - self.card_mm[0], y) if mirrored else (x, y)


def lay_out(card_mm: tuple[float, float], paper: str) -> Layout:
    """The layout with most cards to a page.

    Raises
    ------
    RefereeError
        If the paper is unknown or not a single card fits.
    """
    w, h = _paper(paper)
    best: Layout | None = None
    for page in ((w, h), (h, w)):
        for below in (False, True):
            room_x = page[0] - 2 * MARGIN_MM - (0 if below else _STRIP_MM)
            room_y = page[1] - 2 * MARGIN_MM - (_STRIP_MM if below else 0)
            columns, rows = int(room_x // card_mm[0]), int(room_y // card_mm[1])
            left = MARGIN_MM + (0 if below else _STRIP_MM) + (room_x - columns * card_mm[0]) / 2
            top = MARGIN_MM + (room_y - rows * card_mm[1]) / 2
            if columns * rows > (best.places if best else 0):
                best = Layout(page, card_mm, columns, rows, left, top, below)
    if best is None:
        raise RefereeError(
            f"a card of {card_mm[0]:g} × {card_mm[1]:g} mm does not fit on {paper} paper; take a larger one"
        )
    return best


def write_sheet(
    game: str,
    deck_folder: Path,
    out: Path,
    paper: str = "A4",
    backs: bool = False,
    said: Callable[[int, int], None] | None = None,
) -> int:
    """Write all cards of a deck as a PDF to print, cut and play with.

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
        Follow each page by one with the backs, for printing on both sides.
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
    if backs and deck.back is None:
        raise RefereeError(f"{deck_folder / 'deck.json'}: back: the deck has no picture of a back; print without backs")
    groups: list[tuple[tuple[float, float], list[Path]]] = [
        (deck.card_mm, [deck_folder / f.image for f in deck.faces.values()])
    ]
    scoring = [deck_folder / c.image for c in deck.scoring_cards.values()]
    if scoring and deck.scoring_card_mm == deck.card_mm:
        groups[0][1].extend(scoring)
    elif scoring and deck.scoring_card_mm is not None:
        groups.append((deck.scoring_card_mm, scoring))
    sheets = [
        (layout, files[i : i + layout.places])
        for layout, files in ((lay_out(size, paper), files) for size, files in groups)
        for i in range(0, len(files), layout.places)
    ]
    total = len(sheets) * (2 if backs else 1)
    canvas = _canvas(out, f"Rox: {deck.name}" if game == "rox" else deck.name)
    done = 0
    for number, (layout, files) in enumerate(sheets, start=1):
        _cards(canvas, layout, files, mirrored=False)
        _notes(canvas, layout, f"{deck.name}, {number} / {len(sheets)}", mirrored=False)
        canvas.showPage()
        done += 1
        if backs and deck.back is not None:
            _cards(canvas, layout, [deck_folder / deck.back] * len(files), mirrored=True)
            edge = "long" if layout.page_mm[0] < layout.page_mm[1] else "short"
            name = f"{deck.name}, backs of {number}: print on both sides, flip on the {edge} edge"
            _notes(canvas, layout, name, mirrored=True)
            canvas.showPage()
            done += 1
        if said:
            said(done, total)
    _save(canvas, out)
    return total


def write_target(out: Path, paper: str = "A4") -> int:
    """Write the calibration target as a PDF of one page; returns the number of pages.

    Raises
    ------
    RefereeError
        If the paper is unknown or the file cannot be written.
    """
    page = _paper(paper)
    canvas = _canvas(out, "Calibration target")
    canvas.setPageSize((page[0] * mm, page[1] * mm))
    left = (page[0] - SIZE_MM[0]) / 2
    top = 8.0
    shape = canvas.beginPath()
    for r in black_rectangles():  # one path, so that no viewer shows seams between neighbours
        shape.rect((left + r.x) * mm, (page[1] - top - r.y - r.height) * mm, r.width * mm, r.height * mm)
    canvas.drawPath(shape, stroke=0, fill=1)
    y = top + SIZE_MM[1] + 9.0
    _ruler(canvas, page[1], left + 31.0, y)
    canvas.setFont("Helvetica", 7)
    for k, sentence in enumerate(_SENTENCES):
        canvas.drawCentredString(page[0] / 2 * mm, (page[1] - y - 6.5 - 3 * k) * mm, sentence)
    note = (
        f"Squares of {SQUARE_MM:g} mm. Lay it flat or glue it to a board; "
        "show it to the camera from ten sides, tilted, up to the picture's corners."
    )
    canvas.drawCentredString(page[0] / 2 * mm, (page[1] - y - 12.5) * mm, note)
    canvas.showPage()
    _save(canvas, out)
    return 1


def _paper(name: str) -> tuple[float, float]:
    for known, size in PAPERS.items():
        if known.lower() == name.lower():
            return size
    raise RefereeError(f"no paper named {name!r}; there are {' and '.join(PAPERS)}")


def _load(folder: Path) -> RoxDeck:
    file = folder / "deck.json"
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise DeckError(str(file), "", "no such deck; name a folder that holds a deck.json") from None
    except ValueError as e:
        raise DeckError(str(file), "", f"is not JSON ({e}); mend or restore it") from None
    return parse_deck(data, str(file))


def _canvas(out: Path, title: str) -> Canvas:
    canvas = Canvas(str(out), pageCompression=1, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("table-referee")
    # asks the print dialogue not to scale; most viewers heed it
    canvas.setViewerPreference("PrintScaling", "None")
    return canvas


def _save(canvas: Canvas, out: Path) -> None:
    try:
        canvas.save()
    except OSError as e:
        raise RefereeError(f"{out}: cannot be written ({e.strerror or e}); name another place") from None


def _cards(canvas: Canvas, layout: Layout, files: Sequence[Path], mirrored: bool) -> None:
    page_h = layout.page_mm[1]
    canvas.setPageSize((layout.page_mm[0] * mm, page_h * mm))
    w, h = layout.card_mm
    for place, file in enumerate(files):
        x, y = layout.corner(place, mirrored)
        try:
            picture = ImageReader(str(file))
            pw, ph = picture.getSize()
        except OSError:
            raise DeckError(str(file), "", "is no picture that can be opened; put it there or mend its name") from None
        canvas.saveState()
        clip = canvas.beginPath()
        clip.rect(x * mm, (page_h - y - h) * mm, w * mm, h * mm)
        canvas.clipPath(clip, stroke=0)
        # a picture of another shape (the back of cards of another size) covers the card and is cropped
        scale = max(w / pw, h / ph) if abs(w / h - pw / ph) > 0.02 * w / h else 0.0
        dw, dh = (pw * scale, ph * scale) if scale else (w, h)
        canvas.drawImage(
            picture,
            (x + (w - dw) / 2) * mm,
            (page_h - y - h / 2 - dh / 2) * mm,
            dw * mm,
            dh * mm,
            preserveAspectRatio=False,
        )
        canvas.restoreState()
    used_rows = -(-len(files) // layout.columns)
    used_columns = min(layout.columns, len(files))
    left = layout.corner(0)[0] if not mirrored else layout.corner(used_columns - 1, True)[0]
    right, top, bottom = left + used_columns * w, layout.top, layout.top + used_rows * h
    canvas.setLineWidth(0.1 * mm)
    for k in range(used_columns + 1):
        x = left + k * w
        _line(canvas, page_h, x, top - 1.0, x, top - 5.0)
        _line(canvas, page_h, x, bottom + 1.0, x, bottom + 5.0)
    for k in range(used_rows + 1):
        y = top + k * h
        _line(canvas, page_h, left - 1.0, y, left - 5.0, y)
        _line(canvas, page_h, right + 1.0, y, right + 5.0, y)


def _line(canvas: Canvas, page_h: float, x0: float, y0: float, x1: float, y1: float) -> None:
    canvas.line(x0 * mm, (page_h - y0) * mm, x1 * mm, (page_h - y1) * mm)


def _notes(canvas: Canvas, layout: Layout, name: str, mirrored: bool) -> None:
    """The control ruler, how to print, and what this page is, in the strip beside or below the cards."""
    page_w, page_h = layout.page_mm
    canvas.saveState()
    if not layout.ruler_below:  # turn the page, so that the strip at its side becomes the one below
        if mirrored:
            canvas.translate(page_w * mm, 0)
            canvas.rotate(90)
        else:
            canvas.translate(0, page_h * mm)
            canvas.rotate(-90)
        page_h = page_w
    x, y = MARGIN_MM + 1.0, page_h - MARGIN_MM - 4.5
    _ruler(canvas, page_h, x, y)
    canvas.setFont("Helvetica", 5.5)
    for k, line in enumerate((*_SENTENCES, name)):
        canvas.drawString((x + RULER_MM + 6.0) * mm, (page_h - y + 2.4 * (1 - k)) * mm, line)
    canvas.restoreState()


def _ruler(canvas: Canvas, page_h: float, x: float, y: float) -> None:
    """A line of 100 mm with a tick every 10 mm."""
    canvas.setLineWidth(0.15 * mm)
    _line(canvas, page_h, x, y, x + RULER_MM, y)
    for k in range(11):
        tick = 2.5 if k % 5 == 0 else 1.5
        _line(canvas, page_h, x + 10.0 * k, y - tick, x + 10.0 * k, y)
    canvas.setFont("Helvetica", 6)
    canvas.drawCentredString(x * mm, (page_h - y - 2.6) * mm, "0")
    canvas.drawCentredString((x + RULER_MM) * mm, (page_h - y - 2.6) * mm, "100 mm")
