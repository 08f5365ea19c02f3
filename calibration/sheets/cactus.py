"""A set of Cactus to print true to scale, glue on 3 mm card or plywood and cut out; flowers, die and bases too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.art.paths import box, circle
from calibration.sheets.cactus_parts import Part, Placed, foot, mirrored, pack, parts_of
from calibration.sheets.cactus_words import DRAWN_MM, WORDS_MM, draw_how_to, draw_shape
from calibration.sheets.page import MARGIN_MM, STRIP_MM, draw_line, draw_notes, open_canvas, paper_size, save_canvas
from calibration.sheets.pieces import DIE_MM, TAB_MM, draw_net, net_cells
from scoring.deck import Cactus, CactusDeck
from scoring.errors import RefereeError

FLOWERS = 25
FLOWER_MM = 16.0
BLEED_MM = 0.8
"""The backs are printed so much larger, so that no white shows where front and back do not quite meet."""
_GAP_MM = 4.0
_WOOD = "#d9bd93"
_PINK, _PALE, _HEART = "#e2638f", "#f6cfdb", "#f3c23c"


def write_cactus(
    deck: CactusDeck, folder: Path, out: Path, paper: str, said: Callable[[int, int], None] | None = None
) -> int:
    """Write a set as a PDF: fronts, each page followed by its backs, and the bases with the die.

    Returns
    -------
    Number of pages.

    Raises
    ------
    RefereeError
        If the paper is unknown, a part is larger than it, or the file cannot be written.
    """
    width, height = paper_size(paper)
    room = (width - 2 * MARGIN_MM, height - 2 * MARGIN_MM - STRIP_MM)
    cacti, pieces = parts_of(deck, folder)
    try:
        sheets = _pages(pack([*cacti, *_flowers()], *room, 2.5, [len(cacti)]), room[0])
        firsts = [i for i, p in enumerate(pieces) if i and _row(deck, p) != _row(deck, pieces[i - 1])]
        sheets += _pages(pack(pieces, *room, _GAP_MM, firsts), room[0])
        bases = _pages(pack(_last(deck), *room, _GAP_MM), room[0])
    except ValueError as e:
        raise RefereeError(f"{e}: does not fit on {paper} paper; take a larger one or cut it by hand") from None
    total = 2 * len(sheets) + len(bases)
    canvas = open_canvas(out, f"Cactus: {deck.name}")
    done = 0

    def finish(name: str, back: bool = False) -> None:
        nonlocal done
        draw_notes(canvas, (width, height), f"{deck.name}, {name}", mirrored=back)
        canvas.showPage()
        done += 1
        if said:
            said(done, total)

    for number, places in enumerate(sheets, start=1):
        for back in (False, True):
            canvas.setPageSize((width * mm, height * mm))
            for p in places:
                x = width - MARGIN_MM - p.x - p.part.size_mm[0] if back else MARGIN_MM + p.x
                _draw(canvas, height, mirrored(p.part) if back else p.part, x, MARGIN_MM + p.y, deck, back)
            words = f"backs of {number}: flip on the long edge" if back else f"fronts {number} / {len(sheets)}"
            finish(words, back)
    for places in bases:
        canvas.setPageSize((width * mm, height * mm))
        for p in places:
            _last_part(canvas, height, p, MARGIN_MM + p.x, MARGIN_MM + p.y, deck)
        finish("bases and die")
    save_canvas(canvas, out)
    return total


def _row(deck: CactusDeck, part: Part) -> str:
    piece = deck.pieces[part.name]
    return piece.shape or ""


def _pages(places: list[Placed], room: float) -> list[list[Placed]]:
    """Places by page, each row spread over the width."""
    pages: list[list[Placed]] = [[] for _ in range(places[-1].page + 1)]
    rows: dict[tuple[int, int], list[Placed]] = {}
    k = 0
    for i, p in enumerate(places):
        k += bool(i and p.x <= places[i - 1].x)
        rows.setdefault((p.page, k), []).append(p)
    for (page, _), row in rows.items():
        spare = room - row[-1].x - row[-1].part.size_mm[0]
        step = min(spare / max(1, len(row) - 1), 6.0) if len(row) > 1 else 0.0
        left = (spare - step * (len(row) - 1)) / 2
        pages[page] += [Placed(p.part, page, p.x + left + step * i, p.y) for i, p in enumerate(row)]
    return pages


# ---- drawing -------------------------------------------------------------------------------------------------------


def _dark(tone: str, share: float) -> HexColor:
    rgb = [int(int(tone[i : i + 2], 16) * (1 - share)) for i in (1, 3, 5)]
    return HexColor("#" + "".join(f"{v:02x}" for v in rgb))


def _draw(canvas: Canvas, page_h: float, part: Part, x: float, y: float, deck: CactusDeck, back: bool) -> None:
    if part.name.startswith("flower"):
        _flower(canvas, page_h, x + FLOWER_MM / 2, y + FLOWER_MM / 2, three=not back)
        return
    tone = part.color or _WOOD
    canvas.saveState()
    canvas.setLineJoin(1)
    canvas.setLineCap(1)
    canvas.setFillColor(HexColor(tone))
    if back:
        canvas.setStrokeColor(HexColor(tone))
        canvas.setLineWidth(2 * BLEED_MM * mm)
        draw_shape(canvas, page_h, part.outline, x, y, 1, 1)
    canvas.setStrokeColor(_dark(tone, 0.45))
    canvas.setLineWidth(0.12 * mm)
    draw_shape(canvas, page_h, part.outline, x, y, 1, 1)
    if part.name in deck.cacti:
        if not back:
            _name_foot(canvas, page_h, part, x, y, deck)
        ground = y + part.size_mm[1] - deck.base.height_mm
        canvas.setDash(1.0 * mm, 0.8 * mm)
        draw_line(canvas, page_h, x + float(_foot_span(part)[0]), ground, x + float(_foot_span(part)[1]), ground)
        canvas.setDash()
        canvas.setLineWidth(0.6 * mm)
        for mark in part.marks:
            small = float(np.hypot(*np.ptp(mark, axis=0))) < 1.7 and len(mark) == 2
            canvas.setStrokeColor(_dark(tone, 0.3) if small else HexColor("#26222a"))
            draw_shape(canvas, page_h, mark, x, y, 1, 0, closed=False)
    canvas.restoreState()


def _name_foot(canvas: Canvas, page_h: float, part: Part, x: float, y: float, deck: CactusDeck) -> None:
    """The name of a cactus on its foot, which its base hides."""
    left, right = _foot_span(part)
    canvas.setFillColor(HexColor("#ffffff"))
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawCentredString(
        (x + (left + right) / 2) * mm, (page_h - y - part.size_mm[1] + deck.base.height_mm / 2) * mm - 3.2, part.name
    )
    canvas.setFillColor(HexColor(part.color or _WOOD))


def _foot_span(part: Part) -> tuple[float, float]:
    low = part.outline[part.outline[:, 1] > part.size_mm[1] - 0.01]
    return float(low[:, 0].min()), float(low[:, 0].max())


def _flowers() -> list[Part]:
    return [Part(f"flower-{i + 1}", circle(FLOWER_MM / 2, FLOWER_MM / 2, FLOWER_MM / 2), _PALE) for i in range(FLOWERS)]


def _flower(canvas: Canvas, page_h: float, x: float, y: float, three: bool) -> None:
    """A flower token: on its front a pink dot and three for its worth, on its back one."""
    canvas.saveState()
    r = FLOWER_MM / 2
    canvas.setStrokeGray(0.55)
    canvas.setLineWidth(0.12 * mm)
    canvas.setFillColor(HexColor("#fffaf0"))
    canvas.circle(x * mm, (page_h - y) * mm, r * mm, stroke=1, fill=1)
    for k in range(6):
        a = np.pi / 3 * k + np.pi / 6
        canvas.setFillColor(HexColor(_PALE if three else "#f8e6b4"))
        canvas.setStrokeColor(HexColor(_PINK if three else "#d9a93a"))
        canvas.circle((x + 0.5 * r * np.cos(a)) * mm, (page_h - y + 0.5 * r * np.sin(a)) * mm, 0.3 * r * mm, 1, 1)
    canvas.setFillColor(HexColor(_PINK if three else _HEART))
    canvas.circle(x * mm, (page_h - y) * mm, 0.36 * r * mm, stroke=0, fill=1)
    canvas.setFillColor(HexColor("#ffffff" if three else "#5a4310"))
    canvas.setFont("Helvetica-Bold", 9)
    canvas.drawCentredString(x * mm, (page_h - y) * mm - 3.2, "3" if three else "1")
    canvas.restoreState()


# ---- bases, die, words ---------------------------------------------------------------------------------------------

_BASE_TAB_MM = 6.0


def _net_size(deck: CactusDeck) -> tuple[float, float]:
    w, h, d = deck.base.width_mm, deck.base.height_mm, deck.base.depth_mm
    return w + 2 * h, 2 * h + 2 * d + _BASE_TAB_MM


def _last(deck: CactusDeck) -> list[Part]:
    nets = [Part(c.id, box(0, 0, *_net_size(deck)), None) for c in deck.cacti.values()]
    die = Part("die", box(0, 0, 4 * DIE_MM + TAB_MM, 3 * DIE_MM + 2 * TAB_MM), None)
    return [*nets, die, Part("words", box(0, 0, WORDS_MM + DRAWN_MM, 44.0), None)]


def _last_part(canvas: Canvas, page_h: float, place: Placed, x: float, y: float, deck: CactusDeck) -> None:
    if place.part.name == "die":
        _die(canvas, page_h, x, y, deck)
    elif place.part.name == "words":
        draw_how_to(canvas, page_h, x, y, deck)
    else:
        _base_net(canvas, page_h, x, y, deck, deck.cacti[place.part.name])


def _base_net(canvas: Canvas, page_h: float, x: float, y: float, deck: CactusDeck, cactus: Cactus) -> None:
    """A box to fold: from above back, top with the slot, front, floor and a tab; sides left and right of the top."""
    w, h, d = deck.base.width_mm, deck.base.height_mm, deck.base.depth_mm
    t = 0.8 * h
    left, right = x + h, x + h + w
    y1, y2, y3, y4 = y + h, y + h + d, y + 2 * h + d, y + 2 * h + 2 * d
    cut = [
        (left, y), (right, y), (right, y1), (right + h, y1), (right + h, y2), (right, y2), (right, y3), (right, y4),
        (right - 2, y4 + _BASE_TAB_MM), (left + 2, y4 + _BASE_TAB_MM), (left, y4), (left, y3), (left, y2),
        (left - h, y2), (left - h, y1), (left, y1),
    ]  # fmt: skip
    canvas.saveState()
    canvas.setFillColor(HexColor(_WOOD))
    canvas.setStrokeGray(0.25)
    canvas.setLineWidth(0.15 * mm)
    draw_shape(canvas, page_h, np.array(cut), 0, 0, 1, 1)
    canvas.setFillColor(HexColor("#e6d2b2"))
    draw_shape(
        canvas,
        page_h,
        np.array([(left, y4), (right, y4), (right - 2, y4 + _BASE_TAB_MM), (left + 2, y4 + _BASE_TAB_MM)]),
        0,
        0,
        1,
        1,
    )
    canvas.setStrokeColor(HexColor("#c39b66"))
    for k, at in enumerate((0.22, 0.45, 0.71)):  # a little grain
        for top, bottom in ((y, y1), (y1, y2), (y2, y3)):
            yy = top + (bottom - top) * at
            draw_line(canvas, page_h, left + 3 + 4 * k, yy, right - 9 + 3 * k, yy)
    for cx in (left, right):  # tabs at the ends of the front, glued behind the sides
        out = -1 if cx == left else 1
        for top, bottom in ((y, y1), (y2, y3)):
            tab = [(cx, top), (cx + out * t, top + 1.2), (cx + out * t, bottom - 1.2), (cx, bottom)]
            canvas.setFillColor(HexColor("#e6d2b2"))
            canvas.setStrokeGray(0.25)
            draw_shape(canvas, page_h, np.array(tab), 0, 0, 1, 1)
    canvas.setStrokeGray(0.25)
    canvas.setDash(1.2 * mm, 0.8 * mm)
    for yy in (y1, y2, y3, y4):
        draw_line(canvas, page_h, left, yy, right, yy)
    for cx in (left, right):
        draw_line(canvas, page_h, cx, y, cx, y3)
    canvas.setDash()
    a, b = foot(cactus)
    slot = deck.thickness_mm + 0.4
    middle = (left + right) / 2
    canvas.setFillGray(0.55)
    hole = box(middle + a - 0.2, (y1 + y2 - slot) / 2, middle + b + 0.2, (y1 + y2 + slot) / 2)
    draw_shape(canvas, page_h, hole, 0, 0, 1, 1)
    canvas.setFillGray(0.2)
    canvas.setFont("Helvetica-Bold", 8)
    canvas.drawCentredString(middle * mm, (page_h - (y3 + y4) / 2) * mm - 3, cactus.id)
    canvas.restoreState()


def _die(canvas: Canvas, page_h: float, x: float, y: float, deck: CactusDeck) -> None:
    """The die: twice colour, twice shape, twice the special piece."""
    faces = ("color", "shape", "color", "shape", "special", "special")
    for what, (cx, cy) in zip(faces, net_cells(x, y), strict=True):
        mx, my = cx + DIE_MM / 2, cy + DIE_MM / 2
        canvas.saveState()
        if what == "color":
            for k, tone in enumerate(deck.colors.values()):
                a = 2 * np.pi * k / len(deck.colors) - np.pi / 2
                canvas.setFillColor(HexColor(tone))
                canvas.setStrokeGray(0.4)
                canvas.setLineWidth(0.1 * mm)
                canvas.circle((mx + 4.8 * np.cos(a)) * mm, (page_h - my - 4.8 * np.sin(a)) * mm, 2.5 * mm, 1, 1)
        elif what == "shape":
            canvas.setFillGray(0.3)
            for k, shape in enumerate(deck.shapes):
                outline = next(np.array(p.outline) for p in deck.pieces.values() if p.shape == shape) * [1, -1]
                a = 2 * np.pi * k / len(deck.shapes) - np.pi / 2
                small = outline * (5.6 / np.ptp(outline, axis=0).max())
                draw_shape(canvas, page_h, small, mx + 5.0 * float(np.cos(a)), my + 5.0 * float(np.sin(a)), 0, 1)
        else:
            canvas.setFillColor(HexColor(_PINK))
            canvas.setFont("Helvetica-Bold", 30)
            canvas.drawCentredString(mx * mm, (page_h - my) * mm - 10.5, "!!")
        canvas.restoreState()
    canvas.setStrokeGray(0)
    draw_net(canvas, page_h, x, y)
