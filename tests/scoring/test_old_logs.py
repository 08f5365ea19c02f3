"""Matches that an earlier release stored are read for ever: they fold to what was played then."""

from __future__ import annotations

import json
from pathlib import Path

from scoring.deck import RoxDeck
from scoring.events import MatchCreated, decode, encode
from scoring.match import fold, rejudge
from scoring.play import Phase

LINES = (Path(__file__).parent / "logs" / "rox-first.jsonl").read_text(encoding="utf-8").splitlines()
"""A match of Rox, written before there was another game: five rounds, edits, undone steps."""


def test_a_rox_match_of_the_first_release_is_read() -> None:
    """Points, winners and rulings are those of that day, and today's rules say the same."""
    log = [decode(json.loads(line)) for line in LINES]
    state = fold(log)
    assert state.phase is Phase.FINISHED
    assert isinstance(state.deck, RoxDeck)
    assert {s.seat: s.rounds for s in state.standing} == {
        "south": (0, 9, 0, 6, 2),
        "north": (7, 0, 0, 0, 1),
        "east": (4, 10, 8, 0, 0),
    }
    assert state.winners == ("east",)
    assert rejudge(log) == ()


def test_its_events_are_written_as_they_were() -> None:
    """Only the beginning gained a word: it says of which game its deck is."""
    for line in LINES:
        data = json.loads(line)
        event = decode(data)
        again = encode(event)
        if isinstance(event, MatchCreated):
            again["deck"].pop("type")
        assert again == data
