"""Which camera gives the pictures, chosen while the program runs."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import cv2

from scoring.errors import RefereeError
from vision.sources.addresses import completed
from vision.sources.devices import camera_specs, next_picture, open_camera, open_device
from vision.sources.either import EitherSource
from vision.sources.masked import masked
from vision.sources.source import Source
from vision.sources.sources import open_source
from vision.types import Frame, Rgb
from webui.camera.choosing import CameraChoice
from webui.sight.cameras.camera import jpeg
from webui.sight.cameras.known_camera import PHONE, identity, plain_name

NO_PICTURE = "No picture came from there, so the camera before stays. Is it switched on, free, and the right one?"
NO_CAMERA = "This is neither a camera, a video file nor an address that begins with http://, https:// or rtsp://."
GONE = "This camera is not there any more. Plug it in again, and look once more."
STILLS = "This is a folder of pictures or a single one, and no moving picture. Send photos by “Judge a photo”."
UNLISTED = "here"
"""Key of what gives the pictures and is no camera of this computer: nobody else need know where it lies."""
SMALL_PX = 360
LOOK_S = 4.0
"""So long a camera has to show its first good picture."""
WARM = 8
"""Pictures until its exposure is right."""
FRESH_S = 20.0
OPEN_S = 8.0
"""So long a camera has to give its first picture before it is one: a network's answer takes a while."""
ADDRESS = re.compile(r"(https?|rtsps?|rtmp)://", re.IGNORECASE)
FIRST_S = 3.0
"""So long a choice waits for its first picture, so that the page shows it at once."""


class CameraChooser:
    """See `webui.camera.choosing.Chooser`.

    Parameters
    ----------
    source
        Gives the pictures.
    newest
        The newest picture, or None before the first.
    changed
        Told that another camera gives the pictures: sends a phone away that did, and forgets what was seen.
    note
        Keeps what was chosen for the next start.
    specs
        The cameras of this computer, see `vision.sources.devices.camera_specs`.
    connect
        Opens what a person names.
    """

    def __init__(
        self,
        source: EitherSource,
        newest: Callable[[], Frame | None],
        changed: Callable[[], None],
        note: Callable[[str], None],
        specs: Callable[[], Sequence[tuple[str, str]]] = camera_specs,
        connect: Callable[[str], Source] = lambda spec: open_source(spec, realtime=True),
    ) -> None:
        self._source = source
        self._newest = newest
        self._changed = changed
        self._note = note
        self._specs = specs
        self._connect = connect
        self._changing = threading.Lock()
        self._looking = threading.Lock()
        self._opening = ""
        self._shown: dict[str, tuple[float, bytes | None]] = {}

    def choices(self) -> tuple[CameraChoice, ...]:
        """See `webui.camera.choosing.Chooser`."""
        here = PHONE if self._source.by_phone else self._source.name
        now = identity(here) or here
        found = [
            CameraChoice(spec, label or plain_name(identity(spec)) or spec, (identity(spec) or spec) == now)
            for spec, label in self._specs()
        ]
        if here != PHONE and not any(c.here for c in found):
            found.insert(0, CameraChoice(UNLISTED, plain_name(identity(here)) or Path(masked(here)).name, True))
        return _told_apart(found)

    def picture(self, key: str) -> bytes | None:
        """See `webui.camera.choosing.Chooser`."""
        known = next((c for c in self.choices() if c.key == key), None)
        if known is None:
            return None
        if known.here:
            frame = self._newest()
            return None if frame is None or frame.source != self._source.name else jpeg(frame.rgb, SMALL_PX, 80)
        with self._looking:  # one camera at a time: several on one cable disturb each other
            at_s, data = self._shown.get(key, (float("-inf"), None))
            if key != self._opening and time.monotonic() - at_s > FRESH_S:
                rgb = _look(key)
                data = None if rgb is None else jpeg(rgb, SMALL_PX, 80)
                self._shown[key] = (time.monotonic(), data)
            return data

    def choose(self, key: str) -> None:
        """See `webui.camera.choosing.Chooser`."""
        known = next((c for c in self.choices() if c.key == key), None)
        if known is None:
            raise RefereeError(GONE)
        if not known.here:
            with self._looking:  # whoever looks through it has let go of it then
                self._opening = key
            try:
                self._take(key)
            finally:
                self._opening = ""
            self._note(key)

    def open(self, address: str) -> None:
        """See `webui.camera.choosing.Chooser`."""
        address = completed(address)
        check_address(address)
        self._take(address)
        if "://" in address:
            self._note(address)

    def _take(self, spec: str) -> None:
        camera = self._connect(spec)  # holding nothing: it may take its time
        try:
            if camera.stills:
                raise RefereeError(STILLS)
            if not _gives_pictures(camera):
                raise RefereeError(NO_PICTURE)
        except BaseException:
            camera.close()
            raise
        with self._changing:
            self._source.change(camera)
            self._changed()
            until = time.monotonic() + FIRST_S
            while time.monotonic() < until:
                frame = self._newest()
                if frame is not None and frame.source == camera.name:
                    return
                time.sleep(0.05)


def check_address(address: str) -> None:
    """Refuse what a person names and what could be no camera, before it is opened; raises RefereeError."""
    name = address.strip()
    if name.isascii() and name.isdigit():
        return
    try:
        if "://" in name:
            parts = urlsplit(name)
            if ADDRESS.match(name) and parts.hostname and parts.port != 0:
                return
            raise RefereeError(NO_CAMERA)
        path = Path(name)
        if not path.exists() or path.is_dir():
            return  # told by who opens it
        if path.is_char_device() and re.match(r"/dev/video\d", str(path.resolve())):
            return
        if path.is_file() and not _is_text(path):
            return
    except (OSError, ValueError) as error:
        raise RefereeError(NO_CAMERA) from error
    raise RefereeError(NO_CAMERA)


def _is_text(path: Path) -> bool:
    """Whether a file begins with letters: a video does not, though some readers would draw the letters."""
    with path.open("rb") as file:
        begin = file.read(512)
    return not set(begin) & {*range(9), *range(14, 32), 127}


def _gives_pictures(camera: Source) -> bool:
    """Whether a first picture comes in time."""
    until = time.monotonic() + OPEN_S
    while (left := until - time.monotonic()) > 0 and str(camera.state) != "ended":
        if camera.read(min(left, 0.5)) is not None:
            return True
        time.sleep(0.01)
    return camera.read(0.0) is not None


def _told_apart(found: Sequence[CameraChoice]) -> tuple[CameraChoice, ...]:
    """Two cameras of one model are told apart by a number."""
    names = [c.name for c in found]
    out = []
    for n, c in enumerate(found):
        twin = f"{c.name} ({names[: n + 1].count(c.name)})" if names.count(c.name) > 1 else c.name
        out.append(CameraChoice(c.key, twin, c.here))
    return tuple(out)


def _look(spec: str) -> Rgb | None:
    """A picture of a camera that nobody uses; None where it gives none."""
    capture = open_camera(int(spec)) if spec.isascii() and spec.isdigit() else open_device(spec)
    try:
        until, last = time.monotonic() + LOOK_S, None
        for _ in range(WARM):
            rgb = next_picture(capture) if capture.isOpened() else None
            if rgb is None or time.monotonic() > until:
                break
            last = rgb
        return last
    except cv2.error:
        return None
    finally:
        capture.release()
