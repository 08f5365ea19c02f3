"""A board that nobody has measured is as large as the cards on its plane tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.render.scene import View, look_at
from tests.vision.plain_photo import CARD, SIDE, PlainPhoto
from tests.vision.test_plane import plane_of, quad_of, spread
from vision.board_side import BoardSide, board_side, with_board_side
from vision.cards.plain import locate_plain
from vision.deck import DeckAppearance
from vision.live import Eye
from vision.scene import SceneModel
from vision.types import Frame

BOARD_MM = 105.0


@pytest.fixture(scope="module")
def view() -> View:
    """A table seen at a slant."""
    return look_at((1280, 720), 64.0, 700.0, 25.0, 40.0)


def test_cards_tell_the_side_whatever_was_taken_before(view: View) -> None:
    """The side comes out with a doubt that holds it, and less doubt the more cards there are."""
    board = quad_of(view, 10.0, -20.0, 0.3, (BOARD_MM, BOARD_MM))
    cards = [(q, CARD) for q in spread(view, np.random.default_rng(1), n=8, noise_px=0.4)]
    plane = plane_of(view)
    wrong = replace(plane, to_px=plane.to_px @ np.diag([BOARD_MM / 120, BOARD_MM / 120, 1.0]))
    many, few = (board_side(wrong, board, some) for some in (cards, cards[:1]))
    assert many is not None
    assert few is not None
    assert abs(many.mm - BOARD_MM) < 2 * many.sigma_mm < 2.5
    assert abs(few.mm - BOARD_MM) < 2 * few.sigma_mm
    assert many.sigma_mm < few.sigma_mm


def test_what_is_no_card_tells_nothing(view: View) -> None:
    """Outlines of another shape are left out, and outlines that agree on no size tell none."""
    board = quad_of(view, 0.0, 0.0, 0.0, (BOARD_MM, BOARD_MM))
    strip = (quad_of(view, 120.0, 0.0, 0.2, (40.0, 90.0)), CARD)
    assert board_side(plane_of(view), board, [strip]) is None
    sizes = [(CARD[0] * k, CARD[1] * k) for k in (0.8, 1.0, 1.25)]
    mixed = [(quad_of(view, 150.0 * k - 150, 0.0, 0.1, s), CARD) for k, s in enumerate(sizes)]
    assert board_side(plane_of(view), board, mixed) is None


def taken(conex: DeckAppearance, side_mm: float) -> DeckAppearance:
    """The deck of a copy whose board nobody has measured."""
    return replace(with_board_side(conex, BoardSide(side_mm, 0.0)), board_taken=True)


def test_a_board_taken_too_large_is_measured_in_a_picture(game: PlainPhoto, conex: DeckAppearance) -> None:
    """It comes out right to its doubt, and the cards are named as with a deck that knows it."""
    got = locate_plain(game.rgb, taken(conex, 1.14 * SIDE))
    assert got.side is not None
    assert abs(got.side.mm - SIDE) < 2.5 * got.side.sigma_mm < 0.04 * SIDE
    assert {d.face for d in got.detections} == set(game.cards)


def test_a_measured_board_keeps_its_size(game: PlainPhoto, conex: DeckAppearance) -> None:
    """From the first picture that tells it all pictures have one size, and its doubt widens where the board lies."""
    eye = Eye(SceneModel(taken(conex, 1.14 * SIDE)))
    first, second = (eye.read(Frame(game.rgb, float(n), n)) for n in range(2))
    assert first.settled is not None
    assert second.settled is not None
    boards = [look.settled.table.board for look in (first, second) if look.settled is not None]
    assert boards[0] is not None
    assert boards[1] is not None
    assert boards[0].size_mm == boards[1].size_mm
    assert abs(boards[0].size_mm[0] - SIDE) < 0.03 * SIDE
    assert boards[1].sigma_mm > 0.003 * SIDE
