"""A phone as the camera: whose pictures count, what is refused, and the whole way in a real browser by https."""

from __future__ import annotations

import argparse
import datetime
import json
import socket
import ssl
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from cryptography import x509
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from calibration import __path__ as calibration_path
from scoring.errors import RefereeError
from tests.webui.browsing import MARKS, errors_in, open_browser, resize
from tests.webui.conftest import Art, Table
from vision.deck import load_appearance
from vision.scene import SceneModel
from vision.sources.either import EitherSource
from vision.sources.newest import PushedSource
from vision.sources.source import Source, SourceState
from vision.types import Frame
from webui import create_app
from webui.bootstrap import open_secure, open_server
from webui.camera.phone_camera import AWAY_S, PhoneCamera
from webui.commands.scene import observer
from webui.log.store import Store
from webui.security import Door
from webui.server import UNTRUSTED
from webui.services import Services
from webui.sight.cameras.camera import TableEye
from webui.sight.cameras.certificate import FILE, secure_context
from webui.sight.decks.folders import read_deck
from webui.table.runner import Runner

ROOT = Path(__file__).parents[2]
PHOTO = ROOT / "sample_images" / "rox-four-rows.jpg"
ROX = Path(calibration_path[0]) / "decks" / "rox-proxy"


class Clock:
    """Time that tests move."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def picture(shade: int) -> bytes:
    """A grey picture as a phone sends it."""
    return cv2.imencode(".jpg", np.full((48, 64, 3), shade, np.uint8))[1].tobytes()


class Camera(Source):
    """A camera that always shows the same."""

    live = True

    def __init__(self) -> None:
        super().__init__("webcam")
        self.now = SourceState.CONNECTED
        self.closed = False

    @property
    def state(self) -> SourceState:
        return self.now

    @property
    def dropped(self) -> int:
        return 7

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        return Frame(np.zeros((48, 64, 3), np.uint8), 1.0, 3, "webcam")

    def close(self) -> None:
        self.closed = True


def test_the_phone_that_started_last_is_the_camera() -> None:
    """A second phone takes the place by a tap only; the first is then told so."""
    got: list[bytes] = []
    phone = PhoneCamera(got.append, Clock())
    assert phone.take("first-phone", b"1", start=True)
    assert not phone.take("other-phone", b"2", start=False)
    assert phone.take("other-phone", b"3", start=True)
    assert not phone.take("first-phone", b"4", start=False)
    assert got == [b"1", b"3"]


def test_a_phone_that_went_away_leaves_its_place() -> None:
    """After a while of silence any page that still sends is the camera again."""
    clock = Clock()
    phone = PhoneCamera(lambda data: None, clock)
    assert phone.take("first-phone", b"", start=True)
    clock.now += AWAY_S / 2
    assert not phone.take("other-phone", b"", start=False)
    clock.now += AWAY_S
    assert phone.take("other-phone", b"", start=False)


def test_pictures_of_the_phone_replace_those_of_the_camera_while_they_come() -> None:
    """Numbers and times go on without a jump back, and each frame tells whose it is."""
    clock = Clock()
    pushed = PushedSource("phone", patience_s=1000.0)
    camera = Camera()
    either = EitherSource(camera, pushed, clock)
    frames = [either.read(0.1)]
    assert either.dropped == 7
    pushed.push(picture(200))
    clock.now += 1
    assert either.by_phone
    assert either.dropped == 0
    frames.append(either.read(0.1))
    assert [f.source for f in frames if f] == ["webcam", "phone"]
    assert [f.index for f in frames if f] == [0, 1]
    assert [f.at_s for f in frames if f] == [0.0, 1.0]
    either.close()
    assert camera.closed
    assert pushed.state is SourceState.ENDED


def test_a_silent_phone_gives_the_camera_back() -> None:
    """Nothing came for a while: the camera's own state and pictures count again."""
    pushed = PushedSource("phone", patience_s=0.0)
    camera = Camera()
    either = EitherSource(camera, pushed)
    pushed.push(picture(9))
    camera.now = SourceState.LOST
    assert either.state is SourceState.LOST
    frame = either.read(0.1)
    assert frame is not None
    assert frame.source == "webcam"


def test_without_a_camera_a_table_waits_for_the_phone() -> None:
    """Lost, not ended: the phone may come."""
    pushed = PushedSource("phone")
    either = EitherSource(None, pushed)
    assert either.state is SourceState.LOST
    pushed.push(picture(30))
    assert either.state is SourceState.CONNECTED


def test_another_camera_is_another_view_of_the_table() -> None:
    """What was remembered from one place is not held against pictures from another."""
    seen: list[float] = []
    eye = TableEye(SceneModel(), lambda frame, model: seen.append(frame.at_s))  # type: ignore[arg-type,func-returns-value]
    rgb = np.zeros((90, 160, 3), np.uint8)
    eye.look(Frame(rgb, 0.0, 0, "webcam"))
    inner = eye._eye
    eye.look(Frame(rgb, 0.1, 1, "webcam"))
    assert eye._eye is inner
    eye.look(Frame(rgb, 0.2, 2, "phone"))
    assert eye._eye is not inner


def with_phone(table: Table, phone: PhoneCamera | None) -> Table:
    """The same table, whose page takes a phone's pictures."""
    door = Door(table.store.secret())
    app = create_app(Services(table.store, table.runner, Art(table.deck), door, [], "test", phone))
    return replace(table, client=app.test_client())


def test_a_frame_is_handed_over_and_what_is_none_is_refused(table: Table) -> None:
    """Right, unreadable, too large, nameless: each has its answer, and nothing else happens."""
    pushed = PushedSource("phone")
    at = with_phone(table, PhoneCamera(pushed.push))
    headers = {"X-Referee-Token": at.token(), "X-Phone": "abcdef0123456789"}

    def send(data: bytes, **more: str) -> int:
        return at.client.post("/phone/frame?start=1", data=data, headers={**headers, **more}).status_code

    assert send(picture(80)) == 200
    frame = pushed.read(0.1)
    assert frame is not None
    assert frame.rgb.shape == (48, 64, 3)
    assert send(b"no picture") == 422
    assert send(b"") == 422
    assert send(b"x" * (8 * 1024 * 1024 + 1)) == 413
    assert send(picture(80), **{"X-Phone": "../x"}) == 400
    assert send(picture(80), **{"X-Referee-Token": "wrong"}) == 403
    assert pushed.read(0.05) is None
    other = {**headers, "X-Phone": "fedcba9876543210"}
    answer = at.client.post("/phone/frame", data=picture(1), headers=other)
    assert answer.status_code == 409
    assert "Another phone" in answer.get_json()["message"]


@pytest.mark.parametrize(("shape", "ending"), [((1, 1), ".png"), ((20, 30_000), ".jpg"), ((400, 90), ".png")])
def test_a_picture_of_a_size_that_no_camera_gives_takes_nobodys_place(shape: tuple[int, int], ending: str) -> None:
    """A dot or a line is no picture of a table; the camera goes on."""
    pushed = PushedSource("phone")
    phone = PhoneCamera(pushed.push)
    data = cv2.imencode(ending, np.full((*shape, 3), 90, np.uint8))[1].tobytes()
    with pytest.raises(RefereeError, match=r"no picture of a camera|are a strip, no photo"):
        phone.take("a-phone-1", data, start=True)
    assert pushed.read(0.0) is None
    assert phone.may("a-phone-2", start=False)


def test_a_recording_takes_no_phone(table: Table) -> None:
    """The page says so, and so does the answer to a frame."""
    at = with_phone(table, None)
    assert "plays a recording" in at.client.get("/phone").text
    headers = {"X-Referee-Token": at.token(), "X-Phone": "abcdef0123456789"}
    assert at.client.post("/phone/frame", data=picture(80), headers=headers).status_code == 409


def test_the_certificate_is_kept_renewed_and_private(tmp_path: Path) -> None:
    """Made once for every name, made anew for a new address or when its time comes, and nobody else reads it."""
    now = datetime.datetime(2026, 5, 1, tzinfo=datetime.UTC)
    secure_context(tmp_path, ["192.0.2.7"], now)
    path = tmp_path / FILE
    first = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    told = x509.load_pem_x509_certificate(first)
    names = told.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "192.0.2.7" in map(str, names.get_values_for_type(x509.IPAddress))
    assert told.not_valid_after_utc - told.not_valid_before_utc <= datetime.timedelta(days=825)
    secure_context(tmp_path, ["192.0.2.7"], now + datetime.timedelta(days=300))
    assert path.read_bytes() == first
    secure_context(tmp_path, ["192.0.2.8"], now)
    second = path.read_bytes()
    assert second != first
    secure_context(tmp_path, ["192.0.2.8"], now + datetime.timedelta(days=815))
    assert path.read_bytes() != second
    path.write_bytes(b"torn")
    secure_context(tmp_path, ["192.0.2.8"], now)
    assert path.read_bytes().startswith(b"-----BEGIN")


@pytest.fixture
def laid_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Runner]]:
    """The real program by https on a port of its own, without a camera; its address and its runner."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    store = Store(f"sqlite:///{tmp_path / 'site.sqlite'}")
    deck = read_deck(ROX)
    pushed = PushedSource("phone")
    phone = PhoneCamera(pushed.push)
    eye = TableEye(SceneModel(load_appearance(ROX)), observer())
    runner = Runner(store, eye, deck, EitherSource(None, pushed))
    args = argparse.Namespace(host="0.0.0.0", port=0)
    server = open_server(store, runner, Art(deck), args.host, args.port, phone)
    secure = open_secure(server, args.host, 0)
    assert secure is not None
    runner.start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://127.0.0.1:{secure.port}", runner
    for each in (secure, server):
        each.shutdown()
        each.server_close()
    runner.stop()
    store.close()


def test_a_silent_visitor_holds_up_nobody(laid_table: tuple[str, Runner]) -> None:
    """Someone connects by https and says nothing: the next one is served all the same."""
    port = int(laid_table[0].rpartition(":")[2])
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    here = ("127.0.0.1", port)
    with socket.create_connection(here, 5), socket.create_connection(here, 5) as plain:
        told = context.wrap_socket(plain, server_hostname="localhost")
        told.sendall(b"GET /phone HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert told.recv(64).startswith(b"HTTP/1.1 200")
        told.close()


def test_a_visitor_who_takes_no_certificate_is_told_of_once(
    laid_table: tuple[str, Runner], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Browsers that do not know the certificate, or speak plain http, fill no terminal; one line says what to do."""
    here = ("127.0.0.1", int(laid_table[0].rpartition(":")[2]))
    for _ in range(3):
        with socket.create_connection(here, 5) as plain, pytest.raises(ssl.SSLError):
            ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
        with socket.create_connection(here, 5) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert plain.recv(64) == b""
    until = time.monotonic() + 10
    while not caplog.records and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    assert [r.getMessage() for r in caplog.records] == [UNTRUSTED]
    assert "SSL" not in capfd.readouterr().err


@pytest.fixture
def phone_browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebDriver]:
    """A browser whose camera shows the sample photo of four rows."""
    bgr = cv2.resize(cv2.imread(str(PHOTO)), (1280, 720), interpolation=cv2.INTER_AREA)
    frame = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
    clip = tmp_path / "camera.mjpeg"
    clip.write_bytes(frame * 20)
    more = (
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={clip}",
        "--ignore-certificate-errors",
    )
    yield from open_browser(more)


@pytest.mark.parametrize("mark", [pytest.param(None, marks=MARKS)])
def test_a_phone_shows_the_table_and_the_referee_reads_it(
    mark: None, laid_table: tuple[str, Runner], phone_browser: WebDriver
) -> None:
    """Open the page by https, tap once: the rows that the phone's camera shows are read here."""
    address, runner = laid_table
    resize(phone_browser, 390, 844)
    phone_browser.get(f"{address}/phone")
    phone_browser.find_element(By.ID, "phone-start").click()
    wait = WebDriverWait(phone_browser, 60)
    wait.until(lambda d: "sees this picture" in d.find_element(By.ID, "phone-state").text)
    wait.until(lambda d: len(runner.board.snapshot.cards) >= 12)
    truth = json.loads(PHOTO.with_suffix(".json").read_text("utf-8"))
    lying = {c["id"] for row in truth["rows"] for c in row["cards"]} | {c["id"] for c in truth["pool"]}
    reading = runner._judging.sight.reading
    assert reading is not None
    assert {p.face for p in reading.table.placements if p.face} <= lying, "upright, not mirrored, and read right"
    assert runner.board.snapshot.camera.state == "connected"
    phone_browser.find_element(By.ID, "phone-start").click()
    wait.until(lambda d: "Start" in d.find_element(By.ID, "phone-start").text)
    wait.until(lambda d: runner.board.snapshot.camera.state != "connected")
    assert errors_in(phone_browser) == []


def test_a_refused_frame_is_no_camera() -> None:
    """A page that sends rubbish does not count as a camera that gives pictures."""
    pushed = PushedSource("phone")
    phone = PhoneCamera(pushed.push)
    with pytest.raises(RefereeError):
        phone.take("first-phone", b"rubbish", start=True)
    assert pushed.state is SourceState.LOST


def test_whoever_sends_no_picture_takes_nobodys_place() -> None:
    """The phone that is the camera stays it, and its pictures go on."""
    pushed = PushedSource("phone")
    phone = PhoneCamera(pushed.push)
    assert phone.take("first-phone", picture(10), start=True)
    with pytest.raises(RefereeError):
        phone.take("other-phone", b"rubbish", start=True)
    assert phone.take("first-phone", picture(20), start=False)


def test_a_picture_made_to_fill_the_memory_is_refused_unopened() -> None:
    """Few bytes may hold a hundred megapixels: no camera's frame does."""
    huge = cv2.imencode(".png", np.zeros((10_000, 10_000), np.uint8))[1].tobytes()
    assert len(huge) < 1_000_000
    pushed = PushedSource("phone")
    with pytest.raises(RefereeError, match="too many"):
        pushed.push(huge)


def test_one_picture_at_a_time_is_opened() -> None:
    """However many phones send at once."""
    busy, most = 0, 0

    def push(data: bytes) -> None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        time.sleep(0.02)
        busy -= 1

    phone = PhoneCamera(push)
    threads = [
        threading.Thread(target=phone.take, args=(f"phone-{n:04d}", b""), kwargs={"start": True}) for n in range(6)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert most == 1


def test_a_computer_with_an_umlaut_in_its_name_has_a_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For its addresses, and it is kept as any other."""
    monkeypatch.setattr(socket, "gethostname", lambda: "küche")
    secure_context(tmp_path, ["192.0.2.7"])
    first = (tmp_path / FILE).read_bytes()
    secure_context(tmp_path, ["192.0.2.7"])
    assert (tmp_path / FILE).read_bytes() == first


def test_a_certificate_with_the_key_of_another_is_made_anew(tmp_path: Path) -> None:
    """As after a copy of half a file."""
    mark = b"-----BEGIN CERTIFICATE"
    for folder in ("one", "other"):
        secure_context(tmp_path / folder, ["192.0.2.7"])
    one, other = ((tmp_path / f / FILE).read_bytes().split(mark) for f in ("one", "other"))
    (tmp_path / "one" / FILE).write_bytes(one[0] + mark + other[1])
    secure_context(tmp_path / "one", ["192.0.2.7"])
    assert (tmp_path / "one" / FILE).read_bytes().split(mark)[1] != other[1]
