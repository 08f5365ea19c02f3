"""Where copies of games are kept while they are learned: names, files, photographs."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import cv2

from calibration.capture.deck import Enrolled, save_enrolled
from calibration.whole_file import writing
from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from vision.sources.photos import load_bytes
from webui.owncopy.copying import GONE, NO_PHOTO, NOT_KEPT, TOO_SMALL
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.paths import replace_folder
from webui.sight.copies import deck as copy_deck
from webui.sight.copies.places import is_taken
from webui.sight.copies.sound import are_sizes, is_said, load_json
from webui.sight.decks.folders import bundled_deck, read_deck

Json = dict[str, Any]

ASIDE = ".damaged"
"""Ends the name of a folder that was a copy: no copy's name has a dot."""
ASIDE_MAX = 1000
GONE_ENDS = ".gone"
"""Ends the name of a folder that is being removed."""
COPY_FILE = "copy.json"
"""What is known of a copy, in its folder."""
SIDE_MAX_PX = 4000
"""A longer photo is kept in this size: a card has enough pixels then."""
SIDE_MAX_MANY_PX = 2200
MANY = 12
"""Of so many photos all further ones are kept smaller: all of a copy are in memory at once while they are read."""
SIDE_LEAST_PX = 300
SHOWN_PX = 360
_PHOTO = re.compile(r"\d{2,3}\.jpg")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")
_OURS = ("part-*.jpg", "kind-*.jpg", "twins-*.jpg", "star-?.jpg", "parts.json", "deck.json")
KEY = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class Shelf:
    """The folder of all copies, and what is known of each by its key.

    Parameters
    ----------
    folder
        Where it is; it need not be there yet.
    """

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """The folder of all copies."""
        return self._folder()

    def place(self, key: str) -> Path:
        """The folder of one."""
        return self._folder() / key

    def load(self, key: str) -> Json | None:
        """What is known of a copy; None where there is none, or it is damaged."""
        return load_copy(self._folder(), key)

    def there(self, key: str) -> Json:
        """The same; raises RefereeError where there is none."""
        data = self.load(key)
        if data is None:
            raise RefereeError(GONE)
        return data

    def save(self, key: str, data: Json) -> None:
        """Keep what is known of a copy; raises RefereeError where that cannot be."""
        write(self._folder() / key / COPY_FILE, json.dumps(data, ensure_ascii=False).encode())


def key_of(name: str) -> str:
    """A copy's name as the name of a folder; empty where it has neither letters nor digits.

    Letters that ASCII lacks are told apart by a short sum of the whole name.
    """
    letters = unicodedata.normalize("NFKD", name.replace("ß", "ss")).lower()
    key = re.sub(r"[^a-z0-9]+", "-", letters.encode("ascii", "ignore").decode()).strip("-")
    if any(c.isalnum() and not c.isascii() for c in letters):
        known = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
        key = f"{key[:31] or 'copy'}-{hashlib.blake2s(known.encode(), digest_size=4).hexdigest()}"
    key = key[:40].strip("-")
    return f"my-{key}"[:40] if _RESERVED.fullmatch(key) else key


def coded(data: bytes, before: int = 0) -> bytes:
    """A photograph as it is kept behind so many others: upright, a JPEG of our own.

    Raises RefereeError where it is none or too small.
    """
    try:
        rgb = load_bytes(data, "photo")
    except RefereeError as error:
        raise RefereeError(NO_PHOTO) from error
    if min(rgb.shape[:2]) < SIDE_LEAST_PX:
        raise RefereeError(TOO_SMALL)
    return _jpeg(rgb, SIDE_MAX_PX if before < MANY else SIDE_MAX_MANY_PX, 95)


def sum_sent(data: bytes) -> str:
    """A short sum of a photograph as it was sent: the same one again has the same."""
    return hashlib.blake2s(data, digest_size=12).hexdigest()


def shown(data: bytes) -> bytes:
    """A kept photograph, small."""
    return _jpeg(load_bytes(data, "photo"), SHOWN_PX, 85)


def _jpeg(rgb: Any, side_px: int, quality: int) -> bytes:
    scale = side_px / max(rgb.shape[:2])
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgb
    done, data = cv2.imencode(".jpg", small[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise RefereeError(NO_PHOTO)
    return data.tobytes()


def load_copy(folder: Path, key: str) -> Json | None:
    """What is known of a copy; None where there is none, or it is damaged."""
    data = _raw(folder, key)
    if not isinstance(data, dict) or not _is_whole(data):
        return None
    whole = {"cactus_mm": None, "read": None} | data
    return whole if are_sizes(data.get("sizes", {})) else whole | {"sizes": {}, "read": None}


def _raw(folder: Path, key: str) -> object:
    """What the file of a copy says, whatever that is; None where it says nothing."""
    if not KEY.fullmatch(key):
        return None
    try:
        return load_json(folder / key / COPY_FILE)
    except (OSError, ValueError, RecursionError):
        return None


def damaged_copy(folder: Path, key: str) -> OwnCopy | None:
    """A copy whose file cannot be read, with what is left of it; None where there is none, or it is whole."""
    if not KEY.fullmatch(key) or load_copy(folder, key) is not None or not is_taken(folder / key / COPY_FILE):
        return None
    said = _raw(folder, key)
    left = said if isinstance(said, dict) else {}
    name, game = left.get("name"), left.get("game")
    return OwnCopy(
        key,
        name if isinstance(name, str) and name and name.isprintable() else key,
        game if isinstance(game, str) and game in copy_deck.WANTED else "",
        CopyStage.DAMAGED,
        photos=tuple(sorted(p.name for p in (folder / key).glob("*.jpg") if _PHOTO.fullmatch(p.name))),
        problem="changed" if left else "unreadable",
    )


def set_aside(folder: Path, key: str) -> Path:
    """Call the folder of a damaged copy otherwise, so that it is none any more; all its files stay. Where it is now."""
    names = (f"{key}{ASIDE}{number}" for number in ("", *(f"-{n}" for n in range(2, ASIDE_MAX))))
    aside = next((folder / name for name in names if not is_taken(folder / name)), None)
    if aside is None:
        raise RefereeError(NOT_KEPT)
    try:
        (folder / key).rename(aside)
    except OSError as error:
        raise RefereeError(NOT_KEPT) from error
    return aside


def _is_whole(data: Json) -> bool:
    """Whether all is there that the program writes: a file that was changed by hand, or broken, is no copy."""
    size, said = data.get("card_mm"), (data.get("names"), data.get("answers"), data.get("before", []))
    return (
        all(isinstance(data.get(k), str) for k in ("name", "game", "problem"))
        and data["game"] in copy_deck.WANTED
        and isinstance(data.get("photos"), list)
        and all(isinstance(p, str) and _PHOTO.fullmatch(p) for p in data["photos"])
        and isinstance(data.get("next"), int)
        and data["next"] >= 0
        and all(isinstance(data.get(k), bool) for k in ("board", "saved"))
        and isinstance(data.get("boards", 0), int)
        and isinstance(data.get("sums", {}), dict)
        and all(isinstance(list_, list) and all(isinstance(e, dict) for e in list_) for list_ in said)
        and all(isinstance(e.get(k), list) for e in (data, *said[2]) for k in ("names", "answers"))
        and all(is_said(s) for e in (data, *said[2]) for k in ("names", "answers") for s in e[k])
        and isinstance(data.get("read"), list | None)
        and isinstance(size, list)
        and len(size) == 2
        and all(isinstance(v, int | float) and 0 < v < 1e4 for v in size)
        and isinstance(tall := data.get("cactus_mm"), int | float | None)
        and (tall is None or 0 < tall < 1e4)
        and (data.get("deck") is None or (isinstance(data["deck"], str) and bool(KEY.fullmatch(data["deck"]))))
    )


def begun(name: str, game: str, card_mm: tuple[float, float], cactus_mm: float | None) -> Json:
    """What is known of a copy of which nothing was photographed."""
    return {
        "name": name,
        "game": game,
        "card_mm": list(card_mm),
        "cactus_mm": cactus_mm,
        "photos": [],
        "next": 0,
        "board": False,
        "names": [],
        "answers": [],
        "read": None,
        "problem": "",
        "saved": False,
    }


def card_mm_of(copy: Json) -> tuple[float, float]:
    """Width and height of a card of a copy."""
    width, height = copy["card_mm"]
    return (float(width), float(height))


def write(path: Path, data: bytes) -> None:
    """Whole or not at all, also where the power fails or another program writes it at the same moment."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing(path) as file:
            file.write(data)
    except OSError as error:
        raise RefereeError(NOT_KEPT) from error


def remove(folder: Path) -> None:
    """Take a copy's folder away; what is cut off in the middle of it leaves no half of a copy.

    Raises
    ------
    RefereeError
        If it cannot be taken away; then all of it is there still.
    """
    try:
        folder.rename(folder.with_name(f".{folder.name}.{uuid4().hex}{GONE_ENDS}"))
    except OSError as error:
        raise RefereeError(NOT_KEPT) from error
    for left in folder.parent.glob(f".*{GONE_ENDS}"):
        shutil.rmtree(left, ignore_errors=True)


def keep_deck(deck: Json, read: Path, target: Path, note: Callable[[Path], None]) -> None:
    """Write a deck folder with the pictures of a reading, whole or not at all; one that was there is replaced.

    `note` gets the folder when it is whole, before it takes its place: a program that is killed between the two knows
    its own deck later.
    """
    new = target.with_name(f".{target.name}.new")
    try:
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(read, new, ignore=shutil.ignore_patterns(*_OURS))
        save_enrolled(Enrolled(deck, ()), new)
        note(new)
        replace_folder(new, target)
    except OSError as error:
        raise RefereeError(NOT_KEPT) from error


def suggested(game: str) -> Mapping[str, tuple[str, ...]]:
    """The names that the rules give to kinds; what else there is, everybody calls as they like."""
    deck = read_deck(bundled_deck(game)) if game == "rox" else None
    return {"elements": tuple(deck.elements)} if isinstance(deck, RoxDeck) else {}
