"""Properties of a placement's ruling: what must never change a call, and what may only make it unsure."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.codec import from_json, to_json
from scoring.deck import ConexDeck
from scoring.games.conex_place import judge_placement
from scoring.table import Candidate, Placement, TableState
from scoring.verdicts import Call, PlacementRuling, Verdict
from tests.scoring.conex_tables import moved, random_deck, random_table

Judged = tuple[PlacementRuling, tuple[Verdict, ...]]


def made(seed: int) -> tuple[TableState, str, ConexDeck]:
    rng = random.Random(seed)
    deck = random_deck(rng)
    state, key = random_table(rng, deck, cards=rng.randint(2, 7))
    return state, key, deck


def calls(found: Judged) -> dict[tuple[object, ...], Call]:
    return {(v.rule, v.about, v.facts.get("corner")): v.call for v in found[1]}


def test_the_random_tables_hold_every_call_of_every_rule() -> None:
    """Else the properties below would say little."""
    rules = ["conex." + name for name in ("color", "single-contact", "corner-covered", "out-of-bounds", "not-attached")]
    wanted = {(rule, call) for rule in rules for call in Call}
    for seed in range(400):
        state, key, deck = made(seed)
        wanted -= {(v.rule, v.call) for v in judge_placement(state, key, deck)[1]}
        if not wanted:
            return
    raise AssertionError(f"never seen: {wanted}")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 4000), st.floats(-2000, 2000), st.floats(-2000, 2000), st.floats(-math.pi, math.pi))
def test_moving_and_turning_the_whole_table_changes_no_call(seed: int, dx: float, dy: float, turn: float) -> None:
    """The camera may stand anywhere."""
    state, key, deck = made(seed)
    still, away = judge_placement(state, key, deck), judge_placement(moved(state, dx, dy, turn), key, deck)
    assert calls(still) == calls(away)
    assert still[0] == away[0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 4000), st.randoms(use_true_random=False))
def test_the_order_of_the_pieces_changes_nothing(seed: int, rng: random.Random) -> None:
    """A detector reports cards in any order."""
    state, key, deck = made(seed)
    pieces, covers = list(state.placements), [(a.key, b.key) for a in state.placements for b in state.placements]
    covers = [c for c in covers if c[0] < c[1]]
    before = judge_placement(replace(state, covers=tuple(covers)), key, deck)
    rng.shuffle(pieces)
    rng.shuffle(covers)
    assert judge_placement(replace(state, placements=tuple(pieces), covers=tuple(covers)), key, deck) == before


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 4000), st.floats(0.2, 6.0), st.booleans())
def test_a_larger_sigma_only_moves_calls_towards_unsure(seed: int, sigma: float, only_the_card: bool) -> None:
    """Neither the ruling nor any verdict turns from one word to the other, and no new violation appears."""
    state, key, deck = made(seed)
    sure = judge_placement(state, key, deck)

    def blurred(p: Placement) -> Placement:
        return replace(p, sigma_mm=sigma) if p.key == key or not only_the_card else p

    doubtful = judge_placement(
        replace(
            state,
            placements=tuple(blurred(p) for p in state.placements),
            board=blurred(state.board) if state.board else None,
        ),
        key,
        deck,
    )
    assert doubtful[0].call in (sure[0].call, Call.UNCERTAIN)
    before, after = calls(sure), calls(doubtful)
    for name, call in after.items():
        if name in before:
            assert call in (before[name], Call.UNCERTAIN)
        elif call is Call.VIOLATION:
            # On a heap the likeliest ground may change, and with it the name of what else is touched.
            assert any(rule == name[0] and c is Call.VIOLATION for (rule, *_), c in before.items())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 4000), st.lists(st.tuples(st.integers(0, 9), st.floats(0, 1)), min_size=1, max_size=4))
def test_doubt_about_cards_only_moves_the_ruling_towards_unsure(seed: int, doubts: list[tuple[int, float]]) -> None:
    """A lower confidence, with or without another reading in its place, finds no violation and no other points."""
    state, key, deck = made(seed)
    sure, _ = judge_placement(state, key, deck)
    pieces = list(state.placements)
    faces = sorted(deck.faces)
    for at, confidence in doubts:
        i = at % len(pieces)
        other = faces[(at * 7 + seed) % len(faces)]
        named = pieces[i].face or ""
        candidates = (Candidate(named, confidence), Candidate(other, (1 - confidence) / 2))
        pieces[i] = replace(pieces[i], confidence=confidence, candidates=candidates)
        if pieces[i].confidence < 0.5:
            # Below that the named face need not be the likeliest.
            pieces[i] = replace(pieces[i], confidence=0.5, candidates=(Candidate(named, 0.5), candidates[1]))
    doubtful, verdicts = judge_placement(replace(state, placements=tuple(pieces)), key, deck)
    assert doubtful.call in (sure.call, Call.UNCERTAIN)
    if doubtful.call is Call.LEGAL:
        assert doubtful.points == sure.points
    if doubtful.call is not Call.VIOLATION:
        assert not any(v.call is Call.VIOLATION for v in verdicts)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 4000))
def test_a_ruling_comes_back_from_the_log(seed: int) -> None:
    """Verdicts with their places, and the placement."""
    state, key, deck = made(seed)
    ruling, verdicts = judge_placement(state, key, deck)
    assert from_json(to_json(ruling), PlacementRuling) == ruling
    assert all(from_json(to_json(v), Verdict) == v for v in verdicts)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 4000))
def test_the_ruling_follows_from_its_verdicts(seed: int) -> None:
    """One violation breaks it, one doubt leaves it open; gaps agree in sign with their calls."""
    state, key, deck = made(seed)
    ruling, verdicts = judge_placement(state, key, deck)
    found = {v.call for v in verdicts}
    worst = next((c for c in (Call.VIOLATION, Call.UNCERTAIN) if c in found), Call.LEGAL)
    assert ruling.call is worst
    assert ruling.points == ruling.value + ruling.bonus
    for v in verdicts:
        gap = v.facts.get("gap_mm")
        if v.rule != "conex.not-attached" and isinstance(gap, float) and v.call is not Call.UNCERTAIN:
            assert (gap > 0) == (v.call is Call.LEGAL)
