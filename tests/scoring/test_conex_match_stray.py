"""Tables that do not follow from the match of CONEX: told with the cards concerned, never guessed, and put right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scoring.commands import AcceptTable, ConfirmRound, RecordTable
from scoring.errors import RefereeError
from scoring.games.conex_play import named
from scoring.games.conex_same import follow, keys_in_match, match_keys, on_play, renamed
from scoring.games.conex_track import Seen, Stray, look
from scoring.match import judge_live, news, out_of_step
from scoring.moves import DeclaredCall, DeclaredDouble, DeclaredFace, DeclaredPoints, DeclaredStar
from scoring.play import OutOfStep, Phase
from scoring.table import Candidate, Pose, Side, TableState
from scoring.verdicts import Call, RulingStatus
from tests.scoring.conex_game import Table
from tests.scoring.conex_tables import card
from tests.scoring.conex_tables import table as on_table


def two_lie() -> Table:
    """Max and Nele have laid; south is to play."""
    table = Table()
    table.laid("max", "bl")
    table.laid("nele", "bl", "max")
    return table


def several(t: Table) -> None:
    t.put("plus", "tl")
    t.put("die", "tr")


def gone(t: Table) -> None:
    t.take("nele")


def moved(t: Table) -> None:
    t.take("nele")
    t.put("nele", "br")


def swapped(t: Table) -> None:
    t.take("nele")
    t.put("plus", "tl")


@pytest.mark.parametrize(
    ("change", "reason", "faces"),
    [
        (several, Stray.SEVERAL, {"plus", "die"}),
        (gone, Stray.GONE, {"nele"}),
        (moved, Stray.MOVED, {"nele"}),
        (swapped, Stray.GONE, {"nele"}),
    ],
    ids=["several", "gone", "moved", "swapped"],
)
def test_what_is_no_move_is_out_of_step(change: Callable[[Table], None], reason: Stray, faces: set[str]) -> None:
    """It is told why and with which cards, nothing is recorded, and putting the pieces back clears it."""
    table = two_lie()
    lying = dict(table.cards)
    change(table)
    told = out_of_step(table.state, table.table())
    assert told is not None
    assert (told.reason, set(told.faces)) == (reason, faces)
    assert not news(table.state, table.table())
    length = len(table.log)
    with pytest.raises(RefereeError):
        table.see()
    assert len(table.log) == length
    table.cards = lying
    assert out_of_step(table.state, table.table()) is None


def test_the_table_can_be_taken_as_it_lies() -> None:
    """The way out for people: no points, no judgement, and the next card is judged against it."""
    table = two_lie()
    swapped(table)
    table.take_as_it_lies()
    assert (table.phase, table.play.to_play) == (Phase.TURN, "south")
    assert table.totals == {"south": 4, "west": 4}
    table.laid("felix", "tl", "plus")
    assert table.totals["south"] == 10


def test_taking_the_table_drops_a_card_that_waits() -> None:
    """What was judged and did not count is gone; it stays among the overruled rulings."""
    table = two_lie()
    table.lay("plus", "tl")
    table.take_as_it_lies()
    assert table.phase is Phase.TURN
    assert [v.status for v in table.turn.versions] == [RulingStatus.OVERRULED]


def test_a_still_table_is_no_news() -> None:
    """Neither a flicker of the reading nor a jitter of half a millimetre makes the log grow."""
    table = two_lie()
    for _ in range(3):
        assert not news(table.state, table.table())
    table.lay("plus", "tl")
    piece = table.cards["plus"]
    table.cards["plus"] = replace(piece, pose=replace(piece.pose, x_mm=piece.pose.x_mm + 0.5))
    assert not news(table.state, table.table())
    table.cards["plus"] = replace(piece, face=None, confidence=0.6)
    assert not news(table.state, table.table())


def test_a_card_of_an_earlier_turn_that_is_read_otherwise_stays_what_it_was() -> None:
    """An accepted name is kept against a less sure reading, and doubted where the picture is as sure."""
    table = two_lie()
    table.cards["nele"] = replace(table.cards["nele"], face="rosso", confidence=0.8)
    table.put("plus", "tl")
    table.see()
    assert table.turn.table is not None
    assert table.turn.table.placement("nele").face == "nele"
    assert table.placement.call is Call.LEGAL


def test_a_surely_different_reading_puts_the_name_in_doubt() -> None:
    """Two sure readings that contradict each other are no certainty; a name that a person stated is."""
    old = card("a", 0, 0, confidence=0.95)
    new = card("a", 0, 0, face="b", confidence=0.97)
    view = Table().table().view
    (seen,) = follow(TableState((old,), view), TableState((new,), view)).placements
    assert (seen.face, seen.confidence) == ("a", 0.5)
    assert {c.face for c in seen.candidates} == {"a", "b"}
    (stated,) = follow(TableState((replace(old, confidence=1.0),), view), TableState((new,), view)).placements
    assert (stated.face, stated.confidence) == ("a", 1.0)


def test_a_new_card_with_the_name_of_one_that_lies_has_no_name() -> None:
    """Each card exists once; it is asked for, not guessed."""
    table = two_lie()
    table.put("plus", "tl")
    table.cards["twin"] = replace(table.cards.pop("plus"), key="twin", face="nele")
    table.see()
    assert table.placement.call is Call.UNCERTAIN
    assert table.phase is Phase.VERDICT
    table.say(DeclaredFace("twin", "plus"))
    assert (table.placement.call, table.placement.points) == (Call.LEGAL, 5)


def test_all_keys_may_change() -> None:
    """A single photo and a restarted program number the cards anew; the cards are known by name and place."""
    table = two_lie()
    table.put("plus", "tl")
    seen = table.table()
    names = {"max": "0", "nele": "max", "plus": "nele"}
    pieces = tuple(replace(p, key=names[p.key]) for p in seen.placements)
    covers = tuple((names[a], names[b]) for a, b in seen.covers)
    found = look(table.play, replace(seen, placements=pieces, covers=covers))
    assert found.seen is Seen.LAID
    assert {p.key: p.face for p in found.table.placements} == {"max": "max", "nele": "nele", found.placed: "plus"}


def test_an_unread_card_is_known_by_its_place() -> None:
    """A new key and no name, but it lies where one lay."""
    table = two_lie()
    before = table.table()
    piece = table.cards["nele"]
    after = replace(before, placements=(before.placements[0], replace(piece, key="9", face=None, confidence=0.7)))
    assert match_keys(before, after) == {"max": "max", "nele": "9"}


def test_a_push_is_no_move() -> None:
    """A card that is pushed by a few millimetres while another is laid stays what it is."""
    table = two_lie()
    piece = table.cards["nele"]
    table.cards["nele"] = replace(piece, pose=replace(piece.pose, x_mm=piece.pose.x_mm + 8, y_mm=piece.pose.y_mm - 5))
    assert out_of_step(table.state, table.table()) is None
    assert not news(table.state, table.table())
    table.lay("plus", "tl")
    assert table.placement.call is Call.LEGAL


def test_the_pile_and_what_lies_outside_the_area_are_no_moves() -> None:
    """A card that shows its back and one that lies wholly beyond the border are not in the game."""
    table = Table(start=False)
    table.area = ((-200.0, -200.0), (200.0, -200.0), (200.0, 200.0), (-200.0, 200.0))
    table.see()
    table.cards["pile"] = card("pile", 150, 150, face=None, side=Side.BACK)
    table.cards["x01"] = card("x01", 320, 0)
    assert not news(table.state, table.table())
    assert [p.key for p in on_play(table.table()).placements] == ["pile"]
    assert on_play(replace(table.table(), area=())) == replace(table.table(), area=())


def test_something_that_is_hardly_a_card_is_no_move() -> None:
    """A hand's shadow that nobody would call a card asks nobody anything."""
    table = Table()
    table.cards["shadow"] = card("shadow", 150, 150, face=None, confidence=0.3, candidates=())
    assert not news(table.state, table.table())


def test_an_unreadable_card_that_was_laid_is_asked_for() -> None:
    """It is judged as far as it goes, and people say which card it is."""
    table = Table()
    table.put("max", "bl")
    table.cards["max"] = replace(table.cards["max"], face=None, confidence=0.8, candidates=())
    table.see()
    assert table.placement.call is Call.UNCERTAIN
    assert table.turn.ruling is not None
    assert not table.turn.ruling.is_settled
    table.say(DeclaredCall("max", Call.LEGAL))
    assert not table.turn.ruling.is_settled, "allowed, but nobody knows the number yet"
    table.say(DeclaredFace("max", "max"))
    table.accept()
    assert table.totals["south"] == 4


def test_a_card_that_is_nudged_free_is_judged_again() -> None:
    """Two millimetres may be all that was wrong: what waits and is not allowed is looked at closely."""
    table = two_lie()
    table.lay("plus", "tl", shift=(0.0, 0.0))
    piece = table.cards["plus"]
    table.say(DeclaredCall("plus", Call.VIOLATION))
    assert table.placement.call is Call.VIOLATION
    table.cards["plus"] = replace(piece, pose=replace(piece.pose, x_mm=piece.pose.x_mm + 2.0))
    assert news(table.state, table.table())
    table.see()
    assert table.placement.call is Call.LEGAL
    assert table.turn.declarations == ()


def test_what_was_stated_stays_while_the_card_lies_still() -> None:
    """Another look at the same card takes nothing back."""
    table = two_lie()
    table.say(DeclaredStar("2x", "south"))
    table.lay("plus", "tl")
    table.say(DeclaredDouble(True))
    table.see()
    assert table.placement.points == 10
    assert table.turn.versions == (table.turn.versions[0],), "only the statement changed the ruling"


def test_a_card_beside_one_that_is_wrong_is_out_of_step() -> None:
    """The wrong one comes first."""
    table = two_lie()
    table.lay("big", "br", "max")
    table.put("plus", "tl")
    told = out_of_step(table.state, table.table())
    assert told == OutOfStep(Stray.WRONG, ("plus",), ("plus",))


def test_a_card_taken_while_another_waits_needs_the_star() -> None:
    """Without the star it is gone; with it the waiting card counts and lightning is used."""
    table = two_lie()
    table.lay("plus", "tl")
    nele = table.cards["nele"]
    table.take("nele")
    told = out_of_step(table.state, table.table())
    assert told is not None
    assert told.reason == Stray.GONE
    table.cards["nele"] = nele
    table.say(DeclaredStar("lightning", "south"))
    table.take("nele")
    table.see()
    assert table.play.turns[2].lightning is not None
    assert table.play.turns[2].lightning.at_end
    assert table.totals["south"] == 9
    assert table.play.to_play == "west"


def test_a_card_that_a_person_says_was_taken_must_be_off() -> None:
    """The record says so and the table does not: told until it is off, in the next turn too."""
    table = two_lie()
    table.say(DeclaredStar("lightning", "south"))
    table.lightning("nele")
    told = out_of_step(table.state, table.table())
    assert told == OutOfStep(Stray.STILL_LIES, ("nele",), ("nele",))
    table.draw()
    told = out_of_step(table.state, table.table())
    assert told is not None
    assert told.reason == Stray.STILL_LIES
    table.take("nele")
    assert out_of_step(table.state, table.table()) is None


def test_a_wrong_removal_is_undone_by_putting_the_card_back() -> None:
    """A card that was not free: back where it lay the star is as it was."""
    table = two_lie()
    table.say(DeclaredStar("lightning", "south"))
    lying = dict(table.cards)
    table.take("max")
    table.see()
    assert table.phase is Phase.VERDICT
    assert table.verdict("lightning").call is Call.VIOLATION
    table.cards = lying
    table.see()
    assert table.phase is Phase.TURN
    assert table.play.ledger.stars["lightning"].usable
    assert table.play.ledger.hands == {"south": 4, "west": 4}


def test_a_wrong_removal_at_the_end_keeps_the_turn_open() -> None:
    """The card that was laid counts; the star is put right first."""
    table = two_lie()
    table.say(DeclaredStar("lightning", "south"))
    table.laid("plus", "tl")
    lying = dict(table.cards)
    table.take("max")
    table.see()
    assert (table.phase, table.play.to_play) == (Phase.VERDICT, "south")
    table.put("die", "tr")
    told = out_of_step(table.state, table.table())
    assert told is not None
    assert told.reason == Stray.WRONG
    table.cards = lying
    table.see()
    assert (table.phase, table.play.to_play) == (Phase.ENDING, "south")
    assert table.totals["south"] == 9
    table.end_turn()
    assert table.play.to_play == "west"


def test_a_live_table_is_judged_without_being_recorded() -> None:
    """What it would be ruled, or nothing where there is nothing to rule."""
    table = two_lie()
    length = len(table.log)
    assert judge_live(table.state, table.table()).status is RulingStatus.WITHHELD
    table.put("plus", "tl")
    live = judge_live(table.state, table.table())
    assert live.placement is not None
    assert live.placement.points == 5
    assert len(table.log) == length


def test_a_table_turned_a_little_by_the_tracker_follows() -> None:
    """A few tenths of a degree over the whole table are no moves."""
    table = two_lie()
    for key, p in table.cards.items():
        table.cards[key] = replace(p, pose=Pose(p.pose.x_mm + 0.4, p.pose.y_mm - 0.3, p.pose.angle_rad + 0.003))
    assert look(table.play, table.table()).seen is Seen.NOTHING


def test_candidates_name_nobody_twice() -> None:
    """A contradicted name leaves no candidates behind that would bring it back."""
    view = Table().table().view
    old = card("a", 0, 0)
    new = card("b", 200, 0, face="a", candidates=(Candidate("a", 0.99),))
    seen = follow(TableState((old,), view), TableState((old, new), view))
    assert seen.placement("b").candidates == ()
    assert seen.placement("b").face is None


def counted_anew(table: TableState) -> TableState:
    """The same table in a picture that was read for itself: its cards are counted from 0, the last one first."""
    names = {p.key: str(n) for n, p in enumerate(reversed(table.placements))}
    return renamed(table, names)


def test_a_picture_read_for_itself_keeps_the_cards_apart() -> None:
    """Its keys are not the match's: a correction of the laid card names that card, and never the one below it."""
    t = Table()
    t.put("max", "bl")
    t.do(RecordTable("t", counted_anew(t.table())))
    t.do(ConfirmRound("t"))
    t.put("nele", "bl", "max")
    t.do(RecordTable("t", counted_anew(t.table())))
    t.undo()
    t.do(RecordTable("t", counted_anew(t.table())))
    assert t.turn.placed is not None
    t.say(DeclaredFace(t.turn.placed, "rosso"))
    assert t.turn.table is not None
    assert t.turn.base is not None
    assert {p.face for p in named(t.turn.base, t.turn).placements} == {"max"}
    assert {p.face for p in named(t.turn.table, t.turn).placements} == {"max", "rosso"}


def test_keys_of_another_count_become_those_of_the_match() -> None:
    """What lies keeps its key, and a new card whose key is used already gets one of its own."""
    before = on_table(card("max", 0, 0, key="0"), card("nele", 80, 0, key="1"))
    after = on_table(card("max", 0, 0, key="1"), card("plus", 160, 0, key="0"), card("nele", 80, 0, key="2"))
    gone = card("low", 0, 160, key="0.2")
    assert keys_in_match(before, (gone,), after) == {"1": "0", "2": "1", "0": "0.3"}
    assert keys_in_match(before, (gone,), on_table(replace(gone, key="7"))) == {"7": "0.2"}


def test_a_star_goes_with_the_card_that_lightning_took() -> None:
    """It is not left lying where there is no card any more."""
    t = two_lie()
    t.say(DeclaredStar("lightning", "south"))
    t.star("nele")
    t.do(AcceptTable("t", t.table()))
    t.lightning("nele")
    t.say(DeclaredPoints(3))
    assert t.turn.before is not None
    assert t.turn.base is not None
    assert ([s.on for s in t.turn.before.tokens], t.turn.base.tokens) == (["nele"], ())
