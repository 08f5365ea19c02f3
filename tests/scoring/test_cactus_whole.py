"""Whole games of Cactus, played by bots that keep their own account."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from scoring.events import Event
from scoring.match import MatchState, Step, decide, fold, rejudge
from tests.scoring.cactus_bot import DIE, Bot
from tests.scoring.cactus_bot import Step as Words
from tests.scoring.cactus_tables import set_of
from tests.scoring.story_cactus import Desk, command_of, summary

DECK = set_of()
HOUSES: tuple[dict[str, str], ...] = (
    {},
    {"claims": "strict"},
    {"fallen": "return"},
    {"specials": "none", "no_piece": "reroll"},
    {"claims": "strict", "fallen": "return", "no_piece": "reroll", "order": "K4,K2,K5,K1,K3"},
)


def played(bot: Bot, steps: Iterable[Words] = ()) -> list[Event]:
    """Play the bot's game against the match; what each step says must hold."""
    desk, state = Desk(DECK), fold(())
    log: list[Event] = []
    for number, step in enumerate(steps or bot.game()):
        seen = desk.laid(step)
        events = decide(state, command_of(seen, DECK, f"t{number}"))
        log += events
        state = after(state, events) if number else fold(log)
        then = {k: _plain(v) for k, v in step.get("then", {}).items()}
        said = {k: _plain(v) for k, v in summary(state, {**step, "then": then}).items()}
        assert said == then, (number, step)
    assert fold(log).play == state.play
    return log


def after(state: MatchState, events: Iterable[Event]) -> MatchState:
    """The match after some more events: the fold, one step at a time."""
    for event in events:
        play = state.rules.apply(state.play, event)
        state = replace(state, play=play, steps=(Step(event.step, event.at, ()),))
    return state


def _plain(value: object) -> object:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("house", HOUSES, ids=lambda h: "-".join(h) or "printed")
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_whole_games_agree_with_the_players_own_account(house: dict[str, str], players: int) -> None:
    """Flowers, supply, row, discards and what hangs, turn by turn to the end, for many rolls and slips."""
    order = house.get("order", "").split(",") if "order" in house else None
    for seed in range(2):
        bot = Bot(DECK, tuple("12345"[:players]), random.Random(f"{seed}-{players}-{house}"), house)
        bot.cacti = order or bot.cacti
        played(bot)
        assert bot.ended


def by_hand(steps: Iterable[Words]) -> Iterator[Words]:
    """The same game where no camera looks on: people state what hangs where and what fell."""
    rolling = False
    for step in steps:
        if step["do"] != "table":
            rolling = step["do"] == "pass the die"
            yield step
            continue
        if "hang" not in step and "fall" not in step:
            yield {**step, "do": "take the table"}
        for piece, cactus in step.get("hang", {}).items():
            yield {"do": "state hung", "piece": piece, "cactus": cactus}
        own = step.get("then", {}).get("pieces")
        for piece in sorted(step.get("fall", ())):
            if own is None:  # one that was in the hand is just hung again
                yield {"do": "state fall", "piece": piece, "is": "late" if rolling else "fell"}


@pytest.mark.parametrize("house", HOUSES, ids=lambda h: "-".join(h) or "printed")
def test_whole_games_can_be_played_without_a_camera(house: dict[str, str]) -> None:
    """What people state leads to the same account."""
    for seed in range(3):
        bot = Bot(DECK, ("1", "2", "3"), random.Random(seed), house)
        bot.cacti = house.get("order", "K1,K2,K3,K4,K5").split(",")
        played(bot, by_hand(bot.game()))
        assert bot.ended


def test_both_printed_ends_are_reached() -> None:
    """Bots that never slip end games by their last special piece, and by a roll for which no basic piece is left."""
    ends: Counter[str] = Counter()
    for seed in range(8):
        die = ("special",) * 4 + ("color", "shape") if seed % 2 else DIE
        bot = Bot(DECK, ("1", "3", "4"), random.Random(seed), clumsy=0.0, die=die)
        played(bot)
        ends[bot.ended] += 1
    assert set(ends) == {"basics", "specials"}


def test_whole_games_are_judged_again_the_same() -> None:
    """Today's rules find no difference in a log of today."""
    log = played(Bot(DECK, ("2", "5"), random.Random(5), {"claims": "strict"}, 0.4))
    assert len(log) > 40
    assert rejudge(log) == ()
