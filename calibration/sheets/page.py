"""A page to print true to scale: paper, how cards lie on it, cut marks, the control ruler."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from reportlab.lib.units import mm
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from calibration.whole_file import write_whole
from scoring.errors import DeckError, RefereeError

Picture = Path | Image.Image
"""A picture's file, or the picture itself."""

PAPERS: dict[str, tuple[float, float]] = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
"""Width and height in mm, upright."""

MARGIN_MM = 6.0  # most home printers leave 3 to 5 mm blank
RULER_MM = 100.0
STRIP_MM = 15.0  # room for the ruler and the sentence
SENTENCES = (
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
    w, h = paper_size(paper)
    best: Layout | None = None
    for page in ((w, h), (h, w)):
        for below in (False, True):
            room_x = page[0] - 2 * MARGIN_MM - (0 if below else STRIP_MM)
            room_y = page[1] - 2 * MARGIN_MM - (STRIP_MM if below else 0)
            columns, rows = int(room_x // card_mm[0]), int(room_y // card_mm[1])
            left = MARGIN_MM + (0 if below else STRIP_MM) + (room_x - columns * card_mm[0]) / 2
            top = MARGIN_MM + (room_y - rows * card_mm[1]) / 2
            if columns * rows > (best.places if best else 0):
                best = Layout(page, card_mm, columns, rows, left, top, below)
    if best is None:
        raise RefereeError(
            f"a card of {card_mm[0]:g} × {card_mm[1]:g} mm does not fit on {paper} paper; take a larger one"
        )
    return best


def paper_size(name: str) -> tuple[float, float]:
    """Width and height of a paper in mm, upright; raises RefereeError for an unknown name."""
    for known, size in PAPERS.items():
        if known.lower() == name.lower():
            return size
    raise RefereeError(f"no paper named {name!r}; there are {' and '.join(PAPERS)}")


def open_canvas(out: Path, title: str) -> Canvas:
    """An empty PDF."""
    canvas = Canvas(str(out), pageCompression=1, invariant=1)
    canvas.setTitle(title)
    canvas.setCreator("table-referee")
    # asks the print dialogue not to scale; most viewers heed it
    canvas.setViewerPreference("PrintScaling", "None")
    return canvas


def save_canvas(canvas: Canvas, out: Path) -> None:
    """Write the PDF; raises RefereeError where that cannot be done."""
    write_whole(out, canvas.getpdfdata())


def draw_picture(canvas: Canvas, page_h: float, picture: Picture, box_mm: tuple[float, float, float, float]) -> None:
    """Lay a picture over a box (left, top, width, height in mm); one of another shape covers it and is cropped.

    Raises
    ------
    DeckError
        If the file is no picture.
    """
    x, y, w, h = box_mm
    try:
        reader = ImageReader(str(picture) if isinstance(picture, Path) else picture)
        pw, ph = reader.getSize()
    except OSError:
        raise DeckError(str(picture), "", "is no picture that can be opened; put it there or mend its name") from None
    canvas.saveState()
    clip = canvas.beginPath()
    clip.rect(x * mm, (page_h - y - h) * mm, w * mm, h * mm)
    canvas.clipPath(clip, stroke=0)
    scale = max(w / pw, h / ph) if abs(w / h - pw / ph) > 0.02 * w / h else 0.0
    dw, dh = (pw * scale, ph * scale) if scale else (w, h)
    left, foot = (x + (w - dw) / 2) * mm, (page_h - y - h / 2 - dh / 2) * mm
    canvas.drawImage(reader, left, foot, dw * mm, dh * mm, mask="auto", preserveAspectRatio=False)
    canvas.restoreState()


def draw_line(canvas: Canvas, page_h: float, x0: float, y0: float, x1: float, y1: float) -> None:
    """A line between two places in mm from the page's top-left corner; `page_h` is the page's height."""
    canvas.line(x0 * mm, (page_h - y0) * mm, x1 * mm, (page_h - y1) * mm)


def draw_notes(
    canvas: Canvas, page_mm: tuple[float, float], name: str, ruler_below: bool = True, mirrored: bool = False
) -> None:
    """The control ruler, how to print, and what this page is, in the strip beside or below the cards."""
    page_w, page_h = page_mm
    canvas.saveState()
    if not ruler_below:  # turn the page, so that the strip at its side becomes the one below
        if mirrored:
            canvas.translate(page_w * mm, 0)
            canvas.rotate(90)
        else:
            canvas.translate(0, page_h * mm)
            canvas.rotate(-90)
        page_h = page_w
    x, y = MARGIN_MM + 1.0, page_h - MARGIN_MM - 4.5
    draw_ruler(canvas, page_h, x, y)
    canvas.setFont("Helvetica", 5.5)
    for k, line in enumerate((*SENTENCES, name)):
        canvas.drawString((x + RULER_MM + 6.0) * mm, (page_h - y + 2.4 * (1 - k)) * mm, line)
    canvas.restoreState()


def draw_ruler(canvas: Canvas, page_h: float, x: float, y: float) -> None:
    """A line of 100 mm with a tick every 10 mm."""
    canvas.setLineWidth(0.15 * mm)
    draw_line(canvas, page_h, x, y, x + RULER_MM, y)
    for k in range(11):
        tick = 2.5 if k % 5 == 0 else 1.5
        draw_line(canvas, page_h, x + 10.0 * k, y - tick, x + 10.0 * k, y)
    canvas.setFont("Helvetica", 6)
    canvas.drawCentredString(x * mm, (page_h - y - 2.6) * mm, "0")
    canvas.drawCentredString((x + RULER_MM) * mm, (page_h - y - 2.6) * mm, "100 mm")
