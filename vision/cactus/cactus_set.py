"""What a set of Cactus looks like: outlines in millimetres and colours, made once when the deck is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.errors import DeckError
from vision.deck_file import is_number, json_object, json_objects, read_json

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PieceLook:
    """One flat piece.

    Parameters
    ----------
    id
        Its name within the set.
    color
        Name of its colour.
    shape
        Name of its basic shape; None for a special piece.
    outline_mm
        (n, 2) its edge as seen from the front, y upward.
    """

    id: str
    color: str
    shape: str | None
    outline_mm: Array


@dataclass(frozen=True, slots=True, eq=False)
class CactusLook:
    """One cactus: its edge, y upward from the top of its base, and its colour, RGB 0..255."""

    id: str
    outline_mm: Array
    rgb: tuple[float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class CactusSet:
    """What recognition needs of a set of Cactus.

    Parameters
    ----------
    colors
        Name of each colour of pieces to its RGB, 0..255.
    thickness_mm
        Thickness of pieces and cacti.
    pieces
        Every piece.
    cacti
        Every cactus, in playing order.
    base_mm
        Width, height and depth of the block below a cactus. Its top is y = 0 of the cactus, which stands in the middle.
    """

    colors: dict[str, tuple[float, float, float]]
    thickness_mm: float
    pieces: tuple[PieceLook, ...]
    cacti: tuple[CactusLook, ...]
    base_mm: tuple[float, float, float]

    def piece(self, key: str) -> PieceLook:
        """The piece of that name; raises KeyError where there is none."""
        for p in self.pieces:
            if p.id == key:
                return p
        raise KeyError(key)


def load_cactus_set(folder: Path) -> CactusSet:
    """Read the outlines of a deck folder (contract, section 1); raises DeckError naming file, key and mend."""
    path = folder / "deck.json"
    where = str(path)
    data = json_object(read_json(path), where, "")
    colors = {
        name: _rgb(shade, where, f"colors.{name}")
        for name, shade in json_object(data.get("colors"), where, "colors").items()
    }
    pieces = tuple(
        PieceLook(
            str(p.get("id")),
            str(p.get("color")),
            None if p.get("shape") is None else str(p["shape"]),
            _outline(p.get("outline"), where, f"pieces[{i}].outline"),
        )
        for i, p in enumerate(json_objects(data.get("pieces", []), where, "pieces"))
    )
    cacti = tuple(
        CactusLook(
            str(c.get("id")),
            _outline(c.get("outline"), where, f"cacti[{i}].outline"),
            _rgb(c.get("color"), where, f"cacti[{i}].color"),
        )
        for i, c in enumerate(json_objects(data.get("cacti", []), where, "cacti"))
    )
    base = json_object(data.get("base"), where, "base")
    width, height, depth = (_length(base.get(k), where, f"base.{k}") for k in ("width_mm", "height_mm", "depth_mm"))
    thickness = _length(data.get("thickness_mm"), where, "thickness_mm")
    return CactusSet(colors, thickness, pieces, cacti, (width, height, depth))


def _length(value: Any, where: str, key: str) -> float:
    if is_number(value) and 0 < value <= 1000:
        return float(value)
    raise DeckError(where, key, "write the length in mm, like 40")


def _rgb(value: Any, where: str, key: str) -> tuple[float, float, float]:
    if isinstance(value, str) and len(value) == 7 and value.startswith("#"):
        try:
            number = int(value[1:], 16)
        except ValueError:
            pass
        else:
            return (float(number >> 16), float(number >> 8 & 255), float(number & 255))
    raise DeckError(where, key, 'write the colour like "#d8262f"')


def _outline(value: Any, where: str, key: str) -> Array:
    if isinstance(value, list) and len(value) >= 3 and all(_is_point(p) for p in value):
        return np.array(value, np.float64)
    raise DeckError(where, key, "list the edge once around in mm, y upward, like [[0, 0], [20, 0], [10, 15]]")


def _is_point(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(is_number(v) and abs(v) <= 1000 for v in value)
