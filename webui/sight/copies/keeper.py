"""Learns copies of games from photographs for the page: keeps them in a folder each, and reads in a thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.deck import Deck
from scoring.errors import RefereeError
from webui.owncopy.copying import FULL, GONE, NO_LETTERS, NOT_READ, OTHER_GAME, SENT_BEFORE, STILL_ASKED, TOO_MANY
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.paths import copies_folder, decks_folder
from webui.sight.copies import deck as copy_deck
from webui.sight.copies.found import DAMAGED
from webui.sight.copies.names import named
from webui.sight.copies.photos import BOARD, with_board
from webui.sight.copies.places import deck_called, deck_place, files_in, is_left, is_taken, places, sum_of
from webui.sight.copies.readings import Readings
from webui.sight.copies.shelf import (
    KEY,
    Shelf,
    begun,
    card_mm_of,
    coded,
    damaged_copy,
    keep_deck,
    key_of,
    remove,
    set_aside,
    shown,
    suggested,
    sum_sent,
    write,
)

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
        self._decks = decks
        self._lock = threading.RLock()
        self._shelf = Shelf(folder)
        self._readings = Readings(self._shelf, self._lock)

    def copies(self) -> tuple[OwnCopy, ...]:
        """See `webui.owncopy.copying.Copyist`."""
        try:
            keys = sorted(p.name for p in self._shelf.folder.iterdir() if KEY.fullmatch(p.name))
        except OSError:
            return ()
        found = []
        for key in keys:
            data = self._shelf.load(key)
            if data is not None:
                stage = self._readings.stage(key, data)
                one = OwnCopy(key, data["name"], data["game"], stage, photos=tuple(data["photos"]))
                place = data.get("deck") or (key if data["saved"] else "")
                kept = bool(place) and (self._decks() / place / "deck.json").is_file()
                found.append(replace(one, saved=data["saved"], deck=place, kept=kept))
            elif (damaged := damaged_copy(self._shelf.folder, key)) is not None:
                found.append(damaged)
        return tuple(found)

    def copy(self, key: str) -> OwnCopy | None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            data = self._shelf.load(key)
            if data is None:
                return None
            work, counts = self._readings.work(key), self._readings.counts(key, data)
            one = OwnCopy(
                key,
                data["name"],
                data["game"],
                self._readings.stage(key, data),
                work.done(len(counts)) if work else 0.0,
                work.left_s(len(counts)) if work else None,
                work.at(len(counts)) if work else 0,
                self._name(self._readings.before(key)),
                tuple(data["photos"]),
                data["board"],
                data["problem"],
                suggested=suggested(data["game"]),
                on_photo=counts,
                card_mm=card_mm_of(data),
                undo=bool(data.get("before")),
                cactus_mm=data["cactus_mm"],
                deck=data.get("deck") or key,
                measuring=work is not None and work.again,
                to_measure=self._readings.to_measure(key, data),
            )
            reading = None if work else self._readings.of(key)
        if reading is None:
            return replace(one, stage=CopyStage.UNREAD) if one.stage is CopyStage.READ else one
        try:
            return copy_deck.laid_over(one, reading, data)
        except DAMAGED:
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
            self._shelf.save(key, begun(name, game, card_mm, cactus_mm))
        return key

    def _place(self, key: str) -> tuple[str, Json | None]:
        """Where a copy of that name is, and what is known of it; else a folder that is free."""
        for place in places(key):
            there = self._shelf.load(place)
            if there is not None and key_of(there["name"]) == key:
                return place, there
            if there is None and not is_taken(self._shelf.place(place)):
                return place, None
        raise AssertionError

    def measure(self, key: str, cactus_mm: float) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._shelf.there(key)
            if copy["cactus_mm"] == cactus_mm:
                return
            self._readings.end(key)
            kept = [a | {"fields": {k: v for k, v in a["fields"].items() if k != "outline"}} for a in copy["answers"]]
            anew: Json = {"cactus_mm": cactus_mm, "answers": kept, "before": [], "read": None, "saved": False}
            self._shelf.save(key, copy | anew)

    def add(self, key: str, data: bytes, *, board: bool = False) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        there = self._shelf.there(key)
        self._full(there, board)
        kept, sum_ = coded(data, 0 if board else len(there["photos"])), sum_sent(data)
        with self._lock:
            copy = self._shelf.there(key)
            self._full(copy, board)
            sums = {name: s for name, s in copy.get("sums", {}).items() if name in copy["photos"]}
            if not board and sum_ in sums.values():
                raise RefereeError(SENT_BEFORE)  # what lies on it once would be counted twice
            name = BOARD if board else f"{copy['next']:02d}.jpg"
            write(self._shelf.place(key) / name, kept)
            if board:
                copy = with_board(copy)
            else:
                copy |= {"photos": [*copy["photos"], name], "next": copy["next"] + 1, "sums": sums | {name: sum_}}
                self._readings.looks.want(self._shelf.place(key) / name, copy["game"], card_mm_of(copy))
            self._shelf.save(key, copy | {"saved": False, "problem": ""})

    def drop(self, key: str, photo: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._shelf.there(key)
            if photo in copy["photos"]:
                self._readings.end(key)
                copy["photos"].remove(photo)
                self._shelf.save(key, copy | {"saved": False})
                (self._shelf.place(key) / photo).unlink(missing_ok=True)
                self._readings.looks.forget(self._shelf.place(key) / photo)

    def read(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            self._readings.begin(key)

    def name(self, key: str, kind: str, name: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy, reading = self._shelf.there(key), self._readings.of(key)
            if reading is not None and any(k["key"] == kind for k in reading.kinds):
                usual = suggested(copy["game"])
                names = named(copy["game"], reading, copy["names"], kind, name, usual)
                self._state(key, copy, names=names)

    def answer_all(self, key: str, stated: Mapping[int, Mapping[str, Any]]) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy, reading = self._shelf.there(key), self._readings.of(key)
            if reading is None:
                return
            said = copy["answers"]
            for part, fields in stated.items():
                if 0 <= part < len(reading.parts):
                    said = copy_deck.stated(copy["game"], reading, copy["names"], said, part, dict(fields))
            self._state(key, copy, answers=said)
            self._readings.measure_anew(key)

    def undo(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            copy = self._shelf.there(key)
            before = copy.get("before", [])
            if before:
                self._shelf.save(key, copy | before[-1] | {"before": before[:-1], "saved": False})
                self._readings.measure_anew(key)

    def _state(self, key: str, copy: Json, **fields: list[Json]) -> None:
        """Keep what a person said, and what was said before it."""
        said = {k: copy[k] for k in ("names", "answers")}
        if any(copy[k] != v for k, v in fields.items()):
            before = [*copy.get("before", []), said][-UNDO_MAX:]
            self._shelf.save(key, copy | fields | {"before": before, "saved": False})

    def picture(self, key: str, what: str, number: int) -> bytes | None:
        """See `webui.owncopy.copying.Copyist`."""
        copy = self._shelf.load(key)
        if copy is None:
            return None
        name = {"photo": f"{number:02d}.jpg", "board": BOARD}.get(what, f"read/{what}-{number}.jpg")
        try:
            data = (self._shelf.place(key) / name).read_bytes()
        except OSError:
            return None
        return shown(data) if what in ("photo", "board") else data

    def save(self, key: str, in_play: Callable[[Deck], bool] = lambda _: False) -> str:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            one, copy = self.copy(key), self._shelf.there(key)
            folder = self._shelf.place(key) / "read"
            reading = self._readings.of(key)
            if one is None or reading is None or one.stage is not CopyStage.READ or not one.reading:
                raise RefereeError(NOT_READ)
            if one.open:
                raise RefereeError(STILL_ASKED)
            before = deck_called(one.name, key, copy.get("deck") or key)
            deck = copy_deck.deck_of(before, one.game, reading, one.kinds, one.parts)
            place = deck_place(copy, key, self._decks(), lambda own: is_left(own, deck, in_play))
            target = self._decks() / place
            own = copy | {"deck": place, "deck_sum": sum_of(target) or None}

            def note(new: Path) -> None:
                self._shelf.save(key, own | {"deck_next": sum_of(new)})

            keep_deck(deck | {"name": deck_called(one.name, key, place)}, folder, target, note)
            self._readings.looks.release(self._shelf.place(key))
            self._shelf.save(key, own | {"saved": True, "deck_sum": sum_of(target)})
            return place

    def files(self, key: str) -> Mapping[str, Path]:
        """See `webui.owncopy.copying.Copyist`."""
        return files_in(self._shelf.place(key))

    def forget(self, key: str) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            self._shelf.there(key)
            self._readings.end(key)
            remove(self._shelf.place(key))
            self._readings.looks.forget(self._shelf.place(key))

    def set_aside(self, key: str) -> str:
        """See `webui.owncopy.copying.Copyist`."""
        with self._lock:
            if damaged_copy(self._shelf.folder, key) is None:
                raise RefereeError(GONE)
            return str(set_aside(self._shelf.folder, key))

    def stop(self) -> None:
        """See `webui.owncopy.copying.Copyist`."""
        self._readings.stop(STOP_S)

    def _name(self, key: str) -> str:
        data = self._shelf.load(key) if key else None
        return str(data["name"]) if data is not None else ""

    def _full(self, copy: Json, board: bool) -> None:
        if not board and (len(copy["photos"]) >= PHOTOS_MAX or copy["next"] >= 1000):
            raise RefereeError(FULL)
