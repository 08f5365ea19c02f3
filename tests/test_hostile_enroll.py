"""What an attacker tried with `referee enroll`: sizes, files of examples and answers, and ways out of the folder."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from calibration.capture.conex.corners import _off_ground
from calibration.capture.deck import Enrolled, Part, Photo, save_enrolled
from scoring.errors import DeckError, RefereeError
from webui import cli
from webui.commands.enroll_said import read_examples
from webui.commands.photo_names import could_mean, short_names
from webui.sight.copies.readers import READERS
from webui.sight.decks.keeping import keep_deck


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A photo that shows nothing."""
    path = tmp_path / "a.png"
    Image.new("RGB", (64, 64)).save(path)
    return path


@pytest.mark.parametrize(
    "size", [["--card-mm", "nan", "nan"], ["--card-mm", "-5", "1e308"], ["--cactus-height", "inf"]]
)
def test_a_size_that_nothing_has_is_refused(
    size: list[str], photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before the photos are looked at."""
    assert cli.main(["enroll", "rox", "--out", str(tmp_path / "out"), *size, str(photo)]) == 2
    assert "is no size" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("game", ["rox", "conex", "cactus", "any"])
def test_a_strip_is_no_photo(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is named, in one line, with what to give instead."""
    path = tmp_path / "line.png"
    Image.new("RGB", (1, 9000)).save(path)
    assert cli.main(["enroll", game, "--out", str(tmp_path / "out"), str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "line.png: 1 x 9000 pixels are a strip" in line


def test_inks_of_one_colour_are_told_apart_from_the_ground_without_a_warning() -> None:
    """As on what is no card of the game: nothing is divided by nothing."""
    lab = np.full((60, 40, 3), 50.0)
    with np.errstate(all="raise"):
        assert np.isfinite(_off_ground(lab, 0, np.full((4, 3), 50.0))).all()


def test_a_file_in_the_place_of_the_folder_stays(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, and no work is done in vain."""
    out = tmp_path / "mine"
    out.write_text("mine")
    assert cli.main(["enroll", "rox", "--out", str(out), str(photo)]) == 2
    assert "is no folder" in capsys.readouterr().err
    assert out.read_text() == "mine"


def test_a_deck_that_is_there_stays(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another one is written over it only where that was asked for; a folder of something else is no obstacle."""
    out = tmp_path / "mine"
    out.mkdir()
    (out / "deck.json").write_text("mine")
    assert cli.main(["enroll", "rox", "--out", str(out), str(photo)]) == 2
    assert "--force" in capsys.readouterr().err
    for way in (["--out", str(out), "--force"], ["--out", str(tmp_path)]):
        cli.main(["enroll", "rox", *way, str(photo)])
        assert "holds a deck" not in capsys.readouterr().err
    assert (out / "deck.json").read_text() == "mine"  # no card was found in the photo


@pytest.mark.parametrize("at", ["[NaN, 1]", "[1" + "0" * 400 + ", 1]", "[Infinity, 1]"])
def test_an_example_beyond_every_picture_is_refused(
    at: str, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line."""
    file = tmp_path / "examples.json"
    file.write_text(f'{{"a": {{"photo": "a.png", "at": {at}}}}}')
    assert cli.main(["enroll", "any", "--out", str(tmp_path / "o"), "--examples", str(file), str(photo)]) == 2
    assert '"at": [x, y]' in capsys.readouterr().err


def test_an_example_is_of_the_photo_that_it_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two photos of one name the path tells which is meant; a name that fits two is refused with both."""
    given = [Path("a/00.jpg"), Path("b/00.jpg"), Path("00.jpg"), Path("c/01.jpg"), Path("d/01.jpg")]
    photos = [Photo(str(p), np.zeros((8, 8, 3), np.uint8)) for p in given[:4]]
    file = tmp_path / "examples.json"

    def read(photo: str) -> list[int]:
        file.write_text(json.dumps({"fire": {"photo": photo, "at": [1, 2]}}))
        return [e.photo for e in read_examples(file, given, photos)]

    assert [read(str(p)) for p in given[:4]] == [[0], [1], [2], [3]]
    assert read("d/01.jpg") == []  # given, and not to be read
    assert "no photo d/01.jpg" in capsys.readouterr().err
    with pytest.raises(RefereeError, match=r"fire: 01\.jpg may be c/01\.jpg or d/01\.jpg: write it with its folder"):
        read("01.jpg")
    given.pop()
    assert read("01.jpg") == [3]
    given[:] = [tmp_path / "x" / "a" / "00.jpg", tmp_path / "y" / "a" / "00.jpg", tmp_path / "y" / "b" / "00.jpg"]
    photos = [Photo(str(p), np.zeros((8, 8, 3), np.uint8)) for p in given]
    assert (read("b/00.jpg"), read("x/a/00.jpg"), read(str(given[1]))) == ([2], [0], [1])
    with pytest.raises(RefereeError, match=r"fire: a/00\.jpg may be x/a/00\.jpg or y/a/00\.jpg: write it with"):
        read("a/00.jpg")


def test_photos_of_one_name_are_told_with_their_folders() -> None:
    """As many of them as it takes, so that what is told can be written into a file of examples."""
    photos = ["p/a/00.jpg", "p/b/00.jpg", "p/b/01.jpg", "00.jpg", "/q/a/00.jpg"]
    told = short_names(photos)
    assert told == dict(zip(photos, ["p/a/00.jpg", "b/00.jpg", "01.jpg", "00.jpg", "/q/a/00.jpg"], strict=True)) | {
        "/q/a/00.jpg": "q/a/00.jpg"
    }
    assert [could_mean(told[p], map(Path, photos)) for p in photos] == [[Path(p)] for p in photos]


@pytest.mark.parametrize("name", ["", "  ", "../x", "a,b", "1+1", "a\nb", "x" * 33])
def test_a_name_that_no_deck_could_have_is_refused_at_once(name: str, photo: Path, tmp_path: Path) -> None:
    """It would go into the names of cards and pieces, and the deck could not be played."""
    file = tmp_path / "examples.json"
    file.write_text(json.dumps({name: {"photo": "a.png", "at": [1, 2]}}))
    with pytest.raises(RefereeError, match="write a name of 1 to 32 letters"):
        read_examples(file, [photo], [Photo("a.png", np.zeros((64, 64, 3), np.uint8))])


def test_an_example_that_shows_nothing_is_named(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of the picture it is refused; beside all cards, or on one that nothing is named by, it is remarked on."""
    file, out = tmp_path / "examples.json", tmp_path / "out"
    argv = ["enroll", "any", "--out", str(out), "--examples", str(file), str(photo)]
    for at in ([64, 5], [5, 64], [-1, 5], [5, -0.5]):
        file.write_text(json.dumps({"fire": {"photo": "a.png", "at": at}}))
        assert cli.main(argv) == 2
        assert f"fire: {at} lies outside of a.png, which has 64 x 64 pixels" in capsys.readouterr().err

    def reader(*_: object) -> Enrolled:
        def part(group: str, left: int) -> Part:
            quad = [[left, 10], [left + 15, 10], [left + 15, 40], [left, 40]]
            return Part(group, group, {}, ({"photo": str(photo), "quad": quad},))

        return Enrolled({"name": "x"}, (part("faces", 10), part("scoring", 40)))

    monkeypatch.setitem(READERS, "any", reader)
    said = {n: {"photo": "a.png", "at": at} for n, at in [("on", [20, 20]), ("off", [33, 20]), ("value", [45, 20])]}
    file.write_text(json.dumps(said))
    assert cli.main(argv) == 0
    err = capsys.readouterr().err
    assert f"{file}: off: no card or piece of the game was found at [33, 20] of {photo}" in err
    assert f"{file}: value: " in err
    assert f"{file}: on: " not in err


def _found(name: str, shade: int) -> Enrolled:
    picture = np.full((9, 9, 3), shade, np.uint8)
    return Enrolled({"name": name}, (Part("A", "faces", {"image": "A.png"}, (), (), picture),))


def _full(_: object) -> str:
    raise OSError(errno.ENOSPC, "no space")


def test_a_deck_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full in the midst of it the deck keeps its own pictures; what else lies there stays."""
    out = tmp_path / "mine"
    keep_deck(_found("red", 200), out)
    (out / "notes.txt").write_text("mine")
    was = (out / "A.png").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("calibration.capture.deck._laid_out", _full)
        with pytest.raises(RefereeError, match=r"mine: .*no space.*free some space"):
            keep_deck(_found("blue", 90), out, over=True)
    assert (json.loads((out / "deck.json").read_text()), (out / "A.png").read_bytes()) == ({"name": "red"}, was)
    keep_deck(_found("blue", 90), out, over=True)
    assert json.loads((out / "deck.json").read_text()) == {"name": "blue"}
    assert (out / "A.png").read_bytes() != was
    assert (out / "notes.txt").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("there", [False, True])
def test_a_first_deck_is_written_whole_or_not_at_all(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk is full no picture is left, neither in a new folder nor in one of other things."""
    out = tmp_path / "mine"
    if there:
        out.mkdir()
        (out / "notes.txt").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with monkeypatch.context() as patched:
        patched.setattr("calibration.capture.deck._laid_out", _full)
        with pytest.raises(RefereeError, match=r"mine: .*no space.*free some space"):
            keep_deck(_found("red", 200), out)
    assert sorted(tmp_path.rglob("*")) == before
    keep_deck(_found("red", 200), out)
    assert {p.name for p in out.iterdir()} == {"A.png", "deck.json", *(["notes.txt"] if there else [])}


@pytest.mark.parametrize("there", [False, True])
def test_of_two_first_decks_at_once_one_is_refused(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that is there first stays as it is, and the other's person is told what to do."""
    out = tmp_path / "mine"
    if there:
        out.mkdir()

    def meanwhile(found: Enrolled, folder: Path) -> None:
        save_enrolled(found, folder)
        save_enrolled(_found("first", 90), out)

    monkeypatch.setattr("webui.sight.decks.keeping.save_enrolled", meanwhile)
    with pytest.raises(RefereeError, match=r"mine: meanwhile .*--force"):
        keep_deck(_found("second", 200), out)
    assert json.loads((out / "deck.json").read_text()) == {"name": "first"}
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["A.png", "deck.json", "mine"]


def test_photos_that_fill_the_memory_together_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is one that can be read; the first that is too much is named."""
    monkeypatch.setattr("webui.commands.enroll.PIXELS_TOGETHER_MAX", 3 * 64 * 64)
    photos = [tmp_path / f"{n}.png" for n in range(4)]
    for n, path in enumerate(photos):
        Image.new("RGB", (64, 64), (n, n, n)).save(path)
    assert cli.main(["enroll", "rox", "--out", str(tmp_path / "o"), *map(str, photos)]) == 2
    assert "megapixels together" in capsys.readouterr().err


def test_a_photo_that_is_given_twice_is_read_once(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies on it would be counted twice: said, by whatever name it comes again."""
    again = tmp_path / "again.png"
    read: list[str] = []
    again.write_bytes(photo.read_bytes())

    def reader(photos: list[Photo], *_: object) -> Enrolled:
        read.extend(p.name for p in photos)
        return Enrolled({"name": "x"}, (Part("R01", "faces", {}, ()),))

    monkeypatch.setitem(READERS, "any", reader)
    assert cli.main(["enroll", "any", "--out", str(tmp_path / "o"), str(photo), str(again), str(photo)]) == 0
    assert read == [str(photo)]
    err = capsys.readouterr().err
    assert f"{again}: is the same photo as {photo}, which is read once" in err
    assert f"{photo}: is the same photo as {photo}" in err


def test_answers_nested_too_deeply_are_refused(photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No recursion error."""
    file = tmp_path / "answers.json"
    file.write_text("[" * 200_000)
    assert cli.main(["enroll", "rox", "--out", str(tmp_path / "o"), "--answers", str(file), str(photo)]) == 2
    assert "cannot be read as JSON" in capsys.readouterr().err


@pytest.mark.parametrize("image", ["../evil.jpg", "/tmp/evil.jpg", "faces/../../evil.png", "a.exe", "a\0.jpg", 5, None])
def test_an_answer_leads_no_picture_out_of_the_folder(image: object, tmp_path: Path) -> None:
    """Nothing is written where one would be."""
    face = np.zeros((8, 8, 3), np.uint8)
    good = Part("good", "faces", {"image": "faces/good.jpg"}, (), picture=face)
    bad = Part("bad", "faces", {"image": image}, (), picture=face)
    with pytest.raises(DeckError, match="image"):
        save_enrolled(Enrolled({"name": "x"}, (good, bad)), tmp_path / "deck")
    assert list(tmp_path.iterdir()) == []
    save_enrolled(Enrolled({"name": "x"}, (good,)), tmp_path / "deck")
    assert json.loads((tmp_path / "deck" / "deck.json").read_text()) == {"name": "x"}
    assert (tmp_path / "deck" / "faces" / "good.jpg").exists()


def test_what_is_asked_about_is_named(
    photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody searches the lines of a whole deck for the few that ask; of many the first dozen is named."""

    def reader(*_: object) -> Enrolled:
        return Enrolled({"name": "x"}, tuple(Part(f"C{n:02d}", "faces", {}, (), ("center",)) for n in range(14)))

    monkeypatch.setitem(READERS, "any", reader)
    cli.main(["enroll", "any", "--out", str(tmp_path / "out"), str(photo)])
    said = capsys.readouterr().err
    assert "14 of 14 wait for an answer" in said
    assert "C00 (center); C01 (center)" in said
    assert "C11 (center) and 2 more" in said
    assert "C12" not in said
