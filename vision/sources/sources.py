"""Where frames come from: a camera, a recording, a stream, a folder of pictures, or a phone's browser.

A recording is read frame by frame and nothing is dropped. Whatever is live is read by a thread of its own that
keeps only the newest frame, so that a slow look at one frame never makes the next one stale.
"""

from __future__ import annotations

import re
from pathlib import Path

from vision.sources.addresses import fault_of
from vision.sources.devices import open_camera, open_device, open_stream
from vision.sources.masked import masked
from vision.sources.newest import PUSHED, LiveSource, PacedSource, PushedSource
from vision.sources.photos import PICTURE_SUFFIXES
from vision.sources.recorded import FileSource, FolderSource
from vision.sources.source import Source, SourceError

_STREAM = re.compile(r"^(https?|rtsps?|rtmp)://", re.IGNORECASE)
_CAMERA = re.compile(r"^/dev/(video\d|v4l/)")


def open_source(spec: str | int, *, realtime: bool = False) -> Source:
    """Open a source of frames.

    Parameters
    ----------
    spec
        Camera number, video file, picture, folder of pictures, http(s)/rtsp address, or `PUSHED`.
    realtime
        Play a recording or a folder as a camera would: in its own time, dropping what was not read.

    Raises
    ------
    SourceError
        Where `spec` names nothing that could be opened. A camera or a stream that is away is no error but `LOST`:
        it may come.
    """
    name = str(spec).strip()
    if name == PUSHED:
        return PushedSource()
    if name.isascii() and name.isdigit():
        return LiveSource(name, lambda: open_camera(int(name)))
    if _STREAM.match(name):
        if fault := fault_of(name):
            raise SourceError(f"{masked(name)}: {fault}; write it like http://192.168.1.5:8080/video")
        return LiveSource(name, lambda: open_stream(name), snapshots=name.lower().startswith("http"))
    path = Path(name)
    if path.is_char_device() or _CAMERA.match(name):  # one that is away may come
        return LiveSource(name, lambda: open_device(name))
    if path.is_dir():
        pictures = _pictures(path)
        if not pictures:
            raise SourceError(f"{path}: no pictures in this folder; put photos (JPEG, PNG, HEIC) into it")
        return FolderSource(name, pictures)
    if not path.exists():
        raise SourceError(
            f"{name}: no such source; give a camera number (0), a video file, a folder of pictures "
            "or an http://, https:// or rtsp:// address"
        )
    if not path.is_file():
        raise SourceError(f"{name}: neither a file nor a camera; give a camera number (0), a video file or an address")
    if path.suffix.lower() in PICTURE_SUFFIXES:
        return FolderSource(name, [path])
    file = FileSource(name)
    return PacedSource(file) if realtime else file


def _pictures(folder: Path) -> list[Path]:
    """The pictures of a folder as people count: 2.jpg before 10.jpg."""

    def order(path: Path) -> list[tuple[bool, int, str]]:
        parts = re.findall(r"\d+|\D+", path.name.lower())
        return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]

    found = [p for p in folder.iterdir() if p.suffix.lower() in PICTURE_SUFFIXES and not p.name.startswith(".")]
    return sorted(found, key=order)
