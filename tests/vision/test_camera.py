"""The lens: what `distort` bends, `undistort` straightens exactly, at any size of the picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.camera import CameraModel

SIZE = (1920, 1080)


def camera(*dist: float, hfov_deg: float = 80.0, size: tuple[int, int] = SIZE) -> CameraModel:
    w, h = size
    f = w / 2 / np.tan(np.radians(hfov_deg) / 2)
    K = np.array([[f, 0, (w - 1) / 2], [0, f, (h - 1) / 2], [0, 0, 1.0]])
    return CameraModel(size, K, np.array([*dist, 0, 0, 0, 0, 0][:5], float))


def grid(size: tuple[int, int] = SIZE, columns: int = 24, rows: int = 16) -> np.ndarray:
    w, h = size
    x, y = np.meshgrid(np.linspace(0, w - 1, columns), np.linspace(0, h - 1, rows))
    return np.stack([x, y], -1).reshape(-1, 2)


@given(st.floats(-0.2, 0.2), st.floats(-0.02, 0.02), st.floats(-0.002, 0.002), st.floats(-0.002, 0.002))
@settings(max_examples=60, deadline=None)
def test_undistort_takes_back_what_the_lens_does(k1: float, k2: float, p1: float, p2: float) -> None:
    """Every point of a wide picture comes back to a millionth of a pixel, tangential terms included."""
    lens = camera(k1, k2, p1, p2)
    np.testing.assert_allclose(lens.undistort(lens.distort(grid())), grid(), atol=1e-6)


@pytest.mark.parametrize("k1", [-0.12, 0.12, 0.2])
def test_distort_takes_back_undistort_for_every_pixel(k1: float) -> None:
    """The other way round, where the lens has a ray for every pixel."""
    lens = camera(k1)
    np.testing.assert_allclose(lens.distort(lens.undistort(grid())), grid(), atol=1e-6)


def test_pixels_without_a_ray_get_a_finite_answer() -> None:
    """A strong barrel bends no ray as far as the corner of a wide picture: nothing overflows there."""
    straight = camera(-0.2).undistort(grid())
    assert np.isfinite(straight).all()
    assert np.abs(straight).max() < 4 * SIZE[0]


def test_distort_is_the_model_of_opencv() -> None:
    """All five coefficients mean what `cv2.projectPoints` means by them."""
    lens = camera(-0.1, 0.03, 0.001, -0.002, 0.01)
    ideal = grid()
    rays = np.c_[(ideal - lens.K[:2, 2]) / lens.K[0, 0], np.ones(len(ideal))]
    expected, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), lens.K, lens.dist)
    np.testing.assert_allclose(lens.distort(ideal), expected.reshape(-1, 2), atol=1e-8)


def test_barrel_pulls_inwards_and_leaves_the_middle() -> None:
    """The sign of k1 is OpenCV's: negative draws the corners towards the middle, which stays."""
    lens = camera(-0.1)
    middle = lens.K[:2, 2]
    corner = np.array([[0.0, 0.0]])
    assert np.linalg.norm(lens.distort(corner) - middle) < np.linalg.norm(corner - middle)
    np.testing.assert_allclose(lens.distort(middle[None]), middle[None], atol=1e-12)


def test_a_lens_without_distortion_changes_nothing_and_shares_nothing() -> None:
    """The answer equals the points and may be written to."""
    points = grid()
    out = camera().undistort(points)
    np.testing.assert_array_equal(out, points)
    out += 1
    np.testing.assert_array_equal(points, grid())


@pytest.mark.parametrize("shape", [(0, 2), (1, 2), (7, 2)])
def test_any_number_of_points(shape: tuple[int, int]) -> None:
    """None, one and many points give as many."""
    lens = camera(-0.1)
    assert lens.undistort(np.zeros(shape)).shape == shape
    assert lens.distort(np.zeros(shape)).shape == shape


@given(st.integers(200, 4000), st.floats(-0.15, 0.15))
@settings(max_examples=30, deadline=None)
def test_scaled_is_the_same_lens(width: int, k1: float) -> None:
    """A picture made smaller shows every point where the scaled lens says, half pixels included."""
    lens = camera(k1)
    height = round(width * SIZE[1] / SIZE[0])
    factor = np.array([width / SIZE[0], height / SIZE[1]])
    ideal = grid()
    expected = (lens.distort(ideal) + 0.5) * factor - 0.5
    got = lens.scaled(width, height).distort((ideal + 0.5) * factor - 0.5)
    np.testing.assert_allclose(got, expected, atol=1e-9)
    assert lens.scaled(width, height).size_px == (width, height)
