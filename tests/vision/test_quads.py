"""Outlines: small geometry, and sides moved onto the edges of a picture to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from vision.cards.quads import fit_quad, is_convex, overlap, side_lengths, signed_area

SIZE = (320, 240)
SQUARE = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], float)


def card(
    x: float = 160, y: float = 120, w: float = 70, h: float = 105, angle: float = 0.0, lean: float = 0.0
) -> np.ndarray:
    """Corners of a card in px; `lean` makes its far side shorter."""
    local = np.array([[-1 + lean, -1], [1 - lean, -1], [1, 1], [-1, 1]]) * [w / 2, h / 2]
    c, s = np.cos(angle), np.sin(angle)
    return local @ np.array([[c, s], [-s, c]]) + [x, y]


def picture(quad: np.ndarray, inside: int = 225, outside: int = 70, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """A flat card on a flat table, seen through a lens that blurs by 0.8 px: exact but at the very corners."""
    x, y = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    d = np.roll(quad, -1, 0) - quad
    d /= np.linalg.norm(d, axis=1)[:, None]
    depth = np.min([u * (y - p[1]) - v * (x - p[0]) for p, (u, v) in zip(quad, d, strict=True)], 0)
    grey = outside + (inside - outside) * ndtr(depth / 0.8)
    rgb = np.repeat(grey[..., None], 3, 2) + np.random.default_rng(seed).normal(0, noise, (SIZE[1], SIZE[0], 3))
    return np.clip(np.round(rgb), 0, 255).astype(np.uint8)


# ---- geometry --------------------------------------------------------------------------------------------------------


def test_area_is_positive_clockwise() -> None:
    """Clockwise as a picture shows it, y down, is positive; the other way round is negative."""
    assert signed_area(SQUARE) == 100
    assert signed_area(SQUARE[::-1]) == -100


@given(st.floats(-3, 3), st.integers(0, 3), st.floats(-50, 50))
def test_area_and_sides_do_not_depend_on_place_turn_and_first_corner(angle: float, first: int, shift: float) -> None:
    """Moving, turning and starting elsewhere leave area and lengths; an odd start swaps the two lengths."""
    quad = np.roll(card(shift, -shift, 40, 60, angle), first, 0)
    assert signed_area(quad) == pytest.approx(2400)
    assert side_lengths(quad) == pytest.approx((40, 60) if first % 2 == 0 else (60, 40))


def test_overlap_of_known_pairs() -> None:
    """Same outline 1, half beside it a third, far away 0, a line 0."""
    assert overlap(SQUARE, SQUARE) == pytest.approx(1)
    assert overlap(SQUARE, SQUARE + [5, 0]) == pytest.approx(1 / 3)
    assert overlap(SQUARE, SQUARE + [50, 0]) == 0
    line = np.array([[0, 0], [1, 1], [2, 2], [3, 3]], float)
    assert overlap(line, line) == 0


@given(st.floats(-8, 8), st.floats(-8, 8), st.floats(0, 3))
def test_overlap_is_the_same_both_ways(dx: float, dy: float, angle: float) -> None:
    """Which outline is named first does not matter, nor where the corners are counted from."""
    a, b = SQUARE, card(5 + dx, 5 + dy, 9, 12, angle)
    assert overlap(a, b) == pytest.approx(overlap(b, a))
    assert overlap(np.roll(a, 1, 0), b) == pytest.approx(overlap(a, b))
    assert 0 <= overlap(a, b) <= 1


def test_convex_means_clockwise_and_without_dents() -> None:
    """A dart, a bow tie, a triangle and a quad the wrong way round are no outlines of cards."""
    assert is_convex(SQUARE)
    assert not is_convex(SQUARE[::-1])
    assert not is_convex(np.array([[0, 0], [10, 0], [3, 3], [0, 10]], float))
    assert not is_convex(SQUARE[[0, 2, 1, 3]])
    assert not is_convex(np.array([[0, 0], [5, 0], [10, 0], [0, 10]], float))


# ---- sides on edges --------------------------------------------------------------------------------------------------


@given(
    st.floats(-np.pi, np.pi),
    st.floats(-2.5, 2.5),
    st.floats(-2.5, 2.5),
    st.floats(0, 0.1),
    st.floats(-0.025, 0.025),
    st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_sides_move_onto_the_edges(angle: float, dx: float, dy: float, lean: float, turn: float, seed: int) -> None:
    """From a proposal some pixels and degrees off: corners to a tenth of a pixel, whichever way the card lies."""
    true = card(160 + dx / 7, 120 + dy / 7, angle=angle, lean=lean)
    proposed = card(160 + dx, 120 + dy, 72, 103, angle + turn, lean)
    fitted = fit_quad(picture(true, noise=2, seed=seed), proposed)
    assert np.abs(fitted.quad_px - true).max() < 0.12
    assert fitted.support.min() > 0.8
    assert fitted.sigma_px < 0.3


def test_the_order_of_the_corners_stays() -> None:
    """The fit starts at the proposal's first corner."""
    true = card(angle=0.3)
    rgb = picture(true)
    for first in range(4):
        proposed = np.roll(true, first, 0) + 2.0
        np.testing.assert_allclose(fit_quad(rgb, proposed).quad_px, np.roll(true, first, 0), atol=0.1)


def test_a_dark_card_on_a_light_table_is_as_good() -> None:
    """Only the change counts, not its sign."""
    true = card(angle=-0.5)
    fitted = fit_quad(picture(true, 40, 200, noise=2), card(163, 118, angle=-0.47))
    assert np.abs(fitted.quad_px - true).max() < 0.1


def test_without_edges_the_proposal_stays_and_says_so() -> None:
    """On an empty table no side has support, and nothing is moved."""
    rgb = np.full((SIZE[1], SIZE[0], 3), 128, np.uint8)
    proposed = card(angle=0.2)
    fitted = fit_quad(rgb, proposed)
    np.testing.assert_allclose(fitted.quad_px, proposed, atol=1e-9)
    assert fitted.support.max() == 0


def test_one_covered_side_does_not_move_the_others() -> None:
    """A side that a hand hides stays where it was proposed, without support; the three others are fitted."""
    true = card()
    rgb = picture(true)
    # one grey over the top side: card and table look the same there
    rgb[:90] = 150
    fitted = fit_quad(rgb, true + [1.5, -1.0])
    assert fitted.support[0] < 0.3
    assert fitted.support[[1, 3]].min() > 0.6
    assert fitted.support[2] > 0.8
    np.testing.assert_allclose(fitted.quad_px[2:], true[2:], atol=0.2)


def test_the_edge_map_steers_away_from_a_printed_frame() -> None:
    """Inside a printed frame stronger than the card's edge, what the network calls an edge decides."""
    true = card(angle=0.1)
    frame = card(160, 120, 70 - 16, 105 - 16, 0.1)
    rgb = picture(true, 150, 110)
    cv2.polylines(rgb, [np.round(frame * 16).astype(np.int32)], True, (0, 0, 0), 1, cv2.LINE_AA, 4)
    edge = np.zeros((SIZE[1] // 4, SIZE[0] // 4), np.float32)
    cv2.polylines(edge, [np.round(((true + 0.5) / 4 - 0.5) * 16).astype(np.int32)], True, 1.0, 1, cv2.LINE_8, 4)
    proposed = card(160, 120, 66, 101, 0.1)
    steered = fit_quad(rgb, proposed, edge, (4.0, 4.0))
    assert np.abs(steered.quad_px - true).max() < 0.1
    blind = fit_quad(rgb, proposed)
    assert np.abs(blind.quad_px - true).max() > 2  # the frame would have won


def test_sides_beyond_the_picture_have_no_support() -> None:
    """Where the card leaves the picture there is no edge, least of all the picture's own."""
    true = card(x=20)
    fitted = fit_quad(picture(true), true + 0.8)
    assert fitted.support[3] == 0
    assert np.abs(fitted.quad_px[[0, 3], 0]).max() > 8  # not on the picture's edge
