"""Addresses of cameras as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vision.sources.addresses import completed, fault_of
from vision.sources.source import SourceError
from vision.sources.sources import open_source


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("192.168.1.5:8080/video", "http://192.168.1.5:8080/video"),
        (" 192.168.1.5 ", "http://192.168.1.5"),
        ("192.168.1.5/shot.jpg?size=2", "http://192.168.1.5/shot.jpg?size=2"),
        ("192.168.1.5:554/stream", "rtsp://192.168.1.5:554/stream"),
        ("me:secret@192.168.1.5:8554/live", "rtsp://me:secret@192.168.1.5:8554/live"),
        ("camera.local:8080", "http://camera.local:8080"),
        ("phone:8443/video", "https://phone:8443/video"),
        ("[fe80::1]:8080/video", "http://[fe80::1]:8080/video"),
        ("me:p@ss@192.168.1.5/video", "http://me:p@ss@192.168.1.5/video"),
        ("me:p@ss@camera.local:554", "rtsp://me:p@ss@camera.local:554"),
    ],
)
def test_a_scheme_that_is_left_out_is_told(typed: str, meant: str) -> None:
    """A host with a port, or the numbers of one, is a camera's address; its port tells what answers there."""
    assert completed(typed) == meant


@pytest.mark.parametrize(
    "typed",
    ["0", "", "rtsp://192.168.1.5/1", "match.mp4", "/dev/video0", r"C:\films\a.mp4", "12:30", "a b:80", "1.2.3", "x:y"],
)
def test_everything_else_stays_as_it_was_typed(typed: str) -> None:
    """Numbers of cameras, whole addresses, files and what is nothing at all are left to whoever opens them."""
    assert completed(typed) == typed


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording that is called like an address is still found."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "10.0.0.1").write_bytes(b"")
    assert completed("10.0.0.1") == "10.0.0.1"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (
            "http://192.168.1.5:0/video",
            r"http://192\.168\.1\.5:0/video: 0 is no port, which is a number from 1 to 65535",
        ),
        ("rtsp://me:s3cret@camera.local:99999", r"rtsp://camera\.local:99999: 99999 is no port"),
        ("https://me:s3@cret@[fe80::1]:70000/", r"https://\[fe80::1\]:70000/: 70000 is no port"),
        ("http://camera.local:video/1", "video is no port"),
        ("http:///video", "names no host"),
        ("rtsp://me:s3cret@", "names no host"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(address: str, why: str) -> None:
    """It would be waited for, for ever; what is said of it holds no password."""
    with pytest.raises(SourceError, match=why) as refused:
        open_source(address)
    assert "cret" not in str(refused.value)


@pytest.mark.parametrize(
    "address", ["http://camera.local", "rtsp://me:p@ss@10.0.0.1:554/1", "http://[fe80::1]/v", "http://a:/v?x=1:2"]
)
def test_an_address_that_may_lead_somewhere_is_not(address: str) -> None:
    """Whether a camera is there is found out by asking."""
    assert fault_of(address) == ""
