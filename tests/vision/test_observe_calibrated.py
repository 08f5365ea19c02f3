"""A drawn table before a calibrated camera: measured on the calibration while it holds, and not a moment longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.render.rox_table import DeckArt
from tests.render.staged import Photo, photograph, rows
from vision.camera import CameraModel
from vision.deck import DeckAppearance
from vision.observe import observe
from vision.plane import Plane
from vision.scene import Observation, SceneModel
from vision.types import Frame, Standing

LAID = rows([f"R{n:02d}" for n in range(1, 9)], columns=4)
PLACES = dict(LAID)
TILT_DEG = 25.0


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The photo that a camera was calibrated with, and the model that knows it."""

    photo: Photo
    model: SceneModel


@pytest.fixture(scope="module")
def calibrated(small: DeckAppearance, small_art: DeckArt) -> Calibrated:
    """A camera at a slant, its lens and its table known from the drawing."""
    photo = photograph(small_art, LAID, tilt_deg=TILT_DEG)
    view = photo.view
    camera = CameraModel(view.size_px, view.K, np.zeros(5))
    to_px = view.K @ np.c_[view.R[:, :2], view.t]
    return Calibrated(photo, SceneModel(small, camera, table=Plane(camera, to_px / to_px[2, 2], 0.1)))


def look(photo: Photo, model: SceneModel) -> Observation:
    got = observe(photo.frame, model)
    assert isinstance(got, Observation)
    return got


def test_table_is_measured_on_its_calibration(calibrated: Calibrated) -> None:
    """The cards lie where they were drawn, in the calibration's own millimetres."""
    got = look(calibrated.photo, calibrated.model)
    assert got.standing is Standing.AS_CALIBRATED
    for placement in got.table.placements:
        x, y, _ = PLACES[str(placement.face)]
        assert np.hypot(placement.pose.x_mm - x, placement.pose.y_mm - y) < 0.4


def test_camera_put_elsewhere_is_told(calibrated: Calibrated, small_art: DeckArt) -> None:
    """From another slant the calibrated plane is false: it is told, and the cards' own plane is measured on."""
    moved = photograph(small_art, LAID, tilt_deg=TILT_DEG - 9)
    got = look(moved, calibrated.model)
    assert got.standing is Standing.MOVED
    assert got.plane is not None
    assert calibrated.model.table is not None
    assert not np.allclose(got.plane.to_px, calibrated.model.table.to_px, rtol=1e-3)
    at = {str(p.face): p.pose for p in got.table.placements}
    gap = np.hypot(at["R01"].x_mm - at["R04"].x_mm, at["R01"].y_mm - at["R04"].y_mm)
    true = np.hypot(*np.subtract(PLACES["R01"], PLACES["R04"])[:2])
    assert gap == pytest.approx(true, rel=0.01)


def test_a_lens_that_was_cut_is_told(calibrated: Calibrated) -> None:
    """A picture of another shape is looked at without the lens, and told."""
    cut = Frame(np.ascontiguousarray(calibrated.photo.rgb[:, 120:-120]))
    got = observe(cut, calibrated.model)
    assert isinstance(got, Observation)
    assert got.standing is Standing.SHAPE


def test_a_usable_calibration_makes_distances_less_sure(calibrated: Calibrated) -> None:
    """What may be off by a pixel or two widens the band round every card."""
    good = look(calibrated.photo, calibrated.model)
    wide = SceneModel(calibrated.model.deck, calibrated.model.camera, table=calibrated.model.table, off_share=2 / 960)
    usable = look(calibrated.photo, wide)
    sure = {str(p.face): p.sigma_mm for p in good.table.placements}
    for placement in usable.table.placements:
        px_per_mm = 2.2
        assert placement.sigma_mm > sure[str(placement.face)] + 0.3 * 2 / px_per_mm
