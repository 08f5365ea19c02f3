"""Pictures and the `deck.json` of a deck folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def save_picture(file: Path, picture: NDArray[np.uint8], px_per_mm: float, quality: int | None = None) -> None:
    """Write an RGB or RGBA picture: as JPEG of a quality, or as PNG where that is None."""
    dpi = (px_per_mm * 25.4, px_per_mm * 25.4)
    image = Image.fromarray(picture)
    if quality is None:
        image.save(file, dpi=dpi, optimize=True)
    else:
        image.save(file, quality=quality, subsampling=0, optimize=True, dpi=dpi)


def lay_out_json(deck: dict[str, object]) -> str:
    """JSON with one line a face or piece, so that a person can read and edit it."""

    def lines(faces: object) -> str:
        assert isinstance(faces, list)
        return "[\n  " + ",\n  ".join(json.dumps(f) for f in faces) + "\n ]"

    out = []
    for key, value in deck.items():
        if key in ("faces", "pieces", "cacti"):
            text = lines(value)
        elif isinstance(value, dict):
            text = (
                "{"
                + ", ".join(f"{json.dumps(k)}: {lines(v) if k == 'faces' else json.dumps(v)}" for k, v in value.items())
                + "}"
            )
        else:
            text = json.dumps(value)
        out.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(out) + "\n}\n"
