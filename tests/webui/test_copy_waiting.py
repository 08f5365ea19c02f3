"""How long a copy is still read is told, and what it waits for."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.webui.conftest import Table
from tests.webui.test_copy_steps import READ, show
from webui.owncopy.own_copy import CopyStage
from webui.owncopy.steps import READING, left_words, tell
from webui.sight.copies.looks import PhotoLooks
from webui.sight.copies.readers import READERS, costs
from webui.sight.copies.work import ENDS, StoppedError, Work, Works


@dataclass(slots=True)
class Clock:
    """Stands still until it is told."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_time_left_follows_from_looks_at_photos() -> None:
    """Unknown before the first look, told from it then, and less with every second."""
    clock = Clock()
    work = Work([1, 1, 4], 2, clock=clock)
    work.begin()
    assert (work.left_s(), work.done()) == (None, 0.0)
    clock.now += 3
    work.next_step()
    assert work.left_s() == pytest.approx(15)
    assert work.done() == pytest.approx(1 / 6)
    clock.now += 3
    assert work.left_s() == pytest.approx(13.5)
    work.next_step()
    assert work.left_s() == pytest.approx(12)
    clock.now += 36  # longer than was to be expected: not said to be done
    assert work.left_s() == pytest.approx(3)
    work.next_step()
    assert work.done() == 1.0


def test_photos_that_were_looked_at_before_cost_nothing() -> None:
    """They count as done at once, and say nothing of how fast the others go."""
    clock = Clock()
    work = Work([1, 1, 4], 2, pace_s=2.0, clock=clock)
    assert work.left_s(2) is None, "its turn has not come"
    work.begin()
    assert work.left_s(2) == pytest.approx(8)
    for _ in range(2):
        work.next_step()
    assert work.left_s(2) == pytest.approx(8)


def test_every_reader_tells_as_many_steps_as_are_expected() -> None:
    """One for each photo, and some behind them."""
    for game in READERS:
        assert costs(game, 5)[:5] == [1.0] * 5
        assert len(costs(game, 5)) > 5


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


def until(what: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not what() and time.monotonic() < end:
        time.sleep(0.01)
    assert what()


def test_a_second_copy_waits_for_the_first(gate: threading.Event) -> None:
    """It says whom it waits for; then its own turn comes, and each end is told."""
    over: list[tuple[str, str]] = []

    def read(key: str, work: Work) -> str:
        gate.wait(10)
        if work.end.is_set():
            raise StoppedError
        return "" if key == "one" else "nothing"

    works = Works(threading.RLock(), threading.Lock(), read, lambda key, _, why: over.append((key, why)))
    works.begin("one", Work([1.0], 1))
    until(lambda: not works.of("one").waits)  # type: ignore[union-attr]
    works.begin("two", Work([1.0], 1))
    works.begin("gone", Work([1.0], 1))
    assert [works.before(k) for k in ("one", "two", "nobody")] == ["", "one", ""]
    works.end("gone")
    gate.set()
    until(lambda: len(over) == 2)
    assert over == [("one", ""), ("two", "nothing")]
    assert works.of("two") is None
    works.stop(1.0)


def test_the_end_of_the_program_waits_for_what_goes_on_and_says_so(
    gate: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    """One word for whoever waits at the terminal; what only waits for its turn holds nothing up."""

    def read(key: str, work: Work) -> str:
        gate.wait(10)
        return ""

    turn = threading.Lock()
    works = Works(threading.RLock(), turn, read, lambda *_: None)
    looks = PhotoLooks(turn)
    works.begin("one", Work([1.0], 1))
    until(lambda: not works.of("one").waits)  # type: ignore[union-attr]
    works.begin("two", Work([1.0], 1))
    looks.want(Path("00.jpg"), "rox", (59.0, 92.0))
    begun = time.monotonic()
    works.stop(0.2)
    looks.stop(5.0)
    assert time.monotonic() - begun < 2.0
    assert [r.getMessage() for r in caplog.records] == [ENDS]
    gate.set()


def test_the_page_says_how_long_and_behind_whom(table: Table) -> None:
    """Beside the bar while it is read; while another copy is read first its name stands there."""
    reading = dataclasses.replace(READ, stage=CopyStage.READING, done=0.25, left_s=42.0)
    page = show(table, reading)
    assert 'value="0.25"' in page
    assert "about 50 seconds left" in page
    waiting = dataclasses.replace(reading, left_s=None, behind="Old <copy>")
    assert "“Old &lt;copy&gt;” is read first, then these photos." in show(table, waiting)
    with table.app.test_request_context():
        assert tell(waiting)["left"] == ""
        told = [left_words(s) for s in (3, 15, 60, 61, 150)]
    assert told[0] == "nearly done"
    assert told[1:] == [
        "about 20 seconds left",
        "about 60 seconds left",
        "about 2 minutes left",
        "about 3 minutes left",
    ]


def test_the_page_says_which_step_goes_on(table: Table) -> None:
    """Of how many; what was only counted so far is not told as if it were read."""
    photos = tuple(f"{n:02d}.jpg" for n in range(3))
    one = replace(READ, photos=photos, on_photo={"00.jpg": 12}, stage=CopyStage.UNREAD)
    with table.app.test_request_context():
        assert tell(one)["found"] == {"00.jpg": "12 found, not read yet"}
        assert "only found and counted so far" in str(tell(one)["sentence"])
        going = replace(one, stage=CopyStage.READING, steps=1)
        assert str(tell(going)["sentence"]).startswith("Step 1 of 3: what lies on the photos is looked for; 1 of 3")
        said = [str(tell(replace(going, steps=n))["sentence"]).split(":")[0] for n in (3, 4, 5)]
        assert said == ["Step 2 of 3", "Step 3 of 3", "Step 3 of 3"]
        assert tell(replace(one, stage=CopyStage.READ))["found"] == {"00.jpg": "12 found"}
    assert all(len(costs(game, 4)) == 4 + len(READING[game]) for game in READING)
