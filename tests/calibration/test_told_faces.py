"""Pieces told by their colour and pieces told by more than that make one list."""

from __future__ import annotations

import numpy as np

from calibration.capture.cactus.seen_pieces import SeenPiece
from calibration.capture.cactus.told_faces import with_faces

_TABLE = np.array([50.0, 10.0, 10.0])
_OTHER = np.array([60.0, 30.0, -20.0])
_SHADE = np.array([30.0, 7.0, 7.0])


def _piece(left: int, top: int, wide: int, high: int, lab: np.ndarray = _OTHER, told: bool = False) -> SeenPiece:
    """A rectangle of so many px, at twice the picture's scale; one that is told by more than colour has a rim."""
    rim = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], float) + [left, top]
    return SeenPiece(np.ones((2 * high, 2 * wide), np.uint8), (left, top), lab, _TABLE, rim if told else None)


_PIECE_EVERYWHERE = np.ones((200, 400), np.float32)
_DOUBTFUL = 0.8 * _PIECE_EVERYWHERE


def test_where_both_agree_the_rim_is_sought_from_both() -> None:
    """The piece stays as it is seen by its colour, and has the face's outline beside."""
    seen, face = _piece(10, 10, 40, 40), _piece(11, 10, 40, 41, told=True)
    (one,) = with_faces([seen], [face], _PIECE_EVERYWHERE)
    assert one.whole is seen.whole
    assert one.rim is face.rim


def test_a_piece_that_lost_a_part_to_its_table_is_taken_as_it_was_told() -> None:
    """One that ends halfway by its colour has its whole face."""
    whole = _piece(10, 10, 40, 80, told=True)
    assert with_faces([_piece(10, 10, 40, 40)], [whole], _PIECE_EVERYWHERE) == [whole]


def test_pieces_of_one_paint_that_touch_are_parted() -> None:
    """What is one by its colour is as many as there are faces, and what lies beside stays."""
    faces = [_piece(10, 10, 40, 40, told=True), _piece(50, 10, 40, 40, told=True)]
    beside = _piece(200, 10, 40, 40)
    assert with_faces([_piece(10, 10, 80, 40), beside], faces, _PIECE_EVERYWHERE) == [beside, *faces]


def test_nothing_of_the_tables_own_colour_is_added() -> None:
    """Neither a patch between shadows nor a shadow is a piece; what has its own colour is one, and what surely is."""
    faces = [_piece(10, 10, 40, 40, _TABLE, told=True), _piece(100, 10, 40, 40, _SHADE, told=True)]
    own = _piece(200, 10, 40, 40, told=True)
    assert with_faces([], [*faces, own], _DOUBTFUL) == [own]
    assert with_faces([], [*faces, own], _PIECE_EVERYWHERE) == [*faces, own]


def test_a_spot_of_the_table_is_no_piece() -> None:
    """It has a colour of its own, and nothing else of a piece."""
    plate = _PIECE_EVERYWHERE.copy()
    plate[:60] = 0.3
    there = _piece(200, 100, 40, 40)
    assert with_faces([_piece(10, 10, 40, 40), there], [], plate) == [there]


def test_a_part_of_a_piece_that_was_told_whole_is_no_second_one() -> None:
    """By their colour both were seen, the whole and a part of it."""
    whole, part, face = _piece(10, 10, 40, 80), _piece(10, 10, 40, 30), _piece(10, 10, 41, 80, told=True)
    (one,) = with_faces([part, whole], [face], _PIECE_EVERYWHERE)
    assert one.whole is whole.whole


def test_a_crumb_of_a_piece_that_was_told_whole_takes_nothing_from_it() -> None:
    """Whichever of both comes first."""
    whole, face, crumb = _piece(10, 10, 40, 80), _piece(10, 10, 41, 80, told=True), _piece(20, 70, 12, 12, told=True)
    for faces in ([face, crumb], [crumb, face]):
        (one,) = with_faces([whole], faces, _PIECE_EVERYWHERE)
        assert one.whole is whole.whole
        assert one.rim is face.rim
