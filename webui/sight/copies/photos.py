"""The photographs of a copy: which there are, and reading all of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from calibration.capture.deck import Photo, Wishes
from vision.sources.photos import load_photo
from webui.sight.copies.looks import PhotoLooks
from webui.sight.copies.readers import READERS
from webui.sight.copies.reading import keep_reading
from webui.sight.copies.shelf import card_mm_of

Json = dict[str, Any]

BOARD = "board.jpg"
"""Name of the photograph of the board."""


def wanted(copy: Json) -> list[str]:
    """The names of all photographs that a reading rests on; that of a board says how often it was replaced.

    So what was read of an earlier one is told from what is read of this one, though both have one file.
    """
    if not copy["board"]:
        return list(copy["photos"])
    number = copy.get("boards", 1)
    return [*copy["photos"], BOARD if number == 1 else f"{BOARD} {number}"]


def with_board(copy: Json) -> Json:
    """What is known of a copy when a photograph of its board has come, perhaps in the place of another one."""
    return copy | {"board": True, "boards": copy.get("boards", int(copy["board"])) + 1}


def read_photos(
    copy: Json,
    folder: Path,
    new: Path,
    looks: PhotoLooks,
    said: Callable[[str], None],
    sizes: Mapping[str, Json] | None = None,
) -> bool:
    """Read all photographs of a copy into a new folder; whether anything was found on them.

    Parameters
    ----------
    copy, folder
        What is known of it, and where its photographs are.
    new
        Where what was read is written.
    looks
        What was found on each photograph when it was sent.
    said
        Told at each step; may raise to end the reading.
    sizes
        Lengths and heights that a person stated, by the ids of pieces and cacti: they tell how the photos were taken.
    """
    photos = [looks.open(folder / name) for name in copy["photos"]]
    board = Photo(BOARD, load_photo(folder / BOARD)) if copy["board"] else None
    wishes = Wishes(card_mm_of(copy), (), sizes or {}, copy["cactus_mm"], board, looks.together(folder))
    found = READERS[copy["game"]](photos, wishes, said)
    for photo in photos:
        looks.note(photo, folder / photo.name)
    if not found.parts:
        return False
    shutil.rmtree(new, ignore_errors=True)
    keep_reading(found, photos, copy["game"], new)
    return True
