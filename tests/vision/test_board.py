"""The board is found by its print wherever it lies, whichever way round, and only where there is one."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.render.anycard import random_face
from tests.render.conex_geometry import BOARD, ConexArt, Pose
from tests.render.scene import Sensor
from tests.vision.plain_photo import GAME, PlainPhoto, photograph
from vision.cards.board import Board, align_board, find_board, find_board_by_colours
from vision.cards.rectify import Pyramid
from vision.deck import DeckAppearance, LookSet

SMALL = (640, 360)
SMALL_PX_PER_MM = 1.15
PX_PER_MM = 1.7
WASHED = Sensor(gain=(1.6, 1.6, 1.6), blur=2.0, noise=3.0)
"""Overexposed and blurred: the squares of the track are nearly gone, the coloured spaces are pale."""


@pytest.fixture(scope="module")
def looks(conex: DeckAppearance) -> LookSet:
    assert conex.board is not None
    return conex.board


@pytest.fixture(scope="module")
def boardless(conex_art: ConexArt) -> PlainPhoto:
    """Eight cards and no board."""
    return photograph(conex_art, GAME, None)


def error_px(found: Board | None, photo: PlainPhoto) -> float:
    """The largest distance of a corner from where it is; every corner from its own."""
    assert found is not None
    return float(np.linalg.norm(found.quad_px - photo.board.quad_px, axis=1).max())


def empty(art: ConexArt, pose: Pose, **how: object) -> PlainPhoto:
    """A board without cards."""
    return photograph(art, (), pose, **how)  # type: ignore[arg-type]


@pytest.mark.parametrize("eighth", range(8))
def test_whichever_way_round(eighth: int, conex_art: ConexArt, looks: LookSet) -> None:
    """Turned by eighths, seen at tilts up to 35 degrees from all sides: its printed top-left corner comes first."""
    pose = (10.0 * eighth - 40, 20.0 - 5 * eighth, eighth * np.pi / 4 + 0.1)
    photo = empty(conex_art, pose, tilt_deg=5.0 * eighth, around_deg=40.0 * eighth, size_px=SMALL)
    found = find_board(Pyramid(photo.rgb), looks)
    assert error_px(found, photo) < 0.7
    assert found is not None
    assert found.left < 0.05
    assert error_px(found, photo) < 4 * found.sigma_px


def test_with_cards_on_its_corners(game: PlainPhoto, looks: LookSet) -> None:
    """Cards lie on three of its spaces: it is found as exactly, and more of its contrast is unexplained."""
    found = find_board(Pyramid(game.rgb), looks)
    assert error_px(found, game) < 0.7
    assert found is not None
    assert 0.05 < found.left < 0.4


def test_with_a_fifth_of_it_under_cards(conex_art: ConexArt, looks: LookSet) -> None:
    """Two cards reach into the track: what is left of it is enough."""
    on_top = (("C05", (-40.0, 66.0, 1.2)), ("C17", (74.0, -40.0, 0.2)))
    photo = photograph(conex_art, on_top, (0, 0, 2.5))
    assert photo.visible[0] < 0.82
    assert error_px(find_board(Pyramid(photo.rgb), looks), photo) < 1.0


@pytest.mark.parametrize("angle", [0.2, 3.0])
def test_washed_out(angle: float, conex_art: ConexArt, looks: LookSet) -> None:
    """Where the print is hardly there its coloured spaces tell the place to 4 mm, and the right way round."""
    photo = empty(conex_art, (20, -10, angle), sensor=WASHED)
    assert error_px(find_board_by_colours(Pyramid(photo.rgb), looks, PX_PER_MM), photo) < 4 * PX_PER_MM


def test_colours_find_what_print_does_not(conex_art: ConexArt, looks: LookSet) -> None:
    """There are pictures in which no patch of print agrees and the spaces still do."""
    photo = empty(conex_art, (0, 0, 0.2), sensor=replace(WASHED, blur=3.0))
    pyramid = Pyramid(photo.rgb)
    assert find_board(pyramid, looks) is None
    assert error_px(find_board_by_colours(pyramid, looks, PX_PER_MM), photo) < 4 * PX_PER_MM


def test_colours_find_a_clear_board_too(conex_art: ConexArt, looks: LookSet) -> None:
    """Though the scale is known to a sixth only, the aligned print is as exact as by its patches."""
    photo = empty(conex_art, (30, 10, 5.0), tilt_deg=25, size_px=SMALL)
    for scale in (0.87, 1.15):
        found = find_board_by_colours(Pyramid(photo.rgb), looks, SMALL_PX_PER_MM * scale)
        assert error_px(found, photo) < 0.7


def test_no_board(boardless: PlainPhoto, looks: LookSet) -> None:
    """Cards in the colours of its spaces are no board, by print or by colour."""
    pyramid = Pyramid(boardless.rgb)
    assert find_board(pyramid, looks) is None
    assert find_board_by_colours(pyramid, looks, PX_PER_MM) is None


@pytest.mark.parametrize("grey", [0, 255])
def test_a_flat_picture(grey: int, looks: LookSet) -> None:
    """Lens cap or burnt out: no board, and nothing breaks."""
    pyramid = Pyramid(np.full((360, 640, 3), grey, np.uint8))
    assert find_board(pyramid, looks) is None
    assert find_board_by_colours(pyramid, looks, SMALL_PX_PER_MM) is None


@pytest.mark.parametrize("seed", [1, 2])
def test_another_board_is_not_this_one(seed: int, conex_art: ConexArt, looks: LookSet) -> None:
    """A square full of another print lies there: it is not taken for the board, by print or by colour."""
    other = random_face(np.random.default_rng(seed), 1.0)
    art = replace(conex_art, pictures={**conex_art.pictures, BOARD: other})
    pyramid = Pyramid(empty(art, (0, 0, 0.2), size_px=SMALL).rgb)
    assert find_board(pyramid, looks) is None
    assert find_board_by_colours(pyramid, looks, SMALL_PX_PER_MM) is None


def test_only_the_region_is_searched(game: PlainPhoto, looks: LookSet) -> None:
    """A region with the board finds it at the same place, one without finds nothing, nor does an empty one."""
    pyramid = Pyramid(game.rgb)
    region = np.zeros(game.rgb.shape[:2], np.uint8)
    assert find_board(pyramid, looks, region=region) is None
    region[:, :300] = 1
    assert find_board(pyramid, looks, region=region) is None
    region[:] = 0
    region[100:440, 300:660] = 1
    assert error_px(find_board(pyramid, looks, region=region), game) < 0.7


def test_a_fine_picture_is_made_coarser_first(game: PlainPhoto, looks: LookSet) -> None:
    """In a picture of twice the size the board lies at the same place, whether its scale is told or not."""
    large = np.asarray(cv2.resize(game.rgb, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8)
    for px_per_mm in (None, 2 * PX_PER_MM):
        found = find_board(Pyramid(large), looks, px_per_mm)
        assert found is not None
        assert np.abs((found.quad_px + 0.5) / 2 - 0.5 - game.board.quad_px).max() < 0.7


def test_a_guess_is_aligned(game: PlainPhoto, looks: LookSet) -> None:
    """From a few mm and degrees off the print is aligned; from elsewhere and from a degenerate guess it is not."""
    pyramid, quad = Pyramid(game.rgb), game.board.quad_px
    c, s = np.cos(0.03), np.sin(0.03)
    middle = quad.mean(0)
    guess = (quad - middle) @ np.array([[c, s], [-s, c]]) * 1.02 + middle + [4.0, -5.0]
    assert np.linalg.norm(guess - quad, axis=1).mean() > 6
    assert error_px(align_board(pyramid, looks, guess), game) < 0.7
    assert align_board(pyramid, looks, quad + [220.0, 0.0]) is None
    assert align_board(pyramid, looks, np.roll(quad, 1, 0)) is None
    assert align_board(pyramid, looks, np.tile(middle, (4, 1))) is None
