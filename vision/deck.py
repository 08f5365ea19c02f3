"""What the cards of a deck look like: small, comparable pictures of every face, made once when the deck is loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.errors import DeckError

Floats = NDArray[np.float32]

PRINT_PX_PER_MM = 2.0
COLOUR_PX_PER_MM = 3.0
_ROUGH, _COARSE, _FINE = 330, 1100, 3600  # samples of a face on the three grids
_RIM = 0.035  # share of the shorter side left out at the rim, where print, cut and corner radius vary


@dataclass(frozen=True, slots=True)
class Grid:
    """Sample points on a face: `shape` (rows, columns) over a card of `size_mm`, and how far the samples are apart."""

    shape: tuple[int, int]
    size_mm: tuple[float, float]

    @classmethod
    def of(cls, size_mm: tuple[float, float], samples: int) -> Grid:
        """About `samples` square cells over the face."""
        w, h = size_mm
        columns = max(8, round(float(np.sqrt(samples * w / h))))
        return cls((max(8, round(columns * h / w)), columns), size_mm)

    def to_mm(self) -> NDArray[np.float64]:
        """(3, 3) from (column, row, 1) to mm on the face, sample centres at integers."""
        rows, columns = self.shape
        sx, sy = self.size_mm[0] / columns, self.size_mm[1] / rows
        return np.array([[sx, 0, sx / 2], [0, sy, sy / 2], [0, 0, 1.0]])

    def rim(self, radius_mm: float) -> NDArray[np.bool_]:
        """(rows, columns) True where a sample is inside the rounded outline and off the rim."""
        rows, columns = self.shape
        w, h = self.size_mm
        x, y = np.meshgrid((np.arange(columns) + 0.5) * w / columns - w / 2, (np.arange(rows) + 0.5) * h / rows - h / 2)
        r = max(radius_mm, 0.04 * min(w, h))
        inset = _RIM * min(w, h)
        dx, dy = np.abs(x) - (w / 2 - r), np.abs(y) - (h / 2 - r)
        d = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0)) + np.minimum(np.maximum(dx, dy), 0) - r
        return np.asarray(d < -inset)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One picture of the deck, as seen lying the right way round.

    Parameters
    ----------
    id
        Face id; the empty string for the back.
    kind
        "face", "scoring", "back" or "board".
    size_mm
        Width and height.
    rough, coarse, fine
        (rows, columns, 3) float32 RGB 0..255 on the three grids of the look's size.
    print
        (rows, columns) uint8 grey at `PRINT_PX_PER_MM`, for the small patches of `vision.features`.
    edge
        For Rox: element to count round the edge. Empty for other looks.
    center
        For Rox: element on the stone, or None.
    colour
        (rows, columns, 3) uint8 RGB at `COLOUR_PX_PER_MM`, for the edges of plain cards.
    ground
        The colour that covers most of the face, RGB 0..255.
    """

    id: str
    kind: str
    size_mm: tuple[float, float]
    rough: Floats
    coarse: Floats
    fine: Floats
    print: NDArray[np.uint8]
    edge: Mapping[str, int]
    center: str | None
    colour: NDArray[np.uint8]
    ground: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class LookSet:
    """All looks of one card size, stacked for comparison."""

    size_mm: tuple[float, float]
    radius_mm: float
    looks: tuple[Look, ...]
    elements: tuple[str, ...] = ()

    @cached_property
    def rough(self) -> Grid:
        return Grid.of(self.size_mm, _ROUGH)

    @cached_property
    def coarse(self) -> Grid:
        return Grid.of(self.size_mm, _COARSE)

    @cached_property
    def fine(self) -> Grid:
        return Grid.of(self.size_mm, _FINE)

    @cached_property
    def square(self) -> bool:
        """Whether a quarter turn cannot be told from the outline."""
        w, h = self.size_mm
        return abs(w - h) < 0.06 * max(w, h)


@dataclass(frozen=True, eq=False)
class DeckAppearance:
    """What recognition needs of a deck folder."""

    name: str
    game: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    sets: tuple[LookSet, ...]
    board: LookSet | None = None

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every look of every size."""
        return tuple(look for s in self.sets for look in s.looks)


def _read(path: Path, where: str, key: str) -> NDArray[np.uint8]:
    try:
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except (OSError, ValueError):  # a ValueError for a name that no file can have
        raise DeckError(
            where, key, f"the picture {path.name!r} cannot be read; put it there or mend its name"
        ) from None
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
    except cv2.error:  # more pixels than any picture has
        picture = None
    if picture is None:
        raise DeckError(where, key, f"{path.name!r} is no picture that can be opened; save it as JPEG or PNG")
    return np.asarray(picture[..., ::-1], np.uint8)


def _sampled(picture: NDArray[np.uint8], grid: Grid) -> Floats:
    rows, columns = grid.shape
    return cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA).astype(np.float32)


def _printed(picture: NDArray[np.uint8], size_mm: tuple[float, float]) -> NDArray[np.uint8]:
    size = (round(size_mm[0] * PRINT_PX_PER_MM), round(size_mm[1] * PRINT_PX_PER_MM))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def load_appearance(folder: Path) -> DeckAppearance:
    """Read the pictures of a deck folder (contract, section 1).

    The rules' half of the folder is checked by `scoring.deck.parse_deck`; here every picture must open.

    Raises
    ------
    DeckError
        Naming the file, the key and the mend.
    """
    path = folder / "deck.json"
    where = str(path)
    data = _object(read_json(path), where, "")
    card = _size(data.get("card_mm"), where, "card_mm")
    radius = data.get("corner_radius_mm", 0.0)
    if not _is_number(radius) or not 0 <= radius <= 1000:
        raise DeckError(where, "corner_radius_mm", "write the radius of a card's corners in mm, like 3")
    entries: list[tuple[str, str, tuple[float, float], dict[str, Any], str]] = []
    for i, f in enumerate(_objects(data.get("faces", []), where, "faces")):
        entries.append((str(f.get("id")), "face", card, f, f"faces[{i}].image"))
    scoring = _object(data.get("scoring_cards") or {}, where, "scoring_cards")
    if scoring:
        size = _size(scoring.get("card_mm", list(card)), where, "scoring_cards.card_mm")
        for i, f in enumerate(_objects(scoring.get("faces", []), where, "scoring_cards.faces")):
            entries.append((str(f.get("id")), "scoring", size, f, f"scoring_cards.faces[{i}].image"))
    if data.get("back"):
        entries.append(("", "back", card, {"image": data["back"]}, "back"))
    by_size: dict[tuple[float, float], list[Look]] = {}
    for face_id, kind, size, f, key in entries:
        picture = _read(folder / _inside(f.get("image"), where, key), where, key)
        look = _look(face_id, kind, size, picture, f)
        by_size.setdefault(size, []).append(look)
    elements = tuple(str(e) for e in elements) if isinstance(elements := data.get("elements"), list) else ()
    sets = tuple(LookSet(size, float(radius), tuple(looks), elements) for size, looks in by_size.items())
    return DeckAppearance(
        str(data.get("name", folder.name)), str(data.get("game", "")), card, radius, sets, _board(data, folder, where)
    )


def _board(data: dict[str, Any], folder: Path, where: str) -> LookSet | None:
    """The look of the board, for games that have one."""
    board = data.get("board")
    if board is None:
        return None
    entry = _object(board, where, "board")
    side = entry.get("size_mm")
    if not _is_number(side) or not 20 <= float(str(side)) <= 1000:
        raise DeckError(where, "board.size_mm", "write the side of the square board in mm, like 120")
    size = (float(str(side)), float(str(side)))
    look = _look(
        "board", "board", size, _read(folder / _inside(entry.get("image"), where, "board.image"), where, "board.image")
    )
    return LookSet(size, float(data.get("corner_radius_mm", 0.0)), (look,))


def _look(
    face_id: str,
    kind: str,
    size: tuple[float, float],
    picture: NDArray[np.uint8],
    entry: Mapping[str, Any] | None = None,
) -> Look:
    rough, coarse, fine = (_sampled(picture, Grid.of(size, n)) for n in (_ROUGH, _COARSE, _FINE))
    more = entry or {}
    r, g, b = np.median(fine.reshape(-1, 3), axis=0).tolist()
    return Look(
        face_id,
        kind,
        size,
        rough,
        coarse,
        fine,
        _printed(picture, size),
        more.get("edge", {}),
        more.get("center"),
        _coloured(picture, size),
        (r, g, b),
    )


def _coloured(picture: NDArray[np.uint8], size_mm: tuple[float, float]) -> NDArray[np.uint8]:
    size = (round(size_mm[0] * COLOUR_PX_PER_MM), round(size_mm[1] * COLOUR_PX_PER_MM))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def read_json(path: Path) -> object:
    """The content of a ``deck.json``; raises DeckError where there is none or it is no JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DeckError(str(path), "", "no such deck; name a folder that holds a deck.json") from None
    except OSError as e:
        raise DeckError(str(path), "", f"cannot be read ({e.strerror}); name a folder that holds a deck.json") from None
    except RecursionError:
        raise DeckError(str(path), "", "is nested too deeply for a deck; mend or restore it") from None
    except ValueError as e:
        raise DeckError(str(path), "", f"is not JSON ({e}); mend or restore it") from None


def _inside(value: object, where: str, key: str) -> str:
    if isinstance(value, str) and value:
        parts = value.replace("\\", "/").split("/")
        if parts[0] and ".." not in parts and ":" not in value:
            return value
    raise DeckError(where, key, "write the path of a picture inside the deck folder, relative to it")


def _size(value: object, where: str, key: str) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2 and all(_is_number(v) and 5 <= v <= 1000 for v in value):
        return float(value[0]), float(value[1])
    raise DeckError(where, key, "write the width and the height of a card in mm, like [59, 92]")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object(value: object, where: str, key: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise DeckError(where, key, 'is no object; write its keys and values in braces, like {"name": "mine"}')


def _objects(value: object, where: str, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise DeckError(where, key, "is no list; write one object a face in brackets")
    return [_object(v, where, f"{key}[{i}]") for i, v in enumerate(value)]
