"""A table of Cactus without a camera: pieces hung wherever a test wants them, and an eye that knows what hangs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.deck import CactusDeck, parse_deck
from scoring.table import Contact, ContactKind, Placement, Point, Pose, Side, TableState
from tests.decks.cactus_sets import look, make_set
from tests.webui.at_table import TurnTable, at_table
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource
from webui.cactus.snapshot import MatchCactus, TurnCactus
from webui.cactus.stand import hung_outline
from webui.log.store import Store
from webui.table.picture import Frame
from webui.table.seeing import Reading, Sight

SIZE = (1280, 720)
SCALE = 2.2
"""Pixels of the picture for a millimetre."""
STEP_PX = 235
FOOT_PX = 600


@cache
def load_cactus() -> CactusDeck:
    """A set that is drawn the same each time."""
    deck = parse_deck(make_set(look("tune-agave")), "tune-agave")
    assert isinstance(deck, CactusDeck)
    return deck


def to_px(point: Point, cactus: str) -> Point:
    """A point on the plane of a cactus in the picture, which looks at all of them straight from the front."""
    n = list(load_cactus().cacti).index(cactus)
    return (170 + STEP_PX * n + SCALE * point[0], FOOT_PX + SCALE * point[1])


@dataclass(frozen=True, eq=False)
class CactusFrame(FakeFrame):
    """A picture of cacti that knows what hangs on them."""

    @property
    def outlines(self) -> dict[str, tuple[Point, ...]]:
        deck = load_cactus()
        return {
            p.key: tuple(to_px(q, p.pose.plane) for q in hung_outline(deck.pieces[p.face or ""], p))
            for p in self.table.placements
            if p.face in deck.pieces and p.pose.plane in deck.cacti
        }

    @property
    def quads(self) -> dict[str, Any]:
        boxes = {
            k: (min(p[0] for p in o), min(p[1] for p in o), max(p[0] for p in o), max(p[1] for p in o))
            for k, o in self.outlines.items()
        }
        return {k: ((a, b), (c, b), (c, d), (a, d)) for k, (a, b, c, d) in boxes.items()}


@dataclass(eq=False)
class CactusEye(FakeEye):
    """An eye that reads what a `CactusFrame` says."""

    def read(self, frame: Frame) -> Sight:
        self._reading = self._read(frame)
        return Sight("settled", "", self._reading)

    def _read(self, fake: Any) -> Reading:
        return Reading(fake.table, fake.quads, SIZE, fake, fake.final, fake.unseen, outlines=fake.outlines)

    def size(self, frame: Frame) -> tuple[int, int]:
        return SIZE

    def evidence(self, frame: Frame) -> bytes:
        # Each picture has bytes of its own, as those of a camera have: what follows a JPEG's end is not looked at.
        return super().evidence(frame) + repr(cast(Any, frame).table).encode()


@dataclass
class Hanging:
    """Five cacti on which pieces are hung."""

    deck: CactusDeck = field(default_factory=load_cactus)
    table: TableState = field(default_factory=lambda: bare())

    def frame(self, **more: Any) -> CactusFrame:
        """The cacti as they are now."""
        return CactusFrame(self.table, **more)

    def hang(
        self, piece: str, cactus: str, at: Point | None = None, angle: float = 0.0, flipped: bool = False
    ) -> Placement:
        """Hang a piece; by default so that it touches nothing."""
        n = sum(p.pose.plane == cactus for p in self.table.placements)
        x, y = at or ((-24.0, 24.0, 0.0, -26.0, 26.0)[n % 5], (-62.0, -70.0, -104.0, -100.0, -34.0)[n % 5])
        side = Side.BACK if flipped else Side.FACE
        hung = Placement(piece, piece, Pose(x, y, angle, cactus), self.deck.size_mm(piece), 0.3, 0.99, side=side)
        self.table = replace(self.table, placements=(*(p for p in self.table.placements if p.key != piece), hung))
        return hung

    def drop(self, piece: str) -> None:
        """A piece falls onto the table."""
        old = self.table.placement(piece)
        down = replace(old, pose=Pose(old.pose.x_mm, 20.0, old.pose.angle_rad, "table"))
        self.take(piece)
        self.table = replace(self.table, placements=(*self.table.placements, down))

    def take(self, piece: str) -> None:
        """Take a piece away."""
        self.table = replace(
            self.table,
            placements=tuple(p for p in self.table.placements if p.key != piece),
            contacts=tuple(c for c in self.table.contacts if piece not in (c.a, c.b)),
        )

    def touch(
        self, kind: str, a: str, b: str | None = None, gap: float = 0.0, sigma: float = 0.2, touching: float = 1.0
    ) -> None:
        """Two pieces come near each other, or one comes near base or table."""
        first, second = sorted((a, b)) if b is not None else (a, None)
        contact = Contact(ContactKind(kind), first, second, gap, sigma, touching)
        others = tuple(c for c in self.table.contacts if (c.kind, c.a, c.b) != (contact.kind, first, second))
        self.table = replace(self.table, contacts=(*others, contact))

    def apart(self) -> None:
        """Nothing touches any more."""
        self.table = replace(self.table, contacts=())


def bare() -> TableState:
    """All five cacti with nothing on them."""
    return TableState((), ((-300, -260), (300, -260), (300, 60), (-300, 60)), cacti=tuple(load_cactus().cacti))


def draw_cacti(table: TableState) -> NDArray[np.uint8]:
    """A picture of the cacti, good enough for people to look at."""
    deck = load_cactus()
    w, h = SIZE
    ramp = np.linspace(1.06, 0.86, h, dtype=np.float32)[:, None, None]
    picture: NDArray[np.uint8] = np.clip(np.full((h, w, 3), (186, 178, 166), np.float32) * ramp, 0, 255).astype(
        np.uint8
    )
    picture[FOOT_PX - 60 :] = (150, 112, 74)

    def rgb(hexed: str) -> tuple[int, int, int]:
        red, green, blue = (int(hexed[i : i + 2], 16) for i in (1, 3, 5))
        return red, green, blue

    def fill(points: Sequence[Point], color: tuple[int, int, int]) -> None:
        shape = np.round(np.array(points)).astype(np.int32)
        cv2.fillPoly(picture, [shape + (3, 4)], (96, 84, 70), cv2.LINE_AA)
        cv2.fillPoly(picture, [shape], color, cv2.LINE_AA)

    for cactus in deck.cacti.values():
        half, low = deck.base.width_mm / 2, deck.base.height_mm
        fill([to_px(p, cactus.id) for p in ((-half, 0), (half, 0), (half, low), (-half, low))], (166, 124, 82))
        fill([to_px((x, -y), cactus.id) for x, y in cactus.outline], rgb(cactus.color))
    for key, outline in CactusFrame(table).outlines.items():
        fill(outline, rgb(deck.colors[deck.pieces[table.placement(key).face or ""].color]))
    return picture


class NoArt:
    """A set of Cactus has no pictures of cards."""

    def has(self, face: str) -> bool:
        return False

    def card(self, face: str) -> tuple[bytes, str] | None:
        return None


@dataclass
class CactusTable(TurnTable):
    """Everything at one table of Cactus, with a browser's view of its page."""

    eye: CactusEye
    cacti: Hanging = field(default_factory=Hanging)

    @property
    def match(self) -> MatchCactus:
        match = self.snapshot.match
        assert isinstance(match, MatchCactus)
        return match

    @property
    def turn(self) -> TurnCactus:
        assert self.match.turn is not None
        return self.match.turn

    def see(self, **more: Any) -> None:
        """Look at the cacti as they are."""
        self.look(self.cacti.frame(**more))

    def form(self, **fields: str) -> dict[str, str]:
        """The form of a new match of Nele, Max and Felix."""
        return {
            "player-1": "Nele",
            "player-2": "Max",
            "player-3": "Felix",
            "claims": "coach",
            "fallen": "discard",
            "specials": "color",
            "no_piece": "end",
            "impossible": "discard",
            "start": "",
            "token": self.token(),
            **fields,
        }

    def begin(self, **fields: str) -> MatchCactus:
        """A new match, with its cacti seen."""
        self.sit_down(self.form(**fields))
        self.see()
        self.take()
        return self.match

    def by_hand(self, **fields: str) -> MatchCactus:
        """A new match without any camera."""
        self.sit_down(self.form(**fields))
        self.done("begin_by_hand", cacti=",".join(self.cacti.deck.cacti))
        return self.match

    def due(self) -> str:
        """The cactus of this turn; the first where any will do."""
        job = self.match.job("hang")
        assert job is not None
        return job.cacti[0].id

    def may(self) -> list[str]:
        """Pieces that may be taken."""
        job = self.match.job("take")
        assert job is not None
        return [p.id for p in job.pieces]

    def hang(self, piece: str, cactus: str | None = None, **how: Any) -> None:
        """Hang a piece before the camera."""
        self.cacti.hang(piece, cactus or self.due(), **how)
        self.see()

    def play(self, piece: str | None = None, roll: str = "color") -> str:
        """Roll, hang a piece that may be taken where it belongs, and pass the die."""
        if self.match.phase == "rolling":
            self.done("cactus_roll", face=roll)
        piece = piece or self.may()[0]
        self.hang(piece)
        self.done("confirm")
        return piece


def cactus_table(store: Store, cacti: Hanging | None = None, source: FakeSource | None = None) -> CactusTable:
    """A table whose runner runs when it is told to."""
    deck = load_cactus()
    eye = CactusEye()
    return CactusTable(*at_table(store, eye, deck, NoArt(), source), cacti or Hanging())
