"""How a printed set of Cactus is put together, in words and a drawing; see `calibration.sheets.cactus`."""

from __future__ import annotations

import numpy as np
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.art.paths import Points, box
from calibration.sheets.page import draw_line
from scoring.deck import CactusDeck

WORDS_MM = 124.0
DRAWN_MM = 34.0
_PINK = "#e2638f"
_WORDS = (
    (
        "Print at 100 %. Glue the fronts on card or plywood of {t:g} mm.",
        "Mit 100 % drucken. Vorderseiten auf {t:g} mm Pappe oder Sperrholz kleben.",
    ),
    (
        "Cut out along the lines, the foot of each cactus too.",
        "An den Linien ausschneiden, auch den Fuß jedes Kaktus.",
    ),
    (
        "Cut out the backs and glue them on the other side.",
        "Rückseiten ausschneiden und auf die andere Seite kleben.",
    ),
    (
        "Bases: cut, fold, glue; the grey field is a slot. A coin inside makes them heavy.",
        "Sockel: schneiden, falten, kleben; das graue Feld ist ein Schlitz. Eine Münze darin macht sie schwer.",
    ),
    (
        "Put the foot through the slot of the base with its name, down to the dashed line; glue it to the floor.",
        "Fuß bis zur gestrichelten Linie durch den Schlitz des Sockels mit seinem Namen; am Boden ankleben.",
    ),
)


def draw_shape(
    canvas: Canvas, page_h: float, line: Points, x: float, y: float, stroke: int, fill: int, closed: bool = True
) -> None:
    """A line through points of a page in mm, moved by x and y."""
    path = canvas.beginPath()
    for i, (px, py) in enumerate(line.tolist()):
        (path.lineTo if i else path.moveTo)((x + px) * mm, (page_h - y - py) * mm)
    if closed:
        path.close()
    canvas.drawPath(path, stroke=stroke, fill=fill)


def draw_how_to(canvas: Canvas, page_h: float, x: float, y: float, deck: CactusDeck) -> None:
    """The steps, numbered, in two languages, and beside them how a foot stands in its base."""
    canvas.saveState()
    canvas.setFillGray(0.15)
    for k, (english, german) in enumerate(_WORDS):
        foot_y = page_h - y - 4 - 8.6 * k
        canvas.setFont("Helvetica-Bold", 11)
        canvas.drawString(x * mm, (foot_y - 1.6) * mm, str(k + 1))
        canvas.setFont("Helvetica", 6.6)
        canvas.drawString((x + 6) * mm, foot_y * mm, english.format(t=deck.thickness_mm))
        canvas.setFillGray(0.4)
        canvas.drawString((x + 6) * mm, (foot_y - 3) * mm, german.format(t=deck.thickness_mm))
        canvas.setFillGray(0.15)
    _standing(canvas, page_h, x + WORDS_MM + DRAWN_MM / 2, y + 38.0)
    canvas.restoreState()


def _standing(canvas: Canvas, page_h: float, x: float, y: float) -> None:
    """A base cut open from the front, its floor at `y`, and the foot that goes down into it through the slot."""
    wide, high, foot_w = 26.0, 9.0, 9.0
    top = y - high
    canvas.setLineWidth(0.25 * mm)
    canvas.setStrokeGray(0.25)
    canvas.setFillColor(HexColor("#f3e6cf"))
    draw_shape(canvas, page_h, box(x - wide / 2, top, x + wide / 2, y), 0, 0, 1, 1)
    body = [(-4.5, 0), (-5.5, 0), (-5.5, -8), (-11, -8), (-11, -17), (-7, -17), (-7, -12), (-5.5, -12), (-5.5, -24)]
    right = [(-px, py) for px, py in reversed(body)]
    outline = np.array([(-foot_w / 2, high), *body, *right, (foot_w / 2, high)])
    canvas.setFillColor(HexColor("#6a9c3c"))
    draw_shape(canvas, page_h, outline, x, top, 1, 1)
    canvas.setDash(1.0 * mm, 0.8 * mm)
    draw_line(canvas, page_h, x - foot_w / 2, top, x + foot_w / 2, top)
    canvas.setDash()
    canvas.setLineWidth(0.6 * mm)
    for a, b in (((0, -20), (0, -3)), ((-2, -6), (0, -3)), ((2, -6), (0, -3))):
        canvas.setStrokeGray(1)
        draw_line(canvas, page_h, x + a[0], top + a[1], x + b[0], top + b[1])
    canvas.setStrokeColor(HexColor(_PINK))
    draw_line(canvas, page_h, x - foot_w / 2, y - 0.4, x + foot_w / 2, y - 0.4)
