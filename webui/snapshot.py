"""What the page shows, as one immutable value: the runner publishes it, Flask's threads read it.

Numbers, ids and calls only; the words come from `webui.texts` when a page is rendered. `/api/snapshot` gives the same
value as JSON (`as_json`); a field is only ever added, never renamed.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from scoring.table import Point

if TYPE_CHECKING:
    from webui.cactus.snapshot import LiveCactus
    from webui.conex.snapshot import LiveConex

Quad = tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class CameraView:
    """How the source of pictures is doing.

    Parameters
    ----------
    state
        ``connected``, ``lost``, ``ended``, or ``none`` where only photos are judged.
    dropped
        Frames that came and were never looked at; a high number only says that the computer is slow.
    """

    state: str
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class CardSeen:
    """An outline over the live picture.

    Parameters
    ----------
    quad
        Corners in pixels: printed top-left, top-right, bottom-right, bottom-left.
    kind
        ``row``, ``pool``, ``scoring``, ``back`` or ``unknown``.
    face
        Face id, or None.
    center
        Element at the centre of an element card.
    value
        Points on a scoring card.
    confidence
        Probability that the face is right.
    sure
        Whether the referee would rely on the reading.
    """

    quad: Quad
    kind: str
    face: str | None
    center: str | None = None
    value: int | None = None
    confidence: float = 0.0
    sure: bool = False


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player: `number` (1 to 4) is the key to press and the emblem, clockwise from the bottom of the picture."""

    number: int
    seat: str
    name: str
    total: int
    place: int
    rounds: tuple[int, ...]


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


@dataclass(frozen=True, slots=True)
class Head:
    """What every game's match tells.

    Parameters
    ----------
    id, title, game, deck, created_at
        Its head.
    seq
        Number of its events; a command names it, so that a second tap is refused.
    phase
        Where it stands; see `scoring.play.Phase`.
    players
        Clockwise from the bottom of the picture.
    options
        House rules by name.
    winners
        Seats, once the match is finished.
    undo
        What an undo takes back: type of the event, or None.
    """

    id: str
    title: str
    game: str
    deck: str
    created_at: str
    seq: int
    phase: str
    players: tuple[PlayerView, ...]
    options: Mapping[str, int | float | str]
    winners: tuple[str, ...]
    undo: str | None

    def player(self, seat: str | None) -> PlayerView | None:
        """The player of a seat, or None."""
        return next((p for p in self.players if p.seat == seat), None)

    def name(self, seat: str) -> str:
        """The name of a seat's player."""
        player = self.player(seat)
        return player.name if player else seat


@dataclass(frozen=True, slots=True)
class MatchView(Head):
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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that the page shows at one moment.

    Parameters
    ----------
    state
        ``no-camera``, ``looking``, ``moving``, ``settled``, ``checking``, ``verdict``, ``judged``, ``by-hand`` or
        ``out-of-step``.
    hint
        A key of `webui.texts.HINTS`, or empty.
    camera
        The source.
    picture_size
        Width and height in pixels of the picture that `cards` refer to.
    cards
        Outlines; empty while something moves, so that no old outline lies over a new picture.
    match
        The match at this table, or None.
    seen_scoring
        Scoring cards that are read on the table now, highest first.
    demo
        Whether a demonstration plays by itself.
    conex
        The table of CONEX as it lies now, or None.
    cactus
        The cacti as they stand now, or None.
    version
        Grows with every change.
    """

    state: str
    hint: str
    camera: CameraView
    picture_size: tuple[int, int] | None
    cards: tuple[CardSeen, ...]
    match: Head | None
    seen_scoring: tuple[ScoringView, ...]
    demo: bool = False
    conex: LiveConex | None = None
    cactus: LiveCactus | None = None
    version: int = 0


class Board:
    """The newest snapshot, for any number of readers who may wait for the next one."""

    def __init__(self, first: Snapshot) -> None:
        self._changed = threading.Condition()
        self._snapshot = first

    def publish(self, snapshot: Snapshot) -> None:
        """Make this the newest, if it says anything new."""
        with self._changed:
            fresh = replace(snapshot, version=self._snapshot.version)
            if fresh != self._snapshot:
                self._snapshot = replace(fresh, version=fresh.version + 1)
                self._changed.notify_all()

    @property
    def snapshot(self) -> Snapshot:
        """The newest snapshot."""
        with self._changed:
            return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot:
        """The newest snapshot, as soon as its version is not `after`, at the latest when the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version != after, timeout_s)
            return self._snapshot


def as_json(value: object) -> Any:
    """A snapshot, or any part of it, as plain data."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(v) for v in value]
    return value
