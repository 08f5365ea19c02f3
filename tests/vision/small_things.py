"""A small CONEX deck and tables with pawns and stars of it, drawn for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.table import Pose
from tests.render.scene import Sensor, Table, View, look_at
from vision.camera import CameraModel
from vision.plane import Plane
from vision.tokens.flat_card import CardInView
from vision.tokens.token_looks import TokenLooks, load_token_looks
from vision.tokens.tokens import TokenReading, read_tokens

Array = NDArray[np.float64]
CARD_MM = (58.0, 90.0)
BOARD_MM = 110.0
SPACING_MM = 11.0
PAWNS = {"black": "#202022", "red": "#c03028", "green": "#2c8a40", "blue": "#2b58b0", "white": "#f0ede4"}
FACES = {"plain": ("#f0c010", False), "sign": ("#6a3a8c", True), "red": ("#d0262f", False)}
_PER_MM = 8
_TURN = np.linspace(0, 2 * np.pi, 32, endpoint=False)


def _rgb(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _save(path: Path, picture: NDArray[np.uint8]) -> None:
    order = [2, 1, 0, 3][: picture.shape[2]]
    path.write_bytes(cv2.imencode(".png", np.ascontiguousarray(picture[..., order]))[1].tobytes())


def track() -> list[list[float]]:
    """Centres of 24 squares in rows that run to and fro."""
    rows = [[[32.5 + SPACING_MM * x, 39.0 + SPACING_MM * y] for x in range(6)] for y in range(4)]
    return [p for i, row in enumerate(rows) for p in (row if i % 2 == 0 else row[::-1])]


def _board() -> NDArray[np.uint8]:
    side = round(BOARD_MM * _PER_MM)
    out = np.full((side, side, 3), _rgb("#e9e3d4"), np.uint8)
    corner = round(28 * _PER_MM)
    for (x, y), colour in zip(
        ((0, 0), (1, 0), (0, 1), (1, 1)), ("#f0c010", "#d0262f", "#1fa9a6", "#6a3a8c"), strict=True
    ):
        out[y * (side - corner) : y * (side - corner) + corner, x * (side - corner) : x * (side - corner) + corner] = (
            _rgb(colour)
        )
    for i, centre in enumerate(track()):
        c = np.array(centre) * _PER_MM
        half = SPACING_MM * _PER_MM / 2
        a, b = (c - half).astype(int).tolist(), (c + half).astype(int).tolist()
        cv2.rectangle(out, a, b, _rgb("#d8cdb8") if i % 2 else _rgb("#f6f2e8"), -1)
        cv2.rectangle(out, a, b, (60, 58, 56), 3)
        at = (int(c[0] - 24), int(c[1] + 16))
        cv2.putText(out, str(i), at, cv2.FONT_HERSHEY_SIMPLEX, 1.3, (60, 58, 56), 4, cv2.LINE_AA)
    return out


def _star(text: str) -> NDArray[np.uint8]:
    n = 240
    turn = np.arange(16) * np.pi / 8
    reach = np.where(np.arange(16) % 2, 78.0, 116.0)
    points = (np.c_[np.sin(turn), -np.cos(turn)] * reach[:, None] + n / 2).astype(np.int32)
    out = np.zeros((n, n, 4), np.uint8)
    cv2.fillPoly(out, [points], (188, 190, 196, 255), cv2.LINE_AA)
    cv2.polylines(out, [points], True, (120, 122, 128, 255), 9, cv2.LINE_AA)
    if text == "bolt":
        bolt = np.array([[140, 50], [85, 130], [118, 130], [95, 195], [160, 108], [124, 108]])
        cv2.fillPoly(out, [bolt], (30, 30, 34, 255), cv2.LINE_AA)
    else:
        cv2.putText(out, text, (62, 148), cv2.FONT_HERSHEY_SIMPLEX, 2.4, (30, 30, 34, 255), 15, cv2.LINE_AA)
    return out


def _face(ground: str, sign: bool) -> NDArray[np.uint8]:
    w, h = (round(v * _PER_MM) for v in CARD_MM)
    out = np.full((h, w, 3), _rgb(ground), np.uint8)
    corner = np.array([[0, 0], [170, 0], [0, 200]])
    cv2.fillPoly(out, [corner], _rgb("#1fa9a6"), cv2.LINE_AA)
    cv2.polylines(out, [corner], True, (250, 250, 250), 8, cv2.LINE_AA)
    if sign:  # silver, and about as large as a star
        cv2.circle(out, (w // 2, h // 2), 84, (184, 186, 192), -1, cv2.LINE_AA)
        cv2.putText(out, "+2", (w // 2 - 60, h // 2 + 24), cv2.FONT_HERSHEY_SIMPLEX, 2.4, (90, 92, 96), 12, cv2.LINE_AA)
    return out


def write_deck(folder: Path) -> Path:
    """The deck's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder / "board.png", _board())
    for kind, text in (("2x", "2x"), ("lightning", "bolt")):
        _save(folder / f"{kind}.png", _star(text))
    for name, (ground, sign) in FACES.items():
        _save(folder / f"{name}.png", _face(ground, sign))
    data = {
        "format": 1,
        "game": "conex",
        "name": "small things",
        "card_mm": list(CARD_MM),
        "corner_radius_mm": 3,
        "pawns": PAWNS,
        "faces": [{"id": name, "image": f"{name}.png"} for name in FACES],
        "board": {"image": "board.png", "size_mm": BOARD_MM, "track": track(), "goal": 23},
        "stars": {kind: {"image": f"{kind}.png", "size_mm": 23} for kind in ("2x", "lightning")},
    }
    (folder / "deck.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


@dataclass(frozen=True, slots=True)
class PawnAt:
    """A pawn: name, base in mm on the board's face, height (0 for a flat disc)."""

    name: str
    x_mm: float
    y_mm: float
    height_mm: float = 16.0


@dataclass(frozen=True, slots=True)
class StarAt:
    """A star: kind and pose on the table."""

    kind: str
    pose: tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A photograph, and what the eye would know of it."""

    rgb: NDArray[np.uint8]
    plane: Plane
    board_to_px: Array
    cards: tuple[CardInView, ...]
    looks: TokenLooks

    def read(self) -> tuple[TokenReading, ...]:
        """The tokens as read."""
        return read_tokens(self.rgb, self.board_to_px, self.plane, self.cards, self.looks)


@dataclass(frozen=True, eq=False)
class Studio:
    """Draws tables of one deck folder."""

    folder: Path
    looks: TokenLooks

    @classmethod
    def of(cls, folder: Path) -> Studio:
        """Load the folder."""
        looks = load_token_looks(folder)
        assert looks is not None
        return cls(folder, looks)

    def photograph(
        self,
        pawns: Sequence[PawnAt] = (),
        stars: Sequence[StarAt] = (),
        cards: Mapping[str, tuple[float, float, float]] | None = None,
        *,
        tilt_deg: float = 15.0,
        around_deg: float = 20.0,
        board: tuple[float, float, float] = (0.0, 0.0, 0.3),
        sensor: Sensor | None = None,
        surface: tuple[float, float, float] = (0.42, 0.3, 0.2),
        shadow: float = 0.3,
        glare_mm: tuple[float, float] | None = None,
        mug_shadow_mm: tuple[float, float] | None = None,
        seed: int = 0,
    ) -> Picture:
        """A photograph; cards by face id, their poses in mm and radians."""
        rng = np.random.default_rng(seed)
        view = look_at((960, 600), 50, 620, tilt_deg=tilt_deg, around_deg=around_deg, k1=-0.05)
        h, w = view.size_px[1], view.size_px[0]
        grain = cv2.GaussianBlur(rng.standard_normal((h, w)).astype(np.float32), (0, 0), 2)[..., None]
        table = Table.start(rng, view, (np.array(surface, np.float32) * (1 + 0.2 * grain)).astype(np.float32), scale=2)
        table.lay("board", self._picture("board"), (BOARD_MM, BOARD_MM), board, 3.0, 0.0, (1, 1, shadow))
        boxes = {}
        for face, pose in (cards or {}).items():
            n = table.lay(face, self._picture(face), CARD_MM, pose, 3.0, 0.0, (1, 1, shadow))
            boxes[face] = table.cards[n].quad_px
        for star in stars:
            table.lay(star.kind, self._picture(star.kind), (23.0, 23.0), star.pose, 0.05, 0.0, (1, 1, 0), cut_out=True)
        for pawn in pawns:
            _draw_pawn(table, view, board, pawn, shadow)
        if mug_shadow_mm is not None:
            ring = np.array(mug_shadow_mm) + 45 * np.c_[np.cos(_TURN), np.sin(_TURN)]
            table.shadow(table.to_canvas(view.ideal(ring)), (0, 0), 12.0, 0.45)
        if glare_mm is not None:
            _shine(table, view, glare_mm)
        rgb, _ = table.finish(rng, sensor or Sensor(noise=3, blur=0.7, jpeg=85))
        dist = np.array([view.k1, view.k2, 0, 0, 0])
        plane = Plane(CameraModel(view.size_px, view.K, dist), view.homography(), 0.0)
        side = BOARD_MM
        corners = np.array([[0, 0], [side, 0], [side, side], [0, side]])
        placed = plane.quad_of(Pose(board[0], board[1], board[2]), (side, side))
        to_px = cv2.getPerspectiveTransform(corners.astype(np.float32), placed.astype(np.float32))
        known = tuple(CardInView(f"key-{face}", face, quad) for face, quad in boxes.items())
        return Picture(rgb, plane, np.asarray(to_px, float), known, self.looks)

    def _picture(self, name: str) -> NDArray[np.uint8]:
        picture = cv2.imread(str(self.folder / f"{name}.png"), cv2.IMREAD_UNCHANGED)
        assert picture is not None
        return np.ascontiguousarray(picture[..., [2, 1, 0, 3][: picture.shape[2]]])


def _draw_pawn(table: Table, view: View, board: tuple[float, float, float], pawn: PawnAt, shadow: float) -> None:
    """Discs above each other: a foot, a neck, a ball with a shine, and the shadow that they cast."""
    c, s = np.cos(board[2]), np.sin(board[2])
    dx, dy = pawn.x_mm - BOARD_MM / 2, pawn.y_mm - BOARD_MM / 2
    x, y = board[0] + c * dx - s * dy, board[1] + s * dx + c * dy
    tone = np.array(_rgb(PAWNS[pawn.name])) / 255

    def disc(radius: float, z: float, ox: float = 0.0, oy: float = 0.0) -> Array:
        ring = np.c_[x + ox + radius * np.cos(_TURN), y + oy + radius * np.sin(_TURN), np.full(len(_TURN), -z)]
        return table.to_canvas(view.ideal(ring))

    table.shadow(disc(4.5, 0.0, 2.5, 2.0), (0, 0), 3.0, shadow)
    if pawn.height_mm <= 0:
        table.cover(disc(4.5, 0.5), tone, 0.1)
        return
    for t in np.linspace(0, 1, 24):
        radius = 4.6 - 2.6 * min(1.0, t * 2)
        table.cover(disc(radius, t * (pawn.height_mm - 3)), tone * (0.75 + 0.25 * t), 0.3)
    for t in np.linspace(-1, 1, 16):
        table.cover(disc(3.2 * np.sqrt(1 - t * t) + 0.01, pawn.height_mm + 3.2 * t), tone * (0.9 + 0.2 * t), 0.3)
    table.cover(disc(0.8, pawn.height_mm + 2.6, -0.8, -0.8), tone * 0.5 + 0.4, 0.0)


def _shine(table: Table, view: View, at_mm: tuple[float, float]) -> None:
    h, w = table.owner.shape
    middle = table.to_canvas(view.ideal(np.array([at_mm])))[0]
    y, x = np.mgrid[0:h, 0:w]
    away = np.hypot(x - middle[0], y - middle[1]) / (0.05 * w)
    table.rgb += 0.9 * np.exp(-(away**2)).astype(np.float32)[..., None]
