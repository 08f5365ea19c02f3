"""Learning a camera from what it sees, one picture after the other: counts the good views, and says what is missing.

A lesson takes pictures in their order. One by the target wants views from all sides, and then the target lying still
on the table; one by the cards wants the cards on the table, and may be given other sides of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from calibration.daylight import Light, cards_light, chart_light, target_light
from calibration.from_table import Laid, estimate_from_cards, estimate_from_stages, table_from_cards, table_from_target
from calibration.grades import Calibration, Grade, Rejected, View, grade_of, worse
from calibration.intrinsics import MOST_VIEWS, estimate_camera, find_target, outline_of
from calibration.profile import Profile
from vision.cactus.upright import Stage
from vision.camera import CameraModel
from vision.cards.rectify import homography
from vision.plane import Plane
from vision.scene import Observation, SceneModel
from vision.tracking.recheck import pieces_of
from vision.types import Failure, Frame, Rgb

Array = NDArray[np.float64]
Observe = Callable[[Frame, SceneModel], Observation | Failure]

ENOUGH_VIEWS = 10
"""Good views of the target after which the lens is known as well as it gets."""
_STILL, _OTHER = 0.0015, 0.03
"""Shares of the picture's width: the target holds still below the first, and shows something new from the second."""
HOLD_S, _LIE_S = 0.3, 1.5
_SAME_PLACE = 0.01
NOT_FLAT = "What lies on the table does not lie quite flat: straighten it, and keep the camera still."


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What a lesson found out.

    Parameters
    ----------
    calibration
        The lens and how well it is known.
    table
        The table's plane, or None where it was not seen.
    light
        The light, or None where nothing white was seen.
    grade
        The worse of the grades of lens and table.
    advice
        What would make it better, in plain sentences.
    """

    calibration: Calibration
    table: Plane | None
    light: Light | None
    grade: Grade
    advice: tuple[str, ...]

    def profile(self, name: str, camera_id: str, source: str, at: datetime) -> Profile:
        """What is kept of it."""
        return replace(
            Profile.of(self.calibration, source),
            grade=self.grade,
            name=name,
            camera_id=camera_id,
            made_at=at.isoformat(timespec="seconds"),
            table=self.table,
            light=self.light,
        )


@dataclass(slots=True, eq=False)
class TargetLesson:
    """Learning by the printed target.

    Attributes
    ----------
    views
        Good views that differ, so far.
    table
        The view of the target that lies on the table, once it does.
    """

    views: list[View] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    table: View | None = None
    light: Light | None = None
    _last: View | None = None
    _since_s: float = 0.0

    def add(self, name: str, rgb: Rgb) -> bool:
        """Take a photo of the target; whether it was found."""
        view = find_target(rgb, name)
        if isinstance(view, Failure):
            self.rejected.append(Rejected(name, view.detail))
            return False
        self.views.append(view)
        return True

    def lay(self, name: str, rgb: Rgb) -> Failure | None:
        """Take the photo in which the target lies on the table."""
        view = find_target(rgb, name)
        if isinstance(view, Failure):
            return view
        self._lies(view, rgb)
        self.views.append(view)
        return None

    def watch(self, name: str, rgb: Rgb, at_s: float, hold_s: float = HOLD_S) -> View | None:
        """Take the next frame of a moving picture; the target where it is found in it.

        A view counts where the target was held still for `hold_s` and shows something new. Once there are enough, it
        has to lie still for longer: then it lies on the table.
        """
        view = find_target(rgb, name)
        if isinstance(view, Failure):
            self._last = None
            return None
        if self._last is None or view.size_px != self._last.size_px or self._off(view, self._last) > _STILL:
            self._last, self._since_s = view, at_s
        still_s = at_s - self._since_s
        new = all(v.size_px == view.size_px and self._off(view, v) > _OTHER for v in self.views)
        if still_s >= hold_s and new and len(self.views) < MOST_VIEWS:
            self.views.append(view)
        if still_s >= _LIE_S and self.enough:
            self._lies(view, rgb)
        return view

    @property
    def enough(self) -> bool:
        """Whether there are so many good views that the table may follow."""
        return len(self.views) >= ENOUGH_VIEWS

    def _lies(self, view: View, rgb: Rgb) -> None:
        self.table = view
        self.light = chart_light(rgb) or target_light(rgb, _homography(view))

    @staticmethod
    def _off(a: View, b: View) -> float:
        return float(np.abs(outline_of(a) - outline_of(b)).mean()) / a.size_px[0]

    def finish(self) -> Learned | Failure:
        """What was learned."""
        found = estimate_camera(self.views, self.rejected)
        if not isinstance(found, Calibration):
            return found
        table = None if self.table is None else table_from_target(self.table, found.camera)
        return _learned(found, table, self.light)


@dataclass(slots=True, eq=False)
class TableLesson:
    """Learning by what is played with: cards that lie on the table, or cacti that stand on it.

    Parameters
    ----------
    model
        Knows the deck, or the set.
    observe
        The close look.
    """

    model: SceneModel
    observe: Observe
    laid: list[Laid] = field(default_factory=list)
    stages: list[tuple[str, Stage]] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    light: Light | None = None

    def add(self, name: str, rgb: Rgb) -> int:
        """Take a picture of the table; how many whole cards, or cacti, it shows."""
        seen = self.observe(Frame(rgb, 0.0, 0, name), self.model)
        if isinstance(seen, Failure):
            self.rejected.append(Rejected(name, seen.detail or seen.reason))
            return 0
        if self.model.cactus is not None:
            if seen.stage is not None and seen.stage.cacti:
                self.stages.append((name, seen.stage))
            self.light = chart_light(rgb) or self.light
            return len(seen.stage.cacti) if seen.stage is not None else 0
        laid = Laid(name, tuple(pieces_of(seen.detections, seen.board, self.model)), (rgb.shape[1], rgb.shape[0]))
        if self.laid and _same_place(self.laid[-1], laid):
            # the same look once more tells nothing new
            if len(laid.pieces) > len(self.laid[-1].pieces):
                self.laid[-1] = laid
        else:
            self.laid.append(laid)
        if self.model.deck is not None:
            white = chart_light(rgb) or cards_light(rgb, seen.detections, self.model.deck)
            self.light = white or self.light
        return len(laid.pieces)

    def finish(self) -> Learned | Failure:
        """What was learned; the table is the one of the last picture that tells it."""
        if self.model.cactus is not None:
            stood = estimate_from_stages(self.stages)
            return _learned(stood, None, self.light) if isinstance(stood, Calibration) else stood
        found = estimate_from_cards(self.laid)
        if not isinstance(found, Calibration):
            return found
        found = replace(found, rejected=(*self.rejected, *found.rejected))
        used = [p for p in self.laid if p.name in found.used]
        table = table_from_cards(used[-1], found.camera) if used else None
        return _learned(found, table, self.light)

    def table(self, camera: CameraModel) -> Plane | Failure:
        """The table of the last picture that tells it, where the lens is known already."""
        if not self.laid:
            return Failure("too-few-cards", "no picture shows cards of the deck")
        return table_from_cards(self.laid[-1], camera)


def with_table(profile: Profile, table: Plane, light: Light | None = None) -> Profile | Failure:
    """The profile with another table before the same lens; Failure `other-shape` where the picture has another shape.

    The grade is the worse one of the lens and of this table.
    """
    size, now = profile.camera.size_px, table.camera.size_px
    if now[0] * size[1] != now[1] * size[0]:
        return Failure("other-shape", "the camera gives another shape of picture than when its lens was learned")
    before = profile.table
    lowered = before is not None and grade_of(before.residual_px, before.camera.size_px) is not Grade.GOOD
    # the lens's own grade is the profile's, save where the table of then lowered it
    lens = grade_of(profile.error_px, size) if lowered else profile.grade
    grade = worse(lens, grade_of(table.residual_px, now))
    return replace(profile, table=table.scaled(*size), grade=grade, light=light or profile.light)


def target_light_in(rgb: Rgb) -> Light | None:
    """The light by the printed target where the picture shows it."""
    view = find_target(rgb)
    return None if isinstance(view, Failure) else target_light(rgb, _homography(view))


def _learned(found: Calibration, table: Plane | Failure | None, light: Light | None) -> Learned:
    grade, advice = found.grade, list(found.advice())
    if isinstance(table, Failure):
        advice.append(f"The table was not learned: {table.detail}.")
        table = None
    if table is not None:
        grade = worse(grade, grade_of(table.residual_px, table.camera.size_px))
        if grade_of(table.residual_px, table.camera.size_px) is not Grade.GOOD:
            advice.append(NOT_FLAT)
    if light is not None:
        advice += light.advice()
    return Learned(found, table, light, grade, tuple(advice))


def _same_place(a: Laid, b: Laid) -> bool:
    if a.size_px != b.size_px or not a.pieces or not b.pieces:
        return False
    there = np.array([p.quad_px.mean(0) for p in a.pieces])
    here = np.array([p.quad_px.mean(0) for p in b.pieces])
    near = np.hypot(*(here[:, None] - there[None]).transpose(2, 0, 1)).min(1)
    return bool(np.median(near) < _SAME_PLACE * max(a.size_px))


def _homography(view: View) -> Array:
    corners = outline_of(view)
    lo, hi = view.points_mm.min(0), view.points_mm.max(0)
    return homography(np.array([lo, [hi[0], lo[1]], hi, [lo[0], hi[1]]]), corners)


def summary(learned: Learned) -> str:
    """The result in a few plain words, for a person."""
    words = {
        Grade.GOOD: "The camera is well known now",
        Grade.USABLE: "The camera is known well enough to play; measured distances count as less sure",
        Grade.POOR: "The camera is not known well enough",
    }
    c = learned.calibration
    parts = [f"points are off by {c.error_px:.2f} px on average", f"{c.coverage:.0%} of the picture was seen"]
    parts.append(f"the focal length is known to {c.focal_sigma:.1%}")
    if learned.table is not None:
        parts.append(f"the table fits to {learned.table.residual_px:.2f} px")
    if learned.light is not None:
        parts.append(learned.light.in_words())
    wanted = f"; needed are {' and '.join(c.lacking())}" if c.lacking() else ""
    return f"{words[learned.grade]}: {', '.join(parts)}{wanted}."
