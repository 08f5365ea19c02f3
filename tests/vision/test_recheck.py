"""What lies on the table tells whether the camera still stands and sees as it did when it was calibrated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scoring.table import Pose
from tests.calibration.test_from_table import CARD, LENS, SIZE, laid, plane
from vision.camera import CameraModel
from vision.plane import Plane, estimate_plane
from vision.scene import SceneModel
from vision.tracking.recheck import Piece, lens_for, recheck
from vision.types import Standing

KNOWN = SceneModel(camera=LENS, table=plane())


def found(pieces: tuple[Piece, ...], camera: CameraModel | None = LENS) -> Plane | None:
    """The plane as a look at these cards estimates it."""
    got = estimate_plane([p.quad_px for p in pieces], [p.size_mm for p in pieces], SIZE, camera, 0.5)
    return got if isinstance(got, Plane) else None


def checked(table: Plane, model: SceneModel = KNOWN, count: int = 12) -> tuple[Plane | None, Standing]:
    """What is made of cards on that table."""
    pieces = laid(table, 5, count).pieces
    return recheck(found(pieces), pieces, model, SIZE)


def test_a_camera_that_stands_as_then_measures_on_its_calibration() -> None:
    """Cards that lie on the calibrated plane are measured on it."""
    used, standing = checked(plane())
    assert standing is Standing.AS_CALIBRATED
    assert used is not None
    np.testing.assert_allclose(used.to_px, plane().to_px)


def test_a_single_card_is_measured_on_the_calibration() -> None:
    """One card tells little of the tilt; where it does not contradict, the calibrated plane is the better one."""
    assert checked(plane(), count=1)[1] is Standing.AS_CALIBRATED


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (plane(tilt_x=-0.62), "tilted by five degrees"),
        (plane(height_mm=840.0), "five per cent higher"),
        (plane(tilt_y=0.25), "leaning to the side"),
    ],
)
def test_a_bumped_camera_is_noticed(table: Plane, what: str) -> None:
    """The calibrated plane is left and the cards' own one taken; the lens stays."""
    used, standing = checked(table)
    assert standing is Standing.MOVED, what
    assert used is not None
    assert used.camera.K[0, 0] == LENS.K[0, 0]


def test_a_camera_pushed_along_the_table_measures_as_before() -> None:
    """Height and tilt are those of then: that is no contradiction, and the scale is right."""
    pieces = laid(plane(), 5).pieces
    pushed = tuple(replace(p, quad_px=plane().project(plane().unproject(p.quad_px) + [12.0, 7.0])) for p in pieces)
    assert recheck(found(pushed), pushed, KNOWN, SIZE)[1] is Standing.AS_CALIBRATED


def test_a_zoomed_camera_loses_lens_and_plane() -> None:
    """A longer focal length is told from the cards; then they are measured without the calibrated lens."""
    zoomed = CameraModel(SIZE, LENS.K * np.array([[1.4, 1, 1], [1, 1.4, 1], [1, 1, 1]]), LENS.dist)
    for model in (KNOWN, replace(KNOWN, table=None)):
        used, standing = checked(plane(zoomed, height_mm=1000.0), model)
        assert standing is Standing.LENS
        assert used is not None
        assert used.camera.K[0, 0] == pytest.approx(2100, rel=0.06)


def test_a_lens_that_is_right_is_kept_without_a_plane() -> None:
    """A calibration of the lens alone is not doubted by cards that it explains."""
    for seed in range(4):
        pieces = laid(plane(tilt_x=-0.5, height_mm=900.0), seed).pieces
        assert recheck(found(pieces), pieces, replace(KNOWN, table=None), SIZE)[1] is Standing.UNKNOWN


def test_two_odd_cards_decide_nothing() -> None:
    """So few may lie on a coin: they are measured on their own plane, and nothing is said of the camera."""
    pieces = laid(plane(height_mm=900.0), 5, 2).pieces
    own = found(pieces)
    assert recheck(own, pieces, KNOWN, SIZE) == (own, Standing.UNKNOWN)


def test_some_cards_on_others_do_not_move_the_camera() -> None:
    """Two of twelve cards that lie askew on a pile leave the calibration as it is."""
    pieces = list(laid(plane(), 5).pieces)
    for n in (0, 1):
        pieces[n] = replace(pieces[n], quad_px=plane(height_mm=760.0).quad_of(Pose(50.0 * n, 0.0, 0.3), CARD))
    assert recheck(found(tuple(pieces)), pieces, KNOWN, SIZE)[1] is Standing.AS_CALIBRATED


def test_a_picture_of_another_shape_is_not_measured_with_the_lens() -> None:
    """A camera set to 4:3 cuts away part of its picture, or adds some: nobody knows which."""
    assert lens_for(KNOWN, 1280, 960) is None
    assert recheck(None, (), KNOWN, (1280, 960)) == (None, Standing.SHAPE)
    half = lens_for(KNOWN, 960, 540)
    assert half is not None
    assert half.K[0, 0] == pytest.approx(750)


def test_smaller_pictures_of_the_same_camera_are_measured_on_the_same_plane() -> None:
    """The plane is told for the pictures of now, whatever their size was then."""
    pieces = tuple(Piece((p.quad_px + 0.5) / 1.5 - 0.5, p.size_mm, 0.3) for p in laid(plane(), 5).pieces)
    own = estimate_plane([p.quad_px for p in pieces], [p.size_mm for p in pieces], (1280, 720), LENS.scaled(1280, 720))
    assert isinstance(own, Plane)
    used, standing = recheck(own, pieces, KNOWN, (1280, 720))
    assert standing is Standing.AS_CALIBRATED
    assert used is not None
    assert used.camera.size_px == (1280, 720)
