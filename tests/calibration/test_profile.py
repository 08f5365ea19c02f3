"""A camera profile survives the disk, and a bad one is refused with one clear sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.grades import Grade
from calibration.profile import Profile, ProfileError, load_profile, save_profile
from vision.camera import CameraModel

CAMERA = CameraModel(
    (1280, 720), np.array([[1000.123456789, 0, 641.5], [0, 999.5, 358.25], [0, 0, 1]]), np.array([-0.1, 0.02, 0, 0, 0])
)
PROFILE = Profile(CAMERA, Grade.USABLE, 0.31, 0.75, 9, "webcam over the kitchen table")


def test_profile_comes_back_as_it_was(tmp_path: Path) -> None:
    """Every number of the lens is the same after saving and loading, to the last bit."""
    file = tmp_path / "deep" / "camera.json"
    save_profile(PROFILE, file)
    back = load_profile(file)
    np.testing.assert_array_equal(back.camera.K, CAMERA.K)
    np.testing.assert_array_equal(back.camera.dist, CAMERA.dist)
    assert back.camera.size_px == (1280, 720)
    assert (back.grade, back.error_px, back.coverage, back.views, back.source) == (
        Grade.USABLE, 0.31, 0.75, 9, "webcam over the kitchen table",
    )  # fmt: skip


def test_seats_and_area_come_back_and_damaged_ones_are_none(tmp_path: Path) -> None:
    """Who sat where and the drawn area are kept; a file of before has neither, and nonsense is left out."""
    file = tmp_path / "camera.json"
    area = np.array([[10.0, 20.0], [600.5, 20.0], [600.5, 400.0]])
    save_profile(replace(PROFILE, seats={"south": "Zoë"}, area_px=area), file)
    back = load_profile(file)
    assert back.seats == {"south": "Zoë"}
    np.testing.assert_array_equal(back.area_px, area)
    told = json.loads(file.read_text(encoding="utf-8"))
    for seats, points in ((None, None), (["Anna"], "all"), ({"south": 3}, [[1e300, 2], ["x"]])):
        file.write_text(json.dumps({**told, "seats": seats, "area_px": points}), encoding="utf-8")
        back = load_profile(file)
        assert (back.seats, len(back.area_px)) == ({}, 0)


def test_failed_write_leaves_the_old_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails in the middle, the profile from before is still whole and no scrap is left."""
    file = tmp_path / "camera.json"
    save_profile(PROFILE, file)
    before = file.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(ProfileError, match="No space left"):
        save_profile(Profile(CAMERA, Grade.GOOD, 0.1, 0.9, 20), file)
    assert file.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["camera.json"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": 2}, "format: is 2, this release reads 1"),
        ({"kind": "deck"}, "kind: this is no camera profile"),
        ({"camera": {"size_px": [1280, 720], "K": [[1, 0], [0, 1]], "dist": [0, 0, 0, 0, 0]}}, "camera.K: is damaged"),
        ({"camera": {"size_px": [1280, 720], "K": np.eye(3).tolist(), "dist": [0, 0, None, 0, 0]}}, "camera.dist: is"),
        ({"camera": {"size_px": [1280, 720], "K": np.zeros((3, 3)).tolist(), "dist": [0] * 5}}, "describes no camera"),
        ({"camera": None}, "camera: is missing"),
        ({"quality": {"grade": "fine", "error_px": 1, "coverage": 1, "views": 5}}, "quality.grade: must be one of"),
    ],
)
def test_wrong_profile_names_file_key_and_mend(tmp_path: Path, change: dict[str, object], says: str) -> None:
    """A profile that cannot be used is refused in one line that names the file and what to do."""
    file = tmp_path / "camera.json"
    save_profile(PROFILE, file)
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(ProfileError) as caught:
        load_profile(file)
    assert str(caught.value).startswith(str(file))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_and_torn_profiles_are_refused(tmp_path: Path) -> None:
    """No file and half a file are each told apart."""
    with pytest.raises(ProfileError, match="cannot be read"):
        load_profile(tmp_path / "none.json")
    torn = tmp_path / "torn.json"
    torn.write_text('{"format": 1, "kind": "cam')
    with pytest.raises(ProfileError, match="is no JSON"):
        load_profile(torn)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e308", "NaN", "-Infinity"])
@pytest.mark.parametrize("key", ["error_px", "views"])
def test_a_number_beyond_all_bounds_is_damage(tmp_path: Path, key: str, number: str) -> None:
    """One file in the folder of profiles must not end every start of the program."""
    file = tmp_path / "camera.json"
    save_profile(PROFILE, file)
    data = json.loads(file.read_text())
    data["quality"][key] = "here"
    file.write_text(json.dumps(data).replace('"here"', number))
    with pytest.raises(ProfileError, match=key):
        load_profile(file)


def test_a_profile_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """No recursion error."""
    file = tmp_path / "camera.json"
    file.write_text("[" * 200_000)
    with pytest.raises(ProfileError, match="no JSON"):
        load_profile(file)


def test_damaged_misses_are_none(tmp_path: Path) -> None:
    """They are for the eye only."""
    file = tmp_path / "camera.json"
    save_profile(PROFILE, file)
    data = json.loads(file.read_text())
    data["spots"] = [[10**400, 1, 2, 3]]
    file.write_text(json.dumps(data))
    assert load_profile(file).spots.shape == (0, 4)
