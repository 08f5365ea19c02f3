"""The match at this table: read from the log, written to the log, brought here from elsewhere.

All of it runs in the runner's thread, which is the only writer.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from typing import IO

from scoring.commands import Command
from scoring.errors import LogError, RefereeError
from scoring.events import Event, decode, encode
from scoring.log_check import check_log
from scoring.match import MatchState, decide, fold
from scoring.table import Point
from scoring.verdicts import Ruling, RulingStatus
from webui.log.archive import read_archive
from webui.log.store import MatchRecord, Picture, StaleError, Store
from webui.shown.views import view_match
from webui.table.area import rescaled
from webui.table.requests import Begin, Do, Outcome, Reply

FIRST_GAME = "rox"
"""Its table has the plain name: it was there before the others."""
NOT_HERE = "This match is not at this table."


@dataclass(slots=True)
class Current:
    """A match, folded."""

    record: MatchRecord
    events: tuple[Event, ...]
    state: MatchState

    @property
    def seq(self) -> int:
        """Number of its events."""
        return len(self.events)


class Desk:
    """See the module.

    Parameters
    ----------
    store
        The log.
    table
        Name of this table in the database, so that a restart finds the match that was played here.
    """

    def __init__(self, store: Store, table: str, game: str) -> None:
        self._store = store
        self._name = table
        self._table = ""
        self.current: Current | None = None
        self.play(game)

    def play(self, game: str) -> None:
        """Play this game here from now on: each has its table, and a match of another one is not gone on with."""
        here = self._name if game == FIRST_GAME else f"{self._name} {game}"
        self._table = f"at {here}"[:100]

    def last_here(self) -> str | None:
        """The match that was last at this table; None where there is none, or where it was put aside."""
        return self._store.recall(self._table) or None

    @property
    def here_now(self) -> str:
        """Id of the match at this table, or empty."""
        return "" if self.current is None else self.current.record.id

    def load(self, match: str) -> Current:
        """The match, folded; the one at this table from memory where nobody else wrote."""
        current = self.current
        if current is not None and current.record.id == match and self._store.last_seq(match) == current.seq:
            return current
        events = tuple(decode(dict(e.body)) for e in self._store.events(match))
        loaded = Current(self._store.record(match), events, fold(events))
        if current is not None and current.record.id == match:
            self.current = loaded
        return loaded

    def here(self, match: str, seq: int) -> Current | Reply:
        """The match at this table, or why a picture cannot be judged for it."""
        loaded = self.load(match)
        if loaded is not self.current:
            return Reply(Outcome.REFUSED, match, loaded.seq, NOT_HERE)
        return loaded if seq == loaded.seq else Reply(Outcome.STALE, match, loaded.seq)

    def asked(self, request: Do) -> Current | Reply:
        """The match of a button's command, or why the command is not carried out: it was before, or it is late."""
        loaded = self.load(request.match)
        if request.command_id and self._store.has_command(request.match, request.command_id):
            return Reply(Outcome.REPEATED, request.match, loaded.seq)
        if request.seq != loaded.seq:
            return Reply(Outcome.STALE, request.match, loaded.seq)
        return loaded

    def write(
        self,
        loaded: Current,
        commands: tuple[Command, ...],
        pictures: tuple[Picture, ...] = (),
        command_id: str | None = None,
    ) -> Reply:
        """Decide and append; only what is on disk becomes the state."""
        match, events, state = loaded.record.id, loaded.events, loaded.state
        for command in commands:
            events = (*events, *decide(state, command))
            state = fold(events)
        fresh = events[loaded.seq :]
        try:
            self._store.append(match, loaded.seq, [encode(e) for e in fresh], pictures, command_id)
        except StaleError:
            return Reply(Outcome.STALE, match, self.load(match).seq)
        loaded.events, loaded.state = events, state
        return Reply(Outcome.DONE, match, loaded.seq)

    def begin(self, request: Begin) -> Reply:
        """Start a match here."""
        events = decide(MatchState(), request.command)  # refused before anything is stored
        record = self._store.create(request.command.game, request.title, request.command.deck.name)
        self._store.append(record.id, 0, [encode(e) for e in events])
        self.current = Current(record, events, fold(events))
        self._store.remember(self._table, record.id)
        return Reply(Outcome.DONE, record.id, len(events))

    def drop(self, match: str) -> None:
        """Forget a match for good, unless it is the one that is here."""
        if match and (self.current is None or self.current.record.id != match):
            self._store.remove(match)

    def attend(self, match: str) -> Reply:
        """Bring a match here."""
        loaded = self.load(match)
        _check_shown(loaded.record, loaded.state)
        self._store.remember(self._table, match)
        self.current = loaded
        return Reply(Outcome.DONE, match, self.current.seq)

    def put_aside(self) -> None:
        """The match that is here is here no more: it is in the list, and a restart does not go on with it."""
        self.current = None
        self._store.remember(self._table, "")

    def noted_deck(self) -> str:
        """Key of the deck that was chosen last at this table, or empty."""
        return self._store.recall(f"deck {self._table}"[:100]) or ""

    def note_deck(self, key: str) -> None:
        """Remember which deck was chosen at this table."""
        self._store.remember(f"deck {self._table}"[:100], key)

    def area(self, size: tuple[int, int] | None = None, camera: str = "") -> tuple[Point, ...]:
        """The playing area that was agreed for the match that is here, in pixels; empty where none was.

        Parameters
        ----------
        size
            Width and height of the pictures of now, or None: as those were on which it was drawn. In pictures of
            another shape nobody knows where it lies, so it is none.
        camera
            Which camera gives them: each has the area that was drawn on its own. Empty: the one of the last area.
        """
        if self.current is None:
            return ()
        match = self.current.record.id
        try:
            own = self._store.recall(f"area {match} {_short(camera)}") if camera else None
            told = json.loads(own or self._store.recall(f"area {match}") or "[]")
            points, drawn = (told["points"], told["size"]) if isinstance(told, dict) else (told, None)
            by = told.get("by", "") if isinstance(told, dict) else ""
            if camera and by and by != _short(camera):
                return ()
            area = tuple((float(x), float(y)) for x, y in points)
            return area if size is None or drawn is None else rescaled(area, tuple(drawn), size) or ()
        except (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError):
            return ()

    def agree(self, area: tuple[Point, ...], size: tuple[int, int] | None, camera: str = "") -> None:
        """Note the playing area of the match that is here, drawn on pictures of a size that a camera gave.

        In the log it stands with every table, in mm.
        """
        assert self.current is not None
        match, by = self.current.record.id, _short(camera) if camera else ""
        note = json.dumps({"points": area, "size": size, "by": by})
        self._store.remember(f"area {match}", note)
        if by:
            self._store.remember(f"area {match} {by}", note)

    def take_in(self, text: str) -> Reply:
        """Store an exported match."""
        record = take_in(self._store, io.StringIO(text))
        return Reply(Outcome.DONE, record.id, record.last_seq)


def _short(camera: str) -> str:
    """A camera's name, short enough for the name of a setting."""
    return hashlib.blake2s(camera.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def ruling_of(state: MatchState) -> Ruling | None:
    """The ruling that a match shows now: that of its last round, unless that one was agreed to."""
    ruling = state.rounds[-1].ruling if state.rounds else None
    return ruling if ruling is not None and ruling.status is not RulingStatus.CONFIRMED else None


def take_in(store: Store, lines: IO[str]) -> MatchRecord:
    """Store an exported match; raises ArchiveError or RefereeError where it is none that can be shown."""
    head, events, pictures = read_archive(lines)
    try:
        log = tuple(decode(dict(e.body)) for e in events)
        state = fold(log)
        check_log(log)
    except LogError as e:
        raise RefereeError(f"This match cannot be read: {e}") from e
    except Exception as e:
        raise RefereeError(f"This match cannot be read ({type(e).__name__}: {e}); it was damaged or changed.") from e
    _check_shown(head, state)
    return store.add(head, events, pictures)


def _check_shown(record: MatchRecord, state: MatchState) -> None:
    """A log that folds may still be nonsense, as an import that was tampered with: it must not stop the table."""
    try:
        view_match(record, state, 0)
    except Exception as e:
        raise RefereeError(f"This match cannot be shown ({type(e).__name__}: {e}); it was damaged or changed.") from e
    if state.created is not None and state.created.game != record.game:
        raise RefereeError(
            f"This match is of {state.created.game} and not of {record.game}; it was damaged or changed."
        )
