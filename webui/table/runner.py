"""The one thread that does all the work: looks at frames, carries out commands, writes the log, publishes snapshots.

A second, light thread keeps the newest frame of the source and shows it to the viewers, so that a slow look at one
frame never freezes their picture. Flask's threads only read the `Board` and hand over requests.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable

from scoring.deck import Deck
from scoring.errors import RefereeError
from scoring.play import Phase
from scoring.table import Point
from webui.decks.here import NOT_THERE, DeckHere, Decks
from webui.log.bookmark import Bookmark
from webui.log.database import StoreError
from webui.log.store import Store, UnknownMatchError
from webui.shown.snapshot import Board, Snapshot
from webui.table.desk import NOT_HERE, Desk
from webui.table.directing import Directing
from webui.table.director import Director
from webui.table.judging import Judging
from webui.table.mailbox import Mailbox
from webui.table.picture import Frame, LivePicture
from webui.table.playing import Shown
from webui.table.requests import (
    AgreeArea,
    Attend,
    Begin,
    Do,
    Import,
    LayDeck,
    Look,
    NewCamera,
    Outcome,
    Photo,
    Reply,
    Request,
    SecondPhoto,
    TakeOver,
    TakeTable,
)
from webui.table.seeing import Eye, Source
from webui.table.showing import plain_word, show
from webui.table.source_watch import SourceWatch
from webui.table.strangers import strangers

log = logging.getLogger(__name__)

OTHER_GAME = "This table plays another game: start the referee for that one."
HAND_OVER_S = 0.001
"""A thread that computes lets another one in after so long: a frame that is read in ten steps is still in time."""


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
    bookmark
        How far the source was looked at, where it is a recording; else None.
    decks
        Which decks there are, where another one may be laid; else None.
    deck_key
        Key of `deck` among them.
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
        bookmark: Bookmark | None = None,
        decks: Decks | None = None,
        deck_key: str = "",
    ) -> None:
        self._store = store
        self._bookmark = bookmark
        self._eye = eye
        self._source = source
        self._mail = Mailbox()
        self._threads: list[threading.Thread] = []
        self._area_of: tuple[tuple[int, int], str] | None = None
        self._shown = Shown()
        self._photo_read = False
        self.picture = LivePicture(eye.encode, clock)
        self._watch = SourceWatch(source, self.picture, patient=director is not None)
        self._desk = Desk(store, table, deck.game)
        self._judging = Judging(eye, self._desk, self.picture)
        self.deck = DeckHere(deck, deck_key, decks, self._desk, self._take_up)
        self._directing: Directing | None = None
        if director is not None:
            self._directing = Directing(director, self._desk, self._judging, self._carry_out)
        self.board = Board(self._snapshot())

    def start(self) -> None:
        """Start the threads. From then on none of the program's holds the word longer than the camera can wait."""
        sys.setswitchinterval(min(HAND_OVER_S, sys.getswitchinterval()))
        jobs = [("runner", self._run)]
        if self._source is not None:
            jobs.append(("camera", self._pump))
        self._threads = [threading.Thread(target=job, name=name, daemon=True) for name, job in jobs]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop the threads and let go of the camera."""
        self._mail.close()
        for thread in self._threads:
            thread.join(timeout=5)
        if self._source is not None:
            self._source.close()
        self._mail.turn_away()

    def resume(self, *, keep_deck: bool = False) -> None:
        """Go on with the match that was last at this table, unless it is over. Before `start`.

        With `keep_deck` the deck of the start stays: a match with another one waits in the list.
        """
        if not keep_deck:
            self.deck.lay_noted()
        match = self._desk.last_here()
        if match is not None and keep_deck and not self.deck.is_of(match):
            return
        if match is not None and self._answer(Attend(match)).outcome is Outcome.DONE:
            current = self._desk.current
            if current is not None and current.state.phase is Phase.FINISHED:
                self._desk.current = None
            self.board.publish(self._snapshot())

    def submit(self, request: Request, timeout_s: float = 20.0) -> Reply:
        """Hand over a request and wait for its outcome. For any thread but the runner's."""
        return self._mail.submit(request, timeout_s)

    def offer(self, frame: Frame) -> None:
        """Make `frame` the newest. For the camera's thread."""
        if self._watch.taken_over:
            return  # the recording plays on for nobody: what it shows later is not the table of the match
        self._watch.came = True
        self.picture.show(frame)
        self._mail.offer(frame)

    def step(self, timeout_s: float = 0.0) -> None:
        """Carry out the waiting requests, then look at the newest frame if there is one."""
        requests, frame = self._mail.take(timeout_s)
        replies = [(a, self._answer(request)) for request, a in requests if a.set_running_or_notify_cancel()]
        if replies:
            # Published before it is answered: who reads on after an answer sees no older state.
            try:
                self.board.publish(self._snapshot())
            finally:
                for answer, reply in replies:
                    answer.set_result(reply)
        if frame is not None and not self._watch.taken_over:
            self._see(frame)
        if self._bookmark is not None and self._desk.current is not None:
            self._bookmark.note(self._desk.current.record.id)
        if self._watch.just_lost():
            self._judging.forget()
        self.board.publish(self._snapshot())

    def _run(self) -> None:
        told = ""
        while not self._mail.closed:
            try:
                self.step(0.5)
                told = ""
            except StoreError as e:  # locked or full: told once, not at each step, until it can be used again
                if str(e) != told:
                    log.warning("%s", e)
                told = str(e)
                self._mail.pause(0.5)
            except Exception:
                # A bug in one step must not end the match; it is in the log, and the next step starts anew.
                log.exception("a step of the runner failed")
                self._mail.pause(0.5)

    def _pump(self) -> None:
        assert self._source is not None
        while not self._mail.closed:
            if self._watch.state == "ended":
                self._mail.pause(0.3)  # another camera may be chosen
                continue
            try:
                frame = self._source.read(0.5)
            except RefereeError as e:
                log.warning("%s", e)
                self._mail.pause(0.5)
                continue
            if frame is not None:
                self.offer(frame)

    def _see(self, frame: Frame) -> None:
        if (seen := (self._eye.size(frame), self._eye.camera(frame))) != self._area_of:
            # Another camera, or another setting of it, since the area was drawn.
            self._area_of = seen
            self._eye.agree(self._desk.area(*seen))
        self._judging.see(frame)
        if self._looked_at_before():
            self._judging.pass_over()
        self._judging.record_if_awaited(self._work_out())
        if self._directing is not None:
            self._directing.at(frame.at_s)

    def _looked_at_before(self) -> bool:
        """Whether the recording shows what it showed this match before a restart."""
        current = self._desk.current
        return self._bookmark is not None and current is not None and self._bookmark.passed(current.record.id)

    def _answer(self, request: Request) -> Reply:
        was = self._desk.here_now
        try:
            match request:
                case Do():
                    return self._carry_out(request)
                case Begin():
                    return self._arrived(self._desk.begin(request), was)
                case Attend():
                    return self._attend(request.match)
                case AgreeArea():
                    return self._agree(request)
                case TakeTable():
                    return self._judging.take(request, lost=self._watch.blind)
                case Look():
                    return self._judging.look(request, lost=self._watch.blind)
                case Photo() | SecondPhoto():
                    return self._judge_photo(request)
                case Import():
                    return self._desk.take_in(request.text)
                case LayDeck():
                    return self.deck.lay(request)
                case TakeOver():
                    return self._take_over()
                case NewCamera():
                    self._judging.forget()
                    return Reply(Outcome.DONE)
        except UnknownMatchError:
            return Reply(Outcome.UNKNOWN)
        except (RefereeError, StoreError, ValueError) as e:
            return Reply(Outcome.REFUSED, message=str(e))
        except Exception:
            log.exception("a request failed: %s", type(request).__name__)
            return Reply(Outcome.FAILED)

    def _judge_photo(self, request: Photo | SecondPhoto) -> Reply:
        """Judge a photo; that it is being looked at is shown meanwhile."""
        self._photo_read = True
        try:
            self.board.publish(self._snapshot())
            if isinstance(request, SecondPhoto):
                return self._judging.second(request)
            return self._judging.photo(request, live=self._watch.state == "connected")
        finally:
            self._photo_read = False

    def _take_over(self) -> Reply:
        """The recording stands still for good. Its picture stays, but is judged no more: people play on otherwise."""
        if self._directing is not None:
            self._directing.stop()
            self._directing = None
            self._watch.taken_over = True
            self._judging.forget()
        return Reply(Outcome.DONE)

    def area_of_picture(self, *, propose: bool = True) -> tuple[tuple[int, int] | None, tuple[Point, ...]]:
        """Size of the newest picture, and, to `propose`, the table's edge where it is found in it. For any thread."""
        newest = self.picture.newest
        if newest is None:
            return None, ()
        return self._eye.size(newest), self._eye.propose_area(newest) if propose else ()

    def _newest_of(self) -> tuple[tuple[int, int], str] | None:
        """Size of the newest picture, and the camera that gave it."""
        newest = self.picture.newest
        return None if newest is None else (self._eye.size(newest), self._eye.camera(newest))

    def _attend(self, match: str) -> Reply:
        if self._store.record(match).game not in self.deck.games():
            return Reply(Outcome.REFUSED, match, message=OTHER_GAME)
        deck = self._desk.load(match).state.deck
        if deck is not None and not self.deck.suit(deck):
            return Reply(Outcome.REFUSED, match, message=NOT_THERE)
        was = self._desk.here_now
        return self._arrived(self._desk.attend(match), was)

    def _take_up(self, look: object) -> None:
        """Another deck lies here: what the eye saw before was another one."""
        self._eye.take_up(look)
        self._judging.forget()
        self.picture.empty_of_photo()

    def _arrived(self, reply: Reply, was: str) -> Reply:
        """A match came to this table, where another one `was`: its playing area holds from now on.

        A photo that was sent for another match says nothing of this one.
        """
        if reply.match != was and self.picture.empty_of_photo():
            self._judging.forget()
        self._area_of = self._newest_of()
        self._eye.agree(self._desk.area(*(self._area_of or ())))
        return reply

    def _agree(self, request: AgreeArea) -> Reply:
        current = self._desk.current
        if current is None or current.record.id != request.match:
            return Reply(Outcome.REFUSED, request.match, message=NOT_HERE)
        self._area_of = self._newest_of()
        self._desk.agree(request.area, *(self._area_of or (None,)))
        self._eye.agree(request.area)
        return Reply(Outcome.DONE, request.match, current.seq)

    def _carry_out(self, request: Do) -> Reply:
        loaded = self._desk.asked(request)
        if isinstance(loaded, Reply):
            return loaded
        self._judging.before(request)
        return self._judging.after(self._desk.write(loaded, request.commands, command_id=request.command_id))

    def _snapshot(self) -> Snapshot:
        sight, watch = self._judging.sight, self._watch
        shown = self._work_out()
        lost = self.picture.number == 0 if watch.absent else watch.lost
        word, hint = plain_word(shown, sight, self.deck.deck, watch.still, lost=lost)
        if watch.absent and lost:
            hint = "by-photo"
        elif word == "checking" and not hint and (watch.absent or self._judging.passed):
            hint = "awaits-photo" if watch.absent else "awaits-word"
        elif watch.taken_over and sight.reading is None:
            hint = "taken-over"
        if kept_for := self._judging.kept_for:
            hint = f"kept-{kept_for}"
        if self._photo_read:
            hint = "photo-read"
        return Snapshot(
            state=word,
            hint=hint or ("" if lost else sight.doubt),
            camera=watch.view,
            picture_size=sight.reading.size if sight.reading else None,
            cards=shown.cards,
            match=shown.match,
            seen_scoring=shown.scoring,
            demo=self._directing is not None,
            conex=shown.conex,
            cactus=shown.cactus,
            strangers=self._strangers(),
        )

    def _strangers(self) -> int:
        reading, current = self._judging.sight.reading, self._desk.current
        deck = (current.state.deck if current else None) or self.deck.deck
        if reading is None or deck.game == "cactus":
            return 0
        return strangers(reading.table, board=deck.game == "conex")

    def _work_out(self) -> Shown:
        """What the page shows of the match and the table, worked out anew only where one of them changed."""
        current, reading = self._desk.current, self._judging.sight.reading
        if not self._shown.is_of(current, reading):
            self._shown = show(current, reading, self.deck.deck)
        waits = self._looked_at_before() or self._judging.kept_for
        return self._shown.of_the_past() if self._shown.astray and waits else self._shown
