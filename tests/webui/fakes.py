"""A table without a camera: pictures laid out of a deck's own faces, and an eye that knows what lies on them."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

import calibration
from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from scoring.table import Candidate, Placement, Pose, Side, TableState
from vision.sources.photos import load_photo
from webui.sight.decks.folders import read_deck
from webui.table.picture import Frame
from webui.table.seeing import Reading, Sight

DECK = Path(calibration.__path__[0]) / "decks" / "rox-proxy"
VIEW_MM = (1120.0, 630.0)
SCALE = 1.3
"""Pixels of a picture for a millimetre."""
CARD = (59.0, 92.0)
TURN = {"south": 0.0, "north": math.pi, "west": math.pi / 2, "east": -math.pi / 2}


def load_deck() -> RoxDeck:
    """The rules' half of the bundled deck."""
    return read_deck(DECK)


def chain(
    deck: RoxDeck, length: int, start: str, used: set[str] | None = None, wrong_at: int | None = None
) -> list[str]:
    """Faces of a row that is valid, or wrong first at index `wrong_at`; cards in `used` are left out and added."""
    used = set() if used is None else used
    row = [start]
    used.add(start)
    while len(row) < length:
        leader = deck.faces[row[-1]].leader
        fits = len(row) != wrong_at
        following = next(f for f in deck.faces.values() if f.id not in used and (f.center == leader) == fits)
        row.append(following.id)
        used.add(following.id)
    return row


@dataclass(frozen=True, eq=False)
class FakeFrame:
    """A picture of a table that knows what lies on it."""

    table: TableState
    at_s: float = 0.0
    moving: bool = False
    final: bool = True
    hint: str = ""
    unseen: frozenset[str] = frozenset()
    rgb: NDArray[np.uint8] | None = None

    @property
    def quads(self) -> dict[str, Any]:
        return {p.key: tuple((x * SCALE, y * SCALE) for x, y in p.corners()) for p in self.table.placements}


def lay(
    rows: Mapping[str, Sequence[str]], scoring: Sequence[str] = (), pool: Sequence[str] = (), gap_mm: float = 14.0
) -> TableState:
    """A table with rows along its sides, scoring cards and a heap in the middle."""
    w, h = VIEW_MM
    placed: list[Placement] = []

    def put(face: str, x: float, y: float, angle: float) -> None:
        placed.append(Placement(str(len(placed)), face, Pose(x, y, angle), CARD, confidence=0.99))

    for seat, faces in rows.items():
        step = CARD[0] + gap_mm
        for i, face in enumerate(faces):
            along = (i - (len(faces) - 1) / 2) * step
            lean = 0.03 * math.sin(3.0 * i + len(faces))
            at = {
                "south": (w / 2 + along, h - 60),
                "north": (w / 2 - along, 60),
                "west": (60, h / 2 + along * 0.98),
                "east": (w - 60, h / 2 - along * 0.98),
            }[seat]
            put(face, *at, TURN[seat] + lean)
    for i, face in enumerate(pool):
        put(face, w / 2 - 150 + 47 * math.sin(2.1 * i), h / 2 + 60 * math.sin(1.3 * i + 1), 1.7 * i)
    for i, face in enumerate(scoring):
        put(face, w / 2 + 60 + 70 * i, h / 2, 0.02 * i)
    return TableState(tuple(placed), ((0, 0), (w, 0), (w, h), (0, h)))


def doubtful(table: TableState, key: str, other: str, confidence: float = 0.55) -> TableState:
    """The table with one card that might as well be another."""
    return replace(
        table,
        placements=tuple(
            replace(
                p,
                confidence=confidence,
                candidates=(Candidate(p.face, confidence), Candidate(other, 0.95 - confidence)),
            )
            if p.key == key
            else p
            for p in table.placements
        ),
    )


def face_down(table: TableState, key: str) -> TableState:
    """The table with one card turned over."""
    return replace(
        table,
        placements=tuple(
            replace(p, face=None, side=Side.BACK, confidence=0.0) if p.key == key else p for p in table.placements
        ),
    )


_faces: dict[str, NDArray[np.uint8]] = {}


def draw(table: TableState) -> NDArray[np.uint8]:
    """A picture of the table: flat art on wood, good enough for people to look at."""
    w, h = round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE)
    rng = np.random.default_rng(7)
    grain = cv2.resize(rng.normal(0, 1, (h, 12)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    fine = cv2.blur(rng.normal(0, 1, (h, w)).astype(np.float32), (61, 1))
    wood = np.array([132, 96, 66], np.float32) + (grain * 6 + fine * 30)[..., None]
    light = np.linspace(1.12, 0.86, w, dtype=np.float32)[None, :, None]
    picture = np.clip(wood * light, 0, 255).astype(np.uint8)
    deck = load_deck()
    for p in table.placements:
        if p.face is None:
            continue
        if p.face not in _faces:
            file = deck.faces[p.face].image if p.face in deck.faces else deck.scoring_cards[p.face].image
            _faces[p.face] = cv2.resize(load_photo(DECK / file), (236, 368), interpolation=cv2.INTER_AREA)
        art = _faces[p.face]
        corners = np.array(p.corners(), np.float32) * SCALE
        source = np.array([[0, 0], [236, 0], [236, 368], [0, 368]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, corners)
        shade = cv2.blur(cv2.warpPerspective(np.full(art.shape[:2], 255, np.uint8), matrix, (w, h)), (21, 21))
        picture = (picture * (1 - 0.0012 * np.roll(shade, (4, 3), (0, 1))[..., None])).astype(np.uint8)
        mask = cv2.warpPerspective(np.full(art.shape[:2], 255, np.uint8), matrix, (w, h))
        warped = cv2.warpPerspective(art, matrix, (w, h), flags=cv2.INTER_AREA)
        picture = np.where(mask[..., None] > 127, warped, picture)
    return picture


_TINY = cv2.imencode(".jpg", np.full((36, 64, 3), 120, np.uint8))[1].tobytes()


@dataclass(eq=False)
class FakeEye:
    """An eye that reads what a `FakeFrame` says. `photo` is what the next uploaded photo shows."""

    photo: FakeFrame | None = None
    resets: int = 0
    looks: list[object] = field(default_factory=list)
    encoded: int = 0
    named: str = ""
    area: tuple[tuple[float, float], ...] = ()
    _reading: Reading | None = None
    _frames: list[FakeFrame] = field(default_factory=list)

    def look(self, frame: Frame) -> Sight:
        fake = cast(FakeFrame, frame)
        if fake.moving:
            self._reading = None
            return Sight("moving", fake.hint)
        if self._reading is None or self._reading.table is not fake.table:
            self._reading = self._read(fake)
        return Sight("settled", fake.hint, self._reading)

    def read(self, frame: Frame) -> Sight:
        fake = cast(FakeFrame, frame)
        if not fake.table.placements:
            return Sight("looking", "unread")
        self._reading = self._read(fake)
        return Sight("settled", "", self._reading)

    def second(self, frame: Frame) -> Sight:
        return self.read(frame)

    def open(self, data: bytes) -> Frame:
        if self.photo is None or not data.startswith(b"\xff\xd8"):
            raise RefereeError("the photo: not a picture; give a JPEG, PNG, HEIC, WebP or TIFF file")
        return self.photo

    def encode(self, frame: Frame) -> bytes:
        self.encoded += 1
        rgb = cast(FakeFrame, frame).rgb
        return _TINY if rgb is None else cv2.imencode(".jpg", rgb[..., ::-1])[1].tobytes()

    def evidence(self, frame: Frame) -> bytes:
        return self.encode(frame)

    def reset(self) -> None:
        self.resets += 1
        self._reading = None

    def take_up(self, look: object) -> None:
        self.looks.append(look)
        self._reading = None

    def agree(self, area: tuple[tuple[float, float], ...]) -> None:
        self.area = area

    def size(self, frame: Frame) -> tuple[int, int]:
        return (round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE))

    def camera(self, frame: Frame) -> str:
        return self.named

    def propose_area(self, frame: Frame) -> tuple[tuple[float, float], ...]:
        return ()

    def _read(self, fake: FakeFrame) -> Reading:
        size = (round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE))
        return Reading(fake.table, fake.quads, size, fake, fake.final, fake.unseen)


class FakeSource:
    """A source that shows one frame over and over, ten times a second, until it is told another."""

    def __init__(self, frame: FakeFrame | None = None) -> None:
        self.state = "connected"
        self.dropped = 0
        self._frame = frame
        self._at_s = 0.0
        self._pause = threading.Event()

    def show(self, frame: FakeFrame) -> None:
        self._frame = frame

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        self._pause.wait(0.1)
        if self.state != "connected" or self._frame is None:
            return None
        self._at_s += 0.1
        return replace(self._frame, at_s=self._at_s)

    def close(self) -> None:
        self.state = "ended"
        self._pause.set()
