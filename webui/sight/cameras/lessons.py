"""How the pictures of a lesson are taken while they come: by the target, by what lies there, or for the light alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from calibration.daylight import Light, cards_light, chart_light
from calibration.from_table import table_from_target
from calibration.intrinsics import find_target
from calibration.lesson import ENOUGH_VIEWS, Learned, Observe, TableLesson, TargetLesson, target_light_in
from calibration.shades import Shade, card_shades, piece_shades
from vision.camera import CameraModel
from vision.plane import Plane
from vision.scene import Observation, SceneModel
from vision.types import Failure, Frame
from webui.camera.learning import Lesson, Stage

TABLE_LOOKS = 2
TABLE_PAUSE_S = 1.0
NO_PICTURE_S = 8.0
LESSON_MAX_S = 300.0
LAY_PATIENCE_S = 40.0
_REST_S = 0.04
NO_PICTURE = Failure("no-picture")
"""No picture came for long."""


@dataclass(slots=True)
class Frames:
    """The camera's pictures, until the lesson ends.

    Parameters
    ----------
    newest
        The newest picture, or None before the first.
    end
        Set when the lesson is to end.
    tell
        Takes how far the lesson is.
    """

    newest: Callable[[], Frame | None]
    end: threading.Event
    tell: Callable[[Lesson], None]
    source: str = ""
    """Where the last picture came from."""
    _last: int = -1

    def next(self) -> Frame | None:
        """The next newer picture; None where the lesson ended, or where none came for long."""
        came_s = time.monotonic()
        while not self.end.is_set() and time.monotonic() - came_s <= NO_PICTURE_S:
            frame = self.newest()
            if frame is not None and frame.index != self._last:
                self._last, self.source = frame.index, frame.source
                return frame
            self.end.wait(_REST_S)
        return None


def by_target(frames: Frames) -> Learned | Failure:
    """Look at the target until it was seen from enough sides and lies on the table."""
    lesson, begun_s = TargetLesson(), time.monotonic()
    laid_s, source = begun_s, ""
    while lesson.table is None:
        frame = frames.next()
        if frame is None:
            return NO_PICTURE
        if frame.source != source and source:
            lesson = TargetLesson()  # another camera took over
        source, now_s = frame.source, time.monotonic()
        view = lesson.watch(f"{frame.at_s:.1f} s", frame.rgb, frame.at_s)
        if not lesson.enough:
            laid_s = now_s
        stage = Stage.LAY if lesson.enough else Stage.SHOW
        frames.tell(Lesson(stage, len(lesson.views), ENOUGH_VIEWS, found=view is not None, what="target"))
        if now_s - begun_s > LESSON_MAX_S or now_s - laid_s > LAY_PATIENCE_S:
            break  # what was seen so far may do, without the table
    return lesson.finish()


def by_table(frames: Frames, bare: SceneModel, observe: Observe, what: str) -> TableLesson | Failure:
    """Look at what lies on the table, or stands there, a few times."""
    lesson = TableLesson(bare, observe)
    for look in range(1, TABLE_LOOKS + 1):
        frame = frames.next()
        if frame is None:
            return NO_PICTURE
        found = lesson.add(f"look {look}", frame.rgb)
        frames.tell(Lesson(Stage.LOOK, found, found=found > 0, what=what))
        if look < TABLE_LOOKS:
            frames.end.wait(TABLE_PAUSE_S)
    return lesson


def plane_now(frames: Frames, camera: CameraModel, bare: SceneModel, observe: Observe) -> Plane | Failure:
    """The table by the target that lies on it, or else by the cards."""
    frame = frames.next()
    if frame is None:
        return NO_PICTURE
    flat = find_target(frame.rgb)
    if not isinstance(flat, Failure):
        return table_from_target(flat, camera)
    lesson = by_table(frames, bare, observe, "plane")
    return lesson if isinstance(lesson, Failure) else lesson.table(camera)


def light_now(
    frame: Frame, bare: SceneModel, observe: Observe, names: Mapping[str, str]
) -> tuple[Light | None, tuple[Shade, ...]]:
    """The light by a colour chart, the target or the cards, whichever the picture shows, and the deck's colours in it.

    `names` holds the colour of each face, by its id.
    """
    light = chart_light(frame.rgb) or target_light_in(frame.rgb)
    seen = observe(frame, bare)
    if isinstance(seen, Failure):
        return light, ()
    cards, shades = deck_light(frame, seen, bare, names)
    return light or cards, shades


def deck_light(
    frame: Frame, seen: Observation, model: SceneModel, names: Mapping[str, str]
) -> tuple[Light | None, tuple[Shade, ...]]:
    """The light by what is white on the cards of a picture, and the deck's colours in it."""
    if model.cactus is not None:
        return None, piece_shades(frame.rgb, seen.hung, model.cactus)
    if model.deck is None:
        return None, ()
    shades = card_shades(frame.rgb, seen.detections, model.deck, names)
    return cards_light(frame.rgb, seen.detections, model.deck), shades
