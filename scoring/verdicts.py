"""Verdicts and rulings: what the rules say about a table, in numbers and rule ids, without sentences.

The sentences live in the page's catalogues, one per rule id and language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scoring.table import Point

Fact = str | int | float | None | Mapping[str, int]
"""A number or name that a sentence about a verdict needs."""


class Call(StrEnum):
    """The three calls of every judged rule. An uncertain one costs nothing and asks the players."""

    LEGAL = "legal"
    VIOLATION = "violation"
    UNCERTAIN = "uncertain"


class RulingStatus(StrEnum):
    """How far a ruling has come.

    A provisional ruling waits for the players; a confirmed one counts; an overruled one was replaced by a later one
    after a correction or a better picture; a withheld one says nothing yet because a rule keeps its content secret.
    """

    PROVISIONAL = "provisional"
    CONFIRMED = "confirmed"
    OVERRULED = "overruled"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One rule held against one thing on the table.

    Parameters
    ----------
    rule
        Rule id, for example ``rox.link``.
    call
        Legal, violation or uncertain.
    about
        Keys of the placements concerned, in reading order.
    seat
        The seat concerned, or None.
    facts
        The numbers behind the call, by name.
    where
        The very place, in mm on the plane: the outline of an overlap, or the two ends of a gap. Empty where a rule
        has no place.
    """

    rule: str
    call: Call
    about: tuple[str, ...] = ()
    seat: str | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    where: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class Penalty:
    """Points that a violation costs. Only a sure violation has one."""

    seat: str
    rule: str
    points: int


@dataclass(frozen=True, slots=True)
class Award:
    """Points that a seat receives, and the thing (a scoring card's id) that carries them."""

    seat: str
    points: int
    item: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Something that the players must decide, because the picture leaves it open.

    Parameters
    ----------
    rule
        Rule id of the uncertain verdict.
    about
        Placement keys to look at; the last one is the thing to decide.
    seat
        Whose row or piece it is.
    blocking
        True where the outcome depends on it; the ruling cannot be confirmed before it is answered.
    """

    rule: str
    about: tuple[str, ...] = ()
    seat: str | None = None
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class CardRuling:
    """One card of a judged row.

    Parameters
    ----------
    key
        The placement's key; a card that a person declared and the camera never saw has a key that starts with ``+``.
    face
        Face id that the ruling goes by, or None where the card is unreadable.
    link
        Call on the link from the card before; None on the first card.
    probability
        Probability that this link is valid, 0 to 1; None on the first card.
    confidence
        Probability that `face` is right.
    declared
        Whether a person stated the face.
    overruled
        Whether a person stated the link.
    """

    key: str
    face: str | None
    link: Call | None
    probability: float | None
    confidence: float
    declared: bool = False
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class RowRuling:
    """One seat's row, from the owner's left to the owner's right.

    Parameters
    ----------
    seat
        Owner's side of the picture.
    cards
        The cards with their links.
    call
        Legal: every link is valid. Violation: the first link that is not valid is certainly wrong. Else uncertain.
    valid_length
        Cards before `break_at`; for an uncertain row the cards that are valid beyond doubt.
    break_at
        Index of the first card that certainly does not fit, or None.
    counts
        Whether `valid_length` is long enough to score.
    possible_lengths
        Every valid length that the doubts leave open, ascending; one number for a sure row.
    """

    seat: str
    cards: tuple[CardRuling, ...]
    call: Call
    valid_length: int
    break_at: int | None
    counts: bool
    possible_lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rank:
    """A place in the ranking of a round; `tied_with` names the seats of equal length that the tie rule parted."""

    seat: str
    length: int
    tied_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ground:
    """What a card was laid onto: the card of that key, or the space of that index on the board."""

    key: str | None = None
    space: int | None = None


@dataclass(frozen=True, slots=True)
class PlacementRuling:
    """One laid card, judged.

    Parameters
    ----------
    key
        The placement's key.
    face
        Face id that the ruling goes by, or None where the card is unreadable.
    onto
        What it lies on, or None where it touches nothing that it could lie on.
    corner
        Index of the corner that was laid, among the face's corners, or None.
    call
        Legal: every rule is kept. Violation: at least one is certainly broken. Else uncertain.
    value
        Number printed on that corner.
    bonus
        Points for the ground that it lies on.
    doubled
        Whether a doubling star lies on it.
    points
        Value and bonus, doubled where `doubled`.
    candidates
        Other readings of what was laid where, likeliest first, for a person to choose from.
    declared
        Whether a person stated card, ground or corner.
    overruled
        Whether a person stated the call.
    """

    key: str
    face: str | None
    onto: Ground | None
    corner: int | None
    call: Call
    value: int = 0
    bonus: int = 0
    doubled: bool = False
    points: int = 0
    candidates: tuple[tuple[Ground, int], ...] = ()
    declared: bool = False
    overruled: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """All that the rules say about one settled table, the legal things too.

    Parameters
    ----------
    game
        Name of the game.
    status
        See `RulingStatus`.
    verdicts
        Every judged rule.
    rows
        The judged rows (Rox); empty in other games.
    ranking
        Seats whose row counts, best first. Empty while a blocking question is open.
    awards
        What each seat receives. Empty while a blocking question is open.
    left_over
        Points of the scoring cards that nobody receives and that go out of the game.
    penalties
        What violations cost.
    questions
        What is open.
    placement
        The laid card (CONEX), or None.
    """

    game: str
    status: RulingStatus
    verdicts: tuple[Verdict, ...] = ()
    rows: tuple[RowRuling, ...] = ()
    ranking: tuple[Rank, ...] = ()
    awards: tuple[Award, ...] = ()
    left_over: tuple[int, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    questions: tuple[Question, ...] = ()
    placement: PlacementRuling | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the ruling can be confirmed: it is not withheld and nothing that matters is open."""
        return self.status is not RulingStatus.WITHHELD and not any(q.blocking for q in self.questions)
