"""The match as a fold: set-up, undo, corrections, edits, standing, judging again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.commands import (
    CallEnd,
    Command,
    ConfirmRound,
    CreateMatch,
    DealScoring,
    Declare,
    FinishMatch,
    RecordTable,
    StartRace,
    Undo,
)
from scoring.deck import RoxDeck, RoxFace
from scoring.errors import LogError, RefereeError
from scoring.events import (
    Called,
    DealtCard,
    Event,
    MatchFinished,
    OptionValue,
    Player,
    RaceStarted,
    RoundConfirmed,
    Undone,
)
from scoring.match import MatchState, decide, fold, judge_live, legal_commands, rejudge
from scoring.moves import DeclaredCaller, DeclaredFace, DeclaredLink, DeclaredRow, RowCard
from scoring.play import Phase
from scoring.table import TableState
from scoring.verdicts import Call, RulingStatus
from tests.scoring.layouts import tidy_table
from tests.scoring.test_rox_rules import DECK, SIX, valid

PLAYERS = (Player("Ada", "south"), Player("Ben", "north"))
ROWS = {"south": SIX, "north": valid(4, 2)}


class Table:
    """A match with its log, and commands as a table would give them."""

    def __init__(self, deck: RoxDeck = DECK, **options: OptionValue) -> None:
        self.log: list[Event] = []
        self.do(CreateMatch("t", "rox", PLAYERS, deck, options))

    @property
    def state(self) -> MatchState:
        return fold(self.log)

    def do(self, command: Command) -> tuple[Event, ...]:
        events = decide(self.state, command)
        self.log += events
        return events

    def round(self, points: int, rows: dict[str, list[str]] | None = None, confirm: bool = True) -> None:
        self.do(DealScoring("t", (DealtCard(points),)))
        self.do(StartRace("t"))
        self.do(CallEnd("t", "south"))
        self.do(RecordTable("t", tidy_table(DECK, rows or ROWS), "evidence.jpg"))
        if confirm:
            self.do(ConfirmRound("t"))

    @property
    def totals(self) -> dict[str, int]:
        return {s.seat: s.total for s in self.state.standing}


@pytest.mark.parametrize(
    ("players", "options", "words"),
    [
        (PLAYERS[:1], {}, "2 to 4 players, not 1"),
        ((*PLAYERS, Player("C", "east"), Player("D", "west"), Player("E", "west")), {}, "not 5"),
        ((PLAYERS[0], Player("Ben", "south")), {}, "same side"),
        ((PLAYERS[0], Player("Ada", "north")), {}, "same name"),
        ((PLAYERS[0], Player("Ben", "up")), {}, "no seat up"),
        ((PLAYERS[0], Player(" ", "north")), {}, "needs a name"),
        (PLAYERS, {"min_row": 4}, "min_row can be 2, 3, not 4"),
        (PLAYERS, {"rounds": 0}, "rounds can be 1, 2, 3, 4, 5"),
        (PLAYERS, {"sure": 0.2}, "between 0.5 and 1"),
        (PLAYERS, {"speed": 1}, "no option speed"),
    ],
)
def test_an_impossible_match_is_refused(
    players: tuple[Player, ...], options: dict[str, OptionValue], words: str
) -> None:
    """Two to four players at different sides with different names, and known options."""
    with pytest.raises(RefereeError) as caught:
        decide(fold([]), CreateMatch("t", "rox", players, DECK, options))
    assert words in str(caught.value)


def test_all_options_are_written_into_the_log() -> None:
    """A later change of a default does not change an old match."""
    assert Table(min_row=2).state.options == {"min_row": 2, "rounds": 5, "sure": 0.9}


def test_before_the_beginning_there_is_only_one_command() -> None:
    """An empty log is a match in its set-up."""
    state = fold([])
    assert (state.phase, list(legal_commands(state))) == (Phase.SETUP, ["create_match"])
    assert (state.standing, state.round, state.ruling, state.deck, state.players) == ((), None, None, None, ())
    with pytest.raises(RefereeError, match="no match yet"):
        decide(state, Undo("t"))


def test_five_rounds_end_the_match() -> None:
    """Printed: “The game is over after five rounds”: confirming the fifth finishes it."""
    table = Table()
    for points in (1, 2, 3, 4, 5):
        assert table.state.phase in (Phase.DEALING, Phase.BETWEEN)
        table.round(points)
    assert isinstance(table.log[-1], MatchFinished)
    assert table.state.phase is Phase.FINISHED
    assert table.totals == {"south": 15, "north": 0}
    assert table.state.winners == ("south",)
    assert [s.rounds for s in table.state.standing] == [(1, 2, 3, 4, 5), (0, 0, 0, 0, 0)]


def test_r15_equal_points_share_the_victory() -> None:
    """Printed: “The game can have more than one winner”."""
    table = Table(rounds=2)
    table.round(4)
    table.round(4, {"south": ["fw1", "ei1", "im1"], "north": valid(4, 2)})
    assert table.totals == {"south": 4, "north": 4}
    assert set(table.state.winners) == {"south", "north"}
    assert [s.place for s in table.state.standing] == [1, 1]


def test_nothing_is_told_before_the_call() -> None:
    """While the race runs, and before it, a table gets a withheld ruling without a single count."""
    table = Table()
    lying = tidy_table(DECK, ROWS)
    for command in (DealScoring("t", (DealtCard(3),)), StartRace("t")):
        table.do(command)
        ruling = judge_live(table.state, lying)
        assert (ruling.status, ruling.verdicts, ruling.rows, ruling.questions) == (RulingStatus.WITHHELD, (), (), ())
        assert not ruling.is_settled
    table.do(CallEnd("t", "north"))
    assert judge_live(table.state, lying).status is RulingStatus.PROVISIONAL


def test_r12_a_wrong_caller_is_put_right() -> None:
    """Two call together: the first press counts until the table decides, and the ruling follows."""
    tied = {"south": SIX, "north": valid(6, 2)}
    table = Table()
    table.round(7, tied, confirm=False)
    assert table.state.ruling is not None
    assert [a.seat for a in table.state.ruling.awards] == ["south"]
    table.do(CallEnd("t", "north"))
    assert [a.seat for a in table.state.ruling.awards] == ["north"]
    assert [v.status for v in table.state.rounds[0].versions] == [RulingStatus.OVERRULED]


def test_r14_cards_taken_back_before_the_call_do_not_exist() -> None:
    """Only the table that lies there after the call is judged."""
    table = Table()
    table.round(7, {"south": ["fw1", "ei1", "im1"], "north": valid(3)}, confirm=False)
    table.do(RecordTable("t", tidy_table(DECK, ROWS)))
    assert table.state.ruling is not None
    assert [r.valid_length for r in table.state.ruling.rows] == [6, 4]


def test_undo_takes_back_the_last_step_that_still_stands() -> None:
    """A step is all that one command caused; undone steps and undos stay in the log."""
    table = Table(rounds=1)
    table.round(7)
    length = len(table.log)
    assert table.state.phase is Phase.FINISHED
    (undone,) = table.do(Undo("t"))
    assert isinstance(undone, Undone)
    assert table.state.phase is Phase.VERDICT
    assert table.totals == {"south": 0, "north": 0}
    table.do(Undo("t"))
    assert table.state.phase is Phase.CHECKING
    table.do(RecordTable("t", tidy_table(DECK, ROWS)))
    table.do(ConfirmRound("t"))
    assert table.totals == {"south": 7, "north": 0}
    assert len(table.log) == length + 6
    assert [s.undone for s in table.state.steps if s.undone] == [True, True]


def test_the_creation_cannot_be_undone() -> None:
    """There is nothing before it."""
    with pytest.raises(RefereeError, match="nothing to take back"):
        Table().do(Undo("t"))


def test_a_card_is_corrected_and_the_ruling_follows() -> None:
    """Any card of the deck is possible, not only what was proposed."""
    table = Table()
    table.round(7, {"south": ["fw1", "ei1", "im1"], "north": valid(3)}, confirm=False)
    events = table.do(Declare("t", DeclaredFace("ei1", "wi4")))
    assert [type(e).__name__ for e in events] == ["FactDeclared", "Ruled"]
    assert table.state.ruling is not None
    assert [a.seat for a in table.state.ruling.awards] == ["south"]


def test_a_new_picture_drops_what_was_said_about_the_old_one() -> None:
    """Keys of one picture mean nothing in the next."""
    table = Table()
    table.round(7, confirm=False)
    table.do(Declare("t", DeclaredLink("we1", Call.VIOLATION)))
    assert table.state.round is not None
    assert len(table.state.round.declarations) == 1
    table.do(RecordTable("t", tidy_table(DECK, ROWS)))
    assert table.state.round.declarations == ()


def test_an_earlier_round_is_edited_and_its_first_version_stays() -> None:
    """The standing follows, the log keeps both, an undo brings the first back."""
    table = Table()
    table.round(7)
    table.round(5)
    before = table.state.rounds[0].ruling
    events = table.do(Declare("t", DeclaredLink("we1", Call.VIOLATION), round=1))
    assert [type(e).__name__ for e in events] == ["RoundEdited"]
    record = table.state.rounds[0]
    assert record.ruling is not None
    assert record.ruling.status is RulingStatus.CONFIRMED
    assert before is not None
    assert record.versions == (replace(before, status=RulingStatus.OVERRULED),)
    assert table.totals == {"south": 5, "north": 7}
    table.do(Undo("t"))
    assert table.state.rounds[0].ruling == before
    assert table.totals == {"south": 12, "north": 0}


def test_the_caller_of_an_earlier_round_can_be_put_right() -> None:
    """A tie of that round goes the other way."""
    table = Table()
    table.round(7, {"south": SIX, "north": valid(6, 2)})
    table.do(Declare("t", DeclaredCaller("north"), round=1))
    assert table.totals == {"south": 0, "north": 7}


def test_an_edit_that_leaves_a_round_open_is_refused() -> None:
    """A counted round cannot become a question."""
    table = Table()
    table.round(7, {"south": SIX, "north": valid(5, 2)})
    with pytest.raises(RefereeError, match="would leave round 1 undecided"):
        table.do(Declare("t", DeclaredFace("ei1", None), round=1))


def test_correcting_the_deal_corrects_the_awards() -> None:
    """A misread scoring card is put right even after the verdict."""
    table = Table()
    table.round(7, confirm=False)
    table.do(DealScoring("t", (DealtCard(9),)))
    assert table.state.ruling is not None
    assert [a.points for a in table.state.ruling.awards] == [9]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (DeclaredRow("south", (RowCard("fw1"), RowCard("fw1"))), "named twice"),
        (DeclaredRow("south", (RowCard(None),)), "needs its place"),
        (DeclaredRow("south", (RowCard("nowhere"),)), "no card nowhere"),
        (DeclaredRow("south", (RowCard(None, "zz9"),)), "no card zz9"),
        (DeclaredCaller("east"), "Nobody sits at east"),
    ],
)
def test_impossible_declarations_are_refused(what: DeclaredRow | DeclaredCaller, words: str) -> None:
    """What a person states must be about this table and this deck."""
    table = Table()
    table.round(7, confirm=False)
    with pytest.raises(RefereeError, match=words):
        table.do(Declare("t", what))


def test_nothing_is_corrected_before_there_is_a_verdict() -> None:
    """During the race there is nothing to correct."""
    table = Table()
    table.do(DealScoring("t", (DealtCard(3),)))
    table.do(StartRace("t"))
    with pytest.raises(RefereeError, match="the race is still running"):
        table.do(Declare("t", DeclaredFace("fw1", "fw2")))


def test_stopping_early_counts_what_was_played() -> None:
    """The leader after the last confirmed round wins."""
    table = Table()
    table.round(7)
    (event,) = table.do(FinishMatch("t"))
    assert isinstance(event, MatchFinished)
    assert event.early
    assert table.state.winners == ("south",)


def test_a_log_that_does_not_follow_is_refused() -> None:
    """Events of a round that has not begun, two beginnings, none, or a confirmation without a ruling."""
    table = Table()
    table.do(DealScoring("t", (DealtCard(3),)))
    created = table.log[0]
    with pytest.raises(LogError, match="round 4, which has not begun"):
        fold([*table.log, RaceStarted(9, "t", 4)])
    with pytest.raises(LogError, match="begins twice"):
        fold([created, created])
    with pytest.raises(LogError, match="starts with RaceStarted"):
        fold([RaceStarted(1, "t", 1)])
    with pytest.raises(LogError, match="confirmed without a ruling"):
        fold([*table.log, RoundConfirmed(9, "t", 1)])
    with pytest.raises(LogError, match="does not start"):
        rejudge([Called(1, "t", 1, "south")])


def test_judging_again_by_other_rules_tells_what_differs() -> None:
    """A deck whose card was counted wrongly changes rows and hand-out; undone steps are left out."""
    table = Table()
    table.round(7)
    table.round(5, confirm=False)
    table.do(Undo("t"))
    assert rejudge(table.log) == ()
    wrong = DECK.faces["fw1"]
    counted = RoxFace("fw1", wrong.image, "fire", {"earth": 5, "fire": 4, "water": 4, "air": 3}, ("earth",))
    (difference,) = rejudge(table.log, replace(DECK, faces={**DECK.faces, "fw1": counted}))
    assert difference.round == 1
    assert difference.parts == ("rows", "ranking", "awards", "verdicts")
    assert [r.valid_length for r in difference.recorded.rows] == [6, 4]
    assert [r.valid_length for r in difference.now.rows] == [1, 4]


def test_events_are_the_only_thing_that_a_match_remembers() -> None:
    """Folding twice gives equal states, and folding in two parts would too."""
    table = Table()
    table.round(7)
    assert fold(table.log) == fold(list(table.log))
    assert fold(iter(table.log)) == fold(table.log)


def test_a_table_with_nothing_on_it_asks_for_every_row() -> None:
    """A lens cap on the camera costs nobody a point."""
    table = Table()
    table.do(DealScoring("t", (DealtCard(3),)))
    table.do(StartRace("t"))
    table.do(CallEnd("t", "south"))
    table.do(RecordTable("t", TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)))))
    assert table.state.ruling is not None
    assert [(q.seat, q.blocking) for q in table.state.ruling.questions] == [("south", True), ("north", True)]
    with pytest.raises(RefereeError, match="open questions"):
        table.do(ConfirmRound("t"))
