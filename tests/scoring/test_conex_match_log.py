"""The log of a match of CONEX: corrections long after, undo, storing, judging again, and games that bots play."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.commands import CreateMatch, FinishMatch
from scoring.deck import ConexDeck
from scoring.errors import LogError, RefereeError
from scoring.events import Drew, Event, Player, Rolled, RoundConfirmed, RoundEdited, TableRecorded, decode, encode
from scoring.games.conex_play import Ending
from scoring.match import MatchState, decide, fold, legal_commands, rejudge
from scoring.moves import (
    DeclaredCall,
    DeclaredCaller,
    DeclaredDie,
    DeclaredDouble,
    DeclaredFace,
    DeclaredGround,
    DeclaredPile,
    DeclaredPoints,
    DeclaredSeat,
    DeclaredStar,
    DieFace,
)
from scoring.play import Phase
from scoring.verdicts import Call, Ground, RulingStatus
from tests.scoring.conex_bot import Bot
from tests.scoring.conex_game import DECK, NAMES, Table, pawn_deck
from tests.scoring.layouts import make_deck
from tests.scoring.story import load_deck
from tests.scoring.story_conex import Desk, command_of

# --- corrections ---


def test_a_card_is_corrected_and_the_points_follow() -> None:
    """Another card of the deck lies there: its number counts."""
    table = Table()
    table.lay("max", "bl")
    table.say(DeclaredFace("max", "low"))
    assert (table.placement.face, table.placement.points, table.placement.declared) == ("low", 2, True)
    table.accept()
    assert table.play.table is not None
    assert table.play.table.placement("max").face == "low", "the name stays for the cards that come onto it"


def test_a_card_that_lies_is_named_before_the_next_is_laid() -> None:
    """What it is decides what may come onto it."""
    table = Table()
    table.laid("max", "bl")
    table.say(DeclaredFace("max", "big"))
    assert table.play.table is not None
    assert table.play.table.placement("max").face == "big"
    table.say(DeclaredFace("max", "die"))
    table.lay("nele", "bl", "max")
    assert table.verdict("color").call is Call.VIOLATION


def test_ground_and_corner_are_corrected() -> None:
    """One tap each; what is not stated is left to the camera."""
    table = Table()
    table.lay("max", "bl")
    table.say(DeclaredGround("max", Ground(space=0), 1))
    assert (table.placement.onto, table.placement.corner, table.placement.value) == (Ground(space=0), 1, 2)
    table.say(DeclaredGround("max", corner=0))
    assert (table.placement.onto, table.placement.corner) == (Ground(space=0), 0)


def test_a_turn_is_corrected_long_after() -> None:
    """The earlier ruling stays among the versions, and the total follows."""
    table = Table()
    table.laid("max", "bl")
    table.laid("nele", "bl", "max")
    table.draw()
    (event,) = table.say(DeclaredFace("max", "low"), 1)
    assert isinstance(event, RoundEdited)
    assert table.totals == {"south": 2, "west": 4}
    first = table.play.turns[0]
    assert first.ruling is not None
    assert first.ruling.status is RulingStatus.CONFIRMED
    assert [v.status for v in first.versions] == [RulingStatus.OVERRULED]


def test_a_correction_that_leaves_no_points_is_refused() -> None:
    """A turn that is over cannot become open or illegal again; its points can be stated."""
    table = Table()
    table.laid("max", "bl")
    for what in (DeclaredFace("max", None), DeclaredCall("max", Call.VIOLATION), DeclaredFace("max", "nele")):
        with pytest.raises(RefereeError, match="state its points"):
            table.say(what, 1)
    table.say(DeclaredPoints(0), 1)
    assert table.totals["south"] == 0


def test_a_die_is_corrected_and_its_star_goes_elsewhere() -> None:
    """All that came of the roll follows anew."""
    table = Table()
    table.laid("die", "tr")
    table.roll(DieFace.LIGHTNING)
    table.draw()
    table.say(DeclaredDie(DieFace.TWO_CARDS), 1)
    assert table.play.ledger.stars["lightning"].holder is None
    assert table.play.ledger.hands["south"] == 6
    assert "use_lightning" not in legal_commands(table.state)


def test_a_die_that_was_forgotten_is_told_later() -> None:
    """A card that turns out to be a die card had a roll too."""
    table = Table()
    table.laid("max", "bl")
    table.say(DeclaredDie(DieFace.DOUBLE), 1)
    assert table.play.ledger.stars["2x"].holder == "south"
    table.draw()
    with pytest.raises(RefereeError, match="over"):
        table.say(DeclaredDie(DieFace.DOUBLE), 2)


def test_what_means_nothing_in_conex_is_refused() -> None:
    """So is what was not played."""
    table = Table()
    table.laid("max", "bl")
    with pytest.raises(RefereeError, match="Nobody can state DeclaredCaller"):
        table.say(DeclaredCaller("south"))
    with pytest.raises(RefereeError, match="Turn 3 has not been played"):
        table.say(DeclaredPoints(1), 3)
    with pytest.raises(RefereeError, match="cannot be corrected in it"):
        table.say(DeclaredSeat("west"), 1)
    with pytest.raises(RefereeError, match="was not laid in this turn"):
        table.say(DeclaredGround("max", Ground(space=0)))


def test_an_end_that_a_correction_takes_away_is_no_end() -> None:
    """And one that a correction brings about comes with the end of the round."""
    table = Table(deck=pawn_deck(4))
    table.laid("max", "bl")
    table.draw()
    assert table.phase is Phase.FINISHED
    table.say(DeclaredPoints(3), 1)
    assert (table.phase, table.play.to_play) == (Phase.TURN, "south")
    table.say(DeclaredPoints(4), 1)
    assert table.phase is Phase.FINISHED
    assert table.play.ending is Ending.GOAL
    table.say(DeclaredPoints(3), 1)
    table.draw()
    table.say(DeclaredPoints(9), 1)
    assert (table.phase, table.play.to_play) == (Phase.TURN, "west")
    assert table.play.last_round
    table.draw()
    assert table.phase is Phase.FINISHED


def test_the_card_of_another_seat() -> None:
    """Somebody drew and nobody told: the card goes to whom it belongs, and those between have drawn."""
    table = Table("south", "west", "north")
    table.lay("max", "bl")
    table.say(DeclaredCall("max", Call.LEGAL))
    table.say(DeclaredSeat("north"))
    assert table.placement.overruled, "what was said of the card goes with it"
    assert [t.seat for t in table.play.turns] == ["south", "west", "north"]
    table.accept()
    assert table.totals == {"south": 0, "west": 0, "north": 4}
    assert table.play.ledger.hands == {"south": 7, "west": 7, "north": 4}
    table.undo()
    table.undo()
    assert (table.turn.seat, table.turn.placed) == ("south", "max")


def test_the_card_of_another_seat_with_an_empty_pile() -> None:
    """Who can draw nothing has passed."""
    table = Table()
    table.say(DeclaredPile(0))
    table.lay("max", "bl")
    table.say(DeclaredSeat("west"))
    assert [str(t.action) for t in table.play.turns] == ["passed", "None"]


def test_nobody_else_can_have_laid_no_card_or_one_after_lightning() -> None:
    """There must be a card that waits, and the star belongs to the turn."""
    table = Table()
    with pytest.raises(RefereeError, match="Nobody else can have laid"):
        table.say(DeclaredSeat("west"))
    table.laid("max", "bl")
    table.laid("nele", "bl", "max")
    table.say(DeclaredStar("lightning", "south"))
    table.take("nele")
    table.see()
    table.lay("plus", "tl")
    with pytest.raises(RefereeError, match="undo that first"):
        table.say(DeclaredSeat("west"))


# --- log ---


def test_judged_by_another_deck_the_rulings_differ() -> None:
    """`rejudge` tells which turn and what: here a number that was printed otherwise."""
    table = Table()
    table.laid("max", "bl")
    table.laid("nele", "bl", "max")
    assert rejudge(table.log) == ()
    face = DECK.faces["nele"]
    other = replace(face, corners=(replace(face.corners[0], value=3), *face.corners[1:]))
    deck = replace(DECK, faces={**DECK.faces, "nele": other})
    (found,) = rejudge(table.log, deck)
    assert (found.round, set(found.parts)) == (2, {"placement", "awards"})
    assert found.now.placement is not None
    assert found.now.placement.points == 3
    with pytest.raises(RefereeError, match="one of rox; the match is one of conex"):
        rejudge(table.log, make_deck())


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Drew(9, "t", 7), "turn 7, which has not begun"),
        (RoundConfirmed(9, "t", 1), "accepted without a ruling"),
        (Rolled(9, "t", 0, DieFace.CARD), "turn 0"),
        (TableRecorded(9, "t", 1, Table().table(), "", "max"), "is not on its table"),
    ],
)
def test_a_log_whose_events_do_not_follow_is_refused(event: Event, words: str) -> None:
    """With the event at fault."""
    with pytest.raises(LogError, match=words):
        fold([*Table().log, event])


def test_a_fold_never_depends_on_what_was_asked_between() -> None:
    """The state after all events is the fold of all events, and survives its storage."""
    table = Table()
    table.laid("max", "bl")
    table.say(DeclaredStar("2x", "west"))
    table.put("nele", "bl", "max")
    table.star("nele")
    table.see()
    stored = [json.loads(json.dumps(encode(e))) for e in table.log]
    assert [decode(d) for d in stored] == table.log
    assert fold(decode(d) for d in stored) == table.state


# --- properties ---

SENSIBLE = (
    ("max", "bl", "board"),
    ("nele", "bl", "max"),
    ("plus", "tl", "board"),
    ("felix", "tl", "plus"),
    ("rosso", "tl", "plus"),
    ("die", "tr", "board"),
    ("tail", "tr", "die"),
    ("dice", "br", "board"),
)
"""Cards that may lie so, where nothing is in the way."""
WORDS = (
    "lay",
    "lay",
    "lay",
    "accept",
    "accept",
    "accept",
    "draw",
    "pass",
    "roll",
    "roll",
    "take",
    "lightning",
    "end",
    "say",
)


def random_move(table: Table, rng: random.Random) -> None:
    """Something that a table might do, sensible or not; what is refused changes nothing."""
    lying = dict(table.cards)
    names = sorted(set(DECK.faces) - set(lying) - {f"x{i:02d}" for i in range(42)})
    try:
        match rng.choice(WORDS):
            case "lay":
                fits = [way for way in SENSIBLE if way[0] in names and way[2] in ("board", *lying)]
                any_way = (rng.choice(names), rng.choice(("tl", "tr", "bl", "br")), rng.choice(("board", *lying)))
                table.lay(*(rng.choice(fits) if fits and rng.random() < 0.85 else any_way))
            case "accept":
                table.accept()
            case "draw":
                table.draw()
            case "pass":
                table.pass_()
            case "roll":
                table.roll(rng.choice(list(DieFace)))
            case "take":
                table.cards.pop(rng.choice([table.turn.placed or "", *lying]), None)
                table.see()
            case "lightning":
                table.lightning(rng.choice([*lying, "nothing"]))
            case "end":
                table.end_turn()
            case "say":
                what = rng.choice(
                    (
                        DeclaredStar("lightning", rng.choice(("south", "west"))),
                        DeclaredStar("2x", rng.choice(("south", "west"))),
                        DeclaredPoints(rng.randint(0, 12)),
                        DeclaredPile(rng.randint(0, 3)),
                        DeclaredDouble(rng.random() < 0.5),
                        DeclaredSeat("west"),
                        DeclaredCall(table.turn.placed or "", rng.choice((Call.LEGAL, Call.VIOLATION))),
                    )
                )
                table.say(what, rng.choice((None, None, 1)))
    except RefereeError:
        table.cards = lying


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(1, 14))
def test_undo_leads_back_exactly(rng: random.Random, moves: int) -> None:
    """After any moves one undo gives the very match of before, as often as there are steps."""
    table = Table()
    states = [table.play]
    for _ in range(moves):
        length = len(table.log)
        random_move(table, rng)
        if len(table.log) > length:
            states.append(table.play)
    while len(states) > 1:
        assert table.play == states.pop()
        table.undo()
        assert table.play == states[-1]


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(1, 20))
def test_totals_are_the_sum_of_turns_and_nothing_gets_lost(rng: random.Random, moves: int) -> None:
    """Points come from confirmed turns alone; each star has one place; the log survives storing and judging again."""
    table = Table()
    for _ in range(moves):
        random_move(table, rng)
    play = table.play
    for seat in play.seats:
        counted = [t.points for t in play.turns if t.seat == seat and t.confirmed]
        assert table.totals[seat] == sum(counted) == play.ledger.totals[seat]
        awards = [t.ruling.awards for t in play.turns if t.seat == seat and t.confirmed and t.ruling is not None]
        assert table.totals[seat] == sum(a.points for some in awards for a in some)
    assert [t.seat for t in play.turns] == [play.seats[i % 2] for i in range(len(play.turns))]
    assert all(t.closed for t in play.turns[:-1])
    assert min(play.ledger.hands.values()) >= 0
    assert play.ledger.pile >= 0
    stored = [decode(json.loads(json.dumps(encode(e)))) for e in table.log]
    assert stored == table.log
    assert rejudge(stored) == ()


def play_game(bot: Bot, deck: ConexDeck, options: dict[str, int]) -> MatchState:
    """The match of a bot's game, held against the bot's own account after every step."""
    players = tuple(Player(NAMES[s], s) for s in bot.seats)
    log: list[Event] = list(decide(MatchState(), CreateMatch("t", "conex", players, deck, options)))
    desk = Desk(deck)
    for step in bot.game():
        log += decide(fold(log), command_of(desk.laid(step), deck, "t"))
        state = fold(log)
        assert isinstance(state.play, type(Table().play))
        ledger = state.play.ledger
        if step["do"] != "table" or "take" in step:
            assert dict(ledger.totals) == bot.totals, step
            assert {s: len(h) for s, h in bot.hands.items()} == ledger.hands, step
            assert len(bot.pile) == ledger.pile, step
            assert {k: s.holder for k, s in ledger.stars.items()} == bot.stars, step
    return fold(log)


@pytest.mark.parametrize(("seed", "seats"), [(3, ("south", "north")), (4, ("south", "west", "north", "east"))])
def test_whole_games_agree_with_the_players_own_account(seed: int, seats: tuple[str, ...]) -> None:
    """A second implementation, move by move: points, hands, pile, stars, the end and the winners."""
    deck = load_deck("conex")
    assert isinstance(deck, ConexDeck)
    short = replace(deck, board=replace(deck.board, goal=12))
    bot = Bot(short, seats, random.Random(seed), dull=0.1)
    state = play_game(bot, deck, {"goal": 12})
    assert state.phase is Phase.FINISHED
    assert sorted(state.winners) == bot.winners
    assert bot.over


def test_finishing_is_possible_between_turns_only() -> None:
    """Not while a card waits."""
    table = Table()
    table.lay("max", "bl")
    with pytest.raises(RefereeError, match="waits to be accepted"):
        table.do(FinishMatch("t"))
