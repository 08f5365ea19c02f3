"""Profiles by name: kept, found again by their camera, and forgotten."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.daylight import Light
from calibration.grades import Grade
from calibration.profile import Profile, ProfileError, load_profile, save_profile
from calibration.shelf import file_of, find_for, forget, load_all, save_named
from scoring.errors import RefereeError
from tests.calibration.test_from_table import LENS, plane

FULL = Profile(
    LENS,
    Grade.USABLE,
    1.2,
    0.7,
    9,
    "0",
    "Desk cam",
    "usb-Cam_123-video-index0",
    "2026-01-02T20:15:00+01:00",
    plane(),
    Light((230.0, 221.5, 190.0), "cards"),
    np.array([[10.0, 20.0, 0.5, -0.25]]),
)


def test_a_whole_profile_comes_back_as_it_was(tmp_path: Path) -> None:
    """Name, camera, age, table, light and residuals survive the disk."""
    save_profile(FULL, tmp_path / "a.json")
    back = load_profile(tmp_path / "a.json")
    assert (back.name, back.camera_id, back.made_at, back.light) == (
        FULL.name, FULL.camera_id, FULL.made_at, FULL.light,
    )  # fmt: skip
    assert back.table is not None
    np.testing.assert_array_equal(back.table.to_px, plane().to_px)
    np.testing.assert_array_equal(back.table.camera.K, LENS.K)
    np.testing.assert_array_equal(back.spots, FULL.spots)
    assert "Desk cam (usable, off by 1.2 px, made 2026-01-02) with the table" in back.in_words()


def test_only_a_usable_calibration_widens_what_is_measured() -> None:
    """Nothing is added to a good one; the worse of lens and table counts for a usable one."""
    assert replace(FULL, grade=Grade.GOOD).off_share == 0
    assert FULL.off_share == pytest.approx(1.2 / 1920)
    off = replace(plane(), residual_px=3.0)
    assert replace(FULL, table=off).off_share == pytest.approx(3.0 / 1920)


def test_a_profile_is_found_by_its_camera(tmp_path: Path) -> None:
    """The newest of that camera; another camera has none, and no camera has none."""
    save_named(tmp_path, FULL)
    save_named(tmp_path, replace(FULL, name="Newer", made_at="2026-03-01T10:00:00+01:00"))
    save_named(tmp_path, replace(FULL, name="Phone", camera_id="phone"))
    save_named(tmp_path, replace(FULL, name="Photos", camera_id=""))
    (tmp_path / "broken.json").write_text("{")
    found = find_for(tmp_path, FULL.camera_id)
    assert found is not None
    assert found.name == "Newer"
    assert find_for(tmp_path, "usb-Other") is None
    assert find_for(tmp_path, "") is None
    assert find_for(tmp_path / "nowhere", FULL.camera_id) is None
    damaged: list[ProfileError] = []
    assert len(load_all(tmp_path, damaged.append)) == 4
    assert [str(tmp_path / "broken.json") in str(error) for error in damaged] == [True]


def test_a_name_never_leaves_its_folder(tmp_path: Path) -> None:
    """Whatever a profile is called, its file lies in the folder; a name without letters is refused."""
    for name in ("../../etc/passwd", "a/b", "C:\\x", "Über dem Tisch", "x" * 300):
        assert file_of(tmp_path, name).parent == tmp_path
    for name in ("", "..", "///"):
        with pytest.raises(RefereeError, match="no name"):
            file_of(tmp_path, name)


def test_a_forgotten_profile_is_gone(tmp_path: Path) -> None:
    """It is removed; a second time says what there is."""
    save_named(tmp_path, FULL)
    save_named(tmp_path, replace(FULL, name="Other"))
    forget(tmp_path, "desk CAM")
    with pytest.raises(RefereeError, match=r"no calibration has this name .Other."):
        forget(tmp_path, "Desk cam")


def test_a_damaged_table_is_told(tmp_path: Path) -> None:
    """A plane that is none is refused with the key; damaged residuals, which only the eye wants, are left out."""
    file = tmp_path / "a.json"
    save_profile(FULL, file)
    whole = file.read_text()
    file.write_text(whole.replace('"residual_px": 0.0', '"residual_px": "much"'))
    with pytest.raises(ProfileError, match="residual_px: is damaged"):
        load_profile(file)
    file.write_text(whole.replace('"spots": [\n  [', '"spots": [\n  ["x",'))
    assert load_profile(file).spots.shape == (0, 4)
