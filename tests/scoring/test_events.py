"""Events as JSON: nothing is lost, and a torn or foreign line is refused with a clear sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.codec import from_json, to_json
from scoring.errors import LogError
from scoring.events import (
    EVENT_TYPES,
    Called,
    DealtCard,
    Drew,
    Event,
    FactDeclared,
    LightningUsed,
    MatchCreated,
    MatchFinished,
    Passed,
    Player,
    RaceStarted,
    Rolled,
    RoundConfirmed,
    RoundEdited,
    Ruled,
    ScoringDealt,
    ScoringSource,
    TableAccepted,
    TableRecorded,
    TurnEnded,
    Undone,
    Withdrawn,
    decode,
    encode,
)
from scoring.moves import (
    Declared,
    DeclaredAwards,
    DeclaredCall,
    DeclaredCaller,
    DeclaredDie,
    DeclaredDouble,
    DeclaredFace,
    DeclaredGround,
    DeclaredHand,
    DeclaredLink,
    DeclaredPile,
    DeclaredPoints,
    DeclaredRow,
    DeclaredSeat,
    DeclaredStar,
    DieFace,
    RowCard,
    Source,
)
from scoring.table import Candidate, Placement, Pose, Side, TableState, Token, TokenKind
from scoring.verdicts import (
    Award,
    Call,
    CardRuling,
    Ground,
    Penalty,
    PlacementRuling,
    Question,
    Rank,
    RowRuling,
    Ruling,
    RulingStatus,
    Verdict,
)
from tests.scoring.layouts import make_deck

DECK = make_deck(2, cards=7)
NAMES = st.text(max_size=6)
SEATS = st.sampled_from(["south", "west", "north", "east"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64)
SHARES = st.floats(0, 1)
CALLS = st.sampled_from(Call)
MAYBE = st.none() | NAMES


def some(of: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=most).map(tuple)


POINTS = st.tuples(NUMBERS, NUMBERS)
PLACEMENTS = st.builds(
    Placement,
    key=NAMES,
    face=MAYBE,
    pose=st.builds(Pose, NUMBERS, NUMBERS, NUMBERS, st.sampled_from(["table", "K1"])),
    size_mm=POINTS,
    sigma_mm=NUMBERS,
    confidence=SHARES,
    candidates=some(st.builds(Candidate, MAYBE, SHARES)),
    visible=SHARES,
    side=st.sampled_from(Side),
    layer=st.integers(0, 9),
)
TOKENS = st.builds(Token, st.sampled_from(TokenKind), NAMES, POINTS, MAYBE, st.none() | st.integers(0, 60), SHARES)
TABLES = st.builds(
    TableState,
    some(PLACEMENTS),
    st.tuples(POINTS, POINTS, POINTS, POINTS),
    some(st.tuples(NAMES, NAMES)),
    st.none() | PLACEMENTS,
    some(TOKENS),
    some(POINTS, 5),
)
FACTS = NAMES | st.integers() | NUMBERS | st.none() | st.dictionaries(NAMES, st.integers(), max_size=3)
VERDICTS = st.builds(
    Verdict, NAMES, CALLS, some(NAMES), st.none() | SEATS, st.dictionaries(NAMES, FACTS, max_size=3), some(POINTS)
)
GROUNDS = st.builds(Ground, MAYBE, st.none() | st.integers(0, 3))
LAID = st.builds(
    PlacementRuling,
    NAMES,
    MAYBE,
    st.none() | GROUNDS,
    st.none() | st.integers(0, 3),
    CALLS,
    st.integers(0, 5),
    st.integers(0, 2),
    st.booleans(),
    st.integers(0, 14),
    some(st.tuples(GROUNDS, st.integers(0, 3))),
    st.booleans(),
    st.booleans(),
)
ROWS = st.builds(
    RowRuling,
    SEATS,
    some(
        st.builds(CardRuling, NAMES, MAYBE, st.none() | CALLS, st.none() | SHARES, SHARES, st.booleans(), st.booleans())
    ),
    CALLS,
    st.integers(0, 6),
    st.none() | st.integers(0, 6),
    st.booleans(),
    some(st.integers(0, 6)),
)
AWARDS = st.builds(Award, SEATS, st.integers(0, 10), MAYBE)
RULINGS = st.builds(
    Ruling,
    NAMES,
    st.sampled_from(RulingStatus),
    some(VERDICTS),
    some(ROWS),
    some(st.builds(Rank, SEATS, st.integers(0, 6), some(SEATS))),
    some(AWARDS),
    some(st.integers(0, 10)),
    some(st.builds(Penalty, SEATS, NAMES, st.integers(-9, 0))),
    some(st.builds(Question, NAMES, some(NAMES), st.none() | SEATS, st.booleans())),
    st.none() | LAID,
)
DECLARED = st.builds(
    Declared,
    st.builds(DeclaredFace, NAMES, MAYBE)
    | st.builds(DeclaredLink, NAMES, CALLS)
    | st.builds(DeclaredRow, SEATS, some(st.builds(RowCard, MAYBE, MAYBE)))
    | st.builds(DeclaredCaller, SEATS)
    | st.builds(DeclaredAwards, some(AWARDS))
    | st.builds(DeclaredGround, NAMES, st.none() | GROUNDS, st.none() | st.integers(0, 3))
    | st.builds(DeclaredCall, NAMES, CALLS)
    | st.builds(DeclaredDouble, st.booleans())
    | st.builds(DeclaredDie, st.sampled_from(DieFace))
    | st.builds(DeclaredSeat, SEATS)
    | st.builds(DeclaredPoints, st.integers(0, 14))
    | st.builds(DeclaredHand, SEATS, st.integers(0, 20))
    | st.builds(DeclaredPile, st.integers(0, 52))
    | st.builds(DeclaredStar, NAMES, st.none() | SEATS),
    st.sampled_from(Source),
)
STEP, AT, ROUND = st.integers(1, 999), NAMES, st.integers(1, 5)
BY_TYPE: dict[type, st.SearchStrategy[Any]] = {
    MatchCreated: st.builds(
        MatchCreated,
        STEP,
        AT,
        NAMES,
        some(st.builds(Player, NAMES, SEATS, MAYBE), 4),
        st.dictionaries(NAMES, st.integers() | NUMBERS | NAMES, max_size=3),
        st.just(DECK),
        st.sampled_from(ScoringSource),
    ),
    ScoringDealt: st.builds(
        ScoringDealt, STEP, AT, ROUND, some(st.builds(DealtCard, st.integers(0, 10), MAYBE)), st.sampled_from(Source)
    ),
    RaceStarted: st.builds(RaceStarted, STEP, AT, ROUND),
    Called: st.builds(Called, STEP, AT, ROUND, SEATS),
    TableRecorded: st.builds(TableRecorded, STEP, AT, ROUND, TABLES, NAMES, MAYBE),
    Ruled: st.builds(Ruled, STEP, AT, ROUND, RULINGS),
    FactDeclared: st.builds(FactDeclared, STEP, AT, ROUND, DECLARED),
    RoundConfirmed: st.builds(RoundConfirmed, STEP, AT, ROUND),
    RoundEdited: st.builds(RoundEdited, STEP, AT, ROUND, DECLARED, RULINGS),
    Undone: st.builds(Undone, STEP, AT, st.integers(1, 999)),
    MatchFinished: st.builds(MatchFinished, STEP, AT, st.booleans()),
    TableAccepted: st.builds(TableAccepted, STEP, AT, ROUND, TABLES, NAMES),
    Withdrawn: st.builds(Withdrawn, STEP, AT, ROUND, st.booleans()),
    Drew: st.builds(Drew, STEP, AT, ROUND),
    Passed: st.builds(Passed, STEP, AT, ROUND),
    Rolled: st.builds(Rolled, STEP, AT, ROUND, st.sampled_from(DieFace), st.sampled_from(Source)),
    LightningUsed: st.builds(LightningUsed, STEP, AT, ROUND, NAMES, st.sampled_from(Source), NAMES),
    TurnEnded: st.builds(TurnEnded, STEP, AT, ROUND),
}


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda k: k.__name__)
def test_what_is_stored_is_read_back(kind: type) -> None:
    """decode(encode(e)) == e through real JSON text, for every event type with any content."""

    @settings(max_examples=40)
    @given(BY_TYPE[kind])
    def check(event: Event) -> None:
        again = decode(json.loads(json.dumps(encode(event))))
        assert again == event
        assert repr(again) == repr(event)

    check()


def test_whole_numbers_stay_whole_and_fractions_stay_fractions() -> None:
    """1 and 1.0 are different facts in a stored verdict."""
    facts = {"whole": 1, "fraction": 1.0, "none": None, "word": "1", "counts": {"fire": 2}}
    verdict = Verdict("rox.link", Call.LEGAL, (), None, facts)
    event = Ruled(1, "t", 1, Ruling("rox", RulingStatus.PROVISIONAL, (verdict,)))
    again = decode(json.loads(json.dumps(encode(event))))
    assert isinstance(again, Ruled)
    assert [type(v) for v in again.ruling.verdicts[0].facts.values()] == [int, float, type(None), str, dict]


def test_an_older_line_without_a_newer_field_is_still_read() -> None:
    """A field that has a default may be missing."""
    assert decode({"version": 1, "type": "TableRecorded", "step": 2, "at": "t", "round": 1, "table": _table()}) == (
        TableRecorded(2, "t", 1, TableState((), ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))))
    )


def _table() -> dict[str, Any]:
    return {"placements": [], "view": [[0, 0], [1, 0], [1, 1], [0, 1]]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("Called", "must be a JSON object"),
        ({"type": "Called"}, "format None"),
        ({"version": 2, "type": "Called"}, "format 2"),
        ({"version": 1, "type": "Sneezed"}, "'Sneezed'"),
        ({"version": 1, "type": "Called", "step": 1, "at": "t", "round": 1}, "event Called: seat: is missing"),
        (
            {"version": 1, "type": "Called", "step": "1", "at": "t", "round": 1, "seat": "south"},
            "step: int was expected",
        ),
        (
            {"version": 1, "type": "Called", "step": True, "at": "t", "round": 1, "seat": "south"},
            "step: int was expected",
        ),
        ({"version": 1, "type": "Undone", "step": 1, "at": "t", "undoes": 1, "why": "x"}, "why: is no part of Undone"),
        (
            {
                "version": 1,
                "type": "TableRecorded",
                "step": 1,
                "at": "t",
                "round": 1,
                "table": {"placements": 3, "view": []},
            },
            "table: placements: a list was expected",
        ),
        (
            {
                "version": 1,
                "type": "TableRecorded",
                "step": 1,
                "at": "t",
                "round": 1,
                "table": {**_table(), "view": [[0, 0]]},
            },
            "table: view: a list of 4",
        ),
        (
            {
                "version": 1,
                "type": "FactDeclared",
                "step": 1,
                "at": "t",
                "round": 1,
                "move": {"what": {"type": "Guess"}},
            },
            "nothing is known of the type 'Guess'",
        ),
        (
            {
                "version": 1,
                "type": "ScoringDealt",
                "step": 1,
                "at": "t",
                "round": 1,
                "cards": [],
                "source": "crystal ball",
            },
            "source: 'crystal ball' is no Source",
        ),
    ],
)
def test_a_torn_or_foreign_line_is_refused_with_its_place(data: Any, words: str) -> None:
    """The sentence names the event and the key."""
    with pytest.raises(LogError) as caught:
        decode(data)
    assert words in str(caught.value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_json_cannot_hold_is_no_value(value: object) -> None:
    """A number that is none would make a line that no other program reads."""
    with pytest.raises(TypeError):
        to_json(value)


def test_a_mapping_must_be_an_object() -> None:
    """A list in its place is refused."""
    with pytest.raises(LogError, match="an object was expected"):
        from_json([], dict[str, int])
