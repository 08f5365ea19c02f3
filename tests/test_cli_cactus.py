"""`referee judge cactus` and `watch cactus`: photos as a sequence, with an eye that knows what each of them shows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from calibration.capture.deck import Enrolled, Part
from tests.scoring.cactus_tables import FILE
from tests.told import Told, told_by
from tests.vision.flat_hung import hang, observation, picture, stage
from vision.cactus.upright import HungPiece, Rigid
from vision.scene import Observation, SceneModel
from vision.types import Failure, Frame
from webui import cli
from webui.sight.copies.readers import READERS
from webui.sight.decks.folders import bundled_deck

A = hang("bar-red", "K2", (0, 70))
B = hang("hook-red", "K4", (4, 80), 0.4)
C = hang("wedge-red", "K2", (0, 84))
Hung = Sequence[HungPiece]
Run = Callable[..., Told]


def eye(*shown: Hung) -> Callable[[Frame, SceneModel], Observation | Failure]:
    """An observer for which the first grey value of a picture is the number of what it shows; white is no use."""

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        assert model.cactus is not None
        number = int(frame.rgb[0, 0, 0]) // 10
        return Failure("no cactus") if number >= len(shown) else observation(shown[number])

    return observe


def take(folder: Path, shown: Sequence[Hung], *numbers: int) -> list[str]:
    """Photos of what these numbers mean."""
    names = []
    folder.mkdir(exist_ok=True)
    for n, number in enumerate(numbers):
        rgb = picture(shown[number] if number < len(shown) else ())
        rgb[0, 0] = number * 10
        path = folder / f"{n:02d}.png"
        Image.fromarray(rgb).save(path, compress_level=0)
        names.append(str(path))
    return names


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(observe: Callable, *argv: str) -> Told:
        return told_by(observe, [*argv, "--deck", str(FILE.parent)], capsys)

    return command


def test_photos_are_judged_as_a_sequence(tmp_path: Path, run: Run) -> None:
    """The first photo is the start, then each tells what was hung, what it earned and what fell."""
    shown = ([A, B], [A, B, C], [A, C])
    names = take(tmp_path, shown, 0, 1, 1, 2)
    status, lines, err = run(eye(*shown), "judge", "cactus", *names)
    assert (status, err) == (0, "")
    assert [line["photo"] for line in lines] == names
    assert {line["game"] for line in lines} == {"cactus"}
    assert [line["placed"] for line in lines] == [None, "wedge-red", None, None]
    assert [line["claims"] for line in lines] == [[], [{"why": "color-3", "flowers": 1}], [], []]
    assert [line["fallen"] for line in lines] == [[], [], [], ["hook-red"]]
    assert lines[1]["violations"] == [{"rule": "same-color", "pieces": ["bar-red", "wedge-red"]}]
    assert [c["id"] for c in lines[0]["cacti"]] == ["K1", "K2", "K3", "K4", "K5"]
    assert len(lines[0]["cacti"][0]["base"]) == 4
    assert len(lines[0]["pieces"][0]["outline"]) >= 3


def test_photo_that_fails_does_not_break_the_sequence(tmp_path: Path, run: Run) -> None:
    """A photo that cannot be used is named, and the next one is held against the last good one."""
    shown = ([A, B], [A, B, C])
    names = take(tmp_path, shown, 0, 9, 1)
    status, lines, err = run(eye(*shown), "judge", "cactus", *names)
    assert status == 2
    assert names[1] in err
    assert [line["photo"] for line in lines] == [names[0], names[2]]
    assert lines[1]["placed"] == "wedge-red"


def test_bare_cacti_are_a_table(tmp_path: Path, run: Run) -> None:
    """Before the first piece hangs there is nothing to complain of."""
    shown = ([], [A])
    status, lines, err = run(eye(*shown), "judge", "cactus", *take(tmp_path, shown, 0, 1))
    assert (status, err) == (0, "")
    assert [line["placed"] for line in lines] == [None, "bar-red"]


def test_a_cactus_that_is_not_found_is_told_once(tmp_path: Path, run: Run) -> None:
    """A line says what does not count and what to do; it comes again only where another cactus is lacking."""
    seen = [("K1", "K2", "K3", "K5"), ("K1", "K2", "K3", "K5"), ("K1", "K2", "K3", "K4", "K5")]

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        return observation([A], stage(seen=seen[frame.index]))

    status, told, err = run(observe, "judge", "cactus", *take(tmp_path, ([A],), 0, 0, 0))
    assert status == cli.DONE
    assert [len(t["cacti"]) for t in told] == [4, 4, 5]
    assert err.count("not found: K4") == 1
    assert "00.png" in err
    assert err.count("not found") == 1


def test_a_second_set_in_a_photo_is_told(tmp_path: Path, run: Run) -> None:
    """One of the two is judged, and one line says so and what to do."""
    shown = ([A],)

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        seen = eye(*shown)(frame, model)
        assert isinstance(seen, Observation)
        assert seen.stage is not None
        return replace(seen, stage=replace(seen.stage, spare=seen.stage.cacti))

    status, lines, err = run(observe, "judge", "cactus", *take(tmp_path, shown, 0))
    assert (status, len(lines)) == (0, 1)
    assert "two sets" in err
    assert len(err.splitlines()) == 1


def test_folder_is_watched_as_turns(tmp_path: Path, run: Run) -> None:
    """Pictures of a folder are settled tables: a turn carries the whole object, and a still table is none."""
    shown = ([A, B], [A, B, C])
    take(tmp_path, shown, 0, 1, 1)
    status, events, _ = run(eye(*shown), "watch", "cactus", "--source", str(tmp_path))
    assert status == 0
    (turn,) = [e for e in events if e["event"] == "turn"]
    assert turn["turn"]["placed"] == "wedge-red"
    assert turn["turn"]["game"] == "cactus"
    assert [c["id"] for c in turn["turn"]["cacti"]] == ["K1", "K2", "K3", "K4", "K5"]
    assert [e["placed"] for e in events if e["event"] == "settled"][:1] == [None]


def test_deck_of_another_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A deck of cards is named as such: one line, status 2."""
    (name,) = take(tmp_path, ([],), 0)
    assert cli.main(["judge", "cactus", "--deck", str(bundled_deck("rox")), name]) == 2
    assert "this is a deck of rox" in capsys.readouterr().err


def test_second_view_settles_the_last_photo(tmp_path: Path, run: Run) -> None:
    """`--second` tells the last photo's contacts from two places; one that cannot be used is named and left out."""
    low, high = hang("bar-red", "K3", (0, 70)), hang("gate-red", "K3", (2, 72), z=7.0, depth_sigma_mm=3.0)
    aside = stage(turn=0.45)
    shown = ([low], [low, replace(high, to_cactus=Rigid(high.to_cactus.R, high.to_cactus.t - [0, 0, 4]))], [low, high])
    names = take(tmp_path, shown, 0, 1)
    (second,) = take(tmp_path / "b", shown, 2)

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        number = int(frame.rgb[0, 0, 0]) // 10
        return observation(shown[number], aside if number == 2 else None)

    front = run(observe, "judge", "cactus", *names)[1]
    status, both, err = run(observe, "judge", "cactus", "--second", second, *names)
    assert (status, err) == (0, "")
    assert [line["contacts"][0]["verdict"] for line in (front[1], both[1])] == ["unsure", "clear"]
    assert both[1]["placed"] == "gate-red"
    status, left, err = run(observe, "judge", "cactus", "--second", str(tmp_path / "none.jpg"), *names)
    assert status == 2
    assert err.count("none.jpg") == 1
    assert left == front

    def fails(frame: Frame, model: SceneModel) -> Observation | Failure:
        if int(frame.rgb[0, 0, 0]) // 10 == 2:
            raise IndexError("a bug")
        return observe(frame, model)

    status, left, err = run(fails, "judge", "cactus", "--second", second, *names)
    assert (status, left) == (2, front)
    assert "the referee failed on it (IndexError: a bug)" in err


def test_second_view_is_refused_for_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cards lie flat: the option is named, status 2."""
    (name,) = take(tmp_path, ([],), 0)
    assert cli.main(["judge", "rox", "--second", name, name]) == 2
    assert "--second" in capsys.readouterr().err


def test_too_many_cacti_are_told_when_a_copy_is_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six may be five and a torn off arm; five are told nothing of."""
    photo = tmp_path / "a.png"
    Image.new("RGB", (64, 64)).save(photo)
    for count in (5, 6):
        parts = tuple(Part(f"K{n}", "cacti", {"id": f"K{n}"}, ({"photo": str(photo)},)) for n in range(count))
        monkeypatch.setitem(READERS, "cactus", lambda *_, parts=parts: Enrolled({}, parts))
        assert cli.main(["enroll", "cactus", "--out", str(tmp_path / f"out{count}"), str(photo)]) == 0
        assert ("arms may have been cut off" in capsys.readouterr().err) == (count == 6)


def test_a_deck_without_the_games_number_of_cacti_is_told_before_it_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is played with, and nobody need wonder why."""
    monkeypatch.setattr("webui.bootstrap.serve", lambda *_: 0)
    monkeypatch.setattr("webui.commands.live.open_source", lambda *_: None)
    folder = tmp_path / "mine"
    shutil.copytree(bundled_deck("cactus"), folder)
    for less, told in ((0, False), (1, True)):
        data = json.loads((bundled_deck("cactus") / "deck.json").read_text())
        (folder / "deck.json").write_text(json.dumps(data | {"cacti": data["cacti"][less:]}))
        assert cli.main(["play", "cactus", "--deck", str(folder), "--source", "0"]) == 0
        assert ("4 cacti, the game 5" in capsys.readouterr().err) == told
