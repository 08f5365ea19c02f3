"""From a settled picture to a judged table in the log: where the game waits for one, or because somebody asked.

All of it runs in the runner's thread.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoring.commands import CallEnd, Command, StartRace, Undo
from scoring.errors import RefereeError
from scoring.match import MatchState
from scoring.play import Phase
from scoring.table import TableState
from webui.log.database import StoreError
from webui.log.store import Picture, now
from webui.table.desk import Current, Desk
from webui.table.picture import Frame, LivePicture
from webui.table.playing import Shown
from webui.table.requests import Do, Look, Outcome, Photo, Reply, SecondPhoto, TakeTable
from webui.table.seeing import Eye, Reading, Sight
from webui.table.showing import recording_of

log = logging.getLogger(__name__)

NO_PICTURE = "There is no picture to judge: no camera sends one. Send a photo of the table."
UNREAD = "No cards can be read in this picture."
NO_CACTI = "No cactus of the set that you play with is found: all five stand upright in front of the camera."
NO_SECOND = "The second photo does not show the same cacti well enough: take it from beside the camera."
MIRRORED_SECOND = "The second photo is mirrored, or was taken from behind: take it from beside the camera."
ANOTHER_SECOND = "The second photo shows another table: take it of what hangs now, from beside the camera."
SAME_SECOND = "The second photo was taken from the same place: take a step to the left or right, and take it there."
SAME = dict.fromkeys(("same picture", "same view"), SAME_SECOND)
NOTHING_MORE = "The second photo settles nothing more: please look yourselves."

ToCommand = Callable[[MatchState, TableState, str, str], Command]
"""Makes a command of a match, a table, the time and the id of its picture."""


class Judging:
    """See the module.

    Parameters
    ----------
    eye
        All seeing.
    desk
        The match at this table.
    picture
        The newest picture.
    """

    def __init__(self, eye: Eye, desk: Desk, picture: LivePicture) -> None:
        self._eye = eye
        self._desk = desk
        self._picture = picture
        self._judged: Reading | None = None
        self._kept: Reading | None = None
        self.sight = Sight("looking")

    def see(self, frame: Frame) -> None:
        """Take in the next frame of a moving picture."""
        try:
            self.sight = self._eye.look(frame)
        except Exception:
            log.exception("a frame could not be looked at")
            self.sight = Sight("looking", "failed")

    def forget(self) -> None:
        """The source was lost: what it showed last says nothing of what it will show."""
        self.sight = Sight("looking")
        self._eye.reset()

    def pass_over(self) -> None:
        """What is seen now was looked at long ago: it is not judged by itself."""
        self._judged = self.sight.reading

    @property
    def passed(self) -> bool:
        """Whether the picture that lies there is not judged by itself any more."""
        return self.sight.reading is not None and self.sight.reading is self._judged

    def before(self, request: Do) -> None:
        """A command is about to be carried out.

        After an undo the same picture is not judged again by itself; after a new call it is.
        """
        if any(isinstance(c, CallEnd | StartRace) for c in request.commands):
            self._judged = None
        if any(isinstance(c, Undo) for c in request.commands):
            self._judged = self.sight.reading or self._judged
            self._kept = None

    @property
    def kept_for(self) -> str:
        """What is to be told before the photo that was sent last is judged, as `Recording.waits_for`; or empty."""
        current, kept = self._desk.current, self._kept
        if current is None or kept is None or kept is not self.sight.reading:
            return ""
        return recording_of(current.state).waits_for(current.state, kept)

    def after(self, told: Reply) -> Reply:
        """A command was carried out: a photo that waited for what it told is judged."""
        current, kept = self._desk.current, self._kept
        if current is None or kept is None or kept is not self.sight.reading or told.outcome is not Outcome.DONE:
            return told
        recording = recording_of(current.state)
        if recording.waits_for(current.state, kept):
            return told
        self._kept = None
        if not recording.awaits(current.state, kept):
            return told
        try:
            return self._record(current, kept)
        except (RefereeError, StoreError) as e:
            return Reply(Outcome.DONE, current.record.id, current.seq, str(e))

    def record_if_awaited(self, shown: Shown) -> None:
        """Judge the picture that lies still, where the game waits for one."""
        current, reading = self._desk.current, self.sight.reading
        if current is None or reading is None or self.sight.word != "settled":
            return
        if not reading.final or reading is self._judged or shown.hidden:
            return
        if not recording_of(current.state).awaits(current.state, reading):
            return
        try:
            reply = self._record(current, reading)
        except (RefereeError, StoreError) as e:
            reply = Reply(Outcome.REFUSED, message=str(e))
            self._judged = reading
        if reply.outcome is not Outcome.DONE:
            log.warning("the settled picture was not recorded: %s %s", reply.outcome, reply.message)

    def look(self, request: Look, *, lost: bool) -> Reply:
        """Judge what the camera shows now."""
        loaded = self._desk.here(request.match, request.seq)
        if isinstance(loaded, Reply):
            return loaded
        lying = self.sight.reading if request.lying and self.sight.word == "settled" else None
        if lying is not None and recording_of(loaded.state).awaits(loaded.state, lying):
            return self._record(loaded, lying)
        newest = self._picture.newest
        if newest is None or lost:
            return Reply(Outcome.REFUSED, request.match, loaded.seq, NO_PICTURE)
        return self._judge_still(loaded, newest)

    def photo(self, request: Photo, *, live: bool) -> Reply:
        """Judge a photo that was sent; it is shown where no camera sends pictures."""
        loaded = self._desk.here(request.match, request.seq)
        if isinstance(loaded, Reply):
            return loaded
        frame = self._eye.open(request.data)
        if not live:
            self._picture.show(frame, sent=True)
        return self._judge_still(loaded, frame, keeps=not live)

    def second(self, request: SecondPhoto) -> Reply:
        """Judge the picture that was read last together with a photo from another place."""
        loaded = self._desk.here(request.match, request.seq)
        if isinstance(loaded, Reply):
            return loaded
        sight = self._eye.second(self._eye.open(request.data))
        if sight.reading is None:
            why = {"mirrored": MIRRORED_SECOND, "another table": ANOTHER_SECOND, **SAME}.get(sight.hint, NO_SECOND)
            return Reply(Outcome.REFUSED, request.match, loaded.seq, why)
        self.sight = sight
        if refused := recording_of(loaded.state).refuses(loaded.state, sight.reading):
            return Reply(Outcome.REFUSED, request.match, loaded.seq, NOTHING_MORE if refused else refused)
        return self._record(loaded, sight.reading)

    def take(self, request: TakeTable, *, lost: bool) -> Reply:
        """Take the table as it lies, unjudged: the picture that lies still, or else what the camera shows now.

        What the page must ask about before a match begins is only looked at, until people are sure.
        """
        match, seq = request.match, request.seq
        loaded = self._desk.here(match, seq)
        if isinstance(loaded, Reply):
            return loaded
        reading, newest = self.sight.reading, self._picture.newest
        if reading is None and newest is not None and not lost:
            self.sight = self._eye.read(newest)
            reading = self.sight.reading
        if reading is None:
            return Reply(Outcome.REFUSED, match, seq, _unread(loaded) if newest is not None else NO_PICTURE)
        recording, beginning = recording_of(loaded.state), loaded.state.phase is Phase.LAYOUT
        if beginning and not request.sure and not recording.judges(loaded.state, reading):
            return Reply(Outcome.DONE, match, seq)
        return self._record(loaded, reading, recording.accept)

    def _judge_still(self, loaded: Current, frame: Frame, *, keeps: bool = False) -> Reply:
        """Judge a picture for itself; one that comes too early is refused, or kept until `after` the word it lacks."""
        sight = self._eye.read(frame)
        match, seq = loaded.record.id, loaded.seq
        if sight.reading is None:
            return Reply(Outcome.REFUSED, match, seq, _unread(loaded))
        self.sight = sight
        recording = recording_of(loaded.state)
        if refused := recording.refuses(loaded.state, sight.reading):
            return Reply(Outcome.REFUSED, match, seq, refused)
        if not recording.judges(loaded.state, sight.reading):
            return Reply(Outcome.DONE, match, seq)
        if keeps and recording.waits_for(loaded.state, sight.reading):
            self._kept = sight.reading
            return Reply(Outcome.DONE, match, seq)
        return self._record(loaded, sight.reading)

    def _record(self, current: Current, reading: Reading, command: ToCommand | None = None) -> Reply:
        recording = recording_of(current.state)
        known = recording.known(current.state, reading)
        marks: dict[str, object] = {
            "size": list(known.size),
            "quads": {k: [list(p) for p in q] for k, q in known.quads.items()},
        }
        if known.outlines:
            marks["outlines"] = {k: [[round(x, 1), round(y, 1)] for x, y in q] for k, q in known.outlines.items()}
        picture = Picture.of(self._eye.evidence(reading.frame), marks=marks)
        make = command or recording.command
        reply = self._desk.write(current, (make(current.state, known.table, now(), picture.id),), (picture,))
        if reply.outcome is Outcome.DONE:
            self._judged = reading
        return reply


def _unread(current: Current) -> str:
    """That nothing was found in a picture, in the words of the game."""
    return NO_CACTI if current.record.game == "cactus" else UNREAD
