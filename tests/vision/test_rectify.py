"""Patches: the picture in the coordinates of a card's face."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.cards.rectify import Pyramid, apply, face_to_px, homography, quad_of
from vision.deck import Grid

GRID = Grid.of((60.0, 90.0), 1100)
UNIT = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)


def ramp(w: int = 400, h: int = 300) -> np.ndarray:
    """A picture whose red tells x and whose green tells y, half a grey level a pixel."""
    x, y = np.meshgrid(np.arange(w) / 2, np.arange(h) / 2)
    return np.stack([x, y, np.zeros_like(x)], -1).astype(np.uint8)


quads = st.tuples(st.floats(-3, 3), st.floats(40, 200), st.lists(st.floats(-0.12, 0.12), min_size=8, max_size=8)).map(
    lambda v: _quad(*v)
)


def _quad(angle: float, size: float, off: list[float]) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    local = np.array([[-1, -1.5], [1, -1.5], [1, 1.5], [-1, 1.5]]) / 2 + np.array(off).reshape(4, 2)
    return local @ np.array([[c, s], [-s, c]]) * size + [200, 150]


@given(quads)
def test_four_points_go_where_they_should(quad: np.ndarray) -> None:
    """The map takes each of the four points to its own, and its inverse takes them back."""
    H = homography(UNIT, quad)
    np.testing.assert_allclose(apply(H, UNIT), quad, atol=2e-3)
    np.testing.assert_allclose(apply(np.linalg.inv(H), quad), UNIT, atol=1e-4)


@given(quads)
def test_face_and_quad_are_inverse(quad: np.ndarray) -> None:
    """quad_of(face_to_px(quad)) == quad."""
    np.testing.assert_allclose(quad_of(face_to_px(quad, GRID), GRID), quad, atol=5e-3)


@pytest.mark.parametrize(
    "points",
    [
        [[0, 0], [1, 1], [2, 2], [0, 5]],
        [[0, 0], [0, 0], [5, 5], [0, 5]],
        [[3, 3], [3, 3], [3, 3], [3, 3]],
        [[0, 0], [np.nan, 0], [5, 5], [0, 5]],
        [[0, 0], [np.inf, 0], [5, 5], [0, 5]],
    ],
    ids=["on a line", "twice", "one point", "nan", "infinite"],
)
def test_degenerate_points_are_refused(points: list[list[float]]) -> None:
    """Points from which no map follows raise, on either side, instead of giving a finite, meaningless matrix."""
    p = np.array(points, float)
    with pytest.raises(ValueError, match="corner"):
        homography(UNIT, p)
    with pytest.raises(ValueError, match="corner"):
        homography(p, UNIT)


def test_samples_lie_in_the_middle_of_their_cells() -> None:
    """The first sample of a face is half a cell from its corner, the last one half a cell from the opposite one."""
    rows, columns = GRID.shape
    quad = np.array([[10, 20], [10 + 60 * 3, 20], [10 + 60 * 3, 20 + 90 * 3], [10, 20 + 90 * 3]], float)
    H = face_to_px(quad, GRID)
    cell = np.array([60 * 3 / columns, 90 * 3 / rows])
    np.testing.assert_allclose(apply(H, np.array([[0.0, 0]])), [quad[0] + cell / 2], atol=1e-2)
    np.testing.assert_allclose(apply(H, np.array([[columns - 1.0, rows - 1]])), [quad[2] - cell / 2], atol=1e-2)


@given(quads)
@settings(max_examples=30, deadline=None)
def test_a_patch_shows_what_lies_under_its_samples(quad: np.ndarray) -> None:
    """On a picture that tells its own coordinates, each sample reads its place, on every level of the pyramid."""
    quad = (quad - [200, 150]) * 0.5 + [200, 150]
    H = face_to_px(quad, GRID)
    patch = Pyramid(ramp()).patch(H, GRID.shape)
    x, y = np.meshgrid(np.arange(GRID.shape[1]), np.arange(GRID.shape[0]))
    at = apply(H, np.c_[x.ravel(), y.ravel()].astype(float)).reshape(*GRID.shape, 2)
    assert patch.shape == (*GRID.shape, 3)
    assert patch.dtype == np.float32
    away = (at.min((0, 1)) > 8).all() and (at.max((0, 1)) < [391, 291]).all()
    if away:
        np.testing.assert_allclose(patch[..., :2], at / 2, atol=1.1)


def test_large_cards_are_read_from_a_halved_picture() -> None:
    """A pixel on every other sample of a fine chess pattern: read at the right level it is grey, not speckled."""
    h, w = 1200, 1600
    chess = (np.indices((h, w)).sum(0) % 2 * 255).astype(np.uint8)
    pyramid = Pyramid(np.repeat(chess[..., None], 3, 2))
    quad = np.array([[100, 50], [800, 50], [800, 1100], [100, 1100]], float)
    patch = pyramid.patch(face_to_px(quad, GRID), GRID.shape)
    assert patch.std() < 4
    assert patch.mean() == pytest.approx(127.5, abs=3)


def test_levels_halve_and_end_before_nothing_is_left() -> None:
    """Each level is half the one before; the smallest is not tiny; a tiny picture has one level."""
    sizes = [p.shape[:2] for p in Pyramid(ramp(640, 480)).levels]
    assert sizes[0] == (480, 640)
    assert all(b == ((a[0] + 1) // 2, (a[1] + 1) // 2) for a, b in pairwise(sizes))
    assert 32 <= min(sizes[-1]) <= 64
    assert len(Pyramid(ramp(40, 40)).levels) == 1


def test_a_bent_face_is_read_along_its_bend() -> None:
    """A bend moves the samples of the sides outwards and leaves the middle."""
    quad = np.array([[100, 60], [220, 60], [220, 240], [100, 240]], float)
    H = face_to_px(quad, GRID)
    flat = Pyramid(ramp()).patch(H, GRID.shape)
    bent = Pyramid(ramp()).patch(H, GRID.shape, np.array([[0.1, 0.0], [0.0, 0.0]]))
    off = bent - flat
    middle = GRID.shape[1] // 2
    assert np.abs(off[:, middle, :2]).max() < 1.1
    # a tenth of half the width (60 px), at half a grey level a pixel
    np.testing.assert_allclose(off[2:-2, [0, -1], 0], 3.0, atol=1.1)
    assert np.abs(off[..., 1]).max() < 1.1
    none = Pyramid(ramp()).patch(H, GRID.shape, np.zeros((2, 2)))
    np.testing.assert_array_equal(none, flat)


def test_inside_tells_which_samples_the_picture_has() -> None:
    """A card that hangs over the left edge by a third has a third of its samples outside."""
    pyramid = Pyramid(ramp())
    quad = np.array([[-40, 60], [80, 60], [80, 240], [-40, 240]], float) - 0.5
    inside = pyramid.inside(face_to_px(quad, GRID), GRID.shape)
    assert inside.mean() == pytest.approx(2 / 3, abs=0.03)
    assert not inside[:, 0].any()
    assert inside[:, -1].all()
    assert pyramid.inside(face_to_px(quad + [80, 0], GRID), GRID.shape).all()


def test_a_patch_agrees_with_a_warp_of_the_whole_picture() -> None:
    """The patch of an upright card in its own size is the picture itself."""
    rng = np.random.default_rng(3)
    rgb = cv2.GaussianBlur(rng.integers(0, 255, (200, 200, 3), np.uint8), (0, 0), 2)
    rows, columns = GRID.shape
    quad = np.array([[50, 40], [50 + columns, 40], [50 + columns, 40 + rows], [50, 40 + rows]], float) - 0.5
    patch = Pyramid(rgb).patch(face_to_px(quad, GRID), GRID.shape)
    np.testing.assert_allclose(patch, rgb[40 : 40 + rows, 50 : 50 + columns], atol=1.5)
