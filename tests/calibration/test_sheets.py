"""What is printed has the size that it says, measured in the rendered PDF."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from PIL import Image

from calibration.grades import View
from calibration.intrinsics import find_target
from calibration.sheets.page import PAPERS, RULER_MM, lay_out
from calibration.sheets.sheets import write_sheet, write_target
from calibration.sheets.target import SQUARE_MM
from scoring.errors import DeckError, RefereeError

PX_PER_MM = 200 / 25.4  # of whole pages
RED, BLUE, GREEN, ORANGE = (200, 30, 30), (30, 60, 200), (20, 180, 60), (230, 140, 0)  # no grey is near them


def plain_deck(folder: Path, card_mm: tuple[float, float], scoring_mm: tuple[float, float], faces: int = 7) -> Path:
    """A deck whose faces are alternately red and blue, its scoring cards green and its back orange."""
    folder.mkdir(parents=True)
    size = (round(card_mm[0] * 4), round(card_mm[1] * 4))
    names = ["fire", "water", "earth", "air", "magic"]
    entries = []
    for i in range(faces):
        Image.new("RGB", size, BLUE if i % 2 else RED).save(folder / f"{i}.png")
        entries.append({"id": f"R{i}", "image": f"{i}.png", "center": "fire", "edge": {"fire": 9, "water": 7}})
    Image.new("RGB", (round(scoring_mm[0] * 4), round(scoring_mm[1] * 4)), GREEN).save(folder / "p.png")
    Image.new("RGB", size, ORANGE).save(folder / "back.png")
    scoring = {"card_mm": list(scoring_mm), "faces": [{"id": "P1", "image": "p.png", "value": 5}]}
    deck = {
        "format": 1, "game": "rox", "name": "plain", "card_mm": list(card_mm), "corner_radius_mm": 3, "elements": names,
        "faces": entries, "scoring_cards": scoring, "back": "back.png",
    }  # fmt: skip
    (folder / "deck.json").write_text(json.dumps(deck), encoding="utf-8")
    return folder


def render(
    file: Path, page: int = 0, dpi: float = 200, part: tuple[float, float, float, float] | None = None
) -> NDArray[np.uint8]:
    """A page as RGB, or only a part of it: left, top, right and bottom in mm."""
    document = pypdfium2.PdfDocument(file)
    try:
        leaf = document[page]
        crop = (0.0, 0.0, 0.0, 0.0)
        if part is not None:
            w, h = leaf.get_size()
            left, top, right, bottom = (v * 72 / 25.4 for v in part)
            crop = (left, h - bottom, w - right, top)  # what pypdfium2 cuts off: left, bottom, right, top
        return np.asarray(leaf.render(scale=dpi / 72, crop=crop).to_pil().convert("RGB"))
    finally:
        document.close()


def card_mm(
    file: Path, colour: tuple[int, int, int], near: tuple[float, float], size: tuple[float, float], page: int = 0
) -> tuple[float, float, float, float]:
    """Left, top, right and bottom in mm of all that has this colour round a card expected at `near`."""
    # the renderer rounds pictures outwards to whole pixels: at 720 dpi that is less than 0.04 mm a side
    dpi = 720
    x0, y0 = near[0] - 3, near[1] - 3
    seen = render(file, page, dpi, (x0, y0, near[0] + size[0] + 3, near[1] + size[1] + 3))
    is_it = np.ones(seen.shape[:2], np.bool_)
    for channel in range(3):
        is_it &= np.abs(seen[..., channel].astype(np.int16) - colour[channel]) < 60
    columns, rows = np.flatnonzero(is_it.any(axis=0)), np.flatnonzero(is_it.any(axis=1))
    px = dpi / 25.4
    return (x0 + columns[0] / px, y0 + rows[0] / px, x0 + (columns[-1] + 1) / px, y0 + (rows[-1] + 1) / px)


def ruler_mm(picture: NDArray[np.uint8]) -> float:
    """Length of the longest thin dark line that stands alone on white: the control ruler."""
    dark = np.asarray(picture.max(axis=2) < 100)
    best = 0
    for lines in (dark, dark.T):
        for line in lines:
            changes = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(np.int8), [0]])))
            if len(changes):
                best = max(best, int((changes[1::2] - changes[::2]).max()))
    return best / PX_PER_MM


@pytest.mark.parametrize("paper", PAPERS)
def test_cards_have_their_size_on_paper(tmp_path: Path, paper: str) -> None:
    """Every card's edges lie where the layout says, to 0.1 mm, and the page has the paper's size."""
    out = tmp_path / "out.pdf"
    assert write_sheet("rox", plain_deck(tmp_path / "deck", (59, 92), (59, 92), 2), out, paper) == 1
    document = pypdfium2.PdfDocument(out)
    size = sorted(v * 25.4 / 72 for v in document[0].get_size())
    document.close()
    assert size == pytest.approx(PAPERS[paper], abs=0.05)
    layout = lay_out((59, 92), paper)
    for place, colour in enumerate((RED, BLUE, GREEN)):
        x, y = layout.corner(place)
        assert card_mm(out, colour, (x, y), (59, 92)) == pytest.approx((x, y, x + 59, y + 92), abs=0.1)


def test_control_ruler_measures_100_mm(tmp_path: Path) -> None:
    """The ruler beside the cards is 100 mm long, on fronts and on backs."""
    deck = plain_deck(tmp_path / "deck", (44, 68), (44, 68), 1)
    write_sheet("rox", deck, tmp_path / "out.pdf", backs=True)
    for page in (0, 1):
        assert ruler_mm(render(tmp_path / "out.pdf", page)) == pytest.approx(RULER_MM, abs=0.25)


def test_backs_meet_their_fronts(tmp_path: Path) -> None:
    """Held against the light, a back lies exactly behind its front: the same box, mirrored across the page."""
    deck = plain_deck(tmp_path / "deck", (59, 92), (40, 40), 1)
    assert write_sheet("rox", deck, tmp_path / "out.pdf", backs=True) == 4
    out = tmp_path / "out.pdf"
    x, y = lay_out((59, 92), "A4").corner(0)
    left, top, right, bottom = card_mm(out, RED, (x, y), (59, 92))
    back = card_mm(out, ORANGE, (210 - x - 59, y), (59, 92), page=1)
    assert back == pytest.approx((210 - right, top, 210 - left, bottom), abs=0.1)
    layout = lay_out((40, 40), "A4")
    x, y = layout.corner(0, mirrored=True)
    small = card_mm(out, ORANGE, (x, y), (40, 40), page=3)
    assert small == pytest.approx((x, y, x + 40, y + 40), abs=0.1)


def test_all_cards_are_there_in_order(tmp_path: Path) -> None:
    """Seven faces and a scoring card of the same size fill one A4 page row by row."""
    deck = plain_deck(tmp_path / "deck", (59, 92), (59, 92), 7)
    seen: list[tuple[int, int]] = []
    assert write_sheet("rox", deck, tmp_path / "out.pdf", said=lambda done, total: seen.append((done, total))) == 1
    assert seen == [(1, 1)]
    page = render(tmp_path / "out.pdf")
    layout = lay_out((59, 92), "A4")
    for place, colour in enumerate((RED, BLUE, RED, BLUE, RED, BLUE, RED, GREEN)):
        x, y = layout.corner(place)
        at = page[round((y + 46) * PX_PER_MM), round((x + 29.5) * PX_PER_MM)]
        assert np.abs(at.astype(int) - colour).max() < 10, place


def test_layouts_stay_on_the_paper() -> None:
    """For many card sizes all cards and the ruler's strip lie within the printable page and do not overlap."""
    for paper in PAPERS:
        for size in ((59.0, 92.0), (70.0, 120.0), (44.0, 68.0), (70.0, 70.0), (63.5, 88.9), (180.0, 250.0)):
            layout = lay_out(size, paper)
            x0, y0 = layout.corner(0)
            x1, y1 = layout.corner(layout.places - 1)
            assert x0 >= 6
            assert y0 >= 6
            assert x1 + size[0] <= layout.page_mm[0] - 6 + 1e-9
            assert y1 + size[1] <= layout.page_mm[1] - 6 + 1e-9
            assert (layout.page_mm[1] - y1 - size[1] if layout.ruler_below else x0) >= 6 + 15 - 1e-9
    assert lay_out((59, 92), "A4").places == 9


def test_target_is_true_to_scale(tmp_path: Path) -> None:
    """The corners of the printed target lie on a grid of its square size, to 0.1 mm over the whole board."""
    for paper in PAPERS:
        assert write_target(tmp_path / "target.pdf", paper) == 1
        page = render(tmp_path / "target.pdf")
        view = find_target(page)
        assert isinstance(view, View)
        assert len(view.points_px) == 40
        offset = view.points_px / PX_PER_MM - view.points_mm
        assert np.ptp(offset, axis=0).max() < 0.1
        assert SQUARE_MM == 27
        ruler = page[round((offset[0, 1] + 9 * 27 + 1) * PX_PER_MM) :]
        assert ruler_mm(ruler) == pytest.approx(RULER_MM, abs=0.25)


def test_what_cannot_be_printed_is_said_in_one_line(tmp_path: Path) -> None:
    """Unknown paper, a card too large, another game, no deck and a missing picture each name the mend."""
    deck = plain_deck(tmp_path / "deck", (59, 92), (59, 92), 1)
    out = tmp_path / "out.pdf"
    with pytest.raises(RefereeError, match="no paper named 'A7'; there are A4 and Letter"):
        write_sheet("rox", deck, out, "A7")
    with pytest.raises(RefereeError, match="does not fit on A4"):
        write_sheet("rox", plain_deck(tmp_path / "huge", (300, 300), (59, 92), 1), out)
    with pytest.raises(RefereeError, match="this is a deck of rox, not of conex"):
        write_sheet("conex", deck, out)
    with pytest.raises(DeckError, match="no such deck"):
        write_sheet("rox", tmp_path / "nowhere", out)
    with pytest.raises(RefereeError, match="cannot be written"):
        write_sheet("rox", deck, tmp_path / "no" / "such" / "out.pdf")
    (deck / "0.png").unlink()
    with pytest.raises(DeckError, match=r"0\.png: is no picture that can be opened"):
        write_sheet("rox", deck, out)
