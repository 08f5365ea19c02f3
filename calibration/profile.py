"""What was learned of a camera, kept in a file.

The file is JSON, so that a person can read it; it carries a format number, and is written in one step, so that a
crash or a full disk never leaves half a file behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.intrinsics import Calibration, Grade
from scoring.errors import RefereeError
from vision.camera import CameraModel

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
    """

    camera: CameraModel
    grade: Grade
    error_px: float
    coverage: float
    views: int
    source: str = ""

    @classmethod
    def of(cls, calibration: Calibration, source: str = "") -> Profile:
        """The profile of a fresh calibration."""
        c = calibration
        return cls(c.camera, c.grade, c.error_px, c.coverage, len(c.used), source)


def save_profile(profile: Profile, file: Path) -> None:
    """Write the profile in one step: the file is the old one or the new one, never a part.

    Raises
    ------
    ProfileError
        If the file cannot be written.
    """
    c = profile.camera
    data = {
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
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                f.write(json.dumps(data, indent=1) + "\n")
                f.flush()
                os.fsync(f.fileno())
            Path(name).replace(file)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as e:
        raise ProfileError(file, "", f"cannot be written ({e.strerror or e}); name another place") from None


def load_profile(file: Path) -> Profile:
    """Read a profile.

    Raises
    ------
    ProfileError
        If the file is missing, no profile, of a later format or damaged.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise ProfileError(file, "", "cannot be read; name a file that `referee calibrate` has written") from None
    except ValueError:
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
    return Profile(
        CameraModel((int(size[0]), int(size[1])), k, dist),
        grade,
        float(_numbers(file, quality, "quality.error_px", ())),
        float(_numbers(file, quality, "quality.coverage", ())),
        int(_numbers(file, quality, "quality.views", ())),
        str(data.get("source", "")),
    )


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
    except (TypeError, ValueError):
        value = np.array(np.nan)
    if value.shape != shape or not np.all(np.isfinite(value)):
        raise ProfileError(file, key, "is damaged; calibrate the camera again")
    return value
