"""CONEX, sentence by sentence: turns, points, action cards, stars, the end. C11-C28 are readings of silent places."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.commands import ConfirmRound, CreateMatch, FinishMatch, Pass, UseLightning
from scoring.errors import RefereeError
from scoring.events import LightningUsed, Player
from scoring.games.conex_judge import pawn_verdicts, square_of
from scoring.games.conex_play import Deed, Ending
from scoring.match import MatchState, decide, fold, legal_commands
from scoring.moves import (
    DeclaredCall,
    DeclaredDouble,
    DeclaredHand,
    DeclaredPile,
    DeclaredPoints,
    DeclaredStar,
    DieFace,
    Source,
)
from scoring.play import Phase
from scoring.table import BOARD, Token, TokenKind
from scoring.verdicts import Call, RulingStatus
from tests.scoring.conex_game import DECK, NAMES, Table, pawn_deck
from tests.scoring.layouts import make_deck


def refused(table: Table, command: object, words: str) -> None:
    """The command is refused with these words, and nothing of the match changes."""
    before = list(table.log)
    with pytest.raises(RefereeError) as caught:
        table.do(command)  # type: ignore[arg-type]  # any command
    assert words in str(caught.value)
    assert table.log == before


def give(table: Table, kind: str, seat: str) -> None:
    """That seat won the star in an earlier turn."""
    table.say(DeclaredStar(kind, seat))


# --- set-up and order of play ---


def test_the_first_settled_table_is_the_starting_state() -> None:
    """Nothing on it is judged; before it there is nothing to do but to show the table."""
    table = Table(start=False)
    assert table.phase is Phase.LAYOUT
    assert "draw_two" not in legal_commands(table.state)
    table.put("max", "bl")
    table.see()
    assert table.phase is Phase.TURN
    assert table.play.table is not None
    assert [p.key for p in table.play.table.placements] == ["max"]
    assert table.totals == {"south": 0, "west": 0}


def test_an_empty_picture_is_no_start() -> None:
    """Without board and cards there is nothing to begin with."""
    table = Table(start=False)
    table.board = None  # type: ignore[assignment]  # nothing is seen
    with pytest.raises(RefereeError, match="Neither the board nor a card"):
        table.see()


def test_play_goes_round_clockwise_from_the_start_player() -> None:
    """Printed: in turn clockwise; the start player begins. Seats are named south, west, north, east."""
    table = Table("east", "north", "south")
    assert table.play.seats == ("east", "south", "north")
    seen = []
    for _ in range(4):
        seen.append(table.play.to_play)
        table.draw()
    assert seen == ["east", "south", "north", "east"]


def test_the_start_player_can_be_another_than_the_first_named() -> None:
    """Printed: the youngest has the start player card; an option says who that is."""
    table = Table("south", "west", "north", start=False)
    players = tuple(Player(NAMES[s], s) for s in ("south", "west", "north"))
    table.log = list(decide(MatchState(), CreateMatch("t", "conex", players, DECK, {"start": "north"})))
    table.see()
    assert table.play.seats == ("north", "south", "west")
    with pytest.raises(RefereeError, match="Nobody sits at east, who should start"):
        decide(MatchState(), CreateMatch("t", "conex", players, DECK, {"start": "east"}))


def test_a_match_needs_its_own_deck_and_each_player_a_pawn_of_it() -> None:
    """A Rox deck, an unknown pawn and one pawn for two are refused."""
    ada, ben = Player("Ada", "south", "white"), Player("Ben", "west", "white")
    for players, deck, words in (
        ((ada, Player("Ben", "west")), make_deck(), "needs a CONEX deck"),
        ((ada, ben), DECK, "Two players have the white pawn"),
        ((ada, Player("Ben", "west", "gold")), DECK, "no pawn gold"),
        ((ada,), DECK, "2 to 4 players, not 1"),
    ):
        with pytest.raises(RefereeError, match=words):
            decide(MatchState(), CreateMatch("t", "conex", players, deck))


def test_c26_the_start_player_card_is_none_of_the_52() -> None:
    """52 cards, five to each player, the rest is the pile."""
    ledger = Table("south", "west", "north").play.ledger
    assert ledger.pile == 52 - 3 * 5
    assert dict(ledger.hands) == {"south": 5, "west": 5, "north": 5}


def test_a_match_can_begin_with_cards_on_the_table() -> None:
    """They are no longer in the pile."""
    table = Table(start=False)
    table.put("max", "bl")
    table.see()
    assert table.play.ledger.pile == 52 - 10 - 1


# --- one turn: lay or draw ---


def test_max_and_nele() -> None:
    """Printed example: red corner of a purple card on the red space, 4; purple corner on that purple card, 4."""
    table = Table()
    table.laid("max", "bl")
    assert table.totals == {"south": 4, "west": 0}
    assert table.play.to_play == "west"
    table.laid("nele", "bl", "max")
    assert table.totals == {"south": 4, "west": 4}


def test_a_laid_card_leaves_the_hand() -> None:
    """Printed: lay one of the cards that you have in hand."""
    table = Table()
    table.lay("max", "bl")
    assert table.play.ledger.hands["south"] == 5
    table.accept()
    assert table.play.ledger.hands["south"] == 4


def test_drawing_two_ends_the_turn() -> None:
    """Printed: or draw two cards; so the turn ends and that of the next player begins. No points."""
    table = Table()
    table.draw()
    assert (table.play.to_play, table.phase) == ("west", Phase.TURN)
    assert table.play.ledger.hands == {"south": 7, "west": 5}
    assert table.play.ledger.pile == 40
    assert table.totals == {"south": 0, "west": 0}


def test_c11_drawing_is_a_free_choice() -> None:
    """Drawing is offered although nothing keeps the player from laying."""
    assert "draw_two" in legal_commands(Table().state)
    assert "pass" not in legal_commands(Table().state)


def test_c12_with_one_card_left_one_is_drawn() -> None:
    """Draw what is there."""
    table = Table()
    table.say(DeclaredPile(1))
    table.draw()
    assert (table.play.ledger.hands["south"], table.play.ledger.pile) == (6, 0)


def test_c12_with_an_empty_pile_one_passes() -> None:
    """Drawing is not available; passing is, and only then."""
    table = Table()
    refused(table, Pass("t"), "the pile has 42 cards")
    table.say(DeclaredPile(0))
    assert "draw_two" not in legal_commands(table.state)
    with pytest.raises(RefereeError, match="No card is left to draw"):
        table.draw()
    table.pass_()
    assert table.play.turns[0].action is Deed.PASSED
    assert table.play.to_play == "west"


def test_c28_there_is_no_hand_limit() -> None:
    """A player may draw on and on."""
    table = Table()
    for _ in range(20):
        table.draw()
    assert dict(table.play.ledger.hands) == {"south": 25, "west": 25}


def test_the_card_waits_for_the_players() -> None:
    """A ruling is provisional until it is accepted; only then it counts."""
    table = Table()
    table.lay("max", "bl")
    assert table.phase is Phase.VERDICT
    assert table.turn.ruling is not None
    assert table.turn.ruling.status is RulingStatus.PROVISIONAL
    assert table.totals == {"south": 0, "west": 0}
    table.accept()
    assert table.play.turns[0].ruling is not None
    assert table.play.turns[0].ruling.status is RulingStatus.CONFIRMED


def test_the_next_card_accepts_a_legal_one() -> None:
    """Players who do not want to tap just play on: nothing is open about the first card."""
    table = Table()
    table.lay("max", "bl")
    table.lay("nele", "bl", "max")
    assert table.totals == {"south": 4, "west": 0}
    assert table.turn.seat == "west"
    table.undo()
    assert table.totals == {"south": 0, "west": 0}
    assert table.turn.placed == "max"


def test_a_table_that_taps_accepts_nothing_by_itself() -> None:
    """Option `accept` of ``tap``."""
    table = Table(accept="tap")
    table.lay("max", "bl")
    table.put("nele", "bl", "max")
    with pytest.raises(RefereeError, match="not accepted yet"):
        table.see()


# --- a card that is not allowed ---


def lay_wrongly(table: Table) -> None:
    """A card whose corner lies on another colour: yellow corner bottom right... onto the purple card."""
    table.laid("max", "bl")
    table.lay("big", "br", "max", (0.0, 0.0))


def test_a_card_against_the_rules_counts_nothing_and_is_not_accepted() -> None:
    """Printed: you may lay a corner only on a ground of its colour. The card must be taken back or laid anew."""
    table = Table()
    lay_wrongly(table)
    assert table.verdict("color").call is Call.VIOLATION
    assert table.phase is Phase.VERDICT
    assert "confirm_round" not in legal_commands(table.state)
    refused(table, ConfirmRound("t"), "not allowed")
    assert table.totals["west"] == 0


def test_a_card_that_is_taken_back_leaves_the_turn_as_it_was() -> None:
    """The player may lay another card then, or draw."""
    table = Table()
    lay_wrongly(table)
    table.take("big")
    table.see()
    assert (table.phase, table.play.to_play) == (Phase.TURN, "west")
    assert [v.status for v in table.turn.versions] == [RulingStatus.OVERRULED]
    table.draw()
    assert table.totals == {"south": 4, "west": 0}


def test_a_card_that_is_laid_anew_is_judged_anew() -> None:
    """The violation is repaired; no penalty stays."""
    table = Table()
    lay_wrongly(table)
    table.take("big")
    table.put("nele", "bl", "max")
    table.see()
    assert table.placement.call is Call.LEGAL
    table.accept()
    assert table.totals == {"south": 4, "west": 4}


def test_players_may_allow_what_the_rules_do_not() -> None:
    """It is their table; the ruling says that it was overruled, and what the camera measured stays."""
    table = Table()
    lay_wrongly(table)
    table.say(DeclaredCall("big", Call.LEGAL))
    assert table.placement.overruled
    assert table.verdict("color").call is Call.VIOLATION
    table.accept()
    assert table.totals == {"south": 4, "west": 5}


def test_players_may_forbid_what_was_called_legal() -> None:
    """Then it waits to be taken back like any other violation."""
    table = Table()
    table.lay("max", "bl")
    table.say(DeclaredCall("max", Call.VIOLATION))
    assert table.placement.call is Call.VIOLATION
    assert "confirm_round" not in legal_commands(table.state)


# --- plus 2 and die ---


def plus_lies(table: Table) -> None:
    """South has laid the plus-2 card onto turquoise for its printed 5; it is west's turn."""
    table.laid("plus", "tl")


def test_c2_who_lays_a_plus_2_card_gets_the_printed_number_only() -> None:
    """Printed: this card gives no bonus to the player who lays it; its corner brings 5."""
    table = Table()
    plus_lies(table)
    assert table.totals["south"] == 5


def test_felix() -> None:
    """Printed example: yellow corner of 4 onto the free plus-2 card: 4 plus 2, 6 in all."""
    table = Table()
    plus_lies(table)
    table.laid("felix", "tl", "plus")
    assert table.totals["west"] == 6


def test_max_and_the_2x_star() -> None:
    """Printed example: 4 plus 2 is 6, times 2 is 12. C24: the bonus first, then twice."""
    table = Table()
    plus_lies(table)
    give(table, "2x", "west")
    table.put("felix", "tl", "plus")
    table.star("felix")
    table.see()
    assert (table.placement.value, table.placement.bonus, table.placement.points) == (4, 2, 12)
    table.accept()
    assert table.totals["west"] == 12
    assert table.play.ledger.stars["2x"].holder is None


def test_c24_a_laid_plus_2_card_on_another_ground_doubles_its_number_only() -> None:
    """Corner times 2: no bonus for laying the plus-2 card itself."""
    table = Table()
    give(table, "2x", "south")
    table.put("plus", "tl")
    table.star("plus")
    table.see()
    assert table.placement.points == 10


def die_laid(table: Table) -> None:
    """South has laid the die card onto purple for 3 and must roll."""
    table.laid("die", "tr")


def test_c27_points_first_then_the_die() -> None:
    """Printed: first move on by the points of the corner, then roll the die. The turn goes on until then."""
    table = Table()
    die_laid(table)
    assert table.totals["south"] == 3
    assert (table.phase, table.play.to_play) == (Phase.ROLLING, "south")
    assert legal_commands(table.state)[0] == "roll_die"
    table.roll(DieFace.CARD)
    assert table.play.to_play == "west"


def test_the_die_fires_for_who_lays_the_die_card_only() -> None:
    """Laying onto a die card rolls nothing."""
    table = Table()
    die_laid(table)
    table.roll(DieFace.CARD)
    table.laid("tail", "tr", "die")
    assert (table.phase, table.play.to_play, table.totals["west"]) == (Phase.TURN, "south", 3)


@pytest.mark.parametrize(("face", "drawn"), [(DieFace.CARD, 1), (DieFace.TWO_CARDS, 2)])
def test_the_die_gives_cards(face: DieFace, drawn: int) -> None:
    """Printed: draw a card (two cards) from the pile and add it to your hand."""
    table = Table()
    die_laid(table)
    table.roll(face)
    assert (table.play.ledger.hands["south"], table.play.ledger.pile) == (4 + drawn, 42 - drawn)


def test_c12_the_die_gives_no_card_that_is_not_there() -> None:
    """Draw what is there."""
    table = Table()
    table.say(DeclaredPile(1))
    die_laid(table)
    table.roll(DieFace.TWO_CARDS)
    assert (table.play.ledger.hands["south"], table.play.ledger.pile) == (5, 0)


@pytest.mark.parametrize(("face", "kind"), [(DieFace.DOUBLE, "2x"), (DieFace.LIGHTNING, "lightning")])
def test_c25_the_die_takes_a_star_from_whoever_has_it(face: DieFace, kind: str) -> None:
    """Printed: take the star even if another player has it."""
    table = Table()
    give(table, kind, "west")
    die_laid(table)
    table.roll(face)
    star = table.play.ledger.stars[kind]
    assert (star.holder, star.since, star.usable) == ("south", 1, False)


def test_c25_rolling_a_star_that_one_has_changes_nothing() -> None:
    """No effect, no new waiting time."""
    table = Table()
    give(table, "2x", "south")
    die_laid(table)
    table.roll(DieFace.DOUBLE)
    assert table.play.ledger.stars["2x"].since == 0


def test_the_die_is_asked_for_and_not_guessed() -> None:
    """The next card is out of step until somebody tells what the die showed."""
    table = Table()
    table.lay("die", "tr")
    table.put("tail", "tr", "die")
    with pytest.raises(RefereeError, match="die comes first"):
        table.see()
    table.accept()
    with pytest.raises(RefereeError, match="die comes first"):
        table.see()


# --- stars ---


def test_c18_a_star_may_be_used_from_the_owners_next_own_turn() -> None:
    """Printed: the stars may not be used at once, only from the next round on."""
    table = Table()
    die_laid(table)
    table.roll(DieFace.LIGHTNING)
    assert table.play.to_play == "west"
    assert "use_lightning" not in legal_commands(table.state)
    refused(table, UseLightning("t", "die"), "is with south")
    table.draw()
    assert table.play.ledger.stars["lightning"].usable
    assert "use_lightning" in legal_commands(table.state)


def test_c18_the_2x_star_doubles_nothing_in_the_turn_in_which_it_was_won() -> None:
    """Seen on a card too early it is told as not allowed, doubles nothing, and is not accepted in passing."""
    table = Table()
    die_laid(table)
    table.roll(DieFace.DOUBLE)
    table.put("tail", "tr", "die")
    table.star("tail")
    table.see()
    assert table.verdict("star").call is Call.VIOLATION
    assert table.verdict("star").facts["holder"] == "south"
    assert table.placement.points == 3
    table.put("max", "bl")
    with pytest.raises(RefereeError, match="not accepted yet"):
        table.see()


def test_a_star_may_be_kept_for_as_long_as_one_likes() -> None:
    """Printed: you need not use it."""
    table = Table()
    give(table, "2x", "south")
    for _ in range(6):
        table.draw()
    assert table.play.ledger.stars["2x"].holder == "south"


def test_an_uncertain_2x_star_is_asked_for() -> None:
    """The points depend on it; nobody is given or denied them by a guess."""
    table = Table()
    give(table, "2x", "south")
    table.put("max", "bl")
    table.star("max", 0.6)
    table.see()
    assert table.turn.ruling is not None
    assert [q.rule for q in table.turn.ruling.questions] == ["conex.star"]
    assert "confirm_round" not in legal_commands(table.state)
    table.say(DeclaredDouble(True))
    assert table.placement.points == 8
    table.say(DeclaredDouble(False))
    assert table.placement.points == 4
    table.accept()
    assert table.play.ledger.stars["2x"].holder == "south"


def test_whoever_may_use_a_star_that_nobody_has_photographed_is_asked() -> None:
    """It may lie there and not be known; who does not hold it is not asked."""
    looks = {kind: replace(star, guessed=True) for kind, star in DECK.stars.items()}
    table = Table(deck=replace(DECK, stars=looks))
    give(table, "2x", "south")
    table.put("max", "bl")
    table.see()
    assert table.turn.ruling is not None
    assert [q.rule for q in table.turn.ruling.questions] == ["conex.star"]
    table.say(DeclaredDouble(True))
    assert table.placement.points == 8
    other = Table(deck=replace(DECK, stars=looks))
    other.put("max", "bl")
    other.see()
    assert other.placement.points == 4
    assert other.turn.ruling is not None
    assert not other.turn.ruling.questions


def test_a_star_that_is_put_on_later_is_news() -> None:
    """The card waits, then the star comes onto it: the ruling follows."""
    table = Table()
    give(table, "2x", "south")
    table.lay("max", "bl")
    table.star("max")
    table.see()
    assert table.placement.points == 8


def test_the_2x_star_can_be_stated_only_by_who_may_use_it() -> None:
    """And only onto a card of this turn (C23)."""
    table = Table()
    table.lay("max", "bl")
    with pytest.raises(RefereeError, match="not this player's to use"):
        table.say(DeclaredDouble(True))
    table.accept()
    give(table, "2x", "west")
    with pytest.raises(RefereeError, match="goes onto a card that was laid in this turn"):
        table.say(DeclaredDouble(True))


def rosso_lies(table: Table) -> None:
    """A plus-2 card under a red card, by two turns; south to play with a lightning star."""
    table.laid("plus", "tl")
    table.laid("rosso", "tl", "plus")
    give(table, "lightning", "south")


def test_felix_frees_the_plus_2_card() -> None:
    """Printed example: he takes the red card off with the star and lays onto the plus-2 card that is free again."""
    table = Table()
    rosso_lies(table)
    table.take("rosso")
    events = table.see()
    assert isinstance(events[0], LightningUsed)
    assert events[0].source is Source.CAMERA
    assert table.verdict("lightning").call is Call.LEGAL
    assert table.phase is Phase.TURN
    table.lay("felix", "tl", "plus")
    assert table.placement.points == 6
    table.accept()
    assert table.totals["south"] == 5 + 6
    assert table.play.ledger.stars["lightning"].holder is None


def test_lightning_and_a_card_in_one_picture() -> None:
    """Taken off and laid on before the hand was gone: both are seen."""
    table = Table()
    rosso_lies(table)
    table.take("rosso")
    table.lay("felix", "tl", "plus")
    assert table.placement.points == 6
    assert table.turn.lightning is not None


def test_c21_the_card_and_one_card_of_each_other_player_go_under_the_pile() -> None:
    """Printed: all others must put one of their cards under the pile too; who has none gives none."""
    table = Table("south", "west", "north")
    table.laid("plus", "tl")
    table.laid("rosso", "tl", "plus")
    table.draw()
    table.say(DeclaredHand("west", 0))
    give(table, "lightning", "south")
    pile = table.play.ledger.pile
    table.lightning("rosso")
    assert table.play.ledger.pile == pile + 1 + 1
    assert dict(table.play.ledger.hands) == {"south": 4, "west": 0, "north": 6}


def test_c22_a_card_under_another_is_not_free() -> None:
    """Printed: a card that does not lie under another. It is put back, or the players allow it."""
    table = Table()
    rosso_lies(table)
    table.lightning("plus")
    assert table.verdict("lightning").call is Call.VIOLATION
    assert table.verdict("lightning").about == ("plus", "rosso")
    assert table.phase is Phase.VERDICT
    with pytest.raises(RefereeError, match="waits to be accepted"):
        table.draw()
    table.say(DeclaredCall("plus", Call.LEGAL))
    assert table.phase is Phase.TURN


def test_c19_lightning_goes_with_drawing() -> None:
    """At the start or at the end of a turn in which two are drawn."""
    table = Table()
    rosso_lies(table)
    table.lightning("rosso")
    table.draw()
    assert table.play.to_play == "west"
    ruling = table.play.turns[2].ruling
    assert ruling is not None
    assert ruling.status is RulingStatus.CONFIRMED
    table.undo()
    table.undo()
    table.draw()
    assert (table.phase, table.play.to_play) == (Phase.ENDING, "south")
    table.lightning("rosso")
    assert table.play.to_play == "west"


def test_lightning_at_the_end_of_the_turn() -> None:
    """Printed: at the start or at the end of the turn. The turn stays open for it and ends with it."""
    table = Table()
    rosso_lies(table)
    table.laid("max", "bl")
    assert (table.phase, table.play.to_play) == (Phase.ENDING, "south")
    table.take("rosso")
    table.see()
    done = table.play.turns[2]
    assert done.lightning is not None
    assert done.lightning.at_end
    assert table.play.to_play == "west"
    assert table.totals["south"] == 9


def test_the_end_of_the_turn_can_be_told_or_follows_from_the_next_card() -> None:
    """Who keeps the lightning star ends the turn by a tap; the next player's card says the same."""
    table = Table()
    rosso_lies(table)
    table.laid("max", "bl")
    table.end_turn()
    assert table.play.to_play == "west"
    table.undo()
    table.lay("nele", "bl", "max")
    assert table.turn.seat == "west"
    assert table.play.turns[2].closed


def test_c20_lightning_may_take_the_card_that_was_just_laid() -> None:
    """Allowed if it is free; the points stay."""
    table = Table()
    rosso_lies(table)
    table.laid("max", "bl")
    table.take("max")
    table.see()
    assert table.play.to_play == "west"
    assert table.totals["south"] == 9


def test_c23_both_stars_in_one_turn() -> None:
    """Lightning first, then a card with the 2x star on it."""
    table = Table()
    rosso_lies(table)
    give(table, "2x", "south")
    table.take("rosso")
    table.see()
    table.put("felix", "tl", "plus")
    table.star("felix")
    table.see()
    table.accept()
    assert table.totals["south"] == 5 + 12
    assert {s.holder for s in table.play.ledger.stars.values()} == {None}


def test_a_card_that_lightning_took_and_that_lies_again_was_not_taken() -> None:
    """Putting the pieces back is an undo."""
    table = Table()
    rosso_lies(table)
    rosso = table.cards["rosso"]
    table.take("rosso")
    table.see()
    table.cards["rosso"] = rosso
    table.see()
    assert table.turn.lightning is None
    assert table.play.ledger.stars["lightning"].holder == "south"
    assert table.play.ledger.hands["west"] == 4


# --- the end ---


def test_the_goal_ends_the_match_with_the_round() -> None:
    """Printed: as soon as one reaches or passes the goal the round is played to its end."""
    table = Table(deck=pawn_deck(4))
    table.laid("max", "bl")
    assert table.play.last_round
    assert table.phase is Phase.TURN
    table.laid("nele", "bl", "max")
    assert table.phase is Phase.FINISHED
    assert table.play.ending is Ending.GOAL


def test_c14_the_last_player_of_the_round_ends_it_at_once() -> None:
    """The player to the right of the start player needs no further turn of anybody, and rolls nothing any more."""
    table = Table(deck=pawn_deck(3))
    table.draw()
    table.laid("die", "tr")
    assert table.phase is Phase.FINISHED
    assert table.state.winners == ("west",)


def test_c15_a_total_never_loses_its_lap() -> None:
    """Printed: past the goal you start again at square 1. The total goes on, and the highest total wins."""
    table = Table(deck=pawn_deck(4))
    table.laid("plus", "tl")
    table.laid("max", "bl")
    assert table.totals == {"south": 5, "west": 4}
    assert table.state.winners == ("south",)
    assert square_of(5, 4) == 1


def test_c16_after_the_goal_comes_square_one() -> None:
    """The goal square counts as a number; the next is 1."""
    assert [square_of(n, 30) for n in (0, 1, 29, 30, 31, 60, 61)] == [0, 1, 29, 30, 1, 30, 1]


def test_c17_equal_totals_share_the_victory() -> None:
    """Printed: several players in one place win together."""
    table = Table(deck=pawn_deck(4))
    table.laid("max", "bl")
    table.laid("nele", "bl", "max")
    assert sorted(table.state.winners) == ["south", "west"]


def test_c13_a_round_of_passes_with_an_empty_pile_ends_the_match() -> None:
    """Printed: as soon as nobody can lay a card any more."""
    table = Table("south", "west", "north")
    table.say(DeclaredPile(0))
    table.laid("max", "bl")
    table.pass_()
    table.pass_()
    assert table.phase is Phase.TURN
    table.pass_()
    assert table.phase is Phase.FINISHED
    assert table.play.ending is Ending.PASSES
    assert table.state.winners == ("south",)


def test_c13_players_may_agree_that_no_place_is_left() -> None:
    """Printed: or if there is no free place any more. Then it is a regular end, at once."""
    table = Table()
    table.laid("max", "bl")
    table.do(FinishMatch("t", early=False))
    assert table.phase is Phase.FINISHED
    assert table.play.ending is Ending.AGREED
    assert not table.play.early
    assert table.state.winners == ("south",)


def test_stopping_early_is_told_apart() -> None:
    """Nothing can be laid then, and undo takes the end back."""
    table = Table()
    table.do(FinishMatch("t"))
    assert table.play.early
    with pytest.raises(RefereeError, match="the match is over"):
        table.lay("max", "bl")
    table.undo()
    assert table.phase is Phase.TURN


# --- pawns ---


def pawn(name: str, square: int | None, sure: float = 1.0) -> Token:
    return Token(TokenKind.PAWN, name, (3.0, 4.0), BOARD, square, sure)


def test_pawns_are_held_against_the_log_and_never_adopted() -> None:
    """A difference is told with what is expected; totals stay."""
    table = Table()
    table.laid("max", "bl")
    table.tokens = (pawn("white", 3), pawn("black", 0), pawn("orange", 9))
    table.lay("nele", "bl", "max")
    ruling = table.turn.ruling
    assert ruling is not None
    pawns = {v.facts["pawn"]: v for v in ruling.verdicts if v.rule == "conex.pawn"}
    assert {name: v.call for name, v in pawns.items()} == {"white": Call.VIOLATION, "black": Call.LEGAL}
    assert pawns["white"].facts == {"pawn": "white", "square": 3, "expected": 4, "points": 4}
    assert ruling.is_settled
    table.accept()
    assert table.totals == {"south": 4, "west": 4}


def test_the_pawn_of_the_seat_to_play_may_be_moved_already() -> None:
    """Players move as they lay or after it."""
    table = Table()
    for square, call in ((0, Call.LEGAL), (4, Call.LEGAL), (3, Call.VIOLATION)):
        table.tokens = (pawn("white", square),)
        table.lay("max", "bl", shift=(0.0, 0.0))
        assert table.verdict("pawn").call is call
        table.undo()


def test_a_pawn_may_lag_behind_its_points_until_the_next_card_is_laid() -> None:
    """Who laid moves the pawn a little later: the picture before is no difference."""
    table = Table()
    table.laid("max", "bl")
    for square, call in ((0, Call.LEGAL), (4, Call.LEGAL), (1, Call.VIOLATION)):
        table.tokens = (pawn("white", square),)
        (told,) = pawn_verdicts(table.play, table.turn, table.table())
        assert told.call is call
        assert told.facts["expected"] == 4


def test_a_pawn_that_is_read_with_doubt_breaks_nothing() -> None:
    """Unsure is told as unsure; a pawn beside the track is told by nobody."""
    table = Table()
    table.tokens = (pawn("white", 9, 0.6), pawn("black", None))
    table.lay("max", "bl")
    assert table.verdict("pawn").call is Call.UNCERTAIN


# --- the players' own count ---


def test_players_can_settle_a_turn_by_themselves() -> None:
    """What the camera cannot see is stated; the next table is taken as it lies."""
    table = Table()
    table.say(DeclaredPoints(7))
    assert table.phase is Phase.VERDICT
    table.accept()
    assert table.totals["south"] == 7
    table.put("max", "bl")
    table.see()
    assert (table.phase, table.play.to_play) == (Phase.TURN, "west")
    table.laid("nele", "bl", "max")
    assert table.totals == {"south": 7, "west": 4}


def test_a_hand_never_falls_below_nothing() -> None:
    """A count that was wrong stays a count."""
    table = Table()
    table.say(DeclaredHand("south", 0))
    table.laid("max", "bl")
    assert table.play.ledger.hands["south"] == 0


def test_impossible_counts_and_stars_are_refused() -> None:
    """With what is wrong about them."""
    table = Table()
    for what, words in (
        (DeclaredPile(-1), "cannot be -1 cards"),
        (DeclaredHand("east", 3), "Nobody sits at east"),
        (DeclaredStar("sun", None), "no star sun"),
        (DeclaredStar("2x", "north"), "Nobody sits at north"),
        (DeclaredPoints(100), "cannot bring 100 points"),
    ):
        with pytest.raises(RefereeError, match=words):
            table.say(what)


def test_a_match_of_three_is_folded_from_its_log() -> None:
    """The state is the fold of the events, nothing else."""
    table = Table("south", "west", "north")
    table.laid("max", "bl")
    table.draw()
    assert fold(table.log) == table.state
