"""The composition root: the real pipeline behind the page, recordings in their own time, and the server."""

from __future__ import annotations

import argparse
import json
import re
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from scoring.commands import CallEnd, ConfirmRound, DealScoring, StartRace
from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from scoring.match import MatchState, decide, fold
from scoring.table import TableState
from tests.webui.fakes import DECK, SCALE, FakeEye, FakeFrame, FakeSource, draw
from vision.scene import Observation, SceneModel
from vision.sources.recorded import FileSource
from vision.sources.source import Source, SourceState
from vision.types import Detection, Failure, Frame
from webui import bootstrap
from webui.bootstrap import open_server, open_store, own_addresses
from webui.commands.scene import Scene
from webui.sight.cameras.camera import TableEye
from webui.sight.cameras.known_camera import KnownCameras
from webui.sight.cameras.played import Played
from webui.sight.decks.art import DeckArt
from webui.sight.decks.folders import bundled_deck, read_deck
from webui.table.director import ACTIONS, Step, load_script
from webui.table.runner import Runner


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Half a second of a grey picture that grows lighter."""
    path = tmp_path / "clip.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 10, (160, 96))
    for n in range(5):
        writer.write(np.full((96, 160, 3), 40 + 30 * n, np.uint8))
    writer.release()
    return path


class Clock:
    """A clock that stands still until it is told; waiting moves it on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 10.0
        return self.now


def test_recording_holds_its_last_picture(recording: Path) -> None:
    """Behind the end the last picture comes again and again, later each time, and the source is not over."""
    source = Played(lambda: FileSource(str(recording)), clock=Clock())
    frames = [source.read(0.1) for _ in range(9)]
    times = [f.at_s for f in frames if f is not None]
    assert len(times) == 9
    assert times == sorted(set(times))
    last = frames[4]
    assert last is not None
    assert all(f is not None and f.rgb is last.rgb for f in frames[5:])
    assert source.state is SourceState.CONNECTED
    source.close()
    assert source.state is SourceState.ENDED
    assert source.read(0.1) is None


def test_recording_that_loops_begins_anew(recording: Path) -> None:
    """A looping recording rests on its last picture, starts over with its period, and its time goes on."""
    source = Played(lambda: FileSource(str(recording)), period_s=1.0, clock=Clock())
    frames = [source.read(0.1) for _ in range(13)]
    light = [round(float(f.rgb.mean())) for f in frames if f is not None]
    times = [f.at_s for f in frames if f is not None]
    assert times == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.1, 1.2, 1.3, 1.4, 1.6], abs=0.01)
    assert light[4] == light[5] == light[6]
    assert light[7:12] == light[:5]
    source.close()


def test_recording_is_shown_in_its_own_time(recording: Path) -> None:
    """A frame is not given before its time has come."""
    waited: list[float] = []
    source = Played(lambda: FileSource(str(recording)), clock=lambda: 0.0)
    source._stop.wait = lambda s=None: waited.append(s or 0.0) or False  # type: ignore[method-assign, func-returns-value]
    for _ in range(5):
        source.read(0.1)
    assert waited == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4], abs=0.02)
    source.close()


def test_pictures_of_cards_are_small_and_only_known_ones(deck: RoxDeck) -> None:
    """Only ids of the deck have a picture; it is a JPEG of a page's size, made once."""
    art = DeckArt(DECK, deck)
    first = next(iter(deck.faces))
    made = art.card(first)
    assert made is not None
    assert made[1] == "image/jpeg"
    picture = cv2.imdecode(np.frombuffer(made[0], np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape[0] == 368
    assert art.card(first) is made
    for name in ("../deck.json", "deck.json", "", "R999"):
        assert art.card(name) is None
    assert art.card(next(iter(deck.scoring_cards))) is not None


def observed(frame: Frame, table: TableState) -> Observation:
    """What a perfect eye would see in a picture of this table."""
    cards = tuple(Detection(np.array(p.corners()) * SCALE, p.face, p.confidence, p.visible) for p in table.placements)
    return Observation(cards, table, frame.at_s)


def test_pipeline_reads_a_table_that_came_to_rest(three_rows: FakeFrame) -> None:
    """A still picture is looked at once and the reading kept; a hand takes it away; what is unread is said."""
    calls = []

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        calls.append(frame.at_s)
        return observed(frame, three_rows.table) if frame.rgb.mean() > 20 else Failure("nothing")

    eye = TableEye(SceneModel(), observe)
    rgb = draw(three_rows.table)
    sights = [eye.look(Frame(rgb, n / 10, n)) for n in range(12)]
    last = sights[-1]
    assert last.word == "settled"
    assert last.reading is not None
    assert {p.face for p in last.reading.table.placements} == {p.face for p in three_rows.table.placements}
    assert last.reading.size == rgb.shape[1::-1]
    assert len(calls) <= 2, "a picture on which nothing changes is not looked at again"
    assert sights[-2].reading is last.reading
    hand = rgb.copy()
    hand[200:600, 300:700] = 90
    moving = eye.look(Frame(hand, 1.3, 13))
    assert (moving.word, moving.reading) == ("moving", None)
    photo = eye.read(Frame(rgb, 0.0, 0))
    assert photo.reading is not None
    dark = eye.read(Frame(np.zeros_like(rgb), 0.0, 0))
    assert (dark.reading, dark.hint) == (None, "unread")


def test_recording_that_begins_anew_is_another_table(three_rows: FakeFrame) -> None:
    """No piece of the last turn is remembered in the next one."""
    tables = [three_rows.table, replace(three_rows.table, placements=three_rows.table.placements[:3])]
    eye = TableEye(SceneModel(), lambda frame, model: observed(frame, tables[frame.at_s >= 5.0]))
    rgb = draw(three_rows.table)
    for n in range(12):
        eye.look(Frame(rgb, n / 10, n))
    for n in range(12):
        sight = eye.look(Frame(rgb, 5.0 + n / 10, n))
    assert sight.reading is not None
    assert len(sight.reading.table.placements) == 3
    assert sight.reading.unseen == frozenset()


def test_photo_leaves_the_camera_s_reading_alone(three_rows: FakeFrame) -> None:
    """After a photo was judged the live picture is read as before."""
    eye = TableEye(SceneModel(), lambda frame, model: observed(frame, three_rows.table))
    rgb = draw(three_rows.table)
    for n in range(12):
        sight = eye.look(Frame(rgb, n / 10, n))
    eye.read(Frame(rgb[:400, :400], 0.0, 0))
    assert eye.look(Frame(rgb, 1.3, 13)).reading is sight.reading


def test_photos_are_decoded_with_limits() -> None:
    """A large photo is scaled down, something else than a picture is refused with a sentence."""
    eye = TableEye(SceneModel(), lambda frame, model: Failure("nothing"))
    big = cv2.imencode(".jpg", np.zeros((3000, 6000, 3), np.uint8))[1].tobytes()
    frame = eye.open(big)
    assert frame.rgb.shape == (2048, 4096, 3)
    assert len(eye.encode(frame)) < 60_000
    for data in (b"", b"hello", big[:2000]):
        with pytest.raises(RefereeError):
            eye.open(data)


NO_FACE = '{"players": {}, "steps": [{"at_s": 1, "do": "roll", "face": "7"}]}'


@pytest.mark.parametrize("game", ["rox", "conex", "cactus"])
def test_bundled_scripts_are_complete(game: str) -> None:
    """Each bundled recording has a script whose players can sit down, and that comes to an end before it loops."""
    script = load_script(bootstrap.DEMO / f"{game}.json")
    deck = read_deck(bundled_deck(game))
    created = decide(MatchState(), script.create(deck, "now"))
    assert fold(created).players
    assert script.loop_s is not None
    assert script.steps[-1].at_s < script.loop_s


def test_script_of_a_demonstration_is_checked(tmp_path: Path) -> None:
    """A script becomes commands in the order of their time; what is wrong in it is named."""
    path = tmp_path / "rox.json"
    steps = [
        {"at_s": 9, "do": "confirm"},
        {"at_s": 1, "do": "deal", "values": [7, 3]},
        {"at_s": 2, "do": "start"},
        {"at_s": 8, "do": "call", "seat": "west"},
    ]
    path.write_text(json.dumps({"players": {"south": "Ann", "west": "Bob"}, "steps": steps}))
    script = load_script(path)
    assert script.players == {"south": "Ann", "west": "Bob"}
    assert script.loop_s is None
    commands = [s.command("now") for s in script.steps]
    assert [type(c) for c in commands] == [DealScoring, StartRace, CallEnd, ConfirmRound]
    played = {s.action for s in script.steps}
    others = {action for action in ACTIONS if type(Step(0.0, action, face="2x").command("now")) is not ConfirmRound}
    assert played | others == set(ACTIONS)
    assert script.steps[0] == Step(1.0, "deal", values=(7, 3))
    for wrong in ("", "[]", '{"players": {}, "steps": [{"at_s": 1, "do": "fly"}]}', '{"steps": []}', NO_FACE):
        path.write_text(wrong)
        with pytest.raises(RefereeError, match=re.escape(str(path))):
            load_script(path)
    with pytest.raises(RefereeError):
        load_script(tmp_path / "nothing.json")


@pytest.fixture
def runner(tmp_path: Path, deck: RoxDeck) -> Iterator[Runner]:
    store = open_store(f"sqlite:///{tmp_path / 'm.sqlite'}")
    made = Runner(store, FakeEye(), deck, FakeSource())
    yield made
    store.close()


def test_server_answers_on_its_port_and_says_where(
    runner: Runner, deck: RoxDeck, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bound to this computer the page needs no code; open to the network it has a code and addresses."""
    alone = open_server(runner._store, runner, DeckArt(DECK, deck), "127.0.0.1", 0)
    bootstrap._announce(alone, "127.0.0.1")
    said = capsys.readouterr().out
    assert f"http://127.0.0.1:{alone.port}/" in said
    assert "code" not in said
    thread = threading.Thread(target=alone.serve_forever, daemon=True)
    thread.start()
    with urllib.request.urlopen(f"http://127.0.0.1:{alone.port}/matches", timeout=20) as answer:
        assert answer.status == 200
        assert answer.headers["Server"].strip() == "table-referee"
    with pytest.raises(RefereeError, match=f":{alone.port}: cannot be used"):
        open_server(runner._store, runner, DeckArt(DECK, deck), "127.0.0.1", alone.port)
    alone.shutdown()
    alone.server_close()
    shared = open_server(runner._store, runner, DeckArt(DECK, deck), "0.0.0.0", 0)
    services = shared.app.extensions["referee"]  # type: ignore[attr-defined]
    assert re.fullmatch(r"[A-HJ-NP-Z2-9]{6}", services.door.join_code)
    bootstrap._announce(shared, "0.0.0.0")
    said = capsys.readouterr().out
    for address in services.addresses:
        assert f"{address}?code={services.door.join_code}" in said
    shared.server_close()


def test_addresses_are_those_of_other_devices() -> None:
    """A given address stays; for all addresses none leads back to the other device itself."""
    assert own_addresses("192.168.0.9") == ["192.168.0.9"]
    assert not [a for a in own_addresses("0.0.0.0") if a.startswith("127.")]


def test_database_that_keeps_nothing_is_refused() -> None:
    """A match must survive the program: memory is no place for it."""
    with pytest.raises(RefereeError, match="keeps nothing"):
        open_store("sqlite://")


def test_play_serves_until_it_is_stopped(
    tmp_path: Path, deck: RoxDeck, three_rows: FakeFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`serve` starts camera, runner and page, and lets go of all of them when the keyboard stops it."""
    served: list[str] = []

    class Pictures(Source):
        live = True

        def __init__(self) -> None:
            super().__init__("test")
            self.closed = False

        @property
        def state(self) -> SourceState:
            return SourceState.ENDED if self.closed else SourceState.CONNECTED

        def read(self, timeout_s: float = 1.0) -> Frame | None:
            return None

        def close(self) -> None:
            self.closed = True

    def interrupted(server: object) -> None:
        served.append("yes")
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "observer", lambda: lambda frame, model: Failure("nothing"))
    monkeypatch.setattr("werkzeug.serving.ThreadedWSGIServer.serve_forever", interrupted)
    source = Pictures()
    args = argparse.Namespace(
        deck=DECK,
        host="127.0.0.1",
        port=0,
        secure_port=0,
        database=f"sqlite:///{tmp_path / 'p.sqlite'}",
        argv=(),
    )
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        bootstrap.serve(Scene(deck, SceneModel(), KnownCameras()), source, args)
    assert served == ["yes"]
    assert source.closed
    assert threading.active_count() == before


def test_frames_are_replaced_not_queued(runner: Runner, three_rows: FakeFrame) -> None:
    """A slow look makes the next one newer, never later."""
    for n in range(50):
        runner.offer(replace(three_rows, at_s=float(n)))
    assert runner._mail._frame is not None
    assert runner._mail._frame.at_s == 49.0
    runner.step()
    assert runner._mail._frame is None
