"""What the names that a person gave to pieces are names of."""

from __future__ import annotations

import numpy as np

from calibration.capture.cactus.deck import _double
from calibration.capture.cactus.names import Names, name_kinds
from calibration.capture.cactus.pieces import LaidPiece
from calibration.capture.deck import Example

_SQUARE = np.array([[0.0, 0], [20, 0], [20, 20], [0, 20]])


def _read(names: list[tuple[str, int]], colours: list[int], shapes: list[int], of: int = 2) -> Names:
    """Two colours and two shapes, named at pieces by their numbers; a piece that is not there was not found."""
    pieces = [LaidPiece(0, _SQUARE + [40 * i, 0], np.zeros(3), np.zeros(3)) for i in range(len(colours))]
    examples = [Example(name, 0, (40.0 * i + 10, 10.0)) for name, i in names]
    return name_kinds(examples, pieces, np.array(colours), np.array(shapes), of, of)


def test_of_two_names_for_one_piece_the_first_is_its_colour() -> None:
    """Whatever the words are; everyday names of colours may stand in any order."""
    told = _read([("tomato", 0), ("tee", 0), ("moss", 1), ("heart", 1)], [0, 1], [0, 1])
    assert (told.colours, told.shapes) == (("tomato", "moss"), ("tee", "heart"))
    assert not told.unsure_colours | told.unsure_shapes
    told = _read([("tee", 0), ("red", 0), ("blue", 1), ("heart", 1)], [0, 1], [0, 1])
    assert (told.colours, told.shapes) == (("red", "blue"), ("tee", "heart"))


def test_a_shape_whose_piece_was_taken_for_a_special_one_is_known() -> None:
    """It is the shape that has no other name, and the piece has it."""
    told = _read([("tomato", 0), ("tee", 0), ("moss", 1), ("heart", 1)], [0, 1, 1], [-1, 1, 0])
    assert told.shapes == ("tee", "heart")
    assert told.misread == {0: 0}


def test_a_name_where_nothing_was_found_is_told_and_goes_where_one_is_missing() -> None:
    """Two such names could be each other's."""
    told = _read([("red", 0), ("tee", 0), ("blue", 1), ("heart", 9)], [0, 1], [0, 1])
    assert [e.name for e in told.unplaced] == ["heart"]
    assert told.shapes == ("tee", "heart")
    assert not told.unsure_shapes
    told = _read([("red", 0), ("blue", 1), ("tee", 8), ("heart", 9)], [0, 1], [0, 1])
    assert told.unsure_shapes == {0, 1}


def test_what_could_be_understood_otherwise_is_unsure() -> None:
    """Without names nothing is asked: kinds have made-up ones until they get others; with some the rest is asked."""
    told = _read([("tomato", 0)], [0, 1], [0, 1])
    assert (told.unsure_colours, told.unsure_shapes) == ({0, 1}, {0, 1})
    told = _read([], [0, 1], [0, 1])
    assert told.colours == ("kind-1", "kind-2")
    assert not told.unsure_colours | told.unsure_shapes


def test_two_of_one_colour_where_another_is_missing_are_doubtful() -> None:
    """A piece seen on two photos is not, where no colour of its shape is missing."""
    assert _double(np.array([0, 0, 0, -1]), np.array([2, 2, 1, 1])) == {0, 1}
    assert _double(np.zeros(6, np.intp), np.array([0, 1, 2, 3, 4, 4])) == set()
