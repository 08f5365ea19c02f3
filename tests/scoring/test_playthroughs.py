"""Golden playthroughs: whole matches, step by step, as a table would play them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.errors import RefereeError
from scoring.events import Event, decode, encode
from scoring.match import decide, fold, rejudge
from scoring.rules import GAMES
from tests.scoring.story import command_of, load_deck, playthroughs, summary, tell

FILES = [file for rules in GAMES for file in playthroughs(rules.game)]


def name(file: Path) -> str:
    return f"{file.parent.name}-{file.stem}"


@pytest.mark.parametrize("file", FILES, ids=name)
def test_each_step_leads_where_the_file_says(file: Path) -> None:
    """Phases, rows, awards, questions and standing are those of the file; refused steps say why."""
    for number, told in enumerate(tell(file)):
        where = f"{file.name} step {number}: {told.step['do']}"
        if "refused" in told.step:
            with pytest.raises(RefereeError) as caught:
                decide(told.state, command_of(told.step, load_deck(file.parent.name), "t"))
            assert told.step["refused"] in str(caught.value), where
        assert summary(told.state, told.step, file.parent.name) == told.step.get("then", {}), where


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_match_survives_being_stored(file: Path) -> None:
    """Written as JSON lines and read again the log folds to the same match, and is judged the same."""
    log: list[Event] = [e for told in tell(file) for e in told.events]
    lines = [json.dumps(encode(e)) for e in log]
    again = [decode(json.loads(line)) for line in lines]
    assert again == log
    assert fold(again) == fold(log)
    assert rejudge(again) == ()


@pytest.mark.parametrize("file", FILES, ids=name)
def test_a_match_can_be_cut_off_anywhere(file: Path) -> None:
    """Every log that a sudden end can leave behind folds to a match."""
    log: list[Event] = [e for told in tell(file) for e in told.events]
    most = 5 if file.parent.name == "rox" else len(log)
    for length in range(len(log) + 1):
        state = fold(log[:length])
        assert len(state.rounds) <= most
