"""The coach: where a card could be laid, best first, and why a corner cannot."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.deck import ConexDeck
from scoring.games.conex_coach import NoPlace, Suggestion, advise, legal_places
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import judge_placement
from scoring.table import Placement, Pose, TableState
from scoring.verdicts import Call, Ground, PlacementRuling
from tests.scoring.conex_tables import (
    CARD,
    SIDE,
    board,
    card,
    deck_of,
    face,
    laid,
    moved,
    random_deck,
    random_table,
    table,
)

BACK = face("purple", "purple", ("red", 1, "right"))


def put(state: TableState, name: str, place: Suggestion, dx: float = 0.0, dy: float = 0.0) -> TableState:
    pose = Pose(place.pose.x_mm + dx, place.pose.y_mm + dy, place.pose.angle_rad)
    return replace(state, placements=(*state.placements, Placement(name, name, pose, CARD, 0.2)))


def said(state: TableState, name: str, place: Suggestion, deck: ConexDeck) -> PlacementRuling:
    return judge_placement(put(state, name, place), name, deck)[0]


def test_a_right_angled_corner_fits_the_one_corner_of_its_space() -> None:
    """On the bare board a yellow corner has one place: over the board's corner, on the yellow space."""
    deck = deck_of([face("x", "red", ("yellow", 4, "br"))])
    (place,) = legal_places(table(on=board()), "x", deck)
    by_hand = laid("x", "br", board())
    assert (place.ground, place.corner, place.value, place.bonus, place.points) == (Ground(space=0), 0, 4, 0, 4)
    assert (place.pose.x_mm, place.pose.y_mm) == (pytest.approx(by_hand.pose.x_mm), pytest.approx(by_hand.pose.y_mm))
    assert place.pose.angle_rad == pytest.approx(0.0, abs=1e-9)


def test_a_right_angled_corner_fits_all_four_corners_of_a_card() -> None:
    """Turned by quarters; the one where the ground has a corner of its own falls out."""
    state = table(card("purple", 0, 0))
    deck = deck_of([BACK, face("x", "red", ("purple", 4, "tl"))])
    places = legal_places(state, "x", deck)
    assert {p.ground for p in places} == {Ground("purple")}
    assert sorted(round(math.degrees(p.pose.angle_rad)) % 360 for p in places) == [0, 90, 180, 270]
    covered = deck_of([face("purple", "purple", ("red", 1, "tl")), face("x", "red", ("purple", 4, "tl"))])
    assert len(legal_places(state, "x", covered)) == 3


def test_a_triangle_at_the_edge_lets_a_corner_of_the_ground_slip_under_it() -> None:
    """Its right angle is the ground's corner: four places, at odd angles."""
    deck = deck_of([BACK, face("x", "red", ("purple", 4, "left"))])
    places = legal_places(table(card("purple", 0, 0)), "x", deck)
    assert sorted(round(math.degrees(p.pose.angle_rad)) % 360 for p in places) == [45, 135, 225, 315]


def test_a_cut_corner_slides_along_the_edges_of_its_ground() -> None:
    """One inner side of 35 mm: several places on each edge of the card, told where they differ."""
    state = table(card("purple", 0, 0))
    deck = deck_of([face("purple", "purple", ("red", 1, "tl")), face("x", "red", ("purple", 4, "cut"))])
    places = legal_places(state, "x", deck, limit=50)
    turns = {round(math.degrees(p.pose.angle_rad)) % 90 for p in places}
    assert len(places) >= 4
    assert len(turns) == 1
    assert len({round(math.degrees(p.pose.angle_rad)) for p in places}) == 4
    for i, a in enumerate(places):
        for b in places[:i]:
            assert math.dist((a.pose.x_mm, a.pose.y_mm), (b.pose.x_mm, b.pose.y_mm)) >= min(CARD) / 2


def test_most_points_come_first_and_a_plus_2_card_counts() -> None:
    """The corner of 3 on a plus-2 card is worth more than the corner of 4 on the board."""
    deck = deck_of(
        [
            face("plus", "purple", ("red", 5, "right"), symbol="plus2"),
            face("x", "red", ("yellow", 4, "br"), ("purple", 3, "tl")),
        ]
    )
    places = legal_places(table(card("plus", 300, 0), on=board()), "x", deck)
    assert [(p.points, p.bonus) for p in places] == [(5, 2)] * 4 + [(4, 0), (3, 0)]
    assert len(legal_places(table(card("plus", 300, 0), on=board()), "x", deck, limit=2)) == 2


def test_without_a_ground_of_its_colour_a_corner_has_no_place() -> None:
    """No purple lies there, and no board."""
    deck = deck_of([BACK, face("x", "red", ("turquoise", 4, "tl"))])
    assert advise(table(card("purple", 0, 0)), "x", deck) == ((), (NoPlace(0, "turquoise", "ground"),))


def test_a_ground_of_doubtful_colour_is_no_ground() -> None:
    """What the camera cannot name is not recommended."""
    deck = deck_of([BACK, face("x", "red", ("purple", 4, "tl"))])
    lying = card("purple", 0, 0, confidence=0.6, candidates=())
    assert advise(table(lying), "x", deck)[1] == (NoPlace(0, "purple", "ground"),)


def test_a_corner_that_is_no_picture_of_an_overlap_has_no_place() -> None:
    """An outline in the middle of the card cannot be laid exactly."""
    odd = face("x", "red", ("purple", 4, "tl"))
    middle = replace(odd.corners[0], region=((20.0, 20.0), (40.0, 20.0), (30.0, 40.0)))
    deck = deck_of([BACK, replace(odd, corners=(middle,))])
    assert advise(table(card("purple", 0, 0)), "x", deck) == ((), (NoPlace(0, "purple", "shape"),))


def test_where_there_is_no_room_the_rule_in_the_way_is_named() -> None:
    """Another card, the border of the area, or a corner of the ground."""
    deck = deck_of([BACK, face("x", "red", ("yellow", 4, "br")), face("wall", "turquoise", ("red", 1, "right"))])
    lies = laid("x", "br", board())
    wall = card("wall", lies.pose.x_mm - CARD[0] + 1.0, lies.pose.y_mm)
    assert advise(table(wall, on=board()), "x", deck)[1] == (NoPlace(0, "yellow", "room", "conex.single-contact"),)
    area = ((-SIDE / 2, -300.0), (300.0, -300.0), (300.0, 300.0), (-SIDE / 2, 300.0))
    state = table(on=board(), area=area)
    assert advise(state, "x", deck)[1] == (NoPlace(0, "yellow", "room", "conex.out-of-bounds"),)
    full = deck_of(
        [
            face("p", "purple", ("red", 1, "tl"), ("red", 1, "tr"), ("red", 1, "bl"), ("red", 1, "br")),
            face("x", "red", ("purple", 4, "tl")),
        ]
    )
    reasons = advise(table(card("p", 0, 0)), "x", full)[1]
    assert reasons == (NoPlace(0, "purple", "room", "conex.corner-covered"),)


def test_the_house_rule_of_the_board_counts() -> None:
    """A place that touches the board is one only where the table allows it."""
    deck = deck_of([BACK, face("x", "red", ("purple", 4, "tl"))])
    at = laid("x", "tl", card("purple", 0, 0))
    state = table(card("purple", 0, 0), on=board(at.pose.x_mm + CARD[0] / 2 + SIDE / 2 - 5.0, at.pose.y_mm + 20))
    near = [(at.pose.x_mm, at.pose.y_mm)]
    strict = [(p.pose.x_mm, p.pose.y_mm) for p in legal_places(state, "x", deck)]
    loose = [(p.pose.x_mm, p.pose.y_mm) for p in legal_places(state, "x", deck, ConexOptions(contact="board-too"))]
    assert not any(math.dist(p, near[0]) < 1 for p in strict)
    assert any(math.dist(p, near[0]) < 1 for p in loose)


def test_the_card_that_is_shown_is_in_nobodys_way() -> None:
    """It lies beside the table while it is looked at."""
    deck = deck_of([BACK, face("x", "red", ("purple", 4, "tl"))])
    state = table(card("purple", 0, 0), card("x", 40, 75))
    assert len(legal_places(state, "x", deck)) == 4


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2000), st.floats(0, 2 * math.pi))
def test_whatever_is_suggested_is_legal_even_if_hands_miss_a_little(seed: int, way: float) -> None:
    """Each place is judged legal as it is and half a millimetre off in any direction, with the points promised."""
    rng = random.Random(seed)
    deck = random_deck(rng)
    state, _ = random_table(rng, deck, cards=rng.randint(1, 6))
    free = rng.choice(sorted(deck.faces.keys() - {p.face for p in state.placements}))
    last = None
    for place in legal_places(state, free, deck, limit=4):
        ruling = said(state, free, place, deck)
        assert (ruling.call, ruling.onto, ruling.corner) == (Call.LEGAL, place.ground, place.corner)
        assert (ruling.value, ruling.bonus, ruling.points) == (place.value, place.bonus, place.points)
        missed = put(state, free, place, 0.5 * math.cos(way), 0.5 * math.sin(way))
        assert judge_placement(missed, free, deck)[0].call is Call.LEGAL
        assert last is None or place.points <= last
        last = place.points


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2000), st.floats(-500, 500), st.floats(-math.pi, math.pi))
def test_the_advice_turns_with_the_table(seed: int, shift: float, turn: float) -> None:
    """The same places, wherever the camera stands."""
    rng = random.Random(seed)
    deck = random_deck(rng)
    state, _ = random_table(rng, deck, cards=3)
    free = rng.choice(sorted(deck.faces.keys() - {p.face for p in state.placements}))
    here, reasons = advise(state, free, deck, limit=100)
    away, same = advise(moved(state, shift, -shift, turn), free, deck, limit=100)
    assert [(r.corner, r.why) for r in reasons] == [(r.corner, r.why) for r in same]
    assert {(p.ground, p.corner, p.points) for p in here} == {(p.ground, p.corner, p.points) for p in away}
