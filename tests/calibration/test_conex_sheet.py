"""The printed CONEX game is complete and true to scale, measured in the rendered PDF."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray
from PIL import Image

from calibration.art import conex_proxy
from calibration.art.canvas import rgb
from calibration.art.conex_tokens import DIE_FACES, PAWN_MM
from calibration.sheets.page import MARGIN_MM, PAPERS, RULER_MM, STRIP_MM, lay_out
from calibration.sheets.pieces import DIE_MM, PAWN_SETS, Place, arrange, conex_pieces
from calibration.sheets.sheets import write_sheet
from scoring.deck import ConexDeck, parse_deck
from scoring.errors import RefereeError
from tests.calibration.test_sheets import PX_PER_MM, render, ruler_mm

PROXY = Path(conex_proxy.__file__).parents[1] / "decks" / "conex-proxy"
Image8 = NDArray[np.uint8]


@pytest.fixture(scope="module")
def deck() -> ConexDeck:
    """The bundled deck as the rules see it."""
    parsed = parse_deck(json.loads((PROXY / "deck.json").read_text(encoding="utf-8")), "deck.json")
    assert isinstance(parsed, ConexDeck)
    return parsed


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled deck on A4."""
    out = tmp_path_factory.mktemp("sheet") / "conex.pdf"
    assert write_sheet("conex", PROXY, out) == 7
    return out


@pytest.fixture(scope="module")
def pages(sheet: Path) -> list[Image8]:
    """All its pages at 200 dpi."""
    document = pypdfium2.PdfDocument(sheet)
    count = len(document)
    document.close()
    return [render(sheet, page) for page in range(count)]


def cut_out(page: Image8, box_mm: tuple[float, float, float, float]) -> Image8:
    """What lies in a box (left, top, width, height in mm) of a page."""
    x, y, w, h = (v * PX_PER_MM for v in box_mm)
    return page[round(y) : round(y + h), round(x) : round(x + w)]


@cache
def small(file: Path) -> NDArray[np.float32]:
    """A picture on white paper at about 1 px a millimetre."""
    with Image.open(file) as image:
        picture = np.asarray(image.convert("RGBA"), np.float32)
    alpha = picture[..., 3:] / 255
    on_paper = picture[..., :3] * alpha + 255 * (1 - alpha)
    shape = (picture.shape[1] // 8, picture.shape[0] // 8)
    return np.asarray(cv2.resize(on_paper, shape, interpolation=cv2.INTER_AREA), np.float32)


def same(part: Image8, file: Path) -> float:
    """Mean difference of a printed piece and its picture, without the rim where cut marks may lie."""
    wanted = small(file)
    fitted = cv2.resize(part.astype(np.float32), wanted.shape[1::-1], interpolation=cv2.INTER_AREA)
    return float(np.abs(fitted - wanted)[1:-1, 1:-1].mean())


def place_of(places: list[Place], words: str) -> Place:
    """The piece that bears these words."""
    (found,) = (p for p in places if words in p.piece.words[0])
    return found


def test_every_card_is_printed_exactly_once(deck: ConexDeck, pages: list[Image8]) -> None:
    """Each place of the card pages shows the next card of the deck and no other; the start player card comes last."""
    layout = lay_out(deck.card_mm, "A4")
    images = [f.image for f in deck.faces.values()]
    assert len(images) == len(set(images)) == 52
    assert layout.places * 6 >= 53
    seen: Counter[str] = Counter()
    for k in range(layout.places * 6):
        x, y = layout.corner(k % layout.places)
        part = cut_out(pages[k // layout.places], (x, y, *layout.card_mm))
        if k < 52:
            shrunk = cv2.resize(part, (59, 92), interpolation=cv2.INTER_AREA)
            gaps = {i: float(np.abs(shrunk - small(PROXY / i)).mean()) for i in images}
            assert gaps.pop(images[k]) < 3, images[k]
            assert min(gaps.values()) > 5, images[k]
            seen[images[k]] += 1
        elif k == 52:
            assert all(np.abs(part - np.array(rgb(c))).max(axis=2).min() < 6 for c in deck.colors.values())
        else:
            assert part[40:-40, 40:-40].min() == 255
    assert seen == dict.fromkeys(images, 1)


def test_cards_and_board_have_their_size_on_paper(deck: ConexDeck, pages: list[Image8]) -> None:
    """The card page's block of 3 × 3 cards and the board measure what the deck says, to 0.3 mm."""
    page = pages[0].astype(int)
    yellow = np.abs(page - np.array(rgb(deck.colors["yellow"]))).max(axis=2) < 30
    rows, columns = np.flatnonzero(yellow.any(axis=1)), np.flatnonzero(yellow.any(axis=0))
    assert (rows[-1] + 1 - rows[0]) / PX_PER_MM == pytest.approx(3 * 92, abs=0.3)
    assert (columns[-1] + 1 - columns[0]) / PX_PER_MM == pytest.approx(3 * 59, abs=0.3)
    last = pages[-1][: round(140 * PX_PER_MM)].astype(int)
    corners = []
    for colour in ("purple", "turquoise"):  # top left and bottom right of the board
        hit = np.abs(last - np.array(rgb(deck.colors[colour]))).max(axis=2) < 12
        rows, columns = np.flatnonzero(hit.sum(axis=1) > 50), np.flatnonzero(hit.sum(axis=0) > 50)
        corners.append((columns[0], rows[0], columns[-1] + 1, rows[-1] + 1))
    assert (corners[1][2] - corners[0][0]) / PX_PER_MM == pytest.approx(120, abs=0.2)
    assert (corners[1][3] - corners[0][1]) / PX_PER_MM == pytest.approx(120, abs=0.2)
    assert (corners[0][2] - corners[0][0]) / PX_PER_MM == pytest.approx(33, abs=0.2)


def test_all_that_belongs_to_the_game_is_on_the_last_page(deck: ConexDeck, pages: list[Image8]) -> None:
    """Board and both stars as in the deck, six faces of a die, and every pawn twice, round and of its size."""
    places = arrange(conex_pieces(deck, PROXY), "A4")
    assert {p.page for p in places} == {0}
    page = pages[-1]
    for words, image in (("Board", "board.png"), ("2x", "star-2x.png"), ("Lightning", "star-lightning.png")):
        place = place_of(places, words)
        assert same(cut_out(page, (place.x, place.y, *place.piece.size_mm)), PROXY / image) < 5, words
    rows = place_of(places, "Pawns")
    block = cut_out(page, (rows.x - 1, rows.y - 1, rows.piece.size_mm[0] + 2, rows.piece.size_mm[1] + 2)).astype(int)
    for name, colour in deck.pawns.items():
        hit = (np.abs(block - np.array(rgb(colour))).max(axis=2) < 14).astype(np.uint8)
        count, _, stats, _ = cv2.connectedComponentsWithStats(hit)
        discs = [s for s in stats[1:count] if s[cv2.CC_STAT_AREA] > 1500]
        assert len(discs) == PAWN_SETS, name
        for disc in discs:
            size = disc[[cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]] / PX_PER_MM
            np.testing.assert_allclose(size, PAWN_MM - 1.4, atol=0.5)  # within the rim


def test_die_has_the_six_faces_of_the_game() -> None:
    """One card once, two cards once, each star twice; opposite sides of the net are never two ways to draw cards."""
    assert Counter(DIE_FACES) == {"card": 1, "cards": 1, "2x": 2, "lightning": 2}
    opposite = {frozenset({DIE_FACES[a], DIE_FACES[b]}) for a, b in ((0, 2), (1, 3), (4, 5))}
    assert opposite == {frozenset({"card", "cards"}), frozenset({"2x"}), frozenset({"lightning"})}


def test_net_of_the_die_folds_to_a_cube(deck: ConexDeck, pages: list[Image8]) -> None:
    """Four sides in a row and one above and below the second, each 18 mm and each with ink in its middle."""
    net = place_of(arrange(conex_pieces(deck, PROXY), "A4"), "Die")
    page = pages[-1]
    left, top = net.x, net.y + net.piece.size_mm[1] / 2 - DIE_MM / 2
    for column, row in ((0, 0), (1, 0), (2, 0), (3, 0), (1, -1), (1, 1)):
        face = cut_out(page, (left + column * DIE_MM, top + row * DIE_MM, DIE_MM, DIE_MM))
        n = face.shape[0]
        assert face[n // 4 : -n // 4, n // 4 : -n // 4].min() < 90
        assert 200 < int(face[6:12, 6:12].mean()) < 250
    beside = cut_out(page, (left + 2.4 * DIE_MM, top - 0.8 * DIE_MM, 0.5 * DIE_MM, 0.6 * DIE_MM))
    assert beside.min() == 255


def test_each_page_has_the_control_ruler(pages: list[Image8]) -> None:
    """A line of 100 mm to check the print, beside the cards and below the pieces."""
    assert ruler_mm(pages[-1][round(270 * PX_PER_MM) :]) == pytest.approx(RULER_MM, abs=0.25)
    assert ruler_mm(pages[0][:, : round(20 * PX_PER_MM)]) == pytest.approx(RULER_MM, abs=0.25)


@pytest.mark.parametrize("paper", PAPERS)
def test_pieces_stay_on_the_paper_and_apart(deck: ConexDeck, paper: str) -> None:
    """On both papers all pieces lie within the printable page, above the ruler, and none on another."""
    places = arrange(conex_pieces(deck, PROXY), paper)
    width, height = PAPERS[paper]
    boxes = [(p.x, p.y, p.x + p.piece.size_mm[0], p.y + p.piece.size_mm[1]) for p in places]
    for x0, y0, x1, y1 in boxes:
        assert x0 >= MARGIN_MM
        assert y0 >= MARGIN_MM
        assert x1 <= width - MARGIN_MM
        assert y1 <= height - MARGIN_MM - STRIP_MM
    for i, a in enumerate(boxes):
        for j in range(i):
            b = boxes[j]
            apart = max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])
            assert places[i].page != places[j].page or apart >= 6


def test_pieces_that_are_too_many_go_to_a_further_page(deck: ConexDeck) -> None:
    """Three boards fill two pages; one larger than the paper is refused in one line."""
    board, *_ = conex_pieces(deck, PROXY)
    assert [p.page for p in arrange([board] * 3, "A4")] == [0, 0, 1]
    huge = type(board)((300.0, 300.0), board.draw, board.words)
    with pytest.raises(RefereeError, match="a piece of 300 × 300 mm does not fit on A4 paper"):
        arrange([huge], "A4")


def test_backs_follow_cards_and_not_the_pieces(deck: ConexDeck, tmp_path: Path) -> None:
    """With backs each card page has one behind it and the page of pieces has none; progress counts them all."""
    seen: list[tuple[int, int]] = []
    out = tmp_path / "out.pdf"
    assert write_sheet("conex", PROXY, out, "Letter", True, lambda done, total: seen.append((done, total))) == 15
    assert seen == [(2, 15), (4, 15), (6, 15), (8, 15), (10, 15), (12, 15), (14, 15), (15, 15)]
    layout = lay_out(deck.card_mm, "Letter")
    x, y = layout.corner(0, mirrored=True)
    assert same(cut_out(render(out, 1), (x, y, *deck.card_mm)), PROXY / "back.png") < 8
