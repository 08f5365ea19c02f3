"""The paints of pieces are taken from the plates of a picture where a set's cacti tell another light."""

from __future__ import annotations

import numpy as np
import pytest

from vision.cactus.piece_lamp import in_light_of_plates
from vision.cactus.piece_paint import Paint, distances, gamma, linear
from vision.cactus.plate_map import Chances
from vision.types import Rgb

Array = np.ndarray
PX_MM = 2.0
SHOWN = np.array([[0.75, 0.2, 0.2], [0.75, 0.6, 0.15], [0.15, 0.45, 0.5], [0.6, 0.5, 0.7], [0.85, 0.82, 0.75]])
CACTUS = np.array([0.3, 0.5, 0.25])
COLD = np.array([0.7, 1.0, 1.7])


def _picture(colours: Array) -> tuple[Rgb, Chances]:
    """Plates of 20 mm beside one another before a grey wall."""
    side = round(20 * PX_MM)
    rgb = np.full((3 * side, 2 * side * len(colours) + side, 3), 128, np.uint8)
    plates = np.zeros(rgb.shape[:2], np.uint8)
    for k, colour in enumerate(colours):
        box = np.s_[side : 2 * side, side + 2 * side * k : 2 * side + 2 * side * k]
        rgb[box] = np.round(255 * colour)
        plates[box] = 255
    return rgb, plates


def _taken(known: Array, rgb: Rgb, plates: Chances) -> Array:
    paint = Paint(("a", "b", "c", "d", "e"), np.vstack([known, CACTUS]), 1)
    bodies = np.zeros(plates.shape, np.uint8)
    return np.asarray(in_light_of_plates(paint, rgb, plates, bodies, PX_MM).shades)


def _off(shades: Array) -> Array:
    return np.diagonal(distances(SHOWN, shades[:5]))


def test_pieces_in_a_light_that_the_cacti_do_not_tell_are_of_their_paints() -> None:
    """A set whose cacti lay under another lamp than its pieces when it was learned."""
    known = np.clip(gamma(linear(SHOWN) * COLD), 0.01, 1.0)
    assert _off(known).max() > 2.0
    assert _off(_taken(known, *_picture(SHOWN))).max() < 0.8


def test_a_paint_that_no_plate_shows_follows_the_light_of_the_others() -> None:
    """Where three pieces hang, a fourth of another paint will be told too."""
    known = np.clip(gamma(linear(SHOWN) * COLD), 0.01, 1.0)
    assert _off(_taken(known, *_picture(SHOWN[[0, 2, 3]]))).max() < 1.2


def test_one_paint_alone_that_was_learned_wrong_is_taken_as_it_is_seen() -> None:
    """Shine on it when it was learned, and on no other."""
    known = SHOWN.copy()
    known[0] = [0.75, 0.32, 0.32]
    before = _off(known)
    after = _off(_taken(known, *_picture(SHOWN[[0, 0, 1, 2, 3, 4]])))
    assert before[0] > 2.0
    assert after[0] < before[0] / 2
    assert after[1:].max() < 0.5


def test_what_a_set_says_holds_where_too_little_hangs() -> None:
    """Two plates of strange colours are no light."""
    rgb, plates = _picture(np.array([[0.3, 0.7, 0.3], [0.2, 0.6, 0.9]]))
    assert _taken(SHOWN, rgb, plates)[:5] == pytest.approx(SHOWN)


def test_what_is_no_plate_tells_nothing() -> None:
    """Walls and boxes of any colour change no paint."""
    rgb, plates = _picture(SHOWN * [1.0, 0.8, 0.6])
    assert _taken(SHOWN, rgb, np.zeros_like(plates))[:5] == pytest.approx(SHOWN)


def test_the_colour_of_a_cactus_is_no_paint() -> None:
    """Arms of cacti that stand beyond their outlines are not taken for pieces."""
    near = np.clip(gamma(linear(CACTUS)[None] * np.array([[1.0], [1.1], [0.9], [1.05]])), 0, 1)
    assert _taken(SHOWN, *_picture(near))[:5] == pytest.approx(SHOWN)
