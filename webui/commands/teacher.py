"""Learns the camera while its pictures come, in a thread of its own, for the page."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.daylight import Light, spot_light
from calibration.intrinsics import Grade, grade_of
from calibration.lesson import ENOUGH_VIEWS, NOT_FLAT, Learned, Observe, with_table
from calibration.profile import Profile, save_profile
from calibration.sheets import write_target
from calibration.shelf import forget, save_named
from scoring.errors import RefereeError
from scoring.table import Point
from vision.plane import Plane
from vision.recheck import CONTRADICTIONS
from vision.types import Failure, Frame, SceneModel, Standing
from webui.commands.known_camera import KnownCameras, identity, plain_name
from webui.commands.lessons import Frames, by_table, by_target, light_now, plane_now
from webui.learning import GRID_MM, Known, Lesson, Place, Stage
from webui.paths import calibrations_folder

log = logging.getLogger(__name__)

NO_PICTURE = "No picture comes from the camera."
NOT_KEPT = "It could not be kept: the folder of this program's data cannot be written."
_SQUARES = 5
"""Squares of the drawn pattern on each side of the picture's middle."""


@dataclass(frozen=True, slots=True, eq=False)
class _Notes:
    """What was set up before a camera whose lens is not known."""

    seats: Mapping[str, str] = field(default_factory=dict)
    area_px: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 2)))
    size_px: tuple[int, int] | None = None
    light: Light | None = None


class CameraTeacher:
    """See `webui.learning.Teacher`.

    Parameters
    ----------
    newest
        The newest picture, or None before the first.
    cameras
        What is kept of cameras; told when something was learned.
    model
        Knows what is played with.
    observe
        The close look.
    standing
        How the table agrees with the calibration now.
    folder
        Where profiles are kept.
    """

    def __init__(
        self,
        newest: Callable[[], Frame | None],
        cameras: KnownCameras,
        model: Callable[[], SceneModel],
        observe: Observe,
        standing: Callable[[], Standing] = lambda: Standing.UNKNOWN,
        folder: Callable[[], Path] = calibrations_folder,
    ) -> None:
        self._newest = newest
        self._cameras = cameras
        self._model = model
        self._observe = observe
        self._standing = standing
        self._folder = folder
        self._lock = threading.Lock()
        self._begin = threading.Lock()
        self._lesson = Lesson()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._notes: dict[str, _Notes] = {}

    @property
    def lesson(self) -> Lesson:
        """See `webui.learning.Teacher`."""
        with self._lock:
            return self._lesson

    def known(self) -> Known | None:
        """See `webui.learning.Teacher`."""
        profile = self._profile()
        if profile is None:
            return None
        spots = tuple((float(x), float(y), float(dx), float(dy)) for x, y, dx, dy in profile.spots)
        standing = self._standing()
        doubted = standing in CONTRADICTIONS
        return Known(
            profile.name,
            str(profile.grade),
            profile.error_px,
            profile.made_at,
            profile.camera.size_px,
            profile.table is not None,
            spots,
            profile is not self._cameras.given,
            str(standing) if doubted else "",
            0.0 if profile.table is None else profile.table.residual_px,
            () if profile.table is None or doubted else _grid(profile.table),
        )

    def _profile(self) -> Profile | None:
        """What is kept of the camera that gives the pictures now."""
        frame = self._newest()
        return None if frame is None else self._cameras.of(frame.source)

    def _here(self) -> tuple[str, Profile | None, _Notes]:
        """Where the pictures come from, what is kept of that camera, and what was set up before it.

        A file of the person's own is left alone, so what is set up then is noted beside it.
        """
        frame = self._newest()
        if frame is None:
            return "", None, _Notes()
        profile = self._cameras.of(frame.source)
        if profile is None or profile is self._cameras.given:
            return frame.source, None, self._notes.get(frame.source, _Notes())
        notes = _Notes(profile.seats, profile.area_px, profile.camera.size_px, profile.light)
        return frame.source, profile, notes

    def place(self) -> Place:
        """See `webui.learning.Teacher`."""
        source, profile, notes = self._here()
        light = notes.light
        if light is None and (given := self._profile()) is not None:
            light = given.light
        area = tuple((float(x), float(y)) for x, y in notes.area_px)
        return Place(
            plain_name(identity(source)),
            notes.seats,
            area,
            notes.size_px if area else None,
            None if light is None else _rounded(light.white),
            "" if light is None else light.seen_on,
            () if light is None else light.advice(),
            profile is not None,
        )

    def sit(self, seats: Mapping[str, str]) -> None:
        """See `webui.learning.Teacher`."""
        self._note(lambda notes: replace(notes, seats=dict(seats)))

    def agree(self, area: tuple[Point, ...], size: tuple[int, int]) -> None:
        """See `webui.learning.Teacher`."""
        px = np.array(area, np.float64).reshape(-1, 2)
        self._note(lambda notes: replace(notes, area_px=px, size_px=size))

    def point_at_white(self, x: float, y: float) -> bool:
        """See `webui.learning.Teacher`."""
        frame = self._newest()
        if frame is None:
            raise RefereeError(NO_PICTURE)
        height, width = frame.rgb.shape[:2]
        light = spot_light(frame.rgb, (x * (width - 1), y * (height - 1)))
        if light is None:
            return False
        self._note(lambda notes: replace(notes, light=light))
        return True

    def _note(self, change: Callable[[_Notes], _Notes]) -> None:
        """Keep what was set up, with the camera's profile where there is one."""
        source, profile, notes = self._here()
        if not source:
            raise RefereeError(NO_PICTURE)
        notes = change(notes)
        if profile is None:
            self._notes[source] = notes
        else:
            self._keep(_noted(profile, notes))

    def _keep(self, profile: Profile) -> None:
        try:
            save_named(self._folder(), profile)
        except (RefereeError, OSError) as error:
            raise RefereeError(NOT_KEPT) from error

    def begin(self, what: str) -> None:
        """See `webui.learning.Teacher`."""
        if self._newest() is None:
            raise RefereeError(NO_PICTURE)
        end = threading.Event()
        teach = {"target": self._by_target, "table": self._by_table, "plane": self._by_plane, "white": self._by_white}
        thread = threading.Thread(target=self._run, args=(teach[what], what, end), name="teacher", daemon=True)
        with self._begin:  # whoever begins at the same moment ends the lesson of the other
            self.stop()
            with self._lock:
                self._end, self._thread = end, thread
                self._lesson = Lesson(Stage.SHOW if what == "target" else Stage.LOOK, wanted=ENOUGH_VIEWS, what=what)
            thread.start()

    def stop(self) -> None:
        """See `webui.learning.Teacher`."""
        with self._lock:
            self._end.set()
            thread, self._thread = self._thread, None
            self._lesson = Lesson()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=2.0)

    def forget(self) -> None:
        """See `webui.learning.Teacher`."""
        profile = self._profile()
        if profile is not None and profile is not self._cameras.given:
            forget(self._folder(), profile.name)
            self._cameras.version += 1

    def described(self) -> bytes:
        """See `webui.learning.Teacher`."""
        profile = self._profile()
        if profile is None:
            return b""
        with tempfile.TemporaryDirectory(prefix="referee-camera-") as own:
            file = Path(own) / "camera.json"
            save_profile(profile, file)
            return file.read_bytes()

    def target(self, paper: str) -> bytes:
        """See `webui.learning.Teacher`."""
        with tempfile.TemporaryDirectory(prefix="referee-target-") as own:
            file = Path(own) / "target.pdf"
            write_target(file, paper)
            return file.read_bytes()

    def _run(self, teach: Callable[[Frames], Lesson], what: str, end: threading.Event) -> None:
        try:
            over = teach(Frames(self._newest, end, lambda lesson: self._tell(end, lesson)))
        except Exception:
            log.exception("a lesson failed")
            over = Lesson(Stage.FAILED, problem="error")
        self._tell(end, replace(over, what=what))

    def _tell(self, end: threading.Event, lesson: Lesson) -> None:
        with self._lock:
            if not end.is_set():
                self._lesson = lesson

    def _bare(self) -> SceneModel:
        """What is known of what is played with, without any camera."""
        return replace(self._model(), camera=None, table=None, off_share=0.0, lens=None)

    def _by_target(self, frames: Frames) -> Lesson:
        return self._finished(by_target(frames), frames)

    def _by_table(self, frames: Frames) -> Lesson:
        lesson = by_table(frames, self._bare(), self._observe, "table")
        return self._finished(lesson if isinstance(lesson, Failure) else lesson.finish(), frames)

    def _by_plane(self, frames: Frames) -> Lesson:
        """The table anew, before a lens that is known already."""
        profile = self._profile()
        if profile is None or profile is self._cameras.given:
            return Lesson(Stage.FAILED, problem="no-lens")
        table = plane_now(frames, profile.camera, self._bare(), self._observe)
        if isinstance(table, Failure):
            return _failed(table)
        kept = with_table(profile, table)
        if isinstance(kept, Failure):
            return _failed(kept)
        if grade_of(table.residual_px, table.camera.size_px) is Grade.POOR:
            return Lesson(Stage.FAILED, problem="poor", advice=(NOT_FLAT,), error_px=table.residual_px)
        return self._kept(kept, frames)

    def _by_white(self, frames: Frames) -> Lesson:
        frame = frames.next()
        if frame is None:
            return Lesson(Stage.FAILED, problem="no-picture")
        light = light_now(frame, self._bare(), self._observe)
        if light is None:
            return Lesson(Stage.FAILED, problem="no-white")
        if not frames.end.is_set():
            self._note(lambda notes: replace(notes, light=light))
        return Lesson(Stage.DONE, advice=light.advice())

    def _finished(self, learned: Learned | Failure, frames: Frames) -> Lesson:
        if isinstance(learned, Failure):
            return _failed(learned)
        if learned.grade is Grade.POOR:
            off = max(learned.calibration.error_px, learned.table.residual_px if learned.table is not None else 0.0)
            return Lesson(Stage.FAILED, problem="poor", advice=learned.advice, error_px=off)
        camera = identity(frames.source)
        fresh = learned.profile(plain_name(camera) or "camera", camera, camera, datetime.now(UTC).astimezone())
        _, _, notes = self._here()
        told = self._kept(_noted(fresh, replace(notes, light=fresh.light or notes.light)), frames)
        return replace(told, views=len(learned.calibration.used), advice=learned.advice)

    def _kept(self, profile: Profile, frames: Frames) -> Lesson:
        if frames.end.is_set():
            return Lesson()
        try:
            self._keep(profile)
        except RefereeError:
            log.exception("a calibration could not be kept")
            return Lesson(Stage.FAILED, problem="not-kept")
        self._cameras.version += 1
        return Lesson(Stage.DONE)


def _failed(failure: Failure) -> Lesson:
    return Lesson(Stage.FAILED, problem=failure.reason)


def _noted(profile: Profile, notes: _Notes) -> Profile:
    """The profile with what was set up; an area of pictures of another shape is none of its own."""
    size, of = profile.camera.size_px, notes.size_px or profile.camera.size_px
    area = notes.area_px * (size[0] / of[0]) if size[0] * of[1] == size[1] * of[0] else np.zeros((0, 2))
    return replace(profile, seats=notes.seats, area_px=area, light=notes.light)


def _grid(table: Plane) -> tuple[tuple[Point, ...], ...]:
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


def _rounded(white: tuple[float, float, float]) -> tuple[int, int, int]:
    r, g, b = (round(min(max(v, 0.0), 255.0)) for v in white)
    return (r, g, b)
