"""Reading a deck folder: its ``deck.json`` and the pictures that it names, each refused with the key and the mend."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from scoring.errors import DeckError

PIXELS_MAX = 50_000_000
"""Of a picture of a deck: a board scanned at 600 dots an inch has as many; more would fill the memory."""
BYTES_MAX = 200_000_000


def read_json(path: Path) -> object:
    """The content of a ``deck.json``; raises DeckError where there is none or it is no JSON."""
    if path.exists() and not path.is_file():
        raise DeckError(str(path), "", "is no file; name a folder that holds a deck.json")
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise DeckError(str(path), "", "no such deck; name a folder that holds a deck.json") from None
    except OSError as e:
        raise DeckError(str(path), "", f"cannot be read ({e.strerror}); name a folder that holds a deck.json") from None
    except RecursionError:
        raise DeckError(str(path), "", "is nested too deeply for a deck; mend or restore it") from None
    except ValueError as e:
        raise DeckError(str(path), "", f"is not JSON ({e}); mend or restore it") from None


def inside(value: object, where: str, key: str) -> str:
    if isinstance(value, str) and value:
        parts = value.replace("\\", "/").split("/")
        if parts[0] and ".." not in parts and ":" not in value:
            return value
    raise DeckError(where, key, "write the path of a picture inside the deck folder, relative to it")


def card_size(value: object, where: str, key: str) -> tuple[float, float]:
    if isinstance(value, list) and len(value) == 2 and all(is_number(v) and 5 <= v <= 1000 for v in value):
        return float(value[0]), float(value[1])
    raise DeckError(where, key, "write the width and the height of a card in mm, like [59, 92]")


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def json_object(value: object, where: str, key: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise DeckError(where, key, 'is no object; write its keys and values in braces, like {"name": "mine"}')


def json_objects(value: object, where: str, key: str) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise DeckError(where, key, "is no list; write one object a face in brackets")
    return [json_object(v, where, f"{key}[{i}]") for i, v in enumerate(value)]


def read_picture(value: object, folder: Path, where: str, key: str) -> NDArray[np.uint8]:
    """(h, w, 4) RGB and opacity of the picture that a key names, relative to the deck folder."""
    path = folder / inside(value, where, key)
    try:
        if not path.is_file() or path.stat().st_size > BYTES_MAX:  # a pipe or a device has no end
            raise OSError
        data = np.frombuffer(path.read_bytes(), np.uint8)
    except (OSError, ValueError):  # a ValueError for a name that no file can have
        raise DeckError(
            where, key, f"the picture {path.name!r} cannot be read; put it there or mend its name"
        ) from None
    try:
        with Image.open(io.BytesIO(data.tobytes())) as header:  # tells the size without decoding
            width, height = header.size
    except Exception:  # whatever else is wrong with it is told below
        width = height = 0
    if width * height > PIXELS_MAX:
        raise DeckError(where, key, f"{path.name!r} has {width} x {height} pixels; scale it to 50 megapixels or less")
    try:
        picture = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    except cv2.error:  # more pixels than any picture has
        picture = None
    if picture is None:
        raise DeckError(where, key, f"{path.name!r} is no picture that can be opened; save it as JPEG or PNG")
    if picture.dtype != np.uint8:
        picture = cv2.convertScaleAbs(picture, alpha=255 / max(float(picture.max()), 1.0))
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB)
    elif picture.shape[2] == 4:
        return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGRA2RGBA), np.uint8)
    else:
        picture = cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_RGB2RGBA), np.uint8)
