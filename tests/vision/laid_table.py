"""Tables of a board with cards on and around it, as a camera in one place would show them, for tests of the memory.

The truth is made here, apart from the code under test: where things lie in mm, which lies on which, what can be seen.
`Table.observation` is what a good eye would tell of one look; `Table.picture` is the look itself, in flat colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from shapely.geometry import Polygon
from shapely.ops import unary_union

from scoring.table import BOARD, Candidate, Placement, TableState, Token, TokenKind
from tests.render.scene import View, look_at
from vision.camera import CameraModel
from vision.plane import Plane
from vision.scene import Observation
from vision.types import Detection, Reading, Rgb

SIZE_PX = (960, 540)
CARD_MM = (60.0, 90.0)
BOARD_MM = (110.0, 110.0)
VIEW = look_at(SIZE_PX, 62, 620, 18, 30, 4, (0, 0))
AREA_MM = ((-300.0, -150.0), (300.0, -150.0), (300.0, 150.0), (-300.0, 150.0))
NAMES = tuple(f"C{n:02d}" for n in range(1, 31))
GROUNDS = ((225, 185, 20), (205, 45, 50), (30, 160, 155), (105, 60, 135))


@dataclass(frozen=True, slots=True)
class Card:
    """A card, its centre in mm and the direction of its face in degrees."""

    face: str
    x: float
    y: float
    deg: float = 0.0

    def moved(self, dx: float, dy: float, turn_deg: float = 0.0) -> Card:
        return replace(self, x=self.x + dx, y=self.y + dy, deg=self.deg + turn_deg)

    @property
    def corners(self) -> np.ndarray:
        """(4, 2) mm."""
        return _corners(self.x, self.y, self.deg, CARD_MM)


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that is no card and lies on top of all: an arm, a mug. Outline in mm, colour, height of no interest."""

    outline: tuple[tuple[float, float], ...]
    colour: tuple[int, int, int] = (205, 160, 135)


ARM = Thing(((60.0, 40.0), (150.0, 40.0), (190.0, 400.0), (90.0, 400.0)))


def mug(x: float, y: float, radius: float = 42.0) -> Thing:
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    return Thing(tuple((float(x + radius * np.cos(a)), float(y + radius * np.sin(a))) for a in turn), (240, 240, 235))


@dataclass(frozen=True, slots=True)
class Table:
    """Cards from the bottom to the top, a board below them all, tokens on top.

    `drift_px` is how far the camera's picture is off from the first one.
    """

    cards: tuple[Card, ...]
    board: tuple[float, float, float] | None = (0.0, 0.0, 8.0)
    tokens: tuple[Token, ...] = ()
    things: tuple[Thing, ...] = ()
    drift_px: tuple[float, float] = (0.0, 0.0)
    view: View = VIEW

    def with_(self, *cards: Card) -> Table:
        """The same table with cards laid on top, or lying elsewhere on top."""
        new = {c.face for c in cards}
        return replace(self, cards=(*(c for c in self.cards if c.face not in new), *cards))

    def pushed(self, **moved: tuple[float, float]) -> Table:
        """The same table with cards shifted where they lie, by face."""
        return replace(self, cards=tuple(c.moved(*moved[c.face]) if c.face in moved else c for c in self.cards))

    def without(self, *faces: str) -> Table:
        return replace(self, cards=tuple(c for c in self.cards if c.face not in faces))

    def px(self, points_mm: np.ndarray) -> np.ndarray:
        return self.view.project(np.asarray(points_mm, float)) + self.drift_px

    @property
    def covers(self) -> set[tuple[str, str]]:
        """Pairs (upper face, lower face) of cards that overlap by more than a hair."""
        shapes = [Polygon(c.corners).buffer(-0.75) for c in self.cards]
        return {
            (self.cards[b].face, self.cards[a].face)
            for a in range(len(shapes))
            for b in range(a + 1, len(shapes))
            if shapes[a].intersects(shapes[b])
        }

    def visible(self, n: int) -> float:
        """Share of the n-th card that the picture shows."""
        shape = Polygon(self.cards[n].corners)
        above = [Polygon(c.corners) for c in self.cards[n + 1 :]] + [Polygon(t.outline) for t in self.things]
        hidden = shape.intersection(unary_union(above)).area if above else 0.0
        return float(1 - hidden / shape.area)

    def observation(
        self,
        seed: int = 0,
        *,
        missed: Sequence[str] = (),
        read: Mapping[str, Mapping[str | None, float]] | None = None,
        shown: bool = True,
        noise_px: float = 0.15,
        least: float = 0.4,
        at_s: float = 0.0,
        sees_board: bool = True,
    ) -> Observation:
        """What an eye tells of one look: noisy corners, a plane with an origin and a scale of its own.

        Parameters
        ----------
        seed
            Noise, the plane's whims and the order of the detections.
        missed
            Faces of cards that are not found; so are those of which less than `least` is seen.
        read
            Readings by face in place of the right ones; for a face None nothing of the deck.
        shown
            Whether the eye says who lies on whom.
        """
        rng = np.random.default_rng(seed)
        plane = _whimsical(self, rng)
        order = [n for n, c in enumerate(self.cards) if c.face not in missed and self.visible(n) >= least]
        rng.shuffle(order)
        detections, placements = [], []
        for i, n in enumerate(order):
            card = self.cards[n]
            quad = self.px(card.corners) + rng.normal(0, noise_px, (4, 2))
            readings = dict((read or {}).get(card.face, {card.face: 0.99}))
            face = max(readings, key=lambda f: readings[f])
            told = tuple(Reading(f, p) for f, p in readings.items())
            pose, _ = plane.pose_of(quad, CARD_MM)
            sigma = noise_px / plane.px_per_mm((pose.x_mm, pose.y_mm))
            visible = float(np.clip(self.visible(n) + rng.normal(0, 0.004), 0, 1))
            detections.append(Detection(quad, face, readings[face], visible, noise_px, told))
            candidates = tuple(Candidate(f, p) for f, p in readings.items())
            placements.append(Placement(str(i), face, pose, CARD_MM, sigma, readings[face], candidates, visible))
        number = {self.cards[n].face: str(i) for i, n in enumerate(order)}
        covers = tuple((number[a], number[b]) for a, b in sorted(self.covers) if a in number and b in number)
        board, board_piece = None, None
        if self.board is not None and sees_board:
            quad = self.px(_corners(*self.board, BOARD_MM)) + rng.normal(0, noise_px, (4, 2))
            board = Detection(quad, None, 0.98, 0.9, noise_px)
            board_piece = Placement(BOARD, BOARD, plane.pose_of(quad, BOARD_MM)[0], BOARD_MM, 0.1, 0.98, (), 0.9)
        w, h = SIZE_PX
        corners = plane.unproject(np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]]))
        a, b, c, d = ((float(x), float(y)) for x, y in corners)
        places = tuple((float(x), float(y)) for x, y in (self.px(np.array([t.at]))[0] for t in self.tokens))
        tokens = tuple(
            replace(
                t,
                at=tuple(map(float, plane.unproject(np.array([place]))[0])),
                on=number.get(t.on, t.on) if t.on is not None else None,
            )
            for t, place in zip(self.tokens, places, strict=True)
            if t.on in (None, BOARD) or t.on in number
        )
        state = TableState(tuple(placements), (a, b, c, d), covers if shown else (), board_piece, tokens)
        return Observation(tuple(detections), state, at_s, (), board, places[: len(tokens)], plane)

    def picture(self, seed: int = 0, light: float = 1.0) -> Rgb:
        """The look itself."""
        canvas = _wood().copy()
        canvas = cv2.warpAffine(
            canvas,
            np.array([[1, 0, self.drift_px[0]], [0, 1, self.drift_px[1]]]),
            SIZE_PX,
            borderMode=cv2.BORDER_REFLECT,
        )
        if self.board is not None:
            _fill(canvas, self.px(_corners(*self.board, BOARD_MM)), (60, 70, 90))
        for card in self.cards:
            ground = GROUNDS[NAMES.index(card.face) % 4] if card.face in NAMES else (128, 128, 128)
            other = GROUNDS[(NAMES.index(card.face) + 1) % 4] if card.face in NAMES else (60, 60, 60)
            c = card.corners
            _fill(canvas, self.px(c), ground)
            for k in (0, 2):
                _fill(
                    canvas, self.px(np.stack([c[k], (2 * c[k] + c[k - 1]) / 3, (2 * c[k] + c[(k + 1) % 4]) / 3])), other
                )
        for token in self.tokens:
            x, y = self.px(np.array([token.at]))[0]
            cv2.circle(canvas, (round(float(x)), round(float(y))), 9, (20, 60, 30), -1, cv2.LINE_AA)
        for thing in self.things:
            _fill(canvas, self.px(np.array(thing.outline)), thing.colour)
        lit = cv2.addWeighted(canvas, light, np.roll(_noise(), 7919 * seed, axis=(0, 1)), 1.0, -8.0)
        return np.asarray(lit, np.uint8)


def pawn(name: str, at: tuple[float, float], square: int | None, confidence: float = 0.95) -> Token:
    return Token(TokenKind.PAWN, name, at, BOARD, square, confidence)


def star(name: str, at: tuple[float, float], on: str | None) -> Token:
    """A star; `on` is the face of the card below it."""
    return Token(TokenKind.STAR, name, at, on)


def _corners(x: float, y: float, deg: float, size: tuple[float, float]) -> np.ndarray:
    a = np.radians(deg)
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(size) / 2
    return local @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + [x, y]


def _whimsical(table: Table, rng: np.random.Generator) -> Plane:
    """The true plane with an origin, a direction and (a little) a scale of this look's own."""
    turn, scale = rng.normal(0, 0.1), 1 + rng.normal(0, 0.001)
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    own = np.array([[c, -s, rng.normal(0, 40)], [s, c, rng.normal(0, 40)], [0, 0, 1.0]])
    drift = np.array([[1, 0, table.drift_px[0]], [0, 1, table.drift_px[1]], [0, 0, 1.0]])
    lens = CameraModel(SIZE_PX, table.view.K, np.zeros(5))
    return Plane(lens, drift @ table.view.homography() @ own, 0.2)


@lru_cache(maxsize=1)
def _wood() -> Rgb:
    rng = np.random.default_rng(1)
    grain = cv2.resize(rng.normal(0, 9, (60, 30)), SIZE_PX, interpolation=cv2.INTER_CUBIC)
    return np.clip(np.array([150, 112, 78]) + grain[..., None], 0, 255).astype(np.uint8)


@lru_cache(maxsize=1)
def _noise() -> Rgb:
    """Grain of a sensor, about a mean of 8."""
    rng = np.random.default_rng(2)
    return np.clip(rng.normal(8, 2, (SIZE_PX[1], SIZE_PX[0], 3)), 0, 255).astype(np.uint8)


def _fill(canvas: np.ndarray, outline_px: np.ndarray, colour: tuple[int, int, int]) -> None:
    cv2.fillPoly(canvas, [np.round(outline_px * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
