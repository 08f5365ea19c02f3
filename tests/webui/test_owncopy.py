"""Learning one's own copy on the page: photographs, names, questions, corrections, and the deck folder."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import io
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait
from werkzeug.test import TestResponse

from calibration.capture import deck as deck_capture
from calibration.capture.cards import LaidCard
from scoring.deck import RoxDeck, parse_deck
from scoring.errors import RefereeError
from tests.render.enroll_cards import photograph, read
from tests.webui.browsing import MARKS, errors_in, fits, resize, serving, until
from tests.webui.conftest import Table
from vision.deck import load_appearance
from vision.sources.photos import load_bytes
from webui import create_app, paths
from webui.owncopy.copying import COPY_PROBLEMS
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.sight.copies import looks as copy_looks
from webui.sight.copies.keeper import PHOTOS_MAX, CopyKeeper
from webui.sight.copies.looks import weight
from webui.sight.copies.shelf import KEY, coded, key_of
from webui.sight.decks.folders import bundled_deck

Json = dict[str, Any]
COUNT = 24


@dataclass(frozen=True, slots=True)
class Shot:
    """Photos of two dozen drawn cards, and what is on them."""

    photos: list[bytes]
    faces: list[Json]
    quads: list[tuple[str, list[list[float]]]]


@pytest.fixture(scope="module")
def shot() -> Shot:
    """Two dozen cards of the bundled deck laid apart, a dozen a photo."""
    folder = bundled_deck("rox")
    data = json.loads((folder / "deck.json").read_text())
    faces = data["faces"][:COUNT]
    cards = [(f["id"], read(folder / f["image"])) for f in faces]
    size = (float(data["card_mm"][0]), float(data["card_mm"][1]))
    rng = np.random.default_rng(5)
    photos, quads = [], []
    for first in range(0, COUNT, 12):
        rgb, where = photograph(rng, cards[first : first + 12], size, float(data["corner_radius_mm"]), 4)
        photos.append(cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])[1].tobytes())
        quads += [(f"{first // 12:02d}.jpg", w["quad"]) for w in where]
    return Shot(photos, faces, quads)


@pytest.fixture(scope="module", autouse=True)
def looked_once() -> Iterator[None]:
    """A photo that several tests send is looked through once: it takes a second."""
    find, known = deck_capture.find_laid_cards, {}

    def remembered(rgb: NDArray[np.uint8], photo: int, sizes: Sequence[tuple[float, float]]) -> list[LaidCard]:
        key = (hashlib.sha256(rgb.tobytes()).hexdigest(), photo, *sizes)
        if key not in known:
            known[key] = find(rgb, photo, sizes)
        return list(known[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deck_capture, "find_laid_cards", remembered)
        yield


def keeper(folder: Path) -> CopyKeeper:
    return CopyKeeper(lambda: folder / "copies", lambda: folder / "decks")


@dataclass(frozen=True, slots=True)
class Desk:
    """A page that learns copies, and who does it."""

    table: Table
    keeper: CopyKeeper
    folder: Path

    def post(self, path: str, **fields: Any) -> TestResponse:
        data = {"token": self.table.token(), **fields}
        return self.table.client.post(path, data=data, content_type="multipart/form-data")

    def begin(self, name: str = "Worn Röx", **fields: str) -> str:
        answer = self.post("/copies", **({"name": name, "game": "rox"} | fields))
        assert answer.status_code == 303
        return answer.location.rsplit("/", 1)[1]

    def send(self, key: str, *photos: bytes, **fields: str) -> TestResponse:
        for n, photo in enumerate(photos):  # one after the other, as the page's script does
            self.post(f"/copies/{key}/photos", photo=(io.BytesIO(photo), f"{n}.jpg"))
        return self.post(f"/copies/{key}/photos", **fields)


@pytest.fixture
def desk(table: Table, tmp_path: Path) -> Iterator[Desk]:
    """A table whose copies are kept in a folder of the test's own."""
    made = keeper(tmp_path)
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], copyist=made))
    table.client = table.app.test_client()
    yield Desk(table, made, tmp_path)
    made.stop()


def test_what_is_not_read_is_not_played_with(tmp_path: Path) -> None:
    """The deck that was saved before is not laid as if it were what the photos show now."""
    made = keeper(tmp_path)
    key = made.begin("Mine", "rox", (59, 92), None)
    with pytest.raises(RefereeError, match="not read yet"):
        made.save(key)


def ended(made: CopyKeeper, key: str) -> OwnCopy:
    """The copy when it is read."""
    until_s = time.monotonic() + 300
    while time.monotonic() < until_s:
        one = made.copy(key)
        assert one is not None
        if one.stage is not CopyStage.READING:
            return one
        time.sleep(0.05)
    raise AssertionError("still reading")


def true_face(shot: Shot, one: OwnCopy, folder: Path, n: int) -> Json:
    """What is really on a part, by where it was seen."""
    data = json.loads((folder / "copies" / one.key / "read" / "parts.json").read_text())
    seen = data["parts"][n]["sightings"][0]
    middle = np.mean(seen["quad"], axis=0)
    off = [np.inf if p != seen["photo"] else float(np.hypot(*(np.mean(q, axis=0) - middle))) for p, q in shot.quads]
    return shot.faces[int(np.argmin(off))]


def other_than(one: OwnCopy, part: int) -> str:
    """An element that a card does not show on its stone."""
    return next(e for e in one.names("elements") if e != one.parts[part].fields["center"])


def test_cards_become_a_deck_through_the_page(desk: Desk, shot: Shot) -> None:
    """Sent, read in the background, named by four taps, corrected, saved; a new start goes on with it."""
    key = desk.begin()
    assert key == "worn-rox"
    assert "laid as the pictures show" in desk.table.client.get(f"/copies/{key}").text
    assert desk.send(key, *shot.photos, read="yes").status_code == 303
    assert desk.table.client.get(f"/copies/{key}/state").json["running"]  # type: ignore[index]
    one = ended(desk.keeper, key)
    assert one.stage is CopyStage.READ, one.problem
    assert len(one.parts) == COUNT
    assert [(c.group, c.found, c.wanted) for c in one.counts] == [("faces", COUNT, 60), ("scoring", 0, 15)]
    page = desk.table.client.get(f"/copies/{key}").text
    assert "Tap the picture that shows fire" in page
    assert f"{60 - COUNT} missing" in page
    assert len(one.twins) > 0
    assert all(t.a != t.b and 0 < t.similarity <= 1 and not t.same for t in one.twins)

    data = json.loads((desk.folder / "copies" / key / "read" / "parts.json").read_text())
    tapped = 0
    for _ in range(5):
        if "Tap the picture" not in page:
            break
        name = page.split("Tap the picture that shows ")[1].split("<")[0]
        for kind in data["kinds"]:
            truth = true_face(shot, one, desk.folder, kind["part"])
            shows = truth["center"]
            if data["parts"][kind["part"]]["fields"]["center"] != kind["key"]:
                shows = max(truth["edge"], key=lambda k: truth["edge"][k])
            if shows == name:
                assert desk.post(f"/copies/{key}/do", what="name", kind=kind["key"], name=name).status_code == 303
                tapped += 1
        page = desk.table.client.get(f"/copies/{key}").text
    assert tapped == 4, "the last name is the one that is left over"

    named = desk.keeper.copy(key)
    assert named is not None
    one = named
    for part in one.parts:
        truth = true_face(shot, one, desk.folder, part.number)
        assert part.fields["center"] == truth["center"]
        if not part.asks:
            assert dict(part.fields["edge"]) == {k: v for k, v in truth["edge"].items() if v}

    # Everything can be taken back, a step at a time.
    for number in (7, 8):
        desk.post(f"/copies/{key}/part/{number}", out="yes")
    assert "Take the last answer back" in desk.table.client.get(f"/copies/{key}").text
    desk.post(f"/copies/{key}/do", what="undo")
    back = desk.keeper.copy(key)
    assert back is not None
    assert [p.number for p in back.parts if p.out] == [7]
    desk.post(f"/copies/{key}/do", what="undo")
    desk.post(f"/copies/{key}/answers", **{"p7-center": other_than(one, 7), "p8-out": "yes"})
    desk.post(f"/copies/{key}/do", what="undo")
    again = desk.keeper.copy(key)
    assert again is not None
    assert again.parts == one.parts

    # A correction and a card left out outlive a new start of the program, which reads nothing anew.
    other = other_than(one, 3)
    assert desk.post(f"/copies/{key}/part/3", center=other).status_code == 303
    assert desk.post(f"/copies/{key}/part/5", out="yes").status_code == 303
    again = keeper(desk.folder).copy(key)
    assert again is not None
    assert again.stage is CopyStage.READ
    assert again.parts[3].fields["center"] == other
    assert again.parts[5].out
    assert again.counts[0].found == COUNT - 1
    for part in again.open:
        for field in part.asks:
            desk.keeper.answer_all(key, {part.number: {field: part.fields[field]}})
    desk.post(f"/copies/{key}/do", what="save")
    folder = desk.folder / "decks" / key
    deck = parse_deck(json.loads((folder / "deck.json").read_text()), "deck.json")
    assert isinstance(deck, RoxDeck)
    assert deck.name == "Worn Röx"
    assert set(deck.elements) == {"fire", "water", "earth", "air", "magic"}
    assert len(deck.faces) == COUNT - 1
    assert deck.faces[again.parts[3].id].center == other
    assert len(load_appearance(folder).looks) >= COUNT - 1
    assert f"referee play rox --deck {key}" in desk.table.client.get(f"/copies/{key}").text
    assert not list(folder.glob("part-*"))

    # Saved again after a change; more photos leave what was said.
    desk.keeper.answer_all(key, {5: {"out": False}})
    desk.post(f"/copies/{key}/do", what="save")
    assert len(json.loads((folder / "deck.json").read_text())["faces"]) == COUNT
    assert [p.name for p in (desk.folder / "decks").iterdir()] == [key]
    for what, n in (("part", 0), ("kind", 4), ("photo", 0)):
        assert desk.table.client.get(f"/copies/{key}/{what}/{n}.jpg").data[:2] == b"\xff\xd8"
    for number in range(COUNT):
        assert desk.table.client.get(f"/copies/{key}/part/{number}").status_code == 200


def grainy(shade: int) -> bytes:
    """A photo of nothing."""
    grain = np.random.default_rng(shade).normal(shade, 8, (320, 400, 3))
    return cv2.imencode(".png", np.clip(grain, 0, 255).astype(np.uint8))[1].tobytes()


def test_each_photo_is_looked_through_once(desk: Desk, shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as it is there; with more photos the others are not searched again, and each tells what lies on it."""
    looked: list[int] = []

    def find(rgb: NDArray[np.uint8], photo: int, sizes: Sequence[tuple[float, float]]) -> list[LaidCard]:
        looked.append(int(rgb[0, 0, 0]))
        w, h = sizes[0]
        spots = [(10.0 + 100 * i, 10.0) for i in range(min(len(looked), 3))]
        return [LaidCard(photo, np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]]), (w, h)) for x, y in spots]

    monkeypatch.setattr(deck_capture, "find_laid_cards", find)
    key = desk.keeper.begin("Few", "rox", (59.0, 92.0), None)
    for shade in (40, 80):
        desk.keeper.add(key, grainy(shade))
    desk.keeper._readings.looks.stop(30.0)
    until_s = time.monotonic() + 20
    while len(desk.keeper.copy(key).on_photo) < 2 and time.monotonic() < until_s:  # type: ignore[union-attr]
        desk.keeper.read(key)
        ended(desk.keeper, key)
    assert len(looked) == 2
    assert "2 found" in desk.table.client.get(f"/copies/{key}").text
    desk.keeper.add(key, grainy(120))
    desk.keeper.read(key)
    ended(desk.keeper, key)
    assert len(looked) == 3
    assert dict(desk.keeper.copy(key).on_photo) == {"00.jpg": 1, "01.jpg": 2, "02.jpg": 3}  # type: ignore[union-attr]
    desk.keeper.drop(key, "00.jpg")
    desk.keeper.read(key)
    ended(desk.keeper, key)
    assert len(looked) == 3
    # What is kept is bounded: of the oldest photo it is let go of, and looked for again when it is needed.
    assert weight({"cards": [LaidCard(0, np.zeros((4, 2)), (59.0, 92.0))] * 3}) == 3 * 64
    monkeypatch.setattr(copy_looks, "KEPT_MAX", 64)
    desk.keeper.read(key)
    ended(desk.keeper, key)
    desk.keeper.read(key)
    ended(desk.keeper, key)
    assert len(looked) > 3
    assert dict(desk.keeper.copy(key).on_photo) != {}  # type: ignore[union-attr]


def test_what_photos_tell_together_goes_with_them(tmp_path: Path) -> None:
    """It is kept for the next reading, and let go of with the copy, with a photo of it, and when it is saved."""
    looks, here, other = copy_looks.PhotoLooks(threading.Lock()), tmp_path / "here", tmp_path / "other"
    for let_go in (lambda: looks.release(here), lambda: looks.forget(here), lambda: looks.forget(here / "00.jpg")):
        for folder in (here, other):
            looks.together(folder)["00.jpg",] = "outlines"
        assert looks.together(here) == {("00.jpg",): "outlines"}
        let_go()
        assert (looks.together(here), len(looks.together(other))) == ({}, 1)


def test_nothing_is_lost_where_reading_ends_early(desk: Desk, shot: Shot) -> None:
    """The program stops in the midst of reading: the photo is there, and the next start offers to read it."""
    key = desk.begin()
    desk.send(key, *shot.photos, read="yes")
    desk.keeper.stop()
    after = keeper(desk.folder).copy(key)
    assert after is not None
    assert (after.stage, after.photos) == (CopyStage.UNREAD, ("00.jpg", "01.jpg"))
    assert "Read the photos" in desk.table.client.get(f"/copies/{key}").text


def test_what_two_browsers_say_is_of_what_they_see(desk: Desk, shot: Shot) -> None:
    """An answer of a page that shows an earlier reading, whose numbers are of other cards, changes nothing."""
    key = desk.begin()
    desk.send(key, shot.photos[0], read="yes")
    first = ended(desk.keeper, key)
    desk.send(key, shot.photos[1], read="yes")
    second = ended(desk.keeper, key)
    assert first.reading != second.reading
    for path, said in (
        ("part/0", {"out": "yes"}),
        ("answers", {"p0-out": "yes"}),
        ("values", {}),
        ("do", {"what": "name", "kind": second.kinds[0].key, "name": "fire"}),
    ):
        answer = desk.post(f"/copies/{key}/{path}", reading=first.reading, **said)
        assert "read anew" in desk.table.client.get(answer.location).text, path
    assert not desk.keeper.copy(key).undo  # type: ignore[union-attr]
    desk.post(f"/copies/{key}/part/0", reading=second.reading, out="yes")
    assert desk.keeper.copy(key).parts[0].out  # type: ignore[union-attr]

    read = desk.folder / "copies" / key / "read"
    read.rename(read.with_name(".read.old"))  # the program was ended between two moves
    assert desk.keeper.copy(key).parts[0].out  # type: ignore[union-attr]
    data = json.loads((read / "parts.json").read_text())
    for damaged in ("[" * 100_000, json.dumps(data | {"parts": [{}] * 12}), json.dumps(data | {"kinds": 3})):
        (read / "parts.json").write_text(damaged)
        one = desk.keeper.copy(key)
        assert one is not None
        assert (one.stage, one.parts) == (CopyStage.UNREAD, ())
        assert "Read the photos" in desk.table.client.get(f"/copies/{key}").text


def test_photos_without_cards_are_told_and_can_be_taken_out(desk: Desk) -> None:
    """An empty table fails with what to do; the photo goes, and the copy with it when it is forgotten."""
    key = desk.begin()
    blank = cv2.imencode(".png", np.full((400, 500, 3), 90, np.uint8))[1].tobytes()
    desk.send(key, blank, read="yes")
    one = ended(desk.keeper, key)
    assert (one.stage, one.problem) == (CopyStage.FAILED, "nothing")
    assert "Too little was found" in desk.table.client.get(f"/copies/{key}").text
    assert desk.post(f"/copies/{key}/do", what="drop", photo="00.jpg").status_code == 303
    assert list((desk.folder / "copies" / key).glob("*.jpg")) == []
    desk.post(f"/copies/{key}/do", what="forget")
    assert desk.table.client.get(f"/copies/{key}").status_code == 404
    assert desk.keeper.copies() == ()


def test_hostile_input_is_refused_and_changes_nothing(desk: Desk, shot: Shot) -> None:
    """Names, sizes, files, fields and addresses that no honest page sends."""
    client, token = desk.table.client, desk.table.token()
    for name in ("", "x" * 33, "a\x00b"):
        assert desk.post("/copies", name=name, game="rox").status_code == 400
    assert desk.post("/copies", name="fine", game="chess").status_code == 400
    for size in ("1e9", "-5", "nan", "0", "59;rm", "9" * 20):
        assert desk.post("/copies", name="fine", game="rox", **{"card-width": size}).status_code == 400
    assert desk.post("/copies", name="…/..", game="rox").status_code == 409
    assert client.post("/copies", data={"name": "a", "game": "rox"}).status_code == 403
    assert not (desk.folder / "copies").exists()

    key = desk.begin("<b>%(x)s 100%</b>")
    assert key == "b-x-s-100-b"
    assert "<b>%(x)s" not in client.get(f"/copies/{key}").text
    assert "<b>%(x)s" not in client.get("/copies").text
    for junk in (b"", b"no picture", shot.photos[0][:3000], b"\xff\xd8" + b"\x00" * 50):
        headers = {"Accept": "application/json", "X-Referee-Token": token}
        files = {"photo": (io.BytesIO(junk), "../../x.jpg")}
        answer = client.post(f"/copies/{key}/photos", data=files, headers=headers)
        assert answer.status_code == 422, junk[:20]
        assert len(answer.json["refused"]) == 1  # type: ignore[index]
    assert [p.name for p in (desk.folder / "copies" / key).iterdir()] == ["copy.json"]
    assert client.post(f"/copies/{key}/photos", data={}).status_code == 403
    for path in ("..", "%2e%2e", "con", "x" * 60, "B", ".hidden"):
        assert client.get(f"/copies/{path}").status_code == 404
        assert client.get(f"/copies/{path}/photo/0.jpg").status_code == 404
    for what, n in (("part", 0), ("photo", 99), ("part", 10**12), ("copy", 0)):
        assert client.get(f"/copies/{key}/{what}/{n}.jpg").status_code == 404
    assert client.get(f"/copies/{key}/part/0").status_code == 404
    assert desk.post(f"/copies/{key}/do", what="drop", photo="../copy.json").status_code == 400
    assert desk.post(f"/copies/{key}/do", what="burn").status_code == 400
    assert desk.post(f"/copies/{key}/do", what="name", kind="kind-1", name="fire").status_code == 400
    small = cv2.imencode(".png", np.zeros((60, 900, 3), np.uint8))[1].tobytes()
    with pytest.raises(RefereeError, match="too small"):
        desk.keeper.add(key, small)
    for damaged in ("{", "[" * 100_000, '{"game": "rox"}', '{"game": []}', '{"game": "rox", "name": 5, "photos": 3}'):
        (desk.folder / "copies" / key / "copy.json").write_text(damaged)
        assert client.get(f"/copies/{key}").status_code == 404
        assert client.get("/copies").status_code == 200


def test_a_copy_has_so_many_photos_and_no_more(tmp_path: Path) -> None:
    """Nobody fills the disk from the page."""
    made = keeper(tmp_path)
    key = made.begin("Full", "rox", (59.0, 92.0), None)
    for n in range(PHOTOS_MAX + 1):
        photo = cv2.imencode(".jpg", np.full((320, 320, 3), n, np.uint8))[1].tobytes()
        if n < PHOTOS_MAX:
            made.add(key, photo)
    with pytest.raises(RefereeError, match="as many photos"):
        made.add(key, photo)
    with pytest.raises(RefereeError, match="another game"):
        made.begin("full", "cactus", (59.0, 92.0), None)
    made.stop()


def test_of_many_photos_the_later_ones_are_kept_smaller() -> None:
    """All are in memory at once while a copy is read."""
    wide = cv2.imencode(".png", np.zeros((400, 4400, 3), np.uint8))[1].tobytes()
    for before, side in ((0, 4000), (11, 4000), (12, 2200), (39, 2200)):
        assert load_bytes(coded(wide, before), "photo").shape[1] == side


def test_a_full_disk_leaves_all_as_it_was(desk: Desk, shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing seems to be read for ever, and no half a file takes room that there is not."""
    key = desk.begin()
    desk.keeper.add(key, shot.photos[0])
    before = sorted((desk.folder / "copies" / key).iterdir())

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        for path, said in (("do", {"what": "read"}), ("do", {"what": "drop", "photo": "00.jpg"})):
            answer = desk.post(f"/copies/{key}/{path}", **said)
            assert "could not be kept" in desk.table.client.get(answer.location).text
    one = desk.keeper.copy(key)
    assert one is not None
    assert (one.stage, one.photos) == (CopyStage.UNREAD, ("00.jpg",))
    assert sorted((desk.folder / "copies" / key).iterdir()) == before


@pytest.mark.parametrize(
    ("name", "key"),
    [("Omas Blatt", "omas-blatt"), ("Straße!", "strasse"), ("../..", ""), ("CON", "my-con"), ("☃ …", "")],
)
def test_names_become_folders(name: str, key: str) -> None:
    """Whatever a copy is called, its folder has a plain name of its own, or none."""
    assert key_of(name) == key


def test_names_in_other_letters_become_folders_of_their_own() -> None:
    """Letters that a folder's name lacks are told apart; the same name is the same folder."""
    names = ("日本", "日木", "Мой Rox", "Твой Rox", "אבג", "a" * 50 + "я", "a" * 50 + "ю")
    keys = {name: key_of(name) for name in names}
    assert len({*keys.values()}) == len(names)
    assert all(KEY.fullmatch(key) for key in keys.values())
    assert key_of("мой  rox") == keys["Мой Rox"]


def test_own_decks_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is a path; a bare name that is none is looked for among the user's own decks."""
    monkeypatch.setattr(paths, "data_folder", lambda: tmp_path)
    folder = tmp_path / "decks" / "worn"
    folder.mkdir(parents=True)
    assert paths.own_deck("worn") == Path("worn")
    (folder / "deck.json").write_text('{"game": "rox"}')
    assert paths.own_deck("worn") == folder
    assert paths.own_deck(str(folder)) == folder
    assert paths.own_deck("../decks/worn") == Path("../decks/worn")
    assert (paths.decks_of("rox"), paths.decks_of("conex")) == (["worn"], [])


def test_damaged_decks_leave_the_others_alone(tmp_path: Path) -> None:
    """One nested too deeply is none; one with a name that no page can show is called as its folder."""
    for key, text in {
        "deep": "[" * 100_000,
        "half": '{"game": "rox", "name": "\\ud800"}',
        "list": '{"game": "rox", "name": ["a"]}',
        "long": json.dumps({"game": "rox", "name": "x" * 1000}),
        "mark": '\ufeff{"game": "rox", "name": "Röx"}',
    }.items():
        (tmp_path / key).mkdir()
        (tmp_path / key / "deck.json").write_text(text, encoding="utf-8")
    assert paths.own_decks("rox", tmp_path) == [(k, k) for k in ("half", "list", "long")] + [("mark", "Röx")]


def test_a_deck_is_there_whenever_the_program_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the moves of one folder into another's place: the earlier one is found again."""
    deck, new = tmp_path / "worn", tmp_path / ".worn.new"
    for folder, name in ((deck, "before"), (new, "after")):
        folder.mkdir()
        (folder / "deck.json").write_text(json.dumps({"game": "rox", "name": name}))
    deck.rename(tmp_path / ".worn.old")
    assert paths.own_decks("rox", tmp_path) == [("worn", "before")]
    paths.replace_folder(new, deck)
    assert paths.own_decks("rox", tmp_path) == [("worn", "after")]
    assert [p.name for p in tmp_path.iterdir()] == ["worn"]
    with pytest.raises(FileNotFoundError):
        paths.replace_folder(tmp_path / "none", deck)
    assert paths.own_decks("rox", tmp_path) == [("worn", "after")]


def test_a_table_without_a_copyist_has_no_such_page(table: Table) -> None:
    """The demonstration neither offers nor serves it."""
    assert table.client.get("/copies").status_code == 404
    assert "/copies" not in table.client.get("/matches").text


def test_links_lead_to_it(desk: Desk) -> None:
    """From the matches, the camera and a new match."""
    for path in ("/matches", "/camera", "/matches/new"):
        assert 'href="/copies"' in desk.table.client.get(path).text


def test_failures_have_their_words() -> None:
    """What the copyist may refuse is said in the words that are translated, and in no others."""
    source = Path(__file__).parent.parent.parent / "webui" / "sight" / "copies"
    text = "".join((source / f"{n}.py").read_text() for n in ("keeper", "shelf"))
    assert "raise RefereeError(" in text
    assert 'RefereeError("' not in text
    assert set(COPY_PROBLEMS) == {"nothing", "photo", "error"}


@pytest.fixture
def site(desk: Desk) -> Iterator[str]:
    """The running page."""
    with serving(desk.table.app) as url:
        yield url


def tiles(count: int, browser: WebDriver) -> bool:
    return len(browser.find_elements(By.CSS_SELECTOR, "#names .copy-tile")) == count


def gone(element: WebElement, browser: WebDriver) -> bool:
    """Whether the page was drawn anew without that element."""
    try:
        element.is_enabled()
    except StaleElementReferenceException:
        return True
    return False


def taken_in(count: int, refused: bool, browser: WebDriver) -> bool:
    """Whether so many photos are there, and one is said to be none."""
    line = browser.find_element(By.ID, "copy-sending")
    told = line.is_displayed() and "words.jpg: This is no photo" in line.text
    return len(browser.find_elements(By.CSS_SELECTOR, ".copy-photos li")) == count and told == refused


@MARKS[0]
@MARKS[1]
def test_it_is_guided_in_a_browser(browser: WebDriver, site: str, shot: Shot, tmp_path: Path) -> None:
    """Name it, choose photos, which are sent at once, have them read, tap four names, answer, and save."""
    resize(browser, 390, 844)
    names = [tmp_path / f"cards-{n}.jpg" for n in range(len(shot.photos))]
    for name, data in zip(names, shot.photos, strict=True):
        name.write_bytes(data)
    browser.get(f"{site}/copies")
    fits(browser, "copies")
    browser.find_element(By.ID, "begin").click()
    until(browser, lambda d: d.find_element(By.ID, "copy-photo").is_displayed())
    words = tmp_path / "words.jpg"
    words.write_text("no photo")
    for sent, there in (([words], 0), (names[:1], 1), ([*names[1:], words], len(names))):
        browser.find_element(By.ID, "copy-photo").send_keys("\n".join(map(str, sent)))
        until(browser, partial(taken_in, there, words in sent))
    fits(browser, "copy-photos")
    assert all("422" in told for told in errors_in(browser))
    browser.find_element(By.CSS_SELECTOR, "#photos button[value=read]").click()
    patience = WebDriverWait(browser, 200, poll_frequency=0.2, ignored_exceptions=(Exception,))
    patience.until(lambda d: d.find_element(By.ID, "copy").get_attribute("data-stage") == "read")
    fits(browser, "copy-names")
    for left in (5, 4, 3, 2):
        until(browser, partial(tiles, left))
        browser.find_element(By.CSS_SELECTOR, "#names .copy-tile").click()
    until(browser, lambda d: not d.find_elements(By.ID, "names"))
    for _ in range(COUNT):
        asked = browser.find_elements(By.CSS_SELECTOR, "#ask .button.main:not([disabled])")
        if not asked:
            break
        asked[0].click()
        until(browser, partial(gone, asked[0]))
    fits(browser, "copy-read")
    browser.find_element(By.CSS_SELECTOR, "#save button").click()
    until(browser, lambda d: "--deck my-copy" in d.find_element(By.ID, "save").text)
    fits(browser, "copy-saved")
    for fold in ("#found > summary", "#found .copy-group:has(.copy-parts) > summary"):
        browser.find_element(By.CSS_SELECTOR, fold).click()
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, ".copy-parts a").is_displayed())
    browser.find_element(By.CSS_SELECTOR, ".copy-parts a").click()
    until(browser, lambda d: d.find_element(By.CSS_SELECTOR, ".copy-chips").is_displayed())
    fits(browser, "copy-edit")
    assert errors_in(browser) == []


def test_height_of_a_cactus_is_put_right_later(desk: Desk, shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the copy's page, or where a copy of the same name is begun again; the photos are read anew."""
    read: list[str] = []
    monkeypatch.setattr(desk.keeper, "read", read.append)
    key = desk.begin("Dry ones", game="cactus", cactus="66")
    assert "white paper" in desk.table.client.get(f"/copies/{key}").text
    desk.send(key, shot.photos[0])
    assert desk.post(f"/copies/{key}/do", what="measure", cactus="9").status_code == 303
    assert "27 to 270 mm are taken" in desk.table.client.get(f"/copies/{key}").text
    assert read == []
    desk.post(f"/copies/{key}/do", what="measure", cactus="92,5")
    one = desk.keeper.copy(key)
    assert one is not None
    assert (one.cactus_mm, one.stage) == (92.5, CopyStage.UNREAD)
    assert read == [key]
    assert 'value="92.5"' in desk.table.client.get(f"/copies/{key}").text
    assert desk.begin("Dry ones", game="cactus") == key
    one = desk.keeper.copy(key)
    assert one is not None
    assert one.cactus_mm == 92.5
    desk.begin("Dry ones", game="cactus", cactus="80")
    one = desk.keeper.copy(key)
    assert one is not None
    assert one.cactus_mm == 80
