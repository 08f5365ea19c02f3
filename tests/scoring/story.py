"""Plays a match from a JSON file: commands in short words, and what must hold after each. Each game has its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.commands import Command, CommandName
from scoring.deck import Deck, parse_deck
from scoring.events import Event
from scoring.match import MatchState, decide, fold
from tests.scoring import story_cactus, story_conex, story_rox

FOLDER = Path(__file__).parent / "playthroughs"
WORDS: dict[str, Any] = {"rox": story_rox, "conex": story_conex, "cactus": story_cactus}
"""The words of each game: `COMMANDS`, `command_of(step, deck, at)`, `summary(state, step)`, perhaps a `Desk`."""


def load_deck(game: str = "rox") -> Deck:
    """The deck that a game's playthroughs use."""
    file = FOLDER / game / "deck.json"
    return parse_deck(json.loads(file.read_text(encoding="utf-8")), str(file))


def playthroughs(game: str) -> list[Path]:
    """All golden matches of a game."""
    return sorted(p for p in (FOLDER / game).glob("*.json") if p.name != "deck.json")


@dataclass
class Told:
    """One step of a story: the words, the events it caused, and the match before and after it."""

    step: dict[str, Any]
    events: tuple[Event, ...]
    before: MatchState
    state: MatchState


def tell(file: Path) -> Iterator[Told]:
    """Play a file step by step; a step with "refused" must raise and is not played (its events are empty)."""
    story = json.loads(file.read_text(encoding="utf-8"))
    deck = load_deck(story["game"])
    table = getattr(WORDS[story["game"]], "Desk", None)
    desk = table(deck) if table is not None else None
    log: list[Event] = []
    state = fold(log)
    for number, step in enumerate(story["steps"]):
        if desk is not None:
            step = desk.laid(step)  # what lies there is the story's own, whatever the match makes of it
        before, events = state, ()
        if "refused" not in step:
            events = decide(state, command_of(step, deck, f"t{number}"))
            log += events
            state = fold(log)
        yield Told(step, events, before, state)


def command_of(step: dict[str, Any], deck: Deck, at: str) -> Command:
    """The command that the words of a step mean."""
    command: Command = WORDS[deck.game].command_of(step, deck, at)
    return command


def command_name(step: dict[str, Any], game: str) -> CommandName | None:
    """The name of a step's command, where the word alone tells it."""
    name: CommandName | None = WORDS[game].COMMANDS.get(str(step["do"]))
    return name


def summary(state: MatchState, step: dict[str, Any], game: str) -> dict[str, Any]:
    """The part of a match that the step's "then" speaks of, in the same words."""
    said: dict[str, Any] = WORDS[game].summary(state, step)
    return said
