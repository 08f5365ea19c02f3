"""What was set up before a camera besides its lens, and how it is shown."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.daylight import Light
from calibration.profile import Profile, save_profile
from calibration.sheets.sheets import write_target
from scoring.table import Point
from vision.plane import Plane
from webui.camera.learning import GRID_MM

_SQUARES = 5
"""Squares of the drawn pattern on each side of the picture's middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """What was set up before a camera whose lens is not known."""

    seats: Mapping[str, str] = field(default_factory=dict)
    area_px: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))
    size_px: tuple[int, int] | None = None
    light: Light | None = None


def noted(profile: Profile, notes: Notes) -> Profile:
    """The profile with what was set up; an area of pictures of another shape is none of its own."""
    size, of = profile.camera.size_px, notes.size_px or profile.camera.size_px
    area = notes.area_px * (size[0] / of[0]) if size[0] * of[1] == size[1] * of[0] else np.zeros((0, 2))
    return replace(profile, seats=notes.seats, area_px=area, light=notes.light)


def grid_of(table: Plane) -> tuple[tuple[Point, ...], ...]:
    """Lines of a pattern of squares on the table round the middle of the picture, in px."""
    width, height = table.camera.size_px
    ends, along = np.arange(-_SQUARES, _SQUARES + 1) * GRID_MM, np.linspace(-1, 1, 21) * _SQUARES * GRID_MM
    lines = []
    for at in ends:
        for line in (np.c_[along, np.full(len(along), at)], np.c_[np.full(len(along), at), along]):
            px = table.project(line)
            px = px[np.isfinite(px).all(1) & (px > 0).all(1) & (px < [width, height]).all(1)]
            if len(px) > 1:
                lines.append(tuple((round(float(x), 1), round(float(y), 1)) for x, y in px))
    return tuple(lines)


def rounded(white: tuple[float, float, float]) -> tuple[int, int, int]:
    r, g, b = (round(min(max(v, 0.0), 255.0)) for v in white)
    return (r, g, b)


def as_file(profile: Profile) -> bytes:
    """A profile as it is kept in a file."""
    with tempfile.TemporaryDirectory(prefix="referee-camera-") as own:
        file = Path(own) / "camera.json"
        save_profile(profile, file)
        return file.read_bytes()


def target_pdf(paper: str) -> bytes:
    """The printed target; raises RefereeError for a paper that is not known."""
    with tempfile.TemporaryDirectory(prefix="referee-target-") as own:
        file = Path(own) / "target.pdf"
        write_target(file, paper)
        return file.read_bytes()
