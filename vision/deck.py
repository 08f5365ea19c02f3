"""What the cards of a deck look like: small, comparable pictures of every face, made once when the deck is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.errors import DeckError
from vision.deck_file import card_size, is_number, json_object, json_objects, read_json, read_picture
from vision.tokens.token_looks import TokenLooks, load_token_looks

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
        (rows, columns) uint8 grey at `PRINT_PX_PER_MM`, for the small patches of `vision.cards.features`.
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


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """A coloured space of the board, which shows what the day's light makes of a ground colour.

    Parameters
    ----------
    ground
        Mean ground of the cards of that colour, RGB 0..255.
    region_mm
        (n, 2) its outline on the board.
    """

    ground: tuple[float, float, float]
    region_mm: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DeckAppearance:
    """What recognition needs of a deck folder.

    `board_taken` says that nobody has measured the board: its size is what such boards usually have, and is told anew
    by the cards on the table; then `board_sigma_mm` is how exactly.
    """

    name: str
    game: str
    card_mm: tuple[float, float]
    corner_radius_mm: float
    sets: tuple[LookSet, ...]
    board: LookSet | None = None
    tokens: TokenLooks | None = None
    spaces: tuple[Space, ...] = ()
    board_taken: bool = False
    board_sigma_mm: float = 0.0

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every look of every size."""
        return tuple(look for s in self.sets for look in s.looks)


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
    data = json_object(read_json(path), where, "")
    card = card_size(data.get("card_mm"), where, "card_mm")
    radius = data.get("corner_radius_mm", 0.0)
    if not is_number(radius) or not 0 <= radius <= 1000:
        raise DeckError(where, "corner_radius_mm", "write the radius of a card's corners in mm, like 3")
    entries: list[tuple[str, str, tuple[float, float], dict[str, Any], str]] = []
    for i, f in enumerate(json_objects(data.get("faces", []), where, "faces")):
        entries.append((str(f.get("id")), "face", card, f, f"faces[{i}].image"))
    scoring = json_object(data.get("scoring_cards") or {}, where, "scoring_cards")
    if scoring:
        scoring_mm = card_size(scoring.get("card_mm", list(card)), where, "scoring_cards.card_mm")
        for i, f in enumerate(json_objects(scoring.get("faces", []), where, "scoring_cards.faces")):
            entries.append((str(f.get("id")), "scoring", scoring_mm, f, f"scoring_cards.faces[{i}].image"))
    if data.get("back"):
        entries.append(("", "back", card, {"image": data["back"]}, "back"))
    by_size: dict[tuple[float, float], list[Look]] = {}
    for face_id, kind, size, f, key in entries:
        picture = read_picture(f.get("image"), folder, where, key)[..., :3]
        look = _look(face_id, kind, size, picture, f)
        by_size.setdefault(size, []).append(look)
    elements = tuple(str(e) for e in elements) if isinstance(elements := data.get("elements"), list) else ()
    sets = tuple(LookSet(size, float(radius), tuple(looks), elements) for size, looks in by_size.items())
    return DeckAppearance(
        str(data.get("name", folder.name)),
        str(data.get("game", "")),
        card,
        radius,
        sets,
        _board(data, folder, where),
        load_token_looks(folder),
        _spaces(data, sets, where),
        isinstance(board := data.get("board"), dict) and board.get("size_taken") is True,
    )


def _spaces(data: dict[str, Any], sets: tuple[LookSet, ...], where: str) -> tuple[Space, ...]:
    """The board's spaces in the colours of the cards' grounds."""
    board = data.get("board")
    if not isinstance(board, dict):
        return ()
    colour_of = {str(f.get("id")): f.get("color") for f in json_objects(data.get("faces", []), where, "faces")}
    found = []
    for i, space in enumerate(json_objects(board.get("spaces", []), where, "board.spaces")):
        key = f"board.spaces[{i}].region"
        region = space.get("region")
        if not isinstance(region, list) or len(region) < 3 or not all(_is_point(p) for p in region):
            raise DeckError(where, key, "list the corners of the space in mm, like [[0, 0], [33, 0], [33, 33]]")
        grounds = [
            v.ground for s in sets for v in s.looks if v.kind == "face" and colour_of.get(v.id) == space.get("color")
        ]
        if grounds:
            r, g, b = np.mean(grounds, axis=0).tolist()
            found.append(Space((r, g, b), np.array(region, float)))
    return tuple(found)


def _is_point(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(is_number(v) for v in value)


def _board(data: dict[str, Any], folder: Path, where: str) -> LookSet | None:
    """The look of the board, for games that have one."""
    board = data.get("board")
    if board is None:
        return None
    entry = json_object(board, where, "board")
    side = entry.get("size_mm")
    if not is_number(side) or not 20 <= float(str(side)) <= 1000:
        raise DeckError(where, "board.size_mm", "write the side of the square board in mm, like 120")
    size = (float(str(side)), float(str(side)))
    look = _look("board", "board", size, read_picture(entry.get("image"), folder, where, "board.image")[..., :3])
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
