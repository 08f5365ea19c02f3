"""The command line: what goes to which output, exit status, and recordings told as events."""

from __future__ import annotations

import argparse
import errno
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from scoring.commands import CallEnd, CreateMatch, DealScoring, RecordTable, StartRace
from scoring.events import DealtCard, Player, encode
from scoring.match import MatchState, decide, fold
from scoring.table import TableState
from tests import colour_eye
from tests.colour_eye import south_row, table, with_arm
from tests.told import Told, told_by
from vision.live import Eye, Look, Turn
from vision.scene import Observation, SceneModel
from vision.sources.source import SourceState
from vision.tracking.gate import Word
from vision.types import Failure, Frame
from webui import cli
from webui.commands import live, records
from webui.commands.scene import open_scene
from webui.log.store import Store
from webui.sight.decks.folders import bundled_deck, read_deck
from webui.telling import report_of

FPS = 15
ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(colour_deck: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """Run a command with the colour eye; gives exit status, the lines on standard output, and standard error."""

    def command(*argv: str, deck: bool = True) -> Told:
        return told_by(colour_eye.observe, [*argv, *(["--deck", str(colour_deck)] if deck else [])], capsys)

    return command


def photo(path: Path, cards: list[tuple[str, int, int]]) -> str:
    Image.fromarray(table(cards)).save(path, compress_level=0)
    return str(path)


def test_judge_prints_one_object_a_photo(tmp_path: Path, run: Callable) -> None:
    """Each photo is judged by itself, in the order given, and nothing else is printed."""
    names = [
        photo(tmp_path / "a.png", [*south_row(["F0", "F1", "F2"]), ("F4", 300, 60), ("P9", 600, 40)]),
        photo(tmp_path / "b.png", south_row(["F0", "F1", "F4"])),
    ]
    status, lines, err = run("judge", "rox", *names)
    assert status == 0
    assert err == ""
    assert [line["photo"] for line in lines] == names
    assert [line["game"] for line in lines] == ["rox", "rox"]
    (south,) = lines[0]["rows"]
    assert (south["seat"], south["verdict"], [c["id"] for c in south["cards"]]) == (
        "south",
        "valid",
        ["F0", "F1", "F2"],
    )
    assert [c["id"] for c in lines[0]["pool"]] == ["F4"]
    assert [c["value"] for c in lines[0]["scoring_cards"]] == [9]
    assert (lines[1]["rows"][0]["verdict"], lines[1]["rows"][0]["break_at"]) == ("broken", 2)


def test_bad_photos_get_a_line_each_and_the_others_are_judged(tmp_path: Path, run: Callable) -> None:
    """Missing, empty and dark photos are named with the mend; the good ones are still judged; the status is 2."""
    good = photo(tmp_path / "good.png", south_row(["F0"]))
    (tmp_path / "empty.jpg").touch()
    Image.new("RGB", (100, 100)).save(tmp_path / "dark.png")
    bad = [str(tmp_path / name) for name in ("none.jpg", "empty.jpg", "dark.png")]
    status, lines, err = run("judge", "rox", bad[0], good, *bad[1:])
    assert status == 2
    assert [line["photo"] for line in lines] == [good]
    complaints = err.splitlines()
    assert len(complaints) == 3
    for name, line in zip(bad, complaints, strict=True):
        assert line.startswith(f"referee: {name}: ")
        assert ";" in line  # what is wrong; what to do


def test_area_drops_cards_outside(tmp_path: Path, run: Callable) -> None:
    """A card whose centre lies outside the playing area is not told."""
    name = photo(tmp_path / "a.png", [("F1", 100, 100), ("F2", 500, 100)])
    _, lines, _ = run("cards", name, "--area", "0,0 400,0 400,480 0,480")
    assert [c["id"] for c in lines[0]["cards"]] == ["F1"]


def test_cards_prints_outline_name_and_certainty(tmp_path: Path, run: Callable) -> None:
    """`cards` has exactly the keys of the contract, and quads start at the printed top-left corner."""
    _, lines, _ = run("cards", photo(tmp_path / "a.png", [("F3", 100, 120)]))
    (line,) = lines
    assert list(line) == ["photo", "cards"]
    (card,) = line["cards"]
    assert set(card) == {"quad", "id", "confidence", "visible"}
    w, h = colour_eye.CARD_PX
    np.testing.assert_allclose(card["quad"], [[100, 120], [100 + w, 120], [100 + w, 120 + h], [100, 120 + h]], atol=2)


def test_min_row_is_a_house_rule(tmp_path: Path, run: Callable) -> None:
    """Two valid cards count by the other printing."""
    name = photo(tmp_path / "a.png", south_row(["F0", "F1"]))
    assert not run("judge", "rox", name)[1][0]["rows"][0]["counts"]
    assert run("judge", "rox", "--min-row", "2", name)[1][0]["rows"][0]["counts"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["judge", "rox"], "PHOTO"),
        (["judge", "chess", "a.jpg"], "chess"),
        (["judge", "rox", "--area", "1,2 3,4", "a.jpg"], "no area; give three or more corners"),
        (["judge", "rox", "--area", "1,2 3,nan 4,5", "a.jpg"], "no area"),
        (["watch", "rox"], "--source"),
        (["play", "rox", "--port", "70000"], "no port"),
        (["enroll", "rox"], "--out"),
        (["count", "rox"], "invalid choice"),
        ([], "COMMAND"),
    ],
)
def test_wrong_arguments_are_refused(argv: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong arguments end with status 2 and say which."""
    with pytest.raises(SystemExit) as ended:
        cli.main(argv)
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert words in err


def test_wrong_deck_gets_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deck that cannot be used is named with file, key and mend; the status is 2."""
    assert cli.main(["judge", "rox", "--deck", str(tmp_path / "none"), "a.jpg"]) == 2
    (tmp_path / "deck.json").write_text('{"format": 1, "game": "rox"}')
    assert cli.main(["judge", "rox", "--deck", str(tmp_path), "a.jpg"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert "no such deck" in first
    assert "deck.json: name:" in second


def test_help_is_fast_and_imports_nothing_heavy() -> None:
    """`referee --help` works in a process of its own and loads neither OpenCV nor the page."""
    code = (
        "import sys\nfrom webui import cli\n"
        "try:\n    cli.main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'cv2', 'numpy', 'flask', 'onnxruntime', 'sqlalchemy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "[]"
    for command in ("judge", "cards", "watch", "play", "demo", "calibrate", "sheet", "rejudge", "export", "report"):
        assert f"\n    {command}" in done.stdout


def test_reader_that_goes_away_ends_the_command_quietly() -> None:
    """`referee judge ... | head -1` leaves no traceback."""
    code = (
        "import sys\nfrom webui import cli\n"
        "def many(args):\n    from webui.commands.scene import tell\n"
        "    while True:\n        tell({'a': 1})\n"
        "cli.run = many\nsys.exit(cli.main(['cards', 'a.jpg']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline()) == {"a": 1}
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(30) == 0


def test_missing_system_library_is_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where OpenCV cannot be loaded the mend is named; another missing module stays a bug with its trace."""

    def broken(args: argparse.Namespace) -> int:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr(cli, "run", broken)
    assert cli.main(["cards", "a.jpg"]) == 2
    assert "apt-get install libgl1" in capsys.readouterr().err

    def bug(args: argparse.Namespace) -> int:
        raise ImportError("No module named 'scoring.typo'")

    monkeypatch.setattr(cli, "run", bug)
    with pytest.raises(ImportError):
        cli.main(["cards", "a.jpg"])


# --- watch


class Recording:
    """Writes a recording of a table as a webcam would give it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, colour_eye.SIZE)
        self.rng = np.random.default_rng(11)
        self.noise = [self.rng.normal(0, 3, (colour_eye.SIZE[1], colour_eye.SIZE[0], 3)) for _ in range(4)]
        self.count = 0

    @property
    def at_s(self) -> float:
        return self.count / FPS

    def show(self, picture: np.ndarray | Callable[[float], np.ndarray], seconds: float, light: float = 1.0) -> None:
        frames = round(seconds * FPS)
        for n in range(frames):
            rgb = picture(n / max(1, frames - 1)) if callable(picture) else picture
            noisy = np.clip(rgb * light + self.noise[int(self.rng.integers(4))], 0, 255).astype(np.uint8)
            self.writer.write(np.ascontiguousarray(noisy[:, :, ::-1]))
            self.count += 1

    def visit(self, before: np.ndarray, after: np.ndarray) -> None:
        """An arm comes in over the table, does something, and goes."""
        self.show(lambda t: with_arm(before, 0.8 * t), 0.5)
        self.show(lambda t: with_arm(after, 0.8 * (1 - t)), 0.5)


def test_watch_tells_rows_when_they_change_and_nothing_for_disturbances(tmp_path: Path, run: Callable) -> None:
    """The rows at the start, each change soon after the hand left, a lamp as disturbed, and no more."""
    film = Recording(tmp_path / "clip.avi")
    pool = [("F4", 330, 60), ("F5", 430, 120)]
    one, two = (table([*pool, *south_row(row)]) for row in (["F0", "F1"], ["F0", "F1", "F2"]))
    film.show(one, 1.5)
    film.visit(one, two)
    laid_s = film.at_s
    film.show(two, 1.5)
    film.visit(two, two)
    film.show(two, 1.2)
    film.show(lambda t: with_arm(two, 0.8 * t), 0.4)
    film.show(with_arm(two, 0.8), 1.5)
    film.show(lambda t: with_arm(two, 0.8 * (1 - t)), 0.4)
    film.show(two, 1.2)
    lamp_s = film.at_s
    film.show(two, 1.5, light=1.2)
    film.writer.release()

    status, events, err = run("watch", "rox", "--source", str(film.path))
    assert (status, err) == (0, "")
    rows = [e for e in events if e["event"] == "rows"]
    assert [[c["id"] for c in r["cards"]] for e in rows for r in e["rows"]] == [["F0", "F1"], ["F0", "F1", "F2"]]
    assert rows[0]["at_s"] <= 0.8
    assert 0 < rows[1]["at_s"] - laid_s <= 0.9
    disturbed = [e for e in events if e["event"] == "disturbed"]
    assert [e["why"] for e in disturbed] == ["light"]
    assert 0 < disturbed[0]["at_s"] - lamp_s < 1.0
    settled = [e for e in events if e["event"] == "settled"]
    assert len(settled) >= 4
    assert set(settled[0]) == {"at_s", "event", "rows", "pool", "scoring_cards"}
    assert {e["event"] for e in events} == {"rows", "disturbed", "settled"}
    assert [e["at_s"] for e in events] == sorted(e["at_s"] for e in events)


def test_watch_keeps_rows_that_an_arm_hides(tmp_path: Path, run: Callable) -> None:
    """While an arm rests over a row, and after it went, nothing about the row is told anew."""
    film = Recording(tmp_path / "clip.avi")
    laid = table(south_row(["F0", "F1", "F2", "F3"]))
    film.show(laid, 1.2)
    over = {"reach": 0.97, "at_x": 300}
    film.show(lambda t: with_arm(laid, 0.97 * t, at_x=300), 0.5)
    film.show(with_arm(laid, **over), 1.5)
    film.show(lambda t: with_arm(laid, 0.97 * (1 - t), at_x=300), 0.5)
    film.show(laid, 1.2)
    film.writer.release()
    _, events, _ = run("watch", "rox", "--source", str(film.path))
    assert [[c["id"] for c in r["cards"]] for e in events if e["event"] == "rows" for r in e["rows"]] == [
        ["F0", "F1", "F2", "F3"]
    ]
    during = [e for e in events if e["event"] == "settled" and 1.7 < e["at_s"] < 3.2]
    assert during
    assert all([c["id"] for c in e["rows"][0]["cards"]] == ["F0", "F1", "F2", "F3"] for e in during)


def test_watch_looks_closely_only_when_something_settled(tmp_path: Path, colour_deck: Path) -> None:
    """The expensive look is taken once a rest, not once a frame."""
    film = Recording(tmp_path / "clip.avi")
    laid = table(south_row(["F0", "F1"]))
    film.show(laid, 3)
    film.visit(laid, laid)
    film.show(laid, 3)
    film.writer.release()
    looks = []

    def counted(frame: Frame, model: SceneModel) -> object:
        looks.append(frame.at_s)
        return colour_eye.observe(frame, model)

    argv = ["watch", "rox", "--deck", str(colour_deck), "--source", str(film.path)]
    assert live.watch(cli.build_parser().parse_args(argv), counted) == 0  # type: ignore[arg-type]
    assert len(looks) == 2


def test_watch_takes_a_folder_of_pictures_one_by_one(tmp_path: Path, run: Callable) -> None:
    """Each picture of a folder is a table of its own; one that cannot be read is named and passed over."""
    photo(tmp_path / "1.png", south_row(["F0", "F1"]))
    photo(tmp_path / "2.png", south_row(["F0", "F1"]))
    (tmp_path / "3.png").write_bytes(b"broken")
    photo(tmp_path / "10.png", south_row(["F0"]))
    status, events, err = run("watch", "rox", "--source", str(tmp_path))
    assert status == 2
    assert "3.png" in err
    rows = [(e["at_s"], [c["id"] for r in e["rows"] for c in r["cards"]]) for e in events if e["event"] == "rows"]
    assert rows == [(0.0, ["F0", "F1"]), (3.0, ["F0"])]


def test_watch_refuses_a_source_that_is_none(run: Callable) -> None:
    """A missing recording is one line and status 2."""
    status, lines, err = run("watch", "rox", "--source", "none.mp4")
    assert (status, lines) == (2, [])
    assert err.startswith("referee: none.mp4: no such source")


def teller(colour_deck: Path, clock: Iterator[float]) -> live.Teller:
    return live.Teller(report_of(read_deck(colour_deck)), clock=lambda: next(clock))


def test_lost_camera_is_told_once_and_its_return_too(colour_deck: Path) -> None:
    """A camera that goes away is `camera-lost`, and `camera-back` when its frames come again."""
    now = iter(np.arange(100.0, 200.0, 0.5))
    tell = teller(colour_deck, now)
    frame = Frame(table(), 7.0)
    told = []
    states = [SourceState.CONNECTED, SourceState.LOST, SourceState.LOST, SourceState.CONNECTED, SourceState.CONNECTED]
    for n, state in enumerate(states):
        look = Look(Word.LOOKING, Frame(frame.rgb, 7.0 + 3 * n)) if state is SourceState.CONNECTED else None
        told += tell.events(Turn(state, look))
    assert [e["event"] for e in told] == ["camera-lost", "camera-back"]
    assert 7.0 <= told[0]["at_s"] < told[1]["at_s"] == 16.0


def test_camera_that_takes_its_time_to_open_is_not_lost(colour_deck: Path) -> None:
    """The first seconds belong to the camera; one that is still away then is lost."""
    tell = teller(colour_deck, iter(np.arange(0.0, 50.0, 0.4)))
    early = [tell.events(Turn(SourceState.LOST)) for _ in range(3)]
    assert early == [[], [], []]
    later = [e["event"] for _ in range(10) for e in tell.events(Turn(SourceState.LOST))]
    assert later == ["camera-lost"]


def test_look_that_fails_is_tried_again() -> None:
    """A settled picture in which nothing was understood is looked at again a second later, not every frame."""
    tries = []

    def hopeless(frame: Frame, model: SceneModel) -> Failure:
        tries.append(frame.at_s)
        return Failure("no cards")

    eye = Eye(SceneModel(), hopeless)
    looks = [eye.look(Frame(table(), n / FPS)) for n in range(45)]
    assert 2 <= len(tries) <= 3
    assert any(look.failure is not None for look in looks)
    assert all(look.settled is None for look in looks)


def test_doubt_about_a_loose_card_holds_no_row_up(colour_deck: Path) -> None:
    """Rows are told at the first look although a card of the pool is looked at again; doubt in a row waits."""

    def told(doubtful: str) -> tuple[float, int]:
        looks = []

        def unsure(frame: Frame, model: SceneModel) -> Observation:
            seen = colour_eye.observe(frame, model)
            assert isinstance(seen, Observation)
            looks.append(frame.at_s)
            pieces = tuple(
                replace(p, confidence=0.8, candidates=()) if p.face == doubtful else p for p in seen.table.placements
            )
            return replace(seen, table=replace(seen.table, placements=pieces))

        eye = Eye(SceneModel(), unsure)
        tell = live.Teller(report_of(read_deck(colour_deck)))
        picture = table([("F5", 430, 90), *south_row(["F0", "F1"])])
        at_s = [
            event["at_s"]
            for n in range(30)
            for event in tell.events(Turn(SourceState.CONNECTED, eye.look(Frame(picture, n / FPS))))
            if event["event"] == "rows"
        ]
        return at_s[0], len(looks)

    loose_s, loose_looks = told("F5")
    row_s, _ = told("F1")
    assert loose_looks > 1
    assert loose_s < 0.6 < row_s


# --- decks and records


def test_bundled_deck_is_the_default() -> None:
    """Without --deck the printable deck of the game is used."""
    args = cli.build_parser().parse_args(["judge", "rox", "a.jpg"])
    assert args.deck is None
    assert open_scene(args).deck.game == "rox"
    assert len(read_deck(bundled_deck("rox")).faces) == 60


def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'matches.sqlite'}"


def played_match(url: str) -> str:
    """A match with one judged round, of a table without cards, in a database; returns its name."""
    deck = read_deck(bundled_deck("rox"))
    at = "2026-01-01T20:00:00+00:00"
    seen = TableState((), ((0.0, 0.0), (800.0, 0.0), (800.0, 450.0), (0.0, 450.0)))
    commands = [
        CreateMatch(at, "rox", (Player("Ann", "south"), Player("Bo", "north")), deck),
        DealScoring(at, (DealtCard(next(iter(deck.scoring_values.values())), None),)),
        StartRace(at),
        CallEnd(at, "south"),
        RecordTable(at, seen, ""),
    ]
    state, events = MatchState(), []
    for command in commands:
        events += decide(state, command)
        state = fold(events)
    store = Store(url)
    try:
        record = store.create("rox", "Friday", deck.name)
        store.append(record.id, 0, [encode(event) for event in events])
        return record.id
    finally:
        store.close()


def lines_of(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_match_is_exported_imported_and_judged_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A match goes through a file into another database, and today's rules say of it what was recorded."""
    url = database(tmp_path)
    name = played_match(url)
    file = tmp_path / "match.jsonl"
    assert cli.main(["export", name, "--database", url, "--out", str(file)]) == 0
    assert cli.main(["export", "--database", url]) == 0
    assert capsys.readouterr().out == file.read_text()
    file.rename(tmp_path / "match.jsonl.1")
    file.write_text("of somebody else")
    assert cli.main(["export", name, "--database", url, "--out", str(file)]) == 0
    assert file.read_text() == (tmp_path / "match.jsonl.1").read_text()
    assert (tmp_path / "match.jsonl.2").read_text() == "of somebody else"
    assert "match.jsonl.2" in capsys.readouterr().err
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert cli.main(["import", str(file), "--database", other]) == 0
    assert lines_of(capsys.readouterr().out)[0]["title"] == "Friday"
    assert cli.main(["matches", "--database", other]) == 0
    (there,) = lines_of(capsys.readouterr().out)
    assert cli.main(["rejudge", there["match"], "--database", other]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", "referee: 1 round judged again, nothing differs\n")


def test_export_at_a_terminal_goes_into_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No picture is poured over a terminal: a new file is written and named, and none is written over."""
    url = database(tmp_path)
    name = played_match(url)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["export", "--database", url, "--out", "piped"]) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.main(["export", "--database", url]) == 0
    assert cli.main(["export", "--database", url]) == 0
    assert capsys.readouterr().out == f"written: {name}.jsonl\nwritten: {name}-2.jsonl\n"
    assert {Path(f"{name}{n}.jsonl").read_text() for n in ("", "-2")} == {Path("piped").read_text()}


def test_damaged_export_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is no export is one line and status 2; a good one beside it is read."""
    url = database(tmp_path)
    played_match(url)
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    cli.main(["export", "--database", url, "--out", str(good)])
    bad.write_text('{"kind": "something"}\n')
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert cli.main(["import", str(bad), str(tmp_path / "none"), str(good), "--database", other]) == 2
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 1
    assert [str(bad) in err.splitlines()[0], "none" in err.splitlines()[1]] == [True, True]


@pytest.mark.parametrize("change", ["another game", "no number"])
def test_changed_export_is_refused(change: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that is of another game than its head says, or that no fold can read, is one line and status 2."""
    url = database(tmp_path)
    played_match(url)
    file = tmp_path / "match.jsonl"
    cli.main(["export", "--database", url, "--out", str(file)])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    if change == "another game":
        lines[0]["game"] = "chess"
    else:
        lines[1]["body"]["options"]["rounds"] = "x"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    other = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert cli.main(["import", str(file), "--database", other]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines()), str(file) in err) == ("", 1, True)


def test_unknown_match_and_empty_database_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who names a match that is not there is told what is."""
    assert cli.main(["rejudge", "--database", database(tmp_path)]) == 2
    assert cli.main(["export", "nope", "--database", database(tmp_path)]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "no match is recorded yet" in first
    assert "nope: no such match" in second


def test_report_packs_what_a_bug_report_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One zip: versions, the match's log, photos, calibration, frames of the source."""
    url = database(tmp_path)
    name = played_match(url)
    picture = photo(tmp_path / "wrong.png", south_row(["F0"]))
    lens = tmp_path / "camera.json"
    lens.write_text("{}")
    out = tmp_path / "report.zip"
    argv = ["report", picture, "--database", url, "--calibration", str(lens), "--source", picture, "--out", str(out)]
    assert cli.main(argv) == 0
    with zipfile.ZipFile(io.BytesIO(out.read_bytes())) as bundle:
        names = bundle.namelist()
        assert set(names) == {
            "versions.json",
            "calibration/camera.json",
            "photos/00-wrong.png",
            f"match-{name}.jsonl",
            "frames/00.png",
        }
        versions = json.loads(bundle.read("versions.json"))
        assert {"python", "platform", "packages"} == set(versions)
        log = bundle.read(f"match-{name}.jsonl").decode().splitlines()
        assert json.loads(log[0])["kind"] == "match"
    told, err = capsys.readouterr()
    assert set(lines_of(told)[0]["files"]) == set(names)
    assert lines_of(told)[0]["bytes"]["calibration/camera.json"] == 2
    assert "2 B calibration/camera.json: what was learned of the camera" in err
    assert f"match-{name}.jsonl: the match with the players' names and its pictures" in err
    assert "look at it, then attach it to your bug report" in err
    before = out.read_bytes()
    assert cli.main([*argv, "--dry-run"]) == 0
    told, err = capsys.readouterr()
    assert set(lines_of(told)[0]["files"]) == set(names)
    assert "nothing was written" in err
    assert out.read_bytes() == before


def test_report_packs_a_learned_copy_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are told with their size and how to pack them; one that is not there is named."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    copy = tmp_path / "table-referee" / "copies" / "ours"
    (copy / "read").mkdir(parents=True)
    for name in ("00.jpg", "copy.json", "read/parts.json", "read/part-0.jpg"):
        (copy / name).write_bytes(b"x" * 500)
    argv = ["report", "--database", database(tmp_path), "--dry-run"]
    assert cli.main(argv) == 0
    told, err = capsys.readouterr()
    assert lines_of(told)[0]["files"] == ["versions.json"]
    assert "1.5 kB your copy ours is left out; --copy ours packs" in err
    assert cli.main([*argv, "--copy", "ours"]) == 0
    told, err = capsys.readouterr()
    assert lines_of(told)[0]["files"][1:] == [
        "copies/ours/photos/00.jpg",
        "copies/ours/answers/copy.json",
        "copies/ours/answers/read/parts.json",
    ]
    assert "left out" not in err
    assert cli.main([*argv, "--copy", "../ours"]) == 2
    assert "there is no such copy; there is ours" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_report_packs_no_folder_as_a_calibration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has no bytes, and a pipe no end: either is named, and nothing is written."""
    out = tmp_path / "report.zip"
    os.mkfifo(tmp_path / "pipe")
    for named in (tmp_path, tmp_path / "pipe"):
        argv = ["report", "--database", database(tmp_path), "--calibration", str(named), "--out", str(out)]
        assert cli.main(argv) == 2
        assert f"{named}: is no file; name one that `calibrate` wrote" in capsys.readouterr().err
        assert not out.exists()


def test_report_that_fails_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A photo that is not there is named, and no half report stays behind."""
    out = tmp_path / "report.zip"
    argv = ["report", str(tmp_path / "none.jpg"), "--database", database(tmp_path), "--out", str(out)]
    assert cli.main(argv) == 2
    assert "none.jpg" in capsys.readouterr().err
    assert not out.exists()


def test_sheet_and_target_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`sheet` writes a PDF, or an SVG of what can be cut by laser, and says where and how large."""
    out = tmp_path / "target.pdf"
    assert cli.main(["sheet", "target", "--out", str(out)]) == 0
    assert lines_of(capsys.readouterr().out) == [{"sheet": str(out), "pages": 1}]
    assert out.read_bytes().startswith(b"%PDF")
    assert cli.main(["sheet", "cactus", "--out", str(out)]) == 0
    told, err = capsys.readouterr()
    assert lines_of(told) == [{"sheet": str(out), "pages": 5}]
    assert "what was there before is now target.pdf.1" in err
    assert cli.main(["sheet", "target", "--force", "--out", str(out)]) == 0
    assert out.read_bytes() == (tmp_path / "target.pdf.1").read_bytes()
    assert not list(tmp_path.glob("*.2"))
    capsys.readouterr()
    svg = tmp_path / "cactus.svg"
    assert cli.main(["sheet", "cactus", "--svg", "--out", str(svg)]) == 0
    assert lines_of(capsys.readouterr().out)[0]["size_mm"][0] == 400
    assert svg.read_text(encoding="utf-8").startswith("<?xml")
    assert cli.main(["sheet", "rox", "--svg", "--out", str(svg)]) == 2
    assert "only cactus is cut by laser" in capsys.readouterr().err
    monkeypatch.setattr("webui.commands.sheet.bundled_deck", lambda game: tmp_path / game)
    assert cli.main(["sheet", "cactus", "--out", str(out)]) == 2
    assert "no deck to print comes with this version" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--svg"]])
def test_a_sheet_that_cannot_be_written_to_its_end_leaves_the_one_before(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is one line; neither half a sheet nor anything else is left in the folder."""
    out = tmp_path / "cactus.out"
    out.write_bytes(b"before")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("calibration.whole_file.os.fsync", full)
    assert cli.main(["sheet", "cactus", *more, "--out", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "No space left on device" in line
    assert [p.name for p in tmp_path.iterdir()] == [out.name]
    assert out.read_bytes() == b"before"


def test_calibrate_without_pictures_and_with_too_few(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to learn from, or too little, is said; no file is written."""
    out = tmp_path / "camera.json"
    assert cli.main(["calibrate", "--out", str(out)]) == 2
    assert cli.main(["calibrate", photo(tmp_path / "a.png", []), "--out", str(out)]) == 2
    err = capsys.readouterr().err.splitlines()
    assert "no pictures; give photos of the printed target, at least 5 from different sides" in err[0]
    assert "left out: the target was not found" in err[1]
    assert "cannot be learned" in err[2]
    assert not out.exists()


def test_records_find_the_newest_match(tmp_path: Path) -> None:
    """Without a name the newest match is meant."""
    url = database(tmp_path)
    played_match(url)
    newest = played_match(url)
    store = Store(url)
    try:
        assert records.find_match(store, None).id == newest
    finally:
        store.close()
