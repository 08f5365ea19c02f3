"""`referee calibrate`: what it learns, keeps, lists, forgets and refuses; and who uses it afterwards."""

from __future__ import annotations

import argparse
import json
import shutil
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from calibration.grades import Grade
from calibration.profile import Profile, load_profile, save_profile
from calibration.shelf import save_named
from tests import colour_eye
from tests.calibration.test_from_table import LENS, plane
from tests.calibration.test_intrinsics import LENS as TRUE_LENS
from tests.calibration.test_intrinsics import POSES, album, photograph
from vision.scene import Observation, SceneModel
from vision.sources.devices import camera_identity
from vision.types import Failure, Frame, Standing
from webui import cli
from webui.bootstrap import open_store
from webui.commands.photos import judge
from webui.commands.scene import open_scene
from webui.paths import calibrations_folder, decks_folder, default_database
from webui.sight.cameras import known_camera
from webui.sight.cameras.known_camera import PHONE, KnownCameras, plain_name
from webui.sight.decks.folders import bundled_deck
from webui.table.desk import Desk

MORE_POSES = (
    *POSES,
    (20.0, 0.0, 60.0, -60.0, 10.0, 460.0),
    (-10.0, 30.0, 110.0, 60.0, -30.0, 470.0),
    (0.0, -20.0, 75.0, -150.0, -50.0, 640.0),
)
"""So many sides that the lens is well known."""
KEPT = Profile(LENS, Grade.GOOD, 0.2, 0.9, 10, "0", "Desk", "usb-Cam-1", "2026-01-02T20:15:00+01:00", plane())


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own for each test, whatever the system."""
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    return tmp_path / "data"


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def write(path: Path, rgb: np.ndarray) -> str:
    cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))
    return str(path)


def test_a_whole_set_up_is_learned_kept_listed_and_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lens, table and light from photos of the target, under a name; and gone again when that is wanted."""
    photos = [write(tmp_path / name.replace("jpg", "png"), rgb) for name, rgb in album()]
    table = write(tmp_path / "table.png", photograph(TRUE_LENS, (38.0, 0.0, 85.0, 20.0, 30.0, 620.0)))
    assert cli.main(["calibrate", *photos, "--table", table, "--name", "Kitchen table"]) == 0
    out, err = capsys.readouterr()
    told = lines(out)[0]
    assert told["grade"] == "good"
    assert told["error_px"] <= 0.5
    assert told["table"]["residual_px"] <= 0.5
    assert all(180 < v < 256 for v in told["white"])
    assert "well known now" in err
    assert f"referee: {len(photos) + 1} of {len(photos) + 1} pictures used" in err, "that of the table, too"
    file = Path(told["calibration"])
    kept = load_profile(file)
    assert (kept.name, kept.grade) == ("Kitchen table", Grade.GOOD)
    assert kept.table is not None
    assert len(kept.spots) > 50
    assert cli.main(["calibrate", "--list"]) == 0
    assert [p["name"] for p in lines(capsys.readouterr().out)] == ["Kitchen table"]
    earlier = replace(kept, camera_id="http://cam/cgi?pwd=secret")
    save_profile(earlier, file)
    assert load_profile(file).camera_id == "http://cam/cgi"
    assert cli.main(["calibrate", *photos, "--name", "Kitchen table"]) == 0
    assert "what was there before is now kitchen-table.json.1" in capsys.readouterr().err
    assert [p.name for p in file.parent.iterdir() if p.is_file()].count("kitchen-table.json") == 1
    assert load_profile(file.with_name("kitchen-table.json.1")).camera_id == "http://cam/cgi"
    assert cli.main(["calibrate", "--forget", "kitchen table"]) == 0
    assert not Path(told["calibration"]).exists()
    capsys.readouterr()
    assert cli.main(["calibrate", "--forget", "kitchen table"]) == 2
    assert "no calibration has this name" in capsys.readouterr().err


def test_a_poor_calibration_is_refused_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Views from one side only leave the lens open: nothing is written, and the mend is told."""
    poses = [(0.0, 0.0, 90.0, x, y, 700.0) for x in (-60, 60) for y in (-40, 0, 40)]
    photos = [write(tmp_path / f"{n}.png", photograph(TRUE_LENS, p)) for n, p in enumerate(poses)]
    out = tmp_path / "camera.json"
    assert cli.main(["calibrate", *photos, "--out", str(out)]) == 2
    err = capsys.readouterr().err
    assert not out.exists()
    assert "nothing is kept" in err or "cannot be learned" in err
    assert "tilt" in err


def test_a_table_photo_without_the_target_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The photo is named; nothing is kept of a set-up that is only half learned."""
    bare = write(tmp_path / "bare.png", np.full((540, 960, 3), 120, np.uint8))
    assert cli.main(["calibrate", "--table", bare]) == 2
    assert "bare.png: the target was not found" in capsys.readouterr().err


def test_play_uses_what_is_kept_of_its_camera(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the camera's lasting name, and told; another camera is played without."""
    save_named(calibrations_folder(), KEPT)
    names = {"0": "usb-Cam-1", "1": "usb-Cam-2"}
    monkeypatch.setattr(known_camera, "camera_identity", lambda spec: names.get(spec, ""))
    args = cli.build_parser().parse_args(["watch", "rox", "--source", "0"])
    model = open_scene(args).model
    assert model.camera is not None
    np.testing.assert_array_equal(model.camera.K, LENS.K)
    assert model.table is not None
    assert "uses what was learned of this camera: Desk (good" in capsys.readouterr().err
    args.source = "1"
    assert open_scene(args).model.camera is None
    assert capsys.readouterr().err == ""


def test_a_named_calibration_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file, or the name, on the command line goes before what is kept of the camera."""
    save_named(calibrations_folder(), KEPT)
    other = replace(KEPT, name="Other", table=None, camera_id="usb-Cam-9")
    save_named(calibrations_folder(), other)
    save_profile(other, tmp_path / "file.json")
    monkeypatch.setattr(known_camera, "camera_identity", lambda spec: "usb-Cam-1")
    for given in ("other", str(tmp_path / "file.json")):
        args: argparse.Namespace = cli.build_parser().parse_args(
            ["watch", "rox", "--source", "0", "--calibration", given]
        )
        assert open_scene(args).model.table is None


def test_a_phone_has_a_calibration_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A phone that takes the camera's place is not measured with the camera's lens."""
    folder = calibrations_folder()
    save_named(folder, KEPT)
    monkeypatch.setattr(known_camera, "camera_identity", lambda spec: "usb-Cam-1")
    cameras = KnownCameras()
    assert cameras.of("0") is not None
    assert cameras.of(PHONE) is None
    assert KnownCameras(KEPT).of(PHONE) is None
    save_named(folder, replace(KEPT, name="My phone", camera_id=PHONE))
    found = cameras.of(PHONE)
    assert found is not None
    assert found.name == "My phone"


def test_a_model_forgets_the_camera_before() -> None:
    """Without a calibration nothing is left of the one before."""
    model = known_camera.with_profile(SceneModel(), replace(KEPT, grade=Grade.USABLE))
    assert model.off_share > 0
    bare = known_camera.with_profile(model, None)
    assert (bare.camera, bare.table, bare.off_share) == (None, None, 0.0)


def test_a_camera_is_known_by_the_name_that_lasts(tmp_path: Path) -> None:
    """The device's own name where the system has one, whatever its number; else number and model."""
    by_id, labels, devices = tmp_path / "by-id", tmp_path / "labels", tmp_path / "dev"
    for folder in (by_id, labels / "video7", devices):
        folder.mkdir(parents=True)
    (devices / "video3").touch()
    (by_id / "usb-Maker_Cam_42-video-index0").symlink_to(devices / "video3")
    (labels / "video7" / "name").write_text("Integrated Camera\n")

    def name(spec: str) -> str:
        return camera_identity(spec, by_id, labels, devices)

    assert name("3") == "usb-Maker_Cam_42-video-index0"
    assert name("7") == "camera 7 (Integrated Camera)"
    assert name("8") == "camera 8"
    assert name("rtsp://user:secret@10.0.0.2/live") == "rtsp://10.0.0.2/live"
    assert name("http://10.0.0.2/cgi?channel=2&user=a&pwd=secret&pin=1234#t=5") == "http://10.0.0.2/cgi?channel=2"
    assert name("http://a:b/c@10.0.0.2/cgi?channel=1&x=secret&channel=10") != name("http://10.0.0.2/cgi?channel=2")
    assert name(name("http://10.0.0.2/cgi?channel=2&pwd=secret")) == "http://10.0.0.2/cgi?channel=2"
    assert name("http://10.0.0.2/cgi?pwd=secret") == "http://10.0.0.2/cgi"
    for secret in ("pin=42", "pwd=12", "token=99", "passcode=07", "userId=5", "p=12"):
        assert name(f"http://10.0.0.2/cgi?{secret}&channel=2") == "http://10.0.0.2/cgi?channel=2"
    by_path = name("rtsp://10.0.0.2/user=admin_password=tlJw_channel=1_stream=0.sdp")
    assert by_path == name(by_path) == "rtsp://10.0.0.2/user=…_password=…_channel=1_stream=0.sdp"
    assert plain_name(by_path) == "rtsp 10.0.0.2 user password channel 1 stream 0.sdp"
    assert name(str(tmp_path / "clip.mp4")) == ""
    assert plain_name(name("3")) == "Maker Cam 42"
    assert plain_name(name("7")) == "camera 7 Integrated Camera"


def test_judge_says_where_a_photo_contradicts_the_calibration(
    tmp_path: Path, colour_deck: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The photo is named and judged all the same."""
    picture = write(tmp_path / "a.png", colour_eye.table(colour_eye.south_row(["F0", "F1"])))

    def moved(frame: Frame, model: SceneModel) -> Observation | Failure:
        seen = colour_eye.observe(frame, model)
        return replace(seen, standing=Standing.MOVED) if isinstance(seen, Observation) else seen

    args = cli.build_parser().parse_args(["judge", "rox", "--deck", str(colour_deck), picture])
    assert judge(args, moved) == 0
    out, err = capsys.readouterr()
    assert len(lines(out)) == 1
    assert "a.png: the camera stands elsewhere than when it was calibrated" in err


def test_a_recording_of_the_target_teaches_the_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Carried about and laid down at the end, without a photo being taken: lens and table come from the film."""
    clip = cv2.VideoWriter(str(tmp_path / "target.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 5.0, TRUE_LENS.size_px)
    flat = (38.0, 0.0, 85.0, 20.0, 30.0, 620.0)
    for where in (*MORE_POSES, flat):
        bgr = cv2.cvtColor(photograph(TRUE_LENS, where), cv2.COLOR_RGB2BGR)
        for _ in range(12 if where == flat else 2):
            clip.write(bgr)
    clip.release()
    out = tmp_path / "camera.json"
    assert cli.main(["calibrate", "--source", str(tmp_path / "target.avi"), "--out", str(out)]) == 0
    told = lines(capsys.readouterr().out)[0]
    assert told["error_px"] <= 0.5
    kept = load_profile(out)
    assert kept.table is not None
    assert kept.camera_id == ""
    assert kept.camera.K[0, 0] == pytest.approx(800, rel=0.006)


def test_cards_of_a_photo_teach_the_camera(capsys: pytest.CaptureFixture[str]) -> None:
    """One sample photo, no print at all: usable, with the table; a game of another deck is refused."""
    photo = str(Path(__file__).parents[1] / "sample_images" / "rox-four-rows.jpg")
    assert cli.main(["calibrate", "--game", "rox", photo, "--name", "by cards"]) == 0
    out, err = capsys.readouterr()
    told = lines(out)[0]
    assert "1 of 1 pictures used; 3 of the table from different sides make it surer" in err
    assert told["grade"] in ("good", "usable")
    assert "the focal length is known to" in err
    assert "needed are" not in err
    assert told["table"]["residual_px"] < 1
    assert load_profile(Path(told["calibration"])).name == "by cards"
    deck = str(Path(__file__).parents[1] / "calibration" / "decks" / "conex-proxy")
    assert cli.main(["calibrate", "--game", "rox", "--deck", deck, photo]) == 2
    assert "a deck of conex" in capsys.readouterr().err


def test_cards_are_those_of_the_deck_that_was_chosen_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As where one plays; where none of its cards is seen, the deck is named, and the option for another one."""
    photo = tmp_path / "table.png"
    Image.new("RGB", (320, 240), "grey").save(photo)
    assert cli.main(["calibrate", "--game", "rox", str(photo)]) == 2
    assert f"({bundled_deck('rox')})" in capsys.readouterr().err
    own = decks_folder() / "mine"
    shutil.copytree(bundled_deck("rox"), own)
    store = open_store(default_database())
    Desk(store, socket.gethostname(), "rox").note_deck("mine")
    store.close()
    assert cli.main(["calibrate", "--game", "rox", str(photo)]) == 2
    said = capsys.readouterr().err
    assert f"({own})" in said
    assert "--deck DIR" in said


def test_a_damaged_calibration_is_named_in_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that can be read are listed all the same."""
    folder = calibrations_folder()
    folder.mkdir(parents=True)
    (folder / "x.json").write_text("{")
    assert cli.main(["calibrate", "--list"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{folder / 'x.json'}: is no JSON" in err
    assert cli.main(["calibrate", "--forget", "x"]) == 0
    assert cli.main(["calibrate", "--list"]) == 0


def test_photos_of_an_unknown_camera_replace_nothing_unsaid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They may be another camera's than those before: what was learned of these stays beside it."""
    photos = [write(tmp_path / name.replace("jpg", "png"), rgb) for name, rgb in album()]
    save_named(calibrations_folder(), replace(KEPT, name="camera", camera_id=""))
    assert cli.main(["calibrate", *photos]) == 0
    assert "what was there before is now camera.json.1" in capsys.readouterr().err
    assert load_profile(calibrations_folder() / "camera.json.1").made_at == KEPT.made_at


@pytest.mark.parametrize("command", [["calibrate", "a.png", "--game", "rox"], ["enroll", "rox", "a.png"]])
@pytest.mark.parametrize("target", ["nowhere/deep/place", "link"])
def test_a_link_that_leads_nowhere_is_told_before_the_work(
    command: list[str], target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is not there, or a link to itself: it is named, and nothing is made behind it."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / target)
    before = sorted(tmp_path.iterdir())
    for out in (link, link / "more"):
        assert cli.main([*command, "--out", str(out)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert f"{out}: the link {link} leads nowhere" in line
    assert sorted(tmp_path.iterdir()) == before


def test_a_report_knows_a_calibration_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As every other command does; and a folder for `--out` is refused before the work."""
    save_named(calibrations_folder(), KEPT)
    assert cli.main(["report", "--calibration", "Desk", "--out", str(tmp_path / "r.zip")]) == 0
    assert "calibration/Desk.json" in lines(capsys.readouterr().out)[0]["files"]
    assert cli.main(["calibrate", "a.png", "--game", "rox", "--out", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path}: is a folder; name a file in it with --out" in line
