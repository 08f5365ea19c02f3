"""Flowers of Cactus: worth 1 or 3, changed by turning them over, and never more than there are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.games.cactus_flowers import EACH, RESERVE, Bank, Purse

SEATS = ("1", "2", "3", "4", "5")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_each_begins_with_three_and_ten_lie_in_reserve(players: int) -> None:
    """Three with the dot down each, ten in the reserve: 25 with five players, and the rest stays in the box."""
    bank = Bank.of(SEATS[:players])
    assert bank.purses == dict.fromkeys(SEATS[:players], Purse(ones=3, threes=0))
    assert (bank.reserve, bank.tokens) == (10, 3 * players + 10)
    assert set(bank.values.values()) == {3}


def test_a_flower_is_worth_one_with_its_dot_down_and_three_with_its_dot_up() -> None:
    """Two with the dot down and two with it up are worth eight."""
    assert Purse(ones=2, threes=2).value == 8


def test_what_is_paid_goes_to_the_reserve() -> None:
    """K14: one flower less here is one more there."""
    bank = Bank.of(("1", "2")).take("1", 2)
    assert (bank.values, bank.reserve) == ({"1": 1, "2": 3}, 12)


def test_nobody_goes_below_nothing() -> None:
    """K14: whoever owes more than there is pays what there is."""
    bank = Bank.of(("1", "2")).take("1", 9)
    assert (bank.values, bank.reserve) == ({"1": 0, "2": 3}, 13)


def test_an_empty_reserve_is_filled_by_turning_flowers_over() -> None:
    """Three that are worth 1 become one that is worth 3, and two go back: then there is one to give."""
    bank = Bank.of(("1", "2")).give("1", 10)
    assert (bank.purses["1"], bank.reserve) == (Purse(13, 0), 0)
    bank = bank.give("2", 1)
    assert bank.values == {"1": 13, "2": 4}
    assert (bank.purses["2"], bank.reserve) == (Purse(1, 1), 1)


def test_a_flower_worth_three_is_changed_to_pay_one() -> None:
    """Where a player has only flowers worth 3, one is turned down and two come with it."""
    bank = Bank({"1": Purse(0, 2), "2": Purse(3, 0)}, 10)
    paid = bank.take("1", 1)
    assert (paid.purses["1"], paid.reserve) == (Purse(2, 1), 9)
    assert paid.values["1"] == 5


def test_the_end_of_the_flowers() -> None:
    """K24: all 3n+10 flowers on the side worth 3 and an empty reserve, so 48 with two players and 75 with five."""
    for players, worth in ((2, 48), (3, 57), (4, 66), (5, 75)):
        bank = Bank.of(SEATS[:players])
        for seat in SEATS[1:players]:
            bank = bank.hold(seat, 9)
        rest = worth - 9 * (players - 1)
        assert not bank.hold("1", rest - 1).run_out
        full = bank.hold("1", rest)
        assert full.run_out
        assert full.reserve == 0
        assert all(p.ones == 0 for p in full.purses.values())
        assert full.give("1", 1) == full


steps = st.lists(st.tuples(st.sampled_from(SEATS[:3]), st.integers(-7, 7)), max_size=40)


@given(steps)
def test_flowers_are_neither_made_nor_lost(moves: list[tuple[str, int]]) -> None:
    """Whatever is paid and received: 19 flowers for three players, and each holds what plain counting says."""
    bank = Bank.of(SEATS[:3])
    plain = dict.fromkeys(SEATS[:3], EACH)
    for seat, flowers in moves:
        bank = bank.give(seat, flowers) if flowers > 0 else bank.take(seat, -flowers)
        plain[seat] = max(plain[seat] + flowers, 0)
        assert bank.tokens == 3 * EACH + RESERVE
        assert bank.reserve >= 0
        assert all(p.ones >= 0 <= p.threes for p in bank.purses.values())
        if sum(plain.values()) > 45:
            break  # so near to the end a flower may be owed that is not there
        assert bank.values == plain
