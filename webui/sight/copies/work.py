"""Readings of copies' photographs in threads, one at a time: how far each is, and how long it still takes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

log = logging.getLogger(__name__)

_KNOWN_S = 0.25
"""A step that took less found what was known already, and tells nothing of how fast the others go."""
_LEAST_COST = 0.2
"""Looks that a later step must be expected to take, so that its time tells how fast it goes on."""


ENDS = "a copy is being read: that ends with the step that goes on, in some seconds; photos and answers are kept"


class StoppedError(Exception):
    """Reading is not wanted any more."""


@dataclass(slots=True)
class Work:
    """A reading that goes on, or waits for its turn.

    Parameters
    ----------
    costs
        What each step takes, in looks at a photo.
    photos
        How many of the steps are looks at photos: the first ones.
    pace_s
        Seconds of a look, as far as that is known.
    again
        Whether the same photographs are read again, for what a person stated.
    clock
        Seconds, monotonic.
    heights
        The heights of cacti that it rests on, from its beginning on.
    """

    costs: Sequence[float]
    photos: int
    pace_s: float | None = None
    again: bool = False
    clock: Callable[[], float] = time.monotonic
    end: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    step: int = 0
    heights: Mapping[str, Any] | None = None
    _since_s: float | None = None

    @property
    def waits(self) -> bool:
        """Whether its turn has not come yet."""
        return self._since_s is None

    def begin(self) -> None:
        """Its turn has come."""
        self._since_s = self.clock()

    def next_step(self) -> None:
        """A step is done; how long it took tells how fast the others go."""
        now = self.clock()
        took_s = now - (now if self._since_s is None else self._since_s)
        self._since_s = now
        cost = self.costs[self.step] if self.step < len(self.costs) else 0.0
        if cost >= _LEAST_COST and took_s > _KNOWN_S:
            seen_s = took_s / cost
            self.pace_s = seen_s if self.pace_s is None else (self.pace_s + seen_s) / 2
        self.step = min(self.step + 1, len(self.costs))

    def at(self, looked: int = 0) -> int:
        """How many steps are done, where `looked` photos were looked through before."""
        return max(self.step, min(looked, self.photos))

    def done(self, looked: int = 0) -> float:
        """The share that is done, where `looked` photos were looked through before."""
        all_ = sum(self.costs)
        return (all_ - self._left(looked)) / all_ if all_ else 0.0

    def left_s(self, looked: int = 0) -> float | None:
        """Seconds that it still takes; None while that is not known."""
        return None if self.pace_s is None or self.waits else self._left(looked) * self.pace_s

    def _left(self, looked: int) -> float:
        """Looks that are still to be done, or what takes as long.

        Of the step that goes on half is left when it should be done, and less and less after that: what takes longer
        than was to be expected is never said to be done soon for long.
        """
        at = self.at(looked)
        left = sum(self.costs[at:])
        if at == self.step < len(self.costs) and self.pace_s and self._since_s is not None:
            cost, gone = self.costs[at], (self.clock() - self._since_s) / self.pace_s
            left -= cost - cost**2 / max(cost + gone, 1e-9)
        return left


class Works:
    """Readings in threads of their own, of which one goes on at a time.

    Parameters
    ----------
    lock
        Held while what goes on is changed.
    turn
        Held by the one that goes on.
    read
        Reads a copy and gives why that failed, or nothing; may raise `StoppedError`.
    over
        Told of a copy, holding the lock, that its reading ended by itself, and why it failed.
    """

    def __init__(
        self,
        lock: threading.RLock,
        turn: threading.Lock,
        read: Callable[[str, Work], str],
        over: Callable[[str, Work, str], None],
    ) -> None:
        self._lock = lock
        self._turn = turn
        self._read = read
        self._over = over
        self._all: dict[str, Work] = {}

    def of(self, key: str) -> Work | None:
        """The reading of a copy that goes on or waits."""
        return self._all.get(key)

    def before(self, key: str) -> str:
        """The copy that is read while this one waits for it; empty where none is."""
        work = self._all.get(key)
        if work is None or not work.waits:
            return ""
        return next((k for k, other in list(self._all.items()) if not other.waits), "")

    def begin(self, key: str, work: Work) -> None:
        """Begin a reading, in the place of one that goes on."""
        with self._lock:
            self.end(key)
            self._all[key] = work
            work.thread = threading.Thread(target=self._run, args=(key, work), name="copyist", daemon=True)
            work.thread.start()

    def end(self, key: str) -> None:
        """Let a reading end at its next step."""
        work = self._all.pop(key, None)
        if work is not None:
            work.end.set()

    def stop(self, patience_s: float) -> None:
        """End all of them, and wait for the one that goes on."""
        with self._lock:
            on = [w.thread for w in self._all.values() if w.thread is not None and not w.waits]
            for key in list(self._all):
                self.end(key)
        if on:
            log.warning(ENDS)
        for thread in on:
            thread.join(timeout=patience_s)

    def _run(self, key: str, work: Work) -> None:
        problem = "error"
        try:
            with self._turn:
                if work.end.is_set():
                    return
                work.begin()
                problem = self._read(key, work)
        except StoppedError:
            return
        except Exception:
            log.exception("a copy could not be read")
        with self._lock:
            if self._all.get(key) is work:
                del self._all[key]
                self._over(key, work, problem)
