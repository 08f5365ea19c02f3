"""A log of Cactus from elsewhere: what no set, no picture and no player could have told is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scoring.commands import AcceptTable, CreateMatch
from scoring.deck import CactusDeck, parse_deck
from scoring.errors import LogError, RefereeError
from scoring.events import Event, FactDeclared, MatchCreated, Player, TableAccepted
from scoring.games.cactus_match import CACTUS
from scoring.log_check import check_log
from scoring.moves import (
    Declared,
    DeclaredFace,
    DeclaredFall,
    DeclaredHung,
    DeclaredSpecials,
    DeclaredTouches,
    Fall,
)
from scoring.table import Contact, ContactKind, Placement, Pose, TableState
from tests.decks.cactus_sets import look, make_set

PLAYERS = (Player("Nele", "1"), Player("Max", "2"))
VIEW = ((-300.0, -260.0), (300.0, -260.0), (300.0, 60.0), (-300.0, 60.0))


@pytest.fixture(scope="module")
def deck() -> CactusDeck:
    """A set that is drawn the same each time."""
    parsed = parse_deck(make_set(look("tune-agave")), "tune-agave")
    assert isinstance(parsed, CactusDeck)
    return parsed


@pytest.fixture(scope="module")
def table(deck: CactusDeck) -> TableState:
    """Two pieces on a cactus, near each other."""
    first, second = list(deck.pieces)[:2]
    hung = tuple(
        Placement(p, p, Pose(30.0 * n, -60.0, 0.0, "K1"), (20.0, 20.0), 0.3, 0.99)
        for n, p in enumerate((first, second))
    )
    near = Contact(ContactKind.SAME_SHAPE, first, second, 0.4, 0.2, 0.1)
    return TableState(hung, VIEW, cacti=tuple(deck.cacti), contacts=(near,))


def log(deck: CactusDeck, event: Event) -> tuple[Event, ...]:
    """A match with one event."""
    options = CACTUS.check_setup(CreateMatch("", "cactus", PLAYERS, deck, {}))
    return MatchCreated(1, "", "cactus", PLAYERS, options, deck), event


def on(deck: CactusDeck, table: TableState) -> tuple[Event, ...]:
    """A match that begins with that table."""
    return log(deck, TableAccepted(2, "", 0, table))


def test_what_a_set_can_show_is_taken(deck: CactusDeck, table: TableState) -> None:
    """Whatever hangs or lies there, and a piece without a name."""
    lies = replace(table.placements[0], pose=Pose(0.0, 0.0, 0.0, "table"))
    nameless = replace(table.placements[1], face=None)
    for good in (table, replace(table, placements=(lies, nameless), contacts=(), cacti=())):
        check_log(on(deck, good))


@pytest.mark.parametrize("wrong", ["piece", "plane", "cacti", "gap", "sigma", "touching"])
def test_a_table_of_another_set_is_refused(deck: CactusDeck, table: TableState, wrong: str) -> None:
    """A piece or a cactus that it does not have, and contacts that cannot be measured."""
    one, contact = table.placements[0], table.contacts[0]
    bad = {
        "piece": replace(table, placements=(replace(one, face="ghost"),)),
        "plane": replace(table, placements=(replace(one, pose=replace(one.pose, plane="K9")),)),
        "cacti": replace(table, cacti=("K1", "K9")),
        "gap": replace(table, contacts=(replace(contact, gap_mm=1e308),)),
        "sigma": replace(table, contacts=(replace(contact, sigma_mm=-1.0),)),
        "touching": replace(table, contacts=(replace(contact, touching=7.0),)),
    }[wrong]
    with pytest.raises(LogError, match=r"no piece|no cactus|contact"):
        check_log(on(deck, bad))


@pytest.mark.parametrize(
    "what",
    [
        DeclaredFace("a", "ghost"),
        DeclaredHung("ghost", "K1"),
        DeclaredHung("", "K9"),
        DeclaredFall("ghost", Fall.FELL),
        DeclaredSpecials(("ghost",)),
        DeclaredTouches(-1_000_000),
        DeclaredTouches(1_000_000),
    ],
)
def test_a_statement_that_nobody_could_make_is_refused(deck: CactusDeck, what: Any) -> None:
    """The match itself would have refused it."""
    if isinstance(what, DeclaredHung) and not what.piece:
        what = replace(what, piece=next(iter(deck.pieces)))
    with pytest.raises(LogError, match=r"no piece|no cactus|touches"):
        check_log(log(deck, FactDeclared(2, "", 1, Declared(what))))


def test_a_table_with_a_cactus_of_another_set_begins_no_match(deck: CactusDeck, table: TableState) -> None:
    """Who states what stands there can name only what the set has."""
    play = CACTUS.begin(on(deck, table)[0])  # type: ignore[arg-type]  # the first event creates the match
    strange = replace(table, placements=(), contacts=(), cacti=("K1", "<script>"))
    with pytest.raises(RefereeError, match="There is no cactus"):
        CACTUS.decide(play, AcceptTable("", strange), 2)
