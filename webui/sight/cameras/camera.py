"""The page's side of seeing: the pipeline as the runner wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import BOARD, Point
from vision.live import Eye as LiveEye
from vision.live import Look as LiveLook
from vision.live import Observe
from vision.scene import Observation, SceneModel
from vision.sources.photos import load_bytes
from vision.tracking.recheck import CONTRADICTIONS
from vision.tracking.settled import Settled
from vision.types import Frame, Rgb, Standing
from webui.shown.snapshot import Quad
from webui.sight.cameras.known_camera import KnownCameras, identity, with_profile
from webui.table.picture import Frame as AnyFrame
from webui.table.seeing import Reading, Sight

LIVE_WIDTH = 1280
EVIDENCE_SIDE = 2600
"""Longer side of a stored picture: enough to count the symbols of a card."""
UNSEEN_MOST = 2
"""So many pieces may be hidden on a photo of which no more are known, and it still is one of the same table."""
PHOTO_SIDE = 4096
"""A larger photo is scaled down before it is looked at."""


class TableEye:
    """The pipeline of `vision.live` as the runner wants it; see `webui.table.seeing.Eye`."""

    def __init__(
        self, model: SceneModel, observe: Observe, *, stills: bool = False, cameras: KnownCameras | None = None
    ) -> None:
        self._model = model
        self._cameras = cameras
        self._version = -1
        self.standing = Standing.UNKNOWN
        self._given = model.area_px
        self._observe = observe
        self._stills = stills
        # What is laid or hung to stay is followed from picture to picture, from one place.
        self._lasting = _is_lasting(model)
        self._eye = LiveEye(model, observe)
        # The eye that read the newest picture, and that picture: a second view is held against them.
        self._first: tuple[LiveEye, Frame] | None = None
        # The eye that reads photos of what hangs, one after the other, and where the last one came from.
        self._album: tuple[LiveEye | None, str] = (None, "")
        self._reading: Reading | None = None
        self._seen: Observation | None = None
        self._looked: Frame | None = None
        self._index = 0
        self._source = ""
        self._named: dict[str, str] = {}

    def look(self, frame: AnyFrame) -> Sight:
        """The next frame of a moving picture."""
        if self._stills:
            if not self._lasting:
                return self.read(frame)
            self._first = (self._eye, _ours(frame))
            return self._told(self._eye.read(_ours(frame)))
        self._know_camera(_ours(frame).source)
        if _ours(frame).index < self._index or _ours(frame).source != self._source:
            # A recording that began anew shows another table, and another camera shows it from another place.
            self._eye = LiveEye(self._model, self._observe)
        self._index, self._source = _ours(frame).index, _ours(frame).source
        told = self._eye.look(_ours(frame))
        if told.settled is not None:
            self._first = (self._eye, _ours(frame))
        self._note(told)
        if told.settled is None:
            self._reading = None
        elif told.fresh or self._reading is None:
            self._reading = _reading(told)
        self.standing = told.standing
        return Sight(str(told.word), _hint(told), self._reading, _doubt(told) or _spare(self._seen))

    def _know_camera(self, source: str) -> None:
        """Take what is kept of the camera that gives the pictures now, where another one did or it was learned anew."""
        cameras = self._cameras
        if cameras is None or (self._version == cameras.version and source == self._source):
            return
        anew = self._version not in (-1, cameras.version)
        self._version = cameras.version
        self._model = with_profile(self._model, cameras.of(source))
        if anew or source != self._source:
            self._eye = LiveEye(self._model, self._observe)
            self._source = source

    def read(self, frame: AnyFrame) -> Sight:
        """A picture taken for itself: it may show another side of the table, so no place in it is remembered.

        What hangs on a cactus hangs there from whatever side it is seen: such pictures are read one after the other.
        """
        ours = _ours(frame)
        album, source = self._album if self._model.cactus is not None else (None, "")
        told = album.read(ours) if album is not None and source == ours.source else None
        if album is None or told is None or told.settled is None or _is_another_table(told.settled):
            album = LiveEye(self._model_for(ours.source), self._observe)
            told = album.read(ours)
        if told.settled is not None:
            self._album = (album, ours.source)
        sight = self._told(told)
        self._first = (album, ours)
        return sight if sight.reading is None else replace(sight, reading=replace(sight.reading, alone=True))

    def _model_for(self, source: str) -> SceneModel:
        if self._cameras is None or source == self._source:
            return self._model
        return with_profile(self._model, self._cameras.of(source))

    def second(self, frame: AnyFrame) -> Sight:
        """The picture that was read last, with what this one from another place settles of it."""
        if self._first is None:
            return Sight("looking", "unread")
        eye, first = self._first
        told = eye.second(_ours(frame))
        if told.settled is None:
            return Sight("looking", told.failure.reason if told.failure is not None else "unread")
        self._reading = _reading(replace(told, frame=first))
        return Sight("settled", "", self._reading)

    def _told(self, told: LiveLook) -> Sight:
        self._note(told)
        return Sight(str(told.word), _hint(told), _reading(told), _doubt(told) or _spare(self._seen))

    def _note(self, told: LiveLook) -> None:
        if told.observation is not None:
            self._seen, self._looked = told.observation, told.frame

    @property
    def looked_at(self) -> tuple[Frame, Observation] | None:
        """The picture that was looked at closely last, and what was seen in it."""
        seen, frame = self._seen, self._looked
        return None if seen is None or frame is None else (frame, seen)

    def open(self, data: bytes) -> Frame:
        """Decode a photo."""
        rgb = _shrunk(load_bytes(data, "the photo"), PHOTO_SIDE)
        return Frame(rgb, 0.0, 0, "photo")

    def encode(self, frame: AnyFrame) -> bytes:
        """A JPEG for the live view."""
        return jpeg(_ours(frame).rgb, LIVE_WIDTH, 80)

    def evidence(self, frame: AnyFrame) -> bytes:
        """A JPEG to be stored."""
        return jpeg(_ours(frame).rgb, EVIDENCE_SIDE, 90)

    def reset(self) -> None:
        """Forget what the picture was like."""
        self._eye.reset()
        self._reading = None

    @property
    def model(self) -> SceneModel:
        """What it knows before it looks."""
        return self._model

    def take_up(self, look: object) -> None:
        """Another deck is played with; camera and playing area stay as they are."""
        knows = cast(SceneModel, look)
        self._model = replace(self._model, deck=knows.deck, cactus=knows.cactus)
        self._lasting = _is_lasting(knows)
        self._eye = LiveEye(self._model, self._observe)
        self._first = self._reading = self._seen = self._looked = None
        self._album = (None, "")

    def agree(self, area: tuple[Point, ...]) -> None:
        """The playing area of the pictures to come; empty: what the command line said."""
        self._album = (None, "")  # a match came, or the area of its table changed
        agreed = np.array(area, np.float64) if area else self._given
        before = self._model.area_px
        if agreed is before or (agreed is not None and before is not None and np.array_equal(agreed, before)):
            return
        self._model = replace(self._model, area_px=agreed)
        self._eye = LiveEye(self._model, self._observe)
        self._reading = None

    def size(self, frame: AnyFrame) -> tuple[int, int]:
        """Width and height of a picture."""
        height, width = _ours(frame).rgb.shape[:2]
        return width, height

    def camera(self, frame: AnyFrame) -> str:
        """The lasting name of the camera that gave a picture."""
        source = _ours(frame).source
        if source not in self._named:
            self._named[source] = identity(source) or source
        return self._named[source]

    def propose_area(self, frame: AnyFrame) -> tuple[Point, ...]:
        """The border round the pieces that were seen last, where the picture shows one."""
        seen = self._seen
        if seen is None or seen.stage is not None:
            return ()
        from vision.area import propose_area  # here, because it loads what nothing else needs

        pieces = [d.quad_px for d in seen.detections]
        board = seen.board.quad_px if seen.board is not None else None
        found = propose_area(_ours(frame).rgb, seen.plane, pieces, board)
        return () if found is None else _points(found)


def _is_lasting(model: SceneModel) -> bool:
    return model.cactus is not None or (model.deck is not None and model.deck.board is not None)


def _is_another_table(settled: Settled) -> bool:
    """Whether most of what is remembered was not seen in this photo: it is of another table, or of another day."""
    hung = [p for p in settled.table.placements if p.pose.plane != "table"]
    return len(hung) > UNSEEN_MOST and sum(p.key not in settled.seen for p in hung) > len(hung) / 2


def _hint(told: LiveLook) -> str:
    return str(told.trouble or told.disturbance or ("unread" if told.failure is not None else ""))


def _doubt(told: LiveLook) -> str:
    return str(told.standing) if told.standing in CONTRADICTIONS else ""


def _spare(seen: Observation | None) -> str:
    return "two-sets" if seen is not None and seen.stage is not None and seen.stage.spare else ""


def _reading(told: LiveLook) -> Reading | None:
    settled = told.settled
    if settled is None:
        return None
    height, width = told.frame.rgb.shape[:2]
    loops = {key: _points(q) for key, q in settled.quads_px.items()}
    quads = {key: cast(Quad, q if len(q) == 4 else _box(q)) for key, q in loops.items()}
    unseen = frozenset(quads) - settled.seen - {BOARD}
    area = () if settled.area_px is None else _points(settled.area_px)
    return Reading(
        settled.table,
        quads,
        (width, height),
        told.frame,
        told.final,
        unseen,
        area,
        _projection(settled),
        outlines={key: q for key, q in loops.items() if len(q) != 4},
    )


def _box(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The four corners of what is round an outline."""
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _points(points: NDArray[np.float64]) -> tuple[Point, ...]:
    return tuple((float(x), float(y)) for x, y in points)


def _projection(settled: Settled) -> Callable[[Sequence[Point]], list[Point]] | None:
    """The map from the table's mm to the picture, from the pieces that are known in both."""
    table = settled.table
    pieces = [p for p in (*table.placements, *([table.board] if table.board else [])) if p.key in settled.quads_px]
    if not pieces or table.cacti:
        return None  # what hangs shares no plane with the table
    plane = np.concatenate([np.array(p.corners()) for p in pieces])
    pixels = np.concatenate([settled.quads_px[p.key] for p in pieces])
    matrix, _ = cv2.findHomography(plane, pixels, 0)
    if matrix is None or not np.isfinite(matrix).all():
        return None

    def project(points: Sequence[Point]) -> list[Point]:
        there = cv2.perspectiveTransform(np.array([points], np.float64), matrix)[0]
        return [(float(x), float(y)) for x, y in there]

    return project


def _ours(frame: AnyFrame) -> Frame:
    return cast(Frame, frame)


def _shrunk(rgb: Rgb, side: int) -> Rgb:
    height, width = rgb.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return rgb
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return cast(Rgb, cv2.resize(rgb, size, interpolation=cv2.INTER_AREA))


def jpeg(rgb: Rgb, side: int, quality: int) -> bytes:
    """A picture, scaled down to that longer side where it is larger."""
    small = _shrunk(rgb, side)
    ok, data = cv2.imencode(".jpg", cv2.cvtColor(small, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise RuntimeError("a picture could not be encoded")
    return np.asarray(data).tobytes()
