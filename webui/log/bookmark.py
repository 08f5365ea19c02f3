"""How far a recording was looked at for a match, so that a restart goes on behind it.

A video file or a folder of pictures shows the past: what was looked at once says nothing of the match as it stands
later, so after a restart none of it is judged again.
"""

from __future__ import annotations

from collections.abc import Callable

from webui.log.store import Store


class Bookmark:
    """See the module.

    Parameters
    ----------
    store
        Keeps the places.
    name
        Of the recording.
    place
        Number of the picture that the recording gave last; below 0 before the first.
    step
        How many pictures it goes on before its place is noted anew.
    """

    def __init__(self, store: Store, name: str, place: Callable[[], int], step: int = 1) -> None:
        self._store = store
        self._name = name
        self._place = place
        self._step = step
        self._resumed: tuple[str, int] | None = None
        self._noted: tuple[str, int] | None = None

    def resume(self, match: str) -> int | None:
        """The number of the last picture that was looked at for this match; None where it saw none of the recording."""
        place, _, name = (self._store.recall(_key(match)) or "").partition(" ")
        if name != self._name or not place.isdecimal():
            return None
        self._resumed = (match, int(place))
        return int(place)

    def passed(self, match: str) -> bool:
        """Whether the picture that the recording gave last was looked at for this match before the restart."""
        return self._resumed is not None and self._resumed[0] == match and self._place() <= self._resumed[1]

    def note(self, match: str) -> None:
        """The picture that the recording gave last was looked at for this match."""
        place = self._place()
        if place < 0:
            return
        if self._noted is None or self._noted[0] != match or place >= self._noted[1] + self._step:
            self._noted = (match, place)
            self._store.remember(_key(match), f"{place} {self._name}")


def _key(match: str) -> str:
    return f"recording {match}"
