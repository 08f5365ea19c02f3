"""Signed gaps, overlaps and containment of outlines, in millimetres."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import geometry
from scoring.table import Placement, Point, Pose

UNIT = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def square(x: float, y: float, side: float = 10.0) -> tuple[Point, ...]:
    return ((x, y), (x + side, y), (x + side, y + side), (x, y + side))


@pytest.mark.parametrize(
    ("other", "gap"),
    [
        (square(13, 0), 3.0),
        (square(10, 0), 0.0),
        (square(8, 0), -2.0),
        (square(8, 7), -2.0),
        (square(13, 14), 5.0),
        (square(4, 4, 2), -6.0),
    ],
)
def test_the_signed_gap_is_a_distance_or_the_depth_of_the_overlap(other: tuple[Point, ...], gap: float) -> None:
    """Negative is the length of the shortest shift that parts the two."""
    assert geometry.signed_gap_mm(UNIT, other) == pytest.approx(gap, abs=1e-9)
    assert geometry.signed_gap_mm(other, UNIT) == pytest.approx(gap, abs=1e-9)


def test_a_concave_outline_has_its_own_depth() -> None:
    """A peg in the notch of a U touches neither leg; pushed down it is as deep as it reaches into the base."""
    u_shape = ((0.0, 0.0), (3.0, 0.0), (3.0, 7.0), (7.0, 7.0), (7.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))
    assert geometry.signed_gap_mm(u_shape, square(4, 4, 2)) == pytest.approx(1.0)
    assert geometry.signed_gap_mm(u_shape, square(4, 6, 2)) == pytest.approx(-1.0)


@given(
    st.floats(-12, 12),
    st.floats(-12, 12),
    st.floats(-math.pi, math.pi),
    st.floats(-100, 100),
    st.floats(-math.pi, math.pi),
)
def test_moving_and_turning_both_outlines_keeps_their_gap(
    dx: float, dy: float, turn: float, shift: float, whole: float
) -> None:
    """A gap belongs to the two pieces, not to the place on the table."""
    other = geometry.transformed(UNIT, dx, dy, turn)
    gap = geometry.signed_gap_mm(UNIT, other)
    a, b = (geometry.transformed(o, shift, -shift, whole) for o in (UNIT, other))
    assert geometry.signed_gap_mm(a, b) == pytest.approx(gap, abs=1e-6)


@settings(max_examples=40)
@given(st.floats(-12, 12), st.floats(-12, 12), st.floats(-math.pi, math.pi))
def test_the_depth_parts_the_outlines_and_nothing_shorter_does(dx: float, dy: float, turn: float) -> None:
    """Shifting by the depth in the best of many directions just frees the piece; nine tenths of it never does."""
    other = geometry.transformed(UNIT, dx, dy, turn)
    depth = -geometry.signed_gap_mm(UNIT, other)
    if depth < 0.1:
        return
    ways = [i * math.pi / 30 for i in range(60)]

    def left(length: float) -> float:
        return min(
            geometry.overlap_mm2(UNIT, geometry.transformed(other, length * math.cos(w), length * math.sin(w), 0.0))
            for w in ways
        )

    assert left(0.9 * depth) > 0
    assert left(depth * 1.01) < 0.05


def test_containment_and_sticking_out() -> None:
    """Half a square over the border sticks out by half its side."""
    assert geometry.contained_share(square(5, 0), UNIT) == pytest.approx(0.5)
    assert geometry.stick_out_mm(square(5, 0), UNIT) == pytest.approx(5.0)
    assert geometry.stick_out_mm(square(4, 4, 2), UNIT) == pytest.approx(-4.0)


@pytest.mark.parametrize("outline", [((0.0, 0.0), (1.0, 1.0)), ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0))])
def test_a_line_is_no_outline(outline: tuple[Point, ...]) -> None:
    """Too few corners or no area is an error, not a gap of nothing."""
    with pytest.raises(ValueError, match="an outline needs"):
        geometry.signed_gap_mm(outline, UNIT)


def test_an_outline_that_crosses_itself_becomes_its_larger_part() -> None:
    """A measured outline may have a tiny loop at a corner."""
    loop = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0), (0.0, 9.9), (-0.1, 10.1))
    assert geometry.area_mm2(loop) == pytest.approx(100.0, rel=0.01)


def flat(x: float, y: float, angle: float = 0.0) -> Placement:
    return Placement("p", None, Pose(x, y, angle), (60.0, 90.0))


@pytest.mark.parametrize(
    ("x", "y", "gap"),
    [
        (65.0, 0.0, 5.0),
        (56.0, 0.0, -4.0),
        (61.0, 91.0, math.sqrt(2) * 7 - 6),  # corner to corner: both round corners leave room
        (59.0, 89.0, math.sqrt(2) * 5 - 6),  # here the full rectangles would overlap by 1 mm
    ],
)
def test_gap_of_rounded_cards_is_exact(x: float, y: float, gap: float) -> None:
    """Along sides as between rectangles, at corners by the radii."""
    a, b = geometry.rounded(flat(0, 0), 3.0), geometry.rounded(flat(x, y), 3.0)
    assert geometry.grown_gap_mm(a, b) == pytest.approx(gap, abs=1e-9)
    ends = geometry.nearest(a, b)
    if gap > 0:
        assert math.dist(*ends) == pytest.approx(gap)


@given(st.floats(-70, 70), st.floats(-90, 90), st.floats(-4, 4))
def test_fast_gap_of_convex_outlines_is_the_gap(x: float, y: float, angle: float) -> None:
    """The way without shapely says what the other one says."""
    a, b = flat(0, 0).corners(), flat(x, y, angle).corners()
    assert geometry.convex_gap_mm(a, b) == pytest.approx(geometry.signed_gap_mm(a, b), abs=1e-6)


@pytest.mark.parametrize(("x", "clear"), [(0.0, 10.0), (12.0, -2.0), (9.0, 1.0)])
def test_clearance_to_a_border(x: float, clear: float) -> None:
    """Inside positive with the two ends of the gap, outside negative with the part outside."""
    found, where = geometry.clearance_mm(
        geometry.rounded(flat(x, 0), 3.0), [(-60, -60), (40, -60), (40, 60), (-60, 60)]
    )
    assert found == pytest.approx(clear)
    assert len(where) == 2 if clear > 0 else len(where) > 2


def test_reach_is_the_farthest_corner_outside() -> None:
    """Nothing reaches out of what holds it."""
    assert geometry.reach_mm(square(5, 0), UNIT) == pytest.approx(5.0)
    assert geometry.reach_mm(square(4, 4, 2), UNIT) == 0.0
