"""How phones are let in where the page is seen on this computer only."""

from __future__ import annotations

import pytest

from scoring.deck import RoxDeck
from tests.webui.fakes import DECK
from tests.webui.test_bootstrap import runner
from webui.bootstrap import open_server
from webui.cli import build_parser
from webui.commands.again import with_phones
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


def test_the_page_leads_to_the_same_port_with_phones(runner: Runner, deck: RoxDeck) -> None:
    """Whoever opens “Phone” on the computer reads the whole command."""
    lead = with_phones(("play", "rox", "--port", "8001"))
    server = open_server(runner._store, runner, DeckArt(DECK, deck), "127.0.0.1", 0, lead=lead)
    assert lead in server.app.test_client().get("/invite").text  # type: ignore[attr-defined]
    server.server_close()
