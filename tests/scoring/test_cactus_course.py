"""Which of several new pieces a turn of Cactus has hung, by the order of the cacti."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from scoring.games.cactus_course import Course, Fresh, fresh_of
from tests.scoring.cactus_tables import set_of, table

ALL = ("K1", "K2", "K3", "K4", "K5")
DECK = set_of()


def fresh(new: dict[str, str], course: Course | None, before: Iterable[str] = ALL, after: Iterable[str] = ALL) -> Fresh:
    old = {"hook-blue": "K2"}
    return fresh_of(DECK, table(old, cacti=before), table({**old, **new}, cacti=after), course)


def test_single_new_piece_is_of_this_turn_wherever_it_hangs() -> None:
    """Whoever hangs a piece on the wrong cactus has hung it all the same."""
    for course in (None, Course("K1"), Course("K4", 2, 0)):
        assert fresh({"bar-red": "K5"}, course) == Fresh("bar-red")
    assert fresh({}, Course("K1")) == Fresh(None)


def test_next_cactus_tells_the_piece_of_this_turn() -> None:
    """Where the turn before was told, the piece on the next cactus is of this turn and the other one hung before."""
    two = {"bar-red": "K5", "gate-blue": "K1"}
    assert fresh(two, Course("K5")) == Fresh("gate-blue", ("bar-red",))
    assert fresh(two, Course("K1", step=-1)) == Fresh("bar-red", ("gate-blue",))
    assert fresh(two, Course("K2")) == Fresh(None)
    assert fresh(two, None) == Fresh(None)


def test_piece_that_was_overlooked_when_it_was_hung_is_told() -> None:
    """After a turn that showed no new piece, the one on the cactus of that turn is named."""
    two = {"bar-red": "K5", "gate-blue": "K1"}
    assert fresh(two, Course("K4", 1)) == Fresh("gate-blue", ("bar-red",), "bar-red")
    assert fresh(two, Course("K2", 1, -1)) == Fresh("bar-red", ("gate-blue",), "gate-blue")
    assert fresh(two, Course(None, 1)) == Fresh("gate-blue", ("bar-red",), "bar-red")
    assert fresh(two, Course(None, 0)) == Fresh(None)


@pytest.mark.parametrize(
    ("new", "course"),
    [
        ({"bar-red": "K1", "gate-blue": "K1"}, Course("K5")),
        ({"bar-red": "K2", "gate-blue": "K4"}, Course(None, 1)),
        ({"bar-red": "K1", "gate-blue": "K2"}, Course("K5", 1, 0)),
        ({"bar-red": "K1", "gate-blue": "K2", "stair-green": "K3"}, Course(None, 1)),
    ],
)
def test_nothing_is_told_where_the_order_does_not_part_them(new: dict[str, str], course: Course) -> None:
    """On one cactus, on two apart from each other, or where nobody keeps to an order, none is named."""
    assert fresh(new, course) == Fresh(None)


def test_piece_on_a_cactus_that_was_out_of_sight_is_not_of_this_turn() -> None:
    """What hangs on a cactus that comes into view hung there before."""
    some = ("K1", "K2", "K3", "K4")
    assert fresh({"bar-red": "K5", "gate-blue": "K1"}, None, some) == Fresh("gate-blue", ("bar-red",))
    assert fresh({"bar-red": "K4", "gate-blue": "K1"}, Course("K5"), some, some) == Fresh(None)


def test_course_learns_the_direction() -> None:
    """From left to right until two turns after each other say otherwise."""
    course = Course().after("K2", ALL)
    assert course == Course("K2")
    assert course.after(None, ALL) == Course("K2", 1)
    assert course.after("K3", ALL).step == 1
    assert course.after("K1", ALL) == Course("K1", 0, -1)
    assert course.after("K5", ALL).step == 0
    assert course.after(None, ALL).after("K5", ALL) == Course("K5")
