"""A table of CONEX without a camera: cards laid where the coach says, or where they must not lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

import calibration
from scoring.deck import ConexDeck
from scoring.games.conex_coach import Suggestion, legal_places
from scoring.games.conex_place import judge_placement
from scoring.geometry import signed_gap_mm
from scoring.table import BOARD, Placement, Point, Pose, TableState, Token, TokenKind
from scoring.verdicts import Call
from tests.webui.at_table import TurnTable, at_table
from tests.webui.fakes import FakeEye, FakeFrame
from vision.sources.photos import load_photo
from webui.conex.snapshot import LaidView, MatchConex, TurnConex
from webui.log.store import Store
from webui.sight.decks.art import DeckArt
from webui.sight.decks.folders import read_deck
from webui.table.picture import Frame
from webui.table.seeing import Reading, Sight

DECK = Path(calibration.__path__[0]) / "decks" / "conex-proxy"
VIEW_MM = (860.0, 484.0)
SCALE = 1.5
AREA = ((-400.0, -215.0), (400.0, -215.0), (400.0, 215.0), (-400.0, 215.0))
MOVED_MAX_MM = 22
BOARD_AT = Pose(-20.0, 6.0, 0.12)


@cache
def load_conex() -> ConexDeck:
    """The rules' half of the bundled deck."""
    deck = read_deck(DECK)
    assert isinstance(deck, ConexDeck)
    return deck


def to_px(point: Point) -> Point:
    """A point of the table in the picture, which looks straight down."""
    return ((point[0] + VIEW_MM[0] / 2) * SCALE, (point[1] + VIEW_MM[1] / 2) * SCALE)


def project(points: Sequence[Point]) -> list[Point]:
    return [to_px(p) for p in points]


@dataclass(frozen=True, eq=False)
class ConexFrame(FakeFrame):
    """A picture of a table that knows what lies on it, the board too."""

    @property
    def quads(self) -> dict[str, Any]:
        pieces = [*self.table.placements, *([self.table.board] if self.table.board is not None else [])]
        return {p.key: tuple(to_px(c) for c in p.corners()) for p in pieces}


@dataclass(eq=False)
class ConexEye(FakeEye):
    """An eye that reads what a `ConexFrame` says."""

    def read(self, frame: Frame) -> Sight:
        self._reading = replace(self._read(frame), alone=True)
        return Sight("settled", "", self._reading)

    def _read(self, fake: Any) -> Reading:
        size = (round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE))
        area = tuple(to_px(p) for p in fake.table.area)
        return Reading(fake.table, fake.quads, size, fake, fake.final, fake.unseen, area, project)

    def size(self, frame: Frame) -> tuple[int, int]:
        return (round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE))


@cache
def _places(table: TableState, face: str) -> tuple[Suggestion, ...]:
    return legal_places(table, face, load_conex())


@cache
def _spoiled(table: TableState, call: Call, rules: frozenset[str]) -> tuple[str, Pose, str | None]:
    """A card, its pose and its ground, of which the rules say that: a legal place, spoiled step by step.

    What is uncertain is uncertain for these rules alone; what is broken may break others as well.
    """
    deck = load_conex()
    lying = {p.face for p in table.placements}
    pieces = [*table.placements, *([table.board] if table.board is not None else [])]

    def within_reach(face: str, s: Suggestion) -> bool:
        """Whether anything but its ground lies so near that a card that is moved can come to it."""
        here = Placement("900", face, s.pose, deck.card_mm).corners()
        others = [p for p in pieces if p.key != (s.ground.key or BOARD)]
        return any(signed_gap_mm(here, p.corners()) < MOVED_MAX_MM for p in others)

    def said(face: str, pose: Pose, on: str | None) -> tuple[Call, set[str]]:
        trial = Layout(deck, table, 900)
        ruling, verdicts = judge_placement(trial.table_with(face, pose, on), "900", deck)
        return ruling.call, {v.rule for v in verdicts if v.call is call}

    for face, known in deck.faces.items():
        if known.symbol is not None or face in lying:
            continue
        for s in [s for s in _places(table, face)[:4] if within_reach(face, s)]:
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):

                def at(way: float, s: Suggestion = s, dx: int = dx, dy: int = dy) -> Pose:
                    return Pose(s.pose.x_mm + dx * way, s.pose.y_mm + dy * way, s.pose.angle_rad)

                wrong = next(
                    (w for w in range(3, MOVED_MAX_MM, 3) if said(face, at(w), s.ground.key)[0] is Call.VIOLATION), None
                )
                if wrong is None:
                    continue
                for way in [wrong - n * 0.5 for n in range(7)]:
                    whole, found = said(face, at(way), s.ground.key)
                    if whole is call and (found == rules if call is Call.UNCERTAIN else rules <= found):
                        return face, at(way), s.ground.key
    raise AssertionError(f"no card can be laid so that {set(rules)} say {call}")


@dataclass
class Layout:
    """A table that grows card by card."""

    deck: ConexDeck = field(default_factory=load_conex)
    table: TableState = field(default_factory=lambda: empty())
    _next: int = 1

    def frame(self, **more: Any) -> ConexFrame:
        """The table as it is now."""
        return ConexFrame(self.table, **more)

    def places(self, face: str) -> tuple[Suggestion, ...]:
        """Where that card could be laid legally."""
        return _places(self.table, face)

    def lay(self, face: str, place: int = 0, nudge: Point = (0.0, 0.0)) -> Placement:
        """Lay a card legally (or moved away from there by `nudge`)."""
        s = self.places(face)[place]
        return self.put(face, Pose(s.pose.x_mm + nudge[0], s.pose.y_mm + nudge[1], s.pose.angle_rad), s.ground.key)

    def put(self, face: str, pose: Pose, on: str | None = None) -> Placement:
        """Lay a card anywhere."""
        piece = Placement(str(self._next), face, pose, self.deck.card_mm, 0.2, 0.99)
        self._next += 1
        covers = (*self.table.covers, *(((piece.key, on),) if on is not None else ()))
        self.table = replace(self.table, placements=(*self.table.placements, piece), covers=covers)
        return piece

    def table_with(self, face: str, pose: Pose, on: str | None) -> TableState:
        """The table with one more card."""
        self.put(face, pose, on)
        return self.table

    def take(self, key: str) -> None:
        """Take a card off."""
        self.table = replace(
            self.table,
            placements=tuple(p for p in self.table.placements if p.key != key),
            covers=tuple(c for c in self.table.covers if key not in c),
            tokens=tuple(t for t in self.table.tokens if t.on != key),
        )

    def star(self, kind: str, on: str | None) -> None:
        """Lay a star onto a card, or beside the table."""
        piece = self.table.placement(on) if on is not None else None
        at = (piece.pose.x_mm, piece.pose.y_mm) if piece is not None else (360.0, 180.0)
        others = tuple(t for t in self.table.tokens if t.name != kind)
        self.table = replace(self.table, tokens=(*others, Token(TokenKind.STAR, kind, at, on)))

    def pawn(self, color: str, square: int) -> None:
        """Set a pawn on a square of the track."""
        others = tuple(t for t in self.table.tokens if t.name != color)
        self.table = replace(self.table, tokens=(*others, pawn(self.deck, color, square)))


def pawn(deck: ConexDeck, color: str, square: int) -> Token:
    """A pawn on a square of the track."""
    x, y = deck.board.track[square]
    half = deck.board.size_mm / 2
    corner = Placement(BOARD, BOARD, BOARD_AT, (2 * (x - half), 2 * (y - half))).corners()[2]
    n = list(deck.pawns).index(color)
    return Token(TokenKind.PAWN, color, (corner[0] + 3 * (n % 2), corner[1] + 3 * (n // 2)), BOARD, square)


def empty(area: tuple[Point, ...] = AREA) -> TableState:
    """The board with all pawns on its start."""
    deck = load_conex()
    w, h = VIEW_MM[0] / 2, VIEW_MM[1] / 2
    board = Placement(BOARD, BOARD, BOARD_AT, (deck.board.size_mm, deck.board.size_mm), 0.2)
    pawns = tuple(pawn(deck, color, 0) for color in deck.pawns)
    return TableState((), ((-w, -h), (w, -h), (w, h), (-w, h)), board=board, tokens=pawns, area=area)


def draw_conex(table: TableState) -> NDArray[np.uint8]:
    """A picture of the table: flat art on cloth, good enough for people to look at."""
    w, h = round(VIEW_MM[0] * SCALE), round(VIEW_MM[1] * SCALE)
    rng = np.random.default_rng(5)
    cloth = (
        np.array([62, 74, 84], np.float32) + cv2.blur(rng.normal(0, 14, (h, w)).astype(np.float32), (3, 3))[..., None]
    )
    light = np.linspace(1.15, 0.85, w, dtype=np.float32)[None, :, None]
    picture = np.clip(cloth * light, 0, 255).astype(np.uint8)
    deck = load_conex()
    pieces = [*([table.board] if table.board is not None else []), *table.placements]
    for p in pieces:
        image = deck.board.image if p.key == BOARD else deck.faces[p.face or ""].image
        picture = _paste(picture, load_photo(DECK / image), [to_px(c) for c in p.corners()])
    for t in table.tokens:
        x, y = to_px(t.at)
        if t.kind is TokenKind.PAWN:
            rgb = tuple(int(deck.pawns[t.name][i : i + 2], 16) for i in (1, 3, 5))
            cv2.circle(picture, (round(x), round(y)), 8, (20, 20, 20), -1, cv2.LINE_AA)
            cv2.circle(picture, (round(x), round(y)), 7, rgb, -1, cv2.LINE_AA)
        else:
            half = deck.stars[t.name].size_mm / 2 * SCALE
            corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
            picture = _paste(picture, load_photo(DECK / deck.stars[t.name].image), corners)
    return picture


def _paste(picture: NDArray[np.uint8], art: NDArray[np.uint8], corners: Sequence[Point]) -> NDArray[np.uint8]:
    h, w = picture.shape[:2]
    ah, aw = art.shape[:2]
    source = np.array([[0, 0], [aw, 0], [aw, ah], [0, ah]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, np.array(corners, np.float32))
    mask = cv2.warpPerspective(np.full((ah, aw), 255, np.uint8), matrix, (w, h))
    shade = cv2.blur(mask, (15, 15))
    picture = (picture * (1 - 0.0013 * np.roll(shade, (4, 3), (0, 1))[..., None])).astype(np.uint8)
    warped = cv2.warpPerspective(art, matrix, (w, h), flags=cv2.INTER_AREA)
    return np.where(mask[..., None] > 127, warped, picture)


@dataclass
class ConexTable(TurnTable):
    """Everything at one table of CONEX, with a browser's view of its page."""

    eye: ConexEye
    layout: Layout = field(default_factory=Layout)

    @property
    def match(self) -> MatchConex:
        match = self.snapshot.match
        assert isinstance(match, MatchConex)
        return match

    @property
    def turn(self) -> TurnConex:
        assert self.match.turn is not None
        return self.match.turn

    @property
    def laid(self) -> LaidView:
        assert self.turn.laid is not None
        return self.turn.laid

    def see(self, **more: Any) -> None:
        """Look at the table as it lies."""
        self.look(self.layout.frame(**more))

    def form(self, **fields: str) -> dict[str, str]:
        """The form of a new match of Nele, Max and Felix."""
        return {
            "player-south": "Nele",
            "player-west": "Max",
            "player-north": "Felix",
            "pawn-south": "white",
            "pawn-west": "black",
            "pawn-north": "green",
            "pawn-east": "",
            "accept": "next",
            "exact": "off",
            "contact": "one",
            "hand": "5",
            "goal": "0",
            "start": "",
            "token": self.token(),
            **fields,
        }

    def begin(self, **fields: str) -> MatchConex:
        """A new match, with its table seen."""
        self.sit_down(self.form(**fields))
        self.see()
        self.take()
        return self.match

    def lay(self, face: str, place: int = 0, nudge: Point = (0.0, 0.0)) -> str:
        """Lay a card where the coach says (or beside it) and look; returns its key."""
        key = self.layout.lay(face, place, nudge).key
        self.see()
        return key

    def play(self, face: str, place: int = 0) -> str:
        """Lay a card and agree."""
        key = self.lay(face, place)
        self.done("confirm")
        return key

    def free_faces(self, symbol: str | None = None) -> Iterator[str]:
        """Faces with that symbol that do not lie yet and have a place."""
        lying = {p.face for p in self.layout.table.placements}
        for face, known in self.layout.deck.faces.items():
            if known.symbol == symbol and face not in lying and self.layout.places(face):
                yield face

    def free_face(self, symbol: str | None = None) -> str:
        """The first of them."""
        return next(self.free_faces(symbol))

    def find(self, call: Call, *rules: str) -> str:
        """Lay a card so that the rules say just that of it; returns its key."""
        face, pose, ground = _spoiled(self.layout.table, call, frozenset(rules))
        key = self.layout.put(face, pose, ground).key
        self.see()
        return key


def conex_table(store: Store, layout: Layout | None = None) -> ConexTable:
    """A table whose runner runs when it is told to."""
    deck = load_conex()
    eye = ConexEye()
    return ConexTable(*at_table(store, eye, deck, DeckArt(DECK, deck)), layout or Layout())
