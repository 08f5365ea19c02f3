"""Rox: links, rows, ranking and hand-out of one round, as values.

How the printed rules are read (the numbers are those of the rule ids' documentation):

- A card's most frequent edge symbol must be the centre of the next card (``rox.link``). The last card's own edge does
  not matter: six cards have five links.
- After a wrong link the *following* cards go back; the valid row is the prefix before it.
- The start card is one of the six (``rox.six-cards``).
- ``rox.min-row``: the German printing says "Gültig ist eine Kartenreihe nur dann, wenn sie aus mehr als zwei Karten
  besteht", so three cards; the English printing says "at least two cards in the row". Haba's own language decides the
  default, three; the option ``min_row`` of 2 plays the other printing.
- Players rank by valid length. In every tied group (not only the longest) the seat that called picks first, whatever
  its own row is worth, then clockwise from its left (``rox.tie``).
- One scoring card fewer than players, the highest first; what is left goes out of the game (``rox.hand-out``).
- A tie for most symbols is a reading error, which the deck check refuses, unless the deck says otherwise.

A doubtful reading never breaks a row: it makes a link unsure, and a ranking that hangs on it asks instead of guessing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scoring.deck import RoxDeck
from scoring.events import DealtCard
from scoring.games.rox_links import ROW_CARDS, RoxOptions, corrected, judge_rows, link_probability
from scoring.moves import Declaration, DeclaredAwards, DeclaredCaller
from scoring.rows import find_rows
from scoring.seats import SIDES as SEATS
from scoring.table import TableState
from scoring.verdicts import Award, Call, CardRuling, Fact, Question, Rank, RowRuling, Ruling, RulingStatus, Verdict

GAME = "rox"

LINK = "rox.link"
MIN_ROW = "rox.min-row"
SIX_CARDS = "rox.six-cards"
ROW_SEEN = "rox.row-seen"
ONE_OF_EACH = "rox.one-of-each"
TIE = "rox.tie"
HAND_OUT = "rox.hand-out"
RULE_IDS = (LINK, MIN_ROW, SIX_CARDS, ROW_SEEN, ONE_OF_EACH, TIE, HAND_OUT)


def judge_round(
    table: TableState,
    deck: RoxDeck,
    seats: Sequence[str],
    caller: str,
    dealt: Sequence[DealtCard],
    options: RoxOptions | None = None,
    declarations: Sequence[Declaration] = (),
) -> Ruling:
    """Judge a whole round: rows, ranking and hand-out.

    Parameters
    ----------
    table
        The settled table after the call.
    deck
        The deck that lies on it.
    seats
        The players' seats.
    caller
        The seat that ended the round.
    dealt
        The scoring cards of the round.
    options, declarations
        See `judge_rows`.

    Returns
    -------
    Ruling
        Provisional. Ranking and awards are empty while something is open that they depend on.
    """
    options = options or RoxOptions()
    callers = [d.seat for d in declarations if isinstance(d, DeclaredCaller)]
    caller = callers[-1] if callers else caller
    layout = find_rows(corrected(table, declarations), deck, seats)
    rows = {r.seat: r for r in judge_rows(table, layout, deck, options, declarations) if r.seat in seats}
    ordered = tuple(rows[s] for s in SEATS if s in rows)
    missing = tuple(s for s in SEATS if s in seats and s not in rows)

    verdicts = [*_row_verdicts(ordered, deck, options), *_doubled(table, deck, ordered, declarations)]
    verdicts += [Verdict(ROW_SEEN, Call.UNCERTAIN, seat=s) for s in missing]
    verdicts.append(_six_cards(rows.get(caller), caller))
    questions = [Question(ROW_SEEN, seat=s) for s in missing]
    if verdicts[-1].call is Call.UNCERTAIN and caller not in missing:
        questions.append(Question(SIX_CARDS, seat=caller, blocking=False))

    outcomes, deciding = _outcomes(ordered, caller, dealt, options)
    for row in ordered:
        questions += [Question(LINK, about, row.seat, row.seat in deciding) for about in _open_links(row)]

    stated = [d for d in declarations if isinstance(d, DeclaredAwards)]
    base = Ruling(GAME, RulingStatus.PROVISIONAL, tuple(verdicts), ordered)
    if stated:
        awards = stated[-1].awards
        left = _left_over(awards, dealt)
        return replace(
            base, awards=awards, left_over=left, questions=tuple(replace(q, blocking=False) for q in questions)
        )
    if missing or len(outcomes) > 1:
        return replace(base, questions=tuple(questions))
    ranking = rank({r.seat: r.valid_length for r in ordered}, caller, options.min_row)
    awards, left_over = hand_out(ranking, dealt)
    verdicts += _tie_verdicts(ranking)
    verdicts.append(Verdict(HAND_OUT, Call.LEGAL, facts={"dealt": len(dealt), "left_over": len(left_over)}))
    return replace(
        base, verdicts=tuple(verdicts), ranking=ranking, awards=awards, left_over=left_over, questions=tuple(questions)
    )


def rank(lengths: Mapping[str, int], caller: str, min_row: int = 3) -> tuple[Rank, ...]:
    """The seats whose row counts, best first.

    Longer valid rows come first. Within every tied group the caller comes first, then the seats clockwise from the
    caller's left.
    """
    counting = [s for s, length in lengths.items() if length >= min_row]
    counting.sort(key=lambda s: (-lengths[s], turns_from(caller, s)))
    ranks = []
    for seat in counting:
        tied = tuple(s for s in counting if s != seat and lengths[s] == lengths[seat])
        ranks.append(Rank(seat, lengths[seat], tied))
    return tuple(ranks)


def turns_from(caller: str, seat: str) -> int:
    """How many seats clockwise `seat` is from `caller`: 0 for the caller, 1 for the place to the left."""
    return (SEATS.index(seat) - SEATS.index(caller)) % len(SEATS)


def hand_out(ranking: Sequence[Rank], dealt: Iterable[DealtCard]) -> tuple[tuple[Award, ...], tuple[int, ...]]:
    """Each ranked seat gets the most valuable card that is left; what nobody gets is out of the game."""
    cards = sorted(dealt, key=lambda c: (-c.value, c.id or ""))
    awards = tuple(Award(r.seat, c.value, c.id) for r, c in zip(ranking, cards, strict=False))
    return awards, tuple(c.value for c in cards[len(awards) :])


def read_scoring(table: TableState, deck: RoxDeck, sure: float = 0.9) -> tuple[DealtCard, ...]:
    """The scoring cards that lie open on the table, as far as they are read for sure; highest first."""
    values = deck.scoring_values
    seen = {p.face: p for p in table.placements if p.face in values and p.confidence >= sure}
    return tuple(sorted((DealtCard(values[f], f) for f in seen if f), key=lambda c: (-c.value, c.id or "")))


def _open_links(row: RowRuling) -> list[tuple[str, str]]:
    """The unsure links that could still end the row, as pairs of keys."""
    pairs = []
    for a, b in itertools.pairwise(row.cards[:ROW_CARDS]):
        if b.link is Call.VIOLATION:
            break
        if b.link is Call.UNCERTAIN:
            pairs.append((a.key, b.key))
    return pairs


def _outcomes(
    rows: Sequence[RowRuling], caller: str, dealt: Sequence[DealtCard], options: RoxOptions
) -> tuple[set[tuple[Award, ...]], set[str]]:
    """Every hand-out that the doubts leave open, and the seats whose doubt makes a difference."""
    results: dict[tuple[int, ...], tuple[Award, ...]] = {}
    seats = [r.seat for r in rows]
    for lengths in itertools.product(*(r.possible_lengths for r in rows)):
        ranking = rank(dict(zip(seats, lengths, strict=True)), caller, options.min_row)
        results[lengths] = hand_out(ranking, dealt)[0]
    deciding = set()
    for i, seat in enumerate(seats):
        by_rest: dict[tuple[int, ...], set[tuple[Award, ...]]] = {}
        for lengths, awards in results.items():
            by_rest.setdefault(lengths[:i] + lengths[i + 1 :], set()).add(awards)
        if any(len(outcomes) > 1 for outcomes in by_rest.values()):
            deciding.add(seat)
    return set(results.values()), deciding


def _left_over(awards: Sequence[Award], dealt: Sequence[DealtCard]) -> tuple[int, ...]:
    left = sorted((c.value for c in dealt), reverse=True)
    for a in awards:
        if a.points in left:
            left.remove(a.points)
    return tuple(left)


def _row_verdicts(rows: Sequence[RowRuling], deck: RoxDeck, options: RoxOptions) -> list[Verdict]:
    verdicts = []
    for row in rows:
        for a, b in itertools.pairwise(row.cards):
            if b.link is not None:
                verdicts.append(Verdict(LINK, b.link, (a.key, b.key), row.seat, _link_facts(a, b, deck)))
        counting = {length >= options.min_row for length in row.possible_lengths}
        call = Call.UNCERTAIN if len(counting) > 1 else Call.LEGAL if row.counts else Call.VIOLATION
        about = tuple(c.key for c in row.cards)
        facts: dict[str, Fact] = {"length": row.valid_length, "needs": options.min_row}
        verdicts.append(Verdict(MIN_ROW, call, about, row.seat, facts))
    return verdicts


def _link_facts(a: CardRuling, b: CardRuling, deck: RoxDeck) -> dict[str, Fact]:
    facts: dict[str, Fact] = {"probability": b.probability}
    if a.face:
        face = deck.faces[a.face]
        facts |= {"before": a.face, "counts": dict(face.edge), "leader": face.leader}
        facts["leader_count"] = face.edge[face.leader]
    if b.face:
        facts |= {"after": b.face, "center": deck.faces[b.face].center}
    return facts


def _doubled(
    table: TableState, deck: RoxDeck, rows: Sequence[RowRuling], declarations: Sequence[Declaration]
) -> list[Verdict]:
    """A row card whose face is also read elsewhere: one of the two readings is wrong."""
    places: dict[str, list[str]] = {}
    for p in corrected(table, declarations).placements:
        if p.face in deck.faces:
            places.setdefault(str(p.face), []).append(p.key)
    in_rows = {c.key for r in rows for c in r.cards}
    return [
        Verdict(ONE_OF_EACH, Call.UNCERTAIN, tuple(keys), facts={"face": face, "seen": len(keys)})
        for face, keys in sorted(places.items())
        if len(keys) > 1 and in_rows & set(keys)
    ]


def _six_cards(row: RowRuling | None, caller: str) -> Verdict:
    """Whether the caller has six cards: the table decides about calls, so too few only ask."""
    count = len(row.cards) if row else 0
    call = Call.LEGAL if count >= ROW_CARDS else Call.UNCERTAIN
    about = tuple(c.key for c in row.cards) if row else ()
    return Verdict(SIX_CARDS, call, about, caller, {"cards": count, "needs": ROW_CARDS})


def _tie_verdicts(ranking: Sequence[Rank]) -> list[Verdict]:
    groups: dict[int, list[str]] = {}
    for r in ranking:
        groups.setdefault(r.length, []).append(r.seat)
    return [
        Verdict(TIE, Call.LEGAL, facts={"length": length, "order": {s: i for i, s in enumerate(seats, start=1)}})
        for length, seats in groups.items()
        if len(seats) > 1
    ]


__all__ = [
    "GAME",
    "ROW_CARDS",
    "RULE_IDS",
    "SEATS",
    "RoxOptions",
    "corrected",
    "hand_out",
    "judge_round",
    "judge_rows",
    "link_probability",
    "rank",
    "read_scoring",
    "turns_from",
]
