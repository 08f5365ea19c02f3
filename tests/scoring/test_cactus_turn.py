"""Placing in Cactus: contacts, base and table, falls, hands, rewards, claims. K numbers are those of the readings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.commands import RecordTable
from scoring.errors import RefereeError
from scoring.games.cactus_todo import Job, JobState, checklist
from scoring.moves import (
    DeclaredCall,
    DeclaredClaim,
    DeclaredContact,
    DeclaredFace,
    DeclaredFall,
    DeclaredHung,
    DeclaredImpossible,
    DeclaredTouches,
    Fall,
)
from scoring.play import Phase
from scoring.table import Candidate, ContactKind, Side
from scoring.verdicts import Call
from tests.scoring.cactus_game import Game
from tests.scoring.cactus_tables import piece

RED = {"hook-red": "K1", "wedge-red": "K3"}


def opened(hung: dict[str, str] | None = None, **options: str) -> Game:
    """Two players; the first has hung the blue bar on K1 and the second is to hang a blue piece on K2."""
    game = Game(2, hung, **options)
    game.turns(("", "bar-blue", "K1"))
    game.roll("color")
    return game


# Contacts


@pytest.mark.parametrize(
    ("kind", "other", "rule"), [("color", "gate-blue", "same-color"), ("shape", "hook-red", "same-shape")]
)
def test_equal_pieces_that_touch_are_put_right_in_the_turn(kind: str, other: str, rule: str) -> None:
    """Equal colours and equal shapes never touch: it costs nothing, but the die stays until it is put right."""
    game = opened({other: "K2"})
    game.hang("hook-blue", "K2", (kind, "hook-blue", other, 1.0))
    assert game.calls(rule) == [Call.VIOLATION]
    assert game.costs == []
    with pytest.raises(RefereeError, match="before what is wrong is put right"):
        game.pass_()
    game.push("hook-blue")
    game.touching((kind, "hook-blue", other, 0.0))
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert game.calls(rule) == [Call.LEGAL]
    game.pass_()
    assert game.flowers == {"1": 3, "2": 4 if kind == "color" else 3}


def test_a_contact_of_others_on_the_cactus_is_put_right_too() -> None:
    """K18: whoever made it; with the own piece, which may push others."""
    game = opened({"hook-red": "K2", "bar-red": "K2"})
    game.hang("gate-blue", "K2", ("color", "hook-red", "bar-red", 1.0))
    assert game.calls("same-color") == [Call.VIOLATION]
    assert game.verdicts("same-color")[0].facts["a"] == "hook-red"
    game.push("hook-red", dx=9)
    game.touching()
    game.see()
    assert game.calls("same-color") == []
    assert game.can_pass


def test_a_contact_on_another_cactus_is_nobodys_fault() -> None:
    """K18: what is seen only later, or elsewhere, is not this player's."""
    game = opened({"hook-red": "K4", "bar-red": "K4"})
    game.hang("gate-blue", "K2", ("color", "hook-red", "bar-red", 1.0))
    assert game.calls("same-color") == []
    assert game.can_pass


def test_special_pieces_never_have_an_equal_shape() -> None:
    """They are all unlike; equal colour counts for them, unless the table plays otherwise (K2)."""
    game = opened({"kettle": "K2", "hook-red": "K2"})
    touch = (("shape", "kettle", "hook-red", 1.0), ("color", "kettle", "hook-red", 1.0))
    game.hang("gate-blue", "K2", *touch)
    assert (game.calls("same-shape"), game.calls("same-color")) == ([], [Call.VIOLATION])
    house = opened({"kettle": "K2", "hook-red": "K2"}, specials="none")
    house.hang("gate-blue", "K2", *touch)
    assert house.calls("same-color") == []


def test_a_doubtful_contact_asks_and_does_not_block() -> None:
    """A contact that one view cannot settle is asked; the die may be passed without an answer."""
    game = opened({"gate-blue": "K2"})
    game.hang("hook-blue", "K2", ("color", "gate-blue", "hook-blue", 0.5))
    assert game.calls("same-color") == [Call.UNCERTAIN]
    assert [(q.rule, q.blocking) for q in game.ruling.questions] == [("cactus.same-color", False)]
    assert [(t.job, t.state) for t in checklist(game.play)][-2:] == [
        (Job.ANSWER, JobState.MAY),
        (Job.PASS, JobState.NOW),
    ]
    game.pass_()
    assert game.flowers == {"1": 3, "2": 4}


@pytest.mark.parametrize("touching", [True, False])
def test_what_people_say_of_a_contact_settles_it(touching: bool) -> None:
    """In either direction, whatever the camera measured."""
    game = opened({"gate-blue": "K2"})
    game.hang("hook-blue", "K2", ("color", "gate-blue", "hook-blue", 0.0 if touching else 1.0))
    game.say(DeclaredContact(ContactKind.SAME_COLOR, "hook-blue", "gate-blue", touching))
    assert game.calls("same-color") == [Call.VIOLATION if touching else Call.LEGAL]
    assert game.can_pass is not touching


def test_what_people_said_of_a_contact_holds_as_long_as_both_hang_still() -> None:
    """Nobody is asked again in the next round; when a piece was moved, the camera has the word again."""
    game = opened({"gate-blue": "K2"})
    game.hang("hook-blue", "K2", ("color", "gate-blue", "hook-blue", 1.0))
    game.say(DeclaredContact(ContactKind.SAME_COLOR, "gate-blue", "hook-blue", False))
    game.pass_()
    game.turns(*(("color", f"{s}-blue", f"K{n}") for n, s in ((3, "wedge"), (4, "stair"))))
    game.turns(("special", "cloud", "K5"), ("color", "gate-red", "K1"))
    game.roll("color")
    game.hang("bar-red", "K2", see=False)
    game.touching(("color", "gate-blue", "hook-blue", 1.0))
    game.see()
    assert game.calls("same-color") == [Call.LEGAL]
    game.push("gate-blue")
    game.see()
    assert game.calls("same-color") == [Call.VIOLATION]


# Base and table


@pytest.mark.parametrize(("kind", "rule"), [("base", "touches-base"), ("table", "touches-table")])
def test_own_piece_on_base_or_table_is_hung_again(kind: str, rule: str) -> None:
    """Your piece touches neither base nor ground: place it again, without a penalty."""
    game = opened()
    game.hang("hook-blue", "K2", (kind, "hook-blue", None, 1.0))
    assert game.calls(rule) == [Call.VIOLATION]
    assert game.costs == []
    assert not game.can_pass
    game.push("hook-blue")
    game.touching((kind, "hook-blue", None, 0.05))
    game.see()
    assert game.calls(rule) == [Call.LEGAL]
    assert game.can_pass


def test_another_piece_pushed_onto_the_base_has_fallen() -> None:
    """K16: it costs a flower and is out; where that is in doubt it asks and costs nothing."""
    game = opened({"hook-red": "K2"})
    game.push("hook-red", dy=14)
    game.hang("hook-blue", "K2", ("base", "hook-red", None, 1.0))
    assert game.calls("touches-base") == []
    assert game.costs == [("fallen", 1)]
    game.pass_()
    assert game.flowers == {"1": 3, "2": 2}
    assert game.ledger.discarded == ("hook-red",)
    doubt = opened({"hook-red": "K2"})
    doubt.push("hook-red", dy=14)
    doubt.hang("hook-blue", "K2", ("base", "hook-red", None, 0.6))
    assert doubt.calls("fallen") == [Call.UNCERTAIN]
    doubt.pass_()
    assert doubt.flowers == {"1": 3, "2": 3}
    assert "hook-red" in doubt.ledger.hung


def test_what_lay_on_the_base_before_was_pushed_by_nobody_now() -> None:
    """A piece that touched the base when the turn began costs nothing later."""
    game = opened()
    game.hang("hook-blue", "K2", ("base", "hook-blue", None, 1.0))
    game.say(DeclaredCall("hook-blue", Call.LEGAL))
    assert not game.can_pass, "what is on the base is hung again; only piece and cactus can be allowed"
    game.say(DeclaredContact(ContactKind.BASE, "hook-blue", None, False))
    game.pass_()
    game.roll("color")
    game.hang("gate-blue", "K3", ("base", "hook-blue", None, 1.0))
    assert [c for c in game.calls("fallen") if c is Call.VIOLATION] == []


# Falls


def test_fallen_pieces_cost_one_each_and_cancel_the_rewards() -> None:
    """One flower for each fallen piece, from any cactus (K23), and no flowers in this turn; basics are out."""
    game = opened({"gate-blue": "K4", "bar-red": "K2", "hook-red": "K5"})
    game.fall("bar-red", "hook-red")
    game.hang("hook-blue", "K2")
    assert game.costs == [("fallen", 1), ("fallen", 1)]
    assert game.earned == []
    assert game.verdicts("color-count")[0].facts["cancelled"] == 1
    game.pass_()
    assert game.flowers == {"1": 3, "2": 1}
    assert set(game.ledger.discarded) == {"bar-red", "hook-red"}
    assert not {"bar-red", "hook-red"} & set(game.ledger.supply)


def test_long_game_basics_go_back_to_the_supply() -> None:
    """K13: by the option fallen basic pieces can be taken again, at once."""
    game = opened({"bar-red": "K2"}, fallen="return")
    game.fall("bar-red")
    game.hang("hook-blue", "K2")
    game.pass_()
    assert game.ledger.discarded == ()
    assert "bar-red" in game.ledger.supply


def test_specials_go_to_the_far_right_of_their_row() -> None:
    """Always, in the order of their falls, and it does not matter whose turn it is."""
    game = opened({"cloud": "K2", "drum": "K3"})
    assert game.ledger.row[:2] == ("comet", "feather")
    game.fall("drum")
    game.see()
    game.fall("cloud")
    game.hang("hook-blue", "K2")
    game.pass_()
    assert game.ledger.row[-2:] == ("drum", "cloud")
    assert game.flowers["2"] == 1


def test_own_piece_that_falls_is_hung_again_for_free() -> None:
    """K20: no penalty, no reward lost; the same piece must be hung to close the turn."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2")
    game.fall("hook-blue")
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert game.in_phase(Phase.TURN)
    assert (game.costs, game.must.pieces, game.must.held) == ([], ("hook-blue",), "hook-blue")
    game.hang("wedge-blue", "K2")
    assert game.calls("piece") == [Call.VIOLATION]
    game.take("wedge-blue")
    game.hang("hook-blue", "K2")
    assert game.earned == ["color-3"]
    game.pass_()
    assert game.flowers == {"1": 3, "2": 4}


def test_late_fall_costs_nobody() -> None:
    """K21: once the die was passed nobody pays; the piece is out, and the next player is not held for it."""
    game = opened({"bar-red": "K4"})
    game.hang("hook-blue", "K2")
    game.pass_()
    game.fall("bar-red")
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert game.in_phase(Phase.ROLLING)
    assert game.turn.late == ("bar-red",)
    game.roll("color")
    game.hang("gate-blue", "K3")
    assert game.earned == ["color-3"]
    game.pass_()
    assert game.flowers == {"1": 4, "2": 3}
    assert game.ledger.discarded == ("bar-red",)


def test_a_piece_out_of_sight_is_asked_about() -> None:
    """It may hang behind another: no penalty from one view, and the answer settles it."""
    answers: tuple[tuple[Fall, list[tuple[str, int]], list[str]], ...] = (
        (Fall.FELL, [("fallen", 1)], []),
        (Fall.LATE, [], ["color-3"]),
        (Fall.HANGS, [], ["color-3"]),
    )
    for what, costs, earned in answers:
        game = opened({"gate-blue": "K4", "bar-red": "K2"})
        game.take("bar-red")
        game.hang("hook-blue", "K2", before="bar-red")
        assert game.calls("fallen") == [Call.UNCERTAIN]
        assert (game.costs, game.earned) == ([], [])
        with pytest.raises(RefereeError, match="before the open questions are answered"):
            game.pass_()
        game.say(DeclaredFall("bar-red", what))
        assert (game.costs, game.earned) == (costs, earned), what
        game.pass_()
        assert ("bar-red" in game.ledger.hung) is (what is Fall.HANGS)


def test_a_piece_whose_place_is_empty_has_fallen() -> None:
    """Nothing hangs before it, and it was well to be seen: it fell, wherever it lies now."""
    game = opened({"gate-blue": "K4", "bar-red": "K2"})
    game.take("bar-red")
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert (game.costs, game.in_phase(Phase.TURN)) == ([("fallen", 1)], True)
    game.hang("hook-blue", "K2", before="bar-red")
    assert (game.costs, game.earned) == ([("fallen", 1)], [])
    game.pass_()
    assert game.ledger.discarded == ("bar-red",)


@pytest.mark.parametrize(("visible", "confidence"), [(0.3, 1.0), (1.0, 0.7)])
def test_a_piece_that_was_hardly_seen_is_no_certain_fall(visible: float, confidence: float) -> None:
    """What was half hidden or hardly read before is asked about when it is gone."""
    game = Game(2, {"bar-red": "K2"})
    game.hung["bar-red"] = replace(game.hung["bar-red"], visible=visible, confidence=confidence)
    game.hang("bar-blue", "K1")
    game.pass_()
    game.roll("color")
    game.take("bar-red")
    game.hang("hook-blue", "K2")
    assert game.calls("fallen") == [Call.UNCERTAIN]


def test_a_late_fall_that_was_none_is_taken_back() -> None:
    """A piece that hangs again before or after the roll hangs, and nobody is asked: nobody paid."""
    game = opened({"bar-red": "K4"})
    game.hang("hook-blue", "K2")
    game.pass_()
    game.take("bar-red")
    game.see()
    assert list(game.turn.late) == ["bar-red"]
    game.hang("bar-red", "K4")
    assert not game.turn.late
    game.take("bar-red")
    game.see()
    game.roll("color")
    game.hang("bar-red", "K4", see=False)
    game.hang("gate-blue", "K3")
    assert game.calls("fallen") == []
    assert game.ledger.hung["bar-red"] == "K4"


def test_a_hidden_piece_is_not_asked_about_again() -> None:
    """Once people said that it hangs, it hangs until it is seen to lie."""
    game = opened({"bar-red": "K2"})
    game.take("bar-red")
    game.hang("hook-blue", "K2", before="bar-red")
    game.say(DeclaredFall("bar-red", Fall.HANGS))
    game.pass_()
    assert game.turn.hidden == ("bar-red",)
    game.roll("color")
    game.hang("gate-blue", "K3")
    assert game.calls("fallen") == []
    game.pass_()
    game.roll("color")
    game.hang("wedge-blue", "K4")
    assert game.calls("fallen") == []
    game.fall("bar-red")
    game.see()
    assert game.costs == [("fallen", 1)]


@pytest.mark.parametrize(("visible", "calls"), [(0.3, []), (0.9, [Call.VIOLATION])])
def test_a_hidden_piece_that_shows_a_little_is_not_asked_about_again(visible: float, calls: list[Call]) -> None:
    """What people said holds while little of the piece is seen; once it was seen well it is missed again."""
    game = opened({"bar-red": "K2"})
    was = game.hung["bar-red"]
    game.take("bar-red")
    game.hang("hook-blue", "K2", before="bar-red")
    game.say(DeclaredFall("bar-red", Fall.HANGS))
    game.pass_()
    game.hung["bar-red"] = replace(was, visible=visible)
    game.roll("color")
    game.hang("gate-blue", "K3")
    game.pass_()
    game.roll("color")
    game.take("bar-red")
    game.hang("wedge-blue", "K4")
    assert game.calls("fallen") == calls


def test_pieces_on_a_cactus_out_of_the_picture_are_not_missed() -> None:
    """A camera that shows the active cactus only says nothing of the others."""
    game = opened({"bar-red": "K4"})
    game.hang("hook-blue", "K2", see=False)
    seen = game.table()
    only = tuple(p for p in seen.placements if p.pose.plane == "K2")
    game.do(RecordTable("t", replace(seen, placements=only, cacti=("K2",))))
    assert game.calls("fallen") == []
    game.pass_()
    assert game.ledger.hung == {"bar-red": "K4", "bar-blue": "K1", "hook-blue": "K2"}


def test_a_piece_that_lay_and_hangs_again_is_asked_about() -> None:
    """It was put back, or the first look was wrong: the players say."""
    game = opened({"bar-red": "K4"})
    game.fall("bar-red")
    game.see()
    assert game.costs == [("fallen", 1)]
    game.hang("bar-red", "K4", see=False)
    game.hang("hook-blue", "K2")
    assert game.calls("fallen") == [Call.UNCERTAIN]
    assert game.costs == []


def test_a_piece_that_fell_and_hangs_again_before_any_is_hung_is_asked_about_at_once() -> None:
    """What is seen to hang is never charged as fallen, whoever has not hung a piece yet."""
    game = opened({"gate-blue": "K4", "bar-red": "K2"})
    game.take("bar-red")
    game.see()
    assert game.costs == [("fallen", 1)]
    game.hang("bar-red", "K2", see=False)
    assert game.state.rules.news(game.play, game.table())
    game.see()
    assert (game.calls("fallen"), game.costs) == ([Call.UNCERTAIN], [])
    assert not game.state.rules.news(game.play, game.table()), "once is enough"
    game.say(DeclaredFall("bar-red", Fall.FELL))
    assert game.costs == [("fallen", 1)]


@pytest.mark.parametrize(("others", "call"), [(("bar-red", "hook-blue"), Call.UNCERTAIN), (("hook-blue",), None)])
def test_a_piece_that_may_hang_elsewhere_is_asked_about(others: tuple[str, ...], call: Call | None) -> None:
    """Its place is empty, and something that was not certainly read hangs: where that may be it, nobody pays yet."""
    game = opened({"bar-red": "K2"})
    game.take("bar-red")
    game.hang("hook-blue", "K2", see=False)
    candidates = tuple(Candidate(f, 0.9 / len(others)) for f in others)
    game.hung["hook-blue"] = replace(game.hung["hook-blue"], face=None, confidence=0.6, candidates=candidates)
    game.see()
    assert game.calls("fallen") == [call or Call.VIOLATION]
    assert game.costs == ([] if call else [("fallen", 1)])


def test_what_is_read_as_a_hung_piece_in_the_supply_is_no_fall() -> None:
    """A piece of the supply that was read under that name before is another one."""
    game = opened({"bar-red": "K4"})
    game.hung["bar-red"] = replace(game.hung["bar-red"], visible=0.3)
    game.lying["twin"] = replace(piece("bar-red", "table"), key="twin")
    game.hang("hook-blue", "K2")
    game.pass_()
    game.take("bar-red")
    game.roll("color")
    game.hang("gate-blue", "K3")
    assert game.calls("fallen") == [Call.UNCERTAIN]


def test_people_put_right_what_fell() -> None:
    """A piece that is said not to have fallen costs nothing; one that fell though it hangs costs one."""
    game = opened({"bar-red": "K4", "hook-red": "K5"})
    game.fall("bar-red")
    game.hang("hook-blue", "K2")
    game.say(DeclaredFall("bar-red", Fall.HANGS))
    assert game.costs == []
    game.say(DeclaredFall("hook-red", Fall.FELL))
    assert game.costs == [("fallen", 1)]
    with pytest.raises(RefereeError, match="did not hang when the turn began"):
        game.say(DeclaredFall("gate-red", Fall.FELL))


# Hands


def test_each_touch_of_the_hand_costs_one_and_rewards_still_count() -> None:
    """K15: the base may be held; touching cactus or pieces costs one each time, and the reward stays."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2")
    game.say(DeclaredTouches(2))
    assert (game.costs, game.earned) == ([("hand", 2)], ["color-3"])
    game.pass_()
    assert game.flowers == {"1": 3, "2": 2}


def test_what_a_turn_costs_is_paid_before_it_brings_anything() -> None:
    """K14: with nothing left the penalty stops at nothing, and the reward is paid in full."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2")
    game.say(DeclaredTouches(9))
    game.pass_()
    assert game.flowers == {"1": 3, "2": 1}
    assert game.ledger.changes["2"] == (-2,)


# Claims


def test_coach_announces_and_strict_waits_for_the_claim() -> None:
    """K7: in strict mode nothing is told before the claim, and what is not claimed is lost with the die."""
    coach = opened({"gate-blue": "K4"})
    coach.hang("hook-blue", "K2")
    assert coach.earned == ["color-3"]
    strict = opened({"gate-blue": "K4"}, claims="strict")
    strict.hang("hook-blue", "K2")
    assert strict.earned == []
    assert not any(v.facts.get("why") for v in strict.ruling.verdicts)
    strict.pass_()
    assert strict.flowers == {"1": 3, "2": 3}


def test_right_and_false_claims() -> None:
    """K7: a right claim is paid, a false one costs nothing; claims add up until the die is passed."""
    game = opened({"gate-blue": "K4", "hook-red": "K3", "hook-green": "K5"}, claims="strict")
    game.hang("hook-blue", "K2")
    game.say(DeclaredClaim(("shape-3", "all-colors")))
    assert game.earned == ["shape-3"]
    assert sorted(game.calls("claim")) == sorted([Call.LEGAL, Call.VIOLATION])
    assert game.costs == []
    game.say(DeclaredClaim(("color-3",)))
    assert game.earned == ["color-3", "shape-3"]
    with pytest.raises(RefereeError, match="Nobody can claim color-4"):
        game.say(DeclaredClaim(("color-4",)))
    game.pass_()
    assert game.flowers == {"1": 3, "2": 5}


def test_a_total_that_drops_and_returns_pays_again() -> None:
    """K6: the third of a colour is the third once more after a fall."""
    game = Game(2, {"hook-red": "K3", "wedge-red": "K4"})
    game.turns(("", "bar-red", "K1"))
    assert game.flowers["1"] == 4
    game.fall("wedge-red")
    game.see()
    game.roll("color")
    game.hang("gate-red", "K2")
    assert game.earned == ["color-3"]


def test_rewards_of_one_turn_add_up() -> None:
    """K4: third of a colour, third of a shape and all five colours on one cactus: four flowers."""
    hung = {"gate-orange": "K2", "wedge-red": "K2", "stair-green": "K2", "cloud": "K2", "gourd": "K2", "drum": "K4"}
    game = opened({**hung, "hook-red": "K3", "hook-green": "K4", "stair-blue": "K5"})
    game.hang("hook-blue", "K2")
    assert game.earned == ["color-3", "shape-3", "all-colors"]
    game.pass_()
    assert game.flowers["2"] == 7


# What cannot be put right, what is allowed, what is corrected


def test_where_all_agree_that_it_is_impossible_the_piece_is_given_up() -> None:
    """K19: taken back and discarded, no reward, no penalty; the turn passes on to the next cactus."""
    game = opened({"gate-blue": "K2"})
    game.hang("hook-blue", "K2", ("color", "hook-blue", "gate-blue", 1.0))
    assert game.earned == ["color-3"]
    game.say(DeclaredImpossible())
    assert (game.earned, game.costs, game.calls("impossible")) == ([], [], [Call.LEGAL])
    game.take("hook-blue")
    assert not game.state.rules.news(game.play, game.table())
    game.pass_()
    assert game.flowers == {"1": 3, "2": 3}
    assert game.ledger.discarded == ("hook-blue",)
    assert game.ledger.last == "bar-blue"
    assert game.must.cacti == ("K3",)


def test_a_special_that_is_given_up_goes_back_to_its_row() -> None:
    """K13, K19: always back, at the far right."""
    game = Game(2, {"hook-red": "K2"})
    game.turns(("", "bar-blue", "K1"))
    game.roll("special")
    game.hang("cloud", "K2", ("color", "cloud", "hook-red", 1.0))
    game.say(DeclaredImpossible())
    game.pass_()
    assert game.ledger.row[-1] == "cloud"
    assert game.ledger.discarded == ()


def test_players_may_allow_a_wrong_piece_or_cactus() -> None:
    """A violation is no penalty: the table may let it pass, and the next cactus is counted from there."""
    game = opened()
    game.hang("hook-red", "K4")
    assert (game.calls("piece"), game.calls("cactus")) == ([Call.VIOLATION], [Call.VIOLATION])
    game.say(DeclaredCall("hook-red", Call.LEGAL))
    assert (game.calls("piece"), game.calls("cactus")) == ([Call.LEGAL], [Call.LEGAL])
    game.pass_()
    assert game.must.cacti == ("K5",)
    assert game.ledger.last == "hook-red"


def test_a_misread_piece_is_named_by_people() -> None:
    """The name that people give counts for the roll, the totals and the row; the camera may go on misreading it."""
    game = opened()
    game.hang("hook-red", "K2")
    game.say(DeclaredFace("hook-red", "hook-blue"))
    assert game.calls("piece") == [Call.LEGAL]
    assert game.ledger.totals.colors["blue"] == 2
    game.pass_()
    assert "hook-blue" in game.ledger.hung
    assert "hook-red" in game.ledger.supply
    game.roll("color")
    game.hang("gate-blue", "K3")
    assert game.ledger.hung == {"bar-blue": "K1", "hook-blue": "K2", "gate-blue": "K3"}
    assert game.earned == ["color-3"]


def test_an_earlier_piece_gets_its_right_name_later() -> None:
    """What follows from the name follows anew: totals, supply and what the roll asks for."""
    game = opened()
    game.hang("hook-blue", "K2")
    game.pass_()
    game.roll("shape")
    game.say(DeclaredFace("hook-blue", "gate-blue"), turn=2)
    assert game.ledger.hung == {"bar-blue": "K1", "gate-blue": "K2"}
    assert set(game.must.pieces) == {"gate-red", "gate-orange", "gate-green", "gate-violet"}
    assert "hook-blue" in game.ledger.supply
    with pytest.raises(RefereeError, match="hangs already"):
        game.say(DeclaredFace("hook-blue", "bar-blue"), turn=2)


def test_an_earlier_name_changes_what_later_turns_earned() -> None:
    """The third of a colour was none, or was one after all: the rulings in between follow, all in one step."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2")
    game.pass_()
    assert game.flowers == {"1": 3, "2": 4}
    game.roll("color")
    game.hang("wedge-blue", "K3")
    assert game.earned == []
    game.pass_()
    game.roll("shape")
    key = game.play.table.placement("gate-blue").key if game.play.table else ""
    game.say(DeclaredFace(key, "gate-red"))
    assert game.ledger.hung["gate-red"] == "K4"
    assert game.ledger.totals.colors["blue"] == 3
    assert game.flowers == {"1": 4, "2": 3}
    assert [a.item for t in game.play.turns[:3] if t.ruling for a in t.ruling.awards] == ["color-3"]
    game.undo()
    assert game.flowers == {"1": 3, "2": 4}


def test_a_piece_of_an_earlier_turn_is_named_without_its_turn() -> None:
    """Whoever taps a hung piece need not know when it was hung: that turn is put right."""
    game = opened()
    game.hang("hook-blue", "K2")
    game.pass_()
    game.roll("color")
    game.say(DeclaredFace("hook-blue", "gate-blue"))
    assert game.play.turns[1].own == "gate-blue"
    assert game.ledger.hung == {"bar-blue": "K1", "gate-blue": "K2"}
    with pytest.raises(RefereeError, match="hangs already"):
        game.say(DeclaredFace("hook-blue", "bar-blue"))
    with pytest.raises(RefereeError, match="say which one it really is"):
        game.say(DeclaredFace("hook-blue", None))
    game.hang("wedge-blue", "K3")
    assert game.calls("fallen") == []
    assert game.earned == ["color-3"]


def test_a_table_that_is_taken_as_it_lies_asks_for_the_roll_again_where_no_piece_is_left() -> None:
    """Then the roll that finds no piece ends the game as printed."""
    game = Game()
    game.turns(("", "bar-blue", "K1"))
    game.roll("color")
    for n, shape in enumerate(("hook", "wedge", "stair", "gate"), start=2):
        game.hang(f"{shape}-blue", f"K{n}", see=False)
    game.accept()
    assert game.in_phase(Phase.ROLLING)


def test_an_earlier_turn_is_put_right() -> None:
    """Falls, touches and claims of a turn that is over: the flowers follow, the old ruling is kept."""
    game = opened({"gate-blue": "K4", "bar-red": "K2"})
    game.fall("bar-red")
    game.hang("hook-blue", "K2")
    game.pass_()
    assert game.flowers == {"1": 3, "2": 2}
    game.say(DeclaredFall("bar-red", Fall.LATE), turn=2)
    assert game.flowers == {"1": 3, "2": 4}
    assert [r.penalties[0].points for r in game.play.turns[1].versions] == [1]
    game.say(DeclaredTouches(1), turn=2)
    assert game.flowers == {"1": 3, "2": 3}
    with pytest.raises(RefereeError, match="Turn 2 is over: that cannot be corrected in it"):
        game.say(DeclaredImpossible(), turn=2)
    with pytest.raises(RefereeError, match="Turn 7 has not been played"):
        game.say(DeclaredTouches(1), turn=7)


def test_a_piece_that_no_camera_sees_is_stated() -> None:
    """People say what was hung where; it counts, and it is not missed in later pictures."""
    game = opened({"gate-blue": "K4"})
    game.say(DeclaredHung("hook-blue", "K2"))
    assert game.in_phase(Phase.VERDICT)
    assert game.earned == ["color-3"]
    assert not game.state.rules.news(game.play, game.table())
    game.pass_()
    game.roll("color")
    game.hang("wedge-blue", "K3")
    assert game.calls("fallen") == []
    assert game.ledger.hung["hook-blue"] == "K2"


def test_a_piece_without_a_name_asks() -> None:
    """Nothing is earned and the die is not passed before it has one."""
    game = opened({"gate-blue": "K4"})
    game.hung["?"] = replace(piece("?", "K2"), face=None)
    game.see()
    assert game.calls("piece") == [Call.UNCERTAIN]
    assert not game.can_pass
    game.say(DeclaredFace("?", "hook-blue"))
    assert (game.calls("piece"), game.earned) == ([Call.LEGAL], ["color-3"])


def test_a_fairly_sure_name_is_taken_where_nothing_else_may_be_taken() -> None:
    """The right piece is nearly always taken: what else it is read as, and may not be, weighs little."""
    others = (("bar-orange", Call.LEGAL), ("wedge-blue", Call.UNCERTAIN))
    for other, call in others:
        game = opened()
        game.hang("hook-blue", "K2", see=False)
        readings = (Candidate("hook-blue", 0.7), Candidate(other, 0.3))
        game.hung["hook-blue"] = replace(game.hung["hook-blue"], confidence=0.7, candidates=readings)
        game.see()
        assert game.calls("piece") == [call], other


def test_a_piece_may_hang_with_its_back_outwards() -> None:
    """Both sides are painted alike: it is named, counted and judged like any other."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2", see=False)
    game.hung["hook-blue"] = replace(game.hung["hook-blue"], side=Side.BACK, confidence=0.95)
    game.see()
    assert (game.calls("piece"), game.earned) == ([Call.LEGAL], ["color-3"])


@pytest.mark.parametrize("confidence", [0.55, 0.95])
def test_a_doubtful_name_asks_before_it_breaks_a_rule(confidence: float) -> None:
    """Only a piece that is certainly another one is a wrong one."""
    game = opened()
    game.hang("hook-red", "K2", see=False)
    game.hung["hook-red"] = replace(game.hung["hook-red"], confidence=confidence)
    game.see()
    assert game.calls("piece") == [Call.VIOLATION if confidence > 0.9 else Call.UNCERTAIN]


# Out of step


def test_more_than_one_new_piece_is_out_of_step() -> None:
    """Nothing is guessed: which one is this turn's is not known."""
    game = opened()
    game.hang("hook-blue", "K2", see=False)
    game.hang("gate-blue", "K3", see=False)
    astray = game.state.rules.out_of_step(game.play, game.table())
    assert astray is not None
    assert (astray.reason, set(astray.faces)) == ("several", {"hook-blue", "gate-blue"})
    with pytest.raises(RefereeError, match="More than one piece was hung"):
        game.see()
    game.accept()
    assert game.in_phase(Phase.TURN)
    assert set(game.ledger.hung) == {"bar-blue", "hook-blue", "gate-blue"}
    game.say(DeclaredHung("hook-blue", "K2"))
    assert (game.calls("piece"), game.calls("cactus")) == ([Call.LEGAL], [Call.LEGAL])
    game.pass_()
    assert (game.ledger.last, game.must.cacti) == ("hook-blue", ("K3",))


def test_next_piece_waits_until_the_die_is_passed() -> None:
    """A second new piece in a turn that is judged is out of step."""
    game = opened()
    game.hang("hook-blue", "K2")
    game.hang("gate-blue", "K3", see=False)
    with pytest.raises(RefereeError, match="first the die is passed"):
        game.see()


def test_a_piece_on_another_cactus_is_out_of_step() -> None:
    """Nobody carries hung pieces about."""
    game = opened({"bar-red": "K4"})
    game.hang("bar-red", "K5", see=False)
    astray = game.state.rules.out_of_step(game.play, game.table())
    assert astray is not None
    assert (astray.reason, astray.faces) == ("elsewhere", ("bar-red",))


def test_nothing_new_is_no_news() -> None:
    """A table as it is known, seen again with the camera's small doubts, is not recorded."""
    game = opened({"gate-blue": "K4"})
    assert not game.state.rules.news(game.play, game.table())
    game.hang("hook-blue", "K2")
    assert not game.state.rules.news(game.play, game.table())
    game.push("hook-blue", 0.4, 0.3)
    assert not game.state.rules.news(game.play, game.table())
    game.push("hook-blue", 6.0)
    assert game.state.rules.news(game.play, game.table())


def test_undo_takes_back_step_by_step() -> None:
    """The roll, the piece, the pass: each is one step, and the log only grows."""
    game = opened({"gate-blue": "K4"})
    game.hang("hook-blue", "K2")
    game.pass_()
    assert game.flowers["2"] == 4
    game.undo()
    assert (game.flowers["2"], game.in_phase(Phase.VERDICT)) == (3, True)
    game.undo()
    assert game.in_phase(Phase.TURN)
    game.undo()
    assert game.in_phase(Phase.ROLLING)
