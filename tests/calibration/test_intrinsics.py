"""A camera is learned from rendered views of the printed target, whose lens is known exactly."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.grades import Calibration, Grade, Rejected, View
from calibration.intrinsics import collect_views, estimate_camera, find_target
from calibration.sheets.target import SIZE_MM, target_picture
from vision.camera import CameraModel
from vision.types import Failure

MARGIN = 12.0
SCALE = 3.0
SIZE = (960, 540)
LENS = CameraModel(SIZE, np.array([[800.0, 0, 489.0], [0, 800.0, 262.0], [0, 0, 1]]), np.array([-0.11, 0.02, 0, 0, 0]))
POSES = (  # tilt about x and y, roll (degrees), place of the target's middle (mm), distance (mm)
    (0, 25, 90, -10, 0, 420),
    (28, -8, 80, 120, -10, 520),
    (-30, 10, 100, -150, 20, 540),
    (5, -35, 85, 140, 40, 560),
    (25, 25, 45, -120, -60, 560),
    (-20, -25, 135, 130, 70, 600),
    (15, 5, 0, -200, 0, 620),
    (-35, 0, 90, 40, 50, 500),
    (30, -30, 60, 190, -40, 640),
)


def pose(
    tilt_x: float, tilt_y: float, roll: float, x: float, y: float, z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rotation and translation that bring the board (mm, origin at its corner) before the camera."""
    a, b, c = np.radians([tilt_x, tilt_y, roll])
    turn = cv2.Rodrigues(np.array([a, 0, 0]))[0] @ cv2.Rodrigues(np.array([0, b, 0]))[0]
    turn = turn @ cv2.Rodrigues(np.array([0, 0, c]))[0]
    middle = np.array([SIZE_MM[0] / 2, SIZE_MM[1] / 2, 0])
    return turn, np.array([x, y, z]) - turn @ middle


@cache
def rays(camera: CameraModel) -> NDArray[np.float64]:
    w, h = camera.size_px
    grid = np.stack(np.meshgrid(np.arange(w), np.arange(h)), axis=-1).reshape(-1, 2).astype(np.float64)
    p = camera.undistort(grid)
    K = camera.K
    return np.column_stack([(p[:, 0] - K[0, 2]) / K[0, 0], (p[:, 1] - K[1, 2]) / K[1, 1], np.ones(len(p))])


@cache
def photograph(camera: CameraModel, where: tuple[float, ...], blur: float = 0.7) -> NDArray[np.uint8]:
    """What the camera sees of the target: each pixel's ray is cut with the board's plane. Read-only: it is shared."""
    turn, shift = pose(*where)
    normal = turn[:, 2]
    r = rays(camera)
    at = r * (normal @ shift / (r @ normal))[:, None]
    board = (at - shift) @ turn
    px = ((board[:, :2] + MARGIN) * SCALE - 0.5).astype(np.float32).reshape(camera.size_px[1], camera.size_px[0], 2)
    flat = cv2.GaussianBlur(target_picture(SCALE, MARGIN), (0, 0), blur)
    seen = cv2.remap(flat, px[..., 0], px[..., 1], cv2.INTER_LINEAR, borderValue=(90,))
    noise = np.random.default_rng(int(where[2])).normal(0, 2.0, seen.shape)
    rgb = np.repeat(np.clip(seen * 0.8 + 25 + noise, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
    rgb.flags.writeable = False
    return rgb


@cache
def album() -> tuple[tuple[str, NDArray[np.uint8]], ...]:
    return tuple((f"{i:02d}.jpg", photograph(LENS, p)) for i, p in enumerate(POSES))


@cache
def views() -> tuple[View, ...]:
    found, rejected = collect_views(album())
    assert not rejected
    return tuple(found)


def test_target_corners_are_found_to_a_fraction_of_a_pixel() -> None:
    """Every corner found lies where the known camera puts it, to 0.4 px."""
    for view, where in zip(views(), POSES, strict=True):
        turn, shift = pose(*where)
        there = np.column_stack([view.points_mm, np.zeros(len(view.points_mm))]) @ turn.T + shift
        ideal = there[:, :2] / there[:, 2:] * 800 + LENS.K[:2, 2]
        assert np.max(np.linalg.norm(LENS.distort(ideal) - view.points_px, axis=1)) < 0.4


def test_known_lens_is_recovered() -> None:
    """Focal length, centre and the bending of the picture's corners agree with the camera that took the views."""
    result = estimate_camera(views())
    assert isinstance(result, Calibration)
    assert result.grade is Grade.GOOD
    assert result.advice() == ()
    assert result.error_px < 0.25
    assert result.camera.K[0, 0] == pytest.approx(800, rel=0.004)
    assert result.camera.K[1, 1] == pytest.approx(800, rel=0.004)
    np.testing.assert_allclose(result.camera.K[:2, 2], LENS.K[:2, 2], atol=3)
    edge = np.array([[20.0, 20], [940, 20], [940, 520], [20, 520], [480, 20]])
    np.testing.assert_allclose(result.camera.undistort(edge), LENS.undistort(edge), atol=4)
    assert len(result.used) == len(POSES)


def test_a_bad_view_is_left_out_and_named() -> None:
    """A view of a bent target is rejected, and the lens is as good as without it."""
    good = views()
    bend = 0.00035 * (good[0].points_mm[:, 1:] - 120) ** 2 * np.array([[1.0, 0.4]])
    bent = View(
        "bent.jpg", good[0].points_mm, good[3].points_px.mean(axis=0) + (good[0].points_px - 400) * 0.8 + bend, SIZE
    )
    result = estimate_camera([*good, bent])
    assert isinstance(result, Calibration)
    assert [r.name for r in result.rejected] == ["bent.jpg"]
    assert "px off" in result.rejected[0].reason
    assert result.camera.K[0, 0] == pytest.approx(800, rel=0.004)


def test_copies_of_a_view_count_once() -> None:
    """Five pictures of the target lying still are one view, not five."""
    same = [View(f"{i}.jpg", views()[0].points_mm, views()[0].points_px + 0.1 * i, SIZE) for i in range(8)]
    result = estimate_camera(same)
    assert isinstance(result, Failure)
    assert result.reason == "too-few-views"


def test_a_picture_of_another_size_is_left_out() -> None:
    """Views of two picture sizes have no common lens in pixels: the commonest size counts, the other is named."""
    v = views()[0]
    result = estimate_camera([View("other.jpg", v.points_mm, v.points_px, (640, 480)), *views()])
    assert isinstance(result, Calibration)
    assert result.rejected == (Rejected("other.jpg", "is 640 × 480 px where most are 960 × 540"),)
    assert len(result.used) == len(POSES)


def test_narrow_coverage_is_graded_down_with_advice() -> None:
    """Views that stay in the middle of the picture are not called good, and the advice says where to go."""
    turned = [
        (0, 22, 90, 0, 0, 1500),
        (22, 0, 90, 30, 0, 1500),
        (-20, 5, 60, 0, 20, 1450),
        (0, -25, 120, 0, 0, 1500),
        (18, 18, 45, -30, 0, 1500),
    ]
    small = []
    for i, where in enumerate(turned):
        turn, shift = pose(*where)
        mm = views()[0].points_mm
        there = np.column_stack([mm, np.zeros(len(mm))]) @ turn.T + shift
        small.append(View(f"{i}", mm, LENS.distort(there[:, :2] / there[:, 2:] * 800 + LENS.K[:2, 2]), SIZE))
    result = estimate_camera(small)
    assert isinstance(result, Calibration)
    assert result.grade is not Grade.GOOD
    assert any("corners and edges" in line for line in result.advice())


def test_pictures_without_a_target_say_so() -> None:
    """An empty table gives a named rejection, and a target that is mostly covered counts its corners."""
    empty = np.full((540, 960, 3), 120, np.uint8)
    covered = album()[0][1].copy()
    covered[:, :560] = 120
    found, rejected = collect_views([("empty.jpg", empty), ("covered.jpg", covered)])
    assert found == []
    assert rejected[0] == Rejected("empty.jpg", "the target was not found")
    assert rejected[1].name == "covered.jpg"
    assert not find_target(covered)


def test_corners_of_cards_serve_as_views() -> None:
    """Any flat points of known places will do: here the corners of 3 x 4 cards lying on a table."""
    grid = np.array([[x, y] for x in (0.0, 59, 70, 129, 140, 199) for y in (0.0, 92, 100, 192)])
    cards = []
    rng = np.random.default_rng(4)
    for i, where in enumerate(POSES):
        turn, shift = pose(*where)
        there = np.column_stack([grid, np.zeros(len(grid))]) @ turn.T + shift
        seen = LENS.distort(there[:, :2] / there[:, 2:] * 800 + LENS.K[:2, 2]) + rng.normal(0, 0.3, grid.shape)
        cards.append(View(f"{i}", grid, seen, SIZE))
    result = estimate_camera(cards)
    assert isinstance(result, Calibration)
    assert result.camera.K[0, 0] == pytest.approx(800, rel=0.01)
