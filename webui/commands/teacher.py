"""Learns the camera while its pictures come, in a thread of its own, for the page."""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from calibration.intrinsics import Grade
from calibration.lesson import ENOUGH_VIEWS, Learned, Observe, TableLesson, TargetLesson
from calibration.profile import save_profile
from calibration.sheets import write_target
from calibration.shelf import forget, save_named
from scoring.errors import RefereeError
from vision.recheck import CONTRADICTIONS
from vision.types import Failure, Frame, SceneModel, Standing
from webui.commands.known_camera import KnownCameras, identity, plain_name
from webui.learning import Known, Lesson, Stage
from webui.paths import calibrations_folder

log = logging.getLogger(__name__)

TABLE_LOOKS = 2
TABLE_PAUSE_S = 1.0
NO_PICTURE_S = 8.0
LESSON_MAX_S = 300.0
LAY_PATIENCE_S = 40.0
_REST_S = 0.04


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

    @property
    def lesson(self) -> Lesson:
        """See `webui.learning.Teacher`."""
        with self._lock:
            return self._lesson

    def known(self) -> Known | None:
        """See `webui.learning.Teacher`."""
        frame = self._newest()
        profile = None if frame is None else self._cameras.of(frame.source)
        if profile is None:
            return None
        spots = tuple((float(x), float(y), float(dx), float(dy)) for x, y, dx, dy in profile.spots)
        standing = self._standing()
        return Known(
            profile.name,
            str(profile.grade),
            profile.error_px,
            profile.made_at,
            profile.camera.size_px,
            profile.table is not None,
            spots,
            profile is not self._cameras.given,
            str(standing) if standing in CONTRADICTIONS else "",
            None if profile.light is None else _rounded(profile.light.white),
            () if profile.light is None else profile.light.advice(),
        )

    def begin(self, what: str) -> None:
        """See `webui.learning.Teacher`."""
        if self._newest() is None:
            raise RefereeError("No picture comes from the camera.")
        end = threading.Event()
        teach = self._by_table if what == "table" else self._by_target
        thread = threading.Thread(target=self._run, args=(teach, end), name="teacher", daemon=True)
        with self._begin:  # whoever begins at the same moment ends the lesson of the other
            self.stop()
            with self._lock:
                self._end, self._thread = end, thread
                self._lesson = Lesson(Stage.LOOK if what == "table" else Stage.SHOW, wanted=ENOUGH_VIEWS)
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
        frame = self._newest()
        profile = None if frame is None else self._cameras.of(frame.source)
        if profile is not None and profile is not self._cameras.given:
            forget(self._folder(), profile.name)
            self._cameras.version += 1

    def described(self) -> bytes:
        """See `webui.learning.Teacher`."""
        frame = self._newest()
        profile = None if frame is None else self._cameras.of(frame.source)
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

    def _run(self, teach: Callable[[threading.Event], Lesson], end: threading.Event) -> None:
        try:
            over = teach(end)
        except Exception:
            log.exception("a lesson failed")
            over = Lesson(Stage.FAILED, problem="error")
        self._tell(end, over)

    def _tell(self, end: threading.Event, lesson: Lesson) -> None:
        with self._lock:
            if not end.is_set():
                self._lesson = lesson

    def _by_target(self, end: threading.Event) -> Lesson:
        lesson, last, begun_s = TargetLesson(), -1, time.monotonic()
        came_s = laid_s = begun_s
        source = ""
        while not end.is_set() and lesson.table is None:
            now_s = time.monotonic()
            frame = self._newest()
            if frame is None or frame.index == last:
                if now_s - came_s > NO_PICTURE_S:
                    return Lesson(Stage.FAILED, problem="no-picture")
                end.wait(_REST_S)
                continue
            if frame.source != source and source:
                lesson = TargetLesson()  # another camera took over
            last, came_s, source = frame.index, now_s, frame.source
            view = lesson.watch(f"{frame.at_s:.1f} s", frame.rgb, frame.at_s)
            if not lesson.enough:
                laid_s = now_s
            stage = Stage.LAY if lesson.enough else Stage.SHOW
            self._tell(end, Lesson(stage, len(lesson.views), ENOUGH_VIEWS, found=view is not None))
            if now_s - begun_s > LESSON_MAX_S or now_s - laid_s > LAY_PATIENCE_S:
                break  # what was seen so far may do, without the table
        return self._finished(lesson.finish(), source, end)

    def _bare(self) -> SceneModel:
        """What is known of what is played with, without any camera."""
        return replace(self._model(), camera=None, table=None, off_share=0.0, lens=None)

    def _by_table(self, end: threading.Event) -> Lesson:
        lesson, last, source = TableLesson(self._bare(), self._observe), -1, ""
        looks, came_s = 0, time.monotonic()
        while looks < TABLE_LOOKS and not end.is_set():
            frame = self._newest()
            if frame is None or frame.index == last:
                if time.monotonic() - came_s > NO_PICTURE_S:
                    return Lesson(Stage.FAILED, problem="no-picture")
                end.wait(_REST_S)
                continue
            last, source, looks = frame.index, frame.source, looks + 1
            found = lesson.add(f"look {looks}", frame.rgb)
            came_s = time.monotonic()
            self._tell(end, Lesson(Stage.LOOK, found, found=found > 0))
            if looks < TABLE_LOOKS:
                end.wait(TABLE_PAUSE_S)
        return self._finished(lesson.finish(), source, end)

    def _finished(self, learned: Learned | Failure, source: str, end: threading.Event) -> Lesson:
        if isinstance(learned, Failure):
            return Lesson(Stage.FAILED, problem=learned.reason)
        if learned.grade is Grade.POOR:
            return Lesson(Stage.FAILED, problem="poor", advice=learned.advice)
        if end.is_set():
            return Lesson()
        camera = identity(source)
        name = plain_name(camera) or "camera"
        try:
            save_named(self._folder(), learned.profile(name, camera, camera, datetime.now(UTC).astimezone()))
        except (RefereeError, OSError):
            log.exception("a calibration could not be kept")
            return Lesson(Stage.FAILED, problem="not-kept")
        self._cameras.version += 1
        return Lesson(Stage.DONE, len(learned.calibration.used), advice=learned.advice)


def _rounded(white: tuple[float, float, float]) -> tuple[int, int, int]:
    r, g, b = (round(min(max(v, 0.0), 255.0)) for v in white)
    return (r, g, b)
