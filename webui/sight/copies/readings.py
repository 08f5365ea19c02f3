"""Reads the photographs of copies in threads, and knows how far each is: what was read, and what was stated since."""

from __future__ import annotations

import contextlib
import logging
import shutil
import threading
from typing import Any

from calibration.capture.cactus.sizes import HEIGHT
from scoring.errors import RefereeError
from webui.owncopy.own_copy import CopyStage
from webui.paths import bring_back, replace_folder
from webui.sight.copies.found import DAMAGED, Reading, load_reading
from webui.sight.copies.looks import PhotoLooks
from webui.sight.copies.names import keep_places
from webui.sight.copies.photos import read_photos, wanted
from webui.sight.copies.readers import costs
from webui.sight.copies.shelf import Shelf
from webui.sight.copies.sizes import heights_in, sizes_said
from webui.sight.copies.work import StoppedError, Work, Works

log = logging.getLogger(__name__)

Json = dict[str, Any]


class Readings:
    """See the module. Whoever asks holds the lock, unless it is said otherwise.

    Parameters
    ----------
    shelf
        Where copies are kept.
    lock
        Held while what is kept of a copy is changed.
    """

    def __init__(self, shelf: Shelf, lock: threading.RLock) -> None:
        turn = threading.Lock()
        self._shelf = shelf
        self._lock = lock
        self._works = Works(lock, turn, self._read, self._over)
        self.looks = PhotoLooks(turn)

    def of(self, key: str) -> Reading | None:
        """What was read of a copy at last; None where nothing was, or what is kept of it is damaged."""
        folder = self._shelf.place(key)
        bring_back(folder)
        return load_reading(folder / "read")

    def work(self, key: str) -> Work | None:
        """The reading of a copy that goes on or waits. Needs no lock."""
        return self._works.of(key)

    def before(self, key: str) -> str:
        """The copy that is read while this one waits for it; empty where none is. Needs no lock."""
        return self._works.before(key)

    def stage(self, key: str, copy: Json) -> CopyStage:
        """How far a copy is. Needs no lock."""
        if self._works.of(key) is not None:
            return CopyStage.READING
        if copy["problem"]:
            return CopyStage.FAILED
        if not copy["photos"]:
            return CopyStage.EMPTY
        done = copy["read"] == wanted(copy) and not self.to_measure(key, copy)
        return CopyStage.READ if done else CopyStage.UNREAD

    def to_measure(self, key: str, copy: Json) -> bool:
        """Whether all photos were read, but with other heights of cacti than are stated. Needs no lock."""
        if copy["game"] != "cactus" or copy["read"] != wanted(copy):
            return False
        try:
            read_with = heights_in(copy.get("sizes", {}))
            if not read_with and not any(HEIGHT in said["fields"] for said in copy["answers"]):
                return False
            return heights_in(self._sizes(key, copy)) != read_with
        except DAMAGED:
            return False  # told where it is shown

    def counts(self, key: str, copy: Json) -> dict[str, int]:
        """How much was found on each photo that was looked through."""
        folder = self._shelf.place(key)
        counted = {name: self.looks.count(folder / name) for name in copy["photos"]}
        return {name: n for name, n in counted.items() if n is not None}

    def begin(self, key: str, *, again: bool = False) -> None:
        """Read all photographs; `again` for what a person stated of them."""
        copy = self._shelf.there(key)
        if not copy["photos"]:
            return
        self._shelf.save(key, copy | {"problem": ""})
        photos = len(copy["photos"])
        self._works.begin(key, Work(costs(copy["game"], photos), photos, self.looks.pace_s, again))

    def measure_anew(self, key: str) -> None:
        """Read once more where other heights of cacti are stated than the reading rests on, or will rest on."""
        copy, work = self._shelf.there(key), self._works.of(key)
        if work is None:
            late = not copy["problem"] and self.to_measure(key, copy)
        else:  # whatever reads for the first time looks at its end
            late = work.again and work.heights not in (None, heights_in(self._sizes(key, copy)))
        if late:
            self.begin(key, again=True)

    def end(self, key: str) -> None:
        """Let a reading end at its next step."""
        self._works.end(key)

    def stop(self, patience_s: float) -> None:
        """End all of them, and wait for what goes on. Needs no lock."""
        self._works.stop(patience_s)
        self.looks.stop(patience_s)

    def _sizes(self, key: str, copy: Json) -> dict[str, Json]:
        """The sizes that were stated, by the ids of the reading; none where it is of other photos."""
        reading = self.of(key) if copy["game"] == "cactus" and copy["read"] == wanted(copy) else None
        return {} if reading is None else sizes_said(reading, copy["answers"])

    def _read(self, key: str, work: Work) -> str:
        def said(_: str) -> None:
            work.next_step()
            if work.end.is_set():
                raise StoppedError

        with self._lock:
            copy = self._shelf.there(key)
            sizes = self._sizes(key, copy)
            work.heights = heights_in(sizes)
        folder = self._shelf.place(key)
        new = folder / "read.new"
        try:
            found = read_photos(copy, folder, new, self.looks, said, sizes)
        except RefereeError:
            log.exception("a photo of %s cannot be read any more", key)
            return "photo"
        if not found:
            return "nothing"
        with self._lock:
            if work.end.is_set():
                shutil.rmtree(new, ignore_errors=True)
                with contextlib.suppress(OSError):  # of a copy that was forgotten nothing else is there
                    folder.rmdir()
                raise StoppedError
            there = self._shelf.there(key)
            if (before := self.of(key)) is not None:
                there |= keep_places(there, before)
                self._shelf.save(key, there)  # the program may be ended when the folder is gone of which they speak
            replace_folder(new, folder / "read")
            self._shelf.save(key, there | {"read": wanted(copy), "sizes": sizes, "saved": False})
        return ""

    def _over(self, key: str, work: Work, problem: str) -> None:
        copy = self._shelf.load(key)
        if copy is not None and problem:
            self._shelf.save(key, copy | {"problem": problem})
        elif copy is not None and not work.again:
            self.measure_anew(key)
