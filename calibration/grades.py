"""What was learned of a camera, how far it can be trusted, and what would make it better."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.camera import CameraModel

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One picture of known points that lie in one plane.

    Parameters
    ----------
    name
        Name of the picture, for reports.
    points_mm
        (n, 2) places on the plane.
    points_px
        (n, 2) the same points in the picture.
    size_px
        Width and height of the picture.
    """

    name: str
    points_mm: Array
    points_px: Array
    size_px: tuple[int, int]


class Grade(StrEnum):
    """How far a calibration can be trusted."""

    GOOD = "good"
    USABLE = "usable"
    POOR = "poor"


GOOD_SHARE, USABLE_SHARE = 2 / 1920, 5 / 1920
"""Misfits, as a share of the picture's longer side, up to which a calibration is good or usable: 2 and 5 pixels of an
ordinary picture."""
_LEAST_SEEN, _MOST_FOCAL = 0.2, 0.03
"""For a usable one: share of the picture that must be seen, and standard deviation of the focal length at most."""


def grade_of(error_px: float, size_px: tuple[int, int]) -> Grade:
    """The plain grade of a misfit in pictures of that size."""
    share = error_px / max(size_px)
    return Grade.GOOD if share < GOOD_SHARE else Grade.USABLE if share < USABLE_SHARE else Grade.POOR


def worse(a: Grade, b: Grade) -> Grade:
    """The worse of two grades."""
    order = (Grade.GOOD, Grade.USABLE, Grade.POOR)
    return max(a, b, key=order.index)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A picture that was left out, and why."""

    name: str
    reason: str


class Shown(StrEnum):
    """What a camera was learned from."""

    TARGET = "target"
    TABLE = "table"
    CACTI = "cacti"


_ADVICE = {
    Shown.TARGET: (
        "The points do not fit well: lay the target quite flat, hold the camera still and avoid blur.",
        "Parts of the picture never showed the target: bring it to the corners and edges as well.",
        "The focal length is uncertain: tilt the target more, to different sides.",
    ),
    Shown.TABLE: (
        "The pieces do not fit well: lay them quite flat, none on another, and avoid blur.",
        "Parts of the picture showed no piece: spread them over the whole picture.",
        "The focal length is uncertain: let the camera look down at a slant, add photos from other sides, "
        "or use the printed target.",
    ),
    Shown.CACTI: (
        "The cacti do not fit well: let nobody touch them, hold the camera still and avoid blur.",
        "Parts of the picture showed no cactus: bring the camera nearer, so that they fill the picture.",
        "The focal length is uncertain: add photos from other sides, or use the printed target.",
    ),
}
"""What to do where points do not fit, where little of the picture was seen, and where the focal length is unsure."""


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """A camera and how it was learned.

    Parameters
    ----------
    camera
        The lens.
    error_px
        Root mean square distance between where points were seen and where the camera model puts them.
    coverage
        Share of the picture in which points were seen, 0 to 1.
    focal_sigma
        Standard deviation of the focal length as a share of it.
    used
        Names of the pictures that count.
    rejected
        Pictures that do not.
    spots
        (n, 4) some of the points: place in the picture and by how much the camera model misses it, all in px.
    shown
        What the pictures showed.
    """

    camera: CameraModel
    error_px: float
    coverage: float
    focal_sigma: float
    used: tuple[str, ...]
    rejected: tuple[Rejected, ...] = ()
    spots: Array = field(default_factory=lambda: np.zeros((0, 4)))
    shown: Shown = Shown.TARGET

    @property
    def grade(self) -> Grade:
        """The grade; see `advice` for what a better one takes."""
        residual = grade_of(self.error_px, self.camera.size_px)
        if self.lacking():
            return Grade.POOR
        if residual is Grade.USABLE or self.focal_sigma > 0.006 or self.coverage < 0.65:
            return Grade.USABLE
        return Grade.GOOD

    def lacking(self) -> tuple[str, ...]:
        """What it would take not to be poor, in plain words; empty where it is usable."""
        size = self.camera.size_px
        out = []
        if grade_of(self.error_px, size) is Grade.POOR:
            out.append(f"points off by less than {USABLE_SHARE * max(size):.1f} px")
        if self.coverage < _LEAST_SEEN:
            out.append(f"{_LEAST_SEEN:.0%} of the picture")
        if self.focal_sigma > _MOST_FOCAL:
            out.append(f"the focal length to {_MOST_FOCAL:.1%}")
        return tuple(out)

    def advice(self) -> tuple[str, ...]:
        """What the person can do for a better calibration, in plain sentences; empty where nothing is left to do."""
        fit, seen, focal = _ADVICE[self.shown]
        out = []
        if self.error_px / self.camera.size_px[0] > 5e-4:
            out.append(fit)
        if self.coverage < 0.65:
            out.append(seen)
        if self.focal_sigma > 0.006:
            out.append(focal)
        return tuple(out)
