"""A second, plain implementation of a round's scoring agrees on thousands of random rounds."""

from __future__ import annotations

import itertools
import random

from scoring.deck import RoxDeck
from scoring.events import DealtCard
from scoring.games.rox import RoxOptions, hand_out, judge_rows, rank
from scoring.rows import Layout, Row
from scoring.table import TableState
from scoring.verdicts import Call
from tests.scoring.layouts import card, make_deck

ROUND = ["south", "west", "north", "east"]


def plain_valid_length(deck: RoxDeck, row: list[str]) -> int:
    """Walk the row as a player with the magic eye does: flip, look, stop at the first other symbol."""
    seen = 0
    wanted = None
    for face_id in row:
        face = deck.faces[face_id]
        if wanted is not None and face.center != wanted:
            break
        seen += 1
        best = -1
        for element, count in face.edge.items():
            if count > best:
                best, wanted = count, element
    return seen


def plain_hand_out(
    lengths: dict[str, int], ender: str, values: list[int], min_row: int
) -> tuple[dict[str, int], list[int]]:
    """Try every order of the players and keep the one that no rule forbids; then deal from the top."""
    scoring = [s for s in lengths if lengths[s] >= min_row]
    from_ender = ROUND[ROUND.index(ender) :] + ROUND[: ROUND.index(ender)]
    allowed = []
    for order in itertools.permutations(scoring):
        fine = True
        for first, second in itertools.combinations(order, 2):
            if lengths[first] < lengths[second]:
                fine = False
            if lengths[first] == lengths[second]:
                fine = fine and from_ender.index(first) < from_ender.index(second)
        if fine:
            allowed.append(order)
    assert len(allowed) == 1
    stack = sorted(values)
    won = {}
    for seat in allowed[0]:
        if stack:
            won[seat] = stack.pop()
    return won, sorted(stack)


def test_both_implementations_agree_on_thousands_of_rounds() -> None:
    """Rows of all lengths, right and wrong, with both printings of the minimum."""
    rng = random.Random(20)
    view = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    decks = [make_deck(seed) for seed in range(4)]
    outcomes = set()
    for _ in range(3000):
        deck = rng.choice(decks)
        seats = rng.sample(ROUND, rng.randint(2, 4))
        ids = rng.sample(sorted(deck.faces), 24)
        rows: dict[str, list[str]] = {}
        for seat in seats:
            row = [ids.pop()]
            while ids and len(row) < rng.choice([1, 3, 6, 6, 6]):
                wanted = deck.faces[row[-1]].leader
                right = [f for f in ids if deck.faces[f].center == wanted]
                row.append(rng.choice(right) if right and rng.random() < 0.8 else rng.choice(ids))
                ids.remove(row[-1])
            rows[seat] = row
        options = RoxOptions(min_row=rng.choice([2, 3]))
        values = [rng.randint(1, 10) for _ in seats[1:]]
        ender = rng.choice(seats)

        pieces = tuple(card(f, f, (0.0, 0.0), 0.0, deck.card_mm) for row in rows.values() for f in row)
        layout = Layout(tuple(Row(s, tuple(r)) for s, r in rows.items()), (), ())
        rulings = judge_rows(TableState(pieces, view), layout, deck, options)
        lengths = {r.seat: r.valid_length for r in rulings}
        assert lengths == {s: plain_valid_length(deck, r) for s, r in rows.items()}
        assert {r.seat: r.call is Call.LEGAL for r in rulings} == {s: lengths[s] == len(r) for s, r in rows.items()}

        awards, left = hand_out(rank(lengths, ender, options.min_row), [DealtCard(v) for v in values])
        won, rest = plain_hand_out(lengths, ender, values, options.min_row)
        assert {a.seat: a.points for a in awards} == won
        assert sorted(left) == rest
        outcomes.add((len(seats), len(won), len(rest)))
    assert len(outcomes) > 8
