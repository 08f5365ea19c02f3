"""Counting a turn of Cactus: what it breaks, brings and costs. K numbers are those of the readings."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.deck import CactusDeck
from scoring.games.cactus_count import FLOWERS, Why, count_turn, hung, rewards, totals
from scoring.verdicts import Call
from tests.scoring.cactus_tables import contact, piece, set_of, table

DECK = set_of()
PIECES = list(DECK.pieces)
REDS = [p for p in PIECES if DECK.pieces[p].color == "red" and not DECK.pieces[p].special]
BARS = [p for p in PIECES if DECK.pieces[p].shape == "bar"]
SEED = {"color": {3: 1, 5: 2}, "shape": {3: 1, 5: 2}}
"""Flowers by the printed table."""


def spread(pieces: list[str]) -> dict[str, str]:
    """One after the other on the next cactus."""
    return {p: f"K{i % 5 + 1}" for i, p in enumerate(pieces)}


def earned(where: dict[str, str], placed: str, specials: bool = True) -> list[str]:
    return [str(c.why) for c in rewards(DECK, where, placed, specials)]


@pytest.mark.parametrize(("count", "flowers"), [(1, 0), (2, 0), (3, 1), (4, 0), (5, 2)])
def test_third_and_fifth_of_a_color(count: int, flowers: int) -> None:
    """K1, K5: the total of a colour over all cacti reaches 3 (one flower) or 5 (two); nothing at 4."""
    where = spread(REDS[:count])
    got = rewards(DECK, where, REDS[count - 1])
    assert sum(c.flowers for c in got) == flowers
    assert all(c.why in (Why.COLOR_3, Why.COLOR_5) for c in got)


@pytest.mark.parametrize(("count", "flowers"), [(1, 0), (2, 0), (3, 1), (4, 0), (5, 2)])
def test_third_and_fifth_of_a_shape(count: int, flowers: int) -> None:
    """The total of a shape over all cacti reaches 3 (one flower) or 5 (two); nothing at 4."""
    where = {p: f"K{i % 2 + 1}" for i, p in enumerate(BARS[:count])}
    got = [c for c in rewards(DECK, where, BARS[count - 1]) if c.why in (Why.SHAPE_3, Why.SHAPE_5)]
    assert sum(c.flowers for c in got) == flowers


def test_sixth_and_seventh_of_a_color_bring_nothing() -> None:
    """K5: five basic pieces and both special ones of a colour hang; only 3 and 5 bring flowers."""
    reds = [p for p in PIECES if DECK.pieces[p].color == "red"]
    assert len(reds) == 7
    assert [earned(spread(reds[:n]), reds[n - 1]) for n in (6, 7)] == [[], []]


def test_pieces_count_wherever_they_hang() -> None:
    """K1: three red pieces on one single cactus are three red pieces."""
    assert earned(dict.fromkeys(REDS[:3], "K4"), REDS[2]) == ["color-3"]


def test_specials_count_for_color_and_never_for_shape() -> None:
    """K2: a special piece makes the third of its colour; it has no shape that could be counted."""
    where = spread([*REDS[:2], "cloud"])
    assert DECK.pieces["cloud"].special
    assert earned(where, "cloud") == ["color-3"]
    assert totals(DECK, where).shapes == {"bar": 1, "hook": 1, "wedge": 0, "stair": 0, "gate": 0}
    assert earned(where, "cloud", specials=False) == []
    assert totals(DECK, where, specials=False).colors["red"] == 2


def test_all_colors_on_one_cactus() -> None:
    """K3: at least one of each colour, and the piece must be the one that completes it."""
    four = {f"bar-{c}": "K2" for c in ("red", "orange", "green", "blue")}
    assert "all-colors" in earned({**four, "hook-violet": "K2"}, "hook-violet")
    assert "all-colors" not in earned({**four, "hook-violet": "K3"}, "hook-violet")
    twice = {**four, "hook-violet": "K2", "wedge-violet": "K2"}
    assert "all-colors" not in earned(twice, "wedge-violet")
    special = next(p for p in PIECES if DECK.pieces[p].special and DECK.pieces[p].color == "violet")
    assert "all-colors" in earned({**four, special: "K2"}, special)
    assert "all-colors" not in earned({**four, special: "K2"}, special, specials=False)


def test_rewards_add_up_to_six_at_most() -> None:
    """K4: fifth of a colour, fifth of a shape and all five colours in one turn: 2 + 2 + 2."""
    where = {f"bar-{c}": "K1" for c in DECK.colors} | {f"{s}-red": "K3" for s in DECK.shapes if s != "bar"}
    got = rewards(DECK, where, "bar-red")
    assert [str(c.why) for c in got] == ["color-5", "shape-5", "all-colors"]
    assert sum(c.flowers for c in got) == 6


def test_a_total_that_drops_and_returns_pays_again() -> None:
    """K6: after a fall the third of a colour is the third once more."""
    where = spread(REDS[:3])
    del where[REDS[0]]
    assert earned({**where, REDS[3]: "K1"}, REDS[3]) == ["color-3"]


def test_fallen_pieces_cost_one_each_and_cancel_the_rewards() -> None:
    """Each fallen piece costs one flower and there are none to win in this turn; from any cactus (K23)."""
    before = table(spread([*REDS[:3], "bar-blue", "hook-blue"]))
    after = table({REDS[0]: "K1", REDS[1]: "K2", REDS[3]: "K4"}, lying=[REDS[2], "bar-blue"])
    turn = count_turn(DECK, before, after)
    assert turn.placed == REDS[3]
    assert turn.fallen == tuple(sorted([REDS[2], "bar-blue", "hook-blue"]))
    assert [(x.why, x.flowers) for x in turn.penalties] == [("fallen", -1)] * 3
    assert turn.claims == ()
    assert turn.totals.colors == {"red": 3, "orange": 0, "green": 0, "blue": 0, "violet": 0}


def test_own_piece_that_fell_costs_nothing() -> None:
    """K20: it never hung before, so it is no fallen piece."""
    turn = count_turn(DECK, table({}), table({}, lying=["bar-red"]))
    assert (turn.placed, turn.fallen, turn.penalties) == (None, (), ())


def test_another_piece_pushed_onto_the_base_has_fallen() -> None:
    """K16: your own on the base is hung again; another one that ends there counts as fallen, once."""
    before = table({"bar-blue": "K1"})
    low = contact("bar-blue", None, "base")
    after = table({"bar-blue": "K1", "hook-red": "K1"}, [low])
    turn = count_turn(DECK, before, after)
    assert turn.fallen == ("bar-blue",)
    assert turn.violations == ()
    assert turn.totals.colors["blue"] == 0
    later = count_turn(DECK, after, table({"bar-blue": "K1", "hook-red": "K1", "wedge-red": "K2"}, [low]))
    assert later.fallen == ()
    doubt = table({"bar-blue": "K1", "hook-red": "K1"}, [contact("bar-blue", None, "base", 0.6)])
    assert count_turn(DECK, before, doubt).fallen == ()


@pytest.mark.parametrize(("kind", "rule"), [("base", "touches-base"), ("table", "touches-table")])
def test_own_piece_on_base_or_table_is_hung_again(kind: str, rule: str) -> None:
    """A placed piece that touches the base or the table is placed again; that costs nothing."""
    turn = count_turn(DECK, table({}), table({"bar-red": "K1"}, [contact("bar-red", None, kind)]))
    assert [(b.rule, b.pieces) for b in turn.violations] == [(rule, ("bar-red",))]
    assert turn.penalties == ()


def test_equal_colors_and_equal_shapes_must_not_touch() -> None:
    """Equal colours and equal shapes break the rule; a special piece has a colour and no shape."""
    hanging = {"bar-red": "K1", "hook-red": "K1", "bar-blue": "K1", "cloud": "K1", "comet": "K1"}
    touching = [
        contact("bar-red", "hook-red", "color"),
        contact("bar-red", "bar-blue", "shape"),
        contact("bar-red", "cloud", "color"),
        contact("cloud", "comet", "shape"),
        contact("hook-red", "bar-blue", "color"),
    ]
    turn = count_turn(DECK, table({}), table(hanging, touching), placed="bar-red")
    assert [(b.rule, b.pieces) for b in turn.violations] == [
        ("same-color", ("bar-red", "cloud")),
        ("same-color", ("bar-red", "hook-red")),
        ("same-shape", ("bar-red", "bar-blue")),
    ]
    house = count_turn(DECK, table({}), table(hanging, touching), placed="bar-red", specials=False)
    assert ("same-color", ("bar-red", "cloud")) not in [(b.rule, b.pieces) for b in house.violations]


def test_contacts_of_others_are_repaired_on_the_cactus_of_the_turn_only() -> None:
    """K18: whoever made it, what touches on the active cactus is put right; on another it is nobody's fault."""
    hanging = {"bar-red": "K1", "hook-red": "K1", "bar-blue": "K2", "hook-blue": "K2"}
    touching = [contact("bar-red", "hook-red", "color"), contact("bar-blue", "hook-blue", "color")]
    turn = count_turn(DECK, table(hanging), table({**hanging, "wedge-green": "K1"}, touching))
    assert [b.pieces for b in turn.violations] == [("bar-red", "hook-red")]


def test_a_repair_without_a_new_piece_still_tells_what_touches() -> None:
    """Where the piece was only moved, the cactus on which something moved is looked at."""
    one, two = piece("bar-red", "K1", (0, -20)), piece("hook-red", "K1", (10, -20))
    before = replace(table({}), placements=(one, two))
    moved = replace(two, pose=replace(two.pose, x_mm=20.0))
    after = replace(table({}, [contact("bar-red", "hook-red", "color")]), placements=(one, moved))
    assert [b.pieces for b in count_turn(DECK, before, after).violations] == [("bar-red", "hook-red")]


@pytest.mark.parametrize(("touching", "call"), [(0.0, Call.LEGAL), (0.5, Call.UNCERTAIN), (1.0, Call.VIOLATION)])
def test_contacts_have_three_calls(touching: float, call: Call) -> None:
    """A doubtful contact is no violation; it is told apart from a clear one."""
    hanging = {"bar-red": "K1", "hook-red": "K1"}
    after = table(hanging, [contact("bar-red", "hook-red", "color", touching)])
    turn = count_turn(DECK, table({"bar-red": "K1"}), after)
    assert bool(turn.violations) is (call is Call.VIOLATION)
    assert bool(turn.unsure) is (call is Call.UNCERTAIN)


def test_contact_with_a_nameless_piece_says_nothing_yet() -> None:
    """What has no name is asked about first."""
    nameless = replace(piece("?", "K1"), face=None)
    base = table({"bar-red": "K1"}, [contact("bar-red", "?", "color")])
    turn = count_turn(DECK, table({}), replace(base, placements=(*base.placements, nameless)), placed="bar-red")
    assert turn.violations == turn.unsure == ()


def test_several_new_pieces_are_not_guessed() -> None:
    """Two pieces more than before: which one is this turn's is not known, unless it is said."""
    after = table({"bar-red": "K1", "hook-blue": "K2"})
    assert count_turn(DECK, table({}), after).placed is None
    assert count_turn(DECK, table({}), after, placed="hook-blue").placed == "hook-blue"


where_of = st.dictionaries(st.sampled_from(PIECES), st.sampled_from(list(DECK.cacti)), min_size=1, max_size=35)


@given(where_of, st.data(), st.booleans())
def test_rewards_are_those_of_the_printed_table(where: dict[str, str], data: st.DataObject, specials: bool) -> None:
    """Counted anew by hand from the seed's three paragraphs, for any table and any piece."""
    placed = data.draw(st.sampled_from(sorted(where)))
    own = DECK.pieces[placed]
    counts = [DECK.pieces[p] for p in where if specials or not DECK.pieces[p].special]
    flowers = 0
    if own in counts:
        flowers += SEED["color"].get(sum(p.color == own.color for p in counts), 0)
        beside = Counter(p.color for p in counts if where[p.id] == where[placed])
        flowers += 2 if len(beside) == 5 and beside[own.color] == 1 else 0
    if own.shape:
        flowers += SEED["shape"].get(sum(p.shape == own.shape for p in counts), 0)
    got = rewards(DECK, where, placed, specials)
    assert sum(c.flowers for c in got) == flowers <= 6
    assert all(c.flowers == FLOWERS[c.why] for c in got)


@given(where_of, st.randoms())
def test_the_order_of_pieces_changes_nothing(where: dict[str, str], rng: random.Random) -> None:
    """A table is a set of pieces."""
    some = table(where, [contact(a, b, "color") for a in list(where)[:3] for b in list(where)[3:6]])
    order = list(some.placements)
    rng.shuffle(order)
    before = table(dict(list(where.items())[:-1]))
    assert count_turn(DECK, before, replace(some, placements=tuple(order))) == count_turn(DECK, before, some)
    assert hung(some, DECK) == where


def test_the_set_is_that_of_the_game() -> None:
    """25 basic pieces, 10 special ones, two of each colour."""
    assert isinstance(DECK, CactusDeck)
    assert Counter(p.special for p in DECK.pieces.values()) == {False: 25, True: 10}
    assert set(Counter(p.color for p in DECK.pieces.values()).values()) == {7}
