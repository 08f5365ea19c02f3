"""The one thread that does all the work: looks at frames, carries out commands, writes the log, publishes snapshots.

A second, light thread keeps the newest frame of the source and shows it to the viewers, so that a slow look at one
frame never freezes their picture. Flask's threads only read the `Board` and hand over requests.
"""

from __future__ import annotations

import io
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from scoring.commands import CallEnd, Command, CreateMatch, RecordTable, StartRace, Undo
from scoring.deck import Deck
from scoring.errors import LogError, RefereeError
from scoring.events import decode, encode
from scoring.match import MatchState, decide, fold
from scoring.play import Phase
from webui.archive import read_archive
from webui.director import Director
from webui.picture import Frame, LivePicture
from webui.requests import Attend, Begin, Do, Import, Look, Outcome, Photo, Reply, Request, TakeOver
from webui.seeing import Eye, Reading, Sight, Source
from webui.showing import Current, Shown, plain_word, show
from webui.snapshot import Board, CameraView, Snapshot
from webui.store import MatchRecord, Picture, StaleError, Store, StoreError, UnknownMatchError, now
from webui.views import view_match

log = logging.getLogger(__name__)

WAITING_MAX = 64
"""Requests that may wait; more are turned away instead of filling the memory."""
NOT_HERE = "This match is not at this table."
NO_PICTURE = "There is no picture to judge: no camera sends one. Send a photo of the table."
UNREAD = "No cards can be read in this picture."
CALL_FIRST = "The race is on: first tap who called."
SILENT_S = 4.0
"""A camera that is connected and gives no picture for so long counts as gone."""


@dataclass(slots=True)
class _Mail:
    """Requests and the newest frame, handed over between threads."""

    bell: threading.Condition = field(default_factory=threading.Condition)
    requests: deque[tuple[Request, Future[Reply]]] = field(default_factory=deque)
    frame: Frame | None = None


def _check_shown(record: MatchRecord, state: MatchState) -> None:
    """A log that folds may still be nonsense, as an import that was tampered with: it must not stop the table."""
    try:
        view_match(record, state, 0)
    except Exception as e:
        raise RefereeError(f"This match cannot be shown ({type(e).__name__}: {e}); it was damaged or changed.") from e


class Runner:
    """See the module. Nothing runs before `start`; tests call `step` themselves.

    Parameters
    ----------
    store
        The log; this is its only writer here.
    eye
        All seeing.
    deck
        The deck on this table.
    source
        The camera, or None where only photos are judged.
    director
        Plays a demonstration, or None.
    table
        Name of this table in the database, so that a restart finds the match that was played here.
    clock
        Seconds, monotonic.
    """

    def __init__(
        self,
        store: Store,
        eye: Eye,
        deck: Deck,
        source: Source | None,
        director: Director | None = None,
        table: str = "table",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._eye = eye
        self._deck = deck
        self._source = source
        self._director = director
        self._table = f"at {table}"[:100]
        self._clock = clock
        self._mail = _Mail()
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._current: Current | None = None
        self._sight = Sight("looking")
        self._was_lost = False
        self._judged: Reading | None = None
        self._shown = Shown()
        self.picture = LivePicture(eye.encode, clock)
        self.board = Board(self._snapshot())

    def start(self) -> None:
        """Start the threads."""
        jobs = [("runner", self._run)]
        if self._source is not None:
            jobs.append(("camera", self._pump))
        self._threads = [threading.Thread(target=job, name=name, daemon=True) for name, job in jobs]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the threads and let go of the camera."""
        self._stop.set()
        with self._mail.bell:
            self._mail.bell.notify_all()
        for thread in self._threads:
            thread.join(timeout=5)
        if self._source is not None:
            self._source.close()
        while self._mail.requests:
            answer = self._mail.requests.popleft()[1]
            if answer.set_running_or_notify_cancel():
                answer.set_result(Reply(Outcome.BUSY))

    def resume(self) -> None:
        """Go on with the match that was last at this table, unless it is over. Before `start`, or by a request."""
        match = self._store.recall(self._table)
        if match is not None and self._answer(Attend(match)).outcome is Outcome.DONE:
            if self._current is not None and self._current.state.phase is Phase.FINISHED:
                self._current = None
            self.board.publish(self._snapshot())

    def submit(self, request: Request, timeout_s: float = 20.0) -> Reply:
        """Hand over a request and wait for its outcome. For any thread but the runner's."""
        answer: Future[Reply] = Future()
        with self._mail.bell:
            if len(self._mail.requests) >= WAITING_MAX or self._stop.is_set():
                return Reply(Outcome.BUSY)
            self._mail.requests.append((request, answer))
            self._mail.bell.notify_all()
        try:
            return answer.result(timeout_s)
        except TimeoutError:
            # Taken back, so that "nothing was changed" is true; what has begun is waited for.
            return Reply(Outcome.BUSY) if answer.cancel() else answer.result()

    def offer(self, frame: Frame) -> None:
        """Make `frame` the newest. For the camera's thread."""
        self.picture.show(frame)
        with self._mail.bell:
            self._mail.frame = frame
            self._mail.bell.notify_all()

    def step(self, timeout_s: float = 0.0) -> None:
        """Carry out the waiting requests, then look at the newest frame if there is one."""
        with self._mail.bell:
            self._mail.bell.wait_for(
                lambda: bool(self._mail.requests) or self._mail.frame is not None or self._stop.is_set(), timeout_s
            )
            requests = list(self._mail.requests)
            self._mail.requests.clear()
            frame, self._mail.frame = self._mail.frame, None
        replies = [(a, self._answer(request)) for request, a in requests if a.set_running_or_notify_cancel()]
        if replies:
            # Published before it is answered: who reads on after an answer sees no older state.
            try:
                self.board.publish(self._snapshot())
            finally:
                for answer, reply in replies:
                    answer.set_result(reply)
        if frame is not None:
            self._see(frame)
        self._watch_source()
        self.board.publish(self._snapshot())

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self.step(0.5)
            except Exception:
                # A bug in one step must not end the match; it is in the log, and the next step starts anew.
                log.exception("a step of the runner failed")
                self._stop.wait(0.5)

    def _pump(self) -> None:
        assert self._source is not None
        while not self._stop.is_set() and self._source.state != "ended":
            try:
                frame = self._source.read(0.5)
            except RefereeError as e:
                log.warning("%s", e)
                self._stop.wait(0.5)
                continue
            if frame is not None:
                self.offer(frame)

    def _see(self, frame: Frame) -> None:
        try:
            self._sight = self._eye.look(frame)
        except Exception:
            log.exception("a frame could not be looked at")
            self._sight = Sight("looking", "failed")
        self._work_out()
        self._record_if_awaited()
        if self._director is not None:
            self._direct(frame.at_s)

    def _record_if_awaited(self) -> None:
        """After the call the first picture that lies still is judged."""
        current, reading = self._current, self._sight.reading
        if current is None or current.state.phase is not Phase.CHECKING or self._sight.word != "settled":
            return
        # After an undo the same picture is not judged again by itself; after a new call it is.
        if reading is None or not reading.final or reading is self._judged or self._shown.hidden:
            return
        try:
            reply = self._record(current, reading)
        except (RefereeError, StoreError) as e:
            reply = Reply(Outcome.REFUSED, message=str(e))
        if reply.outcome is not Outcome.DONE:
            log.warning("the settled picture was not recorded: %s %s", reply.outcome, reply.message)

    def _direct(self, at_s: float) -> None:
        assert self._director is not None
        judged = self._current is not None and self._current.state.phase is Phase.VERDICT
        command = self._director.due(at_s, now(), judged)
        if command is None:
            return
        try:
            if isinstance(command, CreateMatch):
                reply = self._begin(Begin("Demo", command))
            elif self._current is None:
                return
            else:
                reply = self._carry_out(Do(self._current.record.id, self._current.seq, (command,)))
        except RefereeError:
            return  # too early: the match waits for the picture; tried again with the next frame
        if reply.outcome is Outcome.DONE:
            self._director.done()

    def _watch_source(self) -> None:
        lost = self._camera_lost()
        if lost and not self._was_lost:
            self._sight = Sight("looking")
            self._eye.reset()
        self._was_lost = lost

    def _camera_lost(self) -> bool:
        if self._source is None or self._source.state == "ended":
            return False
        age = self.picture.age_s
        return self._source.state == "lost" or (age is not None and age > SILENT_S)

    def _answer(self, request: Request) -> Reply:
        try:
            match request:
                case Do():
                    return self._carry_out(request)
                case Begin():
                    return self._begin(request)
                case Attend():
                    return self._attend(request.match)
                case Look():
                    return self._look(request)
                case Photo():
                    return self._photo(request)
                case Import():
                    return self._import(request.text)
                case TakeOver():
                    self._director = None
                    return Reply(Outcome.DONE)
        except UnknownMatchError:
            return Reply(Outcome.UNKNOWN)
        except (RefereeError, StoreError, ValueError) as e:
            return Reply(Outcome.REFUSED, message=str(e))
        except Exception:
            log.exception("a request failed: %s", type(request).__name__)
            return Reply(Outcome.FAILED)

    def _load(self, match: str) -> Current:
        """The match, folded; the one at this table from memory where nobody else wrote."""
        current = self._current
        if current is not None and current.record.id == match and self._store.last_seq(match) == current.seq:
            return current
        events = tuple(decode(dict(e.body)) for e in self._store.events(match))
        loaded = Current(self._store.record(match), events, fold(events))
        if current is not None and current.record.id == match:
            self._current = loaded
        return loaded

    def _carry_out(self, request: Do) -> Reply:
        loaded = self._load(request.match)
        if request.command_id and self._store.has_command(request.match, request.command_id):
            return Reply(Outcome.REPEATED, request.match, loaded.seq)
        if request.seq != loaded.seq:
            return Reply(Outcome.STALE, request.match, loaded.seq)
        if any(isinstance(c, CallEnd | StartRace) for c in request.commands):
            self._judged = None
        if any(isinstance(c, Undo) for c in request.commands):
            self._judged = self._sight.reading or self._judged
        return self._write(loaded, request.commands, command_id=request.command_id)

    def _write(
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
            return Reply(Outcome.STALE, match, self._load(match).seq)
        loaded.events, loaded.state = events, state
        return Reply(Outcome.DONE, match, loaded.seq)

    def _begin(self, request: Begin) -> Reply:
        events = decide(MatchState(), request.command)  # refused before anything is stored
        record = self._store.create(request.command.game, request.title, request.command.deck.name)
        self._store.append(record.id, 0, [encode(e) for e in events])
        self._current = Current(record, events, fold(events))
        self._store.remember(self._table, record.id)
        return Reply(Outcome.DONE, record.id, len(events))

    def _attend(self, match: str) -> Reply:
        loaded = self._load(match)
        _check_shown(loaded.record, loaded.state)
        self._store.remember(self._table, match)
        self._current = loaded
        return Reply(Outcome.DONE, match, self._current.seq)

    def _here(self, match: str, seq: int) -> Current | Reply:
        """The match at this table, or why a picture cannot be judged for it."""
        loaded = self._load(match)
        if loaded is not self._current:
            return Reply(Outcome.REFUSED, match, loaded.seq, NOT_HERE)
        return loaded if seq == loaded.seq else Reply(Outcome.STALE, match, loaded.seq)

    def _look(self, request: Look) -> Reply:
        loaded = self._here(request.match, request.seq)
        if isinstance(loaded, Reply):
            return loaded
        newest = self.picture.newest
        if newest is None or self._camera_lost():
            return Reply(Outcome.REFUSED, request.match, loaded.seq, NO_PICTURE)
        return self._judge_still(loaded, newest)

    def _photo(self, request: Photo) -> Reply:
        loaded = self._here(request.match, request.seq)
        if isinstance(loaded, Reply):
            return loaded
        frame = self._eye.open(request.data)
        if self._source is None or self._source.state != "connected":
            self.picture.show(frame)
        return self._judge_still(loaded, frame)

    def _judge_still(self, loaded: Current, frame: Frame) -> Reply:
        sight = self._eye.read(frame)
        match, seq = loaded.record.id, loaded.seq
        if sight.reading is None:
            return Reply(Outcome.REFUSED, match, seq, UNREAD)
        self._sight = sight
        if loaded.state.phase in (Phase.CHECKING, Phase.VERDICT):
            return self._record(loaded, sight.reading)
        if loaded.state.phase is Phase.RACING:
            return Reply(Outcome.REFUSED, match, seq, CALL_FIRST)
        return Reply(Outcome.DONE, match, seq)

    def _record(self, loaded: Current, reading: Reading) -> Reply:
        marks = {"size": list(reading.size), "quads": {k: [list(p) for p in q] for k, q in reading.quads.items()}}
        picture = Picture.of(self._eye.evidence(reading.frame), marks=marks)
        command = RecordTable(now(), reading.table, picture.id)
        reply = self._write(loaded, (command,), (picture,))
        if reply.outcome is Outcome.DONE:
            self._judged = reading
        return reply

    def _import(self, text: str) -> Reply:
        head, events, pictures = read_archive(io.StringIO(text))
        try:
            state = fold(tuple(decode(dict(e.body)) for e in events))
        except LogError as e:
            raise RefereeError(f"This match cannot be read: {e}") from e
        _check_shown(head, state)
        record = self._store.add(head, events, pictures)
        return Reply(Outcome.DONE, record.id, record.last_seq)

    def _snapshot(self) -> Snapshot:
        sight, source = self._sight, self._source
        shown = self._work_out()
        lost = self._camera_lost() or (source is None and self.picture.number == 0)
        still = "photo" if source is None else "ended" if source.state == "ended" else ""
        word, hint = plain_word(shown, sight, lost, still)
        return Snapshot(
            state=word,
            hint=hint,
            # In hundreds: a page need not be told of every frame.
            camera=CameraView("none", 0)
            if source is None
            else CameraView(str(source.state), source.dropped // 100 * 100),
            picture_size=sight.reading.size if sight.reading else None,
            cards=shown.cards,
            match=shown.match,
            seen_scoring=shown.scoring,
            demo=self._director is not None,
        )

    def _work_out(self) -> Shown:
        """What the page shows of the match and the table, worked out anew only where one of them changed."""
        if not self._shown.is_of(self._current, self._sight.reading):
            self._shown = show(self._current, self._sight.reading, self._deck)
        return self._shown
