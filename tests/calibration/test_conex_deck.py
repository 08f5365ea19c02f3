"""The bundled CONEX deck is a game that can be played: every corner fits somewhere, and no two cards are alike."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from shapely import affinity
from shapely.geometry import Polygon, box

from calibration.art import conex_proxy
from calibration.art.canvas import Canvas, mask_of, rgb
from calibration.art.colours import DEFICIENCIES, lab
from calibration.art.conex import PX_PER_MM, describe, draw_face
from calibration.art.conex_deal import CARDS, GAP_MM, ConexCard, deal, difference, labels
from calibration.art.conex_tokens import pawn
from scoring.deck import ConexDeck, ConexFace, Corner, parse_deck
from vision.deck import load_appearance

PROXY = Path(conex_proxy.__file__).parents[1] / "decks" / "conex-proxy"
CARD = box(0, 0, 59, 92)
CLEAR_MM = 2.0
"""What a player leaves between a laid card and the other corners of the card below."""


@pytest.fixture(scope="module")
def deck() -> ConexDeck:
    """The bundled deck as the rules see it."""
    parsed = parse_deck(json.loads((PROXY / "deck.json").read_text(encoding="utf-8")), "deck.json")
    assert isinstance(parsed, ConexDeck)
    return parsed


@pytest.fixture(scope="module")
def dealt() -> list[ConexCard]:
    """The cards that the script deals for the bundled deck."""
    return deal(np.random.default_rng(conex_proxy.style().seed))


def picture(file: Path) -> NDArray[np.float64]:
    """(H, W, 3 or 4) of a picture file."""
    with Image.open(file) as image:
        return np.asarray(image, np.float64)


@dataclass(frozen=True)
class Laid:
    """The piece below as seen from the card on top, in mm of the top card's face."""

    below: Polygon
    others: tuple[Polygon, ...]
    """What must stay clear on the piece below."""


def placed(region: Polygon, piece: Polygon, others: tuple[Polygon, ...]) -> Iterator[Laid]:
    """All ways to lay a corner on a rectangular piece exactly: its four corners, or along its four edges."""
    inner = [p for p in list(region.exterior.coords)[:-1] if 0.01 < p[0] < 58.99 and 0.01 < p[1] < 91.99]
    ring = list(piece.exterior.coords)
    if inner:  # the lower piece's corner: its two sides run along the region's two inner sides
        (tip,) = inner
        points = list(region.exterior.coords)[:-1]
        k = points.index(tip)
        ways = [np.subtract(points[k - 1], tip), np.subtract(points[(k + 1) % len(points)], tip)]
        for i in range(4):
            corner, after = np.array(ring[i]), np.array(ring[i + 1])
            side = after - corner
            for way in ways:
                turn = float(np.degrees(np.arctan2(way[1], way[0]) - np.arctan2(side[1], side[0])))
                yield _moved(piece, others, corner, turn, np.array(tip))
    else:  # the lower piece's edge cuts the corner off
        points = list(region.exterior.coords)[:-1]
        a, b = (np.array(p) for p in points if not _is_card_corner(p))
        for i in range(4):
            start, end = np.array(ring[i]), np.array(ring[i + 1])
            side = end - start
            long, cut = float(np.linalg.norm(side)), float(np.linalg.norm(b - a))
            for slide in np.arange(1.0, long - cut - 1.0, 5.0):
                at = start + side / long * slide
                for p, q in ((a, b), (b, a)):
                    turn = float(np.degrees(np.arctan2(*(q - p)[::-1]) - np.arctan2(side[1], side[0])))
                    yield _moved(piece, others, at, turn, p)


def _is_card_corner(p: tuple[float, float]) -> bool:
    return min(p[0], 59 - p[0]) < 0.01 and min(p[1], 92 - p[1]) < 0.01


def _moved(
    piece: Polygon, others: tuple[Polygon, ...], at: NDArray[np.float64], turn: float, to: NDArray[np.float64]
) -> Laid:
    def move(shape: Polygon) -> Polygon:
        spun = affinity.rotate(shape, turn, origin=tuple(at))
        return affinity.translate(spun, to[0] - at[0], to[1] - at[1])

    return Laid(move(piece), tuple(move(o) for o in others))


def is_exact(laid: Laid, region: Polygon) -> bool:
    """Whether the overlap of the two is the region, to a hair."""
    return float(laid.below.intersection(CARD).symmetric_difference(region).area) < 0.6


def fits(corner: Corner, others: tuple[Polygon, ...]) -> bool:
    """Whether a corner can be laid on a card somewhere without touching what must stay clear."""
    region = Polygon(corner.region)
    return any(
        all(CARD.distance(o) > CLEAR_MM for o in laid.others) and is_exact(laid, region)
        for laid in placed(region, CARD, others)
    )


def regions(face: ConexFace) -> tuple[Polygon, ...]:
    """The corners of a face as polygons."""
    return tuple(Polygon(c.region) for c in face.corners)


def test_the_deck_has_the_cards_of_the_game(deck: ConexDeck) -> None:
    """52 cards, 13 a ground, 2 or 3 corners of other colours, numbers 1 to 5; 8 cards of each action."""
    faces = deck.faces.values()
    assert Counter(f.color for f in faces) == dict.fromkeys(deck.colors, 13)
    assert list(deck.faces) == [f"C{i:02d}" for i in range(1, 53)]
    assert list(deck.card_mm) == [59, 92]
    for face in faces:
        assert len(face.corners) in (2, 3)
        assert face.color not in {c.color for c in face.corners}
        assert len({c.color for c in face.corners}) == len({c.value for c in face.corners}) == len(face.corners)
        if face.symbol == "plus2":
            assert max(c.value for c in face.corners) == 5
    assert {c.value for f in faces for c in f.corners} == {1, 2, 3, 4, 5}
    assert Counter((f.color, f.symbol) for f in faces if f.symbol) == {
        (color, symbol): 2 for color in deck.colors for symbol in ("plus2", "die")
    }


def test_no_ground_is_better_than_another(deck: ConexDeck) -> None:
    """Each ground has the same numbers; on it the other colours are equally frequent and nearly equal in worth."""
    for color in deck.colors:
        faces = [f for f in deck.faces.values() if f.color == color]
        assert Counter(tuple(sorted(c.value for c in f.corners)) for f in faces) == Counter(
            tuple(sorted(values)) for _, values in CARDS
        )
        corners = [c for f in faces for c in f.corners]
        counts = Counter(c.color for c in corners)
        worth = [sum(c.value for c in corners if c.color == other) for other in counts]
        assert max(counts.values()) - min(counts.values()) <= 1
        assert max(worth) - min(worth) <= 2


def test_the_smaller_a_corner_the_more_it_is_worth(deck: ConexDeck) -> None:
    """Mean area falls with the number."""
    corners = [c for f in deck.faces.values() for c in f.corners]
    areas = [np.mean([Polygon(c.region).area for c in corners if c.value == v]) for v in range(1, 6)]
    assert all(a > b + 10 for a, b in itertools.pairwise(areas))


def test_corners_of_a_card_keep_apart(deck: ConexDeck) -> None:
    """At least 6 mm between any two corners of a card, and none reaches the symbol's place in the middle."""
    for face in deck.faces.values():
        for a, b in itertools.combinations(regions(face), 2):
            assert a.distance(b) >= GAP_MM - 0.02, face.id
        assert all(r.distance(box(18, 34, 41, 58)) > 1 for r in regions(face)), face.id
        assert all(CARD.buffer(0.001).contains(r) for r in regions(face)), face.id


def test_every_corner_is_the_overlap_of_two_cards(deck: ConexDeck) -> None:
    """For each corner a card of the deck's size can be laid below so that the overlap is the region exactly."""
    for face in deck.faces.values():
        for corner in face.corners:
            region = Polygon(corner.region)
            assert any(is_exact(laid, region) for laid in placed(region, CARD, ())), (face.id, corner)


def test_every_corner_can_be_laid_on_most_cards_of_its_colour(deck: ConexDeck) -> None:
    """Each corner finds a place on at least half of the cards of its colour, and each card takes most corners."""
    for color in deck.colors:
        below = [f for f in deck.faces.values() if f.color == color]
        corners = [c for f in deck.faces.values() for c in f.corners if c.color == color]
        free = np.array([[fits(c, regions(f)) for f in below] for c in corners])
        assert free.mean(axis=1).min() >= 0.5
        assert free.mean(axis=0).min() >= 0.5
        assert free.mean() > 0.85


def test_every_corner_can_be_laid_on_the_board(deck: ConexDeck) -> None:
    """Each corner finds a place on the space of its colour that covers neither the track nor another space."""
    side = deck.board.size_mm
    board = box(0, 0, side, side)
    for space in deck.board.spaces:
        rest = board.difference(Polygon(space.region))
        for corner in (c for f in deck.faces.values() for c in f.corners if c.color == space.color):
            region = Polygon(corner.region)
            ways = [laid for laid in placed(region, board, (rest,)) if is_exact(laid, region)]
            assert any(CARD.intersection(laid.others[0]).area < 0.1 for laid in ways), corner


def test_cards_of_a_ground_differ_widely(dealt: list[ConexCard]) -> None:
    """Any two faces of one ground differ on more than 6 cm², also when one lies upside down."""
    for ground in range(4):
        seen = [labels(c.marks) for c in dealt if c.ground == ground]
        assert min(difference(a, b) for a, b in itertools.combinations(seen, 2)) > 600
        assert min(np.count_nonzero(s // 10 != s[::-1, ::-1] // 10) * 4 for s in seen) > 300


def test_grounds_are_told_apart_by_all_eyes(deck: ConexDeck) -> None:
    """With common vision and three colour deficiencies the four lightnesses are clear steps and no pair is alike."""
    for eyes in (None, *DEFICIENCIES):
        colours = [lab(rgb(c), eyes) for c in deck.colors.values()]
        assert np.diff(sorted(c[0] for c in colours)).min() > 9, eyes
        assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(colours, 2)) > 30, eyes


def test_pawns_stand_out_from_the_track_and_from_each_other(deck: ConexDeck) -> None:
    """Every pawn differs clearly from the squares under it and from the other pawns, to all eyes."""
    board = picture(PROXY / "board.png")
    squares = {tuple(board[round((y - 5) * PX_PER_MM), round((x - 5) * PX_PER_MM)]) for x, y in deck.board.track[1:]}
    assert 1 <= len(squares) <= 3
    for eyes in (None, *DEFICIENCIES):
        pawns = [lab(rgb(c), eyes) for c in deck.pawns.values()]
        assert min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(pawns, 2)) > 20, eyes
        for square in squares:
            under = lab((float(square[0]), float(square[1]), float(square[2])), eyes)
            assert min(float(np.linalg.norm(p - under)) for p in pawns) > 10, eyes
    marks = [pawn(rgb("#808080"), k) for k in range(len(deck.pawns))]
    assert all(np.abs(a.astype(int) - b).max() > 60 for a, b in itertools.combinations(marks, 2))


def test_track_is_a_ring_of_squares_in_order(deck: ConexDeck) -> None:
    """Neighbours on the track are neighbours on the board, the goal lies beside square 1, none lies on a space."""
    track = np.array(deck.board.track)
    assert deck.board.goal == len(track) - 1 == 36
    ring = track[1:]
    steps = np.linalg.norm(np.roll(ring, -1, axis=0) - ring, axis=1)
    np.testing.assert_allclose(steps, 13.5, atol=0.01)
    apart = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(track, 2)]
    assert min(apart) > 13
    squares = [box(x - 6.2, y - 6.2, x + 6.2, y + 6.2) for x, y in ring]
    assert all(s.distance(Polygon(space.region)) > 0.3 for s in squares for space in deck.board.spaces)
    assert sorted(s.color for s in deck.board.spaces) == sorted(deck.colors)


def test_pictures_are_complete_and_small() -> None:
    """Every picture opens at 8 px a millimetre, stars are clear round their outline, and all stay below 3 MB."""
    assert len(load_appearance(PROXY).looks) >= 53
    files = list(PROXY.iterdir())
    assert sum(f.stat().st_size for f in files) < 3_000_000
    for i in range(1, 53):
        with Image.open(PROXY / f"C{i:02d}.png") as image:
            assert image.size == (472, 736)
    assert picture(PROXY / "board.png").shape == (960, 960, 3)
    for kind in ("2x", "lightning"):
        star = picture(PROXY / f"star-{kind}.png")
        assert star[0, 0, 3] == 0
        assert star[star.shape[0] // 2, star.shape[1] // 2, 3] == 255


def test_faces_show_what_the_deck_says(deck: ConexDeck) -> None:
    """Inside each region its colour prevails, a card's ground elsewhere, and silver in the middle of action cards."""
    for face in deck.faces.values():
        image = picture(PROXY / face.image)[::4, ::4]
        near = {n: np.abs(image - np.array(rgb(c))).max(axis=2) < 12 for n, c in deck.colors.items()}
        for corner in face.corners:
            inside = mask_of(image.shape[:2], [np.array(corner.region) * PX_PER_MM / 4]) > 0.5
            assert near[corner.color][inside].mean() > 0.5, (face.id, corner)
        assert near[face.color].mean() > 0.8, face.id
        middle = image[77:107, 41:76]
        grey = (np.ptp(middle, axis=2) < 30) & (middle.mean(axis=2) > 120)
        assert grey.mean() > 0.2 if face.symbol else not grey.any(), face.id


def test_back_is_the_same_after_half_a_turn() -> None:
    """The back does not give away how a card was turned."""
    back = picture(PROXY / "back.png")
    assert np.abs(back - back[::-1, ::-1]).mean() < 3


def test_files_are_what_the_script_draws(dealt: list[ConexCard]) -> None:
    """The committed deck comes from the committed script, picture for picture."""
    style = conex_proxy.style()
    assert json.loads((PROXY / "deck.json").read_text(encoding="utf-8")) == json.loads(
        json.dumps(describe(style, dealt))
    )
    assert np.abs(draw_face(style, dealt[20]) - picture(PROXY / "C21.png")).mean() < 0.5
    for kind, (_, draw) in style.stars.items():
        assert np.abs(draw() - picture(PROXY / f"star-{kind}.png")).mean() < 0.5
    for name, size, paint in (("board", (120.0, 120.0), style.board[1]), ("back", style.size_mm, style.back)):
        canvas = Canvas(size, 4.0)  # coarser than the file, which is slow to draw
        paint(canvas)
        drawn = canvas.finish()
        file = cv2.resize(picture(PROXY / f"{name}.png"), drawn.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(drawn - file).mean() < 2.5, name
