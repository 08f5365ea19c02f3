"""What was set up before a camera whose lens is not known, kept in a file of its own a camera."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from calibration.daylight import Light
from calibration.whole_file import writing
from webui.paths import calibrations_folder
from webui.sight.cameras.set_up import Notes

FORMAT = 1
_NAME_MAX = 40
_LARGEST = 1e6


def notes_folder(calibrations: Path | None = None) -> Path:
    """Where such files are kept; it need not be there."""
    return (calibrations or calibrations_folder()) / "set-up"


class NoteBook:
    """What was set up before each camera, in memory and in its file.

    Parameters
    ----------
    folder
        Where calibrations are kept.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder
        self._known: dict[str, Notes] = {}
        self._held: set[str] = set()

    def of(self, camera: str) -> Notes:
        """What was set up before a camera."""
        if camera not in self._known:
            self._known[camera] = load_notes(notes_folder(self._folder()), camera)
        return self._known[camera]

    def is_held(self, camera: str) -> bool:
        """Whether what was set up there could not be written down, and is in memory only."""
        return camera in self._held

    def hold(self, camera: str, notes: Notes) -> None:
        """Keep it in memory only: it could not be written down where it belongs."""
        self._known[camera] = notes
        self._held.add(camera)

    def keep(self, camera: str, notes: Notes) -> None:
        """Keep it; raises OSError where only the memory could take it."""
        self.hold(camera, notes)
        save_notes(notes_folder(self._folder()), camera, notes)
        self._held.discard(camera)

    def forget(self, camera: str) -> None:
        """Forget it: somebody wished so, or it is kept elsewhere."""
        self._known[camera] = Notes()
        self._held.discard(camera)
        forget_notes(notes_folder(self._folder()), camera)


def load_notes(folder: Path, camera: str) -> Notes:
    """What was set up before a camera; nothing where nothing was, or where the file is damaged."""
    try:
        data = json.loads(_file(folder, camera).read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("camera") != camera:
            return Notes()
        return _notes(data)
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return Notes()


def save_notes(folder: Path, camera: str, notes: Notes) -> None:
    """Keep what was set up before a camera, whole or not at all; raises OSError."""
    data: dict[str, Any] = {"format": FORMAT, "camera": camera, "seats": dict(notes.seats)}
    if len(notes.area_px) and notes.size_px is not None:
        data |= {"area_px": np.round(notes.area_px, 1).tolist(), "size_px": list(notes.size_px)}
    if notes.light is not None:
        light = notes.light
        data["light"] = {"white": list(light.white), "seen_on": light.seen_on, "clipped": round(light.clipped, 3)}
    file = _file(folder, camera)
    file.parent.mkdir(parents=True, exist_ok=True)
    with writing(file) as out:
        out.write((json.dumps(data, indent=1) + "\n").encode())


def forget_notes(folder: Path, camera: str) -> None:
    """Remove what was set up before a camera, where there is anything."""
    with contextlib.suppress(OSError):
        _file(folder, camera).unlink()


def _file(folder: Path, camera: str) -> Path:
    """Cameras whose names differ have files of their own, whatever letters a file's name may hold."""
    plain = re.sub(r"[^\w-]+", "-", camera.lower())[:_NAME_MAX].strip("-_")
    return folder / f"{plain or 'camera'}-{hashlib.blake2s(camera.encode(), digest_size=4).hexdigest()}.json"


def _notes(data: dict[str, Any]) -> Notes:
    seats = data.get("seats")
    named = {str(s): n for s, n in seats.items() if isinstance(n, str)} if isinstance(seats, dict) else {}
    area, size = np.zeros((0, 2)), None
    if data.get("area_px") is not None:
        area = np.asarray(data["area_px"], np.float64).reshape(-1, 2)
        width, height = (int(v) for v in data["size_px"])
        size = (width, height)
        if not np.all(np.abs(area) < _LARGEST) or min(size) < 1:
            area, size = np.zeros((0, 2)), None
    light = None
    if (told := data.get("light")) is not None:
        r, g, b = (float(v) for v in told["white"])
        if all(0 <= v <= 255 for v in (r, g, b)):  # never true of NaN
            light = Light((r, g, b), str(told["seen_on"]), float(told["clipped"]))
    return Notes(named, area, size, light)
