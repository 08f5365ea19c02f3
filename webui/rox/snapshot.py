"""What the page shows of Rox, as immutable values; see `webui.shown.snapshot`. Numbers, ids and calls, no sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webui.shown.head import Head


@dataclass(frozen=True, slots=True)
class ScoringView:
    """A scoring card: points, and its face id where it was read."""

    value: int
    id: str | None = None


@dataclass(frozen=True, slots=True)
class CardView:
    """A card of a judged row.

    Parameters
    ----------
    key
        Key of its placement in the recorded table; starts with ``+`` where a person added it.
    face
        Face id, or None where it is unreadable.
    center
        Element on its stone.
    counts
        Element and number of symbols round the edge, most first.
    link
        ``legal``, ``violation`` or ``uncertain``: the link from the card before; None on the first card.
    part
        ``valid``, ``wrong`` (the first that does not fit), ``after`` (behind it), ``open`` (hangs on an unsure link).
    confidence
        Probability that the face is right.
    declared, overruled
        Whether a person stated the face, or the link.
    candidates
        Other readings, likeliest first.
    """

    key: str
    face: str | None
    center: str | None
    counts: tuple[tuple[str, int], ...]
    link: str | None
    part: str
    confidence: float
    declared: bool
    overruled: bool
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowView:
    """A judged row, from its owner's left; `break_at` is the index of the first card that does not fit."""

    seat: str
    cards: tuple[CardView, ...]
    call: str
    valid_length: int
    break_at: int | None
    counts: bool
    possible_lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class QuestionView:
    """Something the players must decide; `about` are keys of placements, the last one is the thing to decide."""

    rule: str
    about: tuple[str, ...]
    seat: str | None
    blocking: bool


@dataclass(frozen=True, slots=True)
class VerdictView:
    """One rule held against one thing; see `scoring.verdicts.Verdict`."""

    rule: str
    call: str
    about: tuple[str, ...]
    seat: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AwardView:
    """What a seat receives: points, its place in the ranking and valid length where the rules ranked it."""

    seat: str
    points: int
    item: str | None
    place: int
    length: int | None
    tied_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RulingView:
    """A judged round.

    Parameters
    ----------
    round
        Counting from 1.
    status
        ``provisional``, ``confirmed``, ``overruled`` or ``withheld``.
    caller
        Seat that called.
    evidence
        Id of the evidence picture, or empty.
    rows, questions, verdicts, awards
        See their types; `verdicts` lists every judged rule, the legal ones too.
    left_over
        Points of the scoring cards that go out of the game.
    settled
        Whether it can be confirmed.
    missing
        Seats of players whose row was not found.
    versions
        How many rulings the round had; more than one where it was corrected.
    dealt
        The round's scoring cards.
    pictured
        Scoring cards that the judged picture surely shows instead, until people say which are right; else empty.
    """

    round: int
    status: str
    caller: str
    evidence: str
    rows: tuple[RowView, ...]
    questions: tuple[QuestionView, ...]
    verdicts: tuple[VerdictView, ...]
    awards: tuple[AwardView, ...]
    left_over: tuple[int, ...]
    settled: bool
    missing: tuple[str, ...]
    versions: int
    dealt: tuple[ScoringView, ...]
    pictured: tuple[ScoringView, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRox(Head):
    """A match of Rox.

    Parameters
    ----------
    round, rounds
        The running round and how many there are.
    deals
        How many scoring cards a round has.
    dealt
        Those of the running round.
    caller
        Seat that called in the running round, or None.
    ruling
        Of the running round; None while the race runs, by rule.
    rounds_played
        Confirmed rounds.
    early
        Whether the match was stopped before its last round.
    faces
        The deck's element cards: id, element on the stone, symbols round the edge (most first).
        Not part of the JSON: it is the deck, not the match.
    """

    round: int
    rounds: int
    deals: int
    dealt: tuple[ScoringView, ...]
    caller: str | None
    ruling: RulingView | None
    rounds_played: tuple[RulingView, ...]
    early: bool = False
    faces: tuple[tuple[str, str, tuple[tuple[str, int], ...]], ...] = field(default=(), repr=False)

    def round_ruling(self, number: int) -> RulingView | None:
        """The ruling of a round, confirmed or running."""
        if self.ruling is not None and self.ruling.round == number:
            return self.ruling
        return next((r for r in self.rounds_played if r.round == number), None)
