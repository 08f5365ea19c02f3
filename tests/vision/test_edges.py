"""The edges of a plain card as they are known before a picture is looked at: its outline and its print."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon

from tests.vision.plain_photo import CARD
from vision.cards.edges import outline_edges, printed_edges
from vision.deck import DeckAppearance

PLAIN = outline_edges(CARD, 3.0, [np.full((276, 177, 3), (242, 199, 38), np.uint8)])
"""The outline of a yellow card."""


def test_points_of_an_outline_lie_on_its_straight_sides() -> None:
    """Every point is on the rectangle, off the rounded corners, with a unit normal that points out of its own side."""
    w, h = CARD
    model = outline_edges(CARD, 5.0)
    outward = {0: (0, -1), 1: (1, 0), 2: (0, 1), 3: (-1, 0)}
    for p, n, side in zip(model.points_mm, model.normals, model.sides, strict=True):
        assert max(abs(p[0]) - w / 2, abs(p[1]) - h / 2) == pytest.approx(0)
        assert min(w / 2 - abs(p[0]), h / 2 - abs(p[1])) == pytest.approx(0)
        assert max(w / 2 - abs(p[0]), h / 2 - abs(p[1])) >= 5.0
        assert tuple(n) == outward[int(side)]
    counts = np.bincount(model.sides)
    assert counts[0] == counts[2]
    assert counts[1] == counts[3]
    assert counts[1] / counts[0] == pytest.approx((h - 10) / (w - 10), rel=0.06)
    assert not model.steps.any()
    np.testing.assert_array_equal(model.rims, 1)


def test_a_round_counter_has_an_outline_too() -> None:
    """A radius beyond half the width leaves a few points at the middle of each side and breaks nothing."""
    model = outline_edges((20.0, 20.0), 30.0)
    assert set(model.sides) == {0, 1, 2, 3}
    assert np.abs(model.points_mm).max() == pytest.approx(10)


def test_a_printed_frame_is_known_at_the_rim() -> None:
    """A white frame round a dark face, or a dark corner: the rim's share is that of the print, side by side."""
    face = np.full((276, 177, 3), 60, np.uint8)
    face[:4] = 240
    rims = outline_edges(CARD, 3.0, [face]).rims
    sides = outline_edges(CARD, 3.0).sides
    assert rims[sides == 0].min() > 2.5
    np.testing.assert_allclose(rims[sides == 2], 1, atol=0.01)


def test_one_framed_face_of_many_does_not_count() -> None:
    """Of all faces that it may be the usual rim is taken."""
    plain, framed = np.full((276, 177, 3), 60, np.uint8), np.full((276, 177, 3), 60, np.uint8)
    framed[:4] = 240
    np.testing.assert_allclose(outline_edges(CARD, 3.0, [plain, framed, plain]).rims, 1, atol=0.01)


def printed_box(x0: float, y0: float, x1: float, y1: float, ink: int = 40, ground: int = 200) -> NDArray[np.uint8]:
    """A face with a dark box at mm from its top-left corner, three pixels a mm, drawn exactly."""
    fine = np.full((92 * 12, 59 * 12, 3), ground, np.uint8)
    fine[round(y0 * 12) : round(y1 * 12), round(x0 * 12) : round(x1 * 12)] = ink
    return np.asarray(cv2.resize(fine, (177, 276), interpolation=cv2.INTER_AREA), np.uint8)


def test_edges_of_print_lie_where_they_are_printed() -> None:
    """Points lie on the box's sides to a tenth of a mm, with normals across and the step of the print along them."""
    model = printed_edges(printed_box(15, 20, 44.5, 60), CARD)
    ring = Polygon([(-14.5, -26), (15, -26), (15, 14), (-14.5, 14)])
    assert len(model.points_mm) > 40
    assert set(model.sides) == {-1}
    for p, n, step in zip(model.points_mm, model.normals, model.steps, strict=True):
        if min(Point(p).distance(Point(c)) for c in ring.exterior.coords) < 3:
            continue  # at the box's corners both sides blur into one edge
        assert ring.exterior.distance(Point(p)) < 0.1
        assert np.hypot(*n) == pytest.approx(1)
        assert max(np.abs(n)) > 0.99
        into = ring.contains(Point(p + 0.5 * n))
        assert step == pytest.approx(np.full(3, -160.0 if into else 160.0), rel=0.3)


def test_print_at_the_rim_is_no_edge_of_print() -> None:
    """Edges within two millimetres of the outline are left to the outline."""
    model = printed_edges(printed_box(0.7, 0.7, 30, 91), CARD)
    assert len(model.points_mm)
    assert (np.array(CARD) / 2 - np.abs(model.points_mm)).min() > 2.0


def test_a_blank_face_has_no_edges() -> None:
    """Nothing printed: no points, and the sum with an outline is the outline."""
    blank = printed_edges(np.full((276, 177, 3), 120, np.uint8), CARD)
    assert len(blank.points_mm) == len(blank.steps) == len(blank.rims) == 0
    whole = PLAIN + blank
    np.testing.assert_array_equal(whole.points_mm, PLAIN.points_mm)
    np.testing.assert_array_equal(whole.rims, PLAIN.rims)


def test_the_strongest_edges_are_kept(conex: DeckAppearance) -> None:
    """With room for a few points only, they are those of the strongest print."""
    picture = next(v.colour for v in conex.sets[0].looks if v.id == "C05")
    few, many = printed_edges(picture, CARD, 20), printed_edges(picture, CARD, 90)
    assert len(few.points_mm) == 20
    assert len(many.points_mm) > 60
    np.testing.assert_array_equal(few.points_mm, many.points_mm[:20])
    strength = np.linalg.norm(many.steps, axis=1)
    assert strength[:20].mean() > strength[20:].mean()
