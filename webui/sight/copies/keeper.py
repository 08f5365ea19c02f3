"""Learns copies of games from photographs for the page: keeps them in a folder each, and reads in a thread."""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.deck import Deck
from scoring.errors import RefereeError
from webui.owncopy.copying import (
    FULL,
    GONE,
    NO_LETTERS,
    NOT_READ,
    OTHER_GAME,
    STILL_ASKED,
    TOO_MANY,
    CopyStage,
    OwnCopy,
)
from webui.paths import bring_back, copies_folder, decks_folder, replace_folder
from webui.sight.copies import deck as copy_deck
from webui.sight.copies.looks import PhotoLooks
from webui.sight.copies.names import keep_places, named
from webui.sight.copies.photos import BOARD, read_photos, wanted
from webui.sight.copies.places import deck_called, deck_place, is_left, is_taken, places, sum_of
from webui.sight.copies.readers import costs
from webui.sight.copies.shelf import (
    COPY_FILE,
    KEY,
    begun,
    card_mm_of,
    coded,
    damaged_copy,
    keep_deck,
    key_of,
    load_copy,
    set_aside,
    shown,
    suggested,
    write,
)
from webui.sight.copies.work import StoppedError, Work, Works

log = logging.getLogger(__name__)

COPIES_MAX, PHOTOS_MAX, UNDO_MAX = 24, 40, 30
STOP_S = 15.0
"""So long the end of the program waits for the step of reading that goes on."""

Json = dict[str, Any]


class CopyKeeper:
    """See `webui.owncopy.copying.Copyist`.

    Parameters
    ----------
    folder
        Where photographs and answers of copies are kept.
    decks
        Where deck folders are written.
    """

    def __init__(self, folder: Callable[[], Path] = copies_folder, decks: Callable[[], Path] = decks_folder) -> None:
        self._folder = folder
        self._decks = decks
        self._lock = threading.RLock()
        turn = threading.Lock()
        self._works = Works(self._lock, turn, self._read, self._over)
        self._looks = PhotoLooks(turn)

    def copies(self) -> tuple[OwnCopy, ...]:
        """See `webui.owncopy.copying.Copyist`."""
        try:
            keys = sorted(p.name for p in self._folder().iterdir() if KEY.fullmatch(p.name))
        except OSError:
            return ()
        found = []
        for key in keys:
            data = self._load(key)
            if data is not None:
                one = OwnCopy(key, data["name"], data["game"], self._stage(key, data), photos=tuple(data["photos"]))
                place = data.get("deck") or (key if data["saved"] else "")
                kept = bool(place) and (self._decks() / place / "deck.json").is_file()
                found.append(replace(one, saved=data["saved"], deck=place, kept=kept))
            elif (damaged := damaged_copy(self._folder(), key)) is not None:
                found.append(damaged)
        return tuple(found)

    def copy(self, key: str) -> OwnCopy | None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            data = self._load(key)
            if data is None:
                return None
            work, counts = self._works.of(key), self._counts(key, data)
            one = OwnCopy(
                key,
                data["name"],
                data["game"],
                self._stage(key, data),
                work.done(len(counts)) if work else 0.0,
                work.left_s(len(counts)) if work else None,
                self._name(self._works.before(key)),
                tuple(data["photos"]),
                data["board"],
                data["problem"],
                suggested=suggested(data["game"]),
                on_photo=counts,
                card_mm=card_mm_of(data),
                undo=bool(data.get("before")),
                cactus_mm=data["cactus_mm"],
                deck=data.get("deck") or key,
            )
            reading = None if work else self._reading(key)
        if reading is None:
            return replace(one, stage=CopyStage.UNREAD) if one.stage is CopyStage.READ else one
        try:
            return copy_deck.laid_over(one, reading, data)
        except copy_deck.DAMAGED:
            log.warning("what was read of %s is damaged and must be read again", key)
            return replace(one, stage=CopyStage.UNREAD) if one.stage is CopyStage.READ else one

    def begin(self, name: str, game: str, card_mm: tuple[float, float], cactus_mm: float | None) -> str:
        """See `webui.owncopy.copying.Copyist`."""
        key = key_of(name)
        if not key:
            raise RefereeError(NO_LETTERS)
        with self._lock:
            key, there = self._place(key)
            if there is not None:
                if there["game"] != game:
                    raise RefereeError(OTHER_GAME)
                if cactus_mm is not None:
                    self.measure(key, cactus_mm)
                return key
            if sum(c.stage is not CopyStage.DAMAGED for c in self.copies()) >= COPIES_MAX:
                raise RefereeError(TOO_MANY)
            self._save(key, begun(name, game, card_mm, cactus_mm))
        return key

    def _place(self, key: str) -> tuple[str, Json | None]:
        """Where a copy of that name is, and what is known of it; else a folder that is free."""
        for place in places(key):
            there = self._load(place)
            if there is not None and key_of(there["name"]) == key:
                return place, there
            if there is None and not is_taken(self._folder() / place):
                return place, None
        raise AssertionError

    def measure(self, key: str, cactus_mm: float) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._there(key)
            if copy["cactus_mm"] == cactus_mm:
                return
            self._works.end(key)
            kept = [a | {"fields": {k: v for k, v in a["fields"].items() if k != "outline"}} for a in copy["answers"]]
            anew: Json = {"cactus_mm": cactus_mm, "answers": kept, "before": [], "read": None, "saved": False}
            self._save(key, copy | anew)

    def add(self, key: str, data: bytes, *, board: bool = False) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        there = self._there(key)
        self._full(there, board)
        kept = coded(data, 0 if board else len(there["photos"]))
        with self._lock:
            copy = self._there(key)
            self._full(copy, board)
            name = BOARD if board else f"{copy['next']:02d}.jpg"
            write(self._folder() / key / name, kept)
            if board:
                copy |= {"board": True, "read": None}
            else:
                copy |= {"photos": [*copy["photos"], name], "next": copy["next"] + 1}
                self._looks.want(self._folder() / key / name, copy["game"], card_mm_of(copy))
            self._save(key, copy | {"saved": False, "problem": ""})

    def drop(self, key: str, photo: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._there(key)
            if photo in copy["photos"]:
                self._works.end(key)
                copy["photos"].remove(photo)
                self._save(key, copy | {"saved": False})
                (self._folder() / key / photo).unlink(missing_ok=True)
                self._looks.forget(self._folder() / key / photo)

    def read(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        self._begin_reading(key)

    def _begin_reading(self, key: str, *, again: bool = False) -> None:
        with self._lock:
            copy = self._there(key)
            if not copy["photos"]:
                return
            self._save(key, copy | {"problem": ""})
            photos = len(copy["photos"])
            self._works.begin(key, Work(costs(copy["game"], photos), photos, self._looks.pace_s, again))

    def name(self, key: str, kind: str, name: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy, reading = self._there(key), self._reading(key)
            if reading is not None and any(k["key"] == kind for k in reading.kinds):
                usual = suggested(copy["game"])
                names = named(copy["game"], reading, copy["names"], kind, name, usual)
                self._state(key, copy, names=names)

    def answer_all(self, key: str, stated: Mapping[int, Mapping[str, Any]]) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy, reading = self._there(key), self._reading(key)
            if reading is None:
                return
            said = copy["answers"]
            for part, fields in stated.items():
                if 0 <= part < len(reading.parts):
                    said = copy_deck.stated(copy["game"], reading, copy["names"], said, part, dict(fields))
            self._state(key, copy, answers=said)
            self._measure_anew(key)

    def undo(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._there(key)
            before = copy.get("before", [])
            if before:
                self._save(key, copy | before[-1] | {"before": before[:-1], "saved": False})
                self._measure_anew(key)

    def _measure_anew(self, key: str) -> None:
        """Read once more where other heights of cacti were stated than the reading rests on."""
        copy = self._there(key)
        if copy["game"] == "cactus" and self._stage(key, copy) is CopyStage.READ:
            heights = copy_deck.heights_in(self._sizes(key, copy))
            if heights != copy_deck.heights_in(copy.get("sizes", {})):
                self._begin_reading(key, again=True)

    def _sizes(self, key: str, copy: Json) -> dict[str, Json]:
        """The sizes that were stated, by the ids of the reading; none where it is of other photos."""
        reading = self._reading(key) if copy["game"] == "cactus" and copy["read"] == wanted(copy) else None
        return {} if reading is None else copy_deck.sizes_said(reading, copy["answers"])

    def _state(self, key: str, copy: Json, **fields: list[Json]) -> None:
        """Keep what a person said, and what was said before it."""
        said = {k: copy[k] for k in ("names", "answers")}
        if any(copy[k] != v for k, v in fields.items()):
            before = [*copy.get("before", []), said][-UNDO_MAX:]
            self._save(key, copy | fields | {"before": before, "saved": False})

    def picture(self, key: str, what: str, number: int) -> bytes | None:
        """See `webui.owncopy.copying.Copyist`."""
        copy = self._load(key)
        if copy is None:
            return None
        name = f"{number:02d}.jpg" if what == "photo" else f"read/{what}-{number}.jpg"
        try:
            data = (self._folder() / key / name).read_bytes()
        except OSError:
            return None
        return shown(data) if what == "photo" else data

    def save(self, key: str, in_play: Callable[[Deck], bool] = lambda _: False) -> str:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            one, copy = self.copy(key), self._there(key)
            folder = self._folder() / key / "read"
            reading = self._reading(key)
            if one is None or reading is None or one.stage is not CopyStage.READ or not one.reading:
                raise RefereeError(NOT_READ)
            if one.open:
                raise RefereeError(STILL_ASKED)
            before = deck_called(one.name, key, copy.get("deck") or key)
            deck = copy_deck.deck_of(before, one.game, reading, one.kinds, one.parts)
            place = deck_place(copy, key, self._decks(), lambda own: is_left(own, deck, in_play))
            keep_deck(deck | {"name": deck_called(one.name, key, place)}, folder, self._decks() / place)
            self._looks.release(self._folder() / key)
            self._save(key, copy | {"saved": True, "deck": place, "deck_sum": sum_of(self._decks() / place)})
            return place

    def forget(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            self._there(key)
            self._works.end(key)
            shutil.rmtree(self._folder() / key, ignore_errors=True)
            self._looks.forget(self._folder() / key)

    def set_aside(self, key: str) -> str:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            if damaged_copy(self._folder(), key) is None:
                raise RefereeError(GONE)
            return str(set_aside(self._folder(), key))

    def stop(self) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        self._works.stop(STOP_S)
        self._looks.stop(STOP_S)

    def _over(self, key: str, work: Work, problem: str) -> None:
        copy = self._load(key)
        if copy is not None and problem:
            self._save(key, copy | {"problem": problem})
        elif copy is not None and not work.again:
            self._measure_anew(key)

    def _read(self, key: str, work: Work) -> str:
        def said(_: str) -> None:
            work.next_step()
            if work.end.is_set():
                raise StoppedError

        with self._lock:
            copy = self._there(key)
            sizes = self._sizes(key, copy)
        folder = self._folder() / key
        new = folder / "read.new"
        if not read_photos(copy, folder, new, self._looks, said, sizes):
            return "nothing"
        with self._lock:
            if work.end.is_set():
                raise StoppedError
            there = self._there(key)
            if (before := self._reading(key)) is not None:
                there |= keep_places(there, before)
                self._save(key, there)  # the program may be ended when the folder is gone of which they speak
            replace_folder(new, folder / "read")
            self._save(key, there | {"read": wanted(copy), "sizes": sizes, "saved": False})
        return ""

    def _stage(self, key: str, data: Json) -> CopyStage:
        if self._works.of(key) is not None:
            return CopyStage.READING
        if data["problem"]:
            return CopyStage.FAILED
        if not data["photos"]:
            return CopyStage.EMPTY
        return CopyStage.READ if data["read"] == wanted(data) else CopyStage.UNREAD

    def _counts(self, key: str, data: Json) -> dict[str, int]:
        folder = self._folder() / key
        counted = {name: self._looks.count(folder / name) for name in data["photos"]}
        return {name: n for name, n in counted.items() if n is not None}

    def _name(self, key: str) -> str:
        data = self._load(key) if key else None
        return str(data["name"]) if data is not None else ""

    def _full(self, copy: Json, board: bool) -> None:
        if not board and (len(copy["photos"]) >= PHOTOS_MAX or copy["next"] >= 1000):
            raise RefereeError(FULL)

    def _there(self, key: str) -> Json:
        data = self._load(key)
        if data is None:
            raise RefereeError(GONE)
        return data

    def _load(self, key: str) -> Json | None:
        return load_copy(self._folder(), key)

    def _reading(self, key: str) -> copy_deck.Reading | None:
        folder = self._folder() / key
        bring_back(folder)
        return copy_deck.load_reading(folder / "read")

    def _save(self, key: str, data: Json) -> None:
        write(self._folder() / key / COPY_FILE, json.dumps(data, ensure_ascii=False).encode())
