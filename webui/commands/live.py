"""`referee watch`, `referee play` and `referee demo`: a table as it is played on."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tqdm import tqdm

from scoring.deck import CactusDeck
from vision.live import Eye, Look, Observe, Turn
from vision.live import watch as turns
from vision.sources.masked import masked
from vision.sources.source import Source, SourceState
from vision.sources.sources import open_source
from vision.tracking.settled import Settled
from vision.types import Failure, Standing
from webui.cli import DONE, UNUSABLE, complain
from webui.commands.scene import check_game, observer, open_scene, options_of, seen_over_time, tell
from webui.reports import Json, Report, Seen, Told
from webui.sight.cameras.known_camera import STANDING
from webui.telling import report_of

SILENT_S = 5.0
"""After so long without a first picture a person is told."""
START_PATIENCE_S = 3.0
"""A camera may take so long to open before it is said to be lost."""


def watch(args: argparse.Namespace, observe: Observe | None = None) -> int:
    """Print what happens on a table as JSON Lines, until the source ends or the keyboard stops it."""
    scene = open_scene(args)
    named = masked(args.source)
    with open_source(args.source, realtime=args.realtime) as source:
        eye = Eye(scene.model, observe or observer())
        teller = Teller(report_of(scene.deck, options_of(args)))
        total = getattr(source, "frames", None)
        hidden = not sys.stderr.isatty() or total is None
        status = DONE
        silence, standing = Silence(), StandingNews()
        try:
            for turn in tqdm(turns(source, eye), total=total, file=sys.stderr, unit="frame", disable=hidden):
                if silence.is_worth_a_word(turn):
                    complain(f"{named}: no picture comes; is it plugged in, free and the right one? Still trying")
                if turn.error is not None:
                    complain(turn.error)
                    status = UNUSABLE
                told = standing.news(turn)
                if told:
                    complain(f"{named}: {told}")
                if source.stills and turn.look is not None and turn.look.failure is not None:
                    failure = turn.look.failure
                    complain(f"{turn.look.frame.source}: nothing can be judged: {failure.reason}; take the photo again")
                    status = UNUSABLE
                for event in teller.events(turn):
                    tell(event)
        except KeyboardInterrupt:
            pass  # the usual end of watching a camera
        if source.fault:
            complain(f"{named}: {source.fault}")
            status = UNUSABLE
    return status


class StandingNews:
    """Tells once whenever what lies on the table contradicts the calibration, and when it agrees again."""

    def __init__(self) -> None:
        self._told = Standing.AS_CALIBRATED

    def news(self, turn: Turn) -> str:
        """A sentence where there is something new; else empty."""
        if turn.look is None or turn.look.standing in (Standing.UNKNOWN, self._told):
            return ""
        self._told = turn.look.standing
        return STANDING[self._told]


class Silence:
    """Notices a source that has never given a picture.

    Parameters
    ----------
    clock
        Seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun_s = clock()
        self._over = False

    def is_worth_a_word(self, turn: Turn) -> bool:
        """Whether it is time to say that no picture comes; once."""
        if turn.look is not None or turn.error is not None:
            self._over = True
        if self._over or self._clock() - self._begun_s < SILENT_S:
            return False
        self._over = True
        return True


class Teller:
    """Turns what the eye saw into events.

    Parameters
    ----------
    report
        How the game is told.
    clock
        Seconds, for a time where no frame tells one.
    """

    def __init__(self, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._report = report
        self._clock = clock
        self._begun_s = clock()
        self._state: SourceState | None = None
        self._at_s = 0.0
        self._seen_s = clock()
        self._candidate: Any = None
        self._told_settled = False

    def events(self, turn: Turn) -> list[Json]:
        """The events of one turn, in the order in which they are to be told."""
        events = self._camera(turn)
        if turn.look is not None:
            self._at_s = turn.look.frame.at_s
            self._seen_s = self._clock()
            events += self._table(turn.look)
        return events

    def _camera(self, turn: Turn) -> list[Json]:
        now = turn.state
        if now is SourceState.LOST and self._state is None and self._clock() - self._begun_s < START_PATIENCE_S:
            return []
        before, self._state = self._state, now
        if now is SourceState.LOST and before is not SourceState.LOST:
            return [self._event("camera-lost", self._at_s + self._clock() - self._seen_s)]
        if now is SourceState.CONNECTED and before is SourceState.LOST:
            at_s = turn.look.frame.at_s if turn.look is not None else self._at_s
            return [self._event("camera-back", at_s)]
        return []

    def _table(self, look: Look) -> list[Json]:
        events = []
        at_s = look.frame.at_s
        if look.disturbance is not None:
            events.append(self._event("disturbed", at_s, why=str(look.disturbance)))
        if look.settled is None:
            self._candidate, self._told_settled = None, False
        if not look.fresh or look.settled is None:
            return events
        seen = seen_over_time(look)
        assert not isinstance(seen, Failure)
        told = self._report.tell(seen)
        agreed = look.final or told.subject == self._candidate or self._beyond_doubt(told, seen, look.settled)
        self._candidate = told.subject
        if not agreed:
            return events
        if not self._told_settled:
            events.append(self._event("settled", at_s, **told.table))
            self._told_settled = True
        events += [self._event(name, at_s, **body) for name, body in told.events]
        self._report.accept(seen, told)
        return events

    def _beyond_doubt(self, told: Told, seen: Seen, settled: Settled) -> bool:
        """Whether no further look could change what is told: doubtful pieces far from it all hold nothing up."""
        sure = settled.without_doubts()
        return sure is not None and self._report.tell(replace(seen, table=sure)).subject == told.subject

    def _event(self, name: str, at_s: float, **more: Any) -> Json:
        return {"at_s": round(at_s, 3), "event": name, **more}


def play(args: argparse.Namespace) -> int:
    """Keep a match on a page, watched by a camera."""
    from calibration.capture.cactus.deck import CACTI
    from webui.bootstrap import FIRST_CAMERA, chosen_camera, serve

    check_game(args.game)
    if args.source is None:
        args.source = chosen_camera(args.database)
        if args.source != FIRST_CAMERA:
            complain(f"{masked(args.source)}: the camera that was chosen last; another one on the page, or by --source")
    scene = open_scene(args)
    if isinstance(scene.deck, CactusDeck) and len(scene.deck.cacti) != CACTI:
        complain(
            f"{args.deck}: the deck has {len(scene.deck.cacti)} cacti, the game {CACTI}; "
            "photograph the cacti again and enroll anew if they are not all that stand on the table"
        )
    source: Source = open_source(args.source)
    return serve(scene, source, args)


def demo(args: argparse.Namespace) -> int:
    """Play the bundled recording."""
    check_game(args.game)
    from webui.bootstrap import serve_demo

    return serve_demo(args)
