"""Folders of copies and of their decks: none takes the place of another, and what is damaged is told."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from scoring.deck import RoxDeck
from tests.webui.conftest import Table
from webui import create_app
from webui.decks.in_use import is_played_with
from webui.owncopy import pages as owncopy
from webui.owncopy.own_copy import CopyStage, OwnCopy
from webui.sight.copies import shelf as copies_shelf
from webui.sight.copies.keeper import CopyKeeper
from webui.sight.copies.shelf import begun
from webui.sight.decks.folders import read_deck

Json = dict[str, Any]
STONES = ("kind-1", "kind-2", "kind-3", "kind-4", "kind-5")


@dataclass(frozen=True, slots=True)
class Shelf:
    """A page with copies that were read already, a folder each."""

    table: Table
    keeper: CopyKeeper
    folder: Path

    def do(self, key: str, **fields: str) -> TestResponse:
        return self.table.client.post(f"/copies/{key}/do", data={"token": self.table.token(), **fields})

    def one(self, key: str) -> OwnCopy:
        found = self.keeper.copy(key)
        assert found is not None
        return found

    def page(self, key: str) -> TestResponse:
        return self.table.client.get(f"/copies/{key}")

    def file(self, key: str, name: str = "copy.json") -> Path:
        return self.folder / "copies" / key / name

    def put(self, key: str, **changed: Any) -> None:
        """A copy of which five cards were read."""
        parts = [card(n, stone) for n, stone in enumerate(STONES)]
        kinds = [{"sort": "elements", "key": s, "part": n} for n, s in enumerate(STONES)]
        read = {"parts": parts, "kinds": kinds, "twins": []}
        faces = [p["fields"] for p in parts]
        deck = {
            "format": 1,
            "game": "rox",
            "card_mm": [59, 92],
            "corner_radius_mm": 3,
            "elements": list(STONES),
            "faces": faces,
        }
        self.file(key, "read").mkdir(parents=True)
        self.file(key, "read/parts.json").write_text(json.dumps(read))
        self.file(key, "read/deck.json").write_text(json.dumps(deck))
        photos = {"photos": ["00.jpg"], "next": 1, "read": ["00.jpg"]}
        self.file(key).write_text(json.dumps(begun(key, "rox", (59, 92), None) | photos | changed))

    def decks(self) -> list[str]:
        return sorted(p.name for p in (self.folder / "decks").iterdir())


def card(n: int, stone: str) -> Json:
    x = 100.0 * n
    quad = [[x, 0.0], [x + 59, 0.0], [x + 59, 92.0], [x, 92.0]]
    fields = {"id": f"R0{n}", "center": stone, "edge": {stone: 5}, "image": f"R0{n}.png"}
    return {
        "id": f"R0{n}",
        "group": "faces",
        "fields": fields,
        "asks": [],
        "sightings": [{"photo": "00.jpg", "quad": quad}],
    }


class KilledError(BaseException):
    """The program ends here."""


@contextmanager
def killed_in(monkeypatch: pytest.MonkeyPatch, where: object, call: str) -> Iterator[None]:
    """The program is killed as soon as it makes that call."""

    def killed(*_: object, **__: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(where, call, killed)
        with pytest.raises(KilledError):
            yield


@pytest.fixture
def shelf(table: Table, tmp_path: Path) -> Shelf:
    """A table whose copies are kept in a folder of the test's own."""
    made = CopyKeeper(lambda: tmp_path / "copies", lambda: tmp_path / "decks")
    table.app = create_app(dataclasses.replace(table.app.extensions["referee"], copyist=made))
    table.client = table.app.test_client()
    return Shelf(table, made, tmp_path)


def test_another_deck_of_that_name_stays_as_it_is(shelf: Shelf) -> None:
    """A copy is saved beside it, under a name that is told, and further saves go there."""
    theirs = shelf.folder / "decks" / "q2" / "deck.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"game": "conex"}')
    shelf.put("q2")
    shelf.do("q2", what="save")
    assert theirs.read_text() == '{"game": "conex"}'
    assert shelf.decks() == ["q2", "q2-2"]
    assert json.loads((shelf.folder / "decks" / "q2-2" / "deck.json").read_text())["name"] == "q2 (2)"
    page = shelf.page("q2").text
    assert "another deck of this name" in page
    assert "<code>q2-2</code>" in page or "--deck q2-2" in page
    shelf.keeper.answer_all("q2", {0: {"center": STONES[1]}})
    shelf.do("q2", what="save")
    assert shelf.decks() == ["q2", "q2-2"]
    assert json.loads((shelf.folder / "decks" / "q2-2" / "deck.json").read_text())["faces"][0]["center"] == STONES[1]


def test_a_deck_that_a_person_changed_is_kept(shelf: Shelf) -> None:
    """What was written by hand into a saved deck is not lost where its copy is saved again."""
    shelf.put("q2")
    shelf.do("q2", what="save")
    mine = shelf.folder / "decks" / "q2" / "deck.json"
    mine.write_text(mine.read_text() + "\n")
    shelf.keeper.save("q2")
    assert shelf.decks() == ["q2", "q2-2"]


@pytest.mark.parametrize("again", [False, True])
def test_a_program_killed_while_it_saves_knows_its_own_deck(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """Just before the deck takes its place or just after it: the next save goes there, and no second deck comes."""
    shelf.put("q2")
    if again:
        shelf.do("q2", what="save")
        shelf.keeper.answer_all("q2", {0: {"center": STONES[1]}})
    looks = shelf.keeper._readings.looks
    moments = ((copies_shelf, "replace_folder"), (looks, "release"), (copies_shelf, "replace_folder"))
    for n, (hit, moment) in enumerate(moments):
        shelf.keeper.answer_all("q2", {0: {"center": STONES[2 + n]}})
        with killed_in(monkeypatch, hit, moment):
            shelf.keeper.save("q2")
        assert not shelf.one("q2").saved
    assert shelf.keeper.save("q2") == "q2"
    assert shelf.decks() == ["q2"]
    assert shelf.one("q2").saved


def test_a_program_killed_while_it_forgets_leaves_no_half_of_a_copy(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is gone at once, and its files with the next one that is forgotten."""
    shelf.put("q2")
    shelf.put("q3")
    with killed_in(monkeypatch, copies_shelf.shutil, "rmtree"):
        shelf.keeper.forget("q2")
    assert [c.key for c in shelf.keeper.copies()] == ["q3"]
    shelf.keeper.forget("q3")
    assert list((shelf.folder / "copies").iterdir()) == []


def test_a_copy_that_cannot_be_forgotten_stays_whole_and_says_so(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is one that cannot be written."""
    shelf.put("q2")

    def refused(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rename", refused)
    shelf.do("q2", what="forget")
    assert "cannot be written" in shelf.table.client.get("/copies").text
    assert shelf.one("q2").stage is CopyStage.READ


def test_a_damaged_copy_is_told_and_its_photos_stay(shelf: Shelf) -> None:
    """It is listed; one of the same name begins in a folder of its own, and is gone on with there."""
    shelf.put("q2")
    shelf.file("q2", "00.jpg").write_bytes(b"theirs")
    shelf.file("q2").write_text("{")
    listed = shelf.table.client.get("/copies").text
    assert "cannot be read" in listed
    assert "1 photo of it is still there." in listed
    assert 'href="/copies/q2"' not in listed
    assert [shelf.keeper.begin("Q2", "rox", (59, 92), None) for _ in range(2)] == ["q2-2", "q2-2"]
    assert shelf.file("q2", "00.jpg").read_bytes() == b"theirs"
    assert shelf.file("q2").read_text() == "{"
    assert shelf.keeper.begin("Q2 2", "rox", (59, 92), None) == "q2-2-2"


def test_a_damaged_copy_is_put_aside_with_all_its_files(shelf: Shelf) -> None:
    """It is called as it was where that can still be read; put aside, it is no copy, and whole ones never are."""
    client, post = shelf.table.client, {"token": shelf.table.token()}
    for number in ("", "-2"):
        shelf.put("q2")
        shelf.file("q2", "00.jpg").write_bytes(b"theirs")
        assert "not there any more" in client.post("/copies/q2/aside", data=post, follow_redirects=True).text
        shelf.file("q2").write_text('{"name": "Granny", "game": "rox", "photos": 3}')
        listed = client.get("/copies").text
        assert "Granny" in listed
        assert "was changed or is not whole" in listed
        told = client.post("/copies/q2/aside", data=post, follow_redirects=True).text
        assert f"q2.damaged{number}" in told
        assert "Granny" not in told
        assert (shelf.file("q2").parent.parent / f"q2.damaged{number}" / "00.jpg").read_bytes() == b"theirs"
        assert not shelf.file("q2").parent.exists()
    assert "not there any more" in client.post("/copies/q2.damaged/aside", data=post, follow_redirects=True).text


@pytest.mark.parametrize(
    ("there", "instead"), [('"R01"', "null"), ('"edge": {', '"edge": 3, "was": {'), ('"faces"', '"x"')]
)
def test_a_damaged_reading_is_to_be_read_again(shelf: Shelf, there: str, instead: str) -> None:
    """The page says so, and neither saving nor taking back fails otherwise."""
    said = {"photo": "00.jpg", "at": [29.5, 46.0], "fields": {"center": "kind-2"}}
    shelf.put("q2", answers=[said], before=[{"names": [], "answers": []}])
    assert shelf.one("q2").stage is CopyStage.READ
    assert "when all are here, let them be read" not in shelf.page("q2").text
    file = shelf.file("q2", "read/parts.json")
    file.write_text(file.read_text().replace(there, instead))
    assert "when all are here, let them be read" in shelf.page("q2").text
    for what in ("save", "undo", "names"):
        assert shelf.do("q2", what=what).status_code == 303
    assert not (shelf.folder / "decks").exists()


def test_damaged_sizes_are_read_again(shelf: Shelf) -> None:
    """Nothing on the page fails for them; answers without a place make the copy a damaged one."""
    shelf.put("q2", game="cactus", sizes=3)
    assert shelf.page("q2").status_code == 200
    for what in ("save", "undo"):
        assert shelf.do("q2", what=what).status_code == 303
    assert shelf.one("q2").stage is CopyStage.UNREAD
    shelf.put("q3", answers=[{"photo": 3}])
    assert shelf.page("q3").status_code == 404


def test_the_deck_of_a_match_stays_for_it(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other cards a copy is saved beside it while the match goes on, and further saves replace what was saved."""
    shelf.put("q2")
    shelf.do("q2", what="save")
    deck = read_deck(shelf.folder / "decks" / "q2")
    assert isinstance(deck, RoxDeck)
    monkeypatch.setattr(owncopy, "is_played_with", lambda store, asked: asked == deck)
    shelf.keeper.answer_all("q2", {0: {"center": STONES[1]}})
    shelf.do("q2", what="save")
    assert shelf.decks() == ["q2"], "its cards are the same ones"
    deck = read_deck(shelf.folder / "decks" / "q2")
    assert isinstance(deck, RoxDeck)
    shelf.keeper.answer_all("q2", {0: {"out": True}})
    shelf.do("q2", what="save")
    assert shelf.decks() == ["q2", "q2-2"]
    assert "A match is being played with this deck" in shelf.page("q2").text
    kept = read_deck(shelf.folder / "decks" / "q2")
    assert kept == deck
    shelf.keeper.answer_all("q2", {0: {"out": False}})
    shelf.do("q2", what="save")
    assert shelf.decks() == ["q2", "q2-2"]


def test_a_deck_is_in_use_until_its_match_is_over(table: Table) -> None:
    """A match that was begun is played with its deck, and with no other one."""
    store = table.app.extensions["referee"].store
    assert not is_played_with(store, table.deck)
    table.begin()
    assert is_played_with(store, table.deck)
    assert not is_played_with(store, dataclasses.replace(table.deck, name="Another"))


def test_a_name_that_opens_an_earlier_copy_says_so(shelf: Shelf) -> None:
    """Another spelling or another size of cards is told; the very same again is not."""

    def begun_as(name: str, width: str, height: str) -> str:
        sizes = {"card-width": width, "card-height": height}
        data = {"token": shelf.table.token(), "name": name, "game": "rox", **sizes}
        assert shelf.table.client.post("/copies", data=data).location == "/copies/q2"
        return shelf.page("q2").text

    assert "was begun before" not in begun_as("q2", "59", "92")
    assert "was begun before" not in begun_as("q2", "59", "92")
    told = begun_as("Q2!!", "70", "120")
    assert "“q2” was begun before" in told
    assert "59 × 92 mm" in told
    assert "was begun before" in begun_as("q2", "70", "120")


def test_two_kinds_have_two_names(shelf: Shelf) -> None:
    """The same name twice changes nothing and is told; two names may be exchanged, and one rule is for every name."""
    shelf.put("q2")
    assert shelf.do("q2", what="names", **{"name-0": "Elk", "name-1": "elk"}).status_code == 400
    for wrong in ("a,b/../c", "a+b", "x" * 33):
        assert shelf.do("q2", what="name", kind="kind-1", name=wrong).status_code == 400
        assert shelf.do("q2", what="names", **{"name-0": wrong}).status_code == 400
    assert not any(k.name for k in shelf.one("q2").kinds)
    shelf.do("q2", what="names", **{"name-0": "Elk", "name-1": "Oak"})
    assert [k.name for k in shelf.one("q2").kinds[:2]] == ["Elk", "Oak"]
    assert shelf.do("q2", what="names", **{"name-0": "Oak"}).status_code == 400
    shelf.do("q2", what="names", **{"name-0": "Oak", "name-1": "Elk"})
    assert [k.name for k in shelf.one("q2").kinds[:2]] == ["Oak", "Elk"]


def test_a_kind_takes_no_name_that_would_make_two_one(shelf: Shelf) -> None:
    """Neither what another one is called while it has no name, nor another's in other letters; its very name moves."""
    shelf.put("q2")
    before = [p.fields for p in shelf.one("q2").parts]
    assert shelf.do("q2", what="name", kind="kind-1", name="Kind-2").status_code == 400
    assert [p.fields for p in shelf.one("q2").parts] == before
    shelf.do("q2", what="name", kind="kind-2", name="Elk")
    assert shelf.do("q2", what="name", kind="kind-1", name="ELK").status_code == 400
    assert shelf.do("q2", what="names", **{"name-0": "kind-2"}).status_code == 400, "Elk may be taken back"
    assert shelf.do("q2", what="name", kind="kind-1", name="Elk").status_code == 303
    assert [k.name for k in shelf.one("q2").kinds[:2]] == ["Elk", ""]


def test_a_new_copy_is_suggested_a_free_name(shelf: Shelf) -> None:
    """A second copy takes its own name; one that is refused finds its game and its sizes in the form again."""
    client, token = shelf.table.client, shelf.table.token()

    def suggested() -> str:
        found = re.search(r'id="copy-name"[^>]* value="([^"]*)"', client.get("/copies").text)
        assert found is not None
        return found[1]

    for game, key in (("rox", "my-copy"), ("cactus", "my-copy-2"), ("rox", "my-copy-3")):
        sent = {"token": token, "name": suggested(), "game": game}
        assert client.post("/copies", data=sent).location == f"/copies/{key}"
        assert shelf.one(key).game == game
    sent = {"token": token, "name": "My copy", "game": "cactus", "cactus": "87,5", "card-width": "61"}
    refused = client.post("/copies", data=sent)
    assert refused.status_code == 409
    assert "A copy of another game has this name." in refused.text
    assert re.findall(r'value="(\w+)" checked', refused.text) == ["cactus"]
    for field, value in (("name", "My copy"), ("cactus", "87,5"), ("card-width", "61")):
        assert re.search(rf'name="{field}"[^>]* value="{value}"', refused.text), field
