"""Open cameras and streams, and read pictures from them: the only place that knows OpenCV's captures."""

from __future__ import annotations

import contextlib
import platform
from pathlib import Path
from typing import cast

import cv2

from vision.sources.masked import lasting_address
from vision.types import Rgb

_NETWORK_TIMEOUT_MS = 5000
_NUMBERS = 4
"""Cameras that are tried for where the system does not name them."""


def next_picture(capture: cv2.VideoCapture) -> Rgb | None:
    """The next frame in RGB, or None where none comes any more."""
    try:
        ok, bgr = capture.read()
    except cv2.error:
        return None
    if not ok or bgr is None:
        return None
    code = cv2.COLOR_GRAY2RGB if bgr.ndim == 2 or bgr.shape[2] == 1 else cv2.COLOR_BGR2RGB
    return cast(Rgb, cv2.cvtColor(bgr, code))


def open_camera(number: int) -> cv2.VideoCapture:
    """Open a webcam by its number; a capture that is not opened where there is none."""
    system = platform.system()
    if system == "Windows":
        # The default there takes up to a minute to open some webcams.
        return _tuned(cv2.VideoCapture(number, cv2.CAP_DSHOW))
    if system == "Linux":
        return open_device(str(_lasting_path(Path(f"/dev/video{number}"))))
    return _tuned(cv2.VideoCapture(number))


_lasting: dict[Path, Path] = {}


def _lasting_path(device: Path, by_id: Path = Path("/dev/v4l/by-id")) -> Path:
    """The same camera's name that outlives unplugging: numbers are swapped when a second camera is there."""
    if device not in _lasting and device.exists() and by_id.is_dir():
        for link in sorted(by_id.iterdir()):
            if link.resolve() == device.resolve():
                _lasting[device] = link
                break
    return _lasting.get(device, device)


_BY_ID = Path("/dev/v4l/by-id")
_LABELS = Path("/sys/class/video4linux")


def camera_identity(spec: str, by_id: Path = _BY_ID, labels: Path = _LABELS, devices: Path = Path("/dev")) -> str:
    """What a camera is called for as long as it lives, so that what was learned of it is found again.

    Parameters
    ----------
    spec
        What the user calls it: a number, a device, or the address of a stream.

    Returns
    -------
    str
        The name that the system gives the device itself, whatever its number is today; where the system gives none, the
        number and the model's name. Of a stream the address without its password. Empty where `spec` is no camera, as
        a recording is none.
    """
    name = spec.strip()
    if "://" in name:
        return lasting_address(name)
    number = name if name.isascii() and name.isdigit() else ""
    device = devices / f"video{number}" if number else Path(name)
    if not number and not device.is_char_device():
        return ""
    with contextlib.suppress(OSError):
        real = device.resolve()
        lasting = _lasting_path(real, by_id)
        if lasting != real:
            return lasting.name
        device = real
    label = ""
    with contextlib.suppress(OSError):
        label = (labels / device.name / "name").read_text(encoding="utf-8", errors="replace").strip()
    return f"camera {number or device.name}" + (f" ({label})" if label else "")


def camera_specs(
    devices: Path = Path("/dev"), by_id: Path = _BY_ID, labels: Path = _LABELS, system: str = ""
) -> tuple[tuple[str, str], ...]:
    """The cameras that this computer may have: what a source calls each, and its model's name or nothing.

    Linux names them without opening any. Elsewhere nobody knows before one is opened, so the first few numbers are
    given.
    """
    if (system or platform.system()) != "Linux":
        return tuple((str(n), "") for n in range(_NUMBERS))
    found = []
    numbers = sorted(int(p.name[5:]) for p in devices.glob("video*") if p.name[5:].isdigit())
    for device in (devices / f"video{n}" for n in numbers):
        about = labels / device.name
        index, label = "0", ""
        with contextlib.suppress(OSError):
            index = (about / "index").read_text(encoding="utf-8", errors="replace").strip()
        with contextlib.suppress(OSError):
            label = (about / "name").read_text(encoding="utf-8", errors="replace").strip()
        if index != "0":
            continue  # the same camera's second device, which tells of the pictures and gives none
        lasting = _lasting_path(device.resolve(), by_id)
        found.append((device.name[5:] if lasting == device.resolve() else str(lasting), label))
    return tuple(found)


def open_device(path: str) -> cv2.VideoCapture:
    """Open a video device of Linux by its path."""
    if not Path(path).exists():
        return cv2.VideoCapture()  # not opened, and without OpenCV's warning for every try
    return _tuned(cv2.VideoCapture(path, cv2.CAP_V4L2))


def _tuned(capture: cv2.VideoCapture) -> cv2.VideoCapture:
    if capture.isOpened():
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        # Compressed, a USB 2 webcam gives its full picture at full rate; a webcam that cannot do it says no.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1920)
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 1080)
    return capture


def open_stream(address: str) -> cv2.VideoCapture:
    """Open an http, https, rtsp or rtmp address; gives up after some seconds without an answer."""
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
        _NETWORK_TIMEOUT_MS,
        cv2.CAP_PROP_READ_TIMEOUT_MSEC,
        _NETWORK_TIMEOUT_MS,
    ]
    return cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
