"""The printed rules of laying, one known answer a sentence, named by rule id and reading (C1 to C24)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from scoring.errors import RefereeError
from scoring.games.conex_options import ConexOptions
from scoring.games.conex_place import (
    COLOR,
    CORNER_COVERED,
    EXACT,
    NOT_ATTACHED,
    OUT_OF_BOUNDS,
    SINGLE_CONTACT,
    Stated,
    doubling,
    judge_placement,
)
from scoring.games.conex_scene import SCALE_SIGMA
from scoring.table import BOARD, Candidate, Placement, Pose, Side, TableState
from scoring.verdicts import Call, Ground, PlacementRuling, Verdict
from tests.scoring.conex_tables import CARD, RADIUS, SIDE, board, card, deck_of, face, laid, moved, table

DECK = deck_of(
    [
        face("plain", "purple", ("turquoise", 2, "tl")),
        face("violet", "purple", ("red", 4, "br"), ("yellow", 1, "tl")),
        face("ruby", "red", ("purple", 4, "tl"), ("turquoise", 3, "br"), ("turquoise", 2, "left")),
        face("ruby3", "red", ("yellow", 3, "tl")),
        face("plus", "yellow", ("turquoise", 5, "tl"), symbol="plus2"),
        face("plus-violet", "purple", ("red", 5, "br"), symbol="plus2"),
        face("azure", "turquoise", ("yellow", 4, "tl"), ("purple", 4, "tr")),
        face("azure-plus", "turquoise", ("yellow", 4, "tl"), ("purple", 4, "bl"), symbol="plus2"),
        face("low-plus", "red", ("purple", 1, "tl"), symbol="plus2"),
        face("twins", "red", ("purple", 2, "tl"), ("purple", 2, "tr")),
        face("pair", "red", ("purple", 2, "tl"), ("purple", 3, "tr")),
        face("own", "red", ("purple", 3, "tl"), ("purple", 2, "left")),
        face("cut", "red", ("purple", 3, "cut")),
        face("on-yellow", "red", ("yellow", 2, "br")),
        face("other", "turquoise", ("red", 1, "right")),
        face("near", "turquoise", ("red", 1, "cut")),
    ]
)

Judged = tuple[PlacementRuling, tuple[Verdict, ...]]


def judged(state: TableState, key: str, declared: Stated | None = None, **options: object) -> Judged:
    return judge_placement(state, key, DECK, ConexOptions(**options), declared)  # type: ignore[arg-type]  # by name


def calls(found: Judged, rule: str) -> dict[tuple[str, ...], Call]:
    return {v.about: v.call for v in found[1] if v.rule == rule}


def broken(found: Judged) -> set[str]:
    return {v.rule for v in found[1] if v.call is Call.VIOLATION}


def unclear(found: Judged) -> set[str]:
    return {v.rule for v in found[1] if v.call is Call.UNCERTAIN}


def the(found: Judged, rule: str, other: str | None = None) -> Verdict:
    return next(v for v in found[1] if v.rule == rule and (other is None or v.about[1:] == (other,)))


# ---- the worked examples ---------------------------------------------------------------------------------------------


def test_example_max_lays_red_on_the_red_space_for_4() -> None:
    """C-IT:96: "mette l'angolo CONEX rosso della sua carta viola sullo spazio rosso … ottiene 4 punti"."""
    b = board()
    # The red space is at the board's top right; a corner that is the card's bottom left would fit it.
    deck = deck_of([face("violet", "purple", ("red", 4, "bl"), ("yellow", 1, "tr"))])
    ruling, verdicts = judge_placement(table(laid("violet", "bl", b), on=b), "violet", deck)
    assert (ruling.call, ruling.onto, ruling.corner) == (Call.LEGAL, Ground(space=1), 0)
    assert (ruling.value, ruling.bonus, ruling.points) == (4, 0, 4)
    assert {v.rule for v in verdicts} == {COLOR, NOT_ATTACHED}


def test_a_board_that_lies_larger_than_its_deck_says_has_larger_spaces() -> None:
    """Nobody has measured it, and the table tells its size: a card fits its spaces where they are."""
    deck = deck_of([face("violet", "purple", ("red", 4, "bl"))])
    b = replace(board(), size_mm=(1.5 * SIDE, 1.5 * SIDE))
    ruling, _ = judge_placement(table(laid("violet", "bl", b), on=b), "violet", deck)
    assert (ruling.call, ruling.onto) == (Call.LEGAL, Ground(space=1))


def test_example_nele_lays_purple_on_the_purple_card_for_4() -> None:
    """C-IT:100: "mette l'angolo CONEX viola della sua carta rossa sulla carta viola … ottiene così 4 punti"."""
    ground = card("violet", 0, 0)
    deck = deck_of([face("violet", "purple", ("red", 4, "bl")), face("ruby", "red", ("purple", 4, "tl"))])
    ruling, _ = judge_placement(table(ground, laid("ruby", "tl", ground)), "ruby", deck)
    assert (ruling.call, ruling.onto, ruling.corner, ruling.points) == (Call.LEGAL, Ground("violet"), 0, 4)


def test_example_max_adds_2_to_3_on_a_plus_2_card() -> None:
    """C-IT:117: yellow corner of the red card, on Felix's "più 2" card: 3 and 2."""
    ground = card("plus", 0, 0)
    ruling, _ = judged(table(ground, laid("ruby3", "tl", ground)), "ruby3")
    assert (ruling.call, ruling.value, ruling.bonus, ruling.points) == (Call.LEGAL, 3, 2, 5)


def test_example_felix_scores_4_and_2_on_the_free_plus_2_card_c1() -> None:
    """C-IT:159: his turquoise card, itself a "più 2" in the Italian text, yellow corner printed 4: 6 either way."""
    ground = card("plus", 0, 0)
    for own in ("azure", "azure-plus"):
        ruling, _ = judged(table(ground, laid(own, "tl", ground)), own)
        assert (ruling.call, ruling.value, ruling.bonus, ruling.points) == (Call.LEGAL, 4, 2, 6)


def test_example_max_doubles_4_and_2_to_12_c24() -> None:
    """C-IT:170: purple corner on Nele's plus-2 card, the 2x star on the card just laid: (4 + 2) × 2."""
    ground = card("plus-violet", 0, 0)
    state = table(ground, laid("azure", "tr", ground), star=("azure", 1.0))
    ruling, _ = judged(state, "azure")
    assert (ruling.call, ruling.value, ruling.bonus, ruling.doubled, ruling.points) == (Call.LEGAL, 4, 2, True, 12)


# ---- points ----------------------------------------------------------------------------------------------------------


def test_only_the_number_on_the_laid_corner_counts() -> None:
    """C-IT:75: "i numeri raffigurati sugli altri angoli non hanno importanza"."""
    b = board()
    first = judged(table(laid("ruby", "br", b), on=b), "ruby")[0]
    ground = card("violet", 0, 0, math.pi)
    second = judged(table(ground, laid("ruby", "tl", ground)), "ruby")[0]
    assert (first.corner, first.value) == (1, 3)
    assert (second.corner, second.value) == (0, 4)


def test_c1_a_plus_2_card_scores_what_is_printed() -> None:
    """Never a fixed 5: a corner of a plus-2 card printed 1 brings 1."""
    ground = card("plain", 0, 0)
    assert judged(table(ground, laid("low-plus", "tl", ground)), "low-plus")[0].points == 1


def test_c2_who_lays_the_plus_2_card_gets_no_bonus() -> None:
    """C-IT:112: "non assegna nessun punto bonus in più al giocatore che l'ha attaccata"; 5 as printed."""
    ground = card("azure", 0, 0)
    ruling, _ = judged(table(ground, laid("plus", "tl", ground)), "plus")
    assert (ruling.value, ruling.bonus, ruling.points) == (5, 0, 5)


def test_c2_a_plus_2_card_on_a_plus_2_card_gets_the_bonus_of_the_ground() -> None:
    """The ground's bonus is anybody's who lays on it."""
    ground = card("plus", 0, 0)
    assert judged(table(ground, laid("azure-plus", "tl", ground)), "azure-plus")[0].bonus == 2


def test_c3_every_card_laid_on_a_plus_2_card_gets_the_bonus() -> None:
    """C-IT:109 names no end: a second card scores 2 as well."""
    ground = card("plus-violet", 0, 0)
    first = laid("plain", "tl", ground)
    first = replace(first, pose=Pose(first.pose.x_mm, first.pose.y_mm, 0.0))
    upper = laid("azure", "tr", ground)
    deck = deck_of(
        [
            face("plus-violet", "purple", ("red", 5, "tl"), symbol="plus2"),
            face("plain", "red", ("purple", 2, "tl")),
            face("azure", "turquoise", ("purple", 4, "tr")),
        ]
    )
    state = table(ground, first, upper, covers=(("plain", "plus-violet"), ("azure", "plus-violet")))
    ruling, _ = judge_placement(state, "azure", deck)
    assert (ruling.call, ruling.bonus, ruling.points) == (Call.LEGAL, 2, 6)


def test_c24_a_star_doubles_a_plus_2_card_on_a_plain_ground() -> None:
    """C-IT:167: "anche se la metti su una carta più 2": the laid card is the plus-2, the ground is not: corner × 2."""
    ground = card("azure", 0, 0)
    state = table(ground, laid("plus", "tl", ground), star=("plus", 1.0))
    assert judged(state, "plus")[0].points == 10


def test_a_star_on_another_card_doubles_nothing() -> None:
    """C-IT:165: it lies "sulla carta che hai appena piazzato"."""
    ground = card("azure", 0, 0)
    state = table(ground, laid("plus", "tl", ground), star=("azure", 1.0))
    assert (judged(state, "plus")[0].doubled, judged(state, "plus")[0].points) == (False, 5)


def test_a_star_read_with_doubt_doubles_nothing_and_says_so() -> None:
    """The doubt is told by `doubling`; the placement itself stays clear."""
    ground = card("azure", 0, 0)
    state = table(ground, laid("plus", "tl", ground), star=("plus", 0.6))
    ruling, _ = judged(state, "plus")
    assert (ruling.call, ruling.doubled, ruling.points) == (Call.LEGAL, False, 5)
    assert doubling(state, "plus", 0.9) is Call.UNCERTAIN


# ---- conex.color -----------------------------------------------------------------------------------------------------


def test_color_another_ground_is_a_violation() -> None:
    """C-IT:79: "solo su uno sfondo dello stesso colore": purple on yellow."""
    ground = card("plus", 0, 0)
    found = judged(table(ground, laid("ruby", "tl", ground)), "ruby")
    assert (found[0].call, broken(found), found[0].onto, found[0].corner) == (
        Call.VIOLATION,
        {COLOR},
        Ground("plus"),
        0,
    )
    assert the(found, COLOR).about == ("ruby", "plus")
    assert (the(found, COLOR).facts["color"], the(found, COLOR).facts["ground"]) == ("purple", "yellow")
    assert len(the(found, COLOR).where) == 4


def test_color_another_space_is_a_violation() -> None:
    """A yellow corner on the turquoise space."""
    b = board()
    found = judged(table(laid("ruby3", "tl", b), on=b), "ruby3")
    assert (broken(found), found[0].onto) == ({COLOR}, Ground(space=2))
    assert the(found, COLOR).about == ("ruby3", BOARD)


def across_the_left_edge(y: float) -> TableState:
    """The cut corner of "cut" lies over the board's left edge, its 35 mm long inner side centred at that height."""
    turn = math.pi - math.atan2(21, 28)  # so that the cut corner points to the board's middle
    c, s = math.cos(turn), math.sin(turn)
    u, v = CARD[0] / 2 - 10.5, CARD[1] / 2 - 14.0
    return table(card("cut", -SIDE / 2 + u * c - v * s, y + u * s + v * c, turn), on=board())


def test_color_the_plain_middle_of_the_board_is_no_space_c7() -> None:
    """A corner that fits the board's edge between two spaces, 5 mm from each, lies on no colour."""
    found = judged(across_the_left_edge(0.0), "cut")
    assert (found[0].call, broken(found), found[0].corner) == (Call.VIOLATION, {COLOR}, 0)
    assert the(found, COLOR).facts["share"] == 0.0


def test_color_partly_beside_the_space_is_asked() -> None:
    """The purple space begins 23 mm below the middle; 6.5 mm of the corner's 35 lie above it: the players decide."""
    found = judged(across_the_left_edge(34.0), "cut")
    assert (found[0].call, unclear(found), found[0].onto) == (Call.UNCERTAIN, {COLOR}, Ground(space=3))
    assert the(found, COLOR).facts["stray_mm"] == pytest.approx(6.5)
    assert judged(across_the_left_edge(37.0), "cut")[0].call is Call.LEGAL


def test_color_is_named_though_another_corner_has_it() -> None:
    """What was laid is read from the geometry: the better colour of a corner that lies elsewhere excuses nothing."""
    ground = card("plus", 0, 0)
    deck = deck_of(
        [face("plus", "yellow", ("red", 5, "tr")), face("x", "red", ("purple", 4, "tl"), ("yellow", 1, "tr"))]
    )
    ruling, verdicts = judge_placement(table(ground, laid("x", "tl", ground)), "x", deck)
    assert (ruling.corner, {v.rule for v in verdicts if v.call is Call.VIOLATION}) == (0, {COLOR})


# ---- conex.single-contact --------------------------------------------------------------------------------------------


def beside(gap: float) -> TableState:
    """The card "ruby" laid on "plain", and another card to its right at that gap."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    return table(ground, upper, card("other", upper.pose.x_mm + CARD[0] + gap, upper.pose.y_mm))


def test_single_contact_another_card_may_not_be_touched() -> None:
    """C-IT:84: "può toccare solo la carta alla quale viene attaccata … né coprirle": 4 mm of overlap."""
    found = judged(beside(-4.0), "ruby")
    assert (found[0].call, broken(found)) == (Call.VIOLATION, {SINGLE_CONTACT})
    told = the(found, SINGLE_CONTACT)
    assert (told.about, told.facts["gap_mm"]) == (("ruby", "other"), pytest.approx(-4.0))
    assert told.facts["sigma_mm"] == pytest.approx(math.hypot(0.2, 0.2, 4 * SCALE_SIGMA), abs=1e-3)


def test_single_contact_a_clear_gap_is_told_with_its_ends() -> None:
    """A kept rule is listed with the margin and the two ends of the gap."""
    told = the(judged(beside(5.0), "ruby"), SINGLE_CONTACT)
    assert (told.call, told.facts["gap_mm"]) == (Call.LEGAL, pytest.approx(5.0))
    (x0, y0), (x1, y1) = told.where
    assert (abs(x1 - x0), abs(y1 - y0)) == (pytest.approx(5.0), pytest.approx(0.0))


@pytest.mark.parametrize(
    ("gap", "call"),
    [(2.0, Call.LEGAL), (-2.0, Call.VIOLATION), (0.9, Call.UNCERTAIN), (-0.9, Call.UNCERTAIN), (0.0, Call.UNCERTAIN)],
)
def test_single_contact_c5_what_is_too_close_is_for_the_players(gap: float, call: Call) -> None:
    """Two millimetres of air are free, two of overlap touch, and in between the players decide."""
    found = judged(beside(gap), "ruby")
    assert calls(found, SINGLE_CONTACT) == {("ruby", "other"): call}
    assert found[0].call is call


def test_single_contact_c5_the_band_is_a_house_rule() -> None:
    """A table may want to be stricter, or to decide more by itself; doubt of the measurement always counts."""
    assert judged(beside(2.0), "ruby", touch_band_mm=2.5)[0].call is Call.UNCERTAIN
    assert judged(beside(0.9), "ruby", touch_band_mm=0.0)[0].call is Call.LEGAL
    assert judged(beside(0.8), "ruby", touch_band_mm=0.0)[0].call is Call.UNCERTAIN


def test_single_contact_c5_rounded_corners_are_no_full_corners() -> None:
    """Two cards corner to corner are apart by what their round corners leave: (√2 - 1) times both radii more."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    away = (upper.pose.x_mm + CARD[0] + 1.0, upper.pose.y_mm + CARD[1] + 1.0)
    told = the(judged(table(ground, upper, card("other", *away)), "ruby"), SINGLE_CONTACT)
    assert told.facts["gap_mm"] == pytest.approx(math.sqrt(2) * (1 + 2 * RADIUS) - 2 * RADIUS, abs=1e-3)


def test_single_contact_c4_a_card_laid_on_a_card_may_not_touch_the_board() -> None:
    """C-IT:84 says "or the board": the card *or* the board, not both."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    b = board(upper.pose.x_mm + CARD[0] / 2 + SIDE / 2 - 3.0, upper.pose.y_mm)
    state = table(ground, upper, on=b)
    assert broken(judged(state, "ruby")) == {SINGLE_CONTACT}
    assert the(judged(state, "ruby"), SINGLE_CONTACT).about == ("ruby", BOARD)
    assert judged(state, "ruby", contact="board-too")[0].call is Call.LEGAL


def test_single_contact_c4_a_card_laid_on_the_board_may_not_touch_a_card() -> None:
    """C-DE:16: "ausschließlich die Karte … beziehungsweise nur das Punktetableau"."""
    b = board()
    lower = laid("on-yellow", "br", b)
    touching = card("other", lower.pose.x_mm, lower.pose.y_mm - CARD[1] + 3.0)
    found = judged(table(lower, touching, on=b), "on-yellow")
    assert (broken(found), found[0].onto) == ({SINGLE_CONTACT}, Ground(space=0))
    assert broken(judged(table(lower, touching, on=b), "on-yellow", contact="board-too")) == {SINGLE_CONTACT}


def test_single_contact_with_two_good_grounds_is_broken_either_way() -> None:
    """Two corners on two cards: whatever was meant, another card is touched; a number that differs stays open."""
    left, right = card("plain", 0, 0), card("violet", 80.0, 0, math.pi)
    for name, points in (("twins", 2), ("pair", 0)):
        upper = laid(name, "tl", left)
        found = judged(table(left, right, upper), name)
        assert (found[0].call, found[0].points) == (Call.VIOLATION, points)
        assert broken(found) == {SINGLE_CONTACT}
        assert len(found[0].candidates) >= 1


def test_single_contact_what_is_covered_cannot_be_touched() -> None:
    """The ground lies on another card; over the part that it hides, the new card touches only its ground."""
    lowest = card("other", -5, -5)
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    # 15 × 10 mm of the lowest card lie below the new one, but the ground lies between them.
    state = table(lowest, ground, upper)
    assert judged(replace(state, covers=(("plain", "other"), ("ruby", "plain"))), "ruby")[0].call is Call.LEGAL
    assert broken(judged(replace(state, covers=(("other", "plain"), ("ruby", "plain"))), "ruby")) == {SINGLE_CONTACT}
    layers = (lowest, replace(ground, layer=1), replace(upper, layer=2))
    assert judged(replace(state, placements=layers), "ruby")[0].call is Call.LEGAL


def test_single_contact_a_card_lying_face_down_is_not_in_play() -> None:
    """The pile and the hands lie beside the picture, not in it."""
    state = beside(-4.0)
    down = replace(state.placements[2], side=Side.BACK, face=None, candidates=())
    assert judged(replace(state, placements=(*state.placements[:2], down)), "ruby")[0].call is Call.LEGAL


def test_single_contact_with_what_may_be_no_card_is_asked() -> None:
    """A phone taken for a card costs nobody the turn."""
    state = beside(-4.0)
    thing = replace(state.placements[2], face=None, candidates=(Candidate("other", 0.4),))
    found = judged(replace(state, placements=(*state.placements[:2], thing)), "ruby")
    assert (found[0].call, calls(found, SINGLE_CONTACT)) == (Call.UNCERTAIN, {("ruby", "other"): Call.UNCERTAIN})


# ---- conex.corner-covered --------------------------------------------------------------------------------------------


def test_corner_covered_another_corner_of_the_ground_may_not_be_covered() -> None:
    """C-IT:89: "non può toccare o coprire altri angoli CONEX": the ground's own corner lies just there."""
    ground = card("violet", 0, 0)
    found = judged(table(ground, laid("ruby", "tl", ground)), "ruby")
    assert broken(found) == {CORNER_COVERED}
    told = the(found, CORNER_COVERED)
    assert (told.about, told.facts["corner"], told.facts["gap_mm"]) == (
        ("ruby", "violet"),
        0,
        pytest.approx(-15, abs=0.01),
    )
    assert found[0].points == 4


def test_corner_covered_the_other_corners_are_told_with_their_gaps() -> None:
    """The ground's second corner, far away, is kept; it is listed while it is near."""
    ground = card("ruby", 0, 0)
    deck = deck_of(
        [
            face("ruby", "red", ("purple", 4, "tr"), ("turquoise", 3, "right")),
            face("x", "purple", ("red", 1, "tl")),
        ]
    )
    upper = laid("x", "tl", ground)
    _, verdicts = judge_placement(table(ground, upper), "x", deck)
    told = {v.facts["corner"]: v for v in verdicts if v.rule == CORNER_COVERED}
    assert told.keys() == {1}
    assert told[1].call is Call.LEGAL
    # The triangle ends 35 mm above the ground's bottom, the card begins 15 mm above it.
    assert told[1].facts["gap_mm"] == pytest.approx(20.0, abs=0.4)


def test_corner_covered_corners_of_other_cards_count_too_c8() -> None:
    """A corner of a card that is not the ground is covered along with that card."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    other = card("near", upper.pose.x_mm + CARD[0] - 4.0, upper.pose.y_mm)
    found = judged(table(ground, upper, other), "ruby")
    assert broken(found) == {SINGLE_CONTACT, CORNER_COVERED}


def test_corner_covered_too_close_is_asked_c5() -> None:
    """Half a millimetre beside a corner of the ground."""
    deck = deck_of([face("g", "purple", ("red", 2, "right")), face("x", "red", ("purple", 1, "tl"))])
    ground = card("g", 0, 0)
    upper = laid("x", "tl", ground, shift=(0.0, -19.5))
    _, verdicts = judge_placement(table(ground, upper), "x", deck)
    told = next(v for v in verdicts if v.rule == CORNER_COVERED)
    assert (told.call, told.facts["gap_mm"]) == (Call.UNCERTAIN, pytest.approx(0.5, abs=0.35))


def test_corner_covered_the_laid_corner_itself_is_none_of_the_others() -> None:
    """A card with one corner on a ground with one corner far away is judged for nothing else."""
    ground = card("plain", 0, 0)
    found = judged(table(ground, laid("own", "tl", ground)), "own")
    assert (found[0].call, {v.about[1] for v in found[1] if v.rule == CORNER_COVERED}) == (Call.LEGAL, set())


# ---- conex.out-of-bounds ---------------------------------------------------------------------------------------------


def within(right: float, sigma: float = 0.2) -> TableState:
    """The card "ruby" on "plain"; the agreed area ends that far to the right of it."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground, sigma=sigma)
    edge = upper.pose.x_mm + CARD[0] / 2 + right
    return table(ground, upper, area=((-100, -100), (edge, -100), (edge, 200), (-100, 200)))


@pytest.mark.parametrize(
    ("right", "call"), [(3.0, Call.LEGAL), (0.5, Call.UNCERTAIN), (-0.5, Call.UNCERTAIN), (-3.0, Call.VIOLATION)]
)
def test_out_of_bounds_c10_no_part_may_leave_the_agreed_area(right: float, call: Call) -> None:
    """C-IT:91: "non puoi posizionare una carta oltre i confini della superficie di gioco"."""
    found = judged(within(right), "ruby")
    told = the(found, OUT_OF_BOUNDS)
    assert (told.call, told.about, found[0].call) == (call, ("ruby", "area"), call)
    assert told.facts["gap_mm"] == pytest.approx(right)
    assert len(told.where) == 2 if right > 0 else len(told.where) > 2


def test_out_of_bounds_c10_only_what_was_agreed_is_judged() -> None:
    """Without an area ("on the floor", C-IT:49) nothing is out of bounds."""
    state = replace(within(-30.0), area=())
    assert OUT_OF_BOUNDS not in {v.rule for v in judged(state, "ruby")[1]}


def test_out_of_bounds_an_area_with_a_dent_counts_where_it_is() -> None:
    """A dent of the area's outline that reaches into the card from the side, past its corners."""
    ground = card("plain", 0, 0)
    upper = laid("ruby", "tl", ground)
    x, y = upper.pose.x_mm + CARD[0] / 2, upper.pose.y_mm
    area = ((-100, -100), (x + 20, -100), (x + 20, y - 10), (x - 6, y), (x + 20, y + 10), (x + 20, 200), (-100, 200))
    assert broken(judged(table(ground, upper, area=area), "ruby")) == {OUT_OF_BOUNDS}


# ---- conex.not-attached ----------------------------------------------------------------------------------------------


def test_not_attached_a_card_that_touches_nothing() -> None:
    """C-IT:71: corners are laid on the board or on a card; this one lies 12 mm beside."""
    b = board()
    found = judged(table(card("ruby", SIDE / 2 + CARD[0] / 2 + 12.0, 0), on=b), "ruby")
    assert (found[0].call, broken(found), found[0].onto, found[0].corner) == (
        Call.VIOLATION,
        {NOT_ATTACHED},
        None,
        None,
    )
    assert (the(found, NOT_ATTACHED).facts["gap_mm"], found[0].points) == (pytest.approx(12.0), 0)


def test_not_attached_without_a_board_in_sight_is_asked() -> None:
    """It may well lie on the board that nobody sees."""
    found = judged(table(card("ruby", 200, 0), card("plain", 0, 0)), "ruby")
    assert (found[0].call, unclear(found)) == (Call.UNCERTAIN, {NOT_ATTACHED})


def test_not_attached_a_card_that_nearly_touches_is_asked() -> None:
    """A gap of half a millimetre may be none."""
    b = board()
    found = judged(table(card("ruby", SIDE / 2 + CARD[0] / 2 + 0.5, 0), on=b), "ruby")
    assert found[0].call is Call.UNCERTAIN
    assert NOT_ATTACHED in unclear(found)


def test_not_attached_a_card_that_touches_with_none_of_its_corners() -> None:
    """Only a plain part of it lies on the ground: no corner was laid."""
    ground = card("plus-violet", 0, 0)
    upper = laid("plain", "br", ground)
    found = judged(table(ground, upper, on=board(300, 0)), "plain")
    assert (found[0].call, broken(found), found[0].corner) == (Call.VIOLATION, {NOT_ATTACHED}, None)
    assert the(found, NOT_ATTACHED).facts["why"] == "no-corner"


@pytest.mark.parametrize("shift", [(2.0, 2.0), (-2.0, -2.0), (3.0, -3.0), (-2.2, 2.2)])
def test_not_attached_c6_hands_may_miss_by_some_millimetres(shift: tuple[float, float]) -> None:
    """Lenient reading: the corner lies on its colour and hardly more of the card does."""
    ground = card("plain", 0, 0)
    assert judged(table(ground, laid("ruby", "tl", ground, shift)), "ruby")[0].call is Call.LEGAL


def test_not_attached_c6_a_corner_laid_far_too_deep_is_asked() -> None:
    """Ten millimetres of plain card on the ground: no printed rule is certainly broken, but this is not the picture."""
    ground = card("plain", 0, 0)
    found = judged(table(ground, laid("ruby", "tl", ground, (-10.0, -10.0))), "ruby")
    assert (found[0].call, broken(found)) == (Call.UNCERTAIN, set())
    assert the(found, NOT_ATTACHED).facts["why"] == "fit"


def test_not_attached_c8_an_own_second_corner_on_the_ground_is_asked() -> None:
    """The card lies so deep that its edge corner covers the ground as well."""
    ground = card("plain", 0, 0)
    upper = laid("own", "tl", ground, (0.0, -45.0))
    found = judged(table(ground, upper), "own")
    assert (found[0].call, broken(found)) == (Call.UNCERTAIN, set())


def test_c9_a_corner_at_the_edge_is_a_corner() -> None:
    """reich-der-spiele: triangles at the card's edge; a ground's corner slips under it."""
    turned = card("plain", 0, 0, math.pi / 4)
    # The ground's right-most corner lies 10 mm inside the card's left edge.
    tip = ((CARD[0] + CARD[1]) / 2 / math.sqrt(2), 0.0)
    lowest = max(turned.corners(), key=lambda p: p[0])
    assert lowest[0] == pytest.approx(tip[0])
    deck = deck_of([face("plain", "purple", ("red", 1, "tl")), face("x", "red", ("purple", 3, "left"))])
    upper = card("x", lowest[0] - 10 + CARD[0] / 2, lowest[1])
    ruling, _ = judge_placement(table(turned, upper), "x", deck)
    assert (ruling.call, ruling.corner, ruling.points) == (Call.LEGAL, 0, 3)


def test_c7_the_symbol_of_the_ground_may_be_covered() -> None:
    """A symbol is no corner: nothing is said against covering it, and its bonus still counts."""
    deck = deck_of([face("plus", "purple", ("red", 1, "tl"), symbol="plus2"), face("x", "red", ("purple", 3, "tl"))])
    ground = card("plus", 0, 0)
    deep = replace(deck.faces["x"].corners[0], region=((0, 0), (40, 0), (40, 60), (0, 60)))
    deck = deck_of([deck.faces["plus"], replace(deck.faces["x"], corners=(deep,))])
    upper = laid("x", "tl", ground, (-20.0, -45.0))
    state = table(ground, upper)
    ruling, verdicts = judge_placement(state, "x", deck)
    assert (ruling.bonus, {v.rule for v in verdicts if v.call is not Call.LEGAL}) == (2, set())


def test_c22_a_ground_need_not_be_free() -> None:
    """Only the lightning star asks for a free card; a card that carries others is ground like any."""
    deck = deck_of(
        [
            face("g", "purple", ("red", 5, "tl")),
            face("a", "red", ("purple", 2, "tl")),
            face("x", "turquoise", ("purple", 4, "tr")),
        ]
    )
    ground = card("g", 0, 0)
    state = table(ground, laid("a", "tl", ground, layer=1), laid("x", "tr", ground, layer=1), covers=(("a", "g"),))
    assert judge_placement(state, "x", deck)[0].call is Call.LEGAL


# ---- conex.exact -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shift", "call"), [(0.5, Call.LEGAL), (2.5, Call.UNCERTAIN), (-3.5, Call.UNCERTAIN), (6.0, Call.VIOLATION)]
)
def test_exact_c6_strict_tables_demand_the_very_overlap(shift: float, call: Call) -> None:
    """Dale Yu: "aligns perfectly": off by more than the tolerance is a violation where the table plays so."""
    ground = card("plain", 0, 0)
    state = table(ground, laid("ruby", "tl", ground, (-shift, 0.0)))
    assert calls(judged(state, "ruby", exact="on"), EXACT) == {("ruby", "plain"): call}
    assert EXACT not in {v.rule for v in judged(state, "ruby")[1]}


# ---- doubt about cards -----------------------------------------------------------------------------------------------


def doubtful(piece: Placement, *readings: tuple[str, float]) -> Placement:
    return replace(
        piece,
        face=readings[0][0],
        confidence=readings[0][1],
        candidates=tuple(Candidate(f, p) for f, p in readings),
    )


def test_a_card_read_two_ways_that_agree_is_no_doubt() -> None:
    """Either card has a purple corner of 4 there."""
    deck = deck_of(
        [
            face("plain", "purple", ("red", 1, "tl")),
            face("a", "red", ("purple", 4, "tl")),
            face("b", "yellow", ("purple", 4, "tl"), ("red", 2, "br")),
        ]
    )
    ground = card("plain", 0, 0)
    upper = doubtful(laid("a", "tl", ground), ("a", 0.6), ("b", 0.4))
    ruling, _ = judge_placement(table(ground, upper), "a", deck)
    assert (ruling.call, ruling.points) == (Call.LEGAL, 4)


def test_a_card_read_two_ways_that_differ_is_asked() -> None:
    """One reading would be another colour, or another number: no point and no penalty before it is settled."""
    ground = card("plain", 0, 0)
    for second in ("low-plus", "ruby3"):
        upper = doubtful(laid("ruby", "tl", ground), ("ruby", 0.6), (second, 0.4))
        ruling, verdicts = judged(table(ground, upper), "ruby")
        assert (ruling.call, ruling.points) == (Call.UNCERTAIN, 0)
        assert not any(v.call is Call.VIOLATION for v in verdicts)


def test_a_violation_that_every_reading_shares_is_certain() -> None:
    """Whatever the card is, it lies on two cards."""
    state = beside(-4.0)
    upper = doubtful(state.placements[1], ("ruby", 0.5), ("low-plus", 0.5))
    found = judged(replace(state, placements=(state.placements[0], upper, state.placements[2])), "ruby")
    assert (found[0].call, broken(found), found[0].points) == (Call.VIOLATION, {SINGLE_CONTACT}, 0)


def test_an_unread_card_is_asked_about() -> None:
    """Neither corner nor colour can be told, so nobody wins or loses."""
    ground = card("plain", 0, 0)
    upper = replace(laid("ruby", "tl", ground), face=None, confidence=0.0, candidates=())
    found = judged(table(ground, upper), "ruby")
    assert (found[0].call, found[0].face, found[0].points, broken(found)) == (Call.UNCERTAIN, None, 0, set())


def test_a_ground_read_two_ways_is_asked_about_colour_and_bonus() -> None:
    """Purple or yellow; with or without the plus 2."""
    ground = doubtful(card("plain", 0, 0), ("plain", 0.6), ("plus", 0.4))
    found = judged(table(ground, laid("ruby", "tl", ground)), "ruby")
    assert (found[0].call, broken(found)) == (Call.UNCERTAIN, set())
    ground = doubtful(card("plain", 0, 0), ("plain", 0.6), ("plus-violet", 0.4))
    found = judged(table(ground, laid("ruby", "tl", ground)), "ruby")
    assert (found[0].call, found[0].points) == (Call.UNCERTAIN, 0)


def test_two_cards_read_as_the_same_one_leave_a_doubt() -> None:
    """Each card exists once; one of the two is another."""
    ground = card("plain", 0, 0)
    twin = replace(card("ruby", 300, 300), key="elsewhere")
    assert judged(table(ground, laid("ruby", "tl", ground), twin), "ruby")[0].call is Call.UNCERTAIN


# ---- what people state -----------------------------------------------------------------------------------------------


def test_a_stated_face_counts() -> None:
    """The camera read another card."""
    ground = card("plain", 0, 0)
    upper = doubtful(laid("ruby", "tl", ground), ("ruby3", 0.99))
    ruling, _ = judged(table(ground, upper), "ruby", Stated(face="ruby"))
    assert (ruling.call, ruling.face, ruling.points, ruling.declared) == (Call.LEGAL, "ruby", 4, True)


def test_a_stated_corner_and_ground_count_where_the_picture_was_unclear() -> None:
    """The same table as the one asked about, decided by its players."""
    ground = card("plain", 0, 0)
    state = table(ground, laid("ruby", "tl", ground, (-10.0, -10.0)))
    ruling, verdicts = judged(state, "ruby", Stated(onto=Ground("plain"), corner=0))
    assert (ruling.call, ruling.points, ruling.declared) == (Call.LEGAL, 4, True)
    assert all(v.call is Call.LEGAL for v in verdicts)


def test_a_stated_ground_out_of_reach_is_believed() -> None:
    """The board was not where the camera saw it; the rules of contact still hold."""
    b = board()
    ruling, _ = judged(table(card("ruby", 0, 0), on=b), "ruby", Stated(onto=Ground(space=2), corner=1))
    assert (ruling.onto, ruling.corner, ruling.value) == (Ground(space=2), 1, 3)


def test_a_stated_call_has_the_last_word() -> None:
    """The geometry is still told."""
    found = judged(beside(-4.0), "ruby", Stated(call=Call.LEGAL))
    assert (found[0].call, found[0].overruled, found[0].points) == (Call.LEGAL, True, 4)
    assert broken(found) == {SINGLE_CONTACT}


@pytest.mark.parametrize(
    "said", [Stated(face="nobody"), Stated(corner=9), Stated(onto=Ground("nobody")), Stated(onto=Ground(space=9))]
)
def test_a_statement_about_nothing_is_no_error(said: Stated) -> None:
    """Who states what cannot be gets a ruling, not a crash."""
    assert isinstance(judged(beside(4.0), "ruby", said)[0], PlacementRuling)


def test_other_readings_are_offered_likeliest_first() -> None:
    """All corners on what is touched, for a person to choose from."""
    ground = card("plain", 0, 0)
    ruling, _ = judged(table(ground, laid("ruby", "tl", ground)), "ruby")
    assert set(ruling.candidates) == {(Ground("plain"), 1), (Ground("plain"), 2)}


# ---- options ---------------------------------------------------------------------------------------------------------


def test_options_come_back_from_their_values() -> None:
    """As the log keeps them."""
    options = ConexOptions(touch_band_mm=2.0, exact="on", tolerance_mm=4.0, contact="board-too", sure=0.8, goal=40)
    assert ConexOptions.of(options.as_mapping()) == options
    assert ConexOptions.of({"touch_band_mm": 2}) == ConexOptions(touch_band_mm=2.0)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"exact": "maybe"}, "exact can be off or on"),
        ({"contact": 1}, "contact can be one or board-too"),
        ({"touch_band_mm": -1}, "touch_band_mm can be from 0 to 10"),
        ({"touch_band_mm": "1"}, "touch_band_mm can be from 0 to 10"),
        ({"goal": 2.5}, "goal can be a whole number from 0"),
        ({"sure": True}, "sure can be from 0.51"),
        ({"min_row": 3}, "no option min_row"),
    ],
)
def test_an_impossible_option_is_named(values: dict[str, int | float | str], words: str) -> None:
    """One sentence with the option and what it can be."""
    with pytest.raises(RefereeError, match=words):
        ConexOptions.of(values)


def test_the_direction_of_the_table_is_the_cameras() -> None:
    """A known answer stays known however the table is turned: 4 mm of overlap."""
    for turn in (0.3, 1.9, 4.0):
        found = judged(moved(beside(-4.0), 120.0, -80.0, turn), "ruby")
        assert (broken(found), the(found, SINGLE_CONTACT).facts["gap_mm"]) == ({SINGLE_CONTACT}, pytest.approx(-4.0))


def test_what_has_no_name_breaks_nothing_for_certain() -> None:
    """A flat thing that is no card of the deck is asked about, never called illegal; a person may name it."""
    away = SIDE / 2 + CARD[0] / 2 + 12.0
    state = table(card("plain", away, 0, face=None, candidates=()), on=board())
    found = judged(state, "plain")
    assert found[0].call is Call.UNCERTAIN
    assert not broken(found)
    assert judged(state, "plain", Stated(face="plain"))[0].call is Call.VIOLATION
