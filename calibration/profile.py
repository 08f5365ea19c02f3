"""What was learned of a camera, kept in a file.

The file is JSON, so that a person can read it; it carries a format number, and is written in one step, so that a
crash or a full disk never leaves half a file behind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.daylight import Light
from calibration.grades import Calibration, Grade
from calibration.whole_file import NO_FILE, is_endless, writing
from scoring.errors import RefereeError
from vision.camera import CameraModel
from vision.plane import Plane
from vision.sources.masked import lasting_address

Array = NDArray[np.float64]

FORMAT = 1


class ProfileError(RefereeError):
    """A camera profile that cannot be read or written; says the file, the key and the mend."""

    def __init__(self, file: Path, key: str, mend: str) -> None:
        super().__init__(f"{file}: {key}: {mend}" if key else f"{file}: {mend}")


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A camera as stored.

    Parameters
    ----------
    camera
        The lens.
    grade
        How good the calibration was.
    error_px, coverage
        Its reprojection error in pixels and the share of the picture that it saw.
    views
        Number of pictures that it rests on.
    source
        What the camera was called, for the person's memory.
    name
        What the person calls the profile.
    camera_id
        The camera's lasting name, see `vision.sources.devices.camera_identity`; empty where it belongs to none.
    made_at
        Date and time of the calibration, ISO 8601; empty where it is not known.
    table
        The table's plane, in pixels of the pictures of then; None where it was not calibrated.
    light
        The light of then, or None.
    spots
        (n, 4) for the picture of the residuals: a point's place in the picture and by how much the model misses it,
        all in px.
    seats
        Who sat at which side of the picture when it was set up.
    area_px
        (n, 2) corners of the playing area of then, in pixels of the pictures of then; none where none was drawn.
    """

    camera: CameraModel
    grade: Grade
    error_px: float
    coverage: float
    views: int
    source: str = ""
    name: str = ""
    camera_id: str = ""
    made_at: str = ""
    table: Plane | None = None
    light: Light | None = None
    spots: Array = field(default_factory=lambda: np.zeros((0, 4)))
    seats: Mapping[str, str] = field(default_factory=dict)
    area_px: Array = field(default_factory=lambda: np.zeros((0, 2)))

    @classmethod
    def of(cls, calibration: Calibration, source: str = "") -> Profile:
        """The profile of a fresh calibration."""
        c = calibration
        return cls(c.camera, c.grade, c.error_px, c.coverage, len(c.used), source, spots=c.spots)

    @property
    def off_share(self) -> float:
        """How far the calibration may be off, as a share of the picture's longer side; nothing where it is good."""
        if self.grade is Grade.GOOD:
            return 0.0
        error = max(self.error_px, self.table.residual_px if self.table is not None else 0.0)
        return error / max(self.camera.size_px)

    def in_words(self) -> str:
        """Name, grade and age in one line."""
        made = f", made {self.made_at[:10]}" if self.made_at else ""
        table = " with the table" if self.table is not None else ""
        return f"{self.name or 'calibration'} ({self.grade}, off by {self.error_px:.1f} px{made}){table}"


def save_profile(profile: Profile, file: Path) -> None:
    """Write the profile in one step: the file is the old one or the new one, never a part.

    Raises
    ------
    ProfileError
        If the file cannot be written.
    """
    c = profile.camera
    data: dict[str, Any] = {
        "format": FORMAT,
        "kind": "camera",
        "source": profile.source,
        "camera": {"size_px": list(c.size_px), "K": c.K.tolist(), "dist": c.dist.tolist()},
        "quality": {
            "grade": profile.grade.value,
            "error_px": round(profile.error_px, 4),
            "coverage": round(profile.coverage, 4),
            "views": profile.views,
        },
        "name": profile.name,
        "camera_id": profile.camera_id,
        "made_at": profile.made_at,
        "spots": np.round(profile.spots, 2).tolist(),
    }
    if profile.table is not None:
        residual = round(profile.table.residual_px, 4)
        data["table"] = {"to_px": profile.table.to_px.tolist(), "residual_px": residual}
    if profile.light is not None:
        light = profile.light
        data["light"] = {"white": list(light.white), "seen_on": light.seen_on, "clipped": round(light.clipped, 3)}
    if profile.seats:
        data["seats"] = dict(profile.seats)
    if len(profile.area_px):
        data["area_px"] = np.round(profile.area_px, 1).tolist()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with writing(file) as out:
            out.write((json.dumps(data, indent=1) + "\n").encode())
    except OSError as e:
        raise ProfileError(file, "", f"cannot be written ({e.strerror or e}); name another place") from None


_LARGEST = 1e12
"""No number of a camera is larger."""


def load_profile(file: Path) -> Profile:
    """Read a profile.

    Raises
    ------
    ProfileError
        If the file is missing, no profile, of a later format or damaged.
    """
    if is_endless(file):
        raise ProfileError(file, "", f"{NO_FILE}; name a file that `referee calibrate` has written")
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise ProfileError(file, "", "cannot be read; name a file that `referee calibrate` has written") from None
    except (ValueError, RecursionError):
        raise ProfileError(file, "", "is no JSON; calibrate the camera again") from None
    if not isinstance(data, dict) or data.get("kind") != "camera":
        raise ProfileError(file, "kind", "this is no camera profile; name a file that `referee calibrate` has written")
    if data.get("format") != FORMAT:
        raise ProfileError(
            file, "format", f"is {data.get('format')!r}, this release reads {FORMAT}; calibrate the camera again"
        )
    camera = _part(file, data, "camera")
    quality = _part(file, data, "quality")
    size = _numbers(file, camera, "camera.size_px", (2,))
    k = _numbers(file, camera, "camera.K", (3, 3))
    dist = _numbers(file, camera, "camera.dist", (5,))
    if size.min() < 1 or k[0, 0] <= 0 or k[1, 1] <= 0:
        raise ProfileError(file, "camera", "describes no camera; calibrate the camera again")
    try:
        grade = Grade(str(quality.get("grade")))
    except ValueError:
        raise ProfileError(file, "quality.grade", f"must be one of {', '.join(Grade)}") from None
    lens = CameraModel((int(size[0]), int(size[1])), k, dist)
    table = light = None
    if data.get("table") is not None:
        part = _part(file, data, "table")
        to_px = _numbers(file, part, "table.to_px", (3, 3))
        if abs(float(np.linalg.det(to_px))) < 1e-12:
            raise ProfileError(file, "table", "describes no plane; calibrate the camera again")
        table = Plane(lens, to_px, float(_numbers(file, part, "table.residual_px", ())))
    if data.get("light") is not None:
        part = _part(file, data, "light")
        white = _numbers(file, part, "light.white", (3,))
        clipped = float(_numbers(file, {"clipped": 0.0} | part, "light.clipped", ()))
        light = Light((float(white[0]), float(white[1]), float(white[2])), str(part.get("seen_on", "")), clipped)
    return Profile(
        lens,
        grade,
        float(_numbers(file, quality, "quality.error_px", ())),
        float(_numbers(file, quality, "quality.coverage", ())),
        int(_numbers(file, quality, "quality.views", ())),
        str(data.get("source", "")),
        str(data.get("name", "")),
        lasting_address(str(data.get("camera_id", ""))),  # earlier releases kept its query
        str(data.get("made_at", "")),
        table,
        light,
        _rows(data.get("spots"), 4),
        _seats(data.get("seats")),
        _rows(data.get("area_px"), 2),
    )


def _rows(value: Any, columns: int) -> Array:
    """Points for the eye only, or as a proposal: where they are damaged there are none."""
    try:
        rows = np.asarray(value or [], np.float64).reshape(-1, columns)
    except (TypeError, ValueError, OverflowError):
        return np.zeros((0, columns))
    return rows[(np.abs(rows) < _LARGEST).all(1)]


def _seats(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(side): name for side, name in value.items() if isinstance(name, str)}


def _part(file: Path, data: dict[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key)
    if not isinstance(part, dict):
        raise ProfileError(file, key, "is missing; calibrate the camera again")
    return part


def _numbers(
    file: Path, part: dict[str, Any], key: str, shape: tuple[int, ...]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        value = np.asarray(part.get(key.rpartition(".")[2]), np.float64)
    except (TypeError, ValueError, OverflowError):
        value = np.array(np.nan)
    if value.shape != shape or not np.all(np.abs(value) < _LARGEST):
        raise ProfileError(file, key, "is damaged; calibrate the camera again")
    return value
