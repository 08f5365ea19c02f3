"""Learns the camera while its pictures come, in a thread of its own, for the page."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from calibration.colour_chart import is_mirrored
from calibration.daylight import Light, spot_light
from calibration.grades import Grade, grade_of
from calibration.lesson import ENOUGH_VIEWS, NOT_FLAT, Learned, Observe, with_table
from calibration.profile import Profile
from calibration.shelf import forget, save_named
from calibration.white_check import Doubt, doubt_of
from scoring.errors import RefereeError
from scoring.table import Point
from vision.scene import Observation, SceneModel
from vision.tracking.recheck import CONTRADICTIONS
from vision.types import Failure, Frame, Standing
from webui.camera.learning import PROBLEMS, DeckShade, Known, Lesson, Place, Stage
from webui.paths import calibrations_folder
from webui.sight.cameras.kept_notes import NoteBook
from webui.sight.cameras.known_camera import KnownCameras, identity, plain_name
from webui.sight.cameras.lessons import Frames, by_table, by_target, deck_light, light_now, plane_now
from webui.sight.cameras.set_up import Notes, as_file, grid_of, noted, rounded, target_pdf

log = logging.getLogger(__name__)

NO_PICTURE = "No picture comes from the camera."
PHOTO = "photo"
"""The source of a photo that somebody sent."""


class CameraTeacher:
    """See `webui.camera.learning.Teacher`.

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
    names
        The colour of each face of the deck on the table, by its id.
    seen
        The picture that was looked at closely last, and what was seen in it.
    fresh
        Whether pictures come now.
    """

    def __init__(
        self,
        newest: Callable[[], Frame | None],
        cameras: KnownCameras,
        model: Callable[[], SceneModel],
        observe: Observe,
        standing: Callable[[], Standing] = lambda: Standing.UNKNOWN,
        folder: Callable[[], Path] = calibrations_folder,
        names: Callable[[], Mapping[str, str]] = dict,
        seen: Callable[[], tuple[Frame, Observation] | None] = lambda: None,
        fresh: Callable[[], bool] = lambda: True,
    ) -> None:
        self._newest = newest
        self._cameras = cameras
        self._model = model
        self._observe = observe
        self._standing = standing
        self._folder = folder
        self._lock = threading.Lock()
        self._begin = threading.Lock()
        self._keeping = threading.RLock()
        self._lesson = Lesson()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None
        self._notes = NoteBook(folder)
        self._names = names
        self._seen = seen
        self._fresh = fresh
        self._drawn: set[str] = set()
        self._shades: dict[str, tuple[DeckShade, ...]] = {}

    @property
    def lesson(self) -> Lesson:
        """See `webui.camera.learning.Teacher`."""
        with self._lock:
            return self._lesson

    def known(self) -> Known | None:
        """See `webui.camera.learning.Teacher`."""
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
            () if profile.table is None or doubted else grid_of(profile.table),
        )

    def _profile(self) -> Profile | None:
        """What is kept of the camera that gives the pictures now."""
        frame = self._newest()
        return None if frame is None else self._cameras.of(frame.source)

    def _here(self) -> tuple[str, Profile | None, Notes]:
        """Where the pictures come from, what is kept of that camera, and what was set up before it.

        A file of the person's own is left alone, so what is set up then is noted beside it.
        """
        frame = self._newest()
        if frame is None:
            return "", None, Notes()
        profile, camera = self._cameras.of(frame.source), _camera(frame.source)
        if profile is None or profile is self._cameras.given:
            return frame.source, None, self._notes.of(camera)
        if self._notes.is_held(camera):
            return frame.source, profile, self._notes.of(camera)
        notes = Notes(profile.seats, profile.area_px, profile.camera.size_px, profile.light)
        return frame.source, profile, notes

    def place(self) -> Place:
        """See `webui.camera.learning.Teacher`."""
        source, _, notes = self._here()
        light = notes.light
        if light is None and (given := self._profile()) is not None:
            light = given.light
        area = tuple((float(x), float(y)) for x, y in notes.area_px)
        return Place(
            plain_name(identity(source)),
            notes.seats,
            area,
            notes.size_px if area else None,
            None if light is None else rounded(light.white),
            "" if light is None else light.seen_on,
            () if light is None else light.advice(),
            bool(source) and not self._notes.is_held(_camera(source)),
            self._shades.get(source, ()),
            source in self._drawn or self._standing() is Standing.AS_CALIBRATED,
        )

    def sit(self, seats: Mapping[str, str]) -> None:
        """See `webui.camera.learning.Teacher`."""
        self._note(lambda notes: replace(notes, seats=dict(seats)))

    def agree(self, area: tuple[Point, ...], size: tuple[int, int]) -> None:
        """See `webui.camera.learning.Teacher`."""
        px = np.array(area, np.float64).reshape(-1, 2)
        self._note(lambda notes: replace(notes, area_px=px, size_px=size))
        self._drawn.add(self._here()[0])

    def point_at_white(self, x: float, y: float) -> str:
        """See `webui.camera.learning.Teacher`."""
        frame = self._newest()
        if frame is None:
            raise RefereeError(NO_PICTURE)
        height, width = frame.rgb.shape[:2]
        light = spot_light(frame.rgb, (x * (width - 1), y * (height - 1)))
        if light is None:
            return "no-white"
        doubt = self._doubt(frame, light)
        if doubt is Doubt.DARK:
            return "no-white"
        if doubt is not Doubt.TINTED:
            self._note(lambda notes: replace(notes, light=light))
        return f"white-{doubt}" if doubt else ""

    def _doubt(self, frame: Frame, light: Light) -> Doubt:
        """What speaks against a white, by the cards or pieces that were seen last, and what is round it."""
        seen = self._seen()
        if seen is None or seen[0].source != frame.source:
            return doubt_of(frame.rgb, light, None, ())
        return doubt_of(frame.rgb, light, *deck_light(*seen, self._model(), self._names()))

    def _note(self, change: Callable[[Notes], Notes]) -> None:
        """Keep what was set up, with the camera's profile where there is one."""
        with self._keeping:  # two browsers may set up different things at the same moment
            source, profile, notes = self._here()
            if not source:
                raise RefereeError(NO_PICTURE)
            notes, camera = change(notes), _camera(source)
            try:
                if profile is None:
                    self._notes.keep(camera, notes)
                else:
                    self._keep(noted(profile, notes))
                    self._notes.forget(camera)
            except (RefereeError, OSError) as error:
                self._notes.hold(camera, notes)
                raise RefereeError(PROBLEMS["held"]) from error

    def _keep(self, profile: Profile) -> None:
        try:
            save_named(self._folder(), profile)
        except (RefereeError, OSError) as error:
            raise RefereeError(PROBLEMS["not-kept"]) from error

    def begin(self, what: str) -> None:
        """See `webui.camera.learning.Teacher`."""
        newest = self._newest()
        if what != "white" and newest is not None and newest.source == PHOTO:
            raise RefereeError(PROBLEMS["single-photo"])
        if newest is None or not (what == "white" or self._fresh()):
            raise RefereeError(PROBLEMS["no-picture"])
        end = threading.Event()
        teach = {"target": self._by_target, "table": self._by_table, "plane": self._by_plane, "white": self._by_white}
        thread = threading.Thread(target=self._run, args=(teach[what], what, end), name="teacher", daemon=True)
        with self._begin:  # whoever begins at the same moment ends the lesson of the other
            self.stop()
            with self._lock:
                self._end, self._thread = end, thread
                self._lesson = Lesson(Stage.SHOW if what == "target" else Stage.LOOK, wanted=ENOUGH_VIEWS, what=what)
            thread.start()

    def stop(self, patience_s: float = 2.0) -> None:
        """See `webui.camera.learning.Teacher`."""
        with self._lock:
            self._end.set()
            thread, self._thread = self._thread, None
            self._lesson = Lesson()
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout=patience_s)

    def forget(self) -> None:
        """See `webui.camera.learning.Teacher`."""
        profile = self._profile()
        if profile is not None and profile is not self._cameras.given:
            forget(self._folder(), profile.name)
            self._notes.forget(_camera(self._here()[0]))
            self._cameras.version += 1

    def described(self) -> bytes:
        """See `webui.camera.learning.Teacher`."""
        profile = self._profile()
        if profile is None:
            return b""
        return as_file(profile)

    def target(self, paper: str) -> bytes:
        """See `webui.camera.learning.Teacher`."""
        return target_pdf(paper)

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
        return self._kept(kept, frames, None)

    def _by_white(self, frames: Frames) -> Lesson:
        frame = frames.next()
        if frame is None:
            return Lesson(Stage.FAILED, problem="no-picture")
        light, shades = light_now(frame, self._bare(), self._observe, self._names())
        self._shades[frame.source] = tuple(
            DeckShade(s.name, rounded(s.known), rounded(s.seen), s.alike) for s in shades
        )
        if light is None:
            return Lesson(Stage.FAILED, problem="mirrored" if is_mirrored(frame.rgb) else "no-white")
        if not frames.end.is_set():
            try:
                self._note(lambda notes: replace(notes, light=light))
            except RefereeError:
                return Lesson(Stage.FAILED, problem="held", advice=light.advice())
        return Lesson(Stage.DONE, advice=light.advice())

    def _finished(self, learned: Learned | Failure, frames: Frames) -> Lesson:
        if isinstance(learned, Failure):
            return _failed(learned)
        if learned.grade is Grade.POOR:
            off = max(learned.calibration.error_px, learned.table.residual_px if learned.table is not None else 0.0)
            return Lesson(Stage.FAILED, problem="poor", advice=learned.advice, error_px=off)
        camera = identity(frames.source)
        fresh = learned.profile(plain_name(camera) or "camera", camera, camera, datetime.now(UTC).astimezone())
        told = self._kept(fresh, frames, fresh.light)
        return replace(told, views=len(learned.calibration.used), advice=learned.advice)

    def _kept(self, profile: Profile, frames: Frames, light: Light | None) -> Lesson:
        """Keep what was learned, with what was set up until now: people go on while a lesson looks."""
        if frames.end.is_set():
            return Lesson()
        try:
            with self._keeping:
                _, _, notes = self._here()
                self._keep(noted(profile, replace(notes, light=light or notes.light)))
                self._notes.forget(_camera(frames.source))
        except RefereeError:
            log.exception("a calibration could not be kept")
            return Lesson(Stage.FAILED, problem="not-kept")
        self._cameras.version += 1
        return Lesson(Stage.DONE)


def _camera(source: str) -> str:
    """What the camera behind a source is called for good; what has no such name is called as its source is."""
    return identity(source) or source


def _failed(failure: Failure) -> Lesson:
    return Lesson(Stage.FAILED, problem=failure.reason)
