"""Another deck on a running table: chosen on the page, matches put aside and taken up again with their own deck."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from scoring.commands import CreateMatch, FinishMatch
from scoring.deck import RoxDeck
from scoring.errors import RefereeError
from scoring.play import Phase
from tests.webui.at_table import SteppedRunner
from tests.webui.conftest import Art, Table
from tests.webui.fakes import DECK, FakeEye, FakeFrame, FakeSource
from tests.webui.test_runner import PLAYERS, begin, to_call
from vision.scene import SceneModel
from webui import create_app
from webui.decks.here import IN_PROGRESS, NAMED, NOT_THERE, alike
from webui.log.store import Store, now
from webui.security import Door
from webui.services import Services
from webui.sight.decks.shelf import DeckShelf, TableArt
from webui.table.requests import Attend, Begin, Do, LayDeck, Outcome, Photo


class LightShelf(DeckShelf):
    """Decks of which nobody looks at the pictures."""

    def _look(self, folder: Path, game: str) -> SceneModel:
        return SceneModel()


def own(folder: Path, key: str, name: str) -> None:
    """A deck of the user's own: the bundled one by another name, with one card that is called otherwise."""
    (folder / key).mkdir(parents=True)
    data = json.loads((DECK / "deck.json").read_text())
    data["name"] = name
    data["faces"][0]["id"] = f"{key}-1"
    (folder / key / "deck.json").write_text(json.dumps(data))


@dataclass(frozen=True, slots=True)
class Parlour:
    """A table with two decks of the user's own."""

    table: Table
    shelf: LightShelf
    folder: Path

    def again(self, *, keep_deck: bool = False, first: Path | None = None) -> SteppedRunner:
        """The program started anew."""
        shelf = LightShelf("rox", first, lambda: self.folder)
        deck = cast(RoxDeck, shelf.open(shelf.first).deck)
        runner = SteppedRunner(self.table.store, FakeEye(), deck, FakeSource(), decks=shelf, deck_key=shelf.first)
        runner.resume(keep_deck=keep_deck)
        return runner


@pytest.fixture
def parlour(tmp_path: Path, deck: RoxDeck) -> Iterator[Parlour]:
    """A table that could play with the bundled deck, a worn one and a new one."""
    folder = tmp_path / "decks"
    for key, name in (("new", "New one"), ("worn", "Worn one")):
        own(folder, key, name)
    shelf = LightShelf("rox", None, lambda: folder)
    store, eye, source = Store("sqlite://"), FakeEye(), FakeSource()
    runner = SteppedRunner(store, eye, deck, source, decks=shelf)
    app = create_app(Services(store, runner, Art(deck), Door(store.secret()), [], "test"))
    yield Parlour(Table(store, eye, source, runner, app.test_client(), deck), shelf, folder)
    store.close()


def test_another_deck_is_laid_on_a_running_table(parlour: Parlour, three_rows: FakeFrame) -> None:
    """The page lists what there is; the chosen one holds for the eye, for new matches, and after a restart."""
    table = parlour.table
    table.runner.see(three_rows)
    page = table.client.get("/deck").text
    assert page.index("The printed deck of this program") < page.index("New one") < page.index("Worn one")
    answer = table.client.post("/deck", data={"key": "worn", "token": table.token()})
    assert answer.location == "/matches/new"
    assert "<strong>Worn one</strong>" in table.client.get("/matches/new").text
    assert len(table.eye.looks) == table.eye.resets == 1
    assert table.snapshot.cards == (), "what was seen before was read by another deck"
    assert "worn-1" in cast(RoxDeck, table.runner.deck.deck).faces
    match = table.begin()
    assert table.store.record(match.id).deck == "Worn one"
    assert parlour.again().deck.key == "worn"
    table.client.post("/deck", data={"key": "", "token": table.token(), "aside": "yes"})
    assert parlour.again().deck.key == ""


def test_another_deck_takes_the_photo_of_the_match_before_away(parlour: Parlour, three_rows: FakeFrame) -> None:
    """Whoever lays another deck is not shown the photo of the table that was put aside."""
    table = parlour.table
    runner = SteppedRunner(table.store, table.eye, table.deck, None, decks=parlour.shelf)
    match, seq = to_call(runner, table.deck)
    table.eye.photo = three_rows
    runner.submit(Photo(match, seq, b"\xff\xd8"))
    assert runner.picture.number == 1
    runner.submit(LayDeck("worn", aside=True))
    assert runner.picture.number == 0
    assert runner.board.snapshot.cards == ()


def test_a_match_with_another_deck_is_asked_about_and_nothing_is_lost(parlour: Parlour) -> None:
    """Refused with the reason until it is said that the match is put aside; then it comes back with its own deck."""
    table = parlour.table
    match, seq = to_call(table.runner, table.deck)
    reply = table.runner.submit(LayDeck("worn"))
    assert (reply.outcome, reply.message, reply.match) == (Outcome.REFUSED, IN_PROGRESS, match)
    assert (table.runner.deck.key, table.match.id, table.eye.looks) == ("", match, [])
    answer = table.client.post("/deck", data={"key": "worn", "token": table.token()})
    assert answer.location == "/deck?ask=worn"
    asked = table.client.get(answer.location).text
    assert "Put it aside and play with “Worn one”" in asked
    assert f'href="/matches/{match}"' in asked
    answer = table.client.post("/deck", data={"key": "worn", "aside": "yes", "token": table.token()})
    assert answer.location == "/matches/new"
    assert table.snapshot.match is None
    assert table.store.last_seq(match) == seq
    assert f"/matches/{match}" in table.client.get("/matches").text
    assert parlour.again().board.snapshot.match is None
    # It is taken up again, and its deck comes back with it.
    assert table.client.post(f"/matches/{match}/attend", data={"token": table.token()}).status_code == 303
    assert (table.runner.deck.key, table.match.id, table.match.seq) == ("", match, seq)


def test_another_game_is_played_at_a_running_table(parlour: Parlour, three_rows: FakeFrame) -> None:
    """Chosen on the page; a match of the other game is put aside, and comes back to the table with its game."""
    old = parlour.table
    shelf = LightShelf("rox", None, lambda: parlour.folder, ("rox", "conex", "cactus"))
    runner = SteppedRunner(old.store, old.eye, old.deck, old.source, decks=shelf)
    app = create_app(Services(old.store, runner, Art(old.deck), Door(old.store.secret()), [], "test"))
    table = dataclasses.replace(old, runner=runner, client=app.test_client())
    match, seq = to_call(runner, table.deck)
    page = table.client.get("/deck").text
    assert "<h2>CONEX</h2>" in page
    assert page.count("Worn one") == 1
    assert table.client.post("/deck", data={"key": "/cactus", "token": table.token()}).location == "/deck?ask=/cactus"
    assert "play with “Cactus: The printed deck of this program”" in table.client.get("/deck?ask=/cactus").text
    sent = {"key": "/cactus", "aside": "yes", "token": table.token()}
    assert table.client.post("/deck", data=sent).location == "/matches/new"
    assert "Players, 2 to 5" in table.client.get("/matches/new").text
    form = {"player-1": "Nele", "player-2": "Max", "claims": "coach", "fallen": "discard", "specials": "color"}
    form |= {"no_piece": "end", "impossible": "discard", "start": "", "token": table.token()}
    begun = table.client.post("/matches/new", data=form)
    assert begun.status_code == 303
    assert "Nele" in table.client.get(begun.location).text
    assert table.client.post(f"/matches/{match}/attend", data={"token": table.token()}).status_code == 303
    assert (runner.deck.deck.game, table.match.id, table.match.seq) == ("rox", match, seq)
    # A restart goes on with the game that is named, and with its match.
    runner.submit(LayDeck("/conex", aside=True))
    again = SteppedRunner(old.store, FakeEye(), old.deck, FakeSource(), decks=shelf)
    again.resume()
    assert again.deck.deck.game == "rox"
    with pytest.raises(RefereeError):
        shelf.open("/../../etc")


def test_a_deck_that_was_corrected_is_taken_up_in_the_midst_of_a_match(parlour: Parlour) -> None:
    """The same copy saved anew needs no question: the eye knows it anew, the match goes on by its own rules."""
    table = parlour.table
    table.runner.submit(LayDeck("worn"))
    match = begin(table.runner, cast(RoxDeck, table.runner.deck.deck))
    path = parlour.folder / "worn" / "deck.json"
    data = json.loads(path.read_text())
    data["faces"][5]["edge"], data["faces"][6]["edge"] = data["faces"][6]["edge"], data["faces"][5]["edge"]
    path.write_text(json.dumps(data))
    answer = table.client.post("/deck", data={"key": "worn", "token": table.token()})
    assert answer.location == f"/matches/{match}"
    assert "judged by it as it began" in table.client.get(answer.location).text
    assert len(table.eye.looks) == 2
    shown = parlour.again(keep_deck=True, first=parlour.folder / "worn")
    assert shown.board.snapshot.match is not None


def test_a_restart_with_a_named_deck_leaves_a_match_with_another_one_alone(parlour: Parlour) -> None:
    """`--deck` holds: the match waits in the list; without it the match brings its deck."""
    table = parlour.table
    table.runner.submit(LayDeck("worn"))
    match = begin(table.runner, cast(RoxDeck, table.runner.deck.deck))
    named = parlour.again(keep_deck=True, first=parlour.folder / "new")
    assert (named.deck.key, named.board.snapshot.match) == ("new", None)
    plain = parlour.again()
    assert plain.board.snapshot.match is not None
    assert (plain.deck.key, plain.board.snapshot.match.id) == ("worn", match)


def test_a_match_whose_deck_is_gone_is_not_taken_up(parlour: Parlour) -> None:
    """The eye would read its cards wrongly; the log stays as it is."""
    table = parlour.table
    shelf = parlour.shelf
    elsewhere = dataclasses.replace(cast(RoxDeck, shelf.open("worn").deck), name="Somebody else's")
    reply = table.runner.submit(Begin("Away", CreateMatch(now(), "rox", PLAYERS, elsewhere)))
    table.runner.submit(LayDeck("worn", aside=True))
    again = table.runner.submit(Attend(reply.match))
    assert (again.outcome, again.message) == (Outcome.REFUSED, NOT_THERE)
    assert table.snapshot.match is None
    assert table.client.get(f"/matches/{reply.match}").status_code == 200


def test_a_finished_match_stands_in_nobodys_way(parlour: Parlour) -> None:
    """No question is asked about what is over."""
    table = parlour.table
    match = begin(table.runner, table.deck)
    table.runner.submit(Do(match, 1, (FinishMatch(now(), early=True),)))
    assert table.match.phase == Phase.FINISHED
    answer = table.client.post("/deck", data={"key": "new", "token": table.token()})
    assert answer.location == "/matches/new"
    assert table.store.record(match).id == match


def test_only_decks_that_there_are_can_be_laid(parlour: Parlour) -> None:
    """Paths, other games, damaged folders and decks that vanish are refused in words, and nothing changes."""
    table = parlour.table
    for key in ("../decks/worn", "/etc", "Worn one", "x" * 500):
        assert table.client.post("/deck", data={"key": key, "token": table.token()}).status_code == 400
    assert table.client.post("/deck", data={"key": "worn"}).status_code == 403
    with pytest.raises(RefereeError, match="not there"):
        parlour.shelf.open("nowhere")
    (parlour.folder / "worn" / "deck.json").write_text('{"game": "rox", "name": "half"}')
    answer = table.client.post("/deck", data={"key": "worn", "token": table.token()})
    assert answer.location == "/deck"
    assert "deck.json" in table.client.get("/deck").text
    assert (table.runner.deck.key, table.eye.looks) == ("", [])
    conex = {**json.loads((parlour.folder / "new" / "deck.json").read_text()), "game": "conex"}
    (parlour.folder / "new" / "deck.json").write_text(json.dumps(conex))
    assert [c.key for c in parlour.shelf.choices()] == ["", "worn"]


def test_a_named_deck_is_among_the_choices(parlour: Parlour, tmp_path: Path) -> None:
    """A folder of the command line has a key of its own, one of the user's own keeps its name."""
    own(tmp_path / "there", "worn", "Elsewhere")
    shelf = LightShelf("rox", tmp_path / "there" / "worn", lambda: parlour.folder)
    assert shelf.first == NAMED
    assert [(c.key, c.own) for c in shelf.choices()] == [
        ("", False),
        (NAMED, False),
        ("new", True),
        ("worn", True),
    ]
    assert shelf.choices()[1].name == "Elsewhere"
    shutil.rmtree(tmp_path / "there")
    own(tmp_path / "there", "worn", "my-rox")
    assert shelf.choices()[1].name == "worn", "nobody gave it a name: it is called as its folder"
    assert DeckShelf("rox", parlour.folder / "worn", lambda: parlour.folder).first == "worn"
    shutil.rmtree(tmp_path / "there")
    assert len(shelf.choices()) == 3


def test_pictures_are_those_of_the_deck_on_the_table(parlour: Parlour, deck: RoxDeck) -> None:
    """After another deck was laid its cards are shown, and a browser asks for them anew."""
    runner = parlour.table.runner
    art = TableArt(parlour.shelf, lambda: (runner.deck.key, runner.deck.version, runner.deck.deck))
    first = next(iter(deck.faces))
    assert art.card(first) is not None
    assert not art.has("worn-1")
    runner.submit(LayDeck("worn"))
    assert art.has("worn-1")
    assert not art.has(first)


def test_a_copy_that_was_corrected_is_still_the_same_one(deck: RoxDeck) -> None:
    """The same name and the same cards; another name or other cards are another deck."""
    faces = dict(deck.faces)
    first = next(iter(faces))
    faces[first] = dataclasses.replace(faces[first], center=next(e for e in deck.elements if e != faces[first].center))
    assert alike(deck, dataclasses.replace(deck, faces=faces))
    assert not alike(deck, dataclasses.replace(deck, name="another"))
    del faces[first]
    assert not alike(deck, dataclasses.replace(deck, faces=faces))


def test_the_demonstration_keeps_its_deck(table: Table) -> None:
    """Where no decks are given nothing is offered and nothing laid."""
    assert table.runner.submit(LayDeck("")).outcome is Outcome.REFUSED
    assert "Another deck" not in table.client.get("/matches/new").text
    assert table.client.get("/deck").status_code == 200
