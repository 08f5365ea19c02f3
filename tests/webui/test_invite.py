"""How phones are let in where the page is seen on this computer only."""

from __future__ import annotations

import shlex

import pytest

from scoring.deck import RoxDeck
from tests.webui.fakes import DECK
from tests.webui.test_bootstrap import runner
from webui.bootstrap import open_server
from webui.cli import build_parser
from webui.commands.again import with_phones
from webui.decks.here import NAMED
from webui.sight.decks.art import DeckArt
from webui.table.runner import Runner

__all__ = ["runner"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("play", "rox", "--port", "8001"), "referee play rox --port 8001 --host 0.0.0.0"),
        (("demo", "cactus"), "referee demo cactus --host 0.0.0.0"),
        (("play", "conex", "--deck", "our copy"), "referee play conex --deck 'our copy' --host 0.0.0.0"),
        (("play", "rox", "--host", "127.0.0.1"), "referee play rox --host 127.0.0.1 --host 0.0.0.0"),
        (
            ("play", "rox", "--source=rtsp://me:secret@cam/1", "--database", "sqlite:///club.db"),
            "referee play rox '--source=rtsp://…' --database sqlite:///club.db --host 0.0.0.0",
        ),
        (
            ("play", "rox", "--source", "me:secret@192.168.1.5:8080/video?pw=abc"),
            "referee play rox --source 'http://…' --host 0.0.0.0",
        ),
        (("play", "rox", "--source=me:secret@192.168.1.5"), "referee play rox '--source=http://…' --host 0.0.0.0"),
        (
            ("play", "rox", "--source", "192.168.1.5:8080/video"),
            "referee play rox --source 192.168.1.5:8080/video --host 0.0.0.0",
        ),
    ],
)
def test_the_command_for_phones_is_the_one_that_was_given(argv: tuple[str, ...], told: str) -> None:
    """Port, deck and all else stay as they are, and it starts so; no password is shown."""
    assert with_phones(argv) == told
    assert build_parser().parse_args([*argv, "--host", "0.0.0.0"]).host == "0.0.0.0"


@pytest.mark.parametrize(
    ("argv", "deck", "told"),
    [
        (("play", "rox", "--deck", "rox", "--port", "8001"), "/cactus", "referee play cactus --port 8001"),
        (("play", "--deck=ours", "rox"), "our pieces", "referee play cactus --deck 'our pieces'"),
        (("play", "--dec", "rox", "rox", "--port=8001"), "", "referee play cactus --port=8001"),
        (("play", "cactus", "--deck", "rox/elsewhere"), NAMED, "referee play cactus --deck rox/elsewhere"),
    ],
)
def test_the_command_for_phones_goes_on_with_what_is_on_the_table(argv: tuple[str, ...], deck: str, told: str) -> None:
    """Not with the game and the deck that the program was started with, if others were chosen since."""
    assert with_phones(argv, "cactus", deck) == f"{told} --host 0.0.0.0"
    assert build_parser().parse_args(shlex.split(told)[1:]).game == "cactus"


def test_the_page_leads_to_the_same_port_with_phones(runner: Runner, deck: RoxDeck) -> None:
    """Whoever opens “Phone” on the computer reads the whole command, with the game that is on the table now."""
    table = runner.deck

    def lead() -> str:
        return with_phones(("play", "conex", "--deck", "ours", "--port", "8001"), table.deck.game, table.key)

    server = open_server(runner._store, runner, DeckArt(DECK, deck), "127.0.0.1", 0, lead=lead)
    told = "referee play rox --port 8001 --host 0.0.0.0"
    assert told in server.app.test_client().get("/invite").text  # type: ignore[attr-defined]
    server.server_close()
