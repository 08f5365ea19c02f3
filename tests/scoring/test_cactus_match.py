"""Cactus by its printed sentences: set-up, die, pieces, cacti, the ends. K numbers are those of the readings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scoring.commands import CommandName, CreateMatch, FinishMatch, RecordTable, RollDie
from scoring.errors import RefereeError
from scoring.events import Player
from scoring.games.cactus_todo import Job, JobState, checklist
from scoring.match import decide, fold, legal_commands
from scoring.moves import CactusDie, DeclaredDie, DeclaredFlowers, DeclaredReroll, DeclaredSpecials, DieFace
from scoring.play import Phase
from scoring.verdicts import Call
from tests.scoring.cactus_game import DECK, Game, at_start
from tests.scoring.cactus_tables import table

BASICS = [p for p in DECK.pieces if not DECK.pieces[p].special]
SPECIALS = list(DECK.specials)


def of_color(color: str) -> set[str]:
    return {p for p in BASICS if DECK.pieces[p].color == color}


def of_shape(shape: str) -> set[str]:
    return {p for p in BASICS if DECK.pieces[p].shape == shape}


# Set-up


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_set_up(players: int) -> None:
    """Two to five players with three flowers each, ten in reserve, 25 basic pieces in a pile, ten specials in a row."""
    game = Game(players)
    assert game.flowers == {str(i): 3 for i in range(1, players + 1)}
    assert game.ledger.bank.reserve == 10
    assert len(game.ledger.supply) == 25
    assert game.ledger.row == tuple(SPECIALS)
    assert game.in_phase(Phase.TURN)


@pytest.mark.parametrize("players", [1, 6])
def test_one_player_or_six_are_too_few_and_too_many(players: int) -> None:
    """The material is for two to five."""
    people = tuple(Player(f"P{i}", str(i)) for i in range(1, players + 1))
    with pytest.raises(RefereeError, match="for 2 to 5 players"):
        decide(fold(()), CreateMatch("t", "cactus", people, DECK))


def test_turns_go_clockwise_from_the_first_player() -> None:
    """Seats are named clockwise; the first player may be any of them."""
    game = Game(3, start="2")
    seats = []
    for n, name in enumerate(("bar-red", "hook-red", "wedge-red", "stair-red"), start=1):
        seats.append(game.play.to_play)
        if n > 1:
            game.roll("color")
        game.hang(name, f"K{n}")
        game.pass_()
    assert seats == ["2", "3", "1", "2"]


def test_first_player_takes_any_basic_piece_and_any_cactus_without_a_roll() -> None:
    """K22: no roll, any basic piece, any cactus; a special piece is none."""
    game = Game()
    assert set(game.must.pieces) == set(BASICS)
    assert game.must.cacti == ("K1", "K2", "K3", "K4", "K5")
    assert CommandName.ROLL_DIE not in legal_commands(game.state)
    game.hang("cloud", "K4")
    assert game.calls("piece") == [Call.VIOLATION]
    game.take("cloud")
    game.hang("gate-blue", "K4")
    assert (game.calls("piece"), game.calls("cactus")) == ([Call.LEGAL], [Call.LEGAL])


def test_next_player_rolls_and_hangs_on_the_next_cactus_clockwise() -> None:
    """Strictly the next one, and after the last the first again."""
    game = Game(3)
    game.turns(("", "bar-red", "K4"), ("color", "hook-red", "K5"))
    assert game.in_phase(Phase.ROLLING)
    assert game.roll("color").cacti == ("K1",)
    game.hang("wedge-red", "K2")
    assert game.calls("cactus") == [Call.VIOLATION]
    assert game.verdicts("cactus")[0].facts == {"cactus": "K2", "expected": "K1"}
    assert game.costs == []
    assert not game.can_pass


def test_order_of_the_cacti() -> None:
    """K26: as stated; else as they stand from left to right at the start, where all are seen; else as the set says."""
    assert Game(order="K3,K1,K2,K5,K4").play.order == ("K3", "K1", "K2", "K5", "K4")
    game = Game()
    created = game.log[0]
    for seen, order in ((("K5", "K4", "K3", "K2", "K1"),) * 2, (("K5", "K4"), ("K1", "K2", "K3", "K4", "K5"))):
        state = fold((created, *decide(fold((created,)), RecordTable("t", table({}, cacti=seen)))))
        assert state.play is not None
        assert getattr(state.play, "order") == order  # noqa: B009  # the union of all games' states has none


# The die


def test_color_asks_for_a_basic_piece_of_the_color_hung_last() -> None:
    """COLOUR: a basic piece of the colour of the piece that the player before hung."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    must = game.roll("color")
    assert set(must.pieces) == of_color("red") - {"bar-red"}
    assert (must.asked.color, must.asked.reference) == ("red", "bar-red")
    game.hang("kettle", "K2")
    assert DECK.pieces["kettle"].color == "red"
    assert game.calls("piece") == [Call.VIOLATION], "a special piece is no basic one"


def test_shape_asks_for_a_basic_piece_of_the_shape_hung_last() -> None:
    """SHAPE: a basic piece of the shape of the piece that the player before hung."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    must = game.roll("shape")
    assert set(must.pieces) == of_shape("bar") - {"bar-red"}
    assert (must.asked.shape, must.asked.reference) == ("bar", "bar-red")


def test_after_a_special_piece() -> None:
    """K8, K9: COLOUR means the colour of that special; SHAPE the shape of the last basic piece."""
    game = Game()
    game.turns(("", "bar-blue", "K1"), ("special", "cloud", "K2"))
    assert set(game.roll("color").pieces) == of_color("red")
    game.undo()
    must = game.roll("shape")
    assert set(must.pieces) == of_shape("bar") - {"bar-blue"}
    assert must.asked.reference == "bar-blue"


def test_the_reference_is_remembered_though_it_fell() -> None:
    """K10: a piece that has fallen meanwhile is still the one hung last."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    game.fall("bar-red")
    game.see()
    assert game.ledger.hung == {}
    assert set(game.roll("color").pieces) == of_color("red") - {"bar-red"}


def test_two_exclamation_marks_mean_the_leftmost_special() -> None:
    """!!: the leftmost special piece of the row must be taken, no other."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    assert game.roll("special").pieces == ("cloud",)
    game.hang("drum", "K2")
    assert game.calls("piece") == [Call.VIOLATION]
    assert game.verdicts("piece")[0].facts["special"] == "cloud"
    game.take("drum")
    game.hang("cloud", "K2")
    assert game.calls("piece") == [Call.LEGAL]
    game.pass_()
    assert game.ledger.row == tuple(SPECIALS[1:])


def test_the_row_of_specials_can_be_stated_and_put_right() -> None:
    """Its order is that of the option, of the start where all are seen, or of the set; people may correct it."""
    order = tuple(reversed(SPECIALS))
    game = Game(row=", ".join(order))
    assert game.ledger.row == order
    game.turns(("", "bar-red", "K1"))
    game.say(DeclaredSpecials(tuple(SPECIALS)))
    assert game.roll("special").pieces == ("cloud",)
    game.hang("cloud", "K2")
    game.say(DeclaredSpecials(tuple(SPECIALS[:0:-1])))
    assert game.calls("piece") == [Call.LEGAL]
    game.pass_()
    assert game.ledger.row == tuple(SPECIALS[:0:-1])


def test_the_row_is_read_at_the_start() -> None:
    """Where all special pieces are seen to lie, the leftmost in the picture is the leftmost of the row."""
    game = Game()
    created = game.log[0]
    lying = table({}, lying=SPECIALS)
    state = fold((created, *decide(fold((created,)), RecordTable("t", lying))))
    row = getattr(state.play, "ledger").row  # noqa: B009
    by_x = sorted(SPECIALS, key=lambda s: lying.placement(s).pose.x_mm)
    assert [lying.placement(s).pose.x_mm for s in row] == [lying.placement(s).pose.x_mm for s in by_x]
    assert row != tuple(SPECIALS)


def test_the_die_is_told_once_and_put_right_by_people() -> None:
    """A second roll is refused; a misread die is corrected; the die of another game has other faces."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    with pytest.raises(RefereeError, match="The die of Cactus has no face 2x"):
        game.do(RollDie("t", DieFace.DOUBLE))
    game.roll("color")
    with pytest.raises(RefereeError, match="The die is not rolled now: no piece was hung in this turn"):
        game.roll("shape")
    game.hang("bar-blue", "K2")
    assert game.calls("piece") == [Call.VIOLATION]
    game.say(DeclaredDie(CactusDie.SHAPE))
    assert game.calls("piece") == [Call.LEGAL]


def test_a_piece_hung_before_the_roll_waits_for_it() -> None:
    """The die comes first; once it is told the same table is judged."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    game.hang("hook-red", "K2", see=False)
    astray = game.state.rules.out_of_step(game.play, game.table())
    assert astray is not None
    assert (astray.reason, astray.faces) == ("roll", ("hook-red",))
    with pytest.raises(RefereeError, match=r"The die comes first \(hook-red\)"):
        game.see()
    game.roll("color")
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert game.calls("piece") == [Call.LEGAL]


# Three ends


def test_no_valid_basic_piece_ends_the_game_at_that_roll() -> None:
    """K11: when no basic piece of the colour is left, the game ends; what was done before counts."""
    reds = sorted(of_color("red"))
    game = Game(hung=at_start(reds[:4]))
    game.turns(("", reds[4], "K1"))
    assert game.flowers == {"1": 5, "2": 3}
    game.do(RollDie("t", CactusDie.COLOR))
    assert game.ended() == "basics"
    assert game.in_phase(Phase.FINISHED)
    assert game.state.winners == ("1",)
    game.undo()
    assert game.in_phase(Phase.ROLLING)
    game.roll("special")
    assert game.in_phase(Phase.TURN)


def test_house_rule_the_die_is_rolled_again() -> None:
    """K11: by the option such a roll is void and repeated; with no basic piece at all the game ends."""
    reds = sorted(of_color("red"))
    game = Game(hung=at_start(reds[:4]), no_piece="reroll")
    game.turns(("", reds[4], "K1"))
    game.do(RollDie("t", CactusDie.COLOR))
    assert game.in_phase(Phase.ROLLING)
    assert [str(d) for d in game.turn.void] == ["color"]
    assert game.roll("shape").pieces
    every = Game(hung=at_start(BASICS[:-1]), no_piece="reroll")
    every.turns(("", BASICS[-1], "K1"))
    every.do(RollDie("t", CactusDie.COLOR))
    assert every.ended() == "basics"


def test_all_may_agree_to_repeat_a_roll_that_ended_the_match() -> None:
    """K11: without the option the players can agree on the spot; with no basic piece at all, or later, they cannot."""
    reds = sorted(of_color("red"))
    game = Game(hung=at_start(reds[:4]))
    game.turns(("", reds[4], "K1"))
    with pytest.raises(RefereeError, match="Only a roll"):
        game.say(DeclaredReroll())
    game.do(RollDie("t", CactusDie.COLOR))
    assert game.play.can_reroll
    game.say(DeclaredReroll())
    assert game.in_phase(Phase.ROLLING)
    assert [str(d) for d in game.turn.void] == ["color"]
    assert game.roll("shape").pieces
    game.undo()
    game.undo()
    assert game.ended() == "basics"
    every = Game(hung=at_start(BASICS[:-1]))
    every.turns(("", BASICS[-1], "K1"))
    every.do(RollDie("t", CactusDie.COLOR))
    with pytest.raises(RefereeError, match="Only a roll"):
        every.say(DeclaredReroll())


def test_last_special_ends_the_game_after_its_turn() -> None:
    """K12: the turn is finished with its rewards, then the game ends."""
    game = Game(hung=at_start(SPECIALS[:9]) | {"hook-violet": "K5"})
    game.turns(("", "bar-violet", "K1"))
    game.roll("special")
    game.hang("spur", "K2")
    assert game.ended() == ""
    game.pass_()
    assert game.ended() == "specials"
    assert game.flowers["2"] == 3
    assert game.in_phase(Phase.FINISHED)


def test_a_special_that_falls_before_the_turn_ends_goes_on_with_the_game() -> None:
    """K12: if one returns to the row in the turn in which the last was taken, the game goes on."""
    game = Game(hung=at_start(SPECIALS[:9]))
    game.turns(("", "bar-violet", "K1"))
    game.roll("special")
    game.fall("owl")
    game.hang("spur", "K2")
    game.pass_()
    assert game.ended() == ""
    assert game.ledger.row == ("owl",)


def test_all_flowers_on_side_three_end_the_game() -> None:
    """K24: 16 flowers of two players are worth 48 then."""
    game = Game()
    game.turns(("", "bar-red", "K1"))
    game.say(DeclaredFlowers("2", 6))
    game.say(DeclaredFlowers("1", 42))
    assert game.ended() == "", "the turn is finished first"
    game.turns(("color", "hook-red", "K2"))
    assert game.ended() == "flowers"
    assert game.state.winners == ("1",)


def test_most_flowers_win_and_equal_ones_share_the_victory() -> None:
    """K25: several champions."""
    game = Game(3)
    game.say(DeclaredFlowers("1", 7))
    game.say(DeclaredFlowers("3", 7))
    assert [s.place for s in game.state.standing] == [1, 1, 3]
    game.do(FinishMatch("t", early=False))
    assert game.state.winners == ("1", "3")


def test_whoever_has_nothing_plays_on() -> None:
    """At 0 flowers a player stays in and wins some again."""
    game = Game(2, hung={"hook-red": "K3", "wedge-red": "K4"})
    game.say(DeclaredFlowers("1", 0))
    game.hang("bar-red", "K1")
    game.pass_()
    assert game.flowers == {"1": 1, "2": 3}
    assert game.play.to_play == "2"


# What the next player must do


def test_checklist_leads_through_the_turn() -> None:
    """Roll, take, hang, put right, pass: one step at a time is to be done now."""
    game = Game()
    game.turns(("", "bar-red", "K1"))

    def now() -> list[Job]:
        return [t.job for t in checklist(game.play) if t.state is JobState.NOW]

    assert now() == [Job.ROLL]
    game.roll("shape")
    assert now() == [Job.TAKE]
    take = next(t for t in checklist(game.play) if t.job is Job.TAKE)
    assert set(take.pieces) == of_shape("bar") - {"bar-red"}
    assert take.facts["reference"] == "bar-red"
    game.hang("bar-blue", "K2", ("base", "bar-blue", None, 1.0))
    assert now() == [Job.FIX]
    fix = next(t for t in checklist(game.play) if t.job is Job.FIX)
    assert (fix.rule, fix.about) == ("cactus.touches-base", ("bar-blue",))
    game.push("bar-blue")
    game.touching()
    game.see()
    assert now() == [Job.PASS]
    game.pass_()
    assert now() == [Job.ROLL]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"claim": "coach"}, "Cactus has no option claim"),
        ({"claims": "maybe"}, "The option claims can be coach or strict, not maybe"),
        ({"sure": 1.5}, "The option sure can be from"),
        ({"order": "K1,K2"}, "The order of the cacti must name each once"),
        ({"row": "cloud"}, "The row of specials must name each once"),
        ({"order": 3}, "The option order is a list of names, not 3"),
        ({"start": "5"}, "Nobody sits at 5, who should start"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, str], words: str) -> None:
    """Each with the option at fault."""
    with pytest.raises(RefereeError, match=words):
        Game(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("say", "words"),
    [
        (lambda: DeclaredFlowers("9", 3), "Nobody sits at 9"),
        (lambda: DeclaredFlowers("1", -1), "There are not flowers worth -1"),
        (lambda: DeclaredFlowers("1", 999), "There are not flowers worth 999"),
    ],
)
def test_impossible_settings_are_refused(say: Callable[[], DeclaredFlowers], words: str) -> None:
    """Each with what there is."""
    with pytest.raises(RefereeError, match=words):
        Game().say(say())
