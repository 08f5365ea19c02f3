"""The printed rules of Rox, one known answer a sentence, named by the number of the reading (R1 to R17)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.deck import RoxDeck, RoxFace, ScoringCard
from scoring.events import DealtCard
from scoring.games.rox import RoxOptions, hand_out, judge_round, judge_rows, rank, read_scoring, turns_from
from scoring.moves import DeclaredAwards, DeclaredFace, DeclaredLink, DeclaredRow, RowCard
from scoring.rows import find_rows
from scoring.table import Candidate, Side, TableState
from scoring.verdicts import Award, Call, RowRuling, Ruling
from tests.scoring.layouts import ELEMENTS, tidy_table


def letters_deck() -> RoxDeck:
    """A deck whose face ids say all: "fw3" has fire at its centre, water leads its edge, and it is the third such."""
    faces = {}
    for center in ELEMENTS:
        for leader in ELEMENTS:
            for n in range(1, 7):
                name = f"{center[0] if center != 'air' else 'i'}{leader[0] if leader != 'air' else 'i'}{n}"
                rest = [e for e in ELEMENTS if e != leader]
                edge = {leader: 5, rest[0]: 4, rest[1]: 4, rest[2]: 3}
                faces[name] = RoxFace(name, f"{name}.png", center, edge, (leader,))
    return RoxDeck("letters", (59.0, 92.0), 3.0, ELEMENTS, faces, {})


DECK = letters_deck()
SIX = ["fw1", "we1", "ei1", "im1", "mf1", "fw2"]
"""A valid row of six: fire, water, earth, air, magic, fire."""


def judged(rows: dict[str, list[str]], confidence: dict[str, float] | None = None, **more: object) -> list[RowRuling]:
    table = tidy_table(DECK, rows, confidence)
    return list(judge_rows(table, find_rows(table, DECK), DECK, **more))  # type: ignore[arg-type]


def ruled(
    rows: dict[str, list[str]],
    caller: str = "south",
    values: tuple[int, ...] = (7, 4, 2),
    confidence: dict[str, float] | None = None,
    declarations: tuple[object, ...] = (),
    **options: int,
) -> Ruling:
    table = tidy_table(DECK, rows, confidence)
    dealt = [DealtCard(v) for v in values[: len(rows) - 1]]
    return judge_round(table, DECK, tuple(rows), caller, dealt, RoxOptions(**options), declarations)  # type: ignore[arg-type]


def valid(length: int, n: int = 0) -> list[str]:
    """A valid row of water cards only; `n` keeps rows apart."""
    return [f"{'wfeim'[n]}{'wfeim'[n]}{k}" for k in range(1, length + 1)]


def points(ruling: Ruling) -> dict[str, int]:
    return {a.seat: a.points for a in ruling.awards}


def test_the_most_frequent_symbol_must_be_at_the_centre_of_the_next_card() -> None:
    """Printed: “This symbol must also appear at the center of the stone on the next card that you lay down”."""
    (row,) = judged({"south": ["fw1", "we1"]})
    assert row.cards[1].link is Call.LEGAL
    (row,) = judged({"south": ["fw1", "ei1"]})
    assert row.cards[1].link is Call.VIOLATION


def test_the_link_verdict_carries_the_counts_that_a_sentence_needs() -> None:
    """The numbers behind a wrong link name the leader, its count and the centre that was found."""
    verdict = next(
        v for v in ruled({"south": ["fw1", "ei1", "im1"], "north": valid(3)}).verdicts if v.rule == "rox.link"
    )
    assert verdict.call is Call.VIOLATION
    assert verdict.seat == "south"
    assert verdict.about == ("fw1", "ei1")
    assert (verdict.facts["leader"], verdict.facts["leader_count"], verdict.facts["center"]) == ("water", 5, "earth")
    assert verdict.facts["counts"] == DECK.faces["fw1"].edge


@pytest.mark.parametrize(("length", "min_row", "counts"), [(2, 3, False), (3, 3, True), (2, 2, True), (1, 2, False)])
def test_r01_a_row_needs_more_than_two_cards_or_at_least_two_in_the_other_printing(
    length: int, min_row: int, counts: bool
) -> None:
    """German: "aus mehr als zwei Karten"; English: "at least two cards"."""
    (row,) = judged({"south": valid(length)}, options=RoxOptions(min_row=min_row))
    assert (row.valid_length, row.counts) == (length, counts)


def test_r02_after_a_wrong_link_the_following_cards_go_and_the_prefix_stays() -> None:
    """Printed: “Mische alle nachfolgenden Karten der Reihe wieder offen unter die anderen”."""
    (row,) = judged({"south": ["fw1", "we1", "ei1", "mf1", "fw2", "we2"]})
    assert (row.call, row.valid_length, row.break_at, row.counts) == (Call.VIOLATION, 3, 3, True)
    assert [c.link for c in row.cards] == [None, Call.LEGAL, Call.LEGAL, Call.VIOLATION, Call.LEGAL, Call.LEGAL]


def test_r03_the_start_card_is_one_of_the_six() -> None:
    """Printed: “bis einer von euch eine Reihe von sechs Karten vor sich liegen hat”; with five the call is in doubt."""
    six = next(v for v in ruled({"south": SIX, "north": valid(3)}).verdicts if v.rule == "rox.six-cards")
    assert six.call is Call.LEGAL
    ruling = ruled({"south": SIX[:5], "north": valid(3)})
    five = next(v for v in ruling.verdicts if v.rule == "rox.six-cards")
    assert (five.call, five.facts) == (Call.UNCERTAIN, {"cards": 5, "needs": 6})
    assert [(q.rule, q.blocking) for q in ruling.questions] == [("rox.six-cards", False)]
    assert ruling.is_settled


def test_r04_only_cards_on_the_table_count() -> None:
    """The round ends at the call, so a player with three cards laid ranks with three, whatever is in the hand."""
    ruling = ruled({"south": SIX, "north": valid(3)})
    assert [(r.seat, r.length) for r in ruling.ranking] == [("south", 6), ("north", 3)]


def test_the_longest_valid_row_takes_the_most_valuable_card_and_so_on() -> None:
    """Printed: “Whoever has the longest valid row of cards … the second longest valid row … and so on”."""
    rows = {"south": SIX, "west": valid(3), "north": valid(5, 1), "east": valid(4, 2)}
    assert points(ruled(rows, values=(2, 7, 4))) == {"south": 7, "north": 4, "east": 2}


def test_r05_the_caller_comes_first_among_equal_rows() -> None:
    """Printed: “Ist derjenige darunter, der die Runde beendet hat”: he receives the most valuable card."""
    rows = {"south": valid(4), "west": valid(4, 1), "north": valid(4, 2)}
    assert points(ruled(rows, caller="north")) == {"north": 7, "south": 4}


@pytest.mark.parametrize(
    ("caller", "order"),
    [
        ("south", ["west", "north", "east"]),
        ("west", ["north", "east", "south"]),
        ("north", ["east", "south", "west"]),
        ("east", ["south", "west", "north"]),
    ],
)
def test_r05_then_the_nearest_to_the_callers_left(caller: str, order: list[str]) -> None:
    """Somebody at the picture's bottom, facing it, has the picture's left side at the left hand: clockwise."""
    lengths = dict.fromkeys(["south", "west", "north", "east"], 4)
    lengths[caller] = 6
    assert [r.seat for r in rank(lengths, caller)] == [caller, *order]
    assert [turns_from(caller, s) for s in order] == [1, 2, 3]


def test_r05_the_tie_rule_parts_every_tied_group() -> None:
    """Two pairs: each is ordered by itself, the longer pair first."""
    ranking = rank({"south": 3, "west": 5, "north": 3, "east": 5}, "north")
    assert [r.seat for r in ranking] == ["east", "west", "north", "south"]
    assert [r.tied_with for r in ranking] == [("west",), ("east",), ("south",), ("north",)]


def test_r06_the_caller_keeps_the_privilege_with_a_short_row() -> None:
    """The caller's six cards are valid to the third only, and tie with another row of three."""
    rows = {"south": ["fw1", "we1", "ei1", "mf1", "fw2", "we2"], "west": valid(3, 1)}
    assert points(ruled(rows, caller="south")) == {"south": 7}


def test_r07_one_scoring_card_fewer_than_players_so_the_last_gets_none() -> None:
    """Printed: “Zieht davon eine Karte weniger als ihr Spieler seid”."""
    rows = {"south": SIX, "west": valid(3), "north": valid(4, 1)}
    assert points(ruled(rows, values=(9, 8))) == {"south": 9, "north": 8}


def test_r08_the_dearest_card_is_always_taken_first() -> None:
    """The order in which the cards were dealt does not matter."""
    ranking = rank({"south": 6, "north": 4}, "south")
    awards, left = hand_out(ranking, [DealtCard(1, "a"), DealtCard(10, "b"), DealtCard(5, "c")])
    assert awards == (Award("south", 10, "b"), Award("north", 5, "c"))
    assert left == (1,)


def test_r09_what_nobody_can_take_goes_out_of_the_game() -> None:
    """Printed: “Bleiben am Ende einer Runde Punktekarten übrig … die Schachtel zurück”."""
    ruling = ruled({"south": valid(2), "west": valid(3, 1), "north": valid(1, 2)})
    assert points(ruling) == {"west": 7}
    assert ruling.left_over == (4,)


def test_r10_nobody_valid_means_nobody_scores() -> None:
    """All scoring cards of the round go back into the box."""
    ruling = ruled({"south": valid(2), "west": valid(2, 1)})
    assert (ruling.awards, ruling.left_over, ruling.is_settled) == ((), (7,), True)


def test_r11_either_of_two_leaders_may_follow_only_where_the_deck_says_so() -> None:
    """A tied card in a deck with tied leaders accepts both."""
    tied = RoxFace("tt", "tt.png", "fire", {"water": 6, "earth": 6, "air": 4}, ("water", "earth"))
    deck = replace(DECK, faces={**DECK.faces, "tt": tied}, tied_leaders=True)
    for follower, call in (("we1", Call.LEGAL), ("ei1", Call.LEGAL), ("im1", Call.VIOLATION)):
        table = tidy_table(deck, {"south": ["tt", follower]})
        (row,) = judge_rows(table, find_rows(table, deck), deck)
        assert row.cards[1].link is call


def test_r13_rows_run_from_the_owners_left_to_the_right_at_all_four_sides() -> None:
    """Printed: “legst du sie rechts neben die zuletzt von dir abgelegte Karte”: to the right as the owner sees it."""
    rows = {"south": SIX, "west": valid(4, 1), "north": valid(5, 2), "east": valid(3, 3)}
    table = tidy_table(DECK, rows)
    assert {r.seat: list(r.keys) for r in find_rows(table, DECK).rows} == rows
    at = {p.key: p.pose for p in table.placements}
    assert at[SIX[0]].x_mm < at[SIX[1]].x_mm
    assert at["ff1"].y_mm < at["ff2"].y_mm
    assert at["ee1"].x_mm > at["ee2"].x_mm
    assert at["ii1"].y_mm > at["ii2"].y_mm


def test_r16_the_sixth_cards_edge_does_not_matter() -> None:
    """Six cards have five links, whatever leads the last card's edge."""
    for last in ("fw2", "ff2", "fm2"):
        (row,) = judged({"south": [*SIX[:5], last]})
        assert (row.call, row.valid_length) == (Call.LEGAL, 6)


def test_r17_no_rule_takes_points_away() -> None:
    """There is no penalty in Rox, not even for a row that breaks at its second card."""
    assert ruled({"south": ["fw1", "ei1", "im1"], "north": valid(3)}).penalties == ()


def test_an_unreadable_card_makes_its_links_unsure_and_asks() -> None:
    """A card that nobody can read is never called wrong, and a ranking that hangs on it is not guessed."""
    ruling = ruled({"south": SIX, "north": valid(6, 2)}, confidence={"ei1": 0})
    south = ruling.rows[0]
    assert south.call is Call.UNCERTAIN
    assert [c.link for c in south.cards[2:4]] == [Call.UNCERTAIN, Call.UNCERTAIN]
    assert south.possible_lengths == (2, 3, 6)
    assert (south.valid_length, south.counts, south.break_at) == (2, False, None)
    assert not ruling.is_settled
    assert ruling.awards == ()
    assert [(q.about, q.blocking) for q in ruling.questions] == [(("we1", "ei1"), True), (("ei1", "im1"), True)]


def test_a_doubt_that_changes_nothing_does_not_ask() -> None:
    """The longest row is first either way, so the hand-out stands and the question does not block."""
    ruling = ruled({"south": SIX, "north": valid(4, 2)}, confidence={"ee4": 0})
    assert ruling.is_settled
    assert points(ruling) == {"south": 7}
    assert [q.blocking for q in ruling.questions] == [False]


@pytest.mark.parametrize(("confidence", "call"), [(0.99, Call.VIOLATION), (0.8, Call.UNCERTAIN), (0.3, Call.UNCERTAIN)])
def test_a_doubtful_reading_never_breaks_a_row(confidence: float, call: Call) -> None:
    """A wrong link is called only where both readings are sure."""
    (row,) = judged({"south": ["fw1", "ei1", "im1"]}, {"ei1": confidence})
    assert row.cards[1].link is call


def test_two_readings_that_agree_on_the_centre_leave_the_link_sure() -> None:
    """The card is one of two, but both show water: the link holds, only the next one is open."""
    table = tidy_table(DECK, {"south": ["fw1", "we1", "ei1"]})
    doubtful = tuple(
        replace(p, confidence=0.5, candidates=(Candidate("we1", 0.5), Candidate("wi1", 0.49))) if p.key == "we1" else p
        for p in table.placements
    )
    table = replace(table, placements=doubtful)
    (row,) = judge_rows(table, find_rows(table, DECK), DECK)
    assert [c.link for c in row.cards] == [None, Call.LEGAL, Call.UNCERTAIN]


def test_a_face_seen_twice_is_doubted_at_both_places() -> None:
    """A deck has each card once, so one of two equal readings is wrong and neither may break a row."""
    table = tidy_table(DECK, {"south": ["fw1", "ei1", "im1"], "north": valid(3)})
    again = replace(table.placement("ww3"), key="twin", face="ei1")
    table = replace(table, placements=tuple(again if p.key == "ww3" else p for p in table.placements))
    ruling = judge_round(table, DECK, ("south", "north"), "south", [DealtCard(3)])
    assert ruling.rows[0].cards[1].link is Call.UNCERTAIN
    assert [v.about for v in ruling.verdicts if v.rule == "rox.one-of-each"] == [("ei1", "twin")]


def test_a_weak_second_reading_of_a_face_does_not_shake_a_sure_one() -> None:
    """A doubtful sighting in the heap does not make a clear row card unsure."""
    table = tidy_table(DECK, {"south": ["fw1", "we1", "ei1"], "north": valid(3)}, pool=("mm1",))
    weak = replace(table.placement("mm1"), face="we1", confidence=0.5)
    table = replace(table, placements=tuple(weak if p.key == "mm1" else p for p in table.placements))
    ruling = judge_round(table, DECK, ("south", "north"), "south", [DealtCard(3)])
    assert ruling.rows[0].call is Call.LEGAL


def test_a_face_down_card_is_never_called_right_or_wrong() -> None:
    """Its back says nothing about its edge."""
    table = tidy_table(DECK, {"south": ["fw1", "we1", "ei1"]})
    turned = tuple(replace(p, side=Side.BACK) if p.key == "we1" else p for p in table.placements)
    table = TableState(turned, table.view)
    (row,) = judge_rows(table, find_rows(table, DECK), DECK)
    assert [c.link for c in row.cards] == [None, Call.UNCERTAIN, Call.UNCERTAIN]


def test_a_missing_row_is_asked_for() -> None:
    """A player always has at least a start card: no row in sight means that the picture misses it."""
    table = tidy_table(DECK, {"south": SIX})
    ruling = judge_round(table, DECK, ("south", "north"), "south", [DealtCard(3)])
    assert [(q.rule, q.seat, q.blocking) for q in ruling.questions] == [("rox.row-seen", "north", True)]
    empty = judge_round(table, DECK, ("south", "north"), "south", [DealtCard(3)], None, [DeclaredRow("north", ())])
    assert points(empty) == {"south": 3}


def test_people_have_the_last_word_on_cards_links_rows_and_awards() -> None:
    """Each kind of declaration replaces what the camera read."""
    rows = {"south": ["fw1", "ei1", "im1"], "north": valid(3)}
    assert points(ruled(rows)) == {"north": 7}
    face = ruled(rows, declarations=(DeclaredFace("ei1", "wi2"),))
    assert points(face) == {"south": 7}
    assert face.rows[0].cards[1].declared
    link = ruled(rows, declarations=(DeclaredLink("ei1", Call.LEGAL),))
    assert points(link) == {"south": 7}
    assert link.rows[0].cards[1].overruled
    row = ruled(rows, declarations=(DeclaredRow("south", (RowCard("fw1"), RowCard(None, "we5"), RowCard("ei1"))),))
    assert points(row) == {"south": 7}
    assert row.rows[0].cards[1].key.startswith("+")
    stated = ruled(rows, declarations=(DeclaredAwards((Award("south", 7),)),))
    assert points(stated) == {"south": 7}


def test_the_last_declaration_about_a_thing_counts() -> None:
    """Somebody changes his mind twice."""
    rows = {"south": ["fw1", "ei1", "im1"], "north": valid(3)}
    twice = (DeclaredLink("ei1", Call.LEGAL), DeclaredLink("ei1", Call.VIOLATION))
    assert points(ruled(rows, declarations=twice)) == {"north": 7}


def test_a_link_over_an_empty_place_is_not_judged() -> None:
    """Where a card may have been overlooked, its neighbours are not held against each other."""
    table = tidy_table(DECK, {"south": SIX, "north": valid(3)})
    gap = replace(table, placements=tuple(p for p in table.placements if p.key != "ei1"))
    layout = find_rows(gap, DECK)
    south = layout.row("south")
    assert south is not None
    assert (south.keys, south.holes) == (("fw1", "we1", "im1", "mf1", "fw2"), (2,))
    ruling = judge_rows(gap, layout, DECK)[0]
    assert ruling.cards[2].link is Call.UNCERTAIN


def test_scoring_cards_are_read_from_the_table() -> None:
    """Known by their faces, highest first, and never part of a row."""
    deck = replace(DECK, scoring_cards=_scoring())
    table = tidy_table(deck, {"south": SIX, "north": valid(3)}, scoring=("P1", "P9", "P4"))
    assert read_scoring(table, deck) == (DealtCard(9, "P9"), DealtCard(4, "P4"), DealtCard(1, "P1"))
    assert find_rows(table, deck).scoring == ("P1", "P9", "P4")


def _scoring() -> dict[str, ScoringCard]:
    return {f"P{v}": ScoringCard(f"P{v}", f"P{v}.png", v) for v in (1, 4, 9)}
