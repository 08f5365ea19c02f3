"""Logs from elsewhere: what folds and is impossible all the same is refused, and what was played is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scoring.errors import LogError
from scoring.events import Event, MatchCreated, Player, TableRecorded
from scoring.log_check import check_log
from scoring.match import fold
from scoring.moves import DeclaredFace
from scoring.rules import GAMES
from tests.scoring.conex_game import Table
from tests.scoring.story import playthroughs, tell

Log = list[Event]


def played() -> Table:
    table = Table()
    table.laid("max", "bl")
    table.lay("nele", "bl", "max")
    return table


def first(log: Log) -> MatchCreated:
    assert isinstance(log[0], MatchCreated)
    return log[0]


def nine(log: Log) -> Log:
    players = tuple(Player(f"P{n}", s) for n, s in enumerate(["south", "west", "north", "east"] * 2 + ["south"]))
    return [replace(first(log), players=players), *log[1:]]


def no_goal(log: Log) -> Log:
    deck = first(log).deck
    return [replace(first(log), deck=replace(deck, board=replace(deck.board, goal=0))), *log[1:]]  # type: ignore


def tables(log: Log, change: Callable[[TableRecorded], TableRecorded]) -> Log:
    return [change(e) if isinstance(e, TableRecorded) else e for e in log]


def strange_card(log: Log) -> Log:
    def change(e: TableRecorded) -> TableRecorded:
        pieces = (replace(e.table.placements[0], face="X99"), *e.table.placements[1:])
        return replace(e, table=replace(e.table, placements=pieces))

    return tables(log, change)


def endless_area(log: Log) -> Log:
    area = ((0.0, 0.0), (1e308, 0.0), (1e308, 1e308))
    return tables(log, lambda e: replace(e, table=replace(e.table, area=area)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (nine, "2 to 4 players"),
        (no_goal, "goal"),
        (strange_card, "no card X99"),
        (endless_area, "farther away"),
    ],
)
def test_what_could_not_be_written_here_is_refused(change: Callable[[Log], Log], why: str) -> None:
    """It folds, so nothing else would notice."""
    log = change(played().log)
    fold(log)
    with pytest.raises(LogError, match=why):
        check_log(log)


def test_a_card_named_by_hand_must_be_of_the_deck() -> None:
    """As it must be when it is named on the page."""
    table = played()
    table.say(DeclaredFace("nele", "plus"))
    check_log(table.log)
    told = table.log[-2]
    table.log[-2] = replace(told, move=replace(told.move, what=DeclaredFace("nele", "X99")))  # type: ignore
    with pytest.raises(LogError, match="no card X99"):
        check_log(table.log)


@pytest.mark.parametrize("file", [f for r in GAMES for f in playthroughs(r.game)], ids=lambda f: f"{f.parent.name}")
def test_whatever_was_played_is_taken(file: object) -> None:
    """Golden playthroughs pass as they are."""
    check_log([e for told in tell(file) for e in told.events])  # type: ignore[arg-type]
