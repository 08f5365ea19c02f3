"""Recordings, folders, streams and pushed frames as sources of frames."""

from __future__ import annotations

import http.server
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.sources import devices, sources
from vision.sources.newest import PushedSource
from vision.sources.photos import PhotoError
from vision.sources.recorded import FileSource, FolderSource
from vision.sources.source import Source, SourceError, SourceState
from vision.sources.sources import open_source
from vision.types import Frame

FPS = 10


def picture(number: int) -> np.ndarray:
    """BGR picture that carries its number as a bar, and is red."""
    bgr = np.zeros((96, 128, 3), np.uint8)
    bgr[:, :, 2] = 200
    bgr[40:60, : 4 * (number + 1)] = (200, 40, 40)
    return bgr


def number(rgb: np.ndarray) -> int:
    return round(np.count_nonzero(rgb[50, :, 2] > 120) / 4) - 1


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, (128, 96))
    assert writer.isOpened()
    for n in range(20):
        writer.write(picture(n))
    writer.release()
    return path


def wait_for(source: Source, wanted: Callable[[Frame | None], bool], limit_s: float = 10.0) -> Frame | None:
    """Read until a frame (or its absence) is as wanted."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        frame = source.read(0.1)
        if wanted(frame):
            return frame
    raise AssertionError(f"not within {limit_s} s; state {source.state}")


def test_recording_gives_every_frame_with_its_time(clip: Path) -> None:
    """No frame of a recording is dropped, and each carries its time in the recording."""
    with open_source(str(clip)) as source:
        assert not source.live
        read = []
        while (frame := source.read()) is not None:
            assert source.state is SourceState.CONNECTED
            read.append((number(frame.rgb), frame.index, frame.at_s))
            time.sleep(0.005)  # a slow reader
        assert source.state is SourceState.ENDED
        assert source.dropped == 0
    assert [n for n, _, _ in read] == list(range(20))
    assert [i for _, i, _ in read] == list(range(20))
    np.testing.assert_allclose([t for _, _, t in read], np.arange(20) / FPS, atol=1e-3)


@pytest.mark.parametrize("realtime", [False, True])
def test_a_recording_that_breaks_off_says_so(clip: Path, realtime: bool) -> None:
    """Damaged in the middle, it is not taken for one that is over; a whole one says nothing."""
    whole = clip.read_bytes()
    begin, end = whole.index(b"movi"), whole.rindex(b"idx1")
    for content, told in ((whole, r""), (whole[: begin + (end - begin) // 3], r"only 0\.\d of 2\.0 s can be read; .+")):
        clip.write_bytes(content)
        with open_source(str(clip), realtime=realtime) as source:
            wait_for(source, lambda f, s=source: f is None and s.state is SourceState.ENDED)
            assert re.fullmatch(told, source.fault)


def test_frames_are_rgb(clip: Path) -> None:
    """The first channel is red."""
    with open_source(str(clip)) as source:
        frame = source.read()
        assert frame is not None
        assert frame.rgb[5, 5, 0] > 150 > 60 > frame.rgb[5, 5, 2]


def test_recording_in_real_time_drops_what_is_not_read(clip: Path) -> None:
    """Played as a camera would, a slow reader gets the newest frame and the others are counted."""
    with open_source(str(clip), realtime=True) as source:
        assert source.live
        start = time.monotonic()
        first = wait_for(source, lambda f: f is not None)
        time.sleep(0.75)
        later = wait_for(source, lambda f: f is not None)
        assert first is not None
        assert later is not None
        assert later.index >= first.index + 5
        assert source.dropped >= 4
        wait_for(source, lambda f: f is None and source.state is SourceState.ENDED)
        assert 1.7 < time.monotonic() - start < 5


@pytest.mark.parametrize("content", [b"", b"no video at all" * 50])
def test_what_is_no_video_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is no recording gets one line that names it."""
    path = tmp_path / "clip.mp4"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"clip\.mp4: cannot be read as a video"):
        open_source(str(path))


def test_unknown_address_is_refused_with_what_is_possible() -> None:
    """A name that means nothing says what a source can be."""
    with pytest.raises(SourceError, match="no such source; give a camera number"):
        open_source("nothing-here.mp4")


def test_folder_gives_pictures_in_counting_order(tmp_path: Path) -> None:
    """2.png comes before 10.png; other files are passed over; a broken one is an error and the next goes on."""
    for name, n in (("10.png", 3), ("2.png", 1), ("1.png", 0)):
        cv2.imwrite(str(tmp_path / name), picture(n))
    (tmp_path / "3.png").write_bytes(b"broken")
    (tmp_path / "notes.txt").write_text("hello")
    source = open_source(tmp_path.as_posix())
    assert isinstance(source, FolderSource)
    assert source.stills
    read = []
    for _ in range(2):
        frame = source.read()
        assert frame is not None
        read.append((number(frame.rgb), Path(frame.source).name, frame.at_s))
    with pytest.raises(PhotoError, match=r"3\.png"):
        source.read()
    while (frame := source.read()) is not None:
        read.append((number(frame.rgb), Path(frame.source).name, frame.at_s))
    assert read == [(0, "1.png", 0.0), (1, "2.png", 1.0), (3, "10.png", 3.0)]
    assert source.state is SourceState.ENDED


def test_empty_folder_is_refused(tmp_path: Path) -> None:
    """A folder without pictures says so."""
    with pytest.raises(SourceError, match="no pictures in this folder"):
        open_source(str(tmp_path))


def test_single_picture_is_a_source(tmp_path: Path) -> None:
    """A photo can be watched too: one frame."""
    cv2.imwrite(str(tmp_path / "one.png"), picture(5))
    with open_source(str(tmp_path / "one.png")) as source:
        frame = source.read()
        assert frame is not None
        assert number(frame.rgb) == 5
        assert source.read() is None


class Camera(http.server.ThreadingHTTPServer):
    """A network camera; its streams end when it is shut."""

    daemon_threads = True
    dead = False


@contextmanager
def network_camera(port: int = 0, *, snapshot: bool = False) -> Iterator[int]:
    """A camera on this computer that streams MJPEG, or gives single pictures; yields its port."""
    jpeg = cv2.imencode(".jpg", picture(7))[1].tobytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            if snapshot:
                self.send_header("Content-Type", "image/jpeg")
                self.send_header("Content-Length", str(len(jpeg)))
                self.end_headers()
                self.wfile.write(jpeg)
                return
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n".encode()
            try:
                while not server.dead:
                    self.wfile.write(head + jpeg + b"\r\n")
                    time.sleep(0.03)
            except OSError:
                pass  # the reader has gone

    server = Camera(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.dead = True
        server.shutdown()
        server.server_close()
        thread.join()


def test_stream_is_picked_up_again_after_it_was_lost() -> None:
    """A network camera that goes away is lost, and is there again when it comes back."""
    with network_camera() as port:
        source = open_source(f"http://127.0.0.1:{port}/video")
        frame = wait_for(source, lambda f: f is not None)
        assert frame is not None
        assert number(frame.rgb) == 7
        assert source.state is SourceState.CONNECTED
        time.sleep(0.5)
        assert source.dropped > 3
    with source:
        wait_for(source, lambda _: source.state is SourceState.LOST)
        with network_camera(port):
            again = wait_for(source, lambda f: f is not None)
            assert again is not None
            assert again.at_s > frame.at_s
            assert source.state is SourceState.CONNECTED


def test_address_of_single_pictures_is_asked_again_and_again() -> None:
    """A camera that answers with one picture a time is no camera that is lost after each."""
    with network_camera(snapshot=True) as port, open_source(f"http://127.0.0.1:{port}/shot.jpg") as source:
        for _ in range(3):
            assert wait_for(source, lambda f: f is not None) is not None
            assert source.state is SourceState.CONNECTED


def test_absent_webcam_is_lost_not_an_error() -> None:
    """A camera number without a camera is tried until one is plugged in; closing does not wait for it."""
    with open_source("97") as source:
        assert source.live
        assert source.read(0.2) is None
        assert source.state is SourceState.LOST
        start = time.monotonic()
    assert time.monotonic() - start < 2.5
    assert source.state is SourceState.ENDED


def test_camera_is_found_again_under_another_number(tmp_path: Path) -> None:
    """The name of the device itself is remembered, because numbers are swapped when cameras are replugged."""
    device, by_id = tmp_path / "video0", tmp_path / "by-id"
    device.touch()
    by_id.mkdir()
    (by_id / "usb-Cam_123-video-index0").symlink_to(device)
    assert devices._lasting_path(device, by_id) == by_id / "usb-Cam_123-video-index0"
    device.rename(tmp_path / "video3")
    assert devices._lasting_path(device, by_id) == by_id / "usb-Cam_123-video-index0"


def jpeg(n: int) -> bytes:
    return cv2.imencode(".jpg", picture(n))[1].tobytes()


def test_pushed_frames_keep_the_newest() -> None:
    """Of two frames pushed before a read the newer is read, and the other counted."""
    source = open_source(sources.PUSHED)
    assert isinstance(source, PushedSource)
    assert source.state is SourceState.LOST
    source.push(jpeg(1))
    source.push(jpeg(2))
    frame = source.read(0.0)
    assert frame is not None
    assert number(frame.rgb) == 2
    assert source.dropped == 1
    assert source.state is SourceState.CONNECTED
    with pytest.raises(PhotoError):
        source.push(b"no picture")
    assert source.read(0.0) is None


def test_pushed_frames_that_stay_away_are_a_lost_camera() -> None:
    """A phone that was put away is reported, and picked up again with its next frame."""
    source = PushedSource(patience_s=0.05)
    source.push(jpeg(1))
    assert source.read(0.0) is not None
    time.sleep(0.1)
    assert source.state is SourceState.LOST
    source.push(jpeg(3))
    assert source.state is SourceState.CONNECTED
    source.close()
    source.push(jpeg(4))
    assert source.read(0.0) is None
    assert source.state is SourceState.ENDED


def test_file_source_counts_its_frames(clip: Path) -> None:
    """A progress bar knows how long the recording is."""
    with FileSource(str(clip)) as source:
        assert source.frames == 20
