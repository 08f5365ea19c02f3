"""What goes into a report of a fault: named parts, each told with its size before anything is sent."""

from __future__ import annotations

import json
import platform
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO

from webui.log.archive import write_archive
from webui.log.store import Store
from webui.owncopy.words import game_word
from webui.texts import mark

VERSIONS = mark("versions of the program and of what it uses")
LOG = mark("the match with the players' names, as it was recorded")
MATCH = mark("the match with the players' names and its pictures of the table")
PICTURES = mark("pictures of the table, kept as evidence of the match")
CALIBRATION = mark("what was learned of the camera")
PICTURE = mark("what the camera shows now")
PAGE = mark("what the page shows now")
PHOTOS = mark("your photos whole, with the place and time that a phone writes into them")
COPY_PHOTOS = mark("the photos of your copy “%(name)s”")
COPY_READ = mark("what was read of your copy “%(name)s”, with your names and answers")
FRAMES = mark("pictures of the camera, taken just now")

_VERSIONS_FILE = "versions.json"  # in every report
_NAME_SHOWN = 8  # letters of a picture's name
_SUFFIXES = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One file of a report.

    Parameters
    ----------
    name
        Its name in the zip.
    what
        What it is, one of the sentences above.
    data
        What it holds, or the file that it is.
    of
        The name of what it is of, where the sentence has a place for one.
    """

    name: str
    what: str
    data: bytes | Path
    of: str = ""

    @property
    def size(self) -> int:
        """Bytes, before they are packed; raises OSError where the file cannot be read."""
        return self.data.stat().st_size if isinstance(self.data, Path) else len(self.data)


def write_bundle(parts: Iterable[Part], file: IO[bytes]) -> None:
    """Pack the parts into one zip."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as bundle:
        for part in parts:
            if isinstance(part.data, Path):
                bundle.write(part.data, part.name)
            else:
                bundle.writestr(part.name, part.data)


def is_bundle(path: Path) -> bool:
    """Whether a file is a whole report."""
    try:
        with zipfile.ZipFile(path) as bundle:
            return _VERSIONS_FILE in bundle.namelist()
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return False


def match_parts(store: Store, match: str) -> Iterator[Part]:
    """A match in two kinds of parts, its log and its pictures, so that these can be left out."""
    log = "".join(write_archive(store, match, with_pictures=False))
    yield Part(f"match-{match}.jsonl", LOG, log.encode())
    told = [(event.seq, json.dumps(dict(event.body))) for event in store.events(match)]
    for name in store.picture_ids(match):
        picture = store.picture(match, name)
        if picture is not None:
            # where it stands in the log, and as much of its name as finds it there
            first = next((f"event-{seq:03d}" for seq, body in told if name in body), "unused")
            suffix = _SUFFIXES.get(picture.mime, "bin")
            yield Part(f"pictures/{first}-{name[:_NAME_SHOWN]}.{suffix}", PICTURES, picture.data)


def copy_parts(key: str, name: str, game: str, files: Mapping[str, Path]) -> Iterator[Part]:
    """A copy in two kinds of parts, its photos and what was made of them, so that either can be left out.

    Parameters
    ----------
    key, name, game
        Names its folder, what it is called, and of which game it is; empty where that is not known.
    files
        What is kept of it, by the names within its folder.
    """
    for own, path in files.items():
        photo = path.suffix == ".jpg"
        room, what = ("photos", COPY_PHOTOS) if photo else ("answers", COPY_READ)
        yield Part(f"copies/{key}/{room}/{own}", what, path, f"{game_word(game)}: {name}" if game else name)


def versions() -> Part:
    """Python, the system, and every package that the program names."""
    wanted = metadata.requires("table-referee") or [] if _installed("table-referee") else []
    names = ["table-referee", "opencv-python-headless", *(line.split(";")[0] for line in wanted if "extra" not in line)]
    packages = {}
    for line in names:
        name = line.split("[")[0].split(">")[0].split("=")[0].split("<")[0].strip()
        if _installed(name):
            packages[name] = metadata.version(name)
    told = {"python": sys.version, "platform": platform.platform(), "packages": packages}
    return Part(_VERSIONS_FILE, VERSIONS, json.dumps(told, indent=1).encode())


def in_words(size: int) -> str:
    """A size as people read it."""
    return f"{size} B" if size < 1000 else f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
