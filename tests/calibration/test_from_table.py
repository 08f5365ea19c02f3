"""Lens and table from what lies on it, on tables whose camera is known exactly."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.from_table import Laid, estimate_from_cards, table_from_cards, table_from_target
from calibration.grades import Calibration, Grade, Shown, View
from calibration.lesson import Learned, summary
from calibration.sheets.target import board
from scoring.table import Pose
from vision.camera import CameraModel
from vision.plane import Plane
from vision.tracking.recheck import Piece
from vision.types import Failure

SIZE = (1920, 1080)
CARD = (63.0, 88.0)
LENS = CameraModel(SIZE, np.array([[1500.0, 0, 959.5], [0, 1500.0, 539.5], [0, 0, 1]]), np.array([-0.06, 0, 0, 0, 0]))


def plane(lens: CameraModel = LENS, tilt_x: float = -0.7, tilt_y: float = 0.1, height_mm: float = 800.0) -> Plane:
    """The table seen by a camera that is tilted against it; its origin in the middle of the picture."""
    cx, sx, cy, sy = np.cos(tilt_x), np.sin(tilt_x), np.cos(tilt_y), np.sin(tilt_y)
    R = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    H = lens.K @ np.c_[R[:, 0], R[:, 1], [0, 0, height_mm]]
    return Plane(lens, H / H[2, 2], 0.0)


def laid(table: Plane, seed: int = 0, count: int = 12, noise_px: float = 0.3, name: str = "a.jpg") -> Laid:
    """Cards scattered over that table, their corners as exact as a camera gives them."""
    rng = np.random.default_rng(seed)
    pieces: list[Piece] = []
    while len(pieces) < count:
        pose = Pose(float(rng.uniform(-420, 420)), float(rng.uniform(-260, 200)), float(rng.uniform(0, 6.3)))
        quad = table.quad_of(pose, CARD)
        if (quad > 0).all() and (quad < SIZE).all():
            pieces.append(Piece(quad + rng.normal(0, noise_px, quad.shape), CARD, noise_px))
    return Laid(name, tuple(pieces), SIZE)


def scale_errors(measured: NDArray[np.float64], true: NDArray[np.float64]) -> list[float]:
    """By which share each distance between two points is measured wrong."""
    return [
        abs(float(np.linalg.norm(measured[i] - measured[j]) / np.linalg.norm(true[i] - true[j])) - 1)
        for i, j in combinations(range(len(true)), 2)
    ]


def test_one_look_at_a_slant_tells_the_lens_from_the_cards() -> None:
    """A dozen cards under a slanting camera give the focal length to a hundredth, and they say how sure that is."""
    found = estimate_from_cards([laid(plane())])
    assert isinstance(found, Calibration)
    assert found.camera.K[0, 0] == pytest.approx(1500, rel=0.015)
    assert abs(np.log(found.camera.K[0, 0] / 1500)) < 4 * found.focal_sigma
    assert found.grade is not Grade.POOR
    assert found.shown is Shown.TABLE


def test_further_sides_make_the_lens_surer() -> None:
    """Photos from other sides leave less doubt than the first one alone."""
    one = estimate_from_cards([laid(plane())])
    more = estimate_from_cards([laid(plane(tilt_x=t), n, name=f"{n}.jpg") for n, t in enumerate((-0.7, -0.5, -0.3))])
    assert isinstance(one, Calibration)
    assert isinstance(more, Calibration)
    assert more.focal_sigma < one.focal_sigma
    assert more.camera.K[0, 0] == pytest.approx(1500, rel=0.01)
    assert len(more.used) == 3


def test_a_camera_from_straight_above_is_not_claimed_to_be_known() -> None:
    """Without any slant nothing tells the focal length: that is poor, and the advice says what to do."""
    found = estimate_from_cards([laid(plane(tilt_x=0.0, tilt_y=0.0))])
    assert isinstance(found, Calibration)
    assert found.grade is Grade.POOR
    assert found.lacking() == ("the focal length to 3.0%",), "points that fit are not why"
    told = summary(Learned(found, None, None, Grade.POOR, ()))
    assert f"the focal length is known to {found.focal_sigma:.1%}; needed are the focal length to 3.0%." in told
    assert any("slant" in line for line in found.advice())


def test_too_few_cards_are_refused_and_named() -> None:
    """Three cards are no table; the picture is named with what it lacks."""
    few = laid(plane(), count=3)
    assert isinstance(estimate_from_cards([few]), Failure)
    both = estimate_from_cards([few, laid(plane(), name="b.jpg")])
    assert isinstance(both, Calibration)
    assert both.used == ("b.jpg",)
    assert "3 whole cards" in both.rejected[0].reason


def test_cards_that_share_no_table_are_no_lens() -> None:
    """Corners without any order are refused instead of being bent into a lens."""
    rng = np.random.default_rng(1)
    wild = [Piece(p.quad_px + rng.normal(0, 60, (4, 2)), CARD, 0.3) for p in laid(plane()).pieces]
    found = estimate_from_cards([Laid("wild.jpg", tuple(wild), SIZE)])
    assert isinstance(found, Failure) or found.grade is Grade.POOR


def test_table_from_the_target_is_true_to_scale() -> None:
    """Distances all over the table, far from the target too, are right to half a per cent."""
    table = plane()
    mm = np.asarray(board().getChessboardCorners(), np.float64)[:, :2]
    c, s = np.cos(0.4), np.sin(0.4)
    there = (mm - mm.mean(0)) @ np.array([[c, s], [-s, c]]) + [60, 20]
    px = table.project(there) + np.random.default_rng(3).normal(0, 0.2, there.shape)
    found = table_from_target(View("t", mm, px, SIZE), LENS)
    assert isinstance(found, Plane)
    assert found.residual_px < 0.5
    far = np.array([[x, y] for x in (-300.0, 0.0, 300.0) for y in (-150.0, 0.0, 120.0)])
    assert max(scale_errors(found.unproject(table.project(far)), far)) < 0.005


def test_table_lies_as_the_camera_sees_it() -> None:
    """However the target is turned, the origin is in the middle of the picture and x runs to the right there."""
    table = plane()
    mm = np.asarray(board().getChessboardCorners(), np.float64)[:, :2]
    for angle in (0.0, 1.2, 3.0):
        c, s = np.cos(angle), np.sin(angle)
        px = table.project((mm - mm.mean(0)) @ np.array([[c, s], [-s, c]]))
        found = table_from_target(View("t", mm, px, SIZE), LENS)
        assert isinstance(found, Plane)
        at, right, down = found.project(np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0]]))
        np.testing.assert_allclose(at, [959.5, 539.5], atol=0.5)
        assert right[0] > at[0]
        assert right[1] == pytest.approx(at[1], abs=2.0)
        assert down[1] > at[1]


def test_table_from_cards_is_true_to_scale() -> None:
    """The cards' own size gives the table's scale to half a per cent."""
    table = plane()
    found = table_from_cards(laid(table), LENS)
    assert isinstance(found, Plane)
    far = np.array([[x, y] for x in (-300.0, 0.0, 300.0) for y in (-150.0, 0.0, 120.0)])
    assert max(scale_errors(found.unproject(table.project(far)), far)) < 0.005
