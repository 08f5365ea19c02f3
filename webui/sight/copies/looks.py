"""Looks through each photograph of a copy once, as soon as it is there, and keeps what lies on it."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calibration.capture.deck import Photo, cards_on, pieces_on
from scoring.errors import RefereeError
from vision.sources.photos import load_photo

log = logging.getLogger(__name__)


KEPT_MAX = 400_000_000
"""Bytes that are kept of all photographs; of the oldest ones what lies on them is let go of, and looked for again."""


def weight(thing: object) -> int:
    """About how many bytes the arrays in a thing take."""
    if isinstance(thing, np.ndarray):
        return int(thing.nbytes)
    if isinstance(thing, Mapping):
        return sum(weight(v) for v in thing.values())
    if isinstance(thing, list | tuple):
        return sum(weight(v) for v in thing)
    if dataclasses.is_dataclass(thing):
        return sum(weight(getattr(thing, f.name)) for f in dataclasses.fields(thing))
    return 0


class PhotoLooks:
    """See the module. For any thread.

    Parameters
    ----------
    turn
        Held by whoever reads a copy, so that there is one such work at a time.
    """

    def __init__(self, turn: threading.Lock) -> None:
        self._turn = turn
        self._lock = threading.Lock()
        self._found: dict[Path, dict[str, Any]] = {}
        self._counts: dict[Path, int] = {}
        self._weights: dict[Path, int] = {}
        self._together: dict[Path, dict[tuple[str, ...], Any]] = {}
        self._queue: deque[tuple[Path, str, tuple[float, float]]] = deque()
        self._thread: threading.Thread | None = None
        self._pace_s: float | None = None
        self._looking = False

    @property
    def pace_s(self) -> float | None:
        """Seconds that the last look took; None before the first."""
        return self._pace_s

    def want(self, path: Path, game: str, card_mm: tuple[float, float]) -> None:
        """Look through a photograph in the background."""
        with self._lock:
            self._queue.append((path, game, card_mm))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="looks", daemon=True)
                self._thread.start()

    def open(self, path: Path) -> Photo:
        """A photograph with what is known of it already; what a reader finds on it is kept."""
        rgb = load_photo(path)
        with self._lock:
            return Photo(path.name, rgb, self._found.setdefault(path, {}))

    def together(self, folder: Path) -> dict[tuple[str, ...], Any]:
        """What was found on all photographs of a folder together, by their names; whoever reads them adds to it."""
        with self._lock:
            return self._together.setdefault(folder, {})

    def count(self, path: Path) -> int | None:
        """How many cards or pieces lie on a photograph; None where nobody looked yet."""
        with self._lock:
            return self._counts.get(path)

    def note(self, photo: Photo, path: Path) -> None:
        """A reader has looked through it."""
        with self._lock:
            self._counts[path] = sum(len(found) for found in photo.found.values())
            self._weights[path] = weight(photo.found)
            for old in [p for p in self._found if p != path]:
                if sum(self._weights.get(p, 0) for p in self._found) <= KEPT_MAX:
                    break
                del self._found[old]

    def release(self, folder: Path) -> None:
        """No more photographs are expected in a folder: what lies on them is let go of, how much it was is kept."""
        with self._lock:
            for known in [p for p in self._found if p.parent == folder]:
                del self._found[known]
            self._together.pop(folder, None)

    def forget(self, path: Path) -> None:
        """A photograph, or a folder with all of its photographs, is gone."""
        with self._lock:
            self._queue = deque(w for w in self._queue if path not in (w[0], *w[0].parents))
            for known in [p for p in self._counts | self._found if path in (p, *p.parents)]:
                self._found.pop(known, None)
                self._counts.pop(known, None)
                self._weights.pop(known, None)
            for known in {path, path.parent} & self._together.keys():
                del self._together[known]

    def stop(self, patience_s: float) -> None:
        """Begin no further look, and wait for the one that goes on."""
        with self._lock:
            self._queue.clear()
            thread = self._thread if self._looking else None
        if thread is not None:
            thread.join(timeout=patience_s)

    def _run(self) -> None:
        while True:
            with self._turn:
                with self._lock:
                    if not self._queue:
                        self._thread = None
                        return
                    path, game, card_mm = self._queue.popleft()
                    self._looking = True
                try:
                    self._look(path, game, card_mm)
                except (RefereeError, OSError):
                    pass  # taken out meanwhile
                except Exception:
                    log.exception("%s could not be looked through", path.name)
                finally:
                    self._looking = False

    def _look(self, path: Path, game: str, card_mm: tuple[float, float]) -> None:
        photo = self.open(path)
        begun_s = time.monotonic()
        if game == "cactus":
            pieces_on(photo)
        else:
            cards_on(photo, 0, card_mm)
        self._pace_s = time.monotonic() - begun_s
        self.note(photo, path)
