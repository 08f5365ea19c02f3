"""The printed and the laser-cut set of Cactus are complete, true to scale and can stand."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from shapely.geometry import Polygon, box

from calibration.art import cactus_proxy
from calibration.art.canvas import rgb
from calibration.sheets.cactus import BLEED_MM, FLOWER_MM, FLOWERS
from calibration.sheets.cactus_parts import Part, base_layers, foot, mirrored, pack, parts_of
from calibration.sheets.laser import CUT, ENGRAVE, LEGEND, WORDS
from calibration.sheets.letters import outlines
from calibration.sheets.page import MARGIN_MM, PAPERS, RULER_MM, STRIP_MM
from calibration.sheets.sheets import write_sheet, write_svg
from scoring.deck import CactusDeck, parse_deck
from scoring.errors import RefereeError
from tests.calibration.test_sheets import PX_PER_MM, plain_deck, render, ruler_mm

PROXY = Path(cactus_proxy.__file__).parents[1] / "decks" / "cactus-proxy"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def deck() -> CactusDeck:
    """The bundled set as the rules see it."""
    parsed = parse_deck(json.loads((PROXY / "deck.json").read_text(encoding="utf-8")), "deck.json")
    assert isinstance(parsed, CactusDeck)
    return parsed


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[NDArray[np.uint8]]:
    """The bundled set on A4 at 200 dpi."""
    out = tmp_path_factory.mktemp("sheet") / "cactus.pdf"
    count = write_sheet("cactus", PROXY, out)
    document = pypdfium2.PdfDocument(out)
    assert len(document) == count == 5
    document.close()
    return [render(out, page) for page in range(count)]


def spots(page: NDArray[np.uint8], tone: str) -> NDArray[np.bool_]:
    """Where a page has that colour."""
    about = np.array(rgb(tone), int)
    hit = cv2.inRange(page, about - 7, about + 7) > 0
    hit[-round((MARGIN_MM + STRIP_MM) * PX_PER_MM) :] = False
    return np.asarray(hit)


def test_pieces_have_their_area_on_paper(deck: CactusDeck, pages: list[NDArray[np.uint8]]) -> None:
    """What is printed of each colour is as large as its seven pieces together, to a hundredth; the backs are larger."""
    for name, tone in deck.colors.items():
        outlines = [Polygon(p.outline) for p in deck.pieces.values() if p.color == name]
        printed = spots(pages[2], tone).sum() / PX_PER_MM**2
        line = 0.12 * sum(o.length for o in outlines) / 2 + 0.1 * sum(o.length for o in outlines) / 2
        assert printed == pytest.approx(sum(o.area for o in outlines) - line, rel=0.02), name
        backs = spots(pages[3], tone).sum() / PX_PER_MM**2
        bleed = sum(o.buffer(BLEED_MM).area for o in outlines)
        assert backs == pytest.approx(bleed - 2 * line, rel=0.03), name


def test_cacti_stand_on_paper_with_their_foot(deck: CactusDeck, pages: list[NDArray[np.uint8]]) -> None:
    """Each cactus is as high and as wide as in the deck, with a foot as deep as its base below it."""
    for cactus in deck.cacti.values():
        _, labels, stats, _ = cv2.connectedComponentsWithStats(spots(pages[0], cactus.color).astype(np.uint8))
        largest = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
        rows, columns = np.nonzero(labels == largest)
        xs, ys = np.array(cactus.outline).T
        assert np.ptp(columns) / PX_PER_MM == pytest.approx(np.ptp(xs) - 0.25, abs=0.3)  # within the line
        assert np.ptp(rows) / PX_PER_MM == pytest.approx(np.ptp(ys) + deck.base.height_mm - 0.25, abs=0.3)


def test_backs_meet_their_fronts(deck: CactusDeck, pages: list[NDArray[np.uint8]]) -> None:
    """Held against the light every back covers its front, and reaches no further than its bleed."""
    for number in (0, 2):
        for tone in (c.color for c in deck.cacti.values()) if number == 0 else deck.colors.values():
            front, back = spots(pages[number], tone), spots(pages[number + 1], tone)[:, ::-1]
            both = (front & back).sum()
            assert both > 0.96 * front.sum()
            assert back.sum() < 1.35 * front.sum()


def test_each_page_has_the_control_ruler(pages: list[NDArray[np.uint8]]) -> None:
    """A line of 100 mm to check the print, on every page."""
    for page in pages:
        assert ruler_mm(page[round(270 * PX_PER_MM) :]) == pytest.approx(RULER_MM, abs=0.25)


def test_flowers_have_two_sides(pages: list[NDArray[np.uint8]]) -> None:
    """25 tokens: pink hearts on the front, golden ones on the back, in the same places."""
    pink, gold = spots(pages[0], "#e2638f"), spots(pages[1], "#f3c23c")[:, ::-1]
    heart = np.pi * (0.36 * FLOWER_MM / 2) ** 2 * PX_PER_MM**2
    assert pink.sum() > 0.6 * FLOWERS * heart
    assert gold.sum() > 0.6 * FLOWERS * heart
    at = [np.array(np.nonzero(m)).mean(axis=1) for m in (pink, gold)]
    np.testing.assert_allclose(at[0], at[1], atol=0.5 * PX_PER_MM)


@pytest.mark.parametrize("paper", PAPERS)
def test_parts_stay_on_the_paper_and_apart(deck: CactusDeck, paper: str) -> None:
    """Whatever the paper, no part lies on another or beyond the printable page."""
    width, height = PAPERS[paper][0] - 2 * MARGIN_MM, PAPERS[paper][1] - 2 * MARGIN_MM - STRIP_MM
    cacti, pieces = parts_of(deck, PROXY)
    places = pack([*cacti, *pieces], width, height, 4.0)
    assert [p.part.name for p in places] == [*deck.cacti, *deck.pieces]
    for i, a in enumerate(places):
        w, h = a.part.size_mm
        assert a.x >= 0
        assert a.y >= -1e-9
        assert a.x + w <= width + 1e-9
        assert a.y + h <= height + 1e-9
        for b in places[:i]:
            apart = max(a.x - b.x - b.part.size_mm[0], b.x - a.x - w, a.y - b.y - b.part.size_mm[1], b.y - a.y - h)
            assert a.page != b.page or apart >= 4.0 - 1e-9
    with pytest.raises(ValueError, match="K1"):
        pack(cacti, 40.0, height, 4.0)


def test_a_cactus_and_its_foot_are_one_piece(deck: CactusDeck) -> None:
    """The part to cut is the cactus and below it the foot, with shoulders that rest on the base, and nothing more."""
    cacti, _ = parts_of(deck, PROXY)
    for part, cactus in zip(cacti, deck.cacti.values(), strict=True):
        form = Polygon(part.outline)
        assert form.is_valid
        left, right = foot(cactus)
        assert form.area == pytest.approx(
            Polygon(cactus.outline).area + (right - left) * deck.base.height_mm, rel=0.002
        )
        ground = [x for x, y in cactus.outline if y < 0.3]
        assert left > min(ground) + 0.5
        assert right < max(ground) - 0.5
        assert all(form.contains(Polygon(m).buffer(0) if len(m) > 3 else form.centroid) for m in part.marks[:1])


def test_a_back_is_its_front_in_a_mirror() -> None:
    """Mirrored twice a part is itself; once, left is right."""
    part = Part("p", np.array([[0.0, 0], [10, 0], [0, 5]]), "#123456", (np.array([[1.0, 1], [2, 1]]),))
    once = mirrored(part)
    np.testing.assert_allclose(once.outline, [[10, 0], [0, 0], [10, 5]])
    np.testing.assert_allclose(once.marks[0], [[9, 1], [8, 1]])
    np.testing.assert_allclose(mirrored(once).outline, part.outline)


def _shapes(file: Path, group: str) -> list[Polygon]:
    root = ElementTree.parse(file).getroot()
    found = [g for g in root.iter(f"{SVG}g") if g.get("id") == group]
    out = []
    for path in found[0].iter(f"{SVG}path"):
        *closed, _ = str(path.get("d")).split("Z")
        out += [Polygon([tuple(map(float, p.split())) for p in re.split("[ML]", line) if p]) for line in closed]
    return out


def test_laser_sheet_is_in_millimetres_and_complete(deck: CactusDeck, tmp_path: Path) -> None:
    """Cacti, pieces and every layer of the bases are cut once, true to size, apart, and within the sheet."""
    out = tmp_path / "cactus.svg"
    width, height = write_svg("cactus", PROXY, out)
    root = ElementTree.parse(out).getroot()
    assert (root.get("width"), root.get("height")) == (f"{width:g}mm", f"{height:g}mm")
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    cuts = _shapes(out, "cut")
    half, layers = base_layers(deck)
    assert 2 * half + 1 == round(deck.base.depth_mm / deck.thickness_mm)
    assert len(cuts) == 5 + 35 + len(layers) + FLOWERS
    assert len(layers) == 5 * (2 * half + 2)
    wanted = sorted(Polygon(p.outline).area for p in deck.pieces.values())
    areas = sorted(c.area for c in cuts)
    for area in wanted:
        assert min(abs(a - area) for a in areas) < 0.01 * area
    sheet = box(0, 0, width, height)
    for i, a in enumerate(cuts):
        assert a.is_valid
        assert sheet.contains(a)
        assert all(a.distance(b) > 1.0 for b in cuts[:i])


def test_cut_and_engraved_lines_have_their_colours(tmp_path: Path) -> None:
    """Red is cut and black is engraved: faces and spines lie inside what is cut, and a ruler of 100 mm beside it."""
    out = tmp_path / "cactus.svg"
    write_svg("cactus", PROXY, out)
    root = ElementTree.parse(out).getroot()
    strokes = {g.get("id"): g.get("stroke") for g in root.iter(f"{SVG}g")}
    assert strokes["cut"] == CUT == "#ff0000"
    assert strokes["engrave"] == ENGRAVE == "#000000"
    engraved = next(g for g in root.iter(f"{SVG}g") if g.get("id") == "engrave")
    lines = [str(p.get("d")) for p in engraved.iter(f"{SVG}path")]
    marks = sum(len(c["marks"]) for c in json.loads((PROXY / "deck.json").read_text(encoding="utf-8"))["cacti"])
    strokes_of_numbers = 3 * (1 + 2 + 3 + 4 + 5)  # on each foot and on both spacers of its base
    assert len(lines) == marks + strokes_of_numbers + FLOWERS + 1
    assert "h100" in lines[-1]


def test_words_for_the_cutter_have_their_own_colour_and_lie_beside_the_parts(tmp_path: Path) -> None:
    """Words are neither cut nor engraved, cover no part, and name every base; the legend tells the colours."""
    out = tmp_path / "cactus.svg"
    write_svg("cactus", PROXY, out)
    root = ElementTree.parse(out).getroot()
    group = next(g for g in root.iter(f"{SVG}g") if g.get("id") == "labels")
    assert group.get("fill") == WORDS
    assert WORDS not in (CUT, ENGRAVE)
    words = [str(p.get("aria-label")) for p in group]
    assert words[: len(LEGEND)] == list(LEGEND)
    for name in ("K1", "K2", "K3", "K4", "K5"):
        assert sum(f"base of {name}:" in line for line in words) == 1
    cuts = _shapes(out, "cut")
    for line in _shapes(out, "labels"):
        assert all(not line.intersects(c) for c in cuts)


def test_words_for_the_cutter_are_drawn_as_outlines(tmp_path: Path) -> None:
    """A cutter's program needs no font for them, and letters with a hole have it."""
    out = tmp_path / "cactus.svg"
    write_svg("cactus", PROXY, out)
    assert not list(ElementTree.parse(out).getroot().iter(f"{SVG}text"))
    stroke, ring, hole = (Polygon(line) for line in outlines("lo", 10.0, 20.0, 3.6))
    assert ring.buffer(0.05).contains(hole)
    assert stroke.disjoint(ring)
    assert (stroke.bounds[0], stroke.bounds[3]) == pytest.approx((10.0, 20.0), abs=0.5)
    assert 2.0 < stroke.bounds[3] - stroke.bounds[1] < 3.6
    assert len(outlines("ä", 0.0, 0.0, 3.6)) == len(outlines("a", 0.0, 0.0, 3.6)) == 2


def test_each_cactus_bears_the_name_of_its_base(tmp_path: Path) -> None:
    """The printed sheet names every cactus on its foot and every base, and tells what the dashed line is."""
    out = tmp_path / "cactus.pdf"
    write_sheet("cactus", PROXY, out)
    document = pypdfium2.PdfDocument(out)
    front, last = (document[k].get_textpage().get_text_range() for k in (0, 4))
    document.close()
    for name in ("K1", "K2", "K3", "K4", "K5"):
        assert name in front
        assert name in last
    assert "dashed line" in last


def test_a_base_holds_its_cactus(deck: CactusDeck) -> None:
    """The fillers leave a gap as wide as the foot, and the whole layers are as wide and high as the base."""
    _, layers = base_layers(deck)
    fillers = [p.size_mm for p in layers if p.name == "filler"]
    for i, cactus in enumerate(deck.cacti.values()):
        left, right = foot(cactus)
        gap = deck.base.width_mm - fillers[2 * i][0] - fillers[2 * i + 1][0]
        assert gap == pytest.approx(right - left)
    assert {p.size_mm for p in layers if p.name == "base"} == {(deck.base.width_mm, deck.base.height_mm)}


def test_what_cannot_be_cut_is_said_in_one_line(tmp_path: Path) -> None:
    """Cards by laser, a set of pieces larger than the paper, and a place that cannot be written to are refused."""
    cards = plain_deck(tmp_path / "deck", (59, 92), (59, 92), 1)
    with pytest.raises(RefereeError, match="only a set of Cactus is cut by laser"):
        write_svg("rox", cards, tmp_path / "out.svg")
    with pytest.raises(RefereeError, match="cannot be written"):
        write_svg("cactus", PROXY, tmp_path / "no" / "out.svg")
    data: dict[str, Any] = json.loads((PROXY / "deck.json").read_text(encoding="utf-8"))
    data["cacti"][1]["outline"] = [[x * 9, y] for x, y in data["cacti"][1]["outline"]]
    (tmp_path / "huge").mkdir()
    (tmp_path / "huge" / "deck.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RefereeError, match="K2: does not fit on A4 paper"):
        write_sheet("cactus", tmp_path / "huge", tmp_path / "out.pdf")


def test_progress_and_any_other_set(tmp_path: Path) -> None:
    """Every page is told, also on Letter; a set without marks, or with senseless ones, is printed too."""
    data: dict[str, Any] = json.loads((PROXY / "deck.json").read_text(encoding="utf-8"))
    for i, cactus in enumerate(data["cacti"]):
        cactus.pop("marks")
        if i:
            cactus["marks"] = [[1], ["a", "b"], [[0, float(i)]], "x"]
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "deck.json").write_text(json.dumps(data), encoding="utf-8")
    seen: list[tuple[int, int]] = []
    out = tmp_path / "out.pdf"
    pages = write_sheet("cactus", tmp_path / "own", out, "Letter", said=lambda done, total: seen.append((done, total)))
    assert seen == [(k, pages) for k in range(1, pages + 1)]


def test_a_foot_as_wide_as_its_base_needs_no_filler(deck: CactusDeck) -> None:
    """A set whose base is narrower than the cactus's foot is cut all the same, without layers of no width."""
    narrow = dataclasses.replace(deck, base=dataclasses.replace(deck.base, width_mm=12.0))
    _, layers = base_layers(narrow)
    assert {p.name for p in layers} == {"base"}
    assert all(min(p.size_mm) > 0 for p in layers)
