"""The one thread that does the work: what it makes of frames and of requests."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring.commands import CallEnd, ConfirmRound, CreateMatch, DealScoring, StartRace, Undo
from scoring.deck import RoxDeck
from scoring.events import DealtCard, Player
from scoring.verdicts import Call, Ruling, RulingStatus, Verdict
from tests.webui.at_table import SteppedRunner
from tests.webui.conftest import Art, Table
from tests.webui.fakes import FakeEye, FakeFrame, FakeSource, lay
from webui import create_app
from webui.log.bookmark import Bookmark
from webui.log.database import StoreError
from webui.log.store import Store, now
from webui.security import Door
from webui.services import Services
from webui.table.director import Director, Pace, Script, Step
from webui.table.picture import Frame
from webui.table.requests import Attend, Begin, Do, Look, Outcome, Photo, TakeOver
from webui.table.runner import HAND_OVER_S, Runner
from webui.table.seeing import Sight
from webui.table.showing import show

PLAYERS = (Player("Anna", "south"), Player("Ben", "west"), Player("Clara", "north"))


def begin(runner: Runner, deck: RoxDeck) -> str:
    reply = runner.submit(Begin("Tuesday", CreateMatch(now(), "rox", PLAYERS, deck)))
    assert reply.outcome is Outcome.DONE
    return reply.match


def two_highest(deck: RoxDeck) -> tuple[DealtCard, ...]:
    values = sorted((c.value for c in deck.scoring_cards.values()), reverse=True)[:2]
    return tuple(DealtCard(v) for v in values)


def to_call(runner: Runner, deck: RoxDeck, seat: str = "south") -> tuple[str, int]:
    match = begin(runner, deck)
    reply = runner.submit(Do(match, 1, (DealScoring(now(), two_highest(deck)), StartRace(now()))))
    reply = runner.submit(Do(match, reply.seq, (CallEnd(now(), seat),)))
    assert reply.outcome is Outcome.DONE
    return match, reply.seq


def test_settled_picture_after_the_call_is_judged(table: Table, three_rows: FakeFrame) -> None:
    """Nothing is judged while hands move; the first still picture after the call is, with its evidence."""
    match, _ = to_call(table.runner, table.deck)
    table.runner.see(replace(three_rows, moving=True))
    assert (table.snapshot.state, table.match.phase) == ("checking", "checking")
    assert table.snapshot.hint == "hands"
    table.runner.see(three_rows)
    assert table.snapshot.state == "verdict"
    ruling = table.match.ruling
    assert ruling is not None
    assert {r.seat: r.valid_length for r in ruling.rows} == {"south": 6, "west": 3, "north": 5}
    assert [a.seat for a in ruling.awards] == ["south", "north"]
    picture = table.store.picture(match, ruling.evidence)
    assert picture is not None
    assert picture.data.startswith(b"\xff\xd8")
    assert set(picture.marks["quads"]) == {p.key for p in three_rows.table.placements}


def test_doubtful_reading_waits_for_a_better_look(table: Table, three_rows: FakeFrame) -> None:
    """A picture that the eye wants to look at again is not judged yet."""
    to_call(table.runner, table.deck)
    table.runner.see(replace(three_rows, final=False))
    assert table.match.phase == "checking"
    table.eye.reset()
    table.runner.see(three_rows)
    assert table.match.phase == "verdict"


def test_row_under_a_hand_waits(table: Table, three_rows: FakeFrame) -> None:
    """While a card of a row is only remembered nothing is judged and hands are asked away; the heap may hide cards."""
    to_call(table.runner, table.deck)
    cards = three_rows.table.placements
    table.runner.see(replace(three_rows, unseen=frozenset({cards[2].key})))
    assert (table.match.phase, table.snapshot.hint) == ("checking", "hands")
    table.eye.reset()
    table.runner.see(replace(three_rows, unseen=frozenset({cards[-1].key})))
    assert table.match.phase == "verdict"


def test_nothing_is_judged_before_the_call(table: Table, three_rows: FakeFrame) -> None:
    """While the race runs a still table is shown, never judged, and no count is in the snapshot."""
    match = begin(table.runner, table.deck)
    table.runner.submit(Do(match, 1, (DealScoring(now(), two_highest(table.deck)), StartRace(now()))))
    for _ in range(3):
        table.runner.see(three_rows)
    assert table.match.phase == "racing"
    assert table.match.ruling is None
    assert {c.kind for c in table.snapshot.cards} == {"row", "pool"}


def test_undone_picture_is_not_judged_again_by_itself(table: Table, three_rows: FakeFrame) -> None:
    """After taking back a judged picture the referee waits for the table to change, or for a button."""
    match, seq = to_call(table.runner, table.deck)
    table.runner.see(three_rows)
    reply = table.runner.submit(Do(match, table.match.seq, (Undo(now()),)))
    table.runner.see(three_rows)
    assert table.match.phase == "checking"
    assert table.snapshot.hint == "awaits-word"
    assert table.runner.submit(Look(match, reply.seq)).outcome is Outcome.DONE
    assert table.match.phase == "verdict"
    table.runner.submit(Do(match, table.match.seq, (Undo(now()),)))
    table.runner.see(replace(three_rows, moving=True))
    table.runner.see(three_rows)
    assert table.match.phase == "verdict", "the table was touched: it is read anew"
    assert seq < table.match.seq


def test_new_call_judges_the_same_still_table(table: Table, three_rows: FakeFrame) -> None:
    """A call that was taken back and made by another judges the table that still lies there."""
    match, _ = to_call(table.runner, table.deck)
    table.runner.see(three_rows)
    for _ in range(2):
        table.runner.submit(Do(match, table.match.seq, (Undo(now()),)))
    assert table.match.phase == "racing"
    table.runner.submit(Do(match, table.match.seq, (CallEnd(now(), "north"),)))
    table.runner.see(three_rows)
    assert table.match.ruling is not None
    assert table.match.ruling.caller == "north"


def test_second_tap_is_refused_and_repeated_post_does_nothing(table: Table) -> None:
    """A command says which events its sender saw; an old number is refused, a repeated name is no second command."""
    match, seq = to_call(table.runner, table.deck)
    again = (CallEnd(now(), "west"),)
    assert table.runner.submit(Do(match, seq - 1, again)).outcome is Outcome.STALE
    first = table.runner.submit(Do(match, seq, again, "tap-one-1"))
    assert first.outcome is Outcome.DONE
    second = table.runner.submit(Do(match, seq, again, "tap-one-1"))
    assert (second.outcome, second.seq) == (Outcome.REPEATED, first.seq)
    assert table.store.last_seq(match) == first.seq


def test_impossible_command_is_refused_and_not_stored(table: Table) -> None:
    """What the rules refuse leaves no trace in the log, not even the first half of two commands."""
    match = begin(table.runner, table.deck)
    reply = table.runner.submit(Do(match, 1, (DealScoring(now(), two_highest(table.deck)), ConfirmRound(now()))))
    assert reply.outcome is Outcome.REFUSED
    assert "confirm" in reply.message
    assert table.store.last_seq(match) == 1
    assert table.match.phase == "dealing"


def test_match_that_another_process_continued_is_read_again(table: Table) -> None:
    """On a shared database the other table's events win, and this one goes on from them."""
    match = begin(table.runner, table.deck)
    other = SteppedRunner(table.store, FakeEye(), table.deck, None)
    other.submit(Attend(match))
    other.submit(Do(match, 1, (DealScoring(now(), two_highest(table.deck)),)))
    reply = table.runner.submit(Do(match, 1, (DealScoring(now(), two_highest(table.deck)),)))
    assert (reply.outcome, reply.seq) == (Outcome.STALE, 2)
    assert table.match.seq == 2
    assert table.runner.submit(Do(match, 2, (StartRace(now()),))).outcome is Outcome.DONE


def test_unknown_match_and_failing_eye_leave_the_runner_alive(table: Table, three_rows: FakeFrame) -> None:
    """No request and no picture ends the runner."""
    assert table.runner.submit(Attend("nothing")).outcome is Outcome.UNKNOWN
    begin(table.runner, table.deck)

    class Blind(FakeEye):
        def look(self, frame: object) -> object:  # type: ignore[override]
            raise ZeroDivisionError

    table.runner._judging._eye = Blind()  # type: ignore[assignment]
    table.runner.see(three_rows)
    assert (table.snapshot.state, table.snapshot.hint) == ("looking", "failed")
    table.runner._judging._eye = table.eye
    table.runner.see(three_rows)
    assert table.snapshot.state == "settled"


def test_lost_camera_is_said_and_picked_up_again(table: Table, three_rows: FakeFrame) -> None:
    """No outline stays over the last picture of a lost camera, and the eye starts anew when it is back."""
    begin(table.runner, table.deck)
    table.runner.see(three_rows)
    assert table.snapshot.cards
    table.source.state = "lost"
    table.runner.step()
    table.runner.step()
    assert table.snapshot.state == "no-camera"
    assert table.snapshot.cards == ()
    assert table.eye.resets == 1
    table.source.state = "connected"
    table.runner.see(three_rows)
    assert table.snapshot.state == "settled"


def test_silent_camera_counts_as_lost(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """A camera that says it is there and sends nothing is shown as gone."""
    clock = [0.0]
    store = Store(f"sqlite:///{tmp_path / 's.sqlite'}")
    runner = SteppedRunner(store, FakeEye(), deck, FakeSource(), clock=lambda: clock[0])
    runner.see(three_rows)
    assert runner.board.snapshot.state == "settled"
    clock[0] = 10.0
    runner.step()
    runner.step()
    assert runner.board.snapshot.state == "no-camera"
    store.close()


def test_other_scoring_cards_put_the_match_out_of_step(table: Table) -> None:
    """Cards on the table that were not dealt are said, not guessed about."""
    match = begin(table.runner, table.deck)
    cards = sorted(table.deck.scoring_cards.values(), key=lambda c: c.value)
    dealt = tuple(DealtCard(c.value, c.id) for c in cards[-2:])
    table.runner.submit(Do(match, 1, (DealScoring(now(), dealt), StartRace(now()))))
    table.runner.see(FakeFrame(lay({}, [c.id for c in cards[-2:]])))
    assert table.snapshot.state == "settled"
    table.runner.see(FakeFrame(lay({}, [cards[-1].id, cards[0].id])))
    assert (table.snapshot.state, table.snapshot.hint) == ("out-of-step", "scoring")


def test_photo_is_judged_without_a_camera(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """With no camera at all a phone's photo is the picture that is judged."""
    store = Store(f"sqlite:///{tmp_path / 'p.sqlite'}")
    eye = FakeEye()
    runner = SteppedRunner(store, eye, deck, None)
    assert runner.board.snapshot.state == "no-camera"
    match, seq = to_call(runner, deck)
    torn = runner.submit(Photo(match, seq, b"not a picture"))
    assert torn.outcome is Outcome.REFUSED
    assert "not a picture" in torn.message
    eye.photo = FakeFrame(lay({}))
    assert runner.submit(Photo(match, seq, b"\xff\xd8")).outcome is Outcome.REFUSED
    eye.photo = three_rows
    assert runner.submit(Photo(match, seq, b"\xff\xd8")).outcome is Outcome.DONE
    shown = runner.board.snapshot
    assert shown.match is not None
    assert shown.match.phase == "verdict"
    assert runner.picture.number > 0
    assert not shown.camera.live, "a photo is no camera"
    assert runner.submit(Do(match, shown.match.seq, (Undo(now()),))).outcome is Outcome.DONE
    assert (runner.board.snapshot.state, runner.board.snapshot.hint) == ("checking", "awaits-photo")
    told = news_told(store, runner, deck, match)
    assert (told["word"], "before you send a photo" in told["hint"]) == ("Waiting", True)
    assert 'id="judge"' not in told["parts"]["stage"], "nothing is offered that can only fail"
    assert '<label class="button main" id="by-photo" for="photo">' in told["parts"]["stage"]
    store.close()


def test_a_photo_on_its_way_is_told_as_one(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """While a photo is read the page says so, with none of the outlines from before; afterwards it does not."""
    store = Store(f"sqlite:///{tmp_path / 'p.sqlite'}")
    told: list[dict[str, Any]] = []

    class Watched(FakeEye):
        def read(self, frame: Frame) -> Sight:
            told.append(news_told(store, runner, deck, match))
            return super().read(frame)

    eye = Watched()
    runner = SteppedRunner(store, eye, deck, None)
    match, seq = to_call(runner, deck)
    eye.photo = three_rows
    assert runner.submit(Photo(match, seq, b"\xff\xd8")).outcome is Outcome.DONE
    assert (told[0]["word"], told[0]["hint"]) == ("Looking", "The photo is being looked at …")
    seq = news_told(store, runner, deck, match)["seq"]
    assert news_told(store, runner, deck, match)["cards"]
    runner.submit(Photo(match, seq, b"\xff\xd8"))
    assert told[1]["cards"] == []
    assert "looked at" not in news_told(store, runner, deck, match)["hint"]
    store.close()


def test_a_photo_of_one_match_is_not_the_picture_of_another(
    tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame
) -> None:
    """With a new match the photo that was sent before is gone; one sent for it is shown as ever."""
    store = Store(f"sqlite:///{tmp_path / 'p.sqlite'}")
    eye = FakeEye()
    runner = SteppedRunner(store, eye, deck, None)
    match, seq = to_call(runner, deck)
    eye.photo = three_rows
    runner.submit(Photo(match, seq, b"\xff\xd8"))
    assert runner.picture.number == 1
    again, seq = to_call(runner, deck)
    assert (runner.picture.number, runner.picture.look()) == (0, None)
    shown = runner.board.snapshot
    assert (shown.cards, shown.picture_size, shown.hint) == ((), None, "by-photo")
    runner.submit(Photo(again, seq, b"\xff\xd8"))
    assert runner.picture.number == 2
    store.close()


def news_told(store: Store, runner: SteppedRunner, deck: RoxDeck, match: str) -> dict[str, Any]:
    """What the page of a match is told."""
    app = create_app(Services(store, runner, Art(deck), Door(b"key"), [], "x"))
    return dict(app.test_client().get(f"/matches/{match}/news").get_json())


def test_photo_of_another_match_is_refused(table: Table, three_rows: FakeFrame) -> None:
    """A photo is taken for the match at this table only."""
    first, seq = to_call(table.runner, table.deck)
    begin(table.runner, table.deck)
    table.eye.photo = three_rows
    assert table.runner.submit(Photo(first, seq, b"\xff\xd8")).outcome is Outcome.REFUSED


def test_restart_goes_on_with_the_match_of_this_table(table: Table, three_rows: FakeFrame) -> None:
    """A new process at the same table and database continues where the old one was; a finished match is left."""
    to_call(table.runner, table.deck)
    table.runner.see(three_rows)
    again = SteppedRunner(table.store, FakeEye(), table.deck, FakeSource())
    again.resume()
    assert again.board.snapshot.match == table.match
    elsewhere = SteppedRunner(table.store, FakeEye(), table.deck, FakeSource(), table="garden")
    elsewhere.resume()
    assert elsewhere.board.snapshot.match is None


def test_director_plays_a_demonstration(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """Each step comes at its time and not before the match allows it; taking over stops the director."""
    store = Store(f"sqlite:///{tmp_path / 'd.sqlite'}")
    values = tuple(c.value for c in two_highest(deck))
    steps = (Step(1, "deal", values=values), Step(2, "start"), Step(3, "call", "south"), Step(3.1, "confirm"))
    script = Script({"south": "Anna"}, steps)
    runner = SteppedRunner(store, FakeEye(), deck, FakeSource(), Director(script))
    begin(runner, deck)

    def phase_at(at_s: float, moving: bool = False) -> str:
        runner.see(replace(three_rows, at_s=at_s, moving=moving))
        shown = runner.board.snapshot
        assert shown.demo
        assert shown.match is not None
        return shown.match.phase

    assert phase_at(0.5) == "dealing"
    assert phase_at(1.0) == "dealing"
    assert phase_at(2.0) == "racing"
    assert phase_at(3.0, moving=True) == "checking"
    assert phase_at(4.0, moving=True) == "checking", "a step that is refused is tried again"
    assert phase_at(5.0) == "verdict"
    assert phase_at(9.0) == "verdict", "there is time to read it"
    assert phase_at(11.5) == "between"
    runner.submit(TakeOver())
    assert not runner.board.snapshot.demo
    store.close()


def test_director_begins_anew_with_a_looping_recording(deck: RoxDeck) -> None:
    """Each turn begins a match of its own, with as many rounds as are agreed to, whatever the last one left open."""
    script = Script({"south": "Ann", "west": "Bob"}, (Step(1.0, "start"), Step(5.0, "confirm")), loop_s=10.0)
    assert script.period_s is not None
    director = Director(script, lambda at: script.create(deck, at))
    given = []
    for tenth in range(int(script.period_s * 25)):
        command = director.due(tenth / 10, "now", judged=tenth > 0)
        if command is not None:
            given.append((tenth / 10, type(command).__name__))
            if not (isinstance(command, ConfirmRound) and tenth > 100):
                director.done()
    period = script.period_s
    assert given[:5] == [
        (0.0, "CreateMatch"),
        (1.0, "StartRace"),
        (6.0, "ConfirmRound"),
        (period, "CreateMatch"),
        (period + 1.0, "StartRace"),
    ]
    tried = [at for at, name in given if name == "ConfirmRound"]
    assert len(tried) > 100, "a refused step is tried again"
    assert given[-1][1] == "ConfirmRound" or (2 * period, "CreateMatch") in given
    assert script.create(deck, "now").options == {"rounds": 1}


def test_threads_carry_requests_and_frames(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """With its threads running the runner takes requests from many threads, each exactly once."""
    store = Store(f"sqlite:///{tmp_path / 't.sqlite'}")
    source = FakeSource(replace(three_rows, moving=True))
    runner = Runner(store, FakeEye(), deck, source)
    runner.start()
    assert sys.getswitchinterval() <= HAND_OVER_S
    try:
        match, seq = to_call(runner, deck)
        outcomes: list[Outcome] = []

        def tap() -> None:
            outcomes.append(runner.submit(Do(match, seq, (CallEnd(now(), "west"),))).outcome)

        threads = [threading.Thread(target=tap) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert sorted(outcomes) == [Outcome.DONE] + [Outcome.STALE] * 7
        source.show(three_rows)
        deadline = time.monotonic() + 10
        shown = runner.board.snapshot
        while shown.state != "verdict" and time.monotonic() < deadline:
            shown = runner.board.wait(shown.version, 1.0)
        assert shown.state == "verdict"
    finally:
        runner.stop()
        store.close()
    assert runner.submit(Attend(match)).outcome is Outcome.BUSY, "a stopped runner takes nothing"


def test_memory_does_not_grow_with_frames(table: Table, three_rows: FakeFrame) -> None:
    """A still table of a thousand frames publishes one snapshot and encodes nothing that nobody looks at."""
    begin(table.runner, table.deck)
    table.runner.see(three_rows)
    version = table.snapshot.version
    for _ in range(1000):
        table.runner.see(three_rows)
    assert table.snapshot.version == version
    assert table.eye.encoded == 0
    table.runner.picture.look()
    table.runner.picture.look()
    assert table.eye.encoded == 1


@pytest.mark.parametrize("waiting", [64])
def test_flood_of_requests_is_turned_away(tmp_path: Path, deck: RoxDeck, waiting: int) -> None:
    """Beyond a number of waiting requests more are refused instead of kept."""
    store = Store(f"sqlite:///{tmp_path / 'f.sqlite'}")
    runner = Runner(store, FakeEye(), deck, None)
    for _ in range(waiting):
        assert runner.submit(TakeOver(), timeout_s=0.0).outcome is Outcome.BUSY
    assert len(runner._mail._letters) == waiting
    assert runner.submit(TakeOver(), timeout_s=5.0).outcome is Outcome.BUSY
    assert len(runner._mail._letters) == waiting
    store.close()


def test_a_waiting_recording_is_no_lost_camera(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """On a slow computer a demonstration stands still between two frames; the eye keeps what it saw."""
    clock = [0.0]
    store, eye = Store(f"sqlite:///{tmp_path / 'w.sqlite'}"), FakeEye()
    director = Director(Script({"south": "Anna", "west": "Ben"}, ()))
    runner = SteppedRunner(store, eye, deck, FakeSource(), director, clock=lambda: clock[0])
    runner.see(three_rows)
    clock[0] = 10.0
    runner.step()
    assert (runner.board.snapshot.state, eye.resets) == ("settled", 0)
    runner.submit(TakeOver())
    runner.step()
    shown = runner.board.snapshot
    assert (shown.state, shown.hint, shown.camera.state, eye.resets) == ("looking", "taken-over", "ended", 1)
    store.close()


def test_a_taken_over_recording_is_judged_no_more(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """Its picture of now stays, whatever comes later is neither shown nor judged; a photo goes on with the match."""
    store, eye = Store(f"sqlite:///{tmp_path / 'o.sqlite'}"), FakeEye(photo=three_rows)
    pace = Pace()
    director = Director(Script({"south": "Anna", "west": "Ben"}, ()), None, pace)
    runner = SteppedRunner(store, eye, deck, FakeSource(), director)
    match, seq = to_call(runner, deck)
    runner.see(replace(three_rows, moving=True))
    number = runner.picture.number
    runner.submit(TakeOver())
    assert pace.frozen
    runner.see(three_rows)
    assert runner.picture.number == number
    shown = runner.board.snapshot
    assert (shown.match.phase if shown.match else "", shown.hint) == ("checking", "taken-over")
    assert runner.submit(Look(match, seq)).outcome is Outcome.REFUSED
    assert runner.submit(Photo(match, seq, b"\xff\xd8")).outcome is Outcome.DONE
    shown = runner.board.snapshot
    assert (shown.match.phase if shown.match else "") == "verdict"
    assert runner.picture.number > number
    store.close()


def test_a_verdict_that_tells_of_a_fault_holds_the_recording() -> None:
    """It stays for its readers; one of nothing but right moves lets the recording go on; a new one has its own time."""
    wrong = Ruling("rox", RulingStatus.PROVISIONAL, (Verdict("rox.corner", Call.VIOLATION),))
    right = Ruling("rox", RulingStatus.PROVISIONAL, (Verdict("rox.corner", Call.LEGAL),))
    director = Director(Script({"south": "Anna"}, (Step(2.0, "confirm"),)))
    director.due(0.0, "", False, None)
    held = [director.due(at, "", True, wrong) or director.pace.behind for at in (1.0, 4.0, 6.9)]
    assert held == [True, True, True]
    assert director.due(8.0, "", True, right) is None, "put right: that verdict is new"
    assert isinstance(director.due(14.1, "", True, right), ConfirmRound)
    free = Director(Script({"south": "Anna"}, (Step(9.0, "confirm"),)))
    free.due(1.0, "", True, right)
    assert not free.pace.behind


def test_a_demonstration_leaves_one_match(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """Each turn of the recording takes the place of the one before; other matches stay."""
    store = Store(f"sqlite:///{tmp_path / 'd.sqlite'}")
    script = Script({"south": "Anna", "west": "Ben"}, (), loop_s=10.0)
    runner = SteppedRunner(store, FakeEye(), deck, FakeSource(), Director(script, lambda at: script.create(deck, at)))
    begin(runner, deck)
    for turn in range(3):
        runner.see(replace(three_rows, at_s=turn * (script.period_s or 0.0) + 1.0))
    assert sorted(m.title for m in store.matches()) == ["Demo", "Tuesday"]
    store.close()


def test_restart_judges_no_picture_of_a_recording_again(tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame) -> None:
    """What was looked at before says nothing of the match as it stands; the first new picture is judged."""
    store, place = Store(f"sqlite:///{tmp_path / 'b.sqlite'}"), [4]

    def opened(name: str) -> tuple[SteppedRunner, int | None]:
        bookmark = Bookmark(store, name, lambda: place[0])
        runner = SteppedRunner(store, FakeEye(), deck, FakeSource(), bookmark=bookmark)
        runner.resume()
        match = runner.board.snapshot.match
        return runner, None if match is None else bookmark.resume(match.id)

    def phase(runner: SteppedRunner) -> str:
        runner.see(three_rows)
        match = runner.board.snapshot.match
        return "" if match is None else match.phase

    first, resumed = opened("a folder")
    assert resumed is None
    match, _ = to_call(first, deck)
    first.see(replace(three_rows, moving=True))
    again, resumed = opened("a folder")
    assert (resumed, phase(again)) == (4, "checking")
    place[0] = 5
    again._judging.see(replace(three_rows, moving=True))
    assert phase(again) == "verdict"
    assert again.submit(Do(match, again.board.snapshot.match.seq, (Undo(now()),))).outcome is Outcome.DONE  # type: ignore[union-attr]
    other, resumed = opened("another folder")
    assert (resumed, phase(other)) == (None, "verdict")
    begin(other, deck)
    other.step()
    begun, resumed = opened("another folder")
    assert resumed == 5, "a match that begins behind the last picture knows which one that was"
    place[0] = -1
    begun.step()
    assert opened("another folder")[1] == 5, "no picture was given yet"
    store.close()


def test_restart_holds_no_old_picture_against_a_match_that_went_on(
    tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was told by hand since is not out of step with a recording's last picture; with a new one it is."""
    store, place = Store(f"sqlite:///{tmp_path / 'b.sqlite'}"), [4]
    monkeypatch.setattr("webui.table.runner.show", lambda *args: replace(show(*args), astray=args[1] is not None))

    def opened() -> SteppedRunner:
        bookmark = Bookmark(store, "a folder", lambda: place[0])
        runner = SteppedRunner(store, FakeEye(), deck, FakeSource(), bookmark=bookmark)
        runner.resume()
        if (match := runner.board.snapshot.match) is not None:
            bookmark.resume(match.id)
        return runner

    first = opened()
    to_call(first, deck)
    first.see(three_rows)
    assert first.board.snapshot.state == "out-of-step"
    again = opened()
    again.see(three_rows)
    assert again.board.snapshot.state not in ("out-of-step", "no-camera")
    place[0] = 5
    again.see(three_rows)
    assert again.board.snapshot.state == "out-of-step"
    store.close()


def test_a_locked_database_is_told_in_one_line(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """However many steps fail while another program holds it; the steps go on when it is free again."""
    runner, steps = table.runner, []

    def step(timeout_s: float = 0.0) -> None:
        steps.append(timeout_s)
        if len(steps) == 6:
            runner._mail.close()
        if len(steps) != 4:
            raise StoreError("matches.sqlite: the database cannot be used now (locked); nothing was changed")

    monkeypatch.setattr(runner, "step", step)
    monkeypatch.setattr(runner._mail, "pause", lambda seconds: None)
    runner._run()
    assert len(steps) == 6
    assert [(r.levelname, r.exc_info) for r in caplog.records] == [("WARNING", None)] * 2
