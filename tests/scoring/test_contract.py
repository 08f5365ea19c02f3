"""What every game owes: playthroughs, every rule id exercised, and rules that neither raise nor mutate."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import math
import random
from functools import cache

import pytest

from scoring.commands import CommandName, Undo
from scoring.deck import CactusDeck, Deck
from scoring.errors import RefereeError
from scoring.events import Event, encode
from scoring.match import MatchState, decide, fold, judge_live, legal_commands
from scoring.play import Phase
from scoring.rules import GAMES, Rules, rules_of
from scoring.table import Candidate, Contact, ContactKind, Placement, Pose, Side, TableState
from scoring.verdicts import Call, Ruling, RulingStatus
from tests.scoring.story import Told, command_name, command_of, load_deck, playthroughs, tell

IDS = [r.game for r in GAMES]
NAMES = {"clean", "violations", "uncertain"}


@cache
def stories(game: str) -> list[Told]:
    return [told for file in playthroughs(game) for told in tell(file)]


def rulings(game: str) -> list[Ruling]:
    found = []
    for told in stories(game):
        for event in told.events:
            ruling = getattr(event, "ruling", None)
            if ruling is not None:
                found.append(ruling)
    return found


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_a_game_has_three_golden_playthroughs(rules: Rules) -> None:
    """Clean, each violation once, an uncertain case."""
    assert {p.stem for p in playthroughs(rules.game)} >= NAMES


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_every_rule_id_is_exercised_and_no_other(rules: Rules) -> None:
    """A rule that no playthrough speaks of is a rule that nobody tried."""
    spoken = {v.rule for ruling in rulings(rules.game) for v in ruling.verdicts}
    assert spoken == set(rules.rule_ids)
    asked = {q.rule for ruling in rulings(rules.game) for q in ruling.questions}
    assert asked <= spoken


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_the_playthroughs_show_all_three_calls_and_statuses(rules: Rules) -> None:
    """Legal things are listed too, and a ruling that is replaced is kept as overruled."""
    assert {v.call for ruling in rulings(rules.game) for v in ruling.verdicts} == set(Call)
    kept = {v.status for told in stories(rules.game) for r in told.state.rounds for v in r.versions}
    assert kept == {RulingStatus.OVERRULED}


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_the_game_is_found_by_its_name(rules: Rules) -> None:
    """Names are unique, and an unknown one is refused with those that there are."""
    assert rules_of(rules.game) is rules
    with pytest.raises(RefereeError, match=rules.game):
        rules_of("chess")


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_commands_are_legal_exactly_where_the_page_is_told_so(rules: Rules) -> None:
    """A command of the stories is accepted where its button shows, and refused where it does not."""
    told_of = stories(rules.game)
    deck = load_deck(rules.game)
    tried: set[tuple[CommandName, Phase, bool]] = set()
    words = {told.step["do"]: told.step for told in told_of if "refused" not in told.step}
    for told in told_of:
        names = legal_commands(told.state)
        for step in words.values():
            name = command_name(step, rules.game)
            if name is None or (name, told.state.phase, name in names) in tried:
                continue
            possible = _accepts(told.state, step, deck)
            if name not in names:
                assert not possible, f"{name} in {told.state.phase}"
            elif name in SIMPLE:
                assert possible, f"{name} in {told.state.phase}"
            tried.add((name, told.state.phase, name in names))
    accepted = {command_name(told.step, rules.game) for told in told_of if told.events} - {None}
    assert accepted == {*rules.commands, CommandName.UNDO} - {CommandName.DECLARE, CommandName.EDIT_ROUND}
    for told in told_of:
        if told.events and (name := command_name(told.step, rules.game)) is not None:
            assert name in legal_commands(told.before), f"{name} in {told.before.phase}"
    assert {told.state.phase for told in told_of} | {Phase.SETUP} == {Phase.SETUP, *rules.phases}
    offered = {name for told in told_of for name in legal_commands(told.state)} | set(legal_commands(fold([])))
    assert offered == {*rules.commands, CommandName.CREATE_MATCH, CommandName.UNDO}


SIMPLE = (
    CommandName.START_RACE,
    CommandName.CONFIRM_ROUND,
    CommandName.FINISH_MATCH,
    CommandName.UNDO,
    CommandName.DRAW_TWO,
    CommandName.PASS,
    CommandName.ROLL_DIE,
    CommandName.END_TURN,
)
"""Commands that ask for nothing but themselves: where they are offered they are possible."""


def _accepts(state: MatchState, step: dict[str, object], deck: Deck) -> bool:
    try:
        return bool(decide(state, command_of(step, deck, "t")))
    except RefereeError:
        return False


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_judging_mutates_nothing_and_repeats_itself(rules: Rules) -> None:
    """The same question gets the same answer, and leaves match and table as they were."""
    for told in stories(rules.game):
        state = told.state
        for record in state.rounds[-1:]:
            if record.table is None or state.phase is not Phase.VERDICT or not told.events:
                continue
            before = copy.deepcopy((state, record.table))
            first = judge_live(state, record.table)
            assert judge_live(state, record.table) == first
            assert rules.audit(state.play, record.number) == record.ruling
            assert (state, record.table) == before


JUDGED = {
    "rox": (Phase.CHECKING, Phase.VERDICT),
    "conex": (Phase.TURN, Phase.VERDICT, Phase.ROLLING, Phase.ENDING),
    "cactus": (Phase.TURN, Phase.VERDICT, Phase.ROLLING),
}
"""Phases in which a live table may be judged."""


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
@pytest.mark.parametrize("seed", range(12))
def test_judging_never_raises_for_an_odd_table(rules: Rules, seed: int) -> None:
    """Unknown faces, equal places, no doubt or nothing but doubt: all of it is a value."""
    rng = random.Random(seed)
    deck = load_deck(rules.game)
    hangs = isinstance(deck, CactusDeck)
    faces = [*list(deck.pieces if isinstance(deck, CactusDeck) else deck.faces)[:8], "P01", "Q99", None]
    planes = [*deck.cacti, "table", "K99"] if isinstance(deck, CactusDeck) else ["table"]
    sizes = [(59.0, 92.0), (92.0, 59.0), (1.0, 1.0), (70.0, 70.0)]
    pieces = []
    for i in range(rng.choice([0, 1, 2, 12, 30])):
        pose = Pose(
            rng.choice([0.0, rng.uniform(0, 800)]),
            rng.uniform(0, 500),
            rng.choice([0.0, math.pi, rng.random()]),
            rng.choice(planes),
        )
        some = tuple(Candidate(rng.choice(faces), rng.random()) for _ in range(rng.randint(0, 3)))
        face, side = rng.choice(faces), rng.choice(list(Side))
        pieces.append(Placement(str(i), face, pose, rng.choice(sizes), 0.5, rng.random(), some, side=side))
    view = rng.choice([((0.0, 0.0), (800.0, 0.0), (800.0, 500.0), (0.0, 500.0)), ((0.0, 0.0),) * 4])
    contacts = [
        Contact(rng.choice(list(ContactKind)), a, rng.choice([b, None]), rng.random(), rng.random(), rng.random())
        for a, b in itertools.pairwise(rng.sample([p.key for p in pieces], len(pieces) // 2))
    ]
    table = TableState(tuple(pieces), view, contacts=tuple(contacts) if hangs else ())
    for told in stories(rules.game)[3::17]:
        ruling = judge_live(told.state, table)
        judged = told.state.phase in JUDGED[rules.game]
        assert judged or ruling == Ruling(ruling.game, RulingStatus.WITHHELD)
        if rules.game == "rox":
            assert not judged or ruling.status is RulingStatus.PROVISIONAL
        if ruling.status is not RulingStatus.WITHHELD:
            assert {v.rule for v in ruling.verdicts} <= set(rules.rule_ids)


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_undoing_everything_leads_back_to_the_beginning(rules: Rules) -> None:
    """Undo upon undo takes back step after step, and the log only grows."""
    for file in playthroughs(rules.game):
        log: list[Event] = [e for told in tell(file) for e in told.events]
        start = len(log)
        state = fold(log)
        while state.undoable:
            log += decide(state, Undo("later"))
            state = fold(log)
        assert state.rounds == ()
        assert state.created is not None
        assert len(log) > start
        assert len({e.step for e in log}) == state.next_step - 1


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_no_total_is_ever_stored(rules: Rules) -> None:
    """Nothing in the log is a sum of points; events are frozen."""
    for told in stories(rules.game):
        for event in told.events:
            assert "total" not in str(encode(event))
            with pytest.raises(dataclasses.FrozenInstanceError):
                event.at = "changed"  # type: ignore[misc]
