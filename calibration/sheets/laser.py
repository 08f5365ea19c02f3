"""A set of Cactus for a laser cutter: SVG in millimetres, cut lines in red, engraved lines in black, words in blue."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from calibration.art.paths import Points, circle
from calibration.sheets.cactus import FLOWER_MM, FLOWERS
from calibration.sheets.cactus_parts import Part, Placed, base_layers, foot, pack, parts_of, tally
from calibration.sheets.letters import outlines
from calibration.whole_file import write_whole
from scoring.deck import CactusDeck
from scoring.errors import RefereeError

CUT, ENGRAVE, WORDS = "#ff0000", "#000000", "#0000ff"
"""Colours by which a laser cutter's program tells them apart; the words are for people and beside the parts."""
LEGEND = (
    "Red: cut. Black: engrave, before cutting. Blue: words, for you only; switch this colour off.",
    "Strokes on the foot of a cactus and on two spacers of its base: its number; they belong together.",
    "Die: not of wood; fold it from the PDF, or take any die: 1, 2 colour; 3, 4 shape; 5, 6 !!",
)
WIDTH_MM = 390.0
_GAP_MM = 3.0
_LABEL_MM = 6.0
_LETTERS_MM = 3.6
_MARGIN_MM = 5.0


def write_laser(deck: CactusDeck, folder: Path, out: Path) -> tuple[float, float]:
    """Write all parts of a set; returns width and height of the sheet in mm.

    Raises
    ------
    RefereeError
        If a part is wider than the sheet or the file cannot be written.
    """
    lines, height = _body(deck, folder)
    width = WIDTH_MM + 2 * _MARGIN_MM
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {width:g} {height:g}">'
    )
    title = f"<title>Cactus: {escape(deck.name)}, {deck.thickness_mm:g} mm</title>"
    text = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, title, *lines, "</svg>", ""])
    write_whole(out, text.encode("utf-8"))
    return width, height


def _body(deck: CactusDeck, folder: Path) -> tuple[list[str], float]:
    cacti, pieces = parts_of(deck, folder)
    half, layers = base_layers(deck)
    numbered = [_numbered(part, deck, n) for n, part in enumerate(cacti, start=1)]
    groups = [(f"cacti, {deck.thickness_mm:g} mm: {', '.join(p.name for p in cacti)}", numbered)]
    for name, tone in deck.colors.items():
        groups.append((f"paint {name} {tone}", [p for p in pieces if deck.pieces[p.name].color == name]))
    groups += _bases(deck, half, layers)
    groups.append(("flowers: paint the engraved dot pink; the other side stays bare", [_flower()] * FLOWERS))
    cuts: list[str] = []
    engraved: list[str] = []
    labels: list[str] = []
    y = _MARGIN_MM
    for line in LEGEND:
        labels.append(_words(line, _MARGIN_MM, y + 4))
        y += _LABEL_MM
    for words, parts in groups:
        labels.append(_words(words, _MARGIN_MM, y + 4))
        y += _LABEL_MM
        try:
            places = pack(parts, WIDTH_MM, 1e6, _GAP_MM)
        except ValueError as e:
            raise RefereeError(f"{e}: is wider than the sheet of {WIDTH_MM:g} mm; cut it by itself") from None
        for p in places:
            at = (_MARGIN_MM + p.x, y + p.y)
            cuts.append(f'<path id="{escape(_id(p, len(cuts)))}" d="{_path(p.part.outline, at, True)}"/>')
            engraved += [f'<path d="{_path(m, at, False)}"/>' for m in p.part.marks]
        y += max(p.y + p.part.size_mm[1] for p in places) + _GAP_MM
    ruler = f"M{_MARGIN_MM:g} {y + 4:g}h100m-100 -2v4m100 -4v4"
    engraved.append(f'<path id="ruler" d="{ruler}"/>')
    labels.append(_words("100 mm", _MARGIN_MM + 103, y + 5.4))
    stroke = 'fill="none" stroke-width="0.1" stroke="'
    lines = [
        f'<g id="engrave" {stroke}{ENGRAVE}">',
        *engraved,
        "</g>",
        f'<g id="labels" fill="{WORDS}" fill-rule="evenodd">',
        *labels,
        "</g>",
        f'<g id="cut" {stroke}{CUT}">',
        *cuts,
        "</g>",
    ]
    return lines, round(y + 4 + 2 + _MARGIN_MM, 2)


def _numbered(part: Part, deck: CactusDeck, number: int) -> Part:
    """A cactus with its number on its foot, which the base hides."""
    cactus = deck.cacti[part.name]
    left, right = foot(cactus)
    x = (left + right) / 2 - min(px for px, _ in cactus.outline)
    strokes = tally(number, x, part.size_mm[1] - deck.base.height_mm / 2)
    return Part(part.name, part.outline, part.color, (*part.marks, *strokes))


def _bases(deck: CactusDeck, half: int, layers: list[Part]) -> list[tuple[str, list[Part]]]:
    """The layers of each base as a group of its own, with the words that tell how they are glued."""
    groups: list[tuple[str, list[Part]]] = []
    rest = list(layers)
    for cactus in deck.cacti.values():
        own = rest[: 2 * half]
        rest = rest[2 * half :]
        while rest and rest[0].name == "filler":
            own.append(rest.pop(0))
        spacers = "the spacer left of the foot, the foot, the spacer right of it"
        groups.append((f"base of {cactus.id}: glue {half} strips; {spacers}; {half} strips", own))
    return groups


def _flower() -> Part:
    r = FLOWER_MM / 2
    dot = circle(r, r, 0.36 * r)
    return Part("flower", circle(r, r, r), None, (np.vstack([dot, dot[:1]]),))


def _words(words: str, x: float, foot: float) -> str:
    lines = "".join(_path(line, (0.0, 0.0), True) for line in outlines(words, x, foot, _LETTERS_MM))
    return f'<path aria-label={quoteattr(words)} d="{lines}"/>'


def _id(place: Placed, number: int) -> str:
    part: Part = place.part
    return part.name if part.color is not None else f"{part.name}-{number}"


def _path(line: Points, at: tuple[float, float], closed: bool) -> str:
    return "M" + "L".join(f"{x + at[0]:.2f} {y + at[1]:.2f}" for x, y in line.tolist()) + ("Z" if closed else "")
