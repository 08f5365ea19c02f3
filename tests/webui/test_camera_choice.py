"""Choosing another camera on the page while the program runs: the list, its pictures, the change, and what stays."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from scoring.errors import RefereeError
from scoring.table import Point
from tests.webui.conftest import Table
from tests.webui.fakes import FakeFrame, lay
from vision.sources.devices import camera_specs
from vision.sources.either import EitherSource
from vision.sources.masked import masked
from vision.sources.newest import PushedSource
from vision.sources.source import Source, SourceError, SourceState
from vision.sources.sources import open_source
from vision.types import Frame
from webui import create_app
from webui.camera.choosing import CHOICE_REFUSALS, CameraChoice
from webui.camera.phone_camera import PhoneCamera
from webui.sight.cameras import chooser as choosing
from webui.sight.cameras.chooser import GONE, NO_CAMERA, NO_PICTURE, STILLS, CameraChooser
from webui.table.requests import AgreeArea, NewCamera, Outcome

SPECS = (("/dev/v4l/by-id/usb-desk", "Desk camera"), ("1", "Lid camera"), ("2", "Lid camera"))


DARK = ("99", "http://192.0.2.1/cam")
"""Cameras that give no picture."""


class Still(Source):
    """A camera that gives the same picture whenever it is asked."""

    live = True

    def __init__(self, name: str, *, stills: bool = False) -> None:
        super().__init__(name)
        self.stills = stills
        self.closed = False

    @property
    def state(self) -> SourceState:
        return SourceState.ENDED if self.closed else SourceState.CONNECTED

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        return (
            None if self.closed or self.name in DARK else Frame(np.full((90, 160, 3), 99, np.uint8), 5.0, 3, self.name)
        )

    def close(self) -> None:
        self.closed = True


@dataclass
class Desk:
    """A chooser with its source, and what it told."""

    first: Still = field(default_factory=lambda: Still("0"))
    told: list[str] = field(default_factory=list)
    opened: list[Still] = field(default_factory=list)
    gone: bool = False

    def __post_init__(self) -> None:
        self.pushed = PushedSource("phone", patience_s=1000.0)
        self.either = EitherSource(self.first, self.pushed)
        self.chooser = CameraChooser(
            self.either,
            lambda: self.either.read(0.0),
            lambda: self.told.append("changed"),
            self.told.append,
            lambda: () if self.gone else SPECS,
            self.connect,
        )

    def connect(self, spec: str) -> Source:
        if spec == "nowhere":
            raise RefereeError("nowhere: no such source")
        self.opened.append(Still(spec, stills=spec.endswith(".jpg")))
        return self.opened[-1]


def test_cameras_are_listed_by_their_lasting_names() -> None:
    """Two of one model are told apart; the one that gives the pictures is marked, listed or not."""
    listed = Desk().chooser.choices()
    assert [c.name for c in listed[1:]] == ["Desk camera", "Lid camera (1)", "Lid camera (2)"]
    assert [c.here for c in listed] == [True, False, False, False]
    assert (listed[0].key, listed[0].name) == ("here", "camera 0")


def test_the_change_keeps_time_and_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The camera before is let go of; frames go on without a jump back, and the choice is noted for the next start."""
    desk = Desk()
    before = desk.either.read(0.1)
    desk.chooser.choose("1")
    after = desk.either.read(0.1)
    assert before is not None
    assert after is not None
    assert (desk.first.closed, after.source) == (True, "1")
    assert after.index > before.index
    assert after.at_s >= before.at_s
    assert desk.told == ["changed", "1"]
    assert [c.here for c in desk.chooser.choices()] == [False, True, False]
    desk.chooser.choose("1")
    assert len(desk.opened) == 1, "it is here already"


def test_what_is_no_camera_leaves_the_one_that_is_here() -> None:
    """One that was unplugged meanwhile, a photo, and what is not there at all."""
    desk = Desk()
    for wrong in ("/etc/passwd", "7"):
        with pytest.raises(RefereeError, match=GONE):
            desk.chooser.choose(wrong)
    with pytest.raises(RefereeError) as refused:
        desk.chooser.open("table.jpg")
    assert refused.value.message == STILLS
    with pytest.raises(RefereeError):
        desk.chooser.open("nowhere")
    assert not desk.first.closed
    assert desk.told == []
    assert {GONE, STILLS, NO_PICTURE, NO_CAMERA} == set(CHOICE_REFUSALS)


def test_a_video_is_not_noted_for_the_next_start_and_a_network_camera_is() -> None:
    """A recording is looked at once; a camera of the network is one's own."""
    desk = Desk()
    desk.chooser.open("evening.mp4")
    desk.chooser.open("rtsp://cam/1")
    desk.chooser.open("192.168.1.5:8080/video")
    assert desk.told == ["changed"] * 2 + ["rtsp://cam/1", "changed", "http://192.168.1.5:8080/video"]
    desk.chooser.open("/home/me/films/evening.mp4")
    assert desk.chooser.choices()[0] == CameraChoice("here", "evening.mp4", True)


def test_only_a_camera_that_gives_a_picture_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What gives none leaves the camera before, is let go of, and is not noted for the next start."""
    monkeypatch.setattr(choosing, "OPEN_S", 0.05)
    desk = Desk()
    for address in DARK:
        with pytest.raises(RefereeError, match="No picture came"):
            desk.chooser.open(address)
    assert [camera.closed for camera in desk.opened] == [True, True]
    assert not desk.first.closed
    assert desk.told == []


def test_what_can_be_no_camera_is_not_even_opened(tmp_path: Path) -> None:
    """A pipe, which would hang for ever, letters, a device of another kind, and addresses that are none."""
    desk = Desk()
    os.mkfifo(tmp_path / "fifo.mp4")
    (tmp_path / "notes.mp4").write_text("No video at all\n")
    for wrong in (*map(str, tmp_path.iterdir()), "/dev/zero", "http://[", "http://", "file:///etc/passwd"):
        with pytest.raises(RefereeError) as refused:
            desk.chooser.open(wrong)
        assert refused.value.message == NO_CAMERA, wrong
    assert desk.opened == []
    with pytest.raises(SourceError, match="neither a file nor a camera"):
        open_source(str(tmp_path / "fifo.mp4"))


def test_the_list_is_there_while_a_camera_is_opened() -> None:
    """Whoever opens one that takes its time keeps nobody waiting."""
    desk = Desk()
    seen: list[object] = []

    def connect(spec: str) -> Source:
        seen.extend((desk.chooser.choices(), desk.chooser.picture("here")))
        other = threading.Thread(target=lambda: seen.append(desk.chooser.picture("2")), daemon=True)
        other.start()
        other.join(20)
        return Still(spec)

    desk.chooser._connect = connect
    desk.chooser.choose("1")
    assert len(seen) == 3


def test_a_picture_is_taken_of_what_gives_one() -> None:
    """Of the camera that is here the newest; none of what is not listed, nor of a device that is not there."""
    desk = Desk()
    shown = desk.chooser.picture("here")
    assert shown is not None
    assert shown.startswith(b"\xff\xd8")
    assert desk.chooser.picture("/dev/v4l/by-id/usb-desk") is None
    assert desk.chooser.picture("/etc/passwd") is None


def test_a_phone_gives_its_place_to_a_camera_that_is_chosen() -> None:
    """Its pictures count no more until somebody taps on it again."""
    phone = PhoneCamera(lambda data: None)
    assert phone.take("a-phone-1", b"", start=True)
    phone.send_away()
    assert phone.was_sent_away("a-phone-1")
    assert not phone.take("a-phone-1", b"", start=False)
    assert phone.take("a-phone-1", b"", start=True)
    assert phone.take("a-phone-1", b"", start=False)


def test_linux_names_its_cameras_without_opening_them(tmp_path: Path) -> None:
    """By the link that outlasts unplugging, else by number; a device without pictures of its own is none."""
    devices, labels, by_id = (tmp_path / n for n in ("dev", "sys", "by-id"))
    for folder in (devices, labels, by_id):
        folder.mkdir()
    for n, (index, name) in enumerate((("0", "Desk"), ("1", "Desk"), ("0", "Lid"))):
        (devices / f"video{n}").touch()
        about = labels / f"video{n}"
        about.mkdir()
        (about / "index").write_text(f"{index}\n")
        (about / "name").write_text(f"{name}\n")
    (by_id / "usb-Desk-video-index0").symlink_to(devices / "video0")
    found = camera_specs(devices, by_id, labels, "Linux")
    assert found == ((str(by_id / "usb-Desk-video-index0"), "Desk"), ("2", "Lid"))
    assert [spec for spec, _ in camera_specs(system="Windows")] == ["0", "1", "2", "3"]


@dataclass
class FakeChooser:
    """Remembers what it was asked."""

    asked: list[str] = field(default_factory=list)
    fails: str = ""

    def choices(self) -> Sequence[CameraChoice]:
        return (CameraChoice("0", "Desk <camera>", True), CameraChoice("1", "Lid camera"))

    def picture(self, key: str) -> bytes | None:
        return b"jpeg" if key == "1" else None

    def choose(self, key: str) -> None:
        if self.fails:
            raise RefereeError(self.fails)
        self.asked.append(key)

    def open(self, address: str) -> None:
        self.asked.append(f"open {address}")


@pytest.fixture
def page(table: Table) -> tuple[Table, FakeChooser]:
    fake = FakeChooser()
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], chooser=fake))
    table.client = table.app.test_client()
    return table, fake


def test_the_page_lists_and_changes(page: tuple[Table, FakeChooser]) -> None:
    """One tap takes another camera; the one that is here has no button, and what fails is told in words."""
    table, fake = page
    assert 'id="choose-camera"' in table.client.get("/camera").text
    assert "gives the pictures now" not in table.client.get("/camera/choose").text, "no picture came yet"
    table.runner.see(FakeFrame(lay({})))
    text = table.client.get("/camera/choose").text
    assert "Desk &lt;camera&gt;" in text
    assert text.count('name="key"') == 1
    assert "gives the pictures now" in text
    table.source.state = "lost"
    table.runner.step()
    lost = table.client.get("/camera/choose").text
    assert "gives the pictures now" not in lost
    assert "no picture comes from it" in lost
    assert table.client.get("/camera/choose/picture.jpg?key=1").data == b"jpeg"
    assert table.client.get("/camera/choose/picture.jpg?key=0").status_code == 404
    sent = table.client.post("/camera/choose", data={"key": "1", "token": table.token()})
    assert sent.headers["Location"] == "/camera"
    assert "nothing is lost" in text
    fake.fails = GONE
    sent = table.client.post("/camera/choose", data={"key": "1", "token": table.token()})
    assert sent.headers["Location"] == "/camera/choose"
    assert "not there any more" in table.client.get("/camera/choose").text
    assert fake.asked == ["1"]


def test_only_the_own_computer_names_files(page: tuple[Table, FakeChooser]) -> None:
    """A guest of the network chooses among the cameras, and reads no file of this computer."""
    table, fake = page
    data = {"address": "/home/me/evening.mp4", "token": table.token()}
    assert table.client.post("/camera/choose", data=data).status_code == 303
    far = {"REMOTE_ADDR": "192.168.1.7"}
    assert table.client.post("/camera/choose", data=data, environ_overrides=far).status_code == 403
    assert 'name="address"' not in table.client.get("/camera/choose", environ_overrides=far).text
    assert fake.asked == ["open /home/me/evening.mp4"]


def test_a_recording_offers_no_other_camera(table: Table) -> None:
    """There is nothing to choose."""
    assert table.client.get("/camera/choose").status_code == 404
    assert "/camera/choose" not in table.client.get("/camera").text


def test_each_camera_keeps_the_area_that_was_drawn_on_it(table: Table, three_rows: FakeFrame) -> None:
    """Another view of the table has none until one is drawn; with the first camera its own comes back."""
    match = table.begin()
    drawn: tuple[Point, ...] = ((10.0, 10.0), (900.0, 10.0), (900.0, 500.0))
    other: tuple[Point, ...] = ((0.0, 0.0), (50.0, 0.0), (50.0, 60.0))
    table.eye.named = "desk"
    table.runner.see(three_rows)
    assert table.runner.submit(AgreeArea(match.id, drawn)).outcome is Outcome.DONE
    seen = []
    for camera, area in (("lid", None), ("lid", other), ("desk", None), ("lid", None)):
        table.eye.named = camera
        table.runner.submit(NewCamera())
        table.runner.see(three_rows)
        if area is not None:
            table.runner.submit(AgreeArea(match.id, area))
        seen.append(table.eye.area)
    assert seen == [(), other, drawn, other]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("http://user:s3cret@host:81/cam?token=t0psecret", "http://host:81/cam?…"),
        ("rtsp://us@er:a/b@host/cam/1#x", "rtsp://host/cam/1?…"),
        ("http://host/?pw=a@b/c", "http://host/?…"),
        ("rtsp://host/1", "rtsp://host/1"),
        ("rtsp://user:s3#cret@host/1", "rtsp://host/1"),
        ("rtsp://user:s3?cret@host/1", "rtsp://host/1"),
        ("http://host:81?pw=s3@cret/c", "http://host:81?…"),
        ("rtsp://host/login=me_password=s3_cret_channel=1_x=0.sdp", "rtsp://host/login=…_password=…_channel=1_x=0.sdp"),
        ("rtsp://host/login=me&password=s3cret&channel=1", "rtsp://host/login=…&password=…&channel=1"),
        ("http://host/cam;Passcode=s3cret/low", "http://host/cam;Passcode=…/low"),
        ("/home/me/evening.mp4", "/home/me/evening.mp4"),
        ("0", "0"),
    ],
)
def test_an_address_is_shown_without_its_secrets(source: str, shown: str) -> None:
    """Neither user nor password nor what follows the path; the page's list neither."""
    assert masked(source) == shown
    desk = Desk(Still(source))
    assert not any(s in desk.chooser.choices()[0].name for s in ("s3cret", "t0p", "user", "pw"))
