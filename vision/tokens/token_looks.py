"""What the small things of a deck look like: the board's track, the pawns' colours, the stars' pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scoring.errors import DeckError
from scoring.table import BOARD
from vision.deck_file import is_number, json_object, json_objects, read_json, read_picture
from vision.tokens.board_light import as_bright_as_cards

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

_PER_SQUARE = 12  # samples between the centres of neighbouring squares of the track
_PER_STAR = 20  # samples over the side of a star's picture


@dataclass(frozen=True, eq=False)
class BoardLook:
    """The board's print and its track.

    Parameters
    ----------
    picture
        (n, n, 3) RGB as printed, no darker than the cards, reduced to `sample_mm`.
    size_mm
        Side of the square board.
    track
        (k, 2) centres of the squares in mm from the board's top-left corner; 0 is the start.
    goal
        Index of the goal on the track.
    """

    picture: Picture
    size_mm: float
    track: Array
    goal: int

    @cached_property
    def spacing_mm(self) -> float:
        """Usual distance of a square's centre from its nearest neighbour's."""
        return float(np.median(self._nearest()))

    @cached_property
    def half_mm(self) -> Array:
        """(k,) half the side of each square: what its nearest neighbour leaves it. A start is often larger."""
        least = self.spacing_mm / 2
        return np.maximum(self._nearest() - least, least)

    @property
    def sample_mm(self) -> float:
        """How far the samples of `picture` are apart."""
        return self.size_mm / len(self.picture)

    def _nearest(self) -> Array:
        d = np.linalg.norm(self.track[:, None] - self.track[None], axis=2)
        np.fill_diagonal(d, np.inf)
        return np.asarray(d.min(1))


@dataclass(frozen=True, slots=True, eq=False)
class StarLook:
    """One star: its kind, the side of its square picture in mm, (n, n, 4) RGB and opacity, whether that is guessed."""

    kind: str
    size_mm: float
    picture: Picture
    guessed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TokenLooks:
    """What is needed to read the small things.

    Parameters
    ----------
    board
        None for a deck without a board; then no pawn is read.
    pawns
        Colour name to RGB 0..255.
    stars
        One look a kind; several of a kind that nobody has photographed.
    card_mm
        Width and height of a card.
    faces
        Face id (`BOARD` for the board) to (rows, columns, 3) RGB, so that a printed symbol is not taken for a star;
        samples are `face_sample_mm` apart.
    face_sample_mm
        See `faces`; the sampling of the stars' search.
    """

    board: BoardLook | None
    pawns: Mapping[str, tuple[int, int, int]]
    stars: tuple[StarLook, ...]
    card_mm: tuple[float, float]
    faces: Mapping[str, Picture]
    face_sample_mm: float


def load_token_looks(folder: Path) -> TokenLooks | None:
    """Read what a deck folder says of small things; None where it has neither board nor stars.

    Raises
    ------
    DeckError
        Naming the file, the key and the mend.
    """
    path = folder / "deck.json"
    where = str(path)
    data = json_object(read_json(path), where, "")
    if data.get("board") is None and not data.get("stars"):
        return None
    board = (
        None
        if data.get("board") is None
        else _load_board(json_object(data["board"], where, "board"), data.get("colors"), folder, where)
    )
    pawns = {
        str(name): _rgb(value, where, f"pawns.{name}")
        for name, value in json_object(data.get("pawns") or {}, where, "pawns").items()
    }
    stars = []
    for kind, value in json_object(data.get("stars") or {}, where, "stars").items():
        entry = json_object(value, where, f"stars.{kind}")
        alike = json_objects(entry.get("alike") or [], where, f"stars.{kind}.alike")
        for at, look in [("", entry), *((f".alike[{i}]", a) for i, a in enumerate(alike))]:
            size = _millimetres(look.get("size_mm"), where, f"stars.{kind}{at}.size_mm")
            picture = read_picture(look.get("image"), folder, where, f"stars.{kind}{at}.image")
            stars.append(StarLook(str(kind), size, picture, bool(alike)))
    card = data.get("card_mm")
    if not isinstance(card, list) or len(card) != 2:
        raise DeckError(where, "card_mm", "write the width and the height of a card in mm, like [59, 92]")
    card_mm = (_millimetres(card[0], where, "card_mm"), _millimetres(card[1], where, "card_mm"))
    sample = min((s.size_mm for s in stars), default=min(card_mm) / 2) / _PER_STAR
    shape = (max(8, round(card_mm[0] / sample)), max(8, round(card_mm[1] / sample)))
    faces = {}
    for i, f in enumerate(json_objects(data.get("faces", []), where, "faces") if stars else []):
        picture = read_picture(f.get("image"), folder, where, f"faces[{i}].image")[..., :3]
        faces[str(f.get("id"))] = np.asarray(cv2.resize(picture, shape, interpolation=cv2.INTER_AREA), np.uint8)
    if stars and board is not None:
        side = max(8, round(board.size_mm / sample))
        faces[BOARD] = np.asarray(cv2.resize(board.picture, (side, side), interpolation=cv2.INTER_AREA), np.uint8)
    return TokenLooks(board, pawns, tuple(stars), card_mm, faces, sample)


def _load_board(entry: Mapping[str, object], colours: object, folder: Path, where: str) -> BoardLook:
    size = _millimetres(entry.get("size_mm"), where, "board.size_mm")
    track = entry.get("track")
    if (
        not isinstance(track, list)
        or len(track) < 2
        or not all(isinstance(p, list) and len(p) == 2 and all(is_number(v) for v in p) for p in track)
    ):
        raise DeckError(where, "board.track", "list the centres of the squares in mm, like [[42, 78], [55.5, 82.5]]")
    goal = entry.get("goal", len(track) - 1)
    if not isinstance(goal, int) or not 0 <= goal < len(track):
        raise DeckError(where, "board.goal", "write the index of the goal on the track, counted from 0")
    look = BoardLook(np.zeros((1, 1, 3), np.uint8), size, np.array(track, float), goal)
    side = int(np.clip(round(_PER_SQUARE * size / max(look.spacing_mm, size / 64)), 64, 320))
    picture = read_picture(entry.get("image"), folder, where, "board.image")[..., :3]
    small = cv2.resize(picture, (side, side), interpolation=cv2.INTER_AREA)
    lit = as_bright_as_cards(np.asarray(small, np.uint8), size, _spaces(entry.get("spaces"), colours, where))
    return BoardLook(lit, size, look.track, goal)


def _spaces(spaces: object, colours: object, where: str) -> list[tuple[Array, tuple[int, int, int]]]:
    """Outline in mm and the cards' colour of each of the board's coloured spaces, of those that the deck tells."""
    if not isinstance(spaces, list) or not isinstance(colours, dict):
        return []
    out = []
    for space in spaces:
        entry = space if isinstance(space, dict) else {}
        region, colour = entry.get("region"), colours.get(str(entry.get("color")))
        if not isinstance(region, list) or len(region) < 3 or not isinstance(colour, str):
            continue
        if all(isinstance(p, list) and len(p) == 2 and all(is_number(v) for v in p) for p in region):
            out.append((np.array(region, float), _rgb(colour, where, f"colors.{entry['color']}")))
    return out


def _millimetres(value: object, where: str, key: str) -> float:
    if is_number(value) and 2 <= float(str(value)) <= 1000:
        return float(str(value))
    raise DeckError(where, key, "write a length in mm, like 24")


def _rgb(value: object, where: str, key: str) -> tuple[int, int, int]:
    if isinstance(value, str) and len(value) == 7 and value[0] == "#":
        try:
            return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)
        except ValueError:
            pass
    raise DeckError(where, key, "write a colour like #2a56a8")
