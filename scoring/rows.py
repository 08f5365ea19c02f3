"""Rows of cards, found by how cards lie next to each other and along a side of the view.

There are no zones. Every chain of neighbouring cards is weighed as a bet: how much better do "cards that somebody laid
side by side" explain these directions, gaps and offsets than "cards of a heap that came to lie so by chance"? The
weights are logarithms of probability ratios, so they add up; a card joins a row only where it makes the bet better.
A row of one seat lies near its side, upright for its owner, clear of the heap, with no loose cards on its outer side.

All lengths are millimetres or fractions of a card, so any card size works, square cards too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scoring.deck import RoxDeck
from scoring.row_odds import (
    GAP_MM,
    GAP_SHARE,
    MOST_PAIR_TURN_RAD,
    MOST_STEP_SHARE,
    Scene,
    SideOfView,
    neighbours,
    row_odds,
    sides_of,
    turn_against,
)
from scoring.seats import SIDES
from scoring.table import Placement, Side, TableState

MOST_CARDS = 6

BEAM = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One seat's row.

    Parameters
    ----------
    seat
        Side of the picture at which the owner sits.
    keys
        Placement keys from the owner's left to the owner's right.
    holes
        Indices of cards before which a card's place is empty: the eye may have missed one there, so the link onto
        such a card cannot be judged.
    """

    seat: str
    keys: tuple[str, ...]
    holes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """Who owns which cards of a table.

    Parameters
    ----------
    rows
        In the order south, west, north, east; at most one a seat.
    pool
        Keys of the named element cards that are in no row.
    scoring
        Keys of the scoring cards.
    other
        Keys of everything else: face-down and unknown cards outside the rows.
    """

    rows: tuple[Row, ...]
    pool: tuple[str, ...]
    scoring: tuple[str, ...]
    other: tuple[str, ...] = ()

    def row(self, seat: str) -> Row | None:
        """The row of that seat, if it has one."""
        return next((r for r in self.rows if r.seat == seat), None)


def find_rows(table: TableState, deck: RoxDeck, seats: Sequence[str] | None = None) -> Layout:
    """Find the players' rows.

    Parameters
    ----------
    table
        A settled table. Its view names the sides: south is the picture's bottom.
    deck
        Tells element cards from scoring cards.
    seats
        The seats that are taken, where that is known; None looks along all four sides.

    Returns
    -------
    Layout
        Rows of 1 to 6 cards. A row of one card is reported only where it clearly lies along its side, upright for
        its owner and away from other cards.
    """
    pieces = sorted((_as_printed(p, deck) for p in table.placements), key=lambda p: (p.pose.x_mm, p.pose.y_mm, p.key))
    cards = [p for p in pieces if p.face in deck.faces or (p.face not in deck.scoring_cards and _is_card(p, deck))]
    scene = Scene(cards, [p.face in deck.faces and p.side is not Side.BACK for p in cards])
    sides = sides_of(table.view)
    wanted = SIDES if seats is None else tuple(s for s in SIDES if s in seats)
    offers = {s: _offers(scene, sides[s], known_seat=seats is not None) for s in wanted}
    rows = [
        Row(seat, tuple(scene.cards[i].key for i in chain.cards), chain.holes)
        for seat, chain in _best_together(offers).items()
    ]
    rows.sort(key=lambda r: SIDES.index(r.seat))
    taken = {k for r in rows for k in r.keys}
    scoring = [p.key for p in table.placements if p.face in deck.scoring_cards]
    pool = [p.key for p in table.placements if p.face in deck.faces and p.key not in taken]
    other = [p.key for p in table.placements if p.key not in {*taken, *scoring, *pool}]
    return Layout(tuple(rows), tuple(pool), tuple(scoring), tuple(other))


def _as_printed(piece: Placement, deck: RoxDeck) -> Placement:
    """An outline without a name may give its sides in either order; here width and height are as the deck has them."""
    w, h = piece.size_mm
    if piece.face is not None or (w > h) == (deck.card_mm[0] > deck.card_mm[1]) or w == h:
        return piece
    return replace(piece, size_mm=(h, w), pose=replace(piece.pose, angle_rad=piece.pose.angle_rad + math.pi / 2))


def _is_card(piece: Placement, deck: RoxDeck) -> bool:
    """Whether an unnamed outline has the size of an element card, within 15 %."""
    seen, known = sorted(piece.size_mm), sorted(deck.card_mm)
    return all(abs(s - k) <= 0.15 * k for s, k in zip(seen, known, strict=True))


@dataclass(frozen=True, slots=True)
class _Chain:
    cards: tuple[int, ...]
    holes: tuple[int, ...]
    score: float


def _offers(scene: Scene, side: SideOfView, known_seat: bool) -> list[_Chain]:
    """The best chains along one side, best first. Beam search: chains grow to the owner's right."""
    turns = [turn_against(p, side.right) for p in scene.cards]
    fit = [i for i, t in enumerate(turns) if t is not None]
    successors = {i: _successors(scene, side, i, fit, turns) for i in fit}
    beam = [_Chain((i,), (), row_odds(scene, side, (i,), (), turns, known_seat)) for i in fit]
    found = list(beam)
    for _ in range(MOST_CARDS - 1):
        grown = {}
        for chain in beam:
            for j, hole in successors[chain.cards[-1]]:
                if j in chain.cards:
                    continue
                cards = (*chain.cards, j)
                holes = (*chain.holes, len(chain.cards)) if hole else chain.holes
                if len(cards) + len(holes) > MOST_CARDS:
                    continue
                grown[cards] = _Chain(cards, holes, row_odds(scene, side, cards, holes, turns, known_seat))
        beam = sorted(grown.values(), key=lambda c: (-c.score, c.cards))[:BEAM]
        found += beam
    good = [c for c in found if c.score > 0 and _is_readable(scene, c)]
    return sorted(good, key=lambda c: (-c.score, c.cards))[:BEAM]


def _is_readable(scene: Scene, chain: _Chain) -> bool:
    """A row has a named card, and not many more outlines without a name than with one."""
    named = sum(scene.named[i] for i in chain.cards)
    return named >= 1 and len(chain.cards) - named <= named + 1


def _successors(
    scene: Scene, side: SideOfView, i: int, fit: Sequence[int], turns: Sequence[float | None]
) -> list[tuple[int, bool]]:
    """Cards that can follow card `i` to the owner's right, with whether a place stays empty between them."""
    result = []
    for j in fit:
        ti, tj = turns[i], turns[j]
        if j == i or ti is None or tj is None or abs(ti - tj) > MOST_PAIR_TURN_RAD:
            continue
        gap, step, width, height = neighbours(scene, side, i, j, (ti + tj) / 2)
        if abs(step) > MOST_STEP_SHARE * height:
            continue
        most = max(GAP_MM, GAP_SHARE * width) + 0.25 * width
        if -0.4 * width <= gap <= most:
            result.append((j, False))
        elif 0.9 * width <= gap <= width + 2 * max(GAP_MM, GAP_SHARE * width):
            result.append((j, True))
    return result


def _best_together(offers: dict[str, list[_Chain]]) -> dict[str, _Chain]:
    """One chain a seat at most, no card twice, the greatest sum. Lone cards count less the longer other rows are."""
    seats = list(offers)
    best: dict[str, _Chain] = {}
    best_score = 0.0

    def search(k: int, chosen: dict[str, _Chain], used: frozenset[int], score: float) -> None:
        nonlocal best, best_score
        hope = sum(offers[s][0].score for s in seats[k:] if offers[s])
        if score + hope <= best_score:
            return
        if k == len(seats):
            worth = score - _lone_cost(chosen)
            if worth > best_score:
                best, best_score = dict(chosen), worth
            return
        for chain in offers[seats[k]]:
            if not used.intersection(chain.cards):
                search(k + 1, {**chosen, seats[k]: chain}, used.union(chain.cards), score + chain.score)
        search(k + 1, chosen, used, score)

    search(0, {}, frozenset(), 0.0)
    return best


def _lone_cost(chosen: dict[str, _Chain]) -> float:
    """Players advance together: a row of one card beside a row of five is rather a loose card."""
    longest = max((len(c.cards) for c in chosen.values()), default=0)
    lone = sum(len(c.cards) == 1 for c in chosen.values())
    return lone * 1.0 * max(0, longest - 2)
