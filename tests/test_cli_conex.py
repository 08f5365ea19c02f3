"""`referee judge conex` and `watch conex`: photos as a sequence, with an eye that knows what each of them shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from scoring.table import BOARD, Placement, TableState
from tests.conex_table import VIEW, board, card
from tests.told import Told, told_by
from vision.live import Turn
from vision.scene import Observation, SceneModel
from vision.sources.source import SourceState
from vision.types import Detection, Failure, Frame
from webui import cli
from webui.commands import live
from webui.commands.photos import Judged
from webui.commands.scene import open_scene
from webui.sight.decks.folders import bundled_deck

SIZE = (1600, 1000)
A = card("a", "C01", 150, 0)
B = card("b", "C02", -180, 40, 0.4)


def quad(piece: Placement) -> np.ndarray:
    return (np.array(piece.corners()) + (400, 250)) * 2


def eye(*tables: tuple[Placement, ...]) -> Callable[[Frame, SceneModel], Observation | Failure]:
    """An observer for which the grey value of a picture is the number of its table; white cannot be understood."""

    def observe(frame: Frame, model: SceneModel) -> Observation | Failure:
        number = int(frame.rgb[0, 0, 0]) // 10
        if number >= len(tables):
            return Failure("no plane")
        pieces = tuple(Placement(str(i), p.face, p.pose, (59.0, 92.0), 0.3, 0.99) for i, p in enumerate(tables[number]))
        seen = tuple(Detection(quad(p), p.face, 0.99) for p in pieces)
        ground = Detection(quad(board()), BOARD, 1.0)
        return Observation(seen, TableState(pieces, VIEW, board=board()), frame.at_s, (), ground)

    return observe


def take(folder: Path, *numbers: int) -> list[str]:
    """Photos of the tables with these numbers."""
    names = []
    for n, number in enumerate(numbers):
        path = folder / f"{n:02d}.png"
        Image.new("RGB", SIZE, (number * 10,) * 3).save(path)
        names.append(str(path))
    return names


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def command(observe: Callable, *argv: str) -> Told:
        return told_by(observe, list(argv), capsys)

    return command


def test_photos_are_judged_as_a_sequence(tmp_path: Path, run: Callable) -> None:
    """The first photo is the start, then each tells what was laid and taken off since the one before."""
    names = take(tmp_path, 0, 1, 1, 0)
    status, lines, err = run(eye((A,), (A, B)), "judge", "conex", *names)
    assert (status, err) == (0, "")
    assert [line["photo"] for line in lines] == names
    assert [line["game"] for line in lines] == ["conex"] * 4
    laid = [line["placement"] and line["placement"]["card"] for line in lines]
    assert laid == [None, "C02", None, None]
    assert [line["removed"] for line in lines] == [[], [], [], ["C02"]]
    assert [sorted(c["id"] for c in line["cards"]) for line in lines][1] == ["C01", "C02"]
    assert lines[0]["board"]["quad"][0] == [680.0, 380.0]


def test_photo_that_fails_does_not_break_the_sequence(tmp_path: Path, run: Callable) -> None:
    """A photo that cannot be used is named, and the next one is held against the last good one."""
    names = take(tmp_path, 0, 9, 1)
    status, lines, err = run(eye((A,), (A, B)), "judge", "conex", *names)
    assert status == 2
    assert names[1] in err
    assert [line["photo"] for line in lines] == [names[0], names[2]]
    assert lines[1]["placement"]["card"] == "C02"


def test_judged_is_the_same_in_a_program(tmp_path: Path) -> None:
    """What the command prints can be had without it, for measuring."""
    args = cli.build_parser().parse_args(["judge", "conex", *take(tmp_path, 0, 1)])
    scene = open_scene(args)
    judged = Judged(scene.model, scene.deck, args.photos, {}, eye((A,), (A, B)))
    told = dict(judged)
    assert judged.status == 0
    assert [t["placement"] and t["placement"]["card"] for t in told.values()] == [None, "C02"]


def test_house_rules_of_the_other_game_are_refused(tmp_path: Path, run: Callable) -> None:
    """`--min-row` means nothing in CONEX and `--exact` nothing in Rox: one line, status 2."""
    (name,) = take(tmp_path, 0)
    for argv in (("conex", "--min-row", "2"), ("rox", "--exact")):
        status, lines, err = run(eye((A,)), "judge", *argv, name)
        assert (status, lines) == (2, [])
        assert "no option" in err


def test_deck_of_the_other_game_is_refused(tmp_path: Path, run: Callable) -> None:
    """A deck of Rox is named as such."""
    (name,) = take(tmp_path, 0)
    status, _, err = run(eye((A,)), "judge", "conex", "--deck", str(bundled_deck("rox")), name)
    assert status == 2
    assert "this is a deck of rox" in err


def test_folder_is_watched_as_events(tmp_path: Path, run: Callable) -> None:
    """Pictures of a folder are settled tables: what is laid and taken off are events, and a still table is none."""
    take(tmp_path, 0, 1, 1, 0)
    status, events, _ = run(eye((A,), (A, B)), "watch", "conex", "--source", str(tmp_path))
    assert status == 0
    told = [(e["event"], e["at_s"]) for e in events if e["event"] != "settled"]
    assert [name for name, _ in told] == ["placement", "removed"]
    placement = next(e for e in events if e["event"] == "placement")
    assert placement["placement"]["card"] == "C02"
    assert placement["removed"] == []
    assert next(e for e in events if e["event"] == "removed")["removed"] == ["C02"]


def test_a_missing_board_is_said(tmp_path: Path, run: Callable) -> None:
    """The cards are judged all the same; one line says which photo lacks the board."""

    def without(frame: Frame, model: SceneModel) -> Observation | Failure:
        seen = eye((A,))(frame, model)
        assert isinstance(seen, Observation)
        return replace(seen, table=replace(seen.table, board=None), board=None)

    (name,) = take(tmp_path, 0)
    status, lines, err = run(without, "judge", "conex", name)
    assert (status, lines[0]["board"]) == (0, None)
    assert f"{name}: the board is not found" in err


def test_a_source_without_a_picture_is_said_once() -> None:
    """After some seconds, and never where one came."""
    clock = [0.0]
    silence, fed = live.Silence(lambda: clock[0]), live.Silence(lambda: clock[0])
    nothing = Turn(SourceState.LOST)
    assert not fed.is_worth_a_word(Turn(SourceState.CONNECTED, error="torn"))
    said = []
    for second in range(30):
        clock[0] = float(second)
        said.append(silence.is_worth_a_word(nothing))
        assert not fed.is_worth_a_word(nothing)
    assert (said.count(True), said.index(True)) == (1, live.SILENT_S)
