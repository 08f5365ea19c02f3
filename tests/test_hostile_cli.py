"""What an attacker tried on the command line: areas, names of files, decks, and reports over existing files."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from calibration.profile import load_profile
from scoring.errors import DeckError, RefereeError
from scoring.events import TableRecorded, encode
from tests.scoring.conex_game import Table
from vision.deck import load_appearance
from vision.observe import observe
from vision.scene import SceneModel
from vision.types import Failure, Frame
from webui import cli
from webui.commands.enroll_said import read_said
from webui.commands.records import _writing
from webui.commands.scene import tell
from webui.log.store import Store
from webui.sight.decks.folders import read_deck


@pytest.mark.parametrize("area", ["0,0 10,10 20,20", "0,0 100,100 100,0 0,100", "1e308,0 1,1 2,2", "inf,0 1,1 0,1"])
def test_an_area_that_encloses_nothing_is_refused(area: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On a line, crossing itself, or beyond every picture."""
    with pytest.raises(SystemExit) as stopped:
        cli.main(["judge", "rox", "--area", area, "a.jpg"])
    assert (stopped.value.code, "corners" in capsys.readouterr().err) == (2, True)


def test_a_name_that_is_no_text_is_told_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file's name may hold any bytes; the line stays JSON."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    tell({"photo": "a\udcff.jpg"})
    out.seek(0)
    assert json.loads(out.read()) == {"photo": "a\udcff.jpg"}


def test_a_strip_is_too_narrow_to_be_judged() -> None:
    """Scaled to working size it would have no rows of pixels left."""
    seen = observe(Frame(np.zeros((40, 30_000, 3), np.uint8)), SceneModel())
    assert isinstance(seen, Failure)
    assert seen.reason == "too narrow"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("card_mm", [10**400, 5]),
        ("corner_radius_mm", 10**400),
        ("back", "../../back.jpg"),
        ("back", "a\0b.png"),
        ("back", "\ud800.png"),
        ("scoring_cards", [1]),
    ],
)
def test_a_deck_with_anything_in_it_gets_one_clear_error(
    colour_deck: Path, tmp_path: Path, key: str, value: Any
) -> None:
    """By the rules' half, or by the eye's where a command needs that alone."""
    folder = tmp_path / "deck"
    shutil.copytree(colour_deck, folder)
    file = folder / "deck.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    with pytest.raises(DeckError, match=key):
        load_appearance(folder)
    if "\0" not in str(value) and "\ud800" not in str(value):
        with pytest.raises(DeckError, match=key):
            read_deck(folder)


def test_a_deck_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """No recursion error."""
    (tmp_path / "deck.json").write_text("[" * 200_000)
    with pytest.raises(DeckError, match="nested"):
        read_deck(tmp_path)


def test_a_report_waits_for_no_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What has no end, or is a folder, is no photo."""
    out, url = tmp_path / "a.zip", f"sqlite:///{tmp_path / 'm.sqlite'}"
    for path in (tmp_path, Path(os.devnull)):
        assert cli.main(["report", "--database", url, "--out", str(out), str(path)]) == 2
        assert "is no file; name photos" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_no_command_waits_for_a_pipe_that_nobody_writes_into(tmp_path: Path) -> None:
    """It says so; a pipe that a shell made is read to its end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    waiting = threading.Timer(10, lambda: pipe.open("wb").close())  # so that a failure ends, too
    waiting.start()
    url = f"sqlite:///{tmp_path / 'm.sqlite'}"
    try:
        for read in (read_said, load_profile):
            with pytest.raises(RefereeError, match="a device or a pipe, no file"):
                read(pipe)
        assert cli.main(["import", "--database", url, str(pipe)]) == 2
        assert waiting.is_alive()
    finally:
        waiting.cancel()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs files of a process")
def test_what_a_shell_passes_on_is_read() -> None:
    """As in ``--answers <(…)``: its writer is there already."""
    end, begin = os.pipe()
    with os.fdopen(end), os.fdopen(begin, "w") as writer:
        writer.write('{"R17": {"center": "fire"}}')
        writer.close()
        assert read_said(Path(f"/dev/fd/{end}")) == {"R17": {"center": "fire"}}


def test_an_export_that_fails_loses_no_file(tmp_path: Path) -> None:
    """An earlier one stays where the new one could not be written to its end."""
    out = tmp_path / "match.jsonl"
    out.write_text("earlier")

    def fail() -> None:
        with _writing(out) as file:
            file.write("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(RefereeError, match="cannot be written"):
        fail()
    assert [p.read_text() for p in tmp_path.iterdir()] == ["earlier"]
    with _writing(out) as file:
        file.write("whole")
    assert [p.read_text() for p in tmp_path.iterdir()] == ["whole"]


def test_a_report_loses_no_file_and_takes_old_photos(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file in its place survives a report that fails, on a full disk too; a photo may be older than ZIP allows."""
    photo, out = tmp_path / "a.jpg", tmp_path / "out.zip"
    Image.new("RGB", (40, 40)).save(photo)
    os.utime(photo, (0, 0))
    base = ["report", "--database", f"sqlite:///{tmp_path / 'm.sqlite'}", "--out"]
    assert cli.main([*base, str(out)]) == 0
    earlier = out.read_bytes()
    assert cli.main([*base, str(out), str(tmp_path / "none.jpg")]) == 2
    assert out.read_bytes() == earlier
    (tmp_path / "folder").mkdir()
    assert cli.main([*base, str(tmp_path / "folder")]) == 2
    assert cli.main([*base, str(out), str(photo)]) == 0
    assert "photos/00-a.jpg" in zipfile.ZipFile(out).namelist()
    whole = out.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    capsys.readouterr()
    assert cli.main([*base, str(out), str(photo)]) == 2
    assert f"{out}: cannot be written (No space left on device); free some space" in capsys.readouterr().err
    assert out.read_bytes() == whole
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    capsys.readouterr()


def test_a_report_replaces_nothing_but_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither what goes into it nor any other file of somebody's; an empty file is nothing."""
    photo, mine, empty = (tmp_path / name for name in ("a.jpg", "mine.zip", "empty.zip"))
    Image.new("RGB", (40, 40)).save(photo)
    with zipfile.ZipFile(mine, "w") as bundle:
        bundle.writestr("holidays.txt", "mine")
    empty.touch()
    base = ["report", "--database", f"sqlite:///{tmp_path / 'm.sqlite'}", "--out"]
    for out, why in ((photo, "goes into the report"), (mine, "is no report")):
        was = out.read_bytes()
        assert cli.main([*base, str(out), str(photo)]) == 2
        assert f"{out}: " in (said := capsys.readouterr().err)
        assert why in said
        assert out.read_bytes() == was
    assert cli.main([*base, str(empty), str(photo)]) == 0
    assert cli.main([*base, str(empty), str(photo)]) == 0
    assert cli.main([*base, str(empty), str(empty)]) == 2


def test_a_report_that_has_no_place_names_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the file that is written first; a photo that cannot be read is named itself."""
    photo, url = tmp_path / "a.jpg", f"sqlite:///{tmp_path / 'm.sqlite'}"
    Image.new("RGB", (40, 40)).save(photo)
    out = tmp_path / "none" / "out.zip"
    assert cli.main(["report", "--database", url, "--out", str(out), str(photo)]) == 2
    assert f"referee: {out}: cannot be written (No such file or directory); name" in capsys.readouterr().err

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied", str(photo))

    monkeypatch.setattr("webui.commands.report.write_bundle", refused)
    assert cli.main(["report", "--database", url, "--out", str(tmp_path / "out.zip"), str(photo)]) == 2
    assert f"{photo}: cannot be read (Permission denied)" in capsys.readouterr().err


@pytest.mark.parametrize("corner", ["x", "1,{n}"])
def test_an_endless_area_is_refused_in_a_short_line(corner: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither its sides are compared for minutes, nor is all of it said back."""
    area = " ".join(corner.format(n=n) for n in range(20_000))
    with pytest.raises(SystemExit) as stopped:
        cli.main(["judge", "conex", "--area", area, "a.jpg"])
    line = capsys.readouterr().err.splitlines()[-1]
    assert (stopped.value.code, "corners" in line, len(line) < 300) == (2, True, True)


def test_closed_outputs_are_no_failure(tmp_path: Path) -> None:
    """A program that was started without outputs says nothing and ends as it would."""
    code = "import sys\nfrom webui import cli\ncli.run = lambda args: (tell({'a': 1}), cli.complain('b'), 0)[2]\n"
    code += "from webui.commands.scene import tell\nsys.exit(cli.main(['cards', 'a.jpg']))"
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -c "$1" >&- 2>&-', sys.executable, code],
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert done.returncode == 0


def test_a_deck_with_a_mark_of_order_is_read(colour_deck: Path, tmp_path: Path) -> None:
    """Some editors write three bytes before a text; they say nothing and are skipped."""
    folder = tmp_path / "deck"
    shutil.copytree(colour_deck, folder)
    file = folder / "deck.json"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert read_deck(folder) == read_deck(colour_deck)


def test_a_damaged_log_is_judged_again_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that no geometry can work with is no traceback."""
    table = Table()
    table.area = ((-400.0, -400.0), (400.0, -400.0), (400.0, 400.0))
    table.lay("max", "bl")
    area = ((0.0, 0.0), (1e308, 0.0), (1e308, 1e308))
    log = [replace(e, table=replace(e.table, area=area)) if isinstance(e, TableRecorded) else e for e in table.log]
    url = f"sqlite:///{tmp_path / 'm.sqlite'}"
    store = Store(url)
    match = store.create("conex", "a", "b").id
    store.append(match, 0, [encode(e) for e in log])
    store.close()
    assert cli.main(["rejudge", "--database", url]) == 2
    said = capsys.readouterr().err.strip()
    assert f"{match}: cannot be judged again" in said
    assert len(said.splitlines()) == 1


def test_a_link_is_followed_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One in a circle is named in one line; what is kept of where one leads is named with its place."""
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    assert cli.main(["sheet", "target", "--out", "loop"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "loop: cannot be written" in line
    there = tmp_path / "elsewhere"
    there.mkdir()
    (there / "real.pdf").write_text("before")
    Path("link.pdf").symlink_to(there / "real.pdf")
    assert cli.main(["sheet", "target", "--out", "link.pdf"]) == 0
    assert f"is now {there / 'real.pdf.1'};" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["sheet", "rox"], ["judge", "rox", "a.jpg"]])
def test_a_deck_of_too_long_a_name_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """In one line, as any other that is not there."""
    assert cli.main([*command, "--deck", "n" * 300]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
